//! What is typed into a search field: the first line; the rest is the text that is looked through.

use reprise_core::search::{
    excerpt::excerpt,
    fit::{Row, readable},
    typed::Typed,
    words::{line, words},
};
use rusqlite::Connection;

use super::split_at;

thread_local! {
    /// An index as the log has it.
    static INDEX: Connection = {
        let index = Connection::open_in_memory().expect("a database");
        let made = "CREATE VIRTUAL TABLE texts USING fts5 (words, content = '', contentless_delete = 1, prefix = '2 3',
                    tokenize = \"unicode61 remove_diacritics 2 categories 'L* M* N* P* S* C*'\")";
        index.execute_batch(made).expect("an index");
        index
    };
}

/// Nothing that is typed is wrong for the index, which finds a text exactly if reading finds it; what is shown of the
/// text is a part of it.
pub(super) fn search(bytes: &[u8]) {
    let (query, text) = split_at(bytes, b'\n');
    let (query, text) = (String::from_utf8_lossy(query), String::from_utf8_lossy(text));
    let typed = Typed::read(&query);
    let there = words(&text);
    if let Some(expression) = typed.expression() {
        let found = INDEX.with(|index| {
            index.execute("DELETE FROM texts WHERE rowid = 1", []).expect("emptied");
            index.execute("INSERT INTO texts (rowid, words) VALUES (1, ?1)", [line(&text)]).expect("indexed");
            let asked = "SELECT count(*) FROM texts WHERE words MATCH ?1";
            index
                .query_row(asked, [&expression], |row| row.get::<_, i64>(0))
                .unwrap_or_else(|no| panic!("{no}: {expression}"))
        });
        assert_eq!(found == 1, typed.holds(&there), "index and reading agree on {expression}");
    }
    let shown = excerpt(&text, &typed);
    assert!(shown.iter().all(|piece| !piece.text.is_empty() && !piece.text.chars().any(char::is_control)));
    assert!(shown.iter().map(|piece| piece.text.chars().count()).sum::<usize>() <= 140 + 4, "{shown:?}");
    let brought = [readable(text.as_bytes())];
    let row = Row { text: Some(&text), brought: &brought, ..Row::default() };
    let fits = typed.fit(&row);
    assert!(fits.is_none() || !typed.is_empty(), "nothing typed fits nothing");
    if typed.holds(&there) && typed.narrow.admits(&row) {
        assert!(fits.is_some(), "what the index finds fits");
    }
}

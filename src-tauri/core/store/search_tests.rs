use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::{
    ids::ImportId,
    inbound::{
        arrival::{Arrival, Request, Told},
        record::record,
        verify::Verified,
    },
    pozy::contract::Contract,
    search::{
        typed::Typed,
        words::{line, words},
    },
    store::{
        Store, arrivals,
        migrate::in_memory,
        prune::prune,
        search_fill::{self, Filler, Pace},
    },
};

const START: &str = "2026-03-02T10:00:00Z";

fn at(second: i64) -> Moment {
    START.parse::<Moment>().unwrap().plus_seconds(second)
}

/// A text of few words, so that what is typed is often found.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("Market"),
        Just("market"),
        Just("mar"),
        Just("Straße"),
        Just("früh"),
        Just("fru\u{308}her"),
        Just("東京"),
        Just("タワー"),
        Just("ตลาด"),
        Just("서울에"),
        Just("don't"),
        Just("#Tag"),
        Just("9"),
        Just("🎉"),
        Just("“x”"),
    ];
    let known = prop::collection::vec(word, 0..6).prop_map(|words| words.join(" "));
    prop_oneof![4 => known, 1 => "\\PC{0,12}", 1 => "[a-c\u{e4}\u{345}\u{1e9e}ßſ 東\u{3099}か\"*:()^-]{0,10}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// What the index says of a text is what reading that text says.
    #[test]
    fn the_index_and_the_reading_agree(texts in prop::collection::vec(text(), 1..6), typed in text(), quoted: bool) {
        let db = in_memory();
        for (number, text) in (0_i64..).zip(&texts) {
            db.execute("INSERT INTO message_index (rowid, words) VALUES (?, ?)", rusqlite::params![number, line(text)])
                .unwrap();
        }
        let typed = if quoted { format!("\"{typed}\"") } else { typed };
        let typed = Typed::read(&typed);
        let found: BTreeSet<i64> = match typed.expression() {
            None => return Ok(()),
            Some(expression) => {
                let mut statement = db.prepare("SELECT rowid FROM message_index WHERE message_index MATCH ?").unwrap();
                statement.query_map([expression], |row| row.get(0)).unwrap().map(|row| row.unwrap()).collect()
            }
        };
        let read = (0_i64..).zip(&texts).filter(|(_, text)| typed.holds(&words(text))).map(|(number, _)| number);
        prop_assert_eq!(found, read.collect());
    }
}

/// What happens to a log in which somebody searches.
#[derive(Clone, Debug)]
enum Step {
    /// Texts arrive from the given second on, every third of them twice.
    Arrive(i64, Vec<String>),
    /// A slice is read into the index.
    Fill,
    /// What arrived before that second loses its body.
    Prune(i64),
    /// A slice is read; before it is written what arrived before that second loses its body.
    FillAndPrune(i64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0..60_i64, prop::collection::vec(text(), 1..5)).prop_map(|(second, texts)| Step::Arrive(second, texts)),
        2 => Just(Step::Fill),
        1 => (0..70_i64).prop_map(Step::Prune),
        1 => (0..70_i64).prop_map(Step::FillAndPrune),
    ]
}

async fn arrive(store: &Store, from: i64, texts: Vec<String>) {
    let pozy = Contract::shipped("pozy").unwrap();
    let work = move |connection: &rusqlite::Connection| {
        let import = arrivals::new_import(connection, at(0), "told.jsonl")?;
        for (number, text) in texts.iter().enumerate() {
            let event = format!("ev_{}_{number}", import.0);
            let body = serde_json::json!({"id": event, "event": "post.published", "timestamp": START,
                "post": {"id": format!("po_{number}"), "content": text, "status": "published"}});
            for _ in 0..1 + usize::from(number % 3 == 0) {
                one(connection, import, at(from + i64::try_from(number).unwrap()), &body.to_string(), &pozy)?;
            }
        }
        Ok(())
    };
    store.write(work).await.unwrap();
}

fn one(connection: &rusqlite::Connection, import: ImportId, at: Moment, body: &str, pozy: &Contract) -> Result<()> {
    let headers = [("X-Request-Id".to_owned(), "req-77".to_owned()), ("X-Token".to_owned(), "hush-1".to_owned())];
    let request =
        Request { at, endpoint: "pozy", headers: &headers, body: Some(body.as_bytes()), verified: Verified::Unchecked };
    record(
        connection,
        &Arrival::imported(import, &request, Told { answer: Some(204), took_ms: Some(30), ..Told::default() }, pozy),
        pozy,
    )
    .map(drop)
}

/// What search finds: by the index, and past its mark by looking.
async fn found(store: &Store, typed: &Typed) -> BTreeSet<i64> {
    let Some(expression) = typed.expression() else { return BTreeSet::new() };
    let mut reading = store.pool().begin().await.unwrap();
    let extent = extent(&mut reading).await.unwrap();
    let by_index = messages(&mut reading, &expression, Seq(i64::MAX), 10_000).await.unwrap();
    let mut found: BTreeSet<i64> = by_index.iter().map(|arrived| arrived.seq.0).collect();
    assert!(found.iter().all(|seq| *seq <= extent.indexed.0), "the index knows nothing past its mark");
    let tail = slice(&mut reading, Seq(i64::MAX), 10_000).await.unwrap();
    let tail = tail.iter().filter(|arrived| arrived.seq > extent.indexed);
    found.extend(tail.filter(|arrived| holds(typed, arrived)).map(|arrived| arrived.seq.0));
    found
}

fn holds(typed: &Typed, arrived: &Arrived) -> bool {
    arrived.text.as_deref().is_some_and(|text| typed.holds(&words(text)))
}

/// What is there to be found: every body, read.
async fn there(store: &Store, typed: &Typed) -> BTreeSet<i64> {
    if typed.expression().is_none() {
        return BTreeSet::new();
    }
    let mut reading = store.pool().acquire().await.unwrap();
    let all = slice(&mut reading, Seq(i64::MAX), 10_000).await.unwrap();
    all.iter().filter(|arrived| holds(typed, arrived)).map(|arrived| arrived.seq.0).collect()
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// However arrivals, slices of the index and ageing follow each other, search finds what is there and nothing else.
    #[test]
    fn search_finds_what_a_scan_finds(steps in prop::collection::vec(step(), 1..10), asked in prop::collection::vec(text(), 3)) {
        run(async {
            let dir = tempfile::tempdir().unwrap();
            let store = Store::open(dir.path()).await.unwrap();
            let mut filler = Filler::new(Pace::BEHIND);
            for step in steps {
                match step {
                    Step::Arrive(second, texts) => arrive(&store, second, texts).await,
                    Step::Fill => drop(filler.slice(&store).await.unwrap()),
                    Step::Prune(second) => drop(prune(&store, at(second)).await.unwrap()),
                    Step::FillAndPrune(second) => {
                        let read = search_fill::read_messages(&store, Pace::BEHIND).await.unwrap();
                        prune(&store, at(second)).await.unwrap();
                        if let Some(read) = read {
                            drop(search_fill::write_messages(&store, read, 20).await.unwrap());
                        }
                    }
                }
                for asked in &asked {
                    let typed = Typed::read(asked);
                    assert_eq!(found(&store, &typed).await, there(&store, &typed).await, "{asked:?}");
                }
            }
        });
    }
}

#[tokio::test]
async fn a_body_that_goes_takes_its_words_out_of_the_index() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).await.unwrap();
    arrive(&store, 0, (0..40).map(|n| format!("lavender number{n}")).collect()).await;
    let mut filler = Filler::new(Pace::BEHIND);
    while filler.slice(&store).await.unwrap() {}
    let typed = Typed::read("lavender");
    assert_eq!(found(&store, &typed).await.len(), 54, "forty texts, every third of them twice");
    prune(&store, at(1_000)).await.unwrap();
    assert!(found(&store, &typed).await.is_empty());
    let left = store
        .write(|connection| {
            connection.execute_batch(
                "CREATE VIRTUAL TABLE temp.terms USING fts5vocab('main', 'message_index', 'instance')",
            )?;
            Ok(connection.query_row("SELECT count(*) FROM temp.terms", [], |row| row.get::<_, i64>(0))?)
        })
        .await
        .unwrap();
    assert_eq!(left, 0, "not a word is left in the file's index");
}

#[tokio::test]
async fn what_a_slice_had_no_time_for_is_put_in_by_the_next_ones() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).await.unwrap();
    arrive(&store, 0, (0..6).map(|n| format!("lavender number{n}")).collect()).await;
    let (mut rest, mut slices) = (search_fill::read_messages(&store, Pace::BEHIND).await.unwrap(), 0);
    while let Some(read) = rest {
        // No time at all: one row a slice, and the mark comes as far as the rows did.
        rest = search_fill::write_messages(&store, read, 0).await.unwrap();
        slices += 1;
        let typed = Typed::read("lavender");
        assert_eq!(found(&store, &typed).await, there(&store, &typed).await, "after {slices} slices");
    }
    assert!(slices >= 6, "{slices}");
    assert!(search_fill::read_messages(&store, Pace::BEHIND).await.unwrap().is_none(), "nothing is read a second time");
}

#[tokio::test]
async fn two_programs_that_fill_one_index_read_no_row_twice() {
    let dir = tempfile::tempdir().unwrap();
    let (one, other) = (Store::open(dir.path()).await.unwrap(), Store::open(dir.path()).await.unwrap());
    arrive(&one, 0, vec!["hay".to_owned(), "rye".to_owned()]).await;
    let late = search_fill::read_messages(&other, Pace::BEHIND).await.unwrap().unwrap();
    let mut filler = Filler::new(Pace::BEHIND);
    while filler.slice(&one).await.unwrap() {}
    assert!(
        search_fill::write_messages(&other, late, 20).await.unwrap().is_none(),
        "nothing of it is left to be put in"
    );
    assert_eq!(found(&one, &Typed::read("hay")).await.len(), 2, "the text that came twice, each arrival once");
    assert_eq!(found(&other, &Typed::read("rye")).await.len(), 1);
}

/// How many parts the index of messages has.
async fn parts(store: &Store) -> i64 {
    sqlx::query("SELECT count(DISTINCT segid) FROM message_index_idx").fetch_one(store.pool()).await.unwrap().get(0)
}

#[tokio::test]
async fn a_slice_makes_one_part_of_the_index() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).await.unwrap();
    arrive(&store, 0, (0..90).map(|n| format!("harbour news {n}")).collect()).await;
    let read = search_fill::read_messages(&store, Pace::BEHIND).await.unwrap().unwrap();
    assert!(search_fill::write_messages(&store, read, 10_000).await.unwrap().is_none());
    assert_eq!(parts(&store).await, 1, "a part for each row would have to be put together again");
    // A part for each slice is put together with others behind it.
    for slice in 1..40 {
        arrive(&store, slice * 1_000, vec![format!("shore leave {slice}")]).await;
        Filler::new(Pace::BEHIND).slice(&store).await.unwrap();
    }
    assert!(parts(&store).await < 12);
}

#[tokio::test]
async fn headers_are_looked_through_but_for_what_is_masked() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).await.unwrap();
    arrive(&store, 0, vec!["hay".to_owned()]).await;
    let mut reading = store.pool().acquire().await.unwrap();
    let all = slice(&mut reading, Seq(i64::MAX), 10).await.unwrap();
    let fits = |text: &str| all.iter().any(|arrived| Typed::read(text).fit(&arrived.row()).is_some());
    assert!(fits("req-77") && fits("x-request-id") && fits("\"status\":\"published\""));
    assert!(!fits("hush-1"), "a secret cannot be guessed at by searching");
}

/// Every indexed step is made of seeks: whatever is scanned is a list of numbers, a walk from seek to seek, or the
/// few workspaces.
#[test]
fn no_indexed_step_scans_a_table() {
    let db = in_memory();
    let mut statements: Vec<String> =
        [MESSAGES, JOBS, POSTS, JOBS_BY_NUMBER, POSTS_BY_NUMBER].map(str::to_owned).to_vec();
    statements.push(arrived_by_number());
    statements.extend(NAMED.map(str::to_owned));
    for sql in statements {
        let mut statement = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let wanted = statement.parameter_count();
        let values = vec![rusqlite::types::Value::Null; wanted];
        let steps: Vec<String> = statement
            .query_map(rusqlite::params_from_iter(values), |row| row.get("detail"))
            .unwrap()
            .map(|row| row.unwrap())
            .collect();
        for step in steps.iter().filter(|step| step.starts_with("SCAN")) {
            let fine = [
                "SCAN n VIRTUAL TABLE",
                "SCAN walk",
                "SCAN w",
                "SCAN CONSTANT ROW",
                "SCAN message_index VIRTUAL TABLE",
                "SCAN job_index VIRTUAL TABLE",
                "SCAN post_index VIRTUAL TABLE",
            ];
            assert!(
                fine.iter().any(|fine| step == fine || step.starts_with(&format!("{fine} "))),
                "{step}\nin {steps:?}\nof {sql}"
            );
        }
    }
}

//! A file taken apart into posts. Its kind is found by looking; a row that is no post is kept with its line and why, and
//! the rest goes on. Pure.

use csv::{ByteRecord, ReaderBuilder};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Value, value::RawValue};

use super::columns::Columns;
use crate::{
    clock::Moment,
    error::{Error, Result},
    outbound::{
        forecast::words,
        key::Key,
        schedule::{self, Trap},
    },
};

/// Most posts of one file.
pub const MOST_ROWS: usize = 2_000;
/// Largest file, bytes.
pub const LARGEST: usize = 8 << 20;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One request body, whatever it is.
    One,
    /// One post a line: a request body, or an object with `body` and `key`.
    Lines,
    /// One post a row under a head that names its columns.
    Table,
}

/// A row of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The line it starts on, from 1.
    pub line: u64,
    /// The post, or why it is none.
    pub post: std::result::Result<Post, String>,
}

/// A post as a row asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Post {
    /// The key that the row gives.
    pub key: Option<String>,
    /// The request body, sent as these very bytes.
    pub body: Vec<u8>,
}

/// A file taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sheet {
    /// Its rows in order.
    pub rows: Vec<Row>,
    /// Columns that are not known; their cells are left aside.
    pub unknown_columns: Vec<String>,
}

/// The kind of a file, by its bytes and, where they leave it open, by the ending of its name.
#[must_use]
pub fn kind_of(name: &str, bytes: &[u8]) -> Kind {
    let text = without_mark(bytes).trim_ascii_start();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    if text.starts_with(b"{") || text.starts_with(b"[") {
        let first = cut(text).next().unwrap_or_default();
        let many = text.starts_with(b"{") && is_json(first) && !is_json(text);
        return if many || ending == "jsonl" || ending == "ndjson" { Kind::Lines } else { Kind::One };
    }
    match ending.as_str() {
        "jsonl" | "ndjson" => Kind::Lines,
        "csv" | "tsv" => Kind::Table,
        _ if Columns::stand_in(first_record(text).as_ref()) => Kind::Table,
        _ => Kind::One,
    }
}

fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(bytes).is_ok()
}

/// Its lines, whatever they end with: LF, CR LF, or CR alone.
fn cut(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = text.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines.flat_map(|line| line.split(|byte| *byte == b'\r'))
}

/// Takes a file of many posts apart.
///
/// # Errors
/// `Usage` with what is wrong with the file as a whole: its encoding, its size, or a head that names no words or no
/// accounts. Nothing was sent.
pub fn read(kind: Kind, bytes: &[u8], key_max: usize) -> Result<Sheet> {
    if bytes.len() > LARGEST {
        return Err(whole("is larger than 8 MB. Split it"));
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(whole("is written in UTF-16. Save it as UTF-8"));
    }
    let text = without_mark(bytes);
    let mut sheet = match kind {
        Kind::Table => table(text)?,
        Kind::Lines | Kind::One => lines(text),
    };
    if sheet.rows.len() > MOST_ROWS {
        return Err(whole(&format!("holds {} posts, more than {MOST_ROWS}. Split it", sheet.rows.len())));
    }
    if sheet.rows.is_empty() {
        return Err(whole("holds no post"));
    }
    for at in 0..sheet.rows.len() {
        let (before, rest) = sheet.rows.split_at_mut(at);
        let row = &mut rest[0];
        if let Ok(post) = &row.post
            && let Err(why) = check(post, before, key_max)
        {
            row.post = Err(why);
        }
    }
    Ok(sheet)
}

fn whole(problem: &str) -> Error {
    Error::usage(format!("The file {problem}. Nothing was sent."))
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// What every row must hold, whatever file it stands in.
fn check(post: &Post, before: &[Row], key_max: usize) -> std::result::Result<(), String> {
    if let Some(key) = &post.key {
        Key::given(key, key_max).map_err(|no| no.to_string())?;
        let same = before.iter().find(|row| row.post.as_ref().is_ok_and(|other| other.key.as_ref() == Some(key)));
        if let Some(row) = same {
            return Err(format!(
                "It has the key of line {}, so Pozy would give that post back and this one would never go out. Give it \
                 another, or none.",
                row.line
            ));
        }
    }
    let body: Value = serde_json::from_slice(&post.body).map_err(|problem| format!("It is no JSON: {problem}."))?;
    let text = body["content"].as_str().unwrap_or_default();
    let places = words::places(&body);
    let worded = !places.is_empty() && places.iter().all(|place| !place.text.trim().is_empty());
    if text.trim().is_empty() && words::media(&body).is_empty() && !worded {
        return Err("It has no words and no media.".to_owned());
    }
    let named = body["platforms"].as_array().map_or(0, Vec::len);
    if places.is_empty() {
        return Err("It goes to no account.".to_owned());
    }
    if places.len() < named {
        return Err("One of its accounts has no id, or is named twice.".to_owned());
    }
    when(&body)
}

/// Holds if the time it asks for is one moment: nothing is picked silently (X9).
fn when(body: &Value) -> std::result::Result<(), String> {
    let time = match &body["scheduledFor"] {
        Value::Null => return Ok(()),
        Value::String(time) => time,
        _ => return Err("Its scheduledFor is no text.".to_owned()),
    };
    let Some(zone) = body["timezone"].as_str() else {
        let alone = Moment::parse(time).is_some();
        return if alone {
            Ok(())
        } else {
            Err(format!("The time {time} needs a zone such as Europe/London, or an offset."))
        };
    };
    match schedule::trap(body) {
        None => Ok(()),
        Some(Trap::Unreadable) => {
            Err(format!("`{time}` in `{zone}` is no time such as 2026-11-05T09:00 in a zone such as Europe/London."))
        }
        Some(Trap::Missing(before, after)) => Err(format!(
            "The time {time} does not exist in {zone}: the clocks jump over it. By them it is {} or {}; choose one.",
            before.text(),
            after.text()
        )),
        Some(Trap::Twice(first, second)) => Err(format!(
            "The time {time} comes twice in {zone}: {} and {}. Write it with its offset to say which.",
            first.text(),
            second.text()
        )),
    }
}

/// One object a line: a request body as its very bytes, or `body` beside `key`.
fn lines(text: &[u8]) -> Sheet {
    #[derive(Deserialize)]
    struct Wrapped<'a> {
        #[serde(borrow)]
        body: &'a RawValue,
        key: Option<String>,
    }
    let numbered = (1..).zip(cut(text));
    let full = numbered.map(|(line, bytes)| (line, bytes.trim_ascii())).filter(|(_, bytes)| !bytes.is_empty());
    let rows = full.map(|(line, bytes)| {
        let post = match serde_json::from_slice::<Value>(bytes) {
            Err(problem) => Err(format!("It is no JSON: {problem}.")),
            Ok(value) if !value.is_object() => Err("It is no object of JSON.".to_owned()),
            Ok(value) if value.get("body").is_some() => serde_json::from_slice::<Wrapped<'_>>(bytes)
                .map(|wrapped| Post { key: wrapped.key, body: wrapped.body.get().as_bytes().to_vec() })
                .map_err(|problem| format!("Its `key` cannot be read: {problem}.")),
            Ok(_) => Ok(Post { key: None, body: bytes.to_vec() }),
        };
        Row { line, post }
    });
    Sheet { rows: rows.collect(), unknown_columns: Vec::new() }
}

/// The sign between cells: the one that stands most often in the head, outside quotes.
fn separator(text: &[u8]) -> u8 {
    let mut quoted = false;
    let mut times = [(b',', 0), (b';', 0), (b'\t', 0)];
    for byte in text {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' | b'\r' if !quoted => break,
            _ if !quoted => times.iter_mut().filter(|(sign, _)| sign == byte).for_each(|(_, times)| *times += 1),
            _ => {}
        }
    }
    times.iter().rev().max_by_key(|(_, times)| *times).map_or(b',', |(sign, _)| *sign)
}

fn first_record(text: &[u8]) -> Option<ByteRecord> {
    let mut reader = ReaderBuilder::new().delimiter(separator(text)).has_headers(false).from_reader(text);
    reader.byte_records().next()?.ok()
}

fn table(text: &[u8]) -> Result<Sheet> {
    let (columns, unknown_columns) = Columns::of(first_record(text).as_ref()).map_err(|why| whole(&why))?;
    let mut reader = ReaderBuilder::new().delimiter(separator(text)).flexible(true).has_headers(true).from_reader(text);
    let lines = LineCount::of(text);
    let mut rows = Vec::new();
    for record in reader.byte_records() {
        let record = record.map_err(|problem| whole(&format!("cannot be read on: {problem}")))?;
        let line = record.position().map_or(0, |at| lines.at(usize::try_from(at.byte()).unwrap_or(usize::MAX)));
        rows.push(Row { line, post: columns.post(&record) });
    }
    Ok(Sheet { rows, unknown_columns })
}

/// Finds the line of a place in a text. Empty lines before a row belong to no row.
struct LineCount<'a> {
    text: &'a [u8],
    ends: Vec<usize>,
}

impl<'a> LineCount<'a> {
    fn of(text: &'a [u8]) -> Self {
        let ends = text.iter().enumerate().filter(|(at, byte)| match byte {
            b'\n' => true,
            b'\r' => text.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        let ends = ends.map(|(at, _)| at);
        Self { text, ends: ends.collect() }
    }

    fn at(&self, place: usize) -> u64 {
        let blank = self.text.get(place..).unwrap_or_default();
        let start = place + blank.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        u64::try_from(self.ends.partition_point(|end| *end < start)).unwrap_or(u64::MAX - 1) + 1
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn sheet(text: &str) -> Sheet {
        read(kind_of("posts.csv", text.as_bytes()), text.as_bytes(), 255).unwrap()
    }

    /// Each row as its line and its body, or why it is none.
    fn told(sheet: &Sheet) -> Vec<(u64, String)> {
        let told = |row: &Row| match &row.post {
            Ok(post) => (row.line, String::from_utf8(post.body.clone()).unwrap()),
            Err(why) => (row.line, why.clone()),
        };
        sheet.rows.iter().map(told).collect()
    }

    #[rstest]
    #[case("a.json", r#"{"content":"Hay"}"#, Kind::One)]
    #[case("a.json", "{\n  \"content\": \"Hay\"\n}", Kind::One)]
    #[case("a.json", "{\"content\":\"Hay\"}\n{\"content\":\"Rye\"}\n", Kind::Lines)]
    #[case("a.json", "{\"content\":\"Hay\"}\r{\"content\":\"Rye\"}\r", Kind::Lines)]
    #[case("a.jsonl", r#"{"content":"Hay"}"#, Kind::Lines)]
    #[case("a.csv", "anything", Kind::Table)]
    #[case("export", "\u{feff}Text;Accounts\nHay;x:ac", Kind::Table)]
    #[case("a.txt", "Hay is cut.", Kind::One)]
    #[case("a.json", "not json", Kind::One)]
    fn a_file_is_known_by_looking(#[case] name: &str, #[case] text: &str, #[case] kind: Kind) {
        assert_eq!(kind_of(name, text.as_bytes()), kind);
    }

    #[rstest]
    #[case::lines(
        "{\"content\":\"Hay\",\"platforms\":[{\"accountId\":\"ac\"}]}\r\r{\"content\":\"Rye\",\"platforms\":[{\"accountId\":\"ac\"}]}"
    )]
    #[case::table("text,accounts\rHay,x:ac\r\r\rRye,x:ac\r")]
    fn lines_may_end_in_a_carriage_return_alone(#[case] text: &str) {
        let sheet = sheet(text);
        let expected: &[u64] = if text.starts_with('{') { &[1, 3] } else { &[2, 5] };
        assert_eq!(sheet.rows.iter().map(|row| row.line).collect::<Vec<_>>(), expected);
        assert!(sheet.rows.iter().all(|row| row.post.is_ok()), "{sheet:?}");
    }

    #[rstest]
    #[case::commas("text,accounts\nHay is cut.,linkedin:ac_li\n")]
    #[case::semicolons("text;accounts\nHay is cut.;linkedin:ac_li\n")]
    #[case::tabs("text\taccounts\nHay is cut.\tlinkedin:ac_li\n")]
    #[case::windows("\u{feff}Text,Accounts\r\n\"Hay is cut.\",linkedin:ac_li\r\n")]
    #[case::one_target("content,platform,account\nHay is cut.,linkedin,ac_li")]
    fn tables_of_all_kinds_say_the_same(#[case] text: &str) {
        let body =
            r#"{"content":"Hay is cut.","platforms":[{"accountId":"ac_li","platform":"linkedin"}],"publishNow":true}"#;
        assert_eq!(told(&sheet(text)), [(2, body.to_owned())]);
    }

    #[test]
    fn a_row_may_hold_line_breaks_and_all_columns() {
        let text = "text,accounts,media,scheduledFor,timezone,key\n\n\"One, two;\n\"\"three\"\"\",linkedin:ac_li instagram:ac_ig,\
                    https://a.example/1.png,2031-07-05 09:00,Europe/London,k-1\nNext,x:ac_x,,2031-07-05T09:00:00+02:00,,\n";
        let sheet = sheet(text);
        assert_eq!(sheet.rows.iter().map(|row| row.line).collect::<Vec<_>>(), [3, 5]);
        let post = sheet.rows[0].post.as_ref().unwrap();
        assert_eq!(post.key.as_deref(), Some("k-1"));
        let body: Value = serde_json::from_slice(&post.body).unwrap();
        assert_eq!(body["content"], "One, two;\n\"three\"");
        assert_eq!(body["platforms"][1]["accountId"], "ac_ig");
        assert_eq!(body["mediaItems"][0]["type"], "image");
        assert_eq!(
            (body["scheduledFor"].as_str(), body["timezone"].as_str()),
            (Some("2031-07-05T09:00"), Some("Europe/London"))
        );
        assert!(sheet.rows[1].post.is_ok());
    }

    #[rstest]
    #[case::no_words(",x:ac,,", "no words and no media")]
    #[case::no_account("Hay,,,", "no account")]
    #[case::bare_account("Hay,ac,,", "platform:account")]
    #[case::twice("Hay,x:ac x:ac,,", "named twice")]
    #[case::no_time("Hay,x:ac,soon,UTC", "is no time")]
    #[case::no_zone("Hay,x:ac,2031-07-05T09:00,", "needs a zone")]
    #[case::odd_zone("Hay,x:ac,2031-07-05T09:00,Moon/Base", "is no time")]
    #[case::never("Hay,x:ac,2031-03-30T01:30,Europe/London", "does not exist")]
    #[case::comes_twice("Hay,x:ac,2031-10-26T01:30,Europe/London", "comes twice")]
    #[case::short("Hay,x:ac", "2 cells where the head has 4")]
    #[case::long("Hay,x:ac,,,,", "6 cells where the head has 4")]
    fn a_row_that_is_no_post_says_why_and_the_rest_goes_on(#[case] row: &str, #[case] why: &str) {
        let sheet = sheet(&format!("text,accounts,scheduledFor,timezone\n{row}\nRye,x:ac,,\n"));
        assert!(told(&sheet)[0].1.contains(why), "{:?}", told(&sheet));
        assert!(sheet.rows[1].post.is_ok());
    }

    #[test]
    fn a_quote_that_is_left_open_is_told_with_the_lines_it_took() {
        let sheet = sheet("text,accounts\n\"Hay,x:ac\nRye,x:ac\nOats,x:ac\n");
        assert_eq!(sheet.rows.len(), 1);
        assert!(told(&sheet)[0].1.contains("3 lines"), "{:?}", told(&sheet));
    }

    #[test]
    fn letters_of_another_encoding_are_told() {
        let text = b"text,accounts\nCaf\xe9,x:ac\nRye,x:ac\n";
        let sheet = read(Kind::Table, text, 255).unwrap();
        assert!(sheet.rows[0].post.as_ref().unwrap_err().contains("UTF-8"));
        assert!(sheet.rows[1].post.is_ok());
    }

    #[test]
    fn unknown_columns_are_named_and_a_key_stands_once() {
        let sheet = sheet("text,accounts,key,Mood\nHay,x:ac,k-1,good\nRye,x:ac,k-1,bad\nOats,x:ac,k\u{e9},bad\n");
        assert_eq!(sheet.unknown_columns, ["Mood"]);
        let told = told(&sheet);
        assert!(told[1].1.contains("key of line 2"), "{told:?}");
        assert!(told[2].1.contains("header"), "{told:?}");
    }

    #[rstest]
    #[case("Hay,x:ac\n", "names no words")]
    #[case("text,mood\nHay,good\n", "names no accounts")]
    #[case("text,accounts\n", "holds no post")]
    #[case("text,content,accounts\na,b,x:ac\n", "twice")]
    fn a_head_must_say_what_is_what(#[case] text: &str, #[case] why: &str) {
        let no = read(Kind::Table, text.as_bytes(), 255).unwrap_err();
        assert!(no.message.contains(why), "{no}");
    }

    #[test]
    fn lines_are_bodies_or_wrap_one() {
        let text = "{\"content\":\"Hay\", \"platforms\":[{\"platform\":\"x\",\"accountId\":\"ac\"}]}\n\n\
                    {\"key\":\"k-1\",\"body\":{\"content\":\"Rye\", \"platforms\":[{\"platform\":\"x\",\"accountId\":\"ac\"}]}}\nbroken\n[1]\n";
        let sheet = read(Kind::Lines, text.as_bytes(), 255).unwrap();
        let told = told(&sheet);
        assert_eq!(told[0], (1, text.lines().next().unwrap().to_owned()), "the very bytes");
        assert_eq!(told[1].0, 3);
        assert!(told[1].1.starts_with("{\"content\":\"Rye\", "), "the very bytes: {told:?}");
        assert_eq!(sheet.rows[1].post.as_ref().unwrap().key.as_deref(), Some("k-1"));
        assert!(told[2].1.contains("no JSON") && told[3].1.contains("no object"), "{told:?}");
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_stop_the_reading(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
            for kind in [Kind::One, Kind::Lines, Kind::Table] {
                drop(read(kind, &bytes, 255));
                let _ = kind_of("posts.csv", &bytes);
            }
        }

        #[test]
        fn every_row_of_a_table_is_counted(rows in proptest::collection::vec("[a-z,\"\n]{0,12}", 1..20)) {
            let quoted: Vec<String> = rows.iter().map(|text| format!("\"{}\",x:ac", text.replace('"', "\"\""))).collect();
            let sheet = sheet(&format!("text,accounts\n{}\n", quoted.join("\n")));
            proptest::prop_assert_eq!(sheet.rows.len(), rows.len());
        }
    }
}

//! Search from outside: the program as a person runs it, on a log that was imported, with the index of words behind it,
//! ahead of it, and killed on its way.

use std::collections::BTreeSet;

use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

use crate::{program::Place, wait};

fn arrival(n: usize, text: &str) -> Value {
    json!({"kind": "arrival", "at": format!("2026-03-02T{:02}:{:02}:{:02}Z", 8 + n / 3600, n / 60 % 60, n % 60),
        "answer": 204, "signature": "valid", "headers": {"x-request-id": format!("req-{n}"), "x-token": "hush-1"},
        "body": {"id": format!("ev_{n}"), "event": "post.published", "timestamp": "2026-03-02T08:00:00Z",
            "post": {"id": format!("po_{n}"), "content": text, "status": "published", "permalink": "https://a.example/p"},
            "account": {"accountId": "ac_7"}}})
}

fn attempt(text: &str) -> Value {
    json!({"kind": "attempt", "at": "2026-03-02T07:00:00Z", "job": "job_hay", "n": 1, "method": "POST", "path": "/v1/posts",
        "workspace": "ws", "key": "k-hay", "request_id": "batch-9",
        "body": {"content": text, "platforms": [{"platform": "x", "accountId": "ac_7"}]},
        "result": {"kind": "answered", "at": "2026-03-02T07:00:01Z", "status": 201, "headers": {"x-pod": "blue-5"},
            "body": {"post": {"_id": "po_hay", "status": "scheduled"}}}})
}

fn import(place: &Place, lines: impl IntoIterator<Item = Value>) {
    let text: String = lines.into_iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(place.files().join("log.jsonl"), text).unwrap();
    place.lines(&["import", "log.jsonl"]);
}

/// Kind and id of every hit, and the line at the end.
fn found(place: &Place, text: &str, quick: bool) -> (BTreeSet<String>, Value) {
    let data = place.data().display().to_string();
    let mut args = vec!["search", text, "--json", "--data", &data];
    args.extend(quick.then_some("--quick"));
    let ran = place.run(&args).unwrap();
    let mut lines = crate::program::json_lines(&ran.out).unwrap();
    let end = lines.pop().unwrap();
    assert_eq!(ran.exit, Some(i32::from(lines.is_empty())), "{text}: {}", ran.err);
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    (lines.iter().map(|line| format!("{} {}", word(&line["kind"]), word(&line["id"]))).collect(), end)
}

/// How far the index of words goes, and how far the log.
fn extent(place: &Place) -> (i64, i64) {
    let file = place.data().join("reprise.db");
    let log = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    log.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
    let sql = "SELECT (SELECT upto FROM indexed_to WHERE what = 'arrivals'), (SELECT max(seq) FROM arrivals)";
    log.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap()
}

async fn until_indexed(place: &Place) {
    wait::until("the index to have read all", || {
        let (upto, newest) = extent(place);
        (upto == newest).then_some(()).ok_or((upto, newest))
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn words_ids_and_everything_else_are_found() {
    let place = Place::new();
    let texts = [
        "Der Markt öffnet früh",
        "東京タワーで夏祭り",
        "ตลาดน้ำเปิดวันเสาร์",
        "Market day, doors open at nine",
        "Nothing of it",
    ];
    import(&place, texts.iter().enumerate().map(|(n, text)| arrival(n, text)).chain([attempt("Hay is cut, early")]));
    let set = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<BTreeSet<_>>();
    let both = |n: usize| set(&[&format!("post po_{n}"), &format!("message ev_{n}")]);
    let cases = [
        ("fruh", both(0)),
        ("\"markt öffnet\"", both(0)),
        ("mark", &both(0) | &both(3)),
        ("夏祭り", both(1)),
        ("タワー 東京", both(1)),
        ("วันเสาร์", both(2)),
        ("\"day doors\"", both(3)),
        ("\"doors day\"", set(&[])),
        ("account:ac_7 nine", both(3)),
        ("account:ac_8 nine", set(&[])),
        ("post:po_3 open", both(3)),
        ("\"hay is\"", set(&["job job_hay", "post po_hay"])),
        ("(broken* \"quote", set(&[])),
    ];
    for (text, expected) in &cases {
        let (hits, end) = found(&place, text, false);
        assert_eq!(hits, *expected, "{text}, read past the index");
        assert_eq!((&end["looked"], &end["of"], &end["indexed"]), (&json!(6), &json!(6), &json!(0)), "{text}");
    }

    let mut listen = place.background("listen", &["listen", "--on", "127.0.0.1:0"]);
    listen.first_line().unwrap();
    until_indexed(&place).await;
    listen.stop().unwrap();
    for (text, expected) in &cases {
        assert_eq!(found(&place, text, true).0, *expected, "{text}, by the index alone");
        assert_eq!(found(&place, text, false).0, *expected, "{text}, by both");
    }

    let message = |n: usize| set(&[&format!("message ev_{n}")]);
    for (text, expected) in [
        ("ev_3", message(3)),
        ("job_h", set(&["job job_hay"])),
        ("k-hay", set(&["job job_hay"])),
        ("batch-9", set(&["job job_hay"])),
        ("blue-5", set(&["job job_hay"])),
        ("req-2", message(2)),
        ("post:po_2", message(2)),
        ("hush-1", set(&[])),
        ("permalink", (0..5).map(|n| format!("message ev_{n}")).collect()),
    ] {
        assert_eq!(found(&place, text, false).0, expected, "{text}");
    }
    assert_eq!(found(&place, "po_4", true).0, set(&["post po_4"]), "an id is found by its index");
    let names = found(&place, "post.pub", true).0;
    assert!(names.contains("name post.published"), "{names:?}");

    place.lines(&["prune", "--days", "0"]);
    assert_eq!(found(&place, "früh", false).0, set(&[]), "what has aged out is not found any more");
    assert_eq!(found(&place, "hay", true).0, set(&["job job_hay", "post po_hay"]), "what was sent does not age out");
}

/// Between any two slices the program may be killed: the mark stands with the rows, so the next start goes on there.
#[tokio::test(flavor = "multi_thread")]
async fn the_index_goes_on_where_it_was_killed() {
    const ROWS: usize = 4_000;
    let place = Place::new();
    let text = |n: usize| format!("{} number{n}", if n.is_multiple_of(3) { "Lavender" } else { "Thyme" });
    import(&place, (0..ROWS).map(|n| arrival(n, &text(n))));
    let mut before = 0;
    for round in 0.. {
        let mut listen = place.background("listen", &["listen", "--on", "127.0.0.1:0"]);
        listen.first_line().unwrap();
        let (upto, newest) = wait::until("the index to grow", || {
            let (upto, newest) = extent(&place);
            (upto > before).then_some((upto, newest)).ok_or(upto)
        })
        .await;
        listen.kill();
        before = extent(&place).0;
        assert!(before >= upto, "what was written stays");
        if before == newest {
            break;
        }
        assert!(round < 40, "it gets somewhere");
    }
    let (hits, end) = found(&place, "lavender", true);
    assert_eq!(end["indexed"], end["arrivals"]);
    let expected: BTreeSet<String> = (0..ROWS)
        .filter(|n| n.is_multiple_of(3))
        .flat_map(|n| [format!("message ev_{n}"), format!("post po_{n}")])
        .collect();
    assert_eq!(hits, expected, "each once, none missing");
}

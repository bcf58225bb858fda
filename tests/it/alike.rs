//! What a verdict has in common with the rest of the log: posts that are live twice, and other jobs of the same cause.

use std::sync::Arc;

use reprise_core::{
    clock::Moment,
    desk::{Desk, Runs},
    import::log,
};
use serde_json::{Value, json};

use super::desk;

/// Mon 4 May 2026, 10:00 UTC.
const START: i64 = 1_777_888_800_000;

fn at(minute: i64) -> String {
    Moment::from_millis(START + minute * 60_000).to_string()
}

/// A try that made `post`, or got no answer if there is none.
fn attempt(job: &str, n: u32, key: &str, minute: i64, words: &str, post: Option<&str>) -> Value {
    let body = json!({"content": words, "platforms": [{"platform": "linkedin", "accountId": "ac_1"}]});
    let result = match post {
        Some(post) => {
            json!({"kind": "answered", "at": at(minute), "status": 201, "headers": {},
                "body": {"post": {"_id": post, "status": "scheduled"}}})
        }
        None => json!({"kind": "timeout", "at": at(minute)}),
    };
    json!({"kind": "attempt", "at": at(minute), "job": job, "n": n, "method": "POST", "path": "/v1/posts",
        "workspace": "mill", "key": key, "body": body, "result": result})
}

fn live(post: &str, minute: i64) -> Value {
    json!({"kind": "arrival", "at": at(minute), "took_ms": 20, "answer": 204, "body": {
        "id": format!("ev_{post}"), "event": "post.platform.published", "timestamp": at(minute),
        "post": {"id": post, "status": "published"}, "platform": {"name": "linkedin", "status": "published"},
        "account": {"accountId": "ac_1"}}})
}

async fn desk_with(dir: &tempfile::TempDir, lines: &[Value]) -> Desk {
    let desk = desk::open(dir.path(), START + 60 * 24 * 60_000, Runs::Nothing).await;
    let workspace = desk.workspace_for_imports().await.unwrap();
    let (store, contract) = (desk.store().await, desk.contract().await);
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let (order, from) = (log::Order::plain("log.jsonl", workspace), std::io::Cursor::new(text));
    let report = log::import(&store, desk.clock(), &contract, order, from, &Arc::default()).await.unwrap();
    assert_eq!(report.bad, []);
    desk
}

async fn alike(desk: &Desk, posts: &[&str]) -> Value {
    desk.call("why_alike", json!({ "posts": posts })).await.unwrap()
}

fn jobs(answer: &Value) -> Vec<&str> {
    answer["jobs"].as_array().unwrap().iter().map(|job| job["job"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn posts_that_are_live_twice_are_marked_and_others_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let desk = desk_with(
        &dir,
        &[
            attempt("a", 1, "k-a", 0, "Plums are in.", Some("po_a")),
            attempt("b", 1, "k-b", 1, "Plums are in.", Some("po_b")),
            attempt("c", 1, "k-c", 2, "Pears are in.", Some("po_c")),
            attempt("d", 1, "k-d", 3, "Pears are in.", Some("po_d")),
            // A week later the same words are a habit.
            attempt("e", 1, "k-e", 10_080, "Plums are in.", Some("po_e")),
            live("po_a", 5),
            live("po_b", 6),
            live("po_c", 7),
            live("po_e", 10_081),
        ],
    )
    .await;
    let span = json!({"from_ms": START, "to_ms": START + 10_100 * 60_000, "resolution_ms": 1024});
    let timeline = desk.call("timeline", span).await.unwrap();
    let twice = |post: &str| {
        let lanes = timeline["lanes"].as_array().unwrap();
        lanes.iter().find(|lane| lane["id"] == format!("post:{post}")).unwrap()["twice"].clone()
    };
    assert_eq!((twice("po_a"), twice("po_b")), (json!("po_b"), json!("po_a")));
    assert_eq!(twice("po_c"), Value::Null, "the other one was never heard to be live");
    assert_eq!(twice("po_e"), Value::Null);
    let map = desk.call("timeline_map", json!({"bins": 100})).await.unwrap();
    assert_eq!(map["twice_ms"], json!([START + 60_000]));
    desk.close().await;
}

#[tokio::test]
async fn other_jobs_of_the_same_cause_are_listed_newest_first() {
    let dir = tempfile::tempdir().unwrap();
    let mut lines = Vec::new();
    for (n, job) in ["one", "two", "three"].into_iter().enumerate() {
        let minute = i64::try_from(n).unwrap() * 10;
        let words = format!("Loaves of day {n} are out.");
        lines.push(attempt(job, 1, &format!("k-{job}-1"), minute, &words, Some(&format!("po_{job}_1"))));
        lines.push(attempt(job, 2, &format!("k-{job}-2"), minute + 1, &words, Some(&format!("po_{job}_2"))));
    }
    lines.push(attempt("sound", 1, "k-sound", 50, "Rolls are out.", None));
    lines.push(attempt("sound", 2, "k-sound", 51, "Rolls are out.", Some("po_sound")));
    let desk = desk_with(&dir, &lines).await;
    let answer = alike(&desk, &["po_one_1", "po_one_2"]).await;
    assert_eq!((jobs(&answer), &answer["count"]), (vec!["three", "two"], &json!(2)));
    assert_eq!((&answer["looked"], &answer["whole"]), (&json!(4), &json!(true)));
    let none = alike(&desk, &["po_sound"]).await;
    assert_eq!(none["applies"], false, "nothing came twice there");
    desk.close().await;
}

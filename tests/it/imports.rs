//! Imports through the calls of the screens: cases stand beside the log, an import can be watched and stopped, and what
//! is in is whole.

use std::{fmt::Write as _, fs, path::Path, time::Duration};

use reprise_core::{
    clock::{Clock, Moment},
    desk::{Desk, Options, Runs},
};
use serde_json::{Value, json};

use crate::wait::patiently;

const NOW: i64 = 1_772_445_600_000;

async fn desk_on(dir: &Path, runs: Runs) -> Desk {
    let clock = Clock::standing(Moment::from_millis(NOW));
    let options =
        Options { data: dir.join("data"), cards: dir.join("cards"), clock, given: None, webhook_secret: None, runs };
    Desk::open(options).await.unwrap()
}

/// `count` arrivals, three of them to a post, as log lines.
fn arrivals(count: usize) -> String {
    let mut text = String::new();
    for n in 0..count {
        let at = Moment::from_millis(NOW - 3_600_000 + i64::try_from(n).unwrap() * 20);
        let body = json!({"id": format!("ev_{n}"), "event": "post.platform.published", "timestamp": at.to_string(),
            "post": {"id": format!("po_{}", n / 3), "content": "Doors open at 9."},
            "platform": {"name": "linkedin", "status": "published"}, "account": {"accountId": "ac_1"}});
        let line = json!({"kind": "arrival", "at": at.to_string(), "answer": 204, "took_ms": 30, "body": body});
        writeln!(text, "{line}").unwrap();
    }
    text
}

fn file(dir: &Path, name: &str, text: &str) -> Value {
    let path = dir.join(name);
    fs::write(&path, text).unwrap();
    json!([path.display().to_string()])
}

async fn ended(desk: &Desk) -> Value {
    let wait = async {
        let mut notices = desk.notices();
        loop {
            let run = desk.call("import_progress", json!({})).await.unwrap();
            if run["running"] == false {
                return run;
            }
            notices.changed().await.unwrap();
        }
    };
    tokio::time::timeout(Duration::from_secs(60), wait).await.expect("the import ends")
}

async fn count(desk: &Desk) -> usize {
    desk.call("events", json!({"limit": 100})).await.unwrap()["rows"].as_array().unwrap().len()
}

#[tokio::test]
async fn a_case_is_a_log_of_its_own_while_the_real_one_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let desk = desk_on(dir.path(), Runs::On(([127, 0, 0, 1], 0).into())).await;
    let paths = file(dir.path(), "theirs.jsonl", &arrivals(6));
    desk.call("import_start", json!({"paths": paths, "case": "Ticket 41"})).await.unwrap();
    let run = ended(&desk).await;
    assert_eq!((&run["files"][0]["state"], &run["files"][0]["added"]), (&json!("done"), &json!(6)), "{run}");
    assert_eq!(count(&desk).await, 6);

    let status = desk.call("status", json!({})).await.unwrap();
    assert_eq!(status["case"]["name"], "Ticket 41");
    assert_eq!(status["receiver"]["listening"], true, "the real log goes on receiving");
    let url = status["receiver"]["url"].as_str().unwrap().to_owned();
    let live =
        json!({"id": "ev_live", "event": "post.failed", "timestamp": "2026-03-02T09:00:00Z", "post": {"id": "po"}});
    let answer = reqwest::Client::new().post(url).json(&live).send().await.unwrap();
    assert_eq!(answer.status(), 204);
    assert_eq!(count(&desk).await, 6, "what arrives live does not go into the case");
    let refused = desk.connection().await.unwrap_err();
    assert!(refused.message.contains("case"), "nothing is sent from a case: {}", refused.message);

    desk.call("leave_case", json!({})).await.unwrap();
    assert_eq!(count(&desk).await, 1, "the real log has what arrived meanwhile and nothing of the case");
    let cases = desk.call("cases", json!({})).await.unwrap();
    let id = cases["cases"][0]["id"].clone();
    desk.call("open_case", json!({"id": id})).await.unwrap();
    assert_eq!(count(&desk).await, 6);
    let imported = desk.call("imports", json!({})).await.unwrap();
    assert_eq!((&imported["files"][0]["file"], &imported["files"][0]["added"]), (&json!("theirs.jsonl"), &json!(6)));
    let left = desk.call("delete_case", json!({"id": id})).await.unwrap();
    assert_eq!(left["cases"], json!([]));
    assert_eq!(count(&desk).await, 1, "deleting the case that is shown goes back to the real log");
    assert!(fs::read_dir(dir.path().join("data/cases")).unwrap().next().is_none());
    desk.close().await;
}

#[tokio::test]
async fn an_import_that_is_stopped_leaves_whole_lines_and_the_rest_can_follow() {
    let dir = tempfile::tempdir().unwrap();
    let desk = desk_on(dir.path(), Runs::Nothing).await;
    let paths = file(dir.path(), "long.jsonl", &arrivals(8_000));
    desk.call("import_start", json!({"paths": paths})).await.unwrap();
    let busy = desk.call("import_start", json!({"paths": paths})).await.unwrap_err();
    assert!(busy.message.contains("runs already"), "{}", busy.message);
    // Under way for sure: something is in, and not all.
    loop {
        let run = desk.call("import_progress", json!({})).await.unwrap();
        if run["files"][0]["added"].as_u64().unwrap() > 0 {
            break;
        }
        tokio::task::yield_now().await;
    }
    let run = desk.call("import_cancel", json!({})).await.unwrap();
    let stopped = &run["files"][0];
    assert_eq!(stopped["state"], "stopped", "{run}");
    let added = stopped["added"].as_u64().unwrap();
    assert!(added > 0 && added < 8_000, "{added}");
    let mut lines = 0;
    reprise_core::export::each_line(&desk.store().await, &desk.net().own(), |_| {
        lines += 1;
        Ok(())
    })
    .await
    .unwrap();
    assert_eq!(lines, added, "what was called added is in the log, and nothing else");

    desk.call("import_start", json!({"paths": paths})).await.unwrap();
    let run = ended(&desk).await;
    let rest = &run["files"][0];
    assert_eq!((rest["known"].as_u64(), rest["added"].as_u64()), (Some(added), Some(8_000 - added)));
    desk.close().await;
}

#[tokio::test]
async fn an_end_stops_an_import_and_what_is_in_is_whole() {
    let dir = tempfile::tempdir().unwrap();
    let desk = desk_on(dir.path(), Runs::Nothing).await;
    let paths = file(dir.path(), "long.jsonl", &arrivals(8_000));
    desk.call("import_start", json!({"paths": paths})).await.unwrap();
    loop {
        let run = desk.call("import_progress", json!({})).await.unwrap();
        if run["files"][0]["added"].as_u64().unwrap() > 0 {
            break;
        }
        tokio::task::yield_now().await;
    }
    patiently("the end", desk.close()).await;
    let later = desk_on(dir.path(), Runs::Nothing).await;
    later.call("import_start", json!({"paths": paths})).await.unwrap();
    let run = ended(&later).await;
    let (known, added) = (run["files"][0]["known"].as_u64().unwrap(), run["files"][0]["added"].as_u64().unwrap());
    assert!(known > 0 && added > 0, "it was cut short with something in: {run}");
    assert_eq!(known + added, 8_000);
    later.close().await;
}

#[tokio::test]
async fn one_bad_piece_drops_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let desk = desk_on(dir.path(), Runs::Nothing).await;
    let lines = arrivals(3).replace('\n', "\r");
    let odd = r#"{"kind":"note","at":"2026-03-02T10:00:00Z","post":"po","action":"settled","text":"there"}"#;
    let beyond = r#"{"kind":"note","at":"2300-01-01T00:00:00Z","post":"po","action":"comment","text":"late"}"#;
    let entry = |n: u32| {
        json!({"startedDateTime": format!("2026-03-02T10:00:0{n}Z"), "time": 80, "response": {"status": 200, "content": {}},
            "request": {"method": "GET", "url": format!("https://a.example/v1/posts/po_{n}"), "headers": []}})
    };
    let har = json!({"log": {"entries": [entry(1), 7, entry(2), [entry(3)], "x", entry(4)]}});
    let mac = file(dir.path(), "mac.jsonl", &format!("{odd}\r{lines}{beyond}\r"));
    let har = file(dir.path(), "odd.har", &har.to_string());
    desk.call("import_start", json!({"paths": [mac[0], har[0]]})).await.unwrap();
    let run = ended(&desk).await;
    let told = |file: &Value| {
        let bad = file["bad"].as_array().unwrap().iter();
        let bad: Vec<_> =
            bad.map(|bad| (bad["line"].as_u64().unwrap(), bad["why"].as_str().unwrap().to_owned())).collect();
        (file["read"].as_u64().unwrap(), file["added"].as_u64().unwrap(), bad)
    };
    let (read, added, bad) = told(&run["files"][0]);
    assert_eq!((read, added, bad.len()), (5, 3, 2), "{run}");
    assert!(bad[0].0 == 1 && bad[0].1.contains("`settled` tells what became of a job"), "{bad:?}");
    assert!(bad[1].0 == 5 && bad[1].1.contains("after 2261"), "{bad:?}");
    let (read, added, bad) = told(&run["files"][1]);
    let why = "it is no entry".to_owned();
    assert_eq!((read, added, bad), (6, 3, vec![(2, why.clone()), (4, why.clone()), (5, why)]), "{run}");
    desk.close().await;
}

#[tokio::test]
async fn a_table_is_looked_at_changed_and_remembered() {
    let dir = tempfile::tempdir().unwrap();
    let desk = desk_on(dir.path(), Runs::Nothing).await;
    let text = "When,Ref,Words,api_key\n2026-03-02 09:00:00,k-1,Doors,sk_otter_11\n";
    let paths = file(dir.path(), "queue.csv", text);
    let look = desk.call("import_look", json!({"path": paths[0]})).await.unwrap();
    assert_eq!((&look["kind"], &look["columns"][1]), (&json!("table"), &json!("Ref")));
    assert!(!look.to_string().contains("sk_otter_11"), "{look}");
    let mapping = json!({"columns": {"When": "at", "Ref": "key", "Words": "text"}, "zone": "Europe/Berlin"});
    let lacking = desk.call("import_start", json!({"paths": paths, "mapping": {"columns": {}, "zone": "UTC"}})).await;
    assert!(lacking.unwrap_err().message.contains("no column says when"));
    desk.call("import_start", json!({"paths": paths, "mapping": mapping})).await.unwrap();
    assert_eq!(ended(&desk).await["files"][0]["added"], 1);
    let look = desk.call("import_look", json!({"path": paths[0]})).await.unwrap();
    assert_eq!((&look["mapping"], &look["remembered"]), (&mapping, &json!(true)));
    let posts = desk.call("posts", json!({"limit": 10})).await.unwrap();
    assert_eq!(posts["rows"][0]["key"], "k-1", "{posts}");
    desk.close().await;
}

#[tokio::test]
async fn a_handed_over_file_goes_once_it_is_read_and_never_lies_open() {
    let dir = tempfile::tempdir().unwrap();
    let desk = desk_on(dir.path(), Runs::Nothing).await;
    let uploads = dir.path().join("data/uploads");
    let mut upload = desk.begin_upload("../../theirs.jsonl", None).unwrap();
    upload.write(arrivals(3).as_bytes()).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let file = fs::read_dir(&uploads).unwrap().next().unwrap().unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let id = desk.end_upload(upload);
    let look = desk.call("import_look", json!({"upload": id})).await.unwrap();
    assert_eq!((&look["name"], &look["kind"]), (&json!("theirs.jsonl"), &json!("log_lines")));
    desk.call("import_start", json!({"uploads": [id]})).await.unwrap();
    assert_eq!(ended(&desk).await["files"][0]["added"], 3);
    assert!(fs::read_dir(&uploads).unwrap().next().is_none());
    drop(desk.begin_upload("broken off", None).unwrap());
    assert!(fs::read_dir(&uploads).unwrap().next().is_none(), "what did not come in whole is gone");
    desk.close().await;
}

#[tokio::test]
async fn live_arrivals_go_first_while_a_large_file_comes_in() {
    let dir = tempfile::tempdir().unwrap();
    let desk = desk_on(dir.path(), Runs::On(([127, 0, 0, 1], 0).into())).await;
    let paths = file(dir.path(), "long.jsonl", &arrivals(20_000));
    let status = desk.call("status", json!({})).await.unwrap();
    let url = status["receiver"]["url"].as_str().unwrap().to_owned();
    desk.call("import_start", json!({"paths": paths})).await.unwrap();
    let client = reqwest::Client::new();
    for n in 0..20 {
        let body = json!({"id": format!("live_{n}"), "event": "post.failed", "timestamp": "2026-03-02T09:00:00Z"});
        let answer = client.post(&url).timeout(Duration::from_secs(4)).json(&body).send().await.unwrap();
        assert_eq!(answer.status(), 204, "answered inside Pozy's five seconds");
    }
    assert_eq!(desk.call("import_progress", json!({})).await.unwrap()["running"], true, "it still ran meanwhile");
    desk.call("import_cancel", json!({})).await.unwrap();
    desk.close().await;
}

#[cfg(unix)]
#[tokio::test]
async fn the_screens_never_wait_for_a_pipe() {
    let dir = tempfile::tempdir().unwrap();
    let desk = desk_on(dir.path(), Runs::On(([127, 0, 0, 1], 0).into())).await;
    let pipe = crate::pipe::made(&dir.path().join("pipe.jsonl"));
    let named = pipe.display().to_string();
    // On the one thread of this test: whoever waited for the pipe would wait for ever.
    let refused = desk.call("import_look", json!({"path": named})).await.unwrap_err();
    assert!(refused.to_string().contains("cannot be read"), "{refused}");
    let refused = desk.call("import_start", json!({"paths": [named], "case": "Ticket 5"})).await.unwrap_err();
    assert!(refused.to_string().contains("nothing of it went in"), "{refused}");
    let status = desk.call("status", json!({})).await.unwrap();
    assert_eq!(status["case"], Value::Null, "no case was made for it: {status}");
    desk.close().await;
}

//! Attacks by files and by names of files.

use std::{
    fs,
    path::{Path, PathBuf},
};

use reqwest::{Client, redirect::Policy};
use serde_json::{Value, json};

use super::table;
use crate::{
    program::{Place, Ran, json_lines},
    trust::table::Tried,
};

fn run(place: &Place, words: &[&str]) -> Ran {
    let data = place.data().display().to_string();
    place.run(&[words, &["--json", "--data", &data]].concat()).expect("it runs")
}

/// A log line of an arrival of `event`.
fn line(event: &str) -> String {
    let body = json!({"id": event, "event": "post.published", "timestamp": "2026-04-14T08:00:00Z",
                      "post": {"id": "po_1", "content": "Hay is cut.", "status": "published"}});
    json!({"kind": "arrival", "at": "2026-04-14T08:00:01Z", "answer": 204, "signature": "unchecked", "headers": {}, "body": body})
        .to_string()
}

/// A place with a log of one message.
fn with_a_log() -> Place {
    let place = Place::new();
    fs::write(place.files().join("log.jsonl"), line("ev_1") + "\n").unwrap();
    place.lines(&["import", "log.jsonl"]);
    place
}

/// Every file and folder under a place, apart from what is in the data folder.
fn around(place: &Place) -> Vec<PathBuf> {
    fn walk(folder: &Path, leave_out: &Path, all: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path != leave_out {
                all.push(path.clone());
                if path.is_dir() && !path.is_symlink() {
                    walk(&path, leave_out, all);
                }
            }
        }
    }
    let mut all = Vec::new();
    walk(&place.path(""), &place.data(), &mut all);
    all.retain(|path| !path.starts_with(place.cards()) && path.extension().is_none_or(|end| end != "stderr"));
    all.sort();
    all
}

/// The message of the log is there still, once.
fn note(place: &Place, attack: crate::trust::table::Fault, times: usize) {
    let mut tried = Tried::new(attack, times, 0);
    tried.lost = u64::from(place.lines(&["events"]).iter().filter(|row| row["event"] == "ev_1").count() != 1);
    tried.note(place);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_is_a_name_and_no_way() {
    let place = with_a_log();
    let before = around(&place);
    let long = "n".repeat(10_000);
    let names = [
        "../../evil",
        "/etc/evil",
        "..",
        ".",
        "C:\\evil",
        "CON",
        "con.html",
        "~/evil",
        "$(touch evil)",
        "a\nb",
        "\u{202e}gnp",
        &long,
    ];
    for name in names {
        let ran = run(&place, &["import", "log.jsonl", "--as-case", name]);
        assert_eq!(ran.exit, Some(0), "{name:.40}: {}", ran.err);
        let case = json_lines(&ran.out).unwrap().remove(0)["case"].clone();
        assert_eq!(case["name"], name.trim(), "it is kept as it was typed");
        let folder = PathBuf::from(case["data"].as_str().unwrap());
        assert_eq!(folder.parent().unwrap(), place.data().join("cases"), "{name:.40}");
        assert!(folder.join("reprise.db").is_file());
    }
    assert_eq!(around(&place), before, "nothing came to be elsewhere");

    let mut serve = place.background("serve", &["serve", "--receive-on", "127.0.0.1:0"]);
    let link = serve.first_line().unwrap()["ui"].as_str().unwrap().to_owned();
    let client = Client::builder().redirect(Policy::none()).no_proxy().build().unwrap();
    let first = client.get(&link).send().await.unwrap();
    let pass = first.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let uploads = ["..%2F..%2Fevil", "%2Fetc%2Fevil", "..%5C..%5Cevil", "evil%00.jsonl", "CON", &long[..6_000]];
    for name in uploads {
        let url = format!("{}/upload/{name}", link.split("/?").next().unwrap());
        let answer = client.post(url).header("cookie", &pass).body(line("ev_1")).send().await.unwrap();
        let told: Value = answer.json().await.unwrap();
        let id = told["upload"].as_str().unwrap();
        assert!(place.data().join("uploads").join(id).is_file(), "{name:.40}: {told}");
    }
    assert_eq!(around(&place), before);
    drop(serve);
    note(&place, table::CASE_NAMES, names.len() + uploads.len());
}

#[cfg(unix)]
#[test]
fn a_link_in_the_data_folder_harms_no_other_file() {
    use std::os::unix::fs::symlink;
    let mut times = 0;
    for name in [
        "open.lock",
        "open.wanted",
        "in-use.lock",
        "owner.lock",
        "doctor.probe",
        "practice.lock",
        "sessions/turn.lock",
        "reprise.db",
        "reprise.db-wal",
    ] {
        let place = with_a_log();
        let (letter, file) = (place.path("letter"), place.data().join(name));
        let kept = place.path("kept");
        fs::write(&letter, "Dear Ann, ").unwrap();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        if file.exists() {
            fs::rename(&file, &kept).unwrap();
        }
        symlink(&letter, &file).unwrap();
        for words in [&["doctor"][..], &["import", "log.jsonl"], &["listen", "--on", "127.0.0.1:0"]] {
            let data = place.data().display().to_string();
            if words[0] == "listen" {
                // It ends by itself where the link keeps it from starting, and is killed where it does not.
                let mut listen = place.start("listen", &[words, &["--json", "--data", &data]].concat()).unwrap();
                drop(listen.first_line());
                listen.kill();
            } else {
                run(&place, words);
            }
            assert_eq!(fs::read_to_string(&letter).unwrap(), "Dear Ann, ", "{name} after {words:?}");
            times += 1;
        }
        if name.starts_with("reprise.db") {
            let ran = run(&place, &["doctor"]);
            let finding = json_lines(&ran.out).unwrap().into_iter().find(|row| row["fault"] == "linked_file");
            let says = finding.unwrap_or_else(|| panic!("{name}: {}", ran.out))["says"].as_str().unwrap().to_owned();
            assert!(says.contains(name) && says.contains("posted stays posted"), "{says}");
        }
        // The probe of a look goes with the look.
        drop(fs::remove_file(&file));
        if kept.exists() {
            fs::rename(&kept, &file).unwrap();
        }
        if name == "reprise.db-wal" {
            note(&place, table::LINKED_FILES, times);
        }
        assert_eq!(place.lines(&["events"]).len(), 1, "{name}");
    }
}

#[test]
fn no_file_that_is_there_is_written_over() {
    let place = with_a_log();
    let letter = place.files().join("letter.html");
    fs::write(&letter, "Dear Ann, ").unwrap();
    let log = place.data().join("reprise.db").display().to_string();
    let folder = place.files().display().to_string();
    let mut times = 0;
    for file in ["letter.html", &log, &folder, "/dev/full", "log.jsonl"] {
        for words in [
            &["why", "--post", "po_1", "--html", file][..],
            &["why", "--post", "po_1", "--case", file],
            &["backup", file],
        ] {
            let ran = run(&place, words);
            assert_ne!(ran.exit, Some(0), "{words:?}: {}", ran.out);
            assert!(
                ran.err.contains("nothing was written") || ran.err.contains("cannot be written"),
                "{words:?}: {}",
                ran.err
            );
            times += 1;
        }
    }
    assert_eq!(fs::read_to_string(letter).unwrap(), "Dear Ann, ");
    assert_eq!(fs::read_to_string(place.files().join("log.jsonl")).unwrap(), line("ev_1") + "\n");
    assert!(fs::read(&log).unwrap().starts_with(b"SQLite format 3\0"));
    note(&place, table::WRITTEN_OVER, times);
}

#[test]
fn a_file_that_never_ends_to_be_read_ends() {
    let place = with_a_log();
    let deep = 200_000;
    let entry = json!({"startedDateTime": "2026-03-02T11:00:00Z", "request": {"method": "POST", "url": "https://a.example/v1/posts"},
                       "response": {"status": 201}});
    let nested = format!("{}{}", "[".repeat(deep), "]".repeat(deep));
    let objects = format!("{}1{}", "{\"a\":".repeat(deep), "}".repeat(deep));
    let mut long = "{\"kind\":\"arrival\",\"x\":\"".to_owned();
    long.push_str(&"x".repeat(80 << 20));
    let files = [
        ("deep.har", format!("{{\"log\":{{\"entries\":[{nested},{objects},{entry}]}}}}")),
        ("deep.jsonl", format!("{}\n{nested}\n{objects}\n{}\n", line("ev_1"), line("ev_2"))),
        (
            "deep_field.jsonl",
            format!("{{\"kind\":\"arrival\",\"at\":\"2026-04-14T08:00:00Z\",\"body\":{objects}}}\n{}\n", line("ev_3")),
        ),
        ("long.jsonl", format!("{}\n{long}\n{}\n", line("ev_4"), line("ev_5"))),
        ("nothing.jsonl", "\0".repeat(1 << 20)),
        ("lines.jsonl", "\n".repeat(1 << 20)),
        ("open.csv", format!("Sent,Token,Words\n2026-04-07,\"{}\n", "a\n".repeat(100_000))),
    ];
    for (name, text) in &files {
        fs::write(place.files().join(name), text).unwrap();
        let ran = run(&place, &["import", name]);
        assert_eq!(ran.exit, Some(0), "{name}: {}", ran.err);
        assert!(ran.out.len() < 100_000, "{name}: what is said of it stays short");
    }
    let events: Vec<Value> = place.lines(&["events"]);
    for event in ["ev_1", "ev_2", "ev_3", "ev_4", "ev_5"] {
        assert!(events.iter().any(|row| row["event"] == event), "{event} stands among the rest: {events:?}");
    }
    assert_eq!(place.lines(&["attempts"]).len(), 1, "the sound entry went in");
    for device in ["/dev/zero", "/dev/urandom", "/"] {
        let ran = run(&place, &["import", device]);
        assert_eq!(ran.exit, Some(2), "{device}: {}", ran.out);
        assert!(ran.err.contains("cannot be read"), "{device}: {}", ran.err);
    }
    let pipe = crate::pipe::made(&place.files().join("pipe.jsonl"));
    let lines: String = (0..500).map(|n| line(&format!("ev_pipe_{n}")) + "\n").collect();
    let into = pipe.clone();
    let writing = std::thread::spawn(move || fs::write(into, lines));
    let ran = run(&place, &["import", "pipe.jsonl"]);
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.exit, &told["added"]), (Some(0), &json!(500)), "{} {}", ran.out, ran.err);
    assert!(writing.join().unwrap().is_ok(), "a pipe is opened once, so who writes into it is not cut off");
    // Its columns cannot be looked at and read afterwards, and nothing is made for it before that is clear.
    let ran = run(&place, &["import", "pipe.jsonl", "--map", "Sent=at", "--as-case", "Ticket 9"]);
    assert_eq!(ran.exit, Some(2), "{}", ran.out);
    assert!(ran.err.contains("columns") && ran.err.contains("Nothing of it went in"), "{}", ran.err);
    assert!(!place.data().join("cases").exists(), "no case was made");
    fs::remove_file(pipe).unwrap();
    note(&place, table::FILE_BOMBS, files.len() + 3);
}

//! The command line as a whole: help, completions, and a log that is not ours to touch.

use std::{collections::BTreeMap, fs, path::Path};

use rstest::rstest;
use serde_json::Value;

use crate::program::{Place, Ran, json_lines};

fn run(place: &Place, words: &[&str]) -> Ran {
    let data = place.data().display().to_string();
    place.run(&[words, &["--json", "--data", &data]].concat()).expect("it runs")
}

/// The commands that `reprise --help` lists.
fn commands(place: &Place) -> Vec<String> {
    let help = place.run(&["--help"]).expect("it runs").out;
    let list = help.split("Commands:").nth(1).and_then(|rest| rest.split("\nOptions:").next()).expect("commands");
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn every_command_is_there_and_its_help_ends_with_an_example_of_it() {
    let place = Place::new();
    let names = commands(&place);
    for name in [
        "import",
        "events",
        "arrivals",
        "lanes",
        "jobs",
        "attempts",
        "submit",
        "resend",
        "cancel",
        "note",
        "listen",
        "sandbox",
        "serve",
        "test-webhook",
        "export",
        "prune",
        "doctor",
    ] {
        assert!(names.iter().any(|own| own == name), "no command {name} in {names:?}");
    }
    for name in names {
        let ran = place.run(&[name.as_str(), "--help"]).expect("it runs");
        assert_eq!(ran.exit, Some(0));
        let example = ran.out.split("Example").nth(1).unwrap_or_default();
        assert!(example.contains(&format!("reprise {name}")), "{name}: {}", ran.out);
    }
}

#[rstest]
fn what_has_no_secret_of_its_own_listens_on_this_computer_only(
    #[values("sandbox", "serve", "listen")] command: &str,
    #[values("0.0.0.0:0", "[::]:0", "192.0.2.7:0", "[::ffff:0.0.0.0]:0")] on: &str,
) {
    let place = Place::new();
    let ran = run(&place, &[command, "--on", on]);
    let exit = if command == "listen" { 1 } else { 2 };
    assert_eq!(ran.exit, Some(exit), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("on this computer only"), "{}", ran.err);
}

#[rstest]
#[case("bash")]
#[case("zsh")]
#[case("fish")]
fn completions_know_the_commands(#[case] shell: &str) {
    let place = Place::new();
    let ran = place.run(&["completions", shell]).expect("it runs");
    assert_eq!(ran.exit, Some(0), "{}", ran.err);
    assert!(ran.out.contains("test-webhook"));
}

/// Every file under `folder` with its bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path.display().to_string(), fs::read(&path).expect("a file"));
        }
    }
    found
}

fn log_file(place: &Place) -> std::path::PathBuf {
    let names = files(&place.data());
    let log = names.iter().find(|(_, bytes)| bytes.starts_with(b"SQLite format 3")).expect("a log");
    log.0.into()
}

#[test]
fn a_log_of_a_newer_program_is_refused_and_not_touched() {
    let place = Place::new();
    fs::write(place.files().join("post.json"), "{}").expect("a file");
    assert_eq!(run(&place, &["events"]).exit, Some(0));
    let log = log_file(&place);
    let newer = rusqlite::Connection::open(&log).expect("the log");
    newer
        .execute(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
             VALUES (9999, 'from tomorrow', 1, x'00', 0)",
            [],
        )
        .expect("a migration");
    drop(newer);
    let before = fs::read(&log).expect("the log");
    for words in [
        &["events"][..],
        &["export"],
        &["import", "post.json"],
        &["prune"],
        &["note", "--job", "x", "Words"],
        &["listen", "--on", "127.0.0.1:0"],
    ] {
        let ran = run(&place, words);
        assert_eq!(ran.exit, Some(3), "{words:?}: {} {}", ran.out, ran.err);
        let problem: Value = serde_json::from_str(ran.err.trim()).expect("a JSON problem");
        assert_eq!(problem["code"], "newer_file", "{words:?}");
    }
    assert!(fs::read(&log).expect("the log") == before, "not a byte of it changed");
}

#[test]
fn what_is_no_log_is_left_alone() {
    let place = Place::new();
    assert_eq!(run(&place, &["events"]).exit, Some(0));
    let log = log_file(&place);
    fs::write(&log, "My diary. Dear diary, ".repeat(400)).expect("a file");
    let ran = run(&place, &["events"]);
    assert_eq!(ran.exit, Some(3), "{}", ran.err);
    assert!(fs::read_to_string(&log).expect("a file").starts_with("My diary."));
}

/// Options may stand before or after the command, and JSON is one object a line in every list.
#[test]
fn options_stand_on_either_side() {
    let place = Place::new();
    let data = place.data().display().to_string();
    for list in ["events", "arrivals", "lanes", "jobs", "attempts", "export"] {
        let after = place.run(&[list, "--json", "--data", &data, "--now", "2026-04-14T08:00:00Z"]).expect("it runs");
        let before = place.run(&["--now", "2026-04-14T08:00:00Z", "--data", &data, "--json", list]).expect("it runs");
        assert_eq!((after.exit, before.exit), (Some(0), Some(0)), "{list}: {} {}", after.err, before.err);
        assert_eq!(json_lines(&after.out), json_lines(&before.out));
    }
}

#[test]
fn doctor_finds_a_healthy_log_healthy() {
    let place = Place::new();
    assert_eq!(run(&place, &["events"]).exit, Some(0));
    let ran = run(&place, &["doctor"]);
    assert_eq!(ran.exit, Some(0), "{} {}", ran.out, ran.err);
    assert!(!json_lines(&ran.out).expect("JSON lines").is_empty());
}

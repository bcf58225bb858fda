//! A log whose file is not what it should be: it is told in words, `doctor` finds and explains it, and not a byte of it
//! changes. One that can only be read is read.

use std::{collections::BTreeMap, fs, path::Path};

use reprise_core::clock::Clock;
use rstest::rstest;
use rusqlite::Connection;
use serde_json::Value;

use super::{
    scene::{closed, sample},
    table::{self, Tried},
};
use crate::program::{Place, Ran, json_lines};

fn run(place: &Place, words: &[&str]) -> Ran {
    let data = place.data().display().to_string();
    place.run(&[words, &["--json", "--data", &data]].concat()).expect("it runs")
}

/// The finding of `doctor` that bears this fault.
fn diagnosed(place: &Place, fault: &str) -> Value {
    let ran = run(place, &["doctor"]);
    assert_eq!(ran.exit, Some(1), "{fault}: {} {}", ran.out, ran.err);
    let findings = json_lines(&ran.out).expect("JSON lines");
    let found = findings.iter().find(|finding| finding["fault"] == fault);
    found.cloned().unwrap_or_else(|| panic!("{fault} is not among {findings:?}"))
}

/// What a person under pressure must be told: it, what it means for their posts, and what to do.
fn explains(says: &str) {
    assert!(says.contains("post") || says.contains("sent"), "what it means for the posts: {says}");
    let acts = ["Put ", "move ", "Choose ", "--repair", "Update ", "Free ", "copy ", "Set ", "End ", "Unlock "];
    assert!(acts.iter().any(|act| says.contains(act)), "what to do: {says}");
    assert!(says.len() < 700, "short enough to be read: {says}");
}

/// The log's own files with their bytes.
fn log_files(place: &Place) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(place.data()).expect("a folder").map(|entry| entry.expect("an entry").path());
    let own = entries.filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with("reprise.db") && !name.ends_with("-shm")
    });
    own.map(|path| (path.display().to_string(), fs::read(&path).expect("a file"))).collect()
}

/// Changes the log behind the program's back.
fn change(place: &Place, sql: &str) {
    let log = Connection::open(place.data().join("reprise.db")).expect("the log");
    log.execute_batch(sql).expect("a change");
    drop(log);
    closed(place);
}

fn overwrite(file: &Path, at: usize, with: u8, length: usize) {
    let mut bytes = fs::read(file).expect("the log");
    bytes[at..at + length].fill(with);
    fs::write(file, bytes).expect("the log");
}

/// A page of that table, by its number in the file, counted from 0.
fn page_of(file: &Path, table: &str) -> usize {
    let log = Connection::open(file).expect("the log");
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?";
    let page: i64 = log.query_row(sql, [table], |row| row.get(0)).expect("a page");
    drop(log);
    usize::try_from(page).expect("small") - 1
}

fn empty(place: &Place) {
    fs::write(place.data().join("reprise.db"), "").expect("a file");
}

fn not_sqlite(place: &Place) {
    fs::write(place.data().join("reprise.db"), "My diary. Dear diary, ".repeat(400)).expect("a file");
}

fn foreign(place: &Place) {
    fs::remove_file(place.data().join("reprise.db")).expect("a file");
    change(place, "CREATE TABLE songs (name TEXT)");
}

fn newer(place: &Place) {
    change(
        place,
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         VALUES (9999, 'from tomorrow', 1, x'00', 0)",
    );
}

fn without_table(place: &Place) {
    change(place, "PRAGMA foreign_keys = off; DROP TABLE answers");
}

fn without_index(place: &Place) {
    change(place, "DROP INDEX jobs_posted_again_once");
}

fn without_trigger(place: &Place) {
    change(place, "DROP TRIGGER attempts_stay");
}

fn bad_page(place: &Place) {
    let file = place.data().join("reprise.db");
    overwrite(&file, page_of(&file, "_sqlx_migrations") * 4_096, 0xa5, 4_096);
}

fn without_file(place: &Place) {
    let file = place.data().join("reprise.db");
    fs::write(place.data().join("reprise.db-wal"), fs::read(&file).expect("the log")).expect("a file");
    fs::remove_file(file).expect("a file");
}

/// Bends a byte in the middle of many commits that lie in the write-ahead log alone.
fn bad_wal(place: &Place) {
    let (file, kept) = (place.data().join("reprise.db"), place.path("kept"));
    fs::create_dir_all(&kept).expect("a folder");
    let log = Connection::open(&file).expect("the log");
    log.pragma_update(None, "wal_autocheckpoint", 0).expect("no checkpoint");
    for n in 0..20 {
        log.execute("INSERT INTO notes (at_ns, action, text) VALUES (?, 'comment', 'words')", [n]).expect("a note");
    }
    // Copied while it is open: closing would move it into the file.
    for name in ["reprise.db", "reprise.db-wal"] {
        fs::copy(place.data().join(name), kept.join(name)).expect("a copy");
    }
    drop(log);
    for name in ["reprise.db", "reprise.db-wal"] {
        fs::copy(kept.join(name), place.data().join(name)).expect("a copy");
    }
    overwrite(&place.data().join("reprise.db-wal"), 32 + 3 * (24 + 4_096) + 24 + 50, 0x77, 3);
}

#[rstest]
#[case::empty("empty_file", table::EMPTY_FILE, empty)]
#[case::not_sqlite("not_a_log", table::NOT_A_LOG, not_sqlite)]
#[case::foreign("foreign_file", table::FOREIGN, foreign)]
#[case::newer("newer_file", table::NEWER, newer)]
#[case::without_table("missing_table", table::MISSING_TABLE, without_table)]
#[case::without_index("missing_index", table::MISSING_INDEX, without_index)]
#[case::without_trigger("missing_trigger", table::MISSING_TRIGGER, without_trigger)]
#[case::bad_page("damaged_page", table::DAMAGED_PAGE, bad_page)]
#[case::bad_wal("damaged_wal", table::DAMAGED_WAL, bad_wal)]
#[case::without_file("file_gone", table::FILE_GONE, without_file)]
fn a_file_that_is_no_sound_log_is_told_explained_and_left_alone(
    #[case] fault: &str,
    #[case] row: table::Fault,
    #[case] spoil: fn(&Place),
) {
    let place = guarded();
    let sound = fs::read(sample(&place)).expect("the log");
    let events = place.lines(&["events"]);
    closed(&place);
    spoil(&place);
    let before = log_files(&place);
    let says = diagnosed(&place, fault)["says"].as_str().expect("words").to_owned();
    explains(&says);
    for words in [
        &["events"][..],
        &["export"],
        &["import", "log.jsonl"],
        &["prune"],
        &["note", "--job", "x", "Words"],
        &["listen", "--on", "127.0.0.1:0"],
    ] {
        let ran = run(&place, words);
        assert_eq!(ran.exit, Some(3), "{words:?}: {} {}", ran.out, ran.err);
        let problem: Value = serde_json::from_str(ran.err.trim()).expect("a JSON problem");
        assert_eq!(problem["code"], if fault == "newer_file" { "newer_file" } else { "storage" }, "{words:?}");
        explains(problem["message"].as_str().expect("words"));
    }
    assert!(log_files(&place) == before, "{fault}: not a byte of it changed, and no new log took its name");
    recovers(&place, row, 7, &sound, &events);
}

/// A place whose secrets are looked for afterwards.
fn guarded() -> Place {
    let mut place = Place::new();
    place.set("POZY_API_KEY", "sk_quince_and_medlar_77");
    place.set("POZY_WEBHOOK_SECRET", "whsec_damson_and_sloe_78");
    place
}

/// A sound copy put back shows what it showed before.
fn recovers(place: &Place, row: table::Fault, times: usize, sound: &[u8], events: &[Value]) {
    drop(fs::remove_file(place.data().join("reprise.db-wal")));
    drop(fs::remove_file(place.data().join("reprise.db-shm")));
    let since = Clock::stopwatch();
    fs::write(place.data().join("reprise.db"), sound).expect("a copy");
    let found = place.lines(&["events"]);
    let mut tried = Tried::new(row, times, since.ms());
    tried.lost = events.iter().filter(|event| !found.contains(event)).count() as u64;
    tried.note(place);
}

#[test]
fn damage_deep_in_a_table_is_found_by_doctor_and_stops_what_meets_it() {
    let place = Place::new();
    let file = sample(&place);
    let page = page_of(&file, "arrivals");
    overwrite(&file, page * 4_096, 0xa5, 4_096);
    let before = log_files(&place);
    explains(diagnosed(&place, "damaged_page")["says"].as_str().expect("words"));
    assert!(log_files(&place) == before, "looking changes nothing");
    let ran = run(&place, &["arrivals"]);
    assert_eq!(ran.exit, Some(3), "{}", ran.out);
    assert!(ran.err.contains("The log is damaged"), "{}", ran.err);
}

#[test]
fn a_request_that_is_not_what_was_frozen_is_found_though_every_page_can_be_read() {
    let place = Place::new();
    let sound = fs::read(sample(&place)).expect("the log");
    let events = place.lines(&["events"]);
    change(&place, "INSERT INTO contents (hash, coding, bytes) VALUES (zeroblob(32), 'plain', x'78')");
    diagnosed(&place, "damaged_page");
    recovers(&place, table::BENT_REQUEST, 1, &sound, &events);
}

#[test]
fn a_clock_that_was_set_back_is_told() {
    let place = Place::new();
    let ran = run(&place, &["events"]);
    assert_eq!(ran.exit, Some(0));
    change(
        &place,
        "INSERT INTO sessions (id, address, started_ns, alive_ns) VALUES (1, 'x', 1, 1); INSERT INTO arrivals (at_ns, \
         session, endpoint, signature, trust, tie, body_hash, body_len, headers, flags) VALUES (4102444800000000000, 1, \
         'pozy', 'unchecked', 1, x'', x'', 0, x'5b5d', '[]')",
    );
    let since = Clock::stopwatch();
    explains(diagnosed(&place, "clock_back")["says"].as_str().expect("words"));
    Tried::new(table::CLOCK_BACK, 1, since.ms()).note(&place);
}

#[test]
fn a_port_that_another_program_holds_is_told() {
    let place = Place::new();
    assert_eq!(run(&place, &["events"]).exit, Some(0));
    let other = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = other.local_addr().expect("its address");
    change(&place, &format!("INSERT INTO settings (key, value) VALUES ('receiver', json_quote('{address}'))"));
    let since = Clock::stopwatch();
    explains(diagnosed(&place, "port_taken")["says"].as_str().expect("words"));
    Tried::new(table::PORT_TAKEN, 1, since.ms()).note(&place);
}

#[test]
fn a_keychain_that_holds_the_secrets_and_does_not_answer_is_told() {
    let place = Place::new();
    assert_eq!(run(&place, &["events"]).exit, Some(0));
    // No keychain answers in the test's own place; this log's secrets were kept in one.
    change(&place, "INSERT INTO settings (key, value) VALUES ('secrets_in', json_quote('keychain'))");
    let since = Clock::stopwatch();
    explains(diagnosed(&place, "keychain_locked")["says"].as_str().expect("words"));
    Tried::new(table::KEYCHAIN_LOCKED, 1, since.ms()).note(&place);
}

#[test]
fn a_folder_without_a_log_is_no_fault_and_gets_none_from_being_looked_at() {
    let place = Place::new();
    assert_eq!(run(&place, &["doctor"]).exit, Some(0));
    fs::create_dir_all(place.data()).expect("a folder");
    let ran = run(&place, &["doctor"]);
    assert_eq!(ran.exit, Some(0), "{}", ran.out);
    assert!(log_files(&place).is_empty());
}

#[cfg(unix)]
mod fixed {
    use super::*;

    /// Takes the right to write away: where the tests run as root, by being somebody else.
    fn fixed(place: &mut Place) {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
        for entry in fs::read_dir(place.data()).expect("a folder") {
            mode(&entry.expect("an entry").path(), 0o444);
        }
        mode(&place.data(), 0o555);
        mode(&place.path(""), 0o755);
        place.meet_modes();
    }

    fn loose(place: &Place) {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(place.data(), fs::Permissions::from_mode(0o755)).expect("a mode");
    }

    /// With the write-ahead log moved into the file, with it beside the file, and with its index beside both.
    #[rstest]
    #[case::one_file(false, false)]
    #[case::with_wal(true, false)]
    #[case::with_wal_and_index(true, true)]
    fn a_log_on_read_only_media_is_read_and_says_so(#[case] wal: bool, #[case] index: bool) {
        let mut place = guarded();
        sample(&place);
        if wal {
            // A command leaves its last commits in the write-ahead log.
            place.lines(&["note", "--post", "po_1", "Seen on the page"]);
            assert!(fs::metadata(place.data().join("reprise.db-wal")).expect("a log").len() > 0);
        }
        if !index {
            drop(fs::remove_file(place.data().join("reprise.db-shm")));
        }
        let events = place.lines(&["events"]);
        if !wal {
            closed(&place);
        } else if !index {
            drop(fs::remove_file(place.data().join("reprise.db-shm")));
        }
        fixed(&mut place);
        let before = log_files(&place);
        let since = Clock::stopwatch();
        assert_eq!(place.lines(&["events"]), events);
        for words in [&["arrivals"][..], &["lanes"], &["jobs"], &["attempts"], &["export"], &["search", "Words"]] {
            assert_eq!(run(&place, words).exit, Some(0), "{words:?}");
        }
        let exported = run(&place, &["export"]).out;
        assert_eq!(exported.contains("Seen on the page"), wal, "the newest rows are there");
        for words in
            [&["import", "log.jsonl"][..], &["note", "--post", "po_1", "x"], &["listen", "--on", "127.0.0.1:0"]]
        {
            let ran = run(&place, words);
            assert_eq!(ran.exit, Some(1), "{words:?}: {}", ran.out);
            assert!(ran.err.contains("can only be read"), "{words:?}: {}", ran.err);
            explains(&ran.err);
        }
        explains(diagnosed(&place, "read_only")["says"].as_str().expect("words"));
        assert!(log_files(&place) == before);
        loose(&place);
        Tried::new(table::READ_ONLY, 11, since.ms()).note(&place);
    }
}

#[test]
fn a_message_that_is_not_what_was_stored_is_found_though_every_page_can_be_read() {
    let place = Place::new();
    sample(&place);
    let bend = "DROP TRIGGER bodies_stay; DROP TRIGGER arrivals_stay;
        UPDATE bodies SET bytes = substr(bytes, 1, 40) WHERE seq = 3;
        UPDATE bodies SET bytes = x'28b52ffdc0ffffffffffffff7f010000' WHERE seq = 4;
        UPDATE arrivals SET headers = x'28b52ffd00' WHERE seq = 5;
        CREATE TRIGGER bodies_stay BEFORE UPDATE ON bodies BEGIN SELECT RAISE(ABORT, 'bodies age out, they never change'); END;
        CREATE TRIGGER arrivals_stay BEFORE UPDATE ON arrivals BEGIN SELECT RAISE(ABORT, 'arrivals are append-only'); END;";
    change(&place, bend);
    let says = diagnosed(&place, "damaged_page")["says"].as_str().expect("words").to_owned();
    assert!(says.contains("2 bodies of messages, 1 headers of messages are not what was stored"), "{says}");
}

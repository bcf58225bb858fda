//! A log with damaged pages is saved as far as it can be read: nothing is made up, what is missing is told, the damaged file
//! keeps its bytes, and nothing is sent.

use std::{collections::BTreeSet, env, fs, path::PathBuf};

use reprise_core::clock::Clock;
use serde_json::{Value, json};

use super::{
    power::Dice,
    scene::{Scene, closed, sample},
    table::{self, Tried},
};
use crate::program::json_lines;

const PAGE: usize = 4_096;

fn rounds() -> usize {
    env::var("REPRISE_FAULT_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(12)
}

/// A log with messages, posts and an open one.
async fn real_log() -> (Scene, PathBuf, Value) {
    let scene = Scene::new().await;
    let data = scene.place.data();
    sample(&scene.place);
    for n in 0..6_u8 {
        let file = format!("post-{n}.json");
        scene.post(&file, &char::from(b'a' + n).to_string().repeat(40));
        scene.on(&data, &["submit", &file]);
    }
    let open = scene.waiting_post("open.json", "Open when the pages went bad.", 1);
    let file = closed(&scene.place);
    (scene, file, open)
}

/// What an export tells of each thing: everything but what judging adds.
fn things(lines: &[Value]) -> BTreeSet<String> {
    lines.iter().map(ToString::to_string).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_pages_are_lost_the_rest_is_saved_and_what_is_missing_is_told() {
    let (scene, file, open) = real_log().await;
    let data = scene.place.data();
    let whole = fs::read(&file).unwrap();
    let all = things(&scene.on(&data, &["export"]));
    closed(&scene.place);
    let (mut dice, mut slowest, mut hopeless, mut kept) = (Dice(17), 0, 0, 0);
    for round in 0..rounds() {
        for left in fs::read_dir(&data).unwrap() {
            let path = left.unwrap().path();
            if path.is_file() && path.extension().is_some_and(|ending| ending != "lock") {
                fs::remove_file(path).unwrap();
            }
        }
        let mut damaged = whole.clone();
        for _ in 0..=dice.below(4) {
            let page = dice.below(whole.len() / PAGE);
            let byte = u8::try_from(dice.below(256)).unwrap();
            damaged[page * PAGE..(page + 1) * PAGE].iter_mut().enumerate().for_each(|(at, old)| {
                *old = if byte < 128 { byte } else { old.wrapping_add(u8::try_from(at % 251).unwrap_or(1)) };
            });
        }
        fs::write(&file, &damaged).unwrap();
        let since = Clock::stopwatch();
        let ran = scene.try_on(&data, &["doctor", "--repair", "--use"]);
        if ran.exit == Some(1) {
            // The head of the file is gone, and with it where everything lies: it is said, and nothing was touched.
            assert!(ran.err.contains("Put a backup in its place"), "round {round}: {}", ran.err);
            assert_eq!(fs::read(&file).unwrap(), damaged);
            hopeless += 1;
            continue;
        }
        assert_eq!(ran.exit, Some(0), "round {round}: {} {}", ran.out, ran.err);
        slowest = slowest.max(since.ms());
        assert_eq!(fs::read(data.join("damaged.db")).unwrap(), damaged, "round {round}: the damaged one is as it was");
        let tables = json_lines(&ran.out).unwrap();
        let exported = things(&scene.on(&data, &["export"]));
        kept += exported.intersection(&all).count();
        let told =
            tables.iter().any(|table| table["lost"].as_u64().is_some_and(|n| n > 0) || table["maybe_more"] == true);
        assert!(
            told || all.is_subset(&exported),
            "round {round}: something is missing and nothing says so: {tables:?}"
        );
        let doctor = scene.try_on(&data, &["doctor"]);
        assert!(!doctor.out.contains("damaged_page"), "round {round}: {}", doctor.out);
        for list in ["events", "arrivals", "lanes", "jobs", "attempts"] {
            scene.on(&data, &[list]);
        }
        let listed = scene.on(&data, &["jobs"]);
        if let Some(job) = listed.iter().find(|row| row["job"] == open["job"]) {
            assert!(job["next_at"].is_null(), "round {round}: nothing goes out by itself: {job}");
        }
    }
    println!(
        "{hopeless} of {} could not be saved at all; of the others {kept} lines of {}",
        rounds(),
        all.len() * (rounds() - hopeless)
    );
    assert!(hopeless * 2 < rounds(), "{hopeless} of {} could not be saved at all", rounds());
    assert!(kept > all.len() * (rounds() - hopeless) / 2, "{kept} of {} lines", all.len() * rounds());
    Tried::new(table::RANDOM_PAGES, rounds(), slowest).note(&scene.place);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_saved_log_sends_nothing_until_a_person_goes_on() {
    let (scene, _, open) = real_log().await;
    let data = scene.place.data();
    let posts = scene.posts();
    let before = things(&scene.on(&data, &["export"]));
    closed(&scene.place);
    scene.on(&data, &["doctor", "--repair", "--use"]);
    let mut listen = scene.listen(&data);
    let line = listen.first_line().unwrap();
    assert!(line["held"].as_str().is_some_and(|says| says.contains("saved from a damaged one")), "{line}");
    let after = things(&scene.on(&data, &["export"]));
    assert_eq!(after, before, "of a sound log all is saved");
    scene.until(&data, &open, "unknown").await;
    assert_eq!(scene.posts(), posts);
    assert_eq!(scene.on(&data, &["go-on"]), [json!({"waiting": 1})]);
    scene.on(&data, &["resend", open["job"].as_str().unwrap()]);
    assert_eq!(scene.posts(), posts + 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn repair_waits_for_nobody_and_overwrites_nothing() {
    let (scene, file, _) = real_log().await;
    let data = scene.place.data();
    let mut listen = scene.listen(&data);
    listen.first_line().unwrap();
    let ran = scene.try_on(&data, &["doctor", "--repair"]);
    assert_eq!(ran.exit, Some(1), "{}", ran.out);
    assert!(ran.err.contains("Another program has this log open"), "{}", ran.err);
    listen.stop().unwrap();
    let before = fs::read(&file).unwrap();
    scene.on(&data, &["doctor", "--repair"]);
    scene.on(&data, &["doctor", "--repair"]);
    assert!(data.join("saved.db").exists() && data.join("saved-2.db").exists());
    assert_eq!(fs::read(&file).unwrap(), before);
}

//! A log that was copied, moved or put back from a backup sends nothing until a person says to go on from here.

use std::fs;

use reprise_core::clock::Clock;
use rstest::rstest;
use serde_json::{Value, json};

use super::{
    scene::{Scene, copy_folder},
    table::{self, Tried},
};

/// What the person is told, from the first line of a running program.
fn held(line: &Value) -> String {
    line["held"].as_str().unwrap_or_else(|| panic!("it says that it is held: {line}")).to_owned()
}

/// Notes the fault, if exactly so many posts are live.
fn doubled(scene: &Scene, fault: table::Fault, posts: u64, ms: i64) {
    let live = scene.posts() as u64;
    let mut tried = Tried::new(fault, 1, ms);
    tried.second_posts = live.saturating_sub(posts);
    tried.lost = posts.saturating_sub(live);
    tried.note(&scene.place);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_log_and_its_copy_only_the_original_sends() {
    let scene = Scene::new().await;
    let (data, copy) = (scene.place.data(), scene.place.path("copy"));
    let job = scene.waiting_post("post.json", "Copied while it waits.", 2);
    copy_folder(&data, &copy);
    let mut second = scene.listen(&copy);
    let says = held(&second.first_line().expect("it listens"));
    assert!(says.contains("is a copy") && says.contains("Go on from here"), "{says}");
    let mut first = scene.listen(&data);
    assert!(first.first_line().expect("it listens")["held"].is_null());
    scene.until(&data, &job, "done").await;
    assert_eq!(scene.posts(), 1);
    let there = scene.until(&copy, &job, "unknown").await;
    assert_eq!((&there["attempts"], &there["next_at"]), (&json!(1), &Value::Null), "nothing left from the copy");
    scene.post("new.json", "Something else altogether.");
    let ran = scene.try_on(&copy, &["submit", "new.json"]);
    assert_eq!(ran.exit, Some(1), "{} {}", ran.out, ran.err);
    assert!(ran.err.contains("is a copy"), "{}", ran.err);
    let since = Clock::stopwatch();
    scene.on(&copy, &["go-on"]);
    doubled(&scene, table::COPIED, 1, since.ms());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_person_goes_on_from_the_copy_the_original_sends_nothing_more() {
    let scene = Scene::new().await;
    let (data, copy) = (scene.place.data(), scene.place.path("copy"));
    let job = scene.waiting_post("post.json", "Which of the two.", 3_600);
    copy_folder(&data, &copy);
    assert_eq!(scene.on(&copy, &["go-on"]), [json!({"waiting": 1})]);
    scene.post("new.json", "A post of the copy, which is the log now.");
    scene.on(&copy, &["submit", "new.json"]);
    assert_eq!(scene.posts(), 1);
    let still = scene.until(&copy, &job, "unknown").await;
    assert!(still["next_at"].is_null(), "an open job of before waits for a person, also after going on: {still}");
    scene.post("late.json", "From the original, too late.");
    let ran = scene.try_on(&data, &["submit", "late.json"]);
    assert_eq!(ran.exit, Some(1), "{}", ran.out);
    assert_eq!(scene.posts(), 1);
    // Asked by hand it goes its way again.
    scene.on(&copy, &["resend", job["job"].as_str().expect("its name")]);
    scene.until(&copy, &job, "done").await;
    assert_eq!(scene.posts(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn from_an_old_backup_nothing_leaves() {
    let scene = Scene::new().await;
    let (data, backup) = (scene.place.data(), scene.place.files().join("monday.db"));
    let job = scene.waiting_post("post.json", "Waits on Monday.", 1);
    let file = backup.display().to_string();
    scene.on(&data, &["backup", &file]);
    {
        let mut listen = scene.listen(&data);
        listen.first_line().expect("it listens");
        scene.until(&data, &job, "done").await;
        listen.stop().expect("it stops");
    }
    assert_eq!(scene.posts(), 1);
    fs::remove_dir_all(&data).expect("the folder is lost");
    fs::create_dir_all(&data).expect("a folder");
    fs::copy(&backup, data.join("reprise.db")).expect("put back");
    let mut listen = scene.listen(&data);
    let says = held(&listen.first_line().expect("it listens"));
    assert!(says.contains("1 try is missing"), "{says}");
    let there = scene.until(&data, &job, "unknown").await;
    assert!(there["next_at"].is_null(), "{there}");
    listen.stop().expect("it stops");
    let since = Clock::stopwatch();
    assert_eq!(scene.on(&data, &["go-on"]), [json!({"waiting": 1})]);
    let _listen = scene.listen(&data);
    scene.on(&data, &["resend", job["job"].as_str().expect("its name")]);
    scene.until(&data, &job, "done").await;
    // The same key finds the post of Monday.
    doubled(&scene, table::RESTORED, 1, since.ms());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_on_another_computer_and_one_that_was_moved_wait_for_a_person() {
    let mut scene = Scene::new().await;
    let (data, moved) = (scene.place.data(), scene.place.path("moved"));
    scene.waiting_post("post.json", "On the road.", 3_600);
    fs::rename(&data, &moved).expect("moved");
    let mut listen = scene.listen(&moved);
    assert!(held(&listen.first_line().expect("it listens")).contains("was moved here"));
    listen.stop().expect("it stops");
    let since = Clock::stopwatch();
    scene.on(&moved, &["go-on"]);
    let ms = since.ms();
    let elsewhere = scene.place.path("another").display().to_string();
    scene.place.set("XDG_STATE_HOME", &elsewhere);
    let mut listen = scene.listen(&moved);
    assert!(held(&listen.first_line().expect("it listens")).contains("another computer"));
    doubled(&scene, table::MOVED, 0, ms);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_is_taken_while_it_runs_has_no_secret_and_replaces_nothing() {
    let scene = Scene::new().await;
    let data = scene.place.data();
    let mut listen = scene.listen(&data);
    listen.first_line().expect("it listens");
    scene.post("post.json", "In the backup.");
    scene.on(&data, &["submit", "post.json"]);
    let theirs = scene.place.files().join("now.db.part");
    fs::write(&theirs, "theirs").unwrap();
    let row = scene.on(&data, &["backup", "now.db"]).pop().expect("a row");
    assert_eq!(fs::read_to_string(&theirs).unwrap(), "theirs");
    assert!(!scene.place.files().join("now.db.part2").exists());
    let bytes = fs::read(scene.place.files().join("now.db")).expect("a backup");
    assert_eq!(row["bytes"], bytes.len());
    let key = scene.sandbox.api_key().as_bytes();
    assert!(!bytes.windows(key.len()).any(|part| part == key), "the API key is not in it");
    let ran = scene.try_on(&data, &["backup", "now.db"]);
    assert_eq!(ran.exit, Some(1), "{}", ran.out);
    assert_eq!(fs::read(scene.place.files().join("now.db")).expect("a backup"), bytes);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_the_newest_try_cannot_be_noted_nothing_is_sent() {
    let mut scene = Scene::new().await;
    let blocked = scene.place.path("blocked");
    fs::write(&blocked, "a file, no folder").expect("a file");
    scene.place.set("XDG_STATE_HOME", &blocked.display().to_string());
    scene.post("post.json", "Not without a note.");
    let ran = scene.try_on(&scene.place.data(), &["submit", "post.json"]);
    assert_eq!(ran.exit, Some(3), "{}", ran.out);
    assert!(ran.err.contains("cannot be kept") && ran.err.contains("XDG_STATE_HOME"), "{}", ran.err);
    assert_eq!(scene.posts(), 0);
    let mended = scene.place.path("mended").display().to_string();
    scene.place.set("XDG_STATE_HOME", &mended);
    let since = Clock::stopwatch();
    scene.post("other.json", "With a note it goes out.");
    scene.on(&scene.place.data(), &["submit", "other.json"]);
    doubled(&scene, table::CARD_BLOCKED, 1, since.ms());
}

#[rstest]
#[case("cut_before", table::CUT_BEFORE)]
#[case("cut_after", table::CUT_AFTER)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cut_connection_makes_one_post(#[case] cut: &str, #[case] fault: table::Fault) {
    let scene = Scene::new().await;
    let data = scene.place.data();
    scene.fault(json!({"on": "POST /v1/posts", "do": cut, "times": 1}));
    scene.post("post.json", "One, whatever is cut.");
    let job = scene.on(&data, &["submit", "post.json"]).pop().expect("a job");
    let since = Clock::stopwatch();
    let mut listen = scene.listen(&data);
    listen.first_line().expect("it listens");
    scene.until(&data, &job, "done").await;
    doubled(&scene, fault, 1, since.ms());
}

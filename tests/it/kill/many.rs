//! A file of posts whose sender is killed: the same command again goes on where it stood, and makes no second post.

#[cfg(debug_assertions)]
use rstest::rstest;

use super::{Dice, Scene, rounds, unlike};
use crate::{program::json_lines, wait};

const POSTS: usize = 8;

impl Scene {
    fn table(&self) {
        let rows: Vec<String> =
            (0..POSTS).map(|number| format!("{},linkedin:acc_mill,2032-02-03T08:30,UTC", unlike(number))).collect();
        let text = format!("text,accounts,scheduledFor,timezone\n{}\n", rows.join("\n"));
        std::fs::write(self.place.files().join("posts.csv"), text).expect("a file");
    }

    /// Sends the file to its end and holds if every row is done.
    fn sends_the_rest(&self) {
        let data = self.place.data();
        let args = [
            "submit",
            "posts.csv",
            "--wait",
            "--json",
            "--pozy",
            self.gate.url(),
            "--data",
            data.to_str().expect("a path"),
        ];
        let ran = self.place.run(&args).expect("the program runs");
        assert_eq!(ran.exit, Some(0), "{} {}", ran.out, ran.err);
        let rows = json_lines(&ran.out).expect("JSON lines");
        assert!(rows.len() == POSTS && rows.iter().all(|row| row["state"] == "done"), "{rows:?}");
    }
}

#[cfg(debug_assertions)]
#[rstest]
#[case("job_written")]
#[case("attempt_written")]
#[case("answer_received")]
#[case("answer_written")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_cut_off_at_a_row_goes_on_with_that_row(#[case] step: &str) {
    let mut scene = Scene::new().await;
    scene.table();
    scene.place.set("REPRISE_DIE_AT", step);
    let mut sender = scene.submit("posts.csv");
    wait::until("the sender's end", || if sender.runs() { Err("it runs on") } else { Ok(()) }).await;
    assert_eq!(scene.jobs().len(), 1, "it died at its first row");
    scene.place.set("REPRISE_DIE_AT", "");
    scene.sends_the_rest();
    scene.one_post_per_job();
    assert_eq!(scene.jobs().len(), POSTS);
}

/// Killed after a number of requests that the dice choose, again and again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_killed_at_random_moments_makes_one_post_a_row() {
    let scene = Scene::new().await;
    scene.table();
    let mut dice = Dice(11);
    for _ in 0..rounds() {
        let goal = scene.gate.requests().len() + usize::try_from(dice.below(3)).unwrap_or_default();
        let mut sender = scene.submit("posts.csv");
        wait::until("some requests", || {
            if scene.gate.requests().len() > goal || !sender.runs() { Ok(()) } else { Err("fewer requests") }
        })
        .await;
        sender.kill();
    }
    scene.sends_the_rest();
    scene.one_post_per_job();
    assert_eq!(scene.jobs().len(), POSTS);
}

//! The sender is ended at each step between "row written" and "answer stored", started again, and asks again with the
//! stored key: one post a job (property 4 of the rules for sending; R7, R13, design 4.2).

use std::time::Duration;

use pozy_sandbox::Fault;
use reprise_core::clock::Clock;
use rstest::rstest;
use serde_json::json;

use super::{Dice, Scene, gate::Hold, in_chapters, rounds, unlike};
use crate::{
    program::{Place, Running},
    trust::table::{self, Tried},
    wait,
};

/// A step of an attempt at which the process ends.
#[derive(Clone, Copy, Debug)]
enum End {
    /// By itself, at a place inside the program that nothing outside can see; debug builds know these names.
    Inside(&'static str),
    /// Killed while its request stands at the gate.
    AtGate(Hold),
}

const JOB_WRITTEN: End = End::Inside("job_written");
const ATTEMPT_WRITTEN: End = End::Inside("attempt_written");
const REQUEST_OUT: End = End::AtGate(Hold::Request);
const WORK_DONE: End = End::AtGate(Hold::Answer);
const HALF_ANSWER: End = End::AtGate(Hold::HalfAnswer);
const ANSWER_RECEIVED: End = End::Inside("answer_received");
const ANSWER_WRITTEN: End = End::Inside("answer_written");

const fn at_gate(end: End) -> End {
    match end {
        End::Inside(_) => REQUEST_OUT,
        End::AtGate(_) => end,
    }
}

impl Scene {
    /// Starts a sender with `start` and ends it at `end`. A release build cannot end itself; it is killed at the gate.
    async fn dies(&mut self, end: End, start: impl Fn(&Self) -> Running) {
        match if cfg!(debug_assertions) { end } else { at_gate(end) } {
            End::Inside(step) => {
                self.place.set("REPRISE_DIE_AT", step);
                let mut sender = start(self);
                wait::until("the sender's end", || if sender.runs() { Err("it runs on") } else { Ok(()) }).await;
                self.place.set("REPRISE_DIE_AT", "");
            }
            End::AtGate(hold) => {
                self.gate.hold(hold);
                let mut sender = start(self);
                self.gate.reached().await;
                sender.kill();
            }
        }
    }

    fn busy_once(&self) {
        let fault = json!({"on": "POST /v1/posts", "do": "status", "status": 503, "retry_after": 0});
        self.sandbox.fault(Fault::read(fault).expect("a fault")).expect("a fault");
    }
}

#[rstest]
#[case(JOB_WRITTEN)]
#[case(ATTEMPT_WRITTEN)]
#[case(REQUEST_OUT)]
#[case(WORK_DONE)]
#[case(HALF_ANSWER)]
#[case(ANSWER_RECEIVED)]
#[case(ANSWER_WRITTEN)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn submit_dies_and_the_job_makes_one_post(#[case] end: End) {
    let mut scene = Scene::new().await;
    let bytes = scene.post("post.json", "One post, whatever happens.");
    scene.dies(end, |scene| scene.submit("post.json")).await;
    let before = scene.jobs();
    assert_eq!(before.len(), 1, "the job is on disk before anything leaves");
    assert_ne!(before[0]["state"], "stopped", "unknown is never called failed");
    let _listen = scene.listen();
    scene.all_done(1).await;
    scene.one_post_per_job();
    assert!(scene.gate.requests().iter().all(|request| request.body == bytes.as_bytes()), "the very bytes of the file");
}

#[rstest]
#[case(ATTEMPT_WRITTEN)]
#[case(REQUEST_OUT)]
#[case(WORK_DONE)]
#[case(HALF_ANSWER)]
#[case(ANSWER_RECEIVED)]
#[case(ANSWER_WRITTEN)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn listen_dies_and_the_job_makes_one_post(#[case] end: End) {
    let mut scene = Scene::new().await;
    scene.post("post.json", "Asked again by the plan.");
    scene.busy_once();
    let mut submit = scene.submit("post.json");
    assert_eq!(submit.first_line().expect("a job")["state"], "waiting");
    scene.dies(end, Scene::listen).await;
    let _listen = scene.listen();
    scene.all_done(1).await;
    scene.one_post_per_job();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_job_survives_an_end_at_every_step_in_turn() {
    let mut scene = Scene::new().await;
    scene.post("post.json", "Seven lives.");
    scene.dies(JOB_WRITTEN, |scene| scene.submit("post.json")).await;
    for end in [ATTEMPT_WRITTEN, REQUEST_OUT, WORK_DONE, HALF_ANSWER, ANSWER_RECEIVED] {
        scene.dies(end, Scene::listen).await;
    }
    let _listen = scene.listen();
    scene.all_done(1).await;
    scene.one_post_per_job();
    assert!(scene.jobs()[0]["attempts"].as_u64() >= Some(6), "each life made an attempt, and the last one settled it");
}

/// Rounds of three posts each, every sender killed at a moment that the dice choose.
#[test]
fn senders_killed_at_random_moments_make_one_post_a_job() {
    let played = in_chapters(chapter);
    // Four kills a round: of three senders by hand and one by plan.
    Tried::new(table::KILLED_SENDER, rounds() * 4, played.slowest_ms).note(&played.last);
}

/// Plays so many rounds on a log of its own; how long it takes to come to rest afterwards.
async fn chapter(mut dice: Dice, rounds: usize) -> (i64, Place) {
    let scene = Scene::new().await;
    // One that nobody kills, so that there is a log and a post, and that tells how long one lives on this computer.
    scene.post("whole.json", &unlike(9_999));
    let life = Clock::stopwatch();
    let mut whole = scene.submit("whole.json");
    assert_eq!(whole.first_line().expect("a job")["state"], "done");
    let life = life.ms().unsigned_abs().max(1);
    for round in 0..rounds {
        for post in 0..3 {
            let file = format!("post-{round}-{post}.json");
            scene.post(&file, &unlike(round * 3 + post));
            if dice.below(3) == 0 {
                scene.busy_once();
            }
            let mut submit = scene.submit(&file);
            tokio::time::sleep(Duration::from_millis(dice.below(life))).await;
            submit.kill();
        }
        let mut listen = scene.listen();
        tokio::time::sleep(Duration::from_millis(dice.below(life * 3))).await;
        listen.kill();
    }
    let jobs = scene.jobs().len();
    let since = Clock::stopwatch();
    let _listen = scene.listen();
    scene.all_done(jobs).await;
    let rested = since.ms();
    scene.one_post_per_job();
    (rested, scene.place)
}

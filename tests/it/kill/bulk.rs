//! A bulk is killed in the middle, again and again; after the last start every job was done, and none has two live
//! posts. With `REPRISE_KILL_ROUNDS` at 20 or more it is a bulk of 200.

use std::{collections::BTreeMap, time::Duration};

use pozy_sandbox::{AccountId, Fault, PostId as TargetPost, TargetChange, TargetStatus};
use reprise_core::{
    clock::Clock,
    ids::PostId,
    outbound::{
        fetch,
        foretell::Consent,
        submit::{Draft, POSTS, submit},
    },
    pozy::contract::Contract,
    secrets::Secret,
    store::Store,
};
use rstest::rstest;
use serde_json::{Value, json};

use super::{Dice, Scene, rounds, unlike};
use crate::{program::Running, wait};

const ACCOUNT: &str = "acc_mill";
/// How long the gate keeps each answer back, so that a bulk lasts long enough to be killed in its middle.
const LINGER: Duration = Duration::from_millis(150);

impl Scene {
    /// So many jobs: of every three one lost its answer after the work, one before it, and one failed at Pozy.
    async fn outage(&self, count: usize) {
        let (store, clock) = (Store::open(&self.place.data()).await.expect("a log"), Clock::wall());
        let (contract, api_key) = (Contract::shipped("pozy").expect("settings"), self.sandbox.api_key());
        let connection = reprise_core::outbound::connection::Connection::open(
            &store,
            &clock,
            self.gate.url(),
            Secret::new(api_key).expect("a key"),
            contract,
        )
        .await
        .expect("a connection");
        let mut failed: Vec<PostId> = Vec::new();
        for number in 0..count {
            match number % 3 {
                0 => self.fault("cut_after"),
                1 => self.fault("cut_before"),
                _ => {}
            }
            let body = json!({
                "content": unlike(number), "platforms": [{"platform": "linkedin", "accountId": ACCOUNT}],
                "scheduledFor": "2032-02-03T08:30:00", "timezone": "Europe/London"
            });
            let body = body.to_string().into_bytes();
            let draft = Draft { path: POSTS.to_owned(), key: None, body, form: None };
            let view = submit(&store, &clock, &connection, draft, Consent::Safe).await.expect("a job");
            failed.extend(view.judged.post.filter(|_| number % 3 == 2));
        }
        // Of two states told of one second nobody knows which came first.
        self.sandbox.advance(Duration::from_secs(2)).await.expect("it runs");
        for post in &failed {
            let change = TargetChange {
                post: Some(TargetPost(post.to_string())),
                text: None,
                account: AccountId(ACCOUNT.to_owned()),
                status: TargetStatus::Failed,
                error: None,
            };
            self.sandbox.target(change).expect("its target");
            fetch::fetch(&store, &clock, &connection, post).await.expect("an answer");
        }
        store.close().await;
    }

    fn fault(&self, deed: &str) {
        let fault = Fault::read(json!({"on": "POST /v1/posts", "do": deed})).expect("a fault");
        self.sandbox.fault(fault).expect("a fault");
    }

    /// Plans a bulk of everything, looks at what is called failed, and gives its mark.
    fn plan(&self, count: usize) -> String {
        let rows = self.place.lines(&["bulk", "plan", "--pozy", self.gate.url()]);
        assert_eq!(rows.len(), count, "the whole filter");
        let bulk = rows[0]["bulk"].as_str().expect("a mark").to_owned();
        let rows = self.place.lines(&["bulk", "fetch", &bulk, "--pozy", self.gate.url()]);
        let of = |group: &str| rows.iter().filter(|row| row["group"] == group).count();
        assert_eq!((of("ask_again"), of("post_again")), (count - count / 3, count / 3), "{rows:?}");
        bulk
    }

    fn run(&self, bulk: &str) -> Running {
        let choices = ["--group", "ask_again", "--group", "post_again=The outage swallowed it"];
        let args = [["bulk", "run", bulk, "--pozy", self.gate.url()].as_slice(), choices.as_slice()].concat();
        self.place.background("bulk", &args)
    }

    fn over(&self, bulk: &str) -> usize {
        self.place.lines(&["bulk", "show", bulk]).iter().filter(|row| row["state"] == "done").count()
    }

    /// Holds if every job of the outage has one live post, and no key was on the wire twice at once.
    fn one_live_post_each(&self, count: usize) {
        let mut live: BTreeMap<String, usize> = (0..count).map(|number| (unlike(number), 0)).collect();
        for post in self.sandbox.ledger().posts {
            let alive = |target: &Value| !["failed", "cancelled"].iter().any(|dead| target["status"] == *dead);
            let text = post["content"].as_str().expect("its words").to_owned();
            let targets = post["platforms"].as_array().expect("its targets");
            *live.get_mut(&text).expect("words of a job") += usize::from(targets.iter().any(alive));
        }
        let odd: Vec<_> = live.iter().filter(|(_, posts)| **posts != 1).collect();
        assert!(odd.is_empty(), "not one live post: {odd:?}");
        assert_eq!(self.gate.most_at_once(), 1, "requests with one key on the wire at once");
    }

    /// Runs the bulk to its end and holds it to its word.
    async fn finish(&self, bulk: &str, count: usize) {
        let mut last = self.run(bulk);
        wait::until("the end of the bulk", || if last.runs() { Err(self.over(bulk)) } else { Ok(()) }).await;
        let rows = self.place.lines(&["bulk", "show", bulk]);
        let odd: Vec<_> = rows.iter().filter(|row| row["state"] != "done").collect();
        assert!(odd.is_empty(), "every row is over, and came as foretold: {odd:?}");
        self.one_live_post_each(count);
        let listed = self.place.lines(&["bulk", "list"]).remove(0);
        assert_eq!((&listed["state"], &listed["account"]["second_live"]), (&json!("done"), &json!(0)));

        let (tries, posts) = (self.place.lines(&["attempts"]).len(), self.sandbox.ledger().posts.len());
        assert!(self.place.lines(&["bulk", "plan", "--pozy", self.gate.url()]).is_empty(), "nothing is left to do");
        let mut again = self.run(bulk);
        wait::until("the end of a second run", || if again.runs() { Err(()) } else { Ok(()) }).await;
        assert_eq!((self.place.lines(&["attempts"]).len(), self.sandbox.ledger().posts.len()), (tries, posts));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bulk_killed_at_random_moments_leaves_one_live_post_a_job() {
    let count = if rounds() >= 20 { 200 } else { 30 };
    let scene = Scene::new().await;
    scene.outage(count).await;
    let bulk = scene.plan(count);
    scene.gate.linger(LINGER);
    let (mut dice, mut in_the_middle) = (Dice(11), 0);
    for _ in 0..rounds() {
        let mut run = scene.run(&bulk);
        tokio::time::sleep(Duration::from_millis(150 + dice.below(700))).await;
        let ran = run.runs();
        run.kill();
        in_the_middle += usize::from(ran);
    }
    assert!(in_the_middle > 0, "no kill met it in its middle");
    scene.gate.linger(Duration::ZERO);
    scene.finish(&bulk, count).await;
}

#[cfg(debug_assertions)]
#[rstest]
#[case("row_begun")]
#[case("attempt_written")]
#[case("answer_received")]
#[case("answer_written")]
#[case("row_answered")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bulk_that_dies_at_a_step_goes_on_from_there(#[case] step: &str) {
    let mut scene = Scene::new().await;
    scene.outage(6).await;
    let bulk = scene.plan(6);
    scene.place.set("REPRISE_DIE_AT", step);
    for round in 0..4 {
        let mut run = scene.run(&bulk);
        wait::until("its end", || if run.runs() { Err("it runs on") } else { Ok(()) }).await;
        // Later ones may find every row past that step, and get to the end.
        assert!(round > 0 || scene.over(&bulk) < 6, "it did not die at {step}");
    }
    scene.place.set("REPRISE_DIE_AT", "");
    scene.finish(&bulk, 6).await;
}

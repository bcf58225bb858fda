//! Property 4 (scenarios): the sender is killed at each step between "row written" and "answer stored", also twice in
//! a row; after the restart it settles by itself and there is one post.
//!
//! The sender runs in a process of its own: this very test program, started for one test only. A step is named in
//! the environment and ends the process there as kill -9 would; on the wire it is killed from outside.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use pozy_sandbox::{Deed, Fault, Handle, Options, Sandbox};
use reprise_core::{
    clock::Clock,
    outbound::{
        foretell::Consent,
        outcome::{Outcome, State},
        sender,
        submit::{Draft, POSTS, submit},
        view::JobView,
    },
    pozy::contract::Contract,
    store::{Store, job_facts},
};
use rstest::rstest;

use super::world::{POST, connect};

const STEPS: [&str; 4] = ["job_written", "attempt_written", "answer_received", "answer_written"];
const FOLDER: &str = "REPRISE_TEST_FOLDER";
const POZY: &str = "REPRISE_TEST_POZY";
const API_KEY: &str = "REPRISE_TEST_API_KEY";

/// A sender in a process of its own on the log in `dir`; it dies at `step`.
fn program(dir: &Path, sandbox: &Handle, step: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["outbound::kill::a_program_sends_to_the_end", "--exact", "--nocapture"])
        .env(FOLDER, dir)
        .env(POZY, sandbox.url())
        .env(API_KEY, sandbox.api_key())
        .env("REPRISE_DIE_AT", step)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Run by itself it sends one job through a sandbox of its own; run by a test below, through that one's.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_sends_to_the_end() {
    let own = tempfile::tempdir().unwrap();
    let dir = std::env::var_os(FOLDER).map_or_else(|| own.path().to_owned(), Into::into);
    let sandbox = Sandbox::start(Options::default()).await.unwrap();
    let url = std::env::var(POZY).unwrap_or_else(|_| sandbox.url().to_owned());
    let api_key = std::env::var(API_KEY).unwrap_or_else(|_| sandbox.api_key().to_owned());

    let (store, clock) = (Store::open(&dir).await.unwrap(), Clock::wall());
    let connection = connect(&store, &clock, &url, &api_key).await;
    if only_job(&store).await.is_none() {
        let draft = Draft { path: POSTS.to_owned(), key: None, body: POST.as_bytes().to_vec(), form: None };
        submit(&store, &clock, &connection, draft, Consent::Safe).await.unwrap();
    }
    let sender = sender::start(store.clone(), clock, connection);
    assert_eq!(settled(&store).await.judged.state, State::Done);
    sender.stop().await;
}

async fn only_job(store: &Store) -> Option<JobView> {
    let mut jobs = job_facts::ascending(store.pool(), None, 2).await.unwrap();
    assert!(jobs.len() <= 1, "one order makes one job");
    let contract = Contract::shipped("pozy").unwrap();
    match jobs.pop() {
        Some(facts) => Some(JobView::of(store, &Clock::wall(), &contract, facts).await.unwrap()),
        None => None,
    }
}

async fn settled(store: &Store) -> JobView {
    for _ in 0..1_000 {
        if let Some(view) = only_job(store).await.filter(|view| view.judged.state == State::Done) {
            return view;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("never settled: {:?}", only_job(store).await);
}

/// Waits for the end of a program that must not get to its own end.
async fn died(mut program: Child) {
    let status = tokio::task::spawn_blocking(move || program.wait().unwrap()).await.unwrap();
    assert!(!status.success(), "it was to die on the way");
}

#[rstest]
#[case::job_written("job_written", State::Waiting, Outcome::None, 1)]
#[case::attempt_written("attempt_written", State::Unknown, Outcome::Unknown, 2)]
#[case::answer_received("answer_received", State::Unknown, Outcome::Unknown, 1)]
#[case::answer_written("answer_written", State::Done, Outcome::Created, 1)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_each_step_and_started_again(
    #[case] step: &str,
    #[case] state: State,
    #[case] outcome: Outcome,
    #[case] made_by: u32,
) {
    let (dir, sandbox) = (tempfile::tempdir().unwrap(), Sandbox::start(Options::default()).await.unwrap());
    died(program(dir.path(), &sandbox, step)).await;
    let store = Store::open(dir.path()).await.unwrap();
    let left = only_job(&store).await.unwrap();
    assert_eq!((left.judged.state, left.judged.outcome), (state, outcome), "what the dead program left");
    let key = left.facts.key.clone();

    let connection = connect(&store, &Clock::wall(), sandbox.url(), sandbox.api_key()).await;
    let sender = sender::start(store.clone(), Clock::wall(), connection);
    let done = settled(&store).await;
    sender.stop().await;
    assert_eq!((done.facts.key, done.judged.created_by_attempt), (key, Some(made_by)));
    let ledger = sandbox.ledger();
    assert_eq!((ledger.posts.len(), ledger.keys.len()), (1, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_on_the_wire() {
    let (dir, sandbox) = (tempfile::tempdir().unwrap(), Sandbox::start(Options::default()).await.unwrap());
    let stall = Deed::Stall { seconds: 60.0 };
    sandbox.fault(Fault { on: format!("POST {POSTS}"), deed: stall, times: 1, event: None, account: None }).unwrap();
    let mut sending = program(dir.path(), &sandbox, "nowhere");
    let store = Store::open(dir.path()).await.unwrap();
    while sandbox.ledger().posts.is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(only_job(&store).await.unwrap().judged.state, State::Sending, "another process holds it");
    sending.kill().unwrap();
    died(sending).await;
    assert_eq!(only_job(&store).await.unwrap().judged.state, State::Unknown);

    let connection = connect(&store, &Clock::wall(), sandbox.url(), sandbox.api_key()).await;
    let sender = sender::start(store.clone(), Clock::wall(), connection);
    let done = settled(&store).await;
    sender.stop().await;
    assert_eq!((done.judged.created_by_attempt, done.judged.outcome), (Some(1), Outcome::Replayed));
    assert_eq!(sandbox.ledger().posts.len(), 1);
}

/// Each step, and each step again in the program that was started after it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_twice_in_a_row() {
    let mut pairs = tokio::task::JoinSet::new();
    for first in STEPS {
        for second in &STEPS[1..] {
            pairs.spawn(async move {
                let (dir, sandbox) = (tempfile::tempdir().unwrap(), Sandbox::start(Options::default()).await.unwrap());
                died(program(dir.path(), &sandbox, first)).await;
                if first != "answer_written" {
                    died(program(dir.path(), &sandbox, second)).await;
                }
                let mut last = program(dir.path(), &sandbox, "nowhere");
                let ended = tokio::task::spawn_blocking(move || last.wait().unwrap()).await.unwrap();
                assert!(ended.success(), "{first}, then {second}: never settled");
                assert_eq!(sandbox.ledger().posts.len(), 1, "{first}, then {second}");
            });
        }
    }
    while let Some(pair) = pairs.join_next().await {
        pair.unwrap();
    }
}

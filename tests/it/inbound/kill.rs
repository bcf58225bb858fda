//! The receiver is killed under load, several times on one log: whatever it had answered is there after the restart,
//! and what it had not answered is known never to have been.
//!
//! It runs in a process of its own: this very test program, started for one test only.

use std::{
    collections::BTreeSet,
    path::Path,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use reprise_core::{
    clock::Clock,
    inbound::listener::{Receiver, Setup},
    pozy::contract::Contract,
    store::Store,
};
use sqlx::Row as _;

use super::desk::account_event;

const FOLDER: &str = "REPRISE_TEST_FOLDER";
/// Where the program writes its address.
const ADDRESS: &str = "address";
const SENDERS: usize = 16;
/// Answers that are waited for before each kill.
const ANSWERS: usize = 150;
const KILLS: usize = 3;

fn program(dir: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["inbound::kill::a_program_listens", "--exact", "--nocapture"])
        .env(FOLDER, dir)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Run by itself it takes one arrival and stops; run by the test below it listens until it is killed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_listens() {
    let own = tempfile::tempdir().unwrap();
    let told = std::env::var_os(FOLDER);
    let dir = told.clone().map_or_else(|| own.path().to_owned(), Into::into);
    let store = Store::open(&dir).await.unwrap();
    let pozy = Arc::new(Contract::shipped("pozy").unwrap());
    let setup = Setup::new("127.0.0.1:0".parse().unwrap(), Vec::new());
    let receiver = Receiver::start(store.clone(), Clock::wall(), pozy, setup).await.unwrap();
    if told.is_some() {
        std::fs::write(dir.join("address.new"), receiver.url()).unwrap();
        std::fs::rename(dir.join("address.new"), dir.join(ADDRESS)).unwrap();
        std::future::pending::<()>().await;
    }
    let body = account_event("ev", "account.connected", "ac");
    let answer = reqwest::Client::new().post(receiver.url()).body(body).send().await.unwrap();
    assert_eq!(answer.status(), 204);
    receiver.stop().await.unwrap();
}

/// The address of a program that has just started.
async fn address(dir: &Path) -> String {
    let file = dir.join(ADDRESS);
    for _ in 0..1_000 {
        if let Ok(url) = std::fs::read_to_string(&file) {
            std::fs::remove_file(&file).unwrap();
            return url;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the program did not come up");
}

/// Sends events of its own until an answer fails; gives those that were answered well.
async fn send_until_it_dies(url: String, sender: String, count: Arc<AtomicUsize>) -> Vec<String> {
    let client = reqwest::Client::new();
    let mut answered = Vec::new();
    for n in 0.. {
        let event = format!("{sender}_{n}");
        let body = account_event(&event, "account.connected", &event);
        match client.post(&url).body(body).send().await {
            Ok(answer) if answer.status() == 204 => answered.push(event),
            _ => break,
        }
        count.fetch_add(1, Ordering::Relaxed);
    }
    answered
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_answered_survives_the_kill() {
    let dir = tempfile::tempdir().unwrap();
    let mut answered = BTreeSet::new();
    for round in 0..KILLS {
        let mut program = program(dir.path());
        let url = address(dir.path()).await;
        let count = Arc::new(AtomicUsize::new(0));
        let senders: Vec<_> = (0..SENDERS)
            .map(|n| tokio::spawn(send_until_it_dies(url.clone(), format!("ev_{round}_{n}"), Arc::clone(&count))))
            .collect();
        while count.load(Ordering::Relaxed) < ANSWERS {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        program.kill().unwrap();
        program.wait().unwrap();
        for sender in senders {
            answered.extend(sender.await.unwrap());
        }
    }
    assert!(answered.len() >= KILLS * ANSWERS);

    let store = Store::open(dir.path()).await.unwrap();
    let pozy = Arc::new(Contract::shipped("pozy").unwrap());
    let setup = Setup::new("127.0.0.1:0".parse().unwrap(), Vec::new());
    let receiver = Receiver::start(store.clone(), Clock::wall(), pozy, setup).await.unwrap();
    let rows = sqlx::query("SELECT event FROM events").fetch_all(store.pool()).await.unwrap();
    let stored: BTreeSet<String> = rows.iter().map(|row| row.get(0)).collect();
    let missing: Vec<_> = answered.difference(&stored).collect();
    assert!(missing.is_empty(), "answered and lost: {missing:?}");
    for (what, sql) in [
        (
            "arrivals without a word on their answer",
            "SELECT count(*) FROM arrivals a LEFT JOIN answers n USING (seq) WHERE n.seq IS NULL",
        ),
        (
            "arrivals without a standing",
            "SELECT count(*) FROM arrivals a LEFT JOIN standings s USING (seq) WHERE s.seq IS NULL",
        ),
        (
            "events without a lane",
            "SELECT count(*) FROM events e LEFT JOIN lanes l ON l.event = e.event WHERE l.lane IS NULL",
        ),
    ] {
        assert_eq!(sqlx::query(sql).fetch_one(store.pool()).await.unwrap().get::<i64, _>(0), 0, "{what}");
    }
    let killed = sqlx::query("SELECT count(*) FROM sessions WHERE ended_ns IS NOT NULL");
    assert_eq!(usize::try_from(killed.fetch_one(store.pool()).await.unwrap().get::<i64, _>(0)).unwrap(), KILLS);
    receiver.stop().await.unwrap();
}

//! The receiver is killed under load, started again, and nothing that it answered is missing or counted twice
//! (design 3.3: no answer before the commit).

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use pozy_sandbox::signature;
use reprise_core::clock::Clock;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{Dice, in_chapters, rounds};
use crate::{
    program::Place,
    trust::table::{self, Tried},
    wait::patiently,
};

const SENDERS: u64 = 16;
const SECRET: &str = "millstone-and-sluice-5";

/// What was sent, and how the receiver answered.
#[derive(Default)]
struct Sent {
    next: AtomicUsize,
    /// The event that each request carried, by its number.
    events: Mutex<BTreeMap<usize, String>>,
    /// Numbers of the requests that were answered with 204.
    answered: Mutex<Vec<usize>>,
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sent {
    /// Sends one event after another, every fifth of them a copy, until the receiver is gone.
    async fn send_on(&self, client: &Client, receiver: &str, mut dice: Dice) {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let of = if number > 5 && dice.below(5) == 0 { dice.below(number as u64) as usize } else { number };
            let event = locked(&self.events).get(&of).cloned().unwrap_or_else(|| format!("evt_{number}"));
            locked(&self.events).insert(number, event.clone());
            let account = event.replace("evt", "acc");
            let body = json!({"id": event, "event": "account.connected", "timestamp": "2026-04-14T08:00:00Z",
                              "account": {"accountId": account, "profileId": "prof_mill"}})
            .to_string();
            let request = client
                .post(receiver)
                .header("x-pozy-signature", signature(SECRET, body.as_bytes()))
                .header("x-sent", number.to_string());
            match request.body(body).send().await {
                Ok(answer) if answer.status() == 204 => locked(&self.answered).push(number),
                Ok(answer) => assert_eq!(answer.status(), 503, "a full queue is the only other answer"),
                Err(_) => return,
            }
        }
    }

    /// Holds if the log has every answered request once, every other request at most once, and counts accordingly.
    fn are_in(&self, place: &Place) {
        let (events, answered) = (locked(&self.events), locked(&self.answered));
        let mut found: BTreeMap<usize, usize> = BTreeMap::new();
        let mut by_event: BTreeMap<&str, u64> = BTreeMap::new();
        let lines = place.lines(&["export"]);
        for line in lines.iter().filter(|line| line["kind"] == "arrival") {
            let number: usize =
                line["headers"]["x-sent"].as_str().and_then(|number| number.parse().ok()).expect("its number");
            *found.entry(number).or_default() += 1;
            assert_eq!(line["body"]["id"], events[&number]);
            assert_eq!(line["answer"], 204);
            *by_event.entry(events[&number].as_str()).or_default() += 1;
        }
        let lost: Vec<_> = answered.iter().filter(|number| !found.contains_key(number)).collect();
        assert!(lost.is_empty(), "answered and missing: {lost:?} of {}", answered.len());
        assert!(found.values().all(|times| *times == 1), "one request, two rows");
        let rows = place.lines(&["events"]);
        assert_eq!(rows.len(), by_event.len());
        for row in &rows {
            assert_eq!(row["arrivals"].as_u64(), row["event"].as_str().and_then(|id| by_event.get(id).copied()));
        }
        let arrivals = place.lines(&["arrivals"]);
        let firsts = arrivals.iter().filter(|row| row["standing"] == "first").count();
        assert_eq!(firsts, rows.len(), "one first arrival an event");
        assert!(arrivals.iter().all(|row| row["standing"] == "first" || row["standing"] == "duplicate"));
    }
}

/// In each round 16 senders send as fast as they can, a fifth of it copies, and the receiver is killed after 150 to
/// 450 answers.
#[test]
fn what_a_killed_receiver_answered_is_there_once() {
    let played = in_chapters(chapter);
    Tried::new(table::KILLED_RECEIVER, rounds(), played.slowest_ms).note(&played.last);
}

/// Plays so many rounds on a log of its own; how long the receiver takes to listen again.
async fn chapter(mut dice: Dice, rounds: usize) -> (i64, Place) {
    let mut place = Place::new();
    place.set("POZY_WEBHOOK_SECRET", SECRET);
    let sent = Arc::new(Sent::default());
    for _ in 0..rounds {
        let mut listen = place.background("listen", &["listen", "--on", "127.0.0.1:0"]);
        let line = listen.first_line().expect("it listens");
        let receiver = line["receiver"].as_str().map(str::to_owned).expect("its address");
        let before = locked(&sent.answered).len();
        let enough = before + 150 + usize::try_from(dice.below(300)).expect("small");
        let client = Client::new();
        let mut senders = JoinSet::new();
        for _ in 0..SENDERS {
            let (sent, client, receiver) = (Arc::clone(&sent), client.clone(), receiver.clone());
            let dice = Dice(dice.below(u64::from(u32::MAX)));
            senders.spawn(async move { sent.send_on(&client, &receiver, dice).await });
        }
        crate::wait::until("answers under load", || {
            let answered = locked(&sent.answered).len();
            if answered >= enough { Ok(()) } else { Err(answered) }
        })
        .await;
        listen.kill();
        patiently("the senders' end", senders.join_all()).await;
        sent.are_in(&place);
    }
    let since = Clock::stopwatch();
    let mut listen = place.background("listen", &["listen", "--on", "127.0.0.1:0"]);
    listen.first_line().expect("it listens again");
    let ms = since.ms();
    sent.are_in(&place);
    let never_answered: Vec<Value> =
        place.lines(&["arrivals"]).into_iter().filter(|row| row["channel"] != "live").collect();
    assert!(never_answered.is_empty(), "all of it came in live: {never_answered:?}");
    drop(listen);
    (ms, place)
}

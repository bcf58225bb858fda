//! What goes on: posts through the real `submit`, faults of the sandbox at random, and strangers who call the receiver
//! with good, repeated, forged, broken and oversized messages, each numbered and its answer kept.

use std::{
    collections::BTreeMap,
    fs,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use pozy_sandbox::signature;
use reprise_core::clock::{Clock, Stopwatch};
use reqwest::Client;
use serde_json::{Value, json};
use tokio::task::{JoinSet, spawn_blocking};

use super::{Length, SECRET, Stage, gauge::Gauge};
use crate::{
    kill::{Dice, unlike},
    program::Place,
};

const BREATH: Duration = Duration::from_millis(250);
const STRANGERS_BREATH: Duration = Duration::from_millis(100);

/// What was sent so far, and what came back.
pub(super) struct Traffic {
    place: Arc<Place>,
    pub(super) pozy: String,
    receiver: String,
    pub(super) client: Client,
    length: Length,
    since: Stopwatch,
    /// Words of each post that was asked for.
    pub(super) posts: Mutex<Vec<String>>,
    /// The answer to each message of a stranger, by its number; none if none came.
    pub(super) strangers: Mutex<BTreeMap<u64, Option<u16>>>,
    /// Faults by name.
    pub(super) faults: Mutex<BTreeMap<String, u64>>,
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Traffic {
    pub(super) fn new(stage: &Stage, length: Length) -> Arc<Self> {
        Arc::new(Self {
            place: Arc::clone(&stage.place),
            pozy: stage.pozy.clone(),
            receiver: stage.receiver.clone(),
            client: Client::new(),
            length,
            since: Clock::stopwatch(),
            posts: Mutex::default(),
            strangers: Mutex::default(),
            faults: Mutex::default(),
        })
    }

    /// Two who post, two strangers and the faults, until it is enough.
    pub(super) async fn play(self: &Arc<Self>, gauge: &Gauge) {
        let mut all = JoinSet::new();
        for who in 0..2 {
            let traffic = Arc::clone(self);
            all.spawn(async move { traffic.post(Dice(who + 1)).await });
            let traffic = Arc::clone(self);
            all.spawn(async move { traffic.call(Dice(who + 100)).await });
        }
        let ended = all.join_all().await;
        assert_eq!(ended.len(), 4);
        if let Length::Time(_) = self.length {
            assert!(gauge.count() > 20, "it was looked at all the time");
        }
    }

    fn goes_on(&self, done: u64) -> bool {
        match self.length {
            Length::Posts(count) => done < count,
            Length::Time(ms) => self.since.ms() < ms,
        }
    }

    async fn post(&self, mut dice: Dice) {
        loop {
            let number = {
                let mut posts = locked(&self.posts);
                if !self.goes_on(posts.len() as u64) {
                    return;
                }
                let number = posts.len();
                posts.push(unlike(number));
                number
            };
            if dice.below(2) == 0 {
                self.fault(&mut dice).await;
            }
            let mut platforms = vec![json!({"platform": "linkedin", "accountId": format!("acc_{}", number % 40)})];
            if dice.below(3) == 0 {
                platforms.push(json!({"platform": "bluesky", "accountId": format!("acc_b{}", number % 40)}));
            }
            let body = json!({"content": unlike(number), "platforms": platforms, "publishNow": true});
            let file = self.place.files().join(format!("post-{number}.json"));
            fs::write(&file, body.to_string()).expect("a file");
            let (place, pozy) = (Arc::clone(&self.place), self.pozy.clone());
            let ran = spawn_blocking(move || {
                let data = place.data().display().to_string();
                let file = file.display().to_string();
                // With over 10,000 messages lately new words need that word, and before it is nothing more.
                let meant = ["--confirm", "creates_first"];
                place.run(&[&["submit", &file, "--pozy", &pozy, "--json", "--data", &data][..], &meant].concat())
            });
            let ran = ran.await.expect("it ran").expect("it ran");
            assert_eq!(ran.exit, Some(0), "{} {}", ran.out, ran.err);
            tokio::time::sleep(BREATH).await;
        }
    }

    async fn fault(&self, dice: &mut Dice) {
        let post = "POST /v1/posts";
        let fault = match dice.below(14) {
            0 => json!({"on": post, "do": "status", "status": 503}),
            1 => json!({"on": post, "do": "status", "status": 500, "retry_after": "soon"}),
            2 => json!({"on": post, "do": "status", "status": 429, "retry_after": 1}),
            3 | 4 => json!({"on": post, "do": "cut_before"}),
            5 | 6 => json!({"on": post, "do": "cut_after"}),
            7 => json!({"on": post, "do": "stall", "seconds": 1.5}),
            8 => json!({"on": "delivery", "do": "copies", "copies": 2 + dice.below(4)}),
            9 => json!({"on": "delivery", "do": "shuffle", "seconds": 3, "times": 2}),
            10 => json!({"on": "delivery", "do": "wrong_signature"}),
            11 => json!({"on": "delivery", "do": "drop"}),
            12 => json!({"on": "delivery", "do": "lose_answer"}),
            _ => json!({"on": "publish", "do": "fail"}),
        };
        let name = format!("{} {}", fault["on"].as_str().unwrap_or_default(), fault["do"].as_str().unwrap_or_default());
        *locked(&self.faults).entry(name).or_default() += 1;
        let answer = self.client.post(format!("{}/sandbox/faults", self.pozy)).body(fault.to_string()).send().await;
        assert_eq!(answer.expect("the sandbox").status(), 200, "{fault}");
    }

    pub(super) async fn clear_faults(&self) {
        let answer = self.client.delete(format!("{}/sandbox/faults", self.pozy)).send().await;
        assert_eq!(answer.expect("the sandbox").status(), 200);
    }

    /// One message after another, of which one in eight is not as it should be.
    async fn call(&self, mut dice: Dice) {
        loop {
            let number = {
                let mut strangers = locked(&self.strangers);
                if !self.goes_on(strangers.len() as u64 / 10) {
                    return;
                }
                let number = strangers.len() as u64;
                strangers.insert(number, None);
                number
            };
            let of = if dice.below(5) == 0 { dice.below(number + 1) } else { number };
            let body = json!({"id": format!("evt_stranger_{of}"), "event": "account.connected",
                              "timestamp": "2026-04-14T08:00:00Z", "account": {"accountId": format!("acc_s{of}")}});
            let odd = dice.below(40);
            let body = match odd {
                0 => format!("{{\"id\":\"evt_{number}\","),
                1 => format!("{{\"id\":\"evt_{number}\",\"pad\":\"{}\"}}", "x".repeat(1 << 20)),
                _ => body.to_string(),
            };
            let right = signature(SECRET, body.as_bytes());
            let wanted = if odd == 1 { 413 } else { 204 };
            let (given, wanted) = match odd {
                2 => (Some(signature("another", body.as_bytes())), 401),
                3 => (None, 401),
                _ => (Some(right), wanted),
            };
            let mut request = self.client.post(&self.receiver).header("x-sent", number.to_string());
            if let Some(given) = given {
                request = request.header("x-pozy-signature", given);
            }
            if let Ok(answer) = request.body(body).send().await {
                let status = answer.status().as_u16();
                assert!(status == wanted || status == 503, "{status} where {wanted} is right");
                locked(&self.strangers).insert(number, Some(status));
            } else {
                assert_eq!(wanted, 413, "only what is too large is cut off");
            }
            tokio::time::sleep(STRANGERS_BREATH).await;
        }
    }

    /// Has the sandbox send an event once more.
    pub(super) async fn redeliver(&self, row: &Value) {
        let body = json!({"webhookId": row["webhookId"], "eventId": row["eventId"]}).to_string();
        let to = format!("{}/v1/webhooks/logs/redeliver", self.pozy);
        let request =
            self.client.post(to).header("authorization", format!("Bearer {}", self.place.get("POZY_API_KEY")));
        let answer = request.body(body).send().await.expect("the sandbox");
        assert_eq!(answer.status(), 200, "{row}");
    }
}

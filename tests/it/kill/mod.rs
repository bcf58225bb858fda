//! Power cuts: the real program is ended with kill -9 at the worst moments, and nothing that was answered is missing
//! and nothing is sent twice. `REPRISE_KILL_ROUNDS` (default 4) sets how many rounds each test plays that has rounds.

mod bulk;
mod gate;
mod many;
mod receiver;
mod sender;
mod several;

use std::{
    env,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use pozy_sandbox::{Handle, Options, Sandbox};
use serde_json::{Value, json};

use crate::{
    program::{Place, Running},
    wait,
};
use gate::Gate;

/// Rounds of a test that repeats itself.
fn rounds() -> usize {
    env::var("REPRISE_KILL_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(4)
}

/// Rounds of one log, after which it comes to rest: a try that died again and again is asked later and later.
const CHAPTER: usize = 4;
/// Logs that are played side by side.
const AT_ONCE: usize = 3;

/// What all chapters came to.
struct Played {
    /// The longest that a log took to come to rest, milliseconds.
    slowest_ms: i64,
    /// Where the last of them was played.
    last: Place,
}

/// Plays all rounds, a few on each log, with dice of its own for each; `play` gives how long its log took to come to
/// rest, once it holds.
fn in_chapters<F: Future<Output = (i64, Place)>>(play: impl Fn(Dice, usize) -> F + Sync) -> Played {
    let next = AtomicUsize::new(0);
    let one_after_another = || {
        let mut played = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(left) = rounds().checked_sub(number * CHAPTER).filter(|left| *left > 0) else { return played };
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
            let (ms, place) = runtime.expect("a runtime").block_on(play(Dice(7 + number as u64), CHAPTER.min(left)));
            assert_eq!(place.leaks(), 0, "secrets in files or words of the program");
            played.push((ms, place));
        }
    };
    let mut played: Vec<(i64, Place)> = thread::scope(|scope| {
        let players: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(one_after_another)).collect();
        players.into_iter().flat_map(|player| player.join().expect("it holds")).collect()
    });
    let slowest_ms = played.iter().map(|(ms, _)| *ms).max().unwrap_or_default();
    Played { slowest_ms, last: played.pop().expect("a log").1 }
}

/// A fresh log, a sandbox, and the gate between them.
struct Scene {
    place: Place,
    sandbox: Handle,
    gate: Gate,
}

/// Words that are far from those of any other number, so that none is taken for a near copy of another.
pub(crate) fn unlike(number: usize) -> String {
    let letter = |digit: usize| char::from(b'a' + u8::try_from(digit % 26).unwrap_or_default()).to_string().repeat(8);
    [number / 676, number / 26, number].map(letter).join(" ")
}

impl Scene {
    async fn new() -> Self {
        let sandbox = Sandbox::start(Options::default()).await.expect("a sandbox");
        let gate = Gate::before(sandbox.addr()).await;
        let mut place = Place::new();
        place.set("POZY_API_KEY", sandbox.api_key());
        Self { place, sandbox, gate }
    }

    /// Writes the body of a post with these words and gives its bytes.
    fn post(&self, file: &str, words: &str) -> String {
        let body = json!({
            "content": words, "platforms": [{"platform": "linkedin", "accountId": "acc_mill"}],
            "scheduledFor": "2032-02-03T08:30:00", "timezone": "Europe/London"
        });
        let bytes = format!("{body:#}");
        std::fs::write(self.place.files().join(file), &bytes).expect("a file");
        bytes
    }

    /// Starts `submit` of the file in the background.
    fn submit(&self, file: &str) -> Running {
        self.place.background("submit", &["submit", file, "--pozy", self.gate.url()])
    }

    /// Starts the receiver and sender in the background; it may die before its first line.
    fn listen(&self) -> Running {
        self.place.background("listen", &["listen", "--on", "127.0.0.1:0", "--pozy", self.gate.url()])
    }

    fn jobs(&self) -> Vec<Value> {
        self.place.lines(&["jobs"])
    }

    /// Waits until so many jobs are there, all of them done.
    async fn all_done(&self, jobs: usize) {
        wait::until(&format!("{jobs} jobs done"), || {
            let rows = self.jobs();
            (rows.len() == jobs && rows.iter().all(|row| row["state"] == "done")).then_some(()).ok_or(json!(rows))
        })
        .await;
    }

    /// Holds if the jobs that are there made one post each, all attempts of a job bore one key, one request id and the
    /// very bytes of its file, and Pozy never met two of them at once.
    fn one_post_per_job(&self) {
        let (jobs, ledger) = (self.jobs(), self.sandbox.ledger());
        assert_eq!(ledger.posts.len(), jobs.len(), "{jobs:?} {:?}", ledger.posts);
        assert_eq!(ledger.keys.len(), jobs.len());
        assert_eq!(self.gate.most_at_once(), 1, "requests with one key on the wire at once");
        let requests = self.gate.requests();
        let attempts = self.place.lines(&["attempts"]);
        for job in &jobs {
            let own: Vec<_> = requests.iter().filter(|request| job["key"] == *request.key).collect();
            assert!(!own.is_empty(), "no request of {job}");
            assert!(own.iter().all(|request| request.body == own[0].body && request.request_id == own[0].request_id));
            let rows: Vec<_> = attempts.iter().filter(|row| row["job"] == job["job"]).collect();
            assert!(rows.iter().all(|row| row["key"] == job["key"]));
            assert!(rows.len() >= own.len(), "every request has a row: {rows:?}");
            assert!(own.len() as u64 <= job["attempts"].as_u64().unwrap_or(0), "{job}");
            let posts = ledger.keys.iter().filter(|row| job["key"] == *row.key).map(|row| &row.post);
            assert_eq!(posts.map(|post| json!(post)).collect::<Vec<_>>(), [job["post"].clone()]);
        }
        assert!(requests.iter().all(|request| jobs.iter().any(|job| job["key"] == *request.key)), "a key of no job");
    }
}

/// Numbers that look random and repeat from run to run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

//! Live traffic with random faults: the real receiver and sender towards the real sandbox, posts and messages all the
//! time, and in the end both sides agree to the row. `REPRISE_SOAK_MINUTES` (`tests/soak.sh`) makes it last; then memory,
//! open files and threads of the receiver are held, too, and the figures go to `tests/SOAK.md`.

mod agree;
mod gauge;
mod report;
mod traffic;

use std::{env, sync::Arc, time::Duration};

use reprise_core::clock::Clock;
use serde_json::Value;

use crate::{
    program::{Place, Running},
    wait,
};
use gauge::Gauge;
use traffic::Traffic;

const SECRET: &str = "millstone-and-sluice-5";
/// How long both sides may take to come to rest.
const REST_MS: i64 = 300_000;
const PAUSE: Duration = Duration::from_millis(300);

/// How much is played.
#[derive(Clone, Copy, Debug)]
enum Length {
    /// So many posts, and ten times as many messages of strangers.
    Posts(u64),
    /// So long, milliseconds.
    Time(i64),
}

impl Length {
    fn of_env() -> Self {
        match env::var("REPRISE_SOAK_MINUTES").ok().and_then(|minutes| minutes.parse::<i64>().ok()) {
            Some(minutes) => Self::Time(minutes * 60_000),
            None => Self::Posts(24),
        }
    }
}

/// The two programs.
struct Stage {
    place: Arc<Place>,
    pozy: String,
    receiver: String,
    listen: Running,
    _sandbox: Running,
}

impl Stage {
    fn new() -> Self {
        let mut place = Place::new();
        place.wait_longer(Duration::from_secs(600));
        let mut sandbox = place.background("sandbox", &["sandbox", "--on", "127.0.0.1:0"]);
        let line = sandbox.first_line().expect("a sandbox");
        let text = |line: &Value, name: &str| line[name].as_str().map(str::to_owned).expect("a text");
        place.set("POZY_API_KEY", &text(&line, "api_key"));
        place.set("POZY_WEBHOOK_SECRET", SECRET);
        let pozy = text(&line, "pozy");
        let mut listen = place.background("listen", &["listen", "--on", "127.0.0.1:0", "--pozy", &pozy]);
        let receiver = text(&listen.first_line().expect("it listens"), "receiver");
        Self { place: Arc::new(place), pozy, receiver, listen, _sandbox: sandbox }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn live_traffic_with_random_faults_agrees_to_the_row() {
    let length = Length::of_env();
    let mut stage = Stage::new();
    let (since, gauge) = (Clock::stopwatch(), Gauge::on(stage.listen.id()));
    let traffic = Traffic::new(&stage, length);
    traffic.play(&gauge).await;
    let played_ms = since.ms();
    traffic.clear_faults().await;
    let rest = Clock::stopwatch();
    let agreed = loop {
        match agree::agreed(&stage, &traffic).await {
            Ok(agreed) => break agreed,
            Err(why) => assert!(rest.ms() < REST_MS, "{why}"),
        }
        tokio::time::sleep(PAUSE).await;
    };
    let said: Vec<String> = stage.listen.printed();
    let leaks = stage.place.leaks() + u64::from(said.iter().any(|line| stage.place.tells(line)));
    assert_eq!(leaks, 0, "files and words of the program that hold the API key or the secret");
    assert!(stage.listen.runs(), "it runs to the end");
    let held = gauge.held();
    if let Length::Time(_) = length {
        held.is_flat();
        report::write(played_ms, &agreed, &held);
    }
    assert_eq!(stage.listen.stop().expect("it stops"), Some(0));
    wait::patiently("the gauge's end", gauge.stop()).await;
}

//! A desk as the core opens it, without a host.

use std::path::Path;

use reprise_core::{
    clock::{Clock, Moment},
    desk::{Desk, Options, Runs},
};

/// Opens the log in `dir` with a clock that stands at `now`, milliseconds since 1970.
pub(crate) async fn open(dir: &Path, now: i64, runs: Runs) -> Desk {
    let options = Options {
        data: dir.to_owned(),
        cards: dir.join("cards"),
        clock: Clock::standing(Moment::from_millis(now)),
        given: None,
        webhook_secret: None,
        runs,
    };
    Desk::open(options).await.unwrap()
}

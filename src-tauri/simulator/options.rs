//! Everything about the sandbox that can be turned, with defaults. What the two documents of Pozy leave open is here
//! and never a constant elsewhere (`pozy.md` T7 and section 2).

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::clock::Pace;
use crate::ids::AccountId;
use crate::step::TimedStep;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: Duration = Duration::from_secs(24 * HOUR);

/// How a sandbox starts. `Options::default()` listens on a free loopback port, with a running clock and made secrets.
#[derive(Clone)]
pub struct Options {
    /// Where to listen; port 0 takes a free one.
    pub addr: SocketAddr,
    /// Whether the clock runs or stands still.
    pub pace: Pace,
    /// Where the clock starts; the machine's time if absent.
    pub now: Option<DateTime<Utc>>,
    /// The API key of the first workspace; made at random if absent.
    pub api_key: Option<String>,
    /// The secret of webhooks that are registered without one; made at random if absent.
    pub webhook_secret: Option<String>,
    /// How long a receiver may take to answer, in real time (R2: 5 s).
    pub deadline: Duration,
    /// The waits before the second, third ... try of a delivery, by the sandbox's clock (R3: about 33 h in all).
    pub ladder: Vec<Duration>,
    /// From publishing to the roll-up, by the sandbox's clock; the targets end at even steps in between.
    pub publish_delay: Duration,
    /// Names of the headers on a delivery.
    pub headers: HeaderNames,
    /// How Pozy settles what its documents leave open.
    pub contract: Contract,
    /// Accounts that are there before anyone posts.
    pub accounts: Vec<AccountSeed>,
    /// Requests a minute by the sandbox's clock and workspace; beyond it 429. Unlimited if absent.
    pub rate_limit: Option<u32>,
    /// Makes ids and shuffles repeat from run to run.
    pub seed: Option<u64>,
    /// Control steps that the clock sets off.
    pub script: Vec<TimedStep>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            addr: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            pace: Pace::Real,
            now: None,
            api_key: None,
            webhook_secret: None,
            deadline: Duration::from_secs(5),
            // 33.1 h in all. Only the sum is known; the steps are assumed (`pozy.md` section 2).
            ladder: [10, 100, 1_000, 10_000, 6 * HOUR, 24 * HOUR].map(Duration::from_secs).to_vec(),
            publish_delay: Duration::from_secs(1),
            headers: HeaderNames::default(),
            contract: Contract::default(),
            accounts: Vec::new(),
            rate_limit: None,
            seed: None,
            script: Vec::new(),
        }
    }
}

/// Names of the headers on a delivery (assumed, `pozy.md` section 2).
#[derive(Clone, Debug)]
pub struct HeaderNames {
    /// Carries the event's name.
    pub event: String,
    /// Carries the event's id a second time.
    pub event_id: String,
    /// Carries the signature.
    pub signature: String,
    /// Stands before the hexadecimal digits of the signature; empty by default.
    pub signature_prefix: String,
}

impl Default for HeaderNames {
    fn default() -> Self {
        Self {
            event: "X-Pozy-Event".into(),
            event_id: "X-Pozy-Event-Id".into(),
            signature: "X-Pozy-Signature".into(),
            signature_prefix: String::new(),
        }
    }
}

/// The parts of Pozy's behaviour that its documents give as a figure or leave open.
#[derive(Clone, Debug)]
pub struct Contract {
    /// How long a key is remembered; the last instant still counts (R12).
    pub key_life: Duration,
    /// Counts the life of a key from the end of the work instead of from the first request (T7).
    pub key_life_from_completion: bool,
    /// How long after publishing the same content is refused (R10).
    pub content_window: Duration,
    /// How long an `x-request-id` is remembered (assumed).
    pub request_id_life: Duration,
    /// One repeated target refuses the whole post; else the repeated targets fail and the rest goes out (T7).
    pub one_repeat_refuses_all: bool,
    /// How long delivery logs can be read and redelivered (assumed).
    pub log_life: Duration,
}

impl Default for Contract {
    fn default() -> Self {
        Self {
            key_life: DAY,
            key_life_from_completion: false,
            content_window: DAY,
            request_id_life: DAY,
            one_repeat_refuses_all: true,
            log_life: DAY * 30,
        }
    }
}

/// An account that is connected from the start.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AccountSeed {
    /// Its id.
    pub account: AccountId,
    /// The platform it is on, such as `linkedin`.
    pub platform: String,
    /// The name that people know it by.
    pub name: String,
}

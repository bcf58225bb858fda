//! Faults on demand: a queue of things that go wrong, each so many times, in the order they were given.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Error;
use crate::ids::AccountId;

/// Where a fault strikes on deliveries.
pub(crate) const DELIVERY: &str = "delivery";
/// Where a fault strikes on publishing.
pub(crate) const PUBLISH: &str = "publish";

/// Something that goes wrong the next `times` times it can.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fault {
    /// What it strikes: `POST /v1/posts` (a trailing `*` takes every path that starts so), `delivery` or `publish`.
    pub on: String,
    /// What happens.
    #[serde(flatten)]
    pub deed: Deed,
    /// How often; 1 if not given.
    #[serde(default = "once")]
    pub times: u32,
    /// Only deliveries of the event with this name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// Only the publishing to this account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<AccountId>,
}

/// What a fault does, under the name `do`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Deed {
    /// Request: nothing goes wrong, so that a fault behind it strikes a later request.
    Pass,
    /// Request: the connection closes before any work.
    CutBefore,
    /// Request: the work is done, then the connection closes without an answer.
    CutAfter,
    /// Request: the work is done, then the answer is held, in real time, or until the client goes away.
    Stall {
        /// Seconds of real time.
        #[serde(default = "minute")]
        seconds: f64,
    },
    /// Request: another answer instead of the work.
    Status {
        /// The status of the answer.
        status: u16,
        /// `Retry-After`, as seconds or as any text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after: Option<Value>,
        /// `code` in the usual error body.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<String>,
        /// A body instead of the usual one: JSON, or a text that is sent as it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        body: Option<Value>,
        /// More headers.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        headers: BTreeMap<String, String>,
    },
    /// `POST /v1/posts` only: the work takes this long by the sandbox's clock, and the key is running meanwhile (R9).
    Slow {
        /// Seconds by the sandbox's clock.
        seconds: f64,
    },
    /// Delivery: sent this many times at once.
    Copies {
        /// How many in all.
        #[serde(default = "two")]
        copies: u32,
    },
    /// Delivery: the first try waits, so that later events arrive before it (R4).
    Hold {
        /// Seconds by the sandbox's clock.
        seconds: f64,
    },
    /// Delivery: like `hold`, for a part of `seconds` that the seed decides.
    Shuffle {
        /// The longest wait, in seconds by the sandbox's clock.
        seconds: f64,
    },
    /// Delivery: signed with another secret.
    WrongSignature,
    /// Delivery: never leaves; tried again by the ladder.
    Drop,
    /// Delivery: arrives, but its answer is lost; tried again by the ladder (R2).
    LoseAnswer,
    /// Publish: the target fails.
    Fail {
        /// What the platform said.
        #[serde(default = "rejected")]
        error: String,
    },
}

fn once() -> u32 {
    1
}

fn two() -> u32 {
    2
}

fn minute() -> f64 {
    60.0
}

fn rejected() -> String {
    "The platform rejected the post".into()
}

/// The names that a fault may carry; any other is a slip of the pen that must not pass for a default.
const NAMES: [&str; 13] = [
    "on",
    "do",
    "times",
    "event",
    "account",
    "seconds",
    "status",
    "retry_after",
    "code",
    "body",
    "headers",
    "copies",
    "error",
];

impl Fault {
    /// Reads a fault and refuses names that no fault has.
    ///
    /// # Errors
    /// [`Error::Script`] for another shape, [`Error::Refused`] for a fault that makes no sense.
    pub fn read(value: Value) -> Result<Self, Error> {
        if let Some(odd) = value.as_object().and_then(|map| map.keys().find(|key| !NAMES.contains(&key.as_str()))) {
            return Err(Error::Refused(format!("a fault has no field {odd}")));
        }
        let fault: Self = serde_json::from_value(value)?;
        fault.check()?;
        Ok(fault)
    }

    /// Holds if `do` can happen where `on` says, and every figure can be waited for.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let place = match self.deed {
            Deed::Pass | Deed::CutBefore | Deed::CutAfter | Deed::Stall { .. } | Deed::Status { .. } => {
                self.on.contains(" /v1/")
            }
            Deed::Slow { .. } => self.on == "POST /v1/posts",
            Deed::Fail { .. } => self.on == PUBLISH,
            _ => self.on == DELIVERY,
        };
        if !place {
            return Err(Error::Refused(format!("this fault cannot strike {}", self.on)));
        }
        match self.deed {
            Deed::Stall { seconds } | Deed::Slow { seconds } | Deed::Hold { seconds } | Deed::Shuffle { seconds } => {
                seconds_of(seconds).map(drop)
            }
            Deed::Status { status, .. } if !(200..=599).contains(&status) => {
                Err(Error::Refused(format!("{status} is no status of an answer")))
            }
            Deed::Copies { copies } if !(1..=100).contains(&copies) => {
                Err(Error::Refused("copies must be 1 to 100".into()))
            }
            _ => Ok(()),
        }
    }

    fn strikes_request(&self, route: &str) -> bool {
        match self.on.strip_suffix('*') {
            Some(start) => route.starts_with(start),
            None => self.on == route,
        }
    }
}

/// A span from a control step, up to ten years.
///
/// # Errors
/// [`Error::Refused`] for a negative, endless or absurd number.
pub(crate) fn seconds_of(seconds: f64) -> Result<Duration, Error> {
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|span| *span <= Duration::from_secs(3653 * 86_400))
        .ok_or_else(|| Error::Refused(format!("{seconds} is no number of seconds")))
}

/// The faults that wait for their turn.
#[derive(Default)]
pub(crate) struct Faults(VecDeque<Fault>);

impl Faults {
    pub(crate) fn add(&mut self, fault: Fault) {
        if fault.times > 0 {
            self.0.push_back(fault);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Fault> {
        self.0.iter()
    }

    /// The fault for a request such as `POST /v1/posts`, if one waits.
    pub(crate) fn for_request(&mut self, route: &str) -> Option<Deed> {
        self.take(|fault| fault.strikes_request(route))
    }

    /// The fault for a delivery of the event called `name`. Only a first try can be held back.
    pub(crate) fn for_delivery(&mut self, name: &str, first: bool) -> Option<Deed> {
        self.take(|fault| {
            let holds = matches!(fault.deed, Deed::Hold { .. } | Deed::Shuffle { .. });
            fault.on == DELIVERY && (first || !holds) && fault.event.as_deref().is_none_or(|event| event == name)
        })
    }

    /// What the platform says if publishing to `account` is to fail.
    pub(crate) fn for_publish(&mut self, account: &AccountId) -> Option<String> {
        let deed = self.take(|fault| fault.on == PUBLISH && fault.account.as_ref().is_none_or(|own| own == account));
        match deed {
            Some(Deed::Fail { error }) => Some(error),
            _ => None,
        }
    }

    fn take(&mut self, strikes: impl Fn(&Fault) -> bool) -> Option<Deed> {
        let place = self.0.iter().position(strikes)?;
        let fault = self.0.get_mut(place)?;
        fault.times -= 1;
        let deed = fault.deed.clone();
        if fault.times == 0 {
            self.0.remove(place);
        }
        Some(deed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fault(value: Value) -> Fault {
        Fault::read(value).unwrap()
    }

    #[test]
    fn faults_strike_in_the_order_given_and_as_often_as_told() {
        let mut faults = Faults::default();
        faults.add(fault(json!({"on": "POST /v1/posts", "do": "cut_before", "times": 2})));
        faults.add(fault(json!({"on": "POST /v1/*", "do": "status", "status": 503, "retry_after": 7})));
        assert_eq!(faults.for_request("POST /v1/posts"), Some(Deed::CutBefore));
        assert_eq!(faults.for_request("GET /v1/posts"), None);
        assert_eq!(faults.for_request("POST /v1/posts"), Some(Deed::CutBefore));
        assert!(matches!(faults.for_request("POST /v1/posts"), Some(Deed::Status { status: 503, .. })));
        assert_eq!(faults.for_request("POST /v1/posts"), None);
    }

    #[test]
    fn the_fourth_request_is_struck_after_three_that_pass() {
        let mut faults = Faults::default();
        faults.add(fault(json!({"on": "POST /v1/posts", "do": "pass", "times": 3})));
        faults.add(fault(json!({"on": "POST /v1/posts", "do": "status", "status": 429, "retry_after": 30})));
        let struck: Vec<bool> =
            (0..5).map(|_| matches!(faults.for_request("POST /v1/posts"), Some(Deed::Status { .. }))).collect();
        assert_eq!(struck, [false, false, false, true, false]);
    }

    #[test]
    fn a_delivery_fault_waits_for_its_event_and_a_hold_for_a_first_try() {
        let mut faults = Faults::default();
        faults.add(fault(json!({"on": "delivery", "do": "hold", "seconds": 3, "event": "post.failed"})));
        assert_eq!(faults.for_delivery("post.published", true), None);
        assert_eq!(faults.for_delivery("post.failed", false), None);
        assert_eq!(faults.for_delivery("post.failed", true), Some(Deed::Hold { seconds: 3.0 }));
    }

    #[rstest::rstest]
    #[case(json!({"on": "delivery", "do": "cut_after"}))]
    #[case(json!({"on": "POST /v1/posts", "do": "hold", "seconds": 1}))]
    #[case(json!({"on": "GET /v1/posts", "do": "slow", "seconds": 1}))]
    #[case(json!({"on": "POST /v1/posts", "do": "stall", "seconds": -1}))]
    #[case(json!({"on": "POST /v1/posts", "do": "status", "status": 99}))]
    #[case(json!({"on": "POST /v1/posts", "do": "cut_after", "time": 2}))]
    #[case(json!({"on": "POST /v1/posts", "do": "explode"}))]
    fn a_fault_that_makes_no_sense_is_refused(#[case] value: Value) {
        assert!(Fault::read(value).is_err());
    }
}

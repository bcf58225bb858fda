//! Control steps: what the control endpoints, a script and the practice story can tell the sandbox to do.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Error;
use crate::faults::Fault;
use crate::ids::{AccountId, PostId};
use crate::world::TargetStatus;

/// Sets a target of a post, at the sandbox's present time, whatever it was before.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetChange {
    /// The post by its id ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub post: Option<PostId>,
    /// ... or the newest post with exactly this text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The account whose target it is.
    pub account: AccountId,
    /// What the target becomes.
    pub status: TargetStatus,
    /// For a failed target: what the platform said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Connects or disconnects an account, and tells every webhook so.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccountChange {
    /// The account; made if it is new.
    pub account: AccountId,
    /// Its platform; kept, or `linkedin` for a new account, if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// True for connected.
    pub connected: bool,
}

/// What a step does.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Step {
    /// Adds a fault to the queue.
    Fault {
        /// The fault.
        fault: Fault,
    },
    /// Sets a target.
    Target {
        /// The change.
        target: TargetChange,
    },
    /// Connects or disconnects an account.
    Account {
        /// The change.
        account: AccountChange,
    },
    /// Moves the clock forward and runs what falls due.
    Clock {
        /// Seconds, fractions allowed.
        advance_s: f64,
    },
    /// Sends a post. Not the sandbox's to do: the program that plays the story sends it with its own sender.
    Submit {
        /// The body of `POST /v1/posts`.
        body: Value,
        /// The effect that the program's own check must be told to let through, such as `creates_second`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        confirm: Option<String>,
    },
    /// Nothing but words for whoever watches.
    Say,
}

/// A step and when it is due.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TimedStep {
    /// Seconds after the start.
    pub at_s: f64,
    /// What the person who watches is told, in plain words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub says: Option<String>,
    /// What happens.
    #[serde(flatten)]
    pub step: Step,
}

/// Reads a script: a JSON list of timed steps, in any order.
///
/// # Errors
/// [`Error::Script`] for another shape, [`Error::Refused`] for a step that makes no sense or that the sandbox cannot
/// play by itself.
pub fn read_script(text: &str) -> Result<Vec<TimedStep>, Error> {
    let steps: Vec<TimedStep> = serde_json::from_str(text)?;
    for timed in &steps {
        timed.check()?;
        match timed.step {
            Step::Submit { .. } => return Err(Error::Refused("a script sends no posts of its own".into())),
            Step::Clock { .. } => return Err(Error::Refused("a script is set off by the clock it would move".into())),
            _ => {}
        }
    }
    Ok(steps)
}

impl TimedStep {
    /// Holds if the time can be waited for and the step makes sense.
    pub(crate) fn check(&self) -> Result<(), Error> {
        crate::faults::seconds_of(self.at_s)?;
        match &self.step {
            Step::Fault { fault } => fault.check(),
            Step::Clock { advance_s } => crate::faults::seconds_of(*advance_s).map(drop),
            Step::Target { target } if target.post.is_none() == target.text.is_none() => {
                Err(Error::Refused("a target needs either `post` or `text`".into()))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_a_list_of_timed_steps() {
        let steps = read_script(
            r#"[{"at_s": 2, "do": "fault", "fault": {"on": "delivery", "do": "copies", "copies": 3}},
                {"at_s": 4.5, "do": "target", "target": {"text": "Doors open.", "account": "ac_li", "status": "failed"}},
                {"at_s": 5, "do": "say", "says": "Watch the ring."}]"#,
        )
        .unwrap();
        assert_eq!(steps.len(), 3);
        assert!(matches!(&steps[0].step, Step::Fault { fault } if fault.times == 1));
    }

    #[rstest::rstest]
    #[case(r#"[{"at_s": 1, "do": "submit", "body": {}}]"#)]
    #[case(r#"[{"at_s": 1, "do": "clock", "advance_s": 5}]"#)]
    #[case(r#"[{"at_s": -1, "do": "say"}]"#)]
    #[case(r#"[{"at_s": 1, "do": "fault", "fault": {"on": "publish", "do": "cut_after"}}]"#)]
    #[case(r#"[{"at_s": 1, "do": "target", "target": {"account": "ac_li", "status": "failed"}}]"#)]
    #[case("{}")]
    fn what_a_script_cannot_do_is_refused_when_it_is_read(#[case] text: &str) {
        assert!(read_script(text).is_err());
    }
}

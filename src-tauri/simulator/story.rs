//! The two-minute story of the practice mode: a lost answer, a copy, a late event, a double post after a refusal.

use std::time::Duration;

use serde::Deserialize;

use crate::error::Error;
use crate::options::{AccountSeed, Options};
use crate::step::{Step, TimedStep};

/// The story as the program plays it: it sends the [`Step::Submit`] steps with its own sender and hands every other
/// step to [`Handle::play`](crate::Handle::play), each at its time after the start.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Story {
    /// The accounts that are connected when it begins.
    pub accounts: Vec<AccountSeed>,
    /// The waits between tries of a delivery, in seconds: the first is what the copy of the story comes by.
    pub ladder_s: Vec<u64>,
    /// From publishing to the roll-up, in seconds.
    pub publish_s: u64,
    /// The steps in order of time.
    pub steps: Vec<TimedStep>,
}

impl Story {
    /// The story that comes with the sandbox.
    ///
    /// # Errors
    /// [`Error::Script`] or [`Error::Refused`] if the file that was built in is not a story.
    pub fn built_in() -> Result<Self, Error> {
        Self::read(include_str!("story.json"))
    }

    /// Reads a story from JSON.
    ///
    /// # Errors
    /// [`Error::Script`] for another shape, [`Error::Refused`] for a step that makes no sense or stands out of order.
    pub fn read(text: &str) -> Result<Self, Error> {
        let story: Self = serde_json::from_str(text)?;
        for timed in &story.steps {
            timed.check()?;
        }
        if !story.steps.is_sorted_by(|before, after| before.at_s <= after.at_s) {
            return Err(Error::Refused("the steps of a story must be in order of time".into()));
        }
        Ok(story)
    }

    /// Options for a sandbox that this story can be played in.
    pub fn options(&self) -> Options {
        Options {
            accounts: self.accounts.clone(),
            ladder: self.ladder_s.iter().copied().map(Duration::from_secs).collect(),
            publish_delay: Duration::from_secs(self.publish_s),
            ..Options::default()
        }
    }

    /// How many posts the program sends in it.
    pub fn submits(&self) -> usize {
        self.steps.iter().filter(|timed| matches!(timed.step, Step::Submit { .. })).count()
    }
}

//! Which jobs a bulk takes: a filter over the whole log, never over the page that is on the screen (S15). Pure.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{
    clock::Moment,
    error::{Error, Result},
    ids::AccountId,
    outbound::outcome::State,
};

/// How far back a bulk looks unless somebody says otherwise, hours: an outage of a night and the day before it.
const SINCE_H: u32 = 30;
/// Furthest back, hours: ten years.
const MOST_H: u32 = 87_660;

/// Why a job did not finish well. A closed list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "BulkKind", export_to = "wire.ts")]
pub enum Kind {
    /// Nobody knows whether the post was made.
    Unknown,
    /// It is asked again by itself later.
    Waiting,
    /// Nothing of it ever left.
    NeverSent,
    /// The same content was there (R10).
    Refused,
    /// Pozy said no.
    Stopped,
    /// Pozy made the post, and every target failed.
    Failed,
    /// Some targets failed.
    PartlyLive,
}

impl Kind {
    /// All there are.
    pub const ALL: [Self; 7] =
        [Self::Unknown, Self::Waiting, Self::NeverSent, Self::Refused, Self::Stopped, Self::Failed, Self::PartlyLive];

    /// The word in JSON and on the command line.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Waiting => "waiting",
            Self::NeverSent => "never_sent",
            Self::Refused => "refused",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
            Self::PartlyLive => "partly_live",
        }
    }

    /// Why a job in `state`, whose post was told of so, did not finish well; none if it did, or a person stopped it.
    #[must_use]
    pub fn of(state: State, told: &Told) -> Option<Self> {
        match state {
            State::Unknown => Some(Self::Unknown),
            State::Waiting | State::Sending => Some(Self::Waiting),
            State::Draft => Some(Self::NeverSent),
            State::Refused => Some(Self::Refused),
            State::Stopped => Some(Self::Stopped),
            State::Cancelled => None,
            State::Done if told.failed() => Some(Self::Failed),
            State::Done if told.partly() => Some(Self::PartlyLive),
            State::Done => None,
        }
    }
}

/// What is asked for. With `jobs` it is those and no others; else every job that did not finish well and fits all the
/// rest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
#[ts(rename = "BulkFilter", export_to = "wire.ts")]
pub struct Filter {
    /// These jobs, by their marks.
    #[ts(optional, as = "Option<Vec<String>>")]
    pub jobs: Vec<String>,
    /// Asked for in the last so many hours; 30 unless said.
    #[ts(optional)]
    pub since_h: Option<u32>,
    /// Only for these reasons; empty for all of them.
    #[ts(optional, as = "Option<Vec<Kind>>")]
    pub kinds: Vec<Kind>,
    /// Only posts that hold these words, whatever their case.
    #[ts(optional)]
    pub text: Option<String>,
    /// Only posts that go to this account.
    #[ts(optional)]
    pub account: Option<String>,
    /// Jobs that were read from a file as well.
    #[ts(optional, as = "Option<bool>")]
    pub imported: bool,
}

impl Filter {
    /// From when on jobs are taken, if it is not a list of jobs.
    ///
    /// # Errors
    /// `Usage` if the span makes no sense.
    pub fn since(&self, now: Moment) -> Result<Moment> {
        let hours = self.since_h.unwrap_or(SINCE_H);
        if !(1..=MOST_H).contains(&hours) {
            return Err(Error::usage(format!("A bulk looks back 1 to {MOST_H} hours. Nothing was planned.")));
        }
        Ok(now.plus_seconds(-i64::from(hours) * 3_600))
    }

    /// True if it names its jobs.
    #[must_use]
    pub fn names(&self) -> bool {
        !self.jobs.is_empty()
    }

    /// True if a job of that kind is asked for.
    #[must_use]
    pub fn takes(&self, kind: Kind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }
}

/// What the lanes of a job's post hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The roll-up's word.
    pub whole: Option<String>,
    /// Each target's word; none while it is tied.
    pub targets: Vec<(AccountId, Option<String>)>,
}

impl Told {
    /// True if nothing of the post is live because all of it failed. A target that was cancelled was meant to go.
    #[must_use]
    pub fn failed(&self) -> bool {
        if self.targets.is_empty() {
            return self.whole.as_deref() == Some(FAILED);
        }
        self.targets.iter().all(|(_, status)| status.as_deref() == Some(FAILED))
    }

    /// True if a part of it failed.
    #[must_use]
    pub fn partly(&self) -> bool {
        self.whole.as_deref() == Some("partial") || self.targets.iter().any(|(_, status)| is_failed(status.as_deref()))
    }

    /// True if Pozy has it planned, on its way or live, and no part of it failed.
    #[must_use]
    pub fn there(&self) -> bool {
        let there = |status: &Option<String>| {
            matches!(status.as_deref(), Some("scheduled" | "publishing" | "processing" | "published"))
        };
        if self.targets.is_empty() { there(&self.whole) } else { self.targets.iter().all(|(_, status)| there(status)) }
    }

    /// The accounts where it failed.
    #[must_use]
    pub fn failed_on(&self) -> Vec<AccountId> {
        let failed = self.targets.iter().filter(|(_, status)| is_failed(status.as_deref()));
        failed.map(|(account, _)| account.clone()).collect()
    }
}

const FAILED: &str = "failed";

fn is_failed(status: Option<&str>) -> bool {
    status == Some(FAILED)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn told(whole: Option<&str>, targets: &[(&str, Option<&str>)]) -> Told {
        let targets = targets.iter().map(|(on, status)| (AccountId::new(*on), status.map(str::to_owned)));
        Told { whole: whole.map(str::to_owned), targets: targets.collect() }
    }

    #[rstest]
    #[case::live(told(Some("published"), &[]), None)]
    #[case::nothing_told(told(None, &[]), None)]
    #[case::failed(told(Some("failed"), &[]), Some(Kind::Failed))]
    #[case::failed_by_its_target(told(None, &[("a", Some("failed"))]), Some(Kind::Failed))]
    #[case::partly(told(Some("partial"), &[("a", Some("failed")), ("b", Some("published"))]), Some(Kind::PartlyLive))]
    #[case::tied(told(Some("failed"), &[("a", Some("failed")), ("b", None)]), Some(Kind::PartlyLive))]
    #[case::one_was_cancelled(
        told(Some("partial"), &[("a", Some("failed")), ("b", Some("cancelled"))]), Some(Kind::PartlyLive))]
    #[case::cancelled(told(Some("cancelled"), &[("a", Some("cancelled"))]), None)]
    fn a_done_job_finished_well_unless_a_target_failed(#[case] told: Told, #[case] kind: Option<Kind>) {
        assert_eq!(Kind::of(State::Done, &told), kind);
    }

    #[test]
    fn what_a_person_stopped_is_left_alone() {
        assert_eq!(Kind::of(State::Cancelled, &Told::default()), None);
        assert_eq!(Kind::of(State::Unknown, &Told::default()), Some(Kind::Unknown));
    }

    #[test]
    fn the_span_is_in_hours_and_has_an_end() {
        let now = Moment(0).plus_seconds(1_000_000);
        let since = |since_h| Filter { since_h, ..Filter::default() }.since(now);
        assert_eq!(since(None).unwrap(), now.plus_seconds(-30 * 3_600));
        assert_eq!(since(Some(2)).unwrap(), now.plus_seconds(-2 * 3_600));
        assert!(since(Some(0)).is_err() && since(Some(u32::MAX)).is_err());
    }
}

//! What each arrival of one event is: the first, a copy with its cause, or a test (design 1, 3.4, 3.6). Pure. Standing
//! follows arrival time, so an import that came earlier takes the first place.

use serde::{Deserialize, Serialize};

use super::{
    arrival::UNKNOWN_BODY,
    cause::{Answered, Cause, Told, cause},
};
use crate::{
    clock::Moment,
    ids::Seq,
    pozy::{contract::Contract, envelope::Nature},
};

/// How many earlier arrivals can be the cause of a copy. A ladder has fewer rungs, and without a bound an event that
/// comes ten thousand times would be read ten thousand times.
pub const LOOK_BACK: usize = 16;

/// Orders the arrivals of one event: by time, then by a hash that is the same on every computer, then as written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrivalKey {
    /// When it reached us.
    pub at: Moment,
    /// Hash over what arrived.
    pub tie: [u8; 16],
    /// Tells equal ones apart.
    pub seq: Seq,
}

/// One arrival of an event, as far as standings need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyFacts {
    /// Its place.
    pub key: ArrivalKey,
    /// First 16 bytes of SHA-256 over its body.
    pub body_hash: [u8; 16],
    /// The status we decided on.
    pub status: Option<u16>,
    /// What became of our answer.
    pub answered: Answered,
}

impl CopyFacts {
    const fn told(&self) -> Told {
        Told { seq: self.key.seq, at: self.key.at, status: self.status, answered: self.answered }
    }
}

/// What an arrival is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The first of its event.
    First,
    /// A later one.
    Duplicate,
    /// An arrival of a test; it is never a copy (R6).
    Test,
    /// Its signature is bad: it makes no event.
    Quarantined,
    /// Its body cannot be read: it makes no event.
    Unreadable,
}

impl Standing {
    /// The word in tables, JSON and exports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Duplicate => "duplicate",
            Self::Test => "test",
            Self::Quarantined => "quarantined",
            Self::Unreadable => "unreadable",
        }
    }
}

/// What judging says of one arrival.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// What it is.
    pub standing: Standing,
    /// 1 for the first arrival of an event, 0 if it makes no event.
    pub copy: i64,
    /// Why it came, for a copy.
    pub cause: Option<Cause>,
    /// Its body is not the one that counts (design 3.4).
    pub body_differs: bool,
}

impl Placed {
    /// The first arrival of an event.
    #[must_use]
    pub const fn first(nature: Nature) -> Self {
        let standing = if matches!(nature, Nature::Test) { Standing::Test } else { Standing::First };
        Self { standing, copy: 1, cause: None, body_differs: false }
    }

    /// An arrival that makes no event.
    #[must_use]
    pub const fn aside(standing: Standing) -> Self {
        Self { standing, copy: 0, cause: None, body_differs: false }
    }
}

/// What all arrivals of an event share.
#[derive(Clone, Copy, Debug)]
pub struct Common<'a> {
    /// Of the body that counts.
    pub nature: Nature,
    /// Hash of the body that counts.
    pub counts_hash: [u8; 16],
    /// The limits of the provider.
    pub contract: &'a Contract,
}

/// Places a run of arrivals in the order of their keys. `before` holds the ones just before the run, oldest first, of
/// which [`LOOK_BACK`] are enough; `first` is the event's first one and `number` the number of the first of the run.
#[must_use]
pub fn place_run(
    common: &Common<'_>,
    first: &CopyFacts,
    before: &[CopyFacts],
    run: &[CopyFacts],
    number: i64,
) -> Vec<Placed> {
    let row: Vec<Told> = before.iter().chain(run).map(CopyFacts::told).collect();
    (before.len()..)
        .zip(number..)
        .zip(run)
        .map(|((index, number), this)| {
            let standing = match (common.nature, number) {
                (Nature::Test, _) => Standing::Test,
                (_, 1) => Standing::First,
                _ => Standing::Duplicate,
            };
            let cause = if standing == Standing::Duplicate {
                let nearest_first: Vec<Told> =
                    row[index.saturating_sub(LOOK_BACK)..index].iter().rev().copied().collect();
                cause(&first.told(), &nearest_first, this.key.at, common.contract)
            } else {
                None
            };
            let known = this.body_hash != UNKNOWN_BODY && common.counts_hash != UNKNOWN_BODY;
            Placed { standing, copy: number, cause, body_differs: known && this.body_hash != common.counts_hash }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(ms: i64, body: u8) -> CopyFacts {
        let at = Moment::from_millis(ms);
        CopyFacts {
            key: ArrivalKey { at, tie: [0; 16], seq: Seq(ms) },
            body_hash: [body; 16],
            status: Some(204),
            answered: Answered::Left { took_ms: 10, at: at.plus_millis(10) },
        }
    }

    #[test]
    fn the_first_has_no_cause_and_tests_are_never_copies() {
        let pozy = Contract::shipped("pozy").unwrap();
        let copies = [copy(0, 1), copy(20_000, 1), copy(40_000, 2)];
        let common = |nature| Common { nature, counts_hash: [1; 16], contract: &pozy };
        let placed = place_run(&common(Nature::Real), &copies[0], &[], &copies, 1);
        let standings: Vec<_> =
            placed.iter().map(|placed| (placed.standing, placed.copy, placed.cause.is_some())).collect();
        assert_eq!(
            standings,
            [(Standing::First, 1, false), (Standing::Duplicate, 2, true), (Standing::Duplicate, 3, true)]
        );
        assert_eq!(placed.iter().map(|placed| placed.body_differs).collect::<Vec<_>>(), [false, false, true]);

        let tests = place_run(&common(Nature::Test), &copies[0], &[], &copies, 1);
        assert!(tests.iter().all(|placed| placed.standing == Standing::Test && placed.cause.is_none()));
    }

    #[test]
    fn a_run_is_placed_as_in_the_whole() {
        let pozy = Contract::shipped("pozy").unwrap();
        let copies: Vec<_> = (0..40).map(|n| copy(n * 7_000, 1)).collect();
        let common = Common { nature: Nature::Real, counts_hash: [1; 16], contract: &pozy };
        let whole = place_run(&common, &copies[0], &[], &copies, 1);
        for start in [1, 5, 30] {
            let before = &copies[start.max(LOOK_BACK) - LOOK_BACK..start];
            let number = i64::try_from(start).unwrap() + 1;
            assert_eq!(place_run(&common, &copies[0], before, &copies[start..], number), whole[start..]);
        }
    }
}

//! What each arrival of one event is: the first, a copy with its cause, or a test (design 1, 3.4, 3.6). Pure. Standing
//! follows arrival time, so an import that came earlier takes the first place.

use serde::{Deserialize, Serialize};

use super::cause::{Answered, Cause, Told, cause};
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

/// Places one arrival. `before` holds the arrivals just before it, nearest first, at most [`LOOK_BACK`] of them;
/// `first` is the event's first one and `copy` the number of this one.
#[must_use]
pub fn place(common: &Common<'_>, first: &CopyFacts, before: &[CopyFacts], this: &CopyFacts, copy: i64) -> Placed {
    let standing = match (common.nature, copy) {
        (Nature::Test, _) => Standing::Test,
        (_, 1) => Standing::First,
        _ => Standing::Duplicate,
    };
    let cause = if standing == Standing::Duplicate {
        let before: Vec<_> = before.iter().take(LOOK_BACK).map(CopyFacts::told).collect();
        cause(&first.told(), &before, this.key.at, common.contract)
    } else {
        None
    };
    Placed { standing, copy, cause, body_differs: this.body_hash != common.counts_hash }
}

/// Places all arrivals of an event, which must stand in the order of their keys.
#[must_use]
pub fn place_all(common: &Common<'_>, copies: &[CopyFacts]) -> Vec<Placed> {
    let Some(first) = copies.first() else { return Vec::new() };
    let mut placed = Vec::with_capacity(copies.len());
    let mut number = 0;
    for (index, this) in copies.iter().enumerate() {
        number += 1;
        let window = &copies[index.saturating_sub(LOOK_BACK)..index];
        let before: Vec<_> = window.iter().rev().copied().collect();
        placed.push(place(common, first, &before, this, number));
    }
    placed
}

//! The life of a key as a clock: since when it is used, until when Pozy surely remembers it, where the safe part ends,
//! and what changes then (R12, design 4.4). Pure.

use serde::Serialize;
use ts_rs::TS;

use super::{
    job::{Facts, Origin},
    outcome::Judged,
};
use crate::{clock::Moment, pozy::contract::Contract};

/// In which part of its life a key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum KeyPhase {
    /// It never left.
    Unused,
    /// The program may ask with it by itself.
    Safe,
    /// Pozy surely remembers it; asking is for a person.
    ByHand,
    /// Its end is too close to call.
    TooClose,
    /// Pozy surely forgot it.
    Gone,
    /// The log may lack its first use.
    Unknown,
}

/// The turning points of a key's life, by our clock; drift of the clocks only makes them come sooner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyClock {
    /// Which part it is in.
    pub phase: KeyPhase,
    /// Its first use.
    pub since: Option<Moment>,
    /// The safe part ends: from here on only a person asks.
    pub safe_until: Option<Moment>,
    /// Pozy surely remembers it until here.
    pub sure_until: Option<Moment>,
    /// Its life ends.
    pub ends: Option<Moment>,
    /// From here on Pozy surely forgot it.
    pub gone_from: Option<Moment>,
    /// What changes at the next turning point, in one sentence.
    pub says: &'static str,
}

/// The clock of the job's key at `now`; none for a job without a key.
#[must_use]
pub fn read(facts: &Facts, judged: &Judged, now: Moment, contract: &Contract) -> Option<KeyClock> {
    facts.key.as_ref()?;
    let close = contract.too_close_min * 60;
    let ends = judged.key_expires_at;
    let sure_until = ends.map(|ends| ends.plus_seconds(-close));
    let gone_from = ends.map(|ends| ends.plus_seconds(close));
    let phase = match (ends, facts.key_use.is_some()) {
        (_, false) => KeyPhase::Unused,
        (None, true) => KeyPhase::Unknown,
        _ if gone_from.is_some_and(|gone| now > gone) => KeyPhase::Gone,
        _ if sure_until.is_some_and(|sure| now > sure) => KeyPhase::TooClose,
        _ if facts.origin == Origin::Import || judged.safe_until.is_some_and(|safe| now > safe) => KeyPhase::ByHand,
        _ => KeyPhase::Safe,
    };
    let says = match phase {
        KeyPhase::Unused => "The key has not left yet; its life begins with the first try.",
        KeyPhase::Safe => {
            "Until the safe part ends, asking finds the first post or makes it: one post either way. After that only a \
             person asks."
        }
        KeyPhase::ByHand => {
            "Pozy still remembers the key, so asking finds the first post. Once the key is gone, asking would make a new \
             one."
        }
        KeyPhase::TooClose => {
            "The end of the key is too close to call: asking finds the first post, or makes a new one."
        }
        KeyPhase::Gone => "Pozy no longer finds the first post by this key. Asking would make a new one.",
        KeyPhase::Unknown => "The log does not show when this key was first used, so nobody knows when it ends.",
    };
    let since = facts.key_use.as_ref().map(|used| used.first_at);
    Some(KeyClock { phase, since, safe_until: judged.safe_until, sure_until, ends, gone_from, says })
}

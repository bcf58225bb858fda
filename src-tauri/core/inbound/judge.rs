//! The events of one resource, judged together: who was late, who ties, which lane was already further, and what each
//! lane holds (design 3.5-3.7, T1, T2). Pure: a function of the set of events and fetches, so any order of recording
//! and any repetition gives the same. Only the first arrival of an event matters here.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{
    lanes::{self, LaneState, Sighting},
    standing::ArrivalKey,
};
use crate::{
    clock::Moment,
    ids::{EventId, Lane},
    pozy::envelope::{Nature, News, Rank, Reading},
};

/// Version of the rules in this file, `lanes`, `standing` and `cause`. What an older version judged is judged anew.
pub const RULES: i64 = 2;

/// Clocks may differ this much before it is worth a flag, milliseconds.
const SKEW_MS: i64 = 1_000;
/// An event that happened this long after it arrived has no place in any order (design 3.5), milliseconds.
const UNPLACED_MS: i64 = 3_600_000;
/// A fetch says nothing about events that happened this shortly before it, milliseconds: Pozy's clock is not ours.
pub(super) const NEAR_FETCH_MS: i64 = 5_000;

/// Orders the first arrivals of different events (contract, command line).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FirstKey {
    /// When the event first reached us.
    pub at: Moment,
    /// Then by the event's id.
    pub event: EventId,
    /// Then by the hash over what arrived.
    pub tie: [u8; 16],
}

/// One event, as far as judging needs it.
#[derive(Clone, Debug)]
pub struct EventFacts {
    /// Its first arrival.
    pub first: FirstKey,
    /// Its name.
    pub name: String,
    /// When it happened.
    pub happened: Option<Moment>,
    /// Whether it counts.
    pub nature: Nature,
    /// Whether its name is known.
    pub known: bool,
    /// What it says of each lane.
    pub news: Vec<News>,
    /// Hash of its body apart from its id.
    pub twin: [u8; 16],
}

impl EventFacts {
    /// Of what the body of its first arrival says.
    #[must_use]
    pub fn of(reading: &Reading, key: &ArrivalKey) -> Self {
        Self {
            first: FirstKey { at: key.at, event: reading.event.clone(), tie: key.tie },
            name: reading.name.clone(),
            happened: reading.happened,
            nature: reading.nature,
            known: reading.known,
            news: reading.news.clone(),
            twin: reading.twin,
        }
    }

    /// How far it happened after it arrived, milliseconds; negative is the usual case.
    fn ahead_ms(&self) -> Option<i64> {
        self.happened.map(|happened| happened.ms_since(self.first.at))
    }

    /// When it happened, if it takes a place in the order of its resource.
    pub(super) fn place(&self) -> Option<Moment> {
        let placed = self.nature == Nature::Real && self.ahead_ms().is_some_and(|ahead| ahead <= UNPLACED_MS);
        self.happened.filter(|_| placed)
    }

    /// True if its clock is so far ahead that it has no place.
    pub(super) fn is_skewed_away(&self) -> bool {
        self.nature == Nature::Real && self.ahead_ms().is_some_and(|ahead| ahead > UNPLACED_MS)
    }
}

/// Where an event stands among those of its resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Placing {
    /// Nothing that happened later had arrived before it.
    InOrder,
    /// Something had.
    Late,
    /// Another event of one of its lanes has the same instant and says otherwise.
    Tie,
    /// It has no instant, or one from a clock far ahead.
    Unplaced,
}

impl Placing {
    /// The word in tables, JSON and exports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::InOrder => "in_order",
            Self::Late => "late",
            Self::Tie => "tie",
            Self::Unplaced => "unplaced",
        }
    }
}

/// What is worth knowing about an event besides its place (contract, "Judging").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventFlag {
    /// Another id tells the same happening: the endpoint may be registered twice.
    Twin,
    /// It happened after it arrived.
    ClockSkew,
    /// Its name is unknown.
    UnknownEvent,
    /// It has no instant.
    NoTimestamp,
    /// Its `test` is neither true nor absent.
    OddTest,
}

/// What judging says of one event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// Its place.
    pub placing: Placing,
    /// First arrival minus happened, only if late, milliseconds.
    pub late_by_ms: Option<i64>,
    /// Of those that overtook it, the one that happened latest.
    pub overtaken_by: Option<EventId>,
    /// Lanes that already held something newer when it first arrived.
    pub stale_lanes: Vec<Lane>,
    /// True if it moved a lane when it first arrived.
    pub applied: bool,
    /// In the order of [`EventFlag`].
    pub flags: Vec<EventFlag>,
}

/// A resource, judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// One for each event, in the order given.
    pub events: Vec<Judgement>,
    /// What each lane holds, by lane.
    pub lanes: Vec<LaneState>,
}

/// Judges all events of one resource and all that fetches said of it.
#[must_use]
pub fn judge(events: &[EventFacts], sightings: &[Sighting]) -> Judged {
    let fetched = lanes::by_lane(sightings);
    let ties = ties(events);
    let twins = twins(events);
    let mut order: Vec<usize> = (0..events.len()).collect();
    order.sort_by(|a, b| events[*a].first.cmp(&events[*b].first));

    let mut judged: Vec<Option<Judgement>> = vec![None; events.len()];
    let mut newest: Option<(Moment, &EventId)> = None;
    let mut held: HashMap<&Lane, (Moment, Rank)> = HashMap::new();
    for index in order {
        let event = &events[index];
        let place = event.place();
        let overtaken_by = match (place, newest) {
            (Some(happened), Some((later, by))) if later > happened => Some(by),
            _ => None,
        };
        let (mut stale_lanes, mut applied) = (Vec::new(), false);
        if let Some(happened) = place {
            for news in &event.news {
                let key = (happened, news.rank);
                let before = held.get(&news.lane).copied();
                let seen = lanes::seen_before(&fetched, &news.lane, event.first.at);
                let behind_fetch = seen.is_some_and(|at| at.ms_since(happened) > NEAR_FETCH_MS);
                if behind_fetch || before.is_some_and(|before| before > key) {
                    stale_lanes.push(news.lane.clone());
                } else if before.is_none_or(|before| before < key) && seen.is_none_or(|at| at < happened) {
                    applied = true;
                }
                held.insert(&news.lane, before.map_or(key, |before| before.max(key)));
            }
            if newest.is_none_or(|(later, _)| later < happened) {
                newest = Some((happened, &event.first.event));
            }
        }
        let placing = match (event.happened, place) {
            (None, _) => Placing::Unplaced,
            (Some(_), None) if event.is_skewed_away() => Placing::Unplaced,
            _ if ties[index] => Placing::Tie,
            _ if overtaken_by.is_some() => Placing::Late,
            _ => Placing::InOrder,
        };
        let late = overtaken_by.filter(|_| placing == Placing::Late);
        judged[index] = Some(Judgement {
            placing,
            late_by_ms: late.and(event.ahead_ms()).map(|ahead| ahead.saturating_neg().max(0)),
            overtaken_by: late.cloned(),
            stale_lanes,
            applied,
            flags: flags(event, twins[index]),
        });
    }
    Judged { events: judged.into_iter().flatten().collect(), lanes: lanes::states(events, &fetched) }
}

fn flags(event: &EventFacts, twin: bool) -> Vec<EventFlag> {
    let skewed = event.ahead_ms().is_some_and(|ahead| ahead > SKEW_MS);
    [
        (EventFlag::Twin, twin),
        (EventFlag::ClockSkew, skewed),
        (EventFlag::UnknownEvent, !event.known),
        (EventFlag::NoTimestamp, event.happened.is_none()),
        (EventFlag::OddTest, event.nature == Nature::Odd),
    ]
    .into_iter()
    .filter_map(|(flag, holds)| holds.then_some(flag))
    .collect()
}

/// Which events share lane and instant with another one that says otherwise (T2). At one instant only those of the
/// highest rank are heard.
fn ties(events: &[EventFacts]) -> Vec<bool> {
    let mut at_once: HashMap<(&Lane, Moment), Vec<(usize, &News)>> = HashMap::new();
    for (index, event) in events.iter().enumerate() {
        if let Some(happened) = event.place() {
            for news in &event.news {
                at_once.entry((&news.lane, happened)).or_default().push((index, news));
            }
        }
    }
    let mut tied = vec![false; events.len()];
    for mut together in at_once.into_values() {
        let top = together.iter().map(|(_, news)| news.rank).max();
        together.retain(|(_, news)| Some(news.rank) == top);
        if together.iter().any(|(_, news)| news.status != together[0].1.status) {
            for (index, _) in together {
                tied[index] = true;
            }
        }
    }
    tied
}

/// Which real events tell the same happening under another id: same name, instant and body apart from the id.
fn twins(events: &[EventFacts]) -> Vec<bool> {
    let key = |event: &EventFacts| (event.name.clone(), event.happened, event.twin);
    let mut count: HashMap<_, usize> = HashMap::new();
    for event in events.iter().filter(|event| event.nature == Nature::Real) {
        *count.entry(key(event)).or_default() += 1;
    }
    events.iter().map(|event| event.nature == Nature::Real && count.get(&key(event)).is_some_and(|n| *n > 1)).collect()
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;

//! What each lane of a resource holds: the newest news, or what a fetch saw, or nothing as long as two events of one
//! instant contradict each other (design 3.5, R5, T2). Pure; arrival order plays no part.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::judge::{EventFacts, NEAR_FETCH_MS};
use crate::{
    clock::Moment,
    ids::{EventId, Lane},
    pozy::envelope::{News, Rank},
};

/// What one fetch said of one lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The lane.
    pub lane: Lane,
    /// The state it was in; `gone` if Pozy no longer has it.
    pub status: String,
    /// When it was fetched.
    pub at: Moment,
}

/// Where a lane's state comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// An event.
    Event,
    /// A fetch.
    Observation,
}

impl Source {
    /// The word in tables, JSON and exports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Observation => "observation",
        }
    }
}

/// What a lane holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneState {
    /// The lane.
    pub lane: Lane,
    /// Its state; none while it is tied.
    pub status: Option<String>,
    /// Since when: the event's instant, or the fetch's time.
    pub as_of: Moment,
    /// The event it comes from; of events that agree the one with the smallest id.
    pub event: Option<EventId>,
    /// Where it comes from.
    pub source: Source,
    /// When a fetch last agreed or overruled; none if nothing did since.
    pub confirmed: Option<Moment>,
    /// True while events of one instant contradict each other.
    pub tie: bool,
    /// True if only a fetch can say what holds.
    pub wants_fetch: bool,
    /// What events last said, and of when, where a later fetch says otherwise (drift, design 4.9).
    pub told: Option<(String, Moment)>,
}

/// The sightings of each lane, oldest first.
pub(super) type Fetched<'a> = HashMap<&'a Lane, Vec<&'a Sighting>>;

/// Sorts sightings by lane and time; of one instant the order of the words decides, so that it is always the same.
pub(super) fn by_lane(sightings: &[Sighting]) -> Fetched<'_> {
    let mut fetched = Fetched::new();
    for sighting in sightings {
        fetched.entry(&sighting.lane).or_default().push(sighting);
    }
    for seen in fetched.values_mut() {
        seen.sort_by(|a, b| (a.at, &a.status).cmp(&(b.at, &b.status)));
    }
    fetched
}

/// When `lane` was last fetched up to `at`.
pub(super) fn seen_before(fetched: &Fetched<'_>, lane: &Lane, at: Moment) -> Option<Moment> {
    let seen = fetched.get(lane)?;
    let count = seen.partition_point(|sighting| sighting.at <= at);
    seen[..count].last().map(|sighting| sighting.at)
}

/// The newest news of a lane: those of one instant and rank.
struct Head<'a> {
    key: (Moment, Rank),
    told: Vec<(&'a EventId, &'a str)>,
}

impl<'a> Head<'a> {
    fn hear(&mut self, key: (Moment, Rank), event: &'a EventId, news: &'a News) {
        if key > self.key {
            self.key = key;
            self.told.clear();
        }
        if key == self.key {
            self.told.push((event, &news.status));
        }
    }

    /// The smallest event id among those that say `status`.
    fn saying(&self, status: &str) -> Option<&'a EventId> {
        self.told.iter().filter(|(_, said)| *said == status).map(|(event, _)| *event).min()
    }

    /// The state that all of them say, if they agree.
    fn agreed(&self) -> Option<&'a str> {
        let (_, first) = self.told.first()?;
        self.told.iter().all(|(_, said)| said == first).then_some(*first)
    }
}

/// The state of every lane that events or fetches tell of, by lane.
pub(super) fn states(events: &[EventFacts], fetched: &Fetched<'_>) -> Vec<LaneState> {
    let mut heads: BTreeMap<&Lane, Option<Head<'_>>> = fetched.keys().map(|lane| (*lane, None)).collect();
    for event in events {
        let Some(happened) = event.place() else { continue };
        for news in &event.news {
            let key = (happened, news.rank);
            heads.entry(&news.lane).or_default().get_or_insert_with(|| Head { key, told: Vec::new() }).hear(
                key,
                &event.first.event,
                news,
            );
        }
    }
    let mut states = Vec::with_capacity(heads.len());
    for (lane, head) in heads {
        let seen = fetched.get(lane).and_then(|seen| seen.last()).copied();
        if let Some(mut state) = state(lane, head.as_ref(), seen) {
            state.wants_fetch |= asked_by_skew(events, lane, seen);
            states.push(state);
        }
    }
    states
}

/// An event from a clock far ahead says nothing that can be placed, so a fetch made after it must.
fn asked_by_skew(events: &[EventFacts], lane: &Lane, seen: Option<&Sighting>) -> bool {
    events.iter().any(|event| {
        event.is_skewed_away()
            && event.news.iter().any(|news| news.lane == *lane)
            && seen.is_none_or(|seen| seen.at < event.first.at)
    })
}

/// An event wins over an older fetch. A fetch made at or after the event confirms it or overrules it; within a few
/// seconds the two clocks cannot be told apart, so another fetch is wanted unless they agree.
fn state(lane: &Lane, head: Option<&Head<'_>>, seen: Option<&Sighting>) -> Option<LaneState> {
    let by_event = |head: &Head<'_>, status: Option<&str>, confirmed, wants_fetch| LaneState {
        lane: lane.clone(),
        status: status.map(str::to_owned),
        as_of: head.key.0,
        event: status.and_then(|status| head.saying(status)).cloned(),
        source: Source::Event,
        confirmed,
        tie: status.is_none(),
        wants_fetch,
        told: None,
    };
    let by_fetch = |seen: &Sighting, wants_fetch| LaneState {
        lane: lane.clone(),
        status: Some(seen.status.clone()),
        as_of: seen.at,
        event: None,
        source: Source::Observation,
        confirmed: Some(seen.at),
        tie: false,
        wants_fetch,
        told: None,
    };
    match (head, seen) {
        (None, None) => None,
        (None, Some(seen)) => Some(by_fetch(seen, false)),
        (Some(head), None) => {
            let agreed = head.agreed();
            Some(by_event(head, agreed, None, agreed.is_none()))
        }
        (Some(head), Some(seen)) => {
            let happened = head.key.0;
            if happened > seen.at {
                let agreed = head.agreed();
                let near = happened.ms_since(seen.at) <= NEAR_FETCH_MS;
                Some(by_event(head, agreed, None, agreed.is_none() || near))
            } else if head.saying(&seen.status).is_some() {
                Some(by_event(head, Some(&seen.status), Some(seen.at), false))
            } else {
                let told = head.agreed().map(|status| (status.to_owned(), happened));
                Some(LaneState { told, ..by_fetch(seen, seen.at.ms_since(happened) <= NEAR_FETCH_MS) })
            }
        }
    }
}

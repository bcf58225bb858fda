//! The marks of one lane. Where a lane is crowded, ordinary messages are counted in bins; what is late, tied, failed,
//! set aside or came again is never merged away (design 8).

use std::collections::BTreeMap;

use sqlx::SqlitePool;

use super::wire::{CauseRow, TimelineCopy, TimelineEvent, TimelineLane, TimelineLaneKind, TimelineMark};
use crate::{
    clock::Moment,
    error::Result,
    ids::Lane,
    store::timeline::{self, Aside, Drawn, Seen},
};

/// A lane with more marks than this is crowded.
const CROWDED: usize = 200;
/// Pixels that a bin covers.
const BIN: i64 = 8;

/// A lane without marks, name or state.
pub(super) fn bare(id: &str, group: &str, kind: TimelineLaneKind) -> TimelineLane {
    TimelineLane {
        id: id.to_owned(),
        group: group.to_owned(),
        kind,
        text: None,
        platform: None,
        account: None,
        status: None,
        tie: false,
        confirmed_ms: None,
        drift: None,
        twice: None,
        twice_near: false,
        job: None,
        marks: Vec::new(),
    }
}

/// The marks of a resource's lane, out of the events and fetches of the whole resource.
pub(super) async fn lane_marks(
    pool: &SqlitePool,
    lane: &Lane,
    events: &[Drawn],
    seen: &[Seen],
    resolution_ms: i64,
    copies: u32,
) -> Result<Vec<TimelineMark>> {
    let own: Vec<Drawn> = events.iter().filter(|event| event.home == *lane).cloned().collect();
    let older = events.iter().filter(|event| event.home != *lane && event.stale_lanes.contains(lane));
    let older = older.map(|event| TimelineMark::Older {
        event: event.event.to_string(),
        home: event.home.to_string(),
        at_ms: event.first.millis(),
    });
    let seen = seen.iter().filter(|seen| seen.lane == *lane).map(|seen| TimelineMark::Seen {
        at_ms: seen.at.millis(),
        status: seen.status.clone(),
        differs: last_said(&own, seen.at).is_some_and(|said| said != seen.status),
    });
    let mut marks: Vec<TimelineMark> = older.chain(seen).collect();
    marks.extend(event_marks(pool, own, resolution_ms, copies).await?);
    marks.sort_by_key(at);
    Ok(marks)
}

/// What the lane's newest message before an instant said, as far as we had heard of it by then.
fn last_said(own: &[Drawn], at: Moment) -> Option<&str> {
    let heard = own.iter().filter(|event| event.first <= at && event.happened.is_some_and(|happened| happened <= at));
    heard.max_by_key(|event| event.happened).and_then(|event| event.status.as_deref())
}

/// When a mark begins, for the order of a lane.
fn at(mark: &TimelineMark) -> i64 {
    match mark {
        TimelineMark::Event(event) => event.arrived_ms,
        TimelineMark::Older { at_ms, .. }
        | TimelineMark::Seen { at_ms, .. }
        | TimelineMark::Try { at_ms, .. }
        | TimelineMark::Aside { at_ms, .. } => *at_ms,
        TimelineMark::Bin { from_ms, .. } => *from_ms,
    }
}

/// Messages as marks, ordinary ones of a crowded lane in bins.
pub(super) async fn event_marks(
    pool: &SqlitePool,
    events: Vec<Drawn>,
    resolution_ms: i64,
    copies: u32,
) -> Result<Vec<TimelineMark>> {
    let crowded = events.len() > CROWDED;
    let (plain, telling): (Vec<_>, Vec<_>) = events.into_iter().partition(|event| crowded && is_plain(event));
    let mut marks = bins(plain.iter().map(|event| event.first), resolution_ms);
    for event in telling {
        let again = if event.arrivals > 1 { timeline::copies(pool, &event.event, copies).await? } else { Vec::new() };
        marks.push(TimelineMark::Event(mark(event, again)));
    }
    marks.sort_by_key(at);
    Ok(marks)
}

/// True if nothing would be lost by showing a message as one of many.
fn is_plain(event: &Drawn) -> bool {
    event.arrivals == 1
        && event.placing == "in_order"
        && event.flags.is_empty()
        && event.stale_lanes.is_empty()
        && !matches!(event.status.as_deref(), Some("failed" | "partial"))
}

/// Instants counted in bins of the resolution; one alone is a bin too.
fn bins(instants: impl Iterator<Item = Moment>, resolution_ms: i64) -> Vec<TimelineMark> {
    let mut counted: BTreeMap<i64, (i64, i64, u32)> = BTreeMap::new();
    for ms in instants.map(Moment::millis) {
        let bin = counted.entry(ms.div_euclid(resolution_ms.saturating_mul(BIN))).or_insert((ms, ms, 0));
        *bin = (bin.0.min(ms), bin.1.max(ms), bin.2 + 1);
    }
    let marks = counted.into_values().map(|(from_ms, to_ms, count)| TimelineMark::Bin { from_ms, to_ms, count });
    marks.collect()
}

fn mark(event: Drawn, copies: Vec<timeline::Copy>) -> TimelineEvent {
    let tie = (event.placing == "tie").then_some(event.happened).flatten();
    TimelineEvent {
        event: event.event.to_string(),
        name: event.name,
        status: event.status,
        platform: event.platform,
        happened_ms: event.happened.map(Moment::millis),
        first_seq: event.first_seq.0,
        arrived_ms: event.first.millis(),
        arrivals: u32::try_from(event.arrivals).unwrap_or(u32::MAX),
        order: event.placing,
        late_by_ms: event.late_by_ms,
        overtaken_by: event.overtaken_by.map(|event| event.to_string()),
        tie: tie.map(|at| at.0.to_string()),
        stale: event.stale_lanes.contains(&event.home),
        applied: event.applied,
        test: event.nature == "test",
        flags: event.flags,
        copies: copies.into_iter().map(copy).collect(),
    }
}

fn copy(copy: timeline::Copy) -> TimelineCopy {
    TimelineCopy {
        seq: copy.seq.0,
        at_ms: copy.at.millis(),
        copy: u32::try_from(copy.copy).unwrap_or(u32::MAX),
        cause: copy.cause.map(|(code, confidence, text)| CauseRow { code, confidence, text }),
    }
}

/// Arrivals that make no event as marks; of a crowded lane in bins, since all of them say the same: look here.
pub(super) fn aside_marks(aside: Vec<Aside>, resolution_ms: i64) -> Vec<TimelineMark> {
    if aside.len() > CROWDED {
        return bins(aside.iter().map(|arrival| arrival.at), resolution_ms);
    }
    let mark = |arrival: Aside| TimelineMark::Aside {
        seq: arrival.seq.0,
        at_ms: arrival.at.millis(),
        standing: arrival.standing,
        signature: arrival.signature,
        flags: arrival.flags,
    };
    aside.into_iter().map(mark).collect()
}

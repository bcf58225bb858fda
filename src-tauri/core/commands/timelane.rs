//! The marks of one lane. Where a lane is crowded, ordinary messages are counted in bins; what is late, tied, failed or
//! came again stays apart (design 8) until that is too much to draw, too: then each bin tells its shares of it.

use std::collections::{BTreeMap, HashMap};

use sqlx::SqlitePool;

use super::wire::{CauseRow, TimelineCopy, TimelineEvent, TimelineLane, TimelineLaneKind, TimelineMark};
use crate::{
    clock::Moment,
    error::Result,
    ids::{EventId, Lane},
    store::{
        crowd::{self, Crowd, Heap},
        timeline::{self, Aside, Drawn, Seen, Span},
    },
};

/// A lane with more marks than this is crowded.
pub(super) const CROWDED: i64 = 200;
/// Most copies of one message that are drawn; its count says how many there are.
const COPIES: u32 = 100;
/// Pixels that a bin covers.
pub(super) const BIN: i64 = 8;

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
        under_way: false,
        left_out: 0,
        twice: None,
        twice_near: false,
        job: None,
        marks: Vec::new(),
    }
}

/// What shows of a resource in a span.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// Messages that are drawn one by one, if their lane has room for it.
    pub(super) events: Vec<Drawn>,
    /// The others, counted.
    pub(super) heaps: Vec<Heap>,
    /// What fetches said.
    pub(super) seen: Vec<Seen>,
    /// How many that happened in the span and arrived outside it are not among these.
    pub(super) left_out: i64,
}

/// The marks of a resource's lane, out of what shows of the whole resource. `copies` holds those of its events.
pub(super) fn lane_marks(
    lane: &Lane,
    shown: &Shown,
    copies: &Copies,
    span: Span,
    resolution_ms: i64,
) -> Vec<TimelineMark> {
    let own: Vec<&Drawn> = shown.events.iter().filter(|event| event.home == *lane).collect();
    let older = shown.events.iter().filter(|event| event.home != *lane && event.stale_lanes.contains(lane));
    let older = older.map(|event| TimelineMark::Older {
        event: event.event.to_string(),
        home: event.home.to_string(),
        at_ms: event.first.millis(),
    });
    let seen = shown.seen.iter().filter(|seen| seen.lane == *lane).map(|seen| TimelineMark::Seen {
        at_ms: seen.at.millis(),
        status: seen.status.clone(),
        differs: last_said(&own, seen.at).is_some_and(|said| said != seen.status),
    });
    let mut marks: Vec<TimelineMark> = older.chain(seen).collect();
    marks.extend(shown.heaps.iter().filter(|heap| heap.home == *lane).map(heap_mark));
    marks.extend(event_marks(&own, copies, span, resolution_ms));
    marks.sort_by_key(at);
    marks
}

/// The second and later arrivals of events.
pub(super) type Copies = HashMap<EventId, Vec<timeline::Copy>>;

/// Reads the arrivals behind the first of those events that have any.
pub(super) async fn copies_of(pool: &SqlitePool, events: impl Iterator<Item = &Drawn>) -> Result<Copies> {
    let again: Vec<&EventId> = events.filter(|event| event.arrivals > 1).map(|event| &event.event).collect();
    if again.is_empty() { Ok(Copies::new()) } else { timeline::copies(pool, &again, COPIES).await }
}

/// Messages of a span of which there may be too many to draw each: all of them one by one, or those that tell something
/// and the rest counted, or all of them counted, with the shares of those that tell something.
pub(super) async fn crowd(pool: &SqlitePool, of: Crowd<'_>, span: Span, resolution_ms: i64) -> Result<Shown> {
    let mut heaps = crowd::crowd(pool, of, span, resolution_ms.saturating_mul(BIN)).await?;
    let telling: i64 = heaps.iter().map(|heap| heap.telling).sum();
    let mut events = Vec::new();
    if telling <= CROWDED {
        events = crowd::telling(pool, of, span).await?;
        for heap in &mut heaps {
            heap.count -= heap.telling;
            (heap.late, heap.again, heap.failed) = (0, 0, 0);
        }
        heaps.retain(|heap| heap.count > 0);
    }
    Ok(Shown { events, heaps, ..Shown::default() })
}

pub(super) fn heap_mark(heap: &Heap) -> TimelineMark {
    let few = |count: i64| u32::try_from(count).unwrap_or(u32::MAX);
    TimelineMark::Bin {
        from_ms: heap.from.millis(),
        to_ms: heap.to.millis(),
        count: few(heap.count),
        late: few(heap.late),
        again: few(heap.again),
        failed: few(heap.failed),
    }
}

/// What the lane's newest message before an instant said, as far as we had heard of it by then.
fn last_said<'a>(own: &[&'a Drawn], at: Moment) -> Option<&'a str> {
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

/// Messages as marks, ordinary ones of a crowded lane in bins. A bin stands where its messages arrived, so what only happened
/// in the span stays apart.
pub(super) fn event_marks(events: &[&Drawn], copies: &Copies, span: Span, resolution_ms: i64) -> Vec<TimelineMark> {
    let crowded = i64::try_from(events.len()).unwrap_or(i64::MAX) > CROWDED;
    let plain = |event: &&Drawn| crowded && !event.telling && (span.from..=span.to).contains(&event.first);
    let (plain, telling): (Vec<&Drawn>, Vec<&Drawn>) = events.iter().copied().partition(plain);
    let mut marks = bins(plain.iter().map(|event| event.first), resolution_ms);
    marks.extend(telling.into_iter().map(|event| {
        let again = copies.get(&event.event).map_or(&[][..], Vec::as_slice);
        TimelineMark::Event(mark(event.clone(), again.to_vec()))
    }));
    marks.sort_by_key(at);
    marks
}

/// Instants counted in bins of the resolution; one alone is a bin too.
fn bins(instants: impl Iterator<Item = Moment>, resolution_ms: i64) -> Vec<TimelineMark> {
    let mut counted: BTreeMap<i64, (i64, i64, u32)> = BTreeMap::new();
    for ms in instants.map(Moment::millis) {
        let bin = counted.entry(ms.div_euclid(resolution_ms.saturating_mul(BIN))).or_insert((ms, ms, 0));
        *bin = (bin.0.min(ms), bin.1.max(ms), bin.2 + 1);
    }
    let mark = |(from_ms, to_ms, count)| TimelineMark::Bin { from_ms, to_ms, count, late: 0, again: 0, failed: 0 };
    counted.into_values().map(mark).collect()
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

/// Arrivals of a span that make no event as marks; of a crowded lane in bins, since all of them say the same: look here.
pub(super) async fn aside_marks(pool: &SqlitePool, span: Span, resolution_ms: i64) -> Result<Vec<TimelineMark>> {
    if crowd::many_aside(pool, span, CROWDED + 1).await? > CROWDED {
        let heaps = crowd::aside_bins(pool, span, resolution_ms.saturating_mul(BIN)).await?;
        return Ok(heaps.iter().map(heap_mark).collect());
    }
    let mark = |arrival: Aside| TimelineMark::Aside {
        seq: arrival.seq.0,
        at_ms: arrival.at.millis(),
        standing: arrival.standing,
        signature: arrival.signature,
        flags: arrival.flags,
    };
    Ok(timeline::set_aside(pool, span).await?.into_iter().map(mark).collect())
}

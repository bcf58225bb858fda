//! The whole log at a glance, for the Timeline's map and for folding time in which nothing happened.

use sqlx::SqlitePool;

use super::wire::{TimelineDensity, TimelineMap, TimelineMapArgs, TimelineStretch};
use crate::{
    clock::Moment,
    desk::Desk,
    error::Result,
    store::{density, doubles, timemap},
};

/// Shortest stretch without marks that is told of, nanoseconds.
const QUIET: i64 = 5 * 60 * Moment::SECOND;
/// The log is walked in at most about this many steps: a long one is folded more coarsely.
const STEPS: i64 = 4000;
/// Shortest gap between two receivers that is told of, nanoseconds.
const GAP: i64 = 10 * Moment::SECOND;
/// Most jobs that are pointed at.
const POINTED: u32 = 200;
/// Only whole minutes are folded.
const MINUTE: i64 = 60_000;

pub(super) async fn map(desk: &Desk, args: TimelineMapArgs) -> Result<TimelineMap> {
    let room = desk.room().await;
    let pool = room.store.pool();
    let now = room.clock.now();
    let gaps = timemap::gaps(pool, now, GAP).await?.into_iter().map(stretch).collect();
    let Some((first, last)) = timemap::reach(pool).await? else {
        let to_ms = now.millis();
        let (counts, needs_person_ms, twice_ms, quiet) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        return Ok(TimelineMap {
            from_ms: None,
            to_ms,
            counts_from_ms: to_ms,
            bin_ms: 1,
            counts,
            needs_person_ms,
            twice_ms,
            quiet,
            gaps,
        });
    };
    let to = last.max(now);
    let whole = to.0.saturating_sub(first.0).max(1);
    let bins = i64::from(args.bins.clamp(10, 2000));
    let counts = counted(pool, first.millis(), to.millis(), whole / 1_000_000 / bins + 1).await?;
    let rest = QUIET.max(whole / STEPS);
    let life = room.contract.key_life_h * 3600 * Moment::SECOND;
    let busy = timemap::busy(pool, first, to, rest, life).await?;
    Ok(TimelineMap {
        from_ms: Some(first.millis()),
        to_ms: to.millis(),
        counts_from_ms: counts.from_ms,
        bin_ms: counts.bin_ms,
        counts: counts.arrivals,
        needs_person_ms: timemap::needing_person(pool, POINTED).await?.into_iter().map(Moment::millis).collect(),
        twice_ms: doubles::times(pool, POINTED).await?.into_iter().map(Moment::millis).collect(),
        quiet: quiet(&busy, now),
        gaps,
    })
}

/// How many messages came from one instant to another, both in it, in bins at least `wanted_ms` wide.
pub(super) async fn counted(pool: &SqlitePool, from_ms: i64, to_ms: i64, wanted_ms: i64) -> Result<TimelineDensity> {
    let bin_ms = density::width(wanted_ms);
    let first = from_ms.div_euclid(bin_ms);
    let length = usize::try_from(to_ms.div_euclid(bin_ms).saturating_sub(first) + 1).unwrap_or_default();
    let mut counted = TimelineDensity {
        from_ms: first.saturating_mul(bin_ms),
        bin_ms,
        arrivals: vec![0; length],
        again: vec![0; length],
        late: vec![0; length],
    };
    let few = |count: i64| u32::try_from(count).unwrap_or(u32::MAX);
    for bin in density::bins(pool, from_ms, to_ms, bin_ms).await? {
        let Ok(at) = usize::try_from(bin.at - first) else { continue };
        let places = (counted.arrivals.get_mut(at), counted.again.get_mut(at), counted.late.get_mut(at));
        if let (Some(arrivals), Some(again), Some(late)) = places {
            (*arrivals, *again, *late) = (few(bin.arrivals), few(bin.again), few(bin.late));
        }
    }
    Ok(counted)
}

fn stretch((from, to): (i64, i64)) -> TimelineStretch {
    TimelineStretch { from_ms: Moment(from).millis(), to_ms: Moment(to).millis() }
}

/// What lies between busy stretches, less the minutes they reach into, and less the minute that is now.
fn quiet(busy: &[timemap::Busy], now: Moment) -> Vec<TimelineStretch> {
    let now = now.millis().div_euclid(MINUTE) * MINUTE;
    let mut found = Vec::new();
    for pair in busy.windows(2) {
        let [before, after] = pair else { continue };
        let from = Moment(before.1).millis().div_euclid(MINUTE) * MINUTE + MINUTE;
        let to = Moment(after.0).millis().div_euclid(MINUTE) * MINUTE;
        let parts = if from <= now && now < to { vec![(from, now), (now + MINUTE, to)] } else { vec![(from, to)] };
        let long = parts.into_iter().filter(|(from, to)| to - from >= QUIET / 1_000_000);
        found.extend(long.map(|(from_ms, to_ms)| TimelineStretch { from_ms, to_ms }));
    }
    if let Some(last) = busy.last() {
        let from = Moment(last.1).millis().div_euclid(MINUTE) * MINUTE + MINUTE;
        if now - from >= QUIET / 1_000_000 {
            found.push(TimelineStretch { from_ms: from, to_ms: now });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64, second: i64) -> i64 {
        (minute * 60 + second) * Moment::SECOND
    }

    #[test]
    fn a_minute_with_a_mark_and_the_present_one_are_never_quiet() {
        let busy = [(at(0, 0), at(2, 30)), (at(30, 10), at(31, 0))];
        let found: Vec<_> = quiet(&busy, Moment(at(20, 5))).iter().map(|one| (one.from_ms, one.to_ms)).collect();
        assert_eq!(found, [(3 * MINUTE, 20 * MINUTE), (21 * MINUTE, 30 * MINUTE)]);
    }

    #[test]
    fn time_up_to_now_is_quiet_and_short_rests_are_not() {
        let busy = [(at(0, 0), at(2, 0)), (at(8, 59), at(9, 0))];
        let found: Vec<_> = quiet(&busy, Moment(at(60, 0))).iter().map(|one| (one.from_ms, one.to_ms)).collect();
        assert_eq!(found, [(3 * MINUTE, 8 * MINUTE), (10 * MINUTE, 60 * MINUTE)]);
    }
}

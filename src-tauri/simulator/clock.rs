//! The sandbox's clock: real and running, or standing still until it is told to move (contract "Sandbox").
#![allow(clippy::disallowed_methods, reason = "the sandbox's one source of time; everything else asks this file")]

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};

/// How the sandbox's clock moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// Runs like a wall clock. Moving it forward by hand adds to it.
    #[default]
    Real,
    /// Stands still until it is moved.
    Manual,
}

/// A clock that never goes back. Moments are whole milliseconds, as Pozy writes them, so that what is stored and what
/// is told are the same instant.
pub(crate) struct Clock {
    pace: Pace,
    /// Real: milliseconds ahead of the machine's clock. Manual: the present moment since 1970.
    millis: AtomicI64,
}

impl Clock {
    /// Starts at `now`, or at the machine's time where none is given.
    pub(crate) fn start(pace: Pace, now: Option<DateTime<Utc>>) -> Self {
        let machine = Utc::now().timestamp_millis();
        let start = now.map_or(machine, |now| now.timestamp_millis());
        let millis = match pace {
            Pace::Real => start - machine,
            Pace::Manual => start,
        };
        Self { pace, millis: AtomicI64::new(millis) }
    }

    pub(crate) fn pace(&self) -> Pace {
        self.pace
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        let stored = self.millis.load(Ordering::SeqCst);
        let millis = match self.pace {
            Pace::Real => Utc::now().timestamp_millis() + stored,
            Pace::Manual => stored,
        };
        DateTime::from_timestamp_millis(millis).unwrap_or(DateTime::<Utc>::MAX_UTC)
    }

    /// Moves forward to `moment`; a moment that has passed changes nothing.
    pub(crate) fn move_to(&self, moment: DateTime<Utc>) {
        let ahead = (moment - self.now()).num_milliseconds();
        if ahead > 0 {
            self.millis.fetch_add(ahead, Ordering::SeqCst);
        }
    }
}

/// Measures real time, for what the sandbox reports about an answer of the other side.
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Whole milliseconds since the start.
    pub(crate) fn millis(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// The way Pozy writes a moment: RFC 3339 in UTC with milliseconds.
pub(crate) fn written(moment: DateTime<Utc>) -> String {
    moment.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// `moment` plus `span`; stays at the end of time instead of overflowing.
pub(crate) fn after(moment: DateTime<Utc>, span: Duration) -> DateTime<Utc> {
    TimeDelta::from_std(span).ok().and_then(|span| moment.checked_add_signed(span)).unwrap_or(DateTime::<Utc>::MAX_UTC)
}

/// True while `span` since `start` is not over; its last instant, sharp, still counts.
pub(crate) fn within(start: DateTime<Utc>, span: Duration, now: DateTime<Utc>) -> bool {
    now <= after(start, span)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn a_manual_clock_stands_still_and_never_goes_back() {
        let clock = Clock::start(Pace::Manual, Some(moment("2026-03-02T09:00:00Z")));
        assert_eq!(clock.now(), moment("2026-03-02T09:00:00Z"));
        clock.move_to(moment("2026-03-02T10:00:00Z"));
        clock.move_to(moment("2026-03-02T09:30:00Z"));
        assert_eq!(written(clock.now()), "2026-03-02T10:00:00.000Z");
    }

    #[test]
    fn a_real_clock_starts_where_it_is_told_and_runs_on() {
        let start = moment("2031-01-01T00:00:00Z");
        let clock = Clock::start(Pace::Real, Some(start));
        clock.move_to(after(start, Duration::from_secs(86_400)));
        let now = clock.now();
        assert!(now >= after(start, Duration::from_secs(86_400)));
        assert!(now < after(start, Duration::from_secs(86_460)));
    }

    #[test]
    fn the_last_instant_of_a_span_still_counts() {
        let start = moment("2026-03-02T09:00:00Z");
        let day = Duration::from_secs(86_400);
        assert!(within(start, day, moment("2026-03-03T09:00:00Z")));
        assert!(!within(start, day, moment("2026-03-03T09:00:00.001Z")));
    }
}

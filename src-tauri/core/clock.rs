//! Time and chance. Every `now`, every duration and every new id comes in through [`Clock`], so that rules of 24 and
//! 33 hours run in milliseconds in a test, and `--now` means the same everywhere.
#![allow(
    clippy::disallowed_methods,
    reason = "this file is where time and chance enter; clippy.toml bans them elsewhere"
)]

use std::{
    fmt,
    str::FromStr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use chrono::{DateTime, SecondsFormat, TimeZone, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// An instant as nanoseconds since 1970-01-01T00:00:00Z, kept as exactly as it was sent (design 3.5). Two moments are
/// equal if they are the same instant, however they were written (R5: instants are compared, never strings).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Moment(pub i64);

impl Moment {
    /// Nanoseconds in a second.
    pub const SECOND: i64 = 1_000_000_000;

    /// The moment `ms` milliseconds after 1970; out of range saturates.
    #[must_use]
    pub const fn from_millis(ms: i64) -> Self {
        Self(ms.saturating_mul(1_000_000))
    }

    /// Whole milliseconds since 1970, rounded down.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// Milliseconds from `earlier` to this moment; negative if this one is earlier.
    #[must_use]
    pub const fn ms_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0).div_euclid(1_000_000)
    }

    /// This moment moved by `seconds`.
    #[must_use]
    pub const fn plus_seconds(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds.saturating_mul(Self::SECOND)))
    }

    /// This moment moved by `ms` milliseconds.
    #[must_use]
    pub const fn plus_millis(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms.saturating_mul(1_000_000)))
    }

    /// Reads an RFC 3339 instant with any offset. Text without an offset is no instant, nor is one that [`Moment::of`]
    /// cannot hold.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::of(&DateTime::parse_from_rfc3339(text).ok()?)
    }

    /// The moment of a calendar's time; none beyond the years 1678 to 2261, where nanoseconds do not reach: a time that
    /// cannot be held is never taken for another one.
    #[must_use]
    pub fn of<Z: TimeZone>(time: &DateTime<Z>) -> Option<Self> {
        time.timestamp_nanos_opt().map(Self)
    }

    /// The instant in UTC, for calendars and zones.
    #[must_use]
    pub const fn utc(self) -> DateTime<Utc> {
        DateTime::from_timestamp_nanos(self.0)
    }
}

/// RFC 3339 in UTC, with as many digits of the second as the moment has (0, 3, 6 or 9).
impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.utc().to_rfc3339_opts(SecondsFormat::AutoSi, true))
    }
}

impl fmt::Debug for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not an RFC 3339 instant with an offset, or none that can be held.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is no RFC 3339 time between the years 1678 and 2261 such as 2026-03-02T09:00:00Z")]
pub struct NotAMoment(String);

impl FromStr for Moment {
    type Err = NotAMoment;

    fn from_str(text: &str) -> Result<Self, NotAMoment> {
        Self::parse(text).ok_or_else(|| NotAMoment(text.to_owned()))
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map_err(de::Error::custom)
    }
}

/// Where `now` and new ids come from. Cheap to clone; all clones show the same time.
#[derive(Clone)]
pub struct Clock(Arc<Source>);

enum Source {
    /// The computer's clock.
    Wall,
    /// Starts at a given moment and runs on (`--now`).
    From(Moment, Instant),
    /// Stands still until it is moved; ids count up. For tests.
    Stands(Mutex<Moment>, AtomicU64),
}

impl Clock {
    /// The computer's clock.
    #[must_use]
    pub fn wall() -> Self {
        Self(Arc::new(Source::Wall))
    }

    /// A clock that shows `start` now and runs on from there.
    #[must_use]
    pub fn from(start: Moment) -> Self {
        Self(Arc::new(Source::From(start, Instant::now())))
    }

    /// A clock that stands at `at` until [`Clock::set`] moves it, and gives ids that repeat from run to run.
    #[must_use]
    pub fn standing(at: Moment) -> Self {
        Self(Arc::new(Source::Stands(Mutex::new(at), AtomicU64::new(0))))
    }

    /// The moment this clock shows.
    #[must_use]
    pub fn now(&self) -> Moment {
        match &*self.0 {
            // A computer's clock that is set beyond all that can be held stands at its end.
            Source::Wall => Moment::of(&Utc::now()).unwrap_or(Moment(i64::MAX)),
            Source::From(start, since) => {
                Moment(start.0.saturating_add(i64::try_from(since.elapsed().as_nanos()).unwrap_or(i64::MAX)))
            }
            Source::Stands(at, _) => *at.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Moves a standing clock; any other clock runs by itself and ignores it.
    pub fn set(&self, to: Moment) {
        if let Source::Stands(at, _) = &*self.0 {
            *at.lock().unwrap_or_else(PoisonError::into_inner) = to;
        }
    }

    /// True if this clock was told its time, so that what it shows is not the world's.
    #[must_use]
    pub fn is_told(&self) -> bool {
        !matches!(&*self.0, Source::Wall)
    }

    /// A new UUID v4 in lower case, the simplest key there is (seed "Idempotency and safe retries").
    #[must_use]
    pub fn new_id(&self) -> String {
        let id = match &*self.0 {
            Source::Wall | Source::From(..) => uuid::Uuid::new_v4(),
            Source::Stands(_, count) => {
                let n = u128::from(count.fetch_add(1, Ordering::Relaxed) + 1);
                uuid::Builder::from_random_bytes(n.to_be_bytes()).into_uuid()
            }
        };
        id.to_string()
    }

    /// Measures how long something takes, whatever the clock on the wall does meanwhile.
    #[must_use]
    pub fn stopwatch() -> Stopwatch {
        Stopwatch(Instant::now())
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now())
    }
}

/// A running measurement of elapsed time.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Whole milliseconds since the start.
    #[must_use]
    pub fn ms(self) -> i64 {
        i64::try_from(self.0.elapsed().as_millis()).unwrap_or(i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_instant_written_three_ways_is_one_moment() {
        let plain = Moment::parse("2026-03-02T10:00:00Z");
        assert!(plain.is_some());
        assert_eq!(plain, Moment::parse("2026-03-02T10:00:00.000+00:00"));
        assert_eq!(plain, Moment::parse("2026-03-02T11:00:00+01:00"));
        assert_ne!(plain, Moment::parse("2026-03-02T10:00:00.000000001Z"));
    }

    #[test]
    fn text_keeps_the_digits_it_needs() {
        for text in ["2026-03-02T10:00:00Z", "2026-03-02T10:00:00.250Z", "2026-03-02T10:00:00.000000001Z"] {
            assert_eq!(Moment::parse(text).map(|m| m.to_string()).as_deref(), Some(text));
        }
        assert_eq!(Moment::parse("2026-03-02T10:00:00"), None, "without an offset it is no instant");
    }

    #[test]
    fn an_instant_that_cannot_be_held_is_no_other_one() {
        for text in ["9999-01-01T00:00:00Z", "2263-01-01T00:00:00Z", "1677-01-01T00:00:00Z", "0001-01-01T00:00:00Z"] {
            assert_eq!(Moment::parse(text), None, "{text}");
            assert!(text.parse::<Moment>().unwrap_err().to_string().contains("1678 and 2261"));
        }
        for text in ["1678-01-01T00:00:00Z", "2261-12-31T23:59:59.999999999Z"] {
            assert_eq!(Moment::parse(text).map(|m| m.to_string()).as_deref(), Some(text));
        }
    }

    #[test]
    fn standing_clock_stands_and_counts() {
        let clock = Clock::standing(Moment(5));
        assert_eq!(clock.now(), Moment(5));
        clock.set(Moment(9));
        assert_eq!(clock.clone().now(), Moment(9));
        assert_ne!(clock.new_id(), clock.new_id());
    }
}

//! The present, as far as two clocks agree on it. Pure.

use crate::clock::Moment;

/// `Date` has whole seconds: clocks that differ by less are taken for equal, nanoseconds.
const NOISE: i64 = 2 * Moment::SECOND;

/// A moment that lies somewhere between two: by our clock, or by the clock of the other side (contract "Jobs").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Not before this.
    pub earliest: Moment,
    /// Not after this.
    pub latest: Moment,
}

impl Span {
    /// One moment.
    #[must_use]
    pub const fn at(moment: Moment) -> Self {
        Self { earliest: moment, latest: moment }
    }

    /// `now` by our clock and by the other side's, which was `ahead_ns` ahead when it last answered.
    #[must_use]
    pub fn of(now: Moment, ahead_ns: Option<i64>) -> Self {
        let ahead = ahead_ns.filter(|ahead| ahead.abs() > NOISE).unwrap_or_default();
        let theirs = Moment(now.0.saturating_add(ahead));
        Self { earliest: now.min(theirs), latest: now.max(theirs) }
    }

    /// The least time that can have gone by since `moment`, nanoseconds.
    #[must_use]
    pub const fn youngest_since(self, moment: Moment) -> i64 {
        self.earliest.0.saturating_sub(moment.0)
    }

    /// The most time that can have gone by since `moment`, nanoseconds.
    #[must_use]
    pub const fn oldest_since(self, moment: Moment) -> i64 {
        self.latest.0.saturating_sub(moment.0)
    }
}

//! When a post was scheduled for: `scheduledFor` as a wall-clock time in `timezone`, or with an offset of its own
//! (seed "Idempotency and safe retries"; `pozy.md` 6, trap 6). Pure.

use chrono::{DateTime, FixedOffset, LocalResult, NaiveDateTime, Offset as _, TimeDelta, TimeZone as _};
use chrono_tz::Tz;
use serde_json::Value;

use crate::clock::Moment;

/// Minutes of a day.
const DAY_MIN: i64 = 24 * 60;

/// The moment a body asks for, read so that it is never too late: a time that exists twice is taken for the first of
/// the two, one that does not exist for the moment the clocks jump over it. None if it asks for none, or for one that
/// cannot be read.
#[must_use]
pub fn scheduled_for(body: &[u8]) -> Option<Moment> {
    asked_in(&serde_json::from_slice(body).ok()?)
}

/// As [`scheduled_for`], of a body or a post that was read already.
#[must_use]
pub fn asked_in(body: &Value) -> Option<Moment> {
    let text = body["scheduledFor"].as_str()?;
    if let Some(moment) = Moment::parse(text) {
        return Some(moment);
    }
    let wall = wall(text)?;
    let zone: Tz = match body["timezone"].as_str() {
        Some(name) => name.parse().ok()?,
        None => Tz::UTC,
    };
    earliest(zone, wall)
}

fn earliest(zone: Tz, wall: NaiveDateTime) -> Option<Moment> {
    match zone.from_local_datetime(&wall) {
        LocalResult::Single(time) | LocalResult::Ambiguous(time, _) => Moment::of(&time),
        LocalResult::None => Moment::of(&before_jump(zone, wall)?),
    }
}

/// The last minute that exists before a wall-clock time that does not. Clocks never jump by more than a day.
fn before_jump(zone: Tz, wall: NaiveDateTime) -> Option<DateTime<Tz>> {
    (1..=DAY_MIN).find_map(|back| zone.from_local_datetime(&(wall - TimeDelta::minutes(back))).latest())
}

/// One way to read a wall-clock time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// As the zone's clocks show it then, with their offset.
    pub wall: DateTime<Tz>,
    /// The instant.
    pub at: Moment,
}

impl Reading {
    /// None for an instant that cannot be held.
    fn of(wall: DateTime<Tz>) -> Option<Self> {
        Some(Self { wall, at: Moment::of(&wall)? })
    }

    /// With its date, offset and the zone's own short name: `2026-10-25 01:30 BST (+01:00)`.
    #[must_use]
    pub fn text(&self) -> String {
        self.wall.format("%Y-%m-%d %H:%M %Z (%:z)").to_string()
    }

    /// A spelling of the instant that cannot be read in two ways: `scheduledFor` in the zone UTC.
    #[must_use]
    pub fn in_utc(&self) -> String {
        self.at.utc().format("%Y-%m-%dT%H:%M:%S").to_string()
    }
}

/// Why a wall-clock time cannot be taken as it stands (X9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trap {
    /// The clocks go back over it: it comes twice, first in summer time.
    Twice(Reading, Reading),
    /// The clocks jump over it: read by the clock before the jump, and by the one after it.
    Missing(Reading, Reading),
    /// The time or its zone cannot be read.
    Unreadable,
}

impl Trap {
    /// The latest moment it can mean, if it means any.
    #[must_use]
    pub fn latest(&self) -> Option<Moment> {
        match self {
            Self::Twice(one, other) | Self::Missing(one, other) => Some(one.at.max(other.at)),
            Self::Unreadable => None,
        }
    }
}

/// The trap in the time that a body asks for, if there is one. A time with an offset of its own is an instant and has
/// none.
#[must_use]
pub fn trap(body: &Value) -> Option<Trap> {
    let text = body["scheduledFor"].as_str()?;
    if Moment::parse(text).is_some() {
        return None;
    }
    let zone = match body["timezone"].as_str() {
        Some(name) => name.parse().ok(),
        None => Some(Tz::UTC),
    };
    let (Some(wall), Some(zone)) = (wall(text), zone) else { return Some(Trap::Unreadable) };
    match zone.from_local_datetime(&wall) {
        LocalResult::Single(time) => Moment::of(&time).is_none().then_some(Trap::Unreadable),
        LocalResult::Ambiguous(first, second) => Some(came_twice(first, second).unwrap_or(Trap::Unreadable)),
        LocalResult::None => Some(jumped_over(zone, wall).unwrap_or(Trap::Unreadable)),
    }
}

fn came_twice(first: DateTime<Tz>, second: DateTime<Tz>) -> Option<Trap> {
    Some(Trap::Twice(Reading::of(first)?, Reading::of(second)?))
}

/// Both readings of a time that the clocks jump over: by the offset before the jump it is later than the jump, by the
/// one after it earlier.
fn jumped_over(zone: Tz, wall: NaiveDateTime) -> Option<Trap> {
    let before = before_jump(zone, wall)?.offset().fix();
    let after = (1..=DAY_MIN)
        .find_map(|on| zone.from_local_datetime(&(wall + TimeDelta::minutes(on))).earliest())?
        .offset()
        .fix();
    let by = |offset: FixedOffset| {
        let there = offset.from_local_datetime(&wall).single()?;
        Reading::of(there.with_timezone(&zone))
    };
    Some(Trap::Missing(by(before)?, by(after)?))
}

fn wall(text: &str) -> Option<NaiveDateTime> {
    ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M"].iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::summer("2026-07-05T09:00:00", "Europe/London", Some("2026-07-05T08:00:00Z"))]
    #[case::winter("2026-11-05T09:00:00", "Europe/London", Some("2026-11-05T09:00:00Z"))]
    #[case::twice("2026-10-25T01:30:00", "Europe/London", Some("2026-10-25T00:30:00Z"))]
    #[case::never("2026-03-29T01:30:00", "Europe/London", Some("2026-03-29T00:59:00Z"))]
    #[case::minutes("2026-11-05T09:00", "Asia/Kathmandu", Some("2026-11-05T03:15:00Z"))]
    #[case::offset("2026-11-05T09:00:00+02:00", "Asia/Kathmandu", Some("2026-11-05T07:00:00Z"))]
    #[case::no_zone("2026-11-05T09:00:00", "Moon/Tranquility", None)]
    #[case::no_time("tomorrow", "Europe/London", None)]
    #[case::beyond_all_that_is_held("2300-01-01T09:00:00", "Europe/London", None)]
    #[case::beyond_with_an_offset("2300-01-01T09:00:00Z", "Europe/London", None)]
    #[case::before_all_that_is_held("1600-01-01T09:00:00", "Europe/London", None)]
    fn wall_clock_times(#[case] time: &str, #[case] zone: &str, #[case] expected: Option<&str>) {
        let body = serde_json::json!({"scheduledFor": time, "timezone": zone}).to_string();
        assert_eq!(scheduled_for(body.as_bytes()), expected.map(|text| text.parse().unwrap()));
    }

    #[test]
    fn a_body_without_a_time_asks_for_none() {
        assert_eq!(scheduled_for(br#"{"content":"now"}"#), None);
        assert_eq!(scheduled_for(b"not json"), None);
    }

    #[rstest]
    #[case::summer("2026-07-05T09:00:00", "Europe/London", "")]
    #[case::twice(
        "2026-10-25T01:30:00",
        "Europe/London",
        "twice 2026-10-25 01:30 BST (+01:00) or 2026-10-25 01:30 GMT (+00:00)"
    )]
    #[case::missing(
        "2026-03-29T01:30:00",
        "Europe/London",
        "missing 2026-03-29 02:30 BST (+01:00) or 2026-03-29 00:30 GMT (+00:00)"
    )]
    #[case::half_an_hour(
        "2026-10-04T02:15:00",
        "Australia/Lord_Howe",
        "missing 2026-10-04 02:45 +11 (+11:00) or 2026-10-04 01:45 +1030 (+10:30)"
    )]
    #[case::offset("2026-10-25T01:30:00+01:00", "Europe/London", "")]
    #[case::no_zone("2026-11-05T09:00:00", "Moon/Tranquility", "unreadable")]
    #[case::no_time("tomorrow", "Europe/London", "unreadable")]
    #[case::beyond_all_that_is_held("2300-01-01T09:00:00", "Europe/London", "unreadable")]
    #[case::beyond_with_an_offset("2300-01-01T09:00:00Z", "Europe/London", "unreadable")]
    fn traps_of_wall_clock_times(#[case] time: &str, #[case] zone: &str, #[case] expected: &str) {
        let told = match trap(&serde_json::json!({"scheduledFor": time, "timezone": zone})) {
            None => String::new(),
            Some(Trap::Twice(one, other)) => format!("twice {} or {}", one.text(), other.text()),
            Some(Trap::Missing(one, other)) => format!("missing {} or {}", one.text(), other.text()),
            Some(Trap::Unreadable) => "unreadable".to_owned(),
        };
        assert_eq!(told, expected);
    }

    #[test]
    fn a_reading_has_a_spelling_that_means_it_alone() {
        let body = serde_json::json!({"scheduledFor": "2026-10-25T01:30:00", "timezone": "Europe/London"});
        let Some(Trap::Twice(first, second)) = trap(&body) else { panic!("it comes twice") };
        assert_eq!((first.in_utc(), second.in_utc()), ("2026-10-25T00:30:00".into(), "2026-10-25T01:30:00".into()));
        for reading in [first, second] {
            let picked = serde_json::json!({"scheduledFor": reading.in_utc(), "timezone": "UTC"});
            assert_eq!((trap(&picked), asked_in(&picked)), (None, Some(reading.at)));
        }
    }
}

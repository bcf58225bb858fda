//! When a post was scheduled for: `scheduledFor` as a wall-clock time in `timezone`, or with an offset of its own
//! (seed "Idempotency and safe retries"; `pozy.md` 6, trap 6). Pure.

use chrono::{LocalResult, NaiveDateTime, TimeDelta, TimeZone as _, Utc};
use chrono_tz::Tz;
use serde_json::Value;

use crate::clock::Moment;

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
    let wall = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M"]
        .iter()
        .find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())?;
    let zone: Tz = match body["timezone"].as_str() {
        Some(name) => name.parse().ok()?,
        None => Tz::UTC,
    };
    earliest(zone, wall)
}

fn earliest(zone: Tz, wall: NaiveDateTime) -> Option<Moment> {
    match zone.from_local_datetime(&wall) {
        LocalResult::Single(time) | LocalResult::Ambiguous(time, _) => Some(time.with_timezone(&Utc).into()),
        LocalResult::None => {
            // Clocks never jump by more than a day: the last minute before that exists bounds it from below.
            let before =
                (1..=24 * 60).find_map(|back| zone.from_local_datetime(&(wall - TimeDelta::minutes(back))).latest())?;
            Some(before.with_timezone(&Utc).into())
        }
    }
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
    fn wall_clock_times(#[case] time: &str, #[case] zone: &str, #[case] expected: Option<&str>) {
        let body = serde_json::json!({"scheduledFor": time, "timezone": zone}).to_string();
        assert_eq!(scheduled_for(body.as_bytes()), expected.map(|text| text.parse().unwrap()));
    }

    #[test]
    fn a_body_without_a_time_asks_for_none() {
        assert_eq!(scheduled_for(br#"{"content":"now"}"#), None);
        assert_eq!(scheduled_for(b"not json"), None);
    }
}

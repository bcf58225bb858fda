//! Times as other programs write them. Pure. A time without a zone is never guessed at: it needs to be told one.

use chrono::{DateTime, NaiveDate, NaiveDateTime, TimeZone as _};
use chrono_tz::Tz;

use crate::clock::Moment;

/// An instant that needs no zone: RFC 3339 also without the colon of its offset or with a blank for its `T`, the form
/// of HTTP's `Date`, or seconds, milliseconds or microseconds since 1970.
pub(super) fn instant(text: &str) -> Option<Moment> {
    let text = text.trim();
    if let Some(moment) = Moment::parse(text) {
        return Some(moment);
    }
    for form in ["%Y-%m-%dT%H:%M:%S%.f%z", "%Y-%m-%d %H:%M:%S%.f%:z", "%Y-%m-%d %H:%M:%S%.f %z", "%d/%b/%Y:%H:%M:%S %z"]
    {
        if let Ok(time) = DateTime::parse_from_str(text, form) {
            return Moment::of(&time);
        }
    }
    if let Some(local) = text.strip_suffix(['Z', 'z']).or_else(|| text.strip_suffix(" UTC")) {
        return local_time(local.trim()).and_then(|time| Moment::of(&time.and_utc()));
    }
    if let Some(moment) = since_1970(text) {
        return Some(moment);
    }
    let time = httpdate::parse_http_date(text).ok()?;
    Moment::of(&DateTime::<chrono::Utc>::from(time))
}

/// An instant, with `zone` for what bears none. A time that the zone's clocks skip or show twice is none: nobody can
/// say which it was.
pub(super) fn instant_in(text: &str, zone: Tz) -> Option<Moment> {
    instant(text).or_else(|| {
        let local = local_time(text.trim())?;
        zone.from_local_datetime(&local).single().and_then(|time| Moment::of(&time))
    })
}

fn local_time(text: &str) -> Option<NaiveDateTime> {
    let forms = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M", "%Y/%m/%d %H:%M:%S%.f"];
    let time = forms.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
    time.or_else(|| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().and_then(|day| day.and_hms_opt(0, 0, 0)))
}

/// Ten digits are seconds, thirteen milliseconds, sixteen microseconds; a fraction is one of seconds.
fn since_1970(text: &str) -> Option<Moment> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) {
        return None;
    }
    let number: i64 = whole.parse().ok()?;
    let nanos = match (whole.len(), fraction.len()) {
        (9 | 10, 0) => number.checked_mul(Moment::SECOND)?,
        (9 | 10, places @ 1..=9) => {
            let part = fraction.parse::<i64>().ok()? * 10_i64.pow(9 - u32::try_from(places).ok()?);
            number.checked_mul(Moment::SECOND)?.checked_add(part)?
        }
        (13, _) => number.checked_mul(1_000_000)?,
        (16, 0) => number.checked_mul(1_000)?,
        _ => return None,
    };
    Some(Moment(nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_instant_in_every_form() {
        let same: Moment = "2026-03-02T10:00:00Z".parse().unwrap();
        for text in [
            "2026-03-02T10:00:00Z",
            "2026-03-02T11:00:00+0100",
            "2026-03-02 11:00:00+01:00",
            "2026-03-02 11:00:00.000 +0100",
            "2026-03-02 10:00:00Z",
            "2026-03-02 10:00:00 UTC",
            "Mon, 02 Mar 2026 10:00:00 GMT",
            "02/Mar/2026:11:00:00 +0100",
            "1772445600",
            "1772445600.0",
            "1772445600000",
            "1772445600000000",
        ] {
            assert_eq!(instant(text), Some(same), "{text}");
        }
        assert_eq!(instant("1772445600.25"), Some(same.plus_millis(250)));
    }

    #[test]
    fn a_time_that_cannot_be_held_is_no_other_time() {
        for text in [
            "2300-01-01T00:00:00Z",
            "1600-01-01T00:00:00+0100",
            "2300-01-01 00:00:00 UTC",
            "Fri, 31 Dec 9999 23:59:59 GMT",
            "01/Jan/2300:00:00:00 +0000",
            "9999999999999000",
        ] {
            assert_eq!(instant(text), None, "{text}");
        }
        assert_eq!(instant_in("2300-01-01 00:00:00", Tz::UTC), None);
    }

    #[test]
    fn a_time_without_a_zone_needs_one() {
        for text in ["2026-03-02 11:00:00", "2026-03-02", "yesterday", "", "12", "1e9", "-1772445600"] {
            assert_eq!(instant(text), None, "{text}");
        }
        let berlin = chrono_tz::Europe::Berlin;
        assert_eq!(instant_in("2026-03-02 11:00", berlin), "2026-03-02T10:00:00Z".parse().ok());
        assert_eq!(instant_in("2026-03-02T10:00:00Z", berlin), "2026-03-02T10:00:00Z".parse().ok());
        assert_eq!(instant_in("2026-03-29 02:30:00", berlin), None, "the clocks skip it");
        assert_eq!(instant_in("2026-10-25 02:30:00", berlin), None, "the clocks show it twice");
    }
}

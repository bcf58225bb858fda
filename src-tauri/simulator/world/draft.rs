//! The body of `POST /v1/posts`, read and checked.

use chrono::{DateTime, Datelike, LocalResult, NaiveDateTime, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;
use serde_json::Value;

use crate::ids::AccountId;

/// When a post is to go out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// Not by itself.
    Never,
    /// At once.
    Now,
    /// At a moment; one that has passed means at once.
    At(DateTime<Utc>),
}

/// One account that the post goes to.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) platform: String,
    pub(crate) account: AccountId,
    pub(crate) own_text: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) text: String,
    /// Media addresses in the order given; they are part of what makes content the same (R10).
    pub(crate) media: Vec<String>,
    pub(crate) places: Vec<Place>,
    pub(crate) when: When,
    pub(crate) scheduled_for: Option<DateTime<Utc>>,
    pub(crate) timezone: String,
    /// Fields that are handed back as they came.
    pub(crate) echoed: Vec<(&'static str, Value)>,
}

impl Draft {
    /// Reads a body.
    ///
    /// # Errors
    /// One sentence that says what to fix.
    pub(crate) fn read(body: &[u8]) -> Result<Self, String> {
        let body: Value = serde_json::from_slice(body).map_err(|problem| format!("The body is not JSON: {problem}"))?;
        let text = match body.get("content") {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(_) => return Err("content must be a string".into()),
        };
        let media = read_media(&body)?;
        if text.trim().is_empty() && media.is_empty() {
            return Err("A post needs content or mediaItems".into());
        }
        let timezone = body.get("timezone").and_then(Value::as_str).unwrap_or("UTC").to_owned();
        let scheduled_for = match body.get("scheduledFor") {
            None | Some(Value::Null) => None,
            Some(Value::String(time)) => Some(read_time(time, &timezone)?),
            Some(_) => return Err("scheduledFor must be a string".into()),
        };
        let told = |name: &str| body.get(name).and_then(Value::as_bool).unwrap_or(false);
        let when = match scheduled_for {
            _ if told("isDraft") => When::Never,
            _ if told("publishNow") => When::Now,
            Some(moment) => When::At(moment),
            None => When::Never,
        };
        let echoed = ["title", "mediaItems", "tags", "metadata"]
            .into_iter()
            .filter_map(|name| body.get(name).map(|value| (name, value.clone())))
            .collect();
        Ok(Self { text, media, places: read_places(&body)?, when, scheduled_for, timezone, echoed })
    }
}

fn read_places(body: &Value) -> Result<Vec<Place>, String> {
    let list = body.get("platforms").and_then(Value::as_array).filter(|list| !list.is_empty());
    let list = list.ok_or("platforms must list at least one account")?;
    let mut places: Vec<Place> = Vec::new();
    for entry in list {
        let named = |name: &str| entry.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let (Some(platform), Some(account)) = (named("platform"), named("accountId")) else {
            return Err("Every entry of platforms needs platform and accountId".into());
        };
        if places.iter().any(|place| place.account.0 == account) {
            return Err(format!("The account {account} is listed twice"));
        }
        let own_text = named("customContent").map(str::to_owned);
        places.push(Place { platform: platform.into(), account: account.into(), own_text });
    }
    Ok(places)
}

fn read_media(body: &Value) -> Result<Vec<String>, String> {
    let Some(list) = body.get("mediaItems").filter(|value| !value.is_null()) else { return Ok(Vec::new()) };
    let list = list.as_array().ok_or("mediaItems must be a list")?;
    list.iter()
        .map(|item| item.get("url").and_then(Value::as_str).map(str::to_owned))
        .collect::<Option<_>>()
        .ok_or_else(|| "Every entry of mediaItems needs a url".into())
}

/// A time with an offset is an instant; one without is read in `timezone`. Where the clock goes back the earlier
/// reading counts; a time that the clock skips moves on by the hour that is skipped.
fn read_time(text: &str, timezone: &str) -> Result<DateTime<Utc>, String> {
    let zone: Tz = timezone.parse().map_err(|_| format!("{timezone} is no time zone"))?;
    let no_time = || format!("scheduledFor {text} is no time");
    if let Ok(instant) = DateTime::parse_from_rfc3339(text) {
        return Ok(instant.to_utc());
    }
    let local = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M"]
        .into_iter()
        .find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())
        .filter(|local| (1970..=9999).contains(&local.year()))
        .ok_or_else(no_time)?;
    match zone.from_local_datetime(&local) {
        LocalResult::Single(moment) | LocalResult::Ambiguous(moment, _) => Ok(moment.to_utc()),
        LocalResult::None => zone
            .from_local_datetime(&(local - TimeDelta::hours(1)))
            .earliest()
            .map(|moment| moment.to_utc() + TimeDelta::hours(1))
            .ok_or_else(no_time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[rstest::rstest]
    #[case("2026-11-05T09:00:00", "Europe/London", "2026-11-05T09:00:00Z")]
    #[case("2026-07-05T09:00", "Europe/London", "2026-07-05T08:00:00Z")]
    #[case("2026-07-05T09:00:00+02:00", "Europe/London", "2026-07-05T07:00:00Z")]
    #[case("2026-10-25T01:30:00", "Europe/London", "2026-10-25T00:30:00Z")]
    #[case("2026-03-29T01:30:00", "Europe/London", "2026-03-29T01:30:00Z")]
    fn a_time_without_offset_is_read_in_its_zone(#[case] time: &str, #[case] zone: &str, #[case] instant: &str) {
        assert_eq!(read_time(time, zone).unwrap(), instant.parse::<DateTime<Utc>>().unwrap());
    }

    #[rstest::rstest]
    #[case("")]
    #[case("[]")]
    #[case(r#"{"content": "Hi", "platforms": []}"#)]
    #[case(r#"{"content": "", "platforms": [{"platform": "linkedin", "accountId": "a"}]}"#)]
    #[case(r#"{"content": 7, "platforms": [{"platform": "linkedin", "accountId": "a"}]}"#)]
    #[case(r#"{"content": "Hi", "platforms": [{"platform": "linkedin"}]}"#)]
    #[case(
        r#"{"content": "Hi", "platforms": [{"platform": "x", "accountId": "a"}, {"platform": "x", "accountId": "a"}]}"#
    )]
    #[case(r#"{"content": "Hi", "platforms": [{"platform": "x", "accountId": "a"}], "scheduledFor": "soon"}"#)]
    #[case(r#"{"content": "Hi", "platforms": [{"platform": "x", "accountId": "a"}], "scheduledFor": "2026-11-05T09:00:00", "timezone": "Mars"}"#)]
    fn a_body_that_cannot_be_a_post_says_what_to_fix(#[case] body: &str) {
        assert!(Draft::read(body.as_bytes()).unwrap_err().len() > 10);
    }
}

//! The latest answer of a job read aloud: one kind for each thing a person can be told, with what belongs to it
//! (design 4.3). Pure; words for the screens are found there.

use serde::Serialize;
use serde_json::Value;
use ts_rs::TS;

use super::job::{Attempt, EndKind};
use crate::pozy::answers::Meaning;

/// Longest sentence of Pozy's that is passed on, characters.
const SAID_MAX: usize = 400;

/// What the latest try came to. A closed list: one card each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum AnswerKind {
    /// It is on the wire.
    UnderWay,
    /// Made now (R7).
    Created,
    /// The first post of the key came back (R7).
    Replayed,
    /// The key gave back a post with other words than these (R7).
    ReplayedOther,
    /// Pozy is still saving it.
    Saving,
    /// The first request still runs (R9).
    InProgress,
    /// The same content is there (R10).
    SameContent,
    /// Pozy asked to come back later (429).
    RateLimited,
    /// Pozy failed or was too busy: it may have been done or not (R13).
    Busy,
    /// No answer came.
    Lost,
    /// No byte left this computer.
    NotSent,
    /// A final no: something to mend (R13).
    Refused,
    /// The key belongs to another call (R8).
    KeyElsewhere,
    /// The address leads elsewhere; nothing was followed.
    Redirected,
}

/// The kind of an attempt's end. `held` tells one under way from one whose program died; `other_words` is true if the
/// job was warned that the key gave back something else.
#[must_use]
pub fn kind(attempt: &Attempt, held: bool, other_words: bool) -> AnswerKind {
    let Some(end) = &attempt.end else { return if held { AnswerKind::UnderWay } else { AnswerKind::Lost } };
    match (end.kind, end.meaning) {
        (EndKind::NotSent, _) => AnswerKind::NotSent,
        (EndKind::Timeout | EndKind::Reset | EndKind::Crash, _) => AnswerKind::Lost,
        (EndKind::Answered, Some(Meaning::Created)) => AnswerKind::Created,
        (EndKind::Answered, Some(Meaning::Replayed)) if other_words || end.differs == Some(true) => {
            AnswerKind::ReplayedOther
        }
        (EndKind::Answered, Some(Meaning::Replayed)) => AnswerKind::Replayed,
        (EndKind::Answered, Some(Meaning::Poll)) => AnswerKind::Saving,
        (EndKind::Answered, Some(Meaning::Conflict)) => AnswerKind::InProgress,
        (EndKind::Answered, Some(Meaning::SameContent)) => AnswerKind::SameContent,
        (EndKind::Answered, Some(Meaning::Redirected)) => AnswerKind::Redirected,
        (EndKind::Answered, Some(Meaning::KeyElsewhere)) => AnswerKind::KeyElsewhere,
        (EndKind::Answered, Some(Meaning::Rejected)) => AnswerKind::Refused,
        (EndKind::Answered, Some(Meaning::Unknown) | None) if end.status == Some(429) => AnswerKind::RateLimited,
        (EndKind::Answered, Some(Meaning::Unknown) | None) => AnswerKind::Busy,
    }
}

/// What Pozy names as the reason of a no.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToMend {
    /// Its sentence.
    pub says: Option<String>,
    /// Its `code`, for support.
    pub code: Option<String>,
    /// The field it is about.
    pub field: Option<String>,
}

/// Reads what to mend from the body of a refusal (`pozy.md` 5.3). A page of HTML says nothing that helps.
#[must_use]
pub fn to_mend(body: &[u8]) -> ToMend {
    let Ok(body) = serde_json::from_slice::<Value>(body) else { return ToMend::default() };
    let word = |value: &Value| value.as_str().map(str::trim).filter(|text| !text.is_empty()).map(short);
    ToMend {
        says: word(&body["error"]).or_else(|| word(&body["error"]["message"])).or_else(|| word(&body["message"])),
        code: word(&body["code"]).or_else(|| word(&body["error"]["code"])),
        field: word(&body["param"]).or_else(|| word(&body["details"]["field"])),
    }
}

fn short(text: &str) -> String {
    text.chars().take(SAID_MAX).collect()
}

/// The text of the post that an answer gave back.
#[must_use]
pub fn returned_text(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    body["post"]["content"].as_str().map(str::to_owned)
}

/// The text of a request body.
#[must_use]
pub fn sent_text(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    body["content"].as_str().map(str::to_owned)
}

/// Where a redirection leads: its host alone, since the rest of an address may hold what is nobody's business.
#[must_use]
pub fn leads_to(headers: &[(String, String)]) -> Option<String> {
    let place = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("location")).map(|(_, value)| value)?;
    let url: reqwest::Url = place.parse().ok()?;
    url.host_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::plain(
        r#"{"error":"The time is past","code":"bad_time","param":"scheduledFor"}"#,
        Some("The time is past"),
        Some("bad_time"),
        Some("scheduledFor")
    )]
    #[case::nested(r#"{"error":{"message":"No such account"}}"#, Some("No such account"), None, None)]
    #[case::message(r#"{"message":" Too long "}"#, Some("Too long"), None, None)]
    #[case::page("<html>no</html>", None, None, None)]
    #[case::empty("{}", None, None, None)]
    fn a_refusal_says_what_to_mend(
        #[case] body: &str,
        #[case] says: Option<&str>,
        #[case] code: Option<&str>,
        #[case] field: Option<&str>,
    ) {
        let mend = to_mend(body.as_bytes());
        assert_eq!((mend.says.as_deref(), mend.code.as_deref(), mend.field.as_deref()), (says, code, field));
    }

    #[test]
    fn a_long_sentence_is_cut() {
        let body = serde_json::json!({"error": "x".repeat(2_000)}).to_string();
        assert_eq!(to_mend(body.as_bytes()).says.map(|text| text.len()), Some(SAID_MAX));
    }

    #[test]
    fn of_an_address_only_its_host_is_told() {
        let headers = vec![("Location".to_owned(), "https://elsewhere.example/v1?token=abc".to_owned())];
        assert_eq!(leads_to(&headers).as_deref(), Some("elsewhere.example"));
        assert_eq!(leads_to(&[("location".to_owned(), "/v2/posts".to_owned())]), None);
    }
}

//! What an answer means (design 4.3, R7-R10, R13). Pure: status, headers and bytes in, one meaning out. Branches on
//! status and `code`, never on a sentence of the other side (`pozy.md` 5.3).

use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{block::WORD_MAX, contract::Contract};
use crate::{clock::Moment, ids::PostId};

/// Longest `Retry-After` that is believed, seconds (31 days). It must reach past the life of any key, so that "wait a
/// day" is understood as the end of asking and not as garbage.
const LONGEST_WAIT_S: i64 = 31 * 24 * 3_600;

/// An answer as it came, before anybody read it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Names and values in the order they came.
    pub headers: Vec<(String, String)>,
    /// The body's bytes; cut off at the client's cap.
    pub body: Vec<u8>,
}

impl Answer {
    /// The first header of that name, whatever its case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(has, _)| has.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// When `Retry-After` ends for an answer that came at `at`; none if it is missing or garbage.
    #[must_use]
    pub fn retry_after(&self, at: Moment) -> Option<Moment> {
        retry_after(self, at)
    }

    /// The moment in `Date`, the server's clock.
    #[must_use]
    pub fn date(&self) -> Option<Moment> {
        http_date(self.header("date")?)
    }
}

/// The kind of an answer; what else it holds is in [`Reading`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Meaning {
    /// 201, 207 or another 2xx: made now (R7).
    Created,
    /// 200 where a repeat gives the first post back: made before (R7).
    Replayed,
    /// 202: still being saved, ask again.
    Poll,
    /// 409 with the conflict code: the first one still runs (R9).
    Conflict,
    /// 409 with an existing post: the same content is there already (R10).
    SameContent,
    /// 429, 5xx, 408: may or may not have been done (R13).
    Unknown,
    /// 3xx: never followed.
    Redirected,
    /// Any other 4xx: asking again will not help (R13).
    Rejected,
    /// 422 on a path where a key is bound to its body: it belongs to another path or body (R8).
    KeyElsewhere,
}

/// Everything the core reads from an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What it means.
    pub meaning: Meaning,
    /// The post it tells of; for `SameContent` the one that exists already.
    pub post: Option<PostId>,
    /// The account of a `SameContent`.
    pub account: Option<String>,
    /// From when on the next try is welcome: `Retry-After`, counted from the answer; none if missing or garbage.
    pub retry_at: Option<Moment>,
    /// The server's clock.
    pub date: Option<Moment>,
    /// Whether the text of the returned post differs from the text that was sent; none if either is not known.
    pub differs: Option<bool>,
}

/// Reads `answer` to a request of `sent` bytes for `path`; it reached us at `at`.
#[must_use]
pub fn read(answer: &Answer, path: &str, sent: &[u8], at: Moment, contract: &Contract) -> Reading {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or(Value::Null);
    let existing = word(&body["details"]["existingPostId"]).or_else(|| word(&body["existingPostId"]));
    let meaning = match answer.status {
        200 if replays(answer, path, contract) => Meaning::Replayed,
        202 => Meaning::Poll,
        200..=299 => Meaning::Created,
        300..=399 => Meaning::Redirected,
        409 if body["code"] == contract.conflict_code.as_str() => Meaning::Conflict,
        409 if existing.is_some() => Meaning::SameContent,
        408 | 429 => Meaning::Unknown,
        422 if contract.takes_key(path) && !contract.replays(path) => Meaning::KeyElsewhere,
        400..=499 => Meaning::Rejected,
        _ => Meaning::Unknown,
    };
    let post = match meaning {
        Meaning::SameContent => existing,
        Meaning::Created | Meaning::Replayed | Meaning::Poll => {
            word(&body["post"]["_id"]).or_else(|| word(&body["post"]["id"])).or_else(|| word(&body["postId"]))
        }
        _ => None,
    };
    Reading {
        meaning,
        post: post.map(PostId::new),
        account: (meaning == Meaning::SameContent).then(|| word(&body["details"]["accountId"])).flatten(),
        retry_at: retry_after(answer, at),
        date: answer.date(),
        differs: (meaning == Meaning::Replayed).then(|| differs(&body, sent)).flatten(),
    }
}

/// True if a 200 says "this was there already": on paths that replay whatever the body (R7), and elsewhere only where
/// the answer says so itself.
fn replays(answer: &Answer, path: &str, contract: &Contract) -> bool {
    contract.replays(path)
        || answer.header("idempotent-replayed").is_some_and(|value| value.eq_ignore_ascii_case("true"))
}

/// An id. One that is longer than any is none, since it is kept for good and asked about.
fn word(value: &Value) -> Option<String> {
    value.as_str().filter(|text| (1..=WORD_MAX).contains(&text.len())).map(str::to_owned)
}

fn differs(body: &Value, sent: &[u8]) -> Option<bool> {
    let sent: Value = serde_json::from_slice(sent).ok()?;
    Some(sent["content"].as_str()?.trim() != body["post"]["content"].as_str()?.trim())
}

/// When `Retry-After` ends: whole seconds from `at`, or one of the three HTTP dates, a past one being now. Of several
/// headers the longest wait counts; anything else (1.5, negative, blank, absurd) is garbage and gives none.
fn retry_after(answer: &Answer, at: Moment) -> Option<Moment> {
    let latest = at.plus_seconds(LONGEST_WAIT_S);
    let values = answer.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("retry-after"));
    values.filter_map(|(_, value)| wait_until(value.trim(), at)).filter(|moment| *moment <= latest).max()
}

fn wait_until(value: &str, at: Moment) -> Option<Moment> {
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        let seconds: i64 = value.parse().ok()?;
        return (seconds <= LONGEST_WAIT_S).then(|| at.plus_seconds(seconds));
    }
    http_date(value).map(|moment| moment.max(at))
}

fn http_date(value: &str) -> Option<Moment> {
    let since = httpdate::parse_http_date(value).ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(Moment(i64::try_from(since.as_nanos()).ok()?))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const AT: &str = "2026-03-02T09:00:03Z";

    fn at() -> Moment {
        AT.parse().unwrap()
    }

    fn reading(status: u16, headers: &[(&str, &str)], body: &str, path: &str) -> Reading {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let answer = Answer { status, headers, body: body.as_bytes().to_vec() };
        read(&answer, path, br#"{"content":"Doors open at ten."}"#, at(), &Contract::shipped("pozy").unwrap())
    }

    #[rstest]
    #[case(201, r#"{"post":{"_id":"po_1"}}"#, Meaning::Created, Some("po_1"))]
    #[case(207, r#"{"post":{"id":"po_1","status":"partial"}}"#, Meaning::Created, Some("po_1"))]
    #[case(204, "", Meaning::Created, None)]
    #[case(201, "<html>", Meaning::Created, None)]
    #[case(200, r#"{"post":{"_id":"po_1"}}"#, Meaning::Replayed, Some("po_1"))]
    #[case(202, r#"{"postId":"po_1"}"#, Meaning::Poll, Some("po_1"))]
    #[case(301, "", Meaning::Redirected, None)]
    #[case(400, "{}", Meaning::Rejected, None)]
    #[case(404, r#"{"post":{"_id":"po_1"}}"#, Meaning::Rejected, None)]
    #[case(408, "{}", Meaning::Unknown, None)]
    #[case(409, r#"{"code":"idempotency_conflict"}"#, Meaning::Conflict, None)]
    #[case(409, r#"{"details":{"accountId":"ac_li","existingPostId":"po_1"}}"#, Meaning::SameContent, Some("po_1"))]
    #[case(409, "{}", Meaning::Rejected, None)]
    #[case(422, "{}", Meaning::Rejected, None)]
    #[case(429, "{}", Meaning::Unknown, None)]
    #[case(503, "", Meaning::Unknown, None)]
    #[case(999, "", Meaning::Unknown, None)]
    fn one_meaning_for_each_status(
        #[case] status: u16,
        #[case] body: &str,
        #[case] meaning: Meaning,
        #[case] post: Option<&str>,
    ) {
        let reading = reading(status, &[], body, "/v1/posts");
        assert_eq!((reading.meaning, reading.post.as_ref().map(PostId::as_str)), (meaning, post));
    }

    #[test]
    fn a_conflict_with_an_existing_post_is_still_a_conflict() {
        let body = r#"{"code":"idempotency_conflict","details":{"existingPostId":"po_1"}}"#;
        assert_eq!(reading(409, &[], body, "/v1/posts").meaning, Meaning::Conflict);
    }

    #[test]
    fn other_paths_that_take_a_key_answer_otherwise() {
        assert_eq!(reading(200, &[], r#"{"id":"sms_1"}"#, "/v1/sms/messages").meaning, Meaning::Created);
        let told = [("Idempotent-Replayed", "true")];
        assert_eq!(reading(200, &told, r#"{"id":"sms_1"}"#, "/v1/sms/messages").meaning, Meaning::Replayed);
        assert_eq!(reading(422, &[], "{}", "/v1/sms/messages").meaning, Meaning::KeyElsewhere);
        assert_eq!(reading(422, &[], "{}", "/v1/unheard-of").meaning, Meaning::Rejected);
    }

    #[test]
    fn the_returned_text_is_compared_with_the_sent_one() {
        for (text, differs) in [("Doors open at nine.", Some(true)), ("Doors open at ten. ", Some(false))] {
            let body = format!(r#"{{"post":{{"_id":"po_1","content":"{text}"}}}}"#);
            assert_eq!(reading(200, &[], &body, "/v1/posts").differs, differs);
        }
        assert_eq!(reading(200, &[], r#"{"post":{"_id":"po_1"}}"#, "/v1/posts").differs, None);
    }

    #[rstest]
    #[case::seconds("7", Some(7))]
    #[case::zero("0", Some(0))]
    #[case::spaces(" 7 ", Some(7))]
    #[case::a_day("86400", Some(86_400))]
    #[case::imf("Mon, 02 Mar 2026 09:05:00 GMT", Some(297))]
    #[case::rfc850("Monday, 02-Mar-26 09:05:00 GMT", Some(297))]
    #[case::asctime("Mon Mar  2 09:05:00 2026", Some(297))]
    #[case::past_date("Mon, 02 Mar 2026 08:00:00 GMT", Some(0))]
    #[case::fraction("1.5", None)]
    #[case::negative("-1", None)]
    #[case::plus("+1", None)]
    #[case::blank("", None)]
    #[case::word("soon", None)]
    #[case::absurd("99999999999999999999", None)]
    #[case::too_long("31536000", None)]
    #[case::far_date("Fri, 31 Dec 9999 23:59:59 GMT", None)]
    fn retry_after_in_every_shape(#[case] value: &str, #[case] seconds: Option<i64>) {
        let read = reading(503, &[("retry-after", value)], "", "/v1/posts").retry_at;
        assert_eq!(read, seconds.map(|seconds| at().plus_seconds(seconds)));
    }

    #[test]
    fn of_two_waits_the_longer_counts() {
        let both = [("Retry-After", "3"), ("retry-after", "9"), ("Retry-After", "soon")];
        assert_eq!(reading(503, &both, "", "/v1/posts").retry_at, Some(at().plus_seconds(9)));
    }
}

//! Pages of the API's own logs, saved as they were answered (`pozy.md` 4.2, assumed until Pozy publishes it, T7): one
//! row of `GET /v1/webhooks/logs` is one delivery to a receiver and becomes an arrival; one row of `GET /v1/logs` that
//! tells of a call with its path becomes a try. Pure.
//!
//! Bodies of these rows were written anew by the log, so no signature can be checked on them. A delivery that nobody
//! answered may never have arrived: it is passed over unless it was a time-out, which says that somebody was there.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use super::{
    exchange::{End, Exchange, Tries, lost},
    lines::{ArrivalLine, BodyField, Headers, Line},
    times,
};
use crate::{outbound::job::EndKind, pozy::contract::Contract};

/// A row of either log. Programs that pass pages on write names in either style.
#[derive(Deserialize)]
struct Row<'a> {
    #[serde(alias = "createdAt")]
    created_at: Option<String>,
    #[serde(default, alias = "webhook_id", alias = "webhookId")]
    webhook: Option<String>,
    #[serde(default, alias = "eventId")]
    event_id: Option<String>,
    #[serde(default, alias = "statusCode")]
    status_code: Option<u16>,
    #[serde(default, alias = "attemptNumber")]
    attempt_number: Option<u32>,
    #[serde(default, alias = "response_time", alias = "responseTime", alias = "durationMs", alias = "duration_ms")]
    took_ms: Option<f64>,
    #[serde(default, alias = "error_message", alias = "errorMessage")]
    error: Option<String>,
    #[serde(borrow, default, alias = "request_payload", alias = "requestPayload")]
    payload: Option<&'a RawValue>,
    #[serde(default)]
    endpoint: Option<String>,
    #[serde(default)]
    method: Option<String>,
    #[serde(borrow, default, alias = "requestBody")]
    request_body: Option<&'a RawValue>,
    #[serde(borrow, default, alias = "responseBody")]
    response_body: Option<&'a RawValue>,
    #[serde(default, alias = "requestId")]
    request_id: Option<String>,
    #[serde(default, alias = "idempotency_key", alias = "idempotencyKey")]
    key: Option<String>,
}

/// Makes lines of rows. Pages overlap when something was logged between two calls: a row that came before is passed
/// over.
#[derive(Debug, Default)]
pub(super) struct Reader {
    seen: HashSet<[u8; 12]>,
    tries: Tries,
}

impl Reader {
    /// The line that a row stands for.
    ///
    /// # Errors
    /// A short reason for the list of what could not be read; nothing of the row is in it.
    pub(super) fn line(&mut self, text: &[u8], contract: &Contract) -> Result<Option<Line>, String> {
        let row: Row<'_> =
            serde_json::from_slice(text).map_err(|_| "it is no row of a delivery log: a field is odd".to_owned())?;
        let mut print = [0; 12];
        print.copy_from_slice(&Sha256::digest(text)[..12]);
        if !self.seen.insert(print) {
            return Ok(None);
        }
        let created = row.created_at.as_deref().ok_or("`createdAt` is missing")?;
        let at = times::instant(created)
            .ok_or("its `createdAt` is no time with a zone, or lies before 1678 or after 2261")?;
        let took = row.took_ms.filter(|ms| (0.0..1e12).contains(ms)).unwrap_or_default();
        #[expect(clippy::cast_possible_truncation, reason = "it is below 1e12")]
        let took_ms = took.round() as i64;
        // A row is written when it is over.
        let at = at.plus_millis(-took_ms);
        if row.event_id.is_some() || row.payload.is_some() {
            return delivery(&row, at, took_ms).map(|line| line.map(Line::Arrival));
        }
        let Some((method, path)) = row.endpoint.as_deref().and_then(|endpoint| call(&row, endpoint)) else {
            return Ok(None);
        };
        let mut headers = Vec::new();
        if let Some(id) = row.request_id {
            headers.push(("x-request-id".to_owned(), id));
        }
        if let Some(key) = row.key {
            headers.push((contract.key_header.clone(), key));
        }
        let end = match (row.status_code, row.error.as_deref()) {
            (Some(status), _) => {
                End::Answered { status, headers: Headers::default(), body: row.response_body.and_then(text_or_json) }
            }
            (None, Some(error)) => End::Lost(lost(error)),
            (None, None) => End::Unsaid,
        };
        let body = row.request_body.and_then(text_or_json);
        let told = Exchange { at, took_ms, method, url: path, headers: Headers(headers), body, end, job: None };
        self.tries.line(told, contract)
    }
}

fn delivery(row: &Row<'_>, at: crate::clock::Moment, took_ms: i64) -> Result<Option<ArrivalLine>, String> {
    let timed_out = row.error.as_deref().is_some_and(|error| lost(error) == EndKind::Timeout);
    if row.status_code.is_none() && !timed_out {
        return Ok(None);
    }
    let body = row.payload.and_then(text_or_json).ok_or("`requestPayload` is missing")?;
    let mut headers = Vec::new();
    for (name, value) in
        [("x-delivery-webhook", row.webhook.clone()), ("x-delivery-attempt", row.attempt_number.map(|n| n.to_string()))]
    {
        headers.extend(value.map(|value| (name.to_owned(), value)));
    }
    Ok(Some(ArrivalLine {
        at,
        took_ms: Some(took_ms),
        answer: row.status_code,
        signature: None,
        verified_later: false,
        headers: Headers(headers),
        body: BodyField::of(Some(&body)),
        aged: None,
    }))
}

/// Method and path of an endpoint such as `POST /v1/posts`.
fn call(row: &Row<'_>, endpoint: &str) -> Option<(String, String)> {
    let (method, path) = match endpoint.trim().split_once(' ') {
        Some((method, path)) => (method.to_owned(), path.trim()),
        None => (row.method.clone()?, endpoint.trim()),
    };
    let path = path.find("/v1/").map_or(path, |start| &path[start..]);
    path.starts_with("/v1/").then(|| (method, path.to_owned()))
}

/// A body that stands as JSON, or as text that holds it.
fn text_or_json(raw: &RawValue) -> Option<Vec<u8>> {
    match serde_json::from_str::<Option<String>>(raw.get()) {
        Ok(text) => text.filter(|text| !text.is_empty()).map(String::into_bytes),
        Err(_) => Some(super::compact::compact(raw.get()).unwrap_or_else(|| raw.get().to_owned()).into_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(rows: &[Value]) -> Vec<Option<Line>> {
        let (mut reader, contract) = (Reader::default(), Contract::shipped("pozy").unwrap());
        rows.iter().map(|row| reader.line(row.to_string().as_bytes(), &contract).unwrap()).collect()
    }

    fn row(change: &Value) -> Value {
        let mut row = json!({"webhookId": "wh_1", "eventId": "ev_1", "event": "post.partial", "status": "failed",
            "statusCode": 504, "attemptNumber": 2, "responseTime": 5003, "responseBody": "", "errorMessage": "timeout",
            "requestPayload": {"id": "ev_1", "event": "post.partial"}, "createdAt": "2026-11-05T09:01:03.003Z"});
        for (name, value) in change.as_object().unwrap() {
            row[name] = value.clone();
        }
        row
    }

    #[test]
    fn a_delivery_is_an_arrival_that_began_before_it_was_logged() {
        let Some(Line::Arrival(line)) = read(&[row(&json!({}))]).remove(0) else { panic!("an arrival") };
        assert_eq!(line.at.to_string(), "2026-11-05T09:00:58Z");
        assert_eq!((line.took_ms, line.answer), (Some(5003), Some(504)));
        assert_eq!(line.body.bytes().unwrap().unwrap(), br#"{"event":"post.partial","id":"ev_1"}"#);
    }

    #[test]
    fn rows_that_overlap_count_once_and_deliveries_that_reached_nobody_not_at_all() {
        let timed_out = row(&json!({"statusCode": null, "attemptNumber": 3}));
        let refused = row(&json!({"statusCode": null, "errorMessage": "connect ECONNREFUSED"}));
        let lines = read(&[row(&json!({})), row(&json!({})), timed_out, refused]);
        assert_eq!(lines.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false, true, false]);
    }

    #[test]
    fn a_row_of_the_unified_log_that_tells_of_a_call_is_a_try() {
        let call = json!({"type": "api_request", "action": "post.created", "status_code": 201, "duration_ms": 400,
            "endpoint": "POST /v1/posts", "request_body": "{\"content\":\"x\"}", "created_at": "2026-11-05T09:00:01Z",
            "response_body": "{\"post\":{\"_id\":\"po_1\"}}", "request_id": "rq_1"});
        let other = json!({"type": "publishing", "action": "post.published", "created_at": "2026-11-05T09:00:01Z"});
        let mut lines = read(&[call, other]);
        assert!(lines.remove(1).is_none());
        let Some(Line::Attempt(line)) = lines.remove(0) else { panic!("a try") };
        assert_eq!((line.at.to_string().as_str(), line.path.as_str()), ("2026-11-05T09:00:00.600Z", "/v1/posts"));
        assert_eq!((line.request_id.as_deref(), line.key), (Some("rq_1"), None));
        assert_eq!(line.result.unwrap().body.bytes().unwrap().unwrap(), br#"{"post":{"_id":"po_1"}}"#);
    }
}

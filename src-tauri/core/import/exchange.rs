//! One request and what came of it, however a file tells of them, and the line that it stands for (contract, "Jobs",
//! last point): a call to `/v1/...` is a try, tries with one key are one job; a GET there is a fetch, since it makes
//! nothing; a POST elsewhere whose body has `id`, `event` and `timestamp` is an arrival; the rest is passed over. Pure.

use std::collections::HashMap;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::lines::{ArrivalLine, AttemptLine, BodyField, Headers, Line, ObservationLine, ResultLine};
use crate::{clock::Moment, outbound::job::EndKind, pozy::contract::Contract};

/// A request and what came of it.
#[derive(Clone, Debug)]
pub(super) struct Exchange {
    /// When it left.
    pub(super) at: Moment,
    /// From leaving to the end of the answer, or until it was given up, milliseconds.
    pub(super) took_ms: i64,
    /// HTTP method, in any case.
    pub(super) method: String,
    /// Whole address, or a path.
    pub(super) url: String,
    pub(super) headers: Headers,
    /// None if the file does not have it.
    pub(super) body: Option<Vec<u8>>,
    pub(super) end: End,
    /// The job that a file names itself, with the number of the try; 0 where it does not count them.
    pub(super) job: Option<(String, u32)>,
}

/// What came of a request.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// An answer.
    Answered { status: u16, headers: Headers, body: Option<Vec<u8>> },
    /// None.
    Lost(EndKind),
    /// The file does not say.
    Unsaid,
}

/// Counts the tries of each key, which are one job.
#[derive(Debug, Default)]
pub(super) struct Tries(HashMap<[u8; 12], u32>);

impl Tries {
    fn next(&mut self, key: &str) -> u32 {
        let mut print = [0; 12];
        print.copy_from_slice(&Sha256::digest(key)[..12]);
        let tries = self.0.entry(print).or_default();
        *tries += 1;
        *tries
    }

    /// The line that an exchange stands for; none if it has nothing to do with posts or webhooks.
    ///
    /// # Errors
    /// A short reason for the list of what could not be read.
    pub(super) fn line(&mut self, told: Exchange, contract: &Contract) -> Result<Option<Line>, String> {
        let Some(path) = path_of(&told.url) else { return Ok(None) };
        let method = told.method.to_ascii_uppercase();
        match (path.starts_with("/v1/"), method.as_str()) {
            (true, "OPTIONS" | "HEAD") => Ok(None),
            (true, "GET") => Ok(fetch(told, path).map(Line::Observation)),
            (true, _) => Ok(Some(Line::Attempt(self.attempt(told, method, path, contract)))),
            (false, "POST") => Ok(arrival(told).map(Line::Arrival)),
            (false, _) => Ok(None),
        }
    }

    fn attempt(&mut self, told: Exchange, method: String, path: String, contract: &Contract) -> AttemptLine {
        let key = header(&told.headers, &contract.key_header).filter(|key| !key.is_empty());
        let (job, n) = match told.job {
            Some((job, 0)) => {
                let n = self.next(&format!("job {job}"));
                (Some(job), n)
            }
            Some((job, n)) => (Some(job), n),
            None => (None, key.as_deref().map_or(1, |key| self.next(key))),
        };
        let at = told.at.plus_millis(told.took_ms);
        let result = match told.end {
            End::Answered { status, headers, body } => Some(ResultLine {
                kind: EndKind::Answered,
                at,
                status: Some(status),
                headers,
                body: BodyField::of(body.as_deref()),
            }),
            End::Lost(kind) => {
                Some(ResultLine { kind, at, status: None, headers: Headers::default(), body: BodyField::default() })
            }
            End::Unsaid => None,
        };
        AttemptLine {
            at: told.at,
            job,
            n,
            method,
            path,
            workspace: None,
            request_id: header(&told.headers, "x-request-id"),
            key,
            body: BodyField::of(told.body.as_deref()),
            result,
        }
    }
}

/// A GET that was answered: what Pozy said of a post or an account at that moment.
fn fetch(told: Exchange, path: String) -> Option<ObservationLine> {
    let End::Answered { status, body, .. } = told.end else { return None };
    let at = told.at.plus_millis(told.took_ms);
    Some(ObservationLine { at, workspace: None, path, status, body: BodyField::of(body.as_deref()) })
}

fn arrival(told: Exchange) -> Option<ArrivalLine> {
    let body: Value = serde_json::from_slice(told.body.as_deref()?).ok()?;
    if ["id", "event", "timestamp"].iter().any(|name| body.get(name).is_none()) {
        return None;
    }
    let answer = match told.end {
        End::Answered { status, .. } => Some(status),
        End::Lost(_) | End::Unsaid => None,
    };
    Some(ArrivalLine {
        at: told.at,
        took_ms: answer.map(|_| told.took_ms),
        answer,
        signature: None,
        verified_later: false,
        headers: told.headers,
        body: BodyField::of(told.body.as_deref()),
        aged: None,
    })
}

/// Path with its query, as a call of the API names it; none for what is no address.
fn path_of(url: &str) -> Option<String> {
    if url.starts_with('/') {
        return Some(url.split('#').next().unwrap_or(url).to_owned());
    }
    let url = reqwest::Url::parse(url).ok().filter(|url| url.has_host())?;
    Some(match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    })
}

pub(super) fn header(headers: &Headers, name: &str) -> Option<String> {
    headers.0.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim().to_owned())
}

/// How a request without an answer ended, from a program's word for it. Without one a byte may have left.
pub(super) fn lost(word: &str) -> EndKind {
    let word = word.to_ascii_uppercase().replace(['-', ' '], "_");
    let says = |words: &[&str]| words.iter().any(|other| word.contains(other));
    if says(&[
        "CONNECTION_REFUSED",
        "ECONNREFUSED",
        "NAME_NOT_RESOLVED",
        "ENOTFOUND",
        "EAI_AGAIN",
        "INTERNET_DISCONNECTED",
        "ADDRESS_UNREACHABLE",
        "COULD_NOT_RESOLVE",
    ]) {
        EndKind::NotSent
    } else if says(&["TIMED_OUT", "TIMEOUT", "ETIMEDOUT", "TIME_OUT", "ECONNABORTED"]) {
        EndKind::Timeout
    } else {
        EndKind::Reset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(method: &str, url: &str) -> Exchange {
        Exchange {
            at: Moment::from_millis(1_000),
            took_ms: 80,
            method: method.to_owned(),
            url: url.to_owned(),
            headers: Headers(vec![("Idempotency-Key".into(), " k ".into())]),
            body: Some(br#"{"id":"ev","event":"post.failed","timestamp":"2026-03-02T10:00:00Z"}"#.to_vec()),
            end: End::Answered { status: 201, headers: Headers::default(), body: Some(b"{}".to_vec()) },
            job: None,
        }
    }

    fn line(told: Exchange) -> Option<Line> {
        Tries::default().line(told, &Contract::shipped("pozy").unwrap()).unwrap()
    }

    #[test]
    fn a_call_is_a_try_a_get_is_a_fetch_and_a_webhook_elsewhere_is_an_arrival() {
        let Some(Line::Attempt(attempt)) = line(told("post", "https://a.example/v1/posts?x=1#y")) else {
            panic!("a try")
        };
        assert_eq!(
            (attempt.path.as_str(), attempt.method.as_str(), attempt.key.as_deref()),
            ("/v1/posts?x=1", "POST", Some("k"))
        );
        assert_eq!(attempt.result.unwrap().at, Moment::from_millis(1_080));
        assert!(matches!(line(told("GET", "/v1/posts/po_1")), Some(Line::Observation(_))));
        let Some(Line::Arrival(arrival)) = line(told("POST", "http://desk.example/hooks/main")) else {
            panic!("an arrival")
        };
        assert_eq!((arrival.took_ms, arrival.answer), (Some(80), Some(201)));
    }

    #[test]
    fn the_rest_is_passed_over() {
        for (method, url) in [
            ("OPTIONS", "/v1/posts"),
            ("HEAD", "/v1/posts"),
            ("GET", "/hooks/x"),
            ("POST", "no address"),
            ("POST", "data:x"),
        ] {
            assert!(line(told(method, url)).is_none(), "{method} {url}");
        }
        for body in [Some(b"{\"id\":1}".to_vec()), Some(b"text".to_vec()), None] {
            assert!(line(Exchange { body, ..told("POST", "http://desk.example/hooks/main") }).is_none());
        }
    }

    #[test]
    fn tries_of_one_key_are_counted_unless_the_file_names_their_job() {
        let (mut tries, contract) = (Tries::default(), Contract::shipped("pozy").unwrap());
        let mut of = |job| match tries.line(Exchange { job, ..told("POST", "/v1/posts") }, &contract) {
            Ok(Some(Line::Attempt(line))) => (line.job, line.n),
            other => panic!("a try, not {other:?}"),
        };
        assert_eq!((of(None), of(None)), ((None, 1), (None, 2)));
        assert_eq!(of(Some(("mine".into(), 7))), (Some("mine".into()), 7));
        assert_eq!((of(Some(("its".into(), 0))).1, of(Some(("its".into(), 0))).1), (1, 2));
    }

    #[test]
    fn a_program_s_word_for_a_lost_request_says_whether_it_left() {
        for (word, kind) in [
            ("net::ERR_TIMED_OUT", EndKind::Timeout),
            ("ESOCKETTIMEDOUT: timeout of 30000ms exceeded", EndKind::Timeout),
            ("net::ERR_CONNECTION_REFUSED", EndKind::NotSent),
            ("getaddrinfo ENOTFOUND api.example", EndKind::NotSent),
            ("net::ERR_ABORTED", EndKind::Reset),
            ("", EndKind::Reset),
        ] {
            assert_eq!(lost(word), kind, "{word}");
        }
    }
}

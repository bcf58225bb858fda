//! What Pozy answers: `status`, header lines and an empty line, then the body.

use reprise_core::pozy::{
    accounts, answers,
    answers::{Answer, Meaning},
    contract::Contract,
    links, post,
    secrecy::{Mask, mask_url},
    text, told,
};

use super::{CONTRACTS, NOW};

/// 31 days, the longest wait that is believed.
const LONGEST_MS: i64 = 31 * 24 * 3_600_000;

/// Every answer has one meaning, a wait that ends, and addresses that may be opened.
pub(super) fn answer(bytes: &[u8]) {
    let answer = taken_apart(bytes);
    for contract in CONTRACTS.iter() {
        for path in ["/v1/posts", "/v1/sms/messages", "/v1/posts/po_1?x=1"] {
            one(&answer, path, contract);
        }
    }
    for live in links::live_in(&answer.body) {
        assert!(live.url.starts_with("http://") || live.url.starts_with("https://"), "{}", live.url);
        assert_eq!(mask_url(&live.url, &mut Mask::default()), live.url, "no secret in an address that is opened");
        assert!(!live.url.chars().any(|c| c.is_control() || c.is_whitespace()), "{:?}", live.url);
    }
    for path in ["/v1/posts", "/v1/posts/po_1", "/v1/accounts", "/v1/accounts/ac_1?y"] {
        for told in told::fetched(path, answer.status, &answer.body) {
            assert!(!told.post.as_str().is_empty());
        }
        let _ = post::read(path, answer.status, &answer.body);
    }
    let _ = told::answered(&answer.body);
    let _ = accounts::read(&answer.body);
    let _ = text::of_body(&answer.body);
}

fn one(answer: &Answer, path: &str, contract: &Contract) {
    let read = answers::read(answer, path, b"{\"content\":\"Doors open at ten.\"}", NOW, contract);
    let success = matches!(read.meaning, Meaning::Created | Meaning::Replayed | Meaning::Poll);
    assert_eq!(success, (200..300).contains(&answer.status), "only a 2xx is a success");
    assert!(read.meaning != Meaning::Rejected || (400..500).contains(&answer.status), "unknown is never refused");
    assert!(read.post.is_none_or(|post| !post.as_str().is_empty()));
    if let Some(until) = read.retry_at {
        let wait = until.ms_since(NOW);
        assert!((0..=LONGEST_MS).contains(&wait), "waits {wait} ms");
    }
    let waits: Vec<&str> = answer
        .headers
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case("retry-after"))
        .map(|(_, value)| value.trim())
        .collect();
    if let [wait] = waits.as_slice()
        && wait.bytes().all(|byte| byte.is_ascii_digit())
    {
        let seconds = wait.parse().ok().filter(|seconds: &i64| *seconds <= LONGEST_MS / 1_000);
        assert_eq!(read.retry_at, seconds.map(|seconds| NOW.plus_seconds(seconds)), "whole seconds are believed");
    }
    if waits.is_empty() {
        assert_eq!(read.retry_at, None);
    }
}

fn taken_apart(bytes: &[u8]) -> Answer {
    let mut answer = Answer::default();
    let mut rest = bytes;
    while !rest.is_empty() {
        let (line, after) = super::split_at(rest, b'\n');
        rest = after;
        let line = String::from_utf8_lossy(line);
        if answer.status == 0 {
            answer.status = line.trim().parse().ok().filter(|status| (100..1000).contains(status)).unwrap_or(503);
        } else if line.is_empty() {
            break;
        } else {
            let (name, value) = line.split_once(':').unwrap_or((&line, ""));
            answer.headers.push((name.to_owned(), value.to_owned()));
        }
    }
    answer.body = rest.to_vec();
    answer
}

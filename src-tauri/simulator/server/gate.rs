//! What every request passes first: whose it is, which fault strikes it, and whether control is asked from here.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderName, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::{Cut, Front};
use crate::answer::Answer;
use crate::faults::{Deed, seconds_of};
use crate::ids::WorkspaceId;
use crate::loopback::is_own_host;
use crate::world::Rate;

/// The workspace that the request's API key opens.
#[derive(Clone)]
pub(crate) struct Caller(pub(crate) WorkspaceId);

/// Set where a fault makes the work of a create take time.
#[derive(Clone, Copy)]
pub(crate) struct Slow(pub(crate) Duration);

/// Lets in who has an API key, and counts the request into its minute.
pub(crate) async fn caller(State(front): State<Front>, mut request: Request, next: Next) -> Response {
    let key = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(bearer);
    let Some(workspace) = key.and_then(|key| front.shared.act(|world, _| world.workspace_of(key))) else {
        return Answer::error(401, "This API key is not valid", Some("unauthorized")).into_response();
    };
    let rate = front.shared.act(|world, now| world.count_request(now, &workspace));
    let mut response = if rate.over {
        let now = front.shared.clock.now().timestamp();
        let wait = (rate.reset - now).max(1);
        let body = json!({
            "error": "Too many requests",
            "code": "rate_limited",
            "details": {"limit": rate.limit, "retryAfterSeconds": wait},
        });
        Answer::new(429, body).with("retry-after", wait).into_response()
    } else {
        let request_id = request.headers().get("x-request-id").cloned();
        request.extensions_mut().insert(Caller(workspace));
        let mut response = next.run(request).await;
        let request_id =
            request_id.or_else(|| HeaderValue::from_str(&front.shared.act(|world, _| world.chance.uuid())).ok());
        if let Some(id) = request_id {
            response.headers_mut().insert("x-request-id", id);
        }
        response
    };
    tell_rate(response.headers_mut(), &rate);
    response
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, key) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
}

fn tell_rate(headers: &mut HeaderMap, rate: &Rate) {
    headers.insert("x-ratelimit-limit", rate.limit.into());
    headers.insert("x-ratelimit-remaining", rate.remaining.into());
    headers.insert("x-ratelimit-reset", rate.reset.into());
}

/// Lets a waiting fault strike. `status` and `cut_before` do no work; `cut_after` and `stall` do it first.
pub(crate) async fn faults(State(front): State<Front>, mut request: Request, next: Next) -> Response {
    let route = format!("{} {}", request.method(), request.uri().path());
    match front.shared.act(|world, _| world.faults.for_request(&route)) {
        Some(Deed::CutBefore) => Cut::response(),
        Some(Deed::CutAfter) => {
            next.run(request).await;
            Cut::response()
        }
        Some(Deed::Stall { seconds }) => {
            let response = next.run(request).await;
            tokio::time::sleep(seconds_of(seconds).unwrap_or_default()).await;
            response
        }
        Some(Deed::Status { status, retry_after, code, body, headers }) => {
            instead(status, retry_after, code.as_deref(), body, &headers)
        }
        Some(Deed::Slow { seconds }) => {
            request.extensions_mut().insert(Slow(seconds_of(seconds).unwrap_or_default()));
            next.run(request).await
        }
        _ => next.run(request).await,
    }
}

/// The answer that a `status` fault gives instead of doing the work.
fn instead(
    status: u16,
    retry_after: Option<Value>,
    code: Option<&str>,
    body: Option<Value>,
    headers: &BTreeMap<String, String>,
) -> Response {
    let text = |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut response = match body {
        None => Answer::error(status, "The sandbox was told to answer so", code).into_response(),
        Some(Value::String(raw)) => {
            let mut response = Answer::new(status, Value::Null).into_response();
            response.headers_mut().remove(CONTENT_TYPE);
            *response.body_mut() = Body::from(raw);
            response
        }
        Some(json) => Answer::new(status, json).into_response(),
    };
    let more = headers.iter().map(|(name, value)| (name.as_str(), value.clone()));
    for (name, value) in more.chain(retry_after.map(|value| ("retry-after", text(value)))) {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::from_str(&value)) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// Control is for programs on this machine: the host must be a loopback name, which a page that rebinds its own name
/// cannot fake, and a page of another origin is refused.
pub(crate) async fn at_home(request: Request, next: Next) -> Response {
    let host = request.headers().get(HOST).and_then(|value| value.to_str().ok());
    let Some(host) = host.filter(|host| is_loopback(host)) else {
        return Answer::error(403, "Control is asked through a loopback address", Some("forbidden")).into_response();
    };
    let own = format!("http://{host}");
    let from_elsewhere =
        request.headers().get("sec-fetch-site").is_some_and(|site| site != "same-origin" && site != "none");
    if from_elsewhere || request.headers().get(ORIGIN).is_some_and(|origin| origin.as_bytes() != own.as_bytes()) {
        return Answer::error(403, "Control is not for pages of another origin", Some("forbidden")).into_response();
    }
    next.run(request).await
}

fn is_loopback(host: &str) -> bool {
    !host.contains('@') && host.parse::<Authority>().is_ok_and(|authority| is_own_host(authority.host()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[rstest::rstest]
    #[case("127.0.0.1:4000", true)]
    #[case("localhost", true)]
    #[case("LOCALHOST:80", true)]
    #[case("[::1]:80", true)]
    #[case("127.0.0.1.attacker.example", false)]
    #[case("localhost.attacker.example:80", false)]
    #[case("user@127.0.0.1", false)]
    #[case("", false)]
    #[case("0.0.0.0:80", false)]
    fn only_loopback_names_are_at_home(#[case] host: &str, #[case] home: bool) {
        assert_eq!(is_loopback(host), home);
    }
}

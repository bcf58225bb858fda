//! Faults on requests: with or without the work, with or without an answer.

use std::time::Duration;

use reqwest::Method;
use rstest::rstest;
use serde_json::{Value, json};

use crate::sides::{at_nine, got, later};

#[rstest]
#[case("cut_before", 0, 201)]
#[case("cut_after", 1, 200)]
#[tokio::test]
async fn a_cut_gives_no_answer_with_or_without_the_work(#[case] deed: &str, #[case] posts: usize, #[case] again: u16) {
    let pozy = at_nine().await;
    pozy.fault(json!({"on": "POST /v1/posts", "do": deed}));
    let problem = pozy.create("k-1", &later("Hello.")).send().await.unwrap_err();
    assert!(problem.is_request() && !problem.is_timeout(), "{problem:?}");
    assert_eq!(pozy.posts().len(), posts);
    assert_eq!(pozy.handle.ledger().keys.len(), posts);
    assert_eq!(got(pozy.create("k-1", &later("Hello."))).await.status, again);
    assert_eq!(pozy.posts().len(), 1);
}

#[tokio::test]
async fn a_stall_does_the_work_and_its_key_runs_no_longer() {
    let pozy = at_nine().await;
    pozy.fault(json!({"on": "POST /v1/posts", "do": "stall"}));
    let stalled = pozy.create("k-1", &later("Hello.")).timeout(Duration::from_secs(1)).send().await;
    assert!(stalled.unwrap_err().is_timeout());
    assert_eq!(pozy.posts().len(), 1);
    assert_eq!(got(pozy.create("k-1", &later("Hello."))).await.status, 200);
}

#[tokio::test]
async fn a_stall_that_ends_gives_the_answer_late() {
    let pozy = at_nine().await;
    pozy.fault(json!({"on": "POST /v1/posts", "do": "stall", "seconds": 0.2}));
    assert_eq!(got(pozy.create("k-1", &later("Hello."))).await.status, 201);
}

#[rstest]
#[case(json!({"status": 503, "retry_after": 7}), 503, Some("7"))]
#[case(json!({"status": 429, "retry_after": "Mon, 02 Mar 2026 09:05:00 GMT"}), 429, Some("Mon, 02 Mar 2026 09:05:00 GMT"))]
#[case(json!({"status": 500}), 500, None)]
#[case(json!({"status": 409, "code": "idempotency_conflict", "retry_after": "soon"}), 409, Some("soon"))]
#[tokio::test]
async fn another_answer_does_no_work(#[case] answer: Value, #[case] status: u16, #[case] retry_after: Option<&str>) {
    let pozy = at_nine().await;
    let mut fault = json!({"on": "POST /v1/posts", "do": "status"});
    fault.as_object_mut().unwrap().extend(answer.as_object().unwrap().clone());
    pozy.fault(fault);
    let told = got(pozy.create("k-1", &later("Hello."))).await;
    assert_eq!(told.status, status);
    assert_eq!(told.headers.get("retry-after").map(|value| value.to_str().unwrap()), retry_after);
    assert_eq!(told.body.get("code").and_then(Value::as_str), answer.get("code").and_then(Value::as_str));
    assert_eq!(told.header("x-pozy-sandbox"), "1");
    assert!(pozy.posts().is_empty() && pozy.handle.ledger().keys.is_empty());
    pozy.created("k-1", &later("Hello.")).await;
}

#[tokio::test]
async fn an_answer_can_have_any_body_and_headers() {
    let pozy = at_nine().await;
    pozy.fault(json!({
        "on": "GET /v1/*", "do": "status", "status": 302, "body": "<html>",
        "headers": {"Location": "http://127.0.0.1:9/", "Content-Type": "text/html"},
    }));
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy().build().unwrap();
    let url = format!("{}/v1/accounts", pozy.handle.url());
    let told = got(client.get(url).bearer_auth(pozy.handle.api_key())).await;
    assert_eq!((told.status, told.header("location")), (302, "http://127.0.0.1:9/"));
    assert_eq!((told.header("content-type"), &told.body), ("text/html", &json!("<html>")));
}

#[tokio::test]
async fn a_fault_waits_for_its_route_and_for_a_valid_key() {
    let pozy = at_nine().await;
    pozy.fault(json!({"on": "POST /v1/posts", "do": "status", "status": 500}));
    assert_eq!(pozy.get("/v1/posts").await.status, 200);
    assert_eq!(got(pozy.bare(Method::POST, "/v1/posts").json(&later("Hello."))).await.status, 401);
    assert_eq!(got(pozy.create("k-1", &later("Hello."))).await.status, 500);
}

#[tokio::test]
async fn faults_strike_one_after_the_other() {
    let pozy = at_nine().await;
    pozy.fault(json!({"on": "POST /v1/posts", "do": "cut_before"}));
    pozy.fault(json!({"on": "POST /v1/posts", "do": "status", "status": 503, "times": 2}));
    assert!(pozy.create("k-1", &later("Hello.")).send().await.is_err());
    for want in [503, 503, 201] {
        assert_eq!(got(pozy.create("k-1", &later("Hello."))).await.status, want);
    }
}

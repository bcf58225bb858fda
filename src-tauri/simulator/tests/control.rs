//! The control endpoints, the script, and who may use them.

use std::time::Duration;

use reqwest::Method;
use rstest::rstest;
use serde_json::{Value, json};

use crate::sides::{NINE, at_nine, due, got, later, start};
use pozy_sandbox::{Error, Options, Pace, Sandbox, read_script};

#[tokio::test]
async fn a_manual_clock_stands_still_until_it_is_moved() {
    let pozy = at_nine().await;
    tokio::time::sleep(Duration::from_millis(30)).await;
    assert_eq!(pozy.get("/sandbox/clock").await.body, json!({"now": "2026-03-02T09:00:00.000Z", "clock": "manual"}));
    let moved = pozy.send("/sandbox/clock", &json!({"advance_s": 90_000.5})).await;
    assert_eq!((moved.status, &moved.body["now"]), (200, &json!("2026-03-03T10:00:00.500Z")));
    for body in [json!({"advance_s": -1}), json!({"advance_s": 1e300}), json!({"advance_s": "1"}), json!({})] {
        assert_eq!(pozy.send("/sandbox/clock", &body).await.status, 400, "{body}");
    }
    assert_eq!(pozy.handle.ledger().now, "2026-03-03T10:00:00.500Z");
}

#[tokio::test]
async fn a_real_clock_runs_on_and_can_be_moved_too() {
    let pozy = start(Options { pace: Pace::Real, now: Some(NINE.parse().unwrap()), ..Options::default() }).await;
    pozy.created("k-1", &due("Hello.", "2026-03-02T10:00:00")).await;
    pozy.advance(3700).await;
    assert_eq!(pozy.posts()[0]["status"], "published");
    let before = pozy.handle.now();
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(pozy.handle.now() > before);
}

#[tokio::test]
async fn targets_and_faults_are_set_over_http() {
    let pozy = at_nine().await;
    let post = pozy.created("k-1", &later("Hello.")).await;
    let change = json!({"post": post, "account": "ac_li", "status": "failed"});
    let set = pozy.send("/sandbox/target", &change).await;
    assert_eq!((set.status, &set.body["post"]["status"]), (200, &json!("failed")));
    let by_text = json!({"text": "Hello.", "account": "ac_li", "status": "published"});
    assert_eq!(pozy.send("/sandbox/target", &by_text).await.body["post"]["status"], "published");
    for (body, status) in [
        (json!({"post": "none", "account": "ac_li", "status": "failed"}), 404),
        (json!({"post": post, "account": "none", "status": "failed"}), 404),
        (json!({"post": post, "account": "ac_li", "status": "odd"}), 400),
        (json!({"account": "ac_li", "status": "failed"}), 400),
    ] {
        assert_eq!(pozy.send("/sandbox/target", &body).await.status, status, "{body}");
    }
    let fault = json!({"on": "POST /v1/posts", "do": "status", "status": 503, "times": 2});
    let queued = pozy.send("/sandbox/faults", &fault).await;
    assert_eq!((queued.status, &queued.body["faults"][0]["times"]), (200, &json!(2)));
    assert_eq!(pozy.send("/sandbox/faults", &json!({"on": "nowhere", "do": "cut_after"})).await.status, 400);
    assert_eq!(pozy.send("/sandbox/faults", &json!({"on": "delivery", "do": "drop", "tims": 2})).await.status, 400);
    assert_eq!(got(pozy.create("k-2", &later("Ho."))).await.status, 503);
    assert_eq!(got(pozy.bare(Method::DELETE, "/sandbox/faults")).await.status, 200);
    assert_eq!(got(pozy.create("k-2", &later("Ho."))).await.status, 201);
}

#[tokio::test]
async fn the_ledger_shows_posts_as_they_are_read() {
    let pozy = at_nine().await;
    let post = pozy.created("k-1", &later("Hello.")).await;
    let ledger = got(pozy.bare(Method::GET, "/sandbox/ledger")).await.body;
    assert_eq!(ledger["posts"], json!([pozy.get(&format!("/v1/posts/{post}")).await.body["post"]]));
    assert_eq!(
        ledger["keys"],
        json!([{
            "key": "k-1", "workspace": "ws_1", "post": post, "running": false,
            "first_at": "2026-03-02T09:00:00.000Z", "expires_at": "2026-03-03T09:00:00.000Z",
        }])
    );
    assert_eq!((&ledger["now"], &ledger["deliveries"]), (&json!("2026-03-02T09:00:00.000Z"), &json!([])));
    assert!(!ledger.to_string().contains(pozy.handle.api_key()));
}

#[rstest]
#[case("Host", "attacker.example", 403)]
#[case("Host", "127.0.0.1.attacker.example", 403)]
#[case("Host", "localhost:1234", 200)]
#[case("Origin", "http://attacker.example", 403)]
#[case("Origin", "http://127.0.0.1:1", 403)]
#[case("Origin", "null", 403)]
#[tokio::test]
async fn control_is_for_this_machine_only(#[case] header: &str, #[case] value: &str, #[case] status: u16) {
    let pozy = at_nine().await;
    let body = json!({"advance_s": 60});
    let answer = got(pozy.bare(Method::POST, "/sandbox/clock").header(header, value).json(&body)).await;
    assert_eq!(answer.status, status);
    assert_eq!(pozy.handle.ledger().now == "2026-03-02T09:01:00.000Z", status == 200);
    assert_eq!(got(pozy.bare(Method::GET, "/sandbox/ledger").header(header, value)).await.status, status);
}

#[tokio::test]
async fn a_page_of_the_sandbox_itself_is_no_stranger() {
    let pozy = at_nine().await;
    let own = pozy.handle.url().to_owned();
    assert_eq!(got(pozy.bare(Method::GET, "/sandbox/ledger").header("Origin", own)).await.status, 200);
}

#[tokio::test]
async fn a_script_is_set_off_by_the_clock() {
    let script = read_script(
        r#"[{"at_s": 60, "do": "target", "target": {"text": "Hello.", "account": "ac_li", "status": "failed"}},
            {"at_s": 10, "do": "fault", "fault": {"on": "POST /v1/posts", "do": "status", "status": 500}},
            {"at_s": 70, "do": "target", "target": {"text": "Never sent.", "account": "ac_li", "status": "failed"}}]"#,
    );
    let now = Some(NINE.parse().unwrap());
    let options = Options { pace: Pace::Manual, now, script: script.unwrap(), ..Options::default() };
    let pozy = start(options).await;
    pozy.created("k-1", &later("Hello.")).await;
    pozy.advance(10).await;
    assert_eq!(got(pozy.create("k-2", &later("Ho."))).await.status, 500);
    assert_eq!(pozy.posts()[0]["status"], "scheduled");
    pozy.advance(60).await;
    assert_eq!(pozy.posts()[0]["status"], "failed");
}

#[tokio::test]
async fn the_first_line_says_how_to_connect_and_a_stop_frees_the_port() {
    let given =
        Options { api_key: Some("sk_given".into()), webhook_secret: Some("given-secret".into()), ..Options::default() };
    let pozy = start(given).await;
    let line = pozy.handle.first_line();
    let pozy_url = pozy.handle.url().to_owned();
    assert_eq!(line, json!({"pozy": pozy_url, "api_key": "sk_given", "webhook_secret": "given-secret"}));
    assert_eq!(pozy.get("/v1/posts").await.status, 200);
    let addr = pozy.handle.addr();
    let taken = Sandbox::start(Options { addr, ..Options::default() }).await;
    assert!(matches!(taken, Err(Error::Listen { .. })));
    pozy.handle.stop().await;
    let again = start(Options { addr, ..Options::default() }).await;
    assert_eq!(again.handle.addr(), addr);
    assert_ne!(again.handle.api_key(), start(Options::default()).await.handle.api_key());
    let _: Value = again.handle.first_line();
}

//! At-least-once signed deliveries, the deadline, the ladder, order and copies (R1 to R4).

use std::time::Duration;

use reqwest::Method;
use rstest::rstest;
use serde_json::{Value, json};

use crate::sides::{HOUR, NINE, Receiver, at_nine, both_now, got, later, start};
use pozy_sandbox::{HeaderNames, Options, Pace, signature};

const AT_ONCE: Duration = Duration::ZERO;

#[tokio::test]
async fn a_delivery_is_signed_and_names_its_event_twice() {
    let pozy = at_nine().await;
    let receiver = Receiver::start().await;
    pozy.register(&receiver.url).await;
    pozy.created("k-1", &later("Grüße.")).await;
    let seen = receiver.wait(1).await;
    let headers = &seen[0].headers;
    assert_eq!(headers["x-pozy-event"], "post.scheduled");
    assert_eq!(headers["x-pozy-event-id"], seen[0].id());
    assert_eq!(headers["content-type"], "application/json");
    let want = signature(pozy.handle.webhook_secret(), &seen[0].raw);
    assert_eq!(headers["x-pozy-signature"], want.as_str());
}

#[tokio::test]
async fn header_names_and_the_prefix_are_settings() {
    let headers = HeaderNames {
        event: "X-Other-Event".into(),
        event_id: "X-Other-Id".into(),
        signature: "X-Other-Signature".into(),
        signature_prefix: "sha256=".into(),
    };
    let pozy = start(Options { headers, ..Options::default() }).await;
    let receiver = Receiver::start().await;
    pozy.register(&receiver.url).await;
    pozy.created("k-1", &later("Hello.")).await;
    let seen = receiver.wait(1).await;
    assert_eq!(seen[0].headers["x-other-id"], seen[0].id());
    assert!(seen[0].headers["x-other-signature"].to_str().unwrap().starts_with("sha256="));
    assert!(!seen[0].headers.contains_key("x-pozy-event-id"));
}

#[tokio::test]
async fn a_failing_receiver_is_tried_by_the_ladder_for_about_33_hours() {
    let pozy = at_nine().await;
    let receiver = Receiver::start().await;
    pozy.register(&receiver.url).await;
    for _ in 0..20 {
        receiver.reply(500, AT_ONCE);
    }
    pozy.created("k-1", &later("Hello.")).await;
    pozy.advance(40 * HOUR).await;
    let rows = pozy.handle.ledger().deliveries;
    let at: Vec<_> = rows.iter().map(|row| row["createdAt"].as_str().unwrap()).collect();
    assert_eq!(
        at,
        [
            "2026-03-02T09:00:00.000Z",
            "2026-03-02T09:00:10.000Z",
            "2026-03-02T09:01:50.000Z",
            "2026-03-02T09:18:30.000Z",
            "2026-03-02T12:05:10.000Z",
            "2026-03-02T18:05:10.000Z",
            "2026-03-03T18:05:10.000Z",
        ]
    );
    assert!(rows.iter().all(|row| row["status"] == "failed" && row["statusCode"] == 500));
    assert_eq!(rows[6]["attemptNumber"], 7);
    let seen = receiver.seen();
    assert!(seen.iter().all(|arrived| arrived.raw == seen[0].raw));
}

#[rstest]
#[case(200, 1)]
#[case(204, 1)]
#[case(299, 1)]
#[case(301, 2)]
#[case(401, 2)]
#[case(503, 2)]
#[tokio::test]
async fn anything_but_2xx_is_tried_again(#[case] status: u16, #[case] tries: usize) {
    let pozy = at_nine().await;
    let receiver = Receiver::start().await;
    pozy.register(&receiver.url).await;
    receiver.reply(status, AT_ONCE);
    pozy.created("k-1", &later("Hello.")).await;
    pozy.advance(60).await;
    assert_eq!(receiver.seen().len(), tries);
}

#[tokio::test]
async fn an_answer_after_the_deadline_counts_as_none() {
    let now = Some(NINE.parse().unwrap());
    let deadline = Duration::from_millis(600);
    let pozy = start(Options { pace: Pace::Manual, now, deadline, ..Options::default() }).await;
    let receiver = Receiver::start().await;
    pozy.register(&receiver.url).await;
    receiver.reply(204, Duration::from_secs(3));
    pozy.created("k-1", &later("Hello.")).await;
    pozy.advance(10).await;
    let rows = pozy.handle.ledger().deliveries;
    assert_eq!((&rows[0]["status"], &rows[0]["errorMessage"]), (&json!("failed"), &json!("timeout")));
    assert_eq!(rows[1]["status"], "success");
    let seen = receiver.seen();
    assert_eq!((seen.len(), seen[0].id()), (2, seen[1].id()));
}

#[tokio::test]
async fn nobody_listening_is_a_failed_try_like_any_other() {
    let pozy = at_nine().await;
    pozy.register("http://127.0.0.1:9/hooks/desk").await;
    pozy.register("http://192.0.2.1/hooks/desk").await;
    pozy.created("k-1", &later("Hello.")).await;
    pozy.advance(0).await;
    let rows = pozy.handle.ledger().deliveries;
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|row| row["status"] == "failed" && row["statusCode"] == Value::Null));
    assert!(rows.iter().any(|row| row["errorMessage"].as_str().unwrap().contains("loopback only")));
}

#[tokio::test]
async fn a_slow_receiver_loses_no_order_to_move_the_clock() {
    let now = Some(NINE.parse().unwrap());
    let deadline = Duration::from_millis(600);
    let pozy = start(Options { pace: Pace::Manual, now, deadline, ..Options::default() }).await;
    let receiver = Receiver::start().await;
    pozy.register(&receiver.url).await;
    for _ in 0..3 {
        receiver.reply(204, Duration::from_secs(3));
    }
    pozy.created("k-1", &both_now("Hello.")).await;
    let hour = json!({"advance_s": HOUR});
    let order = tokio::spawn(got(pozy.request(Method::POST, "/sandbox/clock").json(&hour)));
    while pozy.handle.now() == NINE.parse::<chrono::DateTime<chrono::Utc>>().unwrap() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // Whoever ordered it goes away on the way.
    order.abort();
    pozy.advance(0).await;
    assert_eq!(pozy.handle.ledger().now, "2026-03-02T10:00:00.000Z");
    let rows = pozy.handle.ledger().deliveries;
    assert_eq!(rows.iter().filter(|row| row["status"] == "success").count(), 4);
    assert_eq!(rows.iter().filter(|row| row["status"] == "failed").count(), 3);
}

#[tokio::test]
async fn a_slow_receiver_does_not_hold_up_what_comes_after() {
    let pozy = start(Options { publish_delay: Duration::from_millis(100), ..Options::default() }).await;
    let receiver = Receiver::start().await;
    pozy.register(&receiver.url).await;
    receiver.reply(204, Duration::from_secs(4));
    pozy.created("k-1", &both_now("Hello.")).await;
    let watch = tokio::time::timeout(Duration::from_secs(3), receiver.wait(4)).await;
    assert_eq!(watch.unwrap().len(), 4);
}

#[rstest]
#[case(json!({"do": "copies", "copies": 3}), 3)]
#[case(json!({"do": "lose_answer"}), 2)]
#[case(json!({"do": "drop"}), 1)]
#[tokio::test]
async fn copies_and_losses_on_demand(#[case] deed: Value, #[case] arrivals: usize) {
    let pozy = at_nine().await;
    let receiver = Receiver::start().await;
    pozy.register(&receiver.url).await;
    let mut fault = json!({"on": "delivery", "event": "post.scheduled"});
    fault.as_object_mut().unwrap().extend(deed.as_object().unwrap().clone());
    pozy.fault(fault);
    pozy.created("k-1", &later("Hello.")).await;
    pozy.advance(60).await;
    let seen = receiver.seen();
    assert_eq!(seen.len(), arrivals);
    assert!(
        seen.iter().all(|arrived| arrived.raw == seen[0].raw && arrived.headers["x-pozy-event-id"] == seen[0].id())
    );
    let rows = pozy.handle.ledger().deliveries;
    assert_eq!(rows.last().unwrap()["status"], "success");
    assert_eq!(rows.len(), arrivals.max(2));
    assert_eq!(rows.iter().filter(|row| row["sent"] == json!(true)).count(), arrivals);
}

#[tokio::test]
async fn a_wrong_signature_fails_once_and_comes_again_right() {
    let pozy = at_nine().await;
    let receiver = Receiver::start().await;
    pozy.register(&receiver.url).await;
    receiver.reply(401, AT_ONCE);
    pozy.fault(json!({"on": "delivery", "do": "wrong_signature"}));
    pozy.created("k-1", &later("Hello.")).await;
    pozy.advance(10).await;
    let right = |place: usize| {
        let arrived = &receiver.seen()[place];
        arrived.headers["x-pozy-signature"] == signature(pozy.handle.webhook_secret(), &arrived.raw).as_str()
    };
    assert!(!right(0));
    assert!(right(1));
}

#[tokio::test]
async fn a_held_event_comes_after_later_ones_with_its_old_time() {
    let pozy = at_nine().await;
    let receiver = Receiver::start().await;
    pozy.register(&receiver.url).await;
    pozy.fault(json!({"on": "delivery", "do": "hold", "seconds": 450, "event": "post.platform.published"}));
    pozy.created("k-1", &both_now("Hello.")).await;
    pozy.advance(449).await;
    assert_eq!(receiver.names(), ["post.scheduled", "post.platform.published", "post.published"]);
    pozy.advance(2).await;
    let seen = receiver.seen();
    assert_eq!(seen[3].body["account"]["accountId"], "ac_ig");
    assert!(seen[3].body["timestamp"].as_str() < seen[1].body["timestamp"].as_str());
}

#[tokio::test]
async fn a_shuffle_repeats_with_its_seed() {
    /// When each delivery's event happened, and its id, in the order of arrival.
    async fn order(seed: u64) -> Vec<(String, String)> {
        let now = Some(NINE.parse().unwrap());
        let pozy = start(Options { pace: Pace::Manual, now, seed: Some(seed), ..Options::default() }).await;
        let receiver = Receiver::start().await;
        pozy.register(&receiver.url).await;
        pozy.fault(json!({"on": "delivery", "do": "shuffle", "seconds": 60, "times": 12}));
        for n in 0..3 {
            pozy.created(&format!("k-{n}"), &both_now(&format!("Post {n}."))).await;
        }
        pozy.advance(120).await;
        assert_eq!(receiver.seen().len(), 12);
        let seen = receiver.seen();
        seen.iter().map(|arrived| (arrived.body["timestamp"].to_string(), arrived.id().to_owned())).collect()
    }
    let first = order(11).await;
    assert_eq!(first, order(11).await);
    assert_ne!(first, order(12).await);
    assert!(!first.is_sorted_by_key(|(happened, _)| happened), "{first:?}");
}

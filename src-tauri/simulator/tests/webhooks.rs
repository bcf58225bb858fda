//! Settings, test events, logs and redelivery.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::sides::{HOUR, Pozy, Receiver, at_nine, got, later};
use pozy_sandbox::signature;

async fn put(pozy: &Pozy, body: &Value) -> crate::sides::Got {
    got(pozy.request(Method::PUT, "/v1/webhooks/settings").json(body)).await
}

#[tokio::test]
async fn registrations_are_made_read_changed_and_removed() {
    let pozy = at_nine().await;
    let receiver = Receiver::start().await;
    let id = pozy.register(&receiver.url).await;
    let listed = pozy.get("/v1/webhooks/settings").await.body["webhooks"].clone();
    assert_eq!(
        (&listed[0]["_id"], &listed[0]["name"], &listed[0]["isActive"]),
        (&json!(id), &json!("desk"), &json!(true))
    );
    assert!(!listed.to_string().contains(pozy.handle.webhook_secret()));
    assert_eq!(put(&pozy, &json!({"_id": id, "isActive": false, "name": "shut"})).await.status, 200);
    pozy.created("k-1", &later("Hello.")).await;
    pozy.advance(0).await;
    assert!(receiver.seen().is_empty());
    assert_eq!(put(&pozy, &json!({"_id": "none", "isActive": true})).await.status, 404);
    assert_eq!(pozy.send("/v1/webhooks/settings", &json!({"name": "no address"})).await.status, 400);
    assert_eq!(pozy.send("/v1/webhooks/settings", &json!({"url": "ftp://127.0.0.1/"})).await.status, 400);
    let remove = |id: &str| got(pozy.request(Method::DELETE, &format!("/v1/webhooks/settings?id={id}")));
    assert_eq!(remove(&id).await.status, 200);
    assert_eq!(remove(&id).await.status, 404);
}

#[tokio::test]
async fn a_webhook_hears_the_events_it_lists_signed_with_its_own_secret_or_not_at_all() {
    let pozy = at_nine().await;
    let (own, bare, other) = (Receiver::start().await, Receiver::start().await, Receiver::start().await);
    for body in [
        json!({"url": own.url, "secret": "own-secret", "events": ["post.scheduled"]}),
        json!({"url": bare.url, "secret": null, "events": ["*"]}),
        json!({"url": other.url, "events": ["post.failed", "review.new"]}),
    ] {
        assert_eq!(pozy.send("/v1/webhooks/settings", &body).await.status, 200);
    }
    pozy.created("k-1", &later("Hello.")).await;
    pozy.advance(0).await;
    let signed = &own.wait(1).await[0];
    assert_eq!(signed.headers["x-pozy-signature"], signature("own-secret", &signed.raw).as_str());
    assert!(!bare.wait(1).await[0].headers.contains_key("x-pozy-signature"));
    assert!(other.seen().is_empty());
}

#[tokio::test]
async fn a_test_carries_its_mark_and_a_fresh_id_each_time_whatever_is_listed() {
    let pozy = at_nine().await;
    let receiver = Receiver::start().await;
    let body = json!({"url": receiver.url, "events": ["post.failed"]});
    let id = pozy.send("/v1/webhooks/settings", &body).await.body["webhook"]["_id"].clone();
    let plain = pozy.send("/v1/webhooks/test", &json!({"webhookId": id})).await;
    assert_eq!((plain.status, &plain.body["success"]), (200, &json!(true)));
    for name in ["post.partial", "post.partial", "account.disconnected"] {
        assert_eq!(pozy.send("/v1/webhooks/test", &json!({"webhookId": id, "event": name})).await.status, 200);
    }
    let seen = receiver.seen();
    assert_eq!(receiver.names(), ["webhook.test", "post.partial", "post.partial", "account.disconnected"]);
    assert!(seen.iter().all(|arrived| arrived.body["test"] == json!(true)));
    assert_ne!(seen[1].id(), seen[2].id());
    assert_eq!(seen[1].body["post"]["status"], "partial");
    assert_eq!(seen[3].headers["x-pozy-signature"], signature(pozy.handle.webhook_secret(), &seen[3].raw).as_str());
    assert!(pozy.posts().is_empty());
    assert!(pozy.handle.ledger().deliveries.iter().all(|row| row["test"] == json!(true) && row["kind"] == "test"));
}

#[tokio::test]
async fn a_test_that_fails_is_500_and_never_tried_again() {
    let pozy = at_nine().await;
    let receiver = Receiver::start().await;
    let id = pozy.register(&receiver.url).await;
    receiver.reply(503, Duration::ZERO);
    let failed = pozy.send("/v1/webhooks/test", &json!({"webhookId": id})).await;
    assert_eq!(failed.status, 500);
    assert!(failed.body["error"].as_str().unwrap().contains("503"));
    pozy.advance(40 * HOUR).await;
    assert_eq!(receiver.seen().len(), 1);
    assert_eq!(pozy.send("/v1/webhooks/test", &json!({"webhookId": "none"})).await.status, 404);
    assert_eq!(pozy.send("/v1/webhooks/test", &json!({"webhookId": id, "event": "post.odd"})).await.status, 400);
    assert_eq!(pozy.send("/v1/webhooks/test", &json!({})).await.status, 200);
}

#[tokio::test]
async fn logs_are_read_newest_first_with_both_bodies() {
    let pozy = at_nine().await;
    let receiver = Receiver::start().await;
    let id = pozy.register(&receiver.url).await;
    receiver.reply(504, Duration::ZERO);
    pozy.created("k-1", &later("Hello.")).await;
    pozy.advance(10).await;
    let logs = pozy.get("/v1/webhooks/logs").await.body;
    assert_eq!(logs["pagination"]["total"], 2);
    let (newest, oldest) = (&logs["logs"][0], &logs["logs"][1]);
    assert_eq!(
        (&newest["status"], &newest["attemptNumber"], &newest["webhookId"]),
        (&json!("success"), &json!(2), &json!(id))
    );
    assert_eq!((&oldest["status"], &oldest["statusCode"]), (&json!("failed"), &json!(504)));
    assert_eq!(oldest["requestPayload"], receiver.seen()[0].body);
    assert_eq!(oldest["createdAt"], "2026-03-02T09:00:00.000Z");
    for (filter, count) in [
        ("status=failed", 1),
        ("event=post.failed", 0),
        (&format!("webhookId={id}"), 2),
        (&format!("eventId={}", receiver.seen()[0].id()), 2),
        ("limit=1&skip=1", 1),
    ] {
        let rows = pozy.get(&format!("/v1/webhooks/logs?{filter}")).await.body["logs"].clone();
        assert_eq!(rows.as_array().unwrap().len(), count, "{filter}");
    }
    assert_eq!(pozy.get("/v1/webhooks/logs?limit=101").await.status, 400);
}

#[tokio::test]
async fn a_redelivery_is_the_same_to_the_byte_at_the_present_address() {
    let pozy = at_nine().await;
    let (old, new) = (Receiver::start().await, Receiver::start().await);
    let id = pozy.register(&old.url).await;
    pozy.created("k-1", &later("Hello.")).await;
    let first = old.wait(1).await[0].clone();
    pozy.advance(9 * 24 * HOUR).await;
    assert_eq!(put(&pozy, &json!({"_id": id, "url": new.url})).await.status, 200);
    let call = json!({"webhookId": id, "eventId": first.id()});
    assert_eq!(pozy.send("/v1/webhooks/logs/redeliver", &call).await.status, 200);
    let again = &new.seen()[0];
    assert_eq!((&again.raw, &again.headers["x-pozy-signature"]), (&first.raw, &first.headers["x-pozy-signature"]));
    let row = pozy.handle.ledger().deliveries.pop().unwrap();
    assert_eq!((&row["kind"], &row["attemptNumber"]), (&json!("redelivery"), &json!(2)));
    new.reply(500, Duration::ZERO);
    assert_eq!(pozy.send("/v1/webhooks/logs/redeliver", &call).await.status, 502);
    pozy.advance(HOUR).await;
    assert_eq!(new.seen().len(), 2);
    let unknown = json!({"webhookId": id, "eventId": "none"});
    assert_eq!(pozy.send("/v1/webhooks/logs/redeliver", &unknown).await.status, 404);
    pozy.advance(31 * 24 * HOUR).await;
    assert_eq!(pozy.send("/v1/webhooks/logs/redeliver", &call).await.status, 422);
}

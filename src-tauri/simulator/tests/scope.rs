//! Workspaces, API keys, the rate window, and what every answer carries.

use reqwest::Method;
use serde_json::{Value, json};

use crate::sides::{NINE, Receiver, at_nine, both_now, got, later, start};
use pozy_sandbox::{AccountSeed, Options, Pace};

#[tokio::test]
async fn a_wrong_api_key_is_401_and_does_nothing() {
    let pozy = at_nine().await;
    for request in [
        pozy.bare(Method::POST, "/v1/posts").json(&later("Hello.")),
        pozy.bare(Method::POST, "/v1/posts").bearer_auth("sk_other").json(&later("Hello.")),
        pozy.bare(Method::GET, "/v1/webhooks/settings").header("Authorization", pozy.handle.api_key()),
    ] {
        let answer = got(request).await;
        assert_eq!((answer.status, answer.header("x-pozy-sandbox")), (401, "1"));
        assert!(answer.body["error"].is_string());
    }
    assert!(pozy.posts().is_empty());
}

#[tokio::test]
async fn keys_content_posts_and_webhooks_belong_to_a_workspace() {
    let pozy = at_nine().await;
    let receiver = Receiver::start().await;
    pozy.register(&receiver.url).await;
    let post = pozy.created("k-1", &later("Hello.")).await;
    receiver.wait(1).await;
    let made = got(pozy.bare(Method::POST, "/sandbox/workspaces")).await;
    assert_eq!((made.status, &made.body["workspace"]), (201, &json!("ws_2")));
    let other = made.body["api_key"].as_str().unwrap();
    let with = |method, path: &str| pozy.bare(method, path).bearer_auth(other);
    let create = with(Method::POST, "/v1/posts").header("Idempotency-Key", "k-1").json(&later("Hello."));
    let second = got(create).await;
    assert_eq!(second.status, 201);
    assert_ne!(second.post(), post);
    assert_eq!(got(with(Method::GET, &format!("/v1/posts/{post}"))).await.status, 404);
    assert_eq!(got(with(Method::GET, "/v1/posts")).await.body["pagination"]["total"], 1);
    assert_eq!(got(with(Method::GET, "/v1/webhooks/settings")).await.body["webhooks"], json!([]));
    pozy.advance(60).await;
    assert_eq!(receiver.seen().len(), 1);
    let keys: Vec<_> = pozy.handle.ledger().keys.into_iter().map(|row| (row.workspace.0, row.key)).collect();
    assert_eq!(keys, [("ws_1".into(), "k-1".into()), ("ws_2".into(), "k-1".into())]);
}

#[tokio::test]
async fn a_workspace_can_have_several_api_keys() {
    let pozy = at_nine().await;
    let post = pozy.created("k-1", &later("Hello.")).await;
    let (_, second) = pozy.handle.add_api_key(Some("ws_1".into())).unwrap();
    let create = pozy.bare(Method::POST, "/v1/posts").bearer_auth(second);
    let again = got(create.header("Idempotency-Key", "k-1").json(&later("Hello."))).await;
    assert_eq!((again.status, again.post()), (200, post));
}

#[tokio::test]
async fn every_answer_carries_the_mark_and_the_date_of_the_sandbox() {
    let pozy = at_nine().await;
    pozy.advance(61).await;
    for path in ["/v1/posts", "/v1/posts/none", "/sandbox/ledger", "/nowhere"] {
        let answer = pozy.get(path).await;
        assert_eq!(answer.header("x-pozy-sandbox"), "1", "{path}");
        assert_eq!(answer.header("date"), "Mon, 02 Mar 2026 09:01:01 GMT", "{path}");
    }
    assert_eq!(got(pozy.request(Method::PATCH, "/v1/posts")).await.header("date"), "Mon, 02 Mar 2026 09:01:01 GMT");
}

#[tokio::test]
async fn the_rate_window_is_told_and_kept_where_one_is_set() {
    let now = Some(NINE.parse().unwrap());
    let pozy = start(Options { pace: Pace::Manual, now, rate_limit: Some(2), ..Options::default() }).await;
    let first = pozy.get("/v1/posts").await;
    assert_eq!((first.header("x-ratelimit-limit"), first.header("x-ratelimit-remaining")), ("2", "1"));
    assert_eq!(first.header("x-ratelimit-reset"), "1772442060");
    pozy.get("/v1/posts").await;
    let over = got(pozy.create("k-1", &later("Hello."))).await;
    assert_eq!((over.status, over.header("retry-after")), (429, "60"));
    assert!(pozy.posts().is_empty());
    pozy.advance(60).await;
    assert_eq!(got(pozy.create("k-1", &later("Hello."))).await.status, 201);
}

#[tokio::test]
async fn the_first_use_makes_an_account_and_seeds_are_there_before() {
    let seed = AccountSeed { account: "ac_fb".into(), platform: "facebook".into(), name: "Harbour Market".into() };
    let pozy = start(Options { accounts: vec![seed], ..Options::default() }).await;
    let listed = pozy.get("/v1/accounts").await.body["accounts"].clone();
    assert_eq!((&listed[0]["_id"], &listed[0]["displayName"]), (&json!("ac_fb"), &json!("Harbour Market")));
    pozy.created("k-1", &both_now("Hello.")).await;
    let profile = listed[0]["profileId"].as_str().unwrap();
    let listed = pozy.get(&format!("/v1/accounts?profileId={profile}")).await.body["accounts"].clone();
    let ids: Vec<&Value> = listed.as_array().unwrap().iter().map(|account| &account["_id"]).collect();
    assert_eq!(ids, ["ac_fb", "ac_ig", "ac_li"]);
    assert_eq!(pozy.get("/v1/accounts?profileId=another").await.body["accounts"], json!([]));
}

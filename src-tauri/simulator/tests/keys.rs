//! Idempotency keys and request ids (R7, R8, R9, R12, R14).

use reqwest::Method;
use rstest::rstest;
use serde_json::{Value, json};

use crate::sides::{HOUR, Pozy, at_nine, due, got, later, start};
use pozy_sandbox::{Ask, Contract, Options, Pace};

#[tokio::test]
async fn a_repeat_is_200_with_the_post_as_it_stands_today_whatever_the_body_says() {
    let pozy = at_nine().await;
    let post = pozy.created("k-1", &due("Doors open at 9.", "2026-03-02T09:10:00")).await;
    pozy.advance(600).await;
    pozy.target(&post, "ac_li", "failed");
    let again = got(pozy.create("k-1", &later("Doors open at 10."))).await;
    assert_eq!(again.status, 200);
    assert_eq!(again.body["message"], "Post already exists (idempotent retry)");
    assert_eq!(again.body["post"]["_id"], json!(post));
    assert_eq!(again.body["post"]["content"], "Doors open at 9.");
    assert_eq!(again.body["post"]["status"], "failed");
    assert_eq!(pozy.posts().len(), 1);
}

#[rstest]
#[case(0, 200)]
#[case(24 * HOUR, 200)]
#[case(24 * HOUR + 1, 201)]
#[tokio::test]
async fn a_key_lives_24_hours_sharp_from_its_first_request(#[case] seconds: u64, #[case] status: u16) {
    let pozy = at_nine().await;
    let draft = json!({"content": "A draft", "platforms": [{"platform": "x", "accountId": "ac_x"}]});
    pozy.created("k-1", &draft).await;
    pozy.advance(seconds / 2).await;
    // Meeting the key does not lengthen its life.
    assert_eq!(got(pozy.create("k-1", &draft)).await.status, 200);
    pozy.advance(seconds - seconds / 2).await;
    let remembered = pozy.handle.ledger().keys.len();
    assert_eq!(remembered, usize::from(status == 200));
    assert_eq!(got(pozy.create("k-1", &draft)).await.status, status);
}

#[tokio::test]
async fn a_glimpse_says_what_then_comes_and_changes_nothing() {
    let pozy = at_nine().await;
    pozy.created("k-1", &later("Doors open at 9.")).await;
    let (_, other) = pozy.handle.add_api_key(None).unwrap();
    for (api_key, key, body) in [
        (pozy.handle.api_key(), "k-1", later("Anything")),
        (pozy.handle.api_key(), "k-2", later("Doors open at 9.")),
        (pozy.handle.api_key(), "k-3", later("Doors open at 10.")),
        (pozy.handle.api_key(), "k-4", json!({"content": "No accounts"})),
        (&*other, "k-1", later("Doors open at 9.")),
        ("sk_nobody", "k-1", later("Doors open at 9.")),
    ] {
        let before = pozy.posts().len();
        let bytes = body.to_string();
        let ask = Ask { api_key, key: Some(key), request_id: None, body: bytes.as_bytes() };
        let seen = pozy.handle.glimpse(&ask);
        assert_eq!((seen.clone(), pozy.posts().len()), (pozy.handle.glimpse(&ask), before), "nothing was done");
        let create = pozy.bare(Method::POST, "/v1/posts").bearer_auth(api_key).header("Idempotency-Key", key);
        let answer = got(create.json(&body)).await;
        assert_eq!(answer.status, seen.status, "{key} {body}");
        if !matches!(answer.status, 201 | 401) {
            assert_eq!(answer.body, seen.body);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_at_once_with_one_key_make_one_post() {
    let pozy = at_nine().await;
    let mut requests = tokio::task::JoinSet::new();
    for n in 0..64 {
        requests.spawn(got(pozy.create("k-1", &later(&format!("Post {n}.")))));
    }
    let answers = requests.join_all().await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 63);
    assert!(answers.iter().all(|answer| answer.post() == answers[0].post()));
    assert_eq!(pozy.posts().len(), 1);
}

#[rstest]
#[case(255, 201)]
#[case(256, 400)]
#[tokio::test]
async fn a_key_has_at_most_255_characters(#[case] length: usize, #[case] status: u16) {
    let pozy = at_nine().await;
    let answer = got(pozy.create(&"k".repeat(length), &later("Hello."))).await;
    assert_eq!(answer.status, status);
    assert_eq!(pozy.posts().len(), usize::from(status == 201));
}

#[tokio::test]
async fn a_refused_request_leaves_its_key_free() {
    let pozy = at_nine().await;
    assert_eq!(got(pozy.create("k-1", &json!({"content": "No account"}))).await.status, 400);
    assert!(pozy.handle.ledger().keys.is_empty());
    pozy.created("k-1", &later("Hello.")).await;
}

#[tokio::test]
async fn a_repeat_while_the_first_runs_is_a_conflict_with_retry_after() {
    let pozy = at_nine().await;
    pozy.fault(json!({"on": "POST /v1/posts", "do": "slow", "seconds": 7}));
    let first = pozy.create("k-1", &later("Hello."));
    let first = tokio::spawn(got(first));
    while pozy.handle.ledger().keys.is_empty() {
        tokio::task::yield_now().await;
    }
    pozy.advance(4).await;
    let conflict = got(pozy.create("k-1", &later("Hello."))).await;
    assert_eq!(conflict.status, 409);
    assert_eq!(conflict.body["code"], "idempotency_conflict");
    assert_eq!(conflict.header("retry-after"), "3");
    assert!(pozy.posts().is_empty());
    pozy.advance(3).await;
    let first = first.await.unwrap();
    assert_eq!(first.status, 201);
    let again = got(pozy.create("k-1", &later("Hello."))).await;
    assert_eq!((again.status, again.post()), (200, first.post()));
}

#[tokio::test]
async fn slow_work_is_done_even_if_the_client_goes_away() {
    let pozy = at_nine().await;
    pozy.fault(json!({"on": "POST /v1/posts", "do": "slow", "seconds": 7}));
    let waiting = tokio::spawn(got(pozy.create("k-1", &later("Hello."))));
    while pozy.handle.ledger().keys.is_empty() {
        tokio::task::yield_now().await;
    }
    waiting.abort();
    pozy.advance(7).await;
    assert_eq!(pozy.posts().len(), 1);
    assert_eq!(got(pozy.create("k-1", &later("Hello."))).await.status, 200);
}

#[tokio::test]
async fn a_first_that_still_runs_refuses_no_other_key() {
    let pozy = at_nine().await;
    pozy.fault(json!({"on": "POST /v1/posts", "do": "slow", "seconds": 7}));
    let first = tokio::spawn(got(pozy.create("k-1", &later("Hello."))));
    while pozy.handle.ledger().keys.is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(got(pozy.create("k-2", &later("Hello."))).await.status, 201);
    pozy.advance(7).await;
    assert_eq!(first.await.unwrap().status, 201);
    assert_eq!(pozy.posts().len(), 2);
}

#[rstest]
#[case(false, 1)]
#[case(true, 2)]
#[tokio::test]
async fn where_the_24_hours_start_is_a_setting(#[case] from_completion: bool, #[case] posts_kept: usize) {
    let contract = Contract { key_life_from_completion: from_completion, ..Contract::default() };
    let now = Some(crate::sides::NINE.parse().unwrap());
    let pozy = start(Options { pace: Pace::Manual, now, contract, ..Options::default() }).await;
    pozy.fault(json!({"on": "POST /v1/posts", "do": "slow", "seconds": 60}));
    let first = tokio::spawn(got(pozy.create("k-1", &later("Hello."))));
    while pozy.handle.ledger().keys.is_empty() {
        tokio::task::yield_now().await;
    }
    pozy.created("k-2", &later("Another.")).await;
    pozy.advance(60).await;
    first.await.unwrap();
    pozy.advance(24 * HOUR - 60 + 1).await;
    let alive: Vec<String> = pozy.handle.ledger().keys.into_iter().map(|row| row.key).collect();
    assert_eq!(alive.contains(&"k-1".to_owned()), posts_kept == 2);
    assert!(!alive.contains(&"k-2".to_owned()));
}

async fn with_request_id(pozy: &Pozy, id: &str, body: &Value) -> crate::sides::Got {
    got(pozy.request(Method::POST, "/v1/posts").header("x-request-id", id).json(body)).await
}

#[tokio::test]
async fn the_same_request_id_with_the_same_content_is_a_retry() {
    let pozy = at_nine().await;
    let first = with_request_id(&pozy, "r-1", &later("Hello.")).await;
    assert_eq!((first.status, first.header("x-request-id")), (201, "r-1"));
    let again = with_request_id(&pozy, "r-1", &later("Hello.")).await;
    assert_eq!((again.status, again.post()), (200, first.post()));
    assert_eq!(with_request_id(&pozy, "r-1", &later("Other words.")).await.status, 201);
    let other = with_request_id(&pozy, "r-2", &later("Hello.")).await;
    assert_eq!(other.status, 409);
    assert_eq!(other.body["details"]["existingPostId"], json!(first.post()));
    pozy.advance(24 * HOUR).await;
    assert_eq!(with_request_id(&pozy, "r-1", &later("Hello.")).await.status, 200);
    pozy.advance(1).await;
    assert_eq!(with_request_id(&pozy, "r-1", &later("Hello.")).await.status, 409);
}

#[tokio::test]
async fn a_request_id_whose_first_runs_is_202_with_the_id_to_come() {
    let pozy = at_nine().await;
    pozy.fault(json!({"on": "POST /v1/posts", "do": "slow", "seconds": 5}));
    let request = pozy.create("k-1", &later("Hello.")).header("x-request-id", "r-1");
    let first = tokio::spawn(got(request));
    while pozy.handle.ledger().keys.is_empty() {
        tokio::task::yield_now().await;
    }
    let again = with_request_id(&pozy, "r-1", &later("Hello.")).await;
    assert_eq!(again.status, 202);
    pozy.advance(5).await;
    assert_eq!(again.body["postId"], json!(first.await.unwrap().post()));
}

async fn message(pozy: &Pozy, key: &str, body: &Value) -> crate::sides::Got {
    got(pozy.request(Method::POST, "/v1/sms/messages").header("Idempotency-Key", key).json(body)).await
}

#[tokio::test]
async fn other_endpoints_remember_success_only_and_refuse_another_body_or_path() {
    let pozy = at_nine().await;
    assert_eq!(message(&pozy, "k-1", &json!(["no object"])).await.status, 400);
    let sent = message(&pozy, "k-1", &json!({"to": "+44", "text": "Hi"})).await;
    assert_eq!(sent.status, 201);
    let again = message(&pozy, "k-1", &json!({"to": "+44", "text": "Hi"})).await;
    assert_eq!((again.status, &again.body), (201, &sent.body));
    assert_eq!(again.header("idempotent-replayed"), "true");
    assert_eq!(message(&pozy, "k-1", &json!({"to": "+44", "text": "Ho"})).await.status, 422);
    pozy.created("k-2", &later("Hello.")).await;
    assert_eq!(message(&pozy, "k-2", &json!({"to": "+44"})).await.status, 422);
    pozy.advance(24 * HOUR + 1).await;
    assert_eq!(message(&pozy, "k-1", &json!({"to": "+44", "text": "Ho"})).await.status, 201);
}

#[tokio::test]
async fn a_glimpse_of_a_message_says_what_then_comes_and_sends_nothing() {
    let pozy = at_nine().await;
    let body = r#"{"to":"+440000","text":"Doors open at 9."}"#;
    let glimpse = |key: Option<&str>, body: &str| {
        let ask = Ask { api_key: pozy.handle.api_key(), key, request_id: None, body: body.as_bytes() };
        pozy.handle.glimpse_message(&ask)
    };
    let new = glimpse(Some("m-1"), body);
    assert_eq!((new.status, new.body), (201, Value::Null));
    assert_eq!(glimpse(Some("m-1"), body).body, Value::Null, "the first look sent nothing");
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let sent = client
        .request(Method::POST, format!("{}/v1/sms/messages", pozy.handle.url()))
        .bearer_auth(pozy.handle.api_key())
        .header("idempotency-key", "m-1")
        .body(body)
        .send()
        .await
        .unwrap();
    assert_eq!(sent.status(), 201);
    let made: Value = sent.json().await.unwrap();
    let again = glimpse(Some("m-1"), body);
    assert_eq!((again.status, again.body), (201, made), "a repeat is answered as the first one was (R8)");
    assert_eq!(glimpse(Some("m-1"), "{}").status, 422);
    assert_eq!(glimpse(Some("m-2"), "[]").status, 400);
    assert_eq!(glimpse(None, body).body, Value::Null);
    pozy.advance(25 * HOUR).await;
    assert_eq!(glimpse(Some("m-1"), body).body, Value::Null, "the key is gone");
}

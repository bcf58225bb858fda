//! The content check and the reads (R10, R11, T6).

use rstest::rstest;
use serde_json::{Value, json};

use crate::sides::{HOUR, NINE, at_nine, both_now, due, got, later, start};
use pozy_sandbox::{Contract, Options, Pace};

#[tokio::test]
async fn the_same_content_is_refused_with_the_post_that_has_it() {
    let pozy = at_nine().await;
    let post = pozy.created("k-1", &later("Hello.")).await;
    let refused = got(pozy.create("k-2", &later("Hello."))).await;
    assert_eq!(refused.status, 409);
    assert_eq!(refused.body["details"], json!({"accountId": "ac_li", "platform": "linkedin", "existingPostId": post}));
    assert_eq!(refused.body.get("code"), None);
    assert!(refused.body["error"].as_str().unwrap().contains("exact content"));
    assert_eq!(pozy.handle.ledger().keys.len(), 1);
}

#[rstest]
#[case("the text", json!({"content": "Hello!"}))]
#[case("the account", json!({"platforms": [{"platform": "linkedin", "accountId": "ac_other"}]}))]
#[case("the media", json!({"mediaItems": [{"type": "image", "url": "https://media.example/1.png"}]}))]
#[case("the text of the platform", json!({"platforms": [{"platform": "linkedin", "accountId": "ac_li", "customContent": "Hi"}]}))]
#[tokio::test]
async fn another_text_media_or_account_is_other_content(#[case] what: &str, #[case] change: Value) {
    let pozy = at_nine().await;
    pozy.created("k-1", &later("Hello.")).await;
    let mut body = later("Hello.");
    body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    assert_eq!(got(pozy.create("k-2", &body)).await.status, 201, "{what}");
}

#[rstest]
#[case("failed", 201)]
#[case("cancelled", 201)]
#[case("published", 409)]
#[case("publishing", 409)]
#[case("scheduled", 409)]
#[tokio::test]
async fn only_live_targets_count(#[case] status: &str, #[case] answer: u16) {
    let pozy = at_nine().await;
    let post = pozy.created("k-1", &later("Hello.")).await;
    pozy.target(&post, "ac_li", status);
    assert_eq!(got(pozy.create("k-2", &later("Hello."))).await.status, answer);
}

#[rstest]
#[case(24 * HOUR, 409)]
#[case(24 * HOUR + 1, 201)]
#[tokio::test]
async fn the_content_check_runs_24_hours_from_publishing(#[case] seconds: u64, #[case] answer: u16) {
    let pozy = at_nine().await;
    let post = pozy.created("k-1", &due("Hello.", "2026-03-02T12:00:00")).await;
    pozy.advance(3 * HOUR).await;
    pozy.target(&post, "ac_li", "published");
    pozy.advance(seconds).await;
    assert_eq!(got(pozy.create("k-2", &later("Hello."))).await.status, answer);
}

#[tokio::test]
async fn a_post_scheduled_beyond_its_key_is_refused_as_content() {
    let pozy = at_nine().await;
    pozy.created("k-1", &later("Hello.")).await;
    pozy.advance(25 * HOUR).await;
    let again = got(pozy.create("k-1", &later("Hello."))).await;
    assert_eq!((again.status, again.body.get("code")), (409, None));
}

#[rstest]
#[case(true, 409)]
#[case(false, 201)]
#[tokio::test]
async fn whether_one_repeated_target_refuses_all_is_a_setting(#[case] refuses: bool, #[case] answer: u16) {
    let contract = Contract { one_repeat_refuses_all: refuses, ..Contract::default() };
    let now = Some(NINE.parse().unwrap());
    let pozy = start(Options { pace: Pace::Manual, now, contract, ..Options::default() }).await;
    pozy.created("k-1", &later("Hello.")).await;
    let both = got(pozy.create("k-2", &both_now("Hello."))).await;
    assert_eq!(both.status, answer);
    if !refuses {
        pozy.advance(1).await;
        let targets = pozy.posts()[1]["platforms"].clone();
        assert_eq!((&targets[0]["status"], &targets[1]["status"]), (&json!("published"), &json!("failed")));
        assert_eq!(got(pozy.create("k-3", &later("Hello."))).await.status, 409);
    }
}

#[tokio::test]
async fn a_draft_goes_nowhere_and_refuses_nobody() {
    let pozy = at_nine().await;
    let draft = json!({"content": "Hello.", "platforms": [{"platform": "linkedin", "accountId": "ac_li"}]});
    let made = got(pozy.create("k-1", &draft)).await;
    assert_eq!((made.status, &made.body["post"]["status"]), (201, &json!("draft")));
    pozy.advance(48 * HOUR).await;
    pozy.created("k-2", &later("Hello.")).await;
    assert_eq!(pozy.posts()[0]["status"], "draft");
}

#[tokio::test]
async fn posts_are_read_by_id_and_in_pages_newest_first() {
    let pozy = at_nine().await;
    let mut made = Vec::new();
    for n in 0..12 {
        made.push(pozy.created(&format!("k-{n}"), &later(&format!("Post {n}."))).await);
    }
    let one = pozy.get(&format!("/v1/posts/{}", made[3])).await;
    assert_eq!((one.status, &one.body["post"]["content"]), (200, &json!("Post 3.")));
    assert_eq!(one.body["post"]["scheduledFor"], "2026-05-20T08:00:00.000Z");
    assert_eq!(pozy.get("/v1/posts/nothing").await.status, 404);
    let page = pozy.get("/v1/posts?page=2&limit=5&status=scheduled").await;
    assert_eq!(page.body["pagination"], json!({"page": 2, "limit": 5, "total": 12, "pages": 3}));
    assert_eq!(page.body["posts"][0]["_id"], json!(made[6]));
    for odd in ["limit=501", "page=0", "status=odd", "limit=many"] {
        let refused = pozy.get(&format!("/v1/posts?{odd}")).await;
        assert_eq!((refused.status, &refused.body["code"]), (400, &json!("invalid_request")), "{odd}");
    }
    assert_eq!(pozy.get("/v1/posts?status=failed").await.body["pagination"]["total"], 0);
    assert_eq!(
        pozy.get("/v1/posts?accountId=ac_li&platform=linkedin&search=11").await.body["posts"][0]["_id"],
        json!(made[11])
    );
}

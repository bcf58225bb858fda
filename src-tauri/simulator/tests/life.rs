//! The publishing life of a post by the clock, and what webhooks tell of it.

use rstest::rstest;
use serde_json::{Value, json};

use crate::sides::{Arrived, NINE, Receiver, at_nine, both_now, due, start};
use pozy_sandbox::{Options, Pace};

fn times(seen: &[Arrived]) -> Vec<&str> {
    seen.iter().map(|arrived| arrived.body["timestamp"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_scheduled_post_goes_out_at_its_time_in_its_zone() {
    let pozy = at_nine().await;
    let receiver = Receiver::start().await;
    pozy.register(&receiver.url).await;
    let post = pozy.created("k-1", &due("Hello.", "2026-03-02T10:00:00")).await;
    pozy.advance(3599).await;
    assert_eq!(pozy.posts()[0]["status"], "scheduled");
    pozy.advance(1).await;
    assert_eq!(pozy.posts()[0]["status"], "publishing");
    pozy.advance(1).await;
    let live = &pozy.posts()[0];
    assert_eq!((&live["status"], &live["publishedAt"]), (&json!("published"), &json!("2026-03-02T10:00:00.500Z")));
    assert!(live["platforms"][0]["platformPostUrl"].as_str().unwrap().starts_with("https://linkedin.example/"));
    let seen = receiver.seen();
    assert_eq!(receiver.names(), ["post.scheduled", "post.platform.published", "post.published"]);
    assert_eq!(times(&seen), ["2026-03-02T09:00:00.000Z", "2026-03-02T10:00:00.500Z", "2026-03-02T10:00:01.000Z"]);
    assert!(seen.iter().all(|arrived| arrived.body["post"]["id"] == json!(post)));
}

#[tokio::test]
async fn events_use_the_spelling_of_webhooks_and_reads_their_own() {
    let pozy = at_nine().await;
    let receiver = Receiver::start().await;
    pozy.register(&receiver.url).await;
    let mut body = both_now("Hello.");
    body["metadata"] = json!({"jobId": "job-7"});
    pozy.created("k-1", &body).await;
    pozy.advance(1).await;
    let seen = receiver.seen();
    let start = format!(
        r#"{{"id":"{}","event":"post.scheduled","timestamp":"2026-03-02T09:00:00.000Z","post":{{"#,
        seen[0].id()
    );
    assert!(seen[0].raw.starts_with(start.as_bytes()), "{:?}", seen[0].raw);
    let target = &seen[1].body;
    assert_eq!(target["event"], "post.platform.published");
    assert_eq!(
        (&target["platform"]["name"], &target["platform"]["status"]),
        (&json!("instagram"), &json!("published"))
    );
    assert_eq!(target["account"]["accountId"], "ac_ig");
    assert_eq!(target["post"]["status"], "publishing");
    assert_eq!(target["post"]["metadata"]["jobId"], "job-7");
    assert!(target["platform"]["publishedUrl"].is_string() && target["platform"].get("platformPostUrl").is_none());
    let roll_up = &seen[3].body;
    assert_eq!((&roll_up["event"], &roll_up["post"]["status"]), (&json!("post.published"), &json!("published")));
    assert_eq!(roll_up["post"]["platforms"][0]["platform"], "instagram");
    assert_eq!(roll_up["post"]["platforms"][1]["accountId"], "ac_li");
    assert_eq!(roll_up.get("test"), None);
    let read = &pozy.posts()[0];
    assert!(read.get("id").is_none() && read["_id"].is_string());
    assert_eq!(read["platforms"][0]["platformPostUrl"], roll_up["post"]["platforms"][0]["publishedUrl"]);
}

#[tokio::test]
async fn the_events_of_one_post_never_share_an_instant() {
    let pozy = at_nine().await;
    let receiver = Receiver::start().await;
    pozy.register(&receiver.url).await;
    pozy.created("k-1", &both_now("Hello.")).await;
    pozy.advance(1).await;
    let seen = receiver.seen();
    let times = times(&seen);
    assert_eq!(times.len(), 4);
    assert!(times.is_sorted_by(|before, after| before < after), "{times:?}");
}

#[rstest]
#[case(&["ac_ig"], "partial", "post.partial")]
#[case(&["ac_ig", "ac_li"], "failed", "post.failed")]
#[tokio::test]
async fn a_target_that_fails_makes_the_roll_up_partial_or_failed(
    #[case] failing: &[&str],
    #[case] status: &str,
    #[case] event: &str,
) {
    let pozy = at_nine().await;
    let receiver = Receiver::start().await;
    pozy.register(&receiver.url).await;
    for account in failing {
        pozy.fault(json!({"on": "publish", "do": "fail", "account": account, "error": "Token rejected"}));
    }
    pozy.created("k-1", &both_now("Hello.")).await;
    pozy.advance(1).await;
    assert_eq!(pozy.posts()[0]["status"], status);
    assert_eq!(pozy.posts()[0]["platforms"][0]["errorMessage"], "Token rejected");
    let seen = receiver.seen();
    assert_eq!(seen[1].name(), "post.platform.failed");
    assert_eq!(seen[1].body["platform"]["error"], "Token rejected");
    assert_eq!(seen[3].name(), event);
}

#[tokio::test]
async fn a_disconnected_account_fails_and_both_changes_are_told() {
    let pozy = at_nine().await;
    let receiver = Receiver::start().await;
    pozy.register(&receiver.url).await;
    let set = async |connected: bool| {
        pozy.handle.account(&serde_json::from_value(json!({"account": "ac_ig", "connected": connected})).unwrap());
        pozy.advance(0).await;
    };
    set(false).await;
    let listed = pozy.get("/v1/accounts").await.body;
    assert_eq!((&listed["accounts"][0]["_id"], &listed["accounts"][0]["isActive"]), (&json!("ac_ig"), &json!(false)));
    pozy.created("k-1", &both_now("Hello.")).await;
    pozy.advance(1).await;
    assert_eq!(pozy.posts()[0]["status"], "partial");
    assert_eq!(pozy.posts()[0]["platforms"][0]["errorCategory"], "auth_expired");
    set(true).await;
    let names = receiver.names();
    assert_eq!((names[0].as_str(), names[5].as_str()), ("account.disconnected", "account.connected"));
}

#[rstest]
#[case("failed", "failed", "post.failed")]
#[case("cancelled", "cancelled", "post.cancelled")]
#[case("published", "published", "post.published")]
#[tokio::test]
async fn control_sets_a_target_whatever_it_was_and_its_plan_is_void(
    #[case] target: &str,
    #[case] status: &str,
    #[case] event: &str,
) {
    let pozy = at_nine().await;
    let receiver = Receiver::start().await;
    pozy.register(&receiver.url).await;
    let post = pozy.created("k-1", &due("Hello.", "2026-03-02T09:10:00")).await;
    pozy.advance(600).await;
    pozy.target(&post, "ac_li", target);
    pozy.advance(3600).await;
    let read: Value = pozy.posts()[0].clone();
    assert_eq!((&read["status"], &read["platforms"][0]["status"]), (&json!(status), &json!(target)));
    if target == "published" {
        assert_eq!(read["publishedAt"], "2026-03-02T09:10:00.000Z");
    }
    assert_eq!(receiver.names().last().unwrap(), event);
    assert_eq!(receiver.names().iter().filter(|name| *name == event).count(), 1);
}

#[tokio::test]
async fn a_running_clock_publishes_by_itself() {
    let options = Options {
        pace: Pace::Real,
        now: Some(NINE.parse().unwrap()),
        publish_delay: std::time::Duration::from_millis(300),
        ..Options::default()
    };
    let pozy = start(options).await;
    let receiver = Receiver::start().await;
    pozy.register(&receiver.url).await;
    let answer = pozy.send("/v1/posts", &both_now("Hello.")).await;
    assert_eq!(answer.body["post"]["status"], "publishing");
    receiver.wait(4).await;
    assert_eq!(
        receiver.names(),
        ["post.scheduled", "post.platform.published", "post.platform.published", "post.published"]
    );
}

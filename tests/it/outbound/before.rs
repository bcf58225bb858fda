//! What is said before anything leaves: by the calls of the screens, with messages that really came in.

use pozy_sandbox::Deed;
use reprise_core::{
    desk::{Desk, Runs},
    error::Code,
    outbound::{
        forecast::{Act, Effect, Risk},
        foretell::{Consent, Plan},
        outcome::Outcome,
        resend,
        submit::{Draft, POSTS, submit},
    },
    pozy::client::Order,
};
use serde_json::{Value, json};

use super::{
    looking::{NOW, answered, call, deliver, desk, desk_that, import, line, reasons},
    world::{POST, World, t0},
};

const MESSAGES: &str = "/v1/sms/messages";

fn new_post(words: &str, account: &str) -> Value {
    json!({"content": words, "targets": [{"platform": "linkedin", "account": account}], "media_urls": [], "form": words})
}

/// The log of `world` with a receiver; its address.
async fn listening(world: &World) -> (Desk, String) {
    let desk = desk_that(world, Runs::On("127.0.0.1:0".parse().unwrap())).await;
    let receiver = desk.ears().await.url.unwrap();
    (desk, receiver)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_that_was_told_to_be_disconnected_is_said_before_a_post_to_it() {
    let world = World::start().await;
    let (desk, receiver) = listening(&world).await;
    let gone = json!({"id": "ev_1", "event": "account.disconnected", "timestamp": "2026-03-02T08:59:00Z",
                      "account": {"accountId": "ac_li"}});
    deliver(&receiver, &gone).await;
    let told = call(&desk, "preflight", new_post("The quay is closed.", "ac_li")).await;
    assert_eq!((&told["effect"], &told["risk"]), (&json!("creates_first"), &json!("confirm")), "{told}");
    assert!(reasons(&told).contains(&"account_disconnected"), "{told}");
    let unasked = desk.call("submit", new_post("The quay is closed.", "ac_li")).await.unwrap_err();
    assert_eq!((unasked.code, world.posts()), (Code::Refused, 0));
    let other = call(&desk, "preflight", new_post("The quay is closed.", "ac_ig")).await;
    assert_eq!(other["risk"], "safe", "another account is not concerned: {other}");

    let back = json!({"id": "ev_2", "event": "account.connected", "timestamp": "2026-03-02T08:59:30Z",
                      "account": {"accountId": "ac_li"}});
    deliver(&receiver, &back).await;
    let told = call(&desk, "preflight", new_post("The quay is closed.", "ac_li")).await;
    assert_eq!(told["risk"], "safe", "{told}");
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn words_that_only_a_message_told_of_are_said_before_they_go_out_again() {
    let world = World::start().await;
    let (desk, receiver) = listening(&world).await;
    let live = json!({"id": "ev_1", "event": "post.published", "timestamp": "2026-03-02T08:30:00Z",
        "post": {"id": "po_theirs", "content": "The quay is open again.", "status": "published",
                 "platforms": [{"platform": "linkedin", "status": "published", "accountId": "ac_li"}]}});
    deliver(&receiver, &live).await;
    let told = call(&desk, "preflight", new_post("The quay is open again!", "ac_li")).await;
    assert_eq!((&told["effect"], &told["risk"]), (&json!("cannot_tell"), &json!("blocked")), "{told}");
    assert_eq!((reasons(&told)[0], &told["suggest"]), ("stale_state", &json!("fetch_first")), "{told}");
    assert_eq!(told["beside"][0]["post"], "po_theirs", "{told}");
    assert_eq!(told["beside"][0]["text"], "The quay is open again.", "{told}");
    let other = call(&desk, "preflight", new_post("Choir practice moves to Tuesday.", "ac_li")).await;
    assert_eq!(other["risk"], "safe", "{other}");
    desk.close().await;
}

#[tokio::test]
async fn a_key_that_stands_for_other_words_is_said_before_new_words_go_out_with_it() {
    let world = World::start().await;
    let first = world.submit_with(POST, Some("summer-1"), None).await.unwrap();
    let other = POST.replace("six", "nine");
    let refused = world.submit_with(&other, Some("summer-1"), None).await.unwrap_err();
    assert_eq!(refused.code, Code::Refused);
    assert!(refused.message.contains("stands for other words"), "{}", refused.message);
    assert_eq!(world.posts(), 1);
    let meant = world.submit_confirmed(&other, Some("summer-1"), Effect::ReturnsExisting).await.unwrap();
    assert_eq!((meant.judged.post, world.posts()), (first.judged.post, 1), "the first post came back");
}

/// A key that stands for a call of another path (R8): a message is surely refused; whether a post is, nothing says (T7).
#[tokio::test]
async fn a_key_of_another_call_is_foretold_to_be_refused() {
    let world = World::start().await;
    let first = world.submit_with(POST, Some("summer-1"), None).await.unwrap();
    let message = r#"{"to":"+440000","content":"Your table is ready"}"#;
    let foretell = async |path: &str, key: &str, body: &str| {
        let plan = Plan::new(path, Some(key), body.as_bytes(), &world.connection);
        plan.foretell(&world.store, &world.clock, &world.connection.contract).await.unwrap().forecast
    };
    let told = foretell(MESSAGES, "summer-1", message).await;
    assert_eq!(
        (told.effect, told.risk, &*told.expects),
        (Effect::RefusedKeyReuse, Risk::Confirm, &[422][..]),
        "{told:?}"
    );
    // The very bytes of the post are no repeat of it on another path.
    assert_eq!(foretell(MESSAGES, "summer-1", POST).await.effect, Effect::RefusedKeyReuse);
    let send = async |effect: Option<Effect>, path: &str, key: &str, body: &str| {
        let draft =
            Draft { path: path.to_owned(), key: Some(key.to_owned()), body: body.as_bytes().to_vec(), form: None };
        let consent = effect.map_or(Consent::Safe, Consent::Effect);
        submit(&world.store, &world.clock, &world.connection, draft, consent).await
    };
    let no = send(None, MESSAGES, "summer-1", message).await.unwrap_err();
    assert!(no.message.contains("stands for another call") && no.message.contains("`refused_key_reuse`"), "{no}");
    let meant = send(Some(Effect::RefusedKeyReuse), MESSAGES, "summer-1", message).await.unwrap();
    let status = meant.facts.attempts[0].end.as_ref().and_then(|end| end.status);
    assert_eq!((status, world.posts()), (Some(422), 1));
    // Once the key is surely gone, the message goes out as any other.
    world.pass(25 * 3_600).await;
    assert_eq!(foretell(MESSAGES, "summer-1", message).await.effect, Effect::CreatesFirst);

    send(None, MESSAGES, "table-7", message).await.unwrap();
    let told = foretell(POSTS, "table-7", &POST.replace("six", "nine")).await;
    assert_eq!(
        (told.effect, told.risk, &*told.expects),
        (Effect::CannotTell, Risk::Confirm, &[201, 422][..]),
        "{told:?}"
    );
    assert_eq!(first.judged.outcome, Outcome::Created);
}

#[tokio::test]
async fn no_confirmed_effect_picks_one_of_two_times() {
    let world = World::start().await;
    let at = |time: &str| {
        let mut body: Value = serde_json::from_str(POST).unwrap();
        (body["scheduledFor"], body["timezone"]) = (time.into(), "Europe/London".into());
        body.to_string()
    };
    for (time, says) in [("2026-10-25T01:30:00", "comes twice"), ("2026-03-29T01:30:00", "does not exist")] {
        for effect in Effect::ALL {
            let no = world.submit_confirmed(&at(time), None, effect).await.unwrap_err();
            assert_eq!(no.code, Code::Refused);
            assert!(no.message.contains(says) && no.message.contains("offset"), "{}", no.message);
        }
    }
    assert_eq!(world.posts(), 0);
    let meant = world.submit(&at("2026-10-25T01:30:00+01:00")).await.unwrap();
    assert_eq!((meant.judged.outcome, world.posts()), (Outcome::Created, 1));
}

#[tokio::test]
async fn a_wait_of_the_whole_connection_is_the_wait_of_each_of_its_jobs() {
    let world = World::start().await;
    let desk = desk(&world).await;
    world.fault(answered(503, Some(20), None), 1);
    let busy = world.submit(NOW).await.unwrap().facts.mark.to_string();
    world.fault(answered(429, Some(300), None), 1);
    let slow = world.submit(&NOW.replace("Lanterns are lit", "The bell rings")).await.unwrap().facts.mark.to_string();
    for (job, held) in [(&busy, true), (&slow, false)] {
        let row = &call(&desk, "job", json!({"job": job})).await["row"];
        assert_eq!(row["next"]["text"], "2026-03-02T09:05:00Z", "{row}");
        assert_eq!(row["held"], held, "{row}");
    }
    world.pass(301).await;
    let row = &call(&desk, "job", json!({"job": busy})).await["row"];
    assert_eq!((&row["next"]["text"], &row["held"]), (&json!("2026-03-02T09:00:20Z"), &json!(false)), "{row}");
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_of_a_file_go_out_in_bulk_once_a_person_said_whose_they_are() {
    let world = World::start().await;
    let desk = desk(&world).await;
    let body: Value = serde_json::from_str(POST).unwrap();
    import(&world, &line("ws_night", body, json!({"kind": "timeout", "at": t0().plus_seconds(30).to_string()}))).await;
    world.pass(3_600).await;
    let filter = || json!({"filter": {"imported": true}});
    let groups = |bulk: &Value| -> Vec<(String, u64)> {
        let all = bulk["groups"].as_array().unwrap().iter();
        all.map(|group| (group["group"].as_str().unwrap().to_owned(), group["jobs"].as_u64().unwrap())).collect()
    };
    assert_eq!(call(&desk, "job", json!({"job": "night-7"})).await["row"]["may_tie"], true);
    let untied = call(&desk, "plan_bulk", filter()).await;
    assert_eq!(groups(&untied), [("left_out".to_owned(), 1)], "{untied}");
    let unasked = call(&desk, "plan_bulk", json!({"filter": {}})).await;
    assert_eq!(groups(&unasked), [], "only on request: {unasked}");

    call(&desk, "tie_workspace", json!({"name": "ws_night", "tie": true})).await;
    assert_eq!(call(&desk, "job", json!({"job": "night-7"})).await["row"]["may_tie"], false);
    let tied = call(&desk, "plan_bulk", filter()).await;
    assert_eq!(groups(&tied), [("ask_again".to_owned(), 1)], "{tied}");
    let mark = &tied["bulk"];
    call(&desk, "run_bulk", json!({"bulk": mark, "groups": [{"group": "ask_again"}]})).await;
    let mut commits = world.store.commits();
    let done = crate::wait::patiently("the bulk to be done", async {
        loop {
            let bulk = call(&desk, "bulk", json!({"bulk": mark})).await;
            if bulk["state"] == "done" {
                return bulk;
            }
            drop(tokio::time::timeout(std::time::Duration::from_millis(50), commits.changed()).await);
        }
    })
    .await;
    let account = &done["groups"][0]["account"];
    assert_eq!((&account["of"], &account["as_foretold"], &account["posts_created"]), (&json!(1), &json!(1), &json!(1)));
    assert_eq!(account, &done["account"], "one group is the whole of it: {done}");
    assert_eq!((world.posts(), world.sandbox.ledger().keys[0].key.as_str()), (1, "night-7"));
}

/// A message tells no media: what looks like the post of the lost try may be somebody else's with a picture, and then
/// asking again would make a second one of the same words. It is fetched before anything leaves.
#[tokio::test(flavor = "multi_thread")]
async fn a_post_of_the_same_words_with_other_media_is_not_taken_for_the_lost_try() {
    let world = World::start().await;
    let (desk, receiver) = listening(&world).await;
    world.fault(Deed::CutBefore, 1);
    let body = POST.replace("Lanterns are lit at six.", "The quay is open again.");
    let lost = world.submit(&body).await.unwrap().facts.mark;
    let mut theirs: Value = serde_json::from_str(&body).unwrap();
    theirs["mediaItems"] = json!([{"type": "image", "url": "https://pictures.example/quay.png"}]);
    let theirs = theirs.to_string();
    let order = Order { method: "POST", path: POSTS, key: None, request_id: None, body: theirs.as_bytes() };
    world.connection.client.send(&order).await.unwrap();
    deliver(&receiver, &planned(&world)).await;

    let plan = Plan::on(&world.store, Act::AskAgain, &lost, Some(&world.connection), None).await.unwrap();
    let told = plan.foretell(&world.store, &world.clock, &world.connection.contract).await.unwrap();
    assert_eq!((told.forecast.risk, told.taken.len()), (Risk::Safe, 1), "{told:?}");
    let no = resend::ask_again(&world.store, &world.clock, &world.connection, &lost, Consent::Safe).await.unwrap_err();
    assert!(no.code == Code::Refused && no.message.contains("nothing was sent"), "{no}");
    assert_eq!(world.posts(), 1, "only theirs");
    let told = plan.foretell(&world.store, &world.clock, &world.connection.contract).await.unwrap();
    assert_eq!((told.forecast.risk, told.taken.len()), (Risk::Blocked, 0), "{told:?}");
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_post_of_a_lost_try_that_a_message_told_of_comes_back_when_it_is_asked_again() {
    let world = World::start().await;
    let (desk, receiver) = listening(&world).await;
    world.fault(Deed::CutAfter, 1);
    let lost = world.submit(POST).await.unwrap().facts.mark;
    deliver(&receiver, &planned(&world)).await;
    let view = resend::ask_again(&world.store, &world.clock, &world.connection, &lost, Consent::Safe).await.unwrap();
    assert_eq!((view.judged.outcome, world.posts()), (Outcome::Replayed, 1));
    desk.close().await;
}

/// The message of the one post at the sandbox.
fn planned(world: &World) -> Value {
    let mut post = world.sandbox.ledger().posts.remove(0);
    post["id"] = post["_id"].clone();
    json!({"id": "ev_1", "event": "post.scheduled", "timestamp": "2026-03-02T09:00:02Z", "post": post})
}

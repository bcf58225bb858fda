//! Unknown has a resolver: ask Pozy, look at the account, note what was found; and the workspace of a file is tied to
//! one of ours by a person. Each of it through the calls that the screens use.

use pozy_sandbox::Deed;
use reprise_core::{
    desk::{Desk, Given, Options, Runs},
    error::Code,
    ids::PostId,
    import::log,
    outbound::outcome::State,
    secrets::Secret,
};
use serde_json::{Value, json};

use super::world::{POST, World, t0};

pub(super) const NOW: &str = r#"{"content":"Lanterns are lit at six.","platforms":[{"platform":"linkedin","accountId":"ac_li"}],"publishNow":true}"#;

/// The calls of the screens on the log of `world`.
pub(super) async fn desk(world: &World) -> Desk {
    desk_that(world, Runs::Nothing).await
}

pub(super) async fn desk_that(world: &World, runs: Runs) -> Desk {
    let given =
        Given { base_url: world.sandbox.url().to_owned(), api_key: Secret::new(world.sandbox.api_key()).unwrap() };
    let options = Options {
        data: world.dir.path().to_owned(),
        cards: world.dir.path().join("cards"),
        clock: world.clock.clone(),
        given: Some(given),
        webhook_secret: None,
        runs,
    };
    Desk::open(options).await.unwrap()
}

pub(super) async fn call(desk: &Desk, name: &str, args: Value) -> Value {
    desk.call(name, args.clone()).await.unwrap_or_else(|problem| panic!("{name} {args}: {problem}"))
}

/// A job whose only try was lost; `Deed::CutAfter` made its post, `Deed::CutBefore` did not.
async fn lost(world: &World, deed: Deed) -> String {
    world.fault(deed, 1);
    let view = world.submit(NOW).await.unwrap();
    assert_eq!(view.judged.state, State::Waiting);
    view.facts.mark.to_string()
}

/// The request is answered so, and no work is done.
pub(super) fn answered(status: u16, retry_after: Option<i64>, code: Option<&str>) -> Deed {
    Deed::Status {
        status,
        retry_after: retry_after.map(Into::into),
        code: code.map(str::to_owned),
        headers: Default::default(),
        body: None,
    }
}

pub(super) fn reasons(forecast: &Value) -> Vec<&str> {
    forecast["because"].as_array().unwrap().iter().map(|because| because["code"].as_str().unwrap()).collect()
}

async fn foretold(desk: &Desk, job: &str) -> Value {
    call(desk, "forecast", json!({"job": job, "action": "post_again"})).await
}

#[tokio::test]
async fn a_job_that_a_person_found_nowhere_may_be_posted_again_on_their_word() {
    let world = World::start().await;
    let desk = desk(&world).await;
    let job = lost(&world, Deed::CutBefore).await;
    world.pass(26 * 3_600).await;
    let before = foretold(&desk, &job).await;
    assert_eq!((&before["effect"], &before["risk"]), (&json!("cannot_tell"), &json!("blocked")), "{before}");

    call(&desk, "note", json!({"job": job, "action": "settled", "there": false, "text": "Nothing on the page"})).await;
    let row = call(&desk, "job", json!({"job": job})).await;
    assert_eq!(row["row"]["state"], "cancelled");
    assert_eq!(row["row"]["group"], "done", "nobody has to look at it any more");
    assert_eq!(row["row"]["settled"]["there"], false);
    assert_eq!(row["notes"][0]["text"], "Nothing on the page");

    let after = foretold(&desk, &job).await;
    assert_eq!((&after["effect"], &after["risk"]), (&json!("cannot_tell"), &json!("confirm")), "{after}");
    assert_eq!(after["expects"], json!([201, 409]));
    assert!(reasons(&after).contains(&"seen_not_there"), "{after}");
    let args = json!({"job": job, "forecast": after["id"], "reason": "It never came"});
    let again = call(&desk, "post_again", args).await;
    assert_eq!(again["state"], "done");
    assert_eq!(world.posts(), 1);
}

/// X16: Pozy says published, the account shows nothing. No fetch settles that, and nothing is posted by itself.
#[tokio::test]
async fn what_pozy_calls_live_and_a_person_does_not_see_cannot_be_settled_from_here() {
    let world = World::start().await;
    let desk = desk(&world).await;
    let view = world.submit(NOW).await.unwrap();
    let (job, post) = (view.facts.mark.to_string(), view.judged.post.unwrap());
    world.pass(3_600).await;
    call(&desk, "fetch", json!({"post": post.as_str()})).await;
    let note = json!({"job": job, "action": "not_seen", "text": "Nothing on the page"});
    call(&desk, "note", note).await;
    let now = foretold(&desk, &job).await;
    assert_eq!((&now["effect"], &now["expects"]), (&json!("refused_same_content"), &json!([409])), "{now}");
    assert!(reasons(&now).contains(&"not_seen_on_account"), "{now}");

    world.pass(25 * 3_600).await;
    let later = foretold(&desk, &job).await;
    assert_eq!((&later["effect"], &later["risk"]), (&json!("cannot_tell"), &json!("blocked")), "{later}");
    assert_eq!((reasons(&later)[0], &later["expects"]), ("not_seen_on_account", &json!([201])), "{later}");
    let unasked = desk.call("post_again", json!({"job": job, "reason": "It is gone"})).await.unwrap_err();
    assert_eq!((unasked.code, world.posts()), (Code::Usage, 1), "nothing goes without the forecast that was shown");

    call(&desk, "note", json!({"job": job, "post": post.as_str(), "action": "seen_twice", "text": "Twice!"})).await;
    let seen = foretold(&desk, &job).await;
    assert_eq!(seen["effect"], "creates_second", "the last look counts: {seen}");
}

#[tokio::test]
async fn a_look_right_after_the_try_does_not_count() {
    let world = World::start().await;
    let desk = desk(&world).await;
    let job = lost(&world, Deed::CutAfter).await;
    call(&desk, "note", json!({"job": job, "action": "settled", "there": false, "text": ""})).await;
    world.pass(26 * 3_600).await;
    let told = foretold(&desk, &job).await;
    assert_eq!(told["risk"], "blocked", "{told}");
    assert!(reasons(&told).contains(&"looked_too_soon"), "{told}");
}

#[tokio::test]
async fn a_lost_post_is_found_by_its_words_and_settled_with_its_id() {
    let world = World::start().await;
    let desk = desk(&world).await;
    let job = lost(&world, Deed::CutAfter).await;
    world.pass(60).await;
    let post = world.sandbox.ledger().posts[0]["_id"].as_str().unwrap().to_owned();
    let report = call(&desk, "fetch", json!({"job": job})).await;
    assert_eq!(report["result"], "told", "{report}");
    assert_eq!(report["candidates"][0]["post"]["post"], post.as_str(), "{report}");
    assert_eq!(report["candidates"][0]["differs_by"], 0);

    call(&desk, "note", json!({"job": job, "action": "settled", "post": post, "text": "This one"})).await;
    let detail = call(&desk, "job", json!({"job": job})).await;
    assert_eq!((&detail["row"]["state"], &detail["row"]["post"]), (&json!("done"), &json!(post)));
    assert_eq!(detail["row"]["outcome"], "unknown", "what the tries say stays as it is");
    assert!(detail["facts"]["post"]["confirmed"]["text"].is_string(), "the list told of it: {detail}");

    world.pass(30 * 3_600).await;
    let told = foretold(&desk, &job).await;
    assert_eq!((&told["effect"], &told["risk"]), (&json!("creates_second"), &json!("blocked")), "{told}");
}

#[tokio::test]
async fn a_note_says_what_was_found_or_is_refused() {
    let world = World::start().await;
    let desk = desk(&world).await;
    let job = lost(&world, Deed::CutBefore).await;
    for (args, why) in [
        (json!({"job": job, "post": "po", "action": "settled", "there": false, "text": ""}), "there and not there"),
        (json!({"job": job, "post": "po/1", "action": "settled", "text": ""}), "no id of a post"),
        (json!({"job": job, "action": "comment", "there": true, "text": ""}), "a comment finds nothing"),
        (json!({"post": "po", "action": "settled", "text": "It is there"}), "settled is about a job"),
        (json!({"action": "comment", "text": "Hm"}), "a note is about something"),
    ] {
        assert_eq!(desk.call("note", args).await.unwrap_err().code, Code::Usage, "{why}");
    }
    assert_eq!(desk.call("fetch", json!({"job": job, "post": "po"})).await.unwrap_err().code, Code::Usage);
    let detail = call(&desk, "job", json!({"job": job})).await;
    assert_eq!((&detail["notes"], &detail["row"]["state"]), (&json!([]), &json!("waiting")));
}

#[tokio::test]
async fn pozys_wish_to_be_left_alone_holds_for_the_next_fetch() {
    let world = World::start().await;
    let desk = desk(&world).await;
    let view = world.submit(NOW).await.unwrap();
    let post = view.judged.post.unwrap();
    let fault = pozy_sandbox::Fault {
        on: format!("GET /v1/posts/{post}"),
        deed: answered(429, Some(40), None),
        times: 1,
        event: None,
        account: None,
    };
    world.sandbox.fault(fault).unwrap();
    let ask = || json!({"post": post.as_str()});
    let first = call(&desk, "fetch", ask()).await;
    assert_eq!((&first["result"], &first["wait_until"]["text"]), (&json!("wait"), &json!("2026-03-02T09:00:40Z")));
    world.pass(30).await;
    assert_eq!(call(&desk, "fetch", ask()).await["result"], "wait", "it is not even asked");
    let detail = call(&desk, "job", json!({"job": view.facts.mark.as_str()})).await;
    assert_eq!(detail["facts"]["connection_waits"]["text"], "2026-03-02T09:00:40Z");
    world.pass(11).await;
    let told = call(&desk, "fetch", ask()).await;
    assert_eq!(told["result"], "told", "{told}");
    assert!(told["post"]["confirmed"]["text"].is_string(), "{told}");
    assert_eq!(call(&desk, "fetch", json!({"post": "po_nowhere"})).await["result"], "gone");
}

/// A try of another program, with the result given.
pub(super) fn line(workspace: &str, body: Value, result: Value) -> String {
    json!({"kind": "attempt", "at": t0().to_string(), "job": "night-7", "n": 1, "method": "POST", "path": "/v1/posts",
           "workspace": workspace, "key": "night-7", "request_id": null, "body": body, "result": result})
    .to_string()
}

pub(super) async fn import(world: &World, lines: &str) {
    let contract = world.connection.contract.clone();
    let order = log::Order::plain("night.jsonl", world.connection.workspace);
    let (from, progress) = (std::io::Cursor::new(lines.to_owned()), std::sync::Arc::default());
    let report = log::import(&world.store, &world.clock, &contract, order, from, &progress);
    assert_eq!(report.await.unwrap().added, 1);
}

#[tokio::test]
async fn a_file_is_sent_only_through_the_workspace_that_a_person_said_it_means() {
    let world = World::start().await;
    let desk = desk(&world).await;
    let body: Value = serde_json::from_str(POST).unwrap();
    import(&world, &line("ws_night", body, json!({"kind": "timeout", "at": t0().plus_seconds(30).to_string()}))).await;
    world.pass(3_600).await;
    let ask = json!({"job": "night-7"});
    assert_eq!(desk.call("ask_again", ask.clone()).await.unwrap_err().code, Code::Refused, "nobody said what it means");
    assert_eq!(
        desk.call("tie_workspace", json!({"name": "ws_day", "tie": true})).await.unwrap_err().code,
        Code::NotFound
    );

    let rows = call(&desk, "tie_workspace", json!({"name": "ws_night", "tie": true})).await;
    assert!(rows["rows"][0]["means"].is_string(), "{rows}");
    let told = call(&desk, "forecast", json!({"job": "night-7", "action": "ask_again"})).await;
    assert_eq!((&told["risk"], &told["expects"]), (&json!("safe"), &json!([200, 201])), "{told}");

    call(&desk, "tie_workspace", json!({"name": "ws_night", "tie": false})).await;
    assert_eq!(desk.call("ask_again", ask.clone()).await.unwrap_err().code, Code::Refused, "it was taken back");
    assert_eq!(world.posts(), 0);

    call(&desk, "tie_workspace", json!({"name": "ws_night", "tie": true})).await;
    let done = call(&desk, "ask_again", ask).await;
    assert_eq!((&done["state"], &done["tries"]), (&json!("done"), &json!(["lost", "answered"])), "{done}");
    assert_eq!(world.posts(), 1);
    let key = &world.sandbox.ledger().keys[0];
    assert_eq!(key.key, "night-7", "its own key went out");

    let again = call(&desk, "forecast", json!({"job": "night-7", "action": "post_again"})).await;
    assert_eq!(again["effect"], "refused_same_content", "what it made counts here: {again}");
}

#[tokio::test]
async fn a_masked_body_is_never_sent_whatever_is_tied() {
    let world = World::start().await;
    let desk = desk(&world).await;
    let mut body: Value = serde_json::from_str(NOW).unwrap();
    body["metadata"] = json!({"access_token": "tok_planted"});
    import(&world, &line("ws_night", body, json!({"kind": "timeout", "at": t0().plus_seconds(30).to_string()}))).await;
    call(&desk, "tie_workspace", json!({"name": "ws_night", "tie": true})).await;
    let refused = desk.call("ask_again", json!({"job": "night-7"})).await.unwrap_err();
    assert_eq!(refused.code, Code::Refused);
    assert!(refused.message.contains("masked"), "{}", refused.message);
    assert_eq!(world.posts(), 0);
}

#[tokio::test]
async fn after_a_restart_what_is_unknown_comes_first() {
    let world = World::start().await;
    let job = lost(&world, Deed::CutBefore).await;
    // Later, and of the kinds that need a person too.
    world.fault(answered(400, None, None), 1);
    let stopped = world.submit(&NOW.replace("six", "seven")).await.unwrap();
    assert_eq!(stopped.judged.state, State::Stopped);
    world.pass(26 * 3_600).await;
    let desk = desk(&world).await;
    let page = call(&desk, "posts", json!({})).await;
    let rows: Vec<_> = page["rows"].as_array().unwrap().iter().map(|row| (&row["job"], &row["state"])).collect();
    assert_eq!(rows[0], (&json!(job), &json!("unknown")), "{rows:?}");
    assert_eq!(rows[1].1, "stopped");
    let first = call(&desk, "posts", json!({"limit": 1})).await;
    let second = call(&desk, "posts", json!({"limit": 1, "after": first["next"]})).await;
    assert_eq!((&first["rows"][0]["state"], &second["rows"][0]["state"]), (&json!("unknown"), &json!("stopped")));
}

#[tokio::test]
async fn answers_are_read_aloud() {
    let world = World::start().await;
    let desk = desk(&world).await;
    for (deed, kind) in [
        (answered(429, Some(20), None), "rate_limited"),
        (answered(503, Some(20), None), "busy"),
        (answered(400, None, Some("bad_time")), "refused"),
        (answered(409, Some(20), Some("idempotency_conflict")), "in_progress"),
        (Deed::CutBefore, "lost"),
    ] {
        world.fault(deed, 1);
        let text = format!("Lanterns for {kind}, at six.");
        let view = world.submit(&NOW.replace("Lanterns are lit at six.", &text)).await.unwrap();
        let detail = call(&desk, "job", json!({"job": view.facts.mark.as_str()})).await;
        let card = &detail["facts"]["answer"];
        assert_eq!(card["kind"], kind, "{detail}");
        assert_eq!(detail["row"]["answer"], kind);
        assert_eq!(
            card["until"]["text"].is_string(),
            ["rate_limited", "busy", "in_progress"].contains(&kind),
            "{card}"
        );
        assert_eq!(card["mend"].is_string(), kind == "refused", "{card}");
        assert_eq!(card["sent_text"], text.as_str());
        assert_eq!(detail["facts"]["key"]["phase"], "safe", "{detail}");
    }

    let made = world.submit_with(POST, Some("lantern-1"), None).await.unwrap();
    let first = call(&desk, "job", json!({"job": made.facts.mark.as_str()})).await;
    assert_eq!(first["facts"]["answer"]["kind"], "created");
    assert_eq!(first["facts"]["answer"]["their_text"], "Lanterns are lit at six.");
    assert_eq!(first["facts"]["skew"]["matters"], false, "{first}");
    let key = &first["facts"]["key"];
    assert_eq!(key["since"]["text"], "2026-03-02T09:00:00Z");
    assert_eq!(key["sure_until"]["text"], "2026-03-03T08:45:00Z");
    assert_eq!(key["safe_until"]["text"], "2026-03-03T05:00:00Z");
    assert_eq!(key["gone_from"]["text"], "2026-03-03T09:15:00Z");

    // What is not safe has the post looked at first, which the wait holds back, too.
    world.pass(60).await;
    let again = world.submit_confirmed(POST, None, reprise_core::outbound::forecast::Effect::RefusedSameContent).await;
    let there = call(&desk, "job", json!({"job": again.unwrap().facts.mark.as_str()})).await;
    let card = &there["facts"]["answer"];
    assert_eq!((&card["kind"], &card["post"]["post"]), (&json!("same_content"), &first["row"]["post"]), "{card}");
    assert_eq!(card["their_text"], "Lanterns are lit at six.");

    let other = POST.replace("six", "nine");
    let effect = reprise_core::outbound::forecast::Effect::ReturnsExisting;
    let reused = world.submit_confirmed(&other, Some("lantern-1"), effect).await.unwrap();
    let replayed = call(&desk, "job", json!({"job": reused.facts.mark.as_str()})).await;
    let card = &replayed["facts"]["answer"];
    assert_eq!(card["kind"], "replayed_other", "{card}");
    assert_eq!(
        (&card["sent_text"], &card["their_text"]),
        (&json!("Lanterns are lit at nine."), &json!("Lanterns are lit at six."))
    );
    assert_eq!(card["first_call"]["job"], made.facts.mark.as_str());

    // What Pozy asked to wait for is over. Then the clocks drift: ours stands still, Pozy's goes on.
    world.pass(30).await;
    world.sandbox.advance(std::time::Duration::from_secs(240)).await.unwrap();
    let post = PostId::new(first["row"]["post"].as_str().unwrap());
    call(&desk, "fetch", json!({"post": post.as_str()})).await;
    let later = call(&desk, "job", json!({"job": made.facts.mark.as_str()})).await;
    assert_eq!(
        (&later["facts"]["skew"]["ahead_ms"], &later["facts"]["skew"]["matters"]),
        (&json!(240_000), &json!(true)),
        "{later}"
    );
}

/// A message comes in live.
pub(super) async fn deliver(receiver: &str, body: &Value) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let answer = client.post(receiver).body(body.to_string()).send().await.unwrap();
    assert_eq!(answer.status(), 204);
}

/// Two events of one account at one instant that say different things, delivered live.
async fn deliver_a_tie(receiver: &str) {
    for (id, name) in [("ev_1", "account.disconnected"), ("ev_2", "account.connected")] {
        let body = json!({"id": id, "event": name, "timestamp": "2026-03-02T09:00:00Z",
                          "account": {"accountId": "ac_li"}});
        deliver(receiver, &body).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tie_is_fetched_by_rule_and_the_account_is_what_pozy_says() {
    let world = World::start().await;
    // The account is known to Pozy from its first post on.
    world.submit(POST).await.unwrap();
    world.pass(60).await;
    let desk = desk_that(&world, Runs::On("127.0.0.1:0".parse().unwrap())).await;
    deliver_a_tie(&desk.ears().await.url.unwrap()).await;
    let lane = || async {
        let lanes = reprise_core::store::listing::lanes(world.store.pool(), None, 50).await.unwrap();
        lanes.into_iter().find(|lane| lane.lane.as_str() == "account:ac_li").unwrap()
    };
    let mut tries = 0;
    let settled = loop {
        let lane = lane().await;
        if !lane.tie {
            break lane;
        }
        tries += 1;
        assert!(tries < 200, "nobody fetched it: {lane:?}");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    };
    assert_eq!((settled.status.as_deref(), settled.wants_fetch), (Some("connected"), false));
    assert!(settled.confirmed.is_some());
    desk.close().await;
}

#[tokio::test]
async fn what_was_planned_for_a_time_in_which_nobody_listened_is_offered() {
    let world = World::start().await;
    let desk = desk(&world).await;
    let (began, ended) = (t0(), t0().plus_seconds(60));
    let workspace = world.connection.workspace;
    world
        .store
        .write(move |connection| {
            use reprise_core::store::sessions;
            let session = sessions::begin(connection, "127.0.0.1:1", Some(workspace), began)?;
            sessions::end(connection, session, ended)
        })
        .await
        .unwrap();
    let soon = POST.replace("2031-05-06T09:00:00", "2026-03-02T11:00:00");
    let post = world.submit(&soon).await.unwrap().judged.post.unwrap();
    world.submit(&POST.replace("six", "eight")).await.unwrap();
    assert_eq!(call(&desk, "looks", json!({})).await["rows"], json!([]), "its time has not come");
    world.pass(6 * 3_600).await;
    let looks = call(&desk, "looks", json!({})).await;
    assert_eq!(looks["rows"].as_array().unwrap().len(), 1, "{looks}");
    assert_eq!((&looks["rows"][0]["post"], &looks["rows"][0]["why"]), (&json!(post.as_str()), &json!("gap")));
    assert_eq!(looks["rows"][0]["by_itself_at"], Value::Null, "only a person asks for it");
    call(&desk, "fetch", json!({"post": post.as_str()})).await;
    assert_eq!(call(&desk, "looks", json!({})).await["rows"], json!([]), "Pozy told how it stands");
}

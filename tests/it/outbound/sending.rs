//! Lost answers, waits, restarts, two senders: one post each time (scenarios S8, S13).

use std::collections::BTreeMap;

use pozy_sandbox::Deed;
use reprise_core::{
    outbound::{
        background::Loop,
        foretell::Consent,
        job::EndKind,
        outcome::{Outcome, State},
        resend, sender,
    },
    store::{Store, attempts},
};

use super::world::{POST, World, connect, t0};

fn status(status: u16, retry_after: Option<&str>) -> Deed {
    let retry_after = retry_after.map(Into::into);
    Deed::Status { status, retry_after, code: None, body: None, headers: BTreeMap::new() }
}

fn sender(world: &World) -> Loop {
    sender::start(world.store.clone(), world.clock.clone(), world.connection.clone())
}

#[tokio::test]
async fn a_good_answer_settles_at_once() {
    let world = World::start().await;
    let view = world.submit(POST).await.unwrap();
    let line = view.line();
    assert_eq!((line.state, line.outcome, line.created_by_attempt), (State::Done, Outcome::Created, Some(1)));
    assert_eq!(line.key_expires_at, Some(t0().plus_seconds(86_400)));
    let ledger = world.sandbox.ledger();
    assert_eq!((ledger.posts.len(), ledger.keys.len()), (1, 1));
    assert_eq!(line.post.unwrap().as_str(), ledger.posts[0]["_id"]);
    let tried = attempts::of_job(world.store.pool(), view.facts.id).await.unwrap();
    assert_eq!(tried[0].body.as_deref(), Some(POST.as_bytes()), "the very bytes");
}

#[tokio::test]
async fn an_answer_cut_after_the_work_is_asked_again_and_attempt_1_made_it() {
    let world = World::start().await;
    let sender = sender(&world);
    world.fault(Deed::CutAfter, 1);
    let lost = world.submit(POST).await.unwrap();
    assert_eq!((lost.judged.state, lost.judged.outcome), (State::Waiting, Outcome::Unknown));
    assert_eq!(lost.judged.next_at, Some(t0().plus_seconds(1)));
    let line = world.until(&lost.facts.mark, State::Done).await.line();
    assert_eq!((line.attempts, line.created_by_attempt, line.outcome), (2, Some(1), Outcome::Replayed));
    assert_eq!(line.warnings, []);
    let ledger = world.sandbox.ledger();
    assert_eq!((ledger.posts.len(), ledger.keys.len()), (1, 1));
    sender.stop().await;
}

#[tokio::test]
async fn cut_before_the_work_then_503_then_created_by_attempt_3() {
    let world = World::start().await;
    let sender = sender(&world);
    world.fault(Deed::CutBefore, 1);
    world.fault(status(503, None), 1);
    let mark = world.submit(POST).await.unwrap().facts.mark;
    let view = world.until(&mark, State::Done).await;
    assert_eq!((view.line().attempts, view.judged.created_by_attempt), (3, Some(3)));
    let waits: Vec<_> =
        view.facts.attempts.windows(2).map(|pair| pair[1].at.ms_since(pair[0].end.as_ref().unwrap().at)).collect();
    assert!(waits[0] >= 1_000 && waits[1] >= 2_000, "1, then 2 s: {waits:?}");
    assert_eq!(world.posts(), 1);
    sender.stop().await;
}

#[tokio::test]
async fn a_wait_is_kept_through_a_restart_and_never_early() {
    let world = World::start().await;
    world.fault(status(503, Some("6")), 1);
    let mark = world.submit(POST).await.unwrap().facts.mark;
    for seconds in [0, 3, 2] {
        world.pass(seconds).await;
        let store = Store::open(world.dir.path()).await.unwrap();
        let restarted = sender::start(store.clone(), world.clock.clone(), world.connection.clone());
        tokio::time::sleep(std::time::Duration::from_millis(400)).await;
        restarted.stop().await;
        store.close().await;
        let view = world.view(&mark).await;
        assert_eq!((view.judged.state, view.facts.attempts.len()), (State::Waiting, 1), "5 of 6 s are not enough");
    }
    let sender = sender(&world);
    let line = world.until(&mark, State::Done).await.line();
    assert_eq!((line.attempts, line.created_by_attempt), (2, Some(2)));
    assert_eq!(world.posts(), 1);
    sender.stop().await;
}

#[tokio::test]
async fn a_conflict_waits_as_told_and_asks_with_the_same_key() {
    let world = World::start().await;
    let sender = sender(&world);
    let conflict = Deed::Status {
        status: 409,
        retry_after: Some("7".into()),
        code: Some("idempotency_conflict".to_owned()),
        body: None,
        headers: BTreeMap::new(),
    };
    world.fault(conflict, 1);
    let first = world.submit(POST).await.unwrap();
    assert_eq!(first.judged.next_at, Some(t0().plus_seconds(7)));
    let view = world.until(&first.facts.mark, State::Done).await;
    assert!(view.facts.attempts[1].at >= t0().plus_seconds(7));
    assert_eq!(view.facts.attempts[0].key, view.facts.attempts[1].key);
    assert_eq!(view.facts.attempts[0].body, view.facts.attempts[1].body);
    sender.stop().await;
}

#[tokio::test]
async fn two_programs_on_one_log_send_each_try_once() {
    let world = World::start().await;
    let second = Store::open(world.dir.path()).await.unwrap();
    let (one, two) = (sender(&world), sender::start(second, world.clock.clone(), world.connection.clone()));
    let mut marks = Vec::new();
    for n in 0..12 {
        world.fault(if n % 2 == 0 { Deed::CutAfter } else { status(503, None) }, 1);
        marks.push(
            world.submit(&POST.replace("six", &char::from(b'a' + n).to_string().repeat(20))).await.unwrap().facts.mark,
        );
    }
    for mark in marks {
        let view = world.until(&mark, State::Done).await;
        assert_eq!(view.facts.attempts.len(), 2, "one try by each plan, whoever makes it");
        let tried = attempts::of_job(world.store.pool(), view.facts.id).await.unwrap();
        assert!(tried[0].at >= view.facts.created, "stored before the first byte left");
        assert_eq!((&tried[0].key, &tried[0].request_id), (&tried[1].key, &tried[1].request_id));
        assert!(tried[0].key.is_some() && tried[0].request_id.is_some());
        assert_eq!(tried[0].body, tried[1].body, "the same bytes");
    }
    assert_eq!(world.posts(), 12);
    one.stop().await;
    two.stop().await;
}

#[tokio::test]
async fn what_another_program_submits_is_asked_again_here() {
    let world = World::start().await;
    let here = sender(&world);
    let other = Store::open(world.dir.path()).await.unwrap();
    let theirs = connect(&other, &world.clock, world.sandbox.url(), world.sandbox.api_key()).await;
    assert_eq!(theirs.workspace, world.connection.workspace, "one connection, one workspace");
    world.fault(Deed::CutAfter, 1);
    let elsewhere = World { store: other, connection: theirs, ..world };
    let mark = elsewhere.submit(POST).await.unwrap().facts.mark;
    assert_eq!(elsewhere.until(&mark, State::Done).await.facts.attempts.len(), 2);
    here.stop().await;
}

#[tokio::test]
async fn a_connection_that_cannot_be_made_sent_nothing() {
    let world = World::start().await;
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nowhere = connect(&world.store, &world.clock, &format!("http://{free}"), "sk_plum").await;
    let world = World { connection: nowhere, ..world };
    let view = world.submit(POST).await.unwrap();
    assert_eq!((view.judged.state, view.judged.outcome), (State::Waiting, Outcome::None));
    assert_eq!(view.facts.attempts[0].end.as_ref().unwrap().kind, EndKind::NotSent);
    world.clock.set(t0().plus_seconds(25 * 3_600));
    assert_eq!(world.view(&view.facts.mark).await.judged.state, State::Draft, "nothing ever left: not unknown");
}

#[tokio::test]
async fn an_answer_that_does_not_come_in_time_is_lost() {
    let world = World::start().await;
    let mut connection = world.connection.clone();
    connection.client = connection.client.with_patience(std::time::Duration::from_millis(300));
    let world = World { connection, ..world };
    world.fault(Deed::Stall { seconds: 60.0 }, 1);
    let view = world.submit(POST).await.unwrap();
    assert_eq!(view.facts.attempts[0].end.as_ref().unwrap().kind, EndKind::Timeout);
    assert_eq!((view.judged.state, view.judged.outcome), (State::Waiting, Outcome::Unknown));
    world.pass(1).await;
    let settled = sender::until_settled(&world.store, &world.clock, &world.connection, &view.facts.mark).await.unwrap();
    assert_eq!((settled.judged.state, settled.judged.created_by_attempt), (State::Done, Some(1)));
    assert_eq!(world.posts(), 1);
}

#[tokio::test]
async fn a_try_under_way_is_sending_for_everybody_and_nobody_else_sends_it() {
    let world = World::start().await;
    world.fault(Deed::Stall { seconds: 2.0 }, 1);
    let sender = sender(&world);
    let (store, clock, connection) = (world.store.clone(), world.clock.clone(), world.connection.clone());
    let draft = reprise_core::outbound::submit::Draft {
        path: "/v1/posts".to_owned(),
        key: None,
        body: POST.as_bytes().to_vec(),
        form: Some("form".to_owned()),
    };
    let submitted = tokio::spawn(async move {
        reprise_core::outbound::submit::submit(&store, &clock, &connection, draft, Consent::Safe).await
    });
    let view = loop {
        let jobs = reprise_core::store::job_facts::ascending(world.store.pool(), None, 10).await.unwrap();
        if let Some(facts) = jobs.into_iter().find(|facts| facts.is_open()) {
            break world.view(&facts.mark).await;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    };
    assert_eq!((view.judged.state, view.judged.outcome), (State::Sending, Outcome::Unknown));
    let busy = resend::ask_again(&world.store, &world.clock, &world.connection, &view.facts.mark, Consent::Safe)
        .await
        .unwrap_err();
    assert_eq!(busy.code, reprise_core::error::Code::Busy);
    let again = world.submit_with(POST, None, Some("form")).await.unwrap();
    assert_eq!((again.facts.mark, again.judged.state), (view.facts.mark, State::Sending), "a double click");
    assert_eq!(submitted.await.unwrap().unwrap().judged.state, State::Done);
    assert_eq!(world.posts(), 1);
    sender.stop().await;
}

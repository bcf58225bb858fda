//! What is refused before it is sent, what an answer stops, and what never leaves this computer.

use std::{collections::BTreeMap, time::Duration};

use pozy_sandbox::Deed;
use reprise_core::{
    error::Code,
    outbound::{
        forecast::Effect,
        foretell::Consent,
        lock::JobLock,
        outcome::{Outcome, State, Warning},
        resend, sender,
        submit::{Draft, submit},
    },
    store::job_facts,
};
use rstest::rstest;

use super::world::{POST, World, bytes_under, connect, t0};

fn status(status: u16, headers: &[(&str, &str)]) -> Deed {
    let headers: BTreeMap<_, _> = headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    Deed::Status { status, retry_after: None, code: None, body: None, headers }
}

#[rstest]
#[case::wrong(400, State::Stopped, Outcome::Rejected)]
#[case::unknown_key(401, State::Stopped, Outcome::Rejected)]
#[case::missing(404, State::Stopped, Outcome::Rejected)]
#[case::key_elsewhere(422, State::Stopped, Outcome::Rejected)]
#[case::moved(301, State::Stopped, Outcome::Rejected)]
#[case::partly(207, State::Done, Outcome::Created)]
#[case::still_saving(202, State::Waiting, Outcome::Unknown)]
#[case::slow(408, State::Waiting, Outcome::Unknown)]
#[case::limited(429, State::Waiting, Outcome::Unknown)]
#[case::broken(500, State::Waiting, Outcome::Unknown)]
#[tokio::test]
async fn one_answer(#[case] code: u16, #[case] state: State, #[case] outcome: Outcome) {
    let world = World::start().await;
    world.fault(status(code, &[("location", "/sandbox/ledger")]), 1);
    let view = world.submit(POST).await.unwrap();
    assert_eq!((view.judged.state, view.judged.outcome), (state, outcome));
    assert_eq!(view.facts.attempts[0].end.as_ref().unwrap().status, Some(code), "never followed");
    assert_eq!(world.posts(), 0);
}

#[tokio::test]
async fn the_same_content_is_refused_and_linked() {
    let world = World::start().await;
    let first = world.submit(POST).await.unwrap();
    let no = world.submit(POST).await.unwrap_err();
    assert_eq!((no.code, world.posts()), (Code::Refused, 1), "not sent without a word");
    let second = world.submit_confirmed(POST, None, Effect::RefusedSameContent).await.unwrap();
    assert_eq!((second.judged.state, second.judged.outcome), (State::Refused, Outcome::Refused));
    assert_eq!(second.judged.post, first.judged.post, "the post that is there already");
    assert_eq!((second.judged.next_at, world.posts()), (None, 1));
}

#[tokio::test]
async fn a_key_of_another_job_gives_its_post_back_with_a_warning() {
    let world = World::start().await;
    let first = world.submit_with(POST, Some("run-77"), None).await.unwrap();
    let seven = POST.replace("six", "seven");
    assert!(world.submit_with(&seven, Some("run-77"), None).await.is_err(), "they would never go out");
    let second = world.submit_confirmed(&seven, Some("run-77"), Effect::ReturnsExisting).await.unwrap();
    assert_eq!(second.judged.post, first.judged.post);
    assert_eq!(second.judged.warnings, [Warning::KeyUsedForSomethingElse]);
    assert_eq!((second.judged.created_by_attempt, world.posts()), (None, 1));
    world.pass(20 * 3_600 + 1).await;
    let eight = POST.replace("six", "eight");
    let third = world.submit_confirmed(&eight, Some("run-77"), Effect::ReturnsExisting).await.unwrap_err();
    assert_eq!(third.code, Code::Refused, "Pozy may have forgotten that key");
    assert_eq!(job_facts::ascending(world.store.pool(), None, 10).await.unwrap().len(), 2, "nothing of it is kept");
}

#[rstest]
#[case::too_long(&"s".repeat(256))]
#[case::accent("cl\u{e9}")]
#[case::line("a\nb")]
#[case::empty("")]
#[tokio::test]
async fn a_key_that_cannot_be_sent_stores_and_sends_nothing(#[case] key: &str) {
    let world = World::start().await;
    assert_eq!(world.submit_with(POST, Some(key), None).await.unwrap_err().code, Code::Usage);
    assert_eq!(job_facts::ascending(world.store.pool(), None, 10).await.unwrap().len(), 0);
    assert_eq!(world.posts(), 0);
    let longest = "r".repeat(255);
    assert_eq!(world.submit_with(POST, Some(&longest), None).await.unwrap().judged.state, State::Done);
}

#[tokio::test]
async fn asking_again_gives_the_post_back_until_the_key_may_end() {
    let world = World::start().await;
    let made = world.submit(POST).await.unwrap();
    let mark = &made.facts.mark;
    world.pass(2 * 3_600).await;
    let again = resend::ask_again(&world.store, &world.clock, &world.connection, mark, Consent::Safe).await.unwrap();
    assert_eq!((again.judged.outcome, again.judged.created_by_attempt), (Outcome::Replayed, Some(1)));
    assert_eq!((again.judged.post, again.facts.attempts.len()), (made.judged.post, 2));
    world.pass(22 * 3_600 - 600).await;
    let late = resend::ask_again(&world.store, &world.clock, &world.connection, mark, Consent::Safe).await.unwrap_err();
    assert_eq!(late.code, Code::Refused);
    assert!(late.message.contains("too close to call"), "{}", late.message);
    assert_eq!((world.view(mark).await.facts.attempts.len(), world.posts()), (2, 1));
}

#[tokio::test]
async fn a_job_is_sent_only_through_its_own_connection_and_api_key() {
    let world = World::start().await;
    world.fault(Deed::CutBefore, 1);
    let mark = world.submit(POST).await.unwrap().facts.mark;
    world.pass(60).await;
    let (_, other_key) = world.sandbox.add_api_key(None).unwrap();
    let other = connect(&world.store, &world.clock, world.sandbox.url(), &other_key).await;
    assert_ne!(other.workspace, world.connection.workspace);
    let sender = sender::start(world.store.clone(), world.clock.clone(), other.clone());
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    sender.stop().await;
    assert_eq!(world.view(&mark).await.facts.attempts.len(), 1, "not its job");
    let no = resend::ask_again(&world.store, &world.clock, &other, &mark, Consent::Safe).await.unwrap_err();
    assert_eq!(no.code, Code::Refused);

    // The same row with another key behind it: still nobody said that it is the same workspace.
    let rotated = reprise_core::outbound::connection::Connection { workspace: world.connection.workspace, ..other };
    let no = resend::ask_again(&world.store, &world.clock, &rotated, &mark, Consent::Safe).await.unwrap_err();
    assert!(no.message.contains("another API key"), "{}", no.message);
    assert_eq!(world.posts(), 0);
}

#[tokio::test]
async fn a_waiting_job_is_stopped_by_a_person() {
    let world = World::start().await;
    world.fault(Deed::CutAfter, 1);
    let mark = world.submit(POST).await.unwrap().facts.mark;
    let contract = &world.connection.contract;
    let stopped = resend::cancel(&world.store, &world.clock, contract, &mark).await.unwrap();
    assert_eq!((stopped.judged.state, stopped.judged.outcome), (State::Cancelled, Outcome::Unknown));
    let sender = sender::start(world.store.clone(), world.clock.clone(), world.connection.clone());
    world.pass(60).await;
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    sender.stop().await;
    assert_eq!(world.view(&mark).await.facts.attempts.len(), 1, "nothing more is sent by itself");
    let twice = resend::cancel(&world.store, &world.clock, contract, &mark).await.unwrap_err();
    assert_eq!(twice.code, Code::Refused);
    let again = resend::ask_again(&world.store, &world.clock, &world.connection, &mark, Consent::Safe).await.unwrap();
    assert_eq!((again.judged.state, again.judged.created_by_attempt, world.posts()), (State::Done, Some(1), 1));
}

#[tokio::test]
async fn a_double_click_sends_once() {
    let world = World::start().await;
    let clicks = futures_of(&world).await;
    assert_eq!(clicks[0], clicks[1]);
    assert_eq!(world.posts(), 1);
    assert_eq!(job_facts::ascending(world.store.pool(), None, 10).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_second_click_waits_for_the_row_of_the_first() {
    let world = World::start().await;
    let mark = world.submit_with(POST, None, Some("form-2")).await.unwrap().facts.mark;
    let other = World::start().await;
    // Who holds the lock has written nothing and writes nothing.
    let held = JobLock::take(other.store.dir(), &mark).await.unwrap();
    let click = other.submit_with(POST, None, Some("form-2"));
    let free = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(other.posts(), 0);
        drop(held);
    };
    let (made, ()) = tokio::join!(click, free);
    assert_eq!((made.unwrap().facts.mark, other.posts()), (mark, 1));
}

async fn futures_of(world: &World) -> Vec<reprise_core::ids::JobMark> {
    let (one, two) =
        tokio::join!(world.submit_with(POST, None, Some("form-1")), world.submit_with(POST, None, Some("form-1")));
    vec![one.unwrap().facts.mark, two.unwrap().facts.mark]
}

#[tokio::test]
async fn the_api_key_and_secrets_of_answers_are_nowhere_on_disk() {
    let world = World::start().await;
    world.fault(status(429, &[("set-cookie", "session=plum-tart")]), 1);
    world.submit(POST).await.unwrap();
    world.submit(&POST.replace("six", "nine")).await.unwrap();
    let on_disk = bytes_under(world.dir.path());
    let has = |needle: &[u8]| on_disk.windows(needle.len()).any(|window| window == needle);
    assert!(has(b"idempotent") || has(b"waiting") || has(b"set-cookie"), "the log is in reach");
    assert!(!has(world.sandbox.api_key().as_bytes()) && !has(b"plum-tart"));
}

#[tokio::test]
async fn a_sandbox_is_known_by_its_answers() {
    let world = World::start().await;
    assert!(world.connection.client.is_sandbox().await.unwrap());
    let elsewhere = connect(&world.store, &world.clock, "https://api.example.invalid", "sk_plum").await;
    assert!(!elsewhere.client.is_sandbox().await.unwrap(), "not asked at all beyond loopback");
    assert!(world.connection.client.webhooks().await.unwrap().is_empty());
    let secret = reprise_core::secrets::Secret::new("whs").unwrap();
    let client = &world.connection.client;
    let first = client.register_webhook("desk", "http://127.0.0.1:9/hooks/pozy", Some(&secret), &[]).await;
    let second = client.register_webhook("desk", "http://127.0.0.1:10/hooks/pozy", Some(&secret), &[]).await;
    assert_eq!(first.unwrap(), second.unwrap(), "in place of the older one");
    assert_eq!(client.webhooks().await.unwrap()[0].url, "http://127.0.0.1:10/hooks/pozy");
}

#[rstest]
#[case::set_back_since(60, 0)]
#[case::fast_all_along(60, 60)]
#[case::far_away(1_000, 0)]
#[tokio::test]
async fn nearly_the_same_words_are_known_however_far_our_clock_was_off(#[case] first_h: i64, #[case] second_h: i64) {
    let world = World::start().await;
    world.clock.set(t0().plus_seconds(first_h * 3_600));
    world.submit(POST).await.unwrap();
    world.clock.set(t0().plus_seconds(second_h * 3_600 + 60));
    let no = world.submit(&POST.replace("six.", "six!")).await.unwrap_err();
    assert_eq!((no.code, world.posts()), (Code::Refused, 1), "{no}");
}

#[tokio::test]
async fn no_spelling_of_the_path_hides_a_second_post() {
    let world = World::start().await;
    world.submit(POST).await.unwrap();
    let near = POST.replace("six.", "six!");
    for path in ["/v1/posts?x=1", "/v1/posts/", "/v1/./posts", "/v1/media/../posts", "/v1//posts"] {
        let draft = Draft { path: path.to_owned(), key: None, body: near.as_bytes().to_vec(), form: None };
        let no = submit(&world.store, &world.clock, &world.connection, draft, Consent::Safe).await.unwrap_err();
        assert!(matches!(no.code, Code::Refused | Code::Usage), "{path}: {no}");
    }
    assert_eq!(world.posts(), 1);
}

//! What was set aside for its signature takes its place once the secret is mended, as if it had been valid when it came.

use std::sync::Arc;

use reprise_core::{
    clock::Clock,
    error::Code,
    export,
    import::{
        log::{Order, import},
        progress::Progress,
    },
    inbound::{again, listener::Setup},
    pozy::secrecy::Own,
    secrets::Secret,
    store::{Store, listing, set_aside},
};

use super::desk::{Desk, SECRET, sign};

/// One message: its id, its kind, when it happened.
fn told(id: &str, name: &str, second: u8) -> String {
    serde_json::json!({"id": id, "event": name, "timestamp": format!("2026-03-02T10:00:{second:02}Z"),
                       "account": {"accountId": "ac_quay", "platform": "linkedin"}})
    .to_string()
}

/// A late one, a copy, a test, one that cannot be read: everything that judging tells apart.
fn messages() -> Vec<String> {
    let newer = told("ev_newer", "account.connected", 30);
    vec![
        newer.clone(),
        told("ev_older", "account.disconnected", 10),
        newer,
        r#"{"id":"ev_test","event":"webhook.test","test":true,"timestamp":"2026-03-02T10:00:40Z"}"#.to_owned(),
        "not json".to_owned(),
    ]
}

fn secrets(text: &str) -> Vec<Secret> {
    Secret::new(text).into_iter().collect()
}

/// What is known after all: every arrival in its order, every event, every lane.
async fn known(store: &Store) -> Vec<String> {
    let pool = store.pool();
    let mut all = Vec::new();
    for row in listing::arrivals(pool, None, 1_000).await.unwrap() {
        all.push(format!("{:?} {} {} {}", row.event, row.standing, row.copy, row.signature));
    }
    let mut events: Vec<String> = Vec::new();
    for row in listing::events(pool, None, 1_000).await.unwrap() {
        events.push(format!("{} {} {} {:?} {}", row.event, row.placing, row.applied, row.overtaken_by, row.arrivals));
    }
    events.sort();
    all.extend(events);
    for row in listing::lanes(pool, None, 1_000).await.unwrap() {
        all.push(format!("{} {:?} {:?} {:?}", row.lane, row.status, row.event, row.as_of));
    }
    all
}

async fn receive(desk: &Desk, secret: &str, bodies: &[String]) {
    let before = desk.number("SELECT count(*) FROM answers").await;
    let receiver = desk.listen_with(Setup::new("127.0.0.1:0".parse().unwrap(), secrets(secret))).await;
    for body in bodies {
        desk.post(receiver.url(), body).await;
    }
    receiver.stop().await.unwrap();
    let after = desk.number("SELECT count(*) FROM answers").await;
    assert_eq!(after - before, i64::try_from(bodies.len()).unwrap());
}

#[tokio::test]
async fn verified_later_is_known_as_if_it_was_verified_at_once() {
    let (at_once, later) = (Desk::open().await, Desk::open().await);
    receive(&at_once, SECRET, &messages()).await;
    receive(&later, "the one of last year", &messages()).await;
    assert_eq!(set_aside::count(later.store.pool(), 100).await.unwrap(), 5);
    assert!(later.events().await.is_empty());

    let wrong = again::verify_again(&later.store, &secrets("another one"), &later.pozy).await.unwrap();
    assert_eq!((wrong.looked, wrong.valid), (5, 0));
    assert!(later.events().await.is_empty());
    let none = again::verify_again(&later.store, &[], &later.pozy).await.unwrap_err();
    assert_eq!(none.code, Code::Refused);

    let right = again::verify_again(&later.store, &secrets(SECRET), &later.pozy).await.unwrap();
    assert_eq!((right.looked, right.valid), (5, 5));
    assert_eq!(known(&later.store).await, known(&at_once.store).await);
    let rows = later.arrivals().await;
    assert!(
        rows.iter().all(|row| row.flags.contains(&"verified_later".to_owned())),
        "each says that it came to count later"
    );
    assert!(rows.iter().all(|row| row.answer == Some(401) && row.took_ms.is_some()), "what was answered stays");
    assert_eq!(later.number("SELECT count(*) FROM arrivals WHERE signature = 'invalid'").await, 5, "as they came");

    let nothing = again::verify_again(&later.store, &secrets(SECRET), &later.pozy).await.unwrap();
    assert_eq!((nothing.looked, nothing.valid), (0, 0), "a second time finds nothing left");
}

#[tokio::test]
async fn older_news_takes_its_place_among_what_came_meanwhile_and_a_forgery_stays_aside() {
    let (at_once, later) = (Desk::open().await, Desk::open().await);
    let all = messages();
    let (before, after) = all.split_at(1);
    receive(&at_once, SECRET, &all).await;
    receive(&later, "the one of last year", before).await;
    receive(&later, SECRET, after).await;
    let forger = later.listen().await;
    let forged = told("ev_forged", "account.disconnected", 50);
    let request = later.client.post(forger.url()).header("X-Pozy-Signature", sign("a guess", &forged)).body(forged);
    assert_eq!(request.send().await.unwrap().status(), 401);
    forger.stop().await.unwrap();

    let checked = again::verify_again(&later.store, &secrets(SECRET), &later.pozy).await.unwrap();
    assert_eq!((checked.looked, checked.valid), (2, 1));
    let mut expected = known(&at_once.store).await;
    expected.insert(5, r#"Some("ev_forged") quarantined 0 invalid"#.to_owned());
    let found = known(&later.store).await;
    assert_eq!(found.len(), expected.len());
    let same = |line: &&String| !line.contains("ev_forged");
    assert_eq!(found.iter().filter(same).collect::<Vec<_>>(), expected.iter().filter(same).collect::<Vec<_>>());
    assert_eq!(set_aside::count(later.store.pool(), 100).await.unwrap(), 1);
}

#[tokio::test]
async fn a_log_with_such_arrivals_comes_back_from_its_export() {
    let desk = Desk::open().await;
    receive(&desk, "the one of last year", &messages()).await;
    again::verify_again(&desk.store, &secrets(SECRET), &desk.pozy).await.unwrap();
    let mut lines = String::new();
    let give = |line: &str| {
        lines.push_str(line);
        lines.push('\n');
        Ok(())
    };
    export::each_line(&desk.store, &Own::default(), give).await.unwrap();
    assert_eq!(lines.lines().count(), 5, "each arrival once");

    let read_in = async |into: &Desk| {
        let order = Order::plain("log.jsonl", reprise_core::ids::WorkspaceId(1));
        let from = std::io::Cursor::new(lines.clone().into_bytes());
        import(&into.store, &Clock::wall(), &into.pozy, order, from, &Arc::new(Progress::default())).await.unwrap()
    };
    let other = Desk::open().await;
    let report = read_in(&other).await;
    assert_eq!((report.added, report.known), (5, 0));
    assert_eq!(known(&other.store).await, known(&desk.store).await);
    let report = read_in(&desk).await;
    assert_eq!((report.added, report.known), (0, 5), "into itself it adds nothing");
}

//! What the receiver answers, what it logs, and whether it knows that its answer left.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    sync::Arc,
    time::Duration,
};

use reprise_core::{
    clock::{Clock, Moment},
    error::Code,
    ids::SessionId,
    inbound::{
        arrival::{Arrival, Request},
        listener::{Receiver, Setup},
        record::record,
        session::settle_killed,
        verify::Verified,
    },
    store::{listing, sessions},
};
use tokio::io::AsyncWriteExt as _;

use super::desk::{Desk, SECRET, account_event, sign};

#[tokio::test]
async fn an_arrival_is_on_disk_when_it_is_answered_and_its_answer_is_noted() {
    let desk = Desk::open().await;
    let receiver = desk.listen().await;
    let body = account_event("ev_1", "account.connected", "ac_1");
    assert_eq!(desk.post(receiver.url(), &body).await, 204);
    let rows = desk.arrivals().await;
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].signature.as_str(), rows[0].standing.as_str(), rows[0].answer), ("valid", "first", Some(204)));
    assert_eq!(rows[0].channel, "live");
    desk.until("SELECT count(*) FROM answers WHERE left_ns IS NOT NULL", 1).await;
    assert!(desk.arrivals().await[0].took_ms.is_some());

    assert_eq!(desk.post(receiver.url(), &body).await, 204);
    let copies = desk.arrivals().await;
    let cause = copies[1].cause.as_ref().unwrap();
    assert_eq!((copies[1].standing.as_str(), copies[1].copy), ("duplicate", 2));
    assert_eq!(cause.rests_on, Some(copies[0].seq));

    let detail = listing::arrival(desk.store.pool(), copies[0].seq).await.unwrap().unwrap();
    assert_eq!(detail.body.as_deref(), Some(body.as_bytes()));
    assert!(detail.headers.contains(&("x-pozy-signature".into(), sign(SECRET, &body))), "kept raw in the log");

    receiver.stop().await.unwrap();
    assert_eq!(desk.number("SELECT count(*) FROM sessions WHERE ended_ns IS NOT NULL").await, 1);
    assert_eq!(desk.number("SELECT count(*) FROM answers").await, 2);
}

#[tokio::test]
async fn bad_signatures_are_kept_answered_401_and_burn_no_id() {
    let desk = Desk::open().await;
    let receiver = desk.listen().await;
    let body = account_event("ev_real", "account.disconnected", "ac_1");
    let post = |signature: Option<String>| {
        let request = desk.client.post(receiver.url()).body(body.clone());
        match signature {
            Some(signature) => request.header("x-pozy-signature", signature),
            None => request,
        }
    };
    for signature in [Some(sign("not the secret", &body)), None, Some("00".into())] {
        assert_eq!(post(signature).send().await.unwrap().status(), 401);
    }
    let rows = desk.arrivals().await;
    assert!(rows.iter().all(|row| row.standing == "quarantined" && row.answer == Some(401) && row.copy == 0));
    assert_eq!(rows.iter().filter(|row| row.signature == "invalid").count(), 2);
    assert!(desk.events().await.is_empty());

    let honest = account_event("ev_real", "account.connected", "ac_1");
    assert_eq!(desk.post(receiver.url(), &honest).await, 204);
    let lanes = listing::lanes(desk.store.pool(), None, 10).await.unwrap();
    assert_eq!((lanes.len(), lanes[0].status.as_deref()), (1, Some("connected")));
    assert!(desk.events().await[0].applied);
    receiver.stop().await.unwrap();
}

#[tokio::test]
async fn two_secrets_are_valid_at_once() {
    let desk = Desk::open().await;
    let mut setup = desk.setup(true);
    setup.secrets.push(reprise_core::secrets::Secret::new("the one before").unwrap());
    let receiver = desk.listen_with(setup).await;
    let body = account_event("ev_1", "account.connected", "ac_1");
    let signed = desk.client.post(receiver.url()).header("x-pozy-signature", sign("the one before", &body)).body(body);
    assert_eq!(signed.send().await.unwrap().status(), 204);
    receiver.stop().await.unwrap();
}

#[tokio::test]
async fn other_methods_and_paths_are_refused_and_not_logged() {
    let desk = Desk::open().await;
    let receiver = desk.listen().await;
    let put = desk.client.put(receiver.url()).body("{}").send().await.unwrap();
    assert_eq!(put.status(), 405);
    assert_eq!(put.headers()["allow"], "POST");
    assert_eq!(desk.client.get(receiver.url()).send().await.unwrap().status(), 405);
    for path in ["/hooks/other", "/", "/hooks/pozy/more"] {
        let url = format!("http://{}{path}", receiver.address());
        assert_eq!(desk.post(&url, "{}").await, 404, "{path}");
    }
    receiver.stop().await.unwrap();
    assert!(desk.arrivals().await.is_empty());
}

#[tokio::test]
async fn bodies_of_all_kinds_leave_a_row_and_move_nothing() {
    let desk = Desk::open().await;
    let receiver = desk.listen_with(desk.setup(false)).await;
    let deep = "[".repeat(5_000) + &"]".repeat(5_000);
    for body in ["", "not json", r#"{"id":"ev_torn","#, &deep, "[1]", r#"{"event":"x"}"#, r#"{"id":"a","id":"b"}"#] {
        assert_eq!(desk.post(receiver.url(), body).await, 204, "{body}");
    }
    assert_eq!(desk.post(receiver.url(), &"x".repeat(5 << 20)).await, 413);
    let rows = desk.arrivals().await;
    assert_eq!(rows.len(), 8);
    assert!(rows.iter().all(|row| row.standing == "unreadable" && row.signature == "unchecked"));
    let large = rows.iter().find(|row| row.answer == Some(413)).unwrap();
    assert_eq!(large.flags, ["unreadable", "too_large"]);
    let detail = listing::arrival(desk.store.pool(), large.seq).await.unwrap().unwrap();
    assert_eq!(detail.body, None);
    let empty = listing::arrival(desk.store.pool(), rows[0].seq).await.unwrap().unwrap();
    assert_eq!(empty.body.as_deref(), Some(&[][..]), "an empty body is known to be empty");
    assert!(desk.events().await.is_empty());
    assert_eq!(desk.post(receiver.url(), &account_event("ev_fine", "account.connected", "ac")).await, 204);
    assert_eq!(desk.events().await.len(), 1);
    receiver.stop().await.unwrap();
}

#[tokio::test]
async fn a_sender_that_is_too_slow_or_goes_away_leaves_no_row() {
    let desk = Desk::open().await;
    let receiver = desk.listen_with(Setup { read_within: Duration::from_millis(200), ..desk.setup(false) }).await;
    let address = receiver.address();
    let (slow, gone) = tokio::task::spawn_blocking(move || {
        let head = "POST /hooks/pozy HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{\"id\":";
        let mut slow = TcpStream::connect(address).unwrap();
        slow.write_all(head.as_bytes()).unwrap();
        let mut gone = TcpStream::connect(address).unwrap();
        gone.write_all(head.as_bytes()).unwrap();
        gone.shutdown(std::net::Shutdown::Write).unwrap();
        let answer = |mut socket: TcpStream| {
            let mut text = String::new();
            socket.read_to_string(&mut text).unwrap();
            text
        };
        (answer(slow), answer(gone))
    })
    .await
    .unwrap();
    assert!(slow.starts_with("HTTP/1.1 408"), "{slow}");
    assert!(!gone.starts_with("HTTP/1.1 2"), "{gone}");
    receiver.stop().await.unwrap();
    assert!(desk.arrivals().await.is_empty());
}

#[tokio::test]
async fn an_answer_nobody_waits_for_is_known_not_to_have_left() {
    let desk = Desk::open().await;
    let receiver = desk.listen_with(desk.setup(false)).await;
    let body = account_event("ev_1", "account.connected", "ac_1");
    let request = format!("POST /hooks/pozy HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    for patience in 1_u32.. {
        // The writer is held up, so that the sender goes away between its request and our answer.
        let (release, holding) = hold(&desk);
        let mut socket = tokio::net::TcpStream::connect(receiver.address()).await.unwrap();
        socket.write_all(request.as_bytes()).await.unwrap();
        // Nothing tells from outside when the request waits for the writer; a reset before that takes it along, and
        // then it is tried once more.
        tokio::time::sleep(patience * Duration::from_millis(100)).await;
        // A reset, so that no later write on the other side succeeds.
        socket.set_zero_linger().unwrap();
        drop(socket);
        release.send(()).unwrap();
        assert!(holding.await.unwrap().unwrap());
        desk.store.write(|_| Ok(())).await.unwrap();
        if desk.arrivals().await.len() == 1 {
            break;
        }
        assert!(patience < 20, "the request never came in");
    }
    desk.until("SELECT count(*) FROM answers WHERE left_ns IS NULL AND took_ms IS NOT NULL", 1).await;
    assert_eq!(desk.post(receiver.url(), &body).await, 204);
    let cause = desk.arrivals().await[1].cause.clone().unwrap();
    assert_eq!((cause.code.as_str(), cause.confidence.as_str()), ("failed_answer", "high"));
    receiver.stop().await.unwrap();
}

/// Holds up the writer until the sender is used.
fn hold(desk: &Desk) -> (std::sync::mpsc::Sender<()>, tokio::task::JoinHandle<reprise_core::error::Result<bool>>) {
    let (release, held) = std::sync::mpsc::channel::<()>();
    let store = desk.store.clone();
    (release, tokio::spawn(async move { store.write(move |_| Ok(held.recv().is_ok())).await }))
}

#[tokio::test(flavor = "multi_thread")]
async fn too_much_waiting_is_answered_503_at_once() {
    let desk = Desk::open().await;
    let receiver = desk.listen().await;
    let (release, holding) = hold(&desk);
    let mut waiting = Vec::new();
    for _ in 0..5_000 {
        let store = desk.store.clone();
        waiting.push(tokio::spawn(async move { store.write(|_| Ok(())).await }));
    }
    let body = account_event("ev_1", "account.connected", "ac_1");
    let refused = tokio::time::timeout(Duration::from_secs(10), async {
        loop {
            // While the queue still takes work, a request waits; one that finds it full is answered at once.
            let request = desk.client.post(receiver.url()).header("X-Pozy-Signature", sign(SECRET, &body));
            let answer = request.timeout(Duration::from_millis(300)).body(body.clone()).send().await;
            if let Ok(answer) = answer {
                return answer;
            }
        }
    });
    let refused = refused.await.unwrap();
    assert_eq!(refused.status(), 503);
    assert_eq!(refused.headers()["retry-after"], "1");
    release.send(()).unwrap();
    assert!(holding.await.unwrap().unwrap());
    for work in waiting {
        work.await.unwrap().unwrap();
    }
    assert_eq!(desk.post(receiver.url(), &body).await, 204);
    receiver.stop().await.unwrap();
}

#[tokio::test]
async fn answers_of_a_killed_receiver_never_left_and_a_running_one_is_left_alone() {
    let desk = Desk::open().await;
    let running = desk.listen().await;
    let pozy = Arc::clone(&desk.pozy);
    let at: Moment = "2026-03-02T10:00:00Z".parse().unwrap();
    let killed = desk
        .store
        .write(move |connection| {
            let session = sessions::begin(connection, "127.0.0.1:1", None, at)?;
            let body = account_event("ev_1", "account.connected", "ac_1");
            for seconds in [0, 20] {
                let request = Request {
                    at: at.plus_seconds(seconds),
                    endpoint: "pozy",
                    headers: &[],
                    body: Some(body.as_bytes()),
                    verified: Verified::Unchecked,
                };
                record(connection, &Arrival::live(session, &request, &pozy), &pozy)?;
            }
            sessions::beat(connection, session, at.plus_seconds(15))?;
            Ok(session)
        })
        .await
        .unwrap();
    assert_eq!(desk.arrivals().await[1].cause.as_ref().unwrap().code, "slow_answer", "as far as is known by then");
    settle_killed(&desk.store, &desk.pozy).await.unwrap();
    let cause = desk.arrivals().await[1].cause.clone().unwrap();
    assert_eq!((cause.code.as_str(), cause.confidence.as_str()), ("failed_answer", "high"));
    assert_eq!(
        ended(&desk, killed).await,
        Some(at.plus_seconds(15).0),
        "it surely listened until its last sign of life"
    );
    assert_eq!(desk.number("SELECT count(*) FROM sessions WHERE ended_ns IS NULL").await, 1);
    running.stop().await.unwrap();
    assert_eq!(desk.number("SELECT count(*) FROM sessions WHERE ended_ns IS NULL").await, 0);
}

async fn ended(desk: &Desk, session: SessionId) -> Option<i64> {
    use sqlx::Row as _;
    let query = sqlx::query("SELECT ended_ns FROM sessions WHERE id = ?").bind(session.0);
    query.fetch_one(desk.store.pool()).await.unwrap().get(0)
}

#[tokio::test]
async fn a_taken_port_and_the_open_world_without_a_secret_are_refused() {
    let desk = Desk::open().await;
    let receiver = desk.listen().await;
    let start = |setup| Receiver::start(desk.store.clone(), Clock::wall(), Arc::clone(&desk.pozy), setup);
    let taken = start(Setup { address: receiver.address(), ..desk.setup(true) }).await.unwrap_err();
    assert_eq!(taken.code, Code::Busy);
    assert!(taken.message.contains("is taken by another program"), "{}", taken.message);
    let open: std::net::SocketAddr = "0.0.0.0:0".parse().unwrap();
    let refused = start(Setup { address: open, ..desk.setup(false) }).await.unwrap_err();
    assert_eq!(refused.code, Code::Refused);
    let address = receiver.address();
    receiver.stop().await.unwrap();
    start(Setup { address, ..desk.setup(true) }).await.unwrap().stop().await.unwrap();
}

//! Answers that break off, are far too big, or never come to be: what they say about what may have reached Pozy.

use std::net::SocketAddr;

use reprise_core::outbound::{
    job::EndKind,
    outcome::{Outcome, State},
    view::JobView,
};
use reprise_core::store::attempts;
use rstest::rstest;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use super::world::{POST, World, connect};

/// Listens for one request, reads it to its end, answers with these bytes and closes.
async fn answering(answer: Vec<u8>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        while !request.ends_with(POST.as_bytes()) {
            assert_ne!(socket.read_buf(&mut request).await.unwrap(), 0, "the whole request comes");
        }
        // A client that has heard enough may close first.
        drop(socket.write_all(&answer).await);
        drop(socket.shutdown().await);
    });
    address
}

async fn submitted_to(base: &str) -> (World, JobView) {
    let world = World::start().await;
    let connection = connect(&world.store, &world.clock, base, "sk_plum").await;
    let world = World { connection, ..world };
    let view = world.submit(POST).await.unwrap();
    (world, view)
}

#[rstest]
#[case::a_success_is_known_by_its_status(201, EndKind::Answered, State::Done, Outcome::Created)]
#[case::a_replay_too(200, EndKind::Answered, State::Done, Outcome::Replayed)]
#[case::a_409_needs_its_body(409, EndKind::Reset, State::Waiting, Outcome::Unknown)]
#[case::so_does_a_400(400, EndKind::Reset, State::Waiting, Outcome::Unknown)]
#[tokio::test]
async fn an_answer_that_breaks_off(
    #[case] status: u16,
    #[case] kind: EndKind,
    #[case] state: State,
    #[case] outcome: Outcome,
) {
    let answer = format!("HTTP/1.1 {status} Odd\r\nContent-Length: 500\r\n\r\n{{\"post\":{{\"_id\":\"po");
    let address = answering(answer.into_bytes()).await;
    let (_world, view) = submitted_to(&format!("http://{address}")).await;
    assert_eq!(view.facts.attempts[0].end.as_ref().unwrap().kind, kind);
    assert_eq!((view.judged.state, view.judged.outcome, view.judged.post), (state, outcome, None));
}

#[tokio::test]
async fn an_answer_far_too_big_is_cut() {
    let mut answer = format!("HTTP/1.1 201 Created\r\nContent-Length: {}\r\n\r\n", 3 << 20).into_bytes();
    answer.resize(answer.len() + (3 << 20), b' ');
    let address = answering(answer).await;
    let (world, view) = submitted_to(&format!("http://{address}")).await;
    assert_eq!((view.judged.state, view.judged.post), (State::Done, None));
    let tried = attempts::of_job(world.store.pool(), view.facts.id).await.unwrap();
    assert_eq!(tried[0].end.as_ref().unwrap().body.as_ref().unwrap().len(), 1 << 20);
}

#[rstest]
#[case::closed_at_once(b"")]
#[case::no_http(b"SSH-2.0-odd\r\n")]
#[tokio::test]
async fn an_answer_that_is_none_is_a_loss(#[case] answer: &[u8]) {
    let address = answering(answer.to_vec()).await;
    let (_world, view) = submitted_to(&format!("http://{address}")).await;
    assert_eq!(view.facts.attempts[0].end.as_ref().unwrap().kind, EndKind::Reset);
    assert_eq!((view.judged.state, view.judged.outcome), (State::Waiting, Outcome::Unknown));
}

#[tokio::test]
async fn a_handshake_that_fails_sent_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let seen = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut bytes = vec![0; 4_096];
        let read = socket.read(&mut bytes).await.unwrap();
        socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        bytes.truncate(read);
        bytes
    });
    let (_world, view) = submitted_to(&format!("https://{address}")).await;
    assert_eq!(view.facts.attempts[0].end.as_ref().unwrap().kind, EndKind::NotSent);
    assert_eq!((view.judged.state, view.judged.outcome), (State::Waiting, Outcome::None));
    let seen = seen.await.unwrap();
    assert!(!seen.windows(7).any(|window| window == b"sk_plum"), "no part of the request was seen");
}

//! Attacks on the receiver by what is sent and how: too much, too slow, without end, or no HTTP at all. Whatever comes,
//! honest senders are answered and their messages kept.

use std::{
    io::Write as _,
    net::{SocketAddr, TcpStream},
};

use rstest::rstest;
use serde_json::json;

use super::{
    table,
    target::{Target, account_event, blocking, broken_off, exchange, head, read_all, status_of},
};
use crate::{trust::table::Fault, wait};

/// More than there are places.
const CROWD: usize = 600;
/// Honest messages beside them, a connection each.
const HONEST: usize = 20;

#[rstest]
#[case::idle(table::IDLE, b"")]
#[case::heads(table::SLOW_HEAD, b"POST /hooks/pozy HTTP/1.1\r\nHost: x\r\nX-Slow: a")]
#[case::bodies(table::SLOW_BODY, b"POST /hooks/pozy HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n{\"id\":")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_that_keeps_us_waiting_keeps_nobody_out(#[case] attack: Fault, #[case] says: &'static [u8]) {
    let mut target = Target::verifying();
    let address = target.address();
    let crowd: Vec<TcpStream> = blocking(move || {
        (0..CROWD)
            .map(|_| {
                let mut socket = TcpStream::connect(address).unwrap();
                // Whoever came first may have been cut by now.
                drop(socket.write_all(says));
                socket
            })
            .collect()
    })
    .await;
    for _ in 0..HONEST {
        target.client = reqwest::Client::builder().no_proxy().build().unwrap();
        target.honest().await;
    }
    // Nobody had to wait until the time of the whole crowd was over: most of it is still there.
    let there = crowd.iter().filter(|socket| is_open(socket)).count();
    assert!(there > CROWD / 2, "{there} of {CROWD} are still there");
    assert_eq!(target.rows("arrivals").len(), HONEST, "they leave no row");
    drop(crowd);
    target.note(attack, CROWD);
}

/// True if the other side neither answered nor closed.
fn is_open(socket: &TcpStream) -> bool {
    socket.set_nonblocking(true).unwrap();
    matches!(socket.peek(&mut [0]), Err(cause) if cause.kind() == std::io::ErrorKind::WouldBlock)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_is_huge_or_says_so_or_never_ends_is_cut() {
    let mut target = Target::verifying();
    let address = target.address();
    let large = blocking(move || {
        let mut bytes = head("Connection: close\r\nContent-Length: 5242880\r\n");
        bytes.resize(bytes.len() + (5 << 20), b'x');
        exchange(address, &bytes)
    });
    let promised = blocking(move || {
        let mut socket = TcpStream::connect(address).unwrap();
        socket.write_all(&head("Content-Length: 10737418240\r\n")).unwrap();
        sent_until_cut(&mut socket, &[b'x'; 65_536])
    });
    let endless = blocking(move || {
        let mut socket = TcpStream::connect(address).unwrap();
        socket.write_all(&head("Transfer-Encoding: chunked\r\n")).unwrap();
        let mut chunk = b"10000\r\n".to_vec();
        chunk.resize(chunk.len() + 0x1_0000, b'x');
        chunk.extend_from_slice(b"\r\n");
        sent_until_cut(&mut socket, &chunk)
    });
    assert_eq!(status_of(&large.await), Some(413));
    for sent in [promised.await, endless.await] {
        assert!(sent < 64 << 20, "{sent} bytes were taken");
    }
    let rows = target.rows("arrivals");
    assert_eq!(rows.len(), 3);
    assert!(
        rows.iter().all(|row| row["flags"] == json!(["unreadable", "too_large"]) && row["answer"] == 413),
        "{rows:?}"
    );
    target.honest().await;
    target.note(table::HUGE_BODY, 3);
}

/// Sends on until the other side takes no more; how much was sent, bytes.
fn sent_until_cut(socket: &mut TcpStream, part: &[u8]) -> usize {
    let mut sent = 0;
    while sent < 256 << 20 && socket.write_all(part).is_ok() {
        sent += part.len();
    }
    sent
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_is_shorter_than_it_says_is_no_message() {
    let mut target = Target::verifying();
    let address = target.address();
    let body = account_event("ev_half");
    let signature = pozy_sandbox::signature(super::target::SECRET, body.as_bytes());
    let lines = format!("Content-Length: {}\r\nX-Pozy-Signature: {signature}\r\n", body.len());
    let times = 5;
    for part in 0..times {
        let mut bytes = head(&lines);
        bytes.extend_from_slice(&body.as_bytes()[..body.len() * part / times]);
        let answer = blocking(move || broken_off(address, &bytes)).await;
        assert!(status_of(&answer).is_none_or(|status| status >= 400), "{answer}");
    }
    assert!(target.rows("arrivals").is_empty());
    target.honest().await;
    target.note(table::FALSE_LENGTH, times);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_huge_head_is_refused() {
    let mut target = Target::verifying();
    let address = target.address();
    let long = "a".repeat(1 << 20);
    let many: String = (0..5_000).map(|n| format!("X-{n}: y\r\n")).collect();
    let heads = [
        head(&format!("X-Long: {long}\r\nContent-Length: 0\r\n")),
        head(&format!("{many}Content-Length: 0\r\n")),
        format!("POST /hooks/pozy?{long} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n").into_bytes(),
    ];
    let times = heads.len();
    for head in heads {
        let answer = blocking(move || exchange(address, &head)).await;
        assert!(status_of(&answer).is_none_or(|status| (400..500).contains(&status)), "{answer}");
    }
    assert!(target.rows("arrivals").is_empty());
    target.honest().await;
    target.note(table::HUGE_HEAD, times);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_that_wait_for_no_answer_are_each_stored_and_answered_once() {
    let mut target = Target::verifying();
    let (address, times) = (target.address(), 50);
    let mut bytes = Vec::new();
    for n in 0..times {
        let body = account_event(&format!("ev_{n}"));
        let signature = pozy_sandbox::signature(super::target::SECRET, body.as_bytes());
        let last = if n + 1 == times { "Connection: close\r\n" } else { "" };
        bytes.extend(head(&format!("{last}Content-Length: {}\r\nX-Pozy-Signature: {signature}\r\n", body.len())));
        bytes.extend(body.into_bytes());
    }
    let answers = blocking(move || exchange(address, &bytes)).await;
    assert_eq!(answers.matches("HTTP/1.1 204").count(), times, "{answers}");
    wait::until("a note of every answer", || {
        let rows = target.rows("arrivals");
        let noted = rows.iter().filter(|row| row["took_ms"].is_i64()).count();
        if (rows.len(), noted) == (times, times) { Ok(()) } else { Err((rows.len(), noted)) }
    })
    .await;
    target.honest().await;
    target.note(table::PIPELINED, times);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_is_small_only_while_packed_is_never_unpacked() {
    let mut target = Target::verifying();
    let bomb = zstd::bulk::compress(&vec![0; 100 << 20], 3).unwrap();
    let signature = pozy_sandbox::signature(super::target::SECRET, &bomb);
    let codings = ["zstd", "gzip", "deflate", "br", "gzip, gzip, gzip"];
    for coding in codings {
        let headers = [("content-encoding", coding), ("x-pozy-signature", signature.as_str())];
        assert_eq!(target.send(bomb.clone(), &headers).await, Some(204), "{coding}");
    }
    let size: u64 =
        std::fs::read_dir(target.place.data()).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
    assert!(size < 4 << 20, "{size} bytes on the disk");
    let rows = target.rows("arrivals");
    assert!(rows.len() == codings.len() && rows.iter().all(|row| row["standing"] == "unreadable"), "{rows:?}");
    target.honest().await;
    target.note(table::PACKED_BOMB, codings.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_http_is_answered_as_such_and_counts_for_nothing() {
    let mut target = Target::verifying();
    let address = target.address();
    let kinds: Vec<Vec<u8>> = vec![
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        b"SSH-2.0-odd\r\n".to_vec(),
        b"\0\0\0\0\0\0\0\0".to_vec(),
        b"\xff\xfe\xfd\r\n\r\n".to_vec(),
        b"GET\r\n\r\n".to_vec(),
        b"POST /hooks/pozy\r\n\r\n".to_vec(),
        b"POST /hooks/pozy HTTP/9.9\r\nHost: x\r\n\r\n".to_vec(),
        b"POST  /hooks/pozy  HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(),
        b"POST /hooks/\0pozy HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(),
        b"POST /hooks/%00pozy HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n".to_vec(),
        head("Content-Length: -1\r\n"),
        head("Content-Length: 99999999999999999999999999\r\n"),
        [head("Content-Length: 2\r\nContent-Length: 5\r\n"), b"hello".to_vec()].concat(),
        [head("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n"), b"0\r\n\r\nPOST /hooks/pozy".to_vec()].concat(),
        [head("Transfer-Encoding: chunked\r\n"), b"zz\r\nhello\r\n0\r\n\r\n".to_vec()].concat(),
        [head("X Space: 1\r\nX-Nul: \0\r\nContent-Length: 2\r\n"), b"{}".to_vec()].concat(),
    ];
    let times = kinds.len();
    for kind in kinds {
        let told = String::from_utf8_lossy(&kind).into_owned();
        let answer = blocking(move || broken_off(address, &kind)).await;
        assert!(status_of(&answer).is_none_or(|status| (400..500).contains(&status)), "{told:?} got {answer}");
    }
    let rows = target.rows("arrivals");
    assert!(rows.iter().all(|row| row["standing"] == "quarantined"), "{rows:?}");
    assert!(target.rows("events").is_empty());
    target.honest().await;
    target.note(table::MALFORMED, times);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_signed_body_that_no_two_readers_agree_on_is_a_row_and_moves_nothing() {
    let mut target = Target::verifying();
    let (deep, long) = (100_000, "9".repeat(500_000));
    let name = "n".repeat(5_000);
    let bodies: Vec<Vec<u8>> = vec![
        b"\0".to_vec(),
        b"{\"id\":\"ev\0\"}".to_vec(),
        b"{\"id\":\"ev_nul\\u0000\"}".to_vec(),
        b"{\"id\":\"ev\xff\xfe\"}".to_vec(),
        b"\xef\xbb\xbf{\"id\":\"ev_bom\"}".to_vec(),
        br#"{"id":"\ud800"}"#.to_vec(),
        br#"{"id":"ev_a","id":"ev_b"}"#.to_vec(),
        br#"{"id":"ev_a","event":"account.connected","account":{"accountId":"x","accountId":"y"}}"#.to_vec(),
        "[".repeat(deep).into_bytes(),
        format!("{{\"id\":\"ev_deep\",\"x\":{}{}}}", "[".repeat(deep), "]".repeat(deep)).into_bytes(),
        format!("{{\"id\":{long}}}").into_bytes(),
        format!("{{\"id\":\"{name}\"}}").into_bytes(),
        format!("{{\"id\":\"ev_name\",\"event\":\"{name}\"}}").into_bytes(),
        format!("{{\"id\":\"ev_post\",\"event\":\"post.published\",\"post\":{{\"id\":\"{name}\"}}}}").into_bytes(),
        Vec::new(),
        br#""ev""#.to_vec(),
        b"null".to_vec(),
        br#"{"id":"ev_two"}{"id":"ev_three"}"#.to_vec(),
    ];
    let times = bodies.len();
    for body in &bodies {
        assert_eq!(target.send_signed(body).await, 204, "{}", String::from_utf8_lossy(&body[..body.len().min(80)]));
    }
    // Odd, and read all the same: only what is passed over is absurd.
    let absurd =
        format!(r#"{{"id":"ev_odd","event":"nothing.known","timestamp":"9999-99-99","x":1e999999,"y":-{long}}}"#);
    assert_eq!(target.send_signed(absurd.as_bytes()).await, 204);
    let rows = target.rows("arrivals");
    assert_eq!(rows.len(), times + 1);
    assert_eq!(rows.iter().filter(|row| row["standing"] == "unreadable").count(), times, "{rows:?}");
    assert!(target.rows("lanes").is_empty());
    target.honest().await;
    target.note(table::ODD_JSON, times + 1);
}

/// Whoever is cut is cut by closing, and never by an answer that looks like success.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sender_that_is_cut_for_others_is_told_no_success() {
    let target = Target::verifying();
    let address: SocketAddr = target.address();
    let answer = blocking(move || {
        let mut first = TcpStream::connect(address).unwrap();
        first.write_all(&head("Content-Length: 900\r\n")).unwrap();
        let crowd: Vec<TcpStream> = (0..CROWD).map(|_| TcpStream::connect(address).unwrap()).collect();
        let answer = read_all(&mut first);
        drop(crowd);
        answer
    })
    .await;
    assert!(status_of(&answer).is_none_or(|status| status >= 400), "{answer}");
    assert!(target.rows("arrivals").is_empty());
}

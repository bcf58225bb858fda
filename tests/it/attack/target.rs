//! The programs under attack, and an honest sender beside the attacker.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use reqwest::Client;
use serde_json::{Value, json};

use crate::{
    program::{Place, Running},
    trust::table::{Fault, Tried},
};

pub(super) const KEY: &str = "sk_quince_and_medlar_77";
pub(super) const SECRET: &str = "whsec_damson_and_sloe_78";

/// How long a socket may keep silent.
const PATIENCE: Duration = Duration::from_secs(60);

/// A receiver that runs, with whoever sends to it.
pub(super) struct Target {
    pub(super) place: Place,
    pub(super) url: String,
    pub(super) client: Client,
    pub(super) listen: Running,
    honest: Vec<String>,
}

impl Target {
    /// `reprise listen`, which verifies signatures.
    pub(super) fn verifying() -> Self {
        let mut place = Place::new();
        place.set("POZY_WEBHOOK_SECRET", SECRET);
        Self::on(place, &[])
    }

    /// `reprise listen` without a secret.
    pub(super) fn unchecked() -> Self {
        Self::on(Place::new(), &[])
    }

    /// `reprise listen` in this place with more words.
    pub(super) fn on(place: Place, more: &[&str]) -> Self {
        let mut listen = place.background("listen", &[&["listen", "--on", "127.0.0.1:0"], more].concat());
        let url = listen.first_line().unwrap()["receiver"].as_str().unwrap().to_owned();
        let client = Client::builder().no_proxy().build().unwrap();
        Self { place, url, client, listen, honest: Vec::new() }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.url.trim_start_matches("http://").split('/').next().unwrap().parse().unwrap()
    }

    /// Sends a body with these headers; the status, none if no answer came.
    pub(super) async fn send(&self, body: impl Into<reqwest::Body>, headers: &[(&str, &str)]) -> Option<u16> {
        let request = self.client.post(&self.url).body(body);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        request.send().await.ok().map(|answer| answer.status().as_u16())
    }

    /// Sends a signed body; the status.
    pub(super) async fn send_signed(&self, body: &[u8]) -> u16 {
        let signature = pozy_sandbox::signature(SECRET, body);
        self.send(body.to_vec(), &[("x-pozy-signature", &signature)]).await.expect("an answer")
    }

    /// An honest message, which must be taken, whatever else goes on.
    pub(super) async fn honest(&mut self) {
        let event = format!("ev_honest_{}", self.honest.len());
        assert_eq!(self.send_signed(account_event(&event).as_bytes()).await, 204, "{event}");
        self.honest.push(event);
    }

    pub(super) fn rows(&self, list: &str) -> Vec<Value> {
        self.place.lines(&[list])
    }

    /// Ends the receiver and keeps the figures of an attack: honest messages that are missing or count otherwise are lost.
    pub(super) fn note(mut self, attack: Fault, times: usize) {
        assert_eq!(self.listen.stop().unwrap(), Some(0), "it still runs, and ends when it is asked to");
        let events = self.rows("events");
        let counts = |event: &String| {
            events.iter().any(|row| row["event"] == event.as_str() && row["arrivals"] == 1 && row["applied"] == 1)
        };
        let mut tried = Tried::new(attack, times, 0);
        tried.lost = self.honest.iter().filter(|event| !counts(event)).count() as u64;
        tried.note(&self.place);
    }
}

/// An account event whose account is its own.
pub(super) fn account_event(event: &str) -> String {
    json!({"id": event, "event": "account.connected", "timestamp": "2026-04-14T08:00:00Z",
           "account": {"accountId": format!("ac_{event}")}})
    .to_string()
}

/// Sends bytes as they are and reads what comes until the other side closes; empty where it only closes. What is a whole
/// request must ask for that.
pub(super) fn exchange(to: SocketAddr, bytes: &[u8]) -> String {
    read_all(&mut sent(to, bytes))
}

/// As [`exchange`], for what is no whole request: nothing more comes, and the other side sees it.
pub(super) fn broken_off(to: SocketAddr, bytes: &[u8]) -> String {
    let mut socket = sent(to, bytes);
    drop(socket.shutdown(std::net::Shutdown::Write));
    read_all(&mut socket)
}

fn sent(to: SocketAddr, bytes: &[u8]) -> TcpStream {
    let mut socket = TcpStream::connect(to).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    // The other side may have heard enough before the end.
    drop(socket.write_all(bytes));
    socket
}

/// What comes until the other side closes or resets.
pub(crate) fn read_all(socket: &mut TcpStream) -> String {
    let (mut all, mut some) = (Vec::new(), [0; 4_096]);
    loop {
        match socket.read(&mut some) {
            Ok(0) => break,
            Ok(read) => all.extend_from_slice(&some[..read]),
            Err(cause) if cause.kind() == std::io::ErrorKind::ConnectionReset => break,
            Err(cause) => panic!("it neither answers nor closes: {cause}"),
        }
    }
    String::from_utf8_lossy(&all).into_owned()
}

/// The status in the first line of an answer.
pub(crate) fn status_of(answer: &str) -> Option<u16> {
    answer.strip_prefix("HTTP/1.1 ").or_else(|| answer.strip_prefix("HTTP/1.0 "))?.get(..3)?.parse().ok()
}

/// A head for the receiver with these further lines.
pub(super) fn head(lines: &str) -> Vec<u8> {
    format!("POST /hooks/pozy HTTP/1.1\r\nHost: x\r\n{lines}\r\n").into_bytes()
}

/// Runs what blocks.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.unwrap()
}

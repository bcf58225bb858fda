//! A gate on the wire between the program and the sandbox. It sees every request to make a post, and can stop one at
//! a step that neither side can see: the request is out but Pozy does not have it, the work is done but the answer is
//! not back, half of the answer is back.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::JoinHandle,
};

use crate::wait::patiently;

/// Where the next request to make a post is stopped until its sender is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// The whole request is here, Pozy has none of it.
    Request,
    /// Pozy did the work and answered, the sender has none of the answer.
    Answer,
    /// The sender has half of the answer.
    HalfAnswer,
}

/// A request to make a post, as it was on the wire.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) key: String,
    pub(super) request_id: String,
    pub(super) body: Vec<u8>,
}

#[derive(Default)]
struct Seen {
    hold: Option<Hold>,
    linger: Duration,
    requests: Vec<Request>,
    on_the_wire: BTreeMap<String, usize>,
    most_at_once: usize,
}

#[derive(Default)]
struct Shared {
    seen: Mutex<Seen>,
    reached: Notify,
}

impl Shared {
    fn seen<T>(&self, look: impl FnOnce(&mut Seen) -> T) -> T {
        look(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The gate. It opens for good when dropped: nothing passes any more.
pub(super) struct Gate {
    url: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

impl Gate {
    /// A gate before a sandbox.
    pub(super) async fn before(pozy: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let shared = Arc::new(Shared::default());
        let inner = Arc::clone(&shared);
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let shared = Arc::clone(&inner);
                // A connection that breaks is what these tests are about.
                tokio::spawn(async move { pass(client, pozy, &shared).await.ok() });
            }
        });
        Self { url, shared, task }
    }

    /// The base address that the program is given.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Stops the next request to make a post at `hold`.
    pub(super) fn hold(&self, hold: Hold) {
        self.shared.seen(|seen| seen.hold = Some(hold));
    }

    /// Keeps every answer to a request to make a post back for so long.
    pub(super) fn linger(&self, time: Duration) {
        self.shared.seen(|seen| seen.linger = time);
    }

    /// Waits until a request is stopped.
    pub(super) async fn reached(&self) {
        patiently("a request at the gate", self.shared.reached.notified()).await;
    }

    /// Every request to make a post so far.
    pub(super) fn requests(&self) -> Vec<Request> {
        self.shared.seen(|seen| seen.requests.clone())
    }

    /// The most requests with one key that were under way at the same time.
    pub(super) fn most_at_once(&self) -> usize {
        self.shared.seen(|seen| seen.most_at_once)
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Passes one request and its answer, and closes both connections after it.
async fn pass(mut client: TcpStream, pozy: SocketAddr, shared: &Shared) -> std::io::Result<()> {
    let Some((head, body)) = read_request(&mut client).await? else { return Ok(()) };
    if !head.starts_with("POST /v1/posts ") {
        return client.write_all(&ask(pozy, &head, &body).await?).await;
    }
    let header = |name: &str| {
        let line = head.lines().find(|line| line.to_ascii_lowercase().starts_with(&format!("{name}:")));
        line.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
    };
    let request = Request { key: header("idempotency-key"), request_id: header("x-request-id"), body };
    let (key, body) = (request.key.clone(), request.body.clone());
    let hold = shared.seen(|seen| {
        seen.requests.push(request);
        let now = seen.on_the_wire.entry(key.clone()).or_default();
        *now += 1;
        seen.most_at_once = seen.most_at_once.max(*now);
        seen.hold.take()
    });
    let done = pass_post(&mut client, pozy, shared, hold, &head, &body).await;
    shared.seen(|seen| *seen.on_the_wire.entry(key).or_default() -= 1);
    done
}

async fn pass_post(
    client: &mut TcpStream,
    pozy: SocketAddr,
    shared: &Shared,
    hold: Option<Hold>,
    head: &str,
    body: &[u8],
) -> std::io::Result<()> {
    if hold == Some(Hold::Request) {
        return held(client, shared).await;
    }
    let answer = ask(pozy, head, body).await?;
    match hold {
        None => {
            let linger = tokio::time::sleep(shared.seen(|seen| seen.linger));
            // Of a sender that died nothing is on the wire any more, and the next one may start at once.
            tokio::select! {
                () = linger => client.write_all(&answer).await,
                end = gone(client) => end,
            }
        }
        Some(Hold::HalfAnswer) => {
            client.write_all(&answer[..answer.len() / 2]).await?;
            held(client, shared).await
        }
        Some(_) => held(client, shared).await,
    }
}

/// Says that a request is stopped, and keeps it so until its sender is gone.
async fn held(client: &mut TcpStream, shared: &Shared) -> std::io::Result<()> {
    shared.reached.notify_one();
    gone(client).await
}

/// Waits until the sender is gone.
async fn gone(client: &mut TcpStream) -> std::io::Result<()> {
    let mut rest = [0; 64];
    while client.read(&mut rest).await? > 0 {}
    Ok(())
}

/// The head and the body of one request; nothing if the client closed before one.
async fn read_request(client: &mut TcpStream) -> std::io::Result<Option<(String, Vec<u8>)>> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|part| part == b"\r\n\r\n") {
            break at + 4;
        }
        if client.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let length = head
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, value)| value.trim().parse().ok())
        .unwrap_or(0);
    let mut body = bytes.split_off(end);
    while body.len() < length && client.read_buf(&mut body).await? > 0 {}
    Ok(Some((head, body)))
}

/// Asks the sandbox on a connection of its own and reads the answer to its end.
async fn ask(pozy: SocketAddr, head: &str, body: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut link = TcpStream::connect(pozy).await?;
    link.write_all(head.replacen("\r\n", "\r\nconnection: close\r\n", 1).as_bytes()).await?;
    link.write_all(body).await?;
    let mut answer = Vec::new();
    link.read_to_end(&mut answer).await?;
    Ok(answer)
}

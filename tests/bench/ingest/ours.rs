//! Receivers of our own that say what a part costs: the same HTTP server as Reprise's, and below it as little as the name
//! says. They run in a process of their own, the same program started with `BENCH_RECEIVER`.

use std::{
    convert::Infallible,
    env,
    fs::{File, OpenOptions},
    io::Write as _,
    sync::Arc,
};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty};
use hyper::{Request, Response, StatusCode, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use reprise_core::{
    ids::EventId,
    inbound::verify::{Verified, verify},
    pozy::{contract::Contract, envelope},
    secrets::Secret,
};
use tokio::{
    net::TcpListener,
    sync::{mpsc, oneshot},
};

use crate::{Outcome, redis};

/// Names the kind of receiver that this process is to be.
pub(crate) const VARIABLE: &str = "BENCH_RECEIVER";
/// Where the journal is written.
pub(crate) const JOURNAL: &str = "BENCH_JOURNAL";
/// Where Redis listens.
pub(crate) const REDIS: &str = "BENCH_REDIS";
/// The most arrivals of one `fdatasync`, as many as Reprise puts into one commit.
const BATCH: usize = 256;

/// What is done with an arrival before the answer.
enum Keeping {
    /// Not even its signature is looked at.
    NoOp,
    /// Verified and read by the library, kept nowhere.
    NoStore,
    /// The same, and its body is on disk, in one file that only grows.
    Journal(mpsc::Sender<(Bytes, oneshot::Sender<bool>)>),
    /// The same, and Redis holds its body under its event's id.
    Redis(redis::Link),
}

struct Door {
    contract: Contract,
    secrets: Vec<Secret>,
    keeping: Keeping,
}

/// Receives until killed.
///
/// # Errors
/// If `kind` is unknown, or what it needs is not there.
pub(crate) fn run(kind: &str) -> Outcome<()> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(serve(kind))
}

async fn serve(kind: &str) -> Outcome<()> {
    let keeping = match kind {
        "no-op" => Keeping::NoOp,
        "no-store" => Keeping::NoStore,
        "journal" => Keeping::Journal(journal(&env::var(JOURNAL)?)?),
        "redis" => Keeping::Redis(redis::Link::open(&env::var(REDIS)?).await?),
        _ => return Err(format!("there is no receiver `{kind}`").into()),
    };
    let secrets = env::var("POZY_WEBHOOK_SECRET").ok().as_deref().and_then(Secret::new).into_iter().collect();
    let door = Arc::new(Door { contract: Contract::shipped("pozy")?, secrets, keeping });
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{{\"receiver\":\"http://{}/hooks/pozy\"}}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let door = Arc::clone(&door);
        tokio::spawn(async move {
            let service = service_fn(|request| answer(request, &door));
            // A sender that goes away ends its connection and nothing else.
            drop(http1::Builder::new().serve_connection(TokioIo::new(stream), service).await);
        });
    }
}

async fn answer(request: Request<Incoming>, door: &Door) -> Result<Response<Empty<Bytes>>, Infallible> {
    let mut response = Response::new(Empty::new());
    *response.status_mut() = take(request, door).await;
    Ok(response)
}

async fn take(request: Request<Incoming>, door: &Door) -> StatusCode {
    let (head, body) = request.into_parts();
    let Ok(body) = body.collect().await else { return StatusCode::BAD_REQUEST };
    let body = body.to_bytes();
    if matches!(door.keeping, Keeping::NoOp) {
        return StatusCode::NO_CONTENT;
    }
    let headers = head.headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
    if verify(&door.contract.signature, &door.secrets, headers, &body) != Verified::Valid {
        return StatusCode::UNAUTHORIZED;
    }
    let Ok(reading) = envelope::read(&body, &door.contract) else { return StatusCode::BAD_REQUEST };
    let kept = match &door.keeping {
        Keeping::NoOp | Keeping::NoStore => true,
        Keeping::Journal(writer) => journalled(writer, body).await,
        Keeping::Redis(link) => stored(link, &reading.event, &body).await,
    };
    if kept { StatusCode::NO_CONTENT } else { StatusCode::INTERNAL_SERVER_ERROR }
}

async fn journalled(writer: &mpsc::Sender<(Bytes, oneshot::Sender<bool>)>, body: Bytes) -> bool {
    let (done, kept) = oneshot::channel();
    writer.send((body, done)).await.is_ok() && kept.await.unwrap_or(false)
}

async fn stored(link: &redis::Link, event: &EventId, body: &[u8]) -> bool {
    // Whether it was there already is all that a receiver of this kind learns of a copy.
    link.set_once(event.as_str(), body).await.is_ok()
}

/// Starts the thread that writes the journal: whatever waits goes out in one write, then to the disk, then the answers.
fn journal(path: &str) -> Outcome<mpsc::Sender<(Bytes, oneshot::Sender<bool>)>> {
    let mut file = OpenOptions::new().create_new(true).append(true).open(path)?;
    let (sender, mut waiting) = mpsc::channel(BATCH * 4);
    std::thread::spawn(move || {
        let mut batch: Vec<(Bytes, oneshot::Sender<bool>)> = Vec::with_capacity(BATCH);
        while waiting.blocking_recv_many(&mut batch, BATCH) > 0 {
            let kept = append(&mut file, &batch);
            for (_, done) in batch.drain(..) {
                // Nobody waits for it any more if its connection broke.
                let _ = done.send(kept);
            }
        }
    });
    Ok(sender)
}

/// One line a body: compact JSON holds no line break.
fn append(file: &mut File, batch: &[(Bytes, oneshot::Sender<bool>)]) -> bool {
    let mut text = Vec::with_capacity(batch.iter().map(|(body, _)| body.len() + 1).sum());
    for (body, _) in batch {
        text.extend_from_slice(body);
        text.push(b'\n');
    }
    file.write_all(&text).and_then(|()| file.sync_data()).is_ok()
}

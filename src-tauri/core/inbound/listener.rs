//! The receiver: takes a webhook over HTTP, verifies it before it is parsed, and answers only once it is on disk
//! (design 3.1-3.3). What is slow, torn, too large or too much is answered so that Pozy sends it again or knows why not.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Extension, Router,
    body::Body,
    extract::{Path, State},
    http::{
        HeaderMap, HeaderName, StatusCode,
        header::{ORIGIN, RETRY_AFTER},
    },
    response::{IntoResponse as _, Response},
    routing::post,
};
use http_body_util::BodyExt as _;
use hyper::{body::Incoming, server::conn::http1, service::Service as _};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::mpsc::{UnboundedSender, unbounded_channel},
    task::JoinHandle,
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    arrival::{Arrival, Request},
    places::{Held, Place, Places, Room},
    record::record,
    session::Session,
    verify::{Verified, verify},
    watch::{Note, Watch, Watched, write_notes},
};
use crate::{
    address::stays_here,
    clock::Clock,
    error::{Code, Error, Result},
    ids::{SessionId, WorkspaceId},
    pozy::contract::Contract,
    secrets::Secret,
    store::{Store, sessions},
};

/// Name of the endpoint unless the settings say otherwise.
pub const DEFAULT_ENDPOINT: &str = "pozy";

/// Connections that are served at once. One more takes the place of the one that has kept us waiting for longest.
const CONNECTIONS: usize = 512;
/// Most of a request's head that is taken, bytes; a larger one is answered 431.
const HEAD_MAX: usize = 64 << 10;
/// What large bodies on their way in may take together, bytes; one more is told to come later.
const BODIES_MAX: usize = 32 << 20;
/// More than can be taken now waits already: it is to come again.
const CROWDED: (StatusCode, [(HeaderName, &str); 1]) = (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "1")]);
/// How often a session gives a sign of life.
const BEAT: Duration = Duration::from_secs(5);
/// How long what is under way may go on after the receiver was told to stop.
const LAST: Duration = Duration::from_secs(5);
/// A body over the cap is read on up to this many times the cap, so that the sender gets to read its 413.
const READ_ON: usize = 8;

/// What a receiver needs to know.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Where to listen; port 0 takes a free one.
    pub address: SocketAddr,
    /// Last part of the path.
    pub endpoint: String,
    /// Up to two secrets that are valid at once; none leaves arrivals unchecked.
    pub secrets: Vec<Secret>,
    /// Largest body, bytes.
    pub body_max: usize,
    /// How long a request may take to come in.
    pub read_within: Duration,
    /// Whose messages come in, if that is known.
    pub workspace: Option<WorkspaceId>,
}

impl Setup {
    /// The usual limits: 1 MiB, 10 s.
    #[must_use]
    pub fn new(address: SocketAddr, secrets: Vec<Secret>) -> Self {
        Self {
            address,
            endpoint: DEFAULT_ENDPOINT.to_owned(),
            secrets,
            body_max: 1 << 20,
            read_within: Duration::from_secs(10),
            workspace: None,
        }
    }
}

/// A receiver that listens. [`Receiver::stop`] waits until all is written; one that is dropped stops in the background.
#[derive(Debug)]
pub struct Receiver {
    url: String,
    address: SocketAddr,
    stop: CancellationToken,
    running: JoinHandle<Result<()>>,
}

impl Receiver {
    /// Starts to listen and begins a session.
    ///
    /// # Errors
    /// `Refused` beyond loopback without a secret, `Busy` if the port is taken, `Storage` if the log cannot be written.
    pub async fn start(store: Store, clock: Clock, contract: Arc<Contract>, setup: Setup) -> Result<Self> {
        if !stays_here(setup.address.ip()) && setup.secrets.is_empty() {
            return Err(Error::refused(
                "Without a webhook secret the receiver listens on this computer only (127.0.0.1). Set the secret first.",
            ));
        }
        let listener = TcpListener::bind(setup.address).await.map_err(|cause| taken(setup.address, cause))?;
        let address = listener.local_addr()?;
        let session = Session::begin(&store, &clock, &contract, &address.to_string(), setup.workspace).await?;
        let url = format!("http://{address}/hooks/{}", setup.endpoint);
        let stop = CancellationToken::new();
        let room = Room::new(BODIES_MAX);
        let desk = Arc::new(Reception { store, clock, contract, setup, session: session.id, room });
        let running = tokio::spawn(run(desk, listener, session, stop.clone()));
        Ok(Self { url, address, stop, running })
    }

    /// Full address of the endpoint.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Takes no more requests, finishes those under way, notes what became of their answers and ends the session.
    ///
    /// # Errors
    /// `Storage` if the end cannot be written.
    pub async fn stop(mut self) -> Result<()> {
        self.stop.cancel();
        (&mut self.running)
            .await
            .map_err(|cause| Error::caused(Code::Internal, "The receiver ended by a mistake of ours.", cause))?
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn taken(address: SocketAddr, cause: std::io::Error) -> Error {
    let message = match cause.kind() {
        std::io::ErrorKind::AddrInUse => {
            format!("Port {} is taken by another program. Choose another in Settings.", address.port())
        }
        _ => format!("Cannot listen on {address}. Choose another address in Settings."),
    };
    Error::caused(Code::Busy, message, cause)
}

/// What every request needs.
struct Reception {
    store: Store,
    clock: Clock,
    contract: Arc<Contract>,
    setup: Setup,
    session: SessionId,
    room: Room,
}

async fn run(desk: Arc<Reception>, listener: TcpListener, session: Session, stop: CancellationToken) -> Result<()> {
    let (notes, noted) = unbounded_channel();
    let writing = tokio::spawn(write_notes(desk.store.clone(), Arc::clone(&desk.contract), noted));
    let beating = tokio::spawn(beat_on(Arc::clone(&desk)));
    accept_on(&desk, listener, notes, &stop).await;
    beating.abort();
    if writing.await.is_err() {
        tracing::error!("the notes of answers ended by a mistake of ours");
    }
    session.end(&desk.store, &desk.clock, &desk.contract).await
}

async fn beat_on(desk: Arc<Reception>) {
    let mut beats = tokio::time::interval(BEAT);
    loop {
        beats.tick().await;
        let (session, now) = (desk.session, desk.clock.now());
        if let Err(cause) = desk.store.write(move |connection| sessions::beat(connection, session, now)).await {
            tracing::warn!(%cause, "the receiver's sign of life could not be written");
        }
    }
}

/// Accepts until told to stop, then waits for what is under way. All watches are gone when it returns.
async fn accept_on(
    desk: &Arc<Reception>,
    listener: TcpListener,
    notes: UnboundedSender<Note>,
    stop: &CancellationToken,
) {
    let router = Router::new().route("/hooks/{endpoint}", post(take)).with_state(Arc::clone(desk));
    let places = Places::new(CONNECTIONS);
    let connections = TaskTracker::new();
    while let Some(accepted) = stop.run_until_cancelled(listener.accept()).await {
        let socket = match accepted {
            Ok((socket, _)) => socket,
            Err(cause) => {
                // Out of files, most likely: what is under way gives some back.
                tracing::warn!(%cause, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Some(place) = stop.run_until_cancelled(places.take()).await else { break };
        let watch = Watch::new(notes.clone(), desk.clock.clone());
        connections.spawn(serve(socket, watch, place, router.clone(), desk.setup.read_within, stop.clone()));
    }
    drop(listener);
    connections.close();
    connections.wait().await;
}

async fn serve(
    socket: TcpStream,
    watch: Watch,
    place: Place,
    router: Router,
    read_within: Duration,
    stop: CancellationToken,
) {
    // An answer is one small packet: it must not wait for more.
    drop(socket.set_nodelay(true));
    let inner = TowerToHyperService::new(router);
    let (carried, leaving) = ((watch.clone(), place.clone()), place.leaving());
    let service = hyper::service::service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(carried.clone());
        inner.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(read_within)
        .max_buf_size(HEAD_MAX)
        .serve_connection(TokioIo::new(Watched::new(socket, watch)), service);
    tokio::pin!(connection);
    // A connection that breaks is the other side's affair; what it leaves behind is noted by its watch.
    tokio::select! {
        _ = connection.as_mut() => {}
        // Its sender said nothing for longest while others wait: it is cut.
        () = leaving.cancelled() => {}
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            drop(timeout(LAST, connection).await);
        }
    }
}

/// A request body as it came in.
enum Incame {
    Whole(Vec<u8>),
    TooLarge,
    Torn,
    Slow,
    /// Too many large ones come in at once.
    Crowded,
}

async fn take(
    State(desk): State<Arc<Reception>>,
    Extension((watch, place)): Extension<(Watch, Place)>,
    Path(endpoint): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let (at, since) = (desk.clock.now(), Clock::stopwatch());
    if endpoint != desk.setup.endpoint {
        return StatusCode::NOT_FOUND.into_response();
    }
    let mut held = desk.room.of_one();
    let body = match timeout(desk.setup.read_within, read_body(body, desk.setup.body_max, &mut held)).await {
        Ok(body) => body,
        Err(_) => Incame::Slow,
    };
    let body = match body {
        Incame::Whole(body) => Some(body),
        Incame::TooLarge => None,
        Incame::Torn => return StatusCode::BAD_REQUEST.into_response(),
        Incame::Slow => return StatusCode::REQUEST_TIMEOUT.into_response(),
        Incame::Crowded => return CROWDED.into_response(),
    };
    // A connection that is being cut is not answered, and so nothing of it is kept either: it comes again.
    let Some(_answering) = place.answers() else { return StatusCode::SERVICE_UNAVAILABLE.into_response() };
    let from_a_page = comes_from_a_page(&headers);
    let headers: Vec<(String, String)> = headers
        .iter()
        .map(|(name, value)| (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect();
    let arrival = {
        let pairs = headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        // What is not kept whole cannot be verified, and makes no event either way.
        let secrets = if body.is_some() { desk.setup.secrets.as_slice() } else { &[] };
        let verified = verify(&desk.contract.signature, secrets, pairs, body.as_deref().unwrap_or_default());
        if from_a_page && verified == Verified::Unchecked {
            return (StatusCode::FORBIDDEN, "A web page cannot send this; Pozy is no browser.\n").into_response();
        }
        let request = Request { at, endpoint: &endpoint, headers: &headers, body: body.as_deref(), verified };
        Arrival::live(desk.session, &request, &desk.contract)
    };
    let came = body.map_or(0, |body| body.len()) + arrival.headers.len();
    // While the log cannot be written what is let in would take memory without end.
    if !held.wait(came) {
        return CROWDED.into_response();
    }
    let answer = arrival.answer.and_then(|status| StatusCode::from_u16(status).ok()).unwrap_or(StatusCode::NO_CONTENT);

    // A sender that goes away ends this handler, never the writing: what is in the queue is written and noted.
    let writing = tokio::spawn(async move {
        let contract = Arc::clone(&desk.contract);
        let recorded = desk.store.write_now(move |connection| record(connection, &arrival, &contract)).await;
        drop(held);
        recorded.map(|recorded| watch.expect(recorded.seq, since))
    });
    match writing.await {
        Ok(Ok(())) => answer.into_response(),
        Ok(Err(cause)) if cause.code == Code::Busy => CROWDED.into_response(),
        Ok(Err(cause)) => {
            tracing::error!(%cause, "an arrival could not be stored");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// True if a browser says that one of its pages sends this. Without a secret any page that this computer shows could
/// make up messages otherwise.
fn comes_from_a_page(headers: &HeaderMap) -> bool {
    headers.contains_key(ORIGIN) || headers.get("sec-fetch-site").is_some_and(|site| site != "none")
}

async fn read_body(mut body: Body, most: usize, held: &mut Held) -> Incame {
    let (mut kept, mut passed) = (Vec::new(), 0_usize);
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return Incame::Torn };
        let Some(data) = frame.data_ref() else { continue };
        passed = passed.saturating_add(data.len());
        if passed <= most {
            if !held.grow(passed) {
                return Incame::Crowded;
            }
            kept.extend_from_slice(data);
        } else {
            kept = Vec::new();
        }
        if passed > most.saturating_mul(READ_ON) {
            break;
        }
    }
    if passed > most { Incame::TooLarge } else { Incame::Whole(kept) }
}

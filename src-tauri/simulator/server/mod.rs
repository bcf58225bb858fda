//! The HTTP side: `/v1/` as Pozy, `/sandbox/` as control. Real sockets on purpose: lost answers and closed connections
//! are what a client must live through.

mod api;
mod control;
mod gate;
mod webhooks;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, FromRequestParts, Query, State};
use axum::http::header::{DATE, HeaderName};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Request, StatusCode};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use serde::de::DeserializeOwned;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::answer::Answer;
use crate::driver::{Advance, Shared};

/// The largest body that is read.
const LARGEST_BODY: usize = 4 * 1024 * 1024;

/// How long to wait after a connection could not be taken.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Tells every client that this is no real Pozy.
const SANDBOX: HeaderName = HeaderName::from_static("x-pozy-sandbox");

/// What handlers work with.
#[derive(Clone)]
pub(crate) struct Front {
    pub(crate) shared: Arc<Shared>,
    pub(crate) orders: mpsc::UnboundedSender<Advance>,
}

/// Marks a response that must never be sent: the connection closes instead.
#[derive(Clone)]
struct Cut;

impl Cut {
    fn response() -> Response {
        let mut response = StatusCode::NO_CONTENT.into_response();
        response.extensions_mut().insert(Cut);
        response
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, axum::Json(self.body)).into_response();
        for (name, value) in self.headers {
            if let Ok(value) = HeaderValue::from_str(&value) {
                response.headers_mut().insert(name, value);
            }
        }
        response
    }
}

/// What a handler gives: both sides are answers, the second one that something is to be mended first.
type Answered = Result<Answer, Answer>;

fn to_mend(problem: impl ToString) -> Answer {
    Answer::error(400, problem.to_string(), Some("invalid_request"))
}

fn missing(what: &str) -> Answer {
    Answer::error(404, format!("There is no such {what}"), Some("not_found"))
}

/// Reads a body whatever its content type says.
fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Answer> {
    serde_json::from_slice(body).map_err(|problem| to_mend(format!("The body does not fit: {problem}")))
}

/// The query of a request.
struct Asked<T>(T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Answer;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Answer> {
        Query::try_from_uri(&parts.uri).map(|Query(query)| Self(query)).map_err(to_mend)
    }
}

fn router(front: Front) -> Router {
    let pozy = Router::new()
        .route("/v1/posts", get(api::list_posts).post(api::create_post))
        .route("/v1/posts/{id}", get(api::read_post))
        .route("/v1/sms/messages", post(api::send_message))
        .route("/v1/accounts", get(api::list_accounts))
        .route(
            "/v1/webhooks/settings",
            get(webhooks::list).post(webhooks::add).put(webhooks::change).delete(webhooks::remove),
        )
        .route("/v1/webhooks/test", post(webhooks::test))
        .route("/v1/webhooks/logs", get(webhooks::logs))
        .route("/v1/webhooks/logs/redeliver", post(webhooks::redeliver))
        .route_layer(middleware::from_fn_with_state(front.clone(), gate::faults))
        .route_layer(middleware::from_fn_with_state(front.clone(), gate::caller));
    let control = Router::new()
        .route("/sandbox/clock", get(control::read_clock).post(control::move_clock))
        .route("/sandbox/faults", get(control::list_faults).post(control::add_fault).delete(control::clear_faults))
        .route("/sandbox/target", post(control::set_target))
        .route("/sandbox/account", post(control::set_account))
        .route("/sandbox/workspaces", post(control::add_workspace))
        .route("/sandbox/ledger", get(control::ledger))
        .route_layer(middleware::from_fn(gate::at_home));
    pozy.merge(control)
        .fallback(|| async { Answer::error(404, "There is nothing here", Some("not_found")) })
        .method_not_allowed_fallback(|| async { Answer::error(405, "Not with this method", None) })
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(middleware::map_response_with_state(front.clone(), dress))
        .with_state(front)
}

/// Every answer carries the sandbox's mark and the time by its clock.
async fn dress(State(front): State<Front>, mut response: Response) -> Response {
    let date = httpdate::fmt_http_date(front.shared.clock.now().into());
    let headers = response.headers_mut();
    headers.insert(SANDBOX, HeaderValue::from_static("1"));
    if let Ok(date) = HeaderValue::from_str(&date) {
        headers.insert(DATE, date);
    }
    response
}

/// Serves until the task is ended.
pub(crate) async fn serve(listener: TcpListener, front: Front) {
    let router = router(front);
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            taken = listener.accept() => match taken {
                Ok((stream, _)) => drop(connections.spawn(connection(stream, router.clone()))),
                // Out of file handles: wait for some to come back instead of asking again at once.
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Serves one connection. A service that fails makes hyper close the connection without an answer, which is how a
/// lost answer is played.
async fn connection(stream: TcpStream, router: Router) {
    let _ = stream.set_nodelay(true);
    let router = TowerToHyperService::new(router);
    let service = hyper::service::service_fn(move |request: Request<hyper::body::Incoming>| {
        let answering = router.call(request.map(Body::new));
        async move {
            match answering.await {
                Ok(response) if response.extensions().get::<Cut>().is_some() => Err("cut by a fault"),
                Ok(response) => Ok(response),
                Err(never) => match never {},
            }
        }
    });
    // What goes wrong on a connection is the client's to notice.
    let _ = http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service).await;
}

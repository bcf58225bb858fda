//! The same commands and screens as the window's, over loopback HTTP. Three things must hold for a request to be
//! taken: it names this computer as its host (so that a foreign name bound to 127.0.0.1 gets nothing), it comes from
//! our own pages if it says where it comes from, and it bears the cookie that only the one-time link gives.

use std::{convert::Infallible, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Path, Query, Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware::{self, Next},
    response::{
        Html, IntoResponse, Redirect, Response,
        sse::{Event, KeepAlive, Sse},
    },
    routing::{get, post},
};
use futures_util::{StreamExt as _, stream};
use reprise_core::{
    address::only_here,
    commands::wire::Problem,
    desk::Desk,
    error::{Code, Error, Result},
};
use serde::Deserialize;
use subtle::ConstantTimeEq as _;
use tokio::{net::TcpListener, sync::Mutex};

/// Everything a page may load: our own files, and nothing inline.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Beginning of the name of the cookie that stands for the one-time link. The port completes it: browsers keep the
/// cookies of all ports of this computer together, and two logs may be shown at once.
const COOKIE: &str = "reprise-";

/// The built screens, inside the program.
#[derive(rust_embed::Embed)]
#[folder = "ui/dist"]
struct Screens;

struct Door {
    desk: Desk,
    address: SocketAddr,
    /// Given out once, in the printed link.
    token: Mutex<Option<String>>,
    /// Given to the browser that used the link, under the name of its cookie.
    pass: String,
}

impl Door {
    fn cookie(&self) -> String {
        format!("{COOKIE}{}", self.address.port())
    }
}

/// The screens, being served.
pub(crate) struct Served {
    /// The one-time link.
    pub(crate) link: String,
    task: tokio::task::JoinHandle<std::io::Result<()>>,
}

impl Served {
    /// Stops serving; open streams are cut.
    pub(crate) fn stop(self) {
        self.task.abort();
    }
}

/// Serves the screens of `desk` on a loopback address.
pub(crate) async fn start(desk: Desk, on: SocketAddr) -> Result<Served> {
    only_here(on, "The screens show everything in the log, so they are served on this computer only.")?;
    let listener = TcpListener::bind(on).await.map_err(|cause| {
        Error::caused(
            Code::Busy,
            format!("{on} is taken by another program. Choose another port with --on, or 0 for any."),
            cause,
        )
    })?;
    let address = listener.local_addr()?;
    let (token, pass) = (desk.clock().new_id(), desk.clock().new_id());
    let link = format!("http://{address}/?token={token}");
    let door = Arc::new(Door { desk, address, token: Mutex::new(Some(token)), pass });
    let app = Router::new()
        .route("/", get(first_page))
        .route("/call/{name}", post(call))
        .route("/upload/{name}", post(upload))
        .route("/notices", get(notices))
        .route("/{*file}", get(file))
        .layer(middleware::from_fn_with_state(Arc::clone(&door), guard))
        .with_state(door);
    let task = tokio::spawn(async move { axum::serve(listener, app).await });
    Ok(Served { link, task })
}

/// Refuses whatever does not come from our own page in the browser that used the link.
async fn guard(State(door): State<Arc<Door>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let refused = if !names_us(headers, door.address) {
        Some("This address belongs to Reprise on this computer and is not served under another name.")
    } else if !from_us(&request, door.address) {
        Some("Only Reprise's own pages may ask this.")
    } else if !bears_pass(headers, &door) && request.uri().path() != "/" {
        Some("Open the link that `reprise serve` printed; it works once. Start it again for a new one.")
    } else {
        None
    };
    let mut response = match refused {
        Some(why) => (StatusCode::FORBIDDEN, why).into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// True if the request's `Host` is this very address or `localhost` at its port.
fn names_us(headers: &HeaderMap, address: SocketAddr) -> bool {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    host == Some(&address.to_string()) || host == Some(&format!("localhost:{}", address.port()))
}

/// True unless the browser says that another site, or another port of this computer, sent this. Only reading the page
/// itself may come from elsewhere: a link that was clicked.
fn from_us(request: &Request, address: SocketAddr) -> bool {
    let headers = request.headers();
    let clicked = request.method() == Method::GET && request.uri().path() == "/";
    let ours = |origin: &HeaderValue| {
        origin.to_str().is_ok_and(|origin| {
            origin == format!("http://{address}") || origin == format!("http://localhost:{}", address.port())
        })
    };
    match headers.get(header::ORIGIN) {
        Some(origin) => ours(origin),
        None => clicked || headers.get("sec-fetch-site").is_none_or(|site| site == "same-origin" || site == "none"),
    }
}

fn bears_pass(headers: &HeaderMap, door: &Door) -> bool {
    let name = door.cookie();
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|cookies| cookies.to_str().ok())
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|cookie| cookie.trim().strip_prefix(name.as_str())?.strip_prefix('='))
        .any(|value| value.as_bytes().ct_eq(door.pass.as_bytes()).into())
}

#[derive(Deserialize)]
struct Link {
    token: Option<String>,
}

async fn first_page(State(door): State<Arc<Door>>, Query(link): Query<Link>, headers: HeaderMap) -> Response {
    if let Some(given) = link.token {
        let mut token = door.token.lock().await;
        let fits = token.as_ref().is_some_and(|token| bool::from(token.as_bytes().ct_eq(given.as_bytes())));
        if fits {
            *token = None;
            let cookie = format!("{}={}; HttpOnly; SameSite=Strict; Path=/", door.cookie(), door.pass);
            return ([(header::SET_COOKIE, cookie)], Redirect::to("/")).into_response();
        }
        if bears_pass(&headers, &door) {
            return Redirect::to("/").into_response();
        }
    }
    if bears_pass(&headers, &door) {
        return page("index.html");
    }
    let text = "<!doctype html><title>Reprise</title><p>This link was used already, or it is not the whole link. \
                Start <code>reprise serve</code> again and open the address it prints.";
    (StatusCode::FORBIDDEN, Html(text)).into_response()
}

async fn file(Path(file): Path<String>) -> Response {
    page(&file)
}

fn page(file: &str) -> Response {
    match Screens::get(file) {
        Some(found) => {
            ([(header::CONTENT_TYPE, found.metadata.mimetype().to_owned())], found.data.into_owned()).into_response()
        }
        None => (StatusCode::NOT_FOUND, "There is no such page.").into_response(),
    }
}

async fn call(State(door): State<Arc<Door>>, Path(name): Path<String>, body: Bytes) -> Response {
    let args = if body.is_empty() { Ok(serde_json::json!({})) } else { serde_json::from_slice(&body) };
    let answer = match args {
        Ok(args) => door.desk.call(&name, args).await,
        Err(_) => Err(Error::usage("The request is no JSON.")),
    };
    match answer {
        Ok(value) => axum::Json(value).into_response(),
        Err(problem) => {
            tracing::warn!(call = name, %problem, "a call failed");
            (status_of(problem.code), axum::Json(Problem::from(&problem))).into_response()
        }
    }
}

/// Takes a file for an import, piece by piece onto the disk, never whole into memory.
async fn upload(State(door): State<Arc<Door>>, Path(name): Path<String>, request: Request) -> Response {
    let size = request.headers().get(header::CONTENT_LENGTH).and_then(|size| size.to_str().ok()?.parse().ok());
    match take(&door.desk, &name, size, request.into_body()).await {
        Ok(upload) => axum::Json(serde_json::json!({ "upload": upload })).into_response(),
        Err(problem) => {
            tracing::warn!(%problem, "a file was not taken");
            (status_of(problem.code), axum::Json(Problem::from(&problem))).into_response()
        }
    }
}

async fn take(desk: &Desk, name: &str, size: Option<u64>, body: Body) -> Result<String> {
    let mut upload = desk.begin_upload(name, size)?;
    let mut pieces = body.into_data_stream();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|cause| {
            Error::caused(Code::Usage, "The file did not come in whole, so nothing of it was taken.", cause)
        })?;
        upload.write(&piece)?;
    }
    Ok(desk.end_upload(upload))
}

const fn status_of(code: Code) -> StatusCode {
    match code {
        Code::Usage => StatusCode::BAD_REQUEST,
        Code::Refused | Code::Busy => StatusCode::CONFLICT,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::NewerFile | Code::Storage | Code::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        Code::Unreachable => StatusCode::BAD_GATEWAY,
    }
}

/// A stream of notice numbers, the present one first, so that a page that was away pulls anew.
async fn notices(State(door): State<Arc<Door>>) -> impl IntoResponse {
    let mut seen = door.desk.notices();
    seen.mark_changed();
    let events = stream::unfold(seen, |mut seen| async move {
        seen.changed().await.ok()?;
        let n = *seen.borrow_and_update();
        Some((Ok::<_, Infallible>(Event::default().data(format!("{{\"n\":{n}}}"))), seen))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(Duration::from_secs(15)))
}

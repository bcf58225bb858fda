//! The only way out: requests to Pozy over HTTP. Never follows a redirect, never sends again by itself, speaks plain
//! http only to loopback, and tells a request that never left from one whose answer was lost (design 4.3, 4.4).

use std::{net::IpAddr, time::Duration};

use reqwest::{
    Method, Url,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, InvalidHeaderName, InvalidHeaderValue},
    redirect, retry,
};
use serde::Deserialize;
use serde_json::json;

use super::{accounts, answers::Answer, block::WORD_MAX, contract::Contract};
use crate::{
    address::stays_here,
    error::{Code, Error, Result},
    ids::PostId,
    secrets::Secret,
};

/// A request whose answer is not here after this is given up (design 4.4).
const PATIENCE: Duration = Duration::from_secs(60);
/// A connection that cannot be made is given up after this; nothing has left by then.
const CONNECT: Duration = Duration::from_secs(10);
/// Most bytes of an answer that are kept.
const CAP: usize = 1 << 20;
/// Header with the id that is new per job and constant over its attempts (R14).
const REQUEST_ID: &str = "x-request-id";
/// Header of every answer of a sandbox.
const SANDBOX: &str = "x-pozy-sandbox";

/// A connection to one base address with one API key. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    base: Url,
    api_key: Secret,
    key_header: String,
    patience: Duration,
}

/// A request of a job, exactly as it is sent on every attempt.
#[derive(Clone, Debug)]
pub struct Order<'a> {
    /// HTTP method.
    pub method: &'a str,
    /// Path that begins with `/`.
    pub path: &'a str,
    /// The key, sent as it is and without quotes.
    pub key: Option<&'a str>,
    /// The job's request id.
    pub request_id: Option<&'a str>,
    /// The frozen bytes.
    pub body: &'a [u8],
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sent {
    /// An answer came.
    Answered(Answer),
    /// None came in time.
    Timeout,
    /// The connection broke after bytes may have left.
    Reset,
    /// Nothing left: no connection could be made.
    NotSent,
}

/// A webhook as Pozy lists it.
#[derive(Clone, Debug, Deserialize)]
pub struct Webhook {
    /// Its id.
    #[serde(rename = "_id")]
    pub id: String,
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// Where it sends.
    #[serde(default)]
    pub url: String,
    /// What it sends; empty means all.
    #[serde(default)]
    pub events: Vec<String>,
    /// False if it was switched off.
    #[serde(default = "yes", rename = "isActive")]
    pub active: bool,
}

const fn yes() -> bool {
    true
}

/// The path of one post.
///
/// # Errors
/// `Usage` if the id cannot be put into a path.
pub fn post_path(post: &PostId) -> Result<String> {
    let id = post.as_str();
    let plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if id.is_empty() || id.len() > WORD_MAX || !plain {
        let start: String = id.chars().take(60).collect();
        return Err(Error::usage(format!("`{start}` is no id of a post, so Pozy was not asked about it.")));
    }
    Ok(format!("/v1/posts/{post}"))
}

impl Client {
    /// A client for `base_url`, with or without a trailing `/` or `/v1`.
    ///
    /// # Errors
    /// `Usage` if the address is none, holds a password, or is plain http beyond loopback.
    pub fn new(base_url: &str, api_key: Secret, contract: &Contract) -> Result<Self> {
        let base = base(base_url)?;
        let http = reqwest::Client::builder()
            .user_agent(concat!("reprise/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .pool_max_idle_per_host(0)
            .connect_timeout(CONNECT);
        // A proxy of the system has no business between two programs of this computer.
        let http = if is_loopback(&base) { http.no_proxy() } else { http };
        let http = http
            .build()
            .map_err(|cause| Error::caused(Code::Internal, "The part that speaks https could not start.", cause))?;
        Ok(Self { http, base, api_key, key_header: contract.key_header.clone(), patience: PATIENCE })
    }

    /// The same client with another patience for answers.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The base address without `/v1` and without a trailing `/`: one spelling for one connection.
    #[must_use]
    pub fn base_url(&self) -> &str {
        spelled(&self.base)
    }

    /// Sends a job's request once.
    ///
    /// # Errors
    /// `Usage` if it cannot be put into a request at all; nothing left then.
    pub async fn send(&self, order: &Order<'_>) -> Result<Sent> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(key) = order.key {
            headers.insert(name(&self.key_header)?, value(key)?);
        }
        if let Some(id) = order.request_id {
            headers.insert(name(REQUEST_ID)?, value(id)?);
        }
        self.call(order.method, order.path, headers, Some(order.body.to_vec())).await
    }

    /// Reads `path`, which may hold a query.
    ///
    /// # Errors
    /// `Usage` if the path cannot be put into a request.
    pub async fn get(&self, path: &str) -> Result<Sent> {
        self.call("GET", path, HeaderMap::new(), None).await
    }

    /// Reads one post.
    ///
    /// # Errors
    /// `Usage` if the id cannot be put into a path.
    pub async fn post(&self, post: &PostId) -> Result<Sent> {
        self.get(&post_path(post)?).await
    }

    /// Reads one page of accounts, counted from 1.
    ///
    /// # Errors
    /// `Usage` if the path cannot be put into a request.
    pub async fn accounts(&self, page: u32) -> Result<Sent> {
        self.get(&accounts::path(page)).await
    }

    /// The registered webhooks.
    ///
    /// # Errors
    /// `Unreachable` if no usable answer came.
    pub async fn webhooks(&self) -> Result<Vec<Webhook>> {
        #[derive(Deserialize)]
        struct Listed {
            webhooks: Vec<Webhook>,
        }
        let answer = self.get("/v1/webhooks/settings").await?.usable("The webhooks could not be read.")?;
        serde_json::from_slice::<Listed>(&answer.body)
            .map(|listed| listed.webhooks)
            .map_err(|cause| Error::caused(Code::Unreachable, "Pozy's list of webhooks cannot be read.", cause))
    }

    /// Fires one test webhook; `event` names a sample, none the plain test. Sent once, whatever comes of it.
    ///
    /// # Errors
    /// `Usage` if it cannot be put into a request.
    pub async fn test_webhook(&self, webhook: &str, event: Option<&str>) -> Result<Sent> {
        let mut body = json!({ "webhookId": webhook });
        if let Some(event) = event {
            body["event"] = event.into();
        }
        self.write("POST", "/v1/webhooks/test", &body).await
    }

    /// Registers `url` under `name` for all events, in place of an older one of that name (contract, command line).
    /// Without a secret Pozy signs as it does for everybody. Gives its id.
    ///
    /// # Errors
    /// `Unreachable` if Pozy did not take it.
    pub async fn register_webhook(
        &self,
        name: &str,
        url: &str,
        secret: Option<&Secret>,
        events: &[String],
    ) -> Result<String> {
        #[derive(Deserialize)]
        struct Made {
            webhook: Webhook,
        }
        let mut body = json!({ "name": name, "url": url, "events": events, "isActive": true });
        if let Some(secret) = secret {
            body["secret"] = secret.reveal().into();
        }
        let known = self.webhooks().await?.into_iter().find(|webhook| webhook.name == name);
        let method = match &known {
            Some(webhook) => {
                body["_id"] = webhook.id.as_str().into();
                "PUT"
            }
            None => "POST",
        };
        let answer = self.write(method, "/v1/webhooks/settings", &body).await?;
        let answer = answer.usable("This receiver could not be registered.")?;
        serde_json::from_slice::<Made>(&answer.body).map(|made| made.webhook.id).map_err(|cause| {
            Error::caused(Code::Unreachable, "Pozy's answer to registering the receiver cannot be read.", cause)
        })
    }

    /// True if the other side is a sandbox: a loopback address whose answers say so. Nowhere else is it asked.
    ///
    /// # Errors
    /// `Unreachable` if the loopback address does not answer.
    pub async fn is_sandbox(&self) -> Result<bool> {
        if !is_loopback(&self.base) {
            return Ok(false);
        }
        match self.get("/v1/webhooks/settings").await? {
            Sent::Answered(answer) => Ok(answer.header(SANDBOX) == Some("1")),
            Sent::Timeout | Sent::Reset | Sent::NotSent => Err(Error::new(
                Code::Unreachable,
                format!("Nothing answers at {}. Is the sandbox running?", self.base_url()),
            )),
        }
    }

    async fn write(&self, method: &str, path: &str, body: &serde_json::Value) -> Result<Sent> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        self.call(method, path, headers, Some(body.to_string().into_bytes())).await
    }

    async fn call(&self, method: &str, path: &str, headers: HeaderMap, body: Option<Vec<u8>>) -> Result<Sent> {
        let method = Method::from_bytes(method.as_bytes())
            .map_err(|cause| Error::caused(Code::Usage, format!("`{method}` is no HTTP method."), cause))?;
        let mut authorization = value(&format!("Bearer {}", self.api_key.reveal()))?;
        authorization.set_sensitive(true);
        let mut request = self
            .http
            .request(method, self.url(path)?)
            .timeout(self.patience)
            .headers(headers)
            .header(AUTHORIZATION, authorization);
        if let Some(body) = body {
            request = request.body(body);
        }
        match request.send().await {
            Ok(response) => Ok(take(response).await),
            Err(failure) => Ok(lost(&failure)),
        }
    }

    /// `path` under the base address and nowhere else, as it stands: what is checked is what the other side reads.
    ///
    /// # Errors
    /// `Usage` if it would lead elsewhere, or is a spelling that stands for another path.
    pub fn url(&self, path: &str) -> Result<Url> {
        let problem = || Error::usage(format!("`{path}` is no path of an API, such as /v1/posts. Nothing was sent."));
        if !path.starts_with('/') || path.starts_with("//") || path.contains(['\\', '#']) {
            return Err(problem());
        }
        let url: Url = format!("{}{path}", self.base_url()).parse().map_err(|_| problem())?;
        let typed = path.split('?').next().unwrap_or_default();
        let stands = url.path().ends_with(typed) && !hides_letters(typed);
        if stands && url.origin() == self.base.origin() { Ok(url) } else { Err(problem()) }
    }
}

/// True if a letter, a digit or a sign that needs no cover is written as `%` and two digits.
fn hides_letters(path: &str) -> bool {
    path.match_indices('%').any(|(at, _)| {
        let code = path.get(at + 1..at + 3).and_then(|code| u8::from_str_radix(code, 16).ok());
        code.is_some_and(|sign| sign.is_ascii_alphanumeric() || b"-._~".contains(&sign))
    })
}

impl Sent {
    /// The answer if it is a 2xx.
    ///
    /// # Errors
    /// `Unreachable` that begins with `what` and says why not.
    pub fn usable(self, what: &str) -> Result<Answer> {
        let why = match self {
            Self::Answered(answer) if (200..300).contains(&answer.status) => return Ok(answer),
            Self::Answered(answer) => format!("Pozy answered {}.", answer.status),
            Self::Timeout => "No answer came in time.".to_owned(),
            Self::Reset => "The connection broke.".to_owned(),
            Self::NotSent => "No connection could be made.".to_owned(),
        };
        Err(Error::new(Code::Unreachable, format!("{what} {why}")))
    }
}

/// Takes an answer in, up to the cap. Once the status of a success is here the post is made, so a body that breaks
/// off only costs what it would have said; any other answer needs its body to be understood.
async fn take(mut response: reqwest::Response) -> Sent {
    let status = response.status();
    let headers = response.headers().iter();
    let headers = headers
        .map(|(name, value)| (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect();
    let mut body = Vec::new();
    while body.len() < CAP {
        match response.chunk().await {
            Ok(Some(chunk)) => body.extend_from_slice(&chunk[..chunk.len().min(CAP - body.len())]),
            Ok(None) => break,
            Err(_) if status.is_success() => break,
            Err(failure) => return lost(&failure),
        }
    }
    Sent::Answered(Answer { status: status.as_u16(), headers, body })
}

/// What a failed request means for what may have reached Pozy. Connections are made anew for each request, so a
/// failure to connect is the proof that nothing left.
fn lost(failure: &reqwest::Error) -> Sent {
    if failure.is_connect() || failure.is_builder() {
        Sent::NotSent
    } else if failure.is_timeout() {
        Sent::Timeout
    } else {
        Sent::Reset
    }
}

/// The one spelling of the base address that `text` means: without `/v1` and without a trailing `/`.
///
/// # Errors
/// `Usage` if it is none, holds a name or password, or is plain http beyond loopback.
pub fn base_address(text: &str) -> Result<String> {
    Ok(spelled(&base(text)?).to_owned())
}

fn spelled(base: &Url) -> &str {
    base.as_str().trim_end_matches('/')
}

fn base(text: &str) -> Result<Url> {
    let problem = |why: &str| Error::usage(format!("The address of Pozy {why}, such as https://api.pozy.ai."));
    let mut base: Url = text.trim().parse().map_err(|_| problem("must be a full one"))?;
    if !base.has_host() || base.query().is_some() || base.fragment().is_some() {
        return Err(problem("must be a plain one"));
    }
    if !base.username().is_empty() || base.password().is_some() {
        return Err(problem("must not hold a name or password"));
    }
    // Dots in it are resolved by now, so no spelling leaves a `/v1` behind.
    let mut path = base.path().trim_end_matches('/');
    while let Some(rest) = path.strip_suffix("/v1") {
        path = rest.trim_end_matches('/');
    }
    let path = path.to_owned();
    base.set_path(&path);
    match base.scheme() {
        "https" => Ok(base),
        "http" if is_loopback(&base) => Ok(base),
        _ => Err(problem("must begin with https (plain http goes only to this computer)")),
    }
}

/// True for an address that never leaves this computer.
fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(stays_here)
}

fn name(text: &str) -> Result<HeaderName> {
    text.parse().map_err(|cause: InvalidHeaderName| {
        Error::caused(Code::Usage, format!("`{text}` is no name of a header. Nothing was sent."), cause)
    })
}

/// The value itself is left out of the message: it may be a secret.
fn value(text: &str) -> Result<HeaderValue> {
    HeaderValue::from_str(text).map_err(|cause: InvalidHeaderValue| {
        Error::caused(Code::Usage, "A key holds a character that no header can carry. Nothing was sent.", cause)
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn client(base: &str) -> Result<Client> {
        Client::new(base, Secret::new("sk_plum").unwrap(), &Contract::shipped("pozy").unwrap())
    }

    #[rstest]
    #[case("https://api.pozy.ai/v1/", Some("https://api.pozy.ai"))]
    #[case("HTTPS://API.pozy.ai", Some("https://api.pozy.ai"))]
    #[case("https://api.pozy.ai/b/v1/.", Some("https://api.pozy.ai/b"))]
    #[case("https://api.pozy.ai/v1/v1//", Some("https://api.pozy.ai"))]
    #[case("http://127.0.0.1:9", Some("http://127.0.0.1:9"))]
    #[case("http://[::1]:9/v1", Some("http://[::1]:9"))]
    #[case("http://localhost:9", Some("http://localhost:9"))]
    #[case("http://api.pozy.ai", None)]
    #[case("http://127.0.0.1.example:9", None)]
    #[case("http://localhost.example", None)]
    #[case("https://me:pw@api.pozy.ai", None)]
    #[case("ftp://127.0.0.1", None)]
    #[case("api.pozy.ai", None)]
    fn plain_http_goes_only_to_this_computer(#[case] text: &str, #[case] base: Option<&str>) {
        assert_eq!(client(text).ok().as_ref().map(Client::base_url), base);
    }

    #[rstest]
    #[case("/v1/posts", true)]
    #[case("/v1/posts/po_1?x=1", true)]
    #[case("v1/posts", false)]
    #[case("//elsewhere.example/v1", false)]
    #[case("/\\elsewhere.example", false)]
    #[case("@elsewhere.example/", false)]
    #[case("/v1/./posts", false)]
    #[case("/v1/media/../posts", false)]
    #[case("/v1/media/%2E%2e/posts", false)]
    #[case("/v1/%70osts", false)]
    #[case("/v1/po\tsts", false)]
    #[case("/v1/posts/po%201", true)]
    fn a_path_never_leads_elsewhere(#[case] path: &str, #[case] fine: bool) {
        assert_eq!(client("https://api.pozy.ai").unwrap().url(path).is_ok(), fine);
    }

    #[rstest]
    #[case("po_1-A", true)]
    #[case("", false)]
    #[case("..", false)]
    #[case("po/../../accounts", false)]
    #[case("po?x=1", false)]
    #[case("po#", false)]
    #[case("po%2f", false)]
    #[case("po\r\nX: y", false)]
    #[case("p\u{f6}", false)]
    fn an_id_that_pozy_told_never_bends_a_path(#[case] id: &str, #[case] fine: bool) {
        assert_eq!(post_path(&PostId::new(id)).is_ok(), fine);
        assert!(post_path(&PostId::new("a".repeat(WORD_MAX + 1))).is_err());
    }

    #[test]
    fn the_api_key_is_in_no_message() {
        assert!(!format!("{:?}", client("https://api.pozy.ai").unwrap()).contains("plum"));
    }
}

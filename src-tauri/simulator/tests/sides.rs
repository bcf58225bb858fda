//! A client of the sandbox and a receiver of its deliveries, with nothing of the sandbox's own code in them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use pozy_sandbox::{Fault, Handle, Options, Pace, Sandbox};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

pub(crate) const HOUR: u64 = 3600;
pub(crate) const NINE: &str = "2026-03-02T09:00:00Z";

/// An answer with its headers.
#[derive(Debug)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Got {
    pub(crate) fn post(&self) -> String {
        self.body["post"]["_id"].as_str().unwrap().to_owned()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().unwrap()
    }
}

pub(crate) struct Pozy {
    pub(crate) handle: Handle,
    client: reqwest::Client,
}

/// A sandbox whose clock stands at nine in the morning.
pub(crate) async fn at_nine() -> Pozy {
    start(Options { pace: Pace::Manual, now: Some(NINE.parse().unwrap()), ..Options::default() }).await
}

pub(crate) async fn start(options: Options) -> Pozy {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    Pozy { handle: Sandbox::start(options).await.unwrap(), client }
}

pub(crate) async fn got(request: RequestBuilder) -> Got {
    let answer = request.send().await.unwrap();
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    let text = answer.text().await.unwrap();
    Got { status, headers, body: serde_json::from_str(&text).unwrap_or(Value::String(text)) }
}

impl Pozy {
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.bare(method, path).bearer_auth(self.handle.api_key())
    }

    /// Without an API key.
    pub(crate) fn bare(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.handle.url()))
    }

    pub(crate) async fn get(&self, path: &str) -> Got {
        got(self.request(Method::GET, path)).await
    }

    pub(crate) async fn send(&self, path: &str, body: &Value) -> Got {
        got(self.request(Method::POST, path).json(body)).await
    }

    pub(crate) fn create(&self, key: &str, body: &Value) -> RequestBuilder {
        self.request(Method::POST, "/v1/posts").header("Idempotency-Key", key).json(body)
    }

    pub(crate) async fn created(&self, key: &str, body: &Value) -> String {
        let answer = got(self.create(key, body)).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.post()
    }

    pub(crate) async fn advance(&self, seconds: u64) {
        self.handle.advance(Duration::from_secs(seconds)).await.unwrap();
    }

    pub(crate) fn fault(&self, fault: Value) {
        self.handle.fault(Fault::read(fault).unwrap()).unwrap();
    }

    pub(crate) fn target(&self, post: &str, account: &str, status: &str) {
        let change = json!({"post": post, "account": account, "status": status});
        self.handle.target(serde_json::from_value(change).unwrap()).unwrap();
    }

    pub(crate) fn posts(&self) -> Vec<Value> {
        self.handle.ledger().posts
    }

    /// Registers `url` and gives the webhook's id.
    pub(crate) async fn register(&self, url: &str) -> String {
        let answer = self.send("/v1/webhooks/settings", &json!({"name": "desk", "url": url})).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body["webhook"]["_id"].as_str().unwrap().to_owned()
    }
}

/// A post to one LinkedIn account, due at `time` in London.
pub(crate) fn due(text: &str, time: &str) -> Value {
    json!({
        "content": text,
        "platforms": [{"platform": "linkedin", "accountId": "ac_li"}],
        "scheduledFor": time,
        "timezone": "Europe/London",
    })
}

/// A post that stays scheduled through any test.
pub(crate) fn later(text: &str) -> Value {
    due(text, "2026-05-20T09:00:00")
}

/// A post to two accounts that goes out at once.
pub(crate) fn both_now(text: &str) -> Value {
    json!({
        "content": text,
        "platforms": [
            {"platform": "instagram", "accountId": "ac_ig"},
            {"platform": "linkedin", "accountId": "ac_li"},
        ],
        "publishNow": true,
    })
}

/// One delivery as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Arrived {
    pub(crate) headers: HeaderMap,
    pub(crate) raw: Bytes,
    pub(crate) body: Value,
}

impl Arrived {
    pub(crate) fn name(&self) -> &str {
        self.body["event"].as_str().unwrap()
    }

    pub(crate) fn id(&self) -> &str {
        self.body["id"].as_str().unwrap()
    }
}

/// How the receiver answers the next deliveries; past the list it answers 204 at once.
#[derive(Clone, Copy)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) after: Duration,
}

#[derive(Clone, Default)]
pub(crate) struct Receiver {
    seen: Arc<Mutex<Vec<Arrived>>>,
    replies: Arc<Mutex<Vec<Reply>>>,
    pub(crate) url: String,
}

impl Receiver {
    pub(crate) async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hooks/desk", listener.local_addr().unwrap());
        let receiver = Self { url, ..Self::default() };
        let app = Router::new().route("/hooks/desk", post(take)).with_state(receiver.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        receiver
    }

    /// Answers the next delivery that has no reply yet.
    pub(crate) fn reply(&self, status: u16, after: Duration) {
        self.replies.lock().unwrap().push(Reply { status, after });
    }

    pub(crate) fn seen(&self) -> Vec<Arrived> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.seen().iter().map(|arrived| arrived.name().to_owned()).collect()
    }

    /// Waits until `count` deliveries have come.
    pub(crate) async fn wait(&self, count: usize) -> Vec<Arrived> {
        for _ in 0..500 {
            if self.seen().len() >= count {
                return self.seen();
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{count} deliveries expected, {:?} came", self.names());
    }
}

async fn take(State(receiver): State<Receiver>, headers: HeaderMap, raw: Bytes) -> StatusCode {
    let body = serde_json::from_slice(&raw).unwrap();
    receiver.seen.lock().unwrap().push(Arrived { headers, raw, body });
    let reply = {
        let mut replies = receiver.replies.lock().unwrap();
        if replies.is_empty() { None } else { Some(replies.remove(0)) }
    };
    let Some(reply) = reply else { return StatusCode::NO_CONTENT };
    tokio::time::sleep(reply.after).await;
    StatusCode::from_u16(reply.status).unwrap()
}

//! HTTP of the tests: webhooks to a receiver, control of a sandbox. Signatures come from the sandbox, whose HMAC is not the
//! core's.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use reqwest::{Client, Method};
use serde_json::Value;
use tokio::{
    runtime::{Builder, Runtime},
    sync::Semaphore,
    task::JoinSet,
};

/// A client with a runtime of its own, so that the steps of a scenario stay plain code.
pub(crate) struct Web {
    runtime: Runtime,
    client: Client,
}

/// One request that is sent the same way many times.
pub(crate) struct Letter {
    pub(crate) method: Method,
    pub(crate) url: String,
    pub(crate) headers: BTreeMap<String, String>,
    /// Secret to sign each body with.
    pub(crate) secret: Option<String>,
}

impl Web {
    pub(crate) fn new() -> Result<Self, String> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|cause| cause.to_string())?;
        let client = Client::builder().timeout(Duration::from_secs(30)).build().map_err(|cause| cause.to_string())?;
        Ok(Self { runtime, client })
    }

    /// Lets the time pass.
    pub(crate) fn pause(&self, ms: u64) {
        self.runtime.block_on(async { tokio::time::sleep(Duration::from_millis(ms)).await });
    }

    /// Calls `url` with a JSON body and reads the JSON answer, an object or nothing.
    ///
    /// # Errors
    /// A sentence if there is no answer, or none of 2xx with JSON in it.
    pub(crate) fn json(&self, method: &Method, url: &str, body: &Value) -> Result<Value, String> {
        let mut request = self.client.request(method.clone(), url);
        if !body.is_null() {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        self.runtime.block_on(async {
            let answer = request.send().await.map_err(|cause| cause.to_string())?;
            let status = answer.status();
            let text = answer.text().await.map_err(|cause| cause.to_string())?;
            if !status.is_success() {
                return Err(format!("{method} {url} answered {status}: {text}"));
            }
            if text.is_empty() {
                return Ok(Value::Null);
            }
            serde_json::from_str(&text).map_err(|cause| format!("{url} answered no JSON ({cause}): {text}"))
        })
    }

    /// Sends every body with as many `senders` at the same time, and gives the status of each answer, 0 for none.
    pub(crate) fn send(&self, letter: &Letter, bodies: Vec<Vec<u8>>, senders: usize) -> Vec<u16> {
        self.runtime.block_on(async {
            let places = Arc::new(Semaphore::new(senders));
            let mut sending = JoinSet::new();
            for body in bodies {
                let mut request = self.client.request(letter.method.clone(), &letter.url);
                request = request.header("content-type", "application/json");
                if let Some(secret) = &letter.secret {
                    request = request.header("x-pozy-signature", pozy_sandbox::signature(secret, &body));
                }
                for (name, value) in &letter.headers {
                    request = request.header(name, value);
                }
                let places = Arc::clone(&places);
                sending.spawn(async move {
                    let _place = places.acquire_owned().await;
                    request.body(body).send().await.map_or(0, |answer| answer.status().as_u16())
                });
            }
            sending.join_all().await
        })
    }
}

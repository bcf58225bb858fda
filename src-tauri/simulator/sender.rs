//! Puts deliveries on the wire, each on a connection of its own.

use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, USER_AGENT};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use tokio::task::JoinSet;

use crate::clock::Stopwatch;
use crate::error::Error;
use crate::loopback::is_own_host;
use crate::world::{Happened, Parcel};

/// How much of an answer is kept for the log.
const KEPT: usize = 4096;

/// Sends parcels. A copy of it shares its set-up.
#[derive(Clone)]
pub(crate) struct Sender {
    client: Client,
    deadline: Duration,
}

impl Sender {
    /// No connection is used twice: one that the receiver had closed meanwhile would look like a failed delivery.
    pub(crate) fn new(deadline: Duration) -> Result<Self, Error> {
        let client = Client::builder().redirect(Policy::none()).no_proxy().pool_max_idle_per_host(0).build()?;
        Ok(Self { client, deadline })
    }

    /// Sends all copies of a parcel at once and says what came of each, in no order of importance but the first copy
    /// first.
    pub(crate) async fn send(&self, parcel: &Parcel) -> Vec<Happened> {
        if !parcel.leaves {
            return vec![failed(0, "lost on the way (a fault of the sandbox)".into())];
        }
        let mut copies = JoinSet::new();
        for place in 0..parcel.copies {
            let (sender, request) = (self.clone(), self.request(parcel));
            copies.spawn(async move { (place, sender.one(request).await) });
        }
        let mut all = copies.join_all().await;
        all.sort_by_key(|(place, _)| *place);
        let mut all: Vec<_> = all.into_iter().map(|(_, happened)| happened).collect();
        if parcel.answer_lost {
            for happened in &mut all {
                *happened = failed(happened.took_ms, "the answer was lost (a fault of the sandbox)".into());
            }
        }
        all
    }

    fn request(&self, parcel: &Parcel) -> Result<reqwest::RequestBuilder, String> {
        let url = Url::parse(&parcel.url).ok().filter(is_loopback).ok_or("the sandbox delivers to loopback only")?;
        let mut request = self
            .client
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .header(USER_AGENT, "Pozy-Webhooks/1.0 (sandbox)")
            .body(parcel.body.clone());
        for (name, value) in &parcel.headers {
            request = request.header(name, value);
        }
        Ok(request)
    }

    async fn one(&self, request: Result<reqwest::RequestBuilder, String>) -> Happened {
        let request = match request {
            Ok(request) => request,
            Err(problem) => return failed(0, problem),
        };
        let watch = Stopwatch::start();
        match tokio::time::timeout(self.deadline, exchange(request)).await {
            Ok(Ok((status, answer))) => {
                Happened { status: Some(status), took_ms: watch.millis(), answer, problem: None }
            }
            Ok(Err(problem)) => failed(watch.millis(), format!("no answer: {}", problem.without_url())),
            Err(_) => failed(watch.millis(), "timeout".into()),
        }
    }
}

fn failed(took_ms: u64, problem: String) -> Happened {
    Happened { status: None, took_ms, answer: String::new(), problem: Some(problem) }
}

async fn exchange(request: reqwest::RequestBuilder) -> Result<(u16, String), reqwest::Error> {
    let mut response = request.send().await?;
    let status = response.status().as_u16();
    let mut answer = Vec::new();
    while answer.len() < KEPT
        && let Some(part) = response.chunk().await?
    {
        answer.extend_from_slice(&part);
    }
    answer.truncate(KEPT);
    Ok((status, String::from_utf8_lossy(&answer).into_owned()))
}

/// A practice world must not reach other machines, whatever address is registered.
fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(is_own_host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[rstest::rstest]
    #[case("http://127.0.0.1:80/h", true)]
    #[case("http://localhost:80/h", true)]
    #[case("http://[::1]:80/h", true)]
    #[case("http://192.0.2.7/h", false)]
    #[case("http://localhost.example/h", false)]
    fn only_loopback_is_delivered_to(#[case] url: &str, #[case] ours: bool) {
        assert_eq!(is_loopback(&Url::parse(url).unwrap()), ours);
    }
}

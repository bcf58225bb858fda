//! Deliveries: what is sent, what came of it, when it is tried again, and the log of it (R1 to R4).

use std::collections::HashMap;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::World;
use crate::agenda::Due;
use crate::clock::{after, within, written};
use crate::faults::{Deed, seconds_of};
use crate::ids::{EventId, PostId, WebhookId, WorkspaceId};
use crate::sign::signature;

/// An event as it was when it happened.
pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) post: Option<PostId>,
    pub(crate) test: bool,
    pub(crate) body: Bytes,
}

/// Why a delivery is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// By itself, again by the ladder if it fails.
    Automatic,
    /// By hand, from the log; once.
    Redelivery,
    /// A test event; once.
    Test,
}

/// A delivery that is due.
#[derive(Clone, Debug)]
pub(crate) struct Delivery {
    pub(crate) webhook: WebhookId,
    pub(crate) event: EventId,
    /// Counts the automatic tries, from 1; picks the step of the ladder.
    pub(crate) round: u32,
    /// True once a fault has held it back; it is not held twice.
    pub(crate) held: bool,
    pub(crate) kind: Kind,
}

/// What goes on the wire.
pub(crate) struct Parcel {
    pub(crate) at: DateTime<Utc>,
    pub(crate) url: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Bytes,
    /// How many go out at once.
    pub(crate) copies: u32,
    /// False: a fault keeps it from leaving.
    pub(crate) leaves: bool,
    /// True: a fault loses the answer.
    pub(crate) answer_lost: bool,
}

/// What came of one request.
#[derive(Clone, Debug)]
pub(crate) struct Happened {
    pub(crate) status: Option<u16>,
    pub(crate) took_ms: u64,
    pub(crate) answer: String,
    pub(crate) problem: Option<String>,
}

impl Happened {
    pub(crate) fn is_success(&self) -> bool {
        self.problem.is_none() && self.status.is_some_and(|status| (200..300).contains(&status))
    }
}

/// One try, as the log keeps it.
pub(crate) struct Attempt {
    webhook: WebhookId,
    webhook_name: String,
    event: EventId,
    number: u32,
    kind: Kind,
    url: String,
    at: DateTime<Utc>,
    sent: bool,
    happened: Happened,
}

#[derive(Default)]
pub(crate) struct Mail {
    events: HashMap<EventId, Event>,
    attempts: Vec<Attempt>,
    numbers: HashMap<(WebhookId, EventId), u32>,
}

impl Mail {
    pub(crate) fn add_event(&mut self, id: EventId, event: Event) {
        self.events.insert(id, event);
    }
}

/// What `GET /v1/webhooks/logs` can be asked for.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LogFilter {
    limit: Option<usize>,
    skip: Option<usize>,
    status: Option<String>,
    event: Option<String>,
    webhook_id: Option<WebhookId>,
    event_id: Option<EventId>,
}

/// What `POST /v1/webhooks/logs/redeliver` comes to before anything is sent.
pub(crate) enum Redelivery {
    Send(Delivery),
    NoWebhook,
    NoEvent,
    TooOld,
}

impl World {
    /// Makes a due delivery ready; None if it is not to be sent now: the webhook is gone, or a fault holds it back.
    pub(crate) fn prepare(&mut self, now: DateTime<Utc>, delivery: &Delivery) -> Option<Parcel> {
        let automatic = delivery.kind == Kind::Automatic;
        let webhook = self.webhooks.get(&delivery.webhook).filter(|webhook| webhook.active || !automatic)?;
        let event = self.mail.events.get(&delivery.event)?;
        let first = automatic && delivery.round == 1 && !delivery.held;
        let fault = self.faults.for_delivery(&event.name, first);
        let wait = match fault {
            Some(Deed::Hold { seconds }) => Some(seconds),
            Some(Deed::Shuffle { seconds }) => Some(seconds * self.chance.share()),
            _ => None,
        };
        if let Some(wait) = wait.and_then(|seconds| seconds_of(seconds).ok()) {
            self.agenda.add(after(now, wait), Due::Deliver(Delivery { held: true, ..delivery.clone() }));
            return None;
        }
        let names = &self.options.headers;
        let mut headers =
            vec![(names.event.clone(), event.name.clone()), (names.event_id.clone(), delivery.event.0.clone())];
        if let Some(secret) = &webhook.secret {
            let digits = match fault {
                Some(Deed::WrongSignature) => signature(&format!("not {secret}"), &event.body),
                _ => signature(secret, &event.body),
            };
            headers.push((names.signature.clone(), format!("{}{digits}", names.signature_prefix)));
        }
        Some(Parcel {
            at: now,
            url: webhook.url.clone(),
            headers,
            body: event.body.clone(),
            copies: if let Some(Deed::Copies { copies }) = fault { copies } else { 1 },
            leaves: fault != Some(Deed::Drop),
            answer_lost: fault == Some(Deed::LoseAnswer),
        })
    }

    /// Logs what came of a delivery, one row a copy, and plans the next try if the first copy failed.
    pub(crate) fn record(&mut self, now: DateTime<Utc>, delivery: &Delivery, parcel: &Parcel, all: Vec<Happened>) {
        let succeeded = all.first().is_some_and(Happened::is_success);
        let mut name = String::new();
        if let Some(webhook) = self.webhooks.get_mut(&delivery.webhook) {
            webhook.last_fired_at = Some(parcel.at);
            webhook.failure_count = if succeeded { 0 } else { webhook.failure_count + 1 };
            name.clone_from(&webhook.name);
        }
        for happened in all {
            let number = self.mail.numbers.entry((delivery.webhook.clone(), delivery.event.clone())).or_default();
            *number += 1;
            self.mail.attempts.push(Attempt {
                webhook: delivery.webhook.clone(),
                webhook_name: name.clone(),
                event: delivery.event.clone(),
                number: *number,
                kind: delivery.kind,
                url: parcel.url.clone(),
                at: parcel.at,
                sent: parcel.leaves,
                happened,
            });
        }
        let step = usize::try_from(delivery.round - 1).unwrap_or(usize::MAX);
        if let Some(wait) = self.options.ladder.get(step).filter(|_| !succeeded && delivery.kind == Kind::Automatic) {
            let next = Delivery { round: delivery.round + 1, held: false, ..delivery.clone() };
            self.agenda.add(after(now, *wait), Due::Deliver(next));
        }
    }

    /// Every try so far, oldest first, without bodies.
    pub(crate) fn deliveries_json(&self) -> Vec<Value> {
        self.mail.attempts.iter().map(|attempt| self.attempt_json(attempt)).collect()
    }

    fn attempt_json(&self, attempt: &Attempt) -> Value {
        let event = self.mail.events.get(&attempt.event);
        json!({
            "webhookId": attempt.webhook,
            "webhookName": attempt.webhook_name,
            "eventId": attempt.event,
            "event": event.map(|event| &event.name),
            "post": event.and_then(|event| event.post.as_ref()),
            "test": event.is_some_and(|event| event.test),
            "kind": attempt.kind,
            "url": attempt.url,
            "sent": attempt.sent,
            "status": if attempt.happened.is_success() { "success" } else { "failed" },
            "statusCode": attempt.happened.status,
            "attemptNumber": attempt.number,
            "responseTime": attempt.happened.took_ms,
            "errorMessage": attempt.happened.problem,
            "createdAt": written(attempt.at),
        })
    }

    /// The body of `GET /v1/webhooks/logs`: newest first, with bodies both ways.
    ///
    /// # Errors
    /// One sentence for a page that cannot be.
    pub(crate) fn read_logs(
        &self,
        now: DateTime<Utc>,
        workspace: &WorkspaceId,
        filter: &LogFilter,
    ) -> Result<Value, String> {
        let (limit, skip) = (filter.limit.unwrap_or(50), filter.skip.unwrap_or(0));
        if !(1..=100).contains(&limit) || skip > 10_000 {
            return Err("limit must be 1 to 100 and skip at most 10000".into());
        }
        let life = self.options.contract.log_life;
        let found: Vec<&Attempt> =
            self.mail.attempts.iter().rev().filter(|row| self.shows(row, workspace, filter)).collect();
        let found: Vec<&Attempt> = found.into_iter().filter(|row| within(row.at, life, now)).collect();
        let logs: Vec<Value> = found.iter().skip(skip).take(limit).map(|row| self.log_json(row)).collect();
        let (total, shown) = (found.len(), logs.len());
        Ok(json!({
            "logs": logs,
            "pagination": {
                "total": total, "limit": limit, "skip": skip,
                "pages": total.div_ceil(limit), "hasMore": skip + shown < total,
            },
        }))
    }

    fn shows(&self, row: &Attempt, workspace: &WorkspaceId, filter: &LogFilter) -> bool {
        let status = if row.happened.is_success() { "success" } else { "failed" };
        let name = self.mail.events.get(&row.event).map(|event| &event.name);
        self.webhooks.get(&row.webhook).is_some_and(|webhook| webhook.workspace == *workspace)
            && filter.status.as_deref().is_none_or(|wanted| wanted == status)
            && filter.event.as_ref().is_none_or(|wanted| Some(wanted) == name)
            && filter.webhook_id.as_ref().is_none_or(|wanted| row.webhook == *wanted)
            && filter.event_id.as_ref().is_none_or(|wanted| row.event == *wanted)
    }

    fn log_json(&self, row: &Attempt) -> Value {
        let mut json = self.attempt_json(row);
        json["responseBody"] = json!(row.happened.answer);
        json["requestPayload"] = self
            .mail
            .events
            .get(&row.event)
            .map_or(Value::Null, |event| serde_json::from_slice(&event.body).unwrap_or_default());
        json
    }

    /// Whether an event can be sent again by hand, to the webhook's present address.
    pub(crate) fn plan_redelivery(
        &self,
        now: DateTime<Utc>,
        workspace: &WorkspaceId,
        webhook: &WebhookId,
        event: &EventId,
    ) -> Redelivery {
        if self.find_webhook(workspace, Some(webhook)).is_none() {
            return Redelivery::NoWebhook;
        }
        let life = self.options.contract.log_life;
        let mut rows = self.mail.attempts.iter().rev();
        match rows.find(|row| row.webhook == *webhook && row.event == *event) {
            None => Redelivery::NoEvent,
            Some(row) if !within(row.at, life, now) => Redelivery::TooOld,
            Some(_) => Redelivery::Send(Delivery {
                webhook: webhook.clone(),
                event: event.clone(),
                round: 1,
                held: false,
                kind: Kind::Redelivery,
            }),
        }
    }
}

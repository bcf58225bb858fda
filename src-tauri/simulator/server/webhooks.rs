//! Webhook settings, test events, delivery logs and redelivery (`pozy.md` section 4.2; all but the test is assumed).

use axum::Extension;
use axum::extract::{Query, State};
use bytes::Bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::gate::Caller;
use super::{Front, settled};
use crate::answer::Answer;
use crate::ids::{EventId, WebhookId};
use crate::world::{Delivery, Happened, LogFilter, Redelivery, WebhookChange, WebhookForm};

/// Reads a body whatever its content type says.
///
/// # Errors
/// The answer that says what to fix.
pub(crate) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Answer> {
    serde_json::from_slice(body)
        .map_err(|problem| Answer::error(400, format!("The body does not fit: {problem}"), Some("invalid_request")))
}

fn no_webhook() -> Answer {
    Answer::error(404, "There is no such webhook", Some("not_found"))
}

/// `GET /v1/webhooks/settings`.
pub(crate) async fn list(State(front): State<Front>, Extension(caller): Extension<Caller>) -> Answer {
    Answer::new(200, front.shared.act(|world, _| world.read_webhooks(&caller.0)))
}

/// `POST /v1/webhooks/settings`.
pub(crate) async fn add(State(front): State<Front>, Extension(caller): Extension<Caller>, body: Bytes) -> Answer {
    let form: WebhookForm = match read(&body) {
        Ok(form) => form,
        Err(answer) => return answer,
    };
    let added = front.shared.act(|world, now| world.add_webhook(now, caller.0, form));
    settled(added.map(|webhook| json!({"success": true, "webhook": webhook})))
}

/// `PUT /v1/webhooks/settings`.
pub(crate) async fn change(State(front): State<Front>, Extension(caller): Extension<Caller>, body: Bytes) -> Answer {
    let change: WebhookChange = match read(&body) {
        Ok(change) => change,
        Err(answer) => return answer,
    };
    match front.shared.act(|world, _| world.change_webhook(&caller.0, change)) {
        Ok(None) => no_webhook(),
        Ok(Some(webhook)) => Answer::new(200, json!({"success": true, "webhook": webhook})),
        Err(problem) => settled(Err(problem)),
    }
}

/// What `DELETE /v1/webhooks/settings` is asked with.
#[derive(Deserialize)]
pub(crate) struct Removal {
    id: WebhookId,
}

/// `DELETE /v1/webhooks/settings?id=`.
pub(crate) async fn remove(
    State(front): State<Front>,
    Extension(caller): Extension<Caller>,
    Query(removal): Query<Removal>,
) -> Answer {
    if front.shared.act(|world, _| world.remove_webhook(&caller.0, &removal.id)) {
        Answer::new(200, json!({"success": true}))
    } else {
        no_webhook()
    }
}

/// The body of `POST /v1/webhooks/test`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TestCall {
    webhook_id: Option<WebhookId>,
    event: Option<String>,
}

/// `POST /v1/webhooks/test`: one try at once, never repeated, whatever events the webhook lists.
pub(crate) async fn test(State(front): State<Front>, Extension(caller): Extension<Caller>, body: Bytes) -> Answer {
    let call: TestCall = match read(&body) {
        Ok(call) => call,
        Err(answer) => return answer,
    };
    let Some(webhook) = front.shared.act(|world, _| world.find_webhook(&caller.0, call.webhook_id.as_ref())) else {
        return no_webhook();
    };
    match front.shared.act(|world, now| world.make_test(now, webhook, call.event.as_deref())) {
        Ok(delivery) => match by_hand(&front, delivery).await {
            Ok(()) => Answer::new(200, json!({"success": true, "message": "Test webhook sent successfully"})),
            Err(problem) => Answer::error(500, format!("Test webhook failed: {problem}"), Some("webhook_failed")),
        },
        Err(problem) => settled(Err(problem)),
    }
}

/// `GET /v1/webhooks/logs`.
pub(crate) async fn logs(
    State(front): State<Front>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<LogFilter>,
) -> Answer {
    settled(front.shared.act(|world, now| world.read_logs(now, &caller.0, &filter)))
}

/// The body of `POST /v1/webhooks/logs/redeliver`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RedeliverCall {
    webhook_id: WebhookId,
    event_id: EventId,
}

/// `POST /v1/webhooks/logs/redeliver`: the same bytes with the same event id, to the webhook's present address.
pub(crate) async fn redeliver(State(front): State<Front>, Extension(caller): Extension<Caller>, body: Bytes) -> Answer {
    let call: RedeliverCall = match read(&body) {
        Ok(call) => call,
        Err(answer) => return answer,
    };
    let planned =
        front.shared.act(|world, now| world.plan_redelivery(now, &caller.0, &call.webhook_id, &call.event_id));
    match planned {
        Redelivery::NoWebhook => no_webhook(),
        Redelivery::NoEvent => Answer::error(404, "This event was never sent there", Some("not_found")),
        Redelivery::TooOld => Answer::error(422, "This event is too old to be sent again", Some("not_replayable")),
        Redelivery::Send(delivery) => match by_hand(&front, delivery).await {
            Ok(()) => Answer::new(200, json!({"success": true, "message": "Event redelivered"})),
            Err(problem) => Answer::error(502, format!("The endpoint failed again: {problem}"), Some("webhook_failed")),
        },
    }
}

/// Sends to the end even if the client that asked goes away meanwhile.
async fn by_hand(front: &Front, delivery: Delivery) -> Result<(), String> {
    let shared = front.shared.clone();
    let sent = tokio::spawn(async move { shared.deliver(&delivery).await }).await;
    match sent.ok().flatten() {
        Some(happened) if happened.is_success() => Ok(()),
        Some(Happened { problem: Some(problem), .. }) => Err(problem),
        Some(Happened { status, .. }) => Err(format!("it answered {}", status.unwrap_or_default())),
        None => Err("it could not be sent".into()),
    }
}

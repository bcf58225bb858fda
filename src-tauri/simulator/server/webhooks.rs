//! Webhook settings, test events, delivery logs and redelivery (`pozy.md` section 4.2; all but the test is assumed).

use axum::Extension;
use axum::extract::State;
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};

use super::gate::Caller;
use super::{Answered, Asked, Front, missing, read, to_mend};
use crate::answer::Answer;
use crate::ids::{EventId, WebhookId};
use crate::world::{Delivery, Happened, LogFilter, Redelivery, WebhookChange, WebhookForm};

fn success(mut more: Value) -> Answer {
    more["success"] = json!(true);
    Answer::new(200, more)
}

/// `GET /v1/webhooks/settings`.
pub(crate) async fn list(State(front): State<Front>, Extension(caller): Extension<Caller>) -> Answer {
    Answer::new(200, front.shared.act(|world, _| world.read_webhooks(&caller.0)))
}

/// `POST /v1/webhooks/settings`.
pub(crate) async fn add(State(front): State<Front>, Extension(caller): Extension<Caller>, body: Bytes) -> Answered {
    let form: WebhookForm = read(&body)?;
    let webhook = front.shared.act(|world, now| world.add_webhook(now, caller.0, form)).map_err(to_mend)?;
    Ok(success(json!({"webhook": webhook})))
}

/// `PUT /v1/webhooks/settings`.
pub(crate) async fn change(State(front): State<Front>, Extension(caller): Extension<Caller>, body: Bytes) -> Answered {
    let change: WebhookChange = read(&body)?;
    let changed = front.shared.act(|world, _| world.change_webhook(&caller.0, change)).map_err(to_mend)?;
    Ok(success(json!({"webhook": changed.ok_or_else(|| missing("webhook"))?})))
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
    Asked(removal): Asked<Removal>,
) -> Answered {
    let removed = front.shared.act(|world, _| world.remove_webhook(&caller.0, &removal.id));
    if removed { Ok(success(json!({}))) } else { Err(missing("webhook")) }
}

/// The body of `POST /v1/webhooks/test`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TestCall {
    webhook_id: Option<WebhookId>,
    event: Option<String>,
}

/// `POST /v1/webhooks/test`: one try at once, never repeated, whatever events the webhook lists.
pub(crate) async fn test(State(front): State<Front>, Extension(caller): Extension<Caller>, body: Bytes) -> Answered {
    let call: TestCall = read(&body)?;
    let webhook = front.shared.act(|world, _| world.find_webhook(&caller.0, call.webhook_id.as_ref()));
    let webhook = webhook.ok_or_else(|| missing("webhook"))?;
    let delivery =
        front.shared.act(|world, now| world.make_test(now, webhook, call.event.as_deref())).map_err(to_mend)?;
    by_hand(&front, delivery).await.map_err(|problem| {
        Answer::error(500, format!("The test was not answered well: {problem}"), Some("webhook_failed"))
    })?;
    Ok(success(json!({"message": "Test webhook sent successfully"})))
}

/// `GET /v1/webhooks/logs`.
pub(crate) async fn logs(
    State(front): State<Front>,
    Extension(caller): Extension<Caller>,
    Asked(filter): Asked<LogFilter>,
) -> Answered {
    let logs = front.shared.act(|world, now| world.read_logs(now, &caller.0, &filter)).map_err(to_mend)?;
    Ok(Answer::new(200, logs))
}

/// The body of `POST /v1/webhooks/logs/redeliver`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RedeliverCall {
    webhook_id: WebhookId,
    event_id: EventId,
}

/// `POST /v1/webhooks/logs/redeliver`: the same bytes with the same event id, to the webhook's present address.
pub(crate) async fn redeliver(
    State(front): State<Front>,
    Extension(caller): Extension<Caller>,
    body: Bytes,
) -> Answered {
    let call: RedeliverCall = read(&body)?;
    let planned =
        front.shared.act(|world, now| world.plan_redelivery(now, &caller.0, &call.webhook_id, &call.event_id));
    let delivery = match planned {
        Redelivery::NoWebhook => return Err(missing("webhook")),
        Redelivery::NoEvent => return Err(missing("event in the log of this webhook")),
        Redelivery::TooOld => {
            return Err(Answer::error(422, "This event is too old to be sent again", Some("not_replayable")));
        }
        Redelivery::Send(delivery) => delivery,
    };
    by_hand(&front, delivery).await.map_err(|problem| {
        Answer::error(502, format!("The endpoint failed again: {problem}"), Some("webhook_failed"))
    })?;
    Ok(success(json!({"message": "Event redelivered"})))
}

/// Sends to the end even if the client that asked goes away meanwhile.
///
/// # Errors
/// What went wrong, for the answer.
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

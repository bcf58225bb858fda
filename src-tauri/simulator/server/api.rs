//! Posts, messages and accounts.

use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use bytes::Bytes;
use serde::Deserialize;

use super::gate::{Caller, Slow};
use super::{Front, settled};
use crate::answer::Answer;
use crate::ids::PostId;
use crate::world::{Begun, CreateCall, PostFilter};

/// The key of a request, if it has one.
///
/// # Errors
/// The answer to a key that is no text.
fn key_of(headers: &HeaderMap) -> Result<Option<String>, Answer> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(None) };
    match value.to_str() {
        Ok(key) => Ok(Some(key.to_owned())),
        Err(_) => Err(Answer::error(400, "Idempotency-Key must be visible ASCII", Some("invalid_idempotency_key"))),
    }
}

/// `POST /v1/posts`.
pub(crate) async fn create_post(
    State(front): State<Front>,
    Extension(caller): Extension<Caller>,
    slow: Option<Extension<Slow>>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    let key = match key_of(&headers) {
        Ok(key) => key,
        Err(answer) => return answer,
    };
    let request_id = headers.get("x-request-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
    let takes = slow.map(|Extension(slow)| slow.0);
    let call = CreateCall { workspace: caller.0, key, request_id, body, takes };
    match front.shared.act(|world, now| world.begin_create(now, call)) {
        Begun::Answered(answer) => answer,
        Begun::Working(answer) => {
            answer.await.unwrap_or_else(|_| Answer::error(503, "The sandbox is stopping", None).with("retry-after", 1))
        }
    }
}

/// `GET /v1/posts`.
pub(crate) async fn list_posts(
    State(front): State<Front>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<PostFilter>,
) -> Answer {
    settled(front.shared.act(|world, _| world.read_posts(&caller.0, &filter)))
}

/// `GET /v1/posts/{id}`.
pub(crate) async fn read_post(
    State(front): State<Front>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Answer {
    match front.shared.act(|world, _| world.read_post(&caller.0, &PostId(id))) {
        Some(body) => Answer::new(200, body),
        None => Answer::error(404, "There is no such post", Some("not_found")),
    }
}

/// `POST /v1/sms/messages`.
pub(crate) async fn send_message(
    State(front): State<Front>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    match key_of(&headers) {
        Ok(key) => front.shared.act(|world, now| world.send_message(now, caller.0, key, body)),
        Err(answer) => answer,
    }
}

/// What `GET /v1/accounts` can be asked for.
#[derive(Deserialize)]
pub(crate) struct AccountQuery {
    #[serde(rename = "profileId")]
    profile: Option<String>,
}

/// `GET /v1/accounts`.
pub(crate) async fn list_accounts(
    State(front): State<Front>,
    Extension(caller): Extension<Caller>,
    Query(query): Query<AccountQuery>,
) -> Answer {
    Answer::new(200, front.shared.act(|world, _| world.read_accounts(&caller.0, query.profile.as_deref())))
}

//! Posts, messages and accounts.

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use bytes::Bytes;
use serde::Deserialize;

use super::gate::{Caller, Slow};
use super::{Answered, Asked, Front, missing, to_mend};
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
) -> Answered {
    let key = key_of(&headers)?;
    let request_id = headers.get("x-request-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
    let takes = slow.map(|Extension(slow)| slow.0);
    let call = CreateCall { workspace: caller.0, key, request_id, body, takes };
    match front.shared.act(|world, now| world.begin_create(now, call)) {
        Begun::Answered(answer) => Ok(answer),
        Begun::Working(answer) => {
            answer.await.map_err(|_| Answer::error(503, "The sandbox is stopping", None).with("retry-after", 1))
        }
    }
}

/// `GET /v1/posts`.
pub(crate) async fn list_posts(
    State(front): State<Front>,
    Extension(caller): Extension<Caller>,
    Asked(filter): Asked<PostFilter>,
) -> Answered {
    let posts = front.shared.act(|world, _| world.read_posts(&caller.0, &filter)).map_err(to_mend)?;
    Ok(Answer::new(200, posts))
}

/// `GET /v1/posts/{id}`.
pub(crate) async fn read_post(
    State(front): State<Front>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Answered {
    let post = front.shared.act(|world, _| world.read_post(&caller.0, &PostId(id)));
    Ok(Answer::new(200, post.ok_or_else(|| missing("post"))?))
}

/// `POST /v1/sms/messages`.
pub(crate) async fn send_message(
    State(front): State<Front>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Answered {
    let key = key_of(&headers)?;
    Ok(front.shared.act(|world, now| world.send_message(now, caller.0, key, body)))
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
    Asked(query): Asked<AccountQuery>,
) -> Answer {
    Answer::new(200, front.shared.act(|world, _| world.read_accounts(&caller.0, query.profile.as_deref())))
}

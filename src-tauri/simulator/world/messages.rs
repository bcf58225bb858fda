//! `POST /v1/sms/messages`, the stand-in for every keyed endpoint besides posts: only a success is remembered, and the
//! same key with another path or body is refused (R8).

use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::World;
use super::create::refuse_key;
use super::keys::Met;
use crate::answer::Answer;
use crate::ids::WorkspaceId;

/// The path of the endpoint.
pub(crate) const PATH: &str = "/v1/sms/messages";

impl World {
    pub(crate) fn send_message(
        &mut self,
        now: DateTime<Utc>,
        workspace: WorkspaceId,
        key: Option<String>,
        body: Bytes,
    ) -> Answer {
        if let Some(answer) = self.foresee_message(now, &workspace, key.as_deref(), &body) {
            return answer;
        }
        let id = self.chance.object_id(now);
        let answer = Answer::new(201, json!({"message": {"_id": id, "status": "queued"}}));
        if let Some(key) = key {
            self.other_keys.remember((workspace, key), now, PATH, body, answer.clone());
        }
        answer
    }

    /// What is said to a message that is not sent out anew; none if it would be.
    pub(crate) fn foresee_message(
        &self,
        now: DateTime<Utc>,
        workspace: &WorkspaceId,
        key: Option<&str>,
        body: &[u8],
    ) -> Option<Answer> {
        if let Some(key) = key {
            if let Some(refusal) = refuse_key(key) {
                return Some(refusal);
            }
            let scoped = (workspace.clone(), key.to_owned());
            let rules = &self.options.contract;
            if self.post_keys.look_up(&scoped, rules, now).is_some() {
                return Some(used_elsewhere("/v1/posts"));
            }
            match self.other_keys.meet(&scoped, PATH, body, rules.key_life, now) {
                Met::Same(answer) => return Some(answer.with("idempotent-replayed", true)),
                Met::Other(path) => return Some(used_elsewhere(&path)),
                Met::Nothing => {}
            }
        }
        match serde_json::from_slice::<Value>(body) {
            Ok(Value::Object(_)) => None,
            _ => Some(Answer::error(400, "The body must be a JSON object", Some("invalid_request"))),
        }
    }
}

fn used_elsewhere(path: &str) -> Answer {
    let error = format!("This idempotency key was already used for another request, to {path}");
    Answer::error(422, error, Some("idempotency_key_reused"))
}

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
        let Some(key) = key else { return self.message(now, &body) };
        if let Some(refusal) = refuse_key(&key) {
            return refusal;
        }
        let scoped = (workspace, key);
        let rules = &self.options.contract;
        if self.post_keys.look_up(&scoped, rules, now).is_some() {
            return used_elsewhere("/v1/posts");
        }
        match self.other_keys.meet(&scoped, PATH, &body, rules.key_life, now) {
            Met::Same(answer) => answer.with("idempotent-replayed", true),
            Met::Other(path) => used_elsewhere(&path),
            Met::Nothing => {
                let answer = self.message(now, &body);
                if answer.is_success() {
                    self.other_keys.remember(scoped, now, PATH, body, answer.clone());
                }
                answer
            }
        }
    }

    fn message(&mut self, now: DateTime<Utc>, body: &[u8]) -> Answer {
        match serde_json::from_slice::<Value>(body) {
            Ok(Value::Object(_)) => {
                let id = self.chance.object_id(now);
                Answer::new(201, json!({"message": {"_id": id, "status": "queued"}}))
            }
            _ => Answer::error(400, "The body must be a JSON object", Some("invalid_request")),
        }
    }
}

fn used_elsewhere(path: &str) -> Answer {
    let error = format!("This idempotency key was already used for another request, to {path}");
    Answer::error(422, error, Some("idempotency_key_reused"))
}

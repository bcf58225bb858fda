//! Test events: a sample of a named event, or the plain `webhook.test`. Each carries `test: true` and a fresh id, and
//! names nothing that exists (R6).

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::World;
use super::events::{NAMES, frozen};
use super::mail::{Delivery, Event, Kind};
use crate::ids::{EventId, WebhookId};

impl World {
    /// Makes a test event for `webhook`.
    ///
    /// # Errors
    /// One sentence if no event is called `name`.
    pub(crate) fn make_test(
        &mut self,
        now: DateTime<Utc>,
        webhook: WebhookId,
        name: Option<&str>,
    ) -> Result<Delivery, String> {
        let name = name.unwrap_or("webhook.test");
        if !NAMES.contains(&name) {
            return Err(format!("There is no event {name}"));
        }
        let id = EventId(self.chance.uuid());
        let blocks = self.sample_blocks(now, name);
        let body = frozen(&id, name, now, true, &blocks);
        self.mail.add_event(id.clone(), Event { name: name.to_owned(), post: None, test: true, body });
        Ok(Delivery { webhook, event: id, round: 1, held: false, kind: Kind::Test })
    }

    fn sample_blocks(&mut self, now: DateTime<Utc>, name: &str) -> Value {
        let account = json!({
            "accountId": self.chance.object_id(now),
            "profileId": self.chance.object_id(now),
            "platform": "linkedin",
            "username": "sample",
            "displayName": "Sample account",
        });
        if name == "webhook.test" {
            return json!({"message": "This is a test of your webhook"});
        }
        if name.starts_with("account.") {
            return json!({"account": account});
        }
        let status = match name {
            "post.scheduled" => "scheduled",
            "post.platform.failed" | "post.failed" => "failed",
            "post.partial" => "partial",
            "post.cancelled" => "cancelled",
            _ => "published",
        };
        let target = json!({"platform": "linkedin", "accountId": account["accountId"], "status": status});
        let post = json!({
            "id": self.chance.object_id(now),
            "content": "A sample post",
            "status": status,
            "platforms": [target],
        });
        if name.starts_with("post.platform.") {
            json!({"post": post, "platform": {"name": "linkedin", "status": status}, "account": account})
        } else {
            json!({"post": post})
        }
    }
}

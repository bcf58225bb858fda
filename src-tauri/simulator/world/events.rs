//! Events: their names, their bodies, and who is told. A body is frozen as bytes when the thing happens, so every
//! delivery and redelivery of it is the same to the byte (R1, R4).

use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Value, json};

use super::World;
use super::accounts::Account;
use super::mail::{Delivery, Event, Kind};
use super::post::{Post, PostStatus, TargetStatus, platform_block};
use crate::agenda::Due;
use crate::clock::written;
use crate::ids::{EventId, PostId, WorkspaceId};

/// The events that this Pozy sends or can send a sample of.
pub(crate) const NAMES: [&str; 10] = [
    "post.scheduled",
    "post.platform.published",
    "post.platform.failed",
    "post.published",
    "post.partial",
    "post.failed",
    "post.cancelled",
    "account.connected",
    "account.disconnected",
    "webhook.test",
];

/// The event that tells of a whole post having ended.
pub(crate) fn roll_up_name(status: PostStatus) -> Option<&'static str> {
    match status {
        PostStatus::Published => Some("post.published"),
        PostStatus::Partial => Some("post.partial"),
        PostStatus::Failed => Some("post.failed"),
        PostStatus::Cancelled => Some("post.cancelled"),
        PostStatus::Draft | PostStatus::Scheduled | PostStatus::Publishing => None,
    }
}

/// A body in the order in which Pozy writes it.
#[derive(Serialize)]
struct Body<'a> {
    id: &'a EventId,
    event: &'a str,
    timestamp: String,
    /// Real events never carry it (R6).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    test: bool,
    #[serde(flatten)]
    blocks: &'a Value,
}

/// The body of an event as the bytes that every delivery of it carries. `blocks` is an object.
pub(crate) fn frozen(id: &EventId, name: &str, at: DateTime<Utc>, test: bool, blocks: &Value) -> Bytes {
    let body = Body { id, event: name, timestamp: written(at), test, blocks };
    serde_json::to_vec(&body).map(Bytes::from).unwrap_or_default()
}

/// The blocks of an event about the target at `place`.
pub(crate) fn target_blocks(post: &Post, place: usize, account: &Account) -> Value {
    let platform = post.targets.get(place).map(platform_block);
    json!({"post": post.webhook_json(), "platform": platform, "account": account.webhook_json()})
}

impl World {
    /// Tells of a post as a whole.
    pub(super) fn tell_post(&mut self, now: DateTime<Utc>, id: &PostId, name: &str) {
        let Some(post) = self.posts.get(id) else { return };
        let (workspace, blocks) = (post.workspace.clone(), json!({"post": post.webhook_json()}));
        self.emit(now, &workspace, name, Some(id.clone()), blocks);
    }

    /// Tells of a target that went live or failed; the other statuses have no event of their own.
    pub(super) fn tell_target(&mut self, now: DateTime<Utc>, id: &PostId, place: usize) {
        let Some(post) = self.posts.get(id) else { return };
        let Some(target) = post.targets.get(place) else { return };
        let name = match target.status {
            TargetStatus::Published => "post.platform.published",
            TargetStatus::Failed => "post.platform.failed",
            _ => return,
        };
        let Some(account) = self.accounts.get(&post.workspace, &target.account) else { return };
        let (workspace, blocks) = (post.workspace.clone(), target_blocks(post, place, account));
        self.emit(now, &workspace, name, Some(id.clone()), blocks);
    }

    /// Records that something happened and sends it to every webhook that listens.
    pub(super) fn emit(
        &mut self,
        now: DateTime<Utc>,
        workspace: &WorkspaceId,
        name: &str,
        post: Option<PostId>,
        blocks: Value,
    ) {
        let id = EventId(self.chance.uuid());
        let body = frozen(&id, name, now, false, &blocks);
        let event = Event { name: name.to_owned(), post, test: false, body };
        self.mail.add_event(id.clone(), event);
        for webhook in self.webhooks.listening(workspace, name) {
            let delivery = Delivery { webhook, event: id.clone(), round: 1, held: false, kind: Kind::Automatic };
            self.agenda.add(now, Due::Deliver(delivery));
        }
    }
}

//! A post and its targets, and the two spellings of both: reads say `_id`, webhooks say `id` (`pozy.md` section 5.1).

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::draft::Draft;
use crate::clock::written;
use crate::ids::{AccountId, PostId, WorkspaceId};

/// Where one target stands. Only scheduled, publishing and published ones count as live content (R11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetStatus {
    /// Part of a draft.
    Pending,
    /// Waits for its time.
    Scheduled,
    /// On its way to the platform.
    Publishing,
    /// Live.
    Published,
    /// Ended without going live.
    Failed,
    /// Taken back before it went live.
    Cancelled,
}

/// Where a post stands as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PostStatus {
    /// Not meant to go out yet.
    Draft,
    /// Waits for its time.
    Scheduled,
    /// At least one target is on its way.
    Publishing,
    /// Every target is live.
    Published,
    /// No target went live and at least one failed.
    Failed,
    /// Some targets are live, others are not.
    Partial,
    /// Every target was taken back.
    Cancelled,
}

pub(crate) struct Target {
    pub(crate) account: AccountId,
    pub(crate) platform: String,
    /// The text for this platform, where it differs from the post's.
    pub(crate) own_text: Option<String>,
    pub(crate) status: TargetStatus,
    pub(crate) published_at: Option<DateTime<Utc>>,
    /// The platform's own id of the live post.
    pub(crate) platform_post: Option<String>,
    pub(crate) failure: Option<Failure>,
}

/// Why a target failed.
#[derive(Clone)]
pub(crate) struct Failure {
    pub(crate) error: String,
    pub(crate) category: &'static str,
    pub(crate) source: &'static str,
}

pub(crate) struct Post {
    pub(crate) id: PostId,
    pub(crate) workspace: WorkspaceId,
    pub(crate) status: PostStatus,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) updated_at: DateTime<Utc>,
    pub(crate) draft: Draft,
    pub(crate) targets: Vec<Target>,
}

impl Target {
    /// The address of the live post, on a name that can never be looked up.
    pub(crate) fn live_url(&self) -> Option<String> {
        self.platform_post.as_ref().map(|id| format!("https://{}.example/p/{id}", self.platform))
    }
}

impl Post {
    /// What the targets add up to. Exactly one of published, partial, failed and cancelled once all have ended.
    pub(crate) fn rolled_up(&self) -> PostStatus {
        let any = |status| self.targets.iter().any(|target| target.status == status);
        let all = |status| self.targets.iter().all(|target| target.status == status);
        if all(TargetStatus::Pending) {
            PostStatus::Draft
        } else if any(TargetStatus::Publishing) {
            PostStatus::Publishing
        } else if any(TargetStatus::Scheduled) || any(TargetStatus::Pending) {
            if any(TargetStatus::Published) { PostStatus::Publishing } else { PostStatus::Scheduled }
        } else if all(TargetStatus::Published) {
            PostStatus::Published
        } else if all(TargetStatus::Cancelled) {
            PostStatus::Cancelled
        } else if any(TargetStatus::Published) {
            PostStatus::Partial
        } else {
            PostStatus::Failed
        }
    }

    pub(crate) fn published_at(&self) -> Option<DateTime<Utc>> {
        match self.status {
            PostStatus::Published | PostStatus::Partial => self.targets.iter().filter_map(|t| t.published_at).max(),
            _ => None,
        }
    }

    /// As `GET /v1/posts/{id}` and the answers to a create give it.
    pub(crate) fn rest_json(&self) -> Value {
        let mut post = self.shared_json();
        post.insert("_id".into(), json!(self.id));
        post.insert("timezone".into(), json!(self.draft.timezone));
        post.insert("createdAt".into(), json!(written(self.created_at)));
        post.insert("updatedAt".into(), json!(written(self.updated_at)));
        post.insert("platforms".into(), self.targets.iter().map(target_rest_json).collect());
        Value::Object(post)
    }

    /// As the `post` block of a webhook gives it.
    pub(crate) fn webhook_json(&self) -> Value {
        let mut post = self.shared_json();
        post.insert("id".into(), json!(self.id));
        post.insert("platforms".into(), self.targets.iter().map(target_webhook_json).collect());
        Value::Object(post)
    }

    fn shared_json(&self) -> Map<String, Value> {
        let mut post = Map::new();
        post.insert("content".into(), json!(self.draft.text));
        post.insert("status".into(), json!(self.status));
        post.insert("scheduledFor".into(), json!(self.draft.scheduled_for.map(written)));
        post.insert("publishedAt".into(), json!(self.published_at().map(written)));
        for (name, value) in &self.draft.echoed {
            post.insert((*name).into(), value.clone());
        }
        post
    }
}

fn target_rest_json(target: &Target) -> Value {
    let mut json = json!({
        "platform": target.platform,
        "accountId": target.account,
        "status": target.status,
        "platformPostId": target.platform_post,
        "platformPostUrl": target.live_url(),
        "publishedAt": target.published_at.map(written),
    });
    if let Some(text) = &target.own_text {
        json["customContent"] = json!(text);
    }
    if let Some(failure) = &target.failure {
        json["errorMessage"] = json!(failure.error);
        json["errorCategory"] = json!(failure.category);
        json["errorSource"] = json!(failure.source);
    }
    json
}

/// A target inside `platforms[]` of a webhook, where `platform` is a string.
fn target_webhook_json(target: &Target) -> Value {
    let mut json = outcome_json(target);
    json["platform"] = json!(target.platform);
    json["accountId"] = json!(target.account);
    json
}

/// The `platform` block of an event about one target, where the platform's name is `name`.
pub(crate) fn platform_block(target: &Target) -> Value {
    let mut json = outcome_json(target);
    json["name"] = json!(target.platform);
    json
}

fn outcome_json(target: &Target) -> Value {
    let mut json = json!({"status": target.status});
    if let (Some(id), Some(url)) = (&target.platform_post, target.live_url()) {
        json["platformPostId"] = json!(id);
        json["publishedUrl"] = json!(url);
    }
    if let Some(failure) = &target.failure {
        json["error"] = json!(failure.error);
        json["errorCategory"] = json!(failure.category);
        json["errorSource"] = json!(failure.source);
    }
    json
}

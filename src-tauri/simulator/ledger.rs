//! What the sandbox did, so that a test can ask "how many posts are there?" instead of believing its own log.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;

use crate::clock::{after, written};
use crate::ids::{PostId, WorkspaceId};
use crate::world::World;

/// Everything that was made and sent so far.
#[derive(Clone, Debug, Serialize)]
pub struct Ledger {
    /// The sandbox's present moment, RFC 3339.
    pub now: String,
    /// One object a post, as `GET /v1/posts/{id}` gives it, oldest first.
    pub posts: Vec<Value>,
    /// One row a remembered key of `POST /v1/posts`, in the order of first use.
    pub keys: Vec<KeyRow>,
    /// One object a delivery attempt, in the order in which they ended: `webhookId`, `eventId`, `event`, `post`,
    /// `test`, `kind` (automatic, redelivery, test), `url`, `sent` (false if a fault kept it from leaving), `status`,
    /// `statusCode`, `attemptNumber`, `responseTime`, `errorMessage`, `createdAt`.
    pub deliveries: Vec<Value>,
}

/// A key that is remembered now.
#[derive(Clone, Debug, Serialize)]
pub struct KeyRow {
    /// The key as it was sent.
    pub key: String,
    /// The workspace it belongs to (R12).
    pub workspace: WorkspaceId,
    /// When it was first used.
    pub first_at: String,
    /// Its last moment; a request at that very moment still meets it.
    pub expires_at: String,
    /// True while the first request is at work (R9).
    pub running: bool,
    /// The post it stands for; not there yet while `running`.
    pub post: PostId,
}

impl Ledger {
    pub(crate) fn of(world: &World, now: DateTime<Utc>) -> Self {
        let life = world.options.contract.key_life;
        let keys = world.remembered_keys(now).map(|(workspace, key, known)| KeyRow {
            key: key.clone(),
            workspace: workspace.clone(),
            first_at: written(known.first_at),
            expires_at: written(after(known.counts_from, life)),
            running: known.is_running(),
            post: known.post.clone(),
        });
        Self { now: written(now), keys: keys.collect(), posts: world.posts_json(), deliveries: world.deliveries_json() }
    }
}

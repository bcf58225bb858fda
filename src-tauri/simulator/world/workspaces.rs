//! Workspaces and the API keys that open them. Idempotency keys, posts and webhooks are scoped to one (R12).

use std::collections::HashMap;

use chrono::{DateTime, Utc};

use super::World;
use crate::ids::WorkspaceId;

/// The rate window a request fell into.
pub(crate) struct Rate {
    pub(crate) limit: u32,
    pub(crate) remaining: u32,
    /// When the window ends, in seconds since 1970.
    pub(crate) reset: i64,
    /// True if the request is one too many.
    pub(crate) over: bool,
}

#[derive(Default)]
pub(crate) struct Workspaces {
    by_key: HashMap<String, WorkspaceId>,
    /// Requests of the present minute.
    minutes: HashMap<WorkspaceId, (i64, u32)>,
}

/// What is told as the limit where none is set.
const TOLD_LIMIT: u32 = 1_200;

impl Workspaces {
    /// The workspace that is there from the start.
    pub(crate) fn first(&self) -> WorkspaceId {
        WorkspaceId("ws_1".into())
    }

    pub(crate) fn add_key(&mut self, workspace: WorkspaceId, api_key: String) {
        self.by_key.insert(api_key, workspace);
    }
}

impl World {
    /// Adds an API key to the workspace called `name`, or to a new one.
    pub(crate) fn add_api_key(&mut self, name: Option<WorkspaceId>, api_key: String) -> WorkspaceId {
        let known: std::collections::HashSet<_> = self.workspaces.by_key.values().collect();
        let workspace = name.unwrap_or_else(|| WorkspaceId(format!("ws_{}", known.len() + 1)));
        self.workspaces.add_key(workspace.clone(), api_key);
        workspace
    }

    /// The workspace that an API key opens.
    pub(crate) fn workspace_of(&self, api_key: &str) -> Option<WorkspaceId> {
        self.workspaces.by_key.get(api_key).cloned()
    }

    /// Counts a request into its minute.
    pub(crate) fn count_request(&mut self, now: DateTime<Utc>, workspace: &WorkspaceId) -> Rate {
        let minute = now.timestamp().div_euclid(60);
        let reset = (minute + 1) * 60;
        let Some(limit) = self.options.rate_limit else {
            return Rate { limit: TOLD_LIMIT, remaining: TOLD_LIMIT - 1, reset, over: false };
        };
        let window = self.workspaces.minutes.entry(workspace.clone()).or_default();
        if window.0 != minute {
            *window = (minute, 0);
        }
        window.1 = window.1.saturating_add(1);
        Rate { limit, remaining: limit.saturating_sub(window.1), reset, over: window.1 > limit }
    }
}

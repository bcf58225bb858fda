//! The posts, found by id, by content and by filter.

use std::collections::HashMap;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

use super::World;
use super::draft::{Draft, Place};
use super::post::{Post, PostStatus, Target, TargetStatus};
use crate::clock::within;
use crate::ids::{AccountId, PostId, WorkspaceId};

/// What makes content the same: account, text and media, within a workspace (R10).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Content {
    workspace: WorkspaceId,
    account: AccountId,
    text: String,
    media: Vec<String>,
}

impl Content {
    pub(crate) fn of(workspace: &WorkspaceId, draft: &Draft, place: &Place) -> Self {
        Self {
            workspace: workspace.clone(),
            account: place.account.clone(),
            text: place.own_text.clone().unwrap_or_else(|| draft.text.clone()),
            media: draft.media.clone(),
        }
    }

    /// The content of a whole draft, the same in whatever order its accounts are listed.
    pub(crate) fn of_all(workspace: &WorkspaceId, draft: &Draft) -> Vec<Self> {
        let mut all: Vec<_> = draft.places.iter().map(|place| Self::of(workspace, draft, place)).collect();
        all.sort();
        all
    }
}

#[derive(Default)]
pub(crate) struct Posts {
    list: Vec<Post>,
    by_id: HashMap<PostId, usize>,
    by_content: HashMap<Content, Vec<(usize, usize)>>,
}

impl Posts {
    pub(crate) fn add(&mut self, post: Post) {
        let place = self.list.len();
        for (target, to) in post.draft.places.iter().enumerate() {
            self.by_content.entry(Content::of(&post.workspace, &post.draft, to)).or_default().push((place, target));
        }
        self.by_id.insert(post.id.clone(), place);
        self.list.push(post);
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Post> {
        self.list.iter()
    }

    pub(crate) fn get(&self, id: &PostId) -> Option<&Post> {
        self.by_id.get(id).and_then(|place| self.list.get(*place))
    }

    pub(crate) fn get_mut(&mut self, id: &PostId) -> Option<&mut Post> {
        self.by_id.get(id).and_then(|place| self.list.get_mut(*place))
    }

    /// A post that already has this content: scheduled, publishing, or published inside the window (R10, R11).
    pub(crate) fn live(&self, content: &Content, window: Duration, now: DateTime<Utc>) -> Option<&Post> {
        let counts = |target: &Target| match target.status {
            TargetStatus::Scheduled | TargetStatus::Publishing => true,
            TargetStatus::Published => target.published_at.is_some_and(|at| within(at, window, now)),
            TargetStatus::Pending | TargetStatus::Failed | TargetStatus::Cancelled => false,
        };
        let (post, _) = self
            .by_content
            .get(content)?
            .iter()
            .rev()
            .find(|(post, target)| self.list[*post].targets.get(*target).is_some_and(counts))?;
        self.list.get(*post)
    }
}

/// What `GET /v1/posts` can be asked for.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PostFilter {
    page: Option<usize>,
    limit: Option<usize>,
    status: Option<PostStatus>,
    platform: Option<String>,
    account_id: Option<AccountId>,
    search: Option<String>,
}

impl World {
    /// The body of `GET /v1/posts/{id}`.
    pub(crate) fn read_post(&self, workspace: &WorkspaceId, id: &PostId) -> Option<Value> {
        let post = self.posts.get(id).filter(|post| post.workspace == *workspace)?;
        Some(json!({"post": post.rest_json()}))
    }

    /// The body of `GET /v1/posts`: newest first, in pages.
    ///
    /// # Errors
    /// One sentence for a page that cannot be.
    pub(crate) fn read_posts(&self, workspace: &WorkspaceId, filter: &PostFilter) -> Result<Value, String> {
        let (page, limit) = (filter.page.unwrap_or(1), filter.limit.unwrap_or(10));
        if page == 0 || !(1..=500).contains(&limit) {
            return Err("page must be at least 1 and limit 1 to 500".into());
        }
        let fits = |post: &&Post| {
            post.workspace == *workspace
                && filter.status.is_none_or(|status| post.status == status)
                && filter.search.as_deref().is_none_or(|text| post.draft.text.contains(text))
                && (filter.platform.is_none() && filter.account_id.is_none()
                    || post.targets.iter().any(|target| {
                        filter.platform.as_ref().is_none_or(|platform| target.platform == *platform)
                            && filter.account_id.as_ref().is_none_or(|account| target.account == *account)
                    }))
        };
        let found: Vec<&Post> = self.posts.iter().rev().filter(fits).collect();
        let skip = (page - 1).saturating_mul(limit);
        let posts: Vec<Value> = found.iter().skip(skip).take(limit).map(|post| post.rest_json()).collect();
        let pages = found.len().div_ceil(limit);
        Ok(json!({
            "posts": posts,
            "pagination": {"page": page, "limit": limit, "total": found.len(), "pages": pages},
        }))
    }
}

//! The publishing life of a post: scheduled, publishing, each target ends, then the roll-up. The clock drives it;
//! control may set a target at any time, and what was planned for it then no longer holds.

use chrono::{DateTime, Utc};

use super::World;
use super::draft::When;
use super::events;
use super::post::{Failure, Post, PostStatus, TargetStatus};
use crate::agenda::Due;
use crate::clock::after;
use crate::error::Error;
use crate::ids::PostId;
use crate::step::TargetChange;

impl World {
    /// Lets a new post enter its life. A time that has passed means at once.
    pub(super) fn enter(&mut self, now: DateTime<Utc>, id: &PostId, when: When) {
        let start = match when {
            When::Never => return,
            When::Now => now,
            When::At(moment) => moment.max(now),
        };
        self.settle(now, id);
        self.tell_post(now, id, "post.scheduled");
        let targets = self.posts.get(id).map_or(0, |post| post.targets.len());
        for place in 0..targets {
            self.tell_target(now, id, place);
        }
        if start <= now {
            self.start_publishing(now, id);
        } else {
            self.agenda.add(start, Due::StartPublishing(id.clone()));
        }
    }

    /// Scheduled targets start to publish; they end at even steps before the roll-up, so that no two events of a post
    /// happen at one instant.
    pub(crate) fn start_publishing(&mut self, now: DateTime<Utc>, id: &PostId) {
        let Some(post) = self.posts.get_mut(id) else { return };
        let mut started = Vec::new();
        for (place, target) in post.targets.iter_mut().enumerate() {
            if target.status == TargetStatus::Scheduled {
                target.status = TargetStatus::Publishing;
                started.push(place);
            }
        }
        let steps = u32::try_from(started.len() + 1).unwrap_or(u32::MAX);
        let delay = self.options.publish_delay;
        for (turn, place) in (1..).zip(&started) {
            let at = after(now, delay * turn / steps);
            self.agenda.add(at, Due::EndTarget(id.clone(), *place));
        }
        if !started.is_empty() {
            self.agenda.add(after(now, delay), Due::RollUp(id.clone()));
            self.settle(now, id);
        }
    }

    /// A publishing target goes live, or fails if a fault says so or its account is disconnected.
    pub(crate) fn end_target(&mut self, now: DateTime<Utc>, id: &PostId, place: usize) {
        let Some(post) = self.posts.get(id) else { return };
        let Some(target) = post.targets.get(place).filter(|target| target.status == TargetStatus::Publishing) else {
            return;
        };
        let connected = self.accounts.get(&post.workspace, &target.account).is_none_or(|account| account.connected);
        let failure = if let Some(error) = self.faults.for_publish(&target.account) {
            Some(Failure { error, category: "platform_rejected", source: "platform" })
        } else if !connected {
            Some(Failure { error: "The account is disconnected".into(), category: "auth_expired", source: "user" })
        } else {
            None
        };
        let status = if failure.is_some() { TargetStatus::Failed } else { TargetStatus::Published };
        self.put_target(now, id, place, status, failure);
        self.tell_target(now, id, place);
    }

    /// Brings the post's own status up to its targets and tells of it once they have all ended.
    pub(crate) fn roll_up(&mut self, now: DateTime<Utc>, id: &PostId) {
        if let Some(status) = self.settle(now, id)
            && let Some(name) = events::roll_up_name(status)
        {
            self.tell_post(now, id, name);
        }
    }

    /// Sets a target at the present time, whatever it was, and rolls the post up.
    ///
    /// # Errors
    /// [`Error::Missing`] if the post or the target is not there.
    pub(crate) fn set_target(&mut self, now: DateTime<Utc>, change: &TargetChange) -> Result<&Post, Error> {
        let id = self.named_post(change)?;
        let post = self.posts.get(&id);
        let place = post.and_then(|post| post.targets.iter().position(|target| target.account == change.account));
        let place =
            place.ok_or_else(|| Error::Missing { what: "target for account", name: change.account.to_string() })?;
        let failure = (change.status == TargetStatus::Failed).then(|| Failure {
            error: change.error.clone().unwrap_or_else(|| "The platform rejected the post".into()),
            category: "platform_rejected",
            source: "platform",
        });
        self.put_target(now, &id, place, change.status, failure);
        self.tell_target(now, &id, place);
        self.roll_up(now, &id);
        self.posts.get(&id).ok_or_else(|| Error::Missing { what: "post", name: id.to_string() })
    }

    fn named_post(&self, change: &TargetChange) -> Result<PostId, Error> {
        let missing = |name: &str| Error::Missing { what: "post", name: name.to_owned() };
        match (&change.post, &change.text) {
            (Some(id), None) => self.posts.get(id).map(|post| post.id.clone()).ok_or_else(|| missing(&id.0)),
            (None, Some(text)) => {
                let newest = self.posts.iter().rev().find(|post| post.draft.text == *text);
                newest.map(|post| post.id.clone()).ok_or_else(|| missing(text))
            }
            _ => Err(Error::Refused("a target needs either `post` or `text`".into())),
        }
    }

    fn put_target(
        &mut self,
        now: DateTime<Utc>,
        id: &PostId,
        place: usize,
        status: TargetStatus,
        failure: Option<Failure>,
    ) {
        let live = (status == TargetStatus::Published).then(|| self.chance.object_id(now));
        let Some(post) = self.posts.get_mut(id) else { return };
        post.updated_at = now;
        if let Some(target) = post.targets.get_mut(place) {
            target.status = status;
            target.published_at = live.is_some().then_some(now);
            target.platform_post = live;
            target.failure = failure;
        }
    }

    /// The new status of the post, if it changed.
    fn settle(&mut self, now: DateTime<Utc>, id: &PostId) -> Option<PostStatus> {
        let post = self.posts.get_mut(id)?;
        let status = post.rolled_up();
        if status == post.status {
            return None;
        }
        post.status = status;
        post.updated_at = now;
        Some(status)
    }
}

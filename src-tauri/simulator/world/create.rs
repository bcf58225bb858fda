//! `POST /v1/posts`: three layers decide before a post is made: key, request id, content (R7, R9, R10, R14).

use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde_json::json;
use tokio::sync::oneshot;

use super::World;
use super::draft::{Draft, When};
use super::keys::{LONGEST_KEY, PostKey, Work};
use super::post::{Failure, Post, PostStatus, Target, TargetStatus};
use super::posts::Content;
use crate::agenda::Due;
use crate::answer::{Answer, seconds_until};
use crate::clock::after;
use crate::ids::{AccountId, PostId, WorkspaceId};

/// A request to make a post.
pub(crate) struct CreateCall {
    pub(crate) workspace: WorkspaceId,
    pub(crate) key: Option<String>,
    pub(crate) request_id: Option<String>,
    pub(crate) body: Bytes,
    /// How long the work takes; no time unless a fault slows it.
    pub(crate) takes: Option<std::time::Duration>,
}

/// How a request to make a post goes on.
pub(crate) enum Begun {
    Answered(Answer),
    /// The answer comes when the clock says so, and the post is made then even if nobody waits any more.
    Working(oneshot::Receiver<Answer>),
}

/// A create that takes time: accepted, not yet made.
pub(crate) struct SlowCreate {
    accepted: Accepted,
    done: oneshot::Sender<Answer>,
}

/// A create that passed all three layers.
struct Accepted {
    id: PostId,
    at: DateTime<Utc>,
    workspace: WorkspaceId,
    key: Option<String>,
    request_id: Option<String>,
    draft: Draft,
    /// For each target, true if the same content is already there.
    repeats: Vec<bool>,
}

impl World {
    /// Takes a request in. The layers look at what is there when it comes, not when slow work ends: a first request
    /// that still runs has no post yet, so it refuses nobody (S11 row p).
    pub(crate) fn begin_create(&mut self, now: DateTime<Utc>, call: CreateCall) -> Begun {
        let takes = call.takes;
        let accepted = match self.accept(now, call) {
            Ok(accepted) => accepted,
            Err(answer) => return Begun::Answered(answer),
        };
        let Some(takes) = takes else {
            self.remember(&accepted, now, Work::Done);
            return Begun::Answered(self.make(now, accepted));
        };
        let ends = after(now, takes);
        self.remember(&accepted, now, Work::Running(ends));
        let (done, answer) = oneshot::channel();
        self.agenda.add(ends, Due::FinishCreate(Box::new(SlowCreate { accepted, done })));
        Begun::Working(answer)
    }

    pub(crate) fn finish_slow_create(&mut self, now: DateTime<Utc>, slow: SlowCreate) {
        self.remember(&slow.accepted, now, Work::Done);
        let answer = self.make(now, slow.accepted);
        // Nobody is left to tell if the client went away; the post stands all the same.
        let _ = slow.done.send(answer);
    }

    /// The three layers. Any answer given here has made nothing and leaves the key as it was.
    fn accept(&mut self, now: DateTime<Utc>, call: CreateCall) -> Result<Accepted, Answer> {
        let (draft, repeats) = self.check(now, &call)?;
        let id = PostId(self.chance.object_id(now));
        let CreateCall { workspace, key, request_id, .. } = call;
        Ok(Accepted { id, at: now, workspace, key, request_id, draft, repeats })
    }

    /// What the three layers say to a request that is not carried out: the accounts whose target would fail for its
    /// content in a post that is made, or the answer that makes none.
    pub(crate) fn foresee(&self, now: DateTime<Utc>, call: &CreateCall) -> Result<Vec<AccountId>, Answer> {
        let (draft, repeats) = self.check(now, call)?;
        let places = draft.places.into_iter().zip(repeats).filter(|(_, repeat)| *repeat);
        Ok(places.map(|(place, _)| place.account).collect())
    }

    /// The draft that passed all three layers, and for each of its targets whether the same content is already there.
    fn check(&self, now: DateTime<Utc>, call: &CreateCall) -> Result<(Draft, Vec<bool>), Answer> {
        if let Some(answer) = self.known_key(now, call)? {
            return Err(answer);
        }
        let draft = Draft::read(&call.body).map_err(|problem| Answer::error(400, problem, Some("invalid_request")))?;
        let content = Content::of_all(&call.workspace, &draft);
        if let Some(answer) = self.known_request(now, call, &content) {
            return Err(answer);
        }
        let repeats = self.repeats(now, &call.workspace, &draft)?;
        Ok((draft, repeats))
    }

    fn known_key(&self, now: DateTime<Utc>, call: &CreateCall) -> Result<Option<Answer>, Answer> {
        let Some(key) = &call.key else { return Ok(None) };
        if let Some(refusal) = refuse_key(key) {
            return Err(refusal);
        }
        let known = self.post_keys.look_up(&(call.workspace.clone(), key.clone()), &self.options.contract, now);
        Ok(known.and_then(|known| match known.work {
            Work::Running(ends) => Some(
                Answer::error(
                    409,
                    "A request with this idempotency key is still being processed.",
                    Some("idempotency_conflict"),
                )
                .with("retry-after", seconds_until(now, ends)),
            ),
            Work::Done => self.original(&known.post, "Post already exists (idempotent retry)"),
        }))
    }

    fn known_request(&self, now: DateTime<Utc>, call: &CreateCall, content: &[Content]) -> Option<Answer> {
        let scoped = (call.workspace.clone(), call.request_id.clone()?);
        let life = self.options.contract.request_id_life;
        let (post, work) = self.post_keys.look_up_request(&scoped, content, life, now)?;
        match work {
            Work::Running(_) => {
                Some(Answer::new(202, json!({"message": "The post is still being saved", "postId": post})))
            }
            Work::Done => self.original(post, "Post already exists (same x-request-id)"),
        }
    }

    /// A repeat: the post as it stands today, whatever the body says now (R7).
    fn original(&self, post: &PostId, message: &str) -> Option<Answer> {
        let post = self.posts.get(post)?;
        Some(Answer::new(200, json!({"message": message, "post": post.rest_json()})))
    }

    /// Which targets have the same content already; a draft that goes nowhere has none (R10).
    fn repeats(&self, now: DateTime<Utc>, workspace: &WorkspaceId, draft: &Draft) -> Result<Vec<bool>, Answer> {
        if draft.when == When::Never {
            return Ok(vec![false; draft.places.len()]);
        }
        let rules = &self.options.contract;
        let existing: Vec<_> = draft
            .places
            .iter()
            .map(|place| self.posts.live(&Content::of(workspace, draft, place), rules.content_window, now))
            .collect();
        let refused = if rules.one_repeat_refuses_all {
            existing.iter().any(Option::is_some)
        } else {
            existing.iter().all(Option::is_some)
        };
        let first = existing.iter().zip(&draft.places).find_map(|(post, place)| post.map(|post| (post, place)));
        match first {
            Some((post, place)) if refused => Err(Answer::new(
                409,
                json!({
                    "error": "This exact content is already scheduled, publishing, or was posted to this account within the last 24 hours.",
                    "details": {"accountId": place.account, "platform": place.platform, "existingPostId": post.id},
                }),
            )),
            _ => Ok(existing.iter().map(Option::is_some).collect()),
        }
    }

    /// Binds key and request id to the post, from the first request on.
    fn remember(&mut self, accepted: &Accepted, now: DateTime<Utc>, work: Work) {
        let scoped = |name: &String| (accepted.workspace.clone(), name.clone());
        if let Some(key) = &accepted.key {
            let counts_from = if self.options.contract.key_life_from_completion { now } else { accepted.at };
            let post = accepted.id.clone();
            let known = PostKey { first_at: accepted.at, counts_from, work: work.clone(), post };
            self.post_keys.remember(scoped(key), known);
        }
        if let Some(id) = &accepted.request_id {
            let content = Content::of_all(&accepted.workspace, &accepted.draft);
            self.post_keys.remember_request(scoped(id), accepted.at, content, work, accepted.id.clone());
        }
    }

    fn make(&mut self, now: DateTime<Utc>, accepted: Accepted) -> Answer {
        let Accepted { id, workspace, draft, repeats, .. } = accepted;
        let waits = if draft.when == When::Never { TargetStatus::Pending } else { TargetStatus::Scheduled };
        let targets = draft.places.iter().zip(repeats).map(|(place, repeat)| Target {
            account: place.account.clone(),
            platform: place.platform.clone(),
            own_text: place.own_text.clone(),
            status: if repeat { TargetStatus::Failed } else { waits },
            published_at: None,
            platform_post: None,
            failure: repeat.then(|| Failure {
                error: "The same content is already there".into(),
                category: "user_content",
                source: "user",
            }),
        });
        let targets: Vec<_> = targets.collect();
        self.accounts.use_all(&workspace, &draft.places);
        let status = PostStatus::Draft;
        let when = draft.when;
        self.posts.add(Post { id: id.clone(), workspace, status, created_at: now, updated_at: now, draft, targets });
        self.enter(now, &id, when);
        let message = match when {
            When::Never => "Draft saved",
            When::Now => "Post is being published",
            When::At(_) => "Post scheduled",
        };
        let post = self.posts.get(&id).map(Post::rest_json);
        Answer::new(201, json!({"message": message, "post": post}))
    }
}

/// The refusal of a key that is no key (R12).
pub(crate) fn refuse_key(key: &str) -> Option<Answer> {
    let wrong = match key.chars().count() {
        0 => "Idempotency-Key must not be empty",
        1..=LONGEST_KEY => return None,
        _ => "Idempotency-Key must be at most 255 characters",
    };
    Some(Answer::error(400, wrong, Some("invalid_idempotency_key")))
}

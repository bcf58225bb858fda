//! What is remembered of idempotency keys and request ids, each within a workspace (R7, R8, R9, R12, R14).

use std::collections::HashMap;
use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, Utc};

use super::posts::Content;
use crate::answer::Answer;
use crate::clock::within;
use crate::ids::{PostId, WorkspaceId};
use crate::options::Contract;

/// The longest key that is taken (R12).
pub(crate) const LONGEST_KEY: usize = 255;

/// Whether the first request with a key is still at work.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Work {
    /// Ends at this moment.
    Running(DateTime<Utc>),
    /// Made this post.
    Done,
}

/// A key of `POST /v1/posts`.
#[derive(Clone, Debug)]
pub(crate) struct PostKey {
    pub(crate) first_at: DateTime<Utc>,
    /// Where its life starts; the first request, unless the contract says otherwise (T7).
    pub(crate) counts_from: DateTime<Utc>,
    pub(crate) work: Work,
    pub(crate) post: PostId,
}

impl PostKey {
    /// True while the first request with it is at work (R9).
    pub(crate) fn is_running(&self) -> bool {
        matches!(self.work, Work::Running(_))
    }
}

/// A request id together with the content it came with.
struct RequestMark {
    at: DateTime<Utc>,
    content: Vec<Content>,
    work: Work,
    post: PostId,
}

type Scoped = (WorkspaceId, String);

#[derive(Default)]
pub(crate) struct PostKeys {
    keys: HashMap<Scoped, PostKey>,
    requests: HashMap<Scoped, Vec<RequestMark>>,
}

impl PostKeys {
    /// What is known of a key now. The work of the first request decides nothing once the key's life is over, except
    /// that a running one is never forgotten.
    pub(crate) fn look_up(&self, scoped: &Scoped, rules: &Contract, now: DateTime<Utc>) -> Option<&PostKey> {
        self.keys.get(scoped).filter(|key| alive(key, rules, now))
    }

    pub(crate) fn remember(&mut self, scoped: Scoped, key: PostKey) {
        self.keys.insert(scoped, key);
    }

    /// Every key that is remembered at `now`, in the order of first use.
    pub(crate) fn remembered(&self, rules: &Contract, now: DateTime<Utc>) -> Vec<(&Scoped, &PostKey)> {
        let mut keys: Vec<_> = self.keys.iter().filter(|(_, key)| alive(key, rules, now)).collect();
        keys.sort_by(|(a_name, a), (b_name, b)| (a.first_at, *a_name).cmp(&(b.first_at, *b_name)));
        keys
    }

    /// The post that a request with this id and this content made or is making (R14).
    pub(crate) fn look_up_request(
        &self,
        scoped: &Scoped,
        content: &[Content],
        life: Duration,
        now: DateTime<Utc>,
    ) -> Option<(&PostId, &Work)> {
        let marks = self.requests.get(scoped)?;
        let mark = marks.iter().rev().find(|mark| mark.content == content && within(mark.at, life, now))?;
        Some((&mark.post, &mark.work))
    }

    pub(crate) fn remember_request(
        &mut self,
        scoped: Scoped,
        at: DateTime<Utc>,
        content: Vec<Content>,
        work: Work,
        post: PostId,
    ) {
        let marks = self.requests.entry(scoped).or_default();
        marks.retain(|mark| mark.post != post);
        marks.push(RequestMark { at, content, work, post });
    }
}

fn alive(key: &PostKey, rules: &Contract, now: DateTime<Utc>) -> bool {
    key.work != Work::Done || within(key.counts_from, rules.key_life, now)
}

/// A key of an endpoint other than posts: only a success is remembered (R8).
struct OtherKey {
    at: DateTime<Utc>,
    path: String,
    body: Bytes,
    answer: Answer,
}

#[derive(Default)]
pub(crate) struct OtherKeys(HashMap<Scoped, OtherKey>);

/// What a keyed request to an endpoint other than posts meets.
pub(crate) enum Met {
    Nothing,
    Same(Answer),
    /// The path that used the key first.
    Other(String),
}

impl OtherKeys {
    pub(crate) fn meet(&self, scoped: &Scoped, path: &str, body: &[u8], life: Duration, now: DateTime<Utc>) -> Met {
        match self.0.get(scoped).filter(|key| within(key.at, life, now)) {
            None => Met::Nothing,
            Some(key) if key.path == path && key.body == body => Met::Same(key.answer.clone()),
            Some(key) => Met::Other(key.path.clone()),
        }
    }

    pub(crate) fn remember(&mut self, scoped: Scoped, at: DateTime<Utc>, path: &str, body: Bytes, answer: Answer) {
        self.0.insert(scoped, OtherKey { at, path: path.to_owned(), body, answer });
    }
}

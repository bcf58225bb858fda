//! From a question to its rows: start at what was named, follow posts, jobs, keys, equal bytes and Post agains to
//! further tries, then take the events, arrivals, fetches and notes of every post on the way.

use std::collections::{BTreeMap, HashSet, VecDeque};

use super::evidence::{Asked, Evidence, Happening, Scope, Try};
use crate::{
    error::{Error, Result},
    ids::{AttemptId, EventId, JobMark, PostId},
    pozy::{
        contract::{About, Contract},
        secrecy::{Mask, mask_url, masked_text},
    },
    store::{
        Store,
        inquiry::{self as rows, Reach, TryRow},
    },
};

/// Most tries, posts, and rows a post, that one question looks at: a case is for people to read.
const MOST_TRIES: usize = 2_000;
const MOST_POSTS: usize = 100;
pub(super) const MOST_ROWS: u32 = 500;
/// A post nobody asked about belongs to the case if it was made this close to one that was asked about, milliseconds.
const KIN_WITHIN_MS: u64 = 72 * 3_600_000;

/// What somebody asks about; any mixture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// Ids of posts.
    pub posts: Vec<PostId>,
    /// Live addresses.
    pub urls: Vec<String>,
    /// Words of posts, or parts of them.
    pub texts: Vec<String>,
    /// Keys.
    pub keys: Vec<String>,
    /// Jobs.
    pub jobs: Vec<JobMark>,
    /// Events.
    pub events: Vec<EventId>,
}

/// Collects the rows around a question.
///
/// # Errors
/// `Usage` if nothing is asked, `Storage` if the log cannot be read.
pub async fn gather(store: &Store, contract: &Contract, question: &Question) -> Result<Evidence> {
    let mut walk = Walk::start(store, question).await?;
    walk.follow(store).await?;
    let mut mask = Mask::default();
    let mut evidence = Evidence {
        asked: Asked {
            by_order: !(question.keys.is_empty() && question.jobs.is_empty() && question.texts.is_empty()),
            urls: question.urls.iter().map(|url| mask_url(url.trim(), &mut mask)).fold(Vec::new(), with),
        },
        posts: walk.posts,
        attempts: walk.tries.into_values().map(|row| row.attempt).collect(),
        ..Evidence::default()
    };
    evidence.attempts.sort_by(|one, other| (one.at, &one.job, one.n).cmp(&(other.at, &other.job, other.n)));
    evidence.kin = kin(&evidence);
    for post in evidence.posts.iter().chain(&evidence.kin) {
        for row in rows::events(store.pool(), post, MOST_ROWS).await? {
            evidence.arrivals.extend(rows::arrivals(store.pool(), &row.event, MOST_ROWS).await?);
            let scope = match contract.events.get(&row.name).map(|kind| kind.about) {
                Some(About::Rollup) => Scope::RollUp,
                Some(About::Target) => Scope::Target,
                _ => Scope::Other,
            };
            let (event, name, at, says, text) = (row.event, row.name, row.at, row.says, row.text);
            let (post, platform) = (post.clone(), row.platform);
            evidence.events.push(Happening { event, name, scope, post, at, says, text, platform });
        }
        evidence.observations.extend(rows::fetches(store.pool(), post, MOST_ROWS).await?);
        evidence.notes.extend(rows::notes_of_post(store.pool(), post).await?);
    }
    let jobs = evidence.attempts.iter().map(|attempt| attempt.job.clone()).fold(Vec::new(), with);
    for job in jobs {
        evidence.notes.extend(rows::notes_of_job(store.pool(), &job).await?);
    }
    evidence.events.sort_by(|one, other| (one.at, &one.event).cmp(&(other.at, &other.event)));
    evidence.arrivals.sort_by(|one, other| (one.at, &one.event, one.copy).cmp(&(other.at, &other.event, other.copy)));
    evidence.observations.sort_by(|one, other| (one.at, &one.post).cmp(&(other.at, &other.post)));
    evidence.notes.sort_by(|one, other| (one.at, &one.action, &one.text).cmp(&(other.at, &other.action, &other.text)));
    evidence.notes.dedup();
    for note in &mut evidence.notes {
        mask.meet(note.source);
        note.text = masked_text(std::mem::take(&mut note.text), &mut mask);
    }
    evidence.mask = mask;
    Ok(evidence)
}

/// The list with `item` at its end, unless it is there already.
fn with<T: PartialEq>(mut list: Vec<T>, item: T) -> Vec<T> {
    if !list.contains(&item) {
        list.push(item);
    }
    list
}

/// Posts nobody named that the tries tell of, made near one that was named.
fn kin(evidence: &Evidence) -> Vec<PostId> {
    let told = |attempt: &&Try| attempt.post.as_ref().is_some_and(|post| evidence.posts.contains(post));
    let asked: Vec<_> = evidence.attempts.iter().filter(told).map(|attempt| attempt.at).collect();
    let near = |attempt: &&Try| asked.iter().any(|at| attempt.at.ms_since(*at).unsigned_abs() <= KIN_WITHIN_MS);
    let posts = evidence.attempts.iter().filter(near).filter_map(|attempt| attempt.post.clone());
    posts.filter(|post| !evidence.posts.contains(post)).take(MOST_POSTS).fold(Vec::new(), with)
}

/// What is found, and where to look next.
struct Walk {
    posts: Vec<PostId>,
    tries: BTreeMap<AttemptId, TryRow>,
    seen: HashSet<Reach>,
    ahead: VecDeque<Reach>,
}

impl Walk {
    /// Finds the posts and tries that the question names.
    async fn start(store: &Store, question: &Question) -> Result<Self> {
        if *question == Question::default() {
            return Err(Error::usage("Ask about something: a post, an address, words, a key, a job or an event."));
        }
        let mut walk = Self {
            posts: question.posts.iter().cloned().fold(Vec::new(), with),
            tries: BTreeMap::new(),
            seen: HashSet::new(),
            ahead: VecDeque::new(),
        };
        let pool = store.pool();
        for url in &question.urls {
            walk.add_post(rows::post_at(pool, url).await?);
        }
        for event in &question.events {
            let resource = rows::resource_of(pool, event).await?;
            walk.add_post(resource.and_then(|resource| rows::post_of(resource.as_str())));
        }
        let mut named = Vec::new();
        for mark in &question.jobs {
            named.extend(rows::job(pool, mark).await?.map(Reach::Job));
        }
        named.extend(question.keys.iter().cloned().map(Reach::Key));
        for text in &question.texts {
            let found = rows::tries_with_words(pool, text, MOST_TRIES).await?;
            named.extend(found.into_iter().map(Reach::Attempt));
            for post in rows::posts_with_words(pool, text, MOST_POSTS).await? {
                walk.add_post(Some(post));
            }
        }
        for reach in named {
            for row in walk.take(store, reach).await? {
                walk.add_post(row.attempt.post);
            }
        }
        walk.ahead.extend(walk.posts.iter().cloned().map(Reach::Post));
        Ok(walk)
    }

    fn add_post(&mut self, post: Option<PostId>) {
        if let Some(post) = post
            && self.posts.len() < MOST_POSTS
            && !self.posts.contains(&post)
        {
            self.posts.push(post);
        }
    }

    /// Goes every way once, until nothing new is found or the case is large enough.
    async fn follow(&mut self, store: &Store) -> Result<()> {
        while let Some(reach) = self.ahead.pop_front() {
            self.take(store, reach).await?;
        }
        Ok(())
    }

    /// Takes the tries on one way; gives back those that are new, and notes where they lead.
    async fn take(&mut self, store: &Store, reach: Reach) -> Result<Vec<TryRow>> {
        let room = MOST_TRIES.saturating_sub(self.tries.len());
        if room == 0 || !self.seen.insert(reach.clone()) {
            return Ok(Vec::new());
        }
        let limit = u32::try_from(room).unwrap_or(u32::MAX);
        let mut found = rows::tries(store.pool(), &reach, limit).await?;
        found.retain(|row| !self.tries.contains_key(&row.id));
        for row in &found {
            self.tries.insert(row.id, row.clone());
            self.ahead.extend([Reach::Job(row.job), Reach::Again(row.job)]);
            self.ahead.extend(row.attempt.key.clone().map(Reach::Key));
            self.ahead.extend(row.body.clone().map(Reach::Body));
            self.ahead.extend(row.attempt.post.clone().map(Reach::Post));
        }
        Ok(found)
    }
}

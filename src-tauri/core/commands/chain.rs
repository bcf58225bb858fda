//! What belongs together, in both directions: arrival, message, post, try, job, key.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    events::{arrival_row, event_row, whole_arrival},
    rows::{job_row, try_mark, try_says},
    wire::{Chain, ChainArgs, ChainKey, ChainPost, ChainTry, JobRow, PostArgs, PostLane, PostView},
};
use crate::{
    desk::{Desk, Room},
    error::{Error, Result},
    ids::{EventId, JobId, JobMark, Lane, PostId, Resource},
    outbound::{outcome::State, view::JobView},
    store::{chain, job_facts, listing, timeline},
};

/// Most jobs that are shown together.
const JOBS: usize = 20;
/// Most posts.
const POSTS: usize = 8;
/// Most messages.
const MESSAGES: u32 = 40;
/// Most arrivals of one message.
const ARRIVALS: u32 = 60;

/// What has been found so far.
#[derive(Default)]
struct Found {
    jobs: BTreeSet<JobId>,
    posts: BTreeSet<PostId>,
    /// What the messages are about where that is no post.
    other: Option<Resource>,
    arrivals: Vec<listing::ArrivalRow>,
    more: bool,
}

pub(super) async fn chain(desk: &Desk, args: ChainArgs) -> Result<Chain> {
    let room = desk.room().await;
    let mut found = begin(&room, args).await?;
    let views = grow(&room, &mut found).await?;
    let posts = posts(&room, &found, &views).await?;

    let mut messages = Vec::new();
    let resources: Vec<Resource> = found.posts.iter().map(Resource::post).chain(found.other.clone()).collect();
    for resource in &resources {
        let rows = chain::messages_of(room.store.pool(), resource, MESSAGES).await?;
        found.more |= rows.len() >= usize::try_from(MESSAGES).unwrap_or(usize::MAX);
        messages.extend(rows);
    }
    messages.sort_by(|one, other| (one.first_arrived, &one.event).cmp(&(other.first_arrived, &other.event)));

    let keys = keys(&views);
    let tries = tries(&views);
    let mut jobs: Vec<JobRow> = Vec::with_capacity(views.len());
    for view in views {
        jobs.push(job_row(&room, view).await?);
    }
    jobs.sort_by(|one, other| (one.created.ms, &one.job).cmp(&(other.created.ms, &other.job)));
    Ok(Chain {
        keys,
        jobs,
        tries,
        posts,
        messages: messages.into_iter().map(event_row).collect(),
        arrivals: found.arrivals.into_iter().map(arrival_row).collect(),
        more: found.more,
    })
}

/// The thing that was named.
async fn begin(room: &Room, args: ChainArgs) -> Result<Found> {
    let pool = room.store.pool();
    let mut found = Found::default();
    match (args.event, args.seq, args.job, args.post) {
        (Some(event), None, None, None) => message(room, &EventId::new(event), &mut found).await?,
        (None, Some(seq), None, None) => {
            let arrival = whole_arrival(room, seq).await?.row;
            match arrival.event.clone() {
                // The id that an arrival set aside claims is not believed, so nothing hangs on it.
                Some(event) if arrival.copy > 0 => message(room, &event, &mut found).await?,
                _ => found.arrivals.push(arrival),
            }
        }
        (None, None, Some(job), None) => {
            found.jobs.insert(job_facts::by_mark(pool, &JobMark::new(job)).await?.id);
        }
        (None, None, None, Some(post)) => {
            found.posts.insert(PostId::new(post));
        }
        _ => return Err(Error::usage("Name one thing: a message, an arrival, a job or a post.")),
    }
    Ok(found)
}

async fn message(room: &Room, event: &EventId, found: &mut Found) -> Result<()> {
    let pool = room.store.pool();
    let row = listing::event(pool, event).await?.ok_or_else(|| Error::not_found("That message is not in this log."))?;
    found.arrivals = listing::arrivals_of(pool, event, ARRIVALS).await?;
    found.more |= usize::try_from(row.arrivals).unwrap_or(usize::MAX) > found.arrivals.len();
    match row.resource.as_str().strip_prefix("post:") {
        Some(post) => {
            found.posts.insert(PostId::new(post));
        }
        None => found.other = Some(row.resource),
    }
    Ok(())
}

/// Follows posts to their jobs, jobs to their keys and posts, keys to their jobs, until nothing new is found.
async fn grow(room: &Room, found: &mut Found) -> Result<Vec<JobView>> {
    let pool = room.store.pool();
    let mut views: BTreeMap<JobId, JobView> = BTreeMap::new();
    let mut asked: BTreeSet<PostId> = BTreeSet::new();
    loop {
        let fresh: Vec<PostId> = found.posts.difference(&asked).cloned().collect();
        found.jobs.extend(timeline::jobs_of(pool, &fresh).await?.into_iter().map(|(_, job)| job));
        asked.extend(fresh);
        let fresh: Vec<JobId> = found.jobs.iter().filter(|job| !views.contains_key(job)).copied().collect();
        for job in fresh {
            if views.len() >= JOBS {
                found.more = true;
                break;
            }
            let facts = job_facts::by_id(pool, job).await?;
            if let Some(key) = &facts.key {
                let limit = u32::try_from(JOBS).unwrap_or(u32::MAX);
                found.jobs.extend(chain::jobs_with_key(pool, facts.workspace, key, limit).await?);
            }
            let limit = u32::try_from(POSTS).unwrap_or(u32::MAX);
            found.posts.extend(chain::posts_of(pool, job, limit).await?);
            views.insert(job, JobView::of(&room.store, &room.clock, &room.contract, facts).await?);
        }
        let grown = found.jobs.iter().any(|job| !views.contains_key(job)) || found.posts.len() > asked.len();
        if !grown || views.len() >= JOBS || asked.len() >= POSTS {
            found.more |= grown;
            return Ok(views.into_values().collect());
        }
    }
}

async fn posts(room: &Room, found: &Found, views: &[JobView]) -> Result<Vec<ChainPost>> {
    let pool = room.store.pool();
    let mut posts = Vec::with_capacity(found.posts.len());
    for post in &found.posts {
        let head = timeline::head(pool, Resource::post(post)).await?;
        let status = listing::lane(pool, &Lane::post(post)).await?.and_then(|lane| lane.status);
        let mut text = head.text;
        if text.is_none()
            && let Some(view) = views.iter().find(|view| view.judged.post.as_ref() == Some(post))
        {
            text = job_row(room, view.clone()).await?.text;
        }
        posts.push(ChainPost { post: post.to_string(), text, status });
    }
    Ok(posts)
}

fn keys(views: &[JobView]) -> Vec<ChainKey> {
    let mut keys: BTreeMap<(&str, &str), ChainKey> = BTreeMap::new();
    for view in views {
        let Some(key) = &view.facts.key else { continue };
        let known = keys.entry((&view.facts.workspace_name, key)).or_insert_with(|| ChainKey {
            key: key.clone(),
            workspace: view.facts.workspace_name.clone(),
            since: view.facts.key_use.as_ref().map(|used| used.first_at.into()),
            expires: view.judged.key_expires_at.map(Into::into),
            jobs: Vec::new(),
        });
        known.jobs.push(view.facts.mark.to_string());
    }
    keys.into_values().collect()
}

fn tries(views: &[JobView]) -> Vec<ChainTry> {
    let mut tries: Vec<ChainTry> = views
        .iter()
        .flat_map(|view| {
            let held = view.judged.state == State::Sending;
            view.facts.attempts.iter().map(move |attempt| ChainTry {
                job: view.facts.mark.to_string(),
                n: attempt.n,
                at: attempt.at.into(),
                mark: try_mark(attempt, held).to_owned(),
                says: try_says(attempt, held),
                status: attempt.end.as_ref().and_then(|end| end.status),
                post: attempt.end.as_ref().and_then(|end| end.post.as_ref()).map(PostId::to_string),
            })
        })
        .collect();
    tries.sort_by(|one, other| (one.at.ms, &one.job, one.n).cmp(&(other.at.ms, &other.job, other.n)));
    tries
}

/// One post with what each part of it holds.
pub(super) async fn post(desk: &Desk, args: PostArgs) -> Result<PostView> {
    let room = desk.room().await;
    let pool = room.store.pool();
    let post = PostId::new(args.post);
    let resource = Resource::post(&post);
    let head = timeline::head(pool, resource.clone()).await?;
    let whole = Lane::post(&post);
    let mut found = Found { posts: BTreeSet::from([post.clone()]), ..Found::default() };
    let views = grow(&room, &mut found).await?;
    let mut jobs = Vec::with_capacity(views.len());
    for view in views {
        jobs.push(job_row(&room, view).await?);
    }
    let asked = |account: &str| {
        let mut targets = jobs.iter().flat_map(|job| &job.targets);
        targets.find(|target| target.account == account).map(|target| target.platform.clone())
    };
    let mut lanes: Vec<PostLane> = Vec::new();
    for lane in listing::lanes_of(pool, &resource).await? {
        let account = lane.lane.as_str().split_once('/').map(|(_, account)| account.to_owned());
        let platform =
            account.as_ref().and_then(|account| head.platforms.get(account).cloned().or_else(|| asked(account)));
        let held = PostLane {
            account,
            platform,
            status: lane.status,
            since: lane.as_of.into(),
            event: lane.event.map(|event| event.to_string()),
            confirmed: lane.confirmed.map(Into::into),
            tie: lane.tie,
            wants_fetch: lane.wants_fetch,
        };
        if lane.lane == whole { lanes.insert(0, held) } else { lanes.push(held) }
    }
    if lanes.is_empty() && jobs.is_empty() && head.since.is_none() {
        return Err(Error::not_found(format!("The log knows nothing of a post {post}.")));
    }
    Ok(PostView {
        text: head.text.or_else(|| jobs.iter().find_map(|job| job.text.clone())),
        timezone: jobs.iter().find_map(|job| job.timezone.clone()),
        post: post.to_string(),
        lanes,
    })
}

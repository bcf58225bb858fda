//! Judges what was left to be judged: resources with many events and events that came many times, in slices between
//! which live arrivals go first (design 11). What changes meanwhile is judged once more, so that in the end the tables
//! are those that judging everything at once gives.

use std::{sync::Arc, time::Duration};

use rusqlite::{Connection, OpenFlags};
use tokio::{task::spawn_blocking, time};

use super::{
    judge::Judged,
    record::{judged_anew, place_part, rejudge_resource},
    rejudge,
    standing::ArrivalKey,
};
use crate::{
    clock::Clock,
    error::{Code, Error, Result},
    ids::{EventId, Resource},
    pozy::contract::Contract,
    store::{
        Commits, FILE, Store,
        events::{self, Columns},
        judging::{self, Due},
    },
};

/// How long a slice may hold the write lock, milliseconds.
const SLICE_MS: i64 = 20;
/// Arrivals of one event in a slice.
const ARRIVALS: usize = 1_000;
/// A resource that changes while it is judged is judged apart so many times, then in one transaction.
const APART: usize = 4;
/// Between two slices of a long way.
const BREATH: Duration = Duration::from_millis(5);
/// After a change of the log.
const GATHER: Duration = Duration::from_millis(100);
/// Other programs may write, too: without a change of our own the log is looked at this often.
const AT_LEAST: Duration = Duration::from_secs(5);

/// Judges what waits until the log is closed.
pub async fn keep_up(store: Store, contract: Arc<Contract>) {
    let mut commits = store.commits();
    // A problem shows in the first step.
    let mut outdated = rejudge::can_wait(&store).await.unwrap_or(true);
    loop {
        match next(&store, &contract, &mut outdated).await {
            Ok(true) => continue,
            Ok(false) => {}
            // The log may just be closing; what waits is noted in it.
            Err(problem) => tracing::debug!(%problem, "what waits could not be judged"),
        }
        // An index that fills leaves nothing to be judged.
        if Commits::next_loud(&mut commits, AT_LEAST).await.is_none() {
            return;
        }
        time::sleep(GATHER).await;
    }
}

/// One thing that waits; where nothing does, one slice of what other rules judged while the log is `outdated`.
async fn next(store: &Store, contract: &Arc<Contract>, outdated: &mut bool) -> Result<bool> {
    if one(store, contract).await? {
        return Ok(true);
    }
    if *outdated {
        *outdated = rejudge::step(store, contract).await?;
        time::sleep(BREATH).await;
    }
    Ok(*outdated)
}

/// Judges everything that waits; `go_on` hears how much is left, counted up to ten thousand, and says whether to go on.
///
/// # Errors
/// As [`one`].
pub async fn all(store: &Store, contract: &Arc<Contract>, mut go_on: impl FnMut(u64) -> bool) -> Result<()> {
    loop {
        let left = judging::left(store.pool(), 10_000).await?;
        if left == 0 || !go_on(left) {
            return Ok(());
        }
        one(store, contract).await?;
    }
}

/// Judges one thing that waits; false if nothing does.
///
/// # Errors
/// `Storage` if the log cannot be read or written; what was judged so far stays, and the rest waits.
pub async fn one(store: &Store, contract: &Arc<Contract>) -> Result<bool> {
    let Some((due, marks)) = judging::next(store.pool()).await? else { return Ok(false) };
    match &due {
        Due::Resource(resource) => judge_resource(store, resource, &due, marks).await?,
        Due::Event(event, _) => judge_event(store, event, &due, marks, contract).await?,
    }
    Ok(true)
}

/// Judges the events of a resource on a reader and writes what came out otherwise in slices.
async fn judge_resource(store: &Store, resource: &Resource, due: &Due, mut marks: i64) -> Result<()> {
    for _ in 0..APART {
        let (changed, judged) = apart(store, resource).await?;
        let mut rest = changed.into_iter();
        let mut fresh = true;
        while fresh && rest.len() > 0 {
            let due = due.clone();
            (fresh, rest) = store
                .write(move |connection| {
                    let fresh = judging::marks(connection, &due)? == Some(marks);
                    let watch = Clock::stopwatch();
                    while fresh && watch.ms() < SLICE_MS {
                        let Some((event, columns)) = rest.next() else { break };
                        events::write_judgement(connection, &event, &columns)?;
                    }
                    Ok((fresh, rest))
                })
                .await?;
            time::sleep(BREATH).await;
        }
        let (of, noted) = (resource.clone(), due.clone());
        let now = store
            .write(move |connection| {
                let now = judging::marks(connection, &noted)?;
                if now == Some(marks) {
                    events::write_lanes(connection, &of, &judged.lanes)?;
                    judging::done(connection, &noted)?;
                }
                Ok(now)
            })
            .await?;
        match now {
            Some(now) if now != marks => marks = now,
            // Done, by us or by somebody else.
            _ => return Ok(()),
        }
    }
    let (of, noted) = (resource.clone(), due.clone());
    store
        .write(move |connection| {
            rejudge_resource(connection, &of)?;
            judging::done(connection, &noted)
        })
        .await
}

/// [`judged_anew`] on a reader of its own.
async fn apart(store: &Store, resource: &Resource) -> Result<(Vec<(EventId, Columns)>, Judged)> {
    let (file, resource) = (store.dir().join(FILE), resource.clone());
    let judging = move || {
        let reader = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        reader.busy_timeout(Duration::from_secs(10))?;
        // Events and fetches of one moment.
        let snapshot = reader.unchecked_transaction()?;
        judged_anew(&snapshot, &resource)
    };
    spawn_blocking(judging).await.map_err(|cause| {
        Error::caused(Code::Internal, "A mistake of ours stopped judging; what waits is judged later.", cause)
    })?
}

/// Places the arrivals of an event anew, part by part from the first one.
async fn judge_event(store: &Store, event: &EventId, due: &Due, marks: i64, contract: &Arc<Contract>) -> Result<()> {
    let mut from: Option<(ArrivalKey, i64)> = None;
    loop {
        let (of, noted, contract) = (event.clone(), due.clone(), Arc::clone(contract));
        let next = store
            .write(move |connection| {
                if judging::marks(connection, &noted)? != Some(marks) {
                    return Ok(None);
                }
                let next = place_part(connection, &of, from, ARRIVALS, &contract)?;
                if next.is_none() {
                    judging::done(connection, &noted)?;
                }
                Ok(next)
            })
            .await?;
        // What has changed meanwhile still waits and is begun anew.
        let Some(next) = next else { return Ok(()) };
        from = Some(next);
        time::sleep(BREATH).await;
    }
}

//! Fetches by rule, in the background and at a polite pace: what messages alone cannot settle (T2), and lost tries whose
//! post is known (design 4.9). Waits as long as Pozy asks, and ever longer for what a fetch does not settle.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{
    background::Loop,
    connection::Connection,
    fetch::{self, Look},
};
use crate::{
    clock::Clock,
    error::Result,
    store::{
        Store,
        looks::{self, Wanted},
        waits,
    },
};

/// Least time between two fetches.
const PACE: Duration = Duration::from_secs(1);
/// How often is looked for what is wanted when nothing seems to happen.
const ROUND: Duration = Duration::from_secs(5);
/// Things looked at in one round.
const AT_ONCE: u32 = 20;
/// The second fetch of one thing comes this long after the first, seconds; each further one four times later.
const AGAIN_S: i64 = 60;
/// ... up to this, seconds.
const LONGEST_S: i64 = 6 * 3_600;

/// Starts to fetch for `connection`.
#[must_use]
pub fn start(store: Store, clock: Clock, connection: Connection) -> Loop {
    Loop::start(|stop| run(store, clock, connection, stop))
}

async fn run(store: Store, clock: Clock, connection: Connection, stop: CancellationToken) {
    let mut commits = store.commits();
    while !stop.is_cancelled() {
        match next(&store, &clock, &connection).await {
            Ok(Some(wanted)) => {
                if let Err(problem) = one(&store, &clock, &connection, &wanted).await {
                    tracing::warn!("what is wanted could not be fetched: {problem}");
                }
                pause(&stop, PACE).await;
            }
            Ok(None) => {
                tokio::select! {
                    () = stop.cancelled() => break,
                    () = tokio::time::sleep(ROUND) => {}
                    changed = commits.changed() => match changed {
                        // Commits come in floods; a look at each second of one is enough.
                        Ok(()) => pause(&stop, PACE).await,
                        Err(_) => break,
                    },
                }
            }
            Err(problem) => {
                tracing::warn!("what wants a fetch could not be looked up: {problem}");
                pause(&stop, ROUND).await;
            }
        }
    }
}

async fn pause(stop: &CancellationToken, time: Duration) {
    tokio::select! {
        () = stop.cancelled() => {}
        () = tokio::time::sleep(time) => {}
    }
}

/// The next thing that is wanted and may be fetched now.
async fn next(store: &Store, clock: &Clock, connection: &Connection) -> Result<Option<Wanted>> {
    let now = clock.now();
    if waits::until(store.pool(), connection.workspace, now).await?.is_some() {
        return Ok(None);
    }
    let wanted = looks::by_rule(store.pool(), connection.workspace, AT_ONCE).await?;
    Ok(wanted.into_iter().find(|wanted| wanted.next.is_none_or(|next| next <= now)))
}

/// Fetches one thing. A wait that Pozy asks for does not count as a look.
async fn one(store: &Store, clock: &Clock, connection: &Connection, wanted: &Wanted) -> Result<()> {
    let subject = wanted.subject.clone();
    let look = fetch::look(store, clock, connection, &subject).await;
    if matches!(look, Ok(Look::Wait(_))) {
        return Ok(());
    }
    let now = clock.now();
    store.write(move |connection| looks::keep(connection, &subject, now, wait_after)).await?;
    look.map(drop)
}

/// How long after the look of that number the next one may come, seconds.
fn wait_after(times: i64) -> i64 {
    let further = u32::try_from(times).ok().and_then(|times| 4_i64.checked_pow(times)).unwrap_or(LONGEST_S);
    AGAIN_S.saturating_mul(further).min(LONGEST_S)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_fetch_does_not_settle_is_fetched_ever_less() {
        let waits: Vec<i64> = [0, 1, 2, 3, 60].into_iter().map(wait_after).collect();
        assert_eq!(waits, [60, 240, 960, 3_840, LONGEST_S]);
    }
}

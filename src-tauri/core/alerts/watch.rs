//! Looks at the log after each change and hands on what needs a person.

use std::{path::PathBuf, time::Duration};

use tokio::time;

use super::{Alert, Lookout};
use crate::{desk::Desk, ids::Seq, store::alerts};

/// Least time between two looks: a flood of arrivals costs one look a second.
const BREATH: Duration = Duration::from_secs(1);
/// A job becomes unknown by time alone, without any change in the log; so it is looked at this often at least.
const AT_LEAST: Duration = Duration::from_secs(20);

/// Hands each alert to `tell` as long as the desk is open. A log that was entered anew, or left for practice, begins
/// with a first look.
pub async fn watch(desk: Desk, mut tell: impl FnMut(Alert) + Send) {
    let mut notices = desk.notices();
    let mut at: Option<(PathBuf, Seq)> = None;
    let mut lookout = Lookout::default();
    loop {
        // Behind a case the person's own log goes on, and it is the one that calls.
        let room = desk.running_room().await;
        let (store, now, practice) = (room.store.clone(), room.clock.now(), room.stage.is_some());
        drop(room);
        let after = match &at {
            Some((dir, seq)) if dir == store.dir() => Ok(*seq),
            _ => {
                lookout = Lookout::default();
                alerts::newest(store.pool()).await
            }
        };
        let seen = match after {
            Ok(after) => alerts::seen(store.pool(), after, now).await,
            Err(problem) => Err(problem),
        };
        match seen {
            Ok((seen, newest)) => {
                at = Some((store.dir().to_owned(), newest));
                lookout.look(seen, now, practice).into_iter().for_each(&mut tell);
            }
            // The log may have been closed for another one at this very moment; the next look finds that.
            Err(problem) => tracing::debug!(%problem, "nothing could be looked at"),
        }
        drop(store);
        time::sleep(BREATH).await;
        if let Ok(Err(_)) = time::timeout(AT_LEAST, notices.changed()).await {
            return;
        }
    }
}

//! Tells whoever shows something that the log has changed, whichever process changed it. A notice carries only a
//! number: the screens pull what they show, so a flood of arrivals costs them one pull a frame (design 11, P8).

use std::{sync::Arc, time::Duration};

use sqlx::{Connection as _, SqliteConnection};
use tokio::{sync::watch, task::JoinHandle, time};

use crate::{error::Result, store::Store};

/// How soon a change by another process is noticed.
const LOOK: Duration = Duration::from_millis(150);
/// Least time between two notices.
const BREATH: Duration = Duration::from_millis(25);
/// So many looks are passed over while an index is filled, which changes the file all the time and nothing that is shown.
const PASSED_OVER: u32 = 6;

/// Watches one log; stops when dropped.
pub struct Watch(JoinHandle<()>);

impl Watch {
    /// Counts `notices` up whenever the log of `store` has changed.
    ///
    /// # Errors
    /// `Storage` if the log cannot be read.
    pub async fn start(store: &Store, notices: Arc<watch::Sender<u64>>) -> Result<Self> {
        let mut reader = SqliteConnection::connect_with(&store.reading()).await?;
        let mut commits = store.commits();
        let mut last = Store::version(&mut reader).await?;
        Ok(Self(tokio::spawn(async move {
            let mut told = *commits.borrow_and_update();
            let mut passed_over = 0;
            loop {
                // Our own commits wake this at once, those of other processes are found by looking.
                let closed =
                    matches!(time::timeout(LOOK, commits.wait_for(|now| now.loud != told.loud)).await, Ok(Err(_)));
                match Store::version(&mut reader).await {
                    Ok(version) if version != last => {
                        let now = *commits.borrow_and_update();
                        // What looks like our own filling of an index may be somebody else's change: it is told, but seldom.
                        if now.loud == told.loud && now.quiet != told.quiet && passed_over < PASSED_OVER && !closed {
                            passed_over += 1;
                            continue;
                        }
                        (last, told, passed_over) = (version, now, 0);
                        notices.send_modify(|n| *n += 1);
                        time::sleep(BREATH).await;
                    }
                    Ok(_) if closed => return,
                    Ok(_) => told = *commits.borrow_and_update(),
                    Err(problem) => {
                        tracing::warn!(%problem, "the log cannot be watched for changes");
                        time::sleep(Duration::from_secs(1)).await;
                    }
                }
            }
        })))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

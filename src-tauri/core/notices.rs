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
            loop {
                // Our own commits wake this at once, those of other processes are found by looking.
                let closed = matches!(time::timeout(LOOK, commits.changed()).await, Ok(Err(_)));
                match Store::version(&mut reader).await {
                    Ok(version) if version != last => {
                        last = version;
                        notices.send_modify(|n| *n += 1);
                        time::sleep(BREATH).await;
                    }
                    Ok(_) if closed => return,
                    Ok(_) => {}
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

//! A loop that runs beside everything else until it is stopped.

use std::future::Future;

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// A loop that runs.
#[derive(Debug)]
pub struct Loop {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Loop {
    /// Starts `body`, which ends soon after its token is cancelled.
    pub(super) fn start<F>(body: impl FnOnce(CancellationToken) -> F) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let stop = CancellationToken::new();
        Self { task: tokio::spawn(body(stop.clone())), stop }
    }

    /// Lets it start nothing new, and waits for what is under way.
    pub async fn stop(self) {
        self.stop.cancel();
        // What a loop that panicked had begun is on disk, or it was not begun.
        drop(self.task.await);
    }
}

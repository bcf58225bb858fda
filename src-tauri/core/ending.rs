//! How long an end may take. Whatever is under way when the program is to end stands on disk as begun, so that leaving it
//! behind costs certainty and never truth: a try without a result is unknown, a slice that is not committed is not there.
//! Every wait of an end goes through [`at_most`], so that no answer, reader or lock of another program keeps it.

use std::{future::Future, time::Duration};

/// What is under way (a try on the wire, a slice of an import, an answer to a webhook) may come to its end within this.
pub(crate) const UNDER_WAY: Duration = Duration::from_secs(4);
/// The log may be tidied and closed within this; one that is not is whole, too, and tidied at the next start.
pub(crate) const CLOSING: Duration = Duration::from_secs(3);

/// Waits for `work`, and leaves it behind when the time is over.
pub(crate) async fn at_most(limit: Duration, what: &str, work: impl Future<Output = ()>) {
    if tokio::time::timeout(limit, work).await.is_err() {
        tracing::warn!("{what} took too long and was left behind; what it had begun stands in the log");
    }
}

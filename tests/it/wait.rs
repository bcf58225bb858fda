//! Waiting for what must come true, with an end.

use std::{fmt::Debug, future::Future, time::Duration};

use reprise_core::clock::Clock;

/// How long anything may take.
const PATIENCE_MS: i64 = 60_000;
const PAUSE: Duration = Duration::from_millis(20);

/// Asks `holds` again and again until it gives a value.
///
/// # Panics
/// With the last that was seen instead, once the time is over.
pub(crate) async fn until<T, E: Debug>(what: &str, mut holds: impl FnMut() -> Result<T, E>) -> T {
    let waited = Clock::stopwatch();
    loop {
        match holds() {
            Ok(value) => return value,
            Err(seen) => assert!(waited.ms() < PATIENCE_MS, "waited for {what}, instead there is {seen:?}"),
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Waits for something that comes by itself.
///
/// # Panics
/// Once the time is over.
pub(crate) async fn patiently<T>(what: &str, coming: impl Future<Output = T>) -> T {
    let patience = Duration::from_millis(PATIENCE_MS.unsigned_abs());
    tokio::time::timeout(patience, coming).await.unwrap_or_else(|_| panic!("waited in vain for {what}"))
}

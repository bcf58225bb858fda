//! A connection: one workspace, one base address, one API key. Keys are scoped to it (R12), so a job is only ever
//! sent through the connection it was made for.

use std::sync::Arc;

use hmac::{Hmac, Mac as _};
use sha2::Sha256;
use tokio_util::task::TaskTracker;

use super::seat::Seat;
use crate::{
    clock::Clock,
    error::Result,
    ids::WorkspaceId,
    pozy::{client::Client, contract::Contract},
    secrets::Secret,
    settings,
    store::{Store, workspaces},
};

/// Everything that sending needs besides the log. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Connection {
    /// The workspace in this log.
    pub workspace: WorkspaceId,
    /// Fingerprint of the API key, salted by this log.
    pub key_print: String,
    /// The way out.
    pub client: Client,
    /// Settings of the provider.
    pub contract: Arc<Contract>,
    /// Where the log is at home; none for one that is always made anew, as in practice.
    pub seat: Option<Seat>,
    /// Tries on the wire, whoever asked for them; the clones of a connection share it.
    pub tries: TaskTracker,
}

impl Connection {
    /// Opens the connection of that base address and API key; its workspace is found by both, or made.
    ///
    /// # Errors
    /// `Usage` if the address cannot be used, `Storage` if the log cannot be written.
    pub async fn open(
        store: &Store,
        clock: &Clock,
        base_url: &str,
        api_key: Secret,
        contract: Contract,
    ) -> Result<Self> {
        let client = Client::new(base_url, api_key.clone(), &contract)?;
        let (base, provider, clock) = (client.base_url().to_owned(), contract.provider.clone(), clock.clone());
        let (workspace, key_print) = store
            .write(move |connection| {
                let print = key_print(&settings::log_name(connection, &clock)?, &api_key);
                let workspace = workspaces::connected(connection, &base, &print, &provider, clock.now())?;
                Ok((WorkspaceId(workspace), print))
            })
            .await?;
        Ok(Self { workspace, key_print, client, contract: Arc::new(contract), seat: None, tries: TaskTracker::new() })
    }

    /// Waits for every try on the wire.
    pub(crate) async fn tried(&self) {
        self.tries.close();
        self.tries.wait().await;
    }

    /// Holds if the log is where it belongs; asked before anything is sent.
    ///
    /// # Errors
    /// As [`Seat::holds`].
    pub(super) async fn at_home(&self, store: &Store, clock: &Clock) -> Result<()> {
        match &self.seat {
            Some(seat) => seat.holds(store, clock, &self.contract).await,
            None => Ok(()),
        }
    }
}

/// Fingerprint of an API key: equal for equal keys of one log, and of no use to find the key or to compare logs.
/// The first 8 bytes of HMAC-SHA256 under the log's own name, 16 hexadecimal digits.
#[must_use]
pub fn key_print(log: &str, api_key: &Secret) -> String {
    // An HMAC takes a key of any length; the arm without one is never taken.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(log.as_bytes()) else { return String::new() };
    mac.update(api_key.reveal().as_bytes());
    mac.finalize().into_bytes().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_tells_keys_apart_and_changes_with_the_log() {
        let (plum, pear) = (Secret::new("sk_plum").unwrap(), Secret::new("sk_pear").unwrap());
        assert_eq!(key_print("log", &plum), key_print("log", &plum));
        assert_ne!(key_print("log", &plum), key_print("log", &pear));
        assert_ne!(key_print("log", &plum), key_print("other", &plum));
        assert_eq!(key_print("log", &plum).len(), 16);
    }
}

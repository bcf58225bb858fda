//! What can go wrong when the sandbox is started or told to do something. What Pozy answers is no error here.

use std::net::SocketAddr;

/// Why the sandbox did not start, or did not do what it was told.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address is taken or not ours.
    #[error("cannot listen on {addr}: {source}")]
    Listen {
        /// The address that was asked for.
        addr: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// The system gave no random numbers for ids and secrets.
    #[error("the system gives no random numbers")]
    NoRandom,
    /// The HTTP client for deliveries could not be set up.
    #[error("cannot set up deliveries: {0}")]
    Client(#[from] reqwest::Error),
    /// A control step that makes no sense; the text says which part.
    #[error("{0}")]
    Refused(String),
    /// A control step names something that is not there.
    #[error("there is no {what} {name}")]
    Missing {
        /// The kind of thing: post, account, workspace.
        what: &'static str,
        /// What it was called.
        name: String,
    },
    /// A script or story that is not JSON of the right shape.
    #[error("this script cannot be read: {0}")]
    Script(#[from] serde_json::Error),
    /// The sandbox was stopped.
    #[error("the sandbox has stopped")]
    Stopped,
}

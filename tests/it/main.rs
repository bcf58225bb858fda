//! The core over real sockets and real files.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod inbound;
mod outbound;
mod wire;

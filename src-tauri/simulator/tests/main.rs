//! Written vectors and behaviour of the sandbox, over real sockets.

#![allow(clippy::unwrap_used, reason = "a test stops at the first thing it did not expect")]

mod control;
mod deliveries;
mod faults;
mod keys;
mod life;
mod posts;
mod rules;
mod scope;
mod sides;
mod story;
mod vectors;
mod webhooks;

//! Tests from outside: the core over real sockets and real files, and the real program as a person runs it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod alike;
mod attack;
mod cli;
mod desk;
mod fuzz;
mod imports;
mod inbound;
mod kill;
mod looking;
mod outbound;
#[cfg(unix)]
mod pipe;
mod program;
mod scenario;
mod screens;
mod search;
mod secrets;
mod timeline;
mod trust;
mod wait;
mod wire;

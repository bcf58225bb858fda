//! Jobs out: `job` freezes the body -> `key` is bound to it -> an attempt row is written as sent before the wire ->
//! `pozy::client` -> the answer or its loss is appended -> `outcome` adds up -> `retry` says wait or stop.
//!
//! A crash leaves a sent row without an answer: shown as unknown, never as failed.

pub mod connection;
pub mod job;
pub mod key;
pub mod lock;
pub mod outcome;
pub mod retry;
pub mod schedule;

//! Jobs out: `submit` freezes the body and binds the `key` -> `sender` writes an attempt as sent before the wire ->
//! `pozy::client` -> the answer or its loss is appended -> `outcome` adds up -> `retry` says wait or stop. `resend`
//! re-enters at the sender with the stored key, `bulk` does so for many jobs, and `many` submits the rows of a file.
//! `lock` lets one sender at a time have a job, over all processes.
//!
//! A crash leaves a sent row without an answer: shown as unknown, never as failed. `key`, `job`, `body`, `schedule`,
//! `outcome` and `retry` are pure.

pub mod answer_card;
pub mod background;
pub mod body;
pub mod bulk;
pub mod connection;
mod fault;
pub mod fetch;
pub mod forecast;
pub mod foretell;
pub mod job;
pub mod key;
pub mod key_clock;
mod last_look;
pub mod lock;
pub mod lookout;
pub mod many;
pub mod outcome;
#[cfg(test)]
mod outcome_tests;
pub mod rejudge;
pub mod resend;
pub mod retry;
pub mod schedule;
pub mod seat;
pub mod sender;
pub mod submit;
pub mod view;

//! Many posts from one file: `reading` takes a CSV or JSON Lines apart, `columns` makes a body of a row, `plan` foretells
//! each row against the log and the rows before it, `send` makes a job of a row and tries it once.
//!
//! A row is one job for good: its name comes from the workspace, its key and its bytes, so that the same file a second
//! time, or after a crash halfway, finds its jobs and makes no second post (design 4.6, X15). A row that is not safe is
//! left out unless its effect was confirmed.

mod columns;
pub mod plan;
pub mod reading;
pub mod send;

use serde::Serialize;
use ts_rs::TS;

use super::outcome::State;

/// Where a row stands: what would become of it, or where its job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum RowState {
    /// It would be sent.
    Ready,
    /// It is not safe and its effect was not confirmed, so it is not sent.
    LeftOut,
    /// It cannot be read as a post, so it is not sent.
    Wrong,
    /// It has a job, which stands there.
    #[serde(untagged)]
    Job(State),
}

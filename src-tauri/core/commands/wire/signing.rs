//! How signatures are read, and how long and where the log keeps what.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Stamp;
use crate::pozy::contract::Encoding;

/// How a provider signs its messages (T7).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct SignatureArgs {
    /// Header with the signature.
    pub header: String,
    /// How it is written.
    pub encoding: Encoding,
    /// Text in front of it, such as `sha256=`; may be empty.
    pub prefix: String,
    /// Header that repeats the message's id.
    pub event_id_header: String,
}

/// The settings in use, and those that ship with the program.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct ContractSettings {
    /// The workspace they belong to; none without one, and then they cannot be changed.
    pub workspace: Option<String>,
    /// Provider whose settings hold where nothing was changed.
    pub provider: String,
    /// What holds.
    pub signature: SignatureArgs,
    /// What ships.
    pub shipped: SignatureArgs,
}

/// Changes how signatures are read in the workspace in use.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct SaveSignatureArgs {
    /// What shall hold; none goes back to what ships.
    pub signature: Option<SignatureArgs>,
}

/// What trying some settings on the last message gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct SignatureTrial {
    /// When that message arrived; none if none ever did.
    pub at: Option<Stamp>,
    /// Its number in this log.
    pub seq: Option<i64>,
    /// `fits`, `no_secret`, `no_header`, `not_written`, `other_bytes`, `no_message`, or `no_body` if it aged out.
    pub found: String,
    /// Headers of the message that look like signatures.
    pub alike: Vec<String>,
    /// Settings under which it checks out, where these do not.
    pub suggest: Option<SignatureArgs>,
    /// What the id header says: `same` as the body, `differs`, `missing`.
    pub id_header: Option<String>,
}

/// Messages that are set aside for their signature and can be checked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct SetAside {
    /// How many there are; `most` if there are that many or more.
    pub waiting: u32,
    /// No more are counted.
    pub most: u32,
}

/// What checking them again gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct CheckedAgain {
    /// How many were checked.
    pub looked: usize,
    /// How many of them are valid now and count.
    pub valid: usize,
}

/// Where the log lies, how large it is and when bodies age out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Storage {
    /// Folder of the log.
    pub dir: String,
    /// Size of the log's files, bytes.
    pub log_bytes: u64,
    /// Part of it that is empty and is used again, bytes.
    pub empty_bytes: u64,
    /// What bodies take that are older than the set age, or than 30 days, and tell of no open case, bytes.
    pub freeable_bytes: u64,
    /// True if that is only what the oldest arrivals would free.
    pub freeable_more: bool,
    /// That age, days.
    pub freeable_days: u32,
    /// Everything else in the folder, bytes.
    pub other_bytes: u64,
    /// Arrivals in the log.
    pub arrivals: i64,
    /// Bodies of messages that came here age out by themselves after this many days; none keeps them.
    pub bodies_days: Option<u32>,
    /// Bodies leave, oldest first, while the log is larger than this many megabytes; none keeps them.
    pub log_mb: Option<u32>,
}

/// When bodies age out by themselves.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct RetentionArgs {
    /// After this many days, at least 1; none keeps them.
    pub bodies_days: Option<u32>,
    /// While the log is larger than this many megabytes, at least 10; none keeps them.
    pub log_mb: Option<u32>,
}

//! Looking things up by hand: fetches, what a person found, and which workspace of a file is which.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{PostNow, Stamp};

/// What to ask Pozy about; exactly one.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
#[ts(export_to = "wire.ts")]
pub struct FetchArgs {
    /// A job: its post, or the newest posts where its post is not known.
    #[ts(optional)]
    pub job: Option<String>,
    /// A post.
    #[ts(optional)]
    pub post: Option<String>,
    /// A connected account.
    #[ts(optional)]
    pub account: Option<String>,
}

/// What came of asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum FetchResult {
    /// Pozy told it.
    Told,
    /// Pozy has no such post or account.
    Gone,
    /// Nothing was asked, or told: Pozy wants to be left alone for a while.
    Wait,
    /// The answer says nothing about it.
    Unclear,
    /// No answer came.
    Silent,
}

/// What Pozy says.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct FetchReport {
    /// What came of asking.
    pub result: FetchResult,
    /// When.
    pub at: Stamp,
    /// What it means and what to do next, in plain words.
    pub says: String,
    /// From when on Pozy may be asked again.
    pub wait_until: Option<Stamp>,
    /// The post as it is known now.
    pub post: Option<PostNow>,
    /// State of the account as it is known now.
    pub account_status: Option<String>,
    /// For a job whose post is not known: posts on its accounts with equal or nearly equal words, best first.
    pub candidates: Vec<Candidate>,
}

/// A post that may be the one a lost try made.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Candidate {
    /// What is known of it.
    pub post: PostNow,
    /// How many characters its words differ by; 0 for the same words.
    pub differs_by: u32,
    /// Accounts of the job that it is on.
    pub accounts: Vec<String>,
}

/// Records what a person saw or decided.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct NoteArgs {
    /// The job it is about.
    #[serde(default)]
    #[ts(optional)]
    pub job: Option<String>,
    /// The post it is about. With a job and `settled`: the post that the job made.
    #[serde(default)]
    #[ts(optional)]
    pub post: Option<String>,
    /// `settled`, `seen_twice`, `not_seen` or `comment`.
    pub action: String,
    /// Their words.
    pub text: String,
    /// `settled` of a job: true if its post is there, false if none is. A named post is there.
    #[serde(default)]
    #[ts(optional)]
    pub there: Option<bool>,
}

/// Says which workspace the name in a file means, or takes that back.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct TieArgs {
    /// The name in the file.
    pub name: String,
    /// True for the workspace in use; false takes a tie back.
    pub tie: bool,
}

/// Workspaces that only files name.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct FileWorkspaces {
    /// By name.
    pub rows: Vec<FileWorkspaceRow>,
}

/// One of them.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct FileWorkspaceRow {
    /// The name in the file.
    pub name: String,
    /// The workspace that a person said it means; its jobs may be sent by hand through that one.
    pub means: Option<String>,
    /// How many jobs bear the name.
    pub jobs: u32,
}

/// Something that only a fetch can tell.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct LookRow {
    /// The post, if it is one.
    pub post: Option<String>,
    /// The account, if it is one.
    pub account: Option<String>,
    /// The job whose outcome is not known, if that is why.
    pub job: Option<String>,
    /// `tie`, `unplaced`, `unknown` or `gap`.
    pub why: String,
    /// Why, in one sentence.
    pub says: String,
    /// When it is next fetched by itself; none for what only a person asks for.
    pub by_itself_at: Option<Stamp>,
}

/// What is worth a fetch now.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Looks {
    /// What only a fetch can tell, at most a hundred.
    pub rows: Vec<LookRow>,
    /// Until when Pozy wants this connection to be left alone.
    pub connection_waits: Option<Stamp>,
}

//! Why twice: what is asked, the verdict with its proof and picture, and the case file.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Stamp;
use crate::{
    inbound::cause::Confidence,
    inquiry::{
        chain::CaseChain,
        looks::Thing,
        says::{Code, ProofKind, Side},
    },
};

/// Something that was pasted or dropped.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct WhyLookArgs {
    /// As it came.
    pub text: String,
}

/// What it is.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct WhyLook {
    /// Each thing in it.
    pub things: Vec<Thing>,
}

/// What somebody asks about; any mixture, at least one thing.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(export_to = "wire.ts")]
pub struct WhyArgs {
    /// Ids of posts.
    pub posts: Vec<String>,
    /// Live addresses.
    pub urls: Vec<String>,
    /// Words of posts, or parts of them.
    pub texts: Vec<String>,
    /// Keys.
    pub keys: Vec<String>,
    /// Events.
    pub events: Vec<String>,
    /// Jobs.
    pub jobs: Vec<String>,
}

/// The verdict.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct WhyAnswer {
    /// One of the closed list.
    pub verdict: Code,
    /// What is so, in at most six words.
    pub headline: String,
    /// How sure it is, from the rows alone.
    pub confidence: Confidence,
    /// What happened.
    pub says: String,
    /// Whose side it was.
    pub side: Side,
    /// The same in words.
    pub side_says: String,
    /// Whether it can happen again.
    pub again: String,
    /// How to prevent it.
    pub prevent: String,
    /// The rows it rests on, by time.
    pub proof: Vec<WhyProof>,
    /// What would make it surer.
    pub missing: Vec<String>,
    /// What fits too, but says less.
    pub also: Vec<WhyAlso>,
    /// What to do, one step after the other.
    pub next: Vec<String>,
    /// The posts, oldest first.
    pub posts: Vec<String>,
    /// Jobs of the case, in the order they were asked for.
    pub jobs: Vec<String>,
    /// The case as a picture.
    pub chain: CaseChain,
}

/// One row that a verdict rests on.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct WhyProof {
    /// What it is.
    pub kind: ProofKind,
    /// The id of Pozy's or the log's own thing.
    pub name: String,
    /// When it was sent, happened, arrived, held or was noted.
    pub at: Stamp,
    /// What it says.
    pub text: String,
    /// True if the verdict cannot stand without it, false if it only supports it.
    pub needed: bool,
    /// Its picture: that of a try, `live`, `failed`, `partly`, `news`, `again`, `seen` or `note`.
    pub mark: String,
}

/// Another verdict that fits.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct WhyAlso {
    /// The code.
    pub verdict: Code,
    /// It in at most six words.
    pub headline: String,
    /// How sure it is.
    pub confidence: Confidence,
    /// What happened.
    pub says: String,
}

/// What a case file would hold.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct WhyCase {
    /// Rows of the log.
    pub rows: u32,
    /// Places that are masked.
    pub masked: u32,
    /// What is masked, kind by kind; never a value.
    pub kinds: Vec<MaskedKind>,
}

/// Masked places of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct MaskedKind {
    /// Where such values stand, such as `header authorization`.
    pub kind: String,
    /// Places.
    pub places: u32,
    /// The placeholders that stand there.
    pub placeholders: Vec<String>,
}

/// Other jobs with the same cause.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct WhyAlike {
    /// False if this verdict is nothing that jobs share.
    pub applies: bool,
    /// The jobs, newest first; at most 200.
    pub jobs: Vec<WhyAlikeJob>,
    /// How many there are among those that were looked at.
    pub count: u32,
    /// Newest jobs that were looked at.
    pub looked: u32,
    /// True if these are all jobs of the log.
    pub whole: bool,
}

/// A job with the same cause.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct WhyAlikeJob {
    /// Its mark.
    pub job: String,
    /// When it was asked for.
    pub at: Stamp,
    /// Its post, if one is known.
    pub post: Option<String>,
    /// Its words.
    pub text: Option<String>,
}

/// Files for a person to keep.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct SavedFiles {
    /// Each of them.
    pub files: Vec<SavedFile>,
}

/// One file.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct SavedFile {
    /// A name for it.
    pub name: String,
    /// What it holds.
    pub text: String,
}

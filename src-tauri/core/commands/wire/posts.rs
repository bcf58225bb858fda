//! Jobs and their tries, and what a person asks for.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{Drift, JobFacts, SettledRow, Stamp};
use crate::outbound::{
    answer_card::AnswerKind,
    job::{EndKind, Origin},
    key_clock::KeyPhase,
    outcome::{Outcome, State, Warning},
};

/// Which part of the posts to show.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(export_to = "wire.ts")]
pub struct PostsPageArgs {
    /// `next` of the page before.
    #[ts(optional)]
    pub after: Option<String>,
    /// Rows wanted, at most 200.
    #[ts(optional)]
    pub limit: Option<u32>,
}

/// A page of jobs: what nobody knows the outcome of, then what else needs a person, what is under way, what is done; newest first in each.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct PostsPage {
    /// The rows.
    pub rows: Vec<JobRow>,
    /// Give it back as `after` for the next page.
    pub next: Option<String>,
}

/// One job.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct JobRow {
    /// Its mark.
    pub job: String,
    /// `needs_you`, `under_way` or `done`.
    pub group: String,
    /// When it was asked for.
    pub created: Stamp,
    /// Method and path of the call.
    pub path: String,
    /// Asked for here, or read from a file.
    pub origin: Origin,
    /// Name of its workspace.
    pub workspace: String,
    /// Its key; none for an imported job without one.
    pub key: Option<String>,
    /// Where it stands.
    pub state: State,
    /// What its tries add up to.
    pub outcome: Outcome,
    /// The attempt that made the post, if that is known.
    pub created_by_attempt: Option<u32>,
    /// The post.
    pub post: Option<String>,
    /// What the log last knew of the post, such as `published`.
    pub post_status: Option<String>,
    /// When a fetch last confirmed or overruled that state.
    pub post_confirmed: Option<Stamp>,
    /// What messages last said of the post, where a later fetch says otherwise.
    pub post_drift: Option<Drift>,
    /// What a person found when they looked for it, if they did after the latest try.
    pub settled: Option<SettledRow>,
    /// The kind of the latest answer; none before the first try.
    pub answer: Option<AnswerKind>,
    /// Which part of its life the key is in.
    pub key_phase: Option<KeyPhase>,
    /// When it is tried next by itself: not before the wait of the whole connection is over.
    pub next: Option<Stamp>,
    /// True if that is when the wait of the whole connection ends (429), not its own.
    pub held: bool,
    /// Why nothing is planned although the outcome is open.
    pub waits_for_person: Option<String>,
    /// First use of the key.
    pub key_since: Option<Stamp>,
    /// Until when asking by itself is safe: the key's end less the margin.
    pub safe_until: Option<Stamp>,
    /// End of the key's life.
    pub key_expires: Option<Stamp>,
    /// What a person should know.
    pub warnings: Vec<Warning>,
    /// First words of the post.
    pub text: Option<String>,
    /// Where it goes.
    pub targets: Vec<Target>,
    /// As it was asked: local time without an offset, and its zone.
    pub scheduled_for: Option<String>,
    /// Zone of `scheduled_for`.
    pub timezone: Option<String>,
    /// Each try as a mark: `sending`, `answered`, `replayed`, `lost`, `wait`, `refused`.
    pub tries: Vec<String>,
    /// Whether the stored key may be asked again now.
    pub ask_again: Offer,
    /// Whether it may be posted again with a new key; what that would do is its forecast's to say.
    pub post_again: Offer,
    /// True while it waits and can be stopped.
    pub can_cancel: bool,
    /// True if only a file names its workspace, and a person may say that it is the one in use: then it can be sent.
    pub may_tie: bool,
}

/// An act that is offered, or why it is not.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Offer {
    /// True if it may be done now.
    pub offered: bool,
    /// What it would do, or why it is not offered.
    pub why: String,
}

/// One account a post goes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Target {
    /// Platform name.
    pub platform: String,
    /// Account id.
    pub account: String,
}

/// Names one job.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct JobArgs {
    /// Its mark.
    pub job: String,
}

/// One job with its tries.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct JobDetail {
    /// The row.
    pub row: JobRow,
    /// The tries, first to last.
    pub attempts: Vec<AttemptRow>,
    /// The frozen body, if it is kept and is text.
    pub body: Option<String>,
    /// The whole words of the post, if the body is kept and says some.
    pub text: Option<String>,
    /// The job it posts again.
    pub again_of: Option<String>,
    /// Why it was posted again, in a person's words.
    pub again_reason: Option<String>,
    /// The job that posts it again.
    pub posted_again: Option<String>,
    /// What people noted.
    pub notes: Vec<NoteRow>,
    /// What the cards show.
    pub facts: JobFacts,
}

/// One try.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct AttemptRow {
    /// Counts from 1 in the job.
    pub n: u32,
    /// When it left.
    pub at: Stamp,
    /// The mark of [`JobRow::tries`].
    pub mark: String,
    /// How it ended; none while it is under way.
    pub result: Option<EndKind>,
    /// When that was known.
    pub ended: Option<Stamp>,
    /// Status of the answer.
    pub status: Option<u16>,
    /// What it means, in one sentence.
    pub says: String,
    /// The answer's body, if it is kept and is text.
    pub answer: Option<String>,
}

/// What a person saw or decided.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct NoteRow {
    /// When.
    pub at: Stamp,
    /// Action of design 7.
    pub action: String,
    /// The post it names.
    pub post: Option<String>,
    /// `settled`: whether a post is there.
    pub there: Option<bool>,
    /// Their words.
    pub text: String,
}

/// A new post.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(export_to = "wire.ts")]
pub struct SubmitArgs {
    /// The words.
    pub content: String,
    /// Where it goes, at least one.
    pub targets: Vec<Target>,
    /// Local time without an offset, such as `2026-11-05T09:00`; none publishes now.
    #[ts(optional)]
    pub scheduled_for: Option<String>,
    /// Zone of `scheduled_for`, IANA name.
    #[ts(optional)]
    pub timezone: Option<String>,
    /// Public addresses of pictures and films.
    #[serde(default)]
    pub media_urls: Vec<String>,
    /// Made by the form when it opens; the same one twice sends once, so a double click makes one job.
    pub form: String,
    /// The forecast it was confirmed with; without one only what is safe is sent.
    #[ts(optional)]
    #[serde(default)]
    pub forecast: Option<String>,
}

//! What the cards of a job show: its latest answer read aloud, the clock of its key, what is known of its post, and
//! what a person found.

use serde::Serialize;
use ts_rs::TS;

use super::{Stamp, Target};
use crate::outbound::{answer_card::AnswerKind, key_clock::KeyPhase};

/// The latest answer of a job, or its loss.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct AnswerCard {
    /// Which card it is.
    pub kind: AnswerKind,
    /// The try it is about, counted from 1.
    pub n: u32,
    /// When it was known; while under way, when it left.
    pub at: Stamp,
    /// Status of the answer.
    pub status: Option<u16>,
    /// The post it tells of; for `same_content` the one that is there.
    pub post: Option<PostNow>,
    /// Until when Pozy asked to wait.
    pub until: Option<Stamp>,
    /// The words that were sent.
    pub sent_text: Option<String>,
    /// The words that came back, or that are there, as they were last told.
    pub their_text: Option<String>,
    /// What to mend, in Pozy's own sentence, secrets masked.
    pub mend: Option<String>,
    /// The field that is to be mended.
    pub mend_field: Option<String>,
    /// Pozy's code of the refusal, for support.
    pub mend_code: Option<String>,
    /// Who used the key first, where that was another job.
    pub first_call: Option<FirstCall>,
    /// Host that a redirection leads to.
    pub leads_to: Option<String>,
}

/// The first call with a key.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct FirstCall {
    /// Its job.
    pub job: String,
    /// Its number there.
    pub n: u32,
    /// When it left.
    pub at: Stamp,
    /// HTTP method.
    pub method: String,
    /// Path of the call.
    pub path: String,
}

/// The life of a job's key.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct KeyLife {
    /// Which part it is in.
    pub phase: KeyPhase,
    /// Its first use.
    pub since: Option<Stamp>,
    /// From here on only a person asks.
    pub safe_until: Option<Stamp>,
    /// Pozy surely remembers it until here.
    pub sure_until: Option<Stamp>,
    /// Its life ends.
    pub ends: Option<Stamp>,
    /// From here on Pozy surely forgot it.
    pub gone_from: Option<Stamp>,
    /// What changes next, in one sentence.
    pub says: String,
}

/// The clocks, compared by the `Date` of the workspace's latest answer.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct ClockSkew {
    /// Pozy's clock less ours, milliseconds: positive if ours is behind.
    pub ahead_ms: i64,
    /// When that was measured.
    pub measured: Stamp,
    /// True if it is more than the whole seconds of `Date` explain.
    pub matters: bool,
}

/// What is known of a post now.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct PostNow {
    /// The post.
    pub post: String,
    /// Its state; none while it is tied or was never told.
    pub status: Option<String>,
    /// Since when that is known.
    pub as_of: Option<Stamp>,
    /// When a fetch last agreed or overruled: "confirmed by Pozy at".
    pub confirmed: Option<Stamp>,
    /// What messages last said, where a later fetch says otherwise.
    pub drift: Option<Drift>,
    /// True if only a fetch can say how it stands.
    pub wants_fetch: bool,
    /// Its words, where all accounts have the same; else those of the first.
    pub text: Option<String>,
    /// When it is, or was, to be published.
    pub scheduled: Option<Stamp>,
    /// Its targets.
    pub targets: Vec<TargetNow>,
}

/// What is known of one target of a post.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct TargetNow {
    /// Its account.
    pub account: String,
    /// Its state; none while it is tied or was never told.
    pub status: Option<String>,
    /// Since when that is known.
    pub as_of: Option<Stamp>,
    /// When a fetch last agreed or overruled.
    pub confirmed: Option<Stamp>,
    /// What messages last said, where a later fetch says otherwise.
    pub drift: Option<Drift>,
    /// Its words as they were last told.
    pub text: Option<String>,
    /// When it went live, as far as an answer or a fetch told.
    pub published: Option<Stamp>,
}

/// Messages and a later fetch disagree.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Drift {
    /// What messages last said.
    pub told: String,
    /// When that happened.
    pub told_at: Stamp,
    /// What the fetch saw.
    pub seen: String,
    /// When it was fetched.
    pub seen_at: Stamp,
}

/// What a person found when they looked for a job's post.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct SettledRow {
    /// When they noted it.
    pub at: Stamp,
    /// True if it is there, false if none is.
    pub there: bool,
    /// The post it is, if they could say.
    pub post: Option<String>,
    /// Their words.
    pub text: String,
}

/// Everything that the cards of a job show beside its row and its tries.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct JobFacts {
    /// The latest answer; none before the first try.
    pub answer: Option<AnswerCard>,
    /// The life of the key; none for a job without one.
    pub key: Option<KeyLife>,
    /// The clocks; none before the first answer that told Pozy's.
    pub skew: Option<ClockSkew>,
    /// What is known of the job's post: also what a Post again would stand beside.
    pub post: Option<PostNow>,
    /// Accounts on which the post failed or was cancelled.
    pub failed_targets: Vec<Target>,
    /// Until when Pozy wants this connection to be left alone.
    pub connection_waits: Option<Stamp>,
}

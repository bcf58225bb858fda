//! What is known of a job before anybody judges it: its frozen order, its attempts, the first use of its key. Plain
//! values; the store fills them in, `outcome` and `retry` read them.

use serde::{Deserialize, Deserializer, Serialize};
use ts_rs::TS;

use crate::{
    clock::Moment,
    ids::{AttemptId, JobId, JobMark, PostId, WorkspaceId},
    pozy::answers::Meaning,
};

/// Hexadecimal SHA-256 of a body's bytes; equal bytes have equal hashes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BodyHash(pub String);

/// Where a job comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum Origin {
    /// Asked for here.
    Local,
    /// Read from a file: shown, and never sent by itself.
    Import,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum EndKind {
    /// An answer came.
    Answered,
    /// None came in time.
    Timeout,
    /// The connection broke after bytes may have left.
    Reset,
    /// The program died before it stored an answer.
    Crash,
    /// No byte left this computer: the connection could not be made.
    NotSent,
}

impl EndKind {
    /// The picture of a try that ended so, its answer meaning that.
    #[must_use]
    pub const fn mark(self, meaning: Option<Meaning>) -> &'static str {
        match (self, meaning) {
            (Self::Answered, Some(Meaning::Created)) => "answered",
            (Self::Answered, Some(Meaning::Replayed)) => "replayed",
            (Self::Answered, Some(Meaning::Poll | Meaning::Conflict | Meaning::Unknown)) => "wait",
            (Self::Answered, _) => "refused",
            (Self::NotSent, _) => "not_sent",
            (Self::Timeout | Self::Reset | Self::Crash, _) => "lost",
        }
    }
}

/// The end of an attempt and what its answer says.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct End {
    /// How it ended.
    pub kind: EndKind,
    /// When that was known here.
    #[serde(deserialize_with = "ns")]
    pub at: Moment,
    /// Status of the answer.
    pub status: Option<u16>,
    /// Meaning of the answer.
    pub meaning: Option<Meaning>,
    /// The post it tells of.
    pub post: Option<PostId>,
    /// From when on the next try is welcome.
    #[serde(deserialize_with = "maybe_ns")]
    pub retry_at: Option<Moment>,
    /// The server's clock.
    #[serde(deserialize_with = "maybe_ns")]
    pub date: Option<Moment>,
    /// Whether the returned text differs from the sent one, where both are known.
    pub differs: Option<bool>,
}

/// One try of a job.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Attempt {
    /// Its row.
    pub id: AttemptId,
    /// Counts from 1 in the job.
    pub n: u32,
    /// When it left.
    #[serde(deserialize_with = "ns")]
    pub at: Moment,
    /// Where it went; with the key it decides what a repeat means.
    pub workspace: WorkspaceId,
    /// The key it carried.
    pub key: Option<String>,
    /// Fingerprint of the API key it went out with; none if imported.
    pub key_print: Option<String>,
    /// The bytes it carried.
    pub body: Option<BodyHash>,
    /// Its body was masked at import and is never sent.
    pub masked: bool,
    /// None while it is under way, or if the program died meanwhile.
    pub end: Option<End>,
    /// The attempt before this one that surely made the post of this key, by whatever job.
    pub maker: Option<Maker>,
}

/// The attempt that made the post a key stands for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Maker {
    /// Its job.
    pub job: JobId,
    /// Its bytes.
    pub body: Option<BodyHash>,
}

/// The first use of a key in its workspace, by whatever job of this log.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct KeyUse {
    /// When it was first sent.
    #[serde(deserialize_with = "ns")]
    pub first_at: Moment,
    /// Fingerprint of the API key it was first sent with; none if imported.
    pub first_print: Option<String>,
    /// Lowest number of an attempt in the job that used it first; above 1 the log lacks what came before.
    pub lowest_n: u32,
    /// The first answer with this key says that the post was there already: the log lacks what made it.
    pub already_there: bool,
    /// Server's clock less ours around the first use, nanoseconds.
    pub first_skew_ns: Option<i64>,
    /// Greatest server's clock less ours since, nanoseconds.
    pub later_skew_ns: Option<i64>,
}

/// What a person found when they looked for a job's post.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Settled {
    /// When they noted it.
    #[serde(deserialize_with = "ns")]
    pub at: Moment,
    /// True if it is there, false if none is.
    pub there: bool,
    /// The post it is, if they could say.
    pub post: Option<PostId>,
    /// Their words.
    pub text: String,
}

/// Everything about one job.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Facts {
    /// Its row.
    pub id: JobId,
    /// Its name.
    pub mark: JobMark,
    /// Where it comes from.
    pub origin: Origin,
    /// When it was asked for; for an imported one, its first attempt.
    #[serde(deserialize_with = "ns")]
    pub created: Moment,
    /// HTTP method.
    pub method: String,
    /// Path of the call.
    pub path: String,
    /// Where it goes.
    pub workspace: WorkspaceId,
    /// The workspace's name.
    pub workspace_name: String,
    /// Fingerprint of the API key the workspace has now; none if only imported lines name it.
    pub workspace_print: Option<String>,
    /// Its key for life; none for an imported job without one.
    pub key: Option<String>,
    /// Its `x-request-id` for life.
    pub request_id: Option<String>,
    /// Its frozen bytes.
    pub body: Option<BodyHash>,
    /// The moment the post was scheduled for, if its body says so and it can be read.
    #[serde(deserialize_with = "maybe_ns")]
    pub scheduled: Option<Moment>,
    /// A person sent it although nearly the same words were live.
    pub near_live: bool,
    /// What a person last found when they looked for it, if they did after its latest attempt.
    pub settled: Option<Settled>,
    /// The workspace that a person said its own one is; only for a workspace that a file names.
    pub tied: Option<WorkspaceId>,
    /// The log was restored, copied or moved after it was asked for, and it was not tried since.
    pub moved: bool,
    /// When a person last stopped it.
    #[serde(deserialize_with = "maybe_ns")]
    pub cancelled: Option<Moment>,
    /// Its attempts by number.
    pub attempts: Vec<Attempt>,
    /// First use of its key; none if no attempt carried it yet.
    pub key_use: Option<KeyUse>,
}

fn ns<'de, D: Deserializer<'de>>(from: D) -> Result<Moment, D::Error> {
    i64::deserialize(from).map(Moment)
}

fn maybe_ns<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Moment>, D::Error> {
    Option::<i64>::deserialize(from).map(|ns| ns.map(Moment))
}

impl Attempt {
    /// True once a byte may have left: everything but a connection that could not be made.
    #[must_use]
    pub fn left(&self) -> bool {
        self.end.as_ref().is_none_or(|end| end.kind != EndKind::NotSent)
    }

    /// The meaning of its answer, if one came.
    #[must_use]
    pub fn meaning(&self) -> Option<Meaning> {
        self.end.as_ref().and_then(|end| end.meaning)
    }

    /// True if it may have made the post without our knowing: lost, interrupted, or answered without saying (R13).
    /// An attempt told that another one still runs (R9) made nothing itself.
    #[must_use]
    pub fn may_have_made(&self) -> bool {
        self.left() && matches!(self.meaning(), None | Some(Meaning::Unknown | Meaning::Poll))
    }

    /// True if it was sent with the same key to the same workspace as `other`.
    #[must_use]
    pub fn same_key(&self, other: &Self) -> bool {
        self.key.is_some() && self.key == other.key && self.workspace == other.workspace
    }
}

impl Facts {
    /// True if the latest attempt has no end: it is under way, or its program died.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.attempts.last().is_some_and(|last| last.end.is_none())
    }

    /// True if any attempt may have reached Pozy.
    #[must_use]
    pub fn has_left(&self) -> bool {
        self.attempts.iter().any(Attempt::left)
    }
}

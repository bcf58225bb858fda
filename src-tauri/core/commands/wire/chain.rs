//! What belongs together: keys, jobs, tries, posts, messages and their arrivals; one try whole; a request as a command.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{ArrivalRow, AttemptRow, EventRow, JobRow, Stamp};

/// Names one thing; exactly one field is given.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(export_to = "wire.ts")]
pub struct ChainArgs {
    /// A message.
    #[ts(optional)]
    pub event: Option<String>,
    /// An arrival, by its number in this log.
    #[ts(optional)]
    pub seq: Option<i64>,
    /// A job.
    #[ts(optional)]
    pub job: Option<String>,
    /// A post.
    #[ts(optional)]
    pub post: Option<String>,
}

/// Everything that belongs to one thing, in the order in which it came about.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Chain {
    /// Keys of the jobs.
    pub keys: Vec<ChainKey>,
    /// Jobs that made or asked for the posts, oldest first.
    pub jobs: Vec<JobRow>,
    /// Their tries, oldest first.
    pub tries: Vec<ChainTry>,
    /// The posts.
    pub posts: Vec<ChainPost>,
    /// Messages about the posts, or about the account that was asked for, by first arrival.
    pub messages: Vec<EventRow>,
    /// Arrivals of the message that was asked for.
    pub arrivals: Vec<ArrivalRow>,
    /// True if there is more of something than is shown.
    pub more: bool,
}

/// A key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct ChainKey {
    /// The key itself.
    pub key: String,
    /// The workspace it belongs to (R12).
    pub workspace: String,
    /// Its first use.
    pub since: Option<Stamp>,
    /// The end of its life.
    pub expires: Option<Stamp>,
    /// Jobs that carry it.
    pub jobs: Vec<String>,
}

/// One try of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct ChainTry {
    /// Its job.
    pub job: String,
    /// Counts from 1 in the job.
    pub n: u32,
    /// When it left.
    pub at: Stamp,
    /// The mark of `JobRow.tries`.
    pub mark: String,
    /// What came of it, in one sentence.
    pub says: String,
    /// Status of the answer.
    pub status: Option<u16>,
    /// The post its answer tells of.
    pub post: Option<String>,
}

/// A post.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct ChainPost {
    /// Its id at Pozy.
    pub post: String,
    /// First words.
    pub text: Option<String>,
    /// What the log last knew of it.
    pub status: Option<String>,
}

/// Names one post.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct PostArgs {
    /// Its id at Pozy.
    pub post: String,
}

/// One post, as the log knows it.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct PostView {
    /// Its id at Pozy.
    pub post: String,
    /// First words.
    pub text: Option<String>,
    /// The zone it was planned in, where a job names one.
    pub timezone: Option<String>,
    /// The post as a whole, then each target.
    pub lanes: Vec<PostLane>,
}

/// What one part of a post holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct PostLane {
    /// Account of a target; none for the post as a whole.
    pub account: Option<String>,
    /// Platform of a target.
    pub platform: Option<String>,
    /// Its state; none while it is tied.
    pub status: Option<String>,
    /// Since when.
    pub since: Stamp,
    /// The message it comes from; none if it was fetched.
    pub event: Option<String>,
    /// When a fetch last agreed or overruled.
    pub confirmed: Option<Stamp>,
    /// True while messages of one instant contradict each other.
    pub tie: bool,
    /// True if only a fetch can say what holds.
    pub wants_fetch: bool,
}

/// Names one try.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct AttemptArgs {
    /// Its job.
    pub job: String,
    /// Counts from 1 in the job.
    pub n: u32,
}

/// One try with all it carried and all that came back; secrets are masked.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct AttemptDetail {
    /// The row.
    pub row: AttemptRow,
    /// HTTP method.
    pub method: String,
    /// Path of the call.
    pub path: String,
    /// Name of its workspace.
    pub workspace: String,
    /// The key it carried.
    pub key: Option<String>,
    /// The `x-request-id` it carried (R14).
    pub request_id: Option<String>,
    /// The body it carried, if it is kept and is text.
    pub body: Option<String>,
    /// Why there is no body to show, if there is none.
    pub body_missing: Option<String>,
    /// Headers of the answer.
    pub headers: Vec<(String, String)>,
}

/// Names a request: an arrival, a try of a job, or the question what Pozy has of a post.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(export_to = "wire.ts")]
pub struct CurlArgs {
    /// An arrival, by its number in this log.
    #[ts(optional)]
    pub seq: Option<i64>,
    /// A job.
    #[ts(optional)]
    pub job: Option<String>,
    /// One of its tries; none for the job as it would go out now.
    #[ts(optional)]
    pub n: Option<u32>,
    /// A post.
    #[ts(optional)]
    pub post: Option<String>,
}

/// A request as a command for a shell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Curl {
    /// The command; secrets stand as variables.
    pub command: String,
    /// Variables that must be set before it runs.
    pub variables: Vec<String>,
    /// What running it does, and what is not in it.
    pub says: String,
    /// True if running it may make a second live post.
    pub risky: bool,
}

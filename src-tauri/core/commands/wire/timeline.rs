//! The Timeline: lanes of a span of time with their marks, and the whole log at a glance.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{CauseRow, Drift, JobRow};

/// Which part of time to draw, and how finely.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct TimelineArgs {
    /// Beginning, milliseconds since 1970.
    pub from_ms: i64,
    /// End, in the span.
    pub to_ms: i64,
    /// Milliseconds a pixel, a power of two; crowded lanes are counted in bins of eight of these.
    pub resolution_ms: i64,
    /// Posts, accounts and the like wanted, those with the newest activity in the span first; at most 400.
    #[ts(optional)]
    pub groups: Option<u32>,
}

/// What shows in a span of time.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Timeline {
    /// The span that was asked for.
    pub from_ms: i64,
    /// Its end.
    pub to_ms: i64,
    /// The resolution that was asked for.
    pub resolution_ms: i64,
    /// Lanes, those of a group together, the newest group first, tests and set-aside arrivals last.
    pub lanes: Vec<TimelineLane>,
    /// True if more groups have marks in the span.
    pub more: bool,
    /// How many messages came over the whole span, whether or not their lanes are here; none where all of them are, and
    /// where so little time is looked at that single ones can be told apart.
    pub density: Option<TimelineDensity>,
}

/// How many messages came when, in bins of one width.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct TimelineDensity {
    /// Where the first bin begins.
    pub from_ms: i64,
    /// Width of a bin, a power of two.
    pub bin_ms: i64,
    /// Arrivals in each bin.
    pub arrivals: Vec<u32>,
    /// Of them, messages that came again.
    pub again: Vec<u32>,
    /// Of them, messages that were overtaken on their way.
    pub late: Vec<u32>,
}

/// What a lane is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum TimelineLaneKind {
    /// A post as a whole.
    Post,
    /// A connected account.
    Account,
    /// Anything else that events tell of.
    Other,
    /// One target of a post.
    Target,
    /// A job, with its tries and the life of its key.
    Job,
    /// Tests.
    Tests,
    /// Arrivals that make no event.
    SetAside,
}

/// One lane.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct TimelineLane {
    /// `post:<id>`, `post:<id>/<account>`, `account:<id>`, `other:...`, `job:<name>`, `tests` or `set_aside`.
    pub id: String,
    /// The first lane of its group.
    pub group: String,
    /// What it is about.
    pub kind: TimelineLaneKind,
    /// First words of the post.
    pub text: Option<String>,
    /// Platform of a target or account.
    pub platform: Option<String>,
    /// Account of a target or account lane.
    pub account: Option<String>,
    /// The state it holds now; none while it is tied or nothing is known.
    pub status: Option<String>,
    /// True while events of one instant contradict each other.
    pub tie: bool,
    /// "Confirmed by Pozy at": when a fetch last agreed or overruled.
    pub confirmed_ms: Option<i64>,
    /// What messages last said, where a later fetch says otherwise.
    pub drift: Option<Drift>,
    /// True while so many messages of it are judged anew that it takes a moment: what it says may change still.
    pub under_way: bool,
    /// How many messages of its group happened in the span, arrived outside it and are not drawn; of the group's first lane.
    pub left_out: u32,
    /// A post that is live beside this one with the same words on one account, of a post's own lane.
    pub twice: Option<String>,
    /// True if those words are only nearly the same.
    pub twice_near: bool,
    /// The job of a job lane.
    pub job: Option<JobRow>,
    /// Its marks, by time.
    pub marks: Vec<TimelineMark>,
}

/// One mark.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum TimelineMark {
    /// A message: when it happened, when it first arrived, and the arrivals after that.
    Event(TimelineEvent),
    /// A message of another lane of the group that was older than what this lane knew.
    Older {
        /// The message.
        event: String,
        /// The lane it is drawn in.
        home: String,
        /// When it reached us.
        at_ms: i64,
    },
    /// What a fetch from Pozy said of this lane.
    Seen {
        /// When that held.
        at_ms: i64,
        /// The state.
        status: String,
        /// True if the newest message before it said something else.
        differs: bool,
    },
    /// One try of a job.
    Try {
        /// Its job.
        job: String,
        /// Counts from 1.
        n: u32,
        /// When it left.
        at_ms: i64,
        /// When it was answered or given up.
        end_ms: Option<i64>,
        /// `answered`, `replayed`, `lost`, `wait`, `refused`, `not_sent` or `sending`.
        mark: String,
        /// What came of it.
        says: String,
    },
    /// An arrival that makes no event.
    Aside {
        /// Its number in this log.
        seq: i64,
        /// When it reached us.
        at_ms: i64,
        /// `quarantined` or `unreadable`.
        standing: String,
        /// `valid`, `invalid`, `missing` or `unchecked`.
        signature: String,
        /// Flags of the contract's list.
        flags: Vec<String>,
    },
    /// Messages too near each other to be told apart at this resolution, by their first arrivals.
    Bin {
        /// The first of them.
        from_ms: i64,
        /// The last of them.
        to_ms: i64,
        /// How many.
        count: u32,
        /// Of them, those that were overtaken.
        late: u32,
        /// Of them, those that came again.
        again: u32,
        /// Of them, those that tell of a failure.
        failed: u32,
    },
}

/// A message as it is drawn.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct TimelineEvent {
    /// Its id.
    pub event: String,
    /// Its name, such as `post.platform.published`.
    pub name: String,
    /// What its lane becomes by it.
    pub status: Option<String>,
    /// Platform it speaks of.
    pub platform: Option<String>,
    /// When it happened at Pozy.
    pub happened_ms: Option<i64>,
    /// Number of its first arrival in this log.
    pub first_seq: i64,
    /// When that reached us.
    pub arrived_ms: i64,
    /// How often it reached us.
    pub arrivals: u32,
    /// `in_order`, `late`, `tie` or `unplaced`.
    pub order: String,
    /// First arrival minus happened, if late, milliseconds.
    pub late_by_ms: Option<i64>,
    /// The event that overtook it.
    pub overtaken_by: Option<String>,
    /// Messages of one lane with the same text here happened at the same instant.
    pub tie: Option<String>,
    /// True if its own lane already held something newer.
    pub stale: bool,
    /// True if it changed a lane.
    pub applied: bool,
    /// True for a test.
    pub test: bool,
    /// Flags of the contract's list.
    pub flags: Vec<String>,
    /// Its second and later arrivals in their order, the first hundred of them.
    pub copies: Vec<TimelineCopy>,
}

/// A second or later arrival.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct TimelineCopy {
    /// Its number in this log.
    pub seq: i64,
    /// When it reached us.
    pub at_ms: i64,
    /// Counts from 2.
    pub copy: u32,
    /// Why it came.
    pub cause: Option<CauseRow>,
}

/// How finely to look at the whole log.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct TimelineMapArgs {
    /// Bins over the whole log, 10 to 2000.
    pub bins: u32,
}

/// The whole log at a glance.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct TimelineMap {
    /// The first instant with a mark; none in an empty log.
    pub from_ms: Option<i64>,
    /// Now, or the last instant with a mark if that is later.
    pub to_ms: i64,
    /// Where the first bin begins: at `from_ms` or up to a bin before.
    pub counts_from_ms: i64,
    /// Width of a bin, a power of two.
    pub bin_ms: i64,
    /// Arrivals in each bin.
    pub counts: Vec<u32>,
    /// When jobs were asked for that need a person now.
    pub needs_person_ms: Vec<i64>,
    /// When a post went out that is live twice, unasked, newest first.
    pub twice_ms: Vec<i64>,
    /// Stretches without any mark, longer than five minutes, whole minutes, in order.
    pub quiet: Vec<TimelineStretch>,
    /// Times in which nobody listened, longer than ten seconds, in order.
    pub gaps: Vec<TimelineStretch>,
}

/// A stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct TimelineStretch {
    /// Its beginning.
    pub from_ms: i64,
    /// Its end.
    pub to_ms: i64,
}

//! What an act would do, asked before the click.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Stamp;
use crate::outbound::forecast::{Act, Because, Beside, Effect, Risk, Suggest};

/// Asks what an act on a job would do at this minute.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct ForecastArgs {
    /// The job's mark.
    pub job: String,
    /// `ask_again` or `post_again`.
    pub action: Act,
    /// Accounts to post again to; none leaves it to the forecast: the failed ones where others are live, else all.
    #[ts(optional)]
    #[serde(default)]
    pub accounts: Option<Vec<String>>,
    /// Other words to post again with; none keeps the job's own.
    #[ts(optional)]
    #[serde(default)]
    pub content: Option<String>,
}

/// A forecast with the id that a click carries. Good for one click.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct ForecastRow {
    /// Given back by the call that does it.
    pub id: String,
    /// The act.
    pub action: Act,
    /// What would come of it.
    pub effect: Effect,
    /// Every status Pozy may answer with, ascending.
    pub expects: Vec<u16>,
    /// `safe` starts by Enter; `confirm` needs its own button; `blocked` a typed reason before that.
    pub risk: Risk,
    /// Why, the weightiest first.
    pub because: Vec<Because>,
    /// What to do instead, or next.
    pub suggest: Option<Suggest>,
    /// The accounts it is about.
    pub accounts: Vec<String>,
    /// Present if the planned time cannot be taken as it stands, with the ways to read it.
    pub time_trap: Option<TimeTrap>,
    /// What may stand on those accounts already, for a person to compare.
    pub beside: Vec<BesideRow>,
    /// When it was worked out.
    pub at: Stamp,
}

/// A known post, or an open job that may make one, with its words on one account.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct BesideRow {
    /// The post; none for an open job.
    pub post: Option<String>,
    /// The open job.
    pub job: Option<String>,
    /// The account.
    pub account: String,
    /// Its words there, if they are known.
    pub text: Option<String>,
    /// Since when it is live, if it surely is.
    pub since: Option<Stamp>,
    /// True if it comes from the same job, or from one that was posted again from it.
    pub own: bool,
}

impl From<Beside> for BesideRow {
    fn from(beside: Beside) -> Self {
        Self {
            post: beside.post.map(|post| post.to_string()),
            job: beside.job.map(|job| job.to_string()),
            account: beside.account.to_string(),
            text: beside.text,
            since: beside.since.map(Into::into),
            own: beside.own,
        }
    }
}

/// A planned time that comes twice, never, or cannot be read.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct TimeTrap {
    /// `twice`, `missing` or `unreadable`.
    pub kind: String,
    /// The ways to read it, earlier first; none if it cannot be read at all.
    pub readings: Vec<TimeReading>,
}

/// One way to read a planned time. To pick it, ask for `scheduled_for` in `timezone`.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct TimeReading {
    /// As the zone's clocks show it then, with their offset.
    pub text: String,
    /// The instant.
    pub at: Stamp,
    /// Spelling that means this instant alone.
    pub scheduled_for: String,
    /// Zone of that spelling.
    pub timezone: String,
}

/// Asks a job again.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct AskAgainArgs {
    /// Its mark.
    pub job: String,
    /// The forecast it was confirmed with; without one only what is safe is done.
    #[ts(optional)]
    #[serde(default)]
    pub forecast: Option<String>,
}

/// Posts a job's words again: a new job with a new key.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct PostAgainArgs {
    /// The old job's mark.
    pub job: String,
    /// The forecast it was confirmed with.
    pub forecast: String,
    /// Why, in a person's own words.
    pub reason: String,
}

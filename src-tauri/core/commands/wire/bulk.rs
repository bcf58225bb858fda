//! Many jobs at once.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{Stamp, Target};
use crate::outbound::{
    bulk::{
        State,
        came::{Actual, RowState},
        filter::Filter,
        group::Group,
        report::Account,
    },
    forecast::{Act, Because, Effect, Risk},
};

/// Plans a bulk; sends nothing.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct PlanBulkArgs {
    /// The jobs it takes, from the whole log.
    pub filter: Filter,
}

/// Names one bulk.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct BulkArgs {
    /// Its mark.
    pub bulk: String,
}

/// Runs groups of a bulk, or goes on with those that were chosen before.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct RunBulkArgs {
    /// Its mark.
    pub bulk: String,
    /// What a person decided; empty to go on.
    #[serde(default)]
    pub groups: Vec<BulkChoice>,
    /// Most rows on the wire at once, 1 to 16; kept for the next bulk as well.
    #[ts(optional)]
    #[serde(default)]
    pub at_once: Option<u32>,
}

/// A group that is to run.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct BulkChoice {
    /// The group.
    pub group: Group,
    /// Why new posts are made, in a person's own words; needed where they are.
    #[ts(optional)]
    #[serde(default)]
    pub reason: Option<String>,
}

/// The bulks of this log, newest first.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Bulks {
    /// At most 20.
    pub bulks: Vec<BulkDetail>,
}

/// One bulk: what it takes, how far it is, and what was foretold against what came.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct BulkDetail {
    /// Its mark.
    pub bulk: String,
    /// When its dry run was made.
    pub created: Stamp,
    /// The workspace it sends to.
    pub workspace: String,
    /// What was asked for.
    pub filter: Filter,
    /// Where it stands.
    pub state: State,
    /// True while a program is at work on it; a bulk that runs without one was interrupted.
    pub at_work: bool,
    /// Why it stands still.
    pub why: Option<String>,
    /// Most rows on the wire at once.
    pub at_once: u32,
    /// Jobs in it.
    pub jobs: u32,
    /// Its groups in their order, only those with jobs.
    pub groups: Vec<BulkGroupRow>,
    /// How far it is, and what came of it.
    pub account: Account,
    /// Until when Pozy asked to slow down; none if nothing is held.
    pub held_until: Option<Stamp>,
}

/// One group of a bulk.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct BulkGroupRow {
    /// The group.
    pub group: Group,
    /// Jobs in it.
    pub jobs: u32,
    /// How far it is, and what was foretold of it against what came.
    pub account: Account,
    /// True if it can be run.
    pub runs: bool,
    /// True if running it makes new posts, so that a person has to say why.
    pub needs_reason: bool,
    /// True if a person decided to run it.
    pub chosen: bool,
    /// The reason they gave.
    pub reason: Option<String>,
}

/// Which rows of a bulk to show.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct BulkRowsArgs {
    /// Its mark.
    pub bulk: String,
    /// Only of this group.
    #[ts(optional)]
    #[serde(default)]
    pub group: Option<Group>,
    /// `next` of the page before.
    #[ts(optional)]
    #[serde(default)]
    pub after: Option<u32>,
    /// Rows wanted, at most 200.
    #[ts(optional)]
    #[serde(default)]
    pub limit: Option<u32>,
}

/// A page of a bulk's rows.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct BulkRows {
    /// The rows, in the order of the bulk.
    pub rows: Vec<BulkRow>,
    /// Give it back as `after` for the next page.
    pub next: Option<u32>,
}

/// One job of a bulk.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct BulkRow {
    /// Counts from 1 in the bulk.
    pub n: u32,
    /// The job's mark.
    pub job: String,
    /// First words of the post.
    pub text: Option<String>,
    /// Where it goes.
    pub targets: Vec<Target>,
    /// Its group.
    pub group: Group,
    /// Why it is in that group, in one sentence.
    pub says: String,
    /// What its group's act would do.
    pub forecast: Option<BulkForecast>,
    /// Where it stands.
    pub state: RowState,
    /// When it is asked again.
    pub next: Option<Stamp>,
    /// The job that a Post again made.
    pub made: Option<String>,
    /// What came of it.
    pub actual: Option<Actual>,
}

/// What was foretold of a row in the dry run.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct BulkForecast {
    /// The act.
    pub action: Act,
    /// What would come of it.
    pub effect: Effect,
    /// Every status Pozy may answer with, ascending.
    pub expects: Vec<u16>,
    /// How much a person must say.
    pub risk: Risk,
    /// Why, the weightiest first.
    pub because: Vec<Because>,
    /// The accounts it is about.
    pub accounts: Vec<String>,
}

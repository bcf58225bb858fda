//! Many jobs at once (design 4.8, S15): `filter` takes jobs from the whole log, `plan` foretells each and puts it into
//! a `group`, a person says which groups run, `run` sends a few at a time, `came` holds each answer against its
//! forecast, `report` adds up.
//!
//! A bulk is a stored thing: what it takes is frozen in the dry run, every row is begun on disk before anything of it
//! leaves, and is over once. So it goes on after a crash where it was, and running it again makes nothing more.

pub mod came;
pub mod filter;
pub mod group;
pub mod plan;
pub mod report;
mod row;
pub mod run;
mod twins;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use self::{
    came::{Actual, RowState},
    filter::Filter,
    group::Group,
};
use crate::{
    clock::Moment,
    ids::{AccountId, BulkId, BulkMark, JobId, JobMark, PostId, WorkspaceId},
    outbound::forecast::Forecast,
};

/// Rows on the wire at once, unless somebody chose otherwise.
pub const AT_ONCE: u32 = 3;
/// Most rows on the wire at once.
pub const MOST_AT_ONCE: u32 = 16;

/// Where a bulk stands. A closed list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "BulkState", export_to = "wire.ts")]
pub enum State {
    /// Its rows are being foretold.
    Planning,
    /// Foretold; nothing was sent.
    Planned,
    /// Rows are being sent, or the program died over it.
    Running,
    /// A person, or the end of the program, holds it.
    Paused,
    /// An answer differed from its forecast; it goes on only if a person says so.
    Differs,
    /// A person ended it; what was not begun stays undone.
    Stopped,
    /// Every row that was to run is over.
    Done,
}

impl State {
    /// The word in tables and JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Planning => "planning",
            Self::Planned => "planned",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Differs => "differs",
            Self::Stopped => "stopped",
            Self::Done => "done",
        }
    }
}

/// A bulk without its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bulk {
    /// Its row.
    pub id: BulkId,
    /// Its name.
    pub mark: BulkMark,
    /// When its dry run was made.
    pub created: Moment,
    /// Where it sends.
    pub workspace: WorkspaceId,
    /// Name of that workspace.
    pub workspace_name: String,
    /// What was asked for.
    pub filter: Filter,
    /// Most rows on the wire at once.
    pub at_once: u32,
    /// Where it stands.
    pub state: State,
    /// Why it stands still.
    pub why: Option<String>,
    /// Groups that a person decided to run, with the reason they gave.
    pub chosen: Vec<(Group, Option<String>)>,
}

impl Bulk {
    /// True if a person decided that this group runs.
    #[must_use]
    pub fn runs(&self, group: Group) -> bool {
        self.chosen.iter().any(|(chosen, _)| *chosen == group)
    }

    /// The reason a person gave for a group.
    #[must_use]
    pub fn reason(&self, group: Group) -> Option<&str> {
        self.chosen.iter().find(|(chosen, _)| *chosen == group).and_then(|(_, reason)| reason.as_deref())
    }
}

/// One job of a bulk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Counts from 1 in the bulk.
    pub n: u32,
    /// Its row.
    pub job: JobId,
    /// Its name.
    pub mark: JobMark,
    /// Its group.
    pub group: Group,
    /// Why it is in that group.
    pub says: String,
    /// What the group's act would do; none if the job's bytes are not held.
    pub forecast: Option<Forecast>,
    /// The accounts a Post again goes to.
    pub accounts: Vec<AccountId>,
    /// Posts the forecast rests on.
    pub posts: Vec<PostId>,
    /// Where it stands.
    pub state: RowState,
    /// Attempts of the job when it began.
    pub before: Option<usize>,
    /// The job that a Post again made, row and name.
    pub made: Option<(JobId, JobMark)>,
    /// When it is asked again.
    pub next: Option<Moment>,
    /// When it began.
    pub began: Option<Moment>,
    /// When it was over.
    pub ended: Option<Moment>,
    /// What came of it.
    pub actual: Option<Actual>,
}

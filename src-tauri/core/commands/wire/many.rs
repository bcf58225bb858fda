//! Many posts from one file.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Stamp;
use crate::outbound::{
    forecast::{Because, Effect, Risk, Suggest},
    many::RowState,
};

/// A file of posts, as a person chose it.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct ManyPreviewArgs {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Effects that are taken although they are not safe.
    #[serde(default)]
    pub confirmed: Vec<Effect>,
}

/// What each row of a file would do. Nothing was sent.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct ManyPreview {
    /// Given back by the call that sends; good until the program stops or several newer ones were made.
    pub id: String,
    /// The rows in order.
    pub rows: Vec<ManyRow>,
    /// Columns that are not known; their cells are left aside.
    pub unknown_columns: Vec<String>,
}

/// One row of a file.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct ManyRow {
    /// The line it starts on, from 1.
    pub line: u32,
    /// Its job, once it has one.
    pub job: Option<String>,
    /// First words of the post; none if it cannot be read as one.
    pub text: Option<String>,
    /// Accounts it goes to.
    pub accounts: Vec<String>,
    /// When it goes out, as the file says; none is at once.
    pub scheduled_for: Option<String>,
    /// Its zone, where the time has no offset.
    pub timezone: Option<String>,
    /// Where it stands.
    pub state: RowState,
    /// What would come of sending it; none if it has a job already or is no post.
    pub effect: Option<Effect>,
    /// How much a person must say first.
    pub risk: Option<Risk>,
    /// Why, the weightiest first.
    pub because: Vec<Because>,
    /// What to do instead.
    pub suggest: Option<Suggest>,
    /// Why it is no post, or was not sent.
    pub why: Option<String>,
}

/// Sends rows of a file that was looked at.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct ManySubmitArgs {
    /// The file's preview.
    pub id: String,
    /// Lines to send, in the order of the file.
    pub lines: Vec<u32>,
    /// Effects that are taken although they are not safe.
    #[serde(default)]
    pub confirmed: Vec<Effect>,
}

/// What became of rows.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct ManySubmitted {
    /// The rows that had their turn.
    pub rows: Vec<ManyRow>,
    /// Until when Pozy asked everybody to wait. The last row of `rows` is asked again then; what follows had no turn.
    pub wait_until: Option<Stamp>,
}

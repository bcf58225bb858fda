//! Search, and filters that were given a name.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Stamp;
use crate::search::excerpt::Piece;

/// What is looked for.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct SearchArgs {
    /// As it was typed: words, "phrases", an id, `post:`, `account:`, `name:`, `platform:`.
    pub text: String,
    /// `next` of the answer before; none for the first one.
    #[serde(default)]
    #[ts(optional)]
    pub after: Option<String>,
    /// Hits wanted of each kind, at most 100.
    #[serde(default)]
    #[ts(optional)]
    pub limit: Option<u32>,
}

/// What was found so far. The first answers come from the indexes, at once; the later ones from looking through the log,
/// newest first, a bounded part a call. Whoever asks no further has cancelled it.
#[derive(Clone, Debug, Default, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct SearchAnswer {
    /// What was found. One thing may come again in a later answer, since more than one row tells of it.
    pub hits: Vec<SearchHit>,
    /// Give it back as `after` to go on; none at the end.
    pub next: Option<String>,
    /// How far the look has come; none where an index answered.
    pub looked: Option<SearchLooked>,
    /// How far the index of words goes.
    pub index: SearchIndex,
}

/// How far a look through the log has come.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct SearchLooked {
    /// Arrivals and tries looked through.
    pub rows: i64,
    /// Of how many.
    pub of: i64,
    /// The moment of the last one; none before the first.
    pub back_to: Option<Stamp>,
}

/// How far the index of words goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct SearchIndex {
    /// Number of the newest arrival in it.
    pub upto: i64,
    /// Number of the newest arrival of the log.
    pub of: i64,
}

/// What kind of thing was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum SearchKind {
    /// A post at Pozy.
    Post,
    /// An event, or an arrival set aside.
    Message,
    /// What somebody asked for.
    Job,
    /// A connected account.
    Account,
    /// A name of messages.
    Name,
}

/// By what it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum SearchBy {
    /// Its id or name.
    Id,
    /// The words of its post.
    Words,
    /// Something else that it brought: a field, a header, an answer.
    Brought,
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct SearchHit {
    /// What it is.
    pub kind: SearchKind,
    /// Its id or name; the number of an arrival set aside.
    pub id: String,
    /// The arrival, for one set aside.
    pub seq: Option<i64>,
    /// By what it was found.
    pub by: SearchBy,
    /// When it last arrived or was asked for, if that is known.
    pub at: Option<Stamp>,
    /// Name of the message.
    pub name: Option<String>,
    /// Its words around what was looked for; empty if it has none.
    pub text: Vec<Piece>,
}

/// A filter of the Events that a person gave a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct SavedFilter {
    /// Stays the same when it is renamed.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The terms by their names, as they stand in the address of the Events.
    #[ts(type = "Record<string, string>")]
    pub terms: BTreeMap<String, String>,
}

/// The filters of this log, by name.
#[derive(Clone, Debug, Default, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct SavedFilters {
    /// The filters.
    pub filters: Vec<SavedFilter>,
}

/// Keeps a filter, or gives one another name.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct SaveFilterArgs {
    /// The one to change; none for a new one.
    #[serde(default)]
    #[ts(optional)]
    pub id: Option<String>,
    /// Its name.
    pub name: String,
    /// Its terms; left out, those it has stay.
    #[serde(default)]
    #[ts(optional, type = "Record<string, string>")]
    pub terms: Option<BTreeMap<String, String>>,
}

/// Names one filter.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct FilterArgs {
    /// Its id.
    pub id: String,
}

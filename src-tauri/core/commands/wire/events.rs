//! Events and arrivals.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Stamp;

/// Which part of the events to show.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(export_to = "wire.ts")]
pub struct EventsPageArgs {
    /// `next` of the page before; none for the newest.
    #[ts(optional)]
    pub after: Option<String>,
    /// Rows wanted, at most 200.
    #[ts(optional)]
    pub limit: Option<u32>,
    /// Only one kind.
    #[ts(optional)]
    pub only: Option<EventsOnly>,
    /// Only rows that fit. One call looks through a bounded part of the log and says how far it came.
    #[ts(optional)]
    pub filter: Option<EventsFilter>,
    /// With a filter: the `newest` of an earlier answer; only what came since is looked at.
    #[ts(optional)]
    pub since: Option<String>,
    /// With a text in the filter: only what the index of words knows, at once and in one answer. Looking through the log
    /// finds it, too, and more.
    #[ts(optional)]
    pub indexed: Option<bool>,
}

/// What a row must be to be shown; what is left out holds for every row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(export_to = "wire.ts")]
pub struct EventsFilter {
    /// Exact name, such as `post.platform.published`.
    #[ts(optional)]
    pub name: Option<String>,
    /// Platform it speaks of.
    #[ts(optional)]
    pub platform: Option<String>,
    /// Account it speaks of.
    #[ts(optional)]
    pub account: Option<String>,
    /// What it is about, such as `post:po_1`.
    #[ts(optional)]
    pub about: Option<String>,
    /// Cause of any of its copies, a code of design 3.8.
    #[ts(optional)]
    pub cause: Option<String>,
    /// Late by at least this, milliseconds.
    #[ts(optional)]
    pub late_ms: Option<i64>,
    /// Last arrived at or after this instant, milliseconds.
    #[ts(optional)]
    pub from_ms: Option<i64>,
    /// Last arrived at or before this instant, milliseconds.
    #[ts(optional)]
    pub to_ms: Option<i64>,
    /// Stands in its ids, names, words, body or headers, as a search reads it: words, "phrases", `post:`.
    #[ts(optional)]
    pub text: Option<String>,
}

/// The filters of the first window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum EventsOnly {
    /// Came more than once.
    Copies,
    /// Overtaken by something that happened later.
    Late,
    /// Same instant as another one of its lane.
    Ties,
    /// Tests.
    Tests,
    /// Arrivals that make no event.
    SetAside,
}

/// A page of events, last arrival first.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct EventsPage {
    /// The rows.
    pub rows: Vec<EventRow>,
    /// Give it back as `after` for the next page; none at the end.
    pub next: Option<String>,
    /// With a filter: how far the look has come, and from where to where there is something to look at.
    pub looked: Option<Looked>,
}

/// How far a filtered look has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Looked {
    /// Last arrival of the last row looked at.
    pub reached: Option<Stamp>,
    /// Last arrival of the oldest row of the log.
    pub oldest: Option<Stamp>,
    /// Last arrival of the newest row of the log.
    pub newest_at: Option<Stamp>,
    /// Place of the newest row of the log; give it back as `since`.
    pub newest: Option<String>,
}

/// What can be chosen in the filter.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct EventKinds {
    /// Names of messages: all known ones, and those that came lately.
    pub names: Vec<String>,
    /// Platforms that messages speak of.
    pub platforms: Vec<String>,
    /// Accounts that messages speak of, each with its platform.
    pub accounts: Vec<EventAccount>,
}

/// An account that messages speak of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct EventAccount {
    /// Its id.
    pub account: String,
    /// Its platform, as its latest message names it.
    pub platform: Option<String>,
}

/// One event, or one arrival that makes no event.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct EventRow {
    /// Stays the same as long as the row exists.
    pub id: String,
    /// The event; none for an arrival set aside.
    pub event: Option<String>,
    /// The arrival, for one set aside.
    pub seq: Option<i64>,
    /// `event`, `quarantined` or `unreadable`.
    pub kind: String,
    /// Event name such as `post.platform.published`.
    pub name: Option<String>,
    /// What its narrowest lane becomes by it, such as `published`.
    pub status: Option<String>,
    /// Platform it speaks of.
    pub platform: Option<String>,
    /// Account it speaks of.
    pub account: Option<String>,
    /// First words of the post.
    pub text: Option<String>,
    /// When it happened at Pozy.
    pub happened: Option<Stamp>,
    /// When it first reached us.
    pub first_arrived: Stamp,
    /// When it last reached us.
    pub last_arrived: Stamp,
    /// How often it reached us.
    pub arrivals: u32,
    /// True if it changed a lane.
    pub applied: bool,
    /// True for a test.
    pub test: bool,
    /// What it is about.
    pub resource: Option<String>,
    /// `in_order`, `late`, `tie` or `unplaced`.
    pub order: String,
    /// First arrival minus happened, if late, milliseconds.
    pub late_by_ms: Option<i64>,
    /// The event that overtook it.
    pub overtaken_by: Option<String>,
    /// Lanes that already held something newer.
    pub stale_lanes: Vec<String>,
    /// Flags of the contract's list.
    pub flags: Vec<String>,
    /// Why its latest copy came, if it has copies.
    pub cause: Option<CauseRow>,
    /// Signature of its latest arrival.
    pub signature: String,
    /// "Confirmed by Pozy at": when a fetch last agreed with, or overruled, what is held of it since it happened.
    pub confirmed: Option<Stamp>,
}

/// Why a copy came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct CauseRow {
    /// Code of design 3.8.
    pub code: String,
    /// `high`, `medium` or `low`.
    pub confidence: String,
    /// One sentence.
    pub text: String,
}

/// Names one event.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct EventArgs {
    /// The event's id.
    pub event: String,
}

/// One arrival.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct ArrivalRow {
    /// Number in this log.
    pub seq: i64,
    /// When it reached us.
    pub arrived: Stamp,
    /// The event it belongs to, or claims.
    pub event: Option<String>,
    /// 1 for the first arrival of an event, 0 if it makes none.
    pub copy: u32,
    /// `first`, `duplicate`, `test`, `quarantined` or `unreadable`.
    pub standing: String,
    /// Why it came again, for a copy.
    pub cause: Option<CauseRow>,
    /// `valid`, `invalid`, `missing` or `unchecked`.
    pub signature: String,
    /// Our answer's time, milliseconds, once known.
    pub took_ms: Option<i64>,
    /// Our answer's status.
    pub answer: Option<u16>,
    /// `live` or `import`.
    pub channel: String,
    /// Flags of the contract's list.
    pub flags: Vec<String>,
}

/// Names one arrival.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct ArrivalArgs {
    /// Its number in this log.
    pub seq: i64,
}

/// Names two arrivals.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct CompareArgs {
    /// Number of the one in this log.
    pub first: i64,
    /// Number of the other.
    pub second: i64,
}

/// Two arrivals, their secrets masked alike: where placeholders are equal, so were the secrets.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Compared {
    /// The one.
    pub first: ArrivalDetail,
    /// The other.
    pub second: ArrivalDetail,
}

/// One arrival with all it brought; secrets in headers are masked.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct ArrivalDetail {
    /// The row.
    pub row: ArrivalRow,
    /// Headers in the order they came.
    pub headers: Vec<(String, String)>,
    /// The body, if it is kept and is text.
    pub body: Option<String>,
    /// Size of the body as it came, bytes.
    pub body_len: i64,
    /// Why there is no body to show, if there is none.
    pub body_missing: Option<String>,
}

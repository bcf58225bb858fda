//! What goes over the border to the screens, in either host. `ui/src/wire/` is generated from these types; a test
//! compares the two. No secret is ever in one of them: an API key or webhook secret only ever goes in.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{
    clock::Moment,
    outbound::{
        job::{EndKind, Origin},
        outcome::{Outcome, State, Warning},
    },
};

/// An instant: milliseconds for reckoning, and the text as exact as it is known (design 3.5).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Stamp {
    /// Milliseconds since 1970.
    pub ms: i64,
    /// RFC 3339, as exact as it was sent.
    pub text: String,
}

impl From<Moment> for Stamp {
    fn from(at: Moment) -> Self {
        Self { ms: at.millis(), text: at.to_string() }
    }
}

/// No arguments.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Nothing {}

/// What the top bar shows.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Status {
    /// The program's version.
    pub version: String,
    /// Where the log lies.
    pub data_dir: String,
    /// The program's present time.
    pub now: Stamp,
    /// IANA name of the computer's zone, such as `Europe/London`.
    pub zone: String,
    /// Number of the newest notice; a screen that saw a smaller one pulls anew.
    pub notice: u64,
    /// Present while practising with the sandbox on a log of its own.
    pub practice: Option<Practice>,
    /// The receiver.
    pub receiver: ReceiverStatus,
    /// The workspace in use, if there is one.
    pub workspace: Option<WorkspaceRow>,
    /// How many posts wait for a person.
    pub needs_person: u32,
    /// Problems that a person should know now, each a sentence with what to do.
    pub problems: Vec<String>,
}

/// The two-minute story of practice mode.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Practice {
    /// True while the story plays.
    pub playing: bool,
    /// Steps told so far, newest last.
    pub told: Vec<StoryLine>,
    /// How many lines the story has.
    pub lines: u32,
}

/// One line of the story, as it happened.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct StoryLine {
    /// When it happened.
    pub at: Stamp,
    /// What happened, in one sentence.
    pub says: String,
}

/// Whether arrivals can come in.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct ReceiverStatus {
    /// True while it listens.
    pub listening: bool,
    /// Full address of the default endpoint, while it listens.
    pub url: Option<String>,
    /// Why it does not listen and what to do.
    pub problem: Option<String>,
    /// The newest live arrival.
    pub last_arrival: Option<Stamp>,
    /// True if arrivals are verified; without a secret they are logged as unchecked.
    pub verifies: bool,
}

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

/// Which part of the posts to show.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(export_to = "wire.ts")]
pub struct PostsPageArgs {
    /// `next` of the page before.
    #[ts(optional)]
    pub after: Option<String>,
    /// Rows wanted, at most 200.
    #[ts(optional)]
    pub limit: Option<u32>,
}

/// A page of jobs: what needs a person, then what is under way, then what is done; newest first in each.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct PostsPage {
    /// The rows.
    pub rows: Vec<JobRow>,
    /// Give it back as `after` for the next page.
    pub next: Option<String>,
}

/// One job.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct JobRow {
    /// Its mark.
    pub job: String,
    /// `needs_you`, `under_way` or `done`.
    pub group: String,
    /// When it was asked for.
    pub created: Stamp,
    /// Method and path of the call.
    pub path: String,
    /// Asked for here, or read from a file.
    pub origin: Origin,
    /// Name of its workspace.
    pub workspace: String,
    /// Its key; none for an imported job without one.
    pub key: Option<String>,
    /// Where it stands.
    pub state: State,
    /// What its tries add up to.
    pub outcome: Outcome,
    /// The attempt that made the post, if that is known.
    pub created_by_attempt: Option<u32>,
    /// The post.
    pub post: Option<String>,
    /// What the log last knew of the post, such as `published`.
    pub post_status: Option<String>,
    /// When it is tried next by itself.
    pub next: Option<Stamp>,
    /// Why nothing is planned although the outcome is open.
    pub waits_for_person: Option<String>,
    /// First use of the key.
    pub key_since: Option<Stamp>,
    /// Until when asking by itself is safe: the key's end less the margin.
    pub safe_until: Option<Stamp>,
    /// End of the key's life.
    pub key_expires: Option<Stamp>,
    /// What a person should know.
    pub warnings: Vec<Warning>,
    /// First words of the post.
    pub text: Option<String>,
    /// Where it goes.
    pub targets: Vec<Target>,
    /// As it was asked: local time without an offset, and its zone.
    pub scheduled_for: Option<String>,
    /// Zone of `scheduled_for`.
    pub timezone: Option<String>,
    /// Each try as a mark: `sending`, `answered`, `replayed`, `lost`, `wait`, `refused`.
    pub tries: Vec<String>,
    /// Whether the stored key may be asked again now.
    pub ask_again: Offer,
    /// True while it waits and can be stopped.
    pub can_cancel: bool,
}

/// An act that is offered, or why it is not.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Offer {
    /// True if it may be done now.
    pub offered: bool,
    /// What it would do, or why it is not offered.
    pub why: String,
}

/// One account a post goes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Target {
    /// Platform name.
    pub platform: String,
    /// Account id.
    pub account: String,
}

/// Names one job.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct JobArgs {
    /// Its mark.
    pub job: String,
}

/// One job with its tries.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct JobDetail {
    /// The row.
    pub row: JobRow,
    /// The tries, first to last.
    pub attempts: Vec<AttemptRow>,
    /// The frozen body, if it is kept and is text.
    pub body: Option<String>,
    /// What people noted.
    pub notes: Vec<NoteRow>,
}

/// One try.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct AttemptRow {
    /// Counts from 1 in the job.
    pub n: u32,
    /// When it left.
    pub at: Stamp,
    /// The mark of [`JobRow::tries`].
    pub mark: String,
    /// How it ended; none while it is under way.
    pub result: Option<EndKind>,
    /// When that was known.
    pub ended: Option<Stamp>,
    /// Status of the answer.
    pub status: Option<u16>,
    /// What it means, in one sentence.
    pub says: String,
    /// The answer's body, if it is kept and is text.
    pub answer: Option<String>,
}

/// What a person saw or decided.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct NoteRow {
    /// When.
    pub at: Stamp,
    /// Action of design 7.
    pub action: String,
    /// Their words.
    pub text: String,
}

/// The connected accounts, fetched now.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Accounts {
    /// The accounts.
    pub accounts: Vec<AccountRow>,
    /// Why they could not be fetched; then an account can still be typed.
    pub problem: Option<String>,
}

/// One connected account.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct AccountRow {
    /// Account id.
    pub id: String,
    /// Platform name.
    pub platform: String,
    /// What people call it.
    pub name: String,
    /// False if Pozy says that it is disconnected.
    pub connected: bool,
}

/// The webhooks registered at Pozy, fetched now.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Webhooks {
    /// The webhooks.
    pub webhooks: Vec<WebhookRow>,
    /// Why they could not be fetched.
    pub problem: Option<String>,
}

/// One registered webhook.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct WebhookRow {
    /// Its id at Pozy.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Where it sends.
    pub url: String,
    /// The events it sends; empty means all.
    pub events: Vec<String>,
    /// False if it was switched off.
    pub active: bool,
}

/// A new post.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(export_to = "wire.ts")]
pub struct SubmitArgs {
    /// The words.
    pub content: String,
    /// Where it goes, at least one.
    pub targets: Vec<Target>,
    /// Local time without an offset, such as `2026-11-05T09:00`; none publishes now.
    #[ts(optional)]
    pub scheduled_for: Option<String>,
    /// Zone of `scheduled_for`, IANA name.
    #[ts(optional)]
    pub timezone: Option<String>,
    /// Public addresses of pictures and films.
    #[serde(default)]
    pub media_urls: Vec<String>,
    /// Made by the form when it opens; the same one twice sends once, so a double click makes one job.
    pub form: String,
}

/// Records what a person saw or decided.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct NoteArgs {
    /// The job it is about.
    #[serde(default)]
    #[ts(optional)]
    pub job: Option<String>,
    /// The post it is about.
    #[serde(default)]
    #[ts(optional)]
    pub post: Option<String>,
    /// `settled`, `seen_twice`, `not_seen` or `comment`.
    pub action: String,
    /// Their words.
    pub text: String,
}

/// Fires a test webhook.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(export_to = "wire.ts")]
pub struct TestArgs {
    /// Webhook id; none means the one that sends to this receiver, else the first.
    #[ts(optional)]
    pub webhook: Option<String>,
    /// Event name to sample; none means the plain test.
    #[ts(optional)]
    pub event: Option<String>,
}

/// What a test webhook did.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct TestRun {
    /// When it was fired.
    pub fired: Stamp,
    /// Status of Pozy's answer; none if there was none.
    pub status: Option<u16>,
    /// Pozy's whole answer.
    pub answer: String,
    /// The arrival it caused, if one came in time.
    pub arrival: Option<ArrivalRow>,
    /// From firing to its arrival, milliseconds.
    pub round_trip_ms: Option<i64>,
    /// What went wrong and what to do.
    pub problem: Option<String>,
}

/// The workspaces, and where secrets are kept on this computer.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Workspaces {
    /// The workspaces set up here.
    pub workspaces: Vec<WorkspaceRow>,
    /// `keychain`, or `file` where no keychain runs.
    pub secrets_in: String,
    /// One sentence that says which, and where.
    pub secrets_say: String,
    /// Providers whose settings ship with the program.
    pub providers: Vec<String>,
}

/// One workspace.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct WorkspaceRow {
    /// Number in this log.
    pub id: i64,
    /// What people call it.
    pub name: String,
    /// Base address without `/v1`.
    pub base_url: String,
    /// Provider whose settings hold.
    pub provider: String,
    /// True for the one in use.
    pub current: bool,
    /// True if an API key is kept.
    pub has_api_key: bool,
    /// True if a webhook secret is kept.
    pub has_webhook_secret: bool,
}

/// Makes or changes a workspace. Secrets only go in: none means keep what is there, empty means forget it.
#[derive(Clone, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct SaveWorkspaceArgs {
    /// The one to change; none makes one.
    #[serde(default)]
    #[ts(optional)]
    pub id: Option<i64>,
    /// What people call it.
    pub name: String,
    /// Base address without `/v1`; https, or http on loopback.
    pub base_url: String,
    /// Provider whose settings hold.
    pub provider: String,
    /// The API key.
    #[serde(default)]
    #[ts(optional)]
    pub api_key: Option<String>,
    /// The webhook secret.
    #[serde(default)]
    #[ts(optional)]
    pub webhook_secret: Option<String>,
}

impl std::fmt::Debug for SaveWorkspaceArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SaveWorkspaceArgs").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Names one workspace.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct WorkspaceArgs {
    /// Its number in this log.
    pub id: i64,
}

/// Told to every screen after something changed; numbered, so that one that missed some pulls anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Notice {
    /// Counts up by one.
    pub n: u64,
}

/// An error as the screens get it.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Problem {
    /// What the screen can act on.
    pub code: crate::error::Code,
    /// What happened, what it means, what to do.
    pub message: String,
}

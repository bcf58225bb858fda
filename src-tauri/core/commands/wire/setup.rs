//! Accounts, webhooks, tests and workspaces.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{ArrivalRow, Stamp};

/// The connected accounts, fetched now.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Accounts {
    /// The accounts.
    pub accounts: Vec<AccountRow>,
    /// Why they could not be fetched; then an account can still be typed.
    pub problem: Option<String>,
}

/// The zones that posts are planned in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct AccountZones {
    /// The zone that the newest post with one names.
    pub usual: Option<String>,
    /// The zone of each account, by the newest post to it that names one.
    pub accounts: Vec<AccountZone>,
}

/// The zone of one account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct AccountZone {
    /// Account id.
    pub account: String,
    /// IANA name of the zone.
    pub zone: String,
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

/// Where the receiver listens on this computer from now on.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct SaveReceiverArgs {
    /// Port, 1024 to 65535.
    pub port: u16,
}

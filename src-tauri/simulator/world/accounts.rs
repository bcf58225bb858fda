//! Connected accounts. Every id is accepted; the first use makes the account (contract "Sandbox").

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::World;
use super::draft::Place;
use crate::ids::{AccountId, WorkspaceId};
use crate::options::AccountSeed;
use crate::step::AccountChange;

/// The one profile that a workspace's accounts belong to.
pub(crate) const PROFILE: &str = "cccccccccccccccccccc0001";

pub(crate) struct Account {
    pub(crate) id: AccountId,
    pub(crate) platform: String,
    pub(crate) username: String,
    pub(crate) name: String,
    pub(crate) connected: bool,
}

impl Account {
    fn new(id: AccountId, platform: String, name: Option<String>) -> Self {
        let tail: String = id.0.chars().rev().take(6).collect::<Vec<_>>().into_iter().rev().collect();
        let name = name.unwrap_or_else(|| format!("{platform} {tail}"));
        let username = name.to_lowercase().replace(' ', "_");
        Self { id, platform, username, name, connected: true }
    }

    /// The `account` block of a webhook.
    pub(crate) fn webhook_json(&self) -> Value {
        json!({
            "accountId": self.id,
            "profileId": PROFILE,
            "platform": self.platform,
            "username": self.username,
            "displayName": self.name,
        })
    }

    fn rest_json(&self) -> Value {
        json!({
            "_id": self.id,
            "platform": self.platform,
            "profileId": PROFILE,
            "username": self.username,
            "displayName": self.name,
            "profileUrl": format!("https://{}.example/{}", self.platform, self.username),
            "isActive": self.connected,
            "needsReconnection": !self.connected,
        })
    }
}

#[derive(Default)]
pub(crate) struct Accounts(BTreeMap<(WorkspaceId, AccountId), Account>);

impl Accounts {
    pub(crate) fn seed(&mut self, workspace: &WorkspaceId, seed: AccountSeed) {
        let account = Account::new(seed.account.clone(), seed.platform, Some(seed.name));
        self.0.insert((workspace.clone(), seed.account), account);
    }

    pub(crate) fn get(&self, workspace: &WorkspaceId, id: &AccountId) -> Option<&Account> {
        self.0.get(&(workspace.clone(), id.clone()))
    }

    /// The account, made if this is its first use.
    fn touch(&mut self, workspace: &WorkspaceId, id: &AccountId, platform: &str) -> &mut Account {
        self.0
            .entry((workspace.clone(), id.clone()))
            .or_insert_with(|| Account::new(id.clone(), platform.to_owned(), None))
    }

    pub(crate) fn use_all(&mut self, workspace: &WorkspaceId, places: &[Place]) {
        for place in places {
            self.touch(workspace, &place.account, &place.platform);
        }
    }
}

impl World {
    /// The body of `GET /v1/accounts`. A profile that is not ours has none.
    pub(crate) fn read_accounts(&self, workspace: &WorkspaceId, profile: Option<&str>) -> Value {
        let ours = profile.is_none_or(|profile| profile.is_empty() || profile == PROFILE);
        let accounts = self.accounts.0.iter().filter(|((owner, _), _)| ours && owner == workspace);
        json!({"accounts": accounts.map(|(_, account)| account.rest_json()).collect::<Vec<_>>()})
    }

    /// Connects or disconnects an account of the first workspace and tells of it.
    pub(crate) fn set_account(&mut self, now: DateTime<Utc>, change: &AccountChange) {
        let workspace = self.workspaces.first();
        let platform = change.platform.as_deref().unwrap_or("linkedin");
        let account = self.accounts.touch(&workspace, &change.account, platform);
        if change.platform.is_some() {
            account.platform = platform.to_owned();
        }
        account.connected = change.connected;
        let mut block = account.webhook_json();
        let name = if change.connected {
            "account.connected"
        } else {
            block["disconnectionType"] = json!("unintentional");
            block["reason"] = json!("Session revoked");
            "account.disconnected"
        };
        self.emit(now, &workspace, name, None, json!({"account": block}));
    }
}

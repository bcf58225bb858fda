//! Webhook registrations and `/v1/webhooks/settings`.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

use super::World;
use crate::clock::written;
use crate::ids::{WebhookId, WorkspaceId};

/// The most registrations of a workspace (assumed).
const MOST: usize = 50;

pub(crate) struct Webhook {
    pub(crate) id: WebhookId,
    pub(crate) workspace: WorkspaceId,
    pub(crate) name: String,
    pub(crate) url: String,
    /// Event names; none, or `*`, means all. Names that this Pozy never sends are kept.
    pub(crate) events: Vec<String>,
    /// None: deliveries are not signed.
    pub(crate) secret: Option<String>,
    pub(crate) active: bool,
    pub(crate) last_fired_at: Option<DateTime<Utc>>,
    pub(crate) failure_count: u32,
}

impl Webhook {
    /// As the settings give it; the secret is never told.
    pub(crate) fn json(&self) -> Value {
        json!({
            "_id": self.id,
            "name": self.name,
            "url": self.url,
            "events": self.events,
            "isActive": self.active,
            "hasSecret": self.secret.is_some(),
            "lastFiredAt": self.last_fired_at.map(written),
            "failureCount": self.failure_count,
        })
    }
}

/// The body of a change: the registration and the fields that change.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebhookChange {
    #[serde(rename = "_id")]
    id: WebhookId,
    #[serde(flatten)]
    fields: WebhookForm,
}

/// The fields of a registration. A new one needs `url`; the others have defaults.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebhookForm {
    name: Option<String>,
    url: Option<String>,
    events: Option<Vec<String>>,
    /// Absent: the sandbox's own secret. Empty or null: unsigned.
    #[serde(default, deserialize_with = "told")]
    secret: Option<Option<String>>,
    is_active: Option<bool>,
}

/// Tells a field that is null from one that is absent.
fn told<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(value).map(Some)
}

impl WebhookForm {
    fn check(&self) -> Result<(), String> {
        if let Some(url) = &self.url {
            let known = reqwest::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
            if !known {
                return Err(format!("{url} is no address to deliver to"));
            }
        }
        if self.name.as_ref().is_some_and(|name| !(1..=50).contains(&name.chars().count())) {
            return Err("name must have 1 to 50 characters".into());
        }
        Ok(())
    }

    fn apply(self, webhook: &mut Webhook) {
        let Self { name, url, events, secret, is_active } = self;
        webhook.name = name.unwrap_or_else(|| std::mem::take(&mut webhook.name));
        webhook.url = url.unwrap_or_else(|| std::mem::take(&mut webhook.url));
        webhook.events = events.unwrap_or_else(|| std::mem::take(&mut webhook.events));
        webhook.active = is_active.unwrap_or(webhook.active);
        if let Some(secret) = secret {
            webhook.secret = secret.filter(|secret| !secret.is_empty());
        }
    }
}

#[derive(Default)]
pub(crate) struct Webhooks(Vec<Webhook>);

impl Webhooks {
    pub(crate) fn get(&self, id: &WebhookId) -> Option<&Webhook> {
        self.0.iter().find(|webhook| webhook.id == *id)
    }

    pub(crate) fn get_mut(&mut self, id: &WebhookId) -> Option<&mut Webhook> {
        self.0.iter_mut().find(|webhook| webhook.id == *id)
    }

    fn of<'a>(&'a self, workspace: &'a WorkspaceId) -> impl Iterator<Item = &'a Webhook> {
        self.0.iter().filter(move |webhook| webhook.workspace == *workspace)
    }

    /// The registrations that are told of an event called `name`.
    pub(crate) fn listening(&self, workspace: &WorkspaceId, name: &str) -> Vec<WebhookId> {
        let listens = |webhook: &&Webhook| {
            let told = |event: &String| event == name || event == "*";
            webhook.active && (webhook.events.is_empty() || webhook.events.iter().any(told))
        };
        self.of(workspace).filter(listens).map(|webhook| webhook.id.clone()).collect()
    }
}

impl World {
    /// The body of `GET /v1/webhooks/settings`.
    pub(crate) fn read_webhooks(&self, workspace: &WorkspaceId) -> Value {
        json!({"webhooks": self.webhooks.of(workspace).map(Webhook::json).collect::<Vec<_>>()})
    }

    /// Registers an address.
    ///
    /// # Errors
    /// One sentence that says what to fix.
    pub(crate) fn add_webhook(
        &mut self,
        now: DateTime<Utc>,
        workspace: WorkspaceId,
        form: WebhookForm,
    ) -> Result<Value, String> {
        form.check()?;
        if form.url.is_none() {
            return Err("url is needed".into());
        }
        if self.webhooks.of(&workspace).count() >= MOST {
            return Err(format!("A workspace has at most {MOST} webhooks"));
        }
        let mut webhook = Webhook {
            id: WebhookId(self.chance.object_id(now)),
            workspace,
            name: "webhook".into(),
            url: String::new(),
            events: Vec::new(),
            secret: self.options.webhook_secret.clone(),
            active: true,
            last_fired_at: None,
            failure_count: 0,
        };
        form.apply(&mut webhook);
        let json = webhook.json();
        self.webhooks.0.push(webhook);
        Ok(json)
    }

    /// Changes a registration; None if it is not there.
    ///
    /// # Errors
    /// One sentence that says what to fix.
    pub(crate) fn change_webhook(
        &mut self,
        workspace: &WorkspaceId,
        change: WebhookChange,
    ) -> Result<Option<Value>, String> {
        change.fields.check()?;
        let webhook = self.webhooks.get_mut(&change.id).filter(|webhook| webhook.workspace == *workspace);
        Ok(webhook.map(|webhook| {
            change.fields.apply(webhook);
            webhook.json()
        }))
    }

    /// Removes a registration; false if it is not there.
    pub(crate) fn remove_webhook(&mut self, workspace: &WorkspaceId, id: &WebhookId) -> bool {
        let before = self.webhooks.0.len();
        self.webhooks.0.retain(|webhook| webhook.id != *id || webhook.workspace != *workspace);
        self.webhooks.0.len() < before
    }

    /// The registration called `id`, or the only one where none is named.
    pub(crate) fn find_webhook(&self, workspace: &WorkspaceId, id: Option<&WebhookId>) -> Option<WebhookId> {
        let mut own = self.webhooks.of(workspace).filter(|webhook| id.is_none_or(|id| webhook.id == *id));
        match (own.next(), own.next()) {
            (Some(webhook), None) => Some(webhook.id.clone()),
            _ => None,
        }
    }
}

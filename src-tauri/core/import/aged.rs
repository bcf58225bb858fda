//! What is left of an arrival whose body has aged out, as a log line tells it: the reading that the log keeps for good.
//! Its lanes, standing and order come back from it; the words of the post, and whether two bodies of one event differed,
//! left with the body. Pure.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{
    clock::Moment,
    ids::{AccountId, EventId, Lane, Resource},
    inbound::arrival::Content,
    pozy::{
        contract::Contract,
        envelope::{Nature, News, Reading, first_16},
    },
};

/// The parts of a line whose body has aged out. Without an event it was unreadable; with an id alone it was set aside.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aged {
    /// Size the body had, bytes.
    #[serde(default)]
    pub body_len: i64,
    /// Id of the event it made, repeated or claimed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// What the body that counts said.
    #[serde(flatten)]
    pub kept: Option<Kept>,
}

/// What the log keeps of the body that counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// Name of the event.
    pub name: String,
    /// When it happened, as it was written.
    #[serde(default)]
    pub happened_at: Option<String>,
    /// What it is about.
    pub resource: Resource,
    /// Real, test or odd.
    pub nature: Nature,
    /// What it says of each lane.
    #[serde(default)]
    pub news: Vec<News>,
    /// Platform it speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// Account it speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<AccountId>,
    /// The first id of those that told the very same, where there is another (flag `twin`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin_of: Option<String>,
}

impl Aged {
    /// What the arrival is good for; `bad` says that it was set aside where it arrived.
    ///
    /// # Errors
    /// A short reason for the list of lines that could not be read.
    pub fn content(&self, bad: bool, contract: &Contract) -> Result<Content, String> {
        let event = self.event.as_deref().filter(|id| !id.trim().is_empty()).map(EventId::new);
        match (bad, event, &self.kept) {
            (true, event, _) => Ok(Content::Quarantined(event)),
            (false, Some(event), Some(kept)) => {
                kept.reading(event, contract).map(|reading| Content::Event(Box::new(reading)))
            }
            (false, Some(_), None) => {
                Err("its body has aged out, and it does not say what its event was about".to_owned())
            }
            (false, None, _) => Ok(Content::Unreadable),
        }
    }
}

impl Kept {
    fn reading(&self, event: EventId, contract: &Contract) -> Result<Reading, String> {
        let about = |lane: &Lane| {
            let rest = lane.as_str().strip_prefix(self.resource.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if !self.news.iter().all(|news| about(&news.lane)) {
            return Err("its `news` is about something else than its `resource`".to_owned());
        }
        let twin = self.twin_of.as_deref().unwrap_or(event.as_str());
        Ok(Reading {
            name: self.name.clone(),
            happened: self.happened_at.as_deref().and_then(Moment::parse),
            happened_text: self.happened_at.clone(),
            resource: self.resource.clone(),
            nature: self.nature,
            known: contract.events.contains_key(&self.name),
            news: self.news.clone(),
            twin: first_16(Sha256::new_with_prefix(format!("aged {twin}"))),
            platform: self.platform.clone(),
            account: self.account.clone(),
            text: None,
            event,
        })
    }
}

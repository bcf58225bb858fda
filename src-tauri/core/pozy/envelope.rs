//! What a webhook body says, read once and kept for good: who it is, when it happened, what it is about, and its news
//! for each lane. Pure. Field names as in `pozy.md` 3.2; what an event is about comes from the provider's settings.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::{
    block::{Block, TARGETS_MAX, Unreadable, WORD_MAX},
    contract::{About, Contract},
};
use crate::{
    clock::Moment,
    ids::{AccountId, EventId, Lane, PostId, Resource},
};

/// How much of a post's text is kept beside the event, characters.
pub const TEXT_MAX: usize = 280;

/// What one body says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The body's `id` (R1).
    pub event: EventId,
    /// The body's `event`; empty if it has none.
    pub name: String,
    /// The body's `timestamp` as an instant (R4); none if it is missing or no instant.
    pub happened: Option<Moment>,
    /// The `timestamp` as it was written.
    pub happened_text: Option<String>,
    /// What the event is about.
    pub resource: Resource,
    /// Real, test or odd (R6).
    pub nature: Nature,
    /// False if the provider's settings do not know the name.
    pub known: bool,
    /// What it says of each lane; a lane stands once. Empty for tests and unknown names.
    pub news: Vec<News>,
    /// Hash of the body apart from its id and the spelling of its instant, blind to the order of fields.
    pub twin: [u8; 16],
    /// Platform it speaks of.
    pub platform: Option<String>,
    /// Account it speaks of.
    pub account: Option<AccountId>,
    /// First words of the post.
    pub text: Option<String>,
}

/// Whether an event counts (R6, design 3.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Nature {
    /// It has no `test` field.
    Real,
    /// `test` is boolean true, or it is a test by its name.
    Test,
    /// `test` is there and is anything else: moves nothing until somebody decides.
    Odd,
}

impl Nature {
    /// The word in the table.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Real => "real",
            Self::Test => "test",
            Self::Odd => "odd",
        }
    }

    /// Reads the word back.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Real, Self::Test, Self::Odd].into_iter().find(|nature| nature.word() == word)
    }
}

/// What an event says of one lane. Absolute: "is now published", never "one more".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct News {
    /// The lane.
    pub lane: Lane,
    /// The state it is in.
    pub status: String,
    /// How much the event is about this lane.
    pub rank: Rank,
}

/// At one instant a roll-up outranks the `post.status` that a target event carries along (design 3.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rank {
    /// Mentioned beside what the event is about.
    CarriedAlong,
    /// What the event is about.
    Own,
}

/// Reads a body.
///
/// # Errors
/// Why it cannot be read; the arrival is then stored as unreadable and makes no event.
pub fn read(body: &[u8], contract: &Contract) -> Result<Reading, Unreadable> {
    let top = Block::of_body(body)?;
    let event = top.text("id")?.filter(|id| usable(id)).map(EventId::new).ok_or(Unreadable::NoId)?;
    let name = top.word("event")?.unwrap_or_default();
    let happened_text = top.word("timestamp")?;
    let kind = contract.events.get(&name);
    let about = kind.map_or(About::Nothing, |kind| kind.about);
    let usual = kind.and_then(|kind| kind.status.as_deref());
    let nature = match top.get("test")?.map(|raw| raw.get()) {
        _ if about == About::Test => Nature::Test,
        None => Nature::Real,
        Some("true") => Nature::Test,
        Some(_) => Nature::Odd,
    };
    let subject = Subject::read(&top)?;
    let news = if nature == Nature::Test { Vec::new() } else { subject.news(about, usual) };
    Ok(Reading {
        resource: subject.resource(&top, &name, &event)?,
        happened: happened_text.as_deref().and_then(Moment::parse),
        nature,
        known: kind.is_some(),
        news,
        twin: twin(body),
        platform: subject.platform,
        account: subject.account,
        text: subject.text,
        event,
        name,
        happened_text,
    })
}

/// An id that can be told apart and shown: not blank, not endless, no control characters.
fn usable(id: &str) -> bool {
    !id.trim().is_empty() && id.len() <= WORD_MAX && !id.chars().any(char::is_control)
}

/// The blocks a post or account event can carry.
struct Subject {
    post: Option<PostId>,
    post_status: Option<String>,
    targets: Vec<(AccountId, String)>,
    platform: Option<String>,
    platform_status: Option<String>,
    account: Option<AccountId>,
    text: Option<String>,
}

impl Subject {
    fn read(top: &Block<'_>) -> Result<Self, Unreadable> {
        let (post, platform, account) = (top.block("post")?, top.block("platform")?, top.block("account")?);
        let mut targets = Vec::new();
        if let Some(post) = &post {
            let all = post.blocks("platforms")?;
            if all.len() > TARGETS_MAX {
                return Err(Unreadable::TooMany);
            }
            for target in all {
                if let (Some(account), Some(status)) = (account_of(&target)?, target.word("status")?) {
                    targets.push((account, status));
                }
            }
        }
        let of_account = match &account {
            Some(block) => first_text(block, &["accountId", "id", "_id"])?,
            None => None,
        };
        let platform_name = match &platform {
            Some(block) => block.word("name")?,
            None => top.word("platform")?,
        };
        let account_platform = match &account {
            Some(block) => block.word("platform")?,
            None => None,
        };
        Ok(Self {
            post: match &post {
                Some(block) => first_text(block, &["id", "_id"])?.map(PostId::new),
                None => None,
            },
            post_status: post.as_ref().map(|block| block.word("status")).transpose()?.flatten(),
            targets,
            platform: platform_name.or(account_platform),
            platform_status: platform.as_ref().map(|block| block.word("status")).transpose()?.flatten(),
            account: match of_account {
                Some(id) => Some(AccountId::new(id)),
                None => top.word("accountId")?.filter(|id| !id.is_empty()).map(AccountId::new),
            },
            text: post
                .as_ref()
                .map(|block| block.text("content"))
                .transpose()?
                .flatten()
                .map(|text| text.chars().take(TEXT_MAX).collect()),
        })
    }

    /// What the event says of each lane; `usual` is the state its name stands for.
    fn news(&self, about: About, usual: Option<&str>) -> Vec<News> {
        let mut news = Vec::new();
        let mut tell = |lane: Lane, status: Option<&str>, rank| {
            if let Some(status) = status
                && !news.iter().any(|known: &News| known.lane == lane)
            {
                news.push(News { lane, status: status.to_owned(), rank });
            }
        };
        match (about, &self.post, &self.account) {
            (About::Rollup, Some(post), _) => {
                tell(Lane::post(post), self.post_status.as_deref().or(usual), Rank::Own);
                for (account, status) in &self.targets {
                    tell(Lane::target(post, account), Some(status), Rank::Own);
                }
            }
            (About::Target, Some(post), account) => {
                if let Some(account) = account {
                    tell(Lane::target(post, account), self.platform_status.as_deref().or(usual), Rank::Own);
                }
                tell(Lane::post(post), self.post_status.as_deref(), Rank::CarriedAlong);
            }
            (About::Account, _, Some(account)) => tell(Lane::account(account), usual, Rank::Own),
            _ => {}
        }
        news
    }

    /// What the event is about: its post, its account, or the block of its family.
    fn resource(&self, top: &Block<'_>, name: &str, event: &EventId) -> Result<Resource, Unreadable> {
        let family = name.split('.').next().unwrap_or_default();
        match (family, &self.post, &self.account) {
            ("post", Some(post), _) => return Ok(Resource::post(post)),
            ("account", _, Some(account)) => return Ok(Resource::account(account)),
            _ => {}
        }
        let own = match top.block(family)? {
            Some(block) => first_text(&block, &["id", "_id"])?,
            None => None,
        };
        let family = if family.is_empty() { "unnamed" } else { family };
        Ok(Resource::other(family, own.as_deref().unwrap_or_else(|| event.as_str())))
    }
}

/// The account of a target: a text, or an object that holds its id.
fn account_of(target: &Block<'_>) -> Result<Option<AccountId>, Unreadable> {
    let id = match target.block("accountId")? {
        Some(block) => first_text(&block, &["_id", "id"])?,
        None => target.word("accountId")?.filter(|id| !id.is_empty()),
    };
    Ok(id.map(AccountId::new))
}

/// The first of `names` that holds a text.
fn first_text(block: &Block<'_>, names: &[&str]) -> Result<Option<String>, Unreadable> {
    for name in names {
        if let Some(text) = block.word(name)?.filter(|text| !text.is_empty()) {
            return Ok(Some(text));
        }
    }
    Ok(None)
}

/// Hash of the body apart from `id` and `timestamp`. A body that only this log's lenient reading understands is
/// hashed as it is, and so is no one's twin.
fn twin(body: &[u8]) -> [u8; 16] {
    let mut hash = Sha256::new();
    match serde_json::from_slice(body) {
        Ok(Value::Object(mut fields)) => {
            fields.remove("id");
            fields.remove("timestamp");
            write_sorted(&Value::Object(fields), &mut hash);
        }
        _ => hash.update(body),
    }
    first_16(hash)
}

/// Feeds a value with the fields of every object in one order, whatever order the JSON library keeps them in.
fn write_sorted(value: &Value, to: &mut Sha256) {
    match value {
        Value::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by_key(|(name, _)| *name);
            to.update(b"{");
            for (name, inner) in sorted {
                to.update(Value::from(name.as_str()).to_string());
                to.update(b":");
                write_sorted(inner, to);
            }
            to.update(b"}");
        }
        Value::Array(items) => {
            to.update(b"[");
            for item in items {
                write_sorted(item, to);
                to.update(b",");
            }
            to.update(b"]");
        }
        plain => to.update(plain.to_string()),
    }
}

/// The first 16 bytes of a finished hash: enough to tell bodies apart, half the room.
pub(crate) fn first_16(hash: Sha256) -> [u8; 16] {
    let whole: [u8; 32] = hash.finalize().into();
    let mut half = [0; 16];
    half.copy_from_slice(&whole[..16]);
    half
}

#[cfg(test)]
#[path = "envelope_tests.rs"]
mod tests;

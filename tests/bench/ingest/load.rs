//! What is sent: signed webhook deliveries as Pozy makes them, with copies and late ones among them, as finished
//! HTTP requests. Bodies and signatures are made before any clock starts.

use std::{collections::HashMap, sync::Arc};

use hmac::{Hmac, Mac as _};
use reprise_core::clock::Moment;
use serde::Serialize;
use sha2::Sha256;

use crate::{Outcome, dice::Dice, texts::post_text};

/// How many accounts the posts of a load go to.
const ACCOUNTS: usize = 200;
/// Copies come within so many arrivals of their first, or much later.
const AT_ONCE: usize = 64;
const MUCH_LATER: usize = 2_000;

/// Where a receiver takes deliveries.
#[derive(Clone)]
pub(crate) struct Target {
    /// `host:port`
    pub(crate) authority: String,
    pub(crate) path: String,
    pub(crate) secret: String,
    pub(crate) form: Form,
}

/// What a delivery looks like.
#[derive(Clone)]
pub(crate) enum Form {
    /// As Pozy sends it.
    Webhook,
    /// As svix-server's own API takes it, with the sender's token.
    Svix(String),
}

impl Target {
    /// The webhook receiver at `address`.
    pub(crate) fn webhook(address: &str, secret: &str) -> Outcome<Self> {
        let (authority, path) = address
            .strip_prefix("http://")
            .and_then(|rest| rest.split_once('/'))
            .ok_or_else(|| format!("{address} is no address of a receiver"))?;
        let path = format!("/{path}");
        Ok(Self { authority: authority.to_owned(), path, secret: secret.to_owned(), form: Form::Webhook })
    }

    /// True if an answer with this status says that the delivery is kept, or was before.
    pub(crate) const fn accepts(&self, status: u16) -> bool {
        match self.form {
            Form::Webhook => status == 204,
            // 409: a message of that event is there already.
            Form::Svix(_) => matches!(status, 202 | 409),
        }
    }
}

/// Requests in the order in which they are sent, and what a receiver must hold afterwards.
pub(crate) struct Load {
    pub(crate) requests: Vec<Arc<[u8]>>,
    /// How often each event is sent.
    pub(crate) sent: HashMap<String, usize>,
}

#[derive(Serialize)]
struct Body<'a> {
    id: &'a str,
    event: &'a str,
    timestamp: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    post: Option<Post<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    platform: Option<Platform<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<Account<'a>>,
}

#[derive(Serialize)]
struct Post<'a> {
    id: &'a str,
    content: &'a str,
    status: &'a str,
    platforms: Vec<PostTarget<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PostTarget<'a> {
    platform: &'a str,
    status: &'a str,
    account_id: &'a str,
}

#[derive(Serialize)]
struct Platform<'a> {
    name: &'a str,
    status: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Account<'a> {
    account_id: &'a str,
    platform: &'a str,
    username: &'a str,
}

/// One event before it is sent.
pub(crate) struct Event {
    pub(crate) id: String,
    pub(crate) name: &'static str,
    pub(crate) happened: Moment,
    pub(crate) body: Vec<u8>,
}

/// Events of the hour before `now`, and the order in which they arrive: `arrivals` places in the list of events, `copies`
/// in a hundred of them for the second time or more. No id was in anything made earlier with the same dice.
pub(crate) fn arriving(
    dice: &mut Dice,
    arrivals: usize,
    copies: usize,
    now: Moment,
) -> Outcome<(Vec<Event>, Vec<usize>)> {
    let copies = arrivals * copies / 100;
    let events = events(dice, arrivals - copies, now.plus_millis(-3_600_000), 3_500_000)?;
    let mut places: Vec<(usize, usize)> = Vec::with_capacity(arrivals);
    for n in 0..events.len() {
        // One in twenty is overtaken on its way.
        let delay = if dice.percent(5) { dice.below(200) } else { 0 };
        places.push((n + delay, n));
    }
    let mut originals: Vec<usize> = (0..events.len()).collect();
    dice.shuffle(&mut originals);
    for &n in originals.iter().cycle().take(copies) {
        let distance = if dice.percent(50) { AT_ONCE } else { MUCH_LATER };
        places.push((places[n].0 + 1 + dice.below(distance), n));
    }
    places.sort_unstable();
    Ok((events, places.into_iter().map(|(_, n)| n).collect()))
}

impl Load {
    /// `arrivals` deliveries to `target`, as [`arriving`] makes them.
    pub(crate) fn new(dice: &mut Dice, target: &Target, arrivals: usize, copies: usize, now: Moment) -> Outcome<Self> {
        let (events, order) = arriving(dice, arrivals, copies, now)?;
        // A copy is the same bytes again.
        let made = events.iter().map(|event| request(target, event)).collect::<Outcome<Vec<_>>>()?;
        let mut sent = HashMap::with_capacity(events.len());
        let mut requests = Vec::with_capacity(arrivals);
        for n in order {
            *sent.entry(events[n].id.clone()).or_insert(0) += 1;
            requests.push(Arc::clone(&made[n]));
        }
        Ok(Self { requests, sent })
    }
}

/// `wanted` events of posts that run through their life, and some of accounts, in the order in which they happened:
/// within `length_ms` after `from`.
pub(crate) fn events(dice: &mut Dice, wanted: usize, from: Moment, length_ms: i64) -> Outcome<Vec<Event>> {
    let accounts: Vec<(String, &str)> = (0..ACCOUNTS)
        .map(|_| (dice.object_id(), dice.pick(&["linkedin", "instagram", "tiktok", "bluesky", "youtube"])))
        .collect();
    let mut events = Vec::with_capacity(wanted + 8);
    while events.len() < wanted {
        let happened = from.plus_millis(i64::try_from(dice.below(usize::try_from(length_ms)?))?);
        if dice.percent(4) {
            events.push(account_event(dice, &accounts, happened)?);
        } else {
            life_of_a_post(dice, &accounts, happened, &mut events)?;
        }
    }
    events.truncate(wanted);
    events.sort_by_key(|event| event.happened);
    Ok(events)
}

fn account_event(dice: &mut Dice, accounts: &[(String, &str)], happened: Moment) -> Outcome<Event> {
    let (account_id, platform) = &accounts[dice.below(accounts.len())];
    let name = dice.pick(&["account.connected", "account.disconnected"]);
    let id = dice.uuid();
    let account = Account { account_id, platform, username: "stall12" };
    let body = Body {
        id: &id,
        event: name,
        timestamp: happened.to_string(),
        post: None,
        platform: None,
        account: Some(account),
    };
    let body = serde_json::to_vec(&body)?;
    Ok(Event { id, name, happened, body })
}

/// Scheduled, then each target, then the roll-up: three to five events of one post within a minute.
fn life_of_a_post(dice: &mut Dice, accounts: &[(String, &str)], start: Moment, events: &mut Vec<Event>) -> Outcome<()> {
    let post_id = dice.object_id();
    let content = post_text(dice);
    let first = dice.below(accounts.len());
    let targets: Vec<&(String, &str)> =
        (0..=dice.below(3)).map(|n| &accounts[(first + n * 7) % accounts.len()]).collect();
    let mut tell = |name: &'static str, status: &str, done: usize, at: i64, target: Option<usize>| -> Outcome<()> {
        let happened = start.plus_millis(at);
        let id = dice.uuid();
        let platforms = targets.iter().enumerate().map(|(n, (account_id, platform))| PostTarget {
            platform,
            status: if n < done { "published" } else { status },
            account_id,
        });
        let about = target.map(|n| targets[n]);
        let body = Body {
            id: &id,
            event: name,
            timestamp: happened.to_string(),
            post: Some(Post { id: &post_id, content: &content, status, platforms: platforms.collect() }),
            platform: about.map(|(_, name)| Platform { name, status: "published" }),
            account: about.map(|(account_id, platform)| Account { account_id, platform, username: "stall12" }),
        };
        let body = serde_json::to_vec(&body)?;
        events.push(Event { id, name, happened, body });
        Ok(())
    };
    tell("post.scheduled", "scheduled", 0, 0, None)?;
    let mut at = 30_000;
    for n in 0..targets.len() {
        at += 1_731;
        tell("post.platform.published", "publishing", n + 1, at, Some(n))?;
    }
    tell("post.published", "published", targets.len(), at + 412, None)
}

/// The delivery of `event` as bytes on the wire.
fn request(target: &Target, event: &Event) -> Outcome<Arc<[u8]>> {
    let (head, body) = match &target.form {
        Form::Webhook => (signed(target, event)?, event.body.clone()),
        Form::Svix(token) => {
            let payload: serde_json::Value = serde_json::from_slice(&event.body)?;
            let body = serde_json::json!({ "eventType": event.name, "eventId": event.id, "payload": payload });
            (format!("Authorization: Bearer {token}\r\n"), body.to_string().into_bytes())
        }
    };
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: Pozy-Webhooks/1.0\r\nAccept: */*\r\nContent-Type: application/json\r\n\
         {head}Content-Length: {}\r\n\r\n",
        target.path,
        target.authority,
        body.len()
    );
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(&body);
    Ok(bytes.into())
}

/// The headers of a webhook, signed: hex HMAC-SHA256 of the raw body.
fn signed(target: &Target, event: &Event) -> Outcome<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(target.secret.as_bytes())?;
    mac.update(&event.body);
    let signature: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("X-Pozy-Event: {}\r\nX-Pozy-Event-Id: {}\r\nX-Pozy-Signature: {signature}\r\n", event.name, event.id))
}

//! What this Pozy holds and how it changes. Everything here is plain data under one lock: no sockets, no waiting, no
//! clock of its own. Every change takes the present moment and may put things on the agenda.
//!
//! `create` and `keys` take posts in, `life` moves them, `events` tells of it, `webhooks` and `mail` bring the telling
//! to receivers.

mod accounts;
mod create;
mod draft;
mod events;
mod keys;
mod life;
mod mail;
mod messages;
mod post;
mod posts;
mod samples;
mod webhooks;
mod workspaces;

use chrono::{DateTime, Utc};
use serde_json::Value;

pub(crate) use create::{Begun, CreateCall, SlowCreate};
pub(crate) use keys::PostKey;
pub(crate) use mail::{Delivery, Happened, LogFilter, Parcel, Redelivery};
pub(crate) use post::Post;
pub use post::{PostStatus, TargetStatus};
pub(crate) use posts::PostFilter;
pub(crate) use webhooks::{WebhookChange, WebhookForm};
pub(crate) use workspaces::Rate;

use crate::agenda::{Agenda, Due};
use crate::chance::Chance;
use crate::error::Error;
use crate::faults::Faults;
use crate::ids::WorkspaceId;
use crate::options::Options;
use crate::step::Step;

/// The whole state of a sandbox.
pub(crate) struct World {
    pub(crate) options: Options,
    pub(crate) chance: Chance,
    pub(crate) agenda: Agenda,
    pub(crate) faults: Faults,
    workspaces: workspaces::Workspaces,
    accounts: accounts::Accounts,
    posts: posts::Posts,
    post_keys: keys::PostKeys,
    other_keys: keys::OtherKeys,
    webhooks: webhooks::Webhooks,
    mail: mail::Mail,
}

impl World {
    /// A world with one workspace that takes `api_key`, and with the accounts and the script of `options`.
    pub(crate) fn new(options: Options, api_key: String, now: DateTime<Utc>) -> Result<Self, Error> {
        let mut world = Self {
            chance: Chance::start(options.seed)?,
            agenda: Agenda::default(),
            faults: Faults::default(),
            workspaces: workspaces::Workspaces::default(),
            accounts: accounts::Accounts::default(),
            posts: posts::Posts::default(),
            post_keys: keys::PostKeys::default(),
            other_keys: keys::OtherKeys::default(),
            webhooks: webhooks::Webhooks::default(),
            mail: mail::Mail::default(),
            options,
        };
        let first = world.workspaces.first();
        world.workspaces.add_key(first.clone(), api_key);
        for seed in world.options.accounts.clone() {
            world.accounts.seed(&first, seed);
        }
        for timed in std::mem::take(&mut world.options.script) {
            timed.check()?;
            let at = crate::clock::after(now, crate::faults::seconds_of(timed.at_s)?);
            world.agenda.add(at, Due::Step(Box::new(timed.step)));
        }
        Ok(world)
    }

    /// Plays a step that needs neither the clock nor a sender.
    ///
    /// # Errors
    /// [`Error::Refused`] for a step that is not this world's to play, and whatever the step itself is refused for.
    pub(crate) fn play(&mut self, now: DateTime<Utc>, step: &Step) -> Result<(), Error> {
        match step {
            Step::Fault { fault } => {
                fault.check()?;
                self.faults.add(fault.clone());
                Ok(())
            }
            Step::Target { target } => self.set_target(now, target).map(drop),
            Step::Account { account } => {
                self.set_account(now, account);
                Ok(())
            }
            Step::Say => Ok(()),
            Step::Clock { .. } | Step::Submit { .. } => {
                Err(Error::Refused("this step is not for the sandbox alone".into()))
            }
        }
    }

    /// Runs something that fell due, all but deliveries, which need the network and are handed back.
    pub(crate) fn run(&mut self, now: DateTime<Utc>, due: Due) -> Option<Delivery> {
        match due {
            Due::StartPublishing(post) => self.start_publishing(now, &post),
            Due::EndTarget(post, place) => self.end_target(now, &post, place),
            Due::RollUp(post) => self.roll_up(now, &post),
            Due::FinishCreate(slow) => self.finish_slow_create(now, *slow),
            Due::Deliver(delivery) => return Some(delivery),
            // A script step that no longer fits, such as a target of a post that was never made, changes nothing.
            Due::Step(step) => drop(self.play(now, &step)),
        }
        None
    }

    /// The keys of `POST /v1/posts` that are remembered now.
    pub(crate) fn remembered_keys(
        &self,
        now: DateTime<Utc>,
    ) -> impl Iterator<Item = (&WorkspaceId, &String, &PostKey)> {
        let keys = self.post_keys.remembered(&self.options.contract, now);
        keys.into_iter().map(|((workspace, key), known)| (workspace, key, known))
    }

    /// The posts as `GET /v1/posts/{id}` gives them, oldest first.
    pub(crate) fn posts_json(&self) -> Vec<Value> {
        self.posts.iter().map(post::Post::rest_json).collect()
    }
}

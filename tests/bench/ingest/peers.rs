//! The receivers that are compared: what each is called, how much of the load it gets, and what it needs.

use std::{env, process::Command};

use crate::{Plan, process::run, svix};

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Peer {
    /// `reprise listen`, release build.
    Reprise,
    /// The same, into a copy of the log that `--log` names.
    Big,
    /// Pozy's recipe on Node and PostgreSQL: peers/node-recipe.mjs.
    Node,
    /// The same with a database connection for every sender: more commits share an fsync.
    NodeWide,
    /// Pozy's recipe on Python and PostgreSQL: peers/python_recipe.py.
    Python,
    /// A receiver of ours that keeps bodies in a Redis with `appendfsync always`.
    RedisAlways,
    /// The same with `appendfsync everysec`: answers before the disk has them.
    RedisEverysec,
    /// A receiver of ours that only appends to a file, with `fdatasync` before the answer.
    Journal,
    /// A receiver of ours that verifies, reads and keeps nothing.
    NoStore,
    /// mitmproxy's recorder as a reverse proxy in front of a receiver that does nothing.
    Mitmdump,
    /// adnanh's webhook, which starts a command for each arrival.
    Webhook,
    /// svix-server with PostgreSQL, where `SVIX_SERVER` names it.
    Svix,
}

impl Peer {
    pub(crate) const ALL: [Self; 12] = [
        Self::Reprise,
        Self::Big,
        Self::Node,
        Self::NodeWide,
        Self::Python,
        Self::RedisAlways,
        Self::RedisEverysec,
        Self::Journal,
        Self::NoStore,
        Self::Mitmdump,
        Self::Webhook,
        Self::Svix,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Reprise => "Reprise",
            Self::Big => "Reprise, into the long log",
            Self::Node => "Node + PostgreSQL",
            Self::NodeWide => "Node + PostgreSQL, pool of 64",
            Self::Python => "Python + PostgreSQL",
            Self::RedisAlways => "Redis, appendfsync always",
            Self::RedisEverysec => "Redis, appendfsync everysec",
            Self::Journal => "append-only journal, fdatasync",
            Self::NoStore => "no store",
            Self::Mitmdump => "mitmdump",
            Self::Webhook => "webhook (adnanh)",
            Self::Svix => "svix-server",
        }
    }

    /// What its answer means, and what could be checked afterwards.
    pub(crate) const fn keeps(self) -> &'static str {
        match self {
            Self::Reprise | Self::Big => "every arrival whole, committed and synced; every copy known as one",
            Self::Node | Self::NodeWide | Self::Python => {
                "ids of events and states of posts, committed and synced; each event once"
            }
            Self::RedisAlways => "bodies of events, synced; each event once",
            Self::RedisEverysec => "bodies of events, synced within a second after the answer; each event once",
            Self::Journal => "bodies of arrivals, synced; it cannot tell copies, all are there",
            Self::NoStore => "nothing; only the answers could be checked",
            Self::Mitmdump => {
                "requests and answers, not synced; it checks no signature and cannot tell copies, all are there"
            }
            Self::Webhook => {
                "an id a line, appended by the command and not synced; it cannot tell copies, all are there"
            }
            Self::Svix => "events by its own API, committed and synced; each event once",
        }
    }

    /// How many of `arrivals` it gets: those that take long get fewer, so that a round ends in minutes.
    pub(crate) const fn share(self, arrivals: usize) -> usize {
        match self {
            Self::Python => arrivals.div_ceil(4),
            Self::Svix => arrivals.div_ceil(4),
            Self::Mitmdump => arrivals.div_ceil(10),
            Self::Webhook => arrivals.div_ceil(20),
            _ => arrivals,
        }
    }

    /// True if the open loop says something of it: whoever is compared by its slowest answers.
    pub(crate) const fn paced(self) -> bool {
        matches!(self, Self::Reprise | Self::Node | Self::NodeWide)
    }

    /// What it lacks here, if anything.
    pub(crate) fn lacks(self, plan: &Plan) -> Option<String> {
        let mut version = match self {
            Self::Big if plan.log.is_none() => return Some("--log names no log".to_owned()),
            Self::Python => match &plan.python {
                Some(programs) => Command::new(programs.join("gunicorn")),
                None => return Some("--python names no folder with gunicorn".to_owned()),
            },
            Self::RedisAlways | Self::RedisEverysec => Command::new("redis-server"),
            Self::Mitmdump => Command::new("mitmdump"),
            Self::Webhook => Command::new("webhook"),
            Self::Svix => match env::var_os(svix::VARIABLE) {
                Some(program) => Command::new(program),
                None => return Some(format!("{} names no program", svix::VARIABLE)),
            },
            _ => return None,
        };
        let flag = if self == Self::Webhook { "-version" } else { "--version" };
        run(version.arg(flag)).err().map(|cause| cause.to_string())
    }
}

//! The receivers that are compared. Each round starts them with nothing stored, and asks them afterwards what they
//! hold.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use serde::Deserialize;

use crate::{
    Outcome,
    load::Target,
    postgres::Postgres,
    process::{Process, run},
};

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Peer {
    /// `reprise listen`, release build.
    Reprise,
    /// Pozy's recipe on Node and PostgreSQL: peers/node-recipe.mjs.
    Node,
    /// The same with a database connection for every sender: more commits share an fsync.
    NodeWide,
}

impl Peer {
    pub(crate) const ALL: [Self; 3] = [Self::Reprise, Self::Node, Self::NodeWide];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Reprise => "Reprise",
            Self::Node => "Node + PostgreSQL",
            Self::NodeWide => "Node + PostgreSQL, pool of 64",
        }
    }
}

/// A receiver that takes deliveries.
pub(crate) struct Receiver<'a> {
    peer: Peer,
    process: Process,
    /// Where Reprise keeps its log in this round.
    data: PathBuf,
    postgres: &'a Postgres,
    pub(crate) target: Target,
}

impl<'a> Receiver<'a> {
    /// Starts `peer` with an empty store; Reprise's is in `data`, which must not exist.
    pub(crate) fn start(peer: Peer, data: &Path, postgres: &'a Postgres, secret: &str) -> Outcome<Self> {
        let mut command = match peer {
            Peer::Reprise => {
                let mut command = reprise(data);
                command.args(["listen", "--on", "127.0.0.1:0"]);
                command
            }
            Peer::Node | Peer::NodeWide => {
                let mut command = Command::new("node");
                command.arg("--no-warnings").arg("tests/bench/peers/node-recipe.mjs").env("NODE_ENV", "production");
                if peer == Peer::NodeWide {
                    command.env("RECIPE_POOL", "64");
                }
                postgres.connect(&mut command);
                command
            }
        };
        let (process, address) = Process::start_receiver(command.env("POZY_WEBHOOK_SECRET", secret))?;
        let (authority, path) = address
            .strip_prefix("http://")
            .and_then(|rest| rest.split_once('/'))
            .ok_or_else(|| format!("{address} is no address of a receiver"))?;
        let target = Target { authority: authority.to_owned(), path: format!("/{path}"), secret: secret.to_owned() };
        Ok(Self { peer, process, data: data.to_owned(), postgres, target })
    }

    /// Compares what the receiver holds with what it accepted: every event of `sent` once, and every copy known as one.
    /// Reads beside the running receiver.
    ///
    /// # Errors
    /// If an arrival is lost, counted twice, or stands as what it is not.
    pub(crate) fn check(&mut self, sent: &HashMap<String, usize>) -> Outcome<()> {
        self.process.still_runs()?;
        let held = match self.peer {
            Peer::Reprise => held_by_reprise(&self.data)?,
            // The recipe keeps no arrivals, only ids: each must be there once, and nothing else.
            Peer::Node | Peer::NodeWide => {
                let ids = self.postgres.ask("SELECT id FROM pozy_events")?;
                let row = |id: String| {
                    let times = sent.get(&id).copied().unwrap_or(0);
                    (id, times)
                };
                ids.into_iter().map(row).collect()
            }
        };
        let (rows, copies) = count(&held);
        let (wanted_rows, wanted_copies) = count(sent);
        if held == *sent {
            return Ok(());
        }
        let lost = sent.iter().filter(|(id, times)| held.get(*id).copied().unwrap_or(0) < **times).count();
        Err(format!(
            "{} holds {rows} arrivals with {copies} copies instead of {wanted_rows} with {wanted_copies}; {lost} events fall short",
            self.peer.name()
        )
        .into())
    }

    /// Processor time of the receiver and its store so far.
    pub(crate) fn cpu(&self) -> Outcome<Duration> {
        let own = self.process.cpu()?;
        match self.peer {
            Peer::Reprise => Ok(own),
            Peer::Node | Peer::NodeWide => Ok(own + self.postgres.cpu()?),
        }
    }

    pub(crate) async fn stop(self) -> Outcome<()> {
        self.process.stop("TERM").await
    }
}

/// Arrivals and copies among them.
fn count(arrivals_of_events: &HashMap<String, usize>) -> (usize, usize) {
    let arrivals = arrivals_of_events.values().sum();
    (arrivals, arrivals - arrivals_of_events.len())
}

fn reprise(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
    command.arg("--json").arg("--data").arg(data);
    command
}

/// A line of `reprise arrivals --json`, as far as it matters here.
#[derive(Deserialize)]
struct Row {
    event: Option<String>,
    standing: String,
    copy: usize,
}

/// How many arrivals of each event the log holds.
fn held_by_reprise(data: &Path) -> Outcome<HashMap<String, usize>> {
    let lines = run(reprise(data).arg("arrivals"))?;
    let mut held: HashMap<String, usize> = HashMap::new();
    let mut firsts = 0_usize;
    for line in lines.lines() {
        let row: Row = serde_json::from_str(line)?;
        let event = row.event.ok_or("an arrival without an event")?;
        match (row.standing.as_str(), row.copy) {
            ("first", 1) => firsts += 1,
            ("duplicate", 2..) => {}
            (standing, copy) => return Err(format!("{event} stands as {standing} {copy}").into()),
        }
        *held.entry(event).or_insert(0) += 1;
    }
    if firsts == held.len() { Ok(held) } else { Err(format!("{firsts} firsts of {} events", held.len()).into()) }
}

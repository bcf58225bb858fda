//! How fast arrivals are received: `reprise listen` beside the recipes of Pozy's documentation and other receivers, on one
//! machine, in one run. Started by tests/bench/ingest.sh; progress goes to standard error, the report in Markdown to
//! standard output.
//!
//! Never part of the tests: times are compared by people, and only as ratios of what ran side by side. What a run
//! does assert is that nothing was lost and no copy was counted as an event.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

mod budgets;
mod copy;
mod dice;
mod drive;
mod figures;
mod held;
mod lines;
mod load;
mod machine;
mod ours;
mod peers;
mod postgres;
mod process;
mod reading;
mod receiver;
mod redis;
mod report;
mod screens;
mod sender;
mod svix;
mod texts;

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use clap::Parser;
use reprise_core::clock::Clock;

use crate::{
    copy::copy_log,
    dice::Dice,
    drive::{Drive, Pace, drive},
    held::Held,
    load::{Load, Target},
    peers::Peer,
    postgres::Postgres,
    process::run,
    reading::Reading,
    receiver::Receiver,
    report::{Report, Round},
};

pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

/// A receiver that was just started has done what it does by itself after so long.
const SETTLED: Duration = Duration::from_secs(1);

/// What is run.
#[derive(Parser)]
#[command(about = "Compares receivers of webhooks: Reprise, Pozy's recipes on Node and Python, and others")]
pub(crate) struct Plan {
    /// Rounds; each runs every receiver once, in shuffled order
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Arrivals in the closed loop of a round; receivers that take long get a part of them
    #[arg(long, default_value_t = 10_000)]
    arrivals: usize,
    /// Copies in a hundred arrivals
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u8).range(0..=50))]
    copies: u8,
    /// Keep-alive connections
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// Arrivals a second in the open loop
    #[arg(long, default_value_t = 300)]
    per_second: u32,
    /// Length of the open loop
    #[arg(long, default_value_t = 10)]
    open_seconds: u32,
    /// Arrivals before anything is timed
    #[arg(long, default_value_t = 2_000)]
    warm_up: usize,
    /// The same seed gives the same arrivals in the same order; not one that a long log was filled with, which would know them
    #[arg(long, default_value_t = 590_173_002)]
    seed: u64,
    /// Run these receivers alone
    #[arg(long, value_delimiter = ',')]
    only: Vec<Peer>,
    /// Leave out reading beside receiving
    #[arg(long)]
    no_reading: bool,
    /// Folder of a long log; arrivals are also received into a copy of it, and reading is measured on it
    #[arg(long)]
    log: Option<PathBuf>,
    /// Folder with gunicorn, Flask and psycopg
    #[arg(long)]
    python: Option<PathBuf>,
    /// Write the budgets that this run tells of into this file
    #[arg(long)]
    budgets: Option<PathBuf>,
    /// Folder with initdb, postgres and psql
    #[arg(long)]
    postgres: PathBuf,
    /// An empty folder on the disk that is measured; both stores are made in it
    #[arg(long)]
    folder: PathBuf,
    /// Given by `cargo bench`; says nothing
    #[arg(long, hide = true)]
    bench: bool,
}

impl Plan {
    /// The program that is measured.
    pub(crate) fn program(&self) -> PathBuf {
        env::var_os("REPRISE").map_or_else(|| env!("CARGO_BIN_EXE_reprise").into(), PathBuf::from)
    }

    /// A command of Reprise's on the log in `data`.
    pub(crate) fn reprise(&self, data: &Path) -> Command {
        let mut command = Command::new(self.program());
        command.arg("--json").arg("--data").arg(data);
        // Nothing of a run lands among the logs of whoever starts it.
        for variable in ["XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
            command.env(variable, self.folder.join("home"));
        }
        command
    }

    /// Where the copy of the long log lies.
    pub(crate) fn copied_log(&self) -> PathBuf {
        self.folder.join("long")
    }

    fn wants(&self, peer: Peer) -> bool {
        self.only.is_empty() || self.only.contains(&peer)
    }
}

fn main() -> Outcome<()> {
    // The same program is also the receivers of our own that Reprise is compared with, the sender of the window's benchmark,
    // and what writes the file of the import's.
    if let Ok(kind) = env::var(ours::VARIABLE) {
        return ours::run(&kind);
    }
    if let Ok(bytes) = env::var(lines::VARIABLE) {
        return lines::write(bytes.parse()?);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    match env::var(sender::VARIABLE) {
        Ok(address) => runtime.block_on(sender::send(&address)),
        Err(_) => runtime.block_on(compare(&Plan::parse())),
    }
}

async fn compare(plan: &Plan) -> Outcome<()> {
    let clock = Clock::wall();
    let load_before = machine::load()?;
    let mut here = Vec::new();
    let mut left_out = Vec::new();
    for peer in Peer::ALL.into_iter().filter(|&peer| plan.wants(peer)) {
        match peer.lacks(plan) {
            None => here.push(peer),
            Some(why) => {
                eprintln!("left out: {}: {why}", peer.name());
                left_out.push((peer, why));
            }
        }
    }
    if let Some(log) = &plan.log {
        copy_log(log, &plan.copied_log())?;
    }
    let postgres = Postgres::start(&plan.postgres, &plan.folder.join("postgres"), &clock.new_id()).await?;
    let mut dice = Dice::new(plan.seed);
    let (mut rounds, mut readings) = (Vec::new(), Vec::new());
    for round in 1..=plan.rounds {
        // None is reading beside receiving, which takes its turn among the others.
        let mut order: Vec<Option<Peer>> = here.iter().copied().map(Some).collect();
        if !plan.no_reading {
            order.push(None);
        }
        dice.shuffle(&mut order);
        for peer in order {
            match peer {
                Some(peer) => {
                    let done = one_round(plan, &clock, &mut dice, &postgres, peer, round).await?;
                    told(plan, &done);
                    rounds.push(done);
                }
                None => readings.push(one_reading(plan, &clock, &mut dice, round).await?),
            }
        }
    }
    postgres.stop().await?;

    let versions = versions(plan, &here)?;
    let day = clock.now().utc().format("%Y-%m-%d").to_string();
    let report = Report { plan, rounds, readings, left_out, versions, day, load_before };
    println!("{}", report.text()?.trim_end());
    if let Some(file) = &plan.budgets {
        fs::write(file, report.budgets())?;
    }
    Ok(())
}

/// One line of progress.
fn told(plan: &Plan, done: &Round) {
    let open = done
        .open
        .as_ref()
        .map_or(String::new(), |open| format!("; at {}/s p99 {:?}, worst {:?}", plan.per_second, open.p99, open.worst));
    eprintln!(
        "round {} of {}, {}: {:.0} arrivals/s, p99 {:?}, worst {:?}{open}",
        done.round,
        plan.rounds,
        done.peer.name(),
        done.closed.rate,
        done.closed.p99,
        done.closed.worst
    );
}

/// Starts `peer` anew, warms it up, drives its loops, and compares what it holds with what it accepted.
async fn one_round(
    plan: &Plan,
    clock: &Clock,
    dice: &mut Dice,
    postgres: &Postgres,
    peer: Peer,
    round: usize,
) -> Outcome<Round> {
    let secret = clock.new_id();
    let folder = plan.folder.join(format!("{round}-{peer:?}"));
    let receiver = Receiver::start(plan, peer, &folder, postgres, &secret).await?;
    tokio::time::sleep(SETTLED).await;
    let idle_memory = receiver.memory()?;

    let mut sent = Held::default();
    let mut part = async |arrivals: usize, pace: Pace| -> Outcome<Drive> {
        let load = Load::new(dice, &receiver.target, arrivals, plan.copies.into(), clock.now())?;
        let drive = drive(&receiver.target, &load.requests, plan.connections, pace).await?;
        if drive.accepted != arrivals {
            return Err(format!("{} accepted {} of {arrivals} arrivals", peer.name(), drive.accepted).into());
        }
        sent.0.extend(load.sent);
        Ok(drive)
    };
    part(peer.share(plan.warm_up), Pace::Closed).await?;
    let before = receiver.cpu()?;
    let arrivals = peer.share(plan.arrivals);
    let closed = part(arrivals, Pace::Closed).await?;
    let cpu = receiver.cpu()?.saturating_sub(before) / u32::try_from(arrivals)?;
    let open = if peer.paced() {
        Some(part(usize::try_from(plan.per_second * plan.open_seconds)?, Pace::Open(plan.per_second)).await?)
    } else {
        None
    };

    let (started, peak_memory) = (receiver.started, receiver.peak_memory()?);
    receiver.finish(&sent).await?;
    fs::remove_dir_all(&folder)?;
    Ok(Round { peer, round, closed, open, cpu, started, idle_memory, peak_memory })
}

async fn one_reading(plan: &Plan, clock: &Clock, dice: &mut Dice, round: usize) -> Outcome<Reading> {
    let folder = plan.folder.join(format!("{round}-reading"));
    let loads = |target: &Target, arrivals: usize| Load::new(dice, target, arrivals, plan.copies.into(), clock.now());
    let done = reading::round(plan, loads, &folder, &clock.new_id(), round.is_multiple_of(2)).await?;
    eprintln!(
        "round {round} of {}, reading beside receiving: p95 of a page {:?} idle, {:?} at full rate; {:.0} arrivals/s with no reader, {:.0} with one",
        plan.rounds, done.idle, done.busy, done.alone, done.beside
    );
    Ok(done)
}

/// What the peers that ran call themselves.
fn versions(plan: &Plan, here: &[Peer]) -> Outcome<Vec<String>> {
    let mut versions = Vec::new();
    let mut ask = |command: &mut Command, flag: &str, name: &str| -> Outcome<()> {
        let said = run(command.arg(flag))?;
        versions.push(format!("{name}{}", said.lines().next().unwrap_or_default().trim()));
        Ok(())
    };
    let any = |peers: &[Peer]| here.iter().any(|peer| peers.contains(peer));
    if any(&[Peer::Node, Peer::NodeWide, Peer::Python, Peer::Svix]) {
        ask(&mut Command::new(plan.postgres.join("postgres")), "--version", "")?;
    }
    if any(&[Peer::Node, Peer::NodeWide]) {
        ask(&mut Command::new("node"), "--version", "Node ")?;
    }
    if let Some(python) = plan.python.as_ref().filter(|_| any(&[Peer::Python])) {
        ask(&mut Command::new(python.join("python")), "--version", "")?;
        ask(&mut Command::new(python.join("gunicorn")), "--version", "")?;
    }
    if any(&[Peer::RedisAlways, Peer::RedisEverysec]) {
        ask(&mut Command::new("redis-server"), "--version", "")?;
    }
    if any(&[Peer::Mitmdump]) {
        ask(&mut Command::new("mitmdump"), "--version", "")?;
    }
    if any(&[Peer::Webhook]) {
        ask(&mut Command::new("webhook"), "-version", "")?;
    }
    Ok(versions)
}

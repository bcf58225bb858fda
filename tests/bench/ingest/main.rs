//! How fast arrivals are received: `reprise listen` beside the recipe of Pozy's documentation on Node and PostgreSQL,
//! on one machine, in one run. Started by tests/bench/ingest.sh; progress goes to standard error, the report in
//! Markdown to standard output.
//!
//! Never part of the tests: times are compared by people, and only as ratios of what ran side by side. What a run
//! does assert is that nothing was lost and no copy was counted as an event.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

mod dice;
mod drive;
mod load;
mod peers;
mod postgres;
mod process;
mod report;
mod texts;

use std::{collections::HashMap, error::Error, fs, path::PathBuf, process::Command};

use clap::Parser;
use reprise_core::clock::Clock;

use crate::{
    dice::Dice,
    drive::{Drive, Pace, drive},
    load::Load,
    peers::{Peer, Receiver},
    postgres::Postgres,
    process::run,
    report::{Round, report},
};

pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

/// What is run.
#[derive(Parser)]
#[command(about = "Compares receivers of webhooks: Reprise, and Pozy's recipe on Node and PostgreSQL")]
pub(crate) struct Plan {
    /// Rounds; each runs every receiver once, in shuffled order
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Arrivals in the closed loop of a round
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
    /// The same seed gives the same arrivals in the same order
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Run this receiver alone, to look at it closely
    #[arg(long)]
    only: Option<Peer>,
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

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let plan = Plan::parse();
    let clock = Clock::wall();
    let load_before = fs::read_to_string("/proc/loadavg")?;
    let load_before = load_before.split(' ').take(3).collect::<Vec<_>>().join(" ");

    let postgres = Postgres::start(&plan.postgres, &plan.folder.join("postgres"), &clock.new_id()).await?;
    let mut dice = Dice::new(plan.seed);
    let mut rounds = Vec::new();
    for round in 1..=plan.rounds {
        let mut order = Peer::ALL;
        dice.shuffle(&mut order);
        for peer in order.into_iter().filter(|&peer| plan.only.is_none_or(|only| only == peer)) {
            let done = one_round(&plan, &clock, &mut dice, &postgres, peer, round).await?;
            eprintln!(
                "round {round} of {}, {}: {:.0} arrivals/s, p99 {:?}, worst {:?}; at {}/s p99 {:?}, worst {:?}",
                plan.rounds,
                peer.name(),
                done.closed.rate,
                done.closed.p99,
                done.closed.worst,
                plan.per_second,
                done.open.p99,
                done.open.worst
            );
            rounds.push(done);
        }
    }
    postgres.stop().await?;

    let version = run(Command::new(plan.postgres.join("postgres")).arg("--version"))?;
    let day = clock.now().utc().format("%Y-%m-%d").to_string();
    println!("{}", report(&plan, &rounds, &version, &day, &load_before)?.trim_end());
    Ok(())
}

/// Starts `peer` anew, warms it up, drives both loops, and compares what it holds with what it accepted.
async fn one_round(
    plan: &Plan,
    clock: &Clock,
    dice: &mut Dice,
    postgres: &Postgres,
    peer: Peer,
    round: usize,
) -> Outcome<Round> {
    let secret = clock.new_id();
    let data = plan.folder.join(format!("reprise-{round}"));
    let mut receiver = Receiver::start(peer, &data, postgres, &secret)?;

    let mut sent = HashMap::new();
    let mut part = async |arrivals: usize, pace: Pace| -> Outcome<Drive> {
        let load = Load::new(dice, &receiver.target, arrivals, plan.copies.into(), clock.now())?;
        let drive = drive(&receiver.target.authority, &load.requests, plan.connections, pace).await?;
        if drive.accepted != arrivals {
            return Err(format!("{} accepted {} of {arrivals} arrivals", peer.name(), drive.accepted).into());
        }
        sent.extend(load.sent);
        Ok(drive)
    };
    part(plan.warm_up, Pace::Closed).await?;
    let before = receiver.cpu()?;
    let closed = part(plan.arrivals, Pace::Closed).await?;
    let cpu = receiver.cpu()?.saturating_sub(before) / u32::try_from(plan.arrivals)?;
    let open = part(usize::try_from(plan.per_second * plan.open_seconds)?, Pace::Open(plan.per_second)).await?;

    receiver.check(&sent)?;
    receiver.stop().await?;
    Ok(Round { peer, round, closed, open, cpu })
}

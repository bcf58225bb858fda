//! Fills a log with arrivals as Pozy makes them, for the benchmarks that need a long one: what the receiver's handler and
//! its writing thread do, without the wire between them and with larger transactions. Started by tests/bench/data.sh.
//!
//! One arrival in five is a copy, one event in twenty comes late, and one arrival in ten is imported, from the time
//! before the receiver was there; answers are noted as the receiver notes them.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

#[path = "../ingest/dice.rs"]
mod dice;
#[allow(dead_code, reason = "requests on the wire are for the other benchmark")]
#[path = "../ingest/load.rs"]
mod load;
#[path = "../ingest/texts.rs"]
mod texts;

use std::{error::Error, path::PathBuf, sync::mpsc::sync_channel, thread};

use clap::Parser;
use reprise_core::{
    clock::{Clock, Moment},
    ids::{ImportId, SessionId},
    inbound::{
        arrival::{Arrival, Channel, Content, Request, Told},
        record::{record, record_answer},
        rejudge::rejudge_if_outdated,
        verify::Verified,
    },
    pozy::contract::Contract,
    store::{
        Store, arrivals,
        search_fill::{Filler, Pace},
        sessions,
    },
};

use crate::{dice::Dice, load::Event};

pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

/// Events made at a time; their copies are among them.
const CHUNK: usize = 20_000;
/// Arrivals in one transaction.
const SLICE: usize = 2_000;
/// Arrivals a second of the log's own time, on average.
const PER_SECOND: i64 = 4;
/// How long the receiver's answers took, milliseconds.
const TOOK_MS: i64 = 12;

/// What is made.
#[derive(Parser)]
#[command(about = "Fills a log with arrivals for the benchmarks")]
struct Plan {
    /// Arrivals; 0 only fills the index of words of a log that is there
    #[arg(long)]
    arrivals: usize,
    /// The data folder; it may hold a log already
    #[arg(long)]
    data: PathBuf,
    /// The same seed gives the same arrivals
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// Given by `cargo bench`; says nothing
    #[arg(long, hide = true)]
    bench: bool,
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let plan = Plan::parse();
    let store = Store::open(&plan.data).await?;
    let contract = std::sync::Arc::new(Contract::shipped("pozy")?);
    // An empty log is judged by the rules of today, and so is every arrival below: opening it later judges nothing anew.
    rejudge_if_outdated(&store, &contract).await?;
    if plan.arrivals > 0 {
        fill(&plan, &store, &contract).await?;
    }
    index(&store).await?;
    store.close().await;
    println!("{}", plan.arrivals);
    Ok(())
}

/// Records the arrivals.
async fn fill(plan: &Plan, store: &Store, contract: &std::sync::Arc<Contract>) -> Outcome<()> {
    let now = Clock::wall().now();
    let length_ms = i64::try_from(plan.arrivals)? * 1_000 / PER_SECOND;
    let begin = now.plus_millis(-length_ms);
    let session = store.write(move |log| sessions::begin(log, "127.0.0.1:8787", None, begin)).await?;
    let import = store.write(move |log| arrivals::new_import(log, now, "older.jsonl")).await?;

    let (give, take) = sync_channel::<Vec<Arrival>>(2);
    let (arrivals, seed, law) = (plan.arrivals, plan.seed, std::sync::Arc::clone(contract));
    let making = thread::spawn(move || -> Result<(), String> {
        let mut dice = Dice::new(seed);
        let mut made = 0;
        while made < arrivals {
            let part = made_at(begin, made);
            let slice = chunk(&mut dice, (arrivals - made).min(CHUNK), part, session, import, &law)
                .map_err(|cause| cause.to_string())?;
            made += slice.len();
            if give.send(slice).is_err() {
                return Ok(());
            }
        }
        Ok(())
    });
    let since = Clock::stopwatch();
    let mut done = 0;
    while let Ok(chunk) = take.recv() {
        let mut chunk = chunk.into_iter();
        loop {
            let slice: Vec<Arrival> = chunk.by_ref().take(SLICE).collect();
            if slice.is_empty() {
                break;
            }
            done += slice.len();
            let contract = std::sync::Arc::clone(contract);
            store
                .write(move |log| {
                    for arrival in &slice {
                        let recorded = record(log, arrival, &contract)?;
                        if matches!(arrival.channel, Channel::Live(_)) {
                            let left = arrival.at.plus_millis(TOOK_MS);
                            record_answer(log, recorded.seq, Some(left), Some(TOOK_MS), &contract)?;
                        }
                    }
                    Ok(())
                })
                .await?;
        }
        if done % 200_000 < CHUNK {
            eprintln!("{done} arrivals, {} a second", i64::try_from(done)? * 1_000 / since.ms().max(1));
        }
    }
    making.join().map_err(|_| "making arrivals was cut short")??;
    store.write(move |log| sessions::end(log, session, now)).await?;
    Ok(())
}

/// Fills the index of words as far as the log goes. Nobody else writes, so it goes in few large parts.
async fn index(store: &Store) -> Outcome<()> {
    const PACE: Pace = Pace { rows: 20_000, bytes: 16 << 20, ms: 10_000 };
    /// Bytes of words that are sorted in memory, and SQLite's own choice.
    const AT_ONCE: i64 = 64 << 20;
    const USUAL: i64 = 1 << 20;
    let sorts = |bytes: i64| {
        store.write(move |log| {
            log.execute("INSERT INTO message_index (message_index, rank) VALUES ('hashsize', ?)", [bytes])?;
            Ok(())
        })
    };
    sorts(AT_ONCE).await?;
    let mut filler = Filler::new(PACE);
    while filler.slice(store).await? {}
    sorts(USUAL).await?;
    Ok(())
}

/// Where the log's time stands after so many arrivals.
fn made_at(begin: Moment, made: usize) -> Moment {
    begin.plus_millis(i64::try_from(made).unwrap_or(i64::MAX) * 1_000 / PER_SECOND)
}

/// The next `wanted` arrivals in the order in which they are recorded.
fn chunk(
    dice: &mut Dice,
    wanted: usize,
    from: Moment,
    session: SessionId,
    import: ImportId,
    contract: &Contract,
) -> Outcome<Vec<Arrival>> {
    let copies = wanted / 5;
    let span_ms = i64::try_from(wanted)? * 1_000 / PER_SECOND;
    let events = load::events(dice, wanted - copies, from, span_ms)?;
    let mut came: Vec<(Moment, usize)> = Vec::with_capacity(wanted);
    for (n, event) in events.iter().enumerate() {
        let late = if dice.percent(5) { dice.below(60_000) } else { 0 };
        came.push((event.happened.plus_millis(i64::try_from(350 + dice.below(900) + late)?), n));
    }
    for _ in 0..copies {
        let (at, n) = came[dice.below(events.len())];
        let after = if dice.percent(50) { 5_000 } else { 300_000 };
        came.push((at.plus_millis(i64::try_from(1 + dice.below(after))?), n));
    }
    came.sort_unstable();
    came.into_iter()
        .map(|(at, n)| arrival(&events[n], at, dice.percent(10).then_some(import), session, contract))
        .collect()
}

fn arrival(
    event: &Event,
    at: Moment,
    import: Option<ImportId>,
    session: SessionId,
    contract: &Contract,
) -> Outcome<Arrival> {
    let headers: Vec<(String, String)> = [
        ("host", "127.0.0.1:8787"),
        ("user-agent", "Pozy-Webhooks/1.0"),
        ("accept", "*/*"),
        ("content-type", "application/json"),
        ("x-pozy-event", event.name),
        ("x-pozy-event-id", event.id.as_str()),
        // As long as a signature, and no less random.
        ("x-pozy-signature", &format!("{}{}", event.id.replace('-', ""), event.id.replace('-', ""))),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .to_vec();
    let mut request =
        Request { at, endpoint: "pozy", headers: &headers, body: Some(&event.body), verified: Verified::Valid };
    let arrival = match import {
        Some(import) => {
            // A month before the receiver was there.
            request.at = at.plus_seconds(-30 * 86_400);
            Arrival::imported(
                import,
                &request,
                Told { answer: Some(204), took_ms: Some(TOOK_MS), verified_later: false },
                contract,
            )
        }
        None => Arrival::live(session, &request, contract),
    };
    match arrival.content {
        Content::Event(_) => Ok(arrival),
        _ => Err(format!("{} is no event", event.id).into()),
    }
}

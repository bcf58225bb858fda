//! How soon the screens have what they show, on a given log: each call that they make, through `reprise serve` and
//! through the library, beside a scan by SQL of the same file. Started by tests/bench/read.sh; progress goes to standard
//! error, the report in Markdown to standard output.
//!
//! Never part of the tests: times are compared by people, and only as ratios of what ran side by side.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

#[path = "../ingest/budgets.rs"]
#[expect(dead_code, reason = "the ingest benchmark uses the rest")]
mod budgets;
mod calls;
#[path = "../ingest/copy.rs"]
mod copy;
#[path = "../ingest/dice.rs"]
#[expect(dead_code, reason = "the ingest benchmark uses the rest")]
mod dice;
#[path = "../ingest/figures.rs"]
mod figures;
#[path = "../ingest/machine.rs"]
mod machine;
#[path = "../ingest/process.rs"]
#[expect(dead_code, reason = "the ingest benchmark uses the rest")]
mod process;
mod report;
mod scan;
#[path = "../ingest/screens.rs"]
#[expect(dead_code, reason = "the ingest benchmark uses the rest")]
mod screens;

use std::{
    collections::BTreeMap,
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use clap::Parser;
use reprise_core::{
    clock::Clock,
    desk::{Desk, Options, Runs},
};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{
    calls::{Asked, Log},
    copy::copy_log,
    dice::Dice,
    process::Process,
    report::Report,
    scan::Scans,
    screens::Screens,
};

pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

/// The index of words is waited for this long; what it does not hold by then is said.
const INDEX_WITHIN: Duration = Duration::from_secs(3_600);
const LOOK: Duration = Duration::from_millis(500);
/// Starts from a file of which nothing is in memory.
const COLD_STARTS: usize = 5;
const DROP_CACHES: &str = "/proc/sys/vm/drop_caches";

/// What is run.
#[derive(Parser)]
#[command(about = "Times what the screens ask of a log")]
pub(crate) struct Plan {
    /// Folder of the log; a copy is read
    #[arg(long)]
    pub(crate) log: PathBuf,
    /// Folder of a short log, to compare memory with
    #[arg(long)]
    small: Option<PathBuf>,
    /// How often each question is asked
    #[arg(long, default_value_t = 200)]
    pub(crate) rounds: usize,
    /// How often SQL scans
    #[arg(long, default_value_t = 3)]
    scans: usize,
    /// The same seed asks the same
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Leave out the cold starts, which take the whole computer's page cache away and need root
    #[arg(long)]
    no_cold: bool,
    /// An empty folder on the disk that is measured
    #[arg(long)]
    folder: PathBuf,
    /// Write the budgets that this run tells of into this file
    #[arg(long)]
    budgets: Option<PathBuf>,
    /// Given by `cargo bench`; says nothing
    #[arg(long, hide = true)]
    bench: bool,
}

/// How long each question took, by its number in [`calls::QUESTIONS`].
pub(crate) type Times = BTreeMap<usize, Vec<Duration>>;

/// Who answers.
enum Door {
    Http(Screens),
    Library(Box<Desk>),
}

impl Door {
    async fn ask(&mut self, name: &str, args: Value) -> Outcome<(Duration, Value)> {
        match self {
            Self::Http(screens) => {
                let answer = screens.call(name, &args).await?;
                Ok((answer.took, answer.json()?))
            }
            Self::Library(desk) => {
                let begun = Instant::now();
                let answer = desk.call(name, args).await?;
                Ok((begun.elapsed(), answer))
            }
        }
    }
}

fn main() -> Outcome<()> {
    // As the programs themselves run.
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(read(&Plan::parse()))
}

async fn read(plan: &Plan) -> Outcome<()> {
    let load_before = machine::load()?;
    let data = plan.folder.join("log");
    copy_log(&plan.log, &data)?;
    let mut dice = Dice::new(plan.seed);

    let (mut process, mut door) = serve(plan, &data).await?;
    let indexed = wait_for_index(&mut door).await?;
    let log = Log::of(&mut door, &data).await?;
    let questions = calls::questions(&mut dice, &log, plan.rounds);
    eprintln!("{} questions over HTTP", questions.len());
    let http = ask(&mut door, &questions).await?;
    let memory = process.memory()?;
    process.still_runs()?;
    drop(door);
    process.stop("TERM").await?;
    // Ending, the program has moved everything into the one file.
    let file = fs::metadata(data.join("reprise.db"))?.len();

    eprintln!("the same through the library");
    let mut door = Door::Library(Box::new(open(plan, &data).await?));
    let library = ask(&mut door, &questions).await?;
    if let Door::Library(desk) = door {
        desk.close().await;
    }

    eprintln!("the same by SQL");
    let scans = Scans::of(&data, &log, &mut dice, plan.scans)?;
    let small_memory = match &plan.small {
        Some(small) => Some(memory_of(plan, small, &mut dice).await?),
        None => None,
    };
    let cold = if plan.no_cold { Err("left out") } else { cold(plan, &data).await? };

    let day = Clock::wall().now().utc().format("%Y-%m-%d").to_string();
    let report =
        Report { plan, log, file, http, library, scans, indexed, memory, small_memory, cold, day, load_before };
    println!("{}", report.text()?.trim_end());
    if let Some(file) = &plan.budgets {
        fs::write(file, report.budgets())?;
    }
    Ok(())
}

/// Serves the log in `data`; receives at a port that nobody knows of.
async fn serve(plan: &Plan, data: &Path) -> Outcome<(Process, Door)> {
    let program = env::var_os("REPRISE").map_or_else(|| env!("CARGO_BIN_EXE_reprise").into(), PathBuf::from);
    let mut command = Command::new(program);
    command.arg("--json").arg("--data").arg(data).args(["serve", "--receive-on", "127.0.0.1:0"]);
    for variable in ["XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
        command.env(variable, plan.folder.join("home"));
    }
    let (process, line) = Process::start_naming(&mut command)?;
    let screens = Screens::open(line["ui"].as_str().ok_or("`reprise serve` named no link")?).await?;
    Ok((process, Door::Http(screens)))
}

async fn open(plan: &Plan, data: &Path) -> Outcome<Desk> {
    let cards = plan.folder.join("home").join("cards");
    let options = Options {
        data: data.to_owned(),
        cards,
        clock: Clock::wall(),
        given: None,
        webhook_secret: None,
        runs: Runs::Nothing,
    };
    Ok(Desk::open(options).await?)
}

/// Waits until the index of words holds the whole log; how many arrivals it lacks.
async fn wait_for_index(door: &mut Door) -> Outcome<i64> {
    let begun = Instant::now();
    loop {
        let (_, answer) = door.ask("search", json!({ "text": "nowhereatall " })).await?;
        let lacks = answer["index"]["of"].as_i64().unwrap_or(0) - answer["index"]["upto"].as_i64().unwrap_or(0);
        if lacks <= 0 || begun.elapsed() > INDEX_WITHIN {
            return Ok(lacks.max(0));
        }
        eprintln!("the index of words lacks {lacks} arrivals");
        tokio::time::sleep(LOOK).await;
    }
}

async fn ask(door: &mut Door, questions: &[Asked]) -> Outcome<Times> {
    let mut times = Times::new();
    for question in questions {
        let (took, _) = door.ask(question.name, question.args.clone()).await?;
        times.entry(question.kind).or_default().push(took);
    }
    for took in times.values_mut() {
        took.sort_unstable();
    }
    Ok(times)
}

/// Memory of the program after the same questions to another log.
async fn memory_of(plan: &Plan, log: &Path, dice: &mut Dice) -> Outcome<u64> {
    let data = plan.folder.join("small");
    copy_log(log, &data)?;
    let (process, mut door) = serve(plan, &data).await?;
    wait_for_index(&mut door).await?;
    let log = Log::of(&mut door, &data).await?;
    let questions = calls::questions(dice, &log, plan.rounds);
    ask(&mut door, &questions).await?;
    let memory = process.memory()?;
    drop(door);
    process.stop("TERM").await?;
    Ok(memory)
}

/// How long the first picture takes of a file that is nowhere in memory: what the Timeline asks before it can draw.
async fn cold(plan: &Plan, data: &Path) -> Outcome<Result<Vec<Duration>, &'static str>> {
    let mut times = Vec::new();
    for _ in 0..COLD_STARTS {
        let (process, mut door) = serve(plan, data).await?;
        process::run(&mut Command::new("sync"))?;
        if fs::write(DROP_CACHES, "3").is_err() {
            drop(door);
            process.stop("TERM").await?;
            return Ok(Err("not measured: only root may drop the page cache"));
        }
        let (status, _) = door.ask("status", json!({})).await?;
        let (map, answer) = door.ask("timeline_map", json!({ "bins": 400 })).await?;
        let end = answer["to_ms"].as_i64().unwrap_or(0);
        let span = calls::span(end, calls::HOUR_MS * 6);
        let (lanes, _) = door.ask("timeline", span).await?;
        times.push(status + map + lanes);
        drop(door);
        process.stop("TERM").await?;
    }
    Ok(Ok(times))
}

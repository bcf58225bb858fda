//! The table, in Markdown: medians over the rounds with their range, and the ratios of what ran side by side.

use std::{fmt::Write as _, fs, process::Command, time::Duration};

use crate::{Outcome, Plan, drive::Drive, peers::Peer, process::run};

/// One peer's drives in one round.
pub(crate) struct Round {
    pub(crate) peer: Peer,
    pub(crate) round: usize,
    pub(crate) closed: Drive,
    pub(crate) open: Drive,
    /// Processor time an arrival of the closed loop took the receiver and its store.
    pub(crate) cpu: Duration,
}

type Figure = (&'static str, fn(&Round) -> f64);

const CLOSED: [Figure; 5] = [
    ("arrivals/s", |round| round.closed.rate),
    ("p50 ms", |round| ms(round.closed.p50)),
    ("p99 ms", |round| ms(round.closed.p99)),
    ("worst ms", |round| ms(round.closed.worst)),
    ("CPU µs an arrival", |round| ms(round.cpu) * 1_000.0),
];
const OPEN: [Figure; 3] = [
    ("p50 ms", |round| ms(round.open.p50)),
    ("p99 ms", |round| ms(round.open.p99)),
    ("worst ms", |round| ms(round.open.worst)),
];

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// The whole report.
pub(crate) fn report(plan: &Plan, rounds: &[Round], postgres: &str, day: &str, load_before: &str) -> Outcome<String> {
    let mut text = String::new();
    writeln!(text, "# Receiving, beside the recipe of Pozy's documentation\n")?;
    writeln!(
        text,
        "Made by `tests/bench/ingest.sh` on {day}. Both receivers ran in turn on one machine, {} rounds in shuffled order, \
         each round from an empty store and after {} arrivals of warming up. Quote the ratios: absolute figures are \
         those of this machine.\n",
        plan.rounds, plan.warm_up
    )?;
    writeln!(text, "{}\n", machine(postgres, load_before)?)?;

    writeln!(
        text,
        "## Closed loop: {} arrivals over {} keep-alive connections, {} % copies\n",
        plan.arrivals, plan.connections, plan.copies
    )?;
    table(&mut text, rounds, &CLOSED)?;
    writeln!(
        text,
        "## Open loop: {} arrivals a second for {} s, {} % copies\n",
        plan.per_second, plan.open_seconds, plan.copies
    )?;
    table(&mut text, rounds, &OPEN)?;
    writeln!(
        text,
        "Each cell is the median of the rounds (lowest to highest). CPU is that of the receiver with its database, without \
         the driver. In every round and for both receivers each arrival \
         was answered 204 after its commit, and afterwards the store held every event once and knew every copy as one."
    )?;
    Ok(text)
}

fn table(text: &mut String, rounds: &[Round], figures: &[Figure]) -> Outcome<()> {
    writeln!(text, "| |{}", figures.iter().map(|(name, _)| format!(" {name} |")).collect::<String>())?;
    writeln!(text, "|---|{}", "---|".repeat(figures.len()))?;
    let of = |peer: Peer| rounds.iter().filter(move |round| round.peer == peer);
    for peer in Peer::ALL.into_iter().filter(|&peer| of(peer).next().is_some()) {
        write!(text, "| {} |", peer.name())?;
        for (_, figure) in figures {
            write!(text, " {} |", median_and_range(of(peer).map(figure).collect()))?;
        }
        writeln!(text)?;
    }
    for peer in Peer::ALL.into_iter().filter(|&peer| peer != Peer::Reprise) {
        // What ran in the same round ran under the same conditions, as far as a shared machine allows.
        let pairs: Vec<(&Round, &Round)> = of(Peer::Reprise)
            .filter_map(|ours| Some((ours, of(peer).find(|theirs| theirs.round == ours.round)?)))
            .collect();
        if pairs.is_empty() {
            continue;
        }
        write!(text, "| **Reprise : {}** |", peer.name())?;
        for (_, figure) in figures {
            let ratios = pairs.iter().map(|(ours, theirs)| figure(ours) / figure(theirs)).collect();
            write!(text, " **{}** |", median_and_range(ratios))?;
        }
        writeln!(text)?;
    }
    writeln!(text)?;
    Ok(())
}

fn median_and_range(mut values: Vec<f64>) -> String {
    values.sort_by(f64::total_cmp);
    let [lowest, .., highest] = values.as_slice() else {
        return values.first().map_or_else(|| "none".to_owned(), |only| digits(*only));
    };
    let middle = values.len() / 2;
    let median = if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 };
    format!("{} ({} to {})", digits(median), digits(*lowest), digits(*highest))
}

/// As many digits as the figure is worth.
fn digits(value: f64) -> String {
    match value.abs() {
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// What it ran on, as far as the system tells.
fn machine(postgres: &str, load_before: &str) -> Outcome<String> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let field = |text: &str, name: &str| {
        let row = text.lines().find(|row| row.starts_with(name)).unwrap_or_default();
        row.split_once(':').map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
    };
    let processor = field(&read("/proc/cpuinfo"), "model name");
    let cores = std::thread::available_parallelism()?;
    let memory = field(&read("/proc/meminfo"), "MemTotal");
    let kernel = read("/proc/sys/kernel/osrelease");
    let system = read("/etc/os-release");
    let system = system.lines().find_map(|row| row.strip_prefix("PRETTY_NAME=")).unwrap_or_default().trim_matches('"');
    let node = run(Command::new("node").arg("--version"))?;
    Ok(format!(
        "Machine: {cores} cores ({processor}), memory {memory}, {system}, Linux {}. Load average before the run: {load_before}. \
         The driver, both receivers and PostgreSQL share the cores. {}; Node {}; each with its default settings \
         (`fsync` and `synchronous_commit` on; 10 connections in the pool of `pg`, and 64 where the table says so). Reprise: release build, \
         `synchronous=FULL`.",
        kernel.trim(),
        postgres.trim(),
        node.trim()
    ))
}

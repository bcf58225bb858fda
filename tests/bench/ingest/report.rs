//! The tables, in Markdown: medians over the rounds with their range, and the ratios of what ran side by side.

use std::{fmt::Write as _, time::Duration};

use crate::{
    Outcome, Plan,
    budgets::{
        self,
        Limit::{AtLeast, AtMost},
    },
    drive::Drive,
    figures::{median_and_range, mib, ms},
    machine::machine,
    peers::Peer,
    reading::Reading,
};

/// One peer's drives in one round.
pub(crate) struct Round {
    pub(crate) peer: Peer,
    pub(crate) round: usize,
    pub(crate) closed: Drive,
    /// Of those whose slowest answers are compared.
    pub(crate) open: Option<Drive>,
    /// Processor time an arrival of the closed loop took the receiver and its store.
    pub(crate) cpu: Duration,
    /// From its start until it listened.
    pub(crate) started: Duration,
    /// Bytes of the receiver without its database: before anything arrived, and at most.
    pub(crate) idle_memory: u64,
    pub(crate) peak_memory: u64,
}

/// All of a run.
pub(crate) struct Report<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) rounds: Vec<Round>,
    pub(crate) readings: Vec<Reading>,
    /// Peers that could not run, and why.
    pub(crate) left_out: Vec<(Peer, String)>,
    pub(crate) versions: Vec<String>,
    pub(crate) day: String,
    pub(crate) load_before: String,
}

/// A column; none where it does not hold for a peer.
type Figure = (&'static str, fn(&Round) -> Option<f64>);

const CLOSED: [Figure; 5] = [
    ("arrivals/s", |round| Some(round.closed.rate)),
    ("p50 ms", |round| Some(ms(round.closed.p50))),
    ("p99 ms", |round| Some(ms(round.closed.p99))),
    ("worst ms", |round| Some(ms(round.closed.worst))),
    ("CPU µs an arrival", |round| Some(ms(round.cpu) * 1_000.0)),
];
const OPEN: [Figure; 3] = [
    ("p50 ms", |round| round.open.as_ref().map(|open| ms(open.p50))),
    ("p99 ms", |round| round.open.as_ref().map(|open| ms(open.p99))),
    ("worst ms", |round| round.open.as_ref().map(|open| ms(open.worst))),
];
const ITSELF: [Figure; 3] = [
    ("start to listening, ms", |round| Some(ms(round.started))),
    ("memory idle (PSS), MiB", |round| Some(mib(round.idle_memory))),
    ("memory at most (RSS), MiB", |round| Some(mib(round.peak_memory))),
];

/// Longest answer that Pozy waits for.
const POZY_WAITS_MS: f64 = 5_000.0;

impl Report<'_> {
    /// The whole report.
    pub(crate) fn text(&self) -> Outcome<String> {
        let plan = self.plan;
        let mut text = String::new();
        writeln!(text, "# Receiving\n")?;
        writeln!(
            text,
            "Made by `tests/bench/ingest.sh` on {}. All receivers ran in turn on one machine, {} rounds in shuffled order, \
             each round from an empty store and after up to {} arrivals of warming up whose ids do not come again. Quote \
             the ratios: absolute figures are those of this machine.\n",
            self.day, plan.rounds, plan.warm_up
        )?;
        writeln!(
            text,
            "Machine: {}. Load average before the run: {}. The driver, the receivers and their databases share the \
             cores. Each has its default settings (PostgreSQL: `fsync` and `synchronous_commit` on; 10 connections \
             in the pool of `pg`, 64 where the table says so; gunicorn with 5 workers of 13 threads). Reprise: \
             an answer after `fdatasync`{}. {}\n",
            machine()?,
            self.load_before,
            if cfg!(debug_assertions) { ", a debug build: not to be quoted" } else { ", release build" },
            self.versions.iter().map(|version| format!("{version}. ")).collect::<String>().trim_end()
        )?;
        writeln!(text, "## Closed loop: {} keep-alive connections, {} % copies\n", plan.connections, plan.copies)?;
        self.table(&mut text, &CLOSED)?;
        writeln!(
            text,
            "## Open loop: {} arrivals a second for {} s, {} % copies\n",
            plan.per_second, plan.open_seconds, plan.copies
        )?;
        self.table(&mut text, &OPEN)?;
        writeln!(text, "## The receiver itself, without its database\n")?;
        self.table(&mut text, &ITSELF)?;
        self.beside(&mut text)?;
        self.checked(&mut text)?;
        Ok(text)
    }

    fn of(&self, peer: Peer) -> impl Iterator<Item = &Round> {
        self.rounds.iter().filter(move |round| round.peer == peer)
    }

    /// `ours` through `theirs`, of each round in which both ran: under the same conditions, as far as a shared machine
    /// allows.
    fn ratios(&self, ours: Peer, theirs: Peer, figure: fn(&Round) -> Option<f64>) -> Vec<f64> {
        self.of(ours)
            .filter_map(|our| {
                let their = self.of(theirs).find(|their| their.round == our.round)?;
                Some(figure(our)? / figure(their)?)
            })
            .collect()
    }

    fn table(&self, text: &mut String, figures: &[Figure]) -> Outcome<()> {
        writeln!(text, "| |{}", figures.iter().map(|(name, _)| format!(" {name} |")).collect::<String>())?;
        writeln!(text, "|---|{}", "---|".repeat(figures.len()))?;
        for peer in Peer::ALL {
            let cells: Vec<Vec<f64>> =
                figures.iter().map(|(_, figure)| self.of(peer).filter_map(figure).collect()).collect();
            if cells.iter().any(|cell| !cell.is_empty()) {
                let cells: String = cells.iter().map(|cell| format!(" {} |", median_and_range(cell))).collect();
                writeln!(text, "| {} |{cells}", peer.name())?;
            }
        }
        for peer in Peer::ALL.into_iter().filter(|&peer| peer != Peer::Reprise) {
            // The long log is ours, too: what is asked is how much of the rate is left.
            let (ours, theirs) = if peer == Peer::Big { (Peer::Big, Peer::Reprise) } else { (Peer::Reprise, peer) };
            let cells: Vec<Vec<f64>> = figures.iter().map(|(_, figure)| self.ratios(ours, theirs, *figure)).collect();
            if cells.iter().any(|cell| !cell.is_empty()) {
                let cells: String = cells.iter().map(|cell| format!(" **{}** |", median_and_range(cell))).collect();
                writeln!(text, "| **{} : {}** |{cells}", ours.name(), theirs.name())?;
            }
        }
        writeln!(text)?;
        Ok(())
    }

    fn beside(&self, text: &mut String) -> Outcome<()> {
        if self.readings.is_empty() {
            return Ok(());
        }
        let all = |figure: fn(&Reading) -> f64| -> Vec<f64> { self.readings.iter().map(figure).collect() };
        writeln!(text, "## Reading beside receiving\n")?;
        writeln!(
            text,
            "One `reprise serve`{}: a client asks for a page of 50 Events every 50 ms over HTTP, walking down, while the \
             closed loop runs. Pages at full rate a round: {}.\n",
            if self.plan.log.is_some() { " on the long log" } else { "" },
            median_and_range(&all(|one| one.pages as f64))
        )?;
        writeln!(text, "| | without the other | beside it | ratio |\n|---|---|---|---|")?;
        writeln!(
            text,
            "| a page, p95 ms | {} | {} | **{}** |",
            median_and_range(&all(|one| ms(one.idle))),
            median_and_range(&all(|one| ms(one.busy))),
            median_and_range(&all(|one| ms(one.busy) / ms(one.idle)))
        )?;
        writeln!(
            text,
            "| arrivals/s | {} | {} | **{}** |\n",
            median_and_range(&all(|one| one.alone)),
            median_and_range(&all(|one| one.beside)),
            median_and_range(&all(|one| one.beside / one.alone))
        )?;
        Ok(())
    }

    fn checked(&self, text: &mut String) -> Outcome<()> {
        writeln!(
            text,
            "Each cell is the median of the rounds (lowest to highest). CPU is that of the receiver with its database, \
             without the driver. In every round each arrival was answered 204, and afterwards the store was compared with \
             what was sent:\n"
        )?;
        writeln!(text, "| | arrivals a round | what its store holds once it has answered |\n|---|---|---|")?;
        for peer in Peer::ALL.into_iter().filter(|&peer| self.of(peer).next().is_some()) {
            writeln!(text, "| {} | {} | {} |", peer.name(), peer.share(self.plan.arrivals), peer.keeps())?;
        }
        for (peer, why) in &self.left_out {
            writeln!(text, "| {} | left out | {why} |", peer.name())?;
        }
        Ok(())
    }

    /// Rows of the table of budgets.
    pub(crate) fn budgets(&self) -> String {
        let rate: fn(&Round) -> Option<f64> = |round| Some(round.closed.rate);
        let against = |peer| self.ratios(Peer::Reprise, peer, rate);
        let ours =
            |figure: fn(&Round) -> Option<f64>| -> Vec<f64> { self.of(Peer::Reprise).filter_map(figure).collect() };
        let reading = |figure: fn(&Reading) -> f64| -> Vec<f64> { self.readings.iter().map(figure).collect() };
        let row = budgets::row;
        [
            row("P1", "arrivals/s, through the Node recipe's", AtLeast(3.0), "", &against(Peer::Node)),
            row("P1", "arrivals/s, through the Python recipe's", AtLeast(15.0), "", &against(Peer::Python)),
            row(
                "P1",
                "arrivals/s, through Redis's, `appendfsync always`",
                AtLeast(1.0),
                "",
                &against(Peer::RedisAlways),
            ),
            row("P1", "arrivals/s, through svix-server's", AtLeast(10.0), "", &against(Peer::Svix)),
            row("P1", "arrivals/s, through no store's", AtLeast(0.2), "", &against(Peer::NoStore)),
            row("P1", "arrivals/s, through the journal's", AtLeast(0.45), "", &against(Peer::Journal)),
            row(
                "P2",
                "300/s: p99, through the Node recipe's",
                AtMost(1.0),
                "",
                &self.ratios(Peer::Reprise, Peer::Node, OPEN[1].1),
            ),
            row("P2", "300/s: worst answer", AtMost(POZY_WAITS_MS * 0.02), " ms", &ours(OPEN[2].1)),
            row(
                "P3",
                "arrivals/s into the long log, through an empty one's",
                AtLeast(0.5),
                "",
                &self.ratios(Peer::Big, Peer::Reprise, rate),
            ),
            row("P6", "receiver under load, at most (RSS)", AtMost(80.0), " MiB", &ours(ITSELF[2].1)),
            row("P6", "receiver idle (PSS)", AtMost(15.0), " MiB", &ours(ITSELF[1].1)),
            row(
                "P7",
                "start to listening, through the Node recipe's",
                AtMost(0.1),
                "",
                &self.ratios(Peer::Reprise, Peer::Node, ITSELF[0].1),
            ),
            row(
                "P9",
                "a page at full rate, p95, through an idle one's",
                AtMost(3.0),
                "",
                &reading(|one| ms(one.busy) / ms(one.idle)),
            ),
            row(
                "P9",
                "arrivals/s with a reader, through those without",
                AtLeast(0.85),
                "",
                &reading(|one| one.beside / one.alone),
            ),
        ]
        .concat()
    }
}

//! The tables, in Markdown.

use std::{fmt::Write as _, time::Duration};

use crate::{
    Outcome, Plan, Times,
    budgets::{self, Limit::AtMost},
    calls::{self, Log, Part},
    figures::{digits, median_and_range, mib, ms},
    machine::machine,
    scan::Scans,
};

/// All of a run.
pub(crate) struct Report<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) log: Log,
    /// Bytes of the log's file.
    pub(crate) file: u64,
    pub(crate) http: Times,
    pub(crate) library: Times,
    pub(crate) scans: Scans,
    /// Arrivals that the index of words lacked.
    pub(crate) indexed: i64,
    /// Bytes of the program after all questions.
    pub(crate) memory: u64,
    /// The same with the short log.
    pub(crate) small_memory: Option<u64>,
    /// First pictures from a cold file, or why there are none.
    pub(crate) cold: Result<Vec<Duration>, &'static str>,
    pub(crate) day: String,
    pub(crate) load_before: String,
}

/// The time within which `percent` of the sorted `took` were done.
fn share(took: &[Duration], percent: usize) -> f64 {
    let rank = (took.len() * percent).div_ceil(100).max(1);
    took.get(rank - 1).map_or(f64::NAN, |took| ms(*took))
}

impl Report<'_> {
    /// The whole report.
    pub(crate) fn text(&self) -> Outcome<String> {
        let mut text = String::new();
        writeln!(text, "# Reading: {} arrivals\n", self.log.arrivals)?;
        let indexed = match self.indexed {
            0 => "The index of words held the whole log.".to_owned(),
            lacks => format!("The index of words lacked {lacks} arrivals."),
        };
        writeln!(
            text,
            "Made by `tests/bench/read.sh` on {}. Machine: {}. Load average before the run: {}. Each question was asked {} \
             times at random places, all kinds in shuffled order, by one client that waits for each answer. {indexed} \
             {}\n",
            self.day,
            machine()?,
            self.load_before,
            self.plan.rounds,
            if cfg!(debug_assertions) { "A debug build: not to be quoted." } else { "Release build." }
        )?;
        writeln!(
            text,
            "| | over HTTP: p50 ms | p95 ms | worst ms | in the library: p50 ms | p95 ms | `GROUP BY` of the same stretch, ms | it : p50 over HTTP |"
        )?;
        writeln!(text, "|---|---|---|---|---|---|---|---|")?;
        for (kind, (name, _)) in calls::kinds().into_iter().enumerate() {
            let (http, library) = (self.took(&self.http, kind), self.took(&self.library, kind));
            // The map counts what the widest zoom counts.
            let same = if kind == calls::ZOOMS.len() { kind - 1 } else { kind };
            let scan = self.scans.0.get(same).map(|scan| share(scan, 50));
            let cell = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), digits);
            writeln!(
                text,
                "| {name} | {} | {} | {} | {} | {} | {} | {} |",
                digits(share(http, 50)),
                digits(share(http, 95)),
                digits(share(http, 100)),
                digits(share(library, 50)),
                digits(share(library, 95)),
                cell(scan),
                cell(scan.map(|scan| scan / share(http, 50)))
            )?;
        }
        writeln!(text)?;
        match &self.cold {
            Ok(times) => writeln!(
                text,
                "From a file of which nothing is in memory, the state, the map and the newest six hours: {} ms.",
                median_and_range(&times.iter().map(|took| ms(*took)).collect::<Vec<_>>())
            )?,
            Err(why) => writeln!(text, "From a file of which nothing is in memory: {why}.")?,
        }
        writeln!(
            text,
            "File: {} MiB; bodies as they came: {} MiB, those of {} arrivals. Memory of the program afterwards (PSS): {} MiB{}.",
            digits(mib(self.file)),
            digits(mib(self.log.bodies)),
            self.log.bodies_kept,
            digits(mib(self.memory)),
            self.small_memory.map_or(String::new(), |small| format!("; with the short log {} MiB", digits(mib(small))))
        )?;
        Ok(text)
    }

    fn took<'a>(&self, times: &'a Times, kind: usize) -> &'a [Duration] {
        times.get(&kind).map_or(&[], Vec::as_slice)
    }

    /// The slowest p95 over HTTP of the kinds of a part.
    fn slowest(&self, part: Part) -> f64 {
        let kinds = calls::kinds();
        let of_part = kinds.iter().enumerate().filter(|(_, (_, its))| *its == part);
        of_part.map(|(kind, _)| share(self.took(&self.http, kind), 95)).fold(0.0, f64::max)
    }

    /// Rows of the table of budgets.
    pub(crate) fn budgets(&self) -> String {
        let row = budgets::row;
        let scan = self.scans.0.last().map_or(f64::NAN, |scan| share(scan, 50));
        let timeline = self.slowest(Part::Timeline);
        let cold: Vec<f64> = self.cold.iter().flatten().map(|took| ms(*took)).collect();
        let grown: Vec<f64> = self.small_memory.iter().map(|small| self.memory as f64 / *small as f64).collect();
        let n = self.log.arrivals;
        let of = |what: &str| format!("{what} ({n} arrivals)");
        [
            row("P4", &of("Timeline, p95 of the slowest zoom"), AtMost(16.0), " ms", &[timeline]),
            row("P4", &of("that through a `GROUP BY` of the whole log"), AtMost(0.01), "", &[timeline / scan]),
            row("P4", &of("page, detail, counts: p95 of the slowest"), AtMost(16.0), " ms", &[self.slowest(Part::Row)]),
            row(
                "P4",
                &of("first page of a search: p95 of the slowest"),
                AtMost(100.0),
                " ms",
                &[self.slowest(Part::Search)],
            ),
            row("P4", &of("first picture from a cold file"), AtMost(100.0), " ms", &cold),
            row(
                "P5",
                &of("file through its raw bodies"),
                AtMost(0.3),
                "",
                &[self.file as f64 / self.log.bodies as f64],
            ),
            row("P6", &of("memory of the program, through that with a short log"), AtMost(1.1), "", &grown),
        ]
        .concat()
    }
}

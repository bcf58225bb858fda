//! Files from elsewhere, into the log or into a case of their own.

use std::{
    io::{IsTerminal as _, stderr},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use reprise_core::{
    clock::Moment,
    desk::Desk,
    error::{Error, Result},
    import::{
        columns::{ColumnField, Mapping},
        log::{self, Order, Report},
        progress::Progress,
    },
};

use serde::Serialize;

use crate::{Answer, output::Output};

/// What was typed.
pub(crate) struct Wanted {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) map: Vec<(String, ColumnField)>,
    pub(crate) zone: Option<String>,
    pub(crate) at: Option<Moment>,
    pub(crate) as_case: Option<String>,
}

/// What a file came to, with the case it went into.
#[derive(Serialize)]
struct Answered<'a> {
    #[serde(flatten)]
    report: &'a Report,
    #[serde(skip_serializing_if = "Option::is_none")]
    case: Option<Opened>,
}

#[derive(Clone, Serialize)]
struct Opened {
    name: String,
    data: String,
}

/// How often a person at a terminal is told how far it is.
const TELL: Duration = Duration::from_millis(500);

/// Reads each file into the log; a file that cannot be opened ends the command, bad lines do not. Ctrl C stops between
/// two lines: what is in stays in, and the answer is no.
pub(crate) async fn import(desk: &Desk, wanted: &Wanted, output: &mut Output) -> Result<Answer> {
    // Looked at and understood before a case is made for them. A pipe stays open, since what was taken out of it does not come
    // again; of files there may be more than can be open at once.
    let look = |file: &PathBuf| {
        let name = file.display().to_string();
        // Looks at the columns, so before a pipe's other end is waited for: of a pipe that cannot be.
        let mapping = mapping(wanted, file)?;
        let opened = log::open_stream(file, &name)?;
        let pipe = (!opened.metadata()?.is_file()).then_some(opened);
        Ok((file.clone(), name, mapping, pipe))
    };
    let looked_at: Vec<_> = wanted.files.iter().map(look).collect::<Result<_>>()?;
    let case = match &wanted.as_case {
        Some(name) => {
            let case = desk.open_new_case(name).await?;
            Some(Opened { name: case.name, data: case.folder.display().to_string() })
        }
        None => None,
    };
    let workspace = desk.workspace_for_imports().await?;
    let contract = desk.contract().await;
    let store = desk.store().await;
    for (file, name, mapping, pipe) in looked_at {
        let opened = pipe.map_or_else(|| log::open(&file, &name), Ok)?;
        let size = opened.metadata()?.len();
        let order = Order { mapping, base: wanted.at, ..Order::plain(&name, workspace) };
        let progress = Arc::new(Progress::default());
        let told = tell(Arc::clone(&progress), size);
        let report = log::import(&store, desk.clock(), &contract, order, opened, &progress).await;
        told.abort();
        let report = report?;
        output.row(&Answered { report: &report, case: case.clone() }, |answered| {
            let mut text = words(answered.report);
            if let Some(case) = &answered.case {
                text.push_str(&format!("\n  It stands in the case {}: reprise --data {} ...", case.name, case.data));
            }
            text
        })?;
        if report.stopped {
            return Ok(Answer::No);
        }
    }
    Ok(Answer::Yes)
}

/// What the columns hold: what was typed, over what their names suggest.
fn mapping(wanted: &Wanted, file: &Path) -> Result<Option<Mapping>> {
    if wanted.map.is_empty() && wanted.zone.is_none() {
        return Ok(None);
    }
    let headers = log::columns_of(file)?;
    let mut mapping = Mapping::guess(&headers);
    for (column, field) in &wanted.map {
        if !headers.contains(column) {
            return Err(Error::usage(format!(
                "{} has no column `{column}`; it has {}. Nothing of it went in.",
                file.display(),
                headers.join(", ")
            )));
        }
        mapping.columns.retain(|_, own| own != field);
        mapping.columns.insert(column.clone(), *field);
    }
    if let Some(zone) = &wanted.zone {
        mapping.zone.clone_from(zone);
    }
    match mapping.lacks() {
        Some(lacks) => Err(Error::usage(format!("{} cannot be read as a table yet: {lacks}.", file.display()))),
        None => Ok(Some(mapping)),
    }
}

/// Tells a person at a terminal how far it is and how long it takes still; listens for Ctrl C.
#[expect(clippy::print_stderr, reason = "a line that is written over and over is no row of the answer")]
fn tell(progress: Arc<Progress>, size: u64) -> tokio::task::JoinHandle<()> {
    tokio::spawn(async move {
        let watch = reprise_core::clock::Clock::stopwatch();
        let mut ticks = tokio::time::interval(TELL);
        loop {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => progress.stop(),
                _ = ticks.tick() => {
                    let reached = progress.reached();
                    let left = log::ms_left(watch.ms(), reached.bytes, size);
                    if stderr().is_terminal() && reached.waiting > 0 {
                        eprint!("\r{} lines, {} posts or messages to judge   \r", reached.read, reached.waiting);
                    } else if stderr().is_terminal() && reached.read > 0 {
                        let left = left.map_or_else(String::new, |ms| format!(", {} s left", ms / 1_000 + 1));
                        eprint!("\r{} lines, {} %{left}   \r", reached.read, reached.bytes * 100 / size.max(1));
                    }
                }
            }
        }
    })
}

fn words(report: &Report) -> String {
    let mut text = format!(
        "{}: {} read, {} added, {} known, {} bad",
        report.file, report.read, report.added, report.known, report.bad_count
    );
    if report.stopped {
        text.push_str("; stopped before its end, what is in stays in");
    }
    if report.untimed > 0 {
        text.push_str(&format!(
            "\n  {} bear no time of their own and stand at the time of the import, or of --at",
            report.untimed
        ));
    }
    for bad in &report.bad {
        text.push_str(&format!("\n  line {}: {}", bad.line, bad.why));
    }
    for finding in &report.lint {
        let (says, change) = (finding.fault.says(), finding.fault.change());
        text.push_str(&format!("\n  The client: {says} {} x. {change}", finding.count));
        for row in &finding.rows {
            text.push_str(&format!("\n    {} try {} at {}", row.job, row.n, row.at));
        }
    }
    if report.bad_count > report.bad.len() {
        text.push_str(&format!("\n  and {} more", report.bad_count - report.bad.len()));
    }
    text
}

//! A file goes into the log in three steps that run at once: one thread cuts it into lines and covers their secrets in
//! the order of the file, others understand the lines, and the writing thread puts them in, in slices short enough that
//! an arrival never waits for them (design 11). Memory holds a few thousand lines however large the file is.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Read},
    path::Path,
    sync::Arc,
};

use futures_util::{StreamExt as _, stream};
use rusqlite::Connection;
use serde::Serialize;
use tokio::{sync::mpsc, task::spawn_blocking};

use super::{
    columns::{self, ColumnField, Mapping},
    lines::Line,
    lint::{Finding, Lint},
    progress::{Counted, Progress},
    ready::{Print, Ready, Target},
    source::{self, FileKind, Look, Source, Terms},
    table,
};
use crate::{
    clock::{Clock, Moment},
    error::{Code, Error, Result},
    export,
    ids::{ImportId, WorkspaceId},
    inbound::catch_up,
    pozy::{contract::Contract, secrecy::Mask},
    store::{
        Store, arrivals,
        imports::{self, Brought},
        named,
    },
};

/// How long a slice may hold the write lock, milliseconds (design 11).
const SLICE_MS: i64 = 30;
/// Most lines handed over at once.
const MOST_LINES: usize = 512;
/// Most bytes of the file handed over at once.
const MOST_BYTES: u64 = 1 << 20;
/// Batches that are understood at the same time.
const SIDE_BY_SIDE: usize = 2;
/// Different secrets of a file that are told apart at a time; beyond, an equal one may get another number.
const MOST_SECRETS: usize = 50_000;
/// Tries judged at once.
const LINT_PAGE: u32 = 1_000;
/// Most lines named that could not be read; the rest is only counted.
const MOST_BAD: usize = 1_000;

/// A file and where it goes.
#[derive(Clone, Debug)]
pub struct Order {
    /// The file as it was named.
    pub file: String,
    /// Where lines without a workspace belong.
    pub workspace: WorkspaceId,
    /// What the columns of a table mean; none: as remembered, else as their names suggest.
    pub mapping: Option<Mapping>,
    /// Where requests stand that bear no time of their own; none: now.
    pub base: Option<Moment>,
}

impl Order {
    /// An order that leaves everything to what the file says.
    #[must_use]
    pub fn plain(file: &str, workspace: WorkspaceId) -> Self {
        Self { file: file.to_owned(), workspace, mapping: None, base: None }
    }
}

/// What a file came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The file as it was named.
    pub file: String,
    /// Its number among the imports of the log.
    #[serde(skip)]
    pub import: ImportId,
    /// What it is.
    pub kind: FileKind,
    /// Lines that were not empty; of other kinds, entries that have to do with posts or webhooks.
    pub read: usize,
    /// Lines that went in.
    pub added: usize,
    /// Lines that the log had already.
    pub known: usize,
    /// Lines that could not be read; the first thousand of them.
    pub bad: Vec<Bad>,
    /// How many could not be read.
    pub bad_count: usize,
    /// Requests that bear no time of their own and stand where the caller said.
    #[serde(skip_serializing_if = "is_none")]
    pub untimed: usize,
    /// True if somebody stopped it before its end; what is in stays in.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// What its client does wrong.
    pub lint: Vec<Finding>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
const fn is_none(count: &usize) -> bool {
    *count == 0
}

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bad {
    /// Its number in the file, from 1; of files without lines, the entry's.
    pub line: usize,
    /// Why, in short.
    pub why: String,
}

/// Reads a whole file into the log.
///
/// # Errors
/// `Usage` if the file cannot be read on, `Storage` if the log cannot be written; what went in until then stays in.
pub async fn import(
    store: &Store,
    clock: &Clock,
    contract: &Arc<Contract>,
    order: Order,
    from: impl Read + Send + 'static,
    progress: &Arc<Progress>,
) -> Result<Report> {
    let now = clock.now();
    let opened = Opened::new(from, Arc::clone(progress)).await.map_err(|cause| unreadable(&order.file, cause))?;
    let look = source::look(opened.beginning());
    let meaning = meaning(store, &order, &look, opened.beginning()).await?;
    let name = base_name(&order.file).to_owned();
    let import = store.write(move |connection| arrivals::new_import(connection, now, &name)).await?;
    let target = Arc::new(Target {
        import,
        workspace: order.workspace,
        contract: Arc::clone(contract),
        now,
        near_ms: look.kind.near_ms(),
    });
    let terms = Terms { contract: Arc::clone(contract), mapping: meaning.1.clone(), base: order.base.unwrap_or(now) };
    let (to, batches) = mpsc::channel(1);
    let source = Source::new(&look, terms, opened.reader);
    let watch = Arc::clone(progress);
    let cutting = spawn_blocking(move || cut(source, &watch, &to));

    let understood = stream::unfold(batches, |mut batches| async move { Some((batches.recv().await?, batches)) })
        .map(|batch| {
            let (target, watch) = (Arc::clone(&target), Arc::clone(progress));
            async move { spawn_blocking(move || understand(batch, &target, &watch)).await.map_err(panicked) }
        })
        .buffered(SIDE_BY_SIDE);
    let mut report = Report {
        file: order.file.clone(),
        import,
        kind: look.kind,
        read: 0,
        added: 0,
        known: 0,
        bad: Vec::new(),
        bad_count: 0,
        untimed: 0,
        stopped: false,
        lint: Vec::new(),
    };
    let mut tally = Tally::default();
    {
        let mut understood = std::pin::pin!(understood);
        // Once it is stopped, what was cut and not put in is let go.
        while !progress.is_stopped()
            && let Some(batch) = understood.next().await
        {
            let batch = batch?;
            report.read += batch.read;
            report.untimed += batch.untimed;
            report.note(batch.bad);
            let mut rest = batch.lines.into_iter();
            while rest.len() > 0 && !progress.is_stopped() {
                let target = Arc::clone(&target);
                (tally, rest) = store.write(move |connection| slice(connection, &target, tally, rest)).await?;
                report.note(std::mem::take(&mut tally.bad));
            }
            // Of lines that were read and not put in any more nothing is claimed.
            report.read -= rest.len();
            progress.set(report.read, tally.added, tally.known, report.bad_count);
        }
    }
    cutting
        .await
        .map_err(panicked)?
        .or_else(|cause| if progress.is_stopped() { Ok(()) } else { Err(unreadable(&order.file, cause)) })?;
    catch_up::all(store, contract, |left| {
        progress.wait_for(left);
        !progress.is_stopped()
    })
    .await?;
    progress.wait_for(0);
    report.bad.sort_by_key(|bad| bad.line);
    report.added = tally.added;
    report.known = tally.known;
    report.stopped = progress.is_stopped();
    // What a table without keys or a log of the other side cannot tell is never held against a client.
    let knows_keys = match look.kind {
        FileKind::DeliveryLog => false,
        FileKind::Table => meaning.1.columns.values().any(|field| *field == ColumnField::Key),
        _ => true,
    };
    report.lint = lint_of(store, import, contract, knows_keys).await?;
    let brought = Brought::of(&report, progress.reached().bytes, clock.now())?;
    let remembered = (look.kind == FileKind::Table).then_some(meaning);
    store.write(move |connection| imports::finish(connection, import, &brought, remembered.as_ref())).await?;
    Ok(report)
}

/// Judges the client whose tries a file brought, page by page.
async fn lint_of(store: &Store, import: ImportId, contract: &Contract, knows_keys: bool) -> Result<Vec<Finding>> {
    let (mut lint, mut after) = (Lint::default(), (Moment(i64::MIN), i64::MIN));
    loop {
        let page = imports::tries(store.pool(), import, after, LINT_PAGE, contract).await?;
        let Some((last, _)) = page.last() else { break };
        after = *last;
        page.iter().for_each(|(_, tried)| lint.take(tried, knows_keys));
    }
    let findings = lint.findings();
    let kept = findings.clone();
    store.write(move |connection| imports::keep_findings(connection, import, &kept)).await?;
    Ok(findings)
}

impl Report {
    fn note(&mut self, bad: Vec<Bad>) {
        self.bad_count += bad.len();
        self.bad.extend(bad);
        self.bad.truncate(MOST_BAD);
    }
}

/// A file whose beginning was looked at, and that is still whole.
pub(super) struct Opened<R: Read> {
    beginning: Vec<u8>,
    reader: BufReader<std::io::Chain<std::io::Cursor<Vec<u8>>, Counted<R>>>,
}

impl<R: Read + Send + 'static> Opened<R> {
    async fn new(from: R, progress: Arc<Progress>) -> std::io::Result<Self> {
        let read = move || {
            let mut from = Counted { from, progress };
            let mut beginning = Vec::new();
            from.by_ref().take(source::BEGINNING as u64).read_to_end(&mut beginning)?;
            let whole = std::io::Cursor::new(beginning.clone()).chain(from);
            Ok(Self { beginning, reader: BufReader::with_capacity(1 << 18, whole) })
        };
        spawn_blocking(read).await.map_err(std::io::Error::other)?
    }

    fn beginning(&self) -> &[u8] {
        &self.beginning
    }
}

/// What the columns of a table mean, under the name of their set: as the caller says, as this log remembers, or as
/// their names suggest.
async fn meaning(store: &Store, order: &Order, look: &Look, beginning: &[u8]) -> Result<(String, Mapping)> {
    if look.kind != FileKind::Table {
        return Ok((String::new(), Mapping::default()));
    }
    let headers = table::headers(beginning, look.delimiter).map_err(Error::usage)?;
    let set = columns::set_of(&headers);
    let mapping = match &order.mapping {
        Some(mapping) => mapping.clone(),
        None => match imports::mapping(store.pool(), &set).await? {
            Some(kept) => kept.under(&headers),
            None => Mapping::guess(&headers),
        },
    };
    Ok((set, mapping))
}

/// Lines as they were cut, secrets covered.
struct Batch<L> {
    lines: Vec<(usize, L)>,
    bad: Vec<Bad>,
    read: usize,
    untimed: usize,
}

/// Cuts the file and covers secrets, one piece after another: equal secrets get equal placeholders in the order of the
/// file, so that reading it again gives the same lines.
fn cut<R: BufRead>(
    mut source: Source<R>,
    progress: &Progress,
    to: &mpsc::Sender<Batch<(Line, bool)>>,
) -> std::io::Result<()> {
    let mut mask = Mask::default();
    let mut over = false;
    while !over {
        if mask.remembered() > MOST_SECRETS {
            mask = Mask::after(&mask);
        }
        let mut batch = Batch { lines: Vec::new(), bad: Vec::new(), read: 0, untimed: 0 };
        let begun = progress.reached().bytes;
        let mut trouble = None;
        while batch.lines.len() < MOST_LINES && progress.reached().bytes - begun < MOST_BYTES {
            let piece = match source.next() {
                Ok(Some(piece)) => piece,
                Ok(None) => {
                    over = true;
                    break;
                }
                Err(cause) => {
                    trouble = Some(cause);
                    break;
                }
            };
            batch.untimed += usize::from(piece.untimed);
            for line in piece.lines {
                batch.read += 1;
                match line {
                    Ok(mut line) => {
                        let masked = export::cover(&mut line, &mut mask);
                        batch.lines.push((piece.number, (line, masked)));
                    }
                    Err(why) => batch.bad.push(Bad { line: piece.number, why }),
                }
            }
        }
        // A value that is named here only may stand in a line before.
        if mask.catch_up() {
            mask.settle(true);
            for (_, (line, masked)) in &mut batch.lines {
                *masked |= export::cover(line, &mut mask);
            }
            mask.settle(false);
        }
        // Nobody takes it any more: the log could not be written, and whoever asked knows.
        if to.blocking_send(batch).is_err() {
            return Ok(());
        }
        if let Some(cause) = trouble {
            return Err(cause);
        }
    }
    Ok(())
}

/// Understands a batch: everything that needs no log. Once the import is stopped nobody waits for it.
fn understand(batch: Batch<(Line, bool)>, target: &Target, progress: &Progress) -> Batch<Ready> {
    let mut done = Batch { lines: Vec::new(), bad: batch.bad, read: batch.read, untimed: batch.untimed };
    for (number, (line, masked)) in batch.lines {
        if progress.is_stopped() {
            done.read -= 1;
            continue;
        }
        match Ready::of(target, line, masked) {
            Ok(ready) => done.lines.push((number, ready)),
            Err(no) => done.bad.push(Bad { line: number, why: no.message }),
        }
    }
    done
}

/// What this file has brought so far.
#[derive(Default)]
struct Tally {
    /// Of lines that the log had before: how often this file has shown them.
    shown: HashMap<Print, u32>,
    workspaces: HashMap<String, WorkspaceId>,
    added: usize,
    known: usize,
    bad: Vec<Bad>,
}

type Lines = std::vec::IntoIter<(usize, Ready)>;

/// Puts lines in until the slice's time is over; gives back the rest.
fn slice(connection: &Connection, target: &Target, mut tally: Tally, mut lines: Lines) -> Result<(Tally, Lines)> {
    let watch = Clock::stopwatch();
    while watch.ms() < SLICE_MS {
        let Some((number, mut ready)) = lines.next() else { break };
        match tally.take(connection, target, &mut ready) {
            Ok(()) => {}
            // What the line asks for cannot be: the line is bad, and the rest of the file goes in.
            Err(no) if matches!(no.code, Code::Refused | Code::Usage) => {
                tally.bad.push(Bad { line: number, why: no.message });
            }
            Err(problem) => return Err(problem),
        }
    }
    Ok((tally, lines))
}

impl Tally {
    /// Adds the line unless the log had one for it before this file began.
    fn take(&mut self, connection: &Connection, target: &Target, ready: &mut Ready) -> Result<()> {
        ready.settle(connection, target, &mut self.workspaces)?;
        let before = ready.count(connection, target)?;
        if before > 0 {
            let shown = self.shown.entry(ready.print()).or_default();
            *shown += 1;
            if usize::try_from(*shown).unwrap_or(usize::MAX) <= before {
                self.known += 1;
                return Ok(());
            }
        }
        ready.add(connection, target)?;
        self.added += 1;
        Ok(())
    }
}

/// The columns of a table on disk.
///
/// # Errors
/// `Usage` if the file cannot be read or is no table.
pub fn columns_of(file: &Path) -> Result<Vec<String>> {
    let name = file.display().to_string();
    let mut beginning = Vec::new();
    named::open(file).and_then(|from| from.take(source::BEGINNING as u64).read_to_end(&mut beginning)).map_err(
        |cause| {
            let says =
                format!("What the columns of {name} are cannot be looked at before it is read. Nothing of it went in.");
            Error::caused(Code::Usage, says, cause)
        },
    )?;
    let look = source::look(&beginning);
    if look.kind != FileKind::Table {
        return Err(Error::usage(format!("{name} is no table, so it has no columns. Nothing of it went in.")));
    }
    table::headers(&beginning, look.delimiter).map_err(Error::usage)
}

/// Opens a file that is to be read from its beginning to its end.
///
/// # Errors
/// `Usage` if it cannot be opened, or is a folder, a pipe or a device.
pub fn open(file: &Path, name: &str) -> Result<std::fs::File> {
    named::open(file).map_err(|cause| unopened(name, cause))
}

/// As [`open`], but also a pipe, whose other end is waited for.
///
/// # Errors
/// `Usage` if it cannot be opened, or is a folder or a device.
pub fn open_stream(file: &Path, name: &str) -> Result<std::fs::File> {
    named::open_stream(file).map_err(|cause| unopened(name, cause))
}

fn unopened(name: &str, cause: std::io::Error) -> Error {
    Error::caused(Code::Usage, format!("{name} cannot be read, so nothing of it went in."), cause)
}

/// How long the rest takes if it goes on like this, milliseconds; none while nobody can tell.
#[must_use]
pub fn ms_left(passed_ms: i64, bytes: u64, size: u64) -> Option<i64> {
    let (done, rest) = (i128::from(bytes), i128::from(size.saturating_sub(bytes)));
    let known = passed_ms >= 200 && done > 0;
    known.then(|| i64::try_from(i128::from(passed_ms) * rest / done).unwrap_or(i64::MAX))
}

fn unreadable(file: &str, cause: std::io::Error) -> Error {
    Error::caused(Code::Usage, format!("{file} cannot be read on; what was read until here went in."), cause)
}

fn panicked(cause: tokio::task::JoinError) -> Error {
    Error::caused(Code::Internal, "A mistake of ours stopped this import; what went in stays in.", cause)
}

/// The name of a file without its folders.
#[must_use]
pub fn base_name(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}

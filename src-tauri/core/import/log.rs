//! Files into the log: log lines, or a HAR, whichever the file turns out to be. Equal lines are counted (contract, `import`): of lines that agree a file adds as many as
//! it holds more than the log does, so that the same file twice adds nothing and a true copy is not lost. The work
//! goes in slices short enough that a receiver beside it never waits long for the write lock.

use std::{
    collections::{HashMap, hash_map::Entry},
    io::{BufRead, Read as _},
    sync::Arc,
};

use rusqlite::Connection;
use serde::Serialize;

use super::{
    har,
    lines::{self, Line},
    ready::{Ready, Target},
};
use crate::{
    clock::Clock,
    error::{Code, Error, Result},
    export,
    ids::WorkspaceId,
    pozy::{contract::Contract, secrecy::Mask},
    store::{Store, arrivals},
};

/// How long a slice may hold the write lock, milliseconds (design 11).
const SLICE_MS: i64 = 30;
/// Most lines handed over at once.
const MOST_LINES: usize = 512;
/// A longer line is no line of a log, bytes.
const LONGEST_LINE: u64 = 64 << 20;

/// What a file came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The file as it was named.
    pub file: String,
    /// Lines that were not empty; of a HAR, entries that have to do with posts or webhooks.
    pub read: usize,
    /// Lines that went in.
    pub added: usize,
    /// Lines that the log had already.
    pub known: usize,
    /// Lines that could not be read.
    pub bad: Vec<Bad>,
}

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bad {
    /// Its number in the file, from 1; of a HAR, the entry's.
    pub line: usize,
    /// Why, in short.
    pub why: String,
}

/// Reads a whole file into the log. `workspace` is where lines without one belong.
///
/// # Errors
/// `Usage` if the file cannot be read on, `Storage` if the log cannot be written; what went in until then stays in.
pub async fn import(
    store: &Store,
    clock: &Clock,
    contract: &Arc<Contract>,
    file: &str,
    workspace: WorkspaceId,
    mut from: impl BufRead,
) -> Result<Report> {
    let (name, now) = (base_name(file).to_owned(), clock.now());
    let import = store.write(move |connection| arrivals::new_import(connection, now, &name)).await?;
    let target = Arc::new(Target { import, workspace, contract: Arc::clone(contract), now });
    let mut report = Report { file: file.to_owned(), ..Report::default() };
    let mut tally = Tally::default();
    let mut source = Source::of(&mut from, file)?;
    let mut number = 0;
    loop {
        let mut waiting = Vec::new();
        while waiting.len() < MOST_LINES {
            let Some(piece) = source.next(&mut from, file, contract)? else { break };
            number += 1;
            let Some(line) = piece else { continue };
            report.read += 1;
            match line {
                Ok(line) => waiting.push((number, line)),
                Err(why) => report.bad.push(Bad { line: number, why }),
            }
        }
        if waiting.is_empty() {
            break;
        }
        let mut rest = waiting.into_iter();
        while rest.len() > 0 {
            let target = Arc::clone(&target);
            (tally, rest) = store.write(move |connection| slice(connection, &target, tally, rest)).await?;
        }
        report.bad.append(&mut tally.bad);
    }
    report.bad.sort_by_key(|bad| bad.line);
    report.added = tally.added;
    report.known = tally.known;
    Ok(report)
}

/// What this file has brought so far.
#[derive(Default)]
struct Tally {
    /// For each kind of equal lines: how many the log had before, and how many this file has shown.
    seen: HashMap<[u8; 16], (usize, usize)>,
    mask: Mask,
    added: usize,
    known: usize,
    bad: Vec<Bad>,
}

type Lines = std::vec::IntoIter<(usize, Line)>;

/// Puts lines in until the slice's time is over; gives back the rest.
fn slice(connection: &Connection, target: &Target, mut tally: Tally, mut lines: Lines) -> Result<(Tally, Lines)> {
    let watch = Clock::stopwatch();
    while watch.ms() < SLICE_MS {
        let Some((number, mut line)) = lines.next() else { break };
        let masked = export::cover(&mut line, &mut tally.mask);
        match Ready::of(connection, target, line, masked).and_then(|ready| tally.take(connection, target, &ready)) {
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
    fn take(&mut self, connection: &Connection, target: &Target, ready: &Ready) -> Result<()> {
        let (before, shown) = match self.seen.entry(ready.fingerprint()) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert((ready.count(connection)?, 0)),
        };
        *shown += 1;
        if *shown <= *before {
            self.known += 1;
            return Ok(());
        }
        ready.add(connection, target)?;
        self.added += 1;
        Ok(())
    }
}

/// How a file is read.
enum Source {
    /// One line after another.
    Lines,
    /// One entry after another.
    Har(har::Entries, har::Reader),
}

/// A line, or why there is none; nothing for what is passed over.
type Piece = Option<std::result::Result<Line, String>>;

impl Source {
    /// Looks at how the file begins.
    fn of(from: &mut impl BufRead, file: &str) -> Result<Self> {
        let beginning = from.fill_buf().map_err(|cause| unreadable(file, cause))?;
        Ok(if har::is_har(beginning) {
            Self::Har(har::Entries::default(), har::Reader::default())
        } else {
            Self::Lines
        })
    }

    /// The next piece; none at the end of the file.
    fn next(&mut self, from: &mut impl BufRead, file: &str, contract: &Contract) -> Result<Option<Piece>> {
        match self {
            Self::Lines => {
                let mut text = Vec::new();
                let taken = from.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut text);
                if taken.map_err(|cause| unreadable(file, cause))? == 0 {
                    return Ok(None);
                }
                let empty = text.iter().all(u8::is_ascii_whitespace);
                Ok(Some((!empty).then(|| read(&text))))
            }
            Self::Har(entries, reader) => {
                let entry = entries.next(from).map_err(|cause| unreadable(file, cause))?;
                Ok(entry.map(|entry| entry.and_then(|text| reader.line(&text, contract)).transpose()))
            }
        }
    }
}

fn unreadable(file: &str, cause: std::io::Error) -> Error {
    Error::caused(Code::Usage, format!("{file} cannot be read on; what was read until here went in."), cause)
}

fn read(text: &[u8]) -> std::result::Result<Line, String> {
    let text = std::str::from_utf8(text).map_err(|_| "it is no UTF-8 text".to_owned())?;
    lines::read(text.trim())
}

/// The name of a file without its folders.
fn base_name(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}

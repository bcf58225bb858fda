//! A line that is understood and only wants writing: what it is, how many the log has of it, and how it goes in.
//! Understanding needs no log and is done before the writing thread sees the line.

use std::{collections::HashMap, sync::Arc};

use rusqlite::Connection;
use sha2::{Digest as _, Sha256};

use super::lines::{ArrivalLine, AttemptLine, Line, NoteLine, ObservationLine, ResultLine, SignatureWord};
use crate::{
    clock::Moment,
    error::{Error, Result},
    ids::{ImportId, JobMark, WorkspaceId},
    inbound::{
        arrival::{Arrival, Content, Request, Told},
        observe, record,
        verify::Verified,
    },
    outbound::job::EndKind,
    pozy::{answers::Answer, contract::Contract},
    store::{
        arrivals,
        attempts::{self, ImportedAttempt},
        jobs::{self, NewEnd},
        notes::{self, Note},
        observations::{self, NewObservation},
        workspaces,
    },
};

/// Name of the endpoint that imported arrivals stand under.
const ENDPOINT: &str = "import";

/// What lines are put into.
pub(super) struct Target {
    /// The file.
    pub(super) import: ImportId,
    /// Where lines without a workspace belong.
    pub(super) workspace: WorkspaceId,
    pub(super) contract: Arc<Contract>,
    pub(super) now: Moment,
    /// Arrivals of this file may be the very ones that our receiver took, told by another clock: how far that clock
    /// may be off, milliseconds.
    pub(super) near_ms: Option<i64>,
}

/// State fetched from Pozy, as a file tells it.
#[derive(Debug)]
pub(super) struct Seen {
    at: Moment,
    workspace: WorkspaceId,
    path: String,
    status: u16,
    body: Option<Vec<u8>>,
}

/// A line that is understood.
pub(super) enum Ready {
    /// With its body as text, if that is masked.
    Arrival(Box<Arrival>, Option<String>),
    /// With the name of its workspace, if the line has one.
    Attempt(Box<ImportedAttempt>, Option<String>),
    /// With the name of its workspace, if the line has one.
    Observation(Box<Seen>, Option<String>),
    Note(Note),
}

/// Twelve bytes of a hash: enough to tell all lines of a file apart, few enough to remember millions of them.
pub(super) type Print = [u8; 12];

impl Ready {
    /// Understands a line whose secrets are covered; `masked` says that its body was among them.
    pub(super) fn of(target: &Target, line: Line, masked: bool) -> Result<Self> {
        match line {
            Line::Arrival(line) => {
                let text = if masked { bytes(&line.body)? } else { None };
                let text = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
                arrival(target, &line).map(|arrival| Self::Arrival(Box::new(arrival), text))
            }
            Line::Attempt(mut line) => {
                let name = line.workspace.take();
                attempt(target, line, masked).map(|attempt| Self::Attempt(Box::new(attempt), name))
            }
            Line::Observation(mut line) => {
                let name = line.workspace.take();
                observation(target, line).map(|seen| Self::Observation(Box::new(seen), name))
            }
            Line::Note(line) => note(line).map(Self::Note),
        }
    }

    /// Finds the workspace that the line names; `known` keeps those found before.
    pub(super) fn settle(
        &mut self,
        connection: &Connection,
        target: &Target,
        known: &mut HashMap<String, WorkspaceId>,
    ) -> Result<()> {
        let (workspace, name) = match self {
            Self::Attempt(line, Some(name)) => (&mut line.workspace, name),
            Self::Observation(line, Some(name)) => (&mut line.workspace, name),
            _ => return Ok(()),
        };
        *workspace = match known.get(name.as_str()) {
            Some(id) => *id,
            None => {
                let id = WorkspaceId(workspaces::named(connection, name, target.now)?);
                known.insert(name.clone(), id);
                id
            }
        };
        Ok(())
    }

    /// Equal for lines that are equal as far as imports compare them.
    pub(super) fn print(&self) -> Print {
        let mut hash = Sha256::new();
        match self {
            Self::Arrival(line, _) => {
                hash.update(b"arrival");
                hash.update(line.at.millis().to_le_bytes());
                match line.known_body() {
                    Some(body) => hash.update(body),
                    None => hash.update(line.event().map_or("", |event| event.as_str())),
                }
            }
            Self::Attempt(line, _) => {
                hash.update(b"attempt");
                hash.update(format!("{line:?}"));
            }
            Self::Observation(line, _) => {
                hash.update(b"observation");
                hash.update(format!("{line:?}"));
            }
            Self::Note(line) => {
                hash.update(b"note");
                hash.update(format!("{line:?}"));
            }
        }
        let mut short = Print::default();
        short.copy_from_slice(&hash.finalize()[..12]);
        short
    }

    /// How many of it the log had before this file.
    pub(super) fn count(&self, connection: &Connection, target: &Target) -> Result<usize> {
        match self {
            Self::Arrival(line, masked) => {
                let equal = arrivals::count_equal(connection, line.at, line.event(), line.known_body(), target.import)?;
                if let Some(masked) = masked
                    && equal == 0
                {
                    return arrivals::count_fitting(connection, line.at, line.event(), masked, target.import);
                }
                match (&line.content, target.near_ms) {
                    (Content::Event(reading), Some(near)) if equal == 0 => {
                        arrivals::count_live_near(connection, &reading.event, line.at, near)
                    }
                    _ => Ok(equal),
                }
            }
            Self::Attempt(line, _) => attempts::count_equal(connection, line),
            Self::Observation(line, _) => observations::count_equal(
                connection,
                line.at,
                &line.path,
                line.status,
                line.body.as_deref(),
                target.import,
            ),
            Self::Note(line) => notes::count_equal(connection, line, target.import),
        }
    }

    /// Puts it into the log.
    pub(super) fn add(&self, connection: &Connection, target: &Target) -> Result<()> {
        match self {
            Self::Arrival(line, _) => record::record(connection, line, &target.contract).map(drop),
            Self::Attempt(line, _) => attempts::import(connection, line, target.now, &target.contract),
            Self::Observation(line, _) => {
                let new = NewObservation {
                    at: line.at,
                    workspace: Some(line.workspace),
                    path: &line.path,
                    status: line.status,
                    body: line.body.as_deref(),
                    import: Some(target.import),
                };
                observe::record_observation(connection, &new).map(drop)
            }
            Self::Note(line) => {
                notes::insert(connection, line, Some(target.import))?;
                match &line.job {
                    Some(job) => jobs::judge_named(connection, &JobMark::new(job), target.now, &target.contract),
                    None => Ok(()),
                }
            }
        }
    }
}

fn bytes(body: &super::lines::BodyField) -> Result<Option<Vec<u8>>> {
    body.bytes().map_err(Error::refused)
}

fn arrival(target: &Target, line: &ArrivalLine) -> Result<Arrival> {
    let body = bytes(&line.body)?;
    let verified = match line.signature {
        Some(SignatureWord::Valid) => Verified::Valid,
        Some(SignatureWord::Invalid) => Verified::Invalid,
        Some(SignatureWord::Missing) => Verified::Missing,
        Some(SignatureWord::Unchecked) | None => Verified::Unchecked,
    };
    let request =
        Request { at: line.at, endpoint: ENDPOINT, headers: &line.headers.0, body: body.as_deref(), verified };
    let told = Told { answer: line.answer, took_ms: line.took_ms, verified_later: line.verified_later };
    if let Some(aged) = line.aged.as_ref().filter(|_| body.is_none()) {
        let content = aged.content(told.is_bad(verified), &target.contract).map_err(Error::refused)?;
        return Ok(Arrival::aged(target.import, &request, content, aged.body_len, told, &target.contract));
    }
    Ok(Arrival::imported(target.import, &request, told, &target.contract))
}

fn attempt(target: &Target, line: AttemptLine, masked: bool) -> Result<ImportedAttempt> {
    let body = bytes(&line.body)?;
    let end = line.result.map(end).transpose()?;
    // Without a mark, tries of one key are one job (contract, HAR); without a key each stands for itself.
    let job = line.job.unwrap_or_else(|| match &line.key {
        Some(key) => format!("key:{key}"),
        None => format!("try:{}", line.at),
    });
    Ok(ImportedAttempt {
        import: target.import,
        job: JobMark::new(job),
        n: line.n,
        at: line.at,
        method: line.method,
        path: line.path,
        workspace: target.workspace,
        key: line.key,
        request_id: line.request_id,
        body,
        masked,
        end,
    })
}

fn end(line: ResultLine) -> Result<NewEnd> {
    let body = bytes(&line.body)?.unwrap_or_default();
    let answer = match (line.kind, line.status) {
        (EndKind::Answered, None) => return Err(Error::refused("an answered try needs the `status` of its answer")),
        (EndKind::Answered, Some(status)) => Some(Answer { status, headers: line.headers.0, body }),
        _ => None,
    };
    Ok(NewEnd { kind: line.kind, at: line.at, answer })
}

fn observation(target: &Target, line: ObservationLine) -> Result<Seen> {
    let body = bytes(&line.body)?;
    Ok(Seen { at: line.at, workspace: target.workspace, path: line.path, status: line.status, body })
}

fn note(line: NoteLine) -> Result<Note> {
    if !notes::is_known(&line.action) {
        return Err(Error::refused("its `action` is none that can be noted"));
    }
    if let Some(why) = notes::lacks(&line.action, line.job.as_deref(), line.post.as_deref()) {
        return Err(Error::refused(why));
    }
    Ok(Note { at: line.at, job: line.job, post: line.post, action: line.action, text: line.text, there: line.there })
}

//! Attempts as they are listed, exported and imported.

use rusqlite::{Connection, OptionalExtension as _, params};
use sqlx::{Row, SqlitePool, sqlite::SqliteRow};

use super::{
    contents,
    jobs::{self, NewAttempt, NewEnd, NewJob},
    packed,
};
use crate::{
    clock::Moment,
    error::{Code, Error, Result},
    ids::{AttemptId, ImportId, JobId, JobMark, WorkspaceId},
    outbound::job::{EndKind, Origin},
    pozy::{
        contract::Contract,
        secrecy::{Source, is_masked},
    },
};

/// An attempt with all it carried and all that came back.
#[derive(Clone, Debug)]
pub struct AttemptRecord {
    /// Its row.
    pub id: AttemptId,
    /// Name of its job.
    pub job: JobMark,
    /// Where its job comes from.
    pub origin: Origin,
    /// Counts from 1 in the job.
    pub n: u32,
    /// When it left.
    pub at: Moment,
    /// HTTP method.
    pub method: String,
    /// Path of the call.
    pub path: String,
    /// Name of its workspace.
    pub workspace: String,
    /// The key it carried.
    pub key: Option<String>,
    /// The `x-request-id` it carried.
    pub request_id: Option<String>,
    /// The bytes it carried, if the log has them.
    pub body: Option<Vec<u8>>,
    /// True if they were masked at import.
    pub masked: bool,
    /// The file that tells of it, if it was not sent from here.
    pub import: Option<ImportId>,
    /// How it ended; none if it is under way or was interrupted.
    pub end: Option<EndRecord>,
}

impl AttemptRecord {
    /// Whose placeholders stand in it.
    #[must_use]
    pub const fn source(&self) -> Source {
        match self.import {
            Some(import) => Source::Import(import.0),
            None => Source::Attempt(self.id.0),
        }
    }
}

/// The end of an attempt with the whole answer.
#[derive(Clone, Debug)]
pub struct EndRecord {
    /// How it ended.
    pub kind: EndKind,
    /// When that was known.
    pub at: Moment,
    /// Status of the answer.
    pub status: Option<u16>,
    /// Its headers, secrets masked.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Option<Vec<u8>>,
}

/// An attempt as a file tells it.
#[derive(Clone, Debug)]
pub struct ImportedAttempt {
    /// The file.
    pub import: ImportId,
    /// Name of its job.
    pub job: JobMark,
    /// Counts from 1 in the job.
    pub n: u32,
    /// When it left.
    pub at: Moment,
    /// HTTP method.
    pub method: String,
    /// Path of the call.
    pub path: String,
    /// Where it went.
    pub workspace: WorkspaceId,
    /// The key it carried.
    pub key: Option<String>,
    /// The `x-request-id` it carried.
    pub request_id: Option<String>,
    /// The bytes it carried.
    pub body: Option<Vec<u8>>,
    /// True if they were masked.
    pub masked: bool,
    /// How it ended.
    pub end: Option<NewEnd>,
}

pub(super) const LISTED: &str = "
    SELECT a.id, j.mark, j.origin, a.n, a.at_ns, a.method, a.path, w.name, a.key, a.request_id, a.masked,
           b.coding, b.bytes, r.kind, r.at_ns, r.status, r.headers, c.coding, c.bytes, a.import
    FROM attempts AS a JOIN jobs AS j ON j.id = a.job JOIN workspaces AS w ON w.id = a.workspace
    LEFT JOIN contents AS b ON b.hash = a.body
    LEFT JOIN results AS r ON r.attempt = a.id LEFT JOIN contents AS c ON c.hash = r.body";

/// Up to `limit` attempts in time order, from after `after`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn ascending(
    pool: &SqlitePool,
    after: Option<(Moment, AttemptId)>,
    limit: u32,
) -> Result<Vec<AttemptRecord>> {
    let (at, id) = after.map_or((i64::MIN, i64::MIN), |(at, id)| (at.0, id.0));
    let sql = format!("{LISTED} WHERE (a.at_ns, a.id) > (?, ?) ORDER BY a.at_ns, a.id LIMIT ?");
    let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(at).bind(id).bind(i64::from(limit));
    query.fetch_all(pool).await?.iter().map(record).collect()
}

/// The attempts of one job by number.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn of_job(pool: &SqlitePool, job: JobId) -> Result<Vec<AttemptRecord>> {
    let sql = format!("{LISTED} WHERE a.job = ? ORDER BY a.n, a.at_ns, a.id");
    let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(job.0);
    query.fetch_all(pool).await?.iter().map(record).collect()
}

pub(super) fn record(row: &SqliteRow) -> Result<AttemptRecord> {
    let kind: Option<String> = row.get(13);
    let end = match kind {
        Some(kind) => Some(EndRecord {
            kind: read(&format!("\"{kind}\""))?,
            at: Moment(row.get(14)),
            status: row.get(15),
            headers: read(row.get(16))?,
            body: bytes(row, 17)?,
        }),
        None => None,
    };
    Ok(AttemptRecord {
        id: AttemptId(row.get(0)),
        job: JobMark::new(row.get::<String, _>(1)),
        origin: if row.get::<&str, _>(2) == "local" { Origin::Local } else { Origin::Import },
        n: row.get(3),
        at: Moment(row.get(4)),
        method: row.get(5),
        path: row.get(6),
        workspace: row.get(7),
        key: row.get(8),
        request_id: row.get(9),
        masked: row.get(10),
        body: bytes(row, 11)?,
        import: row.get::<Option<i64>, _>(19).map(ImportId),
        end,
    })
}

/// Stored bytes whose coding stands in `column` and who follow it.
fn bytes(row: &SqliteRow, column: usize) -> Result<Option<Vec<u8>>> {
    let coding: Option<String> = row.get(column);
    coding.map(|coding| packed::unpack(&coding, row.get(column + 1))).transpose()
}

fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|cause| Error::caused(Code::Internal, "A stored answer cannot be read.", cause))
}

/// How many attempts of the log agree with this one in job, number, times, call, key, bytes and end. A line without
/// an end agrees with any: it was written while the attempt was under way. What is masked agrees with anything: job,
/// number and moment tell a try already. Those that the line's own file brought do not count.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub fn count_equal(connection: &Connection, line: &ImportedAttempt) -> Result<usize> {
    let answer = line.end.as_ref().and_then(|end| end.answer.as_ref());
    let count: i64 = connection
        .prepare_cached(
            "SELECT count(*) FROM attempts AS a JOIN jobs AS j ON j.id = a.job LEFT JOIN results AS r ON r.attempt = a.id
             WHERE j.mark = ?1 AND a.n = ?2 AND a.at_ns = ?3 AND a.method = ?4 AND (a.path = ?5 OR ?15)
               AND a.workspace = ?6 AND a.key IS ?7 AND a.request_id IS ?8 AND (a.body IS ?9 OR ?16) AND a.import IS NOT ?14
               AND (?10 IS NULL OR (r.kind = ?10 AND r.at_ns = ?11 AND r.status IS ?12 AND (r.body IS ?13 OR ?17)))",
        )?
        .query_row(
            params![
                line.job.as_str(),
                line.n,
                line.at.0,
                line.method,
                line.path,
                line.workspace.0,
                line.key,
                line.request_id,
                line.body.as_deref().map(contents::hash),
                line.end.as_ref().map(|end| jobs::word(end.kind)).transpose()?,
                line.end.as_ref().map(|end| end.at.0),
                answer.map(|answer| answer.status),
                answer.map(|answer| contents::hash(&answer.body)),
                line.import.0,
                is_masked(&line.path),
                line.masked,
                answer.is_some_and(|answer| is_masked(&String::from_utf8_lossy(&answer.body))),
            ],
            |row| row.get(0),
        )?;
    Ok(usize::try_from(count).unwrap_or_default())
}

/// Appends an imported attempt, makes its job if that is new, and judges it. An earlier import of the same attempt
/// that had no end yet gets this one's.
///
/// # Errors
/// `Refused` if its job was asked for in this very log, which knows its attempts itself; `Storage` if the log cannot
/// be written.
pub fn import(connection: &Connection, line: &ImportedAttempt, now: Moment, contract: &Contract) -> Result<()> {
    let job = job_of(connection, line, contract)?;
    let attempt = match without_end(connection, job, line)? {
        Some(attempt) if line.end.is_some() => attempt,
        _ => jobs::insert_attempt(connection, &new_attempt(job, line))?,
    };
    if let Some(end) = &line.end {
        let sent = line.body.as_deref().unwrap_or_default();
        jobs::insert_end(connection, attempt, &line.path, sent, end, contract)?;
    }
    jobs::judge(connection, job, false, now, contract)?;
    Ok(())
}

fn job_of(connection: &Connection, line: &ImportedAttempt, contract: &Contract) -> Result<JobId> {
    if let Some(job) = jobs::find(connection, &line.job)? {
        let own: bool = connection
            .prepare_cached("SELECT origin = 'local' FROM jobs WHERE id = ?")?
            .query_row([job.0], |row| row.get(0))?;
        if own {
            return Err(Error::refused("its job was made in this log, which knows other tries of it"));
        }
        return Ok(job);
    }
    let new = NewJob {
        mark: &line.job,
        created: line.at,
        method: &line.method,
        path: &line.path,
        workspace: line.workspace,
        key: line.key.as_deref(),
        request_id: line.request_id.as_deref(),
        body: line.body.as_deref(),
        again_of: None,
        import: Some(line.import),
    };
    jobs::append(connection, &new, contract)
}

/// The same attempt from an earlier import, if its end was not known then.
fn without_end(connection: &Connection, job: JobId, line: &ImportedAttempt) -> Result<Option<AttemptId>> {
    let mut query = connection.prepare_cached(
        "SELECT a.id FROM attempts AS a LEFT JOIN results AS r ON r.attempt = a.id
         WHERE a.job = ? AND a.n = ? AND a.at_ns = ? AND a.body IS ? AND r.attempt IS NULL LIMIT 1",
    )?;
    let values = params![job.0, line.n, line.at.0, line.body.as_deref().map(contents::hash)];
    Ok(query.query_row(values, |row| row.get(0)).optional()?.map(AttemptId))
}

fn new_attempt(job: JobId, line: &ImportedAttempt) -> NewAttempt<'_> {
    NewAttempt {
        job,
        n: line.n,
        at: line.at,
        method: &line.method,
        path: &line.path,
        workspace: line.workspace,
        key: line.key.as_deref(),
        key_print: None,
        request_id: line.request_id.as_deref(),
        body: line.body.as_deref(),
        masked: line.masked,
        import: Some(line.import),
    }
}

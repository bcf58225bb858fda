//! Rows of what was fetched from Pozy, and what each fetch says of which lane (design 4.9).

use rusqlite::{Connection, params};
use sqlx::{Row, SqlitePool, sqlite::SqliteRow};

use super::{contents, packed};
use crate::{
    clock::Moment,
    error::Result,
    ids::{ImportId, ObservationId, WorkspaceId},
    pozy::{post::Seen, secrecy::is_masked},
};

/// A fetch on its way into the log.
#[derive(Clone, Copy, Debug)]
pub struct NewObservation<'a> {
    /// When the answer came.
    pub at: Moment,
    /// The workspace it was fetched with; none where an import does not say.
    pub workspace: Option<WorkspaceId>,
    /// Path with its query, secrets masked.
    pub path: &'a str,
    /// Status of the answer.
    pub status: u16,
    /// Body of the answer; none if it is not known.
    pub body: Option<&'a [u8]>,
    /// The file it was imported from.
    pub import: Option<ImportId>,
}

/// Appends a fetch with its body.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn append(connection: &Connection, new: &NewObservation<'_>) -> Result<ObservationId> {
    let body = new.body.map(|bytes| contents::put(connection, bytes)).transpose()?;
    connection
        .prepare_cached(
            "INSERT INTO observations (at_ns, workspace, path, status, body, import) VALUES (?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            new.at.0,
            new.workspace.map(|workspace| workspace.0),
            new.path,
            new.status,
            body,
            new.import.map(|import| import.0),
        ])?;
    Ok(ObservationId(connection.last_insert_rowid()))
}

/// Adds what a fetch says of one lane.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn append_sighting(connection: &Connection, of: ObservationId, at: Moment, seen: &Seen) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO sightings (observation, lane, resource, status, at_ns) VALUES (?, ?, ?, ?, ?) \
             ON CONFLICT (observation, lane) DO NOTHING",
        )?
        .execute(params![of.0, seen.lane.as_str(), seen.resource.as_str(), seen.status, at.0])?;
    Ok(())
}

/// How many fetches agree with a line: time to the millisecond, path, status and body; what is masked agrees with
/// anything. Those that the import `except` brought do not count.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub fn count_equal(
    connection: &Connection,
    at: Moment,
    path: &str,
    status: u16,
    body: Option<&[u8]>,
    except: ImportId,
) -> Result<usize> {
    let from = Moment::from_millis(at.millis());
    let count: i64 = connection
        .prepare_cached(
            "SELECT count(*) FROM observations WHERE at_ns >= ? AND at_ns < ? AND (path = ? OR ?) AND status = ? \
             AND (body IS ? OR ?) AND import IS NOT ?",
        )?
        .query_row(
            params![
                from.0,
                from.plus_millis(1).0,
                path,
                is_masked(path),
                status,
                body.map(contents::hash),
                body.is_some_and(|body| is_masked(&String::from_utf8_lossy(body))),
                except.0
            ],
            |row| row.get(0),
        )?;
    Ok(usize::try_from(count).unwrap_or_default())
}

/// A fetch with all that came back.
#[derive(Clone, Debug)]
pub struct ObservationRecord {
    /// Its number in this log.
    pub id: ObservationId,
    /// When the answer came.
    pub at: Moment,
    /// Name of the workspace.
    pub workspace: Option<String>,
    /// Path with its query.
    pub path: String,
    /// Status of the answer.
    pub status: u16,
    /// Body of the answer.
    pub body: Option<Vec<u8>>,
}

/// Up to `limit` fetches in time order, from after `after`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn ascending(
    pool: &SqlitePool,
    after: Option<(Moment, ObservationId)>,
    limit: u32,
) -> Result<Vec<ObservationRecord>> {
    let (at, id) = after.map_or((i64::MIN, i64::MIN), |(at, id)| (at.0, id.0));
    let rows = sqlx::query(
        "SELECT o.id, o.at_ns, w.name, o.path, o.status, c.coding, c.bytes FROM observations o \
         LEFT JOIN workspaces w ON w.id = o.workspace LEFT JOIN contents c ON c.hash = o.body \
         WHERE (o.at_ns, o.id) > (?, ?) ORDER BY o.at_ns, o.id LIMIT ?",
    )
    .bind(at)
    .bind(id)
    .bind(i64::from(limit))
    .fetch_all(pool)
    .await?;
    rows.iter().map(record).collect()
}

fn record(row: &SqliteRow) -> Result<ObservationRecord> {
    let body: Option<Vec<u8>> = row.get(6);
    let coding: Option<String> = row.get(5);
    Ok(ObservationRecord {
        id: ObservationId(row.get(0)),
        at: Moment(row.get(1)),
        workspace: row.get(2),
        path: row.get(3),
        status: row.get(4),
        body: match (coding, body) {
            (Some(coding), Some(bytes)) => Some(packed::unpack(&coding, bytes)?),
            _ => None,
        },
    })
}

//! Until when Pozy wants a whole connection to be left alone (429), and by how much its clock is ahead of ours.

use rusqlite::{Connection, params};
use sqlx::{Row, SqlitePool};

use crate::{clock::Moment, error::Result, ids::WorkspaceId};

/// Keeps that Pozy asked at `told` to be left alone until `until`. A longer wait that was asked for before still holds.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn remember(connection: &Connection, workspace: WorkspaceId, until: Moment, told: Moment) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO waits (workspace, until_ns, told_ns) VALUES (?1, ?2, ?3)
             ON CONFLICT (workspace) DO UPDATE SET until_ns = ?2, told_ns = ?3 WHERE until_ns < ?2",
        )?
        .execute(params![workspace.0, until.0, told.0])?;
    Ok(())
}

/// Until when Pozy last asked everything of this workspace to slow down (429, R13), be it a fetch or a post that was
/// told so; in the past, nothing waits any more.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn held_until(pool: &SqlitePool, workspace: WorkspaceId) -> Result<Option<Moment>> {
    let row =
        sqlx::query("SELECT until_ns FROM waits WHERE workspace = ?").bind(workspace.0).fetch_optional(pool).await?;
    Ok(row.map(|row| Moment(row.get(0))))
}

/// Until when the connection waits at `now`; none if it need not.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn until(pool: &SqlitePool, workspace: WorkspaceId, now: Moment) -> Result<Option<Moment>> {
    Ok(held_until(pool, workspace).await?.filter(|until| *until > now))
}

/// A 429 that does not say for how long is taken for this, seconds.
const UNSAID_S: i64 = 1;

/// Until when an answer that came at `at` asks to slow down; `said` is what its `Retry-After` says.
#[must_use]
pub fn asked(status: u16, said: Option<Moment>, at: Moment) -> Option<Moment> {
    (status == 429).then(|| said.unwrap_or_else(|| at.plus_seconds(UNSAID_S)))
}

/// What the latest answer told of the other side's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skew {
    /// When that answer came, by our clock.
    pub at: Moment,
    /// Its `Date` less our clock, nanoseconds.
    pub ahead_ns: i64,
}

/// The latest comparison of clocks with the workspace.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn skew(pool: &SqlitePool, workspace: WorkspaceId) -> Result<Option<Skew>> {
    let sql = "SELECT at_ns, ahead_ns FROM clocks WHERE workspace = ?";
    let row = sqlx::query(sql).bind(workspace.0).fetch_optional(pool).await?;
    Ok(row.map(|row| Skew { at: Moment(row.get(0)), ahead_ns: row.get(1) }))
}

//! What belongs together: from a key to its jobs, from a job to its posts and back, from a post to its messages. Every
//! step is a seek and bounded, however long the log is.

use sqlx::{AssertSqlSafe, Row, SqlitePool};

use super::listing::{EVENTS, EventRow, event_row};
use crate::{
    error::Result,
    ids::{JobId, PostId, Resource, WorkspaceId},
};

/// Posts that a job is known to have made or asked for, by its state and by the answers to its tries; at most `limit`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn posts_of(pool: &SqlitePool, job: JobId, limit: u32) -> Result<Vec<PostId>> {
    let rows = sqlx::query(
        "SELECT post FROM (SELECT post FROM job_states WHERE job = ?1
            UNION SELECT r.post FROM attempts AS a JOIN readings AS r ON r.attempt = a.id WHERE a.job = ?1)
         WHERE post IS NOT NULL ORDER BY post LIMIT ?2",
    )
    .bind(job.0)
    .bind(i64::from(limit))
    .fetch_all(pool)
    .await?;
    Ok(rows.iter().map(|row| PostId::new(row.get::<String, _>(0))).collect())
}

/// Jobs whose tries carried this key in this workspace, by first try; at most `limit`. Keys of other workspaces are other
/// keys (R12).
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn jobs_with_key(pool: &SqlitePool, workspace: WorkspaceId, key: &str, limit: u32) -> Result<Vec<JobId>> {
    let rows = sqlx::query(
        "SELECT job FROM attempts WHERE workspace = ? AND key = ? GROUP BY job ORDER BY min(at_ns) LIMIT ?",
    )
    .bind(workspace.0)
    .bind(key)
    .bind(i64::from(limit))
    .fetch_all(pool)
    .await?;
    Ok(rows.iter().map(|row| JobId(row.get(0))).collect())
}

/// The newest messages about a resource, those that arrived last at the end; at most `limit`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn messages_of(pool: &SqlitePool, resource: &Resource, limit: u32) -> Result<Vec<EventRow>> {
    let sql = format!("{EVENTS} WHERE e.resource = ? ORDER BY e.first_ns DESC LIMIT ?");
    let query = sqlx::query(AssertSqlSafe(sql)).bind(resource.as_str()).bind(i64::from(limit));
    let mut rows: Vec<EventRow> = query.fetch_all(pool).await?.iter().map(event_row).collect::<Result<_>>()?;
    rows.reverse();
    Ok(rows)
}

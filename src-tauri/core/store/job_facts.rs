//! Reads what is known of a job. One statement gives the whole of it as JSON, so that the writing thread (rusqlite)
//! and the readers (sqlx) share one text and one mapping.

use rusqlite::Connection;
use sqlx::{AssertSqlSafe, Row, SqlitePool};

use crate::{
    clock::Moment,
    error::{Code, Error, Result},
    ids::{JobId, JobMark, WorkspaceId},
    outbound::job::Facts,
};

/// Everything about jobs; a WHERE on `j` and `s` and an ORDER BY follow.
const FACTS: &str = include_str!("job_facts.sql");

/// The newest moment this log itself sent or received, nanoseconds; null in an empty log. Results are looked at for
/// the latest attempts only: an attempt ends at most a minute after it began.
const NEWEST: &str = "
    SELECT max(at) FROM (
        SELECT (SELECT at_ns FROM attempts WHERE import IS NULL ORDER BY at_ns DESC LIMIT 1) AS at
        UNION ALL
        SELECT max(r.at_ns) FROM (SELECT id FROM attempts WHERE import IS NULL ORDER BY at_ns DESC LIMIT 64) AS a
            JOIN results AS r ON r.attempt = a.id
        UNION ALL
        SELECT (SELECT at_ns FROM arrivals WHERE session IS NOT NULL ORDER BY at_ns DESC LIMIT 1)
    )";

/// Where a page of the posts list begins: after the job at this place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// 0 what nobody knows the outcome of, 1 what else needs a person, 2 what is under way, 3 what is done.
    pub group: i64,
    /// The job there.
    pub job: JobId,
}

fn read(text: &str) -> Result<Facts> {
    serde_json::from_str(text).map_err(|cause| Error::caused(Code::Internal, "A stored job cannot be read.", cause))
}

async fn all(pool: &SqlitePool, tail: &str, values: [i64; 3]) -> Result<Vec<Facts>> {
    let mut query = sqlx::query(AssertSqlSafe(format!("{FACTS} {tail}")));
    for value in values {
        query = query.bind(value);
    }
    query.fetch_all(pool).await?.iter().map(|row| read(row.get(0))).collect()
}

/// The job of that name.
///
/// # Errors
/// `NotFound` if none bears it, `Storage` if the log cannot be read.
pub async fn by_mark(pool: &SqlitePool, mark: &JobMark) -> Result<Facts> {
    let query = sqlx::query(AssertSqlSafe(format!("{FACTS} WHERE j.mark = ?"))).bind(mark.as_str());
    match query.fetch_optional(pool).await? {
        Some(row) => read(row.get(0)),
        None => Err(Error::not_found(format!("There is no job {mark} in this log. `reprise jobs` lists them."))),
    }
}

/// The job in that row.
///
/// # Errors
/// `NotFound` if there is none, `Storage` if the log cannot be read.
pub async fn by_id(pool: &SqlitePool, job: JobId) -> Result<Facts> {
    let found = all(pool, "WHERE j.id = ?1 AND ?2 = ?3", [job.0, 0, 0]).await?;
    found.into_iter().next().ok_or_else(|| Error::not_found("That job is not in this log."))
}

/// Up to `limit` jobs by their rows, from after `after`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn by_row(pool: &SqlitePool, after: JobId, limit: u32) -> Result<Vec<Facts>> {
    all(pool, "WHERE j.id > ?1 AND ?2 = ?2 ORDER BY j.id LIMIT ?3", [after.0, 0, i64::from(limit)]).await
}

/// The job in that row, seen from inside a piece of write work.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub(crate) fn written(connection: &Connection, job: JobId) -> Result<Facts> {
    let text: String =
        connection.prepare_cached(&format!("{FACTS} WHERE j.id = ?1"))?.query_row([job.0], |row| row.get(0))?;
    read(&text)
}

/// Up to `limit` jobs in the order they were asked for, from after `after`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn ascending(pool: &SqlitePool, after: Option<(Moment, JobId)>, limit: u32) -> Result<Vec<Facts>> {
    let (at, job) = after.map_or((i64::MIN, i64::MIN), |(at, job)| (at.0, job.0));
    let tail = "WHERE (j.created_ns, j.id) > (?1, ?2) ORDER BY j.created_ns, j.id LIMIT ?3";
    all(pool, tail, [at, job, i64::from(limit)]).await
}

/// Where each group of [`Place`] is found. Each repeats the terms of its index.
const GROUPS: [&str; 4] = ["s.state = 'unknown'", "s.place = 0 AND s.state <> 'unknown'", "s.place = 1", "s.place = 2"];

/// Up to `limit` jobs: what nobody knows the outcome of, then what else needs a person, then what is under way, then
/// what is done; newest first in each.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn page(pool: &SqlitePool, after: Option<Place>, limit: u32) -> Result<Vec<(Place, Facts)>> {
    let mut rows: Vec<(Place, Facts)> = Vec::new();
    for (group, place) in (0..).zip(GROUPS).skip_while(|(group, _)| after.is_some_and(|place| *group < place.group)) {
        let below = after.filter(|place| place.group == group).map_or(i64::MAX, |place| place.job.0);
        let wanted = i64::from(limit).saturating_sub(i64::try_from(rows.len()).unwrap_or(i64::MAX));
        if wanted > 0 {
            let tail = format!("WHERE {place} AND s.job < ?2 AND ?1 = ?1 ORDER BY s.job DESC LIMIT ?3");
            let found = all(pool, &tail, [group, below, wanted]).await?;
            rows.extend(found.into_iter().map(|facts| (Place { group, job: facts.id }, facts)));
        }
    }
    Ok(rows)
}

/// How many jobs wait for a person.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn count_needing_person(pool: &SqlitePool) -> Result<u32> {
    Ok(sqlx::query("SELECT count(*) FROM job_states WHERE place = 0").fetch_one(pool).await?.get(0))
}

/// Local jobs of `workspace` whose next try is due at `now`, longest due first.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn due(pool: &SqlitePool, workspace: WorkspaceId, now: Moment, limit: u32) -> Result<Vec<Facts>> {
    let tail = "WHERE s.next_ns IS NOT NULL AND s.next_ns <= ?1 AND j.workspace = ?2 AND j.origin = 'local'
                ORDER BY s.next_ns LIMIT ?3";
    all(pool, tail, [now.0, workspace.0, i64::from(limit)]).await
}

/// When the next try of a local job of `workspace` is due.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn next_due(pool: &SqlitePool, workspace: WorkspaceId) -> Result<Option<Moment>> {
    let sql = "SELECT s.next_ns FROM job_states AS s JOIN jobs AS j ON j.id = s.job
               WHERE s.next_ns IS NOT NULL AND j.workspace = ? AND j.origin = 'local' ORDER BY s.next_ns LIMIT 1";
    let row = sqlx::query(sql).bind(workspace.0).fetch_optional(pool).await?;
    Ok(row.map(|row| Moment(row.get(0))))
}

/// Local jobs whose latest attempt was written and never completed: under way, or interrupted.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn unfinished(pool: &SqlitePool) -> Result<Vec<(JobId, JobMark)>> {
    let sql = "SELECT j.id, j.mark FROM job_states AS s JOIN jobs AS j ON j.id = s.job
               WHERE s.state = 'sending' AND j.origin = 'local' ORDER BY s.job";
    let rows = sqlx::query(sql).fetch_all(pool).await?;
    Ok(rows.iter().map(|row| (JobId(row.get(0)), JobMark::new(row.get::<String, _>(1)))).collect())
}

/// The newest moment this log itself sent or received (design 4.4).
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn newest(pool: &SqlitePool) -> Result<Moment> {
    let at: Option<i64> = sqlx::query(NEWEST).fetch_one(pool).await?.get(0);
    Ok(Moment(at.unwrap_or(i64::MIN)))
}

/// As [`newest`], from inside a piece of write work.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub fn newest_written(connection: &Connection) -> Result<Moment> {
    let at: Option<i64> = connection.prepare_cached(NEWEST)?.query_row([], |row| row.get(0))?;
    Ok(Moment(at.unwrap_or(i64::MIN)))
}

//! Bulks and their rows. A row is written as begun before anything of it leaves, and is over once (a trigger holds it).

use rusqlite::{Connection, params};
use serde::{Serialize, de::DeserializeOwned};
use sqlx::{AssertSqlSafe, Row as _, SqlitePool, sqlite::SqliteRow};

use super::{events::lanes_of, jobs::word};
use crate::{
    clock::Moment,
    error::{Code, Error, Result},
    ids::{AccountId, BulkId, BulkMark, JobId, JobMark, PostId, WorkspaceId},
    outbound::bulk::{
        Bulk, Row, State,
        came::{Actual, RowState},
        filter::{Filter, Told},
        group::Group,
        report::Line,
    },
    pozy::secrecy::{Mask, masked_text},
};

/// Appends a bulk that is being planned.
///
/// # Errors
/// `Storage` if its mark is taken or the log cannot be written.
pub fn insert(
    connection: &Connection,
    mark: &BulkMark,
    workspace: WorkspaceId,
    filter: &Filter,
    at_once: u32,
    now: Moment,
) -> Result<BulkId> {
    connection
        .prepare_cached(
            "INSERT INTO bulks (mark, created_ns, workspace, filter, at_once, state)
             VALUES (?, ?, ?, ?, ?, 'planning')",
        )?
        .execute(params![mark.as_str(), now.0, workspace.0, json(filter)?, at_once])?;
    Ok(BulkId(connection.last_insert_rowid()))
}

/// Appends rows to a bulk.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn insert_rows(connection: &Connection, bulk: BulkId, rows: &[Row]) -> Result<()> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO bulk_rows (bulk, n, job, grp, says, forecast, accounts, posts, state)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waits')",
    )?;
    for row in rows {
        insert.execute(params![
            bulk.0,
            row.n,
            row.job.0,
            row.group.word(),
            row.says,
            row.forecast.as_ref().map(json).transpose()?,
            json(&row.accounts)?,
            json(&row.posts)?,
        ])?;
    }
    Ok(())
}

/// Puts a row that was not begun into another group, with another forecast.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn regroup(connection: &Connection, bulk: BulkId, row: &Row) -> Result<()> {
    connection
        .prepare_cached(
            "UPDATE bulk_rows SET grp = ?3, says = ?4, forecast = ?5, accounts = ?6, posts = ?7
             WHERE bulk = ?1 AND n = ?2 AND state = 'waits'",
        )?
        .execute(params![
            bulk.0,
            row.n,
            row.group.word(),
            row.says,
            row.forecast.as_ref().map(json).transpose()?,
            json(&row.accounts)?,
            json(&row.posts)?,
        ])?;
    Ok(())
}

/// Moves a bulk on if it is in one of the states `from`; true if it was.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn move_on(connection: &Connection, bulk: BulkId, from: &[State], to: State, why: Option<&str>) -> Result<bool> {
    let states: Vec<&str> = from.iter().map(|state| state.word()).collect();
    let moved = connection
        .prepare_cached(
            "UPDATE bulks SET state = ?2, why = ?3
             WHERE id = ?1 AND state IN (SELECT value FROM json_each(?4))",
        )?
        .execute(params![bulk.0, to.word(), why, json(&states)?])?;
    Ok(moved > 0)
}

/// Sets how many rows are on the wire at once.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn set_at_once(connection: &Connection, bulk: BulkId, at_once: u32) -> Result<()> {
    connection.prepare_cached("UPDATE bulks SET at_once = ?2 WHERE id = ?1")?.execute(params![bulk.0, at_once])?;
    Ok(())
}

/// Records that a person decided to run a group, and why.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn decide(connection: &Connection, bulk: BulkId, group: Group, reason: Option<&str>, at: Moment) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO bulk_groups (bulk, grp, reason, decided_ns) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (bulk, grp) DO UPDATE SET reason = coalesce(?3, reason)",
        )?
        .execute(params![
            bulk.0,
            group.word(),
            reason.map(|reason| masked_text(reason.to_owned(), &mut Mask::default())),
            at.0
        ])?;
    Ok(())
}

/// Writes down that a row is begun, before anything of it leaves. `before` counts the job's attempts until then.
///
/// # Errors
/// `Storage` if the row is over or the log cannot be written.
pub fn begin_row(connection: &Connection, bulk: BulkId, n: u32, before: usize, at: Moment) -> Result<()> {
    let before = i64::try_from(before).unwrap_or(i64::MAX);
    connection
        .prepare_cached(
            "UPDATE bulk_rows SET state = 'begun', before = coalesce(before, ?3), began_ns = coalesce(began_ns, ?4)
             WHERE bulk = ?1 AND n = ?2",
        )?
        .execute(params![bulk.0, n, before, at.0])?;
    Ok(())
}

/// Writes down which job a Post again made.
///
/// # Errors
/// `Storage` if the row is over or the log cannot be written.
pub fn row_made(connection: &Connection, bulk: BulkId, n: u32, made: JobId) -> Result<()> {
    connection
        .prepare_cached("UPDATE bulk_rows SET made = ?3 WHERE bulk = ?1 AND n = ?2")?
        .execute(params![bulk.0, n, made.0])?;
    Ok(())
}

/// Writes down that a row is asked again at `next`.
///
/// # Errors
/// `Storage` if the row is over or the log cannot be written.
pub fn row_open(connection: &Connection, bulk: BulkId, n: u32, next: Moment) -> Result<()> {
    connection
        .prepare_cached("UPDATE bulk_rows SET state = 'open', next_ns = ?3 WHERE bulk = ?1 AND n = ?2")?
        .execute(params![bulk.0, n, next.0])?;
    Ok(())
}

/// Writes down what came of a row. It never changes after that.
///
/// # Errors
/// `Storage` if the row is over already or the log cannot be written.
pub fn end_row(
    connection: &Connection,
    bulk: BulkId,
    n: u32,
    state: RowState,
    came: &Actual,
    at: Moment,
) -> Result<()> {
    connection
        .prepare_cached(
            "UPDATE bulk_rows SET state = ?3, actual = ?4, ended_ns = ?5, next_ns = NULL WHERE bulk = ?1 AND n = ?2",
        )?
        .execute(params![bulk.0, n, state.word(), json(came)?, at.0])?;
    Ok(())
}

/// The rows of jobs that a filter takes by what stands in tables: asked for from `since` on and not finished well, as
/// far as a statement can see. What is done is taken if anything of its post was ever told to have failed; the lanes
/// decide afterwards.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn candidates(pool: &SqlitePool, filter: &Filter, since: Moment) -> Result<Vec<(JobId, JobMark)>> {
    let sql = concat!(
        "SELECT j.id, j.mark FROM jobs AS j JOIN job_states AS s ON s.job = j.id
        WHERE j.created_ns >= ?1 AND (j.origin = 'local' OR ?2) AND s.state <> 'cancelled'
            AND (s.state <> 'done'
                OR EXISTS (SELECT 1 FROM lanes AS l WHERE ",
        lanes_of!("'post:' || s.post"),
        " AND l.status IN ('failed', 'partial')))
            AND (?3 IS NULL OR EXISTS (SELECT 1 FROM job_words AS k WHERE k.job = j.id
                AND k.text LIKE ?3 ESCAPE '\\'))
            AND (?4 IS NULL OR EXISTS (SELECT 1 FROM job_words AS k WHERE k.job = j.id AND k.account = ?4))
        ORDER BY j.created_ns, j.id"
    );
    let like = filter.text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(|text| {
        let escaped = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
        format!("%{escaped}%")
    });
    let account = filter.account.as_deref().filter(|account| !account.is_empty());
    let query = sqlx::query(sql).bind(since.0).bind(filter.imported).bind(like).bind(account);
    Ok(query.fetch_all(pool).await?.iter().map(mark_of).collect())
}

/// The jobs of those names, in their order, each once.
///
/// # Errors
/// `NotFound` if one is not in the log, `Storage` if it cannot be read.
pub async fn named(pool: &SqlitePool, marks: &[String]) -> Result<Vec<(JobId, JobMark)>> {
    let mut found: Vec<(JobId, JobMark)> = Vec::with_capacity(marks.len());
    for mark in marks {
        let row = sqlx::query("SELECT id, mark FROM jobs WHERE mark = ?").bind(mark).fetch_optional(pool).await?;
        let job = row.as_ref().map(mark_of).ok_or_else(|| {
            Error::not_found(format!(
                "There is no job {mark} in this log. `reprise jobs` lists them. Nothing was planned."
            ))
        })?;
        if !found.contains(&job) {
            found.push(job);
        }
    }
    Ok(found)
}

fn mark_of(row: &SqliteRow) -> (JobId, JobMark) {
    (JobId(row.get(0)), JobMark::new(row.get::<String, _>(1)))
}

/// What the lanes of a post hold.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn told(pool: &SqlitePool, post: &PostId) -> Result<Told> {
    let whole = format!("post:{post}");
    let sql = concat!("SELECT lane, status FROM lanes AS l WHERE ", lanes_of!("?1"), " ORDER BY lane");
    let rows = sqlx::query(sql).bind(&whole).fetch_all(pool).await?;
    let mut told = Told::default();
    for row in &rows {
        let (lane, status): (String, Option<String>) = (row.get(0), row.get(1));
        match lane.strip_prefix(&whole).and_then(|rest| rest.strip_prefix('/')) {
            Some(account) => told.targets.push((AccountId::new(account), status)),
            None => told.whole = status,
        }
    }
    Ok(told)
}

/// The job that posts `job` again.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn again(pool: &SqlitePool, job: JobId) -> Result<Option<(JobId, JobMark)>> {
    let row = sqlx::query("SELECT id, mark FROM jobs WHERE again_of = ?").bind(job.0).fetch_optional(pool).await?;
    Ok(row.as_ref().map(mark_of))
}

const BULKS: &str = "
    SELECT b.id, b.mark, b.created_ns, b.workspace, w.name, b.filter, b.at_once, b.state, b.why,
        (SELECT json_group_array(json_array(g.grp, g.reason)) FROM bulk_groups AS g WHERE g.bulk = b.id)
    FROM bulks AS b JOIN workspaces AS w ON w.id = b.workspace";

fn bulk_of(row: &SqliteRow) -> Result<Bulk> {
    Ok(Bulk {
        id: BulkId(row.get(0)),
        mark: BulkMark::new(row.get::<String, _>(1)),
        created: Moment(row.get(2)),
        workspace: WorkspaceId(row.get(3)),
        workspace_name: row.get(4),
        filter: read(row.get(5))?,
        at_once: row.get(6),
        state: read_word(row.get(7))?,
        why: row.get(8),
        chosen: read(row.get(9))?,
    })
}

/// The bulk of that name.
///
/// # Errors
/// `NotFound` if none bears it, `Storage` if the log cannot be read.
pub async fn by_mark(pool: &SqlitePool, mark: &BulkMark) -> Result<Bulk> {
    let sql = AssertSqlSafe(format!("{BULKS} WHERE b.mark = ?"));
    match sqlx::query(sql).bind(mark.as_str()).fetch_optional(pool).await? {
        Some(row) => bulk_of(&row),
        None => Err(Error::not_found(format!("There is no bulk {mark} in this log. `reprise bulk list` lists them."))),
    }
}

/// Up to `limit` bulks that were planned to their end, newest first.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn newest(pool: &SqlitePool, limit: u32) -> Result<Vec<Bulk>> {
    let sql = AssertSqlSafe(format!("{BULKS} WHERE b.state <> 'planning' ORDER BY b.id DESC LIMIT ?"));
    sqlx::query(sql).bind(limit).fetch_all(pool).await?.iter().map(bulk_of).collect()
}

/// Where a bulk stands.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn state(pool: &SqlitePool, bulk: BulkId) -> Result<State> {
    let row = sqlx::query("SELECT state FROM bulks WHERE id = ?").bind(bulk.0).fetch_one(pool).await?;
    read_word(row.get(0))
}

const ROWS: &str = "
    SELECT r.n, r.job, j.mark, r.grp, r.says, r.forecast, r.accounts, r.posts, r.state, r.before,
        r.made, m.mark, r.next_ns, r.began_ns, r.ended_ns, r.actual
    FROM bulk_rows AS r JOIN jobs AS j ON j.id = r.job LEFT JOIN jobs AS m ON m.id = r.made";

fn row_of(row: &SqliteRow) -> Result<Row> {
    let made: Option<i64> = row.get(10);
    let made_mark: Option<String> = row.get(11);
    let moment = |at: usize| row.get::<Option<i64>, _>(at).map(Moment);
    Ok(Row {
        n: row.get(0),
        job: JobId(row.get(1)),
        mark: JobMark::new(row.get::<String, _>(2)),
        group: read_word(row.get(3))?,
        says: row.get(4),
        forecast: row.get::<Option<&str>, _>(5).map(read).transpose()?,
        accounts: read(row.get(6))?,
        posts: read(row.get(7))?,
        state: read_word(row.get(8))?,
        before: row.get::<Option<i64>, _>(9).and_then(|before| usize::try_from(before).ok()),
        made: made.zip(made_mark).map(|(job, mark)| (JobId(job), JobMark::new(mark))),
        next: moment(12),
        began: moment(13),
        ended: moment(14),
        actual: row.get::<Option<&str>, _>(15).map(read).transpose()?,
    })
}

/// Every row of a bulk, in its order.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn rows(pool: &SqlitePool, bulk: BulkId) -> Result<Vec<Row>> {
    let sql = AssertSqlSafe(format!("{ROWS} WHERE r.bulk = ? ORDER BY r.n"));
    sqlx::query(sql).bind(bulk.0).fetch_all(pool).await?.iter().map(row_of).collect()
}

/// Every row of a bulk as its account needs it, without what was foretold.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn lines(pool: &SqlitePool, bulk: &Bulk) -> Result<Vec<Line>> {
    let sql = "SELECT grp, state, coalesce(actual ->> 'made', 0), coalesce(json_array_length(actual, '$.second'), 0),
                   began_ns, ended_ns
               FROM bulk_rows WHERE bulk = ? ORDER BY n";
    let line = |row: &SqliteRow| {
        let group: Group = read_word(row.get(0))?;
        let moment = |at: usize| row.get::<Option<i64>, _>(at).map(Moment);
        Ok(Line {
            group,
            state: read_word(row.get(1))?,
            chosen: bulk.runs(group),
            made: row.get(2),
            second: row.get::<i64, _>(3) > 0,
            took: moment(4).zip(moment(5)),
        })
    };
    sqlx::query(sql).bind(bulk.id.0).fetch_all(pool).await?.iter().map(line).collect()
}

/// Up to `limit` rows of a bulk after row `after`, of one group or of all.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn page(pool: &SqlitePool, bulk: BulkId, group: Option<Group>, after: u32, limit: u32) -> Result<Vec<Row>> {
    let sql = format!("{ROWS} WHERE r.bulk = ?1 AND r.n > ?2 AND (?3 IS NULL OR r.grp = ?3) ORDER BY r.n LIMIT ?4");
    let query = sqlx::query(AssertSqlSafe(sql)).bind(bulk.0).bind(after).bind(group.map(Group::word)).bind(limit);
    query.fetch_all(pool).await?.iter().map(row_of).collect()
}

fn json(value: &impl Serialize) -> Result<String> {
    word(value)
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|cause| Error::caused(Code::Internal, "A stored bulk cannot be read.", cause))
}

fn read_word<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_value(serde_json::Value::from(text))
        .map_err(|cause| Error::caused(Code::Internal, "A stored bulk cannot be read.", cause))
}

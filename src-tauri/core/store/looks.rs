//! What only a fetch can tell, and when it was last fetched without anybody asking (design 4.9): ties and events that
//! cannot be placed (T2), lost tries whose post is known, and posts that were planned for a time in which nobody
//! listened. Imported things are never among them, and a thing of another workspace is not either: there it would seem
//! gone.

use rusqlite::{Connection, params};
use sqlx::{Row, SqlitePool, sqlite::SqliteRow};

use crate::{
    clock::Moment,
    error::Result,
    ids::{AccountId, JobMark, PostId, WorkspaceId},
    outbound::fetch::Subject,
};

/// Why a fetch is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// Events of one instant contradict each other.
    Tie,
    /// An event and a fetch, or an event and its arrival, lie too near or too far apart to be put in order.
    Unplaced,
    /// Nobody knows what came of a try, and its post is known.
    Unknown,
    /// It was planned for a time in which nobody listened; only a person asks for these.
    Gap,
}

impl Why {
    /// The word on the wire.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Tie => "tie",
            Self::Unplaced => "unplaced",
            Self::Unknown => "unknown",
            Self::Gap => "gap",
        }
    }
}

/// One thing that only a fetch can tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// What is to be fetched.
    pub subject: Subject,
    /// Why.
    pub why: Why,
    /// The job whose outcome is not known.
    pub job: Option<JobMark>,
    /// When it may next be fetched without anybody asking; none if it never was.
    pub next: Option<Moment>,
}

/// How it stands in the table of looks.
#[must_use]
pub fn name(subject: &Subject) -> String {
    match subject {
        Subject::Post(post) => format!("post:{post}"),
        Subject::Account(account) => format!("account:{account}"),
        Subject::NewestPosts => "posts".to_owned(),
    }
}

fn subject(resource: &str) -> Option<Subject> {
    if let Some(post) = resource.strip_prefix("post:") {
        return Some(Subject::Post(PostId::new(post)));
    }
    resource.strip_prefix("account:").map(|account| Subject::Account(AccountId::new(account)))
}

/// Up to `limit` things of `workspace` that the rules ask to fetch.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn by_rule(pool: &SqlitePool, workspace: WorkspaceId, limit: u32) -> Result<Vec<Wanted>> {
    let rows = sqlx::query(
        "SELECT w.what, max(w.tie), max(w.job), k.next_ns FROM (
             SELECT l.resource AS what, l.tie, NULL AS job FROM lanes AS l
             WHERE l.wants_fetch = 1 AND EXISTS (
                 SELECT 1 FROM events AS e JOIN arrived AS r ON r.event = e.event JOIN arrivals AS a ON a.seq = r.seq
                 JOIN sessions AS s ON s.id = a.session WHERE e.resource = l.resource AND s.workspace = ?1)
             UNION ALL
             SELECT 'post:' || s.post, 0, j.mark FROM job_states AS s JOIN jobs AS j ON j.id = s.job
             WHERE (s.outcome = 'unknown' OR s.state IN ('waiting', 'sending')) AND s.outcome = 'unknown'
                 AND s.post IS NOT NULL AND j.origin = 'local' AND j.workspace = ?1
                 AND (s.state = 'unknown' OR s.state = 'done'
                     AND NOT EXISTS (SELECT 1 FROM sightings WHERE resource = 'post:' || s.post))
         ) AS w LEFT JOIN looks AS k ON k.path = w.what
         GROUP BY w.what ORDER BY k.next_ns LIMIT ?2",
    )
    .bind(workspace.0)
    .bind(i64::from(limit))
    .fetch_all(pool)
    .await?;
    let wanted = |row: &SqliteRow| {
        let job = row.get::<Option<String>, _>(2).map(JobMark::new);
        let why = match (row.get::<bool, _>(1), &job) {
            (true, _) => Why::Tie,
            (false, Some(_)) => Why::Unknown,
            (false, None) => Why::Unplaced,
        };
        Some(Wanted { subject: subject(row.get(0))?, why, job, next: row.get::<Option<i64>, _>(3).map(Moment) })
    };
    Ok(rows.iter().filter_map(wanted).collect())
}

/// Up to `limit` posts of `workspace` that were planned for a time between `from` and `to` and of which nothing was
/// told since.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn planned_between(
    pool: &SqlitePool,
    workspace: WorkspaceId,
    from: Moment,
    to: Moment,
    limit: u32,
) -> Result<Vec<Wanted>> {
    let rows = sqlx::query(
        "SELECT DISTINCT w.post FROM post_words AS w
         WHERE w.scheduled_ns BETWEEN ?2 AND ?3 AND w.workspace = ?1
             AND NOT EXISTS (SELECT 1 FROM tellings AS t WHERE t.post = w.post AND t.at_ns > w.scheduled_ns)
             AND NOT EXISTS (SELECT 1 FROM events AS e WHERE e.resource = 'post:' || w.post
                 AND e.happened_ns >= w.scheduled_ns AND e.nature = 'real')
         ORDER BY w.post LIMIT ?4",
    )
    .bind(workspace.0)
    .bind(from.0)
    .bind(to.0)
    .bind(i64::from(limit))
    .fetch_all(pool)
    .await?;
    let wanted = |row: &SqliteRow| Wanted {
        subject: Subject::Post(PostId::new(row.get::<String, _>(0))),
        why: Why::Gap,
        job: None,
        next: None,
    };
    Ok(rows.iter().map(wanted).collect())
}

/// Keeps that `subject` was fetched by rule at `now`; each time in a row the next one is `times` further away.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn keep(connection: &Connection, subject: &Subject, now: Moment, wait: impl Fn(i64) -> i64) -> Result<()> {
    let name = name(subject);
    let times: i64 = connection
        .prepare_cached("SELECT coalesce(max(times), 0) FROM looks WHERE path = ?")?
        .query_row([&name], |row| row.get(0))?;
    connection
        .prepare_cached(
            "INSERT INTO looks (path, times, next_ns) VALUES (?1, ?2, ?3)
             ON CONFLICT (path) DO UPDATE SET times = ?2, next_ns = ?3",
        )?
        .execute(params![name, times + 1, now.plus_seconds(wait(times)).0])?;
    // What has not been wanted for long starts over the next time.
    connection.prepare_cached("DELETE FROM looks WHERE next_ns < ?")?.execute([now.plus_seconds(-FORGOTTEN_S).0])?;
    Ok(())
}

/// A thing that was not fetched by rule for this long starts over, seconds.
const FORGOTTEN_S: i64 = 48 * 3_600;

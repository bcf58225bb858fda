//! Rows of the times at which this log was found restored, copied or moved. While one is open nothing is sent; a job
//! that is older than one waits for a person until it was tried since.

use rusqlite::{Connection, params};
use sqlx::{Row as _, SqlitePool};

use crate::{
    clock::Moment,
    error::{Error, Result},
    ids::JobId,
};

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The original lies elsewhere and can be opened there.
    Copied {
        /// Where it lies.
        from: String,
    },
    /// It lay elsewhere, and is not there any more.
    Moved {
        /// Where it lay.
        from: String,
    },
    /// So many tries were made with a newer state of this log.
    Restored {
        /// How many it lacks.
        behind: i64,
    },
    /// This computer has no record of it, though it was sent from before.
    Unknown,
    /// It was saved from a damaged log.
    Repaired,
}

impl Reason {
    const fn word(&self) -> &'static str {
        match self {
            Self::Copied { .. } => "copied",
            Self::Moved { .. } => "moved",
            Self::Restored { .. } => "restored",
            Self::Unknown => "unknown",
            Self::Repaired => "repaired",
        }
    }

    /// What happened, what it means, what to do.
    #[must_use]
    pub fn says(&self) -> String {
        let what = match self {
            Self::Copied { from } => format!("This log is a copy; the one it was copied from lies in {from}."),
            Self::Moved { from } => format!("This log was moved here; it lay in {from} before."),
            Self::Restored { behind: 1 } => {
                "This log is older than what was sent with it, as after a backup was put back: 1 try is missing."
                    .to_owned()
            }
            Self::Restored { behind } => format!(
                "This log is older than what was sent with it, as after a backup was put back: {behind} tries are missing."
            ),
            Self::Unknown => {
                "This log comes from another computer or user, or the record of it here is gone.".to_owned()
            }
            Self::Repaired => "This log was saved from a damaged one; its newest tries may be missing.".to_owned(),
        };
        format!(
            "{what} What was sent elsewhere since is not known here, so nothing is sent, and every open post waits for \
             you. Look at the accounts, and see that no other copy is in use; then choose Go on from here."
        )
    }
}

/// Writes down what was found. Gives the jobs that were waiting for their next try, which are to be judged anew.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn insert(connection: &Connection, reason: &Reason, at: Moment) -> Result<Vec<JobId>> {
    let (folder, behind) = match reason {
        Reason::Copied { from } | Reason::Moved { from } => (Some(from), None),
        Reason::Restored { behind } => (None, Some(behind)),
        Reason::Unknown | Reason::Repaired => (None, None),
    };
    connection
        .prepare_cached(
            "INSERT INTO moves (at_ns, reason, folder, behind, last_job, last_attempt) SELECT ?1, ?2, ?3, ?4, \
             coalesce((SELECT max(id) FROM jobs), 0), coalesce((SELECT max(id) FROM attempts), 0)",
        )?
        .execute(params![at.0, reason.word(), folder, behind])?;
    let mut statement = connection.prepare_cached("SELECT job FROM job_states WHERE next_ns IS NOT NULL")?;
    let rows = statement.query_map([], |row| row.get(0).map(JobId))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// A person says to go on from here.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn agree(connection: &Connection, at: Moment) -> Result<()> {
    connection.prepare_cached("UPDATE moves SET agreed_ns = ?1 WHERE agreed_ns IS NULL")?.execute([at.0])?;
    Ok(())
}

/// Why nothing is sent now, if that is so: the newest that nobody has agreed to.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn open(pool: &SqlitePool) -> Result<Option<Reason>> {
    let sql = "SELECT reason, folder, behind FROM moves WHERE agreed_ns IS NULL ORDER BY id DESC LIMIT 1";
    let Some(row) = sqlx::query(sql).fetch_optional(pool).await? else { return Ok(None) };
    let from = || row.get::<Option<String>, _>(1).unwrap_or_default();
    Ok(Some(match row.get::<&str, _>(0) {
        "copied" => Reason::Copied { from: from() },
        "moved" => Reason::Moved { from: from() },
        "restored" => Reason::Restored { behind: row.get::<Option<i64>, _>(2).unwrap_or_default() },
        "repaired" => Reason::Repaired,
        _ => Reason::Unknown,
    }))
}

/// Numbers that tell a log from its older and other copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stand {
    /// The newest try made from here; 0 before the first one.
    pub attempt: i64,
    /// Whether anything was ever asked for here.
    pub has_jobs: bool,
}

/// Where the log stands.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn stand(pool: &SqlitePool) -> Result<Stand> {
    let sql = "SELECT coalesce((SELECT max(id) FROM attempts WHERE import IS NULL), 0), \
               EXISTS (SELECT 1 FROM jobs WHERE origin = 'local')";
    let row = sqlx::query(sql).fetch_one(pool).await?;
    Ok(Stand { attempt: row.get(0), has_jobs: row.get(1) })
}

/// How many jobs wait for a person because of a move.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn waiting(pool: &SqlitePool) -> Result<i64> {
    let sql = "SELECT count(*) FROM job_states AS s JOIN jobs AS j ON j.id = s.job \
               WHERE s.state IN ('draft', 'unknown') AND j.origin = 'local' AND EXISTS (SELECT 1 FROM moves AS m \
               WHERE j.id <= m.last_job AND NOT EXISTS (SELECT 1 FROM attempts WHERE job = j.id AND id > m.last_attempt))";
    Ok(sqlx::query(sql).fetch_one(pool).await?.get(0))
}

impl From<Reason> for Error {
    fn from(reason: Reason) -> Self {
        Self::refused(format!("{} Nothing was sent.", reason.says()))
    }
}

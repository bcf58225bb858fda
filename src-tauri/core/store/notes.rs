//! What people saw or decided, append-only.

use rusqlite::{Connection, params};
use sqlx::{Row, SqlitePool};

use crate::{
    clock::Moment,
    error::Result,
    ids::{ImportId, JobMark},
    pozy::secrecy::{Mask, fits, is_masked, masked_text},
};

/// What a person can note by hand.
pub const ACTIONS: [&str; 4] = ["settled", "seen_twice", "not_seen", "comment"];

/// What a log line may tell beside those: what was decided of a job by other commands.
const DECIDED: [&str; 2] = ["post_again", "cancelled"];

/// Why nothing can be noted so, as a sentence without its stop; none if it can. `settled` and the decisions tell what
/// became of a job and move it, so that without one they would say something of nothing.
#[must_use]
pub fn lacks(action: &str, job: Option<&str>, post: Option<&str>) -> Option<&'static str> {
    match (action, job) {
        (_, None) if post.is_none() => Some("A note is about a job or a post, and names one"),
        ("settled", None) => {
            Some("`settled` tells what became of a job, and names it; of a post alone it says nothing")
        }
        (action, None) if DECIDED.contains(&action) => Some("It tells what was decided of a job, and names none"),
        _ => None,
    }
}

/// True for every action that a note can bear.
#[must_use]
pub fn is_known(action: &str) -> bool {
    ACTIONS.contains(&action) || DECIDED.contains(&action)
}

/// A note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// When.
    pub at: Moment,
    /// Mark of the job it is about.
    pub job: Option<String>,
    /// The post it is about.
    pub post: Option<String>,
    /// One of [`ACTIONS`], `post_again` or `cancelled`.
    pub action: String,
    /// Their words.
    pub text: String,
    /// `settled` alone: whether a post is there; none if the note does not say.
    pub there: Option<bool>,
}

/// Adds a note; `import` is the file it was read from, whose secrets are masked already. What a person types is masked
/// here, so that no secret of theirs reaches the log.
///
/// # Errors
/// `Storage` if the log cannot be written or the action is none of the table's.
pub fn insert(connection: &Connection, note: &Note, import: Option<ImportId>) -> Result<()> {
    let text = match import {
        Some(_) => note.text.clone(),
        None => masked_text(note.text.clone(), &mut Mask::default()),
    };
    connection
        .prepare_cached(
            "INSERT INTO notes (at_ns, job, post, action, text, there, import) VALUES (?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            note.at.0,
            note.job,
            note.post,
            note.action,
            text,
            note.there,
            import.map(|import| import.0)
        ])?;
    Ok(())
}

/// How many notes are the same but for the numbers of what is masked, leaving out those that the import `except`
/// brought.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub fn count_equal(connection: &Connection, note: &Note, except: ImportId) -> Result<usize> {
    let sql = "SELECT text FROM notes WHERE at_ns = ? AND job IS ? AND post IS ? AND action = ? AND there IS ? \
               AND import IS NOT ?";
    let values = params![note.at.0, note.job, note.post, note.action, note.there, except.0];
    let mut statement = connection.prepare_cached(sql)?;
    let texts = statement.query_map(values, |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    let masked = is_masked(&note.text);
    Ok(texts.iter().filter(|text| **text == note.text || (masked && fits(&note.text, text))).count())
}

/// The notes about a job, oldest first.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn of_job(pool: &SqlitePool, job: &JobMark) -> Result<Vec<Note>> {
    let sql = "SELECT at_ns, job, post, action, text, there FROM notes WHERE job = ? ORDER BY at_ns, id";
    let rows = sqlx::query(sql).bind(job.as_str()).fetch_all(pool).await?;
    let note = |row: &sqlx::sqlite::SqliteRow| Note {
        at: Moment(row.get(0)),
        job: row.get(1),
        post: row.get(2),
        action: row.get(3),
        text: row.get(4),
        there: row.get(5),
    };
    Ok(rows.iter().map(note).collect())
}

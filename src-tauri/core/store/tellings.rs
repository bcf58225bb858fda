//! Which words went, or were asked to go, to which account, and what was told of each target: what the content check
//! before sending looks at (R10, design 4.6). Written along with the job, the answer or the fetch it is read from.

use rusqlite::{Connection, params};
use sqlx::{Row as _, SqlitePool};

use super::{doubles, observations::NewObservation, workspaces::THIS_LOG};
use crate::{
    clock::Moment,
    error::Result,
    ids::{AccountId, AttemptId, JobId, PostId, WorkspaceId},
    outbound::forecast::{
        live::THERE,
        words::{self, Words},
    },
    pozy::{
        answers::{Meaning, Reading},
        told::{self, Told},
    },
};

/// Keeps the words of a job, account by account.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn keep_job(connection: &Connection, job: JobId, words: &Words) -> Result<()> {
    let mut insert =
        connection.prepare_cached("INSERT INTO job_words (job, account, words, text) VALUES (?, ?, unhex(?), ?)")?;
    for place in &words.places {
        insert.execute(params![job.0, place.account.as_str(), words.mark_of(place).0, place.text])?;
    }
    Ok(())
}

/// Keeps what the answer to a new post tells: of the post that was made or given back, or of the one whose content
/// stood in the way.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn keep_answer(
    connection: &Connection,
    attempt: AttemptId,
    sent: &[u8],
    body: &[u8],
    reading: &Reading,
    at: Moment,
) -> Result<()> {
    let Some(post) = &reading.post else { return Ok(()) };
    let (workspace, imported): (i64, bool) = connection
        .prepare_cached("SELECT workspace, import IS NOT NULL FROM attempts WHERE id = ?")?
        .query_row([attempt.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let workspace = Some(WorkspaceId(workspace));
    let hearsay = imported && is_foreign(connection, workspace)?;
    let from = From { workspace, at: reading.date.unwrap_or(at), hearsay };
    let ours = Words::of(sent);
    match reading.meaning {
        Meaning::SameContent => {
            for place in &ours.places {
                if reading.account.as_deref().is_none_or(|account| account == place.account.as_str()) {
                    let known = Row { post, account: place.account.as_str(), from, scheduled: None };
                    known.keep(connection, Some((&ours.mark_of(place).0, &place.text)), None)?;
                    known.tell(connection, THERE, None)?;
                }
            }
            Ok(())
        }
        Meaning::Created => {
            for place in &ours.places {
                let known = Row { post, account: place.account.as_str(), from, scheduled: scheduled(&ours) };
                known.keep(connection, Some((&ours.mark_of(place).0, &place.text)), None)?;
            }
            told::answered(body).map_or(Ok(()), |told| keep(connection, &told, from))
        }
        _ => told::answered(body).map_or(Ok(()), |told| keep(connection, &told, from)),
    }
}

/// Keeps what a fetch tells.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn keep_fetch(connection: &Connection, new: &NewObservation<'_>) -> Result<()> {
    let hearsay = new.import.is_some() && is_foreign(connection, new.workspace)?;
    let from = From { workspace: new.workspace, at: new.at, hearsay };
    let told = told::fetched(new.path, new.status, new.body.unwrap_or_default());
    told.iter().try_for_each(|told| keep(connection, told, from))
}

/// True for a workspace that only a file names, and that nobody tied to one of this log.
fn is_foreign(connection: &Connection, workspace: Option<WorkspaceId>) -> Result<bool> {
    let Some(workspace) = workspace else { return Ok(true) };
    let sql = "SELECT base_url IS NULL AND same_as IS NULL AND name <> ?2 FROM workspaces WHERE id = ?1";
    Ok(connection.prepare_cached(sql)?.query_row(params![workspace.0, THIS_LOG], |row| row.get(0))?)
}

const fn scheduled(words: &Words) -> Option<Moment> {
    match words.timing {
        words::Timing::At(time) => Some(time),
        words::Timing::Now | words::Timing::Never => None,
    }
}

fn keep(connection: &Connection, told: &Told, from: From) -> Result<()> {
    for target in &told.targets {
        let row = Row { post: &told.post, account: target.account.as_str(), from, scheduled: told.scheduled };
        let mark = words::mark(&target.text, &told.media);
        row.keep(connection, told.worded.then_some((&mark.0, &target.text)), target.published)?;
        if let Some(status) = &target.status {
            row.tell(connection, status, target.published)?;
        }
    }
    match &told.status {
        // Of a target whose own state is told, that of the whole says nothing more.
        Some(status) if told.targets.iter().all(|target| target.status.is_none()) => {
            Row { post: &told.post, account: "", from, scheduled: told.scheduled }.tell(connection, status, None)
        }
        _ => Ok(()),
    }
}

/// Most texts of one account that are looked through.
const TEXTS: i64 = 500;

/// Posts on `account` whose words are known and that were told of, planned or live since `since`, latest first.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn texts_on(pool: &SqlitePool, account: &AccountId, since: Moment) -> Result<Vec<(PostId, String)>> {
    let sql = "SELECT post, text FROM post_words WHERE account = ? AND last_ns >= ? AND text IS NOT NULL
               ORDER BY last_ns DESC LIMIT ?";
    let rows = sqlx::query(sql).bind(account.as_str()).bind(since.0).bind(TEXTS).fetch_all(pool).await?;
    Ok(rows.iter().map(|row| (PostId::new(row.get::<String, _>(0)), row.get(1))).collect())
}

/// Where something is told.
#[derive(Clone, Copy)]
struct From {
    workspace: Option<WorkspaceId>,
    at: Moment,
    /// A file tells it, of a workspace that this log does not know for its own.
    hearsay: bool,
}

/// One target that something is told of.
#[derive(Clone, Copy)]
struct Row<'a> {
    post: &'a PostId,
    account: &'a str,
    from: From,
    scheduled: Option<Moment>,
}

impl Row<'_> {
    fn keep(self, connection: &Connection, words: Option<(&String, &String)>, published: Option<Moment>) -> Result<()> {
        let last = [Some(self.from.at), self.scheduled, published].into_iter().flatten().max().unwrap_or(self.from.at);
        connection
            .prepare_cached(
                "INSERT INTO post_words (post, account, words, text, workspace, scheduled_ns, last_ns)
                 VALUES (?1, ?2, unhex(?3), ?4, ?5, ?6, ?7)
                 ON CONFLICT (post, account) DO UPDATE SET
                     words = coalesce(excluded.words, words), text = coalesce(excluded.text, text),
                     workspace = coalesce(workspace, excluded.workspace),
                     scheduled_ns = coalesce(excluded.scheduled_ns, scheduled_ns),
                     last_ns = max(last_ns, excluded.last_ns)",
            )?
            .execute(params![
                self.post.as_str(),
                self.account,
                words.map(|(mark, _)| mark),
                words.map(|(_, text)| text),
                self.from.workspace.map(|workspace| workspace.0),
                self.scheduled.map(|time| time.0),
                last.0,
            ])?;
        doubles::note(connection, self.post, self.account)
    }

    fn tell(self, connection: &Connection, status: &str, published: Option<Moment>) -> Result<()> {
        connection
            .prepare_cached(
                "INSERT INTO tellings (post, account, at_ns, status, published_ns, scheduled_ns, hearsay)
                 VALUES (?, ?, ?, ?, ?, ?, ?)
                 -- `Date` has whole seconds: of two tellings in one of them the later one holds, and our own before a file's.
                 ON CONFLICT DO UPDATE SET published_ns = excluded.published_ns, scheduled_ns = excluded.scheduled_ns,
                     hearsay = excluded.hearsay
                 WHERE excluded.hearsay <= hearsay",
            )?
            .execute(params![
                self.post.as_str(),
                self.account,
                self.from.at.0,
                status,
                published.map(|time| time.0),
                self.scheduled.map(|time| time.0),
                self.from.hearsay,
            ])?;
        Ok(())
    }
}

//! Fills the index of words behind everything else: in slices that hold the write lock for a moment, one at a time, so
//! that whatever is live goes in between them. The mark of how far it came is written with the rows, so that an end at
//! any moment loses nothing and doubles nothing, and several programs on one log never index a row twice.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, params};
use sqlx::Row as _;
use tokio::{sync::watch, time};

use super::{Commits, Store, packed::unpack};
use crate::{clock::Clock, error::Result, pozy::text, search::words};

/// How much one slice may do.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Most rows.
    pub rows: usize,
    /// Most bytes of words, so that what the commit has to write stays small.
    pub bytes: usize,
    /// How long it may put rows in, milliseconds.
    pub ms: i64,
}

impl Pace {
    /// Behind everything else: an arrival that comes meanwhile waits for one slice with its commit, so it is short.
    pub const BEHIND: Self = Self { rows: 512, bytes: 256 << 10, ms: 5 };
}

/// Between two slices of a long way, while nothing else is written and while something is.
const BREATHS: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(40)];
/// The log rests once nothing was written for so long.
const REST: Duration = Duration::from_millis(150);
/// A flood of arrivals is left alone for so long, so that few of them wait for the index.
const FLOOD: Duration = Duration::from_secs(2);
/// Other programs may write, too: without a change of our own the log is looked at this often.
const AT_LEAST: Duration = Duration::from_secs(5);
/// Pages of the index that one step of tidying writes: what an arrival may have to wait for.
const TIDY_PAGES: i64 = 16;
/// Most steps of tidying that follow a slice: several times what it wrote, since what is merged once is merged again.
const TIDY_STEPS: usize = 24;

/// Stands between texts that belong to one row, so that no phrase reaches over their border. No word holds it.
const BORDER: &str = " \u{b6} ";

/// One row of an index: its number and its words.
type Line = (i64, String);

/// Keeps the index up with the log until the log is closed.
pub async fn keep_up(store: Store) {
    let mut commits = store.commits();
    let mut filler = Filler::new(Pace::BEHIND);
    loop {
        let before = commits.borrow().loud;
        match filler.slice(&store).await {
            Ok(true) => {
                let busy = commits.borrow().loud != before;
                time::sleep(BREATHS[usize::from(busy)]).await;
                continue;
            }
            Ok(false) => {}
            // The log may just be closing; what is not indexed is looked through.
            Err(problem) => tracing::debug!(%problem, "the index of words could not be filled"),
        }
        if Commits::next_loud(&mut commits, AT_LEAST).await.is_none() {
            return;
        }
        rest(&mut commits).await;
    }
}

/// Waits until the log rests, or a flood has lasted too long.
async fn rest(commits: &mut watch::Receiver<Commits>) {
    let rests = async { while Commits::next_loud(commits, REST).await == Some(true) {} };
    // Either way it is time.
    drop(time::timeout(FLOOD, rests).await);
}

/// Fills the index slice by slice. What was read and did not fit into a slice's time is kept for the next one, so that a
/// writer with little time to give has nothing read twice.
pub struct Filler {
    pace: Pace,
    messages: Option<Read>,
    jobs: Option<Read>,
}

impl Filler {
    /// Nothing is read yet.
    #[must_use]
    pub const fn new(pace: Pace) -> Self {
        Self { pace, messages: None, jobs: None }
    }

    /// Puts one slice of each kind of row into the index, and lets the index put its parts together; true if more may be left.
    ///
    /// # Errors
    /// `Storage` if the log cannot be read or written; what was indexed so far stays.
    pub async fn slice(&mut self, store: &Store) -> Result<bool> {
        let messages = match self.messages.take() {
            Some(rest) => Some(rest),
            None => read_messages(store, self.pace).await?,
        };
        let jobs = match self.jobs.take() {
            Some(rest) => Some(rest),
            None => read_jobs(store, self.pace).await?,
        };
        let more = messages.is_some() || jobs.is_some();
        if let Some(read) = messages {
            self.messages = write_messages(store, read, self.pace.ms).await?;
            // SQLite would do it within the commits of some slices, which an arrival would wait for (migration 26).
            let mut steps = 0..TIDY_STEPS;
            while steps.next().is_some() && store.write_quietly(tidy_step).await? {}
        }
        if let Some(read) = jobs {
            self.jobs = write_jobs(store, read, self.pace.ms).await?;
        }
        let posts = posts(store, self.pace).await?;
        Ok(more || posts)
    }
}

async fn reach(store: &Store, what: &str, newest: &'static str) -> Result<(i64, i64)> {
    let row = sqlx::query("SELECT upto FROM indexed_to WHERE what = ?").bind(what).fetch_one(store.pool()).await?;
    // Numbers are given in the order of commits: every row up to the newest one is there to be read.
    let newest = sqlx::query(newest).fetch_one(store.pool()).await?;
    Ok((row.get(0), newest.get::<Option<i64>, _>(0).unwrap_or_default()))
}

/// Words of rows that were read and are not in the index yet: of all from after `from` up to `upto`.
pub(super) struct Read {
    from: i64,
    upto: i64,
    lines: Vec<Line>,
}

/// Reads the next arrivals; none if the index has them all.
pub(super) async fn read_messages(store: &Store, pace: Pace) -> Result<Option<Read>> {
    let (from, newest) = reach(store, "arrivals", "SELECT max(seq) FROM arrivals").await?;
    if newest <= from {
        return Ok(None);
    }
    let rows = sqlx::query(
        "SELECT b.seq, b.coding, b.bytes, a.aside IS NULL FROM bodies AS b CROSS JOIN arrivals AS a ON a.seq = b.seq
         WHERE b.seq > ? AND b.seq <= ? ORDER BY b.seq LIMIT ?",
    );
    let rows = rows.bind(from).bind(newest).bind(limit(pace)).fetch_all(store.pool()).await?;
    let mut lines = Vec::new();
    let mut upto = if rows.len() < pace.rows { newest } else { from };
    let mut size = 0;
    for row in &rows {
        let seq: i64 = row.get(0);
        if size > pace.bytes {
            upto = seq - 1;
            break;
        }
        upto = upto.max(seq);
        // What is set aside is nobody's word.
        if !row.get::<bool, _>(3) {
            continue;
        }
        // One damaged body keeps no other out of the index.
        let Ok(body) = unpack(row.get(1), row.get(2)) else { continue };
        let line = text::of_body(&body).map(|text| words::line(&text)).filter(|line| !line.is_empty());
        if let Some(line) = line {
            size += line.len();
            lines.push((seq, line));
        }
    }
    Ok(Some(Read { from, upto, lines }))
}

/// Puts what was read into the index, unless somebody was faster, and gives back what there was no time for. A body that
/// has gone meanwhile leaves no words behind.
pub(super) async fn write_messages(store: &Store, read: Read, ms: i64) -> Result<Option<Read>> {
    let there = Some("SELECT 1 FROM bodies WHERE seq = ?");
    let sql = "INSERT INTO message_index (rowid, words) VALUES (?, ?)";
    store.write_quietly(move |connection| put(connection, "arrivals", read, there, sql, ms)).await
}

async fn write_jobs(store: &Store, read: Read, ms: i64) -> Result<Option<Read>> {
    let sql = "INSERT INTO job_index (rowid, words) VALUES (?, ?)";
    store.write_quietly(move |connection| put(connection, "jobs", read, None, sql, ms)).await
}

async fn read_jobs(store: &Store, pace: Pace) -> Result<Option<Read>> {
    let (from, newest) = reach(store, "jobs", "SELECT max(id) FROM jobs").await?;
    if newest <= from {
        return Ok(None);
    }
    let rows = sqlx::query(
        "SELECT j.id, (SELECT json_group_array(text) FROM (SELECT DISTINCT text FROM job_words WHERE job = j.id ORDER BY text))
         FROM jobs AS j WHERE j.id > ? AND j.id <= ? ORDER BY j.id LIMIT ?",
    );
    let rows = rows.bind(from).bind(newest).bind(limit(pace)).fetch_all(store.pool()).await?;
    let all: Vec<Line> = rows.iter().map(|row| (row.get(0), line_of(row.get(1)))).collect();
    let upto = all.last().map_or(newest, |last| last.0);
    let lines: Vec<Line> = all.into_iter().filter(|(_, line)| !line.is_empty()).collect();
    Ok(Some(Read { from, upto, lines }))
}

/// Puts lines in by `sql`, those whose row is `there`, until `ms` milliseconds are over and moves the mark as far as it came;
/// what is left then. Nothing is put in, and nothing left, if the mark was moved by somebody else.
///
/// `sql` must be an `INSERT` of one row of `VALUES`: before any other statement that can fail halfway SQLite has the index
/// write what it gathered, which would make a part of the index of each row.
fn put(
    connection: &Connection,
    what: &str,
    read: Read,
    there: Option<&str>,
    sql: &str,
    ms: i64,
) -> Result<Option<Read>> {
    let Read { from, upto, mut lines } = read;
    let held: Option<i64> = connection
        .prepare_cached("SELECT upto FROM indexed_to WHERE what = ?")?
        .query_row([what], |row| row.get(0))
        .optional()?;
    if held != Some(from) {
        return Ok(None);
    }
    let watch = Clock::stopwatch();
    let mut done = 0;
    for (row, line) in &lines {
        if there.map_or(Ok(true), |there| connection.prepare_cached(there)?.exists([row]))? {
            connection.prepare_cached(sql)?.execute(params![row, line])?;
        }
        done += 1;
        if watch.ms() >= ms {
            break;
        }
    }
    let rest = lines.split_off(done);
    let reached = if rest.is_empty() { upto } else { lines.last().map_or(from, |last| last.0) };
    connection.prepare_cached("UPDATE indexed_to SET upto = ?2 WHERE what = ?1")?.execute(params![what, reached])?;
    Ok((!rest.is_empty()).then_some(Read { from: reached, upto, lines: rest }))
}

/// The words of several texts, a JSON list, as one row.
fn line_of(texts: &str) -> String {
    let texts: Vec<String> = serde_json::from_str(texts).unwrap_or_default();
    let lines: Vec<String> = texts.iter().map(|text| words::line(text)).filter(|line| !line.is_empty()).collect();
    lines.join(BORDER)
}

/// The texts that are told of a post now, a JSON list.
const TOLD: &str = "SELECT i.id, (SELECT json_group_array(text) FROM (SELECT DISTINCT text FROM post_words
    WHERE post = i.post AND text IS NOT NULL ORDER BY text)) FROM indexed_posts AS i";

async fn posts(store: &Store, pace: Pace) -> Result<bool> {
    let sql = sqlx::AssertSqlSafe(format!("{TOLD} WHERE i.due = 1 ORDER BY i.id LIMIT ?"));
    let rows = sqlx::query(sql).bind(limit(pace)).fetch_all(store.pool()).await?;
    if rows.is_empty() {
        return Ok(false);
    }
    let due: Vec<(i64, String, String)> =
        rows.iter().map(|row| (row.get(0), row.get(1), line_of(row.get(1)))).collect();
    store.write_quietly(move |connection| put_posts(connection, &due, pace.ms)).await
}

/// Puts the words of posts in the place of those they had. A post of which something else was told meanwhile stays due.
fn put_posts(connection: &Connection, due: &[(i64, String, String)], ms: i64) -> Result<bool> {
    let watch = Clock::stopwatch();
    for (id, told, line) in due {
        let now: String =
            connection.prepare_cached(&format!("{TOLD} WHERE i.id = ?"))?.query_row([id], |row| row.get(1))?;
        if now == *told {
            connection.prepare_cached("DELETE FROM post_index WHERE rowid = ?")?.execute([id])?;
            if !line.is_empty() {
                connection
                    .prepare_cached("INSERT INTO post_index (rowid, words) VALUES (?, ?)")?
                    .execute(params![id, line])?;
            }
            connection.prepare_cached("UPDATE indexed_posts SET due = 0 WHERE id = ?")?.execute([id])?;
        }
        if watch.ms() >= ms {
            break;
        }
    }
    Ok(true)
}

/// Has the index put its parts together, and so give back the room of words that left it, a few pages at a time.
///
/// # Errors
/// `Storage` if the log cannot be written; the index is whole at any moment.
pub async fn tidy(store: &Store) -> Result<()> {
    while store.write_quietly(tidy_step).await? {}
    Ok(())
}

/// One step; false once nothing is left to do.
fn tidy_step(connection: &Connection) -> Result<bool> {
    let before = connection.total_changes();
    connection
        .prepare_cached("INSERT INTO message_index (message_index, rank) VALUES ('merge', ?)")?
        .execute([TIDY_PAGES])?;
    // The command itself is one change.
    Ok(connection.total_changes() - before >= 2)
}

fn limit(pace: Pace) -> i64 {
    i64::try_from(pace.rows).unwrap_or(i64::MAX)
}

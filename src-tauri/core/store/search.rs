//! What the index of words, the ids and a look through the log find. Two steps each: the index gives numbers, cut to a
//! page first; what is shown of them is read afterwards, a seek a row.

use std::collections::BTreeMap;

use sqlx::{AssertSqlSafe, Row, SqliteConnection, SqlitePool, sqlite::SqliteRow};

use super::packed::{unpack, unpack_json};
use crate::{
    clock::Moment,
    error::Result,
    ids::{EventId, JobId, JobMark, PostId, Resource, Seq},
    pozy::{
        secrecy::{self, Mask},
        text,
    },
    search::{fit, typed::Narrow},
};

/// How far the index goes, and how far the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The newest arrival that was read into the index.
    pub indexed: Seq,
    /// The newest arrival of the log.
    pub newest: Seq,
}

/// An arrival as search looks at it.
#[derive(Clone, Debug)]
pub struct Arrived {
    /// Its number.
    pub seq: Seq,
    /// When it reached us.
    pub at: Moment,
    /// The event it makes or repeats; none if it was set aside.
    pub event: Option<EventId>,
    /// Name of that event.
    pub name: Option<String>,
    /// Platform it speaks of.
    pub platform: Option<String>,
    /// Account it speaks of.
    pub account: Option<String>,
    /// What it is about.
    pub resource: Option<Resource>,
    /// The words of its own body.
    pub text: Option<String>,
    /// Body and headers, if they were asked for.
    pub brought: Vec<String>,
}

impl Arrived {
    /// As it is compared with what was typed.
    #[must_use]
    pub fn row(&self) -> fit::Row<'_> {
        fit::Row {
            event: self.event.as_ref().map(EventId::as_str),
            name: self.name.as_deref(),
            platform: self.platform.as_deref(),
            account: self.account.as_deref(),
            resource: self.resource.as_ref().map(Resource::as_str),
            text: self.text.as_deref(),
            brought: &self.brought,
        }
    }
}

/// A job, or a post, with the texts it carries to its accounts.
#[derive(Clone, Debug)]
pub struct Worded<Id> {
    /// Its number in the index.
    pub number: i64,
    /// Its name.
    pub id: Id,
    /// When it was asked for, or was last told of.
    pub at: Moment,
    /// The post it made, if that is known.
    pub post: Option<PostId>,
    /// Each account with the words there.
    pub texts: BTreeMap<String, String>,
}

impl<Id> Worded<Id> {
    /// True if it is not ruled out; what says nothing of names or platforms is ruled out by them.
    #[must_use]
    pub fn admitted(&self, narrow: &Narrow) -> bool {
        let post = self.post.as_ref().map(PostId::as_str);
        narrow.name.is_none()
            && narrow.platform.is_none()
            && (narrow.post.is_none() || narrow.post.as_deref() == post)
            && narrow.account.as_ref().is_none_or(|account| self.texts.contains_key(account))
    }
}

/// # Errors
/// `Storage` if the log cannot be read.
pub async fn extent(connection: &mut SqliteConnection) -> Result<Extent> {
    let row = sqlx::query(
        "SELECT (SELECT upto FROM indexed_to WHERE what = 'arrivals'), coalesce((SELECT max(seq) FROM arrivals), 0)",
    );
    let row = row.fetch_one(connection).await?;
    Ok(Extent { indexed: Seq(row.get(0)), newest: Seq(row.get(1)) })
}

/// The first step for messages. The index walks its rows from the newest one down and stops at the page's end.
pub(super) const MESSAGES: &str =
    "SELECT rowid FROM message_index WHERE message_index MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?";
/// The same for jobs.
pub(super) const JOBS: &str =
    "SELECT rowid FROM job_index WHERE job_index MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?";
/// The same for posts.
pub(super) const POSTS: &str =
    "SELECT rowid FROM post_index WHERE post_index MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?";

/// What is read of an arrival; of one set aside nothing that it only claims.
const ARRIVED: &str =
    "a.seq, a.at_ns, e.event, e.name, e.platform, e.account, e.resource, b.coding, b.bytes, a.headers";
const AROUND: &str =
    "LEFT JOIN events AS e ON e.event = a.event AND a.aside IS NULL LEFT JOIN bodies AS b ON b.seq = a.seq";

/// Statement of the second step for messages.
pub(super) fn arrived_by_number() -> String {
    format!(
        "SELECT {ARRIVED} FROM json_each(?) AS n CROSS JOIN arrivals AS a ON a.seq = n.value {AROUND} ORDER BY a.seq DESC"
    )
}

/// Second step for jobs.
pub(super) const JOBS_BY_NUMBER: &str =
    "SELECT j.id, j.mark, j.created_ns, s.post, (SELECT json_group_object(account, text) FROM job_words WHERE job = j.id)
     FROM json_each(?) AS n CROSS JOIN jobs AS j ON j.id = n.value LEFT JOIN job_states AS s ON s.job = j.id
     ORDER BY j.id DESC";
/// Second step for posts.
pub(super) const POSTS_BY_NUMBER: &str =
    "SELECT i.id, i.post, (SELECT max(last_ns) FROM post_words WHERE post = i.post), i.post,
         (SELECT json_group_object(account, text) FROM post_words WHERE post = i.post AND text IS NOT NULL)
     FROM json_each(?) AS n CROSS JOIN indexed_posts AS i ON i.id = n.value ORDER BY i.id DESC";

async fn numbers(
    connection: &mut SqliteConnection,
    sql: &'static str,
    expression: &str,
    below: i64,
    limit: u32,
) -> Result<Vec<i64>> {
    let rows = sqlx::query(sql).bind(expression).bind(below).bind(i64::from(limit)).fetch_all(connection).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

fn list(numbers: &[i64]) -> String {
    serde_json::json!(numbers).to_string()
}

/// Up to `limit` arrivals below a number whose words the index knows, newest first.
///
/// # Errors
/// `Storage` if the log cannot be read or is damaged.
pub async fn messages(
    connection: &mut SqliteConnection,
    expression: &str,
    below: Seq,
    limit: u32,
) -> Result<Vec<Arrived>> {
    let found = numbers(connection, MESSAGES, expression, below.0, limit).await?;
    let sql = AssertSqlSafe(arrived_by_number());
    let rows = sqlx::query(sql).bind(list(&found)).fetch_all(connection).await?;
    rows.iter().map(|row| arrived(row, false)).collect()
}

/// Up to `limit` jobs below a number whose words the index knows, newest first.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn jobs(
    connection: &mut SqliteConnection,
    expression: &str,
    below: i64,
    limit: u32,
) -> Result<Vec<Worded<JobMark>>> {
    let found = numbers(connection, JOBS, expression, below, limit).await?;
    let rows = sqlx::query(JOBS_BY_NUMBER).bind(list(&found)).fetch_all(connection).await?;
    Ok(rows.iter().map(|row| worded(row, JobMark::new)).collect())
}

/// Up to `limit` posts below a number whose words the index knows, latest known first.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn posts(
    connection: &mut SqliteConnection,
    expression: &str,
    below: i64,
    limit: u32,
) -> Result<Vec<Worded<PostId>>> {
    let found = numbers(connection, POSTS, expression, below, limit).await?;
    let rows = sqlx::query(POSTS_BY_NUMBER).bind(list(&found)).fetch_all(connection).await?;
    Ok(rows.iter().map(|row| worded(row, PostId::new)).collect())
}

/// Up to `limit` of the newest jobs that the index has not read yet.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn fresh_jobs(connection: &mut SqliteConnection, limit: u32) -> Result<Vec<Worded<JobMark>>> {
    let rows = sqlx::query(
        "SELECT id FROM jobs WHERE id > (SELECT upto FROM indexed_to WHERE what = 'jobs') ORDER BY id DESC LIMIT ?",
    );
    let rows = rows.bind(i64::from(limit)).fetch_all(&mut *connection).await?;
    let found: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
    let rows = sqlx::query(JOBS_BY_NUMBER).bind(list(&found)).fetch_all(connection).await?;
    Ok(rows.iter().map(|row| worded(row, JobMark::new)).collect())
}

/// Up to `limit` posts whose words have changed since the index read them.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn fresh_posts(connection: &mut SqliteConnection, limit: u32) -> Result<Vec<Worded<PostId>>> {
    let rows = sqlx::query("SELECT id FROM indexed_posts WHERE due = 1 ORDER BY id DESC LIMIT ?");
    let rows = rows.bind(i64::from(limit)).fetch_all(&mut *connection).await?;
    let found: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
    let rows = sqlx::query(POSTS_BY_NUMBER).bind(list(&found)).fetch_all(connection).await?;
    Ok(rows.iter().map(|row| worded(row, PostId::new)).collect())
}

/// Up to `limit` arrivals below a number, newest first, with all they brought.
///
/// # Errors
/// `Storage` if the log cannot be read or is damaged.
pub async fn slice(connection: &mut SqliteConnection, below: Seq, limit: u32) -> Result<Vec<Arrived>> {
    let sql = format!("SELECT {ARRIVED} FROM arrivals AS a {AROUND} WHERE a.seq < ? ORDER BY a.seq DESC LIMIT ?");
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(below.0).bind(i64::from(limit)).fetch_all(connection).await?;
    rows.iter().map(|row| arrived(row, true)).collect()
}

/// A try with all it brought.
#[derive(Clone, Debug)]
pub struct Tried {
    /// Its row.
    pub number: i64,
    /// Its job.
    pub job: JobId,
    /// The name of that.
    pub mark: JobMark,
    /// When it left.
    pub at: Moment,
    /// Path, key, request and answer, as they are looked through.
    pub brought: Vec<String>,
}

/// Up to `limit` tries below a number, newest first.
///
/// # Errors
/// `Storage` if the log cannot be read or is damaged.
pub async fn tries(connection: &mut SqliteConnection, below: i64, limit: u32) -> Result<Vec<Tried>> {
    let rows = sqlx::query(
        "SELECT a.id, a.job, j.mark, a.at_ns, a.path, a.key, a.request_id, c.coding, c.bytes, r.headers, d.coding, d.bytes
         FROM attempts AS a JOIN jobs AS j ON j.id = a.job LEFT JOIN contents AS c ON c.hash = a.body
         LEFT JOIN results AS r ON r.attempt = a.id LEFT JOIN contents AS d ON d.hash = r.body
         WHERE a.id < ? ORDER BY a.id DESC LIMIT ?",
    );
    let rows = rows.bind(below).bind(i64::from(limit)).fetch_all(connection).await?;
    rows.iter()
        .map(|row| {
            let said = [4, 5, 6, 9].into_iter().filter_map(|at| row.get::<Option<String>, _>(at));
            let mut brought: Vec<String> = said.map(|text| text.to_lowercase()).collect();
            for (coding, bytes) in [(7, 8), (10, 11)] {
                brought.extend(body(row, coding, bytes)?.map(|body| fit::readable(&body)));
            }
            Ok(Tried {
                number: row.get(0),
                job: JobId(row.get(1)),
                mark: JobMark::new(row.get::<String, _>(2)),
                at: Moment(row.get(3)),
                brought,
            })
        })
        .collect()
}

/// How many tries there are numbers for.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn newest_try(connection: &mut SqliteConnection) -> Result<i64> {
    let row = sqlx::query("SELECT coalesce(max(id), 0) FROM attempts").fetch_one(connection).await?;
    Ok(row.get(0))
}

fn body(row: &SqliteRow, coding: usize, bytes: usize) -> Result<Option<Vec<u8>>> {
    let Some(coding) = row.get::<Option<String>, _>(coding) else { return Ok(None) };
    unpack(&coding, row.get(bytes)).map(Some)
}

fn arrived(row: &SqliteRow, whole: bool) -> Result<Arrived> {
    let body = body(row, 7, 8)?;
    let mut brought = Vec::new();
    if whole {
        brought.extend(body.as_deref().map(fit::readable));
        brought.push(header_text(row.get(9))?);
    }
    let event = row.get::<Option<String>, _>(2).map(EventId::new);
    Ok(Arrived {
        seq: Seq(row.get(0)),
        at: Moment(row.get(1)),
        name: row.get(3),
        platform: row.get(4),
        account: row.get(5),
        resource: row.get::<Option<String>, _>(6).map(Resource::new),
        // What was set aside is looked through, but its words are nobody's.
        text: event.as_ref().and(body.as_deref()).and_then(text::of_body),
        event,
        brought,
    })
}

/// Packed headers as they are looked through: what is masked on every way out is not found either.
///
/// # Errors
/// `Storage` if they are damaged.
pub(super) fn header_text(packed: Vec<u8>) -> Result<String> {
    let mut headers: Vec<(String, String)> = serde_json::from_slice(&unpack_json(packed)?).unwrap_or_default();
    secrecy::mask_headers(&mut headers, &mut Mask::default());
    let lines: Vec<String> = headers.into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
    Ok(lines.join("\n").to_lowercase())
}

fn worded<Id>(row: &SqliteRow, id: impl Fn(String) -> Id) -> Worded<Id> {
    let texts: Option<String> = row.get(4);
    Worded {
        number: row.get(0),
        id: id(row.get(1)),
        at: Moment(row.get::<Option<i64>, _>(2).unwrap_or_default()),
        post: row.get::<Option<String>, _>(3).map(PostId::new),
        texts: texts.and_then(|texts| serde_json::from_str(&texts).ok()).unwrap_or_default(),
    }
}

/// Something with an id or a name that begins with what was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// A post.
    Post(PostId),
    /// An event, and when it last arrived.
    Event(EventId, Moment),
    /// A job, and when it was asked for.
    Job(JobMark, Moment),
    /// An account.
    Account(String),
    /// A name of messages.
    Name(String),
}

/// Ids and names that begin with `start`, each kind by a seek in its index; of each at most `limit`.
pub(super) const NAMED: [&str; 8] = [
    "SELECT DISTINCT 'post', substr(resource, 6), NULL FROM events
     WHERE resource >= 'post:' || ?1 AND resource < 'post:' || ?2 ORDER BY resource LIMIT ?3",
    "SELECT DISTINCT 'post', post, NULL FROM readings WHERE post >= ?1 AND post < ?2 AND post IS NOT NULL ORDER BY post LIMIT ?3",
    "SELECT DISTINCT 'post', substr(resource, 6), NULL FROM sightings
     WHERE resource >= 'post:' || ?1 AND resource < 'post:' || ?2 ORDER BY resource LIMIT ?3",
    "SELECT 'event', event, last_ns FROM events WHERE event >= ?1 AND event < ?2 ORDER BY event LIMIT ?3",
    "SELECT 'job', mark, created_ns FROM jobs WHERE mark >= ?1 AND mark < ?2 ORDER BY mark LIMIT ?3",
    "SELECT DISTINCT 'job', j.mark, j.created_ns FROM workspaces AS w CROSS JOIN attempts AS a ON a.workspace = w.id
     CROSS JOIN jobs AS j ON j.id = a.job WHERE a.key >= ?1 AND a.key < ?2 AND a.key IS NOT NULL LIMIT ?3",
    "WITH RECURSIVE walk (account) AS (
         SELECT (SELECT account FROM events WHERE account IS NOT NULL AND account >= ?1 ORDER BY account LIMIT 1)
         UNION ALL
         SELECT (SELECT account FROM events WHERE account IS NOT NULL AND account > walk.account ORDER BY account LIMIT 1)
         FROM walk WHERE account < ?2)
     SELECT 'account', account, NULL FROM walk WHERE account < ?2 LIMIT ?3",
    "WITH RECURSIVE walk (name) AS (
         SELECT (SELECT name FROM events WHERE name >= ?1 ORDER BY name LIMIT 1)
         UNION ALL
         SELECT (SELECT name FROM events WHERE name > walk.name ORDER BY name LIMIT 1) FROM walk WHERE name < ?2)
     SELECT 'name', name, NULL FROM walk WHERE name < ?2 LIMIT ?3",
];

/// What has an id or a name that begins with `start`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn named(pool: &SqlitePool, start: &str, limit: u32) -> Result<Vec<Named>> {
    let end = format!("{start}\u{10ffff}");
    let mut found = Vec::new();
    for sql in NAMED {
        let rows = sqlx::query(sql).bind(start).bind(&end).bind(i64::from(limit)).fetch_all(pool).await?;
        for row in &rows {
            let (id, at) = (row.get::<String, _>(1), Moment(row.get::<Option<i64>, _>(2).unwrap_or_default()));
            let one = match row.get::<&str, _>(0) {
                "post" => Named::Post(PostId::new(id)),
                "event" => Named::Event(EventId::new(id), at),
                "job" => Named::Job(JobMark::new(id), at),
                "account" => Named::Account(id),
                _ => Named::Name(id),
            };
            if !found.contains(&one) {
                found.push(one);
            }
        }
    }
    Ok(found)
}

/// The words of a post as any message or fetch told them last, and when.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn words_of_post(pool: &SqlitePool, post: &PostId) -> Result<(Option<String>, Option<Moment>)> {
    let row = sqlx::query(
        "SELECT coalesce(
                (SELECT text FROM (SELECT text, happened_ns FROM events WHERE resource = 'post:' || ?1 ORDER BY first_ns DESC LIMIT 200)
                 WHERE text IS NOT NULL ORDER BY happened_ns DESC LIMIT 1),
                (SELECT text FROM post_words WHERE post = ?1 AND text IS NOT NULL LIMIT 1)),
            coalesce((SELECT max(last_ns) FROM events WHERE resource = 'post:' || ?1),
                (SELECT max(last_ns) FROM post_words WHERE post = ?1))",
    );
    let row = row.bind(post.as_str()).fetch_one(pool).await?;
    Ok((row.get(0), row.get::<Option<i64>, _>(1).map(Moment)))
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;

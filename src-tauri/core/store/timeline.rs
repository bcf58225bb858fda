//! What the Timeline asks of the log: whatever shows in a span of time, found by seeks on time and then by resource, so
//! that a small span costs the same however long the log is (design 11, P4).

use std::collections::{BTreeMap, HashMap};

use futures_util::future::try_join_all;
use serde::de::DeserializeOwned;
use sqlx::{AssertSqlSafe, Row, SqlitePool, sqlite::SqliteRow};

use crate::{
    clock::Moment,
    error::{Code, Error, Result},
    ids::{AccountId, EventId, JobId, Lane, PostId, Resource, Seq},
};

/// A span of time, both ends in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Its beginning.
    pub from: Moment,
    /// Its end.
    pub to: Moment,
}

impl Span {
    /// The same span, `ns` nanoseconds earlier.
    const fn earlier(self, ns: i64) -> Self {
        Self { from: Moment(self.from.0.saturating_sub(ns)), to: Moment(self.to.0.saturating_sub(ns)) }
    }
}

/// An event as it is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// Its id.
    pub event: EventId,
    /// Its name.
    pub name: String,
    /// When it happened.
    pub happened: Option<Moment>,
    /// The arrival that was first.
    pub first_seq: Seq,
    /// When that reached us.
    pub first: Moment,
    /// When it last reached us.
    pub last: Moment,
    /// How often it reached us.
    pub arrivals: i64,
    /// What it is about.
    pub resource: Resource,
    /// The narrowest lane that it has news of its own for, else its resource (design 8: an event is drawn once).
    pub home: Lane,
    /// What it says of that lane.
    pub status: Option<String>,
    /// Platform it speaks of.
    pub platform: Option<String>,
    /// Account it speaks of.
    pub account: Option<AccountId>,
    /// `in_order`, `late`, `tie` or `unplaced`.
    pub placing: String,
    /// First arrival minus happened, if late, milliseconds.
    pub late_by_ms: Option<i64>,
    /// The event that overtook it.
    pub overtaken_by: Option<EventId>,
    /// Lanes that already held something newer.
    pub stale_lanes: Vec<Lane>,
    /// True if it moved a lane.
    pub applied: bool,
    /// `real`, `test` or `odd`.
    pub nature: String,
    /// Flags of the contract's list.
    pub flags: Vec<String>,
    /// True if it says more than one ordinary step of many.
    pub telling: bool,
}

/// A second or later arrival of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copy {
    /// Its number in this log.
    pub seq: Seq,
    /// When it reached us.
    pub at: Moment,
    /// Counts from 2.
    pub copy: i64,
    /// Code, confidence and words of why it came.
    pub cause: Option<(String, String, String)>,
}

/// An arrival that makes no event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aside {
    /// Its number in this log.
    pub seq: Seq,
    /// When it reached us.
    pub at: Moment,
    /// `quarantined` or `unreadable`.
    pub standing: String,
    /// `valid`, `invalid`, `missing` or `unchecked`.
    pub signature: String,
    /// Flags of the contract's list.
    pub flags: Vec<String>,
}

/// What a fetch said of a lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The lane.
    pub lane: Lane,
    /// What Pozy said.
    pub status: String,
    /// When that held.
    pub at: Moment,
}

/// What is known of a resource whatever the span.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// First words of the post, until its bodies have aged out.
    pub text: Option<String>,
    /// The earliest instant known of it.
    pub since: Option<Moment>,
    /// Platforms by account.
    pub platforms: BTreeMap<String, String>,
}

/// A job with a try in the span, or whose key ends in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Active {
    /// The job.
    pub job: JobId,
    /// Its post, once one is known.
    pub post: Option<PostId>,
    /// Its latest activity in the span.
    pub at: Moment,
}

fn json<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|cause| {
        Error::caused(Code::Storage, "A row of the log is damaged. `reprise doctor` says more.", cause)
    })
}

/// Tries by time with the post of their job.
const TRIES: &str =
    "SELECT recent.job, s.post, recent.at_ns FROM (SELECT job, at_ns FROM attempts WHERE at_ns BETWEEN ?1 AND ?2
             ORDER BY at_ns DESC LIMIT ?3) AS recent LEFT JOIN job_states AS s ON s.job = recent.job";
/// Jobs of some posts.
const JOBS_OF: &str = "SELECT s.post, s.job FROM json_each(?1) AS wanted CROSS JOIN job_states AS s
    ON s.post IS NOT NULL AND s.post = wanted.value ORDER BY s.job";
/// Words, beginning and platforms of some resources: of the newest two hundred messages, since a post may have thousands.
const HEADS: &str = "SELECT wanted.value,
    (SELECT text FROM (SELECT text FROM events WHERE resource = wanted.value ORDER BY first_ns DESC LIMIT 200)
        WHERE text IS NOT NULL LIMIT 1),
    min((SELECT first_ns FROM events WHERE resource = wanted.value ORDER BY first_ns LIMIT 1),
        coalesce((SELECT min(happened_ns) FROM events WHERE resource = wanted.value), 9223372036854775807)),
    (SELECT json_group_object(account, platform) FROM (SELECT account, platform FROM
        (SELECT account, platform FROM events WHERE resource = wanted.value ORDER BY first_ns DESC LIMIT 200)
        WHERE account IS NOT NULL AND platform IS NOT NULL GROUP BY account))
    FROM json_each(?1) AS wanted";
/// How many messages some resources have at all, and how many of them first arrived in a span; no further than `?4`.
const SIZES: &str = "SELECT wanted.value,
    (SELECT count(*) FROM (SELECT 1 FROM events WHERE resource = wanted.value LIMIT ?4)),
    (SELECT count(*) FROM (SELECT 1 FROM events WHERE resource = wanted.value AND first_ns BETWEEN ?1 AND ?2 LIMIT ?4))
    FROM json_each(?3) AS wanted";
/// The arrivals of some events behind their first, of each so many.
const COPIES: &str = "SELECT a.event, a.seq, a.at_ns, s.copy, s.cause, s.confidence, s.says
    FROM json_each(?1) AS wanted CROSS JOIN copies AS a ON a.event = wanted.value JOIN standings AS s ON s.seq = a.seq
    WHERE a.seq IN (SELECT seq FROM copies WHERE event = wanted.value ORDER BY at_ns, tie, seq LIMIT ?2 OFFSET 1)
    ORDER BY a.at_ns, a.tie, a.seq";
/// Arrivals that make no event, by time.
const ASIDE: &str =
    "SELECT a.seq, a.at_ns, s.standing, a.signature, a.flags FROM arrivals AS a JOIN standings AS s ON s.seq = a.seq
         WHERE a.aside IS NOT NULL AND a.at_ns BETWEEN ? AND ? ORDER BY a.at_ns, a.seq";
/// What fetches said of some resources.
const SEEN: &str = "SELECT s.resource, s.lane, s.status, s.at_ns FROM json_each(?3) AS wanted CROSS JOIN sightings AS s
    ON s.resource = wanted.value WHERE s.at_ns BETWEEN ?1 AND ?2 ORDER BY s.at_ns, s.lane";
/// Whatever has a resource and an instant, newest first: arrivals, what happened, fetches. Only copies are sought by the id of
/// their event, which stands on a random page; what arrived first together stands together.
const WALKS: [&str; 3] = [
    "SELECT e.resource, recent.at_ns, e.nature FROM (SELECT seq, event, at_ns FROM arrivals WHERE at_ns BETWEEN ?1 AND ?2
     AND event IS NOT NULL AND aside IS NULL ORDER BY at_ns DESC LIMIT ?3) AS recent CROSS JOIN events AS e ON e.rowid =
     coalesce((SELECT rowid FROM events WHERE first_seq = recent.seq), (SELECT rowid FROM events WHERE event = recent.event))",
    "SELECT resource, happened_ns, nature FROM events WHERE happened_ns IS NOT NULL AND happened_ns BETWEEN ?1 AND ?2
     ORDER BY happened_ns DESC LIMIT ?3",
    "SELECT s.resource, recent.at_ns, 'real' FROM (SELECT id, at_ns FROM observations WHERE at_ns BETWEEN ?1 AND ?2
     ORDER BY at_ns DESC LIMIT ?3) AS recent CROSS JOIN sightings AS s ON s.observation = recent.id",
];

/// The latest instant of each resource of a walk, how many rows of the walk were read for it, and the earliest of them.
fn latest_sql(walk: &str) -> String {
    format!(
        "WITH walk (resource, at, nature) AS ({walk})
         SELECT resource, max(at), count(*), nature = 'test', min(at) FROM walk GROUP BY resource, nature = 'test'"
    )
}

/// Resources with an arrival, something that happened or a fetch in the span, each with its latest one. Of each of the
/// three at most `scan` rows are looked at, newest first; if that left some out, how far back nothing was left out. Tests
/// are not among them.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn resources(
    pool: &SqlitePool,
    span: Span,
    scan: u32,
) -> Result<(BTreeMap<Resource, Moment>, Option<Moment>)> {
    let mut found = BTreeMap::new();
    let mut whole_from = None;
    let read = async |walk| {
        let query = sqlx::query(AssertSqlSafe(latest_sql(walk)));
        query.bind(span.from.0).bind(span.to.0).bind(i64::from(scan)).fetch_all(pool).await
    };
    for rows in try_join_all(WALKS.map(read)).await? {
        if rows.iter().map(|row| row.get::<i64, _>(2)).sum::<i64>() >= i64::from(scan) {
            whole_from = whole_from.max(rows.iter().map(|row| Moment(row.get(4))).min());
        }
        for row in rows.iter().filter(|row| !row.get::<bool, _>(3)) {
            let at = Moment(row.get(1));
            let latest = found.entry(Resource::new(row.get::<String, _>(0))).or_insert(at);
            *latest = at.max(*latest);
        }
    }
    Ok((found, whole_from))
}

/// Jobs with a try in the span, or a first try `key_life_ns` before it, so that their key may end in it. Of each of the two at
/// most `scan` tries are looked at, newest first; if that left some out, how far back nothing was left out.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn jobs(pool: &SqlitePool, span: Span, key_life_ns: i64, scan: u32) -> Result<(Vec<Active>, Option<Moment>)> {
    let mut found: BTreeMap<JobId, Active> = BTreeMap::new();
    let mut whole_from = None;
    let read = async |moved: Span, by: i64| {
        let query = sqlx::query(TRIES).bind(moved.from.0).bind(moved.to.0).bind(i64::from(scan));
        query.fetch_all(pool).await.map(|rows| (rows, by))
    };
    let (now, ending) = tokio::try_join!(read(span, 0), read(span.earlier(key_life_ns), key_life_ns))?;
    for (rows, by) in [now, ending] {
        if rows.len() >= usize::try_from(scan).unwrap_or(usize::MAX) {
            // A join promises no order of its rows.
            whole_from = whole_from.max(rows.iter().map(|row| Moment(row.get::<i64, _>(2).saturating_add(by))).min());
        }
        for row in &rows {
            let at = Moment(row.get::<i64, _>(2).saturating_add(by));
            let post = row.get::<Option<String>, _>(1).map(PostId::new);
            let known = found.entry(JobId(row.get(0))).or_insert_with_key(|job| Active { job: *job, post, at });
            known.at = known.at.max(at);
        }
    }
    Ok((found.into_values().collect(), whole_from))
}

fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    serde_json::json!(names.into_iter().collect::<Vec<_>>()).to_string()
}

fn named(resources: &[Resource]) -> String {
    list(resources.iter().map(Resource::as_str))
}

/// The jobs that some posts are known to belong to, oldest first.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn jobs_of(pool: &SqlitePool, posts: &[PostId]) -> Result<Vec<(PostId, JobId)>> {
    let query = sqlx::query(JOBS_OF).bind(list(posts.iter().map(PostId::as_str)));
    let rows = query.fetch_all(pool).await?;
    Ok(rows.iter().map(|row| (PostId::new(row.get::<String, _>(0)), JobId(row.get(1)))).collect())
}

/// Words, beginning and platforms of some resources.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn heads(pool: &SqlitePool, resources: &[Resource]) -> Result<HashMap<Resource, Head>> {
    let rows = sqlx::query(HEADS).bind(named(resources)).fetch_all(pool).await?;
    let head = |row: &SqliteRow| {
        let since = row.get::<Option<i64>, _>(2).map(Moment);
        let head = Head { text: row.get(1), since, platforms: json(&row.get::<String, _>(3))? };
        Ok((Resource::new(row.get::<String, _>(0)), head))
    };
    rows.iter().map(head).collect()
}

/// Words, beginning and platforms of one resource.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn head(pool: &SqlitePool, resource: Resource) -> Result<Head> {
    Ok(heads(pool, std::slice::from_ref(&resource)).await?.remove(&resource).unwrap_or_default())
}

/// How many messages a resource has, none of the numbers counted further than was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// At all.
    pub all: i64,
    /// That first arrived in the span.
    pub came: i64,
}

/// How many messages some resources have, counted up to `most`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn sizes(
    pool: &SqlitePool,
    resources: &[Resource],
    span: Span,
    most: i64,
) -> Result<HashMap<Resource, Size>> {
    let query = sqlx::query(SIZES).bind(span.from.0).bind(span.to.0).bind(named(resources)).bind(most);
    let rows = query.fetch_all(pool).await?;
    let size = |row: &SqliteRow| (Resource::new(row.get::<String, _>(0)), Size { all: row.get(1), came: row.get(2) });
    Ok(rows.iter().map(size).collect())
}

/// Messages that a person should see one by one, where there is room for it: not one ordinary step of many.
pub(super) const TELLING: &str = "(arrivals > 1 OR placing <> 'in_order' OR flags <> '[]' OR stale_lanes <> '[]' \
     OR coalesce(said, '') IN ('failed', 'partial'))";

/// Reads events to draw them; `from` is what follows `FROM`.
pub(super) fn drawn_from(from: &str) -> String {
    format!(
        "SELECT event, name, happened_ns, first_seq, first_ns, last_ns, arrivals, resource, platform, account, placing, \
         late_by_ms, overtaken_by, stale_lanes, applied, nature, flags, home, said, {TELLING} AS telling FROM {from}"
    )
}
/// An event shows in a span if any part of it does: its happened mark, its arrivals, or the line between them.
const SHOWS: &str =
    "min(first_ns, coalesce(happened_ns, first_ns)) <= ?2 AND max(last_ns, coalesce(happened_ns, last_ns)) >= ?1";

/// All of some resources that shows in a span: for resources with few messages, since all of them are looked at.
fn events_sql() -> String {
    drawn_from(&format!(
        "json_each(?3) AS wanted CROSS JOIN events ON resource = wanted.value \
         WHERE nature <> 'test' AND {SHOWS} ORDER BY first_ns, event"
    ))
}

/// What of one resource with many messages first arrived in a span.
fn came_sql() -> String {
    drawn_from(
        "events WHERE resource = ?3 AND nature <> 'test' AND first_ns BETWEEN ?1 AND ?2 ORDER BY first_ns, event LIMIT ?4",
    )
}

/// What of one resource with many messages happened or last arrived in a span, and first arrived outside it; of what
/// happened so many, the newest.
fn ends_sql() -> String {
    drawn_from(
        "events WHERE nature <> 'test' AND NOT first_ns BETWEEN ?1 AND ?2 AND rowid IN (
            SELECT rowid FROM (SELECT rowid FROM events WHERE resource = ?3 AND happened_ns BETWEEN ?1 AND ?2
                               AND NOT first_ns BETWEEN ?1 AND ?2 AND nature <> 'test' ORDER BY happened_ns DESC LIMIT ?4)
            UNION SELECT rowid FROM (SELECT rowid, resource FROM events WHERE arrivals > 1 AND last_ns BETWEEN ?1 AND ?2
                                     ORDER BY last_ns DESC LIMIT 2000) WHERE resource = ?3)
         ORDER BY first_ns, event",
    )
}

/// How many messages of a resource happened in a span and first arrived outside it, tests apart.
const OUTSIDE: &str = "SELECT count(*) FROM events
    WHERE resource = ?3 AND happened_ns BETWEEN ?1 AND ?2 AND NOT first_ns BETWEEN ?1 AND ?2 AND nature <> 'test'";

fn tests_sql() -> String {
    // The first term is that of the partial index, word for word.
    let cut = format!("events WHERE nature = 'test' AND last_ns >= ?1 AND {SHOWS} ORDER BY first_ns, event LIMIT ?3");
    drawn_from(&cut)
}

pub(super) fn drawn(row: &SqliteRow) -> Result<Drawn> {
    Ok(Drawn {
        event: EventId::new(row.get::<String, _>("event")),
        name: row.get("name"),
        happened: row.get::<Option<i64>, _>("happened_ns").map(Moment),
        first_seq: Seq(row.get("first_seq")),
        first: Moment(row.get("first_ns")),
        last: Moment(row.get("last_ns")),
        arrivals: row.get("arrivals"),
        resource: Resource::new(row.get::<String, _>("resource")),
        home: Lane::new(row.get::<String, _>("home")),
        status: row.get("said"),
        platform: row.get("platform"),
        account: row.get::<Option<String>, _>("account").map(AccountId::new),
        placing: row.get("placing"),
        late_by_ms: row.get("late_by_ms"),
        overtaken_by: row.get::<Option<String>, _>("overtaken_by").map(EventId::new),
        stale_lanes: json(&row.get::<String, _>("stale_lanes"))?,
        applied: row.get("applied"),
        nature: row.get("nature"),
        flags: json(&row.get::<String, _>("flags"))?,
        telling: row.get("telling"),
    })
}

/// The events of some resources that show in the span, tests apart, by first arrival. Every event of theirs is looked at.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn events_of(pool: &SqlitePool, resources: &[Resource], span: Span) -> Result<Vec<Drawn>> {
    let query = sqlx::query(AssertSqlSafe(events_sql())).bind(span.from.0).bind(span.to.0).bind(named(resources));
    query.fetch_all(pool).await?.iter().map(drawn).collect()
}

/// The events of one resource with many that first arrived in the span, tests apart, at most `limit`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn events_that_came(pool: &SqlitePool, resource: &Resource, span: Span, limit: i64) -> Result<Vec<Drawn>> {
    near(pool, &came_sql(), resource, span, limit).await
}

/// The events of one resource with many that have another end than their first arrival in the span, tests apart; and how many
/// of those that happened in it are not among them, since of those only the newest `limit` are.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn events_with_an_end(
    pool: &SqlitePool,
    resource: &Resource,
    span: Span,
    limit: i64,
) -> Result<(Vec<Drawn>, i64)> {
    let sql = ends_sql();
    let outside = sqlx::query(OUTSIDE).bind(span.from.0).bind(span.to.0).bind(resource.as_str());
    let count = async { Ok(outside.fetch_one(pool).await?.get::<i64, _>(0)) };
    let (events, outside) = tokio::try_join!(near(pool, &sql, resource, span, limit), count)?;
    let happened = events.iter().filter(|event| event.happened.is_some_and(|at| (span.from..=span.to).contains(&at)));
    let left_out = outside.saturating_sub(i64::try_from(happened.count()).unwrap_or(i64::MAX));
    Ok((events, left_out.max(0)))
}

async fn near(pool: &SqlitePool, sql: &str, resource: &Resource, span: Span, limit: i64) -> Result<Vec<Drawn>> {
    let query = sqlx::query(AssertSqlSafe(sql.to_owned()));
    let query = query.bind(span.from.0).bind(span.to.0).bind(resource.as_str()).bind(limit);
    query.fetch_all(pool).await?.iter().map(drawn).collect()
}

/// The tests that show in the span, by first arrival, at most `limit`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn tests(pool: &SqlitePool, span: Span, limit: i64) -> Result<Vec<Drawn>> {
    let query = sqlx::query(AssertSqlSafe(tests_sql())).bind(span.from.0).bind(span.to.0).bind(limit);
    query.fetch_all(pool).await?.iter().map(drawn).collect()
}

/// The second and later arrivals of some events in their order, of each at most `limit`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn copies(pool: &SqlitePool, events: &[&EventId], limit: u32) -> Result<HashMap<EventId, Vec<Copy>>> {
    let query = sqlx::query(COPIES).bind(list(events.iter().map(|event| event.as_str()))).bind(i64::from(limit));
    let cause = |row: &SqliteRow| -> Option<(String, String, String)> {
        Some((
            row.get::<Option<String>, _>(4)?,
            row.get::<Option<String>, _>(5)?,
            row.get::<Option<String>, _>(6).unwrap_or_default(),
        ))
    };
    let mut found: HashMap<EventId, Vec<Copy>> = HashMap::new();
    for row in &query.fetch_all(pool).await? {
        let copy = Copy { seq: Seq(row.get(1)), at: Moment(row.get(2)), copy: row.get(3), cause: cause(row) };
        found.entry(EventId::new(row.get::<String, _>(0))).or_default().push(copy);
    }
    Ok(found)
}

/// Arrivals of the span that make no event, by time.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn set_aside(pool: &SqlitePool, span: Span) -> Result<Vec<Aside>> {
    let rows = sqlx::query(ASIDE).bind(span.from.0).bind(span.to.0).fetch_all(pool).await?;
    let aside = |row: &SqliteRow| {
        Ok(Aside {
            seq: Seq(row.get(0)),
            at: Moment(row.get(1)),
            standing: row.get(2),
            signature: row.get(3),
            flags: json(&row.get::<String, _>(4))?,
        })
    };
    rows.iter().map(aside).collect()
}

/// What fetches said of the lanes of some resources in the span.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn seen(pool: &SqlitePool, resources: &[Resource], span: Span) -> Result<HashMap<Resource, Vec<Seen>>> {
    let query = sqlx::query(SEEN).bind(span.from.0).bind(span.to.0).bind(named(resources));
    let mut found: HashMap<Resource, Vec<Seen>> = HashMap::new();
    for row in &query.fetch_all(pool).await? {
        let seen = Seen { lane: Lane::new(row.get::<String, _>(1)), status: row.get(2), at: Moment(row.get(3)) };
        found.entry(Resource::new(row.get::<String, _>(0))).or_default().push(seen);
    }
    Ok(found)
}

#[cfg(test)]
#[path = "timeline_tests.rs"]
mod tests_of_queries;

//! What the Timeline asks of the log: whatever shows in a span of time, found by seeks on time and then by resource, so
//! that a small span costs the same however long the log is (design 11, P4).

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use sqlx::{Row, SqlitePool, sqlite::SqliteRow};

use crate::{
    clock::Moment,
    error::{Code, Error, Result},
    ids::{AccountId, EventId, JobId, Lane, PostId, Resource, Seq},
    pozy::envelope::{News, Rank},
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
/// Jobs of a post.
const JOBS_OF: &str = "SELECT job FROM job_states WHERE post IS NOT NULL AND post = ? ORDER BY job";
/// Words, beginning and platforms of a resource.
const HEAD: &str =
    "SELECT (SELECT text FROM events WHERE resource = ?1 AND text IS NOT NULL ORDER BY last_ns DESC LIMIT 1),
                (SELECT min(min(coalesce(happened_ns, first_ns), first_ns)) FROM events WHERE resource = ?1),
                (SELECT json_group_object(account, platform) FROM (SELECT account, platform FROM events
                    WHERE resource = ?1 AND account IS NOT NULL AND platform IS NOT NULL GROUP BY account))";
/// The arrivals of an event behind its first.
const COPIES: &str = "SELECT a.seq, a.at_ns, s.copy, s.cause, s.confidence, s.says FROM arrivals AS a JOIN standings AS s ON s.seq = a.seq
         WHERE a.event = ? AND a.aside IS NULL ORDER BY a.at_ns, a.tie, a.seq LIMIT ? OFFSET 1";
/// Arrivals that make no event, by time.
const ASIDE: &str =
    "SELECT a.seq, a.at_ns, s.standing, a.signature, a.flags FROM arrivals AS a JOIN standings AS s ON s.seq = a.seq
         WHERE a.aside IS NOT NULL AND a.at_ns BETWEEN ? AND ? ORDER BY a.at_ns, a.seq";
/// What fetches said of a resource.
const SEEN: &str =
    "SELECT lane, status, at_ns FROM sightings WHERE resource = ? AND at_ns BETWEEN ? AND ? ORDER BY at_ns, lane";
/// Whatever has a resource and an instant, newest first: arrivals, what happened, fetches.
const WALKS: [&str; 3] = [
    "SELECT e.resource, recent.at_ns, e.nature FROM (SELECT event, at_ns FROM arrivals WHERE at_ns BETWEEN ?1 AND ?2
     AND event IS NOT NULL AND aside IS NULL ORDER BY at_ns DESC LIMIT ?3) AS recent CROSS JOIN events AS e ON e.event = recent.event",
    "SELECT resource, happened_ns, nature FROM events WHERE happened_ns IS NOT NULL AND happened_ns BETWEEN ?1 AND ?2
     ORDER BY happened_ns DESC LIMIT ?3",
    "SELECT s.resource, recent.at_ns, 'real' FROM (SELECT id, at_ns FROM observations WHERE at_ns BETWEEN ?1 AND ?2
     ORDER BY at_ns DESC LIMIT ?3) AS recent CROSS JOIN sightings AS s ON s.observation = recent.id",
];

/// Resources with an arrival, something that happened or a fetch in the span, each with its latest one. Of each of the
/// three at most `scan` rows are looked at, newest first; true if that left some out. Tests are not among them.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn resources(pool: &SqlitePool, span: Span, scan: u32) -> Result<(BTreeMap<Resource, Moment>, bool)> {
    let mut found = BTreeMap::new();
    let mut cut = false;
    for walk in WALKS {
        let rows = sqlx::query(walk).bind(span.from.0).bind(span.to.0).bind(i64::from(scan)).fetch_all(pool).await?;
        cut |= rows.len() >= usize::try_from(scan).unwrap_or(usize::MAX);
        for row in rows.iter().filter(|row| row.get::<String, _>(2) != "test") {
            let at = Moment(row.get(1));
            let latest = found.entry(Resource::new(row.get::<String, _>(0))).or_insert(at);
            *latest = at.max(*latest);
        }
    }
    Ok((found, cut))
}

/// Jobs with a try in the span, or a first try `key_life_ns` before it, so that their key may end in it; newest first.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn jobs(pool: &SqlitePool, span: Span, key_life_ns: i64, scan: u32) -> Result<Vec<Active>> {
    let mut found: BTreeMap<JobId, Active> = BTreeMap::new();
    for (moved, by) in [(span, 0), (span.earlier(key_life_ns), key_life_ns)] {
        let rows = sqlx::query(TRIES).bind(moved.from.0).bind(moved.to.0).bind(i64::from(scan)).fetch_all(pool).await?;
        for row in &rows {
            let at = Moment(row.get::<i64, _>(2).saturating_add(by));
            let post = row.get::<Option<String>, _>(1).map(PostId::new);
            let known = found.entry(JobId(row.get(0))).or_insert_with_key(|job| Active { job: *job, post, at });
            known.at = known.at.max(at);
        }
    }
    Ok(found.into_values().collect())
}

/// The jobs that a post is known to belong to, oldest first.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn jobs_of(pool: &SqlitePool, post: &PostId) -> Result<Vec<JobId>> {
    let query = sqlx::query(JOBS_OF);
    Ok(query.bind(post.as_str()).fetch_all(pool).await?.iter().map(|row| JobId(row.get(0))).collect())
}

/// Words, beginning and platforms of a resource.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn head(pool: &SqlitePool, resource: &Resource) -> Result<Head> {
    let row = sqlx::query(HEAD).bind(resource.as_str()).fetch_one(pool).await?;
    Ok(Head {
        text: row.get(0),
        since: row.get::<Option<i64>, _>(1).map(Moment),
        platforms: json(&row.get::<String, _>(2))?,
    })
}

const DRAWN: &str =
    "SELECT event, name, happened_ns, first_seq, first_ns, last_ns, arrivals, resource, news, platform, account, placing,
    late_by_ms, overtaken_by, stale_lanes, applied, nature, flags FROM events";
/// An event shows in a span if any part of it does: its happened mark, its arrivals, or the line between them.
const SHOWS: &str =
    "min(first_ns, coalesce(happened_ns, first_ns)) <= ?2 AND max(last_ns, coalesce(happened_ns, last_ns)) >= ?1";

fn events_sql() -> String {
    format!("{DRAWN} WHERE resource = ?3 AND nature <> 'test' AND {SHOWS} ORDER BY first_ns, event")
}

fn tests_sql() -> String {
    // The first term is that of the partial index, word for word.
    format!("{DRAWN} WHERE nature = 'test' AND last_ns >= ?1 AND {SHOWS} ORDER BY first_ns, event")
}

fn drawn(row: &SqliteRow) -> Result<Drawn> {
    let news: Vec<News> = json(&row.get::<String, _>("news"))?;
    let own = news.into_iter().find(|news| news.rank == Rank::Own);
    let (home, status) = match own {
        Some(news) => (news.lane, Some(news.status)),
        None => (Lane::new(row.get::<String, _>("resource")), None),
    };
    Ok(Drawn {
        event: EventId::new(row.get::<String, _>("event")),
        name: row.get("name"),
        happened: row.get::<Option<i64>, _>("happened_ns").map(Moment),
        first_seq: Seq(row.get("first_seq")),
        first: Moment(row.get("first_ns")),
        last: Moment(row.get("last_ns")),
        arrivals: row.get("arrivals"),
        home,
        status,
        platform: row.get("platform"),
        account: row.get::<Option<String>, _>("account").map(AccountId::new),
        placing: row.get("placing"),
        late_by_ms: row.get("late_by_ms"),
        overtaken_by: row.get::<Option<String>, _>("overtaken_by").map(EventId::new),
        stale_lanes: json(&row.get::<String, _>("stale_lanes"))?,
        applied: row.get("applied"),
        nature: row.get("nature"),
        flags: json(&row.get::<String, _>("flags"))?,
    })
}

/// The events of a resource that show in the span, tests apart, by first arrival.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn events_of(pool: &SqlitePool, resource: &Resource, span: Span) -> Result<Vec<Drawn>> {
    let query =
        sqlx::query(sqlx::AssertSqlSafe(events_sql())).bind(span.from.0).bind(span.to.0).bind(resource.as_str());
    query.fetch_all(pool).await?.iter().map(drawn).collect()
}

/// The tests that show in the span, by first arrival.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn tests(pool: &SqlitePool, span: Span) -> Result<Vec<Drawn>> {
    let query = sqlx::query(sqlx::AssertSqlSafe(tests_sql())).bind(span.from.0).bind(span.to.0);
    query.fetch_all(pool).await?.iter().map(drawn).collect()
}

/// The second and later arrivals of an event in their order, at most `limit`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn copies(pool: &SqlitePool, event: &EventId, limit: u32) -> Result<Vec<Copy>> {
    let rows = sqlx::query(COPIES).bind(event.as_str()).bind(i64::from(limit)).fetch_all(pool).await?;
    let cause = |row: &SqliteRow| -> Option<(String, String, String)> {
        Some((
            row.get::<Option<String>, _>(3)?,
            row.get::<Option<String>, _>(4)?,
            row.get::<Option<String>, _>(5).unwrap_or_default(),
        ))
    };
    let copy =
        |row: &SqliteRow| Copy { seq: Seq(row.get(0)), at: Moment(row.get(1)), copy: row.get(2), cause: cause(row) };
    Ok(rows.iter().map(copy).collect())
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

/// What fetches said of a resource's lanes in the span.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn seen(pool: &SqlitePool, resource: &Resource, span: Span) -> Result<Vec<Seen>> {
    let rows = sqlx::query(SEEN).bind(resource.as_str()).bind(span.from.0).bind(span.to.0).fetch_all(pool).await?;
    let seen =
        |row: &SqliteRow| Seen { lane: Lane::new(row.get::<String, _>(0)), status: row.get(1), at: Moment(row.get(2)) };
    Ok(rows.iter().map(seen).collect())
}

#[cfg(test)]
#[path = "timeline_tests.rs"]
mod tests_of_queries;

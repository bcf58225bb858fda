//! The whole log at a glance: how much arrived when, where nothing happened for long, and when nobody listened.

use std::collections::HashMap;

use sqlx::{Row, SqlitePool};

use crate::{clock::Moment, error::Result};

/// The last minutes of a key are never folded away (design 8), nanoseconds.
const KEY_END: i64 = 15 * 60 * Moment::SECOND;
/// A session without an end still listened this long after its last sign of life, nanoseconds.
const BREATH: i64 = 15 * Moment::SECOND;

/// Every instant that bears a mark: table and column, indexed alone.
pub(super) const MARKS: [(&str, &str); 4] =
    [("arrivals", "at_ns"), ("events", "happened_ns"), ("attempts", "at_ns"), ("observations", "at_ns")];

/// From when to when something happened, both ends in it, nanoseconds.
pub type Busy = (i64, i64);

/// The first and last instant that bears a mark; none in an empty log. Where a clock went astray the instant it claims
/// counts too.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn reach(pool: &SqlitePool) -> Result<Option<(Moment, Moment)>> {
    let one = |(table, column): (&str, &str)| {
        format!(
            "SELECT (SELECT {column} FROM {table} WHERE {column} IS NOT NULL ORDER BY {column} LIMIT 1) AS a,
             (SELECT {column} FROM {table} WHERE {column} IS NOT NULL ORDER BY {column} DESC LIMIT 1) AS b"
        )
    };
    let sql = format!("SELECT min(a), max(b) FROM ({})", MARKS.map(one).join(" UNION ALL "));
    let row = sqlx::query(sqlx::AssertSqlSafe(sql)).fetch_one(pool).await?;
    let ends = (row.get::<Option<i64>, _>(0), row.get::<Option<i64>, _>(1));
    Ok(ends.0.zip(ends.1).map(|(first, last)| (Moment(first), Moment(last))))
}

/// Stretches of `from` to `to` in which marks are less than `rest_ns` apart, in order, joined over all kinds of marks and
/// the ends of keys that live `key_life_ns`. Two seeks a stretch, no scan: a stretch is at least `rest_ns` from the next.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn busy(pool: &SqlitePool, from: Moment, to: Moment, rest_ns: i64, key_life_ns: i64) -> Result<Vec<Busy>> {
    let mut found = Vec::new();
    for (table, column) in MARKS {
        let sql = walk(table, column);
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(from.0).bind(to.0).bind(rest_ns).fetch_all(pool).await?;
        let marks: Vec<i64> = rows.iter().filter_map(|row| row.get::<Option<i64>, _>(0)).collect();
        // A beginning past the end of the span has no end beside it.
        let stretches = marks.chunks_exact(2).map(|pair| (pair[0], pair[1]));
        if table == "attempts" {
            found.extend(stretches.clone().map(|(from, to)| {
                (from.saturating_add(key_life_ns).saturating_sub(KEY_END), to.saturating_add(key_life_ns))
            }));
        }
        found.extend(stretches);
    }
    Ok(joined(found, rest_ns))
}

/// Steps from the first mark to the last that is less than a rest away, from there over the rest to the next, and so on:
/// beginnings and ends of stretches in turn.
pub(super) fn walk(table: &str, column: &str) -> String {
    let seek =
        |bound: &str| format!("(SELECT {column} FROM {table} WHERE {column} IS NOT NULL AND {column} {bound} LIMIT 1)");
    format!(
        "WITH RECURSIVE walk (at, begins) AS (
            SELECT {first}, 1
            UNION ALL
            SELECT CASE WHEN begins THEN {last} ELSE {next} END, NOT begins FROM walk WHERE at <= ?2
        ) SELECT at FROM walk",
        first = seek(&format!(">= ?1 ORDER BY {column}")),
        last = seek(&format!("<= walk.at + ?3 ORDER BY {column} DESC")),
        next = seek(&format!("> walk.at ORDER BY {column}")),
    )
}

/// Stretches in order, those nearer than `rest_ns` as one.
fn joined(mut found: Vec<Busy>, rest_ns: i64) -> Vec<Busy> {
    found.sort_unstable();
    let mut all: Vec<Busy> = Vec::new();
    for (from, to) in found {
        match all.last_mut() {
            Some(last) if from.saturating_sub(last.1) < rest_ns => last.1 = last.1.max(to),
            _ => all.push((from, to)),
        }
    }
    all
}

/// When jobs were asked for that wait for a person now, newest first, at most `limit`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn needing_person(pool: &SqlitePool, limit: u32) -> Result<Vec<Moment>> {
    let sql = "SELECT j.created_ns FROM job_states AS s JOIN jobs AS j ON j.id = s.job
               WHERE s.place = 0 ORDER BY s.job DESC LIMIT ?";
    let rows = sqlx::query(sql).bind(i64::from(limit)).fetch_all(pool).await?;
    Ok(rows.iter().map(|row| Moment(row.get(0))).collect())
}

/// Times before `now` in which no receiver listened although one had before, in order: what lies between recorded
/// sessions or within a hole of all that ran then, longer than `least_ns`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn gaps(pool: &SqlitePool, now: Moment, least_ns: i64) -> Result<Vec<Busy>> {
    let sql = "SELECT id, started_ns, coalesce(ended_ns, max(alive_ns, min(alive_ns + ?1, ?2))) FROM sessions";
    let sessions = sqlx::query(sql).bind(BREATH).bind(now.0).fetch_all(pool).await?;
    let holes = sqlx::query("SELECT session, from_ns, to_ns FROM session_holes ORDER BY session, from_ns");
    let mut slept: HashMap<i64, Vec<Busy>> = HashMap::new();
    for hole in holes.fetch_all(pool).await? {
        slept.entry(hole.get(0)).or_default().push((hole.get(1), hole.get(2)));
    }
    let mut awake = Vec::with_capacity(sessions.len());
    for session in &sessions {
        let mut from = session.get(1);
        for (last, next) in slept.remove(&session.get(0)).unwrap_or_default() {
            awake.push((from, last));
            from = next;
        }
        awake.push((from, session.get(2)));
    }
    let listened = joined(awake, least_ns);
    let ends = listened.iter().map(|session| session.1);
    let begins = listened.iter().skip(1).map(|session| session.0).chain([now.0]);
    Ok(ends.zip(begins).filter(|(from, to)| to.saturating_sub(*from) >= least_ns).collect())
}

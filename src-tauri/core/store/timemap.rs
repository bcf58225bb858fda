//! The whole log at a glance: how much arrived when, where nothing happened for long, and when nobody listened.

use std::collections::HashMap;

use sqlx::{Row, SqlitePool};

use super::density;
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
/// the ends of keys that live `key_life_ns`. Arrivals are looked at by their counts, in bins at most `rest_ns` wide: a rest
/// between two of them that is not three times as long may be taken for busy. No mark is ever left out.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn busy(pool: &SqlitePool, from: Moment, to: Moment, rest_ns: i64, key_life_ns: i64) -> Result<Vec<Busy>> {
    let span = (from.0, to.0);
    let mut found = with_happened(pool, arrived(pool, from, to, rest_ns).await?, span, rest_ns).await?;
    let tried = walked(pool, "attempts", "at_ns", span, rest_ns).await?;
    found.extend(
        tried.iter().map(|(from, to)| {
            (from.saturating_add(key_life_ns).saturating_sub(KEY_END), to.saturating_add(key_life_ns))
        }),
    );
    found.extend(tried);
    found.extend(walked(pool, "observations", "at_ns", span, rest_ns).await?);
    Ok(joined(found, rest_ns))
}

/// The first and the last arrival of each of some spans, a JSON list.
pub(super) const ENDS: &str = "SELECT
    (SELECT at_ns FROM arrivals WHERE at_ns >= value ->> 0 ORDER BY at_ns LIMIT 1),
    (SELECT at_ns FROM arrivals WHERE at_ns < value ->> 1 ORDER BY at_ns DESC LIMIT 1) FROM json_each(?1) AS spans";
/// The first and the last instant at which something happened in each of some spans, a JSON list.
pub(super) const HAPPENED: &str = "SELECT
    (SELECT happened_ns FROM events WHERE happened_ns IS NOT NULL AND happened_ns > value ->> 0 ORDER BY happened_ns LIMIT 1)
        AS first,
    (SELECT happened_ns FROM events WHERE happened_ns IS NOT NULL AND happened_ns < value ->> 1
        ORDER BY happened_ns DESC LIMIT 1) AS last,
    value ->> 1 FROM json_each(?1) AS spans";
/// Spans that are walked one by one; where it is more, all of it is.
const APART: usize = 64;

/// Stretches in which messages came: runs of bins that hold some, from the first to the last arrival in them.
async fn arrived(pool: &SqlitePool, from: Moment, to: Moment, rest_ns: i64) -> Result<Vec<Busy>> {
    let (wide, bins) = density::filled(pool, from.millis(), to.millis(), rest_ns / 1_000_000).await?;
    let runs: Vec<Busy> = bins
        .chunk_by(|one, next| next - one == 1)
        .filter_map(|run| Some((*run.first()?, *run.last()?)))
        .map(|(first, last)| (Moment::from_millis(first * wide).0, Moment::from_millis((last + 1) * wide).0))
        .collect();
    let rows = sqlx::query(ENDS).bind(serde_json::json!(runs).to_string()).fetch_all(pool).await?;
    let ends = rows.iter().filter_map(|row| row.get::<Option<i64>, _>(0).zip(row.get::<Option<i64>, _>(1)));
    Ok(joined(ends.filter(|(first, last)| first <= last).collect(), rest_ns))
}

/// Adds when things happened. Most do just before they are heard of, so only what lies between the stretches is looked at.
async fn with_happened(pool: &SqlitePool, busy: Vec<Busy>, (from, to): Busy, rest_ns: i64) -> Result<Vec<Busy>> {
    let begins = busy.iter().map(|stretch| stretch.0).chain([to.saturating_add(1)]);
    let ends = [from.saturating_sub(1)].into_iter().chain(busy.iter().map(|stretch| stretch.1));
    let between: Vec<Busy> = ends.zip(begins).filter(|(end, begin)| begin.saturating_sub(*end) > 1).collect();
    let rows = sqlx::query(HAPPENED).bind(serde_json::json!(between).to_string()).fetch_all(pool).await?;
    let marked: Vec<Busy> = rows
        .iter()
        .filter_map(|row| Some((row.get::<Option<i64>, _>(0)?, row.get::<Option<i64>, _>(1)?, row.get::<i64, _>(2))))
        .filter(|(first, last, end)| first < end && first <= last)
        .map(|(first, last, _)| (first, last))
        .collect();
    let mut found = busy;
    if marked.len() > APART {
        found.extend(walked(pool, "events", "happened_ns", (from, to), rest_ns).await?);
    } else {
        for span in marked {
            found.extend(walked(pool, "events", "happened_ns", span, rest_ns).await?);
        }
    }
    Ok(found)
}

/// Stretches of one kind of mark: two seeks each, no scan, since a stretch is at least `rest_ns` from the next.
async fn walked(pool: &SqlitePool, table: &str, column: &str, (from, to): Busy, rest_ns: i64) -> Result<Vec<Busy>> {
    let sql = walk(table, column);
    let rows = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(from).bind(to).bind(rest_ns).fetch_all(pool).await?;
    let marks: Vec<i64> = rows.iter().filter_map(|row| row.get::<Option<i64>, _>(0)).collect();
    // A beginning past the end of the span has no end beside it.
    Ok(marks.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;
    use rusqlite::Connection;

    use super::*;
    use crate::store::migrate;

    const REST: i64 = 300 * Moment::SECOND;
    const LIFE: i64 = 24 * 3600 * Moment::SECOND;
    const EMPTY: &str = "PRAGMA foreign_keys = off; DELETE FROM events; DELETE FROM attempts; DELETE FROM density;";

    /// Marks at those seconds, in a table that holds nothing else of interest.
    fn fill(db: &Connection, arrived: &[i64], happened: &[i64], tried: &[i64]) {
        db.execute_batch(EMPTY).unwrap();
        db.execute_batch("DROP TRIGGER IF EXISTS arrivals_remain; DELETE FROM arrivals;").unwrap();
        for at in arrived {
            let at = at * Moment::SECOND;
            db.execute(
                "INSERT INTO arrivals (at_ns, import, endpoint, signature, trust, tie, body_hash, body_len, headers, flags)
                 VALUES (?, 1, 'x', 'valid', 0, x'', x'', 0, x'', '[]')",
                [at],
            )
            .unwrap();
            for level in 2..=9 {
                let bin = (at / 1_000_000) >> (3 * level);
                db.execute(
                    "INSERT INTO density VALUES (?, ?, 1, 0, 0) ON CONFLICT DO UPDATE SET arrivals = arrivals + 1",
                    [level, bin],
                )
                .unwrap();
            }
        }
        for (n, at) in happened.iter().enumerate() {
            db.execute(
                "INSERT INTO events (event, name, happened_ns, resource, nature, known, news, twin, counts, counts_trust, counts_hash,
                    first_seq, first_ns, first_tie, last_ns, arrivals, applied, placing, stale_lanes, flags, rules)
                 VALUES (?1, 'x', ?2, 'r', 'real', 1, '[]', x'', 1, 2, x'', 1, 1, x'', 1, 1, 1, 'in_order', '[]', '[]', 2)",
                rusqlite::params![n.to_string(), at * Moment::SECOND],
            )
            .unwrap();
        }
        for (n, at) in tried.iter().enumerate() {
            db.execute(
                "INSERT INTO attempts (job, n, at_ns, workspace, method, path, body, masked) VALUES (1, ?, ?, 1, 'POST', '/x', NULL, 0)",
                rusqlite::params![i64::try_from(n).unwrap(), at * Moment::SECOND],
            )
            .unwrap();
        }
    }

    async fn pool(file: &Path) -> SqlitePool {
        SqlitePool::connect_with(sqlx::sqlite::SqliteConnectOptions::new().filename(file).read_only(true))
            .await
            .unwrap()
    }

    #[test]
    fn no_mark_is_left_out_and_a_long_rest_is_always_found() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("log.db");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(migrate::run(&file)).unwrap();
        let db = Connection::open(&file).unwrap();
        db.pragma_update(None, "synchronous", "off").unwrap();
        let pool = runtime.block_on(pool(&file));
        let marks = || proptest::collection::vec(0..40_000_i64, 0..40);
        let near = proptest::collection::vec((0..40_usize, 0..900_i64), 0..90);
        let cases = ProptestConfig { cases: 128, ..ProptestConfig::default() };
        proptest!(cases, |(seeds in marks(), near in near, happened in marks(), tried in proptest::collection::vec(0..40_000_i64, 0..5))| {
            // Arrivals come in crowds.
            let crowd = near.iter().filter_map(|(of, by)| Some(seeds.get(*of)? + by));
            let arrived: Vec<i64> = seeds.iter().copied().chain(crowd).collect();
            fill(&db, &arrived, &happened, &tried);
            let to = Moment(200_000 * Moment::SECOND);
            let found = runtime.block_on(busy(&pool, Moment(0), to, REST, LIFE)).unwrap();
            let mut marks: Vec<i64> = arrived.iter().chain(&happened).chain(&tried).map(|at| at * Moment::SECOND).collect();
            marks.extend(tried.iter().map(|at| at * Moment::SECOND + LIFE));
            marks.sort_unstable();
            for mark in &marks {
                prop_assert!(found.iter().any(|(from, to)| from <= mark && mark <= to), "{mark} is left out");
            }
            for pair in marks.windows(2) {
                let key = tried.iter().any(|at| {
                    let end = at * Moment::SECOND + LIFE;
                    pair[0] < end && end - KEY_END < pair[1]
                });
                if pair[1] - pair[0] >= 3 * REST && !key {
                    prop_assert!(found.iter().any(|(_, to)| *to == pair[0]), "the rest after {} is not found", pair[0]);
                    prop_assert!(found.iter().any(|(from, _)| *from == pair[1]), "the rest before {} is not found", pair[1]);
                }
            }
        });
    }
}

//! Bodies age out; ids, times, standings and lanes stay for good, so that a copy is known however late it comes (R3).
//! Bodies that tell of an open case stay, too.

use rusqlite::{Connection, params};
use sqlx::{AssertSqlSafe, Row as _, SqlitePool};

use super::{Store, arrivals, search_fill};
use crate::{
    clock::Moment,
    error::{Error, Result},
    settings,
};

/// Days after which bodies age out unless the setting says otherwise.
pub const BODIES_DAYS_DEFAULT: i64 = 30;

/// Arrivals looked at in one slice; few enough that the write lock is held for a moment only.
const SLICE: usize = 250;

/// What pruning took away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Bodies.
    pub bodies: u64,
}

/// Where the next slice starts.
#[derive(Clone, Copy, Debug)]
struct Cursor {
    at: Moment,
    seq: i64,
}

/// Removes the bodies of all arrivals before `before`, and the words of posts that were read from them. Live arrivals
/// go on between the slices.
///
/// # Errors
/// `Storage` if the log cannot be written; what was removed so far stays removed.
pub async fn prune(store: &Store, before: Moment) -> Result<Pruned> {
    let mut pruned = Pruned::default();
    let mut next = Some(Cursor { at: Moment(i64::MIN), seq: i64::MIN });
    while let Some(cursor) = next {
        let (bodies, after) = store.write(move |connection| slice(connection, cursor, before)).await?;
        pruned.bodies += bodies;
        next = after;
    }
    search_fill::tidy(store).await?;
    Ok(pruned)
}

/// How much room the log takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Pages in use, bytes.
    pub used: u64,
    /// Pages that are empty and are used again before the file grows, bytes.
    pub empty: u64,
}

/// How much room the log takes, without its write-ahead log.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn room(pool: &SqlitePool) -> Result<Taken> {
    let row = sqlx::query(
        "SELECT (SELECT page_count FROM pragma_page_count), (SELECT freelist_count FROM pragma_freelist_count), \
         (SELECT page_size FROM pragma_page_size)",
    )
    .fetch_one(pool)
    .await?;
    let number = |at: usize| u64::try_from(row.get::<i64, _>(at)).unwrap_or_default();
    let empty = number(1) * number(2);
    Ok(Taken { used: (number(0) * number(2)).saturating_sub(empty), empty })
}

/// Lets bodies age out as the settings say: by age, then by the size of the log. Only messages that came here: what was
/// imported was brought in to be looked at, however old it is.
///
/// # Errors
/// `Storage` if the log cannot be read or written; what was removed so far stays removed.
pub async fn age_out(store: &Store, now: Moment) -> Result<Pruned> {
    let setting = async |key| Ok::<_, Error>(settings::get::<Option<u32>>(store.pool(), key).await?.flatten());
    let mut pruned = Pruned::default();
    if let Some(days) = setting(settings::BODIES_DAYS).await? {
        let before = now.plus_seconds(-i64::from(days) * 24 * 3_600);
        pruned.bodies += live(store, before, None).await?;
    }
    if let Some(mb) = setting(settings::LOG_MB).await? {
        pruned.bodies += live(store, now, Some(u64::from(mb) << 20)).await?;
    }
    if pruned.bodies > 0 {
        search_fill::tidy(store).await?;
    }
    Ok(pruned)
}

/// Removes bodies of live arrivals before `before` in the order they were recorded, with a size only while the log is
/// larger. Recorded order is the order of time but for a clock that was set, so a run of younger ones is the end.
async fn live(store: &Store, before: Moment, larger_than: Option<u64>) -> Result<u64> {
    let (mut bodies, mut from) = (0, i64::MIN);
    loop {
        if bodies > 0 && larger_than.is_some() {
            // The words that left with the bodies take no room either, or more bodies would go than must.
            search_fill::tidy(store).await?;
        }
        if let Some(most) = larger_than
            && room(store.pool()).await?.used <= most
        {
            return Ok(bodies);
        }
        let rows = sqlx::query(
            "SELECT b.seq, a.session IS NOT NULL, a.at_ns < ? FROM bodies AS b JOIN arrivals AS a ON a.seq = b.seq \
             WHERE b.seq > ? ORDER BY b.seq LIMIT ?",
        );
        let limit = i64::try_from(SLICE).unwrap_or(i64::MAX);
        let rows = rows.bind(before.0).bind(from).bind(limit).fetch_all(store.pool()).await?;
        let Some(last) = rows.last() else { return Ok(bodies) };
        from = last.get(0);
        let came_here: Vec<(i64, bool)> =
            rows.iter().filter(|row| row.get(1)).map(|row| (row.get(0), row.get(2))).collect();
        let due: Vec<i64> = came_here.iter().filter(|(_, due)| *due).map(|(seq, _)| *seq).collect();
        if due.is_empty() && !came_here.is_empty() {
            return Ok(bodies);
        }
        bodies += store
            .write(move |connection| {
                let mut gone = 0;
                for seq in due {
                    gone += u64::from(remove(connection, seq)?);
                }
                Ok(gone)
            })
            .await?;
    }
}

/// Doubles of this long ago are still asked about, nanoseconds.
const ASKED_ABOUT_NS: i64 = 90 * 24 * 3_600 * Moment::SECOND;

/// Holds for an arrival `a` that tells of an open case: of a post of which a person has something to decide or that is
/// under way, or of one that is live twice. Its body stays however old it is.
const PINNED: &str = "EXISTS (SELECT 1 FROM events AS e WHERE e.event = a.event AND e.resource LIKE 'post:%' AND (
    EXISTS (SELECT 1 FROM job_states AS s WHERE s.post = substr(e.resource, 6) AND s.place < 2)
    OR EXISTS (SELECT 1 FROM doubles AS d WHERE d.second = substr(e.resource, 6) AND d.at_ns > a.at_ns - ?)
    OR EXISTS (SELECT 1 FROM doubles AS d WHERE d.first = substr(e.resource, 6) AND d.at_ns > a.at_ns - ?)))";

/// What could be freed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Freeable {
    /// Bodies.
    pub bodies: u64,
    /// What they take, bytes.
    pub bytes: u64,
    /// True if more may be there than were looked at.
    pub more: bool,
}

/// What letting all bodies before `before` age out would free; no more than `most` arrivals are looked at.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn freeable(pool: &SqlitePool, before: Moment, most: u32) -> Result<Freeable> {
    let sql = format!(
        "SELECT count(b.seq), coalesce(sum(length(b.bytes)), 0), count(*) FROM \
         (SELECT seq, at_ns, event FROM arrivals WHERE at_ns < ? ORDER BY at_ns LIMIT ?) AS a \
         LEFT JOIN bodies AS b ON b.seq = a.seq AND NOT {PINNED}"
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(before.0).bind(most).bind(ASKED_ABOUT_NS).bind(ASKED_ABOUT_NS);
    let row = query.fetch_one(pool).await?;
    let number = |at: usize| row.get::<i64, _>(at).unsigned_abs();
    Ok(Freeable { bodies: number(0), bytes: number(1), more: number(2) >= u64::from(most) })
}

/// Removes one body and the words that were read from it; true if it was there and is of no open case.
fn remove(connection: &Connection, seq: i64) -> Result<bool> {
    let pinned: bool = connection
        .prepare_cached(&format!("SELECT EXISTS (SELECT 1 FROM arrivals AS a WHERE a.seq = ? AND {PINNED})"))?
        .query_row([seq, ASKED_ABOUT_NS, ASKED_ABOUT_NS], |row| row.get(0))?;
    if pinned {
        return Ok(false);
    }
    arrivals::leave_room_aside(connection, seq)?;
    let removed = connection.prepare_cached("DELETE FROM bodies WHERE seq = ?")?.execute([seq])?;
    if removed > 0 {
        connection
            .prepare_cached(
                "UPDATE events SET text = NULL WHERE event = (SELECT event FROM arrivals WHERE seq = ?1) \
                 AND counts = ?1 AND text IS NOT NULL",
            )?
            .execute([seq])?;
    }
    Ok(removed > 0)
}

fn slice(connection: &Connection, from: Cursor, before: Moment) -> Result<(u64, Option<Cursor>)> {
    let mut statement = connection.prepare_cached(
        "SELECT at_ns, seq FROM arrivals WHERE (at_ns, seq) > (?, ?) AND at_ns < ? ORDER BY at_ns, seq LIMIT ?",
    )?;
    let limit = i64::try_from(SLICE).unwrap_or(i64::MAX);
    let rows = statement
        .query_map(params![from.at.0, from.seq, before.0, limit], |row| {
            Ok(Cursor { at: Moment(row.get(0)?), seq: row.get(1)? })
        })?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    let mut bodies = 0;
    for row in &rows {
        bodies += u64::from(remove(connection, row.seq)?);
    }
    Ok((bodies, if rows.len() == SLICE { rows.last().copied() } else { None }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inbound::test_log::{Came, Channel, TestLog};

    fn bodies(log: &TestLog) -> i64 {
        log.db.query_row("SELECT count(*) FROM bodies", [], |row| row.get(0)).unwrap()
    }

    /// A body that cannot be read.
    fn aside(log: &TestLog, body: &str) -> i64 {
        log.record(&Came::live("2026-04-14T08:00:00Z", Channel::Unchecked), body).seq.0
    }

    #[test]
    fn a_body_of_an_open_case_stays() {
        let log = TestLog::new();
        let words = "INSERT INTO sessions (id, address, started_ns, alive_ns) VALUES (9, 'x', 0, 0);
            INSERT INTO events SELECT 'ev_' || n, 'post.published', 1, '', 'post:po_' || n, 'real', 1, '[]', x'', NULL, NULL,
                NULL, 100 + n, 1, x'', 100 + n, 5, x'', 5, 1, 0, 'in_order', NULL, NULL, '[]', '[]', 1, '', NULL FROM
                (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3 UNION SELECT 4);
            INSERT INTO arrivals SELECT 100 + n, 5, 9, NULL, 'pozy', 'unchecked', 204, NULL, 'ev_' || n, NULL, 1, x'', x'', 3,
                x'5b5d', '[]' FROM (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3 UNION SELECT 4);
            INSERT INTO bodies SELECT seq, 'plain', x'616263' FROM arrivals;
            INSERT INTO workspaces (id, name, created_ns) VALUES (9, 'w', 0);
            INSERT INTO jobs (id, mark, origin, created_ns, method, path, workspace) VALUES
                (1, 'job_1', 'local', 0, 'POST', '/v1/posts', 9), (2, 'job_2', 'local', 0, 'POST', '/v1/posts', 9);
            INSERT INTO job_states (job, state, outcome, post, place, rules) VALUES
                (1, 'unknown', 'unknown', 'po_1', 0, 1), (2, 'done', 'created', 'po_2', 2, 1);
            INSERT INTO doubles (first, second, account, at_ns) VALUES ('po_3', 'po_0', 'ac', 6);";
        log.db.execute_batch(words).unwrap();
        let gone: Vec<i64> = (101..=104).filter(|seq| remove(&log.db, *seq).unwrap()).collect();
        assert_eq!(gone, [102, 104], "one is unknown, one is live twice, the others are over");
        assert_eq!(bodies(&log), 2);
    }

    #[test]
    fn bodies_set_aside_share_their_room_and_give_it_back() {
        let log = TestLog::new();
        let nearly = (64_u64 << 20) - 40;
        settings::set(&log.db, arrivals::ASIDE_BYTES, &nearly).unwrap();
        let first = aside(&log, "twenty bytes of this");
        let second = aside(&log, "twenty bytes of that");
        let third = aside(&log, "one more than fits in");
        assert_eq!(bodies(&log), 2, "the third has a row without a body");
        let flags = |seq: i64| -> String {
            log.db.query_row("SELECT flags FROM arrivals WHERE seq = ?", [seq], |row| row.get(0)).unwrap()
        };
        assert_eq!(flags(third), r#"["unreadable","no_room"]"#, "and says so");
        assert_eq!(flags(second), r#"["unreadable"]"#);
        assert!(!remove(&log.db, third).unwrap());
        assert!(remove(&log.db, first).unwrap());
        aside(&log, "twenty bytes of some");
        assert_eq!(bodies(&log), 2);
        assert!(remove(&log.db, second).unwrap());
        let taken: Option<u64> = settings::written(&log.db, arrivals::ASIDE_BYTES).unwrap();
        assert_eq!(taken, Some(nearly + 20));
    }
}

//! Bodies age out; ids, times, standings and lanes stay for good, so that a copy is known however late it comes (R3).

use rusqlite::{Connection, params};
use sqlx::{Row as _, SqlitePool};

use super::{Store, search_fill};
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

/// Removes one body and the words that were read from it; true if it was there.
fn remove(connection: &Connection, seq: i64) -> Result<bool> {
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

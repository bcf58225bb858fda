//! Bodies age out; ids, times, standings and lanes stay for good, so that a copy is known however late it comes (R3).

use rusqlite::{Connection, params};

use super::Store;
use crate::{clock::Moment, error::Result};

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
    Ok(pruned)
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
        let removed = connection.prepare_cached("DELETE FROM bodies WHERE seq = ?")?.execute([row.seq])?;
        if removed > 0 {
            bodies += 1;
            connection
                .prepare_cached(
                    "UPDATE events SET text = NULL WHERE event = (SELECT event FROM arrivals WHERE seq = ?1) \
                     AND counts = ?1 AND text IS NOT NULL",
                )?
                .execute([row.seq])?;
        }
    }
    Ok((bodies, if rows.len() == SLICE { rows.last().copied() } else { None }))
}

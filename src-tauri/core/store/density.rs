//! How many messages came when, over any span and at any width, without reading them: counts in bins of 8^level
//! milliseconds (design 11). What the writing thread changes in arrivals and events is noted by triggers of its own
//! connection and added up once a transaction, so that sixty-four arrivals at once move each bin once. Whatever path a
//! row takes, the counts are in its transaction.

use rusqlite::Connection;
use sqlx::{Row as _, SqlitePool};

use crate::error::{Code, Error, Result};

/// The finest bins are 8^2 milliseconds wide.
const FINEST: u32 = 2;
/// The widest ones 8^9, a day and a half.
const WIDEST: u32 = 9;

/// Notes every change of what is counted: milliseconds since 1970 and by how much each count moves. A standing is an
/// arrival that counts; one that is taken away counts in another row.
const NOTES: &str = "
    CREATE TEMP TABLE moved (ms INTEGER NOT NULL, arrivals INTEGER NOT NULL, again INTEGER NOT NULL, late INTEGER NOT NULL);
    CREATE TEMP TRIGGER standing_came AFTER INSERT ON main.standings BEGIN
        INSERT INTO moved SELECT at_ns / 1000000 - (at_ns % 1000000 < 0), 1, new.copy > 1, 0
        FROM arrivals WHERE seq = new.seq;
    END;
    CREATE TEMP TRIGGER standing_changed AFTER UPDATE OF copy ON main.standings WHEN (new.copy > 1) <> (old.copy > 1) BEGIN
        INSERT INTO moved SELECT at_ns / 1000000 - (at_ns % 1000000 < 0), 0, (new.copy > 1) - (old.copy > 1), 0
        FROM arrivals WHERE seq = new.seq;
    END;
    CREATE TEMP TRIGGER standing_left AFTER DELETE ON main.standings BEGIN
        INSERT INTO moved SELECT at_ns / 1000000 - (at_ns % 1000000 < 0), -1, -(old.copy > 1), 0
        FROM arrivals WHERE seq = old.seq;
    END;
    CREATE TEMP TRIGGER event_came AFTER INSERT ON main.events WHEN new.placing = 'late' BEGIN
        INSERT INTO moved VALUES (new.first_ns / 1000000 - (new.first_ns % 1000000 < 0), 0, 0, 1);
    END;
    CREATE TEMP TRIGGER event_changed AFTER UPDATE OF placing, first_ns ON main.events
    WHEN (new.placing = 'late' OR old.placing = 'late')
         AND (new.placing, new.first_ns) IS NOT (old.placing, old.first_ns) BEGIN
        INSERT INTO moved SELECT old.first_ns / 1000000 - (old.first_ns % 1000000 < 0), 0, 0, -1 WHERE old.placing = 'late';
        INSERT INTO moved SELECT new.first_ns / 1000000 - (new.first_ns % 1000000 < 0), 0, 0, 1 WHERE new.placing = 'late';
    END;";

/// Adds up what was noted since the last time.
const ADD: &str = "
    INSERT INTO density (level, bin, arrivals, again, late)
    SELECT l.value, m.ms >> (3 * l.value) AS at, sum(m.arrivals), sum(m.again), sum(m.late)
    FROM json_each('[2,3,4,5,6,7,8,9]') AS l CROSS JOIN temp.moved AS m WHERE true GROUP BY l.value, at
    ON CONFLICT (level, bin) DO UPDATE SET arrivals = arrivals + excluded.arrivals, again = again + excluded.again,
        late = late + excluded.late";

/// The whole table from the rows it counts.
const ALL: &str = "
    INSERT INTO density (level, bin, arrivals, again, late)
    SELECT l.value, c.ms >> (3 * l.value) AS at, sum(c.arrivals), sum(c.again), sum(c.late)
    FROM json_each('[2,3,4,5,6,7,8,9]') AS l CROSS JOIN (
        SELECT a.at_ns / 1000000 - (a.at_ns % 1000000 < 0) AS ms, 1 AS arrivals, s.copy > 1 AS again, 0 AS late
        FROM standings AS s JOIN arrivals AS a ON a.seq = s.seq
        UNION ALL
        SELECT first_ns / 1000000 - (first_ns % 1000000 < 0), 0, 0, 1 FROM events WHERE placing = 'late'
    ) AS c GROUP BY l.value, at";

/// Makes a writing connection note what changes.
pub(crate) fn watch(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(NOTES)
}

/// Brings the counts up to date, inside the transaction that changed what they count.
pub(crate) fn settle(connection: &Connection) -> rusqlite::Result<()> {
    if connection.prepare_cached("SELECT 1 FROM temp.moved LIMIT 1")?.exists([])? {
        connection.prepare_cached(ADD)?.execute([])?;
        connection.prepare_cached("DELETE FROM temp.moved")?.execute([])?;
    }
    Ok(())
}

/// Counts everything anew, for a log whose rows were written by other ways.
pub(crate) fn count_anew(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM density", [])?;
    connection.execute(ALL, []).map(drop)
}

/// What came in one bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bin {
    /// Its number: milliseconds since 1970 through the width, rounded down.
    pub at: i64,
    /// Arrivals in it.
    pub arrivals: i64,
    /// Of them, second and later arrivals of an event.
    pub again: i64,
    /// Of them, first arrivals of events that were overtaken.
    pub late: i64,
}

/// The width of bins, milliseconds: `wanted` rounded up to a power of two, at least the finest there are.
#[must_use]
pub fn width(wanted: i64) -> i64 {
    let finest = 1_u64 << (3 * FINEST);
    let wide = wanted.unsigned_abs().min(1 << 62).next_power_of_two().max(finest);
    i64::try_from(wide).unwrap_or(i64::MAX)
}

pub(super) const BINS: &str = "
    SELECT json_group_array(json_array(at, arrivals, again, late)) FROM (
        SELECT bin >> ?4 AS at, sum(arrivals) AS arrivals, sum(again) AS again, sum(late) AS late FROM density
        WHERE level = ?1 AND bin BETWEEN ?2 AND ?3 GROUP BY at ORDER BY at)";

/// What came in the bins from that of `from_ms` to that of `to_ms`, both in it; bins without any are left out.
/// `width_ms` is one that [`width`] gives.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn bins(pool: &SqlitePool, from_ms: i64, to_ms: i64, width_ms: i64) -> Result<Vec<Bin>> {
    let power = width_ms.trailing_zeros();
    let level = (power / 3).clamp(FINEST, WIDEST);
    let (shift, finer) = (3 * level, power.saturating_sub(3 * level));
    // Whole bins of the wanted width, in those of the level.
    let first = (from_ms >> power) << finer;
    let last = ((to_ms >> power) << finer) | ((1 << finer) - 1);
    debug_assert!(power >= shift, "bins are never finer than the finest level");
    let query = sqlx::query(BINS).bind(i64::from(level)).bind(first).bind(last).bind(i64::from(finer));
    let text: String = query.fetch_one(pool).await?.get(0);
    let rows: Vec<[i64; 4]> = serde_json::from_str(&text)
        .map_err(|cause| Error::caused(Code::Internal, "Counts of the log cannot be read.", cause))?;
    Ok(rows.into_iter().map(|[at, arrivals, again, late]| Bin { at, arrivals, again, late }).collect())
}

pub(super) const FILLED: &str = "
    SELECT json_group_array(bin) FROM (
        SELECT bin FROM density WHERE level = ?1 AND bin BETWEEN ?2 AND ?3 AND arrivals > 0 ORDER BY bin)";

/// The bins in which something arrived, from that of `from_ms` to that of `to_ms`, in order, and how wide they are in
/// milliseconds: the widest there are that are not wider than `most_ms`, or the finest.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn filled(pool: &SqlitePool, from_ms: i64, to_ms: i64, most_ms: i64) -> Result<(i64, Vec<i64>)> {
    let level = (most_ms.max(1).ilog2() / 3).clamp(FINEST, WIDEST);
    let shift = 3 * level;
    let query = sqlx::query(FILLED).bind(i64::from(level)).bind(from_ms >> shift).bind(to_ms >> shift);
    let text: String = query.fetch_one(pool).await?.get(0);
    let bins = serde_json::from_str(&text)
        .map_err(|cause| Error::caused(Code::Internal, "Counts of the log cannot be read.", cause))?;
    Ok((1 << shift, bins))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_powers_of_two_from_the_finest_on() {
        for (wanted, wide) in [(0, 64), (1, 64), (64, 64), (65, 128), (100_000, 131_072), (i64::MAX, 1 << 62)] {
            assert_eq!(width(wanted), wide);
        }
    }
}

//! Rows of the times in which a receiver listened: what lies between two of them is a gap in which nothing could
//! arrive.

use rusqlite::{Connection, params};

use crate::{
    clock::Moment,
    error::Result,
    ids::{Seq, SessionId, WorkspaceId},
};

/// An answer leaves at most this long after the newest sign of life of a session that was killed, seconds.
const UNANSWERED_WITHIN_S: i64 = 120;

/// Signs of life further apart than this mean that the computer slept between them, seconds.
const AWAKE_WITHIN_S: i64 = 120;

/// A session that has no end yet: it runs, or was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// Which one.
    pub id: SessionId,
    /// Until when it surely listened.
    pub alive: Moment,
}

/// Begins a session in which the messages of `workspace` come in; none if it is not known whose.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn begin(connection: &Connection, address: &str, workspace: Option<WorkspaceId>, now: Moment) -> Result<SessionId> {
    connection
        .prepare_cached("INSERT INTO sessions (address, started_ns, alive_ns, workspace) VALUES (?1, ?2, ?2, ?3)")?
        .execute(params![address, now.0, workspace.map(|workspace| workspace.0)])?;
    Ok(SessionId(connection.last_insert_rowid()))
}

/// Notes a sign of life, and the hole before it if the computer slept since the last one.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn beat(connection: &Connection, session: SessionId, now: Moment) -> Result<()> {
    note_hole(connection, session, now)?;
    connection
        .prepare_cached("UPDATE sessions SET alive_ns = max(alive_ns, ?2) WHERE id = ?1")?
        .execute(params![session.0, now.0])?;
    Ok(())
}

/// Keeps the time since the last sign of life as a hole if the computer slept in it.
fn note_hole(connection: &Connection, session: SessionId, now: Moment) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO session_holes (session, from_ns, to_ns) SELECT id, alive_ns, ?2 FROM sessions \
             WHERE id = ?1 AND ?2 > alive_ns + ?3 ON CONFLICT DO NOTHING",
        )?
        .execute(params![session.0, now.0, AWAKE_WITHIN_S * Moment::SECOND])?;
    Ok(())
}

/// Ends a session.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn end(connection: &Connection, session: SessionId, at: Moment) -> Result<()> {
    note_hole(connection, session, at)?;
    connection
        .prepare_cached("UPDATE sessions SET ended_ns = ?2, alive_ns = max(alive_ns, ?2) WHERE id = ?1")?
        .execute(params![session.0, at.0])?;
    Ok(())
}

/// Sessions without an end.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub fn open(connection: &Connection) -> Result<Vec<Open>> {
    let mut statement = connection.prepare_cached("SELECT id, alive_ns FROM sessions WHERE ended_ns IS NULL")?;
    let rows = statement.query_map([], |row| Ok(Open { id: SessionId(row.get(0)?), alive: Moment(row.get(1)?) }))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The last arrivals of a session of whose answers nothing was noted.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub fn unanswered(connection: &Connection, session: Open) -> Result<Vec<Seq>> {
    let mut statement = connection.prepare_cached(
        "SELECT a.seq FROM arrivals a WHERE a.session IS NOT NULL AND a.session = ? AND a.at_ns >= ? \
         AND NOT EXISTS (SELECT 1 FROM answers n WHERE n.seq = a.seq) ORDER BY a.at_ns, a.seq",
    )?;
    let since = session.alive.plus_seconds(-UNANSWERED_WITHIN_S);
    let rows = statement.query_map(params![session.id.0, since.0], |row| row.get(0).map(Seq))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::migrate::in_memory;

    #[test]
    fn a_pause_between_signs_of_life_is_kept_as_a_hole_and_an_ordinary_one_is_not() {
        let db = in_memory();
        let start = Moment::from_millis(1_000_000);
        let session = begin(&db, "127.0.0.1:8787", None, start).unwrap();
        for seconds in [10, 130, 251, 4_000, 4_005] {
            beat(&db, session, start.plus_seconds(seconds)).unwrap();
        }
        let mut statement = db.prepare("SELECT session, from_ns, to_ns FROM session_holes ORDER BY from_ns").unwrap();
        let holes: Vec<(i64, i64, i64)> = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .unwrap()
            .collect::<rusqlite::Result<_>>()
            .unwrap();
        let at = |seconds| start.plus_seconds(seconds).0;
        assert_eq!(holes, [(session.0, at(130), at(251)), (session.0, at(251), at(4_000))]);
    }
}

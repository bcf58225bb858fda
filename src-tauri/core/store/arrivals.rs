//! Rows of arrivals, their bodies, answers and standings. Raw rows are only ever appended; a standing is written anew
//! where judging says otherwise.

use rusqlite::{CachedStatement, Connection, OptionalExtension as _, Row, params};
use sqlx::{Row as _, SqlitePool};

use crate::{
    clock::Moment,
    error::Result,
    ids::{EventId, ImportId, Seq},
    inbound::{
        arrival::{Arrival, ArrivalFlag, Channel, Content, UNKNOWN_BODY},
        cause::Answered,
        judge::RULES,
        standing::{ArrivalKey, CopyFacts, Placed, Standing},
    },
    pozy::secrecy::{Source, fits},
    settings,
    store::{events::Head, packed::unpack},
};

/// Opens an import; `file` is a name without its folders.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn new_import(connection: &Connection, at: Moment, file: &str) -> Result<ImportId> {
    connection.prepare_cached("INSERT INTO imports (at_ns, file) VALUES (?, ?)")?.execute(params![at.0, file])?;
    Ok(ImportId(connection.last_insert_rowid()))
}

/// The last part of the path that an arrival came to.
///
/// # Errors
/// `Storage` if the log cannot be read or has no such arrival.
pub async fn endpoint(pool: &SqlitePool, seq: Seq) -> Result<String> {
    Ok(sqlx::query("SELECT endpoint FROM arrivals WHERE seq = ?").bind(seq.0).fetch_one(pool).await?.get(0))
}

/// Who masked what is masked in an arrival: the file that brought it, else the receiver.
///
/// # Errors
/// `Storage` if the log cannot be read or has no such arrival.
pub async fn source(pool: &SqlitePool, seq: Seq) -> Result<Source> {
    let row = sqlx::query("SELECT import FROM arrivals WHERE seq = ?").bind(seq.0).fetch_one(pool).await?;
    Ok(row.get::<Option<i64>, _>(0).map_or(Source::Arrival(seq.0), Source::Import))
}

/// Appends an arrival with its body.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn append(connection: &Connection, arrival: &Arrival) -> Result<Seq> {
    let (session, import) = match arrival.channel {
        Channel::Live(session) => (Some(session.0), None),
        Channel::Imported(import) => (None, Some(import.0)),
    };
    let (event, aside) = match &arrival.content {
        Content::Event(reading) => (Some(reading.event.as_str()), None),
        Content::Quarantined(claimed) => (claimed.as_ref().map(EventId::as_str), Some(Standing::Quarantined.word())),
        Content::Unreadable => (None, Some(Standing::Unreadable.word())),
    };
    let body = match &arrival.body {
        Some(body) if aside.is_some() && session.is_some() && !has_room_aside(connection, body.bytes.len())? => None,
        body => body.as_ref(),
    };
    let no_room = (body.is_none() && arrival.body.is_some()).then_some(ArrivalFlag::NoRoom);
    let flags: Vec<ArrivalFlag> = arrival.flags.iter().copied().chain(no_room).collect();
    let flags = serde_json::json!(flags).to_string();
    connection
        .prepare_cached(
            "INSERT INTO arrivals (at_ns, session, import, endpoint, signature, answer, took_ms, event, aside, trust, \
             tie, body_hash, body_len, headers, flags) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            arrival.at.0,
            session,
            import,
            arrival.endpoint,
            arrival.verified.word(),
            arrival.answer,
            arrival.took_ms,
            event,
            aside,
            arrival.trust().number(),
            arrival.tie,
            arrival.body_hash,
            arrival.body_len,
            arrival.headers,
            flags,
        ])?;
    let seq = Seq(connection.last_insert_rowid());
    if let Some(body) = body {
        connection.prepare_cached("INSERT INTO bodies (seq, coding, bytes) VALUES (?, ?, ?)")?.execute(params![
            seq.0,
            body.coding,
            body.bytes
        ])?;
    }
    Ok(seq)
}

/// Bodies that came here and were set aside share so many bytes: whoever floods the receiver with what counts for nothing
/// fills rows, and no disk.
const MOST_ASIDE: u64 = 64 << 20;
/// How many they take; a number.
pub(super) const ASIDE_BYTES: &str = "aside_bytes";

/// Takes room for one more of them, if there is any.
fn has_room_aside(connection: &Connection, more: usize) -> Result<bool> {
    let taken = aside_bytes(connection)?.saturating_add(more as u64);
    if taken > MOST_ASIDE {
        return Ok(false);
    }
    settings::set(connection, ASIDE_BYTES, &taken)?;
    Ok(true)
}

fn aside_bytes(connection: &Connection) -> Result<u64> {
    if let Some(known) = settings::written(connection, ASIDE_BYTES)? {
        return Ok(known);
    }
    let sql = "SELECT coalesce(sum(length(b.bytes)), 0) FROM arrivals AS a JOIN bodies AS b ON b.seq = a.seq \
               WHERE a.aside IS NOT NULL AND a.session IS NOT NULL";
    Ok(connection.query_row(sql, [], |row| row.get::<_, i64>(0))?.unsigned_abs())
}

/// Gives room back before the body of an arrival goes.
///
/// # Errors
/// `Storage` if the log cannot be read or written.
pub(super) fn leave_room_aside(connection: &Connection, seq: i64) -> Result<()> {
    let bytes: Option<i64> = connection
        .prepare_cached(
            "SELECT length(b.bytes) FROM arrivals AS a JOIN bodies AS b ON b.seq = a.seq \
             WHERE a.seq = ? AND a.aside IS NOT NULL AND a.session IS NOT NULL",
        )?
        .query_row([seq], |row| row.get(0))
        .optional()?;
    match bytes {
        Some(bytes) => {
            let left = aside_bytes(connection)?.saturating_sub(bytes.unsigned_abs());
            settings::set(connection, ASIDE_BYTES, &left)
        }
        None => Ok(()),
    }
}

/// How many arrivals agree with a line: arrival time to the millisecond, and body, and with it the event id (contract,
/// command line), leaving out those that the import `except` brought. An import adds as many as its file holds more. A
/// body that has aged out before it came here agrees with any of its event; a line without one (`body_hash` none) agrees
/// with any arrival of its event.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub fn count_equal(
    connection: &Connection,
    at: Moment,
    event: Option<&EventId>,
    body_hash: Option<[u8; 16]>,
    except: ImportId,
) -> Result<usize> {
    let from = Moment::from_millis(at.millis());
    let count: i64 = connection
        .prepare_cached(
            "SELECT count(*) FROM arrivals WHERE at_ns >= ?1 AND at_ns < ?2 AND import IS NOT ?5 \
             AND (body_hash = ?4 OR (event IS ?3 AND body_len > 0 AND (?4 IS NULL OR body_hash = ?6)))",
        )?
        .query_row(
            params![from.0, from.plus_millis(1).0, event.map(EventId::as_str), body_hash, except.0, UNKNOWN_BODY],
            |row| row.get(0),
        )?;
    Ok(usize::try_from(count).unwrap_or_default())
}

/// How many arrivals may be the one that a line with a masked body tells of: of its event, of its millisecond, with a
/// body that agrees but for what is masked, or whose body has aged out. Those that the import `except` brought do not
/// count.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub fn count_fitting(
    connection: &Connection,
    at: Moment,
    event: Option<&EventId>,
    masked: &str,
    except: ImportId,
) -> Result<usize> {
    let from = Moment::from_millis(at.millis());
    let mut statement = connection.prepare_cached(
        "SELECT b.coding, b.bytes FROM arrivals a LEFT JOIN bodies b ON b.seq = a.seq \
         WHERE a.at_ns >= ? AND a.at_ns < ? AND a.event IS ? AND a.body_len > 0 AND a.import IS NOT ?",
    )?;
    let of = params![from.0, from.plus_millis(1).0, event.map(EventId::as_str), except.0];
    let mut rows = statement.query(of)?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        let coding: Option<String> = row.get(0)?;
        let fits = match coding {
            Some(coding) => fits(masked, &String::from_utf8_lossy(&unpack(&coding, row.get(1)?)?)),
            None => event.is_some(),
        };
        count += usize::from(fits);
    }
    Ok(count)
}

/// How many times our receiver took an event within `near_ms` of `at`: what somebody else saw of the same request is
/// told by another clock, and its body may have been written anew.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub fn count_live_near(connection: &Connection, event: &EventId, at: Moment, near_ms: i64) -> Result<usize> {
    let count: i64 = connection
        .prepare_cached(
            "SELECT count(*) FROM arrived AS r JOIN arrivals AS a ON a.seq = r.seq \
             WHERE r.event = ? AND r.at_ns BETWEEN ? AND ? AND a.session IS NOT NULL",
        )?
        .query_row(params![event.as_str(), at.plus_millis(-near_ms).0, at.plus_millis(near_ms).0], |row| row.get(0))?;
    Ok(usize::try_from(count).unwrap_or_default())
}

/// Notes one more arrival of an event among those of events that came several times, and with the second one the first;
/// `head` is the event before it was counted. Every arrival of such an event stands there, none of any other (the view
/// `arrived` puts both kinds together).
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn note_copy(connection: &Connection, event: &EventId, head: &Head, key: &ArrivalKey) -> Result<()> {
    let mut statement = connection.prepare_cached("INSERT INTO copies (event, at_ns, tie, seq) VALUES (?, ?, ?, ?)")?;
    let first = (head.arrivals == 1).then_some(&head.first);
    for key in first.into_iter().chain([key]) {
        statement.execute(params![event.as_str(), key.at.0, key.tie, key.seq.0])?;
    }
    Ok(())
}

const COPIES: &str = "SELECT a.seq, a.at_ns, a.tie, a.body_hash, a.answer, a.took_ms, a.session IS NOT NULL, \
                      n.seq IS NOT NULL, n.left_ns, n.took_ms";
const OF_EVENT: &str =
    "FROM copies AS c CROSS JOIN arrivals AS a ON a.seq = c.seq LEFT JOIN answers AS n ON n.seq = a.seq";

fn copy_facts(row: &Row<'_>) -> rusqlite::Result<CopyFacts> {
    let at = Moment(row.get(1)?);
    let status: Option<u16> = row.get(4)?;
    let (live, noted): (bool, bool) = (row.get(6)?, row.get(7)?);
    let answered = match (live, noted) {
        (true, false) => Answered::Pending,
        (true, true) => {
            let (left, took): (Option<i64>, Option<i64>) = (row.get(8)?, row.get(9)?);
            match left {
                // Reckoned as for an import, so that an exported log is judged as this one.
                Some(left) => left_after(at, took.unwrap_or_else(|| Moment(left).ms_since(at))),
                None => Answered::Never { took_ms: took },
            }
        }
        (false, _) => match (status, row.get::<_, Option<i64>>(5)?) {
            (Some(_), Some(took_ms)) => left_after(at, took_ms),
            _ => Answered::Unsaid,
        },
    };
    Ok(CopyFacts {
        key: ArrivalKey { at, tie: row.get(2)?, seq: Seq(row.get(0)?) },
        body_hash: row.get(3)?,
        status,
        answered,
    })
}

const fn left_after(arrived: Moment, took_ms: i64) -> Answered {
    Answered::Left { took_ms, at: arrived.plus_millis(took_ms) }
}

fn all(mut statement: CachedStatement<'_>, of: impl rusqlite::Params) -> Result<Vec<CopyFacts>> {
    let rows = statement.query_map(of, copy_facts)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The arrivals of an event just before `key`, oldest first, at most `limit`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub fn copies_before(
    connection: &Connection,
    event: &EventId,
    key: &ArrivalKey,
    limit: usize,
) -> Result<Vec<CopyFacts>> {
    let sql = format!(
        "{COPIES} {OF_EVENT} WHERE c.event = ?1 AND (c.at_ns, c.tie, c.seq) < (?2, ?3, ?4) \
         ORDER BY c.at_ns DESC, c.tie DESC, c.seq DESC LIMIT ?5"
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut before =
        all(connection.prepare_cached(&sql)?, params![event.as_str(), key.at.0, key.tie, key.seq.0, limit])?;
    before.reverse();
    Ok(before)
}

/// The arrivals of an event after `key`, oldest first, at most `limit`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub fn copies_after(
    connection: &Connection,
    event: &EventId,
    key: &ArrivalKey,
    limit: usize,
) -> Result<Vec<CopyFacts>> {
    let sql = format!(
        "{COPIES} {OF_EVENT} WHERE c.event = ?1 AND (c.at_ns, c.tie, c.seq) > (?2, ?3, ?4) \
         ORDER BY c.at_ns, c.tie, c.seq LIMIT ?5"
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    all(connection.prepare_cached(&sql)?, params![event.as_str(), key.at.0, key.tie, key.seq.0, limit])
}

/// One arrival that makes or repeats an event, with that event; none for one set aside.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub fn copy(connection: &Connection, seq: Seq) -> Result<Option<(EventId, CopyFacts)>> {
    let sql = format!(
        "{COPIES}, a.event FROM arrivals AS a LEFT JOIN answers AS n ON n.seq = a.seq \
         WHERE a.seq = ? AND a.aside IS NULL AND a.event IS NOT NULL"
    );
    let found = connection
        .prepare_cached(&sql)?
        .query_row([seq.0], |row| Ok((EventId::new(row.get::<_, String>(10)?), copy_facts(row)?)))
        .optional()?;
    Ok(found)
}

/// Notes when, and whether, the answer to an arrival left. A second note about the same one is passed over.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn note_answer(connection: &Connection, seq: Seq, left: Option<Moment>, took_ms: Option<i64>) -> Result<bool> {
    let added = connection
        .prepare_cached("INSERT INTO answers (seq, left_ns, took_ms) VALUES (?, ?, ?) ON CONFLICT (seq) DO NOTHING")?
        .execute(params![seq.0, left.map(|left| left.0), took_ms])?;
    Ok(added == 1)
}

/// The number of an arrival among those of its event, as it was judged last.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub fn copy_number(connection: &Connection, seq: Seq) -> Result<i64> {
    Ok(connection
        .prepare_cached("SELECT copy FROM standings WHERE seq = ?")?
        .query_row([seq.0], |row| row.get(0))
        .optional()?
        .unwrap_or_default())
}

/// Writes what judging says of an arrival, only if it says otherwise than before.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn write_standing(connection: &Connection, seq: Seq, placed: &Placed) -> Result<()> {
    let cause = placed.cause.as_ref();
    let flags = if placed.body_differs { r#"["body_differs"]"# } else { "[]" };
    connection
        .prepare_cached(
            "INSERT INTO standings (seq, standing, copy, cause, confidence, rests_on, says, flags, rules) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (seq) DO UPDATE SET standing = ?2, copy = ?3, \
             cause = ?4, confidence = ?5, rests_on = ?6, says = ?7, flags = ?8, rules = ?9 \
             WHERE (standing, copy, cause, confidence, rests_on, says, flags, rules) \
             IS NOT (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            seq.0,
            placed.standing.word(),
            placed.copy,
            cause.map(|cause| cause.code.word()),
            cause.map(|cause| cause.confidence.word()),
            cause.map(|cause| cause.rests_on.0),
            cause.map(|cause| cause.says.as_str()),
            flags,
            RULES,
        ])?;
    Ok(())
}

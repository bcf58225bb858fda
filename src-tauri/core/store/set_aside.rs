//! Live arrivals that were set aside for their signature, and what becomes of one whose signature is found valid. Its
//! row stays as it came; it gives its standing to a row that counts, with the same request, answer and time.

use rusqlite::{Connection, params};
use sqlx::{AssertSqlSafe, Row, SqlitePool, sqlite::SqliteRow};

use super::packed;
use crate::{
    clock::Moment,
    error::{Code, Error, Result},
    ids::{Seq, SessionId},
};

/// Those that can be verified: their answer is settled, so that it can be handed on, and their body is in the log.
const WAITING: &str = "FROM arrivals AS a JOIN standings AS s ON s.seq = a.seq JOIN answers AS n ON n.seq = a.seq
    LEFT JOIN bodies AS b ON b.seq = a.seq
    WHERE a.aside IS NOT NULL AND a.aside = 'quarantined' AND a.session IS NOT NULL
    AND (b.seq IS NOT NULL OR a.body_len = 0)";

/// An arrival that was set aside.
#[derive(Clone, Debug)]
pub struct SetAside {
    /// Its number.
    pub seq: Seq,
    /// When it came.
    pub at: Moment,
    /// The session it came in.
    pub session: SessionId,
    /// Last part of the receiver's path.
    pub endpoint: String,
    /// What it was answered with.
    pub answer: Option<u16>,
    /// Its headers.
    pub headers: Vec<(String, String)>,
    /// The same, as they are kept.
    pub kept_headers: Vec<u8>,
    /// Its body.
    pub body: Vec<u8>,
}

/// How many wait to be verified again, counted up to `most`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn count(pool: &SqlitePool, most: u32) -> Result<u32> {
    let sql = format!("SELECT count(*) FROM (SELECT 1 {WAITING} LIMIT ?)");
    Ok(sqlx::query(AssertSqlSafe(sql)).bind(most).fetch_one(pool).await?.get(0))
}

/// Rows whose standing went to another one: they are in the log and count nowhere.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn given_up(pool: &SqlitePool) -> Result<i64> {
    let sql = "SELECT count(*) FROM arrivals AS a WHERE a.aside IS NOT NULL
               AND NOT EXISTS (SELECT 1 FROM standings AS s WHERE s.seq = a.seq)";
    Ok(sqlx::query(sql).fetch_one(pool).await?.get(0))
}

/// Up to `limit` of those that can be verified, by time, from after the one that came at `after` with that number.
///
/// # Errors
/// `Storage` if the log cannot be read or is damaged.
pub async fn page(pool: &SqlitePool, after: (Moment, Seq), limit: u32) -> Result<Vec<SetAside>> {
    let sql = format!(
        "SELECT a.seq, a.at_ns, a.session, a.endpoint, a.answer, a.headers, b.coding, b.bytes {WAITING}
         AND (a.at_ns, a.seq) > (?, ?) ORDER BY a.at_ns, a.seq LIMIT ?"
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(after.0.0).bind(after.1.0).bind(limit);
    query.fetch_all(pool).await?.iter().map(read).collect()
}

fn read(row: &SqliteRow) -> Result<SetAside> {
    let kept_headers: Vec<u8> = row.get(5);
    let headers = serde_json::from_slice(&packed::unpack_json(kept_headers.clone())?).map_err(|cause| {
        Error::caused(Code::Storage, "A row of the log is damaged. `reprise doctor` says more.", cause)
    })?;
    let body = match (row.get::<Option<String>, _>(6), row.get::<Option<Vec<u8>>, _>(7)) {
        (Some(coding), Some(bytes)) => packed::unpack(&coding, bytes)?,
        _ => Vec::new(),
    };
    Ok(SetAside {
        seq: Seq(row.get(0)),
        at: Moment(row.get(1)),
        session: SessionId(row.get(2)),
        endpoint: row.get(3),
        answer: row.get(4),
        headers,
        kept_headers,
        body,
    })
}

/// Takes its standing from an arrival that was set aside; false if it has none any more.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn give_up(connection: &Connection, seq: Seq) -> Result<bool> {
    let taken = connection
        .prepare_cached("DELETE FROM standings WHERE seq = ? AND standing = 'quarantined'")?
        .execute([seq.0])?;
    Ok(taken == 1)
}

/// The row that has the standing which an arrival gave up: the same request of the same instant, told once more. None for
/// one that was not set aside, or still is.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn in_its_place(pool: &SqlitePool, seq: Seq) -> Result<Option<Seq>> {
    let sql = "SELECT n.seq FROM arrivals AS a
               JOIN arrivals AS n ON n.at_ns = a.at_ns AND n.session = a.session AND n.endpoint = a.endpoint
                   AND n.body_hash = a.body_hash AND n.headers = a.headers AND n.seq > a.seq AND n.aside IS NULL
               WHERE a.seq = ? AND a.aside = 'quarantined'
               AND NOT EXISTS (SELECT 1 FROM standings AS s WHERE s.seq = a.seq)
               ORDER BY n.seq LIMIT 1";
    Ok(sqlx::query(sql).bind(seq.0).fetch_optional(pool).await?.map(|row| Seq(row.get(0))))
}

/// When the answer to an arrival left and how long it took, as it was noted.
///
/// # Errors
/// `Storage` if the log cannot be read or nothing was noted.
pub fn answer_of(connection: &Connection, seq: Seq) -> Result<(Option<Moment>, Option<i64>)> {
    let found = connection
        .prepare_cached("SELECT left_ns, took_ms FROM answers WHERE seq = ?")?
        .query_row(params![seq.0], |row| Ok((row.get::<_, Option<i64>>(0)?.map(Moment), row.get(1)?)))?;
    Ok(found)
}

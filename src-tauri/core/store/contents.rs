//! Bytes of requests and answers, once each, by their SHA-256. What is here never changes.

use rusqlite::{Connection, params};
use sha2::{Digest as _, Sha256};
use sqlx::{Row, SqlitePool};

use super::packed::{pack, unpack};
use crate::{
    error::{Code, Error, Result},
    outbound::job::BodyHash,
};

/// The hash of `bytes` as the tables keep it.
#[must_use]
pub fn hash(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The same as text, as jobs carry it.
#[must_use]
pub fn body_hash(bytes: &[u8]) -> BodyHash {
    BodyHash(hash(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Stores `bytes` if they are new and gives their hash.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn put(connection: &Connection, bytes: &[u8]) -> Result<[u8; 32]> {
    let hash = hash(bytes);
    let known: bool = connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM contents WHERE hash = ?)")?
        .query_row([hash], |row| row.get(0))?;
    if !known {
        let packed = pack(bytes);
        connection.prepare_cached("INSERT INTO contents (hash, coding, bytes) VALUES (?, ?, ?)")?.execute(params![
            hash,
            packed.coding,
            packed.bytes
        ])?;
    }
    Ok(hash)
}

/// The bytes of a hash, which they are held against: what was frozen is what is sent, or nothing is.
///
/// # Errors
/// `Storage` if they are not there, cannot be read or are not what was stored.
pub async fn get(pool: &SqlitePool, hash: &BodyHash) -> Result<Vec<u8>> {
    let sql = "SELECT coding, bytes FROM contents WHERE hash = unhex(?)";
    let row = sqlx::query(sql).bind(&hash.0).fetch_optional(pool).await?;
    let row =
        row.ok_or_else(|| Error::new(Code::Storage, "The stored bytes of a request are missing from the log."))?;
    let bytes = unpack(row.get::<&str, _>(0), row.get(1))?;
    if body_hash(&bytes) != *hash {
        return Err(Error::new(
            Code::Storage,
            "The log is damaged: the stored bytes of a request are no longer what was frozen, so it is not sent. \
             `reprise doctor` says more.",
        ));
    }
    Ok(bytes)
}

/// Bodies of the newest jobs, newest first, at most `limit`.
///
/// # Errors
/// `Storage` if the log cannot be read or is damaged.
pub async fn newest_of_jobs(pool: &SqlitePool, limit: u32) -> Result<Vec<Vec<u8>>> {
    let rows = sqlx::query(
        "SELECT c.coding, c.bytes FROM (SELECT id, body FROM jobs ORDER BY id DESC LIMIT ?) AS j \
         JOIN contents AS c ON c.hash = j.body ORDER BY j.id DESC",
    )
    .bind(i64::from(limit))
    .fetch_all(pool)
    .await?;
    rows.iter().map(|row| super::packed::unpack(row.get(0), row.get(1))).collect()
}

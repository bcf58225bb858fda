//! Bytes of requests and answers, once each, by their SHA-256. What is here never changes.

use rusqlite::{Connection, params};
use sha2::{Digest as _, Sha256};
use sqlx::{Row, SqlitePool};

use crate::{
    error::{Code, Error, Result},
    outbound::job::BodyHash,
};

/// Bytes shorter than this are not worth compressing.
const WORTH_IT: usize = 128;

/// The hash of `bytes` as the tables keep it.
#[must_use]
pub fn hash(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
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
        let packed = if bytes.len() < WORTH_IT { None } else { zstd::bulk::compress(bytes, 3).ok() };
        let (coding, stored) = match packed.as_deref() {
            Some(packed) if packed.len() < bytes.len() => ("zstd", packed),
            _ => ("plain", bytes),
        };
        connection
            .prepare_cached("INSERT INTO contents (hash, coding, bytes) VALUES (?, ?, ?)")?
            .execute(params![hash, coding, stored])?;
    }
    Ok(hash)
}

/// The bytes of a hash.
///
/// # Errors
/// `Storage` if they are not there or cannot be read.
pub async fn get(pool: &SqlitePool, hash: &BodyHash) -> Result<Vec<u8>> {
    let sql = "SELECT coding, bytes FROM contents WHERE hash = unhex(?)";
    let row = sqlx::query(sql).bind(&hash.0).fetch_optional(pool).await?;
    let row =
        row.ok_or_else(|| Error::new(Code::Storage, "The stored bytes of a request are missing from the log."))?;
    unpack(row.get(0), row.get(1))
}

/// Bytes as they were before they were stored under `coding`.
///
/// # Errors
/// `Storage` if they are damaged.
pub(super) fn unpack(coding: &str, bytes: Vec<u8>) -> Result<Vec<u8>> {
    match coding {
        "zstd" => zstd::decode_all(&*bytes)
            .map_err(|cause| Error::caused(Code::Storage, "Stored bytes cannot be unpacked.", cause)),
        _ => Ok(bytes),
    }
}

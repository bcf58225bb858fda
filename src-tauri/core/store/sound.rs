//! Whether every page of a log is what was written. Reads all of it, and changes nothing.

use rusqlite::Connection;
use sha2::{Digest as _, Sha256};

use super::{faults::Fault, packed};
use crate::inbound::arrival::body_hash;

/// Damage is named up to this many times.
const NAMED: u32 = 5;

/// Reads every page, and holds tables against their indexes.
///
/// # Errors
/// Whatever keeps the log from being read; damage may show as one, too.
pub fn pages(log: &Connection) -> rusqlite::Result<Option<Fault>> {
    let mut statement = log.prepare(&format!("PRAGMA integrity_check({NAMED})"))?;
    let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
    let words = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok((words != ["ok"]).then(|| Fault::Damaged(words.join("; ").replace('\n', " "))))
}

/// Holds the bytes of requests, answers and bodies against their hashes, and reads all headers: a page can be damaged where
/// SQLite has no way to see it.
///
/// # Errors
/// As [`pages`].
pub fn bytes(log: &Connection) -> rusqlite::Result<Option<Fault>> {
    let wrong = [
        (bad_contents(log)?.len(), "requests or answers"),
        (bad_bodies(log)?.len(), "bodies of messages"),
        (bad_headers(log)?.len(), "headers of messages"),
    ];
    let told = wrong.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    let told: Vec<_> = told.collect();
    Ok((!told.is_empty()).then(|| Fault::Damaged(format!("{} are not what was stored", told.join(", ")))))
}

/// Hashes of the requests and answers that do not fit them.
pub(super) fn bad_contents(log: &Connection) -> rusqlite::Result<Vec<Vec<u8>>> {
    let mut all = log.prepare("SELECT hash, coding, bytes FROM contents")?;
    let mut rows = all.query([])?;
    let mut bad = Vec::new();
    while let Some(row) = rows.next()? {
        let hash: Vec<u8> = row.get(0)?;
        let bytes = packed::unpack(&row.get::<_, String>(1)?, row.get(2)?);
        if bytes.map_or(true, |bytes| Sha256::digest(bytes).as_slice() != hash) {
            bad.push(hash);
        }
    }
    Ok(bad)
}

/// Numbers of the arrivals whose body does not fit its hash.
pub(super) fn bad_bodies(log: &Connection) -> rusqlite::Result<Vec<i64>> {
    let mut all =
        log.prepare("SELECT b.seq, a.body_hash, b.coding, b.bytes FROM bodies b JOIN arrivals a USING (seq)")?;
    let mut rows = all.query([])?;
    let mut bad = Vec::new();
    while let Some(row) = rows.next()? {
        let hash: Vec<u8> = row.get(1)?;
        let bytes = packed::unpack(&row.get::<_, String>(2)?, row.get(3)?);
        if bytes.map_or(true, |bytes| body_hash(&bytes).as_slice() != hash) {
            bad.push(row.get(0)?);
        }
    }
    Ok(bad)
}

/// Numbers of the arrivals whose headers or flags cannot be read.
pub(super) fn bad_headers(log: &Connection) -> rusqlite::Result<Vec<i64>> {
    let mut all = log.prepare("SELECT seq, headers, json_valid(flags) FROM arrivals")?;
    let mut rows = all.query([])?;
    let mut bad = Vec::new();
    while let Some(row) = rows.next()? {
        let read = packed::unpack_json(row.get(1)?).ok();
        let pairs = read.and_then(|text| serde_json::from_slice::<Vec<(String, String)>>(&text).ok());
        if pairs.is_none() || !row.get::<_, bool>(2)? {
            bad.push(row.get(0)?);
        }
    }
    Ok(bad)
}

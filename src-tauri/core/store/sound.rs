//! Whether every page of a log is what was written. Reads all of it, and changes nothing.

use rusqlite::Connection;
use sha2::{Digest as _, Sha256};

use super::{faults::Fault, packed};

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

/// Holds the bytes of requests and answers against their hashes: a page can be damaged where SQLite has no way to see it.
///
/// # Errors
/// As [`pages`].
pub fn contents(log: &Connection) -> rusqlite::Result<Option<Fault>> {
    let mut statement = log.prepare("SELECT hash, coding, bytes FROM contents")?;
    let mut rows = statement.query([])?;
    let mut wrong = 0_u64;
    while let Some(row) = rows.next()? {
        let hash: Vec<u8> = row.get(0)?;
        let bytes = packed::unpack(&row.get::<_, String>(1)?, row.get(2)?);
        wrong += u64::from(bytes.map_or(true, |bytes| Sha256::digest(bytes).as_slice() != hash));
    }
    Ok((wrong > 0).then(|| Fault::Damaged(format!("{wrong} requests or answers are not what was stored"))))
}

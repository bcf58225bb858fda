//! What firing a test looks for: the first test that was recorded after a certain arrival, in whatever process.

use sqlx::{AssertSqlSafe, Row, SqlitePool};

use super::listing::{ARRIVALS, ArrivalRow, arrival_row};
use crate::{error::Result, ids::Seq};

/// The arrival that was recorded last; number 0 in an empty log.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn newest(pool: &SqlitePool) -> Result<Seq> {
    Ok(Seq(sqlx::query("SELECT coalesce(max(seq), 0) FROM arrivals").fetch_one(pool).await?.get(0)))
}

/// The first test recorded after that arrival.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn first_test_after(pool: &SqlitePool, after: Seq) -> Result<Option<ArrivalRow>> {
    let sql = format!("{ARRIVALS} WHERE a.seq > ? AND s.standing = 'test' ORDER BY a.seq LIMIT 1");
    sqlx::query(AssertSqlSafe(sql)).bind(after.0).fetch_optional(pool).await?.as_ref().map(arrival_row).transpose()
}

/// Where the receiver that started last listens or listened.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn newest_address(pool: &SqlitePool) -> Result<Option<String>> {
    let row = sqlx::query("SELECT address FROM sessions ORDER BY id DESC LIMIT 1").fetch_optional(pool).await?;
    Ok(row.map(|row| row.get(0)))
}

//! Choices of the person, one JSON value a key in the log's own `settings` table. Secrets are not settings.

use rusqlite::{Connection, OptionalExtension as _, params};
use serde::{Serialize, de::DeserializeOwned};
use sqlx::{Row, SqlitePool};

use crate::{
    clock::Clock,
    error::{Code, Error, Result},
};

/// Bodies older than this many days age out, by themselves and on `prune`; a number, or null where they are kept.
pub const BODIES_DAYS: &str = "bodies_days";
/// While the log is larger than this many megabytes bodies age out, oldest first; a number, or null.
pub const LOG_MB: &str = "log_mb";
/// The workspace in use; its number.
pub const WORKSPACE: &str = "workspace";
/// Address the receiver listens on; text such as `127.0.0.1:8787`.
pub const RECEIVER: &str = "receiver";
/// How many rows of a bulk are on the wire at once; a number.
pub const BULK_AT_ONCE: &str = "bulk_at_once";
/// Where the secrets of this log were last kept: `keychain` or `file`; text.
pub const SECRETS_IN: &str = "secrets_in";
/// Names this log among all logs of this computer, and salts its fingerprints of API keys; text.
pub const LOG: &str = "log";

/// What a person changed of the provider's settings for a workspace; an object, or null.
#[must_use]
pub fn contract_of(workspace: i64) -> String {
    format!("contract.{workspace}")
}
/// How the program behaves on the desktop; an object.
pub const HABITS: &str = "habits";
/// Filters of the Events that a person gave a name; a list.
pub const FILTERS: &str = "filters";
/// True once a person was told that closing the window keeps receiving.
pub const TOLD_CLOSING: &str = "told_closing";

/// Reads a setting; none if it was never set.
///
/// # Errors
/// `Storage` if the log cannot be read or the value is not of the kind asked for.
pub async fn get<T: DeserializeOwned>(pool: &SqlitePool, key: &str) -> Result<Option<T>> {
    let row = sqlx::query("SELECT value FROM settings WHERE key = ?").bind(key).fetch_optional(pool).await?;
    row.map(|row| read(key, row.get(0))).transpose()
}

/// Reads a setting inside a piece of write work, so that nothing changes it before it is written back.
///
/// # Errors
/// As [`get`].
pub fn written<T: DeserializeOwned>(connection: &Connection, key: &str) -> Result<Option<T>> {
    let text: Option<String> = connection
        .prepare_cached("SELECT value FROM settings WHERE key = ?")?
        .query_row([key], |row| row.get(0))
        .optional()?;
    text.map(|text| read(key, &text)).transpose()
}

/// Writes a setting, inside a piece of write work.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn set<T: Serialize>(connection: &Connection, key: &str, value: &T) -> Result<()> {
    let text = serde_json::to_string(value)
        .map_err(|cause| Error::caused(Code::Internal, format!("The setting `{key}` has no JSON form."), cause))?;
    connection
        .prepare_cached("INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = ?2")?
        .execute(params![key, text])?;
    Ok(())
}

/// The log's name, made the first time anybody asks.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn log_name(connection: &Connection, clock: &Clock) -> Result<String> {
    let known: Option<String> =
        connection.query_row("SELECT value FROM settings WHERE key = ?", [LOG], |row| row.get(0)).optional()?;
    if let Some(text) = known {
        return read(LOG, &text);
    }
    let fresh = clock.new_id();
    set(connection, LOG, &fresh)?;
    Ok(fresh)
}

fn read<T: DeserializeOwned>(key: &str, text: &str) -> Result<T> {
    serde_json::from_str(text)
        .map_err(|cause| Error::caused(Code::Storage, format!("The setting `{key}` cannot be read."), cause))
}

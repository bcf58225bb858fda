//! The workspaces this log has talked to (contract, command line): one with a connection is known by base address and
//! fingerprint of its API key, one that only imported lines name is known by that name.

use rusqlite::{Connection, OptionalExtension as _, params};
use sqlx::{Row, SqlitePool, sqlite::SqliteRow};

use crate::{
    clock::Moment,
    error::{Error, Result},
    ids::WorkspaceId,
};

/// A workspace, without any secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    /// Number in this log.
    pub id: i64,
    /// What people call it; unique in this log.
    pub name: String,
    /// Base address without `/v1`; none if only imported lines name it.
    pub base_url: Option<String>,
    /// Fingerprint of its API key.
    pub key_print: Option<String>,
    /// Provider whose settings hold.
    pub provider: String,
    /// True if a person set it up.
    pub saved: bool,
}

const COLUMNS: &str = "SELECT id, name, base_url, key_print, provider, saved FROM workspaces";

fn row(row: &SqliteRow) -> Workspace {
    Workspace {
        id: row.get(0),
        name: row.get(1),
        base_url: row.get(2),
        key_print: row.get(3),
        provider: row.get(4),
        saved: row.get(5),
    }
}

/// One workspace by its number.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn one(pool: &SqlitePool, id: i64) -> Result<Option<Workspace>> {
    let sql = sqlx::AssertSqlSafe(format!("{COLUMNS} WHERE id = ?"));
    Ok(sqlx::query(sql).bind(id).fetch_optional(pool).await?.as_ref().map(row))
}

/// Those that a person set up, by name.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn saved(pool: &SqlitePool) -> Result<Vec<Workspace>> {
    let sql = sqlx::AssertSqlSafe(format!("{COLUMNS} WHERE saved = 1 ORDER BY name"));
    Ok(sqlx::query(sql).fetch_all(pool).await?.iter().map(row).collect())
}

/// True if no workspace was ever set up and nothing was ever logged.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn log_is_empty(pool: &SqlitePool) -> Result<bool> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM workspaces WHERE saved = 1) AND NOT EXISTS (SELECT 1 FROM arrivals) \
               AND NOT EXISTS (SELECT 1 FROM jobs)";
    Ok(sqlx::query(sql).fetch_one(pool).await?.get(0))
}

/// The workspace of this base address and fingerprint, made if it is new.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn connected(connection: &Connection, base_url: &str, key_print: &str, provider: &str, now: Moment) -> Result<i64> {
    let known: Option<i64> = connection
        .prepare_cached("SELECT id FROM workspaces WHERE base_url = ? AND key_print = ?")?
        .query_row(params![base_url, key_print], |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    let host = base_url.split_once("://").map_or(base_url, |(_, host)| host);
    let name = format!("{host} {}", key_print.get(..6).unwrap_or(key_print));
    connection.execute(
        "INSERT INTO workspaces (name, base_url, key_print, provider, created_ns) VALUES (?, ?, ?, ?, ?)",
        params![name, base_url, key_print, provider, now.0],
    )?;
    Ok(connection.last_insert_rowid())
}

/// Where imported lines without a workspace belong while no connection is set up (contract).
pub const THIS_LOG: &str = "this log";

/// The workspace that imported lines call `name`, made if it is new.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn named(connection: &Connection, name: &str, now: Moment) -> Result<i64> {
    let known: Option<i64> = connection
        .prepare_cached("SELECT id FROM workspaces WHERE name = ?")?
        .query_row([name], |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    connection.execute("INSERT INTO workspaces (name, created_ns) VALUES (?, ?)", params![name, now.0])?;
    Ok(connection.last_insert_rowid())
}

/// What a person fills in for a workspace.
#[derive(Clone, Debug)]
pub struct Filled {
    /// What people call it.
    pub name: String,
    /// Base address without `/v1`.
    pub base_url: String,
    /// Provider whose settings hold.
    pub provider: String,
    /// Fingerprint of its API key, if it has one.
    pub key_print: Option<String>,
}

/// Makes a workspace as a person filled it in, or changes one. One that a connection or an import made before under
/// the same key, or under the same name without an address, becomes this one, so that its posts stay with it.
///
/// # Errors
/// `Refused` if another workspace bears the name or the key, `NotFound` if `id` is none, `Storage` if the log cannot
/// be written.
pub fn save(connection: &Connection, id: Option<i64>, filled: &Filled, now: Moment) -> Result<i64> {
    let known = match id {
        Some(id) => Some(id),
        None => adopted(connection, filled)?,
    };
    let taken: bool = connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM workspaces WHERE id IS NOT ?1 AND (name = ?2 OR (base_url = ?3 AND key_print = ?4)))",
        params![known, filled.name, filled.base_url, filled.key_print],
        |row| row.get(0),
    )?;
    if taken {
        return Err(Error::refused(format!(
            "Another workspace is called {} already, or uses this very key. Nothing was changed; choose that one.",
            filled.name
        )));
    }
    let Some(id) = known else {
        connection.execute(
            "INSERT INTO workspaces (name, base_url, key_print, provider, saved, created_ns) VALUES (?, ?, ?, ?, 1, ?)",
            params![filled.name, filled.base_url, filled.key_print, filled.provider, now.0],
        )?;
        return Ok(connection.last_insert_rowid());
    };
    let changed = connection.execute(
        "UPDATE workspaces SET name = ?2, base_url = ?3, key_print = ?4, provider = ?5, saved = 1 WHERE id = ?1",
        params![id, filled.name, filled.base_url, filled.key_print, filled.provider],
    )?;
    if changed == 0 { Err(Error::not_found("That workspace is not in this log any more.")) } else { Ok(id) }
}

fn adopted(connection: &Connection, filled: &Filled) -> Result<Option<i64>> {
    Ok(connection
        .query_row(
            "SELECT id FROM workspaces WHERE saved = 0 AND ((base_url = ?1 AND key_print = ?2) OR (base_url IS NULL AND name = ?3))
             ORDER BY base_url IS NULL LIMIT 1",
            params![filled.base_url, filled.key_print, filled.name],
            |row| row.get(0),
        )
        .optional()?)
}

/// A workspace that only files name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name in the file.
    pub name: String,
    /// Name of the workspace that a person said it means.
    pub means: Option<String>,
    /// How many jobs bear it.
    pub jobs: i64,
}

/// The workspaces that only files name, by name.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn named_by_files(pool: &SqlitePool) -> Result<Vec<Named>> {
    let sql = "SELECT w.name, t.name, (SELECT count(*) FROM jobs WHERE workspace = w.id)
               FROM workspaces AS w LEFT JOIN workspaces AS t ON t.id = w.same_as
               WHERE w.base_url IS NULL ORDER BY w.name";
    let rows = sqlx::query(sql).fetch_all(pool).await?;
    Ok(rows.iter().map(|row| Named { name: row.get(0), means: row.get(1), jobs: row.get(2) }).collect())
}

/// Keeps that a person said that the name in a file means the workspace `to`; none takes it back.
///
/// # Errors
/// `NotFound` if no file names it, `Refused` if it is a workspace of its own, `Storage` if the log cannot be written.
pub fn tie(connection: &Connection, name: &str, to: Option<WorkspaceId>) -> Result<()> {
    let known: Option<(i64, bool)> = connection
        .query_row("SELECT id, base_url IS NOT NULL FROM workspaces WHERE name = ?", [name], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    let Some((id, connected)) = known else {
        return Err(Error::not_found(format!("No imported file names a workspace {name}. Nothing was changed.")));
    };
    if connected {
        return Err(Error::refused(format!(
            "{name} is a workspace that this log talks to itself; only the name in a file can mean another one. Nothing \
             was changed."
        )));
    }
    connection.execute("UPDATE workspaces SET same_as = ?2 WHERE id = ?1", params![id, to.map(|to| to.0)])?;
    Ok(())
}

/// Calls a workspace by another name.
///
/// # Errors
/// `Storage` if the log cannot be written or another workspace bears the name.
pub fn rename(connection: &Connection, id: i64, name: &str) -> Result<()> {
    connection.execute("UPDATE workspaces SET name = ?2 WHERE id = ?1", params![id, name])?;
    Ok(())
}

/// Takes a workspace out of those set up. Its posts and tries stay in the log under its name.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn forget(connection: &Connection, id: i64) -> Result<()> {
    connection.execute("UPDATE workspaces SET saved = 0 WHERE id = ?", [id])?;
    Ok(())
}

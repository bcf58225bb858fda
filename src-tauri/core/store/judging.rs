//! What waits to be judged anew: resources with many events and events with many arrivals.

use rusqlite::{Connection, OptionalExtension as _, params};
use sqlx::{Row as _, SqlitePool};

use crate::{
    error::Result,
    ids::{EventId, Resource},
};

/// Something that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Due {
    /// The events of a resource, against each other.
    Resource(Resource),
    /// The arrivals of an event, against each other; beside it what it is about.
    Event(EventId, Resource),
}

impl Due {
    const fn kind(&self) -> &'static str {
        match self {
            Self::Resource(_) => "resource",
            Self::Event(..) => "event",
        }
    }

    fn id(&self) -> &str {
        match self {
            Self::Resource(resource) => resource.as_str(),
            Self::Event(event, _) => event.as_str(),
        }
    }

    fn resource(&self) -> &Resource {
        match self {
            Self::Resource(resource) | Self::Event(_, resource) => resource,
        }
    }
}

/// Notes that something has to be judged anew.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn note(connection: &Connection, due: &Due) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO judging_due (kind, id, resource, marks) VALUES (?, ?, ?, 1)
             ON CONFLICT (kind, id) DO UPDATE SET marks = marks + 1",
        )?
        .execute(params![due.kind(), due.id(), due.resource().as_str()])?;
    Ok(())
}

/// Notes that something which waits has changed once more; false if it does not wait.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn note_if_due(connection: &Connection, due: &Due) -> Result<bool> {
    let sql = "UPDATE judging_due SET marks = marks + 1 WHERE kind = ? AND id = ?";
    Ok(connection.prepare_cached(sql)?.execute(params![due.kind(), due.id()])? > 0)
}

/// How often something that waits has changed; none if it does not wait.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub fn marks(connection: &Connection, due: &Due) -> Result<Option<i64>> {
    let sql = "SELECT marks FROM judging_due WHERE kind = ? AND id = ?";
    Ok(connection.prepare_cached(sql)?.query_row(params![due.kind(), due.id()], |row| row.get(0)).optional()?)
}

/// It waits no longer.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn done(connection: &Connection, due: &Due) -> Result<()> {
    let sql = "DELETE FROM judging_due WHERE kind = ? AND id = ?";
    connection.prepare_cached(sql)?.execute(params![due.kind(), due.id()])?;
    Ok(())
}

/// One thing that waits, and how often it has changed.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn next(pool: &SqlitePool) -> Result<Option<(Due, i64)>> {
    let row = sqlx::query("SELECT kind, id, resource, marks FROM judging_due LIMIT 1").fetch_optional(pool).await?;
    Ok(row.map(|row| {
        let (id, resource) = (row.get::<String, _>(1), Resource::new(row.get::<String, _>(2)));
        let due = match row.get::<String, _>(0).as_str() {
            "event" => Due::Event(EventId::new(id), resource),
            _ => Due::Resource(resource),
        };
        (due, row.get(3))
    }))
}

/// How much waits, counted up to `most`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn left(pool: &SqlitePool, most: i64) -> Result<u64> {
    let sql = "SELECT count(*) FROM (SELECT 1 FROM judging_due LIMIT ?)";
    Ok(sqlx::query(sql).bind(most).fetch_one(pool).await?.get::<i64, _>(0).unsigned_abs())
}

pub(super) const UNDER_WAY: &str = "SELECT DISTINCT d.resource FROM json_each(?1) AS wanted CROSS JOIN judging_due AS d
    ON d.resource = wanted.value";

/// Those of some resources whose lanes are under way.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn under_way(pool: &SqlitePool, resources: &[Resource]) -> Result<Vec<Resource>> {
    let rows = sqlx::query(UNDER_WAY).bind(serde_json::json!(resources).to_string()).fetch_all(pool).await?;
    Ok(rows.iter().map(|row| Resource::new(row.get::<String, _>(0))).collect())
}

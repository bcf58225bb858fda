//! Brings a log's schema up to date, and refuses a log that a newer program wrote. A landed migration never changes:
//! its checksum stands in every log it was applied to.

use std::{path::Path, time::Duration};

use sqlx::{
    AssertSqlSafe, Connection, Row, SqlSafeStr as _, SqliteConnection,
    migrate::{Migration, MigrationType, Migrator},
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};

use crate::error::{self, Code, Error, Result};

/// Version, name and text of each migration, oldest first.
const ALL: &[(i64, &str, &str)] = &[
    (1, "workspaces", include_str!("migrations/0001_workspaces.sql")),
    (2, "arrivals", include_str!("migrations/0002_arrivals.sql")),
    (3, "events", include_str!("migrations/0003_events.sql")),
    (4, "jobs", include_str!("migrations/0004_jobs.sql")),
    (5, "readings", include_str!("migrations/0005_readings.sql")),
    (6, "event_pages", include_str!("migrations/0006_event_pages.sql")),
    (7, "content_check", include_str!("migrations/0007_content_check.sql")),
    (8, "timeline", include_str!("migrations/0008_timeline.sql")),
    (9, "looking", include_str!("migrations/0009_looking.sql")),
    (10, "bulks", include_str!("migrations/0010_bulks.sql")),
    (11, "screens", include_str!("migrations/0011_screens.sql")),
    (12, "doubles", include_str!("migrations/0012_doubles.sql")),
    (13, "imports", include_str!("migrations/0013_imports.sql")),
    (14, "search", include_str!("migrations/0014_search.sql")),
    (15, "hearsay", include_str!("migrations/0015_hearsay.sql")),
];

/// Applies what is missing to the log at `file`, making the file if it is not there.
///
/// # Errors
/// `NewerFile` if it holds a migration this program does not know; `Storage` if it cannot be opened or changed.
pub async fn run(file: &Path) -> Result<()> {
    let options = SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(Duration::from_secs(10));
    let mut connection = SqliteConnection::connect_with(&options).await?;
    refuse_newer(&mut connection).await?;
    // `run` asks for a lifetime that no caller in an async thread can give; this is the same without asking.
    shipped().run_direct(None, &mut connection, false).await.map_err(failed)?;
    connection.close().await?;
    Ok(())
}

/// The schema version of this program.
#[must_use]
pub fn newest() -> i64 {
    ALL.last().map_or(0, |last| last.0)
}

async fn refuse_newer(connection: &mut SqliteConnection) -> Result<()> {
    let table = sqlx::query("SELECT 1 FROM sqlite_schema WHERE name = '_sqlx_migrations'");
    if table.fetch_optional(&mut *connection).await?.is_none() {
        return Ok(());
    }
    let written: Option<i64> =
        sqlx::query("SELECT max(version) FROM _sqlx_migrations").fetch_one(&mut *connection).await?.get(0);
    let known = newest();
    match written {
        Some(version) if version > known => Err(Error::new(
            Code::NewerFile,
            format!(
                "This log was written by a newer Reprise (schema {version}, this program knows {known}); \
                 nothing was touched. Update the program, or choose another data folder."
            ),
        )),
        _ => Ok(()),
    }
}

fn failed(cause: sqlx::migrate::MigrateError) -> Error {
    use sqlx::migrate::MigrateError::{Execute, ExecuteMigration};
    match cause {
        // A damaged file is said to be one, wherever that is met first.
        Execute(inner) | ExecuteMigration(inner, _) if error::is_damage(&inner) => inner.into(),
        other => Error::caused(
            Code::Storage,
            "The log's layout could not be brought up to date; it is as it was before.",
            other,
        ),
    }
}

/// The migrations inside the program, so that no folder is needed beside it.
fn shipped() -> Migrator {
    let all = ALL.iter().map(|&(version, name, text)| {
        let sql = AssertSqlSafe(text).into_sql_str();
        Migration::new(version, name.into(), MigrationType::Simple, sql, false)
    });
    Migrator::with_migrations(all.collect())
}

/// An empty log in memory, for tests of single statements.
#[cfg(test)]
pub(crate) fn in_memory() -> rusqlite::Connection {
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    connection.pragma_update(None, "foreign_keys", "on").unwrap();
    // As the writer has it: with fewer, what is recorded again and again would be compiled anew each time.
    connection.set_prepared_statement_cache_capacity(128);
    for (_, _, text) in ALL {
        connection.execute_batch(text).unwrap();
    }
    connection
}

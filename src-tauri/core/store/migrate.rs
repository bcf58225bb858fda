//! Brings a log's schema up to date. A landed migration never changes: its checksum stands in every log it was applied
//! to. Which files may be brought up to date at all is told by `inspect`.

use std::{path::Path, time::Duration};

use sqlx::{
    AssertSqlSafe, Connection, SqlSafeStr as _, SqliteConnection,
    migrate::{Migration, MigrationType, Migrator},
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};

use crate::error::{self, Code, Error, Result};

/// The table that says which migrations a log holds.
pub(super) const TABLE: &str = "_sqlx_migrations";

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
    (16, "key_reuse", include_str!("migrations/0016_key_reuse.sql")),
    (17, "moves", include_str!("migrations/0017_moves.sql")),
    (19, "equal_words", include_str!("migrations/0019_equal_words.sql")),
    (20, "there", include_str!("migrations/0020_there.sql")),
    (23, "near_doubles", include_str!("migrations/0023_near_doubles.sql")),
    (24, "density", include_str!("migrations/0024_density.sql")),
    (25, "judging_due", include_str!("migrations/0025_judging_due.sql")),
    (26, "fewer_indexes", include_str!("migrations/0026_fewer_indexes.sql")),
    (27, "plain_checks", include_str!("migrations/0027_plain_checks.sql")),
    (28, "first_arrivals", include_str!("migrations/0028_first_arrivals.sql")),
    (29, "dictionary", include_str!("migrations/0029_dictionary.sql")),
];

/// Applies what is missing to the log at `file`, making the file if it is not there.
///
/// # Errors
/// `Storage` if it cannot be opened or changed.
pub async fn run(file: &Path) -> Result<()> {
    let safe = SqliteConnectOptions::new().journal_mode(SqliteJournalMode::Wal).synchronous(SqliteSynchronous::Full);
    lay_out_on_disk(safe, file, "").await
}

/// Bytes of a page in a new log. Ids are random, so an arrival changes a page in each index that holds one, and each goes
/// to the disk whole: of half the size they are half of that. Smaller ones cost more in what is written in a row. A log
/// that another version made keeps its own.
pub(super) const PAGE_BYTES: u32 = 2_048;

/// Gives a new file the schema of this program. Nothing of it is sure to be on disk before the caller has seen to that; one
/// that is cut off leaves a file that is to be made anew.
///
/// # Errors
/// As [`run`].
pub async fn create(file: &Path) -> Result<()> {
    let fast = SqliteConnectOptions::new()
        .page_size(PAGE_BYTES)
        .journal_mode(SqliteJournalMode::Memory)
        .synchronous(SqliteSynchronous::Off);
    // Nothing of an index that a later layout dropped is left in it; the mode of its journal stays with the file.
    lay_out_on_disk(fast, file, "VACUUM; PRAGMA journal_mode = wal").await
}

async fn lay_out_on_disk(options: SqliteConnectOptions, file: &Path, then: &'static str) -> Result<()> {
    let options = options.filename(file).create_if_missing(true).busy_timeout(Duration::from_secs(10));
    let mut connection = SqliteConnection::connect_with(&options).await?;
    // `run` asks for a lifetime that no caller in an async thread can give; this is the same without asking.
    let mut done = shipped().run_direct(None, &mut connection, false).await.map_err(failed);
    if done.is_ok() {
        done = sqlx::raw_sql(then).execute(&mut connection).await.map(drop).map_err(Error::from);
    }
    // Also where it failed: a connection that is only dropped may leave a write-ahead log beside a file that is no log.
    let closed = connection.close().await;
    done?;
    Ok(closed?)
}

/// The schema version of this program.
#[must_use]
pub fn newest() -> i64 {
    ALL.last().map_or(0, |last| last.0)
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

/// An empty log in memory with the layout of `version`.
///
/// # Errors
/// Never but for a lack of memory: every migration is run by the tests.
pub(super) fn blank(version: i64) -> rusqlite::Result<rusqlite::Connection> {
    let connection = rusqlite::Connection::open_in_memory()?;
    lay_out(&connection, version)?;
    Ok(connection)
}

/// Gives an empty file the layout of `version`.
pub(super) fn lay_out(connection: &rusqlite::Connection, version: i64) -> rusqlite::Result<()> {
    ALL.iter().filter(|(own, ..)| *own <= version).try_for_each(|(_, _, text)| connection.execute_batch(text))
}

/// An empty log in memory, for tests of single statements.
#[cfg(test)]
pub(crate) fn in_memory() -> rusqlite::Connection {
    let connection = blank(newest()).unwrap();
    connection.pragma_update(None, "foreign_keys", "on").unwrap();
    // As the writer has it: with fewer, what is recorded again and again would be compiled anew each time.
    connection.set_prepared_statement_cache_capacity(128);
    connection
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lay_out_after(log: &rusqlite::Connection, version: i64) {
        for (_, _, text) in ALL.iter().filter(|(own, ..)| *own > version) {
            log.execute_batch(text).unwrap();
        }
    }

    /// Every quoted word in the layout of the tables, in its order.
    fn words(log: &rusqlite::Connection) -> Vec<String> {
        let mut tables = log.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' ORDER BY name").unwrap();
        let tables = tables.query_map([], |row| row.get::<_, String>(0)).unwrap();
        let says = |table: String| {
            let lines: Vec<_> =
                table.lines().map(|line| line.split("--").next().unwrap_or_default().to_owned()).collect();
            lines.join(" ").split('\'').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()
        };
        tables.flat_map(|table| says(table.unwrap())).collect()
    }

    #[test]
    fn the_arrivals_of_an_older_log_stand_in_one_place_each() {
        let log = blank(25).unwrap();
        log.execute_batch(
            "INSERT INTO imports (id, at_ns, file) VALUES (1, 0, 'x');
             WITH told (seq, at_ns, event, aside) AS (VALUES
                (1, 50, 'once', NULL), (2, 60, 'thrice', NULL), (3, 40, 'thrice', NULL), (4, 60, 'thrice', NULL),
                (5, 70, 'thrice', 'quarantined'), (6, 80, NULL, 'unreadable'))
             INSERT INTO arrivals (seq, at_ns, import, endpoint, signature, event, aside, trust, tie, body_hash, body_len, headers, flags)
             SELECT seq, at_ns, 1, 'x', 'valid', event, aside, 0, x'01', x'', 0, x'', '[]' FROM told;
             WITH told (event, seq, at_ns, arrivals) AS (VALUES ('once', 1, 50, 1), ('thrice', 3, 40, 3))
             INSERT INTO events (event, name, resource, nature, known, news, twin, counts, counts_trust, counts_hash, first_seq,
                first_ns, first_tie, last_ns, arrivals, applied, placing, stale_lanes, flags, rules)
             SELECT event, 'x', 'r', 'real', 1, '[]', x'', seq, 0, x'', seq, at_ns, x'01', 60, arrivals, 1, 'in_order', '[]', '[]', 2
             FROM told;",
        )
        .unwrap();
        lay_out_after(&log, 25);
        let mut arrived = log.prepare("SELECT event, seq FROM arrived ORDER BY event, at_ns, tie, seq").unwrap();
        let arrived = arrived.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?))).unwrap();
        let arrived: Vec<_> = arrived.map(|row| row.unwrap()).collect();
        let expected = [("once", 1), ("thrice", 3), ("thrice", 2), ("thrice", 4)];
        assert_eq!(arrived, expected.map(|(event, seq)| (event.to_owned(), seq)));
    }

    /// Tables that get a row for each arrival or each try.
    const OFTEN: [&str; 16] = [
        "answers",
        "arrivals",
        "attempts",
        "bodies",
        "contents",
        "copies",
        "density",
        "events",
        "job_states",
        "job_words",
        "jobs",
        "lanes",
        "post_words",
        "readings",
        "results",
        "standings",
    ];

    #[test]
    fn no_row_that_is_written_often_is_checked_through_a_table_of_its_own() {
        let log = in_memory();
        for table in OFTEN {
            let mut plan = log.prepare(&format!("EXPLAIN INSERT INTO {table} DEFAULT VALUES")).unwrap();
            let steps = plan.query_map([], |row| row.get::<_, String>(1)).unwrap();
            assert!(steps.map(|step| step.unwrap()).all(|step| step != "OpenEphemeral"), "{table}");
        }
    }

    #[test]
    fn what_a_table_refuses_is_refused_by_an_upgraded_log_too() {
        let log = blank(26).unwrap();
        let before = words(&log);
        lay_out_after(&log, 26);
        assert_eq!(words(&log), before, "each check has the words that it had");
        let broken = log.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0)).unwrap();
        assert_eq!(broken, "ok");
        log.execute("INSERT INTO imports (id, at_ns, file) VALUES (1, 0, 'x')", []).unwrap();
        let arrival =
            "INSERT INTO arrivals (at_ns, import, endpoint, signature, trust, tie, body_hash, body_len, headers, flags)
             VALUES (0, 1, 'x', ?1, ?2, x'', x'', 0, x'', '[]')";
        for (signature, trust, fits) in
            [("valid", 2, true), ("unchecked", 0, true), ("valid", 3, false), ("other", 2, false)]
        {
            assert_eq!(log.execute(arrival, (signature, trust)).is_ok(), fits, "{signature} {trust}");
        }
    }
}

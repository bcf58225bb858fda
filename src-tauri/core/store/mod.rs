//! SQLite, and the only SQL of the program. Writing goes through one rusqlite thread with group commit ([`writer`]);
//! reading and migrating go through sqlx. Both share one SQLite library (Cargo.toml says why and how).
//!
//! Other processes may read and write the same file: WAL lets readers go on, `BEGIN IMMEDIATE` with a waiting time
//! orders the writers, and [`Store::version`] tells when somebody else wrote.

pub mod alerts;
pub mod alike;
pub mod arrivals;
pub mod attempts;
pub mod bulks;
pub mod chain;
pub mod contents;
pub mod doubles;
pub mod events;
pub mod imports;
pub mod inquiry;
pub mod job_facts;
pub mod jobs;
pub mod known;
pub mod lines;
pub mod links;
pub mod listing;
pub mod looks;
pub mod migrate;
pub mod notes;
pub mod observations;
pub mod packed;
pub mod pages;
pub mod post_facts;
pub mod prune;
pub mod round_trip;
pub mod search;
pub mod search_fill;
pub mod sessions;
pub mod set_aside;
pub mod sift;
pub mod tellings;
pub mod timeline;
pub mod timemap;
pub mod waits;
pub mod workspaces;
pub mod writer;

use std::{
    fs::File,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::Connection;
use sqlx::{
    Row, SqlitePool,
    sqlite::{SqliteConnectOptions, SqlitePoolOptions},
};
use tokio::sync::watch;

use crate::error::{Code, Error, Result};
use writer::Writer;

/// Name of the log inside its data folder.
pub const FILE: &str = "reprise.db";

/// The open log. Cheap to clone; the last clone to go closes the writer, which finishes what waits.
#[derive(Clone)]
pub struct Store {
    dir: PathBuf,
    writer: Writer,
    pool: SqlitePool,
}

impl Store {
    /// Opens the log in `dir`, makes it if it is not there, and brings its schema up to date. Two programs that open
    /// the same folder at once take turns.
    ///
    /// # Errors
    /// `NewerFile` if a newer program wrote it (nothing is touched), `Storage` if the folder or file cannot be used.
    pub async fn open(dir: &Path) -> Result<Self> {
        private_folder(dir)?;
        let file = dir.join(FILE);
        // Who holds the lock needs a thread to go on: waiting for it on one of the few async threads could be for ever.
        let lock = dir.join("open.lock");
        let held = tokio::task::spawn_blocking(move || turn(&lock))
            .await
            .map_err(|cause| Error::caused(Code::Internal, "A mistake of ours kept the log from being opened.", cause))?
            .map_err(|cause| unusable(dir, cause))?;
        migrate::run(&file).await?;
        drop(held);

        let options = SqliteConnectOptions::new()
            .filename(&file)
            .read_only(true)
            .busy_timeout(Duration::from_secs(10))
            .pragma("query_only", "on");
        let pool = SqlitePoolOptions::new().max_connections(4).connect_with(options).await?;
        Ok(Self { dir: dir.to_owned(), writer: Writer::start(&file)?, pool })
    }

    /// The folder that holds the log and all that belongs to it.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Runs `work` in a write transaction and returns what it gave once that is on disk. Work that waits together
    /// shares a transaction; one that fails is undone alone.
    ///
    /// # Errors
    /// What `work` returned, or `Storage` if the commit failed.
    pub async fn write<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        self.writer.write(work).await
    }

    /// Like [`Store::write`], but answers `Busy` at once if too much work waits already (the receiver turns that into
    /// a 503, design 11).
    ///
    /// # Errors
    /// `Busy`, or as [`Store::write`].
    pub async fn write_now<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        self.writer.write_now(work).await
    }

    /// Connections that can only read.
    #[must_use]
    pub fn pool(&self) -> &SqlitePool {
        &self.pool
    }

    /// Changes whenever this process has committed something.
    #[must_use]
    pub fn commits(&self) -> watch::Receiver<u64> {
        self.writer.commits()
    }

    /// A number that changes whenever anybody, in whatever process, has committed something. Ask always on the same
    /// connection: the number means nothing on another.
    ///
    /// # Errors
    /// `Storage` if the log cannot be read.
    pub async fn version(connection: &mut sqlx::SqliteConnection) -> Result<i64> {
        Ok(sqlx::query("PRAGMA data_version").fetch_one(connection).await?.get(0))
    }

    /// Finishes what waits, closes the connections and empties the write-ahead log into the file.
    pub async fn close(self) {
        self.pool.close().await;
        self.writer.close();
    }
}

/// Makes the folder if needed; the log in it is for its owner alone.
pub(crate) fn private_folder(dir: &Path) -> Result<()> {
    let problem = |cause| unusable(dir, cause);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(problem)
    }
    #[cfg(not(unix))]
    std::fs::create_dir_all(dir).map_err(problem)
}

fn unusable(dir: &Path, cause: std::io::Error) -> Error {
    Error::caused(
        Code::Storage,
        format!(
            "The data folder {} cannot be used, so nothing can be logged. Choose another with --data.",
            dir.display()
        ),
        cause,
    )
}

/// Waits for the lock on `path`; dropping the file gives it back, and so does the end of the process.
pub(crate) fn turn(path: &Path) -> std::io::Result<File> {
    let file = File::create(path)?;
    file.lock()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_damaged_log_says_so_and_what_to_do() {
        let size = 4_096;
        for (at, what) in [(0, "its head"), (size, "its first table"), (100, "its list of tables")] {
            let dir = tempfile::tempdir().unwrap();
            Store::open(dir.path()).await.unwrap().close().await;
            let mut bytes = std::fs::read(dir.path().join(FILE)).unwrap();
            bytes[at..at + size].fill(0xa5);
            std::fs::write(dir.path().join(FILE), &bytes).unwrap();
            let told = Store::open(dir.path()).await.err().expect(what);
            assert!(told.message.starts_with("The log is damaged"), "{what}: {told}");
            assert_eq!(std::fs::read(dir.path().join(FILE)).unwrap(), bytes, "{what}: nothing was touched");
        }
    }

    #[tokio::test]
    async fn a_log_is_opened_several_times_at_once_on_one_thread() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two, three) = tokio::join!(Store::open(dir.path()), Store::open(dir.path()), Store::open(dir.path()));
        assert!(one.is_ok() && two.is_ok() && three.is_ok(), "who waits for the lock keeps nobody from going on");
    }
}

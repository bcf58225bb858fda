//! SQLite, and the only SQL of the program. Writing goes through one rusqlite thread with group commit ([`writer`]);
//! reading and migrating go through sqlx. Both share one SQLite library (Cargo.toml says why and how).
//!
//! Other processes may read and write the same file: WAL lets readers go on, `BEGIN IMMEDIATE` with a waiting time
//! orders the writers, and [`Store::version`] tells when somebody else wrote.

pub mod alerts;
pub mod alike;
pub mod arrivals;
pub mod attempts;
pub mod backup;
pub mod bulks;
pub mod chain;
mod checkpoints;
pub mod contents;
pub mod crowd;
pub mod density;
pub mod doubles;
mod durable;
mod ease;
pub mod events;
pub mod faults;
pub mod imports;
pub mod inquiry;
pub mod inspect;
pub mod job_facts;
pub mod jobs;
pub mod judging;
pub mod known;
pub mod lines;
pub mod links;
pub mod listing;
pub mod looks;
pub mod migrate;
pub mod moves;
pub mod named;
pub mod notes;
pub mod observations;
pub mod packed;
pub mod pages;
pub mod post_facts;
pub mod prune;
pub mod round_trip;
pub mod salvage;
pub mod search;
pub mod search_fill;
pub mod sessions;
pub mod set_aside;
pub mod sift;
pub mod sound;
pub mod tellings;
pub mod timeline;
pub mod timemap;
mod troubles;
pub(crate) mod turn;
pub mod waits;
pub mod wal;
pub mod workspaces;
pub mod writer;

use std::{
    fs::{File, TryLockError},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use rusqlite::Connection;
use sqlx::{
    Row, SqlitePool,
    sqlite::{SqliteConnectOptions, SqlitePoolOptions},
};
use tokio::sync::watch;

use crate::{
    ending::{CLOSING, at_most},
    error::{Code, Error, Result},
};
pub use durable::Commits;
use writer::Writer;

/// Name of the log inside its data folder.
pub const FILE: &str = "reprise.db";

/// Shared lock of everybody who has the log open.
const IN_USE: &str = "in-use.lock";

/// What a person is told of a log that cannot be written.
pub const ONLY_READABLE: &str = "This log can only be read: its folder or file cannot be written. Nothing is received \
                                 or sent with it, and what was posted stays posted. To go on with it, copy the \
                                 folder to where your user may write, and open that.";

/// The open log. Cheap to clone; the last clone to go closes the writer, which finishes what waits.
#[derive(Clone)]
pub struct Store {
    dir: PathBuf,
    writer: Writer,
    pool: SqlitePool,
    reading: SqliteConnectOptions,
    /// None for a log that cannot be written: it may lie where no lock can be taken.
    _in_use: Option<Arc<File>>,
}

impl Store {
    /// Opens the log in `dir`, makes it if it is not there, and brings its schema up to date. Two programs that open
    /// the same folder at once take turns. A log that cannot be written is opened for reading. Nothing is changed in a
    /// file that is not a sound log of this program or an older one.
    ///
    /// # Errors
    /// `NewerFile` if a newer program wrote it, `Storage` if it is damaged or the folder or file cannot be used.
    pub async fn open(dir: &Path) -> Result<Self> {
        private_folder(dir)?;
        named::note(dir);
        if inspect::only_readable(dir).map_err(|cause| unusable(dir, cause))? {
            return Self::open_to_read(dir).await;
        }
        let file = dir.join(FILE);
        // Who holds the lock needs a thread to go on: waiting for it on one of the few async threads could be for ever.
        let folder = dir.to_owned();
        let held = tokio::task::spawn_blocking(move || turn::turn_to_open(&folder))
            .await
            .map_err(|cause| Error::caused(Code::Internal, "A mistake of ours kept the log from being opened.", cause))?
            .map_err(|cause| unusable(dir, cause))?;
        match inspect::look(dir, way(dir)?)? {
            inspect::Found::Nothing => begin(dir).await?,
            inspect::Found::Log { .. } => migrate::run(&file).await?,
            inspect::Found::Fault(fault) => return Err(fault.into()),
        }
        let in_use = in_use(dir)?;
        in_use.lock_shared()?;
        drop(held);

        let reading = SqliteConnectOptions::new()
            .filename(&file)
            .read_only(true)
            .busy_timeout(Duration::from_secs(10))
            .pragma("query_only", "on");
        let pool = SqlitePoolOptions::new().max_connections(4).connect_with(reading.clone()).await?;
        let writer = match Writer::start(&file) {
            Ok(writer) => writer,
            Err(cause) => {
                pool.close().await;
                return Err(cause);
            }
        };
        named::opened(dir);
        Ok(Self { dir: dir.to_owned(), writer, pool, reading, _in_use: Some(Arc::new(in_use)) })
    }

    /// Opens a log that cannot be written.
    async fn open_to_read(dir: &Path) -> Result<Self> {
        match inspect::look(dir, inspect::Way::Fixed)? {
            inspect::Found::Nothing => {
                return Err(unusable(dir, std::io::ErrorKind::PermissionDenied.into()));
            }
            inspect::Found::Fault(fault) => return Err(fault.into()),
            inspect::Found::Log { version, .. } if version < migrate::newest() => {
                return Err(Error::new(
                    Code::Storage,
                    "This log was written by an older Reprise and can only be read, so its layout cannot be brought \
                     up to date. Copy its folder to where your user may write, and open that.",
                ));
            }
            inspect::Found::Log { .. } => {}
        }
        let reading = inspect::reader_of_fixed(&dir.join(FILE));
        let pool = SqlitePoolOptions::new().max_connections(4).connect_with(reading.clone()).await?;
        let writer = Writer::refusing(|| Error::refused(ONLY_READABLE));
        Ok(Self { dir: dir.to_owned(), writer, pool, reading, _in_use: None })
    }

    /// True if it can only be read; every write is refused then.
    #[must_use]
    pub fn only_reads(&self) -> bool {
        self._in_use.is_none()
    }

    /// How a further connection reads this log.
    #[must_use]
    pub fn reading(&self) -> SqliteConnectOptions {
        self.reading.clone()
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
        self.writer.write(work, false).await
    }

    /// Like [`Store::write`], for work that can be run once more where it had to be undone with others: much of it goes
    /// through the log faster than what has to be guarded piece by piece.
    ///
    /// # Errors
    /// As [`Store::write`].
    pub async fn write_often<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&Connection) -> Result<T> + Send + 'static,
    {
        self.writer.write_often(work).await
    }

    /// Like [`Store::write`], for small parts of a long work, such as an index that fills: the screens hear of it about once
    /// a second, not at each part.
    ///
    /// # Errors
    /// As [`Store::write`].
    pub async fn write_quietly<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        self.writer.write(work, true).await
    }

    /// Like [`Store::write`], but answers `Busy` at once if too much work waits already (the receiver turns that into
    /// a 503, design 11). As with [`Store::write_often`] the work may be run once more.
    ///
    /// # Errors
    /// `Busy`, or as [`Store::write`].
    pub async fn write_now<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&Connection) -> Result<T> + Send + 'static,
    {
        self.writer.write_now(work).await
    }

    /// Connections that can only read.
    #[must_use]
    pub fn pool(&self) -> &SqlitePool {
        &self.pool
    }

    /// Why nothing is written, until the program starts again or until that passes, if it is so.
    #[must_use]
    pub fn trouble(&self) -> Option<&'static str> {
        self.writer.trouble()
    }

    /// Changes whenever this process has committed something.
    #[must_use]
    pub fn commits(&self) -> watch::Receiver<Commits> {
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

    /// Finishes what waits, closes the connections and empties the write-ahead log into the file. A reader that goes on,
    /// or another program that writes, keeps the end for a moment only; the log is whole without that, too.
    pub async fn close(self) {
        at_most(CLOSING, "reading", self.pool.close()).await;
        let writer = self.writer;
        // The thread is waited for where waiting holds nobody else up.
        let closed = tokio::task::spawn_blocking(move || writer.close());
        at_most(CLOSING, "writing", async { drop(closed.await) }).await;
        named::closed(&self.dir);
    }
}

/// Makes a new log. It gets its name once it is whole, so that a file that is empty or half made is never ours.
async fn begin(dir: &Path) -> Result<()> {
    let fresh = dir.join(format!("{FILE}.new"));
    for left in [fresh.clone(), inspect::wal_of(&fresh)] {
        match std::fs::remove_file(left) {
            Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => return Err(cause.into()),
            _ => {}
        }
    }
    migrate::create(&fresh).await?;
    File::open(&fresh)?.sync_all()?;
    std::fs::rename(&fresh, dir.join(FILE))?;
    // The name is on disk once its folder is. Where a folder cannot be opened the system keeps names by itself.
    if let Ok(folder) = File::open(dir) {
        folder.sync_all()?;
    }
    Ok(())
}

fn in_use(dir: &Path) -> std::io::Result<File> {
    turn::own_file(&dir.join(IN_USE))
}

/// How the log in `dir`, which can be written, is looked at. Ask under the lock of opening.
///
/// # Errors
/// Whatever keeps the lock from being asked.
pub(crate) fn way(dir: &Path) -> std::io::Result<inspect::Way> {
    match in_use(dir)?.try_lock() {
        Ok(()) => Ok(inspect::Way::Alone),
        Err(TryLockError::WouldBlock) => Ok(inspect::Way::Shared),
        Err(TryLockError::Error(cause)) => Err(cause),
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

#[cfg(test)]
mod costs;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn once_damage_was_met_nothing_more_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).await.unwrap();
        let met = store
            .write(|_| {
                let damage = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
                Err::<(), _>(rusqlite::Error::SqliteFailure(damage, None).into())
            })
            .await;
        assert!(met.unwrap_err().is_damage());
        let written = store.write(|connection| crate::settings::set(connection, "later", &1)).await;
        assert!(written.unwrap_err().message.contains("damaged"));
        assert_eq!(crate::settings::get::<i64>(store.pool(), "later").await.unwrap(), None);
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn opening_the_log_once_more_leaves_the_locks_of_the_first() {
        use std::os::unix::fs::MetadataExt as _;
        let dir = tempfile::tempdir().unwrap();
        let first = Store::open(dir.path()).await.unwrap();
        let locked = || {
            let inode = std::fs::metadata(dir.path().join(FILE)).unwrap().ino();
            let locks = std::fs::read_to_string("/proc/locks").unwrap();
            locks.lines().any(|line| line.contains(" POSIX ") && line.contains(&format!(":{inode} ")))
        };
        assert!(locked(), "SQLite says that the log is in use");
        let second = Store::open(dir.path()).await.unwrap();
        assert!(locked(), "whoever comes last may not delete the write-ahead log that the first writes");
        second.close().await;
        assert!(!inspect::only_readable(dir.path()).unwrap() && locked());
        first.close().await;
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn once_its_write_ahead_log_is_gone_nothing_is_claimed_to_be_stored() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).await.unwrap();
        store.write(|connection| crate::settings::set(connection, "before", &1)).await.unwrap();
        assert_eq!(store.trouble(), None);
        std::fs::remove_file(inspect::wal_of(&dir.path().join(FILE))).unwrap();
        for _ in 0..2 {
            let written = store.write(|connection| crate::settings::set(connection, "later", &1)).await;
            assert!(written.unwrap_err().message.contains("starts again"));
        }
        assert!(store.trouble().is_some());
    }

    #[tokio::test]
    async fn a_half_made_log_of_a_start_that_was_cut_off_is_made_anew() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("reprise.db.new"), "half").unwrap();
        Store::open(dir.path()).await.unwrap().close().await;
        assert!(!dir.path().join("reprise.db.new").exists());
        assert!(matches!(inspect::look(dir.path(), inspect::Way::Shared).unwrap(), inspect::Found::Log { .. }));
    }

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

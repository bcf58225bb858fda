//! The one thread that writes. Work that waits together shares a transaction (group commit): the cost of a commit is
//! its fsync, so sixty-four arrivals at once cost one. Every piece of work has a savepoint of its own, so that a bad
//! one fails alone. Nothing is answered before its commit is on disk (`synchronous=FULL`).

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::JoinHandle,
    time::Duration,
};

use rusqlite::{Connection, ErrorCode, TransactionBehavior, config::DbConfig};
use tokio::sync::{mpsc, oneshot, watch};

use crate::error::{Code, Error, Result};

/// Most pieces of work in one transaction.
const BATCH: usize = 256;
/// Most pieces of work that may wait; past it the receiver answers 503 at once.
const QUEUE: usize = 4_096;
/// How long a commit may wait for another process's write lock.
const PATIENCE: Duration = Duration::from_secs(10);
/// The writing connection's page cache, KiB. It holds what the largest batch changes: a smaller one would put pages
/// into the write-ahead log halfway through a transaction, and again at its end.
const CACHE_KIB: i64 = 32_768;
/// How often the write-ahead log is moved into the file, without ever holding up the writer.
const CHECKPOINT: Duration = Duration::from_millis(500);

/// Pages that the write-ahead log may hold before the writer itself moves them: where it never rests, as in an import,
/// only a checkpoint of its own catches up with it, and the log would grow as long as it writes. 64 MiB.
const MOST_AHEAD: i64 = 16_384;

/// One piece of work: it is run inside the transaction, and told afterwards whether that reached the disk.
trait Work: Send {
    /// Runs in a savepoint; false if it failed and must be undone.
    fn run(&mut self, connection: &Connection) -> bool;
    /// True if it met damage in the file.
    fn met_damage(&self) -> bool;
    /// Delivers the answer; `failure` is why the commit did not happen.
    fn finish(self: Box<Self>, failure: Option<Error>);
}

struct Task<T, F> {
    work: Option<F>,
    done: Option<Result<T>>,
    reply: oneshot::Sender<Result<T>>,
}

impl<T, F> Work for Task<T, F>
where
    T: Send,
    F: FnOnce(&Connection) -> Result<T> + Send,
{
    fn run(&mut self, connection: &Connection) -> bool {
        let Some(work) = self.work.take() else { return false };
        let done = catch_unwind(AssertUnwindSafe(|| work(connection))).unwrap_or_else(|_| {
            Err(Error::new(Code::Internal, "A mistake of ours stopped this write; nothing of it was stored."))
        });
        let good = done.is_ok();
        self.done = Some(done);
        good
    }

    fn met_damage(&self) -> bool {
        matches!(&self.done, Some(Err(problem)) if problem.is_damage())
    }

    fn finish(self: Box<Self>, failure: Option<Error>) {
        let answer = match (failure, self.done) {
            (None, Some(done)) | (Some(_), Some(done @ Err(_))) => done,
            (Some(failure), _) => Err(failure),
            (None, None) => Err(Error::new(Code::Internal, "A write was not carried out.")),
        };
        // Whoever asked may have gone away; what was committed stays committed.
        drop(self.reply.send(answer));
    }
}

/// A handle to the writing thread.
#[derive(Clone)]
pub(super) struct Writer(Arc<Inner>);

struct Inner {
    queue: Mutex<Option<mpsc::Sender<Box<dyn Work>>>>,
    /// What is said where there is no queue.
    refusal: fn() -> Error,
    /// Held so that nobody takes a log that is never written for one that was closed.
    _never: Option<watch::Sender<u64>>,
    commits: watch::Receiver<u64>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    checkpoints: Mutex<Option<Sender<()>>>,
}

impl Writer {
    /// Starts the writing and the checkpointing thread on `file`, which must have its schema.
    pub(super) fn start(file: &Path) -> Result<Self> {
        let connection = connect(file)?;
        connection.pragma_update(None, "wal_autocheckpoint", MOST_AHEAD)?;
        connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
        // What a savepoint keeps to undo stays in memory: with more than 64 KiB it would become a file each time.
        connection.pragma_update(None, "temp_store", "memory")?;
        let second = connect(file)?;
        let (queue, waiting) = mpsc::channel(QUEUE);
        let (tick, commits) = watch::channel(0);
        let (stop, stopped) = channel();
        let threads = vec![
            spawn("writer", move || write_on(connection, waiting, &tick))?,
            spawn("checkpoints", move || checkpoint_on(&second, &stopped))?,
        ];
        Ok(Self(Arc::new(Inner {
            queue: Mutex::new(Some(queue)),
            refusal: gone,
            _never: None,
            commits,
            threads: Mutex::new(threads),
            checkpoints: Mutex::new(Some(stop)),
        })))
    }

    /// A writer of a log that cannot be written: it answers everything with `refusal`.
    pub(super) fn refusing(refusal: fn() -> Error) -> Self {
        let (never, commits) = watch::channel(0);
        Self(Arc::new(Inner {
            queue: Mutex::new(None),
            refusal,
            _never: Some(never),
            commits,
            threads: Mutex::default(),
            checkpoints: Mutex::default(),
        }))
    }

    pub(super) fn commits(&self) -> watch::Receiver<u64> {
        self.0.commits.clone()
    }

    pub(super) async fn write<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        let (task, answer) = task(work);
        self.queue()?.send(task).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    pub(super) async fn write_now<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        let (task, answer) = task(work);
        self.queue()?.try_send(task).map_err(|full| match full {
            mpsc::error::TrySendError::Full(_) => {
                Error::new(Code::Busy, "Too much waits to be stored; Pozy will send it again.")
            }
            mpsc::error::TrySendError::Closed(_) => gone(),
        })?;
        answer.await.map_err(|_| gone())?
    }

    fn queue(&self) -> Result<mpsc::Sender<Box<dyn Work>>> {
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner).clone().ok_or_else(self.0.refusal)
    }

    pub(super) fn close(&self) {
        self.0.close();
    }
}

impl Inner {
    /// Ends both threads after what waits is done; a second call does nothing.
    fn close(&self) {
        drop(self.queue.lock().unwrap_or_else(PoisonError::into_inner).take());
        drop(self.checkpoints.lock().unwrap_or_else(PoisonError::into_inner).take());
        for thread in self.threads.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            if thread.thread().id() != std::thread::current().id() {
                // A writer that panicked has answered nobody: its callers already know.
                drop(thread.join());
            }
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.close();
    }
}

fn task<T, F>(work: F) -> (Box<dyn Work>, oneshot::Receiver<Result<T>>)
where
    T: Send + 'static,
    F: FnOnce(&Connection) -> Result<T> + Send + 'static,
{
    let (reply, answer) = oneshot::channel();
    (Box::new(Task { work: Some(work), done: None, reply }), answer)
}

fn gone() -> Error {
    Error::new(Code::Storage, "The log is closed; nothing more is stored. Start the program again.")
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    Ok(std::thread::Builder::new().name(name.to_owned()).spawn(work)?)
}

/// A connection as every writing thread needs it.
fn connect(file: &Path) -> Result<Connection> {
    let connection = Connection::open(file)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", "on")?;
    // Plans do not depend on bound values; otherwise SQLite compiles a query with `LIMIT ?` anew at each use.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(128);
    Ok(connection)
}

/// Writes until nobody can ask any more. Once damage was met nothing more is written: what lies on a damaged page would
/// only spread.
fn write_on(mut connection: Connection, mut waiting: mpsc::Receiver<Box<dyn Work>>, tick: &watch::Sender<u64>) {
    let mut batch = Vec::with_capacity(BATCH);
    let mut damaged = false;
    while let Some(first) = waiting.blocking_recv() {
        batch.push(first);
        while batch.len() < BATCH
            && let Ok(next) = waiting.try_recv()
        {
            batch.push(next);
        }
        let outcome = if damaged { Err(Error::damaged()) } else { commit(&mut connection, &mut batch) };
        damaged |= outcome.as_ref().is_err_and(Error::is_damage) || batch.iter().any(|work| work.met_damage());
        if outcome.is_ok() {
            tick.send_modify(|n| *n += 1);
        }
        let failure = outcome.err().map(|cause| (cause.code, cause.to_string()));
        for work in batch.drain(..) {
            work.finish(failure.as_ref().map(|(code, text)| Error::new(*code, text.clone())));
        }
    }
}

/// Runs the whole batch in one transaction. A piece that fails takes back only its own savepoint.
fn commit(connection: &mut Connection, batch: &mut [Box<dyn Work>]) -> Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(full_disk)?;
    let savepoint = |sql: &str| transaction.prepare_cached(sql)?.execute([]);
    for work in batch {
        savepoint("SAVEPOINT piece")?;
        if !work.run(&transaction) {
            // Fails if the error has undone the whole transaction already; then nothing of the batch is stored.
            savepoint("ROLLBACK TO piece")?;
        }
        savepoint("RELEASE piece")?;
    }
    transaction.commit().map_err(full_disk)
}

fn full_disk(cause: rusqlite::Error) -> Error {
    match cause.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => Error::caused(
            Code::Storage,
            "The disk is full, so nothing more can be logged; what was stored before is safe. Free some space.",
            cause,
        ),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            Error::caused(Code::Busy, "Another program holds the log's write lock for too long.", cause)
        }
        _ => cause.into(),
    }
}

/// Moves the write-ahead log into the file twice a second, passively: it never waits for anyone and never makes
/// anyone wait. Leaves when the channel closes.
fn checkpoint_on(connection: &Connection, stop: &Receiver<()>) {
    while let Err(RecvTimeoutError::Timeout) = stop.recv_timeout(CHECKPOINT) {
        // A checkpoint that could not run is made up for by the next one.
        drop(connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())));
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;

    fn table() -> (tempfile::TempDir, Connection) {
        let dir = tempfile::tempdir().unwrap();
        let connection = connect(&dir.path().join("log.db")).unwrap();
        connection.execute_batch("CREATE TABLE marks (mark INTEGER)").unwrap();
        (dir, connection)
    }

    fn mark(connection: &Connection, mark: i64) -> Result<()> {
        connection.prepare_cached("INSERT INTO marks (mark) VALUES (?)")?.execute([mark])?;
        Ok(())
    }

    #[tokio::test]
    async fn a_writer_that_never_rests_keeps_the_write_ahead_log_short() {
        let (dir, connection) = table();
        connection.execute_batch("CREATE TABLE bulk (bytes BLOB)").unwrap();
        let file = dir.path().join("log.db");
        let writer = Writer::start(&file).unwrap();
        let mib = 1_i64 << 20;
        for _ in 0..160 {
            let put = move |log: &Connection| Ok(log.execute("INSERT INTO bulk VALUES (zeroblob(?))", [mib])?);
            writer.write(put).await.unwrap();
        }
        let ahead = std::fs::metadata(dir.path().join("log.db-wal")).unwrap().len() / (1 << 20);
        assert!(ahead < 96, "{ahead} MiB");
        writer.close();
    }

    #[test]
    fn a_piece_that_fails_is_undone_alone() {
        let (_dir, mut connection) = table();
        let (mut batch, mut answers) = (Vec::new(), Vec::new());
        for n in 1..=4 {
            let (work, answer) = task(move |connection| {
                mark(connection, n)?;
                match n {
                    2 => Err(Error::refused("not this one")),
                    3 => panic!("nor this one"),
                    _ => Ok(n),
                }
            });
            batch.push(work);
            answers.push(answer);
        }
        commit(&mut connection, &mut batch).unwrap();
        batch.into_iter().for_each(|work| work.finish(None));

        let told: Vec<_> = answers.iter_mut().map(|answer| answer.try_recv().unwrap().ok()).collect();
        assert_eq!(told, [Some(1), None, None, Some(4)]);
        let mut statement = connection.prepare("SELECT mark FROM marks ORDER BY mark").unwrap();
        let held: Vec<i64> = statement.query_map([], |row| row.get(0)).unwrap().map(|mark| mark.unwrap()).collect();
        assert_eq!(held, [1, 4]);
    }

    #[test]
    fn a_batch_whose_transaction_is_gone_stores_and_claims_nothing() {
        let (_dir, mut connection) = table();
        let (first, _) = task(|connection| mark(connection, 1));
        // What SQLite itself does when the disk is full.
        let (second, _) = task(|connection| -> Result<()> {
            connection.execute_batch("ROLLBACK")?;
            Err(Error::refused("gone"))
        });
        let (third, _) = task(|connection| mark(connection, 3));
        assert!(commit(&mut connection, &mut [first, second, third]).is_err());
        assert!(connection.is_autocommit());
        let held: i64 = connection.query_row("SELECT count(*) FROM marks", [], |row| row.get(0)).unwrap();
        assert_eq!(held, 0);
    }

    #[test]
    fn no_bound_value_makes_sqlite_compile_anew() {
        let (_dir, connection) = table();
        let mut statement = connection.prepare("SELECT mark FROM marks WHERE mark > ? ORDER BY mark LIMIT ?").unwrap();
        for limit in 1..4 {
            assert!(statement.query([0, limit]).unwrap().next().unwrap().is_none());
        }
        assert_eq!(statement.get_status(StatementStatus::RePrepare), 0);
    }
}

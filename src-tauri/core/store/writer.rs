//! The one thread that writes. Work that waits together shares a transaction (group commit): the cost of a commit is
//! its fsync, so sixty-four arrivals at once cost one. A bad piece of work fails alone. A savepoint keeps a copy of every
//! page that is changed, which costs more than the change itself; so pieces that can be run once more, as arrivals can,
//! go without as long as none of them fails, and so does a piece that is alone in its transaction. Nothing is answered
//! before its commit is on disk: another thread (`durable`) asks the disk for it, and answers.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Sender, channel},
    },
    thread::JoinHandle,
    time::Duration,
};

use rusqlite::{Connection, Transaction, TransactionBehavior, config::DbConfig};
use tokio::sync::{mpsc, oneshot, watch};

use super::{
    checkpoints, density,
    durable::{self, Commits, Committed, Failed},
    ease::Ease,
    troubles::{Trouble, Troubles, has_room, refused},
};
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
/// Pages that the write-ahead log may hold before the writer itself moves them: where it never rests, as in an import,
/// only a checkpoint of its own catches up with it, and the log would grow as long as it writes. 32 MiB in a new log.
const MOST_AHEAD: i64 = 16_384;

/// What the file of the write-ahead log keeps once it is begun anew, bytes: while somebody reads for long it cannot be, and
/// gets longer than it has to stay.
const WAL_KEEPS: i64 = 64 << 20;

/// One piece of work: it is run inside the transaction, and told afterwards whether that reached the disk.
pub(super) trait Work: Send {
    /// Runs; false if it failed and must be undone.
    fn run(&mut self, connection: &Connection) -> bool;
    /// True if it can be run again after it was undone.
    fn repeats(&self) -> bool;
    /// Why it failed, if it did.
    fn problem(&self) -> Option<&Error>;
    /// True if nothing that anybody looks at is changed by it.
    fn is_quiet(&self) -> bool;
    /// Delivers the answer; `failure` is why the commit did not happen.
    fn finish(self: Box<Self>, failure: Option<Error>);
}

struct Task<T, R> {
    quiet: bool,
    work: R,
    done: Option<Result<T>>,
    reply: oneshot::Sender<Result<T>>,
}

/// How a piece of work is run.
trait Run<T>: Send {
    /// None if it cannot be run any more.
    fn run(&mut self, connection: &Connection) -> Option<Result<T>>;
    /// True if it can be run again.
    const REPEATS: bool;
}

/// Work that can be run once.
struct Once<F>(Option<F>);

impl<T, F: FnOnce(&Connection) -> Result<T> + Send> Run<T> for Once<F> {
    fn run(&mut self, connection: &Connection) -> Option<Result<T>> {
        self.0.take().map(|work| work(connection))
    }

    const REPEATS: bool = false;
}

/// Work that can be run again after it was undone.
struct Often<F>(F);

impl<T, F: FnMut(&Connection) -> Result<T> + Send> Run<T> for Often<F> {
    fn run(&mut self, connection: &Connection) -> Option<Result<T>> {
        Some((self.0)(connection))
    }

    const REPEATS: bool = true;
}

impl<T: Send, R: Run<T>> Work for Task<T, R> {
    fn run(&mut self, connection: &Connection) -> bool {
        let work = &mut self.work;
        let done = catch_unwind(AssertUnwindSafe(|| work.run(connection))).unwrap_or_else(|_| {
            Some(Err(Error::new(Code::Internal, "A mistake of ours stopped this write; nothing of it was stored.")))
        });
        let good = matches!(done, Some(Ok(_)));
        self.done = done;
        good
    }

    fn repeats(&self) -> bool {
        R::REPEATS
    }

    fn problem(&self) -> Option<&Error> {
        self.done.as_ref()?.as_ref().err()
    }

    fn is_quiet(&self) -> bool {
        self.quiet
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
    failed: Arc<Failed>,
    troubles: Arc<Troubles>,
    /// What is said where there is no queue.
    refusal: fn() -> Error,
    /// Held so that nobody takes a log that is never written for one that was closed.
    _never: Option<watch::Sender<Commits>>,
    commits: watch::Receiver<Commits>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    checkpoints: Mutex<Option<Sender<()>>>,
}

impl Writer {
    /// Starts the writing and the checkpointing thread on `file`, which must have its schema.
    pub(super) fn start(file: &Path) -> Result<Self> {
        let connection = connect(file)?;
        connection.pragma_update(None, "wal_autocheckpoint", MOST_AHEAD)?;
        connection.pragma_update(None, "journal_size_limit", WAL_KEEPS)?;
        connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
        // What a savepoint keeps to undo stays in memory: with more than 64 KiB it would become a file each time.
        connection.pragma_update(None, "temp_store", "memory")?;
        density::watch(&connection)?;
        let second = connect(file)?;
        let (queue, waiting) = mpsc::channel(QUEUE);
        let (tick, commits) = watch::channel(Commits::default());
        let (stop, stopped) = channel();
        let (disk, behind) = durable::way();
        let write_ahead_log = durable::write_ahead_log(file)?;
        let failed = Arc::new(Failed::new());
        let (unwritten, unmoved, told) = (Arc::clone(&failed), Arc::clone(&failed), Arc::clone(&failed));
        let troubles = Arc::new(Troubles::default());
        let meets = Arc::clone(&troubles);
        let threads = vec![
            spawn("writer", move || write_on(connection, waiting, disk, &unwritten, &meets))?,
            spawn("disk", move || durable::keep_on(&behind, || durable::sync(&write_ahead_log), &failed, &tick))?,
            spawn("checkpoints", move || checkpoints::make(&second, &stopped, &unmoved))?,
        ];
        Ok(Self(Arc::new(Inner {
            queue: Mutex::new(Some(queue)),
            failed: told,
            troubles,
            refusal: gone,
            _never: None,
            commits,
            threads: Mutex::new(threads),
            checkpoints: Mutex::new(Some(stop)),
        })))
    }

    /// A writer of a log that cannot be written: it answers everything with `refusal`.
    pub(super) fn refusing(refusal: fn() -> Error) -> Self {
        let (never, commits) = watch::channel(Commits::default());
        Self(Arc::new(Inner {
            queue: Mutex::new(None),
            failed: Arc::default(),
            troubles: Arc::default(),
            refusal,
            _never: Some(never),
            commits,
            threads: Mutex::default(),
            checkpoints: Mutex::default(),
        }))
    }

    pub(super) fn commits(&self) -> watch::Receiver<Commits> {
        self.0.commits.clone()
    }

    pub(super) async fn write<T, F>(&self, work: F, quiet: bool) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        self.wait_for(task(Once(Some(work)), quiet)).await
    }

    pub(super) async fn write_often<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&Connection) -> Result<T> + Send + 'static,
    {
        self.wait_for(task(Often(work), false)).await
    }

    /// Hands a piece of work over as soon as there is room for it, and waits for its answer.
    async fn wait_for<T>(&self, (task, answer): (Box<dyn Work>, oneshot::Receiver<Result<T>>)) -> Result<T> {
        self.queue()?.send(task).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    pub(super) async fn write_now<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&Connection) -> Result<T> + Send + 'static,
    {
        let (task, answer) = task(Often(work), false);
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

    /// Why nothing is written, if that is so.
    pub(super) fn trouble(&self) -> Option<&'static str> {
        self.0.failed.get().map(|()| durable::REFUSED).or_else(|| self.0.troubles.now().map(Trouble::says))
    }

    pub(super) fn close(&self) {
        self.0.close();
    }
}

impl Inner {
    /// Ends the threads after what waits is done; a second call does nothing. One of them that drops the last handle cannot
    /// wait for the others, which may wait for it; they end by themselves.
    fn close(&self) {
        drop(self.queue.lock().unwrap_or_else(PoisonError::into_inner).take());
        drop(self.checkpoints.lock().unwrap_or_else(PoisonError::into_inner).take());
        let threads: Vec<_> = self.threads.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect();
        if threads.iter().any(|thread| thread.thread().id() == std::thread::current().id()) {
            return;
        }
        for thread in threads {
            // A writer that panicked has answered nobody: its callers already know.
            drop(thread.join());
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.close();
    }
}

fn task<T, R>(work: R, quiet: bool) -> (Box<dyn Work>, oneshot::Receiver<Result<T>>)
where
    T: Send + 'static,
    R: Run<T> + 'static,
{
    let (reply, answer) = oneshot::channel();
    (Box::new(Task { quiet, work, done: None, reply }), answer)
}

fn gone() -> Error {
    Error::new(Code::Storage, "The log is closed; nothing more is stored. Start the program again.")
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    Ok(std::thread::Builder::new().name(name.to_owned()).spawn(work)?)
}

/// A connection as every writing thread needs it.
pub(super) fn connect(file: &Path) -> Result<Connection> {
    let connection = Connection::open(file)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    // The disk is asked for commits beside the writing thread (`durable`), and by SQLite around what a checkpoint moves.
    connection.pragma_update(None, "synchronous", "normal")?;
    connection.pragma_update(None, "foreign_keys", "on")?;
    // Plans do not depend on bound values; otherwise SQLite compiles a query with `LIMIT ?` anew at each use.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(128);
    Ok(connection)
}

/// Writes until nobody can ask any more. Once damage was met nothing more is written: what lies on a damaged page would
/// only spread. Nor is anything once the disk refused a commit.
fn write_on(
    mut connection: Connection,
    mut waiting: mpsc::Receiver<Box<dyn Work>>,
    mut disk: durable::Before,
    failed: &Failed,
    troubles: &Troubles,
) {
    let (mut damaged, mut ease) = (false, Ease::new());
    while let Some(first) = waiting.blocking_recv() {
        let mut batch = vec![first];
        while batch.len() < BATCH
            && let Ok(next) = waiting.try_recv()
        {
            batch.push(next);
        }
        let outcome = if damaged {
            Err(Error::damaged())
        } else if failed.get().is_some() {
            Err(durable::refusal())
        } else {
            commit(&mut connection, &mut batch, || disk.wait(failed))
        };
        if let Err(problem) = &outcome
            && problem.is_refusal_of_disk()
        {
            durable::fails(failed, problem);
        }
        let problems = || outcome.as_ref().err().into_iter().chain(batch.iter().filter_map(|work| work.problem()));
        damaged |= problems().any(Error::is_damage);
        let now = if damaged { Some(Trouble::Damaged) } else { problems().find_map(Trouble::of) };
        let told_anew = troubles.note(now, || connection.path().is_none_or(|file| has_room(Path::new(file))));
        let pieces = batch.len();
        if !disk.send(Committed { batch, outcome, told_anew }) {
            return;
        }
        ease.after(pieces, &connection);
    }
}

/// Runs the whole batch in one transaction, and writes it once `before` says that the one before is on the disk. A piece
/// that fails is undone alone.
fn commit(connection: &mut Connection, batch: &mut [Box<dyn Work>], before: impl FnOnce() -> Result<()>) -> Result<()> {
    if batch.len() == 1 || batch.iter().all(|work| work.repeats()) {
        let transaction = begin(connection)?;
        if batch.iter_mut().all(|work| work.run(&transaction)) {
            return end(transaction, before);
        }
        // Fails if the error has undone the transaction already, as a full disk does: then nothing is stored.
        transaction.rollback().map_err(refused)?;
        if batch.len() == 1 {
            return Ok(());
        }
    }
    let transaction = begin(connection)?;
    let savepoint = |sql: &str| transaction.prepare_cached(sql)?.execute([]);
    for work in batch {
        savepoint("SAVEPOINT piece")?;
        if !work.run(&transaction) {
            savepoint("ROLLBACK TO piece")?;
        }
        savepoint("RELEASE piece")?;
    }
    end(transaction, before)
}

fn begin(connection: &mut Connection) -> Result<Transaction<'_>> {
    connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(refused)
}

fn end(transaction: Transaction<'_>, before: impl FnOnce() -> Result<()>) -> Result<()> {
    density::settle(&transaction).map_err(refused)?;
    before()?;
    transaction.commit().map_err(refused)
}

/// A piece of work that can be run once, for tests.
#[cfg(test)]
pub(super) fn once(
    work: impl FnOnce(&Connection) -> Result<i64> + Send + 'static,
) -> (Box<dyn Work>, oneshot::Receiver<Result<i64>>) {
    task(Once(Some(work)), false)
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;
    use crate::{clock::Clock, store::migrate};

    fn table() -> (tempfile::TempDir, Connection) {
        let dir = tempfile::tempdir().unwrap();
        let connection = connect(&dir.path().join("log.db")).unwrap();
        migrate::lay_out(&connection, migrate::newest()).unwrap();
        density::watch(&connection).unwrap();
        connection.execute_batch("CREATE TABLE marks (mark INTEGER)").unwrap();
        (dir, connection)
    }

    fn mark(connection: &Connection, mark: i64) -> Result<()> {
        connection.prepare_cached("INSERT INTO marks (mark) VALUES (?)")?.execute([mark])?;
        Ok(())
    }

    #[tokio::test]
    async fn a_writer_that_never_rests_keeps_the_write_ahead_log_short() {
        let (dir, reader) = table();
        reader.execute_batch("CREATE TABLE bulk (bytes BLOB)").unwrap();
        let writer = Writer::start(&dir.path().join("log.db")).unwrap();
        let put = |bytes: i64| {
            writer.write(move |log| Ok(log.execute("INSERT INTO bulk VALUES (zeroblob(?))", [bytes])?), false)
        };
        let ahead = || std::fs::metadata(dir.path().join("log.db-wal")).unwrap().len() >> 20;
        for _ in 0..160 {
            put(1 << 20).await.unwrap();
        }
        assert!(ahead() < 96, "{} MiB", ahead());
        // Whoever reads holds it back, and what it got long by is given back afterwards.
        reader.execute_batch("BEGIN; SELECT count(*) FROM bulk").unwrap();
        for _ in 0..100 {
            put(1 << 20).await.unwrap();
        }
        assert!(ahead() >= 100, "{} MiB", ahead());
        reader.execute_batch("COMMIT").unwrap();
        let begun = Clock::stopwatch();
        while ahead() > 64 {
            assert!(begun.ms() < 60_000, "{} MiB", ahead());
            put(1).await.unwrap();
        }
        writer.close();
    }

    fn held(connection: &Connection) -> Vec<i64> {
        let mut statement = connection.prepare("SELECT mark FROM marks ORDER BY mark").unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(|mark| mark.unwrap()).collect()
    }

    #[tokio::test]
    async fn the_last_handle_may_go_with_a_piece_of_work() {
        let (dir, connection) = table();
        let writer = Writer::start(&dir.path().join("log.db")).unwrap();
        let queue = writer.queue().unwrap();
        // More batches than wait for the disk, behind one that takes the last handle with it.
        let (begin, begun) = channel::<()>();
        let held_by_work = writer.clone();
        let last = move |log: &Connection| {
            begun.recv().unwrap();
            let _writer = &held_by_work;
            mark(log, 0)
        };
        queue.send(task(Often(last), false).0).await.unwrap();
        for n in 1..=1_500 {
            queue.send(task(Often(move |log: &Connection| mark(log, n)), false).0).await.unwrap();
        }
        drop((queue, writer));
        begin.send(()).unwrap();
        let begun = Clock::stopwatch();
        while held(&connection).len() < 1_501 {
            assert!(begun.ms() < 60_000, "the threads wait for each other");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    #[test]
    fn a_disk_that_refused_is_written_to_no_more() {
        let (_dir, connection) = table();
        let reader = connect(Path::new(connection.path().unwrap())).unwrap();
        let (queue, waiting) = mpsc::channel(1);
        let (disk, behind) = durable::way();
        let failed = Failed::new();
        failed.get_or_init(|| ());
        let (work, mut answer) = once(|connection| mark(connection, 1).map(|()| 1));
        queue.blocking_send(work).unwrap();
        drop(queue);
        write_on(connection, waiting, disk, &failed, &Troubles::default());
        durable::keep_on(&behind, || panic!("nothing was committed"), &failed, &watch::channel(Commits::default()).0);
        let problem = answer.try_recv().unwrap().unwrap_err();
        assert!(problem.to_string().contains("starts again"), "{problem}");
        assert_eq!(held(&reader), [0; 0]);
    }

    #[test]
    fn a_commit_is_written_once_the_one_before_is_on_the_disk_and_not_if_that_was_refused() {
        for refused in [false, true] {
            let (_dir, mut connection) = table();
            let reader = connect(Path::new(connection.path().unwrap())).unwrap();
            let mut batch = [once(|connection| mark(connection, 1).map(|()| 1)).0];
            let done = commit(&mut connection, &mut batch, || {
                assert_eq!(held(&reader), [0; 0], "written before");
                if refused { Err(durable::refusal()) } else { Ok(()) }
            });
            assert_eq!(done.is_err(), refused);
            assert_eq!(held(&reader).len(), usize::from(!refused));
        }
    }

    #[test]
    fn a_piece_that_fails_is_undone_alone() {
        // What can be run once, what can be run again, and both among each other; 2 fails, 3 panics.
        for repeats in [[false; 6], [true; 6], [true, false, true, false, false, true]] {
            let (_dir, mut connection) = table();
            let (mut batch, mut answers) = (Vec::new(), Vec::new());
            for (n, repeats) in (1..).zip(repeats) {
                let work = move |connection: &Connection| {
                    mark(connection, n)?;
                    match n {
                        2 => Err(Error::refused("not this one")),
                        3 => panic!("nor this one"),
                        _ => Ok(n),
                    }
                };
                let (work, answer) = if repeats { task(Often(work), false) } else { once(work) };
                batch.push(work);
                answers.push(answer);
            }
            commit(&mut connection, &mut batch, || Ok(())).unwrap();
            batch.into_iter().for_each(|work| work.finish(None));
            let told: Vec<_> = answers.iter_mut().map(|answer| answer.try_recv().unwrap().ok()).collect();
            assert_eq!(told, [Some(1), None, None, Some(4), Some(5), Some(6)], "{repeats:?}");
            assert_eq!(held(&connection), [1, 4, 5, 6], "{repeats:?}");
        }
    }

    #[test]
    fn a_piece_that_fails_alone_leaves_nothing() {
        let (_dir, mut connection) = table();
        let (work, mut answer) =
            once(|connection| mark(connection, 1).and_then(|()| Err(Error::refused("not this one"))));
        let mut batch = [work];
        commit(&mut connection, &mut batch, || Ok(())).unwrap();
        batch.into_iter().for_each(|work| work.finish(None));
        assert!(answer.try_recv().unwrap().is_err());
        assert!(connection.is_autocommit());
        assert_eq!(held(&connection), [0; 0]);
    }

    #[test]
    fn a_batch_whose_transaction_is_gone_stores_and_claims_nothing() {
        // What SQLite itself does when the disk is full.
        let full = |connection: &Connection| -> Result<i64> {
            connection.execute_batch("ROLLBACK")?;
            Err(Error::refused("gone"))
        };
        let one = |n| move |connection: &Connection| mark(connection, n).map(|()| n);
        let batches: [Vec<Box<dyn Work>>; 3] = [
            vec![once(one(1)).0, once(full).0, once(one(3)).0],
            vec![task(Often(one(1)), false).0, task(Often(full), false).0, task(Often(one(3)), false).0],
            vec![once(full).0],
        ];
        for mut batch in batches {
            let (_dir, mut connection) = table();
            assert!(commit(&mut connection, &mut batch, || Ok(())).is_err());
            assert!(connection.is_autocommit());
            assert_eq!(held(&connection), [0; 0]);
        }
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

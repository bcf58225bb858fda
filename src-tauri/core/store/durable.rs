//! Puts commits on the disk, on a thread of its own, and only then delivers their answers: while the disk works the writing
//! thread prepares the next commit, which it writes once this one is on the disk. So at most one commit in the write-ahead
//! log is not; a computer that loses its power then loses what nobody was told of (`wal`).

use std::{
    fs::{File, OpenOptions},
    io,
    path::Path,
    sync::{
        OnceLock,
        mpsc::{Receiver, Sender, SyncSender, channel, sync_channel},
    },
    time::Duration,
};

use tokio::{sync::watch, time};

use super::{inspect::wal_of, writer::Work};
use crate::error::{Code, Error, Result};

/// Batches that may wait to be answered before the writing thread waits, too.
const WAITING: usize = 2;

/// How often this process has committed something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Commits {
    /// What somebody may be looking at, or whether anything can be committed at all.
    pub loud: u64,
    /// What nobody looks at piece by piece, such as an index that fills.
    pub quiet: u64,
}

impl Commits {
    /// Waits for the next commit that somebody may be looking at, at most `within`: true if one came, false if none did; none
    /// once the log is closed.
    pub async fn next_loud(commits: &mut watch::Receiver<Self>, within: Duration) -> Option<bool> {
        let loud = commits.borrow_and_update().loud;
        match time::timeout(within, commits.wait_for(|now| now.loud != loud)).await {
            Ok(came) => came.is_ok().then_some(true),
            Err(_) => Some(false),
        }
    }
}

/// A batch of work that was run, with why it was not committed, if it was not.
pub(super) struct Committed {
    pub batch: Vec<Box<dyn Work>>,
    pub outcome: Result<()>,
    /// True if what keeps the log from being written is not what it was before this batch.
    pub told_anew: bool,
}

/// Whether the disk still takes what is written: set once, when it did not.
pub(super) type Failed = OnceLock<()>;

/// The writing thread's end of the way to this one.
pub(super) struct Before {
    committed: SyncSender<Committed>,
    kept: Receiver<()>,
    /// Batches that were handed over and not dealt with yet.
    open: usize,
}

/// This thread's end.
pub(super) struct Behind {
    committed: Receiver<Committed>,
    kept: Sender<()>,
}

/// The way to the thread.
pub(super) fn way() -> (Before, Behind) {
    let (committed, to_keep) = sync_channel(WAITING);
    let (keeps, kept) = channel();
    (Before { committed, kept, open: 0 }, Behind { committed: to_keep, kept: keeps })
}

impl Before {
    /// Hands a batch over; false if nobody is there any more.
    pub(super) fn send(&mut self, committed: Committed) -> bool {
        self.open += 1;
        self.committed.send(committed).is_ok()
    }

    /// Waits until everything that was handed over is on the disk.
    ///
    /// # Errors
    /// `Storage` if the disk refused it.
    pub(super) fn wait(&mut self, failed: &Failed) -> Result<()> {
        while self.open > 0 {
            if self.kept.recv().is_err() {
                return Err(refusal());
            }
            self.open -= 1;
        }
        if failed.get().is_some() { Err(refusal()) } else { Ok(()) }
    }
}

/// The write-ahead log beside `file`; a connection must have opened it.
///
/// # Errors
/// If there is none or it may not be written.
pub(super) fn write_ahead_log(file: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).open(wal_of(file))
}

/// Asks the disk for the write-ahead log.
///
/// # Errors
/// If the disk refuses it, or if it was deleted: what is written to it then nobody finds again.
pub(super) fn sync(write_ahead_log: &File) -> io::Result<()> {
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::nlink(&write_ahead_log.metadata()?) == 0 {
        return Err(io::Error::new(io::ErrorKind::NotFound, "reprise.db-wal was deleted while it was in use"));
    }
    write_ahead_log.sync_data()
}

/// What is said once the disk refused: the operating system may have given up what it could not write, so nothing that
/// was not asked for anew can be trusted to be there.
pub(super) const REFUSED: &str = "The disk did not take what was to be logged, so nothing more is received, sent or logged \
                                  until the program starts again. What was answered before is safe; Pozy sends the rest \
                                  again. Look at the disk, then start the program again.";

/// [`REFUSED`] as the answer to a piece of work.
pub(super) fn refusal() -> Error {
    Error::new(Code::Storage, REFUSED)
}

/// Remembers that the disk refused.
pub(super) fn fails(failed: &Failed, problem: &dyn std::fmt::Display) {
    failed.get_or_init(|| tracing::error!(%problem, "{REFUSED}"));
}

/// Asks the disk by `sync` for each batch that was committed, then tells `tick` and delivers the answers.
pub(super) fn keep_on(
    way: &Behind,
    mut sync: impl FnMut() -> io::Result<()>,
    failed: &Failed,
    tick: &watch::Sender<Commits>,
) {
    while let Ok(Committed { batch, mut outcome, told_anew }) = way.committed.recv() {
        if outcome.is_ok() && failed.get().is_none() {
            sync().unwrap_or_else(|problem| fails(failed, &problem));
        }
        if outcome.is_ok() && failed.get().is_some() {
            outcome = Err(refusal());
        }
        // The writing thread may be gone, with what it committed last on its way here.
        way.kept.send(()).unwrap_or_default();
        if outcome.is_ok() || told_anew {
            let loud = told_anew || batch.iter().any(|work| !work.is_quiet());
            tick.send_modify(|told| if loud { told.loud += 1 } else { told.quiet += 1 });
        }
        let failure = outcome.err().map(|cause| (cause.code, cause.to_string()));
        for work in batch {
            work.finish(failure.as_ref().map(|(code, text)| Error::new(*code, text.clone())));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        mpsc::{Sender, channel},
    };

    use rusqlite::Connection;
    use tokio::sync::oneshot;

    use super::*;
    use crate::store::writer::once;

    fn piece(n: i64) -> (Box<dyn Work>, oneshot::Receiver<Result<i64>>) {
        let (mut work, answer) = once(move |_| Ok(n));
        assert!(work.run(&Connection::open_in_memory().unwrap()));
        (work, answer)
    }

    /// The thread, with a disk that answers what it is told to; how often it was asked is told, too.
    struct Disk {
        committed: Before,
        says: Sender<io::Result<()>>,
        asked: Receiver<()>,
        failed: Arc<Failed>,
        commits: watch::Receiver<Commits>,
    }

    impl Disk {
        fn new() -> Self {
            let (committed, behind) = way();
            let (says, hears) = channel();
            let (asks, asked) = channel();
            let failed = Arc::new(Failed::new());
            let (tick, commits) = watch::channel(Commits::default());
            let own = Arc::clone(&failed);
            std::thread::spawn(move || {
                let sync = || {
                    asks.send(()).unwrap();
                    hears.recv().unwrap()
                };
                keep_on(&behind, sync, &own, &tick);
            });
            Self { committed, says, asked, failed, commits }
        }

        fn commit(&mut self, batch: Vec<Box<dyn Work>>, outcome: Result<()>) {
            assert!(self.committed.send(Committed { batch, outcome, told_anew: false }));
        }
    }

    #[test]
    fn nothing_is_answered_before_the_disk_has_it() {
        let mut disk = Disk::new();
        let (first, mut answer) = piece(1);
        disk.commit(vec![first], Ok(()));
        disk.asked.recv().unwrap();
        let (second, later) = piece(2);
        disk.commit(vec![second], Ok(()));
        assert!(answer.try_recv().is_err(), "answered before");
        assert_eq!(disk.commits.borrow().loud, 0, "told before");
        disk.says.send(Ok(())).unwrap();
        assert_eq!(answer.blocking_recv().unwrap().unwrap(), 1);
        disk.says.send(Ok(())).unwrap();
        assert_eq!(later.blocking_recv().unwrap().unwrap(), 2);
        disk.committed.wait(&disk.failed).unwrap();
        assert_eq!((disk.asked.try_iter().count(), disk.commits.borrow().loud), (1, 2));
    }

    #[test]
    fn what_the_disk_refused_is_claimed_by_nobody_nor_is_what_comes_after() {
        let mut disk = Disk::new();
        disk.says.send(Err(io::Error::other("a bad disk"))).unwrap();
        for n in 0..2 {
            let (work, answer) = piece(n);
            disk.commit(vec![work], Ok(()));
            let problem = answer.blocking_recv().unwrap().unwrap_err();
            assert!(problem.to_string().contains("starts again"), "{problem}");
        }
        assert_eq!(disk.asked.try_iter().count(), 1, "the disk is not asked again: it may claim what it has lost");
        assert!(disk.committed.wait(&disk.failed).is_err(), "nor is the next one written");
        assert!(disk.failed.get().is_some() && *disk.commits.borrow() == Commits::default());
    }

    #[test]
    fn what_was_not_committed_needs_no_disk() {
        let mut disk = Disk::new();
        let (work, answer) = piece(1);
        disk.commit(vec![work], Err(Error::refused("a full disk")));
        assert!(answer.blocking_recv().unwrap().unwrap_err().to_string().contains("a full disk"));
        assert_eq!(disk.asked.try_iter().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_write_ahead_log_that_somebody_deleted_takes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("log.db");
        std::fs::write(wal_of(&file), b"x").unwrap();
        let open = write_ahead_log(&file).unwrap();
        sync(&open).unwrap();
        std::fs::remove_file(wal_of(&file)).unwrap();
        assert!(sync(&open).unwrap_err().to_string().contains("deleted"));
    }
}

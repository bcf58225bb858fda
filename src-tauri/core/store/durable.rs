//! Puts commits on the disk, on a thread of its own, and only then delivers their answers: while the disk works the writing
//! thread prepares the next commit. A commit stands whole in the write-ahead log before it comes here; a computer that loses
//! its power before the disk was asked loses what nobody was told of.

use std::{
    fs::{File, OpenOptions},
    io,
    path::Path,
    sync::{
        OnceLock,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
};

use tokio::sync::watch;

use super::writer::{Commits, Work};
use crate::error::{Code, Error, Result};

/// Batches that may wait for the disk before the writing thread waits, too.
const WAITING: usize = 2;

/// A batch of work that was run, with why it was not committed, if it was not.
pub(super) struct Committed {
    pub batch: Vec<Box<dyn Work>>,
    pub outcome: Result<()>,
}

/// Whether the disk still takes what is written: set once, when it did not.
pub(super) type Failed = OnceLock<()>;

/// The way to the thread.
pub(super) fn way() -> (SyncSender<Committed>, Receiver<Committed>) {
    sync_channel(WAITING)
}

/// The write-ahead log beside `file`; a connection must have opened it.
///
/// # Errors
/// If there is none or it may not be written.
pub(super) fn write_ahead_log(file: &Path) -> io::Result<File> {
    let mut beside = file.as_os_str().to_owned();
    beside.push("-wal");
    OpenOptions::new().write(true).open(beside)
}

/// What an answer says once the disk refused: the operating system may have given up what it could not write, so nothing
/// that was not asked for anew can be trusted to be there.
pub(super) fn refusal() -> Error {
    Error::new(
        Code::Storage,
        "The disk did not take what was to be logged, and nothing more is logged until the program starts again. What was \
         answered before is safe; Pozy sends the rest again. Look at the disk, then start the program again.",
    )
}

/// Asks the disk by `sync` for what was committed, all that waits at once, then tells `tick` and delivers the answers.
pub(super) fn keep_on(
    committed: &Receiver<Committed>,
    mut sync: impl FnMut() -> io::Result<()>,
    failed: &Failed,
    tick: &watch::Sender<Commits>,
) {
    while let Ok(first) = committed.recv() {
        let all: Vec<_> = std::iter::once(first).chain(committed.try_iter()).collect();
        if failed.get().is_none()
            && all.iter().any(|one| one.outcome.is_ok())
            && let Err(problem) = sync()
        {
            tracing::error!(%problem, "the disk did not take what was written");
            failed.get_or_init(|| ());
        }
        for Committed { batch, outcome } in all {
            let outcome = if failed.get().is_some() { outcome.and(Err(refusal())) } else { outcome };
            if outcome.is_ok() {
                let loud = batch.iter().any(|work| !work.is_quiet());
                tick.send_modify(|told| if loud { told.loud += 1 } else { told.quiet += 1 });
            }
            let failure = outcome.err().map(|cause| (cause.code, cause.to_string()));
            for work in batch {
                work.finish(failure.as_ref().map(|(code, text)| Error::new(*code, text.clone())));
            }
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
        committed: SyncSender<Committed>,
        says: Sender<io::Result<()>>,
        asked: Receiver<()>,
        failed: Arc<Failed>,
        commits: watch::Receiver<Commits>,
    }

    impl Disk {
        fn new() -> Self {
            let (committed, to_keep) = way();
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
                keep_on(&to_keep, sync, &own, &tick);
            });
            Self { committed, says, asked, failed, commits }
        }

        fn commit(&self, batch: Vec<Box<dyn Work>>, outcome: Result<()>) {
            self.committed.send(Committed { batch, outcome }).unwrap();
        }
    }

    #[test]
    fn nothing_is_answered_before_the_disk_has_it() {
        let disk = Disk::new();
        let (first, mut answer) = piece(1);
        disk.commit(vec![first], Ok(()));
        disk.asked.recv().unwrap();
        // The next two wait while the disk works, and share what it is asked for next.
        let (second, later) = piece(2);
        let (third, last) = piece(3);
        disk.commit(vec![second], Ok(()));
        disk.commit(vec![third], Ok(()));
        assert!(answer.try_recv().is_err(), "answered before");
        assert_eq!(disk.commits.borrow().loud, 0, "told before");
        disk.says.send(Ok(())).unwrap();
        assert_eq!(answer.blocking_recv().unwrap().unwrap(), 1);
        disk.says.send(Ok(())).unwrap();
        assert_eq!((later.blocking_recv().unwrap().unwrap(), last.blocking_recv().unwrap().unwrap()), (2, 3));
        assert_eq!((disk.asked.try_iter().count(), disk.commits.borrow().loud), (1, 3));
    }

    #[test]
    fn what_the_disk_refused_is_claimed_by_nobody_nor_is_what_comes_after() {
        let disk = Disk::new();
        disk.says.send(Err(io::Error::other("a bad disk"))).unwrap();
        for n in 0..2 {
            let (work, answer) = piece(n);
            disk.commit(vec![work], Ok(()));
            let problem = answer.blocking_recv().unwrap().unwrap_err();
            assert!(problem.to_string().contains("starts again"), "{problem}");
        }
        assert_eq!(disk.asked.try_iter().count(), 1, "the disk is not asked again: it may claim what it has lost");
        assert!(disk.failed.get().is_some() && *disk.commits.borrow() == Commits::default());
    }

    #[test]
    fn what_was_not_committed_needs_no_disk() {
        let disk = Disk::new();
        let (work, answer) = piece(1);
        disk.commit(vec![work], Err(Error::refused("a full disk")));
        assert!(answer.blocking_recv().unwrap().unwrap_err().to_string().contains("a full disk"));
        assert_eq!(disk.asked.try_iter().count(), 0);
    }
}

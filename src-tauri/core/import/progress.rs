//! How far an import has come, seen from outside while it runs, and the way to stop it.

use std::{
    io::{self, Read},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

/// Counters of one file. All but what waits only grow.
#[derive(Debug, Default)]
pub struct Progress {
    bytes: AtomicU64,
    read: AtomicU64,
    added: AtomicU64,
    known: AtomicU64,
    bad: AtomicU64,
    waiting: AtomicU64,
    stop: AtomicBool,
}

/// What the counters showed at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// Bytes taken from the file.
    pub bytes: u64,
    /// Lines read so far.
    pub read: u64,
    /// Lines that went in.
    pub added: u64,
    /// Lines that the log had already.
    pub known: u64,
    /// Lines that could not be read.
    pub bad: u64,
    /// Posts, accounts and messages that are still to be judged anew, once all lines are in; counted up to ten thousand.
    pub waiting: u64,
}

impl Progress {
    /// Asks the import to stop: what is in stays in, whole lines only. Holds for good.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// True once somebody asked.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The counters as they are now.
    #[must_use]
    pub fn reached(&self) -> Reached {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Reached {
            bytes: of(&self.bytes),
            read: of(&self.read),
            added: of(&self.added),
            known: of(&self.known),
            bad: of(&self.bad),
            waiting: of(&self.waiting),
        }
    }

    pub(super) fn wait_for(&self, waiting: u64) {
        self.waiting.store(waiting, Ordering::Relaxed);
    }

    pub(super) fn set(&self, read: usize, added: usize, known: usize, bad: usize) {
        for (counter, value) in [(&self.read, read), (&self.added, added), (&self.known, known), (&self.bad, bad)] {
            counter.store(u64::try_from(value).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
    }
}

/// A reader that counts what was taken from it, and ends early once the import is stopped.
pub(super) struct Counted<R> {
    pub(super) from: R,
    pub(super) progress: Arc<Progress>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.progress.is_stopped() {
            return Err(io::Error::other("stopped"));
        }
        let taken = self.from.read(buffer)?;
        self.progress.bytes.fetch_add(u64::try_from(taken).unwrap_or_default(), Ordering::Relaxed);
        Ok(taken)
    }
}

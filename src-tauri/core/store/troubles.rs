//! What keeps the log from being written, told while it lasts: most of it passes by itself.

use std::{
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use rusqlite::ErrorCode;

use crate::error::{Code, DAMAGED, Error};

/// Why nothing could be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The disk has no room.
    Full,
    /// Another program holds the write lock.
    Locked,
    /// The file cannot be written for another reason.
    Refused,
    /// The file is no longer what was written. This does not pass, so the writing thread keeps it in mind.
    Damaged,
}

const FULL: &str = "The disk is full, so nothing that arrives can be kept and nothing is sent. What was stored before is safe; \
                    Pozy sends the rest again. Free some space: everything goes on by itself then.";
const LOCKED: &str = "Another program holds the log, so nothing that arrives can be kept and nothing is sent. What was stored \
                      before is safe; Pozy sends the rest again. Close whatever else has reprise.db open: everything goes on \
                      by itself then.";
const UNWRITABLE: &str = "The log cannot be written, so nothing that arrives can be kept and nothing is sent. What was stored \
                       before is safe; Pozy sends the rest again. `reprise doctor` says more.";

impl Trouble {
    /// What kept a piece of work, or a whole batch, from being written, and may pass; none if it was the work itself.
    pub(super) fn of(problem: &Error) -> Option<Self> {
        use std::error::Error as _;
        Self::of_sqlite(problem.source()?.downcast_ref()?)
    }

    /// As [`Trouble::of`], of what SQLite said.
    fn of_sqlite(cause: &rusqlite::Error) -> Option<Self> {
        match cause.sqlite_error_code()? {
            ErrorCode::DiskFull => Some(Self::Full),
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Some(Self::Locked),
            ErrorCode::SystemIoFailure | ErrorCode::ReadOnly | ErrorCode::CannotOpen => Some(Self::Refused),
            _ => None,
        }
    }

    /// What a person is told while it lasts.
    pub(super) const fn says(self) -> &'static str {
        match self {
            Self::Full => FULL,
            Self::Locked => LOCKED,
            Self::Refused => UNWRITABLE,
            Self::Damaged => DAMAGED,
        }
    }
}

/// The error for what SQLite refused to write. A locked log is busy: whoever asks again may have better luck.
pub(super) fn refused(cause: rusqlite::Error) -> Error {
    match Trouble::of_sqlite(&cause) {
        Some(Trouble::Full) => Error::caused(
            Code::Storage,
            "The disk is full, so nothing more can be logged; what was stored before is safe. Free some space.",
            cause,
        ),
        Some(Trouble::Locked) => {
            Error::caused(Code::Busy, "Another program holds the log's write lock for too long.", cause)
        }
        _ => cause.into(),
    }
}

/// Free bytes with which a disk is no longer called full: messages go into it.
const ROOM: u64 = 1 << 20;

/// True if the disk of `folder` has room for messages, as far as it can be told.
pub(super) fn has_room(folder: &Path) -> bool {
    fs4::available_space(folder).map_or(true, |free| free >= ROOM)
}

/// The trouble of a log at this moment.
#[derive(Default)]
pub(super) struct Troubles(Mutex<Option<Trouble>>);

impl Troubles {
    /// Remembers whether writing is in trouble now; true if it was otherwise before. What is small, such as a sign of life, may
    /// still find a place on a full disk: that is over once there is `room`.
    pub(super) fn note(&self, now: Option<Trouble>, room: impl FnOnce() -> bool) -> bool {
        let mut held = self.held();
        if now.is_none() && *held == Some(Trouble::Full) && !room() {
            return false;
        }
        std::mem::replace(&mut *held, now) != now
    }

    /// What it is in.
    pub(super) fn now(&self) -> Option<Trouble> {
        *self.held()
    }

    fn held(&self) -> MutexGuard<'_, Option<Trouble>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    #[test]
    fn a_trouble_is_told_while_it_lasts() {
        let troubles = Troubles::default();
        let (room, none) = (|| true, || false);
        assert!(!troubles.note(None, room));
        for trouble in [Trouble::Full, Trouble::Locked, Trouble::Refused, Trouble::Damaged] {
            assert!(troubles.note(Some(trouble), room) && !troubles.note(Some(trouble), room));
            assert_eq!(troubles.now(), Some(trouble));
        }
        assert!(troubles.note(None, none));
        assert_eq!(troubles.now(), None);
        assert!(troubles.note(Some(Trouble::Full), none));
        assert!(!troubles.note(None, none), "something small was written");
        assert_eq!(troubles.now(), Some(Trouble::Full));
        assert!(troubles.note(None, room));
        assert_eq!(troubles.now(), None);
    }

    #[test]
    fn what_the_work_did_wrong_is_no_trouble_of_the_log() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        let wrong = connection.execute("INSERT INTO nowhere VALUES (1)", []).unwrap_err();
        assert_eq!(Trouble::of(&refused(wrong)), None);
        connection
            .execute_batch("PRAGMA page_size = 512; PRAGMA max_page_count = 3; CREATE TABLE t (bytes BLOB)")
            .unwrap();
        let full = connection.execute("INSERT INTO t VALUES (zeroblob(9000))", []).unwrap_err();
        assert_eq!(Trouble::of(&refused(full)), Some(Trouble::Full));
    }

    #[tokio::test]
    async fn a_full_disk_is_told_until_there_is_room() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).await.unwrap();
        let mut commits = store.commits();
        let most = |pages: i64| {
            store.write(move |log| Ok(log.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?))
        };
        let fill = || {
            store.write(|log| {
                log.execute("INSERT INTO settings (key, value) VALUES ('large', hex(zeroblob(100000)))", [])?;
                Ok(())
            })
        };
        most(1).await.unwrap();
        commits.mark_unchanged();
        assert!(fill().await.is_err());
        assert_eq!(store.trouble(), Some(FULL));
        assert!(commits.has_changed().unwrap(), "whoever looks is told");
        most(1 << 20).await.unwrap();
        fill().await.unwrap();
        assert_eq!(store.trouble(), None);
        store.close().await;
    }
}

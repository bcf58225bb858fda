//! Who receives and sends for a log: one program at a time, held by a lock of the operating system, so that it passes
//! on with the end of the process, however that comes.

use std::{
    fs::{File, TryLockError},
    io::{Read as _, Seek as _, Write as _},
    path::Path,
};

use crate::{error::Result, outbound::lock::JobLock, store::turn::own_file};

/// The lock inside the data folder. It holds the number of the process that has it.
const LOCK: &str = "owner.lock";

/// The right to receive and send for a log. Given back when dropped.
#[derive(Debug)]
pub(crate) struct Owner {
    _lock: File,
}

impl Owner {
    /// Takes the right, or tells that another program has it.
    ///
    /// # Errors
    /// `Storage` if the data folder cannot be used.
    pub(crate) fn take(dir: &Path) -> Result<Option<Self>> {
        let mut lock = own_file(&dir.join(LOCK))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(cause)) => return Err(cause.into()),
        }
        lock.set_len(0)?;
        lock.rewind()?;
        lock.write_all(std::process::id().to_string().as_bytes())?;
        Ok(Some(Self { _lock: lock }))
    }

    /// True if another program, or another desk of this one, has it.
    ///
    /// # Errors
    /// `Storage` if the lock cannot be asked.
    pub(crate) fn is_taken(dir: &Path) -> Result<bool> {
        JobLock::held(&dir.join(LOCK))
    }

    /// Says who has it, as far as that can be read.
    pub(crate) fn name(dir: &Path) -> String {
        let mut text = String::new();
        let read = File::open(dir.join(LOCK)).and_then(|lock| lock.take(20).read_to_string(&mut text));
        match (read, text.trim().parse::<u32>()) {
            (Ok(_), Ok(process)) => format!("Another Reprise (process {process})"),
            _ => "Another Reprise".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_it_and_the_next_takes_it_after() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!Owner::is_taken(dir.path()).unwrap());
        let first = Owner::take(dir.path()).unwrap();
        assert!(first.is_some() && Owner::is_taken(dir.path()).unwrap());
        assert!(Owner::take(dir.path()).unwrap().is_none());
        let who = Owner::name(dir.path());
        assert!(who.contains(&std::process::id().to_string()), "{who}");
        drop(first);
        assert!(!Owner::is_taken(dir.path()).unwrap());
        assert!(Owner::take(dir.path()).unwrap().is_some());
    }
}

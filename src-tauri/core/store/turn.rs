//! Files of a log that only mark something: locks, and the wish of a program to open the log. None of them is ever
//! emptied, and none is opened through a link, so that a link laid into the folder harms no other file.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io,
    path::Path,
};

/// Lock of whoever opens the log, for the time of opening.
pub(crate) const TURN: &str = "open.lock";
/// Lock of whoever waits for that one.
const WANTED: &str = "open.wanted";

/// Opens a file of the log's own to be locked or written; it is made if it is not there, and what is in it stays.
///
/// # Errors
/// Whatever keeps it from being opened; that it is a link does, too.
pub(crate) fn own_file(path: &Path) -> io::Result<File> {
    own_options().read(true).write(true).create(true).truncate(false).open(path)
}

/// Options that open no link.
pub(crate) fn own_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW);
    options
}

/// Waits for the lock on `path`; dropping the file gives it back, and so does the end of the process.
pub(crate) fn turn(path: &Path) -> io::Result<File> {
    let file = own_file(path)?;
    file.lock()?;
    Ok(file)
}

/// As [`turn`], for opening the log in `dir`. Whoever only looks at it lets this one go first.
pub(crate) fn turn_to_open(dir: &Path) -> io::Result<File> {
    let file = own_file(&dir.join(TURN))?;
    match file.try_lock() {
        Ok(()) => return Ok(file),
        Err(TryLockError::WouldBlock) => {}
        Err(TryLockError::Error(cause)) => return Err(cause),
    }
    let wish = own_file(&dir.join(WANTED))?;
    wish.lock_shared()?;
    file.lock()?;
    Ok(file)
}

/// True if somebody waits to open the log in `dir`.
pub(crate) fn is_wanted(dir: &Path) -> bool {
    let wish = own_options().write(true).open(dir.join(WANTED));
    wish.is_ok_and(|wish| matches!(wish.try_lock(), Err(TryLockError::WouldBlock)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_opened_and_what_it_leads_to_stays() {
        let dir = tempfile::tempdir().unwrap();
        let other = dir.path().join("letter");
        fs::write(&other, "Dear Ann").unwrap();
        let link = dir.path().join(TURN);
        std::os::unix::fs::symlink(&other, &link).unwrap();
        assert!(turn(&link).is_err() && turn_to_open(dir.path()).is_err());
        assert_eq!(fs::read_to_string(other).unwrap(), "Dear Ann");
    }

    #[test]
    fn who_waits_to_open_says_so_until_it_has_its_turn() {
        let dir = tempfile::tempdir().unwrap();
        let held = turn_to_open(dir.path()).unwrap();
        assert!(!is_wanted(dir.path()));
        let folder = dir.path().to_owned();
        let waits = std::thread::spawn(move || turn_to_open(&folder).map(drop));
        while !is_wanted(dir.path()) {
            std::thread::yield_now();
        }
        assert!(is_wanted(dir.path()), "looking changes nothing");
        drop(held);
        waits.join().unwrap().unwrap();
        assert!(!is_wanted(dir.path()));
    }
}

//! Files that a person names to be read. One of them may be the log itself, and on Unix a process that closes a file gives up
//! every lock it has on it: another program could then delete the write-ahead log that this one writes. So the files of a
//! log that was opened in this process are never opened by hand.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, ErrorKind, Read as _},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use super::FILE;

/// Data folders of the logs that were opened here. A folder stays: its log may be opened again.
static FOLDERS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Remembers that SQLite opens the log in that folder.
pub(super) fn note(dir: &Path) {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).insert(dir.to_owned());
}

/// Opens a file that a person named.
///
/// # Errors
/// `InvalidInput` if it is part of a log that was opened here; else what keeps it from being opened.
pub fn open(path: &Path) -> io::Result<File> {
    if is_log(path) {
        return Err(io::Error::new(
            ErrorKind::InvalidInput,
            "it is the log that Reprise itself has open; `reprise export` writes what is in it as lines",
        ));
    }
    File::open(path)
}

/// Reads the whole of a file that a person named.
///
/// # Errors
/// As [`open`]; also what keeps it from being read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(unix)]
fn is_log(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    // A link leads to the same file, by whatever name.
    let place = |path: &Path| fs::metadata(path).ok().map(|known| (known.dev(), known.ino()));
    let Some(this) = place(path) else { return false };
    let folders = FOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
    let files = |dir: &PathBuf| ["", "-wal", "-shm"].map(|end| dir.join(format!("{FILE}{end}")));
    folders.iter().flat_map(files).any(|file| place(&file) == Some(this))
}

#[cfg(not(unix))]
fn is_log(_: &Path) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::store::Store;

    #[tokio::test]
    async fn the_open_log_is_not_opened_by_whatever_name() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join(FILE);
        let store = Store::open(dir.path()).await.unwrap();
        let link = dir.path().join("holiday.jsonl");
        std::os::unix::fs::symlink(&log, &link).unwrap();
        let copy = dir.path().join("copy.jsonl");
        fs::hard_link(&log, &copy).unwrap();
        let wal = dir.path().join("reprise.db-wal");
        for named in [&log, &link, &copy, &wal, &dir.path().join("reprise.db-shm")] {
            let refused = read(named).map(drop).unwrap_err();
            assert!(refused.to_string().contains("reprise export"), "{}: {refused}", named.display());
        }
        let other = dir.path().join("other.jsonl");
        fs::write(&other, "{}").unwrap();
        assert_eq!(read(&other).unwrap(), b"{}");
        assert_eq!(read(&dir.path().join("none")).map(drop).unwrap_err().kind(), ErrorKind::NotFound);
        store.close().await;
    }
}

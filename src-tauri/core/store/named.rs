//! Files that a person names to be read. One of them may be the log itself, and on Unix a process that closes a file gives up
//! every lock it has on it: another program could then delete the write-ahead log that this one writes. So the files of a
//! log that was opened in this process are never opened by hand, and never closed where that happened all the same.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File, Metadata},
    io::{self, ErrorKind, Read as _},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::FILE;

/// A file, by whatever name: its device and its number there.
type Place = (u64, u64);

/// Data folders of the logs that were opened here, and which files theirs are while they are open. A folder stays: its log may
/// be opened again. A file stays the log's when its folder is moved, too.
static FOLDERS: Mutex<BTreeMap<PathBuf, BTreeSet<Place>>> = Mutex::new(BTreeMap::new());

fn folders() -> MutexGuard<'static, BTreeMap<PathBuf, BTreeSet<Place>>> {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Remembers that SQLite opens the log in that folder.
pub(super) fn note(dir: &Path) {
    folders().entry(dir.to_owned()).or_default();
}

/// Remembers which files the open log in that folder has.
pub(super) fn opened(dir: &Path) {
    folders().insert(dir.to_owned(), files_in(dir).collect());
}

/// Forgets that: the log was closed, and other files may get these numbers.
pub(super) fn closed(dir: &Path) {
    folders().insert(dir.to_owned(), BTreeSet::new());
}

fn files_in(dir: &Path) -> impl Iterator<Item = Place> {
    ["", "-wal", "-shm"].into_iter().filter_map(|end| place(&fs::metadata(dir.join(format!("{FILE}{end}"))).ok()?))
}

/// Opens a file that a person named. It never waits for another program, so pipes and whatever else is no file on a disk are
/// refused.
///
/// # Errors
/// `InvalidInput` if it is part of a log that was opened here, or no file; else what keeps it from being opened.
pub fn open(path: &Path) -> io::Result<File> {
    open_if(path, Metadata::is_file, without_waiting)
}

/// What became a pipe since it was looked at is not waited for either.
fn without_waiting(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    options.read(true).open(path)
}

/// As [`open`], but also a pipe, whose other end is waited for: for the command line, which does nothing beside.
///
/// # Errors
/// As [`open`].
pub fn open_stream(path: &Path) -> io::Result<File> {
    open_if(path, |known| known.is_file() || is_pipe(known), |path| File::open(path))
}

/// Reads the whole of a file or a pipe that a person named, if it holds no more than `most` bytes.
///
/// # Errors
/// As [`open_stream`]; `FileTooLarge` if it holds more; also what keeps it from being read.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_stream(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(ErrorKind::FileTooLarge, format!("it holds more than {} MB", most / 1_000_000)));
    }
    Ok(bytes)
}

fn open_if(
    path: &Path,
    fits: impl Fn(&Metadata) -> bool,
    open: impl FnOnce(&Path) -> io::Result<File>,
) -> io::Result<File> {
    let refuse = |known: &Metadata| match () {
        () if known.is_dir() => Some(ErrorKind::IsADirectory.into()),
        () if !fits(known) => Some(io::Error::new(ErrorKind::InvalidInput, "it is no file but a pipe or a device")),
        () if is_log(known) => Some(io::Error::new(
            ErrorKind::InvalidInput,
            "it is the log that Reprise itself has open; `reprise export` writes what is in it as lines",
        )),
        () => None,
    };
    if let Some(refused) = refuse(&fs::metadata(path)?) {
        return Err(refused);
    }
    let file = open(path)?;
    let known = file.metadata()?;
    let Some(refused) = refuse(&known) else { return Ok(file) };
    // The name led elsewhere a moment ago.
    if is_log(&known) {
        std::mem::forget(file);
    }
    Err(refused)
}

fn is_log(known: &Metadata) -> bool {
    let Some(this) = place(known) else { return false };
    folders().iter().any(|(dir, files)| files.contains(&this) || files_in(dir).any(|file| file == this))
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere there is none")]
fn place(known: &Metadata) -> Option<Place> {
    use std::os::unix::fs::MetadataExt as _;
    Some((known.dev(), known.ino()))
}

#[cfg(not(unix))]
const fn place(_: &Metadata) -> Option<Place> {
    None
}

#[cfg(unix)]
fn is_pipe(known: &Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&known.file_type())
}

#[cfg(not(unix))]
const fn is_pipe(_: &Metadata) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::store::Store;

    const MOST: u64 = 1_000_000;

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
            let refused = open(named).map(drop).unwrap_err();
            assert!(read(named, MOST).is_err());
            assert!(refused.to_string().contains("reprise export"), "{}: {refused}", named.display());
        }
        let other = dir.path().join("other.jsonl");
        fs::write(&other, "{}").unwrap();
        assert_eq!(read(&other, MOST).unwrap(), b"{}");
        assert_eq!(open(&dir.path().join("none")).map(drop).unwrap_err().kind(), ErrorKind::NotFound);
        store.close().await;
    }

    /// Locks on the file at `path`, as the system tells of them.
    #[cfg(target_os = "linux")]
    fn locks(path: &Path) -> io::Result<usize> {
        use std::os::unix::fs::MetadataExt as _;
        let number = format!(":{} ", fs::metadata(path)?.ino());
        Ok(fs::read_to_string("/proc/locks")?.lines().filter(|line| line.contains(&number)).count())
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_log_whose_folder_was_moved_keeps_its_locks() {
        let dir = tempfile::tempdir().unwrap();
        let (before, after) = (dir.path().join("before"), dir.path().join("after"));
        let store = Store::open(&before).await.unwrap();
        fs::rename(&before, &after).unwrap();
        let held = locks(&after.join(FILE)).unwrap();
        assert!(held > 0);
        assert!(open(&after.join(FILE)).is_err());
        assert_eq!(locks(&after.join(FILE)).unwrap(), held);
        store.close().await;
        assert!(open(&after.join(FILE)).is_ok(), "a closed log is a file like any other");
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_name_that_leads_to_the_log_only_when_it_is_opened_takes_no_lock() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join(FILE);
        let store = Store::open(dir.path()).await.unwrap();
        let other = dir.path().join("other.jsonl");
        fs::write(&other, "{}").unwrap();
        let held = locks(&log).unwrap();
        let swapped = open_if(&other, Metadata::is_file, |_| File::open(&log));
        assert!(swapped.is_err());
        assert_eq!(locks(&log).unwrap(), held);
        store.close().await;
    }

    #[test]
    fn nobody_waits_for_a_pipe_and_no_file_is_read_without_an_end() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).unwrap();
        for no_file in [&pipe, Path::new("/dev/zero"), Path::new("/dev/null")] {
            let refused = open(no_file).map(drop).unwrap_err();
            assert!(refused.to_string().contains("pipe or a device"), "{}: {refused}", no_file.display());
        }
        // What was a file when it was looked at.
        let file = dir.path().join("file");
        fs::write(&file, "{}").unwrap();
        let refused = open_if(&file, Metadata::is_file, |_| without_waiting(&pipe)).map(drop).unwrap_err();
        assert!(refused.to_string().contains("pipe or a device"), "{refused}");
        let writing = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::write(pipe, "{}").unwrap()
        });
        assert_eq!(read(&pipe, MOST).unwrap(), b"{}");
        writing.join().unwrap();
        let large = dir.path().join("large");
        fs::write(&large, vec![b' '; 1_000_001]).unwrap();
        assert_eq!(read(&large, MOST).map(drop).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert!(read(Path::new("/dev/zero"), MOST).is_err());
    }
}

//! Looks at the file of a log before anything is written to it, so that a damaged, empty, foreign or newer one is told
//! and left as it is, and one on read-only media can be read.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::{self, ErrorKind, Read as _},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use rusqlite::{Connection, OpenFlags};
use sqlx::sqlite::{SqliteConnectOptions, SqliteLockingMode};

use super::{
    FILE,
    faults::Fault,
    migrate, turn,
    wal::{self, Wal},
};
use crate::error::{Code, Error, Result, is_damaged};

/// First bytes of every SQLite file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// A way to files on Unix that takes no locks, and so needs none to be possible.
#[cfg(unix)]
const NO_LOCKS: Option<&str> = Some("unix-none");
#[cfg(not(unix))]
const NO_LOCKS: Option<&str> = None;

/// How a log is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Nobody else has it open, which is held by the lock of opening: no lock is taken, no file is made beside it, and
    /// its write-ahead log is read as it lies.
    Alone,
    /// Others may be writing.
    Shared,
    /// It cannot be written: with the locks of SQLite where they can be taken, else without.
    Fixed,
}

/// What lies in a data folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// No log yet.
    Nothing,
    /// A log of that layout; none if it could not be read.
    Log {
        /// Its layout.
        version: i64,
        /// Whether its last commit was cut off.
        torn: bool,
    },
    /// A file that is not opened.
    Fault(Fault),
}

/// Looks at the log in `dir` without changing anything.
///
/// # Errors
/// `Storage` if the folder or file cannot be read at all.
pub fn look(dir: &Path, way: Way) -> Result<Found> {
    let file = dir.join(FILE);
    let linked = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|known| known.is_symlink());
    if let Some(link) = [file.clone(), wal_of(&file)].iter().find(|path| linked(path)) {
        return Ok(Found::Fault(Fault::Linked(link.file_name().unwrap_or_default().to_string_lossy().into_owned())));
    }
    match fs::metadata(&file) {
        Ok(known) if known.len() == 0 => return Ok(Found::Fault(Fault::Empty)),
        Ok(_) => {}
        Err(cause) if cause.kind() == ErrorKind::NotFound => {
            let left = fs::metadata(wal_of(&file)).is_ok_and(|wal| wal.len() > 0);
            return Ok(if left { Found::Fault(Fault::Orphaned) } else { Found::Nothing });
        }
        Err(cause) => return Err(unreadable(&file, cause)),
    }
    // On Unix a process that closes a file gives up every lock it has on it, and SQLite's would be among them: another
    // program could then delete the write-ahead log that this one writes. Where it may be open here only SQLite opens it.
    if way != Way::Shared {
        let mut head = Vec::new();
        let read = File::open(&file).and_then(|open| open.take(100).read_to_end(&mut head));
        read.map_err(|cause| unreadable(&file, cause))?;
        if !head.starts_with(MAGIC) {
            return Ok(Found::Fault(Fault::NotALog));
        }
    }
    let state = match way {
        Way::Alone => wal::check(&wal_of(&file)).map_err(|cause| unreadable(&file, cause))?,
        Way::Shared | Way::Fixed => Wal::Sound,
    };
    if let Wal::Damaged { commits } = state {
        return Ok(Found::Fault(Fault::DamagedWal { commits }));
    }
    Ok(match layout(&file, way) {
        Ok(Ok(version)) => Found::Log { version, torn: state == Wal::Torn },
        Ok(Err(fault)) => Found::Fault(fault),
        Err(cause) if is_damaged(&cause) => Found::Fault(Fault::Damaged(cause.to_string())),
        Err(cause) => return Err(cause.into()),
    })
}

/// The layout of the file, or what is wrong with it.
fn layout(file: &Path, way: Way) -> rusqlite::Result<std::result::Result<i64, Fault>> {
    let log = peek(file, way)?;
    let found = objects(&log)?;
    let named = |kind: &str| found.get(kind).into_iter().flatten();
    if !named("table").any(|name| name == migrate::TABLE) {
        return Ok(Err(if found.is_empty() { Fault::Empty } else { Fault::Foreign }));
    }
    let version: Option<i64> = log.query_row("SELECT max(version) FROM _sqlx_migrations", [], |row| row.get(0))?;
    let (version, known) = (version.unwrap_or_default(), migrate::newest());
    if version > known {
        return Ok(Err(Fault::Newer { version, known }));
    }
    for kind in ["table", "index", "trigger"] {
        let lacks = |name: &&String| !named(kind).any(|found| found == *name);
        let names: Vec<String> = expected(version)?.get(kind).into_iter().flatten().filter(lacks).cloned().collect();
        if !names.is_empty() {
            return Ok(Err(Fault::Missing { kind, names }));
        }
    }
    Ok(Ok(version))
}

/// Names of everything in a layout by kind.
type Objects = BTreeMap<String, BTreeSet<String>>;

fn objects(log: &Connection) -> rusqlite::Result<Objects> {
    let mut statement = log.prepare("SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'")?;
    let mut found = Objects::new();
    let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    for row in rows {
        let (kind, name) = row?;
        found.entry(kind).or_default().insert(name);
    }
    Ok(found)
}

/// What a sound log of that layout holds. Made once in the life of the process.
fn expected(version: i64) -> rusqlite::Result<Objects> {
    static KNOWN: Mutex<BTreeMap<i64, Objects>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(objects) = known.get(&version) {
        return Ok(objects.clone());
    }
    let found = objects(&migrate::blank(version)?)?;
    known.insert(version, found.clone());
    Ok(found)
}

/// True if a sound log of that layout has such a table.
pub(super) fn has_table(version: i64, name: &str) -> bool {
    expected(version).is_ok_and(|all| all.get("table").is_some_and(|names| names.contains(name)))
}

/// A connection that only reads.
///
/// # Errors
/// Whatever SQLite says; pages are read later.
pub fn peek(file: &Path, way: Way) -> rusqlite::Result<Connection> {
    let log = match (way, NO_LOCKS) {
        (Way::Alone, _) if !has_wal(file) => immutable(file)?,
        (Way::Alone, Some(vfs)) => without_locks(file, vfs)?,
        (Way::Fixed, _) if !takes_locks(file) && !has_wal(file) => immutable(file)?,
        (Way::Fixed, Some(vfs)) if !takes_locks(file) => without_locks(file, vfs)?,
        _ => Connection::open_with_flags(file, READING)?,
    };
    log.busy_timeout(std::time::Duration::from_secs(10))?;
    log.pragma_update(None, "query_only", "on")?;
    Ok(log)
}

const READING: OpenFlags = OpenFlags::SQLITE_OPEN_READ_ONLY.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// True if commits may lie in a write-ahead log beside the file.
fn has_wal(file: &Path) -> bool {
    fs::metadata(wal_of(file)).is_ok_and(|wal| wal.len() > 0)
}

/// Takes the file for all there is: SQLite would make an empty write-ahead log otherwise.
fn immutable(file: &Path) -> rusqlite::Result<Connection> {
    let mut address = String::from("file:");
    for byte in file.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => address.push(char::from(*byte)),
            other => address.push_str(&format!("%{other:02x}")),
        }
    }
    address.push_str("?immutable=1");
    Connection::open_with_flags(address, READING.union(OpenFlags::SQLITE_OPEN_URI))
}

fn without_locks(file: &Path, vfs: &str) -> rusqlite::Result<Connection> {
    let log = Connection::open_with_flags_and_vfs(file, READING, vfs)?;
    // The index of the write-ahead log stays in memory then.
    log.pragma_update(None, "locking_mode", "exclusive")?;
    Ok(log)
}

/// True if SQLite gets at the pages in its usual way; what stands on them is looked at later.
fn takes_locks(file: &Path) -> bool {
    let asked = Connection::open_with_flags(file, READING)
        .and_then(|log| log.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(())));
    match asked {
        Ok(()) => true,
        Err(cause) => is_damaged(&cause),
    }
}

/// Options of a reader on a log that cannot be written: with the locks of SQLite where they can be taken, else without.
pub(super) fn reader_of_fixed(file: &Path) -> SqliteConnectOptions {
    let plain = SqliteConnectOptions::new().filename(file).read_only(true).pragma("query_only", "on");
    match NO_LOCKS {
        _ if takes_locks(file) => plain,
        _ if !has_wal(file) => plain.immutable(true),
        Some(vfs) => plain.vfs(vfs).locking_mode(SqliteLockingMode::Exclusive),
        None => plain,
    }
}

/// True if the folder or the log in it can only be read. The log itself is not opened for it (see [`look`]).
///
/// # Errors
/// Whatever else keeps them from being written.
pub fn only_readable(dir: &Path) -> io::Result<bool> {
    let refused = |done: io::Result<()>| match done {
        Ok(()) => Ok(false),
        Err(cause) if matches!(cause.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) => Ok(true),
        Err(cause) => Err(cause),
    };
    if refused(turn::own_file(&dir.join(turn::TURN)).map(drop))? {
        return Ok(true);
    }
    match may_write(&dir.join(FILE)) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(false),
        done => refused(done),
    }
}

#[cfg(unix)]
fn may_write(file: &Path) -> io::Result<()> {
    Ok(rustix::fs::access(file, rustix::fs::Access::WRITE_OK)?)
}

#[cfg(not(unix))]
fn may_write(file: &Path) -> io::Result<()> {
    File::options().write(true).open(file).map(drop)
}

pub(super) fn wal_of(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

fn unreadable(file: &Path, cause: io::Error) -> Error {
    Error::caused(
        Code::Storage,
        format!(
            "{} cannot be read, so nothing is received or sent; what was posted stays posted. See that your user may \
             read it, or choose another folder with --data.",
            file.display()
        ),
        cause,
    )
}

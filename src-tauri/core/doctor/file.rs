//! Looks at the folder, the disk and the file of the log without opening the log.

use std::{
    fs,
    io::{self, ErrorKind, Write},
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use rusqlite::Connection;

use super::{Finding, ill, well};
use crate::{
    error::{Result, is_damaged},
    store::{
        self, FILE, ONLY_READABLE,
        faults::Fault,
        inspect::{self, Found, Way},
        sound,
        turn::{is_wanted, own_file, turn_to_open},
    },
};

/// How soon somebody who wants to open the log is let in while it is looked at.
const LET_IN: Duration = Duration::from_millis(50);

/// What is written to see that the disk takes it, bytes.
const PROBE: usize = 64 << 10;
/// Less free room than this will soon be none, bytes.
const LOW: u64 = 64 << 20;

/// What was seen.
pub(super) struct Seen {
    pub(super) findings: Vec<Finding>,
    /// True if the log can be opened without harm.
    pub(super) sound: bool,
}

/// Looks the data folder over.
pub(super) fn look_over(dir: &Path) -> Seen {
    if !dir.exists() {
        let says = format!("There is no log in {} yet; the first start makes one.", dir.display());
        return Seen { findings: vec![well("folder", says)], sound: false };
    }
    let mut findings = Vec::new();
    let only_reads = match inspect::only_readable(dir) {
        Ok(true) => {
            findings.push(ill("folder", "read_only", ONLY_READABLE));
            true
        }
        Ok(false) => {
            findings.push(well("folder", format!("The log lies in {}.", dir.display())));
            false
        }
        // A full disk may refuse even the lock; what is wrong with it is said below.
        Err(_) => false,
    };
    if !only_reads {
        findings.push(disk(dir));
    }
    let sound = match log(dir, only_reads) {
        Ok((looked, sound)) => {
            findings.extend(looked);
            sound
        }
        Err(problem) => {
            findings.push(problem.into());
            false
        }
    };
    let full = findings.iter().any(|finding| finding.fault == Some("disk_full"));
    Seen { findings, sound: sound && !full }
}

/// Whether the disk takes what is written.
fn disk(dir: &Path) -> Finding {
    let probe = dir.join("doctor.probe");
    let written = own_file(&probe).and_then(|mut file| {
        write_probe(&mut file)?;
        file.sync_all()
    });
    // Left over only if it could not be made, or if the disk fails altogether; neither is worth a second finding.
    drop(fs::remove_file(&probe));
    match written {
        Err(cause) => disk_fault(&cause),
        Ok(()) => match fs4::available_space(dir) {
            Ok(room) if room < LOW => ill(
                "disk",
                "disk_low",
                format!(
                    "Only {} MB are left on the disk of the log. Once it is full no message can be kept, so Pozy is told \
                     to send it later, and nothing is sent. Free some space, or let bodies age out with `reprise prune`.",
                    room >> 20
                ),
            ),
            _ => well("disk", "The disk takes what is written."),
        },
    }
}

fn write_probe(file: &mut impl Write) -> io::Result<()> {
    file.write_all(&[0x5a; PROBE])?;
    file.flush()
}

fn disk_fault(cause: &io::Error) -> Finding {
    if matches!(cause.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge) {
        ill(
            "disk",
            "disk_full",
            format!(
                "The disk takes nothing more ({cause}). Messages cannot be kept, so Pozy is told to send them later, and \
                 nothing is sent; what was stored before is safe. Free some space; everything goes on by itself then."
            ),
        )
    } else {
        ill(
            "disk",
            "disk_failed",
            format!(
                "The disk of the log refused a write ({cause}), so nothing can be received or sent; what was stored \
                 before is untouched. See that the disk is there and well, or choose another folder with --data."
            ),
        )
    }
}

/// Looks at the file and every page of it; true if it may be opened.
fn log(dir: &Path, only_reads: bool) -> Result<(Vec<Finding>, bool)> {
    loop {
        if let Some(looked) = look_at(dir, only_reads)? {
            return Ok(looked);
        }
    }
}

/// As [`log`]; none if somebody came meanwhile who wants to open it, and was let in: then it is to be looked at anew,
/// beside them.
fn look_at(dir: &Path, only_reads: bool) -> Result<Option<(Vec<Finding>, bool)>> {
    let (turn, way) = if only_reads {
        (None, Way::Fixed)
    } else {
        let turn = turn_to_open(dir)?;
        (Some(turn), store::way(dir)?)
    };
    let torn = match inspect::look(dir, way)? {
        Found::Nothing => {
            return Ok(Some((vec![well("log", "There is no log here yet; the first start makes one.")], false)));
        }
        Found::Fault(fault) => return Ok(Some((vec![ill("log", fault.word(), fault.says())], false))),
        Found::Log { torn, .. } => torn,
    };
    let mut findings = Vec::new();
    let log = inspect::peek(&dir.join(FILE), way);
    // Where others have it open, SQLite keeps its readers from its writers. Where nobody has, it is read as it lies, and
    // the turn is held until somebody else wants it.
    let turn = turn.filter(|_| way == Way::Alone);
    let faults = match log.and_then(|log| faults_of(&log, turn.is_some().then_some(dir))) {
        Ok(Some(faults)) => faults,
        Ok(None) => return Ok(None),
        Err(cause) if is_damaged(&cause) => vec![Fault::Damaged(cause.to_string())],
        Err(cause) => return Err(cause.into()),
    };
    drop(turn);
    if torn {
        findings.push(well(
            "log",
            "The last write was cut off, as by a power cut. It had not been answered or sent, and is left out.",
        ));
    }
    if faults.is_empty() {
        findings.push(well(
            "log",
            "Every page of the log can be read, and every request and message in it is what was stored.",
        ));
    }
    let sound = faults.is_empty();
    findings.extend(faults.iter().map(|fault| ill("log", fault.word(), fault.says())));
    Ok(Some((findings, sound)))
}

/// Reads all of a log. Where the turn to open the one in `turn_of` is held, whoever wants it ends the reading: none then.
fn faults_of(log: &Connection, turn_of: Option<&Path>) -> rusqlite::Result<Option<Vec<Fault>>> {
    let read = || Ok(sound::pages(log)?.into_iter().chain(sound::bytes(log)?).collect::<Vec<_>>());
    let Some(dir) = turn_of else { return read().map(Some) };
    let stop = log.get_interrupt_handle();
    let (over, wanted) = (AtomicBool::new(false), AtomicBool::new(false));
    let done = thread::scope(|scope| {
        let watch = scope.spawn(|| {
            while !over.load(Ordering::Acquire) {
                if is_wanted(dir) {
                    wanted.store(true, Ordering::Release);
                    stop.interrupt();
                }
                thread::park_timeout(LET_IN);
            }
        });
        let done = read();
        over.store(true, Ordering::Release);
        watch.thread().unpark();
        done
    });
    match done {
        Ok(faults) if faults.is_empty() => Ok(Some(faults)),
        // What was cut short may look like a fault.
        _ if wanted.load(Ordering::Acquire) => Ok(None),
        done => done.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_disk_that_takes_nothing_is_told_by_a_real_write() {
        let mut full = fs::File::options().write(true).open("/dev/full").unwrap();
        let finding = disk_fault(&write_probe(&mut full).unwrap_err());
        assert_eq!(finding.fault, Some("disk_full"), "{finding:?}");
        assert!(finding.says.contains("safe") && finding.says.contains("Free some space"), "{finding:?}");
    }

    #[test]
    fn whoever_wants_to_open_a_log_ends_the_look_at_it_and_is_not_taken_for_damage() {
        let dir = tempfile::tempdir().unwrap();
        let log = Connection::open(dir.path().join(FILE)).unwrap();
        log.execute_batch(
            "CREATE TABLE contents (hash BLOB PRIMARY KEY, coding TEXT, bytes BLOB);
             CREATE TABLE bodies (seq INTEGER PRIMARY KEY, coding TEXT, bytes BLOB);
             CREATE TABLE arrivals (seq INTEGER PRIMARY KEY, body_hash BLOB, headers BLOB, flags TEXT);
             INSERT INTO contents WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
                 SELECT randomblob(32), 'plain', randomblob(900) FROM n;",
        )
        .unwrap();
        let turn = turn_to_open(dir.path()).unwrap();
        let waits = thread::spawn({
            let dir = dir.path().to_owned();
            move || turn_to_open(&dir).map(drop)
        });
        while !is_wanted(dir.path()) {
            thread::yield_now();
        }
        assert_eq!(faults_of(&log, Some(dir.path())).unwrap(), None);
        drop(turn);
        waits.join().unwrap().unwrap();
        // Nobody waits any more, and none of these bytes fit their hash.
        assert!(matches!(faults_of(&log, Some(dir.path())).unwrap().as_deref(), Some([Fault::Damaged(_)])));
    }

    #[test]
    fn the_probe_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        assert_ne!(disk(dir.path()).fault, Some("disk_full"));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}

//! Looks a write-ahead log over before SQLite does. SQLite takes everything behind the first frame that does not add
//! up for never written, which is right after a power cut and wrong after damage: whole commits would be gone without
//! a word. The format is that of <https://sqlite.org/fileformat2.html#walformat>.

use std::{
    fs::File,
    io::{self, BufReader, Read},
    path::Path,
};

const HEADER: usize = 32;
const FRAME: usize = 24;
/// Bytes of a page in new logs; older ones have larger ones.
const SMALL_PAGE: usize = super::migrate::PAGE_BYTES as usize;
/// Checksums go over little-endian words; with the lowest bit set, over big-endian ones.
const MAGIC: u32 = 0x377f_0682;

/// What a write-ahead log is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wal {
    /// Not there, empty, or every commit in it adds up.
    Sound,
    /// Its last commit does not add up: a power cut in the middle of it, before anything of it was answered.
    Torn,
    /// Commits do not add up although later ones follow: it was damaged after it was written.
    Damaged {
        /// Commits that SQLite would leave out.
        commits: u64,
    },
}

/// Looks the file over. Nobody else may be writing to it.
///
/// # Errors
/// Whatever keeps the file from being read; one that is not there is sound.
pub fn check(file: &Path) -> io::Result<Wal> {
    match File::open(file) {
        Ok(file) => read(BufReader::with_capacity(1 << 18, file)),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(Wal::Sound),
        Err(cause) => Err(cause),
    }
}

fn read(mut file: impl Read) -> io::Result<Wal> {
    let mut header = [0; HEADER];
    let got = fill(&mut file, &mut header)?;
    if header[..got].iter().all(|byte| *byte == 0) {
        return Ok(Wal::Sound);
    }
    let word = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let big = word(0) & 1 == 1;
    let mut sums = add(big, &header[..24], (0, 0));
    let page = usize::try_from(word(8)).unwrap_or(0);
    let whole = got == HEADER && word(0) & !1 == MAGIC && (512..=65_536).contains(&page);
    if !whole || sums != (word(24), word(28)) {
        // The header is on disk before any frame is; frames behind a bad one were commits once.
        let mut rest = Vec::new();
        file.read_to_end(&mut rest)?;
        // How large its pages were is not known; of the smaller ones that logs have, so many fit.
        let commits = rest.len() / (FRAME + SMALL_PAGE);
        return Ok(if commits == 0 { Wal::Torn } else { Wal::Damaged { commits: commits as u64 } });
    }
    let salts = &header[16..24];
    let (mut sound, mut bent, mut missed) = (true, false, 0_u64);
    let mut frame = vec![0; FRAME + page];
    while fill(&mut file, &mut frame)? == frame.len() {
        let own = frame[8..16] == *salts;
        if sound {
            sums = add(big, &frame[..8], sums);
            sums = add(big, &frame[FRAME..], sums);
            let told = |at: usize| u32::from_be_bytes([frame[at], frame[at + 1], frame[at + 2], frame[at + 3]]);
            // Frames of an earlier round bear other salts and end this one.
            sound = own && sums == (told(16), told(20));
            bent = own && !sound;
        }
        // A frame that ends a commit says how large the log is then.
        if !sound && own && frame[4..8] != [0; 4] {
            missed += 1;
        }
    }
    Ok(match missed {
        0 if !bent => Wal::Sound,
        0 | 1 => Wal::Torn,
        commits => Wal::Damaged { commits },
    })
}

/// Reads until `into` is full or the file ends; gives how much was read.
fn fill(file: &mut impl Read, into: &mut [u8]) -> io::Result<usize> {
    let mut got = 0;
    while got < into.len() {
        match file.read(&mut into[got..])? {
            0 => break,
            more => got += more,
        }
    }
    Ok(got)
}

fn add(big: bool, bytes: &[u8], (mut first, mut second): (u32, u32)) -> (u32, u32) {
    let word = |four: &[u8]| {
        let four = [four[0], four[1], four[2], four[3]];
        if big { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) }
    };
    for pair in bytes.chunks_exact(8) {
        first = first.wrapping_add(word(&pair[..4])).wrapping_add(second);
        second = second.wrapping_add(word(&pair[4..])).wrapping_add(first);
    }
    (first, second)
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    /// A write-ahead log with so many commits of one frame or more each.
    fn written(commits: i64) -> Vec<u8> {
        written_in(commits, 4_096)
    }

    fn written_in(commits: i64, page: i64) -> Vec<u8> {
        let dir = tempfile::tempdir().unwrap();
        let log = Connection::open(dir.path().join("log.db")).unwrap();
        log.pragma_update(None, "page_size", page).unwrap();
        log.pragma_update(None, "journal_mode", "wal").unwrap();
        log.execute_batch("CREATE TABLE marks (mark INTEGER)").unwrap();
        for mark in 1..commits {
            log.execute("INSERT INTO marks (mark) VALUES (?)", [mark]).unwrap();
        }
        std::fs::read(dir.path().join("log.db-wal")).unwrap()
    }

    fn found(bytes: &[u8]) -> Wal {
        read(bytes).unwrap()
    }

    #[test]
    fn what_sqlite_wrote_is_sound() {
        assert_eq!(found(b""), Wal::Sound);
        assert_eq!(found(&[0; 200]), Wal::Sound);
        assert_eq!(found(&written(9)), Wal::Sound);
        assert_eq!(check(Path::new("/no/such/log.db-wal")).unwrap(), Wal::Sound);
    }

    #[test]
    fn a_commit_cut_off_at_any_byte_is_torn_and_never_called_damaged() {
        let whole = written(3);
        let last = whole.len() - (FRAME + 4_096);
        for cut in (last..whole.len()).step_by(97) {
            let found = found(&whole[..cut]);
            assert!(matches!(found, Wal::Sound | Wal::Torn), "cut at {cut}: {found:?}");
        }
        let mut bent = whole.clone();
        bent[last + FRAME + 9] ^= 1;
        assert_eq!(found(&bent), Wal::Torn, "nothing tells a bent last commit from one cut off by a power cut");
    }

    #[test]
    fn a_bent_commit_with_later_ones_behind_it_is_damage_and_counted() {
        let mut bent = written(6);
        let frames = (bent.len() - HEADER) / (FRAME + 4_096);
        let third_last = HEADER + (frames - 3) * (FRAME + 4_096);
        bent[third_last + FRAME + 100] ^= 0x10;
        assert_eq!(found(&bent), Wal::Damaged { commits: 3 });
        let mut headless = written(6);
        headless[17] ^= 1;
        assert!(matches!(found(&headless), Wal::Damaged { .. }));
        // Also where a single page of a new log stands behind the header.
        let mut small = written_in(9, i64::try_from(SMALL_PAGE).unwrap());
        small.truncate(HEADER + FRAME + SMALL_PAGE);
        small[17] ^= 1;
        assert_eq!(found(&small), Wal::Damaged { commits: 1 });
    }

    #[test]
    fn what_an_earlier_round_left_behind_counts_for_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let log = Connection::open(dir.path().join("log.db")).unwrap();
        log.pragma_update(None, "journal_mode", "wal").unwrap();
        log.execute_batch("CREATE TABLE marks (mark INTEGER)").unwrap();
        for mark in 1..20 {
            log.execute("INSERT INTO marks (mark) VALUES (?)", [mark]).unwrap();
        }
        log.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(())).unwrap();
        log.execute("INSERT INTO marks (mark) VALUES (99)", []).unwrap();
        assert_eq!(check(&dir.path().join("log.db-wal")).unwrap(), Wal::Sound);
    }
}

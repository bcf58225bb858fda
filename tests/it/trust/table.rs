//! The tables of faults and attacks, `tests/TRUST.md`: what was tried how often, and what it cost. `tests/trust.sh` plays
//! them and writes it; a test holds its rows against those that the tests know.

use std::{collections::BTreeMap, env, fs, path::Path};

use serde::{Deserialize, Serialize};

use crate::{attack::table as attacks, program::Place};

/// The file, from the root of the project.
const FILE: &str = "tests/TRUST.md";
/// Folder that the figures of a run go to.
const FIGURES: &str = "REPRISE_TRUST_FIGURES";

macro_rules! faults {
    ($($name:ident = $says:literal, $by:literal;)*) => {
        /// Every fault that is tried: what happens, and how it is brought about.
        pub(crate) const ALL: &[Fault] = &[$(Fault { id: stringify!($name), says: $says, by: $by, gets: "" },)*];
        $(pub(crate) const $name: Fault = Fault { id: stringify!($name), says: $says, by: $by, gets: "" };)*
    };
}

/// A fault or an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) id: &'static str,
    pub(crate) says: &'static str,
    pub(crate) by: &'static str,
    /// What an attacker gets.
    pub(crate) gets: &'static str,
}

faults! {
    KILLED_RECEIVER = "Receiver ended with kill -9 under load", "16 senders, killed after 150 to 450 answers";
    KILLED_SENDER = "Sender ended with kill -9 at random moments", "`submit` and `listen`, killed within the time that one takes";
    POWER_CUT = "Power cut: what was not synced is lost", "copies of the files; sectors written after the last sync dropped at random";
    DISK_FULL = "Disk takes nothing more while messages come in", "limit on the size of files";
    WAL_DELETED = "Write-ahead log deleted while messages come in", "the file removed beside a running receiver, then kill -9";
    PRUNED = "Bodies aged out while messages come in", "`prune --days 0` again and again beside 4 senders";
    READ_ONLY = "Log on read-only media", "folder and files without the right to write";
    EMPTY_FILE = "Log file empty", "cut to 0 bytes";
    NOT_A_LOG = "Another file under the log's name", "a text saved over it";
    FOREIGN = "Database of another program under the log's name", "an SQLite file with other tables";
    NEWER = "Log of a newer program", "a migration of tomorrow";
    FILE_GONE = "Log file gone, write-ahead log left", "the file removed";
    MISSING_TABLE = "A table missing", "dropped behind the program's back";
    MISSING_INDEX = "An index missing", "dropped behind the program's back";
    MISSING_TRIGGER = "A trigger missing", "dropped behind the program's back";
    DAMAGED_PAGE = "A page overwritten", "4,096 bytes of another value";
    DAMAGED_WAL = "A commit in the write-ahead log bent", "3 bytes among 20 commits";
    BENT_REQUEST = "A frozen request is not what was frozen", "bytes that do not fit their hash";
    RANDOM_PAGES = "Pages overwritten at random, then `doctor --repair --use`", "1 to 4 pages of a log with posts and messages";
    CLOCK_BACK = "Clock before the newest row", "a row of the year 2100";
    PORT_TAKEN = "Port of the receiver taken", "another listener on it";
    KEYCHAIN_LOCKED = "Keychain with the secrets does not answer", "secrets kept in one, none there";
    TWO_PROGRAMS = "Two programs on one log, the first ended with kill -9", "two `listen`";
    COPIED = "Data folder copied while a post waits, both started", "copy of all files";
    MOVED = "Data folder moved, then taken to another computer", "renamed; then without its card";
    RESTORED = "Old backup put back after posts went out", "`backup`, posts, folder lost";
    CARD_BLOCKED = "Record outside the data folder cannot be written", "a file where its folder should be";
    SMALL_DISK = "File system full while messages come in", "a file system of 6 MB";
    CLOCK_JUMPS = "Clock jumps while all runs", "30 hours forth, 40 back, and right again";
    ASLEEP = "Computer asleep while messages come and a post is due", "SIGSTOP, then SIGCONT";
    NO_NETWORK = "Pozy cannot be reached", "a name without an address, a port nobody listens on, packets that nobody answers";
    CUT_BEFORE = "Connection cut before Pozy did the work", "fault of the sandbox";
    CUT_AFTER = "Connection cut after Pozy did the work", "fault of the sandbox";
}

/// What trying a fault gave.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Tried {
    fault: String,
    pub(crate) times: u64,
    pub(crate) lost: u64,
    pub(crate) second_posts: u64,
    pub(crate) leaked: u64,
    /// Until all goes on or is told in full, milliseconds.
    pub(crate) recovered_ms: i64,
}

impl Tried {
    /// So many tries that cost nothing.
    pub(crate) fn new(fault: Fault, times: usize, recovered_ms: i64) -> Self {
        let times = u64::try_from(times).unwrap_or(u64::MAX);
        Self { fault: fault.id.to_owned(), times, lost: 0, second_posts: 0, leaked: 0, recovered_ms }
    }

    /// Holds if nothing was lost, doubled or leaked, and keeps the figures for the table. Everything the program wrote
    /// in `place` is looked through for its own secrets.
    pub(crate) fn note(mut self, place: &Place) {
        self.leaked = place.leaks();
        assert_eq!((self.lost, self.second_posts, self.leaked), (0, 0, 0), "{self:?}");
        let Some(folder) = env::var_os(FIGURES) else { return };
        let file = Path::new(&folder).join(format!("{}-{}.json", self.fault, std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(file, serde_json::to_vec(&self).expect("figures")).expect("a file");
    }
}

/// The rows of a folder of figures, several of one fault added up.
fn figures(folder: &Path) -> BTreeMap<String, Tried> {
    let mut all: BTreeMap<String, Tried> = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("figures") {
        let tried: Tried =
            serde_json::from_slice(&fs::read(entry.expect("an entry").path()).expect("a file")).expect("figures");
        let sum = all.entry(tried.fault.clone()).or_insert_with(|| Tried { times: 0, ..tried.clone() });
        sum.times += tried.times;
        sum.lost += tried.lost;
        sum.second_posts += tried.second_posts;
        sum.leaked += tried.leaked;
        sum.recovered_ms = sum.recovered_ms.max(tried.recovered_ms);
    }
    all
}

const HEAD: &str = "# Trust

Made by `tests/trust.sh`, which plays every fault and attack and writes down what it cost; do not edit. *Lost* counts answered messages,
stored rows and posts that are missing afterwards (of damaged pages: that are missing without being told), *second posts* what
went live twice, *leaked* the API key or webhook secret in any file or word of the program. *Recovered* is the longest time until
all went on, or until the log was readable again from a sound copy, in a debug build. `REPRISE_KILL_ROUNDS=N tests/trust.sh` kills
more often.

| fault | brought about by | tried | lost | second posts | leaked | recovered |
|---|---|---:|---:|---:|---:|---:|
";

const ATTACKS: &str = "
## Attacks

On the real programs, over real sockets and files. *Lost* counts messages of honest senders and rows that are missing afterwards,
*second posts* what went live twice or that nobody asked for, *leaked* the API key or webhook secret anywhere it must not be.

| attack | brought about by | tried | lost | second posts | leaked | what it gets |
|---|---|---:|---:|---:|---:|---|
";

/// The row of a fault ends with how long it took to recover, that of an attack with what it gets.
fn row(fault: &Fault, tried: &Tried) -> String {
    let seconds = format!("{}.{} s", tried.recovered_ms / 1_000, tried.recovered_ms % 1_000 / 100);
    let end = if fault.gets.is_empty() { &seconds } else { fault.gets };
    let Tried { times, lost, second_posts, leaked, .. } = tried;
    format!("| {} | {} | {times} | {lost} | {second_posts} | {leaked} | {end} |\n", fault.says, fault.by)
}

#[test]
fn the_tables_tell_of_every_fault_and_attack_that_is_tried() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    if env::var_os("REPRISE_WRITE_TRUST").is_some() {
        let all = figures(Path::new(&env::var_os(FIGURES).expect("a folder of figures")));
        let rows = |of: &[Fault]| -> String {
            of.iter()
                .map(|fault| row(fault, all.get(fault.id).unwrap_or_else(|| panic!("{} was not tried", fault.id))))
                .collect()
        };
        let text = format!("{HEAD}{}{ATTACKS}{}", rows(ALL), rows(attacks::ALL));
        fs::write(&file, text).expect("the tables");
    }
    let text = fs::read_to_string(&file).expect("the tables");
    let (faults, attacks) = text.split_once(ATTACKS).expect("two tables");
    let faults = faults.strip_prefix(HEAD).expect("the table of faults");
    for (table, known) in [(faults, ALL), (attacks, attacks::ALL)] {
        let rows: Vec<Vec<&str>> =
            table.lines().map(|line| line.trim_matches('|').split('|').map(str::trim).collect()).collect();
        let told: Vec<(&str, &str)> = rows.iter().map(|cells| (cells[0], cells[1])).collect();
        let known: Vec<(&str, &str)> = known.iter().map(|fault| (fault.says, fault.by)).collect();
        assert_eq!(told, known, "`tests/trust.sh` writes {FILE} anew");
        for cells in &rows {
            assert_ne!(cells[2], "0", "{cells:?}");
            assert_eq!(cells[3..6], ["0", "0", "0"], "{cells:?}");
        }
    }
}

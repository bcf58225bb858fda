//! What can be wrong with the file of a log before it is opened, in words. Each is said the same way wherever it is
//! met: what happened, what it means for the posts, what to do.

use super::FILE;
use crate::error::{Code, Error};

/// Why a log is not opened for writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The file is there and holds nothing.
    Empty,
    /// It does not begin as a log does: another file, or its head was overwritten.
    NotALog,
    /// It is a database of another program.
    Foreign,
    /// A file of it, by its name, is a link to one that lies elsewhere.
    Linked(String),
    /// Its write-ahead log is there and it is not.
    Orphaned,
    /// Pages of it cannot be read; how SQLite says so.
    Damaged(String),
    /// Commits in its write-ahead log do not add up.
    DamagedWal {
        /// How many would be lost.
        commits: u64,
    },
    /// Something of its layout is gone: `table`, `index` or `trigger`, and the names.
    Missing {
        /// Which kind is named.
        kind: &'static str,
        /// Its names.
        names: Vec<String>,
    },
    /// A newer program wrote it.
    Newer {
        /// Its layout.
        version: i64,
        /// The newest this program knows.
        known: i64,
    },
}

/// What every fault of the file means for the posts.
const MEANS: &str =
    "Nothing was changed, and until it is mended nothing is received or sent; what was posted stays posted.";
/// What to do where something can still be read.
const SALVAGE: &str = "`reprise doctor --repair` saves what can be read into a new file beside it and leaves this one \
                       as it is.";
/// What to do where nothing can be read.
const REPLACE: &str = "Put a backup in its place, or move the file out of the folder to begin a new log. A new log \
                       knows nothing of earlier posts: look at the accounts before anything is posted again.";

impl Fault {
    /// A word for programs.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Empty => "empty_file",
            Self::NotALog => "not_a_log",
            Self::Foreign => "foreign_file",
            Self::Linked(_) => "linked_file",
            Self::Orphaned => "file_gone",
            Self::Damaged(_) => "damaged_page",
            Self::DamagedWal { .. } => "damaged_wal",
            Self::Missing { kind, .. } => match kind.as_bytes() {
                b"table" => "missing_table",
                b"index" => "missing_index",
                _ => "missing_trigger",
            },
            Self::Newer { .. } => "newer_file",
        }
    }

    /// What happened, what it means, what to do.
    #[must_use]
    pub fn says(&self) -> String {
        match self {
            Self::Empty => format!("The log is damaged: {FILE} is there and is empty. {MEANS} {REPLACE}"),
            Self::NotALog => format!(
                "The log is damaged: {FILE} does not begin as a log does; another file was saved under its name, or \
                 its head was overwritten. {MEANS} {REPLACE}"
            ),
            Self::Foreign => {
                format!(
                    "{FILE} is a database of another program and no log. {MEANS} Choose another folder with --data."
                )
            }
            Self::Linked(name) => format!(
                "{name} is a link to a file elsewhere, so what belongs together would lie in two places, and whoever laid \
                 the link could have any file written. {MEANS} Put the file itself there, or open the folder it lies in \
                 with --data."
            ),
            Self::Orphaned => format!(
                "{FILE} is gone while its newest rows still lie beside it in {FILE}-wal. {MEANS} Put {FILE} back; if \
                 it is lost, move {FILE}-wal out of the folder to begin a new log, which knows nothing of earlier \
                 posts."
            ),
            Self::Damaged(how) => {
                format!("The log is damaged: pages of {FILE} are no longer what was written ({how}). {MEANS} {SALVAGE}")
            }
            Self::DamagedWal { commits } => format!(
                "The log is damaged: {commits} commits in {FILE}-wal, its newest, are no longer what was written. \
                 {MEANS} {SALVAGE}"
            ),
            Self::Missing { kind, names } => format!(
                "The log is damaged: {} of {FILE} {} gone ({}), so it cannot be trusted to keep what is written. \
                 {MEANS} {SALVAGE}",
                match (*kind, names.len()) {
                    ("index", 1) => "an index".to_owned(),
                    ("index", several) => format!("{several} indexes"),
                    (kind, 1) => format!("a {kind}"),
                    (kind, several) => format!("{several} {kind}s"),
                },
                if names.len() == 1 { "is" } else { "are" },
                names.join(", ")
            ),
            Self::Newer { version, known } => format!(
                "This log was written by a newer Reprise (schema {version}, this program knows {known}). {MEANS} \
                 Update the program, or choose another data folder."
            ),
        }
    }

    /// True if `doctor --repair` can save something of it.
    #[must_use]
    pub const fn can_be_salvaged(&self) -> bool {
        matches!(self, Self::Damaged(_) | Self::DamagedWal { .. } | Self::Missing { .. })
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        let code = if matches!(fault, Fault::Newer { .. }) { Code::NewerFile } else { Code::Storage };
        Self::new(code, fault.says())
    }
}

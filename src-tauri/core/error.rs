//! The one error of the core: a code the callers act on, a sentence for a person, and what caused it. What the other
//! side did (a bad signature, a 409, a lost answer) is data and never an error.

use std::fmt;

use serde::Serialize;
use ts_rs::TS;

/// What a caller can do something about. A code exists only because the command line or the screen acts on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum Code {
    /// The request itself is wrong: exit 2.
    Usage,
    /// The answer is no, nothing was sent: exit 1.
    Refused,
    /// What was named is not in the log: exit 1.
    NotFound,
    /// Another program holds what is needed (port, job, data folder): exit 1.
    Busy,
    /// The log was written by a newer version: exit 3, nothing was touched.
    NewerFile,
    /// The disk, the database or the keychain failed: exit 3.
    Storage,
    /// Pozy could not be reached or gave no usable answer where one was needed: exit 3.
    Unreachable,
    /// A mistake of ours: exit 3.
    Internal,
}

/// An error a person can meet: what happened, what it means for their posts, what to do next.
#[derive(Debug)]
pub struct Error {
    /// What the caller acts on.
    pub code: Code,
    /// One to three plain sentences.
    pub message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// `Result` with [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error with nothing under it.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), source: None }
    }

    /// An error with its cause; the cause goes to the program's log, the message to the person.
    pub fn caused(
        code: Code,
        message: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self { code, message: message.into(), source: Some(source.into()) }
    }

    /// The same error with its words, and those of its cause, put another way.
    #[must_use]
    pub fn in_other_words(self, say: impl Fn(&str) -> String) -> Self {
        let source = self.source.map(|cause| say(&cause.to_string()).into());
        Self { code: self.code, message: say(&self.message), source }
    }

    /// The file of the log is no longer what was written.
    #[must_use]
    pub fn damaged() -> Self {
        Self::new(Code::Storage, DAMAGED)
    }

    /// True if SQLite found the file of the log to be no longer what was written.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        let Some(cause) = &self.source else { return false };
        match (cause.downcast_ref::<rusqlite::Error>(), cause.downcast_ref::<sqlx::Error>()) {
            (Some(cause), _) => is_damaged(cause),
            (_, Some(cause)) => is_damage(cause),
            _ => false,
        }
    }

    /// True if the disk was asked for what had been written, and refused.
    #[must_use]
    pub fn is_refusal_of_disk(&self) -> bool {
        use rusqlite::ffi::{SQLITE_IOERR_DIR_FSYNC, SQLITE_IOERR_FSYNC};
        let cause = self.source.as_ref().and_then(|cause| cause.downcast_ref::<rusqlite::Error>());
        let code = cause.and_then(rusqlite::Error::sqlite_error).map(|error| error.extended_code);
        matches!(code, Some(SQLITE_IOERR_FSYNC | SQLITE_IOERR_DIR_FSYNC))
    }

    /// The request is wrong.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Code::Usage, message)
    }

    /// The answer is no.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(Code::Refused, message)
    }

    /// What was named is not there.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(Code::NotFound, message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.source {
            Some(cause) => write!(f, " ({cause})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|cause| cause as &(dyn std::error::Error + 'static))
    }
}

impl From<rusqlite::Error> for Error {
    fn from(cause: rusqlite::Error) -> Self {
        Self::caused(Code::Storage, if is_damaged(&cause) { DAMAGED } else { STORAGE }, cause)
    }
}

impl From<sqlx::Error> for Error {
    fn from(cause: sqlx::Error) -> Self {
        Self::caused(Code::Storage, if is_damage(&cause) { DAMAGED } else { STORAGE }, cause)
    }
}

/// As [`is_damage`], of the writing side.
pub(crate) fn is_damaged(cause: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    matches!(cause.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase))
}

/// True if the file of the log itself is not what was written.
pub(crate) fn is_damage(cause: &sqlx::Error) -> bool {
    let code = cause.as_database_error().and_then(|cause| cause.code());
    // The low byte is the kind; what stands above it only says where it was met.
    let kind = code.and_then(|code| code.parse::<i32>().ok()).map(|code| code & 0xff);
    matches!(kind, Some(rusqlite::ffi::SQLITE_CORRUPT | rusqlite::ffi::SQLITE_NOTADB))
}

impl From<std::io::Error> for Error {
    fn from(cause: std::io::Error) -> Self {
        Self::caused(Code::Storage, "A file could not be read or written; what was stored before is untouched.", cause)
    }
}

/// What is said of a damaged log.
pub(crate) const DAMAGED: &str = "The log is damaged: reprise.db in the data folder is no longer what was written, so nothing \
                       more is sent or logged. What was posted stays posted. Stop the program; then `reprise doctor` \
                       says what is damaged, and `reprise doctor --repair` saves what can be read into a new file \
                       beside it.";

const STORAGE: &str = "The log could not be read or written; what was stored before is untouched. \
                       `reprise doctor` says more.";

//! Imports, what they found, and cases.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Stamp;
pub use crate::import::{
    columns::{ColumnField, Mapping},
    source::FileKind,
};

/// Names a file before it is read: one on this computer, or one that was handed over by the browser.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(export_to = "wire.ts")]
pub struct ImportLookArgs {
    /// Its path.
    #[ts(optional)]
    pub path: Option<String>,
    /// What handing it over gave.
    #[ts(optional)]
    pub upload: Option<String>,
}

/// What a file seems to be.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct ImportLook {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: FileKind,
    /// Its size, bytes.
    #[ts(type = "number")]
    pub size: u64,
    /// Of a table: the names of its columns.
    pub columns: Vec<String>,
    /// Of a table: its first rows, secrets masked.
    pub rows: Vec<Vec<String>>,
    /// Of a table: what its columns are taken for, as remembered or as their names suggest.
    pub mapping: Option<Mapping>,
    /// True if the mapping is remembered.
    pub remembered: bool,
    /// Of a table: what is missing before it can be read.
    pub lacks: Option<String>,
}

/// Starts an import.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(export_to = "wire.ts")]
pub struct ImportStartArgs {
    /// Files on this computer.
    pub paths: Vec<String>,
    /// Files that were handed over by the browser.
    pub uploads: Vec<String>,
    /// Name of a new case that they go into; none: into the log that is open.
    #[ts(optional)]
    pub case: Option<String>,
    /// Of tables: what their columns hold; none: as remembered, or as their names suggest.
    #[ts(optional)]
    pub mapping: Option<Mapping>,
    /// When requests were made that bear no time of their own, RFC 3339; none: now.
    #[ts(optional)]
    pub at: Option<String>,
}

/// How far the import of one file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum ImportState {
    /// Others come first.
    Waiting,
    /// It is being read.
    Running,
    /// It came to its end.
    Done,
    /// Somebody stopped it; what is in stays in.
    Stopped,
    /// It could not be read on, or the log could not be written; what is in stays in.
    Failed,
}

/// The import that is under way, or the last one since the program started.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct ImportRun {
    /// True while it runs.
    pub running: bool,
    /// Its files, in order.
    pub files: Vec<ImportFile>,
    /// How long the file that is being read takes still, milliseconds.
    #[ts(type = "number | null")]
    pub left_ms: Option<i64>,
}

/// One imported file.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct ImportFile {
    /// Its name.
    pub file: String,
    /// What it is; none before it was looked at.
    pub kind: Option<FileKind>,
    /// How far it is.
    pub state: ImportState,
    /// When it was imported; none while it is on its way.
    pub at: Option<Stamp>,
    /// Bytes read.
    #[ts(type = "number")]
    pub bytes: u64,
    /// Bytes in all; zero if it is not known any more.
    #[ts(type = "number")]
    pub size: u64,
    /// Lines read.
    pub read: u32,
    /// Lines that went in.
    pub added: u32,
    /// Lines that the log had already.
    pub known: u32,
    /// How many could not be read.
    pub bad_count: u32,
    /// Lines that could not be read, the first ones.
    pub bad: Vec<BadLine>,
    /// Requests that bear no time of their own.
    pub untimed: u32,
    /// What it says of the client whose log it is.
    pub findings: Vec<FindingRow>,
    /// Why it could not be read on.
    pub problem: Option<String>,
}

/// A line that could not be read.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct BadLine {
    /// Its number in the file.
    pub line: u32,
    /// Why, in short.
    pub why: String,
}

/// Something that a client does wrong.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct FindingRow {
    /// Which.
    pub code: String,
    /// How often.
    pub count: u32,
    /// What it does.
    pub says: String,
    /// What to change.
    pub change: String,
    /// The tries it rests on, the first ones.
    pub rows: Vec<FindingTry>,
}

/// A try that a finding rests on.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct FindingTry {
    /// Its job.
    pub job: String,
    /// Its number in the job.
    pub n: u32,
    /// When it left.
    pub at: Stamp,
}

/// The newest imports of the log that is open, newest first.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Imports {
    /// One row a file.
    pub files: Vec<ImportFile>,
}

/// The cases on this computer, newest first.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Cases {
    /// One row a case.
    pub cases: Vec<CaseRow>,
}

/// A log of its own that somebody else's lines were put into.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct CaseRow {
    /// Names it.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// When it was made.
    pub made: Stamp,
    /// Bytes on the disk.
    #[ts(type = "number")]
    pub size: u64,
    /// True for the one that is shown.
    pub open: bool,
}

/// Names one case.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct CaseArgs {
    /// Its id.
    pub id: String,
}

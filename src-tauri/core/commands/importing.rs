//! Imports: look at a file, start, watch, stop; and the cases that imports open.

use std::path::PathBuf;

use super::wire::{
    BadLine, CaseArgs, CaseRow, Cases, FileKind, FindingRow, FindingTry, ImportFile, ImportLook, ImportLookArgs,
    ImportRun, ImportStartArgs, ImportState, Imports, Mapping, Nothing, Status,
};
use crate::{
    clock::Moment,
    desk::{
        CaseLog, Desk,
        importing::{Manner, RunFile, State, Wanted},
    },
    error::{Code, Error, Result},
    import::{
        columns,
        lint::{self, Finding},
        log::Report,
        source, table,
    },
    pozy::secrecy::{self, Mask},
    store::imports,
};

/// Rows of a table that are shown before it is read.
const ROWS_SHOWN: usize = 5;
/// Imports that are listed.
const LISTED: u32 = 50;

pub(super) async fn look(desk: &Desk, args: ImportLookArgs) -> Result<ImportLook> {
    let wanted = wanted(desk, args.path.as_deref(), args.upload.as_deref())?;
    let name = wanted.name.clone();
    let (beginning, size) = wanted.beginning().await?;
    let look = source::look(&beginning);
    let mut shown = ImportLook {
        name,
        kind: look.kind,
        size,
        columns: Vec::new(),
        rows: Vec::new(),
        mapping: None,
        remembered: false,
        lacks: None,
    };
    if look.kind == FileKind::Table {
        let headers = table::headers(&beginning, look.delimiter).map_err(Error::usage)?;
        let kept = imports::mapping(desk.room().await.store.pool(), &columns::set_of(&headers)).await?;
        shown.remembered = kept.is_some();
        let mapping = kept.map_or_else(|| Mapping::guess(&headers), |kept| kept.under(&headers));
        shown.lacks = mapping.lacks();
        shown.mapping = Some(mapping);
        let mut mask = Mask::default();
        let mut rows = table::first_rows(&beginning, look.delimiter, ROWS_SHOWN);
        for (header, value) in rows.iter_mut().flat_map(|row| headers.iter().zip(row)) {
            *value = if secrecy::is_secret_name(header) {
                mask.cover(&format!("field {header}"), value)
            } else {
                secrecy::masked_text(std::mem::take(value), &mut mask)
            };
        }
        shown.rows = rows;
        shown.columns = headers;
    }
    Ok(shown)
}

fn wanted(desk: &Desk, path: Option<&str>, upload: Option<&str>) -> Result<Wanted> {
    match (path, upload) {
        (Some(path), None) => Ok(on_disk(path)),
        (None, Some(id)) => desk.imports().upload(id),
        _ => Err(Error::usage("Name a file by its path, or one that was handed over.")),
    }
}

fn on_disk(path: &str) -> Wanted {
    let path = PathBuf::from(path);
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    Wanted { name, path, handed: false }
}

pub(super) async fn start(desk: &Desk, args: ImportStartArgs) -> Result<ImportRun> {
    let mut files: Vec<Wanted> = args.paths.iter().map(|path| on_disk(path)).collect();
    for id in &args.uploads {
        files.push(desk.imports().upload(id)?);
    }
    if files.is_empty() {
        return Err(Error::usage("No file was named, so nothing was imported."));
    }
    if let Some(lacks) = args.mapping.as_ref().and_then(Mapping::lacks) {
        return Err(Error::usage(format!("The table cannot be read yet: {lacks}. Nothing was imported.")));
    }
    let base = match args.at.as_deref() {
        Some(text) => Some(text.parse::<Moment>().map_err(|wrong| Error::usage(format!("{wrong}.")))?),
        None => None,
    };
    if desk.imports().run().is_some_and(|run| run.is_running()) {
        return Err(Error::new(Code::Busy, "An import runs already. Wait for its end, or stop it."));
    }
    // Opened before anything is made for them.
    let mut opened = Vec::new();
    for file in files {
        opened.push(file.open().await?);
    }
    match &args.case {
        Some(name) => drop(desk.open_new_case(name).await?),
        None if desk.room().await.stage.is_some() => {
            return Err(Error::refused(
                "You are practising, and the practice log is thrown away. Open the file as a case, or leave practice \
                 first.",
            ));
        }
        None => {}
    }
    let manner = Manner { mapping: args.mapping, base, workspace: desk.workspace_for_imports().await? };
    desk.imports().start(desk, desk.room().await, opened, manner)?;
    progress(desk, Nothing {}).await
}

pub(super) async fn progress(desk: &Desk, _: Nothing) -> Result<ImportRun> {
    let Some(run) = desk.imports().run() else {
        return Ok(ImportRun { running: false, files: Vec::new(), left_ms: None });
    };
    let left_ms = run.files.iter().filter(|file| matches!(file.state(), State::Running)).find_map(RunFile::ms_left);
    Ok(ImportRun { running: run.is_running(), files: run.files.iter().map(row).collect(), left_ms })
}

fn row(file: &RunFile) -> ImportFile {
    let reached = file.reached();
    let mut row = ImportFile {
        file: file.wanted.name.clone(),
        kind: None,
        state: ImportState::Waiting,
        at: None,
        bytes: reached.bytes,
        size: file.size,
        read: short(reached.read),
        added: short(reached.added),
        known: short(reached.known),
        bad_count: short(reached.bad),
        bad: Vec::new(),
        untimed: 0,
        findings: Vec::new(),
        problem: None,
    };
    match file.state() {
        State::Waiting => {}
        State::Running => row.state = ImportState::Running,
        State::Done(report) => take(&mut row, &report),
        State::Failed(problem) => {
            row.state = ImportState::Failed;
            row.problem = Some(problem);
        }
    }
    row
}

/// What a report says, in a row.
fn take(row: &mut ImportFile, report: &Report) {
    row.kind = Some(report.kind);
    row.state = if report.stopped { ImportState::Stopped } else { ImportState::Done };
    row.read = short(report.read);
    row.added = short(report.added);
    row.known = short(report.known);
    row.bad_count = short(report.bad_count);
    row.bad = report.bad.iter().map(|bad| BadLine { line: short(bad.line), why: bad.why.clone() }).collect();
    row.untimed = short(report.untimed);
    row.findings = report.lint.iter().map(finding).collect();
}

fn finding(found: &Finding) -> FindingRow {
    let tried = |row: &lint::Row| FindingTry { job: row.job.clone(), n: row.n, at: row.at.into() };
    FindingRow {
        code: found.fault.word().to_owned(),
        count: short(found.count),
        says: found.fault.says().to_owned(),
        change: found.fault.change().to_owned(),
        rows: found.rows.iter().map(tried).collect(),
    }
}

fn short(count: impl TryInto<u32>) -> u32 {
    count.try_into().unwrap_or(u32::MAX)
}

pub(super) async fn cancel(desk: &Desk, _: Nothing) -> Result<ImportRun> {
    if let Some(run) = desk.imports().run() {
        run.stop();
        run.ended().await;
    }
    progress(desk, Nothing {}).await
}

pub(super) async fn list(desk: &Desk, _: Nothing) -> Result<Imports> {
    let room = desk.room().await;
    let mut files = Vec::new();
    for one in imports::newest(room.store.pool(), LISTED).await? {
        let Some(report) = one.report else { continue };
        let mut row = ImportFile {
            file: report.file.clone(),
            kind: None,
            state: ImportState::Done,
            at: Some(one.at.into()),
            bytes: one.size,
            size: one.size,
            read: 0,
            added: 0,
            known: 0,
            bad_count: 0,
            bad: Vec::new(),
            untimed: 0,
            findings: Vec::new(),
            problem: None,
        };
        take(&mut row, &report);
        files.push(row);
    }
    Ok(Imports { files })
}

pub(super) async fn cases(desk: &Desk, _: Nothing) -> Result<Cases> {
    let open = desk.room().await.case.clone();
    let cases = CaseLog::all(desk.data())?;
    Ok(Cases { cases: cases.iter().map(|case| case_row(case, open.as_ref() == Some(case))).collect() })
}

/// A case as the screens show it.
pub(super) fn case_row(case: &CaseLog, open: bool) -> CaseRow {
    CaseRow { id: case.id.clone(), name: case.name.clone(), made: case.made.into(), size: case.size(), open }
}

pub(super) async fn open_case(desk: &Desk, args: CaseArgs) -> Result<Status> {
    nothing_runs(desk)?;
    let case = CaseLog::one(desk.data(), &args.id)?;
    if desk.room().await.case.as_ref() != Some(&case) {
        desk.open_case(case).await?;
    }
    super::status::status(desk, Nothing {}).await
}

pub(super) async fn leave_case(desk: &Desk, _: Nothing) -> Result<Status> {
    nothing_runs(desk)?;
    desk.leave_case().await?;
    super::status::status(desk, Nothing {}).await
}

/// Deletes a case with all in it; the one that is shown is left first.
pub(super) async fn delete_case(desk: &Desk, args: CaseArgs) -> Result<Cases> {
    nothing_runs(desk)?;
    let case = CaseLog::one(desk.data(), &args.id)?;
    if desk.room().await.case.as_ref() == Some(&case) {
        desk.leave_case().await?;
    }
    case.delete()?;
    desk.tell();
    cases(desk, Nothing {}).await
}

fn nothing_runs(desk: &Desk) -> Result<()> {
    if desk.imports().run().is_some_and(|run| run.is_running()) {
        return Err(Error::new(Code::Busy, "An import runs. Wait for its end, or stop it first; nothing was changed."));
    }
    Ok(())
}

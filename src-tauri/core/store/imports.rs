//! What each imported file brought, and what the columns of tables mean.

use rusqlite::{Connection, params};
use sqlx::{Row, SqlitePool};

use crate::{
    clock::Moment,
    error::{Code, Error, Result},
    ids::ImportId,
    import::{
        columns::Mapping,
        lint::{Fault, Finding, Row as FindingRow, Tried},
        log::{Bad, Report},
        source::FileKind,
    },
    pozy::contract::Contract,
};

/// What a file brought, before it has a row.
#[derive(Clone, Debug)]
pub struct Brought {
    kind: String,
    ended: Moment,
    size: u64,
    report: Report,
}

impl Brought {
    /// # Errors
    /// Only if a kind has no word, which none of them lacks.
    pub fn of(report: &Report, size: u64, ended: Moment) -> Result<Self> {
        Ok(Self { kind: super::jobs::word(report.kind)?, ended, size, report: report.clone() })
    }
}

/// Writes down how an import ended; `remembered` is what the columns of a table were taken for, under the name of their
/// set.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn finish(
    connection: &Connection,
    import: ImportId,
    brought: &Brought,
    remembered: Option<&(String, Mapping)>,
) -> Result<()> {
    let report = &brought.report;
    connection
        .prepare_cached(
            "UPDATE imports SET kind = ?2, ended_ns = ?3, size = ?4, read = ?5, added = ?6, known = ?7, bad = ?8, \
             untimed = ?9, stopped = ?10 WHERE id = ?1",
        )?
        .execute(params![
            import.0,
            brought.kind,
            brought.ended.0,
            number(brought.size),
            count(report.read),
            count(report.added),
            count(report.known),
            count(report.bad_count),
            count(report.untimed),
            report.stopped,
        ])?;
    for bad in &report.bad {
        connection.prepare_cached("INSERT INTO import_bad (import, line, why) VALUES (?, ?, ?)")?.execute(params![
            import.0,
            count(bad.line),
            bad.why
        ])?;
    }
    if let Some((set, mapping)) = remembered.filter(|(_, mapping)| mapping.lacks().is_none()) {
        let text = json(mapping)?;
        connection
            .prepare_cached(
                "INSERT INTO column_maps (columns, mapping) VALUES (?1, ?2) \
                 ON CONFLICT (columns) DO UPDATE SET mapping = ?2",
            )?
            .execute(params![set, text])?;
    }
    Ok(())
}

/// What the columns of a table were taken for the last time.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn mapping(pool: &SqlitePool, set: &str) -> Result<Option<Mapping>> {
    let row = sqlx::query("SELECT mapping FROM column_maps WHERE columns = ?").bind(set).fetch_optional(pool).await?;
    // A field that a later program knew is no reason not to read the table: it is guessed anew.
    Ok(row.and_then(|row| serde_json::from_str(row.get::<&str, _>(0)).ok()))
}

/// One imported file, as it is listed.
#[derive(Clone, Debug)]
pub struct Imported {
    /// Its number.
    pub import: ImportId,
    /// When it began.
    pub at: Moment,
    /// What came of it; none if the program ended before the import did.
    pub report: Option<Report>,
    /// Bytes that were read of it.
    pub size: u64,
}

/// The newest imports, newest first, each with its bad lines.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn newest(pool: &SqlitePool, limit: u32) -> Result<Vec<Imported>> {
    let rows = sqlx::query(
        "SELECT id, at_ns, file, kind, size, read, added, known, bad, untimed, stopped FROM imports \
         ORDER BY id DESC LIMIT ?",
    )
    .bind(limit)
    .fetch_all(pool)
    .await?;
    let mut list = Vec::with_capacity(rows.len());
    for row in &rows {
        let import = ImportId(row.get(0));
        let kind: Option<FileKind> =
            row.get::<Option<&str>, _>(3).and_then(|word| serde_json::from_str(&format!("\"{word}\"")).ok());
        let size = |column: usize| usize::try_from(row.get::<i64, _>(column)).unwrap_or_default();
        let report = match kind {
            Some(kind) => Some(Report {
                file: row.get(2),
                import,
                kind,
                read: size(5),
                added: size(6),
                known: size(7),
                bad: bad(pool, import).await?,
                bad_count: size(8),
                untimed: size(9),
                stopped: row.get(10),
                lint: findings(pool, import).await?,
            }),
            None => None,
        };
        list.push(Imported {
            import,
            at: Moment(row.get(1)),
            report,
            size: u64::try_from(row.get::<i64, _>(4)).unwrap_or_default(),
        });
    }
    Ok(list)
}

async fn bad(pool: &SqlitePool, import: ImportId) -> Result<Vec<Bad>> {
    let rows = sqlx::query("SELECT line, why FROM import_bad WHERE import = ? ORDER BY line")
        .bind(import.0)
        .fetch_all(pool)
        .await?;
    let line = |row: &sqlx::sqlite::SqliteRow| usize::try_from(row.get::<i64, _>(0)).unwrap_or_default();
    Ok(rows.iter().map(|row| Bad { line: line(row), why: row.get(1) }).collect())
}

/// Where the next page of tries starts.
pub type TryCursor = (Moment, i64);

/// Up to `limit` tries of one file in time order, from after `after`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn tries(
    pool: &SqlitePool,
    import: ImportId,
    after: TryCursor,
    limit: u32,
    contract: &Contract,
) -> Result<Vec<(TryCursor, Tried)>> {
    let rows = sqlx::query(
        "SELECT a.at_ns, a.id, j.mark, a.n, a.workspace, a.method, a.path, a.key, a.request_id, b.coding, b.bytes, \
         r.kind, r.at_ns, d.meaning, d.retry_ns \
         FROM attempts AS a JOIN jobs AS j ON j.id = a.job LEFT JOIN contents AS b ON b.hash = a.body \
         LEFT JOIN results AS r ON r.attempt = a.id LEFT JOIN readings AS d ON d.attempt = a.id \
         WHERE a.import = ? AND (a.at_ns, a.id) > (?, ?) ORDER BY a.at_ns, a.id LIMIT ?",
    )
    .bind(import.0)
    .bind(after.0.0)
    .bind(after.1)
    .bind(limit)
    .fetch_all(pool)
    .await?;
    rows.iter().map(|row| tried(row, contract)).collect()
}

fn tried(row: &sqlx::sqlite::SqliteRow, contract: &Contract) -> Result<(TryCursor, Tried)> {
    let (at, job, key): (_, String, Option<String>) = (Moment(row.get(0)), row.get(2), row.get(7));
    let path: String = row.get(6);
    let body = match row.get::<Option<&str>, _>(9) {
        Some(coding) => Some(super::packed::unpack(coding, row.get(10))?),
        None => None,
    };
    let told_job = key.as_ref().is_none_or(|key| job != format!("key:{key}")) && !job.starts_with("try:");
    let one = Tried {
        told_job,
        job,
        n: row.get(3),
        at,
        workspace: row.get(4),
        method: row.get(5),
        makes: contract.replays(&path),
        path,
        key,
        request_id: row.get(8),
        body,
        kind: row.get::<Option<&str>, _>(11).map(read_word).transpose()?,
        ended: row.get::<Option<i64>, _>(12).map(Moment),
        meaning: row.get::<Option<&str>, _>(13).map(read_word).transpose()?,
        retry_at: row.get::<Option<i64>, _>(14).map(Moment),
    };
    Ok(((at, row.get(1)), one))
}

fn read_word<T: serde::de::DeserializeOwned>(word: &str) -> Result<T> {
    serde_json::from_str(&format!("\"{word}\""))
        .map_err(|cause| Error::caused(Code::Storage, "A word of the log is not known to this program.", cause))
}

/// Keeps what was found about the client of a file.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn keep_findings(connection: &Connection, import: ImportId, findings: &[Finding]) -> Result<()> {
    for finding in findings {
        connection
            .prepare_cached(
                "INSERT INTO import_findings (import, code, count, rows) VALUES (?1, ?2, ?3, ?4) \
                 ON CONFLICT (import, code) DO UPDATE SET count = ?3, rows = ?4",
            )?
            .execute(params![import.0, finding.fault.word(), count(finding.count), json(&finding.rows)?])?;
    }
    Ok(())
}

async fn findings(pool: &SqlitePool, import: ImportId) -> Result<Vec<Finding>> {
    let rows = sqlx::query("SELECT code, count, rows FROM import_findings WHERE import = ?")
        .bind(import.0)
        .fetch_all(pool)
        .await?;
    let mut kept = std::collections::HashMap::new();
    for row in &rows {
        let rows: Vec<FindingRow> = serde_json::from_str(row.get(2))
            .map_err(|cause| Error::caused(Code::Storage, "What was found about a client cannot be read.", cause))?;
        kept.insert(row.get::<String, _>(0), (usize::try_from(row.get::<i64, _>(1)).unwrap_or_default(), rows));
    }
    let finding = |fault: &Fault| {
        let (count, rows) = kept.remove(fault.word())?;
        Some(Finding { fault: *fault, count, rows })
    };
    Ok(Fault::ALL.iter().filter_map(finding).collect())
}

fn json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|cause| Error::caused(Code::Internal, "A part of an import has no JSON form.", cause))
}

fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn count(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

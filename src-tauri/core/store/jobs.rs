//! Jobs, their attempts, results and notes: written once, never changed. What judging says of a job stands beside
//! them and moves on in the same transaction, so that a list never shows an older word than its rows.

use rusqlite::{Connection, OptionalExtension as _, params};
use sqlx::{Row as _, SqlitePool};

use super::{contents, job_facts, packed::unpack, tellings, waits};
use crate::{
    clock::Moment,
    error::Result,
    ids::{AttemptId, ImportId, JobId, JobMark, WorkspaceId},
    outbound::{
        forecast::{Forecast, words::Words},
        job::{EndKind, Origin},
        outcome::{self, Judged, State},
        schedule,
    },
    pozy::{
        answers::{self, Answer},
        contract::Contract,
        secrecy::{Mask, mask_headers, masked_text},
    },
};

/// A job before it has a row.
#[derive(Clone, Debug)]
pub struct NewJob<'a> {
    /// Its name; unique in a log.
    pub mark: &'a JobMark,
    /// When it was asked for.
    pub created: Moment,
    /// HTTP method.
    pub method: &'a str,
    /// Path of the call.
    pub path: &'a str,
    /// Where it goes.
    pub workspace: WorkspaceId,
    /// Its key for life.
    pub key: Option<&'a str>,
    /// Its `x-request-id` for life.
    pub request_id: Option<&'a str>,
    /// Its bytes, frozen from here on.
    pub body: Option<&'a [u8]>,
    /// The job it posts again, with the reason a person gave.
    pub again_of: Option<(JobId, &'a str)>,
    /// The file it was read from; none for one that was asked for here.
    pub import: Option<ImportId>,
}

/// An attempt before it has a row.
#[derive(Clone, Debug)]
pub struct NewAttempt<'a> {
    /// Its job.
    pub job: JobId,
    /// Counts from 1 in the job.
    pub n: u32,
    /// When it leaves.
    pub at: Moment,
    /// HTTP method.
    pub method: &'a str,
    /// Path of the call.
    pub path: &'a str,
    /// Where it goes.
    pub workspace: WorkspaceId,
    /// The key it carries.
    pub key: Option<&'a str>,
    /// Fingerprint of the API key it goes out with; none if imported.
    pub key_print: Option<&'a str>,
    /// The `x-request-id` it carries.
    pub request_id: Option<&'a str>,
    /// The bytes it carries.
    pub body: Option<&'a [u8]>,
    /// True if its body was masked at import.
    pub masked: bool,
    /// The file it was read from.
    pub import: Option<ImportId>,
}

/// How an attempt ended, before it has a row.
#[derive(Clone, Debug)]
pub struct NewEnd {
    /// How.
    pub kind: EndKind,
    /// When that was known.
    pub at: Moment,
    /// The answer, if one came.
    pub answer: Option<Answer>,
}

/// Appends a job with its bytes and judges it.
///
/// # Errors
/// `Storage` if its mark is taken or the log cannot be written.
pub fn insert(connection: &Connection, new: &NewJob<'_>, now: Moment, contract: &Contract) -> Result<JobId> {
    let job = append(connection, new, contract)?;
    judge(connection, job, false, now, contract)?;
    Ok(job)
}

/// Appends a job with its bytes; judge it afterwards in the same piece of work, once its attempts are there.
///
/// # Errors
/// As [`insert`].
pub fn append(connection: &Connection, new: &NewJob<'_>, contract: &Contract) -> Result<JobId> {
    let body = new.body.map(|bytes| contents::put(connection, bytes)).transpose()?;
    connection
        .prepare_cached(
            "INSERT INTO jobs (mark, origin, created_ns, method, path, workspace, key, request_id, body, again_of, reason, import)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            new.mark.as_str(),
            if new.import.is_some() { "import" } else { "local" },
            new.created.0,
            new.method,
            new.path,
            new.workspace.0,
            new.key,
            new.request_id,
            body,
            new.again_of.map(|(job, _)| job.0),
            new.again_of.map(|(_, reason)| masked_text(reason.to_owned(), &mut Mask::default())),
            new.import.map(|import| import.0),
        ])?;
    let job = JobId(connection.last_insert_rowid());
    let scheduled = new.body.and_then(schedule::scheduled_for);
    if let Some(body) = new.body.filter(|_| contract.replays(new.path)) {
        tellings::keep_job(connection, job, &Words::of(body))?;
    }
    connection
        .prepare_cached(
            "INSERT INTO job_states (job, state, outcome, scheduled_ns, place, rules)
             VALUES (?, 'draft', 'none', ?, 0, 0)",
        )?
        .execute(params![job.0, scheduled.map(|moment| moment.0)])?;
    Ok(job)
}

/// The row of the job of that name, seen from inside a piece of write work.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub fn find(connection: &Connection, mark: &JobMark) -> Result<Option<JobId>> {
    let mut query = connection.prepare_cached("SELECT id FROM jobs WHERE mark = ?")?;
    Ok(query.query_row([mark.as_str()], |row| row.get(0)).optional()?.map(JobId))
}

/// How a job hangs together with another one by a Post again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgainLinks {
    /// The job it posts again.
    pub of: Option<JobMark>,
    /// The reason a person gave for that.
    pub reason: Option<String>,
    /// The job that posts it again.
    pub by: Option<JobMark>,
}

/// What `job` posts again, and what posts it again.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn again_links(pool: &SqlitePool, job: JobId) -> Result<AgainLinks> {
    let sql = "SELECT o.mark, j.reason, (SELECT mark FROM jobs WHERE again_of = j.id)
         FROM jobs AS j LEFT JOIN jobs AS o ON o.id = j.again_of WHERE j.id = ?";
    let row = sqlx::query(sql).bind(job.0).fetch_one(pool).await?;
    let mark = |at: usize| row.get::<Option<String>, _>(at).map(JobMark::new);
    Ok(AgainLinks { of: mark(0), reason: row.get(1), by: mark(2) })
}

/// The job that posts `job` again, if there is one.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub fn again(connection: &Connection, job: JobId) -> Result<Option<JobMark>> {
    let mut query = connection.prepare_cached("SELECT mark FROM jobs WHERE again_of = ?")?;
    Ok(query.query_row([job.0], |row| row.get::<_, String>(0)).optional()?.map(JobMark::new))
}

/// Appends what a person was told and confirmed before `job` is sent.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn insert_confirmation(connection: &Connection, job: JobId, at: Moment, told: &Forecast) -> Result<()> {
    let reasons: Vec<_> = told.because.iter().map(|because| because.code).collect();
    connection
        .prepare_cached(
            "INSERT INTO confirmations (job, at_ns, action, effect, risk, expects, reasons) VALUES (?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            job.0,
            at.0,
            word(told.action)?,
            told.effect.word(),
            word(told.risk)?,
            word(&told.expects)?,
            word(reasons)?,
        ])?;
    Ok(())
}

/// Appends an attempt. For one that is about to leave this is the row that must be on disk before the first byte
/// (design 4.2); judge the job afterwards in the same piece of work.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn insert_attempt(connection: &Connection, new: &NewAttempt<'_>) -> Result<AttemptId> {
    let body = new.body.map(|bytes| contents::put(connection, bytes)).transpose()?;
    connection
        .prepare_cached(
            "INSERT INTO attempts
             (job, n, at_ns, method, path, workspace, key, key_print, request_id, body, masked, import)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            new.job.0,
            new.n,
            new.at.0,
            new.method,
            new.path,
            new.workspace.0,
            new.key,
            new.key_print,
            new.request_id,
            body,
            new.masked,
            new.import.map(|import| import.0),
        ])?;
    Ok(AttemptId(connection.last_insert_rowid()))
}

/// Appends the end of an attempt and the reading of its answer. Secrets in the answer's headers are masked before
/// they are stored. Judge the job afterwards in the same piece of work.
///
/// # Errors
/// `Storage` if the attempt has an end already or the log cannot be written.
pub fn insert_end(
    connection: &Connection,
    attempt: AttemptId,
    path: &str,
    sent: &[u8],
    end: &NewEnd,
    contract: &Contract,
) -> Result<()> {
    let mut headers = end.answer.as_ref().map(|answer| answer.headers.clone()).unwrap_or_default();
    mask_headers(&mut headers, &mut Mask::default());
    let body = end.answer.as_ref().map(|answer| contents::put(connection, &answer.body)).transpose()?;
    connection
        .prepare_cached("INSERT INTO results (attempt, kind, at_ns, status, headers, body) VALUES (?, ?, ?, ?, ?, ?)")?
        .execute(params![
            attempt.0,
            word(end.kind)?,
            end.at.0,
            end.answer.as_ref().map(|answer| answer.status),
            word(headers)?,
            body,
        ])?;
    end.answer
        .as_ref()
        .map_or(Ok(()), |answer| keep_reading(connection, attempt, path, sent, (answer, end.at), contract))
}

/// Keeps what an answer, and when it came, say of the job, its post and the clocks.
fn keep_reading(
    connection: &Connection,
    attempt: AttemptId,
    path: &str,
    sent: &[u8],
    (answer, came): (&Answer, Moment),
    contract: &Contract,
) -> Result<()> {
    let reading = answers::read(answer, path, sent, came, contract);
    if contract.replays(path) {
        tellings::keep_answer(connection, attempt, sent, &answer.body, &reading, came)?;
    }
    connection
        .prepare_cached(
            "INSERT INTO readings (attempt, meaning, post, account, retry_ns, date_ns, differs, rules)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            attempt.0,
            word(reading.meaning)?,
            reading.post.map(|post| post.to_string()),
            reading.account,
            reading.retry_at.map(|at| at.0),
            reading.date.map(|at| at.0),
            reading.differs,
            outcome::RULES,
        ])?;
    let (workspace, ours): (i64, bool) = connection
        .prepare_cached(
            "SELECT coalesce(w.same_as, w.id), a.import IS NULL
             FROM attempts AS a JOIN workspaces AS w ON w.id = a.workspace WHERE a.id = ?",
        )?
        .query_row([attempt.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
    if let Some(until) = waits::asked(answer.status, reading.retry_at, came).filter(|_| ours) {
        waits::remember(connection, WorkspaceId(workspace), until, came)?;
    }
    if let Some(date) = reading.date {
        compare_clocks(connection, WorkspaceId(workspace), came, date, ours)?;
    }
    Ok(())
}

/// Reads every stored answer anew, for a log that was saved from a damaged one. Where the bytes of an answer are lost
/// what was read of them before stays; where that is lost, too, the status alone speaks.
///
/// # Errors
/// `Storage` if the log cannot be read or written.
pub(super) fn read_answers_again(connection: &Connection, contract: &Contract) -> Result<()> {
    let mut statement = connection.prepare(
        "SELECT r.attempt, a.path, r.status, r.headers, r.at_ns, c.coding, c.bytes, s.coding, s.bytes
         FROM results AS r JOIN attempts AS a ON a.id = r.attempt
         LEFT JOIN contents AS c ON c.hash = r.body LEFT JOIN contents AS s ON s.hash = a.body
         WHERE r.status IS NOT NULL AND (c.hash IS NOT NULL OR r.attempt NOT IN (SELECT attempt FROM readings))
         ORDER BY r.at_ns, r.attempt",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let bytes = |at: usize| match row.get::<_, Option<String>>(at)? {
            Some(coding) => unpack(&coding, row.get(at + 1)?),
            None => Ok(Vec::new()),
        };
        let (attempt, path): (i64, String) = (row.get(0)?, row.get(1)?);
        let headers = serde_json::from_str(&row.get::<_, String>(3)?).unwrap_or_default();
        let answer = Answer { status: row.get(2)?, headers, body: bytes(5)? };
        connection.execute("DELETE FROM readings WHERE attempt = ?", [attempt])?;
        let came = (&answer, Moment(row.get(4)?));
        keep_reading(connection, AttemptId(attempt), &path, &bytes(7)?, came, contract)?;
    }
    Ok(())
}

/// Keeps by how much the server's clock, at `date`, is ahead of ours, at `at`. An answer that came just now always
/// counts, for our clock may have been set back since the one before; one that a file tells of only if none told it
/// later.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn compare_clocks(
    connection: &Connection,
    workspace: WorkspaceId,
    at: Moment,
    date: Moment,
    just_now: bool,
) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO clocks (workspace, at_ns, ahead_ns) VALUES (?1, ?2, ?3)
             ON CONFLICT (workspace) DO UPDATE SET at_ns = ?2, ahead_ns = ?3 WHERE ?4 OR at_ns <= ?2",
        )?
        .execute(params![workspace.0, at.0, date.0.saturating_sub(at.0), just_now])?;
    Ok(())
}

/// Appends that a person stopped the job.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn insert_cancelled(connection: &Connection, mark: &JobMark, at: Moment) -> Result<()> {
    connection
        .prepare_cached("INSERT INTO notes (at_ns, job, action, text) VALUES (?, ?, 'cancelled', '')")?
        .execute(params![at.0, mark.as_str()])?;
    Ok(())
}

/// Judges the job anew and stores the word. `held` as in [`outcome::judge`].
///
/// # Errors
/// `Storage` if the log cannot be read or written.
pub fn judge(connection: &Connection, job: JobId, held: bool, now: Moment, contract: &Contract) -> Result<Judged> {
    let facts = job_facts::written(connection, job)?;
    let judged = outcome::judge(&facts, held, job_facts::newest_written(connection)?, now, contract);
    connection
        .prepare_cached(
            "UPDATE job_states SET state = ?2, outcome = ?3, post = ?4, next_ns = ?5, place = ?6, rules = ?7
             WHERE job = ?1",
        )?
        .execute(params![
            job.0,
            word(judged.state)?,
            word(judged.outcome)?,
            judged.post.as_ref().map(|post| post.as_str()),
            // Only what is sent by itself is ever due; for an imported job the next try is worked out when it is shown.
            judged.next_at.filter(|_| facts.origin == Origin::Local).map(|at| at.0),
            place(judged.state),
            outcome::RULES,
        ])?;
    Ok(judged)
}

/// As [`judge`], for the job of that name if there is one.
///
/// # Errors
/// `Storage` if the log cannot be read or written.
pub fn judge_named(connection: &Connection, mark: &JobMark, now: Moment, contract: &Contract) -> Result<()> {
    find(connection, mark)?.map_or(Ok(()), |job| judge(connection, job, false, now, contract).map(drop))
}

/// What needs a person comes first (0), then what is under way (1), then what is done (2) (design 8).
#[must_use]
pub const fn place(state: State) -> i64 {
    match state {
        State::Draft | State::Unknown | State::Refused | State::Stopped => 0,
        State::Waiting | State::Sending => 1,
        State::Done | State::Cancelled => 2,
    }
}

/// The group of [`job_facts::Place`] that a state belongs to.
#[must_use]
pub const fn group(state: State) -> i64 {
    match (place(state), state) {
        (0, State::Unknown) => 0,
        (place, _) => place + 1,
    }
}

/// The word of a status as it stands in tables, or a list as its JSON.
pub(super) fn word(value: impl serde::Serialize) -> Result<String> {
    let problem = |cause| crate::error::Error::caused(crate::error::Code::Internal, "A value has no JSON form.", cause);
    match serde_json::to_value(value).map_err(problem)? {
        serde_json::Value::String(text) => Ok(text),
        other => Ok(other.to_string()),
    }
}

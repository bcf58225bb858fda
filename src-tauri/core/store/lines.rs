//! The whole log as log lines in time order, one row in memory at a time. Lines of one instant stand in the order
//! arrival, attempt, observation, note, and among equals by what they hold, never by row number: equal content gives
//! equal output.

use futures_util::{
    StreamExt as _, TryStreamExt as _,
    stream::{BoxStream, Peekable},
};
use sqlx::{AssertSqlSafe, Row, SqlitePool, sqlite::SqliteRow};

use super::{
    attempts,
    packed::{unpack, unpack_json},
};
use crate::{
    clock::Moment,
    error::{Code, Error, Result},
    ids::{AccountId, EventId, JobMark, PostId, Resource},
    import::{
        aged::{Aged, Kept},
        lines::{ArrivalLine, BodyField, Headers, Line, NoteLine, ObservationLine},
    },
    pozy::secrecy::Source,
};

const ARRIVALS: &str = "
    SELECT a.seq, a.import, a.at_ns, a.signature, a.answer, coalesce(a.took_ms, w.took_ms) AS took_ms, a.headers,
        a.flags LIKE '%verified_later%' AS verified_later, b.coding, b.bytes,
        a.event, iif(b.seq IS NULL, a.body_len, 0) AS aged, e.name, e.happened, e.resource, e.nature, e.news, e.platform, e.account,
        iif(e.happened_ns IS NULL,
            (SELECT min(t.event, e.event) FROM events t WHERE t.resource = e.resource AND t.happened_ns IS NULL
             AND t.twin = e.twin AND t.name = e.name AND t.event <> e.event ORDER BY t.event LIMIT 1),
            (SELECT min(t.event, e.event) FROM events t WHERE t.happened_ns = e.happened_ns AND t.resource = e.resource
             AND t.twin = e.twin AND t.name = e.name AND t.event <> e.event ORDER BY t.event LIMIT 1)) AS twin
    FROM arrivals a LEFT JOIN bodies b ON b.seq = a.seq LEFT JOIN answers w ON w.seq = a.seq
        LEFT JOIN events e ON e.event = a.event AND a.aside IS NULL AND b.seq IS NULL AND a.body_len > 0";

/// An arrival without a standing was set aside and counts in another row since its signature was found valid.
const STANDS: &str = "EXISTS (SELECT 1 FROM standings s WHERE s.seq = a.seq)";

/// Order of arrivals of one instant, the same on every computer.
const BY_ARRIVAL: &str = "ORDER BY a.at_ns, a.event, a.tie";

const OBSERVATIONS: &str = "
    SELECT o.id, o.import, o.at_ns, w.name, o.path, o.status, c.coding, c.bytes
    FROM observations o LEFT JOIN workspaces w ON w.id = o.workspace LEFT JOIN contents c ON c.hash = o.body";

const BY_FETCH: &str = "ORDER BY o.at_ns, o.path, o.status, o.body";

const NOTES: &str = "SELECT at_ns, job, post, action, text, there, import, id FROM notes ORDER BY at_ns, job, post, action, text, there";

/// A line, and whose placeholders stand in it.
pub type Sourced = (Line, Source);

type Lines<'a> = BoxStream<'a, Result<Sourced>>;

/// Hands every line of the log to `give`, oldest first, until `give` refuses.
///
/// # Errors
/// `Storage` if a row cannot be read, or what `give` returned.
pub async fn each(pool: &SqlitePool, mut give: impl FnMut(Line, Source) -> Result<()>) -> Result<()> {
    let (by_arrival, by_fetch) =
        (format!("{ARRIVALS} WHERE {STANDS} {BY_ARRIVAL}"), format!("{OBSERVATIONS} {BY_FETCH}"));
    let by_attempt = format!("{} ORDER BY a.at_ns, j.mark, a.n, a.body", attempts::LISTED);
    let mut sources = [
        rows(pool, &by_arrival, arrival).peekable(),
        rows(pool, &by_attempt, attempt).peekable(),
        rows(pool, &by_fetch, observation).peekable(),
        rows(pool, NOTES, note).peekable(),
    ];
    while let Some(next) = earliest(&mut sources).await {
        if let Some(line) = sources[next].next().await {
            let (line, source) = line?;
            give(line, source)?;
        }
    }
    Ok(())
}

/// The source whose next line is the earliest; a source that fails comes first, so that its failure is heard.
async fn earliest(sources: &mut [Peekable<Lines<'_>>; 4]) -> Option<usize> {
    let mut first: Option<(Moment, usize)> = None;
    for (index, source) in sources.iter_mut().enumerate() {
        let at = match std::pin::Pin::new(source).peek().await {
            Some(Ok((line, _))) => line.at(),
            Some(Err(_)) => return Some(index),
            None => continue,
        };
        if first.is_none_or(|(earliest, _)| at < earliest) {
            first = Some((at, index));
        }
    }
    first.map(|(_, index)| index)
}

/// The arrivals that count of one event, at most `limit`, by time.
///
/// # Errors
/// `Storage` if a row cannot be read.
pub async fn of_event(pool: &SqlitePool, event: &EventId, limit: u32) -> Result<Vec<Sourced>> {
    let sql = format!("{ARRIVALS} WHERE a.seq IN (SELECT seq FROM arrived WHERE event = ?) {BY_ARRIVAL} LIMIT ?");
    let query = sqlx::query(AssertSqlSafe(sql)).bind(event.as_str()).bind(i64::from(limit));
    query.fetch_all(pool).await?.iter().map(arrival).collect()
}

/// All tries of one job, by time.
///
/// # Errors
/// `Storage` if a row cannot be read.
pub async fn of_job(pool: &SqlitePool, job: &JobMark) -> Result<Vec<Sourced>> {
    let sql = format!("{} WHERE j.mark = ? ORDER BY a.at_ns, a.n, a.body", attempts::LISTED);
    sqlx::query(AssertSqlSafe(sql)).bind(job.as_str()).fetch_all(pool).await?.iter().map(attempt).collect()
}

/// The fetches that say something of one of these posts, each once, by time.
///
/// # Errors
/// `Storage` if a row cannot be read.
pub async fn of_posts(pool: &SqlitePool, posts: &[PostId]) -> Result<Vec<Sourced>> {
    let resources: Vec<Resource> = posts.iter().map(Resource::post).collect();
    let names = serde_json::to_string(&resources)
        .map_err(|cause| Error::caused(Code::Internal, "A list has no JSON form.", cause))?;
    let sql = format!(
        "{OBSERVATIONS} WHERE o.id IN (SELECT s.observation FROM json_each(?) AS n JOIN sightings AS s ON s.resource = n.value) {BY_FETCH}"
    );
    sqlx::query(AssertSqlSafe(sql)).bind(names).fetch_all(pool).await?.iter().map(observation).collect()
}

fn rows<'a>(pool: &'a SqlitePool, sql: &str, read: fn(&SqliteRow) -> Result<Sourced>) -> Lines<'a> {
    sqlx::query(AssertSqlSafe(sql.to_owned()))
        .fetch(pool)
        .map_err(Error::from)
        .and_then(move |row| async move { read(&row) })
        .boxed()
}

/// The import a row came by, or else what masked it here.
fn source(row: &SqliteRow, here: Source) -> Result<Source> {
    Ok(row.try_get::<Option<i64>, _>("import")?.map_or(here, Source::Import))
}

fn arrival(row: &SqliteRow) -> Result<Sourced> {
    let source = source(row, Source::Arrival(row.try_get("seq")?))?;
    let line = ArrivalLine {
        at: Moment(row.try_get("at_ns")?),
        took_ms: row.try_get("took_ms")?,
        answer: row.try_get("answer")?,
        signature: Some(word(row.try_get("signature")?)?),
        verified_later: row.try_get("verified_later")?,
        headers: pairs(&unpack_json(row.try_get("headers")?)?)?,
        body: body(row, "coding", "bytes")?,
        aged: aged(row)?,
    };
    Ok((Line::Arrival(line), source))
}

/// What is left of an arrival whose body has aged out; none if it has its body, or never had one.
fn aged(row: &SqliteRow) -> Result<Option<Aged>> {
    let body_len: i64 = row.try_get("aged")?;
    if body_len == 0 {
        return Ok(None);
    }
    let kept = match row.try_get::<Option<String>, _>("name")? {
        Some(name) => Some(Kept {
            name,
            happened_at: row.try_get("happened")?,
            resource: Resource::new(row.try_get::<String, _>("resource")?),
            nature: word(row.try_get("nature")?)?,
            news: serde_json::from_str(row.try_get("news")?)
                .map_err(|cause| Error::caused(Code::Storage, DAMAGED, cause))?,
            platform: row.try_get("platform")?,
            account: row.try_get::<Option<String>, _>("account")?.map(AccountId::new),
            twin_of: row.try_get("twin")?,
        }),
        None => None,
    };
    Ok(Some(Aged { body_len, event: row.try_get("event")?, kept }))
}

fn attempt(row: &SqliteRow) -> Result<Sourced> {
    let record = attempts::record(row)?;
    let source = record.source();
    Ok((Line::Attempt(record.into()), source))
}

fn observation(row: &SqliteRow) -> Result<Sourced> {
    let source = source(row, Source::Observation(row.try_get("id")?))?;
    let line = ObservationLine {
        at: Moment(row.try_get("at_ns")?),
        workspace: row.try_get("name")?,
        path: row.try_get("path")?,
        status: row.try_get("status")?,
        body: body(row, "coding", "bytes")?,
    };
    Ok((Line::Observation(line), source))
}

fn note(row: &SqliteRow) -> Result<Sourced> {
    let source = source(row, Source::Note(row.try_get("id")?))?;
    let line = NoteLine {
        at: Moment(row.try_get("at_ns")?),
        job: row.try_get("job")?,
        post: row.try_get("post")?,
        action: row.try_get("action")?,
        text: row.try_get("text")?,
        there: row.try_get("there")?,
    };
    Ok((Line::Note(line), source))
}

fn body(row: &SqliteRow, coding: &str, bytes: &str) -> Result<BodyField> {
    match row.try_get::<Option<&str>, _>(coding)? {
        Some(coding) => Ok(BodyField::of(Some(&unpack(coding, row.try_get(bytes)?)?))),
        None => Ok(BodyField::of(None)),
    }
}

fn pairs(json: &[u8]) -> Result<Headers> {
    serde_json::from_slice(json).map(Headers).map_err(|cause| Error::caused(Code::Storage, DAMAGED, cause))
}

pub(super) fn word<T: serde::de::DeserializeOwned>(word: &str) -> Result<T> {
    use serde::de::{IntoDeserializer as _, value::StrDeserializer};
    let word: StrDeserializer<'_, serde_json::Error> = word.into_deserializer();
    T::deserialize(word).map_err(|cause| Error::caused(Code::Storage, DAMAGED, cause))
}

pub(super) const DAMAGED: &str = "A row of the log cannot be read as it is; `reprise doctor` says more.";

#[cfg(test)]
mod tests {
    use super::*;

    use crate::import::lines::SignatureWord;

    #[test]
    fn words_of_the_table_are_words_of_the_lines() {
        for (text, known) in [
            ("valid", SignatureWord::Valid),
            ("invalid", SignatureWord::Invalid),
            ("missing", SignatureWord::Missing),
            ("unchecked", SignatureWord::Unchecked),
        ] {
            assert_eq!(word::<SignatureWord>(text).unwrap(), known);
        }
        assert!(word::<SignatureWord>("gone").is_err());
    }
}

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
    import::lines::{ArrivalLine, BodyField, Headers, Line, NoteLine, ObservationLine},
};

const ARRIVALS: &str = "
    SELECT a.at_ns, a.signature, a.answer, coalesce(a.took_ms, w.took_ms) AS took_ms, a.headers, b.coding, b.bytes
    FROM arrivals a LEFT JOIN bodies b ON b.seq = a.seq LEFT JOIN answers w ON w.seq = a.seq
    ORDER BY a.at_ns, a.event, a.tie";

const OBSERVATIONS: &str = "
    SELECT o.at_ns, w.name, o.path, o.status, c.coding, c.bytes
    FROM observations o LEFT JOIN workspaces w ON w.id = o.workspace LEFT JOIN contents c ON c.hash = o.body
    ORDER BY o.at_ns, o.path, o.status, o.body";

const NOTES: &str = "SELECT at_ns, job, post, action, text FROM notes ORDER BY at_ns, job, post, action, text";

type Lines<'a> = BoxStream<'a, Result<Line>>;

/// Hands every line of the log to `give`, oldest first, until `give` refuses.
///
/// # Errors
/// `Storage` if a row cannot be read, or what `give` returned.
pub async fn each(pool: &SqlitePool, mut give: impl FnMut(Line) -> Result<()>) -> Result<()> {
    let by_attempt = format!("{} ORDER BY a.at_ns, j.mark, a.n, a.body", attempts::LISTED);
    let mut sources = [
        rows(pool, ARRIVALS, arrival).peekable(),
        rows(pool, &by_attempt, attempt).peekable(),
        rows(pool, OBSERVATIONS, observation).peekable(),
        rows(pool, NOTES, note).peekable(),
    ];
    while let Some(next) = earliest(&mut sources).await {
        if let Some(line) = sources[next].next().await {
            give(line?)?;
        }
    }
    Ok(())
}

/// The source whose next line is the earliest; a source that fails comes first, so that its failure is heard.
async fn earliest(sources: &mut [Peekable<Lines<'_>>; 4]) -> Option<usize> {
    let mut first: Option<(Moment, usize)> = None;
    for (index, source) in sources.iter_mut().enumerate() {
        let at = match std::pin::Pin::new(source).peek().await {
            Some(Ok(line)) => line.at(),
            Some(Err(_)) => return Some(index),
            None => continue,
        };
        if first.is_none_or(|(earliest, _)| at < earliest) {
            first = Some((at, index));
        }
    }
    first.map(|(_, index)| index)
}

fn rows<'a>(pool: &'a SqlitePool, sql: &str, read: fn(&SqliteRow) -> Result<Line>) -> Lines<'a> {
    sqlx::query(AssertSqlSafe(sql.to_owned()))
        .fetch(pool)
        .map_err(Error::from)
        .and_then(move |row| async move { read(&row) })
        .boxed()
}

fn arrival(row: &SqliteRow) -> Result<Line> {
    Ok(Line::Arrival(ArrivalLine {
        at: Moment(row.try_get("at_ns")?),
        took_ms: row.try_get("took_ms")?,
        answer: row.try_get("answer")?,
        signature: Some(word(row.try_get("signature")?)?),
        headers: pairs(&unpack_json(row.try_get("headers")?)?)?,
        body: body(row, "coding", "bytes")?,
    }))
}

fn attempt(row: &SqliteRow) -> Result<Line> {
    Ok(Line::Attempt(attempts::record(row)?.into()))
}

fn observation(row: &SqliteRow) -> Result<Line> {
    Ok(Line::Observation(ObservationLine {
        at: Moment(row.try_get("at_ns")?),
        workspace: row.try_get("name")?,
        path: row.try_get("path")?,
        status: row.try_get("status")?,
        body: body(row, "coding", "bytes")?,
    }))
}

fn note(row: &SqliteRow) -> Result<Line> {
    Ok(Line::Note(NoteLine {
        at: Moment(row.try_get("at_ns")?),
        job: row.try_get("job")?,
        post: row.try_get("post")?,
        action: row.try_get("action")?,
        text: row.try_get("text")?,
    }))
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

//! What the Timeline asks of lanes with too many messages to draw them one by one: counts in bins with the shares of those
//! that were late, came again or tell of a failure, and single ones while they are few (design 11, P4).

use sqlx::{AssertSqlSafe, Row, SqlitePool, sqlite::SqliteRow};

use super::timeline::{Drawn, Span, TELLING, drawn, drawn_from};
use crate::{
    clock::Moment,
    error::Result,
    ids::{Lane, Resource},
};

/// How many arrivals make no event, no further than `?3`.
pub(super) const MANY_ASIDE: &str =
    "SELECT count(*) FROM (SELECT 1 FROM arrivals WHERE aside IS NOT NULL AND at_ns BETWEEN ?1 AND ?2 LIMIT ?3)";
/// The same, in bins of `?3` milliseconds.
pub(super) const ASIDE_BINS: &str = "SELECT '', min(at_ns), max(at_ns), count(*), 0, 0, 0, 0 FROM arrivals
    WHERE aside IS NOT NULL AND at_ns BETWEEN ?1 AND ?2 GROUP BY at_ns / 1000000 / ?3";

/// One crowd of messages that first arrived in a span, by the lane they are drawn in, in bins of `?3` milliseconds.
pub(super) fn crowd_sql(of: Crowd<'_>) -> String {
    format!(
        "SELECT home, min(first_ns), max(first_ns), count(*), sum(placing = 'late'), sum(arrivals > 1), \
         sum(coalesce(said, '') IN ('failed', 'partial')), sum({TELLING}) \
         FROM events WHERE {} AND first_ns BETWEEN ?1 AND ?2 GROUP BY home, first_ns / 1000000 / ?3 ORDER BY 1, 2",
        of.cut()
    )
}

/// Those of a crowd that tell something.
pub(super) fn telling_sql(of: Crowd<'_>) -> String {
    let cut = of.cut();
    drawn_from(&format!(
        "events WHERE {cut} AND first_ns BETWEEN ?1 AND ?2 AND {TELLING} AND ?3 IS NOT NULL ORDER BY first_ns, event"
    ))
}

/// Messages of which there are too many to draw them one by one.
#[derive(Clone, Copy, Debug)]
pub enum Crowd<'a> {
    /// Those of a resource.
    Of(&'a Resource),
    /// Tests.
    Tests,
}

impl Crowd<'_> {
    const fn cut(self) -> &'static str {
        match self {
            Self::Of(_) => "resource = ?4 AND nature <> 'test'",
            // The first term is that of the partial index, word for word.
            Self::Tests => "nature = 'test' AND last_ns >= ?1 AND ?4 IS NULL",
        }
    }

    fn name(self) -> Option<String> {
        match self {
            Self::Of(resource) => Some(resource.to_string()),
            Self::Tests => None,
        }
    }
}

/// Messages of one lane that arrived near each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heap {
    /// The lane; empty for arrivals that make no event.
    pub home: Lane,
    /// The first arrival of the first of them.
    pub from: Moment,
    /// That of the last of them.
    pub to: Moment,
    /// How many.
    pub count: i64,
    /// Of them, overtaken ones.
    pub late: i64,
    /// Of them, those that came again.
    pub again: i64,
    /// Of them, those that tell of a failure.
    pub failed: i64,
    /// Of them, those that tell anything beside an ordinary step.
    pub telling: i64,
}

fn heap(row: &SqliteRow) -> Heap {
    Heap {
        home: Lane::new(row.get::<String, _>(0)),
        from: Moment(row.get(1)),
        to: Moment(row.get(2)),
        count: row.get(3),
        late: row.get(4),
        again: row.get(5),
        failed: row.get(6),
        telling: row.get(7),
    }
}

/// Counts a crowd in bins.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn crowd(pool: &SqlitePool, of: Crowd<'_>, span: Span, bin_ms: i64) -> Result<Vec<Heap>> {
    let query =
        sqlx::query(AssertSqlSafe(crowd_sql(of))).bind(span.from.0).bind(span.to.0).bind(bin_ms).bind(of.name());
    Ok(query.fetch_all(pool).await?.iter().map(heap).collect())
}

/// Those of a crowd that tell something beside an ordinary step.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn telling(pool: &SqlitePool, of: Crowd<'_>, span: Span) -> Result<Vec<Drawn>> {
    let query = sqlx::query(AssertSqlSafe(telling_sql(of))).bind(span.from.0).bind(span.to.0).bind(0).bind(of.name());
    query.fetch_all(pool).await?.iter().map(drawn).collect()
}

/// How many arrivals of the span make no event, counted up to `most`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn many_aside(pool: &SqlitePool, span: Span, most: i64) -> Result<i64> {
    Ok(sqlx::query(MANY_ASIDE).bind(span.from.0).bind(span.to.0).bind(most).fetch_one(pool).await?.get(0))
}

/// Counts them in bins.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn aside_bins(pool: &SqlitePool, span: Span, bin_ms: i64) -> Result<Vec<Heap>> {
    let query = sqlx::query(ASIDE_BINS).bind(span.from.0).bind(span.to.0).bind(bin_ms);
    Ok(query.fetch_all(pool).await?.iter().map(heap).collect())
}

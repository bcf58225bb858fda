//! The list of the Events screen: events and arrivals set aside in one order, last arrival first, so that a late copy
//! comes up (design 8).

use sqlx::{AssertSqlSafe, SqlitePool};

use super::listing::{ARRIVALS, ArrivalRow, EVENTS, EventRow, arrival_row, event_row};
use crate::error::{Error, Result};

/// Only one kind of row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Only {
    /// Events that came more than once.
    Copies,
    /// Overtaken events.
    Late,
    /// Events of one instant that contradict each other.
    Ties,
    /// Tests.
    Tests,
    /// Arrivals that make no event.
    SetAside,
}

/// One row of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listed {
    /// An event.
    Event(Box<EventRow>),
    /// An arrival that makes no event.
    Aside(Box<ArrivalRow>),
}

/// A part of the list.
#[derive(Clone, Debug)]
pub struct Page {
    /// The rows.
    pub rows: Vec<Listed>,
    /// Give it back for the next part; none at the end.
    pub next: Option<String>,
}

/// Place of a row in the list, written as `<nanoseconds>:<kind>:<id>`. Where times are equal, events come first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Aside(i64, i64),
    Event(i64, String),
}

impl Place {
    pub(super) const fn ns(&self) -> i64 {
        match self {
            Self::Aside(ns, _) | Self::Event(ns, _) => *ns,
        }
    }

    pub(super) fn of(row: &Listed) -> Self {
        match row {
            Listed::Event(row) => Self::Event(row.last_arrived.0, row.event.to_string()),
            Listed::Aside(row) => Self::Aside(row.arrived.0, row.seq.0),
        }
    }

    /// What the list is ordered by, newest last.
    pub(super) const fn key(&self) -> (i64, &Self) {
        (self.ns(), self)
    }

    pub(super) fn read(text: &str) -> Option<Self> {
        let (ns, rest) = text.split_once(':')?;
        let ns = ns.parse().ok()?;
        match rest.split_once(':')? {
            ("aside", seq) => Some(Self::Aside(ns, seq.parse().ok()?)),
            ("event", event) => Some(Self::Event(ns, event.to_owned())),
            _ => None,
        }
    }

    pub(super) fn write(&self) -> String {
        match self {
            Self::Aside(ns, seq) => format!("{ns}:aside:{seq}"),
            Self::Event(ns, event) => format!("{ns}:event:{event}"),
        }
    }
}

/// Up to `limit` rows from after `after`, the `next` of the part before.
///
/// # Errors
/// `Usage` if `after` is none of ours, `Storage` if the log cannot be read.
pub async fn page(pool: &SqlitePool, after: Option<&str>, limit: u32, only: Option<Only>) -> Result<Page> {
    let after = match after {
        Some(text) => Some(Place::read(text).ok_or_else(|| Error::usage("That page of the events does not exist."))?),
        None => None,
    };
    let mut rows = Vec::new();
    if only != Some(Only::SetAside) {
        rows.extend(events(pool, after.as_ref(), limit, only).await?);
    }
    if matches!(only, None | Some(Only::SetAside)) {
        rows.extend(set_aside(pool, after.as_ref(), limit).await?);
    }
    rows.sort_by(|one, other| Place::of(other).key().cmp(&Place::of(one).key()));
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = rows.len() >= limit;
    rows.truncate(limit);
    let next = if more { rows.last().map(|row| Place::of(row).write()) } else { None };
    Ok(Page { rows, next })
}

async fn events(pool: &SqlitePool, after: Option<&Place>, limit: u32, only: Option<Only>) -> Result<Vec<Listed>> {
    // The terms are those of the partial indexes, word for word.
    let filter = match only {
        Some(Only::Copies) => "e.arrivals > 1",
        Some(Only::Late) => "e.placing = 'late'",
        Some(Only::Ties) => "e.placing = 'tie'",
        Some(Only::Tests) => "e.nature = 'test'",
        Some(Only::SetAside) | None => "true",
    };
    let (ns, event) = match after {
        Some(Place::Event(ns, event)) => (*ns, event.as_str()),
        Some(Place::Aside(ns, _)) => (*ns, ""),
        None => (i64::MAX, "\u{10ffff}"),
    };
    let sql = format!(
        "{EVENTS} WHERE {filter} AND (e.last_ns, e.event) < (?, ?) ORDER BY e.last_ns DESC, e.event DESC LIMIT ?"
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(ns).bind(event).bind(i64::from(limit));
    query.fetch_all(pool).await?.iter().map(|row| Ok(Listed::Event(Box::new(event_row(row)?)))).collect()
}

async fn set_aside(pool: &SqlitePool, after: Option<&Place>, limit: u32) -> Result<Vec<Listed>> {
    let (ns, seq) = match after {
        Some(Place::Aside(ns, seq)) => (*ns, *seq),
        Some(Place::Event(ns, _)) => (*ns, i64::MAX),
        None => (i64::MAX, i64::MAX),
    };
    let sql = format!(
        "{ARRIVALS} WHERE a.aside IS NOT NULL AND (a.at_ns, a.seq) < (?, ?) ORDER BY a.at_ns DESC, a.seq DESC LIMIT ?"
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(ns).bind(seq).bind(i64::from(limit));
    query.fetch_all(pool).await?.iter().map(|row| Ok(Listed::Aside(Box::new(arrival_row(row)?)))).collect()
}

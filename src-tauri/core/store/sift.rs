//! The filtered list of the Events screen: the same rows in the same order as [`super::pages`], looked through in
//! slices of bounded work. A slice that finds little still says how far it looked, so that a screen can show its
//! progress, go on, or stop (design 8). Where an index knows the answer, only rows that fit are looked at.

use std::collections::HashSet;

use sqlx::{QueryBuilder, Row, Sqlite, SqlitePool, sqlite::SqliteRow};

use super::{
    listing::{self, ARRIVALS, EventRow, arrival_row},
    packed,
    pages::{Listed, Only, Place},
    search,
};
use crate::{
    clock::Moment,
    error::{Error, Result},
    ids::{AccountId, EventId, Resource, Seq},
    pozy::text,
    search::{fit, typed::Typed},
};

/// Rows that one slice looks at: few at first, since a page is mostly found among them.
const LOOK: [usize; 3] = [250, 2_000, 8_000];
/// The same where bodies and headers have to be unpacked.
const LOOK_INSIDE: usize = 1_000;
/// Arrivals that the index of words gives at once, and how often at most it is asked for one answer.
const WORDS_AT_ONCE: u32 = 200;
const WORDS_ASKED: usize = 10;

/// What a row must be to be shown. Terms that are not set hold for every row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only one kind.
    pub only: Option<Only>,
    /// Exact name of the event.
    pub name: Option<String>,
    /// Platform it speaks of.
    pub platform: Option<String>,
    /// Account it speaks of.
    pub account: Option<AccountId>,
    /// What it is about.
    pub resource: Option<Resource>,
    /// Cause of any of its copies.
    pub cause: Option<String>,
    /// Late by at least this, milliseconds.
    pub late_ms: Option<i64>,
    /// Last arrived at or after this moment.
    pub from: Option<Moment>,
    /// Last arrived at or before this moment.
    pub to: Option<Moment>,
    /// Stands in its ids, names, words, body or headers, as a search reads it.
    pub text: Option<String>,
}

impl Filter {
    /// True if the event fits, apart from the text and the cause.
    fn admits(&self, row: &EventRow) -> bool {
        let is = |wanted: &Option<String>, there: Option<&str>| wanted.is_none() || wanted.as_deref() == there;
        let only = match self.only {
            None => true,
            Some(Only::Copies) => row.arrivals > 1,
            Some(Only::Late) => row.placing == "late",
            Some(Only::Ties) => row.placing == "tie",
            Some(Only::Tests) => row.nature == "test",
            Some(Only::SetAside) => false,
        };
        only && is(&self.name, Some(&row.name))
            && is(&self.platform, row.platform.as_deref())
            && (self.account.is_none() || self.account == row.account)
            && self.resource.as_ref().is_none_or(|resource| *resource == row.resource)
            && self.late_ms.is_none_or(|least| row.late_by_ms.is_some_and(|late| late >= least))
            && self.from.is_none_or(|from| row.last_arrived >= from)
            && self.to.is_none_or(|to| row.last_arrived <= to)
    }

    /// True if the row of an arrival set aside may fit: it makes no event, so what it claims is not believed.
    fn admits_asides(&self) -> bool {
        matches!(self.only, None | Some(Only::SetAside))
            && self.name.is_none()
            && self.platform.is_none()
            && self.account.is_none()
            && self.resource.is_none()
            && self.cause.is_none()
            && self.late_ms.is_none()
    }
}

/// What one slice found.
#[derive(Clone, Debug)]
pub struct Sifted {
    /// Rows that fit, in the order of the list.
    pub rows: Vec<Listed>,
    /// Give it back to look further; none at the end of the log.
    pub next: Option<String>,
    /// The last arrival of the last row looked at; none if nothing was there to look at.
    pub reached: Option<Moment>,
}

/// The bounds of a slice: rows behind `after`, and before `since` is reached.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds<'a> {
    /// The `next` of the slice before.
    pub after: Option<&'a str>,
    /// A place in front of which nothing is looked at: only what came since.
    pub since: Option<&'a str>,
}

/// A row that may fit.
struct Candidate {
    place: Place,
    fits: bool,
}

/// Looks through one slice and gives up to `limit` rows that fit.
///
/// # Errors
/// `Usage` if a bound is none of ours, `Storage` if the log cannot be read.
pub async fn sift(pool: &SqlitePool, filter: &Filter, bounds: Bounds<'_>, limit: usize) -> Result<Sifted> {
    let after = place(bounds.after)?;
    let since = place(bounds.since)?;
    let typed = filter.text.as_deref().map(Typed::read);
    let ask = |look| Ask { filter, after: after.as_ref(), since: since.as_ref(), typed: typed.as_ref(), look };
    if typed.is_some() {
        return ask(LOOK_INSIDE).slice(pool, limit).await;
    }
    let [first, then, most] = LOOK;
    for look in [first, then] {
        let found = ask(look).slice(pool, limit).await?;
        if found.rows.len() == limit || found.next.is_none() {
            return Ok(found);
        }
    }
    ask(most).slice(pool, limit).await
}

impl Ask<'_> {
    /// Looks through one slice of `look` rows.
    async fn slice(&self, pool: &SqlitePool, limit: usize) -> Result<Sifted> {
        let mut candidates = Vec::new();
        if self.filter.only != Some(Only::SetAside) {
            candidates.extend(self.events(pool).await?);
        }
        if self.filter.admits_asides() {
            candidates.extend(self.set_aside(pool).await?);
        }
        candidates.sort_by(|one, other| other.place.key().cmp(&one.place.key()));
        let more = candidates.len() >= self.look;
        candidates.truncate(self.look);

        let fitting = candidates.iter().enumerate().filter(|(_, candidate)| candidate.fits).map(|(at, _)| at);
        let wanted: Vec<usize> = fitting.take(limit).collect();
        let full = wanted.len() == limit && wanted.last().is_some_and(|last| more || last + 1 < candidates.len());
        let end = if full { wanted.last().map_or(0, |last| last + 1) } else { candidates.len() };
        let last = candidates.get(end.wrapping_sub(1));
        let next = last.filter(|_| full || more).map(|candidate| candidate.place.write());
        let reached = last.map(|candidate| Moment(candidate.place.ns()));
        let mut rows = Vec::with_capacity(wanted.len());
        for at in wanted {
            // A row that moved up meanwhile stands in front of this slice now; it is met again there.
            rows.extend(whole(pool, &candidates[at].place).await?);
        }
        Ok(Sifted { rows, next, reached })
    }
}

/// Up to `limit` events whose words fit the filter's text by the index of words, in the order of the list. Those that
/// were recorded last are taken first; what else stands in a row, and what the index has not read yet, is left to
/// [`sift`], which finds all of these, too.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn by_words(pool: &SqlitePool, filter: &Filter, limit: usize) -> Result<Vec<Listed>> {
    let typed = filter.text.as_deref().map(Typed::read).unwrap_or_default();
    let Some(expression) = typed.expression() else { return Ok(Vec::new()) };
    let (mut met, mut rows, mut below) = (HashSet::new(), Vec::new(), Seq(i64::MAX));
    for _ in 0..WORDS_ASKED {
        // Given back before the rows are read: whoever holds one connection and waits for another may wait for good.
        let found = search::messages(&mut *pool.acquire().await?, &expression, below, WORDS_AT_ONCE).await?;
        for arrived in &found {
            let Some(event) = arrived.event.as_ref().filter(|_| typed.narrow.admits(&arrived.row())) else { continue };
            if rows.len() == limit || !met.insert(event.clone()) {
                continue;
            }
            let row = listing::event(pool, event).await?.filter(|row| filter.admits(row));
            if let Some(row) = row
                && has_cause(pool, event, filter.cause.as_deref()).await?
            {
                rows.push(Listed::Event(Box::new(row)));
            }
        }
        match found.last().filter(|_| rows.len() < limit && found.len() == WORDS_AT_ONCE as usize) {
            Some(last) => below = last.seq,
            None => break,
        }
    }
    rows.sort_by(|one, other| Place::of(other).key().cmp(&Place::of(one).key()));
    Ok(rows)
}

/// True if a copy of the event came for that cause; no cause is always one of them.
async fn has_cause(pool: &SqlitePool, event: &EventId, cause: Option<&str>) -> Result<bool> {
    let Some(cause) = cause else { return Ok(true) };
    let row = sqlx::query(
        "SELECT EXISTS (SELECT 1 FROM copies AS l JOIN standings AS t ON t.seq = l.seq WHERE l.event = ? AND t.cause = ?)",
    );
    Ok(row.bind(event.as_str()).bind(cause).fetch_one(pool).await?.get(0))
}

/// The ends of the whole list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ends {
    /// Place of the newest row.
    pub newest: String,
    /// Last arrival of the newest row.
    pub newest_at: Moment,
    /// Last arrival of the oldest row.
    pub oldest_at: Moment,
}

/// The newest and the oldest row of the whole list; none in an empty log.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn ends(pool: &SqlitePool) -> Result<Option<Ends>> {
    let row = sqlx::query(
        "SELECT (SELECT last_ns FROM events ORDER BY last_ns DESC, event DESC LIMIT 1),
                (SELECT event FROM events ORDER BY last_ns DESC, event DESC LIMIT 1),
                (SELECT at_ns FROM arrivals WHERE aside IS NOT NULL ORDER BY at_ns DESC, seq DESC LIMIT 1),
                (SELECT seq FROM arrivals WHERE aside IS NOT NULL ORDER BY at_ns DESC, seq DESC LIMIT 1),
                (SELECT last_ns FROM events ORDER BY last_ns LIMIT 1),
                (SELECT at_ns FROM arrivals WHERE aside IS NOT NULL ORDER BY at_ns LIMIT 1)",
    )
    .fetch_one(pool)
    .await?;
    let number = |at: usize| row.get::<Option<i64>, _>(at);
    let event = number(0).zip(row.get::<Option<String>, _>(1)).map(|(ns, event)| Place::Event(ns, event));
    let aside = number(2).zip(number(3)).map(|(ns, seq)| Place::Aside(ns, seq));
    let newest = [event, aside].into_iter().flatten().max_by(|one, other| one.key().cmp(&other.key()));
    let oldest = [number(4), number(5)].into_iter().flatten().min();
    let newest_at = [number(0), number(2)].into_iter().flatten().max();
    Ok(newest.zip(newest_at).zip(oldest).map(|((newest, newest_at), oldest)| Ends {
        newest: newest.write(),
        newest_at: Moment(newest_at),
        oldest_at: Moment(oldest),
    }))
}

fn place(text: Option<&str>) -> Result<Option<Place>> {
    text.map(|text| Place::read(text).ok_or_else(|| Error::usage("That page of the events does not exist.")))
        .transpose()
}

struct Ask<'a> {
    filter: &'a Filter,
    after: Option<&'a Place>,
    since: Option<&'a Place>,
    typed: Option<&'a Typed>,
    look: usize,
}

impl Ask<'_> {
    async fn events(&self, pool: &SqlitePool) -> Result<Vec<Candidate>> {
        let filter = self.filter;
        let mut sql: QueryBuilder<Sqlite> = QueryBuilder::new(
            "SELECT e.event, e.last_ns, e.name, e.platform, e.account, e.resource, e.text, e.late_by_ms",
        );
        match &filter.cause {
            Some(cause) => {
                sql.push(
                    ", EXISTS (SELECT 1 FROM copies l JOIN standings t ON t.seq = l.seq \
                     WHERE l.event = e.event AND t.cause = ",
                );
                sql.push_bind(cause).push(")");
            }
            None => {
                sql.push(", 1");
            }
        }
        if self.typed.is_some() {
            sql.push(
                ", b.coding, b.bytes, a.headers FROM events e LEFT JOIN bodies b ON b.seq = e.counts \
                 LEFT JOIN arrivals a ON a.seq = e.counts",
            );
        } else {
            sql.push(" FROM events e");
        }
        // The first term is that of an index, word for word where the index is partial.
        sql.push(" WHERE ").push(match filter.only {
            Some(Only::Copies) => "e.arrivals > 1",
            Some(Only::Late) => "e.placing = 'late'",
            Some(Only::Ties) => "e.placing = 'tie'",
            Some(Only::Tests) => "e.nature = 'test'",
            Some(Only::SetAside) | None if filter.late_ms.is_some() => "e.placing = 'late'",
            Some(Only::SetAside) | None if filter.cause.is_some() => "e.arrivals > 1",
            Some(Only::SetAside) | None => "true",
        });
        if let Some(name) = &filter.name {
            sql.push(" AND e.name = ").push_bind(name.as_str());
        }
        if let Some(account) = &filter.account {
            sql.push(" AND e.account = ").push_bind(account.as_str());
        }
        if let Some(resource) = &filter.resource {
            sql.push(" AND e.resource = ").push_bind(resource.as_str());
        }
        let (ns, event) = match self.after {
            Some(Place::Event(ns, event)) => (*ns, event.as_str()),
            Some(Place::Aside(ns, _)) => (*ns, ""),
            None => (i64::MAX, "\u{10ffff}"),
        };
        pair(&mut sql, ("e.last_ns", "e.event"), "<", (ns, event));
        if let Some(since) = self.since {
            let (ns, event) = match since {
                Place::Event(ns, event) => (*ns, event.as_str()),
                Place::Aside(ns, _) => (ns.saturating_sub(1), "\u{10ffff}"),
            };
            pair(&mut sql, ("e.last_ns", "e.event"), ">", (ns, event));
        }
        self.within(&mut sql, "e.last_ns");
        sql.push(" ORDER BY e.last_ns DESC, e.event DESC LIMIT ")
            .push_bind(i64::try_from(self.look).unwrap_or(i64::MAX));
        let rows = sql.build().fetch_all(pool).await?;
        rows.iter().map(|row| self.event(row)).collect()
    }

    fn event(&self, row: &SqliteRow) -> Result<Candidate> {
        let filter = self.filter;
        let word = |at: usize| row.get::<Option<String>, _>(at);
        let equal = |wanted: &Option<String>, at: usize| wanted.is_none() || *wanted == word(at);
        let late = filter.late_ms.is_none_or(|least| row.get::<Option<i64>, _>(7).is_some_and(|late| late >= least));
        let mut fits = equal(&filter.platform, 3) && late && row.get::<bool, _>(8);
        if let (true, Some(typed)) = (fits, self.typed) {
            let body = body(row, (9, 10))?;
            let text = body.as_deref().and_then(text::of_body).or_else(|| word(6));
            let mut brought: Vec<String> = body.as_deref().map(fit::readable).into_iter().collect();
            if let Some(headers) = row.get::<Option<Vec<u8>>, _>(11) {
                brought.push(search::header_text(headers)?);
            }
            let (event, name, platform, account, resource) = (word(0), word(2), word(3), word(4), word(5));
            let shown = fit::Row {
                event: event.as_deref(),
                name: name.as_deref(),
                platform: platform.as_deref(),
                account: account.as_deref(),
                resource: resource.as_deref(),
                text: text.as_deref(),
                brought: &brought,
            };
            fits = typed.fit(&shown).is_some();
        }
        Ok(Candidate { place: Place::Event(row.get(1), row.get(0)), fits })
    }

    async fn set_aside(&self, pool: &SqlitePool) -> Result<Vec<Candidate>> {
        let mut sql: QueryBuilder<Sqlite> = QueryBuilder::new("SELECT a.seq, a.at_ns, a.event");
        if self.typed.is_some() {
            sql.push(", b.coding, b.bytes, a.headers FROM arrivals a LEFT JOIN bodies b ON b.seq = a.seq");
        } else {
            sql.push(" FROM arrivals a");
        }
        sql.push(" WHERE a.aside IS NOT NULL");
        let (ns, seq) = match self.after {
            Some(Place::Aside(ns, seq)) => (*ns, *seq),
            Some(Place::Event(ns, _)) => (*ns, i64::MAX),
            None => (i64::MAX, i64::MAX),
        };
        pair(&mut sql, ("a.at_ns", "a.seq"), "<", (ns, seq));
        if let Some(since) = self.since {
            let (ns, seq) = match since {
                Place::Aside(ns, seq) => (*ns, *seq),
                Place::Event(ns, _) => (*ns, i64::MAX),
            };
            pair(&mut sql, ("a.at_ns", "a.seq"), ">", (ns, seq));
        }
        self.within(&mut sql, "a.at_ns");
        sql.push(" ORDER BY a.at_ns DESC, a.seq DESC LIMIT ").push_bind(i64::try_from(self.look).unwrap_or(i64::MAX));
        let rows = sql.build().fetch_all(pool).await?;
        let candidate = |row: &SqliteRow| {
            let fits = match self.typed {
                None => true,
                Some(typed) => {
                    let claimed = row.get::<Option<String>, _>(2);
                    let mut brought: Vec<String> =
                        body(row, (3, 4))?.as_deref().map(fit::readable).into_iter().collect();
                    brought.push(search::header_text(row.get(5))?);
                    let shown = fit::Row { event: claimed.as_deref(), brought: &brought, ..fit::Row::default() };
                    typed.fit(&shown).is_some()
                }
            };
            Ok(Candidate { place: Place::Aside(row.get(1), row.get(0)), fits })
        };
        rows.iter().map(candidate).collect()
    }

    fn within(&self, sql: &mut QueryBuilder<Sqlite>, column: &str) {
        if let Some(from) = self.filter.from {
            sql.push(" AND ").push(column).push(" >= ").push_bind(from.0);
        }
        if let Some(to) = self.filter.to {
            sql.push(" AND ").push(column).push(" <= ").push_bind(to.0);
        }
    }
}

/// Adds ` AND (first, second) < (?, ?)`, which an index over both answers by one seek.
fn pair<'a, T>(sql: &mut QueryBuilder<Sqlite>, columns: (&str, &str), sign: &str, (ns, second): (i64, T))
where
    T: 'a + sqlx::Encode<'a, Sqlite> + sqlx::Type<Sqlite>,
{
    sql.push(format!(" AND ({}, {}) {sign} (", columns.0, columns.1))
        .push_bind(ns)
        .push(", ")
        .push_bind(second)
        .push(")");
}

/// The body in these columns, coding and bytes.
fn body(row: &SqliteRow, columns: (usize, usize)) -> Result<Option<Vec<u8>>> {
    let (coding, bytes) = (row.get::<Option<String>, _>(columns.0), row.get::<Option<Vec<u8>>, _>(columns.1));
    coding.zip(bytes).map(|(coding, bytes)| packed::unpack(&coding, bytes)).transpose()
}

async fn whole(pool: &SqlitePool, place: &Place) -> Result<Option<Listed>> {
    Ok(match place {
        Place::Event(ns, event) => {
            let found = listing::event(pool, &EventId::new(event)).await?;
            found.filter(|row| row.last_arrived.0 == *ns).map(|row| Listed::Event(Box::new(row)))
        }
        Place::Aside(_, seq) => {
            let sql = sqlx::AssertSqlSafe(format!("{ARRIVALS} WHERE a.seq = ?"));
            let row = sqlx::query(sql).bind(seq).fetch_optional(pool).await?;
            row.as_ref().map(arrival_row).transpose()?.map(|row| Listed::Aside(Box::new(row)))
        }
    })
}

/// Accounts that messages speak of, by name, each with the platform its latest message names; at most `limit`. One seek
/// an account, however many messages there are.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn accounts(pool: &SqlitePool, limit: u32) -> Result<Vec<(AccountId, Option<String>)>> {
    let rows = sqlx::query(
        "WITH RECURSIVE walk (account) AS (
            SELECT (SELECT account FROM events WHERE account IS NOT NULL ORDER BY account LIMIT 1)
            UNION ALL
            SELECT (SELECT account FROM events WHERE account > walk.account ORDER BY account LIMIT 1)
            FROM walk WHERE account IS NOT NULL)
         SELECT account, (SELECT platform FROM events AS e WHERE e.account = walk.account ORDER BY last_ns DESC LIMIT 1)
         FROM walk WHERE account IS NOT NULL LIMIT ?",
    )
    .bind(i64::from(limit))
    .fetch_all(pool)
    .await?;
    Ok(rows.iter().map(|row| (AccountId::new(row.get::<String, _>(0)), row.get(1))).collect())
}

/// Names and platforms of the newest `look` messages.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn recent_kinds(pool: &SqlitePool, look: u32) -> Result<Vec<(String, Option<String>)>> {
    let rows = sqlx::query(
        "SELECT DISTINCT name, platform FROM (SELECT name, platform FROM events ORDER BY last_ns DESC, event DESC LIMIT ?)",
    )
    .bind(i64::from(look))
    .fetch_all(pool)
    .await?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
}

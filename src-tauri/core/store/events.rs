//! Rows of events and lanes: what the body that counts says, kept for good, and what judging says of it. Judging needs
//! no body, so it can be done again after bodies have aged out.

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde::de::DeserializeOwned;
use sqlx::{Row as _, SqlitePool};

use crate::{
    clock::Moment,
    error::{Code, Error, Result},
    ids::{AccountId, EventId, Lane, Resource, Seq},
    inbound::{
        judge::{EventFacts, FirstKey, Judgement, RULES},
        lanes::{LaneState, Sighting},
        standing::ArrivalKey,
    },
    pozy::envelope::{Nature, News, Rank, Reading},
};

/// What recording must know of an event it has met before.
#[derive(Clone, Debug)]
pub struct Head {
    /// Whether it counts.
    pub nature: Nature,
    /// What it is about.
    pub resource: Resource,
    /// The arrival whose body counts.
    pub counts: ArrivalKey,
    /// How far that one is trusted.
    pub counts_trust: i64,
    /// Hash of that body.
    pub counts_hash: [u8; 16],
    /// Its first arrival.
    pub first: ArrivalKey,
    /// When it last reached us.
    pub last: Moment,
    /// How often it reached us.
    pub arrivals: i64,
}

fn damaged(what: &str) -> Error {
    Error::new(Code::Storage, format!("A row of the log is damaged ({what}). `reprise doctor` says more."))
}

fn json<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|_| damaged("events"))
}

/// An event that was met before.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub fn head(connection: &Connection, event: &EventId) -> Result<Option<Head>> {
    let found = connection
        .prepare_cached(
            "SELECT e.nature, e.resource, c.at_ns, c.tie, e.counts, e.counts_trust, e.counts_hash, e.first_ns, \
             e.first_tie, e.first_seq, e.last_ns, e.arrivals \
             FROM events e JOIN arrivals c ON c.seq = e.counts WHERE e.event = ?",
        )?
        .query_row([event.as_str()], |row| {
            let head = Head {
                nature: Nature::Real,
                resource: Resource::new(row.get::<_, String>(1)?),
                counts: ArrivalKey { at: Moment(row.get(2)?), tie: row.get(3)?, seq: Seq(row.get(4)?) },
                counts_trust: row.get(5)?,
                counts_hash: row.get(6)?,
                first: ArrivalKey { at: Moment(row.get(7)?), tie: row.get(8)?, seq: Seq(row.get(9)?) },
                last: Moment(row.get(10)?),
                arrivals: row.get(11)?,
            };
            Ok((row.get::<_, String>(0)?, head))
        })
        .optional()?;
    found
        .map(|(nature, head)| {
            let nature = Nature::from_word(&nature).ok_or_else(|| damaged("nature"))?;
            Ok(Head { nature, ..head })
        })
        .transpose()
}

/// Adds an event with its first arrival and what judging says of it alone.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn insert(
    connection: &Connection,
    reading: &Reading,
    first: &ArrivalKey,
    trust: i64,
    body_hash: [u8; 16],
    alone: &Judgement,
) -> Result<()> {
    let judged = Columns::of(alone);
    connection
        .prepare_cached(
            "INSERT INTO events (event, name, happened_ns, happened, resource, nature, known, news, twin, platform, \
             account, text, counts, counts_trust, counts_hash, first_seq, first_ns, first_tie, last_ns, arrivals, \
             applied, placing, late_by_ms, overtaken_by, stale_lanes, flags, rules, home, said) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?13, ?16, ?17, ?16, 1, \
             ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26)",
        )?
        .execute(params![
            reading.event.as_str(),
            reading.name,
            reading.happened.map(|at| at.0),
            reading.happened_text,
            reading.resource.as_str(),
            reading.nature.word(),
            reading.known,
            serde_json::json!(reading.news).to_string(),
            reading.twin,
            reading.platform,
            reading.account.as_ref().map(AccountId::as_str),
            reading.text,
            first.seq.0,
            trust,
            body_hash,
            first.at.0,
            first.tie,
            judged.applied,
            judged.placing,
            judged.late_by_ms,
            judged.overtaken_by,
            judged.stale_lanes,
            judged.flags,
            judged.rules,
            home(reading),
            said(reading),
        ])?;
    Ok(())
}

/// What an event says of the narrowest lane that it has news of its own for.
fn own(reading: &Reading) -> Option<&News> {
    reading.news.iter().find(|news| news.rank == Rank::Own)
}

/// The lane that an event is drawn in: once, in the narrowest one that it has news of its own for (design 8).
fn home(reading: &Reading) -> &str {
    own(reading).map_or(reading.resource.as_str(), |news| news.lane.as_str())
}

/// The state it tells of that lane.
fn said(reading: &Reading) -> Option<&str> {
    own(reading).map(|news| news.status.as_str())
}

/// Counts one more arrival.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn count_arrival(connection: &Connection, event: &EventId, at: Moment) -> Result<()> {
    connection
        .prepare_cached("UPDATE events SET arrivals = arrivals + 1, last_ns = max(last_ns, ?2) WHERE event = ?1")?
        .execute(params![event.as_str(), at.0])?;
    Ok(())
}

/// Another arrival was the first.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn set_first(connection: &Connection, event: &EventId, first: &ArrivalKey) -> Result<()> {
    connection
        .prepare_cached("UPDATE events SET first_seq = ?2, first_ns = ?3, first_tie = ?4 WHERE event = ?1")?
        .execute(params![event.as_str(), first.seq.0, first.at.0, first.tie])?;
    Ok(())
}

/// The same body of another arrival counts.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn set_counts(connection: &Connection, event: &EventId, counts: Seq, trust: i64) -> Result<()> {
    connection
        .prepare_cached("UPDATE events SET counts = ?2, counts_trust = ?3 WHERE event = ?1")?
        .execute(params![event.as_str(), counts.0, trust])?;
    Ok(())
}

/// Another body counts, so the event is what that one says.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn set_reading(connection: &Connection, reading: &Reading, body_hash: [u8; 16]) -> Result<()> {
    connection
        .prepare_cached(
            "UPDATE events SET name = ?2, happened_ns = ?3, happened = ?4, resource = ?5, nature = ?6, known = ?7, \
             news = ?8, twin = ?9, platform = ?10, account = ?11, text = ?12, counts_hash = ?13, home = ?14, said = ?15 \
             WHERE event = ?1",
        )?
        .execute(params![
            reading.event.as_str(),
            reading.name,
            reading.happened.map(|at| at.0),
            reading.happened_text,
            reading.resource.as_str(),
            reading.nature.word(),
            reading.known,
            serde_json::json!(reading.news).to_string(),
            reading.twin,
            reading.platform,
            reading.account.as_ref().map(AccountId::as_str),
            reading.text,
            body_hash,
            home(reading),
            said(reading),
        ])?;
    Ok(())
}

/// What judging says of an event, as its row keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    applied: bool,
    placing: String,
    late_by_ms: Option<i64>,
    overtaken_by: Option<String>,
    stale_lanes: String,
    flags: String,
    rules: i64,
}

impl Columns {
    /// The columns for a judgement by the present rules.
    #[must_use]
    pub fn of(judgement: &Judgement) -> Self {
        Self {
            applied: judgement.applied,
            placing: judgement.placing.word().to_owned(),
            late_by_ms: judgement.late_by_ms,
            overtaken_by: judgement.overtaken_by.as_ref().map(ToString::to_string),
            stale_lanes: serde_json::json!(judgement.stale_lanes).to_string(),
            flags: serde_json::json!(judgement.flags).to_string(),
            rules: RULES,
        }
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            applied: row.get("applied")?,
            placing: row.get("placing")?,
            late_by_ms: row.get("late_by_ms")?,
            overtaken_by: row.get("overtaken_by")?,
            stale_lanes: row.get("stale_lanes")?,
            flags: row.get("flags")?,
            rules: row.get("rules")?,
        })
    }
}

/// True if an event that happened at `happened` and first arrived at `first` comes after every other event of its
/// resource on both clocks, and no fetch told of the resource: then nothing before it can touch it, nor it them.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub fn comes_after_all(connection: &Connection, resource: &Resource, happened: Moment, first: Moment) -> Result<bool> {
    let mut statement = connection.prepare_cached(
        "SELECT coalesce((SELECT max(happened_ns) FROM events WHERE resource = ?1) < ?2, true)
            AND coalesce((SELECT max(first_ns) FROM events WHERE resource = ?1) < ?3, true)
            AND NOT EXISTS (SELECT 1 FROM sightings WHERE resource = ?1)",
    )?;
    Ok(statement.query_row(params![resource.as_str(), happened.0, first.0], |row| row.get(0))?)
}

/// True if a resource has more than `most` events.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub fn more_than(connection: &Connection, resource: &Resource, most: usize) -> Result<bool> {
    let sql = "SELECT count(*) FROM (SELECT 1 FROM events WHERE resource = ?1 LIMIT ?2)";
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let count: i64 = connection
        .prepare_cached(sql)?
        .query_row(params![resource.as_str(), most.saturating_add(1)], |row| row.get(0))?;
    Ok(count > most)
}

/// All events of a resource, and what their rows say now.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub fn of_resource(connection: &Connection, resource: &Resource) -> Result<Vec<(EventFacts, Columns)>> {
    let mut statement = connection.prepare_cached(
        "SELECT event, name, happened_ns, nature, known, news, twin, first_ns, first_tie, applied, placing, \
         late_by_ms, overtaken_by, stale_lanes, flags, rules FROM events WHERE resource = ?",
    )?;
    let mut rows = statement.query([resource.as_str()])?;
    let mut events = Vec::new();
    while let Some(row) = rows.next()? {
        let nature: String = row.get("nature")?;
        let facts = EventFacts {
            first: FirstKey {
                at: Moment(row.get("first_ns")?),
                event: EventId::new(row.get::<_, String>("event")?),
                tie: row.get("first_tie")?,
            },
            name: row.get("name")?,
            happened: row.get::<_, Option<i64>>("happened_ns")?.map(Moment),
            nature: Nature::from_word(&nature).ok_or_else(|| damaged("nature"))?,
            known: row.get("known")?,
            news: json(&row.get::<_, String>("news")?)?,
            twin: row.get("twin")?,
        };
        events.push((facts, Columns::read(row)?));
    }
    Ok(events)
}

/// Writes what judging says of an event.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn write_judgement(connection: &Connection, event: &EventId, judged: &Columns) -> Result<()> {
    connection
        .prepare_cached(
            "UPDATE events SET applied = ?2, placing = ?3, late_by_ms = ?4, overtaken_by = ?5, stale_lanes = ?6, \
             flags = ?7, rules = ?8 WHERE event = ?1",
        )?
        .execute(params![
            event.as_str(),
            judged.applied,
            judged.placing,
            judged.late_by_ms,
            judged.overtaken_by,
            judged.stale_lanes,
            judged.flags,
            judged.rules,
        ])?;
    Ok(())
}

/// Writes the lanes of a resource: those that changed, and away with those that nothing tells of any more.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn write_lanes(connection: &Connection, resource: &Resource, lanes: &[LaneState]) -> Result<()> {
    let mut statement = connection.prepare_cached("SELECT lane FROM lanes WHERE resource = ?")?;
    let known = statement
        .query_map([resource.as_str()], |row| row.get::<_, String>(0).map(Lane::new))?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    for gone in known.iter().filter(|lane| lanes.iter().all(|state| state.lane != **lane)) {
        connection.prepare_cached("DELETE FROM lanes WHERE lane = ?")?.execute([gone.as_str()])?;
    }
    move_lanes(connection, resource, lanes)
}

/// Writes some lanes of a resource and leaves its others alone.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn move_lanes(connection: &Connection, resource: &Resource, lanes: &[LaneState]) -> Result<()> {
    for state in lanes {
        connection
            .prepare_cached(
                "INSERT INTO lanes (lane, resource, status, as_of_ns, event, source, confirmed_ns, tie, wants_fetch, \
                 rules, told, told_ns) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) \
                 ON CONFLICT (lane) DO UPDATE SET \
                 resource = ?2, status = ?3, as_of_ns = ?4, event = ?5, source = ?6, confirmed_ns = ?7, tie = ?8, \
                 wants_fetch = ?9, rules = ?10, told = ?11, told_ns = ?12 \
                 WHERE (resource, status, as_of_ns, event, source, confirmed_ns, tie, wants_fetch, rules, told, told_ns) \
                 IS NOT (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )?
            .execute(params![
                state.lane.as_str(),
                resource.as_str(),
                state.status,
                state.as_of.0,
                state.event.as_ref().map(EventId::as_str),
                state.source.word(),
                state.confirmed.map(|at| at.0),
                state.tie,
                state.wants_fetch,
                RULES,
                state.told.as_ref().map(|(status, _)| status.as_str()),
                state.told.as_ref().map(|(_, at)| at.0),
            ])?;
    }
    Ok(())
}

/// What fetches said of the lanes of a resource.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub fn sightings(connection: &Connection, resource: &Resource) -> Result<Vec<Sighting>> {
    let mut statement = connection.prepare_cached("SELECT lane, status, at_ns FROM sightings WHERE resource = ?")?;
    let rows = statement.query_map([resource.as_str()], |row| {
        Ok(Sighting { lane: Lane::new(row.get::<_, String>(0)?), status: row.get(1)?, at: Moment(row.get(2)?) })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The next events in the order of their ids, after `after`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub fn ids_after(connection: &Connection, after: &str, limit: usize) -> Result<Vec<EventId>> {
    let mut statement = connection.prepare_cached("SELECT event FROM events WHERE event > ? ORDER BY event LIMIT ?")?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![after, limit], |row| row.get::<_, String>(0).map(EventId::new))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// How many events the log has.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn number(pool: &SqlitePool) -> Result<i64> {
    // Rows are numbered in their order and none ever leaves.
    Ok(sqlx::query("SELECT max(rowid) FROM events").fetch_one(pool).await?.get::<Option<i64>, _>(0).unwrap_or_default())
}

/// The next resources that events or fetches tell of, after `after`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub fn resources_after(connection: &Connection, after: &str, limit: usize) -> Result<Vec<Resource>> {
    let mut statement = connection.prepare_cached(
        "SELECT * FROM (SELECT DISTINCT resource FROM events WHERE resource > ?1 ORDER BY resource LIMIT ?2) UNION \
         SELECT * FROM (SELECT DISTINCT resource FROM sightings WHERE resource > ?1 ORDER BY resource LIMIT ?2) \
         ORDER BY resource LIMIT ?2",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![after, limit], |row| row.get::<_, String>(0).map(Resource::new))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

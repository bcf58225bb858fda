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

/// Which rows `l` of lanes are those of the resource that the expression `of` gives. A lane is named after its resource: it is
/// that itself or a part of it, behind a slash. So the order of the names is all that has to be kept.
macro_rules! lanes_of {
    ($of:literal) => {
        // `0` is the sign behind the slash.
        concat!(
            "(l.lane = ",
            $of,
            " OR l.lane >= ",
            $of,
            " || '/' AND l.lane < ",
            $of,
            " || '0') AND l.resource = ",
            $of
        )
    };
}
pub(super) use lanes_of;

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
/// resource on both clocks, and no fetch told of the resource: then nothing before it can touch it, nor it them. False, too,
/// where that cannot be said with little effort: of a resource with many events, one that happened long ago.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub fn comes_after_all(connection: &Connection, resource: &Resource, happened: Moment, first: Moment) -> Result<bool> {
    let mut statement = connection.prepare_cached(
        "SELECT count(*), coalesce(max(happened_ns) < ?2, true) AND coalesce(max(first_ns) < ?3, true)
            AND NOT EXISTS (SELECT 1 FROM sightings WHERE resource = ?1)
         FROM (SELECT happened_ns, first_ns FROM events WHERE resource = ?1 ORDER BY first_ns DESC LIMIT ?4)",
    )?;
    let (looked, after): (i64, bool) = statement
        .query_row(params![resource.as_str(), happened.0, first.0, LOOKED_AT], |row| Ok((row.get(0)?, row.get(1)?)))?;
    if !after || looked < LOOKED_AT {
        return Ok(after);
    }
    // Of many events those that arrived last are not enough: but little happens later than what arrives just now.
    let mut statement = connection.prepare_cached(
        "SELECT count(*) < ?3 AND coalesce(max(resource = ?1), 0) = 0 FROM (SELECT resource FROM events
            WHERE happened_ns IS NOT NULL AND happened_ns >= ?2 ORDER BY happened_ns DESC LIMIT ?3)",
    )?;
    Ok(statement.query_row(params![resource.as_str(), happened.0, LATER], |row| row.get(0))?)
}

/// Events of a resource, those that arrived last, that are looked at one by one.
const LOOKED_AT: i64 = 64;
/// Events of any resource that may have happened later: where it is more, they are not looked through.
const LATER: i64 = 1_000;

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
    let mut statement = connection.prepare_cached(concat!("SELECT l.lane FROM lanes AS l WHERE ", lanes_of!("?1")))?;
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::store::migrate::in_memory;

    proptest! {
        /// Resources with few events and with more than are looked at one by one, in order and mixed up, alone and beside
        /// another one with many.
        #[test]
        fn what_comes_after_all_comes_after_each(
            events in proptest::collection::vec((0..2_usize, 0..300_i64, 0..300_i64), 0..200),
            mixed in 0..20_i64,
            (happened, first) in (0..310_i64, 0..310_i64),
        ) {
            let db = in_memory();
            let resources = ["post:a", "post:b"].map(Resource::new);
            let mut highest = [-1; 2];
            for (n, (of, at, shift)) in events.iter().enumerate() {
                let happened = at + shift % (mixed + 1);
                db.execute(
                    "INSERT INTO events (event, name, happened_ns, resource, nature, known, news, twin, counts, counts_trust,
                        counts_hash, first_seq, first_ns, first_tie, last_ns, arrivals, applied, placing, stale_lanes, flags, rules)
                     VALUES (?1, 'x', ?2, ?3, 'real', 1, '[]', x'', ?4, 2, x'', ?4, ?5, x'', ?5, 1, 1, 'in_order', '[]', '[]', 2)",
                    params![n.to_string(), happened, resources[*of].as_str(), n as i64, at],
                )
                .unwrap();
                highest[*of] = highest[*of].max(happened);
            }
            let of = |n: usize| events.iter().filter(move |(of, ..)| *of == n);
            for (n, resource) in resources.iter().enumerate() {
                let after = happened > highest[n] && of(n).all(|(_, at, _)| first > *at);
                let told = comes_after_all(&db, resource, Moment(happened), Moment(first)).unwrap();
                prop_assert_eq!(told, after);
            }
        }
    }

    #[test]
    fn where_much_happened_later_it_is_not_looked_through() {
        let db = in_memory();
        db.execute_batch(
            "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 2000)
             INSERT INTO events (event, name, happened_ns, resource, nature, known, news, twin, counts, counts_trust, counts_hash,
                first_seq, first_ns, first_tie, last_ns, arrivals, applied, placing, stale_lanes, flags, rules)
             SELECT n, 'x', n, iif(n <= 100, 'post:old', 'post:new'), 'real', 1, '[]', x'', n, 2, x'', n, n, x'', n, 1, 1, 'in_order',
                '[]', '[]', 2 FROM n",
        )
        .unwrap();
        let after = |resource, happened| {
            comes_after_all(&db, &Resource::new(resource), Moment(happened), Moment(3_000)).unwrap()
        };
        assert!(after("post:new", 2_001) && !after("post:new", 2_000));
        assert!(after("post:old", 1_500), "five hundred of others happened later");
        assert!(!after("post:old", 101), "it does, but all that happened since would have to be looked through");
    }

    #[test]
    fn the_lanes_of_a_resource_are_those_named_after_it() {
        let db = in_memory();
        for (lane, resource) in [
            ("post:a", "post:a"),
            ("post:a/x", "post:a"),
            ("post:a/x/y", "post:a"),
            ("post:a-b", "post:a-b"),
            ("post:a-b/x", "post:a-b"),
            ("post:a/z", "post:a/z"),
            ("post:ab", "post:ab"),
            ("account:a", "account:a"),
        ] {
            db.execute(
                "INSERT INTO lanes (lane, resource, as_of_ns, source, tie, wants_fetch, rules) VALUES (?, ?, 1, 'event', 0, 0, 2)",
                [lane, resource],
            )
            .unwrap();
        }
        let of = |resource: &str| -> Vec<String> {
            let mut statement =
                db.prepare(concat!("SELECT lane FROM lanes AS l WHERE ", lanes_of!("?1"), " ORDER BY lane")).unwrap();
            statement.query_map([resource], |row| row.get(0)).unwrap().map(|lane| lane.unwrap()).collect()
        };
        assert_eq!(of("post:a"), ["post:a", "post:a/x", "post:a/x/y"]);
        assert_eq!(of("post:a-b"), ["post:a-b", "post:a-b/x"]);
        assert_eq!(of("account:a"), ["account:a"]);
        assert_eq!(of("post:a/z"), ["post:a/z"], "an id with a slash");
    }
}

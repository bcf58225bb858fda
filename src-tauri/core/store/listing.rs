//! What the screens and the command line read of arrivals, events and lanes: plain rows by keyset, never by counting
//! through what comes before.

use std::collections::HashMap;

use serde::de::DeserializeOwned;
use sqlx::{AssertSqlSafe, Row, SqlitePool, sqlite::SqliteRow};

use super::{events::lanes_of, packed};
use crate::{
    clock::Moment,
    error::{Code, Error, Result},
    ids::{AccountId, EventId, Lane, Resource, Seq},
    pozy::envelope::News,
};

/// Why a copy came, in the words of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldCause {
    /// Code of design 3.8.
    pub code: String,
    /// `high`, `medium` or `low`.
    pub confidence: String,
    /// One or two sentences.
    pub says: String,
    /// The earlier arrival it rests on.
    pub rests_on: Option<Seq>,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRow {
    /// Its id.
    pub event: EventId,
    /// Its name.
    pub name: String,
    /// When it happened.
    pub happened: Option<Moment>,
    /// The same as it was written.
    pub happened_text: Option<String>,
    /// When it first reached us.
    pub first_arrived: Moment,
    /// When it last reached us.
    pub last_arrived: Moment,
    /// How often it reached us.
    pub arrivals: i64,
    /// True if it moved a lane.
    pub applied: bool,
    /// `real`, `test` or `odd`.
    pub nature: String,
    /// What it is about.
    pub resource: Resource,
    /// What it says of each lane; of a real one only, since others move nothing.
    pub news: Vec<News>,
    /// `in_order`, `late`, `tie` or `unplaced`.
    pub placing: String,
    /// First arrival minus happened, if late, milliseconds.
    pub late_by_ms: Option<i64>,
    /// The event that overtook it.
    pub overtaken_by: Option<EventId>,
    /// Lanes that already held something newer.
    pub stale_lanes: Vec<Lane>,
    /// Flags of the contract's list.
    pub flags: Vec<String>,
    /// Platform it speaks of.
    pub platform: Option<String>,
    /// Account it speaks of.
    pub account: Option<AccountId>,
    /// First words of the post, until its body has aged out.
    pub text: Option<String>,
    /// Signature of its latest arrival.
    pub signature: String,
    /// Why its latest arrival came, if that is a copy.
    pub cause: Option<ToldCause>,
    /// When a fetch last agreed with, or overruled, what its resource holds since it happened.
    pub confirmed: Option<Moment>,
}

/// One arrival.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrivalRow {
    /// Its number in this log.
    pub seq: Seq,
    /// When it reached us.
    pub arrived: Moment,
    /// The event it belongs to, or claims.
    pub event: Option<EventId>,
    /// 1 for the first arrival of an event, 0 if it makes no event.
    pub copy: i64,
    /// `first`, `duplicate`, `test`, `quarantined` or `unreadable`.
    pub standing: String,
    /// Why it came, if it is a copy.
    pub cause: Option<ToldCause>,
    /// `valid`, `invalid`, `missing` or `unchecked`.
    pub signature: String,
    /// How long our answer took, milliseconds; none until it is known.
    pub took_ms: Option<i64>,
    /// The status we decided on.
    pub answer: Option<u16>,
    /// `live` or `import`.
    pub channel: String,
    /// Flags of the contract's list.
    pub flags: Vec<String>,
    /// Orders arrivals of one instant.
    pub tie: Vec<u8>,
}

/// One arrival with all it brought.
#[derive(Clone, Debug)]
pub struct ArrivalDetail {
    /// The row.
    pub row: ArrivalRow,
    /// Headers in their order, as they came: mask them on every way out.
    pub headers: Vec<(String, String)>,
    /// The body; none if it has aged out or was never kept.
    pub body: Option<Vec<u8>>,
    /// Size of the body that was kept, bytes.
    pub body_len: i64,
}

/// What a lane holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneRow {
    /// The lane.
    pub lane: Lane,
    /// Its state; none while it is tied.
    pub status: Option<String>,
    /// Since when.
    pub as_of: Moment,
    /// The event it comes from.
    pub event: Option<EventId>,
    /// `event` or `observation`.
    pub source: String,
    /// When a fetch last agreed or overruled.
    pub confirmed: Option<Moment>,
    /// True while events of one instant contradict each other.
    pub tie: bool,
    /// True if only a fetch can say what holds.
    pub wants_fetch: bool,
    /// What messages last said, and of when, where a later fetch says otherwise.
    pub told: Option<(String, Moment)>,
}

pub(super) const EVENTS: &str = concat!(
    "SELECT e.event, e.name, e.happened_ns, e.happened, e.first_ns, e.last_ns, e.arrivals, e.applied, e.nature,
           e.resource, e.news, e.placing, e.late_by_ms, e.overtaken_by, e.stale_lanes, e.flags, e.platform, e.account,
           e.text, a.signature, s.cause, s.confidence, s.says, s.rests_on,
           (SELECT max(l.confirmed_ns) FROM lanes l WHERE ",
    lanes_of!("e.resource"),
    " AND l.confirmed_ns >= e.happened_ns)
               AS confirmed_ns
    FROM events e
    JOIN arrivals a ON a.seq = coalesce((SELECT l.seq FROM copies l WHERE l.event = e.event
                                         ORDER BY l.at_ns DESC, l.tie DESC, l.seq DESC LIMIT 1), e.first_seq)
    JOIN standings s ON s.seq = a.seq"
);

pub(super) const ARRIVALS: &str = "
    SELECT a.seq, a.at_ns, a.event, s.copy, s.standing, a.signature, coalesce(a.took_ms, n.took_ms) AS took_ms,
           a.answer, CASE WHEN a.session IS NULL THEN 'import' ELSE 'live' END AS channel, a.flags,
           s.flags AS judged_flags, a.tie, s.cause, s.confidence, s.says, s.rests_on
    FROM arrivals a JOIN standings s ON s.seq = a.seq LEFT JOIN answers n ON n.seq = a.seq";

fn json<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|cause| {
        Error::caused(Code::Storage, "A row of the log is damaged. `reprise doctor` says more.", cause)
    })
}

fn told_cause(row: &SqliteRow) -> Option<ToldCause> {
    let code: Option<String> = row.get("cause");
    Some(ToldCause {
        code: code?,
        confidence: row.get::<Option<String>, _>("confidence")?,
        says: row.get::<Option<String>, _>("says")?,
        rests_on: row.get::<Option<i64>, _>("rests_on").map(Seq),
    })
}

pub(super) fn event_row(row: &SqliteRow) -> Result<EventRow> {
    let nature: String = row.get("nature");
    Ok(EventRow {
        event: EventId::new(row.get::<String, _>("event")),
        name: row.get("name"),
        happened: row.get::<Option<i64>, _>("happened_ns").map(Moment),
        happened_text: row.get("happened"),
        first_arrived: Moment(row.get("first_ns")),
        last_arrived: Moment(row.get("last_ns")),
        arrivals: row.get("arrivals"),
        applied: row.get("applied"),
        news: if nature == "real" { json(row.get("news"))? } else { Vec::new() },
        nature,
        resource: Resource::new(row.get::<String, _>("resource")),
        placing: row.get("placing"),
        late_by_ms: row.get("late_by_ms"),
        overtaken_by: row.get::<Option<String>, _>("overtaken_by").map(EventId::new),
        stale_lanes: json(row.get("stale_lanes"))?,
        flags: json(row.get("flags"))?,
        platform: row.get("platform"),
        account: row.get::<Option<String>, _>("account").map(AccountId::new),
        text: row.get("text"),
        signature: row.get("signature"),
        cause: told_cause(row),
        confirmed: row.get::<Option<i64>, _>("confirmed_ns").map(Moment),
    })
}

pub(super) fn arrival_row(row: &SqliteRow) -> Result<ArrivalRow> {
    let mut flags: Vec<String> = json(row.get("flags"))?;
    flags.extend(json::<Vec<String>>(row.get("judged_flags"))?);
    Ok(ArrivalRow {
        seq: Seq(row.get("seq")),
        arrived: Moment(row.get("at_ns")),
        event: row.get::<Option<String>, _>("event").map(EventId::new),
        copy: row.get("copy"),
        standing: row.get("standing"),
        cause: told_cause(row),
        signature: row.get("signature"),
        took_ms: row.get("took_ms"),
        answer: row.get("answer"),
        channel: row.get("channel"),
        flags,
        tie: row.get("tie"),
    })
}

/// Up to `limit` events, those that came last at the end, from after `after`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn events(pool: &SqlitePool, after: Option<&EventRow>, limit: u32) -> Result<Vec<EventRow>> {
    let (last, event) = after.map_or((i64::MIN, ""), |row| (row.last_arrived.0, row.event.as_str()));
    let sql = format!("{EVENTS} WHERE (e.last_ns, e.event) > (?, ?) ORDER BY e.last_ns, e.event LIMIT ?");
    let query = sqlx::query(AssertSqlSafe(sql)).bind(last).bind(event).bind(i64::from(limit));
    query.fetch_all(pool).await?.iter().map(event_row).collect()
}

/// One event.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn event(pool: &SqlitePool, event: &EventId) -> Result<Option<EventRow>> {
    let sql = format!("{EVENTS} WHERE e.event = ?");
    let query = sqlx::query(AssertSqlSafe(sql)).bind(event.as_str());
    query.fetch_optional(pool).await?.as_ref().map(event_row).transpose()
}

/// Up to `limit` arrivals in time order, those of one instant by event and hash, from after `after`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn arrivals(pool: &SqlitePool, after: Option<&ArrivalRow>, limit: u32) -> Result<Vec<ArrivalRow>> {
    let sql = format!(
        "{ARRIVALS} WHERE a.at_ns >= ?1 AND (a.at_ns, coalesce(a.event, ''), a.tie, a.seq) > (?1, ?2, ?3, ?4)
         ORDER BY a.at_ns, coalesce(a.event, ''), a.tie, a.seq LIMIT ?5"
    );
    let query = match after {
        Some(row) => sqlx::query(AssertSqlSafe(sql))
            .bind(row.arrived.0)
            .bind(row.event.as_ref().map_or("", EventId::as_str))
            .bind(row.tie.as_slice())
            .bind(row.seq.0),
        None => sqlx::query(AssertSqlSafe(sql)).bind(i64::MIN).bind("").bind(&[][..]).bind(-1),
    };
    query.bind(i64::from(limit)).fetch_all(pool).await?.iter().map(arrival_row).collect()
}

/// The arrivals of one event in their order, up to `limit`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn arrivals_of(pool: &SqlitePool, event: &EventId, limit: u32) -> Result<Vec<ArrivalRow>> {
    let sql = format!(
        "{ARRIVALS} WHERE a.seq IN (SELECT seq FROM arrived WHERE event = ? ORDER BY at_ns, tie, seq LIMIT ?) \
         ORDER BY a.at_ns, a.tie, a.seq"
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(event.as_str()).bind(i64::from(limit));
    query.fetch_all(pool).await?.iter().map(arrival_row).collect()
}

/// One arrival with its headers and body.
///
/// # Errors
/// `Storage` if the log cannot be read or is damaged.
pub async fn arrival(pool: &SqlitePool, seq: Seq) -> Result<Option<ArrivalDetail>> {
    let sql = format!("{ARRIVALS} WHERE a.seq = ?");
    let Some(row) = sqlx::query(AssertSqlSafe(sql)).bind(seq.0).fetch_optional(pool).await? else { return Ok(None) };
    let row = arrival_row(&row)?;
    let brought = sqlx::query(
        "SELECT a.headers, a.body_len, b.coding, b.bytes FROM arrivals a LEFT JOIN bodies b ON b.seq = a.seq \
         WHERE a.seq = ?",
    )
    .bind(seq.0)
    .fetch_one(pool)
    .await?;
    let headers = packed::unpack_json(brought.get(0))?;
    let body_len: i64 = brought.get(1);
    let body = match (brought.get::<Option<String>, _>(2), brought.get::<Option<Vec<u8>>, _>(3)) {
        (Some(coding), Some(bytes)) => Some(packed::unpack(&coding, bytes)?),
        _ if body_len == 0 && !row.flags.iter().any(|flag| flag == "too_large") => Some(Vec::new()),
        _ => None,
    };
    Ok(Some(ArrivalDetail { headers: json(&String::from_utf8_lossy(&headers))?, body, body_len, row }))
}

/// When the newest live arrival reached us.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn last_live_arrival(pool: &SqlitePool) -> Result<Option<Moment>> {
    let row = sqlx::query("SELECT max(at_ns) FROM arrivals WHERE session IS NOT NULL").fetch_one(pool).await?;
    Ok(row.get::<Option<i64>, _>(0).map(Moment))
}

/// The newest live arrival.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn newest_live(pool: &SqlitePool) -> Result<Option<Seq>> {
    let sql = "SELECT seq FROM arrivals WHERE session IS NOT NULL ORDER BY at_ns DESC LIMIT 1";
    Ok(sqlx::query(sql).fetch_optional(pool).await?.map(|row| Seq(row.get(0))))
}

const LANE: &str = "lane, status, as_of_ns, event, source, confirmed_ns, tie, wants_fetch, told, told_ns";

fn lane_row(row: &SqliteRow) -> LaneRow {
    LaneRow {
        lane: Lane::new(row.get::<String, _>("lane")),
        status: row.get("status"),
        as_of: Moment(row.get("as_of_ns")),
        event: row.get::<Option<String>, _>("event").map(EventId::new),
        source: row.get("source"),
        confirmed: row.get::<Option<i64>, _>("confirmed_ns").map(Moment),
        tie: row.get("tie"),
        wants_fetch: row.get("wants_fetch"),
        told: row.get::<Option<String>, _>("told").zip(row.get::<Option<i64>, _>("told_ns").map(Moment)),
    }
}

/// Up to `limit` lanes by name, from after `after`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn lanes(pool: &SqlitePool, after: Option<&Lane>, limit: u32) -> Result<Vec<LaneRow>> {
    let sql = AssertSqlSafe(format!("SELECT {LANE} FROM lanes WHERE lane > ? ORDER BY lane LIMIT ?"));
    let query = sqlx::query(sql).bind(after.map_or("", Lane::as_str)).bind(i64::from(limit));
    Ok(query.fetch_all(pool).await?.iter().map(lane_row).collect())
}

/// The lanes of a resource, by name.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn lanes_of(pool: &SqlitePool, resource: &Resource) -> Result<Vec<LaneRow>> {
    let sql = AssertSqlSafe(format!("SELECT {LANE} FROM lanes AS l WHERE {} ORDER BY lane", lanes_of!("?1")));
    Ok(sqlx::query(sql).bind(resource.as_str()).fetch_all(pool).await?.iter().map(lane_row).collect())
}

pub(super) fn lanes_of_all_sql() -> String {
    format!(
        "SELECT resource, {LANE} FROM json_each(?1) AS wanted CROSS JOIN lanes AS l ON {} ORDER BY lane",
        lanes_of!("wanted.value")
    )
}

/// The lanes of some resources, each resource's by name.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn lanes_of_all(pool: &SqlitePool, resources: &[Resource]) -> Result<HashMap<Resource, Vec<LaneRow>>> {
    let query = sqlx::query(AssertSqlSafe(lanes_of_all_sql())).bind(serde_json::json!(resources).to_string());
    let mut found: HashMap<Resource, Vec<LaneRow>> = HashMap::new();
    for row in &query.fetch_all(pool).await? {
        found.entry(Resource::new(row.get::<String, _>("resource"))).or_default().push(lane_row(row));
    }
    Ok(found)
}

/// One lane.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn lane(pool: &SqlitePool, lane: &Lane) -> Result<Option<LaneRow>> {
    let sql = AssertSqlSafe(format!("SELECT {LANE} FROM lanes WHERE lane = ?"));
    Ok(sqlx::query(sql).bind(lane.as_str()).fetch_optional(pool).await?.as_ref().map(lane_row))
}

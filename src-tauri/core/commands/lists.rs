//! The lines of the listing commands (design 7), oldest first, one at a time.

use serde::Serialize;

use crate::{
    clock::{Clock, Moment},
    error::{Code, Error, Result},
    export,
    ids::{EventId, JobMark, Lane, Resource, Seq},
    import::lines::{self, Line},
    outbound::{
        lock::JobLock,
        outcome::attempt_state,
        view::{JobLine, JobView},
    },
    pozy::{contract::Contract, secrecy::Mask},
    store::{
        Store,
        attempts::{self, AttemptRecord},
        job_facts,
        listing::{self, ArrivalRow, EventRow, LaneRow, ToldCause},
    },
};

/// Rows that are read at once.
const SLICE: u32 = 256;

/// The line of an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EventLine {
    /// Its id.
    pub event: EventId,
    /// Its name.
    pub name: String,
    /// When it happened.
    pub happened_at: Option<Moment>,
    /// When it first reached us.
    pub first_arrived_at: Moment,
    /// How often it reached us.
    pub arrivals: i64,
    /// 1 once it moved a lane, else 0.
    pub applied: u8,
    /// True for a test.
    pub test: bool,
    /// What it is about.
    pub resource: Resource,
    /// Lanes it brings news for.
    pub lanes: Vec<Lane>,
    /// `in_order`, `late`, `tie` or `unplaced`.
    pub order: String,
    /// First arrival minus happened, if late, milliseconds.
    pub late_by_ms: Option<i64>,
    /// The event that overtook it.
    pub overtaken_by: Option<EventId>,
    /// Lanes that already held something newer.
    pub stale_lanes: Vec<Lane>,
    /// Flags of the contract's list.
    pub flags: Vec<String>,
}

impl From<EventRow> for EventLine {
    fn from(row: EventRow) -> Self {
        Self {
            event: row.event,
            name: row.name,
            happened_at: row.happened,
            first_arrived_at: row.first_arrived,
            arrivals: row.arrivals,
            applied: row.applied.into(),
            test: row.nature == "test",
            resource: row.resource,
            lanes: row.news.into_iter().map(|news| news.lane).collect(),
            order: row.placing,
            late_by_ms: row.late_by_ms,
            overtaken_by: row.overtaken_by,
            stale_lanes: row.stale_lanes,
            flags: row.flags,
        }
    }
}

/// Why a copy came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CauseLine {
    /// Code of design 3.8.
    pub code: String,
    /// `high`, `medium` or `low`.
    pub confidence: String,
    /// One or two sentences.
    pub text: String,
}

impl From<ToldCause> for CauseLine {
    fn from(cause: ToldCause) -> Self {
        Self { code: cause.code, confidence: cause.confidence, text: cause.says }
    }
}

/// The line of an arrival.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ArrivalLine {
    /// Number in this log.
    pub seq: Seq,
    /// When it reached us.
    pub arrived_at: Moment,
    /// The event it belongs to, or claims.
    pub event: Option<EventId>,
    /// Its number among the arrivals of its event; 0 if it makes none.
    pub copy: i64,
    /// `first`, `duplicate`, `test`, `quarantined` or `unreadable`.
    pub standing: String,
    /// Why it came again.
    pub cause: Option<CauseLine>,
    /// `valid`, `invalid`, `missing` or `unchecked`.
    pub signature: String,
    /// How long our answer took, milliseconds.
    pub took_ms: Option<i64>,
    /// Our answer's status.
    pub answer: Option<u16>,
    /// `live` or `import`.
    pub channel: String,
    /// Flags of the contract's list.
    pub flags: Vec<String>,
}

impl From<ArrivalRow> for ArrivalLine {
    fn from(row: ArrivalRow) -> Self {
        Self {
            seq: row.seq,
            arrived_at: row.arrived,
            event: row.event,
            copy: row.copy,
            standing: row.standing,
            cause: row.cause.map(Into::into),
            signature: row.signature,
            took_ms: row.took_ms,
            answer: row.answer,
            channel: row.channel,
            flags: row.flags,
        }
    }
}

/// The line of a lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LaneLine {
    /// The lane.
    pub lane: Lane,
    /// Its state; none while tied.
    pub status: Option<String>,
    /// Since when.
    pub as_of: Moment,
    /// The event that says so.
    pub event: Option<EventId>,
    /// `event` or `observation`.
    pub source: String,
    /// When Pozy confirmed it.
    pub confirmed_at: Option<Moment>,
    /// True while two events of one instant disagree.
    pub tie: bool,
}

impl From<LaneRow> for LaneLine {
    fn from(row: LaneRow) -> Self {
        Self {
            lane: row.lane,
            status: row.status,
            as_of: row.as_of,
            event: row.event,
            source: row.source,
            confirmed_at: row.confirmed,
            tie: row.tie,
        }
    }
}

/// The line of an attempt: its log line with its state, secrets masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptLine {
    /// One JSON object.
    pub text: String,
}

/// Hands every event to `give`, those that came last at the end.
///
/// # Errors
/// `Storage`, or what `give` returned.
pub async fn events(store: &Store, mut give: impl FnMut(EventLine) -> Result<()>) -> Result<()> {
    let mut after = None;
    loop {
        let mut rows = listing::events(store.pool(), after.as_ref(), SLICE).await?;
        after = rows.last().cloned();
        if rows.is_empty() {
            return Ok(());
        }
        rows.drain(..).try_for_each(|row| give(row.into()))?;
    }
}

/// Hands every arrival, or those of one event, to `give`.
///
/// # Errors
/// `Storage`, or what `give` returned.
pub async fn arrivals(store: &Store, of: Option<&str>, mut give: impl FnMut(ArrivalLine) -> Result<()>) -> Result<()> {
    if let Some(event) = of {
        let rows = listing::arrivals_of(store.pool(), &EventId::new(event), u32::MAX).await?;
        return rows.into_iter().try_for_each(|row| give(row.into()));
    }
    let mut after = None;
    loop {
        let mut rows = listing::arrivals(store.pool(), after.as_ref(), SLICE).await?;
        after = rows.last().cloned();
        if rows.is_empty() {
            return Ok(());
        }
        rows.drain(..).try_for_each(|row| give(row.into()))?;
    }
}

/// Hands every lane to `give`, by name.
///
/// # Errors
/// `Storage`, or what `give` returned.
pub async fn lanes(store: &Store, mut give: impl FnMut(LaneLine) -> Result<()>) -> Result<()> {
    let mut after = None;
    loop {
        let rows = listing::lanes(store.pool(), after.as_ref(), SLICE).await?;
        let Some(last) = rows.last() else { return Ok(()) };
        after = Some(last.lane.clone());
        rows.into_iter().try_for_each(|row| give(row.into()))?;
    }
}

/// Hands every job to `give`, judged at the clock's moment.
///
/// # Errors
/// `Storage`, or what `give` returned.
pub async fn jobs(
    store: &Store,
    clock: &Clock,
    contract: &Contract,
    mut give: impl FnMut(JobLine) -> Result<()>,
) -> Result<()> {
    let mut after = None;
    loop {
        let facts = job_facts::ascending(store.pool(), after, SLICE).await?;
        let Some(last) = facts.last() else { return Ok(()) };
        after = Some((last.created, last.id));
        for view in JobView::all(store, clock, contract, facts).await? {
            give(view.line())?;
        }
    }
}

/// Hands every attempt, or those of one job, to `give`.
///
/// # Errors
/// `Storage`, `NotFound` if there is no such job, or what `give` returned.
pub async fn attempts(store: &Store, of: Option<&str>, mut give: impl FnMut(AttemptLine) -> Result<()>) -> Result<()> {
    let mut mask = Mask::default();
    each_attempt(store, of, |record, _| {
        cover(record, &mut mask);
        Ok(())
    })
    .await?;
    let mut mask = mask.again();
    each_attempt(store, of, |record, state| give(AttemptLine { text: with_state(&cover(record, &mut mask), state)? }))
        .await
}

fn cover(record: AttemptRecord, mask: &mut Mask) -> Line {
    mask.meet(record.source());
    let mut line = Line::Attempt(record.into());
    export::cover(&mut line, mask);
    line
}

async fn each_attempt(
    store: &Store,
    of: Option<&str>,
    mut give: impl FnMut(AttemptRecord, &str) -> Result<()>,
) -> Result<()> {
    let mut after = None;
    loop {
        let records = match of {
            Some(job) => {
                let facts = job_facts::by_mark(store.pool(), &JobMark::new(job)).await?;
                attempts::of_job(store.pool(), facts.id).await?
            }
            None => attempts::ascending(store.pool(), after, SLICE).await?,
        };
        let Some(last) = records.last() else { return Ok(()) };
        after = Some((last.at, last.id));
        for record in records {
            let held = record.end.is_none() && JobLock::is_held(store.dir(), &record.job)?;
            let state = attempt_state(record.end.as_ref().map(|end| end.kind), held);
            give(record, state)?;
        }
        if of.is_some() {
            return Ok(());
        }
    }
}

fn with_state(line: &Line, state: &str) -> Result<String> {
    let text = lines::write(line)
        .map_err(|cause| Error::caused(Code::Internal, "A line of the log has no JSON form.", cause))?;
    Ok(format!("{},\"state\":\"{state}\"}}", text.strip_suffix('}').unwrap_or(&text)))
}

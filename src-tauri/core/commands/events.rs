//! Events and their arrivals, as the screens show them.

use super::wire::{
    ArrivalArgs, ArrivalDetail, ArrivalRow, CauseRow, EventArgs, EventRow, EventsOnly, EventsPage, EventsPageArgs,
};
use crate::{
    desk::{Desk, Room},
    error::{Error, Result},
    ids::{EventId, Seq},
    pozy::{
        envelope,
        secrecy::{self, Mask},
    },
    store::{
        listing::{self, ToldCause},
        pages::{self, Listed, Only},
    },
};

/// Rows on a page if nobody says.
const PAGE: u32 = 80;
/// Most rows on a page.
const MOST: u32 = 200;
/// Most arrivals of one event that are shown at once.
const MOST_ARRIVALS: u32 = 500;

/// Events and arrivals set aside in one list, last arrival first.
pub(super) async fn page(desk: &Desk, args: EventsPageArgs) -> Result<EventsPage> {
    let room = desk.room().await;
    let limit = args.limit.unwrap_or(PAGE).clamp(1, MOST);
    let only = args.only.map(|only| match only {
        EventsOnly::Copies => Only::Copies,
        EventsOnly::Late => Only::Late,
        EventsOnly::Ties => Only::Ties,
        EventsOnly::Tests => Only::Tests,
        EventsOnly::SetAside => Only::SetAside,
    });
    let page = pages::page(room.store.pool(), args.after.as_deref(), limit, only).await?;
    let mut rows = Vec::with_capacity(page.rows.len());
    for row in page.rows {
        rows.push(match row {
            Listed::Event(row) => event_row(*row),
            Listed::Aside(row) => aside_row(&room, *row).await?,
        });
    }
    Ok(EventsPage { rows, next: page.next })
}

/// One event as a row.
pub(super) fn event_row(row: listing::EventRow) -> EventRow {
    // The narrowest lane is the one with the longest name: `post:x/y` under `post:x`.
    let narrowest = row.news.iter().max_by_key(|news| news.lane.as_str().len()).map(|news| news.status.clone());
    EventRow {
        id: format!("event:{}", row.event),
        event: Some(row.event.to_string()),
        seq: None,
        kind: "event".to_owned(),
        name: Some(row.name),
        status: narrowest,
        platform: row.platform,
        account: row.account.map(|account| account.to_string()),
        text: row.text,
        happened: row.happened.map(Into::into),
        first_arrived: row.first_arrived.into(),
        last_arrived: row.last_arrived.into(),
        arrivals: u32::try_from(row.arrivals).unwrap_or(u32::MAX),
        applied: row.applied,
        test: row.nature == "test",
        resource: Some(row.resource.to_string()),
        order: row.placing,
        late_by_ms: row.late_by_ms,
        overtaken_by: row.overtaken_by.map(|event| event.to_string()),
        stale_lanes: row.stale_lanes.into_iter().map(|lane| lane.to_string()).collect(),
        flags: row.flags,
        cause: row.cause.map(cause_row),
        signature: row.signature,
        confirmed: row.confirmed.map(Into::into),
    }
}

/// An arrival that makes no event. What a quarantined one claims is shown as a claim: it was read, never believed.
async fn aside_row(room: &Room, row: listing::ArrivalRow) -> Result<EventRow> {
    let claimed = match row.event {
        Some(_) => listing::arrival(room.store.pool(), row.seq).await?.and_then(|whole| whole.body),
        None => None,
    };
    let claimed = claimed.and_then(|body| envelope::read(&body, &room.contract).ok());
    Ok(EventRow {
        id: format!("arrival:{}", row.seq.0),
        event: None,
        seq: Some(row.seq.0),
        kind: row.standing,
        name: claimed.as_ref().map(|reading| reading.name.clone()),
        status: None,
        platform: None,
        account: None,
        text: claimed.and_then(|reading| reading.text),
        happened: None,
        first_arrived: row.arrived.into(),
        last_arrived: row.arrived.into(),
        arrivals: 1,
        applied: false,
        test: false,
        resource: None,
        order: "unplaced".to_owned(),
        late_by_ms: None,
        overtaken_by: None,
        stale_lanes: Vec::new(),
        flags: row.flags,
        cause: None,
        signature: row.signature,
        confirmed: None,
    })
}

fn cause_row(cause: ToldCause) -> CauseRow {
    CauseRow { code: cause.code, confidence: cause.confidence, text: cause.says }
}

pub(super) async fn arrivals(desk: &Desk, args: EventArgs) -> Result<Vec<ArrivalRow>> {
    let room = desk.room().await;
    let rows = listing::arrivals_of(room.store.pool(), &EventId::new(args.event), MOST_ARRIVALS).await?;
    Ok(rows.into_iter().map(arrival_row).collect())
}

/// One arrival as a row.
pub(super) fn arrival_row(row: listing::ArrivalRow) -> ArrivalRow {
    ArrivalRow {
        seq: row.seq.0,
        arrived: row.arrived.into(),
        event: row.event.map(|event| event.to_string()),
        copy: u32::try_from(row.copy).unwrap_or(u32::MAX),
        standing: row.standing,
        cause: row.cause.map(cause_row),
        signature: row.signature,
        took_ms: row.took_ms,
        answer: row.answer,
        channel: row.channel,
        flags: row.flags,
    }
}

/// One arrival with what it brought; secrets are masked on the way to the screen.
pub(super) async fn arrival(desk: &Desk, args: ArrivalArgs) -> Result<ArrivalDetail> {
    let room = desk.room().await;
    let whole = listing::arrival(room.store.pool(), Seq(args.seq)).await?;
    let whole = whole.ok_or_else(|| Error::not_found("That arrival is not in this log."))?;
    let mut mask = Mask::default();
    let mut headers = whole.headers;
    secrecy::mask_headers(&mut headers, &mut mask);
    let too_large = whole.row.flags.iter().any(|flag| flag == "too_large");
    let (body, body_missing) = match whole.body.map(String::from_utf8) {
        Some(Ok(text)) if text.is_empty() => (None, Some("The request had no body.")),
        Some(Ok(text)) => (Some(secrecy::masked_text(text, &mut mask)), None),
        Some(Err(_)) => (None, Some("The body is no text.")),
        None if too_large => (None, Some("The body was over the size limit and was not kept.")),
        None => (None, Some("The body has aged out; everything else is kept.")),
    };
    Ok(ArrivalDetail {
        row: arrival_row(whole.row),
        headers,
        body,
        body_len: whole.body_len,
        body_missing: body_missing.map(str::to_owned),
    })
}

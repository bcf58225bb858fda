//! Events and their arrivals, as the screens show them.

use std::collections::BTreeSet;

use super::wire::{
    ArrivalArgs, ArrivalDetail, ArrivalRow, CauseRow, CompareArgs, Compared, EventAccount, EventArgs, EventKinds,
    EventRow, EventsFilter, EventsOnly, EventsPage, EventsPageArgs, Looked, Nothing,
};
use crate::{
    clock::Moment,
    desk::{Desk, Room},
    error::{Error, Result},
    ids::{AccountId, EventId, Resource, Seq},
    pozy::{
        envelope,
        secrecy::{self, Mask},
    },
    store::{
        arrivals,
        listing::{self, ToldCause},
        pages::{self, Listed, Only},
        set_aside,
        sift::{self, Bounds, Filter},
    },
};

/// Rows on a page if nobody says.
const PAGE: u32 = 80;
/// Most rows on a page.
const MOST: u32 = 200;
/// Most arrivals of one event that are shown at once.
const MOST_ARRIVALS: u32 = 500;

/// Most rows of which one page of a filtered list is made; a row of it is fetched by itself.
const MOST_FITTING: u32 = 100;
/// Newest messages whose names and platforms can be chosen in the filter.
const RECENT: u32 = 2_000;
/// Most accounts that can be chosen in the filter.
const ACCOUNTS: u32 = 200;

/// Events and arrivals set aside in one list, last arrival first.
pub(super) async fn page(desk: &Desk, args: EventsPageArgs) -> Result<EventsPage> {
    let room = desk.room().await;
    let limit = args.limit.unwrap_or(PAGE).clamp(1, MOST);
    let only = args.only.map(kind);
    match args.filter.filter(|filter| *filter != EventsFilter::default()) {
        None => {
            let page = pages::page(room.store.pool(), args.after.as_deref(), limit, only).await?;
            Ok(EventsPage { rows: listed(&room, page.rows).await?, next: page.next, looked: None })
        }
        Some(filter) if args.indexed == Some(true) => {
            let filter = filter_of(filter, only);
            let limit = usize::try_from(limit.min(MOST_FITTING)).unwrap_or_default();
            let rows = sift::by_words(room.store.pool(), &filter, limit).await?;
            Ok(EventsPage { rows: listed(&room, rows).await?, next: None, looked: None })
        }
        Some(filter) => {
            let filter = filter_of(filter, only);
            let bounds = Bounds { after: args.after.as_deref(), since: args.since.as_deref() };
            // Taken first: whatever comes while the rest is read is in front of it, and is met next time.
            let ends = sift::ends(room.store.pool()).await?;
            let limit = usize::try_from(limit.min(MOST_FITTING)).unwrap_or_default();
            let found = sift::sift(room.store.pool(), &filter, bounds, limit).await?;
            let looked = Looked {
                reached: found.reached.map(Into::into),
                oldest: ends.as_ref().map(|ends| ends.oldest_at.into()),
                newest_at: ends.as_ref().map(|ends| ends.newest_at.into()),
                newest: ends.map(|ends| ends.newest),
            };
            Ok(EventsPage { rows: listed(&room, found.rows).await?, next: found.next, looked: Some(looked) })
        }
    }
}

const fn kind(only: EventsOnly) -> Only {
    match only {
        EventsOnly::Copies => Only::Copies,
        EventsOnly::Late => Only::Late,
        EventsOnly::Ties => Only::Ties,
        EventsOnly::Tests => Only::Tests,
        EventsOnly::SetAside => Only::SetAside,
    }
}

fn filter_of(filter: EventsFilter, only: Option<Only>) -> Filter {
    let text = filter.text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    Filter {
        only,
        name: filter.name,
        platform: filter.platform,
        account: filter.account.map(AccountId::new),
        resource: filter.about.map(Resource::new),
        cause: filter.cause,
        late_ms: filter.late_ms,
        from: filter.from_ms.map(Moment::from_millis),
        // The millisecond that is named is in.
        to: filter.to_ms.map(|ms| Moment(Moment::from_millis(ms.saturating_add(1)).0.saturating_sub(1))),
        text,
    }
}

async fn listed(room: &Room, found: Vec<Listed>) -> Result<Vec<EventRow>> {
    let mut rows = Vec::with_capacity(found.len());
    for row in found {
        rows.push(match row {
            Listed::Event(row) => event_row(*row),
            Listed::Aside(row) => aside_row(room, *row).await?,
        });
    }
    Ok(rows)
}

/// What can be chosen in the filter of the list.
pub(super) async fn kinds(desk: &Desk, _: Nothing) -> Result<EventKinds> {
    let room = desk.room().await;
    let mut names: BTreeSet<String> = room.contract.events.keys().cloned().collect();
    let mut platforms = BTreeSet::new();
    for (name, platform) in sift::recent_kinds(room.store.pool(), RECENT).await? {
        names.insert(name);
        platforms.extend(platform);
    }
    let accounts = sift::accounts(room.store.pool(), ACCOUNTS).await?;
    platforms.extend(accounts.iter().filter_map(|(_, platform)| platform.clone()));
    Ok(EventKinds {
        names: names.into_iter().filter(|name| !name.is_empty()).collect(),
        platforms: platforms.into_iter().collect(),
        accounts: accounts
            .into_iter()
            .map(|(account, platform)| EventAccount { account: account.to_string(), platform })
            .collect(),
    })
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
    let whole = whole_arrival(&*desk.room().await, args.seq).await?;
    Ok(secrecy::twice(Mask::default(), |mask| masked(whole.clone(), mask)))
}

/// Two arrivals under one mask, so that equal secrets look equal and others do not.
pub(super) async fn compare(desk: &Desk, args: CompareArgs) -> Result<Compared> {
    let room = desk.room().await;
    let first = whole_arrival(&room, args.first).await?;
    let second = whole_arrival(&room, args.second).await?;
    let of_first = arrivals::source(room.store.pool(), first.row.seq).await?;
    let of_second = arrivals::source(room.store.pool(), second.row.seq).await?;
    Ok(secrecy::twice(Mask::default(), |mask| {
        let mut side = |whole: &listing::ArrivalDetail, source| {
            mask.meet(source);
            masked(whole.clone(), mask)
        };
        Compared { first: side(&first, of_first), second: side(&second, of_second) }
    }))
}

/// One arrival as the log has it. One that counts since it was verified again is the row that took its standing, so that
/// whatever named it before leads on.
pub(super) async fn whole_arrival(room: &Room, seq: i64) -> Result<listing::ArrivalDetail> {
    let pool = room.store.pool();
    let mut whole = listing::arrival(pool, Seq(seq)).await?;
    if whole.is_none()
        && let Some(place) = set_aside::in_its_place(pool, Seq(seq)).await?
    {
        whole = listing::arrival(pool, place).await?;
    }
    whole.ok_or_else(|| Error::not_found("That arrival is not in this log."))
}

fn masked(whole: listing::ArrivalDetail, mask: &mut Mask) -> ArrivalDetail {
    let mut headers = whole.headers;
    secrecy::mask_headers(&mut headers, mask);
    let has = |word: &str| whole.row.flags.iter().any(|flag| flag == word);
    let (too_large, no_room) = (has("too_large"), has("no_room"));
    let (body, body_missing) = match whole.body.map(String::from_utf8) {
        Some(Ok(text)) if text.is_empty() => (None, Some("The request had no body.")),
        Some(Ok(text)) => (Some(secrecy::masked_text(text, mask)), None),
        Some(Err(_)) => (None, Some("The body is no text.")),
        None if too_large => (None, Some("The body was over the size limit and was not kept.")),
        None if no_room => (
            None,
            Some(
                "It counts for nothing, and what is set aside had taken all its room (64 MiB), so the body was not kept.",
            ),
        ),
        None => (None, Some("The body has aged out; everything else is kept.")),
    };
    ArrivalDetail {
        row: arrival_row(whole.row),
        headers,
        body,
        body_len: whole.body_len,
        body_missing: body_missing.map(str::to_owned),
    }
}

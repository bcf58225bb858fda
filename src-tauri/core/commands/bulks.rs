//! Many jobs at once: a dry run, and what a person decides on it.

use super::{
    rows::body_words,
    wire::{
        BulkArgs, BulkDetail, BulkForecast, BulkGroupRow, BulkRow, BulkRows, BulkRowsArgs, Bulks, Nothing,
        PlanBulkArgs, RunBulkArgs,
    },
};
use crate::{
    desk::{Desk, Room},
    error::Result,
    ids::{AccountId, BulkMark, JobMark},
    outbound::{
        bulk::{
            AT_ONCE, Bulk, Row,
            group::Group,
            plan,
            report::{self, Line},
            run::{self, Choice, Run},
        },
        lock::JobLock,
    },
    settings,
    store::{bulks, waits},
};

/// Bulks that are listed.
const LISTED: u32 = 20;
/// Rows on a page if nobody says, and at most.
const PAGE: u32 = 100;
const MOST: u32 = 200;

pub(super) async fn list(desk: &Desk, _: Nothing) -> Result<Bulks> {
    let room = desk.room().await;
    let mut found = Vec::new();
    for bulk in bulks::newest(room.store.pool(), LISTED).await? {
        found.push(detail(&room, bulk).await?);
    }
    Ok(Bulks { bulks: found })
}

pub(super) async fn one(desk: &Desk, args: BulkArgs) -> Result<BulkDetail> {
    let room = desk.room().await;
    detail(&room, bulks::by_mark(room.store.pool(), &BulkMark::new(args.bulk)).await?).await
}

pub(super) async fn rows(desk: &Desk, args: BulkRowsArgs) -> Result<BulkRows> {
    let room = desk.room().await;
    let pool = room.store.pool();
    let bulk = bulks::by_mark(pool, &BulkMark::new(args.bulk)).await?;
    let limit = args.limit.unwrap_or(PAGE).clamp(1, MOST);
    let found = bulks::page(pool, bulk.id, args.group, args.after.unwrap_or(0), limit).await?;
    let full = found.len() == usize::try_from(limit).unwrap_or(usize::MAX);
    let next = found.last().filter(|_| full).map(|row| row.n);
    let mut rows = Vec::with_capacity(found.len());
    for row in found {
        rows.push(bulk_row(&room, row).await?);
    }
    Ok(BulkRows { rows, next })
}

pub(super) async fn plan(desk: &Desk, args: PlanBulkArgs) -> Result<BulkDetail> {
    let room = desk.room().await;
    let connection = room.connected()?;
    let at_once = settings::get(room.store.pool(), settings::BULK_AT_ONCE).await?.unwrap_or(AT_ONCE);
    let bulk = plan::plan(&room.store, &room.clock, connection, args.filter, at_once).await?;
    detail(&room, bulk).await
}

pub(super) async fn fetch(desk: &Desk, args: BulkArgs) -> Result<BulkDetail> {
    let room = desk.room().await;
    let bulk = plan::fetch_first(&room.store, &room.clock, room.connected()?, &BulkMark::new(args.bulk)).await?;
    detail(&room, bulk).await
}

/// Runs in the background; how far it is stands in the bulk.
pub(super) async fn run(desk: &Desk, args: RunBulkArgs) -> Result<BulkDetail> {
    let room = desk.room().await;
    let mark = BulkMark::new(args.bulk);
    let choices = args.groups.into_iter().map(|choice| Choice { group: choice.group, reason: choice.reason }).collect();
    let run = Run::begin(&room.store, &room.clock, room.connected()?, &mark, choices, args.at_once).await?;
    if let Some(at_once) = args.at_once {
        room.store.write(move |connection| settings::set(connection, settings::BULK_AT_ONCE, &at_once)).await?;
    }
    room.bulks.start(run);
    detail(&room, bulks::by_mark(room.store.pool(), &mark).await?).await
}

pub(super) async fn pause(desk: &Desk, args: BulkArgs) -> Result<BulkDetail> {
    let room = desk.room().await;
    detail(&room, run::pause(&room.store, &BulkMark::new(args.bulk)).await?).await
}

pub(super) async fn stop(desk: &Desk, args: BulkArgs) -> Result<BulkDetail> {
    let room = desk.room().await;
    detail(&room, run::stop(&room.store, &BulkMark::new(args.bulk)).await?).await
}

async fn detail(room: &Room, bulk: Bulk) -> Result<BulkDetail> {
    let (pool, now) = (room.store.pool(), room.clock.now());
    let lines = bulks::lines(pool, &bulk).await?;
    let held = waits::held_until(pool, bulk.workspace).await?.filter(|until| *until > now);
    let groups = Group::ALL.into_iter().filter_map(|group| {
        let of: Vec<Line> = lines.iter().filter(|line| line.group == group).copied().collect();
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        (!of.is_empty()).then(|| BulkGroupRow {
            group,
            jobs: count(of.len()),
            account: report::account(&of, bulk.at_once, held, now),
            runs: group.deed().is_some(),
            needs_reason: group.needs_reason(),
            chosen: bulk.runs(group),
            reason: bulk.reason(group).map(str::to_owned),
        })
    });
    Ok(BulkDetail {
        groups: groups.collect(),
        at_work: JobLock::bulk_is_held(room.store.dir(), &bulk.mark)?,
        bulk: bulk.mark.to_string(),
        created: bulk.created.into(),
        workspace: bulk.workspace_name,
        filter: bulk.filter,
        state: bulk.state,
        why: bulk.why,
        at_once: bulk.at_once,
        jobs: u32::try_from(lines.len()).unwrap_or(u32::MAX),
        account: report::account(&lines, bulk.at_once, held, now),
        held_until: held.map(Into::into),
    })
}

async fn bulk_row(room: &Room, row: Row) -> Result<BulkRow> {
    let (text, targets) = body_words(room, row.job).await?;
    let accounts: Vec<String> = row.accounts.iter().map(AccountId::to_string).collect();
    Ok(BulkRow {
        n: row.n,
        job: row.mark.to_string(),
        text,
        targets,
        group: row.group,
        says: row.says,
        forecast: row.forecast.map(|told| BulkForecast {
            action: told.action,
            effect: told.effect,
            expects: told.expects,
            risk: told.risk,
            because: told.because,
            accounts,
        }),
        state: row.state,
        next: row.next.map(Into::into),
        made: row.made.as_ref().map(|(_, mark)| JobMark::to_string(mark)),
        actual: row.actual,
    })
}

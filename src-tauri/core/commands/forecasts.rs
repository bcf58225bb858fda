//! The two verbs with their forecast: what is shown before the click is what the click is held to.

use super::{
    posts::draft_of,
    rows::job_row,
    wire::{AskAgainArgs, ForecastArgs, ForecastRow, JobRow, PostAgainArgs, SubmitArgs, TimeReading, TimeTrap},
};
use crate::{
    desk::{Desk, Room},
    error::{Error, Result},
    ids::{AccountId, JobMark},
    outbound::{
        forecast::Act,
        foretell::{Consent, Plan, Shown},
        resend::{self, Part},
        schedule::{Reading, Trap},
        submit,
    },
};

/// What an act on a job would do, from what is stored.
pub(super) async fn forecast(desk: &Desk, args: ForecastArgs) -> Result<ForecastRow> {
    let room = desk.room().await;
    if args.action == Act::Submit {
        return Err(Error::usage("A job is asked again or posted again; a new post is looked at by `preflight`."));
    }
    let mark = JobMark::new(args.job);
    if args.action == Act::AskAgain && args.content.is_some() {
        return Err(Error::usage("Asking again sends the very same words; other words are posted again."));
    }
    let plan = Plan::on(&room.store, args.action, &mark, room.connection.as_ref(), None).await?;
    let plan = plan.saying(args.content.as_deref())?;
    let plan = plan.only(args.accounts.map(|accounts| accounts.into_iter().map(AccountId::new).collect()));
    show(&room, plan, args.content).await
}

/// What sending a new post would do.
pub(super) async fn preflight(desk: &Desk, args: SubmitArgs) -> Result<ForecastRow> {
    let room = desk.room().await;
    let connection = room.connected()?;
    let draft = draft_of(args)?;
    show(&room, Plan::new(&draft.path, draft.key.as_deref(), &draft.body, connection), None).await
}

async fn show(room: &Room, plan: Plan, content: Option<String>) -> Result<ForecastRow> {
    let told = plan.foretell(&room.store, &room.clock, &room.contract).await?;
    let shown = Shown { plan, forecast: told.forecast.clone(), accounts: told.accounts.clone(), content };
    Ok(ForecastRow {
        id: room.shown.keep(&room.clock, shown),
        action: told.forecast.action,
        effect: told.forecast.effect,
        expects: told.forecast.expects,
        risk: told.forecast.risk,
        because: told.forecast.because,
        suggest: told.forecast.suggest,
        accounts: told.accounts.iter().map(AccountId::to_string).collect(),
        beside: told.beside.into_iter().map(Into::into).collect(),
        at: room.clock.now().into(),
        time_trap: told.trap.as_ref().map(time_trap),
    })
}

fn time_trap(trap: &Trap) -> TimeTrap {
    let (kind, mut readings) = match trap {
        Trap::Twice(first, second) => ("twice", vec![first, second]),
        Trap::Missing(before, after) => ("missing", vec![before, after]),
        Trap::Unreadable => ("unreadable", Vec::new()),
    };
    readings.sort_by_key(|reading| reading.at);
    let row = |reading: &Reading| TimeReading {
        text: reading.text(),
        at: reading.at.into(),
        scheduled_for: reading.in_utc(),
        timezone: "UTC".to_owned(),
    };
    TimeTrap { kind: kind.to_owned(), readings: readings.into_iter().map(row).collect() }
}

pub(super) async fn ask_again(desk: &Desk, args: AskAgainArgs) -> Result<JobRow> {
    let room = desk.room().await;
    let mark = JobMark::new(args.job);
    let consent = match args.forecast {
        Some(id) => Consent::Forecast(room.shown.take(&id, Act::AskAgain, Some(&mark))?.forecast),
        None => Consent::Safe,
    };
    let view = resend::ask_again(&room.store, &room.clock, room.connected()?, &mark, consent).await?;
    job_row(&room, view).await
}

pub(super) async fn post_again(desk: &Desk, args: PostAgainArgs) -> Result<JobRow> {
    let room = desk.room().await;
    let mark = JobMark::new(args.job);
    let shown = room.shown.take(&args.forecast, Act::PostAgain, Some(&mark))?;
    let (part, consent) =
        (Part { accounts: Some(shown.accounts), content: shown.content }, Consent::Forecast(shown.forecast));
    let view =
        resend::post_again(&room.store, &room.clock, room.connected()?, &mark, part, &args.reason, consent).await?;
    job_row(&room, view).await
}

/// Sends a new post. The same form twice makes one job: a double click sends once. A confirmed forecast holds for the
/// very words it was about.
pub(super) async fn submit(desk: &Desk, args: SubmitArgs) -> Result<JobRow> {
    let room = desk.room().await;
    let connection = room.connected()?;
    let (confirmed, draft) = (args.forecast.clone(), draft_of(args)?);
    let consent = match confirmed {
        Some(id) => {
            let shown = room.shown.take(&id, Act::Submit, None)?;
            if shown.plan.body != draft.body {
                return Err(Error::refused(
                    "The post was changed after its forecast, so nothing was sent. Look at it again.",
                ));
            }
            Consent::Forecast(shown.forecast)
        }
        None => Consent::Safe,
    };
    let view = submit::submit(&room.store, &room.clock, connection, draft, consent).await?;
    job_row(&room, view).await
}

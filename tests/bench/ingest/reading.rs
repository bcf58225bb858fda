//! What reading and receiving do to each other: pages of the Events while nothing arrives, arrivals while nobody reads,
//! and both at once, on one running program.

use std::{thread, time::Duration};

use serde_json::{Value, json};
use tokio::{
    sync::oneshot,
    time::{Instant, sleep_until},
};

use crate::{
    Outcome, Plan,
    drive::{Pace, drive, share},
    held::{Held, Holds},
    load::{Load, Target},
    process::Process,
    screens::{Screens, Still},
};

/// How often the reader asks: twenty pages of fifty rows a second, more than a person scrolls.
const EACH: Duration = Duration::from_millis(50);
const ROWS: usize = 50;
/// Pages asked while nothing arrives.
const IDLE_PAGES: usize = 60;

/// One round of reading beside receiving.
pub(crate) struct Reading {
    /// 95 of a hundred pages came within this while nothing arrived.
    pub(crate) idle: Duration,
    /// The same at full rate.
    pub(crate) busy: Duration,
    /// Pages that came at full rate.
    pub(crate) pages: usize,
    /// Arrivals a second with no reader, and with one.
    pub(crate) alone: f64,
    pub(crate) beside: f64,
}

/// A round on a log of its own in `folder`, which must not exist.
pub(crate) async fn round(
    plan: &Plan,
    mut loads: impl FnMut(&Target, usize) -> Outcome<Load>,
    folder: &std::path::Path,
    secret: &str,
    reader_first: bool,
) -> Outcome<Reading> {
    let data = match &plan.log {
        Some(_) => plan.copied_log(),
        None => folder.to_owned(),
    };
    let holds = plan.log.as_ref().map(|_| Holds::after_newest(&data)).transpose()?;
    let mut command = plan.reprise(&data);
    command.args(["serve", "--receive-on", "127.0.0.1:0"]).env("POZY_WEBHOOK_SECRET", secret);
    let (mut process, line) = Process::start_naming(&mut command)?;
    let (Some(link), Some(receiver)) = (line["ui"].as_str(), line["receiver"].as_str()) else {
        return Err(format!("`reprise serve` does not receive: {line}").into());
    };
    let target = Target::webhook(receiver, secret)?;

    let mut sent = Held::default();
    let mut part = async |arrivals: usize| -> Outcome<f64> {
        let load = loads(&target, arrivals)?;
        let drive = drive(&target, &load.requests, plan.connections, Pace::Closed).await?;
        if drive.accepted != arrivals {
            return Err(format!("`reprise serve` accepted {} of {arrivals} arrivals", drive.accepted).into());
        }
        sent.0.extend(load.sent);
        Ok(drive.rate)
    };
    part(plan.warm_up).await?;
    let mut screens = Screens::open(link).await?;
    let idle = pages(&mut screens, |done| done >= IDLE_PAGES).await?;

    // Whichever comes second meets a slightly longer log, so they change places from round to round.
    let mut alone = if reader_first { None } else { Some(part(plan.arrivals).await?) };
    let (stop, stopped) = oneshot::channel();
    let reader = read_beside(screens.still()?, stopped);
    let beside = part(plan.arrivals).await?;
    drop(stop);
    let busy = reader.join().map_err(|_| "the reader broke off")??;
    if alone.is_none() {
        alone = Some(part(plan.arrivals).await?);
    }

    process.still_runs()?;
    let holds = holds.unwrap_or_else(|| Holds::Log { program: plan.program(), data });
    holds.read(None)?.fits(&sent).map_err(|problem| format!("Reprise, read from beside, {problem}"))?;
    process.stop("TERM").await?;
    Ok(Reading {
        idle: share(&idle, 95),
        busy: share(&busy, 95),
        pages: busy.len(),
        alone: alone.unwrap_or_default(),
        beside,
    })
}

/// Reads on a thread of its own, so that its times hold none of the sender's work, until `stopped`. At least one page is
/// read.
fn read_beside(
    screens: Still,
    mut stopped: oneshot::Receiver<()>,
) -> thread::JoinHandle<Result<Vec<Duration>, String>> {
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|e| e.to_string())?;
        let over = |done: usize| done > 0 && !matches!(stopped.try_recv(), Err(oneshot::error::TryRecvError::Empty));
        let read = async {
            let mut screens = screens.wake()?;
            pages(&mut screens, over).await
        };
        runtime.block_on(read).map_err(|cause| cause.to_string())
    })
}

/// Walks down the Events, from the newest again after ten pages, and gives how long each page took, sorted.
async fn pages(screens: &mut Screens, mut over: impl FnMut(usize) -> bool) -> Outcome<Vec<Duration>> {
    let mut took = Vec::new();
    let mut after = Value::Null;
    let mut due = Instant::now();
    while !over(took.len()) {
        sleep_until(due).await;
        due = Instant::now().max(due + EACH);
        let mut args = json!({ "limit": ROWS });
        if !took.len().is_multiple_of(10) && after.is_string() {
            args["after"] = after;
        }
        let page = screens.call("events", &args).await?;
        took.push(page.took);
        after = page.json()?["next"].take();
    }
    took.sort_unstable();
    Ok(took)
}

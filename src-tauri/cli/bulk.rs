//! Many jobs at once: one line a job, with its forecast and what came of it.

use reprise_core::{
    clock::Moment,
    commands::wire::{BulkArgs, BulkDetail, PlanBulkArgs},
    desk::Desk,
    error::Result,
    ids::{BulkMark, JobMark},
    outbound::{
        bulk::{
            self as core, Row, State,
            came::{Actual, RowState},
            filter::Filter,
            group::Group,
            run::{Choice, Run},
        },
        forecast::Forecast,
    },
    store::bulks,
};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::{
    Answer,
    output::{Output, word},
    running::stopped,
    sending::json,
};

/// One job of a bulk.
#[derive(Serialize)]
struct Line {
    bulk: BulkMark,
    n: u32,
    job: JobMark,
    group: Group,
    says: String,
    forecast: Option<Forecast>,
    state: RowState,
    made: Option<JobMark>,
    next_at: Option<Moment>,
    actual: Option<Actual>,
}

/// Plans and shows what it would do.
pub(crate) async fn plan(desk: &Desk, filter: Filter, output: &mut Output) -> Result<Answer> {
    let planned = desk.call("plan_bulk", json(&PlanBulkArgs { filter })?).await?;
    show(desk, planned["bulk"].as_str().unwrap_or_default(), output).await
}

/// Looks at the posts that are called failed, and shows what that changed.
pub(crate) async fn fetch(desk: &Desk, bulk: String, output: &mut Output) -> Result<Answer> {
    desk.call("fetch_bulk", json(&BulkArgs { bulk: bulk.clone() })?).await?;
    show(desk, &bulk, output).await
}

/// Runs in the foreground; Ctrl C lets what is on the wire end, and holds the rest.
pub(crate) async fn run(
    desk: &Desk,
    bulk: String,
    choices: Vec<Choice>,
    at_once: Option<u32>,
    output: &mut Output,
) -> Result<Answer> {
    let (store, clock, connection) = (desk.store().await, desk.clock(), desk.connection().await?);
    let run = Run::begin(&store, clock, &connection, &BulkMark::new(&bulk), choices, at_once).await?;
    let stop = CancellationToken::new();
    let (ended, held) = (CancellationToken::new(), stop.clone());
    let waits = ended.clone();
    let signal = tokio::spawn(async move {
        tokio::select! {
            done = stopped() => {
                held.cancel();
                done
            }
            () = waits.cancelled() => Ok(()),
        }
    });
    let state = run.to_the_end(&stop).await;
    ended.cancel();
    // The signal's task has nothing more to say.
    drop(signal.await);
    show(desk, &bulk, output).await?;
    Ok(if state? == State::Done { Answer::Yes } else { Answer::No })
}

/// Holds a bulk.
pub(crate) async fn pause(desk: &Desk, bulk: String, output: &mut Output) -> Result<Answer> {
    core::run::pause(&desk.store().await, &BulkMark::new(&bulk)).await?;
    show(desk, &bulk, output).await
}

/// Ends a bulk.
pub(crate) async fn stop(desk: &Desk, bulk: String, output: &mut Output) -> Result<Answer> {
    core::run::stop(&desk.store().await, &BulkMark::new(&bulk)).await?;
    show(desk, &bulk, output).await
}

/// The jobs of a bulk, and for people what they add up to.
pub(crate) async fn show(desk: &Desk, bulk: &str, output: &mut Output) -> Result<Answer> {
    let store = desk.store().await;
    let found = bulks::by_mark(store.pool(), &BulkMark::new(bulk)).await?;
    output.title("group           job               foretold                came")?;
    for row in bulks::rows(store.pool(), found.id).await? {
        output.list(&line(&found.mark, row), words)?;
    }
    let detail: BulkDetail = desk.bulk(bulk).await?;
    output.title(&account_words(&detail))?;
    Ok(Answer::Yes)
}

/// The latest bulks, one a line.
pub(crate) async fn list(desk: &Desk, output: &mut Output) -> Result<Answer> {
    output.title("planned                      state     jobs  over  bulk")?;
    for detail in desk.bulks().await? {
        output.row(&detail, |detail| {
            let state = word(&detail.state);
            let over = format!("{}/{}", detail.account.over, detail.account.of);
            format!("{:<28} {state:<9} {:<5} {over:<5} {}", detail.created.text, detail.jobs, detail.bulk)
        })?;
    }
    Ok(Answer::Yes)
}

fn line(bulk: &BulkMark, row: Row) -> Line {
    Line {
        bulk: bulk.clone(),
        n: row.n,
        job: row.mark,
        group: row.group,
        says: row.says,
        forecast: row.forecast,
        state: row.state,
        made: row.made.map(|(_, mark)| mark),
        next_at: row.next,
        actual: row.actual,
    }
}

fn words(line: &Line) -> String {
    let told = line.forecast.as_ref().map_or("-", |told| told.effect.word());
    let came = match &line.actual {
        Some(actual) => actual.says.clone(),
        None if line.state == RowState::Waits => line.says.clone(),
        None => word(&line.state),
    };
    format!("{:<15} {:<17} {told:<23} {came}", line.group.word(), line.job)
}

fn account_words(detail: &BulkDetail) -> String {
    let sum = &detail.account;
    let why = detail.why.as_ref().map_or_else(String::new, |why| format!("\n{why}"));
    format!(
        "{}: {}, {} of {} over, {} as foretold, {} otherwise, {} changed before, {} open, {} left alone; posts made {}, \
         second live ones {}{why}",
        detail.bulk,
        word(&detail.state),
        sum.over,
        sum.of,
        sum.as_foretold,
        sum.differed,
        sum.changed,
        sum.unsettled,
        sum.left_alone,
        sum.posts_created,
        sum.second_live
    )
}

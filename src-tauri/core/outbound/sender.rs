//! Sends: one attempt of one job under its lock ([`send`]), and the loop that asks waiting jobs again by the plan
//! ([`start`]). The row of an attempt is on disk before its first byte leaves, its end right after (design 4.2).

use std::{collections::HashSet, time::Duration};

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{
    background::Loop,
    connection::Connection,
    fault::{self, Step},
    foretell::{Consent, Plan},
    job::{EndKind, Facts},
    lock::JobLock,
    outcome::{self, State},
    resend,
    retry::KeyEnd,
    view::JobView,
};
use crate::{
    clock::{Clock, Moment},
    error::{Code, Error, Result},
    ids::{JobId, JobMark},
    pozy::client::{Order, Sent},
    store::{
        Store, contents, job_facts,
        jobs::{self, NewAttempt, NewEnd},
        waits,
    },
};

/// Most jobs on the wire at once.
const AT_ONCE: usize = 4;
/// Most due jobs looked at in one round.
const ROUND: u32 = 256;
/// How often other processes' rows are looked for.
const LOOK: Duration = Duration::from_millis(250);
/// Commits that come in a burst are answered by one round.
const BURST: Duration = Duration::from_millis(20);

/// Why a job is sent now; each has its own limits.
#[derive(Clone, Debug)]
pub enum Occasion {
    /// A person just asked for it; what was foretold stands in the job's own transaction.
    First,
    /// A person asks again, and confirmed this.
    ByHand(Box<Plan>, Consent),
    /// The plan says so (design 4.4).
    ByPlan,
}

/// Makes one attempt of the job whose lock is `lock`, and waits for its end. An attempt whose program died is settled
/// first. Goes on to its end even if the caller goes away.
///
/// # Errors
/// `Refused` with the reason why nothing was sent, `Storage` if the log cannot be written: before the attempt's row
/// nothing was sent, after it the outcome is unknown. What Pozy answers is no error.
pub async fn send(
    store: &Store,
    clock: &Clock,
    connection: &Connection,
    job: JobId,
    occasion: Occasion,
    lock: JobLock,
) -> Result<JobView> {
    let (store, clock, connection) = (store.clone(), clock.clone(), connection.clone());
    let tries = connection.tries.clone();
    let task = tries.spawn(async move {
        let done = attempt(&store, &clock, &connection, job, occasion).await;
        drop(lock);
        done?;
        JobView::of(&store, &clock, &connection.contract, job_facts::by_id(store.pool(), job).await?).await
    });
    task.await.map_err(|cause| Error::caused(Code::Internal, "A mistake of ours stopped this try.", cause))?
}

async fn attempt(store: &Store, clock: &Clock, connection: &Connection, job: JobId, occasion: Occasion) -> Result<()> {
    connection.at_home(store, clock).await?;
    let mut facts = job_facts::by_id(store.pool(), job).await?;
    if facts.is_open() {
        settle(store, clock, connection, &facts).await?;
        facts = job_facts::by_id(store.pool(), job).await?;
    }
    let newest = job_facts::newest(store.pool()).await?;
    allow(&facts, connection, &occasion, newest, clock.now())?;
    let body = match &facts.body {
        Some(hash) => contents::get(store.pool(), hash).await?,
        None => return Err(Error::refused("The bytes of this job are not in the log, so it cannot be sent.")),
    };

    let n = facts.attempts.iter().map(|attempt| attempt.n).max().unwrap_or(0) + 1;
    let (at, row, bytes) = (clock.now(), facts.clone(), body.clone());
    let (print, contract) = (connection.key_print.clone(), connection.contract.clone());
    let attempt = store
        .write(move |connection| {
            if let Occasion::ByHand(plan, consent) = &occasion {
                let told = plan.foretell_written(connection, at, &contract)?.forecast;
                consent.covers(&told)?;
                jobs::insert_confirmation(connection, row.id, at, &told)?;
            }
            let new = NewAttempt {
                job: row.id,
                n,
                at,
                method: &row.method,
                path: &row.path,
                workspace: row.workspace,
                key: row.key.as_deref(),
                key_print: Some(&print),
                request_id: row.request_id.as_deref(),
                body: Some(&bytes),
                masked: false,
                import: None,
            };
            let attempt = jobs::insert_attempt(connection, &new)?;
            jobs::judge(connection, row.id, true, at, &contract)?;
            Ok(attempt)
        })
        .await?;
    fault::may_die_at(Step::AttemptWritten);

    let order = Order {
        method: &facts.method,
        path: &facts.path,
        key: facts.key.as_deref(),
        request_id: facts.request_id.as_deref(),
        body: &body,
    };
    let noted = match &connection.seat {
        Some(seat) => seat.note(attempt).await,
        None => Ok(()),
    };
    let sent = match noted {
        Ok(()) => connection.client.send(&order).await,
        Err(problem) => Err(problem),
    };
    fault::may_die_at(Step::AnswerReceived);
    let (kind, answer, problem) = match sent {
        Ok(Sent::Answered(answer)) => (EndKind::Answered, Some(answer), None),
        Ok(Sent::Timeout) => (EndKind::Timeout, None, None),
        Ok(Sent::Reset) => (EndKind::Reset, None, None),
        Ok(Sent::NotSent) => (EndKind::NotSent, None, None),
        Err(problem) => (EndKind::NotSent, None, Some(problem)),
    };
    let (end, contract) = (NewEnd { kind, at: clock.now(), answer }, connection.contract.clone());
    store
        .write(move |connection| {
            jobs::insert_end(connection, attempt, &facts.path, &body, &end, &contract)?;
            jobs::judge(connection, facts.id, false, end.at, &contract)
        })
        .await?;
    fault::may_die_at(Step::AnswerWritten);
    problem.map_or(Ok(()), Err)
}

/// Writes down that the job's latest attempt was interrupted. Only under the job's lock, so that no living sender's
/// attempt is ever settled.
async fn settle(store: &Store, clock: &Clock, connection: &Connection, facts: &Facts) -> Result<()> {
    let Some(last) = facts.attempts.last() else { return Ok(()) };
    let (attempt, job, path) = (last.id, facts.id, facts.path.clone());
    let (end, contract) = (NewEnd { kind: EndKind::Crash, at: clock.now(), answer: None }, connection.contract.clone());
    store
        .write(move |connection| {
            jobs::insert_end(connection, attempt, &path, &[], &end, &contract)?;
            jobs::judge(connection, job, false, end.at, &contract)
        })
        .await?;
    Ok(())
}

/// The last gate before the wire, under the lock: only through the job's own connection and API key (design 4.1), and
/// only within the limits of the occasion.
pub(super) fn allow(
    facts: &Facts,
    connection: &Connection,
    occasion: &Occasion,
    newest: Moment,
    now: Moment,
) -> Result<()> {
    let contract = &*connection.contract;
    let judged = outcome::judge(facts, false, newest, now, contract);
    is_own(facts, connection)?;
    match occasion {
        Occasion::ByPlan => match judged.next_at {
            Some(at) if at <= now => Ok(()),
            _ => Err(Error::refused("It is not due yet. Nothing was sent.")),
        },
        Occasion::ByHand(..) => resend::may_be_sent(facts).map_err(resend::No::refusal),
        Occasion::First => match KeyEnd::of(facts.key_use.as_ref(), contract) {
            KeyEnd::At(_) if judged.safe_until.is_some_and(|until| now.max(newest) <= until) => Ok(()),
            KeyEnd::Unused => Ok(()),
            KeyEnd::At(_) | KeyEnd::Unknown => Err(Error::refused(
                "This key was used before, and Pozy may have forgotten it since. Leave the key out and a new one is \
                 made. Nothing was sent.",
            )),
        },
    }
}

/// Holds if the job may go through `connection`: its own workspace, or the one that a person said a file's name means;
/// and the API key its key was first sent with, where that is known.
///
/// # Errors
/// `Refused`: keys belong to a workspace (R12), and nobody said that it is the same one (S11, row j).
pub(super) fn is_own(facts: &Facts, connection: &Connection) -> Result<()> {
    if facts.tied.unwrap_or(facts.workspace) != connection.workspace {
        return Err(Error::refused(format!(
            "{} belongs to the workspace {}; keys do not hold in another one, so a second post could come of it. \
             Nothing was sent.",
            facts.mark, facts.workspace_name
        )));
    }
    let other_key = facts.key_use.as_ref().is_some_and(|used| match used.first_print.as_deref() {
        Some(first) => first != connection.key_print,
        None => facts.tied.is_none(),
    });
    if other_key {
        return Err(resend::No::OtherApiKey.refusal());
    }
    Ok(())
}

/// Asks the job again by its plan until nothing more is planned, whoever sends it, and gives its last word.
///
/// # Errors
/// `NotFound`, `Storage`.
pub async fn until_settled(store: &Store, clock: &Clock, connection: &Connection, mark: &JobMark) -> Result<JobView> {
    loop {
        let facts = job_facts::by_mark(store.pool(), mark).await?;
        let view = JobView::of(store, clock, &connection.contract, facts).await?;
        match view.judged.next_at {
            Some(at) if at <= clock.now() && is_held(store, clock, connection).await? => tokio::time::sleep(LOOK).await,
            Some(at) if at <= clock.now() => match JobLock::take(store.dir(), mark).await {
                Ok(lock) => match send(store, clock, connection, view.facts.id, Occasion::ByPlan, lock).await {
                    // Another sender was faster.
                    Err(no) if no.code == Code::Refused => tokio::time::sleep(LOOK).await,
                    other => drop(other?),
                },
                Err(busy) if busy.code == Code::Busy => tokio::time::sleep(LOOK).await,
                Err(cause) => return Err(cause),
            },
            Some(at) => tokio::time::sleep(until(at, clock.now())).await,
            None if view.judged.state == State::Sending => tokio::time::sleep(LOOK).await,
            None => return Ok(view),
        }
    }
}

/// True while Pozy has asked to slow down (429): that holds for the whole connection, not for one job alone (R13).
async fn is_held(store: &Store, clock: &Clock, connection: &Connection) -> Result<bool> {
    let until = waits::held_until(store.pool(), connection.workspace).await?;
    Ok(until.is_some_and(|until| until > clock.now()))
}

/// How long to sleep towards `at`, at most [`LOOK`], so that the deeds of other processes are seen.
fn until(at: Moment, now: Moment) -> Duration {
    Duration::from_millis(u64::try_from(at.ms_since(now).saturating_add(1)).unwrap_or(0)).min(LOOK)
}

/// Starts the loop that keeps the promises of waiting jobs, for one connection. Interrupted attempts are settled first,
/// then asked again by the plan. Several may run, in several processes: the job's lock lets one of them send.
#[must_use]
pub fn start(store: Store, clock: Clock, connection: Connection) -> Loop {
    Loop::start(|stop| run(store, clock, connection, stop))
}

async fn run(store: Store, clock: Clock, connection: Connection, stop: CancellationToken) {
    if let Err(problem) = JobLock::sweep(store.dir()) {
        tracing::warn!("old locks stay: {problem}");
    }
    let mut commits = store.commits();
    let mut on_the_wire = HashSet::new();
    let mut tasks = JoinSet::new();
    while !stop.is_cancelled() {
        if let Err(problem) = round(&store, &clock, &connection, &mut on_the_wire, &mut tasks).await {
            tracing::warn!("waiting jobs could not be looked at: {problem}");
        }
        let pause = match job_facts::next_due(store.pool(), connection.workspace).await {
            Ok(Some(at)) if at > clock.now() => until(at, clock.now()),
            _ => LOOK,
        };
        tokio::select! {
            () = stop.cancelled() => break,
            () = tokio::time::sleep(pause) => {}
            Some(done) = tasks.join_next(), if !tasks.is_empty() => {
                if let Ok(job) = done {
                    on_the_wire.remove(&job);
                }
            }
            changed = commits.changed() => match changed {
                Ok(()) => tokio::time::sleep(BURST).await,
                Err(_) => break,
            },
        }
    }
    while tasks.join_next().await.is_some() {}
}

/// Settles what was interrupted, and starts what is due.
async fn round(
    store: &Store,
    clock: &Clock,
    connection: &Connection,
    on_the_wire: &mut HashSet<JobId>,
    tasks: &mut JoinSet<JobId>,
) -> Result<()> {
    for (job, mark) in job_facts::unfinished(store.pool()).await? {
        if let Some(_lock) = free(store, &mark).await? {
            let facts = job_facts::by_id(store.pool(), job).await?;
            if facts.is_open() {
                settle(store, clock, connection, &facts).await?;
            }
        }
    }
    let due = job_facts::due(store.pool(), connection.workspace, clock.now(), ROUND).await?;
    if !due.is_empty() {
        connection.at_home(store, clock).await?;
    }
    for facts in due {
        if on_the_wire.len() >= AT_ONCE || is_held(store, clock, connection).await? {
            break;
        }
        if on_the_wire.contains(&facts.id) {
            continue;
        }
        let Some(lock) = free(store, &facts.mark).await? else { continue };
        let view = JobView::of(store, clock, &connection.contract, facts).await?;
        let job = view.facts.id;
        if view.judged.next_at.is_none_or(|at| at > clock.now()) {
            // Its time went by, or moved: the stored word follows, so that it is not due any more.
            let (now, contract) = (clock.now(), connection.contract.clone());
            store.write(move |connection| jobs::judge(connection, job, false, now, &contract)).await?;
            continue;
        }
        on_the_wire.insert(job);
        let (store, clock, connection) = (store.clone(), clock.clone(), connection.clone());
        tasks.spawn(async move {
            if let Err(problem) = send(&store, &clock, &connection, job, Occasion::ByPlan, lock).await {
                tracing::warn!("a waiting job was not sent: {problem}");
            }
            job
        });
    }
    Ok(())
}

/// The job's lock if nobody holds it.
async fn free(store: &Store, mark: &JobMark) -> Result<Option<JobLock>> {
    if JobLock::is_held(store.dir(), mark)? {
        return Ok(None);
    }
    match JobLock::take(store.dir(), mark).await {
        Ok(lock) => Ok(Some(lock)),
        Err(busy) if busy.code == Code::Busy => Ok(None),
        Err(cause) => Err(cause),
    }
}

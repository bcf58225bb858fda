//! Runs a bulk: a few rows at once, all of them waiting while Pozy asks to slow down (429, R13), to the end or to the
//! first answer that was not foretold. One runner a bulk, over all processes; what it did stands in the rows, so that
//! another one goes on from there.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use super::{
    Bulk, MOST_AT_ONCE, Row, State,
    came::RowState,
    group::Group,
    plan,
    row::{Doing, Way},
};
use crate::{
    clock::{Clock, Moment},
    error::{Code, Error, Result},
    ids::BulkMark,
    outbound::{connection::Connection, lock::JobLock},
    store::{Store, bulks, waits},
};

/// How often the state of the bulk and the wait are looked at.
const LOOK: Duration = Duration::from_millis(100);

/// A group that a person decided to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The group.
    pub group: Group,
    /// Why new posts are made; needed where they are, kept from an earlier decision.
    pub reason: Option<String>,
}

/// A bulk that is about to run, or goes on. Holds the right to do so.
pub struct Run {
    way: Way,
    todo: Vec<Doing>,
    _turn: JobLock,
}

impl Run {
    /// Records what a person decided and makes ready to run. Rows of earlier decisions go on as well.
    ///
    /// # Errors
    /// `Usage` if a group cannot be run or lacks its reason, `Busy` if somebody is at work on the bulk, `Refused` if it
    /// was ended or belongs to another workspace, `NotFound`, `Storage`. Nothing was sent.
    pub async fn begin(
        store: &Store,
        clock: &Clock,
        connection: &Connection,
        mark: &BulkMark,
        choices: Vec<Choice>,
        at_once: Option<u32>,
    ) -> Result<Self> {
        let bulk = plan::own(store, connection, mark).await?;
        let turn = JobLock::take_bulk(store.dir(), mark).await?;
        if at_once.is_some_and(|n| !(1..=MOST_AT_ONCE).contains(&n)) {
            return Err(Error::usage(format!("1 to {MOST_AT_ONCE} rows are sent at once. Nothing was sent.")));
        }
        for choice in &choices {
            check(&bulk, choice)?;
        }
        if choices.is_empty() && bulk.chosen.is_empty() {
            return Err(Error::usage("Choose at least one group to run. Nothing was sent."));
        }
        let (id, now) = (bulk.id, clock.now());
        let from = [State::Planned, State::Running, State::Paused, State::Differs, State::Done];
        store
            .write(move |db| {
                for choice in &choices {
                    let reason = choice.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
                    bulks::decide(db, id, choice.group, reason.filter(|_| choice.group.needs_reason()), now)?;
                }
                if let Some(at_once) = at_once {
                    bulks::set_at_once(db, id, at_once)?;
                }
                if bulks::move_on(db, id, &from, State::Running, None)? {
                    return Ok(());
                }
                Err(Error::refused("This bulk was ended. Plan a new one; what is done stays done. Nothing was sent."))
            })
            .await?;
        let bulk = Arc::new(bulks::by_mark(store.pool(), mark).await?);
        let mut rows = bulks::rows(store.pool(), bulk.id).await?;
        rows.retain(|row| bulk.runs(row.group) && !row.state.is_over());
        rows.sort_by_key(order);
        Ok(Self {
            way: Way { store: store.clone(), clock: clock.clone(), connection: connection.clone(), bulk },
            todo: rows.into_iter().map(|row| Doing { row, looks: 0 }).collect(),
            _turn: turn,
        })
    }

    /// Runs until every chosen row is over, an answer differs from its forecast, a person holds or ends it, or `stop`
    /// says that the program closes. Waits for what is on the wire in any case.
    ///
    /// # Errors
    /// `Storage` if the log cannot be read or written: the bulk is held, and goes on when it is run again.
    pub async fn to_the_end(mut self, stop: &CancellationToken) -> Result<State> {
        let ran = self.go(stop).await;
        let (to, why) = match &ran {
            Ok(End::Over) => (State::Done, None),
            Ok(End::Differs(row)) => (State::Differs, Some(differs(row))),
            Ok(End::Held) if stop.is_cancelled() => {
                (State::Paused, Some("The program was closed. What is done stays done; it can go on.".to_owned()))
            }
            Ok(End::Held) => (State::Paused, None),
            Err(problem) => (State::Paused, Some(problem.message.clone())),
        };
        let (store, id) = (&self.way.store, self.way.bulk.id);
        // A person may have held or ended it meanwhile: then that stays.
        let moved = store.write(move |db| bulks::move_on(db, id, &[State::Running], to, why.as_deref())).await;
        ran?;
        moved?;
        bulks::state(store.pool(), id).await
    }

    async fn go(&mut self, stop: &CancellationToken) -> Result<End> {
        let mut tasks: JoinSet<Result<Doing>> = JoinSet::new();
        let mut end: Option<Result<End>> = None;
        loop {
            if end.is_none() && (stop.is_cancelled() || self.state().await? != State::Running) {
                end = Some(Ok(End::Held));
            }
            if end.is_none() && self.held().await?.is_none() {
                self.start(&mut tasks);
            }
            if tasks.is_empty() && (end.is_some() || self.todo.is_empty()) {
                return end.unwrap_or(Ok(End::Over));
            }
            tokio::select! {
                Some(done) = tasks.join_next(), if !tasks.is_empty() => match done {
                    Ok(Ok(doing)) if doing.row.state == RowState::Differs => {
                        end.get_or_insert(Ok(End::Differs(Box::new(doing.row))));
                    }
                    Ok(Ok(doing)) if doing.row.state.is_over() => {}
                    Ok(Ok(doing)) => self.todo.push(doing),
                    Ok(Err(problem)) => {
                        end.get_or_insert(Err(problem));
                    }
                    Err(cause) => {
                        let problem = Error::caused(Code::Internal, "A mistake of ours stopped this row.", cause);
                        end.get_or_insert(Err(problem));
                    }
                },
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    /// Starts rows that are due, as many as may be on the wire.
    fn start(&mut self, tasks: &mut JoinSet<Result<Doing>>) {
        let most = usize::try_from(self.way.bulk.at_once).unwrap_or(1);
        let now = self.way.clock.now();
        while tasks.len() < most
            && let Some(at) = self.todo.iter().position(|doing| doing.row.next.is_none_or(|next| next <= now))
        {
            let (doing, way) = (self.todo.remove(at), self.way.clone());
            tasks.spawn(async move { way.step(doing).await });
        }
    }

    async fn state(&self) -> Result<State> {
        bulks::state(self.way.store.pool(), self.way.bulk.id).await
    }

    async fn held(&self) -> Result<Option<Moment>> {
        let until = waits::held_until(self.way.store.pool(), self.way.connection.workspace).await?;
        Ok(until.filter(|until| *until > self.way.clock.now()))
    }
}

/// How a run ends.
enum End {
    Over,
    Held,
    Differs(Box<Row>),
}

fn differs(row: &Row) -> String {
    let came = row.actual.as_ref().map_or("", |actual| actual.says.as_str());
    format!(
        "{} came otherwise than foretold, so nothing more was begun. {came} Look at it, then go on or end the bulk.",
        row.mark
    )
}

/// What was begun goes on first, then group by group in their order.
fn order(row: &Row) -> (bool, usize, u32) {
    let group = Group::ALL.iter().position(|group| *group == row.group).unwrap_or(usize::MAX);
    (row.state == RowState::Waits, group, row.n)
}

fn check(bulk: &Bulk, choice: &Choice) -> Result<()> {
    let word = choice.group.word();
    if choice.group.deed().is_none() {
        return Err(Error::usage(format!("The group `{word}` is never run in bulk. Nothing was sent.")));
    }
    let given = choice.reason.as_deref().or_else(|| bulk.reason(choice.group)).unwrap_or_default();
    if choice.group.needs_reason() && given.trim().is_empty() {
        return Err(Error::usage(format!(
            "`{word}` makes new posts: say why, the reason stays with each of them. Nothing was sent."
        )));
    }
    Ok(())
}

/// Holds a bulk: what is on the wire ends, nothing more is begun, and it can go on.
///
/// # Errors
/// `NotFound`, `Refused` if it is not running, `Storage`.
pub async fn pause(store: &Store, mark: &BulkMark) -> Result<Bulk> {
    halt(store, mark, &[State::Running], State::Paused, "It is not running, so there is nothing to hold.").await
}

/// Ends a bulk for good: what is on the wire ends, and what was not begun stays undone.
///
/// # Errors
/// `NotFound`, `Refused` if it is over already, `Storage`.
pub async fn stop(store: &Store, mark: &BulkMark) -> Result<Bulk> {
    let from = [State::Planned, State::Running, State::Paused, State::Differs];
    halt(store, mark, &from, State::Stopped, "It is over already, so there is nothing to end.").await
}

async fn halt(store: &Store, mark: &BulkMark, from: &[State], to: State, no: &str) -> Result<Bulk> {
    let bulk = bulks::by_mark(store.pool(), mark).await?;
    let from = from.to_vec();
    if store.write(move |db| bulks::move_on(db, bulk.id, &from, to, None)).await? {
        return bulks::by_mark(store.pool(), mark).await;
    }
    Err(Error::refused(no))
}

/// The bulks that run in this program.
#[derive(Default)]
pub struct Runs {
    stop: CancellationToken,
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

impl Runs {
    /// Runs a bulk in the background.
    pub fn start(&self, run: Run) {
        let stop = self.stop.clone();
        let task = tokio::spawn(async move {
            if let Err(problem) = run.to_the_end(&stop).await {
                tracing::warn!("a bulk stands still: {problem}");
            }
        });
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.retain(|task| !task.is_finished());
        tasks.push(task);
    }

    /// Begins no more rows and waits for those on the wire.
    pub async fn stop(&self) {
        self.stop.cancel();
        let tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        for task in tasks {
            // A run that panicked has nothing on the wire that is not on disk.
            drop(task.await);
        }
    }
}

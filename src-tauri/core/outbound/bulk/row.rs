//! Carries out one row of a bulk, one try at a time, and writes down what came of it. Whatever the row's state says
//! was done is looked up in the job's own rows first, so that a row that was interrupted is never done twice.

use std::{sync::Arc, time::Duration};

use super::{
    Bulk, Row,
    came::{Actual, Came, RowState, came},
    group::Deed,
    twins,
};
use crate::{
    clock::{Clock, Moment},
    error::{Code, Error, Result},
    ids::{JobId, JobMark},
    outbound::{
        connection::Connection,
        fault::{Step, may_die_at},
        forecast::{Act, Risk},
        foretell::{Consent, Plan},
        resend::{self, Part},
        view::JobView,
    },
    store::{
        Store, bulks, job_facts,
        notes::{self, Note},
    },
};

/// How long to wait for another sender of the same job.
const BUSY: Duration = Duration::from_millis(100);
/// A look at Pozy that failed is tried again after so many seconds, so often.
const LOOK_AGAIN_S: i64 = 5;
const MOST_LOOKS: u32 = 5;

/// What carrying out a row needs.
#[derive(Clone)]
pub(super) struct Way {
    pub(super) store: Store,
    pub(super) clock: Clock,
    pub(super) connection: Connection,
    pub(super) bulk: Arc<Bulk>,
}

/// A row at work.
#[derive(Clone)]
pub(super) struct Doing {
    pub(super) row: Row,
    /// How often it was refused although nothing had changed, as when Pozy could not be looked at.
    pub(super) looks: u32,
}

impl Way {
    /// One step of a row: begins it, asks it once more, or finds that it is over.
    ///
    /// # Errors
    /// `Storage` if the log cannot be written: the row goes on from what is on disk.
    pub(super) async fn step(&self, mut doing: Doing) -> Result<Doing> {
        match doing.row.group.deed() {
            Some(Deed::Link) => self.link(&mut doing.row).await?,
            Some(deed) => self.send(&mut doing, deed == Deed::PostAgain).await?,
            None => self.end(&mut doing.row, RowState::Changed, Actual::nothing("It is not run in bulk.")).await?,
        }
        Ok(doing)
    }

    async fn send(&self, doing: &mut Doing, new: bool) -> Result<()> {
        let row = &mut doing.row;
        if row.state == RowState::Waits {
            self.begin(row).await?;
        } else {
            self.adopt(row, new).await?;
            if self.settle(row, new).await? {
                return Ok(());
            }
        }
        match self.ask(row, new).await {
            Ok(view) => {
                may_die_at(Step::RowAnswered);
                if new && row.made.is_none() {
                    self.keep_made(row, (view.facts.id, view.facts.mark)).await?;
                }
                self.settle(row, new).await.map(drop)
            }
            Err(busy) if busy.code == Code::Busy => {
                tokio::time::sleep(BUSY).await;
                Ok(())
            }
            Err(no) if matches!(no.code, Code::Refused | Code::NotFound | Code::Usage) => {
                self.refused(doing, new, no).await
            }
            Err(cause) => Err(cause),
        }
    }

    /// The row is on disk as begun before anything of it leaves.
    async fn begin(&self, row: &mut Row) -> Result<()> {
        let before = job_facts::by_id(self.store.pool(), row.job).await?.attempts.len();
        let (bulk, n, now) = (self.bulk.id, row.n, self.clock.now());
        self.store.write(move |db| bulks::begin_row(db, bulk, n, before, now)).await?;
        may_die_at(Step::RowBegun);
        (row.state, row.before, row.began) = (RowState::Begun, Some(before), Some(now));
        Ok(())
    }

    /// A Post again whose program died may have made its job already: a job is posted again once.
    async fn adopt(&self, row: &mut Row, new: bool) -> Result<()> {
        if new
            && row.made.is_none()
            && let Some(made) = bulks::again(self.store.pool(), row.job).await?
        {
            self.keep_made(row, made).await?;
        }
        Ok(())
    }

    async fn keep_made(&self, row: &mut Row, made: (JobId, JobMark)) -> Result<()> {
        let (bulk, n, job) = (self.bulk.id, row.n, made.0);
        self.store.write(move |db| bulks::row_made(db, bulk, n, job)).await?;
        row.made = Some(made);
        Ok(())
    }

    /// Writes down what the job's tries since the row began came to. True if nothing is to be sent now.
    async fn settle(&self, row: &mut Row, new: bool) -> Result<bool> {
        let Some(forecast) = row.forecast.clone() else { return Ok(false) };
        if new && row.made.is_none() {
            return Ok(false);
        }
        let view = self.subject(row).await?;
        match came(&forecast, &view.facts, &view.judged, self.before(row, new), new) {
            Came::NotYet => Ok(false),
            Came::Open(next) => {
                let (bulk, n) = (self.bulk.id, row.n);
                self.store.write(move |db| bulks::row_open(db, bulk, n, next)).await?;
                (row.state, row.next) = (RowState::Open, Some(next));
                Ok(next > self.clock.now())
            }
            Came::Over(state, mut actual) => {
                if let Some(post) = actual.post.clone().filter(|_| actual.made) {
                    let contract = &self.connection.contract;
                    let plan = Plan::on(&self.store, Act::AskAgain, &view.facts.mark, None, None).await?;
                    actual.second = twins::live_beside(&self.store, &self.clock, contract, &plan, &post).await?;
                }
                self.end(row, state, actual).await?;
                Ok(true)
            }
        }
    }

    fn before(&self, row: &Row, new: bool) -> usize {
        if new { 0 } else { row.before.unwrap_or_default() }
    }

    /// The job whose tries count: the one that a Post again made, else the row's own.
    async fn subject(&self, row: &Row) -> Result<JobView> {
        let job = row.made.as_ref().map_or(row.job, |(job, _)| *job);
        let facts = job_facts::by_id(self.store.pool(), job).await?;
        JobView::of(&self.store, &self.clock, &self.connection.contract, facts).await
    }

    /// One try: the first one as far as the dry run foretold it, a later one as far as it can make no other post than
    /// the one that is wanted.
    async fn ask(&self, row: &Row, new: bool) -> Result<JobView> {
        let (store, clock, connection) = (&self.store, &self.clock, &self.connection);
        let first =
            row.forecast.clone().map(Consent::Forecast).ok_or_else(|| Error::refused("Nothing is foretold of it."))?;
        if new && row.made.is_none() {
            let reason = self.bulk.reason(row.group).unwrap_or_default();
            let part = Part { accounts: Some(row.accounts.clone()), content: None };
            return resend::post_again(store, clock, connection, &row.mark, part, reason, first).await;
        }
        let view = self.subject(row).await?;
        let mark = &view.facts.mark;
        if !new && view.facts.attempts.len() <= self.before(row, new) {
            return resend::ask_again(store, clock, connection, mark, first).await;
        }
        let plan = Plan::on(store, Act::AskAgain, mark, Some(connection), None).await?;
        let told = plan.foretell(store, clock, &connection.contract).await?.forecast;
        if told.risk == Risk::Safe || new && told.risk == Risk::Confirm {
            return resend::ask_again(store, clock, connection, mark, Consent::Forecast(told)).await;
        }
        Err(Error::refused(told.says()))
    }

    /// Nothing was sent. Either another sender was faster, or Pozy could not be looked at, or what is foretold changed.
    async fn refused(&self, doing: &mut Doing, new: bool, no: Error) -> Result<()> {
        self.adopt(&mut doing.row, new).await?;
        if self.settle(&mut doing.row, new).await? {
            return Ok(());
        }
        let row = &mut doing.row;
        let tried = row.state == RowState::Open || row.made.is_some();
        if doing.looks < MOST_LOOKS && (tried || self.is_still_foretold(row).await?) {
            doing.looks += 1;
            row.next = Some(self.clock.now().plus_seconds(LOOK_AGAIN_S));
            return Ok(());
        }
        let state = if tried { RowState::Unsettled } else { RowState::Changed };
        self.end(row, state, Actual::nothing(no.message)).await
    }

    async fn is_still_foretold(&self, row: &Row) -> Result<bool> {
        let Some(forecast) = &row.forecast else { return Ok(false) };
        let accounts = (forecast.action == Act::PostAgain).then(|| row.accounts.clone());
        let plan =
            Plan::on(&self.store, forecast.action, &row.mark, Some(&self.connection), None).await?.only(accounts);
        let told = plan.foretell(&self.store, &self.clock, &self.connection.contract).await?;
        Ok(told.forecast.same_as(forecast))
    }

    /// Notes that the post is there. Sends nothing.
    async fn link(&self, row: &mut Row) -> Result<()> {
        let view = self.subject(row).await?;
        let post = match view.judged.post {
            Some(post) if bulks::told(self.store.pool(), &post).await?.there() => post,
            _ => {
                let says = "Pozy says otherwise by now than in the dry run. Nothing was noted or sent.";
                return self.end(row, RowState::Changed, Actual::nothing(says)).await;
            }
        };
        let says = format!("It is there as {post}. Nothing was sent.");
        let note = Note {
            at: self.clock.now(),
            job: Some(row.mark.to_string()),
            post: Some(post.to_string()),
            action: "settled".to_owned(),
            text: format!("Called failed, and there all the same as {post}."),
            there: Some(true),
        };
        let actual = Actual { post: Some(post), ..Actual::nothing(says) };
        let (bulk, n, at, came) = (self.bulk.id, row.n, self.clock.now(), actual.clone());
        self.store
            .write(move |db| {
                notes::insert(db, &note, None)?;
                bulks::end_row(db, bulk, n, RowState::Done, &came, at)
            })
            .await?;
        over(row, RowState::Done, actual, at);
        Ok(())
    }

    async fn end(&self, row: &mut Row, state: RowState, actual: Actual) -> Result<()> {
        let (bulk, n, at, came) = (self.bulk.id, row.n, self.clock.now(), actual.clone());
        self.store.write(move |db| bulks::end_row(db, bulk, n, state, &came, at)).await?;
        over(row, state, actual, at);
        Ok(())
    }
}

fn over(row: &mut Row, state: RowState, actual: Actual, at: Moment) {
    (row.state, row.actual, row.ended, row.next) = (state, Some(actual), Some(at), None);
}

//! Sends one row: makes its job and tries it once, or goes on with the job it has. What is not safe is left out.

use super::{
    RowState,
    plan::{Planned, job_of},
};
use crate::{
    clock::{Clock, Moment},
    error::{Code, Result},
    ids::JobMark,
    outbound::{
        connection::Connection,
        forecast::{Effect, Forecast, Risk},
        foretell::{Consent, Plan},
        outcome::State,
        resend,
        submit::{self, Draft, POSTS},
        view::JobView,
    },
    store::{Store, waits},
};

/// What became of a row.
#[derive(Clone, Debug)]
pub struct Sent {
    /// The line it starts on.
    pub line: u64,
    /// Its job.
    pub job: Option<JobMark>,
    /// What was foretold when it was its turn; none if it had a job already or is no post.
    pub forecast: Option<Forecast>,
    /// Where it stands now.
    pub state: RowState,
    /// Why it was not sent.
    pub why: Option<String>,
    /// Until when Pozy asked everybody to wait (429): no other row is sent before.
    pub wait_until: Option<Moment>,
}

/// Sends a row as it was planned. It is foretold anew, with all rows that went out before it in the log; an effect in
/// `confirmed` is taken up to the risk `most`.
///
/// # Errors
/// `Busy` if another sender holds its job, `Storage`. What Pozy answers, and what is not safe, is no error.
pub async fn send(
    store: &Store,
    clock: &Clock,
    connection: &Connection,
    row: &Planned,
    confirmed: &[Effect],
    most: Risk,
) -> Result<Sent> {
    let mut sent = Sent {
        line: row.line,
        job: row.job.clone(),
        forecast: row.forecast.clone(),
        state: row.state,
        why: row.why.clone(),
        wait_until: None,
    };
    let Some(post) = &row.post else { return Ok(sent) };
    if let Some(view) = job_of(store, clock, connection, &row.form).await? {
        sent.forecast = None;
        return go_on(store, clock, connection, sent, view).await;
    }
    // What was shown as left out stays out, even if what stood in its way is gone by its turn: the next run shows it anew.
    if row.state == RowState::LeftOut {
        return Ok(sent);
    }
    let plan = Plan::new(POSTS, post.key.as_deref(), &post.body, connection);
    let told = plan.foretell(store, clock, &connection.contract).await?.forecast;
    let consent = match told.risk {
        Risk::Safe => Consent::Safe,
        risk if risk <= most && confirmed.contains(&told.effect) => Consent::Forecast(told.clone()),
        _ => {
            (sent.state, sent.forecast) = (RowState::LeftOut, Some(told));
            return Ok(sent);
        }
    };
    sent.forecast = Some(told);
    sent.wait_until = held(store, clock, connection).await?;
    if sent.wait_until.is_some() {
        return Ok(sent);
    }
    let draft =
        Draft { path: POSTS.to_owned(), key: post.key.clone(), body: post.body.clone(), form: Some(row.form.clone()) };
    match submit::submit(store, clock, connection, draft, consent).await {
        Ok(view) => {
            sent.wait_until = held(store, clock, connection).await?;
            Ok(sent.stands(&view))
        }
        Err(no) if no.code == Code::Refused => {
            (sent.state, sent.why) = (RowState::LeftOut, Some(no.message));
            Ok(sent)
        }
        Err(cause) => Err(cause),
    }
}

/// A row whose job is there: what never left, or was cut off, is asked with its own key as far as that is safe.
async fn go_on(store: &Store, clock: &Clock, connection: &Connection, mut sent: Sent, view: JobView) -> Result<Sent> {
    let due = match view.judged.state {
        State::Draft | State::Unknown => true,
        // Whose wait is not over is asked again by the sender, or when the file is sent once more.
        State::Waiting => view.judged.next_at.is_none_or(|at| at <= clock.now()),
        State::Sending | State::Done | State::Refused | State::Stopped | State::Cancelled => false,
    };
    if !due || view.ask_again.is_err() {
        return Ok(sent.stands(&view));
    }
    sent.wait_until = held(store, clock, connection).await?;
    if sent.wait_until.is_some() {
        return Ok(sent.stands(&view));
    }
    match resend::ask_again(store, clock, connection, &view.facts.mark, Consent::Safe).await {
        Ok(view) => {
            sent.wait_until = held(store, clock, connection).await?;
            Ok(sent.stands(&view))
        }
        // Another sender has it, or it is for a person to decide.
        Err(no) if matches!(no.code, Code::Refused | Code::Busy) => Ok(sent.stands(&view)),
        Err(cause) => Err(cause),
    }
}

/// Until when Pozy asked to slow down: a 429 to anybody on this connection holds back all of it (R13).
async fn held(store: &Store, clock: &Clock, connection: &Connection) -> Result<Option<Moment>> {
    waits::until(store.pool(), connection.workspace, clock.now()).await
}

impl Sent {
    fn stands(mut self, view: &JobView) -> Self {
        self.job = Some(view.facts.mark.clone());
        self.state = RowState::Job(view.judged.state);
        self
    }
}

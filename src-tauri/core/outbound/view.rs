//! A job as it is shown: its facts, judged at this minute.

use serde::Serialize;

use super::{
    job::{Facts, Origin},
    lock::JobLock,
    outcome::{self, Judged, Outcome, State, Warning},
    resend::{self, No},
};
use crate::{
    clock::{Clock, Moment},
    error::Result,
    ids::{JobMark, PostId},
    pozy::{
        contract::Contract,
        secrecy::{Mask, mask_url},
    },
    store::{Store, job_facts},
};

/// A job with everything that holds at this minute.
#[derive(Clone, Debug)]
pub struct JobView {
    /// What is known.
    pub facts: Facts,
    /// What it adds up to.
    pub judged: Judged,
    /// Whether it may be asked again now, or why not.
    pub ask_again: std::result::Result<(), No>,
    /// Whether it may be posted again at all, or why not.
    pub post_again: std::result::Result<(), No>,
    /// True while it waits and a person can stop it.
    pub can_cancel: bool,
}

/// The line of a job on the command line (design 7).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JobLine {
    /// Its name.
    pub job: JobMark,
    /// When it was asked for.
    pub created_at: Moment,
    /// HTTP method.
    pub method: String,
    /// Path of the call.
    pub path: String,
    /// Its key.
    pub key: Option<String>,
    /// Name of its workspace.
    pub workspace: String,
    /// Where it stands.
    pub state: State,
    /// What its attempts add up to.
    pub outcome: Outcome,
    /// The attempt that made the post.
    pub created_by_attempt: Option<u32>,
    /// The post of its latest 2xx, or the one that exists already.
    pub post: Option<PostId>,
    /// How many attempts there are.
    pub attempts: usize,
    /// When it is tried next.
    pub next_at: Option<Moment>,
    /// End of its key's life.
    pub key_expires_at: Option<Moment>,
    /// What a person should know.
    pub warnings: Vec<Warning>,
}

impl JobView {
    /// Judges `facts` at the clock's present moment.
    ///
    /// # Errors
    /// `Storage` if the log or the locks cannot be read.
    pub async fn of(store: &Store, clock: &Clock, contract: &Contract, facts: Facts) -> Result<Self> {
        let newest = job_facts::newest(store.pool()).await?;
        Self::at(store, contract, facts, newest, clock.now())
    }

    /// As [`JobView::of`] for many jobs at one moment.
    ///
    /// # Errors
    /// `Storage` if the log or the locks cannot be read.
    pub async fn all(store: &Store, clock: &Clock, contract: &Contract, facts: Vec<Facts>) -> Result<Vec<Self>> {
        let newest = job_facts::newest(store.pool()).await?;
        facts.into_iter().map(|facts| Self::at(store, contract, facts, newest, clock.now())).collect()
    }

    fn at(store: &Store, contract: &Contract, facts: Facts, newest: Moment, now: Moment) -> Result<Self> {
        let held = facts.is_open() && JobLock::is_held(store.dir(), &facts.mark)?;
        let judged = outcome::judge(&facts, held, newest, now, contract);
        let ask_again = resend::may_ask_again(&facts, &judged, newest, now, contract);
        let can_cancel = facts.origin == Origin::Local && judged.state == State::Waiting;
        let post_again = resend::may_be_sent(&facts);
        Ok(Self { facts, judged, ask_again, post_again, can_cancel })
    }

    /// The line of the command line.
    #[must_use]
    pub fn line(&self) -> JobLine {
        JobLine {
            job: self.facts.mark.clone(),
            created_at: self.facts.created,
            method: self.facts.method.clone(),
            path: mask_url(&self.facts.path, &mut Mask::default()),
            key: self.facts.key.clone(),
            workspace: self.facts.workspace_name.clone(),
            state: self.judged.state,
            outcome: self.judged.outcome,
            created_by_attempt: self.judged.created_by_attempt,
            post: self.judged.post.clone(),
            attempts: self.facts.attempts.len(),
            next_at: self.judged.next_at,
            key_expires_at: self.judged.key_expires_at,
            warnings: self.judged.warnings.clone(),
        }
    }
}

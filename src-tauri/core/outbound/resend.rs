//! Asking again by hand: same key, same bytes, to learn the outcome; and stopping a job that waits. There is no
//! "retry": posting again is another verb with a key of its own (T4).

use super::{
    connection::Connection,
    job::{Facts, Origin},
    lock::JobLock,
    outcome::{Judged, State},
    retry::{self, KeyEnd},
    sender::{self, Occasion},
    view::JobView,
};
use crate::{
    clock::{Clock, Moment},
    error::{Error, Result},
    ids::JobMark,
    pozy::contract::Contract,
    store::{Store, job_facts, jobs},
};

/// Why a job is not asked again. Nothing is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum No {
    /// Somebody is sending it.
    Sending,
    /// It was read from a file.
    Imported,
    /// Its body was masked at import.
    Masked,
    /// It has no key, or its path is not known to take one.
    NoKey,
    /// Its key was first sent with another API key.
    OtherApiKey,
    /// The log may lack the first use of its key.
    KeyAgeUnknown,
    /// The safe part of its key's life is over.
    PastKeyLife,
}

impl No {
    /// The reason as a sentence for a person.
    #[must_use]
    pub const fn says(self) -> &'static str {
        match self {
            Self::Sending => "It is being sent at this moment. Wait for its answer.",
            Self::Imported => "It was imported, so it is shown here and never sent.",
            Self::Masked => retry::Hold::Masked.says(),
            Self::NoKey => "It has no key that Pozy remembers. Asking again would be a second order.",
            Self::OtherApiKey => retry::Hold::OtherApiKey.says(),
            Self::KeyAgeUnknown => retry::Hold::KeyAgeUnknown.says(),
            Self::PastKeyLife => {
                "The safe part of its key's life is over: Pozy may have forgotten the key, and asking again could make \
                 a second live post. Look the post up first."
            }
        }
    }
}

/// Whether the job may be asked again at `now` (design 4.4, R12). A clock that stands before `newest`, the newest
/// moment this log itself sent or received, is taken to stand there, so that it never makes a key younger.
///
/// # Errors
/// Why not.
pub fn may_ask_again(
    facts: &Facts,
    judged: &Judged,
    newest: Moment,
    now: Moment,
    contract: &Contract,
) -> std::result::Result<(), No> {
    if judged.state == State::Sending {
        return Err(No::Sending);
    }
    if facts.attempts.iter().any(|attempt| attempt.masked) {
        return Err(No::Masked);
    }
    if facts.origin == Origin::Import {
        return Err(No::Imported);
    }
    if !retry::same_api_key(facts) {
        return Err(No::OtherApiKey);
    }
    if facts.has_left() && !retry::takes_key(facts, contract) {
        return Err(No::NoKey);
    }
    match KeyEnd::of(facts.key_use.as_ref(), contract) {
        KeyEnd::Unused => Ok(()),
        KeyEnd::Unknown => Err(No::KeyAgeUnknown),
        KeyEnd::At(_) if judged.safe_until.is_some_and(|until| now.max(newest) <= until) => Ok(()),
        KeyEnd::At(_) => Err(No::PastKeyLife),
    }
}

/// Asks the job again with its stored key and its stored bytes, once. A job that is done gives its post back.
///
/// # Errors
/// `NotFound`, `Refused` with the reason of [`No`] or because the job belongs to another connection, `Busy` if
/// another sender holds it, `Storage`.
pub async fn ask_again(store: &Store, clock: &Clock, connection: &Connection, mark: &JobMark) -> Result<JobView> {
    let facts = job_facts::by_mark(store.pool(), mark).await?;
    let lock = JobLock::take(store.dir(), mark).await?;
    sender::send(store, clock, connection, facts.id, Occasion::ByHand, lock).await
}

/// Stops a job that waits: nothing more is sent by itself. What was sent stays known, and its outcome open.
///
/// # Errors
/// `NotFound`, `Refused` if it does not wait, `Busy` if it is being sent, `Storage`.
pub async fn cancel(store: &Store, clock: &Clock, contract: &Contract, mark: &JobMark) -> Result<JobView> {
    let view = JobView::of(store, clock, contract, job_facts::by_mark(store.pool(), mark).await?).await?;
    if !view.can_cancel {
        return Err(Error::refused(format!("{mark} is not waiting, so there is nothing to stop.")));
    }
    let lock = JobLock::take(store.dir(), mark).await?;
    let (job, name, now, rules) = (view.facts.id, mark.clone(), clock.now(), contract.clone());
    store
        .write(move |connection| {
            jobs::insert_cancelled(connection, &name, now)?;
            jobs::judge(connection, job, false, now, &rules)
        })
        .await?;
    drop(lock);
    JobView::of(store, clock, contract, job_facts::by_id(store.pool(), job).await?).await
}

//! Two verbs by hand (T4): asking again sends the same key and the same bytes to learn the outcome, posting again makes
//! a new job with a key of its own. There is no "retry". And stopping a job that waits.

use super::{
    connection::Connection,
    forecast::Act,
    foretell::{Consent, Plan},
    job::{Facts, Origin},
    key::Key,
    last_look,
    lock::JobLock,
    outcome::{Judged, State},
    retry::{self, KeyEnd},
    sender::{self, Occasion},
    submit,
    view::JobView,
};
use crate::{
    clock::{Clock, Moment},
    error::{Error, Result},
    ids::{AccountId, JobMark},
    pozy::contract::Contract,
    store::{
        Store, job_facts,
        jobs::{self, NewJob},
        notes::{self, Note},
    },
};

/// Why a job is not asked again. Nothing is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum No {
    /// Somebody is sending it.
    Sending,
    /// It was read from a file, and nobody said which workspace that file means.
    Imported,
    /// Its body was masked at import.
    Masked,
    /// It has no key, or its path is not known to take one.
    NoKey,
    /// Its key was first sent with another API key.
    OtherApiKey,
    /// The log may lack the first use of its key.
    KeyAgeUnknown,
    /// Its key is gone.
    PastKeyLife,
    /// Pozy said that the same content is there.
    SameContent,
}

impl No {
    /// The reason as a sentence for a person.
    #[must_use]
    pub const fn says(self) -> &'static str {
        match self {
            Self::Sending => "It is being sent at this moment. Wait for its answer.",
            Self::Imported => {
                "It was imported, so it is shown here and not sent. Say first which of your workspaces its file means."
            }
            Self::Masked => retry::Hold::Masked.says(),
            Self::NoKey => "It has no key that Pozy remembers. Asking again would be a second order.",
            Self::OtherApiKey => retry::Hold::OtherApiKey.says(),
            Self::KeyAgeUnknown => retry::Hold::KeyAgeUnknown.says(),
            Self::PastKeyLife => {
                "Its key is gone: Pozy no longer finds the first post by it, and asking would make a new one. Look the \
                 post up first."
            }
            Self::SameContent => {
                "The same words are planned, on their way or live there already. Open that post: asking again makes \
                 nothing while it counts, and a second post after that."
            }
        }
    }
}

impl No {
    /// The reason as the answer to a person who asked for it.
    pub(super) fn refusal(self) -> Error {
        Error::refused(format!("{} Nothing was sent.", self.says()))
    }
}

/// Whether asking the job again is offered to a person at `now` (design 4.4, R12): until its key is surely gone, since
/// it would make a new post then. Near the end the forecast asks for a word. A clock that stands before `newest`, the newest
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
    may_be_sent(facts)?;
    if judged.state == State::Refused {
        return Err(No::SameContent);
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
        KeyEnd::At(end) if now.max(newest) <= end.plus_seconds(contract.too_close_min * 60) => Ok(()),
        KeyEnd::At(_) => Err(No::PastKeyLife),
    }
}

/// Whether a person may send the job at all, whatever is foretold.
///
/// # Errors
/// `Masked`, or `Imported`.
pub fn may_be_sent(facts: &Facts) -> std::result::Result<(), No> {
    if facts.attempts.iter().any(|attempt| attempt.masked) {
        return Err(No::Masked);
    }
    if facts.origin == Origin::Import && facts.tied.is_none() { Err(No::Imported) } else { Ok(()) }
}

/// Asks the job again with its stored key and its stored bytes, once, as far as `consent` covers what is foretold. A
/// job that is done gives its post back.
///
/// # Errors
/// `NotFound`, `Refused` with the reason of [`No`] or of the forecast or because the job belongs to another
/// connection, `Busy` if another sender holds it, `Storage`.
pub async fn ask_again(
    store: &Store,
    clock: &Clock,
    connection: &Connection,
    mark: &JobMark,
    consent: Consent,
) -> Result<JobView> {
    let facts = job_facts::by_mark(store.pool(), mark).await?;
    sender::is_own(&facts, connection)?;
    may_be_sent(&facts).map_err(No::refusal)?;
    let plan = Plan::on(store, Act::AskAgain, mark, Some(connection), None).await?;
    let consent = last_look::before(store, clock, connection, &plan, consent).await?;
    let lock = JobLock::take(store.dir(), mark).await?;
    sender::send(store, clock, connection, facts.id, Occasion::ByHand(Box::new(plan), consent), lock).await
}

/// What a Post again takes of the old job.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// Its accounts; none leaves it to the forecast: the failed ones where others are live, else all.
    pub accounts: Option<Vec<AccountId>>,
    /// Other words; none keeps the old ones.
    pub content: Option<String>,
}

/// Posts the job again: a new job with a new key, linked to the old one, with the accounts and words of `part`.
/// `reason` is a person's own.
///
/// # Errors
/// As [`ask_again`]; `Usage` without a reason, `Refused` if it was posted again already.
pub async fn post_again(
    store: &Store,
    clock: &Clock,
    connection: &Connection,
    mark: &JobMark,
    part: Part,
    reason: &str,
    consent: Consent,
) -> Result<JobView> {
    let reason = reason.trim().to_owned();
    if reason.is_empty() {
        return Err(Error::usage("Say why it is posted again; the reason stays with the post. Nothing was sent."));
    }
    let facts = job_facts::by_mark(store.pool(), mark).await?;
    sender::is_own(&facts, connection)?;
    may_be_sent(&facts).map_err(No::refusal)?;
    let plan = Plan::on(store, Act::PostAgain, mark, Some(connection), None).await?;
    let plan = plan.saying(part.content.as_deref())?.only(part.accounts);
    let consent = last_look::before(store, clock, connection, &plan, consent).await?;

    let (new, key, request_id) = (submit::fresh_mark(clock), Key::fresh(clock), clock.new_id());
    // The lock comes before the row, so that no other sender ever meets the row without it.
    let lock = JobLock::take(store.dir(), &new).await?;
    let (name, now, contract) = (new.clone(), clock.now(), connection.contract.clone());
    let through = connection.workspace;
    let job = store
        .write(move |connection| {
            if let Some(known) = jobs::again(connection, facts.id)? {
                return Err(Error::refused(format!(
                    "{} was posted again already, as {known}. Go on from there; nothing was sent.",
                    facts.mark
                )));
            }
            let told = plan.foretell_written(connection, now, &contract)?;
            consent.covers(&told.forecast)?;
            let body = plan.body_for(&told.accounts)?;
            let row = NewJob {
                mark: &name,
                created: now,
                method: &facts.method,
                path: &facts.path,
                workspace: through,
                key: Some(key.as_str()),
                request_id: Some(&request_id),
                body: Some(&body),
                again_of: Some((facts.id, &reason)),
                import: None,
            };
            let job = jobs::insert(connection, &row, now, &contract)?;
            let note = Note {
                at: now,
                job: Some(name.to_string()),
                post: None,
                action: "post_again".to_owned(),
                text: reason.clone(),
                there: None,
            };
            notes::insert(connection, &note, None)?;
            jobs::insert_confirmation(connection, job, now, &told.forecast)?;
            Ok(job)
        })
        .await?;
    sender::send(store, clock, connection, job, Occasion::First, lock).await
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

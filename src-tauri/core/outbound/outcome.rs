//! What the attempts of a job add up to (design 4.3, 4.5, contract "Jobs"). Pure: the same facts at the same moment
//! give the same words, live or imported. Unknown is an outcome of its own and never shown as failed.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{
    job::{Attempt, EndKind, Facts, Settled},
    retry::{self, Hold, KeyEnd},
};
use crate::{
    clock::Moment,
    ids::PostId,
    pozy::{answers::Meaning, contract::Contract},
};

/// Version of these rules; stored states of an older one are judged anew.
pub const RULES: i64 = 2;

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum State {
    /// Nothing ever left, and nothing is planned.
    Draft,
    /// A next try is planned.
    Waiting,
    /// A try is under way.
    Sending,
    /// Nobody knows whether the post was made, and nothing is planned.
    Unknown,
    /// Pozy has it, by its answer or by what a person found.
    Done,
    /// The same content was there already (R10).
    Refused,
    /// Pozy said no; the request wants mending (R13).
    Stopped,
    /// A person stopped it, or found that nothing came of it.
    Cancelled,
}

/// What the attempts add up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum Outcome {
    /// Nothing reached Pozy.
    None,
    /// The latest success made the post.
    Created,
    /// The latest success gave back a post that was there.
    Replayed,
    /// A try may have made it.
    Unknown,
    /// The same content is there already.
    Refused,
    /// A final no.
    Rejected,
}

/// What a person should know of a job. A closed list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum Warning {
    /// The key gave back an older post of this job: these words never went out (R7).
    EditNotApplied,
    /// The key gave back the post of another job or another caller: this post never went out (R7).
    KeyUsedForSomethingElse,
    /// The key changes between tries of one job: Pozy cannot see that they are the same.
    KeyPerTry,
    /// The next try would come after the safe part of the key's life.
    PastKeyLife,
    /// It was sent although nearly the same words were live on that account.
    NearLivePost,
}

/// A judged job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Where it stands.
    pub state: State,
    /// What its attempts add up to.
    pub outcome: Outcome,
    /// The attempt that made the post; none if several could have, or none of this job did.
    pub created_by_attempt: Option<u32>,
    /// The post of the latest 2xx, the one that exists already, or the one that a person found.
    pub post: Option<PostId>,
    /// When it is tried next by itself.
    pub next_at: Option<Moment>,
    /// Why it is not, although the outcome is open.
    pub hold: Option<Hold>,
    /// End of the key's life, if the log can tell.
    pub key_expires_at: Option<Moment>,
    /// Until when asking with this key is safe, if the log can tell.
    pub safe_until: Option<Moment>,
    /// What a person should know.
    pub warnings: Vec<Warning>,
}

/// Judges one job at `now`. `held` says whether somebody holds its lock, which tells a try under way from one whose
/// program died; `newest` is the newest moment this log itself sent or received.
#[must_use]
pub fn judge(facts: &Facts, held: bool, newest: Moment, now: Moment, contract: &Contract) -> Judged {
    let (outcome, told) = add_up(&facts.attempts);
    let settled = settled(facts, outcome);
    let post = settled.and_then(|settled| settled.post.clone()).or(told);
    let key = KeyEnd::of(facts.key_use.as_ref(), contract);
    let sending = held && facts.is_open();
    let plan = match outcome {
        Outcome::Unknown | Outcome::None if !sending && settled.is_none() && !stopped_by_hand(facts) => {
            Some(retry::plan(facts, key, newest, now, contract))
        }
        _ => None,
    };
    let state = match (outcome, &plan) {
        _ if sending => State::Sending,
        (Outcome::Created | Outcome::Replayed, _) => State::Done,
        _ if settled.is_some() => {
            if settled.is_some_and(|settled| settled.there) {
                State::Done
            } else {
                State::Cancelled
            }
        }
        (Outcome::Refused, _) => State::Refused,
        (Outcome::Rejected, _) => State::Stopped,
        (_, None) => State::Cancelled,
        (_, Some(Ok(_))) => State::Waiting,
        (Outcome::Unknown, Some(Err(_))) => State::Unknown,
        (Outcome::None, Some(Err(_))) => State::Draft,
    };
    let hold = plan.as_ref().and_then(|plan| plan.as_ref().err().copied());
    Judged {
        state,
        outcome,
        created_by_attempt: made_by(facts, contract),
        post,
        next_at: plan.and_then(Result::ok),
        hold,
        key_expires_at: match key {
            KeyEnd::At(end) => Some(end),
            KeyEnd::Unused | KeyEnd::Unknown => None,
        },
        safe_until: key.safe_until(facts.created, contract),
        warnings: warnings(facts, hold),
    }
}

/// What a person found, where no answer says it: they looked after the latest attempt (`Facts::settled`). A success is
/// never overruled by a note.
fn settled(facts: &Facts, outcome: Outcome) -> Option<&Settled> {
    facts.settled.as_ref().filter(|_| !matches!(outcome, Outcome::Created | Outcome::Replayed))
}

/// True if a person stopped the job and nobody tried it since.
fn stopped_by_hand(facts: &Facts) -> bool {
    facts.cancelled.is_some_and(|at| facts.attempts.last().is_none_or(|last| last.at <= at))
}

/// A success counts for good. Without one the last word counts, with one exception: a no after a lost attempt is no
/// end, since the lost one may have made the post. Only "the same content is there" (R10) and "this key belongs to
/// something else" (R8) also settle what was lost before.
fn add_up(attempts: &[Attempt]) -> (Outcome, Option<PostId>) {
    let success = attempts.iter().rev().find_map(|attempt| match attempt.meaning()? {
        Meaning::Created => Some((Outcome::Created, attempt)),
        Meaning::Replayed => Some((Outcome::Replayed, attempt)),
        _ => None,
    });
    if let Some((outcome, attempt)) = success {
        return (outcome, post_of(attempt));
    }
    let mut sum = (Outcome::None, None);
    for attempt in attempts.iter().filter(|attempt| attempt.left()) {
        sum = match attempt.meaning() {
            Some(Meaning::SameContent) => (Outcome::Refused, post_of(attempt)),
            Some(Meaning::KeyElsewhere) => (Outcome::Rejected, None),
            Some(Meaning::Rejected | Meaning::Redirected) if sum.0 != Outcome::Unknown => (Outcome::Rejected, None),
            Some(Meaning::Poll) => (Outcome::Unknown, post_of(attempt)),
            _ => (Outcome::Unknown, sum.1.filter(|_| sum.0 == Outcome::Unknown)),
        };
    }
    sum
}

fn post_of(attempt: &Attempt) -> Option<PostId> {
    attempt.end.as_ref().and_then(|end| end.post.clone())
}

/// The attempt of this job that made its latest post. A 201 says so itself; a 200 (R7) points to the attempt that was
/// told 201, else to the only one that was lost before.
fn made_by(facts: &Facts, contract: &Contract) -> Option<u32> {
    let at = facts
        .attempts
        .iter()
        .rposition(|attempt| matches!(attempt.meaning(), Some(Meaning::Created | Meaning::Replayed)))?;
    let success = &facts.attempts[at];
    let before = facts.attempts[..at].iter().filter(|attempt| attempt.same_key(success));
    let mut lost = before.clone().filter(|attempt| attempt.may_have_made());
    if success.meaning() == Some(Meaning::Created) {
        // Only where a repeat is answered with another status does a 2xx tell the maker from a repeat (R8).
        let told_apart = contract.replays(&facts.path) || lost.next().is_none();
        return told_apart.then_some(success.n);
    }
    if let Some(maker) = before.rev().find(|attempt| attempt.meaning() == Some(Meaning::Created)) {
        return Some(maker.n);
    }
    if success.maker.is_some() {
        return None;
    }
    match (lost.next(), lost.next()) {
        (Some(only), None) => Some(only.n),
        _ => None,
    }
}

fn warnings(facts: &Facts, hold: Option<Hold>) -> Vec<Warning> {
    let mut found = Vec::new();
    for (at, attempt) in facts.attempts.iter().enumerate() {
        if attempt.meaning() == Some(Meaning::Replayed)
            && let Some(warning) = other_words(facts, &facts.attempts[..at], attempt)
            && !found.contains(&warning)
        {
            found.push(warning);
        }
    }
    let keyed = facts.attempts.iter().any(|attempt| attempt.key.is_some());
    if keyed && facts.attempts.windows(2).any(|pair| pair[0].key != pair[1].key) {
        found.push(Warning::KeyPerTry);
    }
    if hold == Some(Hold::PastKeyLife) {
        found.push(Warning::PastKeyLife);
    }
    if facts.near_live {
        found.push(Warning::NearLivePost);
    }
    found
}

/// Whether the post a 200 gave back is another than what was sent (R7). The bytes of the attempt that made it decide;
/// where those are not held, the returned text does.
fn other_words(facts: &Facts, before: &[Attempt], replayed: &Attempt) -> Option<Warning> {
    let warn = |own: bool| Some(if own { Warning::EditNotApplied } else { Warning::KeyUsedForSomethingElse });
    if let Some(maker) = &replayed.maker
        && let (Some(made), Some(sent)) = (&maker.body, &replayed.body)
    {
        return if made == sent { None } else { warn(maker.job == facts.id) };
    }
    let edited = before.iter().any(|attempt| attempt.same_key(replayed) && attempt.body != replayed.body);
    match replayed.end.as_ref().and_then(|end| end.differs) {
        Some(true) => warn(edited),
        Some(false) => None,
        None => {
            let mut lost =
                before.iter().filter(|attempt| attempt.same_key(replayed) && attempt.may_have_made()).peekable();
            let all_others = lost.peek().is_some() && lost.all(|attempt| attempt.body != replayed.body);
            if all_others { warn(true) } else { None }
        }
    }
}

/// A short word for an attempt: `sent` while it is under way, then `answered`, `lost` or `not_sent`.
#[must_use]
pub const fn attempt_state(end: Option<EndKind>, held: bool) -> &'static str {
    match end {
        None if held => "sent",
        Some(EndKind::Answered) => "answered",
        Some(EndKind::NotSent) => "not_sent",
        None | Some(EndKind::Timeout | EndKind::Reset | EndKind::Crash) => "lost",
    }
}

//! When a job is asked again by itself, and why not (the seeds' "safe retry recipe", R9, R12, R13, design 4.4). Pure.
//!
//! The recipe: on a timeout, a broken connection, 429 or 5xx wait (`Retry-After`, else 1, 2, 4 ... s) and send the
//! identical request with the same key; on the conflict 409 wait likewise; on 200, 201 or any other 4xx stop. Around
//! it stand the limits within which asking again can never make a second post.

use serde::Serialize;

use super::job::{Attempt, Facts, KeyUse, Origin};
use crate::{
    clock::Moment,
    pozy::{answers::Meaning, contract::Contract},
};

/// Longest wait that is not asked for by Pozy, seconds.
const LONGEST_BACK_OFF_S: i64 = 300;
/// A conflict that goes on for this long is given up, seconds.
const LONGEST_CONFLICT_S: i64 = 3_600;
/// A post is not sent by itself this long after the time it was scheduled for, seconds: Pozy would publish it at once.
const SCHEDULE_GRACE_S: i64 = 15 * 60;
/// `Date` has whole seconds: clocks that differ by less are taken for equal, nanoseconds.
const SKEW_NOISE_NS: i64 = 2 * Moment::SECOND;

/// Why nothing is planned although the outcome is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Hold {
    /// The program died during an attempt; whoever sends next settles that first.
    Interrupted,
    /// The log was restored, copied or moved since it was asked for: it may have been sent, stopped or settled elsewhere.
    Moved,
    /// A 3xx or 4xx followed a lost attempt: asking will not help, and the lost one may have made the post.
    AnsweredNo,
    /// Its key was first sent with another API key than the workspace has now: keys belong to a workspace (R12), and
    /// nobody said yet that it is the same one.
    OtherApiKey,
    /// Its body was masked at import.
    Masked,
    /// It went out without a key, or to a path not known to take one: a second send may be a second order.
    NoKey,
    /// The log may lack the first use of its key, so that nobody knows when the key ends.
    KeyAgeUnknown,
    /// Pozy said for an hour that the first request still runs.
    EndlessConflict,
    /// The safe part of the key's life is over, or would be before the next try.
    PastKeyLife,
    /// The time it was scheduled for has passed: it would be published at once.
    SchedulePassed,
}

impl Hold {
    /// The reason as a sentence for a person.
    #[must_use]
    pub const fn says(self) -> &'static str {
        match self {
            Self::Interrupted => {
                "The program stopped before an answer came, so nobody knows whether the post was made."
            }
            Self::Moved => {
                "The log was restored, copied or moved since, so nobody knows here what became of it elsewhere. Look at \
                 the account first."
            }
            Self::AnsweredNo => {
                "Pozy refused the last try, but an earlier one got no answer and may have made the post."
            }
            Self::OtherApiKey => {
                "Its key was first sent with another API key. If that is another workspace, asking makes a second post."
            }
            Self::Masked => "Its body was masked at import, so it cannot be sent.",
            Self::NoKey => "It was sent without a key that Pozy remembers, so a second try could make a second post.",
            Self::KeyAgeUnknown => "The log does not show when its key was first used, so the key may be gone.",
            Self::EndlessConflict => "Pozy has said for an hour that the first request still runs. Look the post up.",
            Self::PastKeyLife => "The safe part of its key's life is over; asking could make a second post.",
            Self::SchedulePassed => "The time it was planned for has passed; sent now it would be published at once.",
        }
    }
}

/// When the key of a job ends, as far as the log can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyEnd {
    /// No attempt carried it yet.
    Unused,
    /// Its life ends here.
    At(Moment),
    /// The log may lack its first use.
    Unknown,
}

impl KeyEnd {
    /// End of a key's life: first use in its workspace by whatever job, plus the life of keys (R12). Clocks that
    /// drifted apart since then only make it end sooner (contract "Jobs").
    #[must_use]
    pub fn of(used: Option<&KeyUse>, contract: &Contract) -> Self {
        let Some(used) = used else { return Self::Unused };
        if used.lowest_n > 1 || used.already_there {
            return Self::Unknown;
        }
        let drift = match (used.first_skew_ns, used.later_skew_ns) {
            (Some(first), Some(later)) => later.saturating_sub(first),
            _ => 0,
        };
        let end = used.first_at.plus_seconds(contract.key_life_h * 3_600);
        Self::At(if drift > SKEW_NOISE_NS { Moment(end.0.saturating_sub(drift)) } else { end })
    }

    /// Until when the key is surely remembered: its end less the margin. A key that was never sent counts from
    /// `created`; none if nobody knows.
    #[must_use]
    pub fn safe_until(self, created: Moment, contract: &Contract) -> Option<Moment> {
        let end = match self {
            Self::Unused => created.plus_seconds(contract.key_life_h * 3_600),
            Self::At(end) => end,
            Self::Unknown => return None,
        };
        Some(end.plus_seconds(-contract.key_margin_h * 3_600))
    }
}

/// When the job is asked (again) by itself, or why it is not. Only for a job whose outcome is open and that nobody is
/// sending. `newest` is the newest moment this log itself sent or received: nothing of ours leaves before it, since a
/// clock that was set back would make keys look younger.
///
/// # Errors
/// The reason why nothing is planned.
pub fn plan(facts: &Facts, key: KeyEnd, newest: Moment, now: Moment, contract: &Contract) -> Result<Moment, Hold> {
    if facts.is_open() {
        return Err(Hold::Interrupted);
    }
    if facts.moved {
        return Err(Hold::Moved);
    }
    let last = facts.attempts.last();
    if last.and_then(Attempt::meaning).is_some_and(|meaning| matches!(meaning, Meaning::Rejected | Meaning::Redirected))
    {
        return Err(Hold::AnsweredNo);
    }
    if facts.attempts.iter().any(|attempt| attempt.masked) {
        return Err(Hold::Masked);
    }
    if facts.origin == Origin::Local && !same_api_key(facts) {
        return Err(Hold::OtherApiKey);
    }
    if facts.has_left() && !takes_key(facts, contract) {
        return Err(Hold::NoKey);
    }
    let next = match facts.origin {
        Origin::Local => wait(facts).max(newest),
        Origin::Import => wait(facts),
    };
    if endless_conflict(&facts.attempts, next) {
        return Err(Hold::EndlessConflict);
    }
    let safe_until = key.safe_until(facts.created, contract).ok_or(Hold::KeyAgeUnknown)?;
    if next.max(now) > safe_until {
        return Err(Hold::PastKeyLife);
    }
    match facts.scheduled {
        Some(time) if next.max(now) > time.plus_seconds(SCHEDULE_GRACE_S) => Err(Hold::SchedulePassed),
        _ => Ok(next),
    }
}

/// True if a repeat of this job is known to be recognised by its key.
#[must_use]
pub fn takes_key(facts: &Facts, contract: &Contract) -> bool {
    facts.key.is_some() && facts.method == "POST" && contract.takes_key(&facts.path)
}

/// True if the key was first sent with the API key the workspace has now, or never yet (design 4.1).
#[must_use]
pub fn same_api_key(facts: &Facts) -> bool {
    facts.key_use.as_ref().is_none_or(|used| match &used.first_print {
        Some(first) => Some(first) == facts.workspace_print.as_ref(),
        // A file never tells the API key: that it is the same workspace is a person's word.
        None => facts.tied.is_some(),
    })
}

/// Counts from the end of the last attempt: what Pozy asked for, else 1, 2, 4 ... s by the number of attempts so far.
/// A job that never was sent is due since it was asked for.
fn wait(facts: &Facts) -> Moment {
    let Some(end) = facts.attempts.last().and_then(|last| last.end.as_ref()) else { return facts.created };
    let failures = facts.attempts.len();
    match end.retry_at {
        // One zero is honoured; a second one in a row would be hammering.
        Some(asked) if failures > 1 => asked.max(end.at.plus_seconds(1)),
        Some(asked) => asked,
        None => {
            let doubled = u32::try_from(failures - 1).ok().and_then(|times| 1_i64.checked_shl(times));
            let seconds = doubled.filter(|s| (1..LONGEST_BACK_OFF_S).contains(s)).unwrap_or(LONGEST_BACK_OFF_S);
            end.at.plus_seconds(seconds)
        }
    }
}

/// True if the conflicts at the end of `attempts` would go on past their hour.
fn endless_conflict(attempts: &[Attempt], next: Moment) -> bool {
    let since = attempts
        .iter()
        .rev()
        .take_while(|attempt| attempt.meaning() == Some(Meaning::Conflict))
        .last()
        .and_then(|first| first.end.as_ref());
    since.is_some_and(|first| next > first.at.plus_seconds(LONGEST_CONFLICT_S))
}

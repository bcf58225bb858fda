//! What the content check would find (R10, R11), and what is live beside it that no check of Pozy's looks at: near words,
//! other workspaces, news that may be old. Pure.

use std::cell::OnceCell;

use super::{
    FETCHED, Question,
    found::{Answer, Found},
    known::{Claim, Likeness},
    live::{self, Standing},
    memory::Life,
    reason::{Act, Reason, Risk, Suggest},
    recalled, rests_on, says, view,
};
use crate::{clock::Moment, outbound::retry};

/// A post may go live this long after it was last told to be on its way, seconds: a target that failed can be repeated at
/// Pozy without a word to us.
const LATE_LIVE_S: i64 = 24 * 3_600;

/// What was told this short a time ago still holds, seconds: long enough to read what a fetch told, and to act on it.
const JUST_TOLD_S: i64 = 5 * 60;

/// What the content check would find on one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// The same content counts.
    Hit,
    /// It may count.
    Maybe,
    /// Nothing counts.
    Pass,
}

pub(super) fn counts(claim: &Claim) -> bool {
    claim.here && claim.likeness == Likeness::Equal && matches!(claim.standing, Standing::Counts { .. })
}

pub(super) fn check(claims: &[Claim]) -> Check {
    if claims.iter().any(counts) {
        return Check::Hit;
    }
    let maybe = |claim: &Claim| {
        claim.likeness == Likeness::Heard && !matches!(claim.standing, Standing::Free { .. } | Standing::Dead { .. })
            || claim.likeness == Likeness::Equal
                && match claim.standing {
                    Standing::Unclear(_) => true,
                    // In another workspace row of this log, which may be the same one at Pozy.
                    Standing::Counts { .. } => !claim.here,
                    Standing::Free { .. } | Standing::Dead { .. } => false,
                }
    };
    if claims.iter().any(maybe) { Check::Maybe } else { Check::Pass }
}

/// What else is live on one place if the post goes through there.
pub(super) fn through(found: &mut Found, question: &Question<'_>, claims: &[Claim], asked: &OnceCell<bool>) {
    for claim in claims {
        match claim.standing {
            Standing::Dead { told } if may_be_back(claim, question, asked) => {
                found.may(Answer::MaybeSecond);
                if !matches!(claim.likeness, Likeness::Near(_)) {
                    // It may be in this workspace after all.
                    found.may(Answer::Refused);
                }
                found.say(Reason::StaleState, says::may_be_back(claim, told));
                found.suggest(Suggest::FetchFirst);
            }
            Standing::Dead { .. } => {}
            _ if claim.likeness == Likeness::Heard => heard(found, question, claim),
            // No content check of this workspace looks there, whatever state it is in.
            _ if !claim.here && claim.post.is_some() => {
                found.may(Answer::MaybeSecond);
                found.say(Reason::OtherWorkspace, says::through_elsewhere(claim));
                found.suggest(Suggest::OpenExisting);
            }
            // The very same content is refused before it can double; a place beside it is what lets it through.
            Standing::Counts { .. } if claim.likeness == Likeness::Equal => {}
            Standing::Counts { .. } | Standing::Free { .. } if claim.unseen.is_some() => {
                found.may(Answer::MaybeSecond);
                unseen(found, claim);
            }
            Standing::Counts { since } => {
                found.may(Answer::Second);
                found.say(Reason::NearContent, says::near(claim, since));
                found.suggest(Suggest::OpenExisting);
            }
            Standing::Free { since } => {
                found.may(Answer::Second);
                match claim.likeness {
                    Likeness::Near(_) => found.say(Reason::NearContent, says::near(claim, Some(since))),
                    _ => found.say(Reason::CheckOver, says::check_over(claim, since)),
                }
                found.suggest(Suggest::OpenExisting);
            }
            Standing::Unclear(unclear) => unclear_claim(found, question, claim, unclear),
        }
    }
}

/// True if what was told not to be live may be by now, and nothing finds out before the act: a target that failed can be
/// repeated at Pozy without a word to us. The very same words of this workspace are refused then (R10), and what is not
/// safe anyway has its posts fetched first: `asked` keeps whether that is so.
pub(super) fn may_be_back(claim: &Claim, question: &Question<'_>, asked: &OnceCell<bool>) -> bool {
    let Standing::Dead { told } = claim.standing else { return false };
    let refused = claim.here && claim.likeness == Likeness::Equal;
    if claim.own || refused || just_told(told, question) || !is_fresh(claim, question) {
        return false;
    }
    !(claim.here && *asked.get_or_init(|| fetches_first(question)))
}

/// True if an act that goes past the content check is at the best one that a person confirms, and no post that it rests on
/// is left out of the fetch before it.
fn fetches_first(question: &Question<'_>) -> bool {
    let confirmed = question.act == Act::PostAgain || !question.known.own.is_empty();
    confirmed && rests_on(question, FETCHED + 1).len() <= FETCHED
}

/// True if it was told within the last minutes by Pozy's clock.
fn just_told(told: Moment, question: &Question<'_>) -> bool {
    let theirs = Moment(question.now.0.saturating_add(question.known.ahead.unwrap_or_default()));
    theirs.ms_since(told).abs() <= JUST_TOLD_S * 1_000
}

/// A message told of a post there, and what Pozy compares is not known of it (R10).
fn heard(found: &mut Found, question: &Question<'_>, claim: &Claim) {
    found.may(Answer::MaybeSecond);
    if matches!(claim.standing, Standing::Unclear(unclear) if unclear.may_be_dead) {
        found.may(if question.known.own.is_empty() { Answer::First } else { Answer::Again });
    }
    found.at_least(Risk::Confirm);
    found.say(Reason::StaleState, says::heard(claim));
    found.suggest(Suggest::FetchFirst);
}

/// Pozy says that it is live, and a person did not see it there: no fetch settles that (X16).
pub(super) fn unseen(found: &mut Found, claim: &Claim) {
    let Some(at) = claim.unseen else { return };
    found.say(Reason::NotSeenOnAccount, says::not_seen(claim, at));
    found.suggest(Suggest::OpenExisting);
}

/// True if what the claim tells bears on the act. What went live longer ago than the window is no news for a new post,
/// nor are nearly equal words for a repeat: weekly words stay free.
pub(super) fn bears(claim: &Claim, question: &Question<'_>) -> bool {
    let same = matches!(claim.likeness, Likeness::Equal | Likeness::Heard);
    let repeat = question.act != Act::Submit && (claim.own || same);
    repeat || is_fresh(claim, question)
}

fn is_fresh(claim: &Claim, question: &Question<'_>) -> bool {
    // What was on its way when it was last told of may have gone live a good while after that.
    let (since, late_s) = match claim.standing {
        Standing::Free { since } => (Some(since), 0),
        Standing::Unclear(unclear) => (unclear.about, if unclear.may_be_dead { LATE_LIVE_S } else { 0 }),
        Standing::Dead { told } => (Some(told), LATE_LIVE_S),
        Standing::Counts { .. } => (None, 0),
    };
    let window = question.contract.near_window_h * 3_600 + question.contract.too_close_min * 60 + late_s;
    since.is_none_or(|since| view(question).now.youngest_since(since) <= window * Moment::SECOND)
}

fn unclear_claim(found: &mut Found, question: &Question<'_>, claim: &Claim, unclear: live::Unclear) {
    let none_found = claim.looked.is_some_and(|looked| looked.late_enough);
    let passes_as_other = claim.likeness != Likeness::Equal && !none_found;
    if unclear.may_be_free || passes_as_other {
        found.may(Answer::MaybeSecond);
    }
    if unclear.may_be_dead && !passes_as_other {
        found.may(if question.known.own.is_empty() { Answer::First } else { Answer::Again });
    }
    if claim.post.is_none() && claim.job.is_some() {
        if let Some(looked) = claim.looked {
            let (code, text) = says::looked(looked);
            found.say(code, text);
            found.at_least(Risk::Confirm);
        }
        if none_found {
            return;
        }
        found.say(Reason::UnknownOutcome, says::open_job(claim));
        let asks = question.act == Act::PostAgain && may_ask(question);
        found.suggest(if asks { Suggest::AskAgain } else { Suggest::FetchFirst });
    } else if unclear.near_limit {
        found.at_least(Risk::Confirm);
        found.say(Reason::CheckNearEnd, says::check_near_end());
    } else {
        found.at_least(Risk::Confirm);
        found.say(Reason::StaleState, says::stale(claim));
        found.suggest(Suggest::FetchFirst);
    }
}

/// True if asking with the stored key is the better way to learn the outcome.
fn may_ask(question: &Question<'_>) -> bool {
    let Some(of) = question.of else { return false };
    let memory = recalled(question);
    retry::takes_key(of.facts, question.contract) && memory.life == Life::Alive
}

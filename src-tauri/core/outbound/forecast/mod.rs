//! What asking again, posting again or a new post would do at this minute (design 4.6, 4.7, S11). Pure: from the job,
//! the memory of its key, what is known of posts and jobs with equal or near content, and the present by both clocks
//! to an effect, the statuses to expect, a risk, reasons and a suggestion.
//!
//! `words` reads what would be sent, `memory` what Pozy knows of a key (R7, R12), `live` where a target stands towards
//! the content check (R10, R11), `known` brings both together, `content` what that means for the act, `says` finds the words. [`forecast`] first collects
//! every answer that is possible, then `found` says what they have in common; where they differ it cannot tell, and the
//! risk is that of the worst. `around` tells what it rests on and what a person compares it with.

mod around;
mod content;
mod found;
pub mod known;
pub mod live;
pub mod memory;
mod reason;
mod says;
pub mod span;
#[cfg(test)]
mod tests;
pub mod words;

use std::cell::OnceCell;

pub use around::{beside, own_standings, preselected, rests_on, taken_for_own};
pub use reason::{Act, Because, Beside, Effect, Forecast, Reason, Risk, Suggest};

use content::{Check, bears, check, counts, through, unseen};
use found::{Answer, Found, sum_up};
use known::{AccountState, Claim, Known, Likeness, View};
use memory::{Bound, Life, Memory};
use span::Span;
use words::{Place, Timing, Words};

use super::{
    job::{EndKind, Facts},
    outcome::{Judged, Outcome, State},
    retry,
    schedule::Trap,
};
use crate::{
    clock::Moment,
    ids::{JobId, WorkspaceId},
    pozy::{answers::Meaning, contract::Contract, envelope::TEXT_MAX},
};

/// A post that is sent this long after the time it was planned for is late, seconds.
const LATE_S: i64 = 15 * 60;

/// Most posts that are fetched before one act.
pub const FETCHED: usize = 20;

/// By so much two clocks still disagree once their difference is known, seconds: `Date` tells whole ones.
const OUR_CLOCKS_S: i64 = 5;

/// The job an act is about.
#[derive(Clone, Copy, Debug)]
pub struct Of<'a> {
    /// What is known of it.
    pub facts: &'a Facts,
    /// What that adds up to.
    pub judged: &'a Judged,
}

/// Everything a forecast rests on.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The act.
    pub act: Act,
    /// The job it is about; none for a new post.
    pub of: Option<Of<'a>>,
    /// Path of the call.
    pub path: &'a str,
    /// The words that would be sent.
    pub words: &'a Words,
    /// True if the key to be sent was chosen before: the job's own, or one that a person gave.
    pub keyed: bool,
    /// Hash of the bytes that would be sent, for a key that may stand for others.
    pub body: Option<&'a super::job::BodyHash>,
    /// What this log knows.
    pub known: &'a Known,
    /// The workspace it goes to.
    pub workspace: WorkspaceId,
    /// Its name, if that is not the job's own or its API key is another than the key was first sent with (row j).
    pub elsewhere: Option<&'a str>,
    /// The present by our clock.
    pub clock: Moment,
    /// The same, never before the newest moment of the log: what was set back makes nothing younger.
    pub now: Moment,
    /// Settings of the provider.
    pub contract: &'a Contract,
}

/// What the act would do.
#[must_use]
pub fn forecast(question: &Question<'_>) -> Forecast {
    let mut found = Found::default();
    if let Some(name) = question.elsewhere {
        elsewhere(&mut found, name);
    } else if question.of.is_some_and(|of| of.judged.state == State::Sending) {
        found.may(Answer::Running);
        found.say(Reason::InProgress, "It is being sent at this moment.");
        found.suggest(Suggest::Wait);
    } else {
        by_key(&mut found, question);
    }
    before_making(&mut found, question);
    sum_up(found, question)
}

/// Row j: another workspace has never seen the key, and may post to the same account.
fn elsewhere(found: &mut Found, name: &str) {
    found.may(Answer::MaybeSecond);
    for status in [400, 403, 404] {
        found.may(Answer::No(status));
    }
    found.say(Reason::OtherWorkspace, says::elsewhere(name));
    found.suggest(Suggest::OpenExisting);
}

/// The first layer: the key (R7). What it does not catch goes on to the content.
fn by_key(found: &mut Found, question: &Question<'_>) {
    let takes_key = question.contract.takes_key(question.path) && question.keyed;
    if question.act == Act::PostAgain || !question.keyed {
        if question.of.is_some() {
            found.say(Reason::NewKey, "A new key is used, so Pozy takes it for a new post.");
        }
        return by_content(found, question, None);
    }
    if !takes_key {
        found.say(Reason::NoKey, retry::Hold::NoKey.says());
        found.suggest(Suggest::PostAgain);
        return by_content(found, question, None);
    }
    if used_elsewhere(found, question) {
        return;
    }
    let memory = recalled(question);
    if let Some(until) = memory.running_until {
        found.may(Answer::Running);
        found.may(Answer::Returned);
        found.say(Reason::InProgress, says::running(until));
        found.suggest(Suggest::Wait);
        return;
    }
    let itself = question.of.map(|of| of.facts.id);
    match (memory.bound, memory.life) {
        (Bound::Never, _) => {
            if question.of.is_some_and(|of| of.facts.has_left()) {
                found.say(Reason::KeyUnused, "No try with this key was carried out, so Pozy does not know it.");
            }
            last_no(found, question);
            by_content(found, question, itself);
        }
        (Bound::Surely, Life::Alive) => returned(found, question, &memory),
        (Bound::Maybe, Life::Alive) => {
            returned(found, question, &memory);
            stands_for_others(found, question);
            found.say(Reason::UnknownOutcome, says::unknown_alive());
            by_content(found, question, itself);
        }
        (_, Life::Near) => {
            stands_for_others(found, question);
            found.may(Answer::Returned);
            found.at_least(Risk::Confirm);
            may_still_run(found, question);
            found.say(Reason::KeyNearEnd, says::near_end(memory.ends, question.now));
            by_content(found, question, None);
        }
        (_, Life::Unknown) => {
            stands_for_others(found, question);
            found.may(Answer::Returned);
            found.at_least(Risk::Blocked);
            may_still_run(found, question);
            found.say(Reason::KeyAgeUnknown, retry::Hold::KeyAgeUnknown.says());
            found.suggest(Suggest::FetchFirst);
            by_content(found, question, None);
        }
        (_, Life::Gone) => {
            found.say(Reason::KeyGone, says::gone(memory.ends));
            by_content(found, question, None);
        }
    }
}

/// A try whose answer is not known may be under way, and the key says so as long as it is (R9).
fn may_still_run(found: &mut Found, question: &Question<'_>) {
    if question.known.uses.last().is_some_and(memory::Use::is_lost) {
        found.may_also(Answer::Running);
    }
}

/// What Pozy knows of the key by the calls of this path.
fn recalled(question: &Question<'_>) -> Memory {
    let here = question.known.uses.iter().filter(|used| !is_elsewhere(used, question)).cloned();
    recall(&here.collect::<Vec<_>>(), question.contract.replays(question.path), question)
}

fn recall(uses: &[memory::Use], told_apart: bool, question: &Question<'_>) -> Memory {
    memory::recall(uses, question.clock, question.now, question.known.ahead, told_apart, question.contract)
}

fn is_elsewhere(used: &memory::Use, question: &Question<'_>) -> bool {
    used.path.as_deref().is_some_and(|path| path != question.path)
}

/// A key that stands for a call of another path: refused (R8), surely so where a call of it was surely carried out and
/// is remembered. Whether a post is refused for a key of another call, too, nothing says (T7).
fn used_elsewhere(found: &mut Found, question: &Question<'_>) -> bool {
    let uses: Vec<_> = question.known.uses.iter().filter(|used| is_elsewhere(used, question)).cloned().collect();
    let told_apart = uses.iter().all(|used| used.path.as_deref().is_some_and(|path| question.contract.replays(path)));
    let memory = recall(&uses, told_apart, question);
    if memory.bound == Bound::Never || memory.life == Life::Gone {
        return false;
    }
    found.may(Answer::KeyReused);
    found.at_least(Risk::Confirm);
    let replays = question.contract.replays(question.path);
    found.say(Reason::KeyForOtherWords, if replays { says::call_of_another_path() } else { says::other_call() });
    found.suggest(Suggest::Fix);
    !replays && (memory.bound, memory.life) == (Bound::Surely, Life::Alive)
}

/// The key's post comes back, in whatever state it is (R7, T4).
fn returned(found: &mut Found, question: &Question<'_>, memory: &Memory) {
    let other = matches!((&memory.made_with, question.body), (Some(made), Some(sent)) if made != sent);
    let replays = question.contract.replays(question.path);
    // On other paths a key that stands for another body is refused (R8).
    found.may(if other && !replays { Answer::KeyReused } else { Answer::Returned });
    found.say(Reason::KeyAlive, says::alive(memory.ends, question.contract));
    if other {
        found.at_least(Risk::Confirm);
        found.say(Reason::KeyForOtherWords, if replays { says::other_words() } else { says::other_call() });
        found.suggest(Suggest::Fix);
    }
    if memory.bound == Bound::Surely && question.act == Act::AskAgain {
        let own = |claim: &Claim| claim.own && claim.unseen.is_some();
        let mut claims = question
            .words
            .places
            .iter()
            .flat_map(|place| question.known.claims(question.words, place, None, view(question)));
        if let Some(doubted) = claims.find(own) {
            unseen(found, &doubted);
        }
        let standings = own_standings(question);
        if !standings.is_empty() && standings.iter().all(|(_, standing)| standing.is_dead()) {
            found.say(Reason::FirstNotLive, says::first_comes_back_dead());
            found.suggest(Suggest::PostAgain);
        } else if standings.iter().any(|(_, standing)| standing.is_dead()) {
            found.say(Reason::Partial, says::partly_live());
            found.suggest(Suggest::FailedTargetsOnly);
        }
    }
}

/// A key that was given for a new post and has left with other words may give those back (S12).
fn stands_for_others(found: &mut Found, question: &Question<'_>) {
    let other = |used: &memory::Use| {
        used.kind != Some(EndKind::NotSent) && used.body.is_some() && used.body.as_ref() != question.body
    };
    if question.act == Act::Submit && question.body.is_some() && question.known.uses.iter().any(other) {
        found.at_least(Risk::Confirm);
        found.say(Reason::KeyForOtherWords, says::other_words());
        found.suggest(Suggest::Fix);
    }
}

/// A final no to these very bytes most likely comes again (R13), but what it rested on may have been mended.
fn last_no(found: &mut Found, question: &Question<'_>) {
    let Some(last) = question.of.and_then(|of| of.facts.attempts.last()) else { return };
    if !matches!(last.meaning(), Some(Meaning::Rejected | Meaning::Redirected | Meaning::KeyElsewhere)) {
        return;
    }
    if let Some(status) = last.end.as_ref().and_then(|end| end.status) {
        found.may(Answer::No(status));
        found.say(Reason::AnsweredNo, says::answered_no(status));
        found.suggest(Suggest::Fix);
    }
}

/// The second layer: is the same content there (R10), and what else is live if it goes through? `except` is a job
/// whose key answers for its own lost tries.
fn by_content(found: &mut Found, question: &Question<'_>, except: Option<JobId>) {
    let view = view(question);
    if question.words.timing == Timing::Never && question.contract.replays(question.path) {
        found.at_least(Risk::Confirm);
        found.say(Reason::Draft, "It has no time to go out at, so Pozy keeps it as a draft and publishes nothing.");
        if question.act == Act::AskAgain && question.known.uses.last().is_some_and(memory::Use::is_lost) {
            found.say(Reason::UnknownOutcome, says::lost_draft());
        }
        found.may(if question.known.own.is_empty() { Answer::First } else { Answer::Again });
        return;
    }
    let mut places: Vec<Vec<Claim>> = Vec::new();
    let made_one = except.is_some() && recalled(question).bound == Bound::Maybe;
    for place in &question.words.places {
        let mut claims = question.known.claims(question.words, place, except, view);
        claims.retain(|claim| bears(claim, question));
        let borne = claims.len();
        claims.retain(|claim| !(made_one && is_its_own(claim, place, question)));
        if claims.len() < borne {
            found.may_also(Answer::Refused);
        }
        places.push(claims);
    }
    if !question.contract.replays(question.path) || places.is_empty() {
        return by_job(found, question, except);
    }
    let checked: Vec<Check> = places.iter().map(|claims| check(claims)).collect();
    let hit = checked.iter().filter(|check| **check == Check::Hit).count();
    if hit == checked.len() {
        found.may(Answer::Refused);
        let there = places.iter().flatten().find(|claim| counts(claim));
        found.say(Reason::SameContentThere, says::same_content(there));
        if let Some(doubted) = places.iter().flatten().find(|claim| counts(claim) && claim.unseen.is_some()) {
            unseen(found, doubted);
        }
        found.suggest(Suggest::OpenExisting);
        return;
    }
    if hit > 0 {
        found.may(Answer::Refused);
        found.may(Answer::MaybeSecond);
        found.say(Reason::Partial, says::partly_there());
        found.suggest(Suggest::FailedTargetsOnly);
    } else if checked.contains(&Check::Maybe) {
        found.may(Answer::Refused);
    }
    let asked = OnceCell::new();
    for claims in &places {
        through(found, question, claims, &asked);
    }
    if found
        .answers
        .iter()
        .all(|answer| matches!(answer, Answer::Returned | Answer::Refused | Answer::KeyReused | Answer::No(_)))
    {
        passes(found, question);
    }
    // Asked with its own key, the post was looked at when it was first sent.
    if question.known.words_behind && except.is_none() && found.answers.iter().any(|answer| answer.makes()) {
        found.at_least(Risk::Confirm);
        found.say(Reason::WordsBehind, says::words_behind());
    }
    late(found, question);
}

/// True if messages told of the post since the first try, with the very words of it: asked with a key that is alive and
/// that a lost try may have left there, it is the one that this try made, and the key gives it back (contract: an unknown
/// job inside the key's life is safe).
/// Somebody else's in the same workspace would refuse the act (R10); one of another workspace would not, so it may not be.
/// Nor is it taken for its own where the job, or one that it repeats, made a post that is known.
/// A message tells no media, so that the act looks at it first ([`taken_for_own`]).
fn is_its_own(claim: &Claim, place: &Place, question: &Question<'_>) -> bool {
    let Some(first) = question.of.and_then(|of| of.facts.attempts.first()) else { return false };
    let their_first = first.at.0.saturating_add(question.known.ahead.unwrap_or_default());
    claim.likeness == Likeness::Heard
        && question.known.own.is_empty()
        && (claim.here || !question.known.others)
        && claim.text.as_deref().is_some_and(|text| place.text.chars().take(TEXT_MAX).eq(text.chars()))
        && claim.told_since.is_some_and(|told| told >= Moment(their_first).plus_seconds(-OUR_CLOCKS_S))
}

/// What a person has to decide before anything new is made: which time is meant, and whether an account that was told
/// to be disconnected is to be tried.
fn before_making(found: &mut Found, question: &Question<'_>) {
    if question.act == Act::AskAgain || !found.answers.iter().any(|answer| answer.makes()) {
        return;
    }
    // Once every reading has passed it goes out at once, whichever was meant.
    match question.words.trap.as_ref().filter(|trap| trap.latest().is_none_or(|latest| question.now < latest)) {
        Some(Trap::Twice(first, second)) => {
            found.at_least(Risk::Confirm);
            found.say(Reason::TimeTwice, says::time_twice(first, second));
            found.suggest(Suggest::Fix);
        }
        Some(Trap::Missing(before, after)) => {
            found.at_least(Risk::Blocked);
            found.say(Reason::TimeMissing, says::time_missing(before, after));
            found.suggest(Suggest::Fix);
        }
        Some(Trap::Unreadable) => {
            found.at_least(Risk::Confirm);
            found.say(Reason::TimeUnreadable, says::time_unreadable());
            found.suggest(Suggest::Fix);
        }
        None => {}
    }
    let away = |account: &&AccountState| {
        account.is_away() && question.words.places.iter().any(|place| place.account == account.account)
    };
    if let Some(account) = question.known.accounts.iter().find(away) {
        found.at_least(Risk::Confirm);
        found.say(Reason::AccountDisconnected, says::disconnected(account));
        found.suggest(Suggest::Fix);
    }
}

/// Nothing that is live stands in the way.
fn passes(found: &mut Found, question: &Question<'_>) {
    if question.known.own.is_empty() {
        found.may(Answer::First);
        found.say(Reason::NothingThere, says::nothing_there());
        return;
    }
    found.may(Answer::Again);
    found.say(Reason::FirstNotLive, says::first_is_dead());
    if question.act == Act::AskAgain {
        found.suggest(Suggest::PostAgain);
    }
}

/// A call that is no post, or a post whose targets cannot be read, knows no content check: what was made before, was
/// made.
fn by_job(found: &mut Found, question: &Question<'_>, except: Option<JobId>) {
    let Some(of) = question.of else { return found.may(Answer::First) };
    // By this job, or by one that it was posted again from or that was posted again from it.
    let done = question.known.own_untold || !question.known.own.is_empty();
    match of.judged.outcome {
        outcome if done || matches!(outcome, Outcome::Created | Outcome::Replayed | Outcome::Refused) => {
            found.may(Answer::Second);
            found.say(Reason::FirstLive, "It was carried out before, and nothing else keeps Pozy from doing it twice.");
            found.suggest(Suggest::OpenExisting);
        }
        Outcome::Unknown if of.facts.settled.as_ref().is_some_and(|settled| !settled.there) => {
            found.may(Answer::First);
            found.at_least(Risk::Confirm);
            found.say(Reason::SeenNotThere, says::not_there());
        }
        Outcome::Unknown if except != Some(of.facts.id) => {
            found.may(Answer::MaybeSecond);
            found.say(Reason::UnknownOutcome, says::unknown_gone());
            found.suggest(Suggest::FetchFirst);
        }
        _ => found.may(Answer::First),
    }
}

/// Sent after its time it is published at once (`pozy.md` 6, trap 6).
fn late(found: &mut Found, question: &Question<'_>) {
    let Timing::At(time) = question.words.timing else { return };
    if found.answers.iter().any(|answer| answer.makes()) && question.now > time.plus_seconds(LATE_S) {
        found.say(Reason::SchedulePassed, says::late(time));
    }
}

fn view<'a>(question: &Question<'a>) -> View<'a> {
    View { workspace: question.workspace, now: present(question), contract: question.contract }
}

/// A clock that was set back widens the present: what is too old for the one reading may be young by the other.
fn present(question: &Question<'_>) -> Span {
    let (told, held) = (Span::of(question.clock, question.known.ahead), Span::of(question.now, question.known.ahead));
    Span { earliest: told.earliest.min(held.earliest), latest: told.latest.max(held.latest) }
}

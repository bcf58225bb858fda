//! What asking again, posting again or a new post would do at this minute (design 4.6, 4.7, S11). Pure: from the job,
//! the memory of its key, what is known of posts and jobs with equal or near content, and the present by both clocks
//! to an effect, the statuses to expect, a risk, reasons and a suggestion.
//!
//! `words` reads what would be sent, `memory` what Pozy knows of a key (R7, R12), `live` where a target stands towards
//! the content check (R10, R11), `known` brings both together, `says` finds the words. [`forecast`] first collects
//! every answer that is possible, then says what they have in common; where they differ it cannot tell, and the risk
//! is that of the worst.

pub mod known;
pub mod live;
pub mod memory;
mod reason;
mod says;
pub mod span;
#[cfg(test)]
mod tests;
pub mod words;

pub use reason::{Act, Because, Beside, Effect, Forecast, Reason, Risk, Suggest};

use known::{AccountState, Claim, Known, Likeness, View};
use live::Standing;
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
    ids::{AccountId, JobId, PostId, WorkspaceId},
    pozy::{answers::Meaning, contract::Contract},
};

/// A post that is sent this long after the time it was planned for is late, seconds.
const LATE_S: i64 = 15 * 60;

/// Most posts and jobs that are shown beside a forecast.
const MOST_BESIDE: usize = 8;

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

/// One answer that is possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// 200: the key's post comes back.
    Returned,
    /// 409: the first request still runs.
    Running,
    /// 409: the same content is there.
    Refused,
    /// 201, and no other live post is known or thinkable.
    First,
    /// 201, and an earlier post of the job is not live.
    Again,
    /// 201, and another live post of these words may be there.
    MaybeSecond,
    /// 201, and another live post of these words is there.
    Second,
    /// A final no of that status.
    No(u16),
}

impl Answer {
    /// True if something new comes of it.
    const fn makes(self) -> bool {
        matches!(self, Self::First | Self::Again | Self::Second | Self::MaybeSecond)
    }

    fn status(self, replays: bool) -> Vec<u16> {
        match self {
            Self::Returned if replays => vec![200],
            // Other paths repeat the status of the first answer (R8).
            Self::Returned => vec![200, 201],
            Self::Running | Self::Refused => vec![409],
            Self::First | Self::Again | Self::MaybeSecond | Self::Second if replays => vec![201],
            Self::First | Self::Again | Self::MaybeSecond | Self::Second => vec![200, 201],
            Self::No(status) => vec![status],
        }
    }

    const fn effect(self) -> Effect {
        match self {
            Self::Returned => Effect::ReturnsExisting,
            Self::Running => Effect::InProgress,
            Self::Refused => Effect::RefusedSameContent,
            Self::First => Effect::CreatesFirst,
            Self::Again => Effect::CreatesAgain,
            Self::Second => Effect::CreatesSecond,
            Self::MaybeSecond | Self::No(_) => Effect::CannotTell,
        }
    }
}

/// What is found on the way to a forecast.
#[derive(Debug, Default)]
struct Found {
    answers: Vec<Answer>,
    because: Vec<Because>,
    suggest: Option<Suggest>,
    /// No answer may be started without a word.
    at_least: Option<Risk>,
}

impl Found {
    fn may(&mut self, answer: Answer) {
        if !self.answers.contains(&answer) {
            self.answers.push(answer);
        }
    }

    fn say(&mut self, code: Reason, text: impl Into<String>) {
        if self.because.iter().all(|said| said.code != code) {
            self.because.push(Because { code, text: text.into() });
        }
    }

    fn suggest(&mut self, what: Suggest) {
        self.suggest = self.suggest.or(Some(what));
    }

    fn at_least(&mut self, risk: Risk) {
        self.at_least = self.at_least.max(Some(risk));
    }
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
    let memory =
        memory::recall(&question.known.uses, question.clock, question.now, question.known.ahead, question.contract);
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
            found.say(Reason::KeyNearEnd, says::near_end(memory.ends, question.now));
            by_content(found, question, None);
        }
        (_, Life::Unknown) => {
            stands_for_others(found, question);
            found.may(Answer::Returned);
            found.at_least(Risk::Blocked);
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

/// The key's post comes back, in whatever state it is (R7, T4).
fn returned(found: &mut Found, question: &Question<'_>, memory: &Memory) {
    let other = matches!((&memory.made_with, question.body), (Some(made), Some(sent)) if made != sent);
    let replays = question.contract.replays(question.path);
    // On other paths a key that stands for another body is refused (R8).
    found.may(if other && !replays { Answer::No(422) } else { Answer::Returned });
    found.say(Reason::KeyAlive, says::alive(memory.ends, question.contract));
    if other {
        found.at_least(Risk::Confirm);
        found.say(Reason::KeyForOtherWords, says::other_words());
        found.suggest(Suggest::Fix);
    }
    if memory.bound == Bound::Surely && question.act == Act::AskAgain {
        let standings = own_standings(question);
        let dead = |standing: &Standing| *standing == Standing::Dead;
        if !standings.is_empty() && standings.iter().all(|(_, standing)| dead(standing)) {
            found.say(Reason::FirstNotLive, says::first_comes_back_dead());
            found.suggest(Suggest::PostAgain);
        } else if standings.iter().any(|(_, standing)| dead(standing)) {
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
        found.may(if question.known.own.is_empty() { Answer::First } else { Answer::Again });
        return;
    }
    let mut places: Vec<Vec<Claim>> = Vec::new();
    for place in &question.words.places {
        let mut claims = question.known.claims(question.words, place, except, view);
        claims.retain(|claim| bears(claim, question));
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
    for claims in &places {
        through(found, question, claims);
    }
    if found.answers.iter().all(|answer| matches!(answer, Answer::Returned | Answer::Refused | Answer::No(_))) {
        passes(found, question);
    }
    late(found, question);
}

/// What a person has to decide before anything new is made: which time is meant, and whether an account that was told
/// to be disconnected is to be tried.
fn before_making(found: &mut Found, question: &Question<'_>) {
    if question.act == Act::AskAgain || !found.answers.iter().any(|answer| answer.makes()) {
        return;
    }
    match &question.words.trap {
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
    match of.judged.outcome {
        Outcome::Created | Outcome::Replayed | Outcome::Refused => {
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
        Outcome::None | Outcome::Rejected | Outcome::Unknown => found.may(Answer::First),
    }
}

/// What the content check would find on one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Check {
    /// The same content counts.
    Hit,
    /// It may count.
    Maybe,
    /// Nothing counts.
    Pass,
}

fn counts(claim: &Claim) -> bool {
    claim.here && claim.likeness == Likeness::Equal && matches!(claim.standing, Standing::Counts { .. })
}

fn check(claims: &[Claim]) -> Check {
    if claims.iter().any(counts) {
        return Check::Hit;
    }
    let maybe = |claim: &Claim| {
        claim.likeness == Likeness::Equal
            && match claim.standing {
                Standing::Unclear(_) => true,
                // In another workspace row of this log, which may be the same one at Pozy.
                Standing::Counts { .. } => !claim.here,
                Standing::Free { .. } | Standing::Dead => false,
            }
    };
    if claims.iter().any(maybe) { Check::Maybe } else { Check::Pass }
}

/// What else is live on one place if the post goes through there.
fn through(found: &mut Found, question: &Question<'_>, claims: &[Claim]) {
    for claim in claims {
        match claim.standing {
            Standing::Dead => {}
            // No content check of this workspace looks there, whatever state it is in.
            _ if !claim.here && claim.post.is_some() => {
                found.may(Answer::MaybeSecond);
                found.say(Reason::OtherWorkspace, says::through_elsewhere(claim));
                found.suggest(Suggest::OpenExisting);
            }
            // The very same content is refused before it can double; a place beside it is what lets it through.
            Standing::Counts { .. } if claim.likeness == Likeness::Equal => {}
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

/// True if what the claim tells bears on the act. What went live longer ago than the window is no news for a new post,
/// nor are nearly equal words for a repeat: weekly words stay free.
fn bears(claim: &Claim, question: &Question<'_>) -> bool {
    let repeat = question.act != Act::Submit && (claim.own || claim.likeness == Likeness::Equal);
    repeat || is_fresh(claim, question)
}

fn is_fresh(claim: &Claim, question: &Question<'_>) -> bool {
    let since = match claim.standing {
        Standing::Free { since } => Some(since),
        Standing::Unclear(unclear) => unclear.about,
        Standing::Counts { .. } | Standing::Dead => None,
    };
    let window = question.contract.near_window_h * 3_600 + question.contract.too_close_min * 60;
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
    let memory =
        memory::recall(&question.known.uses, question.clock, question.now, question.known.ahead, question.contract);
    retry::takes_key(of.facts, question.contract) && memory.life == Life::Alive
}

/// Sent after its time it is published at once (`pozy.md` 6, trap 6).
fn late(found: &mut Found, question: &Question<'_>) {
    let Timing::At(time) = question.words.timing else { return };
    if found.answers.iter().any(|answer| answer.makes()) && question.now > time.plus_seconds(LATE_S) {
        found.say(Reason::SchedulePassed, says::late(time));
    }
}

/// Where the job's own posts stand, by account.
#[must_use]
pub fn own_standings(question: &Question<'_>) -> Vec<(AccountId, Standing)> {
    let (own, view) = (&question.known.own, view(question));
    let posts = question.known.posts.iter().filter(|target| own.contains(&target.post));
    posts
        .map(|target| {
            let scheduled = target.scheduled.map(Moment);
            (target.account.clone(), live::standing(&target.news, scheduled, view.now, question.contract))
        })
        .collect()
}

/// The known posts whose state the forecast rests on, the job's own first, at most `most`.
#[must_use]
pub fn rests_on(question: &Question<'_>, most: usize) -> Vec<PostId> {
    let mut posts: Vec<PostId> = question.known.own.clone();
    for place in &question.words.places {
        let claims = question.known.claims(question.words, place, None, view(question));
        posts.extend(
            claims.into_iter().filter(|claim| claim.here && bears(claim, question)).filter_map(|claim| claim.post),
        );
    }
    let mut seen = std::collections::HashSet::new();
    posts.retain(|post| seen.insert(post.clone()));
    posts.truncate(most);
    posts
}

/// What may stand on the accounts already with equal or near words or from the same job, for a person to compare: each
/// post or open job once, those that are surely live or on their way first.
#[must_use]
pub fn beside(question: &Question<'_>) -> Vec<Beside> {
    let mut found: Vec<(bool, Beside)> = Vec::new();
    for place in &question.words.places {
        let claims = question.known.claims(question.words, place, None, view(question));
        for claim in claims {
            let stands = !matches!(claim.standing, Standing::Dead);
            let named = claim.post.is_some() || claim.job.is_some();
            let known = |(_, other): &(bool, Beside)| other.post == claim.post && other.job == claim.job;
            if !stands || !named || found.iter().any(known) || !bears(&claim, question) {
                continue;
            }
            let since = match claim.standing {
                Standing::Counts { since } => since,
                Standing::Free { since } => Some(since),
                Standing::Dead | Standing::Unclear(_) => None,
            };
            let unsure = matches!(claim.standing, Standing::Unclear(_));
            let (post, job, text) = (claim.post, claim.job, claim.text);
            found.push((unsure, Beside { post, job, account: place.account.clone(), text, since, own: claim.own }));
        }
    }
    found.sort_by_key(|(unsure, _)| *unsure);
    found.into_iter().map(|(_, beside)| beside).take(MOST_BESIDE).collect()
}

/// The accounts a Post again goes to unless a person chooses: the failed ones where others are live, else all.
#[must_use]
pub fn preselected(places: &[Place], own: &[(AccountId, Standing)]) -> Vec<AccountId> {
    let dead = |account: &AccountId| {
        let mut its = own.iter().filter(|(on, _)| on == account).peekable();
        its.peek().is_some() && its.all(|(_, standing)| *standing == Standing::Dead)
    };
    let all: Vec<AccountId> = places.iter().map(|place| place.account.clone()).collect();
    let failed: Vec<AccountId> = all.iter().filter(|account| dead(account)).cloned().collect();
    if failed.is_empty() { all } else { failed }
}

fn view<'a>(question: &Question<'a>) -> View<'a> {
    View { workspace: question.workspace, now: present(question), contract: question.contract }
}

/// A clock that was set back widens the present: what is too old for the one reading may be young by the other.
fn present(question: &Question<'_>) -> Span {
    let (told, held) = (Span::of(question.clock, question.known.ahead), Span::of(question.now, question.known.ahead));
    Span { earliest: told.earliest.min(held.earliest), latest: told.latest.max(held.latest) }
}

/// One effect if all possible answers agree on it, else `cannot_tell`; the risk of the worst of them.
fn sum_up(mut found: Found, question: &Question<'_>) -> Forecast {
    let answers = &found.answers;
    let has = |wanted: Answer| answers.contains(&wanted);
    let second = has(Answer::Second);
    let effect = match answers.as_slice() {
        [] => Effect::CannotTell,
        [only] => only.effect(),
        _ if has(Answer::Running) => Effect::InProgress,
        // That something else may be live as well changes nothing once one surely is.
        several
            if second
                && several
                    .iter()
                    .all(|a| matches!(a, Answer::Second | Answer::MaybeSecond | Answer::First | Answer::Again)) =>
        {
            Effect::CreatesSecond
        }
        _ => Effect::CannotTell,
    };
    let mut risk = match effect {
        Effect::CreatesSecond => Risk::Blocked,
        Effect::CreatesAgain | Effect::RefusedSameContent => Risk::Confirm,
        Effect::CannotTell if second || has(Answer::MaybeSecond) || answers.is_empty() => Risk::Blocked,
        Effect::CannotTell if has(Answer::Again) || has(Answer::Refused) => Risk::Confirm,
        Effect::CannotTell | Effect::ReturnsExisting | Effect::CreatesFirst | Effect::InProgress => Risk::Safe,
    };
    risk = risk.max(found.at_least.unwrap_or(Risk::Safe));
    if question.act == Act::PostAgain {
        risk = risk.max(Risk::Confirm);
    }
    if Span::of(question.now, question.known.ahead).latest != question.now
        || question.known.ahead.is_some_and(|ahead| ahead < -2 * Moment::SECOND)
    {
        found.say(Reason::ClockSkew, says::skew(question.known.ahead));
    }
    let replays = question.contract.replays(question.path);
    let mut expects: Vec<u16> = found.answers.iter().flat_map(|answer| answer.status(replays)).collect();
    expects.sort_unstable();
    expects.dedup();
    let mut because = found.because;
    if effect == Effect::CannotTell {
        because.sort_by_key(|because| !because.code.leaves_open());
    }
    Forecast { action: question.act, effect, expects, risk, because, suggest: found.suggest }
}

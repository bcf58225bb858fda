//! What is found on the way to a forecast: every answer that is possible, why, and what they have in common. Pure.

use super::{
    Question,
    reason::{Act, Because, Effect, Forecast, Reason, Risk, Suggest},
    says,
    span::Span,
};
use crate::clock::Moment;

/// One answer that is possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
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
    /// 422: the key stands for another call.
    KeyReused,
    /// A final no of that status.
    No(u16),
}

impl Answer {
    /// True if something new comes of it.
    pub(super) const fn makes(self) -> bool {
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
            Self::KeyReused => vec![422],
            Self::No(status) => vec![status],
        }
    }

    const fn effect(self) -> Effect {
        match self {
            Self::Returned => Effect::ReturnsExisting,
            Self::Running => Effect::InProgress,
            Self::Refused => Effect::RefusedSameContent,
            Self::KeyReused => Effect::RefusedKeyReuse,
            Self::First => Effect::CreatesFirst,
            Self::Again => Effect::CreatesAgain,
            Self::Second => Effect::CreatesSecond,
            Self::MaybeSecond | Self::No(_) => Effect::CannotTell,
        }
    }
}

/// What is found on the way to a forecast.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) answers: Vec<Answer>,
    because: Vec<Because>,
    suggest: Option<Suggest>,
    /// No answer may be started without a word.
    at_least: Option<Risk>,
    /// An answer that changes nothing for anybody: it is expected, and weighs nothing.
    also: Option<Answer>,
}

impl Found {
    pub(super) fn may(&mut self, answer: Answer) {
        if !self.answers.contains(&answer) {
            self.answers.push(answer);
        }
    }

    /// As [`Found::may`], for an answer that would be as good as those that are weighed.
    pub(super) const fn may_also(&mut self, answer: Answer) {
        self.also = Some(answer);
    }

    pub(super) fn say(&mut self, code: Reason, text: impl Into<String>) {
        if self.because.iter().all(|said| said.code != code) {
            self.because.push(Because { code, text: text.into() });
        }
    }

    pub(super) fn suggest(&mut self, what: Suggest) {
        self.suggest = self.suggest.or(Some(what));
    }

    pub(super) fn at_least(&mut self, risk: Risk) {
        self.at_least = self.at_least.max(Some(risk));
    }
}

/// One effect if all possible answers agree on it, else `cannot_tell`; the risk of the worst of them.
pub(super) fn sum_up(mut found: Found, question: &Question<'_>) -> Forecast {
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
        Effect::CreatesAgain | Effect::RefusedSameContent | Effect::RefusedKeyReuse => Risk::Confirm,
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
    let mut expects: Vec<u16> =
        found.answers.iter().chain(&found.also).flat_map(|answer| answer.status(replays)).collect();
    expects.sort_unstable();
    expects.dedup();
    let mut because = found.because;
    if effect == Effect::CannotTell {
        because.sort_by_key(|because| !because.code.leaves_open());
    }
    Forecast { action: question.act, effect, expects, risk, because, suggest: found.suggest }
}

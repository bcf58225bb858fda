//! Why a copy came (design 3.8, R2, R3): one cause out of a closed list, with a confidence and the earlier arrival it
//! was read from. Pure; the order of the questions is the contract's, the first that fits answers.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{clock::Moment, ids::Seq, pozy::contract::Contract};

/// Copies less than this far apart came at once, milliseconds.
const AT_ONCE_MS: i64 = 1_000;

/// What became of the answer to an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// It left.
    Left {
        /// From arrival to the answer's last byte, milliseconds.
        took_ms: i64,
        /// When it left.
        at: Moment,
    },
    /// It is still under way.
    Pending,
    /// It never left: the connection was gone, or the program died before.
    Never {
        /// How long we tried, if that is known, milliseconds.
        took_ms: Option<i64>,
    },
    /// An import does not say.
    Unsaid,
}

/// One arrival of an event, as far as causes need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// Which arrival.
    pub seq: Seq,
    /// When it reached us.
    pub at: Moment,
    /// The status we decided on; none where an import does not say.
    pub status: Option<u16>,
    /// What became of our answer.
    pub answered: Answered,
}

/// The closed list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CauseCode {
    /// Our answer to an earlier copy took longer than Pozy waits.
    SlowAnswer,
    /// We answered the copy before other than 2xx, or not at all.
    FailedAnswer,
    /// It came together with the copy before.
    AtOnce,
    /// We answered well, yet it was sent again soon: the answer was probably lost on the way.
    LostAnswer,
    /// A late retry or a person: cannot be told apart.
    LateRetryOrRedelivery,
    /// Retries are over by then, so somebody redelivered it.
    RedeliveredByHand,
}

impl CauseCode {
    /// The word in tables, JSON and exports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::SlowAnswer => "slow_answer",
            Self::FailedAnswer => "failed_answer",
            Self::AtOnce => "at_once",
            Self::LostAnswer => "lost_answer",
            Self::LateRetryOrRedelivery => "late_retry_or_redelivery",
            Self::RedeliveredByHand => "redelivered_by_hand",
        }
    }
}

/// How sure a cause is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum Confidence {
    /// The rows prove it.
    High,
    /// The rows make it likely.
    Medium,
    /// Other causes fit as well.
    Low,
}

impl Confidence {
    /// The word in tables, JSON and exports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

/// Why a copy came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Which of the list.
    pub code: CauseCode,
    /// How sure.
    pub confidence: Confidence,
    /// One or two plain sentences.
    pub says: String,
    /// The earlier arrival it was read from.
    pub rests_on: Seq,
}

/// The cause of the copy that came at `this`. `first` is the event's first arrival; `before` holds the arrivals just
/// before this copy, nearest first, at least one.
#[must_use]
pub fn cause(first: &Told, before: &[Told], this: Moment, contract: &Contract) -> Option<Cause> {
    let previous = before.first()?;
    let gap = this.ms_since(previous.at);
    let since_first = this.ms_since(first.at);
    let deadline = contract.answer_deadline_ms;
    let found =
        |code, confidence, says, rests_on: &Told| Some(Cause { code, confidence, says, rests_on: rests_on.seq });

    if since_first > hours(contract.retries_span_h) {
        let sure = since_first > hours(contract.by_hand_sure_h);
        let confidence = if sure { Confidence::High } else { Confidence::Medium };
        let says = format!(
            "It came {} after the first. Pozy retries for about {} h, so somebody sent it again.",
            spell(since_first),
            contract.retries_span_h
        );
        return found(CauseCode::RedeliveredByHand, confidence, says, first);
    }

    let slow = before
        .iter()
        .find(|told| this.ms_since(told.at) >= deadline && took(told, this).is_some_and(|took_ms| took_ms > deadline));
    if let Some(slow) = slow {
        let near = slow.seq == previous.seq && gap <= contract.lost_answer_within_s * 1_000;
        let confidence = if near { Confidence::High } else { Confidence::Medium };
        let which = if slow.seq == first.seq { "first" } else { "earlier" };
        let says = match slow.answered {
            Answered::Left { took_ms, .. } => {
                format!("Our {which} answer took {}. Pozy waits {}, then sends again.", spell(took_ms), spell(deadline))
            }
            _ => {
                format!("Our {which} answer was not out after {0}. Pozy waits {0}, then sends again.", spell(deadline))
            }
        };
        return found(CauseCode::SlowAnswer, confidence, says, slow);
    }

    match (previous.status, previous.answered) {
        (_, Answered::Never { .. }) => {
            let says = "Our answer to the one before never left, so Pozy sent it again.".to_owned();
            return found(CauseCode::FailedAnswer, Confidence::High, says, previous);
        }
        (Some(status), answered) if !is_good(status) => {
            let confidence = match answered {
                Answered::Left { at, .. } if at <= this => Some(Confidence::High),
                Answered::Unsaid => Some(Confidence::Medium),
                _ => None,
            };
            if let Some(confidence) = confidence {
                let says = format!("We answered {status}. This is the retry Pozy makes after such an answer.");
                return found(CauseCode::FailedAnswer, confidence, says, previous);
            }
        }
        _ => {}
    }

    if gap < AT_ONCE_MS {
        let left_before = matches!(previous.answered, Answered::Left { at, .. } if at <= this);
        let (confidence, when) = if left_before {
            (Confidence::Medium, "just as we had answered")
        } else {
            (Confidence::High, "before we had answered")
        };
        let says = format!("It came {} after the one before, {when}.", spell(gap));
        return found(CauseCode::AtOnce, confidence, says, previous);
    }

    if previous.status.is_some_and(is_good) && gap <= contract.lost_answer_within_s * 1_000 {
        match previous.answered {
            Answered::Left { took_ms, at } if at <= this => {
                let says = format!(
                    "We answered in {}; the next copy came {} later. Our answer was probably lost on the way.",
                    spell(took_ms),
                    spell(gap)
                );
                return found(CauseCode::LostAnswer, Confidence::Medium, says, previous);
            }
            Answered::Unsaid => {
                let says =
                    format!("We answered well; the next copy came {} later. Our answer may be lost.", spell(gap));
                return found(CauseCode::LostAnswer, Confidence::Low, says, previous);
            }
            _ => {}
        }
    }

    let says = format!("Late retry, or sent again by hand: both fit after {}.", spell(since_first));
    found(CauseCode::LateRetryOrRedelivery, Confidence::Low, says, previous)
}

/// How long the answer took, or has taken so far when the copy came.
const fn took(told: &Told, this: Moment) -> Option<i64> {
    match told.answered {
        Answered::Left { took_ms, .. } => Some(took_ms),
        Answered::Pending => Some(this.ms_since(told.at).saturating_add(1)),
        Answered::Never { took_ms } => took_ms,
        Answered::Unsaid => None,
    }
}

const fn is_good(status: u16) -> bool {
    matches!(status, 200..=299)
}

const fn hours(count: i64) -> i64 {
    count * 3_600_000
}

/// A span in words: `31 ms`, `7.4 s`, `1 min`, `5 h 29 min`, `9 days`.
fn spell(ms: i64) -> String {
    let two = |large: i64, unit: &str, small: i64, part: &str| match small {
        0 => format!("{large} {unit}"),
        _ => format!("{large} {unit} {small} {part}"),
    };
    match ms {
        ..1_000 => format!("{ms} ms"),
        1_000..60_000 => match (ms + 50) / 100 {
            tenths if tenths % 10 == 0 => format!("{} s", tenths / 10),
            tenths => format!("{}.{} s", tenths / 10, tenths % 10),
        },
        60_000..3_600_000 => two(ms / 60_000, "min", ms / 1_000 % 60, "s"),
        3_600_000..172_800_000 => two(ms / 3_600_000, "h", ms / 60_000 % 60, "min"),
        _ => format!("{} days", ms / 86_400_000),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn at(ms: i64) -> Moment {
        Moment::from_millis(ms)
    }

    fn told(seq: i64, arrived_ms: i64, status: u16, took_ms: i64) -> Told {
        let answered = Answered::Left { took_ms, at: at(arrived_ms + took_ms) };
        Told { seq: Seq(seq), at: at(arrived_ms), status: Some(status), answered }
    }

    fn of(before: &[Told], this_ms: i64) -> Cause {
        let pozy = Contract::shipped("pozy").unwrap();
        cause(before.last().unwrap(), before, at(this_ms), &pozy).unwrap()
    }

    const H: i64 = 3_600_000;

    #[rstest]
    #[case::a(told(1, 0, 200, 7_400), 9_000, CauseCode::SlowAnswer, Confidence::High)]
    #[case::b(told(1, 0, 200, 35), 11_000, CauseCode::LostAnswer, Confidence::Medium)]
    #[case::c(told(1, 0, 500, 40), 60_000, CauseCode::FailedAnswer, Confidence::High)]
    #[case::d(told(1, 0, 200, 38), 28 * H + 32 * 60_000, CauseCode::LateRetryOrRedelivery, Confidence::Low)]
    #[case::hand(told(1, 0, 200, 38), 40 * H, CauseCode::RedeliveredByHand, Confidence::High)]
    #[case::hand_maybe(told(1, 0, 200, 38), 34 * H, CauseCode::RedeliveredByHand, Confidence::Medium)]
    #[case::still_in_the_span(told(1, 0, 200, 38), 33 * H, CauseCode::LateRetryOrRedelivery, Confidence::Low)]
    #[case::once(told(1, 0, 204, 20), 300, CauseCode::AtOnce, Confidence::Medium)]
    #[case::once_before(told(1, 0, 204, 31), 1, CauseCode::AtOnce, Confidence::High)]
    #[case::failed_but_not_yet_out(told(1, 0, 500, 900), 300, CauseCode::AtOnce, Confidence::High)]
    #[case::slow_but_too_early(told(1, 0, 204, 7_400), 4_000, CauseCode::LateRetryOrRedelivery, Confidence::Low)]
    #[case::sharp(told(1, 0, 204, 5_000), 9_000, CauseCode::LostAnswer, Confidence::Medium)]
    fn one_copy_after_one_arrival(
        #[case] first: Told,
        #[case] this_ms: i64,
        #[case] code: CauseCode,
        #[case] confidence: Confidence,
    ) {
        let cause = of(&[first], this_ms);
        assert_eq!((cause.code, cause.confidence), (code, confidence), "{}", cause.says);
        assert_eq!(cause.rests_on, Seq(1));
    }

    #[rstest]
    #[case(Answered::Pending, Some(204), 6_000, CauseCode::SlowAnswer)]
    #[case(Answered::Pending, Some(204), 5_000, CauseCode::SlowAnswer)]
    #[case(Answered::Pending, Some(204), 2_000, CauseCode::LateRetryOrRedelivery)]
    #[case(Answered::Never { took_ms: None }, Some(204), 10_000, CauseCode::FailedAnswer)]
    #[case(Answered::Never { took_ms: Some(6_000) }, Some(204), 10_000, CauseCode::SlowAnswer)]
    #[case(Answered::Unsaid, Some(503), 10_000, CauseCode::FailedAnswer)]
    #[case(Answered::Unsaid, Some(204), 10_000, CauseCode::LostAnswer)]
    #[case(Answered::Unsaid, None, 10_000, CauseCode::LateRetryOrRedelivery)]
    fn what_became_of_our_answer_decides(
        #[case] answered: Answered,
        #[case] status: Option<u16>,
        #[case] this_ms: i64,
        #[case] code: CauseCode,
    ) {
        let first = Told { seq: Seq(1), at: at(0), status, answered };
        assert_eq!(of(&[first], this_ms).code, code);
    }

    #[test]
    fn a_slow_answer_further_back_is_still_the_cause_but_less_surely() {
        let cause = of(&[told(2, 6_000, 204, 20), told(1, 0, 204, 7_400)], 16_000);
        assert_eq!((cause.code, cause.confidence, cause.rests_on), (CauseCode::SlowAnswer, Confidence::Medium, Seq(1)));
    }

    #[test]
    fn sentences_are_those_of_the_screens() {
        assert_eq!(
            of(&[told(1, 0, 200, 7_400)], 9_000).says,
            "Our first answer took 7.4 s. Pozy waits 5 s, then sends again."
        );
        assert_eq!(
            of(&[told(1, 0, 204, 38)], 5 * H + 29 * 60_000).says,
            "Late retry, or sent again by hand: both fit after 5 h 29 min."
        );
        assert_eq!(spell(9 * 24 * H), "9 days");
        assert_eq!(spell(60_000), "1 min");
        assert_eq!(spell(59_970), "60 s");
    }
}

//! What Pozy can still know of a key: whether it was ever bound to a post, and whether it is surely remembered, surely
//! forgotten, or neither (R7, R12, contract "Jobs"). Pure.
//!
//! Only a request that was carried out binds a key, so its life may begin with any attempt that could have made the
//! post. What is surely remembered goes by the oldest age that can be true, what is surely forgotten by the youngest.

use serde::Deserialize;

use crate::{
    clock::Moment,
    ids::{JobId, PostId},
    outbound::job::{BodyHash, EndKind},
    pozy::{answers::Meaning, contract::Contract},
};

/// One attempt with the key in its workspace, by whatever job.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Use {
    /// Its job.
    pub job: JobId,
    /// Its number there.
    pub n: u32,
    /// The path it went to.
    #[serde(default)]
    pub path: Option<String>,
    /// When it left, nanoseconds since 1970.
    pub at: i64,
    /// When its end was known.
    pub end: Option<i64>,
    /// How it ended; none if it is under way or was interrupted.
    pub kind: Option<EndKind>,
    /// What its answer means.
    pub meaning: Option<Meaning>,
    /// The post its answer tells of.
    pub post: Option<PostId>,
    /// From when on the next try is welcome.
    pub retry_at: Option<i64>,
    /// Its bytes.
    pub body: Option<BodyHash>,
    /// Server's clock less ours around then, nanoseconds.
    pub ahead: Option<i64>,
    /// True if no answer of its own told that: it is what an earlier one told, and our clock may have been set since.
    #[serde(default)]
    pub guessed: bool,
}

impl Use {
    /// True if it left and nothing tells what came of it: it may have made the post, or run still.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.kind != Some(EndKind::NotSent) && matches!(self.meaning, None | Some(Meaning::Unknown))
    }
}

/// Whether a request with the key was ever carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// None was: Pozy knows nothing of it.
    Never,
    /// One may have been.
    Maybe,
    /// One was.
    Surely,
}

/// Whether a bound key is remembered now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// It surely is.
    Alive,
    /// Its end is too close, or lies in a stretch that cannot be told more exactly.
    Near,
    /// It surely is not.
    Gone,
    /// The log may lack its first use.
    Unknown,
}

/// What Pozy can still know of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Whether it was bound.
    pub bound: Bound,
    /// Whether it is remembered.
    pub life: Life,
    /// When its life surely is not over yet: the earliest end that is possible.
    pub ends: Option<Moment>,
    /// Until when Pozy asked to wait, if the last answer said that the first request still runs (R9).
    pub running_until: Option<Moment>,
    /// Bytes of the attempt that surely made the post it stands for, if they are held.
    pub made_with: Option<BodyHash>,
}

/// A moment by our clock with what the server's clock was ahead then.
#[derive(Clone, Copy)]
struct Stamp {
    at: i64,
    ahead: Option<i64>,
}

impl Stamp {
    /// The least and the greatest age by both clocks, if the present is `clock` at the earliest and `now` at the latest.
    fn ages(self, clock: Moment, now: Moment, ahead: Option<i64>) -> (i64, i64) {
        let drift = match (self.ahead, ahead) {
            (Some(then), Some(now)) => now.saturating_sub(then),
            _ => 0,
        };
        let (youngest, oldest) = (clock.0.saturating_sub(self.at), now.0.saturating_sub(self.at));
        (youngest.min(youngest.saturating_add(drift)), oldest.max(oldest.saturating_add(drift)))
    }
}

/// Adds up the uses of a key, oldest first. The present is `clock` by our clock, and `now` where that stands before the
/// newest moment of the log, which makes a key older and never surely gone; `ahead` is what the server's clock was ahead
/// when it last answered. `told_apart` says whether a repeat is answered with another status than what it repeats (R8).
#[must_use]
pub fn recall(
    uses: &[Use],
    clock: Moment,
    now: Moment,
    ahead: Option<i64>,
    told_apart: bool,
    contract: &Contract,
) -> Memory {
    let life = contract.key_life_h * 3_600 * Moment::SECOND;
    let close = contract.too_close_min * 60 * Moment::SECOND;
    let mut bound = Bound::Never;
    let (mut first, mut last): (Option<Stamp>, Option<Stamp>) = (None, None);
    let mut made_with = None;
    // Attempts that the log lacks may have bound it before.
    let mut lacking = uses.first().is_some_and(|first| first.n > 1);
    for used in uses {
        let began = Stamp { at: used.at, ahead: used.ahead };
        // The end of a crash is only when it was noticed; the request itself was over long before.
        let noticed = matches!(used.kind, Some(EndKind::Crash));
        let ended = Stamp { at: used.end.filter(|_| !noticed).unwrap_or(used.at), ahead: used.ahead };
        let then = Moment(used.at);
        // The least and the greatest age of a stamp when this one left.
        let age = |stamp: Option<Stamp>| {
            stamp.map(|stamp| {
                let (youngest, oldest) = stamp.ages(then, then, used.ahead);
                let (or_youngest, or_oldest) = stamp.ages(then, then, if used.guessed { ahead } else { used.ahead });
                (youngest.min(or_youngest), oldest.max(or_oldest))
            })
        };
        match (used.kind, used.meaning) {
            (Some(EndKind::NotSent), _) => {}
            (_, Some(Meaning::Created)) if !told_apart && bound != Bound::Never => {
                if age(last).is_some_and(|(youngest, _)| youngest > life + close) {
                    (first, last, lacking) = (Some(began), Some(ended), false);
                } else if bound == Bound::Maybe || age(first).is_none_or(|(_, oldest)| oldest >= life - close) {
                    // It repeats what was made before, or it made it now.
                    last = Some(ended);
                }
                bound = Bound::Surely;
                made_with.clone_from(&used.body);
            }
            (_, Some(Meaning::Created)) => {
                // Nothing was remembered before it, else it had been a repeat.
                (bound, first, last, lacking) = (Bound::Surely, Some(began), Some(ended), false);
                made_with.clone_from(&used.body);
            }
            (_, Some(Meaning::Replayed)) => {
                lacking |= first.is_none();
                bound = Bound::Surely;
            }
            (_, Some(Meaning::SameContent)) => {
                // The content is looked at only where the key is not known.
                (bound, first, last, lacking) = (Bound::Never, None, None, false);
                made_with = None;
            }
            (_, Some(Meaning::Rejected | Meaning::Redirected | Meaning::KeyElsewhere)) => {}
            (_, None | Some(Meaning::Unknown | Meaning::Poll | Meaning::Conflict)) => {
                let alive = bound == Bound::Surely && age(first).is_some_and(|(_, oldest)| oldest < life - close);
                if !alive {
                    first = first.or(Some(began));
                    last = Some(ended);
                    bound = if bound == Bound::Never { Bound::Maybe } else { bound };
                }
            }
        }
    }
    let ended = match (first, last) {
        _ if lacking => Life::Unknown,
        (Some(first), _) if first.ages(clock, now, ahead).1 < life - close => Life::Alive,
        (_, Some(last)) if last.ages(clock, now, ahead).0 > life + close => Life::Gone,
        (Some(_), _) => Life::Near,
        (None, _) => Life::Alive,
    };
    let waits = uses.last().filter(|last| matches!(last.meaning, Some(Meaning::Conflict | Meaning::Poll)));
    Memory {
        bound: if lacking && bound == Bound::Never { Bound::Maybe } else { bound },
        life: ended,
        ends: first.filter(|_| !lacking).map(|first| Moment(first.at.saturating_add(life))),
        running_until: waits.and_then(|last| last.retry_at).map(Moment).filter(|until| *until > now),
        made_with,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn used(n: u32, at_min: i64, word: &str) -> Use {
        let at = at_min * 60 * Moment::SECOND;
        let (kind, meaning) = match word {
            "lost" => (Some(EndKind::Reset), None),
            "open" => (None, None),
            "unsent" => (Some(EndKind::NotSent), None),
            "made" => (Some(EndKind::Answered), Some(Meaning::Created)),
            "again" => (Some(EndKind::Answered), Some(Meaning::Replayed)),
            "busy" => (Some(EndKind::Answered), Some(Meaning::Unknown)),
            "there" => (Some(EndKind::Answered), Some(Meaning::SameContent)),
            "no" => (Some(EndKind::Answered), Some(Meaning::Rejected)),
            other => unreachable!("{other}"),
        };
        let end = kind.map(|_| at + Moment::SECOND);
        Use {
            job: JobId(1),
            n,
            path: None,
            at,
            end,
            kind,
            meaning,
            post: None,
            retry_at: None,
            body: None,
            ahead: None,
            guessed: false,
        }
    }

    /// Uses as `word@minute`.
    fn uses(told: &str) -> Vec<Use> {
        let words = told.split_whitespace().map(|word| word.split_once('@').unwrap());
        (1..).zip(words).map(|(n, (word, minute))| used(n, minute.parse().unwrap(), word)).collect()
    }

    fn at(minute: i64) -> Moment {
        Moment(minute * 60 * Moment::SECOND)
    }

    #[rstest]
    #[case::made("made@0", 120, Bound::Surely, Life::Alive)]
    #[case::near("made@0", 1_438, Bound::Surely, Life::Near)]
    #[case::just_over("made@0", 1_450, Bound::Surely, Life::Near)]
    #[case::gone("made@0", 1_500, Bound::Surely, Life::Gone)]
    #[case::lost("lost@0", 180, Bound::Maybe, Life::Alive)]
    #[case::interrupted("open@0", 180, Bound::Maybe, Life::Alive)]
    #[case::lost_long_ago("lost@0", 1_560, Bound::Maybe, Life::Gone)]
    #[case::never_left("unsent@0", 1_560, Bound::Never, Life::Alive)]
    #[case::refused("no@0", 60, Bound::Never, Life::Alive)]
    #[case::same_words("lost@0 there@1", 60, Bound::Never, Life::Alive)]
    #[case::which_try("busy@0 lost@600", 1_500, Bound::Maybe, Life::Near)]
    #[case::made_late("busy@0 made@600", 1_500, Bound::Surely, Life::Alive)]
    #[case::replayed("lost@0 again@600", 1_500, Bound::Surely, Life::Gone)]
    #[case::reborn("made@0 made@1500", 1_600, Bound::Surely, Life::Alive)]
    #[case::made_elsewhere("again@0", 10, Bound::Surely, Life::Unknown)]
    fn what_pozy_knows(#[case] told: &str, #[case] now: i64, #[case] bound: Bound, #[case] life: Life) {
        let memory = recall(&uses(told), at(now), at(now), None, true, &Contract::shipped("pozy").unwrap());
        assert_eq!((memory.bound, memory.life), (bound, life));
    }

    /// Where a repeat is answered as the first one was (R8), a success does not say that it made anything.
    #[rstest]
    #[case::repeated("made@0 made@600", 1_300, Life::Alive)]
    #[case::repeated_and_old("made@0 made@600", 1_500, Life::Gone)]
    #[case::either("lost@0 made@600", 1_300, Life::Alive)]
    #[case::either_and_old("lost@0 made@600", 1_500, Life::Near)]
    #[case::at_the_end("made@0 made@1440", 1_500, Life::Near)]
    #[case::reborn("made@0 made@1500", 1_600, Life::Alive)]
    fn a_repeat_that_looks_like_a_success(#[case] told: &str, #[case] now: i64, #[case] life: Life) {
        let memory = recall(&uses(told), at(now), at(now), None, false, &Contract::shipped("pozy").unwrap());
        assert_eq!((memory.bound, memory.life), (Bound::Surely, life));
    }

    #[test]
    fn a_log_that_begins_late_cannot_tell() {
        let memory = recall(&[used(2, 0, "lost")], at(10), at(10), None, true, &Contract::shipped("pozy").unwrap());
        assert_eq!((memory.bound, memory.life, memory.ends), (Bound::Maybe, Life::Unknown, None));
    }

    #[test]
    fn drift_makes_a_key_older_for_safety_and_never_younger() {
        let contract = Contract::shipped("pozy").unwrap();
        let hour = 3_600 * Moment::SECOND;
        let mut made = used(1, 0, "made");
        made.ahead = Some(0);
        assert_eq!(
            recall(&[made.clone()], at(23 * 60), at(23 * 60), Some(2 * hour), true, &contract).life,
            Life::Near,
            "25 h over there"
        );
        assert_eq!(
            recall(&[made], at(25 * 60), at(25 * 60), Some(-2 * hour), true, &contract).life,
            Life::Near,
            "23 h over there"
        );
    }

    /// Our clock was set back by 2 h before a try without an answer: over there 25 h had passed since the post was made, so
    /// that the try may have bound the key anew.
    #[test]
    fn what_was_guessed_of_a_clock_does_not_say_that_a_key_was_alive() {
        let contract = Contract::shipped("pozy").unwrap();
        let hour = 3_600 * Moment::SECOND;
        let (mut made, mut lost) = (used(1, 0, "made"), used(2, 23 * 60, "lost"));
        (made.ahead, lost.ahead, lost.guessed) = (Some(0), Some(0), true);
        let life = |lost: &Use| {
            let uses = [made.clone(), lost.clone()];
            recall(&uses, at(46 * 60), at(46 * 60), Some(2 * hour), true, &contract).life
        };
        assert_eq!(life(&lost), Life::Near);
        lost.guessed = false;
        assert_eq!(life(&lost), Life::Gone);
    }

    #[test]
    fn a_clock_that_was_set_back_makes_no_key_surely_gone() {
        let contract = Contract::shipped("pozy").unwrap();
        let made = [used(1, 0, "made")];
        assert_eq!(recall(&made, at(22 * 60), at(25 * 60), None, true, &contract).life, Life::Near);
        assert_eq!(recall(&made, at(25 * 60), at(25 * 60), None, true, &contract).life, Life::Gone);
    }
}

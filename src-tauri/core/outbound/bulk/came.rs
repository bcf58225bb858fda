//! What came of a row of a bulk, held against what was foretold of it (S15). Pure.
//!
//! An answer that asks to wait, or none at all, ends nothing: the same bytes are asked again with the same key. Every
//! other answer is final, and either it is what was foretold or the whole bulk stands still.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{
    clock::Moment,
    ids::PostId,
    outbound::{
        forecast::{Effect, Forecast},
        job::{Attempt, EndKind, Facts},
        outcome::Judged,
    },
    pozy::answers::Meaning,
};

/// Tries of one row without any word on how it stands, before it is left to a person.
const MOST_TRIES: usize = 5;
/// Longest wait between them that nobody asked for, seconds.
const LONGEST_WAIT_S: i64 = 300;

/// Where a row stands. A closed list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "BulkRowState", export_to = "wire.ts")]
pub enum RowState {
    /// Nothing was done with it yet.
    Waits,
    /// It is being done, or the program died over it.
    Begun,
    /// It was asked, and is asked again at a time that is set.
    Open,
    /// It came as foretold.
    Done,
    /// It came otherwise than foretold.
    Differs,
    /// What is foretold changed after the dry run, so nothing was sent.
    Changed,
    /// No answer says how it stands, and nothing more is asked by itself.
    Unsettled,
}

impl RowState {
    /// The word in tables and JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Waits => "waits",
            Self::Begun => "begun",
            Self::Open => "open",
            Self::Done => "done",
            Self::Differs => "differs",
            Self::Changed => "changed",
            Self::Unsettled => "unsettled",
        }
    }

    /// True if nothing more is done with it.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Differs | Self::Changed | Self::Unsettled)
    }
}

/// What happened to a row in the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(rename = "BulkActual", export_to = "wire.ts")]
pub struct Actual {
    /// What came of it; none if nothing was sent or nobody knows.
    pub effect: Option<Effect>,
    /// Status of the final answer.
    pub status: Option<u16>,
    /// The post it tells of.
    #[ts(as = "Option<String>")]
    pub post: Option<PostId>,
    /// A post was made by this row.
    pub made: bool,
    /// Other posts with the very words of that one are live on one of its accounts.
    #[ts(as = "Vec<String>")]
    pub second: Vec<PostId>,
    /// One sentence for a person.
    pub says: String,
}

impl Actual {
    /// Nothing was sent, for that reason.
    #[must_use]
    pub fn nothing(says: impl Into<String>) -> Self {
        Self { effect: None, status: None, post: None, made: false, second: Vec::new(), says: says.into() }
    }
}

/// What is known of a row after it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Came {
    /// No try since it began has come to its end.
    NotYet,
    /// It is asked again from then on.
    Open(Moment),
    /// It is over.
    Over(RowState, Actual),
}

/// Reads what the tries since `before` came to. `foretold` is the forecast of the dry run; `new` is true for a job
/// that a Post again made, whose first try makes the post.
#[must_use]
pub fn came(foretold: &Forecast, facts: &Facts, judged: &Judged, before: usize, new: bool) -> Came {
    let tries = facts.attempts.get(before..).unwrap_or_default();
    let Some((last, earlier)) = tries.split_last() else { return Came::NotYet };
    let Some(end) = &last.end else { return Came::NotYet };
    let Some((effect, says)) = end.meaning.and_then(|meaning| last_word(meaning, new)) else {
        return wait(tries, judged);
    };
    let lost = earlier.iter().any(Attempt::may_have_made);
    // A 200 after a try of this row was lost gives back what that try made.
    let made = match end.meaning {
        Some(Meaning::Created) => true,
        Some(Meaning::Replayed) => lost && !facts.attempts.iter().take(before).any(may_be_the_maker),
        _ => false,
    };
    let status = end.status.unwrap_or_default();
    let creates = matches!(foretold.effect, Effect::CreatesFirst | Effect::CreatesAgain | Effect::CannotTell);
    let as_foretold = foretold.expects.contains(&status) || made && lost && creates;
    let effect = if made && effect == Effect::ReturnsExisting { creating(new) } else { effect };
    let actual = Actual {
        effect: Some(effect),
        status: end.status,
        post: end.post.clone(),
        made,
        second: Vec::new(),
        says: says.to_owned(),
    };
    Came::Over(if as_foretold { RowState::Done } else { RowState::Differs }, actual)
}

/// True if the try made the post, or may have.
fn may_be_the_maker(attempt: &Attempt) -> bool {
    attempt.may_have_made() || matches!(attempt.meaning(), Some(Meaning::Created | Meaning::Replayed))
}

const fn creating(new: bool) -> Effect {
    if new { Effect::CreatesAgain } else { Effect::CreatesFirst }
}

/// What a final answer says; none for one that asks to wait.
const fn last_word(meaning: Meaning, new: bool) -> Option<(Effect, &'static str)> {
    match meaning {
        Meaning::Created => Some((creating(new), "Pozy made the post.")),
        Meaning::Replayed => Some((Effect::ReturnsExisting, "Pozy gave back the post that was there already.")),
        Meaning::SameContent => Some((
            Effect::RefusedSameContent,
            "Pozy has the same words for this account already. Nothing new was made.",
        )),
        Meaning::Rejected => {
            Some((Effect::CannotTell, "Pozy said no. Mend what it names before it is sent once more."))
        }
        Meaning::Redirected => {
            Some((Effect::CannotTell, "The address leads elsewhere. Nothing was followed or sent on."))
        }
        Meaning::KeyElsewhere => Some((Effect::RefusedKeyReuse, "This key belongs to another call. Nothing was made.")),
        Meaning::Poll | Meaning::Conflict | Meaning::Unknown => None,
    }
}

/// When it is asked again: as planned, else as Pozy asked, else after 1, 2, 4 ... s. Being told to wait costs nothing;
/// after so many tries without a word it is left to a person.
fn wait(tries: &[Attempt], judged: &Judged) -> Came {
    let told_to_wait = |attempt: &&Attempt| {
        attempt.end.as_ref().is_some_and(|end| end.kind == EndKind::Answered && end.retry_at.is_some())
    };
    let silent = tries.iter().filter(|attempt| !told_to_wait(attempt)).count();
    let end = tries.last().and_then(|last| last.end.as_ref());
    let Some(end) = end.filter(|_| silent < MOST_TRIES) else {
        let says = format!("It was asked {silent} times and no answer says how it stands. It may be live, it may not.");
        return Came::Over(RowState::Unsettled, Actual::nothing(says));
    };
    let doubled = u32::try_from(silent.saturating_sub(1)).ok().and_then(|times| 1_i64.checked_shl(times));
    let seconds = doubled.filter(|s| (1..LONGEST_WAIT_S).contains(s)).unwrap_or(LONGEST_WAIT_S);
    Came::Open(judged.next_at.or(end.retry_at).unwrap_or_else(|| end.at.plus_seconds(seconds)))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::{
        ids::{AttemptId, JobId, JobMark, WorkspaceId},
        outbound::{
            forecast::{Act, Risk},
            job::{End, Origin},
            outcome,
        },
        pozy::contract::Contract,
    };

    fn foretold(effect: Effect, expects: &[u16]) -> Forecast {
        Forecast {
            action: Act::AskAgain,
            effect,
            expects: expects.to_vec(),
            risk: Risk::Safe,
            because: Vec::new(),
            suggest: None,
        }
    }

    /// Tries by their words: a status, `lost`, or `sent` for one under way.
    fn facts(tries: &str) -> Facts {
        let one = |(at, word): (usize, &str)| {
            let moment = Moment(0).plus_seconds(i64::try_from(at).unwrap());
            let (status, meaning) = match word {
                "201" => (Some(201), Some(Meaning::Created)),
                "200" => (Some(200), Some(Meaning::Replayed)),
                "409" => (Some(409), Some(Meaning::SameContent)),
                "400" => (Some(400), Some(Meaning::Rejected)),
                "429" => (Some(429), Some(Meaning::Unknown)),
                "503" => (Some(503), Some(Meaning::Unknown)),
                _ => (None, None),
            };
            let kind = if status.is_some() { EndKind::Answered } else { EndKind::Timeout };
            let retry_at = (word == "429").then(|| moment.plus_seconds(30));
            let end = End { kind, at: moment, status, meaning, post: None, retry_at, date: None, differs: None };
            Attempt {
                id: AttemptId(1),
                n: u32::try_from(at).unwrap() + 1,
                at: moment,
                workspace: WorkspaceId(1),
                key: Some("k".to_owned()),
                key_print: Some("p".to_owned()),
                body: None,
                masked: false,
                end: (word != "sent").then_some(end),
                maker: None,
            }
        };
        Facts {
            id: JobId(1),
            mark: JobMark::new("job_1"),
            origin: Origin::Local,
            created: Moment(0),
            method: "POST".to_owned(),
            path: "/v1/posts".to_owned(),
            workspace: WorkspaceId(1),
            workspace_name: "w".to_owned(),
            workspace_print: Some("p".to_owned()),
            key: Some("k".to_owned()),
            request_id: None,
            body: None,
            scheduled: None,
            near_live: false,
            moved: false,
            settled: None,
            tied: None,
            cancelled: None,
            attempts: tries.split_whitespace().enumerate().map(one).collect(),
            key_use: None,
        }
    }

    fn of(told: &Forecast, tries: &str, before: usize, new: bool) -> Came {
        let facts = facts(tries);
        let judged = outcome::judge(&facts, false, Moment(0), Moment(0), &Contract::shipped("pozy").unwrap());
        came(told, &facts, &Judged { next_at: None, ..judged }, before, new)
    }

    #[rstest]
    #[case::found(&[200, 201], "lost 200", 1, RowState::Done, Effect::ReturnsExisting, false)]
    #[case::made_now(&[200, 201], "lost 201", 1, RowState::Done, Effect::CreatesFirst, true)]
    #[case::a_surprise(&[200], "201 201", 1, RowState::Differs, Effect::CreatesFirst, true)]
    #[case::refused(&[200, 201], "lost 409", 1, RowState::Differs, Effect::RefusedSameContent, false)]
    #[case::rejected(&[200, 201], "lost 400", 1, RowState::Differs, Effect::CannotTell, false)]
    #[case::after_a_wait(&[200, 201], "lost 429 200", 1, RowState::Done, Effect::ReturnsExisting, false)]
    #[case::its_own_lost_try(&[201], "lost 200", 0, RowState::Done, Effect::CreatesFirst, true)]
    #[case::a_wait_made_nothing(&[201], "429 201", 0, RowState::Done, Effect::CreatesFirst, true)]
    fn a_final_answer_is_held_against_the_forecast(
        #[case] expects: &[u16],
        #[case] tries: &str,
        #[case] before: usize,
        #[case] state: RowState,
        #[case] effect: Effect,
        #[case] made: bool,
    ) {
        let told = match expects {
            [200] => foretold(Effect::ReturnsExisting, expects),
            [201] => foretold(Effect::CreatesFirst, expects),
            _ => foretold(Effect::CannotTell, expects),
        };
        let Came::Over(found, actual) = of(&told, tries, before, false) else { panic!("{tries} is final") };
        assert_eq!((found, actual.effect, actual.made), (state, Some(effect), made));
    }

    #[test]
    fn nothing_is_over_before_a_try_has_ended() {
        let told = foretold(Effect::CannotTell, &[200, 201]);
        assert_eq!(of(&told, "lost", 1, false), Came::NotYet, "not asked yet");
        assert_eq!(of(&told, "lost sent", 1, false), Came::NotYet, "on the wire, or its program died");
    }

    #[test]
    fn being_told_to_wait_ends_nothing_and_silence_ends_after_some_tries() {
        let told = foretold(Effect::CannotTell, &[200, 201]);
        let second = |s| Moment(0).plus_seconds(s);
        assert_eq!(of(&told, "lost 429", 1, false), Came::Open(second(31)), "as Pozy asked");
        assert_eq!(of(&told, "lost 429 429 429 429 429 429", 1, false), Came::Open(second(36)));
        assert_eq!(of(&told, "lost 503", 1, false), Came::Open(second(2)));
        assert_eq!(of(&told, "lost 503 lost", 1, false), Came::Open(second(4)), "2 s after the second");
        let Came::Over(state, actual) = of(&told, "lost 503 lost lost lost lost", 1, false) else { panic!() };
        assert_eq!((state, actual.effect), (RowState::Unsettled, None));
    }

    #[test]
    fn a_post_again_says_so() {
        let Came::Over(_, actual) = of(&foretold(Effect::CreatesAgain, &[201]), "201", 0, true) else { panic!() };
        assert_eq!(actual.effect, Some(Effect::CreatesAgain));
    }
}

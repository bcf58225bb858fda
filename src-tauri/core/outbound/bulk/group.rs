//! Into which group of a dry run a job falls, and what may be done there (S15, design 4.8). Pure.
//!
//! Only three groups send anything: asking again where the forecast is safe, and posting again where the first post
//! surely failed and a person says why. Whatever is blocked, open or somebody else's stands in a group of its own, so
//! that it is seen and not run.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::filter::{Kind, Told};
use crate::{
    ids::{AccountId, JobMark},
    outbound::{
        forecast::{Effect, Forecast, Reason, Risk},
        outcome::{Judged, Outcome, State},
    },
};

/// The groups of a dry run, in the order they are shown. A closed list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "BulkGroup", export_to = "wire.ts")]
pub enum Group {
    /// The same key once more: one post either way.
    AskAgain,
    /// It is called failed by what is stored; Pozy is looked at before it is believed.
    FetchFirst,
    /// It was called failed, and Pozy says that it is live.
    AlreadyLive,
    /// It surely failed, and nothing of it is live.
    PostAgain,
    /// Some targets failed: those alone, with a new key.
    FailedTargets,
    /// The same words are live, planned or on their way by another post.
    Elsewhere,
    /// Pozy still works on it, or it is being sent.
    Wait,
    /// Nobody can tell what would come of it: a person has to look.
    LookFirst,
    /// Pozy said no to these very bytes.
    FixFirst,
    /// It needs nothing.
    Fine,
    /// It may not be sent from here.
    LeftOut,
}

/// What a bulk does with a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Asks with the stored key.
    AskAgain,
    /// Posts with a new key.
    PostAgain,
    /// Notes that it is live. Nothing is sent.
    Link,
}

impl Group {
    /// All there are, in the order they are shown and run.
    pub const ALL: [Self; 11] = [
        Self::AskAgain,
        Self::FetchFirst,
        Self::AlreadyLive,
        Self::PostAgain,
        Self::FailedTargets,
        Self::Elsewhere,
        Self::Wait,
        Self::LookFirst,
        Self::FixFirst,
        Self::Fine,
        Self::LeftOut,
    ];

    /// The word in tables, in JSON and on the command line.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::AskAgain => "ask_again",
            Self::FetchFirst => "fetch_first",
            Self::AlreadyLive => "already_live",
            Self::PostAgain => "post_again",
            Self::FailedTargets => "failed_targets",
            Self::Elsewhere => "elsewhere",
            Self::Wait => "wait",
            Self::LookFirst => "look_first",
            Self::FixFirst => "fix_first",
            Self::Fine => "fine",
            Self::LeftOut => "left_out",
        }
    }

    /// What running it does; none for a group that is never run in bulk.
    #[must_use]
    pub const fn deed(self) -> Option<Deed> {
        match self {
            Self::AskAgain => Some(Deed::AskAgain),
            Self::AlreadyLive => Some(Deed::Link),
            Self::PostAgain | Self::FailedTargets => Some(Deed::PostAgain),
            Self::FetchFirst
            | Self::Elsewhere
            | Self::Wait
            | Self::LookFirst
            | Self::FixFirst
            | Self::Fine
            | Self::LeftOut => None,
        }
    }

    /// True if a person has to say why before it runs: it makes new posts.
    #[must_use]
    pub const fn needs_reason(self) -> bool {
        matches!(self.deed(), Some(Deed::PostAgain))
    }
}

/// Everything that decides where a job falls.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// What its attempts add up to.
    pub judged: &'a Judged,
    /// What the lanes of its post hold.
    pub told: &'a Told,
    /// Why it may not be sent from here.
    pub left_out: Option<&'a str>,
    /// The job that posted it again.
    pub again: Option<&'a JobMark>,
    /// What asking again would do.
    pub ask: &'a Forecast,
    /// What posting again would do, to the failed targets alone where only some failed.
    pub post_again: &'a Forecast,
    /// True if its posts were fetched for this bulk.
    pub fetched: bool,
    /// The group it was in before they were.
    pub was: Option<Group>,
}

/// Where a job falls, with the forecast that holds there and one sentence why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The group.
    pub group: Group,
    /// What the group's act would do; of a group that is not run, what the likeliest act would do.
    pub forecast: Forecast,
    /// Why, for a person.
    pub says: String,
}

/// Finds the group.
#[must_use]
pub fn place(case: &Case<'_>) -> Placed {
    let asked = |group, says: &str| Placed { group, forecast: case.ask.clone(), says: says.to_owned() };
    if let Some(why) = case.left_out {
        return asked(Group::LeftOut, why);
    }
    if let Some(again) = case.again {
        return asked(Group::Fine, &format!("It was posted again already, as {again}. Go on from there."));
    }
    match (case.judged.state, case.judged.outcome) {
        (State::Sending, _) => asked(Group::Wait, "It is being sent at this moment."),
        (State::Cancelled, _) => asked(Group::Fine, "A person stopped it."),
        (_, Outcome::Rejected) => asked(Group::FixFirst, first(case.ask)),
        (_, Outcome::Refused) => asked(
            Group::Elsewhere,
            "Pozy said that the same words are planned, on their way or live there. Nothing new was made.",
        ),
        (_, Outcome::Created | Outcome::Replayed) => made(case),
        (_, Outcome::None | Outcome::Unknown) => open(case),
    }
}

/// Its outcome is open: the key decides.
fn open(case: &Case<'_>) -> Placed {
    let group = match (case.ask.effect, case.ask.risk) {
        (Effect::InProgress, _) => Group::Wait,
        (Effect::RefusedSameContent, _) => Group::Elsewhere,
        (_, Risk::Safe) => Group::AskAgain,
        _ => Group::LookFirst,
    };
    Placed { group, forecast: case.ask.clone(), says: first(case.ask).to_owned() }
}

/// Pozy made the post: what became of it decides.
fn made(case: &Case<'_>) -> Placed {
    let again = |group| Placed { group, forecast: case.post_again.clone(), says: first(case.post_again).to_owned() };
    let kind = Kind::of(case.judged.state, case.told);
    let Some(Kind::Failed | Kind::PartlyLive) = kind else {
        let (group, says) = match case.was {
            Some(Group::FetchFirst) if case.told.there() => {
                (Group::AlreadyLive, "It was called failed, and Pozy says that it is there all the same.")
            }
            Some(Group::FetchFirst) => (Group::LookFirst, "Pozy says neither that it failed nor that it is live."),
            _ => (Group::Fine, "Pozy has the post, and nothing of it failed."),
        };
        return Placed { group, forecast: case.ask.clone(), says: says.to_owned() };
    };
    match (case.post_again.effect, case.post_again.risk) {
        (Effect::RefusedSameContent, _) => again(Group::Elsewhere),
        // Without the word of each target nobody knows which ones to leave alone.
        (Effect::CreatesAgain, Risk::Safe | Risk::Confirm)
            if kind == Some(Kind::PartlyLive) && !case.told.failed_on().is_empty() =>
        {
            again(Group::FailedTargets)
        }
        (Effect::CreatesAgain, Risk::Safe | Risk::Confirm) if case.fetched && kind == Some(Kind::Failed) => {
            again(Group::PostAgain)
        }
        _ if !case.fetched => again(Group::FetchFirst),
        _ => again(Group::LookFirst),
    }
}

/// The accounts a Post again of it may go to: none leaves it to the forecast.
#[must_use]
pub fn failed_accounts(told: &Told, accounts: &[AccountId]) -> Option<Vec<AccountId>> {
    let failed: Vec<AccountId> = told.failed_on().into_iter().filter(|account| accounts.contains(account)).collect();
    (!failed.is_empty()).then_some(failed)
}

/// The weightiest reason; that a new key is used goes without saying.
fn first(forecast: &Forecast) -> &str {
    let telling = forecast.because.iter().find(|because| because.code != Reason::NewKey);
    telling
        .or(forecast.because.first())
        .map_or("Nothing is known that speaks for or against it.", |because| &because.text)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::outbound::forecast::{Act, Because};

    fn told(act: Act, effect: Effect, risk: Risk) -> Forecast {
        let because = vec![Because { code: Reason::NothingThere, text: "So it is.".to_owned() }];
        Forecast { action: act, effect, expects: vec![], risk, because, suggest: None }
    }

    fn judged(state: State, outcome: Outcome) -> Judged {
        Judged {
            state,
            outcome,
            created_by_attempt: None,
            post: None,
            next_at: None,
            hold: None,
            key_expires_at: None,
            safe_until: None,
            warnings: vec![],
        }
    }

    fn targets(words: &str) -> Told {
        let of = |word: &str| (AccountId::new(word), Some(word.split('-').next().unwrap_or_default().to_owned()));
        Told { whole: None, targets: words.split_whitespace().map(of).collect() }
    }

    #[rstest]
    #[case::alive(State::Waiting, Outcome::Unknown, Effect::CannotTell, Risk::Safe, Group::AskAgain)]
    #[case::key_gone(State::Unknown, Outcome::Unknown, Effect::CannotTell, Risk::Blocked, Group::LookFirst)]
    #[case::near_its_end(State::Unknown, Outcome::Unknown, Effect::CannotTell, Risk::Confirm, Group::LookFirst)]
    #[case::second(State::Unknown, Outcome::Unknown, Effect::CreatesSecond, Risk::Blocked, Group::LookFirst)]
    #[case::conflict(State::Waiting, Outcome::Unknown, Effect::InProgress, Risk::Safe, Group::Wait)]
    #[case::on_the_wire(State::Sending, Outcome::Unknown, Effect::CannotTell, Risk::Safe, Group::Wait)]
    #[case::there(State::Unknown, Outcome::Unknown, Effect::RefusedSameContent, Risk::Confirm, Group::Elsewhere)]
    #[case::never_sent(State::Draft, Outcome::None, Effect::CreatesFirst, Risk::Safe, Group::AskAgain)]
    #[case::rejected(State::Stopped, Outcome::Rejected, Effect::CannotTell, Risk::Safe, Group::FixFirst)]
    #[case::refused(State::Refused, Outcome::Refused, Effect::CannotTell, Risk::Confirm, Group::Elsewhere)]
    #[case::stopped_by_hand(State::Cancelled, Outcome::Unknown, Effect::CannotTell, Risk::Safe, Group::Fine)]
    fn an_open_job_falls_where_asking_would_lead(
        #[case] state: State,
        #[case] outcome: Outcome,
        #[case] effect: Effect,
        #[case] risk: Risk,
        #[case] group: Group,
    ) {
        let (ask, again) = (told(Act::AskAgain, effect, risk), told(Act::PostAgain, Effect::CannotTell, Risk::Blocked));
        let (judged, lanes) = (judged(state, outcome), Told::default());
        let case = Case {
            judged: &judged,
            told: &lanes,
            left_out: None,
            again: None,
            ask: &ask,
            post_again: &again,
            fetched: false,
            was: None,
        };
        assert_eq!(place(&case).group, group);
        let other = Case { left_out: Some("It is not ours."), ..case };
        assert_eq!(place(&other).group, Group::LeftOut);
    }

    const AGAIN: Effect = Effect::CreatesAgain;

    #[rstest]
    #[case::called_failed("failed-a", false, AGAIN, Risk::Confirm, None, Group::FetchFirst)]
    #[case::failed_indeed("failed-a", true, AGAIN, Risk::Confirm, Some(Group::FetchFirst), Group::PostAgain)]
    #[case::live_after_all("published-a", true, AGAIN, Risk::Confirm, Some(Group::FetchFirst), Group::AlreadyLive)]
    #[case::gone("gone-a", true, AGAIN, Risk::Confirm, Some(Group::FetchFirst), Group::LookFirst)]
    #[case::live("published-a", false, AGAIN, Risk::Confirm, None, Group::Fine)]
    #[case::partly("failed-a published-b", false, AGAIN, Risk::Confirm, None, Group::FailedTargets)]
    #[case::elsewhere("failed-a", false, Effect::RefusedSameContent, Risk::Confirm, None, Group::Elsewhere)]
    #[case::unsure("failed-a", false, Effect::CannotTell, Risk::Blocked, None, Group::FetchFirst)]
    #[case::unsure_still("failed-a", true, Effect::CannotTell, Risk::Blocked, None, Group::LookFirst)]
    #[case::would_double("failed-a", true, Effect::CreatesSecond, Risk::Blocked, None, Group::LookFirst)]
    fn a_job_with_a_post_falls_where_its_post_stands(
        #[case] lanes: &str,
        #[case] fetched: bool,
        #[case] effect: Effect,
        #[case] risk: Risk,
        #[case] was: Option<Group>,
        #[case] group: Group,
    ) {
        let (ask, again) =
            (told(Act::AskAgain, Effect::ReturnsExisting, Risk::Safe), told(Act::PostAgain, effect, risk));
        let (judged, lanes) = (judged(State::Done, Outcome::Created), targets(lanes));
        let case = Case {
            judged: &judged,
            told: &lanes,
            left_out: None,
            again: None,
            ask: &ask,
            post_again: &again,
            fetched,
            was,
        };
        assert_eq!(place(&case).group, group);
        let mark = JobMark::new("job_2");
        assert_eq!(place(&Case { again: Some(&mark), ..case }).group, Group::Fine, "once is enough");
    }

    #[test]
    fn nothing_blocked_has_a_deed_and_new_posts_need_a_reason() {
        let deeds = Group::ALL.map(Group::deed);
        assert_eq!(deeds.iter().flatten().count(), 4);
        for group in [Group::LookFirst, Group::Elsewhere, Group::Wait, Group::FixFirst, Group::LeftOut] {
            assert_eq!(group.deed(), None);
        }
        assert!(Group::PostAgain.needs_reason() && Group::FailedTargets.needs_reason());
        assert!(!Group::AskAgain.needs_reason());
        for group in Group::ALL {
            assert_eq!(serde_json::to_value(group).unwrap(), group.word());
        }
    }

    #[test]
    fn a_post_again_goes_to_the_failed_ones_alone() {
        let told = targets("failed-a published-b cancelled-c failed-d");
        let (a, b) = (AccountId::new("failed-a"), AccountId::new("published-b"));
        assert_eq!(failed_accounts(&told, &[a.clone(), b]), Some(vec![a]));
        assert_eq!(failed_accounts(&Told::default(), &[]), None);
    }
}

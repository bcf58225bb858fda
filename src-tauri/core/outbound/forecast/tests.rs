//! The grid S11, row by row, the combinations between its rows, and what holds for every forecast.

use std::sync::LazyLock;

use proptest::prelude::*;
use rstest::rstest;

use super::{
    Act, Effect, FETCHED, Forecast, Of, Question, Reason, Risk, Suggest, beside, forecast,
    known::{JobTarget, Known, PostTarget},
    live::News,
    memory::Use,
    own_standings, preselected, rests_on,
    words::Words,
};
use crate::{
    clock::Moment,
    ids::{AccountId, AttemptId, JobId, JobMark, PostId, WorkspaceId},
    outbound::{
        job::{Attempt, BodyHash, End, EndKind, Facts, KeyUse, Origin},
        outcome::{Outcome, State, judge},
    },
    pozy::{answers::Meaning, contract::Contract},
};

const TEXT: &str = "Plums are in, come before noon.";

fn t0() -> Moment {
    "2026-03-02T09:00:00Z".parse().unwrap()
}

fn minutes(minutes: i64) -> Moment {
    t0().plus_seconds(minutes * 60)
}

/// One situation, in the words of the grid.
#[derive(Clone, Debug)]
struct Case {
    act: Act,
    /// Minutes since the job was made.
    now: i64,
    /// `made`, `lost`, `no`, `there`, or nothing was sent.
    tries: String,
    /// What is known of its post, account by account: `account=status@minute,status@minute`.
    post: String,
    /// Its planned time, minutes since it was made.
    planned: Option<i64>,
    /// What else is known: `text|account=status@minute`.
    other: Option<String>,
    /// The text that would go out, if it is another.
    text: Option<String>,
    elsewhere: bool,
    ahead_min: Option<i64>,
}

fn case(act: Act, now: i64, tries: &str, post: &str) -> Case {
    Case {
        act,
        now,
        tries: tries.into(),
        post: post.into(),
        planned: Some(60 * 24 * 20),
        other: None,
        text: None,
        elsewhere: false,
        ahead_min: None,
    }
}

fn news(told: &str) -> Vec<News> {
    let one = |word: &str| {
        let (status, at) = word.split_once('@').unwrap();
        let at = minutes(at.parse().unwrap()).0;
        let published = (status == "published").then_some(at);
        News { at, status: status.to_owned(), published, scheduled: None, exact: true, hearsay: false }
    };
    told.split(',').filter(|word| !word.is_empty()).map(one).collect()
}

/// Read once: property tests ask for it thousands of times.
fn contract() -> Contract {
    static SHIPPED: LazyLock<Contract> = LazyLock::new(|| Contract::shipped("pozy").unwrap());
    SHIPPED.clone()
}

fn body(text: &str, accounts: &[&str], planned: Option<i64>) -> Vec<u8> {
    let platforms: Vec<_> =
        accounts.iter().map(|account| serde_json::json!({"platform": "linkedin", "accountId": account})).collect();
    let mut body = serde_json::json!({"content": text, "platforms": platforms});
    match planned {
        Some(minute) => body["scheduledFor"] = minutes(minute).to_string().into(),
        None => body["publishNow"] = true.into(),
    }
    body.to_string().into_bytes()
}

fn attempts(tries: &str) -> Vec<Attempt> {
    let attempt = |(n, word): (u32, &str)| {
        let (kind, meaning, status) = match word {
            "lost" => (EndKind::Reset, None, None),
            "made" => (EndKind::Answered, Some(Meaning::Created), Some(201)),
            "again" => (EndKind::Answered, Some(Meaning::Replayed), Some(200)),
            "no" => (EndKind::Answered, Some(Meaning::Rejected), Some(400)),
            "there" => (EndKind::Answered, Some(Meaning::SameContent), Some(409)),
            "unsent" => (EndKind::NotSent, None, None),
            other => unreachable!("{other}"),
        };
        let at = t0().plus_seconds(i64::from(n - 1));
        let post = matches!(word, "made" | "again").then(|| PostId::new("po_1"));
        let end = End { kind, at, status, meaning, post, retry_at: None, date: None, differs: None };
        Attempt {
            id: AttemptId(i64::from(n)),
            n,
            at,
            workspace: WorkspaceId(1),
            key: Some("k".into()),
            key_print: Some("print".into()),
            body: Some(BodyHash("aa".into())),
            masked: false,
            end: Some(end),
            maker: None,
        }
    };
    (1..).zip(tries.split_whitespace()).map(attempt).collect()
}

fn facts(case: &Case) -> Facts {
    let attempts = attempts(&case.tries);
    Facts {
        id: JobId(1),
        mark: JobMark::new("job_1"),
        origin: Origin::Local,
        created: t0(),
        method: "POST".into(),
        path: "/v1/posts".into(),
        workspace: WorkspaceId(1),
        workspace_name: "Stall 12".into(),
        workspace_print: Some("print".into()),
        key: Some("k".into()),
        request_id: Some("r".into()),
        body: Some(BodyHash("aa".into())),
        scheduled: case.planned.map(minutes),
        near_live: false,
        moved: false,
        settled: None,
        tied: None,
        cancelled: None,
        key_use: attempts.first().map(|first| KeyUse {
            first_at: first.at,
            first_print: Some("print".into()),
            lowest_n: 1,
            already_there: false,
            first_skew_ns: None,
            later_skew_ns: None,
        }),
        attempts,
    }
}

impl Case {
    fn run(&self) -> Forecast {
        self.ask(forecast)
    }

    fn ask<T>(&self, what: impl Fn(&Question<'_>) -> T) -> T {
        let (contract, facts, now) = (contract(), facts(self), minutes(self.now));
        let judged = judge(&facts, false, t0(), now, &contract);
        let targets: Vec<(&str, &str)> = match self.post.as_str() {
            "" => vec![("ac_li", "")],
            told => told.split_whitespace().map(|word| word.split_once('=').unwrap()).collect(),
        };
        let accounts: Vec<&str> = targets.iter().map(|(account, _)| *account).collect();
        let words = Words::of(&body(self.text.as_deref().unwrap_or(TEXT), &accounts, self.planned));
        let own_words = Words::of(&body(TEXT, &accounts, self.planned));
        let made = facts.attempts.iter().any(|attempt| attempt.end.as_ref().is_some_and(|end| end.post.is_some()));
        let mut known = Known {
            uses: facts.attempts.iter().map(used).collect(),
            own: made.then(|| PostId::new("po_1")).into_iter().collect(),
            ahead: self.ahead_min.map(|minutes| minutes * 60 * Moment::SECOND),
            ..Known::default()
        };
        for (place, (account, told)) in own_words.places.iter().zip(&targets) {
            let target = |post: &str, news| PostTarget {
                post: PostId::new(post),
                account: AccountId::new(*account),
                text: Some(place.text.clone()),
                words: Some(own_words.mark_of(place)),
                workspace: Some(WorkspaceId(1)),
                scheduled: self.planned.map(|minute| minutes(minute).0),
                unseen: None,
                news,
            };
            if made {
                known.posts.push(target("po_1", news(told)));
            }
            if let Some((text, (on, told))) = self
                .other
                .as_deref()
                .and_then(|other| other.split_once('|'))
                .map(|(text, rest)| (text, rest.split_once('=').unwrap()))
                && on == *account
            {
                let mark = super::words::mark(text, &[]);
                known.posts.push(PostTarget {
                    text: Some(text.into()),
                    words: Some(mark),
                    ..target("po_9", news(told))
                });
            }
            if judged.outcome == Outcome::Unknown {
                known.jobs.push(JobTarget {
                    job: facts.id,
                    mark: facts.mark.clone(),
                    own: true,
                    account: AccountId::new(*account),
                    text: place.text.clone(),
                    words: own_words.mark_of(place),
                    workspace: WorkspaceId(1),
                    state: State::Unknown,
                    outcome: Outcome::Unknown,
                    last: t0().0,
                    scheduled: None,
                    none_seen: None,
                });
            }
        }
        let of = (self.act != Act::Submit).then_some(Of { facts: &facts, judged: &judged });
        if of.is_none() {
            (known.own, known.uses) = (Vec::new(), Vec::new());
        }
        what(&Question {
            act: self.act,
            of,
            path: "/v1/posts",
            words: &words,
            keyed: self.act == Act::AskAgain,
            body: facts.body.as_ref(),
            known: &known,
            workspace: WorkspaceId(1),
            elsewhere: self.elsewhere.then_some("Harbour Shop"),
            clock: now,
            now,
            contract: &contract,
        })
    }
}

fn used(attempt: &Attempt) -> Use {
    let end = attempt.end.as_ref().unwrap();
    Use {
        job: JobId(1),
        n: attempt.n,
        path: None,
        at: attempt.at.0,
        end: Some(end.at.0),
        kind: Some(end.kind),
        meaning: end.meaning,
        post: end.post.clone(),
        retry_at: None,
        body: attempt.body.clone(),
        ahead: Some(0),
        guessed: false,
    }
}

const H: i64 = 60;

#[rstest]
#[case::a(case(Act::AskAgain, 2 * H, "made", "ac_li=scheduled@0"), Effect::ReturnsExisting, &[200], Risk::Safe, None)]
#[case::b(case(Act::AskAgain, 2 * H, "made", "ac_li=scheduled@0,failed@10"), Effect::ReturnsExisting, &[200], Risk::Safe, Some(Suggest::PostAgain))]
#[case::c(case(Act::PostAgain, 2 * H, "made", "ac_li=scheduled@0,failed@10"), Effect::CreatesAgain, &[201], Risk::Confirm, None)]
#[case::d(case(Act::AskAgain, 24 * H - 2, "made", "ac_li=scheduled@0"), Effect::CannotTell, &[200, 409], Risk::Confirm, Some(Suggest::OpenExisting))]
#[case::e(case(Act::AskAgain, 25 * H, "made", "ac_li=scheduled@0"), Effect::RefusedSameContent, &[409], Risk::Confirm, Some(Suggest::OpenExisting))]
#[case::f(case(Act::AskAgain, 25 * H, "made", "ac_li=scheduled@0,published@300"), Effect::RefusedSameContent, &[409], Risk::Confirm, Some(Suggest::OpenExisting))]
#[case::g(case(Act::AskAgain, 25 * H, "made", "ac_li=scheduled@0,published@30"), Effect::CreatesSecond, &[201], Risk::Blocked, Some(Suggest::OpenExisting))]
#[case::h(case(Act::AskAgain, 25 * H, "made", "ac_li=scheduled@0,failed@30"), Effect::CreatesAgain, &[201], Risk::Confirm, Some(Suggest::PostAgain))]
#[case::i(case(Act::AskAgain, 25 * H, "made", "ac_li=scheduled@0,cancelled@30"), Effect::CreatesAgain, &[201], Risk::Confirm, Some(Suggest::PostAgain))]
#[case::j(Case { elsewhere: true, ..case(Act::AskAgain, 2 * H, "made", "ac_li=published@60") }, Effect::CannotTell, &[201, 400, 403, 404], Risk::Blocked, Some(Suggest::OpenExisting))]
#[case::k(case(Act::PostAgain, 2 * H, "made", "ac_li=published@60"), Effect::RefusedSameContent, &[409], Risk::Confirm, Some(Suggest::OpenExisting))]
#[case::l(Case { text: Some("Plums are in, come before noon!".into()), ..case(Act::PostAgain, 2 * H, "made", "ac_li=published@60") }, Effect::CreatesSecond, &[201], Risk::Blocked, Some(Suggest::OpenExisting))]
#[case::m(case(Act::AskAgain, 25 * H, "made", "ac_li=published@300 ac_ig=failed@300"), Effect::CannotTell, &[201, 409], Risk::Blocked, Some(Suggest::FailedTargetsOnly))]
#[case::n(case(Act::AskAgain, 3 * H, "lost", ""), Effect::CannotTell, &[200, 201], Risk::Safe, None)]
#[case::o(case(Act::AskAgain, 26 * H, "lost", ""), Effect::CannotTell, &[201, 409], Risk::Blocked, Some(Suggest::FetchFirst))]
#[case::p(case(Act::PostAgain, 3 * H, "lost", ""), Effect::CannotTell, &[201, 409], Risk::Blocked, Some(Suggest::AskAgain))]
// Between the rows.
#[case::near_and_failed(case(Act::AskAgain, 24 * H + 5, "made", "ac_li=failed@30"), Effect::CannotTell, &[200, 201], Risk::Confirm, Some(Suggest::PostAgain))]
#[case::near_and_live(case(Act::AskAgain, 24 * H - 5, "made", "ac_li=published@60"), Effect::CannotTell, &[200, 409], Risk::Confirm, Some(Suggest::OpenExisting))]
#[case::near_both(case(Act::AskAgain, 24 * H + 10, "made", "ac_li=published@5"), Effect::CannotTell, &[200, 201, 409], Risk::Blocked, None)]
#[case::near_and_unknown(case(Act::AskAgain, 24 * H + 5, "lost", ""), Effect::CannotTell, &[200, 201, 409], Risk::Blocked, Some(Suggest::FetchFirst))]
#[case::its_time_passed(Case { planned: Some(10), ..case(Act::PostAgain, 2 * H, "made", "ac_li=scheduled@0") }, Effect::CannotTell, &[201, 409], Risk::Confirm, Some(Suggest::FetchFirst))]
#[case::its_time_passed_a_day_ago(Case { planned: Some(10), ..case(Act::AskAgain, 26 * H, "made", "ac_li=scheduled@0") }, Effect::CannotTell, &[201, 409], Risk::Blocked, Some(Suggest::FetchFirst))]
#[case::check_near_end(case(Act::PostAgain, 25 * H, "made", "ac_li=published@65"), Effect::CannotTell, &[201, 409], Risk::Blocked, None)]
#[case::partial_failed_only_when_alive(case(Act::AskAgain, 2 * H, "made", "ac_li=published@60 ac_ig=failed@60"), Effect::ReturnsExisting, &[200], Risk::Safe, Some(Suggest::FailedTargetsOnly))]
#[case::never_left(case(Act::AskAgain, H, "unsent", ""), Effect::CreatesFirst, &[201], Risk::Safe, None)]
#[case::refused_before(case(Act::AskAgain, H, "no", ""), Effect::CannotTell, &[201, 400], Risk::Safe, Some(Suggest::Fix))]
#[case::lost_and_late(Case { planned: Some(10), ..case(Act::AskAgain, 3 * H, "lost", "") }, Effect::CannotTell, &[200, 201], Risk::Safe, None)]
#[case::second_elsewhere_by_hand(Case { other: Some(format!("{TEXT}|ac_li=published@600")), ..case(Act::AskAgain, 25 * H, "made", "ac_li=failed@30") }, Effect::RefusedSameContent, &[409], Risk::Confirm, Some(Suggest::OpenExisting))]
#[case::old_second_by_hand(Case { other: Some(format!("{TEXT}|ac_li=published@30")), ..case(Act::AskAgain, 26 * H, "made", "ac_li=failed@30") }, Effect::CreatesSecond, &[201], Risk::Blocked, Some(Suggest::OpenExisting))]
#[case::old_near_words_by_hand(Case { other: Some("Plums are in, come before noon!|ac_li=published@30".into()), ..case(Act::AskAgain, 26 * H, "made", "ac_li=failed@30") }, Effect::CreatesAgain, &[201], Risk::Confirm, Some(Suggest::PostAgain))]
#[case::server_is_ahead(Case { ahead_min: Some(120), ..case(Act::AskAgain, 23 * H, "made", "ac_li=scheduled@0") }, Effect::CannotTell, &[200, 409], Risk::Confirm, Some(Suggest::OpenExisting))]
// New posts.
#[case::new(case(Act::Submit, 0, "", ""), Effect::CreatesFirst, &[201], Risk::Safe, None)]
#[case::new_but_same(Case { other: Some(format!("{TEXT}|ac_li=published@60")), ..case(Act::Submit, 2 * H, "", "") }, Effect::RefusedSameContent, &[409], Risk::Confirm, Some(Suggest::OpenExisting))]
#[case::new_but_near(Case { other: Some("Plums are in, come before noon!|ac_li=published@60".into()), ..case(Act::Submit, 2 * H, "", "") }, Effect::CreatesSecond, &[201], Risk::Blocked, Some(Suggest::OpenExisting))]
#[case::weekly(Case { other: Some(format!("{TEXT}|ac_li=published@60")), ..case(Act::Submit, 7 * 24 * H, "", "") }, Effect::CreatesFirst, &[201], Risk::Safe, None)]
#[case::on_its_way_a_day_ago(Case { planned: None, other: Some("Plums are in, come before noon!|ac_li=publishing@60".into()), ..case(Act::Submit, 34 * H, "", "") }, Effect::CannotTell, &[201], Risk::Blocked, Some(Suggest::FetchFirst))]
#[case::weekly_without_news(Case { planned: Some(7 * 24 * H + 9), other: Some(format!("{TEXT}|ac_li=publishing@60")), ..case(Act::Submit, 7 * 24 * H, "", "") }, Effect::CreatesFirst, &[201], Risk::Safe, None)]
// A near twin that was told not to be live: it may be by now, and no check of Pozy's looks for it.
#[case::near_twin_failed(Case { other: Some("Plums are in, come before noon!|ac_li=scheduled@0,failed@60".into()), ..case(Act::Submit, 2 * H, "", "") }, Effect::CannotTell, &[201], Risk::Blocked, Some(Suggest::FetchFirst))]
#[case::near_twin_failed_yesterday(Case { other: Some("Plums are in, come before noon!|ac_li=cancelled@60".into()), ..case(Act::Submit, 47 * H, "", "") }, Effect::CannotTell, &[201], Risk::Blocked, Some(Suggest::FetchFirst))]
#[case::near_twin_failed_long_ago(Case { other: Some("Plums are in, come before noon!|ac_li=failed@60".into()), ..case(Act::Submit, 50 * H, "", "") }, Effect::CreatesFirst, &[201], Risk::Safe, None)]
#[case::near_twin_failed_just_now(Case { other: Some("Plums are in, come before noon!|ac_li=failed@116".into()), ..case(Act::Submit, 2 * H, "", "") }, Effect::CreatesFirst, &[201], Risk::Safe, None)]
#[case::near_twin_failed_just_now_there(Case { ahead_min: Some(-120), other: Some("Plums are in, come before noon!|ac_li=failed@0".into()), ..case(Act::Submit, 2 * H, "", "") }, Effect::CreatesFirst, &[201], Risk::Safe, None)]
#[case::equal_twin_failed(Case { other: Some(format!("{TEXT}|ac_li=failed@60")), ..case(Act::Submit, 2 * H, "", "") }, Effect::CreatesFirst, &[201], Risk::Safe, None)]
#[case::near_twin_failed_and_never_left(Case { other: Some("Plums are in, come before noon!|ac_li=failed@1".into()), ..case(Act::AskAgain, H, "unsent", "") }, Effect::CannotTell, &[201], Risk::Blocked, Some(Suggest::FetchFirst))]
#[case::near_twin_failed_and_lost(Case { other: Some("Plums are in, come before noon!|ac_li=failed@1".into()), ..case(Act::AskAgain, 3 * H, "lost", "") }, Effect::CannotTell, &[200, 201], Risk::Blocked, Some(Suggest::FetchFirst))]
#[case::near_twin_failed_is_fetched_with_its_own(Case { other: Some("Plums are in, come before noon!|ac_li=failed@60".into()), ..case(Act::PostAgain, 3 * H, "made", "ac_li=failed@60") }, Effect::CreatesAgain, &[201], Risk::Confirm, None)]
fn the_grid(
    #[case] case: Case,
    #[case] effect: Effect,
    #[case] expects: &[u16],
    #[case] risk: Risk,
    #[case] suggest: Option<Suggest>,
) {
    let told = case.run();
    assert_eq!(
        (told.effect, &*told.expects, told.risk, told.suggest),
        (effect, expects, risk, suggest),
        "{}",
        told.says()
    );
    assert!(!told.because.is_empty());
}

#[test]
fn more_twins_than_are_fetched_are_not_taken_on_trust() {
    let twin = "Plums are in, come before noon!|ac_li=failed@60";
    let case = Case { other: Some(twin.into()), ..case(Act::PostAgain, 3 * H, "made", "ac_li=failed@60") };
    let told = case.ask(|question| {
        let mut known = question.known.clone();
        let twin = known.posts.last().unwrap().clone();
        let more = |n| PostTarget { post: PostId::new(format!("po_more_{n}")), ..twin.clone() };
        known.posts.extend((0..FETCHED).map(more));
        forecast(&Question { known: &known, ..*question })
    });
    assert_eq!((told.effect, told.risk, told.because[0].code), (Effect::CannotTell, Risk::Blocked, Reason::StaleState));
}

#[test]
fn a_twin_that_may_be_live_again_is_shown_and_fetched() {
    let twin = "Plums are in, come before noon!|ac_li=failed@60";
    let case = Case { other: Some(twin.into()), ..case(Act::Submit, 2 * H, "", "") };
    assert_eq!(case.ask(|question| rests_on(question, FETCHED)), [PostId::new("po_9")]);
    let shown = case.ask(beside);
    assert_eq!(
        shown.iter().map(|one| (one.post.clone(), one.since)).collect::<Vec<_>>(),
        [(Some(PostId::new("po_9")), None)]
    );
}

#[test]
fn only_failed_targets_are_preselected_where_a_post_is_partial() {
    let chosen = |post: &str| {
        case(Act::PostAgain, 2 * H, "made", post)
            .ask(|question| preselected(&question.words.places, &own_standings(question)))
            .iter()
            .map(AccountId::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(chosen("ac_li=published@60 ac_ig=failed@60"), ["ac_ig"]);
    assert_eq!(chosen("ac_li=failed@60 ac_ig=failed@60"), ["ac_li", "ac_ig"]);
    assert_eq!(chosen("ac_li=published@60 ac_ig=published@60"), ["ac_li", "ac_ig"]);
}

#[test]
fn a_reason_comes_in_plain_words() {
    let told = Case {
        text: Some("Plums are in, come before noon!".into()),
        ..case(Act::PostAgain, 2 * H, "made", "ac_li=published@60")
    }
    .run();
    assert_eq!(told.because.last().map(|because| because.code), Some(Reason::NearContent));
    assert!(
        told.says().contains("Differs by one character from a post (po_1) that is live since 2026-03-02 10:00 UTC")
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]
    #[test]
    fn what_holds_for_every_forecast(
        act in prop_oneof![Just(Act::AskAgain), Just(Act::PostAgain), Just(Act::Submit)],
        now in 0_i64..3_000,
        tries in prop_oneof![Just("made"), Just("lost"), Just("no"), Just("there"), Just("unsent"), Just("lost again"), Just("made lost")],
        status in prop_oneof![Just("scheduled"), Just("publishing"), Just("published"), Just("failed"), Just("gone")],
        second in prop_oneof![Just(""), Just(" ac_ig=failed@9"), Just(" ac_ig=published@9")],
        planned in prop_oneof![Just(None), (0_i64..4_000).prop_map(Some)],
        elsewhere in any::<bool>(),
        ahead_min in prop_oneof![Just(None), (-200_i64..200).prop_map(Some)],
        near in any::<bool>(),
    ) {
        let post = format!("ac_li={status}@8{second}");
        let text = near.then(|| format!("{TEXT}!"));
        let told = Case { planned, elsewhere, ahead_min, text, ..case(act, now, tries, &post) }.run();
        prop_assert!(!told.because.is_empty() && !told.expects.is_empty());
        prop_assert!(told.expects.is_sorted());
        prop_assert_eq!(told.effect == Effect::CreatesSecond, told.risk == Risk::Blocked && told.effect != Effect::CannotTell);
        prop_assert!(told.effect != Effect::CreatesAgain || told.risk == Risk::Confirm);
        if told.effect == Effect::CannotTell {
            prop_assert!(told.because.iter().any(|because| because.code.leaves_open()), "{:?}", told);
        }
        if act == Act::PostAgain {
            prop_assert!(told.risk > Risk::Safe);
        }
    }
}

#[rstest]
#[case("scheduled@0")]
#[case("publishing@60")]
#[case("published@60")]
#[case("published@60,there@70")]
fn no_check_of_this_workspace_sees_a_post_of_another(#[case] told: &str) {
    let case = Case { other: Some(format!("{TEXT}|ac_li={told}")), ..case(Act::Submit, 2 * H, "", "") };
    let told = case.ask(|question| {
        let mut known = question.known.clone();
        known.posts[0].workspace = Some(WorkspaceId(2));
        forecast(&Question { known: &known, ..*question })
    });
    assert_eq!((told.effect, told.risk), (Effect::CannotTell, Risk::Blocked), "{told:?}");
    assert_eq!(told.because[0].code, Reason::OtherWorkspace);
}

#[test]
fn a_clock_that_was_set_back_frees_no_words() {
    let live = "Plums are in, come before noon!|ac_li=published@60";
    let case = Case { other: Some(live.into()), ..case(Act::Submit, 26 * H, "", "") };
    assert_eq!(case.run().effect, Effect::CreatesFirst);
    let told = case.ask(|question| forecast(&Question { clock: minutes(20 * H), ..*question }));
    assert_ne!(told.risk, Risk::Safe, "{told:?}");
}

/// Words that only a message told of: neither media nor the account's own words are known.
fn heard(case: &Case, text: &str) -> Forecast {
    case.ask(|question| {
        let mut known = question.known.clone();
        let last = known.posts.last_mut().unwrap();
        (last.words, last.text) = (None, Some(text.to_owned()));
        forecast(&Question { known: &known, ..*question })
    })
}

#[rstest]
#[case::live("published@60", 2 * H, Effect::CannotTell, &[201, 409], Risk::Blocked)]
#[case::on_its_way("publishing@60", 2 * H, Effect::CannotTell, &[201, 409], Risk::Blocked)]
#[case::not_live_any_more("published@60,failed@70", 2 * H, Effect::CannotTell, &[201, 409], Risk::Blocked)]
#[case::not_live_as_just_told("published@60,failed@118", 2 * H, Effect::CreatesFirst, &[201], Risk::Safe)]
#[case::weekly("published@60", 7 * 24 * H, Effect::CreatesFirst, &[201], Risk::Safe)]
fn words_of_a_message_count(
    #[case] told: &str,
    #[case] now: i64,
    #[case] effect: Effect,
    #[case] expects: &[u16],
    #[case] risk: Risk,
) {
    let case = Case { other: Some(format!("{TEXT}|ac_li={told}")), planned: None, ..case(Act::Submit, now, "", "") };
    let told = heard(&case, TEXT);
    assert_eq!((told.effect, &*told.expects, told.risk), (effect, expects, risk), "{told:?}");
    if effect == Effect::CannotTell {
        assert_eq!((told.because[0].code, told.suggest), (Reason::StaleState, Some(Suggest::FetchFirst)));
    }
    assert_eq!(heard(&case, "Something else altogether.").effect, Effect::CreatesFirst);
}

#[rstest]
#[case::since_the_try("published@1", TEXT, None, false, Risk::Safe)]
#[case::before_the_try("published@-30", TEXT, None, false, Risk::Blocked)]
#[case::nearly_these_words("published@1", "Plums are in, come before noon!", None, false, Risk::Blocked)]
#[case::of_one_workspace_among_others("published@1", TEXT, Some(WorkspaceId(1)), true, Risk::Safe)]
#[case::of_any_workspace("published@1", TEXT, None, true, Risk::Blocked)]
#[case::of_another_workspace("published@1", TEXT, Some(WorkspaceId(2)), true, Risk::Blocked)]
fn a_lost_try_is_asked_for_while_messages_tell_of_its_post(
    #[case] told: &str,
    #[case] text: &str,
    #[case] workspace: Option<WorkspaceId>,
    #[case] others: bool,
    #[case] risk: Risk,
) {
    let other = Some(format!("{text}|ac_li={told}"));
    let case = Case { other, planned: None, ..case(Act::AskAgain, 2 * H, "lost", "") };
    let told = case.ask(|question| {
        let mut known = Known { others, ..question.known.clone() };
        let last = known.posts.last_mut().unwrap();
        (last.words, last.text, last.workspace) = (None, Some(text.to_owned()), workspace);
        forecast(&Question { known: &known, ..*question })
    });
    assert_eq!(told.risk, risk, "{told:?}");
    assert!(told.expects.contains(&409), "or somebody else made it: {told:?}");
}

#[test]
fn a_try_that_was_never_carried_out_made_no_post_that_messages_tell_of() {
    let other = Some(format!("{TEXT}|ac_li=published@1"));
    for tries in ["unsent", "there"] {
        let case = Case { other: other.clone(), planned: None, ..case(Act::AskAgain, 2 * H, tries, "") };
        let told = heard(&case, TEXT);
        assert_eq!((told.effect, told.risk), (Effect::CannotTell, Risk::Blocked), "{tries}: {told:?}");
    }
}

#[test]
fn of_a_long_text_a_message_tells_the_beginning() {
    let long = "Plums, figs and quinces. ".repeat(20);
    let case = Case {
        text: Some(long.clone()),
        other: Some(format!("{TEXT}|ac_li=published@60")),
        ..case(Act::Submit, 2 * H, "", "")
    };
    let first: String = long.chars().take(crate::pozy::envelope::TEXT_MAX).collect();
    assert_eq!(heard(&case, &first).risk, Risk::Blocked);
}

#[test]
fn what_nobody_saw_on_the_account_cannot_be_settled_from_here() {
    let ask = |case: Case, unseen: i64| {
        case.ask(|question| {
            let mut known = question.known.clone();
            known.posts[0].unseen = Some(minutes(unseen).0);
            forecast(&Question { known: &known, ..*question })
        })
    };
    let has = |told: &Forecast| told.because.iter().any(|because| because.code == Reason::NotSeenOnAccount);
    let live = "ac_li=scheduled@0,published@60";
    let inside = ask(case(Act::PostAgain, 2 * H, "made", live), 90);
    assert_eq!((inside.effect, &*inside.expects), (Effect::RefusedSameContent, &[409][..]), "Pozy counts it as live");
    assert!(has(&inside), "{inside:?}");
    let later = ask(case(Act::PostAgain, 26 * H, "made", live), 90);
    assert_eq!((later.effect, later.risk, &*later.expects), (Effect::CannotTell, Risk::Blocked, &[201][..]));
    assert_eq!(later.because[0].code, Reason::NotSeenOnAccount, "{later:?}");
    let asked = ask(case(Act::AskAgain, 2 * H, "made", live), 90);
    assert!(has(&asked) && asked.risk == Risk::Safe, "asking makes nothing: {asked:?}");
    let before = ask(case(Act::PostAgain, 26 * H, "made", live), 30);
    assert_eq!(before.effect, Effect::CreatesSecond, "they looked before it went live: {before:?}");
    let failed = ask(case(Act::PostAgain, 2 * H, "made", "ac_li=published@60,failed@70"), 90);
    assert!(failed.effect == Effect::CreatesAgain && !has(&failed), "{failed:?}");
}

#[test]
fn words_that_are_not_looked_through_need_a_word_where_something_new_is_made() {
    let ask = |case: Case| {
        case.ask(|question| {
            let known = Known { words_behind: true, ..question.known.clone() };
            forecast(&Question { known: &known, ..*question })
        })
    };
    let new = ask(case(Act::Submit, 0, "", ""));
    assert_eq!((new.effect, new.risk), (Effect::CreatesFirst, Risk::Confirm));
    assert!(new.because.iter().any(|because| because.code == Reason::WordsBehind));
    assert_eq!(ask(case(Act::AskAgain, 3 * H, "lost", "")).risk, Risk::Safe, "its own key answers for it");
    assert_eq!(ask(case(Act::AskAgain, 2 * H, "made", "ac_li=scheduled@0")).risk, Risk::Safe);
}

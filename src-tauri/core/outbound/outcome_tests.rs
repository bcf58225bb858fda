//! Jobs in every shape, judged as tables, and a property over whole lives of jobs.

use std::sync::LazyLock;

use proptest::prelude::*;
use rstest::rstest;

use super::{
    job::{Attempt, BodyHash, End, EndKind, Facts, KeyUse, Maker, Origin},
    outcome::{Judged, Outcome, State, Warning, judge},
    resend::{No, may_ask_again},
    retry::Hold,
};
use crate::{
    clock::Moment,
    ids::{AttemptId, JobId, JobMark, PostId, WorkspaceId},
    pozy::{answers::Meaning, contract::Contract},
};

fn t0() -> Moment {
    "2026-03-02T09:00:00Z".parse().unwrap()
}

/// Read once: property tests ask for it thousands of times.
fn pozy() -> Contract {
    static SHIPPED: LazyLock<Contract> = LazyLock::new(|| Contract::shipped("pozy").unwrap());
    SHIPPED.clone()
}

fn attempt(n: u32, at_s: i64, end: Option<End>) -> Attempt {
    Attempt {
        id: AttemptId(i64::from(n)),
        n,
        at: t0().plus_seconds(at_s),
        workspace: WorkspaceId(1),
        key: Some("k".to_owned()),
        key_print: Some("print".to_owned()),
        body: Some(BodyHash("aa".to_owned())),
        masked: false,
        end,
        maker: None,
    }
}

fn ended(kind: EndKind, at_s: i64) -> End {
    let at = t0().plus_seconds(at_s);
    End { kind, at, status: None, meaning: None, post: None, retry_at: None, date: None, differs: None }
}

fn answered(meaning: Meaning, post: Option<&str>, at_s: i64) -> End {
    End { meaning: Some(meaning), post: post.map(PostId::new), ..ended(EndKind::Answered, at_s) }
}

/// The end that a word stands for.
fn end(word: &str, at_s: i64) -> End {
    match word {
        "lost" => ended(EndKind::Reset, at_s),
        "crash" => ended(EndKind::Crash, at_s),
        "unsent" => ended(EndKind::NotSent, at_s),
        "busy" => answered(Meaning::Unknown, None, at_s),
        "made" => answered(Meaning::Created, Some("po_1"), at_s),
        "again" => answered(Meaning::Replayed, Some("po_1"), at_s),
        "conflict" => answered(Meaning::Conflict, None, at_s),
        "there" => answered(Meaning::SameContent, Some("po_0"), at_s),
        "no" => answered(Meaning::Rejected, None, at_s),
        "moved" => answered(Meaning::Redirected, None, at_s),
        "elsewhere" => answered(Meaning::KeyElsewhere, None, at_s),
        "poll" => answered(Meaning::Poll, Some("po_1"), at_s),
        other => unreachable!("{other}"),
    }
}

/// A local job whose attempts end as the words say; each takes a second, and they follow each other every ten.
fn job(ends: &str) -> Facts {
    let attempts = (1_u32..).zip(ends.split_whitespace()).map(|(n, word)| {
        let at_s = i64::from(n - 1) * 10;
        attempt(n, at_s, Some(end(word, at_s + 1)))
    });
    with(attempts.collect())
}

fn with(attempts: Vec<Attempt>) -> Facts {
    let key_use = attempts.first().map(|first| KeyUse {
        first_at: first.at,
        first_print: first.key_print.clone(),
        lowest_n: first.n,
        already_there: first.meaning() == Some(Meaning::Replayed),
        first_skew_ns: None,
        later_skew_ns: None,
    });
    Facts {
        id: JobId(1),
        mark: JobMark::new("job_1"),
        origin: Origin::Local,
        created: t0(),
        method: "POST".to_owned(),
        path: "/v1/posts".to_owned(),
        workspace: WorkspaceId(1),
        workspace_name: "ws".to_owned(),
        workspace_print: Some("print".to_owned()),
        key: Some("k".to_owned()),
        request_id: Some("r".to_owned()),
        body: Some(BodyHash("aa".to_owned())),
        scheduled: None,
        near_live: false,
        moved: false,
        settled: None,
        tied: None,
        cancelled: None,
        attempts,
        key_use,
    }
}

fn now(facts: &Facts, at_s: i64) -> Judged {
    judge(facts, false, t0(), t0().plus_seconds(at_s), &pozy())
}

#[rstest]
#[case::never_sent("", State::Waiting, Outcome::None, None, None)]
#[case::created("made", State::Done, Outcome::Created, Some("po_1"), Some(1))]
#[case::lost_then_there("lost again", State::Done, Outcome::Replayed, Some("po_1"), Some(1))]
#[case::three_tries("lost busy made", State::Done, Outcome::Created, Some("po_1"), Some(3))]
#[case::two_could_have("lost busy again", State::Done, Outcome::Replayed, Some("po_1"), None)]
#[case::unsent_cannot_have("unsent lost again", State::Done, Outcome::Replayed, Some("po_1"), Some(2))]
#[case::a_conflict_made_nothing("lost conflict again", State::Done, Outcome::Replayed, Some("po_1"), Some(1))]
#[case::asked_again("made again", State::Done, Outcome::Replayed, Some("po_1"), Some(1))]
#[case::done_stays_done("made lost", State::Done, Outcome::Created, Some("po_1"), Some(1))]
#[case::polled("poll", State::Waiting, Outcome::Unknown, Some("po_1"), None)]
#[case::lost("lost", State::Waiting, Outcome::Unknown, None, None)]
#[case::crashed("crash", State::Waiting, Outcome::Unknown, None, None)]
#[case::unsent("unsent", State::Waiting, Outcome::None, None, None)]
#[case::same_content("lost there", State::Refused, Outcome::Refused, Some("po_0"), None)]
#[case::rejected("no", State::Stopped, Outcome::Rejected, None, None)]
#[case::redirected("moved", State::Stopped, Outcome::Rejected, None, None)]
#[case::unsent_then_no("unsent no", State::Stopped, Outcome::Rejected, None, None)]
#[case::a_no_does_not_undo_a_loss("lost no", State::Unknown, Outcome::Unknown, None, None)]
#[case::key_of_another_call("lost elsewhere", State::Stopped, Outcome::Rejected, None, None)]
fn attempts_add_up(
    #[case] ends: &str,
    #[case] state: State,
    #[case] outcome: Outcome,
    #[case] post: Option<&str>,
    #[case] by: Option<u32>,
) {
    let judged = now(&job(ends), 60);
    assert_eq!(
        (judged.state, judged.outcome, judged.post.as_ref().map(PostId::as_str), judged.created_by_attempt),
        (state, outcome, post, by)
    );
}

#[test]
fn a_try_under_way_is_sending_and_an_interrupted_one_unknown() {
    let facts = with(vec![attempt(1, 0, None)]);
    assert_eq!(judge(&facts, true, t0(), t0(), &pozy()).state, State::Sending);
    let interrupted = judge(&facts, false, t0(), t0().plus_seconds(3 * 3_600), &pozy());
    assert_eq!((interrupted.state, interrupted.hold), (State::Unknown, Some(Hold::Interrupted)));
    assert_eq!((interrupted.outcome, interrupted.next_at), (Outcome::Unknown, None));
}

#[test]
fn on_other_paths_a_success_after_a_loss_may_be_either() {
    let mut facts = job("lost made");
    facts.path = "/v1/sms/messages".to_owned();
    assert_eq!(now(&facts, 60).created_by_attempt, None);
    facts.attempts.remove(0);
    assert_eq!(now(&facts, 60).created_by_attempt, Some(2));
}

#[rstest]
#[case::first(1, 1)]
#[case::second(2, 2)]
#[case::third(3, 4)]
#[case::ninth(9, 256)]
#[case::tenth(10, 300)]
#[case::hundredth(100, 300)]
fn waits_double_up_to_five_minutes(#[case] tries: u32, #[case] seconds: i64) {
    let attempts = (1..=tries).map(|n| attempt(n, i64::from(n), Some(end("lost", i64::from(n)))));
    let last = i64::from(tries);
    assert_eq!(now(&with(attempts.collect()), last).next_at, Some(t0().plus_seconds(last + seconds)));
}

#[test]
fn what_pozy_asks_for_is_honoured_and_zero_only_once() {
    let asked = |at_s: i64, wait: i64| End { retry_at: Some(t0().plus_seconds(at_s + wait)), ..end("busy", at_s) };
    for (wait, next) in [(7, 8), (0, 1), (19 * 3_600, 19 * 3_600 + 1)] {
        let facts = with(vec![attempt(1, 0, Some(asked(1, wait)))]);
        assert_eq!(now(&facts, 2).next_at, Some(t0().plus_seconds(next)));
    }
    let twice = with(vec![attempt(1, 0, Some(asked(1, 0))), attempt(2, 1, Some(asked(2, 0)))]);
    assert_eq!(now(&twice, 2).next_at, Some(t0().plus_seconds(3)));
}

#[test]
fn nothing_is_planned_past_the_safe_life_of_the_key() {
    let day = End { retry_at: Some(t0().plus_seconds(86_401)), ..end("busy", 1) };
    let judged = now(&with(vec![attempt(1, 0, Some(day))]), 2);
    assert_eq!((judged.state, judged.next_at, judged.hold), (State::Unknown, None, Some(Hold::PastKeyLife)));
    assert_eq!(judged.warnings, [Warning::PastKeyLife]);
    let facts = job("lost");
    assert_eq!(now(&facts, 20 * 3_600).state, State::Waiting, "sharp still counts");
    assert_eq!(now(&facts, 20 * 3_600 + 1).hold, Some(Hold::PastKeyLife));
    let unsent_for_a_day = now(&job("unsent"), 86_400);
    assert_eq!((unsent_for_a_day.state, unsent_for_a_day.outcome), (State::Draft, Outcome::None));
}

#[test]
fn nothing_is_planned_once_the_scheduled_time_has_passed() {
    let mut facts = job("lost");
    facts.scheduled = Some(t0().plus_seconds(600));
    assert_eq!(now(&facts, 600 + 900).state, State::Waiting);
    assert_eq!(now(&facts, 600 + 901).hold, Some(Hold::SchedulePassed));
}

#[rstest]
#[case::no_key(|facts: &mut Facts| facts.key = None)]
#[case::unknown_path(|facts: &mut Facts| facts.path = "/v1/media".to_owned())]
#[case::other_method(|facts: &mut Facts| facts.method = "PUT".to_owned())]
fn a_second_send_needs_a_key_that_pozy_knows(#[case] change: fn(&mut Facts)) {
    let (mut sent, mut unsent) = (job("lost"), job("unsent"));
    change(&mut sent);
    change(&mut unsent);
    assert_eq!(now(&sent, 2).hold, Some(Hold::NoKey));
    assert_eq!(now(&unsent, 2).state, State::Waiting, "nothing left yet, so it would be the first");
}

#[test]
fn a_clock_set_back_sends_nothing_before_the_newest_moment() {
    let newest = t0().plus_seconds(5_000);
    let judged = judge(&job("lost"), false, newest, t0().plus_seconds(2), &pozy());
    assert_eq!(judged.next_at, Some(newest));
    let mut imported = job("lost");
    imported.origin = Origin::Import;
    assert_eq!(judge(&imported, false, newest, t0().plus_seconds(2), &pozy()).next_at, Some(t0().plus_seconds(2)));
}

#[test]
fn an_endless_conflict_stops_after_an_hour_as_unknown() {
    let for_minutes = |minutes: i64| {
        let attempts =
            (0..=minutes / 5).map(|i| attempt(u32::try_from(i).unwrap() + 1, i * 300, Some(end("conflict", i * 300))));
        now(&with(attempts.collect()), minutes * 60)
    };
    assert_eq!(for_minutes(30).state, State::Waiting);
    let given_up = for_minutes(60);
    assert_eq!((given_up.state, given_up.outcome), (State::Unknown, Outcome::Unknown));
    assert_eq!(given_up.hold, Some(Hold::EndlessConflict));
}

#[test]
fn a_key_of_unknown_age_is_never_sent_again() {
    let mut later = job("lost");
    later.key_use.as_mut().unwrap().lowest_n = 2;
    let judged = now(&later, 2);
    assert_eq!((judged.key_expires_at, judged.hold), (None, Some(Hold::KeyAgeUnknown)));
    assert_eq!(now(&job("again"), 2).key_expires_at, None, "a first answer of 200: the log lacks what made it");
}

#[test]
fn clocks_that_drift_only_make_a_key_older() {
    let day = t0().plus_seconds(86_400);
    for (first_s, later_s, end) in [(0, 0, day), (0, 600, day.plus_seconds(-600)), (600, 0, day), (0, 1, day)] {
        let mut facts = job("lost");
        let used = facts.key_use.as_mut().unwrap();
        used.first_skew_ns = Some(first_s * Moment::SECOND);
        used.later_skew_ns = Some(later_s * Moment::SECOND);
        assert_eq!(now(&facts, 2).key_expires_at, Some(end), "{first_s} {later_s}");
    }
}

#[test]
fn a_key_per_try_is_warned_of() {
    let mut facts = job("lost there made");
    for (attempt, key) in facts.attempts.iter_mut().zip(["k-a", "k-b", "k-c"]) {
        attempt.key = Some(key.to_owned());
    }
    let judged = now(&facts, 60);
    assert_eq!((judged.state, judged.warnings), (State::Done, vec![Warning::KeyPerTry]));
    for attempt in &mut facts.attempts {
        attempt.key = None;
    }
    assert_eq!(now(&facts, 60).warnings, [], "no key at all is not several");
}

#[test]
fn a_post_of_other_words_is_warned_of() {
    let mut edited = job("made again");
    edited.attempts[1].body = Some(BodyHash("bb".to_owned()));
    for (maker, warning) in [(JobId(1), Warning::EditNotApplied), (JobId(7), Warning::KeyUsedForSomethingElse)] {
        edited.attempts[1].maker = Some(Maker { job: maker, body: Some(BodyHash("aa".to_owned())) });
        assert_eq!(now(&edited, 60).warnings, [warning]);
    }
    edited.attempts[1].maker = Some(Maker { job: JobId(7), body: Some(BodyHash("bb".to_owned())) });
    assert_eq!(now(&edited, 60).warnings, [], "equal bytes");

    let mut foreign = job("again");
    foreign.attempts[0].end.as_mut().unwrap().differs = Some(true);
    assert_eq!(now(&foreign, 60).warnings, [Warning::KeyUsedForSomethingElse]);

    let mut lost_before = job("lost again");
    assert_eq!(now(&lost_before, 60).warnings, []);
    lost_before.attempts[1].body = Some(BodyHash("bb".to_owned()));
    assert_eq!(now(&lost_before, 60).warnings, [Warning::EditNotApplied]);
}

#[test]
fn a_person_stops_a_waiting_job_and_may_ask_it_again() {
    let mut facts = job("lost");
    facts.cancelled = Some(t0().plus_seconds(5));
    let judged = now(&facts, 6);
    assert_eq!((judged.state, judged.outcome, judged.next_at), (State::Cancelled, Outcome::Unknown, None));
    facts.attempts.push(attempt(2, 10, Some(end("busy", 11))));
    assert_eq!(now(&facts, 12).state, State::Waiting);
}

#[rstest]
#[case::lost("lost", 3 * 3_600, None)]
#[case::done("made", 3 * 3_600, None)]
#[case::by_hand_only("lost", 20 * 3_600 + 1, None)]
#[case::too_close("lost", 24 * 3_600 + 15 * 60, None)]
#[case::key_gone("lost", 24 * 3_600 + 15 * 60 + 1, Some(No::PastKeyLife))]
#[case::never_sent("", 30 * 3_600, None)]
#[case::same_words_there("there", 60, Some(No::SameContent))]
fn asking_again_by_hand(#[case] ends: &str, #[case] at_s: i64, #[case] why: Option<No>) {
    let facts = job(ends);
    let judged = now(&facts, at_s);
    assert_eq!(may_ask_again(&facts, &judged, t0(), t0().plus_seconds(at_s), &pozy()).err(), why);
    let newest = t0().plus_seconds(30 * 3_600);
    let late = may_ask_again(&facts, &judged, newest, t0().plus_seconds(at_s), &pozy());
    assert_eq!(late.is_err(), facts.has_left(), "a clock set back never makes a key younger");
}

#[rstest]
#[case::imported(|facts: &mut Facts| facts.origin = Origin::Import, No::Imported)]
#[case::masked(|facts: &mut Facts| facts.attempts[0].masked = true, No::Masked)]
#[case::no_key(|facts: &mut Facts| facts.key = None, No::NoKey)]
#[case::other_path(|facts: &mut Facts| facts.path = "/v1/media".to_owned(), No::NoKey)]
#[case::other_api_key(|facts: &mut Facts| facts.workspace_print = Some("other".to_owned()), No::OtherApiKey)]
#[case::age_unknown(|facts: &mut Facts| facts.key_use.as_mut().unwrap().lowest_n = 2, No::KeyAgeUnknown)]
fn asking_again_is_refused(#[case] change: fn(&mut Facts), #[case] why: No) {
    let mut facts = job("lost");
    change(&mut facts);
    let judged = now(&facts, 60);
    assert_eq!(may_ask_again(&facts, &judged, t0(), t0().plus_seconds(60), &pozy()), Err(why));
}

/// What becomes of one request in the property below.
#[derive(Clone, Copy, Debug)]
enum Fate {
    NotSent,
    CutBefore,
    CutAfter,
    Busy(Option<i64>),
    Running,
    Served,
    CrashBefore,
    CrashAfter,
}

fn fates() -> impl Strategy<Value = Fate> {
    prop_oneof![
        Just(Fate::NotSent),
        Just(Fate::CutBefore),
        Just(Fate::CutAfter),
        prop::option::of(0_i64..90_000).prop_map(Fate::Busy),
        Just(Fate::Running),
        Just(Fate::Served),
        Just(Fate::CrashBefore),
        Just(Fate::CrashAfter),
    ]
}

/// A Pozy that forgets a key a day after its first request and checks no content.
#[derive(Debug, Default)]
struct Forgetful {
    first: Option<Moment>,
    posts: u32,
}

impl Forgetful {
    fn answer(&mut self, fate: Fate, sent: Moment, at_s: i64, at: Moment) -> End {
        let known = self.first.is_some_and(|first| sent.ms_since(first) <= 86_400_000);
        if matches!(fate, Fate::CutAfter | Fate::Served | Fate::CrashAfter) && !known {
            self.first = Some(sent);
            self.posts += 1;
        }
        match fate {
            Fate::NotSent => end("unsent", at_s),
            Fate::CutBefore | Fate::CutAfter => end("lost", at_s),
            Fate::CrashBefore | Fate::CrashAfter => end("crash", at_s),
            Fate::Busy(wait) => End { retry_at: wait.map(|s| at.plus_seconds(s)), ..end("busy", at_s) },
            Fate::Running => end("conflict", at_s),
            Fate::Served => end(if known { "again" } else { "made" }, at_s),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    /// Property 3 and the pure half of 4 (scenarios): whatever becomes of the tries, and however late the sender comes
    /// to each, a job left to the plan makes at most one post; its tries share key and bytes; none is early or goes
    /// out before the job is stored; and it never rests as failed while one of them may have worked.
    #[test]
    fn a_job_left_to_the_plan_makes_one_post(
        lives in prop::collection::vec((fates(), 0_i64..7_200, 0_i64..60), 1..40),
    ) {
        let (rules, mut facts, mut side, mut time) = (pozy(), with(vec![]), Forgetful::default(), t0());
        for (fate, delay, took) in lives {
            let Some(next) = judge(&facts, false, time, time, &rules).next_at else { break };
            if let Some(end) = facts.attempts.last().and_then(|last| last.end.as_ref()) {
                prop_assert!(next >= end.retry_at.unwrap_or(end.at), "never early");
            }
            time = time.max(next).plus_seconds(delay);
            if judge(&facts, false, time, time, &rules).next_at.is_none_or(|at| at > time) {
                continue;
            }
            let sent = time;
            time = time.plus_seconds(took);
            let end = side.answer(fate, sent, time.ms_since(t0()) / 1_000, time);
            let n = u32::try_from(facts.attempts.len()).unwrap() + 1;
            let tried = Attempt { at: sent, key: facts.key.clone(), body: facts.body.clone(), ..attempt(n, 0, Some(end)) };
            facts.attempts.push(tried);
            facts.key_use = with(facts.attempts.clone()).key_use;
            prop_assert!(side.posts <= 1, "a second post after {:?}", facts.attempts);
        }
        let judged = judge(&facts, false, time, time, &rules);
        prop_assert!(!matches!(judged.state, State::Stopped | State::Refused), "shown as failed: {judged:?}");
        prop_assert!(side.posts == 0 || judged.outcome != Outcome::None, "a post that nobody may have made");
        prop_assert!(facts.attempts.windows(2).all(|pair| pair[0].same_key(&pair[1]) && pair[0].body == pair[1].body));
        prop_assert!(facts.attempts.iter().all(|attempt| attempt.at >= facts.created), "sent before it was stored");
    }
}

//! What was foretold beside what the sandbox does.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use reprise_core::{
    clock::Moment,
    ids::AccountId,
    outbound::{
        forecast::{
            Act, Effect, Forecast, Reason, Risk,
            words::{Place, Timing, Words, differ_by, mark, media, places},
        },
        job::BodyHash,
    },
};
use serde_json::Value;

use super::life::id_of;

/// Nearly equal words, and for a new post equal ones, are a double this long after they went live (contract, "Jobs").
const DAY_H: i64 = 24;
/// What was told so short a time ago still holds, with what two clocks may differ by.
const JUST_TOLD: TimeDelta = TimeDelta::seconds(5 * 60 + 5);
/// The greatest skew of a life, and the quarter of an hour that is too close.
const CAUTION_H: i64 = 4;

/// What came, or would come, of an act.
#[derive(Debug)]
pub(super) struct Came {
    pub(super) status: u16,
    /// Body of the answer.
    pub(super) answer: Value,
    /// Accounts whose target failed in the post that was made, since the same content was there.
    pub(super) fails: Vec<String>,
}

/// What stands at Pozy before an act, and what this log had news of.
pub(super) struct Scene {
    /// The posts as they are given out, for a person who looks for a mistake.
    pub(super) posts: Vec<Value>,
    targets: Vec<Target>,
    /// The sandbox's present.
    now: DateTime<Utc>,
}

/// One target of a post.
struct Target {
    post: String,
    account: AccountId,
    text: String,
    mark: BodyHash,
    status: String,
    published: Option<DateTime<Utc>>,
    news: News,
    /// Nobody could foresee that it is live: it was told not to be a moment ago, or went live long after that.
    unforeseen: bool,
}

/// How the log was told of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum News {
    /// With its words and media, or as the very content that stands in the way.
    Whole,
    /// By messages alone, which tell the first words of a post.
    Message,
    /// Not at all.
    None,
}

/// The targets this log ever had news of, post and account.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// When those were last told not to be live that were.
    pub(super) dead: BTreeMap<(String, String), Moment>,
    pub(super) whole: BTreeSet<(String, String)>,
    /// By messages that are looked through for words, with those they tell: the post's, not the account's own.
    pub(super) by_message: BTreeSet<(String, String, String)>,
}

/// How a comparison ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// As foretold, or it could not be told, for a reason on the list.
    Right,
    /// Refused, or not taken for an account, for a post that this log never had news of: no forecast can know it.
    Stranger,
    /// Otherwise than foretold.
    Wrong(String),
}

/// Compares what came of sending `body`. A second live post where `safe` or a first one was foretold is wrong whatever
/// else holds.
pub(super) fn compare(told: &Forecast, came: &Came, scene: &Scene, body: &[u8]) -> Verdict {
    let made = came.status == 201;
    let second = made && scene.makes_second(body, told.action, &came.fails, DAY_H);
    let wrong = |what: &str| Verdict::Wrong(format!("{what}: {came:?}, second live: {second}, {told:?}"));
    if second && told.risk == Risk::Safe {
        return wrong("called safe, and a second live post came of it");
    }
    if second && matches!(told.effect, Effect::CreatesAgain | Effect::CreatesFirst) {
        return wrong("a second live post where none was foretold");
    }
    if second && told.effect == Effect::CannotTell && told.risk != Risk::Blocked {
        return wrong("a second live post may come of it, and it is not blocked");
    }
    if told.effect == Effect::CannotTell && !told.because.iter().any(|because| because.code.leaves_open()) {
        return wrong("cannot tell, without a reason that leaves it open");
    }
    if came.status == 409 && came.in_the_way().is_some_and(|post| scene.is_stranger(post, body)) {
        return Verdict::Stranger;
    }
    if made && came.fails.iter().any(|account| scene.is_taken_by_a_stranger(account, body)) {
        return Verdict::Stranger;
    }
    let right = match told.effect {
        Effect::CannotTell => told.expects.contains(&came.status) || may_be_otherwise(told, came),
        Effect::InProgress => matches!(came.status, 200 | 409),
        Effect::ReturnsExisting => came.status == 200,
        Effect::RefusedSameContent => came.status == 409,
        Effect::RefusedKeyReuse => came.status == 422,
        Effect::CreatesFirst | Effect::CreatesAgain => made,
        // Called a double for a little longer than it is one: clocks may differ, and close to the limit nobody knows.
        Effect::CreatesSecond => made && scene.makes_second(body, told.action, &came.fails, DAY_H + CAUTION_H),
    };
    let expected = told.effect == Effect::CannotTell || told.expects.contains(&came.status);
    if right && expected { Verdict::Right } else { wrong("otherwise than foretold") }
}

/// Two answers that make nothing and that `expects` does not name: through another workspace any no may come (row j),
/// and a first try that still runs says so (R9).
fn may_be_otherwise(told: &Forecast, came: &Came) -> bool {
    let elsewhere = told.because.iter().any(|because| because.code == Reason::OtherWorkspace);
    let runs = came.answer["code"] == "idempotency_conflict"
        && told.because.iter().any(|because| because.code == Reason::UnknownOutcome);
    elsewhere && came.status != 201 || runs
}

impl Came {
    /// The post that stood in the way of this one.
    pub(super) fn in_the_way(&self) -> Option<&str> {
        self.answer["details"]["existingPostId"].as_str()
    }
}

impl Scene {
    pub(super) fn of(posts: Vec<Value>, told: &Told, now: DateTime<Utc>) -> Self {
        let mut targets = Vec::new();
        for post in &posts {
            let (id, media) = (id_of(post), media(post));
            for (place, target) in places(post).into_iter().zip(post["platforms"].as_array().unwrap()) {
                let its = (id.clone(), place.account.to_string());
                let as_told = |(post, account, text): &(String, String, String)| {
                    (post, account) == (&its.0, &its.1) && differ_by(text, &place.text, 10).is_some()
                };
                let news = if told.whole.contains(&its) {
                    News::Whole
                } else if told.by_message.iter().any(as_told) {
                    News::Message
                } else {
                    News::None
                };
                let published: Option<DateTime<Utc>> = target["publishedAt"].as_str().map(|at| at.parse().unwrap());
                let unforeseen = told.dead.get(&its).is_some_and(|dead| {
                    now - dead.utc() <= JUST_TOLD
                        || published.is_some_and(|at| at - dead.utc() > TimeDelta::hours(DAY_H))
                });
                targets.push(Target {
                    news,
                    unforeseen,
                    post: id.clone(),
                    mark: mark(&place.text, &media),
                    account: place.account,
                    text: place.text,
                    status: target["status"].as_str().unwrap().to_owned(),
                    published,
                });
            }
        }
        Self { posts, targets, now }
    }

    /// True if the log was told nothing that holds of the targets of `post` that carry the very content of `body`: nothing
    /// at all, or that they were not live, and nothing foresees that they are by now.
    fn is_stranger(&self, post: &str, body: &[u8]) -> bool {
        let words = Words::of(body);
        let same = |target: &&Target| {
            let its = |place: &Place| place.account == target.account && words.mark_of(place) == target.mark;
            target.post == post && words.places.iter().any(its)
        };
        let live = |target: &&Target| self.is_live(target, DAY_H);
        let nothing_holds = |target: &Target| target.news == News::None || target.unforeseen;
        let mut there = self.targets.iter().filter(same).filter(live).peekable();
        match there.peek() {
            Some(_) => there.all(nothing_holds),
            None => self.targets.iter().filter(same).all(nothing_holds),
        }
    }

    /// True if the very content of `body` stands on `account`, and the log was told of none of it.
    fn is_taken_by_a_stranger(&self, account: &str, body: &[u8]) -> bool {
        let words = Words::of(body);
        let mut places = words.places.iter().filter(|place| place.account.as_str() == account);
        places.any(|place| {
            let same = |target: &&Target| target.account == place.account && target.mark == words.mark_of(place);
            let mut there = self.targets.iter().filter(same).peekable();
            there.peek().is_some() && there.all(|target| target.news == News::None)
        })
    }

    /// True if `post` is live by Pozy on an account of `body` with its very content.
    pub(super) fn counts(&self, post: &str, body: &[u8]) -> bool {
        let words = Words::of(body);
        self.targets.iter().filter(|target| target.post == post).any(|target| {
            let its = |place: &Place| place.account == target.account && words.mark_of(place) == target.mark;
            self.is_live(target, DAY_H) && words.places.iter().any(its)
        })
    }

    /// True if the post that is made stands beside a live one of equal or nearly equal words that this log had news of.
    /// Nearly equal words are free again `within_h` hours after they went live, and for a new post equal ones too:
    /// weekly words stay free.
    fn makes_second(&self, body: &[u8], act: Act, fails: &[String], within_h: i64) -> bool {
        let words = Words::of(body);
        if words.timing == Timing::Never {
            return false;
        }
        let goes_out = words.places.iter().filter(|place| !fails.contains(&place.account.to_string()));
        goes_out.into_iter().any(|place| {
            let mark = words.mark_of(place);
            let told =
                |target: &&Target| target.news != News::None && !target.unforeseen && target.account == place.account;
            self.targets.iter().filter(told).any(|target| {
                let equal = target.mark == mark;
                // Messages are looked through for the last days alone.
                let for_good = equal && act != Act::Submit && target.news == News::Whole;
                let within_h = if for_good { i64::from(u32::MAX) } else { within_h };
                self.is_live(target, within_h) && (equal || differ_by(&target.text, &place.text, 10).is_some())
            })
        })
    }

    /// True if the target is planned, on its way, or went live at most `within_h` hours ago.
    fn is_live(&self, target: &Target, within_h: i64) -> bool {
        match target.status.as_str() {
            "scheduled" | "publishing" => true,
            "published" => target.published.is_some_and(|at| self.now - at <= TimeDelta::hours(within_h)),
            _ => false,
        }
    }
}

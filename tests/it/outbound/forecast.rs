//! The forecast against the sandbox: what it foretells is what then happens, or it says that it cannot tell; and what
//! it calls safe never makes a second live post. Random lives: two accounts, a handful of words, faults of every kind,
//! targets that fail or go live, news that come late or never, clocks that drift, days that pass.
//!
//! `REPRISE_FORECAST_STATES` sets how many states are driven through, `REPRISE_FORECAST_SEED` which ones.

use std::{collections::BTreeMap, env, time::Duration};

use pozy_sandbox::{
    AccountId as TargetAccount, Deed, Options, Pace, PostId as TargetPost, Sandbox, TargetChange, TargetStatus,
};
use reprise_core::{
    clock::Clock,
    error::Code,
    ids::{JobMark, PostId},
    outbound::{
        fetch,
        forecast::{Act, Effect, Forecast, Reason, Risk},
        foretell::{Consent, Plan},
        outcome::Warning,
        resend,
        submit::{Draft, POSTS, submit},
    },
    store::{Store, contents, job_facts},
};
use serde_json::{Value, json};

use super::world::{World, connect, t0};

/// States in one run of the tests.
const STATES: usize = 2_000;
/// States of one life; then a new log and a new sandbox.
const LIFE: usize = 60;
/// Seeds that once showed a mistake.
const KEPT: &[u64] = &[504];

/// Small, and the same on every computer.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }

    fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[usize::try_from(self.below(list.len() as u64)).unwrap()]
    }
}

/// What was driven through.
#[derive(Debug, Default)]
struct Tally {
    states: usize,
    effects: BTreeMap<&'static str, usize>,
    safe: usize,
    contradicted: usize,
}

struct Life {
    world: World,
    dice: Dice,
    jobs: Vec<JobMark>,
    /// Our clock less the sandbox's, seconds.
    skew: i64,
    /// Posts that changed without our hearing of it.
    unheard: Vec<String>,
    /// A fault waits for the next request.
    pending: bool,
}

const WORDS: [&str; 4] = [
    "Plums are in, come before noon.",
    "Plums are in, come before noon!",
    "The kiln is hot tonight.",
    "Rye on Friday, early.",
];

impl Life {
    async fn start(seed: u64) -> Self {
        let options = Options { pace: Pace::Manual, now: Some(t0().utc()), seed: Some(seed), ..Options::default() };
        let sandbox = Sandbox::start(options).await.unwrap();
        // Where memory can be had as a folder, commits cost nothing; what is on disk is not the point here.
        let memory = std::path::Path::new("/dev/shm");
        let dir = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
        let store = Store::open(dir.path()).await.unwrap();
        let clock = Clock::standing(t0());
        let connection = connect(&store, &clock, sandbox.url(), sandbox.api_key()).await;
        let world = World { dir, store, clock, sandbox, connection };
        Self { world, dice: Dice(seed), jobs: Vec::new(), skew: 0, unheard: Vec::new(), pending: false }
    }

    fn set_clock(&self) {
        let there: reprise_core::clock::Moment = self.world.sandbox.now().into();
        self.world.clock.set(there.plus_seconds(self.skew));
    }

    async fn pass(&mut self) {
        let minutes = *self.dice.of(&[1, 7, 40, 180, 500, 1_000, 1_425, 1_439, 1_445, 1_470, 1_600]);
        self.world.sandbox.advance(Duration::from_secs(minutes * 60 + self.dice.below(60))).await.unwrap();
        let known = self.known();
        if self.dice.below(12) == 0 && !known.is_empty() {
            self.skew = *self.dice.of(&[0, 0, -600, 900, -7_200, 10_000]);
            self.set_clock();
            // Skew is measured by answers; between two of them nobody can know of it.
            let post = self.dice.of(&known).clone();
            self.hear(&post).await;
        }
        self.set_clock();
    }

    fn body(&mut self) -> Vec<u8> {
        let accounts = *self.dice.of(&["ac_li", "ac_ig", "ac_li ac_ig", "ac_li"]);
        let platforms: Vec<Value> =
            accounts.split(' ').map(|account| json!({"platform": "linkedin", "accountId": account})).collect();
        let mut body = json!({"content": self.dice.of(&WORDS), "platforms": platforms});
        let ahead = *self.dice.of(&[0, 30, 600, 3_000, 20_000]);
        match (ahead, self.dice.below(12)) {
            (_, 0) => body["isDraft"] = true.into(),
            (0, _) => body["publishNow"] = true.into(),
            (minutes, _) => {
                let there: reprise_core::clock::Moment = self.world.sandbox.now().into();
                body["scheduledFor"] = there.plus_seconds(minutes * 60).to_string().into();
            }
        }
        body.to_string().into_bytes()
    }

    /// Puts a fault in the way of the next request, or not; true if one waits there.
    fn maybe_fault(&mut self) -> bool {
        if self.pending {
            return true;
        }
        let status = |status, code: Option<&str>| Deed::Status {
            status,
            retry_after: Some(json!(3)),
            code: code.map(str::to_owned),
            body: None,
            headers: BTreeMap::new(),
        };
        let deed = match self.dice.below(12) {
            0 | 1 => Deed::CutAfter,
            2 => Deed::CutBefore,
            3 => status(503, None),
            4 => status(400, None),
            _ => return false,
        };
        self.world.fault(deed, 1);
        self.pending = true;
        true
    }

    fn posts(&self) -> Vec<Value> {
        self.world.sandbox.ledger().posts
    }

    /// Something happens at Pozy; we may or may not hear of it.
    async fn happen(&mut self) {
        let posts = self.posts();
        if posts.is_empty() {
            return;
        }
        let post = self.dice.of(&posts).clone();
        let id = post["_id"].as_str().unwrap().to_owned();
        let target = self.dice.of(post["platforms"].as_array().unwrap()).clone();
        let status = *self.dice.of(&[
            TargetStatus::Failed,
            TargetStatus::Cancelled,
            TargetStatus::Published,
            TargetStatus::Published,
        ]);
        let account = target["accountId"].as_str().unwrap();
        let change = TargetChange {
            post: Some(TargetPost(id.clone())),
            text: None,
            account: TargetAccount(account.to_owned()),
            status,
            error: None,
        };
        self.world.sandbox.target(change).unwrap();
        if self.dice.below(3) > 0 {
            self.hear(&id).await;
        } else {
            self.unheard.push(id);
        }
    }

    async fn hear(&mut self, post: &str) {
        self.unheard.retain(|unheard| unheard != post);
        fetch::fetch(&self.world.store, &self.world.clock, &self.world.connection, &PostId::new(post)).await.unwrap();
    }

    /// The posts this log ever had news of.
    fn known(&self) -> Vec<String> {
        let file = self.world.store.dir().join(reprise_core::store::FILE);
        let log = rusqlite::Connection::open(file).unwrap();
        let mut query = log.prepare("SELECT DISTINCT post FROM post_words ORDER BY post").unwrap();
        query.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    /// How many live targets with that very text on `account` we ever had news of.
    fn live_like(&self, text: &str, account: &str) -> usize {
        let known = self.known();
        let live = |status: &Value| ["scheduled", "publishing", "published"].iter().any(|live| status == live);
        let like = |post: &Value| post["content"].as_str().is_some_and(|other| other == text);
        let posts = self.posts();
        posts
            .iter()
            .filter(|post| like(post) && known.iter().any(|known| post["_id"] == known.as_str()))
            .flat_map(|post| post["platforms"].as_array().cloned().unwrap_or_default())
            .filter(|target| target["accountId"] == account && live(&target["status"]))
            .count()
    }

    /// True if a post with one of those texts was made that we never had news of: its answer was lost for good.
    fn has_strangers(&self, texts: &[(String, String)]) -> bool {
        let known = self.known();
        let posts = self.posts();
        let same = |post: &Value| texts.iter().any(|(text, _)| post["content"] == text.as_str());
        posts.iter().any(|post| same(post) && known.iter().all(|known| post["_id"] != known.as_str()))
    }

    /// Foretells, acts, and compares.
    async fn step(&mut self, tally: &mut Tally) {
        let act = match self.dice.below(4) {
            0 => Act::Submit,
            1 => Act::PostAgain,
            _ => Act::AskAgain,
        };
        if act == Act::Submit || self.jobs.is_empty() {
            return self.submit(tally).await;
        }
        let mark = self.dice.of(&self.jobs).clone();
        if self.dice.below(2) == 0
            && let Some(post) = self.world.view(&mark).await.judged.post
        {
            self.hear(post.as_str()).await;
        }
        let world = &self.world;
        let plan = Plan::on(&world.store, act, &mark, Some(&world.connection), None).await.unwrap();
        let told = plan.foretell(&world.store, &world.clock, &world.connection.contract).await.unwrap();
        let (texts, before) = (self.words_of(&mark, &told.accounts).await, self.posts().len());
        let live: Vec<usize> = texts.iter().map(|(text, account)| self.live_like(text, account)).collect();
        let strangers = self.has_strangers(&texts);
        let was = self.world.view(&mark).await;
        let attempts = was.facts.attempts.len();
        // Half of what is not safe is sent all the same.
        let consent = match told.forecast.risk {
            Risk::Safe => Consent::Safe,
            _ if self.dice.below(2) == 0 => return tally.count(&told.forecast),
            _ => Consent::Forecast(told.forecast.clone()),
        };
        let faulty = self.maybe_fault();
        let (store, clock, connection) = (&self.world.store, &self.world.clock, &self.world.connection);
        let done = match act {
            Act::AskAgain => resend::ask_again(store, clock, connection, &mark, consent).await,
            _ => {
                resend::post_again(store, clock, connection, &mark, resend::Part::default(), "It is meant", consent)
                    .await
            }
        };
        let view = match done {
            Ok(view) => view,
            Err(no) => {
                assert_eq!(no.code, Code::Refused, "{no}");
                assert_eq!(self.posts().len(), before, "refused, so nothing was made");
                tally.contradicted += 1;
                return;
            }
        };
        self.pending = false;
        if act == Act::PostAgain {
            self.jobs.push(view.facts.mark.clone());
        }
        let sent = if act == Act::PostAgain { view.facts.attempts.first() } else { view.facts.attempts.get(attempts) };
        let status = sent.and_then(|attempt| attempt.end.as_ref()).and_then(|end| end.status);
        // Words that only a post nobody ever told of refuses are beyond any forecast; nothing is made of it.
        let beyond = strangers && status == Some(409);
        if !faulty && !beyond {
            self.compare(&told.forecast, status, before, &texts, &live, &mark);
        }
        self.world.sandbox.advance(Duration::ZERO).await.unwrap();
        tally.count(&told.forecast);
    }

    fn compare(
        &self,
        told: &Forecast,
        status: Option<u16>,
        before: usize,
        texts: &[(String, String)],
        live: &[usize],
        mark: &JobMark,
    ) {
        let status = status.unwrap();
        let made = self.posts().len() > before;
        let context = || {
            let (now, posts) = (self.world.sandbox.now(), self.posts());
            format!("{now}: {mark} {status}, made: {made}, live before: {live:?} of {texts:?}, {told:?}, {posts:#?}")
        };
        assert_eq!(made, status == 201, "{}", context());
        let right = match told.effect {
            Effect::CannotTell => true,
            Effect::InProgress => status == 409 || status == 200,
            Effect::ReturnsExisting => status == 200,
            Effect::RefusedSameContent => status == 409,
            Effect::CreatesFirst | Effect::CreatesAgain | Effect::CreatesSecond => status == 201,
        };
        assert!(right && (told.effect == Effect::CannotTell || told.expects.contains(&status)), "{}", context());
        // A draft is live nowhere.
        let draft = told.because.iter().any(|because| because.code == Reason::Draft);
        let second = made && !draft && live.iter().any(|live| *live > 0);
        if told.risk == Risk::Safe {
            assert!(!second || told.action == Act::Submit, "called safe: {}", context());
        }
        if told.effect == Effect::CannotTell {
            assert!(told.because.iter().any(|because| because.code.leaves_open()), "{}", context());
            assert!(!second || told.risk == Risk::Blocked, "not blocked: {}", context());
        }
        if told.effect == Effect::CreatesAgain {
            assert!(!second, "no second one was foretold: {}", context());
        }
    }

    async fn words_of(&self, mark: &JobMark, accounts: &[reprise_core::ids::AccountId]) -> Vec<(String, String)> {
        let facts = job_facts::by_mark(self.world.store.pool(), mark).await.unwrap();
        let body = contents::get(self.world.store.pool(), &facts.body.unwrap()).await.unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap();
        let text = body["content"].as_str().unwrap().to_owned();
        accounts.iter().map(|account| (text.clone(), account.to_string())).collect()
    }

    async fn submit(&mut self, tally: &mut Tally) {
        let body = self.body();
        let (store, clock) = (&self.world.store, &self.world.clock);
        let plan = Plan::new(POSTS, None, &body, &self.world.connection);
        let told = plan.foretell(store, clock, &self.world.connection.contract).await.unwrap().forecast;
        tally.count(&told);
        // Equal words whose news we never had are beyond any forecast: they are heard before a new post is judged.
        let unheard = self.unheard.clone();
        if !unheard.is_empty() {
            for post in unheard {
                self.hear(&post).await;
            }
            return;
        }
        let named = if told.risk == Risk::Safe || self.dice.below(3) == 0 { told.effect } else { return };
        let before = self.posts().len();
        let faulty = self.maybe_fault();
        let (store, clock, connection) = (&self.world.store, &self.world.clock, &self.world.connection);
        let draft = Draft { path: POSTS.to_owned(), key: None, body, form: None };
        let view = submit(store, clock, connection, draft, Consent::Effect(named)).await.unwrap();
        self.pending = false;
        let near = told.because.iter().any(|because| because.code == Reason::NearContent);
        assert_eq!(view.judged.warnings.contains(&Warning::NearLivePost), near);
        self.jobs.push(view.facts.mark.clone());
        if !faulty {
            let status = view.facts.attempts[0].end.as_ref().and_then(|end| end.status);
            self.compare(&told, status, before, &[], &[], &view.facts.mark);
        }
    }
}

impl Tally {
    fn count(&mut self, told: &Forecast) {
        self.states += 1;
        *self.effects.entry(told.effect.word()).or_default() += 1;
        self.safe += usize::from(told.risk == Risk::Safe);
    }
}

async fn live_through(seed: u64, tally: &mut Tally) {
    let mut life = Life::start(seed).await;
    let goal = tally.states + LIFE;
    while tally.states < goal {
        match life.dice.below(6) {
            0 => life.pass().await,
            1 => life.happen().await,
            _ => life.step(tally).await,
        }
    }
    life.world.sandbox.stop().await;
}

fn number(name: &str, default: usize) -> usize {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[tokio::test]
async fn what_is_foretold_is_what_then_happens() {
    let states = number("REPRISE_FORECAST_STATES", STATES);
    let first = number("REPRISE_FORECAST_SEED", 1) as u64;
    let mut tally = Tally::default();
    for seed in KEPT.iter().copied().chain(first..) {
        if tally.states >= states {
            break;
        }
        println!("seed {seed}");
        live_through(seed, &mut tally).await;
    }
    let share = tally.effects.get("cannot_tell").copied().unwrap_or_default() * 100 / tally.states;
    println!("{tally:?}: cannot tell in {share} %");
    assert!(share < 60, "a forecast that cannot tell is no forecast");
}

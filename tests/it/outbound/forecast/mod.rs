//! The forecast against the sandbox: what it foretells is what then happens, or it says that it cannot tell, for a
//! reason on the list; and what it calls safe never makes a second live post. Random lives, half of them rough: few
//! words and two accounts, faults of every kind, targets that fail or go live, news that come late or never, clocks
//! that drift, days that pass, other workspaces, others that post.
//!
//! After every change several acts are foretold and looked up in the sandbox's rules (`Handle::glimpse`), and now and
//! then one is carried out, over real sockets and with all that guards it. Each is a state.
//!
//! `REPRISE_FORECAST_STATES` sets how many states are driven through, `REPRISE_FORECAST_SEED` which ones.
#![expect(clippy::print_stdout, reason = "a run by hand says how far it is and what it found")]

mod aside;
mod check;
mod dice;
mod life;

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    panic::{self, AssertUnwindSafe},
    sync::{
        Mutex,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use pozy_sandbox::Ask;
use reprise_core::{
    error::Code,
    outbound::{
        fetch,
        forecast::{Act, Effect, Forecast, Reason, Risk},
        foretell::{Consent, Foretold, Plan},
        outcome::Warning,
        resend::{self, Part},
        submit::{Draft, POSTS, submit},
        view::JobView,
    },
    pozy::answers::Meaning,
    store::{FILE, Store, job_facts},
};
use serde_json::{Value, json};

use super::world::{POST, World, t0};
use check::{Came, Scene, Verdict, compare};
use life::{Kept, Life, Look, Manner, id_of};

/// States in one run of the tests.
const STATES: usize = 10_000;
/// Changes in one life; then a new log and a new sandbox.
const CHANGES: usize = 36;
/// Acts that are foretold after a change.
const LOOKS: u64 = 8;
/// A life that takes longer has stalled.
const PATIENCE: Duration = Duration::from_secs(300);
/// Lives that may go wrong before no more are lived through.
const ENOUGH_WRONG: usize = 20;
/// Seeds that once showed a mistake.
const KEPT: &[u64] = &[
    1_000_033,
    77_000_071,
    200_000_023,
    300_000_023,
    300_000_151,
    400_000_056,
    400_000_121,
    400_000_200,
    500_000_057,
    500_001_235,
    500_001_647,
    600_000_367,
    600_000_421,
];

/// What was driven through, by manner.
#[derive(Debug, Default)]
struct Tally {
    states: usize,
    done: usize,
    safe: usize,
    /// Of messages, not of posts.
    messages: usize,
    /// Not sent, since Pozy said otherwise than the log, or foretold anew after a fetch.
    contradicted: usize,
    strangers: usize,
    effects: BTreeMap<&'static str, usize>,
    /// Why it could not be told: the first reason that leaves it open.
    open: BTreeMap<String, usize>,
}

impl Tally {
    fn count(&mut self, told: &Forecast) {
        self.states += 1;
        *self.effects.entry(told.effect.word()).or_default() += 1;
        self.safe += usize::from(told.risk == Risk::Safe);
        if told.effect == Effect::CannotTell {
            let why = told.because.iter().find(|because| because.code.leaves_open());
            *self.open.entry(why.map_or_else(|| "none".to_owned(), |why| format!("{:?}", why.code))).or_default() += 1;
        }
    }

    fn count_message(&mut self, told: &Forecast) {
        self.messages += 1;
        self.count(told);
    }

    fn add(&mut self, other: Self) {
        self.states += other.states;
        self.messages += other.messages;
        self.done += other.done;
        self.safe += other.safe;
        self.contradicted += other.contradicted;
        self.strangers += other.strangers;
        for (effect, times) in other.effects {
            *self.effects.entry(effect).or_default() += times;
        }
        for (why, times) in other.open {
            *self.open.entry(why).or_default() += times;
        }
    }

    /// The share of states that could not be told, in tenths of a percent.
    fn open_share(&self) -> usize {
        self.effects.get("cannot_tell").copied().unwrap_or_default() * 1_000 / self.states.max(1)
    }

    fn tell(&self, manner: Manner) {
        let share = |times: usize| {
            let tenths = times * 1_000 / self.states.max(1);
            format!("{}.{} %", tenths / 10, tenths % 10)
        };
        println!(
            "{manner:?}: {} states, {} of them carried out, {} of messages; safe {}, cannot tell {}; {} foretold anew after a fetch, {} \
             refused for a post nobody told of",
            self.states,
            self.done,
            self.messages,
            share(self.safe),
            share(self.effects.get("cannot_tell").copied().unwrap_or_default()),
            self.contradicted,
            self.strangers
        );
        self.effects.iter().for_each(|(effect, times)| println!("  {effect}: {times}"));
        self.open.iter().for_each(|(why, times)| println!("  cannot tell, {why}: {}", share(*times)));
    }
}

impl Life {
    /// Foretells an act and looks up what the sandbox would do.
    async fn look(&mut self, scene: &mut Scene, tally: &mut Tally) {
        let Look { mut plan, door, request_id } = self.plan().await;
        let mut told = self.foretell(&plan, door);
        if plan.act == Act::PostAgain && !told.accounts.is_empty() && self.dice.once_in(4) {
            plan = plan.only(Some(vec![self.dice.of(&told.accounts).clone()]));
            told = self.foretell(&plan, door);
        }
        let body = match plan.act {
            Act::PostAgain if told.accounts.is_empty() => return,
            Act::PostAgain => plan.body_for(&told.accounts).unwrap(),
            _ => plan.body.clone(),
        };
        if plan.act == Act::PostAgain {
            // What is confirmed is where it was said to go, whatever is told meanwhile.
            plan = plan.only(Some(told.accounts.clone()));
        }
        let ask = Ask {
            api_key: &self.doors[door].api_key,
            key: plan.key.as_deref().filter(|_| plan.act == Act::AskAgain),
            request_id: request_id.as_deref(),
            body: &body,
        };
        let seen = self.sandbox.glimpse(&ask);
        let fails = seen.fails.into_iter().map(|account| account.0).collect();
        let came = Came { status: seen.status, answer: seen.body, fails };
        let mut verdict = compare(&told.forecast, &came, scene, &body);
        // What is not safe is never sent on stored news: known posts are fetched, and the forecast is made once more.
        // What is safe may be refused for want of news, never doubled, and what it takes for its own is fetched too.
        let safe = told.forecast.risk == Risk::Safe;
        if matches!(verdict, Verdict::Wrong(_)) && (!safe || came.status != 201 || !told.taken.is_empty()) {
            tally.contradicted += 1;
            let wanted = if safe && came.status == 201 { told.taken } else { told.posts };
            for post in wanted {
                // What cannot be fetched is not sent either.
                if !self.hear(post.as_str()).await {
                    return;
                }
            }
            *scene = self.scene();
            told = self.foretell(&plan, door);
            verdict = compare(&told.forecast, &came, scene, &body);
        }
        match verdict {
            Verdict::Right => {}
            Verdict::Stranger => tally.strangers += 1,
            Verdict::Wrong(what) => self.fail(&what, scene, &body),
        }
        tally.count(&told.forecast);
    }

    fn fail(&self, what: &str, scene: &Scene, body: &[u8]) -> ! {
        let (sent, posts) = (String::from_utf8_lossy(body), Value::from(scene.posts.clone()));
        panic!("{}: {what}\nsent: {sent}\ntold: {}\nthere: {posts}", self.sandbox.now(), self.told());
    }

    fn foretell(&self, plan: &Plan, door: usize) -> Foretold {
        plan.foretell_written(&self.reader, self.clock.now(), &self.doors[door].connection.contract).unwrap()
    }

    /// Foretells, acts, and compares.
    async fn act(&mut self, tally: &mut Tally) {
        let own: Vec<Kept> = self.jobs.iter().filter(|job| !job.imported).cloned().collect();
        let (act, job) = match self.dice.below(4) {
            0 => (Act::Submit, None),
            1 => (Act::PostAgain, own.get(self.dice.below(own.len().max(1) as u64) as usize)),
            _ => (Act::AskAgain, own.get(self.dice.below(own.len().max(1) as u64) as usize)),
        };
        let door = job.map_or_else(|| self.door(), |job| job.door);
        let connection = &self.doors[door].connection;
        let plan = match job {
            Some(job) => Plan::on(&self.store, act, &job.mark, Some(connection), None).await.unwrap(),
            None => Plan::new(POSTS, None, &self.body(), &self.doors[door].connection),
        };
        let told = plan.foretell(&self.store, &self.clock, &self.doors[door].connection.contract).await.unwrap();
        // Half of what is not safe is sent all the same.
        if told.forecast.risk != Risk::Safe && self.dice.once_in(2) {
            return;
        }
        let consent = match told.forecast.risk {
            Risk::Safe => Consent::Safe,
            _ => Consent::Forecast(told.forecast.clone()),
        };
        let scene = self.scene();
        let before = scene.posts.len();
        let dead: BTreeSet<String> =
            scene.posts.iter().map(id_of).filter(|post| self.was_told_dead(post, &plan.body)).collect();
        self.maybe_fault();
        let (faulty, through) = (self.pending.is_some(), self.through(door));
        let tries = match job {
            Some(job) if plan.act == Act::AskAgain => self.view(job).await.facts.attempts.len(),
            _ => 0,
        };
        let done = match (plan.act, job) {
            (Act::AskAgain, Some(job)) => {
                resend::ask_again(&self.store, &self.clock, &through, &job.mark, consent).await
            }
            (Act::PostAgain, Some(job)) => {
                let why = "It is meant";
                resend::post_again(&self.store, &self.clock, &through, &job.mark, Part::default(), why, consent).await
            }
            _ => {
                let draft = Draft { path: POSTS.to_owned(), key: None, body: plan.body.clone(), form: None };
                submit(&self.store, &self.clock, &through, draft, consent).await
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
        self.pending = None;
        self.note_posts(door);
        if plan.act != Act::AskAgain {
            self.jobs.push(Kept { mark: view.facts.mark.clone(), door, imported: false });
        }
        let near = told.forecast.because.iter().any(|because| because.code == Reason::NearContent);
        // What is fetched first may tell why otherwise, as long as the same is foretold.
        let looked = told.forecast.risk != Risk::Safe && !told.posts.is_empty();
        let warned = view.judged.warnings.contains(&Warning::NearLivePost);
        assert!(plan.act != Act::Submit || looked || warned == near, "{told:?}");
        let status = view.facts.attempts.get(tries).and_then(|attempt| attempt.end.as_ref()).and_then(|end| end.status);
        if let Some(status) = status.filter(|_| !faulty) {
            let after = self.posts();
            assert_eq!(after.len() > before, status == 201);
            let body = plan.body_for(&told.accounts).unwrap_or(plan.body.clone());
            let made = after.get(before);
            let failed = made.into_iter().flat_map(|post| post["platforms"].as_array().unwrap());
            let fails = failed.filter(|target| target["status"] == "failed");
            let fails = fails.map(|target| target["accountId"].as_str().unwrap().to_owned()).collect();
            let sent = &view.facts.attempts[tries];
            let answer = match sent.meaning() {
                Some(Meaning::Conflict) => json!({"code": "idempotency_conflict"}),
                Some(Meaning::SameContent) => {
                    let in_the_way = sent.end.as_ref().and_then(|end| end.post.as_ref());
                    json!({"details": {"existingPostId": in_the_way}})
                }
                _ => Value::Null,
            };
            let came = Came { status, answer, fails };
            let revived = came.in_the_way().is_some_and(|post| dead.contains(post) && scene.counts(post, &body));
            match compare(&told.forecast, &came, &scene, &body) {
                Verdict::Right => {}
                Verdict::Stranger => tally.strangers += 1,
                // A new post that is safe is sent without a fetch. It may be refused for one thing alone: a post that the
                // log was told is not live, and that went live since without a word.
                Verdict::Wrong(_) if plan.act == Act::Submit && status == 409 && revived => tally.contradicted += 1,
                Verdict::Wrong(what) => self.fail(&what, &scene, &body),
            }
            tally.done += 1;
            tally.count(&told.forecast);
        }
        self.sandbox.advance(Duration::ZERO).await.unwrap();
    }

    async fn view(&self, job: &Kept) -> JobView {
        let facts = job_facts::by_mark(self.store.pool(), &job.mark).await.unwrap();
        JobView::of(&self.store, &self.clock, &self.doors[job.door].connection.contract, facts).await.unwrap()
    }
}

async fn live_through(seed: u64, empty: &std::path::Path) -> (Manner, Tally) {
    let mut tally = Tally::default();
    let mut life = Life::start(seed, empty).await;
    for _ in 0..CHANGES {
        match life.dice.below(7) {
            0 => life.pass().await,
            1 => life.happen().await,
            2 if life.dice.once_in(2) => life.others_post().await,
            3 | 4 if life.manner == Manner::Twins => life.happen().await,
            _ => life.act(&mut tally).await,
        }
        life.aside(&mut tally).await;
        let mut scene = life.scene();
        for _ in 0..LOOKS {
            life.look(&mut scene, &mut tally).await;
        }
    }
    let manner = life.manner;
    life.end().await;
    (manner, tally)
}

fn number(name: &str, default: usize) -> usize {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Lives through the kept seeds and then through those from `first` on, on every core, until `states` are behind it.
///
/// # Panics
/// In the end, if any life went wrong; the seeds of those are named.
fn drive(states: usize, first: u64) -> BTreeMap<Manner, Tally> {
    let whole = Mutex::new(BTreeMap::<Manner, Tally>::new());
    let wrong = Mutex::new(Vec::new());
    let (next, behind) = (AtomicU64::new(0), AtomicUsize::new(0));
    let work = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let empty = tempfile::tempdir_in(life::in_memory()).unwrap();
        runtime.block_on(async { Store::open(empty.path()).await.unwrap().close().await });
        while behind.load(Ordering::Relaxed) < states && wrong.lock().unwrap().len() < ENOUGH_WRONG {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            let kept = usize::try_from(turn).ok().and_then(|turn| KEPT.get(turn)).copied();
            let seed = kept.unwrap_or_else(|| first + turn - KEPT.len() as u64);
            let life = async { tokio::time::timeout(PATIENCE, live_through(seed, empty.path())).await };
            let lived = panic::catch_unwind(AssertUnwindSafe(|| runtime.block_on(life)));
            let Ok(Ok((manner, tally))) = lived else {
                println!("the life of seed {seed} {}", if lived.is_ok() { "stalled" } else { "went wrong" });
                wrong.lock().unwrap().push(seed);
                continue;
            };
            let before = behind.fetch_add(tally.states, Ordering::Relaxed);
            if before / 50_000 < (before + tally.states) / 50_000 {
                println!("{} states", before + tally.states);
            }
            whole.lock().unwrap().entry(manner).or_default().add(tally);
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(work);
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "REPRISE_FORECAST_SEED shows each of these: {wrong:?}");
    whole.into_inner().unwrap()
}

#[test]
fn what_is_foretold_is_what_then_happens() {
    let states = number("REPRISE_FORECAST_STATES", STATES);
    let tallies = drive(states, number("REPRISE_FORECAST_SEED", 1) as u64);
    for (manner, tally) in &tallies {
        tally.tell(*manner);
    }
    assert!(tallies.values().map(|tally| tally.states).sum::<usize>() >= states);
    assert!(tallies.values().all(|tally| tally.done > 0 && tally.safe > 0), "{tallies:?}");
    assert!(tallies[&Manner::Everyday].open_share() < 400, "a forecast that cannot tell is no forecast");
}

/// A clock that stood ahead and was set back: what counts is what the newest answer says.
#[tokio::test]
async fn a_clock_that_was_set_back_is_measured_anew() {
    let world = World::start().await;
    world.clock.set(t0().plus_seconds(10_000));
    let post = world.submit(POST).await.unwrap().judged.post.unwrap();
    let ahead = || -> i64 {
        let log = rusqlite::Connection::open(world.dir.path().join(FILE)).unwrap();
        log.query_row("SELECT ahead_ns / 1000000000 FROM clocks", [], |row| row.get(0)).unwrap()
    };
    assert_eq!(ahead(), -10_000);
    world.clock.set(t0());
    fetch::fetch(&world.store, &world.clock, &world.connection, &post).await.unwrap();
    assert_eq!(ahead(), 0);
}

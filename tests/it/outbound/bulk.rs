//! Many jobs at once: the morning after an outage, row by row, and what holds a bulk back.

use std::{collections::BTreeMap, time::Duration};

use pozy_sandbox::{AccountId as TargetAccount, Deed, PostId as TargetPost, TargetChange, TargetStatus};
use reprise_core::{
    error::Code,
    ids::{JobMark, PostId},
    outbound::{
        bulk::{
            Bulk, Row, State,
            came::RowState,
            filter::{Filter, Kind},
            group::Group,
            plan,
            report::{self, Account},
            run::{self, Choice, Run},
        },
        fetch,
        forecast::Effect,
        foretell::Consent,
        outcome::State as JobState,
        resend, sender,
    },
    store::{bulks, job_facts, waits},
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::world::World;
use crate::wait;

const H: u64 = 3_600;

/// Texts that are far from each other.
const TEXTS: [&str; 12] = [
    "Choir rehearsal moves to Tuesday evening",
    "Box office closes early at six",
    "Winter menu: a first look at soups",
    "Lost near the pier, one grey mitten",
    "Buses run late back into town",
    "Friday reading list, fourteen books",
    "We are hiring a stage manager now",
    "Parking during the fair is free",
    "Harbour lights on opening night",
    "Market day brings forty stalls",
    "Thank you, dear volunteers, all of you",
    "Sound check is public this year",
];

fn post(text: &str, accounts: &[&str]) -> String {
    let platforms: Vec<Value> =
        accounts.iter().map(|account| json!({"platform": "linkedin", "accountId": account})).collect();
    json!({"content": text, "platforms": platforms, "publishNow": true}).to_string()
}

fn status(status: u16, retry_after: Option<u64>, code: Option<&str>) -> Deed {
    Deed::Status {
        status,
        retry_after: retry_after.map(Into::into),
        code: code.map(str::to_owned),
        body: None,
        headers: BTreeMap::new(),
    }
}

impl World {
    async fn lost(&self, text: &str) -> JobMark {
        self.fault(Deed::CutAfter, 1);
        let view = self.submit(&post(text, &["ac_li"])).await.unwrap();
        view.facts.mark
    }

    /// A post that was made, and whose targets then came to stand so; heard by a fetch.
    async fn made(&self, text: &str, targets: &[(&str, TargetStatus)]) -> (JobMark, PostId) {
        let accounts: Vec<&str> = targets.iter().map(|(account, _)| *account).collect();
        let view = self.submit(&post(text, &accounts)).await.unwrap();
        let made = view.judged.post.expect("a post");
        // Of two states told of one instant nobody knows which came first.
        self.pass(20).await;
        for (account, status) in targets {
            self.set_target(&made, account, *status);
        }
        self.hear(&made).await;
        (view.facts.mark, made)
    }

    fn set_target(&self, made: &PostId, account: &str, status: TargetStatus) {
        let change = TargetChange {
            post: Some(TargetPost(made.to_string())),
            text: None,
            account: TargetAccount(account.to_owned()),
            status,
            error: None,
        };
        self.sandbox.target(change).unwrap();
    }

    async fn hear(&self, post: &PostId) {
        fetch::fetch(&self.store, &self.clock, &self.connection, post).await.unwrap();
    }

    /// Somebody posts these words without us, and we hear of it.
    async fn elsewhere(&self, text: &str) {
        let answer = reqwest::Client::new()
            .post(format!("{}/v1/posts", self.sandbox.url()))
            .bearer_auth(self.sandbox.api_key())
            .header("content-type", "application/json")
            .body(post(text, &["ac_li"]))
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 201);
        let body: Value = answer.json().await.unwrap();
        let made = PostId::new(body["post"]["_id"].as_str().unwrap());
        self.set_target(&made, "ac_li", TargetStatus::Published);
        self.hear(&made).await;
    }

    async fn plan(&self, filter: Filter) -> Bulk {
        plan::plan(&self.store, &self.clock, &self.connection, filter, 3).await.unwrap()
    }

    async fn rows(&self, bulk: &Bulk) -> Vec<Row> {
        bulks::rows(self.store.pool(), bulk.id).await.unwrap()
    }

    async fn groups(&self, bulk: &Bulk) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for row in self.rows(bulk).await {
            *counts.entry(row.group.word()).or_default() += 1;
        }
        counts
    }

    async fn begin(&self, bulk: &Bulk, choices: &[Choice]) -> Run {
        let (store, clock, connection) = (&self.store, &self.clock, &self.connection);
        Run::begin(store, clock, connection, &bulk.mark, choices.to_vec(), None).await.unwrap()
    }

    async fn account(&self, bulk: &Bulk) -> Account {
        let bulk = bulks::by_mark(self.store.pool(), &bulk.mark).await.unwrap();
        let lines = bulks::lines(self.store.pool(), &bulk).await.unwrap();
        let held = waits::held_until(self.store.pool(), bulk.workspace).await.unwrap();
        report::account(&lines, bulk.at_once, held.filter(|until| *until > self.clock.now()), self.clock.now())
    }

    async fn tries(&self, job: &JobMark) -> usize {
        self.view(job).await.facts.attempts.len()
    }

    async fn all_tries(&self) -> usize {
        let jobs = job_facts::ascending(self.store.pool(), None, 500).await.unwrap();
        jobs.iter().map(|facts| facts.attempts.len()).sum()
    }
}

fn run_all() -> Vec<Choice> {
    let because = |group: Group| group.needs_reason().then(|| "The outage swallowed it".to_owned());
    let groups = Group::ALL.into_iter().filter(|group| group.deed().is_some());
    groups.map(|group| Choice { group, reason: because(group) }).collect()
}

/// The twelve jobs of the morning; both clocks stand at 26 h afterwards.
struct Morning {
    world: World,
    unknown: Vec<JobMark>,
    long_unknown: Vec<JobMark>,
    failed: JobMark,
    live: (JobMark, PostId),
}

impl Morning {
    async fn break_of_day() -> Self {
        let world = World::start().await;
        let mut long_unknown = Vec::new();
        for text in &TEXTS[..2] {
            long_unknown.push(world.lost(text).await);
        }
        world.pass(12 * H).await;
        let mut unknown = Vec::new();
        for text in &TEXTS[2..5] {
            unknown.push(world.lost(text).await);
        }
        let (failed, _) = world.made(TEXTS[5], &[("ac_li", TargetStatus::Failed)]).await;
        let live = world.made(TEXTS[6], &[("ac_li", TargetStatus::Failed)]).await;
        for text in &TEXTS[7..9] {
            world.made(text, &[("ac_li", TargetStatus::Failed)]).await;
        }
        world.made(TEXTS[10], &[("ac_li", TargetStatus::Published), ("ac_ig", TargetStatus::Failed)]).await;
        world.fault(status(400, None, None), 1);
        world.submit(&post(TEXTS[11], &["ac_li"])).await.unwrap();
        world.fault(Deed::CutBefore, 1);
        let conflict = world.submit(&post(TEXTS[9], &["ac_li"])).await.unwrap().facts.mark;
        world.pass(H).await;
        for text in &TEXTS[7..9] {
            world.elsewhere(text).await;
        }
        // It went live after it had failed, and nobody told us.
        world.set_target(&live.1, "ac_li", TargetStatus::Published);
        world.pass(13 * H - 60).await;
        world.fault(status(409, Some(600), Some("idempotency_conflict")), 1);
        resend::ask_again(&world.store, &world.clock, &world.connection, &conflict, Consent::Safe).await.unwrap();
        world.pass(60).await;
        Self { world, unknown, long_unknown, failed, live }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_morning_after_an_outage() {
    let Morning { world, unknown, long_unknown, failed, live } = Morning::break_of_day().await;
    let posts = world.posts();

    let bulk = world.plan(Filter::default()).await;
    let expected = BTreeMap::from([
        ("ask_again", 3),
        ("look_first", 2),
        ("fetch_first", 2),
        ("elsewhere", 2),
        ("wait", 1),
        ("failed_targets", 1),
        ("fix_first", 1),
    ]);
    assert_eq!(world.groups(&bulk).await, expected, "all twelve, whatever a page shows");
    let page = async |group, after, limit| {
        let rows = bulks::page(world.store.pool(), bulk.id, group, after, limit).await.unwrap();
        rows.iter().map(|row| row.n).collect::<Vec<_>>()
    };
    assert_eq!(page(None, 0, 5).await, [1, 2, 3, 4, 5]);
    assert_eq!(page(None, 10, 5).await, [11, 12]);
    assert_eq!(page(Some(Group::LookFirst), 0, 5).await, [1, 2]);
    assert_eq!(page(Some(Group::LookFirst), 1, 1).await, [2]);
    let before = world.all_tries().await;
    assert_eq!(bulk.state, State::Planned);

    let bulk = plan::fetch_first(&world.store, &world.clock, &world.connection, &bulk.mark).await.unwrap();
    let rows = world.rows(&bulk).await;
    let group = |mark: &JobMark| rows.iter().find(|row| row.mark == *mark).map(|row| row.group);
    assert_eq!((group(&live.0), group(&failed)), (Some(Group::AlreadyLive), Some(Group::PostAgain)));
    assert!(long_unknown.iter().all(|mark| group(mark) == Some(Group::LookFirst)));
    assert_eq!((world.posts(), world.all_tries().await), (posts, before), "a dry run sends nothing");

    // The fourth call is told to wait, and with it everything.
    world.fault(Deed::Pass, 3);
    world.fault(status(429, Some(30), None), 1);
    let (stop, run) = (CancellationToken::new(), world.begin(&bulk, &run_all()).await);
    let busy = Run::begin(&world.store, &world.clock, &world.connection, &bulk.mark, vec![], None).await.err();
    assert_eq!(busy.map(|no| no.code), Some(Code::Busy), "one runner a bulk");
    let task = tokio::spawn({
        let stop = stop.clone();
        async move { run.to_the_end(&stop).await }
    });
    // At most two were on the wire beside the one that was told to wait.
    let mut quiet = 0;
    let mut held = world.account(&bulk).await;
    while quiet < 4 {
        tokio::time::sleep(Duration::from_millis(150)).await;
        let now = world.account(&bulk).await;
        quiet = if now.open == 1 && now == held { quiet + 1 } else { 0 };
        held = now;
    }
    let sent = world.all_tries().await;
    assert!((4..=5).contains(&(sent - before)), "{sent} - {before}: nothing is sent while Pozy asks to wait");
    assert!(held.left_ms.is_some_and(|ms| ms >= 30_000), "the wait is in the time left: {held:?}");

    // The program closes meanwhile, and goes on after the wait without repeating a row.
    stop.cancel();
    assert_eq!(task.await.unwrap().unwrap(), State::Paused);
    let over = world.account(&bulk).await.over;
    let run = world.begin(&bulk, &[]).await;
    world.pass(29).await;
    let task = tokio::spawn(async move { run.to_the_end(&CancellationToken::new()).await });
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!((world.all_tries().await, world.account(&bulk).await.over), (sent, over), "29 s are not 30");
    world.pass(2).await;
    assert_eq!(task.await.unwrap().unwrap(), State::Done);

    let account = world.account(&bulk).await;
    assert_eq!((account.of, account.as_foretold, account.left_alone), (6, 6, 6), "{:#?}", world.rows(&bulk).await);
    assert_eq!((account.posts_created, account.second_live), (2, 0));
    assert_eq!(world.posts(), posts + 2, "one reposted failure, one failed target");
    for mark in &unknown {
        assert_eq!(world.tries(mark).await, 2, "each was asked once");
    }
    for row in world.rows(&bulk).await.iter().filter(|row| row.group == Group::AskAgain) {
        assert_eq!(row.actual.as_ref().unwrap().effect, Some(Effect::ReturnsExisting));
    }

    // The same bulk once more, and a new one of the same filter, make nothing.
    let (run, tries) = (world.begin(&bulk, &run_all()).await, world.all_tries().await);
    assert_eq!(run.to_the_end(&CancellationToken::new()).await.unwrap(), State::Done);
    let again = world.plan(Filter::default()).await;
    let expected = BTreeMap::from([("look_first", 2), ("elsewhere", 2), ("wait", 1), ("fix_first", 1)]);
    assert_eq!(world.groups(&again).await, expected);
    let run = world.begin(&again, &run_all()).await;
    assert_eq!(run.to_the_end(&CancellationToken::new()).await.unwrap(), State::Done);
    assert_eq!((world.posts(), world.all_tries().await), (posts + 2, tries));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_was_not_foretold_stops_the_rest() {
    let world = World::start().await;
    let mut jobs = Vec::new();
    for text in &TEXTS[..6] {
        jobs.push(world.lost(text).await);
    }
    world.pass(2 * H).await;
    let bulk = plan::plan(&world.store, &world.clock, &world.connection, Filter::default(), 1).await.unwrap();
    world.fault(Deed::Pass, 2);
    world.fault(status(403, None, None), 1);
    let run = world.begin(&bulk, &run_all()).await;
    assert_eq!(run.to_the_end(&CancellationToken::new()).await.unwrap(), State::Differs);
    let account = world.account(&bulk).await;
    assert_eq!((account.as_foretold, account.differed, account.over), (2, 1, 3), "three were never begun");
    let why = bulks::by_mark(world.store.pool(), &bulk.mark).await.unwrap().why.unwrap();
    assert!(why.contains(jobs[2].as_str()) && why.contains("otherwise"), "{why}");

    // A person looked, and says that it goes on: what is over stays over.
    let run = world.begin(&bulk, &[]).await;
    assert_eq!(run.to_the_end(&CancellationToken::new()).await.unwrap(), State::Done);
    assert_eq!(world.account(&bulk).await.as_foretold, 5);
    assert_eq!(world.tries(&jobs[2]).await, 2, "the one that differed is not asked once more");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_holds_a_bulk_and_ends_it() {
    let world = World::start().await;
    for text in &TEXTS[..4] {
        world.lost(text).await;
    }
    world.pass(2 * H).await;
    let bulk = world.plan(Filter::default()).await;
    let no = Run::begin(&world.store, &world.clock, &world.connection, &bulk.mark, vec![], None).await.err();
    assert_eq!(no.map(|no| no.code), Some(Code::Usage), "nothing was decided");
    world.fault(status(429, Some(60), None), 1);
    let run = world.begin(&bulk, &run_all()).await;
    let task = tokio::spawn(async move { run.to_the_end(&CancellationToken::new()).await });
    let tries = world.all_tries().await;
    while world.all_tries().await == tries {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    run::pause(&world.store, &bulk.mark).await.unwrap();
    assert_eq!(task.await.unwrap().unwrap(), State::Paused);
    let ended = run::stop(&world.store, &bulk.mark).await.unwrap();
    assert_eq!(ended.state, State::Stopped);
    let no = Run::begin(&world.store, &world.clock, &world.connection, &bulk.mark, run_all(), None).await.err();
    assert_eq!(no.map(|no| no.code), Some(Code::Refused), "what was ended stays ended");
    assert!(run::pause(&world.store, &bulk.mark).await.is_err());
}

#[tokio::test]
async fn new_posts_need_a_reason_and_what_is_blocked_never_runs() {
    let Morning { world, .. } = Morning::break_of_day().await;
    let bulk = world.plan(Filter::default()).await;
    let begin = async |group, reason: Option<&str>| {
        let choice = Choice { group, reason: reason.map(str::to_owned) };
        Run::begin(&world.store, &world.clock, &world.connection, &bulk.mark, vec![choice], None).await.map(drop)
    };
    for (group, reason) in [
        (Group::FailedTargets, None),
        (Group::FailedTargets, Some("  ")),
        (Group::LookFirst, Some("I know better")),
        (Group::FetchFirst, Some("I know better")),
        (Group::Elsewhere, Some("I know better")),
        (Group::LeftOut, Some("I know better")),
    ] {
        assert_eq!(begin(group, reason).await.unwrap_err().code, Code::Usage, "{group:?}");
    }
    let bulk = bulks::by_mark(world.store.pool(), &bulk.mark).await.unwrap();
    assert_eq!((bulk.state, bulk.chosen.len()), (State::Planned, 0));
}

#[tokio::test]
async fn a_row_whose_forecast_changed_sends_nothing_and_the_rest_goes_on() {
    let world = World::start().await;
    let first = world.lost(TEXTS[0]).await;
    let second = world.lost(TEXTS[1]).await;
    world.pass(2 * H).await;
    let bulk = world.plan(Filter::default()).await;
    // It is settled by hand after the dry run.
    resend::ask_again(&world.store, &world.clock, &world.connection, &first, Consent::Safe).await.unwrap();
    let run = world.begin(&bulk, &run_all()).await;
    assert_eq!(run.to_the_end(&CancellationToken::new()).await.unwrap(), State::Done);
    let rows = world.rows(&bulk).await;
    assert_eq!(rows.iter().map(|row| row.state).collect::<Vec<_>>(), [RowState::Changed, RowState::Done]);
    assert_eq!((world.tries(&first).await, world.tries(&second).await), (2, 2));
}

#[tokio::test]
async fn a_filter_takes_what_it_says_from_the_whole_log() {
    let Morning { world, failed, unknown, .. } = Morning::break_of_day().await;
    let count = async |filter: Filter| world.rows(&world.plan(filter).await).await.len();
    assert_eq!(count(Filter { since_h: Some(20), ..Filter::default() }).await, 10, "not those of 26 h ago");
    assert_eq!(count(Filter { kinds: vec![Kind::Failed], ..Filter::default() }).await, 4);
    assert_eq!(count(Filter { kinds: vec![Kind::PartlyLive, Kind::Stopped], ..Filter::default() }).await, 2);
    assert_eq!(count(Filter { text: Some("FAIR".to_owned()), ..Filter::default() }).await, 1);
    assert_eq!(count(Filter { text: Some("100%".to_owned()), ..Filter::default() }).await, 0);
    assert_eq!(count(Filter { account: Some("ac_ig".to_owned()), ..Filter::default() }).await, 1);
    let these = vec![unknown[0].to_string(), failed.to_string(), unknown[0].to_string()];
    assert_eq!(count(Filter { jobs: these, ..Filter::default() }).await, 2, "these jobs, each once");
    let nobody = Filter { jobs: vec!["job_nobody".to_owned()], ..Filter::default() };
    let no = plan::plan(&world.store, &world.clock, &world.connection, nobody, 3).await.unwrap_err();
    assert_eq!(no.code, Code::NotFound);
}

/// Being told to slow down holds for the connection, also for posts that wait by themselves (R13).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_is_told_to_wait_holds_back_all_that_wait() {
    let world = World::start().await;
    world.fault(status(503, Some(2), None), 1);
    let soon = world.submit(&post(TEXTS[0], &["ac_li"])).await.unwrap().facts.mark;
    world.fault(status(429, Some(60), None), 1);
    let later = world.submit(&post(TEXTS[1], &["ac_li"])).await.unwrap().facts.mark;
    let sender = sender::start(world.store.clone(), world.clock.clone(), world.connection.clone());
    world.pass(30).await;
    tokio::time::sleep(Duration::from_millis(800)).await;
    assert_eq!((world.tries(&soon).await, world.tries(&later).await), (1, 1), "due long since, and held");
    world.pass(31).await;
    for mark in [&soon, &later] {
        world.until(mark, JobState::Done).await;
    }
    sender.stop().await;
    wait::until("two posts", || if world.posts() == 2 { Ok(()) } else { Err(world.posts()) }).await;
}

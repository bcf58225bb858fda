//! One random life: a log, a sandbox with several doors to it, posts and time. News come by webhook, by fetch, late or
//! never; clocks drift; keys run out; others post too.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    net::SocketAddr,
    path::Path,
    sync::Arc,
    time::Duration,
};

use pozy_sandbox::{
    AccountId as TargetAccount, Contract as Rules, Deed, Fault, Handle, Options, Pace, PostId as TargetPost, Sandbox,
    TargetChange, TargetStatus, WorkspaceId as TargetWorkspace,
};
use reprise_core::{
    clock::{Clock, Moment},
    error::Code,
    ids::{ImportId, JobMark, PostId},
    inbound::listener::{Receiver, Setup},
    outbound::{
        connection::Connection,
        fetch,
        forecast::{Act, words::Words},
        foretell::Plan,
        job::EndKind,
        submit::POSTS,
    },
    pozy::client::{Order, Sent},
    secrets::Secret,
    store::{
        FILE, Store,
        attempts::{self, ImportedAttempt},
        job_facts,
        jobs::NewEnd,
    },
};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    super::world::{connect, t0},
    aside::Family,
    check::{Scene, Told},
    dice::Dice,
};

/// How a life goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Manner {
    /// As it goes with most people: many different words, few faults, news that come.
    Everyday,
    /// Limits, doubles, lost answers and lost news one after the other.
    Rough,
    /// Nearly equal words alone, on targets that fail and go live again without a word to the log.
    Twins,
}

impl Manner {
    /// How the life of a seed goes.
    pub(super) const fn of(seed: u64) -> Self {
        match seed % 8 {
            0 => Self::Twins,
            2 | 4 | 6 => Self::Everyday,
            _ => Self::Rough,
        }
    }
}

/// One way into the sandbox.
pub(super) struct Door {
    pub(super) connection: Connection,
    pub(super) api_key: String,
}

/// How far back the words of messages surely are looked through, hours: a day more than Pozy looks for the same content,
/// less what clocks may differ by.
const LOOKED_THROUGH_H: i64 = 44;

/// How long an answer is waited for where the sandbox was told not to give one.
const IMPATIENT: Duration = Duration::from_millis(60);

const NEAR: [&str; 4] = [
    "Plums are in, come before noon.",
    "Plums are in, come before noon!",
    "The kiln is hot tonight.",
    "Rye on Friday, early.",
];
const WHAT: [&str; 6] = ["Plums", "Lanterns", "The late ferry", "Rye bread", "Clay workshop", "The reading room"];
const WHEN: [&str; 5] = ["from noon", "on Saturday at ten", "until the stalls close", "every evening", "again in May"];

pub(super) struct Life {
    _dir: TempDir,
    pub(super) store: Store,
    pub(super) clock: Clock,
    pub(super) sandbox: Handle,
    pub(super) doors: Vec<Door>,
    pub(super) reader: rusqlite::Connection,
    pub(super) manner: Manner,
    pub(super) dice: Dice,
    pub(super) jobs: Vec<Kept>,
    /// Chance for what goes on beside the posts.
    pub(super) side: Dice,
    pub(super) messages: Vec<Family>,
    /// A fault waits for the next message.
    pub(super) struck: bool,
    /// A fault waits for the next request; true if its answer will not come while anybody waits.
    pub(super) pending: Option<bool>,
    receiver: Option<Receiver>,
    /// Our clock less the sandbox's, seconds.
    skew: i64,
    /// The door each post came through.
    came: HashMap<String, usize>,
    foreign: u32,
    /// Targets that were live and are not any more.
    taken_down: HashSet<(String, String)>,
    /// Looks at jobs by mark, by whether they ask again, and by door.
    looks: HashMap<(String, bool, usize), Look>,
}

/// A job with the door it belongs to.
#[derive(Clone)]
pub(super) struct Kept {
    pub(super) mark: JobMark,
    pub(super) door: usize,
    /// Told by a file: never sent from here.
    pub(super) imported: bool,
}

impl Life {
    /// `empty` is a folder with a log that holds nothing.
    pub(super) async fn start(seed: u64, empty: &Path) -> Self {
        let mut dice = Dice::new(seed);
        let manner = Manner::of(seed);
        let rough = manner == Manner::Rough;
        let rules = Rules { one_repeat_refuses_all: !(rough && dice.once_in(4)), ..Rules::default() };
        let now = Some(t0().utc());
        let options = Options { pace: Pace::Manual, now, seed: Some(seed), contract: rules, ..Options::default() };
        let sandbox = Sandbox::start(options).await.unwrap();
        let dir = tempfile::tempdir_in(in_memory()).unwrap();
        std::fs::copy(empty.join(FILE), dir.path().join(FILE)).unwrap();
        let store = Store::open(dir.path()).await.unwrap();
        let clock = Clock::standing(t0());
        let mut doors = Vec::new();
        let mut api_keys = vec![sandbox.api_key().to_owned()];
        if rough && dice.once_in(2) {
            // A second key of the first workspace, and another workspace.
            api_keys.push(sandbox.add_api_key(Some(TargetWorkspace("ws_1".into()))).unwrap().1);
            api_keys.push(sandbox.add_api_key(None).unwrap().1);
        }
        for api_key in api_keys {
            let connection = connect(&store, &clock, sandbox.url(), &api_key).await;
            doors.push(Door { connection, api_key });
        }
        store
            .write(|log| Ok(log.execute("INSERT INTO imports (id, at_ns, file) VALUES (1, 0, 'theirs.jsonl')", [])?))
            .await
            .unwrap();
        let receiver = if manner == Manner::Twins || rough && dice.once_in(2) {
            None
        } else {
            let secret = Secret::new(sandbox.webhook_secret()).unwrap();
            let setup = Setup::new(SocketAddr::from(([127, 0, 0, 1], 0)), vec![secret.clone()]);
            let contract = Arc::clone(&doors[0].connection.contract);
            let receiver = Receiver::start(store.clone(), clock.clone(), contract, setup).await.unwrap();
            let client = &doors[0].connection.client;
            client.register_webhook("Here", receiver.url(), Some(&secret), &[]).await.unwrap();
            Some(receiver)
        };
        let reader = rusqlite::Connection::open(dir.path().join(FILE)).unwrap();
        let mut life = Self {
            _dir: dir,
            store,
            clock,
            sandbox,
            doors,
            reader,
            manner,
            dice,
            jobs: Vec::new(),
            side: Dice::new(!seed),
            messages: Vec::new(),
            struck: false,
            pending: None,
            receiver,
            skew: 0,
            came: HashMap::new(),
            foreign: 0,
            taken_down: HashSet::new(),
            looks: HashMap::new(),
        };
        if life.doors.len() == 1 && life.dice.once_in(2) {
            life.skew = *life.dice.of(if rough { &[-600, 900, -7_200, 10_000] } else { &[-40, 3, 90] });
            life.set_clock();
        }
        life
    }

    pub(super) async fn end(self) {
        if let Some(receiver) = self.receiver {
            receiver.stop().await.unwrap();
        }
        self.sandbox.stop().await;
        drop(self.reader);
        self.store.close().await;
    }

    fn there(&self) -> Moment {
        Moment::of(&self.sandbox.now()).unwrap()
    }

    fn set_clock(&self) {
        self.clock.set(self.there().plus_seconds(self.skew));
    }

    /// Time goes by. Our clock goes first, so that no delivery on the way comes before it happened.
    pub(super) async fn pass(&mut self) {
        let minutes = match self.manner {
            Manner::Rough => *self.dice.of(&[1, 7, 40, 180, 500, 1_000, 1_425, 1_439, 1_445, 1_470, 1_600]),
            Manner::Everyday | Manner::Twins => {
                let most = *self.dice.of(&[5, 30, 120, 600, 1_500, 3_000]);
                1 + self.dice.below(most)
            }
        };
        let by = Duration::from_secs(minutes * 60 + self.dice.below(60));
        if self.manner == Manner::Rough && self.dice.once_in(3) {
            self.trouble_with_the_mail();
        }
        self.clock.set(self.there().plus_seconds(self.skew + i64::try_from(by.as_secs()).unwrap()));
        self.sandbox.advance(by).await.unwrap();
        let known: Vec<String> = self.heard_of().whole.into_iter().map(|(post, _)| post).collect();
        if self.manner == Manner::Rough && self.doors.len() == 1 && self.dice.once_in(8) && !known.is_empty() {
            let before = std::mem::replace(&mut self.skew, *self.dice.of(&[0, 0, -600, 900, -7_200, 10_000]));
            self.set_clock();
            // Skew is measured by the answers of each workspace; between two of them nobody can know of it.
            let post = self.dice.of(&known).clone();
            if !self.hear(&post).await {
                self.skew = before;
            }
        }
        self.set_clock();
    }

    fn trouble_with_the_mail(&mut self) {
        let deed = match self.dice.below(4) {
            0 => Deed::Drop,
            1 => Deed::Hold { seconds: 7_200.0 },
            2 => Deed::Copies { copies: 2 },
            _ => Deed::WrongSignature,
        };
        self.sandbox.fault(Fault { on: "delivery".to_owned(), deed, times: 2, event: None, account: None }).unwrap();
    }

    pub(super) fn text(&mut self) -> String {
        if self.manner == Manner::Twins {
            return format!("Plums are in, come before {}:00.", 10 + self.dice.below(8));
        }
        if self.manner == Manner::Rough || self.dice.once_in(12) {
            return (*self.dice.of(&NEAR)).to_owned();
        }
        format!("{} {}.", self.dice.of(&WHAT), self.dice.of(&WHEN))
    }

    pub(super) fn body(&mut self) -> Vec<u8> {
        let rough = self.manner == Manner::Rough;
        let accounts = *self.dice.of(&["ac_li", "ac_ig", "ac_li ac_ig", "ac_li"]);
        let mut platforms: Vec<Value> =
            accounts.split(' ').map(|account| json!({"platform": "linkedin", "accountId": account})).collect();
        if rough && self.dice.once_in(10) {
            platforms[0]["customContent"] = self.text().into();
        }
        let mut body = json!({"content": self.text(), "platforms": platforms});
        if rough && self.dice.once_in(10) {
            body["mediaItems"] = json!([{"type": "image", "url": "https://pictures.example/kiln.png"}]);
        }
        let ahead = *self.dice.of(&[0, 0, 30, 600, 3_000, 20_000]);
        match (ahead, self.dice.below(if rough { 12 } else { 40 })) {
            (_, 0) => body["isDraft"] = true.into(),
            (0, _) => body["publishNow"] = true.into(),
            (minutes, _) => body["scheduledFor"] = self.there().plus_seconds(minutes * 60).to_string().into(),
        }
        body.to_string().into_bytes()
    }

    /// A door: nearly always the first.
    pub(super) fn door(&mut self) -> usize {
        if self.doors.len() > 1 && self.dice.once_in(6) { 1 + usize::from(self.dice.once_in(2)) } else { 0 }
    }

    /// Puts a fault in the way of the next request, or not, unless one waits there already.
    pub(super) fn maybe_fault(&mut self) {
        if self.pending.is_some() {
            return;
        }
        let status = |status| Deed::Status {
            status,
            retry_after: Some(json!(3)),
            code: None,
            body: None,
            headers: BTreeMap::new(),
        };
        let deed = match self.dice.below(if self.manner == Manner::Rough { 14 } else { 60 }) {
            0 | 1 => Deed::CutAfter,
            2 => Deed::CutBefore,
            3 => status(503),
            4 => status(*self.dice.of(&[400, 408, 429, 500, 302])),
            5 => Deed::Slow { seconds: *self.dice.of(&[20.0, 400.0, 4_000.0]) },
            _ => return,
        };
        self.pending = Some(matches!(deed, Deed::Slow { .. }));
        self.strike(deed);
    }

    fn strike(&self, deed: Deed) {
        let fault = Fault { on: format!("POST {POSTS}"), deed, times: 1, event: None, account: None };
        self.sandbox.fault(fault).unwrap();
    }

    /// Puts a fault in the way of the next message, or not, unless one waits there already; true if one does.
    pub(super) fn strike_message(&mut self) -> bool {
        if self.struck {
            return true;
        }
        let deed = match self.side.below(8) {
            0 => Deed::CutAfter,
            1 => Deed::CutBefore,
            2 => Deed::Status { status: 503, retry_after: None, code: None, body: None, headers: BTreeMap::new() },
            _ => return false,
        };
        let fault = Fault { on: "POST /v1/sms/messages".to_owned(), deed, times: 1, event: None, account: None };
        self.sandbox.fault(fault).unwrap();
        self.struck = true;
        true
    }

    /// The connection of a door; one that soon gives up if the answer will not come.
    pub(super) fn through(&self, door: usize) -> Connection {
        let mut connection = self.doors[door].connection.clone();
        if self.pending == Some(true) {
            connection.client = connection.client.with_patience(IMPATIENT);
        }
        connection
    }

    pub(super) fn posts(&self) -> Vec<Value> {
        self.sandbox.ledger().posts
    }

    /// Notes through which door the newest posts came.
    pub(super) fn note_posts(&mut self, door: usize) {
        for post in self.posts() {
            self.came.entry(id_of(&post)).or_insert(door);
        }
    }

    /// Something happens at Pozy; we may or may not hear of it.
    pub(super) async fn happen(&mut self) {
        let posts = self.posts();
        if posts.is_empty() || self.manner == Manner::Everyday && self.dice.below(3) > 0 {
            return;
        }
        if self.manner == Manner::Twins {
            return self.fail_or_revive(&posts).await;
        }
        let post = self.dice.of(&posts).clone();
        let target = self.dice.of(post["platforms"].as_array().unwrap()).clone();
        let place = (id_of(&post), target["accountId"].as_str().unwrap().to_owned());
        // What was taken down stays down, and what was cancelled is over.
        let may_become: &[TargetStatus] = match target["status"].as_str().unwrap() {
            "published" => &[TargetStatus::Failed],
            "failed" if !self.taken_down.contains(&place) => &[TargetStatus::Published],
            "failed" | "cancelled" => return,
            _ => &[TargetStatus::Failed, TargetStatus::Cancelled, TargetStatus::Published, TargetStatus::Published],
        };
        let status = *self.dice.of(may_become);
        if target["status"] == "published" {
            self.taken_down.insert(place.clone());
        }
        self.set_target(place.clone(), status).await;
        if self.dice.below(3) > 0 {
            self.hear(&place.0).await;
        }
    }

    async fn set_target(&mut self, (post, account): (String, String), status: TargetStatus) {
        let (post, account) = (Some(TargetPost(post)), TargetAccount(account));
        let change = TargetChange { post, text: None, account, status, error: None };
        self.sandbox.target(change).unwrap();
        self.sandbox.advance(Duration::ZERO).await.unwrap();
    }

    /// A target fails, which the log hears; or one that failed goes live a good while later, which it mostly does not.
    async fn fail_or_revive(&mut self, posts: &[Value]) {
        let target = |post: &Value, target: &Value| (id_of(post), target["accountId"].as_str().unwrap().to_owned());
        let among = |states: &[&str]| -> Vec<(String, String)> {
            let targets =
                posts.iter().flat_map(|post| post["platforms"].as_array().unwrap().iter().map(move |at| (post, at)));
            targets
                .filter(|(_, at)| states.contains(&at["status"].as_str().unwrap()))
                .map(|(post, at)| target(post, at))
                .collect()
        };
        let (failed, on_their_way) = (among(&["failed"]), among(&["scheduled", "publishing"]));
        if !failed.is_empty() && self.dice.once_in(2) {
            let place = self.dice.of(&failed).clone();
            self.pass().await;
            self.set_target(place.clone(), TargetStatus::Published).await;
            if self.dice.once_in(4) {
                self.hear(&place.0).await;
            }
        } else if !on_their_way.is_empty() {
            let place = self.dice.of(&on_their_way).clone();
            self.set_target(place.clone(), TargetStatus::Failed).await;
            self.hear(&place.0).await;
        }
    }

    /// Fetches a post; false if Pozy asked to be left alone, so that it was not asked.
    pub(super) async fn hear(&mut self, post: &str) -> bool {
        let door = self.came.get(post).copied().unwrap_or_default();
        let (post, connection) = (PostId::new(post), &self.doors[door].connection);
        match fetch::fetch(&self.store, &self.clock, connection, &post).await {
            Ok(_) => true,
            Err(no) => {
                assert_eq!(no.code, Code::Refused, "{no}");
                false
            }
        }
    }

    /// Somebody posts past this log; a file may tell of it afterwards, whole or from its second try on.
    pub(super) async fn others_post(&mut self) {
        let (door, body) = (self.door(), self.body());
        self.foreign += 1;
        let key = format!("theirs-{}", self.foreign);
        let at = self.clock.now();
        let order = Order { method: "POST", path: POSTS, key: Some(&key), request_id: None, body: &body };
        let sent = self.through(door).client.send(&order).await.unwrap();
        self.pending = None;
        self.note_posts(door);
        let (kind, answer) = match sent {
            Sent::Answered(answer) => (EndKind::Answered, Some(answer)),
            Sent::Timeout | Sent::Reset | Sent::NotSent => (EndKind::Reset, None),
        };
        let told = self.dice.below(3);
        if told == 0 {
            return;
        }
        let connection = self.doors[door].connection.clone();
        let mark = JobMark::new(format!("theirs_{}", self.foreign));
        let line = ImportedAttempt {
            import: ImportId(1),
            job: mark.clone(),
            n: u32::try_from(told).unwrap(),
            at,
            method: "POST".to_owned(),
            path: POSTS.to_owned(),
            workspace: connection.workspace,
            key: Some(key),
            request_id: None,
            body: Some(body),
            masked: false,
            end: Some(NewEnd { kind, at: self.clock.now(), answer }),
        };
        let now = self.clock.now();
        self.store.write(move |log| attempts::import(log, &line, now, &connection.contract)).await.unwrap();
        self.jobs.push(Kept { mark, door, imported: true });
    }

    /// The targets this log ever had news of: an answer that names a post which stands in the way names one account of
    /// it. Messages tell the words of a post for as long as the forecast looks them through.
    pub(super) fn heard_of(&self) -> Told {
        let newest = job_facts::newest_written(&self.reader).unwrap().max(self.clock.now());
        let mut whole = self.reader.prepare_cached("SELECT post, account FROM post_words").unwrap();
        let whole = whole.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap);
        let sql = "SELECT substr(e.resource, 6), substr(n.value ->> 'lane', length(e.resource) + 2), e.text
            FROM events AS e, json_each(e.news) AS n
            WHERE e.nature = 'real' AND e.text IS NOT NULL AND min(e.last_ns, e.happened_ns) >= ?
                AND n.value ->> 'lane' LIKE e.resource || '/%'";
        let mut by_message = self.reader.prepare_cached(sql).unwrap();
        let since = newest.plus_seconds(-LOOKED_THROUGH_H * 3_600).0;
        let by_message = by_message.query_map([since], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
        let whole: BTreeSet<(String, String)> = whole.collect();
        let by_message: BTreeSet<(String, String, String)> = by_message.map(Result::unwrap).collect();
        let messages = by_message.iter().map(|(post, account, _)| (post, account));
        let targets = whole.iter().map(|(post, account)| (post, account)).chain(messages);
        let dead = targets
            .filter_map(|(post, account)| Some(((post.clone(), account.clone()), self.told_dead(post, account)?)));
        Told { dead: dead.collect(), whole, by_message }
    }

    /// True if the log was last told that `post` is not live on one of the accounts of `body`.
    pub(super) fn was_told_dead(&self, post: &str, body: &[u8]) -> bool {
        Words::of(body).places.iter().any(|place| self.told_dead(post, place.account.as_str()).is_some())
    }

    /// When the log was last told of the target, if that is that it is not live; also where the same instant told otherwise.
    fn told_dead(&self, post: &str, account: &str) -> Option<Moment> {
        let sql = "SELECT status, at_ns FROM (
                SELECT at_ns, status FROM tellings WHERE post = ?1 AND account IN (?2, '')
                UNION ALL
                SELECT as_of_ns, status FROM lanes WHERE lane = 'post:' || ?1 || '/' || ?2 AND source = 'event')
            ORDER BY at_ns DESC, status IN ('failed', 'cancelled', 'pending') DESC LIMIT 1";
        let mut query = self.reader.prepare_cached(sql).unwrap();
        let last = query.query_row([post, account], |row| Ok((row.get::<_, Option<String>>(0)?, row.get(1)?)));
        let (status, at) = last.ok()?;
        matches!(status.as_deref(), Some("failed" | "cancelled" | "pending")).then_some(Moment(at))
    }

    /// What the log was told of posts, for a person who looks for a mistake.
    pub(super) fn told(&self) -> String {
        let sql = "SELECT w.post || ' ' || w.account || ' ' || coalesce(w.text, 'no text') || ' ' || coalesce(
                (SELECT group_concat(t.status || ' at ' || datetime(t.at_ns / 1000000000, 'unixepoch'), ', ')
                 FROM tellings AS t WHERE t.post = w.post AND t.account IN (w.account, '')), 'nothing told')
            FROM post_words AS w ORDER BY w.post, w.account";
        let mut query = self.reader.prepare(sql).unwrap();
        let rows: Vec<String> = query.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        rows.join("\n")
    }

    /// What stands at Pozy now, and what the log had news of.
    pub(super) fn scene(&self) -> Scene {
        Scene::of(self.posts(), &self.heard_of(), self.sandbox.now())
    }

    /// One act on a job, or a new post, with the door it goes through.
    pub(super) async fn plan(&mut self) -> Look {
        if self.jobs.is_empty() || self.dice.once_in(4) {
            let (door, body) = (self.door(), self.body());
            let plan = Plan::new(POSTS, None, &body, &self.doors[door].connection);
            return Look { plan, door, request_id: None };
        }
        let job = self.dice.of(&self.jobs).clone();
        let act = if self.dice.once_in(3) { Act::PostAgain } else { Act::AskAgain };
        // What a file told is only looked at in its own workspace.
        let door = if !job.imported && self.dice.once_in(8) { self.door() } else { job.door };
        let name = (job.mark.to_string(), act == Act::AskAgain, door);
        if let Some(known) = self.looks.get(&name) {
            return known.clone();
        }
        let through = (!job.imported).then(|| &self.doors[door].connection);
        let plan = Plan::on(&self.store, act, &job.mark, through, None).await.unwrap();
        let facts = job_facts::by_mark(self.store.pool(), &job.mark).await.unwrap();
        let look = Look { plan, door, request_id: facts.request_id.filter(|_| act == Act::AskAgain) };
        // A job was sent when it became one, so nothing of this changes any more.
        self.looks.insert(name, look.clone());
        look
    }
}

/// An act that is looked at.
#[derive(Clone)]
pub(super) struct Look {
    pub(super) plan: Plan,
    pub(super) door: usize,
    pub(super) request_id: Option<String>,
}

pub(super) fn id_of(post: &Value) -> String {
    post["_id"].as_str().unwrap().to_owned()
}

/// Where memory can be had as a folder, commits cost nothing; what is on disk is not the point here.
pub(super) fn in_memory() -> std::path::PathBuf {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() }
}

//! A log in a folder of its own, a clock that stands until it is moved, and a sandbox beside them.

use std::{path::Path, time::Duration};

use pozy_sandbox::{Deed, Fault, Handle, Options, Pace, Sandbox};
use reprise_core::{
    clock::{Clock, Moment},
    error::Result,
    ids::JobMark,
    outbound::{
        connection::Connection,
        forecast::Effect,
        foretell::Consent,
        outcome::State,
        submit::{Draft, POSTS, submit},
        view::JobView,
    },
    pozy::contract::Contract,
    secrets::Secret,
    store::{Store, job_facts},
};
use tempfile::TempDir;

pub(crate) const T0: &str = "2026-03-02T09:00:00Z";
pub(crate) const POST: &str = r#"{"content":"Lanterns are lit at six.","platforms":[{"platform":"linkedin","accountId":"ac_li"}],"scheduledFor":"2031-05-06T09:00:00","timezone":"Europe/London"}"#;

pub(crate) fn t0() -> Moment {
    T0.parse().unwrap()
}

pub(crate) struct World {
    pub(crate) dir: TempDir,
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) sandbox: Handle,
    pub(crate) connection: Connection,
}

impl World {
    pub(crate) async fn start() -> Self {
        let options = Options { pace: Pace::Manual, now: Some(t0().utc()), ..Options::default() };
        let sandbox = Sandbox::start(options).await.unwrap();
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).await.unwrap();
        let clock = Clock::standing(t0());
        let connection = connect(&store, &clock, sandbox.url(), sandbox.api_key()).await;
        Self { dir, store, clock, sandbox, connection }
    }

    /// The next requests for a new post meet this.
    pub(crate) fn fault(&self, deed: Deed, times: u32) {
        let fault = Fault { on: format!("POST {POSTS}"), deed, times, event: None, account: None };
        self.sandbox.fault(fault).unwrap();
    }

    pub(crate) async fn submit(&self, body: &str) -> Result<JobView> {
        self.submit_with(body, None, None).await
    }

    pub(crate) async fn submit_with(&self, body: &str, key: Option<&str>, form: Option<&str>) -> Result<JobView> {
        let draft = Draft {
            path: POSTS.to_owned(),
            key: key.map(str::to_owned),
            body: body.as_bytes().to_vec(),
            form: form.map(str::to_owned),
        };
        submit(&self.store, &self.clock, &self.connection, draft, Consent::Safe).await
    }

    /// Sends although this is foretold.
    pub(crate) async fn submit_confirmed(&self, body: &str, key: Option<&str>, effect: Effect) -> Result<JobView> {
        let draft =
            Draft { path: POSTS.to_owned(), key: key.map(str::to_owned), body: body.as_bytes().to_vec(), form: None };
        submit(&self.store, &self.clock, &self.connection, draft, Consent::Effect(effect)).await
    }

    pub(crate) async fn view(&self, mark: &JobMark) -> JobView {
        let facts = job_facts::by_mark(self.store.pool(), mark).await.unwrap();
        JobView::of(&self.store, &self.clock, &self.connection.contract, facts).await.unwrap()
    }

    /// Moves both clocks.
    pub(crate) async fn pass(&self, seconds: u64) {
        self.sandbox.advance(Duration::from_secs(seconds)).await.unwrap();
        self.clock.set(Moment::of(&self.sandbox.now()).unwrap());
    }

    /// Waits until the job stands there, moving both clocks to each next try.
    pub(crate) async fn until(&self, mark: &JobMark, state: State) -> JobView {
        for _ in 0..400 {
            let view = self.view(mark).await;
            if view.judged.state == state {
                return view;
            }
            if let Some(ahead) = view.judged.next_at.map(|at| at.ms_since(self.clock.now())).filter(|ms| *ms > 0) {
                self.pass(u64::try_from(ahead).unwrap().div_ceil(1_000)).await;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("{mark} never came to {state:?}: {:?}", self.view(mark).await);
    }

    pub(crate) fn posts(&self) -> usize {
        self.sandbox.ledger().posts.len()
    }
}

pub(crate) async fn connect(store: &Store, clock: &Clock, url: &str, api_key: &str) -> Connection {
    let contract = Contract::shipped("pozy").unwrap();
    Connection::open(store, clock, url, Secret::new(api_key).unwrap(), contract).await.unwrap()
}

/// All bytes of all files under `dir`.
pub(crate) fn bytes_under(dir: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        all.extend(if path.is_dir() { bytes_under(&path) } else { std::fs::read(path).unwrap() });
    }
    all
}

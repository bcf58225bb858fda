//! A log in a folder of its own with a receiver on a free port, and what the tests ask of both.

use std::{sync::Arc, time::Duration};

use hmac::{Hmac, Mac as _};
use reprise_core::{
    clock::Clock,
    inbound::listener::{Receiver, Setup},
    pozy::contract::Contract,
    secrets::Secret,
    store::{
        Store,
        listing::{self, ArrivalRow, EventRow},
    },
};
use sha2::Sha256;
use sqlx::Row as _;

pub(super) const SECRET: &str = "vinegar-and-oil-3";

pub(super) struct Desk {
    pub(super) store: Store,
    pub(super) pozy: Arc<Contract>,
    pub(super) client: reqwest::Client,
    // Dropped last: the folder goes with it.
    _dir: tempfile::TempDir,
}

impl Desk {
    pub(super) async fn open() -> Self {
        let dir = tempfile::tempdir().unwrap();
        Self {
            store: Store::open(dir.path()).await.unwrap(),
            pozy: Arc::new(Contract::shipped("pozy").unwrap()),
            client: reqwest::Client::new(),
            _dir: dir,
        }
    }

    /// A receiver on a free port that checks signatures.
    pub(super) async fn listen(&self) -> Receiver {
        self.listen_with(self.setup(true)).await
    }

    pub(super) fn setup(&self, checks: bool) -> Setup {
        let secrets = if checks { vec![Secret::new(SECRET).unwrap()] } else { Vec::new() };
        Setup::new("127.0.0.1:0".parse().unwrap(), secrets)
    }

    pub(super) async fn listen_with(&self, setup: Setup) -> Receiver {
        Receiver::start(self.store.clone(), Clock::wall(), Arc::clone(&self.pozy), setup).await.unwrap()
    }

    /// Posts a signed body and gives the status.
    pub(super) async fn post(&self, url: &str, body: &str) -> u16 {
        let request = self.client.post(url).header("X-Pozy-Signature", sign(SECRET, body)).body(body.to_owned());
        request.send().await.unwrap().status().as_u16()
    }

    pub(super) async fn arrivals(&self) -> Vec<ArrivalRow> {
        listing::arrivals(self.store.pool(), None, 100_000).await.unwrap()
    }

    pub(super) async fn events(&self) -> Vec<EventRow> {
        listing::events(self.store.pool(), None, 100_000).await.unwrap()
    }

    pub(super) async fn number(&self, sql: &'static str) -> i64 {
        sqlx::query(sql).fetch_one(self.store.pool()).await.unwrap().get(0)
    }

    /// Waits until `sql` gives `wanted`; looks again after every commit.
    pub(super) async fn until(&self, sql: &'static str, wanted: i64) {
        let mut commits = self.store.commits();
        let reached = async {
            while self.number(sql).await != wanted {
                commits.changed().await.unwrap();
            }
        };
        if tokio::time::timeout(Duration::from_secs(20), reached).await.is_err() {
            panic!("{sql} gives {} and not {wanted}", self.number(sql).await);
        }
    }
}

pub(super) fn sign(secret: &str, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(body.as_bytes());
    mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn account_event(id: &str, name: &str, account: &str) -> String {
    serde_json::json!({"id": id, "event": name, "timestamp": "2026-03-02T10:00:00Z",
                       "account": {"accountId": account, "platform": "linkedin"}})
    .to_string()
}

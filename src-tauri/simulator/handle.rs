//! Starting a sandbox and holding on to one.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::chance::secret;
use crate::clock::Clock;
use crate::driver::{self, Advance, Shared};
use crate::error::Error;
use crate::faults::{Fault, seconds_of};
use crate::ids::{AccountId, WorkspaceId};
use crate::ledger::Ledger;
use crate::loopback;
use crate::options::Options;
use crate::sender::Sender;
use crate::server::{self, Front};
use crate::step::{AccountChange, Step, TargetChange};
use crate::world::{CreateCall, World};

/// A small Pozy. See [`Sandbox::start`].
pub struct Sandbox;

impl Sandbox {
    /// Starts a sandbox on the present tokio runtime. It runs until the handle is dropped or stopped.
    ///
    /// # Errors
    /// [`Error::Listen`] if the address cannot be had, [`Error::NoRandom`] and [`Error::Client`] if the system does
    /// not give what is needed, [`Error::Refused`] beyond loopback, since control asks for no secret, and for a script
    /// that makes no sense.
    pub async fn start(mut options: Options) -> Result<Handle, Error> {
        if !loopback::is_loopback(options.addr.ip()) {
            return Err(Error::Refused(format!("a sandbox listens on loopback only, which {} is not", options.addr)));
        }
        let api_key = match options.api_key.take() {
            Some(key) => key,
            None => secret("sk_sandbox_")?,
        };
        let webhook_secret = match options.webhook_secret.take() {
            Some(given) => given,
            None => secret("whs_sandbox_")?,
        };
        options.webhook_secret = Some(webhook_secret.clone());
        let wanted = options.addr;
        let failed = |source| Error::Listen { addr: wanted, source };
        let listener = TcpListener::bind(wanted).await.map_err(failed)?;
        let addr = listener.local_addr().map_err(failed)?;
        let clock = Clock::start(options.pace, options.now);
        let sender = Sender::new(options.deadline)?;
        let world = World::new(options, api_key.clone(), clock.now())?;
        let shared = Arc::new(Shared::new(world, clock, sender));
        let (orders, taken) = mpsc::unbounded_channel();
        let front = Front { shared: Arc::clone(&shared), orders };
        let tasks = [tokio::spawn(driver::run(shared, taken)), tokio::spawn(server::serve(listener, front.clone()))];
        Ok(Handle { addr, url: format!("http://{addr}"), api_key, webhook_secret, front, tasks })
    }
}

/// A running sandbox. Dropping it ends the sandbox at once.
pub struct Handle {
    addr: SocketAddr,
    url: String,
    api_key: String,
    webhook_secret: String,
    front: Front,
    tasks: [JoinHandle<()>; 2],
}

/// A request to make a post or a message, to be looked at and not carried out.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// The API key it comes with.
    pub api_key: &'a str,
    /// Its `Idempotency-Key`.
    pub key: Option<&'a str>,
    /// Its `x-request-id`.
    pub request_id: Option<&'a str>,
    /// Its body.
    pub body: &'a [u8],
}

/// The answer that a request would get.
#[derive(Clone, Debug, PartialEq)]
pub struct Glimpse {
    /// Its status; 201 if a post would be made.
    pub status: u16,
    /// Its body; null where a post would be made, which does not exist.
    pub body: Value,
    /// Accounts whose target would fail in the post that would be made, since the same content is there already.
    pub fails: Vec<AccountId>,
}

impl Front {
    /// Moves the clock forward; ends once everything due on the way has been run.
    pub(crate) async fn advance(&self, by: Duration) -> Result<DateTime<Utc>, Error> {
        let (done, moved) = oneshot::channel();
        self.orders.send(Advance { by, done }).map_err(|_| Error::Stopped)?;
        moved.await.map_err(|_| Error::Stopped)
    }

    /// One more API key, of a new workspace or of the one that is named.
    pub(crate) fn add_api_key(&self, workspace: Option<WorkspaceId>) -> Result<(WorkspaceId, String), Error> {
        let api_key = secret("sk_sandbox_")?;
        let workspace = self.shared.act(|world, _| world.add_api_key(workspace, api_key.clone()));
        Ok((workspace, api_key))
    }
}

impl Handle {
    /// The base of the API without `/v1`, such as `http://127.0.0.1:4010`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The API key of the first workspace.
    pub fn api_key(&self) -> &str {
        &self.api_key
    }

    /// The secret of webhooks that were registered without one.
    pub fn webhook_secret(&self) -> &str {
        &self.webhook_secret
    }

    /// What `reprise sandbox` prints as its first line. It holds secrets: for a terminal, not for a log.
    pub fn first_line(&self) -> Value {
        json!({"pozy": self.url, "api_key": self.api_key, "webhook_secret": self.webhook_secret})
    }

    /// The present moment by its clock.
    pub fn now(&self) -> DateTime<Utc> {
        self.front.shared.clock.now()
    }

    /// What it did so far.
    pub fn ledger(&self) -> Ledger {
        self.front.shared.act(|world, now| Ledger::of(world, now))
    }

    /// What `POST /v1/posts` would answer to `ask` at this moment. Nothing is carried out, no fault strikes and no
    /// request is counted: the same rules, looked up.
    pub fn glimpse(&self, ask: &Ask<'_>) -> Glimpse {
        self.front.shared.act(|world, now| {
            let nothing = |status, body| Glimpse { status, body, fails: Vec::new() };
            let Some(workspace) = world.workspace_of(ask.api_key) else { return nothing(401, Value::Null) };
            let call = CreateCall {
                workspace,
                key: ask.key.map(str::to_owned),
                request_id: ask.request_id.map(str::to_owned),
                body: Bytes::copy_from_slice(ask.body),
                takes: None,
            };
            match world.foresee(now, &call) {
                Ok(fails) => Glimpse { status: 201, body: Value::Null, fails },
                Err(answer) => nothing(answer.status, answer.body),
            }
        })
    }

    /// What `POST /v1/sms/messages` would answer to `ask` at this moment, as [`Handle::glimpse`] for posts. A body of
    /// null says that a message would go out.
    pub fn glimpse_message(&self, ask: &Ask<'_>) -> Glimpse {
        self.front.shared.act(|world, now| {
            let glimpse = |status, body| Glimpse { status, body, fails: Vec::new() };
            let Some(workspace) = world.workspace_of(ask.api_key) else { return glimpse(401, Value::Null) };
            match world.foresee_message(now, &workspace, ask.key, ask.body) {
                Some(answer) => glimpse(answer.status, answer.body),
                None => glimpse(201, Value::Null),
            }
        })
    }

    /// Moves the clock forward and runs all that falls due on the way, in order, each delivery to its end. With no
    /// time at all: ends once everything that is due now is done.
    ///
    /// # Errors
    /// [`Error::Stopped`] if the sandbox was stopped meanwhile.
    pub async fn advance(&self, by: Duration) -> Result<DateTime<Utc>, Error> {
        self.front.advance(by).await
    }

    /// Puts a fault at the end of the queue.
    ///
    /// # Errors
    /// [`Error::Refused`] for a fault that makes no sense.
    pub fn fault(&self, fault: Fault) -> Result<(), Error> {
        self.front.shared.act(|world, now| world.play(now, &Step::Fault { fault }))
    }

    /// Sets a target at the present time, whatever it was, and rolls its post up.
    ///
    /// # Errors
    /// [`Error::Missing`] if there is no such post or target.
    pub fn target(&self, target: TargetChange) -> Result<(), Error> {
        self.front.shared.act(|world, now| world.play(now, &Step::Target { target }))
    }

    /// Connects or disconnects an account and tells of it.
    pub fn account(&self, change: &AccountChange) {
        self.front.shared.act(|world, now| world.set_account(now, change));
    }

    /// One more API key: of a new workspace, or of the one that is named.
    ///
    /// # Errors
    /// [`Error::NoRandom`] if the system gives no random numbers.
    pub fn add_api_key(&self, workspace: Option<WorkspaceId>) -> Result<(WorkspaceId, String), Error> {
        self.front.add_api_key(workspace)
    }

    /// Plays a step of a story now, whatever its time says. The program plays [`Step::Submit`] itself.
    ///
    /// # Errors
    /// [`Error::Refused`] for a submit and for a step that makes no sense, [`Error::Missing`] for a target that is not
    /// there, [`Error::Stopped`] if the sandbox was stopped.
    pub async fn play(&self, step: &Step) -> Result<(), Error> {
        match step {
            Step::Clock { advance_s } => self.advance(seconds_of(*advance_s)?).await.map(drop),
            other => self.front.shared.act(|world, now| world.play(now, other)),
        }
    }

    /// Ends the sandbox: its port is free afterwards, and deliveries under way are dropped.
    pub async fn stop(mut self) {
        for task in &mut self.tasks {
            task.abort();
            // Aborted is what it was told to be.
            let _ = task.await;
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

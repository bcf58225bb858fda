//! What runs on an open log: receiver, sender, lookout, ageing. One program does that for a log at a time; another one
//! shows it, and takes over once the first has ended, however that came.

use std::{
    net::SocketAddr,
    sync::{Arc, PoisonError},
    time::Duration,
};

use tokio::sync::{Mutex, watch};
use tokio_util::task::AbortOnDropHandle;

use super::{owner::Owner, room::Ears};
use crate::{
    clock::Clock,
    error::Result,
    inbound::{
        catch_up,
        listener::{Receiver, Setup},
    },
    notices::Watch,
    outbound::{background::Loop, connection::Connection, lookout, sender},
    pozy::contract::Contract,
    secrets::Secret,
    store::{Store, prune, search_fill},
};

/// Bodies age out this often.
const AGEING: Duration = Duration::from_secs(3 * 3_600);
/// The first look at what is old enough, after the start.
const FIRST_AGEING: Duration = Duration::from_secs(60);
/// How often a program that only shows the log tries to take over.
const TAKE_OVER: Duration = Duration::from_millis(500);
/// How often a receiver that could not start tries again while the log cannot be written.
const START_AGAIN: Duration = Duration::from_secs(2);

/// What runs. The owner's right goes last, once nothing else runs.
#[derive(Default)]
pub(super) struct Running {
    receiver: Option<Receiver>,
    sender: Option<Loop>,
    lookout: Option<Loop>,
    /// Stops when it is dropped.
    _watch: Option<Watch>,
    /// Lets bodies age out; stops when it is dropped.
    _ageing: Option<AbortOnDropHandle<()>>,
    /// Keeps the index of words up with the log; stops when it is dropped.
    _words: Option<AbortOnDropHandle<()>>,
    /// Judges what waits; stops when it is dropped.
    _judging: Option<AbortOnDropHandle<()>>,
    /// Waits to take over, or until the log can be written; stops when it is dropped.
    waiting: Option<AbortOnDropHandle<()>>,
    owner: Option<Owner>,
}

impl Running {
    /// Only what has the screens hear of changes, and the index of words.
    pub(super) async fn watching(store: &Store, notices: &Arc<watch::Sender<u64>>) -> Result<Self> {
        Ok(Self { _words: Some(index(store)), ..Self::watching_fixed(store, notices).await? })
    }

    /// As [`Running::watching`], on a log that cannot be written.
    pub(super) async fn watching_fixed(store: &Store, notices: &Arc<watch::Sender<u64>>) -> Result<Self> {
        Ok(Self { _watch: Some(Watch::start(store, Arc::clone(notices)).await?), ..Self::default() })
    }

    /// Stops all of it at once: no arrival is taken any more, no post is sent any more, what is under way is finished. Who
    /// does not wait for that has it stopped all the same. Gives the right to receive and send, for who goes on at once; no
    /// other program takes over between.
    pub(super) async fn stop(self) -> Option<Owner> {
        drop(self.waiting);
        let receiver = async {
            if let Some(receiver) = self.receiver
                && let Err(problem) = receiver.stop().await
            {
                tracing::warn!(%problem, "the receiver's session did not end well");
            }
        };
        tokio::join!(receiver, stopped(self.lookout), stopped(self.sender));
        self.owner
    }
}

/// Everything that starting needs.
pub(super) struct Start {
    pub(super) store: Store,
    pub(super) clock: Clock,
    pub(super) contract: Arc<Contract>,
    pub(super) connection: Option<Connection>,
    pub(super) address: SocketAddr,
    pub(super) secret: Option<Secret>,
    pub(super) notices: Arc<watch::Sender<u64>>,
    pub(super) ears: Arc<std::sync::Mutex<Ears>>,
    pub(super) running: Arc<Mutex<Running>>,
    /// The right to receive and send, kept from what ran before.
    pub(super) owner: Option<Owner>,
}

impl Start {
    /// Starts all of it if nobody else receives and sends for this log; else shows the log and waits to take over.
    pub(super) async fn begin(mut self) -> Result<()> {
        let shown = Running::watching_fixed(&self.store, &self.notices).await?;
        *self.running.lock().await = shown;
        let kept = self.owner.take();
        if let Some(owner) = kept.map_or_else(|| Owner::take(self.store.dir()), |owner| Ok(Some(owner)))? {
            Arc::new(self).run(owner).await;
            return Ok(());
        }
        let who = Owner::name(self.store.dir());
        self.hear(|ears| {
            ears.elsewhere = true;
            ears.problem = Some(format!(
                "{who} receives and sends for this log; here it is only shown. Within seconds of its end this one takes \
                 over."
            ));
        });
        let running = Arc::clone(&self.running);
        running.lock().await.waiting = Some(AbortOnDropHandle::new(tokio::spawn(self.take_over())));
        Ok(())
    }

    async fn take_over(self) {
        let mut looks = tokio::time::interval(TAKE_OVER);
        loop {
            looks.tick().await;
            match Owner::take(self.store.dir()) {
                Ok(Some(owner)) => {
                    let notices = Arc::clone(&self.notices);
                    Arc::new(self).run(owner).await;
                    notices.send_modify(|n| *n += 1);
                    return;
                }
                Ok(None) => {}
                Err(problem) => tracing::warn!(%problem, "it cannot be told whether another program still runs"),
            }
        }
    }

    async fn run(self: Arc<Self>, owner: Owner) {
        let (store, clock) = (&self.store, &self.clock);
        let (receiver, ears) = self.try_to_receive().await;
        let again = ears.again;
        let mut running = self.running.lock().await;
        running.receiver = receiver;
        if let Some(connection) = &self.connection {
            running.sender = Some(sender::start(store.clone(), clock.clone(), connection.clone()));
            running.lookout = Some(lookout::start(store.clone(), clock.clone(), connection.clone()));
        }
        running._ageing = Some(AbortOnDropHandle::new(tokio::spawn(age(store.clone(), clock.clone()))));
        running._words = Some(index(store));
        let judging = catch_up::keep_up(store.clone(), Arc::clone(&self.contract));
        running._judging = Some(AbortOnDropHandle::new(tokio::spawn(judging)));
        running.owner = Some(owner);
        self.hear(|heard| *heard = ears);
        // Replaced only now: where this runs as the one that waited, it ends with what it replaces.
        if again {
            let waiting = AbortOnDropHandle::new(tokio::spawn(Arc::clone(&self).receive_once_it_can_be_kept()));
            running.waiting.replace(waiting).map(AbortOnDropHandle::detach);
        }
    }

    /// Starts to listen, and says so to a sandbox.
    async fn receive(&self) -> Result<Receiver> {
        let secrets = self.secret.clone().into_iter().collect();
        let workspace = self.connection.as_ref().map(|connection| connection.workspace);
        let setup = Setup { workspace, ..Setup::new(self.address, secrets) };
        let (store, clock) = (self.store.clone(), self.clock.clone());
        let receiver = Receiver::start(store, clock, Arc::clone(&self.contract), setup).await?;
        if let Some(connection) = &self.connection {
            self.announce(connection, receiver.url()).await;
        }
        Ok(receiver)
    }

    /// The receiver, if it could start, and whether arrivals come in: in the words of what keeps the log from being written, if
    /// it is that.
    async fn try_to_receive(&self) -> (Option<Receiver>, Ears) {
        let ears = Ears { verifies: self.secret.is_some(), ..Ears::default() };
        match self.receive().await {
            Ok(receiver) => {
                let url = Some(receiver.url().to_owned());
                (Some(receiver), Ears { url, ..ears })
            }
            Err(problem) => {
                let trouble = self.store.trouble();
                let says = trouble.map_or(problem.message, str::to_owned);
                (None, Ears { problem: Some(says), again: trouble.is_some(), ..ears })
            }
        }
    }

    async fn receive_once_it_can_be_kept(self: Arc<Self>) {
        let mut again = true;
        while again {
            tokio::time::sleep(START_AGAIN).await;
            let (receiver, ears) = self.try_to_receive().await;
            again = ears.again;
            self.running.lock().await.receiver = receiver;
            self.hear(|heard| *heard = ears);
            self.notices.send_modify(|n| *n += 1);
        }
    }

    fn hear(&self, change: impl FnOnce(&mut Ears)) {
        change(&mut self.ears.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Tells a sandbox where to deliver, and nobody else (contract, command line). A sandbox that cannot be reached
    /// now is no reason not to listen.
    async fn announce(&self, connection: &Connection, url: &str) {
        let client = &connection.client;
        if matches!(client.is_sandbox().await, Ok(true))
            && let Err(problem) = client.register_webhook("Reprise", url, self.secret.as_ref(), &[]).await
        {
            tracing::warn!(%problem, "the sandbox did not take our address");
        }
    }
}

async fn stopped(of: Option<Loop>) {
    if let Some(of) = of {
        of.stop().await;
    }
}

fn index(store: &Store) -> AbortOnDropHandle<()> {
    AbortOnDropHandle::new(tokio::spawn(search_fill::keep_up(store.clone())))
}

/// Lets bodies age out as the settings say, again and again.
async fn age(store: Store, clock: Clock) {
    let mut turns = tokio::time::interval_at(tokio::time::Instant::now() + FIRST_AGEING, AGEING);
    loop {
        turns.tick().await;
        if let Err(problem) = prune::age_out(&store, clock.now()).await {
            tracing::warn!(%problem, "bodies could not age out");
        }
    }
}

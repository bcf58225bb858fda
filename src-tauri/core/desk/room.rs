//! An open log with what runs on it.

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use tokio::sync::{Mutex, watch};
use tokio_util::task::AbortOnDropHandle;

use super::{Given, Options, RECEIVER, Runs, cases::CaseLog, stage::Stage};
use crate::{
    clock::Clock,
    error::{Code, Error, Result},
    inbound::{
        listener::{Receiver, Setup},
        rejudge,
    },
    notices::Watch,
    outbound::{
        self, background::Loop, bulk::run::Runs as BulkRuns, connection::Connection, foretell::ShownForecasts, lookout,
        many::plan::ShownFiles, sender,
    },
    pozy::{contract::Contract, secrecy::Own},
    secrets::{
        Secret,
        keeper::{Keeper, Which},
    },
    settings,
    store::{Store, prune, search_fill, workspaces},
};

/// An open log with what runs on it.
pub(crate) struct Room {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) contract: Arc<Contract>,
    /// The Pozy it talks to, if there is one with a key.
    pub(crate) connection: Option<Connection>,
    /// What keeps the desk from doing all it should, each with what to do.
    pub(crate) problems: Vec<String>,
    pub(crate) ears: Ears,
    pub(crate) stage: Option<Arc<Stage>>,
    /// The case whose log this is; nothing runs on it.
    pub(crate) case: Option<CaseLog>,
    /// What arrivals are verified with.
    pub(crate) secrets: Vec<Secret>,
    /// What must not leave in any form.
    pub(crate) own: Own,
    /// Forecasts that were shown and wait for their click.
    pub(crate) shown: ShownForecasts,
    /// Bulks that run here.
    pub(crate) bulks: BulkRuns,
    /// Files of posts that were looked at.
    pub(crate) files: ShownFiles,
    keeper: Mutex<Option<Arc<Keeper>>>,
    running: Mutex<Running>,
    waits: bool,
}

/// Whether arrivals can come in, as the screens show it.
#[derive(Clone, Debug, Default)]
pub struct Ears {
    /// Full address of the default endpoint, while it listens.
    pub url: Option<String>,
    /// Why it does not listen although it should, and what to do.
    pub problem: Option<String>,
    /// True if arrivals are verified.
    pub verifies: bool,
}

#[derive(Default)]
struct Running {
    receiver: Option<Receiver>,
    sender: Option<Loop>,
    lookout: Option<Loop>,
    /// Stops when it is dropped.
    _watch: Option<Watch>,
    /// Lets bodies age out; stops when it is dropped.
    _ageing: Option<AbortOnDropHandle<()>>,
    /// Keeps the index of words up with the log; stops when it is dropped.
    _words: Option<AbortOnDropHandle<()>>,
}

/// Bodies age out this often.
const AGEING: Duration = Duration::from_secs(3 * 3_600);
/// The first look at what is old enough, after the start.
const FIRST_AGEING: Duration = Duration::from_secs(60);

/// How a room is to be opened.
pub(super) struct Plan {
    data: PathBuf,
    clock: Clock,
    given: Option<Given>,
    webhook_secret: Option<Secret>,
    runs: Runs,
    /// Start nothing on a log that is new, so that practice can be offered first.
    unless_new: bool,
    stage: Option<Arc<Stage>>,
    /// A case, with the settings of the provider that its lines are read by.
    case: Option<(CaseLog, Arc<Contract>)>,
}

impl Plan {
    /// The person's own log.
    pub(super) fn real(options: &Options) -> Self {
        Self {
            data: options.data.clone(),
            clock: options.clock.clone(),
            given: options.given.clone(),
            webhook_secret: options.webhook_secret.clone(),
            runs: options.runs,
            unless_new: false,
            stage: None,
            case: None,
        }
    }

    /// Starts nothing on a new log if it was left to the settings.
    pub(super) fn unless_new(self) -> Self {
        Self { unless_new: self.runs == Runs::AsSet, ..self }
    }

    /// Starts nothing at all.
    pub(super) fn only_looking(self) -> Self {
        Self { runs: Runs::Nothing, ..self }
    }

    /// The practice log, towards the sandbox of `stage`.
    pub(super) fn practice(options: &Options, stage: Stage) -> Self {
        Self {
            data: stage.folder().to_owned(),
            clock: options.clock.clone(),
            given: Some(stage.given()),
            webhook_secret: stage.webhook_secret(),
            runs: Runs::On(SocketAddr::from(([127, 0, 0, 1], 0))),
            unless_new: false,
            stage: Some(Arc::new(stage)),
            case: None,
        }
    }

    /// The log of a case: nothing is received, nothing is sent.
    pub(super) fn case(options: &Options, case: CaseLog, contract: Arc<Contract>) -> Self {
        Self {
            data: case.folder.clone(),
            clock: options.clock.clone(),
            given: None,
            webhook_secret: None,
            runs: Runs::Nothing,
            unless_new: false,
            stage: None,
            case: Some((case, contract)),
        }
    }
}

impl Room {
    /// Opens the log and starts what the plan says.
    pub(super) async fn open(plan: Plan, notices: &Arc<watch::Sender<u64>>) -> Result<Self> {
        let store = Store::open(&plan.data).await?;
        let (case, contract) = match plan.case {
            Some((case, contract)) => (Some(case), contract),
            None => (None, Arc::new(Contract::shipped("pozy")?)),
        };
        let mut room = Self {
            store,
            clock: plan.clock,
            contract,
            connection: None,
            problems: Vec::new(),
            ears: Ears::default(),
            stage: plan.stage,
            case,
            secrets: Vec::new(),
            own: Own::default(),
            shown: ShownForecasts::default(),
            bulks: BulkRuns::default(),
            files: ShownFiles::default(),
            keeper: Mutex::default(),
            running: Mutex::default(),
            waits: false,
        };
        let mut secret = plan.webhook_secret;
        match &plan.given {
            Some(given) => {
                room.own.add(&given.api_key);
                let connection = room.connect(&given.base_url, given.api_key.clone()).await?;
                if room.stage.is_some() {
                    let id = connection.workspace.0;
                    room.store.write(move |connection| workspaces::rename(connection, id, "Sandbox")).await?;
                }
                room.connection = Some(connection);
            }
            None if room.case.is_some() => {}
            None => room.take_saved(&mut secret).await?,
        }
        room.secrets = secret.clone().into_iter().collect();
        room.secrets.iter().for_each(|secret| room.own.add(secret));
        rejudge::rejudge_if_outdated(&room.store, &room.contract).await?;
        outbound::rejudge::if_outdated(&room.store, &room.clock, &room.contract).await?;
        let address = match plan.runs {
            Runs::Nothing if room.case.is_some() => {
                room.watch(notices).await?;
                return Ok(room);
            }
            Runs::Nothing => return Ok(room),
            Runs::On(address) => address,
            Runs::AsSet if plan.unless_new && room.is_new().await? => {
                room.waits = true;
                return Ok(room);
            }
            Runs::AsSet => settings::get(room.store.pool(), settings::RECEIVER).await?.unwrap_or(RECEIVER),
        };
        room.start(address, secret, notices).await?;
        Ok(room)
    }

    /// Takes the connection of the saved workspace in use. A key that cannot be had is a problem that is shown: the
    /// log can be read without it.
    async fn take_saved(&mut self, secret: &mut Option<Secret>) -> Result<()> {
        let Some(id) = settings::get::<Option<i64>>(self.store.pool(), settings::WORKSPACE).await?.flatten() else {
            return Ok(());
        };
        let Some(saved) = workspaces::one(self.store.pool(), id).await? else { return Ok(()) };
        let changes = settings::get(self.store.pool(), &settings::contract_of(id)).await?.flatten();
        self.contract = Arc::new(Contract::shipped(&saved.provider)?.with(changes));
        let kept = match self.secret(id, Which::WebhookSecret).await {
            Ok(kept) => kept,
            Err(problem) => {
                self.problems.push(problem.message);
                None
            }
        };
        *secret = secret.take().or(kept);
        match self.secret(id, Which::ApiKey).await {
            Ok(Some(key)) => {
                self.own.add(&key);
                self.connection = Some(self.connect(&saved.base_url.unwrap_or_default(), key).await?);
            }
            Ok(None) => self.problems.push(format!(
                "The API key of {} is not kept on this computer, so nothing can be sent. Enter it in Settings.",
                saved.name
            )),
            Err(problem) => self.problems.push(problem.message),
        }
        Ok(())
    }

    async fn connect(&self, base_url: &str, api_key: Secret) -> Result<Connection> {
        Connection::open(&self.store, &self.clock, base_url, api_key, Contract::clone(&self.contract)).await
    }

    fn index(&self) -> AbortOnDropHandle<()> {
        AbortOnDropHandle::new(tokio::spawn(search_fill::keep_up(self.store.clone())))
    }

    /// Has the screens hear of changes, with nothing running towards the outside.
    async fn watch(&mut self, notices: &Arc<watch::Sender<u64>>) -> Result<()> {
        let watch = Watch::start(&self.store, Arc::clone(notices)).await?;
        self.running = Mutex::new(Running { _watch: Some(watch), _words: Some(self.index()), ..Running::default() });
        Ok(())
    }

    async fn start(
        &mut self,
        address: SocketAddr,
        secret: Option<Secret>,
        notices: &Arc<watch::Sender<u64>>,
    ) -> Result<()> {
        let mut running =
            Running { _watch: Some(Watch::start(&self.store, Arc::clone(notices)).await?), ..Running::default() };
        self.ears.verifies = secret.is_some();
        let workspace = self.connection.as_ref().map(|connection| connection.workspace);
        let setup = Setup { workspace, ..Setup::new(address, secret.clone().into_iter().collect()) };
        match Receiver::start(self.store.clone(), self.clock.clone(), Arc::clone(&self.contract), setup).await {
            Ok(receiver) => {
                self.ears.url = Some(receiver.url().to_owned());
                running.receiver = Some(receiver);
            }
            Err(problem) => self.ears.problem = Some(problem.message),
        }
        if let Some(connection) = &self.connection {
            if let Some(url) = &self.ears.url {
                self.announce(connection, url, secret.as_ref()).await;
            }
            running.sender = Some(sender::start(self.store.clone(), self.clock.clone(), connection.clone()));
            running.lookout = Some(lookout::start(self.store.clone(), self.clock.clone(), connection.clone()));
        }
        running._ageing = Some(AbortOnDropHandle::new(tokio::spawn(age(self.store.clone(), self.clock.clone()))));
        running._words = Some(self.index());
        self.running = Mutex::new(running);
        Ok(())
    }

    /// Tells a sandbox where to deliver, and nobody else (contract, command line). A sandbox that cannot be reached
    /// now is no reason not to listen.
    async fn announce(&self, connection: &Connection, url: &str, secret: Option<&Secret>) {
        let client = &connection.client;
        if matches!(client.is_sandbox().await, Ok(true))
            && let Err(problem) = client.register_webhook("Reprise", url, secret, &[]).await
        {
            tracing::warn!(%problem, "the sandbox did not take our address");
        }
    }

    /// True while the log holds nothing and no workspace is set up.
    async fn is_new(&self) -> Result<bool> {
        Ok(self.connection.is_none() && self.problems.is_empty() && workspaces::log_is_empty(self.store.pool()).await?)
    }

    /// True if nothing was started since the log is new.
    pub(super) const fn waits(&self) -> bool {
        self.waits
    }

    /// The connection, or why there is none.
    pub(crate) fn connected(&self) -> Result<&Connection> {
        if self.case.is_some() {
            return Err(Error::refused("A case is open. Nothing is ever sent from a case; close it first."));
        }
        self.connection.as_ref().ok_or_else(|| {
            Error::refused(
                "No Pozy is connected, so nothing was sent. Set up a workspace in Settings, or give --pozy URL with \
                 POZY_API_KEY in the environment.",
            )
        })
    }

    /// Where this computer keeps secrets; found out the first time anybody asks, on a thread that may wait for a
    /// password prompt.
    pub(crate) async fn keeper(&self) -> Result<Arc<Keeper>> {
        let mut keeper = self.keeper.lock().await;
        if let Some(known) = &*keeper {
            return Ok(Arc::clone(known));
        }
        let log = self.log_name().await?;
        let dir = self.store.dir().to_owned();
        let found = Arc::new(blocking(move || Ok(Keeper::find(&dir, &log))).await?);
        *keeper = Some(Arc::clone(&found));
        Ok(found)
    }

    /// What this log is called among the logs of this computer.
    pub(crate) async fn log_name(&self) -> Result<String> {
        let clock = self.clock.clone();
        self.store.write(move |connection| settings::log_name(connection, &clock)).await
    }

    /// A kept secret of a workspace.
    pub(crate) async fn secret(&self, workspace: i64, which: Which) -> Result<Option<Secret>> {
        let keeper = self.keeper().await?;
        blocking(move || keeper.get(workspace, which)).await
    }

    /// Keeps or forgets a secret of a workspace.
    pub(crate) async fn keep(&self, workspace: i64, which: Which, secret: Option<Secret>) -> Result<()> {
        let keeper = self.keeper().await?;
        blocking(move || keeper.set(workspace, which, secret.as_ref())).await
    }

    /// Stops what runs: no arrival is taken any more, no post is sent any more, what is under way is finished.
    pub(crate) async fn stop(&self) {
        self.bulks.stop().await;
        let running = std::mem::take(&mut *self.running.lock().await);
        if let Some(receiver) = running.receiver
            && let Err(problem) = receiver.stop().await
        {
            tracing::warn!(%problem, "the receiver's session did not end well");
        }
        if let Some(lookout) = running.lookout {
            lookout.stop().await;
        }
        if let Some(sender) = running.sender {
            sender.stop().await;
        }
        if let Some(stage) = &self.stage {
            stage.leave().await;
        }
    }

    /// Stops what runs and closes the log.
    pub(crate) async fn close(&self) {
        self.stop().await;
        self.store.clone().close().await;
    }
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

/// Runs work that may wait, away from the async threads.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|cause| Error::caused(Code::Internal, "A mistake of ours stopped this work.", cause))?
}

//! An open log with what runs on it.

use std::{
    net::SocketAddr,
    path::PathBuf,
    sync::{Arc, PoisonError},
};

use tokio::sync::{Mutex, watch};

use super::{
    Given, Options, RECEIVER, Runs, UNCONNECTED,
    cases::CaseLog,
    owner::Owner,
    running::{Running, Start},
    stage::Stage,
};
use crate::{
    clock::Clock,
    doctor::KEYCHAIN_SHUT,
    ending::{CLOSING, UNDER_WAY, at_most},
    error::{Code, Error, Result},
    inbound::{catch_up, rejudge},
    outbound::{
        self, bulk::run::Runs as BulkRuns, connection::Connection, foretell::ShownForecasts, many::plan::ShownFiles,
        seat::Seat,
    },
    pozy::{contract::Contract, secrecy::Own},
    secrets::{
        Secret,
        keeper::{Keeper, Place, Which},
    },
    settings,
    store::{ONLY_READABLE, Store, workspaces},
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
    ears: Arc<std::sync::Mutex<Ears>>,
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
    /// Where logs are known outside their folders.
    cards: PathBuf,
    keeper: Mutex<Option<Arc<Keeper>>>,
    running: Arc<Mutex<Running>>,
    waits: bool,
}

/// Whether arrivals can come in, as the screens show it.
#[derive(Clone, Debug, Default)]
pub struct Ears {
    /// Full address of the default endpoint, while it listens.
    pub url: Option<String>,
    /// Why it does not listen although it should, and what to do.
    pub problem: Option<String>,
    /// True while another program receives and sends for this log.
    pub elsewhere: bool,
    /// True while it tries again by itself, since the log cannot be written now.
    pub again: bool,
    /// True if arrivals are verified.
    pub verifies: bool,
}

/// How a room is to be opened.
pub(super) struct Plan {
    data: PathBuf,
    cards: PathBuf,
    clock: Clock,
    given: Option<Given>,
    webhook_secret: Option<Secret>,
    runs: Runs,
    /// Start nothing on a log that is new, so that practice can be offered first.
    unless_new: bool,
    stage: Option<Arc<Stage>>,
    /// A case, with the settings of the provider that its lines are read by.
    case: Option<(CaseLog, Arc<Contract>)>,
    /// The right to receive and send for this log, kept from the room before.
    owner: Option<Owner>,
}

impl Plan {
    /// The person's own log.
    pub(super) fn real(options: &Options) -> Self {
        Self {
            data: options.data.clone(),
            cards: options.cards.clone(),
            clock: options.clock.clone(),
            given: options.given.clone(),
            webhook_secret: options.webhook_secret.clone(),
            runs: options.runs,
            unless_new: false,
            stage: None,
            case: None,
            owner: None,
        }
    }

    /// Goes on with the right to receive and send that the room before had.
    pub(super) fn going_on(self, owner: Option<Owner>) -> Self {
        Self { owner, ..self }
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
            cards: options.cards.clone(),
            clock: options.clock.clone(),
            given: Some(stage.given()),
            webhook_secret: stage.webhook_secret(),
            runs: Runs::On(SocketAddr::from(([127, 0, 0, 1], 0))),
            unless_new: false,
            stage: Some(Arc::new(stage)),
            case: None,
            owner: None,
        }
    }

    /// The log of a case: nothing is received, nothing is sent.
    pub(super) fn case(options: &Options, case: CaseLog, contract: Arc<Contract>) -> Self {
        Self {
            data: case.folder.clone(),
            cards: options.cards.clone(),
            clock: options.clock.clone(),
            given: None,
            webhook_secret: None,
            runs: Runs::Nothing,
            unless_new: false,
            stage: None,
            case: Some((case, contract)),
            owner: None,
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
            ears: Arc::default(),
            stage: plan.stage,
            case,
            secrets: Vec::new(),
            own: Own::default(),
            shown: ShownForecasts::default(),
            bulks: BulkRuns::default(),
            files: ShownFiles::default(),
            cards: plan.cards,
            keeper: Mutex::default(),
            running: Arc::default(),
            waits: false,
        };
        if room.store.only_reads() {
            if room.case.is_none() {
                room.problems.push(ONLY_READABLE.to_owned());
            }
            room.watch_fixed(plan.runs, notices).await?;
            return Ok(room);
        }
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
        // A long log is shown as the rules before judged it until whoever receives has judged it anew.
        if matches!(plan.runs, Runs::Nothing) || !rejudge::can_wait(&room.store).await? {
            rejudge::rejudge_if_outdated(&room.store, &room.contract).await?;
        }
        outbound::rejudge::if_outdated(&room.store, &room.clock, &room.contract).await?;
        if matches!(plan.runs, Runs::Nothing) {
            // What a program that ended early left; where one runs, that does it.
            catch_up::all(&room.store, &room.contract, |_| true).await?;
        }
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
        room.start(address, secret, notices, plan.owner).await?;
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
            Ok(None) if self.keychain_is_shut().await? => self.problems.push(KEYCHAIN_SHUT.to_owned()),
            Ok(None) => self.problems.push(format!(
                "The API key of {} is not kept on this computer, so nothing can be sent. Enter it in Settings.",
                saved.name
            )),
            Err(problem) => self.problems.push(problem.message),
        }
        Ok(())
    }

    async fn connect(&self, base_url: &str, api_key: Secret) -> Result<Connection> {
        let contract = Contract::clone(&self.contract);
        let mut connection = Connection::open(&self.store, &self.clock, base_url, api_key, contract).await?;
        if self.stage.is_none() {
            let seat = Seat::take(&self.store, &self.clock, &self.contract, &self.cards).await?;
            connection.seat = Some(seat);
        }
        Ok(connection)
    }

    /// Shows a log that cannot be written: nothing is received or sent with it.
    async fn watch_fixed(&self, runs: Runs, notices: &Arc<watch::Sender<u64>>) -> Result<()> {
        if runs == Runs::Nothing && self.case.is_none() {
            return Ok(());
        }
        *self.running.lock().await = Running::watching_fixed(&self.store, notices).await?;
        self.ears.lock().unwrap_or_else(PoisonError::into_inner).problem = Some(ONLY_READABLE.to_owned());
        Ok(())
    }

    /// Has the screens hear of changes, with nothing running towards the outside.
    async fn watch(&self, notices: &Arc<watch::Sender<u64>>) -> Result<()> {
        *self.running.lock().await = Running::watching(&self.store, notices).await?;
        Ok(())
    }

    async fn start(
        &self,
        address: SocketAddr,
        secret: Option<Secret>,
        notices: &Arc<watch::Sender<u64>>,
        owner: Option<Owner>,
    ) -> Result<()> {
        let start = Start {
            store: self.store.clone(),
            clock: self.clock.clone(),
            contract: Arc::clone(&self.contract),
            connection: self.connection.clone(),
            address,
            secret,
            notices: Arc::clone(notices),
            ears: Arc::clone(&self.ears),
            running: Arc::clone(&self.running),
            owner,
        };
        start.begin().await
    }

    /// Whether arrivals can come in at this moment.
    pub(crate) fn ears(&self) -> Ears {
        self.ears.lock().unwrap_or_else(PoisonError::into_inner).clone()
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
        if self.store.only_reads() && self.case.is_none() {
            return Err(Error::refused(ONLY_READABLE));
        }
        if self.case.is_some() {
            return Err(Error::refused("A case is open. Nothing is ever sent from a case; close it first."));
        }
        self.connection.as_ref().ok_or_else(|| Error::refused(UNCONNECTED))
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
        let (keeper, kept) = (self.keeper().await?, secret.is_some());
        let place = keeper.place().word();
        blocking(move || keeper.set(workspace, which, secret.as_ref())).await?;
        if kept {
            self.store.write(move |connection| settings::set(connection, settings::SECRETS_IN, &place)).await?;
        }
        Ok(())
    }

    /// True if secrets were kept in the keychain, and it does not answer now.
    pub(crate) async fn keychain_is_shut(&self) -> Result<bool> {
        let kept: Option<String> = settings::get(self.store.pool(), settings::SECRETS_IN).await?;
        Ok(kept.as_deref() == Some(Place::Keychain.word()) && self.keeper().await?.place() == Place::File)
    }

    /// Stops what runs: no arrival is taken any more, no post is sent any more. What is under way may come to its end for
    /// a moment; a try that does not is unknown. Gives the right to receive and send, for the room that goes on.
    pub(crate) async fn stop(&self) -> Option<Owner> {
        let mut owner = None;
        let running = async { owner = std::mem::take(&mut *self.running.lock().await).stop().await };
        let tries = async {
            if let Some(connection) = &self.connection {
                connection.tried().await;
            }
        };
        at_most(UNDER_WAY, "what was under way", async {
            tokio::join!(self.bulks.stop(), running, tries);
        })
        .await;
        if let Some(stage) = &self.stage {
            at_most(CLOSING, "the sandbox", stage.leave()).await;
        }
        owner
    }

    /// Stops what runs and closes the log.
    pub(crate) async fn close(&self) {
        self.stop().await;
        self.shut().await;
    }

    /// Closes the log; nothing runs on it any more.
    pub(super) async fn shut(&self) {
        self.store.clone().close().await;
    }
}

/// Runs work that may wait, away from the async threads.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|cause| Error::caused(Code::Internal, "A mistake of ours stopped this work.", cause))?
}

//! The desk: one open log with what runs on it. Open, start, stop; everything else is a command.
//!
//! A desk shows one [`Room`] at a time. Practice mode is another room on a log of its own, so that nothing of it can
//! reach the real one. A case is a room, too; while it is shown the real one goes on receiving and sending.

pub(crate) mod cases;
pub(crate) mod importing;
pub(crate) mod owner;
mod room;
mod running;
pub(crate) mod stage;

use std::{
    net::{Ipv4Addr, SocketAddr, SocketAddrV4},
    path::{Path, PathBuf},
    sync::{Arc, PoisonError},
};

use serde_json::Value;
use tokio::sync::{Mutex, RwLock, watch};

pub use self::room::Ears;
pub(crate) use self::room::Room;
pub use self::{cases::CaseLog, importing::Upload};
use self::{importing::Imports, owner::Owner, room::Plan, stage::Stage};
use crate::{
    clock::Clock,
    commands::{self, wire},
    ending::{UNDER_WAY, at_most},
    error::{Code, Error, Result},
    ids::WorkspaceId,
    outbound::connection::Connection,
    pozy::contract::Contract,
    secrets::{Secret, net::Net},
    settings,
    store::{Store, backup, inspect::Way, moves, workspaces},
};

/// Where the receiver listens unless somebody chose otherwise.
pub const RECEIVER: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 8787));
/// What is said where a connection is needed and there is none.
pub const UNCONNECTED: &str = "No Pozy is connected, so nothing was sent. Set up a workspace in Settings.";

/// The per-user folder of the log.
///
/// # Errors
/// `Usage` if this user has no home folder.
pub fn default_folder() -> Result<PathBuf> {
    let folders = directories::ProjectDirs::from("app", "", "Reprise")
        .ok_or_else(|| Error::usage("This user has no home folder. Say with --data where the log should lie."))?;
    Ok(folders.data_dir().to_owned())
}

/// The per-user folder in which logs are known outside their own folders: where each lies, and its newest try.
///
/// # Errors
/// `Usage` if this user has no home folder.
pub fn default_cards() -> Result<PathBuf> {
    let folders = directories::ProjectDirs::from("app", "", "Reprise")
        .ok_or_else(|| Error::usage("This user has no home folder. Say with XDG_STATE_HOME where notes on logs go."))?;
    Ok(folders.state_dir().unwrap_or_else(|| folders.cache_dir()).join("logs"))
}

/// How to open a desk.
#[derive(Clone, Debug)]
pub struct Options {
    /// Folder of the log.
    pub data: PathBuf,
    /// Where logs are known outside their folders ([`default_cards`]).
    pub cards: PathBuf,
    /// The time it goes by.
    pub clock: Clock,
    /// A Pozy named on the command line; else the saved workspace.
    pub given: Option<Given>,
    /// Secret that arrivals are verified with, from the environment; else the saved workspace's.
    pub webhook_secret: Option<Secret>,
    /// What runs.
    pub runs: Runs,
}

/// A Pozy named on the command line.
#[derive(Clone, Debug)]
pub struct Given {
    /// Base address without `/v1`.
    pub base_url: String,
    /// Its key, from the environment.
    pub api_key: Secret,
}

/// What runs while a desk is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// Nothing: one command, then closed.
    Nothing,
    /// Receiver on this address, and the sender.
    On(SocketAddr),
    /// Receiver where the settings say, and the sender; practice instead while the log is empty and no workspace is
    /// set up.
    AsSet,
}

/// An open desk. Cheap to clone.
#[derive(Clone)]
pub struct Desk(Arc<Inner>);

struct Inner {
    options: Options,
    room: RwLock<Arc<Room>>,
    /// The real room while a case is shown.
    behind: RwLock<Option<Arc<Room>>>,
    imports: Imports,
    notices: Arc<watch::Sender<u64>>,
    /// One change of room at a time.
    moving: Mutex<()>,
    /// Under every answer of a call.
    net: Net,
    /// The nets of the host, under its log and its output.
    nets: std::sync::Mutex<Vec<Net>>,
}

impl Desk {
    /// Opens the log and starts what should run. A receiver that cannot listen is a state that the desk shows, not an
    /// error: the log can be read all the same.
    ///
    /// # Errors
    /// `NewerFile` or `Storage` if the log cannot be opened, `Usage` if the given Pozy is no usable address.
    pub async fn open(options: Options) -> Result<Self> {
        let notices = Arc::new(watch::Sender::new(0));
        let mut room = Room::open(Plan::real(&options).unless_new(), &notices).await?;
        if room.waits() {
            room.close().await;
            room = Room::open(Plan::practice(&options, Stage::set(&options.data).await?), &notices).await?;
        }
        let desk = Self(Arc::new(Inner {
            options,
            room: RwLock::new(Arc::new(room)),
            behind: RwLock::default(),
            imports: Imports::default(),
            notices,
            moving: Mutex::new(()),
            net: Net::default(),
            nets: std::sync::Mutex::default(),
        }));
        desk.learn(&*desk.room().await);
        desk.raise_the_curtain().await;
        Ok(desk)
    }

    /// Carries out a call of [`commands::CALLS`].
    ///
    /// # Errors
    /// `Usage` for an unknown call or wrong arguments, else what the command says.
    pub async fn call(&self, name: &str, args: Value) -> Result<Value> {
        match commands::dispatch(self, name, args).await {
            Ok(mut answer) => {
                self.0.net.own().cover_value(&mut answer);
                Ok(answer)
            }
            Err(problem) => Err(self.0.net.error(problem)),
        }
    }

    /// What knows the person's own secrets.
    #[must_use]
    pub fn net(&self) -> &Net {
        &self.0.net
    }

    /// Fills a net of the host with what this desk knows now and learns later.
    pub fn fill(&self, net: &Net) {
        net.learn(&self.0.net.own());
        self.0.nets.lock().unwrap_or_else(PoisonError::into_inner).push(net.clone());
    }

    fn learn(&self, room: &Room) {
        self.0.net.learn(&room.own);
        self.0.nets.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(|net| net.learn(&room.own));
    }

    /// A number that counts up whenever something changed.
    #[must_use]
    pub fn notices(&self) -> watch::Receiver<u64> {
        self.0.notices.subscribe()
    }

    /// The time this desk goes by.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.0.options.clock
    }

    /// The log that is open now.
    pub async fn store(&self) -> Store {
        self.room().await.store.clone()
    }

    /// Whether arrivals can come in.
    pub async fn ears(&self) -> Ears {
        self.room().await.ears()
    }

    /// The Pozy it talks to.
    ///
    /// # Errors
    /// `Refused` if there is none, with what to do.
    pub async fn connection(&self) -> Result<Connection> {
        self.room().await.connected().cloned()
    }

    /// The settings of the provider in use.
    pub async fn contract(&self) -> Arc<Contract> {
        Arc::clone(&self.room().await.contract)
    }

    /// The workspace of imported lines that name none: the one in use, else one named after this log.
    ///
    /// # Errors
    /// `Storage` if the log cannot be written.
    pub async fn workspace_for_imports(&self) -> Result<WorkspaceId> {
        let room = self.room().await;
        if let Some(connection) = &room.connection {
            return Ok(connection.workspace);
        }
        let chosen: Option<i64> = settings::get(room.store.pool(), settings::WORKSPACE).await?.flatten();
        let now = room.clock.now();
        let id = room
            .store
            .write(move |connection| {
                chosen.map_or_else(|| workspaces::named(connection, workspaces::THIS_LOG, now), Ok)
            })
            .await?;
        Ok(WorkspaceId(id))
    }

    /// Fires a test webhook and waits for its arrival.
    ///
    /// # Errors
    /// As the call `test_webhook`.
    pub async fn test_webhook(&self, args: wire::TestArgs) -> Result<wire::TestRun> {
        commands::test_webhook(self, args).await
    }

    /// One answer of a search.
    ///
    /// # Errors
    /// `Usage` if it is to go on from where none began, `Storage` if the log cannot be read.
    pub async fn search(&self, args: wire::SearchArgs) -> Result<wire::SearchAnswer> {
        commands::search(self, args).await
    }

    /// How a bulk stands.
    ///
    /// # Errors
    /// `NotFound`, `Storage`.
    pub async fn bulk(&self, mark: &str) -> Result<wire::BulkDetail> {
        commands::bulk(self, mark).await
    }

    /// The latest bulks, newest first.
    ///
    /// # Errors
    /// `Storage`.
    pub async fn bulks(&self) -> Result<Vec<wire::BulkDetail>> {
        commands::bulks(self).await
    }

    /// Holds if the other side is a sandbox; asked before anything is sent by a clock that was told its time.
    ///
    /// # Errors
    /// `Usage` if it is not, `Unreachable` if it does not say.
    pub async fn only_towards_a_sandbox(&self) -> Result<()> {
        if self.connection().await?.client.is_sandbox().await? {
            return Ok(());
        }
        Err(Error::new(
            Code::Usage,
            "--now is for looking, and for practising with a sandbox. Towards a real Pozy a told time could make a key \
             look younger than it is, so nothing was sent.",
        ))
    }

    /// The person's own log, also while another one is open for practice or as a case.
    pub(crate) async fn real_room(&self) -> Result<Arc<Room>> {
        let room = self.running_room().await;
        if room.stage.is_none() && room.case.is_none() {
            return Ok(room);
        }
        Ok(Arc::new(Room::open(Plan::real(&self.0.options).only_looking(), &self.0.notices).await?))
    }

    /// Copies the log that is open to a new file; gives its size, bytes. Nobody waits for it.
    ///
    /// # Errors
    /// As [`backup::write`].
    pub async fn back_up(&self, to: PathBuf) -> Result<u64> {
        let store = self.store().await;
        let way = if store.only_reads() { Way::Fixed } else { Way::Shared };
        tokio::task::spawn_blocking(move || backup::write(store.dir(), way, &to))
            .await
            .map_err(|cause| Error::caused(Code::Internal, "A mistake of ours stopped the copying.", cause))?
    }

    /// Why nothing is sent from the running log since it was restored, copied or moved; none if it is at home.
    ///
    /// # Errors
    /// `Storage` if the log cannot be read.
    pub async fn held(&self) -> Result<Option<String>> {
        let room = self.running_room().await;
        Ok(moves::open(room.store.pool()).await?.map(|reason| reason.says()))
    }

    /// Goes on with a log that was restored, copied or moved; gives how many open jobs wait for a person.
    ///
    /// # Errors
    /// As [`crate::outbound::seat::Seat::go_on`], and `Refused` where nothing could be sent anyway.
    pub async fn go_on(&self) -> Result<i64> {
        let room = self.running_room().await;
        let Some(seat) = &room.connected()?.seat else {
            return Err(Error::refused("Practice begins anew each time; there is nothing to go on with."));
        };
        let waiting = seat.go_on(&room.store, &room.clock).await?;
        self.tell();
        Ok(waiting)
    }

    /// How the program behaves on the desktop, as the person's own log has it.
    ///
    /// # Errors
    /// `Storage` if the log cannot be read.
    pub async fn habits(&self) -> Result<wire::Habits> {
        let room = self.real_room().await?;
        Ok(settings::get(room.store.pool(), settings::HABITS).await?.unwrap_or_default())
    }

    /// Keeps how the program behaves on the desktop.
    ///
    /// # Errors
    /// `Storage` if the log cannot be written.
    pub async fn keep_habits(&self, habits: wire::Habits) -> Result<()> {
        let room = self.real_room().await?;
        room.store.write(move |connection| settings::set(connection, settings::HABITS, &habits)).await
    }

    /// True once in the life of a log: the first time it keeps receiving behind a closed window.
    ///
    /// # Errors
    /// `Storage` if the log cannot be read or written.
    pub async fn first_closing(&self) -> Result<bool> {
        let room = self.real_room().await?;
        if settings::get(room.store.pool(), settings::TOLD_CLOSING).await?.unwrap_or(false) {
            return Ok(false);
        }
        room.store.write(|connection| settings::set(connection, settings::TOLD_CLOSING, &true)).await?;
        Ok(true)
    }

    /// Folder of the person's own log.
    #[must_use]
    pub fn data_folder(&self) -> PathBuf {
        self.0.options.data.clone()
    }

    /// Has everybody who shows something look again.
    pub fn notify(&self) {
        self.tell();
    }

    /// True while it practises on a log of its own.
    pub async fn practises(&self) -> bool {
        self.room().await.stage.is_some()
    }

    /// True if the receiver's address was given at the start, so that the setting does not hold.
    pub(crate) fn receiver_is_given(&self) -> bool {
        matches!(self.0.options.runs, Runs::On(_))
    }

    pub(crate) async fn room(&self) -> Arc<Room> {
        Arc::clone(&*self.0.room.read().await)
    }

    /// The room that receives and sends: the one behind a case, else the one that is shown.
    pub(crate) async fn running_room(&self) -> Arc<Room> {
        match &*self.0.behind.read().await {
            Some(room) => Arc::clone(room),
            None => self.room().await,
        }
    }

    /// Folder of the person's own log.
    pub(crate) fn data(&self) -> &Path {
        &self.0.options.data
    }

    /// Imports under way.
    pub(crate) fn imports(&self) -> &Imports {
        &self.0.imports
    }

    /// Shows a case. The real log goes on behind it; practice ends, since it has nothing to go on with.
    ///
    /// # Errors
    /// `NewerFile` or `Storage` if its log cannot be opened; then all stays as it was.
    pub(crate) async fn open_case(&self, case: CaseLog) -> Result<()> {
        let _turn = self.0.moving.lock().await;
        let running = self.running_room().await;
        let contract = Arc::clone(&running.contract);
        let room = Room::open(Plan::case(&self.0.options, case, contract), &self.0.notices).await?;
        let old = std::mem::replace(&mut *self.0.room.write().await, Arc::new(room));
        if old.case.is_none() && old.stage.is_none() {
            *self.0.behind.write().await = Some(old);
        } else {
            old.stop().await;
        }
        self.tell();
        Ok(())
    }

    /// Makes a case of that name and shows it; for the command line.
    ///
    /// # Errors
    /// As [`CaseLog::make`] and when opening it.
    pub async fn open_new_case(&self, name: &str) -> Result<CaseLog> {
        let case = CaseLog::make(self.data(), name, self.clock())?;
        self.open_case(case.clone()).await?;
        Ok(case)
    }

    /// Goes back from a case to the real log.
    ///
    /// # Errors
    /// `Refused` if no case is shown, else what opening the real log says.
    pub(crate) async fn leave_case(&self) -> Result<()> {
        let _turn = self.0.moving.lock().await;
        let case = self.room().await;
        if case.case.is_none() {
            return Err(Error::refused("No case is open."));
        }
        let real = match self.0.behind.write().await.take() {
            Some(room) => room,
            None => Arc::new(Room::open(Plan::real(&self.0.options), &self.0.notices).await?),
        };
        self.learn(&real);
        *self.0.room.write().await = real;
        case.close().await;
        self.tell();
        Ok(())
    }

    pub(crate) fn tell(&self) {
        self.0.notices.send_modify(|n| *n += 1);
    }

    /// Opens the real log anew, after a workspace was changed or chosen; leaves practice.
    pub(crate) async fn reopen(&self) -> Result<()> {
        let _turn = self.0.moving.lock().await;
        let owner = self.leave().await;
        self.enter(Plan::real(&self.0.options).going_on(owner)).await
    }

    /// Enters practice: a sandbox of its own, on a log of its own that starts empty.
    pub(crate) async fn practise(&self) -> Result<()> {
        let _turn = self.0.moving.lock().await;
        // The old stage goes first: two cannot stand on one folder.
        drop(self.leave().await);
        let stage = Stage::set(&self.0.options.data).await?;
        self.enter(Plan::practice(&self.0.options, stage)).await
    }

    /// Stops what runs, so that the port is free for the next room. Gives the right to receive and send for the real log,
    /// where it was had.
    async fn leave(&self) -> Option<Owner> {
        let mut owner = None;
        for old in [self.0.behind.write().await.take(), Some(self.room().await)].into_iter().flatten() {
            let had = old.stop().await;
            owner = owner.or(had.filter(|_| old.stage.is_none()));
        }
        owner
    }

    /// Shows another room once the old one was left. If it cannot be opened, the old log can still be read.
    async fn enter(&self, plan: Plan) -> Result<()> {
        let room = Room::open(plan, &self.0.notices).await?;
        self.learn(&room);
        *self.0.room.write().await = Arc::new(room);
        self.raise_the_curtain().await;
        self.tell();
        Ok(())
    }

    /// Practice begins with its story: nobody has to ask for it before they can see anything.
    async fn raise_the_curtain(&self) {
        if let Some(stage) = &self.room().await.stage {
            stage.play(self);
        }
    }

    /// Stops what runs, finishes what is being written and closes the log, within seconds: what does not come to its end
    /// in that time is left as its rows on disk have it.
    pub async fn close(&self) {
        let (behind, shown) = (self.0.behind.write().await.take(), self.room().await);
        let import = async {
            if let Some(run) = self.imports().run() {
                run.stop();
                at_most(UNDER_WAY, "an import", run.ended()).await;
            }
        };
        let behind_stops = async {
            if let Some(room) = &behind {
                room.stop().await;
            }
        };
        tokio::join!(import, behind_stops, shown.stop());
        let behind_shuts = async {
            if let Some(room) = &behind {
                room.shut().await;
            }
        };
        tokio::join!(behind_shuts, shown.shut());
    }
}

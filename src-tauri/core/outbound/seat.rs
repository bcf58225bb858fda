//! Where this log is at home. A card outside the data folder says in which folder the log lies and which try was its
//! newest. A log that does not fit its card was restored, copied or moved: what was sent elsewhere since is not known to
//! it, so nothing is sent from it until a person says to go on from here (issue of trust: backups and moving).

use std::{
    fs::{self, File},
    io::{ErrorKind, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use crate::{
    clock::Clock,
    error::{Code, Error, Result},
    ids::AttemptId,
    pozy::contract::Contract,
    settings,
    store::{
        FILE, Store, jobs,
        moves::{self, Reason, Stand},
        turn::{own_file, turn},
    },
};

/// True once the log has had a card: from then on a missing one means something.
const SEATED: &str = "seated";

/// What is known of a log outside its folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Card {
    /// Where it lies.
    folder: String,
    /// Its newest try.
    attempt: i64,
}

/// The place of a log's card.
#[derive(Clone, Debug)]
pub struct Seat {
    card: PathBuf,
    folder: String,
}

impl Seat {
    /// Finds the card of the log and holds the log against it; a log that never had one gets one.
    ///
    /// # Errors
    /// `Storage` if the log, or the folder of the cards, cannot be read or written. That the log does not fit is no
    /// error: it is written into the log, and nothing is sent.
    pub async fn take(store: &Store, clock: &Clock, contract: &Arc<Contract>, cards: &Path) -> Result<Self> {
        let named = clock.clone();
        let name = store.write(move |connection| settings::log_name(connection, &named)).await?;
        let folder = fs::canonicalize(store.dir())?.display().to_string();
        let seat = Self { card: cards.join(format!("{name}.json")), folder };
        // The card first: it only ever knows tries that are in the log already, also while others are sending.
        let card = seat.read()?;
        let stand = moves::stand(store.pool()).await?;
        let seated = settings::get(store.pool(), SEATED).await?.unwrap_or(false);
        if moves::open(store.pool()).await?.is_some() {
            return Ok(seat);
        }
        match (card, seated) {
            // Nothing was ever asked for, or never since there are cards.
            (None, false) => seat.write(stand.attempt)?,
            (None, true) if !stand.has_jobs => seat.write(stand.attempt)?,
            (card, _) => {
                if let Some(reason) = seat.misfit(card.as_ref(), stand) {
                    seat.found(store, clock, contract, reason).await?;
                }
            }
        }
        if !seated {
            store.write(|connection| settings::set(connection, SEATED, &true)).await?;
        }
        Ok(seat)
    }

    /// Holds if the log fits its card at this moment; asked before anything is sent.
    ///
    /// # Errors
    /// `Refused` with what was found, `Storage` if it cannot be told.
    pub async fn holds(&self, store: &Store, clock: &Clock, contract: &Arc<Contract>) -> Result<()> {
        if let Some(reason) = moves::open(store.pool()).await? {
            return Err(reason.into());
        }
        // The card first: it only ever knows tries that are in the log already, also while others are sending.
        let card = self.read()?;
        match self.misfit(card.as_ref(), moves::stand(store.pool()).await?) {
            None => Ok(()),
            Some(reason) => {
                self.found(store, clock, contract, reason.clone()).await?;
                Err(reason.into())
            }
        }
    }

    /// Notes a try on the card, before its first byte leaves.
    ///
    /// # Errors
    /// `Storage` if the card cannot be written: the try must not be sent then.
    pub async fn note(&self, attempt: AttemptId) -> Result<()> {
        let seat = self.clone();
        tokio::task::spawn_blocking(move || seat.write(attempt.0))
            .await
            .map_err(|cause| Error::caused(Code::Internal, "A mistake of ours kept a try from being noted.", cause))?
    }

    /// A person says to go on from here: this is the log now, wherever others of it lie. Gives how many jobs wait for a
    /// person because of it.
    ///
    /// # Errors
    /// `Refused` if nothing is to be agreed to, `Storage` if card or log cannot be written.
    pub async fn go_on(&self, store: &Store, clock: &Clock) -> Result<i64> {
        if moves::open(store.pool()).await?.is_none() {
            return Err(Error::refused("This log is where it belongs, and goes on by itself; nothing was changed."));
        }
        let stand = moves::stand(store.pool()).await?;
        self.replace(&Card { folder: self.folder.clone(), attempt: stand.attempt })?;
        let now = clock.now();
        store
            .write(move |connection| {
                settings::set(connection, SEATED, &true)?;
                moves::agree(connection, now)
            })
            .await?;
        moves::waiting(store.pool()).await
    }

    /// Why the log does not fit. It may be ahead of the card: a try is on disk before the card knows it.
    fn misfit(&self, card: Option<&Card>, stand: Stand) -> Option<Reason> {
        let Some(card) = card else { return Some(Reason::Unknown) };
        if card.folder != self.folder {
            let from = card.folder.clone();
            return Some(if Path::new(&from).join(FILE).exists() {
                Reason::Copied { from }
            } else {
                Reason::Moved { from }
            });
        }
        (stand.attempt < card.attempt).then(|| Reason::Restored { behind: card.attempt - stand.attempt })
    }

    async fn found(&self, store: &Store, clock: &Clock, contract: &Arc<Contract>, reason: Reason) -> Result<()> {
        let (now, contract) = (clock.now(), Arc::clone(contract));
        store
            .write(move |connection| {
                for job in moves::insert(connection, &reason, now)? {
                    jobs::judge(connection, job, false, now, &contract)?;
                }
                Ok(())
            })
            .await
    }

    fn read(&self) -> Result<Option<Card>> {
        match fs::read(&self.card) {
            // A card that cannot be read tells nothing, as one that is gone.
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
            Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(None),
            Err(cause) => Err(self.trouble(cause)),
        }
    }

    /// Moves the card of this folder on; never back, whoever else moves it, and never that of another folder.
    fn write(&self, attempt: i64) -> Result<()> {
        let _turn = self.turn()?;
        let known = self.read()?;
        if let Some(card) = known.filter(|card| card.folder == self.folder)
            && card.attempt >= attempt
        {
            return Ok(());
        }
        self.put(&Card { folder: self.folder.clone(), attempt })
    }

    fn replace(&self, card: &Card) -> Result<()> {
        let _turn = self.turn()?;
        self.put(card)
    }

    /// Waits until nobody else writes the card.
    fn turn(&self) -> Result<File> {
        let turn = || {
            fs::create_dir_all(self.card.parent().unwrap_or(Path::new(".")))?;
            turn(&self.card.with_extension("lock"))
        };
        turn().map_err(|cause| self.trouble(cause))
    }

    /// Puts the card there whole. Call it in one's turn.
    fn put(&self, card: &Card) -> Result<()> {
        let put = || -> std::io::Result<()> {
            let fresh = self.card.with_extension("new");
            let mut file = own_file(&fresh)?;
            file.set_len(0)?;
            file.write_all(&serde_json::to_vec(card)?)?;
            file.sync_all()?;
            fs::rename(&fresh, &self.card)
        };
        put().map_err(|cause| self.trouble(cause))
    }

    fn trouble(&self, cause: std::io::Error) -> Error {
        Error::caused(
            Code::Storage,
            format!(
                "The number of the newest try cannot be kept in {}, so that a copy of this log could not be told from it; \
                 nothing was sent. See that this folder can be written, or name another with XDG_STATE_HOME.",
                self.card.display()
            ),
            cause,
        )
    }
}

//! The time in which one receiver listens. Its row says since when and until when; a lock of the operating system says
//! whether it still runs, so that a killed one is told from a running one in another process.

use std::{
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::record::record_answer;
use crate::{
    clock::{Clock, Moment},
    error::{Code, Error, Result},
    ids::{SessionId, WorkspaceId},
    pozy::contract::Contract,
    store::{
        Store,
        sessions::{self, Open},
        turn::{own_file, turn},
    },
};

/// Folder of the locks inside the data folder.
const FOLDER: &str = "sessions";

/// A running session. Dropping it gives its lock back, as the end of the process does.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) id: SessionId,
    path: PathBuf,
    _lock: File,
}

impl Session {
    /// Begins a session, after settling those that were killed.
    pub(super) async fn begin(
        store: &Store,
        clock: &Clock,
        contract: &Arc<Contract>,
        address: &str,
        workspace: Option<WorkspaceId>,
    ) -> Result<Self> {
        let _turn = take_turn(store).await?;
        settle(store, contract).await?;
        let (address, now) = (address.to_owned(), clock.now());
        let id = store.write(move |connection| sessions::begin(connection, &address, workspace, now)).await?;
        let path = path(store.dir(), id);
        let lock = own_file(&path)?;
        lock.try_lock()
            .map_err(|cause| Error::caused(Code::Storage, "A receiver could not lock its session.", cause))?;
        Ok(Self { id, path, _lock: lock })
    }

    /// Ends the session; what was not answered by now never is.
    pub(super) async fn end(self, store: &Store, clock: &Clock, contract: &Arc<Contract>) -> Result<()> {
        let now = clock.now();
        close(store, contract, Open { id: self.id, alive: now }, now).await?;
        drop(fs::remove_file(&self.path));
        Ok(())
    }
}

/// Ends the sessions of receivers that were killed, at their last sign of life. Answers of theirs that were not noted
/// never left, so the copies that followed are judged anew (design 3.3).
///
/// # Errors
/// `Storage` if the log or its folder cannot be used.
pub async fn settle_killed(store: &Store, contract: &Arc<Contract>) -> Result<()> {
    let _turn = take_turn(store).await?;
    settle(store, contract).await
}

/// Whoever begins or settles sessions does it alone, so that none is seen between its row and its lock.
async fn take_turn(store: &Store) -> Result<File> {
    fs::create_dir_all(store.dir().join(FOLDER))?;
    let path = store.dir().join(FOLDER).join("turn.lock");
    let taken = tokio::task::spawn_blocking(move || turn(&path))
        .await
        .map_err(|cause| Error::caused(Code::Internal, "Waiting for another program was cut short.", cause))?;
    Ok(taken?)
}

async fn settle(store: &Store, contract: &Arc<Contract>) -> Result<()> {
    for session in store.write(sessions::open).await? {
        let path = path(store.dir(), session.id);
        let free = match File::open(&path) {
            Ok(file) => match file.try_lock() {
                Ok(()) => true,
                Err(TryLockError::WouldBlock) => false,
                Err(TryLockError::Error(cause)) => return Err(cause.into()),
            },
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => true,
            Err(cause) => return Err(cause.into()),
        };
        if free {
            close(store, contract, session, session.alive).await?;
            drop(fs::remove_file(&path));
        }
    }
    Ok(())
}

async fn close(store: &Store, contract: &Arc<Contract>, session: Open, at: Moment) -> Result<()> {
    let contract = Arc::clone(contract);
    store
        .write(move |connection| {
            for seq in sessions::unanswered(connection, session)? {
                record_answer(connection, seq, None, None, &contract)?;
            }
            sessions::end(connection, session.id, at)
        })
        .await
}

fn path(dir: &Path, id: SessionId) -> PathBuf {
    dir.join(FOLDER).join(format!("{}.lock", id.0))
}

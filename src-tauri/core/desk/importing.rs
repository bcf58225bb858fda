//! Imports that run beside everything else: one run at a time, of one or more files, watched and stopped from outside.

use std::{
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{Desk, Room, room::blocking};
use crate::{
    clock::{Clock, Moment, Stopwatch},
    error::{Code, Error, Result},
    ids::WorkspaceId,
    import::{
        columns::Mapping,
        log::{self, Order, Report},
        progress::{Progress, Reached},
        source,
    },
    store,
};

/// Folder of files that a browser hands over, inside the data folder.
const UPLOADS: &str = "uploads";
/// A file that was handed over and never read goes after this long, hours.
const KEPT_HOURS: i64 = 24;
/// Room on the disk that an upload leaves free, bytes.
const LEFT_FREE: u64 = 256 << 20;

/// A file on its way in.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// The file as people know it.
    pub(crate) name: String,
    /// Where it lies.
    pub(crate) path: PathBuf,
    /// True if it was handed over and goes once it is read.
    pub(crate) handed: bool,
}

/// A file that was opened to be read.
pub(crate) struct Opened {
    wanted: Wanted,
    from: File,
    size: u64,
}

impl Wanted {
    /// Opens it, away from the async threads: a disk may take its time.
    ///
    /// # Errors
    /// `Usage` if it cannot be opened.
    pub(crate) async fn open(self) -> Result<Opened> {
        blocking(move || self.opened()).await
    }

    /// Its first bytes, and how many it has in all.
    ///
    /// # Errors
    /// `Usage` if it cannot be opened or read.
    pub(crate) async fn beginning(self) -> Result<(Vec<u8>, u64)> {
        blocking(move || {
            let Opened { wanted, from, size } = self.opened()?;
            let mut beginning = Vec::new();
            from.take(source::BEGINNING as u64)
                .read_to_end(&mut beginning)
                .map_err(|cause| Error::caused(Code::Usage, format!("{} cannot be read.", wanted.name), cause))?;
            Ok((beginning, size))
        })
        .await
    }

    fn opened(self) -> Result<Opened> {
        let from = log::open(&self.path, &self.name)?;
        let size = from.metadata()?.len();
        Ok(Opened { wanted: self, from, size })
    }
}

/// How far one file is.
#[derive(Clone, Debug)]
pub(crate) enum State {
    /// Others come first.
    Waiting,
    /// It is being read.
    Running,
    /// It came to its end, or was stopped.
    Done(Box<Report>),
    /// It could not be read, or the log could not be written.
    Failed(String),
}

/// One file of a run.
pub(crate) struct RunFile {
    pub(crate) wanted: Wanted,
    pub(crate) size: u64,
    progress: Arc<Progress>,
    state: Mutex<State>,
    watch: Mutex<Option<Stopwatch>>,
}

impl RunFile {
    pub(crate) fn state(&self) -> State {
        lock(&self.state).clone()
    }

    pub(crate) fn reached(&self) -> Reached {
        self.progress.reached()
    }

    /// How long the rest of this file takes if it goes on like this, milliseconds.
    pub(crate) fn ms_left(&self) -> Option<i64> {
        let passed = (*lock(&self.watch))?.ms();
        log::ms_left(passed, self.reached().bytes, self.size)
    }
}

/// A run of one or more files.
pub(crate) struct Run {
    pub(crate) files: Vec<RunFile>,
    done: tokio::sync::watch::Sender<bool>,
}

impl Run {
    /// True until the last file is done with.
    pub(crate) fn is_running(&self) -> bool {
        !*self.done.borrow()
    }

    /// Asks it to stop: what is in stays in, and no further file is begun.
    pub(crate) fn stop(&self) {
        for file in &self.files {
            file.progress.stop();
        }
    }

    /// Waits until nothing of it runs any more.
    pub(crate) async fn ended(&self) {
        // The sender is in `self`, so waiting can only end well.
        drop(self.done.subscribe().wait_for(|done| *done).await);
    }
}

/// How the files are to be read.
#[derive(Clone, Debug)]
pub(crate) struct Manner {
    pub(crate) mapping: Option<Mapping>,
    pub(crate) base: Option<Moment>,
    pub(crate) workspace: WorkspaceId,
}

/// The run of a desk, and the files that wait for one.
#[derive(Default)]
pub(crate) struct Imports {
    run: Mutex<Option<Arc<Run>>>,
    uploads: Mutex<Vec<(String, Wanted)>>,
}

impl Imports {
    /// The run that is under way, or the last one.
    pub(crate) fn run(&self) -> Option<Arc<Run>> {
        lock(&self.run).clone()
    }

    /// The file that was handed over under that name.
    ///
    /// # Errors
    /// `NotFound` if there is none.
    pub(crate) fn upload(&self, id: &str) -> Result<Wanted> {
        let uploads = lock(&self.uploads);
        let found = uploads.iter().find(|(own, _)| own == id).map(|(_, wanted)| wanted.clone());
        found.ok_or_else(|| Error::not_found("That file is not here any more. Choose it once more."))
    }

    /// Starts a run of files that are open into the log of `room`.
    ///
    /// # Errors
    /// `Busy` while another one runs; then nothing was begun.
    pub(crate) fn start(&self, desk: &Desk, room: Arc<Room>, wanted: Vec<Opened>, manner: Manner) -> Result<()> {
        let mut slot = lock(&self.run);
        if slot.as_ref().is_some_and(|run| run.is_running()) {
            return Err(Error::new(Code::Busy, "An import runs already. Wait for its end, or stop it."));
        }
        let (mut files, mut opened) = (Vec::new(), Vec::new());
        for Opened { wanted, from, size } in wanted {
            files.push(RunFile {
                size,
                wanted,
                progress: Arc::default(),
                state: Mutex::new(State::Waiting),
                watch: Mutex::default(),
            });
            opened.push(from);
        }
        let run = Arc::new(Run { files, done: tokio::sync::watch::Sender::new(false) });
        *slot = Some(Arc::clone(&run));
        drop(slot);
        let desk = desk.clone();
        tokio::spawn(async move {
            for (file, from) in run.files.iter().zip(opened) {
                read(file, from, &room, &manner).await;
                if file.wanted.handed {
                    desk.imports().forget(&file.wanted.path);
                }
                desk.tell();
            }
            run.done.send_replace(true);
            desk.tell();
        });
        Ok(())
    }

    /// Takes a handed-over file off the disk.
    fn forget(&self, path: &Path) {
        lock(&self.uploads).retain(|(_, wanted)| wanted.path != path);
        if let Err(problem) = fs::remove_file(path) {
            tracing::warn!(%problem, "a file that was read could not be removed");
        }
    }
}

async fn read(file: &RunFile, from: File, room: &Room, manner: &Manner) {
    if file.progress.is_stopped() {
        *lock(&file.state) = State::Failed("It was not begun.".to_owned());
        return;
    }
    *lock(&file.state) = State::Running;
    *lock(&file.watch) = Some(Clock::stopwatch());
    let order = Order {
        file: file.wanted.name.clone(),
        workspace: manner.workspace,
        mapping: manner.mapping.clone(),
        base: manner.base,
    };
    let done = log::import(&room.store, &room.clock, &room.contract, order, from, &file.progress).await;
    *lock(&file.state) = match done {
        Ok(report) => State::Done(Box::new(report)),
        Err(problem) => {
            tracing::warn!(%problem, "an import did not come to its end");
            State::Failed(problem.message)
        }
    };
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that a browser hands over, while it comes in.
#[derive(Debug)]
pub struct Upload {
    id: String,
    wanted: Wanted,
    file: Option<File>,
    written: u64,
    checked: u64,
}

impl Desk {
    /// Begins to take a file that a browser hands over, `size` bytes long if it says so.
    ///
    /// # Errors
    /// `Refused` if the disk has no room for it, `Storage` if it cannot be written.
    pub fn begin_upload(&self, name: &str, size: Option<u64>) -> Result<Upload> {
        let folder = self.data().join(UPLOADS);
        store::private_folder(&folder)?;
        clear_old(&folder, self.clock().now());
        let id = self.clock().new_id();
        let path = folder.join(&id);
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path)?;
        let wanted = Wanted { name: log::base_name(name).to_owned(), path, handed: true };
        let upload = Upload { id, wanted, file: Some(file), written: 0, checked: 0 };
        upload.fits(size.unwrap_or_default())?;
        Ok(upload)
    }

    /// Keeps a file that has come in whole; gives the name that an import takes it by.
    pub fn end_upload(&self, mut upload: Upload) -> String {
        upload.file = None;
        let id = upload.id.clone();
        lock(&self.imports().uploads).push((id.clone(), upload.wanted.clone()));
        // From here on it goes when it was read, not when this value does.
        upload.wanted.handed = false;
        id
    }
}

impl Upload {
    /// Writes the next bytes.
    ///
    /// # Errors
    /// `Refused` if the disk has no room for more, `Storage` if it cannot be written.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.written += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if self.written - self.checked > 16 << 20 {
            self.checked = self.written;
            self.fits(0)?;
        }
        match &mut self.file {
            Some(file) => Ok(std::io::Write::write_all(file, bytes)?),
            None => Ok(()),
        }
    }

    fn fits(&self, more: u64) -> Result<()> {
        let free = fs4::available_space(&self.wanted.path)?;
        if free >= LEFT_FREE.saturating_add(more) {
            return Ok(());
        }
        Err(Error::refused(format!(
            "The disk has no room for {}, so nothing of it was taken. Free some space, or give its path to `reprise \
             import`, which needs no second copy.",
            self.wanted.name
        )))
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if self.wanted.handed {
            drop(self.file.take());
            // What did not come in whole is of no use; if it cannot be removed now, it goes a day later.
            drop(fs::remove_file(&self.wanted.path));
        }
    }
}

/// Removes files that were handed over long ago and never read.
fn clear_old(folder: &Path, now: Moment) {
    for file in fs::read_dir(folder).into_iter().flatten().flatten() {
        let changed = file.metadata().and_then(|known| known.modified());
        let old = changed.is_ok_and(|at| {
            let at = Moment::of(&chrono::DateTime::<chrono::Utc>::from(at));
            at.is_some_and(|at| now.ms_since(at) > KEPT_HOURS * 3_600_000)
        });
        if old {
            drop(fs::remove_file(file.path()));
        }
    }
}

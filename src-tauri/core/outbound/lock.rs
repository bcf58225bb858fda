//! One sender per job and one runner per bulk, over all processes (design 4.2): a lock of the operating system on a file of the job. It ends
//! with the process that holds it, so it needs no lease and no wall clock, and a killed sender never blocks a job.

use std::{
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
    time::Duration,
};

use sha2::{Digest as _, Sha256};

use crate::{
    error::{Code, Error, Result},
    ids::{BulkMark, JobMark},
    store::turn::own_file,
};

/// Folder of the locks inside the data folder.
const FOLDER: &str = "locks";
/// Endings of their files: a bulk and a job may bear one name.
const JOB: &str = "lock";
const BULK: &str = "bulk";
/// How often, and how far apart, a held lock is tried again: a reader that looks whether it is held holds it itself
/// for a moment.
const TRIES: u32 = 10;
const BETWEEN: Duration = Duration::from_millis(5);

/// The right to send one job, or to run one bulk. Given back when dropped, with the file, so that lock files do not pile up.
#[derive(Debug)]
pub struct JobLock {
    file: File,
    path: PathBuf,
}

impl JobLock {
    /// Takes the lock of the job, or says that another sender holds it.
    ///
    /// # Errors
    /// `Busy` if it is held, `Storage` if the data folder cannot be used.
    pub async fn take(dir: &Path, mark: &JobMark) -> Result<Self> {
        let held = || format!("Another window or program is sending {mark} at this moment. Wait for its answer.");
        take(dir, &path(dir, mark.as_str(), JOB), held).await
    }

    /// Takes the right to run the bulk, or says that another program runs it.
    ///
    /// # Errors
    /// `Busy` if it is held, `Storage` if the data folder cannot be used.
    pub async fn take_bulk(dir: &Path, mark: &BulkMark) -> Result<Self> {
        let held = || format!("Another window or program is at work on {mark} at this moment. Nothing was changed.");
        take(dir, &path(dir, mark.as_str(), BULK), held).await
    }

    /// True if somebody, in whatever process, holds the lock of the job.
    ///
    /// # Errors
    /// `Storage` if the data folder cannot be read.
    pub fn is_held(dir: &Path, mark: &JobMark) -> Result<bool> {
        Self::held(&path(dir, mark.as_str(), JOB))
    }

    /// True if somebody, in whatever process, is at work on the bulk.
    ///
    /// # Errors
    /// `Storage` if the data folder cannot be read.
    pub fn bulk_is_held(dir: &Path, mark: &BulkMark) -> Result<bool> {
        Self::held(&path(dir, mark.as_str(), BULK))
    }

    /// True if somebody holds the lock that lies at `path`; without such a file nobody does.
    ///
    /// # Errors
    /// `Storage` if it cannot be asked.
    pub(crate) fn held(path: &Path) -> Result<bool> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            Err(cause) => return Err(cause.into()),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(cause)) => Err(cause.into()),
        }
    }

    /// Removes the files that killed senders left behind; those that are held stay.
    ///
    /// # Errors
    /// `Storage` if the data folder cannot be read.
    pub fn sweep(dir: &Path) -> Result<()> {
        let entries = match fs::read_dir(dir.join(FOLDER)) {
            Ok(entries) => entries,
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(cause) => return Err(cause.into()),
        };
        for entry in entries {
            // Taking and dropping a free lock removes its file.
            drop(try_take(&entry?.path())?);
        }
        Ok(())
    }
}

impl Drop for JobLock {
    fn drop(&mut self) {
        // Removed while still held: whoever waits on this very file sees that its name is gone and starts over.
        #[cfg(unix)]
        drop(fs::remove_file(&self.path));
        // Closing the file would give it back as well; a failure here changes nothing.
        drop(self.file.unlock());
    }
}

async fn take(dir: &Path, path: &Path, held: impl Fn() -> String) -> Result<JobLock> {
    fs::create_dir_all(dir.join(FOLDER))?;
    for _ in 0..TRIES {
        if let Some(lock) = try_take(path)? {
            return Ok(lock);
        }
        tokio::time::sleep(BETWEEN).await;
    }
    Err(Error::new(Code::Busy, held()))
}

fn path(dir: &Path, name: &str, ending: &str) -> PathBuf {
    let hash = Sha256::digest(name.as_bytes());
    let name: String = hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    dir.join(FOLDER).join(format!("{name}.{ending}"))
}

/// None if another holds it, or if its file was removed between opening and locking.
fn try_take(path: &Path) -> Result<Option<JobLock>> {
    let file = own_file(path)?;
    match file.try_lock() {
        Ok(()) if still_named(&file, path)? => Ok(Some(JobLock { file, path: path.to_owned() })),
        Ok(()) | Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(cause)) => Err(cause.into()),
    }
}

/// True if `path` still names this very file: a lock on a removed file excludes nobody.
#[cfg(unix)]
fn still_named(file: &File, path: &Path) -> Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let ours = file.metadata()?;
    match fs::metadata(path) {
        Ok(named) => Ok(named.dev() == ours.dev() && named.ino() == ours.ino()),
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(cause) => Err(cause.into()),
    }
}

/// Elsewhere lock files are never removed, so a name never changes its file.
#[cfg(not(unix))]
fn still_named(_: &File, _: &Path) -> Result<bool> {
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark() -> JobMark {
        JobMark::new("job_1")
    }

    #[tokio::test]
    async fn one_holds_it_and_the_next_takes_it_after() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!JobLock::is_held(dir.path(), &mark()).unwrap(), "nobody took it yet");
        let lock = JobLock::take(dir.path(), &mark()).await.unwrap();
        assert!(JobLock::is_held(dir.path(), &mark()).unwrap());
        assert_eq!(JobLock::take(dir.path(), &mark()).await.unwrap_err().code, Code::Busy);
        drop(lock);
        assert!(!JobLock::is_held(dir.path(), &mark()).unwrap());
        drop(JobLock::take(dir.path(), &mark()).await.unwrap());
    }

    #[tokio::test]
    async fn files_do_not_pile_up() {
        let dir = tempfile::tempdir().unwrap();
        drop(JobLock::take(dir.path(), &mark()).await.unwrap());
        assert_eq!(fs::read_dir(dir.path().join(FOLDER)).unwrap().count(), 0);
        fs::write(dir.path().join(FOLDER).join("left-behind.lock"), "").unwrap();
        let held = JobLock::take(dir.path(), &mark()).await.unwrap();
        JobLock::sweep(dir.path()).unwrap();
        assert_eq!(fs::read_dir(dir.path().join(FOLDER)).unwrap().count(), 1, "the held one stays");
        assert!(JobLock::is_held(dir.path(), &mark()).unwrap());
        drop(held);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn taking_and_giving_back_at_once_never_lets_two_in() {
        let dir = tempfile::tempdir().unwrap();
        let inside = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
        let tasks = (0..8).map(|_| {
            let (dir, inside) = (dir.path().to_owned(), inside.clone());
            tokio::spawn(async move {
                let mut taken = 0;
                while taken < 50 {
                    let Ok(lock) = JobLock::take(&dir, &mark()).await else { continue };
                    assert_eq!(inside.fetch_add(1, std::sync::atomic::Ordering::SeqCst), 0, "two senders of one job");
                    tokio::task::yield_now().await;
                    inside.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                    drop(lock);
                    taken += 1;
                }
            })
        });
        for task in tasks.collect::<Vec<_>>() {
            task.await.unwrap();
        }
    }
}

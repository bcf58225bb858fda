//! A copy of the log while it is in use. Secrets are not in the log, and so not in its copies either.

use std::{
    fs::{self, File},
    io::ErrorKind,
    path::{Path, PathBuf},
};

use super::{
    FILE,
    inspect::{self, Way},
};
use crate::error::{Code, Error, Result};

/// Writes the log in `dir` as it is at this moment to a new file; gives its size, bytes. Whoever writes goes on.
///
/// # Errors
/// `Refused` if something of that name is there already, `Storage` if the log cannot be read or the file not be written;
/// then nothing of it is left.
pub fn write(dir: &Path, way: Way, to: &Path) -> Result<u64> {
    if to.exists() {
        return Err(Error::refused(format!("{} is there already; nothing was written.", to.display())));
    }
    let part = begin(to).map_err(|cause| not_copied(to, cause.into()))?;
    let done = copy(&dir.join(FILE), way, &part).and_then(|()| {
        File::open(&part)?.sync_all()?;
        // Never over a file that came meanwhile.
        fs::hard_link(&part, to).or_else(|cause| match cause.kind() {
            ErrorKind::AlreadyExists => Err(cause),
            _ => fs::rename(&part, to),
        })?;
        Ok(fs::metadata(to)?.len())
    });
    // Its content is under the right name by now, or is not wanted.
    drop(fs::remove_file(&part));
    done.map_err(|problem| not_copied(to, problem))
}

fn not_copied(to: &Path, problem: Error) -> Error {
    Error::caused(
        Code::Storage,
        format!("The log could not be copied to {}; nothing of it was left there.", to.display()),
        problem,
    )
}

/// An empty file for the owner alone, beside where the copy goes. What has such a name already may be somebody's.
fn begin(to: &Path) -> std::io::Result<PathBuf> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut names = (1_u32..).map(|n| {
        let mut name = to.as_os_str().to_owned();
        name.push(if n == 1 { ".part".to_owned() } else { format!(".part{n}") });
        PathBuf::from(name)
    });
    names
        .find_map(|part| match options.open(&part) {
            Err(cause) if cause.kind() == ErrorKind::AlreadyExists => None,
            opened => Some(opened.map(|_| part)),
        })
        .unwrap_or_else(|| Err(ErrorKind::AlreadyExists.into()))
}

fn copy(log: &Path, way: Way, part: &Path) -> Result<()> {
    let log = inspect::peek(log, way)?;
    log.pragma_update(None, "query_only", "off")?;
    log.execute("VACUUM INTO ?", [part.to_string_lossy()])?;
    Ok(())
}

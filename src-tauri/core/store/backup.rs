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
    let part = part_of(to);
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
    done.map_err(|problem| {
        Error::caused(
            Code::Storage,
            format!("The log could not be copied to {}; nothing of it was left there.", to.display()),
            problem,
        )
    })
}

fn copy(log: &Path, way: Way, part: &Path) -> Result<()> {
    match fs::remove_file(part) {
        Err(cause) if cause.kind() != ErrorKind::NotFound => return Err(cause.into()),
        _ => {}
    }
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    drop(options.open(part)?);
    let log = inspect::peek(log, way)?;
    log.pragma_update(None, "query_only", "off")?;
    log.execute("VACUUM INTO ?", [part.to_string_lossy()])?;
    Ok(())
}

fn part_of(to: &Path) -> PathBuf {
    let mut name = to.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

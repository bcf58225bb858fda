//! Pipes with a name in a folder.

use std::path::{Path, PathBuf};

/// A pipe of that name.
pub(crate) fn made(path: &Path) -> PathBuf {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).unwrap();
    path.to_owned()
}

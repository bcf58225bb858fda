//! Saves what can be read of a damaged log, and says what could not.

use std::path::PathBuf;

use crate::{
    clock::Clock,
    error::{Code, Error, Result},
    store::{
        FILE,
        salvage::{self, Salvaged},
    },
};

/// What came of a repair.
#[derive(Clone, Debug)]
pub struct Repaired {
    /// What was saved.
    pub saved: Salvaged,
    /// Where the damaged log lies now, if what was saved took its place.
    pub aside: Option<PathBuf>,
}

impl Repaired {
    /// Where what was saved lies now.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        if self.aside.is_some() { self.saved.file.with_file_name(FILE) } else { self.saved.file.clone() }
    }

    /// Where what was saved lies, and what to do.
    #[must_use]
    pub fn says(&self) -> String {
        let lost = match self.saved.commits {
            0 => String::new(),
            1 => " Its newest commit could not be read.".to_owned(),
            commits => format!(" Its newest {commits} commits could not be read."),
        };
        match &self.aside {
            Some(aside) => format!(
                "What could be read is the log now; the damaged one lies beside it as {}.{lost} It sends nothing until you \
                 have looked at the accounts and say `reprise go-on`.",
                aside.display()
            ),
            None => format!(
                "What could be read is in {}; the damaged log is as it was.{lost} `reprise doctor --repair --use` puts it in \
                 its place and keeps the damaged one under another name. It sends nothing until you say `reprise go-on`.",
                self.saved.file.display()
            ),
        }
    }
}

/// Saves what can be read of the log in `dir` into a new file beside it; with `put` that takes the log's place, and the
/// damaged one keeps its bytes under another name.
///
/// # Errors
/// As [`salvage::salvage`] and [`salvage::put_in_place`].
pub async fn repair(dir: PathBuf, clock: &Clock, put: bool) -> Result<Repaired> {
    let now = clock.now();
    tokio::task::spawn_blocking(move || {
        let saved = salvage::salvage(&dir, now)?;
        let aside = if put { Some(salvage::put_in_place(&dir, &saved.file)?) } else { None };
        Ok(Repaired { saved, aside })
    })
    .await
    .map_err(|cause| {
        Error::caused(Code::Internal, "A mistake of ours stopped the repair; the log is as it was.", cause)
    })?
}

//! A log to measure with: never the one that was named, since whoever opens a log writes to it.

use std::{fs, path::Path, process::Command};

use rusqlite::Connection;

use crate::{Outcome, process::run};

/// Copies the log in `from` to `to`, sharing blocks where the file system can. Bodies stay in it, however old: ageing out
/// would run beside what is timed.
pub(crate) fn copy_log(from: &Path, to: &Path) -> Outcome<()> {
    fs::create_dir(to)?;
    for name in ["reprise.db", "reprise.db-wal"] {
        let file = from.join(name);
        if file.exists() {
            run(Command::new("cp").arg("--reflink=auto").arg(&file).arg(to.join(name)))?;
        } else if name == "reprise.db" {
            return Err(format!("there is no log in {}: {} is missing", from.display(), file.display()).into());
        }
    }
    Connection::open(to.join("reprise.db"))?
        .execute("INSERT OR REPLACE INTO settings (key, value) VALUES ('bodies_days', 'null')", [])?;
    // What still waits to be written would be written while something is timed.
    run(&mut Command::new("sync"))?;
    Ok(())
}

//! Saves what can be read of a damaged log into a new file beside it: table by table, row by row, around the pages that
//! cannot be read. The damaged file is only read. What judging said is taken along where it can be read and judged anew
//! when the new file is opened; nothing is sent from it until a person says to go on.

mod mend;
mod read;

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OptionalExtension as _, params_from_iter};
use serde::Serialize;

use super::{
    FILE, density,
    faults::Fault,
    inspect::{self, Found, Way},
    migrate,
    turn::turn_to_open,
    way,
};
use crate::{
    clock::Moment,
    error::{Code, Error, Result},
    pozy::contract::Contract,
};
use read::{Around, Table};

/// What became of one table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Saved {
    /// Its name.
    pub table: String,
    /// Rows in the new file.
    pub saved: u64,
    /// Rows that are known to be lost or could not be taken along.
    pub lost: u64,
    /// True if more may be lost than can be counted.
    pub maybe_more: bool,
}

/// What was saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Salvaged {
    /// The new file.
    pub file: PathBuf,
    /// Every table, those of which something is lost first.
    pub tables: Vec<Saved>,
    /// Newest commits that could not be read.
    pub commits: u64,
}

/// Tables that are filled anew from the others: the index of words and how far it came.
fn is_made_anew(table: &str) -> bool {
    let indexes = ["message_index", "job_index", "post_index"];
    indexes.iter().any(|index| table.starts_with(index))
        || ["indexed_to", "indexed_posts", "density", "judging_due"].contains(&table)
}

/// Saves what can be read of the log in `dir` into a new file beside it.
///
/// # Errors
/// `Refused` if the log is sound or nothing of it can be saved, `Busy` if a program has it open, `Storage` if the new
/// file cannot be written; then nothing of it is left.
pub fn salvage(dir: &Path, now: Moment) -> Result<Salvaged> {
    let _turn = turn_to_open(dir)?;
    if way(dir)? != Way::Alone {
        return Err(Error::new(Code::Busy, "Another program has this log open. End it first; nothing was changed."));
    }
    let commits = match inspect::look(dir, Way::Alone)? {
        Found::Nothing => return Err(Error::not_found("There is no log in this folder.")),
        Found::Fault(Fault::DamagedWal { commits }) => commits,
        Found::Fault(fault) if !fault.can_be_salvaged() => return Err(Error::refused(fault.says())),
        Found::Fault(_) | Found::Log { .. } => 0,
    };
    let file = free_name(dir);
    let part = file.with_extension("part");
    let done = save(&dir.join(FILE), &part, now).and_then(|tables| {
        File::open(&part)?.sync_all()?;
        fs::rename(&part, &file)?;
        Ok(tables)
    });
    // Under its right name by now, or not wanted.
    for left in [part.clone(), inspect::wal_of(&part)] {
        drop(fs::remove_file(left));
    }
    let mut tables = done?;
    tables.sort_by_key(|table| (table.lost == 0 && !table.maybe_more, table.table.clone()));
    Ok(Salvaged { file, tables, commits })
}

fn free_name(dir: &Path) -> PathBuf {
    let name = |n: u32| dir.join(if n == 1 { "saved.db".to_owned() } else { format!("saved-{n}.db") });
    (1..).map(name).find(|file| !file.exists()).unwrap_or_else(|| name(1))
}

fn save(damaged: &Path, part: &Path, now: Moment) -> Result<Vec<Saved>> {
    drop(fs::remove_file(part));
    let old = read::open(damaged)?;
    let mut new = fresh(part)?;
    let all = new.transaction()?;
    let triggers = mend::take_triggers(&all)?;
    let mut tables = Vec::new();
    for table in Table::all(&all)?.into_iter().filter(|table| !is_made_anew(&table.name)) {
        tables.push(copy(&old, &all, &table)?);
    }
    mend::look_up_contents(&old, &all)?;
    let dropped = mend::mend(&all, now, &contract_of(&all)?)?;
    for saved in &mut tables {
        let gone = dropped.get(&saved.table).copied().unwrap_or_default();
        saved.saved = mend::count(&all, &saved.table)?;
        saved.lost += gone;
    }
    triggers.iter().try_for_each(|sql| all.execute_batch(sql))?;
    density::count_anew(&all)?;
    if tables.iter().all(|table| table.saved == 0 || table.table == "moves") {
        return Err(Error::refused(
            "Nothing of this log can be read any more, so nothing was saved; it is as it was. Put a backup in its place.",
        ));
    }
    all.commit()?;
    Ok(tables)
}

/// The settings of the provider that the log was kept for, as far as that can be told.
fn contract_of(log: &Connection) -> Result<Contract> {
    let sql = "SELECT provider FROM workspaces ORDER BY saved DESC, id LIMIT 1";
    let provider = log.query_row(sql, [], |row| row.get::<_, String>(0)).optional()?;
    provider
        .map_or_else(|| Contract::shipped("pozy"), |own| Contract::shipped(&own).or_else(|_| Contract::shipped("pozy")))
}

/// Puts what was saved in the place of the damaged log, which keeps its bytes under another name; gives that.
///
/// # Errors
/// `Busy` if a program has the log open, `Storage` if a file cannot be renamed.
pub fn put_in_place(dir: &Path, saved: &Path) -> Result<PathBuf> {
    let _turn = turn_to_open(dir)?;
    if way(dir)? != Way::Alone {
        return Err(Error::new(Code::Busy, "Another program has this log open. End it first; nothing was changed."));
    }
    let name = |n: u32| dir.join(if n == 1 { "damaged.db".to_owned() } else { format!("damaged-{n}.db") });
    let aside = (1..).map(name).find(|file| !file.exists()).unwrap_or_else(|| name(1));
    let log = dir.join(FILE);
    drop(fs::remove_file(dir.join(format!("{FILE}-shm"))));
    // The file last: while it is still there nothing takes its name.
    for (from, to) in [(inspect::wal_of(&log), inspect::wal_of(&aside)), (log.clone(), aside.clone())] {
        match fs::rename(from, to) {
            Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => return Err(cause.into()),
            _ => {}
        }
    }
    fs::rename(saved, &log)?;
    Ok(aside)
}

fn fresh(part: &Path) -> Result<Connection> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    drop(options.open(part)?);
    let handle = tokio::runtime::Handle::current();
    handle.block_on(migrate::create(part))?;
    let new = Connection::open(part)?;
    new.pragma_update(None, "journal_mode", "delete")?;
    new.pragma_update(None, "foreign_keys", "off")?;
    Ok(new)
}

/// Copies what can be read of one table.
fn copy(old: &Connection, new: &Connection, table: &Table) -> Result<Saved> {
    let mut saved = Saved { table: table.name.clone(), saved: 0, lost: 0, maybe_more: false };
    let columns = table.shared_with(old);
    if columns.is_empty() {
        // Not there in an older layout, or not readable; both are told by whether the layout should have it.
        saved.maybe_more = table.should_be_in(old);
        return Ok(saved);
    }
    let places = vec!["?"; columns.len()].join(", ");
    let insert = format!("INSERT OR IGNORE INTO \"{}\" ({}) VALUES ({places})", table.name, columns.join(", "));
    let mut insert = new.prepare(&insert)?;
    let mut refused = 0;
    let around = Around::walk(old, table, &columns, &mut |row| {
        refused += u64::from(insert.execute(params_from_iter(row)).is_err());
    });
    saved.lost = around.missing + refused;
    saved.maybe_more = around.unknown;
    Ok(saved)
}

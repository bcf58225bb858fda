//! Reads a damaged table around what cannot be read of it.

use std::path::Path;

use rusqlite::{Connection, types::Value};

use crate::{
    error::Result,
    store::inspect::{self, Way},
};

/// Most ranges of one table that are tried in search of rows between damaged pages.
const TRIES: u32 = 20_000;

/// Opens a damaged file so that as much as possible of its layout is known.
pub(super) fn open(file: &Path) -> Result<Connection> {
    let old = inspect::peek(file, Way::Alone)?;
    old.pragma_update(None, "query_only", "off")?;
    // Layout that cannot be read is left out instead of standing in the way of the rest. The file is open for reading
    // only; the first question after this may still fail.
    drop(old.pragma_update(None, "writable_schema", "on"));
    drop(old.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(())));
    Ok(old)
}

/// A table of the layout.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) name: String,
    columns: Vec<String>,
    has_rowid: bool,
    /// What its rows are ordered by where they have no number.
    key: Vec<String>,
}

impl Table {
    /// Every table of a sound log, parents before children.
    pub(super) fn all(log: &Connection) -> Result<Vec<Self>> {
        let mut statement = log.prepare(
            "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' \
             AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '\\_sqlx%' ESCAPE '\\' ORDER BY name",
        )?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?)))?;
        let mut all = Vec::new();
        for row in rows {
            let (name, without_rowid) = row?;
            let mut info = log.prepare("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid")?;
            let columns = info.query_map([&name], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))?;
            let columns = columns.collect::<rusqlite::Result<Vec<_>>>()?;
            let mut key: Vec<_> = columns.iter().filter(|(_, pk)| *pk > 0).cloned().collect();
            key.sort_by_key(|(_, pk)| *pk);
            all.push(Self {
                name,
                columns: columns.into_iter().map(|(name, _)| name).collect(),
                has_rowid: !without_rowid,
                key: key.into_iter().map(|(name, _)| name).collect(),
            });
        }
        Ok(all)
    }

    /// Its columns that the damaged log has, too; none if the table is not known there.
    pub(super) fn shared_with(&self, old: &Connection) -> Vec<String> {
        let known = || -> rusqlite::Result<Vec<String>> {
            let mut info = old.prepare("SELECT name FROM pragma_table_info(?)")?;
            info.query_map([&self.name], |row| row.get(0))?.collect()
        };
        let known = known().unwrap_or_default();
        self.columns.iter().filter(|column| known.contains(column)).cloned().collect()
    }

    /// True unless the damaged log is of a layout that had no such table.
    pub(super) fn should_be_in(&self, old: &Connection) -> bool {
        let version = old.query_row("SELECT max(version) FROM _sqlx_migrations", [], |row| row.get::<_, i64>(0));
        let Ok(version) = version else { return true };
        inspect::has_table(version, &self.name)
    }
}

/// What could not be read of a table.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Around {
    /// Numbers of rows between readable ones that gave nothing: at most so many rows are lost there.
    pub(super) missing: u64,
    /// True if rows are lost that nothing counts.
    pub(super) unknown: bool,
}

type Give<'a> = dyn FnMut(Vec<Value>) + 'a;

struct Walk<'a> {
    old: &'a Connection,
    table: &'a Table,
    columns: usize,
    listed: String,
    tries: u32,
    found: Around,
}

impl Around {
    /// Gives every row that can be read, some of them twice.
    pub(super) fn walk(old: &Connection, table: &Table, columns: &[String], give: &mut Give<'_>) -> Self {
        let listed = columns.join(", ");
        let mut walk = Walk { old, table, columns: columns.len(), listed, tries: TRIES, found: Self::default() };
        if table.has_rowid {
            walk.numbered(give);
        } else {
            walk.keyed(give);
        }
        walk.found
    }
}

impl Walk<'_> {
    /// Reads a range in one direction until its end or the first thing that cannot be read; gives the last number read
    /// and whether it came to the end.
    fn run(&mut self, from: i64, to: i64, up: bool, give: &mut Give<'_>) -> (Option<i64>, bool) {
        self.tries = self.tries.saturating_sub(1);
        let sql = format!(
            "SELECT rowid, {} FROM \"{}\" WHERE rowid BETWEEN ?1 AND ?2 ORDER BY rowid {}",
            self.listed,
            self.table.name,
            if up { "ASC" } else { "DESC" }
        );
        let mut last = None;
        let mut read = || -> rusqlite::Result<()> {
            let mut statement = self.old.prepare_cached(&sql)?;
            let mut rows = statement.query([from, to])?;
            while let Some(row) = rows.next()? {
                let number = row.get(0)?;
                let values = (1..=self.columns).map(|at| row.get(at)).collect::<rusqlite::Result<Vec<Value>>>()?;
                last = Some(number);
                give(values);
            }
            Ok(())
        };
        let whole = read().is_ok();
        (last, whole)
    }

    fn numbered(&mut self, give: &mut Give<'_>) {
        let (low, whole) = self.run(i64::MIN, i64::MAX, true, give);
        if whole {
            return;
        }
        let (high, whole) = self.run(low.map_or(i64::MIN, |low| low + 1), i64::MAX, false, give);
        match (low, high) {
            // The end was met from the other side: only what lies between is lost, and nothing does.
            (_, None) if whole => {}
            (low, Some(high)) => self.between(low.map_or(1, |low| low + 1), high - 1, give),
            (_, None) => self.found.unknown = true,
        }
    }

    /// Looks for rows between two damaged places by halves.
    fn between(&mut self, from: i64, to: i64, give: &mut Give<'_>) {
        if from > to {
            return;
        }
        let lost = |from: i64, to: i64| u64::try_from(to.saturating_sub(from)).unwrap_or(0).saturating_add(1);
        if self.tries == 0 {
            self.found.missing += lost(from, to);
            return;
        }
        let (low, whole) = self.run(from, to, true, give);
        if whole {
            return;
        }
        let from = low.map_or(from, |low| low + 1);
        let (high, _) = self.run(from, to, false, give);
        let to = high.map_or(to, |high| high - 1);
        if from >= to {
            self.found.missing += if from == to { 1 } else { 0 };
            return;
        }
        let middle = from + (to - from) / 2;
        self.between(from, middle, give);
        self.between(middle + 1, to, give);
    }

    /// Rows without numbers are read from both ends of their order.
    fn keyed(&mut self, give: &mut Give<'_>) {
        for direction in ["ASC", "DESC"] {
            let order: Vec<String> = self.table.key.iter().map(|column| format!("{column} {direction}")).collect();
            let sql = format!("SELECT {} FROM \"{}\" ORDER BY {}", self.listed, self.table.name, order.join(", "));
            let mut read = || -> rusqlite::Result<()> {
                let mut statement = self.old.prepare(&sql)?;
                let mut rows = statement.query([])?;
                while let Some(row) = rows.next()? {
                    give((0..self.columns).map(|at| row.get(at)).collect::<rusqlite::Result<Vec<Value>>>()?);
                }
                Ok(())
            };
            if read().is_ok() {
                return;
            }
        }
        self.found.unknown = true;
    }
}

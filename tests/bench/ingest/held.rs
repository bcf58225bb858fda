//! What a receiver holds after a round: how often each event arrived, as far as the receiver can tell.

use std::{collections::HashMap, fs, path::PathBuf, process::Command};

use rusqlite::{Connection, OpenFlags};
use serde::Deserialize;

use crate::{Outcome, postgres::Postgres, process::run};

/// How often each event arrived, by its id.
#[derive(Default)]
pub(crate) struct Held(pub(crate) HashMap<String, usize>);

/// What could be read of a receiver's store.
pub(crate) enum Found {
    /// Every arrival.
    Arrivals(Held),
    /// Events, each once; their copies left no trace.
    Events(Vec<String>),
    /// It keeps nothing.
    Nothing,
}

/// Where a receiver keeps what it took.
#[derive(PartialEq)]
pub(crate) enum Holds {
    /// A log of Reprise's, all of it; asked by its own program.
    Log {
        program: PathBuf,
        data: PathBuf,
    },
    /// A log of Reprise's that was long before: what came after this arrival.
    Newest {
        data: PathBuf,
        after: i64,
    },
    /// The recipes' table.
    Table,
    /// svix-server's table.
    Svix,
    /// Redis at this port.
    Redis(u16),
    /// A file with a body a line.
    Bodies(PathBuf),
    /// A file with an id a line.
    Lines(PathBuf),
    /// A file of mitmdump's.
    Flows(PathBuf),
    Nothing,
}

/// A line of `reprise arrivals --json`, as far as it matters here.
#[derive(Deserialize)]
struct Row {
    event: Option<String>,
    standing: String,
    copy: i64,
}

#[derive(Deserialize)]
struct Body {
    id: String,
}

impl Holds {
    /// What is recorded from now on in the log in `data`.
    pub(crate) fn after_newest(data: &std::path::Path) -> Outcome<Self> {
        let after = reader(data)?.query_row("SELECT coalesce(max(seq), 0) FROM arrivals", [], |row| row.get(0))?;
        Ok(Self::Newest { data: data.to_owned(), after })
    }

    /// True if the file is whole only after the receiver has ended.
    pub(crate) const fn only_once_ended(&self) -> bool {
        matches!(self, Self::Flows(_))
    }

    pub(crate) fn read(&self, postgres: Option<&Postgres>) -> Outcome<Found> {
        let counted = |ids: &mut dyn Iterator<Item = String>| {
            let mut held = Held::default();
            for id in ids {
                *held.0.entry(id).or_insert(0) += 1;
            }
            Found::Arrivals(held)
        };
        match self {
            Self::Log { program, data } => {
                let lines = run(Command::new(program).arg("--json").arg("--data").arg(data).arg("arrivals"))?;
                let rows = lines.lines().map(serde_json::from_str).collect::<Result<Vec<Row>, _>>()?;
                arrivals(rows)
            }
            Self::Newest { data, after } => {
                let log = reader(data)?;
                let mut sql = log.prepare(
                    "SELECT a.event, s.standing, s.copy FROM arrivals a JOIN standings s USING (seq) WHERE a.seq > ?1",
                )?;
                let rows = sql.query_map([after], |row| {
                    Ok(Row { event: row.get(0)?, standing: row.get(1)?, copy: row.get(2)? })
                })?;
                arrivals(rows.collect::<Result<_, _>>()?)
            }
            Self::Table => Ok(Found::Events(postgres.ok_or("no PostgreSQL")?.ask("SELECT id FROM pozy_events")?)),
            Self::Svix => Ok(Found::Events(postgres.ok_or("no PostgreSQL")?.ask("SELECT uid FROM message")?)),
            Self::Redis(port) => {
                let keys = run(Command::new("redis-cli").args(["-p", &port.to_string(), "--raw", "KEYS", "*"]))?;
                Ok(Found::Events(keys.lines().map(str::to_owned).collect()))
            }
            Self::Bodies(file) => {
                let text = fs::read_to_string(file)?;
                let bodies = text.lines().map(serde_json::from_str).collect::<Result<Vec<Body>, _>>()?;
                Ok(counted(&mut bodies.into_iter().map(|body| body.id)))
            }
            Self::Lines(file) => Ok(counted(&mut fs::read_to_string(file)?.lines().map(str::to_owned))),
            Self::Flows(file) => {
                let ids = run(Command::new("/usr/bin/python3").arg("tests/bench/peers/flow_ids.py").arg(file))?;
                Ok(counted(&mut ids.lines().map(str::to_owned)))
            }
            Self::Nothing => Ok(Found::Nothing),
        }
    }
}

impl Found {
    /// Compares with what was sent and accepted.
    ///
    /// # Errors
    /// What is missing or too much, in words that follow the name of the receiver.
    pub(crate) fn fits(self, sent: &Held) -> Result<(), String> {
        let (held, wanted) = match self {
            Self::Nothing => return Ok(()),
            Self::Arrivals(held) => (held, sent.0.clone()),
            Self::Events(ids) => {
                let mut held = Held::default();
                for id in ids {
                    *held.0.entry(id).or_insert(0) += 1;
                }
                (held, sent.0.keys().map(|id| (id.clone(), 1)).collect())
            }
        };
        if held.0 == wanted {
            return Ok(());
        }
        let lost = wanted.iter().filter(|(id, times)| held.0.get(*id).copied().unwrap_or(0) < **times).count();
        let (rows, copies) = count(&held.0);
        let (wanted_rows, wanted_copies) = count(&wanted);
        Err(format!(
            "holds {rows} rows with {copies} copies instead of {wanted_rows} with {wanted_copies}; {lost} events fall short"
        ))
    }
}

/// Rows and copies among them.
fn count(times: &HashMap<String, usize>) -> (usize, usize) {
    let rows = times.values().sum();
    (rows, rows - times.len())
}

/// Reads a log beside the program that writes it.
fn reader(data: &std::path::Path) -> Outcome<Connection> {
    Ok(Connection::open_with_flags(data.join("reprise.db"), OpenFlags::SQLITE_OPEN_READ_ONLY)?)
}

/// Every event must have one first arrival, and the rest must stand as its copies.
fn arrivals(rows: Vec<Row>) -> Outcome<Found> {
    let mut held = Held::default();
    let mut firsts = 0_usize;
    for row in rows {
        let event = row.event.ok_or("an arrival without an event")?;
        match (row.standing.as_str(), row.copy) {
            ("first", 1) => firsts += 1,
            ("duplicate", 2..) => {}
            (standing, copy) => return Err(format!("{event} stands as {standing} {copy}").into()),
        }
        *held.0.entry(event).or_insert(0) += 1;
    }
    let events = held.0.len();
    if firsts == events { Ok(Found::Arrivals(held)) } else { Err(format!("{firsts} firsts of {events} events").into()) }
}

//! The same bins by SQL on the same file: what a program does that keeps rows and counts them when it is asked.

use std::{path::Path, time::Duration};

use rusqlite::{Connection, OpenFlags};
use tokio::time::Instant;

use crate::{Outcome, calls::Log, calls::ZOOMS, dice::Dice};

/// Bins of a picture.
const BINS: i64 = 2_000;
const NANOSECONDS: i64 = 1_000_000;

/// How long a `GROUP BY` takes over each zoom, sorted.
pub(crate) struct Scans(pub(crate) Vec<Vec<Duration>>);

impl Scans {
    pub(crate) fn of(data: &Path, log: &Log, dice: &mut Dice, rounds: usize) -> Outcome<Self> {
        let sql = Connection::open_with_flags(data.join("reprise.db"), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let mut bins = sql
            .prepare("SELECT (at_ns - ?1) / ?3, count(*) FROM arrivals WHERE at_ns >= ?1 AND at_ns <= ?2 GROUP BY 1")?;
        let mut scans = Vec::new();
        for (name, zoom) in ZOOMS {
            let mut times = Vec::new();
            for _ in 0..rounds.max(1) {
                let (from, to) = log.stretch(dice, zoom);
                let width = ((to - from) / BINS).max(1);
                let begun = Instant::now();
                let rows =
                    bins.query_map([from * NANOSECONDS, to * NANOSECONDS, width * NANOSECONDS], |row| row.get(1))?;
                let counted = rows.collect::<Result<Vec<i64>, _>>()?;
                times.push(begun.elapsed());
                if zoom.is_none() && counted.iter().sum::<i64>() > log.arrivals {
                    return Err(format!("the scan of {name} counts more than the {} arrivals", log.arrivals).into());
                }
            }
            times.sort_unstable();
            scans.push(times);
        }
        Ok(Self(scans))
    }
}

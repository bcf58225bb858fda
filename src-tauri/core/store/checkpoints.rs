//! Moves the write-ahead log into the file of the log, on a connection of its own.

use std::{
    sync::mpsc::{Receiver, RecvTimeoutError},
    time::Duration,
};

use rusqlite::Connection;

use super::durable::{self, Failed};
use crate::error::Error;

/// How often the second connection looks how far the write-ahead log is ahead of the file.
const LOOK: Duration = Duration::from_millis(500);
/// Pages that it may be ahead while something is written: 4 MiB in a new log.
const MUCH_AHEAD: i64 = 2_048;
/// How often what was written meanwhile is moved, too, before that is left for later.
const TURNS: usize = 16;

/// Moves the write-ahead log into the file, passively: it never waits for anyone and never makes anyone wait. What it writes
/// to the disk does hold up a commit that asks for the disk at that moment, so it works where nobody writes, or rarely and
/// then to the end: a write-ahead log that was moved whole is written from its beginning again and stays as long as it is.
/// Leaves when the channel closes.
pub(super) fn make(connection: &Connection, stop: &Receiver<()>, failed: &Failed) {
    let (mut before, mut told) = (None, false);
    while let Err(RecvTimeoutError::Timeout) = stop.recv_timeout(LOOK) {
        // One that could not be looked at, or moved, is made up for by the next look.
        let Ok(mut now) = ahead(connection, "NOOP") else { continue };
        let rests = before == Some(now.pages);
        before = Some(now.pages);
        if rests || now.left() >= MUCH_AHEAD {
            catch_up(connection, &mut now).unwrap_or_else(|problem| tell_once(problem, &mut told, failed));
        }
    }
}

/// Moves what there is and, as long as that gets less, what was written meanwhile.
fn catch_up(connection: &Connection, now: &mut Ahead) -> rusqlite::Result<()> {
    for _ in 0..TURNS {
        if now.left() == 0 {
            break;
        }
        let then = ahead(connection, "PASSIVE")?;
        // In a flood as much comes as is moved: the same pages would be written over and over.
        let catches_up = then.left() <= now.left() / 2;
        *now = then;
        if !catches_up {
            break;
        }
    }
    Ok(())
}

/// Says once that the file of the log takes nothing: what was received is safe in the write-ahead log, which gets longer.
fn tell_once(problem: rusqlite::Error, told: &mut bool, failed: &Failed) {
    if !std::mem::replace(told, true) {
        tracing::warn!(%problem, "reprise.db takes nothing for now; what comes is kept in reprise.db-wal, which grows");
    }
    let problem = Error::from(problem);
    if problem.is_refusal_of_disk() {
        durable::fails(failed, &problem);
    }
}

/// How far the write-ahead log is ahead of the file, in pages.
struct Ahead {
    pages: i64,
    moved: i64,
}

impl Ahead {
    const fn left(&self) -> i64 {
        self.pages - self.moved
    }
}

/// Asks for a checkpoint of a kind that waits for nobody, and how far the write-ahead log is ahead after it.
fn ahead(connection: &Connection, kind: &str) -> rusqlite::Result<Ahead> {
    connection.query_row(&format!("PRAGMA wal_checkpoint({kind})"), [], |row| {
        Ok(Ahead { pages: row.get(1)?, moved: row.get(2)? })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        clock::Clock,
        store::{
            migrate,
            writer::{Writer, connect},
        },
    };

    #[tokio::test]
    async fn a_write_ahead_log_that_rests_is_moved_whole_and_begun_anew() {
        let dir = tempfile::tempdir().unwrap();
        let connection = connect(&dir.path().join("log.db")).unwrap();
        migrate::lay_out(&connection, migrate::newest()).unwrap();
        connection.execute_batch("CREATE TABLE bulk (bytes BLOB)").unwrap();
        let writer = Writer::start(&dir.path().join("log.db")).unwrap();
        let put = |bytes: i64| {
            writer.write(move |log| Ok(log.execute("INSERT INTO bulk VALUES (zeroblob(?))", [bytes])?), false)
        };
        put(1 << 20).await.unwrap();
        let written = ahead(&connection, "NOOP").unwrap();
        assert!(written.pages > 256, "{} pages", written.pages);
        let begun = Clock::stopwatch();
        while ahead(&connection, "NOOP").unwrap().left() > 0 {
            assert!(begun.ms() < 60_000, "nobody moves it");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        put(1).await.unwrap();
        assert!(ahead(&connection, "NOOP").unwrap().pages < 10);
        writer.close();
    }
}

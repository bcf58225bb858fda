//! The writing connection keeps what it read and wrote in memory, up to 32 MiB, for as long as it is open. Once little is
//! written that memory is given back: a program that waits holds no more than it needs for that.

use rusqlite::Connection;

use crate::clock::{Clock, Stopwatch};

/// How long what is written is counted, milliseconds.
const COUNTED_MS: i64 = 10_000;
/// Fewer pieces of work than this in that time are little: signs of life and a message now and then.
const FEW: usize = 64;

/// Counts what is written.
pub(super) struct Ease {
    since: Stopwatch,
    pieces: usize,
}

impl Ease {
    pub(super) fn new() -> Self {
        Self { since: Clock::stopwatch(), pieces: 0 }
    }

    /// To be told of each batch, with how many pieces it had.
    pub(super) fn after(&mut self, pieces: usize, connection: &Connection) {
        if self.is_time(pieces, self.since.ms()) {
            // What stays in memory is only slower to be had if this fails.
            drop(connection.execute_batch("PRAGMA shrink_memory"));
        }
    }

    /// True if a time in which little was written is over.
    fn is_time(&mut self, pieces: usize, ms: i64) -> bool {
        self.pieces += pieces;
        if ms < COUNTED_MS {
            return false;
        }
        let little = self.pieces < FEW;
        *self = Self::new();
        little
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_given_back_after_a_time_in_which_little_was_written() {
        let mut ease = Ease::new();
        assert!(!ease.is_time(1, 5_000) && ease.is_time(1, 10_000), "two signs of life");
        assert!(!ease.is_time(FEW, 5_000) && !ease.is_time(1, 10_000), "a busy time");
        assert!(!ease.is_time(1, 9_999) && ease.is_time(1, 60_000), "the time behind it");
    }
}

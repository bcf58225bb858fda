//! The questions: what the screens ask, at random places of the log.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

use crate::{Door, Outcome, dice::Dice};

pub(crate) const HOUR_MS: i64 = 3_600_000;
/// Columns of a picture.
const BINS: i64 = 2_000;

/// The zooms of the Timeline: how much of the log fills the picture; none is all of it.
pub(crate) const ZOOMS: [(&str, Option<i64>); 7] = [
    ("2 minutes", Some(120_000)),
    ("an hour", Some(HOUR_MS)),
    ("6 hours", Some(6 * HOUR_MS)),
    ("a day", Some(24 * HOUR_MS)),
    ("a week", Some(7 * 24 * HOUR_MS)),
    ("30 days", Some(30 * 24 * HOUR_MS)),
    ("the whole log", None),
];

/// Words of the texts of tests/bench/ingest/texts.rs, and some that are in none.
const WORDS: [(&str, &str); 9] = [
    ("a word, English", "toasters "),
    ("the beginning of one, German", "fahrrä"),
    ("a word, Ukrainian", "паляниць "),
    ("a word, Arabic", "رغيفًا "),
    ("a word, Hindi", "रोटियाँ "),
    ("a part, Japanese", "食パン"),
    ("a part, Korean", "식빵"),
    ("a phrase, English", "\"river path\""),
    ("no word there is", "nowhereatall "),
];

/// What a kind of question budgets as (P4).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Timeline,
    Row,
    Search,
}

/// The kinds of question, in the order of the report.
pub(crate) fn kinds() -> Vec<(String, Part)> {
    let zooms = ZOOMS.iter().map(|(name, _)| (format!("Timeline, {name}"), Part::Timeline));
    let rows = [
        ("the map of the whole log, 2,000 bins", Part::Timeline),
        ("Events, the newest page", Part::Row),
        ("Events, a page anywhere", Part::Row),
        ("Events, a page of copies anywhere", Part::Row),
        ("an arrival, whole", Part::Row),
        ("the arrivals of an event", Part::Row),
        ("state and counts of the top bar", Part::Row),
    ];
    let rows = rows.into_iter().map(|(name, part)| (name.to_owned(), part));
    let words = WORDS.iter().map(|(name, _)| (format!("search, {name}"), Part::Search));
    zooms.chain(rows).chain(words).collect()
}

/// One question.
pub(crate) struct Asked {
    /// Its kind: its place in [`kinds`].
    pub(crate) kind: usize,
    pub(crate) name: &'static str,
    pub(crate) args: Value,
}

/// What is known of the log before anything is timed.
pub(crate) struct Log {
    pub(crate) from_ms: i64,
    pub(crate) to_ms: i64,
    pub(crate) arrivals: i64,
    newest_seq: i64,
    /// Bytes of the bodies in it as they came.
    pub(crate) bodies: u64,
    pub(crate) bodies_kept: i64,
    /// Some events.
    events: Vec<String>,
}

impl Log {
    pub(crate) async fn of(door: &mut Door, data: &Path) -> Outcome<Self> {
        let (_, map) = door.ask("timeline_map", json!({ "bins": 2_000 })).await?;
        let from_ms = map["from_ms"].as_i64().ok_or("the log is empty")?;
        let counts: i64 = map["counts"].as_array().into_iter().flatten().filter_map(Value::as_i64).sum();
        let sql = Connection::open_with_flags(data.join("reprise.db"), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let (newest_seq, arrivals, newest_ns): (i64, i64, i64) =
            sql.query_row("SELECT max(seq), count(*), max(at_ns) FROM arrivals", [], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })?;
        let to_ms = newest_ns / 1_000_000 + 1;
        let (bodies_kept, bodies): (i64, i64) =
            sql.query_row("SELECT count(*), sum(a.body_len) FROM arrivals a JOIN bodies b USING (seq)", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
        if counts > arrivals {
            return Err(format!("the map counts {counts} arrivals, the table holds {arrivals}").into());
        }
        let step = (newest_seq / 200).max(1);
        let mut sample =
            sql.prepare("SELECT event FROM arrivals WHERE seq % ?1 = 0 AND aside IS NULL AND seq <= ?2")?;
        let events = sample.query_map([step, step * 200], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
        Ok(Self { from_ms, to_ms, arrivals, newest_seq, bodies: u64::try_from(bodies)?, bodies_kept, events })
    }

    /// An instant of the log.
    fn anywhere(&self, dice: &mut Dice) -> i64 {
        let span = usize::try_from(self.to_ms - self.from_ms).unwrap_or(1).max(1);
        self.from_ms + i64::try_from(dice.below(span)).unwrap_or(0)
    }

    /// A stretch as long as the zoom, somewhere in the log.
    pub(crate) fn stretch(&self, dice: &mut Dice, zoom: Option<i64>) -> (i64, i64) {
        match zoom {
            Some(long) if long < self.to_ms - self.from_ms => {
                let end = (self.from_ms + long).max(self.anywhere(dice));
                (end - long, end)
            }
            _ => (self.from_ms, self.to_ms),
        }
    }
}

/// The Timeline's question for `long` milliseconds that end at `end_ms`.
pub(crate) fn span(end_ms: i64, long: i64) -> Value {
    // As the screens ask: a power of two, at most the zoom's own.
    let resolution = (1_u64 << u64::try_from(long / BINS).unwrap_or(1).max(1).ilog2()).max(1);
    json!({ "from_ms": end_ms - long, "to_ms": end_ms, "resolution_ms": resolution, "groups": 40 })
}

/// `rounds` questions of each kind, in shuffled order.
pub(crate) fn questions(dice: &mut Dice, log: &Log, rounds: usize) -> Vec<Asked> {
    let mut questions = Vec::new();
    for _ in 0..rounds {
        let mut next = 0;
        let mut ask = |name: &'static str, args: Value| {
            questions.push(Asked { kind: next, name, args });
            next += 1;
        };
        for (_, zoom) in ZOOMS {
            let (from, to) = log.stretch(dice, zoom);
            ask("timeline", span(to, to - from));
        }
        ask("timeline_map", json!({ "bins": BINS }));
        ask("events", json!({ "limit": 50 }));
        // A place in the list is an instant and a row of it; no row sorts before the empty name.
        ask("events", json!({ "limit": 50, "after": format!("{}000000:event:", log.anywhere(dice)) }));
        let copies = json!({ "limit": 50, "only": "copies", "after": format!("{}000000:event:", log.anywhere(dice)) });
        ask("events", copies);
        let seq = 1 + dice.below(usize::try_from(log.newest_seq).unwrap_or(1));
        ask("arrival", json!({ "seq": seq }));
        let event = log.events.get(dice.below(log.events.len())).cloned().unwrap_or_default();
        ask("event_arrivals", json!({ "event": event }));
        ask("status", json!({}));
        for (_, words) in WORDS {
            ask("search", json!({ "text": words, "limit": 20 }));
        }
    }
    dice.shuffle(&mut questions);
    questions
}

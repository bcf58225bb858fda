//! A log in memory for the tests of this folder: records bodies and dumps what judging says of them.

use rusqlite::Connection;
use serde_json::{Value, json};

use super::{
    arrival::{Arrival, Request, Told},
    record::{Recorded, record},
    rejudge::{rejudge_events, rejudge_resources},
    verify::Verified,
};
use crate::{
    clock::Moment,
    ids::{ImportId, SessionId},
    pozy::contract::Contract,
    store::{density, migrate::in_memory},
};

/// The log and the provider settings it judges by.
pub(crate) struct TestLog {
    pub(crate) db: Connection,
    pub(crate) pozy: Contract,
}

/// What one request was, beside its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Came {
    pub(crate) at: Moment,
    pub(crate) channel: Channel,
    pub(crate) took_ms: Option<i64>,
    pub(crate) answer: Option<u16>,
    pub(crate) headers: Vec<(String, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channel {
    Signed,
    Unchecked,
    Forged,
    Imported,
}

impl Came {
    pub(crate) fn imported(at: &str, took_ms: i64, answer: u16) -> Self {
        let at = at.parse().unwrap();
        Self { at, channel: Channel::Imported, took_ms: Some(took_ms), answer: Some(answer), headers: Vec::new() }
    }

    pub(crate) fn live(at: &str, channel: Channel) -> Self {
        Self { at: at.parse().unwrap(), channel, took_ms: None, answer: None, headers: Vec::new() }
    }
}

impl TestLog {
    pub(crate) fn new() -> Self {
        let db = in_memory();
        db.execute_batch(
            "INSERT INTO sessions (id, address, started_ns, alive_ns) VALUES (1, 'test', 0, 0); \
             INSERT INTO imports (id, at_ns, file) VALUES (1, 0, 'test');",
        )
        .unwrap();
        density::watch(&db).unwrap();
        Self { db, pozy: Contract::shipped("pozy").unwrap() }
    }

    pub(crate) fn record(&self, came: &Came, body: &str) -> Recorded {
        let verified = match came.channel {
            Channel::Signed => Verified::Valid,
            Channel::Forged => Verified::Invalid,
            Channel::Unchecked | Channel::Imported => Verified::Unchecked,
        };
        let request =
            Request { at: came.at, endpoint: "pozy", headers: &came.headers, body: Some(body.as_bytes()), verified };
        let arrival = match came.channel {
            Channel::Imported => {
                let told = Told { answer: came.answer, took_ms: came.took_ms, ..Told::default() };
                Arrival::imported(ImportId(1), &request, told, &self.pozy)
            }
            _ => Arrival::live(SessionId(1), &request, &self.pozy),
        };
        record(&self.db, &arrival, &self.pozy).unwrap()
    }

    /// A fetch that saw one lane.
    pub(crate) fn sight(&self, resource: &str, lane: &str, status: &str, at: Moment) {
        self.db.execute("INSERT INTO observations (at_ns, path, status) VALUES (?, '/v1/x', 200)", [at.0]).unwrap();
        self.db
            .execute(
                "INSERT INTO sightings (observation, lane, resource, status, at_ns) VALUES (?, ?, ?, ?, ?)",
                rusqlite::params![self.db.last_insert_rowid(), lane, resource, status, at.0],
            )
            .unwrap();
        super::record::rejudge_resource(&self.db, &crate::ids::Resource::new(resource)).unwrap();
    }

    pub(crate) fn rejudge_all(&self) {
        let mut after = Some(String::new());
        while let Some(from) = after {
            after = rejudge_events(&self.db, &from, &self.pozy).unwrap();
        }
        let mut after = Some(String::new());
        while let Some(from) = after {
            after = rejudge_resources(&self.db, &from).unwrap();
        }
    }

    /// Rows of a query as JSON objects.
    pub(crate) fn rows(&self, sql: &str) -> Vec<Value> {
        let mut statement = self.db.prepare_cached(sql).unwrap();
        let names: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
        let mut rows = statement.query([]).unwrap();
        let mut all = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            let cell = |index: usize| match row.get_ref(index).unwrap() {
                rusqlite::types::ValueRef::Null => Value::Null,
                rusqlite::types::ValueRef::Integer(number) => json!(number),
                rusqlite::types::ValueRef::Text(text) => json!(String::from_utf8_lossy(text)),
                other => json!(format!("{other:?}")),
            };
            all.push(names.iter().enumerate().map(|(index, name)| (name.clone(), cell(index))).collect());
        }
        all
    }

    /// The counts of the Timeline, as the writing thread brings them up to date.
    pub(crate) fn counted(&self) -> Vec<Value> {
        density::settle(&self.db).unwrap();
        self.bins()
    }

    /// The same counts from the rows that they count.
    pub(crate) fn counted_anew(&self) -> Vec<Value> {
        density::count_anew(&self.db).unwrap();
        self.bins()
    }

    fn bins(&self) -> Vec<Value> {
        self.rows("SELECT * FROM density WHERE (arrivals, again, late) <> (0, 0, 0) ORDER BY level, bin")
    }

    pub(crate) fn lanes(&self) -> Vec<Value> {
        self.rows("SELECT * FROM lanes ORDER BY lane")
    }

    /// All that judging says, with the numbers of rows.
    pub(crate) fn judged(&self) -> Vec<Value> {
        let mut all = self.rows("SELECT * FROM standings ORDER BY seq");
        all.extend(self.rows("SELECT * FROM events ORDER BY event"));
        all.extend(self.lanes());
        all
    }

    /// All that judging says, without what tells in which order it was written down.
    pub(crate) fn judged_in_any_order(&self) -> Vec<Value> {
        let mut all = self.rows(
            "SELECT a.at_ns, a.tie, a.event, s.standing, s.copy, s.cause, s.confidence, s.says, s.flags FROM standings s \
             JOIN arrivals a USING (seq) ORDER BY a.at_ns, a.event, a.tie, s.copy",
        );
        all.extend(self.rows(
            "SELECT event, name, happened_ns, resource, nature, news, counts_trust, counts_hash, first_ns, first_tie, \
             last_ns, arrivals, applied, placing, late_by_ms, overtaken_by, stale_lanes, flags FROM events ORDER BY event",
        ));
        all.extend(self.lanes());
        all
    }
}

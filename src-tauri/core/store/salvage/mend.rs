//! Makes a whole log of the rows that were saved: what rests on rows that are lost goes, what can be read anew from what
//! is there is, and what was not saved is never made up.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::{
    clock::Moment,
    error::Result,
    ids::{ImportId, JobId, ObservationId, Seq, WorkspaceId},
    inbound::{
        arrival::body_hash,
        judge::{EventFacts, judge},
        standing::ArrivalKey,
    },
    outbound::{forecast::words::Words, schedule},
    pozy::{contract::Contract, envelope, post},
    store::{
        events, jobs,
        moves::{self, Reason},
        observations::{self, NewObservation},
        packed::unpack,
        sound, tellings,
    },
};

/// Rows that were taken out again, by table.
type Dropped = BTreeMap<String, u64>;

/// Takes every trigger out and gives the words to make it anew.
pub(super) fn take_triggers(log: &Connection) -> Result<Vec<String>> {
    let mut statement = log.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")?;
    let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    let all = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    all.iter().try_for_each(|(name, _)| log.execute_batch(&format!("DROP TRIGGER \"{name}\"")))?;
    Ok(all.into_iter().map(|(_, sql)| sql).collect())
}

pub(super) fn count(log: &Connection, table: &str) -> Result<u64> {
    let count: i64 = log.query_row(&format!("SELECT count(*) FROM \"{table}\""), [], |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

/// Requests and answers are looked up one by one by their hashes, wherever a row names one that reading in order missed.
pub(super) fn look_up_contents(old: &Connection, new: &Connection) -> Result<()> {
    let mut wanted = new.prepare(
        "SELECT DISTINCT body FROM (SELECT body FROM jobs UNION SELECT body FROM attempts UNION SELECT body FROM results \
         UNION SELECT body FROM observations) WHERE body IS NOT NULL AND body NOT IN (SELECT hash FROM contents)",
    )?;
    let hashes = wanted.query_map([], |row| row.get::<_, Vec<u8>>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    for hash in hashes {
        let found = old.prepare_cached("SELECT coding, bytes FROM contents WHERE hash = ?").and_then(|mut look| {
            look.query_row([&hash], |row| Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?))).optional()
        });
        if let Ok(Some((coding, bytes))) = found {
            new.prepare_cached("INSERT OR IGNORE INTO contents (hash, coding, bytes) VALUES (?, ?, ?)")?
                .execute(params![hash, coding, bytes])?;
        }
    }
    Ok(())
}

/// Mends the log; gives what had to be taken out.
pub(super) fn mend(log: &Connection, now: Moment, contract: &Contract) -> Result<Dropped> {
    let mut dropped = Dropped::new();
    bytes_are_what_they_were(log, &mut dropped)?;
    headers_can_be_read(log)?;
    stand_ins(log, now)?;
    orphans(log, &mut dropped)?;
    lost_events(log, contract)?;
    lost_states(log, contract)?;
    log.execute_batch(
        "DELETE FROM settings WHERE key IN ('judged_by', 'judging_anew', 'jobs_judged_by', 'aside_bytes')",
    )?;
    moves::insert(log, &Reason::Repaired, now)?;
    Ok(dropped)
}

/// Bodies, requests and answers that do not fit their hash are not what was stored.
fn bytes_are_what_they_were(log: &Connection, dropped: &mut Dropped) -> Result<()> {
    let bad = sound::bad_contents(log)?;
    for hash in &bad {
        log.execute("DELETE FROM contents WHERE hash = ?", [hash])?;
    }
    *dropped.entry("contents".to_owned()).or_default() += bad.len() as u64;
    let bad = sound::bad_bodies(log)?;
    for seq in &bad {
        log.execute("DELETE FROM bodies WHERE seq = ?", [seq])?;
    }
    *dropped.entry("bodies".to_owned()).or_default() += bad.len() as u64;
    Ok(())
}

/// Headers that cannot be read are none: the arrival itself is worth more than they are.
fn headers_can_be_read(log: &Connection) -> Result<()> {
    for seq in sound::bad_headers(log)? {
        log.execute(
            "UPDATE arrivals SET headers = CAST('[]' AS BLOB), flags = iif(json_valid(flags), flags, '[]') WHERE seq = ?",
            [seq],
        )?;
    }
    log.execute_batch("UPDATE results SET headers = '[]' WHERE NOT json_valid(headers)")?;
    Ok(())
}

/// Rows that others only name get a stand-in, so that those others stay.
fn stand_ins(log: &Connection, now: Moment) -> Result<()> {
    log.execute(
        "INSERT INTO workspaces (id, name, created_ns) SELECT DISTINCT workspace, 'Lost workspace ' || workspace, ?1 FROM \
         (SELECT workspace FROM jobs UNION SELECT workspace FROM attempts) WHERE workspace NOT IN (SELECT id FROM workspaces)",
        [now.0],
    )?;
    log.execute_batch(
        "INSERT INTO sessions (id, address, started_ns, alive_ns, ended_ns) SELECT session, '', min(at_ns), max(at_ns), \
         max(at_ns) FROM arrivals WHERE session NOT IN (SELECT id FROM sessions) GROUP BY session;
         INSERT INTO imports (id, at_ns, file) SELECT import, min(at), 'a lost name' FROM (SELECT import, at_ns AS at FROM \
         arrivals UNION ALL SELECT import, created_ns FROM jobs UNION ALL SELECT import, at_ns FROM attempts UNION ALL \
         SELECT import, at_ns FROM notes UNION ALL SELECT import, at_ns FROM observations) \
         WHERE import IS NOT NULL AND import NOT IN (SELECT id FROM imports) GROUP BY import",
    )?;
    Ok(())
}

/// What names a row that is lost names none where it may, and goes where it must name one.
fn orphans(log: &Connection, dropped: &mut Dropped) -> Result<()> {
    let mut statement = log.prepare(
        "SELECT t.name, f.\"from\", f.\"table\", coalesce(f.\"to\", 'rowid'), c.\"notnull\" = 0 AND c.pk = 0 \
         FROM pragma_table_list AS t JOIN pragma_foreign_key_list(t.name) AS f \
         JOIN pragma_table_info(t.name) AS c ON c.name = f.\"from\" WHERE t.schema = 'main'",
    )?;
    let links = statement
        .query_map([], |row| {
            let text = |at| row.get::<_, String>(at);
            Ok((text(0)?, text(1)?, text(2)?, text(3)?, row.get::<_, bool>(4)?))
        })?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    loop {
        let mut changed = 0;
        for (table, from, parent, to, may_be_none) in &links {
            let lost = format!("\"{from}\" IS NOT NULL AND \"{from}\" NOT IN (SELECT \"{to}\" FROM \"{parent}\")");
            if *may_be_none {
                changed += log.execute(&format!("UPDATE \"{table}\" SET \"{from}\" = NULL WHERE {lost}"), [])?;
            } else {
                let gone = log.execute(&format!("DELETE FROM \"{table}\" WHERE {lost}"), [])?;
                *dropped.entry(table.clone()).or_default() += gone as u64;
                changed += gone;
            }
        }
        if changed == 0 {
            return Ok(());
        }
    }
}

/// Events whose row is lost are read again from a body that is there. Without one an arrival tells nothing any more, and
/// is set aside as unreadable.
fn lost_events(log: &Connection, contract: &Contract) -> Result<()> {
    log.execute_batch(
        "DELETE FROM events WHERE event NOT IN (SELECT event FROM arrivals WHERE aside IS NULL AND event IS NOT NULL)",
    )?;
    let mut statement = log.prepare(
        "SELECT a.seq, a.at_ns, a.tie, a.trust, b.coding, b.bytes FROM arrivals a JOIN bodies b USING (seq) \
         WHERE a.aside IS NULL AND a.event NOT IN (SELECT event FROM events) ORDER BY a.trust DESC, a.at_ns, a.tie, a.seq",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let body = unpack(&row.get::<_, String>(4)?, row.get(5)?)?;
        let Ok(reading) = envelope::read(&body, contract) else { continue };
        let key = ArrivalKey { at: Moment(row.get(1)?), tie: row.get(2)?, seq: Seq(row.get(0)?) };
        let facts = EventFacts::of(&reading, &key);
        let known: bool =
            log.query_row("SELECT EXISTS (SELECT 1 FROM events WHERE event = ?)", [reading.event.as_str()], |row| {
                row.get(0)
            })?;
        if let (false, Some(alone)) = (known, judge(&[facts], &[]).events.pop()) {
            events::insert(log, &reading, &key, row.get(3)?, body_hash(&body), &alone)?;
        }
    }
    // An id that only bodies tell is that of the event, whatever row it stands in.
    log.execute_batch(
        "CREATE INDEX mending ON arrivals (event, at_ns) WHERE aside IS NULL;
         UPDATE arrivals SET aside = 'unreadable', event = NULL, flags = '[\"unreadable\"]' \
         WHERE aside IS NULL AND (event IS NULL OR event NOT IN (SELECT event FROM events));
         UPDATE events SET
            arrivals = (SELECT count(*) FROM arrivals a WHERE a.event = events.event AND a.aside IS NULL),
            last_ns = (SELECT max(at_ns) FROM arrivals a WHERE a.event = events.event AND a.aside IS NULL),
            (first_seq, first_ns, first_tie) = (SELECT seq, at_ns, tie FROM arrivals a WHERE a.event = events.event \
                AND a.aside IS NULL ORDER BY at_ns, tie, seq LIMIT 1);
         UPDATE events SET (counts, counts_trust) = (SELECT seq, trust FROM arrivals a WHERE a.event = events.event \
                AND a.aside IS NULL ORDER BY trust DESC, at_ns, tie, seq LIMIT 1)
            WHERE counts NOT IN (SELECT seq FROM arrivals);
         DELETE FROM copies;
         INSERT INTO copies (event, at_ns, tie, seq) SELECT a.event, a.at_ns, a.tie, a.seq FROM arrivals AS a
            JOIN events AS e ON e.event = a.event WHERE a.aside IS NULL AND e.arrivals > 1;
         DROP INDEX mending;
         UPDATE events SET
            home = coalesce((SELECT value ->> 'lane' FROM json_each(news) WHERE value ->> 'rank' = 'own' LIMIT 1), resource),
            said = (SELECT value ->> 'status' FROM json_each(news) WHERE value ->> 'rank' = 'own' LIMIT 1)
            WHERE home = '';
         DELETE FROM standings WHERE seq IN (SELECT seq FROM arrivals WHERE aside IS NOT NULL);
         INSERT OR REPLACE INTO standings (seq, standing, copy, flags, rules) SELECT seq, aside, 0, '[]', 0 FROM arrivals \
            WHERE aside IS NOT NULL;
         INSERT OR IGNORE INTO standings (seq, standing, copy, flags, rules) SELECT seq, 'first', 1, '[]', 0 FROM arrivals;",
    )?;
    Ok(())
}

/// What was worked out of jobs and answers is worked out again where it is lost: the content check rests on it.
fn lost_states(log: &Connection, contract: &Contract) -> Result<()> {
    log.execute_batch(
        "INSERT OR IGNORE INTO job_states (job, state, outcome, place, rules) SELECT id, 'draft', 'none', 0, 0 FROM jobs",
    )?;
    let mut statement = log.prepare(
        "SELECT j.id, j.path, c.coding, c.bytes, j.id IN (SELECT job FROM job_words) FROM jobs j JOIN contents c ON c.hash = j.body",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (job, path): (i64, String) = (row.get(0)?, row.get(1)?);
        let body = unpack(&row.get::<_, String>(2)?, row.get(3)?)?;
        let scheduled = schedule::scheduled_for(&body).map(|at| at.0);
        log.execute("UPDATE job_states SET scheduled_ns = ?2 WHERE job = ?1", params![job, scheduled])?;
        if contract.replays(&path) && !row.get::<_, bool>(4)? {
            tellings::keep_job(log, JobId(job), &Words::of(&body))?;
        }
    }
    jobs::read_answers_again(log, contract)?;
    fetches(log)
}

/// What fetches told of posts and lanes.
fn fetches(log: &Connection) -> Result<()> {
    let mut statement = log.prepare(
        "SELECT o.id, o.at_ns, o.workspace, o.path, o.status, o.import, c.coding, c.bytes, \
         o.id IN (SELECT observation FROM sightings) FROM observations o JOIN contents c ON c.hash = o.body ORDER BY o.id",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (path, body): (String, _) = (row.get(3)?, unpack(&row.get::<_, String>(6)?, row.get(7)?)?);
        let new = NewObservation {
            at: Moment(row.get(1)?),
            workspace: row.get::<_, Option<i64>>(2)?.map(WorkspaceId),
            path: &path,
            status: row.get(4)?,
            body: Some(&body),
            import: row.get::<_, Option<i64>>(5)?.map(ImportId),
        };
        tellings::keep_fetch(log, &new)?;
        if !row.get::<_, bool>(8)? {
            for seen in post::read(new.path, new.status, &body) {
                observations::append_sighting(log, ObservationId(row.get(0)?), new.at, &seen)?;
            }
        }
    }
    Ok(())
}

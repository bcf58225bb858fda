//! Arrival, event, standing and lanes in one transaction (design 3.3). A copy of a known event costs the same however
//! often it came before; what is earlier than the log already has, as imports are, judges its event or resource anew.
//! Judging live and judging everything anew give equal tables.

use rusqlite::Connection;

use super::{
    arrival::{Arrival, Content, UNKNOWN_BODY},
    judge::{EventFacts, Judged, judge},
    standing::{ArrivalKey, Common, CopyFacts, LOOK_BACK, Placed, Standing, place_run},
};
use crate::{
    clock::Moment,
    error::{Code, Error, Result},
    ids::{EventId, Resource, Seq},
    pozy::{
        contract::Contract,
        envelope::{Nature, Reading},
    },
    store::{
        arrivals,
        events::{self, Columns, Head},
        judging::{self, Due},
    },
};

/// What became of an arrival.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its number in this log.
    pub seq: Seq,
    /// The event it made or repeated; none for one set aside.
    pub event: Option<EventId>,
    /// What it is.
    pub standing: Standing,
    /// 1 for the first arrival of an event, 0 if it makes no event.
    pub copy: i64,
}

/// Records an arrival and judges it. Runs inside a piece of write work, whose savepoint undoes all of it on failure.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn record(connection: &Connection, arrival: &Arrival, contract: &Contract) -> Result<Recorded> {
    let seq = arrivals::append(connection, arrival)?;
    let reading = match &arrival.content {
        Content::Event(reading) => reading,
        Content::Quarantined(_) => return aside(connection, seq, Standing::Quarantined),
        Content::Unreadable => return aside(connection, seq, Standing::Unreadable),
    };
    let key = ArrivalKey { at: arrival.at, tie: arrival.tie, seq };
    let placed = match events::head(connection, &reading.event)? {
        None => add_event(connection, arrival, reading, &key)?,
        Some(head) => add_copy(connection, arrival, reading, &key, &head, contract)?,
    };
    Ok(Recorded { seq, event: Some(reading.event.clone()), standing: placed.standing, copy: placed.copy })
}

fn aside(connection: &Connection, seq: Seq, standing: Standing) -> Result<Recorded> {
    arrivals::write_standing(connection, seq, &Placed::aside(standing))?;
    Ok(Recorded { seq, event: None, standing, copy: 0 })
}

fn add_event(connection: &Connection, arrival: &Arrival, reading: &Reading, key: &ArrivalKey) -> Result<Placed> {
    let facts = EventFacts::of(reading, key);
    let ahead = stands_alone(connection, &facts, &reading.resource)?;
    let mut alone = judge(&[facts], &[]);
    let judgement = alone.events.pop().ok_or_else(lost)?;
    events::insert(connection, reading, key, arrival.trust().number(), arrival.body_hash, &judgement)?;
    if ahead {
        events::move_lanes(connection, &reading.resource, &alone.lanes)?;
        judging::note_if_due(connection, &Due::Resource(reading.resource.clone()))?;
    } else {
        rejudge_or_note(connection, &reading.resource)?;
    }
    let placed = Placed::first(reading.nature);
    arrivals::write_standing(connection, key.seq, &placed)?;
    Ok(placed)
}

/// True if a new event is judged right without the others of its resource: one that moves nothing, or one that comes
/// after all of them on both clocks. Most do; the cost of a resource does not grow with its events then.
fn stands_alone(connection: &Connection, facts: &EventFacts, resource: &Resource) -> Result<bool> {
    if facts.nature != Nature::Real {
        return Ok(true);
    }
    match facts.place() {
        Some(happened) => events::comes_after_all(connection, resource, happened, facts.first.at),
        None => Ok(false),
    }
}

/// The trust rule of design 3.4: the body of the most trusted arrival counts, among equals the earliest.
fn add_copy(
    connection: &Connection,
    arrival: &Arrival,
    reading: &Reading,
    key: &ArrivalKey,
    head: &Head,
    contract: &Contract,
) -> Result<Placed> {
    let event = &reading.event;
    let trust = arrival.trust().number();
    let counts = trust > head.counts_trust || (trust == head.counts_trust && *key < head.counts);
    let other_body = counts && arrival.body_hash != head.counts_hash && arrival.body_hash != UNKNOWN_BODY;
    let earliest = *key < head.first;
    arrivals::note_copy(connection, event, head, key)?;
    events::count_arrival(connection, event, key.at)?;
    if counts {
        events::set_counts(connection, event, key.seq, trust)?;
    }
    if other_body {
        events::set_reading(connection, reading, arrival.body_hash)?;
    }
    if earliest {
        events::set_first(connection, event, key)?;
    }
    if other_body || earliest {
        rejudge_or_note(connection, &head.resource)?;
    }
    if other_body && head.resource != reading.resource {
        rejudge_or_note(connection, &reading.resource)?;
    }
    // Another body can change what every arrival of the event is; else only this one and the later ones can differ.
    let from = if other_body { head.first.min(*key) } else { *key };
    let due = Due::Event(event.clone(), reading.resource.clone());
    let later = arrivals::copies_after(connection, event, &from, AT_ONCE + 1)?;
    if later.len() > AT_ONCE {
        judging::note(connection, &due)?;
        return place_alone(connection, event, key, contract);
    }
    judging::note_if_due(connection, &due)?;
    let run = place_from(connection, event, &from, later, contract)?;
    run.into_iter().find_map(|(seq, placed)| (seq == key.seq).then_some(placed)).ok_or_else(lost)
}

/// Most events of a resource, and most arrivals of an event, that are judged in the transaction of one more arrival.
const AT_ONCE: usize = 200;

/// Judges the events of a resource anew, or notes that it has to be done where they are too many.
pub(super) fn rejudge_or_note(connection: &Connection, resource: &Resource) -> Result<()> {
    let due = Due::Resource(resource.clone());
    if judging::note_if_due(connection, &due)? {
        Ok(())
    } else if events::more_than(connection, resource, AT_ONCE)? {
        judging::note(connection, &due)
    } else {
        rejudge_resource(connection, resource)
    }
}

/// Places one arrival by the one before it and leaves those after it as they are.
fn place_alone(connection: &Connection, event: &EventId, key: &ArrivalKey, contract: &Contract) -> Result<Placed> {
    let head = events::head(connection, event)?.ok_or_else(lost)?;
    let (_, this) = arrivals::copy(connection, key.seq)?.ok_or_else(lost)?;
    let before = arrivals::copies_before(connection, event, key, LOOK_BACK)?;
    let number = before.last().map_or(Ok(0), |before| arrivals::copy_number(connection, before.key.seq))? + 1;
    let run = write_run(connection, &head, &before, &[this], number, contract)?;
    run.into_iter().next().map(|(_, placed)| placed).ok_or_else(lost)
}

/// Places up to `most` arrivals of an event anew, behind the one that `after` names with its number, or from the first
/// one on; gives the last one and its number, none at the end.
///
/// # Errors
/// `Storage` if the log cannot be read or written.
pub(super) fn place_part(
    connection: &Connection,
    event: &EventId,
    after: Option<(ArrivalKey, i64)>,
    most: usize,
    contract: &Contract,
) -> Result<Option<(ArrivalKey, i64)>> {
    let head = events::head(connection, event)?.ok_or_else(lost)?;
    let (mut run, mut before, number) = match &after {
        Some((key, number)) => {
            let mut before = arrivals::copies_before(connection, event, key, LOOK_BACK)?;
            before.push(arrivals::copy(connection, key.seq)?.ok_or_else(lost)?.1);
            (arrivals::copies_after(connection, event, key, most)?, before, *number)
        }
        None => {
            let (_, first) = arrivals::copy(connection, head.first.seq)?.ok_or_else(lost)?;
            let mut run = vec![first];
            run.extend(arrivals::copies_after(connection, event, &head.first, most)?);
            (run, Vec::new(), 0)
        }
    };
    before.drain(..before.len().saturating_sub(LOOK_BACK));
    let Some(last) = run.pop() else { return Ok(None) };
    let key = last.key;
    run.push(last);
    write_run(connection, &head, &before, &run, number + 1, contract)?;
    Ok(Some((key, number + i64::try_from(run.len()).unwrap_or(i64::MAX))))
}

fn lost() -> Error {
    Error::new(Code::Internal, "An arrival that was just written cannot be read back; nothing of it was stored.")
}

/// Places the arrivals of an event anew from `from` on, which must be one of them; `later` are all behind it.
fn place_from(
    connection: &Connection,
    event: &EventId,
    from: &ArrivalKey,
    later: Vec<CopyFacts>,
    contract: &Contract,
) -> Result<Vec<(Seq, Placed)>> {
    let head = events::head(connection, event)?.ok_or_else(lost)?;
    let (_, this) = arrivals::copy(connection, from.seq)?.ok_or_else(lost)?;
    let mut run = vec![this];
    run.extend(later);
    let number = head.arrivals - i64::try_from(run.len()).unwrap_or(i64::MAX) + 1;
    let before = arrivals::copies_before(connection, event, from, LOOK_BACK)?;
    write_run(connection, &head, &before, &run, number, contract)
}

fn write_run(
    connection: &Connection,
    head: &Head,
    before: &[CopyFacts],
    run: &[CopyFacts],
    number: i64,
    contract: &Contract,
) -> Result<Vec<(Seq, Placed)>> {
    let common = Common { nature: head.nature, counts_hash: head.counts_hash, contract };
    let (_, first) = arrivals::copy(connection, head.first.seq)?.ok_or_else(lost)?;
    let placed = place_run(&common, &first, before, run, number);
    let run: Vec<_> = run.iter().map(|copy| copy.key.seq).zip(placed).collect();
    for (seq, placed) in &run {
        arrivals::write_standing(connection, *seq, placed)?;
    }
    Ok(run)
}

/// What judging says of a resource, and the events of which the log says otherwise.
pub(super) fn judged_anew(connection: &Connection, resource: &Resource) -> Result<(Vec<(EventId, Columns)>, Judged)> {
    let (facts, stored): (Vec<_>, Vec<_>) = events::of_resource(connection, resource)?.into_iter().unzip();
    let judged = judge(&facts, &events::sightings(connection, resource)?);
    let columns = judged.events.iter().map(Columns::of);
    let changed = facts.into_iter().zip(stored).zip(columns).filter(|((_, stored), columns)| stored != columns);
    Ok((changed.map(|((facts, _), columns)| (facts.first.event, columns)).collect(), judged))
}

/// Judges all events of a resource anew and writes what came out otherwise.
pub(super) fn rejudge_resource(connection: &Connection, resource: &Resource) -> Result<()> {
    let (changed, judged) = judged_anew(connection, resource)?;
    for (event, columns) in &changed {
        events::write_judgement(connection, event, columns)?;
    }
    events::write_lanes(connection, resource, &judged.lanes)
}

/// Places all arrivals of an event anew.
pub(super) fn rejudge_event(connection: &Connection, event: &EventId, contract: &Contract) -> Result<()> {
    let mut after = None;
    loop {
        after = place_part(connection, event, after, AT_ONCE, contract)?;
        if after.is_none() {
            return Ok(());
        }
    }
}

/// Notes when, and whether, the answer to an arrival left, and judges the causes that this can change: those of the
/// next few copies. `left` none: the connection was gone, or the program was. A second note is passed over.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn record_answer(
    connection: &Connection,
    seq: Seq,
    left: Option<Moment>,
    took_ms: Option<i64>,
    contract: &Contract,
) -> Result<()> {
    if !arrivals::note_answer(connection, seq, left, took_ms)? {
        return Ok(());
    }
    let Some((event, this)) = arrivals::copy(connection, seq)? else { return Ok(()) };
    let after = arrivals::copies_after(connection, &event, &this.key, LOOK_BACK)?;
    if after.is_empty() {
        return Ok(());
    }
    let head = events::head(connection, &event)?.ok_or_else(lost)?;
    judging::note_if_due(connection, &Due::Event(event.clone(), head.resource.clone()))?;
    let mut before = arrivals::copies_before(connection, &event, &this.key, LOOK_BACK)?;
    before.push(this);
    let number = arrivals::copy_number(connection, seq)? + 1;
    write_run(connection, &head, &before, &after, number, contract).map(drop)
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;

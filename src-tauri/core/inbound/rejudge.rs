//! Judging everything anew, from the rows and without any body: after the rules have changed, or to prove that live
//! judging gives the same. In slices, so that no write lock is held for long (design 11).

use std::sync::Arc;

use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use super::{
    catch_up,
    judge::RULES,
    record::{rejudge_event, rejudge_or_note},
};
use crate::{
    error::Result,
    pozy::contract::Contract,
    settings,
    store::{Store, events},
};

/// Events or resources in one slice.
const SLICE: usize = 50;

/// Version of the rules that judged this log last; a number. None in a new log and in one that was saved from damage.
const JUDGED_BY: &str = "judged_by";
/// How far judging by the program's rules has come: a [`Way`], null once it has come to the end.
const WAY: &str = "judging_anew";

/// How far judging everything anew has come; it goes on from here after an end at any moment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Way {
    /// The rules by which it judges.
    rules: i64,
    /// True once every event is judged and the resources are under way.
    resources: bool,
    /// The last one that is judged.
    after: String,
    /// Events that are judged.
    done: i64,
}

/// How far judging anew has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anew {
    /// Messages that the rules of this program have judged.
    pub done: i64,
    /// Messages in the log.
    pub of: i64,
}

impl Anew {
    /// Whole percent.
    #[must_use]
    pub fn percent(self) -> u8 {
        let percent = self.done.saturating_mul(100).checked_div(self.of).unwrap_or(100);
        u8::try_from(percent.clamp(0, 100)).unwrap_or(100)
    }
}

/// True if other rules than the program's judged this log last, and everything they said is there to be shown meanwhile.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn can_wait(store: &Store) -> Result<bool> {
    Ok(settings::get::<i64>(store.pool(), JUDGED_BY).await?.is_some_and(|rules| rules != RULES))
}

/// Judges anew if other rules than the program's judged this log last.
///
/// # Errors
/// `Storage` if the log cannot be read or written; what was judged so far stays.
pub async fn rejudge_if_outdated(store: &Store, contract: &Arc<Contract>) -> Result<()> {
    if settings::get::<i64>(store.pool(), JUDGED_BY).await? == Some(RULES) {
        return Ok(());
    }
    while step(store, contract).await? {}
    catch_up::all(store, contract, |_| true).await
}

/// Judges one slice anew if other rules than the program's judged this log last; false if nothing is left of that. Written
/// quietly: a screen has no use for every slice.
///
/// # Errors
/// `Storage` if the log cannot be read or written.
pub async fn step(store: &Store, contract: &Arc<Contract>) -> Result<bool> {
    let contract = Arc::clone(contract);
    store.write_quietly(move |connection| slice(connection, &contract)).await
}

fn slice(connection: &Connection, contract: &Contract) -> Result<bool> {
    if settings::written::<i64>(connection, JUDGED_BY)? == Some(RULES) {
        return Ok(false);
    }
    let way = settings::written::<Option<Way>>(connection, WAY)?.flatten().filter(|way| way.rules == RULES);
    let mut way = way.unwrap_or(Way { rules: RULES, ..Way::default() });
    let next = if way.resources {
        rejudge_resources(connection, &way.after)?
    } else {
        let next = rejudge_events(connection, &way.after, contract)?;
        way.done += if next.is_some() { i64::try_from(SLICE).unwrap_or(i64::MAX) } else { 0 };
        next
    };
    match next {
        Some(after) => way.after = after,
        None if way.resources => {
            settings::set(connection, JUDGED_BY, &RULES)?;
            settings::set(connection, WAY, &None::<Way>)?;
            return Ok(false);
        }
        None => {
            way.resources = true;
            way.after.clear();
        }
    }
    settings::set(connection, WAY, &way)?;
    Ok(true)
}

/// How far judging anew has come; none if nothing is left of it.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn under_way(store: &Store) -> Result<Option<Anew>> {
    let Some(way) = settings::get::<Option<Way>>(store.pool(), WAY).await?.flatten() else { return Ok(None) };
    let of = events::number(store.pool()).await?;
    Ok(Some(Anew { done: way.done.min(of), of }))
}

/// One slice of events; gives where the next one starts, none at the end.
pub(super) fn rejudge_events(connection: &Connection, after: &str, contract: &Contract) -> Result<Option<String>> {
    let slice = events::ids_after(connection, after, SLICE)?;
    for event in &slice {
        rejudge_event(connection, event, contract)?;
    }
    Ok(slice.last().map(ToString::to_string))
}

/// One slice of resources; gives where the next one starts, none at the end.
pub(super) fn rejudge_resources(connection: &Connection, after: &str) -> Result<Option<String>> {
    let slice = events::resources_after(connection, after, SLICE)?;
    for resource in &slice {
        rejudge_or_note(connection, resource)?;
    }
    Ok(slice.last().map(ToString::to_string))
}

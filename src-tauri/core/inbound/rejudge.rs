//! Judging everything anew, from the rows and without any body: after the rules have changed, or to prove that live
//! judging gives the same. In slices, so that no write lock is held for long (design 11).

use std::sync::Arc;

use rusqlite::Connection;

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

/// Version of the rules that judged this log last; a number.
const JUDGED_BY: &str = "judged_by";

/// Judges anew if other rules than the program's judged this log last.
///
/// # Errors
/// `Storage` if the log cannot be read or written.
pub async fn rejudge_if_outdated(store: &Store, contract: &Arc<Contract>) -> Result<()> {
    if settings::get::<i64>(store.pool(), JUDGED_BY).await? == Some(RULES) {
        return Ok(());
    }
    rejudge_all(store, contract).await?;
    store.write(|connection| settings::set(connection, JUDGED_BY, &RULES)).await
}

/// Judges every event and every resource anew.
///
/// # Errors
/// `Storage` if the log cannot be read or written; what was judged so far stays.
pub async fn rejudge_all(store: &Store, contract: &Arc<Contract>) -> Result<()> {
    let mut after = Some(String::new());
    while let Some(from) = after {
        let contract = Arc::clone(contract);
        after = store.write(move |connection| rejudge_events(connection, &from, &contract)).await?;
    }
    let mut after = Some(String::new());
    while let Some(from) = after {
        after = store.write(move |connection| rejudge_resources(connection, &from)).await?;
    }
    catch_up::all(store, contract, |_| true).await
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

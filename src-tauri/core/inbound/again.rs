//! Verifies again what was set aside for its signature, after the secret or its settings were mended. What is valid now
//! takes the place that it would have had: judged by the time at which it came, with the answer that it got.

use std::sync::Arc;

use rusqlite::Connection;

use super::{
    arrival::{Arrival, Request},
    record::{record, record_answer},
    verify::{Verified, verify},
};
use crate::{
    clock::Moment,
    error::{Error, Result},
    ids::Seq,
    pozy::contract::Contract,
    secrets::Secret,
    store::{
        Store,
        set_aside::{self, SetAside},
    },
};

/// Arrivals of one slice: judging one may judge its whole resource, and no slice holds the write lock for long.
const SLICE: u32 = 16;

/// What verifying again gave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// How many were verified again.
    pub looked: usize,
    /// How many of them are valid now and count.
    pub valid: usize,
}

/// Verifies all of them again.
///
/// # Errors
/// `Refused` without a secret, `Storage` if the log cannot be read or written; what took its place until then keeps it.
pub async fn verify_again(store: &Store, secrets: &[Secret], contract: &Arc<Contract>) -> Result<Checked> {
    if secrets.is_empty() {
        return Err(Error::refused(
            "No webhook secret is kept for this workspace, so nothing can be checked. Enter it in Settings.",
        ));
    }
    let mut checked = Checked::default();
    let mut after = (Moment(i64::MIN), Seq(0));
    loop {
        let slice = set_aside::page(store.pool(), after, SLICE).await?;
        let Some(last) = slice.last() else { return Ok(checked) };
        after = (last.at, last.seq);
        checked.looked += slice.len();
        let valid: Vec<SetAside> = slice
            .into_iter()
            .filter(|one| {
                let headers = one.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
                verify(&contract.signature, secrets, headers, &one.body) == Verified::Valid
            })
            .collect();
        if !valid.is_empty() {
            let contract = Arc::clone(contract);
            checked.valid += store.write(move |connection| take_places(connection, &valid, &contract)).await?;
        }
    }
}

/// Records them as valid; how many took their place here, and not elsewhere meanwhile.
fn take_places(connection: &Connection, valid: &[SetAside], contract: &Contract) -> Result<usize> {
    let mut placed = 0;
    for one in valid {
        if !set_aside::give_up(connection, one.seq)? {
            continue;
        }
        let request = Request {
            at: one.at,
            endpoint: &one.endpoint,
            headers: &one.headers,
            body: Some(&one.body),
            verified: Verified::Valid,
        };
        let arrival = Arrival::verified_later(one.session, &request, one.kept_headers.clone(), one.answer, contract);
        let recorded = record(connection, &arrival, contract)?;
        let (left, took_ms) = set_aside::answer_of(connection, one.seq)?;
        record_answer(connection, recorded.seq, left, took_ms, contract)?;
        placed += 1;
    }
    Ok(placed)
}

//! Judging every job anew from its rows: after the rules changed, or after a person tied or untied a workspace. In
//! slices, so that no write lock is held for long (design 11).

use std::sync::Arc;

use super::{job::Facts, lock::JobLock, outcome::RULES};
use crate::{
    clock::{Clock, Moment},
    error::Result,
    ids::JobId,
    pozy::contract::Contract,
    settings,
    store::{Store, job_facts, jobs},
};

/// Jobs in one slice.
const SLICE: u32 = 50;
/// Version of the rules that judged the jobs of this log last; a number.
const JUDGED_BY: &str = "jobs_judged_by";

/// Judges every job anew if other rules than the program's judged them last.
///
/// # Errors
/// `Storage` if the log cannot be read or written.
pub async fn if_outdated(store: &Store, clock: &Clock, contract: &Arc<Contract>) -> Result<()> {
    if settings::get::<i64>(store.pool(), JUDGED_BY).await? == Some(RULES) {
        return Ok(());
    }
    all(store, clock.now(), contract).await?;
    store.write(|connection| settings::set(connection, JUDGED_BY, &RULES)).await
}

/// Judges every job anew at `now`.
///
/// # Errors
/// `Storage` if the log cannot be read or written; what was judged so far stays.
pub async fn all(store: &Store, now: Moment, contract: &Arc<Contract>) -> Result<()> {
    let mut after = JobId(i64::MIN);
    loop {
        let slice = job_facts::by_row(store.pool(), after, SLICE).await?;
        let Some(last) = slice.last().map(|facts| facts.id) else { return Ok(()) };
        let held = |facts: &Facts| Ok((facts.id, facts.is_open() && JobLock::is_held(store.dir(), &facts.mark)?));
        let jobs: Vec<(JobId, bool)> = slice.iter().map(held).collect::<Result<_>>()?;
        let contract = Arc::clone(contract);
        store
            .write(move |connection| {
                jobs.into_iter()
                    .try_for_each(|(job, held)| jobs::judge(connection, job, held, now, &contract).map(drop))
            })
            .await?;
        after = last;
    }
}

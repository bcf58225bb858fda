//! Why twice? (design 5): `gather` walks the log around what was asked and collects plain rows (`evidence`);
//! `verdict` weighs them and answers with one code of a closed list, how sure it is, the rows that prove it, and what
//! is missing.
//!
//! `evidence`, `words`, `makers`, `pairs`, `single`, `verdict` and `chain` are pure: no SQL, no async, no clock. Every rule
//! rests on rows that are there, never on rows that are not, so that taking a row away can only weaken an answer. The
//! two answers of absence, `not_sent_from_here` and `not_enough_evidence`, are therefore always of low confidence.

pub mod case_file;
pub mod chain;
pub mod evidence;
pub mod gather;
pub mod looks;
mod makers;
pub mod page;
mod pairs;
#[cfg(test)]
mod properties;
pub mod says;
mod single;
pub mod verdict;
pub mod words;

use crate::{error::Result, pozy::contract::Contract, store::Store};

/// A question with its rows and its answer.
#[derive(Clone, Debug)]
pub struct Case {
    /// The rows.
    pub evidence: evidence::Evidence,
    /// What they say.
    pub answer: verdict::Answer,
}

/// Answers a question from the log.
///
/// # Errors
/// `Usage` if nothing is asked, `Storage` if the log cannot be read.
pub async fn why(store: &Store, contract: &Contract, question: &gather::Question) -> Result<Case> {
    let evidence = gather::gather(store, contract, question).await?;
    let answer = verdict::judge(&evidence, contract);
    Ok(Case { evidence, answer })
}

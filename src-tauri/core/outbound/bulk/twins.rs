//! Whether a post that was made stands beside another live one with the very same words (R10).

use crate::{
    clock::Clock,
    error::Result,
    ids::PostId,
    outbound::{
        forecast::{
            known::{Likeness, View},
            live::Standing,
            span::Span,
            words::Words,
        },
        foretell::Plan,
    },
    pozy::contract::Contract,
    store::{Store, job_facts, known},
};

/// The other posts this log knows to be planned or live with the words of `plan` on one of its accounts.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub(super) async fn live_beside(
    store: &Store,
    clock: &Clock,
    contract: &Contract,
    plan: &Plan,
    made: &PostId,
) -> Result<Vec<PostId>> {
    let now = clock.now().max(job_facts::newest(store.pool()).await?);
    let words = Words::of(&plan.body);
    let known = known::read_from(store.pool(), &plan.wanted(&words, now, contract)?).await?;
    let view = View { workspace: plan.workspace, now: Span::of(now, known.ahead), contract };
    let mut beside: Vec<PostId> = Vec::new();
    for place in &words.places {
        for claim in known.claims(&words, place, None, view) {
            let live = matches!(claim.standing, Standing::Counts { .. } | Standing::Free { .. });
            if let Some(post) = claim.post.filter(|post| live && post != made)
                && claim.likeness == Likeness::Equal
                && !beside.contains(&post)
            {
                beside.push(post);
            }
        }
    }
    Ok(beside)
}

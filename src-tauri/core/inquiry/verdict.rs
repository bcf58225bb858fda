//! From evidence to one verdict (design 5, contract "Verdicts"): the first rule that fits in the contract's order, the
//! others beside it, and what is missing. Pure: the same rows give the same words.

use serde::Serialize;

use super::{
    evidence::Evidence,
    makers::{makers, rank},
    pairs,
    says::{Code, Proof, Side},
    single,
};
use crate::{clock::Moment, ids::PostId, inbound::cause::Confidence, pozy::contract::Contract};

/// Version of these rules; a case file bears it.
pub const RULES: u32 = 1;

/// Several posts: which verdict comes first.
const SEVERAL: [Code; 7] = [
    Code::AllowedRepeat,
    Code::KeyPerTry,
    Code::WorkspaceChanged,
    Code::KeyExpired,
    Code::EditedAfterRefusal,
    Code::FalseFailureReposted,
    Code::TwoJobsSameContent,
];

/// Rows that an answer of absence shows.
const MOST_ROWS: usize = 20;

/// The answer to "why twice?".
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// The code.
    pub verdict: Code,
    /// How sure it is, from the rows alone.
    pub confidence: Confidence,
    /// The code in at most six words.
    pub headline: String,
    /// What happened.
    pub says: String,
    /// Whose side it was.
    pub side: Side,
    /// Whether it can happen again.
    pub again: String,
    /// How to prevent it.
    pub prevent: String,
    /// The rows it rests on, in time order.
    pub proof: Vec<Proof>,
    /// What would make it surer.
    pub missing: Vec<String>,
    /// The posts, oldest first.
    pub posts: Vec<PostId>,
    /// What to do now.
    pub next: String,
    /// What else fits.
    pub also: Vec<Also>,
}

/// Another verdict that fits the rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Also {
    /// The code.
    pub verdict: Code,
    /// How sure it is.
    pub confidence: Confidence,
    /// What happened.
    pub says: String,
}

/// One rule that fits.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    pub(super) code: Code,
    pub(super) confidence: Confidence,
    pub(super) side: Side,
    pub(super) says: String,
    pub(super) posts: Vec<PostId>,
    pub(super) proof: Vec<Proof>,
    pub(super) next: String,
}

/// Weighs the rows.
#[must_use]
pub fn judge(evidence: &Evidence, contract: &Contract) -> Answer {
    let mut fits = all(evidence, contract);
    let chosen = order(evidence).iter().find_map(|code| fits.iter().position(|fit| fit.code == *code));
    let head = match chosen {
        Some(at) => fits.remove(at),
        None => absent(evidence),
    };
    let also =
        fits.into_iter().map(|fit| Also { verdict: fit.code, confidence: fit.confidence, says: fit.says }).collect();
    let posts = posts(evidence, &head);
    Answer {
        verdict: head.code,
        confidence: head.confidence,
        headline: head.code.headline().to_owned(),
        side: head.side,
        again: head.code.again().to_owned(),
        prevent: head.code.prevent().to_owned(),
        proof: in_order(head.proof),
        missing: missing(evidence, head.code, &posts),
        says: head.says,
        next: head.next,
        posts,
        also,
    }
}

/// Keeps the surest fit of each code, of equal ones the first.
pub(super) fn keep_surest(fits: &mut Vec<Fit>, fit: Fit) {
    match fits.iter_mut().find(|known| known.code == fit.code) {
        Some(known) if rank(known.confidence) < rank(fit.confidence) => *known = fit,
        Some(_) => {}
        None => fits.push(fit),
    }
}

/// Every rule that fits: several posts, then missing posts, then one post.
fn all(evidence: &Evidence, contract: &Contract) -> Vec<Fit> {
    let mut fits = if let [post] = evidence.posts.as_slice() {
        let family: Vec<PostId> = evidence.posts.iter().chain(&evidence.kin).cloned().collect();
        pairs::fits(evidence, contract, &family, Some(post))
    } else {
        pairs::fits(evidence, contract, &evidence.posts, None)
    };
    fits.sort_by_key(|fit| SEVERAL.iter().position(|code| *code == fit.code));
    fits.extend(single::key_reused(evidence));
    for fit in evidence.posts.iter().flat_map(|post| single::fits(evidence, post)) {
        keep_surest(&mut fits, fit);
    }
    fits
}

/// The codes that may answer this question, in the contract's order.
fn order(evidence: &Evidence) -> Vec<Code> {
    let mut order = SEVERAL.to_vec();
    if evidence.asked.by_order {
        order.push(Code::KeyReused);
    }
    if evidence.posts.len() == 1 {
        order.extend([Code::PublisherSide, Code::CopiesOfOneEvent, Code::RollupAndTarget]);
    }
    order
}

/// The answers of absence. They rest on rows that are not there, so they are never sure.
fn absent(evidence: &Evidence) -> Fit {
    let makers = makers(evidence);
    let foreign: Vec<&PostId> = evidence
        .posts
        .iter()
        .filter(|post| {
            makers.iter().all(|maker| maker.post != *post)
                && evidence.attempts.iter().all(|attempt| attempt.post.as_ref() != Some(post))
                && evidence.since(post).is_some()
        })
        .collect();
    let unheard = |post: &&PostId| {
        evidence.since(post).is_none()
            && evidence.attempts.iter().all(|attempt| attempt.post.as_ref() != Some(post))
            && makers.iter().all(|maker| maker.post != *post)
            && evidence.notes.iter().all(|note| note.post.as_ref() != Some(post))
    };
    let fit = |code, says: String, next: String| Fit {
        code,
        confidence: Confidence::Low,
        side: if code == Code::NotSentFromHere { Side::OtherTool } else { Side::Unknown },
        says,
        posts: evidence.posts.clone(),
        proof: known_rows(evidence),
        next,
    };
    match (foreign.first(), evidence.posts.as_slice()) {
        (Some(post), _) => fit(
            Code::NotSentFromHere,
            format!("This log has no try that made {post}. It was sent by something else, or before this log began."),
            "Import the log of whatever else sends for this account, then ask again.".to_owned(),
        ),
        (None, []) => fit(
            Code::NotEnoughEvidence,
            "This log knows no post that fits the question.".to_owned(),
            "Check what was asked, or import the log that tells of it.".to_owned(),
        ),
        (None, posts) if posts.iter().any(|post| unheard(&post)) => {
            let unheard: Vec<&str> = posts.iter().filter(unheard).map(PostId::as_str).collect();
            fit(
                Code::NotEnoughEvidence,
                format!("This log knows nothing of {}: no try, no message, no fetch and no note.", unheard.join(", ")),
                "Check the id, or import the log that tells of it.".to_owned(),
            )
        }
        (None, [post]) => fit(
            Code::NotEnoughEvidence,
            format!("This log knows {post} once: nothing in it came, was sent or was seen twice."),
            "Ask with both posts or both addresses, or note what was seen, then ask again.".to_owned(),
        ),
        (None, posts) => fit(
            Code::NotEnoughEvidence,
            format!("This log knows {} posts, but nothing in it says why there are so many.", posts.len()),
            "Import the logs of everything that sends for these accounts, then ask again.".to_owned(),
        ),
    }
}

/// What the log knows of the posts asked about.
fn known_rows(evidence: &Evidence) -> Vec<Proof> {
    let attempts = evidence.attempts.iter().filter(|attempt| {
        evidence.posts.is_empty() || attempt.post.as_ref().is_some_and(|post| evidence.posts.contains(post))
    });
    let events = evidence.events.iter().filter(|event| evidence.posts.contains(&event.post));
    let fetches = evidence.observations.iter().filter(|seen| evidence.posts.contains(&seen.post));
    attempts
        .take(MOST_ROWS)
        .map(Proof::from)
        .chain(events.take(MOST_ROWS).map(Proof::from))
        .chain(fetches.take(MOST_ROWS).map(Proof::from))
        .map(Proof::supporting)
        .collect()
}

/// The posts of the case, oldest first; of one instant by id.
fn posts(evidence: &Evidence, head: &Fit) -> Vec<PostId> {
    if head.code == Code::KeyReused {
        return head.posts.clone();
    }
    let mut posts: Vec<PostId> = evidence.posts.iter().chain(&head.posts).cloned().collect();
    let makers = makers(evidence);
    let since = |post: &PostId| -> Moment {
        let of_post = makers.iter().filter(|maker| maker.post == post);
        let surest = of_post.clone().map(|maker| rank(maker.sure)).max();
        let made = of_post.filter(|maker| Some(rank(maker.sure)) == surest).map(|maker| maker.by.at).min();
        made.into_iter().chain(evidence.since(post)).min().unwrap_or(Moment(i64::MAX))
    };
    posts.sort_by_cached_key(|post| (since(post), post.clone()));
    posts.dedup();
    posts
}

/// Each row once, by time; needed if any rule needs it.
fn in_order(mut proof: Vec<Proof>) -> Vec<Proof> {
    proof.sort_by(|one, other| {
        (one.at, one.kind, &one.name, &one.text, !one.needed).cmp(&(
            other.at,
            other.kind,
            &other.name,
            &other.text,
            !other.needed,
        ))
    });
    proof.dedup_by(|later, kept| {
        (later.at, later.kind, &later.name, &later.text) == (kept.at, kept.kind, &kept.name, &kept.text)
    });
    proof
}

/// What would make the answer surer.
fn missing(evidence: &Evidence, code: Code, posts: &[PostId]) -> Vec<String> {
    let makers = makers(evidence);
    let mut missing = Vec::new();
    for post in posts {
        let made: Vec<_> = makers.iter().filter(|maker| maker.post == post).collect();
        if made.is_empty() {
            missing.push(format!("Any try that made {post}. Import the log of what sent it."));
        } else if made.iter().all(|maker| maker.told_by.is_some()) {
            missing.push(format!("The answer to the try that made {post}."));
        }
        let heard = evidence.events.iter().any(|event| event.post == *post)
            || evidence.observations.iter().any(|seen| seen.post == *post);
        if !heard {
            missing.push(format!("What became of {post}: no message and no fetch of it is here."));
        }
    }
    match (code, posts) {
        (Code::NotEnoughEvidence, []) => missing.push("A post, or a try that made one.".to_owned()),
        (Code::NotEnoughEvidence, [post]) => missing.push(format!(
            "The other post's id or address; or, if {post} can be seen twice, a note of that (`seen_twice`)."
        )),
        (Code::NotEnoughEvidence, _) => {
            missing.push("What ties these posts together: the job, the key and the body of both tries.".to_owned());
        }
        (Code::PublisherSide, [post]) => missing.push(format!("What Pozy and the platform say of {post}.")),
        _ => {}
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_told_that_an_unheard_of_post_is_known() {
        let contract = Contract::shipped("pozy").unwrap();
        for names in [&["po_typo"][..], &["po_typo", "po_slip"]] {
            let posts = names.iter().map(|name| PostId::new(*name)).collect();
            let told = judge(&Evidence { posts, ..Evidence::default() }, &contract);
            assert_eq!(told.verdict, Code::NotEnoughEvidence);
            assert!(told.says.starts_with("This log knows nothing of po_typo"), "{}", told.says);
        }
    }
}

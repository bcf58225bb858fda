//! Why one post looks like two, and why posts are missing behind one key.

use super::{
    evidence::{Came, Evidence, Happening, Scope, Try},
    makers::{makers, rank},
    says::{Code, Proof, Side},
    verdict::Fit,
};
use crate::{ids::PostId, inbound::cause::Confidence, pozy::answers::Meaning};

/// Arrivals of one event that are shown.
const MOST_ARRIVALS: usize = 50;
/// Tries of one key that are shown.
const MOST_TRIES: usize = 50;

/// What makes the one post look like two, best first; in the contract's order.
pub(super) fn fits(evidence: &Evidence, post: &PostId) -> Vec<Fit> {
    [publisher_side(evidence, post), copies_of_one_event(evidence, post), rollup_and_target(evidence, post)]
        .into_iter()
        .flatten()
        .collect()
}

/// The try that surely made the post: with it there is one post, without it only what was heard.
fn made_once(evidence: &Evidence, post: &PostId) -> Option<Proof> {
    let makers = makers(evidence);
    let sure = makers.iter().find(|maker| maker.post == post && rank(maker.sure) > 1)?;
    Some(Proof::from(sure.by).supporting())
}

fn events_of<'a>(evidence: &'a Evidence, post: &'a PostId) -> impl Iterator<Item = &'a Happening> + Clone {
    evidence.events.iter().filter(move |event| event.post == *post)
}

/// Somebody saw one post twice on the platform (X4). Only Pozy or the platform can prove it, so never of high
/// confidence.
fn publisher_side(evidence: &Evidence, post: &PostId) -> Option<Fit> {
    let seen: Vec<_> =
        evidence.notes.iter().filter(|note| note.action == "seen_twice" && note.post.as_ref() == Some(post)).collect();
    let pasted =
        if evidence.posts.as_slice() == std::slice::from_ref(post) { evidence.asked.urls.as_slice() } else { &[] };
    if seen.is_empty() && pasted.len() < 2 {
        return None;
    }
    let made = made_once(evidence, post);
    let heard = events_of(evidence, post).next().map(|event| Proof::from(event).supporting());
    let confidence = if made.is_some() && !seen.is_empty() { Confidence::Medium } else { Confidence::Low };
    let mut proof: Vec<Proof> = seen.iter().copied().map(Proof::from).collect();
    proof.extend(made);
    proof.extend(heard);
    let addresses = if pasted.is_empty() { String::new() } else { format!(" Addresses: {}.", pasted.join(", ")) };
    Some(Fit {
        code: Code::PublisherSide,
        confidence,
        side: Side::Pozy,
        says: format!(
            "Pozy has one post, {post}, and somebody saw it twice.{addresses} The second one was not made by a request in \
             this log; it arose at Pozy or at the platform."
        ),
        posts: vec![post.clone()],
        proof,
        next: format!("Tell Pozy's support: post {post}, both addresses, and when they were seen."),
    })
}

/// At least once means that a message may come again (R1, R2).
fn copies_of_one_event(evidence: &Evidence, post: &PostId) -> Option<Fit> {
    let (event, arrivals) = events_of(evidence, post)
        .map(|event| (event, evidence.arrivals.iter().filter(|came| came.event == event.event).collect::<Vec<&Came>>()))
        .filter(|(_, arrivals)| arrivals.len() > 1)
        .max_by_key(|(event, arrivals)| (arrivals.len(), std::cmp::Reverse(event.at)))?;
    let made = made_once(evidence, post);
    let cause = arrivals.iter().find_map(|came| came.cause.as_ref());
    let side = match cause.map(|(code, _)| code.as_str()) {
        Some("slow_answer" | "failed_answer") => Side::Us,
        Some("lost_answer") => Side::Network,
        _ => Side::Unknown,
    };
    let confidence = if made.is_some() { Confidence::High } else { Confidence::Medium };
    let why = cause.map_or_else(String::new, |(_, says)| format!(" {says}"));
    let says = format!("There is one post, {post}. Its message {} came {} times.{why}", event.event, arrivals.len());
    let mut proof = vec![Proof::from(event)];
    proof.extend(arrivals.iter().take(MOST_ARRIVALS).map(|came| Proof::from(*came)));
    proof.extend(made);
    Some(Fit {
        code: Code::CopiesOfOneEvent,
        confidence,
        side,
        says,
        posts: vec![post.clone()],
        proof,
        next: "Nothing has to be done about the post. Whatever counted it twice should count messages by their id."
            .to_owned(),
    })
}

/// A target's message and the roll-up speak of the same going live.
fn rollup_and_target(evidence: &Evidence, post: &PostId) -> Option<Fit> {
    let target = events_of(evidence, post).find(|event| event.scope == Scope::Target)?;
    let rollup = events_of(evidence, post).find(|event| event.scope == Scope::RollUp && event.name != target.name)?;
    let made = made_once(evidence, post);
    let confidence = if made.is_some() { Confidence::High } else { Confidence::Medium };
    let mut proof = vec![Proof::from(target), Proof::from(rollup)];
    proof.extend(made);
    Some(Fit {
        code: Code::RollupAndTarget,
        confidence,
        side: Side::Pozy,
        says: format!(
            "There is one post, {post}. {} tells of one account, {} of the whole post.",
            target.name, rollup.name
        ),
        posts: vec![post.clone()],
        proof,
        next: "Nothing has to be done about the post. Whatever counted two should count posts by their id.".to_owned(),
    })
}

/// One key for several contents: the key gave its first post back, and the later contents never went out (R7, S12).
pub(super) fn key_reused(evidence: &Evidence) -> Option<Fit> {
    let replays = evidence.attempts.iter().filter(|attempt| attempt.meaning == Some(Meaning::Replayed));
    replays.filter_map(|replay| reused(evidence, replay)).max_by_key(|fit| rank(fit.confidence))
}

fn reused(evidence: &Evidence, replay: &Try) -> Option<Fit> {
    let post = replay.post.as_ref()?;
    let of_key: Vec<&Try> = evidence
        .attempts
        .iter()
        .filter(|attempt| attempt.same_key(replay) && attempt.path == replay.path)
        .filter(|attempt| attempt.post.as_ref() == Some(post))
        .collect();
    let other = |attempt: &&&Try| matches!((&attempt.content, &replay.content), (Some(one), Some(two)) if one != two);
    let maker = of_key.iter().filter(|attempt| attempt.meaning == Some(Meaning::Created)).find(other);
    let sibling = of_key.iter().find(other);
    if sibling.is_none() && replay.differs != Some(true) {
        return None;
    }
    let mut contents: Vec<&str> =
        of_key.iter().filter_map(|attempt| Some(attempt.content.as_ref()?.text.trim())).collect();
    contents.sort_unstable();
    contents.dedup();
    let key = replay.key.as_deref()?;
    Some(Fit {
        code: Code::KeyReused,
        confidence: if maker.is_some() { Confidence::High } else { Confidence::Medium },
        side: if replay.local { Side::Us } else { Side::OtherTool },
        says: format!(
            "The key {key} was used for {} different contents. Only {post} was made; each later one got it back, and its \
             own words never went out.",
            contents.len().max(2)
        ),
        posts: vec![post.clone()],
        proof: of_key.iter().take(MOST_TRIES).map(|attempt| Proof::from(*attempt)).collect(),
        next: "Send each text that is missing as a job of its own, with a new key.".to_owned(),
    })
}

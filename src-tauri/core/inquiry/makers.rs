//! Which try made which post. A 201 says so; where the answer was lost, a later answer or what was heard of the post
//! tells. Everything rests on rows that are there: a further row can only add a maker, never take one away.

use super::{
    evidence::{Evidence, Happening, Try},
    words::holds,
};
use crate::{ids::PostId, inbound::cause::Confidence, pozy::answers::Meaning};

/// A post heard of this long after a lost try may be that try's, seconds.
const HEARD_WITHIN_S: i64 = 3_600;

/// A try that made a post, or is taken to have made it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Maker<'a> {
    /// The post.
    pub(super) post: &'a PostId,
    /// The try.
    pub(super) by: &'a Try,
    /// The row that ties a lost try to the post; none if its own answer does.
    pub(super) told_by: Option<Teller<'a>>,
    /// How sure the tie is.
    pub(super) sure: Confidence,
}

/// What ties a lost try to a post.
#[derive(Clone, Copy, Debug)]
pub(super) enum Teller<'a> {
    /// A later answer.
    Answer(&'a Try),
    /// An event of the post.
    Event(&'a Happening),
}

/// Every maker of every post.
pub(super) fn makers(evidence: &Evidence) -> Vec<Maker<'_>> {
    let mut found = Vec::new();
    for told in &evidence.attempts {
        let Some(post) = &told.post else { continue };
        match told.meaning {
            Some(Meaning::Created) => {
                found.push(Maker { post, by: told, told_by: None, sure: Confidence::High });
            }
            // The key gave its post back (R7): the lost try with that key had made it.
            Some(Meaning::Replayed) => {
                found.extend(lost_before(evidence, told).filter(|lost| lost.same_key(told)).map(|lost| Maker {
                    post,
                    by: lost,
                    told_by: Some(Teller::Answer(told)),
                    sure: Confidence::High,
                }))
            }
            // The same content was there (R10): a lost try with it had brought it there, surely so if it is of one job.
            Some(Meaning::SameContent) => {
                let same = lost_before(evidence, told).filter(|lost| lost.same_content(told));
                found.extend(same.map(|lost| Maker {
                    post,
                    by: lost,
                    told_by: Some(Teller::Answer(told)),
                    sure: if lost.job == told.job { Confidence::High } else { Confidence::Medium },
                }));
            }
            _ => {}
        }
    }
    for event in &evidence.events {
        let heard = evidence.attempts.iter().filter(|lost| lost.may_have_made() && fits(lost, event));
        let told_by = Some(Teller::Event(event));
        found.extend(heard.map(|by| Maker { post: &event.post, by, told_by, sure: Confidence::Low }));
    }
    found
}

fn lost_before<'a>(evidence: &'a Evidence, told: &'a Try) -> impl Iterator<Item = &'a Try> {
    evidence.attempts.iter().filter(move |lost| lost.may_have_made() && lost.at <= told.at && *lost != told)
}

/// True if the event soon after speaks of an account of the lost try, and of no other words.
fn fits(lost: &Try, event: &Happening) -> bool {
    let after_s = event.at.ms_since(lost.at) / 1_000;
    let Some(content) = &lost.content else { return false };
    let same_words = event.text.as_ref().is_none_or(|text| holds(&content.text, text) || holds(text, &content.text));
    let accounts = event.says.iter().filter_map(|status| status.account.as_ref());
    (0..=HEARD_WITHIN_S).contains(&after_s) && same_words && accounts.clone().any(|account| content.goes_to(account))
}

/// The weaker of two.
pub(super) fn weaker(one: Confidence, other: Confidence) -> Confidence {
    if rank(one) <= rank(other) { one } else { other }
}

/// Higher for surer.
pub(super) const fn rank(confidence: Confidence) -> u8 {
    match confidence {
        Confidence::High => 2,
        Confidence::Medium => 1,
        Confidence::Low => 0,
    }
}

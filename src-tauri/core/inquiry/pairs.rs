//! Why there are two posts: what ties the try behind one to the try behind the other. The first rule that fits in
//! the contract's order is the verdict, the others stand beside it.

use super::{
    evidence::{Evidence, Happening, Status, Try},
    makers::{Maker, Teller, makers, rank, weaker},
    says::{Code, Proof, Side, span},
    verdict::{Fit, keep_surest},
};
use crate::{
    ids::PostId,
    inbound::cause::Confidence,
    pozy::{answers::Meaning, contract::Contract},
};

/// Inside one job an edit is told from another text up to here, percent.
const EDIT_PERCENT: usize = 30;
/// Two that leave this close together pass the content check side by side, milliseconds.
const TOGETHER_MS: i64 = 120_000;
/// Tries of a job that are shown beside the needed ones.
const MOST_SUPPORT: usize = 20;

/// One pair of posts with the tries behind them, the earlier try first.
struct Pair<'a> {
    evidence: &'a Evidence,
    contract: &'a Contract,
    first: Maker<'a>,
    second: Maker<'a>,
}

/// The surest fit of each rule over all pairs of `posts`, or only those pairs that `one` belongs to; in no order.
pub(super) fn fits(evidence: &Evidence, contract: &Contract, posts: &[PostId], one: Option<&PostId>) -> Vec<Fit> {
    let mut makers = makers(evidence);
    makers.retain(|maker| posts.contains(maker.post));
    makers.sort_by_key(|maker| maker.by.at);
    let mut best: Vec<Fit> = Vec::new();
    let mut keep = |fit: Option<Fit>| {
        if let Some(fit) = fit.filter(|fit| one.is_none_or(|one| fit.posts.contains(one))) {
            keep_surest(&mut best, fit);
        }
    };
    for second in &makers {
        for post in posts.iter().filter(|post| *post != second.post) {
            keep(allowed_repeat(evidence, contract, &makers, post, second));
        }
        for refusal in evidence.attempts.iter().filter(|attempt| attempt.meaning == Some(Meaning::SameContent)) {
            if refusal.post.as_ref().is_some_and(|post| posts.contains(post)) {
                keep(edited_after_refusal(evidence, contract, refusal, second));
            }
        }
        for first in &makers {
            if first.post != second.post && first.by != second.by && first.by.at <= second.by.at {
                let pair = Pair { evidence, contract, first: *first, second: *second };
                keep(pair.key_per_try());
                keep(pair.workspace_changed());
                keep(pair.key_expired());
                keep(pair.false_failure_reposted());
                keep(pair.two_jobs_same_content());
            }
        }
    }
    best
}

/// The record of a Post again made the later post, whatever the earlier one was.
fn allowed_repeat(
    evidence: &Evidence,
    contract: &Contract,
    makers: &[Maker<'_>],
    post: &PostId,
    second: &Maker<'_>,
) -> Option<Fit> {
    let record = evidence.notes.iter().find(|note| {
        note.action == "post_again" && note.job.as_ref() == Some(&second.by.job) && !note.text.trim().is_empty()
    })?;
    if evidence.since(post)? > second.by.at {
        return None;
    }
    let first = makers
        .iter()
        .filter(|maker| maker.post == post && maker.by != second.by && near(maker.by, second.by, contract))
        .max_by_key(|maker| rank(maker.sure));
    let tied =
        first.map_or(Confidence::Low, |first| if rank(first.sure) > 1 { first.sure } else { Confidence::Medium });
    let mut proof: Vec<Proof> = vec![record.into()];
    proof.extend(made_by(second));
    proof.extend(first.into_iter().flat_map(made_by).map(Proof::supporting));
    Some(Fit {
        code: Code::AllowedRepeat,
        confidence: weaker(second.sure, tied),
        side: Side::Us,
        says: format!("{} was posted again on purpose as {}. The reason on record: {}", post, second.post, record.text),
        posts: vec![post.clone(), second.post.clone()],
        proof,
        next: format!("Nothing has to be done. If only one should stay, take {} down where it is live.", second.post),
    })
}

/// Pozy said that the post is there; the text was changed a little and sent (R10, S10).
fn edited_after_refusal(evidence: &Evidence, contract: &Contract, refusal: &Try, second: &Maker<'_>) -> Option<Fit> {
    let post = refusal.post.as_ref()?;
    let (before, after) = (refusal.content.as_ref()?, second.by.content.as_ref()?);
    let later = second.by.at >= refusal.at && second.by != refusal && second.post != post;
    if !later {
        return None;
    }
    let (apart, most) = match before.apart(after, contract.near_text_percent) {
        Some(apart) => (apart, Confidence::High),
        None if refusal.job == second.by.job => (before.apart(after, EDIT_PERCENT)?, Confidence::Medium),
        None => return None,
    };
    if apart == 0 {
        return None;
    }
    let mut proof: Vec<Proof> = vec![refusal.into()];
    proof.extend(made_by(second));
    proof.extend(live_rows(evidence, &[post, second.post]));
    let characters = if apart == 1 { "1 character".to_owned() } else { format!("{apart} characters") };
    Some(Fit {
        code: Code::EditedAfterRefusal,
        confidence: weaker(second.sure, most),
        side: sender(second.by),
        says: format!(
            "Pozy refused the words because they were there as {post}. They were changed by {characters} and sent, which made {}.",
            second.post
        ),
        posts: vec![post.clone(), second.post.clone()],
        proof,
        next: take_down(post, second.post),
    })
}

impl Pair<'_> {
    fn fit(&self, code: Code, most: Confidence, says: String) -> Fit {
        let (first, second) = (&self.first, &self.second);
        let mut proof: Vec<Proof> = made_by(first).collect();
        proof.extend(made_by(second));
        proof.extend(live_rows(self.evidence, &[first.post, second.post]));
        Fit {
            code,
            confidence: weaker(most, weaker(first.sure, second.sure)),
            side: sender(second.by),
            says,
            posts: vec![first.post.clone(), second.post.clone()],
            proof,
            next: take_down(first.post, second.post),
        }
    }

    /// One job, two keys: Pozy could not see that the tries are one (R7, S9).
    fn key_per_try(&self) -> Option<Fit> {
        let (first, second) = (self.first.by, self.second.by);
        if first.job != second.job || first.key.is_none() || second.key.is_none() || first.key == second.key {
            return None;
        }
        let tries = self.evidence.attempts.iter().filter(|attempt| attempt.job == first.job);
        let mut keys: Vec<&String> = tries.clone().filter_map(|attempt| attempt.key.as_ref()).collect();
        keys.sort_unstable();
        keys.dedup();
        let says = format!(
            "One job, {}, went out with {} keys. Pozy could not see that the tries were the same, and made {} and {}.",
            first.job,
            keys.len(),
            self.first.post,
            self.second.post
        );
        let mut fit = self.fit(Code::KeyPerTry, Confidence::High, says);
        fit.proof.extend(tries.take(MOST_SUPPORT).map(|attempt| Proof::from(attempt).supporting()));
        Some(fit)
    }

    /// Keys and the content check belong to one workspace (R12).
    fn workspace_changed(&self) -> Option<Fit> {
        let (first, second) = (self.first.by, self.second.by);
        let same_key = first.key.is_some() && first.key == second.key;
        if first.workspace == second.workspace || !(same_key || first.same_content(second)) {
            return None;
        }
        let what = if same_key { "The same key" } else { "The same content" };
        let says = format!(
            "{what} went out through two workspaces, {} and {}. Each knows only its own keys and posts, so there are two.",
            first.workspace, second.workspace
        );
        Some(self.fit(Code::WorkspaceChanged, Confidence::High, says))
    }

    /// Past its life a key is forgotten, and the same request makes a new post (R12, T5).
    fn key_expired(&self) -> Option<Fit> {
        let (first, second) = (self.first.by, self.second.by);
        let life = self.contract.key_life_h * 3_600_000;
        let apart = second.at.ms_since(first.at);
        if !first.same_key(second) || apart <= life {
            return None;
        }
        let most =
            if apart <= life + self.contract.too_close_min * 60_000 { Confidence::Medium } else { Confidence::High };
        let says = format!(
            "One key made both posts, {} apart. Pozy remembers a key for {} h; after that the same request made a new post.",
            span(apart),
            self.contract.key_life_h
        );
        Some(self.fit(Code::KeyExpired, most, says))
    }

    /// Something said that the first one failed, or nothing said that it had not; it was live, and was sent again.
    fn false_failure_reposted(&self) -> Option<Fit> {
        let (first, second) = (&self.first, &self.second);
        if !near(first.by, second.by, self.contract) {
            return None;
        }
        let (claims, lives) = (self.claims_of_failure(), self.signs_of_life());
        let (claim, live) = claims.iter().find_map(|(failed, claim)| {
            let live = lives.iter().find(|(status, _)| {
                let targets = (failed.as_ref().and_then(|s| s.account.as_ref()), status.account.as_ref());
                !matches!(targets, (Some(one), Some(other)) if one != other)
            })?;
            Some((claim, live))
        })?;
        let called = match claim {
            Some(_) => format!("{} was called failed", first.post),
            None => format!("The answer to the try that made {} was lost", first.post),
        };
        let says = format!("{called}, but it was live. The same words were sent again and made {}.", second.post);
        let mut fit = self.fit(Code::FalseFailureReposted, Confidence::High, says);
        fit.side = if claim.is_some() { Side::Pozy } else { Side::Network };
        fit.proof.extend(claim.clone());
        fit.proof.push(live.1.clone());
        Some(fit)
    }

    /// What called the first post failed before the second was sent. A lost answer is a claim without a row of its own.
    fn claims_of_failure(&self) -> Vec<(Option<Status>, Option<Proof>)> {
        let post = self.first.post;
        let failed = |says: &[Status]| says.iter().find(|status| status.is_failed()).cloned();
        let before = self.second.by.at;
        let events = self.evidence.events.iter().filter(|event| event.post == *post && event.at <= before);
        let fetches = self.evidence.observations.iter().filter(|seen| seen.post == *post && seen.at <= before);
        let mut found: Vec<_> = events
            .filter_map(|event| Some((Some(failed(&event.says)?), Some(Proof::from(event)))))
            .chain(fetches.filter_map(|seen| Some((Some(failed(&seen.says)?), Some(Proof::from(seen))))))
            .collect();
        if self.first.by.may_have_made() {
            found.push((None, None));
        }
        found
    }

    /// What says that the first post was there: state, or Pozy's refusal of the same content (R10, R11).
    fn signs_of_life(&self) -> Vec<(Status, Proof)> {
        let post = self.first.post;
        let live = |says: &[Status]| says.iter().find(|status| status.is_live()).cloned();
        let events = self.evidence.events.iter().filter(|event| event.post == *post);
        let fetches = self.evidence.observations.iter().filter(|seen| seen.post == *post);
        let refusals = self
            .evidence
            .attempts
            .iter()
            .filter(|attempt| attempt.meaning == Some(Meaning::SameContent) && attempt.post.as_ref() == Some(post));
        events
            .filter_map(|event| Some((live(&event.says)?, Proof::from(event))))
            .chain(fetches.filter_map(|seen| Some((live(&seen.says)?, Proof::from(seen)))))
            .chain(
                refusals.map(|refusal| (Status { account: None, word: "published".to_owned() }, Proof::from(refusal))),
            )
            .collect()
    }

    /// Two jobs with keys of their own brought the same content (S15, X15). Without any key nothing says that they are
    /// two jobs and not two tries.
    fn two_jobs_same_content(&self) -> Option<Fit> {
        let (first, second) = (self.first.by, self.second.by);
        let keyless = first.key.is_none() && second.key.is_none();
        let one_key = first.key.is_some() && first.key == second.key;
        if first.job == second.job || keyless || one_key || !first.same_content(second) {
            return None;
        }
        let apart = second.at.ms_since(first.at);
        // In between Pozy would have refused the second (R10), unless the first had failed.
        let explained = apart <= TOGETHER_MS || apart > self.contract.content_window_h * 3_600_000;
        let says = format!(
            "Two jobs, {} and {}, sent the same words to one account, {} apart, each with its own key.",
            first.job,
            second.job,
            span(apart)
        );
        Some(self.fit(Code::TwoJobsSameContent, if explained { Confidence::High } else { Confidence::Medium }, says))
    }
}

/// The rows that say who made a post.
fn made_by<'a>(maker: &Maker<'a>) -> impl Iterator<Item = Proof> + use<'a> {
    let told = maker.told_by.map(|teller| match teller {
        Teller::Answer(told) => Proof::from(told),
        Teller::Event(event) => Proof::from(event),
    });
    std::iter::once(Proof::from(maker.by)).chain(told)
}

/// For each post the first event that says it is live.
fn live_rows(evidence: &Evidence, posts: &[&PostId]) -> Vec<Proof> {
    let first = |post: &PostId| {
        let mut events = evidence.events.iter().filter(|event: &&Happening| event.post == *post);
        events.find(|event| event.says.iter().any(Status::is_live)).map(|event| Proof::from(event).supporting())
    };
    posts.iter().filter_map(|post| first(post)).collect()
}

/// The same words, or nearly, for an account that both name.
fn near(one: &Try, other: &Try, contract: &Contract) -> bool {
    let (Some(first), Some(second)) = (&one.content, &other.content) else { return false };
    first.same_on_an_account(second) || first.apart(second, contract.near_text_percent).is_some()
}

const fn sender(attempt: &Try) -> Side {
    if attempt.local { Side::Us } else { Side::OtherTool }
}

fn take_down(first: &PostId, second: &PostId) -> String {
    format!("Open {first} and {second}; if both are live, take one of them down. Do not send again.")
}

//! What stands around a forecast: the posts it rests on, what a person compares it with, and where a Post again goes.
//! Pure.

use std::{cell::OnceCell, collections::HashSet};

use super::{
    Question,
    content::{bears, may_be_back},
    is_its_own,
    live::{self, Standing},
    memory::Bound,
    reason::Beside,
    recalled, view,
    words::Place,
};
use crate::{
    clock::Moment,
    ids::{AccountId, PostId},
};

/// Most posts and jobs that are shown beside a forecast.
const MOST_BESIDE: usize = 8;

/// Where the job's own posts stand, by account.
#[must_use]
pub fn own_standings(question: &Question<'_>) -> Vec<(AccountId, Standing)> {
    let (own, view) = (&question.known.own, view(question));
    let posts = question.known.posts.iter().filter(|target| own.contains(&target.post));
    posts
        .map(|target| {
            let scheduled = target.scheduled.map(Moment);
            (target.account.clone(), live::standing(&target.news, scheduled, view.now, question.contract))
        })
        .collect()
}

/// The known posts whose state the forecast rests on, the job's own first, at most `most`.
#[must_use]
pub fn rests_on(question: &Question<'_>, most: usize) -> Vec<PostId> {
    let mut posts: Vec<PostId> = question.known.own.clone();
    for place in &question.words.places {
        let claims = question.known.claims(question.words, place, None, view(question));
        posts.extend(
            claims.into_iter().filter(|claim| claim.here && bears(claim, question)).filter_map(|claim| claim.post),
        );
    }
    let mut seen = HashSet::new();
    posts.retain(|post| seen.insert(post.clone()));
    posts.truncate(most);
    posts
}

/// The posts that only messages told of and that are taken for the one a lost try made: a message tells no media, so that
/// somebody else's with other media would look the same. They are fetched before anything leaves, however safe it is.
#[must_use]
pub fn taken_for_own(question: &Question<'_>) -> Vec<PostId> {
    let Some(of) = question.of.filter(|_| recalled(question).bound == Bound::Maybe) else { return Vec::new() };
    let mut posts: Vec<PostId> = Vec::new();
    for place in &question.words.places {
        let claims = question.known.claims(question.words, place, Some(of.facts.id), view(question));
        let taken = claims.into_iter().filter(|claim| bears(claim, question) && is_its_own(claim, place, question));
        posts.extend(taken.filter_map(|claim| claim.post));
    }
    posts.sort();
    posts.dedup();
    posts
}

/// What may stand on the accounts already with equal or near words or from the same job, for a person to compare: each
/// post or open job once, those that are surely live or on their way first.
#[must_use]
pub fn beside(question: &Question<'_>) -> Vec<Beside> {
    let mut found: Vec<(bool, Beside)> = Vec::new();
    let asked = OnceCell::new();
    for place in &question.words.places {
        let claims = question.known.claims(question.words, place, None, view(question));
        for claim in claims {
            let stands = !claim.standing.is_dead() || may_be_back(&claim, question, &asked);
            let named = claim.post.is_some() || claim.job.is_some();
            let known = |(_, other): &(bool, Beside)| other.post == claim.post && other.job == claim.job;
            if !stands || !named || found.iter().any(known) || !bears(&claim, question) {
                continue;
            }
            let since = claim.standing.live_since();
            let unsure = matches!(claim.standing, Standing::Unclear(_) | Standing::Dead { .. });
            let (post, job, text) = (claim.post, claim.job, claim.text);
            found.push((unsure, Beside { post, job, account: place.account.clone(), text, since, own: claim.own }));
        }
    }
    found.sort_by_key(|(unsure, _)| *unsure);
    found.into_iter().map(|(_, beside)| beside).take(MOST_BESIDE).collect()
}

/// The accounts a Post again goes to unless a person chooses: the failed ones where others are live, else all.
#[must_use]
pub fn preselected(places: &[Place], own: &[(AccountId, Standing)]) -> Vec<AccountId> {
    let dead = |account: &AccountId| {
        let mut its = own.iter().filter(|(on, _)| on == account).peekable();
        its.peek().is_some() && its.all(|(_, standing)| standing.is_dead())
    };
    let all: Vec<AccountId> = places.iter().map(|place| place.account.clone()).collect();
    let failed: Vec<AccountId> = all.iter().filter(|account| dead(account)).cloned().collect();
    if failed.is_empty() { all } else { failed }
}

//! Where one target of a post stands towards the content check (R10, R11): does it count, is it live beyond the
//! window, is it dead, or can nobody tell from what is stored? Pure.

use serde::Deserialize;

use super::span::Span;
use crate::{clock::Moment, pozy::contract::Contract};

/// One thing that was told of a target.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct News {
    /// When it held, nanoseconds since 1970.
    pub at: i64,
    /// The state it was in.
    pub status: String,
    /// When it was published, if this says so.
    pub published: Option<i64>,
    /// When it is to be published, if this says so.
    pub scheduled: Option<i64>,
    /// True if a state that begins here began at this very moment, as an event about the target itself tells (R4).
    pub exact: bool,
    /// True if only a file tells it, of no workspace of ours.
    pub hearsay: bool,
}

/// The word for "the same content was there", which a content 409 tells of a post (R10).
pub const THERE: &str = "there";
/// A state that was told less than this before or after another one cannot be put in order with it, milliseconds
/// (design 4.9).
const NEAR_MS: i64 = 5_000;
/// A planned post counts until this long before its time, seconds: what is asked now may be decided then.
const LEAD_S: i64 = 60;

/// Where a target stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Scheduled, publishing, or published inside the window: the same content is refused (R10).
    Counts {
        /// When it went live, if it is live already.
        since: Option<Moment>,
    },
    /// Live, and published longer ago than the window: nothing refuses the same content any more (T5).
    Free {
        /// When it went live, at the latest.
        since: Moment,
    },
    /// Failed or cancelled, or a draft: not live (R11), as far as was told.
    Dead {
        /// When it was last told so.
        told: Moment,
    },
    /// It cannot be told from what is stored.
    Unclear(Unclear),
}

impl Standing {
    /// True if it is not live, as far as was told.
    #[must_use]
    pub const fn is_dead(&self) -> bool {
        matches!(self, Self::Dead { .. })
    }

    /// Since when it is live, if it surely is.
    #[must_use]
    pub const fn live_since(&self) -> Option<Moment> {
        match self {
            Self::Counts { since } => *since,
            Self::Free { since } => Some(*since),
            Self::Dead { .. } | Self::Unclear(_) => None,
        }
    }
}

/// Why a standing cannot be told, and what it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unclear {
    /// True if only the end of the window is too close; else what is stored is too old or too little.
    pub near_limit: bool,
    /// True if it may be live beyond the window, where a repeat would be a second live post.
    pub may_be_free: bool,
    /// True if it may be anything but live.
    pub may_be_dead: bool,
    /// About when it went live, if it did.
    pub about: Option<Moment>,
}

impl Unclear {
    /// Nothing at all is known.
    pub const UNKNOWN: Self = Self { near_limit: false, may_be_free: true, may_be_dead: true, about: None };
    /// A person looked and found nothing: Pozy may still know better, but nothing of it is live and free.
    pub const NOT_FOUND: Self = Self { near_limit: false, may_be_free: false, may_be_dead: true, about: None };
}

/// The standing of a target by all that was told of it, in any order. `now` is the present by either clock;
/// `scheduled` is the time the job asked for, where no telling says one.
///
/// A file may say that a target stands in the way, and frees none that our own answers and messages say does: whose file
/// it is and what was changed in it, nobody knows.
#[must_use]
pub fn standing(news: &[News], scheduled: Option<Moment>, now: Span, contract: &Contract) -> Standing {
    let frees = |standing: Standing| matches!(standing, Standing::Dead { .. } | Standing::Free { .. });
    let by_all = told(news, scheduled, now, contract);
    if !frees(by_all) || !news.iter().any(|news| news.hearsay) {
        return by_all;
    }
    let own: Vec<News> = news.iter().filter(|news| !news.hearsay).cloned().collect();
    if own.is_empty() || frees(told(&own, scheduled, now, contract)) {
        return by_all;
    }
    Standing::Unclear(Unclear::UNKNOWN)
}

/// The standing by these, whoever told them.
fn told(news: &[News], scheduled: Option<Moment>, now: Span, contract: &Contract) -> Standing {
    let mut news: Vec<&News> = news.iter().collect();
    news.sort_by(|a, b| (a.at, &a.status).cmp(&(b.at, &b.status)));
    let Some(last) = news.last() else { return Standing::Unclear(Unclear::UNKNOWN) };
    if last.status == THERE {
        return there(&news, Moment(last.at), scheduled, now, contract);
    }
    let contradicted = news.iter().rev().skip(1).any(|other| {
        other.status != last.status
            && Moment(last.at).ms_since(Moment(other.at)) <= NEAR_MS
            && !is_step(&other.status, &last.status)
            && !(other.status == THERE && agrees(&last.status))
    });
    if contradicted {
        return Standing::Unclear(Unclear::UNKNOWN);
    }
    let scheduled = last.scheduled.map(Moment).or(scheduled);
    match last.status.as_str() {
        "failed" | "cancelled" | "draft" | "pending" => Standing::Dead { told: Moment(last.at) },
        "scheduled" => match scheduled {
            Some(time) if now.latest.plus_seconds(LEAD_S) < time => Standing::Counts { since: None },
            Some(time) => since_at_least(time, now, contract),
            None => since_at_least(Moment(last.at), now, contract),
        },
        "publishing" | "processing" => since_at_least(Moment(last.at), now, contract),
        "published" => published(&news, now, contract),
        _ => Standing::Unclear(Unclear::UNKNOWN),
    }
}

/// The content 409 came last: at `at` it was live or about to be. What was told before holds on if it agrees with that.
/// Else it was published a window before the 409 at the earliest, and at any time since.
fn there(news: &[&News], at: Moment, scheduled: Option<Moment>, now: Span, contract: &Contract) -> Standing {
    let before: Vec<News> = news.iter().filter(|news| news.status != THERE).map(|news| (*news).clone()).collect();
    if let counts @ Standing::Counts { .. } = told(&before, scheduled, now, contract) {
        return counts;
    }
    let inside =
        now.oldest_since(at.plus_seconds(-contract.content_window_h * 3_600)) < window(contract) - too_close(contract);
    Standing::Unclear(Unclear { near_limit: false, may_be_free: !inside, may_be_dead: true, about: None })
}

/// True for the states in which the same content is refused (R10).
fn agrees(status: &str) -> bool {
    matches!(status, "scheduled" | "publishing" | "processing" | "published")
}

/// Steps of one publishing, which follow each other within seconds.
fn is_step(from: &str, to: &str) -> bool {
    let rank = |status: &str| ["scheduled", "publishing", "published"].iter().position(|known| *known == status);
    let ended = |status: &str| matches!(status, "failed" | "cancelled");
    rank(from).is_some_and(|from| ended(to) || rank(to).is_some_and(|to| from < to))
}

/// It was on its way: by now it may have been published at `earliest` or later, or have failed.
fn since_at_least(earliest: Moment, now: Span, contract: &Contract) -> Standing {
    let inside = now.oldest_since(earliest) < window(contract) - too_close(contract);
    Standing::Unclear(Unclear { near_limit: false, may_be_free: !inside, may_be_dead: true, about: Some(earliest) })
}

/// Published at a moment between the last news of another state and the first news of this one.
fn published(news: &[&News], now: Span, contract: &Contract) -> Standing {
    let run = news.iter().rev().take_while(|news| news.status == "published").count();
    let (before, run) = news.split_at(news.len() - run);
    let told = run.iter().rev().find_map(|news| news.published);
    let first = run.first().map_or(Moment::default(), |first| Moment(first.at));
    let exact = told.is_some() || run.first().is_some_and(|first| first.exact);
    let latest = told.map_or(first, Moment);
    let earliest = if exact { Some(latest) } else { before.last().map(|last| Moment(last.at)) };
    let (window, close) = (window(contract), too_close(contract));
    if now.youngest_since(latest) > window + close {
        return Standing::Free { since: latest };
    }
    match earliest {
        Some(earliest) if now.oldest_since(earliest) < window - close => Standing::Counts { since: Some(latest) },
        _ => {
            Standing::Unclear(Unclear { near_limit: exact, may_be_free: true, may_be_dead: false, about: Some(latest) })
        }
    }
}

fn window(contract: &Contract) -> i64 {
    contract.content_window_h * 3_600 * Moment::SECOND
}

fn too_close(contract: &Contract) -> i64 {
    contract.too_close_min * 60 * Moment::SECOND
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const H: i64 = 3_600;

    fn hours(h: f64) -> i64 {
        #[expect(clippy::cast_possible_truncation, reason = "whole seconds of a test")]
        let seconds = (h * 3_600.0) as i64;
        seconds * Moment::SECOND
    }

    /// News as `status@hour`, with `=hour` for a publishing time, `!` for exact and `?` for what only a file tells.
    fn news(told: &str) -> Vec<News> {
        let one = |word: &str| {
            let (exact, hearsay) = (word.contains('!'), word.contains('?'));
            let word = word.trim_end_matches(['!', '?']);
            let (head, published) = match word.split_once('=') {
                Some((head, hour)) => (head, Some(hours(hour.parse().unwrap()))),
                None => (word, None),
            };
            let (status, at) = head.split_once('@').unwrap();
            News {
                at: hours(at.parse().unwrap()),
                status: status.to_owned(),
                published,
                scheduled: None,
                exact,
                hearsay,
            }
        };
        told.split_whitespace().map(one).collect()
    }

    #[rstest]
    #[case::planned("scheduled@0", Some(90.0), 25.0, "counts")]
    #[case::its_time_passed("scheduled@0", Some(1.0), 2.0, "counts or dead")]
    #[case::its_time_passed_long_ago("scheduled@0", Some(1.0), 26.0, "any")]
    #[case::no_time("scheduled@0", None, 2.0, "counts or dead")]
    #[case::under_way("publishing@0", None, 1.0, "counts or dead")]
    #[case::live("published@1=1", None, 20.0, "counts")]
    #[case::live_by_event("scheduled@0 published@1!", None, 20.0, "counts")]
    #[case::near_the_end("published@1=1", None, 24.9, "near")]
    #[case::past_the_end("published@1=1", None, 25.3, "free")]
    #[case::roll_up_only("published@20", None, 22.0, "live")]
    #[case::roll_up_after_planned("scheduled@10 published@20", None, 30.0, "counts")]
    #[case::roll_up_long_ago("published@1", None, 26.0, "free")]
    #[case::failed("publishing@0 failed@1", None, 2.0, "dead")]
    #[case::any_order("failed@1 publishing@0", None, 2.0, "dead")]
    #[case::again_live("published@1! failed@2 published@3!", None, 26.5, "counts")]
    #[case::contradiction("failed@1 published@1.001!", None, 2.0, "any")]
    #[case::same_words_there("there@1", None, 1.1, "any")]
    #[case::planned_and_there("scheduled@0 there@10", Some(90.0), 30.0, "counts")]
    #[case::planned_and_there_at_once("scheduled@0 there@0.001", Some(90.0), 30.0, "counts")]
    #[case::there_and_planned("there@0 scheduled@0.001", Some(90.0), 30.0, "counts")]
    #[case::live_and_there("published@1=1 there@20", None, 22.0, "counts")]
    #[case::failed_and_there("failed@1 there@20", None, 22.0, "any")]
    #[case::failed_and_there_at_once("there@1 failed@1.001", None, 22.0, "any")]
    #[case::gone("published@1=1 gone@3", None, 4.0, "any")]
    #[case::nothing("", None, 1.0, "any")]
    #[case::a_file_calls_it_failed("published@1=1 failed@2?", None, 3.0, "any")]
    #[case::a_file_calls_a_planned_one_cancelled("scheduled@0 cancelled@1?", Some(90.0), 3.0, "any")]
    #[case::a_file_says_that_it_is_long_ago("published@23=23 published@24=0?", None, 26.0, "any")]
    #[case::a_file_says_that_it_is_there("failed@1 published@2=2?", None, 3.0, "counts")]
    #[case::nobody_but_a_file_tells("published@1=1? failed@2?", None, 3.0, "dead")]
    #[case::both_call_it_failed("publishing@0 failed@1 failed@2?", None, 3.0, "dead")]
    fn a_target_stands(#[case] told: &str, #[case] scheduled: Option<f64>, #[case] now: f64, #[case] stands: &str) {
        let contract = Contract::shipped("pozy").unwrap();
        let scheduled = scheduled.map(|hour| Moment(hours(hour)));
        let now = Span::at(Moment(hours(now)));
        let word = match standing(&news(told), scheduled, now, &contract) {
            Standing::Counts { .. } => "counts",
            Standing::Free { .. } => "free",
            Standing::Dead { .. } => "dead",
            Standing::Unclear(Unclear { near_limit: true, .. }) => "near",
            Standing::Unclear(Unclear { may_be_free: false, may_be_dead: true, .. }) => "counts or dead",
            Standing::Unclear(Unclear { may_be_dead: false, .. }) => "live",
            Standing::Unclear(_) => "any",
        };
        assert_eq!(word, stands);
    }

    #[test]
    fn clocks_that_disagree_only_make_it_less_sure() {
        let contract = Contract::shipped("pozy").unwrap();
        let told = news("published@0=0");
        let now = Moment(24 * H * Moment::SECOND);
        let wide = Span { earliest: now.plus_seconds(-2 * H), latest: now.plus_seconds(2 * H) };
        assert!(matches!(standing(&told, None, wide, &contract), Standing::Unclear(_)));
    }
}

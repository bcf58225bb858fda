//! The sentences of a forecast: plain words, what is so and what follows.

use super::{
    known::{AccountState, Claim, Likeness, Looked, MESSAGES},
    reason::{Reason, clock},
};
use crate::{clock::Moment, outbound::schedule::Reading, pozy::contract::Contract};

pub(super) fn elsewhere(name: &str) -> String {
    format!(
        "Keys belong to one workspace. {name} has never seen this one, and may post to the same account: then a second \
         live post comes of it."
    )
}

pub(super) fn running(until: Moment) -> String {
    format!("Pozy still works on the first try and asked to wait until {}.", clock(until))
}

pub(super) fn alive(ends: Option<Moment>, contract: &Contract) -> String {
    match ends {
        Some(ends) => {
            let sure = ends.plus_seconds(-contract.too_close_min * 60);
            format!("Pozy surely remembers the key until {} and gives its post back.", clock(sure))
        }
        None => "Pozy remembers the key and gives its post back.".to_owned(),
    }
}

pub(super) fn unknown_alive() -> &'static str {
    "A try got no answer. With the same key Pozy finds the post it made, or makes it now: one post either way."
}

pub(super) fn lost_draft() -> &'static str {
    "The last try got no answer: it may have made the draft, and may still be under way."
}

pub(super) fn unknown_gone() -> &'static str {
    "A try got no answer and may have been carried out. Look before it is done once more."
}

pub(super) fn near_end(ends: Option<Moment>, now: Moment) -> String {
    match ends {
        Some(ends) if ends > now => format!(
            "The key ends in {} min, which is too close to call. If it ends first, this is a new post.",
            ends.ms_since(now) / 60_000
        ),
        Some(ends) => {
            format!(
                "The key may have ended at {}, which is too close to call. If it has, this is a new post.",
                clock(ends)
            )
        }
        None => "The end of the key is too close to call. If it ends first, this is a new post.".to_owned(),
    }
}

pub(super) fn gone(ends: Option<Moment>) -> String {
    match ends {
        Some(ends) => format!("The key ended at {}: Pozy no longer finds the first post by it.", clock(ends)),
        None => "The key is gone: Pozy no longer finds the first post by it.".to_owned(),
    }
}

pub(super) fn other_words() -> &'static str {
    "The key stands for other words: those come back, and these never go out. Use a new key for new words."
}

pub(super) fn other_call() -> &'static str {
    "The key stands for another call, so Pozy refuses this one and makes nothing. Use a new key."
}

pub(super) fn call_of_another_path() -> &'static str {
    "The key stands for a call of another path. Whether Pozy refuses a post for that is not known. Use a new key."
}

pub(super) fn first_comes_back_dead() -> &'static str {
    "The first post failed or was cancelled. Asking shows it as it is and publishes nothing."
}

pub(super) fn partly_live() -> &'static str {
    "Some of its accounts have it, others failed. Asking publishes nothing; post again to the failed ones alone."
}

pub(super) fn answered_no(status: u16) -> String {
    format!("Pozy said no to these very words last time ({status}). Mend what it named, or it will say so again.")
}

pub(super) fn same_content(there: Option<&Claim>) -> String {
    format!(
        "The same words are planned, on their way or freshly live on that account{}. Nothing new is made.",
        named(there)
    )
}

pub(super) fn partly_there() -> &'static str {
    "Some of its accounts have these words already, others do not. Nobody can tell whether Pozy then refuses all of it."
}

pub(super) fn nothing_there() -> &'static str {
    "No post with these words is known on that account."
}

pub(super) fn first_is_dead() -> &'static str {
    "The first post failed or was cancelled, so only this one would be live."
}

pub(super) fn through_elsewhere(claim: &Claim) -> String {
    format!(
        "The same or nearly the same words went to that account through another workspace{}. If both post to the same \
         page, a second live post comes of it.",
        named(Some(claim))
    )
}

pub(super) fn near(claim: &Claim, since: Option<Moment>) -> String {
    let apart = match claim.likeness {
        Likeness::Near(1) => "Differs by one character from a post".to_owned(),
        Likeness::Near(0) => "Has the same text as a post".to_owned(),
        Likeness::Near(apart) => format!("Differs by {apart} characters from a post"),
        Likeness::Equal | Likeness::Heard | Likeness::Other => "Belongs to the same job as a post".to_owned(),
    };
    let state = since.map_or_else(
        || "that is planned or on its way".to_owned(),
        |since| format!("that is live since {}", clock(since)),
    );
    format!("{apart}{} {state}, so it slips past Pozy's check and is a second post.", named(Some(claim)))
}

pub(super) fn check_over(claim: &Claim, since: Moment) -> String {
    format!(
        "The first post{} is live since {}, longer than Pozy looks for the same words. This would be a second one.",
        named(Some(claim)),
        clock(since)
    )
}

pub(super) fn check_near_end() -> &'static str {
    "It is live for about as long as Pozy looks for the same words, which is too close to call. After that a second \
     post comes of it."
}

pub(super) fn open_job(claim: &Claim) -> String {
    let job = claim.job.as_ref().map_or_else(String::new, |job| format!(" ({job})"));
    format!("A try with these words{job} has no known outcome: its post may be live, or may still come.")
}

pub(super) fn time_twice(first: &Reading, second: &Reading) -> String {
    format!("This time comes twice: {} and {}. Say which is meant.", first.text(), second.text())
}

pub(super) fn time_missing(before: &Reading, after: &Reading) -> String {
    format!(
        "The clocks jump over this time, so it does not exist. Say whether {} or {} is meant.",
        after.text(),
        before.text()
    )
}

pub(super) fn time_unreadable() -> &'static str {
    "The planned time or its zone cannot be read here, so nobody can say when, or whether, Pozy would publish it."
}

pub(super) fn disconnected(account: &AccountState) -> String {
    let so = if account.status == "gone" { "is not connected any more" } else { "was disconnected" };
    format!(
        "The account {} {so} at {}. A post to it most likely fails; connect it anew first.",
        account.account,
        clock(Moment(account.at))
    )
}

/// What a person found, and whether it counts.
pub(super) fn looked(looked: Looked) -> (Reason, String) {
    let at = clock(looked.at);
    if looked.late_enough {
        let text = format!(
            "Somebody looked at {at} and found none, so only this one would be live. That rests on their word."
        );
        (Reason::SeenNotThere, text)
    } else {
        let text = format!(
            "Somebody looked at {at} and found none, but its post may have come after that. Look once more before it is \
             sent."
        );
        (Reason::LookedTooSoon, text)
    }
}

pub(super) fn not_there() -> &'static str {
    "Somebody looked and found that it was not carried out. That rests on their word."
}

pub(super) fn stale(claim: &Claim) -> String {
    format!(
        "What is stored of the post{} is too old or too little to say whether it is live. Fetch it first.",
        named(Some(claim))
    )
}

pub(super) fn may_be_back(claim: &Claim, told: Moment) -> String {
    format!(
        "The post{} has the same words, or nearly these. At {} it was told not to be live, and may have gone live since \
         without a word to this log. Fetch it first.",
        named(Some(claim)),
        clock(told)
    )
}

/// What only messages told of; their first words are all that is known.
pub(super) fn heard(claim: &Claim) -> String {
    format!(
        "A message told of a post{} with these words, or nearly these. Its pictures and the account's own words are not \
         known, so nobody can tell whether Pozy takes this for the same. Fetch it first.",
        named(Some(claim))
    )
}

pub(super) fn not_seen(post: &Claim, at: Moment) -> String {
    format!(
        "Pozy says that the post{} is live, and somebody who looked at {} did not see it on the account. That cannot be \
         settled from here: if it shows up, a new one is a second.",
        named(Some(post)),
        clock(at)
    )
}

pub(super) fn words_behind() -> String {
    format!(
        "More than {} messages came in over the last days. Only the newest of them were looked through for these words.",
        MESSAGES
    )
}

pub(super) fn late(time: Moment) -> String {
    format!("It was planned for {}; sent now it is published at once.", clock(time))
}

pub(super) fn skew(ahead_ns: Option<i64>) -> String {
    let seconds = ahead_ns.unwrap_or_default() / Moment::SECOND;
    let side = if seconds < 0 { "ahead of" } else { "behind" };
    format!("Our clock is {} s {side} Pozy's; the greater age counts.", seconds.abs())
}

fn named(claim: Option<&Claim>) -> String {
    match claim.map(|claim| (&claim.post, claim.line)) {
        Some((Some(post), _)) => format!(" ({post})"),
        Some((None, Some(line))) => format!(" (line {line} of this file)"),
        _ => String::new(),
    }
}

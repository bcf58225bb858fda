//! What a body would put on which account, and how near two texts are: the content check of Pozy (R10) compares
//! account, text and media; Reprise also looks for texts that would slip past it by a few characters. Pure.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::{
    clock::Moment,
    ids::AccountId,
    outbound::{
        job::BodyHash,
        schedule::{self, Trap},
    },
};

/// When Pozy would let a body go out (`pozy.md` 5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// At once.
    Now,
    /// At this moment; at once if it has passed.
    At(Moment),
    /// Not by itself: it is kept as a draft and is live nowhere.
    Never,
}

/// One account a post goes to, with the words it gets there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The account.
    pub account: AccountId,
    /// Its platform, for people.
    pub platform: String,
    /// The text there: the post's, or its own for this platform.
    pub text: String,
}

/// What a body would put where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// Where it goes; empty for a call that is no post.
    pub places: Vec<Place>,
    /// Media addresses in the order given; part of what makes content the same (R10).
    pub media: Vec<String>,
    /// When it goes out.
    pub timing: Timing,
    /// Why the time it asks for cannot be taken as it stands.
    pub trap: Option<Trap>,
}

impl Words {
    /// Reads a body. One that cannot be read goes nowhere: Pozy would refuse it.
    #[must_use]
    pub fn of(body: &[u8]) -> Self {
        let value: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
        let told = |name: &str| value[name].as_bool().unwrap_or_default();
        let timing = match schedule::asked_in(&value) {
            _ if told("isDraft") => Timing::Never,
            _ if told("publishNow") => Timing::Now,
            Some(moment) => Timing::At(moment),
            // Without a time that can be read it may go out at once or be kept: the graver of the two is taken.
            None => Timing::Now,
        };
        let timed = !told("isDraft") && !told("publishNow");
        let trap = if timed { schedule::trap(&value) } else { None };
        Self { places: places(&value), media: media(&value), timing, trap }
    }

    /// Only the places on `accounts`.
    #[must_use]
    pub fn only(mut self, accounts: &[AccountId]) -> Self {
        self.places.retain(|place| accounts.contains(&place.account));
        self
    }

    /// What makes content the same, without its account: text and media, hashed.
    #[must_use]
    pub fn mark_of(&self, place: &Place) -> BodyHash {
        mark(&place.text, &self.media)
    }
}

/// Hash of a text with its media: equal for content that Pozy takes for the same on one account (R10).
#[must_use]
pub fn mark(text: &str, media: &[String]) -> BodyHash {
    let hash = Sha256::digest(json!([text, media]).to_string().as_bytes());
    BodyHash(hash.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The places of a request body or of a post that Pozy gave back: both list `platforms[]`, `accountId` as text or as
/// an object with `_id` (`pozy.md` 5.1).
#[must_use]
pub fn places(post: &Value) -> Vec<Place> {
    let text = post["content"].as_str().unwrap_or_default();
    let word = |value: &Value| value.as_str().filter(|word| !word.is_empty()).map(str::to_owned);
    let place = |target: &Value| {
        let account = word(&target["accountId"]).or_else(|| word(&target["accountId"]["_id"]))?;
        Some(Place {
            account: AccountId::new(account),
            platform: word(&target["platform"]).unwrap_or_default(),
            text: word(&target["customContent"]).unwrap_or_else(|| text.to_owned()),
        })
    };
    let mut found: Vec<Place> = Vec::new();
    for place in post["platforms"].as_array().into_iter().flatten().filter_map(place) {
        if found.iter().all(|known| known.account != place.account) {
            found.push(place);
        }
    }
    found
}

/// Media addresses of a request body or of a post that Pozy gave back.
#[must_use]
pub fn media(post: &Value) -> Vec<String> {
    let items = post["mediaItems"].as_array().into_iter().flatten();
    items.filter_map(|item| item["url"].as_str().map(str::to_owned)).collect()
}

/// How many characters `one` and `other` differ by, if that is at most `percent` of the longer one; none if they
/// differ by more, or if either has no words to compare.
#[must_use]
pub fn differ_by(one: &str, other: &str, percent: usize) -> Option<usize> {
    let (first, second): (Vec<char>, Vec<char>) = (one.trim().chars().collect(), other.trim().chars().collect());
    if first.is_empty() || second.is_empty() {
        return None;
    }
    let most = first.len().max(second.len()) * percent / 100;
    // Two bounds from below spare most pairs the whole comparison.
    if first.len().abs_diff(second.len()) > most || strangers(&first, &second) > most {
        return None;
    }
    // What both begin and end with costs nothing to keep, and nearly equal texts are mostly that.
    let begin = first.iter().zip(&second).take_while(|(a, b)| a == b).count();
    let (first, second) = (&first[begin..], &second[begin..]);
    let end = first.iter().rev().zip(second.iter().rev()).take_while(|(a, b)| a == b).count();
    let (first, second) = (first[..first.len() - end].to_vec(), second[..second.len() - end].to_vec());
    let apart = strsim::generic_levenshtein(&first, &second);
    (apart <= most).then_some(apart)
}

/// Characters that one text has and the other has not, counted on the side that has more of them.
fn strangers(first: &[char], second: &[char]) -> usize {
    let (mut first, mut second) = (first.to_vec(), second.to_vec());
    first.sort_unstable();
    second.sort_unstable();
    let (mut one, mut two) = (first.iter().peekable(), second.iter().peekable());
    let (mut only_first, mut only_second) = (0, 0);
    loop {
        match (one.peek(), two.peek()) {
            (Some(a), Some(b)) if a == b => {
                one.next();
                two.next();
            }
            (Some(a), Some(b)) if a < b => {
                only_first += 1;
                one.next();
            }
            (Some(_), None) => {
                only_first += 1;
                one.next();
            }
            (_, Some(_)) => {
                only_second += 1;
                two.next();
            }
            (None, None) => return only_first.max(only_second),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("Plums today", "Plums today.", Some(1))]
    #[case("Plums today", "Plums today", Some(0))]
    #[case("Plums today", "Pears today", None)]
    #[case("", "", None)]
    #[case("kitten on the wide mat", "sitten on the wide mat", Some(1))]
    fn a_tenth_is_near(#[case] one: &str, #[case] other: &str, #[case] apart: Option<usize>) {
        assert_eq!(differ_by(one, other, 10), apart);
        assert_eq!(differ_by(other, one, 10), apart);
    }

    #[rstest]
    #[case::a_full_stop("Leeks are in", "Leeks are in!", Some(1))]
    #[case::the_same("Leeks are in", " Leeks are in ", Some(0))]
    #[case::other_words("Leeks are in", "Plums are out", None)]
    #[case::one_of_ten("0123456789", "012345678x", Some(1))]
    #[case::two_of_ten("0123456789", "01234567xy", None)]
    #[case::no_words("", "", None)]
    #[case::accents("Caf\u{e9} opens at nine", "Cafe opens at nine", Some(1))]
    fn texts_are_near_up_to_a_tenth(#[case] one: &str, #[case] other: &str, #[case] apart: Option<usize>) {
        assert_eq!(differ_by(one, other, 10), apart);
    }

    #[rstest]
    #[case::draft(r#"{"isDraft":true,"publishNow":true}"#, Timing::Never)]
    #[case::now(r#"{"publishNow":true,"scheduledFor":"2031-01-01T00:00:00Z"}"#, Timing::Now)]
    #[case::at(r#"{"scheduledFor":"1970-01-01T00:00:01Z"}"#, Timing::At(Moment(Moment::SECOND)))]
    #[case::untimed("{}", Timing::Now)]
    #[case::odd(r#"{"scheduledFor":"soon"}"#, Timing::Now)]
    fn a_body_goes_out_when_it_says(#[case] body: &str, #[case] timing: Timing) {
        assert_eq!(Words::of(body.as_bytes()).timing, timing);
    }

    #[test]
    fn a_place_has_its_own_words_or_those_of_the_post() {
        let body = r#"{"content":"Hi","mediaItems":[{"url":"https://a.example/1.png"}],"platforms":[
            {"platform":"linkedin","accountId":"ac_li"},{"platform":"x","accountId":{"_id":"ac_x"},"customContent":"Hey"},
            {"platform":"x","accountId":"ac_x"}]}"#;
        let words = Words::of(body.as_bytes());
        let told: Vec<_> = words.places.iter().map(|place| (place.account.as_str(), place.text.as_str())).collect();
        assert_eq!(told, [("ac_li", "Hi"), ("ac_x", "Hey")]);
        assert_ne!(words.mark_of(&words.places[0]), words.mark_of(&words.places[1]));
        assert_ne!(mark("Hi", &[]), words.mark_of(&words.places[0]), "media count");
    }

    proptest! {
        #[test]
        fn the_bounds_never_hide_a_near_text(one in "[abc ]{0,24}", other in "[abc ]{0,24}") {
            let (a, b): (Vec<char>, Vec<char>) = (one.trim().chars().collect(), other.trim().chars().collect());
            prop_assert!(strangers(&a, &b) <= strsim::generic_levenshtein(&a, &b));
        }
    }
}

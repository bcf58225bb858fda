//! What a body would put where. Pure; bodies are read and texts compared as a forecast does it.

use serde_json::Value;

use crate::{
    ids::AccountId,
    outbound::forecast::words::{Place, differ_by, media, places},
};

/// What a try would put where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The words of the post; those of its first place if each place has its own.
    pub text: String,
    /// Media addresses in the order given; part of what makes content the same (R10).
    pub media: Vec<String>,
    /// Accounts it goes to, each with its words there.
    pub places: Vec<Place>,
}

impl Content {
    /// Reads the body of a post; none if it is no JSON object with words or media (`pozy.md` 5.1).
    #[must_use]
    pub fn of(body: &[u8]) -> Option<Self> {
        let body: Value = serde_json::from_slice(body).ok()?;
        let (places, media) = (places(&body), media(&body));
        let whole = body["content"].as_str().filter(|text| !text.trim().is_empty());
        let text = whole.or_else(|| places.first().map(|place| place.text.as_str())).unwrap_or_default().to_owned();
        (!text.trim().is_empty() || !media.is_empty()).then_some(Self { text, media, places })
    }

    /// True if it goes to that account.
    #[must_use]
    pub fn goes_to(&self, account: &AccountId) -> bool {
        self.places.iter().any(|place| place.account == *account)
    }

    /// True if both bring the same words and media to an account that both name (R10).
    #[must_use]
    pub fn same_on_an_account(&self, other: &Self) -> bool {
        self.media == other.media && self.shared(other).any(|(one, two)| one.text.trim() == two.text.trim())
    }

    /// By how many characters the words differ where they are nearest, on accounts that both name; none if by more
    /// than `percent` everywhere.
    #[must_use]
    pub fn apart(&self, other: &Self, percent: usize) -> Option<usize> {
        self.shared(other).filter_map(|(one, two)| differ_by(&one.text, &two.text, percent)).min()
    }

    /// True if its words hold `part`, blanks and letter case apart.
    #[must_use]
    pub fn has(&self, part: &str) -> bool {
        holds(&self.text, part) || self.places.iter().any(|place| holds(&place.text, part))
    }

    /// What each brings to the accounts that both name.
    fn shared<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (&'a Place, &'a Place)> {
        self.places.iter().filter_map(|place| {
            let there = other.places.iter().find(|there| there.account == place.account)?;
            Some((place, there))
        })
    }
}

/// True if `text` holds `part`, blanks and letter case apart. An empty part is held by nothing.
#[must_use]
pub fn holds(text: &str, part: &str) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let part = plain(part);
    !part.is_empty() && plain(text).contains(&part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_of_posts_are_read_and_others_are_not() {
        let body = br#"{"content":"Plums.","mediaItems":[{"url":"https://m.example/1"}],"platforms":[{"accountId":"a"},{"accountId":{"_id":"b"}}]}"#;
        let content = Content::of(body).unwrap();
        assert_eq!((content.text.as_str(), content.media.len(), content.places.len()), ("Plums.", 1, 2));
        for body in [&b"no json"[..], b"{}", br#"{"to":"+44","text":"seat"}"#, b""] {
            assert_eq!(Content::of(body), None);
        }
    }

    #[test]
    fn each_account_has_its_own_words() {
        let own = br#"{"content":"Plums.","platforms":[{"accountId":"a","customContent":"Pears are in."},{"accountId":"b"}]}"#;
        let plain = br#"{"content":"Pears are in!","platforms":[{"accountId":"a"}]}"#;
        let same = br#"{"content":"Pears are in.","platforms":[{"accountId":"a"}]}"#;
        let [own, plain, same] = [&own[..], plain, same].map(|body| Content::of(body).unwrap());
        assert!(own.same_on_an_account(&same) && !own.same_on_an_account(&plain));
        assert_eq!(own.apart(&plain, 10), Some(1));
        assert!(own.has("pears are"));
    }

    #[test]
    fn words_are_found_whatever_their_blanks_and_case() {
        assert!(holds("Market  day,\nat nine", "market day"));
        assert!(!holds("Market day", ""));
        assert!(!holds("Market", "Market day"));
    }
}

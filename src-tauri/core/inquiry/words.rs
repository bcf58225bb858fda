//! What a body would put where. Pure; how near two texts are is reckoned as a forecast reckons it.

use serde_json::Value;

use crate::ids::AccountId;

/// What a try would put where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The words of the post.
    pub text: String,
    /// Media addresses in the order given; part of what makes content the same (R10).
    pub media: Vec<String>,
    /// Accounts it goes to.
    pub accounts: Vec<AccountId>,
}

impl Content {
    /// True if both bring the same words and media to an account that both name (R10).
    #[must_use]
    pub fn same_on_an_account(&self, other: &Self) -> bool {
        self.text.trim() == other.text.trim() && self.media == other.media && self.shares_account(other)
    }

    /// True if both go to one account.
    #[must_use]
    pub fn shares_account(&self, other: &Self) -> bool {
        self.accounts.iter().any(|account| other.accounts.contains(account))
    }
}

impl Content {
    /// Reads the body of a post; none if it is no JSON object with words or media (`pozy.md` 5.1).
    #[must_use]
    pub fn of(body: &[u8]) -> Option<Self> {
        let body: Value = serde_json::from_slice(body).ok()?;
        let text = body["content"].as_str().unwrap_or_default().to_owned();
        let items = body["mediaItems"].as_array().into_iter().flatten();
        let media: Vec<String> = items.filter_map(|item| item["url"].as_str().map(str::to_owned)).collect();
        let targets = body["platforms"].as_array().into_iter().flatten();
        let account = |target: &Value| {
            let id = target["accountId"].as_str().or_else(|| target["accountId"]["_id"].as_str())?;
            Some(AccountId::new(id))
        };
        let accounts = targets.filter_map(account).collect();
        (!text.trim().is_empty() || !media.is_empty()).then_some(Self { text, media, accounts })
    }

    /// True if its words hold `part`, blanks and letter case apart.
    #[must_use]
    pub fn has(&self, part: &str) -> bool {
        holds(&self.text, part)
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
        assert_eq!((content.text.as_str(), content.media.len(), content.accounts.len()), ("Plums.", 1, 2));
        for body in [&b"no json"[..], b"{}", br#"{"to":"+44","text":"seat"}"#, b""] {
            assert_eq!(Content::of(body), None);
        }
    }

    #[test]
    fn words_are_found_whatever_their_blanks_and_case() {
        assert!(holds("Market  day,\nat nine", "market day"));
        assert!(!holds("Market day", ""));
        assert!(!holds("Market", "Market day"));
    }
}

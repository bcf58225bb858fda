//! The key of a job: made or given once, before the first byte leaves, and the same on every attempt for life (seed
//! "Idempotency and safe retries"; R12, design 4.1).

use std::fmt;

use serde::Serialize;

use crate::clock::Clock;

/// An idempotency key that can be sent as it is: 1 to the contract's longest number of visible ASCII characters, with
/// spaces only between them. Anything else would change on its way through a header, and so be another key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Key(String);

/// Why a text is no key; nothing was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAKey {
    /// No character at all.
    #[error("The key is empty. Leave it out and one is made.")]
    Empty,
    /// Longer than Pozy takes (R12).
    #[error("The key has {0} characters; Pozy takes at most {1}. Nothing was sent.")]
    TooLong(usize, usize),
    /// It would not reach Pozy as it is.
    #[error(
        "The key holds a character that cannot stand in a header: use letters, digits and signs of plain ASCII, \
         with spaces only between them. Nothing was sent."
    )]
    NotHeaderSafe,
}

impl Key {
    /// Takes a given key exactly as it is, at most `longest` characters.
    ///
    /// # Errors
    /// [`NotAKey`], whose text is a sentence for a person.
    pub fn given(text: &str, longest: usize) -> Result<Self, NotAKey> {
        if text.is_empty() {
            return Err(NotAKey::Empty);
        }
        let edge = text.starts_with(' ') || text.ends_with(' ');
        if edge || !text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return Err(NotAKey::NotHeaderSafe);
        }
        if text.len() > longest {
            return Err(NotAKey::TooLong(text.len(), longest));
        }
        Ok(Self(text.to_owned()))
    }

    /// A fresh UUID v4.
    #[must_use]
    pub fn fresh(clock: &Clock) -> Self {
        Self(clock.new_id())
    }

    /// The exact text that goes on the wire, without quotes (`pozy.md` 9).
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::clock::Moment;

    #[rstest]
    #[case::plain("run-77", None)]
    #[case::quoted("\"run 77\"", None)]
    #[case::empty("", Some(NotAKey::Empty))]
    #[case::leading(" run", Some(NotAKey::NotHeaderSafe))]
    #[case::trailing("run ", Some(NotAKey::NotHeaderSafe))]
    #[case::accent("cl\u{e9}", Some(NotAKey::NotHeaderSafe))]
    #[case::line_end("run\n77", Some(NotAKey::NotHeaderSafe))]
    #[case::tab("run\t77", Some(NotAKey::NotHeaderSafe))]
    #[case::delete("run\u{7f}", Some(NotAKey::NotHeaderSafe))]
    fn only_what_survives_a_header_is_a_key(#[case] text: &str, #[case] no: Option<NotAKey>) {
        assert_eq!(Key::given(text, 255).err(), no);
    }

    #[test]
    fn two_hundred_and_fifty_five_fit_and_one_more_does_not() {
        let longest = "r".repeat(255);
        assert_eq!(Key::given(&longest, 255).map(|key| key.as_str().to_owned()), Ok(longest));
        assert_eq!(Key::given(&"s".repeat(256), 255), Err(NotAKey::TooLong(256, 255)));
    }

    #[test]
    fn a_fresh_key_is_a_uuid_v4_and_never_the_same_twice() {
        let clock = Clock::standing(Moment(0));
        let (one, two) = (Key::fresh(&clock), Key::fresh(&clock));
        assert_ne!(one, two);
        assert_eq!(uuid::Uuid::parse_str(one.as_str()).map(|id| id.get_version_num()), Ok(4));
        assert!(Key::given(one.as_str(), 255).is_ok());
    }
}

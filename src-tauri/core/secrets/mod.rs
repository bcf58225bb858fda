//! API keys and webhook secrets. They are held as [`Secret`], kept in the computer's keychain or, only where none
//! runs, in a private file ([`keeper`]), and never reach the log, an export, a message or the screens.

pub mod dumps;
pub mod keeper;
pub mod net;

use std::fmt;

/// A secret text. Its `Debug` shows nothing, and it has no `Display` and no serialization on purpose: it can only be
/// used where somebody writes `reveal`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a secret text; surrounding blanks from copying are not part of it. None if nothing is left.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() { None } else { Some(Self(text.to_owned())) }
    }

    /// The text itself, for the wire or an HMAC, nowhere else.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(...)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_nothing_of_it() {
        let secret = Secret::new(" sk_plum ").unwrap();
        assert_eq!(format!("{secret:?}"), "Secret(...)");
        assert_eq!(secret.reveal(), "sk_plum");
        assert!(Secret::new(" \n").is_none());
    }
}

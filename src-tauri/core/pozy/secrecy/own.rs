//! The person's own secrets, covered wherever they stand. Pure.

use std::fmt;

use serde_json::Value;

use super::known::KnownValues;
use crate::secrets::Secret;

/// The person's own secrets, such as the key they call Pozy with: the last net under every way out.
#[derive(Clone, Default)]
pub struct Own {
    pub(super) known: KnownValues,
}

impl Own {
    /// Takes one more.
    pub fn add(&mut self, secret: &Secret) {
        self.known.learn(secret.reveal(), true);
        self.known.catch_up();
    }

    /// Takes what another knows.
    pub fn join(&mut self, other: &Self) {
        self.known.join(&other.known);
        self.known.catch_up();
    }

    /// True if one of them stands in a text.
    #[must_use]
    pub fn stand_in(&self, text: &str) -> bool {
        self.known.stand_in(text)
    }

    /// The text with `[masked]` in their place; none if it holds none.
    #[must_use]
    pub fn covered(&self, text: &str) -> Option<String> {
        let found = self.known.find(text, true);
        let mut masked = String::new();
        let mut done = 0;
        for one in &found {
            masked.push_str(&text[done..one.range.start]);
            masked.push_str("[masked]");
            done = one.range.end;
        }
        masked.push_str(&text[done..]);
        (!found.is_empty()).then_some(masked)
    }

    /// Covers them in every text of a value.
    pub fn cover_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Some(masked) = self.covered(text) {
                    *text = masked;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.cover_value(item)),
            Value::Object(fields) => fields.values_mut().for_each(|inner| self.cover_value(inner)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

impl fmt::Debug for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Own({})", self.known.len())
    }
}

//! A JSON object read leniently where a body may surprise, and strictly where two readers could understand it
//! differently: a field that is read must not be doubled or hold a lone surrogate (contract, "Judging").

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Why a body cannot be read. Such a body leaves a row and moves nothing (design 3.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It is no JSON in UTF-8.
    #[error("The body is not JSON.")]
    NotJson,
    /// It is JSON, but no object.
    #[error("The body is no JSON object.")]
    NotAnObject,
    /// Without an id it can neither be told from a copy nor be one.
    #[error("The body has no `id` that could be used.")]
    NoId,
    /// Readers differ in which of the two they take.
    #[error("A field that matters stands twice in the body.")]
    Doubled,
    /// A text that is read is no Unicode text, such as half a surrogate pair.
    #[error("A text that matters is broken.")]
    BrokenText,
    /// Deeper than [`MAX_DEPTH`].
    #[error("The body is nested too deeply.")]
    TooDeep,
    /// A name, an id or a state is longer than [`WORD_MAX`]: they are kept for good, and shown.
    #[error("A name, an id or a state in the body is too long.")]
    TooLong,
    /// It tells of more targets than [`TARGETS_MAX`].
    #[error("The body tells of too many targets.")]
    TooMany,
}

/// Longest name, id or state that is read, bytes.
pub const WORD_MAX: usize = 512;
/// Most targets of one post that are read.
pub const TARGETS_MAX: usize = 500;

/// Deepest nesting of objects and lists that is read.
pub const MAX_DEPTH: usize = 128;

/// The members of one object in their order, values unread.
pub(super) struct Block<'a>(Vec<(String, &'a RawValue)>);

impl<'a> Block<'a> {
    /// Reads a whole body.
    pub(super) fn of_body(body: &'a [u8]) -> Result<Self, Unreadable> {
        let text = std::str::from_utf8(body).map_err(|_| Unreadable::NotJson)?;
        if deepest(body) > MAX_DEPTH {
            return Err(Unreadable::TooDeep);
        }
        match serde_json::from_str::<&RawValue>(text) {
            Ok(raw) if raw.get().starts_with('{') => Self::of_object(raw),
            Ok(_) => Err(Unreadable::NotAnObject),
            Err(_) => Err(Unreadable::NotJson),
        }
    }

    /// The object in `raw`, which is known to be one; what fails here is a broken member name.
    fn of_object(raw: &'a RawValue) -> Result<Self, Unreadable> {
        serde_json::from_str(raw.get()).map_err(|_| Unreadable::BrokenText)
    }

    /// The value under `name`, if there is one.
    pub(super) fn get(&self, name: &str) -> Result<Option<&'a RawValue>, Unreadable> {
        let mut found = self.0.iter().filter(|(key, _)| key == name).map(|(_, value)| *value);
        let first = found.next();
        if found.next().is_some() { Err(Unreadable::Doubled) } else { Ok(first) }
    }

    /// The text under `name`; any other kind of value counts as absent.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>, Unreadable> {
        match self.get(name)? {
            Some(raw) if raw.get().starts_with('"') => {
                serde_json::from_str(raw.get()).map(Some).map_err(|_| Unreadable::BrokenText)
            }
            _ => Ok(None),
        }
    }

    /// As [`Block::text`], for a name, an id or a state.
    pub(super) fn word(&self, name: &str) -> Result<Option<String>, Unreadable> {
        match self.text(name)? {
            Some(word) if word.len() > WORD_MAX => Err(Unreadable::TooLong),
            word => Ok(word),
        }
    }

    /// The object under `name`; any other kind of value counts as absent.
    pub(super) fn block(&self, name: &str) -> Result<Option<Self>, Unreadable> {
        self.get(name)?.and_then(Self::object).transpose()
    }

    /// The objects in the list under `name`; what is no object in it is passed over.
    pub(super) fn blocks(&self, name: &str) -> Result<Vec<Self>, Unreadable> {
        match self.get(name)? {
            Some(raw) if raw.get().starts_with('[') => {
                let items: Vec<&RawValue> = serde_json::from_str(raw.get()).map_err(|_| Unreadable::BrokenText)?;
                items.into_iter().filter_map(Self::object).collect()
            }
            _ => Ok(Vec::new()),
        }
    }

    fn object(raw: &'a RawValue) -> Option<Result<Self, Unreadable>> {
        raw.get().starts_with('{').then(|| Self::of_object(raw))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Block<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(members)
            }
        }
        from.deserialize_map(Members).map(Block)
    }
}

/// How deep objects and lists nest, brackets inside texts apart.
fn deepest(body: &[u8]) -> usize {
    let (mut depth, mut most, mut in_text, mut escaped) = (0_usize, 0, false, false);
    for byte in body {
        match (in_text, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_text = !in_text,
            (false, b'{' | b'[') => {
                depth += 1;
                most = most.max(depth);
            }
            (false, b'}' | b']') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    most
}

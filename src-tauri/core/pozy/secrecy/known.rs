//! Values that are known to be secret, found wherever else they stand: as they are, in base64 at any offset, with
//! percent signs, or with the escapes of JSON. Pure.

use std::{collections::BTreeMap, ops::Range};

use aho_corasick::{AhoCorasick, MatchKind};
use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};

use super::text::{Found, has_form};

/// Shorter values are told by their place only: words of that length stand anywhere.
const SHORTEST: usize = 8;
/// Most values that are looked for at a time.
const MOST: usize = 5_000;
/// Looking for so few is prepared anew for every new one.
const FEW: usize = 200;

/// Values that are looked for.
#[derive(Clone, Default)]
pub(super) struct KnownValues {
    /// Each with whether it is the person's own.
    values: BTreeMap<String, bool>,
    /// How many values `finder` looks for.
    built: usize,
    finder: Option<Finder>,
}

#[derive(Clone)]
struct Finder {
    forms: AhoCorasick,
    /// For every form: which value it is of, whether it is base64, whether it is the person's own.
    of: Vec<(String, bool, bool)>,
}

impl KnownValues {
    /// Remembers a value if it is one that no innocent text holds; the person's `own` are whatever they look like.
    pub(super) fn learn(&mut self, value: &str, own: bool) {
        let value = value.trim();
        if value.len() < SHORTEST || !(own || is_told_apart(value)) || self.values.len() >= MOST {
            return;
        }
        match self.values.get_mut(value) {
            Some(known) => *known |= own,
            None => {
                self.values.insert(value.to_owned(), own);
            }
        }
    }

    /// Remembers what another does.
    pub(super) fn join(&mut self, other: &Self) {
        other.values.iter().for_each(|(value, own)| self.learn(value, *own));
    }

    /// How many values it remembers.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// True if enough values were learned that it does not look for yet.
    pub(super) fn is_worth_catching_up(&self) -> bool {
        self.values.len() > if self.built < FEW { self.built } else { self.built + self.built / 4 }
    }

    /// True if a known value stands in a text.
    pub(super) fn stand_in(&self, text: &str) -> bool {
        self.finder.as_ref().is_some_and(|finder| finder.forms.is_match(text))
    }

    /// Looks for everything learned so far from now on.
    pub(super) fn catch_up(&mut self) {
        if self.values.len() == self.built {
            return;
        }
        self.built = self.values.len();
        let (mut forms, mut of) = (Vec::new(), Vec::new());
        for (value, own) in &self.values {
            for (form, coded) in forms_of(value) {
                forms.push(form);
                of.push((value.clone(), coded, *own));
            }
        }
        let built = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(forms);
        self.finder = built.ok().map(|forms| Finder { forms, of });
    }

    /// The known values in a text, in order; only the person's own where the rest is evidence.
    pub(super) fn find(&self, text: &str, only_own: bool) -> Vec<Found> {
        let Some(finder) = &self.finder else { return Vec::new() };
        if text.len() < SHORTEST {
            return Vec::new();
        }
        let mut found: Vec<Found> = Vec::new();
        for hit in finder.forms.find_iter(text) {
            let (value, coded, own) = &finder.of[hit.pattern().as_usize()];
            if only_own && !own {
                continue;
            }
            let mut range = hit.start()..hit.end();
            if *coded {
                range = whole_run(text, range);
            }
            // Within one run of letters another may stand before it.
            range.start = range.start.max(found.last().map_or(0, |last| last.range.end));
            if !range.is_empty() {
                found.push(Found { range, kind: "known secret".to_owned(), value: Some(value.clone()) });
            }
        }
        found
    }
}

/// True for a value that stands in no text by chance: long enough, with the look of something made up, and no time.
fn is_told_apart(value: &str) -> bool {
    let letters = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let begins_like_a_time =
        value.len() >= 8 && value.as_bytes()[4] == b'-' && value.as_bytes()[..4].iter().all(u8::is_ascii_digit);
    (letters && has_form(value) && !begins_like_a_time) || (!letters && value.len() >= 16)
}

/// The spellings of a value; true for those in base64.
fn forms_of(value: &str) -> Vec<(String, bool)> {
    let mut forms = vec![(value.to_owned(), false)];
    for offset in 0..3 {
        let mut bytes = vec![0; offset];
        bytes.extend_from_slice(value.as_bytes());
        let text = BASE64.encode(&bytes);
        // What the bytes around it have a part in is left out.
        let (from, to) = ((offset * 8).div_ceil(6), bytes.len() * 8 / 6);
        let inner = &text[from..to];
        if inner.len() >= SHORTEST {
            forms.push((inner.to_owned(), true));
            if inner.contains(['+', '/']) {
                forms.push((inner.replace('+', "-").replace('/', "_"), true));
            }
        }
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    if !value.bytes().all(plain) {
        let percent = |small: bool| -> String {
            let coded = |byte: u8| if small { format!("%{byte:02x}") } else { format!("%{byte:02X}") };
            value.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { coded(byte) }).collect()
        };
        forms.extend([(percent(true), false), (percent(false), false)]);
        forms.push((percent(false).replace("%20", "+"), false));
        let quoted = serde_json::Value::from(value).to_string();
        forms.push((quoted[1..quoted.len() - 1].to_owned(), false));
    }
    forms.sort();
    forms.dedup_by(|one, other| one.0 == other.0);
    forms
}

/// The whole run of base64 around a place in it.
fn whole_run(text: &str, range: Range<usize>) -> Range<usize> {
    let of = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/_-".contains(byte);
    let bytes = text.as_bytes();
    let start = range.start - bytes[..range.start].iter().rev().take_while(|byte| of(byte)).count();
    let mut end = range.end + bytes[range.end..].iter().take_while(|byte| of(byte)).count();
    end += bytes[end..].iter().take(2).take_while(|byte| **byte == b'=').count();
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knowing(values: &[&str]) -> KnownValues {
        let mut known = KnownValues::default();
        values.iter().for_each(|value| known.learn(value, false));
        known.catch_up();
        known
    }

    #[test]
    fn a_value_is_found_in_every_spelling() {
        let known = knowing(&["sk_plum 99/+x"]);
        for around in ["", "a", "ab", "{\"k\":\""] {
            let text = BASE64.encode(format!("{around}sk_plum 99/+x and more"));
            let found = known.find(&text, false);
            assert_eq!(found.len(), 1, "{around}");
            assert_eq!(found[0].range, 0..text.len(), "the whole of it goes");
        }
        for text in ["see sk_plum 99/+x.", "k=sk_plum%2099%2F%2Bx", "k=sk_plum%2099%2f%2bx", "k=sk_plum+99%2F%2Bx"] {
            assert_eq!(known.find(text, false).len(), 1, "{text}");
        }
        assert!(known.find("sk_plum 98/+x", false).is_empty());
    }

    #[test]
    fn values_that_touch_are_all_found() {
        let known = knowing(&["sk_plum_99x", "of two 77words"]);
        let coded = BASE64.encode("sk_plum_99x");
        for text in [
            format!("sk_plum_99x{coded}"),
            format!("sk_plum_99x/{coded}"),
            format!("{coded}sk_plum_99x"),
            format!("{coded}of two 77words"),
        ] {
            let found = known.find(&text, false);
            let covered: usize = found.iter().map(|one| one.range.len()).sum();
            assert_eq!(covered, text.len(), "{text}: {found:?}");
        }
    }

    #[test]
    fn words_that_stand_anywhere_are_not_learned() {
        let known = knowing(&["published", "short1", "20260302", "2026-03-02T10:00:00Z", "linkedin-page"]);
        assert_eq!(known.len(), 0);
        let mut own = KnownValues::default();
        own.learn("plainwords", true);
        own.catch_up();
        assert_eq!(own.find("my plainwords here", true).len(), 1);
        assert!(knowing(&["tok_a1b2c3"]).find("tok_a1b2c3", true).is_empty(), "evidence keeps what is not our own");
    }
}

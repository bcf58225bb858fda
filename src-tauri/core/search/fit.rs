//! Whether a row fits what was typed: each term stands in it by its words, or the whole stands in it letter by letter.

use super::{
    typed::{Narrow, Term, Typed},
    words::{Word, words},
};

/// A row as it is looked through. What is not there is empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row<'a> {
    /// Id of the message.
    pub event: Option<&'a str>,
    /// Its name.
    pub name: Option<&'a str>,
    /// Platform it speaks of.
    pub platform: Option<&'a str>,
    /// Account it speaks of.
    pub account: Option<&'a str>,
    /// What it is about.
    pub resource: Option<&'a str>,
    /// The words of the post.
    pub text: Option<&'a str>,
    /// What it brought, as [`readable`] gives it: body, headers.
    pub brought: &'a [String],
}

/// How a row fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// By the words of its text alone: an index of them knows it.
    ByWords,
    /// By something else that stands in it.
    Otherwise,
}

impl Typed {
    /// How the row fits; none if it does not.
    #[must_use]
    pub fn fit(&self, row: &Row<'_>) -> Option<Fit> {
        if self.is_empty() || !self.narrow.admits(row) {
            return None;
        }
        let there = row.text.map(words).unwrap_or_default();
        if self.holds(&there) {
            return Some(Fit::ByWords);
        }
        let fields = [row.event, row.name, row.platform, row.account, row.resource, row.text];
        let fields: Vec<String> = fields.into_iter().flatten().map(str::to_lowercase).collect();
        let stands = |part: &str| fields.iter().chain(row.brought).any(|place| place.contains(part));
        if stands(&self.whole) {
            return Some(Fit::Otherwise);
        }
        // Words in the middle of others count only as the whole that was typed: a short one is in almost anything.
        let mut places: Option<Vec<Vec<Word>>> = None;
        let mut somewhere = |term: &Term| {
            let places =
                places.get_or_insert_with(|| fields.iter().chain(row.brought).map(|place| words(place)).collect());
            places.iter().any(|place| term.first_in(place, 0).is_some())
        };
        let fits = |term: &Term| match term.words.as_slice() {
            [] => stands(&term.raw),
            _ => term.first_in(&there, 0).is_some() || somewhere(term),
        };
        self.terms.iter().all(fits).then_some(Fit::Otherwise)
    }
}

impl Narrow {
    /// True if the row is not ruled out.
    #[must_use]
    pub fn admits(&self, row: &Row<'_>) -> bool {
        let is = |wanted: &Option<String>, there: Option<&str>| wanted.is_none() || wanted.as_deref() == there;
        let post = row.resource.and_then(|resource| resource.strip_prefix("post:"));
        let platform = row.platform.map(str::to_lowercase);
        is(&self.post, post)
            && is(&self.account, row.account)
            && is(&self.name, row.name)
            && is(&self.platform.as_ref().map(|wanted| wanted.to_lowercase()), platform.as_deref())
    }
}

/// Bytes as they are looked through: text in lower case, its JSON escapes of letters undone.
#[must_use]
pub fn readable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let escaped = text.contains("\\u") || text.contains("\\/");
    let plain = escaped.then(|| serde_json::from_str::<serde_json::Value>(&text).ok()).flatten();
    plain.map_or_else(|| text.to_lowercase(), |value| value.to_string().to_lowercase())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("summer fair", Some(Fit::ByWords))]
    #[case("SOMMERFEST", Some(Fit::Otherwise))]
    #[case("fair linkedin", Some(Fit::Otherwise))]
    #[case("fair live status", Some(Fit::Otherwise))]
    #[case("merfest", Some(Fit::Otherwise))]
    #[case("fair merfest", None)]
    #[case("ev_41", Some(Fit::Otherwise))]
    #[case("post:po_9", Some(Fit::Otherwise))]
    #[case("post:po_9 fair", Some(Fit::ByWords))]
    #[case("post:po_8 fair", None)]
    #[case("account:ac_1 platform:LinkedIn", Some(Fit::Otherwise))]
    #[case("name:post.failed", None)]
    #[case(r#""status":"live""#, Some(Fit::Otherwise))]
    #[case("winter", None)]
    #[case("", None)]
    fn a_row_fits_by_its_words_or_by_what_stands_in_it(#[case] typed: &str, #[case] fit: Option<Fit>) {
        let row = Row {
            event: Some("ev_41"),
            name: Some("post.published"),
            platform: Some("linkedin"),
            account: Some("ac_1"),
            resource: Some("post:po_9"),
            text: Some("Summer fair!"),
            brought: &[r#"{"tag":"sommerfest","status":"live"}"#.to_owned()],
        };
        assert_eq!(Typed::read(typed).fit(&row), fit);
    }

    #[test]
    fn escaped_letters_are_read() {
        assert!(readable(br#"{"t":"\u6771\u4eac","u":"https:\/\/a"}"#).contains("東京"));
        assert!(readable(br#"{"t":"\u6771","u":"https:\/\/a"}"#).contains("https://a"));
        assert_eq!(readable(b"no \\u JSON, ABC"), "no \\u json, abc");
    }
}

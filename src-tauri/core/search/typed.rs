//! What a person typed into a search field: words, "quoted phrases", and narrowings such as `post:po_1`. Nothing that
//! can be typed is wrong: what is no narrowing is a word, and a quote that is not closed ends with the text.

use super::words::{Word, words};

/// Most terms that count; more than that is a paste, and narrows nothing further.
const MOST_TERMS: usize = 24;
/// A last word is taken for the beginning of one from this length on, characters.
const PREFIX_FROM: usize = 2;

/// One thing that must stand in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Its words, in a row; empty if it holds none, such as a sign alone.
    pub words: Vec<String>,
    /// True if the last word may go on: it is still being typed.
    pub open: bool,
    /// As it was typed, in lower case.
    pub raw: String,
}

/// What a row must be besides, each named by the person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Narrow {
    /// `post:`, a post's id.
    pub post: Option<String>,
    /// `account:`, an account's id.
    pub account: Option<String>,
    /// `name:`, the name of a message.
    pub name: Option<String>,
    /// `platform:`, a platform's name.
    pub platform: Option<String>,
}

/// What was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Typed {
    /// All of these must stand there.
    pub terms: Vec<Term>,
    /// And this must hold.
    pub narrow: Narrow,
    /// The whole as it was typed, in lower case; empty if nothing was.
    pub whole: String,
}

/// A piece between blanks, or between quotes.
#[derive(Debug, PartialEq, Eq)]
struct Piece {
    /// The field before a colon.
    field: Option<String>,
    text: String,
    quoted: bool,
}

const QUOTES: [char; 6] = ['"', '„', '“', '”', '«', '»'];

impl Typed {
    /// Reads what was typed. Until a blank follows it, the last word may be the beginning of one.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut read = Self { whole: text.trim().to_lowercase(), ..Self::default() };
        let pieces = pieces(text);
        let last = pieces.len().saturating_sub(1);
        let typing = !text.ends_with(char::is_whitespace);
        for (at, piece) in pieces.into_iter().enumerate() {
            let text = match piece.field.as_deref().map(|field| read.narrow.slot(field)) {
                Some(Some(slot)) => {
                    *slot = Some(piece.text).filter(|value| !value.is_empty());
                    continue;
                }
                // A colon within a word, as in an address.
                Some(None) => format!("{}:{}", piece.field.unwrap_or_default(), piece.text),
                None => piece.text,
            };
            if text.is_empty() || read.terms.len() == MOST_TERMS {
                continue;
            }
            let words: Vec<String> = words(&text).into_iter().map(|word| word.folded).collect();
            let long = words.last().is_some_and(|word| word.chars().count() >= PREFIX_FROM);
            let ends = text.ends_with(|c: char| c.is_alphanumeric());
            let open = at == last && typing && !piece.quoted && long && ends;
            read.terms.push(Term { words, open, raw: text.to_lowercase() });
        }
        read
    }

    /// True if nothing was typed that could be looked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.narrow == Narrow::default()
    }

    /// The same for the index of words; none if the index cannot know it: nothing but narrowings, or a term without
    /// words. Every word is quoted, so that none of them is taken for a command of the index.
    #[must_use]
    pub fn expression(&self) -> Option<String> {
        if self.terms.is_empty() || self.terms.iter().any(|term| term.words.is_empty()) {
            return None;
        }
        let term = |term: &Term| {
            let words: Vec<String> = term.words.iter().map(|word| word.replace('"', "\"\"")).collect();
            format!("\"{}\"{}", words.join(" "), if term.open { " *" } else { "" })
        };
        Some(self.terms.iter().map(term).collect::<Vec<_>>().join(" AND "))
    }

    /// True if a text with these words holds every term by its words: what the index says of that text.
    #[must_use]
    pub fn holds(&self, there: &[Word]) -> bool {
        !self.terms.is_empty() && self.terms.iter().all(|term| term.first_in(there, 0).is_some())
    }
}

impl Term {
    /// Where its words first stand in a row, from the word numbered `from` on.
    #[must_use]
    pub fn first_in(&self, there: &[Word], from: usize) -> Option<usize> {
        let end = self.words.len().checked_sub(1)?;
        let fits = |at: usize, word: &Word| {
            let wanted = self.words[at].as_str();
            if self.open && at == end { word.folded.starts_with(wanted) } else { word.folded == wanted }
        };
        let runs = there.get(from..)?.windows(self.words.len());
        runs.enumerate()
            .find(|(_, run)| run.iter().enumerate().all(|(at, word)| fits(at, word)))
            .map(|(at, _)| from + at)
    }
}

impl Narrow {
    fn slot(&mut self, field: &str) -> Option<&mut Option<String>> {
        match field {
            "post" => Some(&mut self.post),
            "account" => Some(&mut self.account),
            "name" => Some(&mut self.name),
            "platform" => Some(&mut self.platform),
            _ => None,
        }
    }
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut all = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        if QUOTES.contains(&first) {
            let (quoted, after) = quoted(&rest[first.len_utf8()..]);
            all.push(Piece { field: None, text: quoted, quoted: true });
            rest = after.trim_start();
            continue;
        }
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let colon = rest[..end].find(':').filter(|at| *at > 0);
        let field =
            colon.map(|at| rest[..at].to_lowercase()).filter(|field| field.bytes().all(|b| b.is_ascii_lowercase()));
        match (field, colon) {
            (Some(field), Some(at)) if rest[at + 1..].starts_with(QUOTES) => {
                let opened = rest[at + 1..].chars().next().map_or(0, char::len_utf8);
                let (text, after) = quoted(&rest[at + 1 + opened..]);
                all.push(Piece { field: Some(field), text, quoted: true });
                rest = after.trim_start();
            }
            (Some(field), Some(at)) => {
                all.push(Piece { field: Some(field), text: rest[at + 1..end].to_owned(), quoted: false });
                rest = rest[end..].trim_start();
            }
            _ => {
                all.push(Piece { field: None, text: rest[..end].to_owned(), quoted: false });
                rest = rest[end..].trim_start();
            }
        }
    }
    all
}

/// What stands before the next quote, and what stands behind it.
fn quoted(text: &str) -> (String, &str) {
    match text.find(QUOTES) {
        Some(end) => {
            let closing = text[end..].chars().next().map_or(0, char::len_utf8);
            (text[..end].trim().to_owned(), &text[end + closing..])
        }
        None => (text.trim().to_owned(), ""),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("market day", Some(r#""market" AND "day" *"#))]
    #[case("market day ", Some(r#""market" AND "day""#))]
    #[case(r#""market day""#, Some(r#""market day""#))]
    #[case("„Markt heute“ früh", Some(r#""markt heute" AND "fruh" *"#))]
    #[case(r#"say "never closed"#, Some(r#""say" AND "never closed""#))]
    #[case("東京", Some(r#""東 京""#))]
    #[case("don't", Some(r#""don t""#))]
    #[case("AND OR NOT NEAR(", Some(r#""and" AND "or" AND "not" AND "near""#))]
    #[case("a* -b ^c {d}:e", Some(r#""a" AND "b" AND "c" AND "d e""#))]
    #[case("post:po_1 hay", Some(r#""hay" *"#))]
    #[case("https://a.example/1", Some(r#""https a example 1""#))]
    #[case("post:po_1", None)]
    #[case("hay 🎉", None)]
    #[case(r#""""#, None)]
    #[case("  ", None)]
    fn the_index_is_asked_in_quotes(#[case] typed: &str, #[case] expression: Option<&str>) {
        assert_eq!(Typed::read(typed).expression().as_deref(), expression);
    }

    #[test]
    fn narrowings_are_told_from_words() {
        let read = Typed::read(r#"post:po_1 Account:"ac 7" name:post.published platform:x other:thing name:"#);
        let wanted =
            Narrow { post: Some("po_1".into()), account: Some("ac 7".into()), name: None, platform: Some("x".into()) };
        assert_eq!(read.narrow, wanted, "a narrowing without a value narrows nothing");
        assert_eq!(read.terms.iter().map(|term| term.raw.as_str()).collect::<Vec<_>>(), ["other:thing"]);
        assert!(Typed::read(" ").is_empty() && !read.is_empty());
    }

    #[test]
    fn words_stand_in_a_row_and_the_last_may_go_on() {
        let text = words("The market opens; the market day is long");
        let holds = |typed: &str| Typed::read(typed).holds(&text);
        assert!(holds("day market"), "terms in any order");
        assert!(holds(r#""market day""#) && !holds(r#""day market""#));
        assert!(holds("mark") && !holds("mark ") && !holds("mark day"));
        assert!(!holds("arket"), "words are told by their beginning");
    }
}

//! The part of a text that is shown of it, with what was looked for marked.

use serde::Serialize;
use ts_rs::TS;

use super::{typed::Typed, words::words};

/// Characters that are shown before the first mark.
const BEFORE: usize = 24;
/// Characters that are shown in all.
const SHOWN: usize = 140;

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts", rename = "SearchPiece")]
pub struct Piece {
    /// The piece.
    pub text: String,
    /// True if it is what was looked for.
    pub hit: bool,
}

/// The part of `text` around the first word that was looked for, on one line.
#[must_use]
pub fn excerpt(text: &str, typed: &Typed) -> Vec<Piece> {
    let hits = hits(text, typed);
    let first = hits.first().map_or(0, |hit| hit.0);
    let before: usize = text[..first].chars().rev().take(BEFORE).map(char::len_utf8).sum();
    // A text that would lose only its first letters is shown from its beginning.
    let start = if first - before < BEFORE { 0 } else { first - before };
    let end = start + text[start..].chars().take(SHOWN).map(char::len_utf8).sum::<usize>();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut add = |part: &str, hit: bool| {
        let text: String = part.chars().map(|c| if c.is_control() || c.is_whitespace() { ' ' } else { c }).collect();
        if !text.is_empty() {
            pieces.push(Piece { text, hit });
        }
    };
    if start > 0 {
        add("… ", false);
    }
    let mut at = start;
    for (from, to) in hits.into_iter().filter(|(from, to)| *from >= start && *to <= end) {
        add(&text[at..from], false);
        add(&text[from..to], true);
        at = to;
    }
    add(&text[at..end], false);
    if end < text.len() {
        add(" …", false);
    }
    pieces
}

/// Where terms stand in the text, in order, those that touch or overlap joined.
fn hits(text: &str, typed: &Typed) -> Vec<(usize, usize)> {
    let there = words(text);
    let mut hits = Vec::new();
    for term in &typed.terms {
        let mut from = 0;
        while let Some(at) = term.first_in(&there, from) {
            let (first, last) = (&there[at], &there[at + term.words.len() - 1]);
            let goes_on = term.open.then(|| term.words.last()).flatten();
            hits.push((first.at.start, goes_on.map_or(last.at.end, |typed| beginning(text, last, typed))));
            from = at + term.words.len();
        }
    }
    hits.sort_unstable();
    let mut joined: Vec<(usize, usize)> = Vec::new();
    for (from, to) in hits {
        match joined.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => joined.push((from, to)),
        }
    }
    joined
}

/// Where the typed beginning of a word ends in the text.
fn beginning(text: &str, word: &super::words::Word, typed: &str) -> usize {
    let within = &text[word.at.clone()];
    let ends = within.char_indices().map(|(at, c)| at + c.len_utf8());
    let folded = |end: &usize| words(&within[..*end]).first().is_some_and(|part| part.folded.starts_with(typed));
    ends.into_iter().find(folded).map_or(word.at.end, |end| word.at.start + end)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn shown(text: &str, typed: &str) -> String {
        let pieces = excerpt(text, &Typed::read(typed));
        pieces.iter().map(|piece| if piece.hit { format!("[{}]", piece.text) } else { piece.text.clone() }).collect()
    }

    #[rstest]
    #[case("Doors open at 9.", "open", "Doors [open] at 9.")]
    #[case("Doors\nopen at 9.", "door", "[Door]s open at 9.")]
    #[case("Öffnet früh und früher", "fruh", "Öffnet [früh] und [früh]er")]
    #[case("Die Straße", "stras", "Die [Straß]e")]
    #[case("東京タワーへ", "タワー", "東京[タワー]へ")]
    #[case("market day, market night", r#""market night" day"#, "market [day], [market night]")]
    #[case("nothing here", "winter", "nothing here")]
    #[case("", "winter", "")]
    fn what_was_looked_for_is_marked(#[case] text: &str, #[case] typed: &str, #[case] expected: &str) {
        assert_eq!(shown(text, typed), expected);
    }

    #[test]
    fn a_long_text_is_shown_around_the_mark() {
        let text = format!("{} harvest {}", "word ".repeat(100), "more ".repeat(100));
        let shown = shown(&text, "harvest");
        assert!(shown.starts_with("… ") && shown.contains("[harvest]") && shown.ends_with(" …"), "{shown}");
        assert!(shown.chars().count() < 160);
    }
}

//! What a word is, for the index and for the scan alike. Marks above and below Latin, Greek and Cyrillic letters, case,
//! and the widths of East Asian letters make no difference. Scripts that put no spaces between words have no words that
//! a program could tell without a dictionary: there every letter is a word of its own, and several in a row are a
//! phrase, so that any part of a Japanese, Chinese, Korean or Thai text is found, however short.

use std::ops::Range;

use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};

/// Longest part of a word that counts, characters; what is longer is no word of a person.
const LONGEST: usize = 64;

/// One word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// As it is compared: letters, digits and their marks only, never empty.
    pub folded: String,
    /// Where it stands in the text, bytes.
    pub at: Range<usize>,
}

/// The words of a text in their order.
#[must_use]
pub fn words(text: &str) -> Vec<Word> {
    let mut all: Vec<Word> = Vec::new();
    // The word that the next letter may go on with.
    let mut open = false;
    for (at, letter) in letters(text) {
        let end = at + letter.len();
        let alone = letter.chars().next().is_some_and(stands_alone);
        let before = if open && !alone { all.pop() } else { None };
        let goes_on = before.is_some();
        let mut word = before.unwrap_or_else(|| Word { folded: String::new(), at: at..at });
        // What is longer stays as it is and still reaches to its end in the text.
        let full = word.folded.len() >= LONGEST && word.folded.chars().count() >= LONGEST;
        let part = if full {
            letter.chars().next().is_some_and(char::is_alphanumeric)
        } else {
            fold(letter, &mut word.folded)
        };
        if part {
            word.at.end = end;
        }
        if part || goes_on {
            all.push(word);
        }
        open = part && !alone;
    }
    all
}

/// The words of a text as the index takes them: between blanks.
#[must_use]
pub fn line(text: &str) -> String {
    let words: Vec<String> = words(text).into_iter().map(|word| word.folded).collect();
    words.join(" ")
}

/// A text in pieces of one letter with the marks that follow it, and where each begins.
fn letters(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut starts = text.char_indices().filter(|(at, c)| *at == 0 || !is_combining_mark(*c)).map(|(at, _)| at);
    let mut next = starts.next();
    std::iter::from_fn(move || {
        let at = next?;
        next = starts.next();
        Some((at, &text[at..next.unwrap_or(text.len())]))
    })
}

/// Adds a letter as it is compared; false for what is no part of a word.
fn fold(letter: &str, folded: &mut String) -> bool {
    if let [byte] = letter.as_bytes() {
        if byte.is_ascii_alphanumeric() {
            folded.push(char::from(byte.to_ascii_lowercase()));
        }
        return byte.is_ascii_alphanumeric();
    }
    if !letter.chars().next().is_some_and(char::is_alphanumeric) {
        return false;
    }
    let before = folded.len();
    let plain = letter.nfkd().filter(|c| !matches!(c, '\u{300}'..='\u{36f}'));
    for c in plain.flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric() || is_combining_mark(*c)) {
        match c {
            'ß' => folded.push_str("ss"),
            'ς' => folded.push('σ'),
            // Lower case may bring a mark of its own.
            '\u{300}'..='\u{36f}' => {}
            _ => folded.push(c),
        }
    }
    folded.len() > before
}

/// True for letters of scripts that put no spaces between words, or whose words grow endings without one.
const fn stands_alone(c: char) -> bool {
    matches!(
        c,
        '\u{e00}'..='\u{fff}'           // Thai, Lao, Tibetan
            | '\u{1000}'..='\u{109f}'   // Burmese
            | '\u{1100}'..='\u{11ff}'   // Korean letters
            | '\u{1780}'..='\u{17ff}'   // Khmer
            | '\u{1950}'..='\u{19ff}'   // Tai Le, New Tai Lue
            | '\u{1a20}'..='\u{1aaf}'   // Tai Tham
            | '\u{3005}'..='\u{3007}'   // Signs among Chinese characters
            | '\u{3040}'..='\u{318f}'   // Kana, Bopomofo, Korean letters
            | '\u{31a0}'..='\u{31ff}'   // Their extensions
            | '\u{3400}'..='\u{4dbf}'   // Chinese characters
            | '\u{4e00}'..='\u{9fff}'
            | '\u{aa60}'..='\u{aadf}'   // Burmese, Tai Viet
            | '\u{ac00}'..='\u{d7ff}'   // Korean syllables
            | '\u{f900}'..='\u{faff}'
            | '\u{ff66}'..='\u{ffdc}'   // Narrow Kana and Korean letters
            | '\u{1b000}'..='\u{1b16f}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("Doors open at 9.", &["doors", "open", "at", "9"])]
    #[case("  #MarketDay… don't ", &["marketday", "don", "t"])]
    #[case("Öffnet FRÜH, Straße", &["offnet", "fruh", "strasse"])]
    #[case("U\u{308}ber Café", &["uber", "cafe"])]
    #[case("Ἀθῆναι ΣΟΦΟΣ", &["αθηναι", "σοφοσ"])]
    #[case("ＷＩＤＥ ﬁne", &["wide", "fine"])]
    #[case("東京タワー", &["東", "京", "タ", "ワ", "ー"])]
    #[case("夏祭りopen9時", &["夏", "祭", "り", "open9", "時"])]
    #[case("ﾀﾜｰ", &["タ", "ワ", "ー"])]
    #[case("서울에서", &["서", "울", "에", "서"])]
    #[case("हिन्दी", &["हिन्दी"])]
    #[case("🎉 —!", &[])]
    #[case("", &[])]
    fn words_are_told_in_every_script(#[case] text: &str, #[case] expected: &[&str]) {
        let plain = |text: &str| text.nfc().collect::<String>();
        let found: Vec<String> = words(text).iter().map(|word| plain(&word.folded)).collect();
        assert_eq!(found, expected.iter().map(|word| plain(word)).collect::<Vec<_>>());
    }

    #[test]
    fn thai_is_told_letter_by_letter_with_its_marks() {
        let found = words("ตลาดเปิดที่นี่");
        assert_eq!(found.len(), 9, "{found:?}");
        assert_eq!(found.last().map(|word| word.folded.as_str()), Some("นี่"));
    }

    #[test]
    fn a_word_knows_where_it_stands() {
        let text = "Früh: 東京!";
        let found: Vec<&str> = words(text).iter().map(|word| &text[word.at.clone()]).collect();
        assert_eq!(found, ["Früh", "東", "京"]);
    }

    #[test]
    fn an_endless_word_counts_by_its_beginning() {
        let long = "a".repeat(1_000);
        assert_eq!(words(&long)[0].folded.len(), LONGEST);
        assert_eq!(words(&long)[0].at, 0..1_000);
    }
}

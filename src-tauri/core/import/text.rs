//! Files of lines: read with their numbers, however long the file is, and words about what stands in them.

use std::io::{self, BufRead, Read as _};

/// A longer line is cut there, bytes; no program writes one.
const LONGEST_LINE: u64 = 64 << 20;

/// Some programs begin UTF-8 text with it; it belongs to no line.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Lines with their numbers, from 1.
#[derive(Debug)]
pub(super) struct Numbered<R> {
    from: R,
    number: usize,
    held: Option<(usize, Vec<u8>)>,
}

impl<R: BufRead> Numbered<R> {
    pub(super) const fn new(from: R) -> Self {
        Self { from, number: 0, held: None }
    }

    /// The next line with its end; nothing at the end of the file.
    ///
    /// # Errors
    /// If the file cannot be read on.
    pub(super) fn line(&mut self) -> io::Result<Option<(usize, Vec<u8>)>> {
        if let Some(held) = self.held.take() {
            return Ok(Some(held));
        }
        let mut text = Vec::new();
        if self.from.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut text)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        if self.number == 1 && text.starts_with(BYTE_ORDER_MARK) {
            text.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(Some((self.number, text)))
    }

    /// Gives the last line back, to be read once more.
    pub(super) fn hold(&mut self, line: (usize, Vec<u8>)) {
        self.held = Some(line);
    }
}

/// True for the headers whose values an import keeps and compares.
pub(super) fn matters(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("idempotency") || name.ends_with("request-id")
}

/// True if a text still holds a variable of a shell, such as `$KEY`, `${KEY}` or `$(uuidgen)`.
pub(super) fn has_variable(text: &str) -> bool {
    text.match_indices('$').any(|(at, _)| {
        text[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '{' || c == '(')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_numbers_and_can_be_given_back() {
        let mut lines = Numbered::new("a\n\nb".as_bytes());
        let first = lines.line().unwrap().unwrap();
        assert_eq!(first, (1, b"a\n".to_vec()));
        lines.hold(first);
        let numbers: Vec<_> = std::iter::from_fn(|| lines.line().unwrap()).map(|(number, _)| number).collect();
        assert_eq!(numbers, [1, 2, 3]);
    }

    #[test]
    fn the_mark_before_the_first_line_is_no_part_of_it() {
        let mut lines = Numbered::new("\u{feff}{}\n\u{feff}b".as_bytes());
        assert_eq!(lines.line().unwrap(), Some((1, b"{}\n".to_vec())));
        assert_eq!(lines.line().unwrap(), Some((2, "\u{feff}b".as_bytes().to_vec())), "only there it is a mark");
    }

    #[test]
    fn a_price_is_no_variable() {
        for (text, is) in [("$KEY", true), ("a${x}", true), ("$(date)", true), ("5 $ or $5", false), ("cash$", false)] {
            assert_eq!(has_variable(text), is, "{text}");
        }
    }
}

//! Files of lines: read with their numbers, however long the file is, and words about what stands in them.

use std::{
    collections::VecDeque,
    io::{self, BufRead, Read as _},
};

/// A longer line is cut there, bytes; no program writes one.
const LONGEST_LINE: u64 = 64 << 20;

/// Some programs begin UTF-8 text with it; it belongs to no line.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Lines with their numbers, from 1.
#[derive(Debug)]
pub(super) struct Numbered<R> {
    from: R,
    number: usize,
    held: VecDeque<(usize, Vec<u8>)>,
    /// A carriage return alone ends a line, too.
    returns: bool,
}

impl<R: BufRead> Numbered<R> {
    pub(super) const fn new(from: R) -> Self {
        Self { from, number: 0, held: VecDeque::new(), returns: false }
    }

    /// Lines of what never has a carriage return inside a line, such as JSON: one that stands alone ends a line as well.
    pub(super) fn ending_in_any(from: R) -> Self {
        Self { returns: true, ..Self::new(from) }
    }

    /// The next line with its end; nothing at the end of the file.
    ///
    /// # Errors
    /// If the file cannot be read on.
    pub(super) fn line(&mut self) -> io::Result<Option<(usize, Vec<u8>)>> {
        if let Some(held) = self.held.pop_front() {
            return Ok(Some(held));
        }
        let mut text = Vec::new();
        let read = if self.returns { self.any_line(&mut text)? } else { self.plain_line(&mut text)? };
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        if self.number == 1 && text.starts_with(BYTE_ORDER_MARK) {
            text.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(Some((self.number, text)))
    }

    fn plain_line(&mut self, text: &mut Vec<u8>) -> io::Result<usize> {
        self.from.by_ref().take(LONGEST_LINE).read_until(b'\n', text)
    }

    /// Reads up to the first LF, CR LF or CR; the bytes that were read.
    fn any_line(&mut self, text: &mut Vec<u8>) -> io::Result<usize> {
        loop {
            let buffer = self.from.fill_buf()?;
            let end = buffer.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let taken = end.map_or(buffer.len(), |end| end + 1);
            text.extend_from_slice(&buffer[..taken]);
            self.from.consume(taken);
            match end.and(text.last()) {
                Some(b'\r') => {
                    // The other half of a line's end may stand in the next part of the file.
                    if self.from.fill_buf()?.first() == Some(&b'\n') {
                        self.from.consume(1);
                        text.push(b'\n');
                    }
                    return Ok(text.len());
                }
                Some(_) => return Ok(text.len()),
                None if taken == 0 || text.len() as u64 >= LONGEST_LINE => return Ok(text.len()),
                None => {}
            }
        }
    }

    /// Gives lines back that were read last, to be read once more in their order.
    pub(super) fn hold(&mut self, lines: impl IntoIterator<Item = (usize, Vec<u8>), IntoIter: DoubleEndedIterator>) {
        for line in lines.into_iter().rev() {
            self.held.push_front(line);
        }
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
        let second = lines.line().unwrap().unwrap();
        lines.hold([first, second]);
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
    fn a_carriage_return_alone_ends_a_line_where_it_can_be_no_part_of_one() {
        // A small buffer puts the halves of a line's end into two parts.
        let from = io::BufReader::with_capacity(2, "a\rb\r\n\rc\nd".as_bytes());
        let mut lines = Numbered::ending_in_any(from);
        let found: Vec<_> = std::iter::from_fn(|| lines.line().unwrap()).collect();
        let found: Vec<_> = found.iter().map(|(number, text)| (*number, std::str::from_utf8(text).unwrap())).collect();
        assert_eq!(found, [(1, "a\r"), (2, "b\r\n"), (3, "\r"), (4, "c\n"), (5, "d")]);
    }

    #[test]
    fn a_price_is_no_variable() {
        for (text, is) in [("$KEY", true), ("a${x}", true), ("$(date)", true), ("5 $ or $5", false), ("cash$", false)] {
            assert_eq!(has_variable(text), is, "{text}");
        }
    }
}

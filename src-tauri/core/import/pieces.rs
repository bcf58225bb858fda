//! Cuts a large JSON file into the elements of one list inside it, as it is read, so that memory holds one element
//! however large the file is, and an element that cannot be read spoils no other.

use std::io::{self, BufRead};

/// A longer element is passed over as bad, bytes.
const LONGEST: usize = 64 << 20;

/// What may stand around a number or a word.
const AROUND: &[u8] = b",]}{[\" \t\n\r";

const TOO_EARLY: &str = "the file ends too early";

/// Where the list stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The file is the list, or lists one after another.
    Top,
    /// A member of that name, this many braces deep: 1 is a member of the file's own object.
    Member(&'static str, usize),
    /// The file holds objects one after another, whatever stands between them.
    Objects,
}

/// Cuts one file.
#[derive(Debug)]
pub(super) struct Pieces {
    place: Place,
    inside: bool,
    met: bool,
    over: bool,
}

impl Pieces {
    /// A cutter for the list at `place`.
    #[must_use]
    pub(super) const fn new(place: Place) -> Self {
        Self { place, inside: false, met: false, over: false }
    }

    /// The text of the next element, or why it has none; nothing at the end.
    ///
    /// # Errors
    /// If the file cannot be read on.
    pub(super) fn next(&mut self, from: &mut impl BufRead) -> io::Result<Option<Result<Vec<u8>, String>>> {
        while !self.over {
            if !self.inside && !self.enter(from)? {
                self.over = true;
                // Several pages may follow each other; a file without any list is not what it seemed.
                return Ok((!self.met).then(|| Err(self.missing())));
            }
            match byte(from)? {
                Some(b'{') => return self.nested(b'{', from).map(Some),
                Some(b']') if self.place != Place::Objects => self.inside = false,
                Some(b',' | b' ' | b'\t' | b'\n' | b'\r') => {}
                Some(_) if self.place == Place::Objects => {}
                None if self.place == Place::Objects => self.over = true,
                Some(odd) => return self.odd(odd, from).map(|why| Some(Err(why))),
                None => {
                    self.over = true;
                    return Ok(Some(Err(TOO_EARLY.to_owned())));
                }
            }
        }
        Ok(None)
    }

    fn missing(&self) -> String {
        match self.place {
            Place::Member(name, _) => format!("it has no `{name}`"),
            Place::Top | Place::Objects => "it holds no list".to_owned(),
        }
    }

    /// Reads on to the first element of the next list; false if there is none.
    fn enter(&mut self, from: &mut impl BufRead) -> io::Result<bool> {
        let found = match self.place {
            Place::Objects => true,
            Place::Top => find_list(from, None, 0)?,
            // After one list the reader stands where that list began.
            Place::Member(name, depth) => {
                find_list(from, Some((name.as_bytes(), depth)), if self.met { depth } else { 0 })?
            }
        };
        self.inside = found;
        self.met |= found;
        Ok(found)
    }

    /// Passes over an element that is no object and whose first byte is read: what stands after it is read on.
    fn odd(&mut self, first: u8, from: &mut impl BufRead) -> io::Result<String> {
        match first {
            b'"' => _ = string(from)?,
            b'[' => {
                if let Err(why) = self.nested(b'[', from)? {
                    return Ok(why);
                }
            }
            _ => {
                while from.fill_buf()?.first().is_some_and(|next| !AROUND.contains(next)) {
                    from.consume(1);
                }
            }
        }
        Ok("it is no entry".to_owned())
    }

    /// The rest of an object or a list whose first sign is read.
    fn nested(&mut self, first: u8, from: &mut impl BufRead) -> io::Result<Result<Vec<u8>, String>> {
        let mut text = vec![first];
        let (mut depth, mut inside, mut escaped) = (1_usize, false, false);
        while depth > 0 {
            let buffer = from.fill_buf()?;
            if buffer.is_empty() {
                self.over = true;
                return Ok(Err(TOO_EARLY.to_owned()));
            }
            let mut taken = 0;
            for byte in buffer {
                taken += 1;
                if inside {
                    inside = *byte != b'"' || escaped;
                    escaped = *byte == b'\\' && !escaped;
                    continue;
                }
                match byte {
                    b'"' => inside = true,
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
            }
            if text.len() <= LONGEST {
                text.extend_from_slice(&buffer[..taken]);
            }
            from.consume(taken);
        }
        Ok(if text.len() > LONGEST { Err("it is too long".to_owned()) } else { Ok(text) })
    }
}

fn byte(from: &mut impl BufRead) -> io::Result<Option<u8>> {
    let next = from.fill_buf()?.first().copied();
    if next.is_some() {
        from.consume(1);
    }
    Ok(next)
}

/// Reads on past the opening bracket of a list: the first one, or the first that is a member of that name at that
/// depth, beginning at `depth`. False if there is none.
fn find_list(from: &mut impl BufRead, wanted: Option<(&[u8], usize)>, mut depth: usize) -> io::Result<bool> {
    let mut word = Vec::new();
    while let Some(next) = byte(from)? {
        match next {
            b'"' => word = string(from)?,
            b'[' if wanted.is_none_or(|(name, at)| depth == at && word == name) => return Ok(true),
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(false)
}

/// The rest of a string whose first quote is read; what is long is no name that matters and is cut short.
fn string(from: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let (mut text, mut escaped) = (Vec::new(), false);
    while let Some(next) = byte(from)? {
        if next == b'"' && !escaped {
            break;
        }
        escaped = next == b'\\' && !escaped;
        if text.len() < 64 {
            text.push(next);
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(place: Place, text: &str) -> Vec<Result<String, String>> {
        let (mut pieces, mut from) = (Pieces::new(place), text.as_bytes());
        std::iter::from_fn(|| pieces.next(&mut from).unwrap())
            .map(|piece| piece.map(|text| String::from_utf8(text).unwrap()))
            .collect()
    }

    fn good(pieces: &[&str]) -> Vec<Result<String, String>> {
        pieces.iter().map(|piece| Ok((*piece).to_owned())).collect()
    }

    #[test]
    fn elements_are_cut_out_whatever_stands_around_them() {
        let har = r#"{"log":{"pages":[{"entries":[1]}],"note":"\"entries\":[","entries":[ {"a":"}]\"{"} ,{"b":[{}]}],"x":[{}]}}"#;
        assert_eq!(cut(Place::Member("entries", 2), har), good(&[r#"{"a":"}]\"{"}"#, r#"{"b":[{}]}"#]));
        assert_eq!(cut(Place::Top, "[{\"a\":1},\n{\"b\":2}]"), good(&[r#"{"a":1}"#, r#"{"b":2}"#]));
        assert_eq!(cut(Place::Objects, "{\"a\":1}\n\n{\"b\":{}}"), good(&[r#"{"a":1}"#, r#"{"b":{}}"#]));
    }

    #[test]
    fn pages_may_follow_each_other() {
        let pages = "{\"logs\":[{\"a\":1}],\"n\":{\"logs\":[{}]}}\n{\"logs\":[{\"a\":2}]}";
        assert_eq!(cut(Place::Member("logs", 1), pages), good(&[r#"{"a":1}"#, r#"{"a":2}"#]));
    }

    #[test]
    fn what_breaks_off_or_is_no_list_is_said() {
        assert_eq!(cut(Place::Member("logs", 1), "{\"log\":[]}"), [Err("it has no `logs`".to_owned())]);
        assert_eq!(cut(Place::Top, "[{\"a\":1},{\"b\""), [Ok("{\"a\":1}".into()), Err(TOO_EARLY.to_owned())]);
    }

    #[test]
    fn an_odd_element_drops_no_other() {
        let odd = || Err("it is no entry".to_owned());
        let one = || Ok("{\"a\":1}".to_owned());
        for (between, times) in
            [("2", 1), ("null,-1.5e3", 2), ("\"}],{\"", 1), ("[{\"b\":[2]},\"]\"]", 1), ("tru}", 2), ("", 0)]
        {
            let list = format!("[{{\"a\":1}},{between},{{\"a\":1}}]");
            let har = format!("{{\"log\":{{\"entries\":{list},\"more\":[]}}}}");
            let expected: Vec<_> = std::iter::once(one()).chain((0..times).map(|_| odd())).chain([one()]).collect();
            assert_eq!(cut(Place::Top, &list), expected, "{list}");
            assert_eq!(cut(Place::Member("entries", 2), &har), expected, "{har}");
        }
        assert_eq!(cut(Place::Top, "[[{}"), [Err(TOO_EARLY.to_owned())]);
        assert_eq!(cut(Place::Top, "[]"), []);
    }
}

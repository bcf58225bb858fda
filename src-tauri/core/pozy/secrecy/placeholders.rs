//! Placeholders: what stands in the place of a secret, and how a masked text is told from others and taken apart. Pure.

pub(super) fn placeholder(number: usize) -> String {
    format!("[masked {number}]")
}

/// The number of a placeholder.
pub(super) fn number(value: &str) -> Option<usize> {
    let number = value.strip_prefix("[masked ")?.strip_suffix(']')?;
    number.bytes().all(|digit| digit.is_ascii_digit()).then(|| number.parse().ok()).flatten()
}

/// A piece of a text in which secrets were masked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Text as it is.
    Text(&'a str),
    /// A placeholder, whole.
    Masked(&'a str),
}

/// A masked text in pieces, in order; put together again they are the text.
#[must_use]
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let (mut done, mut from) = (0, 0);
    while let Some(start) = text[from..].find('[').map(|at| from + at) {
        let end = text[start..].find(']').map_or(start, |at| start + at + 1);
        if number(&text[start..end]).is_some() {
            if done < start {
                found.push(Piece::Text(&text[done..start]));
            }
            found.push(Piece::Masked(&text[start..end]));
            (done, from) = (end, end);
        } else {
            from = start + 1;
        }
    }
    if done < text.len() {
        found.push(Piece::Text(&text[done..]));
    }
    found
}

/// True if a secret stood in a text and is masked.
#[must_use]
pub fn is_masked(text: &str) -> bool {
    pieces(text).iter().any(|piece| matches!(piece, Piece::Masked(_)))
}

/// True if a masked text may have been made of another one: they agree but for what the placeholders stand for. The
/// other may be masked, too, with numbers of its own.
#[must_use]
pub fn fits(masked: &str, other: &str) -> bool {
    let pieces = pieces(masked);
    let mut rest = other;
    let mut free = false;
    for (at, piece) in pieces.iter().enumerate() {
        let Piece::Text(text) = piece else {
            free = true;
            continue;
        };
        // A number that was masked is a text now.
        let before = matches!(at.checked_sub(1).and_then(|at| pieces.get(at)), Some(Piece::Masked(_)));
        let after = at + 1 < pieces.len();
        let text = if before { text.strip_prefix('"').unwrap_or(text) } else { text };
        let text = if after { text.strip_suffix('"').unwrap_or(text) } else { text };
        if !free {
            let Some(left) = rest.strip_prefix(text) else { return false };
            rest = left;
        } else if at + 1 == pieces.len() {
            return rest.ends_with(text);
        } else {
            let Some(found) = rest.find(text) else { return false };
            rest = &rest[found + text.len()..];
        }
        free = false;
    }
    free || rest.is_empty()
}

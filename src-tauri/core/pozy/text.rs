//! The words that a webhook body carries for people: those of its post, its message or its comment (`pozy.md` 3.2).
//! Pure and lenient: what cannot be read has none.

use super::block::Block;

/// Blocks that carry words, and the field in which.
const PLACES: [(&str, &str); 3] = [("post", "content"), ("message", "text"), ("comment", "text")];

/// All words of a body, a text a line; none if it has none.
#[must_use]
pub fn of_body(body: &[u8]) -> Option<String> {
    let top = Block::of_body(body).ok()?;
    let text = |(block, field): (&str, &str)| top.block(block).ok()??.text(field).ok()?;
    let texts: Vec<String> = PLACES.into_iter().filter_map(text).filter(|text| !text.trim().is_empty()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn posts_messages_and_comments_carry_words() {
        let post = br#"{"id":"e","post":{"id":"po","content":"Hay is cut."},"message":7}"#;
        assert_eq!(of_body(post).as_deref(), Some("Hay is cut."));
        let comment = br#"{"comment":{"text":"When?"},"post":{"content":"Hay"}}"#;
        assert_eq!(of_body(comment).as_deref(), Some("Hay\nWhen?"));
        assert_eq!(of_body(br#"{"message":{"text":"\u6771\u4eac"}}"#).as_deref(), Some("東京"));
        for none in [&b"no json"[..], b"{}", br#"{"post":{"content":" "}}"#, br#"{"text":"loose"}"#] {
            assert_eq!(of_body(none), None);
        }
    }
}

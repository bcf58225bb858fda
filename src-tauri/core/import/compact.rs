//! JSON text without the blanks between its tokens, and nothing else changed: key order, doubled keys, number and
//! escape spelling stay as they were sent, so that a body survives export and import to the byte.

/// Deepest nesting that is still written as JSON inside a log line; other readers give up earlier than we do.
const DEEPEST: usize = 100;

/// The text without blanks outside strings; None if it is nested deeper than other programs read. The text must be
/// valid JSON already.
#[must_use]
pub fn compact(json: &str) -> Option<String> {
    let mut out = String::with_capacity(json.len());
    let (mut depth, mut inside, mut escaped) = (0_usize, false, false);
    for c in json.chars() {
        if inside {
            inside = c != '"' || escaped;
            escaped = c == '\\' && !escaped;
        } else {
            match c {
                ' ' | '\t' | '\n' | '\r' => continue,
                '"' => inside = true,
                '{' | '[' => depth += 1,
                '}' | ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth > DEEPEST {
                return None;
            }
        }
        out.push(c);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::compact;

    #[test]
    fn only_blanks_between_tokens_go() {
        let spread = "{ \"b\" : [ 1.50 , \"a \\\" b\\\\\" ] ,\n\"a\":\"\\u00e9 x\", \"a\": null }";
        let tight = "{\"b\":[1.50,\"a \\\" b\\\\\"],\"a\":\"\\u00e9 x\",\"a\":null}";
        assert_eq!(compact(spread).as_deref(), Some(tight));
        assert_eq!(compact(tight).as_deref(), Some(tight));
    }

    #[test]
    fn too_deep_is_left_to_text() {
        assert!(compact(&format!("{}{}", "[".repeat(100), "]".repeat(100))).is_some());
        assert!(compact(&format!("{}{}", "[".repeat(101), "]".repeat(101))).is_none());
    }
}

//! Secrets inside JSON, masked where they stand: order, blanks, doubled fields and the spelling of numbers stay as
//! they were sent, so that what is masked says all it said before but the secrets. Pure.

use serde::de::IgnoredAny;

use super::{
    Mask,
    names::{is_evidence, is_secret_name},
};

/// What was said to be JSON is none.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoJson;

/// The text with its secrets masked; none if it holds none.
///
/// # Errors
/// If it is no JSON, or nested deeper than others read.
pub(super) fn masked(text: &str, mask: &mut Mask, depth: u8) -> Result<Option<String>, NoJson> {
    serde_json::from_str::<IgnoredAny>(text).map_err(|_| NoJson)?;
    let mut walk = Walk { text, at: 0, mask, depth, out: String::new(), done: 0 };
    walk.value(None, false).ok_or(NoJson)?;
    if walk.done == 0 {
        return Ok(None);
    }
    walk.out.push_str(&text[walk.done..]);
    Ok(Some(walk.out))
}

/// A walk over text that is known to be JSON.
struct Walk<'a, 'm> {
    text: &'a str,
    at: usize,
    mask: &'m mut Mask,
    depth: u8,
    out: String,
    /// What lies before is in `out`.
    done: usize,
}

impl<'a> Walk<'a, '_> {
    /// Walks over one value. `secret` is the name that makes everything inside secret; `open` says that a text here is
    /// evidence. None at what JSON does not have, which the check before has ruled out.
    fn value(&mut self, secret: Option<&str>, open: bool) -> Option<()> {
        match self.peek()? {
            b'{' => self.object(secret),
            b'[' => self.array(secret, open),
            b'"' => self.text(secret, open),
            _ => self.word(secret),
        }
    }

    fn object(&mut self, secret: Option<&str>) -> Option<()> {
        self.at += 1;
        loop {
            match self.peek()? {
                b'}' => {
                    self.at += 1;
                    return Some(());
                }
                b',' => self.at += 1,
                _ => {
                    let start = self.at;
                    let raw = self.string()?;
                    let plain = unescaped(raw);
                    let name = plain.as_deref().unwrap_or(raw);
                    // A name is evidence, unless a known secret stands in it.
                    if let Some(masked) = self.mask.sweep(name, false).filter(|masked| masked != name) {
                        self.put(start, &serde_json::Value::from(masked).to_string());
                    }
                    // The colon.
                    self.peek()?;
                    self.at += 1;
                    let named = is_secret_name(name).then_some(name);
                    self.value(secret.or(named), is_evidence(name))?;
                }
            }
        }
    }

    fn array(&mut self, secret: Option<&str>, open: bool) -> Option<()> {
        self.at += 1;
        loop {
            match self.peek()? {
                b']' => {
                    self.at += 1;
                    return Some(());
                }
                b',' => self.at += 1,
                _ => self.value(secret, open)?,
            }
        }
    }

    fn text(&mut self, secret: Option<&str>, open: bool) -> Option<()> {
        self.peek()?;
        let start = self.at;
        let raw = self.string()?;
        let plain = unescaped(raw);
        let told = plain.as_deref().unwrap_or(raw);
        let masked = match secret {
            Some(_) if told.is_empty() => None,
            Some(name) => Some(self.mask.cover(&format!("field {name}"), told)),
            None if open => self.mask.sweep(told, true),
            None => self.mask.text(told, self.depth + 1),
        };
        if let Some(masked) = masked.filter(|masked| masked != told) {
            self.put(start, &serde_json::Value::from(masked).to_string());
        }
        Some(())
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self, secret: Option<&str>) -> Option<()> {
        let start = self.at;
        let rest = &self.text.as_bytes()[start..];
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte)).count();
        if length == 0 {
            return None;
        }
        self.at += length;
        let told = &self.text[start..self.at];
        if let Some(name) = secret
            && told.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        {
            let masked = self.mask.cover(&format!("field {name}"), told);
            self.put(start, &format!("\"{masked}\""));
        }
        Some(())
    }

    /// The inside of a string as it is spelled.
    fn string(&mut self) -> Option<&'a str> {
        let text = self.text;
        let bytes = text.as_bytes();
        let start = self.at + 1;
        let mut at = start;
        while *bytes.get(at)? != b'"' {
            at += if bytes[at] == b'\\' { 2 } else { 1 };
        }
        self.at = at + 1;
        text.get(start..at)
    }

    /// The next byte that is no blank.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at)?.is_ascii_whitespace() {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    /// Puts `told` in the place of what stands between `start` and here.
    fn put(&mut self, start: usize, told: &str) {
        self.out.push_str(&self.text[self.done..start]);
        self.out.push_str(told);
        self.done = self.at;
    }
}

/// A string without its escapes; none if it has none or holds half a surrogate pair.
fn unescaped(raw: &str) -> Option<String> {
    if !raw.contains('\\') {
        return None;
    }
    serde_json::from_str(&format!("\"{raw}\"")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Option<String> {
        masked(text, &mut Mask::default(), 0).unwrap()
    }

    #[test]
    fn only_secrets_change() {
        let text = "{ \"b\" : 1.50, \"token\": \"two\",\n\"b\":\"\\u00e9\", \"list\":[{\"secret\":[7, true, null]}], \"a\":[] }";
        let masked = "{ \"b\" : 1.50, \"token\": \"[masked 1]\",\n\"b\":\"\\u00e9\", \"list\":[{\"secret\":[\"[masked 2]\", true, null]}], \"a\":[] }";
        assert_eq!(told(text).as_deref(), Some(masked));
        assert_eq!(told(masked), None, "what is masked stays as it is");
        assert_eq!(told("{\"a\":\"token\",\"b\":{}}"), None);
    }

    #[test]
    fn escaped_names_and_values_are_read() {
        assert_eq!(told(r#"{"tok\u0065n":"a\"b\\"}"#).as_deref(), Some(r#"{"tok\u0065n":"[masked 1]"}"#));
        assert_eq!(told(r#"{"token":"\ud800 x"}"#).as_deref(), Some(r#"{"token":"[masked 1]"}"#));
    }

    #[test]
    fn json_inside_a_string_stays_json() {
        let text = r#"{"raw":"{\"user\":\"ann\",\"password\":\"hunter2\"}","n":[1,2]}"#;
        let masked = told(text).unwrap();
        assert_eq!(masked, r#"{"raw":"{\"user\":\"ann\",\"password\":\"[masked 1]\"}","n":[1,2]}"#);
    }

    #[test]
    fn evidence_is_not_looked_into() {
        let text = r#"{"content":"Our api_key=plum99 song","idempotencyKey":"sk_live_0123456789abcdef","text":"x"}"#;
        assert_eq!(told(text), None);
    }

    #[test]
    fn a_known_secret_is_no_name() {
        let mut own = super::super::Own::default();
        own.add(&crate::secrets::Secret::new("sk_own_plum_4711").unwrap());
        let text = r#"{"sk_own_plum_4711":1,"b":{"of sk_own_pl\u0075m_4711":"x"}}"#;
        let told = masked(text, &mut Mask::knowing(&own), 0).unwrap();
        assert_eq!(told.as_deref(), Some(r#"{"[masked 1]":1,"b":{"of [masked 1]":"x"}}"#));
    }

    #[test]
    fn what_is_no_json_is_left() {
        for text in ["", "{", "{\"token\":", "token", "{\"token\":\"a\"}x"] {
            assert_eq!(masked(text, &mut Mask::default(), 0), Err(NoJson), "{text}");
        }
    }
}

//! What must not leave the log, told by its name (contract, last point): headers, body fields and URL parameters. A
//! masked value becomes a placeholder numbered per file; equal values share a number, so that rows stay comparable.

use std::{collections::HashMap, fmt};

use serde_json::Value;

/// Names that are secret as a whole; compared without regard to case, `_` and `-` alike.
const NAMES: [&str; 7] =
    ["authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "api-key", "apikey"];
/// Parts that make any name secret.
const PARTS: [&str; 3] = ["token", "secret", "signature"];

/// True if a header, field or parameter of this name holds a secret.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace('_', "-");
    NAMES.contains(&name.as_str()) || PARTS.iter().any(|part| name.contains(part))
}

/// Hands out placeholders for one file. What it has seen stays inside: its `Debug` tells only how many.
#[derive(Default)]
pub struct Mask {
    seen: HashMap<String, usize>,
    masked: usize,
}

impl Mask {
    /// The placeholder for `value`: `[masked 1]`, `[masked 2]` ..., in order of first sight. An empty value stays, and
    /// so does a placeholder: what was masked before is the same when it is masked again.
    pub fn cover(&mut self, value: &str) -> String {
        if value.is_empty() || is_placeholder(value) {
            return value.to_owned();
        }
        self.masked += 1;
        let next = self.seen.len() + 1;
        let number = *self.seen.entry(value.to_owned()).or_insert(next);
        format!("[masked {number}]")
    }

    /// How many places were masked.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.masked
    }
}

fn is_placeholder(value: &str) -> bool {
    let number = value.strip_prefix("[masked ").and_then(|rest| rest.strip_suffix(']'));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()))
}

impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mask({} places)", self.masked)
    }
}

/// Masks the values of secret headers in place; names and order stay.
pub fn mask_headers(headers: &mut [(String, String)], mask: &mut Mask) {
    for (name, value) in headers {
        if is_secret_name(name) {
            *value = mask.cover(value);
        }
    }
}

/// Masks every text and number under a secret field name, at any depth.
pub fn mask_body(value: &mut Value, mask: &mut Mask) {
    mask_inside(value, false, mask);
}

/// A body as text with its secrets masked; one without any keeps its very spelling.
#[must_use]
pub fn masked_text(text: String, mask: &mut Mask) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(&text) else { return text };
    let before = mask.count();
    mask_body(&mut value, mask);
    if mask.count() > before { value.to_string() } else { text }
}

fn mask_inside(value: &mut Value, secret: bool, mask: &mut Mask) {
    match value {
        Value::Object(fields) => {
            for (name, inner) in fields {
                mask_inside(inner, secret || is_secret_name(name), mask);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mask_inside(item, secret, mask)),
        Value::String(text) if secret => *text = mask.cover(text),
        Value::Number(number) if secret => *value = Value::String(mask.cover(&number.to_string())),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Masks secret parameters of a URL (query and fragment) and a password before its host.
#[must_use]
pub fn mask_url(url: &str, mask: &mut Mask) -> String {
    let (rest, fragment) = match url.split_once('#') {
        Some((rest, fragment)) => (rest, Some(fragment)),
        None => (url, None),
    };
    let (place, query) = match rest.split_once('?') {
        Some((place, query)) => (place, Some(query)),
        None => (rest, None),
    };
    let mut masked = mask_user(place, mask);
    for (sign, part) in [('?', query), ('#', fragment)] {
        if let Some(part) = part {
            masked.push(sign);
            masked.push_str(&mask_parameters(part, mask));
        }
    }
    masked
}

/// `scheme://user:password@host` keeps its user only.
fn mask_user(place: &str, mask: &mut Mask) -> String {
    if let Some((scheme, rest)) = place.split_once("://") {
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        if let Some((user, host)) = authority.rsplit_once('@')
            && let Some((name, password)) = user.split_once(':')
        {
            return format!("{scheme}://{name}:{}@{host}{path}", mask.cover(password));
        }
    }
    place.to_owned()
}

fn mask_parameters(text: &str, mask: &mut Mask) -> String {
    let parameters = text.split('&').map(|parameter| match parameter.split_once('=') {
        Some((name, value)) if is_secret_name(name) => format!("{name}={}", mask.cover(value)),
        _ => parameter.to_owned(),
    });
    parameters.collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_of_secrets_are_known_in_any_spelling() {
        for name in ["Authorization", "SET-COOKIE", "api_key", "X-Pozy-Signature", "accessToken", "client_secret"] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["content-type", "idempotency-key", "x-request-id", "author"] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn equal_secrets_share_a_number_and_others_do_not() {
        let mut mask = Mask::default();
        let mut headers = vec![
            ("Authorization".to_owned(), "Bearer one".to_owned()),
            ("accept".to_owned(), "*/*".to_owned()),
            ("x-token".to_owned(), "two".to_owned()),
        ];
        mask_headers(&mut headers, &mut mask);
        let mut body = json!({"text": "hi", "auth": {"token": "two", "list": [{"secret": [7, true]}]}});
        mask_body(&mut body, &mut mask);
        let values: Vec<_> = headers.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["[masked 1]", "*/*", "[masked 2]"]);
        assert_eq!(
            body,
            json!({"text": "hi", "auth": {"token": "[masked 2]", "list": [{"secret": ["[masked 3]", true]}]}})
        );
        assert_eq!(mask.count(), 4);
        assert!(!format!("{mask:?}").contains("two"));
    }

    #[test]
    fn what_is_masked_stays_as_it_is() {
        let mut mask = Mask::default();
        assert_eq!(mask.cover("[masked 7]"), "[masked 7]");
        assert_eq!(mask.count(), 0);
        assert_eq!(mask.cover("[masked x]"), "[masked 1]");
    }

    #[test]
    fn urls_keep_all_but_their_secrets() {
        let mut mask = Mask::default();
        let url = "https://me:pw@host.example/a?x=1&access_token=abc&y#token=abc";
        assert_eq!(
            mask_url(url, &mut mask),
            "https://me:[masked 1]@host.example/a?x=1&access_token=[masked 2]&y#token=[masked 2]"
        );
        assert_eq!(mask_url("/v1/posts/po_1", &mut mask), "/v1/posts/po_1");
    }
}

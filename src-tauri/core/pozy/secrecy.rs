//! What must not leave the log, told by its name (contract, last point): headers, body fields and URL parameters. A
//! masked value becomes a placeholder numbered per file; equal values share a number, so that rows stay comparable.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    fmt,
};

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

/// Who masked what is masked already. The same number stands for one secret within one source only: each file that is
/// imported and each request that is received is numbered by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Source {
    /// The very file or row that is written or read.
    #[default]
    This,
    /// A file that was imported, by its row.
    Import(i64),
    /// The receiver, for one arrival.
    Arrival(i64),
    /// The sender, for the answer to one try.
    Attempt(i64),
    /// The fetch of one state.
    Observation(i64),
}

/// One secret as far as it can be told from others.
#[derive(PartialEq, Eq, Hash)]
enum Known {
    /// By its value.
    Value(String),
    /// By the placeholder that another file gave it.
    Number(Source, usize),
}

/// Hands out placeholders for one file: the same for the same secret, never one for two. What it has seen stays
/// inside: its `Debug` tells only how many.
#[derive(Default)]
pub struct Mask {
    source: Source,
    seen: HashMap<Known, usize>,
    taken: HashSet<usize>,
    /// No number below this one is free.
    lowest: usize,
    /// Every number below this one may be a secret's that was forgotten.
    floor: usize,
    places: usize,
    kinds: BTreeMap<String, Covered>,
}

/// What was masked of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Covered {
    /// Places.
    pub places: usize,
    numbers: BTreeSet<usize>,
}

impl Covered {
    /// The placeholders that stand in those places.
    pub fn placeholders(&self) -> impl Iterator<Item = String> + '_ {
        self.numbers.iter().map(|number| placeholder(*number))
    }
}

impl Mask {
    /// A mask that has forgotten what `before` has seen, but gives none of its numbers again: for files that hold more
    /// secrets than memory should.
    #[must_use]
    pub fn after(before: &Self) -> Self {
        let highest = before.taken.iter().max().copied().unwrap_or_default();
        let lowest = before.lowest.max(before.floor).max(highest + 1);
        Self { source: before.source, lowest, floor: lowest, ..Self::default() }
    }

    /// How many different secrets it remembers.
    #[must_use]
    pub fn remembered(&self) -> usize {
        self.seen.len()
    }

    /// Says whose placeholders stand in what comes next.
    pub const fn meet(&mut self, source: Source) {
        self.source = source;
    }

    /// The placeholder for a value that stands in a place of that kind: `[masked 1]`, `[masked 2]` ..., in order of
    /// first sight. A placeholder keeps its number unless another secret has it here. An empty value stays.
    pub fn cover(&mut self, kind: &str, value: &str) -> String {
        if value.is_empty() {
            return String::new();
        }
        let before = number(value);
        let secret = match before {
            Some(number) => Known::Number(self.source, number),
            None => Known::Value(value.to_owned()),
        };
        let number = match self.seen.get(&secret) {
            Some(number) => *number,
            None => {
                let free = before
                    .filter(|number| *number >= self.floor && !self.taken.contains(number))
                    .unwrap_or_else(|| self.free());
                self.taken.insert(free);
                self.seen.insert(secret, free);
                free
            }
        };
        self.places += 1;
        let covered = self.kinds.entry(kind.to_ascii_lowercase()).or_default();
        covered.places += 1;
        covered.numbers.insert(number);
        placeholder(number)
    }

    /// The lowest number that nothing has.
    fn free(&mut self) -> usize {
        self.lowest = (self.lowest.max(1)..).find(|number| !self.taken.contains(number)).unwrap_or(usize::MAX);
        self.lowest
    }

    /// How many places are masked, whoever masked them.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.places
    }

    /// The same by kind: `header authorization`, `field token`, `parameter access_token`, `password in an address`.
    #[must_use]
    pub fn kinds(self) -> BTreeMap<String, Covered> {
        self.kinds
    }
}

fn placeholder(number: usize) -> String {
    format!("[masked {number}]")
}

/// The number of a placeholder.
fn number(value: &str) -> Option<usize> {
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

impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mask({} places)", self.places)
    }
}

/// Masks the values of secret headers in place; names and order stay.
pub fn mask_headers(headers: &mut [(String, String)], mask: &mut Mask) {
    for (name, value) in headers {
        if is_secret_name(name) {
            *value = mask.cover(&format!("header {name}"), value);
        }
    }
}

/// Masks every text and number under a secret field name, at any depth.
pub fn mask_body(value: &mut Value, mask: &mut Mask) {
    mask_inside(value, None, mask);
}

/// A body as text with its secrets masked; one without any keeps its very spelling.
#[must_use]
pub fn masked_text(text: String, mask: &mut Mask) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(&text) else { return text };
    let before = mask.count();
    mask_body(&mut value, mask);
    // What was masked before may stay as it is, spelling and all.
    let same = mask.count() == before || serde_json::from_str::<Value>(&text).is_ok_and(|told| told == value);
    if same { text } else { value.to_string() }
}

/// `secret` is the name that makes everything inside secret.
fn mask_inside(value: &mut Value, secret: Option<&str>, mask: &mut Mask) {
    match value {
        Value::Object(fields) => {
            for (name, inner) in fields {
                let named = is_secret_name(name).then_some(name.as_str());
                mask_inside(inner, secret.or(named), mask);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mask_inside(item, secret, mask)),
        Value::String(text) => {
            if let Some(name) = secret {
                *text = mask.cover(&format!("field {name}"), text);
            }
        }
        Value::Number(number) => {
            if let Some(name) = secret {
                *value = Value::String(mask.cover(&format!("field {name}"), &number.to_string()));
            }
        }
        Value::Null | Value::Bool(_) => {}
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
            return format!("{scheme}://{name}:{}@{host}{path}", mask.cover("password in an address", password));
        }
    }
    place.to_owned()
}

fn mask_parameters(text: &str, mask: &mut Mask) -> String {
    let parameters = text.split('&').map(|parameter| match parameter.split_once('=') {
        Some((name, value)) if is_secret_name(name) => {
            format!("{name}={}", mask.cover(&format!("parameter {name}"), value))
        }
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
        assert_eq!(mask.cover("field token", "[masked 7]"), "[masked 7]");
        assert_eq!(mask.cover("field token", "[masked x]"), "[masked 1]");
        assert_eq!(mask.count(), 2);
        let text = "{ \"token\": \"[masked 7]\" }".to_owned();
        assert_eq!(masked_text(text.clone(), &mut mask), text, "its very spelling stays");
    }

    #[test]
    fn one_number_never_stands_for_two_secrets() {
        let mut mask = Mask::default();
        mask.meet(Source::Arrival(1));
        assert_eq!(mask.cover("header cookie", "plum"), "[masked 1]");
        assert_eq!(mask.cover("header cookie", "[masked 1]"), "[masked 2]", "the receiver's first is another one");
        mask.meet(Source::Arrival(2));
        assert_eq!(mask.cover("header cookie", "[masked 1]"), "[masked 3]", "and so is that of another arrival");
        mask.meet(Source::Arrival(1));
        assert_eq!(mask.cover("header cookie", "[masked 1]"), "[masked 2]");
        assert_eq!(mask.cover("field token", "plum"), "[masked 1]");
        let kinds = mask.kinds();
        let told: Vec<_> = kinds.iter().map(|(kind, covered)| (kind.as_str(), covered.places)).collect();
        assert_eq!(told, [("field token", 1), ("header cookie", 4)]);
        assert_eq!(kinds["header cookie"].placeholders().count(), 3);
    }

    #[test]
    fn a_mask_that_forgot_gives_no_number_again() {
        let mut mask = Mask::default();
        let first = [mask.cover("field token", "plum"), mask.cover("field token", "[masked 9]")];
        let mut later = Mask::after(&mask);
        assert_eq!((mask.remembered(), later.remembered()), (2, 0));
        for value in ["pear", "[masked 1]", "[masked 9]"] {
            assert!(!first.contains(&later.cover("field token", value)), "{value}");
        }
    }

    #[test]
    fn a_masked_text_falls_into_pieces() {
        let text = "[a [masked 1][masked 22] [masked x] [masked 3";
        let expected = [
            Piece::Text("[a "),
            Piece::Masked("[masked 1]"),
            Piece::Masked("[masked 22]"),
            Piece::Text(" [masked x] [masked 3"),
        ];
        assert_eq!(pieces(text), expected);
        assert_eq!(pieces(""), []);
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

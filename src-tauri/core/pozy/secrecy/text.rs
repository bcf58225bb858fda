//! Secrets in text of any kind: forms, letters, notes, header values, commands, what is no JSON any more. A secret is
//! told by the name before it, by the word that announces it, by its form, or by what its base64 or percent signs say
//! when they are undone. Pure.

use std::{ops::Range, sync::LazyLock};

use super::{
    names::{is_secret_name, tells_plainly},
    placeholders::number,
};
use aho_corasick::{AhoCorasick, MatchKind};
use base64::{Engine as _, engine::general_purpose as base64s};

/// Encodings inside encodings are undone so often.
pub(super) const DEEPEST: u8 = 3;
/// A shorter run of letters is not tried as base64: the shortest pair of a name and a secret is longer.
const SHORTEST_CODED: usize = 20;

/// A secret in a text: where, and in what kind of place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) range: Range<usize>,
    pub(super) kind: String,
    /// What it is, where the text has it in another spelling.
    pub(super) value: Option<String>,
}

impl Found {
    fn new(range: Range<usize>, kind: impl Into<String>) -> Option<Self> {
        (!range.is_empty()).then(|| Self { range, kind: kind.into(), value: None })
    }
}

/// What announces a secret, in lower case.
const SIGNS: [&str; 20] = [
    "[masked ",
    "://",
    "bearer ",
    "basic ",
    "-----begin ",
    "eyj",
    "sk_",
    "zrk_",
    "rk_live_",
    "whsec_",
    "whsk_",
    "ghp_",
    "gho_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "akia",
    "aiza",
    "sk-",
];
/// The first of [`SIGNS`] that begins the secret itself.
const FIRST_FORM: usize = 6;

static ANNOUNCED: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder().ascii_case_insensitive(true).match_kind(MatchKind::LeftmostLongest).build(SIGNS).ok()
});

/// The secrets of a text in order, none overlapping another. `knows` says whether a text holds a value that is known
/// to be secret.
pub(super) fn find(text: &str, depth: u8, knows: &dyn Fn(&str) -> bool) -> Vec<Found> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    if bytes.len() >= 7 {
        announced(text, &mut found);
    }
    for at in (0..bytes.len()).filter(|at| matches!(bytes[*at], b'=' | b':')) {
        found.extend(named(text, at));
    }
    found.extend(options(text));
    if depth < DEEPEST {
        found.extend(coded(text, depth, knows));
        if bytes.contains(&b'%') {
            found.extend(percents(text, depth, knows));
        }
    }
    found
}

/// What was found in order, with what overlaps made one.
pub(super) fn apart(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|one| (one.range.start, std::cmp::Reverse(one.range.end)));
    let mut apart: Vec<Found> = Vec::with_capacity(found.len());
    for one in found {
        match apart.last_mut() {
            Some(last) if one.range.start < last.range.end => {
                if one.range.end > last.range.end {
                    last.range.end = one.range.end;
                    last.value = None;
                }
            }
            _ => apart.push(one),
        }
    }
    apart
}

/// Anything that a text with a secret in it must hold. It may stand in others, too.
static HINTS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let names = [
        "token",
        "secret",
        "sig",
        "author",
        "key",
        "sess",
        "pass",
        "pwd",
        "jwt",
        "otp",
        "credential",
        "cookie",
        "csrf",
        "xsrf",
        "hmac",
        "@",
        "--",
        "-u ",
        "\\u00",
        "%",
    ];
    let signs = SIGNS.iter().copied().filter(|sign| *sign != "://");
    AhoCorasick::builder().ascii_case_insensitive(true).build(names.into_iter().chain(signs)).ok()
});

/// True if a text surely holds no secret that its own letters tell of: a quick look that most texts pass.
pub(super) fn is_plain(text: &str) -> bool {
    HINTS.as_ref().is_some_and(|hints| !hints.is_match(text)) && !has_coded_run(text)
}

/// True if a run of letters may be base64 of a text.
fn has_coded_run(text: &str) -> bool {
    let (mut length, mut small, mut capital) = (0, false, false);
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' => small = true,
            b'A'..=b'Z' => capital = true,
            b'0'..=b'9' | b'+' | b'/' | b'_' | b'-' => {}
            _ => {
                (length, small, capital) = (0, false, false);
                continue;
            }
        }
        length += 1;
        if length >= SHORTEST_CODED && small && capital {
            return true;
        }
    }
    false
}

/// Secrets with a sign before them or of a known form, and placeholders that stand alone.
fn announced(text: &str, found: &mut Vec<Found>) {
    let Some(signs) = &*ANNOUNCED else { return };
    for sign in signs.find_iter(text) {
        let (start, after) = (sign.start(), sign.end());
        found.extend(match sign.pattern().as_usize() {
            0 => placeholder_at(text, start).and_then(|end| Found::new(start..end, "text")),
            1 => password_of(text, after),
            2 => scheme(text, after, |word| word.len() >= 6 && has_form(word)),
            3 => scheme(text, after, is_pair),
            4 => private_key(text, start),
            5 => signed_token(text, start),
            form if form >= FIRST_FORM => key_of_form(text, start, after),
            _ => None,
        });
    }
}

/// The placeholders in a text, whatever else stands in it.
pub(super) fn placeholders(text: &str) -> impl Iterator<Item = Found> + '_ {
    let begun = text.match_indices("[masked ").map(|(start, _)| start);
    begun.filter_map(|start| placeholder_at(text, start).and_then(|end| Found::new(start..end, "text")))
}

/// The end of the placeholder that begins here.
fn placeholder_at(text: &str, start: usize) -> Option<usize> {
    let rest = text.get(start..)?;
    let end = rest.find(']')? + 1;
    number(&rest[..end]).map(|_| start + end)
}

/// `scheme://user:password@host`.
fn password_of(text: &str, after: usize) -> Option<Found> {
    let rest = &text[after..];
    let end = rest.find(|c: char| c.is_whitespace() || "/?#\"'<>".contains(c)).unwrap_or(rest.len());
    let user = &rest[..rest[..end].rfind('@')?];
    let password = user.find(':')? + 1;
    Found::new(after + password..after + user.len(), "password in an address")
}

/// What follows `Bearer` or `Basic`, if it `fits`: prose has these words, too.
fn scheme(text: &str, after: usize, fits: impl Fn(&str) -> bool) -> Option<Found> {
    let rest = &text[after..];
    let start = after + rest.len() - rest.trim_start_matches(' ').len();
    let word = run(text, start, |byte| byte.is_ascii_alphanumeric() || b"._~+/=-".contains(&byte));
    fits(word).then(|| Found::new(start..start + word.len(), "credentials in a text")).flatten()
}

/// True if a word looks made up: it has a digit, or capitals among small letters.
pub(super) fn has_form(word: &str) -> bool {
    let has = |of: fn(&u8) -> bool| word.as_bytes().iter().any(of);
    let inner_capital = word.as_bytes().iter().skip(1).any(u8::is_ascii_uppercase);
    has(u8::is_ascii_digit) || (inner_capital && has(u8::is_ascii_lowercase))
}

/// True if a word is base64 of `user:password`.
fn is_pair(word: &str) -> bool {
    undone(word).is_some_and(|text| text.contains(':'))
}

fn private_key(text: &str, start: usize) -> Option<Found> {
    let rest = &text[start..];
    let first = &rest[..rest
        .find("-----\n")
        .or_else(|| rest.find("-----\r"))
        .or_else(|| rest.find("-----\\"))
        .unwrap_or(rest.floor_char_boundary(60))];
    if !first.to_ascii_uppercase().contains("PRIVATE KEY") {
        return None;
    }
    let end = rest.find("-----END ").and_then(|end| {
        let tail = &rest[end + 9..];
        tail.find("-----").map(|close| end + 9 + close + 5)
    });
    Found::new(start..start + end.unwrap_or(rest.len()), "private key in a text")
}

/// A token of three parts in base64, the first an object of JSON.
fn signed_token(text: &str, start: usize) -> Option<Found> {
    if !begins_here(text, start) || !text[start..].starts_with("eyJ") {
        return None;
    }
    let word = run(text, start, |byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    let parts = word.trim_end_matches('.').split('.').filter(|part| !part.is_empty()).count();
    (parts >= 3).then(|| Found::new(start..start + word.trim_end_matches('.').len(), "token in a text")).flatten()
}

/// A key that says by its first letters what it is.
fn key_of_form(text: &str, start: usize, after: usize) -> Option<Found> {
    let word = run(text, after, |byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    let long = word.len() >= 8 && word.bytes().any(|byte| byte.is_ascii_digit());
    (long && begins_here(text, start)).then(|| Found::new(start..after + word.len(), "key in a text")).flatten()
}

/// True if no word goes on before `start`.
fn begins_here(text: &str, start: usize) -> bool {
    !text[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-')
}

/// The run of such bytes that begins at `start`.
fn run(text: &str, start: usize, of: impl Fn(u8) -> bool) -> &str {
    let length = text.as_bytes().iter().skip(start).take_while(|byte| of(**byte)).count();
    text.get(start..start + length).unwrap_or_default()
}

/// The value after a `=` or `:` at `sign`, if a secret name stands before it.
fn named(text: &str, sign: usize) -> Option<Found> {
    let name = name_before(text, sign)?;
    if !is_secret_name(name) {
        return None;
    }
    let bytes = text.as_bytes();
    let mut at = sign + 1;
    if matches!(bytes.get(at), Some(b'=' | b'>')) && bytes.get(at) == Some(&b'>') {
        at += 1;
    }
    let blank = at;
    while bytes.get(at).is_some_and(|byte| matches!(byte, b' ' | b'\t')) && at < blank + 4 {
        at += 1;
    }
    let spaced = at > blank;
    let opening = at;
    while bytes.get(at) == Some(&b'\\') {
        at += 1;
    }
    let quote = bytes.get(at).copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    let kind = format!("field {name}");
    if let Some(quote) = quote {
        let start = at + 1;
        let end = closed(bytes, start, quote, at - opening);
        return value(text, start, end, &kind);
    }
    let start = opening;
    if let Some(end) = placeholder_at(text, start) {
        return Found::new(start..end, kind);
    }
    let squashed = name.to_ascii_lowercase();
    // These hold several words.
    let whole_line = bytes[sign] == b':' && ["authorization", "cookie"].iter().any(|part| squashed.ends_with(part));
    let rest = &text[start..];
    let ends = |c: char| {
        if whole_line {
            "\r\n\"'`\\".contains(c)
        } else {
            c.is_whitespace() || c.is_control() || "&,;\"'`<>(){}[]|\\".contains(c)
        }
    };
    let end = start + rest.find(ends).unwrap_or(rest.len());
    let told = text[start..end].trim_end().trim_end_matches(['.', '?', '!']);
    let prose = bytes[sign] == b':' && spaced && !whole_line && !tells_plainly(name);
    if prose && told.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    value(text, start, start + told.len(), &kind)
}

/// Where a quoted text ends: at the next quote of the same kind that has as many strokes before it.
fn closed(bytes: &[u8], start: usize, quote: u8, strokes: usize) -> usize {
    let mut at = start;
    while at < bytes.len() {
        if bytes[at] == quote {
            let before = bytes[start..at].iter().rev().take_while(|byte| **byte == b'\\').count();
            if before <= strokes {
                return at - before;
            }
        }
        at += 1;
    }
    bytes.len()
}

fn value(text: &str, start: usize, end: usize, kind: &str) -> Option<Found> {
    let told = text.get(start..end)?;
    let empty =
        ["null", "none", "true", "false", "undefined", "nil"].iter().any(|word| told.eq_ignore_ascii_case(word));
    // A comparison, or the beginning of something that is looked at by itself.
    if empty || told.starts_with('=') {
        return None;
    }
    // The scheme before a secret is none.
    let scheme = ["Bearer ", "Basic ", "Token "].iter().find(|own| {
        told.get(..own.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(own)) && told.len() > own.len()
    });
    Found::new(start + scheme.map_or(0, |own| own.len())..end, kind)
}

/// The name that ends just before `sign`, which quotes and blanks may follow.
fn name_before(text: &str, sign: usize) -> Option<&str> {
    let bytes = text.as_bytes();
    let mut end = sign;
    while end > 0 && matches!(bytes[end - 1], b' ' | b'"' | b'\'' | b'`' | b'\\' | b']') && sign - end < 6 {
        end -= 1;
    }
    let mut start = end;
    while start > 0
        && end - start < 64
        && (bytes[start - 1].is_ascii_alphanumeric() || b"_-.".contains(&bytes[start - 1]))
    {
        start -= 1;
    }
    (end - start >= 3).then(|| text.get(start..end)).flatten()
}

/// Secrets as options of a command: `--token abc`, `-u user:password`.
fn options(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    if !text.contains(" -") && !text.starts_with('-') {
        return found;
    }
    let mut from = 0;
    while let Some(at) = text[from..].find("-").map(|at| from + at) {
        let name = run(text, at, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
        from = at + name.len().max(1);
        let apart = at == 0 || text[..at].ends_with([' ', '\n', '\t']);
        if !apart || !text[from..].starts_with(' ') {
            continue;
        }
        let start = from + 1 + usize::from(text[from + 1..].starts_with(['"', '\'']));
        let rest = &text[start..];
        let end = start + rest.find(|c: char| c.is_whitespace() || "\"'".contains(c)).unwrap_or(rest.len());
        let told = placeholder_at(text, start).unwrap_or(end);
        if matches!(name, "-u" | "--user" | "--proxy-user") {
            found.extend(text[start..end].find(':').and_then(|colon| {
                let start = start + colon + 1;
                Found::new(start..placeholder_at(text, start).unwrap_or(end), "password in a command")
            }));
        } else if name.starts_with("--") && is_secret_name(name) && !text[start..].starts_with('-') {
            found.extend(Found::new(start..told, format!("field {}", name.trim_start_matches('-'))));
        }
    }
    found
}

/// Runs of base64 that hold a secret once they are undone.
fn coded(text: &str, depth: u8, knows: &dyn Fn(&str) -> bool) -> Vec<Found> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while bytes.len() - at >= SHORTEST_CODED {
        let word = run(text, at, |byte| byte.is_ascii_alphanumeric() || b"+/_-".contains(&byte));
        if word.len() >= SHORTEST_CODED {
            let padding = run(text, at + word.len(), |byte| byte == b'=').len();
            if is_coded_secret(word, depth, knows) {
                found.extend(Found::new(at..at + word.len() + padding, "base64 in a text"));
            } else if word.contains('/') {
                let mut start = at;
                for part in word.split('/') {
                    if part.len() >= SHORTEST_CODED && is_coded_secret(part, depth, knows) {
                        found.extend(Found::new(start..start + part.len(), "base64 in a text"));
                    }
                    start += part.len() + 1;
                }
            }
        }
        at += word.len() + 1;
        if at > bytes.len() {
            break;
        }
    }
    found
}

fn is_coded_secret(word: &str, depth: u8, knows: &dyn Fn(&str) -> bool) -> bool {
    undone(word).is_some_and(|inner| holds_secret(&inner, depth + 1, knows))
}

/// What base64 of either alphabet says, if it is text.
pub(super) fn undone(word: &str) -> Option<String> {
    let word = word.trim_end_matches('=');
    // Hexadecimal ids and plain words are no base64 of text.
    let mixed =
        word.bytes().any(|byte| byte.is_ascii_uppercase()) && word.bytes().any(|byte| byte.is_ascii_lowercase());
    if !mixed {
        return None;
    }
    let lenient = base64s::GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(base64::engine::DecodePaddingMode::Indifferent);
    let alphabet = if word.contains(['-', '_']) { base64::alphabet::URL_SAFE } else { base64::alphabet::STANDARD };
    let bytes = base64s::GeneralPurpose::new(&alphabet, lenient).decode(word).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    (!text.chars().any(|c| c.is_control() && !c.is_whitespace())).then_some(text)
}

/// Words with percent signs that hold a secret once they are undone.
fn percents(text: &str, depth: u8, knows: &dyn Fn(&str) -> bool) -> Vec<Found> {
    let inside = |byte: u8| byte > b' ' && !b"\"'`<>=&?;,\\".contains(&byte);
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let word = run(text, at, inside);
        if let Some(plain) = unpercented(word)
            && holds_secret(&plain, depth + 1, knows)
        {
            found.extend(Found::new(at..at + word.len(), "coded text"));
        }
        at += word.len() + 1;
    }
    found
}

/// A text without its percent signs; none if it has none that mean anything.
pub(super) fn unpercented(word: &str) -> Option<String> {
    if !word.contains('%') {
        return None;
    }
    let bytes = word.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                plain.push(u8::try_from(high * 16 + low).unwrap_or_default());
                at += 3;
            }
            (byte, ..) => {
                plain.push(if byte == b'+' { b' ' } else { byte });
                at += 1;
            }
        }
    }
    String::from_utf8(plain).ok().filter(|plain| plain != word)
}

/// True if a text holds a secret, as JSON or as text.
fn holds_secret(text: &str, depth: u8, knows: &dyn Fn(&str) -> bool) -> bool {
    if knows(text) {
        return true;
    }
    if text.trim_start().starts_with(['{', '[', '"'])
        && let Ok(masked) = super::json::masked(text, &mut super::Mask::default(), depth)
    {
        return masked.is_some();
    }
    !find(text, depth, knows).is_empty()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::{Mask, masked_text};

    fn told(text: &str) -> String {
        masked_text(text.to_owned(), &mut Mask::default())
    }

    #[rstest]
    #[case("a=b&access_token=x%2Fy&c=d", "a=b&access_token=[masked 1]&c=d")]
    #[case("user=ann&password=horse", "user=ann&password=[masked 1]")]
    #[case("> Authorization: Bearer sk_a9", "> Authorization: Bearer [masked 1]")]
    #[case("Cookie: a=1; b=2\nAccept: x", "Cookie: [masked 1]\nAccept: x")]
    #[case("we use api_key=plum, he said", "we use api_key=[masked 1], he said")]
    #[case("the password is: x. password: horse.", "the password is: x. password: [masked 1].")]
    #[case("{'client_secret': 'a b', \"n\": 1", "{'client_secret': '[masked 1]', \"n\": 1")]
    #[case("{\\\"apiKey\\\": \\\"a b\\\", cut", "{\\\"apiKey\\\": \\\"[masked 1]\\\", cut")]
    #[case("'secret' => 'plum'", "'secret' => '[masked 1]'")]
    #[case("sent bearer abc123def today", "sent bearer [masked 1] today")]
    #[case("Basic YW5uOnBsdW0=", "Basic [masked 1]")]
    #[case("at https://ann:plum@host.example/x", "at https://ann:[masked 1]@host.example/x")]
    #[case("curl -u ann:plum --token fig -X POST", "curl -u ann:[masked 1] --token [masked 2] -X POST")]
    #[case("key sk_live_0123456789ab, whsec_MfKQ9r8G", "key [masked 1], [masked 2]")]
    #[case("see eyJhbGciOi.eyJzdWIi.abc_-9.", "see [masked 1].")]
    #[case("payload=%7B%22password%22%3A%22plum%22%7D&x=1", "payload=[masked 1]&x=1")]
    #[case("x eyJwYXNzd29yZCI6InBsdW0ifQ== y", "x [masked 1] y")]
    #[case("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nx", "[masked 1]\nx")]
    #[case("stands [masked 4] here", "stands [masked 4] here")]
    fn secrets_in_text_are_told(#[case] text: &str, #[case] masked: &str) {
        assert_eq!(told(text), masked);
        assert_eq!(told(masked), masked, "masking twice is masking once");
    }

    #[rstest]
    #[case("The token is wrong. token: expired, signature: missing")]
    #[case("Bearer authentication, basic training, keyboard = fun")]
    #[case("if (token == null) password: null")]
    #[case("Idempotency-Key: sk-job-1 and key=k-9a")]
    #[case("https://host.example/v1/posts/65f1c0ffee65f1c0ffee65f1?limit=10&page=2")]
    #[case("2026-03-02T10:00:00.250Z 5b0e4f2a-7c1d-4e9a-8f3b-2d6c1a9e0f41 dGhlIHNlYSBpcyBjYWxtIHRvbmlnaHQ=")]
    #[case("100% of 50%25 at 9:30, a=b:c")]
    #[case("")]
    fn other_text_stays(#[case] text: &str) {
        assert_eq!(told(text), text);
    }
}

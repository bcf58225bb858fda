//! Would the last message check out under other signature settings? Tried over the stored bytes, so that a person sees
//! the answer while they choose (T7). Pure.

use super::verify::{Verified, decode, verify};
use crate::{
    pozy::contract::{Encoding, Signature},
    secrets::Secret,
};

/// What trying gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The signature fits.
    Fits,
    /// No secret is kept to check with.
    NoSecret,
    /// The message has no header of that name.
    NoHeader,
    /// What the header holds is not written in that way.
    NotWritten,
    /// It is written so and belongs to other bytes or another secret.
    OtherBytes,
}

impl Found {
    /// The word on the wire.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Fits => "fits",
            Self::NoSecret => "no_secret",
            Self::NoHeader => "no_header",
            Self::NotWritten => "not_written",
            Self::OtherBytes => "other_bytes",
        }
    }
}

/// Prefixes that are in use; tried besides the one that is set.
const PREFIXES: [&str; 3] = ["sha256=", "v1=", ""];

/// Tries `how` on a message.
#[must_use]
pub fn trial(how: &Signature, secrets: &[Secret], headers: &[(String, String)], body: &[u8]) -> Found {
    let pairs = headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    match verify(how, secrets, pairs, body) {
        Verified::Valid => Found::Fits,
        Verified::Unchecked => Found::NoSecret,
        Verified::Missing => Found::NoHeader,
        Verified::Invalid => {
            let mut own = headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case(&how.header));
            // An HMAC-SHA256 has 32 bytes, however it is written.
            let written = own.any(|(_, value)| decode(how, value.trim()).is_some_and(|bytes| bytes.len() == 32));
            if written { Found::OtherBytes } else { Found::NotWritten }
        }
    }
}

/// Settings under which the message checks out, if any do: every header that may hold a signature, both spellings, the
/// usual prefixes.
#[must_use]
pub fn suggestion(how: &Signature, secrets: &[Secret], headers: &[(String, String)], body: &[u8]) -> Option<Signature> {
    let prefixes: Vec<&str> = std::iter::once(how.prefix.as_str()).chain(PREFIXES).collect();
    let spellings = [Encoding::Hex, Encoding::Base64];
    let mut ways =
        headers.iter().filter(|(_, value)| (43..=128).contains(&value.trim().len())).flat_map(|(name, _)| {
            spellings.into_iter().flat_map({
                let prefixes = prefixes.clone();
                move |encoding| {
                    let ways = prefixes.clone().into_iter();
                    ways.map(move |prefix| Signature { header: name.clone(), encoding, prefix: prefix.to_owned() })
                }
            })
        });
    ways.find(|way| trial(way, secrets, headers, body) == Found::Fits)
}

/// Names of the headers that look like signatures.
#[must_use]
pub fn alike(headers: &[(String, String)]) -> Vec<String> {
    let looks =
        |name: &str| ["signature", "hmac", "digest"].iter().any(|part| name.to_ascii_lowercase().contains(part));
    headers.iter().filter(|(name, _)| looks(name)).map(|(name, _)| name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = b"Hello, World!";
    const HEX: &str = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

    fn how(header: &str, encoding: Encoding, prefix: &str) -> Signature {
        Signature { header: header.into(), encoding, prefix: prefix.into() }
    }

    fn secrets() -> Vec<Secret> {
        Secret::new("It's a Secret to Everybody").into_iter().collect()
    }

    #[test]
    fn each_answer_is_told_from_the_others() {
        let set = how("X-Sig", Encoding::Hex, "sha256=");
        let with = |value: &str| vec![("x-sig".to_owned(), value.to_owned())];
        let good = format!("sha256={HEX}");
        assert_eq!(trial(&set, &secrets(), &with(&good), BODY), Found::Fits);
        assert_eq!(trial(&set, &secrets(), &with(&good), b"other"), Found::OtherBytes);
        assert_eq!(trial(&set, &secrets(), &with("v1=zz"), BODY), Found::NotWritten);
        assert_eq!(trial(&set, &secrets(), &[], BODY), Found::NoHeader);
        assert_eq!(trial(&set, &[], &with(&good), BODY), Found::NoSecret);
    }

    #[test]
    fn what_would_fit_is_found_and_nothing_else() {
        let set = how("X-Sig", Encoding::Base64, "");
        let headers = vec![("host".to_owned(), "x".to_owned()), ("X-Other-Signature".to_owned(), format!("v1={HEX}"))];
        assert_eq!(suggestion(&set, &secrets(), &headers, BODY), Some(how("X-Other-Signature", Encoding::Hex, "v1=")));
        assert_eq!(suggestion(&set, &secrets(), &headers, b"other"), None);
        assert_eq!(alike(&headers), ["X-Other-Signature"]);
    }
}

//! Whether a request really comes from Pozy: the HMAC-SHA256 over the raw bytes, checked before anything is parsed and
//! in constant time (design 3.2). Pure.

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use hmac::{Hmac, Mac as _};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use subtle::{Choice, ConstantTimeEq as _};

use crate::{
    pozy::contract::{Encoding, Signature},
    secrets::Secret,
};

/// What verifying gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verified {
    /// The signature fits the body and one of the secrets.
    Valid,
    /// It does not: quarantined.
    Invalid,
    /// There was none although a secret is set: quarantined.
    Missing,
    /// There is no secret to check with.
    Unchecked,
}

impl Verified {
    /// The word in tables, JSON and exports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Invalid => "invalid",
            Self::Missing => "missing",
            Self::Unchecked => "unchecked",
        }
    }

    /// True if the arrival is set aside: it moves no state and takes no event id, so that a forger burns no id.
    #[must_use]
    pub const fn is_bad(self) -> bool {
        matches!(self, Self::Invalid | Self::Missing)
    }
}

/// Verifies `body`. Two secrets may be valid at once while one replaces the other; every secret is tried whatever the
/// first one gave. A header that came twice is good if one of its values is.
pub fn verify<'a>(
    how: &Signature,
    secrets: &[Secret],
    headers: impl IntoIterator<Item = (&'a str, &'a str)>,
    body: &[u8],
) -> Verified {
    if secrets.is_empty() {
        return Verified::Unchecked;
    }
    let mut given = Verified::Missing;
    let mut good = Choice::from(0);
    for (name, value) in headers {
        if !name.eq_ignore_ascii_case(&how.header) || value.trim().is_empty() {
            continue;
        }
        given = Verified::Invalid;
        let Some(claimed) = decode(how, value.trim()) else { continue };
        for secret in secrets {
            good |= sign(secret, body).as_slice().ct_eq(&claimed);
        }
    }
    if bool::from(good) { Verified::Valid } else { given }
}

/// The HMAC-SHA256 of `body`.
fn sign(secret: &Secret, body: &[u8]) -> [u8; 32] {
    // HMAC takes keys of any length, so this error cannot come; no bytes match the empty claim it would leave.
    match Hmac::<Sha256>::new_from_slice(secret.reveal().as_bytes()) {
        Ok(mut mac) => {
            mac.update(body);
            mac.finalize().into_bytes().into()
        }
        Err(_) => [0; 32],
    }
}

/// The bytes of a written signature; the prefix may be there or not.
pub(super) fn decode(how: &Signature, text: &str) -> Option<Vec<u8>> {
    let text = text.strip_prefix(how.prefix.as_str()).unwrap_or(text);
    match how.encoding {
        Encoding::Hex => unhex(text),
        Encoding::Base64 => BASE64.decode(text).ok(),
    }
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|digit| digit.to_digit(16).and_then(|value| u8::try_from(value).ok())).collect();
    let digits = digits?;
    (digits.len() % 2 == 0).then(|| digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const BODY: &str = r#"{"id":"evt_demo_0001","event":"post.published","timestamp":"2026-11-05T09:00:06.120Z","post":{"id":"aaaaaaaaaaaaaaaaaaaa0001","status":"published"}}"#;
    const HEX: &str = "5275fc2d4936439c9e3a1dfc58ac9452e6fdaf7c8936f5218445a572f390ce91";
    const B64: &str = "UnX8LUk2Q5yeOh38WKyUUub9r3yJNvUhhEWlcvOQzpE=";

    fn check(how: &Signature, secrets: &[&str], value: Option<&str>, body: &str) -> Verified {
        let secrets: Vec<_> = secrets.iter().filter_map(|text| Secret::new(text)).collect();
        verify(how, &secrets, value.map(|value| ("x-pozy-SIGNATURE", value)), body.as_bytes())
    }

    fn how(encoding: Encoding, prefix: &str) -> Signature {
        Signature { header: "X-Pozy-Signature".into(), encoding, prefix: prefix.into() }
    }

    #[rstest]
    #[case(Encoding::Hex, "", HEX)]
    #[case(Encoding::Hex, "sha256=", HEX)]
    #[case(Encoding::Hex, "sha256=", &format!("sha256={HEX}"))]
    #[case(Encoding::Hex, "", &HEX.to_uppercase())]
    #[case(Encoding::Base64, "", B64)]
    fn the_demo_body_verifies(#[case] encoding: Encoding, #[case] prefix: &str, #[case] value: &str) {
        let how = how(encoding, prefix);
        assert_eq!(check(&how, &["demo-secret-1"], Some(value), BODY), Verified::Valid);
        assert_eq!(check(&how, &["new", "demo-secret-1"], Some(value), BODY), Verified::Valid, "two secrets at once");
        assert_eq!(check(&how, &["demo-secret-2"], Some(value), BODY), Verified::Invalid);
        assert_eq!(check(&how, &["demo-secret-1"], Some(value), &BODY.replace(',', ", ")), Verified::Invalid);
    }

    #[test]
    fn a_published_vector_with_a_prefix_verifies() {
        let value = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        let how = how(Encoding::Hex, "sha256=");
        assert_eq!(check(&how, &["It's a Secret to Everybody"], Some(value), "Hello, World!"), Verified::Valid);
    }

    #[rstest]
    #[case("00")]
    #[case("zz")]
    #[case("é")]
    #[case("sha256=")]
    #[case(&HEX[1..])]
    fn what_is_no_signature_is_invalid(#[case] value: &str) {
        assert_eq!(
            check(&how(Encoding::Hex, "sha256="), &["demo-secret-1"], Some(value), BODY),
            Verified::Invalid,
            "{value}"
        );
    }

    #[test]
    fn none_given_is_missing_and_none_set_is_unchecked() {
        let how = how(Encoding::Hex, "");
        assert_eq!(check(&how, &["demo-secret-1"], None, BODY), Verified::Missing);
        assert_eq!(check(&how, &["demo-secret-1"], Some(" "), BODY), Verified::Missing);
        assert_eq!(check(&how, &[], Some("00"), BODY), Verified::Unchecked);
    }
}

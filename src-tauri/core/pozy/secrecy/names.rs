//! Which names stand for a secret, and which for evidence that is shown whatever it holds. Pure.

/// Names that are secret as a whole.
const WHOLE: [&str; 8] = ["cookie", "cookies", "setcookie", "setcookie2", "pass", "bearer", "sig", "hmac"];
/// Parts that make any name secret.
const PARTS: [&str; 20] = [
    "token",
    "secret",
    "signature",
    "authorization",
    "apikey",
    "privatekey",
    "accesskey",
    "authkey",
    "signingkey",
    "encryptionkey",
    "masterkey",
    "sharedkey",
    "sessionkey",
    "sessionid",
    "sessid",
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "credential",
];
/// Words that make a name secret where they stand apart: `userPwd`, `otp_code`, `x-jwt`.
const WORDS: [&str; 7] = ["pwd", "jwt", "otp", "totp", "csrf", "xsrf", "hmac"];
/// Parts that stand for a secret even before plain words: `password: horse` tells one, `token: gone` may not.
const PLAIN: [&str; 6] = ["passw", "passphrase", "passcode", "apikey", "pwd", "privatekey"];
/// What posts and events are told by, and what was published: never masked, since it proves something and is public.
const EVIDENCE: [&str; 11] = [
    "content",
    "customcontent",
    "text",
    "id",
    "event",
    "timestamp",
    "status",
    "platform",
    "idempotencykey",
    "job",
    "resource",
];
/// Headers that carry ids, times and the form of a body, and nothing else.
const OPEN_HEADERS: [&str; 18] = [
    "accept",
    "accept-encoding",
    "accept-language",
    "cache-control",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "date",
    "etag",
    "host",
    "idempotency-key",
    "retry-after",
    "server",
    "transfer-encoding",
    "user-agent",
    "vary",
    "x-request-id",
];
/// A longer name is no name.
const LONGEST: usize = 128;

/// True if a header, field or parameter of this name holds a secret; case, `_` and `-` make no difference.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    let mut buffer = [0; LONGEST];
    let Some(plain) = squashed(name, &mut buffer) else { return false };
    WHOLE.contains(&plain)
        || PARTS.iter().any(|part| plain.contains(part))
        || (WORDS.iter().any(|word| plain.contains(word)) && words(name).any(is_word))
}

/// True if even a plain word after this name is taken for the secret.
pub(super) fn tells_plainly(name: &str) -> bool {
    let mut buffer = [0; LONGEST];
    squashed(name, &mut buffer).is_some_and(|plain| PLAIN.iter().any(|part| plain.contains(part)))
}

/// True if a field of this name is evidence: an id, a time, a state, or the words that were published.
pub(super) fn is_evidence(name: &str) -> bool {
    let mut buffer = [0; LONGEST];
    let id =
        |plain: &str| plain.ends_with("id") && (name.ends_with("Id") || name.ends_with("ID") || name.contains('_'));
    squashed(name, &mut buffer).is_some_and(|plain| EVIDENCE.contains(&plain) || id(plain))
}

/// True if a header of this name tells ids, times and forms only.
pub(super) fn is_open_header(name: &str) -> bool {
    OPEN_HEADERS.iter().any(|open| name.eq_ignore_ascii_case(open))
        || name.get(name.len().saturating_sub(9)..).is_some_and(|end| end.eq_ignore_ascii_case("-event-id"))
}

/// The letters and digits of a name in lower case; none if it is too long to be one or has other letters.
fn squashed<'a>(name: &str, buffer: &'a mut [u8; LONGEST]) -> Option<&'a str> {
    if name.len() > LONGEST {
        return None;
    }
    let mut length = 0;
    for byte in name.bytes().filter(u8::is_ascii_alphanumeric) {
        buffer[length] = byte.to_ascii_lowercase();
        length += 1;
    }
    std::str::from_utf8(&buffer[..length]).ok()
}

/// The words of a name: parted by signs, and where a capital follows a small letter.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_ascii_alphanumeric()).flat_map(|part| {
        let mut cuts = vec![0];
        let bytes = part.as_bytes();
        cuts.extend(
            (1..bytes.len()).filter(|at| bytes[*at].is_ascii_uppercase() && bytes[at - 1].is_ascii_lowercase()),
        );
        cuts.push(part.len());
        cuts.windows(2).map(|pair| &part[pair[0]..pair[1]]).collect::<Vec<_>>()
    })
}

fn is_word(own: &str) -> bool {
    let own = own.trim_end_matches(|c: char| c.is_ascii_digit());
    WORDS.iter().any(|word| own.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_in_any_spelling() {
        for name in [
            "Authorization",
            "Proxy-Authorization",
            "SET-COOKIE",
            "api_key",
            "apiKey",
            "x-n8n-api-key",
            "X-Pozy-Signature",
            "accessToken",
            "next_page_token",
            "client_secret",
            "password",
            "db_passwd",
            "userPwd",
            "PWD",
            "private_key",
            "AWS_ACCESS_KEY",
            "session_id",
            "PHPSESSID",
            "id_jwt",
            "otpCode",
            "otp2",
            "credentials",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn names_of_evidence_are_not_among_them() {
        for name in [
            "content-type",
            "Idempotency-Key",
            "idempotencyKey",
            "key",
            "x-request-id",
            "author",
            "content",
            "postId",
            "_id",
            "accountId",
            "existingPostId",
            "session",
            "hotpot",
            "Passenger",
            "public_key",
            "keyword",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
        for name in ["_id", "id", "postId", "account_id", "content", "status"] {
            assert!(is_evidence(name), "{name}");
        }
        assert!(!is_evidence("paid") && !is_evidence("note"));
        assert!(is_open_header("X-Pozy-Event-Id") && is_open_header("Idempotency-key") && !is_open_header("x-relay"));
    }
}

//! The signature on a delivery: lower-case hex HMAC-SHA256 over the raw body (`pozy.md` section 4.1, assumed).

use ring::hmac;

use crate::chance::hex;

/// Lower-case hex HMAC-SHA256 of `body`, keyed with the secret's UTF-8 bytes. Nothing else is signed.
pub fn signature(secret: &str, body: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    hex(hmac::sign(&key, body).as_ref())
}

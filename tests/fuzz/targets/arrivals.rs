//! What a receiver reads of a request: its signature and its body.

use std::collections::BTreeSet;

use reprise_core::{
    clock::Moment,
    inbound::verify::{Verified, verify},
    pozy::{
        contract::{Encoding, Signature},
        envelope::{self, Nature, TEXT_MAX},
    },
    secrets::Secret,
};
use serde_json::Value;

use super::{CONTRACTS, split_at};

/// A body is read the same however it is surrounded by blanks, and what is read of it can be told apart, shown and
/// placed: a usable id, each lane once, no news from a test.
pub(super) fn envelope(bytes: &[u8]) {
    for contract in CONTRACTS.iter() {
        let read = envelope::read(bytes, contract);
        let spaced = [b" \n", bytes, b"\r\n\t"].concat();
        let mut again = envelope::read(&spaced, contract);
        // Where a field that is not read is broken, only the very bytes are a twin.
        if let (Ok(read), Ok(again)) = (&read, &mut again)
            && serde_json::from_slice::<Value>(bytes).is_err()
        {
            again.twin = read.twin;
        }
        assert_eq!(read, again, "blanks around a body mean nothing");
        let Ok(read) = read else { continue };
        let id = read.event.as_str();
        assert!(!id.trim().is_empty() && id.len() <= 512 && !id.chars().any(char::is_control), "{id:?}");
        if let Ok(body) = serde_json::from_slice::<Value>(bytes) {
            assert_eq!(body["id"], id, "another reader takes the same id");
            assert_eq!(body["event"].as_str().unwrap_or_default(), read.name, "and the same name");
            assert!(body.get("test").is_none() || read.nature != Nature::Real, "a test is never real");
            if body.get("test") == Some(&Value::Bool(true)) {
                assert_eq!(read.nature, Nature::Test);
            }
        }
        let lanes: BTreeSet<_> = read.news.iter().map(|news| news.lane.clone()).collect();
        assert_eq!(lanes.len(), read.news.len(), "a lane stands once");
        assert!(read.nature != Nature::Test || read.news.is_empty(), "tests move nothing");
        assert!(read.known || read.news.is_empty(), "unknown names move nothing");
        assert!(read.text.is_none_or(|text| text.chars().count() <= TEXT_MAX));
        if let Some(happened) = read.happened {
            assert_eq!(Moment::parse(&happened.to_string()), Some(happened), "its time can be written down");
        }
    }
}

const SECRET: &str = "millstone-and-sluice-5";

/// Of header and body a signature is valid exactly if it is the one that another implementation gives; a body that
/// was changed by one bit is never valid. A `*` in the header stands for the right signature.
pub(super) fn signature(bytes: &[u8]) {
    let (header, body) = split_at(bytes, b'\n');
    let hex = pozy_sandbox::signature(SECRET, body);
    let header = String::from_utf8_lossy(header).replacen('*', &hex, 1);
    let secrets = [Secret::new("another").unwrap(), Secret::new(SECRET).unwrap()];
    for (encoding, prefix) in
        [(Encoding::Hex, ""), (Encoding::Hex, "sha256="), (Encoding::Base64, ""), (Encoding::Base64, "sha256=")]
    {
        let how = Signature { header: "X-Pozy-Signature".into(), encoding, prefix: prefix.into() };
        let given =
            |value: &str, body: &[u8]| verify(&how, &secrets, [("x-other", "1"), ("x-pozy-signature", value)], body);
        let right = match encoding {
            Encoding::Hex => hex.clone(),
            Encoding::Base64 => base64_of(&hex),
        };
        let bare = header.trim().strip_prefix(prefix).unwrap_or(header.trim());
        let is_right = match encoding {
            Encoding::Hex => bare.eq_ignore_ascii_case(&right),
            Encoding::Base64 => bare == right,
        };
        let wanted = match (header.trim().is_empty(), is_right) {
            (true, _) => Verified::Missing,
            (false, true) => Verified::Valid,
            (false, false) => Verified::Invalid,
        };
        assert_eq!(given(&header, body), wanted, "{header:?} where {right} is right");
        assert_eq!(given(&format!(" {prefix}{right} "), body), Verified::Valid);
        let mut bent = body.to_vec();
        match bent.get_mut(header.len() % body.len().max(1)) {
            Some(byte) => *byte ^= 1 << (header.len() % 8),
            None => bent.push(0),
        }
        assert_eq!(given(&right, &bent), Verified::Invalid, "another body");
    }
}

/// Base64 of what stands in hexadecimal, written without the crate that the core decodes with.
fn base64_of(hex: &str) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits: Vec<u32> =
        hex.chars().flat_map(|digit| (0..4).rev().map(move |at| digit.to_digit(16).unwrap() >> at & 1)).collect();
    let six = |bits: &[u32]| bits.iter().chain([&0; 6]).take(6).fold(0, |sum, bit| sum * 2 + bit);
    let mut text: String = bits.chunks(6).map(|bits| char::from(SIGNS[six(bits) as usize])).collect();
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}

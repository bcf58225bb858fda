//! What leaves: masked text, and commands for a shell.

use reprise_core::{
    pozy::{
        curl::{self, Address, Seen},
        secrecy::{self, Mask, Own},
    },
    secrets::{Secret, net::Net},
};

use super::{OWN_SECRET, split_at};

/// The own secret stands in no way out, and what is masked stays as it is.
pub(super) fn secrecy(bytes: &[u8]) {
    let mut own = Own::default();
    own.add(&Secret::new(OWN_SECRET).unwrap());
    let net = Net::default();
    net.learn(&own);
    let text = String::from_utf8_lossy(bytes).into_owned();
    let words = net.words(&text);
    assert!(!words.contains(OWN_SECRET), "{words}");
    assert!(!net.line(&text).contains(OWN_SECRET));
    let once = secrecy::masked_text(text.clone(), &mut Mask::default());
    // What a secret kept apart may look like another one without it, but that comes to an end.
    let twice = secrecy::masked_text(once.clone(), &mut Mask::default());
    assert_eq!(secrecy::masked_text(twice.clone(), &mut Mask::default()), twice, "masked twice is masked");
    let url = |text: &str| secrecy::mask_url(text, &mut Mask::knowing(&own));
    let once_more = url(&url(&text));
    assert!(!url(&text).contains(OWN_SECRET));
    assert_eq!(url(&once_more), once_more, "an address masked twice is masked");
    if let Some(masked) = secrecy::masked_bytes(bytes, &mut Mask::knowing(&own)) {
        assert!(!String::from_utf8_lossy(&masked).contains(OWN_SECRET));
    }
    let whole: String = secrecy::pieces(&once)
        .into_iter()
        .map(|piece| match piece {
            secrecy::Piece::Text(text) | secrecy::Piece::Masked(text) => text,
        })
        .collect();
    assert_eq!(whole, once, "pieces put together are the text");
    // A text of JSON that holds a secret loses the spelling of its escapes.
    if !text.contains('\\') {
        assert!(secrecy::fits(&once, &text), "a masked text fits what it was made of");
    }
    let (name, value) = split_at(bytes, b':');
    let (name, value) = (String::from_utf8_lossy(name), String::from_utf8_lossy(value));
    if secrecy::is_secret_name(&name) && !value.is_empty() {
        let masked = secrecy::masked_header(&name, &value, &mut Mask::default());
        assert!(masked.is_some_and(|masked| secrecy::is_masked(&masked)), "{name}");
    }
}

/// A shell reads back exactly what was seen where nothing is secret, and the own secret never stands in the command.
/// Lines: method, address, headers, an empty line, the body.
pub(super) fn curl_command(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).replace('\0', "");
    let (head, body) = text.split_once("\n\n").map_or((text.as_str(), None), |(head, body)| (head, Some(body)));
    let mut lines = head.split('\n');
    let method = lines.next().unwrap_or_default();
    let address = lines.next().unwrap_or_default();
    let headers: Vec<(String, String)> = lines
        .map(|line| line.split_once(':').unwrap_or((line, "")))
        .filter(|(name, _)| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .chain([("Authorization".to_owned(), format!("Bearer {OWN_SECRET}"))])
        .collect();
    let seen = Seen { method, address: Address::Url(address), headers: &headers, body };
    let command = curl::command(&seen, &[("authorization", "POZY_API_KEY")]);
    // Words of a post stay as they are but for the person's own secrets, which the last net knows.
    assert!(text.contains(OWN_SECRET) || !command.text.contains(OWN_SECRET), "{}", command.text);
    let mut own = Own::default();
    own.add(&Secret::new(OWN_SECRET).unwrap());
    let net = Net::default();
    net.learn(&own);
    assert!(!net.line(&command.text).contains(OWN_SECRET), "{}", command.text);
    let words = shlex::split(&command.text).unwrap_or_else(|| panic!("no shell reads {}", command.text));
    assert_eq!(words[..5], ["curl", "-sS", "-i", "-X", words[4].as_str()]);
    let known =
        |word: &String| command.variables.iter().any(|name| *word == format!("Authorization: Bearer ${{{name}:?}}"));
    assert!(words.iter().any(known), "the key is a variable: {}", command.text);
    if command.text.matches("${").count() == 1 {
        assert_eq!(words[4], method);
        assert!(words.iter().any(|word| word == address), "{address:?} stands in {}", command.text);
        assert!(body.is_none() || words.last().map(String::as_str) == body, "{body:?} stands in {}", command.text);
        for name in &command.variables {
            assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'), "{name}");
        }
    }
}

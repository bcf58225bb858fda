//! A request as a `curl` command for a POSIX shell. Secrets are left out: each stands as a shell variable that must be
//! set, so a command that is pasted as it is sends nothing and says what is missing. All else is quoted so that the
//! shell hands it on byte by byte.

use std::collections::BTreeMap;

use super::secrecy::{self, Mask, Piece};

/// A request that was made or that reached us.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// HTTP method.
    pub method: &'a str,
    /// Where it goes.
    pub address: Address<'a>,
    /// Headers in their order, secrets and all.
    pub headers: &'a [(String, String)],
    /// Its body, if it is known and is text.
    pub body: Option<&'a str>,
}

/// Where a request goes.
#[derive(Clone, Copy, Debug)]
pub enum Address<'a> {
    /// A whole URL.
    Url(&'a str),
    /// A path under a base that is not known: a variable of this name stands for it.
    Under(&'a str, &'a str),
}

/// The command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Text for a shell, lines joined by backslashes.
    pub text: String,
    /// Variables that have to be set before, in the order they are met.
    pub variables: Vec<String>,
}

/// Headers that belong to one connection, or that curl writes itself.
const OWN: [&str; 10] = [
    "host",
    "content-length",
    "connection",
    "transfer-encoding",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "upgrade",
    "expect",
];
/// Schemes in front of a secret in `Authorization`; they are no secret.
const SCHEMES: [&str; 3] = ["Bearer ", "Basic ", "Token "];

/// The command that makes the request once more. `names` gives the variable of a secret header, by its name in lower
/// case; any other is called after its header.
#[must_use]
pub fn command(seen: &Seen<'_>, names: &[(&str, &str)]) -> Command {
    secrecy::twice(Mask::default(), |mask| written(seen, names, mask))
}

fn written(seen: &Seen<'_>, names: &[(&str, &str)], mask: &mut Mask) -> Command {
    let mut writing = Writing { names, mask, called: BTreeMap::new(), variables: Vec::new() };
    let (base, place) = match seen.address {
        Address::Url(url) => (String::new(), url),
        Address::Under(base, path) => (writing.variable(base), path),
    };
    let method = secrecy::masked_text(seen.method.to_owned(), writing.mask);
    let mut parts = vec![format!("curl -sS -i -X {}", writing.quoted(&method))];
    // Brackets and braces in an address are no pattern here.
    if place.contains(['[', ']', '{', '}']) {
        parts.push("--globoff".to_owned());
    }
    let masked = secrecy::mask_url(place, writing.mask);
    parts.push(format!("{base}{}", writing.quoted(&masked)));
    let kept = seen.headers.iter().filter(|(name, _)| !OWN.iter().any(|own| name.eq_ignore_ascii_case(own)));
    for (name, value) in kept {
        let line = writing.header(name, value);
        parts.push(format!("-H {line}"));
    }
    if let Some(body) = seen.body {
        if !seen.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
            // curl would call it a form.
            parts.push("-H 'Content-Type:'".to_owned());
        }
        let masked = secrecy::masked_text(body.to_owned(), writing.mask);
        let body = writing.quoted(&masked);
        parts.push(format!("--data-raw {body}"));
    }
    Command { text: parts.join(" \\\n  "), variables: writing.variables }
}

struct Writing<'a> {
    names: &'a [(&'a str, &'a str)],
    mask: &'a mut Mask,
    /// Variable of each placeholder.
    called: BTreeMap<String, String>,
    variables: Vec<String>,
}

impl Writing<'_> {
    fn header(&mut self, name: &str, value: &str) -> String {
        if value.is_empty() {
            // With a colon curl would leave the header out.
            return self.quoted(&format!("{name};"));
        }
        if !secrecy::is_secret_name(name) {
            let masked = secrecy::masked_header(name, value, self.mask);
            return self.quoted(&format!("{name}: {}", masked.as_deref().unwrap_or(value)));
        }
        let scheme = SCHEMES.iter().find(|scheme| value.starts_with(**scheme)).copied().unwrap_or_default();
        let place = self.mask.cover(&format!("header {}", name.to_ascii_lowercase()), &value[scheme.len()..]);
        let lower = name.to_ascii_lowercase();
        let known = self.names.iter().find(|(header, _)| *header == lower).map(|(_, name)| (*name).to_owned());
        self.called.entry(place.clone()).or_insert_with(|| known.unwrap_or_else(|| variable_name(name)));
        self.quoted(&format!("{name}: {scheme}{place}"))
    }

    /// A word of the shell that stands for exactly this text, its placeholders as variables.
    fn quoted(&mut self, text: &str) -> String {
        let mut word = String::new();
        for piece in secrecy::pieces(text) {
            match piece {
                Piece::Text(text) => word.push_str(&single(text)),
                Piece::Masked(place) => {
                    let fallback = || format!("SECRET_{}", place.replace(|c: char| !c.is_ascii_alphanumeric(), ""));
                    let name = self.called.entry(place.to_owned()).or_insert_with(fallback).clone();
                    word.push_str(&self.variable(&name));
                }
            }
        }
        if word.is_empty() { "''".to_owned() } else { word }
    }

    /// The variable as a word; a shell stops where it is not set.
    fn variable(&mut self, name: &str) -> String {
        if !self.variables.iter().any(|known| known == name) {
            self.variables.push(name.to_owned());
        }
        format!("\"${{{name}:?}}\"")
    }
}

/// Within single quotes a shell takes everything as it is but the quote itself.
fn single(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// `X_POZY_SIGNATURE` for `X-Pozy-Signature`.
fn variable_name(header: &str) -> String {
    let name: String =
        header.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use std::process::Command as Process;

    use proptest::prelude::*;

    use super::*;

    /// What a shell hands to curl, word by word, with every variable set to its own name in angle brackets.
    fn words(command: &Command) -> Vec<String> {
        let script = format!("curl() {{ for word; do printf '%s\\0' \"$word\"; done; }}\n{}", command.text);
        let set = command.variables.iter().map(|name| (name, format!("<{name}>")));
        let told = Process::new("sh").arg("-c").arg(script).envs(set).output().unwrap();
        assert!(told.status.success(), "{}\n{}", command.text, String::from_utf8_lossy(&told.stderr));
        let text = String::from_utf8(told.stdout).unwrap();
        text.split_terminator('\0').map(str::to_owned).collect()
    }

    fn headers(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn an_attempt_keeps_its_key_and_leaves_its_secrets_out() {
        let headers = headers(&[
            ("Authorization", "Bearer sk_plum"),
            ("Content-Type", "application/json"),
            ("Idempotency-Key", "k 1'2"),
            ("Content-Length", "9"),
        ]);
        let body = r#"{"content":"It's $HOME `id` \"now\"","access_token":"tok_fig"}"#;
        let seen = Seen {
            method: "POST",
            address: Address::Under("POZY_URL", "/v1/posts"),
            headers: &headers,
            body: Some(body),
        };
        let command = command(&seen, &[("authorization", "POZY_API_KEY")]);
        assert!(!command.text.contains("sk_plum") && !command.text.contains("tok_fig"), "{}", command.text);
        assert_eq!(command.variables[..2], ["POZY_URL", "POZY_API_KEY"]);
        let secret = &command.variables[2];
        let body = format!(r#"{{"access_token":"<{secret}>","content":"It's $HOME `id` \"now\""}}"#);
        let told = words(&command);
        assert_eq!(
            told[..told.len() - 1],
            [
                "-sS",
                "-i",
                "-X",
                "POST",
                "<POZY_URL>/v1/posts",
                "-H",
                "Authorization: Bearer <POZY_API_KEY>",
                "-H",
                "Content-Type: application/json",
                "-H",
                "Idempotency-Key: k 1'2",
                "--data-raw"
            ]
        );
        let (told, body): (serde_json::Value, serde_json::Value) =
            (serde_json::from_str(told.last().unwrap()).unwrap(), serde_json::from_str(&body).unwrap());
        assert_eq!(told, body);
    }

    #[test]
    fn a_command_that_is_pasted_as_it_is_runs_nothing() {
        let headers = headers(&[("X-Pozy-Signature", "sha256=00")]);
        let seen =
            Seen { method: "POST", address: Address::Url("http://127.0.0.1:1/h"), headers: &headers, body: Some("{}") };
        let command = command(&seen, &[]);
        assert_eq!(command.variables, ["X_POZY_SIGNATURE"]);
        let script = format!("curl() {{ echo ran; }}\n{}", command.text);
        let told = Process::new("sh").arg("-c").arg(script).env_remove("X_POZY_SIGNATURE").output().unwrap();
        assert!(!told.status.success() && told.stdout.is_empty());
        assert!(String::from_utf8_lossy(&told.stderr).contains("X_POZY_SIGNATURE"));
    }

    #[test]
    fn parameters_of_an_address_and_empty_headers_are_handed_on() {
        let headers = headers(&[("X-Empty", "")]);
        let url = "https://a.example/h?x={1}&token=abc";
        let seen = Seen { method: "POST", address: Address::Url(url), headers: &headers, body: None };
        let command = command(&seen, &[]);
        let secret = command.variables[0].clone();
        let told = words(&command);
        assert_eq!(
            told[3..],
            ["POST", "--globoff", &format!("https://a.example/h?x={{1}}&token=<{secret}>"), "-H", "X-Empty;"]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn whatever_a_request_holds_reaches_curl_as_it_is(
            value in "[^\\x00\\[\r\n]{1,40}", body in "[^\\x00\\[]{0,80}", path in "[!-Z^-~]{0,20}",
        ) {
            prop_assume!(serde_json::from_str::<serde_json::Value>(&body).is_err());
            prop_assume!(!secrecy::is_secret_name(&path) && !path.contains(['?', '#', '@']));
            let headers = headers(&[("X-Any", &value), ("Content-Type", "text/plain")]);
            let url = format!("http://127.0.0.1:1/{path}");
            let seen = Seen { method: "PUT", address: Address::Url(&url), headers: &headers, body: Some(&body) };
            let told = words(&command(&seen, &[]));
            let value = format!("X-Any: {value}");
            prop_assert!(told.contains(&url), "{told:?}");
            prop_assert!(told.contains(&value), "{told:?}");
            prop_assert_eq!(told.last(), Some(&body));
        }
    }
}

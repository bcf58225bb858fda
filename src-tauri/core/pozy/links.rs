//! Where a post can be looked at: the live addresses that Pozy told, in webhooks and in answers (`publishedUrl` there,
//! `platformPostUrl` here). Pure. An address is only taken if a browser may be sent to it: http or https, a host, no
//! user name in it, and nothing that looks like a secret.

use reqwest::Url;
use serde_json::Value;

use super::secrecy::{Mask, mask_url};

/// The longest address that is taken.
const LONGEST: usize = 2048;

/// A post, live on one account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Live {
    /// Account id.
    pub account: String,
    /// Platform name, if it was told.
    pub platform: Option<String>,
    /// Where it is.
    pub url: String,
}

/// The live addresses in a body, in its order.
#[must_use]
pub fn live_in(body: &[u8]) -> Vec<Live> {
    let Ok(body) = serde_json::from_slice::<Value>(body) else { return Vec::new() };
    let mut found = Vec::new();
    for place in [&body, &body["post"]] {
        found.extend(live(&place["platform"], &place["account"]));
        let targets = place["platforms"].as_array().map(Vec::as_slice).unwrap_or_default();
        found.extend(targets.iter().filter_map(|target| live(target, target)));
    }
    found
}

fn live(target: &Value, account: &Value) -> Option<Live> {
    let url = ["publishedUrl", "platformPostUrl"].iter().find_map(|name| target[*name].as_str())?;
    let id = &account["accountId"];
    let account = id.as_str().or_else(|| id["_id"].as_str())?;
    let platform = target["platform"].as_str().or_else(|| target["name"].as_str());
    Some(Live { account: account.to_owned(), platform: platform.map(str::to_owned), url: usable(url)? })
}

/// The address as a browser reads it, if one may be sent there.
fn usable(url: &str) -> Option<String> {
    if url.len() > LONGEST || mask_url(url, &mut Mask::default()) != url {
        return None;
    }
    let url = Url::parse(url).ok()?;
    let plain = url.username().is_empty() && url.password().is_none();
    (matches!(url.scheme(), "http" | "https") && url.has_host() && plain).then(|| url.to_string())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::a_target_event(
        r#"{"platform":{"name":"linkedin","publishedUrl":"https://social.example/p/1"},"account":{"accountId":"ac"}}"#
    )]
    #[case::a_roll_up(
        r#"{"platforms":[{"platform":"linkedin","accountId":"ac","publishedUrl":"https://social.example/p/1"},{"platform":"x"}]}"#
    )]
    #[case::a_fetch(
        r#"{"post":{"platforms":[{"platform":"linkedin","accountId":{"_id":"ac"},"platformPostUrl":"https://social.example/p/1"}]}}"#
    )]
    fn an_address_is_read_wherever_pozy_writes_it(#[case] body: &str) {
        let live =
            Live { account: "ac".into(), platform: Some("linkedin".into()), url: "https://social.example/p/1".into() };
        assert_eq!(live_in(body.as_bytes()), [live]);
    }

    #[rstest]
    #[case("javascript:alert(1)")]
    #[case("file:///etc/passwd")]
    #[case("data:text/html,hi")]
    #[case("https://user:word@social.example/")]
    #[case("https://social.example/p/1?token=abc123456789")]
    #[case("social.example/p/1")]
    #[case("https://")]
    fn no_browser_is_sent_to(#[case] url: &str) {
        let body = serde_json::json!({"platform": {"publishedUrl": url}, "account": {"accountId": "ac"}});
        assert_eq!(live_in(body.to_string().as_bytes()), []);
    }

    #[test]
    fn what_is_no_json_or_tells_no_address_has_none() {
        assert_eq!(live_in(b"<html>"), []);
        assert_eq!(live_in(br#"{"platforms":[{"platformPostUrl":null,"accountId":"ac"}]}"#), []);
    }
}

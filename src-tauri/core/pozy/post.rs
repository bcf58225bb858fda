//! What an answer to a `GET` says of which lane: posts and accounts as the REST side spells them (`_id`, `accountId`
//! as text or object; `pozy.md` 5). Pure and lenient: what cannot be understood says nothing.

use serde_json::Value;

use super::block::{TARGETS_MAX, WORD_MAX};
use crate::ids::{AccountId, Lane, PostId, Resource};

/// State of a lane whose post or account Pozy no longer has.
pub const GONE: &str = "gone";

/// What a fetch says of one lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The lane.
    pub lane: Lane,
    /// What it belongs to.
    pub resource: Resource,
    /// The state it is in.
    pub status: String,
}

/// Reads the answer to a `GET` of `path`, with or without its query. A 404 for one post or account says that it is
/// gone; any other failure says nothing.
#[must_use]
pub fn read(path: &str, status: u16, body: &[u8]) -> Vec<Seen> {
    let place = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let parts: Vec<&str> = place.split('/').filter(|part| !part.is_empty()).collect();
    let (family, id) = match parts.as_slice() {
        [.., family @ ("posts" | "accounts")] => (*family, None),
        [.., family @ ("posts" | "accounts"), id] => (*family, Some(*id)),
        _ => return Vec::new(),
    };
    match (status, family, id) {
        (404, "posts", Some(id)) => {
            let post = PostId::new(id);
            vec![Seen { lane: Lane::post(&post), resource: Resource::post(&post), status: GONE.to_owned() }]
        }
        (404, _, Some(id)) => account_seen(&AccountId::new(id), GONE),
        (200..=299, ..) => read_body(family, body),
        _ => Vec::new(),
    }
}

fn read_body(family: &str, body: &[u8]) -> Vec<Seen> {
    let Ok(top) = serde_json::from_slice::<Value>(body) else { return Vec::new() };
    let single = if family == "posts" { "post" } else { "account" };
    let things: Vec<&Value> = match (top.get(family).and_then(Value::as_array), top.get(single)) {
        (Some(list), _) => list.iter().collect(),
        (None, Some(one)) => vec![one],
        (None, None) => vec![&top],
    };
    let read = if family == "posts" { post } else { account };
    things.into_iter().flat_map(read).collect()
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str().filter(|text| (1..=WORD_MAX).contains(&text.len()))
}

fn id(value: &Value) -> Option<&str> {
    text(value, "_id").or_else(|| text(value, "id"))
}

fn post(value: &Value) -> Vec<Seen> {
    let Some(post) = id(value).map(PostId::new) else { return Vec::new() };
    let resource = Resource::post(&post);
    let mut seen = Vec::new();
    if let Some(status) = text(value, "status") {
        seen.push(Seen { lane: Lane::post(&post), resource: resource.clone(), status: status.to_owned() });
    }
    for target in value.get("platforms").and_then(Value::as_array).into_iter().flatten().take(TARGETS_MAX) {
        let account = text(target, "accountId").or_else(|| target.get("accountId").and_then(id));
        if let (Some(account), Some(status)) = (account, text(target, "status")) {
            let lane = Lane::target(&post, &AccountId::new(account));
            if seen.iter().all(|known| known.lane != lane) {
                seen.push(Seen { lane, resource: resource.clone(), status: status.to_owned() });
            }
        }
    }
    seen
}

/// The words of the account events; without one of them, whether it can be used.
fn account(value: &Value) -> Vec<Seen> {
    let status = match text(value, "status") {
        Some(status) => Some(status),
        None => value.get("isActive").and_then(Value::as_bool).map(|active| {
            let broken = value.get("needsReconnection").and_then(Value::as_bool).unwrap_or_default();
            if active && !broken { "connected" } else { "disconnected" }
        }),
    };
    match (id(value), status) {
        (Some(id), Some(status)) => account_seen(&AccountId::new(id), status),
        _ => Vec::new(),
    }
}

fn account_seen(account: &AccountId, status: &str) -> Vec<Seen> {
    let (lane, resource) = (Lane::account(account), Resource::account(account));
    vec![Seen { lane, resource, status: status.to_owned() }]
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::post("/v1/posts/po_6", 200, r#"{"post":{"_id":"po_6","status":"partial","platforms":[{"accountId":"ac_li","status":"failed"},{"accountId":{"_id":"ac_ig"},"status":"published"}]}}"#,
        &["post:po_6=partial", "post:po_6/ac_li=failed", "post:po_6/ac_ig=published"])]
    #[case::bare("/v1/posts/po_6", 200, r#"{"_id":"po_6","status":"published"}"#, &["post:po_6=published"])]
    #[case::page("/v1/posts?limit=2", 200, r#"{"posts":[{"_id":"a","status":"failed"},{"_id":"b"},7]}"#, &["post:a=failed"])]
    #[case::gone("/v1/posts/po_6", 404, "", &["post:po_6=gone"])]
    #[case::accounts("/v1/accounts?profileId=pr_1", 200, r#"{"accounts":[{"_id":"x","status":"connected","isActive":false},{"_id":"y","isActive":true},{"_id":"z","isActive":true,"needsReconnection":true}]}"#,
        &["account:x=connected", "account:y=connected", "account:z=disconnected"])]
    #[case::account_gone("/v1/accounts/x", 404, "{}", &["account:x=gone"])]
    #[case::failure("/v1/posts/po_6", 500, r#"{"post":{"_id":"po_6","status":"partial"}}"#, &[])]
    #[case::list_missing("/v1/posts", 404, "", &[])]
    #[case::elsewhere("/v1/posts/po_6/retry", 200, r#"{"post":{"_id":"po_6","status":"partial"}}"#, &[])]
    #[case::no_json("/v1/posts/po_6", 200, "oops", &[])]
    fn answers_say_what_they_say(#[case] path: &str, #[case] status: u16, #[case] body: &str, #[case] says: &[&str]) {
        let seen = read(path, status, body.as_bytes());
        let told: Vec<_> = seen.iter().map(|seen| format!("{}={}", seen.lane, seen.status)).collect();
        assert_eq!(told, says);
    }
}

//! What an answer or a fetch tells of posts beyond their state: words, media, planned and publishing times (`pozy.md`
//! 5.1). Pure and lenient: what cannot be understood tells nothing.

use serde_json::Value;

use super::post::GONE;
use crate::{
    clock::Moment,
    ids::{AccountId, PostId},
    outbound::{
        forecast::words::{media, places},
        schedule,
    },
};

/// What is told of one post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The post.
    pub post: PostId,
    /// Its state as a whole.
    pub status: Option<String>,
    /// When it is to be published.
    pub scheduled: Option<Moment>,
    /// True if its words are told.
    pub worded: bool,
    /// Media addresses.
    pub media: Vec<String>,
    /// Its targets.
    pub targets: Vec<ToldTarget>,
}

/// What is told of one target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldTarget {
    /// The account.
    pub account: AccountId,
    /// Its text.
    pub text: String,
    /// Its state.
    pub status: Option<String>,
    /// When it went live.
    pub published: Option<Moment>,
}

/// Reads the body of a fetch of `path`: one post, or a page of them. A 404 for one post tells that it is gone.
#[must_use]
pub fn fetched(path: &str, status: u16, body: &[u8]) -> Vec<Told> {
    let place = path.split(['?', '#']).next().unwrap_or_default();
    let parts: Vec<&str> = place.split('/').filter(|part| !part.is_empty()).collect();
    match (parts.as_slice(), status) {
        ([.., "posts", id], 404) => vec![Told {
            post: PostId::new(*id),
            status: Some(GONE.to_owned()),
            scheduled: None,
            worded: false,
            media: Vec::new(),
            targets: Vec::new(),
        }],
        ([.., "posts"] | [.., "posts", _], 200..=299) => {
            let Ok(top) = serde_json::from_slice::<Value>(body) else { return Vec::new() };
            match (top["posts"].as_array(), top.get("post")) {
                (Some(list), _) => list.iter().filter_map(post).collect(),
                (None, Some(one)) => post(one).into_iter().collect(),
                (None, None) => post(&top).into_iter().collect(),
            }
        }
        _ => Vec::new(),
    }
}

/// Reads the body of an answer to a request for a new post.
#[must_use]
pub fn answered(body: &[u8]) -> Option<Told> {
    let top: Value = serde_json::from_slice(body).ok()?;
    post(&top["post"])
}

fn post(value: &Value) -> Option<Told> {
    let word = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let id = word(&value["_id"]).or_else(|| word(&value["id"]))?;
    let time = |value: &Value| value.as_str().and_then(Moment::parse);
    let entries = value["platforms"].as_array().map_or(&[][..], Vec::as_slice);
    let account_of =
        |entry: &Value| word(&entry["accountId"]).or_else(|| word(&entry["accountId"]["_id"])).map(AccountId::new);
    // The post's own time is that of its latest target: it stands for a target only if that is the only one.
    let alone = time(&value["publishedAt"]).filter(|_| entries.len() == 1);
    let targets = places(value).into_iter().map(|place| {
        let entry = entries.iter().find(|entry| account_of(entry).as_ref() == Some(&place.account));
        let entry = entry.unwrap_or(&Value::Null);
        ToldTarget {
            account: place.account,
            text: place.text,
            status: word(&entry["status"]),
            published: time(&entry["publishedAt"]).or(alone),
        }
    });
    Some(Told {
        post: PostId::new(id),
        status: word(&value["status"]),
        scheduled: schedule::asked_in(value),
        worded: value["content"].is_string(),
        media: media(value),
        targets: targets.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_post_tells_its_words_and_times() {
        let body = br#"{"post":{"_id":"po","content":"Hi","status":"published","publishedAt":"2026-03-02T10:00:00Z",
            "scheduledFor":"2026-03-02T10:00:00","timezone":"Europe/London","mediaItems":[{"url":"u"}],
            "platforms":[{"platform":"x","accountId":{"_id":"ac"},"status":"published"}]}}"#;
        let told = fetched("/v1/posts/po", 200, body).remove(0);
        assert_eq!((told.worded, told.media.len(), told.scheduled), (true, 1, Moment::parse("2026-03-02T10:00:00Z")));
        assert_eq!(told.targets[0].published, Moment::parse("2026-03-02T10:00:00Z"));
        assert_eq!(told.targets[0].text, "Hi");
    }

    #[test]
    fn of_several_targets_only_their_own_times_count() {
        let body = br#"{"posts":[{"id":"po","status":"partial","publishedAt":"2026-03-02T10:00:00Z","platforms":[
            {"accountId":"a","status":"published"},{"accountId":"b","status":"failed"}]},{"id":7}]}"#;
        let told = fetched("/v1/posts?limit=2", 200, body);
        assert_eq!(told.len(), 1);
        assert!(!told[0].worded && told[0].targets.iter().all(|target| target.published.is_none()));
    }

    #[test]
    fn what_is_no_post_tells_nothing() {
        assert_eq!(fetched("/v1/posts/po", 404, b"")[0].status.as_deref(), Some(GONE));
        assert!(fetched("/v1/posts/po", 500, b"{}").is_empty());
        assert!(fetched("/v1/accounts/po", 200, br#"{"_id":"x"}"#).is_empty());
        assert_eq!(answered(b"<html>"), None);
    }
}

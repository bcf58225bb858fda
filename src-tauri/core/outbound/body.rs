//! The request body of a new post, as forms and tables ask for it (seed "Idempotency and safe retries"; media as
//! `pozy.md` 5.1 assumes). Pure.

use serde_json::{Value, json};

/// When it goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When<'a> {
    /// At once.
    Now,
    /// At a time with an offset of its own, or local to a zone.
    At {
        /// The time as it was asked for.
        time: &'a str,
        /// IANA name of its zone.
        zone: Option<&'a str>,
    },
    /// Not by itself: it is kept as a draft.
    Never,
}

/// A body with these words; targets are platform and account.
#[must_use]
pub fn of(content: &str, targets: &[(&str, &str)], media: &[&str], when: When<'_>) -> Value {
    let platforms: Vec<Value> =
        targets.iter().map(|(platform, account)| json!({ "platform": platform, "accountId": account })).collect();
    let mut body = json!({ "content": content, "platforms": platforms });
    if !media.is_empty() {
        body["mediaItems"] = media.iter().map(|url| json!({ "type": kind_of(url), "url": url })).collect();
    }
    match when {
        When::Now => body["publishNow"] = json!(true),
        When::Never => body["isDraft"] = json!(true),
        When::At { time, zone } => {
            body["scheduledFor"] = json!(time);
            if let Some(zone) = zone {
                body["timezone"] = json!(zone);
            }
        }
    }
    body
}

/// What a media address seems to hold, by its ending; a picture if it says nothing.
fn kind_of(url: &str) -> &'static str {
    let path = url.split(['?', '#']).next().unwrap_or(url).to_ascii_lowercase();
    match path.rsplit('.').next() {
        Some("mp4" | "mov" | "webm" | "m4v") => "video",
        Some("gif") => "gif",
        Some("pdf") => "document",
        _ => "image",
    }
}

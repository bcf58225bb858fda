//! What a pasted thing is, told by looking at it and into the log: a post, an address, a key, an event, a job, or
//! words. A paste of several addresses and ids is several things; anything else is words as a whole.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{
    error::Result,
    store::{Store, inquiry as rows},
};

/// Pieces of one paste that are looked at; more than that is words.
const MOST_PIECES: usize = 40;

/// What somebody can ask about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum ThingKind {
    /// A post's id.
    Post,
    /// A live address.
    Url,
    /// Words of a post.
    Text,
    /// A key.
    Key,
    /// An event's id.
    Event,
    /// A job.
    Job,
}

/// One thing of a paste.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Thing {
    /// What it is, or is taken for.
    pub kind: ThingKind,
    /// As it is asked about.
    pub value: String,
    /// True if the log has an id of that name; addresses and words are looked for when the question is asked.
    pub known: bool,
}

/// Tells what was pasted.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn look(store: &Store, pasted: &str) -> Result<Vec<Thing>> {
    let mut things = Vec::new();
    for piece in pieces(pasted) {
        let thing = named(store, piece).await?;
        if !things.contains(&thing) {
            things.push(thing);
        }
    }
    Ok(things)
}

async fn named(store: &Store, piece: &str) -> Result<Thing> {
    let thing = |kind, value: &str, known| Thing { kind, value: value.to_owned(), known };
    if is_address(piece) {
        // The address of a post at Pozy ends with its id.
        let end = piece.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let end = end.split(['?', '#']).next().unwrap_or_default();
        return Ok(match rows::kind_of(store.pool(), end).await? {
            Some(ThingKind::Post) => thing(ThingKind::Post, end, true),
            _ => thing(ThingKind::Url, piece, false),
        });
    }
    if !is_token(piece) {
        return Ok(thing(ThingKind::Text, piece, false));
    }
    Ok(match rows::kind_of(store.pool(), piece).await? {
        Some(kind) => thing(kind, piece, true),
        None => thing(guess(piece), piece, false),
    })
}

/// The things of a paste: its tokens if each of them is an address or reads like an id, else the whole.
fn pieces(pasted: &str) -> Vec<&str> {
    let whole = pasted.trim();
    let tokens: Vec<&str> =
        whole.split(|c: char| c.is_whitespace() || c == ',' || c == ';').filter(|token| !token.is_empty()).collect();
    let several = tokens.len() > 1 && tokens.len() <= MOST_PIECES;
    if several && tokens.iter().all(|token| is_address(token) || (is_token(token) && guess(token) != ThingKind::Text)) {
        return tokens;
    }
    if whole.is_empty() { Vec::new() } else { vec![whole] }
}

fn is_address(piece: &str) -> bool {
    let lower = piece.to_ascii_lowercase();
    ["https://", "http://", "www."].iter().any(|start| lower.starts_with(start)) && !piece.contains(char::is_whitespace)
}

/// One word that may be an id: visible ASCII without blanks.
fn is_token(piece: &str) -> bool {
    !piece.is_empty() && piece.len() <= 255 && piece.bytes().all(|byte| byte.is_ascii_graphic())
}

/// What an id that the log does not know is taken for, by how ids of that kind are written.
fn guess(token: &str) -> ThingKind {
    let starts = |names: &[&str]| names.iter().any(|name| token.starts_with(name));
    let hex = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let uuid = token.split('-').map(str::len).eq([8, 4, 4, 4, 12]) && token.split('-').all(hex);
    match token {
        _ if starts(&["ev_", "evt_"]) => ThingKind::Event,
        _ if starts(&["job_", "key:", "try:"]) => ThingKind::Job,
        _ if uuid || starts(&["key-", "key_"]) => ThingKind::Key,
        _ if starts(&["po_", "post_"]) || token.bytes().any(|byte| byte.is_ascii_digit()) => ThingKind::Post,
        _ => ThingKind::Text,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("po_9c41", &["po_9c41"])]
    #[case(" po_9c41, po_9c77\n", &["po_9c41", "po_9c77"])]
    #[case("https://a.example/1 https://a.example/2", &["https://a.example/1", "https://a.example/2"])]
    #[case("Tickets are live at https://a.example/1", &["Tickets are live at https://a.example/1"])]
    #[case("Tickets are live.", &["Tickets are live."])]
    #[case("  ", &[])]
    fn a_paste_is_taken_apart_only_if_each_part_is_a_thing(#[case] pasted: &str, #[case] parts: &[&str]) {
        assert_eq!(pieces(pasted), parts);
    }

    #[rstest]
    #[case("po_9c41", ThingKind::Post)]
    #[case("6721a0c4", ThingKind::Post)]
    #[case("evt_81a0", ThingKind::Event)]
    #[case("job_31c0", ThingKind::Job)]
    #[case("5b0e1d7c-0000-4000-8000-0000000000aa", ThingKind::Key)]
    #[case("Tickets!", ThingKind::Text)]
    fn an_unknown_id_is_taken_for_what_it_reads_like(#[case] token: &str, #[case] kind: ThingKind) {
        assert_eq!(guess(token), kind);
    }
}

//! Files of many posts.

use std::collections::BTreeSet;

use reprise_core::outbound::many::reading::{self, Kind};
use serde_json::Value;

/// Longest key of the settings that ship.
const KEY_MAX: usize = 255;

/// Every row that is a post can be sent as it is: JSON with an account and something to say, a key that no other row
/// has. Rows come in the order of their lines.
pub(super) fn many_posts(bytes: &[u8]) {
    for name in ["posts", "posts.csv", "posts.jsonl"] {
        let kind = reading::kind_of(name, bytes);
        let Ok(sheet) = reading::read(kind, bytes, KEY_MAX) else { continue };
        let lines: Vec<u64> = sheet.rows.iter().map(|row| row.line).collect();
        assert!(lines.windows(2).all(|two| two[0] < two[1]) || kind == Kind::One, "{lines:?}");
        assert!(lines.iter().all(|line| (1..=bytes.len() as u64 + 1).contains(line)), "{lines:?}");
        let mut keys = BTreeSet::new();
        for row in sheet.rows {
            let post = match row.post {
                Ok(post) => post,
                Err(why) => {
                    assert!(!why.is_empty());
                    continue;
                }
            };
            let body: Value = serde_json::from_slice(&post.body).expect("a body of JSON");
            assert!(body["platforms"].as_array().is_some_and(|list| !list.is_empty()), "{body}");
            if let Some(key) = post.key {
                assert!(
                    !key.is_empty() && key.len() <= KEY_MAX && key.bytes().all(|byte| (b' '..=b'~').contains(&byte))
                );
                assert!(keys.insert(key), "a key of two rows");
            }
        }
    }
}

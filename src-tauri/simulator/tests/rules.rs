//! Random walks over keys, texts, accounts, time and target states: each answer must be the one that the rules give
//! for what the ledger showed just before. The rules are written out here a second time, from the documents.

use chrono::{DateTime, TimeDelta, Utc};
use rstest::rstest;
use serde_json::{Value, json};

use crate::sides::{Pozy, at_nine, got};
use pozy_sandbox::Ledger;

/// A repeatable source of choices (xorshift).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[usize::try_from(self.roll(from.len() as u64)).unwrap()]
    }
}

fn moment(text: &Value) -> DateTime<Utc> {
    text.as_str().unwrap().parse().unwrap()
}

/// R7 first, then R10 and R11: remembered key, live content, else a new post.
fn foretold(ledger: &Ledger, key: &str, text: &str, account: &str) -> (u16, Option<String>) {
    if let Some(row) = ledger.keys.iter().find(|row| row.key == key) {
        return (200, Some(row.post.0.clone()));
    }
    let now: DateTime<Utc> = ledger.now.parse().unwrap();
    let live = |post: &&Value| {
        let target = &post["platforms"][0];
        post["content"] == text
            && target["accountId"] == account
            && match target["status"].as_str().unwrap() {
                "scheduled" | "publishing" => true,
                "published" => now - moment(&target["publishedAt"]) <= TimeDelta::hours(24),
                _ => false,
            }
    };
    match ledger.posts.iter().rev().find(live) {
        Some(post) => (409, Some(post["_id"].as_str().unwrap().to_owned())),
        None => (201, None),
    }
}

async fn create(pozy: &Pozy, dice: &mut Dice) {
    let (key, text) = (dice.pick(&["k-1", "k-2", "k-3", "k-4"]), dice.pick(&["Eggs.", "Figs.", "Grapes."]));
    let account = dice.pick(&["ac_li", "ac_ig"]);
    let hours = i64::try_from(dice.roll(60)).unwrap();
    let time = pozy.handle.now() + TimeDelta::hours(hours - 2);
    let body = json!({
        "content": text,
        "platforms": [{"platform": "linkedin", "accountId": account}],
        "scheduledFor": time.to_rfc3339(),
    });
    let before = pozy.handle.ledger();
    let (status, post) = foretold(&before, key, text, account);
    let answer = got(pozy.create(key, &body)).await;
    let named = match answer.status {
        409 => answer.body["details"]["existingPostId"].as_str(),
        _ => answer.body["post"]["_id"].as_str(),
    };
    assert_eq!(answer.status, status, "{answer:?}, {before:?}");
    match post {
        Some(post) => assert_eq!(named, Some(post.as_str())),
        None => assert!(before.posts.iter().all(|old| old["_id"].as_str() != named)),
    }
    let made = pozy.posts().len() - before.posts.len();
    assert_eq!(made, usize::from(status == 201));
}

#[rstest]
#[case(1)]
#[case(2)]
#[case(3)]
#[tokio::test]
async fn every_answer_follows_the_rules(#[case] seed: u64) {
    let pozy = at_nine().await;
    let mut dice = Dice(seed);
    for _ in 0..300 {
        match dice.roll(10) {
            0..6 => create(&pozy, &mut dice).await,
            6..9 => {
                pozy.advance([30, 3600, 7 * 3600, 12 * 3600, 24 * 3600][usize::try_from(dice.roll(5)).unwrap()]).await
            }
            _ => {
                let posts = pozy.posts();
                let last = posts.len().checked_sub(1 + usize::try_from(dice.roll(3)).unwrap());
                let Some(post) = last.and_then(|place| posts.get(place)) else { continue };
                let status = dice.pick(&["published", "failed", "cancelled", "publishing"]);
                let account = post["platforms"][0]["accountId"].as_str().unwrap();
                pozy.target(post["_id"].as_str().unwrap(), account, status);
            }
        }
    }
    let statuses: std::collections::BTreeSet<_> = pozy.posts().iter().map(|post| post["status"].to_string()).collect();
    assert!(statuses.len() >= 3, "the walk was too narrow: {statuses:?}");
}

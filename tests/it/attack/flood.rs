//! A disk, or memory, is filled with what counts for nothing: forged messages with large bodies and large heads.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use tokio::time::timeout;

use super::{
    table,
    target::{SECRET, Target},
};
use crate::program::Place;

/// Bytes that no packing makes smaller.
fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        // Xorshift: what follows cannot be told from what was.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..length.div_ceil(8)).flat_map(|_| next().to_le_bytes()).take(length).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_forged_messages_fills_64_mib_and_then_short_rows() {
    // All of it for the table; else most of the room is said to be taken already.
    let (place, large, small) = if std::env::var_os("REPRISE_TRUST_FIGURES").is_some() {
        (Place::new(), 100_u64, 200_u64)
    } else {
        let place = Place::new();
        place.lines(&["events"]);
        let log = rusqlite::Connection::open(place.data().join("reprise.db")).unwrap();
        log.execute("INSERT INTO settings (key, value) VALUES ('aside_bytes', ?)", [((61_u64 << 20) + 5).to_string()])
            .unwrap();
        (place, 8, 20)
    };
    let mut place = place;
    place.set("POZY_WEBHOOK_SECRET", SECRET);
    let mut target = Target::on(place, &[]);
    for n in 0..large {
        assert_eq!(target.send(noise(n, (1 << 20) - 1), &[("x-pozy-signature", "00")]).await, Some(401));
    }
    for n in 0..small {
        let value: String = noise(n + 1_000, 30_000).iter().map(|byte| char::from(b'!' + byte % 90)).collect();
        let headers = [("x-pozy-signature", "00"), ("x-large", &value), ("x-larger", &value[1..])];
        assert_eq!(target.send(noise(n, 900), &headers).await, Some(401));
    }
    target.honest().await;
    let rows = target.rows("arrivals");
    assert_eq!(rows.len() as u64, large + small + 1, "a row each");
    let without = rows.iter().filter(|row| row["flags"] == json!(["no_room"])).count() as u64;
    assert!(
        (large - large.min(64)..=large + small).contains(&without) && without > 3,
        "{without} rows without a body say so"
    );
    let size: u64 = std::fs::read_dir(target.place.data())
        .unwrap()
        .map(|file| file.unwrap().metadata().unwrap())
        .filter(std::fs::Metadata::is_file)
        .map(|file| file.len())
        .sum();
    assert!(size < 140 << 20, "{} MiB on the disk, the write-ahead log of at most 64 among them", size >> 20);
    target.note(table::FLOODED, (large + small) as usize);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_written_is_not_taken_into_memory_without_end() {
    const SENT: usize = 60;
    let mut target = Target::verifying();
    let log = rusqlite::Connection::open(target.place.data().join("reprise.db")).unwrap();
    log.execute_batch("BEGIN IMMEDIATE").unwrap();
    let sending = (0..SENT).map(|n| {
        let sent = target.send(noise(n as u64, (1 << 20) - 1), &[("x-pozy-signature", "00")]);
        timeout(Duration::from_secs(4), sent)
    });
    let answers = join_all(sending).await;
    log.execute_batch("ROLLBACK").unwrap();
    let refused = answers.iter().filter(|answer| matches!(answer, Ok(Some(503)))).count();
    let waited = answers.iter().filter(|answer| answer.is_err()).count();
    assert!((16..32).contains(&waited), "{answers:?}");
    assert_eq!(refused + waited, SENT, "{answers:?}");
    target.honest().await;
    assert_eq!(target.rows("arrivals").len(), waited + 1, "whose sender left is kept, too");
    target.note(table::STALLED, SENT);
}

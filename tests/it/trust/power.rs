//! A power cut, and a disk that is full. The power cut is played on copies of the files: what was synced stays, and of what
//! was written after that any sector may be missing, as a disk leaves it that reorders its writes.

use std::{fs, path::Path};

use reprise_core::{
    clock::Clock,
    settings,
    store::{FILE, Store},
};
use serde_json::json;

use super::{
    scene::{Scene, until_refused},
    table::{self, Tried},
};
use crate::{
    program::{Place, json_lines},
    wait,
};

const ROUNDS: usize = 20;
/// Cuts of one commit.
const CUTS: usize = 4;
const SECTOR: usize = 512;

/// Numbers that look random and repeat from run to run.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("small") % end.max(1)
    }
}

/// The bytes of both files at this moment.
fn taken(dir: &Path) -> [Vec<u8>; 2] {
    [FILE.to_owned(), format!("{FILE}-wal")].map(|name| fs::read(dir.join(name)).unwrap_or_default())
}

/// `after` with sectors that differ from `before` taken back at random, and cut off at random behind its end.
fn cut(before: &[u8], after: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut left = after.to_vec();
    if after.len() > before.len() && dice.below(2) == 0 {
        left.truncate(before.len() + dice.below(after.len() - before.len()));
    }
    for (n, sector) in left.chunks_mut(SECTOR).enumerate() {
        if dice.below(3) == 0 {
            let old = before.get(n * SECTOR..).unwrap_or_default().iter().chain(std::iter::repeat(&0));
            sector.iter_mut().zip(old).for_each(|(byte, old)| *byte = *old);
        }
    }
    left
}

fn mark(n: usize) -> String {
    format!("mark-{n}")
}

async fn write(store: &Store, n: usize) {
    // Longer than a page, so that a commit is several frames.
    let text = mark(n).repeat(900);
    store.write(move |connection| settings::set(connection, &mark(n), &text)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_power_cut_takes_nothing_that_was_on_disk() {
    let scene = Scene::new().await;
    let (dir, cuts) = (scene.place.data(), scene.place.path("cut"));
    let store = Store::open(&dir).await.unwrap();
    let (mut dice, mut tried, mut slowest) = (Dice(3), 0, 0);
    for n in 0..ROUNDS {
        write(&store, 2 * n).await;
        let before = taken(&dir);
        write(&store, 2 * n + 1).await;
        let after = taken(&dir);
        if before[1].get(..32) != after[1].get(..32) || after[1].len() <= before[1].len() {
            // A new round of the write-ahead log began meanwhile: what was synced between is not known here.
            continue;
        }
        for _ in 0..CUTS {
            drop(fs::remove_dir_all(&cuts));
            fs::create_dir_all(&cuts).unwrap();
            fs::write(cuts.join(FILE), cut(&before[0], &after[0], &mut dice)).unwrap();
            fs::write(cuts.join(format!("{FILE}-wal")), cut(&before[1], &after[1], &mut dice)).unwrap();
            let since = Clock::stopwatch();
            let found = Store::open(&cuts).await.unwrap_or_else(|problem| panic!("round {n}: {problem}"));
            for old in 0..=2 * n {
                let text: Option<String> = settings::get(found.pool(), &mark(old)).await.unwrap();
                assert_eq!(text, Some(mark(old).repeat(900)), "round {n}: {old} was on disk");
            }
            let text: Option<String> = settings::get(found.pool(), &mark(2 * n + 1)).await.unwrap();
            assert!(text.is_none_or(|text| text == mark(2 * n + 1).repeat(900)), "whole or not at all");
            found.close().await;
            slowest = slowest.max(since.ms());
            tried += 1;
        }
    }
    assert!(tried >= ROUNDS, "{tried} cuts");
    store.close().await;
    Tried::new(table::POWER_CUT, tried, slowest).note(&scene.place);
}

async fn arrive(client: &reqwest::Client, receiver: &str, n: usize) -> u16 {
    let body = json!({"id": format!("ev_{n}"), "event": "account.connected", "timestamp": "2026-04-14T08:00:00Z",
                      "account": {"accountId": "ac_1"}, "padding": "words ".repeat(300)});
    let answer = client.post(receiver).body(body.to_string()).send().await.unwrap();
    answer.status().as_u16()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_that_age_out_take_no_row_of_what_comes_in_meanwhile() {
    const SENDERS: usize = 4;
    const EACH: usize = 150;
    let scene = Scene::new().await;
    let data = scene.place.data();
    let mut listen = scene.listen(&data);
    let receiver = listen.first_line().unwrap()["receiver"].as_str().unwrap().to_owned();
    let senders: Vec<_> = (0..SENDERS)
        .map(|sender| {
            let receiver = receiver.clone();
            tokio::spawn(async move {
                let client = reqwest::Client::new();
                for n in 0..EACH {
                    assert_eq!(arrive(&client, &receiver, sender * EACH + n).await, 204);
                }
            })
        })
        .collect();
    let (mut times, mut bodies, mut slowest) = (0, 0, 0);
    while senders.iter().any(|sender| !sender.is_finished()) || times < 3 {
        let since = Clock::stopwatch();
        let ran = tokio::task::block_in_place(|| scene.on(&data, &["prune", "--days", "0"]));
        bodies += ran[0]["bodies"].as_u64().unwrap();
        slowest = slowest.max(since.ms());
        times += 1;
    }
    for sender in senders {
        sender.await.unwrap();
    }
    scene.on(&data, &["prune", "--days", "0"]);
    assert!(bodies > 0, "something aged out while messages came in");
    let mut tried = Tried::new(table::PRUNED, times, slowest);
    let events = scene.on(&data, &["events"]);
    tried.lost = (SENDERS * EACH).abs_diff(events.len()) as u64;
    assert!(
        events.iter().all(|row| row["arrivals"] == 1 && row["name"] == "account.connected"),
        "all is told but the body"
    );
    assert_eq!(scene.on(&data, &["prune", "--dry-run", "--days", "0"])[0]["bodies"], 0);
    tried.note(&scene.place);
}

/// The whole program under a limit on the size of files: a write past it fails as on a full disk.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_a_full_disk_nothing_is_answered_well_that_is_not_kept() {
    let mut scene = Scene::new().await;
    let data = scene.place.data();
    scene.on(&data, &["events"]);
    scene.place.limit_files(Some(1_400));
    let mut listen = scene.listen(&data);
    let receiver = listen.first_line().unwrap()["receiver"].as_str().unwrap().to_owned();
    let client = reqwest::Client::new();
    let send = async |n: usize| (format!("ev_{n}"), arrive(&client, &receiver, n).await);
    let (answered, refused) = until_refused(4_000, send).await;
    scene.place.limit_files(Some(32));
    let ran = scene.try_on(&data, &["doctor"]);
    assert_eq!(ran.exit, Some(1), "{} {}", ran.out, ran.err);
    assert!(ran.out.contains("\"disk_full\"") && ran.out.contains("what was stored before is safe"), "{}", ran.out);
    listen.kill();
    scene.place.limit_files(None);
    let since = Clock::stopwatch();
    let mut listen = scene.listen(&data);
    let receiver = listen.first_line().unwrap()["receiver"].as_str().unwrap().to_owned();
    assert_eq!(arrive(&client, &receiver, 9_999).await, 204, "it goes on by itself");
    let ms = since.ms();
    let events: Vec<String> =
        scene.on(&data, &["events"]).iter().map(|row| row["event"].as_str().unwrap().to_owned()).collect();
    let mut tried = Tried::new(table::DISK_FULL, refused, ms);
    tried.lost = answered.iter().filter(|event| !events.contains(event)).count() as u64;
    tried.note(&scene.place);
}

/// What lies in a deleted file only the program can still read: it takes nothing more, and moves what it has into the log.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_answered_outlives_its_write_ahead_log() {
    let scene = Scene::new().await;
    let data = scene.place.data();
    let mut listen = scene.listen(&data);
    let receiver = listen.first_line().unwrap()["receiver"].as_str().unwrap().to_owned();
    let client = reqwest::Client::new();
    let mut answered = Vec::new();
    for n in 0..50 {
        assert_eq!(arrive(&client, &receiver, n).await, 204);
        answered.push(format!("ev_{n}"));
    }
    fs::remove_file(data.join(format!("{FILE}-wal"))).unwrap();
    let since = Clock::stopwatch();
    for n in 50..53 {
        assert_eq!(arrive(&client, &receiver, n).await, 500, "nobody would find it again");
    }
    // The file of the log alone, as whoever starts the program next finds it.
    let alone = scene.place.path("alone");
    let events = |data: &Path| -> Option<Vec<String>> {
        let ran = scene.try_on(data, &["events"]);
        let lines = json_lines(&ran.out).ok().filter(|_| ran.exit == Some(0))?;
        Some(lines.iter().map(|row| row["event"].as_str().unwrap().to_owned()).collect())
    };
    let missing = |data: &Path| events(data).map(|there| answered.iter().filter(|one| !there.contains(one)).count());
    wait::until("what was answered is in the file of the log", || {
        drop(fs::remove_dir_all(&alone));
        fs::create_dir_all(&alone).unwrap();
        fs::copy(data.join(FILE), alone.join(FILE)).unwrap();
        match missing(&alone) {
            Some(0) => Ok(()),
            other => Err(other),
        }
    })
    .await;
    listen.kill();
    let mut listen = scene.listen(&data);
    let receiver = listen.first_line().unwrap()["receiver"].as_str().unwrap().to_owned();
    assert_eq!(arrive(&client, &receiver, 9_999).await, 204, "after a new start it goes on");
    let mut tried = Tried::new(table::WAL_DELETED, 1, since.ms());
    tried.lost = missing(&data).unwrap() as u64;
    tried.note(&scene.place);
}

/// Whoever starts while nothing can be kept says so, and listens once it can be.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receiver_that_cannot_begin_listens_once_the_log_can_be_written() {
    let place = Place::new();
    place.lines(&["events"]);
    let log = rusqlite::Connection::open(place.data().join(FILE)).unwrap();
    log.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut listen = place.background("listen", &["listen", "--on", "127.0.0.1:0"]);
    let said = listen.first_line().unwrap();
    assert_eq!(said["receiver"], serde_json::Value::Null, "{said}");
    assert!(said["waits"].as_str().unwrap().contains("everything goes on by itself then"), "{said}");
    log.execute_batch("ROLLBACK").unwrap();
    let said = listen.first_line().unwrap();
    let receiver = said["receiver"].as_str().unwrap().to_owned();
    assert_eq!(arrive(&reqwest::Client::new(), &receiver, 1).await, 204);
    assert_eq!(listen.stop().unwrap(), Some(0));
    assert_eq!(place.lines(&["events"]).len(), 1);
}

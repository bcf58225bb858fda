//! The Timeline shows what a full scan of the log shows, whatever the span.

use std::{collections::BTreeMap, sync::Arc};

use reprise_core::{
    clock::Moment,
    desk::{Desk, Runs},
    import::log,
};
use serde_json::{Value, json};

use super::desk;

const MINUTE: i64 = 60_000;
/// Mon 2 Mar 2026, 10:00 UTC.
const START: i64 = 1_772_445_600_000;

/// Small numbers that look random and are the same at every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(self.0 >> 33).unwrap() % below
    }
}

/// One event of a made-up log: when it happened, and when it arrived.
#[derive(Clone, Debug)]
struct Made {
    post: i64,
    happened: i64,
    arrived: Vec<i64>,
    test: bool,
}

impl Made {
    fn shows(&self, from: i64, to: i64) -> bool {
        let first = self.arrived.iter().min().unwrap();
        let last = self.arrived.iter().max().unwrap();
        self.happened.min(*first) <= to && self.happened.max(*last) >= from
    }
}

fn text(ms: i64) -> String {
    Moment::from_millis(ms).to_string()
}

fn some_log(dice: &mut Dice) -> (Vec<Made>, String) {
    let made: Vec<Made> = (0..40)
        .map(|_| {
            let happened = START + dice.roll(600) * MINUTE / 2;
            let first = happened + dice.roll(9) * MINUTE;
            let again = (0..dice.roll(4)).map(|_| first + 1 + dice.roll(90) * MINUTE);
            let arrived = std::iter::once(first).chain(again.collect::<Vec<_>>()).collect();
            Made { post: dice.roll(12), happened, arrived, test: dice.roll(10) == 0 }
        })
        .collect();
    let mut lines = String::new();
    for (n, event) in made.iter().enumerate() {
        for at in &event.arrived {
            let mut body = json!({
                "id": format!("ev_{n}"), "event": "post.platform.published", "timestamp": text(event.happened),
                "post": {"id": format!("po_{}", event.post), "content": "Doors open at 9."},
                "platform": {"name": "linkedin", "status": "published"}, "account": {"accountId": "ac_1"},
            });
            if event.test {
                body["test"] = json!(true);
            }
            let line = json!({"kind": "arrival", "at": text(*at), "took_ms": 30, "answer": 204, "body": body});
            lines.push_str(&format!("{line}\n"));
        }
    }
    (made, lines)
}

async fn desk_with(dir: &tempfile::TempDir, lines: &str) -> Desk {
    let desk = desk::open(dir.path(), START + 24 * 60 * MINUTE, Runs::Nothing).await;
    let workspace = desk.workspace_for_imports().await.unwrap();
    let (store, contract) = (desk.store().await, desk.contract().await);
    let (order, from) = (log::Order::plain("log.jsonl", workspace), std::io::Cursor::new(lines.to_owned()));
    let report = log::import(&store, desk.clock(), &contract, order, from, &Arc::default()).await.unwrap();
    assert_eq!(report.bad, []);
    desk
}

/// Event and number of arrivals of every message in the answer; bins as one entry without a name.
fn drawn(answer: &Value) -> BTreeMap<String, u64> {
    let lanes = answer["lanes"].as_array().unwrap();
    let marks = lanes.iter().flat_map(|lane| lane["marks"].as_array().unwrap());
    let events = marks.filter(|mark| mark["kind"] == "event");
    events.map(|mark| (mark["event"].as_str().unwrap().to_owned(), mark["arrivals"].as_u64().unwrap())).collect()
}

#[tokio::test]
async fn any_span_shows_what_a_full_scan_shows() {
    for seed in 1..=6 {
        let mut dice = Dice(seed);
        let (made, lines) = some_log(&mut dice);
        let dir = tempfile::tempdir().unwrap();
        let desk = desk_with(&dir, &lines).await;
        for _ in 0..12 {
            let from = START - 10 * MINUTE + dice.roll(420) * MINUTE;
            let to = from + dice.roll(200) * MINUTE;
            let args = json!({"from_ms": from, "to_ms": to, "resolution_ms": 1024, "groups": 100});
            let answer = desk.call("timeline", args).await.unwrap();
            assert_eq!(answer["more"], false);
            // A group is found by a mark in the span; a line that only crosses it shows with its group.
            let marked: Vec<i64> = made
                .iter()
                .filter(|event| !event.test)
                .filter(|event| event.arrived.iter().chain([&event.happened]).any(|at| (from..=to).contains(at)))
                .map(|event| event.post)
                .collect();
            let expected: BTreeMap<String, u64> = made
                .iter()
                .enumerate()
                .filter(|(_, event)| event.shows(from, to) && (event.test || marked.contains(&event.post)))
                .map(|(n, event)| (format!("ev_{n}"), event.arrived.len() as u64))
                .collect();
            assert_eq!(drawn(&answer), expected, "seed {seed}, {} to {}", text(from), text(to));
        }
        desk.close().await;
    }
}

#[tokio::test]
async fn the_map_counts_every_arrival_and_folds_no_mark() {
    for seed in 1..=6 {
        let mut dice = Dice(seed);
        let (made, lines) = some_log(&mut dice);
        let dir = tempfile::tempdir().unwrap();
        let desk = desk_with(&dir, &lines).await;
        let map = desk.call("timeline_map", json!({"bins": 300})).await.unwrap();
        let (from, bin) = (map["counts_from_ms"].as_i64().unwrap(), map["bin_ms"].as_i64().unwrap());
        let mut expected = vec![0; map["counts"].as_array().unwrap().len()];
        for at in made.iter().flat_map(|event| &event.arrived) {
            expected[usize::try_from((at - from) / bin).unwrap()] += 1;
        }
        assert_eq!(map["counts"], json!(expected));
        let quiet = map["quiet"].as_array().unwrap();
        assert!(!quiet.is_empty(), "the hours up to now are quiet");
        for stretch in quiet {
            let (from, to) = (stretch["from_ms"].as_i64().unwrap(), stretch["to_ms"].as_i64().unwrap());
            let inside = |at: &&i64| (from..to).contains(*at);
            let marks = made.iter().flat_map(|event| event.arrived.iter().chain([&event.happened]));
            assert_eq!(marks.filter(inside).count(), 0, "{} to {} holds no mark", text(from), text(to));
        }
        desk.close().await;
    }
}

#[tokio::test]
async fn far_away_ordinary_messages_are_counted_and_telling_ones_stay() {
    let line = |n: i64, status: &str, at: i64| {
        let body = json!({
            "id": format!("ev_{n}"), "event": format!("account.{status}"), "timestamp": text(at - 1000),
            "account": {"accountId": "ac_1", "platform": "linkedin"},
        });
        format!("{}\n", json!({"kind": "arrival", "at": text(at), "took_ms": 3, "answer": 204, "body": body}))
    };
    let mut lines: String = (0..500).map(|n| line(n, "connected", START + n * 7000)).collect();
    // One that came twice, and one that something overtook.
    lines.push_str(&line(100, "connected", START + 100 * 7000 + 20_000));
    lines.push_str(
        &line(900, "disconnected", START + 60 * MINUTE).replace(&text(START + 60 * MINUTE - 1000), &text(START + 3500)),
    );
    let dir = tempfile::tempdir().unwrap();
    let desk = desk_with(&dir, &lines).await;
    let args = json!({"from_ms": START - MINUTE, "to_ms": START + 90 * MINUTE, "resolution_ms": 16_384});
    let answer = desk.call("timeline", args).await.unwrap();
    let marks = answer["lanes"][0]["marks"].as_array().unwrap();
    assert!(marks.len() < 60, "{} marks", marks.len());
    let told: Vec<&str> = marks.iter().filter_map(|mark| mark["event"].as_str()).collect();
    assert_eq!(told, ["ev_100", "ev_900"]);
    let counted: u64 = marks.iter().filter_map(|mark| mark["count"].as_u64()).sum();
    assert_eq!(counted, 499, "nothing is left out");
    desk.close().await;
}

#[tokio::test]
async fn what_has_no_lane_here_is_counted_as_a_full_scan_counts_it() {
    for seed in 1..=4 {
        let mut dice = Dice(seed);
        let (made, lines) = some_log(&mut dice);
        let dir = tempfile::tempdir().unwrap();
        let desk = desk_with(&dir, &lines).await;
        for resolution in [64, 1024, 65_536] {
            let (from, to) = (START - 10 * MINUTE, START + 400 * MINUTE);
            let args = json!({"from_ms": from, "to_ms": to, "resolution_ms": resolution, "groups": 2});
            let answer = desk.call("timeline", args).await.unwrap();
            assert_eq!(answer["more"], true);
            let density = &answer["density"];
            let (first, bin) = (density["from_ms"].as_i64().unwrap(), density["bin_ms"].as_i64().unwrap());
            assert!(first <= from && first > from - bin && bin >= resolution);
            let mut expected = vec![(0, 0); density["arrivals"].as_array().unwrap().len()];
            for event in &made {
                let mut arrived = event.arrived.clone();
                arrived.sort_unstable();
                for (n, at) in arrived.iter().enumerate().filter(|(_, at)| (first..=to).contains(*at)) {
                    let counts = &mut expected[usize::try_from((at - first) / bin).unwrap()];
                    *counts = (counts.0 + 1, counts.1 + u32::from(n > 0));
                }
            }
            // The last bin reaches past the span, and what came there is in it.
            let whole = expected.len() - 1;
            let told = |name: &str| density[name].as_array().unwrap()[..whole].to_vec();
            assert_eq!(told("arrivals"), expected[..whole].iter().map(|counts| json!(counts.0)).collect::<Vec<_>>());
            assert_eq!(told("again"), expected[..whole].iter().map(|counts| json!(counts.1)).collect::<Vec<_>>());
        }
        desk.close().await;
    }
}

#[tokio::test]
async fn a_post_with_thousands_of_messages_is_counted_with_its_shares() {
    let line = |n: i64, at: i64| {
        let body = json!({
            "id": format!("ev_{n}"), "event": "post.platform.published", "timestamp": text(START + n * 1000),
            "post": {"id": "po_1", "content": "Doors open at 9."},
            "platform": {"name": "linkedin", "status": if n % 10 == 0 { "failed" } else { "published" }},
            "account": {"accountId": "ac_1"},
        });
        format!("{}\n", json!({"kind": "arrival", "at": text(at), "took_ms": 3, "answer": 204, "body": body}))
    };
    let mut lines: String = (0..3000).map(|n| line(n, START + n * 1000 + 400)).collect();
    lines.extend((0..3000).step_by(4).map(|n| line(n, START + n * 1000 + 900)));
    let dir = tempfile::tempdir().unwrap();
    let desk = desk_with(&dir, &lines).await;
    let args = json!({"from_ms": START - MINUTE, "to_ms": START + 60 * MINUTE, "resolution_ms": 4096});
    let answer = desk.call("timeline", args).await.unwrap();
    let lanes = answer["lanes"].as_array().unwrap();
    assert!(lanes.iter().map(|lane| lane["marks"].as_array().unwrap().len()).sum::<usize>() < 300);
    let sum = |name: &str| -> u64 {
        lanes.iter().flat_map(|lane| lane["marks"].as_array().unwrap()).filter_map(|mark| mark[name].as_u64()).sum()
    };
    assert_eq!((sum("count"), sum("again")), (3000, 750));
    assert_eq!(answer["density"], Value::Null, "its lanes are all there");
    desk.close().await;
}

/// What came an hour after it happened is drawn where it happened, too, as far as there is room for it, and what is not is
/// told.
#[tokio::test]
async fn what_happened_in_a_span_and_came_outside_it_is_drawn_or_told() {
    let dir = tempfile::tempdir().unwrap();
    let mut lines = String::new();
    for n in 0..450 {
        let happened = START + n * 4_000;
        let body = json!({"id": format!("ev_{n}"), "event": "post.platform.published", "timestamp": text(happened),
            "post": {"id": "po_1", "content": "Doors open at 9."},
            "platform": {"name": "linkedin", "status": "published"}, "account": {"accountId": "ac_1"}});
        let line = json!({"kind": "arrival", "at": text(happened + 60 * MINUTE), "body": body});
        lines.push_str(&format!("{line}\n"));
    }
    let desk = desk_with(&dir, &lines).await;
    let marks = async |from: i64, to: i64| {
        let args = json!({"from_ms": START + from * MINUTE, "to_ms": START + to * MINUTE, "resolution_ms": 2_000});
        let answer = desk.call("timeline", args).await.unwrap();
        let lanes = answer["lanes"].as_array().unwrap().clone();
        let all: Vec<Value> = lanes.iter().flat_map(|lane| lane["marks"].as_array().unwrap().clone()).collect();
        let one = all.iter().filter(|mark| mark["kind"] == "event").count() as u64;
        let counted: u64 =
            all.iter().filter(|mark| mark["kind"] == "bin").map(|mark| mark["count"].as_u64().unwrap()).sum();
        let told: u64 = lanes.iter().map(|lane| lane["left_out"].as_u64().unwrap()).sum();
        (one, counted, told)
    };
    assert_eq!(marks(0, 30).await, (200, 0, 250), "where they happened");
    assert_eq!(marks(60, 90).await, (0, 450, 0), "where they came");
    assert_eq!(marks(15, 75).await, (200, 226, 24), "one end or the other of each");
    assert_eq!(marks(0, 90).await, (0, 450, 0), "both ends of all of them");
    desk.close().await;
}

/// Everything that judging says, in an order that does not depend on that of recording.
async fn judged(desk: &Desk) -> Vec<String> {
    let store = desk.store().await;
    let mut all = Vec::new();
    for sql in [
        "SELECT json_array(a.at_ns, a.event, s.standing, s.copy, s.cause, s.confidence, s.says, s.flags)
         FROM standings AS s JOIN arrivals AS a ON a.seq = s.seq ORDER BY 1",
        "SELECT json_array(event, arrivals, first_ns, last_ns, placing, late_by_ms, overtaken_by, stale_lanes, applied, flags)
         FROM events ORDER BY 1",
        "SELECT json_array(lane, status, as_of_ns, event, tie, wants_fetch) FROM lanes ORDER BY 1",
        "SELECT json_array(level, bin, arrivals, again, late) FROM density
         WHERE (arrivals, again, late) <> (0, 0, 0) ORDER BY 1",
        "SELECT json_array(kind, id) FROM judging_due",
    ] {
        all.extend(sqlx::query_scalar::<_, String>(sql).fetch_all(store.pool()).await.unwrap());
    }
    all
}

#[tokio::test]
async fn what_is_judged_behind_an_import_is_what_judging_at_once_gives() {
    let line = |event: i64, n: i64, at: i64| {
        let body = json!({
            "id": format!("ev_{event}"), "event": if n % 3 == 0 { "account.disconnected" } else { "account.connected" },
            "timestamp": text(START + n * 1000), "account": {"accountId": "ac_1", "platform": "linkedin"},
        });
        format!("{}\n", json!({"kind": "arrival", "at": text(at), "took_ms": 3, "answer": 204, "body": body}))
    };
    // More messages of one account, and more arrivals of one message, than one more arrival judges at once.
    let mut lines: Vec<String> = (0..700).map(|n| line(n, n, START + n * 1000 + 300 + (n % 7) * 900)).collect();
    lines.extend((1..500).map(|n| line(5, 5, START + 800_000 + n * 1000)));
    let straight = tempfile::tempdir().unwrap();
    let desk = desk_with(&straight, &lines.concat()).await;
    let expected = judged(&desk).await;
    desk.close().await;
    lines.reverse();
    let turned = tempfile::tempdir().unwrap();
    let desk = desk_with(&turned, &lines.concat()).await;
    assert_eq!(judged(&desk).await, expected);
    desk.close().await;
}

#[tokio::test]
async fn a_job_stands_with_its_post_and_its_key() {
    let attempt = |n: i64, at: i64, result: Value| {
        json!({"kind": "attempt", "at": text(at), "job": "job_1", "n": n, "method": "POST", "path": "/v1/posts",
            "workspace": "ws", "key": "k-1", "request_id": null, "body": {"content": "Doors open at 9."},
            "result": result})
    };
    let made = json!({"kind": "answered", "at": text(START + 9000), "status": 201, "headers": {},
        "body": {"post": {"_id": "po_1", "status": "publishing"}}});
    let lines = format!(
        "{}\n{}\n",
        attempt(1, START, json!({"kind": "timeout", "at": text(START + 5000)})),
        attempt(2, START + 8000, made)
    );
    let dir = tempfile::tempdir().unwrap();
    let desk = desk_with(&dir, &lines).await;
    let args = json!({"from_ms": START, "to_ms": START + MINUTE, "resolution_ms": 64});
    let answer = desk.call("timeline", args).await.unwrap();
    let lanes: Vec<&str> =
        answer["lanes"].as_array().unwrap().iter().map(|lane| lane["id"].as_str().unwrap()).collect();
    assert_eq!(lanes, ["post:po_1", "job:job_1"]);
    let job = &answer["lanes"][1];
    assert_eq!(job["group"], "post:po_1");
    assert_eq!(job["job"]["key_expires"]["ms"], START + 24 * 60 * MINUTE);
    let tries: Vec<&str> = job["marks"].as_array().unwrap().iter().map(|mark| mark["mark"].as_str().unwrap()).collect();
    assert_eq!(tries, ["lost", "answered"]);
    // The end of the key is a mark too: a span around it shows the job, a span between does not.
    let at = |hour: i64| json!({"from_ms": START + hour * 60 * MINUTE - MINUTE, "to_ms": START + hour * 60 * MINUTE + MINUTE, "resolution_ms": 64});
    let end = desk.call("timeline", at(24)).await.unwrap();
    assert_eq!(end["lanes"].as_array().unwrap().len(), 2);
    let between = desk.call("timeline", at(12)).await.unwrap();
    assert_eq!(between["lanes"], json!([]));
    desk.close().await;
}

#[tokio::test]
async fn time_between_two_receivers_is_a_gap() {
    let dir = tempfile::tempdir().unwrap();
    let open = |at: i64| desk::open(dir.path(), at, Runs::On("127.0.0.1:0".parse().unwrap()));
    open(START).await.close().await;
    let desk = open(START + 90 * MINUTE).await;
    let map = desk.call("timeline_map", json!({"bins": 100})).await.unwrap();
    assert_eq!(
        map["gaps"],
        json!([{"from_ms": START, "to_ms": START + 90 * MINUTE}]),
        "the one that listens now has none behind it"
    );
    assert_eq!(map["from_ms"], Value::Null, "nothing has arrived");
    desk.close().await;
}

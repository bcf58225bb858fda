//! What must hold of any set of arrivals, on random ones: the order of recording and repetition change no lane, tests
//! change nothing, and judging everything anew gives what judging live gave.

use proptest::{prelude::*, sample::subsequence, test_runner::Config};
use serde_json::json;

use super::{
    record::record_answer,
    test_log::{Came, Channel, TestLog},
};
use crate::{clock::Moment, ids::Seq};

/// Cases of each property of scenarios.
const CASES: u32 = 2_000;

const LANES: [(&str, &str); 3] =
    [("account:ac_1", "account:ac_1"), ("post:po_1", "post:po_1"), ("post:po_1", "post:po_1/ac_1")];

fn cases() -> Config {
    // A failure prints its smallest input, which becomes a test with a name; no file of seeds is kept beside the sources.
    Config { cases: CASES, failure_persistence: None, ..Config::default() }
}

/// A second of the little world in which everything below happens.
fn second(n: i64) -> Moment {
    Moment::from_millis(1_772_445_600_000).plus_seconds(n)
}

#[derive(Clone, Debug)]
struct Random {
    came: Came,
    body: String,
}

/// Bodies with few ids, instants, lanes and states, so that copies, ties, late and contradicting ones are common.
fn body() -> impl Strategy<Value = String> {
    let happened = prop_oneof![9 => (0_i64..6).prop_map(Some), 1 => Just(None), 1 => Just(Some(9_000))];
    let test = prop_oneof![6 => Just(None), 1 => Just(Some(json!("odd")))];
    (0..5_u8, happened, 0..6_u8, 0..2_u8, test).prop_map(|(id, happened, kind, state, test)| {
        let word = |one: &str, two: &str| if state == 0 { one.to_owned() } else { two.to_owned() };
        let mut body = match kind {
            0 | 1 => {
                json!({"event": word("account.connected", "account.disconnected"), "account": {"accountId": "ac_1"}})
            }
            2 => json!({"event": word("post.published", "post.partial"), "post": {"id": "po_1",
                        "platforms": [{"accountId": "ac_1", "status": word("published", "failed")}]}}),
            3 => json!({"event": word("post.platform.published", "post.platform.failed"),
                        "post": {"id": "po_1", "status": word("publishing", "partial")},
                        "account": {"accountId": "ac_1"}}),
            4 => json!({"event": "post.failed", "post": {"id": "po_2", "status": "failed"}}),
            _ => json!({"event": "garden.watered", "post": {"id": "po_1", "status": "failed"}}),
        };
        body["id"] = json!(format!("ev_{id}"));
        if let Some(happened) = happened {
            body["timestamp"] = json!(second(happened).to_string());
        }
        if let Some(test) = test {
            body["test"] = test;
        }
        body.to_string()
    })
}

fn arrival() -> impl Strategy<Value = Random> {
    let channel = prop_oneof![
        2 => Just(Channel::Signed),
        1 => Just(Channel::Unchecked),
        1 => Just(Channel::Forged),
        3 => Just(Channel::Imported)
    ];
    (
        0..14_i64,
        channel,
        prop_oneof![Just(None), (0..9_000_i64).prop_map(Some)],
        prop_oneof![Just(204), Just(500)],
        body(),
    )
        .prop_map(|(at, channel, took_ms, answer, body)| Random {
            // What agrees in all that a line shows but not in what became of its answer has no order of its own. Two such
            // lines of a file keep that of the file; one that tells of an arrival in the log is passed over.
            came: Came {
                at: second(at),
                channel,
                took_ms,
                answer: Some(answer),
                headers: vec![("x-answered".into(), format!("{took_ms:?} {}", channel == Channel::Imported))],
            },
            body,
        })
}

/// What a fetch saw: resource and lane, state, second.
fn sighting() -> impl Strategy<Value = (usize, bool, i64)> {
    (0..LANES.len(), any::<bool>(), 0..14_i64)
}

fn sight(log: &TestLog, (lane, state, at): (usize, bool, i64)) {
    let (resource, lane) = LANES[lane];
    let status = match (resource.starts_with("account"), state) {
        (true, true) => "connected",
        (true, false) => "disconnected",
        (false, true) => "published",
        (false, false) => "partial",
    };
    log.sight(resource, lane, status, second(at));
}

/// Runs `check` on an empty log that is emptied again afterwards.
fn on_empty<T>(log: &TestLog, check: impl FnOnce(&TestLog) -> T) -> T {
    log.db.execute_batch("SAVEPOINT empty").unwrap();
    let result = check(log);
    log.db.execute_batch("ROLLBACK TO empty; RELEASE empty").unwrap();
    result
}

#[test]
fn order_and_repetition_change_no_lane() {
    let log = TestLog::new();
    let arrivals = proptest::collection::vec(arrival(), 1..9);
    let fetches = proptest::collection::vec(sighting(), 0..3);
    let input = (arrivals, fetches).prop_flat_map(|(arrivals, fetches)| {
        let all = Just(arrivals.clone()).prop_shuffle();
        let repeated = subsequence(arrivals.clone(), 0..=arrivals.len()).prop_shuffle();
        (Just(arrivals), all, repeated, Just(fetches.clone()), Just(fetches).prop_shuffle())
    });
    proptest!(cases(), |((arrivals, shuffled, repeated, fetches, fetches_shuffled) in input)| {
        let straight = on_empty(&log, |log| {
            arrivals.iter().for_each(|one| drop(log.record(&one.came, &one.body)));
            fetches.iter().for_each(|seen| sight(log, *seen));
            (log.lanes(), log.judged_in_any_order())
        });
        let turned = on_empty(&log, |log| {
            fetches_shuffled.iter().for_each(|seen| sight(log, *seen));
            shuffled.iter().for_each(|one| drop(log.record(&one.came, &one.body)));
            let before_repetition = log.judged_in_any_order();
            repeated.iter().for_each(|one| drop(log.record(&one.came, &one.body)));
            (log.lanes(), before_repetition)
        });
        prop_assert_eq!(straight.0, turned.0, "lanes");
        prop_assert_eq!(straight.1, turned.1, "standings, events, lanes");
    });
}

#[test]
fn tests_change_no_real_lane() {
    let log = TestLog::new();
    let real = proptest::collection::vec(arrival(), 0..7);
    let tests = proptest::collection::vec((arrival(), 0..8_usize), 1..4);
    proptest!(cases(), |((real, tests) in (real, tests))| {
        let without = on_empty(&log, |log| {
            real.iter().for_each(|one| drop(log.record(&one.came, &one.body)));
            (log.lanes(), log.rows("SELECT event, applied, placing, overtaken_by, stale_lanes, flags FROM events"))
        });
        let with = on_empty(&log, |log| {
            for place in 0..=real.len() {
                for (n, (test, _)) in tests.iter().enumerate().filter(|(_, (_, at))| *at % (real.len() + 1) == place) {
                    let mut body: serde_json::Value = serde_json::from_str(&test.body).unwrap();
                    body["id"] = json!(format!("test_{n}"));
                    body["test"] = json!(true);
                    log.record(&test.came, &body.to_string());
                }
                if let Some(one) = real.get(place) {
                    log.record(&one.came, &one.body);
                }
            }
            let rows = "SELECT event, applied, placing, overtaken_by, stale_lanes, flags FROM events WHERE nature <> 'test'";
            (log.lanes(), log.rows(rows))
        });
        prop_assert_eq!(without, with);
    });
}

#[test]
fn judging_anew_gives_what_judging_live_gave() {
    let log = TestLog::new();
    let steps = proptest::collection::vec(
        (arrival(), proptest::option::of((1..9_i64, proptest::option::of(0..9_000_i64)))),
        1..12,
    );
    let fetches = proptest::collection::vec(sighting(), 0..3);
    proptest!(cases(), |((steps, fetches) in (steps, fetches))| {
        on_empty(&log, |log| {
            for (one, answer) in &steps {
                let recorded = log.record(&one.came, &one.body);
                if let Some((back, took)) = answer {
                    let seq = Seq((recorded.seq.0 - back).max(1));
                    let live = !log.rows(&format!("SELECT 1 FROM arrivals WHERE seq = {} AND session = 1", seq.0)).is_empty();
                    if live {
                        let left = took.map(|took| one.came.at.plus_millis(took));
                        record_answer(&log.db, seq, left, *took, &log.pozy).unwrap();
                    }
                }
            }
            fetches.iter().for_each(|seen| sight(log, *seen));
            let counting = log.rows(
                "SELECT event, at_ns, tie, seq FROM arrivals WHERE aside IS NULL AND event IS NOT NULL ORDER BY seq",
            );
            prop_assert_eq!(counting, log.rows("SELECT * FROM arrived ORDER BY seq"), "each arrival stands in one place");
            let live = log.judged();
            log.db
                .execute_batch(
                    "DELETE FROM lanes; \
                     UPDATE standings SET cause = NULL, copy = 77, says = 'x' WHERE copy > 0; \
                     UPDATE events SET placing = 'unplaced', applied = 0, flags = '[]', rules = 0;",
                )
                .unwrap();
            log.rejudge_all();
            prop_assert_eq!(live, log.judged());
            Ok(())
        })?;
    });
}

#[test]
fn what_the_timeline_counts_equals_a_full_scan() {
    let cases = Config { cases: CASES / 4, ..cases() };
    let log = TestLog::new();
    let steps = proptest::collection::vec((arrival(), any::<bool>()), 1..14);
    let fetches = proptest::collection::vec(sighting(), 0..3);
    proptest!(cases, |((steps, fetches, verified) in (steps, fetches, 0..14_usize))| {
        on_empty(&log, |log| {
            for (n, (one, commits)) in steps.iter().enumerate() {
                let recorded = log.record(&one.came, &one.body);
                // One that was set aside and counts in a later row by now.
                if n == verified {
                    log.db.execute("DELETE FROM standings WHERE seq = ? AND copy = 0", [recorded.seq.0]).unwrap();
                }
                if *commits {
                    log.counted();
                }
            }
            fetches.iter().for_each(|seen| sight(log, *seen));
            let live = log.counted();
            prop_assert_eq!(&live, &log.counted_anew());
            log.rejudge_all();
            prop_assert_eq!(&live, &log.counted());
            Ok(())
        })?;
    });
}

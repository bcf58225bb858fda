//! The values of the scenarios S1-S3, S5-S7, S14, X2, X3, X8, X10, X11 as they must stand in the tables.

use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::{
    ids::ImportId,
    inbound::test_log::{Came, Channel, TestLog},
};

fn account(id: &str, name: &str, happened: &str, account: &str) -> String {
    json!({"id": id, "event": name, "timestamp": happened, "account": {"accountId": account, "profileId": "pr_1"}})
        .to_string()
}

fn target(id: &str, happened: &str, post: &str, account: &str, status: &str) -> String {
    json!({"id": id, "event": format!("post.platform.{status}"), "timestamp": happened,
           "post": {"id": post, "status": "publishing"}, "platform": {"name": "linkedin", "status": status},
           "account": {"accountId": account}})
    .to_string()
}

fn standings(log: &TestLog) -> Vec<Value> {
    log.rows("SELECT s.standing, s.copy, s.cause, s.confidence, s.rests_on, s.flags FROM standings s ORDER BY seq")
}

fn event(log: &TestLog, id: &str) -> Value {
    log.rows(&format!("SELECT * FROM events WHERE event = '{id}'")).remove(0)
}

fn lane(log: &TestLog, name: &str) -> Value {
    log.rows(&format!("SELECT * FROM lanes WHERE lane = '{name}'")).pop().unwrap_or_default()
}

#[test]
fn s01_three_copies_inside_a_millisecond_are_one_event() {
    let log = TestLog::new();
    let body = target("ev_s1", "2026-03-02T10:00:00Z", "po_s1", "ac_li", "published");
    for (at, took, connection) in [("00.000Z", 31, "one"), ("00.000Z", 34, "two"), ("00.001Z", 38, "three")] {
        let mut came = Came::imported(&format!("2026-03-02T10:00:{at}"), took, 204);
        came.headers = vec![("x-connection".into(), connection.into())];
        log.record(&came, &body);
    }
    let told = event(&log, "ev_s1");
    assert_eq!((&told["arrivals"], &told["applied"], &told["placing"]), (&json!(3), &json!(1), &json!("in_order")));
    let rows = standings(&log);
    assert_eq!(rows.iter().filter(|row| row["standing"] == "first" && row["cause"].is_null()).count(), 1);
    assert_eq!(rows.iter().filter(|row| row["standing"] == "duplicate" && row["cause"] == "at_once").count(), 2);
    assert_eq!(lane(&log, "post:po_s1/ac_li")["status"], "published");
}

#[rstest]
#[case("2026-03-02T10:00:09Z", 7_400, 200, "slow_answer", "high")]
#[case("2026-03-02T10:00:11Z", 35, 200, "lost_answer", "medium")]
#[case("2026-03-02T10:01:00Z", 40, 500, "failed_answer", "high")]
#[case("2026-03-03T14:32:00Z", 38, 200, "late_retry_or_redelivery", "low")]
#[case("2026-03-04T02:00:00Z", 38, 200, "redelivered_by_hand", "high")]
#[case("2026-03-02T10:00:00.300Z", 20, 204, "at_once", "medium")]
fn s02_six_causes(
    #[case] second: &str,
    #[case] took: i64,
    #[case] answer: u16,
    #[case] cause: &str,
    #[case] confidence: &str,
    #[values(false, true)] second_first: bool,
) {
    let log = TestLog::new();
    let body = account("ev", "account.connected", "2026-03-02T10:00:00Z", "ac");
    let mut pair = [Came::imported("2026-03-02T10:00:00Z", took, answer), Came::imported(second, 30, 204)];
    if second_first {
        pair.reverse();
    }
    pair.iter().for_each(|came| drop(log.record(came, &body)));
    let mut rows = standings(&log);
    rows.sort_by_key(|row| row["copy"].as_i64());
    assert_eq!((&rows[0]["standing"], &rows[0]["cause"]), (&json!("first"), &Value::Null));
    assert_eq!((&rows[1]["cause"], &rows[1]["confidence"]), (&json!(cause), &json!(confidence)));
    assert_eq!(event(&log, "ev")["applied"], 1);
}

#[test]
fn s03_an_id_is_known_for_good() {
    let log = TestLog::new();
    let body = account("ev_old", "account.connected", "2026-03-01T08:59:58Z", "ac_old");
    log.record(&Came::imported("2026-03-01T09:00:00Z", 35, 204), &body);
    log.db.execute_batch("DELETE FROM bodies; UPDATE events SET text = NULL;").unwrap();
    for at in ["2026-03-10T11:00:00Z", "2027-03-10T11:00:00Z"] {
        let recorded = log.record(&Came::imported(at, 35, 204), &body);
        assert_eq!(recorded.standing, Standing::Duplicate);
    }
    assert!(
        standings(&log)[1..].iter().all(|row| row["cause"] == "redelivered_by_hand" && row["confidence"] == "high")
    );
    let told = event(&log, "ev_old");
    assert_eq!((&told["arrivals"], &told["applied"]), (&json!(3), &json!(1)));
    assert_eq!(lane(&log, "account:ac_old")["event"], "ev_old");
}

#[rstest]
fn s05_target_older_than_roll_up_in_either_order_of_recording(#[values(false, true)] turned: bool) {
    let log = TestLog::new();
    let roll_up = json!({"id": "ev_6", "event": "post.partial", "timestamp": "2026-03-02T10:00:05Z", "post": {"id": "po_6",
        "status": "partial", "platforms": [{"platform": "linkedin", "accountId": "ac_li", "status": "failed"}]}});
    let mut pair = [
        (Came::imported("2026-03-02T10:00:06Z", 35, 204), roll_up.to_string()),
        (
            Came::imported("2026-03-02T10:07:30Z", 35, 204),
            target("ev_7", "2026-03-02T10:00:02Z", "po_6", "ac_ig", "published"),
        ),
    ];
    if turned {
        pair.reverse();
    }
    pair.iter().for_each(|(came, body)| drop(log.record(came, body)));
    let late = event(&log, "ev_7");
    assert_eq!((&late["placing"], &late["late_by_ms"]), (&json!("late"), &json!(448_000)));
    assert_eq!((&late["overtaken_by"], &late["stale_lanes"]), (&json!("ev_6"), &json!(r#"["post:po_6"]"#)));
    assert_eq!(event(&log, "ev_6")["placing"], "in_order");
    assert_eq!(log.lanes().len(), 3);
    assert_eq!(
        (&lane(&log, "post:po_6")["status"], &lane(&log, "post:po_6")["event"]),
        (&json!("partial"), &json!("ev_6"))
    );
    assert_eq!(lane(&log, "post:po_6/ac_ig")["status"], "published");
    let fetched: Moment = "2026-03-02T10:08:00Z".parse().unwrap();
    log.sight("post:po_6", "post:po_6", "partial", fetched);
    log.sight("post:po_6", "post:po_6/ac_ig", "published", fetched);
    for name in ["post:po_6", "post:po_6/ac_ig"] {
        let lane = lane(&log, name);
        assert_eq!((&lane["confirmed_ns"], &lane["source"]), (&json!(fetched.0), &json!("event")));
    }
    assert_eq!(lane(&log, "post:po_6/ac_li")["confirmed_ns"], Value::Null);
}

#[test]
fn s06_instants_are_compared_and_a_tie_waits_for_a_fetch() {
    let log = TestLog::new();
    for (id, name, happened, at) in [
        ("ev_c1", "account.connected", "2026-03-02T10:00:00Z", "01Z"),
        ("ev_c2", "account.disconnected", "2026-03-02T10:00:00.000+00:00", "02Z"),
        ("ev_c3", "account.connected", "2026-03-02T11:00:00+01:00", "03Z"),
    ] {
        let came = Came::imported(&format!("2026-03-02T10:00:{at}"), 35, 204);
        log.record(&came, &account(id, name, happened, "ac_c"));
        assert_eq!(event(&log, id)["happened"], happened, "kept as it was written");
    }
    assert!(["ev_c1", "ev_c2", "ev_c3"].iter().all(|id| event(&log, id)["placing"] == "tie"));
    let tied = lane(&log, "account:ac_c");
    assert_eq!((&tied["tie"], &tied["status"], &tied["wants_fetch"]), (&json!(1), &Value::Null, &json!(1)));
    log.sight("account:ac_c", "account:ac_c", "connected", "2026-03-02T10:01:00Z".parse().unwrap());
    let settled = lane(&log, "account:ac_c");
    assert_eq!((&settled["tie"], &settled["status"]), (&json!(0), &json!("connected")));
}

#[test]
fn s07_an_old_disconnect_disconnects_nothing() {
    let log = TestLog::new();
    let connected = account("ev_13", "account.connected", "2026-03-02T12:30:00Z", "ac_li");
    let disconnected = account("ev_12", "account.disconnected", "2026-03-02T11:31:00Z", "ac_li");
    log.record(&Came::imported("2026-03-02T12:30:01Z", 35, 204), &connected);
    log.record(&Came::imported("2026-03-02T12:31:10Z", 35, 204), &disconnected);
    let late = event(&log, "ev_12");
    assert_eq!((&late["placing"], &late["late_by_ms"]), (&json!("late"), &json!(3_610_000)));
    assert_eq!((&late["overtaken_by"], &late["stale_lanes"]), (&json!("ev_13"), &json!(r#"["account:ac_li"]"#)));
    assert_eq!(late["applied"], 0);
    let lane = lane(&log, "account:ac_li");
    assert_eq!((&lane["status"], &lane["event"]), (&json!("connected"), &json!("ev_13")));
}

#[test]
fn s14_tests_never_count() {
    let log = TestLog::new();
    let failed = |id: &str, happened: &str, test: Value| {
        json!({"id": id, "event": "post.failed", "timestamp": happened, "test": test,
               "post": {"id": "po_14", "status": "failed", "platforms": []}})
        .to_string()
    };
    let hello = json!({"id": "ev_hello", "event": "webhook.test", "timestamp": "2026-03-02T10:05:03Z"}).to_string();
    for (at, body) in [
        ("10:00:01Z", target("ev_14", "2026-03-02T10:00:00Z", "po_14", "ac_li", "published")),
        ("10:05:01Z", failed("ev_15", "2026-03-02T10:05:00Z", json!(true))),
        ("10:05:02Z", failed("ev_16", "2026-03-02T10:05:00Z", json!(true))),
        ("10:05:03Z", hello),
        ("10:11:01Z", failed("ev_false", "2026-03-02T10:09:00Z", json!(false))),
        ("10:11:02Z", failed("ev_text", "2026-03-02T10:09:00Z", json!("true"))),
        ("10:11:03Z", failed("ev_null", "2026-03-02T10:09:00Z", Value::Null)),
        ("10:10:00Z", target("ev_17", "2026-03-02T10:02:00Z", "po_14", "ac_ig", "published")),
    ] {
        log.record(&Came::imported(&format!("2026-03-02T{at}"), 35, 204), &body);
    }
    let again = log.record(
        &Came::imported("2026-03-02T10:05:09Z", 35, 204),
        &failed("ev_15", "2026-03-02T10:05:00Z", json!(true)),
    );
    assert_eq!(again.standing, Standing::Test, "a copy of a test is a test");
    for id in ["ev_15", "ev_16", "ev_hello", "ev_false", "ev_text", "ev_null"] {
        assert_eq!(event(&log, id)["applied"], 0, "{id}");
    }
    for id in ["ev_false", "ev_text", "ev_null"] {
        assert_eq!(event(&log, id)["flags"], r#"["odd_test"]"#, "{id}");
    }
    let last = event(&log, "ev_17");
    assert_eq!((&last["placing"], &last["applied"]), (&json!("in_order"), &json!(1)));
    let post = lane(&log, "post:po_14");
    assert_eq!((&post["event"], &post["status"]), (&json!("ev_17"), &json!("publishing")));
    let rows = standings(&log);
    assert_eq!(rows.iter().filter(|row| row["standing"] == "test").count(), 4);
    assert_eq!(rows.iter().filter(|row| row["standing"] == "duplicate").count(), 0);
    assert!(log.lanes().iter().all(|lane| lane["status"] != "failed"));
}

#[test]
fn x02_twins_are_two_events_and_shared_posts_are_none() {
    let log = TestLog::new();
    for (id, at) in [("ev_t1", "01Z"), ("ev_t2", "02Z")] {
        let came = Came::imported(&format!("2026-03-02T10:00:{at}"), 35, 204);
        log.record(&came, &target(id, "2026-03-02T10:00:00Z", "po_t", "ac_li", "published"));
        assert_eq!(event(&log, id)["arrivals"], 1);
    }
    assert!(["ev_t1", "ev_t2"].iter().all(|id| event(&log, id)["flags"] == r#"["twin"]"#));
    log.record(
        &Came::imported("2026-03-02T10:00:05Z", 35, 204),
        &target("ev_p2", "2026-03-02T10:00:04Z", "po_t", "ac_ig", "published"),
    );
    assert_eq!(event(&log, "ev_p2")["flags"], "[]");
}

#[test]
fn x08_a_clock_ahead_is_skew() {
    let log = TestLog::new();
    let body = account("ev_ahead", "account.connected", "2026-03-02T10:04:00Z", "ac_li");
    log.record(&Came::imported("2026-03-02T10:00:00Z", 35, 204), &body);
    let told = event(&log, "ev_ahead");
    assert_eq!((&told["placing"], &told["flags"]), (&json!("in_order"), &json!(r#"["clock_skew"]"#)));
    assert_eq!(told["late_by_ms"], Value::Null);
    assert_eq!(lane(&log, "account:ac_li")["status"], "connected");
}

#[test]
fn x10_a_forger_burns_no_id() {
    let log = TestLog::new();
    let forged = account("ev_real", "account.disconnected", "2026-03-02T11:00:00Z", "ac");
    let recorded = log.record(&Came::live("2026-03-02T11:00:01Z", Channel::Forged), &forged);
    assert_eq!((recorded.standing, recorded.copy, recorded.event), (Standing::Quarantined, 0, None));
    assert!(log.rows("SELECT * FROM events").is_empty() && log.lanes().is_empty());
    let honest = account("ev_real", "account.connected", "2026-03-02T10:00:00Z", "ac");
    let recorded = log.record(&Came::live("2026-03-02T11:00:02Z", Channel::Signed), &honest);
    assert_eq!((recorded.standing, recorded.copy), (Standing::First, 1));
    assert_eq!(lane(&log, "account:ac")["status"], "connected");
    assert_eq!(
        log.rows("SELECT answer, event FROM arrivals WHERE seq = 1"),
        [json!({"answer": 401, "event": "ev_real"})]
    );
}

#[test]
fn x11_every_body_leaves_a_row() {
    let log = TestLog::new();
    let bodies =
        ["", "not json", "[1,2,3]", r#"{"event":"post.failed"}"#, r#"{"id":"a","id":"b"}"#, r#"{"id":"\ud800"}"#];
    for body in bodies {
        let recorded = log.record(&Came::live("2026-03-02T10:00:00Z", Channel::Unchecked), body);
        assert_eq!(recorded.standing, Standing::Unreadable, "{body}");
    }
    assert_eq!(
        log.rows("SELECT * FROM arrivals WHERE flags = '[\"unreadable\"]' AND answer = 204").len(),
        bodies.len()
    );
    assert!(log.rows("SELECT * FROM events").is_empty());
    let unknown = r#"{"id":"ev_new","event":"garden.watered","timestamp":"2026-03-02T10:00:00Z","garden":{"id":"g1"}}"#;
    let timeless = r#"{"id":"ev_timeless","event":"post.failed","post":{"id":"po_x","status":"failed"}}"#;
    for body in [unknown, timeless] {
        log.record(&Came::live("2026-03-02T10:00:00Z", Channel::Unchecked), body);
    }
    assert_eq!(event(&log, "ev_new")["flags"], r#"["unknown_event"]"#);
    let told = event(&log, "ev_timeless");
    assert_eq!((&told["placing"], &told["flags"]), (&json!("unplaced"), &json!(r#"["no_timestamp"]"#)));
    assert!(log.lanes().is_empty());
}

#[rstest]
fn the_most_trusted_body_counts_in_any_order_of_recording(#[values(0, 1, 2)] turn: usize) {
    let log = TestLog::new();
    let of = |lane: &str| account("ev", "account.connected", "2026-03-02T10:00:00Z", lane);
    let mut came = [
        (Came::imported("2026-03-02T10:00:01Z", 5, 204), of("ac_import")),
        (Came::live("2026-03-02T10:00:02Z", Channel::Unchecked), of("ac_unchecked")),
        (Came::live("2026-03-02T10:00:03Z", Channel::Signed), of("ac_signed")),
    ];
    came.rotate_left(turn);
    came.iter().for_each(|(came, body)| drop(log.record(came, body)));
    assert_eq!(event(&log, "ev")["resource"], "account:ac_signed");
    let lanes: Vec<_> = log.lanes().into_iter().map(|lane| lane["lane"].clone()).collect();
    assert_eq!(lanes, ["account:ac_signed"], "nothing is left of the bodies that do not count");
    let differ = log.rows("SELECT seq FROM standings WHERE flags = '[\"body_differs\"]'");
    assert_eq!(differ.len(), 2);
    assert_eq!(
        log.rows("SELECT copy FROM standings s JOIN arrivals a USING (seq) ORDER BY a.at_ns"),
        [json!({"copy": 1}), json!({"copy": 2}), json!({"copy": 3})]
    );
}

#[test]
fn causes_follow_what_became_of_the_answer() {
    let log = TestLog::new();
    let body = account("ev", "account.connected", "2026-03-02T10:00:00Z", "ac");
    let first = log.record(&Came::live("2026-03-02T10:00:00Z", Channel::Signed), &body);
    log.record(&Came::live("2026-03-02T10:00:10Z", Channel::Signed), &body);
    let cause = || standings(&log)[1]["cause"].clone();
    assert_eq!(cause(), "slow_answer", "ten seconds on, the first answer is still not out");
    let left = "2026-03-02T10:00:00.020Z".parse().unwrap();
    record_answer(&log.db, first.seq, Some(left), Some(20), &log.pozy).unwrap();
    assert_eq!(cause(), "lost_answer");
    record_answer(&log.db, first.seq, None, None, &log.pozy).unwrap();
    assert_eq!(cause(), "lost_answer", "the first note stands");
}

#[test]
fn an_answer_that_never_left_failed() {
    let log = TestLog::new();
    let body = account("ev", "account.connected", "2026-03-02T10:00:00Z", "ac");
    let first = log.record(&Came::live("2026-03-02T10:00:00Z", Channel::Signed), &body);
    log.record(&Came::live("2026-03-02T10:00:10Z", Channel::Signed), &body);
    record_answer(&log.db, first.seq, None, None, &log.pozy).unwrap();
    let row = &standings(&log)[1];
    assert_eq!(
        (&row["cause"], &row["confidence"], &row["rests_on"]),
        (&json!("failed_answer"), &json!("high"), &json!(1))
    );
}

#[test]
fn equal_lines_are_counted_to_the_millisecond() {
    let log = TestLog::new();
    let body = account("ev", "account.connected", "2026-03-02T10:00:00Z", "ac");
    let hash = crate::inbound::arrival::body_hash(body.as_bytes());
    let at: Moment = "2026-03-02T10:00:00.0019Z".parse().unwrap();
    assert_eq!(arrivals::count_equal(&log.db, at, None, Some(hash), ImportId(0)).unwrap(), 0);
    for micros in ["001000", "001999", "002000"] {
        log.record(&Came::imported(&format!("2026-03-02T10:00:00.{micros}Z"), 5, 204), &body);
    }
    assert_eq!(arrivals::count_equal(&log.db, at, None, Some(hash), ImportId(0)).unwrap(), 2);
    assert_eq!(arrivals::count_equal(&log.db, at, None, Some([1; 16]), ImportId(0)).unwrap(), 0);
}

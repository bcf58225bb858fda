//! Messages that Pozy did not send, or not now.

use serde_json::json;

use super::{
    table,
    target::{SECRET, Target, account_event},
};
use crate::program::Place;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_forged_message_is_set_aside_and_moves_nothing() {
    let mut target = Target::verifying();
    let body = account_event("ev_forged");
    let good = pozy_sandbox::signature(SECRET, body.as_bytes());
    let bytes: Vec<u8> =
        (0..good.len()).step_by(2).map(|at| u8::from_str_radix(&good[at..at + 2], 16).unwrap()).collect();
    let base64 = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, &bytes);
    let signatures = [
        String::new(),
        "00".to_owned(),
        good[..good.len() - 2].to_owned(),
        format!("{good}00"),
        format!("{good}zz"),
        good.replace(&good[..1], if good.starts_with('0') { "1" } else { "0" }),
        base64,
        format!("sha1={good}"),
        format!("v1,{good}"),
        format!("{good},{good}"),
        format!("\"{good}\""),
        pozy_sandbox::signature("the secret of last year", body.as_bytes()),
        pozy_sandbox::signature("", body.as_bytes()),
        pozy_sandbox::signature(SECRET, account_event("ev_other").as_bytes()),
        pozy_sandbox::signature(SECRET, format!("{body} ").as_bytes()),
        pozy_sandbox::signature(SECRET, b""),
        "0".repeat(60_000),
    ];
    let mut times = 0;
    for signature in &signatures {
        let status = target.send(body.clone(), &[("x-pozy-signature", signature)]).await;
        assert_eq!(status, Some(401), "{signature:.80}");
        times += 1;
    }
    for headers in [
        vec![],
        vec![("x-signature", good.as_str())],
        vec![("authorization", good.as_str())],
        vec![("x-pozy-signature", "00"), ("x-pozy-signature", "11")],
    ] {
        assert_eq!(target.send(body.clone(), &headers).await, Some(401), "{headers:?}");
        times += 1;
    }
    let rows = target.rows("arrivals");
    assert_eq!(rows.len(), times);
    assert!(rows.iter().all(|row| row["standing"] == "quarantined" && row["answer"] == 401), "{rows:?}");
    assert!(target.rows("events").is_empty() && target.rows("lanes").is_empty());
    target.honest().await;
    target.note(table::FORGED, times);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_forger_burns_no_id() {
    let mut target = Target::verifying();
    let times = 20;
    for n in 0..times {
        let forged = json!({"id": format!("ev_honest_{n}"), "event": "account.disconnected", "timestamp": "2026-05-01T08:00:00Z",
                            "account": {"accountId": format!("ac_ev_honest_{n}")}});
        for _ in 0..3 {
            assert_eq!(target.send(forged.to_string(), &[("x-pozy-signature", "00")]).await, Some(401));
        }
        target.honest().await;
    }
    let lanes = target.rows("lanes");
    assert!(lanes.len() == times && lanes.iter().all(|lane| lane["status"] == "connected"), "{lanes:?}");
    target.note(table::BURNED, times);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_true_message_that_is_sent_again_months_later_is_a_copy() {
    let mut place = Place::new();
    place.set("POZY_WEBHOOK_SECRET", SECRET);
    let mut target = Target::on(place, &["--now", "2026-04-14T08:00:05Z"]);
    target.honest().await;
    let later = json!({"id": "ev_later", "event": "account.disconnected", "timestamp": "2026-04-14T08:00:03Z",
                       "account": {"accountId": "ac_ev_honest_0"}})
    .to_string();
    assert_eq!(target.send_signed(later.as_bytes()).await, 204);
    assert_eq!(target.listen.stop().unwrap(), Some(0));
    let Target { place, .. } = target;

    let again = Target::on(place, &["--now", "2026-09-20T08:00:05Z"]);
    let times = 5;
    for _ in 0..times {
        assert_eq!(
            again.send_signed(account_event("ev_honest_0").as_bytes()).await,
            204,
            "Pozy may redeliver at any time"
        );
    }
    let rows = again.rows("arrivals");
    let copies: Vec<_> = rows.iter().filter(|row| row["standing"] == "duplicate").collect();
    assert_eq!(copies.len(), times);
    assert!(copies.iter().all(|row| row["cause"]["code"] == "redelivered_by_hand"), "{copies:?}");
    let lanes = again.rows("lanes");
    assert!(lanes.iter().all(|lane| lane["status"] == "disconnected"), "the old news moves nothing: {lanes:?}");
    assert!(again.rows("events").iter().all(|row| row["applied"] == 1), "each moved its lane once");
    again.note(table::REPLAYED, times);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_web_page_makes_up_no_message() {
    let target = Target::unchecked();
    let pages = [
        ("origin", "http://elsewhere.example"),
        ("origin", "null"),
        ("origin", "http://127.0.0.1:3000"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("sec-fetch-site", "same-origin"),
    ];
    for page in pages {
        let headers = [page, ("content-type", "text/plain")];
        assert_eq!(target.send(account_event("ev_page"), &headers).await, Some(403), "{page:?}");
    }
    assert!(target.rows("arrivals").is_empty());
    assert_eq!(target.send(account_event("ev_curl"), &[("user-agent", "curl/8")]).await, Some(204));
    target.note(table::FROM_A_PAGE, pages.len());
}

//! Looking through the log as the screens do: filters against a look at every row, the chain from each of its ends, two
//! arrivals side by side, requests as commands, and signature settings tried on what came.

use std::sync::Arc;

use reprise_core::{
    clock::Moment,
    desk::{Desk, Runs},
    import::log,
};
use serde_json::{Value, json};

use super::desk;

/// Mon 2 Mar 2026, 10:00 UTC.
const START: i64 = 1_772_445_600_000;
const MINUTE: i64 = 60_000;

async fn desk_at(dir: &tempfile::TempDir, runs: Runs) -> Desk {
    desk::open(dir.path(), START + 24 * 60 * MINUTE, runs).await
}

async fn import(desk: &Desk, name: &str, lines: &[Value]) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let workspace = desk.workspace_for_imports().await.unwrap();
    let (store, contract) = (desk.store().await, desk.contract().await);
    let (order, from) = (log::Order::plain(name, workspace), std::io::Cursor::new(text));
    let report = log::import(&store, desk.clock(), &contract, order, from, &Arc::default()).await.unwrap();
    assert_eq!(report.bad, []);
}

fn at(ms: i64) -> String {
    Moment::from_millis(ms).to_string()
}

fn arrival(ms: i64, body: &Value) -> Value {
    json!({"kind": "arrival", "at": at(ms), "took_ms": 30, "answer": 204, "body": body})
}

/// A log with messages of several kinds, copies, late ones, tests and arrivals set aside.
fn mixed() -> Vec<Value> {
    let platforms = ["linkedin", "instagram", "facebook"];
    let mut lines = Vec::new();
    for n in 0..300_i64 {
        let platform = platforms[usize::try_from(n % 3).unwrap()];
        let name = if n % 7 == 0 { "post.platform.failed" } else { "post.platform.published" };
        let happened = START + n * MINUTE - if n % 11 == 0 { 90 * MINUTE } else { 0 };
        let body = json!({
            "id": format!("ev_{n}"), "event": name, "timestamp": at(happened),
            "post": {"id": format!("po_{}", n % 40), "content": format!("Message {n} of a fair")},
            "platform": {"name": platform, "status": "published", "note": format!("needle{}needle", n % 50)},
            "account": {"accountId": format!("ac_{}", n % 5)},
        });
        lines.push(arrival(START + n * MINUTE, &body));
        if n % 9 == 0 {
            lines.push(arrival(START + n * MINUTE + 20_000, &body));
        }
        if n % 60 == 0 {
            let odd = json!({"kind": "arrival", "at": at(START + n * MINUTE + 1), "took_ms": 3, "answer": 204, "body_text": format!("no json, needle{n}")});
            lines.push(odd);
        }
    }
    lines
        .push(arrival(START, &json!({"id": "ev_test", "event": "webhook.test", "test": true, "timestamp": at(START)})));
    lines
}

async fn pages(desk: &Desk, args: &Value, limit: u32) -> Vec<Value> {
    let (mut rows, mut after) = (Vec::new(), Value::Null);
    for _ in 0..5_000 {
        let mut asked = args.clone();
        asked["limit"] = json!(limit);
        if !after.is_null() {
            asked["after"] = after;
        }
        let page = desk.call("events", asked).await.unwrap();
        rows.extend(page["rows"].as_array().unwrap().iter().cloned());
        after = page["next"].clone();
        if after.is_null() {
            return rows;
        }
    }
    panic!("the pages of {args} have no end");
}

fn ids(rows: &[Value]) -> Vec<String> {
    rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_filter_gives_what_a_look_at_every_row_gives_in_pages_of_any_size() {
    let dir = tempfile::tempdir().unwrap();
    let desk = desk_at(&dir, Runs::Nothing).await;
    import(&desk, "mixed.jsonl", &mixed()).await;
    let all = pages(&desk, &json!({}), 200).await;
    assert_eq!(all.len(), 306);
    let word = |row: &Value, field: &str| row[field].as_str().unwrap_or_default().to_owned();
    let last = |row: &Value| row["last_arrived"]["ms"].as_i64().unwrap();
    type Fits<'a> = Box<dyn Fn(&Value) -> bool + 'a>;
    let cases: Vec<(Value, Fits<'_>)> = vec![
        (
            json!({"filter": {"name": "post.platform.failed"}}),
            Box::new(|row| word(row, "name") == "post.platform.failed"),
        ),
        (json!({"filter": {"platform": "facebook"}}), Box::new(|row| word(row, "platform") == "facebook")),
        (json!({"filter": {"account": "ac_3"}}), Box::new(|row| word(row, "account") == "ac_3")),
        (json!({"filter": {"about": "post:po_7"}}), Box::new(|row| word(row, "resource") == "post:po_7")),
        (
            json!({"only": "copies", "filter": {"platform": "linkedin", "account": "ac_0"}}),
            Box::new(|row| {
                row["arrivals"].as_i64() > Some(1)
                    && word(row, "platform") == "linkedin"
                    && word(row, "account") == "ac_0"
            }),
        ),
        (json!({"filter": {"cause": "lost_answer"}}), Box::new(|row| row["cause"]["code"] == "lost_answer")),
        (json!({"filter": {"cause": "slow_answer"}}), Box::new(|_| false)),
        (json!({"filter": {"late_ms": 30 * MINUTE}}), Box::new(|row| row["late_by_ms"].as_i64() >= Some(30 * MINUTE))),
        (
            json!({"filter": {"from_ms": START + 90 * MINUTE, "to_ms": START + 120 * MINUTE}}),
            Box::new(|row| (START + 90 * MINUTE..=START + 120 * MINUTE).contains(&last(row))),
        ),
        (json!({"filter": {"text": " \"MESSAGE 1 OF\""}}), Box::new(|row| word(row, "text").contains("Message 1 of"))),
        (json!({"filter": {"text": "instagram FAIR"}}), Box::new(|row| word(row, "platform") == "instagram")),
        (
            json!({"filter": {"text": "fair account:ac_2 post:po_7"}}),
            Box::new(|row| word(row, "account") == "ac_2" && word(row, "resource") == "post:po_7"),
        ),
    ];
    for (args, fits) in cases {
        let expected: Vec<Value> = all.iter().filter(|row| fits(row)).cloned().collect();
        assert!(args["filter"]["cause"] == "slow_answer" || !expected.is_empty(), "{args} fits nothing");
        for limit in [1, 7, 100] {
            assert_eq!(ids(&pages(&desk, &args, limit).await), ids(&expected), "{args} in pages of {limit}");
        }
    }
    // Bodies are looked into, of arrivals set aside too.
    let found = ids(&pages(&desk, &json!({"filter": {"text": "needle0"}}), 100).await);
    assert_eq!(found.iter().filter(|id| id.starts_with("event:")).count(), 6, "{found:?}");
    assert_eq!(found.iter().filter(|id| id.starts_with("arrival:")).count(), 1, "{found:?}");
    let asides = pages(&desk, &json!({"only": "set_aside", "filter": {"text": "no json"}}), 100).await;
    assert_eq!(asides.len(), 5);
}

#[tokio::test]
async fn a_look_says_how_far_it_came_and_meets_only_what_is_new_afterwards() {
    let dir = tempfile::tempdir().unwrap();
    let desk = desk_at(&dir, Runs::Nothing).await;
    import(&desk, "mixed.jsonl", &mixed()).await;
    let args = json!({"filter": {"text": "nothing has these words"}, "limit": 5});
    let first = desk.call("events", args.clone()).await.unwrap();
    assert_eq!((first["rows"].as_array().unwrap().len(), &first["next"]), (0, &Value::Null));
    assert_eq!(first["looked"]["oldest"]["ms"], START);
    assert_eq!(first["looked"]["reached"]["ms"], START);
    let newest = first["looked"]["newest"].clone();
    let since = |newest: &Value| json!({"filter": {"platform": "linkedin"}, "since": newest, "limit": 50});
    assert_eq!(desk.call("events", since(&newest)).await.unwrap()["rows"], json!([]));
    let body = json!({"id": "ev_new", "event": "post.platform.published", "timestamp": at(START),
                      "post": {"id": "po_new"}, "platform": {"name": "linkedin"}, "account": {"accountId": "ac_9"}});
    import(&desk, "more.jsonl", &[arrival(START + 20 * 60 * MINUTE, &body)]).await;
    let came = desk.call("events", since(&newest)).await.unwrap();
    assert_eq!(ids(came["rows"].as_array().unwrap()), ["event:ev_new"]);
    assert_ne!(came["looked"]["newest"], newest);
    let kinds = desk.call("event_kinds", json!({})).await.unwrap();
    assert_eq!(kinds["platforms"], json!(["facebook", "instagram", "linkedin"]));
    assert_eq!(kinds["accounts"].as_array().unwrap().len(), 6);
    assert!(kinds["names"].as_array().unwrap().contains(&json!("post.platform.failed")));
}

/// Two jobs of one post, one of them with a lost answer, its messages, and another post under the same key.
fn story() -> Vec<Value> {
    let attempt = |ms: i64, job: &str, n: i64, key: &str, result: Value| {
        json!({"kind": "attempt", "at": at(ms), "job": job, "n": n, "method": "POST", "path": "/v1/posts", "workspace": "mill",
               "key": key, "request_id": "rq_1", "result": result,
               "body": {"content": "It's noon", "access_token": "tok_fig", "platforms": [{"platform": "linkedin", "accountId": "ac_mill"}],
                        "timezone": "Asia/Kathmandu"}})
    };
    let body = json!({"id": "ev_1", "event": "post.platform.published", "timestamp": at(START + MINUTE), "client_secret": "plum",
                      "post": {"id": "po_1", "content": "It's noon"}, "platform": {"name": "linkedin", "status": "published"},
                      "account": {"accountId": "ac_mill"}});
    let mut again = arrival(START + 2 * MINUTE + 20_000, &body);
    again["headers"] = json!({"X-Pozy-Signature": "sha256=00", "X-Odd": "a'b"});
    vec![
        attempt(START, "job_1", 1, "k-1", json!({"kind": "timeout", "at": at(START + 30_000)})),
        attempt(
            START + MINUTE,
            "job_1",
            2,
            "k-1",
            json!({"kind": "answered", "at": at(START + MINUTE + 400), "status": 200,
            "headers": {"x-request-id": "rq_1"}, "body": {"post": {"_id": "po_1", "content": "It's noon"}}}),
        ),
        attempt(
            START + 3 * MINUTE,
            "job_2",
            1,
            "k-1",
            json!({"kind": "answered", "at": at(START + 3 * MINUTE + 400), "status": 200,
            "headers": {}, "body": {"post": {"_id": "po_1", "content": "It's noon"}}}),
        ),
        attempt(
            START + 4 * MINUTE,
            "job_3",
            1,
            "k-3",
            json!({"kind": "answered", "at": at(START + 4 * MINUTE + 400), "status": 201,
            "headers": {}, "body": {"post": {"_id": "po_3", "content": "Other"}}}),
        ),
        arrival(START + 2 * MINUTE, &body),
        again,
    ]
}

#[tokio::test]
async fn everything_that_belongs_together_is_found_from_each_of_its_ends() {
    let dir = tempfile::tempdir().unwrap();
    let desk = desk_at(&dir, Runs::Nothing).await;
    import(&desk, "story.jsonl", &story()).await;
    let names = |found: &Value, list: &str, field: &str| -> Vec<String> {
        found[list].as_array().unwrap().iter().map(|one| one[field].as_str().unwrap().to_owned()).collect()
    };
    for args in [
        json!({"event": "ev_1"}),
        json!({"seq": 1}),
        json!({"post": "po_1"}),
        json!({"job": "job_1"}),
        json!({"job": "job_2"}),
    ] {
        let found = desk.call("chain", args.clone()).await.unwrap();
        assert_eq!(names(&found, "keys", "key"), ["k-1"], "{args}");
        assert_eq!(found["keys"][0]["jobs"], json!(["job_1", "job_2"]), "{args}");
        assert_eq!(names(&found, "jobs", "job"), ["job_1", "job_2"], "{args}");
        assert_eq!(found["tries"].as_array().unwrap().len(), 3, "{args}");
        assert_eq!(names(&found, "posts", "post"), ["po_1"], "{args}");
        assert_eq!(names(&found, "messages", "event"), ["ev_1"], "{args}");
        let arrivals = if args["event"].is_null() && args["seq"].is_null() { 0 } else { 2 };
        assert_eq!(found["arrivals"].as_array().unwrap().len(), arrivals, "{args}");
        assert_eq!(found["more"], false);
    }
    let other = desk.call("chain", json!({"job": "job_3"})).await.unwrap();
    assert_eq!(names(&other, "posts", "post"), ["po_3"]);
    for wrong in
        [json!({}), json!({"event": "ev_1", "job": "job_1"}), json!({"event": "ev_none"}), json!({"job": "none"})]
    {
        assert!(desk.call("chain", wrong.clone()).await.is_err(), "{wrong}");
    }
    let post = desk.call("post", json!({"post": "po_1"})).await.unwrap();
    assert_eq!((&post["text"], &post["timezone"]), (&json!("It's noon"), &json!("Asia/Kathmandu")));
    let lane = &post["lanes"].as_array().unwrap().iter().find(|lane| lane["account"] == "ac_mill").unwrap().clone();
    assert_eq!(
        (&lane["status"], &lane["platform"], &lane["event"]),
        (&json!("published"), &json!("linkedin"), &json!("ev_1"))
    );
    assert!(desk.call("post", json!({"post": "po_none"})).await.is_err());
    let zones = desk.call("account_zones", json!({})).await.unwrap();
    assert_eq!(
        zones,
        json!({"usual": "Asia/Kathmandu", "accounts": [{"account": "ac_mill", "zone": "Asia/Kathmandu"}]})
    );
}

#[tokio::test]
async fn requests_leave_as_commands_and_details_without_their_secrets() {
    let dir = tempfile::tempdir().unwrap();
    let desk = desk_at(&dir, Runs::Nothing).await;
    import(&desk, "story.jsonl", &story()).await;
    let attempt = desk.call("attempt", json!({"job": "job_1", "n": 2})).await.unwrap();
    assert_eq!(attempt["request_id"], "rq_1");
    assert_eq!(attempt["headers"], json!([["x-request-id", "rq_1"]]));
    let curl = desk.call("curl", json!({"job": "job_1", "n": 1})).await.unwrap();
    let command = curl["command"].as_str().unwrap();
    assert!(command.starts_with("curl -sS -i -X 'POST'") && command.contains("'Idempotency-Key: k-1'"), "{command}");
    assert!(command.contains("\"${POZY_URL:?}\"'/v1/posts'"), "an imported try names no address: {command}");
    assert_eq!(curl["risky"], true, "its key is over a day old");
    let names = curl["variables"].as_array().unwrap();
    assert!(names.contains(&json!("POZY_API_KEY")) && names.len() == 3, "{names:?}");
    let arrival = desk.call("curl", json!({"seq": 2})).await.unwrap();
    assert!(arrival["command"].as_str().unwrap().contains(r"'X-Odd: a'\''b'"), "{arrival}");
    assert_eq!(arrival["risky"], false);
    let compared = desk.call("compare", json!({"first": 1, "second": 2})).await.unwrap();
    assert_eq!(compared["first"]["body"], compared["second"]["body"], "equal secrets look equal");
    for answer in [attempt, curl, arrival, compared] {
        let text = answer.to_string();
        assert!(!text.contains("tok_fig") && !text.contains("plum") && !text.contains("sha256=00"), "{text}");
    }
    let post = desk.call("curl", json!({"post": "po_1"})).await.unwrap();
    let command = post["command"].as_str().unwrap();
    assert!(command.contains("'GET'") && command.contains("\"${POZY_URL:?}\"'/v1/posts/po_1'"), "{command}");
    assert_eq!(post["risky"], false, "it only reads");
    assert!(desk.call("curl", json!({"post": "po/../../x"})).await.is_err());
    assert!(desk.call("curl", json!({"job": "job_1", "n": 9})).await.is_err());
    assert!(desk.call("curl", json!({})).await.is_err());
}

#[tokio::test]
async fn bodies_that_came_here_age_out_and_imported_ones_stay() {
    let dir = tempfile::tempdir().unwrap();
    let desk = desk_at(&dir, Runs::On("127.0.0.1:0".parse().unwrap())).await;
    import(&desk, "mixed.jsonl", &mixed()).await;
    let url = desk.ears().await.url.unwrap();
    let send = async |n: i64| {
        let body = json!({"id": format!("live_{n}"), "event": "webhook.test", "test": true, "timestamp": at(START)});
        assert!(reqwest::Client::new().post(&url).json(&body).send().await.unwrap().status().is_success());
    };
    send(1).await;
    let now = desk.clock().now();
    let bodies = async || -> i64 {
        let store = desk.store().await;
        sqlx::Row::get(&sqlx::query("SELECT count(*) FROM bodies").fetch_one(store.pool()).await.unwrap(), 0)
    };
    let before = bodies().await;
    desk.call("save_retention", json!({"bodies_days": 7, "log_mb": null})).await.unwrap();
    assert_eq!(bodies().await, before, "nothing is old enough");
    desk.clock().set(now.plus_seconds(8 * 24 * 3_600));
    send(2).await;
    let storage = desk.call("save_retention", json!({"bodies_days": 7, "log_mb": null})).await.unwrap();
    assert_eq!(bodies().await, before, "the old live one has left, the new one has come, imports stay");
    assert_eq!((&storage["bodies_days"], &storage["log_mb"]), (&json!(7), &json!(null)));
    assert!(storage["log_bytes"].as_u64().unwrap() > 0);
    for wrong in [json!({"bodies_days": 0, "log_mb": null}), json!({"bodies_days": null, "log_mb": 1})] {
        assert!(desk.call("save_retention", wrong).await.is_err());
    }
    desk.close().await;
}

#[tokio::test]
async fn signature_settings_are_tried_on_the_last_message_and_hold_once_they_are_kept() {
    use hmac::{Hmac, Mac as _};
    let dir = tempfile::tempdir().unwrap();
    let desk = desk_at(&dir, Runs::AsSet).await;
    desk.call("leave_practice", json!({})).await.unwrap();
    desk.call("save_receiver", json!({"port": free_port()})).await.unwrap();
    let workspace =
        json!({"name": "Harbour", "base_url": "http://127.0.0.1:9", "provider": "pozy", "webhook_secret": "plum"});
    desk.call("save_workspace", workspace).await.unwrap();
    let shipped = desk.call("contract_settings", json!({})).await.unwrap();
    assert_eq!(shipped["signature"], shipped["shipped"]);
    let other = json!({"header": "X-Mill-Sign", "encoding": "hex", "prefix": "v1=", "event_id_header": "X-Mill-Id"});
    let none = desk.call("try_signature", other.clone()).await.unwrap();
    assert_eq!((&none["found"], &none["at"]), (&json!("no_message"), &json!(null)));

    let send = async |n: i64| {
        let url = desk.ears().await.url.unwrap();
        let body = json!({"id": format!("live_{n}"), "event": "webhook.test", "test": true, "timestamp": at(START)})
            .to_string();
        let mut mac = Hmac::<sha2::Sha256>::new_from_slice(b"plum").unwrap();
        mac.update(body.as_bytes());
        let hex: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        let request = reqwest::Client::new().post(&url).header("X-Mill-Sign", format!("v1={hex}"));
        request.header("X-Mill-Id", format!("live_{n}")).body(body).send().await.unwrap().status().as_u16()
    };
    assert_eq!(send(1).await, 401, "what ships looks at another header");
    let wrong = desk.call("try_signature", shipped["signature"].clone()).await.unwrap();
    assert_eq!(wrong["found"], "no_header");
    let suggested = &wrong["suggest"];
    assert_eq!((&suggested["header"], &suggested["prefix"]), (&json!("x-mill-sign"), &json!("v1=")));
    let right = desk.call("try_signature", other.clone()).await.unwrap();
    assert_eq!(
        (&right["found"], &right["id_header"], &right["suggest"]),
        (&json!("fits"), &json!("same"), &json!(null))
    );
    let kept = desk.call("save_signature", json!({"signature": other})).await.unwrap();
    assert_eq!((&kept["signature"], &kept["workspace"]), (&other, &json!("Harbour")));
    assert_eq!(send(2).await, 204, "messages are checked the new way");
    let spaced = json!({"signature": {"header": "no header", "encoding": "hex", "prefix": "", "event_id_header": "x"}});
    assert!(desk.call("save_signature", spaced).await.is_err());
    let back = desk.call("save_signature", json!({"signature": null})).await.unwrap();
    assert_eq!(back["signature"], back["shipped"]);
    assert_eq!(send(3).await, 401);
    desk.close().await;
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

//! A file to import: log lines of the same deliveries as are sent, with the tries that made their posts. The same program
//! started with `BENCH_LINES`, which says how many bytes; they go to standard output.

use std::io::{BufWriter, Write as _};

use reprise_core::clock::Moment;
use serde_json::{Value, json};

use crate::{Outcome, dice::Dice, load::arriving};

/// Says how many bytes are wanted.
pub(crate) const VARIABLE: &str = "BENCH_LINES";
/// Arrivals of one hour.
const EACH_HOUR: usize = 10_000;
const HOUR_MS: i64 = 3_600_000;
/// Copies in a hundred arrivals.
const COPIES: usize = 20;
/// When the first hour ends, milliseconds since 1970: 2026-03-02 10:00 UTC. Always the same, so that the file is, too.
const BEGINS: i64 = 1_772_445_600_000;

/// Writes whole hours until `bytes` are reached.
///
/// # Errors
/// If nobody reads on.
pub(crate) fn write(bytes: u64) -> Outcome<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut dice = Dice::new(1);
    let (mut written, mut end) = (0, BEGINS);
    while written < bytes {
        let (events, order) = arriving(&mut dice, EACH_HOUR, COPIES, Moment::from_millis(end))?;
        let step = HOUR_MS / i64::try_from(order.len())?;
        let mut at = end - HOUR_MS;
        for n in order {
            let event = &events[n];
            at += step;
            // Nothing arrives before it happened.
            let arrived = Moment::from_millis(at.max(event.happened.millis() + 300));
            let body = std::str::from_utf8(&event.body)?;
            if event.name == "post.scheduled" && dice.percent(90) {
                written +=
                    line(&mut out, &attempt(&event.id, event.happened, &serde_json::from_str(body)?).to_string())?;
            }
            let headers = json!({
                "content-type": "application/json",
                "user-agent": "Pozy-Webhooks/1.0",
                "x-pozy-event": event.name,
                "x-pozy-event-id": event.id,
            });
            written += line(
                &mut out,
                &format!(
                    "{{\"kind\":\"arrival\",\"at\":\"{arrived}\",\"took_ms\":35,\"answer\":204,\"signature\":\"valid\",\
                     \"headers\":{headers},\"body\":{body}}}"
                ),
            )?;
        }
        end += HOUR_MS;
    }
    out.flush()?;
    Ok(())
}

fn line(out: &mut impl std::io::Write, text: &str) -> Outcome<u64> {
    out.write_all(text.as_bytes())?;
    out.write_all(b"\n")?;
    Ok(u64::try_from(text.len())? + 1)
}

/// The try that made the post of a scheduled event, shortly before it.
fn attempt(id: &str, happened: Moment, body: &Value) -> Value {
    let post = &body["post"];
    let accounts: Vec<Value> = post["platforms"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|target| json!({ "platform": target["platform"], "accountId": target["accountId"] }))
        .collect();
    json!({
        "kind": "attempt",
        "at": happened.plus_millis(-450).to_string(),
        "job": format!("job_{id}"),
        "n": 1,
        "method": "POST",
        "path": "/v1/posts",
        "workspace": "ws_a",
        "key": id,
        "request_id": null,
        "body": { "content": post["content"], "platforms": accounts },
        "result": {
            "kind": "answered",
            "at": happened.plus_millis(-50).to_string(),
            "status": 201,
            "headers": { "content-type": "application/json" },
            "body": { "post": { "_id": post["id"], "status": "scheduled" } },
        },
    })
}

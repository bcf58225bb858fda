//! The planted secrets, the files that hold them, and how to find one in any spelling. The search is the test's own and
//! undoes what it meets, so that it does not agree with the masking's mistakes.

use std::{collections::BTreeSet, fs};

use base64::{Engine as _, alphabet, engine::GeneralPurpose, engine::general_purpose as base64s};
use serde_json::json;

/// Where each of them stands, and what it is.
pub(super) const PLANTED: [(&str, &str); 34] = [
    ("live header authorization", "tern-a1-Kx83bQ"),
    ("live header under an innocent name", "tern-b2-Jw72cR"),
    ("live body, field token", "tern-c3-Hv61dS"),
    ("live body, JSON in a string", "tern-d4-Gu50eT"),
    ("live body, base64 of JSON", "tern-e5-Ft49fU"),
    ("live body that is a form", "tern-f6-Es38gV"),
    ("live body that is a letter", "tern-g7-Dr27hW"),
    ("live body, a known value elsewhere", "tern-h8-Cq16iX"),
    ("live body that is no text", "tern-i9-Bp05jY"),
    ("sent body, nested field", "tern-j1-Ao94kZ"),
    ("sent address, parameter", "tern-k2-Zn83la"),
    ("answer of Pozy, field", "tern-l3-Ym72mb"),
    ("answer of Pozy, header", "tern-m4-Xl61nc"),
    ("answer of Pozy, its sentence", "tern-n5-Wk50od"),
    ("note", "tern-o6-Vj49pe"),
    ("note, an address with a password", "tern-p7-Ui38qf"),
    ("log line, header", "tern-q8-Th27rg"),
    ("log line, percent signs in a path", "tern-r9/Sg16+sh"),
    ("log line, body_text", "tern-s1-Rf05ti"),
    ("log line, body_base64", "tern-t2-Qe94uj"),
    ("log line, note", "tern-u3-Pd83vk"),
    ("log line, before it is named", "tern-v4-Oc72wl"),
    ("har, header", "tern-w5-Nb61xm"),
    ("har, posted field", "tern-x6-Ma50yn"),
    ("har, base64 answer", "tern-y7-Lz49zo"),
    ("har, JSON in a string", "tern-z8-Ky38ap"),
    ("curl, basic", "tern-aa-Jx27bq"),
    ("curl, body", "tern-bb-Iw16cr"),
    ("request dump, cookie", "tern-cc-Hv05ds"),
    ("request dump, form", "tern-dd-Gu94et"),
    ("n8n, header", "tern-ee-Ft83fu"),
    ("n8n, answer", "tern-ff-Es72gv"),
    ("table, column", "tern-gg-Dr61hw"),
    ("delivery log, payload", "tern-hh-Cq50ix"),
];

/// The secret that stands there.
pub(super) fn at(place: &str) -> &'static str {
    PLANTED.iter().find(|(own, _)| *own == place).unwrap_or_else(|| panic!("nothing is planted at {place}")).1
}

/// A text with `<place>` as the secret that stands there.
pub(super) fn plant(text: &str) -> String {
    let mut planted = text.to_owned();
    for (place, secret) in PLANTED {
        planted = planted.replace(&format!("<{place}>"), secret);
    }
    assert!(!planted.contains("<live ") && !planted.contains("<log "), "a place of no secret: {planted}");
    planted
}

pub(super) fn base64(text: &str) -> String {
    base64s::STANDARD.encode(text)
}

pub(super) fn percent(text: &str) -> String {
    text.bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// Files of every kind that can be imported, by name.
pub(super) fn files() -> Vec<(&'static str, String)> {
    let form = percent(at("log line, percent signs in a path"));
    let lines = [
        json!({"kind": "arrival", "at": "2026-03-02T10:00:00Z", "answer": 204, "headers": {"cookie": "sid=<log line, header>"},
               "body": {"id": "ev_1", "event": "post.published", "timestamp": "2026-03-02T09:59:00Z", "post": {"id": "po_1", "status": "published"},
                        "trace": "seen <log line, before it is named> there"}}),
        json!({"kind": "attempt", "at": "2026-03-02T09:58:00Z", "job": "job_file", "n": 1, "method": "POST", "workspace": "ws_file",
               "path": format!("/v1/posts?api_key={form}"), "key": "k-file-1", "request_id": null,
               "body_text": "content=Hello&client_secret=<log line, body_text>",
               "result": {"kind": "answered", "at": "2026-03-02T09:58:01Z", "status": 201,
                          "body": {"post": {"_id": "po_1"}, "token": "<log line, before it is named>"}}}),
        json!({"kind": "observation", "at": "2026-03-02T10:05:00Z", "workspace": "ws_file", "path": "/v1/posts/po_1", "status": 200,
               "body_base64": base64(&format!("{{\"_id\":\"po_1\",\"status\":\"published\",\"jwt\":\"{}\"}}", at("log line, body_base64")))}),
        json!({"kind": "note", "at": "2026-03-02T10:06:00Z", "post": "po_1", "action": "comment", "text": "he sent password: <log line, note>"}),
    ];
    let har = json!({"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": [
        {"startedDateTime": "2026-03-02T11:00:00Z", "time": 80,
         "request": {"method": "POST", "url": "https://api.example/v1/posts", "headers": [
             {"name": "Idempotency-Key", "value": "k-har-1"}, {"name": "X-N8n-Api-Key", "value": "<har, header>"}],
             "postData": {"params": [{"name": "content", "value": "Pier"}, {"name": "access_token", "value": "<har, posted field>"}]}},
         "response": {"status": 201, "headers": [], "content": {"encoding": "base64",
             "text": base64(&format!("{{\"post\":{{\"_id\":\"po_har\"}},\"session_id\":\"{}\"}}", at("har, base64 answer")))}}},
        {"startedDateTime": "2026-03-02T11:01:00Z", "time": 80,
         "request": {"method": "POST", "url": "https://api.example/v1/posts", "headers": [{"name": "Idempotency-Key", "value": "k-har-2"}],
             "postData": {"text": json!({"content": "Pier 2", "debug": json!({"password": "<har, JSON in a string>"}).to_string()}).to_string()}},
         "response": {"status": 201, "headers": [], "content": {"text": "{\"post\":{\"_id\":\"po_har2\"}}"}}}]}});
    let basic = base64(&format!("ann:{}", at("curl, basic")));
    let n8n = json!({"data": [{"id": "9", "workflowId": "w", "mode": "webhook", "status": "success", "startedAt": "2026-03-02T12:00:00Z",
        "workflowData": {"id": "w", "name": "Posts", "nodes": [{"name": "Send", "type": "n8n-nodes-base.httpRequest", "parameters": {
            "method": "POST", "url": "https://api.example/v1/posts", "sendHeaders": true, "sendBody": true, "jsonBody": "{\"content\":\"Evening\"}",
            "headerParameters": {"parameters": [{"name": "X-Relay", "value": "Bearer <n8n, header>"}, {"name": "Idempotency-Key", "value": "k-n8n-1"}]}}}]},
        "data": {"resultData": {"runData": {"Send": [{"startTime": 1_772_452_800_000_i64, "executionTime": 400,
            "data": {"main": [[{"json": {"statusCode": 201, "headers": {}, "body": {"post": {"_id": "po_n8n"}, "refreshToken": "<n8n, answer>"}}}]]}}]}}}}]});
    let deliveries = json!({"logs": [{"webhookId": "wh", "webhookName": "Desk", "eventId": "ev_log", "event": "post.failed",
        "url": "https://relay.example/h", "status": "success", "statusCode": 200, "attemptNumber": 1, "responseTime": 48, "responseBody": "ok",
        "requestPayload": {"id": "ev_log", "event": "post.failed", "timestamp": "2026-03-02T12:59:00Z", "post": {"id": "po_log", "status": "failed"},
                           "credentials": {"pwd": "<delivery log, payload>"}},
        "createdAt": "2026-03-02T13:00:00Z"}], "pagination": {"total": 1, "limit": 50, "skip": 0, "pages": 1, "hasMore": false}});
    let mut files = vec![
        ("lines.jsonl", lines.iter().map(|line| format!("{line}\n")).collect::<String>()),
        ("capture.har", har.to_string()),
        (
            "history",
            format!(
                "#1772456400\ncurl -X POST https://api.example/v1/posts -H 'Authorization: Basic {basic}' -H 'Idempotency-Key: k-curl-1' \
                 -d '{{\"content\":\"Late\",\"apiKey\":\"<curl, body>\"}}'\n"
            ),
        ),
        (
            "wire.http",
            "### 2026-03-02T14:00:00Z\nPOST /v1/posts HTTP/1.1\nHost: api.example\nCookie: a=1; b=<request dump, cookie>\n\
             Idempotency-Key: k-wire-1\n\ncontent=Boats&passwd=<request dump, form>\n"
                .to_owned(),
        ),
        ("execution.json", n8n.to_string()),
        ("deliveries.json", deliveries.to_string()),
        (
            "queue.csv",
            "at,key,text,account,api_key\n2026-03-02T15:00:00Z,k-csv-1,Doors,ac_1,<table, column>\n".to_owned(),
        ),
    ];
    files.iter_mut().for_each(|(_, text)| *text = plant(text));
    files
}

/// Writes the files; gives their names.
pub(super) fn write(folder: &std::path::Path) -> Vec<&'static str> {
    let written = |(name, text): (&'static str, String)| {
        fs::write(folder.join(name), text).unwrap();
        name
    };
    files().into_iter().map(written).collect()
}

/// The places whose secrets stand in a text, in whatever spelling.
pub(super) fn found_in(text: &str) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    look(text, 0, &mut found);
    found
}

/// Looks at the text, and at what it says once escapes, percent signs or base64 in it are undone.
fn look(text: &str, depth: u8, found: &mut BTreeSet<&'static str>) {
    found.extend(PLANTED.iter().filter(|(_, secret)| text.contains(secret)).map(|(place, _)| *place));
    if depth == 2 {
        return;
    }
    let of_base64 = |c: char| c.is_ascii_alphanumeric() || "+/-_".contains(c);
    let coded: Vec<_> = text.split(|c| !of_base64(c)).filter_map(undone).collect();
    let readings = [text.replace("\\\"", "\"").replace("\\\\", "\\"), unpercented(text), coded.join("\n")];
    for reading in readings.iter().filter(|reading| !reading.is_empty() && *reading != text) {
        look(reading, depth + 1, found);
    }
}

fn undone(word: &str) -> Option<String> {
    if word.len() < 12 {
        return None;
    }
    let lenient = base64s::GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(base64::engine::DecodePaddingMode::Indifferent);
    let alphabet = if word.contains(['-', '_']) { alphabet::URL_SAFE } else { alphabet::STANDARD };
    let bytes = GeneralPurpose::new(&alphabet, lenient).decode(word).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn unpercented(text: &str) -> String {
    let mut plain = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let coded = after.get(..2).and_then(|two| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok());
        match coded.filter(|_| *first == b'%') {
            Some(byte) => {
                plain.push(byte);
                rest = &after[2..];
            }
            None => {
                plain.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}

//! What stands in a message or a file is somebody else's text: on a terminal, in the page of a case, as an address.

use std::fs;

use reqwest::{Client, redirect::Policy};
use serde_json::{Value, json};

use super::table;
use crate::{
    program::{Place, Ran},
    trust::table::Tried,
};

/// Words that steer a terminal, turn text around, or look like a row of their own.
const STEERS: [&str; 8] = [
    "\u{1b}[2J\u{1b}[31mred",
    "\u{1b}]0;title\u{7}",
    "\u{9b}31mC1",
    "\r\nev_forged 2026-01-01",
    "a\u{8}\u{8}b\u{7f}",
    "\u{202e}detsop\u{202c}",
    "\u{2066}x\u{2069}\u{2028}y\u{2029}z",
    "\u{85}next",
];

/// Markup that runs or loads something where it is taken for markup.
const MARKUP: [&str; 5] = [
    "<script>alert(1)</script>",
    "<img src=http://elsewhere.example/x.png onerror=alert(1)>",
    "\"><svg onload=alert(1)>",
    "</pre></details><iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<style>@import 'http://elsewhere.example/x.css'</style><!--",
];

/// A log in which every word that a stranger can choose is one of these.
fn hostile(words: &[&str]) -> Place {
    let place = Place::new();
    let mut lines = String::new();
    for (n, word) in words.iter().enumerate() {
        let at = format!("2026-04-14T08:{n:02}:00Z");
        let post = format!("po_{n}{word}");
        let event = json!({"id": format!("ev_{n}"), "event": format!("post.{word}"), "timestamp": at,
            "post": {"id": post, "content": format!("Words {word}"), "status": word,
                     "platforms": [{"platform": word, "accountId": word, "status": word}]},
            "platform": {"name": word, "status": word}, "account": {"accountId": word}});
        let known = json!({"id": format!("ev_known_{n}"), "event": "post.published", "timestamp": at,
            "post": {"id": post, "content": format!("Words {word}"), "status": "published",
                     "platforms": [{"platform": word, "accountId": word, "status": "published"}]}});
        let headers = json!({"x-odd": word.replace(['\r', '\n'], " "), "user-agent": "<b>"});
        for body in [&event, &known, &known] {
            let line = json!({"kind": "arrival", "at": at, "answer": 204, "signature": "unchecked", "headers": headers, "body": body});
            lines.push_str(&format!("{line}\n"));
        }
        let body = json!({"content": format!("Words {word}"), "platforms": [{"platform": word, "accountId": word}]});
        let answer = json!({"post": {"_id": post, "content": word}, "error": word});
        for key in ["a", "b"] {
            let attempt = json!({"kind": "attempt", "at": at, "job": format!("job_{n}{word}"), "n": 1, "method": "POST", "path": "/v1/posts",
                "workspace": format!("ws{word}"), "key": format!("k-{n}{key}"), "request_id": null, "body": body,
                "result": {"kind": "answered", "at": at, "status": 201, "headers": {"x-said": "ok"}, "body": answer}});
            lines.push_str(&format!("{attempt}\n"));
        }
        let note = json!({"kind": "note", "at": at, "post": post, "action": "comment", "text": word});
        lines.push_str(&format!("{note}\n"));
    }
    fs::write(place.files().join("log.jsonl"), lines).unwrap();
    let ran = run(&place, &["import", "log.jsonl"]);
    assert_eq!(ran.exit, Some(0), "{}", ran.err);
    place
}

fn run(place: &Place, words: &[&str]) -> Ran {
    let data = place.data().display().to_string();
    place.run(&[words, &["--data", &data]].concat()).expect("it runs")
}

fn list(place: &Place, name: &str) -> Vec<Value> {
    place.lines(&[name])
}

fn steers(sign: char) -> bool {
    sign.is_control() && sign != '\n' || matches!(sign, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[test]
fn words_of_others_steer_no_terminal_and_make_no_row() {
    let place = hostile(&STEERS);
    let (jobs, events) = (list(&place, "jobs"), list(&place, "events"));
    assert!(jobs.len() >= STEERS.len() && events.len() >= 2 * STEERS.len(), "{} {}", jobs.len(), events.len());
    let mut times = 0;
    for (name, rows) in [
        ("events", events.len()),
        ("arrivals", list(&place, "arrivals").len()),
        ("lanes", list(&place, "lanes").len()),
        ("jobs", jobs.len()),
    ] {
        let ran = run(&place, &[name]);
        assert_eq!(ran.out.lines().count(), rows + 1, "{name}: a title and a line each\n{}", ran.out);
        assert!(!ran.out.contains(steers), "{name}: {:?}", ran.out);
        times += 1;
    }
    let mut commands: Vec<Vec<String>> = vec![
        vec!["search".into(), "Words".into()],
        vec!["import".into(), "log.jsonl".into()],
        vec!["doctor".into()],
        vec!["why".into(), "--post".into(), format!("po_none{}", STEERS[0])],
        vec!["arrivals".into(), "--event".into(), STEERS[0].into()],
        vec!["forecast".into(), STEERS[0].into()],
    ];
    for job in &jobs {
        let job = job["job"].as_str().unwrap();
        commands.push(vec!["why".into(), "--job".into(), job.into()]);
        commands.push(vec!["forecast".into(), job.into(), "--post-again".into()]);
    }
    for event in &events {
        if let Some(post) = event["resource"].as_str().unwrap().strip_prefix("post:") {
            commands.push(vec!["why".into(), "--post".into(), post.into()]);
        }
    }
    for words in &commands {
        let ran = run(&place, &words.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(!ran.out.contains(|sign| steers(sign) && sign != '\t'), "{words:?}: {:?}", ran.out);
        assert!(!ran.err.contains(|sign| steers(sign) && sign != '\t'), "{words:?}: {:?}", ran.err);
        assert!(!ran.out.lines().any(|line| line.starts_with("ev_forged")), "{words:?}: {}", ran.out);
        times += 1;
    }
    let mut tried = Tried::new(table::TERMINAL, times, 0);
    tried.lost = (3 * STEERS.len()).abs_diff(list(&place, "arrivals").len()) as u64;
    tried.note(&place);
}

#[test]
fn words_of_others_are_no_part_of_the_page_of_a_case() {
    let words = [&MARKUP[..], &STEERS[..]].concat();
    let place = hostile(&words);
    let mut times = 0;
    for (n, event) in list(&place, "events").iter().enumerate() {
        let Some(post) = event["resource"].as_str().unwrap().strip_prefix("post:") else { continue };
        let file = format!("case{n}.html");
        let ran = run(&place, &["why", "--post", post, "--html", &file]);
        assert_eq!(ran.exit, Some(0), "{}", ran.err);
        let page = fs::read_to_string(place.files().join(file)).unwrap();
        assert!(page.contains("default-src 'none'; style-src 'unsafe-inline'"));
        for tag in ["<script", "<img", "<svg", "<iframe", "<link", "<base", "<form", "<object", "<embed", "<!--"] {
            assert!(!page.to_lowercase().contains(tag), "{tag} for {post}");
        }
        assert_eq!(page.matches("<style").count(), 1, "{post}");
        assert!(!page.contains("src=\"") && !page.contains("href="), "it loads nothing and leads nowhere");
        for (at, sign) in page.char_indices().filter(|(_, sign)| steers(*sign) && *sign != '\t' && *sign != '\r') {
            let alone = page[..at].ends_with(&format!("data-sign=\"U+{:04X}\">", u32::from(sign)));
            assert!(alone && page[at..].starts_with(&format!("{sign}</bdi>")), "{post}: {sign:?} stands alone");
        }
        times += 1;
    }
    assert!(times >= words.len());
    let mut tried = Tried::new(table::PAGE, times, 0);
    tried.lost = (3 * words.len()).abs_diff(list(&place, "arrivals").len()) as u64;
    tried.note(&place);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_that_does_harm_is_no_link() {
    let place = Place::new();
    let bad = [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " javascript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "file:///etc/passwd",
        "ftp://elsewhere.example/x",
        "reprise://open",
        "//elsewhere.example/x",
        "https://user:word@elsewhere.example/",
        "https://",
        "\\\\elsewhere\\share",
    ];
    let mut lines = String::new();
    for (n, url) in bad.iter().chain(&["https://social.example/p/1"]).enumerate() {
        let body = json!({"id": format!("ev_{n}"), "event": "post.platform.published", "timestamp": "2026-04-14T08:00:00Z",
            "post": {"id": format!("po_{n}"), "status": "published"}, "platform": {"name": "linkedin", "status": "published", "publishedUrl": url},
            "account": {"accountId": "ac_1"}});
        let line = json!({"kind": "arrival", "at": "2026-04-14T08:00:01Z", "answer": 204, "signature": "unchecked", "headers": {}, "body": body});
        lines.push_str(&format!("{line}\n"));
    }
    fs::write(place.files().join("log.jsonl"), lines).unwrap();
    place.lines(&["import", "log.jsonl"]);
    let mut serve = place.background("serve", &["serve", "--receive-on", "127.0.0.1:0"]);
    let link = serve.first_line().unwrap()["ui"].as_str().unwrap().to_owned();
    let client = Client::builder().redirect(Policy::none()).no_proxy().build().unwrap();
    let first = client.get(&link).send().await.unwrap();
    let pass = first.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let links = async |post: String| -> Value {
        let url = format!("{}/call/links", link.split("/?").next().unwrap());
        client
            .post(url)
            .header("cookie", &pass)
            .json(&json!({ "post": post }))
            .send()
            .await
            .unwrap()
            .json()
            .await
            .unwrap()
    };
    for (n, url) in bad.iter().enumerate() {
        assert_eq!(links(format!("po_{n}")).await, json!([]), "{url}");
    }
    assert_eq!(links(format!("po_{}", bad.len())).await[0]["url"], "https://social.example/p/1");
    Tried::new(table::BAD_LINKS, bad.len(), 0).note(&place);
}

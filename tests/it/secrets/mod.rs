//! Thirty-odd secrets go in by every way there is, and none comes out: not by an export, a case file, a list, the
//! program's own log, or any answer that a screen is given. What is imported, typed or sent in a header does not even
//! reach the database.

mod planted;
mod readings;

use std::{collections::BTreeSet, fs, path::Path};

use axum::{Router, http::StatusCode, response::IntoResponse, routing::post};
use reprise_core::{
    clock::Clock,
    desk::{Desk, Given, Options, Runs},
    secrets::Secret,
    store::packed::unpack_json,
};
use rusqlite::types::ValueRef;
use serde_json::{Value, json};

use self::{
    planted::{PLANTED, at, base64, found_in, plant},
    readings::Rows,
};
use crate::program::{Place, Ran};

/// A Pozy that refuses every post and is careless with its words.
async fn careless_pozy() -> String {
    let refuse = || async {
        let body = json!({"error": plant("Not with Authorization: Bearer <answer of Pozy, its sentence>"), "code": "bad_key",
                          "access_token": at("answer of Pozy, field")});
        let cookie = format!("sid={}", at("answer of Pozy, header"));
        (StatusCode::UNPROCESSABLE_ENTITY, [("set-cookie", cookie)], axum::Json(body)).into_response()
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, Router::new().route("/v1/posts", post(refuse))).await });
    url
}

/// What went out so far, with where.
struct Outputs {
    place: Place,
    all: Vec<(String, String)>,
}

impl Outputs {
    fn run(&mut self, words: &[&str], exit: i32) -> Ran {
        let data = self.place.data().display().to_string();
        let ran = self.place.run(&[words, &["--data", &data]].concat()).unwrap();
        assert_eq!(ran.exit, Some(exit), "{words:?}: {} {}", ran.out, ran.err);
        self.all.push((format!("{words:?}"), ran.out.clone()));
        self.all.push((format!("{words:?}, its log"), ran.err.clone()));
        ran
    }

    fn lines(&mut self, words: &[&str]) -> Vec<Value> {
        let ran = self.run(&[words, &["--json"]].concat(), 0);
        crate::program::json_lines(&ran.out).unwrap()
    }
}

/// Everything the database holds, packed or not.
fn inside(folder: &Path) -> String {
    let log = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let log =
        log.into_iter().find(|path| fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"SQLite format 3"))).unwrap();
    let connection = rusqlite::Connection::open(log).unwrap();
    let mut tables = connection
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
        .unwrap();
    let tables: Vec<String> = tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let mut all = String::new();
    for table in tables {
        let mut rows = connection.prepare(&format!("SELECT * FROM \"{table}\"")).unwrap();
        let columns = rows.column_count();
        let mut rows = rows.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            for column in 0..columns {
                let bytes = match row.get_ref(column).unwrap() {
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.to_vec(),
                    _ => continue,
                };
                let plain = unpack_json(bytes.clone()).unwrap_or(bytes);
                all.push_str(&String::from_utf8_lossy(&plain));
                all.push('\n');
            }
        }
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn no_planted_secret_comes_out_by_any_way() {
    let mut place = Place::new();
    let mut sandbox = place.background("sandbox", &["sandbox", "--on", "127.0.0.1:0"]);
    let first = sandbox.first_line().unwrap();
    let word = |name: &str| first[name].as_str().unwrap().to_owned();
    let (pozy, key, secret) = (word("pozy"), word("api_key"), word("webhook_secret"));
    for (name, value) in [
        ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent"),
        ("POZY_API_KEY", &key),
        ("POZY_WEBHOOK_SECRET", &secret),
        ("REPRISE_LOG", "trace"),
    ] {
        place.set(name, value);
    }
    let mut inputs = String::new();

    // Live.
    let mut listen = place.background("listen", &["listen", "--on", "127.0.0.1:0", "--pozy", &pozy]);
    let receiver = listen.first_line().unwrap()["receiver"].as_str().unwrap().to_owned();
    let event = |id: &str, more: Value| {
        let mut body = json!({"id": id, "event": "post.published", "timestamp": "2026-03-02T09:00:00Z",
                              "post": {"id": "po_live", "content": "Hello", "status": "published"}});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        plant(&body.to_string()).into_bytes()
    };
    let bodies = [
        event(
            "ev_live_1",
            json!({"token": "<live body, field token>", "debug": json!({"password": "<live body, JSON in a string>"}).to_string(),
                   "blob": base64(&plant("{\"jwt\":\"<live body, base64 of JSON>\"}")), "seen": "at <live body, a known value elsewhere>!",
                   "clientSecret": "<live body, a known value elsewhere>"}),
        ),
        event("ev_live_2", json!({"said": format!("our key is {key}, or {}", base64(&key))})),
        plant("user=ann&password=<live body that is a form>").into_bytes(),
        plant("Dear desk, the api_key: <live body that is a letter>. Bye.").into_bytes(),
        [b"\xff\xfe ".as_slice(), plant("secret=<live body that is no text>").as_bytes(), b"\x00"].concat(),
    ];
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    for body in bodies {
        let headers = [
            ("authorization", plant("Bearer <live header authorization>")),
            ("x-relay-note", plant("sent with Bearer <live header under an innocent name>")),
            ("x-pozy-signature", pozy_sandbox::signature(&secret, &body)),
        ];
        inputs.push_str(&format!("{headers:?}\n{}\n", String::from_utf8_lossy(&body)));
        let request =
            headers.into_iter().fold(client.post(&receiver), |request, (name, value)| request.header(name, value));
        assert_eq!(request.body(body).send().await.unwrap().status(), 204);
    }
    assert_eq!(listen.stop().unwrap(), Some(0));

    // Sent, answered, noted, imported.
    let careless = careless_pozy().await;
    let mut outputs = Outputs { place, all: Vec::new() };
    let folder = outputs.place.files();
    let sent = plant(
        r#"{"content":"Lanterns","platforms":[{"platform":"linkedin","accountId":"ac_1"}],"metadata":{"deep":[{"client_secret":"<sent body, nested field>"}]}}"#,
    );
    let letter = r#"{"to":"+441","text":"Hello"}"#;
    let path = plant("/v1/sms/messages?access_token=<sent address, parameter>");
    let notes = [
        plant("They use password: <note>"),
        plant("see https://ann:<note, an address with a password>@host.example/x"),
    ];
    fs::write(folder.join("post.json"), &sent).unwrap();
    fs::write(folder.join("sms.json"), letter).unwrap();
    fs::write(
        folder.join("refused.json"),
        r#"{"content":"No","platforms":[{"platform":"linkedin","accountId":"ac_1"}]}"#,
    )
    .unwrap();
    inputs.push_str(&format!("{sent}\n{path}\n{}\n", notes.join("\n")));
    inputs.push_str(
        &PLANTED
            .iter()
            .filter(|(place, _)| place.starts_with("answer of Pozy"))
            .map(|(_, secret)| format!("{secret}\n"))
            .collect::<String>(),
    );
    let job = outputs.lines(&["submit", "post.json", "--pozy", &pozy])[0]["job"].as_str().unwrap().to_owned();
    outputs.run(&["submit", "sms.json", "--path", &path, "--pozy", &pozy, "--json"], 0);
    outputs.run(&["submit", "refused.json", "--pozy", &careless, "--json"], 1);
    outputs.run(&["note", "--job", &job, &notes[0]], 0);
    outputs.run(&["note", "--post", "po_live", "--action", "seen_twice", &notes[1]], 0);
    for name in planted::write(&folder) {
        inputs.push_str(&fs::read_to_string(folder.join(name)).unwrap());
        let report = outputs.lines(&["import", name]);
        assert!(report[0]["added"].as_u64().unwrap() > 0, "{name}: {report:?}");
        let again = outputs.lines(&["import", name]);
        assert_eq!(again[0]["added"], 0, "{name}: {again:?}");
    }
    let every: BTreeSet<&str> = PLANTED.iter().map(|(place, _)| *place).collect();
    assert_eq!(found_in(&inputs), every, "every secret was planted, or this test proves nothing");

    // What must not even reach the database.
    let kept = found_in(&inside(&outputs.place.data()));
    let raw = |place: &&str| {
        place.starts_with("live body")
            || place.starts_with("sent")
            || ["answer of Pozy, field", "answer of Pozy, its sentence"].contains(place)
    };
    let expected: BTreeSet<&str> = every.iter().copied().filter(raw).collect();
    assert_eq!(kept, expected, "the log keeps raw what it must prove, and nothing else");

    // Every way out.
    for words in [&["export"][..], &["events"], &["arrivals"], &["lanes"], &["jobs"], &["attempts"], &["doctor"]] {
        outputs.run(&[words, &["--json"]].concat(), 0);
        outputs.run(words, 0);
    }
    let (arrivals, jobs) = (outputs.lines(&["arrivals"]), outputs.lines(&["jobs"]));
    assert!(arrivals.len() >= 7 && jobs.len() >= 9, "{} arrivals, {} jobs", arrivals.len(), jobs.len());
    for (n, job) in jobs.iter().enumerate() {
        let name = job["job"].as_str().unwrap();
        let (html, case) = (format!("case{n}.html"), format!("case{n}.jsonl"));
        outputs.run(&["why", "--job", name, "--html", &html, "--case", &case, "--json"], 0);
        outputs.run(&["why", "--job", name], 0);
        outputs.run(&["forecast", name, "--json"], 0);
    }
    for post in ["po_live", "po_1", "po_log"] {
        let (html, case) = (format!("{post}.html"), format!("{post}.jsonl"));
        outputs.run(&["why", "--post", post, "--html", &html, "--case", &case, "--json"], 0);
        outputs.run(&["why", "--post", post], 0);
    }
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|kind| kind == "html")
            || path.file_stem().is_some_and(|name| {
                name.to_string_lossy().starts_with("case") || name.to_string_lossy().starts_with("po_")
            })
        {
            outputs.all.push((path.display().to_string(), fs::read_to_string(&path).unwrap()));
        }
    }
    outputs.run(&["search", "Hello", "--json"], 0);
    let bulk = outputs.lines(&["bulk", "plan", "--since-h", "87000", "--pozy", &pozy]);
    let mark = bulk.iter().find_map(|line| line["bulk"].as_str()).unwrap().to_owned();
    outputs.run(&["bulk", "show", &mark, "--json"], 0);
    for name in ["sandbox", "listen"] {
        let text = fs::read_to_string(outputs.place.path(format!("{name}.stderr"))).unwrap();
        assert!(name != "listen" || text.contains("TRACE"), "the log was on");
        outputs.all.push((format!("the log of {name}"), text));
    }
    let options = Options {
        data: outputs.place.data(),
        cards: outputs.place.cards(),
        clock: Clock::wall(),
        given: Some(Given { base_url: pozy, api_key: Secret::new(&key).unwrap() }),
        webhook_secret: Secret::new(&secret),
        runs: Runs::Nothing,
    };
    let desk = Desk::open(options).await.unwrap();
    let rows = Rows::of(&arrivals, &jobs, json!(mark), folder.join("queue.csv").display().to_string());
    outputs.all.extend(rows.answers(&desk).await);
    desk.close().await;

    let export = outputs.all.iter().find(|(way, _)| way.contains("export")).unwrap().1.clone();
    assert!(export.matches("[masked ").count() >= 25, "{export}");
    let mut leaks = Vec::new();
    for (way, text) in &outputs.all {
        let own = [("our key", &key), ("our secret", &secret), ("our key in base64", &base64(&key))];
        let own = own.into_iter().filter(|(_, own)| text.contains(own.as_str())).map(|(name, _)| name);
        let out: Vec<&str> = found_in(text).into_iter().chain(own).collect();
        if !out.is_empty() {
            leaks.push(format!("{way} lets out {out:?}:\n{}", text.chars().take(2_000).collect::<String>()));
        }
    }
    assert!(leaks.is_empty(), "{}", leaks.join("\n\n"));
}

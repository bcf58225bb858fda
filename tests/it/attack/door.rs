//! Attacks on what listens: the screens, the sandbox's control, and the address of each.

use reqwest::{Client, Method, StatusCode, redirect::Policy};
use rstest::rstest;
use serde_json::{Value, json};

use super::{
    table,
    target::{KEY, SECRET, Target, exchange},
};
use crate::{
    program::{Place, Running},
    trust::table::Tried,
};

/// Words of the log that no stranger may read.
const INSIDE: &str = "Words that only the owner may read";

/// The screens, with a message in their log.
struct Screens {
    place: Place,
    _serve: Running,
    client: Client,
    link: String,
    origin: String,
    port: String,
}

impl Screens {
    async fn serve() -> Self {
        let mut place = Place::new();
        place.set("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent");
        place.set("POZY_API_KEY", KEY);
        place.set("POZY_WEBHOOK_SECRET", SECRET);
        let line = json!({"kind": "arrival", "at": "2026-04-14T08:00:00Z", "answer": 204, "signature": "unchecked", "headers": {},
            "body": {"id": "ev_1", "event": "post.published", "timestamp": "2026-04-14T08:00:00Z",
                     "post": {"id": "po_1", "content": INSIDE, "status": "published"}}});
        std::fs::write(place.files().join("log.jsonl"), format!("{line}\n")).unwrap();
        place.lines(&["import", "log.jsonl"]);
        let mut serve = place.background("serve", &["serve", "--receive-on", "127.0.0.1:0"]);
        let link = serve.first_line().unwrap()["ui"].as_str().unwrap().to_owned();
        let origin = link.split("/?").next().unwrap().to_owned();
        let port = origin.rsplit(':').next().unwrap().to_owned();
        let client = Client::builder().redirect(Policy::none()).no_proxy().build().unwrap();
        Self { place, _serve: serve, client, link, origin, port }
    }

    /// Uses the link; the pass as a browser sends it.
    async fn pass(&self) -> String {
        let first = self.client.get(&self.link).send().await.unwrap();
        assert_eq!(first.status(), StatusCode::SEE_OTHER);
        let cookie = first.headers()["set-cookie"].to_str().unwrap().to_owned();
        for mark in ["HttpOnly", "SameSite=Strict", "Path=/"] {
            assert!(cookie.contains(mark), "{cookie}");
        }
        cookie.split(';').next().unwrap().to_owned()
    }

    /// Asks with these headers; status and text.
    async fn ask(&self, method: Method, path: &str, headers: &[(&str, &str)]) -> (StatusCode, String) {
        let request = self.client.request(method, format!("{}{path}", self.origin)).body("{}");
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let answer = request.send().await.unwrap();
        (answer.status(), answer.text().await.unwrap())
    }

    async fn is_refused(&self, method: Method, path: &str, headers: &[(&str, &str)]) {
        let (status, text) = self.ask(method, path, headers).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{path} {headers:?}: {text}");
        assert!(!text.contains(INSIDE) && !text.contains("data_dir") && !text.contains("<script"), "{path}: {text}");
    }

    /// The owner still reads, and nothing was done in their name.
    async fn note(self, pass: &str, attack: crate::trust::table::Fault, times: usize) {
        let (status, text) = self.ask(Method::POST, "/call/events", &[("cookie", pass)]).await;
        assert!(status.is_success() && text.contains("ev_1"), "{text}");
        let (_, filters) = self.ask(Method::POST, "/call/saved_filters", &[("cookie", pass)]).await;
        let mut tried = Tried::new(attack, times, 0);
        tried.lost = u64::from(filters != r#"{"filters":[]}"#);
        tried.note(&self.place);
    }
}

/// What an attacker asks for: reading, acting, the stream of changes, the page, a file of it, an upload.
const ASKED: [(Method, &str); 6] = [
    (Method::POST, "/call/events"),
    (Method::POST, "/call/save_filter"),
    (Method::GET, "/notices"),
    (Method::GET, "/"),
    (Method::GET, "/index.html"),
    (Method::POST, "/upload/log.jsonl"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_that_was_bound_to_this_computer_gets_nothing() {
    let screens = Screens::serve().await;
    let pass = screens.pass().await;
    let hosts = [
        format!("rebound.example:{}", screens.port),
        "rebound.example".to_owned(),
        format!("127.0.0.1.rebound.example:{}", screens.port),
        format!("localhost.rebound.example:{}", screens.port),
        format!("user@127.0.0.1:{}", screens.port),
        format!("0.0.0.0:{}", screens.port),
        "127.0.0.1:1".to_owned(),
        "127.0.0.1".to_owned(),
    ];
    for host in &hosts {
        for (method, path) in ASKED {
            screens.is_refused(method, path, &[("cookie", &pass), ("host", host)]).await;
        }
    }
    let address = screens.origin.trim_start_matches("http://").parse().unwrap();
    let without = format!("GET / HTTP/1.0\r\nCookie: {pass}\r\n\r\n");
    let answer = tokio::task::spawn_blocking(move || exchange(address, without.as_bytes())).await.unwrap();
    assert!(answer.contains(" 403 "), "no name at all: {answer}");
    screens.note(&pass, table::REBINDING, hosts.len() * ASKED.len() + 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_site_or_port_asks_in_vain() {
    let screens = Screens::serve().await;
    let pass = screens.pass().await;
    let mut times = 0;
    for (name, value) in [
        ("origin", "http://elsewhere.example"),
        ("origin", "null"),
        ("origin", "http://127.0.0.1:1"),
        ("origin", "https://localhost"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
    ] {
        for (method, path) in ASKED {
            // A link that somebody clicked elsewhere leads here; it gets the page, which the other site cannot read.
            if (name, path) == ("sec-fetch-site", "/") {
                continue;
            }
            screens.is_refused(method, path, &[("cookie", &pass), (name, value)]).await;
            times += 1;
        }
    }
    let (_, page) = screens.ask(Method::GET, "/", &[("cookie", &pass), ("sec-fetch-site", "cross-site")]).await;
    assert!(!page.contains(INSIDE));
    screens.note(&pass, table::OTHER_SITE, times).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_the_pass_nothing_is_read_or_done() {
    let screens = Screens::serve().await;
    let pass = screens.pass().await;
    let (name, value) = pass.split_once('=').unwrap();
    let cookies = [
        String::new(),
        format!("{name}="),
        format!("{name}=guessed"),
        format!("{name}={}", &value[..value.len() - 1]),
        format!("{name}={value}0"),
        format!("{name}={}", value.to_uppercase()),
        format!("reprise-1={value}"),
        format!("other={value}"),
        value.to_owned(),
    ];
    for cookie in &cookies {
        for (method, path) in ASKED {
            screens.is_refused(method, path, &[("cookie", cookie)]).await;
        }
    }
    screens.note(&pass, table::NO_PASS, cookies.len() * ASKED.len()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_that_is_guessed_or_was_used_opens_nothing() {
    let screens = Screens::serve().await;
    let token = screens.link.split("token=").nth(1).unwrap().to_owned();
    let guesses = 1_000;
    for n in 0..guesses {
        let near = format!("{}{n:03x}", &token[..token.len() - 3]);
        let guess = if near == token { String::from("x") } else { near };
        let (status, text) = screens.ask(Method::GET, &format!("/?token={guess}"), &[]).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{text}");
    }
    let pass = screens.pass().await;
    screens.is_refused(Method::GET, &format!("/?token={token}"), &[]).await;
    screens.note(&pass, table::TOKEN, guesses + 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_other_file_is_served() {
    let screens = Screens::serve().await;
    let pass = screens.pass().await;
    let address: std::net::SocketAddr = screens.origin.trim_start_matches("http://").parse().unwrap();
    let paths = [
        "/../../Cargo.toml",
        "/..%2f..%2fCargo.toml",
        "/%2e%2e/%2e%2e/Cargo.toml",
        "/assets/../../../Cargo.toml",
        "/assets/..%5c..%5c..%5cCargo.toml",
        "//etc/passwd",
        "/%2fetc%2fpasswd",
        "/....//....//Cargo.toml",
        "/index.html%00.png",
        "/src/main.ts",
        "/.git/config",
    ];
    for path in paths {
        // As it stands: a client would tidy the path up.
        let host = screens.origin.trim_start_matches("http://");
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {pass}\r\nConnection: close\r\n\r\n");
        let answer = tokio::task::spawn_blocking(move || exchange(address, request.as_bytes())).await.unwrap();
        assert!(answer.contains(" 404 ") || answer.contains(" 400 "), "{path}: {answer}");
        assert!(!answer.contains("[package]") && !answer.contains("root:"), "{path}: {answer}");
    }
    screens.note(&pass, table::OTHER_FILES, paths.len()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn control_of_the_sandbox_is_not_for_web_pages() {
    let place = Place::new();
    let mut sandbox = place.background("sandbox", &["sandbox", "--on", "127.0.0.1:0", "--clock", "manual"]);
    let base = sandbox.first_line().unwrap()["pozy"].as_str().unwrap().to_owned();
    let client = Client::builder().no_proxy().build().unwrap();
    let now = async || -> Value {
        let clock = client.get(format!("{base}/sandbox/clock")).send().await.unwrap();
        clock.json::<Value>().await.unwrap()["now"].clone()
    };
    let (before, mut times) = (now().await, 0);
    for (name, value) in [
        ("host", "rebound.example"),
        ("host", "127.0.0.1.rebound.example"),
        ("host", "user@127.0.0.1"),
        ("origin", "http://elsewhere.example"),
        ("origin", "null"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
    ] {
        for (method, path) in [
            (Method::POST, "clock"),
            (Method::POST, "faults"),
            (Method::DELETE, "faults"),
            (Method::GET, "ledger"),
            (Method::POST, "workspaces"),
            (Method::POST, "target"),
        ] {
            let request = client.request(method, format!("{base}/sandbox/{path}")).header(name, value);
            let answer = request.body(r#"{"advance_s":90000}"#).send().await.unwrap();
            assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{path} with {name}: {value}");
            let text = answer.text().await.unwrap();
            assert!(!text.contains("posts") && !text.contains("api_key"), "{text}");
            times += 1;
        }
    }
    let mut tried = Tried::new(table::CONTROL, times, 0);
    tried.lost = u64::from(now().await != before);
    tried.note(&place);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_receiver_answers_to_any_name_and_tells_nothing() {
    let mut target = Target::verifying();
    target.honest().await;
    let base = format!("http://{}", target.address());
    let mut times = 0;
    for host in ["rebound.example", "pozy-hooks.example:443", "127.0.0.1:1"] {
        for path in [
            "/",
            "/hooks",
            "/hooks/",
            "/hooks/other",
            "/hooks/pozy",
            "/call/events",
            "/notices",
            "/..%2f..%2fetc%2fpasswd",
        ] {
            for method in ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "ODD"] {
                let method = Method::from_bytes(method.as_bytes()).unwrap();
                let answer =
                    target.client.request(method, format!("{base}{path}")).header("host", host).send().await.unwrap();
                assert!(matches!(answer.status().as_u16(), 404 | 405), "{path}: {}", answer.status());
                assert_eq!(answer.text().await.unwrap(), "", "{path}");
                times += 1;
            }
        }
        let body = super::target::account_event("ev_honest_0");
        let signature = pozy_sandbox::signature(SECRET, body.as_bytes());
        let answer =
            target.client.post(&target.url).header("host", host).header("x-pozy-signature", signature).body("x");
        let answer = answer.send().await.unwrap();
        assert_eq!((answer.status().as_u16(), answer.text().await.unwrap().as_str()), (401, ""));
    }
    target.note(table::ANY_HOST, times);
}

#[rstest]
fn nothing_listens_beyond_this_computer_without_a_secret() {
    let place = Place::new();
    let data = place.data().display().to_string();
    let mut times = 0;
    for command in ["listen", "serve", "sandbox"] {
        for on in
            ["0.0.0.0:0", "[::]:0", "192.0.2.7:0", "[2001:db8::7]:0", "[::ffff:0.0.0.0]:0", "[::ffff:192.0.2.7]:0"]
        {
            let ran = place.run(&[command, "--on", on, "--json", "--data", &data]).unwrap();
            assert!(matches!(ran.exit, Some(1..=3)), "{command} on {on}: {}", ran.out);
            assert_eq!(ran.out, "", "{command} on {on}");
            assert!(
                ran.err.contains("computer only") || ran.err.contains("127.0.0.1"),
                "{command} on {on}: {}",
                ran.err
            );
            times += 1;
        }
    }
    Tried::new(table::OPEN_WORLD, times, 0).note(&place);
}

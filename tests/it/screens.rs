//! `reprise serve` as a browser sees it: who is let in, and that what the screens set up is what is used afterwards.

use reqwest::{Client, Response, StatusCode, redirect::Policy};
use serde_json::{Value, json};

use crate::program::{Place, Running};

/// A browser that used the one-time link.
pub(crate) struct Browser {
    client: Client,
    origin: String,
    link: String,
    pass: String,
}

impl Browser {
    pub(crate) async fn open(serve: &mut Running) -> Self {
        let link = serve.first_line().unwrap()["ui"].as_str().unwrap().to_owned();
        let origin = link.split("/?").next().unwrap().to_owned();
        let client = Client::builder().redirect(Policy::none()).no_proxy().build().unwrap();
        let first = client.get(&link).send().await.unwrap();
        assert_eq!(first.status(), StatusCode::SEE_OTHER, "the link leads to the page without its token");
        let cookie = first.headers()["set-cookie"].to_str().unwrap().to_owned();
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
        let pass = cookie.split(';').next().unwrap().to_owned();
        Self { client, origin, link, pass }
    }

    async fn ask(&self, name: &str, args: &Value, headers: &[(&str, &str)]) -> Response {
        let mut request = self.client.post(format!("{}/call/{name}", self.origin)).json(args);
        for (header, value) in headers {
            request = request.header(*header, *value);
        }
        request.send().await.unwrap()
    }

    pub(crate) async fn call(&self, name: &str, args: Value) -> Value {
        let answer = self.ask(name, &args, &[("cookie", &self.pass)]).await;
        let status = answer.status();
        let text = answer.text().await.unwrap();
        assert!(status.is_success(), "{name}: {status} {text}");
        serde_json::from_str(&text).unwrap()
    }
}

fn serve(place: &Place) -> Running {
    place.background("serve", &["serve", "--receive-on", "127.0.0.1:0"])
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_browser_that_used_the_link_is_let_in() {
    let place = Place::new();
    let mut running = serve(&place);
    let browser = Browser::open(&mut running).await;
    browser.call("status", json!({})).await;

    let port = browser.origin.rsplit(':').next().unwrap().to_owned();
    let pass = browser.pass.as_str();
    assert!(pass.starts_with(&format!("reprise-{port}=")), "two logs may be shown in one browser: {pass}");
    let guessed = format!("reprise-{port}=guessed");
    let foreign_host = format!("rebound.example:{port}");
    for (why, headers) in [
        ("without the cookie", vec![]),
        ("with another cookie", vec![("cookie", guessed.as_str())]),
        ("under a foreign name", vec![("cookie", pass), ("host", &foreign_host)]),
        ("from a foreign page", vec![("cookie", pass), ("origin", "http://elsewhere.example")]),
        ("from a page without an origin", vec![("cookie", pass), ("origin", "null")]),
        ("from a foreign form", vec![("cookie", pass), ("sec-fetch-site", "cross-site")]),
    ] {
        let answer = browser.ask("status", &json!({}), &headers).await;
        assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{why}");
        let text = answer.text().await.unwrap();
        assert!(!text.contains("data_dir"), "{why}: {text}");
    }
    let again = browser.client.get(&browser.link).send().await.unwrap();
    assert_eq!(again.status(), StatusCode::FORBIDDEN, "the link works once");
    let page = browser.client.get(format!("{}/", browser.origin)).header("cookie", pass).send().await.unwrap();
    let policy = page.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workspace_that_is_set_up_is_the_one_in_use_and_its_secrets_never_come_back() {
    let mut place = Place::new();
    let mut sandbox = place.background("sandbox", &["sandbox", "--on", "127.0.0.1:0"]);
    let first = sandbox.first_line().unwrap();
    let word = |name: &str| first[name].as_str().unwrap().to_owned();
    let (pozy, key, secret) = (word("pozy"), word("api_key"), word("webhook_secret"));
    // No keychain is asked: the place has no session bus.
    place.set("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent");

    let mut running = serve(&place);
    let browser = Browser::open(&mut running).await;
    let filled = json!({"name": "Harbour", "base_url": format!("{pozy}/v1/"), "provider": "pozy",
                        "api_key": key, "webhook_secret": secret});
    let listed = browser.call("save_workspace", filled).await;
    assert_eq!(listed["secrets_in"], "file");
    assert_eq!(listed["workspaces"].as_array().unwrap().len(), 1);
    let status = browser.call("status", json!({})).await;
    assert_eq!(status["workspace"]["id"], listed["workspaces"][0]["id"], "{status}");
    assert_eq!(status["workspace"]["name"], "Harbour");
    assert_eq!(status["receiver"]["verifies"], true);

    let post = json!({"content": "Ropes and sails", "form": "one form",
                      "targets": [{"platform": "linkedin", "account": "ac_li"}]});
    let (first, second) = tokio::join!(browser.call("submit", post.clone()), browser.call("submit", post));
    assert_eq!(first["job"], second["job"], "a double click makes one job");
    assert_eq!(first["workspace"], "Harbour");
    let run = browser.call("test_webhook", json!({})).await;
    assert_eq!((&run["status"], &run["arrival"]["signature"]), (&json!(200), &json!("valid")), "{run}");

    for text in [listed.to_string(), status.to_string(), first.to_string(), run.to_string()] {
        assert!(!text.contains(&key) && !text.contains(&secret), "{text}");
    }
    let gone = browser.call("forget_workspace", json!({"id": listed["workspaces"][0]["id"]})).await;
    assert_eq!(gone["workspaces"], json!([]));
    let refused = browser.ask("accounts", &json!({}), &[("cookie", &browser.pass)]).await;
    assert!(refused.text().await.unwrap().contains("No Pozy is connected"));
}

#[tokio::test(flavor = "multi_thread")]
async fn another_port_can_be_chosen_when_the_usual_one_is_taken() {
    let mut place = Place::new();
    place.set("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent");
    let held = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = held.local_addr().unwrap();
    let mut running = place.background("serve", &["serve", "--receive-on", &taken.to_string()]);
    let browser = Browser::open(&mut running).await;
    let status = browser.call("status", json!({})).await;
    assert_eq!(status["receiver"]["listening"], false);
    let problem = status["receiver"]["problem"].as_str().unwrap();
    assert!(problem.contains("taken") && problem.contains("Settings"), "{problem}");
    let given = browser.ask("save_receiver", &json!({"port": 8790}), &[("cookie", &browser.pass)]).await;
    assert_eq!(given.status(), StatusCode::CONFLICT, "an address given at the start holds");
    drop(running);

    // A port that was free a moment ago; the person chooses it, and it is listened on after a restart too.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut running = place.background("serve", &["serve"]);
    let browser = Browser::open(&mut running).await;
    browser.call("leave_practice", json!({})).await;
    let status = browser.call("save_receiver", json!({"port": free})).await;
    let url = format!("http://127.0.0.1:{free}/hooks/pozy");
    assert_eq!(status["receiver"]["url"], url.as_str(), "{status}");
    let low = browser.ask("save_receiver", &json!({"port": 80}), &[("cookie", &browser.pass)]).await;
    assert_eq!(low.status(), StatusCode::BAD_REQUEST);
    let sent = reqwest::Client::new().post(&url).body("not json").send().await.unwrap();
    assert_eq!(sent.status(), StatusCode::NO_CONTENT);
    drop(running);
    let mut running = place.background("serve", &["serve"]);
    let browser = Browser::open(&mut running).await;
    assert_eq!(browser.call("status", json!({})).await["receiver"]["url"], url.as_str());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_call_is_said_without_repeating_it() {
    let place = Place::new();
    let mut running = serve(&place);
    let browser = Browser::open(&mut running).await;
    for (name, args, code) in [
        ("save_workspace", json!({"name": 7, "api_key": "sk_plum"}), "usage"),
        (
            "save_workspace",
            json!({"name": "x", "base_url": "http://far.example", "provider": "pozy", "api_key": "sk_plum"}),
            "usage",
        ),
        ("submit", json!({"content": "x", "targets": [], "form": "f"}), "refused"),
        ("job", json!({"job": "job_nowhere"}), "not_found"),
        ("nothing_like_it", json!({}), "usage"),
    ] {
        let answer = browser.ask(name, &args, &[("cookie", &browser.pass)]).await;
        assert!(answer.status().is_client_error(), "{name}: {}", answer.status());
        let problem: Value = answer.json().await.unwrap();
        assert_eq!(problem["code"], code, "{name}: {problem}");
        assert!(!problem.to_string().contains("sk_plum"), "{problem}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn saved_filters_stay_with_the_log() {
    let place = Place::new();
    let mut first = serve(&place);
    let browser = Browser::open(&mut first).await;
    let saved =
        browser.call("save_filter", json!({"name": "Late ones", "terms": {"only": "late", "text": "hay"}})).await;
    let id = saved["filters"][0]["id"].clone();
    let renamed = browser.call("save_filter", json!({"id": id, "name": "Late hay"})).await;
    first.stop().unwrap();

    let mut again = serve(&place);
    let browser = Browser::open(&mut again).await;
    let kept = browser.call("saved_filters", json!({})).await;
    assert_eq!(kept, renamed);
    assert_eq!(kept, json!({"filters": [{"id": id, "name": "Late hay", "terms": {"only": "late", "text": "hay"}}]}));
    assert_eq!(browser.call("delete_filter", json!({"id": id})).await, json!({"filters": []}));
}

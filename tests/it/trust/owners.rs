//! Several programs on one data folder: one receives and sends, the others show the log and say so, and within seconds
//! of its end, however that comes, another one takes over.

use reprise_core::clock::Clock;
use serde_json::{Value, json};

use super::{
    scene::Scene,
    table::{self, Tried},
};
use crate::{program::Running, screens::Browser};

/// As soon as another program must have taken over, milliseconds.
const WITHIN_MS: i64 = 10_000;

fn line(program: &mut Running) -> Value {
    program.first_line().expect("a line")
}

async fn arrive(receiver: &Value, event: &str) -> u16 {
    let body = json!({"id": event, "event": "account.connected", "timestamp": "2026-04-14T08:00:00Z",
                      "account": {"accountId": event}});
    let url = receiver["receiver"].as_str().expect("an address");
    let answer = reqwest::Client::new().post(url).body(body.to_string()).send().await.expect("an answer");
    answer.status().as_u16()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_two_owns_receiver_and_sender_and_the_other_takes_over_after_a_kill() {
    let scene = Scene::new().await;
    let data = scene.place.data();
    let mut first = scene.listen(&data);
    let one = line(&mut first);
    assert_eq!(arrive(&one, "ev_1").await, 204);
    let mut second = scene.listen(&data);
    let waits = line(&mut second);
    assert!(waits["receiver"].is_null(), "{waits}");
    let says = waits["waits"].as_str().expect("it says why");
    assert!(says.contains(&first.id().to_string()) && says.contains("only shown"), "{says}");
    let doctor = scene.on(&data, &["doctor"]);
    assert!(doctor.iter().any(|row| row["check"] == "receiver" && row["ok"] == true), "{doctor:?}");

    first.kill();
    let since = Clock::stopwatch();
    let two = tokio::task::block_in_place(|| line(&mut second));
    let ms = since.ms();
    assert!(ms < WITHIN_MS, "{ms} ms");
    assert_eq!(arrive(&two, "ev_2").await, 204);
    let mut tried = Tried::new(table::TWO_PROGRAMS, 1, ms);
    tried.lost = 2_u64.abs_diff(scene.on(&data, &["arrivals"]).len() as u64);
    tried.note(&scene.place);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_is_sent_by_the_one_that_takes_over() {
    let scene = Scene::new().await;
    let data = scene.place.data();
    let mut first = scene.listen(&data);
    line(&mut first);
    let mut second = scene.listen(&data);
    line(&mut second);
    let job = scene.waiting_post("post.json", "Sent by whoever is left.", 2);
    first.kill();
    scene.until(&data, &job, "done").await;
    assert_eq!(scene.posts(), 1);
    assert!(second.runs());
}

/// What is saved in Settings starts receiver and sender anew; the one that waits does not get between.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_saves_a_workspace_keeps_the_right_to_receive_and_send() {
    let mut scene = Scene::new().await;
    scene.place.set("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent");
    let data = scene.place.data();
    let mut serve = scene.place.background("serve", &["serve", "--receive-on", "127.0.0.1:0"]);
    let browser = Browser::open(&mut serve).await;
    let mut second = scene.listen(&data);
    assert!(line(&mut second)["receiver"].is_null());
    let saved = json!({"name": "Harbour", "base_url": scene.sandbox.url(), "provider": "pozy",
                       "api_key": scene.sandbox.api_key(), "webhook_secret": scene.sandbox.webhook_secret()});
    let mut id = browser.call("save_workspace", saved).await["workspaces"][0]["id"].clone();
    for n in 0..12 {
        let status = browser.call("status", json!({})).await;
        assert_eq!(
            (&status["receiver"]["listening"], &status["receiver"]["elsewhere"]),
            (&json!(true), &json!(false)),
            "{n}: {status}"
        );
        let again =
            json!({"id": id, "name": format!("Harbour {n}"), "base_url": scene.sandbox.url(), "provider": "pozy"});
        id = browser.call("save_workspace", again).await["workspaces"][0]["id"].clone();
    }
    assert!(second.runs());
}

/// The screens in a browser and the headless program: whoever comes second shows the log and says so.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_screens_say_that_another_program_receives() {
    let scene = Scene::new().await;
    let data = scene.place.data();
    let mut listen = scene.listen(&data);
    let one = line(&mut listen);
    let (url, folder) = (scene.sandbox.url().to_owned(), data.display().to_string());
    let words = ["serve", "--receive-on", "127.0.0.1:0", "--pozy", &url, "--json", "--data", &folder];
    let mut serve = scene.place.start("serve", &words).expect("it starts");
    let status = Browser::open(&mut serve).await.call("status", json!({})).await;
    assert_eq!((&status["receiver"]["listening"], &status["receiver"]["elsewhere"]), (&json!(false), &json!(true)));
    assert!(status["receiver"]["problem"].as_str().is_some_and(|says| says.contains("takes over")), "{status}");
    assert_eq!(arrive(&one, "ev_1").await, 204);
}

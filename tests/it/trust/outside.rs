//! What happens to the computer and around it while all runs: the clock jumps, it sleeps, the network is gone, the disk
//! is full.

use std::{
    io::Write as _,
    net::{SocketAddr, TcpStream},
    process::Command,
    sync::Arc,
    time::Duration,
};

use pozy_sandbox::Deed;
use reprise_core::{
    clock::{Clock, Moment},
    inbound::listener::{Receiver, Setup},
    outbound::{
        outcome::{Outcome, State},
        sender,
    },
    pozy::contract::Contract,
    store::listing,
};
use serde_json::{Value, json};

use super::{
    scene::{Scene, until_refused},
    table::{self, Tried},
};
use crate::{
    attack::target::{read_all, status_of},
    outbound::world::{POST, World, t0},
    program::Place,
    wait,
};

fn event(id: &str, at: Moment) -> String {
    json!({"id": id, "event": "account.connected", "timestamp": at, "account": {"accountId": id}}).to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_jumps_loses_no_message_and_sends_nothing_twice() {
    let world = World::start().await;
    world.fault(
        Deed::Status { status: 503, retry_after: Some(json!(60)), code: None, body: None, headers: Default::default() },
        1,
    );
    let job = world.submit(POST).await.unwrap();
    assert_eq!(job.judged.state, State::Waiting);
    let (store, clock) = (world.store.clone(), world.clock.clone());
    let setup = Setup::new("127.0.0.1:0".parse().unwrap(), Vec::new());
    let pozy = Arc::new(Contract::shipped("pozy").unwrap());
    let receiver = Receiver::start(store.clone(), clock.clone(), pozy, setup).await.unwrap();
    let running = sender::start(store.clone(), clock.clone(), world.connection.clone());
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let arrive = async |id: String| {
        let answer = client.post(receiver.url()).body(event(&id, t0())).send().await.unwrap();
        assert_eq!(answer.status(), 204, "{id}");
    };
    let hours = |hours: i64| t0().plus_seconds(hours * 3_600);

    // Forth, past the life of the key: only a person may ask now.
    clock.set(hours(30));
    arrive("ev_forth".to_owned()).await;
    let view = world.view(&job.facts.mark).await;
    assert_eq!((view.judged.state, view.judged.outcome, view.judged.next_at), (State::Unknown, Outcome::Unknown, None));
    // Back, before everything: keys look younger than they are, so nothing is sent by itself.
    clock.set(hours(-10));
    for n in 0..5 {
        arrive(format!("ev_back_{n}")).await;
    }
    assert_eq!(world.view(&job.facts.mark).await.judged.next_at, None);
    assert_eq!(world.sandbox.ledger().keys.len(), 0, "nothing was asked meanwhile");
    // Right again, and later than all that was seen.
    let since = Clock::stopwatch();
    clock.set(hours(31));
    arrive("ev_right".to_owned()).await;
    running.stop().await;
    receiver.stop().await.unwrap();
    let rows = listing::arrivals(store.pool(), None, 100).await.unwrap();
    let mut tried = Tried::new(table::CLOCK_JUMPS, 3, since.ms());
    tried.lost = 7_u64.abs_diff(rows.iter().filter(|row| row.standing == "first").count() as u64);
    tried.second_posts = world.posts() as u64;
    tried.note(&Place::new());
}

fn signal(process: u32, name: &str) {
    let done = Command::new("sh").args(["-c", &format!("kill -{name} {process}")]).status().unwrap();
    assert!(done.success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_came_while_the_computer_slept_is_taken_when_it_wakes_and_what_was_due_is_sent_once() {
    let scene = Scene::new().await;
    let data = scene.place.data();
    let mut listen = scene.listen(&data);
    let first = listen.first_line().unwrap();
    let address: SocketAddr = first["receiver"].as_str().unwrap()[7..].split('/').next().unwrap().parse().unwrap();
    let job = scene.waiting_post("post.json", "Due while it sleeps.", 2);
    signal(listen.id(), "STOP");
    let now = Clock::wall().now();
    let mut senders: Vec<TcpStream> = (0..20)
        .map(|n| {
            let body = event(&format!("ev_{n}"), now);
            let mut socket = TcpStream::connect(address).unwrap();
            let head = format!(
                "POST /hooks/pozy HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            socket.write_all(head.as_bytes()).and_then(|()| socket.write_all(body.as_bytes())).unwrap();
            socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            socket
        })
        .collect();
    let due: Moment = job["next_at"].as_str().unwrap().parse().unwrap();
    wait::until("the time at which the post is due", || {
        let now = Clock::wall().now();
        if now.ms_since(due) > 500 { Ok(()) } else { Err(now) }
    })
    .await;
    assert_eq!(scene.posts(), 0);
    let since = Clock::stopwatch();
    signal(listen.id(), "CONT");
    let answers =
        tokio::task::spawn_blocking(move || senders.iter_mut().map(read_all).collect::<Vec<_>>()).await.unwrap();
    assert!(answers.iter().all(|answer| status_of(answer) == Some(204)), "{answers:?}");
    scene.until(&data, &job, "done").await;
    let mut tried = Tried::new(table::ASLEEP, 1, since.ms());
    let own = |row: &&Value| row["name"] == "account.connected" && row["arrivals"] == 1;
    tried.lost = 20_u64.abs_diff(scene.on(&data, &["events"]).iter().filter(own).count() as u64);
    tried.second_posts = (scene.posts() as u64).saturating_sub(1);
    tried.note(&scene.place);
}

/// A port whose queue is full: a connection to it is neither made nor refused.
async fn silent() -> (tokio::net::TcpListener, Vec<tokio::net::TcpStream>) {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut made = Vec::new();
    while let Ok(socket) =
        tokio::time::timeout(Duration::from_millis(500), tokio::net::TcpStream::connect(address)).await
    {
        made.push(socket.unwrap());
        assert!(made.len() < 1_000, "the queue has an end");
    }
    (listener, made)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_network_nothing_is_lost_and_it_is_said() {
    let scene = Scene::new().await;
    let data = scene.place.data();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (silent, _queue) = silent().await;
    // No part of a name may have more than 63 letters, so nobody has to be asked about this one.
    let nowhere = format!("https://{}.invalid", "a".repeat(64));
    let bases = [nowhere, format!("http://{closed}"), format!("http://{}", silent.local_addr().unwrap())];
    let since = Clock::stopwatch();
    for (n, base) in bases.iter().enumerate() {
        scene.post("post.json", &format!("{} nobody is there", "abc".repeat(n + 1)));
        let words =
            ["submit", "post.json", "--pozy", base, "--json", "--data", &data.display().to_string()].map(str::to_owned);
        let ran = tokio::task::block_in_place(|| scene.place.run(&words)).unwrap();
        assert_eq!(ran.exit, Some(0), "{base}: {} {}", ran.out, ran.err);
        let job: Value = serde_json::from_str(ran.out.trim()).unwrap();
        assert_eq!(
            (&job["state"], &job["outcome"]),
            (&json!("waiting"), &json!("none")),
            "{base}: nothing left: {job}"
        );
        let attempts = scene.on(&data, &["attempts", "--job", job["job"].as_str().unwrap()]);
        assert_eq!(attempts[0]["result"]["kind"], "not_sent", "{base}");
    }
    let mut tried = Tried::new(table::NO_NETWORK, bases.len(), since.ms());
    tried.lost = bases.len().abs_diff(scene.on(&data, &["jobs"]).len()) as u64;
    tried.second_posts = scene.posts() as u64;
    tried.note(&scene.place);
}

/// Where `tests/trust.sh` could mount a file system of a few megabytes, the log lies on it; elsewhere the size of files is
/// limited, which the program meets as the same error.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_a_full_file_system_nothing_is_answered_well_that_is_not_kept() {
    let mut scene = Scene::new().await;
    let disk = std::env::var_os("REPRISE_SMALL_DISK").map(std::path::PathBuf::from);
    let data = disk.as_ref().map_or_else(|| scene.place.data(), |disk| disk.join("log"));
    scene.on(&data, &["events"]);
    if disk.is_none() {
        scene.place.limit_files(Some(1_400));
    }
    let mut listen = scene.listen(&data);
    let url = listen.first_line().unwrap()["receiver"].as_str().unwrap().to_owned();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let now = Clock::wall().now();
    // Words that no packing makes smaller, so that the disk fills soon.
    let words = |n: usize| -> String {
        (0..2_000).map(|at| char::from(b'!' + ((n * 7_919 + at * at * 31 + at * 17) % 90) as u8)).collect()
    };
    let send = async |n: usize| {
        let id = format!("ev_{n}");
        let body = json!({"id": id, "event": "account.connected", "timestamp": now, "account": {"accountId": id}, "more": words(n)});
        (id, client.post(&url).body(body.to_string()).send().await.unwrap().status().as_u16())
    };
    let (answered, refused) = until_refused(20_000, send).await;
    listen.kill();
    scene.place.limit_files(None);
    let since = Clock::stopwatch();
    let events = scene.on(&data, &["events"]);
    let kept = |id: &String| events.iter().any(|row| row["event"] == id.as_str());
    let mut tried = Tried::new(table::SMALL_DISK, refused, since.ms());
    tried.lost = answered.iter().filter(|id| !kept(id)).count() as u64;
    if disk.is_some() {
        tried.note(&scene.place);
    } else {
        assert_eq!(tried.lost, 0);
    }
}

//! Several programs on one data folder: one sends what waits, and one sender a job, whoever is faster (design 4.2).

use std::time::Duration;

use pozy_sandbox::Fault;
use serde_json::json;

use super::{Scene, unlike};

const POSTS: usize = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_listening_programs_and_many_submits_make_one_post_a_job() {
    let scene = Scene::new().await;
    let busy = json!({"on": "POST /v1/posts", "do": "status", "status": 503, "retry_after": 0, "times": 6});
    let lost = json!({"on": "POST /v1/posts", "do": "cut_after", "times": 4});
    for fault in [busy, lost] {
        scene.sandbox.fault(Fault::read(fault).expect("a fault")).expect("a fault");
    }
    // Longer than a sender takes to look for work again, so that a second one would meet the first on the wire.
    scene.gate.linger(Duration::from_millis(400));
    let mut first = scene.listen();
    let mut second = scene.listen();
    let receivers = [&mut first, &mut second].map(|listen| listen.first_line().expect("both run")["receiver"].clone());
    assert_eq!(receivers.iter().filter(|url| url.is_null()).count(), 1, "one receives, the other waits: {receivers:?}");
    let submits: Vec<_> = (0..POSTS)
        .map(|post| {
            let file = format!("post-{post}.json");
            scene.post(&file, &unlike(post));
            scene.submit(&file)
        })
        .collect();
    scene.all_done(POSTS).await;
    drop(submits);
    scene.one_post_per_job();
    let attempts = scene.place.lines(&["attempts"]);
    assert!(attempts.iter().all(|row| row["result"]["status"] != 409), "two senders of one job: {attempts:?}");
    assert!(first.runs() && second.runs());
}

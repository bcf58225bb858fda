//! Many senders at once: every arrival is answered after its commit, none is lost, none is counted twice.

use std::sync::Arc;

use super::desk::{Desk, sign};

const SENDERS: usize = 64;
const ARRIVALS: usize = 10_000;
/// Every fifth arrival repeats one that was sent just before.
const EVENTS: usize = ARRIVALS * 4 / 5;

fn body(event: usize) -> String {
    format!(
        r#"{{"id":"ev_{event}","event":"post.platform.published","timestamp":"2026-03-02T10:00:{:02}Z","post":{{"id":"po_{}","status":"publishing"}},"platform":{{"name":"linkedin","status":"published"}},"account":{{"accountId":"ac_{event}"}}}}"#,
        event % 60,
        event % 2_000,
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn sixty_four_senders_lose_nothing_and_count_nothing_twice() {
    let desk = Arc::new(Desk::open().await);
    let receiver = desk.listen().await;
    let senders = (0..SENDERS).map(|sender| {
        let (desk, url) = (Arc::clone(&desk), receiver.url().to_owned());
        tokio::spawn(async move {
            let mut answered = 0;
            for n in (sender..ARRIVALS).step_by(SENDERS) {
                let body = body(if n < EVENTS { n } else { (n - EVENTS) * 3 });
                let request = desk.client.post(&url).header("X-Pozy-Signature", sign(super::desk::SECRET, &body));
                let status = request.body(body).send().await.unwrap().status();
                assert_eq!(status, 204);
                answered += 1;
            }
            answered
        })
    });
    let mut answered = 0;
    for sender in senders.collect::<Vec<_>>() {
        answered += sender.await.unwrap();
    }
    assert_eq!(answered, ARRIVALS);
    let count = |number: usize| i64::try_from(number).unwrap();
    assert_eq!(desk.number("SELECT count(*) FROM arrivals").await, count(ARRIVALS), "all were on disk when answered");
    receiver.stop().await.unwrap();
    assert_eq!(desk.number("SELECT count(*) FROM events").await, count(EVENTS));
    assert_eq!(desk.number("SELECT sum(arrivals) FROM events").await, count(ARRIVALS));
    assert_eq!(
        desk.number("SELECT count(*) FROM standings WHERE standing = 'first' AND copy = 1").await,
        count(EVENTS)
    );
    assert_eq!(
        desk.number("SELECT count(*) FROM standings WHERE standing = 'duplicate' AND copy > 1").await,
        count(ARRIVALS - EVENTS)
    );
    assert_eq!(desk.number("SELECT count(*) FROM answers WHERE left_ns IS NOT NULL").await, count(ARRIVALS));
    assert_eq!(
        desk.number("SELECT count(*) FROM lanes WHERE lane LIKE 'post:%/ac_%' AND status = 'published'").await,
        count(EVENTS)
    );
}

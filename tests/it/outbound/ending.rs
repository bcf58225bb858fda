//! The end waits for nobody: whatever is under way stands on disk as begun, and is taken up from there.

use pozy_sandbox::Deed;
use reprise_core::{desk::Runs, store::job_facts};
use serde_json::json;

use super::{
    looking::{answered, call, desk_that},
    world::World,
};
use crate::wait::{patiently, until};

/// Longer than a request may take: an end that waits for the answer finds the try over, and not under way.
const FOR_EVER: Deed = Deed::Stall { seconds: 600.0 };

/// One is asked again by its plan, the other was just sent by hand.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_end_leaves_requests_that_hang_as_their_rows_have_them() {
    let world = World::start().await;
    let desk = desk_that(&world, Runs::On(([127, 0, 0, 1], 0).into())).await;
    world.fault(answered(503, Some(1), None), 1);
    world.fault(FOR_EVER, 2);
    let post = |words: &str| {
        let targets = json!([{"platform": "linkedin", "account": "ac_li"}]);
        json!({"content": words, "media_urls": [], "form": words, "targets": targets})
    };
    let waits = call(&desk, "submit", post("Lanterns are lit at six.")).await;
    assert_eq!(waits["state"], "waiting", "{waits}");
    world.pass(1).await;
    let made = |count| move |posts| if posts == count { Ok(()) } else { Err(posts) };
    until("the plan's try hangs", || made(1)(world.posts())).await;
    let sending = tokio::spawn({
        let (desk, post) = (desk.clone(), post("The quay market opens at ten."));
        async move { desk.call("submit", post).await }
    });
    until("the other hangs, too", || made(2)(world.posts())).await;
    patiently("the end", desk.close()).await;
    let left = job_facts::unfinished(world.store.pool()).await.unwrap();
    assert_eq!(left.len(), 2, "tries without a result, which the next start calls unknown: {left:?}");
    for (_, mark) in left {
        assert!(world.view(&mark).await.facts.is_open(), "{mark}");
    }
    assert_eq!(world.posts(), 2);
    sending.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_end_waits_for_no_reader_that_goes_on() {
    let world = World::start().await;
    let desk = desk_that(&world, Runs::On(([127, 0, 0, 1], 0).into())).await;
    let store = desk.store().await;
    let reader = store.pool().acquire().await.unwrap();
    patiently("the end", desk.close()).await;
    drop(reader);
    let later = desk_that(&world, Runs::Nothing).await;
    assert_eq!(call(&later, "posts", json!({"limit": 10})).await["rows"], json!([]));
    later.close().await;
}

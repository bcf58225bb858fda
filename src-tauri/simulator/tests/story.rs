//! The practice story, played with a plain client in place of the program.

use serde_json::{Value, json};

use crate::sides::{NINE, Receiver, got, start};
use pozy_sandbox::{Options, Pace, Step, Story};

#[tokio::test]
async fn the_story_has_a_lost_answer_a_copy_a_late_event_and_a_double_post() {
    let story = Story::built_in().unwrap();
    assert!(story.steps.last().unwrap().at_s <= 120.0);
    let options = Options { pace: Pace::Manual, now: Some(NINE.parse().unwrap()), ..story.options() };
    let pozy = start(options).await;
    let receiver = Receiver::start().await;
    pozy.register(&receiver.url).await;
    let (mut lost, mut refused, mut at_ms) = (0, 0, 0.0);
    for (turn, timed) in story.steps.iter().enumerate() {
        let wait = timed.at_s * 1000.0 - at_ms;
        pozy.handle.advance(std::time::Duration::from_secs_f64(wait / 1000.0)).await.unwrap();
        at_ms += wait;
        match &timed.step {
            Step::Submit { body, .. } => {
                let key = format!("k-{turn}");
                match pozy.create(&key, body).send().await {
                    Ok(answer) => refused += usize::from(answer.status() == 409),
                    Err(_) => {
                        lost += 1;
                        assert_eq!(got(pozy.create(&key, body)).await.status, 200);
                    }
                }
            }
            other => pozy.handle.play(other).await.unwrap(),
        }
    }
    assert_eq!((lost, refused), (1, 1));
    assert_eq!(pozy.posts().len(), story.submits() - refused);
    assert!(pozy.posts().iter().all(|post| post["status"] == "published"));

    let seen = receiver.seen();
    let ids: Vec<&str> = seen.iter().map(|arrived| arrived.id()).collect();
    let copies = ids.iter().enumerate().filter(|(place, id)| ids[..*place].contains(id)).count();
    assert_eq!(copies, 1);
    let time = |body: &Value| body["timestamp"].as_str().unwrap().to_owned();
    let first_of = |place: usize| !ids[..place].contains(&ids[place]);
    let late = seen.iter().enumerate().filter(|(place, arrived)| {
        let overtaken = |other: &&crate::sides::Arrived| {
            other.body["post"]["id"] == arrived.body["post"]["id"] && time(&other.body) > time(&arrived.body)
        };
        first_of(*place) && seen[..*place].iter().any(|other| overtaken(&other))
    });
    assert_eq!(late.count(), 1);

    let posts = pozy.posts();
    let doors: Vec<&Value> =
        posts.iter().filter(|post| post["content"].as_str().unwrap().starts_with("Doors")).collect();
    assert_eq!(doors.len(), 2);
    assert_eq!(doors[0]["platforms"][0]["accountId"], doors[1]["platforms"][0]["accountId"]);
    assert_ne!(doors[0]["metadata"], doors[1]["metadata"]);
}

#[tokio::test]
async fn the_sandbox_does_not_send_the_storys_posts_itself() {
    let story = Story::built_in().unwrap();
    let pozy = start(story.options()).await;
    let submit = story.steps.iter().find(|timed| matches!(timed.step, Step::Submit { .. })).unwrap();
    assert!(pozy.handle.play(&submit.step).await.is_err());
    let clock = serde_json::from_value(json!({"do": "clock", "advance_s": 5})).unwrap();
    let before = pozy.handle.now();
    pozy.handle.play(&clock).await.unwrap();
    assert!((pozy.handle.now() - before).num_seconds() >= 5);
}

#[test]
fn a_story_out_of_order_or_with_a_slip_is_refused() {
    let story =
        |steps: &str| Story::read(&format!(r#"{{"accounts": [], "ladder_s": [], "publish_s": 1, "steps": {steps}}}"#));
    assert!(story(r#"[{"at_s": 2, "do": "say"}, {"at_s": 1, "do": "say"}]"#).is_err());
    assert!(story(r#"[{"at_s": 2, "do": "fault", "fault": {"on": "delivery", "do": "stall"}}]"#).is_err());
    assert!(story(r#"[{"at_s": 2, "do": "say"}]"#).is_ok());
}

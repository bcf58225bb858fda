//! Bodies of all kinds, read.

use rstest::rstest;
use serde_json::json;

use super::*;

fn pozy() -> Contract {
    Contract::shipped("pozy").unwrap()
}

fn reading(body: &str) -> Reading {
    read(body.as_bytes(), &pozy()).unwrap()
}

fn news(body: &str) -> Vec<(String, String, Rank)> {
    reading(body).news.into_iter().map(|news| (news.lane.to_string(), news.status, news.rank)).collect()
}

#[test]
fn a_target_event_has_news_for_its_target_and_carries_the_post_along() {
    let body = r#"{"id":"ev_7","event":"post.platform.published","timestamp":"2026-03-02T10:00:02Z","post":{"id":"po_6","status":"publishing","content":"Doors open at 9."},"platform":{"name":"instagram","status":"published"},"account":{"accountId":"ac_ig"}}"#;
    assert_eq!(
        news(body),
        [
            ("post:po_6/ac_ig".into(), "published".into(), Rank::Own),
            ("post:po_6".into(), "publishing".into(), Rank::CarriedAlong)
        ]
    );
    let reading = reading(body);
    assert_eq!(reading.resource.as_str(), "post:po_6");
    assert_eq!(reading.platform.as_deref(), Some("instagram"));
    assert_eq!(reading.text.as_deref(), Some("Doors open at 9."));
}

#[test]
fn a_platform_written_as_text_is_understood_too() {
    let body = r#"{"id":"ev_1","event":"post.platform.published","timestamp":"2026-03-02T10:00:00Z","post":{"id":"po_1","status":"publishing"},"platform":"linkedin","accountId":"ac_li"}"#;
    assert_eq!(news(body)[0], ("post:po_1/ac_li".into(), "published".into(), Rank::Own));
    assert_eq!(reading(body).platform.as_deref(), Some("linkedin"));
}

#[test]
fn a_roll_up_carries_every_target() {
    let body = r#"{"id":"ev_6","event":"post.partial","timestamp":"2026-03-02T10:00:05Z","post":{"id":"po_6","platforms":[{"platform":"linkedin","accountId":"ac_li","status":"failed"},7,{"accountId":{"_id":"ac_ig"},"status":"published"},{"accountId":"ac_x"}]}}"#;
    let told = news(body);
    assert_eq!(told[0], ("post:po_6".into(), "partial".into(), Rank::Own), "the name says what the body does not");
    assert_eq!(told[1], ("post:po_6/ac_li".into(), "failed".into(), Rank::Own));
    assert_eq!(told[2], ("post:po_6/ac_ig".into(), "published".into(), Rank::Own));
    assert_eq!(told.len(), 3);
}

#[rstest]
#[case(r#""test":true"#, Nature::Test)]
#[case(r#""test":false"#, Nature::Odd)]
#[case(r#""test":"true""#, Nature::Odd)]
#[case(r#""test":null"#, Nature::Odd)]
#[case(r#""test":{"a":1}"#, Nature::Odd)]
#[case(r#""other":1"#, Nature::Real)]
fn only_boolean_true_is_a_test(#[case] field: &str, #[case] nature: Nature) {
    let body = format!(
        r#"{{"id":"ev","event":"post.failed","timestamp":"2026-03-02T10:00:00Z","post":{{"id":"po","status":"failed"}},{field}}}"#
    );
    let reading = reading(&body);
    assert_eq!(reading.nature, nature);
    assert_eq!(reading.news.is_empty(), nature == Nature::Test, "a test has no news");
}

#[test]
fn a_test_by_name_needs_no_field() {
    assert_eq!(reading(r#"{"id":"ev","event":"webhook.test","message":"Hi"}"#).nature, Nature::Test);
}

#[rstest]
#[case(r#"{"id":"ev","event":"garden.watered","garden":{"id":"g1"}}"#, "other:garden:g1", false)]
#[case(r#"{"id":"ev","event":"garden.watered"}"#, "other:garden:ev", false)]
#[case(r#"{"id":"ev","event":"post.frobbed","post":{"id":"po","status":"failed"}}"#, "post:po", false)]
#[case(r#"{"id":"ev"}"#, "other:unnamed:ev", false)]
#[case(r#"{"id":"ev","event":7}"#, "other:unnamed:ev", false)]
#[case(r#"{"id":"ev","event":"account.connected","account":{"accountId":"ac"}}"#, "account:ac", true)]
#[case(r#"{"id":"ev","event":"account.connected","account":"ac"}"#, "other:account:ev", true)]
fn resources_come_from_the_name_and_its_block(#[case] body: &str, #[case] resource: &str, #[case] known: bool) {
    let reading = reading(body);
    assert_eq!(reading.resource.as_str(), resource);
    assert_eq!(reading.known, known);
    assert!(known || reading.news.is_empty(), "an unknown name moves no lane");
    assert_eq!(reading.happened, None);
}

#[rstest]
#[case::empty("", Unreadable::NotJson)]
#[case::torn(r#"{"id":"ev_torn","event":"post.failed","post":{"id":"po_x""#, Unreadable::NotJson)]
#[case::trailing(r#"{"id":"ev"} x"#, Unreadable::NotJson)]
#[case::list("[1,2,3]", Unreadable::NotAnObject)]
#[case::no_id(r#"{"event":"post.failed"}"#, Unreadable::NoId)]
#[case::number_id(r#"{"id":7}"#, Unreadable::NoId)]
#[case::blank_id(r#"{"id":" "}"#, Unreadable::NoId)]
#[case::control_id(r#"{"id":"a\u0000"}"#, Unreadable::NoId)]
#[case::doubled_id(r#"{"id":"a","i\u0064":"b"}"#, Unreadable::Doubled)]
#[case::doubled_inside(r#"{"id":"a","event":"post.failed","post":{"id":"x","id":"y"}}"#, Unreadable::Doubled)]
#[case::surrogate_id(r#"{"id":"\ud800"}"#, Unreadable::BrokenText)]
#[case::surrogate_status(r#"{"id":"a","post":{"status":"\udc00"}}"#, Unreadable::BrokenText)]
fn what_cannot_be_read_says_why(#[case] body: &str, #[case] why: Unreadable) {
    assert_eq!(read(body.as_bytes(), &pozy()).unwrap_err(), why);
}

#[test]
fn bytes_that_are_no_text_cannot_be_read() {
    assert_eq!(read(b"{\"id\":\"ev\",\"x\":\"\xff\"}", &pozy()).unwrap_err(), Unreadable::NotJson);
}

#[test]
fn fields_that_are_not_read_may_be_strange() {
    assert_eq!(reading(r#"{"id":"ev","extra":"\ud800","more":1,"more":2}"#).event.as_str(), "ev");
}

#[test]
fn depth_is_counted_outside_texts_only() {
    let nested = |levels: usize| format!(r#"{{"id":"ev","x":{}{}}}"#, "[".repeat(levels - 1), "]".repeat(levels - 1));
    assert!(read(nested(128).as_bytes(), &pozy()).is_ok());
    assert_eq!(read(nested(129).as_bytes(), &pozy()).unwrap_err(), Unreadable::TooDeep);
    assert_eq!(read("[".repeat(5000).as_bytes(), &pozy()).unwrap_err(), Unreadable::TooDeep);
}

#[test]
fn what_is_kept_for_good_is_short_and_what_a_post_says_may_be_long() {
    let long = "a".repeat(513);
    for body in [
        json!({"id": "ev", "event": long}),
        json!({"id": "ev", "event": "post.failed", "timestamp": long}),
        json!({"id": "ev", "event": "post.failed", "post": {"id": long}}),
        json!({"id": "ev", "event": "post.failed", "post": {"id": "po", "status": long}}),
        json!({"id": "ev", "event": "account.connected", "account": {"accountId": long}}),
        json!({"id": "ev", "event": "post.failed", "post": {"id": "po", "platforms": [{"accountId": long, "status": "x"}]}}),
    ] {
        assert_eq!(read(body.to_string().as_bytes(), &pozy()).unwrap_err(), Unreadable::TooLong, "{body}");
    }
    let targets: Vec<_> = (0..501).map(|n| json!({"accountId": format!("ac_{n}"), "status": "published"})).collect();
    let many = json!({"id": "ev", "event": "post.published", "post": {"id": "po", "platforms": targets}});
    assert_eq!(read(many.to_string().as_bytes(), &pozy()).unwrap_err(), Unreadable::TooMany);
    let words = json!({"id": "ev", "event": "post.published", "post": {"id": "po", "content": "a".repeat(100_000)}});
    assert!(read(words.to_string().as_bytes(), &pozy()).is_ok());
    let in_text = format!(r#"{{"id":"ev","x":"\"{}"}}"#, "[".repeat(500));
    assert!(read(in_text.as_bytes(), &pozy()).is_ok());
}

#[test]
fn twins_differ_in_id_and_order_of_fields_only() {
    let one = reading(r#"{"id":"a","event":"x.y","timestamp":"2026-03-02T10:00:00Z","n":{"p":1,"q":[2]}}"#);
    let same = reading(r#"{"n":{"q":[2],"p":1},"timestamp":"2026-03-02T11:00:00+01:00","event":"x.y","id":"b"}"#);
    let other = reading(r#"{"id":"a","event":"x.y","timestamp":"2026-03-02T10:00:00Z","n":{"p":1,"q":[3]}}"#);
    assert_eq!(one.twin, same.twin);
    assert_eq!(one.happened, same.happened);
    assert_ne!(one.twin, other.twin);
}

//! What must hold of any text: masking twice is masking once, a text without secrets keeps every byte, JSON stays JSON,
//! and a secret that stands under its name is gone.

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// Ids, keys, times and words as logs have them.
fn innocent() -> impl Strategy<Value = String> {
    prop_oneof![
        "[0-9a-f]{24}",
        "(po|ev|evt|ac|job|ws)_[0-9a-z]{1,16}",
        "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
        "20[0-9]{2}-0[1-9]-1[0-9]T0[0-9]:[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?Z",
        "https://www\\.linkedin\\.com/feed/update/urn:li:share:[0-9]{10,19}",
        "[A-Za-z][a-z]{0,9}( [a-z]{1,10}){0,6}[.!?]?",
        "k-[0-9a-z]{1,8}",
        Just("published".to_owned()),
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("content"),
        Just("id"),
        Just("_id"),
        Just("event"),
        Just("timestamp"),
        Just("idempotencyKey"),
        Just("accountId"),
        Just("status"),
        Just("publishedUrl"),
        Just("note"),
        Just("x"),
    ]
    .prop_map(str::to_owned)
}

fn value(leaf: impl Strategy<Value = String> + 'static) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        leaf.prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null)
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name(), inner.clone(), 0..5).prop_map(|map| json!(map)),
            inner.prop_map(|inner| Value::from(inner.to_string())),
        ]
    })
}

/// A secret that chance does not make twice.
fn secret() -> impl Strategy<Value = String> {
    "[A-Za-z]{4}[0-9]{4}[A-Za-z0-9_/+.-]{4,20}[A-Za-z]"
}

fn masked(text: &str) -> String {
    masked_text(text.to_owned(), &mut Mask::default())
}

proptest! {
    #[test]
    fn a_text_without_secrets_keeps_every_byte(value in value(innocent()), words in innocent()) {
        let json = value.to_string();
        prop_assert_eq!(masked(&json), json);
        prop_assert_eq!(masked(&words), words);
    }

    #[test]
    fn masking_twice_is_masking_once(text in r#"([a-zA-Z0-9 =:&"'\\{}\[\],._%/+-]|token|password|Bearer |Basic |api_key=|\[masked [0-9]\]|eyJ|sk_|://|@){0,24}"#) {
        let once = masked(&text);
        prop_assert_eq!(masked(&once), once);
    }

    #[test]
    fn a_named_secret_is_gone_from_json_that_stays_json(value in value(innocent()), secret in secret()) {
        for told in [
            json!({"a": value, "clientSecret": secret, "said": format!("it is {secret} now")}),
            json!({"raw": json!({"password": secret, "v": value}).to_string(), "basic": BASE64.encode(format!("{{\"jwt\":\"{secret}\"}}"))}),
        ] {
            let text = told.to_string();
            let mut mask = Mask::default();
            drop(masked_text(text.clone(), &mut mask));
            let mut mask = mask.again();
            let masked = masked_text(text, &mut mask);
            prop_assert!(!masked.contains(&secret), "{}", masked);
            prop_assert!(!masked.contains(&BASE64.encode(format!("{{\"jwt\":\"{secret}\"}}"))), "{}", masked);
            let kept: Value = serde_json::from_str(&masked).unwrap();
            prop_assert_eq!(&kept["a"], &told["a"]);
        }
    }

    #[test]
    fn any_text_at_all_is_taken(text in any::<String>()) {
        let once = masked(&text);
        prop_assert_eq!(masked(&once), once);
    }
}

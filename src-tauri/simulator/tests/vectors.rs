//! The signature against vectors that were written down, so that the double is trusted by something other than itself.

use pozy_sandbox::signature;
use rstest::rstest;

const BODY: &str = r#"{"id":"evt_demo_0001","event":"post.published","timestamp":"2026-11-05T09:00:06.120Z","post":{"id":"aaaaaaaaaaaaaaaaaaaa0001","status":"published"}}"#;

#[rstest]
#[case("demo-secret-1", BODY, "5275fc2d4936439c9e3a1dfc58ac9452e6fdaf7c8936f5218445a572f390ce91")]
#[case(
    "It's a Secret to Everybody",
    "Hello, World!",
    "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
)]
fn the_signature_is_lower_case_hex_of_the_raw_body(#[case] secret: &str, #[case] body: &str, #[case] want: &str) {
    assert_eq!(signature(secret, body.as_bytes()), want);
}

#[test]
fn the_own_vector_is_of_148_bytes() {
    assert_eq!(BODY.len(), 148);
    assert_ne!(signature("demo-secret-1", BODY.as_bytes()), signature("demo-secret-2", BODY.as_bytes()));
}

//! Each fault is found where it is, and not where it is not.

use super::*;

const BODY: &[u8] = br#"{"content":"Doors open at nine tonight."}"#;

/// A try, `s` seconds after ten o'clock, with a key of its own and an answer that made a post.
fn tried(s: i64) -> Tried {
    let at = Moment::from_millis(1_772_445_600_000 + s * 1_000);
    Tried {
        job: "job".into(),
        told_job: true,
        n: 1,
        at,
        workspace: 1,
        method: "POST".into(),
        path: "/v1/posts".into(),
        makes: true,
        key: Some("7f9d2c1e-33a4-4b1f-9e57-0c2a55d0aa10".into()),
        request_id: None,
        body: Some(BODY.to_vec()),
        kind: Some(EndKind::Answered),
        ended: Some(at.plus_millis(400)),
        meaning: Some(Meaning::Created),
        retry_at: None,
    }
}

fn lost(s: i64) -> Tried {
    let at = tried(s).at;
    Tried { kind: Some(EndKind::Timeout), ended: Some(at.plus_seconds(90)), meaning: None, ..tried(s) }
}

fn found(tries: &[Tried]) -> Vec<(Fault, usize)> {
    found_in(tries, true)
}

fn found_in(tries: &[Tried], knows_keys: bool) -> Vec<(Fault, usize)> {
    let mut lint = Lint::default();
    tries.iter().for_each(|tried| lint.take(tried, knows_keys));
    lint.findings().iter().map(|finding| (finding.fault, finding.count)).collect()
}

fn keyed(tried: Tried, key: &str) -> Tried {
    Tried { key: Some(key.into()), ..tried }
}

#[test]
fn a_client_that_does_right_is_not_blamed() {
    let other =
        Tried { job: "other".into(), body: Some(b"{\"content\":\"Other\"}".to_vec()), ..keyed(tried(900), "k-2") };
    assert_eq!(found(&[lost(0), Tried { n: 2, meaning: Some(Meaning::Replayed), ..tried(100) }, other]), []);
}

#[test]
fn a_key_per_try() {
    let tries = [keyed(lost(0), "a"), keyed(lost(100), "b"), keyed(tried(200), "c")];
    assert_eq!(found(&tries), [(Fault::KeyPerTry, 2)]);
    // Without a job that the file names, the same words soon after a failure are tries of one.
    let apart = |s, key: &str, job: &str| Tried { job: job.into(), told_job: false, ..keyed(lost(s), key) };
    assert_eq!(found(&[apart(0, "a", "key:a"), apart(31, "b", "key:b")]), [(Fault::KeyPerTry, 1)]);
    assert_eq!(found(&[apart(0, "a", "key:a"), apart(7_200, "b", "key:b")]), [], "two hours later it is another job");
    let fine = Tried { job: "key:a".into(), told_job: false, ..keyed(tried(0), "a") };
    assert_eq!(found(&[fine, apart(31, "b", "key:b")]), [], "the first one went out");
}

#[test]
fn a_key_made_from_the_post() {
    let sha = hex(&Sha256::digest(BODY));
    let words = b"Doors open at nine tonight.";
    let (md5, sha1) = {
        use md5::Digest as _;
        (hex(&md5::Md5::digest(words)), hex(&sha1::Sha1::digest(words)))
    };
    let keys = [
        sha.as_str(),
        &sha[..16],
        &format!("post-{md5}"),
        &sha1,
        "doors-open-at-nine-tonight",
        "2ed6657d-e927-568b-95e1-2665a8aea6a2",
    ];
    for key in keys {
        assert_eq!(found(&[keyed(tried(0), key)]), [(Fault::KeyFromBody, 1)], "{key}");
    }
    for key in ["row-14", &sha[..8], "9b2fa1e1-0000-4000-8000-000000000001", "doors"] {
        assert_eq!(found(&[keyed(tried(0), key)]), [], "{key}");
    }
}

#[test]
fn one_key_for_several_contents() {
    let with = |s, text: &str| Tried { job: format!("{s}"), body: Some(text.into()), ..keyed(tried(s), "run-77") };
    assert_eq!(found(&[with(0, "a"), with(9, "b"), with(18, "c"), with(27, "b")]), [(Fault::OneKeySeveralContents, 2)]);
    assert_eq!(found(&[with(0, "a"), with(9, "a")]), []);
    let elsewhere = Tried { workspace: 2, ..with(9, "b") };
    assert_eq!(found(&[with(0, "a"), elsewhere]), [], "keys are scoped to a workspace");
}

#[test]
fn tries_after_the_content_was_refused() {
    let refused = Tried { meaning: Some(Meaning::SameContent), ..tried(0) };
    let edited =
        Tried { body: Some(b"{\"content\":\"Doors open at nine tonight!\"}".to_vec()), ..keyed(tried(40), "other") };
    assert_eq!(found(&[refused.clone(), edited]), [(Fault::KeyPerTry, 1), (Fault::OnAfterSameContent, 1)]);
    assert_eq!(found(&[refused]), []);
}

#[test]
fn no_key_at_all() {
    let bare = Tried { key: None, ..tried(0) };
    assert_eq!(found(&[bare.clone(), Tried { at: bare.at.plus_seconds(9), ..bare.clone() }]), [(Fault::NoKey, 2)]);
    assert_eq!(found_in(std::slice::from_ref(&bare), false), [], "the file could not have told one");
    assert_eq!(found(&[Tried { makes: false, ..bare.clone() }]), []);
    assert_eq!(found(&[Tried { method: "DELETE".into(), ..bare }]), []);
}

#[test]
fn a_time_out_shorter_than_publishing_takes() {
    let cut =
        |s| Tried { kind: Some(EndKind::Timeout), ended: Some(tried(0).at.plus_seconds(s)), meaning: None, ..tried(0) };
    assert_eq!(found(&[cut(30)]), [(Fault::ShortTimeout, 1)]);
    assert_eq!(found(&[cut(60)]), []);
    assert_eq!(found(&[cut(0)]), [], "the file does not say how long it waited");
    assert_eq!(found(&[Tried { kind: Some(EndKind::Reset), ..cut(30) }]), []);
}

#[test]
fn one_request_id_for_a_whole_run() {
    let with = |s, id: &str, text: &str| Tried {
        job: format!("{s}"),
        request_id: Some(id.into()),
        body: Some(text.into()),
        ..keyed(tried(s), &format!("k-{s}"))
    };
    assert_eq!(found(&[with(0, "run", "a"), with(9, "run", "b"), with(18, "run", "c")]), [(Fault::OneRequestId, 2)]);
    assert_eq!(found(&[with(0, "one", "a"), with(9, "two", "b")]), []);
    assert_eq!(
        found(&[
            Tried { job: "j".into(), ..with(0, "one", "a") },
            Tried { job: "j".into(), key: Some("k-0".into()), ..with(9, "one", "a") }
        ]),
        []
    );
}

#[test]
fn tries_without_regard_to_the_wait() {
    let told =
        |s: i64| Tried { meaning: Some(Meaning::Conflict), retry_at: Some(tried(0).at.plus_seconds(s)), ..tried(0) };
    assert_eq!(found(&[told(60), tried(3)]), [(Fault::TooSoon, 1)]);
    assert_eq!(found(&[told(60), tried(61)]), []);
    assert_eq!(found(&[told(4), tried(3)]), [], "a second is rounding");
}

#[test]
fn a_finding_names_the_rows_it_rests_on() {
    let mut lint = Lint::default();
    for (n, key) in [(1, "a"), (2, "b"), (3, "c")] {
        lint.take(&Tried { n, ..keyed(lost(i64::from(n) * 100), key) }, true);
    }
    let finding = lint.findings().remove(0);
    assert_eq!(finding.rows.iter().map(|row| row.n).collect::<Vec<_>>(), [1, 2, 3]);
    let mut lint = Lint::default();
    (0..50).for_each(|s| lint.take(&Tried { key: None, ..tried(s) }, true));
    let finding = lint.findings().remove(0);
    assert_eq!((finding.count, finding.rows.len()), (50, MOST_ROWS));
}

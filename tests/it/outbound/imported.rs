//! Jobs of other programs, told by a file: judged as our own, shown, and never sent.

use reprise_core::{
    clock::{Clock, Moment},
    ids::{ImportId, JobMark, WorkspaceId},
    outbound::{
        job::EndKind,
        outcome::{State, Warning},
        view::{JobLine, JobView},
    },
    pozy::{answers::Answer, contract::Contract},
    store::{
        Store,
        attempts::{self, ImportedAttempt},
        job_facts,
        jobs::NewEnd,
        workspaces,
    },
};
use rstest::rstest;
use tempfile::TempDir;

use super::world::t0;

struct Told {
    _dir: TempDir,
    store: Store,
    contract: Contract,
    workspace: WorkspaceId,
}

/// A try of the job at `at_s` that ended a second later.
fn told(
    job: &str,
    n: u32,
    at_s: i64,
    key: Option<&str>,
    body: &str,
    end: (EndKind, u16, &str, &str),
) -> ImportedAttempt {
    let (kind, status, retry_after, answer) = end;
    let headers =
        if retry_after.is_empty() { vec![] } else { vec![("Retry-After".to_owned(), retry_after.to_owned())] };
    let answer = Answer { status, headers, body: answer.as_bytes().to_vec() };
    ImportedAttempt {
        import: ImportId(1),
        job: JobMark::new(job),
        n,
        at: t0().plus_seconds(at_s),
        method: "POST".to_owned(),
        path: "/v1/posts".to_owned(),
        workspace: WorkspaceId(1),
        key: key.map(str::to_owned),
        request_id: None,
        body: Some(body.as_bytes().to_vec()),
        masked: false,
        end: Some(NewEnd {
            kind,
            at: t0().plus_seconds(at_s + 3),
            answer: (kind == EndKind::Answered).then_some(answer),
        }),
    }
}

fn answered(status: u16, body: &str) -> (EndKind, u16, &str, &str) {
    (EndKind::Answered, status, "", body)
}

const TIMEOUT: (EndKind, u16, &str, &str) = (EndKind::Timeout, 0, "", "");

impl Told {
    async fn of(lines: Vec<ImportedAttempt>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).await.unwrap();
        let contract = Contract::shipped("pozy").unwrap();
        let workspace = store
            .write(|connection| {
                connection.execute("INSERT INTO imports (id, at_ns, file) VALUES (1, 0, 'log.jsonl')", [])?;
                workspaces::named(connection, "ws_a", t0())
            })
            .await
            .unwrap();
        let told = Self { _dir: dir, store, contract, workspace: WorkspaceId(workspace) };
        for line in lines {
            told.add(line).await;
        }
        told
    }

    async fn add(&self, mut line: ImportedAttempt) {
        line.workspace = self.workspace;
        let contract = self.contract.clone();
        self.store.write(move |connection| attempts::import(connection, &line, t0(), &contract)).await.unwrap();
    }

    async fn job(&self, mark: &str, now: Moment) -> JobLine {
        let facts = job_facts::by_mark(self.store.pool(), &JobMark::new(mark)).await.unwrap();
        JobView::of(&self.store, &Clock::standing(now), &self.contract, facts).await.unwrap().line()
    }
}

#[rstest]
#[case::conflict((EndKind::Answered, 409, "7", r#"{"code":"idempotency_conflict"}"#), Some(10))]
#[case::date((EndKind::Answered, 503, "Mon, 02 Mar 2026 09:05:00 GMT", "{}"), Some(300))]
#[case::limit((EndKind::Answered, 429, "30", "{}"), Some(33))]
#[case::missing((EndKind::Answered, 429, "", "{}"), Some(4))]
#[case::garbage((EndKind::Answered, 503, "soon", "{}"), Some(4))]
#[case::zero((EndKind::Answered, 503, "0", "{}"), Some(3))]
#[case::day((EndKind::Answered, 429, "86400", "{}"), None)]
#[case::timeout(TIMEOUT, Some(4))]
#[case::request_timeout((EndKind::Answered, 408, "", "{}"), Some(4))]
#[tokio::test]
async fn how_long_to_wait(#[case] end: (EndKind, u16, &str, &str), #[case] next_s: Option<i64>) {
    let log = Told::of(vec![told("job", 1, 0, Some("k"), "{}", end)]).await;
    let line = log.job("job", t0().plus_seconds(4)).await;
    assert_eq!(line.next_at, next_s.map(|seconds| t0().plus_seconds(seconds)));
    assert_eq!(line.state, if next_s.is_some() { State::Waiting } else { State::Unknown });
    assert_eq!(line.warnings.len(), usize::from(next_s.is_none()), "a wait past the key's life is told");
    assert_eq!(line.key_expires_at, Some(t0().plus_seconds(86_400)));
    let due = job_facts::due(log.store.pool(), log.workspace, t0().plus_seconds(3_600), 10).await.unwrap();
    assert!(due.is_empty(), "imported jobs are never sent by themselves");
}

#[rstest]
#[case::missing_post(404, r#"{"error":"no"}"#, State::Stopped, None)]
#[case::forbidden(403, r#"{"error":"no"}"#, State::Stopped, None)]
#[case::content(409, r#"{"details":{"accountId":"ac_li","existingPostId":"po_13x"}}"#, State::Refused, Some("po_13x"))]
#[tokio::test]
async fn what_ends_it(#[case] status: u16, #[case] body: &str, #[case] state: State, #[case] post: Option<&str>) {
    let log = Told::of(vec![told("job", 1, 0, Some("k"), "{}", answered(status, body))]).await;
    let line = log.job("job", t0().plus_seconds(4)).await;
    assert_eq!((line.state, line.next_at), (state, None));
    assert_eq!(line.post.as_ref().map(|post| post.as_str()), post);
}

#[tokio::test]
async fn one_key_for_many_bodies() {
    let made = |post: &str, text: &str| format!(r#"{{"post":{{"_id":"{post}","content":"{text}"}}}}"#);
    let sent = |text: &str| format!(r#"{{"content":"{text}"}}"#);
    let (nine, rain) = (made("po_12", "Gates close at nine."), made("po_13", "Rain: we move inside."));
    let log = Told::of(vec![
        told("job_12", 1, 0, Some("k-12"), &sent("Gates close at nine."), answered(201, &nine)),
        told("job_12", 2, 3_600, Some("k-12"), &sent("Gates close at ten."), answered(200, &nine)),
        told("job_13a", 1, 600, Some("run-77"), &sent("Rain: we move inside."), answered(201, &rain)),
        told("job_13b", 1, 1_200, Some("run-77"), &sent("The band starts at three."), answered(200, &rain)),
        told("job_13c", 1, 1_800, Some("run-77"), &sent("Thank you."), answered(200, &rain)),
    ])
    .await;
    let now = t0().plus_seconds(3 * 3_600);
    let edited = log.job("job_12", now).await;
    assert_eq!((edited.state, edited.created_by_attempt), (State::Done, Some(1)));
    assert_eq!(edited.warnings, [Warning::EditNotApplied]);
    assert_eq!(log.job("job_13a", now).await.warnings, []);
    for job in ["job_13b", "job_13c"] {
        let line = log.job(job, now).await;
        assert_eq!(line.warnings, [Warning::KeyUsedForSomethingElse], "{job}");
        assert_eq!(line.key_expires_at, Some(t0().plus_seconds(600 + 86_400)), "from the first use, by whatever job");
        assert_eq!(line.created_by_attempt, None);
    }
}

#[tokio::test]
async fn a_key_per_try_and_a_refusal_without_any_key() {
    let there = |post: &str| format!(r#"{{"details":{{"accountId":"ac_li","existingPostId":"{post}"}}}}"#);
    let log = Told::of(vec![
        told("job_9", 1, 0, Some("k-9a"), "{}", TIMEOUT),
        told("job_9", 2, 31, Some("k-9b"), "{}", answered(409, &there("po_9"))),
        told("job_9", 3, 62, Some("k-9c"), "[]", answered(201, r#"{"post":{"_id":"po_10"}}"#)),
        told("job_11", 1, 0, None, "{}", TIMEOUT),
        told("job_11", 2, 31, None, "{}", answered(409, &there("po_11"))),
    ])
    .await;
    let per_try = log.job("job_9", t0().plus_seconds(90)).await;
    assert_eq!((per_try.attempts, per_try.state), (3, State::Done));
    assert_eq!(per_try.warnings, [Warning::KeyPerTry]);
    let refused = log.job("job_11", t0().plus_seconds(40)).await;
    assert_eq!((refused.state, refused.next_at, refused.key_expires_at), (State::Refused, None, None));
    assert_eq!(refused.post.unwrap().as_str(), "po_11");
    assert_eq!(refused.warnings, []);
}

#[tokio::test]
async fn attempts_that_make_a_post_or_may_have() {
    let log = Told::of(vec![
        told("job_8", 1, 0, Some("k-8"), "{}", (EndKind::Reset, 0, "", "")),
        told("job_8", 2, 3, Some("k-8"), "{}", answered(200, r#"{"post":{"_id":"po_8"}}"#)),
        told("job_8b", 1, 0, Some("k-8b"), "{}", TIMEOUT),
        told("job_8b", 2, 11, Some("k-8b"), "{}", answered(503, "{}")),
        told("job_8b", 3, 14, Some("k-8b"), "{}", answered(201, r#"{"post":{"_id":"po_8b"}}"#)),
        told("job_8c", 1, 20, Some("k-8c"), "{}", (EndKind::Crash, 0, "", "")),
        told("job_8d", 2, 20, Some("k-8d"), "{}", TIMEOUT),
    ])
    .await;
    let now = t0().plus_seconds(30);
    let by = |line: &JobLine| (line.state, line.created_by_attempt, line.attempts);
    assert_eq!(by(&log.job("job_8", now).await), (State::Done, Some(1), 2));
    assert_eq!(by(&log.job("job_8b", now).await), (State::Done, Some(3), 3));
    let crashed = log.job("job_8c", now).await;
    assert_eq!((crashed.state, crashed.next_at), (State::Waiting, Some(t0().plus_seconds(24))));
    let headless = log.job("job_8d", now).await;
    assert_eq!((headless.state, headless.key_expires_at), (State::Unknown, None), "attempt 1 is not in the log");
}

#[tokio::test]
async fn the_order_of_lines_does_not_matter_and_equal_ones_are_counted() {
    let lines = || {
        vec![
            told("job", 1, 0, Some("k"), "{}", TIMEOUT),
            told("job", 2, 11, Some("k"), "{}", answered(503, "{}")),
            told("other", 1, 20, Some("k"), "[]", answered(200, r#"{"post":{"_id":"po_1"}}"#)),
            told("job", 3, 14, Some("k"), "{}", answered(201, r#"{"post":{"_id":"po_1"}}"#)),
            told("per_try", 1, 0, Some("k-a"), "{}", TIMEOUT),
            told("per_try", 2, 9, Some("k-b"), "{}", TIMEOUT),
        ]
    };
    let (forth, back) = (Told::of(lines()).await, Told::of(lines().into_iter().rev().collect()).await);
    for job in ["job", "other", "per_try"] {
        assert_eq!(forth.job(job, t0().plus_seconds(60)).await, back.job(job, t0().plus_seconds(60)).await);
    }
    for mut line in lines() {
        line.workspace = forth.workspace;
        // As another file tells it.
        line.import = ImportId(0);
        let count =
            |line: ImportedAttempt| forth.store.write(move |connection| attempts::count_equal(connection, &line));
        assert_eq!(count(line.clone()).await.unwrap(), 1);
        assert_eq!(count(ImportedAttempt { end: None, ..line.clone() }).await.unwrap(), 1, "written under way");
        assert_eq!(count(ImportedAttempt { n: line.n + 1, ..line }).await.unwrap(), 0);
    }
    let listed = attempts::ascending(forth.store.pool(), None, 100).await.unwrap();
    let times: Vec<_> = listed.iter().map(|attempt| attempt.at).collect();
    assert!(times.is_sorted() && times.len() == 6);
}

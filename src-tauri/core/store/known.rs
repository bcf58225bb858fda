//! Reads what bears on one forecast. One statement gives the whole of it as JSON, so that the writing thread
//! (rusqlite) and the readers (sqlx) share one text and one mapping.

use rusqlite::{Connection, params};
use sqlx::{Row, SqlitePool};

use crate::{
    clock::Moment,
    error::{Code, Error, Result},
    ids::{JobId, WorkspaceId},
    outbound::forecast::{
        known::{Known, MESSAGES},
        words::Words,
    },
};

const KNOWN: &str = include_str!("known.sql");

/// What is looked for.
#[derive(Clone, Debug)]
pub struct Wanted {
    job: i64,
    workspace: WorkspaceId,
    key: Option<String>,
    accounts: String,
    words: String,
    since: Moment,
    sure_ns: i64,
    messages: i64,
}

impl Wanted {
    /// For a send of `words` with `key` to `workspace`; `job` is the one it is about. Other posts are looked at if they
    /// carry equal words, or were planned, told of or live since `since`. `sure_ns` is how long a key is surely
    /// remembered.
    ///
    /// # Errors
    /// `Internal` if a list has no JSON form, which none lacks.
    pub fn of(
        job: Option<JobId>,
        workspace: WorkspaceId,
        key: Option<&str>,
        words: &Words,
        since: Moment,
        sure_ns: i64,
    ) -> Result<Self> {
        let problem = |cause| Error::caused(Code::Internal, "A list has no JSON form.", cause);
        let accounts: Vec<&str> = words.places.iter().map(|place| place.account.as_str()).collect();
        let marks: Vec<String> = words.places.iter().map(|place| words.mark_of(place).0).collect();
        Ok(Self {
            // No row has this number: a post that is no job yet has no family.
            job: job.map_or(-1, |job| job.0),
            workspace,
            key: key.map(str::to_owned),
            accounts: serde_json::to_string(&accounts).map_err(problem)?,
            words: serde_json::to_string(&marks).map_err(problem)?,
            since,
            sure_ns,
            messages: MESSAGES,
        })
    }
}

fn read(text: &str) -> Result<Known> {
    serde_json::from_str(text)
        .map_err(|cause| Error::caused(Code::Internal, "What the log knows of a post cannot be read.", cause))
}

/// What bears on it.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn read_from(pool: &SqlitePool, wanted: &Wanted) -> Result<Known> {
    let query = sqlx::query(KNOWN)
        .bind(wanted.job)
        .bind(wanted.workspace.0)
        .bind(&wanted.key)
        .bind(&wanted.accounts)
        .bind(&wanted.words)
        .bind(wanted.since.0)
        .bind(wanted.sure_ns)
        .bind(wanted.messages);
    read(query.fetch_one(pool).await?.get(0))
}

/// As [`read_from`], from inside a piece of write work: nothing can be added between this and what follows.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub fn written(connection: &Connection, wanted: &Wanted) -> Result<Known> {
    let values = params![
        wanted.job,
        wanted.workspace.0,
        wanted.key,
        wanted.accounts,
        wanted.words,
        wanted.since.0,
        wanted.sure_ns,
        wanted.messages
    ];
    let text: String = connection.prepare_cached(KNOWN)?.query_row(values, |row| row.get(0))?;
    read(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        inbound::{
            observe::record_observation,
            test_log::{Came, TestLog},
        },
        outbound::forecast::words::mark,
        store::observations::NewObservation,
    };

    #[test]
    fn a_post_is_found_by_its_words_with_all_that_was_told_of_it() {
        let log = TestLog::new();
        let fetched = r#"{"post":{"_id":"po","content":"Hay is cut.","status":"scheduled",
            "scheduledFor":"2026-03-02T10:00:00Z","platforms":[{"accountId":"ac","status":"scheduled"}]}}"#;
        let new = NewObservation {
            at: "2026-03-02T09:00:00Z".parse().unwrap(),
            workspace: None,
            path: "/v1/posts/po",
            status: 200,
            body: Some(fetched.as_bytes()),
            import: None,
        };
        record_observation(&log.db, &new).unwrap();
        let event = r#"{"id":"ev","event":"post.platform.published","timestamp":"2026-03-02T10:00:01Z",
            "post":{"id":"po","status":"publishing"},"platform":{"name":"x","status":"published"},
            "account":{"accountId":"ac"}}"#;
        log.record(&Came::imported("2026-03-02T10:00:02Z", 35, 204), event);

        let body = br#"{"content":"Hay is cut.","platforms":[{"platform":"x","accountId":"ac"}]}"#;
        let words = Words::of(body);
        let wanted = Wanted::of(None, WorkspaceId(1), None, &words, Moment(i64::MAX), 0).unwrap();
        let known = written(&log.db, &wanted).unwrap();
        assert_eq!(known.posts.len(), 1, "{known:?}");
        let target = &known.posts[0];
        assert_eq!(target.words, Some(mark("Hay is cut.", &[])));
        let told: Vec<_> = target.news.iter().map(|news| (news.status.as_str(), news.exact)).collect();
        assert_eq!(told, [("scheduled", false), ("published", true)]);
        assert_eq!(target.scheduled, Moment::parse("2026-03-02T10:00:00Z").map(|at| at.0));

        let other = Words::of(br#"{"content":"Rye is cut.","platforms":[{"platform":"x","accountId":"ac"}]}"#);
        let late = Wanted::of(None, WorkspaceId(1), None, &other, Moment(i64::MAX), 0).unwrap();
        assert_eq!(written(&log.db, &late).unwrap().posts, [], "other words, and long ago");
        let near = Wanted::of(None, WorkspaceId(1), None, &other, Moment(0), 0).unwrap();
        assert_eq!(written(&log.db, &near).unwrap().posts.len(), 1, "recent ones are compared by their text");
    }

    #[test]
    fn a_post_that_only_a_refusal_named_is_known_however_long_ago() {
        let log = TestLog::new();
        log.db
            .execute_batch(
                "INSERT INTO post_words (post, account, text, last_ns) VALUES ('po', 'ac', 'Hay is cut.', 7);
                 INSERT INTO tellings (post, account, at_ns, status) VALUES ('po', 'ac', 7, 'there');",
            )
            .unwrap();
        let words = Words::of(br#"{"content":"Hay is cut!","platforms":[{"platform":"x","accountId":"ac"}]}"#);
        let late = Wanted::of(None, WorkspaceId(1), None, &words, Moment(i64::MAX), 0).unwrap();
        assert_eq!(written(&log.db, &late).unwrap().posts.len(), 1, "planned for nobody knows when");
        log.db
            .execute("INSERT INTO tellings (post, account, at_ns, status) VALUES ('po', '', 8, 'published')", [])
            .unwrap();
        assert_eq!(written(&log.db, &late).unwrap().posts, [], "told of since, and long ago");
    }

    #[test]
    fn what_only_a_file_tells_is_known_as_such() {
        let log = TestLog::new();
        let fetched = |status: &str| {
            format!(
                r#"{{"post":{{"_id":"po","content":"Hay is cut.","status":"{status}",
                "platforms":[{{"accountId":"ac","status":"{status}"}}]}}}}"#
            )
        };
        let live = fetched("published");
        let failed = fetched("failed");
        let fetch = |at: &str, body: &str, import: Option<i64>| {
            let new = NewObservation {
                at: at.parse().unwrap(),
                workspace: None,
                path: "/v1/posts/po",
                status: 200,
                body: Some(body.as_bytes()),
                import: import.map(crate::ids::ImportId),
            };
            record_observation(&log.db, &new).unwrap();
        };
        fetch("2026-03-02T09:00:00Z", &live, None);
        fetch("2026-03-02T09:05:00Z", &failed, Some(1));
        // The same telling again in a file leaves our own what it is.
        fetch("2026-03-02T09:00:00Z", &live, Some(1));
        let event = r#"{"id":"ev","event":"post.platform.failed","timestamp":"2026-03-02T09:06:00Z",
            "post":{"id":"po","status":"failed"},"platform":{"name":"x","status":"failed"},"account":{"accountId":"ac"}}"#;
        log.record(&Came::imported("2026-03-02T09:06:02Z", 35, 204), event);
        let words = Words::of(br#"{"content":"Hay is cut.","platforms":[{"platform":"x","accountId":"ac"}]}"#);
        let wanted = Wanted::of(None, WorkspaceId(1), None, &words, Moment(0), 0).unwrap();
        let known = written(&log.db, &wanted).unwrap();
        let mut told: Vec<_> =
            known.posts[0].news.iter().map(|news| (news.at, news.status.as_str(), news.hearsay)).collect();
        told.sort_unstable();
        let told: Vec<_> = told.into_iter().map(|(_, status, hearsay)| (status, hearsay)).collect();
        assert_eq!(told, [("published", false), ("failed", true), ("failed", true)]);
    }

    #[test]
    fn words_that_only_messages_told_of_are_found_by_account_and_in_roll_ups() {
        let log = TestLog::new();
        let target = r#"{"id":"ev_1","event":"post.platform.published","timestamp":"2026-03-02T10:00:01Z",
            "post":{"id":"po_1","status":"publishing","content":"Hay is cut."},"platform":{"name":"x","status":"published"},
            "account":{"accountId":"ac"}}"#;
        let whole = r#"{"id":"ev_2","event":"post.published","timestamp":"2026-03-02T10:00:03Z",
            "post":{"id":"po_2","status":"published","content":"Rye is cut.",
            "platforms":[{"platform":"x","status":"published","accountId":"ac"}]}}"#;
        let test = whole
            .replace("ev_2", "ev_3")
            .replace("po_2", "po_3")
            .replace("{\"id\":\"ev_3\"", "{\"test\":true,\"id\":\"ev_3\"");
        for body in [target, whole, &test] {
            log.record(&Came::imported("2026-03-02T10:00:04Z", 35, 204), body);
        }
        let found = |account: &str, since: &str| {
            let body = format!(r#"{{"content":"Oats.","platforms":[{{"platform":"x","accountId":"{account}"}}]}}"#);
            let words = Words::of(body.as_bytes());
            let wanted = Wanted::of(None, WorkspaceId(1), None, &words, since.parse().unwrap(), 0).unwrap();
            let known = written(&log.db, &wanted).unwrap();
            assert!(!known.words_behind && known.posts.iter().all(|target| target.words.is_none()), "{known:?}");
            let told = known.posts.into_iter();
            let mut told: Vec<_> =
                told.map(|target| (target.post.to_string(), target.text.unwrap(), target.news.len())).collect();
            told.sort();
            told
        };
        let both = [("po_1".to_owned(), "Hay is cut.".to_owned(), 1), ("po_2".to_owned(), "Rye is cut.".to_owned(), 1)];
        assert_eq!(found("ac", "2026-03-01T10:00:00Z"), both);
        assert_eq!(found("ac", "2026-03-04T10:00:00Z"), [], "long ago");
        let words = Words::of(br#"{"content":"Oats.","platforms":[{"platform":"x","accountId":"ac"}]}"#);
        let mut few = Wanted::of(None, WorkspaceId(1), None, &words, Moment(0), 0).unwrap();
        few.messages = 1;
        let known = written(&log.db, &few).unwrap();
        assert!(known.words_behind, "three messages, and one is looked through");
        assert_eq!(found("ac_other", "2026-03-01T10:00:00Z"), [], "another account");
    }
}

//! Reads what may need a person: unknown jobs, twins among the posts made lately, arrivals that repeat or were set
//! aside. Every question is answered by seeks, however long the log.

use sqlx::{AssertSqlSafe, Row, SqlitePool};

use super::doubles::{self, UNASKED};

use crate::{
    alerts::{Arrived, Seen, Twin, Unknown},
    clock::Moment,
    error::Result,
    ids::{EventId, JobMark, PostId, Seq},
};

/// Unknown jobs that are read at once; more are a list to work through, not news.
const MOST_UNKNOWN: i64 = 200;
/// Arrivals that are looked at in one look; of more the newest.
const MOST_ARRIVALS: i64 = 5000;
const DAY_NS: i64 = 24 * 3600 * 1_000_000_000;

const UNKNOWN: &str = "
    SELECT j.mark, (SELECT text FROM job_words WHERE job = j.id LIMIT 1)
    FROM job_states AS s JOIN jobs AS j ON j.id = s.job
    WHERE s.place = 0 AND s.state = 'unknown' AND j.origin = 'local'
    ORDER BY s.job DESC LIMIT ?1";

/// Twins of posts that were made from here lately, unless somebody asked for both. A target counts while planned, on its
/// way, or live for less than a day (R10, R11).
fn twins() -> String {
    format!(
        "WITH made (job, post) AS (
        SELECT a.job, d.post
        FROM (SELECT id, job FROM attempts WHERE import IS NULL ORDER BY at_ns DESC LIMIT 64) AS a
        JOIN readings AS d ON d.attempt = a.id WHERE d.meaning = 'created' AND d.post IS NOT NULL),
    pairs (job, post, other, account, text) AS (
        SELECT made.job, w.post, o.post, w.account, w.text
        FROM made JOIN post_words AS w ON w.post = made.post
        JOIN post_words AS o ON o.account = w.account AND o.words = w.words AND o.post <> w.post
        WHERE w.last_ns > ?1 AND o.last_ns > ?1),
    sides (job, post, other, account, text, side) AS (
        SELECT *, post FROM pairs UNION ALL SELECT *, other FROM pairs),
    stands (job, second, first, text, live) AS (
        SELECT job, post, other, text, NOT EXISTS (
            SELECT 1 FROM lanes AS l
            WHERE l.lane IN ('post:' || side, 'post:' || side || '/' || account)
                AND (l.status IN ('failed', 'cancelled', 'deleted') OR l.status = 'published' AND l.as_of_ns <= ?1))
        FROM sides)
    SELECT j.mark, d.second, d.first, max(d.text) FROM stands AS d JOIN jobs AS j ON j.id = d.job
    WHERE {UNASKED} GROUP BY d.job, d.second, d.first HAVING min(d.live) = 1"
    )
}

const ARRIVED: &str = "
    SELECT a.at_ns, s.standing, a.event FROM arrivals AS a JOIN standings AS s ON s.seq = a.seq
    WHERE a.seq > ?1 AND a.seq <= ?2 AND a.session IS NOT NULL AND s.standing IN ('quarantined', 'duplicate') ORDER BY a.seq";

/// The newest arrival; 0 in an empty log.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn newest(pool: &SqlitePool) -> Result<Seq> {
    let seq: Option<i64> = sqlx::query("SELECT max(seq) FROM arrivals").fetch_one(pool).await?.get(0);
    Ok(Seq(seq.unwrap_or(0)))
}

/// What there is to see at `now`, with the live arrivals after `after`; also the newest of these.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn seen(pool: &SqlitePool, after: Seq, now: Moment) -> Result<(Seen, Seq)> {
    let newest = newest(pool).await?;
    let unknown = sqlx::query(UNKNOWN).bind(MOST_UNKNOWN).fetch_all(pool).await?;
    let since = Moment(now.0 - DAY_NS);
    let own = sqlx::query(AssertSqlSafe(twins())).bind(since.0).fetch_all(pool).await?;
    let marked = doubles::since(pool, since).await?;
    let seen = Seen {
        unknown: unknown
            .iter()
            .map(|row| Unknown { job: JobMark::new(row.get::<String, _>(0)), words: row.get(1) })
            .collect(),
        // A pair may be among both; it is told once.
        twins: own
            .iter()
            .map(|row| Twin {
                job: Some(JobMark::new(row.get::<String, _>(0))),
                post: PostId::new(row.get::<String, _>(1)),
                other: PostId::new(row.get::<String, _>(2)),
                words: row.get(3),
            })
            .chain(marked.into_iter().map(|pair| Twin {
                job: pair.job,
                post: pair.second,
                other: pair.first,
                words: pair.words,
            }))
            .collect(),
        arrived: arrived(pool, after, newest).await?,
    };
    Ok((seen, newest))
}

/// The live arrivals after `after`, up to and with `newest`. One that comes in while this is read is left for the next
/// look, which begins behind `newest`: each is told once.
async fn arrived(pool: &SqlitePool, after: Seq, newest: Seq) -> Result<Vec<Arrived>> {
    let from = after.0.max(newest.0 - MOST_ARRIVALS);
    let rows = sqlx::query(ARRIVED).bind(from).bind(newest.0).fetch_all(pool).await?;
    let arrived = rows.iter().filter_map(|row| {
        let at = Moment(row.get(0));
        match (row.get::<&str, _>(1), row.get::<Option<String>, _>(2)) {
            ("duplicate", Some(event)) => Some(Arrived::Copy { at, event: EventId::new(event) }),
            ("quarantined", _) => Some(Arrived::Aside { at }),
            _ => None,
        }
    });
    Ok(arrived.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    const HOUR: i64 = 3600 * 1_000_000_000;
    const NOW: Moment = Moment(1_000_000 * HOUR);

    /// Two posts of the same words on one account, the later one made from here; each told of `ago` hours before now.
    async fn log_with_two(ago: [i64; 2]) -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).await.unwrap();
        let sql = format!(
            "INSERT INTO workspaces (id, name, created_ns) VALUES (1, 'w', 0);
             INSERT INTO jobs (id, mark, origin, created_ns, method, path, workspace)
                 VALUES (1, 'job_2', 'local', 0, 'POST', '/v1/posts', 1);
             INSERT INTO attempts (id, job, n, at_ns, method, path, workspace) VALUES (1, 1, 1, 0, 'POST', '/v1/posts', 1);
             INSERT INTO readings (attempt, meaning, post, rules) VALUES (1, 'created', 'po_2', 1);
             INSERT INTO post_words (post, account, words, text, last_ns) VALUES
                 ('po_1', 'ac', x'01', 'Market day', {}), ('po_2', 'ac', x'01', 'Market day', {}),
                 ('po_3', 'ac_other', x'01', 'Market day', {}), ('po_4', 'ac', x'02', 'Another day', {});",
            NOW.0 - ago[0] * HOUR,
            NOW.0 - ago[1] * HOUR,
            NOW.0,
            NOW.0,
        );
        run(&store, sql).await;
        (dir, store)
    }

    async fn run(store: &Store, sql: String) {
        store.write(move |connection| Ok(connection.execute_batch(&sql)?)).await.unwrap();
    }

    async fn lane(store: &Store, lane: &str, status: &str, hours_ago: i64) {
        let as_of = NOW.0 - hours_ago * HOUR;
        run(
            store,
            format!(
                "INSERT INTO lanes (lane, resource, status, as_of_ns, source, tie, wants_fetch, rules)
                     VALUES ('{lane}', 'post:po_1', '{status}', {as_of}, 'event', 0, 0, 1)"
            ),
        )
        .await;
    }

    async fn twins(store: &Store) -> Vec<Twin> {
        seen(store.pool(), Seq(0), NOW).await.unwrap().0.twins
    }

    #[tokio::test]
    async fn the_same_words_on_one_account_are_twins_and_nothing_else_is() {
        let (_dir, store) = log_with_two([2, 1]).await;
        let twin = Twin {
            job: Some(JobMark::new("job_2")),
            post: PostId::new("po_2"),
            other: PostId::new("po_1"),
            words: Some("Market day".to_owned()),
        };
        assert_eq!(twins(&store).await, [twin]);
    }

    #[tokio::test]
    async fn what_somebody_asked_for_is_no_slip() {
        let (_dir, store) = log_with_two([2, 1]).await;
        run(
            &store,
            "INSERT INTO notes (at_ns, job, action, text) VALUES (0, 'job_2', 'post_again', 'wanted')".to_owned(),
        )
        .await;
        assert_eq!(twins(&store).await, []);
    }

    #[tokio::test]
    async fn a_pair_that_the_timeline_marks_is_seen_whoever_made_it() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).await.unwrap();
        let words = |post: &str, ago: i64| {
            format!(
                "INSERT INTO post_words (post, account, words, text, last_ns)
                     VALUES ('{post}', 'ac', x'01', 'Market day', {});",
                NOW.0 - ago * HOUR
            )
        };
        run(&store, words("po_1", 3) + &words("po_2", 2)).await;
        store.write(|connection| doubles::note(connection, &PostId::new("po_2"), "ac")).await.unwrap();
        assert_eq!(twins(&store).await, [], "neither is live yet");
        lane(&store, "post:po_1/ac", "published", 3).await;
        lane(&store, "post:po_2/ac", "published", 2).await;
        let twin = Twin {
            job: None,
            post: PostId::new("po_2"),
            other: PostId::new("po_1"),
            words: Some("Market day".to_owned()),
        };
        assert_eq!(twins(&store).await, [twin]);

        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).await.unwrap();
        run(&store, words("po_1", 40) + &words("po_2", 30)).await;
        store.write(|connection| doubles::note(connection, &PostId::new("po_2"), "ac")).await.unwrap();
        lane(&store, "post:po_1/ac", "published", 40).await;
        lane(&store, "post:po_2/ac", "published", 30).await;
        assert_eq!(twins(&store).await, [], "yesterday's pair is no news");
    }

    #[tokio::test]
    async fn what_failed_or_was_live_a_day_ago_is_no_twin() {
        let (_dir, store) = log_with_two([2, 1]).await;
        lane(&store, "post:po_1/ac", "failed", 1).await;
        assert_eq!(twins(&store).await, [], "a failed target counts for nothing (R11)");

        let (_dir, store) = log_with_two([2, 1]).await;
        lane(&store, "post:po_1/ac", "published", 3).await;
        assert_eq!(twins(&store).await.len(), 1, "live for three hours");

        let (_dir, store) = log_with_two([2, 1]).await;
        lane(&store, "post:po_1/ac", "published", 25).await;
        assert_eq!(twins(&store).await, [], "words of every week stay free");

        let (_dir, store) = log_with_two([25, 1]).await;
        assert_eq!(twins(&store).await, [], "nothing was told of it for a day");
    }

    #[tokio::test]
    async fn an_unknown_job_of_this_log_is_seen_with_its_words_and_an_imported_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).await.unwrap();
        run(
            &store,
            "INSERT INTO workspaces (id, name, created_ns) VALUES (1, 'w', 0);
             INSERT INTO jobs (id, mark, origin, created_ns, method, path, workspace) VALUES
                 (1, 'here', 'local', 0, 'POST', '/v1/posts', 1), (2, 'read in', 'import', 0, 'POST', '/v1/posts', 1),
                 (3, 'done', 'local', 0, 'POST', '/v1/posts', 1);
             INSERT INTO job_states (job, state, outcome, place, rules) VALUES
                 (1, 'unknown', 'unknown', 0, 1), (2, 'unknown', 'unknown', 0, 1), (3, 'done', 'created', 2, 1);
             INSERT INTO job_words (job, account, words, text) VALUES (1, 'ac', x'01', 'Market day');"
                .to_owned(),
        )
        .await;
        let (seen, newest) = seen(store.pool(), Seq(0), NOW).await.unwrap();
        assert_eq!(seen.unknown, [Unknown { job: JobMark::new("here"), words: Some("Market day".to_owned()) }]);
        assert_eq!((seen.arrived.len(), newest), (0, Seq(0)));
    }

    #[tokio::test]
    async fn an_arrival_that_comes_while_looking_is_seen_once() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).await.unwrap();
        let sql = "
            INSERT INTO sessions (id, address, started_ns, alive_ns) VALUES (1, 'x', 0, 0);
            INSERT INTO arrivals (seq, at_ns, session, endpoint, signature, answer, aside, trust, tie, body_hash,
                    body_len, headers, flags)
                VALUES (1, 10, 1, 'pozy', 'invalid', 401, 'quarantined', 1, x'', x'', 3, x'5b5d', '[]'),
                       (2, 20, 1, 'pozy', 'invalid', 401, 'quarantined', 1, x'', x'', 3, x'5b5d', '[]');
            INSERT INTO standings (seq, standing, copy, flags, rules) VALUES (1, 'quarantined', 0, '[]', 1),
                (2, 'quarantined', 0, '[]', 1);";
        run(&store, sql.to_owned()).await;
        let between = async |after, newest| arrived(store.pool(), Seq(after), Seq(newest)).await.unwrap();
        // The second one was not there when the newest was asked for.
        assert_eq!(between(0, 1).await, [Arrived::Aside { at: Moment(10) }]);
        assert_eq!(between(1, 2).await, [Arrived::Aside { at: Moment(20) }]);
    }
}

//! What the screens ask and what the receiver writes costs the same in a log of any length (design 11): counted in the
//! steps of SQLite's machine, never in time. A log ten times as long may cost at most twice as many.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use rusqlite::Connection;
use sqlx::{SqlitePool, sqlite::SqlitePoolOptions};

use super::*;
use crate::{
    clock::Moment,
    ids::{EventId, ImportId, PostId, Resource, Seq, SessionId},
    inbound::{
        arrival::{Arrival, Request, Told},
        record::record,
        verify::Verified,
    },
    pozy::contract::Contract,
    store::{crowd::Crowd, timeline::Span},
};

const SHORT: i64 = 10_000;
const LONG: i64 = 100_000;
/// Time between two arrivals, seconds.
const STEP: i64 = 9;
/// When the first one came.
const BEGIN: Moment = Moment(1_700_000_000 * Moment::SECOND);

/// A log of `n` arrivals: five messages a post, of which the fifth is the fourth once more, each thirtieth late, each
/// hundredth set aside, a tenth imported.
const FILL: &str = "
    INSERT INTO sessions (id, address, started_ns, alive_ns, ended_ns) VALUES (1, 'x', 1, 1, 1);
    INSERT INTO imports (id, at_ns, file) VALUES (1, 1, 'older');
    CREATE TEMP TABLE made AS WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < $N - 1)
        SELECT n, iif(n % 5 = 4, n - 1, n) AS event, n / 5 AS post, $BEGIN + n * $STEP AS at, n % 100 = 50 AS aside FROM n;
    INSERT INTO arrivals (seq, at_ns, session, import, endpoint, signature, answer, event, aside, trust, tie, body_hash,
            body_len, headers, flags)
        SELECT n + 1, at, iif(n % 10 = 0, NULL, 1), iif(n % 10 = 0, 1, NULL), 'pozy', 'valid', 204,
            'ev_' || event, iif(aside, 'quarantined', NULL), 2, randomblob(16), randomblob(16), 2, x'5b5d', '[]' FROM made;
    INSERT INTO bodies (seq, coding, bytes) SELECT n + 1, 'plain', x'7b7d' FROM made;
    INSERT INTO answers (seq, left_ns, took_ms) SELECT n + 1, at + 1000000, 1 FROM made WHERE n % 10 <> 0;
    INSERT INTO standings (seq, standing, copy, flags, rules)
        SELECT n + 1, iif(aside, 'quarantined', iif(event = n, 'first', 'duplicate')), iif(aside, 0, 1 + n - event), '[]', 1 FROM made;
    INSERT INTO events (event, name, happened_ns, happened, resource, nature, known, news, twin, platform, account, text, counts,
            counts_trust, counts_hash, first_seq, first_ns, first_tie, last_ns, arrivals, applied, placing, late_by_ms,
            stale_lanes, flags, rules, home, said)
        SELECT 'ev_' || n, 'post.platform.published', at - 1000000, 'x', 'post:po_' || post, 'real', 1, '[]', randomblob(16),
            'linkedin', 'ac_' || n % 20, 'Harbour news ' || post, n + 1, 2, randomblob(16), n + 1, at, randomblob(16),
            iif(n % 5 = 3, at + $STEP, at), iif(n % 5 = 3, 2, 1), 1, iif(n % 30 = 7, 'late', 'in_order'),
            iif(n % 30 = 7, 5000, NULL), '[]', '[]', 1, 'post:po_' || post, 'published'
        FROM made WHERE event = n AND NOT aside;
    INSERT INTO copies (event, at_ns, tie, seq) SELECT a.event, a.at_ns, a.tie, a.seq FROM events AS e
        JOIN arrivals AS a ON a.event = e.event AND a.aside IS NULL WHERE e.arrivals > 1;
    INSERT INTO lanes (lane, resource, status, as_of_ns, source, tie, wants_fetch, rules)
        SELECT 'post:po_' || post, 'post:po_' || post, 'published', at, 'event', 0, 0, 1 FROM made WHERE n % 5 = 0;
    INSERT INTO message_index (rowid, words) SELECT n + 1, 'harbour news ' || post FROM made;
    UPDATE indexed_to SET upto = $N WHERE what = 'arrivals';
    DROP TABLE made;";

/// A log with what it takes to ask it and to write into it, and the steps that were taken on either way.
struct Long {
    _dir: tempfile::TempDir,
    db: Connection,
    pool: SqlitePool,
    steps: Arc<AtomicI64>,
    length: i64,
}

impl Long {
    async fn of(length: i64) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(FILE);
        migrate::run(&file).await.unwrap();
        let db = Connection::open(&file).unwrap();
        db.pragma_update(None, "synchronous", "off").unwrap();
        let fill = FILL.replace("$N", &length.to_string()).replace("$BEGIN", &BEGIN.0.to_string());
        let fill = fill.replace("$STEP", &(STEP * Moment::SECOND).to_string());
        db.execute_batch(&format!("BEGIN; {fill} COMMIT;")).unwrap();
        density::count_anew(&db).unwrap();
        density::watch(&db).unwrap();
        let steps = Arc::new(AtomicI64::new(0));
        let counted = Arc::clone(&steps);
        db.progress_handler(
            1,
            Some(move || {
                counted.fetch_add(1, Ordering::Relaxed);
                false
            }),
        )
        .unwrap();
        let counted = Arc::clone(&steps);
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&file).read_only(true);
        let pool = SqlitePoolOptions::new()
            .max_connections(1)
            .after_connect(move |connection, _| {
                let counted = Arc::clone(&counted);
                Box::pin(async move {
                    connection.lock_handle().await?.set_progress_handler(1, move || {
                        counted.fetch_add(1, Ordering::Relaxed);
                        true
                    });
                    Ok(())
                })
            })
            .connect_with(options)
            .await
            .unwrap();
        Self { _dir: dir, db, pool, steps, length }
    }

    /// The moment a share of the log has come in at, in percent.
    fn at(&self, percent: i64) -> Moment {
        BEGIN.plus_seconds(self.length * STEP * percent / 100)
    }

    fn post(&self, percent: i64) -> Resource {
        Resource::new(format!("post:po_{}", self.length / 5 * percent / 100))
    }

    /// Steps since the last time.
    fn took(&self) -> i64 {
        self.steps.swap(0, Ordering::Relaxed)
    }
}

/// Steps of everything that the screens ask, each with its name.
async fn asked(log: &Long) -> Vec<(&'static str, i64)> {
    let (pool, mut all) = (&log.pool, Vec::new());
    log.took();
    let mut done = |name| all.push((name, log.took()));
    let middle = log.at(50);
    let near = Span { from: middle, to: middle.plus_seconds(3_600) };
    let whole = Span { from: log.at(0), to: log.at(100) };
    let posts = [log.post(40), log.post(50), log.post(90)];
    for (name, span) in [("lanes of an hour", near), ("lanes of the whole log", whole)] {
        timeline::resources(pool, span, 400).await.unwrap();
        timeline::jobs(pool, span, 86_400 * Moment::SECOND, 400).await.unwrap();
        timeline::tests(pool, span, 201).await.unwrap();
        done(name);
    }
    timeline::heads(pool, &posts).await.unwrap();
    timeline::sizes(pool, &posts, whole, 201).await.unwrap();
    timeline::events_of(pool, &posts, whole).await.unwrap();
    timeline::events_that_came(pool, &posts[0], near, 200).await.unwrap();
    timeline::events_with_an_end(pool, &posts[0], near, 200).await.unwrap();
    timeline::seen(pool, &posts, whole).await.unwrap();
    timeline::copies(pool, &[&EventId::new("ev_3"), &EventId::new("ev_5003")], 100).await.unwrap();
    listing::lanes_of_all(pool, &posts).await.unwrap();
    doubles::beside(pool, &[PostId::new("po_1")]).await.unwrap();
    crowd::crowd(pool, Crowd::Of(&posts[0]), whole, 1_000).await.unwrap();
    crowd::telling(pool, Crowd::Of(&posts[0]), whole).await.unwrap();
    crowd::many_aside(pool, whole, 201).await.unwrap();
    done("marks of a few posts");
    timemap::reach(pool).await.unwrap();
    timemap::needing_person(pool, 200).await.unwrap();
    timemap::gaps(pool, middle, Moment::SECOND).await.unwrap();
    done("the map's ends");
    timemap::busy(pool, log.at(50), log.at(50).plus_seconds(40_000), 300 * Moment::SECOND, Moment::SECOND)
        .await
        .unwrap();
    done("what is busy of half a day");
    for (name, arrivals) in [("2000 bins of the whole log", log.length), ("2000 bins of the end", 5_000)] {
        let to = log.at(100);
        let (from, to) = (to.plus_seconds(-arrivals * STEP).millis(), to.millis());
        density::bins(pool, from, to, density::width((to - from) / 2_000)).await.unwrap();
        done(name);
    }
    let place = listing::event(pool, &EventId::new(format!("ev_{}", log.length / 2))).await.unwrap().unwrap();
    done("one message");
    listing::events(pool, Some(&place), 100).await.unwrap();
    done("a page of messages");
    let arrived = listing::arrivals_of(pool, &place.event, 10).await.unwrap();
    listing::arrivals(pool, arrived.first(), 100).await.unwrap();
    done("a page of arrivals");
    listing::arrival(pool, Seq(log.length / 2 + 3)).await.unwrap();
    done("one arrival");
    listing::last_live_arrival(pool).await.unwrap();
    listing::newest_live(pool).await.unwrap();
    sift::ends(pool).await.unwrap();
    sift::accounts(pool, 100).await.unwrap();
    sift::recent_kinds(pool, 100).await.unwrap();
    done("what stands around a list");
    for (name, only) in [
        ("a page of the list", None),
        ("a page of what came again", Some(pages::Only::Copies)),
        ("a page of late ones", Some(pages::Only::Late)),
        ("a page of what was set aside", Some(pages::Only::SetAside)),
    ] {
        let filter = sift::Filter { only, ..sift::Filter::default() };
        sift::sift(pool, &filter, sift::Bounds::default(), 100).await.unwrap();
        done(name);
    }
    alerts::seen(pool, Seq(log.length - 10), log.at(100)).await.unwrap();
    done("what calls a person");
    search::messages(&mut pool.acquire().await.unwrap(), "harbour", Seq(i64::MAX), 50).await.unwrap();
    done("the first page of a search");
    all
}

fn body(event: &str, post: &str, at: Moment) -> String {
    format!(
        r#"{{"id":"{event}","event":"post.platform.published","timestamp":"{at}","post":{{"id":"{post}","content":"Harbour news"}},
        "platform":{{"name":"linkedin","status":"published"}},"account":{{"accountId":"ac_1"}}}}"#
    )
}

/// Steps of what the writing thread does with an arrival, each with its name.
fn written(log: &Long) -> Vec<(&'static str, i64)> {
    let contract = Contract::shipped("pozy").unwrap();
    let mut all = Vec::new();
    let mut write = |name, event: &str, post: &str, at: Moment, import: bool| {
        let body = body(event, post, at.plus_millis(-500));
        let request =
            Request { at, endpoint: "pozy", headers: &[], body: Some(body.as_bytes()), verified: Verified::Valid };
        let arrival = if import {
            Arrival::imported(
                ImportId(1),
                &request,
                Told { answer: Some(204), took_ms: Some(3), verified_later: false },
                &contract,
            )
        } else {
            Arrival::live(SessionId(1), &request, &contract)
        };
        log.took();
        log.db.execute_batch("BEGIN").unwrap();
        record(&log.db, &arrival, &contract).unwrap();
        density::settle(&log.db).unwrap();
        log.db.execute_batch("COMMIT").unwrap();
        all.push((name, log.took()));
    };
    let now = log.at(100);
    // Compiled once before anything is counted.
    write("the first", "ev_x0", "po_x", now.plus_seconds(1), false);
    write("a new message of a new post", "ev_x1", "po_y", now.plus_seconds(2), false);
    write("a new message of an old post", "ev_x2", "po_7", now.plus_seconds(3), false);
    write("a message that came again", "ev_x1", "po_y", now.plus_seconds(4), false);
    write("an old one that came again", "ev_8", "po_1", now.plus_seconds(5), false);
    write("an imported one from long ago", "ev_x3", "po_9", log.at(10), true);
    all
}

fn compare(short: &[(&str, i64)], long: &[(&str, i64)]) {
    for ((name, few), (_, many)) in short.iter().zip(long) {
        // A few steps more or less are no growth.
        assert!(*many <= few * 2 + 200, "{name}: {few} steps in a log of {SHORT}, {many} in one of {LONG}");
        assert!(*few > 0, "{name} is counted");
    }
}

#[tokio::test]
async fn a_log_ten_times_as_long_is_asked_for_the_same() {
    let (short, long) = (Long::of(SHORT).await, Long::of(LONG).await);
    compare(&asked(&short).await, &asked(&long).await);
    compare(&written(&short), &written(&long));
}

#[tokio::test]
async fn what_a_short_look_leaves_out_is_older_than_what_it_has_whole() {
    let log = Long::of(SHORT).await;
    let span = Span { from: log.at(0), to: log.at(100) };
    let (all, cut) = timeline::resources(&log.pool, span, u32::MAX).await.unwrap();
    assert_eq!(cut, None, "all was looked at");
    for scan in [20, 160, 1_000] {
        let (some, whole_from) = timeline::resources(&log.pool, span, scan).await.unwrap();
        let whole_from = whole_from.expect("something was left out");
        let newer = |found: &BTreeMap<Resource, Moment>| -> Vec<_> {
            found.iter().filter(|(_, at)| **at >= whole_from).map(|(resource, at)| (resource.clone(), *at)).collect()
        };
        assert!(!newer(&some).is_empty() && some.len() < all.len(), "of {scan} rows");
        assert_eq!(newer(&some), newer(&all), "of {scan} rows");
    }
}

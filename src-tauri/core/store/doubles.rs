//! Posts that carry the same words, or nearly the same, to one account at about the same time (R10): kept as they are told
//! of, so that the Timeline can mark them without reading the log.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension as _, params};
use sqlx::{AssertSqlSafe, Row, SqlitePool, sqlite::SqliteRow};

use crate::{
    clock::Moment,
    error::Result,
    ids::{JobMark, PostId},
    outbound::forecast::words::differ_by,
};

/// The same words further apart than this are a habit and no slip, hours.
const WITHIN_H: i64 = 72;
/// Other posts with the same words that one is compared with, the newest first.
const MOST_EQUAL: i64 = 50;
/// Nearly the same words further apart than this are a habit, such as a daily text with its date, hours.
const NEAR_WITHIN_H: i64 = 22;
/// Words that differ by at most this part of their characters are nearly the same, percent.
const NEAR_PERCENT: usize = 10;
/// Other posts of about the same time that one is compared with for nearly the same words, the newest first.
const MOST_NEAR: i64 = 20;
/// Newest pairs that are looked at for the whole log.
const MOST_PAIRS: i64 = 500;

/// When a post went, or goes, out to an account: as told, as planned, when it was made, or when it was first heard of.
const WENT: &str = "coalesce(
    (SELECT max(t.published_ns) FROM tellings AS t WHERE t.post = w.post AND t.account IN (w.account, '')),
    w.scheduled_ns,
    (SELECT min(a.at_ns) FROM readings AS r JOIN attempts AS a ON a.id = r.attempt
     WHERE r.post = w.post AND r.meaning = 'created'),
    w.last_ns)";

/// Other posts with these words on this account, the newest first.
fn others() -> String {
    format!(
        "SELECT w.post, {WENT} FROM post_words AS w WHERE w.account = ? AND w.words = ? AND w.post <> ?
         ORDER BY w.last_ns DESC LIMIT ?"
    )
}

/// Notes which other posts carry the words of this one to the same account. Call it after its words are kept.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn note(connection: &Connection, post: &PostId, account: &str) -> Result<()> {
    let mut own = connection
        .prepare_cached(&format!("SELECT {WENT}, words, text FROM post_words AS w WHERE post = ? AND account = ?"))?;
    let found = own.query_row(params![post.as_str(), account], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, Option<Vec<u8>>>(1)?, row.get::<_, Option<String>>(2)?))
    });
    let Some((at, Some(words), text)) = found.optional()? else { return Ok(()) };
    let equal = connection
        .prepare_cached(&others())?
        .query_map(params![account, words, post.as_str(), MOST_EQUAL], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<Vec<(String, i64)>>>()?;
    for (other, then) in equal {
        keep(connection, account, (at, post.as_str()), (then, &other), false)?;
    }
    // Words may have been changed since they were told of last.
    connection
        .prepare_cached("DELETE FROM doubles WHERE account = ?2 AND near = 1 AND (second = ?1 OR first = ?1)")?
        .execute(params![post.as_str(), account])?;
    for (other, then) in near(connection, post, account, at, &words, text.as_deref().unwrap_or_default())? {
        keep(connection, account, (at, post.as_str()), (then, &other), true)?;
    }
    Ok(())
}

/// Other posts with nearly these words on this account, told of about when this one was.
fn near(
    connection: &Connection,
    post: &PostId,
    account: &str,
    at: i64,
    words: &[u8],
    text: &str,
) -> Result<Vec<(String, i64)>> {
    let within = NEAR_WITHIN_H * 3600 * Moment::SECOND;
    let mut others = connection.prepare_cached(
        "SELECT w.post, w.text FROM post_words AS w
         WHERE w.account = ?1 AND w.last_ns BETWEEN ?2 AND ?3 AND w.post <> ?4 AND w.words <> ?5 AND w.text IS NOT NULL
         ORDER BY w.last_ns DESC LIMIT ?6",
    )?;
    let found = others.query_map(
        params![account, at.saturating_sub(within), at.saturating_add(within), post.as_str(), words, MOST_NEAR],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let found = found.collect::<rusqlite::Result<Vec<(String, String)>>>()?;
    // When a post went out is asked of the few that are alike: it takes more than comparing.
    let mut went =
        connection.prepare_cached(&format!("SELECT {WENT} FROM post_words AS w WHERE w.post = ? AND w.account = ?"))?;
    let mut alike = Vec::new();
    for (other, _) in found.into_iter().filter(|(_, other)| differ_by(text, other, NEAR_PERCENT).is_some()) {
        let then = went.query_row(params![other, account], |row| row.get(0))?;
        alike.push((other, then));
    }
    Ok(alike)
}

/// Keeps two posts as a pair if they went out at about the same time. What is known of a time may change: a pair is what it
/// is by the latest telling.
fn keep(connection: &Connection, account: &str, one: (i64, &str), two: (i64, &str), near: bool) -> Result<()> {
    let (first, second) = if one < two { (one, two) } else { (two, one) };
    connection
        .prepare_cached("DELETE FROM doubles WHERE account = ?3 AND (second, first) IN ((?1, ?2), (?2, ?1))")?
        .execute(params![first.1, second.1, account])?;
    let within = if near { NEAR_WITHIN_H } else { WITHIN_H };
    if second.0 - first.0 <= within * 3600 * Moment::SECOND {
        connection
            .prepare_cached("INSERT INTO doubles (first, second, account, at_ns, near) VALUES (?, ?, ?, ?, ?)")?
            .execute(params![first.1, second.1, account, second.0, near])?;
    }
    Ok(())
}

/// True in SQL if the post in `column` is live on the account of `d`: by its lane there, else by what was last told of
/// it there, else by the post as a whole.
fn live(column: &str) -> String {
    format!(
        "coalesce(
            (SELECT l.status FROM lanes AS l WHERE l.lane = 'post:' || d.{column} || '/' || d.account),
            (SELECT t.status FROM tellings AS t WHERE t.post = d.{column} AND t.account = d.account
             ORDER BY t.at_ns DESC LIMIT 1),
            (SELECT l.status FROM lanes AS l WHERE l.lane = 'post:' || d.{column}),
            (SELECT t.status FROM tellings AS t WHERE t.post = d.{column} AND t.account = ''
             ORDER BY t.at_ns DESC LIMIT 1), '') IN ('published', 'there')"
    )
}

/// True in SQL if nobody asked for the second post of `d` as a second one.
pub(super) const UNASKED: &str = "NOT EXISTS (
    SELECT 1 FROM readings AS r JOIN attempts AS a ON a.id = r.attempt JOIN jobs AS j ON j.id = a.job
    WHERE r.post = d.second AND r.meaning = 'created' AND (j.again_of IS NOT NULL
        OR EXISTS (SELECT 1 FROM notes AS n WHERE n.job = j.mark AND n.action = 'post_again')))";

fn beside_sql() -> String {
    format!(
        "SELECT wanted.value, iif(d.second = wanted.value, d.first, d.second), d.near FROM json_each(?1) AS wanted
         CROSS JOIN (SELECT second AS post, * FROM doubles UNION ALL SELECT first AS post, * FROM doubles) AS d
             ON d.post = wanted.value
         WHERE {} AND {} AND {UNASKED} ORDER BY d.near, d.at_ns",
        live("first"),
        live("second")
    )
}

/// The posts that are live beside some, with the same words on one account and without anybody having asked for both;
/// true beside one if they are only nearly the same.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn beside(pool: &SqlitePool, posts: &[PostId]) -> Result<HashMap<PostId, (PostId, bool)>> {
    let wanted = serde_json::json!(posts).to_string();
    let rows = sqlx::query(AssertSqlSafe(beside_sql())).bind(wanted).fetch_all(pool).await?;
    let mut found = HashMap::new();
    for row in &rows {
        let other = (PostId::new(row.get::<String, _>(1)), row.get(2));
        found.entry(PostId::new(row.get::<String, _>(0))).or_insert(other);
    }
    Ok(found)
}

/// A pair of posts that are both live.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Double {
    /// The one that went out first.
    pub first: PostId,
    /// The other one.
    pub second: PostId,
    /// The job of this log whose try made the second one.
    pub job: Option<JobMark>,
    /// First words of both.
    pub words: Option<String>,
}

/// Such pairs whose second post went out after `since`, newest first; the newest pairs of the log are looked at.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn since(pool: &SqlitePool, since: Moment) -> Result<Vec<Double>> {
    let sql = format!(
        "SELECT d.first, d.second, {MADE_BY}, max(w.text)
         FROM (SELECT * FROM doubles WHERE at_ns > ?1 AND near = 0 ORDER BY at_ns DESC LIMIT {MOST_PAIRS}) AS d
         LEFT JOIN post_words AS w ON w.post = d.second AND w.account = d.account
         WHERE {} AND {} AND {UNASKED} GROUP BY d.first, d.second ORDER BY max(d.at_ns) DESC",
        live("first"),
        live("second")
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(since.0).fetch_all(pool).await?;
    let double = |row: &SqliteRow| Double {
        first: PostId::new(row.get::<String, _>(0)),
        second: PostId::new(row.get::<String, _>(1)),
        job: row.get::<Option<String>, _>(2).map(JobMark::new),
        words: row.get(3),
    };
    Ok(rows.iter().map(double).collect())
}

/// The job of this log that made the second post of `d`.
const MADE_BY: &str =
    "(SELECT j.mark FROM readings AS r JOIN attempts AS a ON a.id = r.attempt JOIN jobs AS j ON j.id = a.job
    WHERE r.post = d.second AND r.meaning = 'created' AND j.origin = 'local' LIMIT 1)";

/// When the second post of such pairs went out, newest first, at most `limit`; the newest pairs of the log are looked at.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn times(pool: &SqlitePool, limit: u32) -> Result<Vec<Moment>> {
    let sql = format!(
        "SELECT DISTINCT d.second, d.at_ns FROM (SELECT * FROM doubles WHERE near = 0 ORDER BY at_ns DESC LIMIT {MOST_PAIRS}) AS d
         WHERE {} AND {} AND {UNASKED} ORDER BY d.at_ns DESC LIMIT ?",
        live("first"),
        live("second")
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(i64::from(limit)).fetch_all(pool).await?;
    Ok(rows.iter().map(|row| Moment(row.get(1))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::migrate::in_memory;

    const HOUR: i64 = 3600 * Moment::SECOND;

    fn told(db: &Connection, post: &str, words: u8, hour: i64) {
        db.execute(
            "INSERT INTO post_words (post, account, words, last_ns) VALUES (?, 'ac', ?, ?)",
            params![post, [words], hour * HOUR],
        )
        .unwrap();
        note(db, &PostId::new(post), "ac").unwrap();
    }

    fn pairs(db: &Connection) -> Vec<(String, String)> {
        let mut query = db.prepare("SELECT first, second FROM doubles ORDER BY at_ns, first").unwrap();
        query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(|row| row.unwrap()).collect()
    }

    #[test]
    fn the_same_words_within_three_days_are_a_pair_and_a_weekly_text_is_none() {
        let db = in_memory();
        told(&db, "po_b", 1, 0);
        told(&db, "po_a", 1, 2);
        told(&db, "po_other", 2, 3);
        told(&db, "po_next_week", 1, 168);
        assert_eq!(pairs(&db), [("po_b".to_owned(), "po_a".to_owned())]);
    }

    #[test]
    fn nearly_the_same_words_within_a_day_are_a_pair_of_their_own_kind() {
        let db = in_memory();
        let told = |post: &str, text: &str, hour: i64| {
            db.execute(
                "INSERT INTO post_words (post, account, words, text, last_ns) VALUES (?, 'ac', ?, ?, ?)",
                params![post, text.as_bytes(), text, hour * HOUR],
            )
            .unwrap();
            note(&db, &PostId::new(post), "ac").unwrap();
        };
        told("po_a", "Doors open at nine on Sunday.", 0);
        told("po_b", "Doors open at nine on Sunday!", 1);
        told("po_c", "Doors close at ten on Monday.", 1);
        told("po_d", "Doors open at nine on Sunday?", 24);
        let mut query = db.prepare("SELECT first, second, near FROM doubles").unwrap();
        let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
        let kept: Vec<(String, String, bool)> = rows.map(|row| row.unwrap()).collect();
        assert_eq!(kept, [("po_a".to_owned(), "po_b".to_owned(), true)]);
    }

    /// It is asked for every post that is told of: it must not cost more the more the account holds.
    #[test]
    fn equal_words_are_found_by_seeks_whatever_else_the_account_holds() {
        let db = in_memory();
        let mut statement = db.prepare(&format!("EXPLAIN QUERY PLAN {}", others())).unwrap();
        let mut rows = statement.raw_query();
        let mut steps = Vec::<String>::new();
        while let Some(row) = rows.next().unwrap() {
            steps.push(row.get(3).unwrap());
        }
        assert!(steps[0].contains("post_words_equal (account=? AND words=?)"), "{steps:?}");
        assert!(!steps.iter().any(|step| step.contains("TEMP B-TREE")), "{steps:?}");
    }

    #[test]
    fn a_pair_turns_with_what_is_told_of_its_times() {
        let db = in_memory();
        told(&db, "po_a", 1, 0);
        told(&db, "po_b", 1, 1);
        db.execute("UPDATE post_words SET scheduled_ns = ? WHERE post = 'po_a'", [5 * HOUR]).unwrap();
        note(&db, &PostId::new("po_a"), "ac").unwrap();
        assert_eq!(pairs(&db), [("po_b".to_owned(), "po_a".to_owned())]);
        db.execute("UPDATE post_words SET scheduled_ns = ? WHERE post = 'po_a'", [200 * HOUR]).unwrap();
        note(&db, &PostId::new("po_a"), "ac").unwrap();
        assert_eq!(pairs(&db), []);
    }
}

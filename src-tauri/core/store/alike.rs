//! Jobs that show the pattern of a verdict. The newest jobs are looked at, each by index, so that the work has an end
//! however long the log is.

use sqlx::{AssertSqlSafe, Row, SqlitePool};

use crate::{
    clock::Moment,
    error::{Code as Problem, Error, Result},
    ids::{JobMark, PostId},
    inquiry::says::Code,
    outbound::forecast::words::differ_by,
    pozy::contract::Contract,
};

/// A job of the same pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlikeRow {
    /// Its name.
    pub job: JobMark,
    /// When it was asked for.
    pub at: Moment,
    /// Its post, if one is known.
    pub post: Option<PostId>,
    /// Its words on its first account.
    pub text: Option<String>,
}

/// What was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Looked {
    /// Jobs, the newest of the log.
    pub jobs: u32,
    /// True if that is all of them.
    pub whole: bool,
}

/// A try of the job that made a post, as the end of an `EXISTS`.
const MADE: &str = "attempts AS a JOIN readings AS d ON d.attempt = a.id AND d.meaning = 'created'";

/// What must hold of job `j`, in SQL; none if a verdict is no pattern of jobs. `?2` is the life of a key, nanoseconds.
fn pattern(code: Code) -> Option<String> {
    let held = match code {
        Code::AllowedRepeat => "j.again_of IS NOT NULL".to_owned(),
        Code::KeyPerTry => "(SELECT count(DISTINCT a.key) FROM attempts AS a WHERE a.job = j.id) > 1".to_owned(),
        Code::WorkspaceChanged => format!(
            "(SELECT count(DISTINCT a.workspace) FROM attempts AS a WHERE a.job = j.id) > 1
             OR EXISTS (SELECT 1 FROM {MADE} JOIN doubles AS x ON x.second = d.post
                JOIN readings AS e ON e.post = x.first AND e.meaning = 'created' JOIN attempts AS b ON b.id = e.attempt
                WHERE a.job = j.id AND b.workspace <> a.workspace)"
        ),
        Code::KeyExpired => format!(
            "EXISTS (SELECT 1 FROM {MADE} WHERE a.job = j.id AND a.key IS NOT NULL AND EXISTS (
                SELECT 1 FROM attempts AS b WHERE b.workspace = a.workspace AND b.key = a.key AND b.at_ns < a.at_ns - ?2))"
        ),
        // Which words are near is asked afterwards, of these.
        Code::EditedAfterRefusal => {
            "EXISTS (SELECT 1 FROM attempts AS a JOIN readings AS d ON d.attempt = a.id AND d.meaning = 'same_content'
                WHERE a.job = j.id)"
                .to_owned()
        }
        Code::FalseFailureReposted => format!(
            "EXISTS (SELECT 1 FROM {MADE} JOIN doubles AS x ON x.second = d.post WHERE a.job = j.id
                AND NOT EXISTS (SELECT 1 FROM readings AS e WHERE e.post = x.first AND e.meaning = 'created'))"
        ),
        Code::TwoJobsSameContent => format!(
            "EXISTS (SELECT 1 FROM {MADE} JOIN doubles AS x ON x.second = d.post
                JOIN readings AS e ON e.post = x.first AND e.meaning = 'created' JOIN attempts AS b ON b.id = e.attempt
                WHERE a.job = j.id AND b.job <> a.job AND b.key IS NOT a.key)"
        ),
        Code::PublisherSide => format!(
            "EXISTS (SELECT 1 FROM {MADE} JOIN notes AS n ON n.post = d.post AND n.action = 'seen_twice' WHERE a.job = j.id)"
        ),
        Code::CopiesOfOneEvent => format!(
            "EXISTS (SELECT 1 FROM {MADE} JOIN events AS e ON e.resource = 'post:' || d.post AND e.nature = 'real'
                AND e.arrivals > 1 WHERE a.job = j.id)"
        ),
        Code::KeyReused => {
            "EXISTS (SELECT 1 FROM attempts AS a JOIN readings AS d ON d.attempt = a.id AND d.meaning = 'replayed'
                AND d.differs = 1 WHERE a.job = j.id)"
                .to_owned()
        }
        Code::RollupAndTarget | Code::NotSentFromHere | Code::NotEnoughEvidence => return None,
    };
    Some(held)
}

/// Other jobs of the same sender that show the pattern, newest first: those asked for where the newest of `jobs` was,
/// through the same workspace, unless the workspace is what changed. None if the verdict is no pattern of jobs.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn alike(
    pool: &SqlitePool,
    contract: &Contract,
    code: Code,
    jobs: &[JobMark],
    most: u32,
) -> Result<Option<(Vec<AlikeRow>, Looked)>> {
    let (Some(held), Some(newest)) = (pattern(code), jobs.last()) else { return Ok(None) };
    let names = serde_json::to_string(jobs)
        .map_err(|cause| Error::caused(Problem::Internal, "A list has no JSON form.", cause))?;
    let place = if code == Code::WorkspaceChanged { "" } else { "AND j.workspace = s.workspace" };
    let sql = format!(
        "SELECT j.id, j.mark, j.created_ns, t.post, (SELECT k.text FROM job_words AS k WHERE k.job = j.id LIMIT 1)
         FROM (SELECT * FROM jobs ORDER BY created_ns DESC LIMIT ?1) AS j JOIN jobs AS s ON s.mark = ?3
         LEFT JOIN job_states AS t ON t.job = j.id
         WHERE j.origin = s.origin {place} AND j.mark NOT IN (SELECT value FROM json_each(?4)) AND ({held})
         ORDER BY j.created_ns DESC"
    );
    let query = sqlx::query(AssertSqlSafe(sql))
        .bind(i64::from(most))
        .bind(contract.key_life_h * 3600 * Moment::SECOND)
        .bind(newest.as_str())
        .bind(names);
    let mut found = Vec::new();
    for row in query.fetch_all(pool).await? {
        if code == Code::EditedAfterRefusal && !edited(pool, contract, row.get(0)).await? {
            continue;
        }
        found.push(AlikeRow {
            job: JobMark::new(row.get::<String, _>(1)),
            at: Moment(row.get(2)),
            post: row.get::<Option<String>, _>(3).map(PostId::new),
            text: row.get(4),
        });
    }
    let seen: i64 = sqlx::query("SELECT count(*) FROM (SELECT 1 FROM jobs LIMIT ?)")
        .bind(i64::from(most) + 1)
        .fetch_one(pool)
        .await?
        .get(0);
    let whole = seen <= i64::from(most);
    let jobs = u32::try_from(seen.min(i64::from(most))).unwrap_or(most);
    Ok(Some((found, Looked { jobs, whole })))
}

/// True if nearly the words of this refused job went out to one of its accounts afterwards, within the content check.
async fn edited(pool: &SqlitePool, contract: &Contract, job: i64) -> Result<bool> {
    let rows = sqlx::query(
        "SELECT k.text, w.text
         FROM attempts AS a JOIN readings AS d ON d.attempt = a.id AND d.meaning = 'same_content'
         JOIN job_words AS k ON k.job = a.job
         JOIN post_words AS w ON w.account = k.account AND w.last_ns >= a.at_ns AND w.post <> d.post AND w.words <> k.words
         JOIN readings AS e ON e.post = w.post AND e.meaning = 'created' JOIN attempts AS b ON b.id = e.attempt
         WHERE a.job = ?1 AND b.at_ns >= a.at_ns AND b.at_ns <= a.at_ns + ?2 LIMIT 50",
    )
    .bind(job)
    .bind(contract.content_window_h * 3600 * Moment::SECOND)
    .fetch_all(pool)
    .await?;
    Ok(rows.iter().any(|row| {
        let (before, after): (String, Option<String>) = (row.get(0), row.get(1));
        after.is_some_and(|after| differ_by(&before, &after, contract.near_text_percent).is_some())
    }))
}

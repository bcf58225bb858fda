//! What this log knows of one post: its lanes, its words on each account, its planned time; and who used a key first.

use sqlx::{Row, SqlitePool};

use super::listing::{self, LaneRow};
use crate::{
    clock::Moment,
    error::Result,
    ids::{AccountId, JobId, JobMark, Lane, PostId, Resource, WorkspaceId},
};

/// One target of a post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetFacts {
    /// Its account.
    pub account: AccountId,
    /// Its words as they were last told; none if nothing told them.
    pub text: Option<String>,
    /// What its lane holds; none if no message and no fetch told of it.
    pub lane: Option<LaneRow>,
    /// Its state by the latest answer or fetch, and when that held.
    pub told: Option<(String, Moment)>,
    /// When it went live, as far as an answer or a fetch told.
    pub published: Option<Moment>,
}

/// What is known of one post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostFacts {
    /// The post.
    pub post: PostId,
    /// What its own lane holds.
    pub lane: Option<LaneRow>,
    /// When it is, or was, to be published.
    pub scheduled: Option<Moment>,
    /// Its targets, by account.
    pub targets: Vec<TargetFacts>,
}

/// Everything about `post`; empty where nothing was ever told.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn of(pool: &SqlitePool, post: &PostId) -> Result<PostFacts> {
    let lanes = listing::lanes_of(pool, &Resource::post(post)).await?;
    let rows = sqlx::query(
        "SELECT w.account, w.text, w.scheduled_ns,
                (SELECT published_ns FROM tellings AS t WHERE t.post = w.post AND t.account = w.account
                 AND published_ns IS NOT NULL ORDER BY t.at_ns DESC LIMIT 1),
                (SELECT json_array(status, at_ns) FROM tellings AS t WHERE t.post = w.post AND t.account = w.account
                 AND status <> 'there' ORDER BY t.at_ns DESC LIMIT 1)
         FROM post_words AS w WHERE w.post = ? ORDER BY w.account",
    )
    .bind(post.as_str())
    .fetch_all(pool)
    .await?;
    let mut targets: Vec<TargetFacts> = Vec::new();
    let mut scheduled = None;
    for row in &rows {
        let planned = row.get::<Option<i64>, _>(2).map(Moment);
        scheduled = scheduled.or(planned);
        targets.push(TargetFacts {
            account: AccountId::new(row.get::<String, _>(0)),
            text: row.get(1),
            lane: None,
            told: told(row.get(4)),
            published: row.get::<Option<i64>, _>(3).map(Moment),
        });
    }
    let (whole, its_targets): (Vec<_>, Vec<_>) = lanes.into_iter().partition(|lane| lane.lane == Lane::post(post));
    for lane in its_targets {
        let Some((_, account)) = lane.lane.as_str().split_once('/') else { continue };
        let account = AccountId::new(account);
        match targets.iter_mut().find(|target| target.account == account) {
            Some(target) => target.lane = Some(lane),
            None => targets.push(TargetFacts { account, text: None, lane: Some(lane), told: None, published: None }),
        }
    }
    Ok(PostFacts { post: post.clone(), lane: whole.into_iter().next(), scheduled, targets })
}

fn told(row: Option<String>) -> Option<(String, Moment)> {
    let (status, at): (String, i64) = serde_json::from_str(&row?).ok()?;
    Some((status, Moment(at)))
}

/// A call of this log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its job.
    pub job: JobMark,
    /// Its number there.
    pub n: u32,
    /// When it left.
    pub at: Moment,
    /// HTTP method.
    pub method: String,
    /// Path of the call.
    pub path: String,
}

/// The first call with `key` in the workspace, or in one that a person said is the same, by another job than `job`.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn first_call(pool: &SqlitePool, workspace: WorkspaceId, key: &str, job: JobId) -> Result<Option<Call>> {
    let row = sqlx::query(
        "SELECT j.id, j.mark, a.n, a.at_ns, a.method, a.path FROM attempts AS a JOIN jobs AS j ON j.id = a.job
         WHERE a.workspace IN (SELECT id FROM workspaces WHERE coalesce(same_as, id) =
                               (SELECT coalesce(same_as, id) FROM workspaces WHERE id = ?1))
             AND a.key = ?2
         ORDER BY a.at_ns, a.id LIMIT 1",
    )
    .bind(workspace.0)
    .bind(key)
    .fetch_optional(pool)
    .await?;
    let call = |row: &sqlx::sqlite::SqliteRow| Call {
        job: JobMark::new(row.get::<String, _>(1)),
        n: row.get(2),
        at: Moment(row.get(3)),
        method: row.get(4),
        path: row.get(5),
    };
    Ok(row.as_ref().filter(|row| row.get::<i64, _>(0) != job.0).map(call))
}

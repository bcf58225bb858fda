//! Rows around a question (design 5): tries by post, job, key, content or link; events, arrivals, fetches and notes of
//! a post. Every look-up goes by an index except those by words, by address and by equal bytes, which read on.

use futures_util::TryStreamExt as _;
use sqlx::{AssertSqlSafe, Row, SqlitePool, sqlite::SqliteRow};

use super::{
    lines::{DAMAGED, word},
    packed::unpack,
};
use crate::{
    clock::Moment,
    error::{Code, Error, Result},
    ids::{AttemptId, EventId, JobId, JobMark, PostId, Resource},
    inquiry::{
        evidence::{Came, Fetch, Noted, Status, Try},
        looks::ThingKind,
        words::{Content, holds},
    },
    outbound::job::BodyHash,
    pozy::{
        envelope::{News, Rank},
        secrecy::Source,
    },
};

/// A try with what leads to further ones.
#[derive(Clone, Debug)]
pub struct TryRow {
    /// Its row.
    pub id: AttemptId,
    /// Its job's row.
    pub job: JobId,
    /// Its bytes.
    pub body: Option<BodyHash>,
    /// The try.
    pub attempt: Try,
}

/// A way from what is known to further tries.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    /// Tries whose answer tells of a post.
    Post(PostId),
    /// All tries of a job.
    Job(JobId),
    /// All tries with a key, in any workspace.
    Key(String),
    /// All tries of jobs with the same bytes.
    Body(BodyHash),
    /// All tries of the jobs that a Post again links to this one.
    Again(JobId),
    /// One try.
    Attempt(AttemptId),
}

const TRIES: &str = "
    SELECT a.id, a.job, lower(hex(a.body)) AS hash, j.mark, j.origin, a.n, a.at_ns, a.path, w.name, a.key,
           c.coding, c.bytes, r.kind, r.at_ns AS ended_ns, r.status, d.meaning, d.post, d.differs
    FROM attempts a JOIN jobs j ON j.id = a.job JOIN workspaces w ON w.id = a.workspace
    LEFT JOIN contents c ON c.hash = a.body
    LEFT JOIN results r ON r.attempt = a.id LEFT JOIN readings d ON d.attempt = a.id";

/// Up to `limit` tries on that way, oldest first.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn tries(pool: &SqlitePool, reach: &Reach, limit: u32) -> Result<Vec<TryRow>> {
    let narrow = match reach {
        Reach::Post(_) => "a.id IN (SELECT attempt FROM readings WHERE post = ?1)",
        Reach::Job(_) => "a.job = ?1",
        Reach::Key(_) => "a.key = ?1 AND a.workspace IN (SELECT id FROM workspaces)",
        Reach::Body(_) => "a.job IN (SELECT id FROM jobs WHERE body = unhex(?1))",
        Reach::Again(_) => {
            "a.job IN (SELECT again_of FROM jobs WHERE id = ?1 UNION SELECT id FROM jobs WHERE again_of = ?1)"
        }
        Reach::Attempt(_) => "a.id = ?1",
    };
    let sql = format!("{TRIES} WHERE {narrow} ORDER BY a.at_ns, a.id LIMIT ?2");
    let query = sqlx::query(AssertSqlSafe(sql));
    let query = match reach {
        Reach::Post(post) => query.bind(post.as_str().to_owned()),
        Reach::Job(job) | Reach::Again(job) => query.bind(job.0),
        Reach::Key(key) => query.bind(key.clone()),
        Reach::Body(hash) => query.bind(hash.0.clone()),
        Reach::Attempt(id) => query.bind(id.0),
    };
    query.bind(i64::from(limit)).fetch_all(pool).await?.iter().map(try_row).collect()
}

fn try_row(row: &SqliteRow) -> Result<TryRow> {
    let body = match row.get::<Option<&str>, _>("coding") {
        Some(coding) => Some(unpack(coding, row.get("bytes"))?),
        None => None,
    };
    Ok(TryRow {
        id: AttemptId(row.get("id")),
        job: JobId(row.get("job")),
        body: row.get::<Option<String>, _>("hash").filter(|hash| !hash.is_empty()).map(BodyHash),
        attempt: Try {
            job: JobMark::new(row.get::<String, _>("mark")),
            n: row.get("n"),
            at: Moment(row.get("at_ns")),
            path: row.get("path"),
            workspace: row.get("name"),
            local: row.get::<&str, _>("origin") == "local",
            key: row.get("key"),
            content: body.as_deref().and_then(Content::of),
            end: row.get::<Option<&str>, _>("kind").map(word).transpose()?,
            ended: row.get::<Option<i64>, _>("ended_ns").map(Moment),
            status: row.get("status"),
            meaning: row.get::<Option<&str>, _>("meaning").map(word).transpose()?,
            post: row.get::<Option<String>, _>("post").map(PostId::new),
            differs: row.get("differs"),
        },
    })
}

/// What the log knows under that very id; of several things, the first of post, job, event, key.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn kind_of(pool: &SqlitePool, id: &str) -> Result<Option<ThingKind>> {
    let row = sqlx::query(
        "SELECT EXISTS (SELECT 1 FROM readings WHERE post = ?1)
                OR EXISTS (SELECT 1 FROM events WHERE resource = 'post:' || ?1)
                OR EXISTS (SELECT 1 FROM sightings WHERE resource = 'post:' || ?1)
                OR EXISTS (SELECT 1 FROM notes WHERE post = ?1),
            EXISTS (SELECT 1 FROM jobs WHERE mark = ?1),
            EXISTS (SELECT 1 FROM events WHERE event = ?1),
            EXISTS (SELECT 1 FROM attempts WHERE key = ?1 AND workspace IN (SELECT id FROM workspaces))",
    )
    .bind(id)
    .fetch_one(pool)
    .await?;
    let kinds = [ThingKind::Post, ThingKind::Job, ThingKind::Event, ThingKind::Key];
    Ok(kinds.into_iter().enumerate().find(|(column, _)| row.get::<bool, _>(*column)).map(|(_, kind)| kind))
}

/// The job of that name.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn job(pool: &SqlitePool, mark: &JobMark) -> Result<Option<JobId>> {
    let row = sqlx::query("SELECT id FROM jobs WHERE mark = ?").bind(mark.as_str()).fetch_optional(pool).await?;
    Ok(row.map(|row| JobId(row.get(0))))
}

/// What an event is about.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn resource_of(pool: &SqlitePool, event: &EventId) -> Result<Option<Resource>> {
    let row = sqlx::query("SELECT resource FROM events WHERE event = ?").bind(event.as_str());
    Ok(row.fetch_optional(pool).await?.map(|row| Resource::new(row.get::<String, _>(0))))
}

/// An event of a post, as its row says.
#[derive(Clone, Debug)]
pub struct EventRow {
    /// Its id.
    pub event: EventId,
    /// Its name.
    pub name: String,
    /// When it happened; when it first arrived, if it does not say.
    pub at: Moment,
    /// What it says of its own lanes.
    pub says: Vec<Status>,
    /// First words of the post.
    pub text: Option<String>,
    /// The platform it speaks of.
    pub platform: Option<String>,
}

/// Up to `limit` real events of a post, by the time they happened.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn events(pool: &SqlitePool, post: &PostId, limit: u32) -> Result<Vec<EventRow>> {
    let resource = Resource::post(post);
    let rows = sqlx::query(
        "SELECT event, name, coalesce(happened_ns, first_ns), news, text, platform FROM events
         WHERE resource = ? AND nature = 'real' ORDER BY 3, event LIMIT ?",
    )
    .bind(resource.as_str())
    .bind(i64::from(limit))
    .fetch_all(pool)
    .await?;
    let event = |row: &SqliteRow| {
        let news: Vec<News> =
            serde_json::from_str(row.get(3)).map_err(|cause| Error::caused(Code::Storage, DAMAGED, cause))?;
        let own = news.into_iter().filter(|news| news.rank == Rank::Own);
        Ok(EventRow {
            event: EventId::new(row.get::<String, _>(0)),
            name: row.get(1),
            at: Moment(row.get(2)),
            says: own.filter_map(|news| status(post, news.lane.as_str(), news.status)).collect(),
            text: row.get(4),
            platform: row.get(5),
        })
    };
    rows.iter().map(event).collect()
}

/// The state of the post or of its target that stands in `lane`.
fn status(post: &PostId, lane: &str, word: String) -> Option<Status> {
    let rest = lane.strip_prefix("post:")?.strip_prefix(post.as_str())?;
    match rest.strip_prefix('/') {
        Some(account) => Some(Status { account: Some(crate::ids::AccountId::new(account)), word }),
        None => rest.is_empty().then_some(Status { account: None, word }),
    }
}

/// Up to `limit` arrivals that count of one event, in their order.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn arrivals(pool: &SqlitePool, event: &EventId, limit: u32) -> Result<Vec<Came>> {
    let rows = super::listing::arrivals_of(pool, event, limit).await?;
    let came = |row: super::listing::ArrivalRow| Came {
        event: event.clone(),
        at: row.arrived,
        copy: row.copy,
        cause: row.cause.map(|cause| (cause.code, cause.says)),
    };
    Ok(rows.into_iter().map(came).collect())
}

/// Up to `limit` fetches that say something of a post, by time.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn fetches(pool: &SqlitePool, post: &PostId, limit: u32) -> Result<Vec<Fetch>> {
    let resource = Resource::post(post);
    let rows = sqlx::query(
        "SELECT observation, at_ns, lane, status FROM sightings WHERE resource = ?
         ORDER BY at_ns, observation, lane LIMIT ?",
    )
    .bind(resource.as_str())
    .bind(i64::from(limit))
    .fetch_all(pool)
    .await?;
    let mut fetches: Vec<(i64, Fetch)> = Vec::new();
    for row in rows {
        let (observation, at) = (row.get(0), Moment(row.get(1)));
        let Some(status) = status(post, row.get(2), row.get(3)) else { continue };
        match fetches.last_mut() {
            Some((last, fetch)) if *last == observation => fetch.says.push(status),
            _ => fetches.push((observation, Fetch { at, post: post.clone(), says: vec![status] })),
        }
    }
    Ok(fetches.into_iter().map(|(_, fetch)| fetch).collect())
}

/// Notes about a post.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn notes_of_post(pool: &SqlitePool, post: &PostId) -> Result<Vec<Noted>> {
    let sql = "SELECT at_ns, job, post, action, text, there, import, id FROM notes WHERE post = ? ORDER BY at_ns, id";
    Ok(sqlx::query(sql).bind(post.as_str()).fetch_all(pool).await?.iter().map(noted).collect())
}

/// Notes about a job, and the Post again that made it if only its own row tells of that.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn notes_of_job(pool: &SqlitePool, job: &JobMark) -> Result<Vec<Noted>> {
    let rows = sqlx::query(
        "SELECT at_ns, job, post, action, text, there, import, id FROM notes WHERE job = ?1
         UNION ALL
         SELECT created_ns, mark, NULL, 'post_again', reason, NULL, import, -id FROM jobs
         WHERE mark = ?1 AND again_of IS NOT NULL AND reason IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM notes WHERE job = ?1 AND action = 'post_again')
         ORDER BY at_ns",
    )
    .bind(job.as_str())
    .fetch_all(pool)
    .await?;
    Ok(rows.iter().map(noted).collect())
}

fn noted(row: &SqliteRow) -> Noted {
    Noted {
        at: Moment(row.get(0)),
        job: row.get::<Option<String>, _>(1).map(JobMark::new),
        post: row.get::<Option<String>, _>(2).map(PostId::new),
        action: row.get(3),
        text: row.get(4),
        there: row.get(5),
        source: row.get::<Option<i64>, _>(6).map_or_else(|| Source::Note(row.get(7)), Source::Import),
    }
}

/// Tries whose body holds these words, oldest first. Reads the bodies of all tries.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn tries_with_words(pool: &SqlitePool, text: &str, limit: usize) -> Result<Vec<AttemptId>> {
    let sql =
        "SELECT a.id, c.coding, c.bytes FROM attempts a JOIN contents c ON c.hash = a.body ORDER BY a.at_ns, a.id";
    let mut rows = sqlx::query(sql).fetch(pool);
    let mut found = Vec::new();
    while let Some(row) = rows.try_next().await? {
        let body = unpack(row.get(1), row.get(2))?;
        if found.len() < limit && Content::of(&body).is_some_and(|content| content.has(text)) {
            found.push(AttemptId(row.get(0)));
        }
    }
    Ok(found)
}

/// Posts whose events carry these words. Reads the words of all events.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn posts_with_words(pool: &SqlitePool, text: &str, limit: usize) -> Result<Vec<PostId>> {
    let sql = "SELECT resource, text FROM events WHERE text IS NOT NULL AND nature = 'real'";
    let mut rows = sqlx::query(sql).fetch(pool);
    let mut found: Vec<PostId> = Vec::new();
    while let Some(row) = rows.try_next().await? {
        if let Some(post) = post_of(row.get(0))
            && found.len() < limit
            && !found.contains(&post)
            && holds(row.get(1), text)
        {
            found.push(post);
        }
    }
    Ok(found)
}

/// The post that a resource names.
#[must_use]
pub fn post_of(resource: &str) -> Option<PostId> {
    resource.strip_prefix("post:").map(PostId::new)
}

/// Where a live address may stand, with the post it then belongs to: events, fetches, answers to tries; newest first.
const ADDRESSES: [&str; 3] = [
    "SELECT e.resource, b.coding, b.bytes FROM bodies b JOIN arrivals a ON a.seq = b.seq AND a.aside IS NULL
     JOIN events e ON e.event = a.event WHERE e.nature = 'real' ORDER BY b.seq DESC",
    "SELECT s.resource, c.coding, c.bytes FROM observations o JOIN contents c ON c.hash = o.body
     JOIN sightings s ON s.observation = o.id
     WHERE o.path LIKE '%/posts/%' GROUP BY o.id ORDER BY o.id DESC",
    "SELECT 'post:' || d.post, c.coding, c.bytes FROM results r JOIN contents c ON c.hash = r.body
     JOIN readings d ON d.attempt = r.attempt WHERE d.post IS NOT NULL ORDER BY r.attempt DESC",
];

/// The post whose live address this is. Reads bodies, newest first, until one holds it.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn post_at(pool: &SqlitePool, url: &str) -> Result<Option<PostId>> {
    let url = url.trim().trim_end_matches('/');
    for sql in ADDRESSES {
        let mut rows = sqlx::query(sql).fetch(pool);
        while let Some(row) = rows.try_next().await? {
            let body = unpack(row.get(1), row.get(2))?;
            if has_address(&body, url)
                && let Some(post) = post_of(row.get(0))
            {
                return Ok(Some(post));
            }
        }
    }
    Ok(None)
}

/// True if the whole address stands in a JSON text, with its slashes escaped or not.
fn has_address(body: &[u8], url: &str) -> bool {
    let Ok(text) = std::str::from_utf8(body) else { return false };
    let text = if text.contains("\\/") { text.replace("\\/", "/") } else { text.to_owned() };
    let ends = |rest: &str| rest.trim_start_matches('/').starts_with(['"', '?', '#']);
    !url.is_empty() && text.match_indices(url).any(|(at, _)| ends(&text[at + url.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_found_whole() {
        let body = br#"{"platform":{"publishedUrl":"https:\/\/social.example\/p\/1"}}"#;
        assert!(has_address(body, "https://social.example/p/1"));
        assert!(!has_address(body, "https://social.example/p"));
        assert!(!has_address(br#"{"u":"https://social.example/p/12"}"#, "https://social.example/p/1"));
        assert!(has_address(br#"{"u":"https://social.example/p/1/?x=2"}"#, "https://social.example/p/1"));
        assert!(!has_address(body, ""));
    }

    #[test]
    fn a_lane_tells_whose_state_it_is() {
        let post = PostId::new("po_1");
        assert_eq!(status(&post, "post:po_1", "failed".into()).unwrap().account, None);
        assert_eq!(status(&post, "post:po_1/ac", "x".into()).unwrap().account.unwrap().as_str(), "ac");
        assert_eq!(status(&post, "post:po_12", "x".into()), None);
        assert_eq!(status(&post, "account:po_1", "x".into()), None);
    }
}

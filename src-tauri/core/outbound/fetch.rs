//! Fetches what Pozy has: one post, the accounts, or the newest posts where a job's own post is not known. Every answer
//! becomes an observation (design 4.9). Pozy's wish to be left alone (429) is kept for the whole connection, and nothing
//! is fetched before it is over.

use super::connection::Connection;
use crate::{
    clock::{Clock, Moment},
    error::{Error, Result},
    ids::{AccountId, PostId},
    inbound::observe::record_observation,
    pozy::{
        accounts,
        answers::Answer,
        client::{self, Sent},
    },
    store::{Store, jobs, observations::NewObservation, waits},
};

/// Most pages of accounts that are asked for.
const ACCOUNT_PAGES: u32 = 10;
/// How many of the newest posts are looked through for a job whose post is not known.
const NEWEST: u32 = 100;

/// A `Date` further ahead of our clock than this is not believed, milliseconds (31 days): what is said to be seen in a
/// far year would outlast all that is told until then.
const FAR_AHEAD_MS: i64 = 31 * 24 * 3_600_000;

/// What is fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// One post.
    Post(PostId),
    /// One account, in the list of all of them.
    Account(AccountId),
    /// The newest posts.
    NewestPosts,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look {
    /// Pozy told it; what it told is in the log.
    Told,
    /// Pozy has no such post or account.
    Gone,
    /// Pozy wants to be left alone until then; nothing was told.
    Wait(Moment),
    /// An answer that says nothing about it; its status.
    Unclear(u16),
    /// No answer came.
    Silent,
}

/// Fetches `subject` and records what came. Its instant is the answer's `Date` if that can be believed, else when the
/// request left.
///
/// # Errors
/// `Usage` if the id cannot be asked for, `Storage` if the log cannot be written. What Pozy answers is no error.
pub async fn look(store: &Store, clock: &Clock, connection: &Connection, subject: &Subject) -> Result<Look> {
    if let Some(until) = waits::until(store.pool(), connection.workspace, clock.now()).await? {
        return Ok(Look::Wait(until));
    }
    match subject {
        Subject::Post(post) => {
            let path = client::post_path(post)?;
            ask(store, clock, connection, &path).await.map(|(look, _)| look)
        }
        Subject::NewestPosts => {
            let path = format!("/v1/posts?page=1&limit={NEWEST}");
            ask(store, clock, connection, &path).await.map(|(look, _)| look)
        }
        Subject::Account(account) => {
            for page in 1..=ACCOUNT_PAGES {
                let (look, answer) = ask(store, clock, connection, &accounts::path(page)).await?;
                let Some(answer) = answer.filter(|_| look == Look::Told) else { return Ok(look) };
                let (found, more) = accounts::read(&answer.body);
                if found.iter().any(|one| one.id == *account) {
                    return Ok(Look::Told);
                }
                if !more {
                    return Ok(Look::Gone);
                }
            }
            Ok(Look::Unclear(200))
        }
    }
}

async fn ask(store: &Store, clock: &Clock, connection: &Connection, path: &str) -> Result<(Look, Option<Answer>)> {
    let left = clock.now();
    let answer = match connection.client.get(path).await? {
        Sent::Answered(answer) => answer,
        Sent::Timeout | Sent::Reset | Sent::NotSent => return Ok((Look::Silent, None)),
    };
    let (came, workspace, asked) = (clock.now(), connection.workspace, path.to_owned());
    let wait = waits::asked(answer.status, answer.retry_after(came), came);
    let kept = answer.clone();
    store
        .write(move |connection| {
            let date = answer.date().filter(|date| date.ms_since(came) <= FAR_AHEAD_MS);
            let new = NewObservation {
                at: date.unwrap_or(left),
                workspace: Some(workspace),
                path: &asked,
                status: answer.status,
                body: Some(&answer.body),
                import: None,
            };
            if let Some(date) = date {
                jobs::compare_clocks(connection, workspace, came, date, true)?;
            }
            if let Some(until) = wait {
                waits::remember(connection, workspace, until, came)?;
            }
            record_observation(connection, &new).map(drop)
        })
        .await?;
    let look = match (kept.status, wait) {
        (200..=299, _) => Look::Told,
        (404, _) => Look::Gone,
        (_, Some(until)) => Look::Wait(until),
        (status, None) => Look::Unclear(status),
    };
    Ok((look, Some(kept)))
}

/// Fetches `post` before a send that is not safe: what is stored may be too old.
///
/// # Errors
/// `Refused` if no answer came that says how the post stands, `Storage` if the log cannot be written.
pub async fn fetch(store: &Store, clock: &Clock, connection: &Connection, post: &PostId) -> Result<()> {
    match look(store, clock, connection, &Subject::Post(post.clone())).await? {
        Look::Told | Look::Gone => Ok(()),
        Look::Wait(until) => Err(Error::refused(format!(
            "Pozy asked to be left alone until {}, so it could not be asked how the post {post} stands, and nothing was \
             sent. Try again then.",
            until.utc().format("%H:%M:%S UTC")
        ))),
        Look::Unclear(_) | Look::Silent => Err(Error::refused(format!(
            "Pozy did not say how the post {post} stands, so nothing was sent. Try again when it can be reached."
        ))),
    }
}

//! Fetches a post's state before a send that is not safe: what is stored may be too old (design 4.9).

use super::connection::Connection;
use crate::{
    clock::Clock,
    error::{Error, Result},
    ids::PostId,
    inbound::observe::record_observation,
    pozy::client::Sent,
    store::{Store, jobs, observations::NewObservation},
};

/// Fetches `post` and records what came. Its instant is the answer's `Date`, else when the request left.
///
/// # Errors
/// `Refused` if no answer came that says how the post stands, `Storage` if the log cannot be written.
pub async fn fetch(store: &Store, clock: &Clock, connection: &Connection, post: &PostId) -> Result<()> {
    let left = clock.now();
    let answer = match connection.client.post(post).await? {
        Sent::Answered(answer) => answer,
        Sent::Timeout | Sent::Reset | Sent::NotSent => return Err(silent(post)),
    };
    let (came, workspace, path) = (clock.now(), connection.workspace, format!("/v1/posts/{post}"));
    let says = matches!(answer.status, 200..=299 | 404);
    store
        .write(move |connection| {
            let date = answer.date();
            let new = NewObservation {
                at: date.unwrap_or(left),
                workspace: Some(workspace),
                path: &path,
                status: answer.status,
                body: Some(&answer.body),
                import: None,
            };
            if let Some(date) = date {
                jobs::compare_clocks(connection, workspace, came, date)?;
            }
            record_observation(connection, &new).map(drop)
        })
        .await?;
    if says { Ok(()) } else { Err(silent(post)) }
}

fn silent(post: &PostId) -> Error {
    Error::refused(format!(
        "Pozy did not say how the post {post} stands, so nothing was sent. Try again when it can be reached."
    ))
}

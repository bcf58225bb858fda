//! Practice mode: the sandbox and its two-minute story, on a log of its own.

use super::{
    status::status,
    wire::{Nothing, Status},
};
use crate::{
    desk::Desk,
    error::{Error, Result},
};

pub(super) async fn start(desk: &Desk, _: Nothing) -> Result<Status> {
    desk.practise().await?;
    status(desk, Nothing {}).await
}

pub(super) async fn leave(desk: &Desk, _: Nothing) -> Result<Status> {
    desk.reopen().await?;
    status(desk, Nothing {}).await
}

/// Tells the story from its beginning; a second click while it plays changes nothing.
pub(super) async fn play(desk: &Desk, _: Nothing) -> Result<Status> {
    let room = desk.room().await;
    let stage = room.stage.as_ref().ok_or_else(|| Error::refused("The story plays in practice only."))?;
    stage.play(desk);
    status(desk, Nothing {}).await
}

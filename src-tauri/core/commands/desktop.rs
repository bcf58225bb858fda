//! How the program behaves on the desktop, and where it may send a browser.

use super::wire::{Habits, LinkRow, Nothing, PostArgs};
use crate::{desk::Desk, error::Result, ids::PostId, pozy::links, store};

pub(super) async fn habits(desk: &Desk, _: Nothing) -> Result<Habits> {
    desk.habits().await
}

pub(super) async fn save_habits(desk: &Desk, args: Habits) -> Result<Habits> {
    desk.keep_habits(args).await?;
    desk.tell();
    Ok(args)
}

/// Where a post is live, one address an account; of several that were told of one, the newest.
pub(super) async fn links(desk: &Desk, args: PostArgs) -> Result<Vec<LinkRow>> {
    let room = desk.room().await;
    let mut rows: Vec<LinkRow> = Vec::new();
    for body in store::links::bodies(room.store.pool(), &PostId::new(args.post)).await? {
        for live in links::live_in(&body) {
            if !rows.iter().any(|row| row.account == live.account) {
                rows.push(LinkRow { account: live.account, platform: live.platform, url: live.url });
            }
        }
    }
    Ok(rows)
}

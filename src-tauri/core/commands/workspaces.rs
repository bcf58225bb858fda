//! Workspaces: set up, choose, forget. Secrets only ever go in.

use std::net::{Ipv4Addr, SocketAddr};

use super::{
    status::status,
    wire::{Nothing, SaveReceiverArgs, SaveWorkspaceArgs, Status, WorkspaceArgs, WorkspaceRow, Workspaces},
};
use crate::{
    desk::{Desk, Room},
    error::{Error, Result},
    outbound::connection,
    pozy::{client, contract::Contract},
    secrets::{Secret, keeper::Which},
    settings,
    store::workspaces::{self, Filled, Workspace},
};

pub(super) async fn list(desk: &Desk, _: Nothing) -> Result<Workspaces> {
    let room = desk.real_room().await?;
    let current = settings::get::<Option<i64>>(room.store.pool(), settings::WORKSPACE).await?.flatten();
    let mut rows = Vec::new();
    for saved in workspaces::saved(room.store.pool()).await? {
        rows.push(row(&room, saved, current).await?);
    }
    let keeper = room.keeper().await?;
    Ok(Workspaces {
        workspaces: rows,
        secrets_in: keeper.place().word().to_owned(),
        secrets_say: keeper.says(),
        providers: Contract::SHIPPED.map(str::to_owned).to_vec(),
    })
}

async fn row(room: &Room, saved: Workspace, current: Option<i64>) -> Result<WorkspaceRow> {
    Ok(WorkspaceRow {
        has_api_key: room.secret(saved.id, Which::ApiKey).await?.is_some(),
        has_webhook_secret: room.secret(saved.id, Which::WebhookSecret).await?.is_some(),
        current: current == Some(saved.id),
        id: saved.id,
        name: saved.name,
        base_url: saved.base_url.unwrap_or_default(),
        provider: saved.provider,
    })
}

/// Keeps the secrets first, then the row, then goes on with it: a workspace is never left pointing at a key that was
/// not kept.
pub(super) async fn save(desk: &Desk, args: SaveWorkspaceArgs) -> Result<Workspaces> {
    let room = desk.real_room().await?;
    let name = args.name.trim().to_owned();
    if name.is_empty() {
        return Err(Error::usage("The workspace needs a name; nothing was changed."));
    }
    Contract::shipped(&args.provider)?;
    let base_url = client::base_address(&args.base_url)?;
    let api_key = args.api_key.as_deref().map(Secret::new);
    let webhook_secret = args.webhook_secret.as_deref().map(Secret::new);
    let key_print = match (&api_key, args.id) {
        (Some(Some(key)), _) => Some(connection::key_print(&room.log_name().await?, key)),
        (Some(None), _) | (None, None) => None,
        (None, Some(id)) => workspaces::one(room.store.pool(), id).await?.and_then(|known| known.key_print),
    };
    let filled = Filled { name, base_url, provider: args.provider, key_print };
    let now = room.clock.now();
    let id = room.store.write(move |connection| workspaces::save(connection, args.id, &filled, now)).await?;
    for (which, given) in [(Which::ApiKey, api_key), (Which::WebhookSecret, webhook_secret)] {
        if let Some(secret) = given {
            room.keep(id, which, secret).await?;
        }
    }
    choose(desk, &room, Some(id)).await
}

pub(super) async fn use_one(desk: &Desk, args: WorkspaceArgs) -> Result<Workspaces> {
    let room = desk.real_room().await?;
    if workspaces::one(room.store.pool(), args.id).await?.is_none_or(|known| !known.saved) {
        return Err(Error::not_found("That workspace is not set up on this computer any more; nothing was changed."));
    }
    choose(desk, &room, Some(args.id)).await
}

pub(super) async fn forget(desk: &Desk, args: WorkspaceArgs) -> Result<Workspaces> {
    let room = desk.real_room().await?;
    for which in [Which::ApiKey, Which::WebhookSecret] {
        room.keep(args.id, which, None).await?;
    }
    room.store.write(move |connection| workspaces::forget(connection, args.id)).await?;
    let current = settings::get::<Option<i64>>(room.store.pool(), settings::WORKSPACE).await?.flatten();
    let next = workspaces::saved(room.store.pool()).await?.first().map(|first| first.id);
    choose(desk, &room, current.filter(|id| *id != args.id).or(next)).await
}

/// Listens on another port from now on. While practising only the choice is kept: practice has a port of its own.
pub(super) async fn save_receiver(desk: &Desk, args: SaveReceiverArgs) -> Result<Status> {
    if args.port < 1024 {
        return Err(Error::usage(
            "Ports below 1024 belong to the system. Choose one from 1024 to 65535; nothing was changed.",
        ));
    }
    if desk.receiver_is_given() {
        return Err(Error::refused(
            "The receiver's address was given when the program was started, and holds until it ends; nothing was changed.",
        ));
    }
    let room = desk.real_room().await?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
    room.store.write(move |connection| settings::set(connection, settings::RECEIVER, &address)).await?;
    if desk.room().await.stage.is_none() {
        desk.reopen().await?;
    }
    status(desk, Nothing {}).await
}

/// Goes on with a workspace: receiver and sender start anew with its secrets.
async fn choose(desk: &Desk, room: &Room, id: Option<i64>) -> Result<Workspaces> {
    room.store.write(move |connection| settings::set(connection, settings::WORKSPACE, &id)).await?;
    desk.reopen().await?;
    list(desk, Nothing {}).await
}

//! Settings of the provider that a person may change, tried on the last message; and what the log keeps for how long.

use std::path::Path;

use super::wire::{
    CheckedAgain, ContractSettings, Nothing, RetentionArgs, SaveSignatureArgs, SetAside, SignatureArgs, SignatureTrial,
    Storage,
};
use crate::{
    desk::{Desk, Room},
    error::{Error, Result},
    ids::EventId,
    inbound::{
        again,
        trial::{self, Found},
    },
    pozy::contract::{Changes, Contract, Signature},
    settings,
    store::{listing, prune, set_aside, workspaces},
};

/// Least age of bodies that leave by themselves, days; and least size of a log that is kept small, megabytes.
const LEAST: (u32, u32) = (1, 10);

pub(super) async fn settings(desk: &Desk, _: Nothing) -> Result<ContractSettings> {
    let room = desk.real_room().await?;
    let shown = |contract: &Contract| SignatureArgs {
        header: contract.signature.header.clone(),
        encoding: contract.signature.encoding,
        prefix: contract.signature.prefix.clone(),
        event_id_header: contract.event_id_header.clone(),
    };
    let workspace = match current(&room).await? {
        Some(id) => workspaces::one(room.store.pool(), id).await?,
        None => None,
    };
    Ok(ContractSettings {
        workspace: workspace.map(|one| one.name),
        provider: room.contract.provider.clone(),
        signature: shown(&room.contract),
        shipped: shown(&Contract::shipped(&room.contract.provider)?),
    })
}

/// Keeps other settings for the workspace in use and goes on with them: messages that come from now on are checked so.
pub(super) async fn save(desk: &Desk, args: SaveSignatureArgs) -> Result<ContractSettings> {
    let room = desk.real_room().await?;
    let id = current(&room).await?.ok_or_else(|| {
        Error::refused(
            "No workspace is in use, so there is nothing these settings could belong to; nothing was changed.",
        )
    })?;
    let changes = args.signature.map(changes_of).transpose()?;
    room.store.write(move |connection| settings::set(connection, &settings::contract_of(id), &changes)).await?;
    if desk.room().await.stage.is_none() {
        desk.reopen().await?;
    }
    settings(desk, Nothing {}).await
}

/// Tries settings on the newest message that came here.
pub(super) async fn try_signature(desk: &Desk, args: SignatureArgs) -> Result<SignatureTrial> {
    let room = desk.room().await;
    let changes = changes_of(args)?;
    let none = |found: &str| SignatureTrial {
        at: None,
        seq: None,
        found: found.to_owned(),
        alike: Vec::new(),
        suggest: None,
        id_header: None,
    };
    let Some(seq) = listing::newest_live(room.store.pool()).await? else { return Ok(none("no_message")) };
    let Some(whole) = listing::arrival(room.store.pool(), seq).await? else { return Ok(none("no_message")) };
    let known = SignatureTrial {
        at: Some(whole.row.arrived.into()),
        seq: Some(seq.0),
        alike: trial::alike(&whole.headers),
        id_header: Some(id_header(&whole, &changes.event_id_header).to_owned()),
        ..none("no_body")
    };
    let Some(body) = &whole.body else { return Ok(known) };
    let (secrets, headers) = (&room.secrets, &whole.headers);
    let found = trial::trial(&changes.signature, secrets, headers, body);
    let better =
        if found == Found::Fits { None } else { trial::suggestion(&changes.signature, secrets, headers, body) };
    let suggest = better.map(|better| SignatureArgs {
        header: better.header,
        encoding: better.encoding,
        prefix: better.prefix,
        event_id_header: changes.event_id_header.clone(),
    });
    Ok(SignatureTrial { found: found.word().to_owned(), suggest, ..known })
}

/// Messages set aside are counted up to here.
const MOST_COUNTED: u32 = 10_000;

/// How many messages are set aside for their signature and can be checked again.
pub(super) async fn set_aside(desk: &Desk, _: Nothing) -> Result<SetAside> {
    let waiting = set_aside::count(desk.room().await.store.pool(), MOST_COUNTED).await?;
    Ok(SetAside { waiting, most: MOST_COUNTED })
}

/// Checks them again with the secret and the settings that hold now; what is valid takes its place.
pub(super) async fn check_again(desk: &Desk, _: Nothing) -> Result<CheckedAgain> {
    let room = desk.room().await;
    let checked = again::verify_again(&room.store, &room.secrets, &room.contract).await?;
    Ok(CheckedAgain { looked: checked.looked, valid: checked.valid })
}

fn id_header(whole: &listing::ArrivalDetail, name: &str) -> &'static str {
    let told =
        whole.headers.iter().find(|(header, _)| header.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim());
    match (told, whole.row.event.as_ref().map(EventId::as_str)) {
        (None, _) => "missing",
        (Some(told), Some(event)) if told == event => "same",
        (Some(_), _) => "differs",
    }
}

fn changes_of(args: SignatureArgs) -> Result<Changes> {
    let header = args.header.trim().to_owned();
    let event_id_header = args.event_id_header.trim().to_owned();
    for name in [&header, &event_id_header] {
        if name.parse::<axum::http::HeaderName>().is_err() {
            return Err(Error::usage(
                "A header's name has letters, digits and hyphens, and no spaces; nothing was changed.",
            ));
        }
    }
    let signature = Signature { header, encoding: args.encoding, prefix: args.prefix.trim().to_owned() };
    Ok(Changes { signature, event_id_header })
}

async fn current(room: &Room) -> Result<Option<i64>> {
    Ok(settings::get::<Option<i64>>(room.store.pool(), settings::WORKSPACE).await?.flatten())
}

/// So many of the oldest arrivals are looked at to say what can be freed.
const MOST_LOOKED_AT: u32 = 100_000;

/// Where the log lies and how large it is.
pub(super) async fn storage(desk: &Desk, _: Nothing) -> Result<Storage> {
    let room = desk.room().await;
    let pool = room.store.pool();
    let dir = room.store.dir().to_owned();
    let (log_bytes, other_bytes) = tokio::task::spawn_blocking(move || sizes(&dir)).await.unwrap_or_default();
    let bodies_days = settings::get::<Option<u32>>(pool, settings::BODIES_DAYS).await?.flatten();
    let days = bodies_days.unwrap_or(u32::try_from(prune::BODIES_DAYS_DEFAULT).unwrap_or(30));
    let before = room.clock.now().plus_seconds(-i64::from(days) * 24 * 3_600);
    let freeable = prune::freeable(pool, before, MOST_LOOKED_AT).await?;
    Ok(Storage {
        freeable_bytes: freeable.bytes,
        freeable_more: freeable.more,
        freeable_days: days,
        dir: room.store.dir().display().to_string(),
        log_bytes,
        empty_bytes: prune::room(pool).await?.empty,
        other_bytes,
        arrivals: crate::store::round_trip::newest(pool).await?.0 - set_aside::given_up(pool).await?,
        bodies_days,
        log_mb: settings::get::<Option<u32>>(pool, settings::LOG_MB).await?.flatten(),
    })
}

/// Sizes of the log's own files and of all others in its folder, bytes. What cannot be read counts as nothing.
fn sizes(dir: &Path) -> (u64, u64) {
    let (mut log, mut other) = (0, 0);
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            if meta.is_dir() {
                folders.push(entry.path());
            } else if folder == dir && entry.file_name().to_string_lossy().starts_with(crate::store::FILE) {
                log += meta.len();
            } else {
                other += meta.len();
            }
        }
    }
    (log, other)
}

/// Keeps when bodies age out, and lets those age out that are due.
pub(super) async fn save_retention(desk: &Desk, args: RetentionArgs) -> Result<Storage> {
    if args.bodies_days.is_some_and(|days| days < LEAST.0) || args.log_mb.is_some_and(|mb| mb < LEAST.1) {
        return Err(Error::usage("Bodies stay a day at least, and a log may grow to 10 MB; nothing was changed."));
    }
    let room = desk.room().await;
    room.store
        .write(move |connection| {
            settings::set(connection, settings::BODIES_DAYS, &args.bodies_days)?;
            settings::set(connection, settings::LOG_MB, &args.log_mb)
        })
        .await?;
    prune::age_out(&room.store, room.clock.now()).await?;
    storage(desk, Nothing {}).await
}

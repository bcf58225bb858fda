//! What the top bar shows.

use super::wire::{Nothing, Practice, ReceiverStatus, Status, WorkspaceRow};
use crate::{
    desk::Desk,
    error::Result,
    inbound::rejudge::{self, Anew},
    store::{job_facts, listing, workspaces},
};

pub(super) async fn status(desk: &Desk, _: Nothing) -> Result<Status> {
    // Taken first: whatever changes while the rest is read has a greater number.
    let notice = *desk.notices().borrow();
    let room = desk.room().await;
    let running = desk.running_room().await;
    let pool = room.store.pool();
    let ears = running.ears();
    let practice = room.stage.as_ref().map(|stage| {
        let told = stage.told();
        Practice { playing: stage.is_playing(), lines: stage.lines(), told }
    });
    let workspace = match &room.connection {
        Some(connection) => workspaces::one(pool, connection.workspace.0).await?,
        None => None,
    };
    let judged_anew = rejudge::under_way(&running.store).await?.map(Anew::percent);
    Ok(Status {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        data_dir: room.store.dir().display().to_string(),
        now: room.clock.now().into(),
        zone: zone(),
        notice,
        practice,
        case: room.case.as_ref().map(|case| super::importing::case_row(case, true)),
        receiver: ReceiverStatus {
            listening: ears.url.is_some(),
            url: ears.url,
            problem: ears.problem,
            elsewhere: ears.elsewhere,
            last_arrival: listing::last_live_arrival(running.store.pool()).await?.map(Into::into),
            verifies: ears.verifies,
        },
        workspace: workspace.map(|used| WorkspaceRow {
            id: used.id,
            name: used.name,
            base_url: used.base_url.unwrap_or_default(),
            provider: used.provider,
            current: true,
            has_api_key: true,
            has_webhook_secret: room.ears().verifies,
        }),
        needs_person: job_facts::count_needing_person(pool).await?,
        problems: room.problems.iter().cloned().chain(running.store.trouble().map(str::to_owned)).collect(),
        held: desk.held().await?,
        judged_anew,
    })
}

/// A person says to go on with a log that was restored, copied or moved.
pub(super) async fn go_on(desk: &Desk, _: Nothing) -> Result<Status> {
    desk.go_on().await?;
    status(desk, Nothing {}).await
}

/// IANA name of the computer's zone: what `TZ` says if it names one, else what the system is set to, else UTC.
fn zone() -> String {
    let known = |name: &String| name.parse::<chrono_tz::Tz>().is_ok();
    std::env::var("TZ").ok().filter(known).or_else(|| iana_time_zone::get_timezone().ok().filter(known)).unwrap_or_else(
        || {
            // A computer without a zone shows UTC, and says so beside every time.
            "UTC".to_owned()
        },
    )
}

//! Commands that bring the log out and look after it.

use std::path::Path;

use reprise_core::{
    desk::{Desk, Options},
    doctor::{self, repair},
    error::Result,
    export, settings,
    store::prune::{self, BODIES_DAYS_DEFAULT},
};
use serde::Serialize;

use crate::{Answer, output::Output};

/// The whole log as log lines, on standard output.
pub(crate) async fn export(desk: &Desk, output: &mut Output) -> Result<Answer> {
    export::each_line(&desk.store().await, &desk.net().own(), |line| output.line(line)).await?;
    Ok(Answer::Yes)
}

#[derive(Serialize)]
struct Pruned {
    bodies: u64,
    days: i64,
    /// What would be freed, bytes; only of a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
}

/// Lets bodies age out.
pub(crate) async fn prune(desk: &Desk, days: Option<u32>, dry_run: bool, output: &mut Output) -> Result<Answer> {
    let store = desk.store().await;
    let days = match days {
        Some(days) => i64::from(days),
        None => settings::get::<Option<i64>>(store.pool(), settings::BODIES_DAYS)
            .await?
            .flatten()
            .unwrap_or(BODIES_DAYS_DEFAULT),
    };
    let before = desk.clock().now().plus_seconds(-days.saturating_mul(24 * 3_600));
    if dry_run {
        let would = prune::freeable(store.pool(), before, u32::MAX).await?;
        output.row(&Pruned { bodies: would.bodies, days, bytes: Some(would.bytes) }, |row| {
            format!(
                "{} bodies older than {} days would go, {} bytes; nothing was removed.",
                row.bodies, row.days, would.bytes
            )
        })?;
        return Ok(Answer::Yes);
    }
    let bodies = prune::prune(&store, before).await?.bodies;
    output.row(&Pruned { bodies, days, bytes: None }, |row| {
        format!("{} bodies older than {} days are gone; everything else stays.", row.bodies, row.days)
    })?;
    Ok(Answer::Yes)
}

#[derive(Serialize)]
struct BackedUp {
    file: String,
    bytes: u64,
}

/// Copies the log while it is in use.
pub(crate) async fn backup(desk: &Desk, file: &Path, output: &mut Output) -> Result<Answer> {
    let row = BackedUp { bytes: desk.back_up(file.to_owned()).await?, file: file.display().to_string() };
    output.row(&row, |row| {
        format!("The log is in {}, {} bytes. API key and webhook secret are not.", row.file, row.bytes)
    })?;
    Ok(Answer::Yes)
}

#[derive(Serialize)]
struct WentOn {
    waiting: i64,
}

/// Goes on with a log that was restored, copied or moved.
pub(crate) async fn go_on(desk: &Desk, output: &mut Output) -> Result<Answer> {
    let row = WentOn { waiting: desk.go_on().await? };
    output.row(&row, |row| match row.waiting {
        0 => "This log is the one to go on with. No post was open.".to_owned(),
        1 => "This log is the one to go on with. 1 open post waits for you; `reprise jobs` lists it.".to_owned(),
        n => format!("This log is the one to go on with. {n} open posts wait for you; `reprise jobs` lists them."),
    })?;
    Ok(Answer::Yes)
}

#[derive(Serialize)]
struct RepairedTo {
    file: String,
    damaged: Option<String>,
    says: String,
}

/// Saves what can be read of a damaged log.
pub(crate) async fn repair(options: Options, put: bool, output: &mut Output) -> Result<Answer> {
    let repaired = repair::repair(options.data, &options.clock, put).await?;
    for table in &repaired.saved.tables {
        output.row(table, |table| {
            let more = if table.maybe_more { ", and more that nothing counts" } else { "" };
            match (table.lost, table.maybe_more) {
                (0, false) => format!("{}: {} rows, all of them", table.table, table.saved),
                (lost, _) => format!("{}: {} rows saved, up to {lost} lost{more}", table.table, table.saved),
            }
        })?;
    }
    let row = RepairedTo {
        file: repaired.file().display().to_string(),
        damaged: repaired.aside.as_ref().map(|aside| aside.display().to_string()),
        says: repaired.says(),
    };
    output.row(&row, |row| row.says.clone())?;
    Ok(Answer::Yes)
}

/// Looks the program over; the answer is no if anything is not well.
pub(crate) async fn doctor(options: Options, output: &mut Output) -> Result<Answer> {
    let findings = doctor::examine(options).await;
    for finding in &findings {
        output.row(finding, |finding| {
            format!("{} {}: {}", if finding.ok { "well" } else { "ILL " }, finding.check, finding.says)
        })?;
    }
    Ok(if findings.iter().all(|finding| finding.ok) { Answer::Yes } else { Answer::No })
}

//! Commands that bring the log out and look after it.

use std::path::Path;

use reprise_core::{
    desk::{Desk, Options},
    doctor,
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
}

/// Lets bodies age out.
pub(crate) async fn prune(desk: &Desk, days: Option<u32>, output: &mut Output) -> Result<Answer> {
    let store = desk.store().await;
    let days = match days {
        Some(days) => i64::from(days),
        None => settings::get::<Option<i64>>(store.pool(), settings::BODIES_DAYS)
            .await?
            .flatten()
            .unwrap_or(BODIES_DAYS_DEFAULT),
    };
    let before = desk.clock().now().plus_seconds(-days.saturating_mul(24 * 3_600));
    let bodies = prune::prune(&store, before).await?.bodies;
    output.row(&Pruned { bodies, days }, |row| {
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

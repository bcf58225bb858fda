//! Looks the whole program over: folder, log, settings, port, keychain, Pozy. Each finding says what is so, and if it
//! is not well, what it means and what to do. Nothing is changed.

use std::net::SocketAddr;

use serde::Serialize;
use sqlx::Row;
use tokio::net::TcpListener;

use crate::{
    desk::{Desk, Options, RECEIVER, Room, Runs},
    error::Result,
    pozy::client::Sent,
    settings,
    store::{Store, migrate, workspaces},
};

/// What one look found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at.
    pub check: &'static str,
    /// True if all is well.
    pub ok: bool,
    /// What is so, and if need be what to do.
    pub says: String,
}

fn well(check: &'static str, says: impl Into<String>) -> Finding {
    Finding { check, ok: true, says: says.into() }
}

fn ill(check: &'static str, says: impl Into<String>) -> Finding {
    Finding { check, ok: false, says: says.into() }
}

/// Looks everything over. A log that cannot be opened is a finding, not an error.
pub async fn examine(options: Options) -> Vec<Finding> {
    let folder = options.data.display().to_string();
    let desk = match Desk::open(Options { runs: Runs::Nothing, ..options }).await {
        Ok(desk) => desk,
        Err(problem) => return vec![ill("log", format!("{problem}"))],
    };
    let room = desk.room().await;
    let mut findings = vec![well("folder", format!("The log lies in {folder}."))];
    findings.push(log(&room.store).await.unwrap_or_else(|problem| ill("log", problem.to_string())));
    findings.push(port(&room).await.unwrap_or_else(|problem| ill("receiver", problem.to_string())));
    findings.push(match room.keeper().await {
        Ok(keeper) => well("secrets", keeper.says()),
        Err(problem) => ill("secrets", problem.to_string()),
    });
    findings.push(workspace(&room).await.unwrap_or_else(|problem| ill("workspace", problem.to_string())));
    findings.extend(room.problems.iter().map(|problem| ill("workspace", problem)));
    desk.close().await;
    findings
}

/// Reads every page of the log once.
async fn log(store: &Store) -> Result<Finding> {
    let rows = sqlx::query("PRAGMA quick_check(5)").fetch_all(store.pool()).await?;
    let words: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    Ok(if words == ["ok"] {
        well("log", format!("Every page of the log can be read; its layout is version {}.", migrate::newest()))
    } else {
        ill(
            "log",
            format!(
                "The log is damaged: {}. Stop the program, copy the data folder away, and export what can be read.",
                words.join("; ")
            ),
        )
    })
}

/// Whether the receiver could listen where it is set to.
async fn port(room: &Room) -> Result<Finding> {
    let address: SocketAddr = settings::get(room.store.pool(), settings::RECEIVER).await?.unwrap_or(RECEIVER);
    Ok(match TcpListener::bind(address).await {
        Ok(_) => well("receiver", format!("{address} is free to listen on.")),
        Err(_) => ill(
            "receiver",
            format!(
                "{address} is taken: by another Reprise, which is well, or by another program, and then nothing can \
                 arrive. Choose another address with `reprise listen --on`."
            ),
        ),
    })
}

/// Whether Pozy answers to the saved key.
async fn workspace(room: &Room) -> Result<Finding> {
    let Some(connection) = &room.connection else {
        let saved = workspaces::saved(room.store.pool()).await?;
        return Ok(well(
            "workspace",
            if saved.is_empty() { "No workspace is set up." } else { "No workspace is in use." },
        ));
    };
    Ok(match connection.client.accounts(1).await? {
        Sent::Answered(answer) if answer.status < 300 => well("workspace", "Pozy answers and takes the API key."),
        Sent::Answered(answer) => ill(
            "workspace",
            format!(
                "Pozy answers with status {} and does not take the API key. Enter it again in Settings.",
                answer.status
            ),
        ),
        Sent::Timeout | Sent::Reset | Sent::NotSent => ill(
            "workspace",
            format!("{} cannot be reached; what waits is sent once it can.", connection.client.base_url()),
        ),
    })
}

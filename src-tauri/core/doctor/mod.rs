//! Looks the whole program over: folder, disk, log, clock, port, keychain, Pozy. Each finding says what is so, and if it
//! is not well, what happened, what it means for the posts and what to do. Nothing is changed.

mod file;
pub mod repair;

use std::net::SocketAddr;

use serde::Serialize;
use tokio::net::TcpListener;

use crate::{
    desk::{Desk, Options, RECEIVER, Room, Runs, owner::Owner},
    error::{Error, Result},
    pozy::client::Sent,
    settings,
    store::{job_facts, workspaces},
};

/// What one look found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at.
    pub check: &'static str,
    /// True if all is well.
    pub ok: bool,
    /// A word for what is wrong, if anything is.
    pub fault: Option<&'static str>,
    /// What is so, and if need be what it means and what to do.
    pub says: String,
}

fn well(check: &'static str, says: impl Into<String>) -> Finding {
    Finding { check, ok: true, fault: None, says: says.into() }
}

fn ill(check: &'static str, fault: &'static str, says: impl Into<String>) -> Finding {
    Finding { check, ok: false, fault: Some(fault), says: says.into() }
}

/// A look that could not be taken is a finding, too.
fn told(check: &'static str, looked: Result<Finding>) -> Finding {
    looked.unwrap_or_else(|problem| ill(check, "not_looked_at", problem.to_string()))
}

/// Looks everything over. A log that cannot be opened is a finding, not an error, and is not opened then.
pub async fn examine(options: Options) -> Vec<Finding> {
    let folder = options.data.clone();
    let looked = tokio::task::spawn_blocking(move || file::look_over(&folder)).await;
    let mut seen = looked.unwrap_or_else(|_| file::Seen {
        findings: vec![ill("log", "not_looked_at", "A mistake of ours kept the log from being looked at.")],
        sound: false,
    });
    if !seen.sound {
        return seen.findings;
    }
    match Desk::open(Options { runs: Runs::Nothing, ..options }).await {
        Ok(desk) => {
            let room = desk.room().await;
            seen.findings.push(told("clock", clock(&room).await));
            seen.findings.push(told("receiver", port(&room).await));
            if !room.store.only_reads() {
                seen.findings.push(told("secrets", secrets(&room).await));
                seen.findings.push(told("workspace", workspace(&room).await));
                let others = room.problems.iter().filter(|problem| !seen.findings.iter().any(|f| f.says == **problem));
                let others: Vec<Finding> = others.map(|problem| ill("workspace", "not_ready", problem)).collect();
                seen.findings.extend(others);
            }
            desk.close().await;
        }
        Err(problem) => seen.findings.push(ill("log", "cannot_be_opened", problem.to_string())),
    }
    seen.findings
}

/// Whether the clock stands before what the log has already seen (design 4.4).
async fn clock(room: &Room) -> Result<Finding> {
    let (now, newest) = (room.clock.now(), job_facts::newest(room.store.pool()).await?);
    Ok(if now < newest {
        ill(
            "clock",
            "clock_back",
            format!(
                "This computer's clock says {now}, and the newest row of the log is of {newest}: the clock was set back, \
                 or was ahead before. Until it passes that moment nothing is sent by itself, since keys would look \
                 younger than they are. Set the clock right; nothing else is needed."
            ),
        )
    } else {
        well("clock", "This computer's clock stands after everything in the log.")
    })
}

/// Whether the receiver could listen where it is set to.
async fn port(room: &Room) -> Result<Finding> {
    let address: SocketAddr = settings::get(room.store.pool(), settings::RECEIVER).await?.unwrap_or(RECEIVER);
    let dir = room.store.dir();
    if Owner::is_taken(dir)? {
        return Ok(well("receiver", format!("{} receives and sends for this log.", Owner::name(dir))));
    }
    Ok(match TcpListener::bind(address).await {
        Ok(_) => well("receiver", format!("{address} is free to listen on.")),
        Err(_) => ill(
            "receiver",
            "port_taken",
            format!(
                "{address} is taken by another program, so no message can arrive here while it is; posts are still sent. \
                 End that program, or choose another port in Settings or with `reprise listen --on`."
            ),
        ),
    })
}

/// Whether kept secrets can be had.
async fn secrets(room: &Room) -> Result<Finding> {
    Ok(if room.keychain_is_shut().await? {
        ill("secrets", "keychain_locked", KEYCHAIN_SHUT)
    } else {
        well("secrets", room.keeper().await?.says())
    })
}

/// What a person is told when their secrets lie in a keychain that does not open.
pub(crate) const KEYCHAIN_SHUT: &str = "The keychain that holds the API key and the webhook secret is locked or does \
                                        not answer. Until it does nothing is sent, and signatures of messages are not \
                                        checked; what waits goes on waiting. Unlock it, then start the program again.";

/// Whether Pozy answers to the saved key. That nobody can be reached is no fault of the log or the program.
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
        Sent::Answered(answer) if matches!(answer.status, 401 | 403) => ill(
            "workspace",
            "key_refused",
            format!(
                "Pozy answers with status {} and does not take the API key, so nothing can be sent. Enter it again in \
                 Settings.",
                answer.status
            ),
        ),
        Sent::Answered(answer) => well(
            "workspace",
            format!("Pozy answers with status {}; what waits is sent once it takes requests again.", answer.status),
        ),
        Sent::Timeout | Sent::Reset | Sent::NotSent => well(
            "workspace",
            format!(
                "{} cannot be reached at this moment. That is no fault of this log: what waits is sent once it can be.",
                connection.client.base_url()
            ),
        ),
    })
}

impl From<Error> for Finding {
    fn from(problem: Error) -> Self {
        ill("log", "not_looked_at", problem.to_string())
    }
}

//! Many posts from one file: a dry run first, then row by row.

use serde_json::Value;

use super::wire::{ManyPreview, ManyPreviewArgs, ManyRow, ManySubmitArgs, ManySubmitted};
use crate::{
    desk::Desk,
    error::{Error, Result},
    outbound::{
        forecast::{Forecast, Risk, words},
        many::{
            plan::{self, Planned},
            reading::{self, Kind},
            send::{self, Sent},
        },
    },
};

/// First characters of a post that are shown.
const SHOWN: usize = 160;
/// What may be taken for many rows at once. What could make a second live post is sent by itself, with its reason.
const MOST: Risk = Risk::Confirm;

/// Reads a file and foretells each of its rows.
pub(super) async fn preview(desk: &Desk, args: ManyPreviewArgs) -> Result<ManyPreview> {
    let room = desk.room().await;
    let connection = room.connected()?;
    let kind = match reading::kind_of(&args.name, args.text.as_bytes()) {
        // A body on one line is a file of one post.
        Kind::One if args.text.trim_start().starts_with('{') => Kind::Lines,
        Kind::One => {
            return Err(Error::usage(
                "This is no table of posts and no JSON Lines. A table begins with a row that names its columns, such as \
                 text, accounts, scheduledFor, timezone. Nothing was sent.",
            ));
        }
        kind => kind,
    };
    let sheet = reading::read(kind, args.text.as_bytes(), connection.contract.key_max)?;
    let rows = plan::plan(&room.store, &room.clock, connection, &sheet, &args.confirmed, MOST).await?;
    let shown = rows.iter().map(planned).collect();
    let id = room.files.keep(&room.clock, rows);
    Ok(ManyPreview { id, rows: shown, unknown_columns: sheet.unknown_columns })
}

/// Sends the lines that are named, one after the other, up to the first that Pozy answers with a wait for everybody.
pub(super) async fn submit(desk: &Desk, args: ManySubmitArgs) -> Result<ManySubmitted> {
    let room = desk.room().await;
    let (connection, file) = (room.connected()?, room.files.get(&args.id)?);
    let mut submitted = ManySubmitted { rows: Vec::new(), wait_until: None };
    for row in file.iter().filter(|row| args.lines.contains(&line(row.line))) {
        let done = send::send(&room.store, &room.clock, connection, row, &args.confirmed, MOST).await?;
        submitted.wait_until = done.wait_until.map(Into::into);
        submitted.rows.push(sent(row, done));
        if submitted.wait_until.is_some() {
            break;
        }
    }
    Ok(submitted)
}

fn planned(row: &Planned) -> ManyRow {
    let body: Value = row.post.as_ref().and_then(|post| serde_json::from_slice(&post.body).ok()).unwrap_or_default();
    let text = row.post.as_ref().map(|_| body["content"].as_str().unwrap_or_default().chars().take(SHOWN).collect());
    let shown = ManyRow {
        line: line(row.line),
        job: row.job.as_ref().map(ToString::to_string),
        text,
        accounts: words::places(&body).into_iter().map(|place| place.account.to_string()).collect(),
        scheduled_for: body["scheduledFor"].as_str().map(str::to_owned),
        timezone: body["timezone"].as_str().map(str::to_owned),
        state: row.state,
        effect: None,
        risk: None,
        because: Vec::new(),
        suggest: None,
        why: row.why.clone(),
    };
    foretold(shown, row.forecast.clone())
}

fn sent(row: &Planned, sent: Sent) -> ManyRow {
    let shown = ManyRow {
        job: sent.job.map(|job| job.to_string()),
        state: sent.state,
        why: sent.why,
        ..planned(&Planned { forecast: None, ..row.clone() })
    };
    foretold(shown, sent.forecast)
}

fn foretold(row: ManyRow, told: Option<Forecast>) -> ManyRow {
    match told {
        Some(told) => ManyRow {
            effect: Some(told.effect),
            risk: Some(told.risk),
            because: told.because,
            suggest: told.suggest,
            ..row
        },
        None => row,
    }
}

/// A file has far fewer lines than a `u32` counts.
fn line(line: u64) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

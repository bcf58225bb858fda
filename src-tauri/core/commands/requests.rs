//! One try whole, and any request as a command for a shell.

use super::{
    events::whole_arrival,
    posts::attempt_row,
    wire::{AttemptArgs, AttemptDetail, AttemptRow, Curl, CurlArgs},
};
use crate::{
    desk::{Desk, Room},
    error::{Error, Result},
    ids::{JobMark, PostId},
    outbound::{outcome::State, view::JobView},
    pozy::{
        client,
        curl::{self, Address, Seen},
        secrecy::{self, Mask},
    },
    store::{
        arrivals,
        attempts::{self, AttemptRecord},
        contents, job_facts,
    },
};

/// Variable that stands for the base address of a Pozy that only imported lines name.
const BASE: &str = "POZY_URL";
/// Variable that stands for the API key.
const API_KEY: &str = "POZY_API_KEY";
/// Variable that stands for the secret part of a signature.
const SIGNATURE: &str = "WEBHOOK_SIGNATURE";

/// One try of a job.
pub(super) async fn attempt(desk: &Desk, args: AttemptArgs) -> Result<AttemptDetail> {
    let room = desk.room().await;
    let view = view(&room, &args.job).await?;
    let record = record(&room, &view, args.n).await?;
    let held = view.judged.state == State::Sending;
    let told = view.facts.attempts.iter().find(|attempt| attempt.id == record.id);
    let row = told.map(|attempt| attempt_row(attempt, &record, held)).ok_or_else(no_try)?;
    let (body, body_missing) = match record.body.clone().map(String::from_utf8) {
        Some(Ok(text)) => (Some(text), None),
        Some(Err(_)) => (None, Some("The body is no text.")),
        None => (None, Some("The body is not in the log.")),
    };
    let answered = record.end.as_ref().map(|end| end.headers.clone()).unwrap_or_default();
    Ok(secrecy::twice(Mask::default(), |mask| {
        let mut headers = answered.clone();
        secrecy::mask_headers(&mut headers, mask);
        AttemptDetail {
            row: AttemptRow {
                answer: row.answer.clone().map(|answer| secrecy::masked_text(answer, mask)),
                ..row.clone()
            },
            method: record.method.clone(),
            path: secrecy::mask_url(&record.path, mask),
            workspace: record.workspace.clone(),
            key: record.key.clone(),
            request_id: record.request_id.clone(),
            body: body.clone().map(|text| secrecy::masked_text(text, mask)),
            body_missing: body_missing.map(str::to_owned),
            headers,
        }
    }))
}

/// An arrival, a try or the question about a post as a command; secrets never leave the core.
pub(super) async fn curl(desk: &Desk, args: CurlArgs) -> Result<Curl> {
    let room = desk.room().await;
    match (args.seq, args.job, args.post) {
        (Some(seq), None, None) => of_arrival(&room, seq).await,
        (None, Some(job), None) => of_job(&room, &job, args.n).await,
        (None, None, Some(post)) => of_post(&room, &post),
        _ => Err(Error::usage("Name an arrival, a job or a post.")),
    }
}

async fn of_arrival(room: &Room, seq: i64) -> Result<Curl> {
    let whole = whole_arrival(room, seq).await?;
    let endpoint = arrivals::endpoint(room.store.pool(), whole.row.seq).await?;
    let base = match &room.ears().url {
        Some(url) => url.rsplit_once('/').map_or(url.as_str(), |(base, _)| base).to_owned(),
        None => format!("http://{}/hooks", crate::desk::RECEIVER),
    };
    let url = format!("{base}/{endpoint}");
    let body = whole.body.map(String::from_utf8).and_then(std::result::Result::ok).filter(|text| !text.contains('\0'));
    let seen = Seen { method: "POST", address: Address::Url(&url), headers: &whole.headers, body: body.as_deref() };
    let signature = room.contract.signature.header.to_ascii_lowercase();
    let made = curl::command(&seen, &[(signature.as_str(), SIGNATURE)]);
    let mut says = vec!["Sends the same bytes to the receiver on this computer, where they count as one more arrival."];
    if body.is_none() {
        says.push("Its body is not in the log as text and was left out.");
    }
    Ok(told(made, says, false))
}

async fn of_job(room: &Room, job: &str, n: Option<u32>) -> Result<Curl> {
    let view = view(room, job).await?;
    let attempts = attempts::of_job(room.store.pool(), view.facts.id).await?;
    let record = match n {
        Some(n) => Some(attempts.into_iter().find(|one| one.n == n).ok_or_else(no_try)?),
        None => None,
    };
    let (facts, again) = (&view.facts, view.ask_again.is_ok());
    let (method, path, key, request_id, masked) = match &record {
        Some(record) => (&record.method, &record.path, &record.key, &record.request_id, record.masked),
        None => {
            (&facts.method, &facts.path, &facts.key, &facts.request_id, facts.attempts.iter().any(|one| one.masked))
        }
    };
    let body = match (&record, &facts.body) {
        (Some(record), _) => record.body.clone(),
        (None, Some(hash)) => Some(contents::get(room.store.pool(), hash).await?),
        (None, None) => None,
    };
    let body = body.map(String::from_utf8).and_then(std::result::Result::ok).filter(|text| !text.contains('\0'));
    let mut headers = vec![
        // The value is no secret: it is covered like one, so that a variable stands in its place.
        ("Authorization".to_owned(), "Bearer key".to_owned()),
        ("Content-Type".to_owned(), "application/json".to_owned()),
    ];
    headers.extend(key.iter().map(|key| (room.contract.key_header.clone(), key.clone())));
    headers.extend(request_id.iter().map(|id| ("x-request-id".to_owned(), id.clone())));
    let base = crate::store::workspaces::one(room.store.pool(), facts.workspace.0).await?.and_then(|one| one.base_url);
    let url = base.as_ref().map(|base| format!("{}{path}", base.trim_end_matches('/')));
    let address = url.as_deref().map_or(Address::Under(BASE, path), Address::Url);
    let seen = Seen { method, address, headers: &headers, body: body.as_deref() };
    let made = curl::command(&seen, &[("authorization", API_KEY)]);

    // With another key, or past the life of this one, the same bytes are a new order (R7, R12).
    let same_key = key.is_some() && *key == facts.key;
    let risky = !(again && same_key);
    let mut says = vec![if risky {
        "Running it may make a second live post: its key no longer finds the first one for sure."
    } else {
        "Running it asks again with the same key: one post either way, as long as the key lives."
    }];
    if masked {
        says.push("Its body was masked when it was imported, so Pozy would get other words than then.");
    }
    if body.is_none() {
        says.push("Its body is not in the log as text and was left out.");
    }
    Ok(told(made, says, risky))
}

/// What Pozy has of a post, asked through the connection in use.
fn of_post(room: &Room, post: &str) -> Result<Curl> {
    let path = client::post_path(&PostId::new(post))?;
    let url = room.connection.as_ref().map(|connection| format!("{}{path}", connection.client.base_url()));
    let address = url.as_deref().map_or(Address::Under(BASE, &path), Address::Url);
    let headers = [("Authorization".to_owned(), "Bearer key".to_owned())];
    let seen = Seen { method: "GET", address, headers: &headers, body: None };
    let made = curl::command(&seen, &[("authorization", API_KEY)]);
    Ok(told(made, vec!["Asks Pozy what it has of this post. It reads and changes nothing."], false))
}

fn told(made: curl::Command, mut says: Vec<&'static str>, risky: bool) -> Curl {
    if !made.variables.is_empty() {
        says.push("Secrets are left out: set the variables before you run it.");
    }
    Curl { command: made.text, variables: made.variables, says: says.join(" "), risky }
}

async fn view(room: &Room, job: &str) -> Result<JobView> {
    let facts = job_facts::by_mark(room.store.pool(), &JobMark::new(job)).await?;
    JobView::of(&room.store, &room.clock, &room.contract, facts).await
}

async fn record(room: &Room, view: &JobView, n: u32) -> Result<AttemptRecord> {
    let all = attempts::of_job(room.store.pool(), view.facts.id).await?;
    all.into_iter().find(|one| one.n == n).ok_or_else(no_try)
}

fn no_try() -> Error {
    Error::not_found("That try is not in this log.")
}

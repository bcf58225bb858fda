//! Posts: what was asked for, what came of it, and asking again.

use std::sync::Arc;

use serde_json::Value;

use super::{
    rows::{job_row, job_rows},
    wire::{
        AccountRow, Accounts, AttemptRow, JobArgs, JobDetail, JobRow, NoteRow, Nothing, PostsPage, PostsPageArgs,
        SubmitArgs,
    },
};
use crate::{
    desk::{Desk, Room},
    error::{Error, Result},
    ids::{JobId, JobMark},
    outbound::{
        body::{self, When},
        job::Attempt,
        outcome::State,
        resend,
        submit::{Draft, POSTS},
        view::JobView,
    },
    pozy::{accounts, secrecy},
    store::{
        attempts::{self, AttemptRecord},
        contents,
        job_facts::{self, Place},
        jobs, notes,
    },
};

/// Rows on a page if nobody says.
const PAGE: u32 = 60;
/// Most rows on a page.
const MOST: u32 = 200;
/// Most pages of accounts that are asked for.
const ACCOUNT_PAGES: u32 = 10;

pub(super) async fn page(desk: &Desk, args: PostsPageArgs) -> Result<PostsPage> {
    let room = desk.room().await;
    let limit = args.limit.unwrap_or(PAGE).clamp(1, MOST);
    let after = args.after.as_deref().map(place).transpose()?;
    let (mut places, mut views) = judged_page(&room, after, limit).await?;
    if judge_lapsed(&room, &places, &views).await? {
        (places, views) = judged_page(&room, after, limit).await?;
    }
    let full = places.len() == usize::try_from(limit).unwrap_or(usize::MAX);
    let next = places.last().filter(|_| full).map(|place| format!("{}.{}", place.group, place.job.0));
    Ok(PostsPage { rows: job_rows(&room, views).await?, next })
}

async fn judged_page(room: &Room, after: Option<Place>, limit: u32) -> Result<(Vec<Place>, Vec<JobView>)> {
    let found = job_facts::page(room.store.pool(), after, limit).await?;
    let (places, facts) = found.into_iter().unzip();
    Ok((places, JobView::all(&room.store, &room.clock, &room.contract, facts).await?))
}

/// Judges jobs anew whose place in the list has lapsed with time, such as one whose key ran out while it waited. True
/// if there was one.
async fn judge_lapsed(room: &Room, places: &[Place], views: &[JobView]) -> Result<bool> {
    let lapsed = places.iter().zip(views).filter(|(place, view)| jobs::group(view.judged.state) != place.group);
    let lapsed: Vec<_> = lapsed.map(|(place, view)| (place.job, view.judged.state == State::Sending)).collect();
    if lapsed.is_empty() {
        return Ok(false);
    }
    let (contract, now) = (Arc::clone(&room.contract), room.clock.now());
    room.store
        .write(move |connection| {
            lapsed.into_iter().try_for_each(|(job, held)| jobs::judge(connection, job, held, now, &contract).map(drop))
        })
        .await?;
    Ok(true)
}

fn place(text: &str) -> Result<Place> {
    let parts = text.split_once('.').and_then(|(group, job)| Some((group.parse().ok()?, job.parse().ok()?)));
    let (group, job) = parts.ok_or_else(|| Error::usage("`after` is no place of a page."))?;
    Ok(Place { group, job: JobId(job) })
}

pub(super) async fn job(desk: &Desk, args: JobArgs) -> Result<JobDetail> {
    let room = desk.room().await;
    let pool = room.store.pool();
    let view = view_of(desk, &args.job).await?;
    let body = match &view.facts.body {
        Some(hash) => Some(contents::get(pool, hash).await?),
        None => None,
    };
    let held = view.judged.state == State::Sending;
    let records = attempts::of_job(pool, view.facts.id).await?;
    let attempts = view.facts.attempts.iter().zip(&records).map(|(attempt, record)| attempt_row(attempt, record, held));
    let notes = notes::of_job(pool, &view.facts.mark).await?;
    let links = jobs::again_links(pool, view.facts.id).await?;
    let mut mask = secrecy::Mask::default();
    Ok(JobDetail {
        text: body.as_deref().and_then(words_of),
        again_of: links.of.map(|mark| mark.to_string()),
        again_reason: links.reason.map(|text| secrecy::masked_text(text, &mut mask)),
        posted_again: links.by.map(|mark| mark.to_string()),
        attempts: attempts.collect(),
        facts: super::facts::of(&room, &view, &records, body.as_deref()).await?,
        body: body.and_then(shown),
        notes: notes
            .into_iter()
            .map(|note| NoteRow {
                at: note.at.into(),
                action: note.action,
                post: note.post,
                there: note.there,
                text: secrecy::masked_text(note.text, &mut mask),
            })
            .collect(),
        row: job_row(&room, view).await?,
    })
}

/// The words a body carries.
fn words_of(body: &[u8]) -> Option<String> {
    serde_json::from_slice::<Value>(body).ok()?["content"].as_str().map(str::to_owned)
}

/// One try as a row.
pub(super) fn attempt_row(attempt: &Attempt, record: &AttemptRecord, held: bool) -> AttemptRow {
    AttemptRow {
        n: attempt.n,
        at: attempt.at.into(),
        mark: super::rows::try_mark(attempt, held).to_owned(),
        result: record.end.as_ref().map(|end| end.kind),
        ended: record.end.as_ref().map(|end| end.at.into()),
        status: record.end.as_ref().and_then(|end| end.status),
        says: super::rows::try_says(attempt, held),
        answer: record.end.as_ref().and_then(|end| end.body.clone()).and_then(shown),
    }
}

/// A body as a screen may show it: text, secrets masked.
fn shown(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    Some(secrecy::masked_text(text, &mut secrecy::Mask::default()))
}

async fn view_of(desk: &Desk, job: &str) -> Result<JobView> {
    let room = desk.room().await;
    let facts = job_facts::by_mark(room.store.pool(), &JobMark::new(job)).await?;
    JobView::of(&room.store, &room.clock, &room.contract, facts).await
}

pub(super) async fn accounts(desk: &Desk, _: Nothing) -> Result<Accounts> {
    let room = desk.room().await;
    let fetched = match room.connected() {
        Ok(connection) => {
            let mut rows = Vec::new();
            let mut page = 1;
            loop {
                match connection
                    .client
                    .accounts(page)
                    .await
                    .and_then(|sent| sent.usable("The accounts could not be fetched."))
                {
                    Ok(answer) => {
                        let (found, more) = accounts::read(&answer.body);
                        rows.extend(found);
                        if !more || page == ACCOUNT_PAGES {
                            break Ok(rows);
                        }
                        page += 1;
                    }
                    Err(problem) => break Err(problem),
                }
            }
        }
        Err(none) => Err(none),
    };
    Ok(match fetched {
        Ok(found) => {
            let rows = found.into_iter().map(|account| AccountRow {
                id: account.id.as_str().to_owned(),
                platform: account.platform,
                name: account.name,
                connected: account.connected,
            });
            Accounts { accounts: rows.collect(), problem: None }
        }
        Err(problem) => Accounts { accounts: Vec::new(), problem: Some(problem.message) },
    })
}

/// The post that a form asks for.
///
/// # Errors
/// `Usage` with what is missing.
pub(super) fn draft_of(args: SubmitArgs) -> Result<Draft> {
    if args.content.trim().is_empty() && args.media_urls.is_empty() {
        return Err(Error::usage("The post is empty. Nothing was sent; write something or add a picture."));
    }
    if args.targets.is_empty() {
        return Err(Error::usage("The post goes nowhere yet. Nothing was sent; choose at least one account."));
    }
    if args.form.is_empty() {
        return Err(Error::usage("The form has no name, so a double click could send twice. Nothing was sent."));
    }
    let body = body_of(&args).to_string().into_bytes();
    Ok(Draft { path: POSTS.to_owned(), key: None, body, form: Some(args.form) })
}

fn body_of(args: &SubmitArgs) -> Value {
    let targets: Vec<(&str, &str)> =
        args.targets.iter().map(|target| (target.platform.as_str(), target.account.as_str())).collect();
    let media: Vec<&str> = args.media_urls.iter().map(String::as_str).collect();
    let when =
        args.scheduled_for.as_deref().map_or(When::Now, |time| When::At { time, zone: args.timezone.as_deref() });
    body::of(&args.content, &targets, &media, when)
}

pub(super) async fn cancel(desk: &Desk, args: JobArgs) -> Result<JobRow> {
    let room = desk.room().await;
    let view = resend::cancel(&room.store, &room.clock, &room.contract, &JobMark::new(args.job)).await?;
    job_row(&room, view).await
}

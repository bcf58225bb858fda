//! Why twice: looks at what was pasted, asks the inquiry, and makes the case file.

use super::wire::{
    MaskedKind, SavedFile, SavedFiles, WhyAlike, WhyAlikeJob, WhyAlso, WhyAnswer, WhyArgs, WhyCase, WhyLook,
    WhyLookArgs, WhyProof,
};
use crate::{
    desk::{Desk, Room},
    error::Result,
    ids::{EventId, JobMark, PostId},
    inquiry::{
        self, Case, case_file,
        chain::{self, chain, proof_mark},
        gather::Question,
        looks, page,
    },
    store::alike,
};

/// Newest jobs that are looked at for the same cause.
const MOST_LOOKED: u32 = 5_000;
/// Jobs with the same cause that are listed.
const MOST_ALIKE: usize = 200;

pub(super) async fn look(desk: &Desk, args: WhyLookArgs) -> Result<WhyLook> {
    let room = desk.room().await;
    Ok(WhyLook { things: looks::look(&room.store, &args.text).await? })
}

pub(super) async fn why(desk: &Desk, args: WhyArgs) -> Result<WhyAnswer> {
    let room = desk.room().await;
    let case = asked(&room, args).await?;
    Ok(answer(&room, case))
}

pub(super) async fn case(desk: &Desk, args: WhyArgs) -> Result<WhyCase> {
    let room = desk.room().await;
    let case = asked(&room, args).await?;
    let lines = case_file::lines(&room.store, &desk.net().own(), &case.evidence).await?;
    Ok(WhyCase {
        rows: count(lines.lines.len()),
        masked: count(lines.masked),
        kinds: lines
            .kinds
            .into_iter()
            .map(|(kind, covered)| MaskedKind {
                kind,
                places: count(covered.places),
                placeholders: covered.placeholders().collect(),
            })
            .collect(),
    })
}

/// Which other jobs of the same sender show the same pattern.
pub(super) async fn alike(desk: &Desk, args: WhyArgs) -> Result<WhyAlike> {
    let room = desk.room().await;
    let case = asked(&room, args).await?;
    let jobs = chain::jobs(&case.evidence);
    let found = alike::alike(room.store.pool(), &room.contract, case.answer.verdict, &jobs, MOST_LOOKED).await?;
    let Some((rows, looked)) = found else {
        return Ok(WhyAlike { applies: false, jobs: Vec::new(), count: 0, looked: 0, whole: true });
    };
    let count = count(rows.len());
    let jobs = rows.into_iter().take(MOST_ALIKE).map(|row| WhyAlikeJob {
        job: row.job.to_string(),
        at: row.at.into(),
        post: row.post.map(|post| post.to_string()),
        text: row.text,
    });
    Ok(WhyAlike { applies: true, jobs: jobs.collect(), count, looked: looked.jobs, whole: looked.whole })
}

/// The page for people and the log lines, under one name.
pub(super) async fn files(desk: &Desk, args: WhyArgs) -> Result<SavedFiles> {
    let room = desk.room().await;
    let case = asked(&room, args).await?;
    let lines = case_file::lines(&room.store, &desk.net().own(), &case.evidence).await?;
    let name = case_file::name(&case.answer);
    let text = lines.lines.iter().map(|line| format!("{line}\n")).collect();
    let page = page::page(&case, &lines, room.clock.now());
    let page = SavedFile { name: format!("{name}.html"), text: page };
    Ok(SavedFiles { files: vec![page, SavedFile { name: format!("{name}.jsonl"), text }] })
}

async fn asked(room: &Room, args: WhyArgs) -> Result<Case> {
    let question = Question {
        posts: args.posts.into_iter().map(PostId::new).collect(),
        urls: args.urls,
        texts: args.texts,
        keys: args.keys,
        jobs: args.jobs.into_iter().map(JobMark::new).collect(),
        events: args.events.into_iter().map(EventId::new).collect(),
    };
    inquiry::why(&room.store, &room.contract, &question).await
}

fn answer(room: &Room, case: Case) -> WhyAnswer {
    let Case { evidence, answer } = case;
    let chain = chain(&evidence, &answer, &room.contract);
    let jobs = chain::jobs(&evidence).iter().map(ToString::to_string).collect();
    let proof = answer.proof.iter().map(|row| WhyProof {
        kind: row.kind,
        name: row.name.clone(),
        at: row.at.into(),
        text: row.text.clone(),
        needed: row.needed,
        mark: proof_mark(&evidence, row),
    });
    let also = answer.also.iter().map(|other| WhyAlso {
        verdict: other.verdict,
        headline: other.verdict.headline().to_owned(),
        confidence: other.confidence,
        says: other.says.clone(),
    });
    WhyAnswer {
        verdict: answer.verdict,
        headline: answer.headline.clone(),
        confidence: answer.confidence,
        says: answer.says.clone(),
        side: answer.side,
        side_says: answer.side.words().to_owned(),
        again: answer.again.clone(),
        prevent: answer.prevent.clone(),
        proof: proof.collect(),
        missing: answer.missing.clone(),
        also: also.collect(),
        next: std::iter::once(answer.next.clone()).chain(answer.verdict.tell().map(str::to_owned)).collect(),
        posts: answer.posts.iter().map(ToString::to_string).collect(),
        jobs,
        chain,
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

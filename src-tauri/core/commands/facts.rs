//! The facts behind the cards of a job, gathered from the log.

use super::{
    rows::stamp,
    wire::{AnswerCard, ClockSkew, Drift, FirstCall, JobFacts, KeyLife, PostNow, SettledRow, Target, TargetNow},
};
use crate::{
    clock::Moment,
    desk::Room,
    error::Result,
    ids::PostId,
    outbound::{
        answer_card::{self, AnswerKind},
        forecast::words::Words,
        job::Settled,
        key_clock,
        outcome::{State, Warning},
        view::JobView,
    },
    pozy::secrecy::{self, Mask},
    store::{
        attempts::AttemptRecord,
        listing::LaneRow,
        post_facts::{self, PostFacts, TargetFacts},
        waits,
    },
};

/// `Date` has whole seconds: clocks that differ by less are taken for equal, milliseconds.
const SKEW_NOISE_MS: i64 = 2_000;

/// Everything that the cards of a job show.
pub(super) async fn of(
    room: &Room,
    view: &JobView,
    records: &[AttemptRecord],
    body: Option<&[u8]>,
) -> Result<JobFacts> {
    let (pool, now) = (room.store.pool(), room.clock.now());
    let workspace = view.facts.tied.unwrap_or(view.facts.workspace);
    let key = key_clock::read(&view.facts, &view.judged, now, &room.contract).map(|clock| KeyLife {
        phase: clock.phase,
        since: stamp(clock.since),
        safe_until: stamp(clock.safe_until),
        sure_until: stamp(clock.sure_until),
        ends: stamp(clock.ends),
        gone_from: stamp(clock.gone_from),
        says: clock.says.to_owned(),
    });
    let skew = waits::skew(pool, workspace).await?.map(|skew| {
        let ahead_ms = skew.ahead_ns / (Moment::SECOND / 1_000);
        ClockSkew { ahead_ms, measured: skew.at.into(), matters: ahead_ms.abs() > SKEW_NOISE_MS }
    });
    let post = match &view.judged.post {
        Some(post) => Some(post_now(room, post).await?),
        None => None,
    };
    let places = body.map(|body| Words::of(body).places).unwrap_or_default();
    let failed = |target: &&TargetNow| matches!(target.status.as_deref(), Some("failed" | "cancelled"));
    let failed_targets = post.iter().flat_map(|post| &post.targets).filter(failed).map(|target| {
        let place = places.iter().find(|place| place.account.as_str() == target.account);
        Target {
            platform: place.map(|place| place.platform.clone()).unwrap_or_default(),
            account: target.account.clone(),
        }
    });
    Ok(JobFacts {
        answer: answer(room, view, records, body).await?,
        key,
        skew,
        failed_targets: failed_targets.collect(),
        post,
        connection_waits: stamp(waits::until(pool, workspace, now).await?),
    })
}

/// The latest answer read aloud.
async fn answer(
    room: &Room,
    view: &JobView,
    records: &[AttemptRecord],
    body: Option<&[u8]>,
) -> Result<Option<AnswerCard>> {
    let (Some(last), Some(record)) = (view.facts.attempts.last(), records.last()) else { return Ok(None) };
    let held = view.judged.state == State::Sending;
    let warned = |warning: &Warning| matches!(warning, Warning::EditNotApplied | Warning::KeyUsedForSomethingElse);
    let other_words = view.judged.warnings.iter().any(warned);
    let kind = answer_card::kind(last, held, other_words);
    let end = record.end.as_ref();
    let answered = end.and_then(|end| end.body.as_deref());
    let post = match last.end.as_ref().and_then(|end| end.post.as_ref()) {
        Some(post) => Some(post_now(room, post).await?),
        None => None,
    };
    let mend = match kind {
        AnswerKind::Refused | AnswerKind::KeyElsewhere => answered.map(answer_card::to_mend).unwrap_or_default(),
        _ => answer_card::ToMend::default(),
    };
    let first_call = match (kind, &last.key) {
        (AnswerKind::KeyElsewhere | AnswerKind::ReplayedOther, Some(key)) => {
            post_facts::first_call(room.store.pool(), last.workspace, key, view.facts.id).await?
        }
        _ => None,
    };
    let sent = record.body.as_deref().or(body).and_then(answer_card::sent_text);
    let theirs = match kind {
        AnswerKind::Replayed | AnswerKind::ReplayedOther | AnswerKind::Created => {
            answered.and_then(answer_card::returned_text)
        }
        AnswerKind::SameContent => post.as_ref().and_then(|post| post.text.clone()),
        _ => None,
    };
    Ok(Some(AnswerCard {
        kind,
        n: last.n,
        at: last.end.as_ref().map_or(last.at, |end| end.at).into(),
        status: end.and_then(|end| end.status),
        post,
        until: stamp(last.end.as_ref().and_then(|end| end.retry_at)),
        sent_text: sent,
        their_text: theirs,
        mend: mend.says.map(|text| secrecy::masked_text(text, &mut Mask::default())),
        mend_field: mend.field.map(|text| secrecy::masked_text(text, &mut Mask::default())),
        mend_code: mend.code.map(|text| secrecy::masked_text(text, &mut Mask::default())),
        first_call: first_call.map(|call| FirstCall {
            job: call.job.to_string(),
            n: call.n,
            at: call.at.into(),
            method: call.method,
            path: secrecy::mask_url(&call.path, &mut Mask::default()),
        }),
        leads_to: (kind == AnswerKind::Redirected)
            .then(|| end.and_then(|end| answer_card::leads_to(&end.headers)))
            .flatten(),
    }))
}

/// What is known of a post now.
pub(super) async fn post_now(room: &Room, post: &PostId) -> Result<PostNow> {
    Ok(post_row(post_facts::of(room.store.pool(), post).await?))
}

fn post_row(facts: PostFacts) -> PostNow {
    let lane = facts.lane.as_ref();
    // Before any message or fetch the answer that made it tells how it stands, if all its targets stand alike.
    let told = facts.targets.first().and_then(|first| first.told.clone());
    let told = told.filter(|(status, _)| {
        lane.is_none() && facts.targets.iter().all(|target| target.told.as_ref().is_some_and(|told| told.0 == *status))
    });
    PostNow {
        post: facts.post.to_string(),
        status: lane.map_or_else(|| told.as_ref().map(|told| told.0.clone()), |lane| lane.status.clone()),
        as_of: stamp(lane.map_or_else(|| told.as_ref().map(|told| told.1), |lane| Some(lane.as_of))),
        confirmed: stamp(lane.and_then(|lane| lane.confirmed)),
        drift: lane.and_then(drift),
        wants_fetch: lane.is_some_and(|lane| lane.wants_fetch)
            || facts.targets.iter().any(|target| target.lane.as_ref().is_some_and(|lane| lane.wants_fetch)),
        text: facts.targets.iter().find_map(|target| target.text.clone()),
        scheduled: stamp(facts.scheduled),
        targets: facts.targets.into_iter().map(target_row).collect(),
    }
}

fn target_row(target: TargetFacts) -> TargetNow {
    let lane = target.lane.as_ref();
    TargetNow {
        account: target.account.to_string(),
        status: lane.map_or_else(|| target.told.as_ref().map(|told| told.0.clone()), |lane| lane.status.clone()),
        as_of: stamp(lane.map_or_else(|| target.told.as_ref().map(|told| told.1), |lane| Some(lane.as_of))),
        confirmed: stamp(lane.and_then(|lane| lane.confirmed)),
        drift: lane.and_then(drift),
        text: target.text,
        published: stamp(target.published),
    }
}

/// Where messages and a later fetch disagree.
pub(super) fn drift(lane: &LaneRow) -> Option<Drift> {
    let (told, told_at) = lane.told.clone()?;
    Some(Drift { told, told_at: told_at.into(), seen: lane.status.clone()?, seen_at: lane.as_of.into() })
}

/// What a person found.
pub(super) fn settled_row(settled: &Settled) -> SettledRow {
    SettledRow {
        at: settled.at.into(),
        there: settled.there,
        post: settled.post.as_ref().map(PostId::to_string),
        text: settled.text.clone(),
    }
}

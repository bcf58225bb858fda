//! Jobs as rows of the screens.

use serde_json::Value;

use super::{
    facts::{drift, settled_row},
    wire::{JobRow, Offer, Stamp, Target},
};
use crate::{
    clock::Moment,
    desk::Room,
    error::Result,
    ids::{JobId, Lane, PostId},
    outbound::{
        answer_card,
        job::{Attempt, EndKind},
        key_clock,
        outcome::{State, Warning},
        resend::No,
        view::JobView,
    },
    pozy::answers::Meaning,
    store::{contents, job_facts, jobs, listing, waits},
};

/// Longest text on a row, characters.
const TEXT: usize = 160;

pub(super) async fn job_rows(room: &Room, views: Vec<JobView>) -> Result<Vec<JobRow>> {
    let mut rows = Vec::with_capacity(views.len());
    for view in views {
        rows.push(job_row(room, view).await?);
    }
    Ok(rows)
}

/// One job as a row.
pub(super) async fn job_row(room: &Room, view: JobView) -> Result<JobRow> {
    let pool = room.store.pool();
    let words = match &view.facts.body {
        Some(hash) => Words::of(&contents::get(pool, hash).await?),
        None => Words::default(),
    };
    let lane = match &view.judged.post {
        Some(post) => listing::lane(pool, &Lane::post(post)).await?,
        None => None,
    };
    let sending = view.judged.state == State::Sending;
    let warned = |warning: &Warning| matches!(warning, Warning::EditNotApplied | Warning::KeyUsedForSomethingElse);
    let other_words = view.judged.warnings.iter().any(warned);
    let line = view.line();
    let own = view.facts.tied.unwrap_or(view.facts.workspace);
    let wait = match line.next_at {
        Some(_) => waits::until(pool, own, room.clock.now()).await?,
        None => None,
    };
    let held = wait.is_some_and(|until| line.next_at.is_some_and(|next| next < until));
    let untied = view.post_again == Err(No::Imported) && view.facts.workspace_print.is_none();
    Ok(JobRow {
        job: line.job.to_string(),
        group: group(view.judged.state).to_owned(),
        created: line.created_at.into(),
        path: line.path,
        origin: view.facts.origin,
        workspace: line.workspace,
        key: line.key,
        state: line.state,
        outcome: line.outcome,
        created_by_attempt: line.created_by_attempt,
        post: line.post.as_ref().map(PostId::to_string),
        post_status: lane.as_ref().and_then(|lane| lane.status.clone()),
        post_confirmed: stamp(lane.as_ref().and_then(|lane| lane.confirmed)),
        post_drift: lane.as_ref().and_then(drift),
        settled: view.facts.settled.as_ref().map(settled_row),
        answer: view.facts.attempts.last().map(|last| answer_card::kind(last, sending, other_words)),
        key_phase: key_clock::read(&view.facts, &view.judged, room.clock.now(), &room.contract)
            .map(|clock| clock.phase),
        next: line.next_at.max(wait).map(Into::into),
        held,
        waits_for_person: view.judged.hold.map(|hold| hold.says().to_owned()),
        key_since: view.facts.key_use.as_ref().map(|used| used.first_at.into()),
        safe_until: view.judged.safe_until.map(Into::into),
        key_expires: line.key_expires_at.map(Into::into),
        warnings: line.warnings,
        text: words.text,
        targets: words.targets,
        scheduled_for: words.scheduled_for,
        timezone: words.timezone,
        tries: view.facts.attempts.iter().map(|attempt| try_mark(attempt, sending).to_owned()).collect(),
        ask_again: match view.ask_again {
            Ok(()) => Offer { offered: true, why: asking_says(&view).to_owned() },
            Err(no) => Offer { offered: false, why: no.says().to_owned() },
        },
        post_again: match view.post_again {
            Ok(()) => Offer { offered: true, why: "A new key and a new post.".to_owned() },
            Err(no) => Offer { offered: false, why: no.says().to_owned() },
        },
        can_cancel: view.can_cancel,
        may_tie: untied && room.connection.is_some(),
    })
}

/// What a job says, and where it goes.
pub(super) async fn body_words(room: &Room, job: JobId) -> Result<(Option<String>, Vec<Target>)> {
    let pool = room.store.pool();
    let words = match job_facts::by_id(pool, job).await?.body {
        Some(hash) => Words::of(&contents::get(pool, &hash).await?),
        None => Words::default(),
    };
    Ok((words.text, words.targets))
}

/// A moment that may not be known.
pub(super) fn stamp(at: Option<Moment>) -> Option<Stamp> {
    at.map(Into::into)
}

/// Where a job stands in the list.
const fn group(state: State) -> &'static str {
    match jobs::place(state) {
        0 => "needs_you",
        1 => "under_way",
        _ => "done",
    }
}

/// What asking again does while the key is surely alive (R7).
const fn asking_says(view: &JobView) -> &'static str {
    match view.judged.state {
        State::Done => "Pozy gives back the post that is there. Nothing new is made.",
        State::Stopped => "Pozy is asked the same once more and will most likely say the same.",
        State::Draft | State::Waiting | State::Sending | State::Unknown | State::Refused | State::Cancelled => {
            "One post either way: Pozy finds the first one, or makes it now."
        }
    }
}

/// The picture of a try.
pub(super) const fn try_mark(attempt: &Attempt, held: bool) -> &'static str {
    match &attempt.end {
        Some(end) => end.kind.mark(end.meaning),
        None if held => "sending",
        None => "lost",
    }
}

/// What came of a try, in one sentence; status codes stand beside it, not in it.
pub(super) fn try_says(attempt: &Attempt, held: bool) -> String {
    let Some(end) = &attempt.end else {
        return if held { "Under way." } else { "The program stopped before an answer came. The post may exist." }
            .into();
    };
    let text = match (end.kind, end.meaning) {
        (EndKind::Timeout, _) => "No answer came in time. The post may exist all the same.",
        (EndKind::Reset, _) => "Cut off after our words had left. The post may exist all the same.",
        (EndKind::Crash, _) => "The program stopped before an answer came. The post may exist.",
        (EndKind::NotSent, _) => "Pozy could not be reached. Nothing left this computer.",
        (EndKind::Answered, Some(Meaning::Created)) => "Pozy made the post.",
        (EndKind::Answered, Some(Meaning::Replayed)) if end.differs == Some(true) => {
            "Pozy gave back the first post of this key; its words are other words than these."
        }
        (EndKind::Answered, Some(Meaning::Replayed)) => "Pozy gave back the post that was there already.",
        (EndKind::Answered, Some(Meaning::Poll)) => "Pozy is still saving the post.",
        (EndKind::Answered, Some(Meaning::Conflict)) => "Pozy was still working on the first try and asked us to wait.",
        (EndKind::Answered, Some(Meaning::SameContent)) => {
            "Pozy has the same words for this account already. Nothing new was made."
        }
        (EndKind::Answered, Some(Meaning::Redirected)) => {
            "The address leads elsewhere. Nothing was followed or sent on."
        }
        (EndKind::Answered, Some(Meaning::KeyElsewhere)) => "This key belongs to another call. Nothing was made.",
        (EndKind::Answered, Some(Meaning::Rejected)) => "Pozy said no. Mend what it names before it is sent once more.",
        (EndKind::Answered, Some(Meaning::Unknown) | None) => "Pozy was too busy or failed. The post may exist or not.",
    };
    text.to_owned()
}

/// What a body says to people.
#[derive(Default)]
struct Words {
    text: Option<String>,
    targets: Vec<Target>,
    scheduled_for: Option<String>,
    timezone: Option<String>,
}

impl Words {
    fn of(body: &[u8]) -> Self {
        let Ok(body) = serde_json::from_slice::<Value>(body) else { return Self::default() };
        let word = |value: &Value| value.as_str().map(str::to_owned);
        let target =
            |value: &Value| Some(Target { platform: word(&value["platform"])?, account: word(&value["accountId"])? });
        Self {
            text: body["content"].as_str().map(|text| text.chars().take(TEXT).collect()),
            targets: body["platforms"].as_array().into_iter().flatten().filter_map(target).collect(),
            scheduled_for: word(&body["scheduledFor"]),
            timezone: word(&body["timezone"]),
        }
    }
}

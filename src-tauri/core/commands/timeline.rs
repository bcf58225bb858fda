//! The Timeline: which lanes show in a span of time, and their marks (design 8).

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use super::{
    events,
    facts::drift,
    rows::{job_row, try_mark, try_says},
    timelane::{self, aside_marks, bare, event_marks},
    wire::{EventArgs, EventRow, JobRow, Timeline, TimelineArgs, TimelineLane, TimelineLaneKind as Kind, TimelineMark},
};
use crate::{
    clock::Moment,
    desk::{Desk, Room},
    error::{Error, Result},
    ids::{EventId, JobId, Lane, PostId, Resource},
    outbound::{outcome::State, view::JobView},
    store::{
        doubles, job_facts,
        listing::{self, LaneRow},
        timeline::{self, Head, Span},
    },
};

/// Groups if nobody says.
const GROUPS: u32 = 40;
/// Most groups of one answer.
const MOST: u32 = 400;
/// Rows looked at for each group that is wanted.
const SCAN: u32 = 100;
/// Most copies of one message that are drawn; its count says how many there are.
const COPIES: u32 = 100;

/// A group as it was found: a resource, or a job of which no post is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    Resource(Resource),
    Job(JobId),
}

/// One group of lanes, and the instant it is ordered by.
struct Group {
    since: Moment,
    lanes: Vec<TimelineLane>,
}

pub(super) async fn span(desk: &Desk, args: TimelineArgs) -> Result<Timeline> {
    if args.from_ms > args.to_ms || args.resolution_ms < 1 {
        return Err(Error::usage("That is no span of time."));
    }
    let room = desk.room().await;
    let pool = room.store.pool();
    let span = Span { from: Moment::from_millis(args.from_ms), to: Moment::from_millis(args.to_ms) };
    let wanted = args.groups.unwrap_or(GROUPS).clamp(1, MOST);
    let (found, cut) = found(&room, span, wanted).await?;
    let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
    let more = cut || found.len() > wanted;

    let mut groups = Vec::new();
    for one in found.into_iter().take(wanted) {
        groups.push(match one {
            Found::Resource(resource) => resource_group(&room, &resource, span, args.resolution_ms).await?,
            Found::Job(job) => {
                let lane = job_lane(&room, job, None).await?;
                Group { since: since_of(&lane), lanes: vec![lane] }
            }
        });
    }
    only_once(&mut groups);
    groups.sort_by_key(|group| (Reverse(group.since), group.lanes.first().map(|lane| lane.id.clone())));
    let mut lanes: Vec<TimelineLane> = groups.into_iter().flat_map(|group| group.lanes).collect();

    let tests = timeline::tests(pool, span).await?;
    if !tests.is_empty() {
        let marks = event_marks(pool, tests, args.resolution_ms, COPIES).await?;
        lanes.push(TimelineLane { marks, ..bare("tests", "tests", Kind::Tests) });
    }
    let aside = timeline::set_aside(pool, span).await?;
    if !aside.is_empty() {
        let marks = aside_marks(aside, args.resolution_ms);
        lanes.push(TimelineLane { marks, ..bare("set_aside", "set_aside", Kind::SetAside) });
    }
    Ok(Timeline { from_ms: args.from_ms, to_ms: args.to_ms, resolution_ms: args.resolution_ms, lanes, more })
}

/// Leaves out jobs that stand alone although a post has them: the log may have learned of the post between two reads.
fn only_once(groups: &mut Vec<Group>) {
    let under: BTreeSet<String> =
        groups.iter().flat_map(|group| group.lanes.iter().skip(1)).map(|lane| lane.id.clone()).collect();
    groups.retain(|group| group.lanes.len() > 1 || group.lanes.first().is_none_or(|lane| !under.contains(&lane.id)));
}

/// One event as the lists show it, for the detail of a mark.
pub(super) async fn event(desk: &Desk, args: EventArgs) -> Result<EventRow> {
    let room = desk.room().await;
    let row = listing::event(room.store.pool(), &EventId::new(args.event)).await?;
    row.map(events::event_row).ok_or_else(|| Error::not_found("That message is not in this log."))
}

/// The groups with marks in the span, those with the newest activity first; true if some may have been left out.
async fn found(room: &Room, span: Span, wanted: u32) -> Result<(Vec<Found>, bool)> {
    let pool = room.store.pool();
    let scan = wanted.saturating_mul(SCAN);
    let (resources, mut cut) = timeline::resources(pool, span, scan).await?;
    let mut latest: BTreeMap<Found, Moment> =
        resources.into_iter().map(|(resource, at)| (Found::Resource(resource), at)).collect();
    let jobs = timeline::jobs(pool, span, room.contract.key_life_h * 3600 * Moment::SECOND, scan).await?;
    cut |= jobs.len() >= usize::try_from(scan).unwrap_or(usize::MAX);
    for job in jobs {
        let group = match job.post {
            Some(post) => Found::Resource(Resource::post(&post)),
            None => Found::Job(job.job),
        };
        let at = latest.entry(group).or_insert(job.at);
        *at = job.at.max(*at);
    }
    let mut found: Vec<(Found, Moment)> = latest.into_iter().collect();
    found.sort_by_key(|(_, at)| Reverse(*at));
    Ok((found.into_iter().map(|(group, _)| group).collect(), cut))
}

async fn resource_group(room: &Room, resource: &Resource, span: Span, resolution_ms: i64) -> Result<Group> {
    let pool = room.store.pool();
    let head = timeline::head(pool, resource).await?;
    let events = timeline::events_of(pool, resource, span).await?;
    let seen = timeline::seen(pool, resource, span).await?;
    let states = listing::lanes_of(pool, resource).await?;

    let mut jobs = Vec::new();
    if let Some(post) = resource.as_str().strip_prefix("post:") {
        for job in timeline::jobs_of(pool, &PostId::new(post)).await? {
            jobs.push(job_lane(room, job, Some(resource)).await?);
        }
    }
    let twice = match resource.as_str().strip_prefix("post:") {
        Some(post) => doubles::of(pool, &PostId::new(post)).await?,
        None => None,
    };
    let whole = Lane::new(resource.as_str());
    let mut names: BTreeSet<Lane> = states.iter().map(|state| state.lane.clone()).collect();
    names.extend(events.iter().map(|event| event.home.clone()));
    names.remove(&whole);
    let mut lanes = Vec::new();
    for name in [whole].into_iter().chain(names) {
        let marks = timelane::lane_marks(pool, &name, &events, &seen, resolution_ms, COPIES).await?;
        lanes.push(named(&name, resource, &head, &jobs, states.iter().find(|state| state.lane == name), marks));
    }
    if let Some(first) = lanes.first_mut() {
        first.twice_near = twice.as_ref().is_some_and(|(_, near)| *near);
        first.twice = twice.map(|(other, _)| other.to_string());
    }
    let since = jobs.iter().map(since_of).chain(head.since).min().unwrap_or(span.from);
    lanes.extend(jobs);
    Ok(Group { since, lanes })
}

/// A lane of a resource with its name and state.
fn named(
    lane: &Lane,
    resource: &Resource,
    head: &Head,
    jobs: &[TimelineLane],
    state: Option<&LaneRow>,
    marks: Vec<TimelineMark>,
) -> TimelineLane {
    let account = match (lane.as_str().split_once('/'), lane.as_str().strip_prefix("account:")) {
        (Some((_, account)), _) | (None, Some(account)) => Some(account.to_owned()),
        (None, None) => None,
    };
    let kind = match lane.as_str().split(':').next() {
        Some("post") if account.is_some() => Kind::Target,
        Some("post") => Kind::Post,
        Some("account") => Kind::Account,
        _ => Kind::Other,
    };
    let targets = || jobs.iter().filter_map(|lane| lane.job.as_ref()).flat_map(|job| &job.targets);
    let asked = || account.as_ref().and_then(|account| targets().find(|target| target.account == *account));
    let platform = account.as_ref().and_then(|account| head.platforms.get(account).cloned());
    TimelineLane {
        text: head.text.clone().or_else(|| jobs.iter().find_map(|lane| lane.text.clone())),
        platform: platform.or_else(|| asked().map(|target| target.platform.clone())),
        account,
        status: state.and_then(|state| state.status.clone()),
        tie: state.is_some_and(|state| state.tie),
        confirmed_ms: state.and_then(|state| state.confirmed).map(Moment::millis),
        drift: state.and_then(drift),
        marks,
        ..bare(lane.as_str(), resource.as_str(), kind)
    }
}

/// The lane of a job with all its tries: they are few, and the life of the key is read from them.
async fn job_lane(room: &Room, job: JobId, group: Option<&Resource>) -> Result<TimelineLane> {
    let facts = job_facts::by_id(room.store.pool(), job).await?;
    let view = JobView::of(&room.store, &room.clock, &room.contract, facts).await?;
    let held = view.judged.state == State::Sending;
    let id = format!("job:{}", view.facts.mark);
    let tries = view.facts.attempts.iter().map(|attempt| TimelineMark::Try {
        job: view.facts.mark.to_string(),
        n: attempt.n,
        at_ms: attempt.at.millis(),
        end_ms: attempt.end.as_ref().map(|end| end.at.millis()),
        mark: try_mark(attempt, held).to_owned(),
        says: try_says(attempt, held),
    });
    let marks = tries.collect();
    let row: JobRow = job_row(room, view).await?;
    let group = group.map_or_else(|| id.clone(), |resource| resource.as_str().to_owned());
    Ok(TimelineLane {
        text: row.text.clone(),
        status: row.post_status.clone(),
        job: Some(row),
        marks,
        ..bare(&id, &group, Kind::Job)
    })
}

/// When a job was asked for.
fn since_of(lane: &TimelineLane) -> Moment {
    lane.job.as_ref().map_or(Moment(i64::MAX), |job| Moment::from_millis(job.created.ms))
}

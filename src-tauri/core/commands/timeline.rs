//! The Timeline: which lanes show in a span of time, and their marks (design 8).

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap},
};

use futures_util::future::try_join_all;
use sqlx::SqlitePool;

use super::{
    events,
    facts::drift,
    rows::{job_row, try_mark, try_says},
    timelane::{self, CROWDED, Copies, Shown, bare, copies_of, event_marks},
    timemap::counted,
    wire::{
        EventArgs, EventRow, JobRow, Timeline, TimelineArgs, TimelineDensity, TimelineLane, TimelineLaneKind as Kind,
        TimelineMark,
    },
};
use crate::{
    clock::Moment,
    desk::{Desk, Room},
    error::{Error, Result},
    ids::{EventId, JobId, Lane, PostId, Resource},
    outbound::{outcome::State, view::JobView},
    store::{
        crowd::Crowd,
        density, doubles, job_facts, judging,
        listing::{self, LaneRow},
        timeline::{self, Head, Span},
    },
};

/// Groups if nobody says.
const GROUPS: u32 = 40;
/// Most groups of one answer.
const MOST: u32 = 400;
/// Rows looked at for each group that is wanted, at first and where those are too few to find so many groups for sure.
const SCAN: [u32; 3] = [4, 20, 100];
/// Most bins of one answer.
const MOST_BINS: i64 = 2_000;
/// Bins that a density has over the span of one answer at least, if it has any: fewer tell single messages apart.
const DENSE: i64 = 16;

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

    let (mut resources, mut alone) = (Vec::new(), Vec::new());
    for one in found.into_iter().take(wanted) {
        match one {
            Found::Resource(resource) => resources.push(resource),
            Found::Job(job) => alone.push(job),
        }
    }
    // What rests on nothing of one another is read at once: from a long log each waits for the disk most of its time.
    let density = async { if more { density(pool, &args).await } else { Ok(None) } };
    let (mut groups, alone, tests, aside, density) = tokio::try_join!(
        resource_groups(&room, &resources, span, args.resolution_ms),
        try_join_all(alone.into_iter().map(|job| job_lane(&room, job, None))),
        test_marks(pool, span, args.resolution_ms),
        timelane::aside_marks(pool, span, args.resolution_ms),
        density,
    )?;
    groups.extend(alone.into_iter().map(|lane| Group { since: since_of(&lane), lanes: vec![lane] }));
    only_once(&mut groups);
    groups.sort_by_key(|group| (Reverse(group.since), group.lanes.first().map(|lane| lane.id.clone())));
    let mut lanes: Vec<TimelineLane> = groups.into_iter().flat_map(|group| group.lanes).collect();

    if !tests.is_empty() {
        lanes.push(TimelineLane { marks: tests, ..bare("tests", "tests", Kind::Tests) });
    }
    if !aside.is_empty() {
        lanes.push(TimelineLane { marks: aside, ..bare("set_aside", "set_aside", Kind::SetAside) });
    }
    let (from_ms, to_ms, resolution_ms) = (args.from_ms, args.to_ms, args.resolution_ms);
    Ok(Timeline { from_ms, to_ms, resolution_ms, lanes, more, density })
}

/// Counts over the span in bins of eight pixels; none where so little time is looked at that a bin is no wider than the
/// finest that is counted.
async fn density(pool: &SqlitePool, args: &TimelineArgs) -> Result<Option<TimelineDensity>> {
    let wide = args.to_ms.saturating_sub(args.from_ms) / MOST_BINS;
    let wanted = args.resolution_ms.saturating_mul(timelane::BIN).max(wide);
    if args.to_ms.saturating_sub(args.from_ms) / density::width(wanted) < DENSE {
        return Ok(None);
    }
    counted(pool, args.from_ms, args.to_ms, wanted).await.map(Some)
}

/// The tests of a span as marks.
async fn test_marks(pool: &SqlitePool, span: Span, resolution_ms: i64) -> Result<Vec<TimelineMark>> {
    let tests = timeline::tests(pool, span, CROWDED + 1).await?;
    let shown = if i64::try_from(tests.len()).unwrap_or(i64::MAX) > CROWDED {
        timelane::crowd(pool, Crowd::Tests, span, resolution_ms).await?
    } else {
        Shown { events: tests, ..Shown::default() }
    };
    let copies = copies_of(pool, shown.events.iter()).await?;
    let mut marks = event_marks(&shown.events.iter().collect::<Vec<_>>(), &copies, span, resolution_ms);
    marks.extend(shown.heaps.iter().map(timelane::heap_mark));
    Ok(marks)
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
    let life = room.contract.key_life_h * 3600 * Moment::SECOND;
    let mut latest: BTreeMap<Found, Moment> = BTreeMap::new();
    let mut cut = false;
    for scan in SCAN.map(|rows| wanted.saturating_mul(rows)) {
        let ((resources, whole), (jobs, whole_jobs)) =
            tokio::try_join!(timeline::resources(pool, span, scan), timeline::jobs(pool, span, life, scan))?;
        latest = resources.into_iter().map(|(resource, at)| (Found::Resource(resource), at)).collect();
        let whole_from = whole.max(whole_jobs);
        cut = whole_from.is_some();
        for job in jobs {
            let group = match job.post {
                Some(post) => Found::Resource(Resource::post(&post)),
                None => Found::Job(job.job),
            };
            let at = latest.entry(group).or_insert(job.at);
            *at = job.at.max(*at);
        }
        // One that was left out is older than what is whole, and so comes after those that are in it.
        let sure = latest.values().filter(|at| Some(**at) >= whole_from).count();
        if !cut || sure > usize::try_from(wanted).unwrap_or(usize::MAX) {
            break;
        }
    }
    let mut found: Vec<(Found, Moment)> = latest.into_iter().collect();
    found.sort_by_key(|(_, at)| Reverse(*at));
    Ok((found.into_iter().map(|(group, _)| group).collect(), cut))
}

/// What shows of each resource: of those with few messages all that touches the span, of those with many what has an end
/// in it, and of those with many that arrived in it counts.
async fn shown(
    pool: &SqlitePool,
    resources: &[Resource],
    span: Span,
    resolution_ms: i64,
) -> Result<HashMap<Resource, Shown>> {
    let sizes = timeline::sizes(pool, resources, span, CROWDED + 1).await?;
    let of = |resource: &Resource| sizes.get(resource).copied().unwrap_or_default();
    let few: Vec<Resource> = resources.iter().filter(|resource| of(resource).all <= CROWDED).cloned().collect();
    let many = resources.iter().filter(|resource| of(resource).all > CROWDED).map(async |resource| {
        let came = async {
            if of(resource).came > CROWDED {
                return timelane::crowd(pool, Crowd::Of(resource), span, resolution_ms).await;
            }
            let events = timeline::events_that_came(pool, resource, span, CROWDED).await?;
            Ok(Shown { events, ..Shown::default() })
        };
        let (mut shown, (ends, left_out)) =
            tokio::try_join!(came, timeline::events_with_an_end(pool, resource, span, CROWDED))?;
        shown.events.extend(ends);
        shown.left_out = left_out;
        Ok::<_, Error>((resource.clone(), shown))
    });
    let (events, many, seen) = tokio::try_join!(
        timeline::events_of(pool, &few, span),
        try_join_all(many),
        timeline::seen(pool, resources, span)
    )?;
    let mut found: HashMap<Resource, Shown> = many.into_iter().collect();
    for event in events {
        found.entry(event.resource.clone()).or_default().events.push(event);
    }
    for (resource, seen) in seen {
        found.entry(resource).or_default().seen = seen;
    }
    Ok(found)
}

/// The groups of some resources, in their order. Each kind of row is read once for all of them, all kinds at once.
async fn resource_groups(room: &Room, resources: &[Resource], span: Span, resolution_ms: i64) -> Result<Vec<Group>> {
    let pool = room.store.pool();
    let posts: Vec<PostId> = resources.iter().filter_map(post_of).collect();
    let shown = async {
        let shown = shown(pool, resources, span, resolution_ms).await?;
        let copies = copies_of(pool, shown.values().flat_map(|shown| &shown.events)).await?;
        Ok((shown, copies))
    };
    let jobs = async {
        let jobs = timeline::jobs_of(pool, &posts).await?;
        let lane = async |(post, job): (PostId, JobId)| {
            let lane = job_lane(room, job, Some(&Resource::post(&post))).await?;
            Ok::<_, Error>((post, lane))
        };
        try_join_all(jobs.into_iter().map(lane)).await
    };
    let (mut heads, mut states, (mut shown, copies), mut twice, under_way, jobs) = tokio::try_join!(
        timeline::heads(pool, resources),
        listing::lanes_of_all(pool, resources),
        shown,
        doubles::beside(pool, &posts),
        judging::under_way(pool, resources),
        jobs
    )?;
    let mut jobs_of: HashMap<PostId, Vec<TimelineLane>> = HashMap::new();
    for (post, lane) in jobs {
        jobs_of.entry(post).or_default().push(lane);
    }
    let mut groups = Vec::new();
    for resource in resources {
        let post = post_of(resource);
        let of = Of {
            resource,
            head: heads.remove(resource).unwrap_or_default(),
            states: states.remove(resource).unwrap_or_default(),
            shown: shown.remove(resource).unwrap_or_default(),
            jobs: post.as_ref().and_then(|post| jobs_of.remove(post)).unwrap_or_default(),
            twice: post.and_then(|post| twice.remove(&post)),
            under_way: under_way.contains(resource),
        };
        groups.push(of.group(span, &copies, resolution_ms));
    }
    Ok(groups)
}

fn post_of(resource: &Resource) -> Option<PostId> {
    resource.as_str().strip_prefix("post:").map(PostId::new)
}

/// All that is known of one resource.
struct Of<'a> {
    resource: &'a Resource,
    head: Head,
    states: Vec<LaneRow>,
    shown: Shown,
    twice: Option<(PostId, bool)>,
    under_way: bool,
    jobs: Vec<TimelineLane>,
}

impl Of<'_> {
    fn group(self, span: Span, copies: &Copies, resolution_ms: i64) -> Group {
        let whole = Lane::new(self.resource.as_str());
        let mut names: BTreeSet<Lane> = self.states.iter().map(|state| state.lane.clone()).collect();
        names.extend(self.shown.events.iter().map(|event| event.home.clone()));
        names.extend(self.shown.heaps.iter().map(|heap| heap.home.clone()));
        names.remove(&whole);
        let mut lanes = Vec::new();
        for name in [whole].into_iter().chain(names) {
            let marks = timelane::lane_marks(&name, &self.shown, copies, span, resolution_ms);
            let state = self.states.iter().find(|state| state.lane == name);
            let lane = named(&name, self.resource, &self.head, &self.jobs, state, marks);
            lanes.push(TimelineLane { under_way: self.under_way, ..lane });
        }
        if let Some(first) = lanes.first_mut() {
            first.left_out = u32::try_from(self.shown.left_out).unwrap_or(u32::MAX);
            first.twice_near = self.twice.as_ref().is_some_and(|(_, near)| *near);
            first.twice = self.twice.map(|(other, _)| other.to_string());
        }
        let since = self.jobs.iter().map(since_of).chain(self.head.since).min().unwrap_or(span.from);
        lanes.extend(self.jobs);
        Group { since, lanes }
    }
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

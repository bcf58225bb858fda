//! Looking things up by hand: ask Pozy now, record what a person found, and say which workspace a file means.

use super::{
    facts::post_now,
    rows::stamp,
    wire::{
        Candidate, FetchArgs, FetchReport, FetchResult, FileWorkspaceRow, FileWorkspaces, LookRow, Looks, NoteArgs,
        Nothing, TieArgs,
    },
};
use crate::{
    clock::Moment,
    desk::{Desk, Room},
    error::{Error, Result},
    ids::{AccountId, JobMark, Lane, PostId},
    outbound::{
        fetch::{self, Look, Subject},
        forecast::words::{Words, differ_by},
        job::Facts,
        lock::JobLock,
        view::JobView,
    },
    store::{
        contents, job_facts, jobs, listing,
        looks::{self, Wanted, Why},
        notes, tellings, timemap, waits, workspaces,
    },
};

/// Most rows of what only a fetch can tell.
const MOST_LOOKS: u32 = 100;
/// How many of the latest gaps are looked at, and from which length on a pause is one.
const MOST_GAPS: usize = 20;
const LEAST_GAP_NS: i64 = 60 * Moment::SECOND;
/// Most posts that are offered as the one a lost try made.
const CANDIDATES: usize = 10;

/// Asks Pozy now and records what it says.
pub(super) async fn fetch(desk: &Desk, args: FetchArgs) -> Result<FetchReport> {
    let room = desk.room().await;
    let connection = room.connected()?;
    let (subject, job) = match (args.job, args.post, args.account) {
        (Some(job), None, None) => {
            let facts = job_facts::by_mark(room.store.pool(), &JobMark::new(job)).await?;
            let view = JobView::of(&room.store, &room.clock, &room.contract, facts).await?;
            if view.facts.tied.unwrap_or(view.facts.workspace) != connection.workspace {
                return Err(Error::refused(format!(
                    "{} belongs to the workspace {}; another one would say that it is gone. Nothing was asked.",
                    view.facts.mark, view.facts.workspace_name
                )));
            }
            match view.judged.post.clone() {
                Some(post) => (Subject::Post(post), None),
                None => (Subject::NewestPosts, Some(view.facts)),
            }
        }
        (None, Some(post), None) => (Subject::Post(PostId::new(post)), None),
        (None, None, Some(account)) => (Subject::Account(AccountId::new(account)), None),
        _ => return Err(Error::usage("Say one thing to ask Pozy about: a job, a post or an account.")),
    };
    let look = fetch::look(&room.store, &room.clock, connection, &subject).await?;
    report(&room, &subject, job.as_ref(), &look).await
}

async fn report(room: &Room, subject: &Subject, job: Option<&Facts>, look: &Look) -> Result<FetchReport> {
    let post = match subject {
        Subject::Post(post) => Some(post_now(room, post).await?),
        Subject::Account(_) | Subject::NewestPosts => None,
    };
    let account_status = match subject {
        Subject::Account(account) => {
            listing::lane(room.store.pool(), &Lane::account(account)).await?.and_then(|lane| lane.status)
        }
        Subject::Post(_) | Subject::NewestPosts => None,
    };
    let candidates = match (job, look) {
        (Some(job), Look::Told) => candidates(room, job).await?,
        _ => Vec::new(),
    };
    let status = post.as_ref().and_then(|post| post.status.clone()).or_else(|| account_status.clone());
    let (result, says) = said(subject, look, status.as_deref(), candidates.len());
    let wait = match look {
        Look::Wait(until) => Some(*until),
        Look::Told | Look::Gone | Look::Unclear(_) | Look::Silent => None,
    };
    let at = room.clock.now().into();
    Ok(FetchReport { result, at, says, wait_until: stamp(wait), post, account_status, candidates })
}

/// What came of asking, as one to two sentences.
fn said(subject: &Subject, look: &Look, status: Option<&str>, candidates: usize) -> (FetchResult, String) {
    let what = match subject {
        Subject::Post(post) => format!("The post {post}"),
        Subject::Account(account) => format!("The account {account}"),
        Subject::NewestPosts => "The list of posts".to_owned(),
    };
    match (look, subject) {
        (Look::Told, Subject::NewestPosts) if candidates == 0 => (
            FetchResult::Told,
            "None of Pozy's newest hundred posts has these words on these accounts. It may still be on its way; look at \
             the account too before it is posted again."
                .to_owned(),
        ),
        (Look::Told, Subject::NewestPosts) => (
            FetchResult::Told,
            "Pozy has posts with these words, or nearly so, on these accounts. If one of them is this job's, settle it with \
             that one."
                .to_owned(),
        ),
        (Look::Told, _) => {
            let stands = status.map_or_else(|| "is there".to_owned(), |status| format!("is {status}"));
            (FetchResult::Told, format!("{what} {stands}, Pozy says."))
        }
        (Look::Gone, Subject::Account(_)) => {
            (FetchResult::Gone, format!("{what} is not among the connected accounts of this workspace."))
        }
        (Look::Gone, _) => (FetchResult::Gone, format!("{what} is not in this workspace: Pozy has no such post.")),
        (Look::Wait(until), _) => (
            FetchResult::Wait,
            format!("Pozy asked to be left alone until {}. Ask again then.", clock(*until)),
        ),
        (Look::Unclear(status), _) => (
            FetchResult::Unclear,
            format!("Pozy answered with {status}, which says nothing about it. What was known before still stands."),
        ),
        (Look::Silent, _) => (
            FetchResult::Silent,
            "No answer came from Pozy. What was known before still stands; ask again when it can be reached.".to_owned(),
        ),
    }
}

fn clock(moment: Moment) -> String {
    moment.utc().format("%H:%M:%S UTC").to_string()
}

/// Posts on the job's accounts with equal or nearly equal words, nearest first.
async fn candidates(room: &Room, job: &Facts) -> Result<Vec<Candidate>> {
    let Some(hash) = &job.body else { return Ok(Vec::new()) };
    let words = Words::of(&contents::get(room.store.pool(), hash).await?);
    let mut found: Vec<(PostId, usize, Vec<String>)> = Vec::new();
    let since = job.created.plus_seconds(-room.contract.too_close_min * 60);
    for place in &words.places {
        for (post, text) in tellings::texts_on(room.store.pool(), &place.account, since).await? {
            let Some(apart) = differ_by(&text, &place.text, room.contract.near_text_percent) else { continue };
            match found.iter_mut().find(|(known, ..)| *known == post) {
                Some((_, least, accounts)) => {
                    *least = apart.min(*least);
                    accounts.push(place.account.to_string());
                }
                None => found.push((post, apart, vec![place.account.to_string()])),
            }
        }
    }
    found.sort_by(|one, other| (one.1, &one.0).cmp(&(other.1, &other.0)));
    let mut rows = Vec::new();
    for (post, apart, accounts) in found.into_iter().take(CANDIDATES) {
        let differs_by = u32::try_from(apart).unwrap_or(u32::MAX);
        rows.push(Candidate { post: post_now(room, &post).await?, differs_by, accounts });
    }
    Ok(rows)
}

/// Records what a person saw or decided. What it is about must be in the log, or a typing error would be kept as news.
/// `settled` of a job that says what was found also moves it: there, it is done; not there, nothing more is planned.
pub(super) async fn note(desk: &Desk, args: NoteArgs) -> Result<Nothing> {
    let room = desk.room().await;
    if !notes::ACTIONS.contains(&args.action.as_str()) {
        return Err(Error::usage(format!(
            "`{}` is nothing that can be noted: {}.",
            args.action,
            notes::ACTIONS.join(", ")
        )));
    }
    if let Some(why) = notes::lacks(&args.action, args.job.as_deref(), args.post.as_deref()) {
        return Err(Error::usage(format!("{why}. Nothing was noted.")));
    }
    if let Some(post) = &args.post
        && !post.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    {
        return Err(Error::usage(format!("`{post}` is no id of a post. Nothing was noted.")));
    }
    let settles = args.action == "settled";
    let there = match (settles, args.there, &args.post) {
        (false, Some(_), _) => return Err(Error::usage("Only `settled` says whether a post is there.")),
        (true, Some(false), Some(_)) => {
            return Err(Error::usage("A post that is named is there. Leave it out to say that none is."));
        }
        (true, None, Some(_)) => Some(true),
        // Without either it is kept as their words, and moves nothing.
        (_, there, _) => there,
    };
    // Held while it is written, so that no try leaves in between.
    let lock = match &args.job {
        Some(job) => {
            let mark = JobMark::new(job);
            job_facts::by_mark(room.store.pool(), &mark).await?;
            if settles { Some(JobLock::take(room.store.dir(), &mark).await?) } else { None }
        }
        None => None,
    };
    let (now, contract) = (room.clock.now(), room.contract.clone());
    room.store
        .write(move |connection| {
            let job = args.job.clone();
            let note =
                notes::Note { at: now, job: args.job, post: args.post, action: args.action, text: args.text, there };
            notes::insert(connection, &note, None)?;
            match job.filter(|_| settles) {
                Some(job) => jobs::judge_named(connection, &JobMark::new(job), now, &contract),
                None => Ok(()),
            }
        })
        .await?;
    drop(lock);
    Ok(Nothing {})
}

/// The workspaces that only files name, with what a person said they mean.
pub(super) async fn file_workspaces(desk: &Desk, _: Nothing) -> Result<FileWorkspaces> {
    let room = desk.room().await;
    let rows = workspaces::named_by_files(room.store.pool()).await?;
    let row = |named: workspaces::Named| FileWorkspaceRow {
        name: named.name,
        means: named.means,
        jobs: u32::try_from(named.jobs).unwrap_or(u32::MAX),
    };
    Ok(FileWorkspaces { rows: rows.into_iter().map(row).collect() })
}

/// Says that the name in a file means the workspace in use, or takes that back. Its jobs may then be sent by hand, and
/// its keys count as that workspace's.
pub(super) async fn tie_workspace(desk: &Desk, args: TieArgs) -> Result<FileWorkspaces> {
    let room = desk.room().await;
    let to = if args.tie { Some(room.connected()?.workspace) } else { None };
    room.store.write(move |connection| workspaces::tie(connection, &args.name, to)).await?;
    let (now, contract) = (room.clock.now(), room.contract.clone());
    crate::outbound::rejudge::all(&room.store, now, &contract).await?;
    file_workspaces(desk, Nothing {}).await
}

/// What only a fetch can tell: by rule in the background, and, after a time in which nobody listened, what was planned
/// for it (X1).
pub(super) async fn looks(desk: &Desk, _: Nothing) -> Result<Looks> {
    let room = desk.room().await;
    let pool = room.store.pool();
    let Some(connection) = &room.connection else { return Ok(Looks { rows: Vec::new(), connection_waits: None }) };
    let (workspace, now) = (connection.workspace, room.clock.now());
    let mut wanted = looks::by_rule(pool, workspace, MOST_LOOKS).await?;
    for (from, to) in timemap::gaps(pool, now, LEAST_GAP_NS).await?.into_iter().rev().take(MOST_GAPS) {
        wanted.extend(looks::planned_between(pool, workspace, Moment(from), Moment(to), MOST_LOOKS).await?);
    }
    wanted.truncate(usize::try_from(MOST_LOOKS).unwrap_or(usize::MAX));
    let connection_waits = waits::until(pool, workspace, now).await?;
    let row = |wanted: Wanted| {
        let by_itself = (wanted.why != Why::Gap)
            .then(|| [Some(now), wanted.next, connection_waits].into_iter().flatten().max())
            .flatten();
        let (post, account) = match &wanted.subject {
            Subject::Post(post) => (Some(post.to_string()), None),
            Subject::Account(account) => (None, Some(account.to_string())),
            Subject::NewestPosts => (None, None),
        };
        LookRow {
            post,
            account,
            job: wanted.job.map(|job| job.to_string()),
            why: wanted.why.word().to_owned(),
            says: why_says(wanted.why).to_owned(),
            by_itself_at: stamp(by_itself),
        }
    };
    Ok(Looks { rows: wanted.into_iter().map(row).collect(), connection_waits: stamp(connection_waits) })
}

const fn why_says(why: Why) -> &'static str {
    match why {
        Why::Tie => "Two messages carry the same time and say different things. Pozy knows which holds.",
        Why::Unplaced => "A message cannot be put in order with what was known. Pozy knows what holds.",
        Why::Unknown => "A try got no answer, and its post is known. Pozy knows how it stands.",
        Why::Gap => "It was planned for a time in which nobody listened here. Its messages may have been missed.",
    }
}

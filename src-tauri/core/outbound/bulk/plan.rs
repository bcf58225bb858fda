//! The dry run: takes the jobs of a filter from the whole log, foretells each, and freezes the list. Sends nothing.
//! [`fetch_first`] then asks Pozy how the posts stand that are called failed, and puts those rows into other groups.

use futures_util::{StreamExt as _, stream};

use super::{
    Bulk, Row, State,
    came::RowState,
    filter::{Filter, Kind},
    group::{self, Case, Group},
};
use crate::{
    clock::Clock,
    error::{Error, Result},
    ids::{AccountId, BulkMark, JobId},
    outbound::{
        connection::Connection,
        fetch,
        forecast::Act,
        foretell::{Foretold, Plan},
        job::Facts,
        lock::JobLock,
        outcome::Outcome,
        resend, sender,
        view::JobView,
    },
    store::{Store, bulks, job_facts, waits},
};

/// Rows written in one piece of work, so that nobody waits long for the log.
const SLICE: usize = 128;

/// Plans a bulk: nothing is sent, and what it would do stands in its rows.
///
/// # Errors
/// `Usage` if the filter makes no sense, `NotFound` if it names a job that is not there, `Storage`.
pub async fn plan(store: &Store, clock: &Clock, connection: &Connection, filter: Filter, at_once: u32) -> Result<Bulk> {
    let now = clock.now();
    let jobs = if filter.names() {
        bulks::named(store.pool(), &filter.jobs).await?
    } else {
        bulks::candidates(store.pool(), &filter, filter.since(now)?).await?
    };
    let digits: String = clock.new_id().chars().rev().filter(char::is_ascii_hexdigit).take(8).collect();
    let mark = BulkMark::new(format!("bulk_{digits}"));
    let (name, workspace, asked) = (mark.clone(), connection.workspace, filter.clone());
    let id = store.write(move |db| bulks::insert(db, &name, workspace, &asked, at_once, now)).await?;
    let mut n = 0;
    for slice in jobs.chunks(SLICE) {
        let mut rows = Vec::with_capacity(slice.len());
        for (job, _) in slice {
            let look = Look { filter: Some(&filter), fetched: false, was: None };
            if let Some(row) = look.at(store, clock, connection, *job, n + 1).await? {
                n += 1;
                rows.push(row);
            }
        }
        store.write(move |db| bulks::insert_rows(db, id, &rows)).await?;
    }
    store.write(move |db| bulks::move_on(db, id, &[State::Planning], State::Planned, None)).await?;
    bulks::by_mark(store.pool(), &mark).await
}

/// Asks Pozy how the posts of the rows to be looked at first stand, and groups these rows anew. Sends no post.
///
/// # Errors
/// `NotFound`, `Busy` while somebody is at work on the bulk, `Refused` if Pozy asked to wait or did not say how a post
/// stands: the rows that were looked at until then are grouped anew all the same. `Storage`.
pub async fn fetch_first(store: &Store, clock: &Clock, connection: &Connection, mark: &BulkMark) -> Result<Bulk> {
    let bulk = own(store, connection, mark).await?;
    let _turn = JobLock::take_bulk(store.dir(), mark).await?;
    if let Some(until) = waits::held_until(store.pool(), connection.workspace).await?.filter(|at| *at > clock.now()) {
        return Err(Error::refused(format!("Pozy asked to wait until {until}. Nothing was asked; look again then.")));
    }
    let mut rows = bulks::rows(store.pool(), bulk.id).await?;
    rows.retain(|row| row.group == Group::FetchFirst && row.state == RowState::Waits);
    let all = rows.len();
    let at_once = usize::try_from(bulk.at_once).unwrap_or(1).max(1);
    let mut looks = stream::iter(rows)
        .map(|row| async move {
            for post in &row.posts {
                fetch::fetch(store, clock, connection, post).await?;
            }
            let look = Look { filter: None, fetched: true, was: Some(row.group) };
            look.at(store, clock, connection, row.job, row.n).await
        })
        .buffer_unordered(at_once);
    let (mut done, mut problem) = (0, None);
    while let Some(looked) = looks.next().await {
        match looked {
            Ok(Some(row)) => {
                store.write(move |db| bulks::regroup(db, bulk.id, &row)).await?;
                done += 1;
            }
            Ok(None) => {}
            Err(cause) => {
                problem = Some(cause);
                break;
            }
        }
    }
    match problem {
        Some(cause) => Err(Error::new(cause.code, format!("{} {done} of {all} were looked at.", cause.message))),
        None => bulks::by_mark(store.pool(), mark).await,
    }
}

/// The bulk of that name, if it belongs to the workspace of `connection`.
///
/// # Errors
/// `NotFound`, `Refused` if it belongs to another one, `Storage`.
pub(super) async fn own(store: &Store, connection: &Connection, mark: &BulkMark) -> Result<Bulk> {
    let bulk = bulks::by_mark(store.pool(), mark).await?;
    if bulk.workspace == connection.workspace {
        return Ok(bulk);
    }
    Err(Error::refused(format!(
        "{mark} was planned for the workspace {}; another one is connected now. Nothing was sent.",
        bulk.workspace_name
    )))
}

/// How a job is looked at.
#[derive(Clone, Copy)]
struct Look<'a> {
    /// What was asked for; none for a row that is in the bulk already.
    filter: Option<&'a Filter>,
    /// Its posts were fetched just now.
    fetched: bool,
    /// The group it was in before that.
    was: Option<Group>,
}

impl Look<'_> {
    /// The job as row `n`; none if the filter does not take it.
    async fn at(
        self,
        store: &Store,
        clock: &Clock,
        connection: &Connection,
        job: JobId,
        n: u32,
    ) -> Result<Option<Row>> {
        let pool = store.pool();
        let view = JobView::of(store, clock, &connection.contract, job_facts::by_id(pool, job).await?).await?;
        let told = match &view.judged.post {
            Some(post) => bulks::told(pool, post).await?,
            None => super::filter::Told::default(),
        };
        let again = bulks::again(pool, job).await?.map(|(_, mark)| mark);
        if let Some(filter) = self.filter.filter(|filter| !filter.names()) {
            let kind = Kind::of(view.judged.state, &told).filter(|kind| filter.takes(*kind));
            if kind.is_none() || again.is_some() {
                return Ok(None);
            }
        }
        let left_out = not_from_here(&view.facts, connection);
        if view.facts.body.is_none() {
            let says = left_out.unwrap_or_else(|| "Its bytes are not in the log, so it cannot be sent.".to_owned());
            return Ok(Some(row(n, &view, Group::LeftOut, says)));
        }
        let ask = Plan::on(store, Act::AskAgain, &view.facts.mark, Some(connection), None).await?;
        let asked = ask.foretell(store, clock, &connection.contract).await?;
        let posted = if matches!(view.judged.outcome, Outcome::Created | Outcome::Replayed) {
            let failed = group::failed_accounts(&told, &asked.accounts);
            let again = Plan { act: Act::PostAgain, ..ask }.only(failed);
            again.foretell(store, clock, &connection.contract).await?
        } else {
            asked.clone()
        };
        let placed = group::place(&Case {
            judged: &view.judged,
            told: &told,
            left_out: left_out.as_deref(),
            again: again.as_ref(),
            ask: &asked.forecast,
            post_again: &posted.forecast,
            fetched: self.fetched,
            was: self.was,
        });
        let Foretold { accounts, posts, .. } = if placed.forecast.action == Act::PostAgain { posted } else { asked };
        Ok(Some(Row { forecast: Some(placed.forecast), accounts, posts, ..row(n, &view, placed.group, placed.says) }))
    }
}

fn row(n: u32, view: &JobView, group: Group, says: String) -> Row {
    Row {
        n,
        job: view.facts.id,
        mark: view.facts.mark.clone(),
        group,
        says,
        forecast: None,
        accounts: Vec::<AccountId>::new(),
        posts: Vec::new(),
        state: RowState::Waits,
        before: None,
        made: None,
        next: None,
        began: None,
        ended: None,
        actual: None,
    }
}

/// Why the job may not be sent through this connection at all.
fn not_from_here(facts: &Facts, connection: &Connection) -> Option<String> {
    if let Err(no) = resend::may_be_sent(facts) {
        return Some(no.says().to_owned());
    }
    let no = sender::is_own(facts, connection).err()?;
    Some(no.message.trim_end_matches("Nothing was sent.").trim_end().to_owned())
}

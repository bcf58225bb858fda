//! What sending each row would do at this minute: against the log, and against the rows before it that would be sent
//! (X15). Nothing leaves and nothing is written.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    RowState,
    reading::{Post, Sheet},
};
use crate::{
    clock::{Clock, Moment},
    error::{Code, Error, Result},
    ids::JobMark,
    outbound::{
        connection::Connection,
        forecast::{
            Effect, Forecast, Risk,
            known::RowTarget,
            words::{Timing, Words},
        },
        foretell::Plan,
        submit::{self, POSTS},
        view::JobView,
    },
    store::{Store, job_facts},
};

/// A post that was planned for longer ago than this would go out at once, which nobody asked for, seconds.
const LATE_S: i64 = 15 * 60;
/// Files that are kept for their sending; older ones lapse.
const FILES: usize = 8;

/// A row with what would become of it.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The line it starts on.
    pub line: u64,
    /// The post; none if it cannot be read as one.
    pub post: Option<Post>,
    /// Names the row for good: the same row of the same file makes one job.
    pub form: String,
    /// The job it has already.
    pub job: Option<JobMark>,
    /// What sending it would do; none if it has a job or is none.
    pub forecast: Option<Forecast>,
    /// Where it stands.
    pub state: RowState,
    /// Why it is no post.
    pub why: Option<String>,
}

/// Foretells the rows of a file in their order. `confirmed` are the effects that a person takes although they are not
/// safe, up to the risk `most`; a row that is left out stands in no other row's way.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn plan(
    store: &Store,
    clock: &Clock,
    connection: &Connection,
    sheet: &Sheet,
    confirmed: &[Effect],
    most: Risk,
) -> Result<Vec<Planned>> {
    let mut planned: Vec<Planned> = Vec::with_capacity(sheet.rows.len());
    let mut before: Vec<RowTarget> = Vec::new();
    let mut forms = HashMap::<String, usize>::new();
    for row in &sheet.rows {
        let wrong = |why: String| Planned {
            line: row.line,
            post: None,
            form: String::new(),
            job: None,
            forecast: None,
            state: RowState::Wrong,
            why: Some(why),
        };
        let post = match &row.post {
            Ok(post) => post,
            Err(why) => {
                planned.push(wrong(why.clone()));
                continue;
            }
        };
        let act = Plan::new(POSTS, post.key.as_deref(), &post.body, connection);
        let times = forms.entry(format!("{}\n{}", act.hash.0, post.key.as_deref().unwrap_or_default())).or_default();
        *times += 1;
        let form = form(connection, post, &act.hash.0, *times);
        let mut row =
            Planned { post: Some(post.clone()), form, state: RowState::Ready, why: None, ..wrong(String::new()) };
        if let Some(view) = job_of(store, clock, connection, &row.form).await? {
            row.job = Some(view.facts.mark.clone());
            row.state = RowState::Job(view.judged.state);
            planned.push(row);
            continue;
        }
        let words = Words::of(&post.body);
        if let Timing::At(time) = words.timing
            && clock.now() > time.plus_seconds(LATE_S)
        {
            planned.push(wrong(passed(time)));
            continue;
        }
        let told = act.foretell_among(store, clock, &connection.contract, &before).await?.forecast;
        if told.risk == Risk::Safe || told.risk <= most && confirmed.contains(&told.effect) {
            before.extend(RowTarget::all(row.line, &words));
        } else {
            row.state = RowState::LeftOut;
        }
        row.forecast = Some(told);
        planned.push(row);
    }
    Ok(planned)
}

fn passed(time: Moment) -> String {
    format!(
        "It was planned for {}, which has passed: sent now it would go out at once.",
        time.utc().format("%Y-%m-%d %H:%M UTC")
    )
}

/// The name of a row: its workspace, its key, its bytes, and how often a file has shown them before.
fn form(connection: &Connection, post: &Post, hash: &str, times: usize) -> String {
    let key = post.key.as_deref().unwrap_or_default();
    format!("row of a file\n{}\n{}\n{key}\n{hash}\n{times}", connection.client.base_url(), connection.key_print)
}

/// The job that a row made before.
pub(super) async fn job_of(
    store: &Store,
    clock: &Clock,
    connection: &Connection,
    form: &str,
) -> Result<Option<JobView>> {
    match job_facts::by_mark(store.pool(), &submit::form_mark(form)).await {
        Ok(facts) => Ok(Some(JobView::of(store, clock, &connection.contract, facts).await?)),
        Err(none) if none.code == Code::NotFound => Ok(None),
        Err(cause) => Err(cause),
    }
}

/// Files that were looked at and wait to be sent. Their rows are named for good, so a file may be sent in parts and more
/// than once.
#[derive(Debug, Default)]
pub struct ShownFiles(Mutex<VecDeque<(String, Arc<Vec<Planned>>)>>);

impl ShownFiles {
    /// Keeps the rows of a file under an id of its own.
    #[must_use]
    pub fn keep(&self, clock: &Clock, rows: Vec<Planned>) -> String {
        let id = clock.new_id();
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push_back((id.clone(), Arc::new(rows)));
        if waiting.len() > FILES {
            waiting.pop_front();
        }
        id
    }

    /// The rows of a file.
    ///
    /// # Errors
    /// `Refused` if it has lapsed.
    pub fn get(&self, id: &str) -> Result<Arc<Vec<Planned>>> {
        let waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = waiting.iter().find(|(known, _)| known == id).map(|(_, rows)| Arc::clone(rows));
        found.ok_or_else(|| {
            Error::refused(
                "This file was looked at too long ago. Nothing was sent; choose it again, its rows are known.",
            )
        })
    }
}

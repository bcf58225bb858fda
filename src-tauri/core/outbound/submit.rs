//! A new job: body and key are frozen and on disk before the first byte leaves (design 4.1).

use std::time::Duration;

use sha2::{Digest as _, Sha256};
use tokio::time;

use super::{
    connection::Connection,
    fault::{self, Step},
    foretell::{Consent, Plan},
    key::Key,
    last_look,
    lock::JobLock,
    sender::{self, Occasion},
    view::JobView,
};
use crate::{
    clock::Clock,
    error::{Code, Error, Result},
    ids::JobMark,
    store::{
        Store, job_facts,
        jobs::{self, NewJob},
    },
};

/// Path of a new post.
pub const POSTS: &str = "/v1/posts";

/// What a person or a file asks for.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Path of the call; [`POSTS`] for a post.
    pub path: String,
    /// The key; none makes one.
    pub key: Option<String>,
    /// The request body, kept and sent as these very bytes.
    pub body: Vec<u8>,
    /// Names the form it comes from: the same form twice makes one job, so that a double click sends once.
    pub form: Option<String>,
}

/// How long the second of two clicks waits for the row of the first, and how often it looks.
const FIRST_WITHIN_MS: i64 = 10_000;
const LOOK: Duration = Duration::from_millis(20);

/// Makes a job and tries it once, as far as `consent` covers what is foretold of it: the check of equal and near content
/// and the new job are one transaction (design 4.6). What is not safe has the known posts it rests on fetched first. Waiting and
/// further tries belong to the [`sender`].
///
/// # Errors
/// `Usage` if key or path cannot be sent (nothing was stored or sent), `Refused` if the forecast is not
/// covered (nothing was stored) or if the key's safe life is over by an earlier use, `Storage` if the log cannot be written. What Pozy answers is no error.
pub async fn submit(
    store: &Store,
    clock: &Clock,
    connection: &Connection,
    draft: Draft,
    consent: Consent,
) -> Result<JobView> {
    let key = match &draft.key {
        Some(text) => Key::given(text, connection.contract.key_max).map_err(|no| Error::usage(no.to_string()))?,
        None => Key::fresh(clock),
    };
    connection.client.url(&draft.path)?;
    connection.at_home(store, clock).await?;
    let mark = mark(&draft, clock);
    let plan = Plan::new(&draft.path, draft.key.as_deref(), &draft.body, connection);
    let consent = match consent {
        Consent::Safe => consent,
        // A double click: the first one made the job, so that its words are there for the second.
        said => match last_look::before(store, clock, connection, &plan, said).await {
            Err(no) if draft.form.is_some() => {
                return first(store, clock, connection, &mark).await.map_err(|_| no);
            }
            covered => covered?,
        },
    };
    // The lock comes before the row, so that no other sender ever meets the row without it.
    let watch = Clock::stopwatch();
    let lock = loop {
        match JobLock::take(store.dir(), &mark).await {
            Ok(lock) => break lock,
            Err(busy) if busy.code == Code::Busy && draft.form.is_some() => {
                match first(store, clock, connection, &mark).await {
                    // Who holds the lock has not written the row yet, or was refused and writes none.
                    Err(no) if no.code == Code::NotFound && watch.ms() < FIRST_WITHIN_MS => time::sleep(LOOK).await,
                    Err(no) if no.code == Code::NotFound => return Err(busy),
                    made => return made,
                }
            }
            Err(cause) => return Err(cause),
        }
    };
    let (through, now) = (connection.clone(), clock.now());
    let (name, request_id) = (mark.clone(), clock.new_id());
    let made = store
        .write(move |connection| {
            if jobs::find(connection, &name)?.is_some() {
                return Ok(None);
            }
            let told = plan.foretell_written(connection, now, &through.contract)?.forecast;
            consent.covers(&told)?;
            let new = NewJob {
                mark: &name,
                created: now,
                method: "POST",
                path: &draft.path,
                workspace: through.workspace,
                key: Some(key.as_str()),
                request_id: Some(&request_id),
                body: Some(&draft.body),
                again_of: None,
                import: None,
            };
            let job = jobs::insert(connection, &new, now, &through.contract)?;
            // A job that may not be sent is not even kept: a refusal here takes its row back.
            let newest = job_facts::newest_written(connection)?;
            sender::allow(&job_facts::written(connection, job)?, &through, &Occasion::First, newest, now)?;
            jobs::insert_confirmation(connection, job, now, &told)?;
            Ok(Some(job))
        })
        .await?;
    let Some(job) = made else { return first(store, clock, connection, &mark).await };
    fault::may_die_at(Step::JobWritten);
    sender::send(store, clock, connection, job, Occasion::First, lock).await
}

/// The job that the same form made before.
async fn first(store: &Store, clock: &Clock, connection: &Connection, mark: &JobMark) -> Result<JobView> {
    let facts = job_facts::by_mark(store.pool(), mark).await?;
    JobView::of(store, clock, &connection.contract, facts).await
}

/// `job_` and 12 hexadecimal digits: of the form, or of a fresh id.
fn mark(draft: &Draft, clock: &Clock) -> JobMark {
    draft.form.as_deref().map_or_else(|| fresh_mark(clock), form_mark)
}

/// The name of the job that a form makes.
pub(super) fn form_mark(form: &str) -> JobMark {
    let digits: String = Sha256::digest(form.as_bytes()).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    JobMark::new(format!("job_{digits}"))
}

/// The name of a job that no form asked for.
pub(super) fn fresh_mark(clock: &Clock) -> JobMark {
    let digits: String = clock.new_id().chars().rev().filter(char::is_ascii_hexdigit).take(12).collect();
    JobMark::new(format!("job_{digits}"))
}

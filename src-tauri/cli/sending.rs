//! Commands that send, stop or note.

use std::path::PathBuf;

use reprise_core::{
    commands::wire::{NoteArgs, TestArgs, TestRun},
    desk::Desk,
    error::{Code, Error, Result},
    ids::JobMark,
    outbound::{
        forecast::{Act, Effect, Forecast},
        foretell::{Consent, Plan},
        many::reading::{self, Kind},
        outcome::State,
        resend, sender,
        submit::{self, Draft, POSTS},
        view::JobView,
    },
    pozy::secrecy::{Mask, masked_text},
    store::named,
};

use serde::Serialize;

use crate::{
    Answer,
    lists::job_words,
    many,
    output::{Output, one_line, word},
};

/// Most bytes of a file of posts.
const MOST_BYTES: u64 = 64_000_000;

/// A post as it was typed.
pub(crate) struct Order {
    pub(crate) file: PathBuf,
    pub(crate) key: Option<String>,
    pub(crate) path: String,
}

/// Makes a job of the file's bytes and tries it once, or until it is settled; of a file of many posts, one job a row.
pub(crate) async fn submit(desk: &Desk, order: Order, way: many::Way, output: &mut Output) -> Result<Answer> {
    let body = named::read(&order.file, MOST_BYTES).map_err(|cause| {
        Error::caused(Code::Usage, format!("{} cannot be read; nothing was sent.", order.file.display()), cause)
    })?;
    let kind = reading::kind_of(&order.file.to_string_lossy(), &body);
    if kind != Kind::One {
        if order.key.is_some() || order.path != POSTS {
            return Err(Error::usage(
                "--key and --path are for one post. In a file of many each row may have a key of its own; nothing was sent.",
            ));
        }
        return many::submit(desk, kind, &body, way, output).await;
    }
    let consent = consent(many::only_one(&way)?);
    let (store, clock, connection) = (desk.store().await, desk.clock(), desk.connection().await?);
    let draft = Draft { path: order.path, key: order.key, body, form: None };
    let mut view = submit::submit(&store, clock, &connection, draft, consent).await?;
    if way.wait {
        view = sender::until_settled(&store, clock, &connection, &view.facts.mark).await?;
    }
    show(&view, output)
}

/// A forecast as its line.
#[derive(Serialize)]
struct ForecastLine<'a> {
    job: &'a str,
    #[serde(flatten)]
    forecast: &'a Forecast,
}

/// Says what asking or posting again would do, from what is stored; through the job's own workspace unless another one
/// is named.
pub(crate) async fn forecast(
    desk: &Desk,
    job: &str,
    post_again: bool,
    workspace: Option<&str>,
    output: &mut Output,
) -> Result<Answer> {
    let act = if post_again { Act::PostAgain } else { Act::AskAgain };
    let (store, contract) = (desk.store().await, desk.contract().await);
    let plan = Plan::on(&store, act, &JobMark::new(job), None, workspace).await?;
    let told = plan.foretell(&store, desk.clock(), &contract).await?.forecast;
    output.row(&ForecastLine { job, forecast: &told }, forecast_words)?;
    Ok(Answer::Yes)
}

fn forecast_words(line: &ForecastLine<'_>) -> String {
    let told = line.forecast;
    let suggest = told.suggest.map_or_else(String::new, |what| format!("\n  better: {}", word(&what)));
    let reasons: Vec<String> = told.because.iter().map(|because| format!("\n  {}", one_line(&because.text))).collect();
    let expects: Vec<String> = told.expects.iter().map(u16::to_string).collect();
    format!(
        "{} ({}), Pozy answers {}{}{suggest}",
        told.effect.word(),
        word(&told.risk),
        expects.join(" or "),
        reasons.concat()
    )
}

/// Asks a job again with its stored key and bytes, or, with a reason, posts its words again with a new key.
pub(crate) async fn resend(
    desk: &Desk,
    job: &str,
    reason: Option<&str>,
    confirm: Option<Effect>,
    output: &mut Output,
) -> Result<Answer> {
    let (store, clock, connection) = (desk.store().await, desk.clock(), desk.connection().await?);
    let (mark, consent) = (JobMark::new(job), consent(confirm));
    let view = match reason {
        Some(reason) => {
            resend::post_again(&store, clock, &connection, &mark, resend::Part::default(), reason, consent).await?
        }
        None => resend::ask_again(&store, clock, &connection, &mark, consent).await?,
    };
    show(&view, output)
}

/// What was confirmed on the command line; nothing covers only what is safe.
fn consent(confirm: Option<Effect>) -> Consent {
    confirm.map_or(Consent::Safe, Consent::Effect)
}

/// Stops a waiting job.
pub(crate) async fn cancel(desk: &Desk, job: &str, output: &mut Output) -> Result<Answer> {
    let contract = desk.contract().await;
    let view = resend::cancel(&desk.store().await, desk.clock(), &contract, &JobMark::new(job)).await?;
    show(&view, output)
}

/// The job's line; a final no of Pozy's is a no here too (contract, command line).
fn show(view: &JobView, output: &mut Output) -> Result<Answer> {
    output.list(&view.line(), job_words)?;
    Ok(match view.judged.state {
        State::Refused | State::Stopped => Answer::No,
        State::Draft | State::Waiting | State::Sending | State::Unknown | State::Done | State::Cancelled => Answer::Yes,
    })
}

/// Records what a person saw or decided.
pub(crate) async fn note(
    desk: &Desk,
    job: Option<String>,
    post: Option<String>,
    action: String,
    text: String,
    there: Option<bool>,
    output: &mut Output,
) -> Result<Answer> {
    let args = NoteArgs { job, post, action, text, there };
    desk.call("note", json(&args)?).await?;
    // Said back as it is kept.
    let args = NoteArgs { text: masked_text(args.text, &mut Mask::default()), ..args };
    output.row(&args, |args| format!("Noted: {}", one_line(&args.text)))?;
    Ok(Answer::Yes)
}

/// Fires a test webhook and waits for its arrival, in whatever process of this log it comes in.
pub(crate) async fn test_webhook(
    desk: &Desk,
    webhook: Option<String>,
    event: Option<String>,
    output: &mut Output,
) -> Result<Answer> {
    let run = desk.test_webhook(TestArgs { webhook, event }).await?;
    output.row(&run, test_words)?;
    Ok(if run.problem.is_none() { Answer::Yes } else { Answer::No })
}

fn test_words(run: &TestRun) -> String {
    let answer = run.status.map_or_else(|| "no answer".to_owned(), |status| format!("answered {status}"));
    let arrived = match (&run.arrival, run.round_trip_ms) {
        (Some(arrival), Some(ms)) => format!("arrived after {ms} ms, signature {}", arrival.signature),
        _ => "did not arrive".to_owned(),
    };
    let problem = run.problem.as_ref().map(|problem| format!("\n{problem}")).unwrap_or_default();
    format!("Pozy {answer}; the test {arrived}.\n{}{problem}", one_line(&run.answer))
}

pub(crate) fn json<T: serde::Serialize>(value: &T) -> Result<serde_json::Value> {
    serde_json::to_value(value).map_err(|cause| Error::caused(Code::Internal, "The request has no JSON form.", cause))
}

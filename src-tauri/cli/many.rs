//! `submit` of a file of many posts: a dry run as a table, then one row after the other.

use std::time::Duration;

use reprise_core::{
    clock::Moment,
    desk::Desk,
    error::{Error, Result},
    ids::JobMark,
    outbound::{
        forecast::{Because, Effect, Forecast, Risk, Suggest},
        many::{
            RowState,
            plan::{self, Planned},
            reading::{self, Kind, Sheet},
            send::{self, Sent},
        },
        outcome::State,
        sender,
    },
};
use serde::Serialize;

use crate::{
    Answer,
    output::{Output, one_line, word},
};

/// The longest wait for everybody that is waited for here, milliseconds.
const LONGEST_WAIT_MS: i64 = 15 * 60 * 1_000;

/// How a file of many posts is to be sent.
pub(crate) struct Way {
    /// Look only.
    pub(crate) dry_run: bool,
    /// Effects that are taken although they are not safe.
    pub(crate) confirmed: Vec<Effect>,
    /// Wait for the outcome of each row.
    pub(crate) wait: bool,
}

/// A row as its line.
#[derive(Serialize)]
struct RowLine<'a> {
    line: u64,
    job: Option<&'a JobMark>,
    forecast: Option<ForecastPart<'a>>,
    state: RowState,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
}

/// A forecast without its act, which is the same for all rows.
#[derive(Serialize)]
struct ForecastPart<'a> {
    effect: Effect,
    expects: &'a [u16],
    risk: Risk,
    because: &'a [Because],
    suggest: Option<Suggest>,
}

impl<'a> ForecastPart<'a> {
    fn of(told: &'a Forecast) -> Self {
        let Forecast { action: _, effect, expects, risk, because, suggest } = told;
        Self { effect: *effect, expects, risk: *risk, because, suggest: *suggest }
    }
}

/// Shows what each row would do, and sends those that are safe or confirmed.
pub(crate) async fn submit(desk: &Desk, kind: Kind, bytes: &[u8], way: Way, output: &mut Output) -> Result<Answer> {
    let (store, clock, connection) = (desk.store().await, desk.clock(), desk.connection().await?);
    let sheet = reading::read(kind, bytes, connection.contract.key_max)?;
    let rows = plan::plan(&store, clock, &connection, &sheet, &way.confirmed, Risk::Blocked).await?;
    head(&sheet, &rows, output)?;
    if way.dry_run {
        for row in &rows {
            output.list(&planned_line(row), row_words)?;
        }
        return Ok(answer(rows.iter().map(|row| row.state)));
    }
    output.title("What each row would do:")?;
    for row in &rows {
        output.title(&one_line(&row_words(&planned_line(row))))?;
    }
    output.title("\nWhat became of each:")?;
    let mut states = Vec::with_capacity(rows.len());
    let mut too_long = None;
    for row in &rows {
        let mut sent = send::send(&store, clock, &connection, row, &way.confirmed, Risk::Blocked).await?;
        // Pozy asked everybody to wait: this row has its turn again after that, and no other goes before it.
        while let Some(until) = sent.wait_until.filter(|_| too_long.is_none()) {
            if until.ms_since(clock.now()) > LONGEST_WAIT_MS {
                too_long = Some(format!("Pozy asked to wait until {until}. Send the same file again then."));
                break;
            }
            wait_until(until, || clock.now()).await;
            sent = send::send(&store, clock, &connection, row, &way.confirmed, Risk::Blocked).await?;
        }
        if sent.wait_until.is_some() {
            sent.why.clone_from(&too_long);
        } else if let (true, Some(job)) = (way.wait, &sent.job) {
            let view = sender::until_settled(&store, clock, &connection, job).await?;
            sent.state = RowState::Job(view.judged.state);
        }
        output.list(&sent_line(&sent), row_words)?;
        output.flush()?;
        states.push(sent.state);
    }
    let all_had_their_turn = states.iter().all(|state| *state != RowState::Ready);
    Ok(if all_had_their_turn { answer(states.into_iter()) } else { Answer::No })
}

/// Holds if a single body was asked for as one.
///
/// # Errors
/// `Usage` for what only a file of many posts can take.
pub(crate) fn only_one(way: &Way) -> Result<Option<Effect>> {
    match way.confirmed.as_slice() {
        _ if way.dry_run => Err(Error::usage(
            "--dry-run is for a file of many posts, CSV or JSON Lines. This one holds a single body; nothing was sent.",
        )),
        [] => Ok(None),
        [one] => Ok(Some(*one)),
        _ => Err(Error::usage("One post has one effect: give --confirm once. Nothing was sent.")),
    }
}

fn head(sheet: &Sheet, rows: &[Planned], output: &mut Output) -> Result<()> {
    let count = |state: RowState| rows.iter().filter(|row| row.state == state).count();
    let known = rows.iter().filter(|row| row.job.is_some()).count();
    output.title(&format!(
        "{} posts: {} would be sent, {} left out, {} wrong, {} have a job already.",
        rows.len(),
        count(RowState::Ready),
        count(RowState::LeftOut),
        count(RowState::Wrong),
        known
    ))?;
    if !sheet.unknown_columns.is_empty() {
        output.title(&format!(
            "Columns that are not known and left aside: {}.",
            one_line(&sheet.unknown_columns.join(", "))
        ))?;
    }
    Ok(())
}

fn planned_line(row: &Planned) -> RowLine<'_> {
    let forecast = row.forecast.as_ref().map(ForecastPart::of);
    RowLine { line: row.line, job: row.job.as_ref(), forecast, state: row.state, why: row.why.as_deref() }
}

fn sent_line(row: &Sent) -> RowLine<'_> {
    let forecast = row.forecast.as_ref().map(ForecastPart::of);
    RowLine { line: row.line, job: row.job.as_ref(), forecast, state: row.state, why: row.why.as_deref() }
}

fn row_words(row: &RowLine<'_>) -> String {
    let job = row.job.map_or_else(String::new, |job| format!("  {job}"));
    let told = row.forecast.as_ref().map_or_else(String::new, |told| {
        let reason = told.because.first().map_or("", |because| because.text.as_str());
        format!("  {} ({}): {reason}", told.effect.word(), word(&told.risk))
    });
    let why = row.why.map_or_else(String::new, |why| format!("  {why}"));
    format!("line {:<5} {:<10}{job}{told}{why}", row.line, word(&row.state))
}

/// A no as soon as one row was not sent, or got a final no.
fn answer(mut states: impl Iterator<Item = RowState>) -> Answer {
    let no = |state: RowState| {
        matches!(state, RowState::LeftOut | RowState::Wrong | RowState::Job(State::Refused | State::Stopped))
    };
    if states.any(no) { Answer::No } else { Answer::Yes }
}

async fn wait_until(until: Moment, now: impl Fn() -> Moment) {
    while let Ok(ms) = u64::try_from(until.ms_since(now()))
        && ms > 0
    {
        tokio::time::sleep(Duration::from_millis(ms.min(250))).await;
    }
}

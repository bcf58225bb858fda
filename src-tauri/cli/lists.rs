//! Commands that list what is in the log, oldest first.

use reprise_core::{
    commands::lists::{self, ArrivalLine, AttemptLine, EventLine, LaneLine},
    desk::Desk,
    error::Result,
    outbound::view::JobLine,
};

use crate::{
    Answer,
    output::{Output, word},
};

/// One line an event.
pub(crate) async fn events(desk: &Desk, output: &mut Output) -> Result<Answer> {
    output.title("happened                     first arrived                came  order     event  what")?;
    lists::events(&desk.store().await, |line| output.list(&line, event_words)).await?;
    Ok(Answer::Yes)
}

/// One line an arrival.
pub(crate) async fn arrivals(desk: &Desk, event: Option<&str>, output: &mut Output) -> Result<Answer> {
    output.title("arrived                      standing     answer  event  why it came again")?;
    lists::arrivals(&desk.store().await, event, |line| output.list(&line, arrival_words)).await?;
    Ok(Answer::Yes)
}

/// One line a lane.
pub(crate) async fn lanes(desk: &Desk, output: &mut Output) -> Result<Answer> {
    output.title("state         since                        lane")?;
    lists::lanes(&desk.store().await, |line| output.list(&line, lane_words)).await?;
    Ok(Answer::Yes)
}

/// One line a job.
pub(crate) async fn jobs(desk: &Desk, output: &mut Output) -> Result<Answer> {
    output.title("asked for                    state      tries  post  job")?;
    let (store, contract) = (desk.store().await, desk.contract().await);
    lists::jobs(&store, desk.clock(), &contract, |line| output.list(&line, job_words)).await?;
    Ok(Answer::Yes)
}

/// One log line an attempt, secrets masked, with its state.
pub(crate) async fn attempts(desk: &Desk, job: Option<&str>, output: &mut Output) -> Result<Answer> {
    lists::attempts(&desk.store().await, job, |line: AttemptLine| output.line(&line.text)).await?;
    Ok(Answer::Yes)
}

fn event_words(line: &EventLine) -> String {
    let happened = line.happened_at.map_or_else(|| "unknown".to_owned(), |at| at.to_string());
    let late = match (line.late_by_ms, &line.overtaken_by) {
        (Some(ms), Some(by)) => format!(", late by {}, overtaken by {by}", span(ms)),
        _ => String::new(),
    };
    let flags = if line.flags.is_empty() { String::new() } else { format!(" [{}]", line.flags.join(", ")) };
    let test = if line.test { ", a test" } else { "" };
    format!(
        "{happened:<28} {:<28} x{:<4} {:<9} {}  {} about {}{test}{late}{flags}",
        line.first_arrived_at.to_string(),
        line.arrivals,
        line.order,
        line.event,
        line.name,
        line.resource
    )
}

fn arrival_words(line: &ArrivalLine) -> String {
    let answer = line.answer.map_or_else(|| "none".to_owned(), |status| status.to_string());
    let why = line.cause.as_ref().map_or_else(String::new, |cause| format!("  {} ({})", cause.text, cause.confidence));
    let flags = if line.flags.is_empty() { String::new() } else { format!("  [{}]", line.flags.join(", ")) };
    format!(
        "{:<28} {:<12} {answer:<7} {}{why}{flags}",
        line.arrived_at.to_string(),
        line.standing,
        line.event.as_ref().map_or("no event", |event| event.as_str())
    )
}

fn lane_words(line: &LaneLine) -> String {
    let status = line.status.as_deref().unwrap_or(if line.tie { "same instant" } else { "unknown" });
    let confirmed = line.confirmed_at.map_or_else(String::new, |at| format!("  confirmed by Pozy at {at}"));
    format!("{status:<13} {:<28} {}{confirmed}", line.as_of.to_string(), line.lane)
}

/// A job as a line for people.
pub(crate) fn job_words(line: &JobLine) -> String {
    let post = line.post.as_ref().map_or_else(|| "no post known".to_owned(), ToString::to_string);
    let next = line.next_at.map_or_else(String::new, |at| format!("  asked again at {at}"));
    let warnings: Vec<String> = line.warnings.iter().map(word).collect();
    let warnings = if warnings.is_empty() { String::new() } else { format!("  [{}]", warnings.join(", ")) };
    format!(
        "{:<28} {:<10} {:<6} {post}  {}{next}{warnings}",
        line.created_at.to_string(),
        word(&line.state),
        line.attempts,
        line.job
    )
}

/// A span of time in the two units that matter.
fn span(ms: i64) -> String {
    let seconds = ms / 1_000;
    match (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60) {
        (0, 0, 0, _) => format!("{}.{} s", seconds, ms % 1_000 / 100),
        (0, 0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (0, hours, minutes, _) => format!("{hours} h {minutes} min"),
        (days, hours, ..) => format!("{days} d {hours} h"),
    }
}

//! Commands that look things up: ask Pozy now, and say what a file's workspace is.

use reprise_core::{
    commands::wire::{FetchArgs, TieArgs},
    desk::Desk,
    error::{Code, Error, Result},
};
use serde::Serialize;
use serde_json::Value;

use crate::{Answer, output::Output};

/// Asks Pozy now and keeps its answer. The answer is no if it did not tell.
pub(crate) async fn fetch(desk: &Desk, args: FetchArgs, output: &mut Output) -> Result<Answer> {
    let report = desk.call("fetch", json(&args)?).await?;
    output.row(&report, words)?;
    Ok(if matches!(report["result"].as_str(), Some("told" | "gone")) { Answer::Yes } else { Answer::No })
}

fn words(report: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or("not known").to_owned();
    let mut lines = vec![text(&report["says"])];
    for target in report["post"]["targets"].as_array().into_iter().flatten() {
        lines.push(format!("  {} {}", text(&target["account"]), text(&target["status"])));
    }
    for candidate in report["candidates"].as_array().into_iter().flatten() {
        lines.push(format!(
            "  {} {}, differs by {} characters",
            text(&candidate["post"]["post"]),
            text(&candidate["post"]["status"]),
            candidate["differs_by"]
        ));
    }
    lines.join("\n")
}

/// Ties the name in imported files to the workspace in use, or takes that back.
pub(crate) async fn tie(desk: &Desk, name: String, undo: bool, output: &mut Output) -> Result<Answer> {
    let rows = desk.call("tie_workspace", json(&TieArgs { name: name.clone(), tie: !undo })?).await?;
    let mine = rows["rows"].as_array().into_iter().flatten().find(|row| row["name"] == name.as_str()).cloned();
    output.row(&mine.unwrap_or_default(), |row| match row["means"].as_str() {
        Some(means) => format!("{name} means {means}: its {} jobs may be sent by hand.", row["jobs"]),
        None => format!("{name} means no workspace of this computer; its jobs are shown and not sent."),
    })?;
    Ok(Answer::Yes)
}

fn json<T: Serialize>(value: &T) -> Result<Value> {
    serde_json::to_value(value).map_err(|cause| Error::caused(Code::Internal, "The request has no JSON form.", cause))
}

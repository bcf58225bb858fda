//! `why`: the verdict on a double post, for people or as one object.

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Write as _},
    path::Path,
};

use reprise_core::{
    desk::Desk,
    error::{Code, Error, Result},
    inquiry::{self, case_file, gather::Question, page, verdict::Answer as Verdict},
};

use crate::{
    Answer,
    output::{Output, one_line, word},
};

/// Asks, writes the files that were asked for, and prints. An answer that says "not enough" is an answer: exit 0.
pub(crate) async fn why(
    desk: &Desk,
    question: &Question,
    html: Option<&Path>,
    case: Option<&Path>,
    output: &mut Output,
) -> Result<Answer> {
    let (store, contract) = (desk.store().await, desk.contract().await);
    let found = inquiry::why(&store, &contract, question).await?;
    if html.is_some() || case.is_some() {
        let lines = case_file::lines(&store, &desk.net().own(), &found.evidence).await?;
        if let Some(file) = case {
            let text: String = lines.lines.iter().map(|line| format!("{line}\n")).collect();
            write(file, &desk.net().line(&text))?;
        }
        if let Some(file) = html {
            write(file, &desk.net().line(&page::page(&found, &lines, desk.clock().now())))?;
        }
    }
    output.row(&found.answer, text)?;
    Ok(Answer::Yes)
}

/// Writes a new file, whole or not at all, and never over one that is there: it may be evidence, or the log itself.
fn write(file: &Path, text: &str) -> Result<()> {
    let name = file.display();
    let problem = |cause: io::Error| {
        let says = match cause.kind() {
            ErrorKind::AlreadyExists => {
                format!("{name} is there already, so nothing was written. Choose another name, or remove it first.")
            }
            _ => format!("{name} cannot be written. Choose another place."),
        };
        Error::caused(Code::Usage, says, cause)
    };
    let mut new = File::create_new(file).map_err(problem)?;
    new.write_all(text.as_bytes()).map_err(|cause| {
        // Half a file would look like a whole one.
        drop(fs::remove_file(file));
        problem(cause)
    })
}

fn text(verdict: &Verdict) -> String {
    let mut lines = vec![
        format!(
            "{}  ({}, confidence {})",
            one_line(&verdict.headline),
            word(&verdict.verdict),
            word(&verdict.confidence)
        ),
        one_line(&verdict.says),
        String::new(),
    ];
    let posts: Vec<_> = verdict.posts.iter().map(ToString::to_string).collect();
    if !posts.is_empty() {
        lines.push(format!("Posts, oldest first: {}", one_line(&posts.join(", "))));
    }
    lines.push(format!("Whose side: {}", verdict.side.words()));
    lines.push(format!("Again? {}", verdict.again));
    lines.push(format!("Prevent it: {}", verdict.prevent));
    lines.push(format!("Next: {}", one_line(&verdict.next)));
    if !verdict.proof.is_empty() {
        lines.push(String::new());
        lines.push("Proof (* needed)".to_owned());
    }
    for row in &verdict.proof {
        let mark = if row.needed { '*' } else { ' ' };
        let kind = row.kind.words();
        lines.push(format!(
            "{mark} {:<28} {kind:<14} {:<20} {}",
            row.at.to_string(),
            one_line(&row.name),
            one_line(&row.text)
        ));
    }
    if !verdict.missing.is_empty() {
        lines.push(String::new());
        lines.push("Missing".to_owned());
        lines.extend(verdict.missing.iter().map(|what| format!("  {}", one_line(what))));
    }
    if !verdict.also.is_empty() {
        lines.push(String::new());
        lines.push("Also fits".to_owned());
        lines.extend(verdict.also.iter().map(|other| {
            format!("  {} ({}): {}", word(&other.verdict), word(&other.confidence), one_line(&other.says))
        }));
    }
    lines.join("\n")
}

//! `why`: the verdict on a double post, for people or as one object.

use reprise_core::{
    desk::Desk,
    error::Result,
    inquiry::{self, gather::Question, verdict::Answer as Verdict},
};

use crate::{
    Answer,
    output::{Output, word},
};

/// Asks and prints. An answer that says "not enough" is an answer: exit 0.
pub(crate) async fn why(desk: &Desk, question: &Question, output: &mut Output) -> Result<Answer> {
    let contract = desk.contract().await;
    let verdict = inquiry::why(&desk.store().await, &contract, question).await?;
    output.row(&verdict, text)?;
    Ok(Answer::Yes)
}

fn text(verdict: &Verdict) -> String {
    let mut lines = vec![
        format!("{}  ({}, confidence {})", verdict.headline, word(&verdict.verdict), word(&verdict.confidence)),
        verdict.says.clone(),
        String::new(),
    ];
    let posts: Vec<_> = verdict.posts.iter().map(ToString::to_string).collect();
    if !posts.is_empty() {
        lines.push(format!("Posts, oldest first: {}", posts.join(", ")));
    }
    lines.push(format!("Whose side: {}", word(&verdict.side).replace('_', " ")));
    lines.push(format!("Again? {}", verdict.again));
    lines.push(format!("Prevent it: {}", verdict.prevent));
    lines.push(format!("Next: {}", verdict.next));
    if !verdict.proof.is_empty() {
        lines.push(String::new());
        lines.push("Proof (* needed)".to_owned());
    }
    for row in &verdict.proof {
        let mark = if row.needed { '*' } else { ' ' };
        let kind = word(&row.kind);
        lines.push(format!("{mark} {:<28} {kind:<11} {:<20} {}", row.at.to_string(), row.name, row.text));
    }
    if !verdict.missing.is_empty() {
        lines.push(String::new());
        lines.push("Missing".to_owned());
        lines.extend(verdict.missing.iter().map(|what| format!("  {what}")));
    }
    if !verdict.also.is_empty() {
        lines.push(String::new());
        lines.push("Also fits".to_owned());
        lines.extend(
            verdict
                .also
                .iter()
                .map(|other| format!("  {} ({}): {}", word(&other.verdict), word(&other.confidence), other.says)),
        );
    }
    lines.join("\n")
}

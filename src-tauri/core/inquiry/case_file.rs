//! The rows of a case as log lines, secrets masked: read into an empty log, they give the same verdict, confidence,
//! words, missing rows, posts and next step (contract, "Verdicts").

use std::collections::HashSet;

use super::evidence::{Evidence, Noted};
use crate::{
    error::{Code, Error, Result},
    export,
    import::lines::{self, Line, NoteLine},
    pozy::{contract::Contract, envelope, post, secrecy::Mask},
    store::{Store, lines as rows},
};

/// The lines of a case, oldest first, and how many places in them were masked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaseLines {
    /// Each without its line end.
    pub lines: Vec<String>,
    /// Masked places.
    pub masked: usize,
}

/// Collects the lines of a case.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn lines(store: &Store, contract: &Contract, evidence: &Evidence) -> Result<CaseLines> {
    let wanted = Wanted::of(evidence);
    let mut found: Vec<Line> = Vec::new();
    rows::each(store.pool(), |line| {
        if wanted.has(&line, contract) {
            found.push(line);
        }
        Ok(())
    })
    .await?;
    // Notes are those of the evidence: a Post again that only its job's row tells of becomes one here.
    found.extend(evidence.notes.iter().map(note));
    found.sort_by_key(Line::at);
    let mut mask = Mask::default();
    let write = |mut line: Line| {
        export::cover(&mut line, &mut mask);
        lines::write(&line).map_err(|cause| Error::caused(Code::Internal, "A line of the log has no JSON form.", cause))
    };
    let lines: Vec<String> = found.into_iter().map(write).collect::<Result<_>>()?;
    // What was masked on its way into the log counts too.
    let masked = lines.iter().map(|line| line.matches(PLACEHOLDER).count()).sum();
    Ok(CaseLines { lines, masked })
}

/// How a placeholder begins, whoever put it there.
const PLACEHOLDER: &str = "[masked ";

/// What belongs to the case, by the names that lines bear.
struct Wanted<'a> {
    attempts: HashSet<(&'a str, u32)>,
    events: HashSet<&'a str>,
    posts: HashSet<&'a str>,
}

impl<'a> Wanted<'a> {
    fn of(evidence: &'a Evidence) -> Self {
        Self {
            attempts: evidence.attempts.iter().map(|attempt| (attempt.job.as_str(), attempt.n)).collect(),
            events: evidence.events.iter().map(|event| event.event.as_str()).collect(),
            posts: evidence.observations.iter().map(|seen| seen.post.as_str()).collect(),
        }
    }

    fn has(&self, line: &Line, contract: &Contract) -> bool {
        match line {
            Line::Attempt(line) => line.job.as_deref().is_some_and(|job| self.attempts.contains(&(job, line.n))),
            Line::Arrival(line) => {
                let body = line.body.bytes().ok().flatten();
                let reading = body.and_then(|body| envelope::read(&body, contract).ok());
                reading.is_some_and(|reading| self.events.contains(reading.event.as_str()))
            }
            Line::Observation(line) => {
                let body = line.body.bytes().ok().flatten().unwrap_or_default();
                let seen = post::read(&line.path, line.status, &body);
                seen.iter().any(|seen| {
                    seen.resource.as_str().strip_prefix("post:").is_some_and(|post| self.posts.contains(post))
                })
            }
            Line::Note(_) => false,
        }
    }
}

fn note(noted: &Noted) -> Line {
    Line::Note(NoteLine {
        at: noted.at,
        job: noted.job.as_ref().map(ToString::to_string),
        post: noted.post.as_ref().map(ToString::to_string),
        action: noted.action.clone(),
        text: noted.text.clone(),
    })
}

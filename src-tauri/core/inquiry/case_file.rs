//! The rows of a case as log lines, secrets masked: read into an empty log, they give the same verdict, confidence,
//! words, missing rows, posts and next step (contract, "Verdicts"). Rows are found by index, so that a case costs what
//! it holds and not what the log holds.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    chain,
    evidence::{Evidence, Noted},
    gather::MOST_ROWS,
    verdict::Answer,
};
use crate::{
    error::{Code, Error, Result},
    export,
    ids::EventId,
    import::lines::{self, Line, NoteLine},
    pozy::secrecy::{Covered, Mask, Own, Source},
    store::{Store, lines as rows},
};

/// Ids in the name of a file.
const MOST_NAMED: usize = 3;

/// The lines of a case, oldest first, and what in them is masked, whoever masked it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaseLines {
    /// Each without its line end.
    pub lines: Vec<String>,
    /// Masked places.
    pub masked: usize,
    /// The same by the kind of place.
    pub kinds: BTreeMap<String, Covered>,
}

/// Collects the lines of a case.
///
/// # Errors
/// `Storage` if the log cannot be read.
pub async fn lines(store: &Store, own: &Own, evidence: &Evidence) -> Result<CaseLines> {
    let pool = store.pool();
    let mut found: Vec<rows::Sourced> = Vec::new();
    let events: BTreeSet<&EventId> = evidence.events.iter().map(|event| &event.event).collect();
    for event in events {
        found.extend(rows::of_event(pool, event, MOST_ROWS).await?);
    }
    let tries: BTreeSet<(&str, u32)> = evidence.attempts.iter().map(|one| (one.job.as_str(), one.n)).collect();
    for job in chain::jobs(evidence) {
        let of_case =
            |(line, _): &rows::Sourced| matches!(line, Line::Attempt(one) if tries.contains(&(job.as_str(), one.n)));
        found.extend(rows::of_job(pool, &job).await?.into_iter().filter(of_case));
    }
    let posts: Vec<_> = evidence.observations.iter().map(|seen| seen.post.clone()).collect();
    found.extend(rows::of_posts(pool, &posts).await?);
    // Notes are those of the evidence: a Post again that only its job's row tells of becomes one here.
    found.extend(evidence.notes.iter().map(|noted| (note(noted), Source::This)));
    found.sort_by_key(|(line, _)| line.at());

    // What the notes say is covered already; all else is covered by the same numbers.
    let mut mask = evidence.mask.clone().and(own);
    let cover = |line: &mut Line, source: Source, mask: &mut Mask| {
        mask.meet(source);
        mask.settle(matches!(line, Line::Note(_)));
        export::cover(line, mask);
    };
    for (line, source) in &found {
        cover(&mut line.clone(), *source, &mut mask);
    }
    let mut mask = mask.again();
    let write = |(mut line, source): rows::Sourced| {
        cover(&mut line, source, &mut mask);
        lines::write(&line).map_err(|cause| Error::caused(Code::Internal, "A line of the log has no JSON form.", cause))
    };
    let lines: Vec<String> = found.into_iter().map(write).collect::<Result<_>>()?;
    Ok(CaseLines { lines, masked: mask.count(), kinds: mask.kinds() })
}

/// A name for the files of a case, without an ending: what it is about, in letters that any file system takes.
#[must_use]
pub fn name(answer: &Answer) -> String {
    let plain = |id: &str| -> String {
        id.chars().filter(|c| c.is_ascii_alphanumeric() || ['-', '_'].contains(c)).take(40).collect()
    };
    let posts = answer.posts.iter().take(MOST_NAMED).map(|post| plain(post.as_str())).filter(|name| !name.is_empty());
    std::iter::once("why-twice".to_owned()).chain(posts).collect::<Vec<_>>().join("-")
}

fn note(noted: &Noted) -> Line {
    Line::Note(NoteLine {
        at: noted.at,
        job: noted.job.as_ref().map(ToString::to_string),
        post: noted.post.as_ref().map(ToString::to_string),
        action: noted.action.clone(),
        text: noted.text.clone(),
        there: noted.there,
    })
}

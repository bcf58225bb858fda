//! The command `search`: what the indexes know at once, then a look through the log, newest first, until it is stopped.

use std::collections::HashSet;

use reprise_core::{
    commands::wire::{SearchArgs, SearchBy, SearchHit, SearchIndex, SearchKind, SearchLooked},
    desk::Desk,
    error::Result,
};
use serde::Serialize;

use crate::{
    Answer,
    output::{Output, word},
};

/// Hits that are asked for at once.
const PAGE: u32 = 100;

/// One hit as a line.
#[derive(Serialize)]
struct HitLine {
    kind: SearchKind,
    id: String,
    at: Option<String>,
    by: SearchBy,
    name: Option<String>,
    text: String,
}

/// How far the look came, when it ended.
#[derive(Serialize)]
struct EndLine {
    looked: i64,
    of: i64,
    back_to: Option<String>,
    stopped: bool,
    /// Arrivals that the index of words has read.
    indexed: i64,
    /// Of how many.
    arrivals: i64,
}

/// Finds `text`; with `quick` only what the indexes know. The answer is no if nothing was found.
pub(crate) async fn search(desk: &Desk, text: &str, quick: bool, output: &mut Output) -> Result<Answer> {
    let mut told = HashSet::new();
    let mut after = None;
    let mut looked: Option<SearchLooked> = None;
    let mut index = SearchIndex::default();
    let mut stopped = false;
    let stop = tokio::signal::ctrl_c();
    tokio::pin!(stop);
    loop {
        let args = SearchArgs { text: text.to_owned(), after: after.take(), limit: Some(PAGE) };
        let found = tokio::select! {
            found = desk.search(args) => found?,
            _ = &mut stop => {
                stopped = true;
                break;
            }
        };
        for hit in found.hits {
            if told.insert((hit.kind, hit.id.clone())) {
                output.list(&line(hit), plain)?;
            }
        }
        output.flush()?;
        if let Some(now) = &found.looked {
            output.progress(&says(now))?;
        }
        looked = found.looked.or(looked);
        index = found.index;
        after = found.next;
        // What begins with `l` or `t` is a look through the log, see the core; the indexes are through then.
        let log = after.as_deref().is_some_and(|next| next.starts_with(['l', 't']));
        if after.is_none() || (quick && log) {
            break;
        }
    }
    output.progress("")?;
    let end = EndLine {
        looked: looked.as_ref().map_or(0, |looked| looked.rows),
        of: looked.as_ref().map_or(0, |looked| looked.of),
        back_to: looked.as_ref().and_then(|looked| looked.back_to.as_ref()).map(|at| at.text.clone()),
        stopped,
        indexed: index.upto,
        arrivals: index.of,
    };
    output.row(&end, |end| {
        let found = match told.len() {
            0 => "Nothing was found".to_owned(),
            1 => "One was found".to_owned(),
            n => format!("{n} were found"),
        };
        let rest = match &looked {
            _ if end.stopped => "stopped before the end",
            None if index.upto < index.of => "by the indexes alone, and the newest messages are not in them yet",
            None => "by the indexes alone",
            Some(_) => "the whole log was looked through",
        };
        format!("{found}; {rest}.")
    })?;
    Ok(if told.is_empty() { Answer::No } else { Answer::Yes })
}

fn says(looked: &SearchLooked) -> String {
    let back = looked.back_to.as_ref().map(|at| format!(", back to {}", at.text)).unwrap_or_default();
    format!("Looked through {} of {}{back}", looked.rows, looked.of)
}

fn line(hit: SearchHit) -> HitLine {
    HitLine {
        kind: hit.kind,
        id: hit.id,
        at: hit.at.map(|at| at.text),
        by: hit.by,
        name: hit.name,
        text: hit.text.into_iter().map(|piece| piece.text).collect(),
    }
}

fn plain(line: &HitLine) -> String {
    let at = line.at.as_deref().unwrap_or("-");
    let name = line.name.as_deref().unwrap_or_default();
    format!("{:<8} {at:<26} {}  {name} {}", word(&line.kind), line.id, line.text).trim_end().to_owned()
}

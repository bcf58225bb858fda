//! A case as a picture: job, key, try, post, message and arrivals of each strand, one below the other by time, and
//! what ties them. Pure; the words of a node are the screen's.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde::Serialize;
use ts_rs::TS;

use super::{
    evidence::{Evidence, Happening, Status, Try},
    makers::{Maker, makers, rank},
    says::{Code, Proof, ProofKind},
    verdict::Answer,
};
use crate::{
    clock::Moment,
    ids::{JobMark, PostId},
    pozy::{answers::Meaning, contract::Contract},
};

/// Tries that are drawn; those of the proof first.
const MOST_TRIES: usize = 24;
/// Messages of one post that are drawn; those of the proof first.
const MOST_MESSAGES: usize = 4;
/// Characters shown of each side of a change.
const MOST_CHANGED: usize = 12;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum CaseKind {
    /// What somebody asked for.
    Job,
    /// The key it went out with.
    Key,
    /// One try of it.
    Try,
    /// A post at Pozy.
    Post,
    /// A message about the post.
    Message,
    /// The arrivals of that message.
    Arrivals,
}

/// How a node stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum CaseGlow {
    /// Belongs to the case.
    Plain,
    /// The verdict needs it.
    Proof,
    /// On the strand that made it two.
    Second,
}

/// One thing of the case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct CaseNode {
    /// Names it among the nodes.
    pub id: String,
    /// What it is.
    pub kind: CaseKind,
    /// Its row in the picture, from 0.
    pub row: u32,
    /// Id of the log's or Pozy's own thing: job, key, `JOB/N`, post or event.
    pub name: String,
    /// First words of a post; the name of a message; the workspace of a job.
    pub text: Option<String>,
    /// Picture of a try: `answered`, `replayed`, `lost`, `wait`, `refused`, `not_sent`.
    pub mark: Option<String>,
    /// State of a post or of what a message speaks of.
    pub status: Option<String>,
    /// Platform a message speaks of.
    pub platform: Option<String>,
    /// Status of the answer to a try.
    pub code: Option<u16>,
    /// Number of a try, of a key of its job, or how often a message arrived.
    pub n: u32,
    /// When: asked for, first used, left, first known, happened, first arrived.
    #[ts(type = "number | null")]
    pub at_ms: Option<i64>,
    /// Until when: key alive, try answered or given up, last arrival.
    #[ts(type = "number | null")]
    pub until_ms: Option<i64>,
    /// How it stands out.
    pub glow: CaseGlow,
}

/// How sure a tie is, and what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum CaseTie {
    /// The log says so.
    Recorded,
    /// Worked out from other rows.
    WorkedOut,
    /// The try that made the second post.
    MadeTwo,
    /// The try was told of a post that was there.
    AlreadyThere,
}

/// A tie between two nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct CaseLink {
    /// The earlier node's id.
    pub from: String,
    /// The later node's id.
    pub to: String,
    /// What it is.
    pub tie: CaseTie,
}

/// Where words were changed between two tries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct CaseChange {
    /// Id of the try with the old words.
    pub from: String,
    /// Id of the try with the new words.
    pub to: String,
    /// What stood there.
    pub before: String,
    /// What stands there now.
    pub after: String,
}

/// The picture.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct CaseChain {
    /// Nodes by row, then from job to arrivals.
    pub nodes: Vec<CaseNode>,
    /// Ties.
    pub links: Vec<CaseLink>,
    /// Changes of words.
    pub changes: Vec<CaseChange>,
    /// Rows there are.
    pub rows: u32,
    /// Tries and messages that are not drawn.
    pub left_out: u32,
}

/// Draws the case.
#[must_use]
pub fn chain(evidence: &Evidence, answer: &Answer, contract: &Contract) -> CaseChain {
    let mut drawing = Drawing::of(evidence, answer, contract);
    let strands = drawing.strands();
    let mut row = 0;
    for strand in &strands {
        row += drawing.strand(strand, row);
    }
    drawing.ties(&strands);
    let mut chain = drawing.chain;
    chain.rows = row;
    chain.nodes.sort_by_key(|node| (node.row, node.kind));
    chain
}

/// One row of the picture: a try with the post it made, or a post nobody here made.
struct Strand<'a> {
    at: Moment,
    attempt: Option<&'a Try>,
    post: Option<&'a PostId>,
}

struct Drawing<'a> {
    evidence: &'a Evidence,
    answer: &'a Answer,
    contract: &'a Contract,
    /// The surest maker of each post.
    makers: BTreeMap<&'a PostId, Maker<'a>>,
    needed: HashSet<(ProofKind, &'a str)>,
    seen: BTreeSet<String>,
    chain: CaseChain,
}

impl<'a> Drawing<'a> {
    fn of(evidence: &'a Evidence, answer: &'a Answer, contract: &'a Contract) -> Self {
        let mut surest: BTreeMap<&PostId, Maker<'_>> = BTreeMap::new();
        for maker in makers(evidence) {
            let better = |known: &Maker<'_>| {
                (rank(known.sure), std::cmp::Reverse(known.by.at)) < (rank(maker.sure), std::cmp::Reverse(maker.by.at))
            };
            if surest.get(maker.post).is_none_or(better) {
                surest.insert(maker.post, maker);
            }
        }
        let needed = answer.proof.iter().filter(|row| row.needed).map(|row| (row.kind, row.name.as_str())).collect();
        let (seen, chain) = (BTreeSet::new(), CaseChain::default());
        Self { evidence, answer, contract, makers: surest, needed, seen, chain }
    }

    /// The rows of the picture, by time. Of very many tries those of the proof and those that made a post are kept.
    fn strands(&mut self) -> Vec<Strand<'a>> {
        let weight = |attempt: &Try| {
            let name = name_of(attempt);
            let proof = self.answer.proof.iter().any(|row| row.kind == ProofKind::Attempt && row.name == name);
            let made = self.makers.values().any(|maker| maker.by == attempt);
            (!proof, !made, attempt.at)
        };
        let mut tries: Vec<&Try> = self.evidence.attempts.iter().collect();
        tries.sort_by_cached_key(|attempt| weight(attempt));
        self.leave_out(tries.len().saturating_sub(MOST_TRIES));
        tries.truncate(MOST_TRIES);
        let mut placed: BTreeSet<&PostId> = BTreeSet::new();
        let mut strands: Vec<Strand<'_>> = Vec::new();
        for attempt in tries {
            let made = self.makers.values().find(|maker| maker.by == attempt && !placed.contains(maker.post));
            placed.extend(made.map(|maker| maker.post));
            let post = made.map(|maker| maker.post);
            strands.push(Strand { at: attempt.at, attempt: Some(attempt), post });
        }
        let known = self.evidence.posts.iter().chain(&self.evidence.kin).chain(&self.answer.posts);
        for post in known {
            if let Some(at) = self.evidence.since(post).filter(|_| !placed.contains(post)) {
                placed.insert(post);
                strands.push(Strand { at, attempt: None, post: Some(post) });
            }
        }
        strands.sort_by_key(|strand| strand.at);
        strands
    }

    /// Places the nodes of a strand; gives back how many rows it takes.
    fn strand(&mut self, strand: &Strand<'a>, row: u32) -> u32 {
        if let Some(attempt) = strand.attempt {
            self.attempt(attempt, row);
        }
        match strand.post {
            Some(post) => self.post(post, row),
            None => 1,
        }
    }

    fn attempt(&mut self, attempt: &Try, row: u32) {
        let (job, name) = (format!("job:{}", attempt.job), name_of(attempt));
        let lit = self.glow(ProofKind::Attempt, &name);
        let glow = if self.is_second(attempt) { CaseGlow::Second } else { lit };
        let of_job: Vec<&Try> = self.evidence.attempts.iter().filter(|other| other.job == attempt.job).collect();
        self.node(CaseNode {
            text: Some(attempt.workspace.clone()),
            at_ms: of_job.iter().map(|other| other.at.millis()).min(),
            glow: self.shared(glow, &of_job),
            ..bare(&job, CaseKind::Job, row, attempt.job.as_str())
        });
        let id = format!("try:{name}");
        match &attempt.key {
            Some(key) => {
                let of_key: Vec<&Try> = self.evidence.attempts.iter().filter(|other| other.same_key(attempt)).collect();
                let first = of_key.iter().map(|other| other.at).min().unwrap_or(attempt.at);
                let node = format!("key:{}/{key}", attempt.workspace);
                self.node(CaseNode {
                    n: nth_key(&of_job, key),
                    text: Some(attempt.workspace.clone()),
                    at_ms: Some(first.millis()),
                    until_ms: Some(first.plus_seconds(self.contract.key_life_h * 3600).millis()),
                    glow: self.shared(glow, &of_key),
                    ..bare(&node, CaseKind::Key, row, key)
                });
                self.link(&job, &node, CaseTie::Recorded);
                self.link(&node, &id, CaseTie::Recorded);
            }
            None => self.link(&job, &id, CaseTie::Recorded),
        }
        self.node(CaseNode {
            mark: Some(mark_of(attempt).to_owned()),
            code: attempt.status,
            n: attempt.n,
            at_ms: Some(attempt.at.millis()),
            until_ms: attempt.ended.map(Moment::millis),
            glow,
            ..bare(&id, CaseKind::Try, row, &name)
        });
    }

    fn post(&mut self, post: &PostId, row: u32) -> u32 {
        let id = format!("post:{post}");
        let of_post: Vec<&Happening> = self.evidence.events.iter().filter(|event| event.post == *post).collect();
        let words = self.makers.get(post).and_then(|maker| maker.by.content.as_ref());
        let told = of_post.iter().find_map(|event| event.text.clone());
        let glow = if self.is_later(post) {
            CaseGlow::Second
        } else if self.answer.posts.contains(post) {
            CaseGlow::Proof
        } else {
            CaseGlow::Plain
        };
        self.node(CaseNode {
            text: words.map(|content| content.text.clone()).or(told),
            status: self.state(post),
            at_ms: self.evidence.since(post).map(Moment::millis),
            glow,
            ..bare(&id, CaseKind::Post, row, post.as_str())
        });
        let mut shown = of_post.clone();
        shown.sort_by_key(|event| (self.glow(ProofKind::Event, event.event.as_str()) == CaseGlow::Plain, event.at));
        self.leave_out(shown.len().saturating_sub(MOST_MESSAGES));
        shown.truncate(MOST_MESSAGES);
        shown.sort_by_key(|event| event.at);
        for (event, row) in shown.iter().zip(row..) {
            self.message(event, row, &id);
        }
        u32::try_from(shown.len()).unwrap_or(u32::MAX).max(1)
    }

    fn message(&mut self, event: &Happening, row: u32, post: &str) {
        let (id, came) = (format!("message:{}", event.event), format!("arrivals:{}", event.event));
        self.node(CaseNode {
            text: Some(event.name.clone()),
            status: event.says.first().map(|status| status.word.clone()),
            platform: event.platform.clone(),
            at_ms: Some(event.at.millis()),
            glow: self.glow(ProofKind::Event, event.event.as_str()),
            ..bare(&id, CaseKind::Message, row, event.event.as_str())
        });
        self.link(post, &id, CaseTie::Recorded);
        let arrivals = self.evidence.arrivals.iter().filter(|arrival| arrival.event == event.event);
        let times: Vec<i64> = arrivals.map(|arrival| arrival.at.millis()).collect();
        if times.is_empty() {
            return;
        }
        self.node(CaseNode {
            n: u32::try_from(times.len()).unwrap_or(u32::MAX),
            status: event.says.first().map(|status| status.word.clone()),
            at_ms: times.iter().min().copied(),
            until_ms: times.iter().max().copied(),
            glow: self.glow(ProofKind::Arrival, event.event.as_str()),
            ..bare(&came, CaseKind::Arrivals, row, event.event.as_str())
        });
        self.link(&id, &came, CaseTie::Recorded);
    }

    /// What ties tries to posts, and tries whose words were changed.
    fn ties(&mut self, strands: &[Strand<'a>]) {
        let posts: Vec<Maker<'a>> = self.makers.values().copied().collect();
        for maker in posts {
            let tie = match (self.is_later(maker.post), maker.told_by) {
                (true, None) => CaseTie::MadeTwo,
                (_, Some(_)) => CaseTie::WorkedOut,
                (false, None) => CaseTie::Recorded,
            };
            self.link(&format!("try:{}", name_of(maker.by)), &format!("post:{}", maker.post), tie);
        }
        let tries: Vec<&Try> = strands.iter().filter_map(|strand| strand.attempt).collect();
        for (at, attempt) in tries.iter().enumerate() {
            let told = matches!(attempt.meaning, Some(Meaning::SameContent | Meaning::Replayed));
            if let Some(post) = attempt.post.as_ref().filter(|_| told) {
                self.link(&format!("try:{}", name_of(attempt)), &format!("post:{post}"), CaseTie::AlreadyThere);
            }
            if attempt.meaning == Some(Meaning::SameContent)
                && let Some(next) = tries.iter().skip(at + 1).find(|next| self.makers.values().any(|m| m.by == **next))
                && let (Some(before), Some(after)) = (&attempt.content, &next.content)
                && let Some((before, after)) = changed(&before.text, &after.text)
            {
                let (from, to) = (format!("try:{}", name_of(attempt)), format!("try:{}", name_of(next)));
                self.chain.changes.push(CaseChange { from, to, before, after });
            }
        }
        // A tie to what is not drawn has no end.
        let seen = &self.seen;
        self.chain.links.retain(|link| seen.contains(&link.from) && seen.contains(&link.to));
    }

    fn leave_out(&mut self, count: usize) {
        self.chain.left_out += u32::try_from(count).unwrap_or(u32::MAX);
    }

    fn node(&mut self, node: CaseNode) {
        if self.seen.insert(node.id.clone()) {
            self.chain.nodes.push(node);
        }
    }

    fn link(&mut self, from: &str, to: &str, tie: CaseTie) {
        if self.chain.links.iter().all(|link| link.from != from || link.to != to) {
            self.chain.links.push(CaseLink { from: from.to_owned(), to: to.to_owned(), tie });
        }
    }

    fn glow(&self, kind: ProofKind, name: &str) -> CaseGlow {
        if self.needed.contains(&(kind, name)) { CaseGlow::Proof } else { CaseGlow::Plain }
    }

    /// A job or key is of the second strand only if all its tries are.
    fn shared(&self, glow: CaseGlow, tries: &[&Try]) -> CaseGlow {
        match glow {
            CaseGlow::Second if !tries.iter().all(|attempt| self.is_second(attempt)) => CaseGlow::Proof,
            glow => glow,
        }
    }

    /// True for a post that should not be there beside the oldest one.
    fn is_later(&self, post: &PostId) -> bool {
        self.answer.posts.iter().skip(1).any(|later| later == post)
    }

    /// True for a try that made a later post, that was told that it is there before somebody went on, or whose words
    /// never went out.
    fn is_second(&self, attempt: &Try) -> bool {
        let needed = || self.needed.contains(&(ProofKind::Attempt, name_of(attempt).as_str()));
        self.makers.values().any(|maker| maker.by == attempt && self.is_later(maker.post))
            || (self.answer.verdict == Code::EditedAfterRefusal
                && attempt.meaning == Some(Meaning::SameContent)
                && needed())
            || (self.answer.verdict == Code::KeyReused && attempt.meaning == Some(Meaning::Replayed) && needed())
    }

    /// The state of a post as its rows tell it: live wins, then failed, then the newest word.
    fn state(&self, post: &PostId) -> Option<String> {
        let heard = self.evidence.events.iter().filter(|event| event.post == *post).map(|event| &event.says);
        let fetched = self.evidence.observations.iter().filter(|seen| seen.post == *post).map(|seen| &seen.says);
        let all: Vec<&Status> = heard.chain(fetched).flatten().collect();
        let found = all.iter().find(|status| status.is_live()).or_else(|| all.iter().find(|status| status.is_failed()));
        found.or(all.last()).map(|status| status.word.clone())
    }
}

/// A node without anything but its place.
fn bare(id: &str, kind: CaseKind, row: u32, name: &str) -> CaseNode {
    CaseNode {
        id: id.to_owned(),
        kind,
        row,
        name: name.to_owned(),
        text: None,
        mark: None,
        status: None,
        platform: None,
        code: None,
        n: 1,
        at_ms: None,
        until_ms: None,
        glow: CaseGlow::Plain,
    }
}

fn name_of(attempt: &Try) -> String {
    format!("{}/{}", attempt.job, attempt.n)
}

/// The picture of a try.
fn mark_of(attempt: &Try) -> &'static str {
    attempt.end.map_or("lost", |end| end.mark(attempt.meaning))
}

/// Which key of its job this is, from 1, by first use.
fn nth_key(of_job: &[&Try], key: &str) -> u32 {
    let mut keys: Vec<&str> = Vec::new();
    for used in of_job.iter().filter_map(|attempt| attempt.key.as_deref()) {
        if !keys.contains(&used) {
            keys.push(used);
        }
    }
    keys.iter().position(|known| *known == key).and_then(|at| u32::try_from(at + 1).ok()).unwrap_or(1)
}

/// The picture of a proof row: that of a try, `live`, `failed`, `partly` or `news` for messages and what they brought,
/// `again` for an arrival that was not the first, `seen` for a fetch, `note`.
#[must_use]
pub fn proof_mark(evidence: &Evidence, row: &Proof) -> String {
    let of_event = || {
        let event = evidence.events.iter().find(|event| event.event.as_str() == row.name);
        let says = event.map(|event| event.says.as_slice()).unwrap_or_default();
        match says.first().map(|status| status.word.as_str()) {
            Some("published") => "live",
            Some("failed") => "failed",
            Some("partial") => "partly",
            _ => "news",
        }
    };
    let mark = match row.kind {
        ProofKind::Attempt => {
            let of_row = |attempt: &&Try| attempt.at == row.at && name_of(attempt) == row.name;
            evidence.attempts.iter().find(of_row).map_or("lost", mark_of)
        }
        ProofKind::Event => of_event(),
        ProofKind::Arrival => {
            let mut of_row = evidence.arrivals.iter().filter(|came| came.at == row.at);
            let again = of_row.find(|came| came.event.as_str() == row.name).is_some_and(|came| came.copy > 1);
            if again { "again" } else { of_event() }
        }
        ProofKind::Observation => "seen",
        ProofKind::Note => "note",
    };
    mark.to_owned()
}

/// Where two texts differ: what stood there and what stands there now, cut short.
fn changed(before: &str, after: &str) -> Option<(String, String)> {
    let (before, after): (Vec<char>, Vec<char>) = (before.trim().chars().collect(), after.trim().chars().collect());
    if before == after {
        return None;
    }
    let start = before.iter().zip(&after).take_while(|(one, other)| one == other).count();
    let rest = (before.iter().skip(start).rev()).zip(after.iter().skip(start).rev());
    let end = rest.take_while(|(one, other)| one == other).count();
    let part = |text: &[char]| -> String {
        let middle = text.get(start..text.len() - end).unwrap_or_default();
        let shown: String = middle.iter().take(MOST_CHANGED).collect();
        if middle.len() > MOST_CHANGED { format!("{shown}…") } else { shown }
    };
    Some((part(&before), part(&after)))
}

/// The jobs of the case in the order they were asked for.
#[must_use]
pub fn jobs(evidence: &Evidence) -> Vec<JobMark> {
    let mut jobs: Vec<JobMark> = Vec::new();
    for attempt in &evidence.attempts {
        if !jobs.contains(&attempt.job) {
            jobs.push(attempt.job.clone());
        }
    }
    jobs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_shown_where_it_is() {
        let told = |before, after| changed(before, after).unwrap();
        assert_eq!(told("Tickets are live.", "Tickets are live!"), (".".to_owned(), "!".to_owned()));
        assert_eq!(told("at nine", "at nine today"), (String::new(), " today".to_owned()));
        assert_eq!(told("aab", "ab"), ("a".to_owned(), String::new()));
        assert_eq!(changed(" same", "same "), None);
        assert_eq!(told("x", "a very long piece of text").1, "a very long …");
    }
}

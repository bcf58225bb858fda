//! What this log knows that bears on one act: uses of the key, posts and jobs with equal or near content. Plain values
//! that the store fills in; the comparison of words is done here. Pure.

use serde::Deserialize;

use super::{
    live::{self, News, Standing},
    memory::Use,
    span::Span,
    words::{Place, Timing, Words, differ_by},
};
use crate::{
    clock::Moment,
    ids::{AccountId, JobId, JobMark, PostId, WorkspaceId},
    outbound::{
        job::BodyHash,
        outcome::{Outcome, State},
    },
    pozy::{contract::Contract, envelope::TEXT_MAX},
};

/// Newest messages whose words are looked through for posts that nothing else told of.
pub const MESSAGES: i64 = 10_000;

/// Everything that bears on one act.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Known {
    /// Attempts with the key in the workspace, oldest first.
    pub uses: Vec<Use>,
    /// Targets of posts that may be equal, near, or the job's own.
    pub posts: Vec<PostTarget>,
    /// Targets of jobs whose outcome is open.
    pub jobs: Vec<JobTarget>,
    /// Posts of the job and of those posted again from it or it from them.
    pub own: Vec<PostId>,
    /// A post was made by one of those jobs, and its id is not known.
    pub own_untold: bool,
    /// Accounts that something was told of.
    #[serde(default)]
    pub accounts: Vec<AccountState>,
    /// Server's clock less ours by the workspace's latest answer, nanoseconds.
    pub ahead: Option<i64>,
    /// The log knows of other workspaces, by a connection or by a file.
    #[serde(default)]
    pub others: bool,
    /// More messages came in lately than were looked through for words.
    #[serde(default)]
    pub words_behind: bool,
    /// Targets of rows of a file that would be sent before.
    #[serde(skip)]
    pub rows: Vec<RowTarget>,
}

/// One target of a row of a file that would be sent before: planned, or on its way by then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowTarget {
    /// The line the row starts on.
    pub line: u64,
    /// The account.
    pub account: AccountId,
    /// Its text.
    pub text: String,
    /// Hash of text and media.
    pub words: BodyHash,
}

impl RowTarget {
    /// The targets of the row at `line`. A draft is live nowhere and has none.
    pub fn all(line: u64, words: &Words) -> impl Iterator<Item = Self> {
        let places = words.places.iter().filter(|_| words.timing != Timing::Never);
        places.map(move |place| Self {
            line,
            account: place.account.clone(),
            text: place.text.clone(),
            words: words.mark_of(place),
        })
    }
}

/// What was last told of an account.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct AccountState {
    /// The account.
    pub account: AccountId,
    /// Its state.
    pub status: String,
    /// Since when, nanoseconds since 1970.
    pub at: i64,
}

impl AccountState {
    /// True if nothing can be posted to it.
    #[must_use]
    pub fn is_away(&self) -> bool {
        matches!(self.status.as_str(), "disconnected" | "gone")
    }
}

/// One target of a post that this log knows of.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PostTarget {
    /// The post.
    pub post: PostId,
    /// The account.
    pub account: AccountId,
    /// Its text, if it is known.
    pub text: Option<String>,
    /// Hash of text and media, if they are known; only messages told of a text without it.
    pub words: Option<BodyHash>,
    /// The workspace it is in, if that is known.
    pub workspace: Option<WorkspaceId>,
    /// When it was to be published.
    pub scheduled: Option<i64>,
    /// When a person last looked at the account and did not see it there.
    #[serde(default)]
    pub unseen: Option<i64>,
    /// What was told of it.
    pub news: Vec<News>,
}

/// One target of a job whose outcome is open.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct JobTarget {
    /// The job.
    pub job: JobId,
    /// Its name.
    pub mark: JobMark,
    /// True for the job itself and for those posted again from it or it from them.
    pub own: bool,
    /// The account.
    pub account: AccountId,
    /// Its text.
    pub text: String,
    /// Hash of text and media.
    pub words: BodyHash,
    /// Its workspace.
    pub workspace: WorkspaceId,
    /// Where it stands.
    pub state: State,
    /// What its attempts add up to.
    pub outcome: Outcome,
    /// Its latest attempt, or when it was asked for.
    pub last: i64,
    /// When it is to be published.
    pub scheduled: Option<i64>,
    /// When a person looked after its latest attempt and found that no post is there.
    pub none_seen: Option<i64>,
}

/// A look of a person that found no post of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Looked {
    /// When.
    pub at: Moment,
    /// True if it came late enough: what was sent or planned by then would have been live.
    pub late_enough: bool,
}

/// How a claim's words relate to those that would be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// The same text and media.
    Equal,
    /// A text that differs by so many characters, or the same text with other media.
    Near(usize),
    /// Only messages told of its text, which is the same or nearly so: its media, the account's own words and what
    /// follows the first words are not known.
    Heard,
    /// Other words.
    Other,
}

/// What one post or open job says of one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The post; none for a job that may have made one.
    pub post: Option<PostId>,
    /// The open job.
    pub job: Option<JobMark>,
    /// The line of a row that would be sent before.
    pub line: Option<u64>,
    /// True for the job's own posts and those posted again from it or it from them.
    pub own: bool,
    /// True if it is known to be in the workspace the act goes to.
    pub here: bool,
    /// How its words relate.
    pub likeness: Likeness,
    /// Its words, if they are known.
    pub text: Option<String>,
    /// Where it stands.
    pub standing: Standing,
    /// Whether a person looked for it and found none.
    pub looked: Option<Looked>,
    /// When a person did not see on the account what Pozy says is live.
    pub unseen: Option<Moment>,
    /// The earliest moment that anything told of the post holds for.
    pub told_since: Option<Moment>,
}

/// Who asks, and when.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The workspace the act goes to.
    pub workspace: WorkspaceId,
    /// The present by either clock.
    pub now: Span,
    /// Settings of the provider.
    pub contract: &'a Contract,
}

impl Known {
    /// What is claimed of `place`. `except` leaves out a job whose own key answers for it.
    #[must_use]
    pub fn claims(&self, words: &Words, place: &Place, except: Option<JobId>, view: View<'_>) -> Vec<Claim> {
        let posts = self.posts.iter().filter(|target| target.account == place.account).filter_map(|target| {
            let own = self.own.contains(&target.post);
            let likeness = match (&target.words, &target.text) {
                (None, Some(text)) => heard(place, text, view.contract),
                (mark, text) => like(words, place, mark.as_ref(), text.as_deref(), view.contract),
            };
            let scheduled = target.scheduled.map(Moment);
            let standing = live::standing(&target.news, scheduled, view.now, view.contract);
            (own || likeness != Likeness::Other).then(|| Claim {
                post: Some(target.post.clone()),
                job: None,
                line: None,
                own,
                here: own || target.workspace == Some(view.workspace),
                unseen: target.unseen.map(Moment).filter(|at| standing.live_since().is_some_and(|since| since <= *at)),
                told_since: target.news.iter().map(|news| Moment(news.at)).min(),
                likeness,
                text: target.text.clone(),
                standing,
                looked: None,
            })
        });
        let open = self.jobs.iter().filter(|job| job.account == place.account && Some(job.job) != except);
        let jobs = open.filter_map(|job| {
            let likeness = like(words, place, Some(&job.words), Some(&job.text), view.contract);
            let looked = job.looked(view.contract);
            (job.own || likeness != Likeness::Other && job.is_recent(view)).then(|| Claim {
                post: None,
                job: Some(job.mark.clone()),
                line: None,
                own: job.own,
                here: job.workspace == view.workspace,
                likeness,
                text: Some(job.text.clone()),
                standing: Standing::Unclear(if looked.is_some_and(|looked| looked.late_enough) {
                    live::Unclear::NOT_FOUND
                } else {
                    live::Unclear::UNKNOWN
                }),
                looked,
                unseen: None,
                told_since: None,
            })
        });
        let untold = self.own_untold.then_some(Claim {
            post: None,
            job: None,
            line: None,
            own: true,
            here: true,
            likeness: Likeness::Equal,
            text: None,
            standing: Standing::Unclear(live::Unclear::UNKNOWN),
            looked: None,
            unseen: None,
            told_since: None,
        });
        let rows = self.rows.iter().filter(|row| row.account == place.account).filter_map(|row| {
            let likeness = like(words, place, Some(&row.words), Some(&row.text), view.contract);
            (likeness != Likeness::Other).then_some(Claim {
                post: None,
                job: None,
                line: Some(row.line),
                own: false,
                here: true,
                likeness,
                text: Some(row.text.clone()),
                looked: None,
                unseen: None,
                told_since: None,
                standing: Standing::Counts { since: None },
            })
        });
        posts.chain(jobs).chain(untold).chain(rows).collect()
    }
}

impl JobTarget {
    /// The look of a person, if there was one. It counts once anything sent or planned before had time to go live.
    fn looked(&self, contract: &Contract) -> Option<Looked> {
        let at = Moment(self.none_seen?);
        let due = Moment(self.scheduled.map_or(self.last, |time| time.max(self.last)));
        Some(Looked { at, late_enough: at >= due.plus_seconds(contract.too_close_min * 60) })
    }

    /// True while a post of it could still count: weekly words stay free.
    fn is_recent(&self, view: View<'_>) -> bool {
        let live = view.contract.near_window_h * 3_600 + view.contract.too_close_min * 60;
        let from = self.scheduled.map_or(self.last, |time| time.max(self.last));
        view.now.youngest_since(Moment(from)) <= live * Moment::SECOND
    }
}

fn like(words: &Words, place: &Place, mark: Option<&BodyHash>, text: Option<&str>, contract: &Contract) -> Likeness {
    if mark.is_some_and(|mark| *mark == words.mark_of(place)) {
        return Likeness::Equal;
    }
    let near = text.and_then(|text| differ_by(text, &place.text, contract.near_text_percent));
    near.map_or(Likeness::Other, Likeness::Near)
}

/// A message tells the first words of a post: they are compared with the first words of what would be sent.
fn heard(place: &Place, text: &str, contract: &Contract) -> Likeness {
    let first: String = place.text.chars().take(TEXT_MAX).collect();
    differ_by(text, &first, contract.near_text_percent).map_or(Likeness::Other, |_| Likeness::Heard)
}

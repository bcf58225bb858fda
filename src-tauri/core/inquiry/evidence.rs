//! The rows of one inquiry as plain values: what the log holds around the posts, text, key, job, event or address
//! that somebody asked about.

use crate::{
    clock::Moment,
    ids::{AccountId, EventId, JobMark, PostId},
    outbound::job::EndKind,
    pozy::{
        answers::Meaning,
        secrecy::{Mask, Source},
    },
};

use super::words::Content;

/// Everything known around a question.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// What was asked.
    pub asked: Asked,
    /// What covered the secrets in it: whatever belongs to the same answer gets the same placeholders by it.
    pub mask: Mask,
    /// Posts the question is about: named, or found by what was named.
    pub posts: Vec<PostId>,
    /// Posts that share a job, a key, a refusal or the same words with the only post asked about.
    pub kin: Vec<PostId>,
    /// Tries, by time.
    pub attempts: Vec<Try>,
    /// Real events, by time; tests prove nothing (R6).
    pub events: Vec<Happening>,
    /// Arrivals of those events that count, by time.
    pub arrivals: Vec<Came>,
    /// States fetched from Pozy, by time.
    pub observations: Vec<Fetch>,
    /// What people saw or decided, by time.
    pub notes: Vec<Noted>,
}

/// How the question was put.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// By key, job or words: then posts that are missing are part of the question (contract, `key_reused`).
    pub by_order: bool,
    /// Live addresses that were pasted, each once, secrets masked.
    pub urls: Vec<String>,
}

/// One try of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Try {
    /// Its job.
    pub job: JobMark,
    /// Counts from 1 in the job.
    pub n: u32,
    /// When it left.
    pub at: Moment,
    /// Path of the call.
    pub path: String,
    /// Name of the workspace it went to.
    pub workspace: String,
    /// True if it was sent from here, false if a file tells of it.
    pub local: bool,
    /// The key it carried.
    pub key: Option<String>,
    /// What it would put where, if its body can be read.
    pub content: Option<Content>,
    /// How it ended; none if nobody knows.
    pub end: Option<EndKind>,
    /// When that was known.
    pub ended: Option<Moment>,
    /// Status of the answer.
    pub status: Option<u16>,
    /// What the answer means.
    pub meaning: Option<Meaning>,
    /// The post the answer tells of.
    pub post: Option<PostId>,
    /// Whether the returned text differs from the sent one, where both are known (R7).
    pub differs: Option<bool>,
}

impl Try {
    /// True if it may have made a post without telling: lost, interrupted, or answered without saying (R13).
    #[must_use]
    pub fn may_have_made(&self) -> bool {
        self.end != Some(EndKind::NotSent) && matches!(self.meaning, None | Some(Meaning::Unknown | Meaning::Poll))
    }

    /// True if both carried one key to one workspace (R12).
    #[must_use]
    pub fn same_key(&self, other: &Self) -> bool {
        self.key.is_some() && self.key == other.key && self.workspace == other.workspace
    }

    /// The same words and media for an account that both name (R10).
    #[must_use]
    pub fn same_content(&self, other: &Self) -> bool {
        matches!((&self.content, &other.content), (Some(one), Some(two)) if one.same_on_an_account(two))
    }
}

/// What an event is about, as far as a verdict needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The whole post.
    RollUp,
    /// One target of it.
    Target,
    /// Anything else.
    Other,
}

/// A state of a post or of one target of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The target's account; none for the post as a whole.
    pub account: Option<AccountId>,
    /// The state, in Pozy's word.
    pub word: String,
}

impl Status {
    /// True if it says that something can be seen on the platform.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.word == "published"
    }

    /// True if it says that it went wrong.
    #[must_use]
    pub fn is_failed(&self) -> bool {
        self.word == "failed"
    }
}

/// One event about a post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happening {
    /// Its id.
    pub event: EventId,
    /// Its name.
    pub name: String,
    /// What it is about.
    pub scope: Scope,
    /// The post.
    pub post: PostId,
    /// When it happened; when it first arrived, if it does not say.
    pub at: Moment,
    /// What it says.
    pub says: Vec<Status>,
    /// First words of the post, if the event carries them.
    pub text: Option<String>,
    /// The platform it speaks of.
    pub platform: Option<String>,
}

/// One arrival of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Came {
    /// The event.
    pub event: EventId,
    /// When it reached us.
    pub at: Moment,
    /// 1 for the first.
    pub copy: i64,
    /// Why it came again: code of design 3.8 and one sentence.
    pub cause: Option<(String, String)>,
}

/// State fetched from Pozy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// When it held.
    pub at: Moment,
    /// The post.
    pub post: PostId,
    /// What it says.
    pub says: Vec<Status>,
}

/// What a person saw or decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noted {
    /// When.
    pub at: Moment,
    /// The job it is about.
    pub job: Option<JobMark>,
    /// The post it is about.
    pub post: Option<PostId>,
    /// The action of design 7.
    pub action: String,
    /// Their words.
    pub text: String,
    /// `settled`: whether a post is there.
    pub there: Option<bool>,
    /// Who masked what is masked in their words.
    pub source: Source,
}

impl Evidence {
    /// The first moment the log knows of a post.
    #[must_use]
    pub fn since(&self, post: &PostId) -> Option<Moment> {
        let told = self.attempts.iter().filter(|attempt| attempt.post.as_ref() == Some(post)).map(|attempt| attempt.at);
        let heard = self.events.iter().filter(|event| event.post == *post).map(|event| event.at);
        let fetched = self.observations.iter().filter(|seen| seen.post == *post).map(|seen| seen.at);
        let noted = self.notes.iter().filter(|note| note.post.as_ref() == Some(post)).map(|note| note.at);
        told.chain(heard).chain(fetched).chain(noted).min()
    }
}

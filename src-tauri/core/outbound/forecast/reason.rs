//! The words a forecast is made of. Closed lists: what is not here is not foretold.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{
    clock::Moment,
    ids::{AccountId, JobMark, PostId},
};

/// What is about to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum Act {
    /// A new post.
    Submit,
    /// The same key and the same bytes once more, to learn the outcome.
    AskAgain,
    /// A new key, and a new job linked to the old one.
    PostAgain,
}

/// What would come of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum Effect {
    /// The first post comes back, nothing is made (R7).
    ReturnsExisting,
    /// The one post is made now.
    CreatesFirst,
    /// A second live post is made.
    CreatesSecond,
    /// A new post is made that is not a second live one: the first failed or was cancelled (R11).
    CreatesAgain,
    /// The same content is there, nothing is made (R10).
    RefusedSameContent,
    /// The key stands for another call, nothing is made (R8).
    RefusedKeyReuse,
    /// The first request still runs, nothing is made (R9).
    InProgress,
    /// It cannot be told from what is stored.
    CannotTell,
}

impl Effect {
    /// All there are.
    pub const ALL: [Self; 8] = [
        Self::ReturnsExisting,
        Self::CreatesFirst,
        Self::CreatesSecond,
        Self::CreatesAgain,
        Self::RefusedSameContent,
        Self::RefusedKeyReuse,
        Self::InProgress,
        Self::CannotTell,
    ];

    /// The word in JSON, on the command line and in sentences about either.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::ReturnsExisting => "returns_existing",
            Self::CreatesFirst => "creates_first",
            Self::CreatesSecond => "creates_second",
            Self::CreatesAgain => "creates_again",
            Self::RefusedSameContent => "refused_same_content",
            Self::RefusedKeyReuse => "refused_key_reuse",
            Self::InProgress => "in_progress",
            Self::CannotTell => "cannot_tell",
        }
    }
}

/// How much a person must say before it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum Risk {
    /// Nothing: no answer that is possible leaves two live posts.
    Safe,
    /// That it is meant.
    Confirm,
    /// That it is meant although a second live post may come of it.
    Blocked,
}

/// What to do instead, or next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum Suggest {
    /// Ask with the stored key.
    AskAgain,
    /// Post with a new key.
    PostAgain,
    /// Fetch what Pozy has.
    FetchFirst,
    /// Open the post that is there.
    OpenExisting,
    /// Wait as Pozy asked.
    Wait,
    /// Mend the request.
    Fix,
    /// Post again to the targets that failed, and to no other.
    FailedTargetsOnly,
}

/// Why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum Reason {
    /// Pozy surely remembers the key.
    KeyAlive,
    /// Pozy surely forgot the key.
    KeyGone,
    /// The end of the key's life is too close to call.
    KeyNearEnd,
    /// The log may lack the first use of the key.
    KeyAgeUnknown,
    /// It goes out with a new key.
    NewKey,
    /// It has no key, or goes to a path not known to take one.
    NoKey,
    /// Nothing that was sent with the key was carried out.
    KeyUnused,
    /// The key stands for other words.
    KeyForOtherWords,
    /// Pozy said that the first request still runs.
    InProgress,
    /// A try got no answer and may have made the post.
    UnknownOutcome,
    /// Pozy gave a final no to these very bytes.
    AnsweredNo,
    /// The first post is not live.
    FirstNotLive,
    /// The first post is live.
    FirstLive,
    /// The same content is planned, on its way or freshly live there.
    SameContentThere,
    /// The content check is over for a post that is live.
    CheckOver,
    /// The end of the content check is too close to call.
    CheckNearEnd,
    /// Nearly the same words are live there.
    NearContent,
    /// What is stored of a post is too old or too little.
    StaleState,
    /// Some targets are live, others are not.
    Partial,
    /// It would go through, or the same words went through, another workspace.
    OtherWorkspace,
    /// The time it was planned for has passed.
    SchedulePassed,
    /// It is kept as a draft.
    Draft,
    /// Nothing of it is there yet.
    NothingThere,
    /// Our clock and Pozy's differ.
    ClockSkew,
    /// A person looked and found no post of it.
    SeenNotThere,
    /// A person looked and found none, too soon after the try to count.
    LookedTooSoon,
    /// Pozy says that it is live, and a person did not see it on the account.
    NotSeenOnAccount,
    /// The wall-clock time comes twice in its zone.
    TimeTwice,
    /// The wall-clock time does not exist in its zone.
    TimeMissing,
    /// The zone, or the time, cannot be read.
    TimeUnreadable,
    /// An account it goes to was told to be disconnected.
    AccountDisconnected,
    /// More messages came in lately than are looked through for these words.
    WordsBehind,
}

impl Reason {
    /// True for the reasons for which alone an effect may be [`Effect::CannotTell`]: near a limit, stale state,
    /// partial, unknown outcome (also one that only a person's word settles), other workspace, schedule passed, and a key
    /// that stands for another call where nothing says what Pozy does then (T7).
    #[must_use]
    pub const fn leaves_open(self) -> bool {
        matches!(
            self,
            Self::KeyNearEnd
                | Self::CheckNearEnd
                | Self::KeyAgeUnknown
                | Self::StaleState
                | Self::AnsweredNo
                | Self::Partial
                | Self::UnknownOutcome
                | Self::OtherWorkspace
                | Self::SchedulePassed
                | Self::SeenNotThere
                | Self::NotSeenOnAccount
                | Self::KeyForOtherWords
        )
    }
}

/// One reason with its sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Because {
    /// The reason.
    pub code: Reason,
    /// One sentence for a person.
    pub text: String,
}

/// What an act would do at this minute (design 4.7, S11).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forecast {
    /// The act.
    pub action: Act,
    /// What would come of it.
    pub effect: Effect,
    /// Every status Pozy may answer with, ascending.
    pub expects: Vec<u16>,
    /// How much a person must say.
    pub risk: Risk,
    /// Why, the weightiest first.
    pub because: Vec<Because>,
    /// What to do instead, or next.
    pub suggest: Option<Suggest>,
}

/// A post that is known, or an open job that may make one, with the words it has on one account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beside {
    /// The post; none for an open job.
    pub post: Option<PostId>,
    /// The open job.
    pub job: Option<JobMark>,
    /// The account.
    pub account: AccountId,
    /// Its words there, if they are known.
    pub text: Option<String>,
    /// Since when it is live, if it surely is.
    pub since: Option<Moment>,
    /// True for the job's own posts and those posted again from it or it from them.
    pub own: bool,
}

impl Forecast {
    /// True if the other foretells the same, whatever its sentences: a confirmation of the one holds for the other.
    #[must_use]
    pub fn same_as(&self, other: &Self) -> bool {
        (self.action, self.effect, &self.expects, self.risk) == (other.action, other.effect, &other.expects, other.risk)
    }

    /// True if an answer is expected that makes something new.
    #[must_use]
    pub fn makes(&self) -> bool {
        self.expects.iter().any(|status| matches!(status, 201..=299))
    }

    /// The question which of two times is meant, if it is open: only the time itself answers it.
    #[must_use]
    pub fn open_time(&self) -> Option<&Because> {
        self.because.iter().find(|because| matches!(because.code, Reason::TimeTwice | Reason::TimeMissing))
    }

    /// The reasons as one text.
    #[must_use]
    pub fn says(&self) -> String {
        let texts: Vec<&str> = self.because.iter().map(|because| because.text.as_str()).collect();
        texts.join(" ")
    }
}

/// A moment in a sentence: to the minute, with its zone.
#[must_use]
pub(super) fn clock(moment: Moment) -> String {
    moment.utc().format("%Y-%m-%d %H:%M UTC").to_string()
}

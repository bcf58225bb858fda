//! The closed list of verdicts with the words a person reads: headline, whose side it was, whether it can happen
//! again, how to prevent it; and each proof row in one sentence.

use serde::Serialize;
use ts_rs::TS;

use super::evidence::{Came, Fetch, Happening, Noted, Status, Try};
use crate::{clock::Moment, outbound::job::EndKind, pozy::answers::Meaning};

/// Why there are two (design 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts", rename = "Verdict")]
pub enum Code {
    /// A recorded Post again with its reason.
    AllowedRepeat,
    /// One job, several keys.
    KeyPerTry,
    /// Sent again through another workspace or API key.
    WorkspaceChanged,
    /// One key, creates more than its life apart.
    KeyExpired,
    /// Refused as the same content, then edited and sent.
    EditedAfterRefusal,
    /// Called failed, was live, posted again.
    FalseFailureReposted,
    /// Two jobs, same content.
    TwoJobsSameContent,
    /// One Pozy post, two live copies.
    PublisherSide,
    /// One post; its message came more than once.
    CopiesOfOneEvent,
    /// One post; a target's message and the roll-up look like two.
    RollupAndTarget,
    /// One key used for different contents; the later ones never went out.
    KeyReused,
    /// No try for this post in this log.
    NotSentFromHere,
    /// The rows do not say.
    NotEnoughEvidence,
}

/// Whose side a cause lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum Side {
    /// This program, or the person at it.
    Us,
    /// The way between us and Pozy.
    Network,
    /// Another program that calls Pozy.
    OtherTool,
    /// Pozy.
    Pozy,
    /// Nobody can tell from these rows.
    Unknown,
}

impl Side {
    /// The side in the words of a sentence.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Us => "here: this program, or the person at it",
            Self::Network => "the way between here and Pozy",
            Self::OtherTool => "another program that calls Pozy",
            Self::Pozy => "Pozy, or the platform behind it",
            Self::Unknown => "cannot tell",
        }
    }
}

impl Code {
    /// What is so, in at most six words.
    #[must_use]
    pub const fn headline(self) -> &'static str {
        match self {
            Self::AllowedRepeat => "Posted again on purpose",
            Self::KeyPerTry => "A new key for every try",
            Self::WorkspaceChanged => "Sent through two workspaces",
            Self::KeyExpired => "Sent again after its key ended",
            Self::EditedAfterRefusal => "Refused, then edited and sent again",
            Self::FalseFailureReposted => "Called failed, was live",
            Self::TwoJobsSameContent => "Two jobs, the same words",
            Self::PublisherSide => "One post, live twice",
            Self::CopiesOfOneEvent => "Came twice, posted once",
            Self::RollupAndTarget => "Two messages, one post",
            Self::KeyReused => "One key for several texts",
            Self::NotSentFromHere => "No try for it in this log",
            Self::NotEnoughEvidence => "Not enough to say",
        }
    }

    /// Whether it can happen again, in one sentence.
    #[must_use]
    pub const fn again(self) -> &'static str {
        match self {
            Self::AllowedRepeat => "Only when somebody asks for it and gives a reason.",
            Self::KeyPerTry => "Yes: every lost answer can make another post while each try brings its own key.",
            Self::WorkspaceChanged => "Yes: a key holds in one workspace only, and so does the check of the content.",
            Self::KeyExpired => "Yes: once the key is gone, asking makes a new post.",
            Self::EditedAfterRefusal => "Yes: a changed character is enough to pass the check of the content.",
            Self::FalseFailureReposted => "Yes: an answer can be lost again, and what is called failed can be live.",
            Self::TwoJobsSameContent => "Yes: two jobs have two keys, and two that leave together pass the check.",
            Self::PublisherSide => "Cannot tell: it was not made by a second request of ours.",
            Self::CopiesOfOneEvent => "Yes, and it does no harm: Pozy sends a message until it is answered in time.",
            Self::RollupAndTarget => {
                "Yes, and it does no harm: every post has a message for each account and one more."
            }
            Self::KeyReused => "Yes: every later text under a key that is in use stays unpublished.",
            Self::NotSentFromHere | Self::NotEnoughEvidence => "Cannot tell from these rows.",
        }
    }

    /// How to prevent it, in one sentence.
    #[must_use]
    pub const fn prevent(self) -> &'static str {
        match self {
            Self::AllowedRepeat => "Nothing to prevent.",
            Self::KeyPerTry => "Make the key once for a job and send it with every try.",
            Self::WorkspaceChanged => "Ask again only with the API key that the first try went out with.",
            Self::KeyExpired => "After a day look at the post first; ask again only while its key is alive.",
            Self::EditedAfterRefusal => {
                "Take that refusal for good news: the post is there. Open it, do not edit and send."
            }
            Self::FalseFailureReposted => "Before posting again, ask again with the same key or fetch the post.",
            Self::TwoJobsSameContent => "Give the two senders one job, or one key made from what they publish.",
            Self::PublisherSide => "Only Pozy or the platform can; send them the post's id and both addresses.",
            Self::CopiesOfOneEvent => "Count messages by their id, never by how often they arrive.",
            Self::RollupAndTarget => "Count posts by their id, never by messages.",
            Self::KeyReused => "Make a key of its own for every text.",
            Self::NotSentFromHere => "Send through one place, or import the logs of the others.",
            Self::NotEnoughEvidence => "Keep the log running, so that the rows are there next time.",
        }
    }
}

impl Code {
    /// What to tell whoever is behind it, if there is anything; the last of the next steps.
    #[must_use]
    pub const fn tell(self) -> Option<&'static str> {
        match self {
            Self::KeyPerTry => Some("Tell whoever keeps that sender: one key for a job, the same for every try."),
            Self::WorkspaceChanged => Some("Agree on one workspace for each account."),
            Self::KeyExpired => Some("Tell whoever sends: a day after the first try, look before asking again."),
            Self::EditedAfterRefusal => {
                Some("Tell whoever sends: \u{201c}refused, already there\u{201d} means it went out.")
            }
            Self::FalseFailureReposted => Some("Let the sender keep its key and ask again after a lost answer."),
            Self::TwoJobsSameContent => Some("Tell both senders about each other, or leave the post to one of them."),
            Self::PublisherSide => Some("Note both addresses here, so that the case file carries them."),
            Self::CopiesOfOneEvent | Self::RollupAndTarget => {
                Some("Tell whoever counted two: nothing was posted a second time.")
            }
            Self::KeyReused => Some("Tell whoever keeps that sender: a new key for every text."),
            Self::AllowedRepeat | Self::NotSentFromHere | Self::NotEnoughEvidence => None,
        }
    }
}

/// What a proof row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum ProofKind {
    /// A try of a job; its name is `JOB/N`.
    Attempt,
    /// An event, named by its id.
    Event,
    /// An arrival, named by its event's id.
    Arrival,
    /// A fetch, named by its post.
    Observation,
    /// A note, named by its job or post.
    Note,
}

impl ProofKind {
    /// What it is called on screens and pages.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Attempt => "try",
            Self::Event => "message",
            Self::Arrival => "arrival",
            Self::Observation => "answer of Pozy",
            Self::Note => "note",
        }
    }
}

/// One row that a verdict rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Proof {
    /// What it is.
    pub kind: ProofKind,
    /// The id of Pozy's or the log's own thing.
    #[serde(rename = "ref")]
    pub name: String,
    /// When it was sent, happened, arrived, held or was noted.
    pub at: Moment,
    /// What it says.
    pub text: String,
    /// True if the verdict cannot stand without it, false if it only supports it.
    pub needed: bool,
}

impl Proof {
    /// The same row as one that only supports.
    #[must_use]
    pub fn supporting(self) -> Self {
        Self { needed: false, ..self }
    }
}

impl From<&Try> for Proof {
    fn from(attempt: &Try) -> Self {
        let key = attempt.key.as_ref().map_or_else(|| "without a key".to_owned(), |key| format!("with key {key}"));
        let post = attempt.post.as_ref().map(ToString::to_string).unwrap_or_default();
        let came = match (attempt.end, attempt.meaning) {
            (_, Some(Meaning::Created)) if post.is_empty() => "was accepted".to_owned(),
            (_, Some(Meaning::Created)) => format!("made {post}"),
            (_, Some(Meaning::Replayed)) => format!("got {post} back: it was there already"),
            (_, Some(Meaning::SameContent)) => format!("was refused: the same words are there as {post}"),
            (_, Some(Meaning::Conflict)) => "was told to wait: the first one still runs".to_owned(),
            (_, Some(Meaning::Rejected | Meaning::KeyElsewhere | Meaning::Redirected)) => "was refused".to_owned(),
            (_, Some(Meaning::Poll)) => "was told to ask later".to_owned(),
            (Some(EndKind::NotSent), _) => "never left".to_owned(),
            (Some(EndKind::Answered), _) => "was answered without saying what happened".to_owned(),
            (Some(EndKind::Timeout | EndKind::Reset | EndKind::Crash) | None, _) => "got no answer".to_owned(),
        };
        let status = attempt.status.map_or_else(String::new, |status| format!(" ({status})"));
        let workspace = &attempt.workspace;
        Self {
            kind: ProofKind::Attempt,
            name: format!("{}/{}", attempt.job, attempt.n),
            at: attempt.at,
            text: format!("Try {} of {} in {workspace}, {key}, {came}{status}.", attempt.n, attempt.job),
            needed: true,
        }
    }
}

impl From<&Happening> for Proof {
    fn from(event: &Happening) -> Self {
        let name = if event.name.is_empty() { "A message without a name" } else { &event.name };
        Self {
            kind: ProofKind::Event,
            name: event.event.to_string(),
            at: event.at,
            text: format!("{name} for {}{}.", event.post, told(&event.says)),
            needed: true,
        }
    }
}

impl From<&Came> for Proof {
    fn from(came: &Came) -> Self {
        let text = match (&came.cause, came.copy) {
            (Some((_, why)), copy) => format!("It came again, the {} time. {why}", nth(copy)),
            (None, 1) => "It came for the first time.".to_owned(),
            (None, copy) => format!("It came again, the {} time.", nth(copy)),
        };
        Self { kind: ProofKind::Arrival, name: came.event.to_string(), at: came.at, text, needed: true }
    }
}

impl From<&Fetch> for Proof {
    fn from(seen: &Fetch) -> Self {
        let text = format!("Pozy was asked about {}{}.", seen.post, told(&seen.says));
        Self { kind: ProofKind::Observation, name: seen.post.to_string(), at: seen.at, text, needed: true }
    }
}

impl From<&Noted> for Proof {
    fn from(note: &Noted) -> Self {
        let job = note.job.as_ref().map(ToString::to_string);
        let name = job.or_else(|| note.post.as_ref().map(ToString::to_string)).unwrap_or_default();
        let what = match note.action.as_str() {
            "post_again" => "Posted again on purpose",
            "seen_twice" => "Seen twice",
            "not_seen" => "Not seen on the account",
            "settled" => "Settled by hand",
            "cancelled" => "Stopped by hand",
            _ => "Noted",
        };
        let text = format!("{what}: {}", note.text);
        Self { kind: ProofKind::Note, name, at: note.at, text, needed: true }
    }
}

/// What a message or a fetch says, as the end of a sentence.
fn told(says: &[Status]) -> String {
    if says.is_empty() {
        return String::new();
    }
    let one = |status: &Status| match &status.account {
        Some(account) => format!("{} on {account}", status.word),
        None => status.word.clone(),
    };
    format!(": {}", says.iter().map(one).collect::<Vec<_>>().join(", "))
}

fn nth(number: i64) -> String {
    let ending = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// A span of time as people say it.
#[must_use]
pub fn span(ms: i64) -> String {
    let seconds = ms / 1_000;
    match (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60) {
        (0, 0, 0, 0) => format!("{ms} ms"),
        (0, 0, 0, seconds) => format!("{seconds} s"),
        (0, 0, minutes, 0) => format!("{minutes} min"),
        (0, 0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (0, hours, 0, _) => format!("{hours} h"),
        (0, hours, minutes, _) => format!("{hours} h {minutes} min"),
        (days, 0, ..) => format!("{days} d"),
        (days, hours, ..) => format!("{days} d {hours} h"),
    }
}

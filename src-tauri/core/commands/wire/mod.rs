//! What goes over the border to the screens, in either host. `ui/src/wire/` is generated from these types; a test
//! compares the two. No secret is ever in one of them: an API key or webhook secret only ever goes in.

mod bulk;
mod chain;
mod desktop;
mod events;
mod facts;
mod forecasts;
mod imports;
mod looking;
mod many;
mod posts;
mod search;
mod setup;
mod signing;
mod timeline;
mod why;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

pub use self::{
    bulk::*, chain::*, desktop::*, events::*, facts::*, forecasts::*, imports::*, looking::*, many::*, posts::*,
    search::*, setup::*, signing::*, timeline::*, why::*,
};
use crate::clock::Moment;

/// An instant: milliseconds for reckoning, and the text as exact as it is known (design 3.5).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Stamp {
    /// Milliseconds since 1970.
    pub ms: i64,
    /// RFC 3339, as exact as it was sent.
    pub text: String,
}

impl From<Moment> for Stamp {
    fn from(at: Moment) -> Self {
        Self { ms: at.millis(), text: at.to_string() }
    }
}

/// No arguments.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Nothing {}

/// What the top bar shows.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Status {
    /// The program's version.
    pub version: String,
    /// Where the log lies.
    pub data_dir: String,
    /// The program's present time.
    pub now: Stamp,
    /// IANA name of the computer's zone, such as `Europe/London`.
    pub zone: String,
    /// Number of the newest notice; a screen that saw a smaller one pulls anew.
    pub notice: u64,
    /// Present while practising with the sandbox on a log of its own.
    pub practice: Option<Practice>,
    /// Present while a case is shown instead of the person's own log, which goes on receiving and sending behind it.
    pub case: Option<CaseRow>,
    /// The receiver.
    pub receiver: ReceiverStatus,
    /// The workspace in use, if there is one.
    pub workspace: Option<WorkspaceRow>,
    /// How many posts wait for a person.
    pub needs_person: u32,
    /// Problems that a person should know now, each a sentence with what to do.
    pub problems: Vec<String>,
    /// Why nothing is sent: the log was restored, copied or moved, and nobody said yet to go on from here. None if it is
    /// where it belongs.
    pub held: Option<String>,
    /// How much of the log the rules of this version have judged, percent; none if they judged all of it. What they have
    /// not come to is shown as the version before judged it.
    pub judged_anew: Option<u8>,
}

/// The two-minute story of practice mode.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Practice {
    /// True while the story plays.
    pub playing: bool,
    /// Steps told so far, newest last.
    pub told: Vec<StoryLine>,
    /// How many lines the story has.
    pub lines: u32,
}

/// One line of the story, as it happened.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct StoryLine {
    /// When it happened.
    pub at: Stamp,
    /// What happened, in one sentence.
    pub says: String,
}

/// Whether arrivals can come in.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct ReceiverStatus {
    /// True while it listens.
    pub listening: bool,
    /// Full address of the default endpoint, while it listens.
    pub url: Option<String>,
    /// Why it does not listen and what to do.
    pub problem: Option<String>,
    /// True while another program receives and sends for this log, and this one only shows it.
    pub elsewhere: bool,
    /// The newest live arrival.
    pub last_arrival: Option<Stamp>,
    /// True if arrivals are verified; without a secret they are logged as unchecked.
    pub verifies: bool,
}

/// Told to every screen after something changed; numbered, so that one that missed some pulls anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Notice {
    /// Counts up by one.
    pub n: u64,
}

/// An error as the screens get it.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Problem {
    /// What the screen can act on.
    pub code: crate::error::Code,
    /// What happened, what it means, what to do.
    pub message: String,
}

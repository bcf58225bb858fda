//! What needs a person although nobody looks at a screen: a second live post, an unknown outcome, wrong signatures again
//! and again, a storm of copies. Which, how often and in which words is decided by [`Lookout`], which is pure; what the
//! log holds is gathered by [`watch`]. Hosts only show it.

mod lookout;
mod watch;

use crate::{
    clock::Moment,
    ids::{EventId, JobMark, PostId},
};

pub use self::{
    lookout::{Arrived, Lookout, Seen, Twin, Unknown},
    watch::watch,
};

/// What kind of thing needs a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Two posts with the same words on one account, neither failed nor cancelled.
    SecondPost,
    /// A post went out and nobody knows what came of it.
    UnknownJob,
    /// Several arrivals in a row were set aside for their signature.
    Signatures,
    /// Many arrivals in a short time only repeat what was known.
    CopyStorm,
}

/// Where an alert can be looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// At a job.
    Job(JobMark),
    /// At a post.
    Post(PostId),
    /// At an event.
    Event(EventId),
    /// Among the arrivals that were set aside.
    SetAside,
}

/// One thing that needs a person. The words of a post stand in the title alone; secrets nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alert {
    /// What kind of thing it is.
    pub kind: Kind,
    /// When it was seen.
    pub at: Moment,
    /// What is so, in one line.
    pub title: String,
    /// What it means and what to do.
    pub says: String,
    /// Where on the screens it can be looked at.
    pub place: Place,
    /// False if it should be listed without disturbing anybody: too many came at once, or it is practice.
    pub loud: bool,
}

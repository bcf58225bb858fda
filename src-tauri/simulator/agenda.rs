//! What falls due, in order of time, and of entry where times are equal.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::ids::PostId;
use crate::step::Step;
use crate::world::{Delivery, SlowCreate};

/// Something that the clock sets off.
pub(crate) enum Due {
    /// A scheduled post starts to publish.
    StartPublishing(PostId),
    /// One target of a publishing post ends; the number is its place in the post.
    EndTarget(PostId, usize),
    /// Every target of a post has had its turn.
    RollUp(PostId),
    /// The work of a slow create ends.
    FinishCreate(Box<SlowCreate>),
    /// A try of a delivery.
    Deliver(Delivery),
    /// A step of the script.
    Step(Box<Step>),
}

#[derive(Default)]
pub(crate) struct Agenda {
    entries: BTreeMap<(DateTime<Utc>, u64), Due>,
    count: u64,
}

impl Agenda {
    pub(crate) fn add(&mut self, at: DateTime<Utc>, due: Due) {
        self.count += 1;
        self.entries.insert((at, self.count), due);
    }

    pub(crate) fn next_at(&self) -> Option<DateTime<Utc>> {
        self.entries.first_key_value().map(|((at, _), _)| *at)
    }

    /// Takes the first entry that is due at `until` or before, with its time.
    pub(crate) fn take(&mut self, until: DateTime<Utc>) -> Option<(DateTime<Utc>, Due)> {
        let entry = self.entries.first_entry().filter(|entry| entry.key().0 <= until)?;
        let ((at, _), due) = entry.remove_entry();
        Some((at, due))
    }
}

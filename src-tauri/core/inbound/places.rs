//! Places for connections. All of them may be taken by senders that say nothing, or say it a byte at a time; then the one
//! that has kept us waiting for longest gives its place to the next, so that whoever has something to say gets to say it.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::{Notify, Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

/// The places of one receiver.
pub(super) struct Places {
    free: Semaphore,
    state: Mutex<State>,
    /// A connection began to wait for its sender.
    waits: Notify,
}

#[derive(Default)]
struct State {
    turn: u64,
    /// Connections that wait for their senders, longest first.
    waiting: BTreeMap<u64, CancellationToken>,
}

impl Places {
    /// So many places.
    pub(super) fn new(count: usize) -> Arc<Self> {
        Arc::new(Self { free: Semaphore::new(count), state: Mutex::default(), waits: Notify::new() })
    }

    /// Waits for a place. While none is free, the connection that waits for its sender since longest is told to leave;
    /// one that is being answered never is.
    pub(super) async fn take(self: &Arc<Self>) -> Place {
        let free = loop {
            if let Ok(free) = self.free.try_acquire() {
                break Some(free);
            }
            // Asked for before looking, so that none that begins to wait meanwhile is missed.
            let begins = self.waits.notified();
            if let Some(leaves) = self.longest() {
                leaves.cancel();
                break self.free.acquire().await.ok();
            }
            tokio::select! {
                free = self.free.acquire() => break free.ok(),
                () = begins => {}
            }
        };
        free.into_iter().for_each(SemaphorePermit::forget);
        let place = Place(Arc::new(Taken {
            places: Arc::clone(self),
            leave: CancellationToken::new(),
            turn: Mutex::default(),
        }));
        place.waits();
        place
    }

    fn longest(&self) -> Option<CancellationToken> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.waiting.pop_first().map(|(_, leaves)| leaves)
    }
}

/// The place of one connection; free again once all clones are gone.
#[derive(Clone)]
pub(super) struct Place(Arc<Taken>);

struct Taken {
    places: Arc<Places>,
    leave: CancellationToken,
    /// Its turn among those that wait; none while it is being answered.
    turn: Mutex<Option<u64>>,
}

impl Place {
    /// Done once this connection is to leave.
    pub(super) fn leaving(&self) -> CancellationToken {
        self.0.leave.clone()
    }

    /// From here on, while the value lives, it is us that the sender waits for. None if the connection is to leave.
    pub(super) fn answers(&self) -> Option<Answering> {
        let turn = self.0.turn.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut state = self.0.places.state.lock().unwrap_or_else(PoisonError::into_inner);
        turn.and_then(|turn| state.waiting.remove(&turn)).map(|_| Answering(self.clone()))
    }

    fn waits(&self) {
        let mut state = self.0.places.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.turn += 1;
        let turn = state.turn;
        state.waiting.insert(turn, self.0.leave.clone());
        drop(state);
        *self.0.turn.lock().unwrap_or_else(PoisonError::into_inner) = Some(turn);
        self.0.places.waits.notify_waiters();
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(turn) = turn {
            self.places.state.lock().unwrap_or_else(PoisonError::into_inner).waiting.remove(&turn);
        }
        self.places.free.add_permits(1);
    }
}

/// While it lives, the connection is being answered.
pub(super) struct Answering(Place);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.waits();
    }
}

/// Room for bodies that are on their way in or wait to be stored, bytes. On their way in small ones need none of it.
pub(super) struct Room(Arc<Semaphore>);

/// A body up to this size takes no room on its way in: places are few, and so is what they can hold together, bytes.
const SMALL: usize = 64 << 10;

impl Room {
    /// Room for so many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        Self(Arc::new(Semaphore::new(bytes)))
    }

    /// The room of one body that has none yet.
    pub(super) fn of_one(&self) -> Held {
        Held { room: Arc::clone(&self.0), bytes: 0 }
    }
}

/// The room that one body takes; given back when dropped.
pub(super) struct Held {
    room: Arc<Semaphore>,
    bytes: usize,
}

impl Held {
    /// Takes room for a body that has grown to `bytes`; false if there is none left.
    #[must_use]
    pub(super) fn grow(&mut self, bytes: usize) -> bool {
        self.hold(bytes.saturating_sub(SMALL))
    }

    /// Takes room for an arrival of `bytes` that waits to be stored; false if there is none left. A sender that leaves gives
    /// its place to the next, while what it sent still waits: so small ones count, too.
    #[must_use]
    pub(super) fn wait(&mut self, bytes: usize) -> bool {
        self.hold(bytes)
    }

    fn hold(&mut self, bytes: usize) -> bool {
        let more = bytes.saturating_sub(self.bytes);
        if more == 0 {
            return true;
        }
        let taken = u32::try_from(more).is_ok_and(|more| match self.room.try_acquire_many(more) {
            Ok(taken) => {
                taken.forget();
                true
            }
            Err(_) => false,
        });
        if taken {
            self.bytes = bytes;
        }
        taken
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.room.add_permits(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_one_that_keeps_us_waiting_for_longest_gives_its_place_and_one_that_is_answered_keeps_it() {
        let places = Places::new(3);
        let (first, second, third) = (places.take().await, places.take().await, places.take().await);
        let answering = first.answers().unwrap();
        assert!(first.answers().is_none(), "it is answered already");
        let next = tokio::spawn({
            let places = Arc::clone(&places);
            async move { places.take().await }
        });
        second.leaving().cancelled().await;
        assert!(!first.leaving().is_cancelled() && !third.leaving().is_cancelled());
        assert!(second.answers().is_none(), "it is too late for that one");
        drop(second);
        let next = next.await.unwrap();

        // Answered ones wait anew, and later than the others.
        drop(answering);
        let after = tokio::spawn({
            let places = Arc::clone(&places);
            async move { places.take().await }
        });
        third.leaving().cancelled().await;
        assert!(!first.leaving().is_cancelled() && !next.leaving().is_cancelled());
        drop(third);
        drop(after.await.unwrap());
    }

    #[tokio::test]
    async fn where_all_are_being_answered_the_next_waits_for_a_place_or_for_one_that_waits() {
        let places = Places::new(1);
        let only = places.take().await;
        let answering = only.answers();
        let next = tokio::spawn({
            let places = Arc::clone(&places);
            async move { places.take().await }
        });
        tokio::task::yield_now().await;
        assert!(!only.leaving().is_cancelled());
        drop(answering);
        only.leaving().cancelled().await;
        drop(only);
        drop(next.await.unwrap());
    }

    #[test]
    fn large_bodies_share_their_room_and_give_it_back() {
        let room = Room::new(1_000);
        let (mut one, mut two) = (room.of_one(), room.of_one());
        assert!(one.grow(SMALL) && one.grow(SMALL + 600) && one.grow(SMALL + 700));
        assert!(two.grow(SMALL) && !two.grow(SMALL + 301), "the rest is 300");
        assert!(two.grow(SMALL + 300));
        drop(one);
        assert!(two.grow(SMALL + 1_000) && !two.grow(SMALL + 1_001));
        drop(two);
        assert!(room.of_one().grow(SMALL + 1_000));
    }

    #[test]
    fn what_waits_to_be_stored_takes_room_however_small_it_is() {
        let room = Room::new(1_000);
        let (mut one, mut two) = (room.of_one(), room.of_one());
        assert!(one.grow(600) && one.wait(600));
        assert!(two.grow(600) && !two.wait(600), "the rest is 400");
        drop(one);
        assert!(two.wait(600) && two.wait(500), "it has that room already");
        assert!(!room.of_one().wait(401));
        drop(two);
        assert!(room.of_one().wait(1_000));
    }
}

//! The one task that runs the agenda: by itself when something falls due, and through a span of time when the clock is
//! moved by hand.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::JoinSet;

use crate::agenda::Due;
use crate::clock::{Clock, Pace, after};
use crate::ids::WebhookId;
use crate::sender::Sender;
use crate::world::{Delivery, Happened, World};

/// How long a delivery may keep the next one to the same webhook waiting. A healthy receiver is told in order; a slow
/// one does not hold up the rest.
const HEAD_START: Duration = Duration::from_millis(250);

/// What every part of a running sandbox holds on to.
pub(crate) struct Shared {
    world: Mutex<World>,
    pub(crate) clock: Clock,
    pub(crate) sender: Sender,
    wake: Notify,
}

impl Shared {
    pub(crate) fn new(world: World, clock: Clock, sender: Sender) -> Self {
        Self { world: Mutex::new(world), clock, sender, wake: Notify::new() }
    }

    /// Looks at or changes the world at the present moment, and lets the driver see what was put on the agenda.
    pub(crate) fn act<T>(&self, act: impl FnOnce(&mut World, DateTime<Utc>) -> T) -> T {
        let mut world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        let result = act(&mut world, self.clock.now());
        drop(world);
        self.wake.notify_one();
        result
    }

    /// Sends a delivery that is due and records what came of it; None if it was not to be sent.
    pub(crate) async fn deliver(&self, delivery: &Delivery) -> Option<Happened> {
        let parcel = self.act(|world, now| world.prepare(now, delivery))?;
        let all = self.sender.send(&parcel).await;
        let first = all.first().cloned();
        self.act(|world, now| world.record(now, delivery, &parcel, all));
        first
    }

    fn take(&self, until: DateTime<Utc>) -> Option<(DateTime<Utc>, Due)> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner).agenda.take(until)
    }

    fn next_at(&self) -> Option<DateTime<Utc>> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner).agenda.next_at()
    }
}

/// Moves the clock forward by `by`; answered once everything due on the way has been run.
pub(crate) struct Advance {
    pub(crate) by: Duration,
    pub(crate) done: oneshot::Sender<DateTime<Utc>>,
}

/// Deliveries on their way, and for each webhook the one that the next must wait for.
#[derive(Default)]
struct OnTheWay {
    tasks: JoinSet<()>,
    turns: HashMap<WebhookId, oneshot::Receiver<()>>,
}

impl OnTheWay {
    fn start(&mut self, shared: &Arc<Shared>, delivery: Delivery) {
        let (turn, next) = oneshot::channel::<()>();
        let before = self.turns.insert(delivery.webhook.clone(), next);
        let shared = Arc::clone(shared);
        self.tasks.spawn(async move {
            if let Some(before) = before {
                // An error is the turn too: the delivery before is over.
                let _ = before.await;
            }
            let sending = shared.deliver(&delivery);
            tokio::pin!(sending);
            if tokio::time::timeout(HEAD_START, &mut sending).await.is_err() {
                drop(turn);
                sending.await;
            }
        });
    }

    async fn finish(&mut self) {
        while self.tasks.join_next().await.is_some() {}
        self.turns.clear();
    }
}

/// Runs the agenda until nobody can order anything any more.
pub(crate) async fn run(shared: Arc<Shared>, mut orders: mpsc::UnboundedReceiver<Advance>) {
    let mut on_the_way = OnTheWay::default();
    loop {
        while let Some((_, due)) = shared.take(shared.clock.now()) {
            if let Some(delivery) = shared.act(|world, now| world.run(now, due)) {
                on_the_way.start(&shared, delivery);
            }
        }
        tokio::select! {
            biased;
            order = orders.recv() => match order {
                Some(order) => advance(&shared, &mut on_the_way, order).await,
                None => return,
            },
            () = shared.wake.notified() => {}
            Some(_) = on_the_way.tasks.join_next() => {}
            () = until_due(&shared) => {}
        }
    }
}

/// Runs what falls due on the way, in order, each delivery to its end, before the clock moves on. The order is carried
/// out whole even if whoever gave it no longer waits.
async fn advance(shared: &Arc<Shared>, on_the_way: &mut OnTheWay, order: Advance) {
    let until = after(shared.clock.now(), order.by);
    loop {
        // A delivery under way may plan its next try inside the span.
        on_the_way.finish().await;
        let Some((at, due)) = shared.take(until) else { break };
        shared.clock.move_to(at);
        if let Some(delivery) = shared.act(|world, now| world.run(now, due)) {
            shared.deliver(&delivery).await;
        }
    }
    shared.clock.move_to(until);
    let _ = order.done.send(shared.clock.now());
}

/// Ends when the next entry is due by a running clock; never by one that stands still.
async fn until_due(shared: &Shared) {
    match (shared.clock.pace(), shared.next_at()) {
        (Pace::Real, Some(at)) => {
            let wait = (at - shared.clock.now()).to_std().unwrap_or(Duration::ZERO);
            tokio::time::sleep(wait).await;
        }
        _ => std::future::pending().await,
    }
}

//! Test webhooks: fire one, and see it arrive (R6).

use std::time::Duration;

use tokio::time;

use super::{
    events::arrival_row,
    wire::{Nothing, TestArgs, TestRun, WebhookRow, Webhooks},
};
use crate::{
    clock::Clock,
    desk::{Desk, Room},
    error::{Error, Result},
    pozy::{
        client::{Sent, Webhook},
        secrecy::{self, Mask},
    },
    store::round_trip,
};

/// How long a test may take to arrive before we say that it did not.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often we look for it: another process may be the one that receives.
const LOOK: Duration = Duration::from_millis(50);

pub(super) async fn webhooks(desk: &Desk, _: Nothing) -> Result<Webhooks> {
    let room = desk.room().await;
    let fetched = match room.connected() {
        Ok(connection) => connection.client.webhooks().await,
        Err(none) => Err(none),
    };
    Ok(match fetched {
        Ok(webhooks) => Webhooks { webhooks: webhooks.into_iter().map(row).collect(), problem: None },
        Err(problem) => Webhooks { webhooks: Vec::new(), problem: Some(problem.message) },
    })
}

fn row(webhook: Webhook) -> WebhookRow {
    WebhookRow {
        id: webhook.id,
        name: webhook.name,
        url: secrecy::mask_url(&webhook.url, &mut Mask::default()),
        events: webhook.events,
        active: webhook.active,
    }
}

/// Fires a test and waits until it arrives in this log, in whatever process.
pub(super) async fn fire(desk: &Desk, args: TestArgs) -> Result<TestRun> {
    let room = desk.room().await;
    let client = &room.connected()?.client;
    let webhook = match args.webhook {
        Some(id) => id,
        None => choose(&room, client.webhooks().await?).await?,
    };
    let before = round_trip::newest(room.store.pool()).await?;
    let fired = room.clock.now();
    let watch = Clock::stopwatch();
    let sent = client.test_webhook(&webhook, args.event.as_deref()).await?;
    let mut run = TestRun {
        fired: fired.into(),
        status: None,
        answer: String::new(),
        arrival: None,
        round_trip_ms: None,
        problem: None,
    };
    match sent {
        Sent::Answered(answer) => {
            run.status = Some(answer.status);
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            run.answer = secrecy::masked_text(text, &mut Mask::default());
        }
        Sent::NotSent | Sent::Timeout | Sent::Reset => {
            run.problem =
                Some("Pozy gave no answer, so no test may have been fired. Check the address and the network.".into());
        }
    }
    while run.arrival.is_none() && Duration::from_millis(watch.ms().unsigned_abs()) < PATIENCE {
        match round_trip::first_test_after(room.store.pool(), before).await? {
            Some(found) => {
                run.round_trip_ms = Some(found.arrived.ms_since(fired).max(0));
                run.arrival = Some(arrival_row(found));
            }
            None if run.status.is_none_or(|status| status >= 400) && watch.ms() > 1_000 => break,
            None => time::sleep(LOOK).await,
        }
    }
    if run.arrival.is_none() && run.problem.is_none() {
        run.problem = Some(not_arrived(&room));
    }
    Ok(run)
}

fn not_arrived(room: &Room) -> String {
    let ears = room.ears();
    match (&ears.url, &ears.problem) {
        (_, Some(problem)) => format!("The test did not arrive, since nothing listens here. {problem}"),
        (Some(url), None) => format!(
            "The test did not arrive within 10 s. Check that the webhook at Pozy leads to {url}, through a tunnel or \
             relay if Pozy is not on this computer."
        ),
        (None, None) => "The test did not arrive within 10 s. Start `reprise listen` or the window, and check that \
                         the webhook at Pozy leads there."
            .to_owned(),
    }
}

/// The webhook that leads to this log's receiver, else the first.
async fn choose(room: &Room, webhooks: Vec<Webhook>) -> Result<String> {
    let here = match room.ears().url {
        Some(url) => Some(url),
        None => round_trip::newest_address(room.store.pool()).await?,
    };
    let ours = webhooks.iter().position(|webhook| here.as_deref() == Some(webhook.url.as_str()));
    webhooks.into_iter().nth(ours.unwrap_or(0)).map(|webhook| webhook.id).ok_or_else(|| {
        Error::refused("No webhook is registered at Pozy, so there is nothing to test. Register this receiver's address there first.")
    })
}

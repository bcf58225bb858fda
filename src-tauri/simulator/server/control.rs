//! `/sandbox/`: moving the clock, making things go wrong, setting targets, reading the ledger.

use axum::extract::State;
use bytes::Bytes;
use serde::Deserialize;
use serde_json::json;

use super::{Answered, Front, read};
use crate::answer::Answer;
use crate::clock::{Pace, written};
use crate::error::Error;
use crate::faults::{Fault, seconds_of};
use crate::ids::WorkspaceId;
use crate::ledger::Ledger;
use crate::step::{AccountChange, TargetChange};
use crate::world::Post;

impl From<Error> for Answer {
    fn from(error: Error) -> Self {
        let status = match error {
            Error::Missing { .. } => 404,
            Error::Refused(_) | Error::Script(_) => 400,
            _ => 503,
        };
        Self::error(status, error.to_string(), None)
    }
}

/// `GET /sandbox/clock`.
pub(crate) async fn read_clock(State(front): State<Front>) -> Answer {
    let clock = &front.shared.clock;
    let pace = match clock.pace() {
        Pace::Real => "real",
        Pace::Manual => "manual",
    };
    Answer::new(200, json!({"now": written(clock.now()), "clock": pace}))
}

#[derive(Deserialize)]
struct Move {
    advance_s: f64,
}

/// `POST /sandbox/clock`: answered once everything due on the way has been run.
pub(crate) async fn move_clock(State(front): State<Front>, body: Bytes) -> Answered {
    let by = seconds_of(read::<Move>(&body)?.advance_s)?;
    let now = front.advance(by).await?;
    Ok(Answer::new(200, json!({"now": written(now)})))
}

/// `POST /sandbox/faults`: puts a fault at the end of the queue.
pub(crate) async fn add_fault(State(front): State<Front>, body: Bytes) -> Answered {
    let fault = Fault::read(read(&body)?)?;
    front.shared.act(|world, _| world.faults.add(fault));
    Ok(list_faults(State(front)).await)
}

/// `GET /sandbox/faults`: those that wait for their turn.
pub(crate) async fn list_faults(State(front): State<Front>) -> Answer {
    let faults: Vec<Fault> = front.shared.act(|world, _| world.faults.waiting().cloned().collect());
    Answer::new(200, json!({"faults": faults}))
}

/// `DELETE /sandbox/faults`: forgets those that wait.
pub(crate) async fn clear_faults(State(front): State<Front>) -> Answer {
    front.shared.act(|world, _| world.faults.clear());
    Answer::new(200, json!({"faults": []}))
}

/// `POST /sandbox/target`: answers with the post.
pub(crate) async fn set_target(State(front): State<Front>, body: Bytes) -> Answered {
    let change: TargetChange = read(&body)?;
    let post = front.shared.act(|world, now| world.set_target(now, &change).map(Post::rest_json))?;
    Ok(Answer::new(200, json!({"post": post})))
}

/// `POST /sandbox/account`: connects or disconnects an account.
pub(crate) async fn set_account(State(front): State<Front>, body: Bytes) -> Answered {
    let change: AccountChange = read(&body)?;
    front.shared.act(|world, now| world.set_account(now, &change));
    Ok(Answer::new(200, json!({"account": change.account, "connected": change.connected})))
}

#[derive(Default, Deserialize)]
struct NewKey {
    workspace: Option<WorkspaceId>,
}

/// `POST /sandbox/workspaces`: one more API key, of a new workspace or of the one that is named.
pub(crate) async fn add_workspace(State(front): State<Front>, body: Bytes) -> Answered {
    let told = if body.is_empty() { NewKey::default() } else { read(&body)? };
    let (workspace, api_key) = front.add_api_key(told.workspace)?;
    Ok(Answer::new(201, json!({"workspace": workspace, "api_key": api_key})))
}

/// `GET /sandbox/ledger`: what this Pozy did.
pub(crate) async fn ledger(State(front): State<Front>) -> Answer {
    Answer::new(200, json!(front.shared.act(|world, now| Ledger::of(world, now))))
}

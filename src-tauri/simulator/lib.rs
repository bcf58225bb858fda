//! A small Pozy over real HTTP: the practice mode of Reprise, the `reprise sandbox` command, and the double in its
//! tests (design section 6). It shares no code with the core: a double that shares its client's code agrees with its
//! client's mistakes.
//!
//! It keeps what the documents of Pozy promise: idempotency keys, request ids, the content check, scheduled and
//! immediate publishing, signed webhooks at least once, and their logs. It keeps a [`Ledger`] of what it did, its
//! clock can be moved, and it fails on demand ([`Fault`]), never by chance. What is assumed about Pozy is in
//! [`Options`].
//!
//! `server` takes requests, `world` decides and remembers, `driver` runs what the clock sets off, `sender` delivers.

mod agenda;
mod answer;
mod chance;
mod clock;
mod driver;
mod error;
mod faults;
mod handle;
mod ids;
mod ledger;
mod loopback;
mod options;
mod sender;
mod server;
mod sign;
mod step;
mod story;
mod world;

pub use clock::Pace;
pub use error::Error;
pub use faults::{Deed, Fault};
pub use handle::{Ask, Glimpse, Handle, Sandbox};
pub use ids::{AccountId, EventId, PostId, WebhookId, WorkspaceId};
pub use ledger::{KeyRow, Ledger};
pub use options::{AccountSeed, Contract, HeaderNames, Options};
pub use sign::signature;
pub use step::{AccountChange, Step, TargetChange, TimedStep, read_script};
pub use story::Story;
pub use world::{PostStatus, TargetStatus};

//! The core of Reprise: no window, no global state, no exit, no print.
//!
//! Arrivals in: `inbound` takes bytes, verifies, records, judges. Jobs out: `outbound` freezes a job, binds its key,
//! writes each attempt before it leaves and adds up the outcome. `store` holds the only SQL, `commands` is all that
//! the window and the command line may ask for.
//!
//! Why twice? `inquiry` gathers rows around a question and weighs them.
//!
//! Dependency rule: `commands` -> `inbound`, `outbound`, `inquiry`, `import` -> `store`. Pure files (verify, judge,
//! cause, outcome, retry, verdict) know only plain types: no async, no SQL, no clock of their own.

pub mod address;
pub mod alerts;
pub mod clock;
pub mod commands;
pub mod desk;
pub mod doctor;
mod ending;
pub mod error;
pub mod export;
pub mod ids;
pub mod import;
pub mod inbound;
pub mod inquiry;
pub mod notices;
pub mod outbound;
pub mod pozy;
pub mod search;
pub mod secrets;
pub mod settings;
pub mod signs;
pub mod store;

/// Much of what an arrival costs is memory that is asked for and given back, a page of the log at a time. SQLite takes its
/// own from here, too (`.cargo/config.toml`), so whatever links this library has it.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

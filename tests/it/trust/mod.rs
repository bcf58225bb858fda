//! What becomes of a log under faults: nothing that was answered is lost, nothing is posted twice, no secret leaks, and
//! whoever looks is told what happened, what it means for their posts and what to do.

mod copies;
mod files;
mod outside;
mod owners;
mod power;
mod salvage;
mod scene;
mod soak;
pub(crate) mod table;

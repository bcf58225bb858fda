//! Jobs out: the core's own sender against the sandbox, over real sockets.

mod before;
mod bulk;
mod ending;
mod forecast;
mod imported;
#[cfg(debug_assertions)]
mod kill;
mod looking;
mod many;
mod odd_answers;
mod rules;
mod sending;
pub(crate) mod world;

//! Jobs out: the core's own sender against the sandbox, over real sockets.

mod imported;
mod rules;
mod sending;
mod world;

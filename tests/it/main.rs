//! The core over real sockets and real files.

mod outbound;
mod wire;

//! What attackers get: from the network, by forged messages, by what stands in a payload or a file, and as Pozy itself.
//! Each attack is carried out against the real programs, over real sockets and files, and is a row of `tests/TRUST.md`.

mod door;
mod files;
mod flood;
mod forged;
mod payload;
mod pozy;
mod rights;
pub(crate) mod table;
pub(crate) mod target;
mod wire;

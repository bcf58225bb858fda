//! Arrivals over real sockets into a real log.

mod desk;
mod flood;
mod pages;
mod receiver;

//! Arrivals over real sockets into a real log.

mod again;
mod anew;
mod desk;
mod flood;
mod kill;
mod pages;
mod receiver;

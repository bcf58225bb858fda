//! Arrivals in: bytes reach the receiver, are verified before they are parsed, recorded in one transaction, judged, and
//! only then answered. `verify`, `cause`, `standing`, `judge` and `lanes` are pure; imports go through the same
//! functions, so that live and imported arrivals are judged alike (design 3.9). `store` knows their
//! plain types and calls none of them.

pub mod again;
pub mod arrival;
pub mod catch_up;
pub mod cause;
pub mod judge;
pub mod lanes;
pub mod listener;
pub mod observe;
mod places;
pub mod record;
pub mod rejudge;
pub mod session;
pub mod standing;
pub mod trial;
pub mod verify;
mod watch;

#[cfg(test)]
mod properties;
#[cfg(test)]
pub(crate) mod test_log;

//! What Pozy says and takes. Field names, headers and limits that the seeds leave open are settings of the
//! [`contract`], never constants (design 2); nothing here asks which provider it is.

pub mod accounts;
pub mod answers;
pub mod block;
pub mod client;
pub mod contract;
pub mod curl;
pub mod envelope;
pub mod links;
pub mod post;
pub mod secrecy;
pub mod text;
pub mod told;

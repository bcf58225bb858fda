//! What others logged, into this log: log lines and HAR. Kind of file is found by looking; lines that cannot be read
//! are named and skipped, the rest goes in.

pub mod compact;
pub mod har;
pub mod lines;
pub mod log;
mod ready;

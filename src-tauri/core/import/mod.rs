//! What others logged, into this log: log lines, HAR, tables, pages of the API's own logs, `curl` commands, dumped
//! requests, executions of n8n. The kind of a file is found by looking; lines that cannot be read are named and
//! skipped, the rest goes in. Every kind becomes log lines first (`lines`), so that one way leads into the log.

pub mod aged;
pub mod columns;
pub mod compact;
mod curl;
mod delivery;
mod dump;
mod exchange;
mod har;
mod headers;
pub mod lines;
pub mod lint;
pub mod log;
mod n8n;
mod pieces;
pub mod progress;
mod ready;
pub mod source;
pub mod table;
mod text;
mod times;

//! An answer of the API before it is put on the wire.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

/// Status, extra headers and JSON body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) fn new(status: u16, body: Value) -> Self {
        Self { status, headers: Vec::new(), body }
    }

    /// Pozy's error body: `error`, and `code` where one is given.
    pub(crate) fn error(status: u16, error: impl Into<String>, code: Option<&str>) -> Self {
        let mut body = json!({"error": error.into()});
        if let Some(code) = code {
            body["code"] = json!(code);
        }
        Self::new(status, body)
    }

    pub(crate) fn with(mut self, header: &'static str, value: impl ToString) -> Self {
        self.headers.push((header, value.to_string()));
        self
    }
}

/// Whole seconds from `now` to `moment`, rounded up and at least one, for `Retry-After`.
pub(crate) fn seconds_until(now: DateTime<Utc>, moment: DateTime<Utc>) -> i64 {
    ((moment - now).num_milliseconds() + 999).div_euclid(1000).max(1)
}

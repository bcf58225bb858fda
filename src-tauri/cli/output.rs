//! Lines on standard output: one JSON object each with `--json`, else words for people. A reader that has seen enough
//! (`reprise events | head`) ends the program quietly.

use std::{
    borrow::Cow,
    io::{self, BufWriter, ErrorKind, IsTerminal as _, Stdout, Write as _},
};

use reprise_core::{
    commands::wire::Problem,
    error::{Code, Error, Result},
    signs::steers,
};
use serde::Serialize;

use crate::NET;

/// Where the lines go.
pub(crate) struct Output {
    json: bool,
    /// True if a person's terminal shows it.
    shown: bool,
    to: BufWriter<Stdout>,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { json, shown: io::stdout().is_terminal(), to: BufWriter::new(io::stdout()) }
    }

    /// One row of a list: as JSON, or on one line whatever words of others are in it, so that none of them looks like a
    /// row of its own.
    pub(crate) fn list<T: Serialize>(&mut self, row: &T, plain: impl FnOnce(&T) -> String) -> Result<()> {
        self.row(row, |row| one_line(&plain(row)))
    }

    /// One row: as JSON, or in the words that `plain` makes of it, which may be several lines.
    pub(crate) fn row<T: Serialize>(&mut self, row: &T, plain: impl FnOnce(&T) -> String) -> Result<()> {
        if self.json {
            let text = serde_json::to_string(row)
                .map_err(|cause| Error::caused(Code::Internal, "A row has no JSON form.", cause))?;
            self.line(&text)
        } else {
            let text = plain(row);
            self.line(&quiet(&text))
        }
    }

    /// A title above rows, for people only.
    pub(crate) fn title(&mut self, text: &str) -> Result<()> {
        if self.json { Ok(()) } else { self.line(&quiet(text)) }
    }

    /// One line as it is, in either form. What would steer a terminal is written as JSON may write it where one shows it;
    /// into a file or a pipe goes every byte.
    pub(crate) fn line(&mut self, text: &str) -> Result<()> {
        let line = NET.line(text);
        let written = if self.shown { writeln!(self.to, "{}", spelled(&line)) } else { writeln!(self.to, "{line}") };
        written.map_err(|cause| broken(&cause))
    }

    /// Bytes as they are.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> Result<()> {
        self.to.write_all(bytes).map_err(|cause| broken(&cause))
    }

    /// Hands over what was written so far; a first line must not wait for the rest.
    pub(crate) fn flush(&mut self) -> Result<()> {
        self.to.flush().map_err(|cause| broken(&cause))
    }

    /// How far something is, on one line of standard error that the next one takes the place of; an empty one clears
    /// it. Only for a person who watches: nothing is said into a file, or beside JSON.
    pub(crate) fn progress(&self, says: &str) -> Result<()> {
        let mut watched = io::stderr();
        if self.json || !watched.is_terminal() {
            return Ok(());
        }
        write!(watched, "\r\u{1b}[K{}", quiet(says)).and_then(|()| watched.flush()).map_err(|cause| broken(&cause))
    }

    /// A problem, on standard error.
    #[expect(clippy::print_stderr, reason = "this is where the program speaks to standard error")]
    pub(crate) fn problem(&self, problem: &Error) {
        if self.json {
            let Problem { code, message } = Problem::from(problem);
            if let Ok(text) = serde_json::to_string(&Problem { code, message: NET.words(&message) }) {
                eprintln!("{text}");
            }
        } else {
            eprintln!("reprise: {}", quiet(&NET.words(&problem.to_string())));
        }
    }
}

/// `text` without what would steer a terminal: logs of others hold ids and words of anybody's making. JSON is for
/// programs and stays as it is.
fn quiet(text: &str) -> Cow<'_, str> {
    if text.contains(steers) { text.replace(steers, "\u{fffd}").into() } else { text.into() }
}

/// As [`quiet`], for words that must not begin a line of their own.
pub(crate) fn one_line(text: &str) -> String {
    text.replace(['\n', '\t'], " ")
}

/// `text` with `\u` and a number for each sign that steers. In JSON such a sign stands in texts only, and means the same
/// when it is written so.
fn spelled(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return text.into();
    }
    let mut all = String::with_capacity(text.len() + 8);
    for sign in text.chars() {
        if steers(sign) {
            all.push_str(&format!("\\u{:04x}", u32::from(sign)));
        } else {
            all.push(sign);
        }
    }
    all.into()
}

/// A closed pipe means that the reader has seen enough.
#[expect(clippy::exit, reason = "nobody reads on, so there is nothing left to say")]
fn broken(cause: &io::Error) -> Error {
    if cause.kind() == ErrorKind::BrokenPipe {
        std::process::exit(0);
    }
    Error::new(Code::Storage, format!("Standard output cannot be written: {cause}"))
}

/// The word of a closed list as it stands in tables and JSON.
pub(crate) fn word<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{one_line, quiet, spelled};

    #[test]
    fn a_word_of_somebody_else_steers_no_terminal() {
        assert_eq!(quiet("a\u{1b}[2J\u{7}\u{9b}1m\u{202e}b"), "a\u{fffd}[2J\u{fffd}\u{fffd}1m\u{fffd}b");
        for text in ["two\nlines\tof a table", "\u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{1f600}", ""] {
            assert_eq!(quiet(text), text);
        }
    }

    #[test]
    fn json_on_a_terminal_means_the_same_and_steers_nothing() {
        let line = "{\"a\":\"x\u{9b}31m\u{202e}y\u{2028}\",\"b\":\"\u{5e9}\"}";
        let shown = spelled(line);
        assert_eq!(shown, "{\"a\":\"x\\u009b31m\\u202ey\\u2028\",\"b\":\"\u{5e9}\"}");
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&shown), read(line));
    }

    #[test]
    fn a_word_of_somebody_else_makes_no_row() {
        assert_eq!(one_line("po_1\n2026-01-01  published\tpo_2"), "po_1 2026-01-01  published po_2");
    }
}

//! What kind of file it is, found by looking at its beginning, and the one way through all kinds: piece after piece, of
//! which each gives lines of a log, or a reason why it gives none.

use std::{
    io::{self, BufRead},
    sync::Arc,
};

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{
    columns::Mapping,
    curl, delivery, dump,
    exchange::{Exchange, Tries},
    har,
    lines::{self, Line},
    n8n,
    pieces::{Pieces, Place},
    table,
    text::Numbered,
};
use crate::{clock::Moment, pozy::contract::Contract};

/// How much of a file is looked at to find its kind, bytes.
pub const BEGINNING: usize = 1 << 16;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum FileKind {
    /// Log lines of Reprise, one JSON object a line.
    LogLines,
    /// The archive that browsers and proxies save.
    Har,
    /// A table of values between commas or the like.
    Table,
    /// Pages of the API's delivery log or unified log.
    DeliveryLog,
    /// `curl` commands of a script or history.
    Curl,
    /// Requests as they went over the wire.
    Requests,
    /// Executions of n8n.
    N8n,
}

impl FileKind {
    /// Arrivals of such a file may be the very ones that our receiver took, seen by somebody else: how far the other
    /// clock may be off, milliseconds.
    pub(super) const fn near_ms(self) -> Option<i64> {
        match self {
            Self::LogLines | Self::Table => None,
            Self::Har | Self::Requests | Self::Curl | Self::N8n => Some(2_000),
            // Pozy's second delivery comes 10 s after the first.
            Self::DeliveryLog => Some(4_900),
        }
    }
}

/// What is known of a file before it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// What it is.
    pub kind: FileKind,
    /// Of a table, the sign between its values.
    pub delimiter: u8,
    place: Place,
    /// Why nothing can be read of it at all.
    closed: Option<&'static str>,
}

/// Finds out what a file is by how it begins.
#[must_use]
pub fn look(beginning: &[u8]) -> Look {
    if let Some(why) = why_closed(beginning) {
        return Look { kind: FileKind::LogLines, delimiter: b',', place: Place::Top, closed: Some(why) };
    }
    let text = String::from_utf8_lossy(beginning);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let of = |kind, place| Look { kind, delimiter: b',', place, closed: None };
    if let Some(look) = look_at_json(text, of) {
        return look;
    }
    if dump::looks_like(text) {
        return of(FileKind::Requests, Place::Top);
    }
    if curl::looks_like(text) {
        return of(FileKind::Curl, Place::Top);
    }
    match table::delimiter(text) {
        Some(delimiter) => Look { kind: FileKind::Table, delimiter, place: Place::Top, closed: None },
        None => of(FileKind::LogLines, Place::Top),
    }
}

/// Why a file that begins so cannot be read: what people bring that is no UTF-8 text, and what they can do about it.
fn why_closed(beginning: &[u8]) -> Option<&'static str> {
    let starts = |signs: &[&[u8]]| signs.iter().any(|sign| beginning.starts_with(sign));
    if starts(&[b"\xff\xfe", b"\xfe\xff"]) {
        Some("it is text in UTF-16; save it as UTF-8 and add it again")
    } else if starts(&[b"PK\x03\x04", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf", b"\xfd7zXZ"]) {
        Some("it is packed; unpack it and add what was inside")
    } else {
        beginning.iter().take(512).any(|byte| *byte == 0).then_some("it is no text, so there is nothing to read")
    }
}

/// None for what is no JSON at all.
fn look_at_json(text: &str, of: impl Fn(FileKind, Place) -> Look) -> Option<Look> {
    let names = top_names(text);
    let first = |wanted: &str| names.first().is_some_and(|(name, _)| name == wanted);
    let list = |wanted: &str| names.iter().any(|(name, opens)| name == wanted && *opens == '[');
    if text.starts_with('{') {
        Some(if first("log") && names[0].1 == '{' {
            of(FileKind::Har, Place::Member("entries", 2))
        } else if list("logs") {
            of(FileKind::DeliveryLog, Place::Member("logs", 1))
        } else if list("data") {
            of(FileKind::N8n, Place::Member("data", 1))
        } else if list("results") {
            of(FileKind::N8n, Place::Member("results", 1))
        } else if names.iter().any(|(name, _)| name == "workflowData" || name == "workflowId") {
            of(FileKind::N8n, Place::Objects)
        } else {
            of(FileKind::LogLines, Place::Top)
        })
    } else if text.starts_with('[') {
        let inside = top_names(text.trim_start_matches(['[', ' ', '\n', '\r', '\t']));
        let has = |wanted: &[&str]| inside.iter().any(|(name, _)| wanted.contains(&name.as_str()));
        Some(if has(&["requestPayload", "attemptNumber", "eventId", "request_payload", "status_code", "endpoint"]) {
            of(FileKind::DeliveryLog, Place::Top)
        } else {
            of(FileKind::N8n, Place::Top)
        })
    } else {
        None
    }
}

/// The names of the members of the object that the text begins with, each with the first sign of its value, as far as
/// the text goes. Of several objects on lines of their own only the first counts.
fn top_names(text: &str) -> Vec<(String, char)> {
    let mut names = Vec::new();
    let (mut depth, mut chars) = (0_usize, text.chars());
    let mut word = String::new();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                word.clear();
                while let Some(inner) = chars.next() {
                    match inner {
                        '\\' => _ = chars.next(),
                        '"' => break,
                        inner => word.push(inner),
                    }
                }
            }
            ':' if depth == 1 => {
                let value = chars.as_str().trim_start().chars().next().unwrap_or(' ');
                names.push((word.clone(), value));
            }
            '{' | '[' => depth += 1,
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    break;
                }
            }
            _ => {}
        }
    }
    names
}

/// One piece of a file: a line, an entry, a row, a command.
pub(super) struct Piece {
    /// Its number, from 1: the line it begins on, or its place among the entries.
    pub(super) number: usize,
    /// What it stands for; nothing if it has nothing to do with posts or webhooks.
    pub(super) lines: Vec<Result<Line, String>>,
    /// True if what it stands for bears no time of its own.
    pub(super) untimed: bool,
}

/// Everything that reading needs to know beside the file.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    pub(super) contract: Arc<Contract>,
    /// What the columns of a table mean.
    pub(super) mapping: Mapping,
    /// Where requests stand that bear no time of their own; each a millisecond after the one before.
    pub(super) base: Moment,
}

/// A file on its way in.
pub(super) struct Source<R: BufRead> {
    way: Way<R>,
    terms: Terms,
    number: usize,
    tries: Tries,
    untimed: i64,
}

enum Way<R: BufRead> {
    Lines(Numbered<R>),
    Har(Pieces, R),
    Delivery(Pieces, R, delivery::Reader),
    N8n(Pieces, R),
    Curl(curl::Reader, Numbered<R>),
    Requests(dump::Reader, Numbered<R>),
    Table(Box<table::Reader<R>>),
    /// A file that cannot be read at all, and why.
    Closed(Option<String>),
}

impl<R: BufRead> Source<R> {
    pub(super) fn new(look: &Look, terms: Terms, from: R) -> Self {
        let way = match look.kind {
            _ if look.closed.is_some() => Way::Closed(look.closed.map(str::to_owned)),
            FileKind::LogLines => Way::Lines(Numbered::ending_in_any(from)),
            FileKind::Har => Way::Har(Pieces::new(look.place), from),
            FileKind::DeliveryLog => Way::Delivery(Pieces::new(look.place), from, delivery::Reader::default()),
            FileKind::N8n => Way::N8n(Pieces::new(look.place), from),
            FileKind::Curl => Way::Curl(curl::Reader::default(), Numbered::new(from)),
            FileKind::Requests => Way::Requests(dump::Reader::default(), Numbered::new(from)),
            FileKind::Table => match table::Reader::new(from, look.delimiter, &terms.mapping) {
                Ok(reader) => Way::Table(Box::new(reader)),
                Err(why) => Way::Closed(Some(why)),
            },
        };
        Self { way, terms, number: 0, tries: Tries::default(), untimed: 0 }
    }

    /// The next piece; nothing at the end of the file.
    ///
    /// # Errors
    /// If the file cannot be read on.
    pub(super) fn next(&mut self) -> io::Result<Option<Piece>> {
        let contract = &self.terms.contract;
        match &mut self.way {
            Way::Lines(from) => {
                let Some((number, text)) = from.line()? else { return Ok(None) };
                let empty = text.iter().all(u8::is_ascii_whitespace);
                Ok(Some(piece(number, (!empty).then(|| read_line(&text)))))
            }
            Way::Har(pieces, from) => {
                let Some(entry) = pieces.next(from)? else { return Ok(None) };
                self.number += 1;
                let line = entry.and_then(|text| self.tries.line(har::read(&text)?, contract)).transpose();
                Ok(Some(piece(self.number, line)))
            }
            Way::Delivery(pieces, from, reader) => {
                let Some(row) = pieces.next(from)? else { return Ok(None) };
                self.number += 1;
                let line = row.and_then(|text| reader.line(&text, contract)).transpose();
                Ok(Some(piece(self.number, line)))
            }
            Way::N8n(pieces, from) => {
                let Some(element) = pieces.next(from)? else { return Ok(None) };
                self.number += 1;
                let lines = element.and_then(|text| execution(&text)).map_or_else(
                    |why| vec![Err(why)],
                    |told| {
                        let line = |told: Result<Exchange, String>| {
                            told.and_then(|told| self.tries.line(told, contract)).transpose()
                        };
                        told.into_iter().filter_map(line).collect()
                    },
                );
                Ok(Some(Piece { number: self.number, lines, untimed: false }))
            }
            Way::Curl(reader, from) => {
                let (number, at, text) = match reader.next(from)? {
                    Some(Ok(command)) => (command.line, command.at, command.text),
                    Some(Err((number, why))) => return Ok(Some(piece(number, Some(Err(why))))),
                    None => return Ok(None),
                };
                let (at, untimed) = placed(at, self.terms.base, &mut self.untimed);
                let line = curl::read(&text, at).and_then(|told| self.tries.line(told, contract)).transpose();
                Ok(Some(Piece { untimed: untimed && line.is_some(), ..piece(number, line) }))
            }
            Way::Requests(reader, from) => {
                let Some(dumped) = reader.next(from)? else { return Ok(None) };
                let number = dumped.line;
                let (at, untimed) = placed(dumped.at, self.terms.base, &mut self.untimed);
                let line = self.tries.line(dumped.told(at), contract).transpose();
                Ok(Some(Piece { untimed: untimed && line.is_some(), ..piece(number, line) }))
            }
            Way::Table(reader) => {
                let Some(row) = reader.next(contract)? else { return Ok(None) };
                Ok(Some(piece(row.line, row.told.transpose())))
            }
            Way::Closed(why) => Ok(why.take().map(|why| piece(1, Some(Err(why))))),
        }
    }
}

fn piece(number: usize, line: Option<Result<Line, String>>) -> Piece {
    Piece { number, lines: line.into_iter().collect(), untimed: false }
}

/// The time that a request bears, else the next place after those that bear none.
fn placed(at: Option<Moment>, base: Moment, untimed: &mut i64) -> (Moment, bool) {
    let place = base.plus_millis(*untimed);
    *untimed += i64::from(at.is_none());
    (at.unwrap_or(place), at.is_none())
}

fn execution(text: &[u8]) -> Result<Vec<Result<Exchange, String>>, String> {
    let element: serde_json::Value = serde_json::from_slice(text).map_err(|_| "it is no JSON".to_owned())?;
    if n8n::is_execution(&element) { n8n::read(element) } else { Err("it is nothing that can be imported".to_owned()) }
}

fn read_line(text: &[u8]) -> Result<Line, String> {
    let text = std::str::from_utf8(text).map_err(|_| "it is no UTF-8 text".to_owned())?;
    lines::read(text.trim())
}

/// Every line that a file in memory gives, or why one gives none, each with the number of the piece it came from. The
/// columns of a table mean what their names suggest; requests without a time of their own stand at `base` and after.
#[must_use]
pub fn all_lines(file: &[u8], contract: &Arc<Contract>, base: Moment) -> Vec<(usize, Result<Line, String>)> {
    let look = look(&file[..file.len().min(BEGINNING)]);
    let mapping = if look.kind == FileKind::Table {
        table::headers(file, look.delimiter).map(|headers| Mapping::guess(&headers)).unwrap_or_default()
    } else {
        Mapping::default()
    };
    let mut source = Source::new(&look, Terms { contract: Arc::clone(contract), mapping, base }, file);
    let mut all = Vec::new();
    // Reading from memory never fails.
    while let Ok(Some(piece)) = source.next() {
        all.extend(piece.lines.into_iter().map(|line| (piece.number, line)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_is_found_by_looking() {
        for (text, kind) in [
            ("{\"log\":{\"version\":\"1.2\",\"entries\":[]}}", FileKind::Har),
            ("\u{feff} {\n \"log\" : {", FileKind::Har),
            ("{\"kind\":\"arrival\",\"at\":\"x\",\"body\":{\"logs\":[]}}\n", FileKind::LogLines),
            ("{\"at\":\"x\",\"kind\":\"note\"}\n{\"logs\":[]}", FileKind::LogLines),
            ("{\"pagination\":{\"total\":1},\"logs\":[{}]}", FileKind::DeliveryLog),
            ("{\"logs\":[{\"eventId\":\"e\"}],\"pagination\":{}}", FileKind::DeliveryLog),
            ("[{\"eventId\":\"e\",\"attemptNumber\":1}]", FileKind::DeliveryLog),
            ("{\"data\":[{\"id\":1,\"workflowId\":\"w\"}],\"nextCursor\":null}", FileKind::N8n),
            ("[{\"id\":1,\"data\":{}}]", FileKind::N8n),
            ("{\"id\":1,\"data\":{},\"workflowData\":{}}", FileKind::N8n),
            ("#!/bin/sh\nset -e\ncurl -d x https://a.example", FileKind::Curl),
            ("POST /v1/posts HTTP/1.1\nHost: a\n\n{}", FileKind::Requests),
            ("* Connected\n> POST /v1/posts HTTP/2\n> Host: a", FileKind::Requests),
            ("time;key\n2026-01-01;k", FileKind::Table),
            ("hello", FileKind::LogLines),
            ("", FileKind::LogLines),
        ] {
            assert_eq!(look(text.as_bytes()).kind, kind, "{text}");
        }
    }

    #[test]
    fn what_is_no_text_says_what_it_is() {
        for (file, why) in [
            (&b"\xff\xfe{\0\"\0"[..], "UTF-16"),
            (b"PK\x03\x04\x14\0\0\0", "packed"),
            (b"\x1f\x8b\x08", "packed"),
            (b"\x7fELF\x02\x01\x01\0", "no text"),
        ] {
            let terms = Terms {
                contract: Arc::new(Contract::shipped("pozy").unwrap()),
                mapping: Mapping::default(),
                base: Moment::from_millis(0),
            };
            let mut source = Source::new(&look(file), terms, file);
            let told = source.next().unwrap().unwrap().lines.remove(0).unwrap_err();
            assert!(told.contains(why), "{told}");
            assert!(source.next().unwrap().is_none(), "said once");
        }
    }

    #[test]
    fn requests_without_a_time_stand_where_the_caller_says_in_their_order() {
        let text = "curl -d '{\"content\":\"a\"}' https://a.example/v1/posts\ncurl -d '{\"content\":\"b\"}' https://a.example/v1/posts\n";
        let terms = Terms {
            contract: Arc::new(Contract::shipped("pozy").unwrap()),
            mapping: Mapping::default(),
            base: Moment::from_millis(1_000),
        };
        let mut source = Source::new(&look(text.as_bytes()), terms, text.as_bytes());
        let pieces: Vec<_> = std::iter::from_fn(|| source.next().unwrap()).collect();
        let at: Vec<_> = pieces.iter().map(|piece| piece.lines[0].as_ref().unwrap().at().millis()).collect();
        assert_eq!((at, pieces.iter().all(|piece| piece.untimed)), (vec![1_000, 1_001], true));
    }
}

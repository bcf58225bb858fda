//! Tables of values between commas, semicolons, tabs or bars: each row becomes a try or an arrival by what its columns
//! hold ([`Mapping`]). Quotes, line breaks inside them and byte order marks are the `csv` crate's. Pure.

use std::io::Read;

use chrono_tz::Tz;
use serde_json::{Map, Value, json};

use super::{
    columns::{ColumnField as Field, Mapping},
    exchange::{End, Exchange, Tries, lost},
    lines::{ArrivalLine, BodyField, Headers, Line},
    times,
};
use crate::{clock::Moment, pozy::contract::Contract};

/// The sign between the values of a table, from its first line; none if that is no row of names.
#[must_use]
pub fn delimiter(beginning: &str) -> Option<u8> {
    let first = beginning.trim_start_matches('\u{feff}').lines().find(|line| !line.trim().is_empty())?;
    if first.trim_start().starts_with(['{', '[', '<']) {
        return None;
    }
    let (count, sign) = [b',', b';', b'\t', b'|']
        .map(|sign| (first.bytes().filter(|byte| *byte == sign).count(), sign))
        .into_iter()
        .max()?;
    (count > 0).then_some(sign)
}

/// The names of the columns.
///
/// # Errors
/// A short reason if the first row cannot be read.
pub fn headers(beginning: &[u8], delimiter: u8) -> Result<Vec<String>, String> {
    let mut table = csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(unmarked(beginning));
    let names = table.headers().map_err(|_| "its first row cannot be read".to_owned())?;
    Ok(names.iter().map(|name| name.trim().to_owned()).collect())
}

/// The first rows, as they stand.
#[must_use]
pub fn first_rows(beginning: &[u8], delimiter: u8, most: usize) -> Vec<Vec<String>> {
    let mut table = csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(unmarked(beginning));
    // What was read of a large file may end inside a row.
    let rows = table.records().take(most).map_while(Result::ok);
    rows.map(|row| row.iter().map(str::to_owned).collect()).collect()
}

fn unmarked(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// Reads the rows of one table.
pub(super) struct Reader<R> {
    table: csv::Reader<R>,
    /// What each column holds, in the order of the columns.
    fields: Vec<Option<Field>>,
    arrivals: bool,
    zone: Tz,
    tries: Tries,
}

/// A row with its line.
pub(super) struct Row {
    pub(super) line: usize,
    pub(super) told: Result<Option<Line>, String>,
}

impl<R: Read> Reader<R> {
    /// # Errors
    /// A short reason if the names of the columns cannot be read, or lack what is needed.
    pub(super) fn new(from: R, delimiter: u8, mapping: &Mapping) -> Result<Self, String> {
        if let Some(lacks) = mapping.lacks() {
            return Err(lacks);
        }
        let zone = mapping.zone.parse().map_err(|_| "the zone is not known".to_owned())?;
        // With both signs of a line's end the reader would lose count of lines; what it leaves is trimmed off.
        let mut table = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .terminator(csv::Terminator::Any(b'\n'))
            .flexible(true)
            .from_reader(from);
        let names = table.byte_headers().map_err(|_| "its first row cannot be read".to_owned())?;
        let name = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_start_matches('\u{feff}').trim().to_owned();
        let fields = names.iter().map(|bytes| mapping.columns.get(&name(bytes)).copied()).collect();
        Ok(Self { table, fields, arrivals: mapping.is_of_arrivals(), zone, tries: Tries::default() })
    }

    /// The next row; nothing at the end.
    ///
    /// # Errors
    /// If the file cannot be read on.
    pub(super) fn next(&mut self, contract: &Contract) -> std::io::Result<Option<Row>> {
        let mut record = csv::ByteRecord::new();
        let line = usize::try_from(self.table.position().line()).unwrap_or(usize::MAX);
        match self.table.read_byte_record(&mut record) {
            Ok(false) => Ok(None),
            Ok(true) => {
                // Empty lines before it were skipped, so its first line is counted from its end.
                let inner = record.as_slice().iter().filter(|byte| **byte == b'\n').count();
                let end = usize::try_from(self.table.position().line()).unwrap_or(usize::MAX);
                let line = line.max(end.saturating_sub(inner + 1));
                Ok(Some(Row { line, told: self.told(&record, contract) }))
            }
            Err(cause) => match cause.into_kind() {
                csv::ErrorKind::Io(cause) => Err(cause),
                _ => Ok(Some(Row { line, told: Err("it is no row of the table".to_owned()) })),
            },
        }
    }

    fn told(&mut self, record: &csv::ByteRecord, contract: &Contract) -> Result<Option<Line>, String> {
        let mut values: Vec<(Field, &str)> = Vec::new();
        for (field, bytes) in self.fields.iter().zip(record.iter()) {
            let Some(field) = field else { continue };
            let text = std::str::from_utf8(bytes).map_err(|_| "it is no UTF-8 text".to_owned())?;
            if !text.trim().is_empty() {
                values.push((*field, text));
            }
        }
        if values.is_empty() {
            return Ok(None);
        }
        let row = Values { values, zone: self.zone };
        if self.arrivals {
            row.arrival().map(|line| Some(Line::Arrival(line)))
        } else {
            row.attempt(&mut self.tries, contract)
        }
    }
}

/// The values of one row.
struct Values<'a> {
    values: Vec<(Field, &'a str)>,
    zone: Tz,
}

impl Values<'_> {
    fn get(&self, field: Field) -> Option<&str> {
        self.values.iter().find(|(own, _)| *own == field).map(|(_, text)| text.trim())
    }

    fn time(&self, field: Field) -> Result<Option<Moment>, String> {
        let Some(text) = self.get(field) else { return Ok(None) };
        let time = times::instant_in(text, self.zone);
        time.map(Some).ok_or_else(|| {
            format!("its `{}` is no time, or one that the zone's clocks skip or show twice", field.word())
        })
    }

    fn number<T: std::str::FromStr>(&self, field: Field) -> Result<Option<T>, String> {
        let number =
            |text: &str| text.parse().map_err(|_| format!("its `{}` is no whole number that fits", field.word()));
        self.get(field).map(number).transpose()
    }

    fn at(&self) -> Result<Moment, String> {
        self.time(Field::At)?.ok_or_else(|| "it does not say when".to_owned())
    }

    fn took_ms(&self, at: Moment) -> Result<i64, String> {
        let took = match (self.time(Field::EndedAt)?, self.get(Field::TookMs)) {
            (Some(ended), _) => Some(ended.ms_since(at)),
            (None, Some(text)) => {
                let took: f64 = text.parse().map_err(|_| "its `took_ms` is no number".to_owned())?;
                #[expect(clippy::cast_possible_truncation, reason = "a float is cut to what fits")]
                let took = took.round() as i64;
                Some(took)
            }
            (None, None) => None,
        };
        Ok(took.unwrap_or_default().max(0))
    }

    fn arrival(&self) -> Result<ArrivalLine, String> {
        let at = self.at()?;
        let body = match (self.get(Field::Body), self.get(Field::Event)) {
            (Some(body), _) => body.as_bytes().to_vec(),
            (None, Some(event)) => self.event_body(event)?,
            (None, None) => return Err("it has neither a body nor the id of an event".to_owned()),
        };
        let answer: Option<u16> = self.number(Field::Status)?;
        let took_ms = self.took_ms(at)?;
        let timed = self.get(Field::EndedAt).or(self.get(Field::TookMs)).is_some();
        Ok(ArrivalLine {
            at,
            took_ms: timed.then_some(took_ms),
            answer,
            signature: None,
            verified_later: false,
            headers: Headers::default(),
            body: BodyField::of(Some(&body)),
            aged: None,
        })
    }

    /// What the columns say of an event, in the form of a body.
    fn event_body(&self, event: &str) -> Result<Vec<u8>, String> {
        let mut body = Map::from_iter([("id".to_owned(), json!(event))]);
        if let Some(name) = self.get(Field::Name) {
            body.insert("event".to_owned(), json!(name));
        }
        if let Some(happened) = self.time(Field::HappenedAt)? {
            body.insert("timestamp".to_owned(), json!(happened.to_string()));
        }
        if let Some(post) = self.get(Field::Post) {
            let mut block = Map::from_iter([("id".to_owned(), json!(post))]);
            block.extend(self.get(Field::Text).map(|text| ("content".to_owned(), json!(text))));
            body.insert("post".to_owned(), Value::Object(block));
        }
        if let Some(platform) = self.get(Field::Platform) {
            body.insert("platform".to_owned(), json!({"name": platform}));
        }
        if let Some(account) = self.get(Field::Account) {
            body.insert("account".to_owned(), json!({"accountId": account}));
        }
        Ok(Value::Object(body).to_string().into_bytes())
    }

    fn attempt(&self, tries: &mut Tries, contract: &Contract) -> Result<Option<Line>, String> {
        let at = self.at()?;
        let mut headers = Vec::new();
        for (field, name) in [(Field::Key, contract.key_header.as_str()), (Field::RequestId, "x-request-id")] {
            headers.extend(self.get(field).map(|value| (name.to_owned(), value.to_owned())));
        }
        let status: Option<u16> = match self.get(Field::Status) {
            // Some write a word there, such as `ok` or `timeout`; it is read as one.
            Some(text) if text.parse::<u16>().is_err() => None,
            _ => self.number(Field::Status)?,
        };
        let word = self.get(Field::Outcome).or_else(|| self.get(Field::Status).filter(|_| status.is_none()));
        let end = match (status.filter(|status| (100..1000).contains(status)), word) {
            (Some(status), _) => {
                End::Answered { status, headers: self.answer_headers(), body: self.answer_body(status) }
            }
            (None, Some(word)) => End::Lost(lost(word)),
            (None, None) => End::Unsaid,
        };
        let n = self.number::<u32>(Field::N)?;
        let told = Exchange {
            at,
            took_ms: self.took_ms(at)?,
            method: self.get(Field::Method).unwrap_or("POST").to_owned(),
            url: self.get(Field::Url).unwrap_or("/v1/posts").to_owned(),
            headers: Headers(headers),
            body: self.body(),
            end,
            job: self.get(Field::Job).map(|job| (job.to_owned(), n.unwrap_or_default())),
        };
        let workspace = self.get(Field::Workspace).map(str::to_owned);
        Ok(tries.line(told, contract)?.map(|line| match line {
            Line::Attempt(mut line) => {
                line.workspace = workspace;
                Line::Attempt(line)
            }
            other => other,
        }))
    }

    fn body(&self) -> Option<Vec<u8>> {
        if let Some(body) = self.get(Field::Body) {
            return Some(body.as_bytes().to_vec());
        }
        let mut body = Map::from_iter([("content".to_owned(), json!(self.get(Field::Text)?))]);
        if let Some(account) = self.get(Field::Account) {
            let platform = self.get(Field::Platform).unwrap_or_default();
            body.insert("platforms".to_owned(), json!([{"platform": platform, "accountId": account}]));
        }
        Some(Value::Object(body).to_string().into_bytes())
    }

    fn answer_headers(&self) -> Headers {
        Headers(
            self.get(Field::RetryAfter).map(|wait| ("Retry-After".to_owned(), wait.to_owned())).into_iter().collect(),
        )
    }

    fn answer_body(&self, status: u16) -> Option<Vec<u8>> {
        if let Some(body) = self.get(Field::AnswerBody) {
            return Some(body.as_bytes().to_vec());
        }
        let post = self.get(Field::Post).filter(|_| (200..300).contains(&status))?;
        Some(json!({"post": {"_id": post}}).to_string().into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(usize, Result<Option<Line>, String>)> {
        let sign = delimiter(text).unwrap();
        let mapping = Mapping::guess(&headers(text.as_bytes(), sign).unwrap());
        let mut reader = Reader::new(text.as_bytes(), sign, &mapping).unwrap();
        let contract = Contract::shipped("pozy").unwrap();
        std::iter::from_fn(|| reader.next(&contract).unwrap())
            .map(|row| (row.line, row.told))
            .filter(|(_, told)| !matches!(told, Ok(None)))
            .collect()
    }

    #[test]
    fn a_row_is_a_try() {
        let text = "\u{feff}sent_at;key;text;account;platform;status;post id;duration\r\n2026-03-02 11:00:00+01:00;k;\"Doors;\nopen\";ac;linkedin;201;po_1;400\r\n\r\n2026-03-02T10:01:00Z;k;Doors;ac;linkedin;Read timed out;;30000\r\n";
        let mut rows = read(text);
        assert_eq!(rows.iter().map(|row| row.0).collect::<Vec<_>>(), [2, 5]);
        let Ok(Some(Line::Attempt(second))) = rows.remove(1).1 else { panic!("a try") };
        let Ok(Some(Line::Attempt(first))) = rows.remove(0).1 else { panic!("a try") };
        assert_eq!((first.n, second.n, first.key.as_deref()), (1, 2, Some("k")));
        assert_eq!(
            first.body.bytes().unwrap().unwrap(),
            br#"{"content":"Doors;\nopen","platforms":[{"accountId":"ac","platform":"linkedin"}]}"#
        );
        let (one, two) = (first.result.unwrap(), second.result.unwrap());
        assert_eq!((one.status, one.at.to_string().as_str()), (Some(201), "2026-03-02T10:00:00.400Z"));
        assert_eq!(two.kind, crate::outbound::job::EndKind::Timeout);
    }

    #[test]
    fn a_row_is_an_arrival_where_events_are_told() {
        let rows = read(
            "received_at,event_id,event_type,event_time,post_id,answer\n2026-03-02T10:00:00Z,ev,post.failed,2026-03-02T09:59:59Z,po_1,204\n",
        );
        let Ok(Some(Line::Arrival(line))) = &rows[0].1 else { panic!("an arrival: {:?}", rows[0]) };
        assert_eq!(line.answer, Some(204));
        assert_eq!(
            line.body.bytes().unwrap().unwrap(),
            br#"{"event":"post.failed","id":"ev","post":{"id":"po_1"},"timestamp":"2026-03-02T09:59:59Z"}"#
        );
    }

    #[test]
    fn rows_that_cannot_be_read_are_named() {
        let rows = read("time,key,n\nyesterday,k,1\n2026-03-02T10:00:00Z,k,many\n2026-03-02T10:00:00Z,k,2\n");
        assert!(rows[0].1.as_ref().unwrap_err().contains("`at`") && rows[0].0 == 2);
        assert!(rows[1].1.is_err() && rows[2].1.is_ok());
    }

    #[test]
    fn tables_are_told_by_their_first_line() {
        assert_eq!(delimiter("a,b\n"), Some(b','));
        assert_eq!(delimiter("\u{feff}a\tb\n"), Some(b'\t'));
        assert_eq!(delimiter("{\"a\":1,\"b\":2}\n"), None);
        assert_eq!(delimiter("words\n"), None);
    }
}

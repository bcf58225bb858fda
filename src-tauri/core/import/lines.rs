//! Log lines (design 7): the format of import and export, one JSON object a line. Reading is pure; what a line means
//! for the log is decided by `import`, how rows become lines by `export`.

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub use super::headers::Headers;
use super::{aged::Aged, compact::compact};
use crate::{clock::Moment, outbound::job::EndKind, store::attempts::AttemptRecord};

/// One line of a log.
#[derive(Clone, Debug)]
pub enum Line {
    /// A request that reached a receiver.
    Arrival(ArrivalLine),
    /// A try of a job.
    Attempt(AttemptLine),
    /// State fetched from Pozy.
    Observation(ObservationLine),
    /// What a person saw or decided.
    Note(NoteLine),
}

impl Line {
    /// The moment it stands at in a log.
    #[must_use]
    pub const fn at(&self) -> Moment {
        match self {
            Self::Arrival(line) => line.at,
            Self::Attempt(line) => line.at,
            Self::Observation(line) => line.at,
            Self::Note(line) => line.at,
        }
    }
}

/// A request that reached a receiver.
#[derive(Clone, Debug, Serialize)]
pub struct ArrivalLine {
    /// When it arrived.
    pub at: Moment,
    /// How long our answer took, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<i64>,
    /// Our answer's status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<u16>,
    /// What verifying said where it arrived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<SignatureWord>,
    /// It was answered 401 and found valid afterwards, so it counts.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub verified_later: bool,
    /// Headers.
    pub headers: Headers,
    /// The body; none was kept after a 413.
    #[serde(skip)]
    pub body: BodyField,
    /// What is left of a body that has aged out.
    #[serde(skip)]
    pub aged: Option<Aged>,
}

/// What verifying a signature gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SignatureWord {
    /// It fits the body and the secret.
    Valid,
    /// It does not.
    Invalid,
    /// There was none.
    Missing,
    /// There was no secret to check it with.
    Unchecked,
}

/// A try of a job.
#[derive(Clone, Debug, Serialize)]
pub struct AttemptLine {
    /// When it left.
    pub at: Moment,
    /// Mark of the job; without one, tries of one key are one job.
    pub job: Option<String>,
    /// Counts from 1 in the job.
    pub n: u32,
    /// HTTP method.
    pub method: String,
    /// Path of the call.
    pub path: String,
    /// Name of the workspace; none means the present one.
    pub workspace: Option<String>,
    /// The key it carried.
    pub key: Option<String>,
    /// The `x-request-id` it carried.
    pub request_id: Option<String>,
    /// Bytes that were sent.
    #[serde(skip)]
    pub body: BodyField,
    /// What came of it; none while it is under way.
    #[serde(skip)]
    pub result: Option<ResultLine>,
}

/// What came of a try.
#[derive(Clone, Debug, Serialize)]
pub struct ResultLine {
    /// How it ended.
    pub kind: EndKind,
    /// When that was known.
    pub at: Moment,
    /// Status of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Headers of the answer.
    #[serde(skip_serializing_if = "Headers::is_empty")]
    pub headers: Headers,
    /// Body of the answer.
    #[serde(skip)]
    pub body: BodyField,
}

/// State fetched from Pozy.
#[derive(Clone, Debug, Serialize)]
pub struct ObservationLine {
    /// When the state held.
    pub at: Moment,
    /// Name of the workspace; none means the present one.
    pub workspace: Option<String>,
    /// Path with its query.
    pub path: String,
    /// Status of the answer.
    pub status: u16,
    /// Body of the answer.
    #[serde(skip)]
    pub body: BodyField,
}

/// What a person saw or decided.
#[derive(Clone, Debug, Serialize)]
pub struct NoteLine {
    /// When.
    pub at: Moment,
    /// Mark of the job it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// The post it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub post: Option<String>,
    /// Action of design 7.
    pub action: String,
    /// Their words.
    pub text: String,
    /// `settled`: whether a post is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub there: Option<bool>,
}

/// The three spellings of a body. At most one is set; none means that no body was kept.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct BodyField {
    /// JSON whose compact form is the very bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body: Option<Box<RawValue>>,
    /// Any other text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body_text: Option<String>,
    /// Bytes that are no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body_base64: Option<String>,
}

impl BodyField {
    /// The spelling for `bytes` that gives them back exactly.
    #[must_use]
    pub fn of(bytes: Option<&[u8]>) -> Self {
        let Some(bytes) = bytes else { return Self::default() };
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Self { body_base64: Some(BASE64.encode(bytes)), ..Self::default() };
        };
        match serde_json::from_str::<Box<RawValue>>(text) {
            // A field of null is read as one that is not there.
            Ok(raw) if text != "null" && compact(text).as_deref() == Some(text) => {
                Self { body: Some(raw), ..Self::default() }
            }
            _ => Self { body_text: Some(text.to_owned()), ..Self::default() },
        }
    }

    /// The bytes, if a body was kept.
    ///
    /// # Errors
    /// A sentence if `body_base64` is no base64.
    pub fn bytes(&self) -> Result<Option<Vec<u8>>, String> {
        if let Some(raw) = &self.body {
            let text = raw.get();
            return Ok(Some(compact(text).unwrap_or_else(|| text.to_owned()).into_bytes()));
        }
        if let Some(text) = &self.body_text {
            return Ok(Some(text.clone().into_bytes()));
        }
        match &self.body_base64 {
            Some(text) => BASE64.decode(text).map(Some).map_err(|_| "`body_base64` is not base64".to_owned()),
            None => Ok(None),
        }
    }
}

impl From<AttemptRecord> for AttemptLine {
    fn from(record: AttemptRecord) -> Self {
        let result = record.end.map(|end| ResultLine {
            kind: end.kind,
            at: end.at,
            status: end.status,
            headers: Headers(end.headers),
            body: BodyField::of(end.body.as_deref()),
        });
        Self {
            at: record.at,
            job: Some(record.job.to_string()),
            n: record.n,
            method: record.method,
            path: record.path,
            workspace: Some(record.workspace),
            key: record.key,
            request_id: record.request_id,
            body: BodyField::of(record.body.as_deref()),
            result,
        }
    }
}

/// Reads one line. Its text is parsed once, into parts that stay where they stand; only what its kind needs of them is
/// read further, and a body stays the text it is.
///
/// # Errors
/// A short reason for the list of lines that could not be read.
pub fn read(line: &str) -> Result<Line, String> {
    let parts = Parts::of(line)?;
    match parts.maybe::<String>(parts.flat.kind)?.as_deref() {
        Some("arrival") => parts.arrival().map(Line::Arrival),
        Some("attempt") => parts.attempt().map(Line::Attempt),
        Some("observation") => parts.observation().map(Line::Observation),
        Some("note") => parts.note().map(Line::Note),
        Some(_) => Err("its `kind` is none of arrival, attempt, observation, note".to_owned()),
        None => Err("it has no `kind`".to_owned()),
    }
}

/// Every field that any kind of line has, as it stands in the text.
#[derive(Deserialize)]
struct Flat<'a> {
    #[serde(borrow, default)]
    kind: Option<&'a RawValue>,
    #[serde(borrow, default)]
    at: Option<&'a RawValue>,
    #[serde(borrow, default)]
    took_ms: Option<&'a RawValue>,
    #[serde(borrow, default)]
    answer: Option<&'a RawValue>,
    #[serde(borrow, default)]
    signature: Option<&'a RawValue>,
    #[serde(borrow, default)]
    verified_later: Option<&'a RawValue>,
    #[serde(borrow, default)]
    headers: Option<&'a RawValue>,
    #[serde(borrow, default)]
    job: Option<&'a RawValue>,
    #[serde(borrow, default)]
    n: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<&'a RawValue>,
    #[serde(borrow, default)]
    path: Option<&'a RawValue>,
    #[serde(borrow, default)]
    workspace: Option<&'a RawValue>,
    #[serde(borrow, default)]
    key: Option<&'a RawValue>,
    #[serde(borrow, default)]
    request_id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    status: Option<&'a RawValue>,
    #[serde(borrow, default)]
    post: Option<&'a RawValue>,
    #[serde(borrow, default)]
    action: Option<&'a RawValue>,
    #[serde(borrow, default)]
    text: Option<&'a RawValue>,
    #[serde(borrow, default)]
    there: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    body: Option<&'a RawValue>,
    #[serde(borrow, default)]
    body_text: Option<&'a RawValue>,
    #[serde(borrow, default)]
    body_base64: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pruned: Option<&'a RawValue>,
}

/// A line, or the result inside one, in parts.
struct Parts<'a> {
    line: &'a str,
    flat: Flat<'a>,
}

impl<'a> Parts<'a> {
    fn of(line: &'a str) -> Result<Self, String> {
        Ok(Self { line, flat: serde_json::from_str(line).map_err(|cause| reason(&cause, 0))? })
    }

    /// A part that may be absent; a null is absent.
    fn maybe<T: serde::de::DeserializeOwned>(&self, part: Option<&'a RawValue>) -> Result<Option<T>, String> {
        let Some(raw) = part else { return Ok(None) };
        // Where it stands in the line; the parser tells only where it stumbled in the part.
        let column = (raw.get().as_ptr() as usize).saturating_sub(self.line.as_ptr() as usize);
        serde_json::from_str(raw.get()).map_err(|cause| reason(&cause, column))
    }

    /// A part that must be there.
    fn need<T: serde::de::DeserializeOwned>(&self, name: &str, part: Option<&'a RawValue>) -> Result<T, String> {
        self.maybe(part)?.ok_or_else(|| format!("`{name}` is missing"))
    }

    /// When it was, which every line must tell and the log be able to hold.
    fn at(&self) -> Result<Moment, String> {
        let text: String = self.need("at", self.flat.at)?;
        Moment::parse(&text)
            .ok_or_else(|| "its `at` is no time with a zone, or lies before 1678 or after 2261".to_owned())
    }

    fn body(&self) -> Result<BodyField, String> {
        Ok(BodyField {
            body: self.flat.body.map(ToOwned::to_owned),
            body_text: self.maybe(self.flat.body_text)?,
            body_base64: self.maybe(self.flat.body_base64)?,
        })
    }

    fn arrival(&self) -> Result<ArrivalLine, String> {
        let flat = &self.flat;
        Ok(ArrivalLine {
            at: self.at()?,
            took_ms: self.maybe(flat.took_ms)?,
            answer: self.maybe(flat.answer)?,
            signature: self.maybe(flat.signature)?,
            verified_later: self.maybe(flat.verified_later)?.unwrap_or_default(),
            headers: self.maybe(flat.headers)?.unwrap_or_default(),
            body: self.body()?,
            aged: match self.maybe(flat.pruned)? {
                Some(true) => Some(serde_json::from_str(self.line).map_err(|cause| reason(&cause, 0))?),
                Some(false) | None => None,
            },
        })
    }

    fn attempt(&self) -> Result<AttemptLine, String> {
        let flat = &self.flat;
        let result = match flat.result {
            Some(raw) => Some(Parts::of(raw.get())?.result()?),
            None => None,
        };
        Ok(AttemptLine {
            at: self.at()?,
            job: self.maybe(flat.job)?,
            n: self.need("n", flat.n)?,
            method: self.need("method", flat.method)?,
            path: self.need("path", flat.path)?,
            workspace: self.maybe(flat.workspace)?,
            key: self.maybe(flat.key)?,
            request_id: self.maybe(flat.request_id)?,
            body: self.body()?,
            result,
        })
    }

    fn result(&self) -> Result<ResultLine, String> {
        let flat = &self.flat;
        Ok(ResultLine {
            kind: self.need("kind", flat.kind)?,
            at: self.at()?,
            status: self.maybe(flat.status)?,
            headers: self.maybe(flat.headers)?.unwrap_or_default(),
            body: self.body()?,
        })
    }

    fn observation(&self) -> Result<ObservationLine, String> {
        let flat = &self.flat;
        Ok(ObservationLine {
            at: self.at()?,
            workspace: self.maybe(flat.workspace)?,
            path: self.need("path", flat.path)?,
            status: self.need("status", flat.status)?,
            body: self.body()?,
        })
    }

    fn note(&self) -> Result<NoteLine, String> {
        let flat = &self.flat;
        Ok(NoteLine {
            at: self.at()?,
            job: self.maybe(flat.job)?,
            post: self.maybe(flat.post)?,
            action: self.need("action", flat.action)?,
            text: self.maybe(flat.text)?.unwrap_or_default(),
            there: self.maybe(flat.there)?,
        })
    }
}

/// Writes one line, without its line end. Reading it gives back the same line.
///
/// # Errors
/// Only if a part has no JSON form, which none of them lacks.
pub fn write(line: &Line) -> serde_json::Result<String> {
    let (kind, head, body) = match line {
        Line::Arrival(line) => ("arrival", serde_json::to_string(line)?, Some(&line.body)),
        Line::Attempt(line) => ("attempt", serde_json::to_string(line)?, Some(&line.body)),
        Line::Observation(line) => ("observation", serde_json::to_string(line)?, Some(&line.body)),
        Line::Note(line) => ("note", serde_json::to_string(line)?, None),
    };
    let mut text = joined(&format!("{{\"kind\":\"{kind}\"}}"), &head);
    if let Some(body) = body {
        text = joined(&text, &serde_json::to_string(body)?);
    }
    if let Line::Arrival(ArrivalLine { aged: Some(aged), .. }) = line {
        text = joined(&joined(&text, "{\"pruned\":true}"), &serde_json::to_string(aged)?);
    }
    if let Line::Attempt(AttemptLine { result: Some(result), .. }) = line {
        let result_text = joined(&serde_json::to_string(result)?, &serde_json::to_string(&result.body)?);
        text = joined(&text, &format!("{{\"result\":{result_text}}}"));
    }
    Ok(text)
}

/// One JSON object with the members of both. Done on the text, since a body must keep its very spelling.
fn joined(first: &str, second: &str) -> String {
    match (first.strip_suffix('}'), second.strip_prefix('{')) {
        (Some(first), Some(second)) if first.len() > 1 && second.len() > 1 => format!("{first},{second}"),
        (Some(first), Some(second)) => format!("{first}{second}"),
        _ => first.to_owned(),
    }
}

/// The parser's words, never with a value of the line in them; `column` is where the parsed text begins in the line.
fn reason(cause: &serde_json::Error, column: usize) -> String {
    use serde_json::error::Category;
    match cause.classify() {
        Category::Eof => "the line ends too early".to_owned(),
        Category::Syntax | Category::Io => format!("it is no JSON at column {}", column + cause.column()),
        Category::Data => {
            format!("a value is not of the kind it should be, near column {}", column + cause.column())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_come_back_to_the_byte() {
        let bodies: [&[u8]; 9] = [
            b"null",
            br#"{"id":"ev_1","n":1.50,"a":"\u00e9"}"#,
            br#"{"a":1,"a":2}"#,
            br#"{ "spread": true }"#,
            b"not json",
            b"",
            b"\xfe\xff\x00",
            "[\"\u{fffd}\"]".as_bytes(),
            &[b'['; 300],
        ];
        for bytes in bodies {
            let text = serde_json::to_string(&BodyField::of(Some(bytes))).unwrap();
            let back: BodyField = serde_json::from_str(&text).unwrap();
            assert_eq!(back.bytes().unwrap().as_deref(), Some(bytes), "{text}");
        }
        assert_eq!(BodyField::of(None).bytes().unwrap(), None);
    }

    #[test]
    fn headers_keep_their_order_and_those_that_came_twice() {
        let line = r#"{"kind":"arrival","at":"2026-03-02T10:00:00Z","headers":{"x":"1","B":["2","3"],"a":4,"b":"5"}}"#;
        let Line::Arrival(arrival) = read(line).unwrap() else { panic!("an arrival") };
        let named = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let all = [named("x", "1"), named("B", "2"), named("B", "3"), named("a", "4"), named("b", "5")];
        assert_eq!(arrival.headers.0, all);
    }

    #[test]
    fn a_body_with_blanks_is_its_compact_form() {
        let line = r#"{"kind":"arrival","at":"2026-03-02T10:00:00Z","body":{ "id" : "ev" }}"#;
        let Line::Arrival(arrival) = read(line).unwrap() else { panic!("an arrival") };
        assert_eq!(arrival.body.bytes().unwrap().unwrap(), br#"{"id":"ev"}"#);
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        for line in [
            r#"{"kind":"arrival","at":"2026-03-02T10:00:00.250Z","took_ms":35,"answer":204,"signature":"valid","headers":{"a":"b"},"body":{"id":"ev","id":"twice"}}"#,
            r#"{"kind":"arrival","at":"2026-03-02T10:00:00Z","answer":413,"headers":{}}"#,
            r#"{"kind":"arrival","at":"2026-03-02T10:00:00Z","answer":401,"signature":"valid","verified_later":true,"headers":{}}"#,
            r#"{"kind":"arrival","at":"2026-03-02T10:00:00Z","answer":204,"headers":{},"pruned":true,"body_len":90,"event":"ev","name":"post.published","happened_at":"2026-03-02T09:59:00Z","resource":"post:po","nature":"real","news":[{"lane":"post:po","status":"published","rank":"own"}],"platform":"linkedin","account":"ac","twin_of":"ev_0"}"#,
            r#"{"kind":"arrival","at":"2026-03-02T10:00:00Z","answer":401,"headers":{},"pruned":true,"body_len":90,"event":"ev"}"#,
            r#"{"kind":"arrival","at":"2026-03-02T10:00:00Z","answer":204,"headers":{},"pruned":true,"body_len":3}"#,
            r#"{"kind":"attempt","at":"2026-03-02T10:00:00Z","job":"job_9","n":1,"method":"POST","path":"/v1/posts","workspace":"ws_a","key":"k","request_id":null,"body":{"content":"x"},"result":{"kind":"answered","at":"2026-03-02T10:00:01Z","status":201,"headers":{"Date":"x"},"body":{"post":{"_id":"po"}}}}"#,
            r#"{"kind":"attempt","at":"2026-03-02T10:00:00Z","job":"job_9","n":2,"method":"POST","path":"/v1/posts","workspace":"ws_a","key":null,"request_id":null,"body_text":"x","result":{"kind":"timeout","at":"2026-03-02T10:00:01Z"}}"#,
            r#"{"kind":"observation","at":"2026-03-02T10:00:00Z","workspace":"ws_a","path":"/v1/posts/po","status":404,"body_base64":"/v8A"}"#,
            r#"{"kind":"note","at":"2026-03-02T10:00:00Z","post":"po","action":"seen_twice","text":"on the page"}"#,
        ] {
            assert_eq!(write(&read(line).unwrap()).unwrap(), line);
        }
    }

    #[test]
    fn reasons_are_plain_and_hold_nothing_of_the_line() {
        for (line, why) in [
            ("{\"kind\":\"arrival\"", "ends too early"),
            ("hello", "no JSON"),
            ("{}", "no `kind`"),
            (r#"{"kind":"sk_secret"}"#, "none of arrival"),
            (r#"{"kind":"arrival","headers":{}}"#, "`at` is missing"),
            (r#"{"kind":"arrival","at":"sk_secret"}"#, "its `at` is no time"),
            (r#"{"kind":"arrival","at":7}"#, "near column"),
            (r#"{"kind":"arrival","at":"2300-01-01T00:00:00Z"}"#, "before 1678 or after 2261"),
            (r#"{"kind":"note","at":"1600-01-01T00:00:00Z"}"#, "before 1678 or after 2261"),
        ] {
            let reason = read(line).unwrap_err();
            assert!(reason.contains(why) && !reason.contains("sk_secret"), "{line}: {reason}");
        }
    }
}

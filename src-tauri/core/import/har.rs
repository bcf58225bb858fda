//! HAR, the archive that browsers and proxies save: its entries become the same lines as those of a log (contract,
//! "Jobs", last point). A call to `/v1/...` is a try, tries with one key are one job; a GET there is a fetch, since it
//! makes nothing; a POST elsewhere whose body has `id`, `event` and `timestamp` is an arrival; the rest is passed over.
//!
//! The file is cut into entries as it is read, so that memory holds one entry however large the file is, and an entry
//! that cannot be read spoils no other.

use std::{
    collections::HashMap,
    io::{self, BufRead},
};

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use serde::Deserialize;
use serde_json::Value;

use super::lines::{ArrivalLine, AttemptLine, BodyField, Headers, Line, ObservationLine, ResultLine};
use crate::{clock::Moment, outbound::job::EndKind, pozy::contract::Contract};

/// A longer entry is passed over as bad, bytes.
const LONGEST_ENTRY: usize = 64 << 20;

/// True if the text begins like a HAR: an object whose first member is `log`.
#[must_use]
pub fn is_har(beginning: &[u8]) -> bool {
    let text = beginning.strip_prefix(b"\xef\xbb\xbf").unwrap_or(beginning);
    let text = text.trim_ascii_start().strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    text.and_then(|text| text.strip_prefix(b"\"log\"")).is_some_and(|text| text.trim_ascii_start().starts_with(b":"))
}

/// Cuts a HAR into its entries.
#[derive(Debug, Default)]
pub struct Entries {
    begun: bool,
    over: bool,
}

impl Entries {
    /// The text of the next entry, or why it has none; nothing at the end.
    ///
    /// # Errors
    /// If the file cannot be read on.
    pub fn next(&mut self, from: &mut impl BufRead) -> io::Result<Option<Result<Vec<u8>, String>>> {
        if !self.begun {
            self.begun = true;
            self.over = !find_entries(from)?;
            if self.over {
                return Ok(Some(Err("it has no `entries`".to_owned())));
            }
        }
        while !self.over {
            match byte(from)? {
                Some(b'{') => return self.object(from).map(Some),
                Some(b']') => self.over = true,
                Some(b',' | b' ' | b'\t' | b'\n' | b'\r') => {}
                // Past anything else nobody can tell where the next entry begins.
                Some(_) => {
                    self.over = true;
                    return Ok(Some(Err("it is no entry, so the rest was left out".to_owned())));
                }
                None => {
                    self.over = true;
                    return Ok(Some(Err(TOO_EARLY.to_owned())));
                }
            }
        }
        Ok(None)
    }

    /// The rest of an object whose first brace is read.
    fn object(&mut self, from: &mut impl BufRead) -> io::Result<Result<Vec<u8>, String>> {
        let mut text = vec![b'{'];
        let (mut depth, mut inside, mut escaped) = (1_usize, false, false);
        while depth > 0 {
            let Some(byte) = byte(from)? else {
                self.over = true;
                return Ok(Err(TOO_EARLY.to_owned()));
            };
            if text.len() <= LONGEST_ENTRY {
                text.push(byte);
            }
            if inside {
                inside = byte != b'"' || escaped;
                escaped = byte == b'\\' && !escaped;
            } else {
                match byte {
                    b'"' => inside = true,
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth -= 1,
                    _ => {}
                }
            }
        }
        Ok(if text.len() > LONGEST_ENTRY { Err("it is too long".to_owned()) } else { Ok(text) })
    }
}

const TOO_EARLY: &str = "the file ends too early";

fn byte(from: &mut impl BufRead) -> io::Result<Option<u8>> {
    let next = from.fill_buf()?.first().copied();
    if next.is_some() {
        from.consume(1);
    }
    Ok(next)
}

/// Reads on to the first element of `log.entries`; false if there is none.
fn find_entries(from: &mut impl BufRead) -> io::Result<bool> {
    let (mut depth, mut word) = (0_usize, Vec::new());
    while let Some(next) = byte(from)? {
        match next {
            b'"' => word = string(from)?,
            b'[' if depth == 2 && word == b"entries" => return Ok(true),
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(false)
}

/// The rest of a string whose first quote is read; what is long is no name that matters and is cut short.
fn string(from: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let (mut text, mut escaped) = (Vec::new(), false);
    while let Some(next) = byte(from)? {
        if next == b'"' && !escaped {
            break;
        }
        escaped = next == b'\\' && !escaped;
        if text.len() < 64 {
            text.push(next);
        }
    }
    Ok(text)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    started_date_time: Moment,
    #[serde(default)]
    time: Option<f64>,
    request: Request,
    #[serde(default)]
    response: Option<Response>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    method: String,
    url: String,
    #[serde(default)]
    headers: Vec<Pair>,
    #[serde(default)]
    post_data: Option<Text>,
}

#[derive(Deserialize)]
struct Response {
    status: i64,
    #[serde(default)]
    headers: Vec<Pair>,
    #[serde(default)]
    content: Option<Text>,
    #[serde(default, rename = "_error")]
    error: Option<String>,
}

#[derive(Deserialize)]
struct Pair {
    name: String,
    value: String,
}

#[derive(Deserialize)]
struct Text {
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    encoding: Option<String>,
}

/// Makes lines of entries; counts the tries of each key, which are one job.
#[derive(Debug, Default)]
pub struct Reader {
    tries: HashMap<String, u32>,
}

impl Reader {
    /// The line that an entry stands for; none if it has nothing to do with posts or webhooks.
    ///
    /// # Errors
    /// A short reason for the list of what could not be read; nothing of the entry is in it.
    pub fn line(&mut self, text: &[u8], contract: &Contract) -> Result<Option<Line>, String> {
        let entry: Entry = serde_json::from_slice(text)
            .map_err(|_| "it is no entry of a HAR: a field is missing or odd".to_owned())?;
        let Ok(url) = reqwest::Url::parse(&entry.request.url) else { return Ok(None) };
        let method = entry.request.method.to_ascii_uppercase();
        match (url.path().starts_with("/v1/"), method.as_str()) {
            (true, "OPTIONS" | "HEAD") => Ok(None),
            (true, "GET") => Ok(fetch(&entry, path(&url))?.map(Line::Observation)),
            (true, _) => self.attempt(&entry, method, path(&url), contract).map(|line| Some(Line::Attempt(line))),
            (false, "POST") => Ok(arrival(entry)?.map(Line::Arrival)),
            (false, _) => Ok(None),
        }
    }

    fn attempt(
        &mut self,
        entry: &Entry,
        method: String,
        path: String,
        contract: &Contract,
    ) -> Result<AttemptLine, String> {
        let key = header(&entry.request.headers, &contract.key_header);
        let n = key.as_ref().map_or(1, |key| {
            let tries = self.tries.entry(key.clone()).or_default();
            *tries += 1;
            *tries
        });
        Ok(AttemptLine {
            at: entry.started_date_time,
            job: None,
            n,
            method,
            path,
            workspace: None,
            request_id: header(&entry.request.headers, "x-request-id"),
            key,
            body: field(entry.request.post_data.as_ref())?,
            result: Some(result(entry)?),
        })
    }
}

fn result(entry: &Entry) -> Result<ResultLine, String> {
    let at = ended(entry);
    match &entry.response {
        Some(response) if response.status > 0 => Ok(ResultLine {
            kind: EndKind::Answered,
            at,
            status: Some(status(response)?),
            headers: headers(&response.headers),
            body: field(response.content.as_ref())?,
        }),
        response => {
            let error = response.as_ref().and_then(|response| response.error.as_deref()).unwrap_or_default();
            Ok(ResultLine {
                kind: lost(error),
                at,
                status: None,
                headers: Headers::default(),
                body: BodyField::default(),
            })
        }
    }
}

/// How a request without an answer ended, from the browser's word for it. Without one a byte may have left.
fn lost(error: &str) -> EndKind {
    let error = error.to_ascii_uppercase().replace('-', "_");
    let says = |words: &[&str]| words.iter().any(|word| error.contains(word));
    if says(&["CONNECTION_REFUSED", "NAME_NOT_RESOLVED", "INTERNET_DISCONNECTED", "ADDRESS_UNREACHABLE"]) {
        EndKind::NotSent
    } else if says(&["TIMED_OUT", "TIMEOUT"]) {
        EndKind::Timeout
    } else {
        EndKind::Reset
    }
}

/// A GET that was answered: what Pozy said of a post or an account at that moment.
fn fetch(entry: &Entry, path: String) -> Result<Option<ObservationLine>, String> {
    let Some(response) = entry.response.as_ref().filter(|response| response.status > 0) else { return Ok(None) };
    let body = field(response.content.as_ref())?;
    Ok(Some(ObservationLine { at: ended(entry), workspace: None, path, status: status(response)?, body }))
}

fn arrival(entry: Entry) -> Result<Option<ArrivalLine>, String> {
    let body = field(entry.request.post_data.as_ref())?;
    let told: Value = match body.bytes()? {
        Some(bytes) => serde_json::from_slice(&bytes).unwrap_or(Value::Null),
        None => Value::Null,
    };
    if ["id", "event", "timestamp"].iter().any(|name| told.get(name).is_none()) {
        return Ok(None);
    }
    let answer = match &entry.response {
        Some(response) if response.status > 0 => Some(status(response)?),
        _ => None,
    };
    Ok(Some(ArrivalLine {
        at: entry.started_date_time,
        took_ms: answer.map(|_| took_ms(&entry)),
        answer,
        signature: None,
        headers: headers(&entry.request.headers),
        body,
    }))
}

fn took_ms(entry: &Entry) -> i64 {
    let ms = entry.time.filter(|ms| ms.is_finite() && (0.0..1e12).contains(ms)).unwrap_or_default();
    #[expect(clippy::cast_possible_truncation, reason = "it is below 1e12")]
    let ms = ms.round() as i64;
    ms
}

fn ended(entry: &Entry) -> Moment {
    entry.started_date_time.plus_millis(took_ms(entry))
}

fn status(response: &Response) -> Result<u16, String> {
    u16::try_from(response.status).map_err(|_| "its `status` is no status of HTTP".to_owned())
}

fn header(headers: &[Pair], name: &str) -> Option<String> {
    headers.iter().find(|pair| pair.name.eq_ignore_ascii_case(name)).map(|pair| pair.value.clone())
}

fn headers(pairs: &[Pair]) -> Headers {
    Headers(pairs.iter().map(|pair| (pair.name.clone(), pair.value.clone())).collect())
}

/// Path with its query, as a call of the API names it.
fn path(url: &reqwest::Url) -> String {
    match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    }
}

/// The bytes of a body, base64 undone where the archive says so.
fn field(text: Option<&Text>) -> Result<BodyField, String> {
    let Some((text, told)) = text.and_then(|told| Some((told.text.as_ref()?, told))) else {
        return Ok(BodyField::default());
    };
    if told.encoding.as_deref() == Some("base64") {
        let bytes = BASE64.decode(text).map_err(|_| "a body that is called base64 is none".to_owned())?;
        return Ok(BodyField::of(Some(&bytes)));
    }
    Ok(BodyField::of(Some(text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn cut(text: &str) -> Vec<Result<Vec<u8>, String>> {
        let (mut entries, mut from) = (Entries::default(), text.as_bytes());
        std::iter::from_fn(|| entries.next(&mut from).unwrap()).collect()
    }

    fn read(entry: &Value) -> Result<Option<Line>, String> {
        Reader::default().line(entry.to_string().as_bytes(), &Contract::shipped("pozy").unwrap())
    }

    fn entry(method: &str, url: &str, body: &str, response: &Value) -> Value {
        json!({"startedDateTime": "2026-03-02T11:00:00.5+01:00", "time": 80.4,
               "request": {"method": method, "url": url, "headers": [{"name": "idempotency-key", "value": "k"}],
                           "postData": {"text": body}}, "response": response})
    }

    #[test]
    fn a_har_is_told_by_its_first_member() {
        for text in ["{\"log\":{}}", " {\n \"log\" : {", "\u{feff}{\"log\":"] {
            assert!(is_har(text.as_bytes()), "{text}");
        }
        for text in ["{\"kind\":\"note\"}", "{\"logs\":1}", "log", "", "[{\"log\":1}]"] {
            assert!(!is_har(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn entries_are_cut_out_whatever_stands_around_them() {
        let text = r#"{"log":{"pages":[{"entries":[1]}],"note":"\"entries\":[","entries":[ {"a":"}]\"{"} ,{"b":[{}]}],"x":[{}]}}"#;
        let cut: Vec<_> = cut(text).into_iter().map(|entry| String::from_utf8(entry.unwrap()).unwrap()).collect();
        assert_eq!(cut, [r#"{"a":"}]\"{"}"#, r#"{"b":[{}]}"#]);
    }

    #[test]
    fn a_file_that_breaks_off_keeps_what_came_before() {
        let cut = cut(r#"{"log":{"entries":[{"a":1},{"b":"#);
        assert_eq!(cut.len(), 2);
        assert_eq!((cut[0].is_ok(), cut[1].clone().unwrap_err().as_str()), (true, TOO_EARLY));
        assert!(super::tests::cut(r#"{"log":{}}"#)[0].is_err());
        assert_eq!(super::tests::cut(r#"{"log":{"entries":[7,{}]}}"#).len(), 1);
    }

    #[test]
    fn a_call_is_a_try_and_a_get_is_a_fetch() {
        let answer = json!({"status": 201, "content": {"text": "e30=", "encoding": "base64"}});
        let Ok(Some(Line::Attempt(line))) = read(&entry("post", "https://a.example/v1/posts?x=1#y", "{}", &answer))
        else {
            panic!("a try")
        };
        assert_eq!(
            (line.path.as_str(), line.method.as_str(), line.key.as_deref()),
            ("/v1/posts?x=1", "POST", Some("k"))
        );
        let result = line.result.unwrap();
        assert_eq!(
            (line.at.to_string(), result.at.to_string()),
            ("2026-03-02T10:00:00.500Z".into(), "2026-03-02T10:00:00.580Z".into())
        );
        assert_eq!((result.status, result.body.bytes().unwrap().unwrap()), (Some(201), b"{}".to_vec()));
        let fetch = read(&entry("GET", "https://a.example/v1/posts/po_1", "", &json!({"status": 200})));
        assert!(matches!(fetch, Ok(Some(Line::Observation(_)))));
        for method in ["OPTIONS", "HEAD"] {
            assert!(matches!(read(&entry(method, "https://a.example/v1/posts", "", &answer)), Ok(None)));
        }
    }

    #[test]
    fn tries_of_one_key_are_counted() {
        let (mut reader, contract) = (Reader::default(), Contract::shipped("pozy").unwrap());
        let text = entry("POST", "https://a.example/v1/posts", "{}", &json!({"status": 503})).to_string();
        let mut n = || match reader.line(text.as_bytes(), &contract) {
            Ok(Some(Line::Attempt(line))) => line.n,
            other => panic!("a try, not {other:?}"),
        };
        assert_eq!((n(), n()), (1, 2));
    }

    #[test]
    fn a_request_without_an_answer_is_lost() {
        for (error, kind) in [
            ("net::ERR_TIMED_OUT", EndKind::Timeout),
            ("net::ERR_CONNECTION_REFUSED", EndKind::NotSent),
            ("net::ERR_ABORTED", EndKind::Reset),
            ("", EndKind::Reset),
        ] {
            let line = read(&entry("POST", "https://a.example/v1/posts", "{}", &json!({"status": 0, "_error": error})));
            let Ok(Some(Line::Attempt(line))) = line else { panic!("a try") };
            assert_eq!(line.result.unwrap().kind, kind, "{error}");
        }
    }

    #[test]
    fn only_a_webhook_elsewhere_is_an_arrival() {
        let body = r#"{"id":"ev","event":"post.failed","timestamp":"2026-03-02T10:00:00Z"}"#;
        let url = "http://desk.example/hooks/main";
        let answered = json!({"status": 204});
        let Ok(Some(Line::Arrival(line))) = read(&entry("POST", url, body, &answered)) else { panic!("an arrival") };
        assert_eq!((line.took_ms, line.answer), (Some(80), Some(204)));
        for (method, url, body) in
            [("POST", url, r#"{"id":1}"#), ("POST", url, "text"), ("GET", url, body), ("POST", "not an address", body)]
        {
            assert!(matches!(read(&entry(method, url, body, &answered)), Ok(None)), "{method} {url} {body}");
        }
    }

    #[test]
    fn reasons_hold_nothing_of_the_entry() {
        let mut odd = entry("POST", "https://a.example/v1/posts", "{}", &json!({"status": 201}));
        odd["startedDateTime"] = json!("sk_secret");
        assert!(!read(&odd).unwrap_err().contains("sk_secret"));
    }
}

//! Requests as they went over the wire, written to a file: by hand, by `curl -v`, by a proxy, or for an editor that
//! sends `.http` files. A request begins with its line (`POST /v1/posts HTTP/1.1`), then its headers, an empty line and
//! its body; its answer may follow (`HTTP/1.1 201 Created`). Marks before lines (`>`, `<`) and remarks (`*`, `#`) are
//! understood. The time is that of a `Date` header, or of a remark before the request. Pure.

use std::io::{self, BufRead};

use super::{
    exchange::{End, Exchange},
    lines::Headers,
    text::Numbered,
    times,
};
use crate::clock::Moment;

/// A longer request or answer is cut, bytes.
const LONGEST: usize = 64 << 20;

/// True if a line near the beginning is the first of a request.
#[must_use]
pub(super) fn looks_like(beginning: &str) -> bool {
    beginning.lines().take(40).any(|line| request_line(unmarked(line)).is_some())
}

/// A request with the line it begins at, and the time it bears.
#[derive(Debug)]
pub(super) struct Dumped {
    pub(super) line: usize,
    pub(super) at: Option<Moment>,
    request: Part,
    answer: Option<(u16, Part)>,
    method: String,
    url: String,
}

#[derive(Debug, Default)]
struct Part {
    headers: Headers,
    body: Vec<u8>,
}

/// Reads requests one after another.
#[derive(Debug, Default)]
pub(super) struct Reader {
    told: Option<Moment>,
}

impl Reader {
    /// The next request with its answer; nothing at the end.
    ///
    /// # Errors
    /// If the file cannot be read on.
    pub(super) fn next(&mut self, from: &mut Numbered<impl BufRead>) -> io::Result<Option<Dumped>> {
        while let Some((number, bytes)) = from.line()? {
            let line = text(&bytes);
            let Some((method, url)) = request_line(unmarked(&line)) else {
                self.told = remark(&line).or(self.told);
                continue;
            };
            let (method, url) = (method.to_owned(), url.to_owned());
            let told = self.told.take();
            let request = part(from, false)?;
            let mut answer = None;
            if let Some((number, bytes)) = skip_remarks(from)? {
                match status_line(unmarked(&text(&bytes))) {
                    Some(status) => answer = Some((status, part(from, true)?)),
                    None => from.hold([(number, bytes)]),
                }
            }
            let dated = [Some(&request), answer.as_ref().map(|(_, part)| part)].into_iter().flatten();
            let date = dated
                .filter_map(|part| super::exchange::header(&part.headers, "date"))
                .find_map(|date| times::instant(&date));
            return Ok(Some(Dumped { line: number, at: told.or(date), request, answer, method, url }));
        }
        Ok(None)
    }
}

impl Dumped {
    /// The request and what came of it, at `at`.
    pub(super) fn told(self, at: Moment) -> Exchange {
        let host = super::exchange::header(&self.request.headers, "host");
        let url = match host {
            Some(host) if self.url.starts_with('/') => format!("http://{host}{}", self.url),
            _ => self.url,
        };
        let end = match self.answer {
            Some((status, part)) => End::Answered { status, headers: part.headers, body: Some(part.body) },
            None => End::Unsaid,
        };
        let body = (!self.request.body.is_empty()).then_some(self.request.body);
        Exchange { at, took_ms: 0, method: self.method, url, headers: self.request.headers, body, end, job: None }
    }
}

/// Headers and body after a first line.
fn part(from: &mut Numbered<impl BufRead>, answer: bool) -> io::Result<Part> {
    let mut part = Part::default();
    while let Some((number, bytes)) = from.line()? {
        let line = text(&bytes);
        if line.starts_with("* ") {
            continue;
        }
        let plain = unmarked(&line);
        if plain.is_empty() {
            break;
        }
        match plain.split_once(':') {
            Some((name, value)) if !name.is_empty() && !name.contains([' ', '{', '"']) => {
                part.headers.0.push((name.to_owned(), value.trim().to_owned()));
            }
            // Some write no empty line before the body, and some end the request here.
            _ => {
                from.hold([(number, bytes)]);
                break;
            }
        }
    }
    let length: Option<usize> =
        super::exchange::header(&part.headers, "content-length").and_then(|length| length.parse().ok());
    while let Some((number, bytes)) = from.line()? {
        let line = text(&bytes);
        let plain = unmarked(&line);
        let ends = request_line(plain).is_some()
            || status_line(plain).is_some()
            || line.starts_with("###")
            || (line.starts_with("* ") && !answer)
            || (plain.trim_matches('-').is_empty() && plain.len() >= 3);
        if ends && length.is_none_or(|length| part.body.len() >= length) {
            from.hold([(number, bytes)]);
            break;
        }
        if part.body.len() < LONGEST {
            part.body.extend_from_slice(&bytes);
        }
    }
    match length.filter(|length| *length <= part.body.len()) {
        Some(length) => part.body.truncate(length),
        None => {
            let kept = part.body.trim_ascii_end().len();
            part.body.truncate(kept);
        }
    }
    Ok(part)
}

fn skip_remarks(from: &mut Numbered<impl BufRead>) -> io::Result<Option<(usize, Vec<u8>)>> {
    while let Some((number, bytes)) = from.line()? {
        let line = text(&bytes);
        if !(line.trim().is_empty() || line.starts_with("* ")) {
            return Ok(Some((number, bytes)));
        }
    }
    Ok(None)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches(['\n', '\r']).to_owned()
}

/// A line without the mark for its direction.
fn unmarked(line: &str) -> &str {
    line.strip_prefix("> ").or_else(|| line.strip_prefix("< ")).unwrap_or(match line {
        ">" | "<" => "",
        line => line,
    })
}

fn request_line(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split(' ');
    let (method, url) = (words.next()?, words.next()?);
    let known = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"].contains(&method);
    let addressed = url.starts_with('/') || url.starts_with("http://") || url.starts_with("https://");
    let version = words.next().is_none_or(|version| version.starts_with("HTTP/"));
    (known && addressed && version && words.next().is_none()).then_some((method, url))
}

fn status_line(line: &str) -> Option<u16> {
    let rest = line.strip_prefix("HTTP/")?;
    let status = rest.split(' ').nth(1)?.parse().ok()?;
    (100..1000).contains(&status).then_some(status)
}

/// The first time that a remark before a request holds.
fn remark(line: &str) -> Option<Moment> {
    let between = |c: char| c.is_whitespace() || ['#', '[', ']', '@', '=', ',', ';'].contains(&c);
    let around = |c: char| between(c) || ['-', '/', '*', '(', ')', '.'].contains(&c);
    let words = line.split(between).map(|word| word.trim_matches(around));
    words.chain([line.trim_matches(around)]).filter(|word| word.len() >= 10).find_map(times::instant)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<Exchange> {
        let (mut reader, mut from) = (Reader::default(), Numbered::new(text.as_bytes()));
        std::iter::from_fn(|| reader.next(&mut from).unwrap())
            .map(|dumped| {
                let at = dumped.at.unwrap_or(Moment(7));
                dumped.told(at)
            })
            .collect()
    }

    #[test]
    fn a_request_with_its_answer() {
        let text = "POST /v1/posts HTTP/1.1\r\nHost: a.example\r\nIdempotency-Key: k\r\nContent-Length: 15\r\n\r\n{\"content\":\"x\"}\r\n\r\nHTTP/1.1 201 Created\r\nDate: Mon, 02 Mar 2026 10:00:00 GMT\r\n\r\n{\"post\":{}}\r\n\r\nGET /v1/posts/po_1 HTTP/1.1\r\nHost: a.example\r\n\r\n";
        let found = all(text);
        assert_eq!(found.len(), 2);
        assert_eq!(
            (found[0].url.as_str(), found[0].at.to_string()),
            ("http://a.example/v1/posts", "2026-03-02T10:00:00Z".into())
        );
        assert_eq!(found[0].body.as_deref(), Some(b"{\"content\":\"x\"}".as_slice()));
        assert!(
            matches!(&found[0].end, End::Answered { status: 201, body: Some(body), .. } if body == b"{\"post\":{}}")
        );
        assert!(matches!(found[1].end, End::Unsaid) && found[1].body.is_none() && found[1].at == Moment(7));
    }

    #[test]
    fn what_curl_prints_is_understood() {
        let text = "* Connected to a.example\n> POST /v1/posts HTTP/2\n> Host: a.example\n> x-request-id: r\n> \n* upload completely sent off\n< HTTP/2 409 \n< retry-after: 7\n< \n{\"code\":\"idempotency_conflict\"}\n* Connection #0 left intact\n";
        let found = all(text);
        assert!(
            matches!(&found[0].end, End::Answered { status: 409, headers, .. } if headers.0[0].1 == "7"),
            "{found:?}"
        );
    }

    #[test]
    fn files_of_editors_and_times_in_remarks() {
        let text = "### first try, 2026-03-02T10:00:00Z\nPOST https://a.example/v1/posts\nIdempotency-Key: k\n\n{\"content\":\n\n\"x\"}\n\n### 2026-03-02T10:00:31Z\nPOST https://a.example/v1/posts\n\n{}\n";
        let found = all(text);
        assert_eq!(
            found.iter().map(|one| one.at.to_string()).collect::<Vec<_>>(),
            ["2026-03-02T10:00:00Z", "2026-03-02T10:00:31Z"]
        );
        assert_eq!(found[0].body.as_deref(), Some(b"{\"content\":\n\n\"x\"}".as_slice()));
        assert!(looks_like(text) && !looks_like("POST it\nGET a life"));
    }
}

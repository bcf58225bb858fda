//! HAR, the archive that browsers and proxies save. Programs differ in it, and all of them are read: base64 bodies of
//! either side (mitmproxy, Proxyman), posted fields instead of their text (Charles, Firefox), a body that is not there
//! (Safari, sanitised archives), a request that was never answered as no response, as status 0 or -1, or with the
//! reason in `_error`, `comment` or `_charlesStatus`, and times with a zone but without its colon. Pure.

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use serde::{Deserialize, Deserializer};

use super::{
    exchange::{End, Exchange, lost},
    lines::Headers,
    times,
};
use crate::outbound::job::EndKind;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    started_date_time: String,
    #[serde(default)]
    time: Option<f64>,
    request: Request,
    #[serde(default)]
    response: Option<Response>,
    #[serde(default, rename = "_error")]
    error: Option<String>,
    #[serde(default, rename = "_charlesStatus")]
    charles_status: Option<String>,
    #[serde(default)]
    comment: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    method: String,
    url: String,
    #[serde(default, deserialize_with = "or_none")]
    headers: Vec<Pair>,
    #[serde(default)]
    post_data: Option<Text>,
}

#[derive(Deserialize)]
struct Response {
    #[serde(default)]
    status: Option<f64>,
    #[serde(default, deserialize_with = "or_none")]
    headers: Vec<Pair>,
    #[serde(default)]
    content: Option<Text>,
    #[serde(default, rename = "_error")]
    error: Option<String>,
    #[serde(default)]
    comment: Option<String>,
}

#[derive(Deserialize)]
struct Pair {
    name: String,
    #[serde(default)]
    value: Option<String>,
}

#[derive(Deserialize)]
struct Text {
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    encoding: Option<String>,
    #[serde(default, deserialize_with = "or_none")]
    params: Vec<Pair>,
}

/// A list; null is an empty one.
fn or_none<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Pair>, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

/// Reads one entry.
///
/// # Errors
/// A short reason for the list of what could not be read; nothing of the entry is in it.
pub(super) fn read(text: &[u8]) -> Result<Exchange, String> {
    let entry: Entry =
        serde_json::from_slice(text).map_err(|_| "it is no entry of a HAR: a field is missing or odd".to_owned())?;
    let at = times::instant(&entry.started_date_time)
        .ok_or("its `startedDateTime` is no time with a zone, or lies before 1678 or after 2261")?;
    let ms = entry.time.filter(|ms| ms.is_finite() && (0.0..1e12).contains(ms)).unwrap_or_default();
    #[expect(clippy::cast_possible_truncation, reason = "it is below 1e12")]
    let took_ms = ms.round() as i64;
    Ok(Exchange {
        at,
        took_ms,
        end: end(&entry)?,
        headers: headers(&entry.request.headers),
        body: body(entry.request.post_data.as_ref())?,
        method: entry.request.method,
        url: entry.request.url,
        job: None,
    })
}

fn end(entry: &Entry) -> Result<End, String> {
    let answered = entry.response.as_ref().and_then(|response| Some((response, response.status.filter(|n| *n > 0.0)?)));
    if let Some((response, status)) = answered {
        let whole = (100.0..1000.0).contains(&status) && status.fract() == 0.0;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is from 100 to 999")]
        let status = whole.then_some(status as u16).ok_or("its `status` is no status of HTTP")?;
        return Ok(End::Answered {
            status,
            headers: headers(&response.headers),
            body: body(response.content.as_ref())?,
        });
    }
    let of_response = entry.response.as_ref().map(|response| [&response.error, &response.comment]);
    let words = of_response.into_iter().flatten().chain([&entry.error, &entry.comment]);
    let word = words.flatten().find(|word| !word.is_empty());
    // Charles lists calls that are still under way, too.
    if word.is_none() && entry.charles_status.as_deref().is_some_and(|state| !matches!(state, "FAILED" | "COMPLETE")) {
        return Ok(End::Unsaid);
    }
    Ok(End::Lost(word.map_or(EndKind::Reset, |word| lost(word))))
}

/// Headers as they were sent; the names that HTTP/2 puts a colon before are parts of the address.
fn headers(pairs: &[Pair]) -> Headers {
    let sent = pairs.iter().filter(|pair| !pair.name.starts_with(':'));
    Headers(sent.map(|pair| (pair.name.clone(), pair.value.clone().unwrap_or_default())).collect())
}

/// The bytes of a body, base64 undone where the archive says so; posted fields are written as a form sends them.
fn body(told: Option<&Text>) -> Result<Option<Vec<u8>>, String> {
    let Some(told) = told else { return Ok(None) };
    match (&told.text, told.encoding.as_deref()) {
        (Some(text), Some("base64")) => {
            BASE64.decode(text.as_bytes()).map(Some).map_err(|_| "a body that is called base64 is none".to_owned())
        }
        (Some(text), _) if !text.is_empty() || told.params.is_empty() => Ok(Some(text.clone().into_bytes())),
        _ if told.params.is_empty() => Ok(None),
        _ => {
            let fields = told.params.iter().map(|pair| (&pair.name, pair.value.as_deref().unwrap_or_default()));
            let mut form = reqwest::Url::parse("x:").map_err(|_| "its fields cannot be written".to_owned())?;
            form.query_pairs_mut().extend_pairs(fields);
            Ok(Some(form.query().unwrap_or_default().as_bytes().to_vec()))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn entry(change: &Value) -> Value {
        let mut entry = json!({"startedDateTime": "2026-03-02T11:00:00.5+01:00", "time": 80.4,
               "request": {"method": "POST", "url": "https://a.example/v1/posts", "headers": [],
                           "postData": {"text": "{}"}}, "response": {"status": 201, "content": {}}});
        for (name, value) in change.as_object().unwrap() {
            entry[name] = value.clone();
        }
        entry
    }

    fn told(change: &Value) -> Exchange {
        read(entry(change).to_string().as_bytes()).unwrap()
    }

    #[test]
    fn times_are_read_with_or_without_the_colon_of_their_zone() {
        for started in ["2026-03-02T11:00:00.5+01:00", "2026-03-02T11:00:00.500+0100", "2026-03-02T10:00:00.500Z"] {
            let told = told(&json!({"startedDateTime": started}));
            assert_eq!((told.at.to_string(), told.took_ms), ("2026-03-02T10:00:00.500Z".into(), 80));
        }
        assert_eq!(told(&json!({"time": -1})).took_ms, 0);
    }

    #[test]
    fn bodies_of_every_program_are_read() {
        let sent = |post_data: Value| {
            let request = json!({"method": "POST", "url": "https://a.example/v1/posts", "headers": null,
                                 "postData": post_data});
            told(&json!({"request": request})).body.map(|body| String::from_utf8(body).unwrap())
        };
        assert_eq!(sent(json!({"text": "e30=", "encoding": "base64"})).as_deref(), Some("{}"));
        assert_eq!(sent(json!({"params": [{"name": "a b", "value": "1&2"}]})).as_deref(), Some("a+b=1%262"));
        assert_eq!(sent(json!({"text": "", "params": [{"name": "a"}]})).as_deref(), Some("a="));
        assert_eq!(sent(json!({"mimeType": "application/json"})), None);
        assert_eq!(sent(Value::Null), None);
        let answer = told(&json!({"response": {"status": 200, "content": {"text": "e30=", "encoding": "base64"}}})).end;
        assert!(matches!(answer, End::Answered { body: Some(body), .. } if body == b"{}"));
    }

    #[test]
    fn a_request_without_an_answer_is_lost_whoever_tells_it() {
        for (change, kind) in [
            (json!({"response": {"status": 0, "_error": "net::ERR_TIMED_OUT"}}), EndKind::Timeout),
            (json!({"response": {"status": -1, "comment": "Connection refused"}}), EndKind::NotSent),
            (json!({"response": null, "_error": "net::ERR_NAME_NOT_RESOLVED"}), EndKind::NotSent),
            (json!({"response": {"status": 0}, "comment": "Read timed out"}), EndKind::Timeout),
            (json!({"response": {"status": 0}, "_charlesStatus": "FAILED"}), EndKind::Reset),
            (json!({"response": {}}), EndKind::Reset),
        ] {
            assert!(matches!(told(&change).end, End::Lost(own) if own == kind), "{change}");
        }
    }

    #[test]
    fn names_of_http_2_are_no_headers() {
        let request = json!({"method": "POST", "url": "https://a.example/v1/posts",
                             "headers": [{"name": ":authority", "value": "a.example"}, {"name": "x", "value": "1"}]});
        assert_eq!(told(&json!({"request": request})).headers.0, [("x".to_owned(), "1".to_owned())]);
    }

    #[test]
    fn reasons_hold_nothing_of_the_entry() {
        for change in [
            json!({"startedDateTime": "sk_secret"}),
            json!({"response": {"status": 1.5}}),
            json!({"time": "sk_secret"}),
        ] {
            assert!(!read(entry(&change).to_string().as_bytes()).unwrap_err().contains("sk_secret"));
        }
    }
}

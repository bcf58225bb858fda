//! Calls by `curl`, out of a script or the history of a shell: each command is a request of which nobody kept the
//! answer. Times stand in the history of zsh (`: 1772445600:0;curl ...`) and, if told to keep them, of bash
//! (`#1772445600` on the line before); otherwise the caller says when the calls were made. Pure.

use std::io::{self, BufRead};

use super::{
    exchange::{End, Exchange},
    lines::Headers,
    text::{self, Numbered},
    times,
};
use crate::clock::Moment;

/// A longer command is passed over, bytes.
const LONGEST: usize = 1 << 20;

const OPEN: &str = "its quotes do not end";

/// True if the text holds a `curl` command near its beginning.
#[must_use]
pub(super) fn looks_like(beginning: &str) -> bool {
    beginning.lines().take(40).any(|line| command(line).is_some())
}

/// The part of a line from `curl` on; what a shell, a history or a prompt puts before it is left out.
fn command(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = line.strip_prefix(": ").and_then(|rest| rest.split_once(';')).map_or(line, |(_, rest)| rest);
    let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ' || c == '*');
    let line = line.trim_start_matches(['$', '%', '>', '#']).trim_start();
    (line.starts_with("curl ") || line.starts_with("curl.exe ")).then_some(line)
}

/// Reads commands one after another.
#[derive(Debug, Default)]
pub(super) struct Reader {
    told: Option<Moment>,
}

/// One command with the line it begins at, and the time it bears.
pub(super) struct Command {
    pub(super) line: usize,
    pub(super) at: Option<Moment>,
    pub(super) text: String,
}

impl Reader {
    /// The next command, or why a line has none; nothing at the end.
    ///
    /// # Errors
    /// If the file cannot be read on.
    pub(super) fn next(
        &mut self,
        from: &mut Numbered<impl BufRead>,
    ) -> io::Result<Option<Result<Command, (usize, String)>>> {
        while let Some((number, bytes)) = from.line()? {
            let line = String::from_utf8_lossy(&bytes).into_owned();
            let line = line.trim_end();
            if let Some(stamp) = line.strip_prefix('#').and_then(times::instant) {
                self.told = Some(stamp);
                continue;
            }
            let Some(begun) = command(line) else { continue };
            let of_zsh = line.trim_start().strip_prefix(": ").and_then(|rest| rest.split_once(':'));
            let at = of_zsh.and_then(|(stamp, _)| times::instant(stamp)).or(self.told.take());
            let text = rest_of(begun, from)?;
            return Ok(Some(text.map(|text| Command { line: number, at, text }).map_err(|why| (number, why))));
        }
        Ok(None)
    }
}

/// The whole of a command: it goes on after a backslash at the end of its line, and inside quotes. Where its quotes do
/// not end before the file does, or before a line that begins another command, what follows it is read by itself.
fn rest_of(begun: &str, from: &mut Numbered<impl BufRead>) -> io::Result<Result<String, String>> {
    let mut text = begun.to_owned();
    let mut taken = Vec::new();
    while text.ends_with('\\') || shlex::split(&text).is_none() {
        let next = from.line()?;
        let more = next.as_ref().map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned());
        let carried_on = text.ends_with('\\');
        match (next, more) {
            (Some(line), Some(more)) if text.len() <= LONGEST && (carried_on || command(&more).is_none()) => {
                taken.push(line);
                if carried_on {
                    text.pop();
                    text.push(' ');
                } else {
                    text.push('\n');
                }
                text.push_str(more.trim_end_matches(['\n', '\r']));
            }
            // The last line of a file may end in a backslash.
            (None, _) if shlex::split(text.trim_end_matches('\\')).is_some() => break,
            (next, _) => {
                taken.extend(next);
                from.hold(taken);
                let why = if text.len() > LONGEST { "the command is too long" } else { OPEN };
                return Ok(Err(why.to_owned()));
            }
        }
    }
    Ok(Ok(text))
}

/// The request that a command makes, at `at`.
///
/// # Errors
/// A short reason without a value of the command in it.
pub(super) fn read(command: &str, at: Moment) -> Result<Exchange, String> {
    let words = shlex::split(&guarded(command)).ok_or(OPEN)?;
    let mut told = Exchange {
        at,
        took_ms: 0,
        method: String::new(),
        url: String::new(),
        headers: Headers::default(),
        body: None,
        end: End::Unsaid,
        job: None,
    };
    let (mut data, mut as_query): (Vec<String>, bool) = (Vec::new(), false);
    let mut words = words.into_iter().skip(1);
    while let Some(word) = words.next() {
        if ["|", "||", "&&", ";", "&"].contains(&word.as_str()) || word.starts_with('>') {
            break;
        }
        let (name, mut inside) = option(&word);
        let Some(name) = name else {
            if told.url.is_empty() {
                told.url = word;
            }
            continue;
        };
        if !takes_value(name) {
            match name {
                "-G" | "--get" => as_query = true,
                "-I" | "--head" => told.method = "HEAD".to_owned(),
                _ => {}
            }
            continue;
        }
        let value = inside.take().or_else(|| words.next()).unwrap_or_default();
        match name {
            "-X" | "--request" => told.method = value,
            "--url" => told.url = value,
            "-H" | "--header" => {
                if let Some((name, value)) = value.split_once(':') {
                    told.headers.0.push((name.trim().to_owned(), value.trim().to_owned()));
                }
            }
            "-d" | "--data" | "--data-ascii" | "--data-binary" | "--data-raw" | "--data-urlencode" | "--json" => {
                if value.starts_with('@') && name != "--data-raw" {
                    return Err("its body stands in a file of its own".to_owned());
                }
                data.push(value);
            }
            "-F" | "--form" | "--form-string" => return Err("its body is a form with files".to_owned()),
            "-T" | "--upload-file" => return Err("its body stands in a file of its own".to_owned()),
            _ => {}
        }
    }
    if told.url.is_empty() {
        return Err("it names no address".to_owned());
    }
    for part in std::iter::once(&told.url)
        .chain(&data)
        .chain(told.headers.0.iter().filter(|(name, _)| text::matters(name)).map(|(_, value)| value))
    {
        if text::has_variable(part) {
            return Err("a part of it stood in a variable of the shell, whose value the file does not have".to_owned());
        }
    }
    let plain = |text: &str| text.replace(GUARD, "$");
    told.url = plain(&told.url);
    for (_, value) in &mut told.headers.0 {
        *value = plain(value);
    }
    if !data.is_empty() && !as_query {
        told.body = Some(plain(&data.join("&")).into_bytes());
    }
    if told.method.is_empty() {
        told.method = if told.body.is_some() { "POST" } else { "GET" }.to_owned();
    }
    if !told.url.contains("://") && !told.url.starts_with('/') {
        told.url.insert_str(0, "http://");
    }
    Ok(told)
}

/// Stands for a `$` that the shell leaves alone while the command is taken apart; from the part of Unicode that no text
/// uses.
const GUARD: &str = "\u{e000}";

/// The command with every `$` guarded that stands in single quotes or behind a backslash.
fn guarded(command: &str) -> String {
    let mut out = String::with_capacity(command.len());
    let (mut single, mut double) = (false, false);
    let mut chars = command.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if !single && chars.peek() == Some(&'$') => {
                chars.next();
                out.push_str(GUARD);
                continue;
            }
            '\\' if !single => {
                out.push(c);
                out.extend(chars.next());
                continue;
            }
            '\'' if !double => single = !single,
            '"' if !single => double = !double,
            '$' if single => {
                out.push_str(GUARD);
                continue;
            }
            _ => {}
        }
        out.push(c);
    }
    out
}

/// An option's name, and its value where that stands in the same word.
fn option(word: &str) -> (Option<&str>, Option<String>) {
    if word.starts_with("--") {
        return match word.split_once('=') {
            Some((name, value)) => (Some(name), Some(value.to_owned())),
            None => (Some(word), None),
        };
    }
    // Past one letter a short option holds its value, or further letters.
    match (word.strip_prefix('-'), word.get(..2)) {
        (Some(rest), Some(short)) if rest.len() > 1 && rest.is_char_boundary(1) => {
            if takes_value(short) {
                (Some(short), Some(rest[1..].to_owned()))
            } else {
                clustered(word)
            }
        }
        (Some(rest), _) if !rest.is_empty() => (Some(word), None),
        _ => (None, None),
    }
}

/// Of letters in one word, such as `-sSX`, only the last may take a value, which is the next word.
fn clustered(word: &str) -> (Option<&str>, Option<String>) {
    match word.chars().last() {
        Some('X') => (Some("-X"), None),
        Some('H') => (Some("-H"), None),
        Some('d') => (Some("-d"), None),
        Some('o') => (Some("-o"), None),
        _ => (Some(word), None),
    }
}

fn takes_value(name: &str) -> bool {
    const SHORT: &str = "AbcCdDeEFHKmoPQrtTuUwxXyYz";
    const LONG: [&str; 40] = [
        "--request",
        "--url",
        "--header",
        "--data",
        "--data-ascii",
        "--data-binary",
        "--data-raw",
        "--data-urlencode",
        "--json",
        "--form",
        "--form-string",
        "--upload-file",
        "--user",
        "--user-agent",
        "--referer",
        "--cookie",
        "--cookie-jar",
        "--output",
        "--max-time",
        "--connect-timeout",
        "--retry",
        "--retry-delay",
        "--retry-max-time",
        "--proxy",
        "--cacert",
        "--cert",
        "--key",
        "--resolve",
        "--write-out",
        "--config",
        "--oauth2-bearer",
        "--dump-header",
        "--range",
        "--limit-rate",
        "--interface",
        "--stderr",
        "--trace",
        "--trace-ascii",
        "--max-redirs",
        "--proxy-user",
    ];
    match name.strip_prefix('-') {
        Some(letter) if letter.len() == 1 => SHORT.contains(letter),
        _ => LONG.contains(&name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(text: &str) -> Vec<(usize, Option<String>, String)> {
        let (mut reader, mut from) = (Reader::default(), Numbered::new(text.as_bytes()));
        std::iter::from_fn(|| reader.next(&mut from).unwrap())
            .map(|command| command.map(|one| (one.line, one.at.map(|at| at.to_string()), one.text)).unwrap())
            .collect()
    }

    fn told(command: &str) -> Result<Exchange, String> {
        read(command, Moment(5))
    }

    #[test]
    fn commands_are_found_in_scripts_and_histories() {
        let text = "#!/bin/sh\ncd /tmp\n#1772445600\ncurl https://a.example/v1/posts \\\n  -d '{\"a\":\n1}'\n: 1772445660:0;curl -X GET https://a.example\n  501  curl x\nls | grep curl\n$ curl y";
        let found = commands(text);
        assert_eq!(found.iter().map(|one| one.0).collect::<Vec<_>>(), [4, 7, 8, 10]);
        assert_eq!(found[0].1.as_deref(), Some("2026-03-02T10:00:00Z"));
        assert_eq!(found[0].2, "curl https://a.example/v1/posts    -d '{\"a\":\n1}'");
        assert_eq!((found[1].1.as_deref(), found[2].1.as_deref()), (Some("2026-03-02T10:01:00Z"), None));
        assert!(looks_like(text) && !looks_like("curled hair\n{}"));
    }

    #[test]
    fn a_command_whose_quotes_do_not_end_drops_no_other() {
        let text =
            "curl https://a.example -d '{\"a\":1\ncurl https://b.example\nls\ncurl https://c.example -d 'it\nls\n";
        let (mut reader, mut from) = (Reader::default(), Numbered::new(text.as_bytes()));
        let found: Vec<_> = std::iter::from_fn(|| reader.next(&mut from).unwrap())
            .map(|one| one.map(|one| (one.line, one.text)))
            .collect();
        let open = |line| Err((line, OPEN.to_owned()));
        assert_eq!(found, [open(1), Ok((2, "curl https://b.example".to_owned())), open(4)]);
    }

    #[test]
    fn a_command_is_a_request() {
        let told = told("curl -sS -XPOST 'https://a.example/v1/posts?x=1' -H 'Idempotency-Key: k 1' --header=\"X-Request-Id: r\" --data '{\"content\":\"it'\"'\"'s\"}' -m 30 | jq .").unwrap();
        assert_eq!((told.method.as_str(), told.url.as_str()), ("POST", "https://a.example/v1/posts?x=1"));
        assert_eq!(told.headers.0, [("Idempotency-Key".into(), "k 1".into()), ("X-Request-Id".into(), "r".into())]);
        assert_eq!(told.body.as_deref(), Some(br#"{"content":"it's"}"#.as_slice()));
        assert!(matches!(told.end, End::Unsaid));
        let plain = super::tests::told("curl a.example/v1/posts/po_1").unwrap();
        assert_eq!((plain.method.as_str(), plain.url.as_str()), ("GET", "http://a.example/v1/posts/po_1"));
        let query = super::tests::told("curl -G -d limit=1 https://a.example/v1/posts").unwrap();
        assert_eq!((query.method.as_str(), query.body), ("GET", None));
        assert_eq!(super::tests::told("curl -sd x https://a.example/v1/posts").unwrap().method, "POST");
    }

    #[test]
    fn what_the_file_does_not_have_is_said_and_never_made_up() {
        for command in [
            "curl -d @post.json https://a.example/v1/posts",
            "curl -H \"Idempotency-Key: $KEY\" -d '{}' https://a.example/v1/posts",
            "curl -d '{}' \"$BASE/v1/posts\"",
            "curl -F file=@a.png https://a.example/v1/media",
            "curl",
        ] {
            assert!(told(command).is_err(), "{command}");
        }
        let hidden = told("curl -H \"Authorization: Bearer $POZY_API_KEY\" -d '{}' https://a.example/v1/posts");
        assert!(hidden.is_ok(), "a secret is not needed");
        let price =
            told("curl -H \"Authorization: $A\" -d '{\"content\":\"$Deal\"}' https://a.example/v1/posts").unwrap();
        assert_eq!(
            price.body.as_deref(),
            Some(br#"{"content":"$Deal"}"#.as_slice()),
            "nothing is expanded in single quotes"
        );
    }
}

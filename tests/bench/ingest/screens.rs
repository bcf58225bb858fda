//! Asks what the screens ask, as a page of `reprise serve` does: over loopback HTTP on one connection that stays open.

use std::{io, time::Duration};

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::Instant,
};

use crate::Outcome;

/// A page that has used its link.
pub(crate) struct Screens {
    stream: TcpStream,
    authority: String,
    cookie: String,
}

/// The same between two runtimes: what a connection waits for is told by the runtime that it was made in.
pub(crate) struct Still(std::net::TcpStream, String, String);

impl Still {
    /// Goes on in the runtime of whoever calls.
    pub(crate) fn wake(self) -> io::Result<Screens> {
        Ok(Screens { stream: TcpStream::from_std(self.0)?, authority: self.1, cookie: self.2 })
    }
}

/// What a call gave.
pub(crate) struct Answer {
    /// From the first byte of the question to the last of the answer.
    pub(crate) took: Duration,
    pub(crate) bytes: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Outcome<Value> {
        Ok(serde_json::from_slice(&self.bytes)?)
    }
}

impl Screens {
    /// Uses the one-time link that `reprise serve` printed.
    ///
    /// # Errors
    /// If the link is not taken.
    pub(crate) async fn open(link: &str) -> Outcome<Self> {
        let (authority, path) =
            link.strip_prefix("http://").and_then(|rest| rest.split_once('/')).ok_or("the link is no address")?;
        let mut stream = TcpStream::connect(authority).await?;
        stream.set_nodelay(true)?;
        stream.write_all(format!("GET /{path} HTTP/1.1\r\nHost: {authority}\r\n\r\n").as_bytes()).await?;
        let (head, _) = read(&mut stream).await?;
        let cookie =
            field(&head, "set-cookie").and_then(|all| all.split(';').next()).ok_or("the link gave no cookie")?;
        Ok(Self { stream, authority: authority.to_owned(), cookie: cookie.to_owned() })
    }

    /// Leaves the runtime.
    pub(crate) fn still(self) -> io::Result<Still> {
        Ok(Still(self.stream.into_std()?, self.authority, self.cookie))
    }

    /// Makes one call.
    ///
    /// # Errors
    /// If it is refused or the connection breaks.
    pub(crate) async fn call(&mut self, name: &str, args: &Value) -> Outcome<Answer> {
        let args = args.to_string();
        let request = format!(
            "POST /call/{name} HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{args}",
            self.authority,
            self.cookie,
            args.len()
        );
        let begun = Instant::now();
        self.stream.write_all(request.as_bytes()).await?;
        let (head, bytes) = read(&mut self.stream).await?;
        let took = begun.elapsed();
        if head.split(' ').nth(1) != Some("200") {
            return Err(format!("{name} was refused: {}", String::from_utf8_lossy(&bytes)).into());
        }
        Ok(Answer { took, bytes })
    }
}

/// Head and body of the next answer.
async fn read(stream: &mut TcpStream) -> io::Result<(String, Vec<u8>)> {
    let mut seen = Vec::with_capacity(16_384);
    let end = loop {
        if let Some(end) = seen.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(&mut seen).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    };
    let head = String::from_utf8_lossy(&seen[..end]).into_owned();
    let length = field(&head, "content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut body = seen.split_off(end + 4);
    let have = body.len();
    if have < length {
        body.resize(length, 0);
        stream.read_exact(&mut body[have..]).await?;
    }
    Ok((head, body))
}

/// The value of a header.
fn field<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.split("\r\n").find_map(|row| {
        let (field, value) = row.split_once(':')?;
        field.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

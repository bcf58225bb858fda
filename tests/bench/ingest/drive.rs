//! Sends a load over keep-alive connections and times each answer: raw HTTP/1.1 on one thread, so that the driver
//! takes as little as it can of what it measures.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    task::JoinSet,
    time::{Instant, sleep_until},
};

use crate::{Outcome, load::Target};

/// How a load is sent.
#[derive(Clone, Copy)]
pub(crate) enum Pace {
    /// Each connection sends its next request as soon as it has the answer to the one before.
    Closed,
    /// So many arrivals a second, whether or not earlier ones are answered.
    Open(u32),
}

/// What one drive gave.
pub(crate) struct Drive {
    /// Answers that say it is kept.
    pub(crate) accepted: usize,
    /// Arrivals answered a second, over the whole drive.
    pub(crate) rate: f64,
    pub(crate) p50: Duration,
    pub(crate) p99: Duration,
    pub(crate) worst: Duration,
}

/// Sends all `requests` to `target` over `connections`, which are open before the clock starts.
///
/// # Errors
/// If a connection cannot be opened, breaks, or answers something that is not HTTP.
pub(crate) async fn drive(target: &Target, requests: &[Arc<[u8]>], connections: usize, pace: Pace) -> Outcome<Drive> {
    let mut lines = Vec::with_capacity(connections);
    for _ in 0..connections {
        let stream = TcpStream::connect(&target.authority).await?;
        stream.set_nodelay(true)?;
        lines.push(Line { stream, seen: Vec::with_capacity(1_024) });
    }
    let requests: Arc<[Arc<[u8]>]> = requests.into();
    let next = Arc::new(AtomicUsize::new(0));
    let start = Instant::now();
    let mut tasks = JoinSet::new();
    for line in lines {
        tasks.spawn(send(line, Arc::clone(&requests), Arc::clone(&next), start, pace));
    }
    let mut took = Vec::with_capacity(requests.len());
    let mut accepted = 0;
    while let Some(done) = tasks.join_next().await {
        for (status, time) in done?? {
            accepted += usize::from(target.accepts(status));
            took.push(time);
        }
    }
    let whole = start.elapsed();
    took.sort_unstable();
    Ok(Drive {
        accepted,
        rate: took.len() as f64 / whole.as_secs_f64(),
        p50: share(&took, 50),
        p99: share(&took, 99),
        worst: share(&took, 100),
    })
}

/// The time within which `percent` of the sorted `took` were done.
pub(crate) fn share(took: &[Duration], percent: usize) -> Duration {
    let rank = (took.len() * percent).div_ceil(100).max(1);
    took.get(rank - 1).copied().unwrap_or_default()
}

/// One connection's part: takes the next request that nobody took until none is left.
async fn send(
    mut line: Line,
    requests: Arc<[Arc<[u8]>]>,
    next: Arc<AtomicUsize>,
    start: Instant,
    pace: Pace,
) -> io::Result<Vec<(u16, Duration)>> {
    let mut answers = Vec::new();
    loop {
        let n = next.fetch_add(1, Ordering::Relaxed);
        let Some(request) = requests.get(n) else { return Ok(answers) };
        let begun = match pace {
            Pace::Closed => Instant::now(),
            Pace::Open(rate) => {
                let due = start + Duration::from_secs_f64(n as f64 / f64::from(rate));
                // An arrival that no connection was free for counts from the moment it was due. One that was only
                // woken late by this process's timer counts from when it left.
                if Instant::now() < due {
                    sleep_until(due).await;
                    Instant::now()
                } else {
                    due
                }
            }
        };
        let status = line.ask(request).await?;
        answers.push((status, begun.elapsed()));
    }
}

struct Line {
    stream: TcpStream,
    /// What was read of the answer so far.
    seen: Vec<u8>,
}

impl Line {
    /// Sends one request and reads its whole answer; gives the status.
    async fn ask(&mut self, request: &[u8]) -> io::Result<u16> {
        self.stream.write_all(request).await?;
        self.seen.clear();
        loop {
            if self.stream.read_buf(&mut self.seen).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if let Some((status, length)) = answer(&self.seen)?
                && self.seen.len() >= length
            {
                return Ok(status);
            }
        }
    }
}

/// Status and whole length of the answer that `seen` begins with; nothing while its head is not complete.
fn answer(seen: &[u8]) -> io::Result<Option<(u16, usize)>> {
    let Some(end) = seen.windows(4).position(|four| four == b"\r\n\r\n") else { return Ok(None) };
    let strange = || io::Error::new(io::ErrorKind::InvalidData, "the answer is not HTTP/1.1 with a length");
    let head = str::from_utf8(&seen[..end]).map_err(|_| strange())?;
    let mut rows = head.split("\r\n");
    let status = rows.next().and_then(|row| row.split(' ').nth(1)?.parse().ok()).ok_or_else(strange)?;
    let mut length = (status == 204).then_some(0);
    for row in rows {
        if let Some((name, value)) = row.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
    Ok(Some((status, end + 4 + length.ok_or_else(strange)?)))
}

//! A hostile Pozy: whoever stands at the other end of the connection, by a wrong address or a broken certificate.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use super::{
    table,
    target::{KEY, SECRET},
};
use crate::{
    program::{Place, Ran, json_lines},
    trust::table::{Fault, Tried},
};

/// Something that listens where Pozy should.
struct Hostile {
    address: SocketAddr,
    /// Heads of the requests that came.
    heads: Arc<Mutex<Vec<String>>>,
}

impl Hostile {
    /// Answers every request with what `answer` makes of its first line, and closes.
    async fn start(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer) = (Arc::clone(&heads), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                tokio::spawn(async move {
                    let Some(head) = head_of(&mut socket).await else { return };
                    kept.lock().unwrap().push(head.clone());
                    // A client that has heard enough may close first.
                    drop(socket.write_all(&answer(head.lines().next().unwrap_or_default())).await);
                    drop(socket.shutdown().await);
                });
            }
        });
        Self { address, heads }
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }

    /// Requests for a new post that came.
    fn posts(&self) -> usize {
        self.heads().iter().filter(|head| head.starts_with("POST /v1/posts ")).count()
    }
}

/// The head of a request, once its body is read, too.
async fn head_of(socket: &mut TcpStream) -> Option<String> {
    let mut all = Vec::new();
    loop {
        let end = all.windows(4).position(|part| part == b"\r\n\r\n");
        if let Some(end) = end {
            let head = String::from_utf8_lossy(&all[..end]).into_owned();
            let lower = head.to_lowercase();
            let length =
                lower.split("content-length: ").nth(1).and_then(|rest| rest.lines().next()?.parse::<usize>().ok());
            if all.len() >= end + 4 + length.unwrap_or(0) {
                return Some(head);
            }
        } else if all.len() > 1 << 16 {
            return None;
        }
        if socket.read_buf(&mut all).await.ok()? == 0 {
            let end = end?;
            return Some(String::from_utf8_lossy(&all[..end]).into_owned());
        }
    }
}

fn place() -> Place {
    let mut place = Place::new();
    place.set("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent");
    place.set("POZY_API_KEY", KEY);
    place.set("POZY_WEBHOOK_SECRET", SECRET);
    place
}

async fn run(place: &Place, words: &[&str]) -> Ran {
    let data = place.data().display().to_string();
    let all: Vec<String> =
        words.iter().map(|word| (*word).to_owned()).chain(["--json".into(), "--data".into(), data]).collect();
    tokio::task::block_in_place(|| place.run(&all).expect("it runs"))
}

/// Submits a post of its own words; the job.
async fn submit(place: &Place, pozy: &Hostile, words: &str) -> Value {
    let body = json!({"content": words, "platforms": [{"platform": "linkedin", "accountId": "acc_mill"}],
                      "scheduledFor": "2032-02-03T08:30:00", "timezone": "Europe/London"});
    std::fs::write(place.files().join("post.json"), body.to_string()).unwrap();
    let ran = run(place, &["submit", "post.json", "--pozy", &pozy.url()]).await;
    assert!(matches!(ran.exit, Some(0 | 1)), "{words}: {:?} {} {}", ran.exit, ran.out, ran.err);
    json_lines(&ran.out).unwrap().pop().unwrap_or_else(|| panic!("{words}: {}", ran.err))
}

/// One request each left for the new posts, and no more; nothing is lost in the log.
async fn note(place: &Place, pozy: &Hostile, attack: Fault, times: usize) {
    let jobs = place.lines(&["jobs"]).len();
    let mut tried = Tried::new(attack, times, 0);
    tried.second_posts = pozy.posts().saturating_sub(jobs) as u64;
    tried.lost = times.saturating_sub(jobs) as u64;
    tried.note(place);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn our_key_is_never_sent_on_to_another_host() {
    let place = place();
    let thief = Hostile::start(|_| b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n".to_vec()).await;
    let (at, asked) = (thief.address, AtomicUsize::new(0));
    let statuses = [301, 302, 303, 307, 308];
    let pozy = Hostile::start(move |_| {
        let n = asked.fetch_add(1, Ordering::Relaxed);
        let status = statuses[n % statuses.len()];
        let to = ["http://", "//", "http://user@"][n % 3];
        let to = format!("{to}{at}/v1/posts");
        format!("HTTP/1.1 {status} Moved\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n").into_bytes()
    })
    .await;
    for status in statuses {
        let job = submit(&place, &pozy, &format!("Sent on by a {status}.")).await;
        assert_eq!(
            (&job["state"], &job["attempts"], &job["next_at"]),
            (&json!("stopped"), &json!(1), &Value::Null),
            "{status}: {job}"
        );
    }
    assert!(thief.heads().is_empty(), "{:?}", thief.heads());
    assert!(
        pozy.heads().iter().all(|head| head.contains(KEY)),
        "the key went where it belongs, or this proves nothing"
    );
    note(&place, &pozy, table::REDIRECTED, statuses.len()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_without_end_is_cut() {
    let place = place();
    // 64 MiB stand for no end: whoever reads them all has no limit.
    let pozy = Hostile::start(|_| {
        let mut answer = b"HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
        let mut chunk = b"10000\r\n".to_vec();
        chunk.resize(chunk.len() + 0x1_0000, b' ');
        chunk.extend_from_slice(b"\r\n");
        answer.extend(chunk.repeat(1_024));
        answer
    })
    .await;
    let times = 3;
    for n in 0..times {
        let job =
            submit(&place, &pozy, &format!("Answered without end, number {n}, words apart {}.", "abc".repeat(n))).await;
        assert_eq!(
            (&job["state"], &job["outcome"], &job["post"]),
            (&json!("done"), &json!("created"), &Value::Null),
            "{job}"
        );
    }
    let size = std::fs::metadata(place.data().join("reprise.db-wal")).map_or(0, |file| file.len());
    assert!(size < 16 << 20, "{size}");
    note(&place, &pozy, table::ENDLESS_ANSWER, times).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_of_the_wrong_kind_makes_no_second_post() {
    let place = place();
    let bomb = zstd::bulk::compress(&vec![0; 100 << 20], 3).unwrap();
    let packed = |coding: &str| {
        let head = format!(
            "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Encoding: {coding}\r\nContent-Length: {}\r\n\r\n",
            bomb.len()
        );
        [head.as_bytes(), &bomb].concat()
    };
    let plain = |status: &str, lines: &str, body: &str| {
        format!("HTTP/1.1 {status}\r\n{lines}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
    };
    let answers: Vec<(&str, Vec<u8>)> = vec![
        ("done", plain("201 Created", "Content-Type: text/html\r\n", "<script>alert(1)</script>")),
        ("done", plain("201 Created", "Content-Type: application/octet-stream\r\n", "\u{1}\u{2}\u{3}")),
        ("done", packed("zstd")),
        ("done", packed("gzip")),
        (
            "done",
            plain(
                "201 Created",
                "Set-Cookie: session=plum; Path=/\r\nSet-Cookie: other=quince\r\n",
                r#"{"post":{"_id":"po_1"}}"#,
            ),
        ),
        ("done", plain("201 Created", "", &format!("{}{}", "[".repeat(400_000), "]".repeat(400_000)))),
        ("done", plain("201 Created", "", r#"{"post":{"_id":7,"id":["po"],"status":{}}}"#)),
        ("waiting", plain("201 Created", &format!("X-Long: {}\r\n", "a".repeat(1 << 20)), "{}")),
        ("waiting", plain("503 Odd", "Content-Type: text/html\r\n", "<h1>Maintenance</h1>")),
        ("waiting", b"\0\0\0\0\0\0\0\0".to_vec()),
        ("waiting", b"HTTP/1.1 999999 Odd\r\n\r\n".to_vec()),
        ("waiting", Vec::new()),
    ];
    let (states, bytes): (Vec<&str>, Vec<Vec<u8>>) = answers.into_iter().unzip();
    let asked = AtomicUsize::new(0);
    let times = states.len();
    let pozy = Hostile::start(move |_| bytes[asked.fetch_add(1, Ordering::Relaxed) % bytes.len()].clone()).await;
    for (n, state) in states.iter().enumerate() {
        let words = char::from(b'a' + u8::try_from(n).unwrap()).to_string().repeat(40);
        let job = submit(&place, &pozy, &words).await;
        assert_eq!(job["state"], *state, "number {n}: {job}");
    }
    let sent = pozy.heads();
    assert_eq!(sent.len(), times, "one request each");
    assert!(!sent.iter().any(|head| head.to_lowercase().contains("cookie")), "no cookie comes back: {sent:?}");
    let said = run(&place, &["attempts"]).await.out;
    assert!(!said.contains("session=plum") && !said.contains("quince"), "a cookie is a secret of theirs");
    note(&place, &pozy, table::ODD_ANSWER, times).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn absurd_times_are_not_believed() {
    let place = place();
    let odd = [
        "Retry-After: 99999999999999999999",
        "Retry-After: -5",
        "Retry-After: 1e9",
        "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT",
        "Retry-After: Fri, 31 Dec 2199 23:59:59 GMT",
        "Retry-After: soon",
        "Retry-After:  ",
        "Date: Fri, 31 Dec 9999 23:59:59 GMT",
        "Date: Thu, 01 Jan 1970 00:00:00 GMT",
        "Date: Mon, 01 Jan 0001 00:00:00 GMT",
        "Date: yesterday",
    ];
    let asked = AtomicUsize::new(0);
    let pozy = Hostile::start(move |_| {
        let line = odd[asked.fetch_add(1, Ordering::Relaxed) % odd.len()];
        format!("HTTP/1.1 503 Odd\r\n{line}\r\nContent-Length: 0\r\n\r\n").into_bytes()
    })
    .await;
    for (n, line) in odd.iter().enumerate() {
        let words = char::from(b'a' + u8::try_from(n).unwrap()).to_string().repeat(40);
        let job = submit(&place, &pozy, &words).await;
        assert_eq!((&job["state"], &job["outcome"]), (&json!("waiting"), &json!("unknown")), "{line}: {job}");
        let (next, made) = (job["next_at"].as_str().unwrap(), job["created_at"].as_str().unwrap());
        let at = |text: &str| text.parse::<reprise_core::clock::Moment>().unwrap();
        let wait = at(next).ms_since(at(made));
        assert!((0..300_000).contains(&wait), "{line}: {wait} ms");
    }
    note(&place, &pozy, table::ABSURD_TIMES, odd.len()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_said_to_be_seen_in_a_far_year_does_not_outlast_what_is_told_until_then() {
    use reprise_core::{
        clock::Clock,
        ids::PostId,
        outbound::fetch::{Look, Subject, look},
        store::Store,
    };
    use sqlx::Row as _;
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).await.unwrap();
    let clock = Clock::standing("2026-03-02T09:00:00Z".parse().unwrap());
    let asked = AtomicUsize::new(0);
    let dates = ["Fri, 31 Dec 2199 23:59:59 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 02 Mar 2026 11:00:00 GMT"];
    let pozy = Hostile::start(move |_| {
        let date = dates[asked.fetch_add(1, Ordering::Relaxed)];
        let body = r#"{"post":{"_id":"po_1","status":"failed"}}"#;
        format!("HTTP/1.1 200 OK\r\nDate: {date}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
    })
    .await;
    let connection = crate::outbound::world::connect(&store, &clock, &pozy.url(), KEY).await;
    for _ in dates {
        assert_eq!(look(&store, &clock, &connection, &Subject::Post(PostId::new("po_1"))).await.unwrap(), Look::Told);
    }
    let rows = sqlx::query("SELECT at_ns FROM observations ORDER BY id").fetch_all(store.pool()).await.unwrap();
    let seen: Vec<String> = rows.iter().map(|row| reprise_core::clock::Moment(row.get(0)).to_string()).collect();
    assert_eq!(
        seen,
        ["2026-03-02T09:00:00Z", "2026-03-02T09:00:00Z", "2026-03-02T11:00:00Z"],
        "two hours are another clock"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_id_that_pozy_tells_bends_no_path() {
    let place = place();
    let long = "a".repeat(900_000);
    let ids = [
        "../../accounts",
        "po/../../secrets",
        "po?admin=1",
        "po#x",
        "po%2f..",
        "po\r\nX-Odd: 1",
        "..",
        ".",
        "po\\x",
        "p\u{f6}",
        &long,
    ];
    let answers: Vec<String> =
        ids.iter().map(|id| json!({"post": {"_id": id, "status": "failed"}}).to_string()).collect();
    let (asked, known) = (AtomicUsize::new(0), answers.clone());
    let pozy = Hostile::start(move |line| {
        let n = if line.starts_with("POST ") { asked.fetch_add(1, Ordering::Relaxed) } else { 0 };
        let body = &known[n % known.len()];
        format!("HTTP/1.1 201 Created\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
    })
    .await;
    for (n, id) in ids.iter().enumerate() {
        let words = char::from(b'a' + u8::try_from(n).unwrap()).to_string().repeat(40);
        let job = submit(&place, &pozy, &words).await;
        assert_eq!(job["state"], "done", "{job}");
        let name = job["job"].as_str().unwrap().to_owned();
        // What is not safe is fetched first, by the id that Pozy told.
        for more in [&["--post-again", "--reason", "again", "--confirm", "creates_second"][..], &[]] {
            run(&place, &[&["resend", &name, "--pozy", &pozy.url()], more].concat()).await;
        }
        assert!(job["post"].as_str().is_none_or(|told| told.len() <= 512), "{id:.60}: {:.60}", job["post"].to_string());
    }
    for head in pozy.heads() {
        let path = head.lines().next().unwrap().split(' ').nth(1).unwrap().to_owned();
        let plain = path
            .strip_prefix("/v1/posts/")
            .is_none_or(|id| id.len() <= 512 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)));
        assert!(path.starts_with("/v1/") && plain && !path.contains(".."), "{path:.200}");
        assert!(!head.contains("X-Odd"), "{head}");
    }
    let jobs = place.lines(&["jobs"]).len();
    assert!(jobs >= ids.len());
    Tried::new(table::BENT_IDS, ids.len(), 0).note(&place);
}

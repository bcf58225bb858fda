//! A log with something in it, and what tests of faults do to it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use pozy_sandbox::{Fault, Handle, Options, Sandbox};
use serde_json::{Value, json};

use crate::{
    program::{Place, Ran, Running, json_lines},
    wait,
};

/// The program on a log of its own, towards a sandbox.
pub(super) struct Scene {
    pub(super) place: Place,
    pub(super) sandbox: Handle,
}

impl Scene {
    pub(super) async fn new() -> Self {
        let sandbox = Sandbox::start(Options::default()).await.expect("a sandbox");
        let mut place = Place::new();
        place.set("POZY_API_KEY", sandbox.api_key());
        Self { place, sandbox }
    }

    /// The next requests for a new post meet this.
    pub(super) fn fault(&self, fault: Value) {
        self.sandbox.fault(Fault::read(fault).expect("a fault")).expect("a fault");
    }

    /// The file of a post with these words.
    pub(super) fn post(&self, file: &str, words: &str) {
        let body = json!({
            "content": words, "platforms": [{"platform": "linkedin", "accountId": "acc_mill"}],
            "scheduledFor": "2032-02-03T08:30:00", "timezone": "Europe/London"
        });
        fs::write(self.place.files().join(file), body.to_string()).expect("a file");
    }

    /// A post that waits for its second try, which is due in so many seconds.
    pub(super) fn waiting_post(&self, file: &str, words: &str, seconds: u32) -> Value {
        self.fault(json!({"on": "POST /v1/posts", "do": "status", "status": 503, "retry_after": seconds, "times": 1}));
        self.post(file, words);
        let job = self.on(&self.place.data(), &["submit", file]).pop().expect("a job");
        assert_eq!(job["state"], "waiting", "{job}");
        job
    }

    /// Runs a command towards the sandbox on the log in `data`, which must end with 0, and gives its lines.
    pub(super) fn on(&self, data: &Path, words: &[&str]) -> Vec<Value> {
        let ran = self.try_on(data, words);
        assert_eq!(ran.exit, Some(0), "{words:?}: {} {}", ran.out, ran.err);
        json_lines(&ran.out).expect("JSON lines")
    }

    /// Runs a command on the log in `data`.
    pub(super) fn try_on(&self, data: &Path, words: &[&str]) -> Ran {
        self.place.run(&self.words(data, words)).expect("it runs")
    }

    fn words(&self, data: &Path, words: &[&str]) -> Vec<String> {
        let mut all: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        if matches!(words[0], "submit" | "resend" | "listen" | "go-on" | "serve") {
            all.extend(["--pozy".to_owned(), self.sandbox.url().to_owned()]);
        }
        all.extend(["--json".to_owned(), "--data".to_owned(), data.display().to_string()]);
        all
    }

    /// Starts receiver and sender on the log in `data`.
    pub(super) fn listen(&self, data: &Path) -> Running {
        self.place.start("listen", &self.words(data, &["listen", "--on", "127.0.0.1:0"])).expect("it starts")
    }

    /// Waits until a job of the log in `data` stands there.
    pub(super) async fn until(&self, data: &Path, job: &Value, state: &str) -> Value {
        wait::until(state, || {
            let jobs = self.on(data, &["jobs"]);
            let found = jobs.iter().find(|row| row["job"] == job["job"]).cloned();
            found.clone().filter(|row| row["state"] == state).ok_or(found)
        })
        .await
    }

    pub(super) fn posts(&self) -> usize {
        self.sandbox.ledger().posts.len()
    }
}

/// Copies a data folder as a person would, locks and all.
pub(super) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).expect("an entry");
        if path.is_dir() {
            copy_folder(&path, &to.join(name));
        } else {
            fs::copy(&path, to.join(name)).expect("a copy");
        }
    }
}

/// A log with some of everything, made by the real program and closed.
pub(super) fn sample(place: &Place) -> PathBuf {
    let mut lines = String::new();
    for n in 0..60 {
        let at = format!("2026-04-14T08:{:02}:00Z", n % 60);
        let post = format!("po_{}", n % 7);
        let body = json!({"id": format!("ev_{}", n % 50), "event": "post.published", "timestamp": at,
                          "post": {"id": post, "content": format!("Words of post {n}"), "status": "published"}});
        let line =
            json!({"kind": "arrival", "at": at, "answer": 204, "signature": "unchecked", "headers": {}, "body": body});
        lines.push_str(&format!("{line}\n"));
    }
    fs::write(place.files().join("log.jsonl"), lines).expect("a file");
    let file = place.files().join("log.jsonl").display().to_string();
    place.lines(&["import", &file]);
    closed(place)
}

/// Has the log closed in order, so that all of it lies in one file, and gives that.
pub(super) fn closed(place: &Place) -> PathBuf {
    let file = place.data().join("reprise.db");
    let log = rusqlite::Connection::open(&file).expect("the log");
    log.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("one file");
    drop(log);
    for beside in ["reprise.db-wal", "reprise.db-shm"] {
        drop(fs::remove_file(place.data().join(beside)));
    }
    file
}

/// Sends messages until five were refused for want of room, and `most` of them at the utmost: the ids of those that were
/// answered well, and how many were not. `send` gives the id of a message and the status it came back with.
pub(super) async fn until_refused(most: usize, send: impl AsyncFn(usize) -> (String, u16)) -> (Vec<String>, usize) {
    let (mut answered, mut refused) = (Vec::new(), 0);
    for n in 0..most {
        match send(n).await {
            (id, 204) => answered.push(id),
            (_, status) => {
                assert!(matches!(status, 500 | 503), "{status}");
                refused += 1;
            }
        }
        if refused >= 5 {
            break;
        }
    }
    assert!(refused >= 5 && !answered.is_empty(), "{} answered, {refused} refused", answered.len());
    (answered, refused)
}

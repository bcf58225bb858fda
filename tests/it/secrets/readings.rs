//! Every reading call of the screens with arguments that reach all rows of a log. A new call without arguments here
//! fails the test, so that none is left out.

use reprise_core::{commands::CALLS, desk::Desk};
use serde_json::{Value, json};

/// What the calls can be asked about.
pub(super) struct Rows {
    seqs: Vec<Value>,
    events: Vec<Value>,
    /// Jobs, each with how many tries it has.
    jobs: Vec<(Value, u64)>,
    posts: Vec<Value>,
    bulk: Value,
    file: String,
}

impl Rows {
    /// All rows that the lists of the command line name.
    pub(super) fn of(arrivals: &[Value], jobs: &[Value], bulk: Value, file: String) -> Self {
        let mut posts: Vec<Value> = jobs.iter().map(|job| job["post"].clone()).filter(|post| !post.is_null()).collect();
        posts.push(json!("po_live"));
        posts.push(json!("po_1"));
        Self {
            seqs: arrivals.iter().map(|arrival| arrival["seq"].clone()).collect(),
            events: arrivals.iter().map(|arrival| arrival["event"].clone()).filter(|event| !event.is_null()).collect(),
            jobs: jobs.iter().map(|job| (job["job"].clone(), job["attempts"].as_u64().unwrap())).collect(),
            posts,
            bulk,
            file,
        }
    }

    fn args(&self, call: &str) -> Vec<Value> {
        let each = |name: &str, of: &[Value]| of.iter().map(|one| json!({ name: one })).collect::<Vec<_>>();
        let jobs: Vec<Value> = self.jobs.iter().map(|(job, _)| job.clone()).collect();
        let tries = self.jobs.iter().flat_map(|(job, tries)| (1..=*tries).map(move |n| json!({"job": job, "n": n})));
        let asked = |posts: &[Value], jobs: &[Value]| json!({"posts": posts, "urls": [], "texts": [], "keys": [], "events": [], "jobs": jobs});
        let whys = || -> Vec<Value> {
            let of_posts = self.posts.iter().map(|post| asked(std::slice::from_ref(post), &[]));
            of_posts.chain(jobs.iter().map(|job| asked(&[], std::slice::from_ref(job)))).collect()
        };
        match call {
            "status" | "event_kinds" | "account_zones" | "accounts" | "webhooks" | "bulks" | "looks"
            | "file_workspaces" | "import_progress" | "imports" | "cases" | "contract_settings" | "storage"
            | "habits" | "workspaces" | "saved_filters" | "set_aside" => vec![json!({})],
            "search" => ["Hello", "po_1", "password", "curlew"].map(|text| json!({ "text": text })).to_vec(),
            "events" | "posts" => vec![json!({"limit": 100})],
            "event_arrivals" | "event" => each("event", &self.events),
            "arrival" => each("seq", &self.seqs),
            "compare" => self.seqs.windows(2).map(|two| json!({"first": two[0], "second": two[1]})).collect(),
            "chain" => {
                [each("event", &self.events), each("seq", &self.seqs), each("job", &jobs), each("post", &self.posts)]
                    .concat()
            }
            "post" | "links" => each("post", &self.posts),
            "attempt" => tries.collect(),
            "curl" => {
                [each("seq", &self.seqs), each("job", &jobs), each("post", &self.posts), tries.collect()].concat()
            }
            "timeline" => vec![json!({"from_ms": 0, "to_ms": 4_000_000_000_000_i64, "resolution_ms": 1_i64 << 33})],
            "timeline_map" => vec![json!({"bins": 100})],
            "job" => each("job", &jobs),
            "forecast" => {
                let both = |job: &Value| {
                    [json!({"job": job, "action": "ask_again"}), json!({"job": job, "action": "post_again"})]
                };
                jobs.iter().flat_map(both).collect()
            }
            "preflight" => {
                vec![json!({"content": "Hello", "targets": [{"platform": "linkedin", "account": "ac_1"}], "form": "f"})]
            }
            "submit_many_preview" => {
                vec![json!({"name": "m.csv", "text": "content,account\nHello,ac_1\n", "confirmed": []})]
            }
            "bulk" | "bulk_rows" => vec![json!({"bulk": self.bulk})],
            "import_look" => vec![json!({"path": self.file})],
            "try_signature" => {
                vec![json!({"header": "x-pozy-signature", "encoding": "hex", "prefix": "", "event_id_header": "x-id"})]
            }
            "why" | "why_case" | "why_alike" | "why_files" => whys(),
            "why_look" => vec![json!({"text": "po_live k-file-1"})],
            new => panic!("say here what `{new}` is asked, so that no secret leaves by it"),
        }
    }

    /// The answers of all reading calls, each with its call; refusals are answers, too.
    pub(super) async fn answers(&self, desk: &Desk) -> Vec<(String, String)> {
        let mut answers = Vec::new();
        for call in CALLS.iter().filter(|call| !call.acts) {
            let all = self.args(call.name);
            let mut good = 0;
            for args in all {
                let asked = format!("{} {args}", call.name);
                match desk.call(call.name, args).await {
                    Ok(answer) => {
                        good += 1;
                        answers.push((asked, answer.to_string()));
                    }
                    Err(problem) => answers.push((asked, problem.to_string())),
                }
            }
            assert!(good > 0, "{} gave nothing but refusals: {:?}", call.name, answers.last());
        }
        answers
    }
}

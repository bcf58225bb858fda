//! What a client does that makes posts twice, or lets them go missing, read from its tries (issue: lint of other
//! people's clients). Pure: tries go in one after another in time order, findings come out. Every finding rests on
//! rows that are there and names them; what a file does not tell (a table without keys) is never held against a client.

use std::collections::{HashMap, HashSet, hash_map::Entry};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{clock::Moment, outbound::job::EndKind, pozy::answers::Meaning};

/// Most rows that a finding names.
const MOST_ROWS: usize = 20;
/// A try given up on earlier than this may be of a post that is still being made, milliseconds: publishing takes up to
/// minutes, and Reprise itself waits this long.
const PATIENCE_MS: i64 = 60_000;
/// Tries of the same words this soon after one that failed are tries of one job, milliseconds.
const SAME_JOB_MS: i64 = 15 * 60_000;
/// Clocks and logs round; a try this much too soon is on time, milliseconds.
const ROUNDED_MS: i64 = 1_000;

/// What a client does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// Tries of one job carry different keys.
    KeyPerTry,
    /// Its keys are made from the content.
    KeyFromBody,
    /// One key is sent with different contents (R7).
    OneKeySeveralContents,
    /// It goes on after the answer that the same content is there already (R10).
    OnAfterSameContent,
    /// It sends posts without a key.
    NoKey,
    /// It gives up sooner than a post can be made.
    ShortTimeout,
    /// One `x-request-id` stands for different posts (R14).
    OneRequestId,
    /// It tries again sooner than the answer asked (R9, R13).
    TooSoon,
}

impl Fault {
    /// Every fault, those first that make a second post.
    pub const ALL: [Self; 8] = [
        Self::KeyPerTry,
        Self::OnAfterSameContent,
        Self::NoKey,
        Self::KeyFromBody,
        Self::ShortTimeout,
        Self::OneKeySeveralContents,
        Self::OneRequestId,
        Self::TooSoon,
    ];

    /// The word in tables and JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::KeyPerTry => "key_per_try",
            Self::KeyFromBody => "key_from_body",
            Self::OneKeySeveralContents => "one_key_several_contents",
            Self::OnAfterSameContent => "on_after_same_content",
            Self::NoKey => "no_key",
            Self::ShortTimeout => "short_timeout",
            Self::OneRequestId => "one_request_id",
            Self::TooSoon => "too_soon",
        }
    }

    /// What the client does, for a person.
    #[must_use]
    pub const fn says(self) -> &'static str {
        match self {
            Self::KeyPerTry => "It takes a new key for every try.",
            Self::KeyFromBody => "It makes its keys out of the post.",
            Self::OneKeySeveralContents => "It uses one key for several posts.",
            Self::OnAfterSameContent => "It goes on after Pozy said that the post is there already.",
            Self::NoKey => "It sends posts without a key.",
            Self::ShortTimeout => "It gives up before Pozy can be done.",
            Self::OneRequestId => "It sends one request id with several posts.",
            Self::TooSoon => "It tries again sooner than Pozy asked.",
        }
    }

    /// What to change, for the person who can.
    #[must_use]
    pub const fn change(self) -> &'static str {
        match self {
            Self::KeyPerTry => {
                "Make one key for each post before its first try, keep it with the post, and send it with every try. \
                 With a new key Pozy cannot see that it is the same post."
            }
            Self::KeyFromBody => {
                "Take a random key for each post. With a key made of the words, an edit makes a second post, and the \
                 same words within a day bring the first one back."
            }
            Self::OneKeySeveralContents => {
                "Give each post a key of its own. Pozy answers the later ones with the first post, so they never went \
                 out."
            }
            Self::OnAfterSameContent => {
                "Stop at that answer and open the post that it names. Going on with other words makes a second post."
            }
            Self::NoKey => "Send a key with each post. Without one, a try after a lost answer can make a second post.",
            Self::ShortTimeout => {
                "Wait at least 60 s, and ask again with the same key. Publishing can take minutes; what was given up on \
                 may be live."
            }
            Self::OneRequestId => {
                "Make a new request id for each post, and keep it over the tries of that post. Pozy takes the same id \
                 for the same request."
            }
            Self::TooSoon => "Wait as long as the answer says before the next try, with the same key.",
        }
    }
}

/// One try, as far as a client can be judged by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// Its job.
    pub job: String,
    /// True if the file itself says which job it is of; else tries of one key, or a single try, were taken for one.
    pub told_job: bool,
    /// Its number in the job.
    pub n: u32,
    /// When it left.
    pub at: Moment,
    /// Where it went; keys are scoped to it.
    pub workspace: i64,
    /// HTTP method.
    pub method: String,
    /// Path of the call.
    pub path: String,
    /// True if a call there makes a post and takes a key.
    pub makes: bool,
    /// The key it carried.
    pub key: Option<String>,
    /// The `x-request-id` it carried.
    pub request_id: Option<String>,
    /// What it carried, if the file has it.
    pub body: Option<Vec<u8>>,
    /// How it ended.
    pub kind: Option<EndKind>,
    /// When that was known.
    pub ended: Option<Moment>,
    /// What the answer meant.
    pub meaning: Option<Meaning>,
    /// From when on the next try was welcome.
    pub retry_at: Option<Moment>,
}

/// A row that a finding rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Its job.
    pub job: String,
    /// Its number in the job.
    pub n: u32,
    /// When it left.
    pub at: Moment,
}

/// Something that a client does wrong; as JSON with its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What.
    pub fault: Fault,
    /// How many tries show it.
    pub count: usize,
    /// The first rows it rests on.
    pub rows: Vec<Row>,
}

impl Serialize for Finding {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct as _;
        let mut out = to.serialize_struct("Finding", 5)?;
        out.serialize_field("code", self.fault.word())?;
        out.serialize_field("count", &self.count)?;
        out.serialize_field("says", self.fault.says())?;
        out.serialize_field("change", self.fault.change())?;
        out.serialize_field("rows", &self.rows)?;
        out.end()
    }
}

type Print = [u8; 12];

/// What must be remembered of a try to judge later ones. A file of a gigabyte holds a million: nothing is kept twice.
struct Earlier {
    job: Box<str>,
    n: u32,
    at: Moment,
    key: Option<Print>,
    content: Option<Print>,
    failed: bool,
    same_content: bool,
    retry_at: Option<Moment>,
}

impl Earlier {
    fn row(&self) -> Row {
        Row { job: self.job.to_string(), n: self.n, at: self.at }
    }
}

/// Place of a try in [`Lint::tries`].
type At = u32;

/// The tries with one key.
struct OfKey {
    last: At,
    /// What they carried; none while that is what the last one carried and nothing else.
    contents: Option<HashSet<Print>>,
}

/// Takes tries in time order.
#[derive(Default)]
pub struct Lint {
    found: HashMap<Fault, Finding>,
    tries: Vec<Earlier>,
    of_job: HashMap<Print, At>,
    of_content: HashMap<Print, At>,
    of_key: HashMap<Print, OfKey>,
    of_request: HashMap<Print, At>,
}

impl Lint {
    /// Looks at the next try; `knows_keys` is false where the file could not have told a key.
    pub fn take(&mut self, tried: &Tried, knows_keys: bool) {
        if !tried.makes || !tried.method.eq_ignore_ascii_case("POST") {
            return;
        }
        // More than four thousand million tries fit no file.
        let Ok(this) = At::try_from(self.tries.len()) else { return };
        let content = tried.body.as_deref().map(|body| print(&[tried.path.as_bytes(), body]));
        self.tries.push(Earlier {
            job: tried.job.as_str().into(),
            n: tried.n,
            at: tried.at,
            key: tried.key.as_deref().map(|key| print(&[key.as_bytes()])),
            content,
            failed: tried.kind.is_some() && failed(tried),
            same_content: tried.meaning == Some(Meaning::SameContent),
            retry_at: tried.retry_at,
        });
        self.alone(tried, this, knows_keys);
        self.beside_its_job(tried, this);
        self.beside_its_key(tried, this);
        self.beside_its_request(tried, this);
    }

    /// The findings, those first that make a second post.
    #[must_use]
    pub fn findings(mut self) -> Vec<Finding> {
        Fault::ALL.iter().filter_map(|fault| self.found.remove(fault)).collect()
    }

    fn at(&self, at: At) -> &Earlier {
        &self.tries[at as usize]
    }

    /// What a single try shows.
    fn alone(&mut self, tried: &Tried, this: At, knows_keys: bool) {
        match &tried.key {
            None if knows_keys => self.note(Fault::NoKey, None, this),
            Some(key) if made_from(key, tried.body.as_deref()) => self.note(Fault::KeyFromBody, None, this),
            _ => {}
        }
        let waited = tried.ended.map(|ended| ended.ms_since(tried.at));
        if tried.kind == Some(EndKind::Timeout) && waited.is_some_and(|waited| (1..PATIENCE_MS).contains(&waited)) {
            self.note(Fault::ShortTimeout, None, this);
        }
    }

    /// What it shows beside the try before it: of the same job, or of the same words soon after a failure.
    fn beside_its_job(&mut self, tried: &Tried, this: At) {
        let job = print(&[tried.job.as_bytes()]);
        let (key, content) = (self.at(this).key, self.at(this).content);
        let told = if tried.told_job { self.of_job.get(&job).copied() } else { None };
        let of_key = || key.and_then(|key| self.of_key.get(&scoped(tried, key)).map(|of_key| of_key.last));
        let of_content = || content.and_then(|content| self.of_content.get(&content).copied());
        let soon = |earlier: &At| tried.at.ms_since(self.at(*earlier).at) <= SAME_JOB_MS;
        if let Some(before) = told.or_else(of_key).or_else(|| of_content().filter(soon)) {
            let earlier = self.at(before);
            let other_key = earlier.key.is_some() && key.is_some() && earlier.key != key;
            let shown = [
                (Fault::KeyPerTry, other_key && (tried.told_job || earlier.failed)),
                (Fault::OnAfterSameContent, earlier.same_content),
                (Fault::TooSoon, earlier.retry_at.is_some_and(|welcome| welcome.ms_since(tried.at) > ROUNDED_MS)),
            ];
            for (fault, _) in shown.into_iter().filter(|(_, shown)| *shown) {
                self.note(fault, Some(before), this);
            }
        }
        self.of_job.insert(job, this);
        if let Some(content) = content {
            self.of_content.insert(content, this);
        }
    }

    /// What it shows beside earlier tries with its key.
    fn beside_its_key(&mut self, tried: &Tried, this: At) {
        let (Some(key), content) = (self.at(this).key, self.at(this).content) else { return };
        let before = match self.of_key.entry(scoped(tried, key)) {
            Entry::Vacant(slot) => {
                slot.insert(OfKey { last: this, contents: None });
                return;
            }
            Entry::Occupied(slot) => {
                let of_key = slot.into_mut();
                let before = std::mem::replace(&mut of_key.last, this);
                let last = self.tries[before as usize].content;
                if content == last {
                    return;
                }
                let contents = of_key.contents.get_or_insert_with(|| last.into_iter().collect());
                let any = !contents.is_empty();
                if !content.is_some_and(|content| contents.insert(content)) || !any {
                    return;
                }
                before
            }
        };
        self.note(Fault::OneKeySeveralContents, Some(before), this);
    }

    /// What it shows beside the first try with its request id.
    fn beside_its_request(&mut self, tried: &Tried, this: At) {
        let Some(id) = tried.request_id.as_deref().filter(|id| !id.is_empty()) else { return };
        let first = *self.of_request.entry(print(&[id.as_bytes()])).or_insert(this);
        let contents = (self.at(first).content, self.at(this).content);
        if matches!(contents, (Some(one), Some(other)) if one != other) {
            self.note(Fault::OneRequestId, Some(first), this);
        }
    }

    fn note(&mut self, fault: Fault, before: Option<At>, this: At) {
        let finding = self.found.entry(fault).or_insert(Finding { fault, count: 0, rows: Vec::new() });
        finding.count += 1;
        for at in before.into_iter().chain([this]) {
            if finding.rows.len() < MOST_ROWS {
                let row = self.tries[at as usize].row();
                if !finding.rows.contains(&row) {
                    finding.rows.push(row);
                }
            }
        }
    }
}

/// True if a client that knows only this try believes that its post did not go out.
fn failed(tried: &Tried) -> bool {
    !matches!(tried.meaning, Some(Meaning::Created | Meaning::Replayed | Meaning::Poll))
}

fn print(parts: &[&[u8]]) -> Print {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    let mut short = Print::default();
    short.copy_from_slice(&hash.finalize()[..12]);
    short
}

fn scoped(tried: &Tried, key: Print) -> Print {
    print(&[&tried.workspace.to_le_bytes(), &key])
}

/// True if a key is made from what it was sent with: a digest of the body or of its words, those words themselves, or
/// a UUID that says of itself that it is made from a name (versions 3 and 5).
fn made_from(key: &str, body: Option<&[u8]>) -> bool {
    if uuid::Uuid::parse_str(key).is_ok_and(|id| matches!(id.get_version_num(), 3 | 5)) {
        return true;
    }
    let Some(body) = body else { return false };
    let words = serde_json::from_slice::<serde_json::Value>(body)
        .ok()
        .and_then(|body| body.get("content")?.as_str().map(str::to_owned));
    let key = plain(key);
    let of = |bytes: &[u8]| {
        use md5::Digest as _;
        let digests = [hex(&Sha256::digest(bytes)), hex(&sha1::Sha1::digest(bytes)), hex(&md5::Md5::digest(bytes))];
        // Some cut a digest short; past sixteen digits that is no chance.
        digests.iter().any(|digest| key.len() >= 16 && (key.contains(digest) || digest.starts_with(&key)))
    };
    let spelt = |words: &str| {
        let words = plain(words);
        words.len() >= 12 && key.contains(words.get(..words.floor_char_boundary(24)).unwrap_or_default())
    };
    of(body) || words.is_some_and(|words| of(words.as_bytes()) || spelt(&words))
}

/// Letters and digits only, in small letters.
fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
#[path = "lint_tests.rs"]
mod tests;

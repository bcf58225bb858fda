//! What a scenario file can say. A key that is not listed here is refused when the file is read, so that a slip of the
//! pen never passes for a check.
//!
//! In every text, `<name>` stands for a value that was taken from an output before: each key of a background command's
//! first line (`<pozy>`, `<receiver>`), each name under `take`, and `<now>`, `<now-90s>`, `<now+2h>`: the sandbox's
//! present time.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::fits::check_rules;

/// One scenario: `tests/scenarios/NAME.json`, its input files beside it in the folder `NAME`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scenario {
    /// What is true in the end, in one sentence.
    pub(crate) says: String,
    /// The rules (R1-R14), traps (T1-T7), and situations it stands for.
    pub(crate) covers: Vec<String>,
    /// More environment, such as `POZY_WEBHOOK_SECRET`.
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    /// Steps, read once to check them and once more with the names filled in.
    pub(crate) play: Vec<Value>,
}

/// One step.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Step {
    /// Runs a command to its end and checks what it prints.
    Run(Run),
    /// Starts a command in the background, under the name of its first word unless `name` says otherwise.
    Start(Start),
    /// Ends a background command as a power cut would.
    Kill(String),
    /// Asks a background command to stop, which it must do with exit code 0.
    Stop(String),
    /// Sends a webhook to a receiver.
    Deliver(Deliver),
    /// Tells the sandbox something: `clock`, `faults`, `target`.
    Tell(Tell),
    /// What the sandbox did so far must fit this.
    Ledger(Value),
    /// Repeats a step until it holds, for at most so many seconds.
    Until(Until),
    /// The step must hold again and again for so many seconds.
    Holds(Until),
    /// Writes a file of JSON lines.
    Write(Write),
    /// Reads a file or a whole folder and checks it.
    Read(Read),
    /// Plays the steps once for every order of the files, each time on a fresh log.
    Orders(Orders),
}

/// Words of a command: a text that is split at spaces, or the words themselves.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Words {
    Line(String),
    List(Vec<String>),
}

impl Words {
    pub(crate) fn list(&self) -> Vec<String> {
        match self {
            Self::Line(line) => line.split_whitespace().map(str::to_owned).collect(),
            Self::List(words) => words.clone(),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    pub(crate) words: Words,
    /// Data folder; one for the whole scenario if not given.
    pub(crate) log: Option<String>,
    /// `--now`.
    pub(crate) now: Option<String>,
    /// Without `--json`.
    #[serde(default)]
    pub(crate) plain: bool,
    /// What the exit code must fit.
    #[serde(default = "zero")]
    pub(crate) exit: Value,
    /// What the JSON lines must fit.
    pub(crate) prints: Option<Lines>,
    /// Each of these stands in the output.
    #[serde(default)]
    pub(crate) says: Vec<String>,
    /// What the JSON line on standard error must fit.
    pub(crate) problem: Option<Value>,
    /// Names for values of the line that fits the first of `lines`, or else of the first line.
    #[serde(default)]
    pub(crate) take: BTreeMap<String, String>,
    /// A file for the output.
    pub(crate) into: Option<String>,
}

fn zero() -> Value {
    Value::from(0)
}

/// What lines must fit.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lines {
    /// What their number must fit.
    pub(crate) count: Option<Value>,
    /// Each fits a line of its own, in any order.
    #[serde(default)]
    pub(crate) lines: Vec<Value>,
    /// So many lines fit.
    #[serde(default)]
    pub(crate) tally: Vec<(Value, Value)>,
    /// No line fits.
    #[serde(default)]
    pub(crate) never: Vec<Value>,
    /// The same set of lines wherever the scenario uses this name.
    pub(crate) same: Option<String>,
    /// Keys that `same` does not look at.
    #[serde(default)]
    pub(crate) apart_from: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Start {
    pub(crate) words: Words,
    pub(crate) name: Option<String>,
    pub(crate) now: Option<String>,
    /// False for a command that is meant to hang.
    #[serde(default = "yes")]
    pub(crate) first_line: bool,
}

fn yes() -> bool {
    true
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Deliver {
    pub(crate) to: String,
    #[serde(default = "post")]
    pub(crate) method: String,
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
    /// A JSON body ...
    pub(crate) body: Option<Value>,
    /// ... or bytes as they are, each text so many times ...
    #[serde(default)]
    pub(crate) raw: Vec<(String, usize)>,
    /// ... or one body a line of this file.
    pub(crate) lines_of: Option<String>,
    /// Signed with this secret.
    pub(crate) secret: Option<String>,
    /// How often each body is sent.
    #[serde(default = "once")]
    pub(crate) copies: usize,
    /// How many send at the same time.
    #[serde(default = "once")]
    pub(crate) senders: usize,
    /// What the status of every answer must fit.
    #[serde(default = "no_content")]
    pub(crate) status: Value,
}

fn post() -> String {
    "POST".into()
}

const fn once() -> usize {
    1
}

fn no_content() -> Value {
    Value::from(204)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tell {
    pub(crate) what: String,
    pub(crate) body: Value,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Until {
    pub(crate) seconds: u64,
    pub(crate) step: Box<Step>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Write {
    pub(crate) file: String,
    #[serde(default)]
    pub(crate) lines: Vec<Value>,
    /// Text as it is, before the lines.
    #[serde(default)]
    pub(crate) text: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Read {
    /// A file beside the scenario or written by it; `log` for everything in the data folder.
    pub(crate) file: String,
    pub(crate) prints: Option<Lines>,
    #[serde(default)]
    pub(crate) says: Vec<String>,
    /// None of these is in it.
    #[serde(default)]
    pub(crate) hides: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Orders {
    /// `<1>`, `<2>` ... in the steps stand for them in turn.
    pub(crate) files: Vec<String>,
    /// Arrival times by place: the file that is played second arrives second.
    #[serde(default)]
    pub(crate) at: Vec<String>,
    pub(crate) play: Vec<Value>,
}

impl Scenario {
    /// Reads a scenario and checks every step of it.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it, and in which step.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let scenario: Self = serde_json::from_str(text).map_err(|cause| cause.to_string())?;
        if scenario.says.is_empty() || scenario.covers.is_empty() || scenario.play.is_empty() {
            return Err("a scenario needs `says`, `covers` and `play`".into());
        }
        check(&scenario.play)?;
        Ok(scenario)
    }
}

fn check(play: &[Value]) -> Result<(), String> {
    for (at, value) in play.iter().enumerate() {
        let about = |problem: String| format!("step {}: {problem}", at + 1);
        check_rules(value).map_err(about)?;
        if let Step::Orders(orders) = read_step(value).map_err(about)? {
            if !orders.at.is_empty() && orders.at.len() != orders.files.len() {
                return Err(about("as many times as files are needed".into()));
            }
            check(&orders.play).map_err(about)?;
        }
    }
    Ok(())
}

/// Reads one step.
///
/// # Errors
/// A sentence that says what is wrong with it.
pub(crate) fn read_step(value: &Value) -> Result<Step, String> {
    serde_json::from_value(value.clone()).map_err(|cause| cause.to_string())
}

//! What is true while a scenario is played: the place, the background commands, the names taken so far.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use reqwest::Method;
use serde_json::{Value, json};

use super::{fits::instant, web::Web};
use crate::program::{Place, Running};

/// The stage of one scenario.
pub(crate) struct Stage {
    pub(crate) place: Place,
    pub(crate) web: Web,
    /// Background commands by name.
    pub(crate) running: BTreeMap<String, Running>,
    /// Sets of lines that must be the same wherever their name is used.
    pub(crate) same: BTreeMap<String, Vec<String>>,
    /// The data folder of commands that name none.
    pub(crate) log: String,
    names: BTreeMap<String, Value>,
}

impl Stage {
    /// A stage in `place` with the scenario's input files and environment.
    ///
    /// # Errors
    /// A sentence if the input files cannot be copied.
    pub(crate) fn new(mut place: Place, inputs: &Path, env: &BTreeMap<String, String>) -> Result<Self, String> {
        if inputs.is_dir() {
            for entry in fs::read_dir(inputs).map_err(|cause| cause.to_string())? {
                let path = entry.map_err(|cause| cause.to_string())?.path();
                let name = path.file_name().unwrap_or_default();
                fs::copy(&path, place.files().join(name)).map_err(|cause| cause.to_string())?;
            }
        }
        for (name, value) in env {
            place.set(name, value);
        }
        let mut stage = Self {
            place,
            web: Web::new()?,
            running: BTreeMap::new(),
            same: BTreeMap::new(),
            log: "data".into(),
            names: BTreeMap::new(),
        };
        if let Some(secret) = env.get("POZY_WEBHOOK_SECRET") {
            stage.name("webhook_secret", Value::from(secret.as_str()));
        }
        Ok(stage)
    }

    /// Gives a value a name.
    pub(crate) fn name(&mut self, name: &str, value: Value) {
        self.names.insert(name.to_owned(), value);
    }

    /// Takes every key of a first line for a name; a sandbox's key and secret also become environment.
    pub(crate) fn take_first_line(&mut self, line: &Value) {
        for (key, value) in line.as_object().into_iter().flatten() {
            self.name(key, value.clone());
        }
        for (key, variable) in [("api_key", "POZY_API_KEY"), ("webhook_secret", "POZY_WEBHOOK_SECRET")] {
            if let Some(value) = line.get(key).and_then(Value::as_str) {
                self.place.set(variable, value);
            }
        }
    }

    /// A data folder by name.
    pub(crate) fn log_folder(&self, name: Option<&str>) -> PathBuf {
        self.place.path(name.unwrap_or(&self.log))
    }

    /// The value with every `<name>` filled in.
    ///
    /// # Errors
    /// A sentence that names what nothing is called.
    pub(crate) fn fill(&self, value: &Value) -> Result<Value, String> {
        Ok(match value {
            Value::String(text) => self.fill_text(text)?,
            Value::Array(items) => Value::Array(items.iter().map(|item| self.fill(item)).collect::<Result<_, _>>()?),
            Value::Object(map) => Value::Object(
                map.iter().map(|(key, part)| Ok((key.clone(), self.fill(part)?))).collect::<Result<_, String>>()?,
            ),
            other => other.clone(),
        })
    }

    fn fill_text(&self, text: &str) -> Result<Value, String> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('<') {
            let (name, tail) = after.split_once('>').ok_or_else(|| format!("`<` without `>` in {text}"))?;
            let value = self.value_of(name)?;
            if before.is_empty() && tail.is_empty() && filled.is_empty() {
                return Ok(value);
            }
            filled.push_str(before);
            filled.push_str(&value.as_str().map_or_else(|| value.to_string(), str::to_owned));
            rest = tail;
        }
        filled.push_str(rest);
        Ok(Value::from(filled))
    }

    fn value_of(&self, name: &str) -> Result<Value, String> {
        if let Some(shift) = name.strip_prefix("now") {
            return self.sandbox_time(shift).map(Value::from);
        }
        self.names.get(name).cloned().ok_or_else(|| format!("nothing is called <{name}> yet"))
    }

    fn sandbox_time(&self, shift: &str) -> Result<String, String> {
        let ledger = self.ledger()?;
        let now = ledger["now"].as_str().and_then(instant).ok_or("the ledger has no `now`")?;
        let by = if shift.is_empty() { TimeDelta::zero() } else { span(shift)? };
        let at = DateTime::<Utc>::from_timestamp_nanos(now) + by;
        Ok(at.to_rfc3339_opts(SecondsFormat::AutoSi, true))
    }

    /// What the sandbox did so far.
    ///
    /// # Errors
    /// A sentence if there is no sandbox or it does not answer.
    pub(crate) fn ledger(&self) -> Result<Value, String> {
        self.sandbox(&Method::GET, "ledger", &Value::Null)
    }

    /// Calls the sandbox's control.
    ///
    /// # Errors
    /// A sentence if there is no sandbox or it refuses.
    pub(crate) fn sandbox(&self, method: &Method, what: &str, body: &Value) -> Result<Value, String> {
        let pozy = self.names.get("pozy").and_then(Value::as_str).ok_or("no sandbox runs")?;
        self.web.json(method, &format!("{pozy}/sandbox/{what}"), body)
    }
}

/// A span such as `-90s` or `+2h`.
fn span(text: &str) -> Result<TimeDelta, String> {
    let bad = || format!("`{text}` is no span such as -90s or +2h");
    let unit = text.chars().last().ok_or_else(bad)?;
    let number: i64 = text[..text.len() - unit.len_utf8()].parse().map_err(|_| bad())?;
    match unit {
        's' => Ok(TimeDelta::seconds(number)),
        'm' => Ok(TimeDelta::minutes(number)),
        'h' => Ok(TimeDelta::hours(number)),
        'd' => Ok(TimeDelta::days(number)),
        _ => Err(bad()),
    }
}

/// A value in a line by its keys, with dots between them.
pub(crate) fn pick(line: &Value, path: &str) -> Option<Value> {
    let found = path.split('.').try_fold(line, |value, key| value.get(key))?;
    (*found != json!(null)).then(|| found.clone())
}

//! Plays a scenario step by step. Every failure is a sentence that names the step, what it wanted and what it got.

use std::{fs, path::Path, time::Duration};

use reprise_core::clock::Clock;
use reqwest::Method;
use serde_json::{Value, json};

use super::{
    fits::{assign, fits},
    script::{Deliver, Lines, Orders, Read, Run, Scenario, Start, Step, Tell, Write, read_step},
    stage::{Stage, pick},
    web::Letter,
};
use crate::program::{Ran, json_lines};

/// Between two tries of a step that may need time.
const PAUSE_MS: u64 = 50;

/// Plays all of `scenario` on `stage`.
///
/// # Errors
/// A sentence about the first step that does not hold.
pub(crate) fn play(scenario: &Scenario, stage: &mut Stage) -> Result<(), String> {
    play_all(&scenario.play, stage)
}

fn play_all(steps: &[Value], stage: &mut Stage) -> Result<(), String> {
    for (at, value) in steps.iter().enumerate() {
        play_one(value, stage).map_err(|problem| format!("step {}: {problem}", at + 1))?;
    }
    Ok(())
}

fn play_one(value: &Value, stage: &mut Stage) -> Result<(), String> {
    if value.get("orders").is_some() {
        // Its inner steps are filled in when they are played: only then do the places in the order have their files.
        let Step::Orders(orders) = read_step(value)? else { return Err("no orders".into()) };
        return each_order(&orders, stage);
    }
    take_step(&read_step(&stage.fill(value)?)?, stage)
}

fn take_step(step: &Step, stage: &mut Stage) -> Result<(), String> {
    match step {
        Step::Run(run) => run_command(run, stage),
        Step::Start(start) => start_command(start, stage),
        Step::Kill(name) => {
            running(stage, name)?.kill();
            Ok(())
        }
        Step::Stop(name) => {
            let exit = running(stage, name)?.stop()?;
            expect("exit code on stopping", &json!(0), &json!(exit))
        }
        Step::Deliver(deliver) => deliver_all(deliver, stage),
        Step::Tell(Tell { what, body }) => stage.sandbox(&Method::POST, what, body).map(drop),
        Step::Ledger(want) => expect("the ledger", want, &stage.ledger()?),
        Step::Until(until) => {
            let (waited, limit) = (Clock::stopwatch(), Duration::from_secs(until.seconds));
            loop {
                match take_step(&until.step, stage) {
                    Err(problem) if waited.ms() > limit_ms(limit) => return Err(problem),
                    Err(_) => stage.web.pause(PAUSE_MS),
                    Ok(()) => return Ok(()),
                }
            }
        }
        Step::Holds(holds) => {
            let (waited, limit) = (Clock::stopwatch(), Duration::from_secs(holds.seconds));
            while waited.ms() < limit_ms(limit) {
                take_step(&holds.step, stage).map_err(|problem| format!("after {} ms: {problem}", waited.ms()))?;
                stage.web.pause(PAUSE_MS);
            }
            Ok(())
        }
        Step::Write(write) => write_file(write, stage),
        Step::Read(read) => read_file(read, stage),
        Step::Orders(_) => Err("orders stand by themselves, not inside another step".into()),
    }
}

fn limit_ms(limit: Duration) -> i64 {
    i64::try_from(limit.as_millis()).unwrap_or(i64::MAX)
}

fn running<'a>(stage: &'a mut Stage, name: &str) -> Result<&'a mut crate::program::Running, String> {
    stage.running.get_mut(name).ok_or_else(|| format!("`{name}` was never started"))
}

/// Words of a command with what every command gets.
fn full_words(words: Vec<String>, log: &Path, now: Option<&str>, plain: bool) -> Vec<String> {
    let mut all = words;
    if !plain {
        all.push("--json".into());
    }
    all.extend(["--data".into(), log.display().to_string()]);
    if let Some(now) = now {
        all.extend(["--now".into(), now.into()]);
    }
    all
}

fn run_command(run: &Run, stage: &mut Stage) -> Result<(), String> {
    let words = run.words.list();
    let all = full_words(words.clone(), &stage.log_folder(run.log.as_deref()), run.now.as_deref(), run.plain);
    let ran = stage.place.run(&all).map_err(|problem| format!("{words:?}: {problem}"))?;
    check_run(run, &ran, stage).map_err(|problem| format!("{words:?}: {problem}"))
}

/// Checks what a command left behind, and takes what the step wants to keep of it.
pub(super) fn check_run(run: &Run, ran: &Ran, stage: &mut Stage) -> Result<(), String> {
    if !fits(&run.exit, &json!(ran.exit)) {
        return Err(format!("wanted exit {}, got {:?}, which said: {} {}", run.exit, ran.exit, ran.err, ran.out));
    }
    for part in &run.says {
        if !ran.out.contains(part.as_str()) {
            return Err(format!("wanted {part:?} in the output, got {}", ran.out));
        }
    }
    if let Some(want) = &run.problem {
        let line = ran.err.lines().last().unwrap_or_default();
        let got = serde_json::from_str(line).map_err(|_| format!("wanted a JSON problem, got {}", ran.err))?;
        expect("the problem", want, &got)?;
    }
    if let Some(file) = &run.into {
        fs::write(stage.place.files().join(file), &ran.out).map_err(|cause| cause.to_string())?;
    }
    let first = match &run.prints {
        Some(want) => check_lines(want, &json_lines(&ran.out)?, stage)?,
        None if run.take.is_empty() => None,
        None => json_lines(&ran.out)?.into_iter().next(),
    };
    for (name, path) in &run.take {
        let found = first.as_ref().and_then(|line| pick(line, path)).ok_or_else(|| format!("no `{path}` to take"))?;
        stage.name(name, found);
    }
    Ok(())
}

/// Checks lines and gives the one that fits the first of `lines`, or else the first there is.
pub(super) fn check_lines(want: &Lines, got: &[Value], stage: &mut Stage) -> Result<Option<Value>, String> {
    if let Some(count) = &want.count
        && !fits(count, &json!(got.len()))
    {
        return Err(format!("wanted {count} lines, got {}: {}", got.len(), shown(got)));
    }
    for (one, number) in &want.tally {
        let found = got.iter().filter(|line| fits(one, line)).count();
        if !fits(number, &json!(found)) {
            return Err(format!("wanted {number} lines like {one}, got {found}: {}", shown(got)));
        }
    }
    for one in &want.never {
        if let Some(line) = got.iter().find(|line| fits(one, line)) {
            return Err(format!("wanted no line like {one}, got {line}"));
        }
    }
    let given = assign(&want.lines, got).map_err(|one| format!("wanted a line like {one}, got {}", shown(got)))?;
    if let Some(name) = &want.same {
        check_same(name, &want.apart_from, got, stage)?;
    }
    Ok(given.first().map_or_else(|| got.first(), |at| got.get(*at)).cloned())
}

fn check_same(name: &str, apart_from: &[String], got: &[Value], stage: &mut Stage) -> Result<(), String> {
    let mut bare: Vec<String> = got
        .iter()
        .map(|line| {
            let mut line = line.clone();
            if let Some(map) = line.as_object_mut() {
                map.retain(|key, _| !apart_from.contains(key));
            }
            line.to_string()
        })
        .collect();
    bare.sort_unstable();
    let before = stage.same.entry(name.to_owned()).or_insert_with(|| bare.clone());
    if *before == bare {
        return Ok(());
    }
    let lost: Vec<_> = before.iter().filter(|line| !bare.contains(line)).collect();
    let odd: Vec<_> = bare.iter().filter(|line| !before.contains(line)).collect();
    Err(format!("wanted the same lines as before under `{name}`; lost {lost:?}, instead {odd:?}"))
}

fn start_command(start: &Start, stage: &mut Stage) -> Result<(), String> {
    let mut words = start.words.list();
    let name = start.name.clone().or_else(|| words.first().cloned()).unwrap_or_default();
    if matches!(words.first().map(String::as_str), Some("listen" | "sandbox")) {
        words.extend(["--on".into(), "127.0.0.1:0".into()]);
    }
    let all = full_words(words, &stage.log_folder(None), start.now.as_deref(), false);
    let mut running = stage.place.start(&name, &all)?;
    if start.first_line {
        let line = running.first_line()?;
        stage.take_first_line(&line);
    }
    if stage.running.insert(name.clone(), running).is_some_and(|mut old| old.runs()) {
        return Err(format!("`{name}` runs already"));
    }
    Ok(())
}

fn deliver_all(deliver: &Deliver, stage: &Stage) -> Result<(), String> {
    let bodies: Vec<Vec<u8>> = if let Some(body) = &deliver.body {
        vec![body.to_string().into_bytes()]
    } else if let Some(file) = &deliver.lines_of {
        let text = fs::read_to_string(stage.place.files().join(file)).map_err(|cause| format!("{file}: {cause}"))?;
        text.lines().map(|line| line.as_bytes().to_vec()).collect()
    } else {
        vec![deliver.raw.iter().map(|(part, times)| part.repeat(*times)).collect::<String>().into_bytes()]
    };
    let letter = Letter {
        method: Method::from_bytes(deliver.method.as_bytes()).map_err(|cause| cause.to_string())?,
        url: deliver.to.clone(),
        headers: deliver.headers.clone(),
        secret: deliver.secret.clone(),
    };
    let all: Vec<_> = bodies.into_iter().flat_map(|body| vec![body; deliver.copies]).collect();
    let statuses = stage.web.send(&letter, all, deliver.senders);
    match statuses.iter().find(|status| !fits(&deliver.status, &json!(status))) {
        Some(odd) => Err(format!("wanted {} for every delivery, got {odd}", deliver.status)),
        None => Ok(()),
    }
}

fn write_file(write: &Write, stage: &Stage) -> Result<(), String> {
    let lines: String = write.lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(stage.place.files().join(&write.file), format!("{}{lines}", write.text))
        .map_err(|cause| cause.to_string())
}

fn read_file(read: &Read, stage: &mut Stage) -> Result<(), String> {
    let path = if read.file == "log" { stage.log_folder(None) } else { stage.place.files().join(&read.file) };
    let bytes = all_bytes(&path).map_err(|cause| format!("{}: {cause}", read.file))?;
    let text = String::from_utf8_lossy(&bytes);
    if let Some(part) = read.says.iter().find(|part| !text.contains(part.as_str())) {
        return Err(format!("wanted {part:?} in {}", read.file));
    }
    if let Some(part) = read.hides.iter().find(|part| text.contains(part.as_str())) {
        return Err(format!("wanted no {part:?} in {}", read.file));
    }
    match &read.prints {
        Some(want) => check_lines(want, &json_lines(&text)?, stage).map(drop),
        None => Ok(()),
    }
}

fn all_bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    if !path.is_dir() {
        return fs::read(path);
    }
    let mut bytes = Vec::new();
    for entry in fs::read_dir(path)? {
        bytes.extend(all_bytes(&entry?.path())?);
    }
    Ok(bytes)
}

fn each_order(orders: &Orders, stage: &mut Stage) -> Result<(), String> {
    let outer = stage.log.clone();
    for order in permutations(&orders.files) {
        stage.log = format!("order of {}", order.join(" "));
        for (place, name) in order.iter().enumerate() {
            let text =
                fs::read_to_string(stage.place.files().join(name)).map_err(|cause| format!("{name}: {cause}"))?;
            let mut lines = json_lines(&text)?;
            if let Some(at) = orders.at.get(place) {
                lines.iter_mut().for_each(|line| line["at"] = Value::from(at.as_str()));
            }
            let file = format!("place-{}-{name}", place + 1);
            let write = Write { file: file.clone(), lines, text: String::new() };
            write_file(&write, stage)?;
            stage.name(&(place + 1).to_string(), Value::from(file));
        }
        play_all(&orders.play, stage).map_err(|problem| format!("in the order {order:?}: {problem}"))?;
    }
    stage.log = outer;
    Ok(())
}

fn permutations(files: &[String]) -> Vec<Vec<String>> {
    if files.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (at, first) in files.iter().enumerate() {
        let mut rest = files.to_vec();
        rest.remove(at);
        for mut tail in permutations(&rest) {
            tail.insert(0, first.clone());
            all.push(tail);
        }
    }
    all
}

/// Holds if `got` fits `want`.
pub(super) fn expect(what: &str, want: &Value, got: &Value) -> Result<(), String> {
    if fits(want, got) {
        Ok(())
    } else {
        Err(format!("{what}: wanted {want}, got {}", shown(std::slice::from_ref(got))))
    }
}

/// Lines for a person, cut where they get long.
fn shown(lines: &[Value]) -> String {
    let text = lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n  ");
    match text.char_indices().nth(4000) {
        Some((at, _)) => format!("{} ...", &text[..at]),
        None => text,
    }
}

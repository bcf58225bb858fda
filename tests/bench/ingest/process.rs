//! A program that runs beside the benchmark, and is stopped by its process id.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    time::Duration,
};

use crate::Outcome;

/// How long a program may take to end before it is killed.
const PATIENCE: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(20);
/// The unit of processor times in /proc, the same on every Linux.
const TICK: Duration = Duration::from_millis(10);

/// A running program. Dropped, it is killed, so that a failed run leaves nothing behind.
pub(crate) struct Process {
    child: Child,
    name: String,
}

impl Process {
    /// Starts `command`; its standard input is empty.
    pub(crate) fn start(command: &mut Command) -> Outcome<Self> {
        let name = command.get_program().to_string_lossy().into_owned();
        let child = command.stdin(Stdio::null()).spawn().map_err(|cause| format!("{name} does not start: {cause}"))?;
        Ok(Self { child, name })
    }

    /// Starts a program and reads the addresses that its first line names, a JSON object such as `{"receiver":URL}`.
    pub(crate) fn start_naming(command: &mut Command) -> Outcome<(Self, serde_json::Value)> {
        let mut started = Self::start(command.stdout(Stdio::piped()))?;
        let output = started.child.stdout.take().ok_or("no standard output")?;
        let mut lines = BufReader::new(output).lines();
        let first = lines.next().ok_or_else(|| format!("{} ended before it named its address", started.name))??;
        // Whatever else it prints is read and dropped: a full pipe would hold it up.
        std::thread::spawn(move || lines.for_each(drop));
        Ok((started, serde_json::from_str(&first)?))
    }

    /// Waits until the program takes connections at `port`.
    pub(crate) async fn until_listening(&mut self, port: u16) -> Outcome<()> {
        let mut waited = Duration::ZERO;
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            self.still_runs()?;
            if waited > PATIENCE {
                return Err(format!("{} does not listen at port {port}", self.name).into());
            }
            tokio::time::sleep(LOOK).await;
            waited += LOOK;
        }
        Ok(())
    }

    /// Memory of the program and those it started, each with its own share of what several use (PSS), bytes.
    pub(crate) fn memory(&self) -> Outcome<u64> {
        let mut sum = 0;
        for pid in family(self.child.id())? {
            // One that has just ended holds nothing.
            let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
            sum += kib(&text, "Pss:").unwrap_or(0);
        }
        if sum == 0 { Err(format!("{} is gone", self.name).into()) } else { Ok(sum * 1_024) }
    }

    /// The most memory that the program itself ever held (RSS), bytes.
    pub(crate) fn peak_memory(&self) -> Outcome<u64> {
        let text = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        Ok(kib(&text, "VmHWM:").ok_or_else(|| format!("{} is gone", self.name))? * 1_024)
    }

    /// Processor time that the program and those it started have used so far, to a hundredth of a second.
    pub(crate) fn cpu(&self) -> Outcome<Duration> {
        let own = Stat::of(self.child.id()).ok_or_else(|| format!("{} is gone", self.name))?;
        let mut ticks = own.used + own.used_by_ended_children;
        for pid in family(self.child.id())?.into_iter().skip(1) {
            ticks += Stat::of(pid).map_or(0, |stat| stat.used + stat.used_by_ended_children);
        }
        Ok(TICK * ticks)
    }

    /// Fails if the program has ended by itself.
    pub(crate) fn still_runs(&mut self) -> Outcome<()> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(status) => Err(format!("{} ended by itself: {status}", self.name).into()),
        }
    }

    /// Asks the program to end with `signal` and waits until it has.
    pub(crate) async fn stop(mut self, signal: &str) -> Outcome<()> {
        run(Command::new("kill").arg(format!("-{signal}")).arg(self.child.id().to_string()))?;
        let mut waited = Duration::ZERO;
        while self.child.try_wait()?.is_none() {
            if waited > PATIENCE {
                return Err(format!("{} does not end", self.name).into());
            }
            tokio::time::sleep(LOOK).await;
            waited += LOOK;
        }
        Ok(())
    }
}

/// A process and all that it started, itself first.
fn family(pid: u32) -> Outcome<Vec<u32>> {
    let mut parents = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let Some(other) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        if let Some(stat) = Stat::of(other) {
            parents.push((other, stat.parent));
        }
    }
    let mut members = vec![pid];
    let mut next = 0;
    while let Some(&member) = members.get(next) {
        members.extend(parents.iter().filter(|(_, parent)| *parent == member).map(|(child, _)| *child));
        next += 1;
    }
    Ok(members)
}

/// The figure of a row such as `Pss:   123 kB`.
fn kib(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|row| row.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

/// A port of this computer that is free at this moment; should someone take it before its user does, the run fails and
/// says so.
pub(crate) fn free_port() -> Outcome<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// What Linux says of a process, times in ticks.
struct Stat {
    parent: u32,
    used: u32,
    used_by_ended_children: u32,
}

impl Stat {
    /// None if there is no such process any more.
    fn of(pid: u32) -> Option<Self> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name in brackets may hold anything; after it come the state, the parent and, from the twelfth on, the times.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |n: usize| fields.get(n)?.parse::<u32>().ok();
        Some(Self {
            parent: number(1)?,
            used: number(11)? + number(12)?,
            used_by_ended_children: number(13)? + number(14)?,
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            // Too late to tell anyone; the run has failed already.
            drop(self.child.kill());
            drop(self.child.wait());
        }
    }
}

/// Runs `command` to its end and gives what it printed.
pub(crate) fn run(command: &mut Command) -> Outcome<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|cause| format!("{name} does not start: {cause}"))?;
    if output.status.success() {
        Ok(String::from_utf8(output.stdout)?)
    } else {
        Err(format!("{name} failed ({}): {}", output.status, String::from_utf8_lossy(&output.stderr).trim()).into())
    }
}

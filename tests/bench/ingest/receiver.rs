//! A peer that runs. Each round starts it with nothing stored, and asks it afterwards what it holds.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Command, time::Duration};

use serde_json::json;
use tokio::time::Instant;

use crate::{
    Outcome, Plan,
    held::{Held, Holds},
    load::{Form, Target},
    ours,
    peers::Peer,
    postgres::Postgres,
    process::{Process, free_port},
    svix,
};

/// Workers that gunicorn's documentation advises for two cores, and threads of each: together more than senders wait.
const WORKERS: usize = 5;
const THREADS: usize = 13;

/// A receiver that takes deliveries.
pub(crate) struct Receiver<'a> {
    peer: Peer,
    /// What answers, and what it needs besides, in the order in which they end.
    processes: Vec<Process>,
    holds: Holds,
    postgres: &'a Postgres,
    pub(crate) target: Target,
    /// From its start until it listened.
    pub(crate) started: Duration,
}

impl<'a> Receiver<'a> {
    /// Starts `peer` with an empty store; what it writes lies in `folder`, which must not exist.
    pub(crate) async fn start(
        plan: &Plan,
        peer: Peer,
        folder: &Path,
        postgres: &'a Postgres,
        secret: &str,
    ) -> Outcome<Self> {
        fs::create_dir(folder)?;
        let mut starting =
            Starting { plan, folder, postgres, secret, processes: Vec::new(), since: Instant::now(), token: None };
        let (address, holds) = starting.start(peer).await?;
        let mut target = Target::webhook(&address, secret)?;
        if let Some(token) = starting.token.take() {
            target.form = Form::Svix(token);
        }
        let started = starting.since.elapsed();
        Ok(Self { peer, processes: starting.processes, holds, postgres, target, started })
    }

    /// Processor time of the receiver and its store so far.
    pub(crate) fn cpu(&self) -> Outcome<Duration> {
        let mut used =
            if matches!(self.holds, Holds::Table | Holds::Svix) { self.postgres.cpu()? } else { Duration::ZERO };
        for process in &self.processes {
            used += process.cpu()?;
        }
        Ok(used)
    }

    /// Memory of what answers, its own share of what is shared (PSS), bytes.
    pub(crate) fn memory(&self) -> Outcome<u64> {
        self.processes.first().ok_or("nothing runs")?.memory()
    }

    /// The most memory that what answers ever held (RSS), bytes.
    pub(crate) fn peak_memory(&self) -> Outcome<u64> {
        self.processes.first().ok_or("nothing runs")?.peak_memory()
    }

    /// Ends the receiver and compares what it holds with what it accepted: every event of `sent` once, and every copy
    /// known as one, as far as it can tell. Reprise and the databases are asked while they run.
    ///
    /// # Errors
    /// If an arrival is lost, counted twice, or stands as what it is not.
    pub(crate) async fn finish(mut self, sent: &Held) -> Outcome<()> {
        for process in &mut self.processes {
            process.still_runs()?;
        }
        let early = if self.holds.only_once_ended() { None } else { Some(self.holds.read(Some(self.postgres))?) };
        for process in self.processes {
            process.stop("TERM").await?;
        }
        let held = match early {
            Some(held) => held,
            None => self.holds.read(Some(self.postgres))?,
        };
        held.fits(sent).map_err(|problem| format!("{} {problem}", self.peer.name()).into())
    }
}

/// A peer while it starts.
struct Starting<'a> {
    plan: &'a Plan,
    folder: &'a Path,
    postgres: &'a Postgres,
    secret: &'a str,
    processes: Vec<Process>,
    /// When the receiver itself was started; what it needs runs by then.
    since: Instant,
    /// What senders must show, where a receiver gives that out itself.
    token: Option<String>,
}

impl Starting<'_> {
    /// Gives the address that takes deliveries, and where to look for what came of them.
    async fn start(&mut self, peer: Peer) -> Outcome<(String, Holds)> {
        match peer {
            Peer::Reprise => {
                let data = self.folder.join("data");
                let address = self.named(self.plan.reprise(&data).args(["listen", "--on", "127.0.0.1:0"]))?;
                Ok((address, Holds::Log { program: self.plan.program(), data }))
            }
            Peer::Big => {
                let data = self.plan.copied_log();
                let holds = Holds::after_newest(&data)?;
                let address = self.named(self.plan.reprise(&data).args(["listen", "--on", "127.0.0.1:0"]))?;
                Ok((address, holds))
            }
            Peer::Node | Peer::NodeWide => {
                let mut command = Command::new("node");
                command.arg("--no-warnings").arg("tests/bench/peers/node-recipe.mjs").env("NODE_ENV", "production");
                if peer == Peer::NodeWide {
                    command.env("RECIPE_POOL", "64");
                }
                self.postgres.connect(&mut command);
                Ok((self.named(&mut command)?, Holds::Table))
            }
            Peer::Python => self.python().await,
            Peer::RedisAlways => self.redis("always").await,
            Peer::RedisEverysec => self.redis("everysec").await,
            Peer::Journal => {
                let file = self.folder.join("journal");
                let address = self.named(Self::ours("journal")?.env(ours::JOURNAL, &file))?;
                Ok((address, Holds::Bodies(file)))
            }
            Peer::NoStore => Ok((self.named(&mut Self::ours("no-store")?)?, Holds::Nothing)),
            Peer::Mitmdump => self.mitmdump().await,
            Peer::Webhook => self.webhook().await,
            Peer::Svix => self.svix().await,
        }
    }

    /// Starts a receiver that names its address by itself.
    fn named(&mut self, command: &mut Command) -> Outcome<String> {
        self.since = Instant::now();
        let (process, line) = Process::start_naming(command.env("POZY_WEBHOOK_SECRET", self.secret))?;
        self.processes.insert(0, process);
        Ok(line["receiver"].as_str().ok_or("the receiver named no address")?.to_owned())
    }

    /// Starts a program that listens where it is told to; its words go into a file.
    async fn told(&mut self, command: &mut Command, port: u16, log: &str) -> Outcome<()> {
        let log = fs::File::create(self.folder.join(log))?;
        self.since = Instant::now();
        let mut process = Process::start(command.stdout(log.try_clone()?).stderr(log))?;
        process.until_listening(port).await?;
        self.processes.insert(0, process);
        Ok(())
    }

    /// This program once more, as a receiver.
    fn ours(kind: &str) -> Outcome<Command> {
        let mut command = Command::new(std::env::current_exe()?);
        command.env(ours::VARIABLE, kind);
        Ok(command)
    }

    async fn python(&mut self) -> Outcome<(String, Holds)> {
        let programs = self.plan.python.as_ref().ok_or("no Python")?;
        let port = free_port()?;
        let mut command = Command::new(programs.join("gunicorn"));
        command
            .args(["--bind", &format!("127.0.0.1:{port}"), "--worker-class", "gthread", "--preload"])
            .args(["--workers", &WORKERS.to_string(), "--threads", &THREADS.to_string()])
            .args(["--chdir", "tests/bench/peers", "--no-control-socket", "python_recipe:app"])
            .env("RECIPE_THREADS", THREADS.to_string())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("POZY_WEBHOOK_SECRET", self.secret);
        self.postgres.connect(&mut command);
        self.told(&mut command, port, "gunicorn.log").await?;
        Ok((format!("http://127.0.0.1:{port}/hooks/pozy"), Holds::Table))
    }

    async fn redis(&mut self, appendfsync: &str) -> Outcome<(String, Holds)> {
        let port = free_port()?;
        let mut command = Command::new("redis-server");
        command.args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--dir"]).arg(self.folder).args([
            "--appendonly",
            "yes",
            "--appendfsync",
            appendfsync,
            "--save",
            "",
            "--daemonize",
            "no",
        ]);
        self.told(&mut command, port, "redis.log").await?;
        let address = self.named(Self::ours("redis")?.env(ours::REDIS, format!("127.0.0.1:{port}")))?;
        Ok((address, Holds::Redis(port)))
    }

    async fn mitmdump(&mut self) -> Outcome<(String, Holds)> {
        let upstream = self.named(&mut Self::ours("no-op")?)?;
        let upstream = upstream.trim_end_matches("/hooks/pozy").to_owned();
        let (port, flows) = (free_port()?, self.folder.join("flows"));
        let mut command = Command::new("mitmdump");
        command
            .args(["--quiet", "--listen-host", "127.0.0.1", "--listen-port", &port.to_string()])
            .args(["--mode", &format!("reverse:{upstream}"), "--save-stream-file"])
            .arg(&flows)
            .args(["--set", &format!("confdir={}", self.folder.join("mitmproxy").display())]);
        self.told(&mut command, port, "mitmdump.log").await?;
        Ok((format!("http://127.0.0.1:{port}/hooks/pozy"), Holds::Flows(flows)))
    }

    async fn webhook(&mut self) -> Outcome<(String, Holds)> {
        let (port, ids, hooks) = (free_port()?, self.folder.join("ids"), self.folder.join("hooks.json"));
        fs::write(&ids, "")?;
        let told = |text: &str| json!({ "source": "string", "name": text });
        let hook = json!([{
            "id": "pozy",
            "execute-command": "/bin/sh",
            "pass-arguments-to-command": [
                told("-c"), told(r#"printf '%s\n' "$1" >>"$0""#), told(&ids.display().to_string()),
                { "source": "payload", "name": "id" }
            ],
            // The answer waits for the command; otherwise nothing would be kept when it leaves.
            "include-command-output-in-response": true,
            "success-http-response-code": 204,
            "trigger-rule-mismatch-http-response-code": 401,
            "trigger-rule": { "match": {
                "type": "payload-hmac-sha256",
                "secret": self.secret,
                "parameter": { "source": "header", "name": "X-Pozy-Signature" }
            } }
        }]);
        fs::write(&hooks, "")?;
        fs::set_permissions(&hooks, fs::Permissions::from_mode(0o600))?;
        fs::write(&hooks, hook.to_string())?;
        let mut command = Command::new("webhook");
        command.args(["-ip", "127.0.0.1", "-port", &port.to_string(), "-hooks"]).arg(&hooks);
        self.told(&mut command, port, "webhook.log").await?;
        Ok((format!("http://127.0.0.1:{port}/hooks/pozy"), Holds::Lines(ids)))
    }

    async fn svix(&mut self) -> Outcome<(String, Holds)> {
        let (port, folder) = (free_port()?, self.folder);
        let log = fs::File::create(folder.join("svix.log"))?;
        let begun = async |command: &mut Command| {
            let mut process = Process::start(command.stdout(log.try_clone()?).stderr(log.try_clone()?))?;
            process.until_listening(port).await?;
            Ok(process)
        };
        let started = svix::start(self.postgres, port, self.secret, folder, begun).await?;
        self.processes.insert(0, started.process);
        self.token = Some(started.token);
        Ok((started.address, Holds::Svix))
    }
}

//! A PostgreSQL of our own for the peers that need one: on loopback, in a data folder of this run, with the settings
//! that it ships with, under an account without privileges.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, chown},
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use crate::{
    Outcome,
    process::{Process, free_port, run},
};

const USER: &str = "bench";
/// The account that Debian makes for PostgreSQL, which refuses to run as root.
const SYSTEM_USER: &str = "postgres";
const STARTS_WITHIN: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(100);

pub(crate) struct Postgres {
    process: Process,
    programs: PathBuf,
    port: u16,
    password: String,
}

impl Postgres {
    /// Makes a database in `folder`, which must not exist, and starts its server from the programs in `programs`.
    pub(crate) async fn start(programs: &Path, folder: &Path, password: &str) -> Outcome<Self> {
        fs::create_dir(folder)?;
        let pass_file = folder.join("password");
        fs::write(&pass_file, password)?;
        fs::set_permissions(&pass_file, fs::Permissions::from_mode(0o600))?;
        let as_root = run(Command::new("id").arg("-u"))?.trim() == "0";
        if as_root {
            let id =
                |kind: &str| -> Outcome<u32> { Ok(run(Command::new("id").args([kind, SYSTEM_USER]))?.trim().parse()?) };
            let (user, group) = (id("-u")?, id("-g")?);
            chown(folder, Some(user), Some(group))?;
            chown(&pass_file, Some(user), Some(group))?;
        }
        let program = |name: &str| {
            let path = programs.join(name);
            if as_root {
                let mut command = Command::new("setpriv");
                command.args(["--reuid", SYSTEM_USER, "--regid", SYSTEM_USER, "--init-groups"]).arg(path);
                command
            } else {
                Command::new(path)
            }
        };
        let data = folder.join("data");
        run(program("initdb")
            .current_dir(folder)
            .args(["--username", USER, "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8", "--pwfile"])
            .arg(&pass_file)
            .arg("--pgdata")
            .arg(&data))?;

        let port = free_port()?;
        let log = fs::File::create(folder.join("log"))?;
        let process = Process::start(
            program("postgres")
                .current_dir(folder)
                .arg("-D")
                .arg(&data)
                .args(["-h", "127.0.0.1", "-p", &port.to_string(), "-k", ""])
                .stdout(log.try_clone()?)
                .stderr(log),
        )?;
        let mut server = Self { process, programs: programs.to_owned(), port, password: password.to_owned() };
        server.wait_until_ready().await?;
        Ok(server)
    }

    async fn wait_until_ready(&mut self) -> Outcome<()> {
        let mut waited = Duration::ZERO;
        while let Err(cause) = self.ask("SELECT 1") {
            self.process.still_runs()?;
            if waited > STARTS_WITHIN {
                return Err(cause);
            }
            tokio::time::sleep(LOOK).await;
            waited += LOOK;
        }
        Ok(())
    }

    /// Gives `command` the connection, as the variables that PostgreSQL's own programs and libraries read.
    pub(crate) fn connect(&self, command: &mut Command) {
        command
            .env("PGHOST", "127.0.0.1")
            .env("PGPORT", self.port.to_string())
            .env("PGUSER", USER)
            .env("PGPASSWORD", &self.password)
            .env("PGDATABASE", "postgres");
    }

    /// The connection as an address.
    pub(crate) fn address(&self) -> String {
        format!("postgresql://{USER}:{}@127.0.0.1:{}/postgres", self.password, self.port)
    }

    /// The rows that `sql` gives, one a line.
    pub(crate) fn ask(&self, sql: &str) -> Outcome<Vec<String>> {
        let mut command = Command::new(self.programs.join("psql"));
        self.connect(&mut command);
        let rows = run(command.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--command", sql]))?;
        Ok(rows.lines().map(str::to_owned).collect())
    }

    /// Processor time of the server and its connections so far.
    pub(crate) fn cpu(&self) -> Outcome<Duration> {
        self.process.cpu()
    }

    /// Ends the server; it disconnects whoever is left.
    pub(crate) async fn stop(self) -> Outcome<()> {
        self.process.stop("INT").await
    }
}

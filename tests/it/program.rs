//! The real headless program as a child process, on a fresh log, with `HOME` and the XDG folders inside the same
//! temporary folder, so that nothing of the machine gets in and nothing gets out.

use std::{
    collections::BTreeMap,
    env,
    ffi::OsStr,
    fs::{self, File},
    io::{BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, RecvTimeoutError, channel},
    },
    thread,
    time::Duration,
};

use serde_json::Value;
use tempfile::TempDir;

/// How long a command may take, and how long a background command may take to its first line.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A place to run the program in: its folders and its environment. Everything is gone when it is dropped.
pub(crate) struct Place {
    root: TempDir,
    program: PathBuf,
    env: BTreeMap<String, String>,
    /// Commands run as a user who owns nothing here.
    stranger: bool,
    /// No file may grow larger for them, KiB.
    limit: Option<u32>,
    /// Commands that said one of the program's own secrets.
    told: Arc<AtomicU64>,
    /// How long a command may take.
    patience: Duration,
}

/// What a command left behind when it ended.
#[derive(Clone, Debug)]
pub(crate) struct Ran {
    /// Exit code; absent if a signal ended it.
    pub(crate) exit: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Place {
    /// A fresh place for this build's `reprise`.
    pub(crate) fn new() -> Self {
        Self::of(Path::new(env!("CARGO_BIN_EXE_reprise")))
    }

    /// A fresh place for another program; the runner's own tests play with one whose output is known.
    pub(crate) fn of(program: &Path) -> Self {
        let root = TempDir::new().expect("a temporary folder");
        let mut place = Self {
            program: program.to_owned(),
            env: BTreeMap::new(),
            stranger: false,
            limit: None,
            told: Arc::default(),
            patience: PATIENCE,
            root,
        };
        for (name, folder) in [
            ("HOME", "home"),
            ("XDG_DATA_HOME", "home/data"),
            ("XDG_CONFIG_HOME", "home/config"),
            ("XDG_STATE_HOME", "home/state"),
            ("XDG_CACHE_HOME", "home/cache"),
            ("XDG_RUNTIME_DIR", "home/run"),
        ] {
            let path = place.path(folder);
            fs::create_dir_all(&path).expect("a folder in the temporary one");
            place.set(name, &path.display().to_string());
        }
        fs::create_dir_all(place.files()).expect("a folder in the temporary one");
        place.set("TZ", "UTC");
        place.set("LANG", "C.UTF-8");
        for name in ["PATH", "RUST_BACKTRACE", "LLVM_PROFILE_FILE"] {
            if let Ok(value) = env::var(name) {
                place.set(name, &value);
            }
        }
        place
    }

    /// Sets a variable for every later command.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.env.insert(name.to_owned(), value.to_owned());
    }

    /// Gives every later command this long, for logs that are long.
    pub(crate) fn wait_longer(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// A variable that was set.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.env.get(name).map_or("", String::as_str)
    }

    /// True if one of the program's own secrets stands in words of it.
    pub(crate) fn tells(&self, words: &str) -> bool {
        self.secrets().any(|secret| words.contains(secret))
    }

    /// A path inside the temporary folder.
    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.path().join(name)
    }

    /// The folder in which commands run and their input files lie.
    pub(crate) fn files(&self) -> PathBuf {
        self.path("files")
    }

    /// Where the program keeps what it knows of logs outside their folders.
    pub(crate) fn cards(&self) -> PathBuf {
        self.path("home/state/reprise/logs")
    }

    /// The default data folder.
    pub(crate) fn data(&self) -> PathBuf {
        self.path("data")
    }

    /// Has every later command meet the modes of files. Nothing stops root, so where the tests run as root it is done
    /// as somebody else.
    #[cfg(unix)]
    pub(crate) fn meet_modes(&mut self) {
        self.stranger = fs::write(self.data().join("as-root"), "").is_ok();
        drop(fs::remove_file(self.data().join("as-root")));
    }

    /// Has every write of later commands fail that would make a file larger than so many KiB, as on a full disk.
    #[cfg(unix)]
    pub(crate) fn limit_files(&mut self, kib: Option<u32>) {
        self.limit = kib;
    }

    /// What the program was given and must not tell.
    fn secrets(&self) -> impl Iterator<Item = &str> {
        ["POZY_API_KEY", "POZY_WEBHOOK_SECRET"].into_iter().filter_map(|name| self.env.get(name).map(String::as_str))
    }

    /// In how many files here, and in the words of how many commands that ended, one of the program's own secrets stands.
    pub(crate) fn leaks(&self) -> u64 {
        let secrets: Vec<&[u8]> = self.secrets().map(str::as_bytes).collect();
        let mut folders = vec![self.root.path().to_owned()];
        let mut found = self.told.load(Ordering::Relaxed);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if let Ok(bytes) = fs::read(&path) {
                    let has = |secret: &&[u8]| bytes.windows(secret.len()).any(|part| part == *secret);
                    found += u64::from(secrets.iter().any(has));
                }
            }
        }
        found
    }

    fn command<S: AsRef<OsStr>>(&self, args: &[S]) -> Command {
        let mut command = match self.limit {
            None => Command::new(&self.program),
            Some(kib) => {
                let mut shell = Command::new("bash");
                shell.args(["-c", "trap '' XFSZ; ulimit -f \"$0\"; exec \"$@\"", &kib.to_string()]).arg(&self.program);
                shell
            }
        };
        #[cfg(unix)]
        if self.stranger {
            use std::os::unix::process::CommandExt as _;
            command.uid(65_534).gid(65_534);
        }
        command.args(args).current_dir(self.files()).env_clear().envs(&self.env).stdin(Stdio::null());
        command
    }

    /// Runs a command to its end.
    ///
    /// # Errors
    /// A sentence if it does not start or does not end in time.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<Ran, String> {
        let mut child = self
            .command(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|cause| format!("{} does not start: {cause}", self.program.display()))?;
        let (tell, told) = channel();
        let mut out = child.stdout.take().expect("a piped output");
        let mut err = child.stderr.take().expect("a piped output");
        let errors = thread::spawn(move || {
            let mut bytes = Vec::new();
            err.read_to_end(&mut bytes).map(|_| bytes)
        });
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = out.read_to_end(&mut bytes).map(|_| bytes);
            // Nobody listens any more once the time is over.
            let _ = tell.send(read);
        });
        let Ok(out) = told.recv_timeout(self.patience) else {
            end(&mut child);
            return Err(format!("it did not end within {} s", self.patience.as_secs()));
        };
        let status = child.wait().map_err(|cause| cause.to_string())?;
        let err = errors.join().map_err(|_| "its standard error could not be read".to_owned())?;
        let text = |bytes: std::io::Result<Vec<u8>>| {
            bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).map_err(|cause| cause.to_string())
        };
        let ran = Ran { exit: status.code(), out: text(out)?, err: text(err)? };
        if self.tells(&ran.out) || self.tells(&ran.err) {
            self.told.fetch_add(1, Ordering::Relaxed);
        }
        Ok(ran)
    }

    /// Runs a command that must end with 0 on the default data folder and gives its JSON lines.
    pub(crate) fn lines<S: AsRef<OsStr>>(&self, args: &[S]) -> Vec<Value> {
        let data = self.data();
        let mut all: Vec<&OsStr> = args.iter().map(AsRef::as_ref).collect();
        all.extend(["--json".as_ref(), "--data".as_ref(), data.as_os_str()]);
        let ran = self.run(&all).expect("the program runs");
        assert_eq!(ran.exit, Some(0), "{all:?}: {}", ran.err);
        json_lines(&ran.out).expect("JSON lines")
    }

    /// Starts a command in the background; what it says on standard error goes to a file called after `name`.
    ///
    /// # Errors
    /// A sentence if it does not start.
    pub(crate) fn start<S: AsRef<OsStr>>(&self, name: &str, args: &[S]) -> Result<Running, String> {
        let complaints = self.path(format!("{name}.stderr"));
        let mut child = File::options()
            .create(true)
            .append(true)
            .open(&complaints)
            .and_then(|err| self.command(args).stdout(Stdio::piped()).stderr(err).spawn())
            .map_err(|cause| format!("{} does not start: {cause}", self.program.display()))?;
        let out = BufReader::new(child.stdout.take().expect("a piped output"));
        let (tell, lines) = channel();
        // A sandbox says its own key and secret, which open nothing.
        let is_sandbox = args.iter().any(|word| word.as_ref() == "sandbox");
        let secrets: Vec<String> = self.secrets().filter(|_| !is_sandbox).map(str::to_owned).collect();
        let told = Arc::clone(&self.told);
        thread::spawn(move || {
            for line in out.lines() {
                let Ok(line) = line else { break };
                if secrets.iter().any(|secret| line.contains(secret)) {
                    told.fetch_add(1, Ordering::Relaxed);
                }
                // Reads on when nobody listens, so that the program never stands before a full pipe.
                let _ = tell.send(line);
            }
        });
        Ok(Running { child, lines, complaints })
    }

    /// Starts a command in the background on the default data folder, with `--json`.
    pub(crate) fn background<S: AsRef<OsStr>>(&self, name: &str, args: &[S]) -> Running {
        let data = self.data();
        let mut all: Vec<&OsStr> = args.iter().map(AsRef::as_ref).collect();
        all.extend(["--json".as_ref(), "--data".as_ref(), data.as_os_str()]);
        self.start(name, &all).expect("the program starts")
    }
}

/// A command that runs in the background. Dropping it kills it.
pub(crate) struct Running {
    child: Child,
    lines: Receiver<String>,
    complaints: PathBuf,
}

impl Running {
    /// The first JSON line it prints.
    ///
    /// # Errors
    /// A sentence with what it said on standard error, if it ends or keeps silent instead.
    pub(crate) fn first_line(&mut self) -> Result<Value, String> {
        let line = self.lines.recv_timeout(PATIENCE).map_err(|problem| {
            let said = fs::read_to_string(&self.complaints).unwrap_or_default();
            match problem {
                RecvTimeoutError::Timeout => format!("a first line was expected, it keeps silent: {said}"),
                RecvTimeoutError::Disconnected => format!("a first line was expected, it ended: {said}"),
            }
        })?;
        serde_json::from_str(&line).map_err(|cause| format!("its first line is no JSON ({cause}): {line}"))
    }

    /// Lines that it printed since it was last asked.
    pub(crate) fn printed(&self) -> Vec<String> {
        self.lines.try_iter().collect()
    }

    /// Its process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends it as a power cut would (kill -9), and waits until it is gone.
    pub(crate) fn kill(&mut self) {
        end(&mut self.child);
    }

    /// True until it has ended.
    pub(crate) fn runs(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Asks it to stop and waits for its end.
    ///
    /// # Errors
    /// A sentence if it does not stop in time.
    pub(crate) fn stop(&mut self) -> Result<Option<i32>, String> {
        let id = self.child.id().to_string();
        Command::new("sh")
            .args(["-c", "kill -TERM \"$0\"", &id])
            .stderr(Stdio::null())
            .status()
            .map_err(|cause| cause.to_string())?;
        // Its output ends with it; what it still prints until then is of no interest.
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => return Err("it was asked to stop and runs on".to_owned()),
            }
        }
        self.child.wait().map(|status| status.code()).map_err(|cause| cause.to_string())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

fn end(child: &mut Child) {
    // It may have ended by itself; either way it is gone afterwards.
    let _ = child.kill();
    let _ = child.wait();
}

/// The JSON objects in `text`, one a line; empty lines do not count.
///
/// # Errors
/// A sentence that names the first line that is no JSON object.
pub(crate) fn json_lines(text: &str) -> Result<Vec<Value>, String> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(at, line)| {
            serde_json::from_str::<Value>(line)
                .ok()
                .filter(Value::is_object)
                .ok_or_else(|| format!("line {} is no JSON object: {line}", at + 1))
        })
        .collect()
}

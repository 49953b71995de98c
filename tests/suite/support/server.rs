//! The real program for a test: `turnkeeper` on a free port, gone with the value.
//!
//! It can be killed and started again while clients use it: they ask for its [`Server::url`] anew each time.

use super::redis::RedisServer;
use super::secrets;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// One process of the program.
#[must_use = "the server is killed when this is dropped"]
pub struct Server {
    program: PathBuf,
    settings: Vec<(String, String)>,
    directory: TempDir,
    running: Mutex<Running>,
}

struct Running {
    process: Option<Child>,
    /// CacheEntry open: a program that prints to nobody would fail.
    output: Option<BufReader<ChildStdout>>,
    url: String,
}

impl Server {
    /// One that shares a Redis.
    pub fn on(redis: &RedisServer) -> Self {
        Self::with(&[("REDIS_URL", &redis.url())])
    }

    /// One with an embedded store of its own.
    pub fn embedded() -> Self {
        Self::with(&[])
    }

    /// One with these settings, as environment variables; without a store among them it is an embedded one.
    pub fn with(settings: &[(&str, &str)]) -> Self {
        Self::run(env!("CARGO_BIN_EXE_turnkeeper").into(), settings)
    }

    /// Another program that greets as ours does.
    pub fn run(program: PathBuf, settings: &[(&str, &str)]) -> Self {
        let settings = settings.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let directory = TempDir::new().expect("a temporary directory");
        let running = Mutex::new(Running { process: None, output: None, url: String::new() });
        let server = Self { program, settings, directory, running };
        server.again();
        server
    }

    /// Where it serves now, such as `http://127.0.0.1:40123`.
    pub fn url(&self) -> String {
        self.running.lock().expect("no panic before").url.clone()
    }

    /// Starts it (again), on another port.
    pub fn again(&self) {
        let mut running = self.running.lock().expect("no panic before");
        assert!(running.process.is_none(), "it runs already");
        let mut command = Command::new(&self.program);
        command.env_clear().env("TURNKEEPER_LISTEN", "127.0.0.1:0");
        if cfg!(test) {
            // Whatever could tell a secret is to tell it; benches want the usual.
            command.env("TURNKEEPER_LOG", "debug");
        }
        command.env("TURNKEEPER_DATA", self.directory.path().join("data"));
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(self.log_file());
        let mut process = command.spawn().expect("the program starts");
        let mut greeting = String::new();
        let mut output = BufReader::new(process.stdout.take().expect("its output"));
        output.read_line(&mut greeting).expect("its first line");
        match greeting.trim_end().rsplit_once(" serves on ") {
            Some((_, url)) => *running = Running { process: Some(process), output: Some(output), url: url.to_owned() },
            None => panic!("it does not serve: {greeting}{:?}\n{}", process.wait(), self.log()),
        }
    }

    fn log_file(&self) -> File {
        OpenOptions::new().create(true).append(true).open(self.log_path()).expect("a log file")
    }

    fn log_path(&self) -> PathBuf {
        self.directory.path().join("log")
    }

    /// What it has logged since it was started for the first time.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.log_path()).expect("its log")
    }

    /// The number of its process.
    pub fn pid(&self) -> u32 {
        self.running.lock().expect("no panic before").process.as_ref().expect("a running server").id()
    }

    /// Kills it, as a crash would.
    pub fn kill(&self) {
        let mut process = self.taken();
        process.kill().expect("a living process");
        process.wait().expect("its end");
    }

    /// Kills it and starts it again.
    pub fn crash(&self) {
        self.kill();
        self.again();
    }

    /// Asks it to end, and returns at once.
    pub fn terminate(&self) {
        let kill = format!("kill -TERM {}", self.pid());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("a shell").success(), "{kill}");
    }

    /// Waits for its end, `patience` at most.
    #[track_caller]
    pub fn ended(&self, patience: Duration) -> ExitStatus {
        let mut process = self.taken();
        let until = Instant::now() + patience;
        loop {
            if let Some(status) = process.try_wait().expect("its state") {
                return status;
            }
            if Instant::now() > until {
                let _ = process.kill();
                panic!("it does not end within {patience:?}\n{}", self.log());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn taken(&self) -> Child {
        let mut running = self.running.lock().expect("no panic before");
        running.output = None;
        running.process.take().expect("a running server")
    }

    /// Its resident memory, in KiB. Without optimisation most of it is the program's own text, as large as ten released ones:
    /// then only what it has allocated.
    pub fn resident(&self) -> u64 {
        let field = if cfg!(debug_assertions) { "RssAnon:" } else { "VmRSS:" };
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).expect("a running process");
        let line = status.lines().find_map(|line| line.strip_prefix(field)).expect("a size");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Ok(running) = self.running.get_mut()
            && let Some(mut process) = running.process.take()
        {
            // It may have ended by itself.
            let _ = process.kill();
            let _ = process.wait();
        }
        secrets::none_in(&self.log());
    }
}

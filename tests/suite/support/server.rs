//! The real program on a free port. It can be killed and started again: clients ask for its
//! [`Server::client`] anew each time.

use super::client::Client;
use super::process::{self, Process};
use super::redis::RedisServer;
use super::secrets;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::time::Duration;
use tempfile::TempDir;

/// One process of the program.
#[must_use = "the server is killed when this is dropped"]
pub struct Server {
    /// None for the program of this tree.
    program: Option<PathBuf>,
    /// Environment variables.
    pub settings: Vec<(String, String)>,
    pub directory: TempDir,
    running: Mutex<Option<Running>>,
}

struct Running {
    process: Process,
    /// Stays open: the program fails to print to a closed pipe.
    output: BufReader<ChildStdout>,
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

    /// One with these environment variables; its store is embedded unless they name one.
    pub fn with(settings: &[(&str, &str)]) -> Self {
        Self::run(None, settings)
    }

    /// This program or another one that greets as it does.
    pub fn run(program: Option<PathBuf>, settings: &[(&str, &str)]) -> Self {
        let program = program.map(|program| std::path::absolute(program).expect("a path"));
        let settings = settings
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect();
        let directory = TempDir::new().expect("a temporary directory");
        let server = Self {
            program,
            settings,
            directory,
            running: Mutex::default(),
        };
        server.again();
        server
    }

    fn running<T>(&self, with: impl FnOnce(&mut Running) -> T) -> T {
        with(
            self.running
                .lock()
                .expect("no panic before")
                .as_mut()
                .expect("a running server"),
        )
    }

    /// Where it serves now, such as `http://127.0.0.1:40123`.
    pub fn url(&self) -> String {
        self.running(|running| running.url.clone())
    }

    /// A client of the running server.
    pub fn client(&self) -> Client {
        Client::at(&self.url())
    }

    fn command(&self) -> Command {
        let directory = self.directory.path();
        let Some(program) = &self.program else {
            return process::turnkeeper(directory);
        };
        let mut command = Command::new(program);
        process::isolate(command.env_clear(), directory);
        command
    }

    /// Starts it (again), on another port.
    pub fn again(&self) {
        let mut running = self.running.lock().expect("no panic before");
        assert!(running.is_none(), "it runs already");
        let mut command = self.command();
        if cfg!(test) {
            // Every log line is searched for secrets; benchmarks log as usual.
            command.env("TURNKEEPER_LOG", "debug");
        }
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
        let log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.directory.path().join("log"));
        let mut process = Process::start(
            command
                .stdout(Stdio::piped())
                .stderr(log.expect("a log file")),
        );
        let mut greeting = String::new();
        let mut output = BufReader::new(process.0.stdout.take().expect("its output"));
        output.read_line(&mut greeting).expect("its first line");
        match greeting.trim_end().rsplit_once(" serves on ") {
            Some((_, url)) => {
                *running = Some(Running {
                    process,
                    output,
                    url: url.to_owned(),
                });
            }
            None => panic!(
                "it does not serve: {greeting}{:?}\n{}",
                process.0.wait(),
                self.log()
            ),
        }
    }

    /// What it prints below its first line.
    pub fn greeting(&self) -> String {
        let mut greeting = String::new();
        while !greeting.contains("curl") {
            let read = self.running(|running| running.output.read_line(&mut greeting));
            assert_ne!(
                read.expect("text"),
                0,
                "the greeting ends early: {greeting}"
            );
        }
        greeting
    }

    /// What it has logged since it was started for the first time.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.directory.path().join("log")).expect("its log")
    }

    /// The number of its process.
    pub fn pid(&self) -> u32 {
        self.running(|running| running.process.0.id())
    }

    /// Kills it, as a crash does.
    pub fn kill(&self) {
        drop(self.running.lock().expect("no panic before").take());
    }

    /// Kills it and starts it again.
    pub fn crash(&self) {
        self.kill();
        self.again();
    }

    /// Asks it to end, and returns at once.
    pub fn terminate(&self) {
        self.signal("TERM");
    }

    /// Sends it a signal such as `STOP` or `CONT`.
    pub fn signal(&self, signal: &str) {
        self.running(|running| running.process.signal(signal));
    }

    /// Waits for its end, at most `timeout`.
    #[track_caller]
    pub fn ended(&self, timeout: Duration) -> ExitStatus {
        let ended = self.running(|running| running.process.ended(timeout));
        self.kill();
        ended.unwrap_or_else(|| panic!("it does not end within {timeout:?}\n{}", self.log()))
    }

    /// The processor time that it has taken, in hundredths of a second.
    pub fn processor_time(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid()))
            .expect("a running process");
        let fields = stat
            .rsplit(')')
            .next()
            .expect("fields behind the name")
            .split_whitespace();
        fields
            .skip(11)
            .take(2)
            .map(|time| time.parse::<u64>().expect("a number"))
            .sum()
    }

    /// Its resident memory in KiB. A debug build counts only allocated memory, because its own text
    /// takes most of the rest.
    pub fn resident(&self) -> u64 {
        self.memory(if cfg!(debug_assertions) {
            "RssAnon:"
        } else {
            "VmRSS:"
        })
    }

    /// The most resident memory that it has had, in KiB. A debug build counts without its own text.
    pub fn peak(&self) -> u64 {
        let text = if cfg!(debug_assertions) {
            self.memory("RssFile:")
        } else {
            0
        };
        self.memory("VmHWM:").saturating_sub(text)
    }

    /// A field of its memory, in KiB.
    fn memory(&self, field: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid()))
            .expect("a running process");
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix(field))
            .expect("a size");
        line.trim()
            .trim_end_matches(" kB")
            .parse()
            .expect("a number")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        secrets::none_in(&self.log());
    }
}

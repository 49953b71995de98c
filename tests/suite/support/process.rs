//! Processes that tests start, and waiting for what they do.

use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Waits until `done`, at most `timeout`; whether it was done in time.
pub fn wait(timeout: Duration, mut done: impl FnMut() -> bool) -> bool {
    let until = Instant::now() + timeout;
    while !done() {
        if Instant::now() > until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

const PROGRAM: &str = env!("CARGO_BIN_EXE_turnkeeper");

/// The program with an empty environment, in a folder of its own: see [`isolate`].
pub fn turnkeeper(directory: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    isolate(command.env_clear(), directory);
    command
}

/// The folders that commands are looked for in, the program's first.
pub fn search_path() -> String {
    let directory = Path::new(PROGRAM)
        .parent()
        .expect("the program's folder")
        .display();
    format!("{directory}:{}", std::env::var("PATH").expect("a PATH"))
}

/// Keeps what a command starts away from the data in the folder of the tests, and from a server
/// that runs already: it works in a folder of the test's, stores there, and takes a free port.
pub fn isolate(command: &mut Command, directory: &Path) {
    command.current_dir(directory);
    command
        .env("TURNKEEPER_LISTEN", "127.0.0.1:0")
        .env("TURNKEEPER_DATA", directory.join("data"));
}

/// A child process, killed when this is dropped.
#[derive(Debug)]
#[must_use = "the process is killed when this is dropped"]
pub struct Process(pub Child);

impl Process {
    /// Starts a program without input.
    pub fn start(command: &mut Command) -> Self {
        let started = command.stdin(Stdio::null()).spawn();
        Self(started.unwrap_or_else(|error| {
            panic!("cannot run {command:?} ({error}): run tests/setup first")
        }))
    }

    /// Sends a signal such as `TERM`, `STOP` or `CONT`.
    pub fn signal(&self, signal: &str) {
        // The shell's own kill: a small system has no other.
        let kill = format!("kill -{signal} {}", self.0.id());
        assert!(
            Command::new("sh")
                .args(["-c", &kill])
                .status()
                .expect("a shell")
                .success(),
            "{kill}"
        );
    }

    /// How it ended; None while it runs.
    pub fn status(&mut self) -> Option<ExitStatus> {
        self.0.try_wait().expect("its state")
    }

    /// Waits for its end, at most `timeout`.
    pub fn ended(&mut self, timeout: Duration) -> Option<ExitStatus> {
        wait(timeout, || self.status().is_some());
        self.status()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

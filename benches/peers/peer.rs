//! Processes to measure: a peer is a process group, because some start others.

use super::figures::process_cpu;
use super::support::process::Process;
use super::support::redis::free_port;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{ChildStdout, Command, Stdio};
use tempfile::TempDir;

/// A running peer, killed with all that it started when this is dropped.
pub struct Peer {
    pub url: String,
    process: Process,
    /// Stays open: ours fails to print to a closed pipe.
    _output: BufReader<ChildStdout>,
    _data: TempDir,
}

impl Peer {
    /// Starts a program that says on which address it serves.
    pub fn start(command: &mut Command) -> Self {
        let data = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
        let log = std::fs::File::create(data.path().join("log")).expect("a log file");
        let store = data.path().join("store");
        command
            .env("DATA", &store)
            .env("TURNKEEPER_DATA", &store)
            .env("TURNKEEPER_LISTEN", "127.0.0.1:0");
        let mut process =
            Process::start(command.process_group(0).stdout(Stdio::piped()).stderr(log));
        let mut output = BufReader::new(process.0.stdout.take().expect("its output"));
        let mut line = String::new();
        let url = loop {
            line.clear();
            let read = output.read_line(&mut line).expect("a line");
            let log = || std::fs::read_to_string(data.path().join("log")).unwrap_or_default();
            assert!(read > 0, "it does not serve: {command:?}\n{}", log());
            if let Some((_, url)) = line.trim_end().rsplit_once(" serves on ") {
                break url.to_owned();
            }
        };
        Self {
            url,
            process,
            _output: output,
            _data: data,
        }
    }

    /// Starts a script of this folder, with the packages that `run` has installed, and a Redis if
    /// it is to keep its state there.
    pub fn script(file: &str, combatants: usize, redis: Option<String>) -> Self {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/peers");
        let mut node = Command::new("node");
        node.arg(format!("{folder}/{file}")).env(
            "PACKAGES",
            concat!(env!("CARGO_MANIFEST_DIR"), "/target/peers"),
        );
        node.env("NODE_ENV", "production")
            .env("RESTATE_LOGGING", "ERROR");
        node.env("COMBATANTS", combatants.to_string())
            .env("PORT", free_port().to_string());
        Self::start(node.envs(redis.map(|url| ("REDIS_URL", url))))
    }

    /// The processor time that its processes have used, in microseconds.
    pub fn cpu(&self) -> f64 {
        let group = self.process.0.id().to_string();
        let of_group = |pid: &String| {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            stat.rsplit(") ")
                .next()
                .and_then(|rest| rest.split(' ').nth(2))
                == Some(&group)
        };
        let names = std::fs::read_dir("/proc").expect("/proc").flatten();
        let pids = names.filter_map(|entry| entry.file_name().into_string().ok());
        pids.filter(|name| name.bytes().all(|b| b.is_ascii_digit()))
            .filter(of_group)
            .map(|pid| process_cpu(&pid))
            .sum()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let kill = format!("kill -KILL -{}", self.process.0.id());
        // It may have ended by itself.
        let _ = Command::new("sh").args(["-c", &kill]).status();
    }
}

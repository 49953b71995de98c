//! A real Redis: `redis-server` from the PATH (or `REDIS_SERVER`) on a free port.

use super::process::{Process, wait};
use redis::{FromRedisValue, from_redis_value};
use std::fs::File;
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// What makes a Redis keep every acknowledged write when it is killed.
pub const DURABLE: [&str; 4] = ["--appendonly", "yes", "--appendfsync", "always"];

/// One server; it keeps nothing on disk unless it is [`DURABLE`].
#[must_use = "the server is killed when this is dropped"]
pub struct RedisServer {
    port: u16,
    settings: Vec<String>,
    directory: TempDir,
    process: Option<Process>,
}

impl RedisServer {
    /// Starts one.
    pub fn start() -> Self {
        Self::with(&[])
    }

    /// Starts one with more settings, as on redis-server's command line.
    pub fn with(settings: &[&str]) -> Self {
        Self::on(free_port(), settings)
    }

    /// Starts one on this port.
    pub fn on(port: u16, settings: &[&str]) -> Self {
        let mut server = Self {
            port,
            ..Self::not_started()
        };
        server.settings = settings.iter().map(|&setting| setting.to_owned()).collect();
        server.again();
        server
    }

    /// One that is not started: its URL refuses connections.
    pub fn not_started() -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        Self {
            port: free_port(),
            settings: Vec::new(),
            directory,
            process: None,
        }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Starts it on its port (again), and waits until it answers.
    pub fn again(&mut self) {
        assert!(self.process.is_none(), "it runs already");
        let path = self.directory.path().join("log");
        let log = File::create(&path).expect("a log file");
        let mut command = Command::new(
            std::env::var("REDIS_SERVER").unwrap_or_else(|_| "redis-server".to_owned()),
        );
        // A TLS server has its port in its settings.
        let tls = self.settings.iter().any(|setting| setting == "--tls-port");
        let port = if tls { 0 } else { self.port };
        command.args([
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--daemonize",
            "no",
            "--port",
            &port.to_string(),
        ]);
        command
            .arg("--dir")
            .arg(self.directory.path())
            .args(&self.settings);
        command
            .stdout(log.try_clone().expect("the log file"))
            .stderr(log);
        let mut process = Process::start(&mut command);
        let listens = || TcpStream::connect(("127.0.0.1", self.port)).is_ok();
        let up = || listens() && (tls || self.try_command(&["PING"]).is_ok());
        if !wait(Duration::from_secs(10), || {
            up() || process.status().is_some()
        }) || process.status().is_some()
        {
            panic!(
                "redis-server does not come up: {}",
                std::fs::read_to_string(path).unwrap_or_default()
            );
        }
        self.process = Some(process);
    }

    fn try_command(&self, words: &[&str]) -> redis::RedisResult<redis::Value> {
        let client = redis::Client::open(self.url())?;
        let mut command = redis::cmd(words[0]);
        command.arg(&words[1..]);
        command.query(&mut client.get_connection_with_timeout(Duration::from_secs(2))?)
    }

    /// Runs a command over a connection of its own.
    #[track_caller]
    pub fn command(&self, words: &[&str]) -> redis::Value {
        self.try_command(words)
            .unwrap_or_else(|error| panic!("{words:?}: {error}"))
    }

    /// Runs a command; its answer as a Rust type.
    #[track_caller]
    pub fn ask<T: FromRedisValue>(&self, words: &[&str]) -> T {
        from_redis_value(self.command(words))
            .unwrap_or_else(|_| panic!("{words:?} answers another type"))
    }

    /// The number that follows `field` in a section of INFO.
    #[track_caller]
    pub fn stat(&self, section: &str, field: &str) -> u64 {
        let info: String = self.ask(&["INFO", section]);
        let value = info
            .lines()
            .find_map(|line| line.strip_prefix(field))
            .unwrap_or("0");
        let digits = value
            .split(|c: char| !c.is_ascii_digit())
            .next()
            .unwrap_or_default();
        digits.parse().unwrap_or_else(|_| panic!("{field}{value}"))
    }

    /// All keys, sorted.
    pub fn keys(&self) -> Vec<String> {
        let mut keys: Vec<String> = self.ask(&["KEYS", "*"]);
        keys.sort();
        keys
    }

    /// Whether it says that it is a primary.
    pub fn is_primary(&self) -> bool {
        self.primary().is_none()
    }

    /// The port of the primary that it follows; None if it is one itself.
    pub fn primary(&self) -> Option<u16> {
        let about: String = self.ask(&["INFO", "replication"]);
        let port = about
            .lines()
            .find_map(|line| line.strip_prefix("master_port:"));
        port.map(|port| port.trim().parse().expect("a port"))
    }

    /// True from its start to its end.
    pub fn runs(&self) -> bool {
        self.process.is_some()
    }

    /// Kills it, as a crash does.
    pub fn kill(&mut self) {
        assert!(self.process.take().is_some(), "it does not run");
    }

    /// Kills it and starts it again.
    pub fn restart(&mut self) {
        self.kill();
        self.again();
    }

    /// Freezes it: connections stay open and nothing is answered.
    pub fn pause(&self) {
        self.process
            .as_ref()
            .expect("a running server")
            .signal("STOP");
    }

    /// Lets it go on after [`RedisServer::pause`].
    pub fn resume(&self) {
        self.process
            .as_ref()
            .expect("a running server")
            .signal("CONT");
    }
}

/// A free port, as is the one of a cluster's bus, 10,000 above. Both are below the ports that the
/// system gives to connections, so that no connection takes it before a server is started again.
pub fn free_port() -> u16 {
    loop {
        let port = rand::random_range(10_000..22_000);
        if [port, port + 10_000]
            .iter()
            .all(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok())
        {
            return port;
        }
    }
}

//! A real Redis for a test: `redis-server` from the PATH (or `REDIS_SERVER`) on a free port, gone with the value.

use std::fs::File;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// One server; it keeps nothing on disk unless it is started [with](RedisServer::with) `--appendonly yes`.
#[must_use = "the server is killed when this is dropped"]
pub struct RedisServer {
    port: u16,
    settings: Vec<String>,
    directory: TempDir,
    process: Option<Child>,
}

impl RedisServer {
    /// Starts one.
    pub fn start() -> Self {
        Self::with(&[])
    }

    /// Starts one with more settings, as on redis-server's command line.
    pub fn with(settings: &[&str]) -> Self {
        let mut server = Self::not_started();
        server.settings = settings.iter().map(|&setting| setting.to_owned()).collect();
        server.again();
        server
    }

    /// A server that could be started, but is not: nobody listens at its URL.
    pub fn not_started() -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        Self { port: free_port(), settings: Vec::new(), directory, process: None }
    }

    /// Starts one that speaks TLS on `port` as its settings say, and nothing else.
    pub fn tls(port: u16, settings: &[&str]) -> Self {
        let mut server = Self::not_started();
        server.port = port;
        server.settings = settings.iter().map(|&setting| setting.to_owned()).collect();
        server.again();
        server
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
        let log = File::create(self.directory.path().join("log")).expect("a log file");
        let program = std::env::var("REDIS_SERVER").unwrap_or_else(|_| "redis-server".to_owned());
        // A TLS server has its port in its settings.
        let port = if self.settings.iter().any(|setting| setting == "--tls-port") { 0 } else { self.port };
        let mut command = Command::new(&program);
        command.args(["--bind", "127.0.0.1", "--save", "", "--daemonize", "no", "--port", &port.to_string()]);
        command.arg("--dir").arg(self.directory.path()).args(&self.settings);
        command.stdin(Stdio::null()).stdout(log.try_clone().expect("the log file")).stderr(log);
        let started = command.spawn();
        self.process =
            Some(started.unwrap_or_else(|error| panic!("cannot run {program} ({error}): run tests/setup first")));
        self.wait_until_up();
    }

    fn wait_until_up(&mut self) {
        let until = Instant::now() + Duration::from_secs(10);
        while std::net::TcpStream::connect(("127.0.0.1", self.port)).is_err() || !self.loaded() {
            let ended = self.process.as_mut().is_some_and(|process| process.try_wait().expect("its state").is_some());
            if ended || Instant::now() > until {
                let log = std::fs::read_to_string(self.directory.path().join("log")).unwrap_or_default();
                panic!("redis-server does not come up on port {}:\n{log}", self.port);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn loaded(&self) -> bool {
        let tls = self.settings.iter().any(|setting| setting == "--tls-port");
        tls || self.try_command(&["PING"]).is_ok()
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
        self.try_command(words).unwrap_or_else(|error| panic!("{words:?}: {error}"))
    }

    /// All keys there are, sorted.
    pub fn keys(&self) -> Vec<String> {
        let mut keys: Vec<String> = redis::from_redis_value(self.command(&["KEYS", "*"])).expect("keys");
        keys.sort();
        keys
    }

    fn signal(&self, signal: &str) {
        let process = self.process.as_ref().expect("a running server");
        let kill = format!("kill -{signal} {}", process.id());
        let done = Command::new("sh").args(["-c", &kill]).status().expect("a shell");
        assert!(done.success(), "{kill}");
    }

    /// True from its start to its end.
    pub fn runs(&self) -> bool {
        self.process.is_some()
    }

    /// Kills it, as a crash would.
    pub fn kill(&mut self) {
        self.signal("KILL");
        if let Some(mut process) = self.process.take() {
            process.wait().expect("its end");
        }
    }

    /// Freezes it: connections stay open and nothing is answered.
    pub fn pause(&self) {
        self.signal("STOP");
    }

    /// Lets it go on after [`RedisServer::pause`].
    pub fn resume(&self) {
        self.signal("CONT");
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            // It may have ended by itself.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// A port that nobody listens on, nor on a cluster's second one, 10,000 above. Both are below those that the system gives to
/// connections, one of which would be in the way of a server that is started again.
pub fn free_port() -> u16 {
    loop {
        let port = rand::random_range(10_000..22_000);
        if [port, port + 10_000].iter().all(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()) {
            return port;
        }
    }
}

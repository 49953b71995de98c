//! The table of results.

use super::generator::Sample;
use super::support::redis::RedisServer;
use super::support::server::Server;
use std::fmt::{Display, Formatter, Result};

/// The processor time that a server has used, in microseconds.
pub fn server_cpu(server: &Server) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", server.pid())).expect("a running process");
    // The process name may hold spaces. After it, user and system time are the 12th and 13th field.
    let numbers = stat.rsplit(") ").next().expect("numbers").split(' ').skip(11).take(2);
    let ticks: u64 = numbers.map(|number| number.parse::<u64>().expect("a number")).sum();
    // Linux reports hundredths of a second to programs.
    ticks as f64 * 10_000.0
}

/// The processor time that Redis has used, in microseconds.
pub fn redis_cpu(redis: &RedisServer) -> f64 {
    let info: String = redis::from_redis_value(redis.command(&["INFO", "cpu"])).expect("text");
    let used = |name: &str| -> f64 {
        let value = info.lines().find_map(|line| line.strip_prefix(name)).expect("a line");
        value.trim().parse().expect("a number")
    };
    (used("used_cpu_sys:") + used("used_cpu_user:")) * 1e6
}

/// Pairs of measurements: the program and the bare handler, one right after the other.
pub struct Row {
    name: &'static str,
    pairs: Vec<(Sample, Sample)>,
}

impl Row {
    pub const HEAD: &'static str = "        throughput/s: ours   bare  ratio | ms p50: ours  bare ratio | ms p99: ours  bare ratio \
                                    | us CPU server+Redis: ours       bare";

    pub fn new(name: &'static str) -> Self {
        Self { name, pairs: Vec::new() }
    }

    pub fn add(&mut self, ours: Sample, bare: Sample) {
        self.pairs.push((ours, bare));
    }

    /// The medians of ours, of the bare handler's and of their ratio.
    fn medians(&self, number: impl Fn(&Sample) -> f64) -> [f64; 3] {
        let pairs = || self.pairs.iter().map(|(ours, bare)| (number(ours), number(bare)));
        [
            median(pairs().map(|(ours, _)| ours)),
            median(pairs().map(|(_, bare)| bare)),
            median(pairs().map(|(ours, bare)| ours / bare)),
        ]
    }
}

impl Display for Row {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let [ours, bare, ratio] = self.medians(|sample| sample.throughput);
        write!(f, "{:8}{ours:18.0} {bare:6.0}  {ratio:5.2}", self.name)?;
        for part in [0.50, 0.99] {
            let [ours, bare, ratio] = self.medians(|sample| quantile(&sample.latencies, part));
            write!(f, " | {ours:12.2} {bare:5.2} {ratio:5.2}")?;
        }
        let [server, bare_server, _] = self.medians(|sample| sample.cpu.0);
        let [redis, bare_redis, _] = self.medians(|sample| sample.cpu.1);
        write!(f, " | {server:19.0} + {redis:2.0} {bare_server:5.0} + {bare_redis:2.0}")
    }
}

/// In milliseconds.
fn quantile(sorted: &[u32], part: f64) -> f64 {
    let at = (sorted.len() as f64 * part) as usize;
    sorted.get(at.min(sorted.len().saturating_sub(1))).map_or(f64::NAN, |&us| f64::from(us) / 1000.0)
}

fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}

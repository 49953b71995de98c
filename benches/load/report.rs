//! The table of results.

use super::figures::{median, quantile};
use super::generator::Sample;
use std::fmt::{Display, Formatter, Result};

/// Pairs of measurements: the program and the bare handler, one right after the other.
pub struct Row {
    name: &'static str,
    pairs: Vec<(Sample, Sample)>,
}

impl Row {
    pub const HEAD: &'static str = "        throughput/s: ours   bare  ratio | ms p50: ours  bare ratio | ms p99: ours  bare ratio \
                                    | us CPU server + Redis + client: ours           bare";

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
        let [client, bare_client, _] = self.medians(|sample| sample.client);
        write!(f, " | {server:26.0} + {redis:2.0} + {client:2.0}")?;
        write!(f, " {bare_server:5.0} + {bare_redis:2.0} + {bare_client:2.0}")
    }
}

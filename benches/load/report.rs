//! The table of results.

use super::figures::{median, quantile};
use super::generator::Sample;
use std::fmt::{Display, Formatter, Result};

/// Pairs of measurements: the program and what it is compared with, one right after the other.
pub struct Row {
    name: &'static str,
    pairs: Vec<(Sample, Sample)>,
}

impl Row {
    pub const HEAD: &'static str = "        throughput/s: ours  other  ratio | ms p50: ours other ratio | ms p99: ours other ratio \
                                    | us CPU server + Redis + client: ours          other";

    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            pairs: Vec::new(),
        }
    }

    pub fn add(&mut self, ours: Sample, other: Sample) {
        self.pairs.push((ours, other));
    }

    /// The medians of ours, of the other's and of their ratio.
    fn medians(&self, number: impl Fn(&Sample) -> f64) -> [f64; 3] {
        let pairs = || {
            self.pairs
                .iter()
                .map(|(ours, other)| (number(ours), number(other)))
        };
        [
            median(pairs().map(|(ours, _)| ours)),
            median(pairs().map(|(_, other)| other)),
            median(pairs().map(|(ours, other)| ours / other)),
        ]
    }
}

impl Display for Row {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let [ours, other, ratio] = self.medians(|sample| sample.throughput);
        write!(f, "{:8}{ours:18.0} {other:6.0}  {ratio:5.2}", self.name)?;
        for part in [0.50, 0.99] {
            let [ours, other, ratio] = self.medians(|sample| quantile(&sample.latencies, part));
            write!(f, " | {ours:12.2} {other:5.2} {ratio:5.2}")?;
        }
        let [server, other_server, _] = self.medians(|sample| sample.cpu.0);
        let [redis, other_redis, _] = self.medians(|sample| sample.cpu.1);
        let [client, other_client, _] = self.medians(|sample| sample.client);
        write!(f, " | {server:26.0} + {redis:2.0} + {client:2.0}")?;
        write!(
            f,
            " {other_server:5.0} + {other_redis:2.0} + {other_client:2.0}"
        )
    }
}

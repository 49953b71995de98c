//! The table of results, in Markdown.

use super::figures::{median, quantile};
use super::generator::Sample;
use std::fmt::{Display, Formatter, Result};

/// What all peers get in turn.
#[derive(Clone, Copy)]
pub struct Cell {
    pub combatants: usize,
    pub connections: usize,
    pub minimal: bool,
}

impl Display for Cell {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let answer = if self.minimal {
            "small answers"
        } else {
            "the whole encounter answered"
        };
        write!(
            f,
            "{} combatants, {} connections, {answer}",
            self.combatants, self.connections
        )
    }
}

/// The samples of a cell.
pub struct Table {
    cell: Cell,
    rows: Vec<(&'static str, Vec<Sample>)>,
}

impl Table {
    pub fn new(cell: Cell) -> Self {
        Self {
            cell,
            rows: Vec::new(),
        }
    }

    /// Adds a sample; None if the peer refused, or closed a connection.
    pub fn add(&mut self, name: &'static str, sample: Option<Sample>) {
        match self.rows.iter_mut().find(|row| row.0 == name) {
            Some(row) => row.1.extend(sample),
            None => self.rows.push((name, sample.into_iter().collect())),
        }
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        writeln!(f, "\n{}:\n", self.cell)?;
        writeln!(
            f,
            "| peer | commands/s | of ours | p50 ms | p99 ms | CPU us: server | of ours | Redis | client | bytes |"
        )?;
        writeln!(
            f,
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
        )?;
        // Throughput and processor time of the program on the same kind of store.
        let mut ours = (f64::NAN, f64::NAN);
        for (name, samples) in &self.rows {
            if samples.is_empty() {
                writeln!(f, "| {name} | failed | | | | | | | | |")?;
                continue;
            }
            let middle = |number: &dyn Fn(&Sample) -> f64| median(samples.iter().map(number));
            let throughput = middle(&|sample| sample.throughput);
            let (server, redis) = (
                middle(&|sample| sample.cpu.0),
                middle(&|sample| sample.cpu.1),
            );
            let (client, bytes) = (
                middle(&|sample| sample.client),
                middle(&|sample| sample.bytes),
            );
            if name.starts_with("Turnkeeper") {
                ours = (throughput, server);
            }
            write!(
                f,
                "| {name} | {throughput:.0} | {:.2} ",
                throughput / ours.0
            )?;
            for part in [0.50, 0.99] {
                write!(
                    f,
                    "| {:.2} ",
                    middle(&|sample| quantile(&sample.latencies, part))
                )?;
            }
            writeln!(
                f,
                "| {server:.0} | {:.1} | {redis:.0} | {client:.0} | {bytes:.0} |",
                server / ours.1
            )?;
        }
        Ok(())
    }
}

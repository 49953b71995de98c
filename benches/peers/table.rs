//! The table of results, in Markdown.

use super::figures::{median, quantile};
use super::generator::Sample;
use std::fmt::{Display, Formatter, Result};

/// What all peers get in turn.
#[derive(Clone, Copy, PartialEq)]
pub struct Cell {
    pub combatants: usize,
    pub connections: usize,
    pub minimal: bool,
}

impl Display for Cell {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let answer = if self.minimal { "small answers" } else { "the whole encounter answered" };
        write!(f, "{} combatants, {} connections, {answer}", self.combatants, self.connections)
    }
}

/// All samples, in the order in which they were taken.
#[derive(Default)]
pub struct Table {
    rows: Vec<(Cell, &'static str, Vec<Sample>)>,
}

impl Table {
    pub fn add(&mut self, cell: Cell, name: &'static str, sample: Sample) {
        match self.rows.iter_mut().find(|row| row.0 == cell && row.1 == name) {
            Some(row) => row.2.push(sample),
            None => self.rows.push((cell, name, vec![sample])),
        }
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let mut last = None;
        for (cell, name, samples) in &self.rows {
            if last != Some(cell) {
                writeln!(f, "\n{cell}:\n")?;
                writeln!(f, "| peer | commands/s | p50 ms | p99 ms | CPU us: server | Redis | client | bytes |")?;
                writeln!(f, "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")?;
                last = Some(cell);
            }
            let middle = |number: &dyn Fn(&Sample) -> f64| median(samples.iter().map(number));
            write!(f, "| {name} | {:.0} ", middle(&|sample| sample.throughput))?;
            for part in [0.50, 0.99] {
                write!(f, "| {:.2} ", middle(&|sample| quantile(&sample.latencies, part)))?;
            }
            let (server, redis) = (middle(&|sample| sample.cpu.0), middle(&|sample| sample.cpu.1));
            let (client, bytes) = (middle(&|sample| sample.client), middle(&|sample| sample.bytes));
            writeln!(f, "| {server:.0} | {redis:.0} | {client:.0} | {bytes:.0} |")?;
        }
        Ok(())
    }
}

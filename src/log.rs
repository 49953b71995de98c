//! Log lines on standard error, in batches: a line on its own costs a system call, more than deciding a command does.

use crate::config::{LogFormat, Server};
use std::io::{Result, Write, stderr};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tracing::{Level, Metadata};
use tracing_subscriber::field::MakeExt;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::debug_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// A line waits so long at most.
const WAIT: Duration = Duration::from_millis(50);
/// So many bytes do not wait.
const FULL: usize = 32 * 1024;

/// Starts the log as the configuration wants it: JSON on Lambda and text elsewhere where it says nothing.
pub fn start(config: &Server, on_lambda: bool) -> Lines {
    // At that level the runtime's client prints whole events: their tokens and bodies.
    let harmless = filter_fn(|about| !(about.target().starts_with("lambda_") && *about.level() == Level::TRACE));
    let registry = tracing_subscriber::registry().with(config.log.clone()).with(harmless);
    // An instance of a function may be frozen as soon as it has answered: what waits would be told in another hour.
    let lines = if on_lambda { Lines(None) } else { Lines::batched() };
    let layer = tracing_subscriber::fmt::layer().with_writer(lines.clone()).with_ansi(false);
    match config.log_format.unwrap_or(if on_lambda { LogFormat::Json } else { LogFormat::Text }) {
        LogFormat::Text => {
            // The ready-made formatter of fields thinks of colours, and that takes most of its time.
            let fields = debug_fn(|line, field, value| match field.name() {
                "message" => write!(line, "{value:?}"),
                name => write!(line, "{name}={value:?}"),
            });
            registry.with(layer.fmt_fields(fields.delimited(" ")).compact()).init();
        }
        LogFormat::Json => registry.with(layer.json().flatten_event(true).with_span_list(false)).init(),
    }
    lines
}

/// Where log lines go. Warnings and errors never wait, and take with them what does.
#[derive(Clone)]
pub struct Lines(Option<Arc<Batch>>);

#[derive(Default)]
struct Batch {
    lines: Mutex<Vec<u8>>,
    begun: Condvar,
}

impl Lines {
    /// Lines are written together, none later than about 50 ms after it was made; a process that is killed takes those with it.
    fn batched() -> Self {
        let batch = Arc::new(Batch::default());
        let writer = batch.clone();
        match std::thread::Builder::new().name("log".to_owned()).spawn(move || writer.run()) {
            Ok(_) => Self(Some(batch)),
            Err(_) => Self(None),
        }
    }

    /// Writes what waits.
    pub fn flush(&self) {
        if let Some(batch) = &self.0 {
            write_out(&mut batch.lines());
        }
    }
}

impl Batch {
    fn lines(&self) -> MutexGuard<'_, Vec<u8>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        loop {
            let waiting = self.begun.wait_while(self.lines(), |lines| lines.is_empty());
            drop(waiting);
            std::thread::sleep(WAIT);
            write_out(&mut self.lines());
        }
    }

    fn add(&self, line: &[u8], urgent: bool) {
        let mut lines = self.lines();
        if lines.is_empty() {
            self.begun.notify_one();
        }
        lines.extend_from_slice(line);
        if urgent || lines.len() >= FULL {
            write_out(&mut lines);
        }
    }
}

/// Whoever closed our standard error does not want it.
fn write_out(lines: &mut Vec<u8>) {
    let _ = stderr().write_all(lines);
    lines.clear();
}

/// Takes one line.
pub struct Line<'a> {
    batch: Option<&'a Batch>,
    urgent: bool,
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line { batch: self.0.as_deref(), urgent: true }
    }

    fn make_writer_for(&'a self, about: &Metadata<'_>) -> Line<'a> {
        Line { batch: self.0.as_deref(), urgent: *about.level() <= Level::WARN }
    }
}

impl Write for Line<'_> {
    fn write(&mut self, line: &[u8]) -> Result<usize> {
        match self.batch {
            Some(batch) => batch.add(line, self.urgent),
            None => stderr().write_all(line)?,
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

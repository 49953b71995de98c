//! Log lines on standard error, in batches: a system call for each line would take longer than deciding a command.

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

/// The maximum time that a line waits.
const WAIT: Duration = Duration::from_millis(50);
/// The bytes that are written without waiting.
const FULL: usize = 32 * 1024;

/// Starts the log: JSON on Lambda and text elsewhere, unless the configuration says otherwise.
pub fn start(config: &Server, on_lambda: bool) -> Lines {
    // At this level the runtime client prints complete events with their tokens and bodies.
    let harmless = filter_fn(|about| !(about.target().starts_with("lambda_") && *about.level() == Level::TRACE));
    let registry = tracing_subscriber::registry().with(config.log.clone()).with(harmless);
    // Lambda may freeze an instance after its answer, and waiting lines with it.
    let lines = if on_lambda { Lines(None) } else { Lines::batched() };
    let layer = tracing_subscriber::fmt::layer().with_writer(lines.clone()).with_ansi(false);
    match config.log_format.unwrap_or(if on_lambda { LogFormat::Json } else { LogFormat::Text }) {
        LogFormat::Text => {
            // The default formatter of fields supports colours, which takes most of its time.
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

/// The destination of log lines. Warnings and errors are written at once, with the lines that wait.
#[derive(Clone)]
pub struct Lines(Option<Arc<Batch>>);

#[derive(Default)]
struct Batch {
    lines: Mutex<Vec<u8>>,
    not_empty: Condvar,
}

impl Lines {
    /// Lines wait up to 50 ms and are written together. A killed process loses them.
    fn batched() -> Self {
        let batch = Arc::new(Batch::default());
        let writer = batch.clone();
        let thread = std::thread::Builder::new().name("log".to_owned()).spawn(move || {
            loop {
                drop(writer.not_empty.wait_while(writer.lines(), |lines| lines.is_empty()));
                std::thread::sleep(WAIT);
                write_out(&mut writer.lines());
            }
        });
        Self(thread.is_ok().then_some(batch))
    }

    /// Writes the lines that wait.
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
}

fn write_out(lines: &mut Vec<u8>) {
    // Standard error may be closed.
    let _ = stderr().write_all(lines);
    lines.clear();
}

/// The writer of one line.
pub struct LineWriter<'a> {
    batch: Option<&'a Batch>,
    urgent: bool,
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = LineWriter<'a>;

    fn make_writer(&'a self) -> LineWriter<'a> {
        LineWriter { batch: self.0.as_deref(), urgent: true }
    }

    fn make_writer_for(&'a self, about: &Metadata<'_>) -> LineWriter<'a> {
        LineWriter { batch: self.0.as_deref(), urgent: *about.level() <= Level::WARN }
    }
}

impl Write for LineWriter<'_> {
    fn write(&mut self, line: &[u8]) -> Result<usize> {
        let Some(batch) = self.batch else { return stderr().write_all(line).map(|()| line.len()) };
        let mut lines = batch.lines();
        if lines.is_empty() {
            batch.not_empty.notify_one();
        }
        lines.extend_from_slice(line);
        if self.urgent || lines.len() >= FULL {
            write_out(&mut lines);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

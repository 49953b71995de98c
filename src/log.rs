//! Log lines on standard error, in batches: a system call for each line would take longer than
//! deciding a command.
//!
//! The crate `tracing-appender` also writes from a thread of its own, but it has no flush: its
//! guard gives waiting lines a second at the end, and a warning waits like any other line.

use crate::config::{LogFormat, Server};
use parking_lot::Mutex;
use std::io::{BufWriter, Result, Stderr, Write, stderr};
use std::sync::Arc;
use std::thread::{Thread, park, sleep};
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
    let harmless = filter_fn(|about| {
        !(about.target().starts_with("lambda_") && *about.level() == Level::TRACE)
    });
    let registry = tracing_subscriber::registry()
        .with(config.log.clone())
        .with(harmless);
    // Lambda may freeze an instance after its answer, and waiting lines with it.
    let lines = if on_lambda {
        Lines::immediate()
    } else {
        Lines::batched()
    };
    let layer = tracing_subscriber::fmt::layer()
        .with_writer(lines.clone())
        .with_ansi(false);
    let usual = if on_lambda {
        LogFormat::Json
    } else {
        LogFormat::Text
    };
    match config.log_format.unwrap_or(usual) {
        LogFormat::Text => {
            // The default formatter of fields supports colours, which takes most of its time.
            let fields = debug_fn(|line, field, value| match field.name() {
                "message" => write!(line, "{value:?}"),
                name => write!(line, "{name}={value:?}"),
            });
            registry
                .with(layer.fmt_fields(fields.delimited(" ")).compact())
                .init();
        }
        LogFormat::Json => registry
            .with(layer.json().flatten_event(true).with_span_list(false))
            .init(),
    }
    lines
}

/// The destination of log lines.
#[derive(Clone)]
pub struct Lines {
    waiting: Arc<Mutex<BufWriter<Stderr>>>,
    /// Writes the lines that wait. None: no line waits.
    writer: Option<Thread>,
}

impl Lines {
    /// Each line is written at once.
    fn immediate() -> Self {
        Self {
            waiting: Arc::new(Mutex::new(BufWriter::with_capacity(FULL, stderr()))),
            writer: None,
        }
    }

    /// Lines wait up to 50 ms and are written together; warnings and errors do not wait. A killed
    /// process loses waiting lines.
    fn batched() -> Self {
        let lines = Self::immediate();
        let waiting = lines.clone();
        let writer = std::thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || {
                loop {
                    park();
                    sleep(WAIT);
                    waiting.flush();
                }
            });
        Self {
            writer: writer.ok().map(|writer| writer.thread().clone()),
            ..lines
        }
    }

    /// Writes the lines that wait.
    pub fn flush(&self) {
        // Standard error may be closed.
        let _ = self.waiting.lock().flush();
    }
}

/// The writer of one line.
pub struct Line<'a> {
    lines: &'a Lines,
    urgent: bool,
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line {
            lines: self,
            urgent: true,
        }
    }

    fn make_writer_for(&'a self, about: &Metadata<'_>) -> Line<'a> {
        Line {
            lines: self,
            urgent: *about.level() <= Level::WARN,
        }
    }
}

impl Write for Line<'_> {
    fn write(&mut self, line: &[u8]) -> Result<usize> {
        let _ = self.lines.waiting.lock().write_all(line);
        match &self.lines.writer {
            Some(writer) if !self.urgent => writer.unpark(),
            _ => self.lines.flush(),
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

//! Whether anything logs a secret, over all tests.
//!
//! Every server that runs as a process has its log searched when it ends; what those within this
//! process log is searched line by line, and each of them looks at its end whether anything was
//! found. Secrets are whatever looks like a token or key of ours, and what tests say that is one.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, Once};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Shorter ones stand in a log by chance.
const SHORTEST: usize = 8;
/// The maximum number to look for: tests under load use thousands.
const MOST: usize = 256;
/// What follows the role in a token or key.
const RANDOM: usize = 43;

static KNOWN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
static FOUND: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Says that a text is a secret, such as an idempotency key.
pub fn known(secret: &str) {
    let mut known = open(&KNOWN);
    if secret.len() >= SHORTEST {
        if known.len() >= MOST {
            known.pop_first();
        }
        known.insert(secret.to_owned());
    }
}

/// The secrets in a log.
pub fn within(log: &str) -> Vec<String> {
    let random = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let tokens = log.match_indices("tk_").filter_map(|(at, _)| {
        let token: String = log[at..].chars().take_while(|c| random(*c)).collect();
        (token.len() >= RANDOM).then_some(token)
    });
    let words = ["Bearer tk", "authorization: "]
        .iter()
        .filter(|word| log.contains(**word))
        .map(|word| word.to_string());
    let known = open(&KNOWN);
    let known = known
        .iter()
        .filter(|secret| log.contains(secret.as_str()))
        .cloned();
    tokens.chain(words).chain(known).collect()
}

/// Fails where a log holds a secret, unless the test has failed already.
#[track_caller]
pub fn none_in(log: &str) {
    let found = within(log);
    assert!(
        found.is_empty() || std::thread::panicking(),
        "the log holds {found:?}:\n{log}"
    );
}

/// When dropped, fails where anything within this process has logged a secret, now or before.
#[derive(Debug)]
pub struct NoSecretsLogged;

impl Drop for NoSecretsLogged {
    fn drop(&mut self) {
        let found = open(&FOUND).clone();
        assert!(
            found.is_empty() || std::thread::panicking(),
            "these lines hold secrets: {found:#?}"
        );
    }
}

/// Searches all that is logged in this process, in as much detail as an operator could ask for.
pub fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let detail: tracing_subscriber::filter::Targets =
            "turnkeeper=trace,debug".parse().expect("directives");
        let lines = tracing_subscriber::fmt::layer()
            .with_ansi(false)
            .with_writer(Search);
        tracing_subscriber::registry()
            .with(detail)
            .with(lines)
            .init();
    });
}

#[derive(Clone, Copy)]
struct Search;

impl Write for Search {
    /// The layer writes one line at a time.
    fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        if !within(&text).is_empty() {
            open(&FOUND).push(text.into_owned());
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Search {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        *self
    }
}

#[test]
fn a_secret_in_a_log_is_seen() {
    let token = turnkeeper::app::Token::new(turnkeeper::engine::Role::Gm, &[7; 32]);
    let key = turnkeeper::app::Token::app_key(&[7; 32]);
    assert_eq!(
        within(&format!("status=200 x=\"{}\"", token.reveal())),
        [token.reveal()]
    );
    assert_eq!(within(&format!("key={}", key.reveal())), [key.reveal()]);
    known("an idempotency key of this test alone");
    assert_eq!(
        within("k=an idempotency key of this test alone,"),
        ["an idempotency key of this test alone"]
    );
    assert_eq!(
        within("tk_gm_ and `tk_app_...` are no secrets, nor is tk_"),
        [""; 0]
    );
}

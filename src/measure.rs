//! What the process measures, and how it is told: to Prometheus by text, on Lambda to CloudWatch by
//! lines of its Embedded Metric Format.
//!
//! Every metric's name, unit and labels stand here. A label has few values: none holds an id, a name
//! or a token.

use metrics::{
    Counter, Histogram, Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge,
    histogram,
};
use metrics_cloudwatch_embedded::Collector;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use parking_lot::{Mutex, RwLock};
use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{LazyLock, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The upper bounds of the buckets of times, in seconds.
const SECONDS: [f64; 14] = [
    0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0,
];
/// The namespace of the metrics in CloudWatch.
const NAMESPACE: &str = "Turnkeeper";

/// How the metrics are told, once they are on.
static EXPORTER: OnceLock<Exporter> = OnceLock::new();
/// What sets the gauges, before they are read.
static GAUGES: Mutex<Vec<SetGauges>> = Mutex::new(Vec::new());

type SetGauges = Box<dyn Fn() + Send>;

/// Meters by their labels, kept because finding one in the exporter costs more than using it.
struct Meters<L, M>(LazyLock<RwLock<HashMap<L, M>>>);

impl<L: Hash + Eq, M> Meters<L, M> {
    const fn new() -> Self {
        Self(LazyLock::new(RwLock::default))
    }

    /// Uses the meter with these labels, which `make` makes if there is none yet.
    fn with<B>(&self, labels: &B, make: impl FnOnce() -> M, measure: impl FnOnce(&M))
    where
        L: Borrow<B>,
        B: Hash + Eq + ToOwned<Owned = L> + ?Sized,
    {
        if let Some(meter) = self.0.read().get(labels) {
            return measure(meter);
        }
        measure(self.0.write().entry(labels.to_owned()).or_insert_with(make));
    }
}

/// The meters of a route.
struct RouteMeters {
    seconds: Histogram,
    /// Its requests by method and status.
    requests: Meters<(&'static str, u16), Counter>,
}

static ROUTES: Meters<String, RouteMeters> = Meters::new();
/// Commands by ruleset and outcome.
static COMMANDS: Meters<(&'static str, &'static str), Counter> = Meters::new();
/// Calls to the store by kind and outcome.
static STORE_CALLS: Meters<(&'static str, &'static str), Counter> = Meters::new();
/// Times of calls to the store by kind.
static STORE_SECONDS: Meters<&'static str, Histogram> = Meters::new();
/// Uses of an encounter by whether the cache had it.
static CACHE_READS: Meters<bool, Counter> = Meters::new();

enum Exporter {
    Prometheus(PrometheusHandle),
    CloudWatch(&'static Collector),
}

/// Measures for Prometheus, which reads [`text`].
///
/// # Errors
/// If the process measures already.
pub fn for_prometheus() -> Result<(), String> {
    let builder = PrometheusBuilder::new().set_buckets(&SECONDS);
    let handle = builder.and_then(PrometheusBuilder::install_recorder);
    let handle = handle.map_err(|error| error.to_string())?;
    start(Exporter::Prometheus(handle))
}

/// Measures for CloudWatch, which reads the lines of [`emit`].
///
/// # Errors
/// If the process measures already.
pub fn for_cloudwatch() -> Result<(), String> {
    let builder = metrics_cloudwatch_embedded::Builder::new().cloudwatch_namespace(NAMESPACE);
    let collector = builder.init().map_err(|error| error.to_string())?;
    start(Exporter::CloudWatch(collector))
}

fn start(exporter: Exporter) -> Result<(), String> {
    describe();
    EXPORTER
        .set(exporter)
        .map_err(|_| "the process measures already".to_owned())?;
    let version = env!("CARGO_PKG_VERSION");
    gauge!("turnkeeper_build_info", "version" => version).set(1.0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    gauge!("turnkeeper_start_time_seconds").set(now.unwrap_or_default().as_secs_f64());
    Ok(())
}

/// Whether anybody reads the metrics.
pub fn is_on() -> bool {
    EXPORTER.get().is_some()
}

/// Lets `set` set some gauges each time before the metrics are read.
pub fn before_reading(set: impl Fn() + Send + 'static) {
    if is_on() {
        GAUGES.lock().push(Box::new(set));
    }
}

/// All metrics as text for Prometheus.
pub fn text() -> String {
    for set in &*GAUGES.lock() {
        set();
    }
    match EXPORTER.get() {
        Some(Exporter::Prometheus(handle)) => handle.render(),
        _ => String::new(),
    }
}

/// Sorts the times that were measured since the last call into their buckets. Without it they take
/// memory until Prometheus asks.
pub fn tidy() {
    if let Some(Exporter::Prometheus(handle)) = EXPORTER.get() {
        handle.run_upkeep();
    }
}

/// Prints what was measured since the last call as lines for CloudWatch, if it reads them.
pub fn emit() {
    if let Some(Exporter::CloudWatch(collector)) = EXPORTER.get() {
        // Standard output may be closed.
        let _ = collector.flush(std::io::stdout().lock());
    }
}

fn describe() {
    describe_counter!(
        "turnkeeper_requests_total",
        Unit::Count,
        "Requests by method, route and status"
    );
    describe_histogram!(
        "turnkeeper_request_seconds",
        Unit::Seconds,
        "Time from a request's head to the head of its answer, by route"
    );
    describe_counter!(
        "turnkeeper_commands_total",
        Unit::Count,
        "Commands by ruleset and outcome: accepted, repeated, or the code of the refusal"
    );
    describe_counter!(
        "turnkeeper_store_calls_total",
        Unit::Count,
        "Calls to the store by kind and outcome; conflict is a lost race against another process"
    );
    describe_histogram!(
        "turnkeeper_store_call_seconds",
        Unit::Seconds,
        "Time of a call to the store, by kind"
    );
    describe_counter!(
        "turnkeeper_store_retries_total",
        Unit::Count,
        "Commands that were sent to Redis again after a lost connection or a moved primary"
    );
    describe_counter!(
        "turnkeeper_cache_reads_total",
        Unit::Count,
        "Uses of an encounter by whether the cache had it as it is now"
    );
    describe_gauge!(
        "turnkeeper_cache_bytes",
        Unit::Bytes,
        "Estimated memory of the cached encounters"
    );
    describe_gauge!(
        "turnkeeper_cache_encounters",
        Unit::Count,
        "Cached encounters"
    );
    describe_gauge!(
        "turnkeeper_streams",
        Unit::Count,
        "Open streams and long polls of events"
    );
    describe_gauge!(
        "turnkeeper_followed_encounters",
        Unit::Count,
        "Encounters that somebody follows"
    );
    describe_gauge!(
        "turnkeeper_waiting_tasks",
        Unit::Count,
        "Long tasks that wait for a thread, by kind"
    );
    describe_gauge!(
        "turnkeeper_budget_used_bytes",
        Unit::Bytes,
        "Bytes that are held for clients, by budget"
    );
    describe_gauge!(
        "turnkeeper_budget_bytes",
        Unit::Bytes,
        "Bytes that may be held for clients, by budget"
    );
    describe_gauge!(
        "turnkeeper_store_file_bytes",
        Unit::Bytes,
        "Size of the embedded store's file"
    );
    describe_gauge!(
        "turnkeeper_build_info",
        Unit::Count,
        "1, with the program's version"
    );
    describe_gauge!(
        "turnkeeper_start_time_seconds",
        Unit::Seconds,
        "Start of the process, since 1970"
    );
}

/// A request was answered. `route` is the pattern of its path; None if no route has it.
pub fn request(method: &'static str, route: Option<&str>, status: u16, time: Duration) {
    if !is_on() {
        return;
    }
    let route = route.unwrap_or("-");
    let meters_of_route = || RouteMeters {
        seconds: histogram!("turnkeeper_request_seconds", "route" => route.to_owned()),
        requests: Meters::new(),
    };
    let requests = || {
        counter!(
            "turnkeeper_requests_total",
            "method" => method,
            "route" => route.to_owned(),
            "status" => status.to_string()
        )
    };
    ROUTES.with(route, meters_of_route, |meters| {
        meters.seconds.record(time);
        let requests_of_route = &meters.requests;
        requests_of_route.with(&(method, status), requests, |counter| counter.increment(1));
    });
}

/// A command was answered, with this outcome. The ruleset is unknown if the encounter is.
pub fn command(ruleset: Option<&'static str>, outcome: &'static str) {
    if !is_on() {
        return;
    }
    let ruleset = ruleset.unwrap_or("-");
    let commands =
        || counter!("turnkeeper_commands_total", "ruleset" => ruleset, "outcome" => outcome);
    COMMANDS.with(&(ruleset, outcome), commands, |counter| {
        counter.increment(1);
    });
}

/// The store was called.
pub fn store_call(call: &'static str, outcome: &'static str, time: Duration) {
    let calls = || counter!("turnkeeper_store_calls_total", "call" => call, "outcome" => outcome);
    let seconds = || histogram!("turnkeeper_store_call_seconds", "call" => call);
    STORE_CALLS.with(&(call, outcome), calls, |counter| counter.increment(1));
    STORE_SECONDS.with(&call, seconds, |histogram| histogram.record(time));
}

/// A command is sent to Redis again.
pub fn store_retry() {
    counter!("turnkeeper_store_retries_total").increment(1);
}

/// An encounter was used. `cached` says whether the cache had it.
pub fn cache_read(cached: bool) {
    if is_on() {
        let reads = || counter!("turnkeeper_cache_reads_total", "cached" => cached.to_string());
        CACHE_READS.with(&cached, reads, |counter| counter.increment(1));
    }
}

/// What the cache holds.
pub fn cache(bytes: u64, encounters: usize) {
    gauge!("turnkeeper_cache_bytes").set(bytes as f64);
    gauge!("turnkeeper_cache_encounters").set(encounters as f64);
}

/// What clients follow.
pub fn feeds(streams: usize, encounters: usize) {
    gauge!("turnkeeper_streams").set(streams as f64);
    gauge!("turnkeeper_followed_encounters").set(encounters as f64);
}

/// How many long tasks of a kind wait.
pub fn waiting_tasks(kind: &'static str, waiting: usize) {
    gauge!("turnkeeper_waiting_tasks", "kind" => kind).set(waiting as f64);
}

/// How much of a budget is used.
pub fn budget(budget: &'static str, used: usize, total: usize) {
    gauge!("turnkeeper_budget_used_bytes", "budget" => budget).set(used as f64);
    gauge!("turnkeeper_budget_bytes", "budget" => budget).set(total as f64);
}

/// The size of the embedded store's file.
pub fn store_file(bytes: u64) {
    gauge!("turnkeeper_store_file_bytes").set(bytes as f64);
}

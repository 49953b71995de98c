//! The program: reads the configuration, opens the store, and serves on a socket or on Lambda.

use redis::{ClientTlsConfig, TlsCertificates};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use turnkeeper::app::{App, AppKeys, Applications, Token};
use turnkeeper::config::{Config, Follow, MetricsReader, Server, Task, completions};
use turnkeeper::engine::Rulesets;
use turnkeeper::follow;
use turnkeeper::http;
use turnkeeper::lambda;
use turnkeeper::log;
use turnkeeper::measure;
use turnkeeper::store::embedded::{self, EmbeddedStore, Report, file_in};
use turnkeeper::store::redis::RedisStore;
use turnkeeper::store::{Measured, Store, StoreError};

/// Commands allocate many short-lived values: 1.2 times the throughput of the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // An idle connection touches few of its buffers' pages: with small pages it takes 11 KiB, with
    // the allocator's huge pages 19.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
    let config = Config::read();
    let on_lambda = lambda::present() && config.task.is_none();
    let log = match &config.task {
        None | Some(Task::Follow(_)) => Some(log::start(&config.server, on_lambda)),
        Some(_) => None,
    };
    for warning in config.unknown_variables() {
        if log.is_some() {
            tracing::warn!("{warning}");
        } else {
            eprintln!("turnkeeper: {warning}");
        }
    }
    let outcome = match &config.task {
        Some(Task::Openapi { ruleset }) => print_document(ruleset.as_deref()),
        Some(Task::AppKey { name }) => {
            let key = Token::app_key(&rand::random());
            say(&format!(
                "for the application: {}\nfor the server:      {name}={}",
                key.reveal(),
                key.digest()
            ));
            Ok(())
        }
        Some(Task::Backup { file }) => back_up(&config.server, file),
        Some(Task::Check { file }) => check(
            file.clone()
                .unwrap_or_else(|| file_in(&config.server.directory())),
        ),
        Some(Task::Completions { shell }) => {
            say(String::from_utf8_lossy(&completions(*shell)).trim_end());
            Ok(())
        }
        Some(Task::Follow(settings)) => follow(settings, &config.server),
        Some(Task::Healthy) => healthy(config.server.listen),
        None => start(&config.server, on_lambda),
    };
    if let Some(log) = log {
        log.flush();
    }
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) if lambda::present() => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("turnkeeper: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints a published document.
fn print_document(ruleset: Option<&str>) -> Result<(), String> {
    let document = http::document(ruleset).map_err(|error| error.to_string())?;
    let Some(document) = document else {
        return Err(format!(
            "Unknown ruleset. Rulesets: {}.",
            http::ruleset_ids()
        ));
    };
    say(document.trim_end());
    Ok(())
}

/// Follows an encounter until it is deleted, or until a signal.
fn follow(settings: &Follow, server: &Server) -> Result<(), String> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string());
    runtime.and_then(|runtime| {
        runtime.block_on(async {
            let mut signals = StopSignals::listen().map_err(|error| error.to_string())?;
            let (stop, stopped) = watch::channel(false);
            tokio::spawn(async move {
                signals.next().await;
                stop.send_replace(true);
                // The other end must not see this one go.
                std::future::pending::<()>().await;
            });
            follow::follow(settings, &server.directory(), stopped).await
        })
    })
}

fn start(config: &Server, on_lambda: bool) -> Result<(), String> {
    // A Lambda instance serves one event at a time, and threads make its start slower.
    let mut runtime = if on_lambda {
        Builder::new_current_thread()
    } else {
        Builder::new_multi_thread()
    };
    let runtime = runtime
        .enable_all()
        .build()
        .map_err(|error| error.to_string());
    let outcome = runtime.and_then(|runtime| runtime.block_on(serve(config, on_lambda)));
    if let (Err(reason), true) = (&outcome, on_lambda) {
        tracing::error!(%reason, "does not serve");
    }
    outcome
}

async fn serve(config: &Server, on_lambda: bool) -> Result<(), String> {
    survive_size_limit().map_err(|error| error.to_string())?;
    let metrics = measure_for(config.metrics, on_lambda).await?;
    let (store, store_name) = open_store(config, on_lambda)?;
    // Opening has compared the layout of a file. A Redis that is away now is asked with each call.
    let is_shared = config.redis_url.is_some() && !on_lambda;
    if is_shared && let Err(error @ StoreError::Foreign(_)) = store.ready().await {
        return Err(format!("{store_name}: {error}"));
    }
    let store: Arc<dyn Store> = if measure::is_on() {
        Arc::new(Measured(store))
    } else {
        store
    };
    let keys = config.app_keys()?;
    let applications = Arc::new(Applications::new(keys.clone()));
    let cache = config.cache_mib.saturating_mul(1024 * 1024);
    let app = App::new(store, Rulesets::shipped(), cache)
        .with_log_keep(config.log_keep)
        .with_log_mib(config.log_mib);
    let app = app.with_answer_budget(config.bodies_mib.saturating_mul(1024 * 1024));
    let app = Arc::new(app.with_applications(applications.clone()));
    let router = http::mount_below(
        config.base_path.clone(),
        http::router(app.clone(), config.http()),
    );
    let mut metrics_address = None;
    if let Some(listener) = metrics {
        metrics_address = listener.local_addr().ok();
        let measured = app.clone();
        measure::before_reading(move || measured.measure());
        tokio::spawn(serve_metrics(listener));
    }
    let mut signals = StopSignals::listen().map_err(|error| error.to_string())?;
    let drain_time = config.drain_time;
    let stopped = app.clone();
    let stop = async move {
        let signal = signals.next().await;
        stopped.stop_soon();
        if signal == StopSignal::Terminate {
            tokio::select! {
                () = tokio::time::sleep(drain_time) => {}
                _ = signals.next() => {}
            }
        }
        stopped.end_feeds();
    };
    let keyed = applications.configured();
    let guarded = keyed || config.rate_address.is_some();
    if config.app_keys_file.is_some() {
        tokio::spawn(follow_keys(config.clone(), keys, applications));
    }
    if on_lambda {
        warn_if_open(guarded, "the function");
        tracing::info!(encounters = store_name, "serves Lambda events");
        lambda::serve(router, stop)
            .await
            .map_err(|error| error.to_string())?;
    } else {
        let listener = TcpListener::bind(config.listen).await;
        let listener = listener.map_err(|error| {
            format!(
                "TURNKEEPER_LISTEN: cannot listen on {}: {error}",
                config.listen
            )
        })?;
        let address = listener.local_addr().map_err(|error| error.to_string())?;
        greet(
            &format!("http://{address}"),
            &store_name,
            keyed,
            config.table,
            metrics_address,
        );
        warn_if_open(guarded || address.ip().is_loopback(), &address.to_string());
        http::serve(listener, router, stop).await;
    }
    Ok(())
}

/// Measures for who reads the metrics; returns the listener where Prometheus asks.
async fn measure_for(
    reader: Option<MetricsReader>,
    on_lambda: bool,
) -> Result<Option<TcpListener>, String> {
    match reader {
        None => Ok(None),
        Some(MetricsReader::CloudWatch) if on_lambda => {
            measure::for_cloudwatch()?;
            Ok(None)
        }
        Some(MetricsReader::Prometheus(address)) if !on_lambda => {
            let listener = TcpListener::bind(address).await.map_err(|error| {
                format!("TURNKEEPER_METRICS: cannot listen on {address}: {error}")
            })?;
            measure::for_prometheus()?;
            Ok(Some(listener))
        }
        Some(MetricsReader::CloudWatch) => Err(
            "TURNKEEPER_METRICS: emf is for Lambda: set an address for Prometheus, such as \
             127.0.0.1:9090"
                .to_owned(),
        ),
        Some(MetricsReader::Prometheus(_)) => Err(
            "TURNKEEPER_METRICS: Prometheus reaches no Lambda instance: set emf for lines that \
             CloudWatch reads"
                .to_owned(),
        ),
    }
}

/// Answers Prometheus until the process ends.
async fn serve_metrics(listener: TcpListener) {
    /// The time between two sortings of what was measured.
    const TIDY: Duration = Duration::from_secs(5);
    tokio::spawn(async {
        loop {
            tokio::time::sleep(TIDY).await;
            measure::tidy();
        }
    });
    http::serve(listener, http::metrics_router(), std::future::pending()).await;
}

fn open_store(config: &Server, on_lambda: bool) -> Result<(Arc<dyn Store>, String), String> {
    if let Some(urls) = &config.redis_url {
        let store = RedisStore::open(urls, certificates(config, urls)?, config.store());
        let store = store.map_err(|error| format!("REDIS_URL: {error}"))?;
        let name = format!("Redis at {}", store.addresses());
        return Ok((Arc::new(store), name));
    }
    if on_lambda && config.data.is_none() {
        let reason = "REDIS_URL is not set: Lambda instances share nothing else. For a trial whose \
                      encounters last as long as one instance, set TURNKEEPER_DATA=/tmp/turnkeeper";
        return Err(reason.to_owned());
    }
    let directory = config.directory();
    let store = EmbeddedStore::open(&directory, config.store());
    let store = store.map_err(|error| format!("TURNKEEPER_DATA: {error}"))?;
    let directory = directory.display();
    let name = format!("embedded, in {directory} (REDIS_URL for a shared one)");
    Ok((Arc::new(store), name))
}

/// Reads the application keys again every two seconds. While they are invalid, the earlier keys
/// stay valid.
async fn follow_keys(config: Server, keys: AppKeys, applications: Arc<Applications>) {
    let mut last = Ok(keys);
    loop {
        tokio::time::sleep(Duration::from_secs(2)).await;
        let now = config.app_keys();
        if now == last {
            continue;
        }
        match &now {
            Ok(keys) => {
                applications.exchange(keys.clone());
                tracing::info!(keys = keys.len(), "the application keys have changed");
            }
            Err(error) => {
                tracing::error!(
                    %error,
                    "the application keys cannot be read: the earlier keys stay valid"
                );
            }
        }
        last = now;
    }
}

fn warn_if_open(guarded: bool, address: &str) {
    if !guarded {
        tracing::warn!(
            "every client that reaches {address} may create encounters: make a key with \
             `turnkeeper app-key NAME`, set TURNKEEPER_APP_KEYS to the NAME=DIGEST that it prints \
             (or set TURNKEEPER_RATE_ADDRESS), or listen only on 127.0.0.1"
        );
    }
}

/// Copies the embedded store.
fn back_up(config: &Server, target: &Path) -> Result<(), String> {
    if config.redis_url.is_some() {
        return Err(
            "REDIS_URL is set: this backs up the embedded store only; Redis has means of its own"
                .to_owned(),
        );
    }
    let runtime = Builder::new_current_thread()
        .enable_io()
        .build()
        .map_err(|error| error.to_string())?;
    runtime
        .block_on(async { survive_size_limit() })
        .map_err(|error| error.to_string())?;
    let report = embedded::back_up(&config.directory(), target)?;
    conclude(target, &report)
}

/// Checks a file of the embedded store.
fn check(path: PathBuf) -> Result<(), String> {
    let report = embedded::check_file(&path)?;
    conclude(&path, &report)
}

/// Says what is in a file, and fails if anything in it is damaged.
fn conclude(path: &Path, report: &Report) -> Result<(), String> {
    let count = report.encounters;
    let contents = if count == 1 {
        "1 encounter".to_owned()
    } else {
        format!("{count} encounters")
    };
    if report.faults.is_empty() {
        say(&format!("{}: {contents}, no damage", path.display()));
        return Ok(());
    }
    for fault in &report.faults {
        say(&format!("damaged: {fault}"));
    }
    Err(format!("{} has {contents} and is damaged", path.display()))
}

/// Asks the server whether it is ready. Container images without a shell have no other client.
fn healthy(listen: SocketAddr) -> Result<(), String> {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    let address = SocketAddr::new(ip, listen.port());
    let answer =
        readiness(address).map_err(|error| format!("no answer from {address}: {error}"))?;
    if answer.starts_with("HTTP/1.1 200 ") {
        Ok(())
    } else {
        Err(format!("{address} is not ready: {answer}"))
    }
}

fn certificates(config: &Server, urls: &str) -> Result<Option<TlsCertificates>, String> {
    let mut root_cert = None;
    if let Some(path) = &config.redis_ca {
        root_cert = Some(certificate("TURNKEEPER_REDIS_CA", path, urls)?);
    }
    let mut client_tls = None;
    if let (Some(cert), Some(key)) = (&config.redis_cert, &config.redis_key) {
        client_tls = Some(ClientTlsConfig {
            client_cert: certificate("TURNKEEPER_REDIS_CERT", cert, urls)?,
            client_key: private_key("TURNKEEPER_REDIS_KEY", key, urls)?,
        });
    }
    if root_cert.is_none() && client_tls.is_none() {
        return Ok(None);
    }
    Ok(Some(TlsCertificates {
        client_tls,
        root_cert,
    }))
}

fn certificate(setting: &str, path: &Path, urls: &str) -> Result<Vec<u8>, String> {
    let bytes = read_for_tls(setting, path, urls)?;
    match CertificateDer::pem_slice_iter(&bytes).next() {
        Some(Ok(_)) => Ok(bytes),
        _ => Err(format!(
            "{setting}: {} holds no certificate in PEM",
            path.display()
        )),
    }
}

fn private_key(setting: &str, path: &Path, urls: &str) -> Result<Vec<u8>, String> {
    let bytes = read_for_tls(setting, path, urls)?;
    match PrivateKeyDer::from_pem_slice(&bytes) {
        Ok(_) => Ok(bytes),
        Err(_) => Err(format!("{setting}: {} holds no key in PEM", path.display())),
    }
}

/// The answer of a server to the question whether it is ready.
fn readiness(address: SocketAddr) -> std::io::Result<String> {
    const TIMEOUT: Duration = Duration::from_secs(3);
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.write_all(b"GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

/// Reads a file that a setting names. Refuses it for URLs without TLS.
fn read_for_tls(setting: &str, path: &Path, urls: &str) -> Result<Vec<u8>, String> {
    let bytes = std::fs::read(path)
        .map_err(|error| format!("{setting}: cannot read {}: {error}", path.display()))?;
    for url in urls.split(',') {
        let url = url.trim().to_ascii_lowercase();
        let secure = url.starts_with("rediss://") || url.starts_with("valkeys://");
        if !url.is_empty() && !secure {
            return Err(format!(
                "{setting} is for TLS: begin REDIS_URL with rediss://"
            ));
        }
    }
    Ok(bytes)
}

/// Makes a write beyond the limit of a file's size (`ulimit -f`) an error, as on a full disk. By
/// default the signal ends the process.
fn survive_size_limit() -> std::io::Result<()> {
    /// SIGXFSZ, of Linux and macOS on x86-64 and ARM.
    const SIZE_LIMIT: SignalKind = SignalKind::from_raw(25);
    // A signal that is caught is not fatal, and stays caught when this handle goes.
    signal(SIZE_LIMIT).map(drop)
}

/// The signals that stop the server.
struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
}

/// A signal that stops the server: of an orchestrator, or of the keyboard.
#[derive(PartialEq, Eq)]
enum StopSignal {
    Terminate,
    Interrupt,
}

impl StopSignals {
    fn listen() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    async fn next(&mut self) -> StopSignal {
        tokio::select! {
            _ = self.terminate.recv() => StopSignal::Terminate,
            _ = self.interrupt.recv() => StopSignal::Interrupt,
        }
    }
}

fn greet(url: &str, store_name: &str, keyed: bool, has_table: bool, metrics: Option<SocketAddr>) {
    let version = env!("CARGO_PKG_VERSION");
    let key = if keyed {
        " -H \"Authorization: Bearer $KEY\""
    } else {
        ""
    };
    let play = if has_table {
        format!("play: {url}/table\n")
    } else {
        String::new()
    };
    let metrics = match metrics {
        Some(address) => format!("metrics: http://{address}/metrics\n"),
        None => String::new(),
    };
    say(&format!(
        r#"turnkeeper {version} serves on {url}
encounters: {store_name}
{metrics}{play}try it out: {url}/docs
first call: curl -s {url}/v1/encounters{key} -H 'Content-Type: application/json' -d '{{"ruleset": "active-initiative", "combatants": [{{"name": "Valiant"}}, {{"name": "Brakkus", "side": "monsters"}}]}}'"#
    ));
}

/// Prints a line, unless standard output is closed.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

//! The program: reads the configuration, picks the store, opens the front door.

use clap::Parser;
use redis::{ClientTlsConfig, TlsCertificates};
use std::fmt::Display;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use turnkeeper::app::App;
use turnkeeper::config::{Config, LogFormat, Server, Task, presentable};
use turnkeeper::engine::Rulesets;
use turnkeeper::http;
use turnkeeper::store::Store;
use turnkeeper::store::embedded::EmbeddedStore;
use turnkeeper::store::redis::RedisStore;

/// A command makes many short-lived values: 1.2 times the throughput of the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // The allocator asks for huge pages. An idle connection touches little of its buffers, and with small pages only that is resident:
    // 11 KiB instead of 19. Where the kernel refuses, all works the same.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
    let config = Config::parse();
    let outcome = match config.task {
        Some(Task::Openapi) => {
            say(http::DOCUMENT.trim_end());
            Ok(())
        }
        None => serve(&config.server),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("turnkeeper: {reason}");
            ExitCode::FAILURE
        }
    }
}

#[tokio::main]
async fn serve(config: &Server) -> Result<(), String> {
    start_log(config);
    let (store, kept) = open_store(config)?;
    let app = Arc::new(App::new(store, Rulesets::shipped(), config.memory()).keeping(config.log_keep));
    let listener = TcpListener::bind(config.listen).await;
    let listener = listener.map_err(|error| format!("cannot listen on {}: {error}", config.listen))?;
    let address = listener.local_addr().map_err(reason)?;
    let stop = stop().map_err(reason)?;
    greet(&format!("http://{address}"), &kept);
    let feeds = app.clone();
    let stop = async move {
        stop.await;
        feeds.end_feeds();
    };
    http::serve(listener, http::router(app.clone(), config.http()), stop).await;
    app.close().await;
    Ok(())
}

fn open_store(config: &Server) -> Result<(Arc<dyn Store>, String), String> {
    match &config.redis_url {
        Some(urls) => {
            let store = RedisStore::open(urls, certificates(config)?, config.store()).map_err(reason)?;
            Ok((Arc::new(store), presentable(urls)))
        }
        None => {
            let store = EmbeddedStore::open(&config.data, config.store()).map_err(reason)?;
            Ok((Arc::new(store), format!("embedded, in {} (REDIS_URL for a shared one)", config.data.display())))
        }
    }
}

fn certificates(config: &Server) -> Result<Option<TlsCertificates>, String> {
    let read = |path: &Path| std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()));
    let root_cert = config.redis_ca.as_deref().map(read).transpose()?;
    let client_tls = match (&config.redis_cert, &config.redis_key) {
        (Some(cert), Some(key)) => Some(ClientTlsConfig { client_cert: read(cert)?, client_key: read(key)? }),
        _ => None,
    };
    Ok((root_cert.is_some() || client_tls.is_some()).then_some(TlsCertificates { client_tls, root_cert }))
}

fn start_log(config: &Server) {
    let registry = tracing_subscriber::registry().with(config.log.clone());
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    match config.log_format {
        LogFormat::Text => registry.with(lines.compact().with_ansi(false)).init(),
        LogFormat::Json => registry.with(lines.json().flatten_event(true)).init(),
    }
}

fn stop() -> std::io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

fn greet(url: &str, kept: &str) {
    let version = env!("CARGO_PKG_VERSION");
    say(&format!(
        r#"turnkeeper {version} serves on {url}
encounters: {kept}
try it out: {url}/docs
first call: curl -s {url}/v1/encounters -H 'Content-Type: application/json' -d '{{"ruleset": "active-initiative", "combatants": [{{"name": "Valiant"}}, {{"name": "Brakkus", "side": "monsters"}}]}}'"#
    ));
}

/// Prints a line; whoever closed our output does not want it.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn reason(error: impl Display) -> String {
    error.to_string()
}

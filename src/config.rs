//! The one reader of the configuration: the environment, and arguments of the same names.

use crate::app::{AppKeys, Limits, Rate, app_name};
use crate::http::{BasePath, Origins, Settings};
use crate::lambda;
use crate::store::StoreConfig;
use axum::http::HeaderName;
use clap::error::{ContextKind, ContextValue};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use serde_json::json;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use tracing_subscriber::filter::{LevelFilter, Targets};

/// Runs the turn order of tabletop combat behind a REST API.
///
/// Without a subcommand it serves. Every setting is an environment variable, or an argument; an argument wins.
#[derive(Debug, Parser)]
#[command(name = "turnkeeper", version)]
pub struct Config {
    /// What to do instead of serving.
    #[command(subcommand)]
    pub task: Option<Task>,

    /// The settings of the server.
    #[command(flatten)]
    pub server: Server,
}

impl Config {
    /// Reads the environment and the arguments. What is wrong with them is printed and ends the program.
    pub fn read() -> Self {
        Self::try_parse().unwrap_or_else(|error| {
            let error = named(error);
            if lambda::present() {
                // Log lines are JSON there, and the log has not begun.
                eprintln!("{}", json!({"level": "ERROR", "message": "does not serve", "reason": error.to_string()}));
                std::process::exit(error.exit_code());
            }
            error.exit()
        })
    }
}

/// Names the environment variable beside the argument: it is what most people have set.
fn named(mut error: clap::Error) -> clap::Error {
    let mut command = Config::command();
    command.build();
    let name = |shown: &str| {
        let setting = command.get_arguments().find(|setting| setting.to_string() == shown);
        let variable = setting.and_then(|setting| setting.get_env()).map(|variable| variable.to_string_lossy());
        variable.map_or(shown.to_owned(), |variable| format!("{variable} ({shown})"))
    };
    let wrong = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(shown)) => ContextValue::String(name(shown)),
        Some(ContextValue::Strings(shown)) => ContextValue::Strings(shown.iter().map(|shown| name(shown)).collect()),
        _ => return error,
    };
    error.insert(ContextKind::InvalidArg, wrong);
    error
}

/// What the program can do besides serving.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum Task {
    /// Make a key for an application: prints it, and the NAME=DIGEST that TURNKEEPER_APP_KEYS or its file takes.
    AppKey {
        /// The application's name: small letters, digits, hyphens, underscores.
        #[arg(value_parser = |name: &str| app_name(name).map(str::to_owned))]
        name: String,
    },
    /// Print the OpenAPI document.
    Openapi,
    /// Ask the server on this machine whether it is ready; ends with 1 where it is not. For container health checks.
    Healthy,
}

/// The settings of the server.
#[derive(Debug, Clone, Args)]
pub struct Server {
    /// Where to listen; port 0 takes any free one, printed at start.
    #[arg(long, env = "TURNKEEPER_LISTEN", default_value = "127.0.0.1:8080", value_name = "ADDRESS:PORT", value_parser = address)]
    pub listen: SocketAddr,

    /// The Redis that keeps the encounters: redis:// or rediss:// (TLS), several with commas for a cluster. Without it they are
    /// kept in the embedded store.
    #[arg(long, env = "REDIS_URL", value_name = "URL", hide_env_values = true)]
    pub redis_url: Option<String>,

    /// A PEM file with the certificate authorities to trust for rediss://, instead of the public ones.
    #[arg(long, env = "TURNKEEPER_REDIS_CA", value_name = "FILE", requires = "redis_url")]
    pub redis_ca: Option<PathBuf>,

    /// A PEM file with the certificate to show to a rediss:// server that asks for one.
    #[arg(long, env = "TURNKEEPER_REDIS_CERT", value_name = "FILE", requires = "redis_key", requires = "redis_url")]
    pub redis_cert: Option<PathBuf>,

    /// A PEM file with the key of that certificate.
    #[arg(long, env = "TURNKEEPER_REDIS_KEY", value_name = "FILE", requires = "redis_cert")]
    pub redis_key: Option<PathBuf>,

    /// The directory of the embedded store, made where it is missing; ./turnkeeper-data where none is given.
    #[arg(long, env = "TURNKEEPER_DATA", value_name = "DIRECTORY")]
    pub data: Option<PathBuf>,

    /// How long an encounter may be idle before it is gone: such as 30d, 12h, 15m, 90s; 0 = for ever.
    #[arg(long, env = "TURNKEEPER_TTL", default_value = "30d", value_name = "TIME", value_parser = span)]
    pub ttl: Duration,

    /// A path below which a proxy or a gateway shows the service, such as /turns: taken off where it comes along.
    #[arg(long, env = "TURNKEEPER_BASE_PATH", value_name = "PATH")]
    pub base_path: Option<BasePath>,

    /// The applications that may create, import and list encounters, as NAME=DIGEST pairs with commas; one name may have several.
    /// Without any, whoever reaches the server may create.
    #[arg(long, env = "TURNKEEPER_APP_KEYS", value_name = "PAIRS", hide_env_values = true)]
    pub app_keys: Option<String>,

    /// A file with more such pairs, one a line, # before remarks; read again when it changes: keys come and go without a restart.
    #[arg(long, env = "TURNKEEPER_APP_KEYS_FILE", value_name = "FILE")]
    pub app_keys_file: Option<PathBuf>,

    /// How often an application may ask, over all of its keys: such as 600/1m. Not limited where nothing is said.
    #[arg(long, env = "TURNKEEPER_RATE_APPLICATION", value_name = "RATE")]
    pub rate_application: Option<Rate>,

    /// How often a token of an encounter may ask: such as 300/1m. Tokens that no encounter knows are then limited too, by their address.
    /// Not limited where nothing is said.
    #[arg(long, env = "TURNKEEPER_RATE_TOKEN", value_name = "RATE")]
    pub rate_token: Option<Rate>,

    /// How often an address may ask without a key, or with tokens that no encounter knows: such as 60/1m. Not limited where nothing is
    /// said.
    #[arg(long, env = "TURNKEEPER_RATE_ADDRESS", value_name = "RATE")]
    pub rate_address: Option<Rate>,

    /// The header in which the proxy before the server says whom it speaks for, such as x-forwarded-for; its last entry counts.
    #[arg(long, env = "TURNKEEPER_CLIENT_HEADER", value_name = "HEADER", value_parser = header)]
    pub client_header: Option<HeaderName>,

    /// The origins whose web pages may call: * for all, none, or a list with commas.
    #[arg(long, env = "TURNKEEPER_CORS_ORIGINS", default_value = "*", value_name = "ORIGINS")]
    pub cors_origins: Origins,

    /// The largest request body, in bytes.
    #[arg(long, env = "TURNKEEPER_BODY_LIMIT", default_value_t = 262_144, value_name = "BYTES",
        value_parser = |text: &str| whole(text, 1024, 16_777_216))]
    pub body_limit: u64,

    /// How long a request may take to arrive and be answered: such as 30s. A long poll (wait) is answered a second before.
    #[arg(long, env = "TURNKEEPER_REQUEST_TIMEOUT", default_value = "30s", value_name = "TIME", value_parser = some_span)]
    pub request_timeout: Duration,

    /// How long a stream of events goes on before its client has to come back: such as 5m.
    #[arg(long, env = "TURNKEEPER_STREAM_TIME", default_value = "5m", value_name = "TIME", value_parser = some_span)]
    pub stream_time: Duration,

    /// How long a stream may be silent before it says that it is still there: such as 15s.
    #[arg(long, env = "TURNKEEPER_KEEP_ALIVE", default_value = "15s", value_name = "TIME", value_parser = some_span)]
    pub keep_alive: Duration,

    /// The largest log that can be imported, in bytes.
    #[arg(long, env = "TURNKEEPER_IMPORT_LIMIT", default_value_t = 16_777_216, value_name = "BYTES",
        value_parser = |text: &str| whole(text, 1024, 268_435_456))]
    pub import_limit: u64,

    /// How many MiB of request bodies the process holds at a time, half of them for imports; a request beyond is answered 503. A single
    /// body of the largest size always fits.
    #[arg(long, env = "TURNKEEPER_BODIES_MIB", default_value_t = 64, value_name = "MIB",
        value_parser = |text: &str| whole(text, 1, 65_536))]
    pub bodies_mib: u64,

    /// How many of the newest entries of an encounter's log are kept at least, and up to 511 more; 0 = all.
    #[arg(long, env = "TURNKEEPER_LOG_KEEP", default_value_t = crate::app::KEEP, value_name = "ENTRIES",
        value_parser = |text: &str| whole(text, 0, 1_000_000_000))]
    pub log_keep: u64,

    /// How many MiB of encounters the process remembers to save reads; 0 = none.
    #[arg(long, env = "TURNKEEPER_CACHE_MIB", default_value_t = 32, value_name = "MIB",
        value_parser = |text: &str| whole(text, 0, 65_536))]
    pub cache_mib: u64,

    /// What is logged, to standard error: off, error, warn, info, debug, trace, or levels of parts such as turnkeeper=debug,warn.
    #[arg(long, env = "TURNKEEPER_LOG", default_value = "info", value_name = "LEVEL", value_parser = levels)]
    pub log: Targets,

    /// How log lines look; json on Lambda and text elsewhere where nothing is said.
    #[arg(long, env = "TURNKEEPER_LOG_FORMAT", value_name = "FORMAT")]
    pub log_format: Option<LogFormat>,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// One line of text.
    Text,
    /// One JSON object a line.
    Json,
}

impl Server {
    /// How long the store keeps what it is given.
    pub fn store(&self) -> StoreConfig {
        StoreConfig { ttl: (!self.ttl.is_zero()).then_some(self.ttl), ..StoreConfig::default() }
    }

    /// The settings of the HTTP floor.
    pub fn http(&self) -> Settings {
        Settings {
            origins: self.cors_origins.clone(),
            body_limit: usize::try_from(self.body_limit).unwrap_or(usize::MAX),
            timeout: self.request_timeout,
            stream_time: self.stream_time,
            keep_alive: self.keep_alive,
            import_limit: usize::try_from(self.import_limit).unwrap_or(usize::MAX),
            bodies: usize::try_from(self.bodies_mib.saturating_mul(1024 * 1024)).unwrap_or(usize::MAX),
            limits: Limits { application: self.rate_application, token: self.rate_token, address: self.rate_address },
            client_header: self.client_header.clone(),
        }
    }

    /// The keys of the applications, from where they are now. An error names what is wrong, and no key.
    pub fn app_keys(&self) -> Result<AppKeys, String> {
        let named = |what: &str| format!("{what}: ");
        let given = self.app_keys.as_deref().unwrap_or_default();
        let given = AppKeys::read(given).map_err(|error| named("TURNKEEPER_APP_KEYS") + &error)?;
        let Some(file) = &self.app_keys_file else { return Ok(given) };
        let place = named(&format!("TURNKEEPER_APP_KEYS_FILE: {}", file.display()));
        let text = std::fs::read_to_string(file).map_err(|error| format!("{place}{error}"))?;
        let filed = AppKeys::read(&text).and_then(|filed| match filed.is_empty() {
            true => Err("there is no key in it".to_owned()),
            false => given.and(filed),
        });
        filed.map_err(|error| place + &error)
    }

    /// How many bytes of encounters the process remembers.
    pub fn memory(&self) -> u64 {
        self.cache_mib.saturating_mul(1024 * 1024)
    }
}

/// A Redis URL (or several) without what must not be printed: user, password and parameters.
pub fn presentable(urls: &str) -> String {
    let shown = urls.split(',').map(|url| {
        let (scheme, rest) = url.trim().split_once("://").unwrap_or(("redis", ""));
        let place = rest.rsplit_once('@').map_or(rest, |(_, place)| place);
        let place = place.split(['?', '#']).next().unwrap_or_default();
        format!("{scheme}://{place}")
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// An address and a port. Names are not looked up: one may stand for several addresses, and a server listens on one.
fn address(text: &str) -> Result<SocketAddr, String> {
    const SHAPE: &str = "write an IP address and a port, such as 127.0.0.1:8080, [::1]:8080, or 0.0.0.0:8080 for every interface: names are not looked up";
    text.parse().map_err(|_| SHAPE.to_owned())
}

/// A header's name.
fn header(text: &str) -> Result<HeaderName, String> {
    text.parse().map_err(|_| "write a header's name, such as x-forwarded-for".to_owned())
}

/// A whole number in this range.
fn whole(text: &str, least: u64, most: u64) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("write a whole number from {least} to {most}"))
}

/// What is logged: a level for all, levels for parts of the program, or both. What says nothing of the program itself is refused, for
/// it would silence it.
fn levels(text: &str) -> Result<Targets, String> {
    const LEVELS: [(&str, LevelFilter); 6] = [
        ("off", LevelFilter::OFF),
        ("error", LevelFilter::ERROR),
        ("warn", LevelFilter::WARN),
        ("info", LevelFilter::INFO),
        ("debug", LevelFilter::DEBUG),
        ("trace", LevelFilter::TRACE),
    ];
    let wrong = || {
        let known = LEVELS.map(|(name, _)| name).join(", ");
        format!("write a level ({known}), or levels of parts of the program too, such as turnkeeper=debug,warn")
    };
    let (mut targets, mut told) = (Targets::new(), false);
    for directive in text.split(',').map(str::trim) {
        let (part, level) = directive.split_once('=').map_or((None, directive), |(part, level)| (Some(part), level));
        let level = LEVELS.iter().find(|(name, _)| level.eq_ignore_ascii_case(name)).ok_or_else(wrong)?.1;
        targets = match part {
            Some(part) if !part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b':') => {
                return Err(wrong());
            }
            Some(part) => targets.with_target(part, level),
            None => targets.with_default(level),
        };
        told |= part.is_none_or(|part| part == "turnkeeper" || part.starts_with("turnkeeper::"));
    }
    if told { Ok(targets) } else { Err(wrong()) }
}

/// A time such as `30d`, `12h`, `15m` or `90s`; a bare `0` is none.
fn span(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is no time: write a whole number and a unit, such as 30d, 12h, 15m, 90s, or 0");
    let text = text.trim();
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    let unit = text.chars().last().ok_or_else(wrong)?;
    let number: u64 = text.strip_suffix(unit).and_then(|number| number.parse().ok()).ok_or_else(wrong)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 60 * 60,
        'd' => 24 * 60 * 60,
        _ => return Err(wrong()),
    };
    // A century: what is longer is for ever, and Redis counts milliseconds in 64 bits.
    const MOST: u64 = 100 * 366 * 24 * 60 * 60;
    let seconds = number.checked_mul(seconds).filter(|seconds| *seconds <= MOST);
    seconds.map(Duration::from_secs).ok_or_else(|| format!("{text} is more than a century: 0 means for ever"))
}

/// A time that is not zero.
fn some_span(text: &str) -> Result<Duration, String> {
    span(text).and_then(|time| if time.is_zero() { Err("it must be more than 0".to_owned()) } else { Ok(time) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        <Config as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn levels_say_what_becomes_of_the_programs_own_lines() {
        let enabled = |text: &str, target: &str, level| levels(text).expect(text).would_enable(target, &level);
        use tracing::Level;
        assert!(enabled("info", "turnkeeper::request", Level::INFO) && !enabled("info", "turnkeeper", Level::DEBUG));
        assert!(enabled("turnkeeper=debug,warn", "turnkeeper::request", Level::DEBUG));
        assert!(
            !enabled("turnkeeper=debug, warn", "hyper", Level::INFO) && !enabled("OFF", "turnkeeper", Level::ERROR)
        );
        for wrong in ["", "foo", "info,", "hyper=debug", "turnkeeper=loud", "=", "a b=info,info", "turnkeeper[x]=info"]
        {
            assert!(levels(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_have_units() {
        assert_eq!(span("30d"), Ok(Duration::from_secs(30 * 86_400)));
        assert_eq!(span("12h"), Ok(Duration::from_secs(43_200)));
        assert_eq!(span("15m"), Ok(Duration::from_secs(900)));
        assert_eq!(span("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(span("0"), Ok(Duration::ZERO));
        for wrong in ["", "30", "d", "-1d", "1.5h", "3 weeks", "99999999999999999999d", "999999999d", "1é"] {
            assert!(span(wrong).is_err(), "{wrong}");
        }
        assert!(some_span("0").is_err() && some_span("0s").is_err());
    }

    #[test]
    fn what_is_printed_of_a_redis_url_holds_no_secret() {
        let urls = "rediss://user:p@ss@cache.example:6380/2?token=x, redis://:secret@10.0.0.1:6379";
        assert_eq!(presentable(urls), "rediss://cache.example:6380/2, redis://10.0.0.1:6379");
        assert_eq!(presentable("secret"), "redis://");
    }
}

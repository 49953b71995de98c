//! The configuration: environment variables, and arguments of the same names.

use crate::app::{AppKeys, Limits, Rate, app_name};
use crate::http::{BasePath, Origins, Settings};
use crate::lambda;
use crate::store::StoreConfig;
use axum::http::HeaderName;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, Args, Command, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use serde_json::json;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;
use tracing_subscriber::filter::Targets;

/// Runs the turn order of tabletop combat behind a REST API.
///
/// Without a subcommand it serves. Every setting is an environment variable or an argument; an
/// argument wins. An invalid setting stops the program with a message that names the variable.
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
    /// Reads the environment and the arguments. An invalid setting ends the program with a message.
    pub fn read() -> Self {
        Self::try_parse().unwrap_or_else(|error| {
            let error = named(error);
            // A setting that is missing may be there under a misspelt name.
            let mut unknown = Vec::new();
            if error.use_stderr() {
                let command = Self::command();
                unknown = unknown_variables(&command, &variables(settings(&command)));
            }
            if lambda::present() {
                for message in unknown {
                    eprintln!("{}", json!({"level": "WARN", "message": message}));
                }
                // Log lines are JSON there, and the log has not started.
                let reason = error.to_string();
                let line = json!({"level": "ERROR", "message": "does not serve", "reason": reason});
                eprintln!("{line}");
                std::process::exit(error.exit_code());
            }
            for message in unknown {
                eprintln!("turnkeeper: {message}");
            }
            error.exit()
        })
    }

    /// Returns a warning for each environment variable that looks like a setting and is none. A
    /// misspelt setting would pass unnoticed.
    pub fn unknown_variables(&self) -> Vec<String> {
        let command = Self::command();
        let meant = match self.task {
            Some(Task::Follow(_)) => variables(settings(&command)),
            _ => variables(command.get_arguments()),
        };
        unknown_variables(&command, &meant)
    }
}

/// The beginning of the name of every setting's variable, but for `REDIS_URL`.
const PREFIX: &str = "TURNKEEPER_";

/// The environment variables of some settings.
fn variables<'c>(settings: impl Iterator<Item = &'c Arg>) -> Vec<&'c str> {
    settings
        .filter_map(|setting| setting.get_env()?.to_str())
        .collect()
}

/// Returns a warning for each environment variable with the prefix that is no setting. It names the
/// most similar of those that may be meant, and no value: that may be a secret.
fn unknown_variables(command: &Command, meant: &[&str]) -> Vec<String> {
    let known = variables(settings(command));
    let mut names: Vec<String> = std::env::vars_os()
        .map(|(name, _)| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    let mut warnings = Vec::new();
    for name in &names {
        let is_setting = known.contains(&name.as_str());
        if name.starts_with(PREFIX) && !is_setting && !is_of_kubernetes(name, &names) {
            let remedy = match similar(name, meant) {
                Some(setting) => format!("Did you mean {setting}?"),
                None => "\"turnkeeper --help\" lists the settings.".to_owned(),
            };
            warnings.push(format!("Unknown setting {name} is ignored. {remedy}"));
        }
    }
    warnings
}

/// Kubernetes gives a pod some variables for each Service of its namespace: for one that is named
/// `turnkeeper`, `TURNKEEPER_SERVICE_HOST`, `TURNKEEPER_PORT` and others.
fn is_of_kubernetes(name: &str, names: &[String]) -> bool {
    let mut services = names
        .iter()
        .filter_map(|name| name.strip_suffix("_SERVICE_HOST"));
    services.any(|service| {
        let rest = name.strip_prefix(service);
        rest.is_some_and(|rest| rest.starts_with("_SERVICE_") || rest.starts_with("_PORT"))
    })
}

/// The most similar setting, if a letter or a quarter of the letters makes the difference.
fn similar<'s>(name: &str, settings: &[&'s str]) -> Option<&'s str> {
    let name = without_prefix(name);
    let most = (name.chars().count() / 4).max(1);
    let with_distance = settings.iter().map(|setting| {
        (
            strsim::osa_distance(name, without_prefix(setting)),
            *setting,
        )
    });
    let (distance, setting) = with_distance.min()?;
    (distance <= most).then_some(setting)
}

fn without_prefix(name: &str) -> &str {
    name.strip_prefix(PREFIX).unwrap_or(name)
}

/// Returns the script from which a shell completes the program's subcommands and arguments.
pub fn completions(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Config::command(), "turnkeeper", &mut script);
    script
}

/// Adds the environment variable's name to an error about an argument.
fn named(mut error: clap::Error) -> clap::Error {
    let mut command = Config::command();
    command.build();
    let wrong = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(argument)) => {
            ContextValue::String(with_variable(&command, argument))
        }
        Some(ContextValue::Strings(arguments)) => {
            let mut names = Vec::new();
            for argument in arguments {
                names.push(with_variable(&command, argument));
            }
            ContextValue::Strings(names)
        }
        _ => return error,
    };
    error.insert(ContextKind::InvalidArg, wrong);
    error
}

/// An argument with its environment variable before it.
fn with_variable(command: &Command, argument: &str) -> String {
    for setting in settings(command) {
        if setting.to_string() == argument
            && let Some(variable) = setting.get_env()
        {
            return format!("{} ({argument})", variable.to_string_lossy());
        }
    }
    argument.to_owned()
}

/// The arguments of the program and of its subcommands. Those with a variable have the variable's
/// name, so no two of them have the same.
fn settings(command: &Command) -> impl Iterator<Item = &Arg> {
    let subcommands = command.get_subcommands();
    let theirs = subcommands.flat_map(Command::get_arguments);
    command.get_arguments().chain(theirs)
}

/// The subcommands.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum Task {
    /// Make a key for an application. Prints the key, and the NAME=DIGEST for TURNKEEPER_APP_KEYS
    /// or its file.
    AppKey {
        /// The application's name: small letters, digits, hyphens, underscores.
        #[arg(value_parser = |name: &str| app_name(name).map(str::to_owned))]
        name: String,
    },
    /// Copy the embedded store to a new file, also while its server runs.
    Backup {
        /// The file to write. It must not exist.
        file: PathBuf,
    },
    /// Check a file of the embedded store, also while its server runs, and say what is damaged. Exits
    /// with 1 if anything is.
    Check {
        /// The file. Default: that in the directory of TURNKEEPER_DATA.
        file: Option<PathBuf>,
    },
    /// Print the completions of a shell, which completes subcommands and arguments from them.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Post what happens in an encounter to a webhook or to Discord, as far as a token sees it.
    ///
    /// Every setting is an environment variable or an argument; an argument wins.
    #[command(override_usage = "turnkeeper follow [OPTIONS] <ENCOUNTER>")]
    Follow(Box<Follow>),
    /// Print the OpenAPI document that fits all rulesets, or the one of a ruleset.
    Openapi {
        /// The id of the ruleset.
        ruleset: Option<String>,
    },
    /// Ask the server on this machine whether it is ready, for container health checks. Exits with
    /// 1 if it is not.
    Healthy,
}

/// The settings of `turnkeeper follow`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Follow {
    /// The id of the encounter.
    pub encounter: String,

    /// The address that gets the posts. That of a channel of Discord is a secret: set the variable.
    #[arg(
        long,
        env = "TURNKEEPER_POST",
        value_name = "URL",
        hide_env_values = true
    )]
    pub post: String,

    /// The address of the server.
    #[arg(
        long,
        env = "TURNKEEPER_SERVER",
        value_name = "URL",
        default_value = "http://127.0.0.1:8080"
    )]
    pub server: String,

    /// A token of the encounter. The posts hold what it sees. Other users of this machine can read
    /// arguments, so set the variable.
    #[arg(
        long,
        env = "TURNKEEPER_TOKEN",
        value_name = "TOKEN",
        hide_env_values = true
    )]
    pub token: String,

    /// The format of the posts.
    #[arg(
        long,
        env = "TURNKEEPER_POST_FORMAT",
        value_name = "FORMAT",
        default_value = "webhook"
    )]
    pub post_format: PostFormat,

    /// The secret that signs the posts to a webhook: whsec_ and random bytes in base64. Set the
    /// variable.
    #[arg(
        long,
        env = "TURNKEEPER_POST_SECRET",
        value_name = "SECRET",
        hide_env_values = true
    )]
    pub post_secret: Option<String>,

    /// Post every change, and not only those in which a turn, a round or the fight starts, the
    /// fight ends, or something is undone or redone.
    #[arg(long, env = "TURNKEEPER_POST_ALL")]
    pub post_all: bool,

    /// A game master's token of the encounter, by which posts mention whose turn starts: combatants have
    /// a `mention`, which no other viewer reads. Set the variable.
    #[arg(
        long,
        env = "TURNKEEPER_MENTION_TOKEN",
        value_name = "TOKEN",
        hide_env_values = true
    )]
    pub mention_token: Option<String>,

    /// Post also to addresses that are not public, such as 127.0.0.1 or 192.168.0.2, and by
    /// http://.
    #[arg(long, env = "TURNKEEPER_POST_PRIVATE")]
    pub post_private: bool,

    /// The file that keeps the last change, after which the next start continues. Default: one for
    /// the encounter and the address in the directory of TURNKEEPER_DATA.
    #[arg(long, env = "TURNKEEPER_POSITION", value_name = "FILE")]
    pub position: Option<PathBuf>,
}

/// The format of posts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PostFormat {
    /// JSON, signed as Standard Webhooks say.
    Webhook,
    /// A message for a webhook of Discord.
    Discord,
}

/// The settings of the server.
#[derive(Debug, Clone, Args)]
pub struct Server {
    /// The address to listen on. Port 0 takes a free port and prints it.
    #[arg(long, env = "TURNKEEPER_LISTEN", default_value = "127.0.0.1:8080",
        value_name = "ADDRESS:PORT", value_parser = address)]
    pub listen: SocketAddr,

    /// The Redis that stores the encounters: redis:// or rediss:// (TLS), or several with commas
    /// for a cluster. Without it the embedded store is used.
    #[arg(long, env = "REDIS_URL", value_name = "URL", hide_env_values = true)]
    pub redis_url: Option<String>,

    /// A PEM file with the certificate authorities to trust for rediss://, instead of the public
    /// ones.
    #[arg(
        long,
        env = "TURNKEEPER_REDIS_CA",
        value_name = "FILE",
        requires = "redis_url"
    )]
    pub redis_ca: Option<PathBuf>,

    /// A PEM file with the client certificate for rediss://.
    #[arg(
        long,
        env = "TURNKEEPER_REDIS_CERT",
        value_name = "FILE",
        requires = "redis_key",
        requires = "redis_url"
    )]
    pub redis_cert: Option<PathBuf>,

    /// A PEM file with the key of the client certificate.
    #[arg(
        long,
        env = "TURNKEEPER_REDIS_KEY",
        value_name = "FILE",
        requires = "redis_cert"
    )]
    pub redis_key: Option<PathBuf>,

    /// The directory of the embedded store. It is created if it is missing. Default:
    /// ./turnkeeper-data.
    #[arg(long, env = "TURNKEEPER_DATA", value_name = "DIRECTORY")]
    pub data: Option<PathBuf>,

    /// The time after which an idle encounter is deleted, such as 30d, 12h, 15m or 90s; 0 keeps it
    /// for ever.
    #[arg(long, env = "TURNKEEPER_TTL", default_value = "30d", value_name = "TIME",
        value_parser = time)]
    pub ttl: Duration,

    /// The path below which a proxy shows the service, such as /turns. It is removed from requests
    /// that have it.
    #[arg(long, env = "TURNKEEPER_BASE_PATH", value_name = "PATH")]
    pub base_path: Option<BasePath>,

    /// The applications that may create, import and list encounters, as NAME=DIGEST pairs with
    /// commas. A name may have several keys. Without any pair, every client may create encounters.
    #[arg(
        long,
        env = "TURNKEEPER_APP_KEYS",
        value_name = "PAIRS",
        hide_env_values = true
    )]
    pub app_keys: Option<String>,

    /// A file with more pairs, one a line, with comments after #. It is read again when it changes,
    /// without a restart.
    #[arg(long, env = "TURNKEEPER_APP_KEYS_FILE", value_name = "FILE")]
    pub app_keys_file: Option<PathBuf>,

    /// The maximum requests of an application over all its keys, such as 600/1m. Default: no limit.
    #[arg(long, env = "TURNKEEPER_RATE_APPLICATION", value_name = "RATE")]
    pub rate_application: Option<Rate>,

    /// The maximum requests of a token, such as 300/1m. Requests with an invalid token count
    /// against their address. Default: no limit.
    #[arg(long, env = "TURNKEEPER_RATE_TOKEN", value_name = "RATE")]
    pub rate_token: Option<Rate>,

    /// The maximum requests of an address without a key or with invalid tokens, such as 60/1m.
    /// Default: no limit.
    #[arg(long, env = "TURNKEEPER_RATE_ADDRESS", value_name = "RATE")]
    pub rate_address: Option<Rate>,

    /// The header in which the proxy names the client, such as x-forwarded-for. Its last entry
    /// counts.
    #[arg(long, env = "TURNKEEPER_CLIENT_HEADER", value_name = "HEADER", value_parser = header)]
    pub client_header: Option<HeaderName>,

    /// The origins whose web pages may call: * for all, none, or a list with commas.
    #[arg(
        long,
        env = "TURNKEEPER_CORS_ORIGINS",
        default_value = "*",
        value_name = "ORIGINS"
    )]
    pub cors_origins: Origins,

    /// true serves the page at /table, to look at a fight and play it; false serves no page.
    #[arg(long, env = "TURNKEEPER_TABLE", default_value_t = true, action = ArgAction::Set,
        value_name = "BOOLEAN")]
    pub table: bool,

    /// true serves language models at /mcp, by the Model Context Protocol; false does not.
    #[arg(long, env = "TURNKEEPER_MCP", default_value_t = true, action = ArgAction::Set,
        value_name = "BOOLEAN")]
    pub mcp: bool,

    /// The largest request body, in bytes.
    #[arg(long, env = "TURNKEEPER_BODY_LIMIT", default_value_t = 262_144, value_name = "BYTES",
        value_parser = |text: &str| integer::<usize>(text, 1024, 16_777_216))]
    pub body_limit: usize,

    /// The time limit of a request, its body and answer included, such as 30s. A long poll (wait)
    /// is answered a second earlier.
    #[arg(long, env = "TURNKEEPER_REQUEST_TIMEOUT", default_value = "30s", value_name = "TIME",
        value_parser = positive_time)]
    pub request_timeout: Duration,

    /// The time after which a stream of events closes, such as 5m. Clients reconnect.
    #[arg(long, env = "TURNKEEPER_STREAM_TIME", default_value = "5m", value_name = "TIME",
        value_parser = positive_time)]
    pub stream_time: Duration,

    /// The time after which a quiet stream sends a keep-alive, such as 15s.
    #[arg(long, env = "TURNKEEPER_KEEP_ALIVE", default_value = "15s", value_name = "TIME",
        value_parser = positive_time)]
    pub keep_alive: Duration,

    /// The largest log that can be imported, in bytes.
    #[arg(long, env = "TURNKEEPER_IMPORT_LIMIT", default_value_t = 16_777_216, value_name = "BYTES",
        value_parser = |text: &str| integer::<usize>(text, 1024, 268_435_456))]
    pub import_limit: usize,

    /// The MiB of request bodies that the process holds at a time, half of them for imports, and as
    /// many of answers that clients have not read yet. A client gets an eighth, an encounter a
    /// quarter. Requests beyond are answered 503. One body of the largest size always fits.
    #[arg(long, env = "TURNKEEPER_BODIES_MIB", default_value_t = 64, value_name = "MIB",
        value_parser = |text: &str| integer::<usize>(text, 1, 65_536))]
    pub bodies_mib: usize,

    /// The minimum number of newest log entries that each encounter keeps; 0 keeps all. Older ones
    /// are dropped only at every 256th entry, so up to 511 more may be there.
    #[arg(long, env = "TURNKEEPER_LOG_KEEP", default_value_t = crate::app::DEFAULT_LOG_KEEP,
        value_name = "ENTRIES",
        value_parser = |text: &str| integer::<u64>(text, 0, 1_000_000_000))]
    pub log_keep: u64,

    /// The maximum MiB of the log of each encounter; 0 is any number. Beyond it the oldest entries
    /// are dropped, also of those that TURNKEEPER_LOG_KEEP keeps.
    #[arg(long, env = "TURNKEEPER_LOG_MIB", default_value_t = crate::app::DEFAULT_LOG_MIB,
        value_name = "MIB",
        value_parser = |text: &str| integer::<u64>(text, 0, 65_536))]
    pub log_mib: u64,

    /// The MiB of encounters that the process caches; 0 caches none.
    #[arg(long, env = "TURNKEEPER_CACHE_MIB", default_value_t = 32, value_name = "MIB",
        value_parser = |text: &str| integer::<u64>(text, 0, 65_536))]
    pub cache_mib: u64,

    /// The address where /metrics answers Prometheus, such as 127.0.0.1:9090. On Lambda `emf`, for
    /// lines that CloudWatch reads. Without it nothing is measured.
    #[arg(long, env = "TURNKEEPER_METRICS", value_name = "ADDRESS:PORT")]
    pub metrics: Option<MetricsReader>,

    /// The time that the server still accepts requests after SIGTERM, such as 5s. /readyz answers 503
    /// from the signal on, so that a load balancer sends its requests elsewhere.
    #[arg(long, env = "TURNKEEPER_DRAIN_TIME", default_value = "0s", value_name = "TIME",
        value_parser = time)]
    pub drain_time: Duration,

    /// The level of the log on standard error: off, error, warn, info, debug, trace, or levels of
    /// modules such as turnkeeper=debug,warn.
    #[arg(long, env = "TURNKEEPER_LOG", default_value = "info", value_name = "LEVEL",
        value_parser = levels)]
    pub log: Targets,

    /// The format of log lines. Default: json on Lambda, else text.
    #[arg(long, env = "TURNKEEPER_LOG_FORMAT", value_name = "FORMAT")]
    pub log_format: Option<LogFormat>,
}

/// The reader of metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricsReader {
    /// Prometheus, at this address.
    Prometheus(SocketAddr),
    /// CloudWatch, from lines of its Embedded Metric Format.
    CloudWatch,
}

impl FromStr for MetricsReader {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "emf" {
            return Ok(Self::CloudWatch);
        }
        address(text).map(Self::Prometheus)
    }
}

/// The format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// One line of text.
    Text,
    /// One JSON object a line.
    Json,
}

impl Server {
    /// The configuration of the store.
    pub fn store(&self) -> StoreConfig {
        StoreConfig {
            ttl: (!self.ttl.is_zero()).then_some(self.ttl),
            ..StoreConfig::default()
        }
    }

    /// The directory of the embedded store.
    pub fn directory(&self) -> PathBuf {
        self.data
            .clone()
            .unwrap_or_else(|| PathBuf::from("./turnkeeper-data"))
    }

    /// The settings of the HTTP layer.
    pub fn http(&self) -> Settings {
        Settings {
            origins: self.cors_origins.clone(),
            body_limit: self.body_limit,
            timeout: self.request_timeout,
            stream_time: self.stream_time,
            keep_alive: self.keep_alive,
            import_limit: self.import_limit,
            body_budget: self.bodies_mib.saturating_mul(1024 * 1024),
            limits: Limits {
                application: self.rate_application,
                token: self.rate_token,
                address: self.rate_address,
            },
            client_header: self.client_header.clone(),
            table: self.table,
            mcp: self.mcp,
        }
    }

    /// Reads the keys of the applications from the variable and the file. An error names the
    /// setting, and no key.
    pub fn app_keys(&self) -> Result<AppKeys, String> {
        let keys = AppKeys::read(self.app_keys.as_deref().unwrap_or_default());
        let keys = keys.map_err(|error| format!("TURNKEEPER_APP_KEYS: {error}"))?;
        let Some(file) = &self.app_keys_file else {
            return Ok(keys);
        };
        let filed = keys_of_file(file).and_then(|filed| keys.and(filed));
        filed.map_err(|error| format!("TURNKEEPER_APP_KEYS_FILE: {}: {error}", file.display()))
    }
}

fn keys_of_file(file: &Path) -> Result<AppKeys, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let keys = AppKeys::read(&text)?;
    if keys.is_empty() {
        return Err("it has no key".to_owned());
    }
    Ok(keys)
}

/// An address and a port. A name may have several addresses, and a server listens on one.
fn address(text: &str) -> Result<SocketAddr, String> {
    const SHAPE: &str = "write an IP address and a port, such as 127.0.0.1:8080, [::1]:8080, or \
                         0.0.0.0:8080 for every interface: names are not looked up";
    text.parse().map_err(|_| SHAPE.to_owned())
}

fn header(text: &str) -> Result<HeaderName, String> {
    text.parse()
        .map_err(|_| "write a header's name, such as x-forwarded-for".to_owned())
}

fn integer<N: TryFrom<u64>>(text: &str, min: u64, max: u64) -> Result<N, String> {
    if let Ok(number) = text.parse()
        && (min..=max).contains(&number)
        && let Ok(number) = N::try_from(number)
    {
        return Ok(number);
    }
    Err(format!("write an integer from {min} to {max}"))
}

/// A level for all log lines, levels for modules, or both. Levels that leave out this program are
/// refused: they would silence it.
fn levels(text: &str) -> Result<Targets, String> {
    const SHAPE: &str = "write a level (off, error, warn, info, debug, trace), or levels of \
                         modules too, such as turnkeeper=debug,warn";
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    for part in &parts {
        if part.is_empty() || part.ends_with('=') {
            return Err(SHAPE.to_owned());
        }
    }
    match parts.join(",").parse() {
        Ok(targets) if cover_this_program(&targets) => Ok(targets),
        _ => Err(SHAPE.to_owned()),
    }
}

fn cover_this_program(targets: &Targets) -> bool {
    let own = |module: &str| module == "turnkeeper" || module.starts_with("turnkeeper::");
    targets.default_level().is_some() || targets.iter().any(|(module, _)| own(module))
}

/// A time such as `30d`, `12h`, `15m` or `90s`; `0` is a time of zero.
fn time(text: &str) -> Result<Duration, String> {
    // A century. Redis counts milliseconds in 64 bits.
    const MAX: Duration = Duration::from_secs(100 * 366 * 24 * 60 * 60);
    let time = humantime::parse_duration(text).map_err(|_| {
        format!(
            "{text:?} is not a duration: write an integer and a unit, such as 30d, 12h, 15m, \
                 90s, or 0"
        )
    })?;
    if time > MAX {
        Err(format!("{text} is more than a century: 0 means for ever"))
    } else {
        Ok(time)
    }
}

fn positive_time(text: &str) -> Result<Duration, String> {
    let time = time(text)?;
    if time.is_zero() {
        return Err("it must be more than 0".to_owned());
    }
    Ok(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_has_the_name_of_its_argument() {
        let mut command = Config::command();
        command.build();
        for setting in settings(&command) {
            let Some(variable) = setting.get_env() else {
                continue;
            };
            let variable = variable.to_str().expect("text");
            let name = variable.strip_prefix("TURNKEEPER_").unwrap_or(variable);
            let argument = name.to_lowercase().replace('_', "-");
            assert_eq!(setting.get_long(), Some(argument.as_str()), "{variable}");
        }
    }

    #[test]
    fn levels_cover_the_programs_own_lines() {
        let enabled = |text: &str, target: &str, level| {
            levels(text).expect(text).would_enable(target, &level)
        };
        use tracing::Level;
        assert!(
            enabled("info", "turnkeeper::request", Level::INFO)
                && !enabled("info", "turnkeeper", Level::DEBUG)
        );
        assert!(enabled(
            "turnkeeper=debug,warn",
            "turnkeeper::request",
            Level::DEBUG
        ));
        assert!(
            !enabled("turnkeeper=debug, warn", "hyper", Level::INFO)
                && !enabled("OFF", "turnkeeper", Level::ERROR)
        );
        for wrong in [
            "",
            "foo",
            "info,",
            "hyper=debug",
            "turnkeeper=loud",
            "turnkeeper=",
            "=",
            "turnkeeper[x]=info",
        ] {
            assert!(levels(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_have_units_and_an_end() {
        assert_eq!(time("1h 30m"), Ok(Duration::from_secs(5400)));
        assert_eq!(time("0"), Ok(Duration::ZERO));
        for wrong in [
            "",
            "30",
            "d",
            "-1d",
            "3 moons",
            "99999999999999999999d",
            "999999999d",
            "1é",
        ] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
        assert!(positive_time("0").is_err() && positive_time("0s").is_err());
    }
}

//! The program as people start it.

use crate::support::client::Fight;
use crate::support::process::{isolate, search_path, turnkeeper};
use crate::support::raw::{Raw, post};
use crate::support::redis::RedisServer;
use crate::support::secrets;
use crate::support::server::Server;
use crate::support::sources::{files, text};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::{Command, Output};
use std::time::Duration;
use tempfile::TempDir;

const TIMEOUT: Duration = Duration::from_secs(15);

/// Runs the program to its end.
pub fn output(settings: &[(&str, &str)], arguments: &[&str]) -> Output {
    let directory = TempDir::new().expect("a temporary directory");
    let mut command = turnkeeper(directory.path());
    command
        .envs(settings.iter().copied())
        .args(arguments)
        .output()
        .expect("it runs")
}

/// Runs the program, which must end with this code; what it says of the reason.
#[track_caller]
pub fn fails(settings: &[(&str, &str)], arguments: &[&str], code: i32) -> String {
    let output = output(settings, arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned()
        + &String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        output.status.code(),
        Some(code),
        "{settings:?} {arguments:?}: {said}"
    );
    said
}

/// A key and its pair, made as an operator makes them.
pub fn made(name: &str) -> (String, String) {
    let said = String::from_utf8(output(&[], &["app-key", name]).stdout).expect("text");
    let last = |line: Option<&str>| {
        line.and_then(|line| line.split_whitespace().last())
            .expect("a word")
            .to_owned()
    };
    let mut lines = said.lines();
    let (key, pair) = (last(lines.next()), last(lines.next()));
    assert!(
        key.starts_with("tk_app_") && pair.starts_with(&format!("{name}=")),
        "{said}"
    );
    (key, pair)
}

#[tokio::test]
async fn it_greets_serves_logs_no_secret_and_ends_gracefully() {
    let mut server = Server::embedded();
    let (greeting, api) = (server.greeting(), server.client());
    assert!(
        greeting.contains("/docs") && greeting.contains("embedded"),
        "{greeting}"
    );
    let table = |greeting: &str| greeting.lines().any(|line| line.ends_with("/table"));
    assert!(table(&greeting), "{greeting}");
    let without_page = Server::with(&[("TURNKEEPER_TABLE", "false")]).greeting();
    assert!(!table(&without_page), "{without_page}");
    let (_, body) = greeting
        .rsplit_once("-d '")
        .expect("a curl line with a body");
    let body = body.trim_end().trim_end_matches('\'').to_owned();
    let made = api
        .post_text("/v1/encounters", body)
        .key("secret-key-of-a-creation")
        .send()
        .await;
    let fight = Fight::of(&api, &made);
    let (id, token) = (&fight.id, &fight.token);
    fight.notes(1).await;
    fight
        .get(&format!("?token={token}"))
        .send()
        .await
        .expect(422);
    api.get(&format!("/{token}?token={token}"))
        .header("x-request-id", token)
        .send()
        .await
        .expect(404);
    let own = api
        .get("/livez")
        .header("x-request-id", "my-id.1")
        .send()
        .await;
    assert_eq!(own.header("x-request-id"), "my-id.1");
    server.terminate();
    assert!(server.ended(TIMEOUT).success(), "{}", server.log());
    let log = server.log();
    assert_eq!(
        log.lines()
            .filter(|line| line.contains("turnkeeper::request"))
            .count(),
        5,
        "one line a request: {log}"
    );
    for part in [
        "POST",
        "/v1/encounters/{id}",
        "status=201",
        "status=404",
        "ms=",
        "request_id=\"my-id.1\"",
        &id[..8],
    ] {
        assert!(log.contains(part), "{part} in {log}");
    }
    secrets::none_in(&log);
    for secret in [token.trim_start_matches("tk_gm_"), id] {
        assert!(!log.contains(secret), "{secret} in {log}");
    }
    server
        .settings
        .push(("TURNKEEPER_LOG_FORMAT".to_owned(), "json".to_owned()));
    server.again();
    // Nothing is lost at a restart.
    assert_eq!(fight.through(&server.client()).log().await, [1]);
    server.terminate();
    assert!(server.ended(TIMEOUT).success(), "{}", server.log());
    let log = server.log();
    let mut lines = log
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let line = lines
        .rfind(|line| line["target"] == "turnkeeper::request")
        .expect("a line of JSON");
    assert_eq!(
        (&line["status"], &line["method"]),
        (&json!(200), &json!("GET")),
        "{line}"
    );
}

#[tokio::test]
async fn a_request_that_is_under_way_is_finished_before_it_ends() {
    let server = Server::embedded();
    let address = server.client().address().to_owned();
    let body = json!({"ruleset": "active-initiative"}).to_string();
    let mut connection =
        Raw::open(&address, post("/v1/encounters", "", body.len()).as_bytes()).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    server.terminate();
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(
        tokio::net::TcpStream::connect(&address).await.is_err(),
        "nothing new is accepted"
    );
    connection.send(body.as_bytes()).await;
    let answer = connection.rest().await;
    assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
    assert!(server.ended(TIMEOUT).success(), "{}", server.log());
}

/// What the program is given, and what it says before it ends: see `tests/settings.json`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Start {
    /// Environment variables. In their values `{key}` is an application's key, `{file}` a file that
    /// holds it, `{empty}` an empty one.
    #[serde(default)]
    set: BTreeMap<String, String>,
    #[serde(default)]
    arguments: Vec<String>,
    /// The fourth line of a file of keys, in which also `{pair}` and `{digest}`, and the key and
    /// the digest without their beginning.
    keys: Option<String>,
    code: i32,
    says: Vec<String>,
    #[serde(default)]
    hides: Vec<String>,
}

#[test]
fn settings_that_make_no_sense_are_named_with_what_would_be_right_and_no_secret() {
    let directory = TempDir::new().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let ((key, pair), [file, empty, keys]) = (made("bot"), ["file", "empty", "keys"].map(path));
    let digest = &pair["bot=".len()..];
    for secret in [&key[10..30], &digest[10..30]] {
        secrets::known(secret);
    }
    std::fs::write(&file, &key).unwrap();
    std::fs::write(&empty, "").unwrap();
    let starts = text("tests/settings.json");
    let names = [
        ("{key}", &*key),
        ("{file}", &file),
        ("{pair}", &pair),
        ("{digest}", digest),
    ];
    let names = names.into_iter().chain([
        ("{empty}", &*empty),
        ("{key.end}", &key[7..]),
        ("{digest.end}", &digest[1..]),
    ]);
    let starts = names.fold(starts, |starts, (name, value)| starts.replace(name, value));
    for start in serde_json::from_str::<Vec<Start>>(&starts).expect("a list of starts") {
        let mut settings: Vec<_> = start
            .set
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        if let Some(line) = &start.keys {
            std::fs::write(&keys, format!("# ours\n{pair} # of spring\n\n{line}\n")).unwrap();
            settings.push(("TURNKEEPER_APP_KEYS_FILE", &keys));
        }
        let arguments: Vec<&str> = start.arguments.iter().map(String::as_str).collect();
        let said = fails(&settings, &arguments, start.code);
        assert!(
            start.says.iter().all(|part| said.contains(part)),
            "{start:?}: {said}"
        );
        assert!(
            !start.hides.iter().any(|part| said.contains(part)),
            "{start:?}: {said}"
        );
        secrets::none_in(&said);
    }
    assert_eq!(
        output(&[("TURNKEEPER_LOG", "turnkeeper=debug,warn")], &["openapi"])
            .status
            .code(),
        Some(0)
    );
}

#[test]
fn a_redis_of_another_layout_is_refused_at_the_start() {
    let redis = RedisServer::start();
    redis.command(&["SET", "turnkeeper:layout", "9"]);
    let refused = output(&[("REDIS_URL", &redis.url())], &[]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(
        said.contains("The store has layout 9, and this program reads layout 1"),
        "{said}"
    );
    assert_eq!(redis.ask::<u64>(&["DBSIZE"]), 1);
}

#[test]
fn a_variable_that_is_no_setting_is_named_with_the_setting_that_may_be_meant() {
    let server = Server::with(&[
        ("TURNKEEPER_TTLL", "a-secret-value"),
        ("TURNKEEPER_REDIS_URL", "a-secret-value"),
        ("TURNKEEPER_COLOUR", "a-secret-value"),
        // The setting that it resembles is one of `turnkeeper follow`.
        ("TURNKEEPER_POSTS", "a-secret-value"),
        // A setting of `turnkeeper follow`, set for both.
        ("TURNKEEPER_POST", "a-secret-value"),
        // As Kubernetes does for the Services turnkeeper and turnkeeper-web.
        ("TURNKEEPER_SERVICE_HOST", "10.0.0.1"),
        ("TURNKEEPER_SERVICE_PORT_HTTP", "80"),
        ("TURNKEEPER_PORT_80_TCP_ADDR", "10.0.0.1"),
        ("TURNKEEPER_WEB_SERVICE_HOST", "10.0.0.2"),
        ("TURNKEEPER_WEB_PORT", "tcp://10.0.0.2:80"),
    ]);
    let log = server.log();
    let warnings: Vec<&str> = log
        .lines()
        .filter_map(|line| line.split_once(" WARN turnkeeper: "))
        .map(|(_, warning)| warning)
        .collect();
    let expected = [
        "Unknown setting TURNKEEPER_COLOUR is ignored. \"turnkeeper --help\" lists the settings.",
        "Unknown setting TURNKEEPER_POSTS is ignored. \"turnkeeper --help\" lists the settings.",
        "Unknown setting TURNKEEPER_REDIS_URL is ignored. Did you mean REDIS_URL?",
        "Unknown setting TURNKEEPER_TTLL is ignored. Did you mean TURNKEEPER_TTL?",
    ];
    assert_eq!(warnings, expected, "{log}");
    assert!(!log.contains("a-secret-value"), "{log}");
}

#[test]
fn a_subcommand_names_a_variable_that_is_no_setting() {
    let made = output(&[("TURNKEEPER_DATAA", "x")], &["app-key", "table"]);
    let warning =
        "turnkeeper: Unknown setting TURNKEEPER_DATAA is ignored. Did you mean TURNKEEPER_DATA?\n";
    assert_eq!(String::from_utf8_lossy(&made.stderr), warning);
    assert!(String::from_utf8_lossy(&made.stdout).starts_with("for the application: "));
    // The token is missing, because its name is misspelt.
    let settings = [
        ("TURNKEEPER_TOKN", "tk_gm_x"),
        ("TURNKEEPER_POST", "https://example.org"),
    ];
    let refused = fails(&settings, &["follow", "x"], 2);
    assert!(
        refused.starts_with(
            "turnkeeper: Unknown setting TURNKEEPER_TOKN is ignored. Did you mean TURNKEEPER_TOKEN?\nerror: "
        ),
        "{refused}"
    );
}

#[test]
fn it_prints_its_document() {
    let document: Value = serde_json::from_slice(&output(&[], &["openapi"]).stdout).expect("JSON");
    assert!(document["paths"]["/v1/encounters/{id}/commands"]["post"].is_object());
}

#[test]
fn a_shell_completes_from_what_it_prints() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = output(&[], &["completions", shell]).stdout;
        let script = String::from_utf8(script).expect("text");
        assert!(script.contains("listen"), "{shell}: {script}");
        if shell == "bash" {
            let completed = script
                + "COMP_WORDS=(turnkeeper ba) COMP_CWORD=1\n\
                   _turnkeeper turnkeeper ba turnkeeper; echo \"${COMPREPLY[*]}\"\n";
            let bash = Command::new("bash").args(["-c", &completed]).output();
            let bash = bash.expect("bash runs");
            assert_eq!(String::from_utf8_lossy(&bash.stdout), "backup\n");
        }
    }
    assert!(fails(&[], &["completions", "sh"], 2).contains("bash, elvish, fish"));
}

#[test]
fn a_second_process_on_the_same_files_is_refused() {
    let server = Server::embedded();
    let data = server.directory.path().join("data");
    let settings = [
        ("TURNKEEPER_DATA", data.to_str().unwrap()),
        ("TURNKEEPER_LISTEN", "127.0.0.1:0"),
    ];
    assert!(fails(&settings, &[], 1).contains("in use by another process"));
    server.terminate();
    assert!(server.ended(TIMEOUT).success(), "{}", server.log());
}

#[test]
fn no_test_starts_the_program_but_in_a_folder_of_its_own() {
    let path = concat!("CARGO_BIN", "_EXE");
    let starting: Vec<String> = files("tests", "rs")
        .into_iter()
        .filter(|(_, text)| text.contains(path))
        .map(|(file, _)| file)
        .collect();
    assert_eq!(
        starting,
        ["tests/suite/support/process.rs"],
        "start it by support::process::turnkeeper"
    );
}

#[test]
fn a_first_start_without_room_says_so_and_the_next_one_with_room_serves() {
    let server = Server::embedded();
    server.terminate();
    assert!(server.ended(TIMEOUT).success(), "{}", server.log());
    std::fs::remove_dir_all(server.directory.path().join("data")).unwrap();
    let mut command = Command::new("sh");
    isolate(&mut command, server.directory.path());
    // Blocks of 512 bytes, or of 1024 in some shells: less than the file needs.
    command
        .args(["-c", "ulimit -f 16 && exec turnkeeper"])
        .env("PATH", search_path());
    let output = command.output().expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        output.status.code(),
        Some(1),
        "it ends by itself, not by a signal: {said}"
    );
    assert!(
        said.contains("cannot make the embedded store") && said.contains("disk I/O error"),
        "{said}"
    );
    server.again();
    server.terminate();
    assert!(server.ended(TIMEOUT).success(), "{}", server.log());
}

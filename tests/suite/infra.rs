//! What `infra/` says about the program is so.

use crate::e2e::Api;
use crate::e2e::applications::key;
use crate::support::client::{Fight, ambush, note};
use crate::support::cluster::RedisCluster;
use crate::support::lambda::{EventSource, Function};
use crate::support::process::turnkeeper;
use crate::support::redis::RedisServer;
use crate::support::sources::{path, text};
use clap::Parser;
use serde_json::json;
use std::env::consts::ARCH;
use std::process::Command;
use tempfile::TempDir;
use turnkeeper::config::Config;

/// The words of the template's access string.
fn access() -> Vec<String> {
    let template = text("infra/template.yaml");
    let (_, rest) = template
        .split_once("AccessString: >-")
        .expect("an access string");
    let (string, _) = rest.split_once("AuthenticationMode:").expect("its end");
    // The one command that Redis 7.0 does not know yet; clients do without it.
    string
        .split_whitespace()
        .filter(|word| *word != "+client|setinfo")
        .map(str::to_owned)
        .collect()
}

#[tokio::test]
async fn the_login_of_the_template_may_do_all_that_the_store_does_and_no_more() {
    let (single, cluster) = (RedisServer::start(), RedisCluster::start());
    let access = access();
    for server in cluster.servers.iter().chain([&single]) {
        let words: Vec<&str> = access.iter().map(String::as_str).collect();
        server.command(&[&["ACL", "SETUSER", "turnkeeper"][..], &words, &[">secret"]].concat());
    }
    let with_login = |url: &str| url.replace("redis://", "redis://turnkeeper:secret@");
    let template_way = format!("{}?cluster=true", with_login(&cluster.servers[0].url()));
    for url in [
        with_login(&single.url()),
        with_login(&cluster.url()),
        template_way,
    ] {
        let (key, pair) = key("table");
        let settings = [
            ("REDIS_URL", &*url),
            ("TURNKEEPER_APP_KEYS", &*pair),
            ("TURNKEEPER_RATE_TOKEN", "1000/1h"),
        ];
        let function = Function::start(EventSource::HttpApi, &settings, 1).await;
        let create = || function.post("/v1/encounters", &ambush()).token(&key);
        let made = create().key(&format!("key-{}", url.len())).send().await;
        let fight = Fight::of(&function, &made);
        for key in ["one", "two", "one"] {
            fight.command(&note(key)).key(key).send().await.expect(200);
        }
        for rest in ["", "/events", "/options"] {
            fight.read(rest).await;
        }
        function.get("/readyz").send().await.expect(200);
        // Now and then a creation also tidies up the list.
        for _ in 0..24 {
            create().send().await.expect(201);
        }
        function
            .get("/v1/encounters?limit=3")
            .token(&key)
            .send()
            .await
            .expect(200);
        fight.delete().send().await.expect(204);
    }
    let client = redis::Client::open(with_login(&single.url())).unwrap();
    let mut connection = client.get_connection().unwrap();
    for words in [
        &["KEYS", "*"][..],
        &["FLUSHALL"],
        &["CONFIG", "GET", "*"],
        &["GET", "other"],
        &["ACL", "LIST"],
    ] {
        let refused = redis::cmd(words[0])
            .arg(&words[1..])
            .query::<redis::Value>(&mut connection);
        let refused = refused.expect_err("it is refused");
        assert_eq!(refused.code(), Some("NOPERM"), "{words:?}: {refused}");
    }
}

#[tokio::test]
async fn the_template_and_the_program_allow_the_same_headers_to_pages() {
    let (api, template) = (Api::start().await, text("infra/template.yaml"));
    for (method, header, list) in [
        ("OPTIONS", "access-control-allow-headers", "AllowHeaders: ["),
        ("GET", "access-control-expose-headers", "ExposeHeaders: ["),
    ] {
        let (_, rest) = template.split_once(list).expect("a list");
        let (headers, _) = rest.split_once(']').expect("its end");
        let answer = api
            .call(method, "/v1/rulesets")
            .header("origin", "https://table.example")
            .send()
            .await;
        assert_eq!(answer.header(header), headers.replace(", ", ","));
    }
}

#[test]
fn the_template_sets_only_what_the_program_knows_and_all_of_its_rates() {
    let (template, config) = (text("infra/template.yaml"), text("src/config.rs"));
    let (_, rest) = template
        .split_once("        Variables:\n")
        .expect("the function's variables");
    let lines = rest
        .lines()
        .take_while(|line| line.starts_with("          "));
    let set: Vec<&str> = lines
        .filter_map(|line| line.trim().split_once(':'))
        .map(|(name, _)| name)
        .collect();
    assert!(set.len() > 3, "{set:?}");
    for name in &set {
        assert!(
            config.contains(&format!("env = \"{name}\"")),
            "{name} is no setting"
        );
    }
    let readme = text("infra/README.md");
    for rate in ["Application", "Token", "Address"] {
        let (variable, parameter) = (
            format!("TURNKEEPER_RATE_{}", rate.to_uppercase()),
            format!("Rate{rate}"),
        );
        assert!(set.contains(&variable.as_str()), "{variable} is not set");
        assert!(
            template.contains(&format!("\n  {parameter}:\n")) && readme.contains(&parameter),
            "{parameter}"
        );
    }
}

#[test]
fn what_the_template_accepts_does_not_keep_the_program_from_starting() {
    let rates = (
        "600/1m 20/s 5000/24h 9999/9999s",
        "5/99999h 600/25h 600/86401s 600/1441m 600/0s 0/m 600",
    );
    let times = (
        "0 30d 9999d 99999h 9999999m 999999999s",
        "99999999d 36601d 878401h 52704001m 9999999999s 30 d",
    );
    let origins = (
        "* https://table.example http://127.0.0.1:8080",
        "https:// https://table.example/ https://table.example/path https://*.example table",
    );
    let paths = (
        "/turns /api/turns /$default /v1x",
        "turns / /a//b /a/../b /. /v1 /v1/turns /a?b",
    );
    let levels = (
        "off info turnkeeper=debug,warn",
        "loud info, turnkeeper= hyper=debug turnkeeper=loud,info",
    );
    for (parameter, argument, (right, wrong)) in [
        ("RateApplication", "rate-application", rates),
        ("RateToken", "rate-token", rates),
        ("RateAddress", "rate-address", rates),
        ("EncounterTtl", "ttl", times),
        ("CorsOrigin", "cors-origins", origins),
        ("BasePath", "base-path", paths),
        ("LogLevel", "log", levels),
    ] {
        let described = resource(parameter);
        let schema = json!({"pattern": property(&described, "AllowedPattern").trim_matches('"')});
        let right = right.split(' ').map(|value| (value, true));
        for (value, sound) in right.chain(wrong.split(' ').map(|value| (value, false))) {
            let started = Config::try_parse_from(["turnkeeper", &format!("--{argument}={value}")]);
            assert_eq!(started.is_ok(), sound, "the program, {parameter} {value}");
            assert_eq!(
                jsonschema::is_valid(&schema, &json!(value)),
                sound,
                "the template, {parameter} {value}"
            );
        }
    }
}

/// A resource or a parameter of the template, as it is written there.
fn resource(name: &str) -> String {
    let template = text("infra/template.yaml");
    let (_, rest) = template
        .split_once(&format!("\n  {name}:\n"))
        .expect("a resource of this name");
    let lines = rest
        .lines()
        .take_while(|line| line.is_empty() || line.starts_with("   "));
    lines.collect::<Vec<_>>().join("\n")
}

/// The value of a property in the text of a resource.
fn property<'r>(resource: &'r str, name: &str) -> &'r str {
    let value = resource.lines().find_map(|line| {
        line.trim_start_matches([' ', '-'])
            .strip_prefix(&format!("{name}: "))
    });
    value.unwrap_or_else(|| panic!("no {name} in {resource}"))
}

/// What `infra/package` says when it refuses to pack a program for an architecture.
fn refusal_to_pack(program: &str, architecture: &str) -> String {
    let packed = Command::new(path("infra/package"))
        .arg(architecture)
        .env("PROGRAM", program)
        .output()
        .expect("it runs");
    assert!(!packed.status.success(), "it packed {program}");
    String::from_utf8(packed.stderr).expect("text")
}

#[test]
fn a_package_is_refused_a_program_for_another_architecture() {
    let (own, other) = match ARCH {
        "x86_64" => ("x86_64", "arm64"),
        _ => ("arm64", "x86_64"),
    };
    let directory = TempDir::new().expect("a temporary directory");
    let command = turnkeeper(directory.path());
    let program = command.get_program().to_str().expect("text");
    assert_eq!(
        refusal_to_pack(program, other),
        format!(
            "infra/package: {program} is a program for {own}, not for {other}. Name one for {other}, or pack {own}.\n"
        )
    );
    let script = directory.path().join("script");
    std::fs::write(&script, "#!/bin/sh\n").expect("a file");
    let script = script.to_str().expect("text");
    assert_eq!(
        refusal_to_pack(script, own),
        format!(
            "infra/package: {script} is no program for Linux on x86_64 or arm64. Name one for {own}.\n"
        )
    );
}

#[test]
fn a_changed_parameter_reaches_the_function_that_is_called() {
    // An alias names a version, and SAM makes a new one for new code alone: a new password would
    // lock the function out.
    assert!(!text("infra/template.yaml").contains("AutoPublishAlias"));
    assert!(!resource("Function").contains("Qualifier"));
}

#[test]
fn every_package_names_the_version_and_the_authors_of_cargo_toml() {
    let version = env!("CARGO_PKG_VERSION");
    let authors = env!("CARGO_PKG_AUTHORS");
    for (file, before, value) in [
        (
            "integrations/python/pyproject.toml",
            "version = \"",
            version,
        ),
        (
            "integrations/typescript/package.json",
            "\"version\": \"",
            version,
        ),
        (
            "integrations/foundry/module.json",
            "\"version\": \"",
            version,
        ),
        (
            "integrations/python/pyproject.toml",
            "authors = [{ name = \"",
            authors,
        ),
        (
            "integrations/typescript/package.json",
            "\"author\": \"",
            authors,
        ),
        (
            "integrations/foundry/module.json",
            "\"authors\": [{ \"name\": \"",
            authors,
        ),
        ("integrations/owlbear/build.mjs", "author: \"", authors),
        ("infra/Dockerfile", "image.vendor=\"", authors),
        ("infra/release.d/images", "image.vendor=", authors),
        ("infra/release.d/deb/control", "Maintainer: ", authors),
        ("LICENSE-MIT", "Copyright (c) 2026 ", authors),
    ] {
        let expected = format!("{before}{value}");
        assert!(text(file).contains(&expected), "{file} lacks {expected}");
    }
}

#[test]
fn what_keeps_the_encounters_outlives_the_stack_and_nothing_outlives_a_failed_creation() {
    // Without its key Valkey and every snapshot of it is unreadable.
    for name in ["Cache", "CacheKey"] {
        let resource = resource(name);
        assert_eq!(
            property(&resource, "DeletionPolicy"),
            "RetainExceptOnCreate",
            "{name}"
        );
        assert_eq!(
            property(&resource, "UpdateReplacePolicy"),
            "Retain",
            "{name}"
        );
    }
}

#[tokio::test]
async fn the_latency_alarm_counts_what_the_function_logs_and_nobody_who_waits_on_purpose() {
    let filter = resource("AnswerTimes");
    assert_eq!(
        property(&filter, "FilterPattern"),
        r#"'{ $.target = "turnkeeper::request" && $.path != "*/events" }'"#,
        "checked below"
    );
    assert_eq!(property(&filter, "MetricValue"), "$.ms");
    let metric = ["MetricNamespace", "MetricName"].map(|name| property(&filter, name));
    let alarm = resource("LatencyAlarm");
    assert_eq!(
        ["Namespace", "MetricName"].map(|name| property(&alarm, name)),
        metric
    );
    let function = Function::embedded(EventSource::HttpApi, &[]).await;
    for path in ["/v1/rulesets", "/v1/encounters/x/events?wait=1"] {
        function.get(path).send().await;
    }
    let lines = function.requests();
    assert!(lines.iter().all(|line| line["ms"].is_number()), "{lines:?}");
    let waits: Vec<bool> = lines
        .iter()
        .map(|line| line["path"].as_str().unwrap().ends_with("/events"))
        .collect();
    assert_eq!(waits, [false, true], "{lines:?}");
}

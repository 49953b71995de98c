//! Runs the examples of the README, the guide and the rulesets' pages, and compares what they print
//! with what the pages say.

use crate::e2e::Api;
use crate::support::process::{isolate, search_path, turnkeeper};
use crate::support::sources::{self, blocks, text};
use rstest::rstest;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;
use turnkeeper::engine::Rulesets;

const README: &str = "README.md";

/// Pastes the bash blocks of these pages into one shell, and compares all that they print with the
/// text blocks.
async fn prints_what_it_says(paths: &[&str]) {
    let pages: Vec<String> = paths.iter().map(|path| text(path)).collect();
    for (path, page) in paths.iter().zip(&pages) {
        assert!(!blocks(page, "bash").is_empty(), "{path} has no example");
        assert!(
            !blocks(page, "text").is_empty(),
            "{path} does not say what its example prints"
        );
    }
    let said: String = pages.iter().flat_map(|page| blocks(page, "text")).collect();
    let script = pages
        .iter()
        .flat_map(|page| blocks(page, "bash"))
        .filter(|block| block.trim() != "cargo run");
    let script = format!("set -euo pipefail\n{}", script.collect::<String>());
    let api = Api::start().await;
    let directory = TempDir::new().expect("a temporary directory");
    let mut shell = Command::new("bash");
    shell
        .arg("-c")
        .arg(script)
        .env_clear()
        .env("URL", &api.base)
        .env("TMPDIR", directory.path())
        .env("PATH", search_path());
    isolate(&mut shell, directory.path());
    // Examples name files of the repository.
    shell.current_dir(sources::path(""));
    let output = tokio::task::spawn_blocking(move || shell.output())
        .await
        .expect("a shell")
        .expect("bash runs");
    let (printed, errors) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{paths:?}: {errors}");
    assert_eq!(
        printed, said,
        "{paths:?} print something else than they say"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_readmes_round_plays_as_printed() {
    prints_what_it_says(&[README]).await;
}

/// One test for each page that has examples.
#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pages_examples_print_what_it_says(
    #[files("start/*.md")]
    #[files("how-to/*.md")]
    #[files("reference/*.md")]
    #[files("explanation/*.md")]
    #[base_dir = "docs"]
    file: PathBuf,
) {
    let path = format!("docs/{}", sources::name_below("docs", &file));
    let page = text(&path);
    if blocks(&page, "bash").is_empty() {
        let is_guide = path.starts_with("docs/start") || path.starts_with("docs/how-to");
        assert!(!is_guide, "{path} has no example");
        return;
    }
    // A page that sets the address goes by itself.
    if page.contains("URL=${URL:-") {
        prints_what_it_says(&[&path]).await;
    } else {
        prints_what_it_says(&[README, &path]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_rulesets_page_has_a_fight_that_plays_as_printed() {
    for ruleset in Rulesets::shipped().iter() {
        let manifest = ruleset.manifest;
        let path = format!("docs/rulesets/{}.md", manifest.id);
        let credit = if manifest.source.starts_with("http") {
            manifest.source
        } else {
            manifest.author
        };
        assert!(
            text(&path).contains(credit),
            "{path} credits its author's work"
        );
        assert!(text(README).contains(&path), "the README leads to {path}");
        prints_what_it_says(&[&path]).await;
    }
}

#[test]
fn pages_list_the_rulesets_and_presets_that_are_served() {
    let readme = text(README);
    for ruleset in Rulesets::shipped().iter() {
        let manifest = ruleset.manifest;
        let id = manifest.id;
        let row = format!("| [`{id}`](docs/rulesets/{id}.md) | ");
        assert!(readme.contains(&row), "the README has a row for {id}");
        let page = text(&format!("docs/rulesets/{id}.md"));
        let mut rows = Vec::new();
        for (place, preset) in manifest.presets.iter().enumerate() {
            let default = if place == 0 { " (default)" } else { "" };
            let (id, title, plays) = (preset.id, preset.title, preset.plays);
            rows.push(format!("| `{id}`{default} | {title} | {plays} |"));
        }
        assert!(page.contains(&rows.join("\n")), "{id}: {rows:#?}");
    }
}

/// Files that name the rulesets by hand.
const LISTS: [&str; 5] = [
    "tests/suite/rights/rounds.rs",
    "benches/cost/fights.rs",
    "integrations/foundry/src/settings.ts",
    "integrations/foundry/play/rulesets.test.ts",
    "integrations/table/test/play.mjs",
];

#[test]
fn files_with_a_list_of_rulesets_name_all_of_them() {
    let contributing = text("CONTRIBUTING.md");
    for path in LISTS {
        assert!(contributing.contains(path), "CONTRIBUTING.md names {path}");
        let list = text(path);
        for ruleset in Rulesets::shipped().iter() {
            let id = ruleset.manifest.id;
            // The cost of a definition is that of what it says.
            let measured = !path.starts_with("benches") || id != "custom";
            let named = list.contains(&format!("\"{id}\""));
            assert!(named || !measured, "{path} names {id}");
        }
    }
}

/// The variables that a help names.
fn variables(arguments: &[&str]) -> Vec<String> {
    let directory = TempDir::new().expect("a temporary directory");
    let help = turnkeeper(directory.path())
        .args(arguments)
        .arg("--help")
        .output()
        .expect("the program runs");
    let help = String::from_utf8(help.stdout).expect("text");
    help.split("[env: ")
        .skip(1)
        .filter_map(|rest| rest.split([']', '=']).next())
        .map(str::to_owned)
        .collect()
}

#[rstest]
#[case::of_the_server(&[], "docs/reference/configuration.md", ["REDIS_URL", "TURNKEEPER_LISTEN"])]
#[case::of_follow(&["follow"], "docs/how-to/webhooks.md", ["TURNKEEPER_POST", "TURNKEEPER_TOKEN"])]
fn a_page_of_configuration_names_every_setting_that_help_names(
    #[case] arguments: &[&str],
    #[case] page: &str,
    #[case] some: [&str; 2],
) {
    let named = variables(arguments);
    for variable in some {
        assert!(named.iter().any(|name| name == variable), "{named:?}");
    }
    let page_text = text(page);
    let rows: Vec<&str> = page_text
        .lines()
        .filter(|line| line.starts_with("| `"))
        .collect();
    for variable in named {
        let quoted = format!("`{variable}`");
        assert!(
            rows.iter().any(|row| row.contains(&quoted)),
            "{page} has no row for {variable}"
        );
    }
}

/// The three numbers of a version of Rust, such as `1.90`.
fn numbers(version: &str) -> Vec<u32> {
    let mut numbers: Vec<u32> = version
        .split('.')
        .map(|part| part.parse().expect("a number"))
        .collect();
    numbers.resize(3, 0);
    numbers
}

#[test]
fn the_readme_and_the_manifest_name_a_rust_that_compiles_every_dependency() {
    let about = Command::new("rustc")
        .arg("-vV")
        .output()
        .expect("rustc runs")
        .stdout;
    let about = String::from_utf8(about).expect("text");
    let host = about
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .expect("the host's platform");
    let mut metadata = Command::new(env!("CARGO"));
    metadata.args([
        "metadata",
        "--locked",
        "--offline",
        "--format-version",
        "1",
        "--filter-platform",
        host,
    ]);
    let metadata = metadata.output().expect("cargo runs");
    assert!(
        metadata.status.success(),
        "{}",
        String::from_utf8_lossy(&metadata.stderr)
    );
    let metadata: Value = serde_json::from_slice(&metadata.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let own = packages
        .iter()
        .find(|package| package["name"] == "turnkeeper")
        .expect("our own package");
    let own = own["rust_version"]
        .as_str()
        .expect("rust-version in Cargo.toml");
    for package in packages {
        let Some(needed) = package["rust_version"].as_str() else {
            continue;
        };
        assert!(
            numbers(needed) <= numbers(own),
            "{} needs Rust {needed}: raise rust-version",
            package["name"]
        );
    }
    assert!(
        text(README).contains(&format!("Rust {own} ")),
        "the README does not name Rust {own}"
    );
}

//! What the README and the rulesets' pages tell people to paste is pasted here, and prints what they say it prints.

use crate::e2e::Api;
use std::path::PathBuf;
use std::process::Command;
use turnkeeper::engine::Rulesets;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn page(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The fenced blocks of a page in a language.
fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let fence = format!("```{language}\n");
    page.split(&fence).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

/// Pastes the page's bash blocks into one shell, and compares the last that they print with the page's last text block.
async fn prints_what_it_says(path: &str) {
    let page = page(path);
    let api = Api::start().await;
    let url = api.base.clone();
    let script: Vec<&str> = blocks(&page, "bash").into_iter().filter(|block| block.trim() != "cargo run").collect();
    assert!(!script.is_empty(), "{path} has nothing to paste");
    let script = format!("set -euo pipefail\n{}", script.join("\n"));
    let output =
        tokio::task::spawn_blocking(move || Command::new("bash").arg("-c").arg(script).env("URL", url).output());
    let output = output.await.expect("a shell").expect("bash runs");
    let (printed, complaints) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{path}: {complaints}");
    let said = blocks(&page, "text").into_iter().next_back().unwrap_or_default();
    assert!(!said.trim().is_empty(), "{path} does not say what it prints");
    assert!(printed.trim_end().ends_with(said.trim_end()), "{path} prints something else than it says:\n{printed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_readmes_round_plays_as_printed() {
    prints_what_it_says("README.md").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_rulesets_page_has_a_fight_that_plays_as_printed() {
    for ruleset in Rulesets::shipped().iter() {
        let manifest = ruleset.manifest();
        let path = format!("docs/rulesets/{}.md", manifest.id);
        let credit = if manifest.source.starts_with("http") { manifest.source } else { manifest.author };
        assert!(page(&path).contains(credit), "{path} credits its author's work");
        assert!(page("README.md").contains(&path), "the README leads to {path}");
        prints_what_it_says(&path).await;
    }
}

#[test]
fn the_readme_names_every_setting_that_help_names() {
    let help = Command::new(env!("CARGO_BIN_EXE_turnkeeper")).arg("--help").output().expect("the program runs");
    let help = String::from_utf8(help.stdout).expect("text");
    let named = help.split("[env: ").skip(1).filter_map(|rest| rest.split([']', '=']).next());
    let readme = page("README.md").replace(
        "`TURNKEEPER_REDIS_CA`, `_CERT`, `_KEY`",
        "TURNKEEPER_REDIS_CA TURNKEEPER_REDIS_CERT TURNKEEPER_REDIS_KEY",
    );
    let missing: Vec<&str> = named.filter(|variable| !readme.contains(variable)).collect();
    assert!(missing.is_empty(), "the README does not name {missing:?}");
}

//! Runs the examples of the README and the pages of the documentation, and compares what they print
//! with what the pages say.

use crate::e2e::Api;
use crate::support::process::{isolate, search_path, turnkeeper};
use crate::support::sources::{self, blocks, text};
use rstest::rstest;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use turnkeeper::engine::Rulesets;

const README: &str = "README.md";

/// The address in the examples; a test puts its own server's in its place.
const ADDRESS: &str = "http://127.0.0.1:8080";

/// A language of programs that a page shows. A block whose first line is a comment with the name
/// of a file is a program; other blocks are parts of one, and do not run.
#[derive(Debug, Clone, Copy)]
struct Language {
    fence: &'static str,
    comment: &'static str,
    extension: &'static str,
    command: &'static str,
}

const LANGUAGES: [Language; 2] = [
    Language {
        fence: "js",
        comment: "// ",
        extension: ".mjs",
        command: "node",
    },
    Language {
        fence: "python",
        comment: "# ",
        extension: ".py",
        command: "python3",
    },
];

impl Language {
    /// The programs of a page: the name and the text of each file.
    fn programs<'p>(&self, page: &'p str) -> Vec<(&'p str, &'p str)> {
        let mut programs = Vec::new();
        for block in blocks(page, self.fence) {
            let first = block
                .lines()
                .next()
                .and_then(|line| line.strip_prefix(self.comment));
            let Some(name) = first else { continue };
            if name.ends_with(self.extension) && !name.contains(['/', ' ']) {
                programs.push((name, block));
            }
        }
        programs
    }
}

/// Whether a page has something to run.
fn has_example(page: &str) -> bool {
    let has_program = |language: &Language| !language.programs(page).is_empty();
    ["bash", "html"]
        .iter()
        .any(|fence| !blocks(page, fence).is_empty())
        || LANGUAGES.iter().any(has_program)
}

/// Runs an example of a page, and returns what it prints.
async fn run(path: &str, api: &Api, arguments: &[&str], folder: &Path, data: &Path) -> String {
    let mut command = Command::new(arguments[0]);
    command
        .args(&arguments[1..])
        .env_clear()
        .env("URL", &api.base)
        .env("TMPDIR", data)
        .env("PATH", search_path());
    command.envs(std::env::var("CHROMIUM").map(|chromium| ("CHROMIUM", chromium)));
    isolate(&mut command, data);
    command.current_dir(folder);
    let output = tokio::task::spawn_blocking(move || command.output())
        .await
        .expect("a process")
        .unwrap_or_else(|error| {
            panic!(
                "cannot run {} ({error}): run tests/setup first",
                arguments[0]
            )
        });
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{path}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}

/// Pastes the bash blocks of a page into one shell, and compares all that they print with its text
/// blocks. The programs of a page in each language print the same. Its `html` blocks are a page for
/// a browser, which shows it.
async fn prints_what_it_says(path: &str) {
    let page = text(path);
    assert!(has_example(&page), "{path} has no example");
    let said = blocks(&page, "text").concat();
    assert!(
        !said.is_empty(),
        "{path} does not say what its example prints"
    );
    if !blocks(&page, "html").is_empty() {
        return shows_what_it_says(path).await;
    }
    let script: String = (blocks(&page, "bash").into_iter())
        .filter(|block| block.trim() != "cargo run")
        .collect();
    let directory = TempDir::new().expect("a temporary directory");
    let data = directory.path();
    if !script.is_empty() {
        let script = format!("set -euo pipefail\n{script}");
        // Examples name files of the repository.
        let shell = ["bash", "-c", &script];
        let printed = run(path, &Api::start().await, &shell, &sources::path(""), data).await;
        assert_eq!(printed, said, "{path} prints something else than it says");
    }
    for language in LANGUAGES {
        let programs = language.programs(&page);
        if programs.is_empty() {
            continue;
        }
        let api = Api::start().await;
        let mut printed = String::new();
        for (name, program) in programs {
            let program = program.replace(ADDRESS, &api.base);
            std::fs::write(data.join(name), program).expect("a file");
            printed += &run(path, &api, &[language.command, name], data, data).await;
        }
        assert_eq!(printed, said, "{path}, with {}", language.command);
    }
}

/// Opens the `html` blocks of a page in a browser, and compares what it shows with the text blocks.
async fn shows_what_it_says(path: &str) {
    let page = text(path);
    assert!(
        blocks(&page, "bash").is_empty(),
        "{path}: a page for a browser has no examples for a shell"
    );
    let api = Api::start().await;
    let directory = TempDir::new().expect("a temporary directory");
    let browser = ["node", "tests/suite/support/browser.mjs", path, &api.base];
    run(path, &api, &browser, &sources::path(""), directory.path()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_readmes_round_plays_as_printed() {
    prints_what_it_says(README).await;
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
    if !has_example(&page) {
        let is_guide = path.starts_with("docs/start") || path.starts_with("docs/how-to");
        assert!(!is_guide, "{path} has no example");
        return;
    }
    prints_what_it_says(&path).await;
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
            "{path} does not credit its author's work: name {credit:?}, the manifest's source if that is an address, else its author"
        );
        assert!(
            text(README).contains(&path),
            "the README has no link to {path}"
        );
        prints_what_it_says(&path).await;
    }
}

#[test]
fn pages_list_the_rulesets_and_presets_that_are_served() {
    let readme = text(README);
    for ruleset in Rulesets::shipped().iter() {
        let manifest = ruleset.manifest;
        let id = manifest.id;
        let row = format!("| [`{id}`](docs/rulesets/{id}.md) | ");
        assert!(
            readme.contains(&row),
            "the README has no row that begins with {row:?}"
        );
        let page = text(&format!("docs/rulesets/{id}.md"));
        let mut rows = Vec::new();
        for (place, preset) in manifest.presets.iter().enumerate() {
            let default = if place == 0 { " (default)" } else { "" };
            let (id, title, plays) = (preset.id, preset.title, preset.plays);
            rows.push(format!("| `{id}`{default} | {title} | {plays} |"));
        }
        assert!(
            page.contains(&rows.join("\n")),
            "docs/rulesets/{id}.md has no table with these rows: {rows:#?}"
        );
    }
}

#[test]
fn the_page_of_systems_has_a_row_for_each_ruleset_or_preset() {
    const CHOICE: &str = "docs/start/choose-a-system.md";
    let page = text(CHOICE);
    for ruleset in Rulesets::shipped().iter() {
        let manifest = ruleset.manifest;
        let id = manifest.id;
        let mut rows: Vec<String> = (manifest.presets.iter())
            .map(|preset| {
                let (plays, title) = (preset.plays, preset.title);
                format!("| {plays} | `{id}` | `{}` | {title} |", preset.id)
            })
            .collect();
        if rows.is_empty() {
            rows.push(format!(" | [`{id}`](../rulesets/{id}.md) | | "));
        }
        for row in &rows {
            assert!(page.contains(row), "{CHOICE} has no row {row}");
        }
        let listed = page.matches(&format!("| `{id}` | `")).count();
        assert_eq!(listed, manifest.presets.len(), "{CHOICE}: {id}");
    }
}

/// The README's first screen names games of the page of systems.
#[test]
fn the_games_of_the_first_screen_are_played() {
    let readme = text(README);
    let (_, from_games) = readme.split_once("It plays **").expect("the games");
    let (games, _) = from_games.split_once("**").expect("the end of the games");
    let page = text("docs/start/choose-a-system.md");
    for game in games.replace('\n', " ").split(", ") {
        assert!(page.contains(game), "the page of systems has no {game}");
    }
}

/// Files that name the rulesets by hand.
const LISTS: [&str; 4] = [
    "benches/cost/fights.rs",
    "integrations/foundry/src/settings.ts",
    "integrations/foundry/play/rulesets.test.ts",
    "integrations/table/test/play.mjs",
];

#[test]
fn files_with_a_list_of_rulesets_name_all_of_them() {
    let contributing = text("CONTRIBUTING.md");
    for path in LISTS {
        assert!(
            contributing.contains(path),
            "CONTRIBUTING.md does not name {path}"
        );
        let list = text(path);
        for ruleset in Rulesets::shipped().iter() {
            let id = ruleset.manifest.id;
            // The cost of a definition is that of what it says.
            let measured = !path.starts_with("benches") || id != "custom";
            let named = list.contains(&format!("\"{id}\""));
            assert!(
                named || !measured,
                "add {id} to the list of rulesets in {path}"
            );
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

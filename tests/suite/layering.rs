//! The layers of docs/architecture.md: each imports only what is below it. One crate has no
//! compiler wall, so this reads the source.

use crate::support::sources::{Source, files};
use rstest::rstest;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The parts of the crate that a layer may name besides itself. The first row that matches a module
/// counts.
const LAYERS: &[Layer] = &[
    Layer {
        of: "json",
        may: &[],
        pure: true,
    },
    Layer {
        of: "vocabulary",
        may: &["json"],
        pure: true,
    },
    Layer {
        of: "rulesets::shared",
        may: &["json", "vocabulary"],
        pure: true,
    },
    Layer {
        of: "rulesets::*",
        may: &["json", "vocabulary", "rulesets::shared"],
        pure: true,
    },
    Layer {
        of: "rulesets",
        may: &["vocabulary"],
        pure: true,
    },
    Layer {
        of: "convert",
        may: &["json", "vocabulary"],
        pure: true,
    },
    Layer {
        of: "engine",
        may: &["json", "vocabulary", "rulesets::register"],
        pure: true,
    },
    Layer {
        of: "measure",
        may: &[],
        pure: false,
    },
    Layer {
        of: "store",
        may: &["measure"],
        pure: false,
    },
    Layer {
        of: "app",
        may: &[
            "json",
            "convert",
            "engine",
            "measure",
            "store",
            "vocabulary",
        ],
        pure: false,
    },
    Layer {
        of: "openapi",
        may: &["json", "vocabulary"],
        pure: false,
    },
    Layer {
        of: "http",
        may: &[
            "json",
            "app",
            "convert",
            "engine",
            "measure",
            "openapi",
            "vocabulary",
        ],
        pure: false,
    },
    Layer {
        of: "lambda",
        may: &["http", "measure"],
        pure: false,
    },
    Layer {
        of: "config",
        may: &["app", "http", "lambda", "store"],
        pure: false,
    },
    Layer {
        of: "follow",
        may: &["config"],
        pure: false,
    },
    Layer {
        of: "log",
        may: &["config"],
        pure: false,
    },
];

struct Layer {
    of: &'static str,
    may: &'static [&'static str],
    /// Without a clock, randomness of its own, the environment, files, the network and async.
    pure: bool,
}

/// The words and paths that pure layers may not name.
const IMPURE: &str = "tokio async await async_trait futures axum http hyper tower tower_http lambda_http redis rusqlite SystemTime \
    Instant thread_rng OsRng println eprintln tracing unsafe \
    std::time Timestamp::now Zoned std::env std::fs std::net std::process std::thread std::io rand::rng rand::random";

/// The module that a file is: `src/rulesets/dc20/mod.rs` is `rulesets::dc20`.
fn module(file: &str) -> Vec<String> {
    let path = file
        .trim_start_matches("src/")
        .trim_end_matches(".rs")
        .replace('\\', "/");
    let mut steps: Vec<String> = path.split('/').map(str::to_owned).collect();
    if steps
        .last()
        .is_some_and(|last| last == "mod" || last == "lib" || last == "main")
    {
        steps.pop();
    }
    steps
}

/// The layer of a module, and its own path (which it may name freely).
fn layer(module: &[String]) -> Option<(&'static Layer, String)> {
    LAYERS.iter().find_map(|layer| {
        let steps: Vec<&str> = layer.of.split("::").collect();
        let inside = module.len() >= steps.len()
            && steps
                .iter()
                .zip(module)
                .all(|(step, m)| *step == "*" || step == m);
        inside.then(|| (layer, module[..steps.len()].join("::")))
    })
}

/// The paths of this crate that a piece of code names, from the crate's root; at most two steps of
/// each.
fn named(code: &str, module: &[String]) -> Vec<String> {
    let mut paths = Vec::new();
    let boundary =
        |i: usize| !code[..i].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
    for (i, _) in code.match_indices("crate::").filter(|(i, _)| boundary(*i)) {
        paths.extend(leaves(&code[i + "crate::".len()..], 2));
    }
    for (i, _) in code.match_indices("super::").filter(|(i, _)| boundary(*i)) {
        let mut rest = &code[i..];
        let mut up = 0;
        while let Some(inner) = rest.strip_prefix("super::") {
            rest = inner;
            up += 1;
        }
        let base = &module[..module.len().saturating_sub(up)];
        for leaf in leaves(rest, 2) {
            let steps = base.iter().map(String::as_str).chain(leaf.split("::"));
            paths.push(steps.take(2).collect::<Vec<_>>().join("::"));
        }
    }
    paths
}

/// The paths that a `use` tree or a path begins with, down to `depth` steps: `{a, b::c}` are `a`
/// and `b::c`.
fn leaves(tree: &str, depth: usize) -> Vec<String> {
    let tree = tree.trim_start();
    if let Some(group) = tree.strip_prefix('{') {
        let (mut level, mut start, mut found) = (0, 0, Vec::new());
        for (i, c) in group.char_indices() {
            match c {
                '{' => level += 1,
                '}' if level > 0 => level -= 1,
                ',' | '}' if level == 0 => {
                    found.extend(leaves(&group[start..i], depth));
                    start = i + 1;
                    if c == '}' {
                        break;
                    }
                }
                _ => {}
            }
        }
        return found;
    }
    let end = tree
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(tree.len());
    let step = &tree[..end];
    if step.is_empty() {
        return Vec::new();
    }
    match tree[end..].strip_prefix("::") {
        Some(rest) if depth > 1 => {
            let below = leaves(rest, depth - 1);
            if below.is_empty() {
                vec![step.to_owned()]
            } else {
                below.iter().map(|b| format!("{step}::{b}")).collect()
            }
        }
        _ => vec![step.to_owned()],
    }
}

fn allowed(layer: &Layer, own: &str, path: &str) -> bool {
    let within = |outer: &str| {
        path == outer
            || path
                .strip_prefix(outer)
                .is_some_and(|rest| rest.starts_with("::"))
    };
    within(own) || layer.may.iter().any(|outer| within(outer))
}

/// Everything that is wrong with a file of `src`.
fn breaches(file: &str, text: &str) -> Vec<String> {
    let module = module(file);
    let Some((layer, own)) = layer(&module) else {
        return Vec::new();
    };
    let source = Source::read(text);
    let import = named(&source.code, &module)
        .into_iter()
        .filter(|path| !allowed(layer, &own, path));
    let mut wrong: Vec<String> = import
        .map(|path| format!("{file} names {path}: {own} may not"))
        .collect();
    if layer.pure {
        let words = source.words();
        let named = |name: &&str| {
            if name.contains("::") {
                source.code.contains(name)
            } else {
                words.contains(name)
            }
        };
        let impure = IMPURE.split_whitespace().filter(named);
        wrong.extend(impure.map(|impure| format!("{file} names {impure}: {own} is pure")));
        let random = words
            .iter()
            .any(|word| *word == "rand" || *word == "rand_chacha");
        if random && file != "src/engine/dice.rs" {
            wrong.push(format!("{file} rolls dice of its own"));
        }
    }
    wrong
}

/// The files of the crate. The macros are a crate of their own, so the compiler keeps them apart.
fn of_the_crate() -> Vec<(String, String)> {
    let mut files = files("src", "rs");
    files.retain(|(file, _)| !file.starts_with("src/macros/"));
    files
}

#[test]
fn no_layer_imports_what_it_may_not() {
    let wrong: Vec<String> = of_the_crate()
        .iter()
        .flat_map(|(file, text)| breaches(file, text))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_module_of_the_crate_has_a_layer() {
    let outside: Vec<String> = of_the_crate()
        .into_iter()
        .map(|(file, _)| file)
        .filter(|f| layer(&module(f)).is_none())
        .collect();
    assert_eq!(outside, ["src/lib.rs", "src/main.rs"]);
}

/// A reader who meets a name outside the rulesets need not ask which of two types it is.
#[test]
fn no_two_types_have_one_name() {
    let mut first: HashMap<String, String> = HashMap::new();
    let mut twice = Vec::new();
    for (file, text) in files("src", "rs")
        .into_iter()
        .filter(|(file, _)| !file.starts_with("src/rulesets/"))
    {
        let source = Source::read(&text);
        let words = source.words();
        let types = words
            .windows(2)
            .filter(|pair| matches!(pair[0], "struct" | "enum" | "trait"))
            .map(|pair| pair[1]);
        // A name in lower case is a parameter of a macro.
        for name in types
            .filter(|name| name.starts_with(char::is_uppercase))
            .map(str::to_owned)
        {
            if let Some(other) = first.insert(name.clone(), file.clone()) {
                twice.push(format!("{name} is in {other} and in {file}"));
            }
        }
    }
    assert!(first.contains_key("Encounter"), "no types were found");
    assert!(twice.is_empty(), "{}", twice.join("\n"));
}

/// A new ruleset is a folder and a line: no other code asks which ruleset it is.
#[test]
fn no_ruleset_is_named_outside_its_folder_and_the_registry() {
    let outside = [
        "src/engine/",
        "src/app",
        "src/store/",
        "src/http/",
        "src/vocabulary/",
        "src/rulesets/shared/",
    ];
    let mut wrong = Vec::new();
    for (file, text) in files("src", "rs") {
        if !outside.iter().any(|folder| file.starts_with(folder)) {
            continue;
        }
        // Serde's errors have a word of the rulesets' ids in their names.
        let source = Source::read(
            &text
                .replace("::custom", "")
                .replace("fn custom<", "fn error<"),
        );
        for id in turnkeeper::engine::Rulesets::shipped()
            .iter()
            .map(|r| r.manifest.id)
        {
            if source.words().contains(&&*id.replace('-', "_"))
                || source.texts.iter().any(|text| text == id)
            {
                wrong.push(format!("{file} names {id}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The files of a ruleset's folder that need each other, but for `mod.rs`, which hands on to all of them.
/// Only imports by a module's name count: types that `mod.rs` hands on do not.
fn in_circles(folder: &str, files: Vec<(String, String)>) -> Vec<String> {
    let mut needs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (file, text) in files {
        let name = file.trim_start_matches(folder).trim_matches('/');
        let imports = text.split("\nuse super::").skip(1);
        let imports = imports.filter_map(|import| import.split(';').next());
        // What stands before the first colons; a function may have the name of a file.
        let paths = imports.flat_map(|import| import.split(['{', ',']));
        let modules = paths.filter_map(|path| Some(path.split_once("::")?.0.trim().to_owned()));
        let module = name.trim_end_matches(".rs").to_owned();
        needs.insert(module, modules.collect());
    }
    needs.remove("mod");
    let mut found = Vec::new();
    for module in needs.keys() {
        let mut reached = BTreeSet::new();
        let mut next = vec![module];
        while let Some(from) = next.pop() {
            for to in needs.get(from).into_iter().flatten() {
                if needs.contains_key(to) && reached.insert(to) {
                    next.push(to);
                }
            }
        }
        if reached.contains(module) {
            found.push(format!("{folder}/{module}.rs"));
        }
    }
    found
}

/// A file is an act, and what calls each other stands together.
#[rstest]
#[case("active_initiative")]
#[case("custom")]
#[case("dc20")]
#[case("exp")]
#[case("seize")]
#[case("venture")]
fn no_acts_of_a_ruleset_need_each_other_in_a_circle(#[case] ruleset: &str) {
    let folder = format!("src/rulesets/{ruleset}");
    let found = in_circles(&folder, files(&folder, "rs").into_iter().collect());
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_circle_is_seen() {
    let file = |name: &str, needs: &str| {
        let text = format!("//! An act.\n\nuse super::{needs}::something;\n");
        (format!("acts/{name}.rs"), text)
    };
    let files = vec![
        file("one", "two"),
        file("two", "three"),
        file("three", "one"),
        file("four", "one"),
    ];
    let seen = ["acts/one.rs", "acts/three.rs", "acts/two.rs"];
    assert_eq!(in_circles("acts", files), seen);
}

#[test]
fn a_breach_is_seen() {
    let seen = |file: &str, source: &str| breaches(file, source).join("; ");
    assert_eq!(
        seen(
            "src/vocabulary/a.rs",
            "use super::{Int, Slug}; use crate::vocabulary::Text; // crate::app"
        ),
        ""
    );
    assert!(
        seen(
            "src/vocabulary/a.rs",
            "use crate::{engine::Game, vocabulary::Int};"
        )
        .contains("names engine::Game")
    );
    assert!(
        seen(
            "src/rulesets/one/a.rs",
            "use crate::rulesets::{shared, two};"
        )
        .contains("names rulesets::two")
    );
    assert!(
        seen("src/rulesets/one/a.rs", "use super::super::two::X;").contains("names rulesets::two")
    );
    assert_eq!(
        seen(
            "src/rulesets/one/decide/a.rs",
            "use super::super::state::X; use crate::rulesets::shared::y;"
        ),
        ""
    );
    assert!(seen("src/engine/a.rs", "use crate::rulesets::one;").contains("names rulesets::one"));
    assert_eq!(
        seen(
            "src/engine/a.rs",
            "crate::rulesets::register(&mut x); \"SystemTime\""
        ),
        ""
    );
    assert!(seen("src/engine/a.rs", "let now = std::time::Instant::now();").contains("is pure"));
    assert!(seen("src/engine/a.rs", "let now = jiff::Timestamp::now();").contains("is pure"));
    assert!(seen("src/engine/a.rs", "async fn f() {}").contains("names async"));
    assert!(seen("src/rulesets/one/a.rs", "rand::random::<u8>()").contains("rolls dice"));
    assert!(seen("src/app/a.rs", "use crate::http::x;").contains("names http"));
    assert!(seen("src/openapi/a.rs", "use crate::app::x;").contains("names app"));
}

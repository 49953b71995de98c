//! Files of the crate, for tests that read them.

use proc_macro2::{TokenStream, TokenTree};
use std::path::{Path, PathBuf};

/// The path of a file of the crate.
pub fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

/// The text of a file of the crate.
#[track_caller]
pub fn text(file: &str) -> String {
    read(&path(file))
}

/// The text of a file.
#[track_caller]
pub fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The name of a file below a folder of the crate.
pub fn name_below(folder: &str, file: &Path) -> String {
    let below = file
        .strip_prefix(path(folder))
        .expect("a file below the folder");
    below.display().to_string()
}

/// The fenced blocks of a page in a language.
pub fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let fence = format!("```{language}\n");
    page.split(&fence)
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect()
}

/// Every file with this extension below a folder of the crate: its path below the crate and its
/// text, in the order of the paths.
pub fn files(folder: &str, extension: &str) -> Vec<(String, String)> {
    fn collect(path: &Path, extension: &str, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                collect(&path, extension, found);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    collect(&root.join(folder), extension, &mut paths);
    paths.sort();
    assert!(!paths.is_empty(), "{folder} has no .{extension}");
    let named = |path: &Path| {
        path.strip_prefix(root)
            .expect("a path below the crate")
            .display()
            .to_string()
    };
    paths
        .iter()
        .map(|path| {
            (
                named(path),
                std::fs::read_to_string(path).expect("a readable file"),
            )
        })
        .collect()
}

/// A file of Rust, taken apart.
#[derive(Debug, Default)]
pub struct Source {
    /// The code without comments and without the contents of its string literals.
    pub code: String,
    /// The string literals, without their quotes.
    pub texts: Vec<String>,
}

impl Source {
    pub fn read(text: &str) -> Self {
        let mut source = Self::default();
        source.add(
            text.parse()
                .unwrap_or_else(|error| panic!("{error}: {text:.200}")),
        );
        source.code = source
            .code
            .replace(": : ", "::")
            .replace(" ::", "::")
            .replace(":: ", "::");
        source
    }

    fn add(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                // A comment for readers of the documentation is an attribute.
                TokenTree::Group(group) if group.stream().to_string().starts_with("doc =") => {}
                TokenTree::Group(group) => {
                    let text = group.to_string();
                    let delimiters = text
                        .chars()
                        .next()
                        .zip(text.chars().next_back())
                        .expect("delimiters");
                    self.code.push(delimiters.0);
                    self.add(group.stream());
                    self.code.extend([delimiters.1, ' ']);
                }
                TokenTree::Literal(literal)
                    if literal.to_string().contains('"')
                        && !literal.to_string().starts_with('\'') =>
                {
                    let quoted = literal.to_string();
                    let text = quoted
                        .split_once('"')
                        .and_then(|(_, text)| text.rsplit_once('"'));
                    self.texts.push(text.expect("a quoted text").0.to_owned());
                    self.code.push_str("\"\" ");
                }
                TokenTree::Punct(punct) if punct.as_char() == '\'' => self.code.push('\''),
                other => {
                    self.code.push_str(&other.to_string());
                    self.code.push(' ');
                }
            }
        }
    }

    /// The identifiers and keywords of the code.
    pub fn words(&self) -> Vec<&str> {
        self.code
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty())
            .collect()
    }
}

#[test]
fn code_is_separated_from_text_and_comments() {
    let source = Source::read(
        "a // b \"c\"\nlet d = \"e \\\" // f\"; /* g */ fn x<'h>() { r#\"i \" j\"#; '\"' } use k::l; /// m\nn",
    );
    assert_eq!(
        source.words(),
        ["a", "let", "d", "fn", "x", "h", "use", "k", "l", "n"]
    );
    assert!(source.code.contains("use k::l"), "{}", source.code);
    assert_eq!(source.texts, ["e \\\" // f", "i \" j"]);
}

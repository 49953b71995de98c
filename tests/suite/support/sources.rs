//! The program's own text, for tests that read it.

use std::path::Path;

/// Every Rust file below a folder of the crate, as its path within the crate and its text, in the order of the paths.
pub fn rust_files(folder: &str) -> Vec<(String, String)> {
    fn collect(path: &Path, found: &mut Vec<std::path::PathBuf>) {
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    collect(&root.join(folder), &mut paths);
    paths.sort();
    let named = |path: &Path| path.strip_prefix(root).expect("a path below the crate").display().to_string();
    paths.iter().map(|path| (named(path), std::fs::read_to_string(path).expect("a readable file"))).collect()
}

/// The string literals of a piece of code, without escapes undone.
pub fn string_literals(code: &str) -> Vec<String> {
    let texts = split(code).into_iter().filter_map(|part| if let Part::Text(text) = part { Some(text) } else { None });
    texts.map(str::to_owned).collect()
}

/// The code without comments and without what stands in its string literals.
pub fn bare_code(code: &str) -> String {
    split(code).iter().map(|part| if let Part::Code(code) = part { code } else { "\"\"" }).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part<'s> {
    Code(&'s str),
    Text(&'s str),
}

/// Code and string literals in turn; comments are left out.
fn split(source: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let (mut start, mut i) = (0, 0);
    while i < source.len() {
        let rest = &source[i..];
        // What begins here: how much of it is code before the literal, the literal's end mark, and whether it is text.
        let (open, end, text) = if rest.starts_with("//") {
            (2, "\n".to_owned(), false)
        } else if rest.starts_with("/*") {
            (2, "*/".to_owned(), false)
        } else if rest.starts_with("'\"'") || rest.starts_with("'\\\"'") {
            i += if rest.starts_with("'\"'") { 3 } else { 4 };
            continue;
        } else if rest.starts_with('"') {
            (1, "\"".to_owned(), true)
        } else if let Some(hashes) = raw(source, i) {
            (hashes + 2, format!("\"{}", "#".repeat(hashes)), true)
        } else {
            i += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        parts.push(Part::Code(&source[start..i]));
        let body = i + open;
        let close = close(&source[body..], &end, open == 1 && text) + body;
        if text {
            parts.push(Part::Text(&source[body..close]));
        }
        // A line's end is not part of its comment.
        i = if end == "\n" { close } else { (close + end.len()).min(source.len()) };
        start = i;
    }
    parts.push(Part::Code(&source[start..]));
    parts
}

/// The number of hashes, where a raw string begins at `i`.
fn raw(source: &str, i: usize) -> Option<usize> {
    let after_name = source[..i].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_');
    let rest = source[i..].strip_prefix('r')?;
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    (!after_name && rest[hashes..].starts_with('"')).then_some(hashes)
}

fn close(body: &str, end: &str, escapes: bool) -> usize {
    if !escapes {
        return body.find(end).unwrap_or(body.len());
    }
    let mut escaped = false;
    for (i, c) in body.char_indices() {
        match c {
            '"' if !escaped => return i,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    body.len()
}

#[test]
fn code_is_told_from_text_and_comments() {
    let source = "a // b \"c\"\nlet d = \"e \\\" // f\"; /* g */ 'h: r#\"i \" j\"# '\"' k";
    assert_eq!(bare_code(source), "a \nlet d = \"\";  'h: \"\" '\"' k");
    assert_eq!(string_literals(source), vec!["e \\\" // f", "i \" j"]);
}

//! The page at `/table`. Its play in a browser is tested by `integrations/table/check`.

use super::Api;
use crate::support::sources;
use std::path::Path;
use turnkeeper::http::Settings;

const PAGE: &str = "integrations/table/page";

/// The files of the page: their names, paths and media types.
fn files() -> Vec<(String, String, &'static str)> {
    let listed = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE))
        .expect("the page's folder");
    let names = listed.map(|entry| {
        entry
            .expect("a file")
            .file_name()
            .into_string()
            .expect("a name")
    });
    let file = |name: String| {
        let media = match name.rsplit_once('.') {
            Some((_, "html")) => "text/html; charset=utf-8",
            Some((_, "css")) => "text/css; charset=utf-8",
            Some((_, "js")) => "text/javascript; charset=utf-8",
            Some((_, "svg")) => "image/svg+xml",
            _ => panic!("{name} has no media type"),
        };
        let path = if name == "index.html" {
            "/table".to_owned()
        } else {
            format!("/table/{name}")
        };
        (name, path, media)
    };
    names.map(file).collect()
}

#[tokio::test]
async fn every_file_of_the_page_is_served_as_it_is() {
    let api = Api::start().await;
    assert!(files().len() > 5);
    for (name, path, media) in files() {
        let answer = api.get(&path).send().await.expect(200);
        assert_eq!(
            answer.text(),
            sources::text(&format!("{PAGE}/{name}")),
            "{name}"
        );
        assert_eq!(answer.header("content-type"), media, "{name}");
        assert_eq!(answer.header("cache-control"), "no-cache", "{name}");
        let policy = answer.header("content-security-policy");
        for part in [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "connect-src 'self'",
            "form-action 'none'",
        ] {
            assert!(policy.contains(&format!("{part};")), "{name}: {policy}");
        }
        assert!(
            policy.ends_with("frame-ancestors 'none'") && !policy.contains("unsafe"),
            "{name}: {policy}"
        );
        assert_eq!(answer.header("referrer-policy"), "no-referrer", "{name}");
        let tag = answer.header("etag").to_owned();
        let known = api.get(&path).header("if-none-match", &tag).send().await;
        assert_eq!(
            (known.status, known.body.len(), known.header("etag")),
            (304, 0, &*tag),
            "{name}"
        );
        // A cache takes over the headers of this answer.
        assert_eq!(
            known.header("content-security-policy"),
            answer.header("content-security-policy"),
            "{name}"
        );
        let head = api.call("HEAD", &path).send().await;
        assert_eq!(
            (head.status, head.body.len(), head.header("content-type")),
            (200, 0, media),
            "{name}"
        );
        assert_eq!(api.call("POST", &path).send().await.status, 405, "{name}");
    }
}

#[tokio::test]
async fn the_page_has_one_address() {
    let api = Api::start().await;
    // The client follows the redirection.
    assert_eq!(
        api.get("/table/").send().await.text(),
        api.get("/table").send().await.text()
    );
    for path in [
        "/table/nothing.js",
        "/table/main.js/",
        "/tables",
        "/table/index.html",
    ] {
        api.get(path).send().await.problem(404, "not_found");
    }
    let data = api.get("/tables").send().await;
    assert_eq!(
        data.header("content-security-policy"),
        "default-src 'none'; frame-ancestors 'none'"
    );
}

#[tokio::test]
async fn the_page_can_be_switched_off() {
    let api = Api::with(Settings {
        table: false,
        ..Settings::default()
    })
    .await;
    for path in ["/table", "/table/", "/table/main.js"] {
        api.get(path).send().await.problem(404, "not_found");
    }
    api.get("/docs/").send().await.expect(200);
}

#[tokio::test]
async fn the_page_is_no_part_of_the_published_document() {
    let document = Api::start().await.read("/openapi.json").await;
    assert!(
        document["paths"]
            .as_object()
            .expect("paths")
            .keys()
            .all(|path| !path.starts_with("/table"))
    );
}

#[test]
fn the_page_is_small_and_needs_nothing_from_elsewhere() {
    let texts: Vec<_> = files()
        .into_iter()
        .map(|(name, ..)| (sources::text(&format!("{PAGE}/{name}")), name))
        .collect();
    let size: usize = texts.iter().map(|(text, _)| text.len()).sum();
    assert!(size < 240_000, "{size} bytes");
    for (text, name) in &texts {
        assert!(text.lines().count() <= 500, "{name} is too long");
        // The namespace of SVG is not a request.
        let text = text.replace("http://www.w3.org/2000/svg", "");
        assert!(
            !text.contains("://") && !text.contains("url("),
            "{name} refers to another address"
        );
        for sink in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            " onclick=",
            "Storage",
            ".cookie",
        ] {
            // What a reader asks to keep goes through this file.
            if sink == "Storage" && name == "kept.js" {
                continue;
            }
            assert!(!text.contains(sink), "{name} has {sink}");
        }
    }
}

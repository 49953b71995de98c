//! What pages in a browser need.

use super::Api;
use turnkeeper::http::{Origins, Settings};

#[tokio::test]
async fn only_the_configured_origins_are_allowed() {
    let origins: Origins = "https://a.example, http://localhost:3000".parse().unwrap();
    let api = Api::with(Settings {
        origins,
        ..Settings::default()
    })
    .await;
    for (origin, allowed) in [
        ("https://a.example", "https://a.example"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("https://b.example", ""),
    ] {
        for method in ["GET", "OPTIONS"] {
            let answer = api
                .call(method, "/v1/rulesets")
                .header("origin", origin)
                .send()
                .await;
            assert_eq!(
                answer.header("access-control-allow-origin"),
                allowed,
                "{method} {origin}"
            );
            // One header on Lambda, several elsewhere.
            let vary = answer.headers.get_all("vary").iter();
            let mut names = vary
                .filter_map(|value| value.to_str().ok())
                .flat_map(|value| value.split(", "));
            assert!(names.any(|name| name == "origin"), "{method} {origin}");
        }
    }
}

#[tokio::test]
async fn large_answers_are_compressed_for_those_who_ask() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let plain = fight.get("").send().await;
    assert_eq!(plain.header("content-encoding"), "");
    let gzip = fight
        .get("")
        .header("accept-encoding", "gzip, br")
        .send()
        .await;
    assert_eq!(
        (gzip.status, gzip.header("content-encoding")),
        (200, "gzip")
    );
    assert!(gzip.body.starts_with(&[0x1f, 0x8b]) && gzip.body.len() < plain.body.len());
    let small = api
        .get("/livez")
        .header("accept-encoding", "gzip")
        .send()
        .await;
    assert_eq!(small.header("content-encoding"), "", "not worth it");
}

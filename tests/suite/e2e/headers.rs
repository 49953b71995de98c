//! The security headers of every answer.

use super::{Answer, Api, ambush, note};
use crate::support::contract::{self, operations};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use std::io::{Read, Write};

#[track_caller]
fn safe(what: &str, answer: &Answer) {
    assert_eq!(
        answer.header("x-content-type-options"),
        "nosniff",
        "{what}: {answer:?}"
    );
    assert_eq!(answer.header("referrer-policy"), "no-referrer", "{what}");
    let policy = answer.header("content-security-policy");
    assert!(
        policy.starts_with("default-src 'none'; ") && policy.ends_with("frame-ancestors 'none'"),
        "{what}: {policy}"
    );
    assert!(
        !policy.contains("unsafe-eval") && !policy.contains("http"),
        "{what}: {policy}"
    );
    assert_eq!(
        answer.header("strict-transport-security"),
        "",
        "{what}: the server that ends TLS sends it"
    );
    assert_eq!(answer.header("server"), "", "{what}");
}

#[tokio::test]
async fn every_route_answers_with_the_headers_of_safety() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let (own, _) = fight.hand_out(serde_json::json!({"role": "gm"})).await;
    let mut routes = 0;
    for (method, path, _) in operations(&contract::published()) {
        let place = path
            .replace("{id}", &fight.id)
            .replace("{ruleset}", "active-initiative")
            .replace("{token}", "gm");
        // The encounter is needed for the others.
        for token in [None, Some(&own.token)]
            .iter()
            .filter(|token| token.is_none() || method != "DELETE")
        {
            for body in ["", "{", &ambush().to_string(), &note("x").to_string()] {
                let call = api
                    .call(&method, &place)
                    .header("content-type", "application/json")
                    .body(body.to_owned());
                let call = token.iter().fold(call, |call, token| call.token(token));
                let (answer, what) = (call.send().await, format!("{method} {path}"));
                safe(&what, &answer);
                let cache = answer.header("cache-control");
                let private = ["no-store", "private, no-cache"].contains(&cache);
                let public = path.starts_with("/v1/rulesets") || path.starts_with("/problems");
                assert!(
                    private || public && answer.status == 200,
                    "{what}: {} {cache}",
                    answer.status
                );
                let holds_token = answer.status == 201;
                assert!(!holds_token || cache == "no-store", "{what}: {cache}");
                routes += 1;
            }
        }
    }
    assert!(routes > 60, "only {routes} requests");
    for path in [
        "/docs",
        "/docs/",
        "/docs/swagger-ui-bundle.js",
        "/table",
        "/table/",
        "/table/main.js",
        "/mcp",
        "/openapi.json",
        "/",
        "/nowhere",
        "/%FF",
    ] {
        for method in ["GET", "HEAD", "OPTIONS", "PUT"] {
            safe(
                &format!("{method} {path}"),
                &api.call(method, path).send().await,
            );
        }
    }
    let large = fight.command(&note(&"x".repeat(300_000))).send().await;
    safe("too large", &large);
    let compressed = fight.get("").header("accept-encoding", "gzip").send().await;
    safe("compressed", &compressed);
    assert_eq!(compressed.header("cache-control"), "private, no-cache");
}

#[tokio::test]
async fn the_page_loads_nothing_but_its_own() {
    let api = Api::start().await;
    let page = api.get("/docs/").send().await;
    assert_eq!(page.status, 200, "{page:?}");
    let policy = page.header("content-security-policy").to_owned();
    let text = page.text();
    // What the policy forbids the page must not need: scripts and handlers within it, and anything
    // from elsewhere.
    for part in text.split("<script").skip(1) {
        let (attributes, rest) = part.split_once('>').expect("a script");
        assert!(attributes.contains("src=\"./"), "{attributes}");
        assert!(
            rest.trim_start().starts_with("</script>"),
            "a script within the page"
        );
    }
    assert!(
        !text.contains("://") && !text.contains(" onload="),
        "{text}"
    );
    for (wanted, value) in [
        ("script-src", "'self'"),
        ("connect-src", "'self'"),
        ("img-src", "'self' data:"),
    ] {
        assert!(policy.contains(&format!("{wanted} {value};")), "{policy}");
    }
    // As browsers do; unpacked it is more than a load balancer passes on.
    let bundle = api
        .get("/docs/swagger-ui-bundle.js")
        .header("accept-encoding", "gzip")
        .send()
        .await
        .expect(200);
    assert!(
        bundle.body.len() > 100_000,
        "bundled, so that it works offline"
    );
    // What the program holds compressed is passed on as it is, smaller than what the server
    // compresses for one answer.
    let packed = api
        .get("/openapi.json")
        .header("accept-encoding", "gzip")
        .send()
        .await
        .expect(200);
    assert_eq!(
        (packed.header("content-encoding"), packed.header("vary")),
        ("gzip", "accept-encoding")
    );
    for codings in ["identity", "gzip;q=0"] {
        let plain = api
            .get("/openapi.json")
            .header("accept-encoding", codings)
            .send()
            .await
            .expect(200);
        assert_eq!(plain.header("content-encoding"), "", "{codings}");
        let mut text = Vec::new();
        GzDecoder::new(&packed.body[..])
            .read_to_end(&mut text)
            .expect("gzip");
        assert!(text == plain.body, "{codings}");
        let mut fast = GzEncoder::new(Vec::new(), Compression::fast());
        fast.write_all(&text).expect("memory");
        assert!(packed.body.len() < fast.finish().expect("memory").len());
    }
    let data = api.get("/v1/rulesets").send().await;
    assert_eq!(
        data.header("content-security-policy"),
        "default-src 'none'; frame-ancestors 'none'"
    );
}

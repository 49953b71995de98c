//! Paths: slashes at their ends, what stands at `/`, and secrets in them.

use super::{Api, note};
use serde_json::json;

#[tokio::test]
async fn a_slash_at_the_end_changes_nothing() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let paths = ["", "?at=0", "/options", "/events", "/tokens"].map(|rest| fight.path(rest));
    let others =
        ["/v1/rulesets", "/v1/rulesets/venture", "/v1/rulesets/nothing", "/v1/encounters", "/livez", "/readyz"];
    let nowhere = ["/openapi.json", "/nowhere", "/v1"];
    for path in paths.into_iter().chain(others.into_iter().chain(nowhere).map(str::to_owned)) {
        let (path, query) = path.split_once('?').map_or((path.as_str(), String::new()), |(p, q)| (p, format!("?{q}")));
        let get = async |slashes: &str| {
            let answer = api.get(&format!("{path}{slashes}{query}")).token(&fight.token).send().await;
            (answer.status, answer.header("etag").to_owned(), answer.text())
        };
        let plain = get("").await;
        for slashes in ["/", "//"] {
            assert_eq!(get(slashes).await, plain, "{path}{slashes}");
        }
    }
    // Also where something is written, and under one key.
    let post = async |slash: &str| {
        let call = api.post(&fight.path(&format!("/commands{slash}")), &note("once")).token(&fight.token);
        call.key("one").send().await.expect(200)
    };
    post("").await;
    assert_eq!((post("/").await.header("idempotency-replayed"), fight.log().await), ("true", vec![1]));
    assert_eq!(api.get("/docs/").send().await.status, 200);
}

#[tokio::test]
async fn the_root_says_what_this_is_and_where_to_read_on() {
    let api = Api::start().await;
    const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";
    for (accept, html) in
        [(BROWSER, true), ("*/*", false), ("application/json", false), ("text/html;q=0.1, */*", false)]
    {
        let root = api.get("/").header("accept", accept).send().await.expect(200);
        assert_eq!(root.header("vary"), "accept");
        let media = if html { "text/html; charset=utf-8" } else { "application/json" };
        assert_eq!(root.header("content-type"), media, "{accept}");
        let body = root.text();
        for path in ["/docs", "/openapi.json", "/v1/rulesets"] {
            let link = if html { format!("href=\"{path}\"") } else { format!(":\"{path}\"") };
            assert!(body.contains(&link), "{link}: {body}");
            api.get(path).send().await.expect(200);
        }
        assert!(body.contains("Turnkeeper") && body.contains("turn order"), "{body}");
    }
    api.call("POST", "/").send().await.expect(405);
}

#[tokio::test]
async fn a_token_in_a_path_is_never_echoed() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let secret = fight.token.trim_start_matches("tk_gm_");
    let encoded: String = fight.token.bytes().map(|b| format!("%{b:02X}")).collect();
    for token in [fight.token.clone(), format!("x{}y", fight.token), fight.token.replace('_', "%5f"), encoded.clone()] {
        for path in [
            format!("/{token}"),
            format!("/{token}/"),
            format!("/v1/encounters/{token}"),
            format!("/v1/encounters/{token}/options"),
            format!("/v1/encounters/{}/tokens/{token}", fight.id),
            format!("/v1/rulesets/{token}"),
            format!("/docs/{token}"),
        ] {
            for method in ["GET", "DELETE", "PATCH"] {
                let answer = api.call(method, &path).token(&fight.token).send().await;
                let (status, headers, body) = (answer.status, format!("{:?}", answer.headers), answer.text());
                assert!((400..500).contains(&status), "{method} {path}: {status}");
                for part in [secret, &encoded, &token] {
                    assert!(!body.contains(part) && !headers.contains(part), "{method} {path}: {headers} {body}");
                }
            }
        }
    }
    let problem = api.get(&format!("/v1/rulesets/{}/x", fight.token)).send().await.problem(404, "not_found");
    assert_eq!(problem["instance"], json!("/v1/rulesets/tk_.../x"), "the rest is kept");
}

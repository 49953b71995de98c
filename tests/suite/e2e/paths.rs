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
        let plain = api.get(&format!("{path}{query}")).token(&fight.token).request().send().await.expect("an answer");
        let (status, tag) = (plain.status(), plain.headers().get("etag").cloned());
        let body = plain.text().await.expect("a body");
        for slashes in ["/", "//"] {
            let slashed = api.get(&format!("{path}{slashes}{query}")).token(&fight.token);
            let slashed = slashed.request().send().await.expect("an answer");
            assert_eq!((slashed.status(), slashed.headers().get("etag").cloned()), (status, tag.clone()), "{path}");
            assert_eq!(slashed.text().await.expect("a body"), body, "{path}{slashes}");
        }
    }
    // Also where something is written, and under one key.
    let post = |slash: &str| {
        let call = api.post(&fight.path(&format!("/commands{slash}")), &note("once")).token(&fight.token);
        call.key("one").request().send()
    };
    let (first, again) = (post("").await.expect("an answer"), post("/").await.expect("an answer"));
    assert_eq!((first.status(), again.status()), (200.try_into().unwrap(), 200.try_into().unwrap()));
    assert_eq!((again.headers()["idempotency-replayed"].as_bytes(), fight.log().await), (&b"true"[..], vec![1]));
    assert_eq!(api.get("/docs/").send().await.status, 200);
}

#[tokio::test]
async fn the_root_says_what_this_is_and_where_to_read_on() {
    let api = Api::start().await;
    const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";
    for (accept, html) in
        [(BROWSER, true), ("*/*", false), ("application/json", false), ("text/html;q=0.1, */*", false)]
    {
        let root = api.get("/").header("accept", accept).request().send().await.expect("an answer");
        assert_eq!((root.status().as_u16(), &root.headers()["vary"]), (200, &"accept".parse().unwrap()));
        let media = if html { "text/html; charset=utf-8" } else { "application/json" };
        assert_eq!(root.headers()["content-type"], media, "{accept}");
        let body = root.text().await.expect("a body");
        for path in ["/docs", "/openapi.json", "/v1/rulesets"] {
            let link = if html { format!("href=\"{path}\"") } else { format!(":\"{path}\"") };
            assert!(body.contains(&link), "{link}: {body}");
            assert_eq!(api.get(path).request().send().await.expect("an answer").status(), 200, "{path}");
        }
        assert!(body.contains("Turnkeeper") && body.contains("turn order"), "{body}");
    }
    assert_eq!(api.call("POST", "/").request().send().await.expect("an answer").status(), 405);
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
                let answer = api.call(method, &path).token(&fight.token).request().send().await.expect("an answer");
                let (status, headers) = (answer.status(), format!("{:?}", answer.headers()));
                let body = answer.text().await.expect("a body");
                assert!(status.is_client_error(), "{method} {path}: {status}");
                for part in [secret, &encoded, &token] {
                    assert!(!body.contains(part) && !headers.contains(part), "{method} {path}: {headers} {body}");
                }
            }
        }
    }
    let told = api.get(&format!("/v1/rulesets/{}/x", fight.token)).request().send().await.expect("an answer");
    let problem: serde_json::Value = serde_json::from_str(&told.text().await.expect("a body")).expect("JSON");
    assert_eq!(problem["instance"], json!("/v1/rulesets/tk_.../x"), "the rest is still told");
}

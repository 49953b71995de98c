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

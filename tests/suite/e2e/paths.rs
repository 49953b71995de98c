//! Secrets in paths.

use super::Api;
use serde_json::json;

#[tokio::test]
async fn a_token_in_a_path_is_never_echoed() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let secret = fight.token.trim_start_matches("tk_gm_");
    let encoded: String = fight.token.bytes().map(|b| format!("%{b:02X}")).collect();
    for token in [
        fight.token.clone(),
        format!("x{}y", fight.token),
        fight.token.replace('_', "%5f"),
        encoded.clone(),
    ] {
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
                let (status, headers, body) = (
                    answer.status,
                    format!("{:?}", answer.headers),
                    answer.text(),
                );
                assert!((400..500).contains(&status), "{method} {path}: {status}");
                for part in [secret, &encoded, &token] {
                    assert!(
                        !body.contains(part) && !headers.contains(part),
                        "{method} {path}: {headers} {body}"
                    );
                }
            }
        }
    }
    let problem = api
        .get(&format!("/v1/rulesets/{}/x", fight.token))
        .send()
        .await
        .problem(404, "not_found");
    assert_eq!(
        problem["instance"],
        json!("/v1/rulesets/tk_.../x"),
        "the rest is kept"
    );
}

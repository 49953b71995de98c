//! Reading: the turn table, the log, manifests, the document, health.

use super::Api;
use serde_json::json;

#[tokio::test]
async fn the_log_is_read_page_by_page_without_a_gap() {
    let api = Api::start().await;
    let fight = api.fight().await;
    fight.notes(25).await;
    let mut path = fight.path("/events?limit=10");
    let mut versions = Vec::new();
    let mut pages = 0;
    loop {
        let page = api.get(&path).token(&fight.token).send().await;
        let body = page.json();
        versions.extend(body["items"].as_array().unwrap().iter().map(|item| item["version"].as_u64().unwrap()));
        pages += 1;
        let Some(cursor) = body["next_cursor"].as_str() else { break };
        assert_eq!(
            page.header("link"),
            format!("<{}>; rel=\"next\"", fight.path(&format!("/events?after={cursor}&limit=10")))
        );
        path = fight.path(&format!("/events?limit=10&after={cursor}"));
    }
    assert_eq!((versions, pages), ((1..=25).collect(), 3));
    let entry = fight.read("/events?after=24").await["items"][0].clone();
    assert_eq!((&entry["version"], &entry["commands"], &entry["by"]), (&json!(25), &json!(["note"]), &json!("gm")));
    assert_eq!(entry["events"], json!([{"type": "noted", "text": "note 24"}]));
    assert!(entry["at"].as_str().unwrap().ends_with('Z'), "{entry}");
}

#[tokio::test]
async fn rulesets_tell_what_they_are_and_what_they_need() {
    let api = Api::start().await;
    let list = api.read("/v1/rulesets").await;
    let items = list["items"].as_array().unwrap();
    assert!(items.iter().any(|item| item["id"] == "active-initiative"), "{list}");
    for item in items {
        let one = api.get(&format!("/v1/rulesets/{}", item["id"].as_str().unwrap())).send().await.json();
        assert_eq!(one, *item);
        for field in ["title", "author", "source", "summary"] {
            assert!(item[field].as_str().is_some_and(|text| !text.is_empty()), "{field} of {item}");
        }
        for field in ["commands", "rules", "shared_commands", "shared_rules"] {
            assert!(item[field].as_array().is_some_and(|list| !list.is_empty()), "{field} of {item}");
        }
        for field in ["options", "combatant"] {
            let schema = &item[field];
            jsonschema::draft202012::new(schema).unwrap_or_else(|error| panic!("{field} of {item}: {error}"));
            assert!(schema["properties"].is_object(), "{field} of {item}");
            let own = |(name, _): &(&String, &serde_json::Value)| {
                !turnkeeper::vocabulary::Draft::FIELDS.contains(&name.as_str())
            };
            for (name, field) in schema["properties"].as_object().unwrap().iter().filter(own) {
                assert!(field.get("description").is_some(), "{name}: {field}");
            }
        }
        assert!(!item.to_string().contains("$ref"), "a manifest stands alone: {item}");
    }
}

#[tokio::test]
async fn process_store_document_and_page_are_there() {
    let api = Api::start().await;
    assert_eq!(api.get("/livez").send().await.status, 200);
    assert_eq!(api.get("/readyz").send().await.status, 200);
    let document = api.get("/openapi.json").send().await;
    assert_eq!(document.header("content-type"), "application/json");
    assert!(document.json()["openapi"].as_str().is_some_and(|version| version.starts_with("3.1")));
    let page = api.get("/docs/").send().await;
    assert!(page.text().contains("swagger-ui"), "{page:?}");
    let script = api.get("/docs/swagger-initializer.js").send().await;
    assert!(script.text().contains("/openapi.json"), "{script:?}");
    // As browsers do; unpacked it is more than a load balancer passes on.
    let bundle = api.get("/docs/swagger-ui-bundle.js").header("accept-encoding", "gzip").send().await;
    assert!(bundle.status == 200 && bundle.body.len() > 100_000, "bundled, so that it works offline");
    assert!(!page.text().contains("https://"), "nothing is fetched from elsewhere");
}

#[tokio::test]
async fn head_answers_as_get_does_without_a_body() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let head = api.call("HEAD", &fight.path("")).token(&fight.token).send().await;
    let get = fight.get("").send().await;
    assert_eq!((head.status, head.header("etag"), head.body.len()), (200, get.header("etag"), 0));
}

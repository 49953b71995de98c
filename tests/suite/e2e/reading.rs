//! Reading: pages of the log and manifests; see `tests/http/reading.json` for the rest.

use super::{Api, note};
use crate::support::client::version;
use serde_json::json;

#[tokio::test]
async fn a_page_holds_at_most_limit_entries_and_the_pages_hold_all_that_the_viewer_reads() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let player = fight.player(&["valiant"]).await;
    // Runs of 0 to 3 notes that only the game master reads, before each that all read.
    for n in 0..12_u64 {
        for secret in 0..(n * 7) % 4 {
            fight.accepted(note(&format!("secret {secret}"))).await;
        }
        fight
            .accepted(json!({"type": "note", "text": format!("public {n}"), "readers": "all"}))
            .await;
    }
    fight.accepted(note("a secret is the last")).await;
    let public = player.log().await;
    assert_eq!(public.len(), 12, "{public:?}");
    for (viewer, all) in [(&fight, fight.log().await), (&player, public)] {
        for limit in 1..=13 {
            let (mut read, mut next, mut pages) = (Vec::new(), Some("0".to_owned()), 0);
            while let Some(cursor) = next {
                let page = viewer
                    .get(&format!("/events?cursor={cursor}&limit={limit}"))
                    .send()
                    .await;
                let body = page.json();
                let versions: Vec<u64> = body["items"]
                    .as_array()
                    .expect("items")
                    .iter()
                    .map(version)
                    .collect();
                assert!(
                    versions.len() <= limit,
                    "{} entries in a page of at most {limit}",
                    versions.len()
                );
                read.extend(versions);
                next = body["next_cursor"].as_str().map(str::to_owned);
                let link = next.as_ref().map_or(String::new(), |next| {
                    format!("<?cursor={next}&limit={limit}>; rel=\"next\"")
                });
                assert_eq!(page.header("link"), link);
                pages += 1;
                assert!(pages <= 40, "limit {limit}: the pages do not end");
            }
            assert_eq!(read, all, "limit {limit}");
        }
    }
    let last = fight.read("/events").await["items"]
        .as_array()
        .and_then(|items| items.last().cloned())
        .expect("an entry");
    assert_eq!(
        (&last["commands"], &last["token"]),
        (&json!(["note"]), &json!("gm"))
    );
    assert_eq!(
        last["events"],
        json!([{"type": "noted", "text": "a secret is the last"}])
    );
    assert!(
        last["at"].as_str().expect("a time").ends_with('Z'),
        "{last}"
    );
}

#[tokio::test]
async fn rulesets_tell_what_they_are_and_what_they_need() {
    let api = Api::start().await;
    let list = api.read("/v1/rulesets").await;
    let items = list["items"].as_array().unwrap();
    assert!(
        items.iter().any(|item| item["id"] == "active-initiative"),
        "{list}"
    );
    for field in ["shared_commands", "shared_rules"] {
        let shared = list[field].as_array();
        assert!(shared.is_some_and(|shared| !shared.is_empty()), "{field}");
    }
    for item in items {
        let address = |field: &str| format!("/v1/{}", item[field].as_str().expect("an address"));
        let manifest = api.read(&address("manifest")).await;
        for field in ["id", "title", "author", "source", "summary", "round"] {
            let text = item[field].as_str().unwrap_or_default();
            assert!(!text.is_empty(), "{field} of {item}");
            assert_eq!(item[field], manifest[field], "{field}");
        }
        let document = api.read(&address("openapi")).await;
        let title = item["title"].as_str().expect("a title");
        let named = document["info"]["title"].as_str().expect("a title");
        assert!(named.ends_with(title), "{named}");
        for field in ["commands", "events", "rules"] {
            let list = manifest[field].as_array();
            assert!(list.is_some_and(|list| !list.is_empty()), "{field}");
        }
        let combatant = manifest["combatant"]["properties"].as_object();
        let options = manifest["options"]["properties"].as_object();
        for (name, field) in combatant.into_iter().chain(options).flatten() {
            let shared = turnkeeper::vocabulary::DRAFT_FIELDS.contains(&name.as_str());
            assert!(
                shared || field.get("description").is_some(),
                "{name}: {field}"
            );
        }
    }
}

//! The pages of a viewer that does not read every entry.

use super::{Api, note};
use serde_json::json;

#[tokio::test]
async fn a_players_page_holds_at_most_limit_entries_and_the_pages_hold_them_all() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let player = fight.player(&["valiant"]).await;
    // Runs of 0 to 3 notes that only the game master reads, before each that all read.
    for n in 0..12_u64 {
        for secret in 0..(n * 7) % 4 {
            fight.accepted(note(&format!("secret {secret}"))).await;
        }
        fight.accepted(json!({"type": "note", "text": format!("public {n}"), "readers": "all"})).await;
    }
    fight.accepted(note("a secret is the last")).await;
    let all = player.log().await;
    assert_eq!(all.len(), 12, "{all:?}");
    for limit in 1..=13 {
        let (mut read, mut next, mut pages) = (Vec::new(), Some("0".to_owned()), 0);
        while let Some(after) = next {
            let page = player.read(&format!("/events?after={after}&limit={limit}")).await;
            let versions = page["items"].as_array().expect("items").iter().map(|item| item["version"].clone());
            let versions: Vec<u64> = versions.map(|version| version.as_u64().expect("a version")).collect();
            assert!(versions.len() <= limit, "{} entries in a page of at most {limit}", versions.len());
            read.extend(versions);
            next = page["next_cursor"].as_str().map(str::to_owned);
            pages += 1;
            assert!(pages <= 40, "limit {limit}: the pages do not end");
        }
        assert_eq!(read, all, "limit {limit}");
    }
}

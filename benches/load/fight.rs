//! The fights that get the load, and the commands.

use super::support::client::{Client, Fight};
use serde_json::json;

fn id(n: usize) -> String {
    format!("c{n:02}")
}

/// A started fight.
pub async fn started(api: &Client, combatants: usize) -> Fight {
    let combatants: Vec<_> = (0..combatants)
        .map(|n| {
            let side = if n % 2 == 0 { "players" } else { "monsters" };
            json!({"id": id(n), "name": format!("Combatant {n:02}"), "side": side,
                "hp": {"current": 100_000, "max": 100_000}})
        })
        .collect();
    let fight = api
        .create(&json!({"ruleset": "active-initiative", "combatants": combatants}))
        .await;
    fight
        .accepted(json!({"type": "start", "first": id(0)}))
        .await;
    fight
}

/// The commands that are sent in turn to a started fight: damage, healing, and the next turn.
pub fn commands(combatants: usize) -> impl Iterator<Item = String> {
    let commands = (0..combatants).flat_map(move |n| {
        let (this, next) = (id(n), id((n + 1) % combatants));
        [
            json!({"type": "damage", "target": this, "amount": 3}),
            json!({"type": "heal", "target": this, "amount": 3}),
            json!({"type": "end_turn", "combatant": this, "next": next, "begin": true}),
        ]
    });
    commands.map(|command| command.to_string())
}

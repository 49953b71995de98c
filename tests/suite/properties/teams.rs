//! The order of DC20's turns: each turn belongs to the team of those in it, and the teams
//! alternate.

use serde_json::Value;

/// A property, and how it fails.
type Wrong = (&'static str, String);

/// A turn of the order as it is seen.
struct Turn<'v> {
    team: &'v Value,
    removed: bool,
}

/// Holds a view with turns against the properties.
pub fn hold(view: &Value) -> Result<(), Wrong> {
    let Some(slots) = view["state"]["slots"].as_array() else {
        return Ok(());
    };
    if slots.iter().any(|slot| slot["team"].is_null()) {
        return Ok(());
    }
    let combatants: Vec<&Value> = view["combatants"]
        .as_array()
        .into_iter()
        .flatten()
        .collect();
    for slot in slots {
        for id in slot["occupants"].as_array().into_iter().flatten() {
            let c = combatants.iter().find(|c| c["id"] == *id);
            let belongs = c.is_some_and(|c| {
                c["slot"] == slot["id"] && belongs_to(&view["state"], c, &slot["team"])
            });
            if !belongs {
                return Err((
                    "a turn belongs to the team of those in it",
                    format!("{id} in {slot}"),
                ));
            }
        }
    }
    let seen = slots.iter().filter(|slot| slot["unseen"] != true);
    let turns: Vec<Turn> = seen
        .map(|slot| Turn {
            team: &slot["team"],
            removed: slot["removed"] == true,
        })
        .collect();
    alternate(&turns).map_err(|wrong| {
        let ids: Vec<&Value> = slots.iter().map(|slot| &slot["id"]).collect();
        (wrong, format!("{ids:?}"))
    })
}

/// Whether a combatant is of this team, by its own fields.
fn belongs_to(state: &Value, c: &Value, team: &Value) -> bool {
    let side = &c["side"];
    let friendly = ["players", "npc", "npcs"].iter().any(|own| side == own);
    let is_enemy = !friendly && c["neutral"] != true;
    if let Some(number) = team["enemy"].as_u64() {
        let number = usize::try_from(number).expect("a small number");
        let teams = |list: &str| state[list].as_array().cloned().unwrap_or_default();
        let (seen, unseen) = (teams("enemy_teams"), teams("unseen_teams"));
        let of_team = if number > 8 {
            unseen.get(number - 9)
        } else {
            seen.get(number - 1)
        };
        let of_none = !seen.contains(side) && !unseen.contains(side);
        return is_enemy && (of_team == Some(side) || of_none);
    }
    let is_member = c["kind"] == "pc" && side == "players" || c["important"] == true;
    !is_enemy && is_member == (team == "pc")
}

/// PC Turns and the turns of the first enemies alternate as long as there are turns of both, merged
/// ones included; a PC Turn is between two turns of any other team; and teams with equal numbers of
/// turns alternate.
fn alternate(turns: &[Turn<'_>]) -> Result<(), &'static str> {
    let mut teams: Vec<&Value> = Vec::new();
    for turn in turns {
        if !teams.contains(&turn.team) {
            teams.push(turn.team);
        }
    }
    let of = |a: &Value, b: &Value, merged: bool| -> Vec<bool> {
        let both = turns.iter().filter(|turn| merged || !turn.removed);
        both.filter(|turn| turn.team == a || turn.team == b)
            .map(|turn| turn.team == a)
            .collect()
    };
    for other in teams.iter().filter(|team| **team != "pc") {
        let order = of(&Value::from("pc"), other, true);
        if order.windows(2).any(|two| !two[0] && !two[1]) {
            return Err("a PC Turn is between two turns of another team");
        }
        let run = order.windows(2).position(|two| two[0] && two[1]);
        let after_run = order.get(run.unwrap_or(order.len())..).unwrap_or_default();
        if other["enemy"] == 1 && after_run.contains(&false) {
            return Err("PC Turns and Enemy Turns alternate as long as there are both");
        }
    }
    for (place, a) in teams.iter().enumerate() {
        for b in teams.iter().skip(place + 1) {
            let order = of(a, b, false);
            let equal = order.iter().filter(|is_a| **is_a).count() * 2 == order.len();
            if equal && order.windows(2).any(|two| two[0] == two[1]) {
                return Err("teams with equal numbers of turns alternate");
            }
        }
    }
    Ok(())
}

#[test]
fn orders_in_which_the_teams_do_not_alternate_are_seen() {
    use serde_json::json;
    let order = |teams: &[(&str, bool)]| {
        let teams: Vec<(Value, bool)> = teams
            .iter()
            .map(|(team, removed)| match *team {
                "e" => (json!({"enemy": 1}), *removed),
                "f" => (json!({"enemy": 2}), *removed),
                team => (json!(team), *removed),
            })
            .collect();
        let turns: Vec<Turn> = teams
            .iter()
            .map(|(team, removed)| Turn {
                team,
                removed: *removed,
            })
            .collect();
        alternate(&turns).err()
    };
    let all = |teams: &str| {
        let teams: Vec<&str> = teams.split(' ').collect();
        let laid: Vec<(&str, bool)> = teams.iter().map(|team| (*team, false)).collect();
        order(&laid)
    };
    assert_eq!(all("pc e pc e"), None);
    assert_eq!(all("e pc e pc pc"), None);
    assert_eq!(all("pc e f npc pc e f npc"), None);
    assert_eq!(
        all("pc e pc pc e"),
        Some("PC Turns and Enemy Turns alternate as long as there are both")
    );
    assert_eq!(
        all("pc e npc npc"),
        Some("a PC Turn is between two turns of another team")
    );
    assert_eq!(
        all("pc e f pc f e"),
        Some("teams with equal numbers of turns alternate")
    );
    let merged = [("pc", false), ("e", false), ("pc", false), ("e", true)];
    assert_eq!(order(&merged), None);
}

#[test]
fn a_combatant_in_the_turn_of_another_team_is_seen() {
    use serde_json::json;
    let view = |side: &str, important: bool, team: Value| {
        json!({
            "state": {"enemy_teams": ["monsters"], "slots": [{"id": "t", "team": team, "occupants": ["a"]}]},
            "combatants": [{"id": "a", "side": side, "kind": "npc", "important": important, "slot": "t"}],
        })
    };
    let holds = |side, important, team| hold(&view(side, important, team)).is_ok();
    assert!(holds("monsters", false, json!({"enemy": 1})));
    assert!(holds("npc", true, json!("pc")));
    assert!(!holds("monsters", false, json!("pc")));
    assert!(!holds("npc", true, json!("npc")));
    assert!(!holds("npc", false, json!({"enemy": 1})));
}

//! Who reads who sent a command, and what the player of a combatant reads that is hidden only for a
//! moment.

use super::chance::Chance;
use super::secrecy::{Even, Stage, named};
use super::{numbers, subjects};
use crate::support::table::{owned, player, time_after};
use serde_json::{Value, json};
use turnkeeper::engine::{Decided, OptionsFilter, RedactedEntry, Request, Viewer};
use turnkeeper::vocabulary::OwnCombatant;

/// The plays of each ruleset by default.
const PLAYS: u64 = 12;

/// The player of `h1`.
fn shade(stage: &Stage) -> Vec<OwnCombatant> {
    owned(&*stage.game, &named(&["h1"]))
}

/// An entry as the holder of a token reads it, if something of it is redacted.
fn entry<'d>(decided: &'d Decided, token: &str) -> Option<&'d RedactedEntry> {
    decided
        .redactions
        .as_ref()
        .and_then(|redactions| redactions.to(token))
}

/// Refuses an entry of the player of `h1` that tells others who sent it, or does not tell that
/// player.
fn signed_for_nobody_else(decided: &Decided) -> Result<(), String> {
    for token in ["player", "onlooker"] {
        let told = entry(decided, token);
        if !told
            .is_some_and(|entry| entry.is_empty() || entry.unsigned && entry.commands.is_empty())
        {
            return Err(format!("{token} reads {told:?} of {}", decided.events));
        }
    }
    match entry(decided, "shade") {
        Some(own) if own.unsigned && !own.events.get().contains("someone_acts") => {
            Err(format!("its own player reads {own:?}"))
        }
        _ => Ok(()),
    }
}

/// Takes back the last command in the name of the player of `h1`.
fn undo(stage: &Stage, before: &Stage) -> Decided {
    let request = Request::read(json!({"type": "undo"})).expect("a command");
    let rewind = stage
        .game
        .rewind_target(&request)
        .expect("an undo")
        .expect("a version");
    stage
        .game
        .rewind(
            &shade(stage),
            &rewind,
            &*before.game,
            time_after(&*stage.game),
        )
        .expect("it is possible")
}

fn play(ruleset: &str, seed: u64) -> Result<(), String> {
    let mut chance = Chance::new(seed);
    let combatants = json!([{"id": "c1", "side": "players"}, {"id": "h1", "side": "players", "hidden": true},
        {"id": "c3", "side": "monsters"}, {"id": "c4", "side": "monsters"}]);
    let creation = json!({"ruleset": ruleset, "combatants": combatants});
    let mut stage = Stage::create(&creation).expect("a sound creation");
    for step in 0..60 {
        let own = shade(&stage);
        let its_turn = chance.percent(50);
        let (sender, viewer) = if its_turn {
            (&own[..], player("shade", own.clone()))
        } else {
            (&[][..], Viewer::gm("gm"))
        };
        let options = stage
            .game
            .redacted(&own)
            .options(&viewer, &OptionsFilter::all(), 0, &|| false);
        let common = [
            "end_encounter",
            "undo",
            "redo",
            "update_combatant",
            "remove_combatant",
        ];
        let options: Vec<_> = options
            .iter()
            .filter(|o| !common.contains(&o.command["type"].as_str().unwrap_or_default()))
            .collect();
        let Some(command) = chance.pick(&options).map(|option| chance.fill(option)) else {
            continue;
        };
        let Some((next, decided)) = stage.send_as(sender, &command, &mut Even(step)) else {
            continue;
        };
        if its_turn {
            signed_for_nobody_else(&decided).map_err(|wrong| format!("{command}: {wrong}"))?;
            signed_for_nobody_else(&undo(&next, &stage))
                .map_err(|wrong| format!("undo of {command}: {wrong}"))?;
        }
        stage = next;
    }
    Ok(())
}

#[test]
fn what_the_player_of_a_hidden_combatant_sends_is_signed_for_nobody_else() {
    for subject in subjects() {
        for seed in numbers(PLAYS) {
            play(subject.id, seed)
                .unwrap_or_else(|wrong| panic!("{} (TURNKEEPER_SEED={seed}): {wrong}", subject.id));
        }
    }
}

#[test]
fn the_roll_of_a_unit_does_not_name_the_player_of_a_hidden_persona() {
    let combatants =
        json!([{"id": "c1", "side": "players"}, {"id": "h1", "side": "players", "hidden": true}]);
    let mut stage = Stage::create(&json!({"ruleset": "exp", "combatants": combatants}))
        .expect("a sound creation");
    let spend = |id: &str| json!({"type": "declare", "combatant": id, "move": "now", "act": "now"});
    for command in [
        json!({"type": "start", "rolls": {"c1": 10, "h1": 5}}),
        spend("c1"),
        spend("h1"),
    ] {
        stage = stage.send(&command, &mut Even(1)).expect("it is legal").0;
    }
    let roll = json!({"type": "roll"});
    let (next, decided) = stage
        .send_as(&shade(&stage), &roll, &mut Even(1))
        .expect("it is legal");
    assert_eq!(signed_for_nobody_else(&decided), Ok(()));
    assert_eq!(signed_for_nobody_else(&undo(&next, &stage)), Ok(()));
    // The player of one who is seen signs it.
    let ann = owned(&*stage.game, &named(&["c1"]));
    let (_, decided) = stage
        .send_as(&ann, &roll, &mut Even(1))
        .expect("it is legal");
    assert!(
        entry(&decided, "onlooker").is_some_and(|entry| !entry.unsigned),
        "{:?}",
        decided.redactions
    );
}

#[test]
fn the_player_of_a_combatant_that_is_hidden_within_one_list_reads_all_of_it() {
    let stage = Stage::create(
        &json!({"ruleset": "round-robin", "combatants": [{"id": "c1"}, {"id": "c3"}]}),
    );
    let hidden = |hidden: bool| json!({"type": "update_combatant", "combatant": "c1", "changes": {"hidden": hidden}});
    let damage = json!({"type": "damage", "target": "c1", "amount": 2});
    let list = json!([hidden(true), damage, hidden(false)]);
    let (_, decided) = stage
        .expect("a sound creation")
        .send(&list, &mut Even(1))
        .expect("it is legal");
    let types = |token: &str| -> Vec<String> {
        let events = entry(&decided, token).map_or(&decided.events, |entry| &entry.events);
        let events: Vec<Value> = serde_json::from_str(events.get()).expect("events");
        events
            .iter()
            .map(|event| event["type"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    assert_eq!(
        types("player"),
        ["combatant_updated", "damaged", "combatant_updated"]
    );
    assert_eq!(types("onlooker"), ["combatant_left", "combatant_joined"]);
}

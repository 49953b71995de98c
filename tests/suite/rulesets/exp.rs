//! EXP: the length of a unit, and what a player may do while a hidden combatant is asked.

use crate::properties::chance::Chance;
use crate::properties::judge::{Action, Judge};
use crate::properties::secrecy::{Even, Stage};
use crate::support::shows;
use crate::support::table::{owned, player};
use serde_json::{Value, json};
use turnkeeper::engine::{OptionsFilter, Request};
use turnkeeper::vocabulary::{CombatantId, LegalCommand};

/// A new unit of up to eight anthros that can wait jump and attack with their minds.
fn unit(chance: &mut Chance) -> (Judge, usize) {
    let size = 1 + chance.below(8);
    let persona = |n: usize| json!({"id": format!("c{n}"), "mstr": 10, "level": n + 1});
    let combatants: Vec<Value> = (0..size).map(persona).collect();
    let judge = Judge::new(&json!({"ruleset": "exp", "combatants": combatants}))
        .expect("no property fails");
    let mut judge = judge.expect("plain personas are accepted");
    send(&mut judge, chance, json!({"type": "start"}));
    (judge, size)
}

fn send(judge: &mut Judge, chance: &mut Chance, command: Value) {
    let action = Action {
        command: command.clone(),
        dice: chance.seed(),
        advance: true,
    };
    assert!(
        judge.act(&action).expect("no property fails"),
        "{command} was refused: {}",
        judge.view
    );
}

fn finished(judge: &Judge) -> usize {
    let combatants = judge.view["combatants"].as_array().into_iter().flatten();
    combatants.filter(|c| c["acted"] == true).count()
}

#[test]
fn every_pass_of_exp_finishes_a_persona_so_that_a_unit_has_no_more_passes_than_personas() {
    shows(&["EX-16", "EX-18", "EX-19"]);
    let mut longest = 0;
    for seed in 0..40 {
        let mut chance = Chance::new(seed);
        let (mut judge, size) = unit(&mut chance);
        let mut before = (1, 0);
        while judge.view["state"]["phase"] == "pass" {
            let verb = match chance.below(10) {
                0 => "jump",
                1 => "mental_attack",
                2 if chance.percent(20) => "set_condition",
                _ => "declare",
            };
            let able: Vec<_> = judge
                .legal_commands
                .iter()
                .filter(|o| o.command["type"] == verb)
                .collect();
            let Some(option) = chance.pick(&able) else {
                continue;
            };
            let mut command = chance.fill(option);
            if verb == "set_condition" {
                command["condition"] = json!("paralyzed");
            } else if verb == "declare" {
                // Waiting as long as possible makes the most passes.
                let waits = |o: &&&LegalCommand| {
                    let uses = [&o.command["move"], &o.command["act"]];
                    uses.contains(&&json!("wait"))
                };
                let option = able.iter().find(waits).unwrap_or(&able[0]);
                command = option.command.clone();
            }
            let known = judge.view["combatants"].as_array().into_iter().flatten();
            let twice = known
                .filter(|c| c["id"] == command["target"] || command["targets"] == json!([c["id"]]))
                .any(|c| c["conditions"] == json!(["paralyzed"]));
            if verb == "set_condition" && twice {
                continue;
            }
            send(&mut judge, &mut chance, command);
            let pass = judge.view["state"]["pass"].as_u64().unwrap_or_default();
            if pass > before.0 {
                assert!(
                    finished(&judge) > before.1,
                    "pass {} finished nobody: {}",
                    before.0,
                    judge.view
                );
                before = (pass, finished(&judge));
            }
        }
        assert!(
            before.0 <= size as u64,
            "{} passes of {size} personas",
            before.0
        );
        assert_eq!(finished(&judge), size);
        longest = longest.max(before.0);
    }
    assert!(
        longest > 4,
        "the plays are too tame: {longest} passes at most"
    );
}

/// A fight of the player's persona `c1` and the hidden `h1`, after these commands.
fn beside_a_hidden_one(mut seer: Value, mut lurker: Value, commands: &Value) -> Stage {
    seer["id"] = json!("c1");
    (lurker["id"], lurker["side"], lurker["hidden"]) =
        (json!("h1"), json!("monsters"), json!(true));
    let stage = Stage::create(&json!({"ruleset": "exp", "combatants": [seer, lurker]}))
        .expect("a sound creation");
    stage
        .send(commands, &mut Even(4))
        .expect("legal commands")
        .0
}

/// What the player's options are, who sees only that somebody acts.
fn options_of_the_player(stage: &Stage) -> Vec<Value> {
    let own = owned(&*stage.game, &[CombatantId::fixed("c1")]);
    let seen = stage.game.redacted(&own);
    assert!(
        seen.brief()
            .pending
            .is_some_and(|pending| pending.is_someone())
    );
    let legal_commands = seen.options(
        &player("player", own.clone()),
        &OptionsFilter::all(),
        0,
        &|| false,
    );
    legal_commands
        .into_iter()
        .map(|option| option.command)
        .collect()
}

#[test]
fn a_player_attacks_with_its_mind_while_a_hidden_combatant_is_asked() {
    shows(&["EX-31"]);
    let stage = beside_a_hidden_one(
        json!({"mstr": 10}),
        json!({"dex": 20}),
        &json!({"type": "start"}),
    );
    assert_eq!(stage.game.brief().current, [CombatantId::fixed("h1")]);
    let own = owned(&*stage.game, &[CombatantId::fixed("c1")]);
    let request = |command: Value| Request::read(command).expect("a command");
    let refused = |command| {
        stage
            .game
            .examine(&own, &request(command), &|| false)
            .is_err()
    };
    assert!(!refused(
        json!({"type": "mental_attack", "combatant": "c1"})
    ));
    assert!(refused(
        json!({"type": "declare", "combatant": "c1", "move": "now", "act": "now"})
    ));
    let verbs: Vec<_> = options_of_the_player(&stage)
        .iter()
        .map(|command| command["type"].clone())
        .collect();
    assert_eq!(verbs, ["mental_attack"]);
    assert!(
        stage
            .send(
                &json!({"type": "mental_attack", "combatant": "c1"}),
                &mut Even(4)
            )
            .is_some()
    );
}

#[test]
fn a_player_declines_a_duel_in_which_a_hidden_combatant_is_first() {
    shows(&["EX-32a"]);
    let duel =
        json!([{"type": "start"}, {"type": "mental_duel", "combatant": "c1", "opponent": "h1"}]);
    let stage = beside_a_hidden_one(json!({"mstr": 1}), json!({"mstr": 20}), &duel);
    let decline = json!({"type": "pass", "combatant": "c1"});
    let legal_commands = options_of_the_player(&stage);
    assert!(legal_commands.contains(&decline), "{legal_commands:?}");
    assert!(stage.send(&decline, &mut Even(4)).is_some());
}

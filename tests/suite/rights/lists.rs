//! What is listed for a player is the player's to send and is accepted, and nothing of it is left
//! out.

use crate::properties::chance::Chance;
use crate::support::legal_commands::{completed, listed, listed_values};
use crate::support::table::{RULESETS, Table, owned, player};
use serde_json::{Value, json};
use turnkeeper::engine::{OptionsFilter, Request, Role, SeededDice, Viewer};
use turnkeeper::vocabulary::{CombatantId, LegalCommand, Time, Values};

const NAMES: [&str; 4] = ["ann", "bob", "orc", "rat"];

fn creation(ruleset: &str) -> Value {
    let side = |name: &str| {
        if matches!(name, "orc" | "rat") {
            "monsters"
        } else {
            "players"
        }
    };
    let combatants =
        NAMES.map(|name| json!({"id": name, "side": side(name), "hp": {"current": 20}}));
    json!({"ruleset": ruleset, "combatants": combatants})
}

/// The command of an option with the first values, and with each value that it lists for a field.
fn forms(option: &LegalCommand) -> Vec<Value> {
    let first = completed(option);
    let mut forms = vec![first.clone()];
    for choice in &option.choices {
        let values = match &choice.values {
            Values::Range(least, most) => vec![json!(least), json!(most)],
            values => listed_values(values).into_iter().cloned().collect(),
        };
        for value in values {
            let mut form = first.clone();
            form[choice.field] = value;
            forms.push(form);
        }
    }
    forms
}

/// Every form that is listed for this viewer is the viewer's; every one that is listed for the game
/// master and is the viewer's is listed.
fn check(table: &Table, viewer: &Viewer) -> usize {
    let (own, all) = (
        table
            .game
            .options(viewer, &OptionsFilter::all(), 0, &|| false),
        table.legal_commands(),
    );
    let may = |form: &Value| {
        let request = Request::read(form.clone()).expect("an option is a request");
        table.game.authorize(viewer, &request).is_ok()
    };
    for form in own.iter().flat_map(forms) {
        assert!(may(&form), "{form} is listed for {viewer:?}");
    }
    for option in &own {
        let command = completed(option);
        let request = Request::read(command.clone()).expect("an option is a request");
        let decided = table.game.decide(
            &[],
            &request,
            Time::default(),
            &mut SeededDice::new([1; 32]),
            &|| false,
        );
        assert!(
            decided.is_ok(),
            "{} is listed for {viewer:?} and refused: {:?}",
            command,
            decided.err()
        );
    }
    let missing = all
        .iter()
        .flat_map(forms)
        .filter(may)
        .find(|form| !listed(&own, form));
    assert_eq!(missing, None, "it is {viewer:?}'s and is not listed");
    own.len()
}

#[test]
fn options_list_all_that_a_token_may_send_and_nothing_else() {
    let names = [
        &["ann"][..],
        &["bob"],
        &["orc"],
        &["ann", "rat"],
        &["nobody"],
    ];
    let spectator = Viewer {
        role: Role::Spectator,
        ..Viewer::gm("s")
    };
    for ruleset in RULESETS.iter() {
        let id = ruleset.manifest.id;
        let mut legal_commands = 0;
        for play in 0..3 {
            let (mut table, mut chance) = (Table::create(creation(id)), Chance::new(play));
            let ids = |names: &[&'static str]| {
                names
                    .iter()
                    .map(|n| CombatantId::fixed(n))
                    .collect::<Vec<_>>()
            };
            let viewers = names.map(|names| player("p", owned(&*table.game, &ids(names))));
            for step in 0..25 {
                assert!(
                    table
                        .game
                        .options(&spectator, &OptionsFilter::all(), 0, &|| false)
                        .is_empty(),
                    "nothing is listed for an onlooker"
                );
                for viewer in &viewers {
                    legal_commands += check(&table, viewer);
                }
                let awaited = table
                    .game
                    .brief()
                    .pending
                    .map(|p| p.commands)
                    .unwrap_or_default();
                let own = |o: &&LegalCommand| awaited.iter().any(|verb| o.command["type"] == *verb);
                let all = table.legal_commands();
                let useful: Vec<LegalCommand> = all
                    .iter()
                    .filter(own)
                    .filter(|_| chance.percent(80))
                    .cloned()
                    .collect();
                let ends = |o: &LegalCommand| o.command["type"] == "end_encounter" && step < 20;
                let from: Vec<LegalCommand> = if useful.is_empty() { all } else { useful };
                let from: Vec<LegalCommand> = from.into_iter().filter(|o| !ends(o)).collect();
                if let Some(option) = chance.pick(&from) {
                    let command = chance.fill(option);
                    let _ = table.send(command);
                }
            }
        }
        assert!(
            legal_commands > 0,
            "{id}: nothing was ever listed for a player"
        );
    }
}

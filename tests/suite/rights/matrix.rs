//! Role x command x ownership, in every ruleset, against a table that is written here by hand.

use crate::properties::chance::Chance;
use crate::support::openapi::type_schema;
use crate::support::schema::Shapes;
use crate::support::table::{RULESETS, Table, player};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use turnkeeper::engine::{AnyRuleset, Refusal, Request, Role, SeededDice, Viewer};
use turnkeeper::vocabulary::{CombatantId, Commands, OwnCombatant, SharedCommand, Time};

/// The game master's commands of each ruleset; all others of its own are players'.
const GM: &[(&str, &[&str])] = &[
    ("active-initiative", &["start", "resolve", "inspire"]),
    ("seize", &["start", "resolve"]),
    (
        "dc20",
        &[
            "start",
            "assign",
            "resolve",
            "merge",
            "legendary",
            "fate_check",
        ],
    ),
    ("venture", &["start", "settle", "adjust"]),
    ("exp", &["start", "mental_duel", "resolve"]),
    (
        "custom",
        &[
            "start",
            "roll",
            "resolve",
            "grant",
            "end_round",
            "change_definition",
            "set_initiative",
            "reorder",
        ],
    ),
    ("round-robin", &["start"]),
];

/// This file.
const TABLE: &str = file!();

const NAMES: [&str; 3] = ["ann", "bob", "cid"];
/// So many commands of each type are tried.
const SAMPLES: usize = 60;

/// In whose names a player's command is sent; None where this form of it is the game master's.
fn names(ruleset: &str, command: &Value) -> Option<BTreeSet<String>> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let keys = |field: &str| {
        command[field]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(key, _)| key.clone())
    };
    let own = text(&command["combatant"]);
    let mut names: BTreeSet<String> = own.iter().cloned().collect();
    match (ruleset, command["type"].as_str().unwrap_or_default()) {
        ("active-initiative", "interrupt") if command["means"] == "interrupt_point" => return None,
        ("active-initiative", "nominate") if own.is_none() => return None,
        ("dc20", "claim") if command["at_once"] == true => return None,
        ("dc20", "claim")
            if command["others"]
                .as_array()
                .is_some_and(|others| !others.is_empty()) =>
        {
            return None;
        }
        ("dc20", "end_turn") if command["all"] == true => return None,
        ("exp", "jump") if !command["referee_roll"].is_null() => return None,
        ("venture", "act") => {
            let ruling = |target: &Value| target["killed"] == true || !target["damage"].is_null();
            if command["reflexive"] == true
                || command["attacked"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .any(ruling)
            {
                return None;
            }
        }
        ("exp", "roll") => names.extend(keys("rolls").chain(keys("tie_rolls"))),
        _ => return own.map(|_| names),
    }
    Some(names)
}

/// The combatants of these names, as each table has them.
fn ids(names: &[&'static str]) -> Vec<OwnCombatant> {
    let joined = |name: &str| {
        (1..)
            .zip(NAMES)
            .find(|(_, other)| *other == name)
            .map_or(0, |(joined, _)| joined)
    };
    names
        .iter()
        .map(|name| OwnCombatant {
            id: CombatantId::fixed(name),
            joined: joined(name),
        })
        .collect()
}

fn viewers() -> Vec<(&'static str, Viewer)> {
    vec![
        ("gm", Viewer::gm("gm")),
        (
            "spectator",
            Viewer {
                role: Role::Spectator,
                ..Viewer::gm("spectator")
            },
        ),
        (
            "spectator with names",
            Viewer {
                role: Role::Spectator,
                combatants: ids(&NAMES),
                ..Viewer::gm("s")
            },
        ),
        ("player of ann", player("a", ids(&["ann"]))),
        ("player of bob", player("b", ids(&["bob"]))),
        ("player of ann and bob", player("ab", ids(&["ann", "bob"]))),
        ("player of all", player("all", ids(&NAMES))),
        ("player of one who is gone", player("gone", ids(&["gone"]))),
    ]
}

/// What the table says: whether this viewer may send this command.
fn may(
    ruleset: &str,
    gm_verbs: &[&str],
    shared: bool,
    allowed: bool,
    viewer: &Viewer,
    command: &Value,
) -> bool {
    let verb = command["type"].as_str().unwrap_or_default();
    let owns = |name: &str| viewer.combatants.iter().any(|own| own.id.as_str() == name);
    let effect = &command["effect"];
    match viewer.role {
        Role::Gm => true,
        Role::Spectator => false,
        Role::Player if shared && !allowed => false,
        Role::Player if shared && verb == "add_effect" => {
            let is_players = effect["hidden"] != true && effect["reminder"]["automatic"] != true;
            is_players && effect["source"].as_str().is_some_and(owns)
        }
        Role::Player if shared && ["damage", "heal"].contains(&verb) => {
            let several = command["targets"].as_array().into_iter().flatten();
            let mut all = several.chain(command.get("target"));
            all.all(|target| target.as_str().is_some_and(owns))
        }
        Role::Player if shared => verb == "undo",
        Role::Player if gm_verbs.contains(&verb) => false,
        Role::Player => {
            names(ruleset, command).is_some_and(|names| names.iter().all(|name| owns(name)))
        }
    }
}

/// A fight in which players may undo, add effects and record damage, or may not.
fn table(ruleset: &AnyRuleset, allowed: bool) -> Table {
    let combatants: Vec<Value> = NAMES.iter().map(|name| json!({"id": name})).collect();
    let id = ruleset.manifest.id;
    Table::create(
        json!({"ruleset": id, "combatants": combatants, "player_undo": allowed, "player_effects": allowed, "player_damage": allowed}),
    )
}

#[test]
fn each_role_may_send_what_the_table_says_and_nothing_else() {
    let names: Vec<String> = NAMES.map(str::to_owned).to_vec();
    let (mut cells, mut chance) = (BTreeMap::<_, [usize; 2]>::new(), Chance::new(4));
    for (id, _) in GM {
        let exists = RULESETS.iter().any(|ruleset| ruleset.manifest.id == *id);
        assert!(exists, "{id} has a row in {TABLE} and is no ruleset");
    }
    for ruleset in RULESETS.iter() {
        let id = ruleset.manifest.id;
        let (_, gm_verbs) = GM.iter().find(|(row, _)| *row == id).unwrap_or_else(|| {
            panic!(
                "add a row to GM in {TABLE}: {id} with its commands that only the game master sends"
            )
        });
        for (shapes, shared) in [
            (Shapes::of_ruleset(id, |schemas| &schemas.command), false),
            (Shapes::of(&type_schema::<SharedCommand>()), true),
        ] {
            for variant in shapes.variants(shapes.root()) {
                let verb = variant["properties"]["type"]["enum"][0]
                    .as_str()
                    .expect("a type")
                    .to_owned();
                for sample in 0..SAMPLES {
                    let mut command = chance.value(&shapes, &variant, &names);
                    command["type"] = json!(verb);
                    if verb == "keep_card" {
                        // Random text is no card.
                        command["card"] = json!("qs");
                    }
                    let allowed = sample % 2 == 0;
                    let table = table(ruleset, allowed);
                    let request = Request::read(command.clone()).expect("a command");
                    let readable = || {
                        let decided = table.game.decide(
                            &[],
                            &request,
                            Time::default(),
                            &mut SeededDice::new([7; 32]),
                            &|| false,
                        );
                        !matches!(decided, Err(Refusal::Fields(_)))
                    };
                    let players = if shared {
                        ["add_effect", "damage", "heal"].contains(&verb.as_str())
                    } else {
                        !gm_verbs.contains(&verb.as_str())
                    };
                    if players && !readable() {
                        // It cannot even be read: not a right, but a field is refused.
                        continue;
                    }
                    for (who, viewer) in viewers() {
                        let expected = may(id, gm_verbs, shared, allowed, &viewer, &command);
                        let denied = table.game.authorize(&viewer, &request).err();
                        assert_eq!(
                            denied.is_none(),
                            expected,
                            "{id}: {who}: {command}: {denied:?}"
                        );
                        if let Some(refusal) = denied {
                            let Refusal::Forbidden { path, detail } = refusal else {
                                panic!("{refusal:?}")
                            };
                            assert!(path.is_empty() && !detail.is_empty(), "{detail}");
                        }
                        cells.entry((id, verb.clone(), who)).or_default()[usize::from(expected)] +=
                            1;
                    }
                }
            }
        }
        let commands = ruleset
            .manifest
            .commands
            .iter()
            .map(|c| c.verb)
            .chain(SharedCommand::SPECS.iter().map(|c| c.verb));
        for verb in commands {
            let [no, yes] = cells[&(id, verb.to_owned(), "player of all")];
            assert!(no + yes > 0, "{id}: no {verb} was tried");
        }
    }
    assert!(cells.len() > 800, "{}", cells.len());
}

#[test]
fn a_list_is_refused_at_its_first_command_that_is_not_the_senders() {
    let ruleset = RULESETS.get("round-robin").expect("a ruleset");
    let list =
        json!([{"type": "end_turn", "combatant": "ann"}, {"type": "end_turn", "combatant": "bob"}]);
    let (table, request) = (table(ruleset, false), Request::read(list).expect("a list"));
    let refusal = |viewer: &Viewer| table.game.authorize(viewer, &request).err();
    let player = |names: &[&'static str]| player("p", ids(names));
    assert_eq!(refusal(&player(&["ann", "bob"])), None);
    let Some(Refusal::Forbidden { path, detail }) = refusal(&player(&["ann"])) else {
        panic!("it is allowed")
    };
    assert_eq!(
        (path.as_str(), detail.contains("bob")),
        ("1", true),
        "{detail}"
    );
}

#[test]
fn a_refusal_tells_nothing_of_who_is_there() {
    let ruleset = RULESETS.get("round-robin").expect("a ruleset");
    let viewer = player("p", ids(&["ann"]));
    let refusal = |table: &Table, name: &str| {
        let request =
            Request::read(json!({"type": "end_turn", "combatant": name})).expect("a command");
        format!("{:?}", table.game.authorize(&viewer, &request))
    };
    let here = table(ruleset, false);
    assert_eq!(
        refusal(&here, "cid").replace("cid", "xxx"),
        refusal(&here, "xxx")
    );
}

#[test]
fn a_gm_command_says_so_in_both_places() {
    for (id, gm) in GM {
        let manifest = RULESETS.get(id).expect("a ruleset").manifest;
        let listed = manifest
            .commands
            .iter()
            .filter(|c| c.sender == turnkeeper::vocabulary::AllowedRole::Gm);
        let listed: BTreeSet<&str> = listed.map(|c| c.verb).collect();
        assert_eq!(listed, gm.iter().copied().collect(), "{id}");
    }
}

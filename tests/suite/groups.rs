//! Groups that act as one: hit points are those of the group, or those of its members, and damage names the member.

use crate::support::legal_commands::{listed, promised};
use crate::support::table::{RULESETS, Table};
use serde_json::{Value, json};

/// An encounter with groups of each kind, and one who is alone.
fn table(ruleset: &str) -> Table {
    let hp = json!({"current": 5});
    Table::create(json!({"ruleset": ruleset, "combatants": [
        {"id": "ann", "side": "players", "hp": {"current": 9}},
        {"id": "orcs", "side": "monsters", "members": [{"id": "one", "hp": hp}, "two"]},
        {"id": "swarm", "side": "monsters", "hp": {"current": 20}, "members": [{"id": "one", "hp": hp}, "two"]},
        {"id": "crowd", "side": "monsters", "members": ["one", "two"]}]}))
}

fn hurt(verb: &str, target: &str, member: Option<&str>) -> Value {
    let mut command = json!({"type": verb, "target": target, "amount": 3});
    if let Some(member) = member {
        command["member"] = json!(member);
    }
    command
}

#[test]
fn where_only_members_have_hit_points_damage_and_healing_name_one() {
    for ruleset in RULESETS.iter() {
        let mut table = table(ruleset.manifest().id);
        for verb in ["damage", "heal"] {
            let refused = table.refuse(hurt(verb, "orcs", None));
            assert_eq!((refused.code.as_str(), refused.field.as_deref()), ("member_needed", Some("member")));
            assert!(refused.detail.contains("one of one, two"), "{}", refused.detail);
            let listed_one = table.refuse(json!([{"type": "note", "text": "a"}, hurt(verb, "orcs", None)]));
            assert_eq!(listed_one.field.as_deref(), Some("1.member"));
        }
        table.accept(hurt("damage", "orcs", Some("one")));
        assert_eq!(table.at("combatants.orcs.members.one.hp.current"), 2);
        table.accept(hurt("heal", "orcs", Some("one")));
        assert_eq!(table.at("combatants.orcs.members.one.hp.current"), 5);
        table.accept(hurt("damage", "orcs", Some("two")));
        table.accept(hurt("damage", "swarm", None));
        assert_eq!(table.at("combatants.swarm.hp.current"), 17, "the group's own");
        table.accept(hurt("damage", "crowd", None));
    }
}

#[test]
fn a_group_is_listed_with_its_members_and_without_them_only_where_that_is_legal() {
    for ruleset in RULESETS.iter() {
        let table = table(ruleset.manifest().id);
        let legal_commands = table.legal_commands();
        for verb in ["damage", "heal"] {
            assert!(!listed(&legal_commands, &hurt(verb, "orcs", None)), "{verb}");
            for command in [
                hurt(verb, "orcs", Some("one")),
                hurt(verb, "orcs", Some("two")),
                hurt(verb, "swarm", None),
                hurt(verb, "swarm", Some("one")),
                hurt(verb, "crowd", None),
                hurt(verb, "crowd", Some("two")),
                hurt(verb, "ann", None),
            ] {
                assert!(promised(&legal_commands, &command), "{command}");
                table.clone().accept(command);
            }
            assert!(!listed(&legal_commands, &hurt(verb, "ann", Some("one"))), "{verb}");
        }
        for (target, member) in [("orcs", Some("one")), ("ann", None)] {
            let mut struck = hurt("damage", target, member);
            struck["source"] = json!("swarm");
            assert!(promised(&legal_commands, &struck), "{struck}");
        }
    }
}

#[test]
fn what_is_listed_grows_no_faster_than_the_encounter_does() {
    let size = |count: usize| {
        let group = |n: usize| json!({"id": format!("g{n}"), "side": "monsters", "members": ["one", "two"]});
        let combatants: Vec<Value> = (0..count).map(group).collect();
        let legal_commands =
            Table::create(json!({"ruleset": "round-robin", "combatants": combatants})).legal_commands();
        assert!(listed(&legal_commands, &json!({"type": "damage", "target": "g7", "amount": 1, "source": "g9"})));
        serde_json::to_vec(&legal_commands).expect("legal_commands are JSON").len()
    };
    let (half, full) = (size(250), size(500));
    assert!(full < half * 5 / 2, "{half} bytes for 250 groups, {full} for 500");
}

#[test]
fn conditions_of_members_are_listed_where_they_can_be_set_and_cleared() {
    for ruleset in RULESETS.iter() {
        let mut table = table(ruleset.manifest().id);
        let of = |verb: &str, member: &str, condition: &str| json!({"type": verb, "target": "orcs", "member": member, "condition": condition});
        assert!(promised(&table.legal_commands(), &of("set_condition", "two", "marked")));
        assert!(!listed(&table.legal_commands(), &of("clear_condition", "two", "marked")));
        table.accept(of("set_condition", "two", "marked"));
        let legal_commands = table.legal_commands();
        assert!(promised(&legal_commands, &of("clear_condition", "two", "marked")));
        assert!(!listed(&legal_commands, &of("clear_condition", "one", "marked")));
        assert!(promised(&legal_commands, &of("set_condition", "one", "marked-2")));
        assert!(!promised(&legal_commands, &of("set_condition", "two", "marked")), "an example is one that nobody has");
        // A member that can bear no more is not listed, nor is a group by itself; the others are.
        for n in 1..32 {
            table.accept(of("set_condition", "two", &format!("c{n}")));
        }
        for n in 0..32 {
            table.accept(json!({"type": "set_condition", "target": "orcs", "condition": format!("c{n}")}));
        }
        let legal_commands = table.legal_commands();
        assert!(!listed(&legal_commands, &of("set_condition", "two", "new")));
        assert!(!listed(&legal_commands, &json!({"type": "set_condition", "target": "orcs", "condition": "new"})));
        assert!(listed(&legal_commands, &of("set_condition", "one", "new")));
        table.refuse(of("set_condition", "two", "new"));
    }
}

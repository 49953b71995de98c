//! The numbers of a fight by its log.

use crate::properties::chance::Chance;
use crate::support::table::{Answer, RULESETS, Table, time_after};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use turnkeeper::engine::{CombatantStatistics, CountedLog};

/// A fight, its log, and the numbers at each version.
struct CountedFight {
    table: Table,
    log: CountedLog,
    numbers: Vec<Vec<CombatantStatistics>>,
}

impl CountedFight {
    fn new(ruleset: &str) -> Self {
        let table = Table::create(json!({"ruleset": ruleset, "combatants": [
            {"id": "ann", "side": "players", "hp": {"current": 90}}, {"id": "bob", "side": "players"},
            {"id": "orc", "side": "monsters", "hp": {"current": 500}}, {"id": "rat", "side": "monsters"},
        ]}));
        let log = CountedLog::default();
        let numbers = vec![table.game.statistics(&log)];
        Self {
            table,
            log,
            numbers,
        }
    }

    /// Sends a command, and counts what comes of it.
    fn send(&mut self, body: Value) -> Answer {
        let at = time_after(&*self.table.game).to_string();
        let answer = self.table.send(body);
        if let Ok(events) = &answer {
            let events = to_raw_value(events).expect("JSON");
            let version = self.table.game.version();
            self.log.add(version, &at, &events).expect("events");
            self.numbers.push(self.table.game.statistics(&self.log));
        }
        answer
    }

    fn now(&self) -> &[CombatantStatistics] {
        self.numbers.last().expect("a version")
    }
}

#[test]
fn what_was_undone_does_not_count_in_any_ruleset() {
    for ruleset in RULESETS.iter().map(|ruleset| ruleset.manifest.id) {
        let mut chance = Chance::new(3);
        let mut fight = CountedFight::new(ruleset);
        let mut turns = 0;
        for _ in 0..60 {
            let sent = match chance.below(4) {
                0 => json!({"type": "undo"}),
                1 => json!({"type": "damage", "target": "orc", "amount": 1, "source": "ann"}),
                _ => {
                    let pending = fight.table.view()["pending"]["commands"].clone();
                    let mut options = fight.table.legal_commands();
                    options.retain(|option| {
                        let verbs = pending.as_array();
                        verbs.is_some_and(|verbs| verbs.contains(&option.command["type"]))
                    });
                    match chance.pick(&options) {
                        Some(option) => chance.fill(option),
                        None => json!({"type": "redo"}),
                    }
                }
            };
            let Ok(events) = fight.send(sent) else {
                continue;
            };
            if let Some(to_version) = events[0]["to_version"].as_u64() {
                let then = &fight.numbers[to_version as usize];
                assert_eq!(fight.now(), &then[..], "{ruleset}: {events:?}");
            }
            turns = turns.max(fight.now().iter().map(|c| c.turns).sum());
        }
        assert!(turns > 2, "{ruleset}: {turns} turns");
    }
}

#[test]
fn an_id_that_another_one_has_now_has_numbers_of_its_own() {
    let mut fight = CountedFight::new("custom");
    for sent in [
        json!({"type": "start", "totals": {"ann": 4, "bob": 3, "orc": 2, "rat": 1}}),
        json!({"type": "damage", "target": "orc", "amount": 7, "source": "rat"}),
        json!({"type": "remove_combatant", "combatant": "orc"}),
        json!({"type": "add_combatant", "details": {"id": "orc", "name": "Another", "side": "monsters"}}),
        json!({"type": "damage", "target": "orc", "amount": 2, "source": "rat"}),
    ] {
        fight.send(sent).expect("it is accepted");
    }
    let orcs = fight.now().iter().filter(|one| one.combatant == *"orc");
    let taken: Vec<_> = orcs
        .map(|one| (one.name.as_deref(), one.damage_taken))
        .collect();
    assert_eq!(taken, [(Some("Another"), 2), (None, 7)]);
}

#[test]
fn a_turn_counts_its_seconds_once_it_has_ended() {
    let mut counted = CountedFight::new("custom");
    let start = json!({"type": "start", "totals": {"ann": 4, "bob": 3, "orc": 2, "rat": 1}});
    for (sent, turns, seconds) in [
        (start, 0, 0),
        (json!({"type": "note", "text": "rain"}), 0, 0),
        (
            json!({"type": "damage", "target": "ann", "amount": 5, "source": "orc"}),
            0,
            0,
        ),
        (json!({"type": "end_turn", "combatant": "ann"}), 1, 3),
        (json!({"type": "end_turn", "combatant": "bob"}), 1, 3),
        (json!({"type": "end_encounter"}), 1, 3),
    ] {
        counted.send(sent).expect("it is accepted");
        let ann = &counted.now()[0];
        assert_eq!((ann.turns, ann.seconds), (turns, seconds));
    }
    let [ann, bob, orc, _] = counted.now() else {
        panic!("{:?}", counted.now());
    };
    assert_eq!((ann.damage_taken, orc.damage_dealt), (5, 5));
    assert_eq!((bob.turns, bob.seconds), (1, 1));
    assert_eq!((orc.turns, orc.seconds), (1, 1), "the end ends the turn");
}

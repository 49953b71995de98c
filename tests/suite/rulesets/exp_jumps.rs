//! EXP: the right to jump ahead of an act, or of a jump, belongs to the initiative and not to the
//! quicker client. Clients send in every order.

use crate::support::shows;
use crate::support::table::{Table, seeded};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The personas from the highest initiative to the lowest.
const PERSONAS: [&str; 5] = ["abel", "babel", "cable", "dabel", "ed"];

/// What the player of a persona that has waited wants.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Wish {
    /// To act before the act, whatever is ahead of it.
    Jump,
    /// The same, with dice that fail.
    FailToJump,
    /// To act before a lower persona's jump, and to let the act happen.
    JumpAheadOfJumps,
    Pass,
}

use Wish::{FailToJump, Jump, JumpAheadOfJumps, Pass};

/// A fight in which the first personas have waited with their acts, and the next one is asked.
struct Fight {
    wishes: Vec<Wish>,
    window: bool,
    /// True if the game master may close the window at any moment.
    closes: bool,
}

/// How far one order of sending has come.
#[derive(Clone)]
struct Path {
    table: Table,
    /// The tries to jump and the act, in the order in which they took place.
    acts: Vec<String>,
    /// The personas for which a pass was told.
    passed: BTreeSet<String>,
}

impl Fight {
    fn actor(&self) -> &'static str {
        PERSONAS[self.wishes.len()]
    }

    fn begin(&self) -> Path {
        let mut combatants = Vec::new();
        let mut rolls = serde_json::Map::new();
        for (place, id) in PERSONAS.iter().enumerate() {
            combatants.push(json!({"id": id}));
            rolls.insert((*id).to_owned(), json!(20 - place));
        }
        let options = json!({"jump_window": self.window});
        let creation = json!({"ruleset": "exp", "options": options, "combatants": combatants});
        let mut path = Path {
            table: Table::create(creation),
            acts: Vec::new(),
            passed: BTreeSet::new(),
        };
        let mut commands = vec![json!({"type": "start", "rolls": rolls})];
        for id in &PERSONAS[..self.wishes.len()] {
            commands.push(
                json!({"type": "declare", "combatant": id, "move": "nothing", "act": "wait"}),
            );
        }
        for command in commands {
            assert!(path.send(&command).is_some(), "{command} was refused");
        }
        path
    }

    /// The commands that clients would like to send now, in no order.
    fn wanted(&self, path: &Path) -> Vec<Value> {
        let mut wanted = Vec::new();
        let over_jump = path.table.view()["state"]["jumps"] != json!([]);
        for (id, wish) in PERSONAS.iter().zip(&self.wishes) {
            let jump = |roll: i64| json!({"type": "jump", "combatant": id, "component": "act", "roll": roll});
            wanted.push(match wish {
                Jump => jump(1),
                FailToJump => jump(20),
                JumpAheadOfJumps if over_jump => jump(1),
                JumpAheadOfJumps | Pass => json!({"type": "pass", "combatant": id}),
            });
        }
        for verb in ["announce", "declare"] {
            // Without the window an announcement says nothing that the others wait for.
            if verb == "declare" || self.window {
                wanted.push(json!({"type": verb, "combatant": self.actor(), "move": "nothing", "act": "now"}));
            }
        }
        if self.closes {
            wanted.push(json!({"type": "resolve"}));
        }
        wanted
    }

    /// Lets the clients send in every order; returns what took place in each.
    fn play_in_every_order(&self) -> BTreeSet<Vec<String>> {
        let mut outcomes = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open = vec![self.begin()];
        while let Some(path) = open.pop() {
            if path.is_over(self.actor()) {
                outcomes.insert(path.acts);
                continue;
            }
            let mut moved = false;
            for command in self.wanted(&path) {
                let mut next = path.clone();
                let Some(events) = next.send(&command) else {
                    continue;
                };
                moved = true;
                self.hold(&path, &next, &events);
                let state = next.table.view()["state"].to_string();
                if seen.insert((state, next.acts.clone(), next.passed.clone())) {
                    open.push(next);
                }
            }
            assert!(moved, "nothing can be sent: {}", path.table.view());
        }
        outcomes
    }

    /// Nothing happens ahead of a persona above that wants to go first and may.
    fn hold(&self, before: &Path, after: &Path, events: &[Value]) {
        for event in events {
            let took_place = event["type"] == "jumped" || event["type"] == "declared";
            let id = event["combatant"].as_str().unwrap_or_default();
            let rank = PERSONAS.iter().position(|persona| *persona == id);
            if !took_place {
                continue;
            }
            // Without the window an act is done once it is declared: all jumps come before it or
            // too late, whatever the initiative.
            if event["type"] == "declared" && !self.window {
                continue;
            }
            for (above, wish) in PERSONAS.iter().zip(&self.wishes).take(rank.unwrap_or(0)) {
                let wants = match wish {
                    Jump | FailToJump => true,
                    JumpAheadOfJumps => event["type"] == "jumped",
                    Pass => false,
                };
                let tried = after.acts.iter().any(|act| act.starts_with(above));
                let closed = self.closes && after.passed.contains(*above);
                assert!(
                    !wants || tried || closed,
                    "{id} was quicker than {above}: {event} after {:?}, {:?}",
                    before.acts,
                    self.wishes
                );
            }
        }
    }
}

impl Path {
    /// Sends a command; None if it is refused.
    fn send(&mut self, command: &Value) -> Option<Vec<Value>> {
        let answer = self.table.try_send(command.clone(), &mut seeded(1));
        let events = answer.expect("the engine keeps its promises").ok()?;
        for event in &events {
            let id = event["combatant"].as_str().unwrap_or_default();
            match event["type"].as_str() {
                Some("jumped") if event["success"] == true => self.acts.push(format!("{id} jumps")),
                Some("jumped") => self.acts.push(format!("{id} fails")),
                Some("declared") if event["act"] == "now" => self.acts.push(format!("{id} acts")),
                Some("passed") => {
                    self.passed.insert(id.to_owned());
                }
                _ => {}
            }
        }
        Some(events)
    }

    fn is_over(&self, actor: &str) -> bool {
        self.acts.contains(&format!("{actor} acts"))
    }
}

/// All lists of so many wishes.
fn all_wishes(size: usize) -> Vec<Vec<Wish>> {
    let mut lists = vec![Vec::new()];
    for _ in 0..size {
        let mut longer = Vec::new();
        for list in &lists {
            for wish in [Jump, FailToJump, JumpAheadOfJumps, Pass] {
                longer.push([list.clone(), vec![wish]].concat());
            }
        }
        lists = longer;
    }
    lists
}

/// What takes place by the rules if the window is open: from the highest to the lowest.
fn by_the_rules(wishes: &[Wish], actor: &str) -> Vec<String> {
    let mut acts = Vec::new();
    for (place, (id, wish)) in PERSONAS.iter().zip(wishes).enumerate() {
        let mut below = wishes[place + 1..].iter();
        match wish {
            Jump => acts.push(format!("{id} jumps")),
            FailToJump => acts.push(format!("{id} fails")),
            JumpAheadOfJumps if below.any(|wish| matches!(wish, Jump | FailToJump)) => {
                acts.push(format!("{id} jumps"));
            }
            JumpAheadOfJumps | Pass => {}
        }
    }
    acts.push(format!("{actor} acts"));
    acts
}

#[test]
fn with_the_jump_window_every_order_of_sending_has_the_result_of_the_initiative() {
    shows(&["EX-25b", "EX-27a", "EX-28a"]);
    for wishes in [all_wishes(2), all_wishes(3)].concat() {
        let fight = Fight {
            wishes,
            window: true,
            closes: false,
        };
        let expected = by_the_rules(&fight.wishes, fight.actor());
        let outcomes = fight.play_in_every_order();
        assert_eq!(outcomes, BTreeSet::from([expected]), "{:?}", fight.wishes);
    }
}

#[test]
fn without_the_jump_window_no_jump_comes_before_that_of_a_higher_initiative() {
    shows(&["EX-25", "EX-27a", "EX-28a"]);
    for wishes in [all_wishes(2), all_wishes(3)].concat() {
        let fight = Fight {
            wishes,
            window: false,
            closes: false,
        };
        let expected = by_the_rules(&fight.wishes, fight.actor());
        let outcomes = fight.play_in_every_order();
        // The act comes whenever it is sent; what took place until then did so in the same order.
        assert!(
            outcomes.contains(&expected),
            "{:?}: {outcomes:?}",
            fight.wishes
        );
        for outcome in &outcomes {
            let mut places = Vec::new();
            for act in outcome {
                places.push(expected.iter().position(|other| other == act));
            }
            assert!(
                places.is_sorted() && !places.contains(&None),
                "{:?}: {outcome:?}, by the rules {expected:?}",
                fight.wishes
            );
        }
    }
}

#[test]
fn only_the_game_master_closes_the_window_over_the_right_of_another() {
    shows(&["EX-25b", "EX-27a"]);
    for window in [true, false] {
        for wishes in all_wishes(2) {
            let fight = Fight {
                wishes,
                window,
                closes: true,
            };
            fight.play_in_every_order();
        }
    }
}

#[test]
fn jumps_ahead_of_jumps_go_as_far_up_as_personas_have_waited() {
    shows(&["EX-27a"]);
    let mut fight = Fight {
        wishes: vec![JumpAheadOfJumps, JumpAheadOfJumps, JumpAheadOfJumps, Jump],
        window: true,
        closes: false,
    };
    let order = [
        "abel jumps",
        "babel jumps",
        "cable jumps",
        "dabel jumps",
        "ed acts",
    ];
    for window in [true, false] {
        fight.window = window;
        let outcomes = fight.play_in_every_order();
        let all: Vec<String> = order.iter().map(|act| (*act).to_owned()).collect();
        assert!(outcomes.contains(&all), "{outcomes:?}");
    }
}

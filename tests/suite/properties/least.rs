//! A second reading of the keys of `custom`, from the words of its page alone: whoever has the least key
//! acts, and those that are equal choose. It is compared with what the server says at each step.
//!
//! It reads scores, dice and declarations from the encounter, and derives who may act next. Cards, seats,
//! hidden combatants and shared turns are not in it.

use super::chance::Chance;
use super::definitions;
use crate::support::setting;
use crate::support::table::Table;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The fights where nothing else is said, and the commands of each.
const FIGHTS: u64 = 60;
const COMMANDS: usize = 60;

/// A turn that a combatant may have next.
struct Turn<'v> {
    c: &'v Value,
    /// Its place in the order, if the order has places.
    place: Option<&'v Value>,
    /// How many turns of this round come before it.
    lap: i64,
}

/// A fight as the second reading sees it.
struct Reading<'v> {
    definition: &'v Value,
    view: &'v Value,
    last_side: Option<&'v str>,
    /// A combatant whose turn has just begun, and which could have been chosen.
    begun: Option<&'v str>,
    /// The sides that have let another one go first since the last turn began.
    skipped: &'v BTreeSet<String>,
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn whole(value: &Value) -> i64 {
    value.as_i64().unwrap_or(0)
}

fn hundredths(value: &Value) -> i64 {
    (value.as_f64().unwrap_or(0.0) * 100.0).round() as i64
}

impl<'v> Reading<'v> {
    /// The combatants of which one is next; none if nobody has a turn left.
    fn next(&self) -> BTreeSet<&'v str> {
        let mut turns = self.turns();
        let goes_first = |turn: &Turn<'_>| !self.skipped.contains(text(&turn.c["side"]));
        if turns.iter().any(goes_first) {
            turns.retain(goes_first);
        }
        for key in self.keys() {
            let key = self.value_of(&key);
            let values: Vec<_> = turns.iter().map(|turn| key(self, turn)).collect();
            let least = values.iter().min().cloned();
            let mut values = values.into_iter();
            turns.retain(|_| values.next() == least);
        }
        turns.iter().map(|turn| text(&turn.c["id"])).collect()
    }

    fn number(&self, c: &Value, name: &str) -> i64 {
        match &c["numbers"][name] {
            Value::Null => whole(&self.definition["numbers"][name]),
            own => whole(own),
        }
    }

    fn fits(&self, who: &Value, c: &Value) -> bool {
        let is_foe = c["side"] != "players";
        let of_side = match text(&who["side"]) {
            "players" => !is_foe,
            "foes" => is_foe,
            _ => true,
        };
        let has = who["has"].as_str();
        let choices: Vec<_> = list(&who["declared"]).collect();
        of_side
            && has.is_none_or(|name| self.number(c, name) > 0)
            && (choices.is_empty()
                || self
                    .choice(c)
                    .is_some_and(|choice| choices.contains(&choice))
                || self.has_every_choice(c))
    }

    fn choice(&self, c: &'v Value) -> Option<&'v Value> {
        if !c["declared"].is_null() {
            return Some(&c["declared"]);
        }
        let declare = &self.definition["declare"];
        if declare["passing"] != true {
            return None;
        }
        let choices = declare["choices"].as_array()?;
        let keys = self.keys();
        let last_first = keys.iter().any(|key| text(&key["key"]) == "-choice");
        if last_first {
            choices.last()
        } else {
            choices.first()
        }
    }

    fn count(&self, c: &Value) -> i64 {
        match &self.definition["turns"] {
            Value::String(name) => self.number(c, name).clamp(0, 10),
            Value::Number(count) => count.as_i64().unwrap_or(0),
            _ => 1,
        }
    }

    fn has_every_choice(&self, c: &Value) -> bool {
        let choices = list(&self.definition["declare"]["choices"]).count();
        choices > 0 && usize::try_from(self.count(c)).unwrap_or(0) >= choices
    }

    /// The keys, each as an object.
    fn keys(&self) -> Vec<Value> {
        let by_side = self.definition["score"]["per"] == "side";
        let default = match (&self.definition["score"], by_side) {
            (Value::Null, _) => json!([]),
            (_, true) => json!(["-score"]),
            (_, false) => json!(["-score", "late"]),
        };
        let order = match &self.definition["order"] {
            Value::Null => default,
            order => order.clone(),
        };
        let mut keys = Vec::new();
        for (at, key) in list(&order).enumerate() {
            let mut key = if key.is_string() {
                json!({"key": key})
            } else {
                key.clone()
            };
            key["at"] = json!(at);
            keys.push(key);
        }
        keys
    }

    /// The turns that are open: of a combatant its places that have not come up, or what it has left.
    fn turns(&self) -> Vec<Turn<'v>> {
        let state = &self.view["state"];
        let mut combatants = BTreeMap::new();
        for c in list(&self.view["combatants"]) {
            combatants.insert(text(&c["id"]), c);
        }
        let mut begun = BTreeMap::new();
        let mut turns = Vec::new();
        if let Some(id) = self.begun {
            let places: Vec<_> = list(&state["places"]).collect();
            // In laps a reaction costs the last turn, and the order gives the first.
            let taken = combatants.get(id).map_or(0, |c| whole(&c["turns_taken"]));
            let in_laps = self.keys().iter().any(|key| text(&key["key"]) == "lap");
            let at = places.iter().rposition(|place| {
                let is_own = place["combatant"] == id && place["done"] == true;
                is_own && (!in_laps || whole(&place["turn"]) < taken)
            });
            begun.insert(id, at);
        }
        let spends = self.definition["turns"] == "while_score";
        for (at, place) in list(&state["places"]).enumerate() {
            let id = text(&place["combatant"]);
            let is_begun = begun.get(id).is_some_and(|begun| *begun == Some(at));
            let over = place["done"] == true && !is_begun;
            let spent = spends && hundredths(&place["initiative_score"]["total"]) <= 0;
            if let Some(c) = combatants.get(id).filter(|_| !over && !spent)
                && self.is_ready(c)
            {
                let lap = whole(&place["turn"]);
                turns.push(Turn {
                    c,
                    place: Some(place),
                    lap,
                });
            }
        }
        if list(&state["places"]).next().is_none() {
            for (id, c) in combatants {
                if self.is_ready(c) {
                    let taken = whole(&c["turns_taken"]);
                    let lap = taken - i64::from(self.begun == Some(id));
                    turns.push(Turn {
                        c,
                        place: None,
                        lap,
                    });
                }
            }
        }
        turns
    }

    fn is_ready(&self, c: &Value) -> bool {
        let left = whole(&c["turns_left"]) + i64::from(self.begun == c["id"].as_str());
        let is_down = list(&c["conditions"]).any(|condition| *condition == "unconscious");
        let pays = match self.definition["turn_cost"]["pool"].as_str() {
            Some(pool) => {
                let least = self.definition["turn_cost"]["cost"][0]
                    .as_i64()
                    .unwrap_or(1);
                whole(&c["pools"][pool]) >= least
            }
            None => true,
        };
        c["active"] == true
            && c["delaying"] != true
            && (left > 0 || self.definition["turns"] == "while_score")
            && !(is_down && self.definition["unconscious"] == "skips")
            && pays
            && self.fits(&self.definition["who"], c)
    }

    /// What a key compares, the least first.
    fn value_of(&self, key: &Value) -> impl Fn(&Self, &Turn<'v>) -> Vec<i64> + use<'v> {
        let key = key.clone();
        move |reading, turn| {
            let round = whole(&reading.view["round"]);
            let counts = key["round"].as_i64().is_none_or(|only| only == round)
                && key["from_round"].as_i64().is_none_or(|from| from <= round)
                && key["lap"].as_i64().is_none_or(|lap| lap == turn.lap + 1);
            if !counts {
                return Vec::new();
            }
            let word = text(&key["key"]);
            let (sign, fact) = match word.strip_prefix('-') {
                Some(fact) => (-1, fact),
                None => (1, word),
            };
            let at = usize::try_from(whole(&key["at"])).unwrap_or(0);
            reading.fact(fact, sign, at, turn)
        }
    }

    fn fact(&self, fact: &str, sign: i64, at: usize, turn: &Turn<'v>) -> Vec<i64> {
        let c = turn.c;
        let score = turn.place.map(|place| &place["initiative_score"]);
        let by_side = self.definition["score"]["per"] == "side";
        let side = self.position(text(&c["side"]));
        vec![match fact {
            "score" if by_side => self.rank(text(&c["side"])),
            "score" => sign * score.map_or(0, |score| hundredths(&score["total"])),
            "die" if by_side => 0,
            "die" => score.map_or(0, |score| whole(&score["key"][at])),
            "late" => sign * i64::from(score.is_some_and(|score| score["fixed"] == true)),
            "foe" => sign * i64::from(c["side"] != "players"),
            "lap" => turn.lap,
            "segment" => {
                let count = self.count(c).max(turn.lap + 1);
                sign * ((turn.lap + 1) * 12 + count - 1).div_euclid(count)
            }
            "choice" => self.choice_rank(sign, turn),
            "side" => side,
            "again" | "again_across_rounds" => match self.last_side {
                Some(last) => {
                    let count = i64::try_from(self.sides().len()).expect("a few");
                    (side - self.position(last) - 1).rem_euclid(count)
                }
                None => 0,
            },
            "outnumbered" => sign * self.outnumbered(text(&c["side"])),
            number => sign * self.number(c, number),
        }]
    }

    fn choice_rank(&self, sign: i64, turn: &Turn<'v>) -> i64 {
        let choices: Vec<_> = list(&self.definition["declare"]["choices"]).collect();
        let last = i64::try_from(choices.len()).expect("a few") - 1;
        if self.has_every_choice(turn.c) {
            let taken = whole(&turn.c["turns_taken"]);
            let taken = taken - i64::from(self.begun == turn.c["id"].as_str());
            return taken.min(last);
        }
        let choice = self.choice(turn.c);
        let at = choices.iter().position(|known| Some(*known) == choice);
        let at = i64::try_from(at.unwrap_or(0)).expect("a few");
        if sign < 0 { last - at } else { at }
    }

    fn sides(&self) -> Vec<&'v Value> {
        list(&self.view["state"]["sides"]).collect()
    }

    fn position(&self, side: &str) -> i64 {
        let at = self.sides().iter().position(|known| known["side"] == side);
        i64::try_from(at.unwrap_or(0)).expect("a few")
    }

    /// How many sides come before one by the score of sides, without those that are equal.
    fn rank(&self, side: &str) -> i64 {
        let mut rank = 0;
        let mut before: Option<&Value> = None;
        for (at, known) in self.sides().into_iter().enumerate() {
            let same = |field: &str| before.is_some_and(|before| before[field] == known[field]);
            let score = |field: &str| {
                let score = |side: &Value| side["initiative_score"][field].clone();
                before.is_some_and(|before| score(before) == score(known))
            };
            let ties = !known["initiative_score"].is_null()
                && same("first")
                && same("yields")
                && score("total")
                && score("key");
            if !ties {
                rank = at;
            }
            if known["side"] == side {
                break;
            }
            before = Some(known);
        }
        i64::try_from(rank).expect("a few")
    }

    fn outnumbered(&self, side: &str) -> i64 {
        let mut sizes: BTreeMap<&str, i64> = BTreeMap::new();
        for c in list(&self.view["combatants"]).filter(|c| c["active"] == true) {
            *sizes.entry(text(&c["side"])).or_default() += 1;
        }
        let largest = sizes.values().max().copied().unwrap_or(0);
        largest - sizes.get(side).copied().unwrap_or(0)
    }
}

/// A definition that the second reading knows.
fn definition(chance: &mut Chance) -> Value {
    loop {
        let mut definition = definitions::without_cards(chance)["definition"].take();
        for line in ["chooser", "together"] {
            definition.as_object_mut().expect("an object").remove(line);
        }
        let seated = definition["order"].to_string().contains("\"seat\"");
        let create = |definition: &Value| {
            let creation = json!({"ruleset": "custom", "options": {"definition": definition}});
            Table::try_create(creation).is_ok()
        };
        if definition["turns"] != "by_tick" && !seated && create(&definition) {
            return definition;
        }
    }
}

fn combatants(chance: &mut Chance) -> Value {
    let mut all = Vec::new();
    for n in 0..2 + chance.below(5) {
        let sides = ["players", "players", "monsters", "monsters", "wolves"];
        let side = chance.pick(&sides).copied().expect("a side");
        let numbers = definitions::numbers(chance);
        all.push(
            json!({"id": format!("c{n}"), "side": side, "numbers": numbers, "hp": {"current": 9}}),
        );
    }
    json!(all)
}

/// Plays a fight and compares each step; how many were compared.
fn play(seed: u64) -> usize {
    let mut chance = Chance::new(seed);
    let definition = definition(&mut chance);
    let creation = json!({"ruleset": "custom", "options": {"definition": definition}, "combatants": combatants(&mut chance)});
    let mut table = Table::create(creation);
    let begun = table.send(json!({"type": "start"})).expect("a start");
    let opened = begun.iter().find(|event| event["type"] == "turn_opened");
    let side_of = |view: &Value, id: &str| {
        let mut all = list(&view["combatants"]);
        all.find(|c| c["id"] == id)
            .map(|c| text(&c["side"]).to_owned())
    };
    let first = opened.map(|event| text(&event["combatants"][0]));
    let mut last_side = first.and_then(|first| side_of(&table.view(), first));
    let mut compared = 0;
    let mut skipped = BTreeSet::new();
    for step in 0..COMMANDS {
        let view = table.view();
        if view["status"] != "running" {
            break;
        }
        let reading = Reading {
            definition: &definition,
            view: &view,
            last_side: last_side.as_deref(),
            begun: None,
            skipped: &skipped,
        };
        let moved = list(&view["state"]["places"])
            .any(|place| place["moved"] == true || place["settled"] == true);
        let choosing = view["pending"]["decision"] == "begin_turn";
        if choosing && !moved {
            let asked: BTreeSet<&str> = list(&view["pending"]["combatants"]).map(text).collect();
            assert_eq!(
                asked,
                reading.next(),
                "seed {seed}, step {step}: who may act\n{definition}\n{view}"
            );
            compared += 1;
        }
        let offered = table.legal_commands();
        let verbs = [
            "begin_turn",
            "end_turn",
            "declare",
            "roll",
            "pass",
            "resolve",
            "delay",
            "return",
            "ready",
            "trigger",
            "react",
        ];
        let mut options: Vec<_> = offered
            .iter()
            .filter(|option| verbs.contains(&option.verb()))
            .collect();
        if options.len() > 1 && chance.percent(90) {
            options.retain(|option| option.verb() != "resolve");
        }
        let Some(option) = chance.pick(&options) else {
            break;
        };
        let command = chance.fill(option);
        let events = table.send(command.clone());
        let events = events.unwrap_or_else(|refused| panic!("seed {seed}: {command}: {refused:?}"));
        let chosen = ["begin_turn", "resolve"].contains(&text(&command["type"])) && choosing;
        let after = table.view();
        let across = definition["order"]
            .to_string()
            .contains("again_across_rounds");
        let mut before = last_side.clone();
        let mut skipped_before = skipped.clone();
        for event in &events {
            match text(&event["type"]) {
                "round_started" => {
                    skipped.clear();
                    if !across {
                        last_side = None;
                    }
                }
                "side_skipped" => _ = skipped.insert(text(&event["side"]).to_owned()),
                "turn_opened" => {
                    skipped_before = std::mem::take(&mut skipped);
                    before.clone_from(&last_side);
                    if event["origin"] != "bought" {
                        last_side = side_of(&after, text(&event["combatants"][0]));
                    }
                }
                "returned" => skipped.clear(),
                _ => {}
            }
        }
        let opened = events.iter().filter(|event| event["type"] == "turn_opened");
        let by_keys = |event: &Value| event["origin"] == "normal";
        let all_by_keys = opened.clone().all(by_keys);
        let moved = list(&after["state"]["places"])
            .any(|place| place["moved"] == true || place["settled"] == true);
        // A turn that began by itself was that of the only one with the least key.
        if opened.count() == 1
            && all_by_keys
            && !chosen
            && !moved
            && view["round"] == after["round"]
        {
            let begun = text(&after["current"][0]);
            let reading = Reading {
                definition: &definition,
                view: &after,
                last_side: before.as_deref(),
                begun: Some(begun),
                skipped: &skipped_before,
            };
            assert_eq!(
                reading.next(),
                BTreeSet::from([begun]),
                "seed {seed}, step {step}: who acts after {command}\n{definition}\n{after}"
            );
            compared += 1;
        }
    }
    compared
}

#[test]
fn whoever_has_the_least_key_acts_and_equals_choose() {
    let fights = setting("TURNKEEPER_PLAYS").unwrap_or(FIGHTS);
    let first = setting("TURNKEEPER_SEED").unwrap_or(0);
    let compared: usize = (first..first + fights).map(play).sum();
    // `--nocapture` shows it.
    println!("{compared} steps are as the keys say");
    assert!(compared as u64 > fights * 5, "{compared}");
}

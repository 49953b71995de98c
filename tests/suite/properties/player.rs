//! Plays at random: what is listed, what was listed before, and what nobody listed.

use super::chance::Chance;
use super::definitions;
use super::judge::{Action, Breach, Judge};
use crate::support::schema::Shapes;
use serde_json::{Value, json};
use turnkeeper::engine::AnyRuleset;
use turnkeeper::vocabulary::LegalCommand;

/// A ruleset as random play knows it: by its schemas alone.
pub struct Subject {
    pub id: &'static str,
    options: Shapes,
    stats: Shapes,
    command: Shapes,
    conditions: Vec<String>,
}

/// One play from its seed: everything that was sent, and the breach that ended it.
pub struct Played {
    pub creation: Value,
    pub actions: Vec<Action>,
    pub finish: u64,
    pub breach: Option<Breach>,
}

const SIDES: [&str; 3] = ["players", "monsters", "wolves"];

impl Subject {
    pub fn of(ruleset: &AnyRuleset) -> Self {
        let manifest = ruleset.manifest;
        let common = ["dead", "defeated", "dead", "marked"].iter();
        Self {
            id: manifest.id,
            options: Shapes::of_ruleset(manifest.id, |schemas| &schemas.options),
            stats: Shapes::of_ruleset(manifest.id, |schemas| &schemas.stats),
            command: Shapes::of_ruleset(manifest.id, |schemas| &schemas.command),
            conditions: common
                .chain(manifest.conditions)
                .map(|c| (*c).to_owned())
                .chain([manifest.down.into()])
                .collect(),
        }
    }

    /// Options at random, of a ruleset whose options are all accepted.
    pub fn options(&self, chance: &mut Chance) -> Value {
        chance.value(&self.options, self.options.root(), &[])
    }

    /// A play: larger and longer with its number, so that the first breach is a small one.
    pub fn play(&self, number: u64, seed: u64) -> Played {
        let mut chance = Chance::new(seed);
        let size = 1 + chance.below(12.min(2 + number as usize / 4));
        // The first plays are short, and so are their breaches. Each later one has a hundred
        // commands or more: four in each step.
        let length = if number < 100 {
            8 + chance.below(60.min(8 + number as usize))
        } else {
            25 + chance.below(43)
        };
        let finish = chance.seed();
        let mut played = Played {
            creation: Value::Null,
            actions: Vec::new(),
            finish,
            breach: None,
        };
        played.breach = self.course(&mut chance, size, length, &mut played).err();
        played
    }

    fn course(
        &self,
        chance: &mut Chance,
        size: usize,
        length: usize,
        played: &mut Played,
    ) -> Result<(), Breach> {
        let names: Vec<String> = (1..=size).map(|n| format!("c{n}")).collect();
        let mut judge = None;
        for _ in 0..30 {
            let combatants: Vec<Value> = names
                .iter()
                .map(|id| self.combatant(chance, id, &names))
                .collect();
            let options = match self.id {
                "custom" => definitions::options(chance),
                _ => chance.value(&self.options, self.options.root(), &names),
            };
            played.creation =
                json!({"ruleset": self.id, "options": options, "combatants": combatants});
            judge = Judge::new(&played.creation)?;
            if judge.is_some() {
                break;
            }
        }
        let Some(mut judge) = judge else {
            return Err(Breach {
                property: "plausible stats are accepted",
                detail: played.creation.to_string(),
            });
        };
        let mut stale: Vec<LegalCommand> = Vec::new();
        for _ in 0..length {
            for option in judge
                .legal_commands
                .iter()
                .filter(|o| judge.own(&o.command["type"]))
            {
                if stale.len() < 200 && chance.percent(20) {
                    stale.push(option.clone());
                }
            }
            let listed = judge.legal_commands[chance.below(judge.legal_commands.len())].clone();
            let tries = [
                chance.fill(&listed),
                self.candidate(chance, &judge, &stale),
                self.candidate(chance, &judge, &stale),
            ];
            for command in tries {
                played.actions.push(Action {
                    command,
                    dice: chance.seed(),
                    advance: false,
                });
                judge.act(&played.actions[played.actions.len() - 1])?;
            }
            let command = self.next(chance, &judge, &stale);
            played.actions.push(Action {
                command,
                dice: chance.seed(),
                advance: true,
            });
            judge.act(&played.actions[played.actions.len() - 1])?;
        }
        judge.finish_round(played.finish)
    }

    /// The command that the play goes on with.
    fn next(&self, chance: &mut Chance, judge: &Judge, stale: &[LegalCommand]) -> Value {
        let awaited = &judge.view["pending"]["commands"];
        let awaited = |o: &&LegalCommand| {
            awaited
                .as_array()
                .is_some_and(|verbs| verbs.contains(&o.command["type"]))
        };
        let own: Vec<&LegalCommand> = judge
            .legal_commands
            .iter()
            .filter(|o| judge.own(&o.command["type"]))
            .collect();
        let forward: Vec<&LegalCommand> = own.iter().copied().filter(awaited).collect();
        let chosen = match chance.below(100) {
            0..45 => chance.pick(&forward).or(own.first()).copied(),
            45..65 => chance.pick(&own).copied(),
            65..90 => return self.shared(chance, judge),
            90..97 => return self.candidate(chance, judge, stale),
            _ => chance.pick(&judge.legal_commands),
        };
        match chosen.filter(|o| o.command["type"] != "end_encounter" || chance.percent(5)) {
            Some(option) => chance.fill(option),
            None => self.shared(chance, judge),
        }
    }

    /// A command of the ruleset's own that may or may not be legal.
    fn candidate(&self, chance: &mut Chance, judge: &Judge, stale: &[LegalCommand]) -> Value {
        let mut names = judge.ids();
        names.extend(["stranger", "c1", "gm", "players"].map(str::to_owned));
        let current: Vec<LegalCommand> = judge
            .legal_commands
            .iter()
            .filter(|o| judge.own(&o.command["type"]))
            .cloned()
            .collect();
        let variants = self.command.variants(self.command.root());
        let mut command = match chance.below(4) {
            0 => chance.pick(stale).map(|option| chance.fill(option)),
            1 => chance.pick(&current).map(|option| chance.fill(option)),
            _ => None,
        };
        let formed = chance
            .pick(&variants)
            .map(|variant| chance.value(&self.command, variant, &names))
            .unwrap_or_default();
        let Some(Value::Object(fields)) = &mut command else {
            return formed;
        };
        // Somebody else's name in one field, or one field more.
        let keys: Vec<String> = fields
            .keys()
            .filter(|key| *key != "type")
            .cloned()
            .collect();
        match (chance.below(3), chance.pick(&keys), chance.pick(&names)) {
            (0, Some(key), Some(name)) if fields[key].is_string() => {
                _ = fields.insert(key.clone(), json!(name));
            }
            (1, ..) if formed["type"] == fields["type"] => {
                for (key, value) in formed.as_object().into_iter().flatten() {
                    fields.entry(key.clone()).or_insert(value.clone());
                }
            }
            (2, Some(key), _) if chance.percent(30) => _ = fields.remove(key),
            _ => {}
        }
        command.unwrap_or_default()
    }

    /// A command that every ruleset knows, with values of its own.
    fn shared(&self, chance: &mut Chance, judge: &Judge) -> Value {
        let ids = judge.ids();
        let current = judge.view["current"][0].as_str().map(str::to_owned);
        let anybody = chance.pick(&ids).cloned().unwrap_or_else(|| "c1".into());
        let who = current.filter(|_| chance.percent(25)).unwrap_or(anybody);
        let of = |view: &Value| {
            view.as_array()
                .into_iter()
                .flatten()
                .find(|c| c["id"] == *who)
                .cloned()
        };
        let it = of(&judge.view["combatants"]).unwrap_or_default();
        let mut command = match chance.below(20) {
            0..5 => {
                let amount = if chance.percent(20) {
                    1000
                } else {
                    chance.number(0, 12)
                };
                json!({"type": "damage", "target": who, "amount": amount})
            }
            5 => json!({"type": "heal", "target": who, "amount": chance.number(0, 10)}),
            6..9 => {
                json!({"type": "set_condition", "target": who, "condition": chance.pick(&self.conditions)})
            }
            9..11 => {
                let conditions = it["conditions"].as_array().cloned().unwrap_or_default();
                let condition = chance.pick(&conditions).cloned().unwrap_or(json!("marked"));
                return json!({"type": "clear_condition", "target": who, "condition": condition});
            }
            11..13 => return json!({"type": "add_effect", "effect": self.effect(chance, &who)}),
            13 | 14 => {
                let id = format!("c{}", 1 + chance.below(20));
                let mut newcomer = self.combatant(chance, &id, &ids);
                if self.id == "custom" && chance.percent(30) {
                    newcomer["roll"] = json!(chance.number(1, 8));
                }
                if self.id == "custom" && chance.percent(20) {
                    newcomer["initiative"] = json!(chance.number(-2, 20));
                }
                return json!({"type": "add_combatant", "details": newcomer});
            }
            15 | 16 => return json!({"type": "remove_combatant", "combatant": who}),
            17 => return json!({"type": "override", "combatant": who}),
            18 => {
                return json!({"type": "update_combatant", "combatant": who, "changes": {"side": chance.pick(&SIDES)}});
            }
            _ => {
                let changes = self.stats(chance, &ids);
                return json!({"type": "update_combatant", "combatant": who, "changes": changes});
            }
        };
        let members = it["members"].as_array().cloned().unwrap_or_default();
        if let Some(member) = chance.pick(&members).filter(|_| chance.percent(60)) {
            command["member"] = member["id"].clone();
        }
        if let Some(source) = chance
            .pick(&ids)
            .filter(|_| command["type"] == "damage" && chance.percent(70))
        {
            command["source"] = json!(source);
        }
        command
    }

    fn effect(&self, chance: &mut Chance, who: &str) -> Value {
        let count = chance.number(1, 4);
        let expires = match chance.below(5) {
            0 | 1 => json!({"at": "round_end", "rounds": count}),
            2 => json!({"at": "turn_start", "of": who, "turns": count}),
            3 => json!({"at": "turn_end", "turns": count}),
            _ => json!({"at": "encounter_end"}),
        };
        json!({"name": "Bless", "target": who, "expires": expires})
    }

    fn stats(&self, chance: &mut Chance, names: &[String]) -> Value {
        let mut stats = chance.value(&self.stats, self.stats.root(), names);
        if self.id == "custom" {
            stats["numbers"] = definitions::numbers(chance);
            // A creation is not refused; whoever joins later may bring a die.
            for known in ["roll", "initiative"] {
                stats.as_object_mut().and_then(|stats| stats.remove(known));
            }
        }
        stats
    }

    pub fn combatant(&self, chance: &mut Chance, id: &str, names: &[String]) -> Value {
        let mut combatant = self.stats(chance, names);
        combatant["id"] = json!(id);
        combatant["side"] = json!(chance.pick(&SIDES));
        let hp =
            |chance: &mut Chance| json!({"current": 1 + chance.below(20), "temp": chance.below(3)});
        if chance.percent(60) {
            combatant["hp"] = hp(chance);
        }
        if chance.percent(20) {
            let part = chance
                .pick(&["armor_class", "level"])
                .copied()
                .unwrap_or_default();
            combatant[part] = json!(1 + chance.below(20));
            if part == "armor_class" {
                combatant["armor_class_seen_by"] = json!(chance.pick(&["gm", "player", "all"]));
            }
        }
        match chance.below(12) {
            0 => combatant["kind"] = json!("hazard"),
            1 => combatant["kind"] = json!("pc"),
            2 => combatant["members"] = json!(["one", {"id": "two", "hp": hp(chance)}]),
            3 => combatant["controller"] = json!("Robin"),
            4 => combatant["conditions"] = json!([chance.pick(&self.conditions)]),
            _ => {}
        }
        // A creation is not refused: only players' characters can hold inspiration everywhere, and motes
        // have a maximum.
        let is_pc = match combatant["kind"].as_str() {
            Some(kind) => kind == "pc",
            None => combatant["side"] == "players",
        };
        if let Some(fields) = combatant.as_object_mut() {
            if !is_pc {
                fields.remove("inspiration");
            }
            if fields.get("motes").and_then(Value::as_i64)
                > fields.get("max_motes").and_then(Value::as_i64)
            {
                fields.remove("motes");
            }
        }
        combatant
    }
}

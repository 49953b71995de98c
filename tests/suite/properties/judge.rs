//! Watches a fight: every command and every state is held against the properties.

use super::chance::Chance;
use super::gone::named_but_gone;
use super::teams;
use super::turns::Turns;
use crate::support::json::short;
use crate::support::legal_commands::{covered, listed, listed_values, repeated_label};
use crate::support::table::{RULESETS, Refused, Table, owned, player, seeded};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use turnkeeper::engine::Request;
use turnkeeper::vocabulary::{CombatantId, HOUSE_RULES, LegalCommand, Manifest, Values};

/// A property that does not hold, and how that shows.
#[derive(Debug, Clone)]
pub struct Breach {
    pub property: &'static str,
    pub detail: String,
}

fn breach<T>(property: &'static str, detail: impl Into<String>) -> Result<T, Breach> {
    Err(Breach {
        property,
        detail: detail.into(),
    })
}

/// One command of a play: it is sent with these dice; the encounter goes on with what comes of it,
/// or it was but a try.
#[derive(Debug, Clone)]
pub struct Action {
    pub command: Value,
    pub dice: u64,
    pub advance: bool,
}

/// A fight that is watched.
#[derive(Clone)]
pub struct Judge {
    pub table: Table,
    /// What is legal now.
    pub legal_commands: Vec<LegalCommand>,
    /// The encounter as JSON.
    pub view: Value,
    manifest: &'static Manifest,
    rules: BTreeSet<&'static str>,
    seen: Seen,
    /// What was seen at every version before this one.
    past: Vec<Seen>,
}

/// What the events so far say, which goes back with an undo.
#[derive(Debug, Clone, Default)]
struct Seen {
    turns: Turns,
    /// Whether a combatant's turns may have changed in this round.
    unlimited: bool,
    /// Who was asked between two turns of this round.
    asked: BTreeSet<String>,
    /// Under a definition that gives everybody a turn: who can act and has not had one in this
    /// round.
    without_turn: BTreeSet<String>,
}

impl Judge {
    /// Takes a new encounter; None where the creation is refused (with a field, as it must be).
    pub fn new(creation: &Value) -> Result<Option<Self>, Breach> {
        let created = guarded(|| Ok(Table::try_create(creation.clone())))?;
        let table = match created {
            Ok(table) => table,
            Err(refused) if refused.field.is_some() => return Ok(None),
            Err(refused) => {
                return breach("a refused creation names a field", format!("{refused:?}"));
            }
        };
        let ruleset = creation["ruleset"]
            .as_str()
            .and_then(|id| RULESETS.get(id))
            .expect("a ruleset that there is");
        let manifest = ruleset.manifest;
        let rules = manifest
            .rules
            .iter()
            .chain(HOUSE_RULES)
            .map(|rule| rule.id)
            .collect();
        let turns = if manifest.id == "custom" {
            Turns::several()
        } else {
            Turns::default()
        };
        let mut judge = Self {
            legal_commands: Vec::new(),
            view: table.view(),
            table,
            manifest,
            rules,
            seen: Seen {
                turns,
                ..Seen::default()
            },
            past: Vec::new(),
        };
        guarded(|| judge.look())?;
        Ok(Some(judge))
    }

    /// Whether the fight goes on.
    pub fn running(&self) -> bool {
        self.view["status"] == "running"
    }

    /// Whether a verb is one of the ruleset's own.
    pub fn own(&self, verb: &Value) -> bool {
        self.manifest
            .commands
            .iter()
            .any(|command| command.verb == verb)
    }

    /// The combatants' ids.
    pub fn ids(&self) -> Vec<String> {
        ids(&self.view["combatants"], "id")
    }

    /// Sends a command and judges what comes of it; whether it was accepted.
    pub fn act(&mut self, action: &Action) -> Result<bool, Breach> {
        guarded(|| self.act_unguarded(action))
    }

    fn act_unguarded(&mut self, action: &Action) -> Result<bool, Breach> {
        let Action {
            command,
            dice,
            advance,
        } = action;
        let promised = listed(&self.legal_commands, command);
        let mut table = self.table.clone();
        let answer = table.try_send(command.clone(), &mut seeded(*dice));
        let answer = answer.or_else(|broken| {
            breach(
                "the log folds to the state and a refusal changes nothing",
                broken,
            )
        })?;
        let events = match answer {
            Err(refused) if promised => {
                return breach(
                    "what is listed is accepted",
                    format!("{} was refused: {refused:?}", short(command)),
                );
            }
            Err(refused) => {
                self.grounded(&refused)?;
                return Ok(false);
            }
            Ok(events) => events,
        };
        let verb = &command["type"];
        if !covered(self.table.game.ruleset(), &self.legal_commands, command) {
            let alike = self
                .legal_commands
                .iter()
                .filter(|o| o.command["type"] == *verb)
                .map(|o| o.command.clone())
                .collect();
            return breach(
                "what is accepted was listed",
                format!("{} was accepted; listed: {}", short(command), short(&alike)),
            );
        }
        if *advance {
            let before = std::mem::replace(&mut self.view, table.view());
            self.table = table;
            self.past.push(self.seen.clone());
            match events.first() {
                Some(event) if event["type"] == "undone" || event["type"] == "redone" => {
                    let version = event["to_version"].as_u64().expect("a version");
                    self.seen = self.past[version as usize].clone();
                }
                _ => self
                    .seen
                    .turns
                    .follow(&events)
                    .or_else(|wrong| breach(wrong.0, wrong.1))?,
            }
            self.nobody_elses_turn(command, &events, &before)?;
            self.as_often_as_defined(&events)?;
            self.waiting_were_asked(command, &events, &before)?;
            self.able_had_turns(command, &events)?;
            self.look()?;
            self.next_begins_next()?;
        }
        Ok(true)
    }

    /// A refusal tells why: a code, and a rule of the catalogue or a field.
    fn grounded(&self, refused: &Refused) -> Result<(), Breach> {
        let known = match (&refused.rule, &refused.field) {
            (Some(rule), _) => self.rules.contains(rule.as_str()),
            (None, field) => field.is_some(),
        };
        if refused.code.is_empty() || refused.detail.is_empty() || !known {
            return breach("a refusal tells why", format!("{refused:?}"));
        }
        Ok(())
    }

    /// A combatant that joins or changes out of its turn moves nobody's turn.
    fn nobody_elses_turn(
        &self,
        command: &Value,
        events: &[Value],
        before: &Value,
    ) -> Result<(), Breach> {
        let current = ids(&before["current"], "");
        let other = match command["type"].as_str() {
            Some("add_combatant" | "note") => true,
            Some("update_combatant") => {
                let who = command["combatant"].as_str().unwrap_or_default();
                command["changes"].get("conditions").is_none()
                    && !current.iter().any(|id| id == who)
            }
            _ => false,
        };
        let turn = events.iter().find(|event| {
            matches!(
                event["type"].as_str(),
                Some("turn_started" | "turn_ended" | "round_started" | "round_ended")
            )
        });
        match turn {
            Some(turn) if other && !current.is_empty() && self.view["status"] == "running" => {
                breach(
                    "who joins or changes moves nobody's turn",
                    format!("{} gave {turn}", short(command)),
                )
            }
            _ => Ok(()),
        }
    }

    /// Under a definition nobody acts more often than it says, and a command brings about a bounded
    /// number of events.
    fn as_often_as_defined(&mut self, events: &[Value]) -> Result<(), Breach> {
        let definition = &self.view["options"]["definition"];
        if definition.is_null() {
            return Ok(());
        }
        let (size, effects) = (
            self.ids().len() + 1,
            events
                .iter()
                .filter(|event| event["effect_id"].is_string())
                .count(),
        );
        let steps = definition["together"].to_string().matches("name").count();
        if events.len() > effects + 20 + size * (30 + 2 * steps) {
            return breach(
                "a command brings about a bounded number of events",
                events.len().to_string(),
            );
        }
        let several = |event: &Value| {
            ["overridden", "combatant_updated"]
                .iter()
                .any(|kind| event["type"] == *kind)
        };
        if costs_turns(definition) || self.seen.turns.overridden() || events.iter().any(several) {
            self.seen.unlimited |= events.iter().any(several);
            return Ok(());
        }
        if events.iter().any(|event| event["type"] == "round_started") {
            self.seen.unlimited = false;
        }
        for c in self.view["combatants"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|_| !self.seen.unlimited)
        {
            let id = c["id"].as_str().unwrap_or_default();
            let turns = match &definition["turns"] {
                Value::Null => 1,
                Value::Number(turns) => turns.as_u64().unwrap_or(0),
                name => {
                    let name = name.as_str().unwrap_or_default();
                    let number = c["numbers"]
                        .get(name)
                        .unwrap_or(&definition["numbers"][name]);
                    u64::try_from(number.as_i64().unwrap_or(0)).unwrap_or(0)
                }
            };
            let taken = |taken: &BTreeMap<String, u64>| taken.get(id).copied().unwrap_or(0);
            let round = taken(self.seen.turns.taken());
            if round > turns {
                return breach(
                    "nobody acts more often than the definition says",
                    format!("{id}: {round} of {turns}"),
                );
            }
        }
        Ok(())
    }

    /// No round ends by the rules before each combatant that waits was asked in it.
    fn waiting_were_asked(
        &mut self,
        command: &Value,
        events: &[Value],
        before: &Value,
    ) -> Result<(), Breach> {
        // Venture's delays are another matter: VE-12.
        if self.view["options"]["definition"].is_null() {
            return Ok(());
        }
        let happened = |kind: &str| events.iter().any(|event| event["type"] == kind);
        // With `end_round` the turns that are left are lost.
        let by_rules = self.own(&command["type"]) && command["type"] != "end_round";
        if happened("round_ended") && by_rules {
            let fighters = before["combatants"].as_array().into_iter().flatten();
            let mut waiting: Vec<Value> = fighters
                .filter(|c| c["delaying"] == true)
                .map(|c| c["id"].clone())
                .collect();
            if command["type"] == "delay" {
                waiting.push(command["combatant"].clone());
            }
            if let Some(id) = waiting
                .iter()
                .find(|id| !self.seen.asked.contains(id.as_str().unwrap_or_default()))
            {
                return breach(
                    "who waits is asked before the round ends",
                    format!("{id} after {}", short(command)),
                );
            }
        }
        if happened("round_started") {
            self.seen.asked.clear();
        }
        if self.view["pending"]["decision"] == "react" {
            self.seen
                .asked
                .extend(ids(&self.view["pending"]["combatants"], ""));
        }
        Ok(())
    }

    /// No round ends by the rules before everybody who could act all along has had a turn, so that
    /// no rounds pass without end while anybody can act.
    fn able_had_turns(&mut self, command: &Value, events: &[Value]) -> Result<(), Breach> {
        if !gives_everybody_a_turn(&self.view["options"]["definition"]) {
            return Ok(());
        }
        for event in events {
            match event["type"].as_str().unwrap_or_default() {
                "round_ended" if self.own(&command["type"]) => {
                    if let Some(id) = self.seen.without_turn.first() {
                        return breach(
                            "everybody who can act has a turn before the round ends",
                            format!("{id} after {}", short(command)),
                        );
                    }
                }
                "round_started" => self.seen.without_turn = self.able(),
                "initiative_rolled" | "side_pool_changed" | "declarations_shown" | "damaged"
                | "healed" | "gap_closed" | "undone" | "redone" => {}
                _ => {
                    // Whoever has a turn has had it; whom anything else befalls may lose it.
                    let text = event.to_string();
                    self.seen
                        .without_turn
                        .retain(|id| !text.contains(&format!("\"{id}\"")));
                }
            }
        }
        Ok(())
    }

    /// Who is in the fight and neither waits nor is unconscious.
    fn able(&self) -> BTreeSet<String> {
        let combatants = self.view["combatants"].as_array().into_iter().flatten();
        let able = combatants.filter(|c| {
            let conditions = c["conditions"].as_array().into_iter().flatten();
            let down = conditions.into_iter().any(|condition| {
                let word = condition["condition"].as_str().or(condition.as_str());
                word == Some(self.manifest.down)
            });
            c["active"] == true && c["delaying"] != true && !down
        });
        able.filter_map(|c| c["id"].as_str().map(str::to_owned))
            .collect()
    }

    /// Under a definition `next` is who begins next when nobody interferes: nobody, where somebody
    /// picks or the round ends first.
    fn next_begins_next(&self) -> Result<(), Breach> {
        if self.view["options"]["definition"].is_null() || !self.running() {
            return Ok(());
        }
        let order = self.view["order"].as_array().into_iter().flatten();
        let named: BTreeSet<&str> = order
            .filter(|row| row["next"] == true)
            .filter_map(|row| row["combatant"].as_str())
            .collect();
        let begun = self.begins_next();
        if named.iter().copied().eq(begun.iter().map(String::as_str)) {
            return Ok(());
        }
        breach(
            "next is who begins next",
            format!(
                "next is {named:?}, and {begun:?} begins: {}",
                self.view["order"]
            ),
        )
    }

    /// Who begins next if the fight goes on by itself; nobody, if somebody picks or the round ends
    /// first.
    fn begins_next(&self) -> BTreeSet<String> {
        let mut table = self.table.clone();
        for _ in 0..100 {
            let pending = table.at("pending");
            let picks = match pending["decision"].as_str() {
                Some("end_turn" | "react" | "resolve") => false,
                Some("begin_turn" | "nominate") => {
                    let options = table.legal_commands();
                    let begins: usize = options.iter().map(beginners).sum();
                    begins != 1
                }
                // What is declared or rolled is not known.
                _ => true,
            };
            if picks {
                break;
            }
            let goes_on = json!({"type": "resolve"});
            let Ok(Ok(events)) = table.try_send(goes_on, &mut seeded(0)) else {
                break;
            };
            // On a clock the order goes on over the end of a round, until another definition holds.
            let definition = &self.view["options"]["definition"];
            let clock = costs_turns(definition) && definition["order"][0] == "score";
            let has = |kind: &str| events.iter().any(|event| event["type"] == kind);
            if has("definition_changed") || !clock && has("round_started") {
                break;
            }
            let begun = first_used_turn(&events);
            if !begun.is_empty() {
                return begun;
            }
        }
        BTreeSet::new()
    }

    /// The names that several combatants have.
    fn shared_names(&self) -> BTreeSet<String> {
        let mut seen = BTreeSet::new();
        let mut shared = BTreeSet::new();
        for c in self.view["combatants"].as_array().into_iter().flatten() {
            let name = c["name"].as_str().unwrap_or_default();
            if !seen.insert(name) {
                shared.insert(name.to_owned());
            }
        }
        shared
    }

    /// Looks at the state as it is.
    fn look(&mut self) -> Result<(), Breach> {
        self.legal_commands = self.table.legal_commands();
        let here: BTreeSet<String> = self.ids().into_iter().collect();
        let brief = serde_json::to_value(self.table.game.brief()).expect("a brief is JSON");
        if brief["current"] != self.view["current"] || brief["pending"] != self.view["pending"] {
            return breach("the brief says what the view says", format!("{brief}"));
        }
        self.known_rules()?;
        if let Some(detail) = repeated_label(&self.legal_commands) {
            return breach("no two buttons say the same", detail);
        }
        if let Some(form) = self.legal_commands.iter().find(|o| needs_form(o)) {
            return breach("the usual answer is one press", form.command.to_string());
        }
        let shared_names = self.shared_names();
        for option in &self.legal_commands {
            // A number at the end that tells no names apart tells two equal labels apart.
            let (words, number) = option.label.rsplit_once(' ').unwrap_or_default();
            let is_of_a_name = shared_names.iter().any(|name| words.ends_with(name));
            let is_of_a_label = number.starts_with('#') && !is_of_a_name;
            if option.label.contains(['(', '_', '{']) || is_of_a_label {
                return breach("a label reads as a sentence", option.label.clone());
            }
        }
        for (list, key) in [("current", ""), ("order", "combatant")] {
            if let Some(gone) = ids(&self.view[list], key)
                .iter()
                .find(|id| !here.contains(*id))
            {
                return breach(
                    "a combatant that is named exists",
                    format!("{list} names {gone}: {}", self.view[list]),
                );
            }
        }
        if here.len() != self.view["combatants"].as_array().map_or(0, Vec::len) {
            return breach(
                "a combatant's id is unique",
                self.view["combatants"].to_string(),
            );
        }
        if let Some(named) = named_but_gone(&self.view, &here) {
            return breach("a combatant that has left is named nowhere", named);
        }
        let places = self.view["order"].as_array().into_iter().flatten();
        let mut seen = BTreeSet::new();
        for place in places {
            if !seen.insert((place["combatant"].to_string(), place["slot"].to_string()))
                && !self.seen.turns.overridden()
            {
                return breach(
                    "nobody stands twice in the order",
                    self.view["order"].to_string(),
                );
            }
        }
        if self.table.game.text().is_empty() {
            return breach("the turn table prints", "");
        }
        teams::hold(&self.view).or_else(|wrong| breach(wrong.0, wrong.1))?;
        self.awaited(&here)
    }

    /// Every rule that legal_commands, places and the pending decision name is in the catalogue.
    fn known_rules(&self) -> Result<(), Breach> {
        let listed = self
            .legal_commands
            .iter()
            .map(|option| option.rule.to_owned());
        let places = self.view["order"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|place| &place["because"]);
        let because = places.flat_map(|because| [&because["rule"], &because["tie_rule"]]);
        let named = because
            .chain([&self.view["pending"]["rule"]])
            .filter_map(Value::as_str)
            .map(str::to_owned);
        match listed
            .chain(named)
            .find(|rule| !self.rules.contains(rule.as_str()))
        {
            Some(rule) => breach("every rule that is named is in the catalogue", rule),
            None => Ok(()),
        }
    }

    /// While the fight goes on, somebody who exists can take the decision that is awaited, and
    /// nobody else.
    fn awaited(&self, here: &BTreeSet<String>) -> Result<(), Breach> {
        let pending = &self.view["pending"];
        let property = "a decision is awaited while the fight goes on, and only then";
        match self.view["status"].as_str() {
            Some("ended") if !pending.is_null() => return breach(property, pending.to_string()),
            Some("running") if pending.is_null() => return breach(property, "nothing is awaited"),
            Some("running") => {}
            _ => return Ok(()),
        }
        let (who, gm) = (ids(&pending["combatants"], ""), pending["gm"] == true);
        if who.is_empty() && !gm {
            return breach("somebody is awaited", pending.to_string());
        }
        if let Some(gone) = who.iter().find(|id| !here.contains(*id)) {
            return breach(
                "a combatant that is named exists",
                format!("pending names {gone}"),
            );
        }
        let commands = pending["commands"].as_array().cloned().unwrap_or_default();
        let is_resolve = |option: &LegalCommand| option.command["type"] == "resolve";
        if self.legal_commands.iter().any(is_resolve) != commands.contains(&json!("resolve")) {
            return breach(
                "`resolve` is awaited if it is legal, and only then",
                pending.to_string(),
            );
        }
        let taking: Vec<&LegalCommand> = self
            .legal_commands
            .iter()
            .filter(|o| commands.contains(&o.command["type"]))
            .collect();
        if taking.is_empty() {
            return breach(
                "what is awaited is legal",
                format!("{pending}: none of its commands is listed"),
            );
        }
        let by = |id: &str| {
            taking.iter().any(|o| self.sends(id, o))
                || taking
                    .iter()
                    .any(|o| o.actor.as_ref().is_some_and(|c| *c == *id) || mentions(o, id))
        };
        if let Some(idle) = who.iter().find(|id| !by(id)) {
            return breach(
                "a combatant that is awaited can act",
                format!("{idle} has no option of {pending}"),
            );
        }
        // A duel awaits the duellists; others may attack with their minds meanwhile, as at any
        // moment (EX-31).
        if pending["decision"] == "mental_attack" {
            return Ok(());
        }
        let senders = taking
            .iter()
            .filter(|o| self.own(&o.command["type"]) && o.command["reflexive"] != true)
            .filter(|o| !self.is_silent(&o.command))
            .filter_map(|o| o.actor.as_ref());
        // Who has answered may change the answer and is not waited for: the roll under EXP, the
        // claim under DC20.
        let mut rolled = self.view["combatants"].clone();
        if let Some(combatants) = rolled.as_array_mut() {
            combatants.retain(|c| c["own_roll"].is_object());
        }
        // A hidden one may jump ahead of a jump unasked under EXP: players would see that it is asked.
        let mut hidden = self.view["combatants"].clone();
        if let Some(combatants) = hidden.as_array_mut() {
            combatants.retain(|c| pending["rule"] == "EX-27a" && c["hidden"] == true);
        }
        let answered = [
            ids(&rolled, "id"),
            ids(&hidden, "id"),
            ids(&self.view["state"]["claims"], "combatant"),
            ids(&self.view["state"]["passed"], ""),
        ]
        .concat();
        let expected = |id: &&str| !who.iter().chain(&answered).any(|w| w == id);
        match senders.map(|id| id.as_str()).find(expected) {
            Some(forgotten) => breach(
                "a combatant that can act is awaited",
                format!("{forgotten} can act and is not in {pending}"),
            ),
            None => Ok(()),
        }
    }

    /// Whether a command uses a reaction of `custom` for which no combatant is asked.
    fn is_silent(&self, command: &Value) -> bool {
        let reactions = &self.view["options"]["definition"]["reactions"];
        let name = command["reaction"].as_str().unwrap_or_default();
        reactions[name]["silent"] == true
    }

    /// Whether the player of `id` may send this option.
    fn sends(&self, id: &str, option: &LegalCommand) -> bool {
        let player = player(
            "player",
            owned(&*self.table.game, &[CombatantId::new(id).expect("an id")]),
        );
        let request = Request::read(option.command.clone()).expect("an option is a request");
        self.table.game.authorize(&player, &request).is_ok()
    }

    /// The most commands of the turns that scores pay for, if a turn costs at least 1; else 0.
    fn turns_by_cost(&self) -> usize {
        if !costs_turns(&self.view["options"]["definition"]) {
            return 0;
        }
        let places = self.view["state"]["places"].as_array();
        let scores = places.into_iter().flatten().filter_map(|place| {
            let score = place["initiative_score"]["total"].as_u64()?;
            usize::try_from(score).ok()
        });
        3 * scores.sum::<usize>()
    }

    /// Plays nothing but what is awaited until the round is over; an error where it doesn't end.
    pub fn finish_round(&mut self, seed: u64) -> Result<(), Breach> {
        let mut chance = Chance::new(seed);
        let bound = 300 + 150 * self.ids().len() + self.turns_by_cost();
        let round = self.view["round"].clone();
        for _ in 0..bound {
            let active = self.view["combatants"]
                .as_array()
                .into_iter()
                .flatten()
                .any(|c| c["active"] == true);
            if !self.running() || !active || self.view["round"] != round {
                return Ok(());
            }
            let awaited = self.view["pending"]["commands"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            let verbs: Vec<Value> = awaited.into_iter().filter(|verb| self.own(verb)).collect();
            let verb = chance.pick(&verbs).cloned().unwrap_or_default();
            let legal_commands: Vec<LegalCommand> = self
                .legal_commands
                .iter()
                .filter(|o| o.command["type"] == verb)
                .cloned()
                .collect();
            if verbs.is_empty()
                && self.view["pending"]["gm"] == true
                && self.view["current"] == json!([])
            {
                // Nobody who is here takes turns by the rules: the fight waits for the game master.
                return Ok(());
            }
            let Some(option) = chance.pick(&legal_commands) else {
                if self
                    .legal_commands
                    .iter()
                    .any(|o| verbs.contains(&o.command["type"]))
                {
                    continue;
                }
                let (pending, current) = (&self.view["pending"], &self.view["current"]);
                let detail = format!(
                    "nothing of the ruleset's own is awaited: {pending}, current {current}"
                );
                return breach("a round ends", detail);
            };
            let command = chance.fill(option);
            self.act(&Action {
                command,
                dice: chance.seed(),
                advance: true,
            })?;
        }
        breach(
            "a round ends",
            format!(
                "after {bound} commands {round} still goes on: {}",
                self.view["pending"]
            ),
        )
    }
}

/// Whether a definition limits nobody to fewer turns than one a round.
fn gives_everybody_a_turn(definition: &Value) -> bool {
    let whole = |value: &Value| value.is_null() || value.as_u64().is_some_and(|turns| turns > 0);
    let together = &definition["together"];
    let steps = together["steps"].as_array();
    let who = definition["who"].as_object();
    let limits =
        steps.is_some_and(|steps| !steps.is_empty()) || who.is_some_and(|who| !who.is_empty());
    definition.is_object()
        && definition["turn_cost"].is_null()
        && whole(&definition["turns"])
        && !limits
}

/// Whether turns cost initiative, so that nobody has a fixed count of them.
fn costs_turns(definition: &Value) -> bool {
    ["while_score", "by_tick"]
        .iter()
        .any(|turns| definition["turns"] == *turns)
}

/// Whether an option can be sent in the name of `id`.
fn mentions(option: &LegalCommand, id: &str) -> bool {
    let fixed = option
        .decided()
        .is_some_and(|fields| fields.values().any(|value| value == id));
    let open = serde_json::to_string(&option.choices).unwrap_or_default();
    fixed || open.contains(&format!("\"{id}\""))
}

fn ids(list: &Value, key: &str) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items
        .filter_map(|item| {
            if key.is_empty() {
                item.as_str()
            } else {
                item[key].as_str()
            }
            .map(str::to_owned)
        })
        .collect()
}

fn guarded<T>(judged: impl FnOnce() -> Result<T, Breach>) -> Result<T, Breach> {
    catch_unwind(AssertUnwindSafe(judged)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or(panic.downcast_ref::<&str>().copied());
        breach("nothing panics", text.unwrap_or("?"))
    })
}

/// Whether a command says who acts next.
/// How many combatants an option lets begin.
fn beginners(option: &LegalCommand) -> usize {
    let mut choices = option.choices.iter();
    match option.verb() {
        "begin_turn" => 1,
        "nominate" => match choices.find(|choice| choice.field == "next") {
            Some(next) => listed_values(&next.values).len(),
            None => 1,
        },
        _ => 0,
    }
}

#[test]
fn what_a_round_allows_comes_back_with_an_undo() {
    let definition = json!({"numbers": {"turns": 0}, "turns": "turns"});
    let creation = json!({"ruleset": "custom", "options": {"definition": definition}, "combatants": [
        {"id": "ann", "side": "players", "numbers": {"turns": 2}},
    ]});
    let mut judge = Judge::new(&creation)
        .expect("a sound play")
        .expect("a fight");
    // Ann has two turns in round 1, whatever her number says then, and none in round 2.
    for command in [
        json!({"type": "start"}),
        json!({"type": "update_combatant", "combatant": "ann", "changes": {"numbers": {"turns": 0}}}),
        json!({"type": "resolve"}),
        json!({"type": "end_turn", "combatant": "ann"}),
        json!({"type": "undo", "to_version": 2}),
        json!({"type": "resolve"}),
    ] {
        let action = Action {
            command,
            dice: 0,
            advance: true,
        };
        assert_eq!(judge.act(&action).map_err(|breach| breach.detail), Ok(true));
    }
}

/// The combatants of the first turn that these events open and do not skip.
fn first_used_turn(events: &[Value]) -> BTreeSet<String> {
    let mut opened = BTreeSet::new();
    for event in events {
        match event["type"].as_str() {
            Some("turn_opened") if opened.is_empty() => {
                opened = ids(&event["combatants"], "").into_iter().collect();
            }
            Some("turn_opened") => break,
            Some("skipped") => opened.clear(),
            _ => {}
        }
    }
    opened
}

/// Whether a usual answer needs more than a press, or the press of one of a list.
fn needs_form(option: &LegalCommand) -> bool {
    let required: Vec<_> = option
        .choices
        .iter()
        .filter(|choice| choice.required)
        .collect();
    let is_listed = |values: &Values| {
        matches!(
            values,
            Values::OneOf(_) | Values::Shared(_) | Values::Range(..)
        )
    };
    option.primary
        && match &required[..] {
            [] => false,
            [choice] => !is_listed(&choice.values),
            _ => true,
        }
}

//! One-shot swaps: from one state another hidden combatant acts in each of two worlds, and viewers
//! who see neither of them see the same: view, table, options, log entry and refusals.
//!
//! The worlds are compared right after the hidden combatant has begun to act, and again after it
//! has done something, if viewers can still see no difference in whom the fight waits for.

use super::chance::Chance;
use super::definitions;
use super::player::Subject;
use super::secrecy::{Even, Stage, alike, viewer};
use super::{numbers, subjects};
use serde_json::{Value, json};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use turnkeeper::engine::{Decided, OptionsFilter, Role};
use turnkeeper::rulesets::custom::Preset;
use turnkeeper::vocabulary::LegalCommand;

/// The plays of each ruleset and preset by default.
const PLAYS: u64 = 6;
/// The commands of a play.
const STEPS: u16 = 25;
/// The swaps that are tried before each command.
const SWAPS: usize = 2;

const HIDDEN: [&str; 3] = ["h1", "h2", "h3"];

/// The options under which a ruleset is played.
#[derive(Clone, Copy)]
enum Setting {
    /// None, or a random definition of `custom`.
    Any,
    /// A preset of `custom` as it ships.
    Preset(Preset),
}

/// A play at random.
struct Play<'s> {
    subject: &'s Subject,
    setting: Setting,
    chance: Chance,
    /// True if a player has a hidden combatant.
    owned: bool,
    steps: Vec<String>,
}

/// Why two worlds that should look alike do not.
type Leak = String;

impl Play<'_> {
    fn options(&mut self) -> Value {
        match self.setting {
            Setting::Preset(preset) => json!({"preset": preset}),
            Setting::Any if self.subject.id == "custom" => definitions::options(&mut self.chance),
            Setting::Any => self.subject.options(&mut self.chance),
        }
    }

    fn combatant(&mut self, id: &str, names: &[String]) -> Value {
        let mut one = self.subject.combatant(&mut self.chance, id, names);
        one["conditions"] = json!([]);
        if let Setting::Preset(preset) = self.setting {
            one["numbers"] = self.numbers_of(preset);
        }
        one
    }

    /// Some of the numbers of a preset.
    fn numbers_of(&mut self, preset: Preset) -> Value {
        let definition: Value = serde_json::from_str(preset.definition()).expect("JSON");
        let mut numbers = json!({});
        for name in definition["numbers"].as_object().into_iter().flatten() {
            if self.chance.percent(50) {
                numbers[name.0] = self.chance.number(0, 3).into();
            }
        }
        numbers
    }

    /// Combatants that all see, one of which is hidden from all but its player at times, and two or
    /// three hidden ones in the fight.
    fn cast(&mut self) -> Vec<Value> {
        let visible = 2 + self.chance.below(3);
        let names: Vec<String> = (1..=visible).map(|n| format!("c{n}")).collect();
        let mut all = Vec::new();
        for id in &names {
            all.push(self.combatant(id, &names));
        }
        (all[0]["side"], all[0]["kind"]) = (json!("players"), json!("pc"));
        self.owned = self.chance.percent(25);
        let owned = self.owned;
        if owned {
            all[1]["hidden"] = json!(true);
        }
        let sides = ["shadows", "shadows", "monsters", "players", "npc", "wolves"];
        for id in &HIDDEN[..2 + self.chance.below(2)] {
            let mut one = self.combatant(id, &names);
            one["hidden"] = json!(true);
            one["hp"] = json!({"current": 999_999});
            one["side"] = json!(self.chance.pick(&sides));
            if one.get("worthy_foe").is_some() {
                one["worthy_foe"] = json!(true);
            }
            let at = self.chance.below(all.len() + 1);
            all.insert(at, one);
        }
        // The owner of a hidden one sees the roll of its group (decision 9).
        for one in all.iter_mut().filter_map(Value::as_object_mut) {
            one.retain(|field, _| !owned || !["crowd", "group", "roll_group"].contains(&&**field));
        }
        all
    }

    fn play(&mut self) -> Result<(), Leak> {
        let options = self.options();
        let combatants = self.cast();
        let foe_hp = self.chance.pick(&["exact", "banded"]);
        let creation = json!({
            "ruleset": self.subject.id, "options": options, "combatants": combatants, "foe_hp": foe_hp,
        });
        self.steps.push(creation.to_string());
        let Some(mut stage) = Stage::create(&creation) else {
            return Ok(());
        };
        for step in 0..STEPS {
            for _ in 0..SWAPS {
                let command = self.hidden_acts(&stage);
                self.swap(&stage, &command, step)?;
            }
            let command = self.next(&stage);
            if let Some((next, _)) = stage.send(&command, &mut Even(step)) {
                self.steps.push(command.to_string());
                stage = next;
            }
        }
        Ok(())
    }

    /// Lets another hidden combatant do the same in a second world, and compares.
    fn swap(&mut self, stage: &Stage, command: &Value, dice: u16) -> Result<(), Leak> {
        let [one, other] = self.two_hidden();
        let other_command = swapped(command, one, other);
        let Some(mut worlds) = Worlds::send(stage, stage, command, &other_command, dice) else {
            return Ok(());
        };
        let is_same = swapped(&brief_of_gm(&worlds.one), one, other) == brief_of_gm(&worlds.other);
        if !is_same || worlds.shows_a_place() || worlds.shows_who_pays() {
            return Ok(());
        }
        worlds
            .compare()
            .map_err(|leak| format!("after {command}\n      and {other_command}{leak}"))?;
        let tried = self.open(stage);
        worlds.refuse_alike(&tried)?;
        for _ in 0..2 {
            let command = self.hidden_acts(&worlds.one);
            let other_command = swapped(&command, one, other);
            let next = Worlds::send(&worlds.one, &worlds.other, &command, &other_command, dice);
            let Some(next) = next.filter(Worlds::should_look_alike) else {
                return Ok(());
            };
            next.compare().map_err(|leak| {
                format!("later, after {command}\n      and {other_command}{leak}")
            })?;
            worlds = next;
        }
        Ok(())
    }

    fn two_hidden(&mut self) -> [&'static str; 2] {
        let first = self.chance.below(HIDDEN.len());
        let second = (first + 1 + self.chance.below(2)) % HIDDEN.len();
        [HIDDEN[first], HIDDEN[second]]
    }

    /// A command of the game master's by which a hidden combatant acts, or something happens to it.
    fn hidden_acts(&mut self, stage: &Stage) -> Value {
        let id = *self.chance.pick(&HIDDEN).expect("a name");
        match self.chance.below(10) {
            0..3 => json!({"type": "override", "combatant": id}),
            3 => json!({"type": "damage", "target": "c1", "amount": 1, "source": id}),
            _ => {
                let all = gm_options(stage);
                let mut acts = Vec::new();
                for option in &all {
                    let command = self.chance.fill(option);
                    let verb = command["type"].as_str().unwrap_or_default();
                    if !SHARED.contains(&verb) && is_act_of_hidden(&command) {
                        acts.push(command);
                    }
                }
                let overridden = json!({"type": "override", "combatant": id});
                self.chance.pick(&acts).cloned().unwrap_or(overridden)
            }
        }
    }

    /// A command that the play goes on with.
    fn next(&mut self, stage: &Stage) -> Value {
        let id = *self.chance.pick(&["h1", "h2"]).expect("a name");
        match self.chance.below(12) {
            0 => {
                let at = self.chance.pick(&["turn_start", "turn_end"]);
                let turns = 40 + self.chance.below(3);
                json!({"type": "add_effect", "effect": {"name": "Hex", "target": "c1", "source": id,
                    "expires": {"at": at, "of": id, "turns": turns}}})
            }
            1 => json!({"type": "override", "combatant": id}),
            _ => self.open(stage),
        }
    }

    /// A command of the ruleset that is legal for the game master, most often one that is awaited.
    fn open(&mut self, stage: &Stage) -> Value {
        let mut own = gm_options(stage);
        own.retain(|option| {
            let verb = option.command["type"].as_str().unwrap_or_default();
            // An owner sees its combatant's place beside those that the game master has moved.
            !(SHARED.contains(&verb) || self.owned && verb == "reorder")
        });
        let brief = stage.game.brief();
        let awaited = brief
            .pending
            .map_or_else(Vec::new, |pending| pending.commands);
        if self.chance.percent(60) {
            let is_awaited = |verb: &str| awaited.iter().any(|awaited| **awaited == *verb);
            let all = own.clone();
            own.retain(|option| is_awaited(option.command["type"].as_str().unwrap_or_default()));
            if own.is_empty() {
                own = all;
            }
        }
        match self.chance.pick(&own) {
            Some(option) => self.chance.fill(option),
            None => json!({"type": "start"}),
        }
    }
}

/// Commands of every ruleset, by which no combatant acts.
const SHARED: [&str; 15] = [
    "add_combatant",
    "add_effect",
    "clear_condition",
    "damage",
    "end_encounter",
    "heal",
    "note",
    "override",
    "redo",
    "remove_combatant",
    "remove_effect",
    "set_condition",
    "undo",
    "update_combatant",
    "update_encounter",
];

fn gm_options(stage: &Stage) -> Vec<LegalCommand> {
    let gm = viewer(Role::Gm, &[]);
    stage.game.options(&gm, &OptionsFilter::all(), 0, &|| false)
}

/// Whether a hidden combatant acts by this command, or comes to act.
fn is_act_of_hidden(command: &Value) -> bool {
    let actors = [&command["combatant"], &command["next"]];
    // By these the game master moves a combatant that all see, or lets it gain from a hidden one.
    let is_of_gm = ["adjust", "reorder", "swap"]
        .iter()
        .any(|verb| command["type"] == *verb);
    !is_of_gm
        && actors
            .iter()
            .any(|id| HIDDEN.iter().any(|hidden| **id == *hidden))
}

/// The same with the two ids exchanged.
fn swapped(value: &Value, one: &str, other: &str) -> Value {
    let [one, other] = [one, other].map(|id| format!("\"{id}\""));
    let text = value.to_string().replace(&one, "\"\u{1}\"");
    let text = text.replace(&other, &one).replace("\"\u{1}\"", &other);
    serde_json::from_str(&text).expect("JSON")
}

/// The types of the events of a transition.
fn types(decided: &Decided) -> Vec<Value> {
    let events: Vec<Value> = serde_json::from_str(decided.events.get()).expect("JSON");
    events.iter().map(|event| event["type"].clone()).collect()
}

/// What the game master sees of whom the fight waits for.
fn brief_of_gm(stage: &Stage) -> Value {
    serde_json::to_value(stage.game.brief()).expect("a brief")
}

/// Two worlds that differ in which hidden combatant acted.
struct Worlds {
    one: Stage,
    other: Stage,
    decided: [Decided; 2],
    commands: [Value; 2],
}

impl Worlds {
    /// The worlds after a command each; None if one of them refuses it.
    fn send(
        one: &Stage,
        other: &Stage,
        command: &Value,
        other_command: &Value,
        dice: u16,
    ) -> Option<Self> {
        if command == other_command {
            return None;
        }
        let (one, decided) = one.send(command, &mut Even(dice))?;
        let (other, other_decided) = other.send(other_command, &mut Even(dice))?;
        Some(Self {
            one,
            other,
            decided: [decided, other_decided],
            commands: [command.clone(), other_command.clone()],
        })
    }

    fn compare(&self) -> Result<(), Leak> {
        let [decided, other_decided] = &self.decided;
        let [command, other_command] = &self.commands;
        let one = self.one.sights(Some((decided, command)));
        let other = self.other.sights(Some((other_decided, other_command)));
        alike(&one, &other)
    }

    fn should_look_alike(&self) -> bool {
        self.go_alike() && self.await_the_same() && !self.shows_a_place() && !self.shows_who_pays()
    }

    /// True if a combatant moves next to a hidden one, so that all see the hidden one's place, or
    /// gets that place in exchange. In some games a combatant that falls unconscious moves before the
    /// current turn, and in some an ally takes a combatant's place for its own.
    fn shows_a_place(&self) -> bool {
        self.decided.iter().any(|decided| {
            let events: Vec<Value> = serde_json::from_str(decided.events.get()).expect("JSON");
            let is_hidden = |id: &Value| HIDDEN.iter().any(|hidden| *id == **hidden);
            let is_shown = |event: &Value| {
                let exchanged = event["type"] == "places_swapped";
                let one_is_known = is_hidden(&event["combatant"]) != is_hidden(&event["with"]);
                is_hidden(&event["beside"]) || exchanged && one_is_known
            };
            events.iter().any(is_shown)
        })
    }

    /// True if the two pay with points of different sides, which all see.
    fn shows_who_pays(&self) -> bool {
        let [one, other] = [&self.decided[0], &self.decided[1]].map(|decided| {
            let mut events: Vec<Value> = serde_json::from_str(decided.events.get()).expect("JSON");
            events.retain(|event| event["type"] == "side_pool_changed");
            events
        });
        one != other
    }

    /// Whether the same happens in both, to whomever. Turns that all see may come up in one world
    /// and not in the other, by where the hidden combatants stand in the order.
    fn go_alike(&self) -> bool {
        let [one, other] = &self.decided;
        types(one) == types(other)
    }

    /// Whether viewers see that the same combatants act and decide, in the same round, lap and
    /// step, which the head of the turn table names.
    fn await_the_same(&self) -> bool {
        let [one, other] = [&self.one, &self.other].map(|stage| {
            let mut moments = Vec::new();
            for sight in stage.sights(None) {
                let head = sight.text.lines().next().unwrap_or_default().to_owned();
                moments.push((sight.brief, head));
            }
            moments
        });
        one == other
    }

    fn refuse_alike(&self, command: &Value) -> Result<(), Leak> {
        let (one, other) = (self.one.refusals(command), self.other.refusals(command));
        if one == other {
            Ok(())
        } else {
            Err(format!("refusals of {command}\n    {one:?}\n    {other:?}"))
        }
    }
}

/// What is played: each ruleset, and each preset of `custom`.
fn settings(subject: &Subject) -> Vec<Setting> {
    let mut settings = vec![Setting::Any];
    if subject.id == "custom" {
        settings.extend(Preset::ALL.map(Setting::Preset));
    }
    settings
}

/// Plays one play; the leak that ends it, with how long the play was.
fn leak(subject: &Subject, setting: Setting, seed: u64) -> Option<(usize, String)> {
    let mut play = Play {
        subject,
        setting,
        chance: Chance::new(seed),
        owned: false,
        steps: Vec::new(),
    };
    let leak = play.play().err()?;
    let preset = match setting {
        Setting::Any => String::new(),
        Setting::Preset(preset) => json!(preset).to_string(),
    };
    let (id, steps) = (subject.id, play.steps.join("\n  "));
    Some((
        play.steps.len(),
        format!("{id} {preset} (TURNKEEPER_SEED={seed}): {leak}\n  {steps}"),
    ))
}

#[test]
fn it_does_not_show_which_hidden_combatant_acts() {
    let mut leaks = Vec::new();
    for subject in subjects() {
        for setting in settings(&subject) {
            leaks.extend(shortest_leak(&subject, setting));
        }
    }
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
}

/// Plays on every core.
fn shortest_leak(subject: &Subject, setting: Setting) -> Option<String> {
    let numbers = numbers(PLAYS);
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let leak = leak(subject, setting, *number);
                    found.lock().expect("no panic").extend(leak);
                }
            });
        }
    });
    let shortest = found.into_inner().expect("no panic").into_iter().min();
    shortest.map(|(_, leak)| leak)
}

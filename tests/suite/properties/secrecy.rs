//! Secrecy, over random play in every ruleset: a viewer that cannot see a combatant learns nothing
//! of it.
//!
//! 1. A play with hidden combatants shows to others what the same play without them shows, byte for
//!    byte: state, events, options, refusals, text and version, until one of the hidden has the turn
//!    or must decide.
//! 2. Two plays that differ only in who is hidden show the same, also while the hidden act.
//! 3. What a viewer sees changes only with an entry that the viewer reads. Versions count every
//!    transition: where one play has a transition that no viewer reads, the other one has a note of
//!    the game master's.

use super::chance::Chance;
use super::definitions;
use super::player::Subject;
use super::{numbers, subjects};
use crate::support::json::short;
use crate::support::table::{RULESETS, entry, meta, owned, player, time_after, token};
use serde_json::{Value, json};
use std::sync::Arc;
use turnkeeper::engine::{AnyEncounter, Decided, OptionsFilter, Request, Role, Viewer};
use turnkeeper::json::read;
use turnkeeper::vocabulary::{CombatantId, Dice, OwnCombatant};

/// The plays of each ruleset and property by default.
const PLAYS: u64 = 12;

/// Every die of a command shows as much: how many are rolled for the hidden makes no difference to
/// the others.
pub struct Even(pub u16);

impl Dice for Even {
    fn roll(&mut self, sides: u16) -> u16 {
        self.0 % sides + 1
    }
}

/// Dice that follow from a seed.
struct Lasting(Chance);

impl Dice for Lasting {
    fn roll(&mut self, sides: u16) -> u16 {
        1 + u16::try_from(self.0.below(sides.into())).expect("a small number")
    }
}

pub fn named(ids: &[&str]) -> Vec<CombatantId> {
    ids.iter()
        .map(|id| CombatantId::new(id).expect("a short name"))
        .collect()
}

/// The audiences: a player with combatants of its own, and an onlooker.
fn audiences(own: &[OwnCombatant]) -> [(&'static str, &[OwnCombatant]); 2] {
    [("player", own), ("spectator", &[])]
}

pub fn viewer(role: Role, own: &[OwnCombatant]) -> Viewer {
    Viewer {
        role,
        ..player("player", own.to_vec())
    }
}

/// A play that is looked at.
#[derive(Clone)]
pub struct Stage {
    pub game: Arc<dyn AnyEncounter>,
    own: Vec<OwnCombatant>,
}

/// All that a viewer sees of a moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Sight {
    version: u64,
    pub view: String,
    pub text: String,
    options: String,
    pub brief: String,
    /// The types of the commands and the events that led here, with their sentences, as the viewer
    /// reads them.
    pub entry: Option<(String, String)>,
}

impl Stage {
    pub fn create(creation: &Value) -> Option<Self> {
        let game = RULESETS
            .create(meta(Vec::new()), read(creation).ok()?)
            .ok()?;
        let own = owned(&*game, &named(&["c1", "c2"]));
        let shade = owned(&*game, &named(&["h1"]));
        let tokens = vec![
            token("player", Role::Player, own.clone()),
            token("onlooker", Role::Spectator, Vec::new()),
            token("shade", Role::Player, shade),
        ];
        let game = game.with_meta(meta(tokens));
        Some(Self { game, own })
    }

    /// What comes of a command of the game master's; nothing where it is refused.
    pub fn send(&self, command: &Value, dice: &mut dyn Dice) -> Option<(Self, Decided)> {
        self.send_as(&[], command, dice)
    }

    /// The same of a command of the player of these combatants.
    pub fn send_as(
        &self,
        sender: &[OwnCombatant],
        command: &Value,
        dice: &mut dyn Dice,
    ) -> Option<(Self, Decided)> {
        let request = Request::read(command.clone()).ok()?;
        let decided = self
            .game
            .decide(sender, &request, time_after(&*self.game), dice, &|| false)
            .ok()?;
        Some((self.after(&decided), decided))
    }

    /// The same play after a transition.
    pub fn after(&self, decided: &Decided) -> Self {
        Self {
            game: decided.next.clone(),
            own: self.own.clone(),
        }
    }

    /// What each viewer sees, with the entry of the command that led here.
    pub fn sights(&self, led: Option<(&Decided, &Value)>) -> Vec<Sight> {
        audiences(&self.own)
            .iter()
            .map(|audience| self.sight(*audience, led))
            .collect()
    }

    fn sight(
        &self,
        (token, own): (&str, &[OwnCombatant]),
        led: Option<(&Decided, &Value)>,
    ) -> Sight {
        let seen = self.game.redacted(own);
        let view = |game: &dyn AnyEncounter| {
            let view = game.view(&viewer(Role::Player, own));
            view.expect("a view").get().to_owned()
        };
        // A player's dry run is decided on a view.
        assert_eq!(view(&*seen.redacted(own)), view(&*seen), "a view of a view");
        let entry = led.and_then(|(decided, command)| {
            let own = decided
                .redactions
                .as_ref()
                .and_then(|redactions| redactions.to(token));
            let commands = own.map_or(vec![command["type"].as_str()?.to_owned()], |account| {
                account.commands.clone()
            });
            let events = own.map_or(&decided.events, |account| &account.events);
            let events = events.get().to_owned();
            (events != "[]").then_some((commands.join(" "), events))
        });
        Sight {
            version: seen.version(),
            view: view(&*seen),
            text: seen.text(),
            options: serde_json::to_string(&seen.options(
                &viewer(Role::Player, own),
                &OptionsFilter::all(),
                0,
                &|| false,
            ))
            .expect("options"),
            brief: serde_json::to_string(&seen.brief()).expect("a brief"),
            entry,
        }
    }

    /// The ids of the combatants that are hidden from all, and of the others.
    fn unseen_and_seen(&self) -> (Vec<CombatantId>, Vec<CombatantId>) {
        let view = self.game.view(&Viewer::gm("gm")).expect("a view");
        let view: Value = serde_json::from_str(view.get()).expect("JSON");
        let combatants = view["combatants"].as_array().cloned().unwrap_or_default();
        let id = |c: &Value| c["id"].as_str().and_then(CombatantId::new).expect("an id");
        let is_own = |c: &Value| {
            owned(&*self.game, &[id(c)])
                .iter()
                .all(|one| self.own.contains(one))
        };
        let (unseen, seen): (Vec<_>, Vec<_>) = combatants
            .iter()
            .partition(|c| c["hidden"] == true && !is_own(c));
        (
            unseen.into_iter().map(id).collect(),
            seen.into_iter().map(id).collect(),
        )
    }

    /// Whether a secret command is about `h1` or `h2`, and one that is seen has that id by now.
    fn shows_target(&self, command: &Value) -> bool {
        let about = [
            &command["target"],
            &command["combatant"],
            &command["effect"]["target"],
        ];
        let (_, seen) = self.unseen_and_seen();
        seen.iter().any(|id| {
            id.as_str().starts_with('h') && about.iter().any(|about| **about == id.as_str())
        })
    }

    /// Whether a combatant that is hidden from all has the turn, had it since `before`, or must
    /// choose.
    pub fn someone(&self, before: &Self, decided: &Decided) -> bool {
        let (unseen, seen) = self.unseen_and_seen();
        let had_turn = |id: &CombatantId| {
            let started = format!(
                "{{\"type\":\"turn_started\",\"combatant\":\"{}\"}}",
                id.as_str()
            );
            decided.events.get().contains(&started)
        };
        if unseen
            .iter()
            .chain(&before.unseen_and_seen().0)
            .any(had_turn)
        {
            return true;
        }
        if self
            .game
            .brief()
            .current
            .iter()
            .any(|id| unseen.contains(id))
        {
            return true;
        }
        // Who knows all but those.
        let seen = self.game.redacted(&owned(&*self.game, &seen));
        seen.brief()
            .pending
            .is_some_and(|pending| pending.is_someone())
    }

    /// The same after a note of the game master's.
    pub fn noted(&self) -> Self {
        self.send(
            &json!({"type": "note", "text": "for me alone"}),
            &mut Even(0),
        )
        .expect("a note is accepted")
        .0
    }

    /// Why a player's command is refused, as the player reads it.
    pub fn refusals(&self, command: &Value) -> Vec<String> {
        let Ok(request) = Request::read(command.clone()) else {
            return Vec::new();
        };
        audiences(&self.own)
            .iter()
            .map(|(_, own)| format!("{:?}", self.game.examine(own, &request, &|| false).err()))
            .collect()
    }

    /// The state that the log leads to is the one that was kept.
    pub fn folds(&self, decided: &Decided) {
        let folded = self
            .game
            .fold(&entry(decided))
            .expect("an entry that folds")
            .document()
            .expect("a document");
        assert_eq!(
            folded,
            decided.next.document().expect("a document"),
            "the log folds to the state"
        );
    }

    /// Property 3, for a transition.
    fn counts(&self, after: &[Sight]) -> Result<(), String> {
        for (before, after) in self.sights(None).iter().zip(after) {
            let has_entry = after.entry.is_some();
            let unnumbered = |sight: &Sight| {
                let number = format!("\"version\":{}", sight.version);
                (
                    sight.view.replacen(&number, "", 1),
                    sight.text.clone(),
                    sight.brief.clone(),
                )
            };
            if after.version - before.version != 1 {
                return Err(format!("from {} to {}", before.version, after.version));
            }
            if !has_entry && unnumbered(before) != unnumbered(after) {
                return Err(format!(
                    "without an entry, but\n  {}\n  {}",
                    before.view, after.view
                ));
            }
        }
        Ok(())
    }
}

/// Whether the same is shown with the hidden and without them; an error is the first difference.
pub fn alike(with: &[Sight], without: &[Sight]) -> Result<(), String> {
    for (a, b) in with.iter().zip(without) {
        let parts = |sight: &Sight| {
            let Sight {
                version,
                view,
                text,
                options,
                brief,
                entry,
            } = sight.clone();
            [
                version.to_string(),
                view,
                text,
                options,
                brief,
                format!("{entry:?}"),
            ]
        };
        if let Some((a, b)) = parts(a).into_iter().zip(parts(b)).find(|(a, b)| a != b) {
            let [a, b] = around_difference(&a, &b);
            return Err(format!("\n    {a}\n    {b}"));
        }
    }
    Ok(())
}

/// Both texts near the first character in which they differ.
fn around_difference(a: &str, b: &str) -> [String; 2] {
    let mut pairs = a.chars().zip(b.chars());
    let same = pairs.position(|(a, b)| a != b).unwrap_or(0);
    [a, b].map(|text| {
        let near = text.chars().skip(same.saturating_sub(200));
        near.take(400).collect()
    })
}

/// A play at random of a subject.
struct Play<'s> {
    subject: &'s Subject,
    /// Whether the hidden are on a side of their own.
    apart: bool,
    /// Whether combatants take the ids of others that have left: hidden ones of seen ones, and the
    /// other way round.
    swaps: bool,
    /// Whether a player owns a hidden combatant.
    owned: bool,
    options: Value,
    chance: Chance,
    steps: Vec<String>,
}

impl Play<'_> {
    /// Combatants that are seen, and some that are not; most of the hidden are out of the fight, so
    /// that their turn never comes.
    fn cast(&mut self, visible: usize) -> (Vec<Value>, Vec<Value>) {
        let names: Vec<String> = (1..=visible).map(|n| format!("c{n}")).collect();
        let mut seen: Vec<Value> = names
            .iter()
            .map(|id| self.subject.combatant(&mut self.chance, id, &names))
            .collect();
        let first = &mut seen[0];
        (first["side"], first["kind"]) = (json!("players"), json!("pc"));
        // Whom its player sees, and the onlooker does not.
        if self.chance.percent(25) {
            seen[1]["hidden"] = json!(true);
        }
        let hidden = (1..=1 + self.chance.below(2)).map(|n| self.hidden(&format!("h{n}"), &names));
        let mut hidden: Vec<Value> = hidden.collect();
        // A crowd rolls as one: the owner of one of its hidden combatants sees the roll (decision
        // 9).
        self.owned = seen[1]["hidden"] == true;
        if self.owned {
            for one in hidden.iter_mut().filter_map(Value::as_object_mut) {
                one.retain(|field, _| !["crowd", "group", "roll_group"].contains(&field.as_str()));
            }
        }
        (seen, hidden)
    }

    /// Somebody hidden.
    fn hidden(&mut self, id: &str, names: &[String]) -> Value {
        let mut one = self.subject.combatant(&mut self.chance, id, names);
        one["hidden"] = json!(true);
        one["side"] = self.side();
        one["kind"] = json!(self.chance.pick(&["npc", "npc", "pc"]).expect("a kind"));
        // With others there is no beginning.
        if one.get("worthy_foe").is_some() {
            one["worthy_foe"] = json!(true);
        }
        if self.chance.percent(70) {
            one["conditions"] = json!(["dead"]);
        }
        one
    }

    /// The side of one who is hidden: one of which nobody else is, or any.
    fn side(&mut self) -> Value {
        let sides = ["shadows", "monsters", "players", "npc", "wolves"];
        json!(if self.apart {
            "shadows"
        } else {
            self.chance.pick(&sides).expect("a side")
        })
    }

    fn creation(&mut self, combatants: Vec<Value>, foe_hp: &str) -> Value {
        json!({"ruleset": self.subject.id, "options": self.options, "combatants": combatants, "foe_hp": foe_hp})
    }

    /// A command that touches nobody but the hidden, or only the game master's notes.
    fn secret(&mut self) -> Value {
        let h = json!(self.chance.pick(&["h1", "h2"]).expect("a name"));
        match self.chance.below(13) {
            0 => json!({"type": "damage", "target": h, "amount": 0}),
            1 => json!({"type": "heal", "target": h, "amount": 2}),
            2 => json!({"type": "set_condition", "target": h, "condition": "marked"}),
            3 => json!({"type": "clear_condition", "target": h, "condition": "marked"}),
            4 => json!({"type": "add_effect", "effect": {"id": "rage", "name": "Rage", "target": h,
                "expires": {"at": "round_end", "rounds": 2}}}),
            5 => {
                json!({"type": "add_effect", "effect": {"id": "doom", "name": "Doom", "target": "c1", "hidden": true,
                "expires": {"at": "round_end", "rounds": 1}}})
            }
            6 => json!({"type": "note", "text": "they do not see it"}),
            7 => {
                json!({"type": "update_combatant", "combatant": h, "changes": {"name": "Stalker", "controller": "me"}})
            }
            8 => {
                json!({"type": "update_combatant", "combatant": h, "changes": {"side": self.side()}})
            }
            9 => json!({"type": "remove_combatant", "combatant": h}),
            10 => json!({"type": "set_condition", "target": h, "condition": "dead"}),
            11 => json!({"type": "clear_condition", "target": h, "condition": "dead"}),
            _ => {
                let ids: &[&str] = if self.swaps {
                    &["h1", "h2", "c2", "c3", "c7", "c8"]
                } else {
                    &["h1", "h2"]
                };
                let id = *self.chance.pick(ids).expect("a name");
                let one = self.hidden(id, &[]);
                json!({"type": "add_combatant", "details": one})
            }
        }
    }

    /// An effect on a combatant that is seen, from one of any, whose turns it counts.
    fn effect(&mut self) -> Value {
        let source = *self
            .chance
            .pick(&["c1", "c2", "c3", "c7", "c8", "h1"])
            .expect("a name");
        let at = *self
            .chance
            .pick(&["turn_start", "turn_end"])
            .expect("a moment");
        let expires = json!({"at": at, "of": source, "turns": 1 + self.chance.below(3)});
        json!({"type": "add_effect", "effect": {"name": "Hex", "target": "c1", "source": source, "expires": expires}})
    }

    /// A command of the game master's about combatants that are seen.
    fn open(&mut self, stage: &Stage) -> Value {
        let legal_commands =
            stage
                .game
                .options(&viewer(Role::Gm, &[]), &OptionsFilter::all(), 0, &|| false);
        let common = [
            "note",
            "end_encounter",
            "override",
            "undo",
            "redo",
            "add_combatant",
            "add_effect",
        ];
        let own: Vec<_> = legal_commands
            .iter()
            .filter(|o| !common.contains(&o.command["type"].as_str().unwrap_or("")))
            .collect();
        if self.swaps && self.chance.percent(15) {
            let id = *self
                .chance
                .pick(&["c2", "c3", "c7", "c8", "h1"])
                .expect("a name");
            let left = json!({"type": "remove_combatant", "combatant": id});
            return if self.chance.percent(50) {
                self.effect()
            } else {
                left
            };
        }
        match self.chance.below(20) {
            0 => json!({"type": "note", "text": "all may read it", "readers": "all"}),
            1 => json!({"type": "add_effect", "effect": {"name": "Bless", "target": "c1",
                "expires": {"at": "round_end", "rounds": 2}}}),
            2 => json!({"type": "override", "combatant": "c1"}),
            3 => {
                json!({"type": "update_combatant", "combatant": "c1", "changes": {"name": "Somebody"}})
            }
            4 => {
                let ids: &[&str] = if self.swaps {
                    &["c2", "c3", "c7", "c8", "h1", "h2"]
                } else {
                    &["c7", "c8", "c9"]
                };
                let id = *self.chance.pick(ids).expect("a name");
                let sides = ["players", "players", "monsters", "wolves", "npc", "shadows"];
                let side = self.chance.pick(&sides).expect("a side");
                let mut newcomer = match self.chance.percent(60) {
                    true => self.subject.combatant(
                        &mut self.chance,
                        id,
                        &["c1", "c2", "c3"].map(str::to_owned),
                    ),
                    false => json!({"id": id}),
                };
                newcomer["side"] = json!(side);
                json!({"type": "add_combatant", "details": newcomer})
            }
            _ => {
                let turns: Vec<_> = own
                    .iter()
                    .copied()
                    .filter(|o| !o.command.to_string().contains("_condition"))
                    .collect();
                let pool = if self.chance.percent(70) && !turns.is_empty() {
                    turns
                } else {
                    own
                };
                let mut command = self
                    .chance
                    .pick(&pool)
                    .map(|o| self.chance.fill(o))
                    .unwrap_or(json!({"type": "start"}));
                // As in `cast`: the owner of one sees the roll of all enemies (decision 9).
                if self.owned && command["enemies"] == "together" {
                    command["enemies"] = json!("apart");
                }
                command
            }
        }
    }

    /// Property 1.
    fn without_the_hidden(&mut self) -> Result<(), String> {
        self.swaps = self.chance.percent(50);
        let visible = 2 + self.chance.below(4);
        let (seen, hidden) = self.cast(visible);
        let foe_hp = *self
            .chance
            .pick(&["exact", "exact", "banded", "none"])
            .expect("a choice");
        let mut all = seen.clone();
        for one in hidden {
            let at = self.chance.below(all.len() + 1);
            all.insert(at, one);
        }
        let (with, without) = (self.creation(all, foe_hp), self.creation(seen, foe_hp));
        self.steps.push(with.to_string());
        let (Some(mut with), Some(mut without)) = (Stage::create(&with), Stage::create(&without))
        else {
            return Ok(());
        };
        alike(&with.sights(None), &without.sights(None))?;
        let mut past = vec![(with.clone(), without.clone())];
        for step in 0..40 {
            if self.chance.percent(40) {
                let secret = self.secret();
                if with.shows_target(&secret) {
                    continue;
                }
                let Some((next, decided)) = with.send(&secret, &mut Even(step)) else {
                    continue;
                };
                // What gives one of the hidden the turn is left undone.
                if next.someone(&with, &decided) {
                    continue;
                }
                self.steps.push(secret.to_string());
                with.folds(&decided);
                with.counts(&next.sights(Some((&decided, &secret))))?;
                with = next;
                without = without.noted();
                alike(&with.sights(None), &without.sights(None))?;
                continue;
            }
            let command = self.open(&without);
            let (a, b) = (with.refusals(&command), without.refusals(&command));
            if a != b {
                self.steps.push(format!("(tried) {command}"));
                return Err(format!("refusals\n    {a:?}\n    {b:?}"));
            }
            let dice = step.wrapping_mul(7);
            let (a, b) = (
                with.send(&command, &mut Even(dice)),
                without.send(&command, &mut Even(dice)),
            );
            // What one of them refuses the game master does not do.
            let (Some((next, decided)), Some((next_without, decided_without))) = (a, b) else {
                continue;
            };
            self.steps.push(command.to_string());
            with.folds(&decided);
            let sights = next.sights(Some((&decided, &command)));
            with.counts(&sights)?;
            if next.someone(&with, &decided) {
                return Ok(());
            }
            alike(
                &sights,
                &next_without.sights(Some((&decided_without, &command))),
            )?;
            (with, without) = (next, next_without);
            past.push((with.clone(), without.clone()));
            if self.chance.percent(5) {
                let (to, to_without) = self.chance.pick(&past).expect("a past").clone();
                let undone = with.undo(&to).zip(without.undo(&to_without));
                let Some((a, b)) = undone else { continue };
                self.steps.push(format!(
                    "undo to {} ({})",
                    to.game.version(),
                    to_without.game.version()
                ));
                let command = json!({"type": "undo"});
                let sights = a.0.sights(Some((&a.1, &command)));
                with.counts(&sights)?;
                alike(&sights, &b.0.sights(Some((&b.1, &command))))?;
                (with, without) = (a.0, b.0);
            }
        }
        Ok(())
    }

    /// Property 2.
    fn with_others_hidden(&mut self) -> Result<(), String> {
        let visible = 2 + self.chance.below(3);
        let (seen, mut hidden) = self.cast(visible);
        for one in &mut hidden {
            one["conditions"] = json!([]);
            one["hp"] = json!({"current": 999_999});
        }
        let creation = self.creation([seen, hidden].concat(), "exact");
        self.steps.push(creation.to_string());
        let (Some(mut one), Some(mut other)) =
            (Stage::create(&creation), Stage::create(&renamed(&creation)))
        else {
            return Ok(());
        };
        for _ in 0..60 {
            let command = if self.chance.percent(15) {
                self.secret()
            } else {
                self.open(&one)
            };
            let seed = self.chance.seed();
            let dice = || Lasting(Chance::new(seed));
            let (a, b) = (
                one.send(&command, &mut dice()),
                other.send(&renamed(&command), &mut dice()),
            );
            let (Some((next, decided)), Some((next_other, decided_other))) = (a, b) else {
                continue;
            };
            self.steps.push(command.to_string());
            one.folds(&decided);
            let sights = next.sights(Some((&decided, &command)));
            one.counts(&sights)?;
            alike(
                &sights,
                &next_other.sights(Some((&decided_other, &renamed(&command)))),
            )?;
            let shown = format!("{sights:?}");
            let names = ["\\\"h1\\\"", "\\\"h2\\\"", "h1 ", "Stalker"];
            if let Some(name) = names.iter().find(|name| shown.contains(**name)) {
                return Err(format!("{name} is named: {}", short(&json!(shown))));
            }
            (one, other) = (next, next_other);
        }
        Ok(())
    }
}

/// The same with others who are hidden: other ids, names and hit points.
fn renamed(value: &Value) -> Value {
    let text = value
        .to_string()
        .replace("\"h1\"", "\"zorn\"")
        .replace("\"h2\"", "\"apis\"");
    let text = text
        .replace("Stalker", "Watcher")
        .replace("{\"current\":999999}", "{\"current\":1000000}");
    serde_json::from_str(&text).expect("JSON")
}

impl Stage {
    /// Back to an earlier state.
    fn undo(&self, to: &Self) -> Option<(Self, Decided)> {
        let request =
            Request::read(json!({"type": "undo", "to_version": to.game.version()})).ok()?;
        let rewind = self.game.rewind_target(&request).ok()??;
        let decided = self
            .game
            .rewind(&[], &rewind, &*to.game, time_after(&*self.game))
            .ok()?;
        Some((
            Self {
                game: decided.next.clone(),
                own: self.own.clone(),
            },
            decided,
        ))
    }
}

fn hold(property: fn(&mut Play<'_>) -> Result<(), String>) {
    let mut leaks = Vec::new();
    for subject in subjects() {
        let leak = |seed: u64| {
            let (mut chance, apart) = (Chance::new(seed), seed.is_multiple_of(2));
            let options = if subject.id == "custom" {
                definitions::without_cards(&mut chance)
            } else {
                json!({})
            };
            let mut play = Play {
                subject: &subject,
                apart,
                swaps: false,
                owned: false,
                options,
                chance,
                steps: Vec::new(),
            };
            let leak = property(&mut play).err()?;
            let (id, steps) = (subject.id, play.steps.join("\n  "));
            Some((
                play.steps.len(),
                format!("{id} (TURNKEEPER_SEED={seed}): {leak}\n  {steps}"),
            ))
        };
        leaks.extend(
            numbers(PLAYS)
                .into_iter()
                .filter_map(leak)
                .min()
                .map(|(_, leak)| leak),
        );
    }
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
}

#[test]
fn a_play_with_hidden_combatants_shows_what_the_same_play_without_them_shows() {
    hold(|play| play.without_the_hidden());
}

#[test]
fn two_plays_that_differ_in_who_is_hidden_show_the_same() {
    hold(|play| play.with_others_hidden());
}

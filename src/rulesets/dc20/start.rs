//! The start of the fight: the Encounter DC (DC-1, DC-2), the act that started it (DC-3), the
//! checks (DC-4), who is surprised (DC-42), and the order of the turns (DC-13, DC-15, DC-16, DC-26,
//! DC-27, DC-29).

use super::check::{check_roller, make_check};
use super::fate_check::fate_check;
use super::lay::Laps;
use super::team::{can_add, is_enemy, is_pc, known_side, rotation, team};
use super::{Combatant, Dc20, Encounter, Play, Roll, Slot, Team};
use crate::vocabulary::{
    CombatantId, ConditionSet, D20, EncounterStarted, Fields, Fold, Int, LegalCommand,
    MAX_COMBATANTS, Property, Slug, Text, Values, Violation, command, event, field, require, word,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use utoipa::ToSchema;

/// Start the combat: players' characters check against the Encounter DC, which decides the first
/// turn.
#[command(gm, "Start the fight")]
pub struct Start {
    /// The Encounter DC (DC-2). Without it, the table gives one.
    pub dc: Option<Int<1, 60>>,
    /// The level in the table (DC-1); by default the highest level of the players' characters.
    pub level: Option<Int<1, 20>>,
    /// The difficulty in the table (DC-1); by default `normal`.
    pub difficulty: Option<Difficulty>,
    /// The natural d20s rolled at the table, by player's character. They replace dice rolled before
    /// the start. The server rolls the missing ones (DC-4).
    #[default]
    #[advanced]
    pub rolls: BTreeMap<CombatantId, D20>,
    /// The unaware combatants: they are `surprised` until the end of their first turn (DC-42).
    #[default]
    pub surprised: Vec<CombatantId>,
    /// The unaware sides: all their combatants are `surprised` (DC-42).
    #[default]
    pub surprised_sides: Vec<Slug>,
    /// The side that is the first of several enemy teams; by default Fate Checks decide (DC-26).
    #[advanced]
    pub first_side: Option<Slug>,
    /// The d20s of the Fate Checks between enemy teams, as rolled at the table. The server rolls the
    /// others (DC-27).
    #[default]
    pub fate_dice: Vec<D20>,
    /// The act that started the fight (DC-3).
    #[advanced]
    pub aggression: Option<Aggression>,
}

/// An act that started the fight (DC-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Fields)]
#[serde(deny_unknown_fields)]
pub struct Aggression {
    /// The aggressor.
    pub combatant: CombatantId,
    /// The act in words.
    pub action: Text<200>,
    /// True if it was carried out before Initiative; else the aggressor takes it on the first turn.
    pub resolved: bool,
}

/// A column of the Encounter DC table.
#[word]
pub enum Difficulty {
    /// The lowest DC.
    Easy,
    /// 2 above easy.
    #[default]
    Normal,
    /// 4 above easy.
    Hard,
}

/// An act started the fight (DC-3).
#[event(
    "[{resolved}{combatant} {combatant:acts|act} before the fight: {action}.]\
     [{!resolved}{combatant} {combatant:starts|start} the fight and must act on the \
     first turn: {action}.]"
)]
pub struct AggressionDeclared {
    /// The combatant.
    pub combatant: CombatantId,
    /// The act in words.
    pub action: Text<200>,
    /// True if it was carried out before Initiative; else the aggressor takes it on the first turn.
    pub resolved: bool,
}

/// The Encounter DC is set (DC-2).
#[event("The Encounter DC is {dc}.")]
pub struct DcSet {
    /// The DC.
    pub dc: i64,
    /// The level, if the table gave the DC (DC-1).
    pub level: Option<u32>,
    /// The difficulty, if the table gave the DC.
    pub difficulty: Option<Difficulty>,
}

/// The Initiative Turns are laid out (DC-15, DC-16).
#[event("The first turn goes to {winner}.")]
pub struct OrderLaid {
    /// The number of successful Initiative Checks.
    #[schema(value_type = u32)]
    pub successes: usize,
    /// The number of PCs that count: half of them is enough (DC-13).
    #[schema(value_type = u32)]
    pub pcs: usize,
    /// The team of the first turn.
    pub winner: Team,
    /// The enemy teams in their rotation (DC-26).
    pub enemy_teams: Vec<Slug>,
    /// The enemy teams whose combatants are all hidden.
    #[default]
    pub unseen_teams: Vec<Slug>,
    /// The turns.
    pub slots: Vec<Slot>,
}

/// The easy column of the Encounter DC table (DC-1): the last level of each row, and its DC.
const EASY: [(i64, i64); 10] = [
    (2, 11),
    (4, 12),
    (6, 14),
    (8, 15),
    (10, 16),
    (12, 17),
    (14, 18),
    (16, 20),
    (18, 21),
    (20, 22),
];

/// The sides that are enemy teams, in the order of their joining.
struct EnemySides {
    /// Those of which all viewers see a combatant.
    seen: Vec<Slug>,
    /// Those whose combatants are all hidden.
    unseen: Vec<Slug>,
}

impl Start {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        check_fields(play, self)?;
        let mut sides = enemy_sides(play.encounter(), self)?;
        // Hidden characters count only if there are no others: else the DC, the winner and the turns
        // would reveal them.
        let mut counted = active_pcs(play.encounter(), false);
        let mut uncounted = active_pcs(play.encounter(), true);
        if counted.is_empty() {
            std::mem::swap(&mut counted, &mut uncounted);
        }
        let detail = "No player's character can roll. Add one on the side \"players\" first.";
        require(
            !counted.is_empty(),
            "no_player_characters",
            "DC-15a",
            || detail,
        )?;
        play.emit(EncounterStarted {});
        if let Some(aggression) = &self.aggression {
            play.emit(AggressionDeclared {
                combatant: aggression.combatant.clone(),
                action: aggression.action.clone(),
                resolved: aggression.resolved,
            });
        }
        surprise(play, self);
        set_dc(play, self, &counted);
        let mut successes = 0;
        for id in &counted {
            if make_check(play, id, self.rolls.get(id).copied()) {
                successes += 1;
            }
        }
        for id in &uncounted {
            make_check(play, id, self.rolls.get(id).copied());
        }
        rotate(play, self, &mut sides);
        lay_out(play, sides, successes, counted.len());
        Ok(())
    }
}

/// The players' characters in the fight: the hidden ones, or the others.
fn active_pcs(encounter: &Encounter, hidden: bool) -> Vec<CombatantId> {
    let mut pcs = Vec::new();
    for c in encounter.active() {
        if is_pc(c) && c.hidden == hidden {
            pcs.push(c.id.clone());
        }
    }
    pcs
}

/// Refuses a start whose fields contradict one another, or name what they may not.
fn check_fields(play: &Play<'_>, start: &Start) -> Result<(), Violation> {
    let looks_up = start.level.is_some() || start.difficulty.is_some();
    let one_way = start.dc.is_none() || !looks_up;
    require(
        one_way,
        "dc_or_level",
        field("dc"),
        || "The DC comes from \"dc\" or from the table by \"level\" and \"difficulty\". Send one of them.",
    )?;
    for id in start.rolls.keys() {
        check_roller(play.combatant("rolls", id)?)?;
    }
    for id in &start.surprised {
        play.combatant("surprised", id)?;
    }
    for side in &start.surprised_sides {
        known_side(play.encounter(), "surprised_sides", side)?;
    }
    if let Some(aggression) = &start.aggression {
        let id = &aggression.combatant;
        let aggressor = play.combatant("aggression.combatant", id)?;
        require(is_pc(aggressor), "not_a_pc", "DC-3", || {
            format!("{id} isn't a player's character. Name one.")
        })?;
    }
    Ok(())
}

/// The sides that are enemies. Refuses a `first_side` that is none, and dice that decide nothing.
fn enemy_sides(encounter: &Encounter, start: &Start) -> Result<EnemySides, Violation> {
    let mut seen = Vec::new();
    let mut shown = BTreeSet::new();
    for c in encounter.iter() {
        if is_enemy(c) && !c.hidden {
            shown.insert(&c.side);
            if can_add(&seen, &c.side) {
                seen.push(c.side.clone());
            }
        }
    }
    // A side is unseen only if all its combatants are hidden, also one that is seen and has no
    // turns of its own.
    let mut unseen = Vec::new();
    for c in encounter.iter() {
        if is_enemy(c) && c.hidden && !shown.contains(&c.side) && can_add(&unseen, &c.side) {
            unseen.push(c.side.clone());
        }
    }
    if let Some(first) = &start.first_side {
        let known = seen.contains(first) || unseen.contains(first);
        require(known, "unknown_team", field("first_side"), || {
            format!("No enemy team is on the side \"{first}\". Check the name.")
        })?;
    }
    let undecided = if start.first_side.is_some() {
        0
    } else {
        seen.len().saturating_sub(1)
    };
    let needed = start.fate_dice.len() <= undecided;
    require(needed, "too_many_dice", field("fate_dice"), || {
        format!(
            "At most {undecided} Fate Checks decide which enemy team is first. Send fewer dice."
        )
    })?;
    Ok(EnemySides { seen, unseen })
}

/// The unaware begin the fight surprised (DC-42).
fn surprise(play: &mut Play<'_>, start: &Start) {
    for combatant in unaware(play.encounter(), start) {
        play.emit(ConditionSet {
            combatant,
            member: None,
            condition: Slug::fixed("surprised"),
        });
    }
}

/// The combatants that the command surprises, and that are not surprised yet.
fn unaware(encounter: &Encounter, start: &Start) -> Vec<CombatantId> {
    let mut unaware = Vec::new();
    for c in encounter.iter() {
        let is_named = start.surprised.contains(&c.id) || start.surprised_sides.contains(&c.side);
        if is_named && !c.has("surprised") {
            unaware.push(c.id.clone());
        }
    }
    unaware
}

/// Sets the Encounter DC, given or looked up.
fn set_dc(play: &mut Play<'_>, start: &Start, pcs: &[CombatantId]) {
    if let Some(dc) = start.dc {
        return play.emit(DcSet {
            dc: dc.get(),
            level: None,
            difficulty: None,
        });
    }
    let level = match start.level {
        Some(level) => level,
        None => {
            let encounter = play.encounter();
            highest_level(pcs.iter().filter_map(|id| encounter.get(id)))
        }
    };
    let difficulty = start.difficulty.unwrap_or_default();
    let harder = match difficulty {
        Difficulty::Easy => 0,
        Difficulty::Normal => 2,
        Difficulty::Hard => 4,
    };
    play.emit(DcSet {
        dc: easy_dc(level) + harder,
        level: Some(level.count()),
        difficulty: Some(difficulty),
    });
}

/// The level of the highest of these characters: the usual row of the table.
fn highest_level<'t>(pcs: impl Iterator<Item = &'t Combatant>) -> Int<1, 20> {
    Int::clamped(pcs.map(|c| c.level_or_first()).max().unwrap_or(1))
}

fn easy_dc(level: Int<1, 20>) -> i64 {
    let row = EASY.iter().find(|(last, _)| level.get() <= *last);
    row.map_or(22, |(_, dc)| *dc)
}

/// Rotates the enemy teams, so that the first one is as the command or a Fate Check says (DC-26).
/// Unseen teams rotate apart: else they would show.
fn rotate(play: &mut Play<'_>, start: &Start, sides: &mut EnemySides) {
    if let Some(team) = &start.first_side {
        bring_first(&mut sides.seen, team);
        bring_first(&mut sides.unseen, team);
    } else {
        let first = first_by_fate(play, &start.fate_dice, &sides.seen);
        sides.seen.rotate_left(first);
    }
}

fn bring_first(teams: &mut [Slug], first: &Slug) {
    if let Some(place) = teams.iter().position(|team| team == first) {
        teams.rotate_left(place);
    }
}

/// The place of the first team by Fate Checks: each is for the first of the remaining teams, and
/// the last one needs none (DC-26, DC-27).
fn first_by_fate(play: &mut Play<'_>, given: &[D20], teams: &[Slug]) -> usize {
    let last = teams.len().saturating_sub(1);
    for (place, team) in teams.iter().take(last).enumerate() {
        if fate_check(play, given.get(place).copied(), Some(team.clone())) {
            return place;
        }
    }
    last
}

/// Lays out a turn of each team for each PC, important NPCs included (DC-15, DC-29), alternately
/// from the winner on (DC-16).
fn lay_out(play: &mut Play<'_>, sides: EnemySides, successes: usize, pcs: usize) {
    let encounter = play.encounter();
    let winner = if 2 * successes >= pcs {
        Team::Pc
    } else {
        Team::Enemy(1)
    };
    let members = match count_members(encounter, false) {
        0 => count_members(encounter, true),
        seen => seen,
    };
    let mut laps = Laps::new(rotation(sides.seen.len(), sides.unseen.len(), winner));
    for _ in 0..members {
        laps.add(Team::Pc);
        laps.add(Team::Enemy(1));
    }
    laps.add_other_teams(encounter, &sides.seen, &sides.unseen);
    play.emit(OrderLaid {
        successes,
        pcs,
        winner,
        enemy_teams: sides.seen,
        unseen_teams: sides.unseen,
        slots: laps.into_slots(),
    });
}

/// The number of active members of the PC team: the hidden ones, or the others.
fn count_members(encounter: &Encounter, hidden: bool) -> usize {
    let mut members = 0;
    for c in encounter.active() {
        if c.hidden == hidden && team(&encounter.state, c) == Team::Pc {
            members += 1;
        }
    }
    members
}

impl AggressionDeclared {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        if !self.resolved {
            fold.change_state(&self.combatant, |s| s.committed = Some(self.action.clone()));
        }
    }
}

impl DcSet {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        fold.state().dc = Some(self.dc);
    }
}

impl OrderLaid {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        fold.state().winner = Some(self.winner);
        fold.state().enemy_teams = self.enemy_teams.clone();
        fold.state().unseen_teams = self.unseen_teams.clone();
        fold.state().slots = Arc::new(self.slots.clone());
    }
}

pub(super) fn options(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let mut sides = BTreeSet::new();
    for c in encounter.iter() {
        if is_enemy(c) {
            sides.insert(c.side.as_str());
        }
    }
    let level = highest_level(encounter.active().filter(|c| is_pc(c)));
    let looked_up = with_start_fields(encounter, &sides, "DC-1")
        .labelled(format!("Start with the DC for level {}", level.get()));
    let usual = json!(Difficulty::default());
    legal.push(looked_up.without(&["dc"]).or("difficulty", usual));
    let given =
        with_start_fields(encounter, &sides, "DC-2").labelled("Start with a DC of your own");
    legal.push(given.without(&["level", "difficulty"]).required("dc"));
    for c in encounter.active() {
        if is_pc(c) && c.state.rolled.is_empty() {
            legal.push(LegalCommand::by::<Roll>(&c.id, "DC-4"));
        }
    }
}

/// The start of the fight by this rule, with what depends on who is there.
fn with_start_fields(
    encounter: &Encounter,
    sides: &BTreeSet<&str>,
    rule: &'static str,
) -> LegalCommand {
    let players = || encounter.active().filter(|c| is_pc(c)).map(|c| &c.id);
    let mut aggression = vec![Property::required(
        "combatant",
        Values::combatants(players()),
    )];
    aggression.extend(Aggression::all_but(&[]));
    let fighters = || Values::combatants(encounter.active().map(|c| &c.id));
    let all_sides: BTreeSet<_> = encounter.iter().map(|c| c.side.as_str()).collect();
    LegalCommand::of::<Start>(rule)
        .open("rolls", Values::by_combatant(players(), D20::any()))
        .open("surprised", Values::list(fighters(), MAX_COMBATANTS))
        .open(
            "surprised_sides",
            Values::list(Values::words(all_sides), MAX_COMBATANTS),
        )
        .open("first_side", Values::words(sides.iter().copied()))
        .object("aggression", aggression)
}

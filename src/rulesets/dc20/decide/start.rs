//! Initiative: the Encounter DC, the checks, and the order of the teams' turns.

use super::known_side;
use crate::rulesets::dc20::lay::Laps;
use crate::rulesets::dc20::team::{can_add, is_enemy, is_pc, rotation, team};
use crate::rulesets::dc20::{
    AggressionDeclared, Check, CheckMade, Combatant, Critical, DcSet, Difficulty, Encounter,
    FateChecked, OrderLaid, Play, Roll, Rolled, Start, Team,
};
use crate::vocabulary::{
    CombatantId, ConditionSet, D20, Die, EncounterStarted, Int, Slug, Status, Violation, field,
    require,
};
use std::collections::BTreeSet;

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

pub(super) fn start(play: &mut Play<'_>, c: &Start) -> Result<(), Violation> {
    check_fields(play, c)?;
    let mut sides = enemy_sides(play.encounter(), c)?;
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
    if let Some(aggression) = &c.aggression {
        play.emit(AggressionDeclared {
            combatant: aggression.combatant.clone(),
            action: aggression.action.clone(),
            resolved: aggression.resolved,
        });
    }
    surprise(play, c);
    set_dc(play, c, &counted);
    let mut successes = 0;
    for id in &counted {
        if make_check(play, id, c.rolls.get(id).copied()) {
            successes += 1;
        }
    }
    for id in &uncounted {
        make_check(play, id, c.rolls.get(id).copied());
    }
    rotate(play, c, &mut sides);
    lay_out(play, sides, successes, counted.len());
    Ok(())
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
fn check_fields(play: &Play<'_>, c: &Start) -> Result<(), Violation> {
    let looks_up = c.level.is_some() || c.difficulty.is_some();
    let one_way = c.dc.is_none() || !looks_up;
    require(
        one_way,
        "dc_or_level",
        field("dc"),
        || "The DC comes from \"dc\" or from the table by \"level\" and \"difficulty\". Send one of them.",
    )?;
    for id in c.rolls.keys() {
        check_roller(play.combatant("rolls", id)?)?;
    }
    for id in &c.surprised {
        play.combatant("surprised", id)?;
    }
    for side in &c.surprised_sides {
        known_side(play.encounter(), "surprised_sides", side)?;
    }
    if let Some(aggression) = &c.aggression {
        let id = &aggression.combatant;
        let aggressor = play.combatant("aggression.combatant", id)?;
        require(is_pc(aggressor), "not_a_pc", "DC-3", || {
            format!("{id} isn't a player's character. Name one.")
        })?;
    }
    Ok(())
}

/// The sides that are enemies. Refuses a `first_side` that is none, and dice that decide nothing.
fn enemy_sides(encounter: &Encounter, c: &Start) -> Result<EnemySides, Violation> {
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
    if let Some(first) = &c.first_side {
        let known = seen.contains(first) || unseen.contains(first);
        require(known, "unknown_team", field("first_side"), || {
            format!("No enemy team is on the side \"{first}\". Check the name.")
        })?;
    }
    let undecided = if c.first_side.is_some() {
        0
    } else {
        seen.len().saturating_sub(1)
    };
    let needed = c.fate_dice.len() <= undecided;
    require(needed, "too_many_dice", field("fate_dice"), || {
        format!(
            "At most {undecided} Fate Checks decide which enemy team is first. Send fewer dice."
        )
    })?;
    Ok(EnemySides { seen, unseen })
}

/// The unaware begin the fight surprised (DC-42).
fn surprise(play: &mut Play<'_>, c: &Start) {
    for combatant in unaware(play.encounter(), c) {
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
fn set_dc(play: &mut Play<'_>, c: &Start, pcs: &[CombatantId]) {
    if let Some(dc) = c.dc {
        return play.emit(DcSet {
            dc: dc.get(),
            level: None,
            difficulty: None,
        });
    }
    let level = match c.level {
        Some(level) => level,
        None => highest_level(play.encounter(), pcs),
    };
    let difficulty = c.difficulty.unwrap_or_default();
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
fn highest_level(encounter: &Encounter, pcs: &[CombatantId]) -> Int<1, 20> {
    let mut highest = Int::default();
    for c in pcs.iter().filter_map(|id| encounter.get(id)) {
        highest = highest.max(c.stats.level);
    }
    highest
}

fn easy_dc(level: Int<1, 20>) -> i64 {
    let row = EASY.iter().find(|(last, _)| level.get() <= *last);
    row.map_or(22, |(_, dc)| *dc)
}

/// A player rolls the Initiative Check of one character. Before the start these are only its dice:
/// the DC is not known yet.
pub(super) fn roll(play: &mut Play<'_>, c: &Roll) -> Result<(), Violation> {
    let id = &c.combatant;
    let roller = play.combatant("combatant", id)?;
    check_roller(roller)?;
    let checked = roller.state.check.is_some() || !roller.state.rolled.is_empty();
    require(!checked, "already_checked", "DC-4", || {
        format!("{id} has already rolled the Initiative Check. Each character rolls once.")
    })?;
    if play.encounter().status == Status::Setup {
        let dice = check_dice(play, id, c.roll);
        play.emit(Rolled {
            combatant: id.clone(),
            dice,
        });
    } else {
        make_check(play, id, c.roll);
    }
    Ok(())
}

/// The dice of an Initiative Check: given, else those that its player rolled before the start, else
/// rolled by the server with ADV or DisADV (DC-47).
fn check_dice(play: &mut Play<'_>, id: &CombatantId, given: Option<D20>) -> Vec<Die> {
    let Some(c) = play.encounter().get(id) else {
        return Vec::new();
    };
    if given.is_some() {
        return vec![play.die(given)];
    }
    if !c.state.rolled.is_empty() {
        return c.state.rolled.clone();
    }
    let extra = c.stats.initiative_adv.get().unsigned_abs();
    (0..=extra).map(|_| play.roll(20)).collect()
}

/// Refuses a combatant that makes no Initiative Check (DC-4).
fn check_roller(c: &Combatant) -> Result<(), Violation> {
    require(is_pc(c) && c.active(), "no_check", "DC-4", || {
        format!(
            "{} makes no Initiative Check. Name a player's character in the fight.",
            c.id
        )
    })
}

/// Makes an Initiative Check (DC-4), and returns whether it succeeded. A natural 20 or 1 decides
/// whatever the total (DC-9a).
fn make_check(play: &mut Play<'_>, id: &CombatantId, given: Option<D20>) -> bool {
    let Some(stats) = play.encounter().get(id).map(|c| c.stats.clone()) else {
        return false;
    };
    let dice = check_dice(play, id, given);
    let faces = dice.iter().map(|die| die.face);
    let counting = if stats.initiative_adv.get() < 0 {
        faces.min()
    } else {
        faces.max()
    };
    let natural = counting.unwrap_or(1);
    let mastery = (stats.level.get() + 1) / 2;
    let bonus = mastery + stats.agility.get() + stats.initiative_bonus.get();
    let total = i64::from(natural) + bonus;
    let dc = play.encounter().state.dc.unwrap_or_default();
    let beaten = if play.encounter().options.strict_beat {
        total > dc
    } else {
        total >= dc
    };
    let (critical, success) = match natural {
        20 => (Critical::Success, true),
        1 => (Critical::Failure, false),
        _ => (Critical::None, beaten),
    };
    let by_round_one = play.encounter().round <= 1;
    play.emit(CheckMade {
        combatant: id.clone(),
        round_one_adv: by_round_one && critical == Critical::Success,
        attacked_with_adv: by_round_one && critical == Critical::Failure,
        check: Check {
            dice,
            natural,
            bonus,
            total,
            success,
            critical,
        },
    });
    success
}

/// Rotates the enemy teams, so that the first one is as the command or a Fate Check says (DC-26).
/// Unseen teams rotate apart: else they would show.
fn rotate(play: &mut Play<'_>, c: &Start, sides: &mut EnemySides) {
    if let Some(team) = &c.first_side {
        bring_first(&mut sides.seen, team);
        bring_first(&mut sides.unseen, team);
    } else {
        let first = first_by_fate(play, &c.fate_dice, &sides.seen);
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

/// Makes a Fate Check, and returns whether it is high (DC-27).
pub(super) fn fate_check(play: &mut Play<'_>, given: Option<D20>, side: Option<Slug>) -> bool {
    let die = play.die(given);
    let high = die.face >= 10;
    play.emit(FateChecked { die, high, side });
    high
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

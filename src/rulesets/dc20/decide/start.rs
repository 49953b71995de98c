//! Initiative: the Encounter DC, the checks, and the order of the teams' turns.

use super::super::flow::advance;
use super::super::team::{MAX_ENEMY_TEAMS, is_enemy, is_pc, rotation, slot_id, team};
use super::super::*;
use crate::vocabulary::{ConditionSet, D20, Die, EncounterStarted, SharedEvent, Slug, Status};

/// The easy column of the Encounter DC table (DC-1); each row holds for two levels.
const EASY: [i64; 10] = [11, 12, 14, 15, 16, 17, 18, 20, 21, 22];

pub(super) fn start(play: &mut Combat<'_>, c: &Start) -> Result<(), Violation> {
    if play.table().status != Status::Setup {
        return Err(Violation::new("already_started", "DC-31", "the encounter has started already"));
    }
    let sides = sound(play, c)?;
    let pcs: Vec<CombatantId> = play.table().active().filter(|c| is_pc(c)).map(|c| c.id.clone()).collect();
    if pcs.is_empty() {
        let detail = "there is no player's character who could roll: add one on the side players first";
        return Err(Violation::new("no_player_characters", "ADC17", detail));
    }
    play.shared(SharedEvent::EncounterStarted(EncounterStarted {}));
    if let Some(Aggression { combatant, action, resolved }) = c.aggression.clone() {
        play.own(Event::Aggressed(Aggressed { combatant, action, resolved }));
    }
    surprise(play, &c.surprised);
    let dc = set_dc(play, c, &pcs);
    let successes = pcs.iter().filter(|id| check(play, id, dc, c.rolls.get(*id).copied())).count();
    let teams = rotate(play, c, sides);
    lay_out(play, teams, successes, pcs.len());
    advance(play);
    Ok(())
}

/// Refuses what makes no sense here; the sides that are enemies, in the order of their joining, those of which nobody is seen last.
fn sound(play: &Combat<'_>, c: &Start) -> Result<Vec<Slug>, Violation> {
    if c.dc.is_some() && (c.level.is_some() || c.difficulty.is_some()) {
        let detail = "either the DC is given (`dc`) or it is looked up (`level`, `difficulty`), not both";
        return Err(Violation::field("dc_or_table", "dc", detail));
    }
    for id in c.rolls.keys() {
        let roller = play.combatant("rolls", id)?;
        if !is_pc(roller) || !roller.active() {
            let detail = format!("{id} makes no Initiative Check: only players' characters in the fight do");
            return Err(Violation::new("no_check", "DC-4", detail));
        }
    }
    for id in &c.surprised {
        play.combatant("surprised", id)?;
    }
    if let Some(aggression) = &c.aggression {
        let aggressor = play.combatant("aggression.combatant", &aggression.combatant)?;
        if !is_pc(aggressor) {
            let detail = format!("{} is no player's character", aggressor.id);
            return Err(Violation::new("not_a_pc", "DC-3", detail));
        }
    }
    let mut sides: Vec<Slug> = Vec::new();
    let enemies = || play.table().iter().filter(|c| is_enemy(c));
    for c in enemies().filter(|c| !c.hidden).chain(enemies()) {
        if sides.len() < MAX_ENEMY_TEAMS && !sides.contains(&c.side) {
            sides.push(c.side.clone());
        }
    }
    if let Some(first) = c.first_team.as_ref().filter(|first| !sides.contains(first)) {
        return Err(Violation::field(
            "unknown_team",
            "first_team",
            format!("{first} is no enemy team of this encounter"),
        ));
    }
    let undecided = if c.first_team.is_some() { 0 } else { seen(play.table(), &sides).saturating_sub(1) };
    if c.fate.len() > undecided {
        let detail = format!("{undecided} Fate Checks at most decide which enemy team is first");
        return Err(Violation::field("too_many_dice", "fate", detail));
    }
    Ok(sides)
}

/// How many of the sides decide by Fate Checks which of them is first: a team of which nobody is seen is not first by chance, which
/// would tell that it is there.
fn seen(table: &Table, sides: &[Slug]) -> usize {
    let seen = |side: &&Slug| table.iter().any(|c| is_enemy(c) && !c.hidden && c.side == **side);
    match sides.iter().filter(seen).count() {
        0 => sides.len(),
        seen => seen,
    }
}

fn surprise(play: &mut Combat<'_>, who: &[CombatantId]) {
    let condition = Slug::fixed("surprised");
    for combatant in who {
        if play.table().get(combatant).is_some_and(|c| !c.conditions.contains(&condition)) {
            let (combatant, condition) = (combatant.clone(), condition.clone());
            play.shared(SharedEvent::ConditionSet(ConditionSet { combatant, member: None, condition }));
        }
    }
}

/// The Encounter DC, given or looked up.
fn set_dc(play: &mut Combat<'_>, c: &Start, pcs: &[CombatantId]) -> i64 {
    if let Some(dc) = c.dc {
        play.own(Event::DcSet(DcSet { dc: dc.get(), level: None, difficulty: None }));
        return dc.get();
    }
    let highest = pcs.iter().filter_map(|id| play.table().get(id)).map(|c| c.stats.level).max();
    let level = c.level.or(highest).unwrap_or_default().get();
    let difficulty = c.difficulty.unwrap_or_default();
    let row = usize::try_from((level - 1) / 2).unwrap_or(0);
    let harder = match difficulty {
        Difficulty::Easy => 0,
        Difficulty::Normal => 2,
        Difficulty::Hard => 4,
    };
    let dc = EASY.get(row).copied().unwrap_or(22) + harder;
    let level = u32::try_from(level).ok();
    play.own(Event::DcSet(DcSet { dc, level, difficulty: Some(difficulty) }));
    dc
}

/// Makes an Initiative Check (DC-4); whether it succeeded. The natural 20 and 1 settle it whatever the total (ADC2).
fn check(play: &mut Combat<'_>, id: &CombatantId, dc: i64, given: Option<D20>) -> bool {
    let Some(stats) = play.table().get(id).map(|c| c.stats.clone()) else { return false };
    let adv = stats.initiative_adv.get();
    let extra = if given.is_some() { 0 } else { adv.unsigned_abs() };
    let dice: Vec<Die> = (0..=extra).map(|_| play.die(given)).collect();
    let faces = dice.iter().map(|die| die.face);
    let natural = if adv < 0 { faces.min() } else { faces.max() }.unwrap_or(1);
    let mastery = (stats.level.get() + 1) / 2;
    let bonus = mastery + stats.agility.get() + stats.initiative_bonus.get();
    let total = i64::from(natural) + bonus;
    let beaten = if play.table().options.strict_beat { total > dc } else { total >= dc };
    let critical = match natural {
        20 => Critical::Success,
        1 => Critical::Failure,
        _ => Critical::None,
    };
    let success = match critical {
        Critical::Success => true,
        Critical::Failure => false,
        Critical::None => beaten,
    };
    let check = Check { dice, natural, bonus, total, success, critical };
    play.own(Event::CheckMade(CheckMade { combatant: id.clone(), check }));
    success
}

/// The enemy teams, the first of their rotation first: as the game master says, else by one Fate Check after the other, each
/// for the first of those that are left (DC-26, DC-27).
fn rotate(play: &mut Combat<'_>, c: &Start, mut sides: Vec<Slug>) -> Vec<Slug> {
    let seen = seen(play.table(), &sides);
    let mut first = c.first_team.as_ref().and_then(|first| sides.iter().position(|side| side == first)).unwrap_or(0);
    if c.first_team.is_none() {
        let mut given = c.fate.iter().copied();
        while let Some(side) = sides.get(first).filter(|_| first + 1 < seen).cloned() {
            let die = play.die(given.next());
            let high = die.face >= 10;
            play.own(Event::FateChecked(FateChecked { die, high, team: Some(side) }));
            if high {
                break;
            }
            first += 1;
        }
    }
    if let Some(seen) = sides.get_mut(..seen).filter(|seen| first < seen.len()) {
        seen.rotate_left(first);
    } else if first < sides.len() {
        sides.rotate_left(first);
    }
    sides
}

/// As many turns for each team as there are PCs, important NPCs among them (DC-15, DC-29), alternately from the winner on (DC-16).
fn lay_out(play: &mut Combat<'_>, enemy_teams: Vec<Slug>, successes: usize, pcs: usize) {
    let table = play.table();
    let of = |wanted: Team| table.active().filter(|c| team(&table.state, c) == wanted).count();
    let (turns, npcs) = (of(Team::Pc), of(Team::Npc) > 0);
    let winner = if 2 * successes >= pcs { Team::Pc } else { Team::Enemy(1) };
    let mut teams = rotation(enemy_teams.len(), npcs);
    let first = teams.iter().position(|team| *team == winner).unwrap_or(0);
    teams.rotate_left(first);
    let slot = |n, team| Slot { id: slot_id(team, n), team, occupants: Vec::new(), removed: false };
    let slots = (1..=turns).flat_map(|n| teams.iter().map(move |team| slot(n, *team))).collect();
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let (successes, pcs) = (count(successes), count(pcs));
    play.own(Event::OrderLaid(OrderLaid { successes, pcs, winner, enemy_teams, slots }));
}

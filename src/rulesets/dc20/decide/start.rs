//! Initiative: the Encounter DC, the checks, and the order of the teams' turns.

use super::super::flow::advance;
use super::super::react::make_room;
use super::super::team::{MAX_ENEMY_TEAMS, is_enemy, is_pc, nth, of_the_hidden, rotation, team};
use super::super::*;
use super::settle;
use crate::vocabulary::{ConditionSet, D20, Die, EncounterStarted, Slug, Status};

/// The easy column of the Encounter DC table (DC-1); each row holds for two levels.
const EASY: [i64; 10] = [11, 12, 14, 15, 16, 17, 18, 20, 21, 22];

pub(super) fn start(play: &mut Combat<'_>, c: &Start) -> Result<(), Violation> {
    if play.table().status != Status::Setup {
        return Err(Violation::new("already_started", "DC-31", "the encounter has started already"));
    }
    let sides = sound(play, c)?;
    let mut pcs: Vec<(bool, CombatantId)> =
        play.table().active().filter(|c| is_pc(c)).map(|c| (c.hidden, c.id.clone())).collect();
    pcs.sort_by_key(|(hidden, _)| *hidden);
    let seen = pcs.iter().filter(|(hidden, _)| !hidden).count();
    let pcs: Vec<CombatantId> = pcs.into_iter().map(|(_, id)| id).collect();
    // The hidden would show in what all see of it: they count only where there is nobody else.
    let counted = if seen == 0 { pcs.len() } else { seen };
    if pcs.is_empty() {
        let detail = "there is no player's character who could roll: add one on the side players first";
        return Err(Violation::new("no_player_characters", "ADC17", detail));
    }
    play.shared(EncounterStarted {});
    if let Some(Aggression { combatant, action, resolved }) = c.aggression.clone() {
        play.own(Aggressed { combatant, action, resolved });
    }
    surprise(play, c);
    let dc = set_dc(play, c, pcs.get(..counted).unwrap_or_default());
    let checks: Vec<bool> = pcs.iter().map(|id| check(play, id, dc, c.rolls.get(id).copied())).collect();
    let successes = checks.iter().take(counted).filter(|success| **success).count();
    let sides = rotate(play, c, sides);
    lay_out(play, sides, successes, counted);
    make_room(play);
    advance(play);
    Ok(())
}

/// The sides that are enemies, in the order of their joining.
struct Sides {
    seen: Vec<Slug>,
    /// Those of which nobody is seen.
    unseen: Vec<Slug>,
}

/// Refuses what makes no sense here; the sides that are enemies.
fn sound(play: &Combat<'_>, c: &Start) -> Result<Sides, Violation> {
    if c.dc.is_some() && (c.level.is_some() || c.difficulty.is_some()) {
        let detail = "either the DC is given (`dc`) or it is looked up (`level`, `difficulty`), not both";
        return Err(Violation::field("dc_or_table", "dc", detail));
    }
    for id in c.rolls.keys() {
        let roller = play.combatant("rolls", id)?;
        if !is_pc(roller) || !roller.active() {
            return Err(no_check(id));
        }
    }
    for id in &c.surprised {
        play.combatant("surprised", id)?;
    }
    for side in &c.surprised_sides {
        if !play.table().iter().any(|c| c.side == *side) {
            let detail = format!("nobody is on the side {side}");
            return Err(Violation::field("unknown_side", "surprised_sides", detail));
        }
    }
    if let Some(aggression) = &c.aggression {
        let aggressor = play.combatant("aggression.combatant", &aggression.combatant)?;
        if !is_pc(aggressor) {
            let detail = format!("{} is no player's character", aggressor.id);
            return Err(Violation::new("not_a_pc", "DC-3", detail));
        }
    }
    let (mut seen, mut unseen): (Vec<Slug>, Vec<Slug>) = (Vec::new(), Vec::new());
    let (hidden, open): (Vec<_>, Vec<_>) = play.table().iter().filter(|c| is_enemy(c)).partition(|c| c.hidden);
    for c in open {
        if seen.len() < MAX_ENEMY_TEAMS && !seen.contains(&c.side) {
            seen.push(c.side.clone());
        }
    }
    for c in hidden {
        if unseen.len() < MAX_ENEMY_TEAMS && !seen.contains(&c.side) && !unseen.contains(&c.side) {
            unseen.push(c.side.clone());
        }
    }
    if let Some(first) = c.first_team.as_ref().filter(|first| !seen.contains(first) && !unseen.contains(first)) {
        return Err(Violation::field(
            "unknown_team",
            "first_team",
            format!("{first} is no enemy team of this encounter"),
        ));
    }
    let undecided = if c.first_team.is_some() { 0 } else { seen.len().saturating_sub(1) };
    if c.fate.len() > undecided {
        let detail = format!("{undecided} Fate Checks at most decide which enemy team is first");
        return Err(Violation::field("too_many_dice", "fate", detail));
    }
    Ok(Sides { seen, unseen })
}

fn surprise(play: &mut Combat<'_>, c: &Start) {
    let condition = Slug::fixed("surprised");
    let of_sides = play.table().iter().filter(|one| c.surprised_sides.contains(&one.side)).map(|one| one.id.clone());
    let who: Vec<CombatantId> = c.surprised.iter().cloned().chain(of_sides).collect();
    for combatant in &who {
        if play.table().get(combatant).is_some_and(|c| !c.conditions.contains(&condition)) {
            let (combatant, condition) = (combatant.clone(), condition.clone());
            play.shared(ConditionSet { combatant, member: None, condition });
        }
    }
}

/// The Encounter DC, given or looked up.
fn set_dc(play: &mut Combat<'_>, c: &Start, pcs: &[CombatantId]) -> i64 {
    if let Some(dc) = c.dc {
        play.own(DcSet { dc: dc.get(), level: None, difficulty: None });
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
    play.own(DcSet { dc, level, difficulty: Some(difficulty) });
    dc
}

/// The Initiative Check of a player's character that joined later. What a critical gives holds in round 1 alone (DC-10, DC-11).
pub(super) fn check_late(play: &mut Combat<'_>, c: &InitiativeCheck) -> Result<(), Violation> {
    let id = &c.combatant;
    let roller = play.combatant("combatant", id)?;
    if !is_pc(roller) || !roller.active() {
        return Err(no_check(id));
    }
    if roller.state.check.is_some() {
        let detail = format!("{id} has made its Initiative Check: there is one in a combat");
        return Err(Violation::new("already_checked", "DC-4", detail));
    }
    let dc = play.table().state.dc.unwrap_or_default();
    check(play, id, dc, c.roll);
    let granted = |c: &Creature| c.state.round_one_adv || c.state.attacked_with_adv;
    if play.table().round > 1 && play.table().get(id).is_some_and(granted) {
        play.own(RoundOneLost { combatants: vec![id.clone()].into() });
    }
    if play.table().state.phase == Phase::Claim {
        settle(play);
    }
    Ok(())
}

fn no_check(id: &CombatantId) -> Violation {
    let detail = format!("{id} makes no Initiative Check: only players' characters in the fight do");
    Violation::new("no_check", "DC-4", detail)
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
    play.own(CheckMade { combatant: id.clone(), check });
    success
}

/// The enemy teams, the first of their rotation first: as the game master says, else by one Fate Check after the other, each
/// for the first of those that are left (DC-26, DC-27). A team of which nobody is seen is first of the unseen at most: else it would
/// show that it is there.
fn rotate(play: &mut Combat<'_>, c: &Start, mut sides: Sides) -> Sides {
    if let Some(team) = &c.first_team {
        for sides in [&mut sides.seen, &mut sides.unseen] {
            let first = sides.iter().position(|side| side == team).unwrap_or(0);
            sides.rotate_left(first);
        }
        return sides;
    }
    let (mut first, mut given) = (0, c.fate.iter().copied());
    while let Some(side) = sides.seen.get(first).filter(|_| first + 1 < sides.seen.len()).cloned() {
        let die = play.die(given.next());
        let high = die.face >= 10;
        play.own(FateChecked { die, high, team: Some(side) });
        if high {
            break;
        }
        first += 1;
    }
    sides.seen.rotate_left(first);
    sides
}

/// As many turns for each team as there are PCs, important NPCs among them (DC-15, DC-29), alternately from the winner on (DC-16).
fn lay_out(play: &mut Combat<'_>, sides: Sides, successes: usize, pcs: usize) {
    let table = play.table();
    let of = |wanted: Team, hidden: bool| {
        table.active().filter(|c| c.hidden == hidden && team(&table.state, c) == wanted).count()
    };
    let turns = [false, true].map(|hidden| of(Team::Pc, hidden)).into_iter().find(|n| *n > 0).unwrap_or(0);
    // A hidden one out of the fight counts: its owner sees the turns of its team, whether others of that team are hidden or not.
    let hidden_npcs = table.iter().any(|c| c.hidden && team(&table.state, c) == Team::Npc);
    let npcs = of(Team::Npc, false) > 0;
    let winner = if 2 * successes >= pcs { Team::Pc } else { Team::Enemy(1) };
    let mut teams = rotation(sides.seen.len(), sides.unseen.len());
    teams.retain(|team| *team != Team::Npc || npcs || hidden_npcs);
    let first = teams.iter().position(|team| *team == winner).unwrap_or(0);
    teams.rotate_left(first);
    let unseen = |team: Team| match team {
        Team::Pc => false,
        Team::Enemy(n) => of_the_hidden(n),
        Team::Npc => !npcs,
    };
    let slots = (1..=turns).flat_map(|n| teams.iter().map(move |team| nth(*team, unseen(*team), n))).collect();
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let (successes, pcs) = (count(successes), count(pcs));
    let Sides { seen: enemy_teams, unseen: unseen_teams } = sides;
    play.own(OrderLaid { successes, pcs, winner, enemy_teams, unseen_teams, slots });
}

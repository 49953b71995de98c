//! Initiative: the Encounter DC, the checks, and the order of the teams' turns.

use super::*;
use crate::vocabulary::{ConditionSet, EncounterStarted};

/// The easy column of the Encounter DC table (DC-1); each row holds for two levels.
const EASY: [i64; 10] = [11, 12, 14, 15, 16, 17, 18, 20, 21, 22];

/// The sides that are enemies, in the order of their joining.
struct Sides {
    seen: Vec<Slug>,
    unseen: Vec<Slug>,
}

pub(super) fn start(play: &mut Play<'_>, c: &Start) -> Result<(), Violation> {
    check_fields(play, c)?;
    let mut sides = enemy_sides(play.encounter(), c)?;
    let (seen, hidden): (Vec<_>, Vec<_>) = play
        .encounter()
        .active()
        .filter(|c| is_pc(c))
        .partition(|c| !c.hidden);
    // Hidden characters count only if there are no others: else the DC, the winner and the turns
    // would reveal them.
    let counted = if seen.is_empty() {
        hidden.len()
    } else {
        seen.len()
    };
    let pcs = ids(seen.into_iter().chain(hidden));
    let detail = "there is no player's character who could roll: add one on the side players first";
    require(!pcs.is_empty(), "no_player_characters", "ADC17", || detail)?;
    play.emit(EncounterStarted {});
    if let Some(Aggression {
        combatant,
        action,
        resolved,
    }) = c.aggression.clone()
    {
        play.emit(Aggressed {
            combatant,
            action,
            resolved,
        });
    }
    surprise(play, c);
    set_dc(play, c, pcs.get(..counted).unwrap_or_default());
    let checks: Vec<bool> = pcs
        .iter()
        .map(|id| check(play, id, c.rolls.get(id).copied()))
        .collect();
    let successes = checks
        .iter()
        .take(counted)
        .filter(|success| **success)
        .count();
    rotate(play, c, &mut sides);
    lay_out(play, sides, successes, counted);
    Ok(())
}

fn check_fields(play: &Play<'_>, c: &Start) -> Result<(), Violation> {
    let table_only = c.level.is_none() && c.difficulty.is_none();
    let detail =
        "either the DC is given (`dc`) or it is looked up (`level`, `difficulty`), not both";
    require(
        c.dc.is_none() || table_only,
        "dc_or_table",
        field("dc"),
        || detail,
    )?;
    c.rolls
        .keys()
        .try_for_each(|id| can_check(play.combatant("rolls", id)?))?;
    c.surprised
        .iter()
        .try_for_each(|id| play.combatant("surprised", id).map(drop))?;
    c.surprised_sides
        .iter()
        .try_for_each(|side| known_side(play.encounter(), "surprised_sides", side))?;
    if let Some(Aggression { combatant: id, .. }) = &c.aggression {
        let aggressor = play.combatant("aggression.combatant", id)?;
        require(is_pc(aggressor), "not_a_pc", "DC-3", || {
            format!("{id} is not a player's character")
        })?;
    }
    Ok(())
}

/// The sides that are enemies. Refuses a `first_team` that is none, and dice that decide nothing.
fn enemy_sides(encounter: &Encounter, c: &Start) -> Result<Sides, Violation> {
    let (hidden, open): (Vec<_>, Vec<_>) = encounter
        .iter()
        .filter(|c| is_enemy(c))
        .partition(|c| c.hidden);
    let mut known = HashSet::new();
    let mut new_sides = |members: Vec<&Combatant>| -> Vec<Slug> {
        let sides = members
            .into_iter()
            .map(|c| c.side.clone())
            .filter(|side| known.insert(side.clone()));
        sides.take(MAX_ENEMY_TEAMS).collect()
    };
    // A side is unseen only if all its combatants are hidden.
    let (seen, unseen) = (new_sides(open), new_sides(hidden));
    if let Some(first) = &c.first_team {
        let known = seen.contains(first) || unseen.contains(first);
        let detail = || format!("{first} is not an enemy team of this encounter");
        require(known, "unknown_team", field("first_team"), detail)?;
    }
    let undecided = if c.first_team.is_some() {
        0
    } else {
        seen.len().saturating_sub(1)
    };
    require(
        c.fate.len() <= undecided,
        "too_many_dice",
        field("fate"),
        || format!("{undecided} Fate Checks at most decide which enemy team is first"),
    )?;
    Ok(Sides { seen, unseen })
}

fn surprise(play: &mut Play<'_>, c: &Start) {
    let unaware =
        |one: &&Combatant| c.surprised.contains(&one.id) || c.surprised_sides.contains(&one.side);
    for combatant in ids(play
        .encounter()
        .iter()
        .filter(unaware)
        .filter(|one| !one.has("surprised")))
    {
        play.emit(ConditionSet {
            combatant,
            member: None,
            condition: Slug::fixed("surprised"),
        });
    }
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
    let highest = pcs
        .iter()
        .filter_map(|id| play.encounter().get(id))
        .map(|c| c.stats.level)
        .max();
    let level = c.level.or(highest).unwrap_or_default();
    let difficulty = c.difficulty.unwrap_or_default();
    let harder = match difficulty {
        Difficulty::Easy => 0,
        Difficulty::Normal => 2,
        Difficulty::Hard => 4,
    };
    let row = usize::try_from((level.get() - 1) / 2).unwrap_or(0);
    let dc = EASY.get(row).copied().unwrap_or(22) + harder;
    play.emit(DcSet {
        dc,
        level: Some(level.count()),
        difficulty: Some(difficulty),
    });
}

/// The Initiative Check of one player's character: before the start its dice, later, for one that
/// joined, the check.
pub(super) fn check_alone(play: &mut Play<'_>, c: &InitiativeCheck) -> Result<(), Violation> {
    let id = &c.combatant;
    let roller = play.combatant("combatant", id)?;
    can_check(roller)?;
    let checked = roller.state.check.is_some() || !roller.state.rolled.is_empty();
    require(!checked, "already_checked", "DC-4", || {
        format!("{id} has made its Initiative Check: there is one in a combat")
    })?;
    if play.encounter().status == Status::Setup {
        let dice = roll(play, id, c.roll);
        play.emit(CheckRolled {
            combatant: id.clone(),
            dice,
        });
    } else {
        check(play, id, c.roll);
    }
    Ok(())
}

/// The dice of an Initiative Check: given, rolled by its player before the start, or rolled by the
/// server with ADV or DisADV (DC-47).
fn roll(play: &mut Play<'_>, id: &CombatantId, given: Option<D20>) -> Vec<Die> {
    let Some(c) = play.encounter().get(id) else {
        return Vec::new();
    };
    if given.is_none() && !c.state.rolled.is_empty() {
        return c.state.rolled.clone();
    }
    let extra = if given.is_some() {
        0
    } else {
        c.stats.initiative_adv.get().unsigned_abs()
    };
    (0..=extra).map(|_| play.die(given)).collect()
}

fn can_check(c: &Combatant) -> Result<(), Violation> {
    require(is_pc(c) && c.active(), "no_check", "DC-4", || {
        format!(
            "{} makes no Initiative Check: only players' characters in the fight do",
            c.id
        )
    })
}

/// Makes an Initiative Check (DC-4); whether it succeeded. A natural 20 or 1 decides whatever the
/// total (ADC2).
fn check(play: &mut Play<'_>, id: &CombatantId, given: Option<D20>) -> bool {
    let Some(stats) = play.encounter().get(id).map(|c| c.stats.clone()) else {
        return false;
    };
    let dice = roll(play, id, given);
    let faces = dice.iter().map(|die| die.face);
    let natural = if stats.initiative_adv.get() < 0 {
        faces.min()
    } else {
        faces.max()
    }
    .unwrap_or(1);
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
    let check = Check {
        dice,
        natural,
        bonus,
        total,
        success,
        critical,
    };
    play.emit(CheckMade {
        combatant: id.clone(),
        check,
    });
    success
}

/// Rotates the enemy teams, so that the first one is as the command or a Fate Check says; each
/// check is for the first of the remaining teams (DC-26, DC-27). Unseen teams rotate apart: else
/// they would show.
fn rotate(play: &mut Play<'_>, c: &Start, Sides { seen, unseen }: &mut Sides) {
    if let Some(team) = &c.first_team {
        for sides in [seen, unseen] {
            let first = sides.iter().position(|side| side == team).unwrap_or(0);
            sides.rotate_left(first);
        }
    } else {
        let (last, mut given) = (seen.len().saturating_sub(1), c.fate.iter().copied());
        let mut checked = seen.iter().take(last);
        let first = checked
            .position(|side| fate_check(play, given.next(), Some(side.clone())))
            .unwrap_or(last);
        seen.rotate_left(first);
    }
}

/// Makes a Fate Check; whether it is high (DC-27).
pub(super) fn fate_check(play: &mut Play<'_>, given: Option<D20>, team: Option<Slug>) -> bool {
    let die = play.die(given);
    let high = die.face >= 10;
    play.emit(FateChecked { die, high, team });
    high
}

/// Lays out a turn of each team for each PC, important NPCs included (DC-15, DC-29), alternately
/// from the winner on (DC-16).
fn lay_out(play: &mut Play<'_>, sides: Sides, successes: usize, pcs: usize) {
    let encounter = play.encounter();
    let of = |wanted: Team, hidden: bool| {
        encounter
            .active()
            .filter(|c| c.hidden == hidden && team(&encounter.state, c) == wanted)
            .count()
    };
    let turns = match of(Team::Pc, false) {
        0 => of(Team::Pc, true),
        turns => turns,
    };
    // A hidden one out of the fight counts: its owner sees the turns of its team, whether others of
    // that team are hidden or not.
    let hidden_npcs = encounter
        .iter()
        .any(|c| c.hidden && team(&encounter.state, c) == Team::Npc);
    let npcs = of(Team::Npc, false) > 0;
    let winner = if 2 * successes >= pcs {
        Team::Pc
    } else {
        Team::Enemy(1)
    };
    let mut teams = rotation(sides.seen.len(), sides.unseen.len(), winner);
    teams.retain(|team| *team != Team::Npc || npcs || hidden_npcs);
    let unseen = |team: Team| match team {
        Team::Pc => false,
        Team::Enemy(n) => is_unseen_team(n),
        Team::Npc => !npcs,
    };
    let slots = (1..=turns)
        .flat_map(|n| teams.iter().map(move |team| nth(*team, unseen(*team), n)))
        .collect();
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let (successes, pcs) = (count(successes), count(pcs));
    let Sides {
        seen: enemy_teams,
        unseen: unseen_teams,
    } = sides;
    play.emit(OrderLaid {
        successes,
        pcs,
        winner,
        enemy_teams,
        unseen_teams,
        slots,
    });
}

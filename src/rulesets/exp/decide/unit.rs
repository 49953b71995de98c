//! A unit begins: everybody rolls.

use super::*;
use crate::rulesets::shared::start_round;
use crate::vocabulary::EncounterStarted;
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

/// How many d10s anybody rolls for a tie: with so many alike, who joined first is first, so that dice that are stuck end too.
const MAX_DIGITS: usize = 16;

/// Somebody, or a crowd, that is about to roll.
pub(super) struct Contender {
    pub id: CombatantId,
    pub combatants: Vec<CombatantId>,
    pub bonus: i64,
}

pub(super) fn start(play: &mut Scene<'_>, c: &Start) -> Result<(), Violation> {
    if play.table().state.phase != Phase::Setup {
        return Err(Violation::new("already_started", "EX-2", "the fight has begun already"));
    }
    somebody_acts(play.table())?;
    let contenders = contenders(play.table());
    sound(&contenders, &c.rolls, &c.tie_rolls)?;
    play.shared(EncounterStarted {});
    begin(play, contenders, &c.rolls, &c.tie_rolls);
    advance(play);
    Ok(())
}

pub(super) fn roll_unit(play: &mut Scene<'_>, c: &RollUnit) -> Result<(), Violation> {
    if play.table().state.phase != Phase::Roll {
        let detail = "initiative is rolled once for a unit: this one goes on until nobody has anything left";
        return Err(Violation::new("unit_going_on", "EX-2", detail));
    }
    somebody_acts(play.table())?;
    let contenders = contenders(play.table());
    sound(&contenders, &c.rolls, &c.tie_rolls)?;
    begin(play, contenders, &c.rolls, &c.tie_rolls);
    advance(play);
    Ok(())
}

/// Refused where nobody is left who could roll.
fn somebody_acts(table: &Table) -> Result<(), Violation> {
    if table.active().next().is_some() {
        return Ok(());
    }
    Err(Violation::new("nobody_to_act", "EX-2", "nobody is here to act: add a combatant first"))
}

/// A unit that the server rolls for alone; nobody is asked yet.
pub(super) fn begin_unrolled(play: &mut Scene<'_>) {
    let contenders = contenders(play.table());
    begin(play, contenders, &Rolls::new(), &TieRolls::new());
}

fn begin(play: &mut Scene<'_>, contenders: Vec<Contender>, rolls: &Rolls, tie_rolls: &TieRolls) {
    let unit = play.table().round.saturating_add(1);
    start_round(play, unit);
    let ranking = rank(play, contenders, rolls, tie_rolls);
    play.own(InitiativeRolled { ranking });
}

/// Everybody in the fight, the stunned too: they may recover before they are asked (AEX9). A crowd rolls with the values of
/// whoever of it joined first (EX-4); the values of the hidden would show.
fn contenders(table: &Table) -> Vec<Contender> {
    let mut contenders: Vec<Contender> = Vec::with_capacity(table.combatants.len());
    let mut places: HashMap<CombatantId, usize> = HashMap::with_capacity(table.combatants.len());
    let seen = table.active().filter(|c| !c.hidden);
    for c in seen.chain(table.active().filter(|c| c.hidden)) {
        let id = roll_id(c).clone();
        let place = *places.entry(id.clone()).or_insert(contenders.len());
        match contenders.get_mut(place) {
            Some(crowd) => crowd.combatants.push(c.id.clone()),
            None => {
                let carried = table.options.encumbrance_table.modifier(c.stats.encumbrance);
                let bonus = c.stats.dex.get() + c.stats.level.get() + carried;
                contenders.push(Contender { id, combatants: vec![c.id.clone()], bonus });
            }
        }
    }
    contenders
}

/// Refuses rolls of somebody who does not roll, and more digits than anybody needs.
pub(super) fn sound(contenders: &[Contender], rolls: &Rolls, tie_rolls: &TieRolls) -> Result<(), Violation> {
    let known: BTreeSet<&CombatantId> = contenders.iter().map(|c| &c.id).collect();
    let named = rolls.keys().map(|id| ("rolls", id)).chain(tie_rolls.keys().map(|id| ("tie_rolls", id)));
    for (field, id) in named {
        if !known.contains(id) {
            let crowd = contenders.iter().find(|c| c.combatants.contains(id));
            let detail = match crowd {
                Some(crowd) => format!("{id} rolls with its crowd: give the roll as {}", crowd.id),
                None => format!("{id} does not roll here: name a persona in the fight, or a crowd"),
            };
            return Err(Violation::field("does_not_roll", format!("{field}.{id}"), detail));
        }
    }
    match tie_rolls.iter().find(|(_, digits)| digits.len() > MAX_DIGITS) {
        Some((id, _)) => {
            let detail = format!("at most {MAX_DIGITS} digits each");
            Err(Violation::field("too_many_digits", format!("tie_rolls.{id}"), detail))
        }
        None => Ok(()),
    }
}

/// Everybody rolls a d20; equal totals roll d10s until they differ (EX-6 to EX-8).
pub(super) fn rank(play: &mut Scene<'_>, contenders: Vec<Contender>, rolls: &Rolls, tie_rolls: &TieRolls) -> Vec<Roll> {
    let mut ranking: Vec<Roll> = Vec::with_capacity(contenders.len());
    for Contender { id, combatants, bonus } in contenders {
        let die = play.die(rolls.get(&id).copied());
        let total = i64::from(die.face) + bonus;
        ranking.push(Roll { id, combatants, die, bonus, total, digits: Vec::new() });
    }
    ranking.sort_by(Roll::compare);
    for digit in 0..MAX_DIGITS {
        let mut tied = false;
        let alike = ranking.chunk_by_mut(|a, b| a.compare(b) == Ordering::Equal);
        for roll in alike.filter(|run| run.len() > 1).flatten() {
            tied = true;
            let given = tie_rolls.get(&roll.id).and_then(|digits| digits.get(digit));
            roll.digits.push(play.die(given.copied()));
        }
        if !tied {
            break;
        }
        ranking.sort_by(Roll::compare);
    }
    ranking
}

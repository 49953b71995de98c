//! Mental attacks and their duels: outside the list.

use super::unit::{Contender, rank, sound};
use super::*;

pub(super) fn attack(play: &mut Scene<'_>, c: &MentalAttack) -> Result<(), Violation> {
    let persona = play.combatant("combatant", &c.combatant)?;
    if let Some(target) = &c.target {
        play.combatant("target", target)?;
        if *target == c.combatant {
            let detail = "nobody attacks its own mind: name somebody else, or leave `target` out";
            return Err(Violation::field("own_target", "target", detail));
        }
    }
    let table = play.table();
    // Whose act it is makes no difference here, not even where the viewer may not know whose.
    if table.state.phase != Phase::SomeoneActs {
        in_unit(table, "EX-31")?;
    }
    if table.state.duel.iter().skip(1).any(|second| *second == c.combatant) {
        no_duel(table)?;
    }
    can_attack(persona)?;
    play.own(MentalAttacked { combatant: c.combatant.clone(), target: c.target.clone() });
    pass::rest(play, &c.combatant);
    advance(play);
    Ok(())
}

pub(super) fn duel(play: &mut Scene<'_>, c: &MentalDuel) -> Result<(), Violation> {
    let duellists = [play.combatant("combatant", &c.combatant)?, play.combatant("opponent", &c.opponent)?];
    if c.combatant == c.opponent {
        let detail = "a duel takes two: name somebody else";
        return Err(Violation::field("own_opponent", "opponent", detail));
    }
    in_unit(play.table(), "EX-31")?;
    no_duel(play.table())?;
    for persona in duellists {
        can_attack(persona)?;
    }
    let contender =
        |c: &Persona| Contender { id: c.id.clone(), combatants: vec![c.id.clone()], bonus: c.stats.mental_bonus() };
    let contenders: Vec<_> = duellists.into_iter().map(contender).collect();
    sound(&contenders, &c.rolls, &c.tie_rolls)?;
    let duel = rank(play, contenders, &c.rolls, &c.tie_rolls);
    play.own(MentalDuelRolled { duel });
    Ok(())
}

/// A duellist attacks nobody in this duel and keeps its attack (AEX14).
pub(super) fn decline(play: &mut Scene<'_>, id: &CombatantId) -> Result<(), Violation> {
    play.combatant("combatant", id)?;
    if !play.table().state.duel.contains(id) {
        let detail = format!("{id} is in no mental duel: there is nothing to decline");
        return Err(Violation::new("not_in_duel", "AEX14", detail));
    }
    end_duel(play);
    Ok(())
}

/// Ends the duel: those who have not attacked are awaited no more.
pub(in super::super) fn end_duel(play: &mut Scene<'_>) {
    for combatant in play.table().state.duel.clone() {
        play.own(DuelBrokenOff { combatant });
    }
}

/// Whether it may attack with its mind now.
pub(in super::super) fn may_attack(c: &Persona) -> bool {
    can_attack(c).is_ok()
}

fn can_attack(c: &Persona) -> Result<(), Violation> {
    let id = &c.id;
    if c.stats.persona == Sort::Robot {
        let detail = format!("{id} is a robot: it has no mind to attack with, and its devices go by the list");
        return Err(Violation::new("no_mind", "EX-34", detail));
    }
    if !c.stats.mental() {
        let detail = format!("{id} has no mental attack (`mstr` is 0); anything physical goes by the list");
        return Err(Violation::new("no_mental_attack", "EX-33", detail));
    }
    fit(c)?;
    match c.state.act {
        Spending::Pending | Spending::Waited => Ok(()),
        Spending::Done => {
            Err(Violation::new("attack_spent", "AEX8", format!("{id} has used its one attack of this unit")))
        }
        Spending::Lost => Err(Violation::new("attack_lost", "EX-23", format!("{id} has no attack left in this unit"))),
    }
}

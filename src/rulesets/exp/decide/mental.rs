//! Mental attacks and their duels: outside the list.

use super::unit::{Contender, check_rolls, rank};
use super::*;

pub(super) fn attack(play: &mut Play<'_>, c: &MentalAttack) -> Result<(), Violation> {
    let persona = play.combatant("combatant", &c.combatant)?;
    if let Some(target) = &c.target {
        play.combatant("target", target)?;
        let detail = "nobody attacks its own mind: name somebody else, or leave `target` out";
        require(
            *target != c.combatant,
            "own_target",
            field("target"),
            || detail,
        )?;
    }
    let encounter = play.encounter();
    // It does not matter whose act it is, so that a player may attack while a hidden combatant
    // acts.
    if encounter.state.phase != Phase::SomeoneActs {
        in_unit(encounter, "EX-31")?;
    }
    if encounter
        .state
        .duel
        .iter()
        .skip(1)
        .any(|second| *second == c.combatant)
    {
        no_duel(encounter)?;
    }
    can_attack(encounter, persona)?;
    let uses_act = encounter.options.mental_attack_uses == MentalAttackUses::Act;
    play.emit(MentalAttacked {
        combatant: c.combatant.clone(),
        target: c.target.clone(),
    });
    if uses_act {
        pass::rest(play, &c.combatant);
        advance(play);
    }
    Ok(())
}

pub(super) fn duel(play: &mut Play<'_>, c: &MentalDuel) -> Result<(), Violation> {
    let duellists = [
        play.combatant("combatant", &c.combatant)?,
        play.combatant("opponent", &c.opponent)?,
    ];
    let detail = "a duel takes two: name somebody else";
    require(
        c.combatant != c.opponent,
        "own_opponent",
        field("opponent"),
        || detail,
    )?;
    in_unit(play.encounter(), "EX-31")?;
    no_duel(play.encounter())?;
    duellists
        .into_iter()
        .try_for_each(|c| can_attack(play.encounter(), c))?;
    let contenders = duellists.map(|c| Contender {
        id: c.id.clone(),
        combatants: vec![c.id.clone()],
        bonus: c.stats.mstr.get() + c.stats.level.get(),
    });
    check_rolls(&contenders, &c.rolls, &c.tie_rolls)?;
    let duel = rank(play, contenders.into(), &c.rolls, &c.tie_rolls);
    play.emit(MentalDuelRolled { duel });
    Ok(())
}

/// Lets a duellist keep its attack (EX-32a).
pub(super) fn decline(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    play.combatant("combatant", id)?;
    require(
        play.encounter().state.duel.contains(id),
        "not_in_duel",
        "EX-32a",
        || format!("{id} is in no mental duel: there is nothing to decline"),
    )?;
    end_duel(play);
    Ok(())
}

/// Ends the duel for the duellists that have not attacked.
pub(in super::super) fn end_duel(play: &mut Play<'_>) {
    for combatant in play.encounter().state.duel.clone() {
        play.emit(DuelBrokenOff { combatant });
    }
}

/// Refuses a persona that may not attack with its mind now.
pub(in super::super) fn can_attack(encounter: &Encounter, c: &Combatant) -> Result<(), Violation> {
    let id = &c.id;
    require(c.stats.persona != Sort::Robot, "no_mind", "EX-34", || {
        format!("{id} is a robot: it has no mind to attack with, and its devices go by the list")
    })?;
    require(c.stats.mstr.get() > 0, "no_mental_attack", "EX-33", || {
        format!("{id} has no mental attack (`mstr` is 0); physical attacks go by the list")
    })?;
    fit(c)?;
    if encounter.options.mental_attack_uses == MentalAttackUses::Nothing {
        return require(!c.state.mental, "attack_spent", "EX-31a", || {
            format!("{id} has attacked with its mind in this unit")
        });
    }
    let act = c.state.act;
    require(act != Spending::Done, "attack_spent", "EX-31a", || {
        format!("{id} has used its one attack of this unit")
    })?;
    require(act != Spending::Lost, "attack_lost", "EX-23", || {
        format!("{id} has no attack left in this unit")
    })
}

//! Mental attacks and their duels: outside the list.

use super::pass::{advance, rest};
use super::unit::{Contender, check_rolls, rank};
use super::{fit, in_unit, listed, no_duel};
use crate::rulesets::exp::{
    Combatant, DuelEnded, Encounter, MentalAttack, MentalAttackUses, MentalAttacked, MentalDuel,
    MentalDuelRolled, Phase, Play, Sort, Spending,
};
use crate::vocabulary::{Violation, field, require};

pub(super) fn attack(play: &mut Play<'_>, c: &MentalAttack) -> Result<(), Violation> {
    let persona = play.combatant("combatant", &c.combatant)?;
    if let Some(target) = &c.target {
        play.combatant("target", target)?;
        let is_other = *target != c.combatant;
        require(
            is_other,
            "own_target",
            field("target"),
            || "A persona can't attack their own mind. Name another target, or none.",
        )?;
    }
    let encounter = play.encounter();
    // It does not matter whose act it is, so that a player may attack while a hidden combatant
    // acts.
    if encounter.state.phase != Phase::SomeoneActs {
        in_unit(encounter, "EX-31")?;
    }
    let second = encounter.state.duel.get(1);
    if second == Some(&c.combatant) {
        no_duel(encounter)?;
    }
    can_attack(encounter, persona)?;
    let uses_act = encounter.options.mental_attack_uses == MentalAttackUses::Act;
    play.emit(MentalAttacked {
        combatant: c.combatant.clone(),
        target: c.target.clone(),
        spends_act: uses_act,
    });
    if uses_act {
        rest(play, &c.combatant);
        advance(play);
    }
    Ok(())
}

pub(super) fn duel(play: &mut Play<'_>, c: &MentalDuel) -> Result<(), Violation> {
    let first = play.combatant("combatant", &c.combatant)?;
    let second = play.combatant("opponent", &c.opponent)?;
    let are_two = c.combatant != c.opponent;
    require(
        are_two,
        "own_opponent",
        field("opponent"),
        || "A duel takes two personas. Name another opponent.",
    )?;
    in_unit(play.encounter(), "EX-31")?;
    no_duel(play.encounter())?;
    can_attack(play.encounter(), first)?;
    can_attack(play.encounter(), second)?;
    let contenders = vec![duellist(first), duellist(second)];
    check_rolls(&contenders, &c.rolls, &c.tie_rolls)?;
    let ranking = rank(play, contenders, &c.rolls, &c.tie_rolls);
    play.emit(MentalDuelRolled { ranking });
    Ok(())
}

fn duellist(c: &Combatant) -> Contender {
    Contender {
        id: c.id.clone(),
        combatants: vec![c.id.clone()],
        bonus: c.stats.mstr.get() + c.stats.level.get(),
        own: None,
    }
}

/// Ends the duel for the duellists that have not attacked.
pub(in super::super) fn end_duel(play: &mut Play<'_>) {
    let duellists = play.encounter().state.duel.clone();
    if !duellists.is_empty() {
        play.emit(DuelEnded {
            combatants: duellists.into(),
        });
    }
}

/// Refuses a persona that may not attack with its mind now.
pub(in super::super) fn can_attack(encounter: &Encounter, c: &Combatant) -> Result<(), Violation> {
    let id = &c.id;
    require(c.stats.persona != Sort::Robot, "no_mind", "EX-34", || {
        format!(
            "{id} is a robot and has no mind to attack with. Devices act in the list: send \"declare\"."
        )
    })?;
    require(c.stats.mstr.get() > 0, "no_mental_attack", "EX-33", || {
        format!(
            "{id} has no mental strength to attack with. Physical attacks are made in the list: send \"declare\"."
        )
    })?;
    fit(c)?;
    if encounter.options.mental_attack_uses == MentalAttackUses::Nothing {
        return require(!c.state.mental, "attack_spent", "EX-31a", || {
            format!("{id} has attacked with the mind in this unit. Wait for the next one.")
        });
    }
    let act = c.state.act_status;
    require(act != Spending::Done, "attack_spent", "EX-31a", || {
        format!("{id} has spent the attack of this unit. Wait for the next one.")
    })?;
    if act == Spending::Lost {
        listed(c)?;
    }
    require(act != Spending::Lost, "attack_lost", "EX-23", || {
        format!("{id} has lost the attack of this unit. Wait for the next one.")
    })
}

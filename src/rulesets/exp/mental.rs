//! Mental attacks and their duels: outside the list (EX-23, EX-31 to EX-34).

use super::list::{advance, fit, in_unit, listed, no_duel, rest, spent};
use super::unit::{Contender, check_rolls, rank, tell_rolls};
use super::{
    Combatant, Encounter, Exp, InitiativeRoll, MentalAttackUses, Phase, Play, Sort, Spending,
};
use crate::vocabulary::{
    CombatantId, D10, D20, Describe, Fold, LegalCommand, Names, Participants, Violation, command,
    event, field, require, shared_list,
};
use std::collections::BTreeMap;

/// Attack with a mental mutation, at any moment of the unit and outside the list (EX-31, EX-31a).
#[command(player, "{combatant}: attack with the mind")]
pub struct MentalAttack {
    /// The combatant.
    pub combatant: CombatantId,
    /// The target.
    pub target: Option<CombatantId>,
}

/// Roll for two mental attackers who face each other: the higher attacks first (EX-32).
#[command(gm, "{combatant}: start a mental duel[ with {opponent}]")]
pub struct MentalDuel {
    /// One of them.
    pub combatant: CombatantId,
    /// The other.
    pub opponent: CombatantId,
    /// The d20s rolled at the table; the server rolls the others.
    #[default]
    pub rolls: BTreeMap<CombatantId, D20>,
    /// The d10s rolled at the table for a tie; the server rolls the others.
    #[default]
    pub tie_rolls: BTreeMap<CombatantId, Vec<D10>>,
}

/// Two mental attackers rolled for the first attack (EX-32).
#[event(tells_itself)]
pub struct MentalDuelRolled {
    /// The two, the first attacker first.
    pub ranking: Vec<InitiativeRoll>,
}

impl Describe for MentalDuelRolled {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        tell_rolls("Mental duel: ", &self.ranking, names, out)
    }
}

/// A mental mutation attacked outside the list (EX-31).
#[event("{combatant} {combatant:attacks|attack}[ {target}] with the mind.")]
pub struct MentalAttacked {
    /// The combatant.
    pub combatant: CombatantId,
    /// The target.
    pub target: Option<CombatantId>,
    /// True if it spends the attack of the unit (EX-31a).
    pub spends_act: bool,
}

/// A mental duel ended before both had attacked: one of the two left or can no longer attack with
/// the mind, or the game master set whose turn it is (EX-32a).
#[event("The mental duel of {combatants} ends.")]
pub struct DuelEnded {
    /// The personas that have not attacked.
    pub combatants: Participants,
}

impl MentalAttack {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let persona = play.combatant("combatant", &self.combatant)?;
        if let Some(target) = &self.target {
            play.combatant("target", target)?;
            let is_other = *target != self.combatant;
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
        if second == Some(&self.combatant) {
            no_duel(encounter)?;
        }
        can_attack(encounter, persona)?;
        let uses_act = encounter.options.mental_attack_uses == MentalAttackUses::Act;
        play.emit(MentalAttacked {
            combatant: self.combatant.clone(),
            target: self.target.clone(),
            spends_act: uses_act,
        });
        if uses_act {
            rest(play, &self.combatant);
            advance(play);
        }
        Ok(())
    }
}

impl MentalDuel {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let first = play.combatant("combatant", &self.combatant)?;
        let second = play.combatant("opponent", &self.opponent)?;
        let are_two = self.combatant != self.opponent;
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
        check_rolls(&contenders, &self.rolls, &self.tie_rolls)?;
        let ranking = rank(play, contenders, &self.rolls, &self.tie_rolls);
        play.emit(MentalDuelRolled { ranking });
        Ok(())
    }
}

fn duellist(c: &Combatant) -> Contender {
    Contender {
        id: c.id.clone(),
        combatants: vec![c.id.clone()],
        bonus: c.stats.mstr.get() + c.level_or_first(),
        own: None,
    }
}

/// Ends the duel for the duellists that have not attacked.
pub(super) fn end_duel(play: &mut Play<'_>) {
    let duellists = play.encounter().state.duel.clone();
    if !duellists.is_empty() {
        play.emit(DuelEnded {
            combatants: duellists.into(),
        });
    }
}

/// Refuses a persona that may not attack with its mind now.
pub(super) fn can_attack(encounter: &Encounter, c: &Combatant) -> Result<(), Violation> {
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

impl MentalDuelRolled {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Exp>) {
        fold.state().duel = self.ranking.iter().map(|roll| roll.id.clone()).collect();
    }
}

impl MentalAttacked {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Exp>) {
        if self.spends_act {
            fold.change_state(&self.combatant, |state| state.act_status = Spending::Done);
            spent(fold.state(), &self.combatant);
        } else {
            fold.change_state(&self.combatant, |state| state.mental = true);
            let duel = &mut fold.state().duel;
            duel.retain(|duellist| *duellist != self.combatant);
        }
    }
}

impl DuelEnded {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Exp>) {
        fold.state().duel.clear();
    }
}

/// The attacks that may be made.
pub(super) fn attacks(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let targets = shared_list(encounter.iter().map(|c| &c.id));
    for id in minds(encounter) {
        let attack = LegalCommand::by::<MentalAttack>(id, "EX-31");
        legal.push(attack.among("target", &targets, Some(id)));
    }
}

/// The duels that may begin.
pub(super) fn duels(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let minds = minds(encounter);
    let opponents = shared_list(minds.iter().copied());
    for id in minds {
        let duel = LegalCommand::of::<MentalDuel>("EX-32").with("combatant", id.as_str());
        legal.push(duel.among("opponent", &opponents, Some(id)));
    }
}

/// The personas that can attack with their minds.
fn minds(encounter: &Encounter) -> Vec<&CombatantId> {
    let mut minds = Vec::new();
    for c in encounter.iter() {
        if can_attack(encounter, c).is_ok() {
            minds.push(&c.id);
        }
    }
    minds
}

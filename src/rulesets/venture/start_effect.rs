//! Effects that apply at the start of each turn of a combatant (VE-17).

use super::initiative::{change, change_motes};
use super::track::in_battle;
use super::{Cause, Combatant, Encounter, Play, Venture};
use crate::vocabulary::{
    CombatantId, Fold, Int, LegalCommand, Name, Values, Violation, command, event, fact, require,
};
use serde_json::json;

/// Add an effect that applies at the start of each turn of a combatant, such as anima flux (VE-17).
#[command(player, "{combatant}: add a start-of-turn effect")]
pub struct Declare {
    /// The combatant.
    pub combatant: CombatantId,
    /// The name of the effect, unique for its combatant, which can have 8.
    pub name: Name,
    /// Initiative gained, or lost if negative, at each start of turn.
    #[default]
    pub initiative: Int<-40, 40>,
    /// Motes gained, or lost if negative, at each start of turn.
    #[default]
    pub motes: Int<-1000, 1000>,
}

/// End an effect that was declared for the start of turns.
#[command(player, "{combatant}: end [{name}][{!name}a start-of-turn effect]")]
pub struct Withdraw {
    /// The combatant.
    pub combatant: CombatantId,
    /// The name of the effect.
    pub name: Name,
}

/// A combatant declared an effect for the start of each of its turns (VE-17).
#[event(
    "{combatant} {combatant:starts|start} {start_effect}, which applies at the start of each turn."
)]
pub struct StartEffectDeclared {
    /// The combatant.
    pub combatant: CombatantId,
    /// The effect.
    pub start_effect: StartEffect,
}

/// An effect that was declared for the start of turns ended.
#[event("{combatant} {combatant:ends|end} {name}.")]
pub struct StartEffectWithdrawn {
    /// The combatant.
    pub combatant: CombatantId,
    /// The name of the effect.
    pub name: Name,
}

/// Start of turn, step 4: a declared effect applies; its changes follow as events (VE-17).
#[event("{name} applies to {combatant}.")]
pub struct StartEffectResolved {
    /// The combatant.
    pub combatant: CombatantId,
    /// The name of the effect.
    pub name: Name,
}

/// An effect that applies at the start of each turn of a combatant, such as anima flux (VE-17).
#[fact("{name}")]
pub struct StartEffect {
    /// Its name, unique for its combatant.
    pub name: Name,
    /// Initiative gained, or lost if negative, at each start of turn.
    pub initiative: Int<-40, 40>,
    /// Motes gained, or lost if negative, at each start of turn.
    pub motes: Int<-1000, 1000>,
}

/// The maximum of start-of-turn effects of a combatant.
pub(super) const MAX_START_EFFECTS: usize = 8;

impl Declare {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        let effects = &in_battle(play, id)?.state.start_effects;
        require(
            effects.len() < MAX_START_EFFECTS,
            "too_many_start_effects",
            "VE-17",
            || {
                format!(
                    "{id} can't have more than {MAX_START_EFFECTS} start-of-turn effects. Send \"withdraw\" first."
                )
            },
        )?;
        require(
            effects.iter().all(|effect| effect.name != self.name),
            "already_declared",
            "VE-17",
            || {
                format!(
                    "{id} already has the effect {}. Send \"withdraw\" first.",
                    self.name
                )
            },
        )?;
        let start_effect = StartEffect {
            name: self.name.clone(),
            initiative: self.initiative,
            motes: self.motes,
        };
        play.emit(StartEffectDeclared {
            combatant: id.clone(),
            start_effect,
        });
        Ok(())
    }
}

impl Withdraw {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let effects = &play
            .combatant("combatant", &self.combatant)?
            .state
            .start_effects;
        require(
            effects.iter().any(|effect| effect.name == self.name),
            "not_declared",
            "VE-17",
            || {
                format!(
                    "{} didn't declare this effect. Check \"name\".",
                    self.combatant
                )
            },
        )?;
        play.emit(StartEffectWithdrawn {
            combatant: self.combatant.clone(),
            name: self.name.clone(),
        });
        Ok(())
    }
}

/// Start of turn, step 4: the declared effects apply.
pub(super) fn resolve(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let effects = play.combatant("combatant", id)?.state.start_effects.clone();
    for StartEffect {
        name,
        initiative,
        motes,
    } in effects
    {
        play.emit(StartEffectResolved {
            combatant: id.clone(),
            name,
        });
        change(play, id, initiative.get(), Cause::StartEffect, None)?;
        change_motes(play, id, motes.get());
    }
    Ok(())
}

impl StartEffectDeclared {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        fold.change(&self.combatant, |c| {
            c.state.start_effects.push(self.start_effect.clone());
        });
    }
}

impl StartEffectResolved {
    /// Changes nothing: its changes are events of their own.
    pub(super) fn apply(&self, _: &mut Fold<'_, Venture>) {}
}

impl StartEffectWithdrawn {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        fold.change(&self.combatant, |c| {
            c.state
                .start_effects
                .retain(|effect| effect.name != self.name);
        });
    }
}

pub(super) fn options(c: &Combatant) -> LegalCommand {
    let effects = &c.state.start_effects;
    let known = effects.iter().map(|effect| json!(effect.name));
    let name = Values::NewText(Name::MOST, known.collect());
    LegalCommand::by::<Declare>(&c.id, "VE-17").open("name", name)
}

/// The effects that may be ended.
pub(super) fn withdrawals(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    for c in encounter.iter() {
        let effects = &c.state.start_effects;
        if effects.is_empty() {
            continue;
        }
        let names = effects.iter().map(|effect| effect.name.as_str());
        legal.push(LegalCommand::by::<Withdraw>(&c.id, "VE-17").choose("name", names));
    }
}

//! The start of the fight (VE-2, VE-6, VE-7, VE-9), and the fights that one roll settles (VE-1).

use super::free_action::open_free_action;
use super::initiative::change_motes;
use super::join_battle::{join_battle, worthy};
use super::{Encounter, Join, Play, Venture};
use crate::rulesets::shared::{start_encounter, start_round};
use crate::vocabulary::{
    CombatantId, ConditionSet, Fold, LegalCommand, Slug, Values, Violation, command, event, ids,
    require, shared_list,
};
use std::collections::BTreeMap;

/// Start the fight: all combatants Join Battle (VE-2), then take their free actions (VE-6).
#[command(gm, "Start the fight")]
pub struct Start {
    /// The Join Battle rolls made at the table, by combatant; they replace an earlier
    /// `join_battle`. The server rolls Wits and Awareness for the rest.
    #[default]
    #[advanced]
    pub joins: BTreeMap<CombatantId, Join>,
}

/// Settle the fight with a combatant that is no Worthy Foe with one roll at the table (VE-1).
#[command(
    gm,
    "[{combatant}: settle the fight][{!combatant}Settle a fight] with one roll"
)]
pub struct Settle {
    /// The combatant that is no Worthy Foe.
    pub combatant: CombatantId,
    /// The combatant that lost the roll and is defeated: this one or its opponent.
    pub loser: CombatantId,
}

/// The fight with a combatant that is no Worthy Foe was settled with one roll (VE-1).
#[event("The fight with {combatant} is settled: {loser} {loser:loses|lose}.")]
pub struct Settled {
    /// The combatant that is no Worthy Foe.
    pub combatant: CombatantId,
    /// The combatant that lost and is defeated.
    pub loser: CombatantId,
}

impl Start {
    /// Lets all combatants Join Battle (VE-2) and begins round 0, that of the free actions (VE-6,
    /// VE-7).
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        for id in self.joins.keys() {
            play.fighter(format!("joins.{}", id.as_str()), id, "VE-9")?;
        }
        start_encounter(play, "VE-9")?;
        for c in play.encounter().active() {
            worthy(c)?;
        }
        start_round(play, 0);
        for id in &ids(play.encounter().active()) {
            let joined = play
                .encounter()
                .get(id)
                .is_some_and(|c| c.state.join_battle.is_some());
            match self.joins.get(id) {
                // The maximum of motes may be lower.
                None if joined => change_motes(play, id, 0),
                join => {
                    let entered = join_battle(play, id, &join.cloned().unwrap_or_default());
                    entered.map_err(|refused| refused.within(&format!("joins.{}", id.as_str())))?;
                }
            }
        }
        open_free_action(play);
        Ok(())
    }
}

impl Settle {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let foe = play.fighter("combatant", &self.combatant, "VE-1")?;
        play.fighter("loser", &self.loser, "VE-1")?;
        let unworthy = !foe.stats.worthy_foe && foe.state.join_battle.is_none();
        require(unworthy, "a_worthy_foe", "VE-1", || {
            format!(
                "{} is a Worthy Foe or has joined battle. Play that fight in turns.",
                self.combatant
            )
        })?;
        play.emit(Settled {
            combatant: self.combatant.clone(),
            loser: self.loser.clone(),
        });
        play.emit(ConditionSet {
            combatant: self.loser.clone(),
            member: None,
            condition: Slug::fixed("defeated"),
        });
        Ok(())
    }
}

pub(super) fn options(encounter: &Encounter) -> LegalCommand {
    let fighters = encounter.active().map(|c| &c.id);
    let joins = Values::by_combatant(fighters, Values::Object(Join::usual()));
    LegalCommand::of::<Start>("VE-2").open("joins", joins)
}

/// The fights that may be settled.
pub(super) fn settlements(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let active = shared_list(encounter.active().map(|c| &c.id));
    for c in encounter.active().filter(|c| !c.stats.worthy_foe) {
        let settle = LegalCommand::of::<Settle>("VE-1").with("combatant", c.id.as_str());
        legal.push(settle.among("loser", &active, None));
    }
}

impl Settled {
    /// Changes nothing: the loser's defeat is an event of its own.
    pub(super) fn apply(&self, _: &mut Fold<'_, Venture>) {}
}

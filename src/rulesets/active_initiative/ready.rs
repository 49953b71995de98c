//! Readied actions (AI-12, AI-13).

use super::{ActiveInitiative, Encounter, Play, ReadiedAction};
use crate::vocabulary::{
    CombatantId, Fold, LegalCommand, Text, Violation, command, event, require,
};

/// Ready an action on your own turn. Your place in the round stays the same (AI-12).
#[command(player, "{combatant}: ready an action")]
pub struct Ready {
    /// The combatant.
    pub combatant: CombatantId,
    /// The action.
    pub action: Text<200>,
    /// The occasion that it waits for.
    pub trigger: Text<200>,
}

/// Use a readied action. It does not change who chooses the next combatant (AI-13).
#[command(player, "{combatant}: use the readied action")]
pub struct Trigger {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant readied an action (AI-12).
#[event("{combatant} {combatant:readies|ready} an action: {action}, when {trigger}.")]
pub struct Readied {
    /// The combatant.
    pub combatant: CombatantId,
    /// The action.
    pub action: Text<200>,
    /// The occasion that it waits for.
    pub trigger: Text<200>,
}

/// A combatant carried out its readied action (AI-13).
#[event("{combatant} {combatant:uses|use} the readied action.")]
pub struct Triggered {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A readied action is lost: the next turn of its combatant began.
#[event("{combatant} {combatant:loses|lose} the readied action.")]
pub struct ReadyLapsed {
    /// The combatant.
    pub combatant: CombatantId,
}

impl Ready {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let readier = play.in_turn(&self.combatant, "AI-12")?;
        require(
            readier.state.readied.is_none(),
            "already_readied",
            "AI-12",
            || {
                format!(
                    "{} has already readied an action. Send \"trigger\" to use it first.",
                    self.combatant
                )
            },
        )?;
        play.emit(Readied {
            combatant: self.combatant.clone(),
            action: self.action.clone(),
            trigger: self.trigger.clone(),
        });
        Ok(())
    }
}

impl Trigger {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        let c = play.combatant("combatant", id)?;
        require(
            c.state.readied.is_some(),
            "nothing_readied",
            "AI-12",
            || format!("{id} has no readied action. Send \"ready\" first."),
        )?;
        require(c.active(), "not_active", "AI-12", || {
            format!("{id} can't act while out of the fight.")
        })?;
        play.emit(Triggered {
            combatant: id.clone(),
        });
        Ok(())
    }
}

/// Takes an action away that a combatant has readied in its last turn.
pub(super) fn lapse(play: &mut Play<'_>, combatant: &CombatantId) {
    let c = play.encounter().get(combatant);
    if c.is_some_and(|c| c.state.readied.is_some()) {
        play.emit(ReadyLapsed {
            combatant: combatant.clone(),
        });
    }
}

impl Readied {
    pub(super) fn apply(&self, fold: &mut Fold<'_, ActiveInitiative>) {
        fold.change_state(&self.combatant, |s| {
            s.readied = Some(ReadiedAction {
                action: self.action.clone(),
                trigger: self.trigger.clone(),
            });
        });
    }
}

impl Triggered {
    pub(super) fn apply(&self, fold: &mut Fold<'_, ActiveInitiative>) {
        fold.change_state(&self.combatant, |s| s.readied = None);
    }
}

impl ReadyLapsed {
    pub(super) fn apply(&self, fold: &mut Fold<'_, ActiveInitiative>) {
        fold.change_state(&self.combatant, |s| s.readied = None);
    }
}

/// What the one whose turn it is may ready.
pub(super) fn options(actor: &CombatantId) -> LegalCommand {
    LegalCommand::by::<Ready>(actor, "AI-12")
}

/// The readied actions that may be used.
pub(super) fn triggers(encounter: &Encounter) -> Vec<LegalCommand> {
    let mut legal = Vec::new();
    for c in encounter.active() {
        if c.state.readied.is_some() {
            legal.push(LegalCommand::by::<Trigger>(&c.id, "AI-12"));
        }
    }
    legal
}

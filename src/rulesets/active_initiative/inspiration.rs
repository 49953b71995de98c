//! Inspiration (AI-19, AI-28, AI-29).

use super::{ActiveInitiative, Combatant, Encounter, Options, Play};
use crate::vocabulary::{
    CombatantId, Fold, Int, Kind, LegalCommand, Violation, command, event, require,
};

/// Give an inspiration point to a combatant, which can hold three (AI-28).
#[command(gm, "[{combatant}: gain][{!combatant}Give] an inspiration point")]
pub struct Inspire {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Spend an inspiration point on advantage for a roll, before rolling (AI-29).
#[command(player, "{combatant}: spend an inspiration point")]
pub struct SpendInspiration {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant got an inspiration point (AI-28).
#[event(
    "{combatant} {combatant:gains|gain} an inspiration point and {combatant:has|have} {inspiration}."
)]
pub struct Inspired {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its inspiration points after that.
    pub inspiration: u32,
}

/// A combatant spent an inspiration point (AI-19, AI-29).
#[event(
    "{combatant} {combatant:spends|spend} an inspiration point and {combatant:has|have} {inspiration} left."
)]
pub struct InspirationSpent {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its inspiration points after that.
    pub inspiration: u32,
}

impl Inspire {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        let c = play.combatant("combatant", id)?;
        check_can_hold(play.encounter(), c)?;
        let held = c.stats.inspiration.count();
        require(held < 3, "inspiration_full", "AI-28", || {
            format!("{id} can't hold more than 3 inspiration points. Spend one first.")
        })?;
        play.emit(Inspired {
            combatant: id.clone(),
            inspiration: held + 1,
        });
        Ok(())
    }
}

impl SpendInspiration {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        spend(play, &self.combatant, "AI-29")
    }
}

/// Takes a point from a combatant; `rule` says what it pays for.
pub(super) fn spend(
    play: &mut Play<'_>,
    id: &CombatantId,
    rule: &'static str,
) -> Result<(), Violation> {
    let spender = play.combatant("combatant", id)?;
    let held = inspiration(play.encounter(), spender, rule)?;
    play.emit(InspirationSpent {
        combatant: id.clone(),
        inspiration: held.saturating_sub(1),
    });
    Ok(())
}

/// Refuses a combatant that can't hold inspiration (AI-28).
fn check_can_hold(encounter: &Encounter, c: &Combatant) -> Result<(), Violation> {
    let can_hold = holds_inspiration(encounter, c);
    require(can_hold, "not_a_pc", "AI-28", || {
        format!(
            "{} can't hold inspiration. Give it to a player's character.",
            c.id
        )
    })
}

/// True if it may hold inspiration (AI-28).
fn holds_inspiration(encounter: &Encounter, c: &Combatant) -> bool {
    can_ever_hold(&encounter.options, c) && (c.kind == Kind::Pc || beside_a_pc(encounter, c))
}

/// True if a combatant of its kind may hold inspiration, on one side or another (AI-28).
pub(super) fn can_ever_hold(options: &Options, c: &Combatant) -> bool {
    match c.kind {
        Kind::Pc => true,
        Kind::Npc => options.npc_inspiration,
        Kind::Hazard => false,
    }
}

/// True if it may hold inspiration, as far as all viewers know.
pub(super) fn seems_inspired(encounter: &Encounter, c: &Combatant) -> bool {
    let seen_pc = |pc: &Combatant| pc.kind == Kind::Pc && pc.side == c.side && !pc.hidden;
    holds_inspiration(encounter, c) && encounter.iter().any(seen_pc)
}

/// True if a player's character is on its side.
fn beside_a_pc(encounter: &Encounter, c: &Combatant) -> bool {
    encounter
        .iter()
        .any(|pc| pc.kind == Kind::Pc && pc.side == c.side)
}

/// The inspiration points of a combatant that has some; `rule` says what they pay for.
pub(super) fn inspiration(
    encounter: &Encounter,
    c: &Combatant,
    rule: &'static str,
) -> Result<u32, Violation> {
    check_can_hold(encounter, c)?;
    let held = c.stats.inspiration.count();
    require(held > 0, "no_inspiration", rule, || {
        format!(
            "{} has no inspiration to spend. Send \"inspire\" first.",
            c.id
        )
    })?;
    Ok(held)
}

impl Inspired {
    pub(super) fn apply(&self, fold: &mut Fold<'_, ActiveInitiative>) {
        hold(fold, &self.combatant, self.inspiration);
    }
}

impl InspirationSpent {
    pub(super) fn apply(&self, fold: &mut Fold<'_, ActiveInitiative>) {
        hold(fold, &self.combatant, self.inspiration);
    }
}

fn hold(fold: &mut Fold<'_, ActiveInitiative>, id: &CombatantId, inspiration: u32) {
    fold.change(id, |c| {
        c.stats.inspiration = Int::clamped(inspiration.into());
    });
}

pub(super) fn options(encounter: &Encounter) -> Vec<LegalCommand> {
    let mut legal = Vec::new();
    for c in encounter.iter() {
        if holds_inspiration(encounter, c) {
            legal.push(LegalCommand::by::<SpendInspiration>(&c.id, "AI-29"));
            legal.push(LegalCommand::of::<Inspire>("AI-28").with("combatant", c.id.as_str()));
        }
    }
    legal
}

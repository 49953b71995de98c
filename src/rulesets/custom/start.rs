//! The start of the fight: surprise, and the side that goes first (CU-1).

use super::declare::undeclared;
use super::definition::{KnownTotal, Surprise};
use super::initiative::roll_all;
use super::point::{Point, Then};
use super::query::definition;
use super::roll::with_rolls;
use super::sides::{check_first, open_side, with_first_side};
use super::{Card, Custom, DeclarationsOpened, Encounter, Play, Roll};
use crate::rulesets::shared::{start_encounter, start_round};
use crate::vocabulary::{
    CombatantId, Fold, Int, LegalCommand, MAX_COMBATANTS, Slug, Values, Violation, command, event,
    field, require,
};
use std::collections::BTreeMap;

/// Starts the fight. Rolls or deals, unless combatants declare first.
#[command(gm, "Start the fight")]
pub struct Start {
    /// Sums of the dice rolled at the table, by combatant, group or side. The server rolls the
    /// rest.
    #[default]
    #[advanced]
    #[physical]
    pub rolls: BTreeMap<CombatantId, Int<1, 900>>,
    /// Initiatives that are known, by combatant, group or side. Two decimals are kept. Nothing is rolled
    /// or added for them.
    #[default]
    #[advanced]
    #[physical]
    pub totals: BTreeMap<CombatantId, KnownTotal>,
    /// Sums of the dice of roll-offs, at most 3 in their order, by combatant, group or side. They count
    /// only in a tie. The server rolls the rest.
    #[default]
    #[advanced]
    pub tie_rolls: BTreeMap<CombatantId, Vec<Int<1, 900>>>,
    /// Cards dealt at the table, such as `qs`, `10h` or `j1`, by combatant or group. The server
    /// deals the rest.
    #[default]
    #[advanced]
    #[physical]
    pub cards: BTreeMap<CombatantId, Card>,
    /// Surprised combatants.
    #[default]
    pub surprised: Vec<CombatantId>,
    /// The side that goes first, whatever the dice say: in this round, if each round is rolled; else
    /// in the whole fight.
    pub first_side: Option<Slug>,
}

impl Start {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<Then, Violation> {
        check_surprised(play, &self.surprised)?;
        if let Some(first) = &self.first_side {
            check_first(play.encounter(), first)?;
        }
        start_encounter(play, "CU-1")?;
        for id in &self.surprised {
            // An id may be named twice.
            if play.encounter().get(id).is_some_and(|c| !c.state.surprised) {
                play.emit(Surprised {
                    combatant: id.clone(),
                });
            }
        }
        start_round(play, 1);
        if let Some(side) = &self.first_side {
            open_side(play, side);
        }
        if undeclared(play.encounter()).next().is_some() {
            for (path, none) in [
                ("rolls", self.rolls.is_empty()),
                ("totals", self.totals.is_empty()),
                ("tie_rolls", self.tie_rolls.is_empty()),
                ("cards", self.cards.is_empty()),
            ] {
                require(
                    none,
                    "declare_first",
                    field(path),
                    || "Combatants declare first. Send dice, totals and cards with \"roll\", after the declarations.",
                )?;
            }
            play.emit(DeclarationsOpened {});
            return Ok(Then::Wait);
        }
        let rolled = Roll {
            rolls: self.rolls.clone(),
            totals: self.totals.clone(),
            tie_rolls: self.tie_rolls.clone(),
            cards: self.cards.clone(),
            first_side: None,
        };
        roll_all(play, &rolled)?;
        Ok(Then::GoOn(Point::Dealt))
    }
}

/// A combatant is surprised.
#[event("{combatant} {combatant:is|are} surprised.")]
pub struct Surprised {
    /// The combatant.
    pub combatant: CombatantId,
}

impl Surprised {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        fold.change_state(&self.combatant, |s| s.surprised = true);
    }
}

fn check_surprised(play: &Play<'_>, surprised: &[CombatantId]) -> Result<(), Violation> {
    for (i, id) in surprised.iter().enumerate() {
        let path = format!("surprised.{i}");
        play.combatant(path.clone(), id)?;
        if definition(play.encounter()).surprise == Surprise::None {
            let detail = "This order has no surprise rule. Remove \"surprised\", or set definition.surprise.";
            return Err(Violation::field("no_surprise", path, detail));
        }
    }
    Ok(())
}

pub(super) fn start_options(encounter: &Encounter) -> Vec<LegalCommand> {
    let definition = definition(encounter);
    let mut start = LegalCommand::of::<Start>("CU-1");
    if undeclared(encounter).next().is_none() {
        start = with_rolls(encounter, start);
    }
    if definition.surprise != Surprise::None {
        let everyone = Values::combatants(encounter.active().map(|c| &c.id));
        start = start.open("surprised", Values::list(everyone, MAX_COMBATANTS));
    }
    vec![with_first_side(encounter, start)]
}

//! The start of the fight: surprise, and the side that goes first (CU-1).

use super::declare::undeclared;
use super::definition::{KnownTotal, Surprise};
use super::flow::{Point, proceed};
use super::initiative::roll_all;
use super::lines::has_sides;
use super::query::definition;
use super::rank::Ranks;
use super::roll::with_rolls;
use super::sides::sort_sides;
use super::{Card, Custom, DeclarationsOpened, Encounter, Play, Roll};
use crate::rulesets::shared::{start_encounter, start_round};
use crate::vocabulary::{
    CombatantId, Fold, Int, LegalCommand, MAX_COMBATANTS, Participants, Slug, Values, Violation,
    command, event, field, ids, require,
};
use std::collections::{BTreeMap, BTreeSet};

/// Starts the fight. Rolls or deals, unless combatants declare first.
#[command(gm, "Start the fight")]
pub struct Start {
    /// Sums of the dice rolled at the table, by combatant, group or side. The server rolls the
    /// rest.
    #[default]
    #[advanced]
    pub rolls: BTreeMap<CombatantId, Int<1, 900>>,
    /// Initiatives that are known, by combatant, group or side. Two decimals are kept. Nothing is rolled
    /// or added for them.
    #[default]
    #[advanced]
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
    pub cards: BTreeMap<CombatantId, Card>,
    /// Surprised combatants.
    #[default]
    pub surprised: Vec<CombatantId>,
    /// The side that goes first, whatever the dice say: in this round, if each round is rolled; else
    /// in the whole fight.
    pub first_side: Option<Slug>,
}

impl Start {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
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
            return Ok(());
        }
        let rolled = Roll {
            rolls: self.rolls.clone(),
            totals: self.totals.clone(),
            tie_rolls: self.tie_rolls.clone(),
            cards: self.cards.clone(),
            first_side: None,
        };
        roll_all(play, &rolled)?;
        proceed(play, Point::Dealt);
        Ok(())
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

/// The side that goes first was set, whatever the dice say.
#[event("The {side} go first.")]
pub struct SideOpened {
    /// The side.
    pub side: Slug,
    /// Its combatants.
    pub combatants: Participants,
}

impl SideOpened {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        let encounter = fold.whole();
        for side in &mut encounter.state.sides {
            side.first = side.side == self.side;
        }
        let ranks = Ranks::new(encounter.options.definition(), encounter.round, None);
        sort_sides(&mut encounter.state, ranks);
    }
}

/// Lets a side go first.
pub(super) fn open_side(play: &mut Play<'_>, side: &Slug) {
    let members = play.encounter().active().filter(|c| c.side == *side);
    let combatants = ids(members).into();
    play.emit(SideOpened {
        side: side.clone(),
        combatants,
    });
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

pub(super) fn check_first(encounter: &Encounter, first: &Slug) -> Result<(), Violation> {
    require(
        has_sides(definition(encounter)),
        "no_sides",
        field("first_side"),
        || "No side goes first in this order. Remove \"first_side\", or add the key side to definition.order.",
    )?;
    let is_known = encounter.active().any(|c| c.side == *first);
    require(is_known, "unknown_side", field("first_side"), || {
        format!("No combatant of the side \"{first}\" is in the fight. Choose another side.")
    })
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

/// Opens the field for the side that goes first, of those that there are.
pub(super) fn with_first_side(encounter: &Encounter, option: LegalCommand) -> LegalCommand {
    let sides: BTreeSet<_> = encounter.active().map(|c| c.side.as_str()).collect();
    option.choose("first_side", sides)
}

//! The roll of the round: its command, and the places that it gives. How initiative is made stands in
//! `initiative.rs`.

use super::by_rule::ByRule;
use super::cards::{discard, take_out};
use super::definition::{Fact, KnownTotal};
use super::initiative::{
    deal_places, roll_all, rolls_anything, side_dice, table_cards, table_roll_offs, table_rolls,
    table_totals, takes_totals,
};
use super::lines::{deck, position_of, score_rule};
use super::places::insert_in_order;
use super::point::{Point, Then};
use super::query::definition;
use super::rank::ranks;
use super::refusal::ensure;
use super::sides::{check_first, open_side, sort_sides};
use super::{Card, Combatant, Custom, Encounter, Initiative, Mode, Place, Play};
use crate::json::CachedJson;
use crate::vocabulary::{
    CombatantId, Fold, Int, LegalCommand, Participants, Slug, Violation, command, event, fact,
};
use std::collections::BTreeMap;

/// Rolls or deals for this round.
#[command(gm, "Roll for the round")]
pub struct Roll {
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
    /// Cards dealt at the table, by combatant or group. The server deals the rest.
    #[default]
    #[advanced]
    #[physical]
    pub cards: BTreeMap<CombatantId, Card>,
    /// The side that goes first in this round, whatever the dice say.
    pub first_side: Option<Slug>,
}

impl Roll {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<Then, Violation> {
        let is_due = play.encounter().state.mode == Mode::Rolling;
        ensure(
            is_due,
            "no_roll_due",
            "CU-6",
            "score.reroll",
            || "This round needs no roll now.",
        )?;
        if let Some(first) = &self.first_side {
            check_first(play.encounter(), first)?;
            open_side(play, first);
        }
        roll_all(play, self)?;
        Ok(Then::GoOn(Point::Dealt))
    }
}

/// The round needs its dice or cards.
#[event("This round needs new initiative.")]
pub struct RollOpened {}

impl RollOpened {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        fold.state().mode = Mode::Rolling;
    }
}

/// The order of the round, or of the fight, is set.
#[event(
    "[Initiative: {places}][{places?}: {side_places}][{!places}Initiative: {side_places}]\
     [{!places}{!side_places}No combatant has a place in the order]."
)]
pub struct InitiativeRolled {
    /// The places, first to last.
    pub places: Vec<RolledPlace>,
    /// The sides, first to last.
    pub side_places: Vec<RolledSide>,
    /// Cards that were drawn and do not count. Only the game master sees them.
    #[schema(value_type = Vec<String>)]
    #[default]
    pub discarded: Vec<Card>,
}

impl ByRule for InitiativeRolled {
    fn follow(&self, encounter: &mut Encounter) {
        let state = &mut encounter.state;
        if let Some(at) = position_of(encounter.options.definition(), &Fact::Seat) {
            let first = self.places.first();
            state.first_seat = first.map(|place| place.initiative.key_at(at));
        }
        if !self.side_places.is_empty() {
            roll_sides(encounter, &self.side_places);
        }
        for place in &self.places {
            use_up_roll(encounter, &place.combatant);
        }
        for side in &self.side_places {
            for id in &side.combatants.0 {
                use_up_roll(encounter, id);
            }
        }
    }

    fn apply(&self, fold: &mut Fold<'_, Custom>) {
        let state = fold.state();
        state.rolled = true;
        state.places.clear();
        for rolled in &self.places {
            state.places.push(new_place(rolled, false));
        }
        let places = self.places.iter().map(|place| &*place.initiative);
        let sides = self.side_places.iter().map(|side| &*side.initiative);
        take_out(&mut state.cards, places.chain(sides));
        discard(&mut state.cards, &self.discarded);
    }
}

/// A combatant got its places in the order.
#[event("Joining the order: {places}.")]
pub struct Placed {
    /// Its places.
    pub places: Vec<RolledPlace>,
    /// True if the places are last, whatever the initiative.
    pub last: bool,
    /// Cards that were drawn and do not count. Only the game master sees them.
    #[schema(value_type = Vec<String>)]
    #[default]
    pub discarded: Vec<Card>,
}

impl ByRule for Placed {
    fn follow(&self, encounter: &mut Encounter) {
        let options = encounter.options.clone();
        let ranks = ranks(&options, encounter);
        let state = &mut encounter.state;
        for rolled in &self.places {
            let place = new_place(rolled, self.last);
            if self.last {
                state.places.push(place);
            } else {
                insert_in_order(&encounter.combatants, &mut state.places, place, ranks);
            }
        }
        take_out(
            &mut state.cards,
            self.places.iter().map(|place| &*place.initiative),
        );
        discard(&mut state.cards, &self.discarded);
        for rolled in &self.places {
            use_up_roll(encounter, &rolled.combatant);
        }
    }
}

/// A place in the order, and its initiative.
#[fact(row, "{combatant} {initiative}")]
pub struct RolledPlace {
    /// The combatant.
    pub combatant: CombatantId,
    /// Position among the turns of the combatant, from 0.
    #[schema(value_type = u32)]
    pub turn: usize,
    /// Its initiative.
    #[schema(value_type = Initiative)]
    #[serde(rename = "initiative_score")]
    pub initiative: CachedJson<Initiative>,
}

/// A side in the order, and its initiative.
#[fact(row, "{side} {initiative}")]
pub struct RolledSide {
    /// The side.
    pub side: Slug,
    /// Its combatants.
    pub combatants: Participants,
    /// True if the side comes last in round 1, because it is surprised.
    pub yields: bool,
    /// Its initiative.
    #[schema(value_type = Initiative)]
    #[serde(rename = "initiative_score")]
    pub initiative: CachedJson<Initiative>,
}

fn new_place(rolled: &RolledPlace, moved: bool) -> CachedJson<Place> {
    let RolledPlace {
        combatant,
        turn,
        initiative,
    } = rolled.clone();
    Place {
        combatant,
        turn,
        done: false,
        moved,
        settled: false,
        initiative,
    }
    .into()
}

fn roll_sides(encounter: &mut Encounter, rolled: &[RolledSide]) {
    let options = encounter.options.clone();
    let ranks = ranks(&options, encounter);
    let combatants = &encounter.combatants;
    for side in &mut encounter.state.sides {
        let Some(rolled) = rolled.iter().find(|rolled| rolled.side == side.side) else {
            side.drop_initiative();
            continue;
        };
        let mut rollers = rolled.combatants.0.iter();
        side.yields = rolled.yields;
        side.initiative = Some(rolled.initiative.clone());
        side.initiative_hidden = rollers.all(|id| combatants.find(id).is_some_and(|c| c.hidden));
    }
    sort_sides(&mut encounter.state, ranks);
}

fn use_up_roll(encounter: &mut Encounter, id: &CombatantId) {
    let brought = |c: &Combatant| c.stats.roll.is_some() || c.stats.initiative.is_some();
    if encounter.get(id).is_some_and(brought) {
        encounter.change(id, |c| {
            c.stats.use_up_roll();
        });
    }
}

/// Opens the fields for what the table rolls and deals itself, where the definition has dice or
/// cards.
pub(super) fn with_rolls(encounter: &Encounter, mut option: LegalCommand) -> LegalCommand {
    let definition = definition(encounter);
    let mut fighters = encounter.active();
    if fighters.any(|c| side_dice(definition, c).is_some()) {
        option = option.open("rolls", table_rolls(encounter));
    }
    if takes_totals(definition) {
        option = option.open("totals", table_totals(encounter));
    }
    if let Some(tie_rolls) = table_roll_offs(encounter) {
        option = option.open("tie_rolls", tie_rolls);
    }
    if deck(definition).is_some() {
        option = option.open("cards", table_cards(encounter));
    }
    option
}

/// Asks for the roll of this round, if one is due and there is somebody to roll.
pub(super) fn ask_for_roll(play: &mut Play<'_>) -> Option<Point> {
    let encounter = play.encounter();
    if !owes_roll(encounter) || encounter.active().next().is_none() {
        return Some(Point::Next);
    }
    if !rolls_anything(definition(encounter)) {
        deal_places(play);
        return Some(Point::Next);
    }
    play.emit(RollOpened {});
    None
}

/// Whether this round's initiative is still to be rolled.
pub(super) fn owes_roll(encounter: &Encounter) -> bool {
    score_rule(definition(encounter)).is_some() && !encounter.state.rolled
}

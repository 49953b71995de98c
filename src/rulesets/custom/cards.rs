//! Cards: the choice of the one that counts, and what goes back to the deck.

use super::by_rule::ByRule;
use super::definition::{Keep, Reshuffle};
use super::lines::deck;
use super::places::{insert_in_order, set_initiative_of};
use super::point::{Point, Then};
use super::query::definition;
use super::rank::ranks;
use super::refusal::ensure;
use super::{Card, Combatant, Custom, Encounter, Initiative, Mode, Place, Play, State};
use crate::vocabulary::{
    CombatantId, Fold, LegalCommand, Participants, Violation, command, event, field, require,
};
use std::collections::HashSet;

/// Keeps one of the cards that the combatant was dealt, before its turn.
#[command(player, "{combatant}: keep a card")]
pub struct KeepCard {
    /// The combatant.
    pub combatant: CombatantId,
    /// The card.
    pub card: Card,
}

impl KeepCard {
    /// Keeps one of the cards that a combatant was dealt for a place that has not come up.
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<Then, Violation> {
        let id = &self.combatant;
        play.fighter("combatant", id, "CU-43")?;
        let encounter = play.encounter();
        let place = place_to_choose(encounter, id);
        let cards = place.map_or(Vec::new(), |place| place.initiative.cards_to_choose());
        ensure(
            !cards.is_empty(),
            "no_other_card",
            "CU-43",
            "score.deck.keep",
            || format!("{id} has no other card to keep."),
        )?;
        require(
            cards.contains(&self.card),
            "no_such_card",
            field("card"),
            || {
                let cards: Vec<_> = cards.iter().map(|card| card.sign()).collect();
                format!("{id} was not dealt this card. Cards: {}.", cards.join(", "))
            },
        )?;
        play.emit(CardKept {
            combatant: id.clone(),
            card: self.card,
        });
        Ok(Then::Settle)
    }
}

/// Combatants that were dealt several cards choose which of them counts.
#[event("Which card counts?")]
pub struct CardChoiceOpened {}

impl CardChoiceOpened {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        fold.state().mode = Mode::Keeping;
    }
}

/// The choice is over: the best card counts for all that have not chosen.
#[event("The best card counts for {combatants}.")]
pub struct CardChoiceClosed {
    /// The combatants that have not chosen.
    pub combatants: Participants,
}

impl CardChoiceClosed {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        close_card_choice(fold.state(), &self.combatants);
    }
}

/// A combatant chose one of its cards, also for those that share it.
#[event("{combatant} {combatant:keeps|keep} the {card}.")]
pub struct CardKept {
    /// The combatant.
    pub combatant: CombatantId,
    /// The card that counts now.
    pub card: Card,
}

impl ByRule for CardKept {
    /// Lets another card count for a combatant, and for those that share it.
    fn follow(&self, encounter: &mut Encounter) {
        let options = encounter.options.clone();
        let ranks = ranks(&options, encounter);
        let places = &mut encounter.state.places;
        let own = places.iter().find(|place| {
            let cards = place.initiative.cards_to_choose();
            place.combatant == self.combatant && cards.contains(&self.card)
        });
        let Some(before) = own.and_then(|place| place.initiative.card) else {
            return;
        };
        let (sharing, others): (Vec<_>, Vec<_>) = places
            .drain(..)
            .partition(|place| place.initiative.card == Some(before));
        *places = others;
        for mut place in sharing {
            let kept = place.initiative.keeping(self.card);
            set_initiative_of(&mut place, kept);
            insert_in_order(&encounter.combatants, places, place, ranks);
        }
    }
}

/// All cards that are not in play were shuffled into the deck.
#[event("The deck is shuffled.")]
pub struct Reshuffled {}

impl Reshuffled {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        reshuffle(fold.state());
    }
}

/// Lets cards go back. Those of the round's places stay out, if its initiative is known.
fn reshuffle(state: &mut State) {
    let mut kept = Vec::new();
    if state.rolled {
        let places = state.places.iter().map(|place| &*place.initiative);
        let sides = state
            .sides
            .iter()
            .filter_map(|side| side.initiative.as_deref());
        take_out(&mut kept, places.chain(sides));
    }
    state.cards = kept;
}

/// Takes the cards of initiative out of the deck. A group has one card for all its places.
pub(super) fn take_out<'t>(out: &mut Vec<Card>, initiative: impl Iterator<Item = &'t Initiative>) {
    for initiative in initiative {
        discard(out, initiative.card.as_slice());
        discard(out, &initiative.spare);
    }
}

/// Takes cards out of the deck.
pub(super) fn discard(out: &mut Vec<Card>, cards: &[Card]) {
    for card in cards {
        if !out.contains(card) {
            out.push(*card);
        }
    }
}

/// Ends the choice of these combatants: the cards that count stay, and the others are out.
fn close_card_choice(state: &mut State, combatants: &[CombatantId]) {
    let combatants: HashSet<_> = combatants.iter().collect();
    for place in &mut state.places {
        if place.initiative.spare.is_empty() || !combatants.contains(&place.combatant) {
            continue;
        }
        let initiative = Initiative {
            spare: Vec::new(),
            ..Initiative::clone(&place.initiative)
        };
        *place = Place {
            initiative: initiative.into(),
            ..Place::clone(place)
        }
        .into();
    }
}

/// The cards that combatants may keep, of those that they were dealt.
pub(super) fn card_options(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    if deck(definition(encounter)).is_none_or(|deck| deck.keep != Keep::Choose) {
        return;
    }
    let mut listed = HashSet::new();
    for place in &encounter.state.places {
        let id = &place.combatant;
        if may_choose_card(place) && encounter.is_active(id) && listed.insert(id) {
            let cards = place.initiative.cards_to_choose();
            let keep = LegalCommand::by::<KeepCard>(id, "CU-43");
            legal.push(keep.open("card", Card::choice(cards)));
        }
    }
}

/// Whether the cards go back to the deck after this round.
pub(super) fn reshuffles(encounter: &Encounter) -> bool {
    let reshuffle = deck(definition(encounter)).map(|deck| deck.reshuffle);
    match reshuffle {
        Some(Reshuffle::Round) => true,
        Some(Reshuffle::Joker) => encounter.state.cards.iter().any(|card| card.is_joker()),
        Some(Reshuffle::Empty) | None => false,
    }
}

/// Asks which cards count, if combatants have been dealt several to choose from.
pub(super) fn ask_for_cards(play: &mut Play<'_>) -> Option<Point> {
    if choosing_cards(play.encounter()).next().is_none() {
        return Some(Point::Next);
    }
    play.emit(CardChoiceOpened {});
    None
}

/// The place of a combatant for which it may still choose another card.
fn place_to_choose<'t>(encounter: &'t Encounter, id: &CombatantId) -> Option<&'t Place> {
    let mut places = encounter.state.places.iter();
    let place = places.find(|place| place.combatant == *id && may_choose_card(place))?;
    Some(place)
}

/// Whether a place may still have another card.
fn may_choose_card(place: &Place) -> bool {
    !place.done && !place.initiative.spare.is_empty()
}

/// The combatants that may still choose which of their cards counts.
pub(super) fn choosing_cards(encounter: &Encounter) -> impl Iterator<Item = &Combatant> {
    let mut choosing = HashSet::new();
    for place in &encounter.state.places {
        if may_choose_card(place) {
            choosing.insert(&place.combatant);
        }
    }
    encounter.active().filter(move |c| choosing.contains(&c.id))
}

//! Delayed Initiative: a turn moves permanently to a later PC Turn (DC-32 to DC-37).

use super::lay::new_pc_turn;
use super::slots::{put_into, vacate};
use super::team::{holds_place, is_enemy, known_slot, team};
use super::{
    Combatant, CombatantState, Dc20, Encounter, Play, Slot, SlotAdded, SlotId, State, Team, Way,
};
use crate::vocabulary::{
    CombatantId, Fold, LegalCommand, Values, Violation, command, event, ids, require,
};

/// Delay a turn permanently: to a later PC Turn (`slot`), or `behind` an enemy.
#[command(player, "{combatant}: delay[ until after {behind}]")]
pub struct Delay {
    /// The combatant.
    pub combatant: CombatantId,
    /// The later PC Turn (DC-33).
    pub slot: Option<SlotId>,
    /// The visible enemy behind which the turn continues (DC-34).
    pub behind: Option<CombatantId>,
}

/// A delayed turn is held behind an enemy without a turn. `delayed` follows when the enemy gets a
/// turn or no turn of it comes any more (DC-34b), at the latest at the end of the order (DC-34).
#[event("{combatant} {combatant:delays|delay}[ until after {behind}].")]
pub struct PlaceHeld {
    /// The combatant.
    pub combatant: CombatantId,
    /// The enemy.
    pub behind: Option<CombatantId>,
}

/// A turn moved permanently to a later PC Turn; no Action Points came back (DC-33 to DC-36).
#[event("{combatant} {combatant:delays|delay} to {slot}.")]
pub struct Delayed {
    /// The combatant.
    pub combatant: CombatantId,
    /// The turn in which it continues.
    pub slot: SlotId,
    /// `delayed` if `delay` named the PC Turn (DC-33). `delayed_after` if it named an enemy, also
    /// for a later move with that enemy, and if no turn of the enemy came (DC-34, DC-34b).
    pub because: Way,
    /// The enemy, if the turn moves with it (DC-34b).
    pub behind: Option<CombatantId>,
}

impl Delay {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        let delayer = play.in_turn(id, "DC-32")?;
        let is_member = team(&play.encounter().state, delayer) == Team::Pc;
        require(is_member, "not_on_the_pc_team", "DC-33", || {
            format!(
                "Only members of the PC team can delay, and {id} isn't one. Send \"end_turn\" instead."
            )
        })?;
        match (&self.slot, &self.behind) {
            (Some(to), None) => {
                check_later_pc_turn(play, delayer, to)?;
                move_to(play, id, to.clone(), Way::Delayed, None);
                Ok(())
            }
            (None, Some(enemy)) => delay_behind(play, id, enemy),
            _ => {
                let detail = "A delay needs either \"slot\", a later PC Turn, or \"behind\", an enemy. Send one of them.";
                Err(Violation::field("slot_or_behind", "slot", detail))
            }
        }
    }
}

/// Refuses a turn that is not a later PC Turn which the combatant sees.
fn check_later_pc_turn(play: &Play<'_>, delayer: &Combatant, to: &SlotId) -> Result<(), Violation> {
    let slot = known_slot(play, "slot", to)?;
    require(slot.team == Team::Pc, "not_a_pc_turn", "DC-37", || {
        format!("{} isn't a PC Turn. Choose a later PC Turn.", to.title())
    })?;
    let open = !slot.unseen || delayer.hidden;
    require(open, "unseen_turn", "DC-33", || {
        format!(
            "Only hidden combatants take {}. Choose another turn.",
            to.title()
        )
    })?;
    let later = play.encounter().state.later();
    let is_later = later.iter().any(|slot| slot.id == *to);
    require(is_later, "not_later", "DC-37", || {
        format!(
            "{} isn't later in the order than this turn. Choose a later one.",
            to.title()
        )
    })
}

/// Delays until after an enemy (DC-34). Behind one without a turn the place is held.
fn delay_behind(
    play: &mut Play<'_>,
    id: &CombatantId,
    enemy: &CombatantId,
) -> Result<(), Violation> {
    let c = play.combatant("behind", enemy)?;
    require(!c.hidden, "not_seen", "DC-34", || {
        format!("{enemy} is hidden. Delay until after a visible enemy.")
    })?;
    require(is_enemy(c) && c.active(), "not_an_enemy", "DC-34", || {
        format!("{enemy} isn't an enemy in the fight. To act after an ally, delay to that PC Turn.")
    })?;
    let state = &play.encounter().state;
    if c.state.slot.is_none() && !c.acted && !state.acting.contains(enemy) {
        play.emit(PlaceHeld {
            combatant: id.clone(),
            behind: Some(enemy.clone()),
        });
        return Ok(());
    }
    let mut later = state.later().iter();
    let is_later = later.any(|slot| slot.occupants.contains(enemy));
    require(is_later, "not_later", "DC-37", || {
        format!("{enemy}'s turn isn't later in the order than this one. Name another enemy.")
    })?;
    move_behind(play, id, enemy);
    Ok(())
}

/// Where a held turn continues.
enum Place {
    /// After the turn of this enemy.
    After(CombatantId),
    /// In the next PC Turn: no turn of the enemy comes any more.
    Next,
}

/// Gives a place to each turn that is held behind an enemy which has a turn by now, or has none to
/// come (DC-34b).
pub(super) fn place_held_turns(play: &mut Play<'_>) {
    for id in held_turns(play.encounter()) {
        match place_of(play.encounter(), &id) {
            Some(Place::After(enemy)) => move_behind(play, &id, &enemy),
            Some(Place::Next) => {
                let to = pc_turn_after(&play.encounter().state, None);
                move_to_or_add(play, &id, to, None);
            }
            None => {}
        }
    }
}

/// The place of a held turn, if the enemy decides it by now. A hidden enemy decides nothing: that
/// would show it.
fn place_of(encounter: &Encounter, id: &CombatantId) -> Option<Place> {
    let behind = encounter.get(id)?.state.behind.as_ref()?;
    let Some(enemy) = encounter.get(behind) else {
        return Some(Place::Next);
    };
    let acts = enemy.acted || encounter.state.acting.contains(behind);
    if enemy.hidden {
        None
    } else if !is_enemy(enemy) || !enemy.active() {
        Some(Place::Next)
    } else if enemy.state.slot.is_some() {
        Some(Place::After(behind.clone()))
    } else {
        acts.then_some(Place::Next)
    }
}

/// Moves the turns that are delayed behind these enemies, because the enemies have moved (DC-34b).
pub(super) fn follow(play: &mut Play<'_>, moved: &[CombatantId]) {
    for (id, enemy) in followers(play.encounter(), moved) {
        move_behind(play, &id, &enemy);
    }
}

/// The combatants whose delayed turns come after the turns of these enemies, each with its enemy.
fn followers(encounter: &Encounter, moved: &[CombatantId]) -> Vec<(CombatantId, CombatantId)> {
    let state = &encounter.state;
    let mut followers = Vec::new();
    for c in encounter.waiting() {
        let Some(enemy) = &c.state.behind else {
            continue;
        };
        let is_seen = encounter.get(enemy).is_some_and(|enemy| !enemy.hidden);
        if !is_seen || !moved.contains(enemy) || state.acting.contains(&c.id) {
            continue;
        }
        if c.state.slot.is_none() || pc_turn_after(state, Some(enemy)) != c.state.slot {
            followers.push((c.id.clone(), enemy.clone()));
        }
    }
    followers
}

/// At the end of the order, gives the turns that are still held one new PC Turn. Returns whether
/// there are any.
pub(super) fn place_remaining_held_turns(play: &mut Play<'_>) -> bool {
    let held = held_turns(play.encounter());
    if held.is_empty() {
        return false;
    }
    let to = add_pc_turn(play);
    for id in &held {
        move_to(play, id, to.clone(), Way::DelayedAfter, None);
    }
    true
}

/// The combatants that delayed and have no place yet.
fn held_turns(encounter: &Encounter) -> Vec<CombatantId> {
    let state = &encounter.state;
    ids(encounter.waiting().filter(|c| holds_place(state, c)))
}

/// Moves a turn to the next PC Turn after that enemy's turn, or else to a new one (DC-34).
fn move_behind(play: &mut Play<'_>, id: &CombatantId, enemy: &CombatantId) {
    let to = pc_turn_after(&play.encounter().state, Some(enemy));
    move_to_or_add(play, id, to, Some(enemy));
}

/// Moves a turn to this PC Turn, or else to a new one.
fn move_to_or_add(
    play: &mut Play<'_>,
    id: &CombatantId,
    to: Option<SlotId>,
    behind: Option<&CombatantId>,
) {
    let to = match to {
        Some(to) => to,
        None => add_pc_turn(play),
    };
    move_to(play, id, to, Way::DelayedAfter, behind);
}

/// The next PC Turn after that enemy's turn (DC-34a), or from now on if that turn has passed.
fn pc_turn_after(state: &State, enemy: Option<&CombatantId>) -> Option<SlotId> {
    let later = state.later();
    let is_enemy_turn = |slot: &Slot| enemy.is_some_and(|enemy| slot.occupants.contains(enemy));
    let after_enemy = match later.iter().position(is_enemy_turn) {
        Some(place) => later.get(place + 1..)?,
        None => later,
    };
    let next = after_enemy
        .iter()
        .find(|slot| slot.team == Team::Pc && !slot.unseen)?;
    Some(next.id.clone())
}

/// Adds a PC Turn at the end of the order.
fn add_pc_turn(play: &mut Play<'_>) -> SlotId {
    let slot = new_pc_turn(&play.encounter().state);
    let id = slot.id.clone();
    play.emit(SlotAdded {
        added: slot,
        follows: None,
    });
    id
}

fn move_to(
    play: &mut Play<'_>,
    id: &CombatantId,
    slot: SlotId,
    because: Way,
    behind: Option<&CombatantId>,
) {
    play.emit(Delayed {
        combatant: id.clone(),
        slot,
        because,
        behind: behind.cloned(),
    });
}

impl PlaceHeld {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        fold.state().acting.retain(|id| *id != self.combatant);
        vacate(fold, &self.combatant);
        fold.change_state(&self.combatant, |s| {
            s.slot = None;
            s.placed = None;
            s.delayed = true;
            s.behind.clone_from(&self.behind);
        });
    }
}

impl Delayed {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        fold.state().acting.retain(|id| *id != self.combatant);
        put_into(
            fold,
            &self.slot,
            std::slice::from_ref(&self.combatant),
            self.because,
        );
        fold.change_state(&self.combatant, |s| {
            s.delayed = true;
            s.behind.clone_from(&self.behind);
        });
    }
}

/// No turn follows this enemy any more, of those for which `wanted` holds.
pub(super) fn stop_following(
    fold: &mut Fold<'_, Dc20>,
    enemy: &CombatantId,
    wanted: impl Fn(&CombatantState) -> bool,
) {
    fold.change_states(
        |s| s.behind.as_ref() == Some(enemy) && wanted(s),
        |s| s.behind = None,
    );
}

/// The later PC Turns, and the combatants behind whose turns one may delay.
pub(super) struct Later<'t> {
    pc_turns: Vec<&'t str>,
    combatants: Vec<&'t CombatantId>,
}

impl<'t> Later<'t> {
    pub(super) fn of(encounter: &'t Encounter) -> Self {
        let mut pc_turns = Vec::new();
        // Combatants that come later, or have no turn yet.
        let mut combatants = Vec::new();
        for slot in encounter.state.later() {
            if slot.team == Team::Pc {
                pc_turns.push(slot.id.as_str());
            }
            combatants.extend(&slot.occupants);
        }
        for c in encounter.waiting() {
            if c.state.slot.is_none() {
                combatants.push(&c.id);
            }
        }
        Self {
            pc_turns,
            combatants,
        }
    }
}

pub(super) fn options(later: &Later<'_>, id: &CombatantId) -> [LegalCommand; 2] {
    [
        LegalCommand::by::<Delay>(id, "DC-33")
            .labelled("{combatant}: delay to a later PC Turn")
            .open(
                "slot",
                Values::coded(later.pc_turns.iter().copied(), SlotId::said),
            )
            .required("slot"),
        LegalCommand::by::<Delay>(id, "DC-34")
            .labelled("{combatant}: delay until after [{behind}][{!behind}someone]")
            .whom("behind", later.combatants.iter().copied())
            .required("behind"),
    ]
}

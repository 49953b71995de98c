//! A definition that changes during play.

use super::bounds;
use super::flow::{Point, proceed};
use super::initiative::{check_known, check_own_roll};
use super::lines::clock;
use super::query::top;
use super::{ChangeDefinition, Combatant, DefinitionChanged, Encounter, Play, Turn, TurnOrigin};
use crate::json::FieldError;
use crate::vocabulary::{CombatantId, Expiry, Status, Violation, ids, require};

/// Whether the game master may change the definition now: no turn of the round has ended.
pub(super) fn may_change_definition(encounter: &Encounter) -> bool {
    let turns = &encounter.state.turns;
    let begun = current_turn(encounter);
    let is_first = |turn: &Turn| turn.origin == TurnOrigin::Normal;
    let has_ended = |c: &Combatant| {
        c.acted || c.state.turns_taken > u32::from(begun.contains(&c.id)) || c.state.delaying
    };
    match encounter.status {
        Status::Setup => true,
        Status::Running => {
            turns.len() < 2 && turns.iter().all(is_first) && !encounter.iter().any(has_ended)
        }
        Status::Ended => false,
    }
}

/// Changes the definition, and lets the round of a fight that is running start anew.
pub(super) fn change_definition(
    play: &mut Play<'_>,
    c: &ChangeDefinition,
) -> Result<(), Violation> {
    let encounter = play.encounter();
    require(
        may_change_definition(encounter),
        "round_is_underway",
        "CU-59",
        || "A turn of this round has ended. Send \"end_round\" first, or change the definition in the first turn of the next round.",
    )?;
    let options = encounter.options.changed(c.preset, c.definition.as_ref());
    let options = options.map_err(|mistakes| first_of(&mistakes))?;
    let resumed = current_turn(encounter).to_vec();
    let mut counted = Vec::new();
    for effect in &encounter.effects {
        let anchor = effect.expires.anchor();
        if matches!(effect.expires, Expiry::TurnStart { .. })
            && anchor.is_some_and(|anchor| resumed.contains(anchor))
        {
            counted.push(effect.id.clone());
        }
    }
    let outdated = encounter.iter().filter(|c| {
        check_known(options.definition(), c).is_err()
            || check_own_roll(options.definition(), c).is_err()
    });
    let ticks = clock(options.definition()).map_or(0, |clock| clock.ticks.count());
    let changed = DefinitionChanged {
        tick: ticks.saturating_mul(encounter.round.saturating_sub(1)),
        resumed,
        counted,
        outdated: ids(outdated),
        options,
    };
    play.emit(changed);
    if let Err(wrong) = bounds::check_state(play.encounter()) {
        let detail = format!("The definition does not fit this fight: {wrong}.");
        return Err(Violation::field("unsound_definition", "definition", detail));
    }
    if play.encounter().status == Status::Running {
        proceed(play, Point::Declare);
    }
    Ok(())
}

/// The refusal for the first mistake of a definition, which says how many there are.
fn first_of(mistakes: &[FieldError]) -> Violation {
    let Some(first) = mistakes.first() else {
        return Violation::field(
            "unsound_definition",
            "definition",
            "The definition makes no sense.",
        );
    };
    let mut detail = first.message.clone();
    if let [_, _, ..] = mistakes {
        detail += &format!(" It is the first of {} mistakes.", mistakes.len());
    }
    Violation::field("unsound_definition", first.path.clone(), detail)
}

/// The combatants whose turn is going on, also those that are done with its steps.
fn current_turn(encounter: &Encounter) -> &[CombatantId] {
    match top(encounter) {
        Some(turn) => &turn.combatants,
        None => &[],
    }
}

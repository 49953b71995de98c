//! A definition that changes during play (CU-59).

use super::bounds::check_state;
use super::flow::{Point, proceed};
use super::initiative::{check_known, check_own_roll};
use super::lines::clock;
use super::query::top;
use super::roll::use_up_roll;
use super::round::round_started;
use super::{
    Combatant, CombatantState, Custom, Encounter, Options, Play, Preset, State, Turn, TurnOrigin,
};
use crate::json::FieldError;
use crate::vocabulary::{
    CombatantId, EffectId, Expiry, Fold, Status, Violation, command, event, ids, require,
};
use serde_json::Value;
use std::sync::Arc;

/// Changes the definition, checked as at creation: before the start, or before a turn of the round has
/// ended. The round starts anew: initiative is rolled, and pools have their start. Numbers that the
/// new definition does not have are gone.
#[command(gm, "Change the definition")]
pub struct ChangeDefinition {
    /// A preset to begin with; without it, the present definition.
    #[schema(inline)]
    pub preset: Option<Preset>,
    /// The lines that differ, as at creation: objects are merged, and null takes a line back to its
    /// default.
    #[schema(value_type = Option<BTreeMap<String, Value>>)]
    pub definition: Option<Value>,
}

/// The game master changed the definition. If the fight is running, its round starts anew.
#[event("The turn order changes.")]
pub struct DefinitionChanged {
    /// The new options, as the encounter shows them.
    #[schema(value_type = std::collections::HashMap<String, serde_json::Value>)]
    pub options: Options,
    /// On a clock, the tick before the round.
    pub tick: u32,
    /// The combatants whose turns had started.
    pub resumed: Vec<CombatantId>,
    /// The effects that have counted the start of those turns.
    pub counted: Vec<EffectId>,
    /// The combatants whose brought roll or initiative makes no sense any more.
    pub outdated: Vec<CombatantId>,
}

impl DefinitionChanged {
    /// Takes a new definition. The round of a fight that is running starts anew.
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        let encounter = fold.whole();
        encounter.options = self.options.clone();
        let numbers = &self.options.definition().numbers;
        for c in encounter.combatants.iter_mut() {
            if c.stats
                .numbers
                .keys()
                .any(|name| !numbers.contains_key(name))
            {
                let known = Arc::make_mut(&mut c.change().stats.numbers);
                known.retain(|name, _| numbers.contains_key(name));
            }
        }
        for id in &self.outdated {
            use_up_roll(encounter, id);
        }
        if encounter.status != Status::Running {
            return;
        }
        encounter.counted.clear();
        encounter.state = State {
            tick: self.tick,
            ..State::default()
        };
        for c in encounter.combatants.iter_mut() {
            let c = c.change();
            c.acted = false;
            c.state = CombatantState::default();
        }
        round_started(encounter, true);
        for id in &self.resumed {
            encounter.change_state(id, |s| {
                s.resumes = true;
                s.counted.clone_from(&self.counted);
            });
        }
    }
}

impl ChangeDefinition {
    /// Changes the definition, and lets the round of a fight that is running start anew.
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let encounter = play.encounter();
        require(
            may_change_definition(encounter),
            "round_is_underway",
            "CU-59",
            || "A turn of this round has ended. Send \"end_round\" first, or change the definition in the first turn of the next round.",
        )?;
        let options = encounter
            .options
            .changed(self.preset, self.definition.as_ref());
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
        if let Err(wrong) = check_state(play.encounter()) {
            let detail = format!("The definition does not fit this fight: {wrong}.");
            return Err(Violation::field("unsound_definition", "definition", detail));
        }
        if play.encounter().status == Status::Running {
            proceed(play, Point::Declare);
        }
        Ok(())
    }
}

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

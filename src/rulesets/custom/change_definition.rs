//! A definition that changes during play (CU-59).

use super::bounds::check_state;
use super::by_rule::ByRule;
use super::definition::{Definition, Prepare};
use super::initiative::{check_known, check_own_roll};
use super::lines::{clock, has_clock};
use super::point::{Point, Then};
use super::pools::first_pools;
use super::query::definition;
use super::{CombatantState, Custom, DelayLapsed, Encounter, Mode, Options, Play, Preset, State};
use crate::json::FieldError;
use crate::vocabulary::{
    CombatantId, Event as AnyEvent, Fold, Status, Violation, command, event, ids,
};
use serde_json::Value;
use std::sync::Arc;

/// Changes the definition, checked as at creation: at once before the start, else from the next round
/// on, which starts as the first one of the new definition: initiative is rolled, and pools have
/// their start. Delays end, and numbers that the new definition does not have are gone.
#[command(gm, "Change the definition")]
pub struct ChangeDefinition {
    /// A preset to begin with; without it, the present definition, or the one that is to come.
    #[schema(inline)]
    pub preset: Option<Preset>,
    /// The lines that differ, as at creation: objects are merged, and null takes a line back to its
    /// default.
    #[schema(value_type = Option<BTreeMap<String, Value>>)]
    pub definition: Option<Value>,
}

impl ChangeDefinition {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<Then, Violation> {
        let encounter = play.encounter();
        let base = encounter.state.planned.as_ref();
        let base = base.unwrap_or(&encounter.options);
        let options = base.changed(self.preset, self.definition.as_ref());
        let options = options.map_err(|mistakes| first_of(&mistakes))?;
        let change = changed(encounter, options.clone(), encounter.round);
        let mut ahead = encounter.clone();
        ahead.apply(&AnyEvent::Own(change.clone().into()));
        if let Err(wrong) = check_state(&ahead) {
            let detail = format!("The definition does not fit this fight: {wrong}.");
            return Err(Violation::field("unsound_definition", "definition", detail));
        }
        if encounter.status == Status::Setup {
            play.emit(change);
        } else {
            play.emit(DefinitionPlanned { options });
        }
        // On a clock the choice that is open may be one of the next round.
        if is_choice_by_tick(play.encounter()) {
            return Ok(Then::GoOn(Point::Next));
        }
        Ok(Then::Wait)
    }
}

fn is_choice_by_tick(encounter: &Encounter) -> bool {
    encounter.state.mode == Mode::Choosing && has_clock(definition(encounter))
}

/// The game master changed the definition, from the next round on.
#[event("The turn order changes with the next round.")]
pub struct DefinitionPlanned {
    /// The options that come, as the encounter will show them.
    #[schema(value_type = std::collections::HashMap<String, serde_json::Value>)]
    pub options: Options,
}

impl DefinitionPlanned {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        fold.state().planned = Some(self.options.clone());
    }
}

/// Another definition holds.
#[event("The turn order changes.")]
pub struct DefinitionChanged {
    /// The new options, as the encounter shows them.
    #[schema(value_type = std::collections::HashMap<String, serde_json::Value>)]
    pub options: Options,
    /// On a clock, the tick before the round.
    pub tick: u32,
    /// The combatants whose brought roll or initiative makes no sense any more.
    pub outdated: Vec<CombatantId>,
}

impl ByRule for DefinitionChanged {
    fn follow(&self, encounter: &mut Encounter) {
        if encounter.status == Status::Running {
            begin_anew(encounter, self.options.definition(), self.tick);
        }
    }

    fn apply(&self, fold: &mut Fold<'_, Custom>) {
        fold.set_options(self.options.clone());
        fold.state().planned = None;
        let known = &self.options.definition().numbers;
        fold.change_all(
            |c| c.stats.numbers.keys().any(|name| !known.contains_key(name)),
            |c| Arc::make_mut(&mut c.stats.numbers).retain(|name, _| known.contains_key(name)),
        );
        for id in &self.outdated {
            fold.change(id, |c| c.stats.use_up_roll());
        }
    }
}

/// Keeps what lasts beyond a round, such as who acted last, and forgets what the definition before has
/// made.
fn begin_anew(encounter: &mut Encounter, definition: &Definition, tick: u32) {
    let before = std::mem::take(&mut encounter.state);
    encounter.state = State {
        mode: before.mode,
        fresh: true,
        tick,
        sides: before.sides,
        turns: before.turns,
        last: before.last,
        opened: before.opened,
        stood_before: before.stood_before,
        last_side: before.last_side,
        last_side_hidden: before.last_side_hidden,
        ..State::default()
    };
    let mut pools = Vec::new();
    for side in &encounter.state.sides {
        pools.push(first_pools(encounter, &side.side));
    }
    for (side, pools) in encounter.state.sides.iter_mut().zip(pools) {
        side.drop_initiative();
        side.yields = false;
        side.reached = None;
        side.pools = pools;
    }
    for c in encounter.combatants.iter_mut() {
        let c = c.change();
        let mut readied_reactions = std::mem::take(&mut c.state.readied_reactions);
        readied_reactions.retain(|name| {
            let rule = definition.reactions.get(name);
            rule.is_some_and(|rule| rule.prepare == Prepare::Ready)
        });
        c.state = CombatantState {
            surprised: c.state.surprised,
            readied_reactions,
            ..CombatantState::default()
        };
    }
}

/// Lets the definition hold that was to come with the next round. True if there was one.
pub(super) fn change_if_planned(play: &mut Play<'_>, round: u32) -> bool {
    let Some(options) = play.encounter().state.planned.clone() else {
        return false;
    };
    let delaying = play.encounter().iter().filter(|c| c.state.delaying);
    for combatant in ids(delaying) {
        play.emit(DelayLapsed { combatant });
    }
    let change = changed(play.encounter(), options, round);
    play.emit(change);
    true
}

/// The change to these options, in this round.
fn changed(encounter: &Encounter, options: Options, round: u32) -> DefinitionChanged {
    let definition = options.definition();
    let outdated = encounter
        .iter()
        .filter(|c| check_known(definition, c).is_err() || check_own_roll(definition, c).is_err());
    let outdated = ids(outdated);
    let ticks = clock(definition).map_or(0, |clock| clock.ticks.count());
    DefinitionChanged {
        tick: ticks.saturating_mul(round.saturating_sub(1)),
        outdated,
        options,
    }
}

/// The refusal for the first mistake of a definition, which says how many there are.
fn first_of(mistakes: &[FieldError]) -> Violation {
    let Some(first) = mistakes.first() else {
        let detail = "The definition makes no sense.";
        return Violation::field("unsound_definition", "definition", detail);
    };
    let mut detail = first.message.clone();
    if let [_, _, ..] = mistakes {
        detail += &format!(" It is the first of {} mistakes.", mistakes.len());
    }
    Violation::field("unsound_definition", first.path.clone(), detail)
}

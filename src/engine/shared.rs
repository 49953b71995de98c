//! The commands that every ruleset understands. Rulesets react to their events.

use super::{MAX_CONDITIONS, MAX_EFFECTS, roster};
use crate::vocabulary::*;

/// Decides a shared command: emits its events, and lets the ruleset react to those that can change the turn order.
pub(super) fn decide<R: Ruleset>(play: &mut Play<'_, R>, command: SharedCommand) -> Result<(), SharedError> {
    match command {
        SharedCommand::Damage(c) => damage(play, &c)?,
        SharedCommand::Heal(c) => heal(play, &c)?,
        SharedCommand::SetCondition(c) => {
            let (target, member) = (&c.target, c.member.as_ref());
            if play.conditions(target, member)?.len() >= MAX_CONDITIONS {
                let detail = format!("{target} has {MAX_CONDITIONS} conditions already: clear one first");
                return Err(Violation::new("too_many_conditions", "TK-4", detail).into());
            }
            set_condition(play, target, member, c.condition)?;
        }
        SharedCommand::ClearCondition(c) => clear_condition(play, &c.target, c.member.as_ref(), c.condition)?,
        SharedCommand::AddEffect(c) => add_effect(play, c.effect)?,
        SharedCommand::RemoveEffect(c) => {
            if !play.table().effects.iter().any(|e| e.id == c.effect) {
                let detail = format!("there is no effect {} in this encounter", c.effect);
                return Err(Violation::field("unknown_effect", "effect", detail).into());
            }
            emit_and_react(play, EffectEnded { effect: c.effect, because: Text::fixed("removed") })?;
        }
        SharedCommand::AddCombatant(c) => {
            let combatant = roster::new_combatant(play.table(), c.combatant).map_err(|e| e.within("combatant"))?;
            R::check_stats(&play.table().options, &combatant.stats).map_err(|e| e.within("combatant"))?;
            roster::check_room_and_id(play.table(), &combatant)?;
            emit_roster_and_react(play, RosterEvent::CombatantJoined { combatant: Box::new(combatant) })?;
        }
        SharedCommand::UpdateCombatant(c) => {
            let combatant = play.combatant("combatant", &c.combatant)?;
            let combatant = roster::updated_combatant(combatant, c.changes).map_err(|e| e.within("changes"))?;
            R::check_stats(&play.table().options, &combatant.stats).map_err(|e| e.within("changes"))?;
            emit_roster_and_react(play, RosterEvent::CombatantUpdated { combatant: Box::new(combatant) })?;
        }
        SharedCommand::UpdateEncounter(UpdateEncounter { name: None, metadata: None }) => {
            return Err(
                FieldError::malformed("name", "a name or metadata are expected: there is nothing to change").into()
            );
        }
        SharedCommand::UpdateEncounter(c) => play.shared(EncounterUpdated { name: c.name, metadata: c.metadata }),
        SharedCommand::RemoveCombatant(c) => remove(play, c.combatant)?,
        SharedCommand::Override(c) => give_turn(play, c.combatant)?,
        SharedCommand::Note(c) => play.shared(Noted { text: c.text, readers: c.readers }),
        SharedCommand::EndEncounter(_) => {
            play.tick(Moment::EncounterEnd);
            emit_and_react(play, EncounterEnded {})?;
        }
        SharedCommand::Undo(_) | SharedCommand::Redo(_) => {
            let alone = "undo and redo are sent alone: a list is one step, which one undo takes back";
            return Err(FieldError::meaningless("type", alone).into());
        }
    }
    Ok(())
}

/// Why a shared command was refused: a [`Refusal`](super::Refusal) that does not know the path of its command yet.
pub(super) enum SharedError {
    Field(FieldError),
    Violation(Violation),
}

impl From<FieldError> for SharedError {
    fn from(error: FieldError) -> Self {
        Self::Field(error)
    }
}

impl From<Violation> for SharedError {
    fn from(violation: Violation) -> Self {
        Self::Violation(violation)
    }
}

fn emit_and_react<R: Ruleset>(play: &mut Play<'_, R>, event: impl Into<SharedEvent>) -> Result<(), Violation> {
    let event = Event::Shared(event.into());
    play.emit(event.clone());
    R::react(play, &event)
}

fn emit_roster_and_react<R: Ruleset>(play: &mut Play<'_, R>, event: RosterEvent<R>) -> Result<(), Violation> {
    let event = Event::Roster(event);
    play.emit(event.clone());
    R::react(play, &event)
}

fn damage<R: Ruleset>(play: &mut Play<'_, R>, c: &Damage) -> Result<(), Violation> {
    let Wound { damaged, down } = play.wound(c)?;
    emit_and_react(play, SharedEvent::Damaged(damaged))?;
    down.map_or(Ok(()), |down| set_condition(play, &c.target, c.member.as_ref(), down))
}

fn heal<R: Ruleset>(play: &mut Play<'_, R>, c: &Heal) -> Result<(), Violation> {
    let hp = play.hit_points(&c.target, c.member.as_ref())?;
    let amount = c.amount.count();
    let after = hp.map(|hp| {
        let max = hp.max.unwrap_or(hp.current).count();
        hp.current.count().saturating_add(amount).min(max)
    });
    let combatant = c.target.clone();
    emit_and_react(play, Healed { combatant, member: c.member.clone(), amount, hp: after })?;
    let rose = hp.is_some_and(|hp| hp.current.get() == 0) && after.is_some_and(|n| n > 0);
    let Some(condition) = rose.then(|| play.down(&c.target)).flatten() else { return Ok(()) };
    if !play.conditions(&c.target, c.member.as_ref())?.contains(&condition) {
        return Ok(());
    }
    clear_condition(play, &c.target, c.member.as_ref(), condition)
}

fn set_condition<R: Ruleset>(
    play: &mut Play<'_, R>, target: &CombatantId, member: Option<&MemberId>, condition: Slug,
) -> Result<(), Violation> {
    if play.conditions(target, member)?.contains(&condition) {
        let detail = format!("{target} is {condition} already");
        return Err(Violation::new("condition_already_set", "TK-3", detail));
    }
    let combatant = target.clone();
    emit_and_react(play, ConditionSet { combatant, member: member.cloned(), condition })
}

fn clear_condition<R: Ruleset>(
    play: &mut Play<'_, R>, target: &CombatantId, member: Option<&MemberId>, condition: Slug,
) -> Result<(), Violation> {
    if !play.conditions(target, member)?.contains(&condition) {
        return Err(Violation::new("condition_not_set", "TK-3", format!("{target} is not {condition}")));
    }
    let combatant = target.clone();
    emit_and_react(play, ConditionCleared { combatant, member: member.cloned(), condition })
}

fn add_effect<R: Ruleset>(play: &mut Play<'_, R>, draft: EffectDraft) -> Result<(), Violation> {
    let EffectDraft { id, name, target, source, hidden, mut expires, metadata } = draft;
    if let Some(target) = &target {
        play.combatant("effect.target", target)?;
    }
    if let Some(source) = &source {
        play.combatant("effect.source", source)?;
    }
    if let Expiry::TurnStart { of, .. } | Expiry::TurnEnd { of, .. } = &mut expires {
        let usual = || R::anchor(play.table(), source.as_ref(), target.as_ref());
        let anchor = of.take().or_else(usual).ok_or_else(|| {
            let detail = "say whose turns the effect counts: `of`, or a source or a target";
            Violation::field("no_anchor", "effect.expires.of", detail)
        })?;
        play.combatant("effect.expires.of", &anchor)?;
        *of = Some(anchor);
    }
    let table = play.table();
    if table.effects.len() >= MAX_EFFECTS {
        let detail = format!("an encounter holds at most {MAX_EFFECTS} effects at a time: remove one first");
        return Err(Violation::new("too_many_effects", "TK-4", detail));
    }
    let taken = |id: &str| table.effects.iter().any(|e| e.id == *id);
    let id = match id {
        Some(id) if taken(id.as_str()) => {
            let detail = format!("there is an effect {id} already: choose another id, or none");
            return Err(Violation::new("effect_exists", "TK-2", detail));
        }
        Some(id) => id,
        None => {
            let secret = hidden || target.as_ref().and_then(|id| table.get(id)).is_some_and(|c| c.hidden);
            EffectId::from_name(name.as_str(), "effect", secret, MAX_EFFECTS, taken)
        }
    };
    let effect = Effect { id, name, target, source, hidden, expires, metadata };
    emit_and_react(play, EffectAdded { effect })
}

fn remove<R: Ruleset>(play: &mut Play<'_, R>, id: CombatantId) -> Result<(), Violation> {
    play.combatant("combatant", &id)?;
    let on_it = play.table().effects.iter().filter(|e| e.target.as_ref() == Some(&id));
    for effect in on_it.map(|e| e.id.clone()).collect::<Vec<_>>() {
        let because = Text::fixed("target_left");
        emit_and_react(play, EffectEnded { effect, because })?;
    }
    emit_and_react(play, CombatantLeft { combatant: id })
}

/// The game master gives the turn to a combatant, whatever the rules say (TK-5).
fn give_turn<R: Ruleset>(play: &mut Play<'_, R>, id: CombatantId) -> Result<(), Violation> {
    play.running("TK-5")?;
    if !play.combatant("combatant", &id)?.active() {
        return Err(Violation::new("not_active", "TK-5", format!("{id} is out of the fight: it takes no turn")));
    }
    emit_and_react(play, Overridden { combatant: id })
}

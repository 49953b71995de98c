//! The commands that every ruleset understands. Rulesets react to their events.

use super::roster::{self, HpSet};
use super::{MAX_CONDITIONS, Refusal};
use crate::json::FieldError;
use crate::vocabulary::{
    Combatant, CombatantId, CombatantLeft, ConditionCleared, ConditionSet, Damage, Damaged, Effect,
    EffectAdded, EffectDraft, EffectEnded, EffectId, Encounter, EncounterEnded, EncounterUpdated,
    EndReason, Event, Expiry, Heal, Healed, Hp, MAX_EFFECTS, MemberId, Moment, Noted, Overridden,
    Play, RosterEvent, Ruleset, SharedCommand, SharedEvent, Slug, UpdateCombatant, UpdateEncounter,
    Violation, field, require,
};
use serde_json::Map;
use std::sync::Arc;

/// How many effects a refusal names at most.
const MAX_LISTED: usize = 20;

/// Decides a shared command: emits its events, and lets the ruleset react to those that can change
/// the turn order.
pub(super) fn decide<R: Ruleset>(
    play: &mut Play<'_, R>,
    command: SharedCommand,
) -> Result<(), Refusal> {
    match command {
        SharedCommand::Damage(c) => damage(play, &c)?,
        SharedCommand::Heal(c) => heal(play, c)?,
        SharedCommand::SetCondition(c) => {
            let target = &c.target;
            let member = c.member.as_ref();
            let room = play.conditions(target, member)?.len() < MAX_CONDITIONS;
            require(room, "too_many_conditions", "TK-4", || {
                format!("{target} already has {MAX_CONDITIONS} conditions. Remove one first.")
            })?;
            set_condition(play, target, member, c.condition)?;
        }
        SharedCommand::ClearCondition(c) => {
            clear_condition(play, &c.target, c.member.as_ref(), c.condition)?;
        }
        SharedCommand::AddEffect(c) => add_effect(play, c.effect)?,
        SharedCommand::RemoveEffect(c) => {
            let known = play.encounter().effects.iter().any(|e| e.id == c.effect_id);
            require(known, "unknown_effect", field("effect_id"), || {
                unknown_effect(&play.encounter().effects, &c.effect_id)
            })?;
            emit_and_react(
                play,
                EffectEnded {
                    effect_id: c.effect_id,
                    reason: EndReason::Removed,
                },
            )?;
        }
        SharedCommand::AddCombatant(c) => {
            let combatant = roster::new_combatant(play.encounter(), c.details)
                .map_err(|e| e.within("details"))?;
            R::check_combatant(&play.encounter().options, &combatant)
                .map_err(|e| e.within("details"))?;
            roster::check_room_and_id(play.encounter(), &combatant)?;
            emit_roster_and_react(
                play,
                RosterEvent::CombatantJoined {
                    details: Box::new(combatant),
                },
            )?;
        }
        SharedCommand::UpdateCombatant(c) => update(play, c)?,
        SharedCommand::UpdateEncounter(UpdateEncounter {
            name: None,
            metadata: None,
        }) => {
            return Err(FieldError::meaningless(
                "name",
                "Nothing to change. Send \"name\", \"metadata\" or both.",
            )
            .into());
        }
        SharedCommand::UpdateEncounter(c) => play.emit(EncounterUpdated {
            name: c.name,
            metadata: c.metadata,
        }),
        SharedCommand::RemoveCombatant(c) => remove(play, c.combatant)?,
        SharedCommand::Override(c) => give_turn(play, c.combatant)?,
        SharedCommand::Note(c) => play.emit(Noted {
            text: c.text,
            readers: c.readers,
        }),
        SharedCommand::EndEncounter(_) => {
            play.count_effects(Moment::EncounterEnd);
            emit_and_react(play, EncounterEnded {})?;
        }
        SharedCommand::Undo(_) | SharedCommand::Redo(_) => {
            let alone = "A list can't hold \"undo\" or \"redo\". Send it in a request of its own.";
            return Err(FieldError::meaningless("type", alone).into());
        }
    }
    Ok(())
}

fn emit_and_react<R: Ruleset>(
    play: &mut Play<'_, R>,
    event: impl Into<SharedEvent>,
) -> Result<(), Violation> {
    let event = Event::Shared(event.into());
    play.emit(event.clone());
    R::react(play, &event)
}

fn emit_roster_and_react<R: Ruleset>(
    play: &mut Play<'_, R>,
    event: RosterEvent<R>,
) -> Result<(), Violation> {
    let event = Event::Roster(event);
    play.emit(event.clone());
    R::react(play, &event)
}

/// Changes fields of a combatant. Current hit points that are set follow as damage or healing.
fn update<R: Ruleset>(play: &mut Play<'_, R>, c: UpdateCombatant) -> Result<(), Refusal> {
    let before = play.combatant("combatant", &c.combatant)?;
    let options = &play.encounter().options;
    let fields = c.changes.as_object().into_iter().flat_map(Map::keys);
    let given = fields.cloned().collect();
    let mut after =
        roster::updated_combatant(before, c.changes).map_err(|e| e.within("changes"))?;
    R::drop_outdated(options, &mut after, &given);
    R::check_combatant(options, &after).map_err(|e| e.within("changes"))?;
    let hp_set = roster::take_hp_changes(before, &mut after);
    if hp_set.is_empty() || after != *before {
        let changed = after.changed_fields(before);
        emit_roster_and_react(
            play,
            RosterEvent::CombatantUpdated {
                details: Box::new(after),
                changed,
            },
        )?;
        check_effects_stay(play.encounter())?;
    }
    for HpSet { member, current } in hp_set {
        set_hit_points(play, &c.combatant, member, current)?;
    }
    Ok(())
}

fn set_hit_points<R: Ruleset>(
    play: &mut Play<'_, R>,
    target: &CombatantId,
    member: Option<MemberId>,
    current: u32,
) -> Result<(), Violation> {
    let Some(hp) = play.hit_points(target, member.as_ref())? else {
        return Ok(());
    };
    let before = hp.current.count();
    if current >= before {
        let gain = Gain {
            amount: current - before,
            set: true,
        };
        return regain(play, target, member, gain);
    }
    let lost = before - current;
    hurt(
        play,
        Damaged {
            combatant: target.clone(),
            member,
            amount: lost,
            temp_lost: 0,
            hp_lost: lost,
            hp_left: Some(current),
            source: None,
            set: true,
        },
    )
}

fn damage<R: Ruleset>(play: &mut Play<'_, R>, c: &Damage) -> Result<(), Violation> {
    let damaged = play.wound(c)?;
    hurt(play, damaged)
}

/// Lets damage happen, and the fall that it causes.
fn hurt<R: Ruleset>(play: &mut Play<'_, R>, damaged: Damaged) -> Result<(), Violation> {
    let down = play.fall(&damaged)?;
    let target = damaged.combatant.clone();
    let member = damaged.member.clone();
    emit_and_react(play, SharedEvent::Damaged(damaged))?;
    if let Some(down) = down {
        set_condition(play, &target, member.as_ref(), down)?;
    }
    Ok(())
}

fn heal<R: Ruleset>(play: &mut Play<'_, R>, c: Heal) -> Result<(), Violation> {
    let gain = Gain {
        amount: c.amount.count(),
        set: false,
    };
    regain(play, &c.target, c.member, gain)
}

/// Hit points that are regained, by healing or because they were set.
struct Gain {
    amount: u32,
    set: bool,
}

fn regain<R: Ruleset>(
    play: &mut Play<'_, R>,
    target: &CombatantId,
    member: Option<MemberId>,
    Gain { amount, set }: Gain,
) -> Result<(), Violation> {
    let before = play.hit_points(target, member.as_ref())?;
    let after = before.map(|hp| healed(hp, amount));
    emit_and_react(
        play,
        Healed {
            combatant: target.clone(),
            member: member.clone(),
            amount,
            hp_gained: gained(before, amount),
            hp_left: after,
            set,
        },
    )?;
    let (Some(before), Some(after)) = (before, after) else {
        return Ok(());
    };
    if before.current.get() == 0 && after > 0 {
        get_up(play, target, member.as_ref())?;
    }
    Ok(())
}

/// The hit points that are gained of this many; all of them if hit points are not tracked.
fn gained(before: Option<Hp>, amount: u32) -> u32 {
    match before {
        Some(hp) => healed(hp, amount).saturating_sub(hp.current.count()),
        None => amount,
    }
}

/// The hit points after this many are regained.
fn healed(hp: Hp, amount: u32) -> u32 {
    let max = hp.max.unwrap_or(hp.current).count();
    hp.current.count().saturating_add(amount).min(max)
}

/// Clears the condition that came with the last hit point.
fn get_up<R: Ruleset>(
    play: &mut Play<'_, R>,
    target: &CombatantId,
    member: Option<&MemberId>,
) -> Result<(), Violation> {
    let Some(condition) = play.encounter().get(target).and_then(Combatant::down) else {
        return Ok(());
    };
    if play.conditions(target, member)?.contains(&condition) {
        clear_condition(play, target, member, condition)?;
    }
    Ok(())
}

fn set_condition<R: Ruleset>(
    play: &mut Play<'_, R>,
    target: &CombatantId,
    member: Option<&MemberId>,
    condition: Slug,
) -> Result<(), Violation> {
    let set = play.conditions(target, member)?.contains(&condition);
    require(!set, "condition_already_set", "TK-3", || {
        format!(
            "{target} already has the condition \"{condition}\". Send \"clear_condition\" to remove it."
        )
    })?;
    let combatant = target.clone();
    emit_and_react(
        play,
        ConditionSet {
            combatant,
            member: member.cloned(),
            condition,
        },
    )
}

/// Says that an effect is unknown, and names some that are not.
fn unknown_effect(effects: &[Arc<Effect>], id: &EffectId) -> String {
    if effects.is_empty() {
        return format!("Unknown effect \"{id}\". The encounter has no effects now.");
    }
    let listed = effects.iter().take(MAX_LISTED);
    let known: Vec<&str> = listed.map(|effect| effect.id.as_str()).collect();
    format!("Unknown effect \"{id}\". Effects: {}.", known.join(", "))
}

fn clear_condition<R: Ruleset>(
    play: &mut Play<'_, R>,
    target: &CombatantId,
    member: Option<&MemberId>,
    condition: Slug,
) -> Result<(), Violation> {
    let conditions = play.conditions(target, member)?;
    require(
        conditions.contains(&condition),
        "condition_not_set",
        "TK-3",
        || {
            let known: Vec<&str> = conditions.iter().map(Slug::as_str).collect();
            let remedy = if known.is_empty() {
                "No condition is set.".to_owned()
            } else {
                format!("Conditions: {}.", known.join(", "))
            };
            format!("{target} doesn't have the condition \"{condition}\". {remedy}")
        },
    )?;
    let combatant = target.clone();
    emit_and_react(
        play,
        ConditionCleared {
            combatant,
            member: member.cloned(),
            condition,
        },
    )
}

fn add_effect<R: Ruleset>(play: &mut Play<'_, R>, draft: EffectDraft) -> Result<(), Violation> {
    let EffectDraft {
        id,
        name,
        target,
        source,
        hidden,
        mut expires,
        metadata,
    } = draft;
    let mut hidden_from_players = hidden;
    if let Some(target) = &target {
        hidden_from_players |= play.combatant("effect.target", target)?.hidden;
    }
    if let Some(source) = &source {
        play.combatant("effect.source", source)?;
    }
    if let Expiry::TurnStart { of, .. } | Expiry::TurnEnd { of, .. } = &mut expires {
        let anchor = match of.take() {
            Some(anchor) => Some(anchor),
            None => R::anchor(play.encounter(), source.as_ref(), target.as_ref()),
        };
        let Some(anchor) = anchor else {
            let detail = "The effect counts turns, but of no combatant. Set \"of\", \"source\" or \"target\".";
            return Err(Violation::field("no_anchor", "effect.expires.of", detail));
        };
        play.combatant("effect.expires.of", &anchor)?;
        *of = Some(anchor);
    }
    let encounter = play.encounter();
    let shown = !hidden_from_players;
    let has_room = encounter.has_room_for_effect(shown);
    require(has_room, "too_many_effects", "TK-4", || {
        let see = if shown { "see" } else { "don't see" };
        format!(
            "An encounter holds at most {MAX_EFFECTS} effects that players {see}. Remove one first."
        )
    })?;
    let id = match id {
        Some(id) => {
            let detail = || format!("Effect id \"{id}\" is in use. Choose another id, or none.");
            let is_free = !has_effect(encounter, id.as_str());
            require(is_free, "effect_exists", "TK-2", detail)?;
            id
        }
        None => EffectId::from_name(
            name.as_str(),
            "effect",
            hidden_from_players,
            2 * MAX_EFFECTS,
            |id| has_effect(encounter, id),
        ),
    };
    let effect = Effect {
        id,
        name,
        target,
        source,
        hidden,
        expires,
        expiry_hidden: false,
        metadata,
    }
    .into();
    emit_and_react(play, EffectAdded { effect })
}

/// Refuses a change by which players would see, or no longer see, too many effects.
fn check_effects_stay<R: Ruleset>(encounter: &Encounter<R>) -> Result<(), Violation> {
    let stay = encounter.holds_its_effects();
    require(stay, "too_many_effects", "TK-4", || {
        format!(
            "An encounter holds at most {MAX_EFFECTS} effects that players see, and \
             as many that they don't. Remove effects of the combatant first."
        )
    })
}

fn has_effect<R: Ruleset>(encounter: &Encounter<R>, id: &str) -> bool {
    encounter.effects.iter().any(|effect| effect.id == *id)
}

fn remove<R: Ruleset>(play: &mut Play<'_, R>, id: CombatantId) -> Result<(), Violation> {
    play.combatant("combatant", &id)?;
    for effect_id in effects_on(play.encounter(), &id) {
        let reason = EndReason::TargetLeft;
        emit_and_react(play, EffectEnded { effect_id, reason })?;
    }
    let counted = counted_before_leaving(play.encounter(), &id);
    emit_and_react(
        play,
        CombatantLeft {
            combatant: id,
            counted,
        },
    )
}

/// The effects that count the turns of a combatant that leaves, and have counted one of this round:
/// the end of the round does not count for them.
fn counted_before_leaving<R: Ruleset>(encounter: &Encounter<R>, id: &CombatantId) -> Vec<EffectId> {
    let mut counted = Vec::new();
    let Some(c) = encounter.get(id) else {
        return counted;
    };
    let started = c.acted || R::current(encounter).contains(id);
    for effect in &encounter.effects {
        let (of, by_turn) = match &effect.expires {
            Expiry::TurnStart { of, .. } => (of, started),
            Expiry::TurnEnd { of, .. } => (of, c.acted),
            Expiry::RoundEnd { .. } | Expiry::EncounterEnd {} | Expiry::Removed {} => continue,
        };
        let is_own = of.as_ref() == Some(id);
        if is_own && (by_turn || R::has_counted(encounter, c, &effect.id)) {
            counted.push(effect.id.clone());
        }
    }
    counted
}

fn effects_on<R: Ruleset>(encounter: &Encounter<R>, target: &CombatantId) -> Vec<EffectId> {
    let mut effects = Vec::new();
    for effect in &encounter.effects {
        if effect.target.as_ref() == Some(target) {
            effects.push(effect.id.clone());
        }
    }
    effects
}

/// The game master gives the turn to a combatant, whatever the rules say (TK-5).
fn give_turn<R: Ruleset>(play: &mut Play<'_, R>, id: CombatantId) -> Result<(), Violation> {
    play.started("TK-5")?;
    let active = play.combatant("combatant", &id)?.active();
    require(active, "not_active", "TK-5", || {
        format!("{id} can't take a turn while out of the fight. Choose another combatant.")
    })?;
    emit_and_react(play, Overridden { combatant: id })
}

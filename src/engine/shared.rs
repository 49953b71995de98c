//! The commands that every ruleset understands. Rulesets react to their events.

use super::aim::{Aim, Aims};
use super::effects::{add_effects, apply_effect, remove_effect};
use super::roster::{self, HpSet};
use super::{MAX_CONDITIONS, Refusal};
use crate::json::FieldError;
use crate::vocabulary::{
    ASIDE, BringBack, ClearCondition, Combatant, CombatantId, CombatantLeft, ConditionCleared,
    ConditionSet, Damage, Damaged, EffectEnded, EffectId, Encounter, EncounterEnded,
    EncounterUpdated, EndReason, Event, Expiry, Heal, Healed, Hit, HitPoints, Hp, MAX_EFFECTS,
    MemberId, Moment, Noted, Overridden, Play, RosterEvent, Ruleset, SetAside, SetCondition,
    SharedCommand, SharedEvent, Slug, TurnSeconds, TurnTimeSet, UpdateCombatant, UpdateEncounter,
    Violation, require,
};
use serde_json::Map;

/// Decides a shared command: emits its events, and lets the ruleset react to those that can change
/// the turn order.
pub(super) fn decide<R: Ruleset>(
    play: &mut Play<'_, R>,
    command: SharedCommand,
) -> Result<(), Refusal> {
    match command {
        SharedCommand::Damage(c) => damage(play, c)?,
        SharedCommand::Heal(c) => heal(play, c)?,
        SharedCommand::SetCondition(c) => set_conditions(play, c)?,
        SharedCommand::ClearCondition(c) => clear_conditions(play, c)?,
        SharedCommand::SetAside(SetAside { target, targets }) => set_conditions(
            play,
            SetCondition {
                target,
                targets,
                member: None,
                condition: Slug::fixed(ASIDE),
            },
        )?,
        SharedCommand::BringBack(BringBack { target, targets }) => clear_conditions(
            play,
            ClearCondition {
                target,
                targets,
                member: None,
                condition: Slug::fixed(ASIDE),
            },
        )?,
        SharedCommand::AddEffect(c) => add_effects(play, c.effect)?,
        SharedCommand::RemoveEffect(c) => remove_effect(play, c)?,
        SharedCommand::ApplyEffect(c) => apply_effect(play, c)?,
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
        SharedCommand::UpdateEncounter(c) => update_encounter(play, c)?,
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

pub(super) fn emit_and_react<R: Ruleset>(
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

/// Changes what everybody is told of the encounter as a whole.
fn update_encounter<R: Ruleset>(
    play: &mut Play<'_, R>,
    c: UpdateEncounter,
) -> Result<(), FieldError> {
    let UpdateEncounter {
        name,
        metadata,
        turn_seconds,
    } = c;
    if name.is_none() && metadata.is_none() && turn_seconds.is_none() {
        return Err(FieldError::meaningless(
            "name",
            "Nothing to change. Send at least one of \"name\", \"metadata\" and \"turn_seconds\".",
        ));
    }
    if name.is_some() || metadata.is_some() {
        play.emit(EncounterUpdated { name, metadata });
    }
    if let Some(seconds) = turn_seconds {
        play.emit(TurnTimeSet {
            turn_seconds: TurnSeconds::new(seconds.get()),
        });
    }
    Ok(())
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

fn damage<R: Ruleset>(play: &mut Play<'_, R>, c: Damage) -> Result<(), Refusal> {
    let aims = Aims::of(play, c.target, c.member, c.targets)?.at_hit_points(play);
    Ok(hurt_all(play, aims, c.amount, c.source.as_ref())?)
}

/// Deals as much damage to each.
pub(super) fn hurt_all<R: Ruleset>(
    play: &mut Play<'_, R>,
    aims: Vec<Aim>,
    amount: HitPoints,
    source: Option<&CombatantId>,
) -> Result<(), Violation> {
    for Aim { target, member } in aims {
        let damaged = play.wound(&Hit {
            target: &target,
            member: member.as_ref(),
            amount,
            source,
        })?;
        hurt(play, damaged)?;
    }
    Ok(())
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

fn heal<R: Ruleset>(play: &mut Play<'_, R>, c: Heal) -> Result<(), Refusal> {
    let aims = Aims::of(play, c.target, c.member, c.targets)?.at_hit_points(play);
    Ok(heal_all(play, aims, c.amount)?)
}

/// Lets each regain as much.
pub(super) fn heal_all<R: Ruleset>(
    play: &mut Play<'_, R>,
    aims: Vec<Aim>,
    amount: HitPoints,
) -> Result<(), Violation> {
    for Aim { target, member } in aims {
        let gain = Gain {
            amount: amount.count(),
            set: false,
        };
        regain(play, &target, member, gain)?;
    }
    Ok(())
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

/// Sets a condition on all of its targets that don't have it.
fn set_conditions<R: Ruleset>(play: &mut Play<'_, R>, c: SetCondition) -> Result<(), Refusal> {
    let condition = c.condition;
    let aims = Aims::of(play, c.target, c.member, c.targets)?.all;
    for Aim { target, member } in those_with(play, &condition, false, aims)? {
        let member = member.as_ref();
        let room = play.conditions(&target, member)?.len() < MAX_CONDITIONS;
        require(room, "too_many_conditions", "TK-4", || {
            format!("{target} already has {MAX_CONDITIONS} conditions. Remove one first.")
        })?;
        set_condition(play, &target, member, condition.clone())?;
    }
    Ok(())
}

/// Clears a condition of all of its targets that have it.
fn clear_conditions<R: Ruleset>(play: &mut Play<'_, R>, c: ClearCondition) -> Result<(), Refusal> {
    let condition = c.condition;
    let aims = Aims::of(play, c.target, c.member, c.targets)?.all;
    for Aim { target, member } in those_with(play, &condition, true, aims)? {
        clear_condition(play, &target, member.as_ref(), condition.clone())?;
    }
    Ok(())
}

/// Of these, those that have the condition, or that don't; all if there is none of the kind, so that
/// the first is refused.
fn those_with<R: Ruleset>(
    play: &Play<'_, R>,
    condition: &Slug,
    have_it: bool,
    aims: Vec<Aim>,
) -> Result<Vec<Aim>, Violation> {
    let mut some = Vec::with_capacity(aims.len());
    for aim in &aims {
        let conditions = play.conditions(&aim.target, aim.member.as_ref())?;
        if conditions.contains(condition) == have_it {
            some.push(aim.clone());
        }
    }
    Ok(if some.is_empty() { aims } else { some })
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
        let by_turn = |clock: &Expiry| match clock {
            Expiry::TurnStart { .. } => started,
            Expiry::TurnEnd { .. } => c.acted,
            Expiry::RoundEnd { .. } | Expiry::EncounterEnd {} | Expiry::Removed {} => false,
        };
        // Its end, if it counts these turns, else what comes before.
        let own = effect
            .clocks()
            .filter(|(_, clock)| clock.anchor() == Some(id));
        if let Some((_, clock)) = own.last()
            && (by_turn(clock) || R::has_counted(encounter, c, &effect.id))
        {
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

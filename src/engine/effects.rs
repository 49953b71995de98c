//! The commands about effects, and what effects do when they are due.

use super::aim::{check_distinct, members_that_stand};
use super::shared::{emit_and_react, heal_all, hurt_all};
use super::{Refusal, Stop};
use crate::json::FieldError;
use crate::vocabulary::{
    ApplyEffect, CombatantId, Effect, EffectAdded, EffectApplied, EffectDraft, EffectEnded,
    EffectId, EndReason, Expiry, Int, MAX_EFFECTS, Play, Recharge, RemoveEffect, Ruleset,
    Violation, field, require,
};
use std::collections::HashSet;
use std::sync::Arc;

/// How many effects a refusal names at most.
const MAX_LISTED: usize = 20;

/// Adds an effect, or one for each of its targets.
pub(super) fn add_effects<R: Ruleset>(
    play: &mut Play<'_, R>,
    mut draft: EffectDraft,
) -> Result<(), Refusal> {
    let effects = play.encounter().effects.iter();
    let mut taken: HashSet<EffectId> = effects.map(|effect| effect.id.clone()).collect();
    let Some(targets) = draft.targets.take() else {
        return Ok(add_effect(play, draft, &mut taken)?);
    };
    let path = "effect.targets";
    if draft.target.is_some() {
        let message = "An effect has either \"target\" or \"targets\". Send one of the two.";
        return Err(FieldError::meaningless(path, message).into());
    }
    if draft.id.is_some() {
        let message = "Each of several targets gets an effect of its own. Leave out \"id\".";
        return Err(FieldError::meaningless("effect.id", message).into());
    }
    check_distinct(play, path, &targets)?;
    for target in targets {
        let draft = EffectDraft {
            target: Some(target),
            ..draft.clone()
        };
        add_effect(play, draft, &mut taken)?;
    }
    Ok(())
}

/// Adds an effect with an id that is not `taken`, and takes that.
fn add_effect<R: Ruleset>(
    play: &mut Play<'_, R>,
    draft: EffectDraft,
    taken: &mut HashSet<EffectId>,
) -> Result<(), Violation> {
    let EffectDraft {
        id,
        name,
        target,
        targets: _,
        source,
        hidden,
        mut begins,
        mut expires,
        mut reminder,
        metadata,
    } = draft;
    let mut hidden_from_players = hidden;
    if let Some(target) = &target {
        hidden_from_players |= play.combatant("effect.target", target)?.hidden;
    }
    if let Some(source) = &source {
        play.combatant("effect.source", source)?;
    }
    let (source_id, target_id) = (source.as_ref(), target.as_ref());
    if let Some(begins) = &mut begins {
        check_passes(begins, "effect.begins")?;
        name_whose_turns(play, begins, "effect.begins", source_id, target_id)?;
    }
    name_whose_turns(play, &mut expires, "effect.expires", source_id, target_id)?;
    if let Some(reminder) = &mut reminder {
        let path = "effect.reminder.due";
        check_passes(&reminder.due, path)?;
        name_whose_turns(play, &mut reminder.due, path, target_id, source_id)?;
        if let Some(Recharge { sides, from }) = reminder.recharge {
            let path = field("effect.reminder.recharge.from");
            require(from.get() <= sides.get(), "no_such_face", path, || {
                format!("The die has {sides} sides, so it never shows {from}. Choose a face of it.")
            })?;
        }
        let hits = reminder.damage.is_some() || reminder.heal.is_some();
        let path = field("effect.target");
        require(
            target.is_some() || !hits,
            "no_target",
            path,
            || "Damage and healing of a reminder need a target. Add \"target\" or \"targets\".",
        )?;
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
            require(!taken.contains(&id), "effect_exists", "TK-2", detail)?;
            id
        }
        None => EffectId::from_name(
            name.as_str(),
            "effect",
            hidden_from_players,
            2 * MAX_EFFECTS,
            |id| EffectId::new(id).is_some_and(|id| taken.contains(&id)),
        ),
    };
    taken.insert(id.clone());
    let effect = Effect {
        id,
        name,
        target,
        source,
        hidden,
        begins,
        expires,
        reminder,
        waits: false,
        last: false,
        expiry_hidden: false,
        metadata,
    }
    .into();
    emit_and_react(play, EffectAdded { effect })
}

/// Refuses a moment that never comes, or only when all is over.
fn check_passes(clock: &Expiry, path: &str) -> Result<(), Violation> {
    require(
        clock.comes_in_play(),
        "no_such_moment",
        field(format!("{path}.at")),
        || "Only rounds and turns are counted here. Choose \"round_end\", \"turn_start\" or \"turn_end\".",
    )
}

/// Says whose turns a clock counts: those of the combatant that it names, else by the ruleset those
/// of `first` or of `second`.
fn name_whose_turns<R: Ruleset>(
    play: &Play<'_, R>,
    clock: &mut Expiry,
    path: &str,
    first: Option<&CombatantId>,
    second: Option<&CombatantId>,
) -> Result<(), Violation> {
    let Some(of) = clock.whose_turns() else {
        return Ok(());
    };
    let path = format!("{path}.of");
    let anchor = match of.take() {
        Some(anchor) => Some(anchor),
        None => R::anchor(play.encounter(), first, second),
    };
    let Some(anchor) = anchor else {
        let detail =
            "The effect counts turns, but of no combatant. Set \"of\", \"source\" or \"target\".";
        return Err(Violation::field("no_anchor", path, detail));
    };
    play.combatant(path, &anchor)?;
    *of = Some(anchor);
    Ok(())
}

/// Ends an effect early.
pub(super) fn remove_effect<R: Ruleset>(
    play: &mut Play<'_, R>,
    c: RemoveEffect,
) -> Result<(), Violation> {
    let RemoveEffect { effect_id } = c;
    effect_of(play, &effect_id)?;
    let reason = EndReason::Removed;
    emit_and_react(play, EffectEnded { effect_id, reason })
}

/// The effect that the field `effect_id` names.
fn effect_of<R: Ruleset>(
    play: &Play<'_, R>,
    effect_id: &EffectId,
) -> Result<Arc<Effect>, Violation> {
    let effects = &play.encounter().effects;
    let effect = effects.iter().find(|effect| effect.id == *effect_id);
    effect.cloned().ok_or_else(|| {
        let detail = unknown_effect(effects, effect_id);
        Violation::field("unknown_effect", "effect_id", detail)
    })
}

/// Lets happen what an effect does when it is due.
pub(super) fn apply_effect<R: Ruleset>(
    play: &mut Play<'_, R>,
    c: ApplyEffect,
) -> Result<(), Refusal> {
    let effect = effect_of(play, &c.effect_id)?;
    require(
        effect.can_be_applied(),
        "nothing_to_apply",
        field("effect_id"),
        || "This effect has no damage, healing or recharge, or has not begun. Choose another effect.",
    )?;
    if let Some(face) = c.roll {
        let Some(Recharge { sides, .. }) = effect.recharge() else {
            let message = "This effect has no die. Leave the roll out.";
            return Err(FieldError::meaningless("roll", message).into());
        };
        if face.get() > sides.get() {
            let message = format!("The die has {sides} sides, and the roll is {face}. Check it.");
            return Err(FieldError::meaningless("roll", message).into());
        }
    }
    Ok(apply(play, &effect, c.roll.map(Int::get))?)
}

/// Lets happen what effects do by themselves that were due in this command, each once: what that
/// brings about may start further turns, and what is due in them waits for the game master.
pub(super) fn apply_due<R: Ruleset>(play: &mut Play<'_, R>, stop: Stop<'_>) -> Result<(), Refusal> {
    let mut applied = HashSet::new();
    loop {
        let mut due = play.take_due();
        due.retain(|id| applied.insert(id.clone()));
        if due.is_empty() {
            return Ok(());
        }
        for id in due {
            if stop() {
                return Err(Refusal::Stopped);
            }
            let mut effects = play.encounter().effects.iter();
            let effect = effects.find(|effect| effect.id == id).cloned();
            if let Some(effect) = effect {
                apply(play, &effect, None)?;
            }
        }
    }
}

/// Applies an effect, with the face that its die shows if the table rolled it.
fn apply<R: Ruleset>(
    play: &mut Play<'_, R>,
    effect: &Effect,
    face: Option<i64>,
) -> Result<(), Violation> {
    let Some(reminder) = &effect.reminder else {
        return Ok(());
    };
    let recharge = reminder.recharge;
    let die = recharge.map(|Recharge { sides, .. }| play.die_of(sides.get(), face));
    let effect_id = effect.id.clone();
    emit_and_react(play, EffectApplied { effect_id, die })?;
    if let Some(target) = &effect.target
        && play.encounter().get(target).is_some()
    {
        if let Some(amount) = reminder.damage {
            // Viewers who don't see the effect are not told its source.
            let source = effect.source.as_ref().filter(|_| !effect.hidden);
            let source = source.filter(|id| play.encounter().get(id).is_some());
            let aims = members_that_stand(play.encounter(), target.clone());
            hurt_all(play, aims, amount, source)?;
        }
        if let Some(amount) = reminder.heal {
            let aims = members_that_stand(play.encounter(), target.clone());
            heal_all(play, aims, amount)?;
        }
    }
    let is_back =
        |Recharge { from, .. }: Recharge| die.is_some_and(|die| i64::from(die.face) >= from.get());
    let reason = if recharge.is_some_and(is_back) {
        EndReason::Recharged
    } else if effect.last {
        EndReason::Expired
    } else {
        return Ok(());
    };
    let effect_id = effect.id.clone();
    if play.encounter().effects.iter().any(|e| e.id == effect_id) {
        emit_and_react(play, EffectEnded { effect_id, reason })?;
    }
    Ok(())
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

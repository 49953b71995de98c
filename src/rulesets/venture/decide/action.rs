//! What is done in a turn: combat actions, the flurry, moves.

use super::join::may_act_freely;
use super::track::{Blow, change};
use super::turn::finish_start;
use super::{in_battle, in_turn};
use crate::rulesets::venture::{
    Act, ActionTaken, Attacked, BaseInitiative, Cause, DecisiveReset, Flurried, FollowUpTaken,
    Moved, Passed, Phase, Play, Target,
};
use crate::vocabulary::{CombatantId, ConditionSet, Damage, Slug, Text, Violation, field, require};

/// A combat action; an attack with all its consequences for targets and attacker.
pub(super) fn act(play: &mut Play<'_>, c: &Act) -> Result<(), Violation> {
    let id = &c.combatant;
    if c.reflexive {
        in_battle(play, id)?;
        let phase = &play.encounter().state.phase;
        let detail = "Attacks come after the free actions. Finish those first.";
        require(
            !matches!(phase, Phase::FreeActions { .. }),
            "free_actions_first",
            "VE-8",
            || detail,
        )?;
        require(phase.acting() != Some(id), "own_turn", "VE-10a", || {
            format!("It's {id}'s own turn. Leave out \"reflexive\".")
        })?;
    } else {
        may_take_action(play, id)?;
    }
    let of_an_attack =
        c.decisive || c.reflexive || !c.targets.is_empty() || c.attacker_loses.is_some();
    let detail = "\"targets\", \"decisive\", \"reflexive\" and \"attacker_loses\" belong to an attack. Set \"attack\".";
    require(
        c.attack || !of_an_attack,
        "not_an_attack",
        field("attack"),
        || detail,
    )?;
    let detail = "An attack outside the turn needs whom it hits or misses. Add \"targets\".";
    require(
        !c.reflexive || !c.targets.is_empty(),
        "targets_missing",
        field("targets"),
        || detail,
    )?;
    let detail = "An attack can have 50 targets. Send fewer.";
    require(
        c.targets.len() <= 50,
        "too_many_targets",
        field("targets"),
        || detail,
    )?;
    play.emit(ActionTaken {
        combatant: id.clone(),
        action: c.action.clone(),
        attack: c.attack,
        decisive: c.decisive,
        follow_up: false,
        reflexive: c.reflexive,
    });
    let mut kills = false;
    for (i, target) in c.targets.iter().enumerate() {
        let killed = check_target(play, c, i, target).and_then(|()| attack(play, id, target));
        kills |= killed.map_err(|refused| refused.within(&format!("targets.{i}")))?;
    }
    let options = &play.encounter().options;
    let attacker = play.combatant("combatant", id)?;
    let resets = match options.decisive_reset {
        DecisiveReset::KillingBlow => kills,
        DecisiveReset::Always => c.decisive,
        DecisiveReset::Never => false,
    };
    let base = match options.base_initiative {
        BaseInitiative::Three => 3,
        BaseInitiative::Stamina => 2 + (attacker.stats.stamina.get() + 1) / 2,
    };
    let above_base = if resets {
        (attacker.state.initiative - base).max(0)
    } else {
        0
    };
    let loss = c.attacker_loses.map_or(above_base, |loss| loss.get());
    change(play, id, -loss, Cause::OwnAttack, None)
}

fn check_target(play: &Play<'_>, c: &Act, index: usize, target: &Target) -> Result<(), Violation> {
    let id = &target.combatant;
    in_battle(play, id)?;
    let distinct = *id != c.combatant
        && c.targets
            .iter()
            .take(index)
            .all(|before| before.combatant != *id);
    require(distinct, "target_not_distinct", field("combatant"), || {
        format!("{id} is already the attacker or a target. Send each target once.")
    })?;
    let conditions = play.conditions(id, target.member.as_ref())?;
    let dead = conditions.iter().any(|condition| condition == "dead");
    require(
        !(target.killed && dead),
        "condition_already_set",
        "TK-3",
        || format!("That member of {id} is already dead. Choose another one."),
    )?;
    let detail = "Only a decisive attack deals damage or kills. Set \"decisive\".";
    require(
        c.decisive || !target.is_ruling(),
        "not_decisive",
        "VE-27",
        || detail,
    )
}

/// Attacks one target: Onslaught, hit or missed (VE-30), the Initiative lost (VE-27), damage and
/// death. Returns whether it is a killing blow.
fn attack(play: &mut Play<'_>, by: &CombatantId, target: &Target) -> Result<bool, Violation> {
    let id = &target.combatant;
    let onslaught = play
        .combatant("combatant", id)?
        .state
        .onslaught
        .saturating_add(1);
    play.emit(Attacked {
        combatant: by.clone(),
        target: id.clone(),
        onslaught,
    });
    let loss = target
        .loses
        .map_or(play.encounter().options.attacked_loss.get(), |loss| {
            loss.get()
        });
    let blow = Blow {
        by,
        rejoin: target.rejoin.clone().unwrap_or_default(),
    };
    change(play, id, -loss, Cause::Attacked, Some(blow))?;
    let mut falls = None;
    if let Some(amount) = target.damage {
        let damage = Damage {
            target: id.clone(),
            member: target.member.clone(),
            amount,
            source: Some(by.clone()),
        };
        let damaged = play.wound(&damage)?;
        falls = play.fall(&damaged)?;
        play.emit(damaged);
    }
    let condition = if target.killed {
        Some(Slug::fixed("dead"))
    } else {
        falls
    };
    let Some(condition) = condition else {
        return Ok(false);
    };
    play.emit(ConditionSet {
        combatant: id.clone(),
        member: target.member.clone(),
        condition,
    });
    Ok(true)
}

/// A Rush or Disengage: a combat action whose move may come later (VE-15).
pub(super) fn manoeuvre(
    play: &mut Play<'_>,
    id: &CombatantId,
    action: &'static str,
    moved: bool,
) -> Result<(), Violation> {
    may_take_action(play, id)?;
    play.emit(ActionTaken {
        combatant: id.clone(),
        action: Some(Text::fixed(action)),
        attack: false,
        decisive: false,
        follow_up: !moved,
        reflexive: false,
    });
    Ok(())
}

fn may_take_action(play: &Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let state = &in_turn(play, id, "VE-10")?.state;
    require(
        state.has_action() || state.flurrying,
        "no_action_left",
        "VE-10",
        || format!("{id} has already taken a combat action. Send \"flurry\" for a second one."),
    )?;
    require(state.has_action(), "no_action_left", "VE-11", || {
        format!("{id} has already taken both actions of the flurry. Send \"end_turn\".")
    })
}

pub(super) fn flurry(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let state = &in_turn(play, id, "VE-11")?.state;
    require(!state.flurrying, "already_flurrying", "VE-11", || {
        format!("{id} has already started a flurry. Send the second action.")
    })?;
    require(state.actions_taken > 0, "no_action_yet", "VE-11", || {
        format!("{id} hasn't taken a combat action yet. Send the first action before \"flurry\".")
    })?;
    play.emit(Flurried {
        combatant: id.clone(),
    });
    Ok(())
}

pub(super) fn reflexive_move(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let moved = in_turn(play, id, "VE-10")?.state.moved;
    require(!moved, "already_moved", "VE-10", || {
        format!("{id} has already moved this turn. Wait for the next turn.")
    })?;
    play.emit(Moved {
        combatant: id.clone(),
    });
    Ok(())
}

/// Makes the move left over from a Rush or Disengage; a turn that waits for it proceeds.
pub(super) fn follow_up(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let open = in_battle(play, id)?.state.follow_up;
    require(open, "no_follow_up", "VE-15", || {
        format!("{id} can't make a leftover move. Only a Rush or Disengage leaves one.")
    })?;
    let Phase::FollowUp { actor } = &play.encounter().state.phase else {
        play.emit(FollowUpTaken {
            combatant: id.clone(),
        });
        return Ok(());
    };
    require(actor == id, "not_your_follow_up", "VE-15", || {
        format!("{actor}'s leftover move comes first. Wait for \"follow_up\" or \"pass\".")
    })?;
    play.emit(FollowUpTaken {
        combatant: id.clone(),
    });
    finish_start(play, id)
}

pub(super) fn pass(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    if matches!(&play.encounter().state.phase, Phase::FollowUp { actor } if actor == id) {
        play.emit(Passed {
            combatant: id.clone(),
            follow_up: true,
        });
        return finish_start(play, id);
    }
    may_act_freely(play, id)?;
    play.emit(Passed {
        combatant: id.clone(),
        follow_up: false,
    });
    Ok(())
}

//! What is done in a turn: combat actions, the flurry, moves.

use super::join::may_act_freely;
use super::track::{change, hurt};
use super::turn::go_on;
use super::*;
use crate::vocabulary::{ConditionSet, Damage, Ground, SharedEvent, Slug, Text, Wound};

/// A combat action; an attack with all that it brings to its targets, and to the attacker.
pub(super) fn act(play: &mut Fight<'_>, c: &Act) -> Result<(), Violation> {
    let id = &c.combatant;
    if c.reflexive {
        outside_turn(play, id)?;
    } else {
        may_take_action(play, id)?;
    }
    if !c.attack && (c.decisive || c.reflexive || !c.targets.is_empty() || c.attacker_loses.is_some()) {
        let detail = "`targets`, `decisive`, `reflexive` and `attacker_loses` belong to an attack: set `attack` too";
        return Err(Violation::field("not_an_attack", "attack", detail));
    }
    check_targets(play, c)?;
    play.own(ActionTaken {
        combatant: id.clone(),
        action: c.action.clone(),
        attack: c.attack,
        decisive: c.decisive,
        follow_up: false,
        reflexive: c.reflexive,
    });
    let mut kills = false;
    for (i, target) in c.targets.iter().enumerate() {
        kills |= attack(play, id, target, i)?;
    }
    if c.attack { pay_for_attack(play, c, kills) } else { Ok(()) }
}

/// Refuses an attack outside the own turn in that turn, and before the first turn (AVE16).
fn outside_turn(play: &Fight<'_>, id: &CombatantId) -> Result<(), Violation> {
    fighter(play, "combatant", id)?;
    if let Phase::FreeActions { .. } = play.table().state.phase {
        return Err(Violation::new(
            "free_actions_first",
            "VE-8",
            "nobody is attacked before the free actions are over",
        ));
    }
    if react::acting(play.table()) == Some(id) {
        let detail = format!("it is {id}'s own turn: leave `reflexive` out");
        return Err(Violation::new("own_turn", "AVE16", detail));
    }
    Ok(())
}

fn check_targets(play: &Fight<'_>, c: &Act) -> Result<(), Violation> {
    if c.targets.len() > 50 {
        return Err(Violation::field("too_many_targets", "targets", "an attack has at most 50 targets"));
    }
    for (i, target) in c.targets.iter().enumerate() {
        let id = &target.combatant;
        let at = |field: &str| format!("targets.{i}.{field}");
        if play.table().get(id).is_none() {
            let detail = format!("there is no combatant {id} in this encounter");
            return Err(Violation::field("unknown_combatant", at("combatant"), detail));
        }
        fighter(play, "targets", id)?;
        if *id == c.combatant || c.targets.iter().take(i).any(|before| before.combatant == *id) {
            let detail = format!("{id} cannot be attacked by itself, nor twice in one action");
            return Err(Violation::field("target_not_distinct", at("combatant"), detail));
        }
        let conditions = play.conditions(id, target.member.as_ref()).map_err(|refused| of_target(i, refused))?;
        if target.killed && conditions.iter().any(|condition| condition == "dead") {
            return Err(Violation::new(
                "condition_already_set",
                "TK-3",
                format!("that member of {id} is dead already"),
            ));
        }
        if (target.killed || target.damage.is_some()) && !c.decisive {
            let detail = "only a decisive attack deals damage or strikes a killing blow: set `decisive` too";
            return Err(Violation::new("not_decisive", "VE-27", detail));
        }
    }
    Ok(())
}

/// One target of an attack: Onslaught, hit or missed (VE-30), the Initiative lost (VE-27), damage and death; whether it is a killing
/// blow.
fn attack(play: &mut Fight<'_>, by: &CombatantId, target: &Target, index: usize) -> Result<bool, Violation> {
    let id = &target.combatant;
    let onslaught = play.combatant("targets", id)?.state.onslaught.saturating_add(1);
    play.own(Attacked { combatant: by.clone(), target: id.clone(), onslaught });
    let usual = play.table().options.attacked_loss.get();
    let loss = target.loses.map_or(usual, |loss| loss.get());
    let at = format!("targets.{index}.shift.");
    hurt(play, id, loss, Cause::Attacked, by, &target.shift.clone().unwrap_or_default(), &at)?;
    let mut falls = None;
    if let Some(amount) = target.damage {
        let damage = Damage { target: id.clone(), member: target.member.clone(), amount, source: Some(by.clone()) };
        let Wound { damaged, down } = play.wound(&damage).map_err(|refused| of_target(index, refused))?;
        play.shared(SharedEvent::Damaged(damaged));
        falls = down;
    }
    if target.killed {
        falls = Some(Slug::fixed("dead"));
    }
    let Some(condition) = falls else { return Ok(false) };
    let (combatant, member) = (id.clone(), target.member.clone());
    play.shared(ConditionSet { combatant, member, condition });
    Ok(true)
}

/// The refusal with its field as a field of the target.
fn of_target(index: usize, refused: Violation) -> Violation {
    match refused.ground {
        Ground::Field(field) => Violation::field(refused.code, format!("targets.{index}.{field}"), refused.detail),
        Ground::Rule(_) => refused,
    }
}

/// What an attack costs the attacker: what the command says, else a decisive one may bring it down to its base (VE-27, VE-28).
fn pay_for_attack(play: &mut Fight<'_>, c: &Act, kills: bool) -> Result<(), Violation> {
    let options = &play.table().options;
    let attacker = play.combatant("combatant", &c.combatant)?;
    let resets = match options.decisive_reset {
        DecisiveReset::KillingBlow => kills,
        DecisiveReset::Always => c.decisive,
        DecisiveReset::Never => false,
    };
    let base = match options.base_initiative {
        BaseInitiative::Three => 3,
        BaseInitiative::Stamina => 2 + (attacker.stats.stamina.get() + 1) / 2,
    };
    let above = (attacker.state.initiative - base).max(0);
    let loss = c.attacker_loses.map_or(if resets { above } else { 0 }, |loss| loss.get());
    change(play, &c.combatant, -loss, Cause::OwnAttack, None)
}

/// A Rush or Disengage: a combat action whose move may come later (VE-15).
pub(super) fn manoeuvre(
    play: &mut Fight<'_>, id: &CombatantId, action: &'static str, moved: bool,
) -> Result<(), Violation> {
    may_take_action(play, id)?;
    play.own(ActionTaken {
        combatant: id.clone(),
        action: Some(Text::fixed(action)),
        attack: false,
        decisive: false,
        follow_up: !moved,
        reflexive: false,
    });
    Ok(())
}

/// Refuses unless `id` has a combat action left: one in a turn, two in a flurry (VE-10, VE-11).
fn may_take_action(play: &Fight<'_>, id: &CombatantId) -> Result<(), Violation> {
    let state = &in_turn(play, id, "VE-10")?.state;
    match (state.actions_taken, state.flurrying) {
        (0, _) | (1, true) => Ok(()),
        (1, false) => {
            let detail = format!("{id} has taken its combat action; flurry opens a second one");
            Err(Violation::new("no_action_left", "VE-10", detail))
        }
        _ => Err(Violation::new("no_action_left", "VE-11", format!("{id} has taken both actions of its flurry"))),
    }
}

pub(super) fn flurry(play: &mut Fight<'_>, id: &CombatantId) -> Result<(), Violation> {
    let state = &in_turn(play, id, "VE-11")?.state;
    if state.flurrying {
        return Err(Violation::new("already_flurrying", "VE-11", format!("{id} flurries already")));
    }
    if state.actions_taken == 0 {
        let detail = format!("{id} has not taken its combat action: a flurry comes after it");
        return Err(Violation::new("no_action_yet", "VE-11", detail));
    }
    play.own(Flurried { combatant: id.clone() });
    Ok(())
}

pub(super) fn reflexive_move(play: &mut Fight<'_>, id: &CombatantId) -> Result<(), Violation> {
    if in_turn(play, id, "VE-10")?.state.moved {
        return Err(Violation::new("already_moved", "VE-10", format!("{id} has used the reflexive move of its turn")));
    }
    play.own(Moved { combatant: id.clone() });
    Ok(())
}

/// The move of an earlier Rush or Disengage; where the start of the turn waits for it, the turn goes on.
pub(super) fn follow_up(play: &mut Fight<'_>, id: &CombatantId) -> Result<(), Violation> {
    if !fighter(play, "combatant", id)?.state.follow_up {
        let detail = format!("{id} has no move left from a Rush or Disengage");
        return Err(Violation::new("no_follow_up", "VE-15", detail));
    }
    if let Phase::FollowUp { actor } = &play.table().state.phase
        && actor != id
    {
        let detail = format!("{actor}'s turn waits for its own move: {id} moves before or after that");
        return Err(Violation::new("not_your_follow_up", "VE-15", detail));
    }
    play.own(FollowUpTaken { combatant: id.clone() });
    if awaits_follow_up(play, id) { go_on(play, id) } else { Ok(()) }
}

pub(super) fn pass(play: &mut Fight<'_>, id: &CombatantId) -> Result<(), Violation> {
    if awaits_follow_up(play, id) {
        fighter(play, "combatant", id)?;
        play.own(FollowUpPassed { combatant: id.clone() });
        return go_on(play, id);
    }
    may_act_freely(play, id)?;
    play.own(FreeActionPassed { combatant: id.clone() });
    Ok(())
}

fn awaits_follow_up(play: &Fight<'_>, id: &CombatantId) -> bool {
    matches!(&play.table().state.phase, Phase::FollowUp { actor } if actor == id)
}

//! Joining Battle, and the free action that comes with it.

use super::track::change_motes;
use super::{in_battle, in_turn};
use crate::rulesets::shared::{start_encounter, start_round};
use crate::rulesets::venture::{
    Ability, Approach, Attribute, Combatant, FreeAction, FreeActionState, FreeActionTaken, Join,
    JoinBattle, JoinRoll, JoinedBattle, Phase, Play, Pool, Settle, Settled, Start, react,
};
use crate::vocabulary::{CombatantId, ConditionSet, Slug, Violation, field, ids, require};

/// Lets all combatants Join Battle (VE-2) and begins round 0, that of the free actions (VE-6,
/// VE-7).
pub(super) fn start(play: &mut Play<'_>, c: &Start) -> Result<(), Violation> {
    for id in c.joins.keys() {
        play.fighter(format!("joins.{}", id.as_str()), id, "VE-9")?;
    }
    start_encounter(play, "VE-9")?;
    for c in play.encounter().active() {
        worthy(c)?;
    }
    start_round(play, 0);
    for id in &ids(play.encounter().active()) {
        let joined = play
            .encounter()
            .get(id)
            .is_some_and(|c| c.state.join_battle.is_some());
        match c.joins.get(id) {
            // The maximum of motes may be lower.
            None if joined => change_motes(play, id, 0),
            join => {
                let entered = join_battle(play, id, &join.cloned().unwrap_or_default());
                entered.map_err(|refused| refused.within(&format!("joins.{}", id.as_str())))?;
            }
        }
    }
    react::open_free_action(play);
    Ok(())
}

/// Lets one combatant Join Battle: before the start, by its player's own dice, or as a newcomer.
pub(super) fn join_alone(play: &mut Play<'_>, c: &JoinBattle) -> Result<(), Violation> {
    let id = &c.combatant;
    let joined = play.combatant("combatant", id)?.state.join_battle.is_some();
    require(!joined, "already_joined", "VE-2", || {
        format!("{id} has already joined battle. Leave that out.")
    })?;
    worthy(play.fighter("combatant", id, "VE-9")?)?;
    join_battle(play, id, &c.join())
}

fn worthy(c: &Combatant) -> Result<(), Violation> {
    require(c.stats.worthy_foe, "not_a_worthy_foe", "VE-1", || {
        format!(
            "{} isn't a Worthy Foe. Send \"settle\" for that fight, or set \"worthy_foe\".",
            c.id
        )
    })
}

pub(super) fn settle(play: &mut Play<'_>, c: &Settle) -> Result<(), Violation> {
    let foe = play.fighter("combatant", &c.combatant, "VE-1")?;
    play.fighter("loser", &c.loser, "VE-1")?;
    let unworthy = !foe.stats.worthy_foe && foe.state.join_battle.is_none();
    require(unworthy, "a_worthy_foe", "VE-1", || {
        format!(
            "{} is a Worthy Foe or has joined battle. Play that fight in turns.",
            c.combatant
        )
    })?;
    play.emit(Settled {
        combatant: c.combatant.clone(),
        loser: c.loser.clone(),
    });
    play.emit(ConditionSet {
        combatant: c.loser.clone(),
        member: None,
        condition: Slug::fixed("defeated"),
    });
    Ok(())
}

/// Rolls Join Battle for `id` and puts it on the track (VE-5).
pub(in super::super) fn join_battle(
    play: &mut Play<'_>,
    id: &CombatantId,
    join: &Join,
) -> Result<(), Violation> {
    let roll = roll(play, id, join)?;
    let stats = &play.combatant("combatant", id)?.stats;
    let max = stats.max_motes.get();
    let motes = stats.motes.map_or(max, |motes| motes.get().min(max));
    let initiative = (3 + roll.successes).min(20);
    play.emit(JoinedBattle {
        combatant: id.clone(),
        join_battle: roll,
        initiative,
        motes,
    });
    Ok(())
}

/// A Join Battle roll, with a pool that the approach allows (VE-2 to VE-4).
pub(super) fn roll(
    play: &mut Play<'_>,
    id: &CombatantId,
    join: &Join,
) -> Result<JoinRoll, Violation> {
    let Join {
        approach,
        attribute,
        ability,
        ..
    } = *join;
    let pool = Pool {
        approach,
        attribute,
        ability,
    };
    let (unusual_attribute, unusual_ability, rule) = approach.swaps();
    let fits = [Attribute::Wits, unusual_attribute].contains(&attribute)
        && [Ability::Awareness, unusual_ability].contains(&ability);
    require(fits, "pool_not_allowed", rule, || match approach {
        Approach::Default => {
            "This approach rolls wits and awareness. Send those or another approach."
        }
        Approach::Stealth => {
            "From stealth, dexterity can replace wits, and stealth can replace awareness. Send one of those."
        }
        Approach::Escalation => {
            "When talk turns violent, manipulation can replace wits, and socialize can replace awareness. \
             Send one of those."
        }
    })?;
    let both = attribute != Attribute::Wits && ability != Ability::Awareness;
    let detail = "This encounter allows one swap. Swap the attribute or the ability, not both.";
    require(
        !(both && play.encounter().options.single_swap),
        "pool_not_allowed",
        "VE-33",
        || detail,
    )?;
    if let Some(successes) = join.successes {
        let detail = "\"successes\" and \"faces\" exclude each other. Send one of them.";
        require(
            join.faces.is_empty(),
            "successes_or_faces",
            field("faces"),
            || detail,
        )?;
        return Ok(JoinRoll {
            dice_pool: pool,
            dice: Vec::new(),
            successes: successes.get(),
        });
    }
    let size = play.combatant("combatant", id)?.stats.dice(&pool) + join.bonus_dice.get();
    let size = usize::try_from(size).unwrap_or(0);
    let given = join.faces.len();
    require(given <= size, "too_many_dice", field("faces"), || {
        format!("{id}'s pool has {size} dice, not {given}. Send fewer, or raise \"bonus_dice\".")
    })?;
    let dice: Vec<_> = (0..size)
        .map(|i| play.die(join.faces.get(i).copied()))
        .collect();
    // VE-2a
    let successes = dice.iter().map(|die| match die.face {
        10 => 2,
        7..=9 => 1,
        _ => 0,
    });
    Ok(JoinRoll {
        dice_pool: pool,
        successes: successes.sum(),
        dice,
    })
}

pub(super) fn free_action(play: &mut Play<'_>, c: &FreeAction) -> Result<(), Violation> {
    may_act_freely(play, &c.combatant)?;
    require(
        !c.damaging,
        "free_action_damaging",
        "VE-8",
        || "A free action can't harm. Send \"act\" in a turn instead.",
    )?;
    require(
        !c.opposed,
        "free_action_opposed",
        "VE-8",
        || "A free action can't be opposed. Send \"act\" in a turn instead.",
    )?;
    play.emit(FreeActionTaken {
        combatant: c.combatant.clone(),
        action: c.action.clone(),
    });
    Ok(())
}

/// Refuses unless `id` may take its free action: in round 0 in the order of the track (VE-7),
/// newcomers in their first turn, before they act.
pub(super) fn may_act_freely(play: &Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let c = in_battle(play, id)?;
    require(
        c.state.free_action == FreeActionState::Open,
        "free_action_used",
        "VE-8",
        || format!("{id} has already had the free action. Each combatant has one."),
    )?;
    if let Phase::FreeActions { next } = &play.encounter().state.phase {
        return require(next == id, "not_your_free_action", "VE-7", || {
            format!("The next free action is {next}'s. Wait for {id}'s.")
        });
    }
    require(
        in_turn(play, id, "VE-7")?.state.actions_taken == 0,
        "free_action_late",
        "VE-7",
        || format!("{id} has already acted this turn. The free action comes before that."),
    )
}

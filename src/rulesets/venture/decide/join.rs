//! Joining Battle, and the free action that comes with it.

use super::*;
use crate::rulesets::shared::start_round;
use crate::vocabulary::{ConditionSet, EncounterStarted, Slug, Status};

/// Everybody Joins Battle (VE-2), and round 0 begins, in which they take their free actions (VE-6, AVE10).
pub(super) fn start(play: &mut Fight<'_>, c: &Start) -> Result<(), Violation> {
    if play.table().status != Status::Setup {
        return Err(Violation::new("already_started", "VE-2", "the fight has begun already"));
    }
    for id in c.joins.keys() {
        let Some(joiner) = play.table().get(id) else {
            let detail = format!("there is no combatant {id} in this encounter");
            return Err(Violation::field("unknown_combatant", format!("joins.{id}"), detail));
        };
        if !joiner.active() {
            return Err(Violation::new("not_active", "VE-9", format!("{id} is out of the fight")));
        }
    }
    if play.table().active().next().is_none() {
        return Err(Violation::new("nobody_to_act", "VE-9", "nobody is here to act: add a combatant first"));
    }
    let joiners: Vec<CombatantId> = play.table().active().map(|c| c.id.clone()).collect();
    for id in &joiners {
        worthy(play.combatant("joins", id)?)?;
    }
    play.shared(EncounterStarted {});
    start_round(play, 0);
    let usual = Join::default();
    for id in &joiners {
        let join = c.joins.get(id).unwrap_or(&usual);
        enter(play, id, join, &format!("joins.{id}."))?;
    }
    react::open_free_action(play);
    Ok(())
}

/// Somebody who came later Joins Battle.
pub(super) fn join_late(play: &mut Fight<'_>, c: &JoinBattle) -> Result<(), Violation> {
    let id = &c.combatant;
    let joiner = play.combatant("combatant", id)?;
    if joiner.state.join_battle.is_some() {
        return Err(Violation::new("already_joined", "VE-2", format!("{id} has Joined Battle already")));
    }
    if !joiner.active() {
        return Err(Violation::new("not_active", "VE-9", format!("{id} is out of the fight")));
    }
    worthy(joiner)?;
    enter(play, id, &c.join(), "")
}

fn worthy(c: &Fighter) -> Result<(), Violation> {
    if c.stats.worthy_foe {
        return Ok(());
    }
    let detail = format!("{} is no Worthy Foe: settle that fight by one roll, or make it a worthy_foe", c.id);
    Err(Violation::new("not_a_worthy_foe", "VE-1", detail))
}

/// The fight with one who is no Worthy Foe comes down to one roll, whose loser is defeated.
pub(super) fn settle(play: &mut Fight<'_>, c: &Settle) -> Result<(), Violation> {
    let (foe, loser) = (play.combatant("combatant", &c.combatant)?, play.combatant("loser", &c.loser)?);
    for party in [foe, loser] {
        if !party.active() {
            return Err(Violation::new("not_active", "VE-1", format!("{} is out of the fight", party.id)));
        }
    }
    if foe.stats.worthy_foe || foe.state.join_battle.is_some() {
        let detail = format!("{} is a Worthy Foe, or has Joined Battle: that fight is played in turns", c.combatant);
        return Err(Violation::new("a_worthy_foe", "VE-1", detail));
    }
    play.own(Settled { combatant: c.combatant.clone(), loser: c.loser.clone() });
    let (combatant, condition) = (c.loser.clone(), Slug::fixed("defeated"));
    play.shared(ConditionSet { combatant, member: None, condition });
    react::settle(play);
    Ok(())
}

/// Rolls Join Battle for `id` and puts it on the track (VE-5); `at` is where `join` stands in the command.
pub(in super::super) fn enter(play: &mut Fight<'_>, id: &CombatantId, join: &Join, at: &str) -> Result<(), Violation> {
    let roll = roll(play, id, join, at)?;
    let stats = &play.combatant("combatant", id)?.stats;
    let max = stats.max_motes.get();
    let motes = stats.motes.map_or(max, |motes| motes.get().min(max));
    let initiative = (3 + roll.successes).min(20);
    play.own(JoinedBattle { combatant: id.clone(), roll, initiative, motes });
    Ok(())
}

/// A Join Battle roll: the pool must be one that the approach gives (VE-2 to VE-4).
pub(super) fn roll(play: &mut Fight<'_>, id: &CombatantId, join: &Join, at: &str) -> Result<JoinRoll, Violation> {
    let pool = Pool { approach: join.approach, attribute: join.attribute, ability: join.ability };
    allowed(pool, play.table().options.single_swap)?;
    if let Some(successes) = join.successes {
        if join.dice.is_empty() {
            return Ok(JoinRoll { pool, dice: Vec::new(), successes: successes.get() });
        }
        let detail = "give the successes or the dice, not both: dice are counted here";
        return Err(Violation::field("successes_or_dice", format!("{at}dice"), detail));
    }
    let stats = &play.combatant("combatant", id)?.stats;
    let size = attribute(stats, pool.attribute) + ability(stats, pool.ability) + join.bonus_dice.get();
    let size = usize::try_from(size).unwrap_or(0);
    if join.dice.len() > size {
        let given = join.dice.len();
        let detail = format!("{id}'s pool has {size} dice, not {given}: dice that were added go into bonus_dice");
        return Err(Violation::field("too_many_dice", format!("{at}dice"), detail));
    }
    let dice: Vec<_> = (0..size).map(|i| play.die(join.dice.get(i).copied())).collect();
    let successes = dice.iter().map(|die| successes(die.face)).sum();
    Ok(JoinRoll { pool, dice, successes })
}

/// The successes that one die is (AVE9).
fn successes(face: u16) -> i64 {
    match face {
        10 => 2,
        7..=9 => 1,
        _ => 0,
    }
}

fn attribute(stats: &CombatantStats, attribute: Attribute) -> i64 {
    match attribute {
        Attribute::Wits => stats.wits.get(),
        Attribute::Dexterity => stats.dexterity.get(),
        Attribute::Manipulation => stats.manipulation.get(),
    }
}

fn ability(stats: &CombatantStats, ability: Ability) -> i64 {
    match ability {
        Ability::Awareness => stats.awareness.get(),
        Ability::Stealth => stats.stealth.get(),
        Ability::Socialize => stats.socialize.get(),
    }
}

fn allowed(pool: Pool, single_swap: bool) -> Result<(), Violation> {
    let (attribute, ability, rule, detail) = match pool.approach {
        Approach::Default => {
            (Attribute::Wits, Ability::Awareness, "VE-2", "entering the fray is rolled with wits and awareness")
        }
        Approach::Stealth => {
            let detail = "from stealth it is dexterity in place of wits, stealth in place of awareness, or neither";
            (Attribute::Dexterity, Ability::Stealth, "VE-3", detail)
        }
        Approach::Escalation => {
            let detail = "escalating it is manipulation in place of wits, socialize in place of awareness, or neither";
            (Attribute::Manipulation, Ability::Socialize, "VE-4", detail)
        }
    };
    let (swaps_attribute, swaps_ability) = (pool.attribute != Attribute::Wits, pool.ability != Ability::Awareness);
    if (swaps_attribute && pool.attribute != attribute) || (swaps_ability && pool.ability != ability) {
        return Err(Violation::new("pool_not_allowed", rule, detail));
    }
    if single_swap && swaps_attribute && swaps_ability {
        let detail = "this encounter is played with one swap: the attribute or the ability, not both";
        return Err(Violation::new("pool_not_allowed", "VE-33", detail));
    }
    Ok(())
}

/// The free action: in round 0 at one's place in the order (VE-7), for latecomers in their first turn, before they act.
pub(super) fn free_action(play: &mut Fight<'_>, c: &FreeAction) -> Result<(), Violation> {
    may_act_freely(play, &c.combatant)?;
    let refused = match (c.damaging, c.opposed) {
        (true, _) => Some(("free_action_damaging", "a free action harms nobody: take it as a combat action")),
        (_, true) => Some(("free_action_opposed", "nobody opposes a free action: take it as a combat action")),
        (false, false) => None,
    };
    if let Some((code, detail)) = refused {
        return Err(Violation::new(code, "VE-8", detail));
    }
    let (combatant, action) = (c.combatant.clone(), c.action.clone());
    play.own(FreeActionTaken { combatant, action });
    Ok(())
}

/// Refuses unless `id` has its free action and it is the time for it.
pub(super) fn may_act_freely(play: &Fight<'_>, id: &CombatantId) -> Result<(), Violation> {
    let c = fighter(play, "combatant", id)?;
    if c.state.free_action != FreeActionState::Open {
        return Err(Violation::new("free_action_used", "VE-8", format!("{id} has had its free action: there is one")));
    }
    match &play.table().state.phase {
        Phase::FreeActions { next } if next == id => Ok(()),
        Phase::FreeActions { next } => {
            let detail = format!("free actions come in turn order: it is {next}'s, not {id}'s");
            Err(Violation::new("not_your_free_action", "VE-7", detail))
        }
        _ if in_turn(play, id, "VE-7")?.state.actions_taken == 0 => Ok(()),
        _ => {
            Err(Violation::new("free_action_late", "VE-7", format!("{id} has acted: its free action came before that")))
        }
    }
}

//! The rules of DC20.

mod acts;
mod assign;
mod claims;
mod delay;
mod merge;
mod start;

pub(super) use claims::finish_if_decided;
pub(super) use delay::{place_held_turns, place_remaining_held_turns};

use super::flow::close_legendary;
use super::react::settle;
use super::{Answer, Combatant, Command, Encounter, Phase, Play, Slot, SlotId};
use crate::rulesets::shared::check_started;
use crate::vocabulary::{CombatantId, Slug, Status, Violation, field, require};

pub(super) fn decide(play: &mut Play<'_>, command: &Command) -> Result<(), Violation> {
    if !matches!(command, Command::Roll(_)) {
        check_started(play, matches!(command, Command::Start(_)), "DC-31")?;
    }
    match command {
        Command::Start(c) => start::start(play, c)?,
        Command::Roll(c) => start::roll(play, c)?,
        Command::Claim(c) => claims::claim(play, c)?,
        Command::Assign(c) => assign::assign(play, c)?,
        Command::Pass(c) => claims::answer(play, &c.combatant, Answer::Pass)?,
        Command::Resolve(_) => resolve(play)?,
        Command::Merge(_) => merge::merge(play)?,
        Command::EndTurn(c) => acts::end_turn(play, c)?,
        Command::Delay(c) => delay::delay(play, c)?,
        // These change neither who takes part nor who has which turn.
        Command::SpendActionPoints(c) => return acts::spend(play, c),
        Command::Ready(c) => return acts::ready(play, c),
        Command::Trigger(c) => return acts::trigger(play, &c.combatant),
        Command::Attack(c) => return acts::attack(play, c),
        Command::UseInspiration(c) => return acts::use_inspiration(play, c),
        Command::UseAdvantage(c) => return acts::use_advantage(play, &c.combatant),
        Command::Legendary(c) => acts::legendary(play, c)?,
        Command::FateCheck(c) => _ = start::fate_check(play, c.roll, None),
    }
    // A player's check before the start begins nothing.
    if play.encounter().status != Status::Setup {
        settle(play);
    }
    Ok(())
}

/// Lets the rules decide what is awaited: the claims so far count (DC-18), an Enemy or NPC Turn
/// begins as it is (DC-22), legendary actions are over (DC-52).
fn resolve(play: &mut Play<'_>) -> Result<(), Violation> {
    match play.encounter().state.phase {
        Phase::Claim => claims::close_contest(play, &[], false)?,
        Phase::Assign => assign::close_question(play),
        Phase::BetweenTurns | Phase::RoundEnd => close_legendary(play),
        _ => {
            let detail = "Nothing can be resolved automatically now. See \"pending\".";
            return Err(Violation::new("nothing_to_resolve", "DC-22", detail));
        }
    }
    Ok(())
}

/// The turn that the command's `field` names.
fn known_slot<'p>(
    play: &'p Play<'_>,
    field: &'static str,
    id: &SlotId,
) -> Result<&'p Slot, Violation> {
    let Some(slot) = play.encounter().state.slot_named(id) else {
        let detail = format!(
            "Unknown turn \"{}\". Use a \"slot\" of the order.",
            id.as_str()
        );
        return Err(Violation::field("unknown_slot", field, detail));
    };
    Ok(slot)
}

/// The combatants that a command names in `combatant` and in its `list` of others, each once.
fn named<'p>(
    play: &'p Play<'_>,
    first: &CombatantId,
    list: &'static str,
    others: &[CombatantId],
) -> Result<Vec<&'p Combatant>, Violation> {
    let mut named = vec![play.combatant("combatant", first)?];
    for id in others {
        let is_new = named.iter().all(|c| c.id != *id);
        require(is_new, "named_twice", field(list), || {
            format!("{id} is named twice. Name each combatant once.")
        })?;
        named.push(play.combatant(list, id)?);
    }
    Ok(named)
}

/// Refuses a side on which there is no combatant.
fn known_side(encounter: &Encounter, path: &'static str, side: &Slug) -> Result<(), Violation> {
    let known = encounter.iter().any(|c| c.side == *side);
    require(known, "unknown_side", field(path), || {
        format!("No combatant is on the side \"{side}\". Check the name.")
    })
}

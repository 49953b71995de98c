//! The track: who has a place on it, whose tick is reached, and whose turn it is (VE-2, VE-9,
//! VE-12, VE-13, VE-15).

use super::{Combatant, DelayLasts, Encounter, FreeActionState, Phase, Play, Venture};
use crate::rulesets::shared::next_round;
use crate::vocabulary::{CombatantId, Fold, Kind, OrderEntry, Reason, Violation, event, require};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use utoipa::ToSchema;

/// A combatant is next, unless the track changes before its turn starts (VE-9, VE-13).
#[event("{combatant} {combatant:acts|act} next, at Initiative {tick}.")]
pub struct TickReached {
    /// The combatant that acts next.
    pub combatant: CombatantId,
    /// Its Initiative.
    pub tick: i64,
    /// True if others that have not acted are on the same tick (VE-9a). Hidden combatants do not
    /// count.
    pub same_tick: bool,
    /// True if it has delayed and every other turn of the round is over (VE-12a).
    pub delayed: bool,
}

/// No combatant in the fight has Joined Battle; a newcomer must.
#[event("The fight waits for a combatant to join battle.")]
pub struct StandstillReached {}

/// A tick of the track on which a combatant acts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Tick {
    /// The combatant that acts next.
    pub next: CombatantId,
    /// Its Initiative.
    pub tick: i64,
    /// True if others that have not acted are on the same tick (VE-9a). Hidden combatants do not
    /// count.
    pub same_tick: bool,
    /// True if it has delayed and every other turn of the round is over (VE-12a).
    pub delayed: bool,
}

/// Those in the fight that have a place on the track.
pub(super) fn on_track(encounter: &Encounter) -> impl Iterator<Item = &Combatant> {
    encounter.active().filter(|c| c.state.join_battle.is_some())
}

/// The combatant `id`; refused unless it is in the fight and has Joined Battle.
pub(super) fn in_battle<'p>(
    play: &'p Play<'_>,
    id: &CombatantId,
) -> Result<&'p Combatant, Violation> {
    let c = play.fighter("combatant", id, "VE-9")?;
    require(c.state.join_battle.is_some(), "not_joined", "VE-2", || {
        format!("{id} isn't in battle yet. Send \"join_battle\" first.")
    })?;
    Ok(c)
}

/// The combatant `id`, whose turn it is and whose start-of-turn steps are done.
pub(super) fn in_turn<'p>(
    play: &'p Play<'_>,
    id: &CombatantId,
    rule: &'static str,
) -> Result<&'p Combatant, Violation> {
    let c = in_battle(play, id)?;
    let (code, rule, detail) = match &play.encounter().state.phase {
        Phase::InTurn { actor } if actor == id => return Ok(c),
        Phase::FollowUp { actor } if actor == id => (
            "follow_up_first",
            "VE-15",
            format!("{id}'s leftover move comes first. Send \"follow_up\" or \"pass\"."),
        ),
        Phase::Tick(tick) if tick.next == *id => (
            "not_your_turn",
            rule,
            format!("{id}'s turn hasn't started. Send \"begin_turn\" first."),
        ),
        phase => (
            "not_your_turn",
            rule,
            format!("{} Wait for {id}'s turn.", phase.detail()),
        ),
    };
    Err(Violation::new(code, rule, detail))
}

/// Goes to the highest tick on which a combatant has not acted (VE-9, VE-13); a round in which all
/// have acted ends.
pub(super) fn reach_tick(play: &mut Play<'_>) {
    let mut tick = next_tick(play.encounter());
    if tick.is_none() && on_track(play.encounter()).next().is_some() {
        next_round(play);
        tick = next_tick(play.encounter());
    }
    let phase = &play.encounter().state.phase;
    match tick {
        Some(tick) if *phase != Phase::Tick(tick.clone()) => play.emit(TickReached {
            combatant: tick.next,
            tick: tick.tick,
            same_tick: tick.same_tick,
            delayed: tick.delayed,
        }),
        None if *phase != Phase::Standstill {} => play.emit(StandstillReached {}),
        _ => {}
    }
}

/// The tick of the highest who has not acted and does not delay, else of the highest who delays
/// (VE-12a).
///
/// If a delay lasts until the combatant returns, the round ends without those who delay, unless it
/// has had no turn at all.
fn next_tick(encounter: &Encounter) -> Option<Tick> {
    let c = yet_to_act(encounter).min_by_key(|c| (c.state.delaying, rank(c)))?;
    let tick = c.state.initiative;
    let delayed = c.state.delaying;
    let held_on = encounter.options.delay_lasts == DelayLasts::UntilReturn;
    if delayed && held_on && on_track(encounter).any(|c| c.acted) {
        return None;
    }
    // A hidden combatant does not count: players would see that it comes or leaves.
    let mut others = yet_to_act(encounter).filter(|other| other.id != c.id && !other.hidden);
    let same_tick =
        others.any(|other| other.state.initiative == tick && other.state.delaying == delayed);
    Some(Tick {
        next: c.id.clone(),
        tick,
        same_tick,
        delayed,
    })
}

fn yet_to_act(encounter: &Encounter) -> impl Iterator<Item = &Combatant> {
    on_track(encounter).filter(|c| !c.acted)
}

/// What the track is sorted by: Initiative; on the same tick players' characters, more successes,
/// who joined first (VE-9a).
pub(super) fn rank(c: &Combatant) -> impl Ord + use<> {
    let successes = c.state.join_battle.as_ref().map(|roll| roll.successes);
    Reverse((
        c.state.initiative,
        c.kind == Kind::Pc,
        successes,
        Reverse(c.joined),
    ))
}

/// Whether a combatant has had its turn, or in round 0 has taken or passed its free action.
fn has_acted(encounter: &Encounter, c: &Combatant) -> bool {
    match encounter.state.phase {
        Phase::FreeActions { .. } => c.state.free_action != FreeActionState::Open,
        _ => c.acted,
    }
}

/// Whether VE-9a places two combatants: they are on the same tick, both or neither have acted, and
/// both or neither delay.
fn shares_tick(encounter: &Encounter, one: &Combatant, other: &Combatant) -> bool {
    one.state.initiative == other.state.initiative
        && has_acted(encounter, one) == has_acted(encounter, other)
        && one.state.delaying == other.state.delaying
}

/// The combatants on the track, first to last, each with the reason for its place.
pub(super) fn order(encounter: &Encounter, current: &[CombatantId]) -> Vec<OrderEntry> {
    let mut on_track: Vec<_> = on_track(encounter).collect();
    on_track.sort_by_cached_key(|c| {
        (
            !current.contains(&c.id),
            has_acted(encounter, c),
            c.state.delaying,
            rank(c),
        )
    });
    let mut entries = Vec::with_capacity(on_track.len());
    for c in &on_track {
        let mut others = on_track.iter().filter(|other| other.id != c.id);
        let same_tick = others.any(|other| shares_tick(encounter, other, c));
        entries.push(OrderEntry {
            slot: Some(c.state.initiative.to_string()),
            ..OrderEntry::new(&c.id, because(c, same_tick))
        });
    }
    entries
}

/// Why a combatant stands where it does on the track.
fn because(c: &Combatant, same_tick: bool) -> Reason {
    let (rule, reason) = if c.state.delaying {
        ("VE-12", "delays the turn")
    } else {
        ("VE-9", "Initiative")
    };
    let mut because = Reason::new(rule, reason);
    because.total = Some(c.state.initiative.into());
    if let Some(roll) = &c.state.join_battle {
        because.dice.clone_from(&roll.dice);
    }
    if same_tick {
        because.tie_rule = Some("VE-9a");
    }
    because
}

impl TickReached {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        fold.state().tick = Some(self.tick);
        fold.state().phase = Phase::Tick(Tick {
            next: self.combatant.clone(),
            tick: self.tick,
            same_tick: self.same_tick,
            delayed: self.delayed,
        });
    }
}

impl StandstillReached {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        fold.state().phase = Phase::Standstill {};
    }
}

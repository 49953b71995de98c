//! Turns and rounds begin and end here, and effects with them.

use crate::vocabulary::{CombatantId, Moment, Play, RoundEnded, RoundStarted, Ruleset, Table, TurnEnded, TurnStarted};

/// Starts `id`'s turn; the effects that count its turn starts lose one.
pub fn start_turn<R: Ruleset>(play: &mut Play<'_, R>, id: &CombatantId) {
    play.shared(TurnStarted { combatant: id.clone() });
    play.tick(Moment::TurnStart(id));
}

/// Ends `id`'s turn: the effects that count its turn ends lose one, and it has acted.
pub fn end_turn<R: Ruleset>(play: &mut Play<'_, R>, id: &CombatantId) {
    play.tick(Moment::TurnEnd(id));
    play.shared(TurnEnded { combatant: id.clone() });
}

/// Starts a round: nobody has acted.
pub fn start_round<R: Ruleset>(play: &mut Play<'_, R>, round: u32) {
    play.shared(RoundStarted { round });
}

/// Ends the round: the effects that count round ends lose one.
///
/// An effect that counts the turns of somebody who has left or is out of the fight would last for ever: it loses one here
/// instead, unless that turn of the round was still taken.
pub fn end_round<R: Ruleset>(play: &mut Play<'_, R>) {
    play.tick(Moment::RoundEnd);
    let table = play.table();
    let orphaned = |anchor: &CombatantId| table.get(anchor).is_none_or(|c| !c.active() && !c.acted);
    let counts = table.effects.iter().filter_map(|effect| {
        let anchor = effect.expires.anchor().filter(|anchor| orphaned(anchor))?;
        let left = effect.expires.after(Moment::TurnStart(anchor)).or(effect.expires.after(Moment::TurnEnd(anchor)))?;
        Some((effect.id.clone(), left))
    });
    let counts: Vec<_> = counts.collect();
    play.count_down(counts);
    let round = play.table().round;
    play.shared(RoundEnded { round });
}

/// Ends the round and starts the next one.
pub fn next_round<R: Ruleset>(play: &mut Play<'_, R>) {
    let next = play.table().round.saturating_add(1);
    end_round(play);
    start_round(play, next);
}

/// Whether a combatant has had a turn of this round, or is having it.
pub fn had_turn<R: Ruleset>(table: &Table<R>, id: &CombatantId) -> bool {
    R::current(table).contains(id) || table.get(id).is_some_and(|c| c.acted)
}

//! Fights, rounds and turns begin here, and rounds and turns end, and effects with them.

use crate::vocabulary::{
    Combatant, CombatantId, Encounter, EncounterStarted, Expiry, Moment, Play, RoundEnded,
    RoundStarted, Ruleset, Status, TurnEnded, TurnStarted, Violation, require,
};

/// Refuses the start of a fight that has started, and everything else before it; `rule` says when
/// it starts.
pub fn check_started<R: Ruleset>(
    play: &Play<'_, R>,
    starts: bool,
    rule: &'static str,
) -> Result<(), Violation> {
    if !starts {
        return play.started(rule);
    }
    require(
        play.encounter().status == Status::Setup,
        "already_started",
        rule,
        || "The encounter has already started. To start over, send \"undo\" or create another one.",
    )
}

/// Starts the fight, unless it has started. Refused if no combatant is in it.
pub fn start_encounter<R: Ruleset>(
    play: &mut Play<'_, R>,
    rule: &'static str,
) -> Result<(), Violation> {
    require(
        play.encounter().active().next().is_some(),
        "nobody_to_act",
        rule,
        || "No combatant can act. Add one first.",
    )?;
    if play.encounter().status == Status::Setup {
        play.emit(EncounterStarted {});
    }
    Ok(())
}

/// Starts `id`'s turn; the effects that count its turn starts lose one.
pub fn start_turn<R: Ruleset>(play: &mut Play<'_, R>, id: &CombatantId) {
    play.emit(TurnStarted {
        combatant: id.clone(),
    });
    play.count_effects(Moment::TurnStart(id));
}

/// Ends `id`'s turn: the effects that count its turn ends lose one, and it has acted.
pub fn end_turn<R: Ruleset>(play: &mut Play<'_, R>, id: &CombatantId) {
    play.count_effects(Moment::TurnEnd(id));
    play.emit(TurnEnded {
        combatant: id.clone(),
    });
}

/// Starts a round: nobody has acted.
pub fn start_round<R: Ruleset>(play: &mut Play<'_, R>, round: u32) {
    play.emit(RoundStarted { round });
}

/// Ends the round: the effects that count round ends lose one.
pub fn end_round<R: Ruleset>(play: &mut Play<'_, R>) {
    pass_rounds(play, 1);
}

/// Ends this round, and with a `count` above 1 those after it, which nobody acts in: the effects
/// that count round ends lose as many. Effects that count lost turns lose as many, unless the
/// ruleset counts those itself.
pub fn pass_rounds<R: Ruleset>(play: &mut Play<'_, R>, count: u32) {
    let more = count.saturating_sub(1);
    let ends = |clock: &Expiry| clock.counts(Moment::RoundEnd);
    play.count_down(|_, _, clock| if ends(clock) { count } else { 0 });
    if R::lost_turns_by_round(&play.encounter().options) {
        count_lost_turns(play, count, |c| c.acted);
    }
    let round = play.encounter().round.saturating_add(more);
    play.emit(RoundEnded { round });
}

/// Lets effects that count the turns of a combatant that has left or is out of the fight, which
/// would last for ever, lose `count` rounds: one less if they have counted a turn of the first of
/// them.
pub fn count_lost_turns<R: Ruleset>(
    play: &mut Play<'_, R>,
    count: u32,
    had_turn: impl Fn(&Combatant<R>) -> bool,
) {
    let more = count.saturating_sub(1);
    play.count_down(|encounter, effect, clock| {
        if clock.turns().is_none() {
            return 0;
        }
        match clock.anchor().map(|anchor| encounter.get(anchor)) {
            Some(Some(c)) if !c.active() && !had_turn(c) => count,
            Some(_) => 0,
            None if encounter.counted.contains(&effect.id) => more,
            None => count,
        }
    });
}

/// Ends the round and starts the next one.
pub fn next_round<R: Ruleset>(play: &mut Play<'_, R>) {
    let next = play.encounter().round.saturating_add(1);
    end_round(play);
    start_round(play, next);
}

/// Whether a combatant has had a turn of this round, or is having it.
pub fn had_turn<R: Ruleset>(encounter: &Encounter<R>, id: &CombatantId) -> bool {
    R::current(encounter).contains(id) || encounter.get(id).is_some_and(|c| c.acted)
}

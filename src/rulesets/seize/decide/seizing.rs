//! Who may seize the next turn, and what comes of it.

use super::*;
use crate::rulesets::seize::manifest::DISABLED;
use crate::vocabulary::Kind;
use std::cmp::Reverse;

/// Whether it rolled a 1 and this is the round in which it cannot act (WA-7).
pub(in super::super) fn barred(table: &Table, c: &Combatant<Seize>) -> bool {
    c.state.skips_round_1 && table.round <= 1
}

/// Whether it could do something with a turn: in the fight, and not disabled as a whole (AWA4).
pub(in super::super) fn able(c: &Combatant<Seize>) -> bool {
    c.free_of(|condition| DISABLED.contains(&condition))
}

/// Whether a loss of hit points now lets it seize: not after, before or in a turn of its own (WA-12, WA-20, AWA6).
pub(in super::super) fn loss_counts(table: &Table, c: &Combatant<Seize>) -> bool {
    let moment = match &table.state.phase {
        Phase::InTurn { actor } => *actor != c.id,
        Phase::SeizeDecision {} | Phase::ChooseNext {} | Phase::SomeoneActs => true,
        Phase::Setup | Phase::ChooseStarter {} | Phase::Over => false,
    };
    moment && !c.acted && !barred(table, c) && !queued(table, &c.id)
}

/// Whether it may seize the turn that comes now (WA-12). A queued seizer is not `hurt`: see [`loss_counts`].
pub(in super::super) fn may_seize(table: &Table, c: &Combatant<Seize>) -> bool {
    c.state.hurt && !c.acted && !barred(table, c) && able(c)
}

/// The combatants that may seize the turn that comes now, in the order of joining.
pub(in super::super) fn eligible(table: &Table) -> Vec<CombatantId> {
    table.iter().filter(|c| may_seize(table, c)).map(|c| c.id.clone()).collect()
}

fn queued(table: &Table, id: &CombatantId) -> bool {
    table.state.queue.iter().any(|seizer| seizer.combatant == *id)
}

pub(super) fn seize(play: &mut Fight<'_>, id: &CombatantId) -> Result<(), Violation> {
    check(play, id)?;
    let table = play.table();
    let Some(c) = table.get(id) else { return Ok(()) };
    let bonus = c.stats.bonus();
    let rank = |id: &CombatantId, bonus: i64| {
        let c = table.get(id);
        (bonus, c.is_some_and(|c| c.kind == Kind::Pc), Reverse(c.map_or(0, |c| c.joined)))
    };
    let mine = rank(id, bonus);
    let before = |s: &&Seizer| s.window < table.state.windows || rank(&s.combatant, s.bonus) > mine;
    let after = table.state.queue.iter().take_while(before).count();
    let after = u32::try_from(after).unwrap_or(u32::MAX);
    play.own(Seized { combatant: id.clone(), bonus, after });
    go_on(play);
    Ok(())
}

pub(super) fn decline(play: &mut Fight<'_>, id: &CombatantId) -> Result<(), Violation> {
    check(play, id)?;
    play.own(Declined { combatant: id.clone() });
    go_on(play);
    Ok(())
}

pub(super) fn close(play: &mut Fight<'_>, c: &CloseSeizing) -> Result<(), Violation> {
    if let Some(next) = &c.next {
        play.combatant("next", next)?;
    }
    let table = play.table();
    let detail = "nobody is deciding whether to seize the next turn";
    require(table.state.phase == Phase::SeizeDecision {}, "no_seizing", "WA-13", || detail)?;
    for combatant in eligible(table) {
        play.own(Declined { combatant });
    }
    advance(play);
    c.next.as_ref().map_or(Ok(()), |next| name(play, next))
}

/// Goes on as soon as everybody has decided.
fn go_on(play: &mut Fight<'_>) {
    if eligible(play.table()).is_empty() {
        advance(play);
    }
}

/// Refuses a combatant that has nothing to decide now.
fn check(play: &Fight<'_>, id: &CombatantId) -> Result<(), Violation> {
    let table = play.table();
    let c = play.combatant("combatant", id)?;
    let own = matches!(&table.state.phase, Phase::InTurn { actor } if actor == id);
    require(!own, "own_turn", "WA-20", || format!("it is {id}'s own turn"))?;
    require(!c.acted, "already_acted", "WA-20", || format!("{id} has had its turn of this round"))?;
    require(!queued(table, id), "already_seized", "AWA4", || format!("{id} has seized a turn already: it comes"))?;
    require(!barred(table, c), "barred", "WA-7", || format!("{id} rolled a 1 and takes no turn in round 1"))?;
    require(c.active(), "not_active", "WA-10", || format!("{id} is out of the fight and takes no turn"))?;
    require(table.state.phase == Phase::SeizeDecision {}, "no_seizing", "WA-13", || match &table.state.phase {
        Phase::InTurn { actor } => format!("it is {actor}'s turn: whether to seize is decided when it has ended"),
        _ => "there is no turn now that anybody may seize".to_owned(),
    })?;
    require(able(c), "disabled", "AWA4", || format!("{id} is disabled ({}) and cannot seize", DISABLED.join(", ")))?;
    require(c.state.hurt, "not_hurt", "WA-12", || {
        format!("{id} lost no hit points in the turn that has just ended, or has declined")
    })
}

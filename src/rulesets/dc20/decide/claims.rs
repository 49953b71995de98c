//! The PC team decides who takes the awaited PC Turn.

use super::places::{awaited, placeable};
use super::*;

pub(super) fn claim(play: &mut Combat<'_>, c: &Claim) -> Result<(), Violation> {
    let slot = awaited(play, Phase::Claim, "DC-17")?;
    let mut answered = play.table().clone();
    let mut named: Vec<&CombatantId> = Vec::with_capacity(1 + c.others.len());
    for (i, id) in std::iter::once(&c.combatant).chain(&c.others).enumerate() {
        if named.contains(&id) {
            return Err(Violation::field("named_twice", "others", format!("{id} is named twice")));
        }
        claimable(play, if i == 0 { "combatant" } else { "others" }, id)?;
        named.push(id);
        answered.state.claim(id, c.share);
    }
    let closed = !c.others.is_empty();
    if !closed {
        may_answer(play.table(), &c.combatant, Some(c.share))?;
    }
    match contest(&answered, closed) {
        Contest::Tied(top) if closed => return Err(tied(play.table(), &top)),
        Contest::Won(won) => win(play, won),
        _ => play.own(ClaimMade { slot, combatant: c.combatant.clone(), share: c.share }),
    }
    Ok(())
}

/// A member of the PC team passes on the awaited turn; without a name, nobody else is asked.
pub(super) fn pass(play: &mut Combat<'_>, who: Option<&CombatantId>) -> Result<(), Violation> {
    let slot = awaited(play, Phase::Claim, "DC-17")?;
    let mut answered = play.table().clone();
    if let Some(id) = who {
        claimable(play, "combatant", id)?;
        may_answer(play.table(), id, None)?;
        answered.state.pass(id);
    }
    match (contest(&answered, who.is_none()), who) {
        (Contest::Needed(_), _) => {
            let detail = "somebody must take this PC Turn: there are not enough later ones for all who have none";
            return Err(Violation::new("must_claim", "DC-17", detail));
        }
        (Contest::Won(won), _) => win(play, won),
        (Contest::Unclaimed, _) => take(play),
        (Contest::Open(_) | Contest::Tied(_), Some(id)) => play.own(ClaimPassed { slot, combatant: id.clone() }),
        (Contest::Open(top) | Contest::Tied(top), None) => return Err(tied(play.table(), &top)),
    }
    Ok(())
}

/// Goes on if a change of the combatants has decided the contest.
pub(in super::super) fn settle(play: &mut Combat<'_>) {
    match contest(play.table(), false) {
        Contest::Won(won) => win(play, won),
        Contest::Unclaimed => take(play),
        Contest::Open(_) | Contest::Tied(_) | Contest::Needed(_) => {}
    }
}

fn win(play: &mut Combat<'_>, won: SlotClaimed) {
    begin_combat(play);
    play.own(won);
    // A hidden winner has taken a turn that was laid out for the others.
    react::make_room(play);
    take(play);
}

/// Refuses a combatant that cannot take this PC Turn.
fn claimable(play: &Combat<'_>, field: &'static str, id: &CombatantId) -> Result<(), Violation> {
    let (table, c) = (play.table(), play.combatant(field, id)?);
    require(team(&table.state, c) == Team::Pc, "not_on_the_pc_team", "DC-17", || {
        format!("{id} is not on the PC team: it takes no PC Turn")
    })?;
    placeable(&table.state, c)?;
    let candidate = table.state.at().is_some_and(|slot| candidates(table, slot).any(|c| c.id == *id));
    require(candidate, "turn_of_the_hidden", "DC-17", || {
        format!("only hidden combatants take this turn, and {id} is seen")
    })
}

/// Refuses the answer of a combatant that is not asked: a claim, with its `share`, or a pass.
fn may_answer(table: &Table, id: &CombatantId, share: Option<bool>) -> Result<(), Violation> {
    let claim = table.state.claims.iter().find(|claim| claim.combatant == *id);
    let contest = contest(table, false);
    let (code, rule, detail) = match &contest {
        Contest::Tied(top) if top.contains(id) => {
            let agrees = share == Some(true) && claim.is_some_and(|claim| !claim.share);
            let equal = table.get(id).and_then(result).is_some();
            return if share.is_none() || agrees && equal { Ok(()) } else { Err(tied(table, top)) };
        }
        contest if contest.asked().contains(id) => return Ok(()),
        _ if claim.is_some() => ("already_answered", "DC-17", format!("{id} has claimed this turn already")),
        _ if table.state.passed.contains(id) => {
            ("already_answered", "DC-17", format!("{id} has passed on this turn already"))
        }
        _ => ("outbid", "DC-18", format!("a higher check than {id}'s has claimed this turn already")),
    };
    Err(Violation::new(code, rule, detail))
}

fn tied(table: &Table, claimed: &[CombatantId]) -> Violation {
    let best = claimed.iter().filter_map(|id| table.get(id)).map(result).max().flatten();
    let top = claimed.iter().filter(|id| table.get(id).map(result) == Some(best));
    let names = top.map(|id| id.as_str()).collect::<Vec<_>>().join(" and ");
    let detail = match best {
        Some(total) => format!("{names} all have {total}: each claims with `share`, or all but one pass"),
        None => format!("{names} made no check: all but one pass"),
    };
    Violation::new("claim_tied", "DC-19", detail)
}

//! The PC team says who takes the PC Turn that is awaited.

use super::super::contest::{Answers, Contest, candidates, contest, decide, result};
use super::super::flow::begin_combat;
use super::super::react::make_room;
use super::super::team::team;
use super::super::*;
use super::places::{awaited, close, placeable, take};

/// Somebody of the PC team wants the turn that is awaited. With `others` the contest is told in one command and decided at once.
pub(super) fn claim(play: &mut Combat<'_>, c: &Claim) -> Result<(), Violation> {
    let slot = awaited(play, Phase::Claim, "DC-17")?;
    let mut named: Vec<&CombatantId> = vec![&c.combatant];
    for id in &c.others {
        if named.contains(&id) {
            return Err(Violation::field("named_twice", "others", format!("{id} is named twice")));
        }
        named.push(id);
    }
    for (i, id) in named.iter().enumerate() {
        claimable(play, if i == 0 { "combatant" } else { "others" }, id)?;
    }
    let table = play.table();
    if c.others.is_empty() {
        may_answer(table, &c.combatant, Some(c.share))?;
    }
    let mut answers = named.iter().fold(Answers::of(&table.state), |answers, id| answers.claim(id, c.share));
    answers.closed = !c.others.is_empty();
    match decide(table, &answers) {
        Contest::Tied(top) if answers.closed => Err(tied(table, &top)),
        Contest::Won { combatants, by, outbid } => {
            win(play, combatants, by, outbid);
            Ok(())
        }
        Contest::Open(_) | Contest::Tied(_) | Contest::Needed(_) | Contest::Unclaimed => {
            play.own(ClaimMade { slot, combatant: c.combatant.clone(), share: c.share });
            Ok(())
        }
    }
}

/// Somebody of the PC team does not want the turn that is awaited; without a name, nobody else is asked.
pub(super) fn pass(play: &mut Combat<'_>, who: Option<&CombatantId>) -> Result<(), Violation> {
    let slot = awaited(play, Phase::Claim, "DC-17")?;
    let mut answers = Answers::of(&play.table().state);
    match who {
        Some(id) => {
            claimable(play, "combatant", id)?;
            may_answer(play.table(), id, None)?;
            answers = answers.pass(id);
        }
        None => answers.closed = true,
    }
    match decide(play.table(), &answers) {
        Contest::Needed(_) => {
            let detail = "somebody must take this PC Turn: there are not enough later ones for all who have none";
            return Err(Violation::new("must_claim", "DC-17", detail));
        }
        Contest::Won { combatants, by, outbid } => win(play, combatants, by, outbid),
        Contest::Unclaimed => close(play),
        Contest::Open(_) | Contest::Tied(_) => match who {
            Some(id) => play.own(ClaimPassed { slot, combatant: id.clone() }),
            None => {
                let claimed: Vec<_> = answers.claims.into_iter().map(|claim| claim.combatant).collect();
                return Err(tied(play.table(), &claimed));
            }
        },
    }
    Ok(())
}

/// Goes on where the contest is decided because somebody came, changed, or is out of the fight.
pub(in super::super) fn settle(play: &mut Combat<'_>) {
    match contest(play.table()) {
        Contest::Won { combatants, by, outbid } => win(play, combatants, by, outbid),
        Contest::Unclaimed => close(play),
        Contest::Open(_) | Contest::Tied(_) | Contest::Needed(_) => {}
    }
}

fn win(play: &mut Combat<'_>, combatants: Vec<CombatantId>, by: Way, outbid: Vec<CombatantId>) {
    let Some(slot) = play.table().state.slot.clone() else { return };
    begin_combat(play);
    play.own(SlotClaimed { slot: slot.clone(), combatants: combatants.into(), by, outbid });
    // One who is hidden has taken a turn that was laid out for the others.
    make_room(play);
    take(play, &slot);
}

/// Refuses a combatant that cannot take this PC Turn.
fn claimable(play: &Combat<'_>, field: &'static str, id: &CombatantId) -> Result<(), Violation> {
    let (table, c) = (play.table(), play.combatant(field, id)?);
    let refuse = |code, rule, detail: String| Err(Violation::new(code, rule, detail));
    if team(&table.state, c) != Team::Pc {
        return refuse("not_on_the_pc_team", "DC-17", format!("{id} is not on the PC team: it takes no PC Turn"));
    }
    placeable(&table.state, c)?;
    if !candidates(table).any(|c| c.id == *id) {
        return refuse("turn_of_the_hidden", "DC-17", format!("this is a turn of the hidden alone: {id} is seen"));
    }
    Ok(())
}

/// Refuses an answer of somebody who is not asked: a claim, with what it says about sharing, or a pass.
fn may_answer(table: &Table, id: &CombatantId, share: Option<bool>) -> Result<(), Violation> {
    let state = &table.state;
    let refuse = |code, rule, detail: String| Err(Violation::new(code, rule, detail));
    let claim = state.claims.iter().find(|claim| claim.combatant == *id);
    match contest(table) {
        Contest::Open(asked) | Contest::Needed(asked) if asked.contains(id) => Ok(()),
        Contest::Tied(top) if top.contains(id) => {
            let agrees = share == Some(true) && claim.is_some_and(|claim| !claim.share);
            let equal = table.get(id).and_then(result).is_some();
            if share.is_none() || agrees && equal { Ok(()) } else { Err(tied(table, &top)) }
        }
        _ if claim.is_some() => refuse("already_answered", "DC-17", format!("{id} has claimed this turn already")),
        _ if state.passed.contains(id) => {
            refuse("already_answered", "DC-17", format!("{id} has passed on this turn already"))
        }
        _ => refuse("outbid", "DC-18", format!("a higher check than {id}'s has claimed this turn already")),
    }
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

//! The PC team decides who takes the awaited PC Turn.

use super::places::{awaited, yet_to_act};
use super::*;

pub(super) fn claim(play: &mut Play<'_>, c: &Claim) -> Result<(), Violation> {
    let claimants = ids(named(play, &c.combatant, "others", &c.others)?);
    answer(play, &claimants, Some(c.share), c.decides())
}

/// Takes answers to the awaited turn: claims, with their `share`, or passes. No other answers
/// follow if the contest is `closed`.
pub(super) fn answer(
    play: &mut Play<'_>,
    answering: &[CombatantId],
    share: Option<bool>,
    closed: bool,
) -> Result<(), Violation> {
    let slot = awaited(play, Phase::Claim, "DC-17")?;
    let encounter = play.encounter();
    let mut answered = encounter.clone();
    for id in answering {
        let c = play.combatant("combatant", id)?;
        claimable(encounter, c)?;
        if !closed {
            may_answer(encounter, c, share)?;
        }
        answered.state.answer(id, share);
    }
    match contest(&answered, closed) {
        Contest::Tied(top) if closed => match answering.first() {
            Some(first) if top.contains(first) => {
                let won = Contest::Won(decided(&answered.state, slot, first));
                resolve(play, won, None);
            }
            _ => return Err(tied(encounter, &top)),
        },
        Contest::Needed(_) => {
            let detail = "the PC team must take this PC Turn: there are not enough later ones for its members without one";
            return Err(Violation::new("must_claim", "DC-17", detail));
        }
        contest => {
            let answer = answering.first().cloned().map(|combatant| match share {
                Some(share) => ClaimMade {
                    slot,
                    combatant,
                    share,
                }
                .into(),
                None => ClaimPassed { slot, combatant }.into(),
            });
            resolve(play, contest, answer);
        }
    }
    Ok(())
}

/// Goes on if the contest is decided; else records the answer that has left it open.
pub(in super::super) fn resolve(play: &mut Play<'_>, contest: Contest, answer: Option<Event>) {
    match contest {
        Contest::Won(won) => {
            begin_combat(play);
            play.emit(won);
            // A hidden winner has taken a turn that was laid out for the others.
            react::make_room(play);
            take(play);
        }
        Contest::Unclaimed => take(play),
        Contest::Open(_) | Contest::Tied(_) | Contest::Needed(_) => {
            answer.into_iter().for_each(|answer| play.emit(answer));
        }
    }
}

/// Refuses a combatant that cannot take the awaited PC Turn.
fn claimable(encounter: &Encounter, c: &Combatant) -> Result<(), Violation> {
    let id = &c.id;
    require(
        team(&encounter.state, c) == Team::Pc,
        "not_on_the_pc_team",
        "DC-17",
        || format!("{id} is not on the PC team: it takes no PC Turn"),
    )?;
    if let Some(slot) = c
        .state
        .slot
        .as_ref()
        .filter(|_| !waits_unseen(&encounter.state, c))
    {
        let detail =
            format!("{id} has its place in the turn {slot}, and changes it only by a delay");
        return Err(Violation::new("already_placed", "DC-30", detail));
    }
    yet_to_act(encounter, c)?;
    let open = encounter
        .state
        .at()
        .is_some_and(|slot| may_take(&encounter.state, c, slot));
    require(open, "unseen_turn", "DC-17", || {
        format!("only hidden combatants take this turn, and {id} is seen")
    })
}

/// Refuses an answer that changes nothing, and that of a combatant whose check is too low: a claim,
/// with its `share`, or a pass.
fn may_answer(encounter: &Encounter, c: &Combatant, share: Option<bool>) -> Result<(), Violation> {
    let id = &c.id;
    let claim = encounter
        .state
        .claims
        .iter()
        .find(|claim| claim.combatant == *id);
    if let Contest::Tied(top) = contest(encounter, false)
        && top.contains(id)
    {
        let agrees =
            share == Some(true) && claim.is_some_and(|claim| !claim.share) && result(c).is_some();
        return if share.is_none() || agrees {
            Ok(())
        } else {
            Err(tied(encounter, &top))
        };
    }
    let detail = || format!("{id} has claimed this turn already");
    require(
        claim.is_none() || share.is_none(),
        "already_answered",
        "DC-17",
        detail,
    )?;
    let passes_again = share.is_none() && encounter.state.passed.contains(id);
    require(!passes_again, "already_answered", "DC-17", || {
        format!("{id} has passed on this turn already")
    })?;
    let detail = || format!("a higher check than {id}'s has claimed this turn already");
    require(
        claim.is_some() || !outbid(encounter, c),
        "outbid",
        "DC-18",
        detail,
    )
}

/// Refuses the answers that leave these combatants tied: all of them have the same result.
fn tied(encounter: &Encounter, top: &[CombatantId]) -> Violation {
    let names = top
        .iter()
        .map(CombatantId::to_string)
        .collect::<Vec<_>>()
        .join(" and ");
    let detail = match top.first().and_then(|id| result(encounter.get(id)?)) {
        Some(total) => {
            format!("{names} all have {total}: each claims with `share`, or all but one pass")
        }
        None => format!("{names} made no check: all but one pass"),
    };
    Violation::new("claim_tied", "DC-19", detail)
}

//! The PC team decides who takes the awaited PC Turn.

use super::assign::{awaited_turn, check_yet_to_act};
use super::named;
use crate::rulesets::dc20::contest::{
    Contest, closed_contest, contest_so_far, has_been_outbid, result, taken_by,
};
use crate::rulesets::dc20::flow::{begin_awaited, begin_combat};
use crate::rulesets::dc20::lay::{lacks_room, lay};
use crate::rulesets::dc20::team::{may_take, team, waits_unseen};
use crate::rulesets::dc20::{
    Answer, Claim, Claimed, Combatant, Encounter, Passed, Phase, Play, Team,
};
use crate::vocabulary::{CombatantId, Violation, ids, require};

pub(super) fn claim(play: &mut Play<'_>, c: &Claim) -> Result<(), Violation> {
    let claimants = ids(named(play, &c.combatant, "others", &c.others)?);
    if c.decides() {
        close_contest(play, &claimants, c.share)
    } else {
        answer(play, &c.combatant, Answer::Claim { share: c.share })
    }
}

/// A member of the PC team claims the awaited turn, or passes on it.
pub(super) fn answer(
    play: &mut Play<'_>,
    id: &CombatantId,
    answer: Answer,
) -> Result<(), Violation> {
    let slot = awaited_turn(play, Phase::Claim, "DC-17")?;
    let encounter = play.encounter();
    let c = play.combatant("combatant", id)?;
    check_candidate(encounter, c)?;
    check_answer(encounter, c, answer)?;
    let mut answered = encounter.clone();
    answered.state.answer(id, answer);
    let contest = contest_so_far(&answered);
    if matches!(contest, Contest::MustClaim(_)) {
        return Err(must_claim());
    }
    if finish_if_decided(play, contest) {
        return Ok(());
    }
    let combatant = id.clone();
    match answer {
        Answer::Claim { share } => play.emit(Claimed {
            slot,
            combatant,
            share,
        }),
        Answer::Pass => play.emit(Passed { slot, combatant }),
    }
    Ok(())
}

/// The game master closes the contest: these claims count too, and no other answers follow. Of
/// equal claims the first of these takes the turn (DC-19a).
pub(super) fn close_contest(
    play: &mut Play<'_>,
    claimants: &[CombatantId],
    share: bool,
) -> Result<(), Violation> {
    let slot = awaited_turn(play, Phase::Claim, "DC-17")?;
    let encounter = play.encounter();
    let mut answered = encounter.clone();
    for id in claimants {
        check_candidate(encounter, play.combatant("combatant", id)?)?;
        answered.state.answer(id, Answer::Claim { share });
    }
    let mut contest = closed_contest(&answered);
    if let Contest::Tied(top) = &contest {
        match claimants.first() {
            Some(first) if top.contains(first) => {
                contest = Contest::Won(taken_by(first, &answered.state, slot));
            }
            _ => return Err(tied(encounter, top)),
        }
    }
    if matches!(contest, Contest::MustClaim(_)) {
        return Err(must_claim());
    }
    finish_if_decided(play, contest);
    Ok(())
}

/// Begins the awaited turn if the contest for it is decided, and returns whether it is.
pub(in super::super) fn finish_if_decided(play: &mut Play<'_>, contest: Contest) -> bool {
    match contest {
        Contest::Won(won) => {
            begin_combat(play);
            play.emit(won);
            // A hidden winner has taken a turn that was laid out for the others.
            if lacks_room(play.encounter()) {
                lay(play);
            }
            begin_awaited(play);
            true
        }
        Contest::Unclaimed => {
            begin_awaited(play);
            true
        }
        Contest::Open(_) | Contest::Tied(_) | Contest::MustClaim(_) => false,
    }
}

/// Refuses a combatant that cannot take the awaited PC Turn.
fn check_candidate(encounter: &Encounter, c: &Combatant) -> Result<(), Violation> {
    let id = &c.id;
    let state = &encounter.state;
    let is_member = team(state, c) == Team::Pc;
    require(is_member, "not_on_the_pc_team", "DC-17", || {
        format!("{id} isn't on the PC team and takes no PC Turn. Name a member of the PC team.")
    })?;
    if let Some(slot) = &c.state.slot
        && !waits_unseen(state, c)
    {
        let detail = format!(
            "{id} already acts in {}. Send \"delay\" in that turn to change it.",
            slot.title()
        );
        return Err(Violation::new("already_placed", "DC-30", detail));
    }
    check_yet_to_act(encounter, c)?;
    let open = state.reached().is_some_and(|slot| may_take(state, c, slot));
    require(open, "unseen_turn", "DC-17", || {
        format!("Only hidden combatants take this turn, and {id} is visible. Choose another turn.")
    })
}

/// Refuses an answer that changes nothing, and that of a combatant whose check is too low.
fn check_answer(encounter: &Encounter, c: &Combatant, answer: Answer) -> Result<(), Violation> {
    let id = &c.id;
    let state = &encounter.state;
    if let Contest::Tied(top) = contest_so_far(encounter)
        && top.contains(id)
    {
        if settles_tie(encounter, c, answer) {
            return Ok(());
        }
        return Err(tied(encounter, &top));
    }
    let claimed = state.claim_of(id).is_some();
    match answer {
        Answer::Claim { share } => {
            let is_new = state.claim_of(id).is_none_or(|claim| claim.share != share);
            require(is_new, "already_answered", "DC-17", || {
                format!(
                    "{id} has already claimed this turn. Wait for the others, change \"share\", or \
                     send \"pass\"."
                )
            })?;
        }
        Answer::Pass => {
            let passed = state.passed.contains(id);
            require(!passed, "already_answered", "DC-17", || {
                format!(
                    "{id} has already passed on this turn. Wait for the others, or send \"claim\"."
                )
            })?;
        }
    }
    let may_win = claimed || !has_been_outbid(encounter, c);
    require(may_win, "outbid", "DC-18", || {
        format!(
            "A combatant with a higher check than {id}'s has already claimed this turn. Claim a later one."
        )
    })
}

/// Whether the answer of one of equal claimants helps to settle the tie: it passes, or now agrees
/// to share (DC-19a).
fn settles_tie(encounter: &Encounter, c: &Combatant, answer: Answer) -> bool {
    match answer {
        Answer::Pass => true,
        Answer::Claim { share: false } => false,
        Answer::Claim { share: true } => {
            let claim = encounter.state.claim_of(&c.id);
            result(c).is_some() && claim.is_some_and(|claim| !claim.share)
        }
    }
}

/// The refusal of a pass that leaves too few PC Turns.
fn must_claim() -> Violation {
    let detail =
        "Too few PC Turns come later for all who have none yet. Send \"claim\" for one of them.";
    Violation::new("must_claim", "DC-17", detail)
}

/// The refusal of answers that leave these combatants tied: all of them have the same result.
fn tied(encounter: &Encounter, top: &[CombatantId]) -> Violation {
    let names: Vec<String> = top.iter().map(CombatantId::to_string).collect();
    let names = names.join(" and ");
    let detail = match top.first().and_then(|id| result(encounter.get(id)?)) {
        Some(total) => {
            format!("{names} tie at {total}. Each claims with \"share\", or all but one pass.")
        }
        None => format!("{names} have no check to compare. All but one pass."),
    };
    Violation::new("claim_tied", "DC-19", detail)
}
